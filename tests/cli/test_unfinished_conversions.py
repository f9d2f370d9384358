"""Calls that never end, as in programs that were killed, are still active at the end of what a trace is converted to; where a format cannot
hold that, the conversion report says so."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "house"))
from folder import FolderTest  # noqa: E402
from house import BUILD  # noqa: E402

QUIPU = BUILD / "quipu"

DEFINITIONS = 'DTRf4240\nDP1NM"a"\nDP2NM"b"\nDFG1NM"MPI"\nDF2G1NM"MPI_Barrier"\nDF3G1NM"MPI_Comm_size"\n'
EVENTS = "a\n*1\nE3\nb\nL3\n14\n*1\nE2\n1e\n*2\nE3\n1f\nL3\n"  # process 1 is in MPI_Barrier from 20 us on; process 2 in nothing


class UnfinishedConversions(FolderTest):
    def setUp(self):
        super().setUp()
        for name, text in (("in.otf", "1:1,2\n"), ("in.0.def", DEFINITIONS), ("in.1.events", EVENTS)):
            Path(self.path(name)).write_text(text)

    def convert(self, source, target, *options):
        done = subprocess.run([QUIPU, "convert", self.path(source), "-o", self.path(target), "--force", "--report", self.path("report.json"),
                               *options], capture_output=True, text=True)
        report = json.loads(Path(self.path("report.json")).read_text())
        return done, {row["type"]: row for row in report["records"]}

    def active(self, trace):
        """(what, since) of the calls that are active at the end."""
        done = subprocess.run([QUIPU, "state", "--at", "end", "--json", self.path(trace)], capture_output=True, text=True, check=True)
        table = next(found for found in json.loads(done.stdout)["tables"] if found["table"] == "intervals")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return [(row["what"], row["since"]) for row in rows if row["interval"] == "call"]

    def test_unfinished_calls_are_active_in_other_formats(self):
        for target, options in (("out.meta", ()), ("out.picl", ()), ("out.otf", ("--set", "long=yes"))):
            with self.subTest(target):
                self.convert("in.otf", target, *options)
                ticks = 20 if target != "out.meta" else 20000  # DUMPI has nanoseconds
                self.assertEqual([("MPI_Barrier", ticks)], self.active(target))

    def test_unfinished_calls_come_back(self):
        for between in ("out.meta", "out.picl"):
            with self.subTest(between):
                self.convert("in.otf", between)
                self.convert(between, "back.otf")
                self.assertEqual(["MPI_Barrier"], [what for what, _ in self.active("back.otf")])

    def test_unfinished_calls_are_functions_in_dumpi_and_the_report_says_so(self):
        """A record of DUMPI is written when a call ends: of one that does not its name is kept, its arguments are not."""
        done, report = self.convert("in.otf", "out.meta")
        self.assertEqual((0, (3, 2, 1, 0)), (done.returncode, tuple(report["Enter"][key] for key in ("total", "exact", "approximated", "dropped"))))
        done, _ = self.convert("in.otf", "out.meta", "--fail-on-loss")
        self.assertEqual(1, done.returncode)

    def test_unfinished_calls_end_in_ovni_and_the_report_says_so(self):
        """A thread of ovni has left everything when it ends."""
        _, report = self.convert("in.otf", "out", "--to", "ovni")
        reasons = [(field["how"], field["count"]) for field in report["Enter"]["fields"] if field["why"].startswith("times or values")]
        self.assertEqual(([], [("approximated", 1)]), (self.active("out"), reasons))


if __name__ == "__main__":
    unittest.main()
