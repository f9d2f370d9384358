# Where the time goes, in every style; the numbers can be added up from the files in tests/data/cli.
trace=$DATA/cli/exchange.otf
quipu profile "$trace"
quipu profile --by region --sort region "$trace"
quipu profile --by region --sort calls --limit 1 --csv "$trace" | tr -d '\r'
quipu profile --location 'rank 1' --since 20 --until 50 "$trace"
quipu profile --json --limit 2 "$trace" | sed -n '/"rows"/,$p'
COLUMNS=60 quipu profile --color always "$trace" | head -1 | od -An -c | head -1
quipu profile --sort nonsense "$trace" 2>&1 || echo "exit $?"
quipu profile --threads 2 "$trace" | diff - <(quipu profile "$trace")
quipu profile --threads 0 "$trace" | diff - <(quipu profile "$trace")
quipu profile --threads two "$trace" 2>&1 || echo "exit $?"
