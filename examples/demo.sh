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

if [ -n "${DEMO_WITHOUT_MPI-}" ] || ! command -v mpicc >/dev/null || ! command -v mpiexec >/dev/null; then
    say "With an MPI (Debian: openmpi-bin and libopenmpi-dev) this would now record a program."
    exit
fi
# Open MPI runs nothing as root, and no more ranks than there are processors, unless it is told to.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
say "Your own program is recorded as it is. This one has a rank that is slower than the others:"
try mpicc examples/slow_rank.c -o "$out/slow_rank"
try quipu record -o "$out/slow_rank.otf" -- mpiexec -n 3 "$out/slow_rank"

say "What does it lose time to, and whose fault is it?"
try quipu why "$out/slow_rank.otf"
