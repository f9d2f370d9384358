"""Reads OTF traces line by line, without any of Quipu: what tests of merging and cutting compare."""
import os
import zlib

KINDS = ("def", "events", "snaps", "stats", "marker")
STATES = ("events", "snaps", "stats")


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
