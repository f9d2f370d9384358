"""Statistics of PICL and OTF: one vocabulary in the model, and conversion both ways, with a report of what is lost."""
import json
import os
import subprocess

import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")

# Statistics at 0.001 s, before the exit. Those of -1 are of the whole trace; -21 is a send, -52 a receive, 1 a user's event.
PICL = """-3 -901 0.000000 0 0 0
-3 1 0.000100 0 0 0
-101 -1 0.001000 0 0 3 "%d%lf" -21 0.000046 -901 0.001 1 0.0009
-102 -1 0.001000 0 0 3 "%d%d" -21 2 -901 1 1 1
-103 -1 0.001000 0 0 2 "%d%d" -21 300 -901 -1
-102 1 0.001000 0 0 1 "%d%d" -21 2
-4 1 0.002000 0 0 0
-4 -901 0.003000 0 0 0
"""

# A microsecond is a tick; statistics at 0x3e8 = 1000: of two functions, a group, messages with everybody and with one, a file.
OTF_DEFINITIONS = """DTRf4240
DP1NM"first"
DP2NM"second"
DPG7M1,2,NM"world"
DFG9NM"group"
DF1G9NM"work"
DF2G9NM"MPI_Send"
DFLG8NM"disk"
DFL5NM"data"G8
"""
STATISTICS = """3e8
*1
SF1N1E64I384
SF2N2E2eI2e
SG9N3E92I384
SM0C0T0NS2NR1S12cR8
SM2C7T9NS1NR0S64R0
SFL5NO1NC1NRD3NW4NSK5BR258BW2bc
"""
EVENTS = "0\n*1\nE1\n7d0\n*1\nL1\n"


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60,
                          universal_newlines=True)


