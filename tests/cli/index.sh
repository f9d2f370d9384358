# quipu index: an index beside the trace, and who uses it.
cp "$DATA"/cli/exchange.* .
share() { sed 's/, [0-9.]* % of/, N % of/'; } # which depends on inodes and times
quipu index exchange.otf --every 1us 2>&1 | share
ls ./*.qpx
quipu index exchange.otf 2>&1 || echo "exit $?"
quipu index exchange.otf --force --quiet
mkdir elsewhere
quipu index exchange.otf -o elsewhere/index --count 2 2>&1 | share
quipu profile exchange.otf --csv >with
quipu profile exchange.otf --csv --no-index >without
cmp with without
quipu profile exchange.otf --csv --with-index elsewhere/index --verbose 2>err >with
cmp with without
grep -c " 0 records" err # nothing had to be read
quipu profile exchange.otf --with-index nowhere 2>&1 || echo "exit $?"
echo "--- damaged"
printf x | dd of=exchange.otf.qpx bs=1 seek=40 conv=notrunc 2>/dev/null
quipu profile exchange.otf --csv >with 2>err
cmp with without
cat err
quipu profile exchange.otf --csv --verbose 2>&1 >/dev/null | grep index
quipu index exchange.otf --count 3 2>&1 | share
echo "--- changed"
printf '\n' >>exchange.0.def
quipu profile exchange.otf --verbose 2>&1 >/dev/null | grep index
quipu info exchange.otf | grep ^index
quipu index exchange.otf --count 3 2>&1 | share
echo "--- verified"
quipu index exchange.otf --verify 2>&1
quipu index exchange.otf --verify -o elsewhere/index 2>&1 || echo "exit $?"
quipu index exchange.otf --verify -o nowhere 2>&1 || echo "exit $?"
echo "--- usage"
for options in "--count 0" "--every 0" "--every 5 --count 5" "--streams 2"; do
    # shellcheck disable=SC2086
    quipu index exchange.otf --force $options 2>&1 || echo "exit $?"
done
printf '20\n*1\nS!\n' >>exchange.1.events
quipu index exchange.otf 2>&1 || echo "exit $?"
