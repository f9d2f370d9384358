"""Conversion reports: what becomes of records is what becomes of their events, and what only the spelling of a file says is no loss."""
import collections
import json
import os
import pathlib
import subprocess
import unittest

import programs
from folder import FolderTest

SHARED = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "..", "shared", "traces")
OUTCOMES = ("exact", "respelled", "approximated", "dropped")
MINIMAL = ("-3 -901 0.000001 0 -1 0\n-3 7 0.000002 0 -1 0\n-2 -21 0.000003 0 -1 3 2 10 7 1\n-4 7 0.000004 0 -1 0\n"
           "-4 -901 0.000005 0 -1 0\n-3 -901 0.000001 1 -1 0\n-4 -901 0.000005 1 -1 0\n")


class Reports(FolderTest):
    def run_convert(self, *arguments, code=0):
        done = subprocess.run([programs.QUIPU, "convert", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def report(self, trace, target, *options):
        """By type: how many records have each outcome, and the fields; of the conversion and of what is said beforehand."""
        path = self.path("report.json")
        self.run_convert("-q", "--force", trace, "--to", target, "-o", self.path("out"), "--report", path, *options)
        texts = [pathlib.Path(path).read_text(encoding="utf-8")]
        texts.append(self.run_convert("-q", trace, "--to", target, "--explain", "--json", *options).stdout)
        reports = []
        for text in texts:
            found = json.loads(text)
            for row in [*found["records"], found["totals"]]:
                self.assertEqual(row["total"], sum(row[name] for name in OUTCOMES), row)
            reports.append({row["type"]: row for row in found["records"]})
        return reports

    def outcomes(self, row):
        return tuple(row[name] for name in OUTCOMES)

    def test_reports_say_beforehand_what_the_conversion_says(self):
        """Also what a target finds out only when it writes: times between its own, numbers that are too large, calls that it cannot name."""
        sweep = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "tests", "data", "sweep")
        for trace in (sweep / "charisma/ring.ctrace", sweep / "dumpi/ring.meta", sweep / "otf/ring.otf", sweep / "ovni", sweep / "picl/ring.picl"):
            for target in ("otf", "otf2", "dumpi", "picl", "ovni", "charisma", "paraver", "chrome", "perfetto", "goal"):
                self.run_convert("-q", trace, "--to", target, "-o", self.path("out"), "--dry-run", "--report", self.path("report.json"), "--force")
                report = pathlib.Path(self.path("report.json")).read_text(encoding="utf-8")
                self.assertEqual(report, self.run_convert("-q", trace, "--to", target, "--explain", "--json").stdout, (trace, target))

    # ---- Definitions ----

    RECORDS_OF = {"locations": "DefProcess", "regions": "DefFunction", "groups": "DefProcessGroup", "communicators": "DefProcessGroup", "files": "DefFile",
                  "metrics": "DefCounter", "markers": "DefMarker", "attribute_keys": "DefKeyValue", "sources": "DefScl"}

    def test_reports_say_which_definitions_are_gone(self):
        """What is not among the definitions of the copy is not exact, nor is a definition that has lost a text, nor the record that gave it."""
        trace = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "tests", "data", "otf", "small.otf")
        before = programs.tables("definitions", str(trace))
        checked = set()
        for target, name in (("otf2", "out.otf2"), ("otf", "out.otf"), ("ovni", "out"), ("picl", "out.picl"), ("dumpi", "out.meta"), ("charisma", "out.ctrace"), ("paraver", "out.prv")):
            report = self.path("report.json")
            self.run_convert("-q", "--force", trace, "--to", target, "-o", self.path(name), "--report", report)
            rows = {row["type"]: row for row in json.loads(pathlib.Path(report).read_text(encoding="utf-8"))["records"]}
            behind = programs.tables("definitions", self.path(name))
            for plural, record in self.RECORDS_OF.items():
                key = "file" if plural == "sources" else "name"
                copies = {row[key]: row for row in behind.get(plural, [])}
                for row in before.get(plural, []):
                    copy = copies.get(row[key])
                    is_known = target in ("picl", "dumpi") and (plural, row[key][:9]) == ("communicators", "MPI_COMM_")  # by what it is
                    is_known |= target == "dumpi" and plural == "attribute_keys"  # it has those that are called as its arguments, where events use them
                    if copy is None and not is_known:
                        self.assertLess(rows[record]["exact"], rows[record]["total"], (target, plural, row))
                        checked.add((target, plural))
                    for field in ("group", "unit"):
                        is_role = plural == "regions" and row["role"].startswith("mpi")  # says the same
                        if copy and row.get(field) and copy[field] != row[field] and not is_role:
                            self.assertIn(field, [lost["name"] for lost in rows[record]["fields"]], (target, plural, row))
                            self.assertIn(record + "Group", [kind for kind in rows if rows[kind]["dropped"]] + ["DefCounterGroup"] * (field == "unit"))
                            checked.add((target, plural, field))
            if target == "otf":
                self.assertEqual([], [row for row in rows.values() if row["exact"] < row["total"]])
        for expected in (("otf2", "metrics", "group"), ("otf2", "files", "group"), ("paraver", "metrics", "unit"), ("paraver", "files"), ("picl", "locations"),
                         ("dumpi", "locations"), ("charisma", "files", "group"), ("paraver", "regions", "group")):
            self.assertIn(expected, checked)

    def test_reports_count_no_texts_that_come_back(self):
        """DUMPI's functions of MPI are of the group MPI, whoever says so, its processes are called by their ranks, its communicators by what made them."""
        trace = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "tests", "data", "sweep", "dumpi", "ring.meta")
        self.run_convert("-q", trace, "-o", self.path("t.otf"))
        for rows in self.report(self.path("t.otf"), "dumpi"):
            self.assertEqual((2, 2), (rows["DefProcess"]["exact"], rows["DefProcess"]["total"]))
            for name in ("DefFunctionGroup", "DefFunction", "DefProcess", "DefProcessGroup"):
                self.assertEqual(rows[name]["total"], rows[name]["exact"], rows[name])
        for target in ("charisma", "goal"):  # they have no functions
            for rows in self.report(self.path("t.otf"), target):
                for name in ("DefFunction", "DefFunctionGroup"):
                    self.assertEqual(rows[name]["total"], rows[name]["dropped"], target)

    # ---- Spelling ----

    def test_reports_count_what_is_only_respelled_apart(self):
        """All of the trace has a place in OTF but for how its numbers were described."""
        trace = self.path("t.picl")
        pathlib.Path(trace).write_text(MINIMAL, encoding="ascii")
        for rows in self.report(trace, "otf"):
            self.assertEqual({name: self.outcomes(row) for name, row in rows.items()},
                             {"mark": (0, 1, 0, 0), "entry": (0, 3, 0, 0), "exit": (0, 3, 0, 0)})
            self.assertEqual({(row["how"], field["name"], field["how"]) for row in rows.values() for field in row["fields"]},
                             {("respelled", "descriptor", "respelled")})
        done = self.run_convert("--force", trace, "-o", self.path("t.otf"), "--fail-on-loss")
        self.assertIn("7 records, lossless, 7 records respelled", done.stderr)

    # ---- DUMPI ----

    def converted(self, trace):
        """The outcomes of what really was converted."""
        return {name: self.outcomes(row) for name, row in self.report(trace, "dumpi")[0].items() if name in ("Enter", "Leave", "mark")}

    def test_reports_count_times_that_are_no_whole_nanoseconds(self):
        """Of a clock of 2 GHz: ticks 1 and 4 are 0.5 and 2 ns, of which DUMPI holds one."""
        for name, text in (("t.otf", "1:1\n"), ("t.0.def", 'DTR77359400\nDP1NM"rank 0"\nDFG9NM"code"\nDF1G9NM"work"\n'), ("t.1.events", "1\n*1\nE1\n4\n*1\nL1\n")):
            pathlib.Path(self.path(name)).write_text(text, encoding="ascii")
        self.assertEqual({"Enter": (0, 0, 1, 0), "Leave": (1, 0, 0, 0)}, self.converted(self.path("t.otf")))
        self.run_convert(self.path("t.otf"), "--to", "dumpi", "-o", self.path("other"), "--fail-on-loss", code=1)

    def test_reports_count_attributes_of_functions(self):
        """A send of PICL is a function with a message in it; its length, type and receiver are attributes of the function, which in DUMPI has none."""
        trace = self.path("t.picl")
        pathlib.Path(trace).write_text(MINIMAL, encoding="ascii")
        self.assertEqual({"mark": (0, 0, 1, 0)}, self.converted(trace))
        self.run_convert(trace, "--to", "dumpi", "-o", self.path("other"), "--fail-on-loss", code=1)

    # ---- Kinds ----

    def test_reports_name_only_events_that_there_are(self):
        """The exits of this trace end calls, and never a transfer, an operation or a send."""
        trace = self.path("t.picl")
        pathlib.Path(trace).write_text(MINIMAL, encoding="ascii")
        for rows in self.report(trace, "charisma"):
            self.assertEqual({name: [(field["how"], field["why"]) for field in row["fields"]] for name, row in rows.items()},
                             {"mark": [("dropped", "CHARISMA has no equivalent of enter, leave, send")],
                              "entry": [("dropped", "CHARISMA has no equivalent of enter, send")],
                              "exit": [("dropped", "CHARISMA has no equivalent of leave")]})

    # needs: shared
    # needs: shared
    def test_reports_say_dropped_where_nothing_reaches_the_output(self):
        """CHARISMA has files only: of a trace without I/O no call is kept, nor are names of functions and counters."""
        for name in ("p2p-ompi", "nonblock-ompi", "conf-all-off"):
            trace = next((SHARED / "dumpi" / name).glob("*.meta"))
            for rows in self.report(trace, "charisma"):
                retained = {name for name, row in rows.items() if row["dropped"] < row["total"]}
                self.assertEqual({name for name in retained if name.startswith("MPI_")} | ({"addresses", "counters"} & retained), set(), name)
                self.assertEqual(sum(row["approximated"] for row in rows.values()), 0)

    # needs: shared
    # needs: shared
    def test_reports_tell_records_of_one_type_apart_by_their_events(self):
        """OTF has the beginning and end of a thread, but not its states and CPUs; a marker is kept whole."""
        folder = SHARED / "ovni" / "t02_states"
        events = collections.Counter(line.split()[1] for line in (folder / "dump.txt").read_text(encoding="ascii").splitlines() if line.strip())
        some, whole = events["OHx"] + events["OHe"], events["OHC"]
        total = sum(events.values())
        self.assertEqual((some, whole), (6, 1))
        for rows in self.report(folder / "trace", "otf"):
            self.assertEqual(self.outcomes(rows["Event"]), (0, whole, some, total - some - whole))

    # needs: shared
    # needs: shared
    def test_reports_tell_types_apart_by_their_regions(self):
        """OTF does not say when a send is complete: calls that complete one are approximated, others of their type are exact."""
        trace = next((SHARED / "dumpi" / "nonblock-ompi").glob("*.meta"))
        text = subprocess.run([programs.QUIPU, "cat", "-q", str(trace), "--kind", "enter,send_complete"], capture_output=True, text=True, check=True).stdout
        active, completing = {}, collections.defaultdict(set)
        for number, line in enumerate(text.splitlines()):
            rank = " ".join(line.split()[1:3])
            if " enter " in line:
                active[rank] = (line.split("region=")[1].split()[0], number)
            else:
                completing[active[rank][0]].add(active[rank][1])
        self.assertGreater(len(completing), 3)
        for rows in self.report(trace, "otf"):
            for name, calls in completing.items():
                self.assertEqual(rows[name]["approximated"], len(calls), name)
                self.assertEqual(rows[name]["exact"], rows[name]["total"] - len(calls), name)


if __name__ == "__main__":
    unittest.main()
