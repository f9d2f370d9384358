"""The steps of Pipit from an OTF2 archive to a flat profile, with python3-otf2: pipit_steps.py ARCHIVE [read].

Each event becomes a row of columns (time, kind, name, process, attributes), enters and leaves are matched, and exclusive times are added up by name. Lists take
the place of frames, whose cost is left out. With "read" it ends when the columns are there."""
import collections
import sys

import otf2


def read(path):
    times, kinds, names, processes, attributes = [], [], [], [], []
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            kind = type(event).__name__
            times.append(event.time)
            kinds.append(kind)
            names.append(event.region.name if kind in ("Enter", "Leave") else "N/A")
            processes.append(location.group.name)
            attributes.append({name: value for name, value in vars(event).items() if name not in ("time", "region", "attributes")} if kind not in ("Enter", "Leave") else None)
    return times, kinds, names, processes


def flat_profile(times, kinds, names, processes):
    stacks, exclusive = collections.defaultdict(list), collections.Counter()
    for at, kind in enumerate(kinds):
        stack = stacks[processes[at]]
        if kind == "Enter":
            stack.append([times[at], 0])
        elif kind == "Leave" and stack:
            begin, inside = stack.pop()
            exclusive[names[at]] += times[at] - begin - inside
            if stack:
                stack[-1][1] += times[at] - begin
    return exclusive


columns = read(sys.argv[1])
if len(sys.argv) < 3:
    print(flat_profile(*columns).most_common(3))
