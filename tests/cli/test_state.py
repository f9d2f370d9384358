"""quipu state --at against a second opinion: what is active by reading the events of quipu cat one by one."""
import glob
import json
import os
import random
import re
import subprocess
import unittest

import otf_text
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
DATA = os.path.join(SOURCE, "tests", "data")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
TIMES = 8


def run(*arguments):
    return subprocess.run([QUIPU, *arguments, "--quiet"], stdout=subprocess.PIPE, check=False).stdout


class Events:
    """The events of a trace in the order of time, and the names of its locations."""

    def __init__(self, trace):
        self.list = [json.loads(line) for line in run("cat", "--json", trace).splitlines()]
        self.names = {event["location"]: event["location_name"] for event in self.list}

    def process(self, location):
        """A thread is called by its process's name and its number."""
        return re.sub(r" thread \d+$", "", self.names.get(location, str(location)))


# Kinds that begin and end, and what ties them together: the first member that is known, or the first tuple that is.
KEYED = {
    "collective": ("collective_begin", "collective_end", ("matching",), ("region", "communicator")),
    "one_sided": ("rma_begin", "rma_end", ("window", "tag"), ()),
    "io_operation": ("io_begin", "io_end", ("matching",), ("file", "operation", "handle")),
    "file": ("io_open", "io_close", ("handle", "file"), ()),
}
SHARED_KEYS = ("one_sided", "io_operation")
VAGUE = ("io_operation", "file")  # one side may not know all


class State:
    """What is active, by lists that are searched from their ends."""

    def __init__(self, events):
        self.events = events
        self.calls = {}
        self.intervals = []  # (class, location, key, event)
        self.sent = {}
        self.received = {}

    def begin(self, name, event, key, replaces=True):
        if replaces:
            self.intervals = [t for t in self.intervals if t[:3] != (name, event["location"], key)]
        self.intervals.append((name, event["location"], key, event))

    def end(self, name, event, key):
        """Of the same location, with the same key or one that differs in what is not known; else of one of the same process."""
        process = self.events.process(event["location"])
        own = [t[2] for t in self.intervals if t[:2] == (name, event["location"])]
        if name in VAGUE and key not in own:
            key = next((k for k in reversed(own) if len(k) == len(key) and
                        all(a == b or None in (a, b) for a, b in zip(k, key))), key)
        for is_own in (True, False):
            for i in reversed(range(len(self.intervals))):
                interval = self.intervals[i]
                is_near = interval[1] == event["location"] if is_own else self.events.process(interval[1]) == process
                if interval[0] == name and interval[2] == key and is_near:
                    del self.intervals[i]
                    return

    def leave(self, event):
        stack = self.calls.setdefault(event["location"], [])
        if event["region"] is None:
            del stack[-1:]
            return
        for i in reversed(range(len(stack))):
            if stack[i]["region"] == event["region"]:
                del stack[i:]
                return

    def message(self, event):
        if event["peer"] is None:
            return
        here, there = (self.events.process(event[k]) for k in ("location", "peer"))
        if event["kind"] == "send":
            self.sent.setdefault((here, there, event["communicator"], event["tag"]), []).append(event)
        else:
            key = (there, here, event["communicator"], event["tag"])
            self.received[key] = self.received.get(key, 0) + 1

    def request(self, event):
        kind, number = event["kind"], event.get("request")
        if number is None:
            return
        if kind in ("send", "recv_post"):
            if kind == "recv_post":
                self.intervals = [t for t in self.intervals if t[:3] != ("request", event["location"], number)]
            else:
                self.intervals = [t for t in self.intervals if t[:3] != ("request", event["location"], number)
                               or t[3]["kind"] == "send"]
            self.begin("request", event, number, False)
        else:
            self.end("request", event, number)

    def keyed(self, event):
        for name, (begins, ends, known, otherwise) in KEYED.items():
            key = tuple(event.get(k) for k in known)
            key = key if key[0] is not None else tuple(event.get(k) for k in otherwise)
            if event["kind"] == begins and event.get("operation") != "put_remote_end":
                self.begin(name, event, key, name not in SHARED_KEYS)
            elif event["kind"] == ends:
                self.end(name, event, key)
        if event["kind"] == "io_end" and event["operation"] == "open":
            self.begin("file", event, (event["handle"], event["file"]))
        if event["kind"] == "io_end" and event["operation"] == "close":
            self.end("file", event, (event["handle"], event["file"]))

    def take(self, event):
        kind = event["kind"]
        if kind == "enter":
            self.calls.setdefault(event["location"], []).append(event)
        elif kind == "leave":
            self.leave(event)
        elif kind == "metric":
            self.begin("metric", event, event["metric"])
        if kind in ("send", "recv"):
            self.message(event)
        if kind in ("send", "recv_post", "send_complete", "recv", "cancel"):
            self.request(event)
        self.keyed(event)

    def rows(self):
        rows = [(self.events.names[location], "call", depth, event["time"], None)
                for location, stack in self.calls.items() for depth, event in enumerate(stack)]
        ids = {"request": "request", "collective": "matching", "io_operation": "matching", "file": "handle"}
        rows += [(self.events.names[t[1]], t[0], None, t[3]["time"], t[3].get(ids.get(t[0]))) for t in self.intervals]
        return sorted(rows, key=str)

    def messages(self):
        rows = []
        for key, sent in self.sent.items():
            left = sent[self.received.get(key, 0):]
            if left:
                rows.append((key[0], key[1], key[3], len(left), left[-1]["time"]))
        return sorted(rows, key=str)


def tables(trace, at, *options):
    answer = json.loads(run("state", trace, "--at", at, "--json", *options))["tables"]
    return [[dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]] for table in answer]


