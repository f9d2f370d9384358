"""Traces that are small and want to be much work: what is counted, nested, undefined, repeated, missing or packed.

A bomb is a row of BOMBS: a function of a size that gives the files of a trace, the first being the one to open. Each bomb of
OTF is also converted into every other format that is read and written, and every trace of tests/data/sweep is tried with
noise in its middle, so a new format joins with its line in SUFFIXES and its small trace in tests/data/sweep.
"""
import gzip
import json
import struct
import zlib

SUFFIXES = {"dumpi": "meta", "otf": "otf", "charisma": "ctrace"}

DEFINITIONS = b'DTRf4240\nDP1NM"one"\nDF1G0NM"f"\n'


def otf(events, definitions=DEFINITIONS, master=b"1:1\n"):
    return {"t.otf": master, "t.0.def": definitions, "t.1.events": b"5\n*1\n" + events + b"6\n*1\n"}


def fill(pattern, size):
    """Lines until there are so many bytes; {0} is their number in hexadecimal, from 2 on, {1} the same in decimal."""
    lines, length, number = [], 0, 2
    while length < size:
        lines.append(pattern.format(f"{number:x}", number).encode())
        length += len(lines[-1])
        number += 1
    return b"".join(lines)


def events(pattern):
    return lambda size: otf(fill(pattern, size))


def definitions(pattern):
    return lambda size: otf(b"", DEFINITIONS + fill(pattern, size))


def packed(pack):
    def files(size):
        trace = otf(b"\n" * size)
        trace["t.1.events.z"] = pack(trace.pop("t.1.events"))
        return trace
    return files


