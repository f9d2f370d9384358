"""What holds for every trace, on programs that are drawn by lot: the rules of the causal analyses that test_causes.py and test_retime.py have
not. Each test says which rule it is about."""
import json
import os
import random
import re
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(int(os.environ.get("QUIPU_PROGRAMS", "10")))
PASSIVE = ("barrier-completion", "nxn-completion", "io-wait")


def shifted(events, by):
    return [(time + by, record) for time, record in events]


def scaled(program, factor):
    return [[(time * factor, record) for time, record in events] for events in program]


def relabelled(program, to):
    """The same program with process i called to[i]."""
    def partner(found):
        return f"{found[1]}{to[int(found[2], 16) - 1] + 1:x}"
    renamed = [None] * len(program)
    for process, events in enumerate(program):
        renamed[to[process]] = [(time, re.sub(r"^([SR])([0-9a-f]+)|(?<=C63)(RT)([1-9a-f][0-9a-f]*)",
                                              lambda found: partner(found) if found[1] else partner((0, found[3], found[4])), record))
                                for time, record in events]
    return renamed


def calls_of(events, region):
    """(enter, leave) of each call of a region, of programs whose regions of a name do not nest."""
    number, found, entered = f"{programs.region(region):x}", [], None
    for time, record in events:
        if record == "E" + number:
            entered = time
        elif record == "L" + number:
            found.append((entered, time))
    return found


