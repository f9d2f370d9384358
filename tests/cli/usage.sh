# What happens on the first mistake: one line that says what is wrong, one that helps, exit code 2 or 4.
try() {
    echo "\$ quipu $*"
    quipu "$@" 2>&1 || echo "exit $?"
}
try fromats
try cat
try cat --lmit 4 run.trace
try cat --limit run.trace
try cat --limit many run.trace
try replay --latency 1us run.trace
try cat -n
try cat -Z run.trace
try cat --json=yes run.trace
try cat --records --kind send run.trace
try profile --by moon run.trace
try profile --json --csv run.trace
try profile --table x run.trace
try schema ''
try help inof
try formats one
try generate cake
try info missing.trace
try missing.trace
try convert run.trace
try convert run.trace -o out.unknown | sed 's|use --to .*|use --to …|' # that list grows with the formats
try convert run.trace --to moon -o out | grep -v 'it can be' # that list grows with the formats
try convert --explain run.trace
