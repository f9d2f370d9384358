"""quipu cut: what is kept, and how what is open at the ends of the part begins and ends there."""
import csv
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import otf_text  # noqa: E402
from folder import FolderTest  # noqa: E402

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
DATA = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data")


def regions(path):
    """Begin and end of calls, which are not on tracks of their own, in a file of Chrome's trace events as (microseconds, phase, name, process)."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return sorted((event["ts"], event["ph"], event.get("name")) for event in events
                  if event["ph"] in "BE" and event["tid"] < 1 << 30)


class Cut(FolderTest):
    def setUp(self):
        super().setUp()
        otf_text.write_example(self.path("t"))

    def cut(self, name, *options, trace=None):
        subprocess.run([QUIPU, "cut", trace or self.path("t.otf"), "-o", self.path(name), "--quiet", *options],
                       check=True)
        return self.path(name)

    def text(self, stub, part):
        return (otf_text.read(f"{stub}.{part}") or b"").decode()

    def test_cut_begins_again_what_is_open_and_leaves_calls(self):
        stub = self.cut("part", "--since", "15", "--until", "35")
        self.assertEqual(self.text(stub, "1.events"),
                         "f\n*1\nE1\nE2\nCOPB4H1C7RT0S0R0\nFA2\n14\n*1\nCOPE1\n1e\n*1\nFF5MI2H3OP2B8\nL2\n"
                         "23\n*1\nL1\n23\n*1\n")
        self.assertEqual(self.text(stub, "2.events"), "f\n*2\nE1\n19\n*2\nE3\n23\n*2\nL3\nL1\n23\n*2\n")
        subprocess.run([QUIPU, "check", stub + ".otf"], check=True, stdout=subprocess.DEVNULL)

    def test_cut_keeps_definitions_and_what_they_say_of_times_in_the_part(self):
        stub = self.cut("part", "--since", "15", "--until", "35", "--location", "first")
        self.assertEqual(self.text(stub, "0.def"),
                         otf_text.DEFINITIONS.replace("DTRG0T3c", "DTRGfT23").replace("DAUX5Y0\n", ""))
        self.assertEqual(self.text(stub, "0.marker"), 'MD6NM"mark"Y0\nMS6T14P1V"one"\n')

    def test_cut_of_locations_keeps_the_other_streams_readable(self):
        stub = self.cut("part", "--location", "second")
        self.assertEqual(self.text(stub, "2.events"), otf_text.SECOND + "3c\n*2\n")
        self.assertEqual(otf_text.records(stub, 1, "events"), [])
        self.assertEqual(self.text(stub, "1.events"), "0\n*1\n0\n*1\n")

    def test_cut_of_nothing_is_a_trace_of_nothing(self):
        for name in ("empty.otf", "empty.0.def"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("\n" if name == "empty.otf" else "")
        stub = self.cut("none.otf", trace=self.path("empty.otf"))
        subprocess.run([QUIPU, "check", stub], check=True, stdout=subprocess.DEVNULL)

    def test_cut_keeps_half_messages(self):
        stub = self.cut("part", "--since", "35")
        self.assertIn((40, 2, (b"R1L64T9C7",)), otf_text.records(stub, 2, "events"))
        self.assertEqual(self.text(stub, "1.events"),
                         "23\n*1\nE1\n28\n*1\nE3\nF5H3OP1B0D0\n32\n*1\nL3\n3c\n*1\nL1\n3c\n*1\n")

    def test_cut_with_snapshots_says_what_is_open(self):
        stub = self.cut("part", "--since", "15", "--until", "35", "--snapshots")
        self.assertEqual(self.text(stub, "1.snaps"),
                         "f\n*1\nTE1O0\nTE2Oa\nTS2OaG7T9L64\nTOF5O5H3\nTBCaCL4H1G7RT0S0R0\nTBFaMI2\nf\n*1\n")
        self.assertEqual(self.text(stub, "2.snaps"), "f\n*2\nTE1O0\nf\n*2\n")
        self.assertEqual(self.text(stub, "1.events"), "14\n*1\nCOPE1\n1e\n*1\nFF5MI2H3OP2B8\nL2\n1e\n*1\n")

    def test_cut_goes_with_merging(self):
        stub = self.cut("part", "--since", "25", "--until", "35", "--streams", "1")
        self.assertEqual(otf_text.master(stub), {1: [1, 2]})
        self.assertEqual(self.text(stub, "1.events"),
                         "19\n*1\nE1\nE2\nFA2\n*2\nE1\nE3\n1e\n*1\nFF5MI2H3OP2B8\nL2\n"
                         "23\n*1\nL1\n*2\nL3\nL1\n23\n*2\n")

    def test_cut_parts_add_up_to_the_whole(self):
        def exclusive(trace):
            lines = subprocess.run([QUIPU, "profile", trace + ".otf", "--by", "region", "--csv"], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.splitlines()
            rows = csv.DictReader(lines)
            name, time = rows.fieldnames[0], next(field for field in rows.fieldnames if "excl" in field)
            return {row[name]: int(row[time]) for row in rows}

        whole, files = exclusive(self.path("t")), {}
        for since, until in ((0, 7), (7, 22), (22, 45), (45, 99)):
            part = exclusive(self.cut(f"part{since}", "--since", str(since), "--until", str(until)))
            for region, time in part.items():
                files[region] = files.get(region, 0) + time
        self.assertEqual(whole["main"], (10 + 10 + 10) + 25, whole)
        self.assertEqual({region: time for region, time in files.items() if region in whole}, whole)

    def test_cut_leaves_out_records_that_say_no_time(self):
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write("E7\n" + otf_text.FIRST)
        subprocess.run([QUIPU, "cut", self.path("t.otf"), "-o", self.path("part"), "--quiet", "--since", "35", "--until",
                        "45"], check=False)
        self.assertEqual(self.text(self.path("part"), "1.events"),
                         "23\n*1\nE1\n28\n*1\nE3\nF5H3OP1B0D0\n2d\n*1\nL3\nL1\n2d\n*1\n")

    def test_cut_says_that_it_kept_a_part(self):
        result = subprocess.run([QUIPU, "cut", self.path("t.otf"), "-o", self.path("part"), "--since", "15"],
                                check=True, stderr=subprocess.PIPE, text=True)
        self.assertRegex(result.stderr, r"wrote .* .OTF.: \d+ events selected from \d+ records, lossless")
        result = subprocess.run([QUIPU, "cut", self.path("t.otf"), "-o", self.path("all")], check=True,
                                stderr=subprocess.PIPE, text=True)
        self.assertRegex(result.stderr, r"wrote .* .OTF.: \d+ records, lossless")

    def test_cut_translates_events_for_other_targets(self):
        path = self.cut("part.json", "--to", "chrome", "--since", "15", "--until", "35")
        self.assertEqual([row[:2] for row in regions(path)],
                         [(0.015, "B")] * 3 + [(0.025, "B"), (0.03, "E")] + [(0.035, "E")] * 3)
        result = subprocess.run([QUIPU, "cut", self.path("t.otf"), "--to", "chrome", "--snapshots", "-o",
                                 self.path("no.json")], capture_output=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertFalse(os.path.exists(self.path("no.json")))

    def open_at(self, trace, time):
        """What begins again there, as the kinds of events with the first words of their regions."""
        kinds = {"call": "enter", "collective": "collective_begin", "io_operation": "io_begin"}
        answer = json.loads(self.run_quipu("state", trace, "--at", str(time), "--json"))["tables"][0]
        names = [column["name"] for column in answer["columns"]]
        rows = [dict(zip(names, row)) for row in answer["rows"]]
        return [(row["location"], kinds[row["interval"]], row["what"].split()[0]) for row in rows if row["interval"] in kinds]

    def run_quipu(self, *arguments):
        return subprocess.run([QUIPU, *arguments, "--quiet"], check=True, stdout=subprocess.PIPE).stdout.decode()

    def test_cut_keeps_receives_that_were_posted_before(self):
        """Both processes post a receive of 1024 bytes before 76400 ns and wait for it from about 76500 to 78600 ns."""
        trace = os.path.join(DATA, "sweep", "dumpi", "ring.meta")
        part = self.cut("part.meta", "--since", "76400", "--until", "80000", trace=trace)
        received = [re.sub(r"^ *|  +", " ", line).split(" ") for line in self.run_quipu("cat", part).splitlines()]
        received = [(line[2] + line[3], line[1]) for line in received if line[4] == "recv"]
        self.assertEqual(received, [("rank1", "0.000078516s"), ("rank0", "0.000078599s")])

    def test_cut_of_events_begins_again_what_is_open(self):
        started = set()
        for name in ("coll", "comm", "misc"):
            trace = os.path.join(DATA, "dumpi", "text", name + ".bin")
            times = sorted({json.loads(line)["time"] for line in self.run_quipu("cat", "--json", trace).splitlines()})
            between = [time + 1 for time, following in zip(times, times[1:]) if following > time + 1]
            self.assertGreater(len(between), 20)
            for time in between[::len(between) // 8]:
                part = self.cut("part.otf", "--force", "--since", str(time), trace=trace)
                subprocess.run([QUIPU, "check", part], check=True, stdout=subprocess.DEVNULL)
                expected = self.open_at(trace, time)
                started.update(kind for _, kind, _ in expected)
                first = [re.match(r" *(-?\d+)  (.*?) *  (\w+)(?: region=(\S+))?", line).groups()
                         for line in self.run_quipu("cat", "--time", "ticks", part).splitlines()[:len(expected) + 1]]
                self.assertEqual([event[1:] for event in first if event[0] == str(time)], expected)
        self.assertEqual(started, {"enter", "collective_begin"})


if __name__ == "__main__":
    unittest.main()
