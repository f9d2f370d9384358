# quipu snapshot is for snapshots: it has no options of quipu state and quipu index.
trace=$DATA/cli/exchange.otf
quipu snapshot "$trace" --json -o copy.otf 2>&1 || echo "exit $?"
quipu snapshot "$trace" --index 2>&1 || echo "exit $?"
quipu snapshot "$trace" 2>&1 || echo "exit $?"
ls
