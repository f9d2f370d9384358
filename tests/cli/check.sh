# Sound and damaged traces, and the exit codes of check and of commands that read on in spite of damage.
cp "$DATA"/cli/exchange.* .
verdict() {
    quipu check --json exchange.otf >out 2>err || echo "exit $?"
    grep -o '"verdict": "[a-z]*"' out
}
verdict

echo "A leave is missing: an error, but nothing is lost."
sed -i '/^L3$/d' exchange.2.events
verdict
quipu check exchange.otf || echo "exit $?"

echo "Leaves that name a region that is not active: by rule, each, and of several traces."
cp "$DATA"/cli/exchange.* .
sed -i 's/^L2$/L4/' exchange.1.events
sed -i 's/^L3$/L4/' exchange.2.events
quipu check exchange.otf "$EXAMPLES/traces/phases" 2>&1 | sed "s,$EXAMPLES,EXAMPLES," || true
quipu check --all exchange.otf || echo "exit $?"
{ quipu check --json exchange.otf exchange.otf || true; } | grep -o "\"path[^,]*"
cp "$DATA"/cli/exchange.* .
sed -i '/^L3$/d' exchange.2.events
quipu profile exchange.otf >out 2>err || echo "exit $?"

echo "A file is missing: data is lost, the rest is delivered."
rm exchange.2.events
verdict
{ quipu cat exchange.otf 2>err || true; } | wc -l
quipu cat exchange.otf >out 2>err || echo "exit $?"
grep -c 'run "quipu check exchange.otf" to see everything' err
quipu cat --quiet exchange.otf >out 2>err || echo "exit $?"
wc -c <err

echo "Nothing that can be read at all."
echo "no trace at all" >noise.txt
quipu check noise.txt 2>err || echo "exit $?"
cat err
