"""Places in source code that calls are made from: read from OTF and OTF2, kept in conversions, and rows of a profile.

Two processes; times are hexadecimal. The first one sends from solver.c:214 at 10-30 and 50-53, and from util.h:12, in pack, which is inlined
into solver.c:300, at 40-45; the second one receives at 5-35, from solver.c:300. main lasts from 0 to 100 at both, from no known place."""
import json
import os
import shutil
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
DEFINITIONS = """DTR3b9aca00
DP1NM"first"
DP2NM"second"
DFG1NM"MPI"
DFG2NM"Application"
DSF1NM"src/solver.c"
DSF2NM"util.h"
DS1F1LNd6
DK7YbNM"function"T""
DK8Y6NM"caller"T""
K7YbV7061636bL4
K8Y6V3
DS2F2LNc
DS3F1LN12c
DF1G1NM"MPI_Send"
DF2G1NM"MPI_Recv"
DF3G2NM"main"
"""
FIRST = "0\n*1\nE3\na\n*1\nE1X1\nS2L64T5C0X1\n1e\n*1\nL1X1\n28\n*1\nE1X2\nS2L64T5C0X2\n2d\n*1\nL1\n32\n*1\nE1X1\nS2L64T5C0X1\n35\n*1\nL1\n" \
        "64\n*1\nL3\n"
SECOND = "0\n*2\nE3\n5\n*2\nE2X3\n23\n*2\nR1L64T5C0\nL2\n64\n*2\nL3\n"
COLUMNS = ("callsite", "function", "callers", "file", "region", "calls", "exclusive_ns", "bytes_sent")
WHOLE = [("solver.c:214", None, None, "src/solver.c", "MPI_Send", 2, 23, 200),
         ("solver.c:300", None, None, "src/solver.c", "MPI_Recv", 1, 30, 0),
         ("util.h:12", "pack", " (solver.c:300)", "util.h", "MPI_Send", 1, 5, 100),
         (None, None, None, None, "main", 2, 142, 0)]  # 200 - 30 - 23 - 5