class TestStatistics(FolderTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as out:
            out.write(text)
        return self.path(name)

    def otf(self):
        self.write("a.0.def", OTF_DEFINITIONS)
        self.write("a.1.events", EVENTS)
        self.write("a.1.stats", STATISTICS)
        return self.write("a.otf", "1:1,2\n")

    def convert(self, source, target, *options):
        done = quipu("convert", source, "-o", self.path(target), "--report", self.path("report.json"), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("report.json"), encoding="utf-8") as report:
            return {record["type"]: record for record in json.load(report)["records"] if record["total"]}

    def lines(self, name, *starts):
        with open(self.path(name), encoding="ascii") as text:
            return [line.strip() for line in text if line.startswith(starts)]

    def figures(self, trace):
        events = [json.loads(line) for line in quipu("cat", "--json", "--kind", "summary", trace).stdout.splitlines()]
        subjects = ("region", "within", "peer", "communicator", "file")
        return [(event["statistic"], event["figure"]) +
                tuple(event[name + "_name"] for name in subjects if event[name] is not None) for event in events]

    def test_each_pair_of_picl_is_a_figure(self):
        figures = self.figures(self.write("a.picl", PICL))
        self.assertEqual(figures, [
            ("inclusive_time", 46, "send"), ("inclusive_time", 1000, "tracing"), ("inclusive_time", 900, "event 1"),
            ("calls", 2, "send"), ("messages_sent", 2, "send"), ("calls", 1, "tracing"), ("calls", 1, "event 1"),
            ("message_bytes_sent", 300, "send"), ("calls", 2, "send", "event 1"), ("messages_sent", 2, "send", "event 1")])

    def test_each_field_of_otf_is_a_figure(self):
        figures = self.figures(self.otf())
        self.assertEqual(figures[:9], [
            ("calls", 1, "work"), ("exclusive_time", 100, "work"), ("inclusive_time", 900, "work"),
            ("calls", 2, "MPI_Send"), ("exclusive_time", 46, "MPI_Send"), ("inclusive_time", 46, "MPI_Send"),
            ("group_calls", 3), ("group_exclusive_time", 146), ("group_inclusive_time", 900)])
        self.assertEqual(figures[9:17], [
            ("messages_sent", 2), ("messages_received", 1), ("message_bytes_sent", 300), ("message_bytes_received", 8),
            ("messages_sent", 1, "second", "world"), ("messages_received", 0, "second", "world"),
            ("message_bytes_sent", 100, "second", "world"), ("message_bytes_received", 0, "second", "world")])
        self.assertEqual(figures[17:], [
            ("opens", 1, "data"), ("closes", 1, "data"), ("reads", 3, "data"), ("writes", 4, "data"),
            ("seeks", 5, "data"), ("bytes_read", 600, "data"), ("bytes_written", 700, "data")])

    def test_statistics_of_picl_become_those_of_otf(self):
        report = self.convert(self.write("a.picl", PICL), "b.otf")
        stats = self.lines("b.1.stats", "S")
        regions = {line.split('"')[1]: line[2:line.index("G")] for line in self.lines("b.0.def", "DF") if "G" in line[:5]
                   and not line.startswith("DFG")}
        self.assertIn("3e8", self.lines("b.1.stats", "3"))
        self.assertEqual(sorted(stats), sorted([
            f"SF{regions['send']}N2E0I2e", f"SF{regions['tracing']}N1E0I3e8", f"SF{regions['event 1']}N1E0I384",
            "SM0C0T0NS2NR0S12cR0"]))
        # What is relative to an event has no place in OTF: one of four records.
        self.assertEqual(sum(report[name]["dropped"] for name in ("times", "counts", "volumes")), 1)
        self.assertIn("not representable in OTF", [field["why"] for field in report["counts"]["fields"]])

    def test_statistics_of_otf_become_those_of_picl(self):
        report = self.convert(self.otf(), "b.picl")
        samples = [line for line in self.lines("b.picl", "-101", "-102", "-103") if " 0.001000 " in line]
        self.assertEqual(samples, [
            '-102 -1 0.001000 0 -1 6 "%d%d" -21 2 -52 1 -201 1 -202 1 -221 4 -251 3',
            '-103 -1 0.001000 0 -1 4 "%d%d" -21 300 -52 8 -221 700 -251 600',
            '-101 -1 0.001000 0 -1 2 "%d%lf" 0 0.000900 1 0.000046',  # functions are users' events, MPI_Send too
            '-102 -1 0.001000 0 -1 2 "%d%d" 0 1 1 2'])
        self.assertEqual([(field["name"], field["how"]) for field in report["FunctionSummary"]["fields"]],
                         [("exclTime", "dropped")])
        self.assertEqual(report["FunctionGroupSummary"]["dropped"], 1)
        self.assertEqual({field["name"] for field in report["FileOperationSummary"]["fields"]}, {"fileid", "nseek"})
        self.assertEqual({field["name"] for field in report["MessageSummary"]["fields"]}, {"peer", "comm", "type"})

    def test_statistics_of_otf_come_back_through_events(self):
        self.convert(self.otf(), "b.otf", "--kind", "enter,leave,summary")
        expected = [line.replace("SG9", "SG1") for line in STATISTICS.splitlines()]
        expected += expected[:2]  # time and process once more at the end
        self.assertEqual(self.lines("b.1.stats", "S", "3", "*"), expected)

    def test_statistics_of_a_process_without_events_are_written(self):
        trace = self.otf()
        self.write("a.1.events", "0\n*2\n")
        self.convert(trace, "b.picl")
        self.assertIn('-102 -1 0.001000 0 -1 2 "%d%d" 0 1 1 2', self.lines("b.picl", "-102"))

    def test_recomputing_confirms_samples_of_another_format(self):
        self.write("c.0.def", OTF_DEFINITIONS)
        self.write("c.otf", "1:1\n2:2\n")
        self.write("c.1.events", "0\n*1\nE1\n64\n*1\nE2\nS2L12cT9C7\n82\n*1\nL2\n7d0\n*1\nL1\n")
        self.write("c.2.events", "3e8\n*2\nE1\nR1L12cT9C7\n7d0\n*2\nL1\n")
        done = quipu("snapshot", "--count", "3", self.path("c.otf"), "-o", self.path("d.otf"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.convert(self.path("d.otf"), "d.picl")
        self.assertGreater(len(self.lines("d.picl", "-102")), 2)
        self.assertEqual(quipu("check", "--quiet", self.path("d.picl")).returncode, 0)
        findings = json.loads(quipu("check", "--json", self.path("d.picl")).stdout)["findings"]
        self.assertNotIn("W21", [finding["rule"] for finding in findings])


if __name__ == "__main__":
    unittest.main()
