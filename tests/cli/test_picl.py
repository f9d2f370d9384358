"""Traces of other formats as PICL: ParaGraph's rules accept them, and as many messages and bytes go from each process to each."""
import glob
import json
import os
import subprocess
import unittest
from collections import Counter

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
OWN = os.path.join(SOURCE, "tests", "data")
TRACES = (sorted(glob.glob(os.path.join(SHARED, "otf", "*", "*.otf"))) +
          sorted({os.path.dirname(path) for path in glob.glob(os.path.join(SHARED, "dumpi", "*", "*.meta"))}) +
          [os.path.join(OWN, name) for name in ("sweep/otf/ring.otf", "sweep/dumpi/ring.meta", "cli/exchange.otf")])


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)


def messages_of(trace):
    """Messages and bytes from one process to another, however the processes are called: without their names as many of each."""
    done = quipu("comm", "--json", trace)
    if done.returncode not in (0, 3):
        return None
    table = next((table for table in json.loads(done.stdout)["tables"] if table["table"] == "pairs"), None)
    if not table:
        return Counter()
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    process, totals = processes_of(trace), {}
    for row in rows:
        pair = process.get(row["sender"], row["sender"]), process.get(row["receiver"], row["receiver"])
        messages, length = totals.get(pair, (0, 0))
        totals[pair] = messages + row["messages"], length + row["bytes"]
    return Counter(total for total in totals.values() if total[0])


