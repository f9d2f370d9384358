"""Relations whose rows last from one time to another, where arithmetic says what they are: tasks of a trace that is written here, and waits as the
analysis lists them."""
import json
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "cli"))
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.abspath(os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu"))
DATA = os.path.abspath(os.path.join(SOURCE, "tests", "data"))

METADATA = {"version": 3, "ovni": {"lib": {"version": "1.14.0", "commit": "unknown"}, "part": "thread", "tid": 91, "pid": 90, "loom": "node.0", "app_id": 1,
                                   "require": {"ovni": "1.1.0", "nosv": "2.6.0"}, "loom_cpus": [{"index": 0, "phyid": 2}], "finished": 1}}


def event(time, code, *numbers, jumbo=None):
    """An event of ovni: its flags with the size of its numbers, its code, its time, and what it carries."""
    payload = struct.pack(f"<{len(numbers)}I", *numbers)
    if jumbo is not None:
        payload += jumbo.encode() + b"\0"
        return struct.pack("<B3sQI", 0x10 | 3, code.encode(), time, len(payload)) + payload
    return struct.pack("<B3sQ", max(len(payload) - 1, 0), code.encode(), time) + payload


def rows(relation, trace, *options):
    done = subprocess.run([QUIPU, "table", relation, trace, "--json", "--quiet", *options], stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Intervals(FolderTest):
    def trace_of_tasks(self, *events):
        """A thread of nOS-V with two tasks of the type "work"."""
        os.mkdir(self.path("run"))
        with open(self.path("run/stream.json"), "w", encoding="ascii") as file:
            json.dump(METADATA, file)
        with open(self.path("run/stream.obs"), "wb") as file:
            file.write(b"ovni" + struct.pack("<I", 1) + struct.pack("<B3sQiIQ", 15, b"OHx", 1000, 0, 0xffffffff, 0))
            for part in (event(1001, "VYc", 1, jumbo="work"), event(1002, "VTc", 5, 1), event(1003, "VTc", 6, 1), *events, event(1500, "OHe")):
                file.write(part)
        return self.path("run")

    def test_intervals_tasks_have_their_pauses(self):
        trace = self.trace_of_tasks(event(1010, "VTx", 5, 0), event(1020, "VTp", 5, 0), event(1025, "VTx", 6, 0), event(1035, "VTe", 6, 0),
                                    event(1040, "VTr", 5, 0), event(1100, "VTp", 5, 0), event(1130, "VTr", 5, 0), event(1200, "VTe", 5, 0))
        found = [[row[name] for name in ("task", "type", "begin_ns", "duration_ns", "paused_ns", "body")] for row in rows("tasks", trace)]
        begin = found[1][2]
        self.assertEqual([[6, "work", begin + 15, 10, 0, 0], [5, "work", begin, 190, 50, 0]], found)

    def test_intervals_without_an_end_have_no_duration(self):
        trace = self.trace_of_tasks(event(1010, "VTx", 5, 0), event(1020, "VTp", 5, 0))
        self.assertEqual([[5, None, None]], [[row["task"], row["duration_ns"], row["paused_ns"]] for row in rows("tasks", trace)])

    def test_intervals_waits_are_those_that_the_analysis_lists(self):
        count = 0
        for name in ("where/w.otf", "otf/small.otf", "sweep/dumpi/ring.meta", "sweep/picl/ring.picl", "sweep/charisma/ring.ctrace", "analysis/threads-outside"):
            trace = os.path.join(DATA, name)
            done = subprocess.run([QUIPU, "waits", trace, "--list", "--json", "--quiet"], stdout=subprocess.PIPE, check=False)
            table = next(table for table in json.loads(done.stdout)["tables"] if table["table"] == "instances")
            found = sorted(map(repr, (list(row.values()) for row in rows("waits_instances", trace))))
            self.assertEqual(sorted(map(repr, table["rows"])), found, name)
            count += len(found)
        self.assertGreater(count, 20)

    def test_intervals_of_collective_operations_wait_for_the_last_one(self):
        """In tests/data/otf/small.otf and a ring of picl: the wait of a member is what the analysis lists for the operation's communicator."""
        trace, waits = os.path.join(DATA, "sweep/picl/ring.picl"), 0
        listed = [row for row in rows("waits_instances", trace) if row["pattern"] in ("wait-at-barrier", "wait-at-nxn", "late-broadcast", "early-reduce")]
        for row in rows("collectives", trace):
            if row["wait_ns"]:
                waits += 1
                self.assertIn((row["location"], row["last"], row["wait_ns"]), [(wait["location"], wait["peer"], wait["time_ns"]) for wait in listed])
        self.assertEqual(len(listed), waits)
        self.assertGreater(waits, 1)

    def test_intervals_are_selected_by_their_beginnings_and_locations(self):
        trace = os.path.join(DATA, "sweep/charisma/ring.ctrace")
        everything = rows("io", trace)
        begins = sorted(row["begin_ns"] for row in everything)
        low, high = begins[len(begins) // 4], begins[3 * len(begins) // 4]
        for relation in ("io", "waits_instances", "collectives", "states", "tasks"):
            time = "from_ns" if relation == "waits_instances" else "begin_ns"
            expected = [row for row in rows(relation, trace) if low <= row[time] < high and row["location"] == "Client 1"]
            self.assertEqual(expected, rows(relation, trace, "--since", f"{low}ns", "--until", f"{high}ns", "--location", "Client 1"))
        self.assertTrue(expected is not None and len(everything) > 10)


if __name__ == "__main__":
    unittest.main()