def run_quipu(*words):
    done = subprocess.run([QUIPU, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def profile(trace, *options):
    code, out, err = run_quipu("profile", trace, "--by", "callsite", "--json", *options)
    assert code == 0, err
    table = json.loads(out)
    names = [column["name"] for column in table["columns"]]
    return sorted((tuple(row[names.index(name)] for name in COLUMNS) for row in table["rows"]), key=lambda row: (row[0] is None, row[0] or ""))


class CallSites(FolderTest):
    def setUp(self):
        super().setUp()
        for name, text in (("t.otf", "1:1\n2:2\n"), ("t.0.def", DEFINITIONS), ("t.1.events", FIRST), ("t.2.events", SECOND)):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        self.trace = self.path("t.otf")

    def test_rows_are_places_and_regions(self):
        self.assertEqual(WHOLE, profile(self.trace))
        self.assertEqual(WHOLE, profile(self.trace, "--threads", "2"))

    def test_a_window_has_its_part(self):
        # from 20 to 42: of the first send 10, of the one in pack 2, of the receive 15, of main 20-5-... = 22+22-10-2-15
        rows = {row[0]: row[5:7] for row in profile(self.trace, "--since", "20ns", "--until", "42ns")}
        self.assertEqual({"solver.c:214": (0, 10), "util.h:12": (1, 2), "solver.c:300": (0, 15), None: (0, 17)}, rows)

    def test_calls_of_some_regions(self):
        self.assertEqual(WHOLE[1:2], profile(self.trace, "--within", "MPI_Recv"))

    def test_waits_name_them(self):
        # the receive waits for the send, which begins at 10, from 5 on
        table = self.table("waits", self.trace)
        self.assertEqual([("late-sender", "second", "MPI_Recv", "solver.c:300", "first", 5, "main > MPI_Recv (solver.c:300)")],
                         [tuple(row[name] for name in ("pattern", "location", "region", "callsite", "peer", "time_ns", "path")) for row in table])
        self.assertEqual([(None, "solver.c:300", 5)], [(row["region"], row["callsite"], row["time_ns"])
                                                       for row in self.table("waits", self.trace, "--by", "callsite")])
        self.assertEqual(["solver.c:300"], [row["callsite"] for row in self.table("waits", self.trace, "--list")])

    def test_why_names_them(self):
        spent = {(row["kind"], row["region"], row["callsite"]): row["time_ns"] for row in self.table("why", self.trace, name="spent")}
        # of the receive 25 are not waiting; the sends take 23 and 5
        self.assertEqual({("unexplained", "MPI_Recv", "solver.c:300"): 25, ("unexplained", "MPI_Send", "solver.c:214"): 23,
                          ("unexplained", "MPI_Send", "util.h:12"): 5}, {key: time for key, time in spent.items() if key[0] == "unexplained"})
        self.assertIn("in MPI_Send at solver.c:214", run_quipu("why", self.trace)[1])

    def table(self, *words, name=None):
        code, out, err = run_quipu(*words, "--json")
        self.assertEqual(0, code, err)
        answer = json.loads(out)
        tables = {table["table"]: table for table in answer.get("tables", [answer])}
        table = tables[name] if name else next(iter(tables.values()))
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def test_conversions_keep_them(self):
        steps = [("a.otf2", "the writer of OTF2"), ("b.otf", "both readers")]
        trace = self.trace
        for name, what in steps:
            code, _, err = run_quipu("convert", trace, "-o", self.path(name))
            if code == 4 and "libotf2" in err:
                self.skipTest("built without libotf2")
            self.assertEqual((0, True), (code, "lossless" in err), err)
            trace = self.path(name)
            if name.endswith(".otf2") and run_quipu("info", trace)[0] != 0:
                self.skipTest("built without libotf2")
            self.assertEqual(WHOLE, profile(trace), what)

    def test_merged_traces_keep_them(self):
        shutil.copytree(self.folder, self.path("other"))
        code, _, err = run_quipu("merge", self.trace, self.path("other/t.otf"), "-o", self.path("m.otf"))
        self.assertEqual(0, code, err)
        twice = [(*row[:5], *(2 * value for value in row[5:])) for row in WHOLE]
        found = {}
        for row in profile(self.path("m.otf")):  # definitions of several traces stay apart
            known = found.setdefault(row[:5], [0, 0, 0])
            found[row[:5]] = [a + b for a, b in zip(known, row[5:])]
        self.assertEqual({row[:5]: list(row[5:]) for row in twice}, found)

    @unittest.skipUnless(shutil.which("otf2-print"), "no otf2-print")
    def test_otf2_print_names_them(self):
        self.assertEqual(0, run_quipu("convert", self.trace, "-o", self.path("a.otf2"))[0])
        done = subprocess.run(["otf2-print", self.path("a.otf2/traces.otf2")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=True)
        lines = done.stdout.decode().splitlines()
        entered = [(line.split('"')[1], lines[i + 1].rsplit("; ", 1)[-1].split('"')[1]) for i, line in enumerate(lines[:-1])
                   if line.startswith("ENTER") and "ADDITIONAL" in lines[i + 1]]
        self.assertEqual([("MPI_Recv", "src/solver.c:300"), ("MPI_Send", "src/solver.c:214"), ("MPI_Send", "pack@util.h:12"),
                          ("MPI_Send", "src/solver.c:214")], entered)
        self.assertEqual("", done.stderr.decode())

    def test_other_formats_report_their_loss(self):
        code, _, err = run_quipu("convert", self.trace, "-o", self.path("a.meta"))
        self.assertEqual((0, True), (code, "DefScl: 0 approximated, 3 dropped" in err), err)

    def test_a_trace_without_them_says_so(self):
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write(FIRST.replace("X1", "").replace("X2", ""))
        with open(self.path("t.2.events"), "w", encoding="ascii") as file:
            file.write(SECOND.replace("X3", ""))
        code, out, err = run_quipu("profile", self.trace, "--by", "callsite")
        self.assertEqual((0, True), (code, "no call says where it was made" in out + err), out + err)


if __name__ == "__main__":
    unittest.main()
