# quipu snapshot is for snapshots: what it did besides in earlier versions says which command does it now.
trace=$DATA/cli/exchange.otf
quipu snapshot "$trace" --at 35 2>&1 || echo "exit $?"
quipu snapshot "$trace" --index 2>&1 || echo "exit $?"
quipu snapshot --index --every 10 "$trace" -o index 2>&1 || echo "exit $?"
quipu snapshot "$trace" --json -o copy.otf 2>&1 || echo "exit $?"
quipu snapshot "$trace" --inde 2>&1 || echo "exit $?"
quipu snapshot "$trace" 2>&1 || echo "exit $?"
ls
