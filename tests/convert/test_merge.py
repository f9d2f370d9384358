"""quipu merge: other numbers of streams keep all records, in the order of their times."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import otf_text  # noqa: E402
from folder import FolderTest  # noqa: E402

BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
DATA = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data")
TRACES = [os.path.join(DATA, *name) for name in (("otf", "small"), ("cli", "exchange"), ("sweep", "otf", "ring"),
                                                  ("sweep", "otf-compressed", "ring"))]


class Merge(FolderTest):
    def merge(self, trace, name, *options):
        subprocess.run([QUIPU, "merge", trace + ".otf", "-o", self.path(name) + ".otf", "--quiet", *options], check=True)
        return self.path(name)

    def assert_same_records(self, trace, merged):
        for kind in otf_text.KINDS:
            self.assertEqual(otf_text.by_process(trace, kind), otf_text.by_process(merged, kind), (trace, kind))

    def assert_sorted(self, stub):
        for stream in otf_text.master(stub):
            for kind in otf_text.STATES:
                times = [record[0] for record in otf_text.records(stub, stream, kind)]
                self.assertEqual(times, sorted(times), (stub, stream, kind))

    def test_merge_keeps_all_records_in_order(self):
        for trace in TRACES:
            for streams in range(4):
                merged = self.merge(trace, f"{os.path.basename(trace)}{streams}", "--streams", str(streams), "--force")
                processes = sum(otf_text.master(trace).values(), [])
                self.assertEqual(len(otf_text.master(merged)), min(streams or len(processes), len(processes)))
                self.assertEqual(sorted(sum(otf_text.master(merged).values(), [])), sorted(processes))
                self.assert_same_records(trace, merged)
                self.assert_sorted(merged)

    def test_merge_deals_blocks_in_the_order_of_the_master_file(self):
        trace = self.path("t")
        with open(trace + ".otf", "w", encoding="ascii") as file:
            file.write("b:9,4\n2:5,3\n1:a\n")
        for stream, process in ((1, "a"), (2, "5"), (0xb, "9")):
            with open(f"{trace}.{stream:x}.events", "w", encoding="ascii") as file:
                file.write(f"1\n*{process}\nE1\n2\n*{process}\nL\n2\n*{process}\n")
        merged = self.merge(trace, "m", "--streams", "3")
        self.assertEqual(otf_text.master(merged), {1: [0xa, 3], 2: [5, 4], 3: [9]})
        with open(merged + ".1.events", encoding="ascii") as file:
            self.assertEqual(file.read(), "1\n*a\nE1\n2\n*a\nL\n2\n*a\n")

    def test_merge_of_streams_without_a_record_has_their_files(self):
        trace = self.path("t")
        for suffix, text in ((".otf", "1:1\n2:2\n"), (".0.def", "\n"), (".1.events", ""), (".2.events", "")):
            with open(trace + suffix, "w", encoding="ascii") as file:
                file.write(text)
        merged = self.merge(trace, "m", "--streams", "2")
        self.assertEqual(otf_text.master(merged), {1: [1], 2: [2]})
        for stream in (1, 2):
            with open(f"{merged}.{stream}.events", encoding="ascii") as file:
                self.assertEqual(file.read(), f"0\n*{stream}\n" * 2)

    def test_merge_then_split_is_the_trace_again(self):
        trace = self.merge(TRACES[1], "apart", "--streams", "0")
        split = self.merge(self.merge(trace, "one"), "again", "--streams", "0")
        for name in (".otf", ".0.def", ".1.events", ".2.events"):
            with open(trace + name, "rb") as before, open(split + name, "rb") as after:
                self.assertEqual(before.read(), after.read(), name)

    def test_merge_writes_what_the_options_say(self):
        trace = TRACES[0]
        packed = self.merge(trace, "packed", "--compress", "9", "--set", "long=yes")
        self.assertTrue(os.path.exists(packed + ".1.events.z"))
        back = self.merge(packed, "back", "--streams", "2")
        self.assert_same_records(self.merge(trace, "two", "--streams", "2"), back)
        result = subprocess.run([QUIPU, "merge", trace + ".otf", "-o", packed + ".otf"], capture_output=True, check=False)
        self.assertEqual(result.returncode, 5, result.stderr)

    def write_trace(self, name, rate, events):
        """A trace of one process that enters and leaves a function at these times."""
        stub = self.path(name)
        for suffix, text in ((".otf", "1:1\n"), (".0.def", f'DTR{rate:x}\nDP1NM"rank"\nDFG3NM"g"\nDF2G3NM"{name}"\n'),
                             (".1.events", "".join(f"{time:x}\n*1\n{'L' if i % 2 else 'E'}2\n"
                                                   for i, time in enumerate(events)))):
            with open(stub + suffix, "w", encoding="ascii") as file:
                file.write(text)
        return stub + ".otf"

    def cat(self, trace):
        lines = subprocess.run([QUIPU, "cat", "--json", trace], check=True, stdout=subprocess.PIPE).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_merge_of_several_brings_clocks_together(self):
        inputs = [self.write_trace("one", 1000, [1, 6]), self.write_trace("two", 1500, [2, 8, 10, 12])]
        for streams in ("1", "0"):
            merged = self.path("merged.otf")
            subprocess.run([QUIPU, "merge", *inputs, "-o", merged, "--streams", streams, "-f", "-q"], check=True)
            rows = [(event["time"], event["kind"], event["location"]) for event in self.cat(merged)]
            self.assertEqual([row[:2] for row in rows],
                             [(3, "enter"), (4, "enter"), (16, "leave"), (18, "leave"), (20, "enter"), (24, "leave")])
            self.assertEqual([row[2] for row in rows], [0, 1, 1, 0, 1, 1])
            with open(self.path("merged.0.def"), encoding="ascii") as file:
                definitions = file.read()
            for line in ("DTRbb8", 'DP1NM"rank"', 'DP2NM"two rank"', 'NM"one"', 'NM"two"'):
                self.assertIn(line, definitions)

    def test_merge_rounds_times_of_clocks_without_common_resolution(self):
        # To picoseconds, rounded down: 1 and 6 ticks of the first clock are 1000.00006 and 6000.0004 ps, 2 and 8 of the second one 1999.99999 and
        # 7999.99994.
        inputs = [self.write_trace("one", 999999937, [1, 6]), self.write_trace("two", 1000000007, [2, 8])]
        merged = self.path("merged.otf")
        done = subprocess.run([QUIPU, "merge", *inputs, "-o", merged, "--report", self.path("rounded.json")], capture_output=True, check=True)
        self.assertIn(b"2 records approximated", done.stderr)
        self.assertEqual([(1000, 0), (1999, 1), (6000, 0), (7999, 1)], [(event["time"], event["location"]) for event in self.cat(merged)])
        with open(self.path("merged.0.def"), encoding="ascii") as file:
            self.assertIn("DTRe8d4a51000\n", file.read())  # 10^12
        refused = subprocess.run([QUIPU, "merge", *inputs, "-o", merged, "-f", "--fail-on-loss"], capture_output=True, check=False)
        self.assertEqual(1, refused.returncode, refused.stderr)

    def test_merge_of_several_accounts_for_every_record(self):
        inputs = [trace + ".otf" for trace in TRACES[:2]]
        subprocess.run([QUIPU, "merge", *inputs, "--to", "chrome", "-o", self.path("m.json"), "--report",
                        self.path("report.json"), "-q"], check=True)
        with open(self.path("report.json"), encoding="utf-8") as file:
            reports = json.load(file)
        for report, trace in zip(reports, inputs, strict=True):
            info = json.loads(subprocess.run([QUIPU, "info", "--json", trace], check=True, stdout=subprocess.PIPE).stdout)
            self.assertEqual(report["totals"]["total"], info["records"])
            self.assertEqual(report["totals"]["total"],
                             sum(report["totals"][mode] for mode in ("exact", "respelled", "approximated", "dropped")))

    def test_merge_of_several_keeps_the_events_of_each(self):
        def without_numbers(events, locations):
            return [{key: value for key, value in event.items() if key in ("time", "kind", "tag", "bytes", "value")}
                    for event in events if event["location"] in locations]

        inputs = [trace + ".otf" for trace in (TRACES[1], TRACES[0])]
        merged = self.path("merged.otf")
        subprocess.run([QUIPU, "merge", *inputs, "-o", merged, "-q"], check=True)
        events = self.cat(merged)
        self.assertEqual(without_numbers(events, (0, 1)), without_numbers(self.cat(inputs[0]), (0, 1)))
        self.assertEqual(without_numbers(events, (2, 3, 4)), without_numbers(self.cat(inputs[1]), (0, 1, 2)))

    def records(self, trace):
        """All records but those of the master control file, without their places."""
        lines = subprocess.run([QUIPU, "cat", "--records", "--json", trace + ".otf"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False).stdout.splitlines()
        found = [json.loads(line) for line in lines]
        return [(record["type"], record["fields"]) for record in found if not record["stream"] == 0]

    def test_merge_takes_usual_and_odd_lines_alike(self):
        malformed = ["E5", "E 5", "E0005", "E5X3", "L", "L5", "LEAVE 5", "E10000000000000005", "E123456789abcdef01", "Ex", "E", "",
               "S2L3T4C5", "S2L3T4C5X6", "S2L3T4", "S2L3T4C", "R1L3T4C5", "RL3T4C5", "CNT1V2", "CNT1", "CNX", "C", "PB",
               "COPB1H2C3RT4S5R6", "COPB1H2C3R4S5R6", "COPB1H2C3RT4S5R6X7", "COPE9", "COPE", "COP1C2RT3S4R5D6", "K1Y6V7",
               "nonsense", "#\"text\"", "*2", "* 2", "*ffffffff", "*", "5zz", "FA9", "TE5O1", "\tE5"]
        trace = self.path("t")
        with open(trace + ".otf", "w", encoding="ascii") as file:
            file.write("1:1,2\n")
        with open(trace + ".1.events", "w", encoding="ascii") as file:
            file.write("10\n*1\n")
            for i, line in enumerate(malformed * 40):
                head = ("", f"{i + 16:x}\n", f"{i + 16:x}\n*{1 + i % 2}\n", f"*{1 + i % 2}\n")[i % 7 % 4]
                file.write(f"{head}{line}\n")
        merged = self.path("m")
        subprocess.run([QUIPU, "merge", trace + ".otf", "-o", merged + ".otf", "-q"], stderr=subprocess.DEVNULL, check=False)
        self.assertGreater(len(self.records(trace)), 1000)
        self.assertEqual(self.records(trace), self.records(merged))

    def test_merge_copies_short_lines_as_the_records_say(self):
        generate = os.path.join(BUILD, "bench", "generate")
        if not os.path.exists(generate):
            self.skipTest("bench/generate is not here")
        trace = self.path("t")
        subprocess.run([generate, "otf", trace, "--streams", "5", "--events", "20000"], check=True)
        for streams in ("0", "2"):
            long = self.merge(trace, "long", "--set", "long=yes", "--streams", streams, "--force")
            by_records = self.merge(long, "short", "--streams", streams, "--force")
            by_lines = self.merge(trace, "lines", "--streams", streams, "--force")
            for stream in otf_text.master(by_lines):
                self.assertEqual(otf_text.read(f"{by_lines}.{stream:x}.events"), otf_text.read(f"{by_records}.{stream:x}.events"))

    def test_merge_agrees_with_otfmerge(self):
        theirs = shutil.which("otfmerge")
        generate = os.path.join(BUILD, "bench", "generate")
        if not theirs or not os.path.exists(generate):
            self.skipTest("otfmerge or bench/generate is not here")
        trace = self.path("t")
        subprocess.run([generate, "otf", trace, "--streams", "7", "--events", "7000"], check=True)
        for streams in range(8):
            subprocess.run([theirs, "-n", str(streams), "-o", self.path("theirs"), trace + ".otf"], check=True,
                           stdout=subprocess.DEVNULL)
            ours = self.merge(trace, "ours", "--streams", str(streams), "--force")
            self.assertEqual(otf_text.read(ours + ".otf"), otf_text.read(self.path("theirs.otf")))
            for stream in otf_text.master(ours):
                mine = otf_text.records(ours, stream, "events")
                self.assertEqual(sorted(mine), sorted(otf_text.records(self.path("theirs"), stream, "events")))
            if streams in (0, 7):
                self.assertEqual(otf_text.read(ours + ".7.events"), otf_text.read(self.path("theirs.7.events")))


if __name__ == "__main__":
    unittest.main()
