# What is open at a time, in every style; the numbers can be read off the files in tests/data/cli.
trace=$DATA/cli/exchange.otf
quipu snapshot "$trace" --at 35
quipu snapshot "$trace" --at 55us --location 'rank 1'
quipu snapshot "$trace" --at end
quipu snapshot "$trace" --at 35 --csv --limit 1 | tr -d '\r'
quipu snapshot "$trace" --at 35 --location 1 --json -o at.json
sed -n '/"rows"/,$p' at.json
quipu snapshot "$trace" --at 35 --threads 2 | diff - <(quipu snapshot "$trace" --at 35)
quipu snapshot "$trace" --at noon 2>&1 || echo "exit $?"
quipu snapshot "$trace" --at 35 --location nobody 2>&1 || echo "exit $?"
quipu snapshot "$trace" --at 35 --every 10 2>&1 || echo "exit $?"
quipu snapshot "$trace" --json -o copy.otf 2>&1 || echo "exit $?"
quipu snapshot "$trace" 2>&1 || echo "exit $?"
