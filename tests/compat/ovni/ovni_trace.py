"""Small ovni traces, event by event, as the format's description has them."""
import copy
import json
import struct

VERSIONS = {"ovni": "1.1.0", "nanos6": "1.1.0", "nosv": "2.7.0", "nodes": "1.0.0", "tampi": "1.0.0", "mpi": "1.0.0",
            "kernel": "1.0.0", "openmp": "1.2.1"}


def event(mcv, clock, fmt="", *values):
    """A normal event; fmt as for struct, without byte order."""
    payload = struct.pack("<" + fmt, *values)
    return struct.pack("<B3sQ", len(payload) - 1 if payload else 0, mcv.encode(), clock) + payload


def jumbo(mcv, clock, data):
    return struct.pack("<B3sQI", 0x13, mcv.encode(), clock, len(data)) + data


def task_type(mcv, clock, number, label):
    return jumbo(mcv, clock, struct.pack("<I", number) + label.encode() + b"\0")


def begin(clock, cpu=0):
    return event("OHx", clock, "iiQ", cpu, -1, 0)


def end(clock):
    return event("OHe", clock)


def metadata(tid, pid=10, loom="node.0", cpus=1, models=("ovni",), **more):
    ovni = {"lib": {"version": "1.14.0", "commit": "unknown"}, "part": "thread", "tid": tid, "pid": pid, "loom": loom,
            "app_id": 1, "require": {model: VERSIONS[model] for model in models},
            "loom_cpus": [{"index": i, "phyid": i} for i in range(cpus)], "finished": 1}
    if not cpus:
        del ovni["loom_cpus"]
    ovni.update(copy.deepcopy(more))
    return {"version": 3, "ovni": {key: value for key, value in ovni.items() if value is not None}}


HEADER = b"ovni" + struct.pack("<I", 1)


def write(folder, *threads):
    """Threads are pairs of metadata and events (bytes, or a list of them)."""
    for document, events in threads:
        ovni = document.get("ovni", {})
        name = f"loom.{ovni.get('loom')}/proc.{ovni.get('pid')}/thread.{ovni.get('tid')}"
        target = folder / name
        target.mkdir(parents=True, exist_ok=True)
        (target / "stream.json").write_text(json.dumps(document, indent=4))
        (target / "stream.obs").write_bytes(events if isinstance(events, bytes) else HEADER + b"".join(events))
    return folder
