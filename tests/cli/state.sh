# What is active at a time, in every style; the numbers can be read off the files in tests/data/cli.
trace=$DATA/cli/exchange.otf
quipu state "$trace" --at 35
quipu state "$trace" --at 55us --location 'rank 1'
quipu state "$trace" --at end
quipu state "$trace" --at 35 --csv --limit 1 | tr -d '\r'
quipu state "$trace" --at 35 --location 1 --json -o at.json
sed -n '/"rows"/,$p' at.json
quipu state "$trace" --at 35 --threads 2 | diff - <(quipu state "$trace" --at 35)
quipu state "$trace" --at noon 2>&1 || echo "exit $?"
quipu state "$trace" --at 35 --location nobody 2>&1 || echo "exit $?"
quipu state "$trace" --at 35 --every 10 2>&1 || echo "exit $?"
quipu state "$trace" 2>&1 || echo "exit $?"
