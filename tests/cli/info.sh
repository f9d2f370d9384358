# One screen about a trace, the same as JSON, and several traces.
trace=$DATA/cli/exchange.otf
quipu info "$trace"
quipu "$trace" | diff - <(quipu info "$trace")
quipu info --json "$trace" | sed 's/"version": "[^"]*"/"version": "X"/'
cp "$DATA"/cli/exchange.* .
quipu info exchange.otf missing.otf exchange.otf 2>err || echo "exit $?"
cat err
# The index beside it.
quipu index exchange.otf --quiet
quipu info exchange.otf | grep '^index'
quipu info exchange.otf --no-index | grep -c '^index' || true
quipu info --json exchange.otf exchange.otf | wc -l
# A trace may be named without its suffix.
cd "$DATA/sweep/otf"
cmp <(quipu info ring.otf) <(quipu ring)
