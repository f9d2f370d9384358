"""Traces with other times: those of a replay, and of clocks that have been corrected. Programs are drawn by lot, and the times of some worked out."""
from fractions import Fraction
import json
import math
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

SEEDS = range(int(os.environ.get("QUIPU_PROGRAMS", "8")))


class Retime(FolderTest):
    def run_quipu(self, *words, code=0):
        done = subprocess.run([programs.QUIPU, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        return done

    def drawn(self, skew=0):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.random_program(numbers, numbers.randint(2, 6), 90, skew)
            yield seed, program, programs.write(self.path(f"s{seed}.otf"), program)

    def events(self, trace, *fields):
        listed = self.run_quipu("cat", "--json", trace).stdout.splitlines()
        return [tuple(event.get(field) for field in fields) for event in map(json.loads, listed)]

    def replay(self, trace, *options):
        output = self.path("out.otf")
        self.run_quipu("replay", "-q", "--force", trace, "-o", output, *options)
        return output

    def correct(self, trace, methods, *options):
        output = self.path("out.otf")
        self.run_quipu("clock", "-q", "--force", trace, "-o", output, "--correct", methods, *options)
        return output

    ALL = ("time", "location", "kind", "region_name", "peer", "tag", "bytes", "communicator", "operation", "root")

    def test_retime_a_measured_replay_writes_the_same_events(self):
        for seed, _, trace in self.drawn():
            self.assertEqual(self.events(self.replay(trace), *self.ALL), self.events(trace, *self.ALL), seed)

    def test_retime_the_written_trace_takes_what_the_replay_takes(self):
        networks = (("--network", "ideal"), ("--network", "ideal", "--cpu-factor", "0.5"), ("--region", "work=3"),
                    ("--network", "loggops", "--latency", "100", "--overhead", "3", "--gap-per-byte", "0.5"),
                    ("--network", "dimemas", "--latency", "100", "--bandwidth", "1000000000", "--links", "1"))
        for seed, _, trace in self.drawn():
            for options in networks:
                expected = programs.tables("replay", trace, *options)["replay"][0]["replayed_ns"]
                output = self.replay(trace, *options)
                row = programs.tables("replay", output)["replay"][0]
                self.assertEqual((row["runtime_ns"], row["replayed_ns"], row["clock_violations"]), (expected, expected, 0), (seed, options))
                self.assertEqual(programs.tables("clock", output)["clock"][0]["violations"], 0, (seed, options))

    def test_retime_an_ideal_trace_is_as_fast_as_can_be(self):
        for seed, _, trace in self.drawn():
            row = programs.tables("efficiency", self.replay(trace, "--network", "ideal"))["efficiency"][0]
            self.assertEqual(row["ideal_runtime_ns"], row["runtime_ns"], seed)

    def test_retime_a_measured_replay_keeps_the_waits(self):
        for seed, _, trace in self.drawn():
            self.assertEqual(programs.tables("waits", self.replay(trace)), programs.tables("waits", trace), seed)

    def test_retime_what_is_left_of_calls_on_an_ideal_network_is_waiting(self):
        """Of locations that are the root of no operation: a root waits for all, of which waits know the first only."""
        for seed, program, trace in self.drawn():
            found = self.replay(trace, "--network", "ideal")
            waited = {row["location"]: row["time_ns"] for row in programs.tables("waits", found, "--by", "location")["waits"]}
            inside = {}
            for row in programs.tables("profile", found)["profile"]:
                name = row["location"]
                inside[name] = inside.get(name, 0) + (row["exclusive_ns"] if row["region"].startswith("MPI_") else 0)
            for process, events in enumerate(program):
                if not any("COPB4" in record and f"RT{process + 1:x}S" in record for _, record in events):
                    self.assertEqual(waited.get(f"rank {process}", 0), inside[f"rank {process}"], (seed, process))

    def test_retime_calls_keep_what_is_at_their_ends(self):
        program = [[programs.enter(0, "work"), programs.leave(40, "work"), *programs.send(40, 45, 1)],
                   [programs.enter(0, "work"), programs.leave(20, "work"), *programs.receive(20, 50, 0)]]
        trace = programs.write(self.path("t.otf"), program)
        # Work takes 60 and 30: the send is at 60 and takes 5 as before, the receive ends 10 behind the send's beginning.
        self.assertEqual(self.events(self.replay(trace, "--cpu-factor", "1.5"), "time", "location", "kind"),
                         [(0, 0, "enter"), (0, 1, "enter"), (30, 1, "leave"), (30, 1, "enter"), (60, 0, "leave"), (60, 0, "enter"),
                          (60, 0, "send"), (65, 0, "leave"), (70, 1, "recv"), (70, 1, "leave")])

    def test_retime_a_table_is_not_taken_for_a_trace_in_silence(self):
        trace, output = programs.write(self.path("t.otf"), programs.random_program(random.Random(1), 3, 9, 0)), self.path("right.trace")
        said = self.run_quipu("clock", trace, "-o", output).stderr
        self.assertEqual(said.count(f'the table goes into "{output}"; with --correct it would be the trace'), 1)
        with open(output, encoding="utf-8") as file:
            self.assertIn("messages", file.read())
        self.assertNotIn("it would be the trace", self.run_quipu("clock", "--force", trace, "-o", "-").stderr)

    def test_retime_a_logical_clock_leaves_no_message_before_it_was_sent(self):
        for seed, _, trace in self.drawn(skew=60):
            before = programs.tables("clock", trace)["clock"][0]
            report = self.path("report.json")
            row = programs.tables("clock", self.correct(trace, "clc", "--report", report))["clock"][0]
            self.assertEqual((row["violations"], row["collective_violations"]), (0, 0), seed)
            with open(report, encoding="ascii") as file:
                self.assertEqual(json.load(file)["times"],
                                 {"moved": before["clc_changed_events"], "earlier_ns": 0, "later_ns": before["clc_largest_ns"]}, seed)
            times = [time for time, in self.events(self.path("out.otf"), "time")]
            self.assertEqual((max(times), times), (before["clc_end_ns"], sorted(times)), seed)

    def test_retime_without_violations_nothing_moves(self):
        for seed, _, trace in self.drawn():
            self.assertEqual(self.events(self.correct(trace, "clc"), *self.ALL), self.events(trace, *self.ALL), seed)

    def test_retime_markers_stand_in_a_file_of_their_own_and_stay_where_they_are(self):
        """alpha has its only marker at 80 us, its last event at 100."""
        trace = str(Path(__file__).resolve().parents[1] / "data" / "where" / "w.otf")
        for written in (self.replay(trace), self.correct(trace, "clc")):
            self.assertEqual(self.events(written, *self.ALL), self.events(trace, *self.ALL))
            self.assertEqual([time for time, kind in self.events(written, "time_ns", "kind") if kind == "marker"], [80000])

    def test_retime_offsets_are_those_of_the_clocks(self):
        for seed, _, trace in self.drawn(skew=60):
            before = programs.tables("clock", trace)["clock"][0]["violations_after_offsets"]
            output = self.correct(trace, "offset")
            self.assertEqual(programs.tables("clock", output)["clock"][0]["violations"], before, seed)
            left = [abs(row["offset_ns"]) for row in programs.tables("clock", output)["offsets"]]
            self.assertLessEqual(max(left), 1, seed)
            row = programs.tables("clock", self.correct(trace, "offset,clc", "--gamma", "0.5"))["clock"][0]
            self.assertEqual((row["violations"], row["collective_violations"]), (0, 0), seed)

    BEHIND = [programs.send(1000, 1005, 1), [*programs.receive(900, 910, 0), programs.enter(930, "work"), programs.leave(1010, "work")]]

    def test_retime_a_late_location_keeps_its_distances_or_a_part_of_them(self):
        trace = programs.write(self.path("t.otf"), self.BEHIND)
        # The receive moves from 910 to 1000. With half of the distances: 1000 + 10 and, since 1010 is past, 1010 + 40.
        for options, expected in (((), [900, 1000, 1000, 1020, 1100]), (("--gamma", "0.5"), [900, 1000, 1000, 1010, 1050]),
                                  (("--gamma", "0"), [900, 1000, 1000, 1000, 1010]), (("--l-min", "7"), [900, 1007, 1007, 1027, 1107])):
            output = self.correct(trace, "clc", *options)
            self.assertEqual([time for time, location in self.events(output, "time", "location") if location == 1], expected, options)

    def test_retime_streams_that_are_merged_have_the_same_events(self):
        for seed, _, trace in self.drawn(skew=60):
            for methods in ("clc", "offset"):
                apart = self.events(self.correct(trace, methods), *self.ALL)
                self.assertEqual(self.events(self.correct(trace, methods, "--streams", "1"), *self.ALL), apart, seed)

    def drifting(self, rate, offset=0, steps=3):
        """Messages in both directions, each of 10 ns; the clock of the second process says rate * (time + offset)."""
        program = [[], []]
        for step in range(steps):
            for sender, begin in ((0, 2000 * step + 1000), (1, 2000 * step + 2000)):
                program[sender] += programs.send(begin, begin, 1 - sender)
                program[1 - sender] += programs.receive(begin + 10, begin + 10, sender)
        program = [sorted(events, key=lambda event: event[0]) for events in program]
        program[1] = [(int((time + offset) * rate), record) for time, record in program[1]]
        return programs.write(self.path("drift.otf"), program)

    def lines(self, trace):
        options = ("--correct", "linear", "-o", self.path("lines.otf"), "--force")
        return programs.tables("clock", trace, *options)["lines"]

    def test_retime_a_clock_that_is_slow_follows_a_line(self):
        """t = 0.9 (p + 100): forward messages say p - t >= 0.1 p - 90 - 9, backward ones p - t <= 0.1 p - 90 + 9. A constant in
        the middle of 401 and 120 breaks the messages that say so."""
        trace = self.drifting(Fraction(9, 10), 100)
        [row] = self.lines(trace)
        self.assertEqual((row["location"], row["parent"], row["drift"], row["begin_ns"]), ("rank 1", "rank 0", 0.1, 1010))
        times = [time for time, location in self.events(self.correct(trace, "linear"), "time", "location") if location == 1]
        self.assertEqual(times, [1010] * 3 + [2000] * 3 + [3010] * 3 + [4000] * 3 + [5010] * 3 + [6000] * 3)
        self.assertEqual(programs.tables("clock", self.path("out.otf"))["clock"][0]["violations"], 0)
        self.assertEqual(programs.tables("clock", trace)["clock"][0]["violations_after_offsets"], 2)

    def test_retime_records_of_picl_that_say_no_correction_leave_lines_to_messages(self):
        """PICL's records of clocksync0 (-401) say that clocks were synchronised, not by how much. Microseconds of the same clocks as above, t =
        0.9 (p + 100), give the line of their messages: processor 1 begins at 0, which is p = -100."""
        records = [[(10, "-3 -401", ""), (20, "-4 -401", "")] for _ in range(2)]
        for step in range(3):
            for sender, began in ((0, 2000 * step + 1000), (1, 2000 * step + 2000)):
                slow = [(time, 9 * (time + 100) // 10) for time in (began, began + 10)]
                self.picl_message(records, sender, slow[0][sender], slow[1][1 - sender])
        trace = self.write_picl("synchronised.picl", records)
        [row] = self.lines(trace)
        self.assertEqual((row["parent"], row["drift"], row["begin_ns"], row["syncs"]), ("0/0", 0.1, -100000, 0))

    def write_picl(self, name, records):
        """A list for each processor of (microseconds, record and event type, data) becomes a trace."""
        trace = self.path(name)
        with open(trace, "w", encoding="ascii") as file:
            for own, events in enumerate(records):
                for time, record, data in [(0, "-3 -901", ""), *events, (9999, "-4 -901", "")]:
                    file.write(f"{record} {time / 1e6:.6f} {own} 0 {data or 0}\n")
        return trace

    @staticmethod
    def picl_message(records, sender, sent, received):
        """Of 8 bytes and type 7; sent and received at once."""
        records[sender] += [(sent, "-3 -21", f"4 2 8 7 {1 - sender} 0"), (sent, "-4 -21", "")]
        records[1 - sender] += [(received, "-3 -52", ""), (received, "-4 -52", f"4 2 8 7 {sender} 0")]

    def test_retime_messages_take_the_least_time_in_whole_ticks(self):
        """In microseconds 500 ns are 1: what is sent at 1000 is received at 1001, by 101 later; so what is sent at 905 leaves at 1006 and is
        received at 1007. With 500 ns they would be 1005.5 and 1006, and both be written as 1006."""
        records = [[], []]
        self.picl_message(records, 0, 1000, 900)
        self.picl_message(records, 1, 905, 1001)
        trace = self.write_picl("t.picl", records)
        output = self.correct(trace, "clc", "--l-min", "500")
        times = [(kind, time) for kind, time in self.events(output, "kind", "time") if kind in ("send", "recv")]
        self.assertEqual(times, [("send", 1000), ("recv", 1001), ("send", 1006), ("recv", 1007)])
        self.assertEqual(programs.tables("clock", output, "--l-min", "500")["clock"][0]["violations"], 0)

    def test_retime_a_line_needs_messages_before_and_behind_each_other(self):
        """One message forward and, later, one back: the later they are thought to be, the more room there is."""
        for program, drift in (([programs.send(10, 10, 1) + programs.receive(60, 60, 1),
                                 programs.receive(15, 15, 0) + programs.send(50, 50, 0)], None),
                               ([programs.send(10, 10, 1) + programs.receive(60, 60, 1) + programs.send(70, 70, 1),
                                 programs.receive(15, 15, 0) + programs.send(50, 50, 0) + programs.receive(75, 75, 0)], 0)):
            trace = programs.write(self.path("t.otf"), program)
            self.assertEqual([row["drift"] for row in self.lines(trace)], [drift])
            done = self.run_quipu("clock", trace, "-o", self.path("out.otf"), "--correct", "linear", "--force")
            self.assertEqual("no line fits the clocks of 1 locations" in done.stderr, drift is None)
            offsets = self.events(self.correct(trace, "offset"), *self.ALL)
            if drift is None:
                self.assertEqual(self.events(self.correct(trace, "linear"), *self.ALL), offsets)

    @staticmethod
    def limits(program):
        """Of two processes: (time of the first, least offset) and (time of the first, largest offset) of the second, from messages."""
        ends = {"S": ([], []), "R": ([], [])}
        for process, events in enumerate(program):
            for time, record in events:
                if record[0] in "SR":
                    tag = record.split("T")[1].split("C")[0]
                    sender = process if record[0] == "S" else 1 - process
                    ends[record[0]][sender].append((tag, time))
        below, above = [], []
        for sender in (0, 1):
            for tag in {tag for tag, _ in ends["S"][sender]}:
                sends, receives = ([time for one, time in ends[kind][sender] if one == tag] for kind in "SR")
                for sent, received in zip(sends, receives):
                    if sender == 0:
                        below.append((sent, sent - received))
                    else:
                        above.append((received, received - sent))
        return below, above

    @staticmethod
    def best_line(below, above):
        """The slope and the middle at time 0 of the line that is farthest from both, by trying the slopes between all points; None: nothing
        limits the slope, or no clock has it, or there is no line."""
        def middle(slope):
            low, high = max(y - slope * x for x, y in below), min(y - slope * x for x, y in above)
            return high - low, -abs(slope), slope, (high + low) / 2
        slopes = {Fraction(q[1] - p[1], q[0] - p[0]) for side in (below, above) for p in side for q in side if p[0] != q[0]} | {Fraction(0)}
        if min(x for x, _ in below) > max(x for x, _ in above) or max(x for x, _ in below) < min(x for x, _ in above):
            return None
        room, _, slope, at_zero = max(map(middle, slopes))
        return (slope, at_zero) if room >= 0 and abs(slope) < 1 else None

    def test_retime_lines_are_farthest_from_all_messages(self):
        found = 0
        for seed in range(4 * len(SEEDS)):
            numbers = random.Random(seed)
            program = programs.random_program(numbers, 2, 90)
            rate, offset = Fraction(numbers.randint(80, 120), 100), numbers.randint(0, 50)
            program[1] = [(int(time * rate) + offset, record) for time, record in program[1]]
            trace = programs.write(self.path("t.otf"), program)
            below, above = self.limits(program)
            rows = self.lines(trace)
            if not below or not above:
                self.assertEqual(rows, [], seed)
                continue
            expected, first = self.best_line(below, above), program[1][0][0]
            self.assertEqual(rows[0]["drift"] is None, expected is None, seed)
            if expected is None:
                continue
            slope, at_zero = expected
            found += 1
            self.assertAlmostEqual(rows[0]["drift"], float(slope), 11, seed)
            self.assertEqual(rows[0]["begin_ns"], math.floor((first + at_zero) / (1 - slope)), seed)
            times = [time for time, location in self.events(self.correct(trace, "linear"), "time", "location") if location == 1]
            moved = [math.floor((time + at_zero) / (1 - slope)) for time, _ in program[1]]
            self.assertEqual(times, [time - min(0, *moved) for time in moved], seed)
            row = programs.tables("clock", self.path("out.otf"))["clock"][0]
            self.assertEqual(row["violations"], 0, seed)
        self.assertGreater(found, len(SEEDS))

    def test_retime_lines_and_then_the_logical_clock_leave_nothing_broken(self):
        for seed, program, _ in self.drawn():
            numbers = random.Random(seed)
            drifted = [[(time * rate // 100, record) for time, record in events]
                       for events, rate in ((events, numbers.randint(90, 110)) for events in program)]
            trace = programs.write(self.path("t.otf"), drifted)
            row = programs.tables("clock", self.correct(trace, "linear,clc"))["clock"][0]
            self.assertEqual((row["violations"], row["collective_violations"]), (0, 0), seed)
            for events in (self.events(trace, *self.ALL), self.events(self.path("out.otf"), *self.ALL)):
                self.assertEqual(len(events), sum(map(len, drifted)), seed)
            for location in range(len(drifted)):
                before, behind = ([event[2:] for event in self.events(path, *self.ALL) if event[1] == location]
                                  for path in (trace, self.path("out.otf")))
                self.assertEqual(before, behind, seed)

    def test_retime_says_what_moved(self):
        trace = programs.write(self.path("t.otf"), self.BEHIND)
        done = self.run_quipu("clock", trace, "-o", self.path("c.otf"), "--correct", "clc")
        self.assertIn("4 events moved, at most 90 ns later", done.stderr)

    def test_retime_needs_what_it_needs(self):
        trace, output = programs.write(self.path("t.otf"), self.BEHIND), self.path("c.otf")
        for words in (("clock", trace, "-o", output, "--correct", "other"), ("clock", trace, "-o", output, "--gamma", "1"),
                      ("clock", trace, "-o", output, "--correct", "clc", "--gamma", "2"),
                      ("clock", trace, "-o", output, "--correct", "offset,linear"), ("clock", trace, "--correct", "clc"),
                      ("clock", trace, "-o", output, "--correct", "clc", "--since", "5"), ("clock", trace, "-o", output)):
            self.run_quipu(*words, code=2)
        self.assertFalse(os.path.exists(output))

    def files(self):
        return sorted(os.listdir(self.folder))

    def test_retime_writes_a_trace_whatever_its_name(self):
        trace = programs.write(self.path("t.otf"), self.BEHIND)
        for words in (("replay", trace, "--network", "ideal"), ("clock", trace, "--correct", "clc")):
            self.run_quipu(*words, "-q", "-f", "-o", self.path("known.otf"))
            expected = self.events(self.path("known.otf"), *self.ALL)
            for name in ("new.trace", "new.txt", "new"):
                done = self.run_quipu(*words, "-f", "--json", "-o", self.path(name))
                self.assertIn('"quipu"', done.stdout)
                self.assertIn("(OTF)", done.stderr)
                self.assertEqual(self.events(self.path(name), *self.ALL), expected, (words, name))
            self.run_quipu(*words, "-q", "-f", "--to", "picl", "-o", self.path("other"))
            self.assertEqual(json.loads(self.run_quipu("info", "--json", self.path("other")).stdout)["format"], "picl")

    def test_retime_options_of_a_trace_need_one(self):
        trace = programs.write(self.path("t.otf"), self.BEHIND)
        before = self.files()
        for words in (("--to", "otf"), ("--report", self.path("r")), ("--compress", "3"), ("--set", "long=yes"), ("--streams", "1"), ("--dry-run",), ("--fail-on-loss",)):
            for output in ((), ("-o", "-")):
                said = self.run_quipu("replay", trace, *words, *output, code=2).stderr
                self.assertIn(f"{words[0]} is for the trace that replay writes with -o FILE", said)
            said = self.run_quipu("clock", trace, *words, "-o", self.path("answer"), code=2).stderr
            self.assertIn(f"{words[0]} is for the trace that clock writes with --correct and -o FILE", said)
        for output in ((), ("-o", "-")):
            self.assertIn("clock --correct writes a trace: it needs -o FILE", self.run_quipu("clock", trace, "--correct", "clc", *output, code=2).stderr)
        self.assertEqual(self.files(), before)

    def test_retime_calls_that_wait_in_a_circle_have_no_times(self):
        program = [programs.send(0, 1, 1) + programs.receive(1, 9, 1), programs.send(0, 1, 0) + programs.receive(1, 9, 0)]
        trace = programs.write(self.path("t.otf"), program)
        done = self.run_quipu("replay", trace, "-o", self.path("c.otf"), "--network", "loggops", "--eager", "0", code=4)
        self.assertIn("wait for each other in a circle", done.stderr)
        self.assertFalse(os.path.exists(self.path("c.otf")))
        receives_first = [programs.receive(0, 4, 1) + programs.send(5, 6, 1), programs.receive(0, 4, 0) + programs.send(5, 6, 0)]
        trace = programs.write(self.path("u.otf"), receives_first)
        for command in ("efficiency", "replay", "why"):
            self.assertIn("wait for each other in a circle", self.run_quipu(command, trace, code=0).stderr, command)

    def told(self, report):
        """By record type, how many are written with other times or values."""
        records = json.loads(Path(report).read_text(encoding="utf-8"))["records"]
        return [field["count"] for record in records for field in record["fields"] if field["why"].startswith("times or values")]

    def test_retime_a_return_to_0_is_the_last_time_where_times_may_not_go_back(self):
        for name, text in (("back.otf", "1:1\n"), ("back.0.def", 'DTRf4240\nDP1NM"p"\nDFG3NM"g"\nDF1G3NM"a"\nDF2G3NM"b"\n'),
                           ("back.1.events", "0\n*1\nE1\n5\nE2\n7\nL2\n0\nE2\n7\nL2\n9\nL1\n")):
            Path(self.path(name)).write_text(text, encoding="ascii")
        for target in ("otf2", "ovni", "paraver"):
            output, report = self.path(target), self.path(target + ".json")
            self.run_quipu("convert", "-q", self.path("back.otf"), "-o", output, "--to", target, "--report", report)
            self.run_quipu("check", output)
            calls = [event[:2] for event in self.events(output, "time", "region_name", "kind") if event[2] in ("enter", "leave")]
            times = {int(time) // (1 if target == "otf2" else 1000) for time, _ in calls}
            self.assertEqual((len(calls), times), (6, {0, 5, 7, 9}), target)
            self.assertEqual([time for time, _ in calls], sorted(time for time, _ in calls), target)
            self.assertEqual(self.told(report), [1], target)

    def test_retime_times_between_those_that_a_target_has_are_told(self):
        for name, text in (("fine.otf", "1:1\n"), ("fine.0.def", 'DTRb2d05e00\nDP1NM"p"\nDFG3NM"g"\nDF1G3NM"a"\nDF2G3NM"b"\n'),  # 3 GHz
                           ("fine.1.events", "0\n*1\nE1\n5\nE2\n7\nL2\n9\nL1\n")):
            Path(self.path(name)).write_text(text, encoding="ascii")
        targets = dict.fromkeys(("dumpi", "ovni", "paraver", "picl", "chrome", "perfetto"), [1, 1])  # enter at 5/3 ns, leave at 7/3 ns
        for target, expected in {**targets, "otf": [], "otf2": []}.items():
            report = self.path(target + ".json")
            self.run_quipu("convert", "-q", self.path("fine.otf"), "-o", self.path(target + "-of-fine"), "--to", target, "--report", report)
            self.assertEqual(self.told(report), expected, target)


if __name__ == "__main__":
    unittest.main()