class StateAtATime(FolderTest):
    def assert_same(self, expected, trace, at, ticks):
        rows, messages = tables(trace, at)
        self.assertEqual(sorted(((r["location"], r["interval"], r["depth"], r["since"], r["id"]) for r in rows), key=str),
                         expected.rows(), f"{trace} at {at}")
        if ticks == 10 ** 9:
            self.assertEqual(sorted(((m["sender"], m["receiver"], m["tag"], m["messages"], m["last_ns"])
                                     for m in messages), key=str), expected.messages(), f"{trace} at {at}")

    def check(self, trace, seed=1):
        chance = random.Random(seed)
        events = Events(trace)
        if not events.list:
            return
        times = sorted({event["time"] for event in events.list if event["time"] < 2 ** 63 - 1})
        chosen = sorted(chance.sample(times, min(TIMES, len(times))))
        ticks = json.loads(run("info", "--json", trace))["time"]["ticks_per_second"]
        for time in chosen + [None]:
            state = State(events)
            for event in events.list:
                if time is None or event["time"] < time:  # in some traces times go back
                    state.take(event)
            self.assert_same(state, trace, "end" if time is None else str(time), ticks)
        if len(times) > 2:
            at = str(chosen[-1])
            self.assertEqual(tables(trace, at, "--threads", "3"), tables(trace, at))

    def test_state_in_small_traces(self):
        otf_text.write_example(self.path("t"))
        traces = [self.path("t.otf"), os.path.join(DATA, "otf", "small.otf"), os.path.join(DATA, "cli", "exchange.otf")]
        traces += sorted(glob.glob(os.path.join(DATA, "dumpi", "text", "*.bin")))
        self.assertGreater(len(traces), 5)
        for trace in traces:
            self.check(trace)

    def test_state_in_generated_traces(self):
        for name in ("otf", "dumpi"):
            self.check(self.generate(name))

    # needs: shared
    def test_state_in_shared_traces(self):
        if not os.path.isdir(SHARED):
            self.skipTest("no shared traces here")
        traces = sorted(glob.glob(os.path.join(SHARED, "dumpi", "*-ompi", "*.meta")))
        traces += sorted(glob.glob(os.path.join(SHARED, "otf", "[ceg]*", "*.otf")))
        self.assertGreater(len(traces), 20)
        for trace in traces:
            self.check(trace)

    # needs: shared
    def test_state_where_reads_know_their_handle_at_their_end(self):
        """In all-events-full.picl, at 0/10, the file is open from 400 to 510, and read from 460 to 500."""
        trace = os.path.join(SHARED, "picl", "all-events-full.picl")
        if not os.path.exists(trace):
            self.skipTest("no shared traces here")
        self.check(trace)
        active = {"455": {"file"}, "470": {"file", "io_operation"}, "505": {"file"}, "715": set()}
        for at, classes in active.items():
            rows = tables(trace, at, "--location", "0/10")[0]
            self.assertEqual({row["interval"] for row in rows} - {"call"}, classes, at)
        part = self.path("part.picl")
        subprocess.run([QUIPU, "cut", trace, "--since", "715", "--until", "806", "-o", part, "--quiet"], check=True)
        # The only call of 0/10 around the window is that of tracing, and no entry of the read (-251) begins again.
        with open(part, encoding="utf-8") as lines:
            entries = [line.split()[1] for line in lines if line.startswith("-3 ") and line.split()[3:5] == ["0", "10"]]
        self.assertEqual(entries, ["-901"])

    def generate(self, name):
        generate = os.path.join(BUILD, "bench", "generate")
        if not os.path.exists(generate):
            self.skipTest("bench/generate is not here")
        subprocess.run([generate, name, self.path(name), "--streams", "4", "--events", "3000"], check=True,
                       stdout=subprocess.DEVNULL)
        trace = self.path(name) + {"otf": ".otf", "dumpi": ".meta"}[name]
        subprocess.run([QUIPU, "index", trace, "--count", "20", "--quiet"], check=True)
        self.assertTrue(os.path.exists(trace + ".qpx"))
        return trace

    def times(self, trace):
        last = json.loads(run("info", "--json", trace))["time"]["last"]
        chance = random.Random(7)
        return [str(chance.randrange(last)) for _ in range(TIMES)] + ["0", str(last), str(last + 1)]

    def test_state_is_the_same_with_an_index(self):
        for name in ("otf", "dumpi"):
            trace = self.generate(name)
            for time in self.times(trace) + ["end"]:
                expected = run("state", trace, "--at", time, "--json", "--no-index")
                self.assertEqual(run("state", trace, "--at", time, "--json"), expected, time)
                self.assertEqual(run("state", trace, "--at", time, "--json", "--threads", "3"), expected, time)

    def cut(self, trace, name, suffix, *options):
        """The bytes of all files of a part."""
        folder = self.path(name)
        os.mkdir(folder)
        subprocess.run([QUIPU, "cut", trace, "-o", os.path.join(folder, "part" + suffix), "--quiet", *options], check=True)
        components = {}
        for file in sorted(os.listdir(folder)):
            with open(os.path.join(folder, file), "rb") as stream:
                components[file] = stream.read()
        return components

    def test_state_calls_of_a_cut_are_the_same_with_an_index(self):
        trace = self.generate("dumpi")
        for i, time in enumerate(self.times(trace)[:-1]):
            for suffix in (".otf", ".meta"):
                options = ["--since", time] + (["--location", "rank:1-2"] if i % 2 else [])
                name = f"{suffix}{i}"
                self.assertEqual(self.cut(trace, "with" + name, suffix, *options),
                                 self.cut(trace, "without" + name, suffix, *options, "--no-index"), time)


if __name__ == "__main__":
    unittest.main()