class Invariants(FolderTest):
    def programs(self, processes=None, steps=90, skew=0):
        for seed in SEEDS:
            numbers = random.Random(3000 + seed)
            program = programs.random_program(numbers, processes or numbers.randint(2, 6), steps, skew)
            yield seed, numbers, program, self.write(f"s{seed}.otf", program)

    def write(self, name, program):
        return programs.write(self.path(name), program)

    def waits(self, trace, *options):
        return programs.tables("waits", trace, *options)["waits"]

    def listed(self, trace):
        return programs.tables("waits", trace, "--list")["instances"]

    # ---- 1. Matching ----

    def test_invariants_the_order_of_streams_changes_nothing(self):
        for seed, numbers, _, trace in self.programs():
            before = {command: programs.tables(command, trace) for command in ("waits", "comm", "critical-path", "clock", "phases")}
            with open(trace, encoding="ascii") as file:
                lines = file.readlines()
            numbers.shuffle(lines)
            with open(trace, "w", encoding="ascii") as file:
                file.writelines(lines)
            for command, expected in before.items():
                self.assertEqual(programs.tables(command, trace), expected, (seed, command))

    def test_invariants_threads_change_nothing(self):
        for seed, _, _, trace in self.programs(steps=60):
            for words in (("comm",), ("critical-path",), ("efficiency",), ("imbalance",), ("clock",), ("phases", "--iterations"), ("replay",),
                          ("timeline",), ("timeline", "--by", "all", "--bins", "9")):
                self.assertEqual(programs.tables(words[0], trace, *words[1:], "--threads", "3"), programs.tables(words[0], trace, *words[1:]),
                                 (seed, words))

    def test_invariants_bins_add_up_to_the_profile(self):
        """Each bin's parts add up to its length, at each location; whatever the number of bins, time and calls of all of them are the profile's."""
        for seed, _, program, trace in self.programs():
            of_profile = [row for row in programs.tables("profile", trace)["profile"]]
            spans = [(min(time for time, _ in events), max(time for time, _ in events)) for events in program]
            for bins in (1, 7, 80):
                rows = programs.tables("timeline", trace, "--bins", str(bins))["timeline"]
                spent = [name for name in rows[0] if name.endswith("_ns") and name not in ("from_ns", "to_ns", "region_ns")]
                for row in rows:
                    self.assertEqual(sum(row[name] for name in spent), row["to_ns"] - row["from_ns"], (seed, bins, row))
                    self.assertLessEqual(row["region_ns"], row["to_ns"] - row["from_ns"])
                self.assertEqual(sum(row["calls"] for row in rows), sum(row["calls"] for row in of_profile), seed)
                self.assertEqual(sum(row["absent_ns"] for row in rows), sum(
                    max(end for _, end in spans) - min(begin for begin, _ in spans) - (end - begin) for begin, end in spans), seed)
                p2p = sum(row["exclusive_ns"] for row in of_profile if row["region"] in ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait"))
                self.assertLessEqual(p2p, sum(row["mpi_p2p_ns"] for row in rows), seed)

    def test_invariants_waits_of_bins_add_up_to_all_waits(self):
        """By location and pattern, whatever the number of bins and threads."""
        for seed, _, _, trace in self.programs(skew=20):
            expected = {}
            for row in self.waits(trace):
                key = (row["location_id"], row["pattern"])
                expected[key] = expected.get(key, 0) + row["time_ns"]
            for options in (("--bins", "1"), ("--bins", "13"), ("--threads", "3")):
                found = {}
                for row in programs.tables("timeline", trace, "--waits", *options)["timeline_waits"]:
                    self.assertLessEqual(row["time_ns"], row["to_ns"] - row["from_ns"])
                    key = (row["location_id"], row["pattern"])
                    found[key] = found.get(key, 0) + row["time_ns"]
                self.assertEqual(found, expected, (seed, options))

    def test_invariants_matched_sends_are_the_first_of_their_key(self):
        """Also where receives are missing: the n-th one that is left gets the n-th send."""
        for seed, numbers, program, _ in self.programs():
            sent, received, remaining = {}, {}, []
            for process, events in enumerate(program):
                left, i = [], 0
                while i < len(events):
                    sends, receives = (re.match(letter + "([0-9a-f]+)L8T([0-9a-f]+)C63", events[i][1]) for letter in "SR")
                    if receives and numbers.random() < 0.3:
                        i += 1
                        continue
                    for found, times in ((sends, sent), (receives, received)):
                        if found:
                            partner = int(found[1], 16) - 1
                            key = (process, partner, int(found[2], 16)) if found is sends else (partner, process, int(found[2], 16))
                            times.setdefault(key, []).append(events[i][0])
                    left.append(events[i])
                    i += 1
                remaining.append(left)
            matched, count = {}, 0
            for row in programs.tables("messages", self.write("t.otf", remaining))["messages"]:
                if row["sent_ns"] is None or row["received_ns"] is None:
                    count += 1
                    continue
                key = (row["sender_id"] - 1, row["receiver_id"] - 1, row["tag"])
                matched.setdefault(key, []).append((row["sent_ns"], row["received_ns"]))
            self.assertGreater(count, 0, seed)
            for key, times in sent.items():
                self.assertEqual(sorted(matched.get(key, [])), list(zip(times, received.get(key, []))), (seed, key))

    # ---- 2. Waits ----

    def test_invariants_parts_lie_in_their_calls_and_do_not_overlap(self):
        for seed, _, program, trace in self.programs(skew=30):
            of_location = {}
            for row in self.listed(trace):
                calls = calls_of(program[row["location_id"] - 1], row["region"])
                self.assertTrue([1 for enter, leave in calls if enter <= row["from_ns"] < row["to_ns"] <= leave], (seed, row))
                if row["pattern"] not in PASSIVE:
                    of_location.setdefault(row["location_id"], []).append((row["from_ns"], row["to_ns"]))
            for intervals in of_location.values():
                intervals.sort()
                self.assertTrue(all(a[1] <= b[0] for a, b in zip(intervals, intervals[1:])), seed)

    def test_invariants_earlier_sends_are_no_later_senders(self):
        for seed, _, program, trace in self.programs():
            earlier = []
            for events in scaled(program, 4):
                for i, (time, record) in enumerate(events):
                    is_send = record == f"E{programs.region('MPI_Send'):x}"
                    if is_send and i > 0 and events[i - 1][0] < time:
                        events[i] = (time - 1, record)
                        events[i + 1] = (time - 1, events[i + 1][1])
                earlier.append(events)
            late = [sum(row["time_ns"] for row in self.waits(path) if row["pattern"].startswith("late-sender"))
                    for path in (self.write("e.otf", earlier), trace)]
            self.assertLessEqual(late[0], 4 * late[1], seed)

    # ---- 3. Causes ----

    def test_invariants_costs_are_of_those_that_others_wait_for(self):
        for seed, _, _, trace in self.programs(skew=20):
            awaited = {row["peer"] for row in self.waits(trace) if row["pattern"] not in PASSIVE}
            for row in programs.tables("waits", trace, "--causes")["delays"]:
                self.assertIn(row["location"], awaited, seed)

    def test_invariants_one_late_location_and_one_wait_have_all_costs(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            began, late = numbers.randint(0, 50), numbers.randint(60, 200)
            program = [[programs.enter(0, "work"), programs.leave(late, "work"), *programs.send(late, late + 1, 1)],
                       [programs.enter(0, "work"), programs.leave(began, "work"), *programs.receive(began, late + 5, 0)]]
            costs = programs.tables("waits", self.write("t.otf", program), "--causes")["delays"]
            self.assertEqual([(row["location"], row["region"], row["short_ns"], row["long_ns"]) for row in costs],
                             [("rank 0", "work", late - began, 0)], seed)

    def test_invariants_costs_scale_with_time(self):
        """Shares of a wait are whole numbers: each may be off by less than one before they are scaled."""
        for seed, _, program, trace in self.programs():
            def costs(path):
                return {(row["location"], row["path"]): row["short_ns"] + row["long_ns"]
                        for row in programs.tables("waits", path, "--causes")["delays"]}
            seven, one = costs(self.write("t.otf", scaled(program, 7))), costs(trace)
            count = sum(row["instances"] for row in self.waits(trace))
            self.assertEqual(sum(seven.values()), 7 * sum(one.values()), seed)
            for key in {*seven, *one}:
                self.assertLessEqual(abs(seven.get(key, 0) - 7 * one.get(key, 0)), 7 * count, (seed, key))

    # ---- 4. Critical path ----

    def test_invariants_no_segment_overlaps_a_wait_that_ends_inside_it(self):
        for seed, _, _, trace in self.programs():
            segments = programs.tables("critical-path", trace)["segments"]
            for wait in self.listed(trace):
                if wait["pattern"] in PASSIVE:
                    continue
                for segment in segments:
                    overlaps = (segment["location_id"] == wait["location_id"] and segment["from_ns"] < wait["to_ns"] <= segment["to_ns"]
                                and wait["from_ns"] < segment["to_ns"])
                    self.assertFalse(overlaps, (seed, wait, segment))

    def test_invariants_without_waits_the_path_is_one_segment(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = []
            for _ in range(numbers.randint(1, 4)):
                now, events = numbers.randint(0, 9), []
                for _ in range(numbers.randint(1, 9)):
                    events += [programs.enter(now, "work"), programs.leave(now + numbers.randint(1, 9), "work")]
                    now = events[-1][0] + numbers.randint(0, 3)
                program.append(events)
            self.assertEqual(len(programs.tables("critical-path", self.write("t.otf", program))["segments"]), 1, seed)

    def test_invariants_shorter_bursts_make_no_longer_ideal_replays(self):
        for seed, numbers, program, trace in self.programs():
            process = numbers.randrange(len(program))
            events = program[process]
            bursts = [i for i, (_, record) in enumerate(events) if record == f"L{programs.region('work'):x}"]
            if not bursts:
                continue
            i = numbers.choice(bursts)
            by = numbers.randint(0, events[i][0] - events[i - 1][0])
            changed = [*program[:process], events[:i] + shifted(events[i:], -by), *program[process + 1:]]
            # Whom a receiver holds up follows from the times of the trace: with other times it may be others.
            ideal = [programs.tables("replay", path, "--network", "ideal", "--eager-limit", "1G")["replay"][0]["replayed_ns"]
                     for path in (self.write("t.otf", changed), trace)]
            self.assertLessEqual(ideal[0], ideal[1], (seed, process, by))

    # ---- 5. Efficiency ----

    def test_invariants_efficiencies_do_not_depend_on_the_unit_of_time(self):
        for seed, _, program, trace in self.programs():
            one, other = (programs.tables("efficiency", path)["efficiency"][0] for path in (trace, self.write("t.otf", scaled(program, 3))))
            for name, value in one.items():
                expected = value * 3 if name.endswith("_ns") else value
                self.assertEqual(other[name], expected, (seed, name))

    def test_invariants_efficiencies_of_bins(self):
        """The useful time of bins adds up; none is longer in the replay than in the trace, or shorter than its useful time; one bin is the whole."""
        for seed, _, _, trace in self.programs():
            for selected in ((), ("--location", "0"), ("--since", "20%", "--until", "80%"), ("--eager-limit", "1M")):
                whole = programs.tables("efficiency", trace, *selected)["efficiency"][0]
                for bins in (1, 5, 80):
                    rows = programs.tables("efficiency", trace, "--over", "time", "--bins", str(bins), *selected)["efficiency_bins"]
                    self.assertEqual(sum(row["useful_sum_ns"] for row in rows), whole["useful_sum_ns"], (seed, bins))
                    self.assertEqual(sum(row["runtime_ns"] for row in rows), whole["runtime_ns"], (seed, bins))
                    self.assertEqual((rows[0]["from_ns"], rows[-1]["to_ns"]), (whole["roi_begin_ns"], whole["roi_end_ns"]))
                    for row in rows:
                        self.assertLessEqual(row["useful_max_ns"], row["ideal_runtime_ns"], (seed, bins, row))
                        self.assertLessEqual(row["ideal_runtime_ns"], row["runtime_ns"], (seed, bins, row))
                    if bins == 1:
                        self.assertEqual({name: rows[0][name] for name in whole if name in rows[0]},
                                         {name: whole[name] for name in whole if name in rows[0]}, seed)

    def test_invariants_efficiencies_of_iterations(self):
        """They are those of quipu phases, inner ones behind the others."""
        for trace in (self.repeated(), os.path.join(os.path.dirname(programs.__file__), "../../examples/traces/phases/dumpi-2026.11.20.11.44.43.meta")):
            tables = programs.tables("phases", trace, "--iterations")
            expected = [(row["phase"], row["iteration"], row["from_ns"], row["length_ns"], row["useful_sum_ns"], row["useful_max_ns"])
                        for name in ("iterations", "inner_iterations") for row in tables.get(name, [])]
            rows = programs.tables("efficiency", trace, "--over", "phase")["efficiency_iterations"]
            self.assertEqual([(row["phase"], row["iteration"], row["from_ns"], row["runtime_ns"], row["useful_sum_ns"], row["useful_max_ns"])
                              for row in rows], expected)
            self.assertGreater(len(rows), 2)
            for row in rows:
                self.assertLessEqual(row["useful_max_ns"], row["ideal_runtime_ns"])
                self.assertLessEqual(row["ideal_runtime_ns"], row["runtime_ns"])

    def repeated(self):
        """Five steps of work and a barrier four times, with another message behind each five."""
        program = [[], []]
        for process, events in enumerate(program):
            time = 0
            events += [programs.enter(time, "main")]
            for step in range(20):
                events += programs.collective("MPI_Barrier", time + 5 + step % 3 + process, time + 20, step + 1)
                time += 20
                if step % 5 == 4:
                    events += programs.receive(time + 1, time + 6, 0) if process else programs.send(time + 3, time + 5, 1)
                    time += 10
            events += [programs.leave(time, "main")]
        return self.write("repeated.otf", program)

    # ---- 6. Imbalance ----

    def test_invariants_the_order_of_locations_changes_only_who_is_slowest(self):
        for seed, numbers, program, trace in self.programs():
            to = list(range(len(program)))
            numbers.shuffle(to)
            found = [sorted(({name: value for name, value in row.items() if not name.startswith("slowest")}
                             for row in programs.tables("imbalance", path)["imbalance"]), key=str)
                     for path in (trace, self.write("t.otf", relabelled(program, to)))]
            self.assertEqual(found[0], found[1], seed)

    # ---- 7. Communication ----

    def test_invariants_pairs_have_all_messages_and_bytes(self):
        for seed, _, _, trace in self.programs():
            found, matched = programs.tables("comm", trace), programs.tables("waits", trace)["matching"][0]["matched"]
            for table in ("pairs", "sizes"):
                self.assertEqual(sum(row["messages"] for row in found[table]), matched, (seed, table))
            self.assertEqual(sum(row["bytes"] for row in found["pairs"]), sum(row["bytes"] for row in found["sizes"]), seed)

    def test_invariants_without_a_location_its_pairs_are_gone(self):
        for seed, _, program, trace in self.programs(processes=4):
            left = [row for row in programs.tables("comm", trace)["pairs"] if "rank 3" not in (row["sender"], row["receiver"])]
            self.assertEqual(programs.tables("comm", self.write("t.otf", [*program[:3], []]))["pairs"], left, seed)

    def test_invariants_rings_and_all_to_all_stay_that_whoever_begins(self):
        for count in (4, 5, 8):
            rings = [[process, (process + 1) % count] for process in range(count)]
            everyone = [[process, other] for process in range(count) for other in range(count) if other != process]
            for edges, name in ((rings, "ring"), (everyone, "all-to-all")):
                program = [[] for _ in range(count)]
                for number, (sender, receiver) in enumerate(edges):
                    program[sender] += programs.send(10 * number, 10 * number + 1, receiver)
                    program[receiver] += programs.receive(10 * number, 10 * number + 2, sender)
                program = [sorted(events, key=lambda event: event[0]) for events in program]
                for by in range(count):
                    rotated = relabelled(program, [(process + by) % count for process in range(count)])
                    row = programs.tables("comm", self.write("t.otf", rotated))["pattern"][0]
                    self.assertEqual((row["pattern"], float(row["fit"])), (name, 1), (count, by))

    # ---- 8. Clocks ----

    def test_invariants_the_logical_clock_shrinks_no_distance(self):
        for seed, _, program, trace in self.programs(skew=60):
            output = self.path("out.otf")
            subprocess.run([programs.QUIPU, "clock", "-q", "--force", trace, "-o", output, "--correct", "clc"], check=True)
            listed = subprocess.run([programs.QUIPU, "cat", "--json", output], stdout=subprocess.PIPE, check=True, text=True).stdout
            times = [[] for _ in program]
            for event in map(json.loads, listed.splitlines()):
                times[event["location"]].append(event["time"])
            for before, behind in zip(program, times):
                old = [time for time, _ in before]
                self.assertEqual(len(old), len(behind), seed)
                for a, b, c, d in zip(old, old[1:], behind, behind[1:]):
                    self.assertLessEqual(b - a, d - c, seed)

    # ---- 9. Phases ----

    def steps(self, lengths, extra=None):
        """Two processes in a loop of barriers of these lengths; behind the step extra comes another call."""
        program = [[], []]
        for events in program:
            now = 0
            for step, length in enumerate(lengths):
                events += programs.collective("MPI_Barrier", now, now + length, step + 1)
                now += length
                if step == extra:
                    events += programs.collective("MPI_Bcast", now, now + 1, 1000, 0)
                    now += 1
        return program

    def test_invariants_another_call_changes_no_other_iteration(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            lengths = [numbers.randint(1, 50) for _ in range(20)]
            extra = numbers.randint(3, 15)
            rows = programs.tables("phases", self.write("t.otf", self.steps(lengths, extra)), "--iterations")["iterations"]
            self.assertEqual([row["length_ns"] for row in rows], lengths, (seed, extra))

    def test_invariants_a_trace_in_a_row_has_as_many_iterations(self):
        """k times the same events one after the other have k iterations, or a multiple."""
        for seed in SEEDS:
            numbers = random.Random(seed)
            count, body, now = numbers.randint(3, 7), [], 0
            for number in range(numbers.randint(1, 4)):
                body += programs.collective(numbers.choice(("MPI_Barrier", "MPI_Allreduce")), now, now + numbers.randint(1, 9), number + 1)
                now = body[-1][0] + numbers.randint(0, 5)
            program = [[event for k in range(count) for event in shifted(body, k * (now + 1))] for _ in range(2)]
            rows = programs.tables("phases", self.write("t.otf", program))["phases"]
            self.assertEqual(len(rows), 1, seed)
            self.assertEqual(rows[0]["iterations"] % count, 0, (seed, count, rows))

    # ---- 12. Where the time went ----

    def test_invariants_the_account_scales_with_time(self):
        """Exactly, by part and by kind; what others wait for is shared in whole nanoseconds."""
        for seed, _, program, trace in self.programs():
            def figures(path):
                found, kinds = programs.tables("why", path), {}
                for row in found["spent"]:
                    kinds[row["kind"]] = kinds.get(row["kind"], 0) + row["time_ns"]
                return {**{row["part"]: row["time_ns"] for row in found["account"]}, **kinds}
            three = figures(self.write("t.otf", scaled(program, 3)))
            self.assertEqual(three, {name: 3 * time for name, time in figures(trace).items()}, seed)

    def test_invariants_nothing_is_lost_only_where_all_are_useful(self):
        """Work and time outside of any region from the same begin to the same end; then a nanosecond of that in MPI, or at no location."""
        for seed in SEEDS:
            numbers = random.Random(seed)
            count, length = numbers.randint(2, 5), numbers.randint(20, 200)
            program = [[programs.enter(0, "main"), programs.enter(numbers.randint(1, 9), "work"), programs.leave(length - 5, "work"),
                        programs.leave(length, "main")] for _ in range(count)]
            last = numbers.randrange(count)
            waits, ends = [list(events) for events in program], [list(events) for events in program]
            waits[last][-1:] = [programs.enter(length - 1, "MPI_Barrier"), programs.leave(length, "MPI_Barrier"), programs.leave(length, "main")]
            ends[last][-1] = programs.leave(length - 1, "main")
            lost = [programs.tables("why", self.write("t.otf", changed))["account"][0]["time_ns"] for changed in (program, waits, ends)]
            self.assertEqual(lost, [0, 1, 1], seed)


if __name__ == "__main__":
    unittest.main()
