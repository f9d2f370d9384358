#!/usr/bin/env bash
# A short walk through the command, on a trace of a real MPI program. "make demo" builds what it needs first.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${QUIPU_BUILD:-build}
trace=examples/traces/phases
out=${DEMO_OUT:-$build/demo}
bold= plain=
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() {
    printf '\n%s\n' "$*"
}

try() { # COMMAND...: shows it, then runs it
    printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
    PATH=$build:$PATH "$@"
}

rm -rf "$out"
mkdir -p "$out"

say "What is this? A trace of an MPI program on three ranks, in the format of its recorder."
try quipu info $trace

say "Where did the time go? Calls, times and bytes of every function, the most expensive first."
try quipu profile $trace --by region --limit 12

say "Is it sound?"
try quipu check $trace

say "Other tools read other formats. What a conversion cannot keep, it says."
try quipu convert $trace -o $out/phases.otf
try quipu info $out/phases.otf

say "And as a timeline in a browser:"
try quipu convert $trace -o $out/phases.perfetto-trace

say "Open $out/phases.perfetto-trace in https://ui.perfetto.dev to look around."
