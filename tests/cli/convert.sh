# Converting: targets, output that exists or cannot be written, selection, and the report.
trace=$DATA/cli/exchange.otf
convert() {
    echo "\$ convert $*"
    quipu convert "$trace" "$@" 2>&1 || echo "exit $?"
}
events() {
    python3 -c 'import json, sys; print(sum(e["ph"] != "M" for e in json.load(sys.stdin)["traceEvents"]))'
}
convert --to chrome -o all.json
convert --to chrome -o all.json
convert --to chrome -o all.json --force --quiet
convert --to chrome -o - --quiet | sed 1d | cmp - all.json
convert --to chrome -o missing/all.json
convert --to chrome -o all.json --compress 3
quipu convert "$trace" --to chrome -o - --quiet --kind region | events
quipu convert "$trace" --to chrome -o - --quiet --kind region --location 'rank 1' --until 40 | events
if [ -e /dev/full ]; then
    quipu convert "$trace" --to chrome -o - >/dev/full 2>err || echo "exit $?"
else
    echo "exit 5"
fi

echo "The report adds up to the number of records."
quipu convert "$trace" --to chrome -o other.json --report report.json --quiet
quipu info --json "$trace" >info.json
python3 - <<'END'
import json
report, info = json.load(open("report.json")), json.load(open("info.json"))
assert sum(row["total"] for row in report["records"]) == info["records"] == report["totals"]["total"], report["totals"]
for row in report["records"]:
    assert row["total"] == row["exact"] + row["respelled"] + row["approximated"] + row["dropped"], row
END

echo "Explaining writes nothing."
quipu convert "$trace" --to chrome --explain | grep -c exact >/dev/null
quipu convert "$trace" --to chrome --explain --json -o unwritten.json | python3 -m json.tool >/dev/null
ls

echo "Within one format nothing changes, compressed or not."
quipu convert "$trace" -o exchange.otf --quiet
for part in otf 0.def 1.events 2.events; do cmp "exchange.$part" "$DATA/cli/exchange.$part"; done
quipu convert "$trace" -o small.otf --compress 9 --quiet
diff <(quipu cat --records small.otf) <(quipu cat --records "$trace")