def countdown(size):
    times = range(size // 8, 0, -1)
    return otf(b"".join(b"%x\nE1\n" % time for time in times))


def sparse_keys(size):
    return otf(fill("K{0}Y5V1\n", size) + b"E1\n")


CHARISMA_HEADER = struct.pack("<IIH6xqqQQB3xi80siiiii4xd", 0x01234567, 1, 0, 760000000, 0, 0, 0, 100, 1, b"", 1, 1, 1,
                              4096, 1, 1e-9)


def opened(client, descriptor, file):
    return struct.pack("<H6xQi64s256s4xQi4xqqB7x", 6, 1, client, b"f", b"/", file, descriptor, 0, 0, 2)


def request(number, operation=4, client=1, descriptor=3, offset=0, size=512):
    return struct.pack("<H6xQQiB3xqiH2xqQqi4x", 9, 2, 3, descriptor, operation, number, -1, 1, offset, 0, size, client)


def charisma(record, head=b""):
    """Records of numbers that count from 2 on, as many as there is room for."""
    def files(size):
        count = max(size // len(record(2)), 1)
        return {"t.ctrace": CHARISMA_HEADER + head + b"".join(record(number) for number in range(2, count + 2))}
    return files


def request_of_application(size):
    entry = struct.pack("<qQqi4x", 0, 0, 1 << 40, 1)
    count = min(size // len(entry), 65535)
    return {"t.ctrace": CHARISMA_HEADER + request(0, 0)[:46] + struct.pack("<H", count) + entry * count}


def metafile(ranks):
    return lambda size: {"x.meta": b"hostname=h\nnumprocs=%d\nusername=u\nstartime=1\nfileprefix=x\n" % ranks}


OVNI_BEGIN = struct.pack("<B3sQiiQ", 15, b"OHx", 1, 0, -1, 0)
VERSIONS = {"ovni": "1.1.0", "nosv": "2.7.0", "nanos6": "1.1.0", "openmp": "1.2.1"}


def ovni_event(code, *numbers, clock=2):
    payload = struct.pack(f"<{len(numbers)}I", *numbers)
    return struct.pack("<B3sQ", len(payload) - 1 if payload else 0, code, clock) + payload


def ovni_jumbo(code, data, clock=2):
    return struct.pack("<B3sQI", 0x13, code, clock, len(data)) + data


def ovni_type(number, label=b"x"):
    return ovni_jumbo(b"VYc", struct.pack("<I", number) + label + b"\0")


def ovni(event, head=b"", **more):
    """Events of numbers that count from 2 on, as many as there is room for."""
    def files(size):
        count = max(size // len(event(2)), 1)
        document = {"lib": {"version": "1.14.0", "commit": ""}, "part": "thread", "tid": 1, "pid": 1, "loom": "n.0", "app_id": 1,
                    "require": VERSIONS, "loom_cpus": [{"index": 0, "phyid": 0}], "finished": 1}
        document.update({key: make(size) for key, make in more.items()})
        events = b"".join(event(number) for number in range(2, count + 2))
        return {"stream.obs": b"ovni\1\0\0\0" + OVNI_BEGIN + head + events,
                "stream.json": json.dumps({"version": 3, "ovni": document}).encode()}
    return files


def ovni_metadata(**more):
    """Metadata that are as large as there is room for."""
    return lambda size: {**ovni(lambda n: ovni_event(b"OHe"), **more)(1), "stream.json": ovni(lambda n: b"1", **more)(size)["stream.json"]}


def ovni_cpus(size):
    return [{"index": i, "phyid": i} for i in range(size // 25)]


def ovni_labels(size):
    return {"1": {"title": "m", "chan_type": "stack", "labels": {str(i): f"l{i}" for i in range(size // 15)}}}


def paraver(lines, names=b""):
    return {"t.prv": b"#Paraver (x):9_ns:0:1:1(2:1)\n" + lines, "t.pcf": names}


def names_that_types_share(size):
    types, values = fill("0 {1} t\n", size // 4), fill("{1} v\n", size // 4)
    return paraver(fill("2:1:1:1:1:{1}:{1}:1\n", size // 2), b"EVENT_TYPE\n" + types + b"VALUES\n" + values)


def messages_of_one_time(size):
    return paraver(fill("3:1:1:1:1:5:6:1:1:1:1:5:6:1:1\n", size // 2) + fill("2:1:1:1:1:6:50000001:1\n2:1:1:1:1:6:50000001:0\n", size // 2))


BOMBS = {
    "empty lines": events("\n"),
    "blank lines": events(" \n"),
    "lines of no record": events("?\n"),
    "lines of no record before a long one": lambda size: otf(b"?\n" * (size // 4) + b"x" * (size // 2) + b"\n"),
    "malformed lines": events("S1L\n"),
    "deep calls": events("E1\n"),
    "deep calls of many functions": events("E{0}\n"),
    "leaves alone": events("L1\n"),
    "undefined processes": events("*{0}\nE1\n"),
    "undefined counters": events("CNT{0}V1\n"),
    "messages that differ": events("S1L2T{0}C0\n"),
    "messages that do not": events("S1L2T0C0\n"),
    "receives without a send": events("R1L2T{0}C0\n"),
    "collectives that do not end": events("COPB1H{0}C1RT1S1R1\n"),
    "collectives that end only": events("COPE{0}\n"),
    "file operations that do not end": events("FOPB{0}\n"),
    "one-sided operations": events("TE{0}C1T1\n"),
    "time that goes back": countdown,
    "many keys of a record": sparse_keys,
    "one key of a record": events("K1Y5V1\n"),
    "source locations": events("E1X{0}\n"),
    "quotes without an end": events('#"{1}\n'),
    "a text without an end": lambda size: otf(b'#"' + fill("word {1}\n", size)),
    "texts that begin like records": lambda size: otf(b'#"' + fill("E{0} and so on\n", size) + b'"\n'),
    "one highest token": definitions('DFfffffffeG0NM"f{1}"\n'),
    "functions": definitions('DF{0}G0NM"f{1}"\n'),
    "functions of one name": definitions('DF{0}G0NM"f"\n'),
    "processes": definitions('DP{0}NM"p{1}"\n'),
    "processes within each other": lambda size: otf(
        b"", DEFINITIONS + b"".join(b'DP%xNM"p"PT%x\n' % (i, i - 1) for i in range(2, size // 14))),
    "groups": definitions('DPG{0}M1,1,1,NM"g{1}"\n'),
    "one group": lambda size: otf(b"", DEFINITIONS + b"DPG2M" + b"1," * (size // 2) + b'NM"g"\n'),
    "files": definitions('DFL{0}NM"/f{1}"\n'),
    "source files": definitions('DSF{0}NM"f{1}"\nDS{0}F{0}L1\n'),
    "counters": definitions('DC{0}NM"c{1}"P0UN"u{1}"\n'),
    "keys": definitions('DKV{0}T5NM"k{1}"DS"d{1}"\n'),
    "streams that are missing": lambda size: otf(b"", master=fill("{0}:{0}\n", size)),
    "shared files that are missing": lambda size: otf(b"", master=b"i1:1:ffffffff\n" + fill("{0}:{0}\n", size)),
    "processes of one stream": lambda size: otf(b"", master=b"1:" + fill("{0},", size) + b"\n"),
    "packed newlines": packed(lambda text: zlib.compress(text, 9)),
    "packed newlines, gzip": packed(lambda text: gzip.compress(text, 9, mtime=0)),
    "packed twice": packed(lambda text: zlib.compress(zlib.compress(text, 9), 9)),
    "clients that differ": charisma(lambda n: request(n, client=n)),
    "descriptors that differ": charisma(lambda n: opened(1, n, n)),
    "one descriptor opened again": charisma(lambda n: opened(1, 3, n)),
    "asynchronous requests that do not end": charisma(lambda n: request(n, 5)),
    "requests of any length": charisma(lambda n: request(n, size=1 << 60, offset=n << 40), opened(1, 3, 1)),
    "requests here and there": charisma(lambda n: request(n, offset=n * 7919 % 4096 * 1000), opened(1, 3, 1)),
    "requests of two clients over each other": charisma(
        lambda n: request(n, client=n % 2, offset=n % 3 * n * 100, size=n * 300), opened(0, 3, 1) + opened(1, 3, 1)),
    "one request of an application": request_of_application,
    "names that types of Paraver share": names_that_types_share,
    "messages of one time in Paraver": messages_of_one_time,
    "values of a stack": ovni(lambda n: ovni_event(b"VSh")),
    "values that were not pushed": ovni(lambda n: ovni_event(b"VSf")),
    "types of tasks": ovni(lambda n: ovni_type(n, b"t%d" % n)),
    "types of one label": ovni(ovni_type),
    "tasks that do not run": ovni(lambda n: ovni_event(b"VTc", n, 1), ovni_type(1)),
    "bodies of a task": ovni(lambda n: ovni_event(b"VTx", 1, n), ovni_type(1) + ovni_event(b"VTC", 1, 1)),
    "tasks within each other": ovni(lambda n: ovni_event(b"6Tc", n, 1) + ovni_event(b"6Tx", n),
                                    ovni_type(1).replace(b"VYc", b"6Yc")),
    "undefined tasks": ovni(lambda n: ovni_event(b"VTx", n, 0)),
    "moves of an unknown thread": ovni(lambda n: ovni_event(b"OAr", 0, n)),
    "events that are late": ovni(lambda n: ovni_event(b"KCO", clock=1 << 30 - n % 20), ovni_event(b"OU[", clock=1 << 31)),
    "clocks that go back": ovni(lambda n: ovni_event(b"OB.", clock=(1 << 40) - n)),
    "regions of late events": ovni(lambda n: ovni_event(b"OU[", clock=3 * n) + ovni_event(b"OB.", clock=n) + ovni_event(b"OU]", clock=3 * n + 1)),
    "jumbo events that are longer than the stream": ovni(lambda n: ovni_jumbo(b"OUj", b"")[:-4] + b"\xff\xff\xff\xff"),
    "empty jumbo events": ovni(lambda n: ovni_jumbo(b"OUj", b"")),
    "unknown models": ovni(lambda n: ovni_event(b"%c%c%c" % (33 + n % 90, 33 + n // 90 % 90, 33))),
    "labels of marks": ovni_metadata(mark=ovni_labels),
    "types of marks": ovni_metadata(mark=lambda size: {str(i): {"title": f"m{i}", "chan_type": "single"} for i in range(size // 45)}),
    "ranks of a metafile": metafile(16777216),
    "ranks of a metafile without files": metafile(4000),
}

# Not tried in other formats, where each of these locations would be a file.
LOCATIONS = {
    "CPUs of a loom": ovni_metadata(loom_cpus=ovni_cpus),
    "CPUs of one number": ovni_metadata(loom_cpus=lambda size: [{"index": 0, "phyid": 0}] * (size // 25)),
    "a CPU of a high number": ovni_metadata(loom_cpus=lambda size: [{"index": 2**31 - 1, "phyid": 2**31 - 1}]),
}

# What takes the place of the middle of a stream.
NOISE = {
    "zeros": lambda size: bytes(size),
    "ones": lambda size: b"\xff" * size,
    "small numbers": lambda size: bytes([0, 0, 0, 1]) * (size // 4),
    "newlines": lambda size: b"\n" * size,
    "bytes of a multiplier": lambda size: b"".join(
        (i * 0x9E3779B97F4A7C15 & (1 << 64) - 1).to_bytes(8, "big") for i in range(size // 8)),
}


def lines(*patterns):
    """A trace with each pattern so many times, one tick a line; {0} counts from 2 on."""
    def files(count):
        text, time = [], 7
        for pattern in patterns:
            for number in range(2, count + 2):
                text.append(f"{time:x}\n{pattern.format(f'{number:x}')}\n")
                time += 1
        return {"t.otf": b"1:1\n", "t.0.def": DEFINITIONS, "t.1.events": b"5\n*1\n" + "".join(text).encode()}
    return files


def with_counters(count):
    counters = "".join(f'DCNT{number:x}G0NM"c"P0U""\n' for number in range(2, count + 2)).encode()
    return {**lines("CNT{0}V1", "CNT{0}V2", "CNT{0}V3")(count), "t.0.def": DEFINITIONS + counters}


# Traces of so many intervals, most of which are active at a time.
ACTIVE = {
    "nested calls": lines("E1", "L1"),
    "undefined functions": lines("E{0}", "L{0}"),
    "messages in flight": lines("S1L8T{0}C0", "CNT1V1"),
    "equal messages in flight": lines("S1L8T1C0", "R1L8T1C0"),
    "counters": with_counters,
}


def defined(definition, *events, process="1"):
    """Traces with so many definitions, each of them used; the events of all formats that are not their own refer to them too."""
    def files(count):
        numbers = [f"{number:x}" for number in range(3, count + 3)]
        text, time = ["5\n*1\nS1L8T2C9\n"], 7
        for number in numbers:
            for event in events:
                text.append(f"{time:x}\n*{process.format(number)}\n{event.format(number)}\n")
                time += 1
        streams = ",".join(["1", *dict.fromkeys(process.format(number) for number in numbers if process != "1")])
        head = DEFINITIONS + b'DP2NM"two"\nDPG9M1,2,NM"world"\n'
        return {"t.otf": f"1:{streams}\n".encode(), "t.0.def": head + "".join(definition.format(number) for number in numbers).encode(),
                "t.1.events": "".join(text).encode()}
    return files


# Traces of so many definitions of a class.
DEFINED = {
    "functions": defined('DF{0}G0NM"f{0}"\n', "E{0}", "L{0}"),
    "functions of one name": defined('DF{0}G0NM"f"\n', "E{0}", "L{0}"),
    "functions of long names": defined('DF{0}G0NM"' + 512 * "f" + '{0}"\n', "E{0}", "L{0}"),
    "groups of functions": defined('DFG{0}NM"g{0}"\nDF{0}G{0}NM"f{0}"\n', "E{0}", "L{0}"),
    "counters": defined('DCNT{0}G0NM"c{0}"P0U""\n', "CNT{0}V1"),
    "communicators": defined('DPG1{0}M1,2,NM"c{0}"\n', "S1L8T2C1{0}"),
    "files": defined('DFL{0}NM"/f{0}"G0\n', "F{0}H{0}OP2B8D0"),
    "processes": defined('DP{0}NM"p{0}"\n', "E1", "L1", process="{0}"),
}

# Formats into which they are written, besides OTF.
DEFINED_SUFFIXES = ("meta", "ovni", "trf", "ctrace")