def processes_of(trace):
    """{name of a thread: that of its process}: PICL has no threads, and pairs are of threads where these are ranks."""
    [table] = [table for table in json.loads(quipu("definitions", "--json", trace).stdout)["tables"] if table["table"] == "locations"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return {row["name"]: row["parent_name"] for row in rows if row["kind"] == "thread" and row["parent_name"]}


# Node 0 sends 64 and 32 bytes to node 1, which does not wait for the first, and then 8 bytes to all, which node 2 does not wait for.
OLD = """1 0 0 0 2 0 0
1 0 0 1 2 0 0
1 0 0 2 2 0 0
4 0 100 0 1 7 64
6 0 200 1 0 7 64
7 0 300 1 7
4 0 350 0 1 7 32
8 0 400 1 0 7 32
4 0 500 0 -1 9 8
6 0 600 2 0 9 8
7 0 610 1 9
8 0 620 1 0 9 8
"""
OLD_MESSAGES = Counter({(3, 104): 1, (1, 8): 1})  # from 0 to 1: 64 + 32 + 8 bytes; from 0 to 2: 8


class TestPicl(FolderTest):
    def accepted(self, trace):
        """Whether the trace becomes one that ParaGraph accepts; the messages are the same in any case."""
        copy = self.path("copy.picl")
        done = quipu("convert", "--to", "picl", "-o", copy, "--force", trace)
        self.assertIn(done.returncode, (0, 3), (trace, done.stderr))
        self.assertEqual(messages_of(copy), messages_of(trace), trace)
        return quipu("check", "--rules", "paragraph", copy)

    def test_messages_of_the_old_format_have_two_sides(self):
        trace = self.path("old.trc")
        with open(trace, "w", encoding="ascii") as file:
            file.write(OLD)
        self.assertEqual(messages_of(trace), OLD_MESSAGES)
        done = quipu("waits", "--json", trace)
        matching = next(table for table in json.loads(done.stdout)["tables"] if table["table"] == "matching")
        row = dict(zip([column["name"] for column in matching["columns"]], matching["rows"][0]))
        self.assertEqual((row["sends"], row["receives"], row["matched"]), (4, 4, 4))
        for name in ("new.picl", "copy.otf", "later.picl"):
            window = ("--since", "0s") if name == "later.picl" else ()  # from events, not from records
            done = quipu("convert", "-o", self.path(name), *window, trace)
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertEqual(messages_of(self.path(name)), OLD_MESSAGES, name)

    def test_times_that_go_back_become_the_latest_one_and_are_counted(self):
        trace, copy, report = self.path("back.otf"), self.path("back.picl"), self.path("report.json")
        for name, text in (("back.otf", "1:1\n"), ("back.0.def", "DTR3b9aca00\nDP1NM\"one\"\nDFG1NM\"all\"\nDF1G1NM\"f\"\nDF2G1NM\"g\"\n"),
                           ("back.1.events", "5\n*1\nE1\n2\nE2\n3\nL2\n9\nL1\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        done = quipu("convert", "--to", "picl", "-o", copy, "--report", report, trace)
        self.assertEqual(done.returncode, 3, done.stderr)  # times go back: damage
        with open(copy, encoding="ascii") as file:
            calls = [line.split() for line in file if line.startswith(("-3", "-4")) and " -901 " not in line]
        self.assertEqual([(call[0], call[2]) for call in calls],
                         [("-3", "0.000000005"), ("-3", "0.000000005"), ("-4", "0.000000005"), ("-4", "0.000000009")])
        with open(report, encoding="utf-8") as file:
            counts = {(record["type"], field["count"]) for record in json.load(file)["records"] for field in record["fields"]
                      if field["name"] == "*"}
        self.assertEqual(counts, {("Enter", 1), ("Leave", 1), ("DefFunctionGroup", 1)})  # PICL has no groups of functions

    def test_times_that_go_back_are_those_before_in_formats_that_forbid_them(self):
        trace = self.path("back.picl")
        with open(trace, "w", encoding="ascii") as file:
            file.write("-3 5 3.0 0 -1 0\n-3 6 2.0 0 -1 0\n-4 6 4.0 0 -1 0\n-4 5 5.0 0 -1 0\n"
                       "-101 -1 4.5 0 -1 2 \"%d%lf\" 5 2.0\n")
        for target, suffix in (("otf", "otf"), ("otf2", "otf2"), ("paraver", "prv")):
            copy, report = self.path("copy." + suffix), self.path(target + ".json")
            done = quipu("convert", "--to", target, "-o", copy, "--report", report, trace)
            self.assertEqual(done.returncode, 0, (target, done.stderr))
            with open(report, encoding="utf-8") as file:
                approximated = [record for record in json.load(file)["records"] if record.get("approximated")]
            self.assertTrue(approximated, target)
            self.assertEqual(quipu("check", copy).returncode, 0, target)
            lines = quipu("cat", "--kind", "enter,leave", "--fields", "time", copy).stdout.decode().split("\n")
            times = [float(line.strip().rstrip("s")) for line in lines if line]
            self.assertEqual([time - times[0] for time in times], [0, 0, 1, 2], target)

    def test_indexes_hold_records_that_share_a_line_of_a_file_without_order(self):
        """Processes are read one by one there; the lines of each end in the middle of lines with several records, or with one of the old
        format that says two times."""
        for text, calls in (("-3 5 1.0 0 -1 0\n-4 5 4.0 0 -1 0 -3 5 2.0 1 -1 0 -3 6 4.5 0 -1 0\n-4 5 3.0 1 -1 0 -4 6 5.0 0 -1 0\n",
                             {("0/-1", "event 5"): 3e9, ("0/-1", "event 6"): 5e8, ("1/-1", "event 5"): 1e9}),
                            ("1 0 0 0 2 0 0\n1 0 0 1 2 0 0\n24 0 100 0 0 500\n24 0 200 1 0 400\n19 0 600 0 0\n19 0 600 1 0\n",
                             {("0/-1", "tracing"): 6e5, ("1/-1", "tracing"): 6e5, ("0/-1", "tracelevel"): 0, ("1/-1", "tracelevel"): 0,
                              ("0/-1", "tracefiles"): 4e5, ("1/-1", "tracefiles"): 2e5})):
            trace = self.path("lines.picl")
            with open(trace, "w", encoding="ascii") as file:
                file.write(text)
            for command in ("index", "remove"):
                if command == "index":
                    done = quipu("index", trace)
                    self.assertEqual(done.returncode, 0, (text, done.stderr))
                else:
                    os.remove(trace + ".qpx")
                table = json.loads(quipu("profile", "--json", trace).stdout)
                names = [column["name"] for column in table["columns"]]
                rows = [dict(zip(names, row)) for row in table["rows"]]
                self.assertEqual({(row["location"], row["region"]): row["inclusive_ns"] for row in rows}, calls, (text, command))
                self.assertTrue(all(row.get("unfinished") in (0, None) for row in rows), (text, command))

    def test_traces_of_other_formats_become_traces_that_paragraph_accepts(self):
        compared = 0
        for trace in filter(os.path.exists, TRACES):
            done = self.accepted(trace)
            self.assertEqual(done.returncode, 0, (trace, done.stdout))
            compared += bool(messages_of(trace))
        self.assertGreater(compared, 2)

    def test_processes_stay_apart_in_ovni(self):
        """Node n has process n; no process of ovni may be called 0, and the number that it gets in place is not that of another one."""
        trace, copy = self.path("numbered.picl"), self.path("copy.ovni")
        with open(os.path.join(OWN, "sweep/picl/ring.picl"), encoding="ascii") as file, open(trace, "w", encoding="ascii") as numbered:
            for line in file:
                words = line.split(" ")
                numbered.write(" ".join([*words[:4], words[3], *words[5:]]))
        self.assertTrue(messages_of(trace))
        done = quipu("convert", "--to", "ovni", "-o", copy, trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(quipu("check", copy).returncode, 0)
        self.assertEqual(messages_of(copy), messages_of(trace))

    def test_values_that_are_no_numbers_are_dropped_and_counted(self):
        """PICL has no spelling for them: of three doubles (NaN, +infinity and 0x4072c40000000000 = 300.25) the last is left."""
        for name, text in {"t.otf": "1:1\n", "t.0.def": 'DTR3b9aca00\nDP1NM"only"\nDCG1NM"set"\nDCNT1G1NM"load"P12dU"K"\n',
                           "t.1.events": "1\n*1\nCNT1V7ff8000000000000\nCNT1V7ff0000000000000\nCNT1V4072c40000000000\n"}.items():
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        done = subprocess.run([QUIPU, "convert", self.path("t.otf"), "-o", self.path("t.picl")], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stderr, "Counter: 1 approximated, 2 dropped")
        with open(self.path("t.picl"), encoding="ascii") as file:
            self.assertEqual(["300.250000"], [line.split()[-1] for line in file if line.split()[5:7] == ["1", "5"]])
        self.assertEqual(0, quipu("check", self.path("t.picl")).returncode)


if __name__ == "__main__":
    unittest.main()
