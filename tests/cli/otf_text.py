"""Reads OTF traces line by line, without any of Quipu: what tests of merging and cutting compare."""
import os
import zlib

KINDS = ("def", "events", "snaps", "stats", "marker")
STATES = ("events", "snaps", "stats")

# A trace of two processes with a call, a message, a file and operations on it that are open at various times.
DEFINITIONS = """DTR3b9aca00
DP1NM"first"
DP2NM"second"
DPG7M1,2,NM"world"
DFG9NM"group"
DF1G9NM"main"
DF2G9NM"inner"
DF3G9NM"other"
DCO4NM"barrier"Y1
DFLG8NM"disk"
DFL5NM"data"G8
DTRG0T3c
DAUX5Y0
DAUX14Y0
"""
# Times are hexadecimal: a = 10, 14 = 20, 1e = 30, 28 = 40, 32 = 50, 3c = 60.
FIRST = """0
*1
E1
5
*1
F5H3OP0B0D0
a
*1
E2
S2L64T9C7
COPB4H1C7RT0S0R0
FA2
14
*1
COPE1
1e
*1
FF5MI2H3OP2B8
L2
28
*1
E3
F5H3OP1B0D0
32
*1
L3
3c
*1
L1
"""
SECOND = """0
*2
E1
19
*2
E3
28
*2
R1L64T9C7
3c
*2
L3
L1
"""
MARKERS = 'MD6NM"mark"Y0\nMS6T5P1V"early"\nMS6T14P1V"one"\nMS6T14P2V"two"\n'


def write_example(stub):
    for suffix, text in ((".otf", "1:1\n2:2\n"), (".0.def", DEFINITIONS), (".1.events", FIRST), (".2.events", SECOND),
                         (".0.marker", MARKERS)):
        with open(stub + suffix, "w", encoding="ascii") as file:
            file.write(text)


def read(path):
    for name in (path, path + ".z"):
        if os.path.exists(name):
            with open(name, "rb") as file:
                data = file.read()
            return zlib.decompressobj().decompress(data) if name.endswith(".z") else data
    return None


def master(stub):
    """Stream -> processes."""
    lines = (read(stub + ".otf") or b"").decode().split()
    return {int(stream, 16): [int(process, 16) for process in processes.split(",")]
            for stream, processes in (line.split(":") for line in lines)}


def records(stub, stream, kind):
    """The records of a file as (time, process, lines): key-values go with their record."""
    time = process = None
    values, found = [], []
    for line in (read(f"{stub}.{stream:x}.{kind}") or b"").split(b"\n")[:-1]:
        first = line[:1]
        if kind in STATES and first in b"0123456789abcdef" and first:
            time = int(line, 16)
        elif kind in STATES and first == b"*":
            process = int(line[1:], 16)
        elif first == b"K" or line.startswith(b"KEYVALUE"):
            values.append(line)
        else:
            found.append((time, process, (*values, line)))
            values = []
    return found


def all_records(stub, kind):
    return [record for stream in [0, *sorted(master(stub))] for record in records(stub, stream, kind)]


def by_process(stub, kind):
    """Process -> its records, in their order."""
    found = {}
    for record in all_records(stub, kind):
        found.setdefault(record[1], []).append(record)
    return found
