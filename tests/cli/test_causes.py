"""Waits and what follows from them, on programs that are drawn by lot: the rules that hold for every trace, and a second, slow
implementation where it is at hand."""
import json
import os
import pathlib
import random
import subprocess
import unittest

import oracle
import programs
from folder import FolderTest

SEEDS = range(int(os.environ.get("QUIPU_PROGRAMS", "12")))
PASSIVE = ("barrier-completion", "nxn-completion", "io-wait")


def plain(rows, columns):
    """The rows as a set of tuples with these columns, numbers that are exact decimals as such."""
    return sorted(tuple(str(row[column]) for column in columns) for row in rows)


class Causes(FolderTest):
    def programs(self, skew=0, steps=90):
        """(seed, random numbers, path of the trace)"""
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.random_program(numbers, numbers.randint(2, 6), steps, skew)
            yield seed, program, programs.write(self.path(f"s{seed}.otf"), program)

    def waits(self, trace, *options):
        return programs.tables("waits", trace, *options)

    def test_causes_matched_and_unmatched_add_up(self):
        for seed, _, trace in self.programs():
            found = self.waits(trace)["matching"][0]
            self.assertEqual(found["matched"] + found["unmatched_sends"], found["sends"], seed)
            self.assertEqual(found["matched"] + found["unmatched_receives"], found["receives"], seed)
            self.assertEqual(found["complete"] + found["incomplete"] + found["mixed"], found["collectives"], seed)

    def test_causes_sums_do_not_depend_on_the_keys(self):
        for seed, _, trace in self.programs():
            whole = sum(row["time_ns"] for row in self.waits(trace)["waits"])
            for keys in ("pattern", "location", "peer,region", "communicator"):
                self.assertEqual(sum(row["time_ns"] for row in self.waits(trace, "--by", keys)["waits"]), whole, (seed, keys))

    def test_causes_larger_eager_limits_leave_late_senders_alone(self):
        for seed, _, trace in self.programs():
            found = [{row["pattern"]: row["time_ns"] for row in self.waits(trace, "--by", "pattern", "--eager-limit", limit)["waits"]}
                     for limit in ("0", "8", "9")]
            senders = [sum(time for name, time in one.items() if name.startswith("late-sender")) for one in found]
            self.assertEqual(len(set(senders)), 1, seed)
            receivers = [one.get("late-receiver", 0) for one in found]
            self.assertEqual(receivers, sorted(receivers, reverse=True), seed)
            self.assertEqual(receivers[2], 0, seed)

    def test_causes_shifting_and_scaling_times(self):
        for seed, program, trace in self.programs():
            expected = self.waits(trace)["waits"]
            shifted = [[(time + 1000, record) for time, record in events] for events in program]
            scaled = [[(time * 7, record) for time, record in events] for events in program]
            self.assertEqual(self.waits(programs.write(self.path("t.otf"), shifted))["waits"], expected, seed)
            seven = self.waits(programs.write(self.path("u.otf"), scaled))["waits"]
            self.assertEqual([row["time_ns"] for row in seven], [7 * row["time_ns"] for row in expected], seed)

    def test_causes_survive_a_conversion_that_keeps_blocking_calls(self):
        """OTF has no requests, so receivers of non-blocking calls are late at other times; and no inter-communicators."""
        source = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."))
        traces = [source / "tests/data/sweep/dumpi/ring.meta", *sorted(source.glob("examples/traces/*/*.meta")),
                  *sorted((oracle.SHARED / "traces/dumpi").glob("*-ompi/*.meta"))]
        compared = 0
        for number, trace in enumerate(traces):
            copy = self.path(f"c{number}.otf")
            done = subprocess.run([programs.QUIPU, "convert", "-q", trace, "-o", copy], stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                continue
            found = [{tuple(row[name] for name in ("from_ns", "to_ns", "pattern", "location", "region", "peer", "communicator"))
                      for row in self.waits(path, "--list")["instances"]
                      if row["pattern"] != "late-receiver" and "ntercomm" not in (row["communicator"] or "")}
                     for path in (str(trace), copy)]
            self.assertEqual(found[0], found[1], trace)
            compared += len(found[0])
        self.assertGreater(compared, 0)

    def test_causes_do_not_depend_on_threads(self):
        for _, _, trace in self.programs(steps=60):
            self.assertEqual(self.waits(trace), self.waits(trace, "--threads", "2"))

    def test_causes_options_that_would_mean_nothing_are_refused(self):
        trace = programs.write(self.path("t.otf"), [programs.send(10, 11, 1), programs.receive(0, 12, 0)])
        for options, message in ((("--causes", "--list"), b"exclude each other"), (("--causes", "--by", "peer"), b"--by means nothing with --causes"),
                                 (("--list", "--by", "peer"), b"--by means nothing with --list"),
                                 (("--overlap", "--causes"), b"--causes and --overlap exclude each other"),
                                 (("--since", "8", "--until", "5"), b"--since is not before --until")):
            done = subprocess.run([programs.QUIPU, "waits", trace, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), options)
            self.assertIn(message, done.stderr)

    def test_causes_report_what_is_asked_for(self):
        for seed, _, trace in self.programs():
            whole = self.waits(trace)["waits"]
            first = self.waits(trace, "--location", "rank 0")["waits"]
            self.assertEqual(plain(first, ("pattern", "peer", "time_ns")),
                             plain([row for row in whole if row["location"] == "rank 0"], ("pattern", "peer", "time_ns")), seed)
            halves = [sum(row["time_ns"] for row in self.waits(trace, *window)["waits"])
                      for window in (("--until", "200"), ("--since", "200"))]
            self.assertEqual(sum(halves), sum(row["time_ns"] for row in whole), seed)

    def test_causes_waits_are_taken_out_of_their_calls_also_where_others_were_active_inside(self):
        """By hand. Waiting from 35 to 40, rank 0 has spent 2 in MPI_Recv itself, of which 20 of waiting are taken out: -18 against 1 of
        rank 1, and 15 in main against 39. Of 5 ns, 24/43 and 19/43 are 3 and 2. Waiting from 10 to 30, all 20 are main's."""
        receiver = [programs.enter(0, "main"), programs.enter(10, "MPI_Recv"), programs.enter(11, "work"), programs.leave(29, "work"),
                    (30, "R2L8T1C63"), programs.leave(30, "MPI_Recv"), *programs.receive(35, 60, 1, 2), programs.leave(60, "main")]
        sender = [programs.enter(0, "main"), programs.enter(2, "MPI_Recv"), programs.leave(3, "MPI_Recv"), *programs.send(40, 41, 0, 2),
                  *programs.send(100, 101, 0, 1), programs.leave(101, "main")]
        costs = self.waits(programs.write(self.path("t.otf"), [receiver, sender]), "--causes")["delays"]
        self.assertEqual([(row["location"], row["path"], row["short_ns"], row["long_ns"]) for row in costs],
                         [("rank 1", "main", 23, 0), ("rank 1", "main > MPI_Recv", 2, 0)])

    def test_causes_where_roots_differ_that_of_the_lowest_process_counts(self):
        """Rank 0, which comes last, says that rank 1 is the root: so rank 1 waits for it from 0 to 10."""
        program = [programs.collective("MPI_Reduce", 10, 20, 1, 1), programs.collective("MPI_Reduce", 0, 20, 2, 0)]
        found = self.waits(programs.write(self.path("t.otf"), program))["waits"]
        self.assertEqual([(row["pattern"], row["location"], row["peer"], row["time_ns"]) for row in found],
                         [("early-reduce", "rank 1", "rank 0", 10)])

    def test_causes_costs_add_up_to_the_waits(self):
        for seed, _, trace in self.programs(skew=20):
            waited = sum(row["time_ns"] for row in self.waits(trace)["waits"] if row["pattern"] not in PASSIVE)
            costs = self.waits(trace, "--causes")["delays"]
            self.assertEqual(sum(row["short_ns"] + row["long_ns"] for row in costs), waited, seed)

    def test_causes_costs_add_up_to_the_waits_that_are_reported(self):
        for seed, _, trace in self.programs(skew=20):
            for options in (("--until", "200"), ("--since", "200"), ("--since", "150", "--until", "250"), ("--location", "rank 0")):
                waited = sum(row["time_ns"] for row in self.waits(trace, *options)["waits"] if row["pattern"] not in PASSIVE)
                costs = self.waits(trace, "--causes", *options)["delays"]
                self.assertEqual(sum(row["short_ns"] + row["long_ns"] for row in costs), waited, (seed, options))

    def test_causes_the_critical_path_is_as_long_as_the_run(self):
        for seed, program, trace in self.programs(skew=20):
            found = programs.tables("critical-path", trace)
            times = [time for events in program for time, _ in events]
            path, segments = found["critical_path"][0], found["segments"]
            self.assertEqual(path["runtime_ns"], max(times) - min(times), seed)
            self.assertEqual(sum(row["duration_ns"] for row in segments), path["runtime_ns"], seed)
            self.assertEqual(sum(row["path_ns"] for row in found["path_profile"]), path["runtime_ns"], seed)
            self.assertEqual([row["to_ns"] for row in segments][:-1], [row["from_ns"] for row in segments][1:], seed)
            self.assertEqual(path["segment_count"], len(segments), seed)
            self.assertEqual(path["location_count"], len({row["location"] for row in segments}), seed)

    def test_causes_the_critical_path_names_the_region_with_most_time(self):
        program = [[programs.enter(0, "main"), programs.enter(10, "work"), programs.leave(90, "work"), *programs.send(90, 95, 1),
                    programs.leave(95, "main")],
                   [programs.enter(0, "main"), *programs.receive(20, 100, 0), programs.leave(130, "main")]]
        found = programs.tables("critical-path", programs.write(self.path("t.otf"), program))
        self.assertEqual([tuple(row.values()) for row in found["segments"]],
                         [(0, 90, 90, "rank 0", 1, "work", None, "late-sender"), (90, 130, 40, "rank 1", 2, "main", None, "end")])

    def test_causes_the_path_before_the_first_event_of_a_location_is_in_no_region(self):
        """Also where no time passes from the first event to the last, in a call that never ends."""
        program = [[programs.enter(27, "main")], [programs.enter(0, "work"), programs.leave(0, "work")]]
        found = programs.tables("critical-path", programs.write(self.path("t.otf"), program))
        self.assertEqual([(row["region"], row["path_ns"]) for row in found["path_profile"]], [(None, 27)])

    def test_causes_efficiencies_are_products(self):
        for seed, _, trace in self.programs():
            row = {name: value if name.endswith("_ns") else float(value)
                   for name, value in programs.tables("efficiency", trace)["efficiency"][0].items() if value is not None}
            self.assertAlmostEqual(row["load_balance"] * row["communication_efficiency"], row["parallel_efficiency"], 5, seed)
            self.assertAlmostEqual(row["serialisation_efficiency"] * row["transfer_efficiency"], row["communication_efficiency"], 5,
                                   seed)
            additive = row["load_balance_additive"] + row["serialisation_additive"] + row["transfer_additive"]
            self.assertAlmostEqual(additive - 2, row["parallel_efficiency"], 5, seed)
            self.assertLessEqual(row["useful_max_ns"], row["ideal_runtime_ns"], seed)
            self.assertLessEqual(row["ideal_runtime_ns"], row["runtime_ns"], seed)

    def test_causes_right_clocks_are_left_alone(self):
        for seed, _, trace in self.programs():
            row = programs.tables("clock", trace)["clock"][0]
            self.assertEqual((row["violations"], row["collective_violations"], row["clc_largest_ns"], row["clc_changed_events"]),
                             (0, 0, 0, 0), seed)

    def test_causes_injected_offsets_come_back_within_their_corridors(self):
        for seed, program, _ in self.programs():
            offsets = [37 * process % 101 for process in range(len(program))]
            moved = [[(time + offset, record) for time, record in events] for events, offset in zip(program, offsets)]
            for row in programs.tables("clock", programs.write(self.path("t.otf"), moved))["offsets"]:
                expected = offsets[0] - offsets[row["location_id"] - 1]
                self.assertLessEqual(abs(row["offset_ns"] - expected), row["corridor_ns"] / 2 + 1, (seed, row))

    def test_causes_a_measured_replay_keeps_the_run_time(self):
        for seed, _, trace in self.programs():
            row = programs.tables("replay", trace)["replay"][0]
            self.assertEqual((row["replayed_ns"], row["error_percent"], row["clock_violations"]), (row["runtime_ns"], 0, 0), seed)

    def test_causes_an_ideal_replay_is_the_ideal_run_time(self):
        for seed, _, trace in self.programs():
            ideal = programs.tables("efficiency", trace)["efficiency"][0]["ideal_runtime_ns"]
            row = programs.tables("replay", trace, "--network", "ideal")["replay"][0]
            twice = programs.tables("replay", trace, "--network", "ideal", "--cpu-factor", "2")["replay"][0]
            self.assertEqual((row["replayed_ns"], twice["replayed_ns"]), (ideal, 2 * ideal), seed)

    def test_causes_efficiency_is_that_of_the_region_of_interest(self):
        program = [[programs.enter(0, "main"), programs.enter(10, "work"), programs.leave(110, "work"), programs.leave(200, "main")],
                   [programs.enter(0, "main"), programs.enter(30, "work"), *programs.receive(40, 100, 0), programs.leave(130, "work"),
                    programs.leave(200, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        for options, expected in (((), (0, 200, 200, 340)), (("--roi", "all"), (0, 200, 200, 340)), (("--roi", "work"), (10, 130, 120, 180))):
            row = programs.tables("efficiency", trace, *options)["efficiency"][0]
            self.assertEqual((row["roi_begin_ns"], row["roi_end_ns"], row["useful_max_ns"], row["useful_sum_ns"]), expected, options)
        done = subprocess.run([programs.QUIPU, "efficiency", trace, "--roi", "nothing"], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode != 0, b"no region" in done.stderr), (True, True))

    def test_causes_efficiency_is_that_of_a_window(self):
        """By hand: from 10 to 60 rank 0 works 20 to 40 and 50 to 60, rank 1 10 to 30; main is useful, too, and so is what lies outside."""
        program = [[programs.enter(0, "main"), *programs.send(10, 20, 1), programs.leave(90, "main")],
                   [programs.enter(0, "main"), programs.enter(30, "MPI_Recv"), (50, "R1L8T0C63"), programs.leave(50, "MPI_Recv"),
                    programs.leave(100, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        columns = ("roi_begin_ns", "roi_end_ns", "runtime_ns", "useful_sum_ns", "useful_max_ns")
        for words, expected in ((("--since", "10", "--until", "60"), (10, 60, 50, 70, 40)), (("--since", "40"), (40, 100, 60, 100, 50)),
                                (("--until", "20"), (0, 20, 20, 30, 20)), (("--since", "99", "--until", "end"), (99, 100, 1, 1, 1))):
            row = programs.tables("efficiency", trace, *words)["efficiency"][0]
            self.assertEqual(tuple(row[column] for column in columns), expected, words)
        for words, message in ((("--since", "9", "--until", "9"), b"--since is not before --until"),
                               (("--since", "9", "--roi", "main"), b"--roi and --since or --until exclude each other")):
            done = subprocess.run([programs.QUIPU, "efficiency", trace, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertIn(message, done.stderr)

    def test_causes_a_window_of_the_time_between_init_and_finalize_is_what_counts_without_one(self):
        trace = str(pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "tests/data/sweep/dumpi/ring.meta"))
        plain_row = programs.tables("efficiency", trace)["efficiency"][0]
        window = ("--since", str(plain_row["roi_begin_ns"]), "--until", str(plain_row["roi_end_ns"]))
        self.assertEqual(programs.tables("efficiency", trace, *window)["efficiency"][0], plain_row)

    def test_causes_sizes_have_units(self):
        program = [programs.send(0, 50, 1, 0, length) for length in (1023,)] + [programs.receive(40, 60, 0, 0, 1023)]
        trace = programs.write(self.path("t.otf"), program)
        for limit, patterns in (("1023", ["late-receiver"]), ("1K", []), ("1Ki", []), ("1KiB", []), ("1M", [])):
            self.assertEqual([row["pattern"] for row in self.waits(trace, "--eager-limit", limit)["waits"]], patterns, limit)
        self.assertEqual(programs.tables("replay", trace, "--network", "loggops", "--eager", "1K")["replay"][0]["eager"], 1)
        done = subprocess.run([programs.QUIPU, "waits", trace, "--eager-limit", "1X"], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, b'--eager-limit needs a number, not "1X"' in done.stderr), (2, True))

    def run_of(self, name, lengths, end, counts=()):
        """Processes that work so long and then wait until the end in a barrier; counts: of instructions and cycles, from 0 to a time."""
        program = []
        for process, length in enumerate(lengths):
            events = [programs.enter(0, "work"), programs.leave(length, "work"),
                      *(programs.collective("MPI_Barrier", length, end, 1) if length < end else [])]
            for number, (time, value) in enumerate(counts[process] if counts else (), 1):
                events += [(0, f"CNT{number}V0"), (time, f"CNT{number}V{value:x}")]
            program.append(sorted(events, key=lambda event: event[0]))
        trace = programs.write(self.path(name), program)
        with open(trace[:-len("otf")] + "0.def", "a", encoding="ascii") as file:
            file.write('DCG7NM"PAPI"\nDCNT1G7NM"instructions"P0U"#"\nDCNT2G7NM"PAPI_TOT_CYC"P0U"#"\n' if counts else "")
        return trace

    SCALING = ("speedup", "computation_scaling", "global_efficiency", "instruction_scaling", "ipc_scaling", "frequency_scaling")

    def scaling(self, *words):
        rows = programs.tables("efficiency", *words)["efficiency"]
        return [tuple(row[column] for column in self.SCALING) for row in rows], rows

    def test_causes_efficiencies_of_several_traces_say_how_a_program_scales(self):
        """Useful 2000 in 1000 of 2, 2000 in 650 of 4, 1600 in 800 of 2."""
        traces = (self.run_of("a.otf", (1000, 1000), 1000), self.run_of("b.otf", (500, 500, 600, 400), 650),
                  self.run_of("c.otf", (800, 800), 800))
        none = (None, None, None)
        found, rows = self.scaling(*traces)
        self.assertEqual(found, [(1, 1, 1, *none), (1.538462, 1, 0.769231, *none), (1.25, 1.25, 1.25, *none)])
        self.assertEqual([(row["trace"], row["locations"], row["parallel_efficiency"]) for row in rows],
                         [(traces[0], 2, 1), (traces[1], 4, 0.769231), (traces[2], 2, 1)])
        alone = [programs.tables("efficiency", trace)["efficiency"][0] for trace in traces]
        self.assertEqual([{name: row[name] for name in one} for row, one in zip(rows, alone)], alone)
        self.assertEqual(self.scaling(*traces, "--weak")[0],
                         [(1, 1, 1, *none), (1.538462, 2, 1.538462, *none), (1.25, 1.25, 1.25, *none)])
        self.assertEqual(self.scaling(*traces, "--reference", "3")[0],
                         [(0.8, 0.8, 0.8, *none), (1.230769, 0.8, 0.615385, *none), (1, 1, 1, *none)])

    def test_causes_counters_say_what_computation_scales_by(self):
        """2000 instructions and 4000 cycles in useful 2000; then 2400, 6000 and 2000: the last process counts 780 over 650, of which 500 are
        useful, so 600."""
        a = self.run_of("a.otf", (1000, 1000), 1000, [((1000, 1000), (1000, 2000))] * 2)
        b = self.run_of("b.otf", (500, 600, 400, 500), 650, [((500, 600), (500, 1500)), ((600, 600), (600, 1500)),
                                                             ((400, 600), (400, 1500)), ((650, 780), (650, 1950))])
        found, rows = self.scaling(a, b)
        self.assertEqual([(row["instructions"], row["cycles"]) for row in rows], [(2000, 4000), (2400, 6000)])
        self.assertEqual(found, [(1, 1, 1, 1, 1, 1), (1.538462, 1, 0.769231, 0.833333, 0.8, 1.5)])
        self.assertEqual(self.scaling(self.run_of("c.otf", (800, 800), 800), b)[0][1][3:], (None, None, None))

    def test_causes_scaling_is_of_large_sums_too(self):
        """Sums beyond 32 bits lose nothing that six digits show."""
        a = self.run_of("a.otf", (3 * 10**12,) * 2, 3 * 10**12)
        b = self.run_of("b.otf", (10**12,) * 4, 2 * 10**12)
        self.assertEqual(self.scaling(a, b, "--weak")[0][1][:3], (1.5, 3, 1.5))

    def test_causes_relating_needs_several_traces(self):
        a = self.run_of("a.otf", (1000, 1000), 1000)
        for words in ((a, "--weak"), (a, "--reference", "1"), (a, a, "--reference", "3"), (a, a, "--reference", "0"), (a, a, "--reference", "x"),
                      (a, a, "--roi", "nothing")):
            done = subprocess.run([programs.QUIPU, "efficiency", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), (words, done.stderr))
        done = subprocess.run([programs.QUIPU, "waits", a, a], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        for options, begin in (((), b"trace"), (("--csv",), b"trace,parallel_efficiency,")):
            done = subprocess.run([programs.QUIPU, "efficiency", a, a, *options], stdout=subprocess.PIPE, check=True)
            self.assertEqual((done.stdout.startswith(begin), done.stdout.count(a.encode())), (True, 2), done.stdout)

    def test_causes_scaling_says_which_trace_is_damaged(self):
        a, b = self.run_of("a.otf", (1000, 1000), 1000), self.run_of("b.otf", (500, 500), 650)
        os.unlink(self.path("b.2.events"))
        done = subprocess.run([programs.QUIPU, "efficiency", a, b, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, b"b.otf" in done.stderr), (3, True))
        self.assertEqual([row[0] for row in json.loads(done.stdout)["rows"]], [a, b])

    def replayed(self, trace, *options):
        return programs.tables("replay", trace, *options)["replay"][0]["replayed_ns"]

    IDEAL = ("--network", "ideal", "--eager-limit", "1G")  # all sends are eager, as on a modelled network
    NOTHING = ("--network", "loggops", "--latency", "0", "--overhead", "0", "--gap", "0", "--gap-per-byte", "0")

    def test_causes_a_network_that_takes_nothing_is_the_ideal_one(self):
        free = ("--network", "dimemas", "--latency", "0", "--bandwidth", str(2**63))
        for seed, _, trace in self.programs():
            ideal = self.replayed(trace, *self.IDEAL)
            self.assertEqual((self.replayed(trace, *self.NOTHING), self.replayed(trace, *free)), (ideal, ideal), seed)

    def test_causes_slower_networks_take_no_less(self):
        for seed, _, trace in self.programs():
            times = [self.replayed(trace, *self.IDEAL)]
            for latency, overhead, per_byte in ((0, 1, "0"), (10, 1, "0"), (10, 1, "0.5"), (10, 4, "0.5"), (300, 4, "2.25")):
                times.append(self.replayed(trace, "--network", "loggops", "--latency", str(latency), "--overhead", str(overhead), "--gap",
                                           "0", "--gap-per-byte", per_byte))
            self.assertEqual(times, sorted(times), seed)

    def test_causes_fewer_links_take_no_less_than_any_number(self):
        for seed, _, trace in self.programs():
            dimemas = ("--network", "dimemas", "--latency", "5", "--bandwidth", "100000000")
            self.assertLessEqual(self.replayed(trace, *dimemas), self.replayed(trace, *dimemas, "--links", "1", "--buses", "1"), seed)

    def test_causes_a_sender_of_a_large_message_waits_for_the_receive(self):
        program = [[programs.enter(0, "work"), programs.leave(40, "work"), *programs.send(40, 41, 1, length=100)],
                   [programs.enter(0, "work"), programs.leave(500, "work"), *programs.receive(500, 510, 0, length=100)]]
        trace = programs.write(self.path("t.otf"), program)
        loggops = ("--network", "loggops", "--latency", "100", "--overhead", "10", "--gap", "3", "--gap-per-byte", "2",
                   "--overhead-per-byte", "1")
        # Small: sent at 40, taken from 500 on: 10 + 99 * 2. Large: asked 40 + 10 + 100, answered at 500 + 110, taken from 610 + 110 on.
        for eager, expected, counts in (("100", 500 + 208, (1, 0)), ("99", 720 + 208, (0, 1))):
            row = programs.tables("replay", trace, *loggops, "--eager", eager)["replay"][0]
            self.assertEqual((row["replayed_ns"], (row["eager"], row["rendezvous"])), (expected, counts))
        # Asks at 140, is transferred from there or from 500 on in 100 bytes * 10 ns.
        dimemas = ("--network", "dimemas", "--latency", "100", "--bandwidth", "100000000")
        for eager, expected in (("100", 1140), ("99", 1500)):
            self.assertEqual(self.replayed(trace, *dimemas, "--eager", eager), expected)

    def test_causes_messages_queue_for_links_and_buses(self):
        receives = [[programs.enter(0, "work"), programs.leave(1, "work"), *programs.receive(1, 10, sender)] for sender in (0, 1)]
        program = [programs.send(0, 1, 2), programs.send(0, 1, 3), *receives]
        trace = programs.write(self.path("t.otf"), program)
        fan = programs.write(self.path("u.otf"), [programs.send(0, 1, 2), programs.send(0, 1, 2),
                                                  programs.receive(0, 10, 0) + programs.receive(10, 12, 1)])
        dimemas = ("--network", "dimemas", "--latency", "5", "--bandwidth", "100000000")
        for path, options, expected in ((trace, (), 85), (trace, ("--buses", "1"), 165), (trace, ("--links", "1"), 85),
                                        (fan, (), 85), (fan, ("--links", "1"), 165)):
            self.assertEqual(self.replayed(path, *dimemas, *options), expected, options)

    def test_causes_collective_operations_take_their_phases(self):
        def program(name, root=None):
            return programs.write(self.path("t.otf"), [programs.collective(name, 10 * i, 100, 1, root) for i in range(5)])
        loggops = ("--network", "loggops", "--latency", "100", "--overhead", "10", "--gap-per-byte", "0.5")
        step = 100 + 20 + 4  # 8 bytes
        for name, root, options, expected in (
                ("MPI_Barrier", None, (), 40 + 6 * 120), ("MPI_Allreduce", None, (), 40 + 6 * step), ("MPI_Bcast", 4, (), 40 + 3 * step),
                ("MPI_Reduce", 0, (), 40 + 3 * step), ("MPI_Barrier", None, ("--collective", "barrier=1,lin,0"), 40 + 5 * 120),
                ("MPI_Allreduce", None, ("--collective", "allreduce=log,0,sum"), 40 + 3 * (120 + 20))):
            self.assertEqual(self.replayed(program(name, root), *loggops, *options), expected, (name, options))

    def test_causes_a_region_can_be_made_faster(self):
        program = [[programs.enter(0, "main"), programs.enter(10, "work"), programs.leave(110, "work"), programs.leave(120, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        for options, expected in ((("--region", "work=0.25"), 45), (("--cpu-factor", "3"), 360),
                                  (("--cpu-factor", "3", "--region", "work=1.5"), 210)):
            for network in ("measured", "ideal", "loggops"):
                self.assertEqual(self.replayed(trace, "--network", network, *options), expected, (options, network))

    def test_causes_columns_of_a_replay_mean_the_same_on_every_network(self):
        """MPI_Init from 10 to 30, work up to 80, MPI_Finalize from 80 to 90, the end at 120: 120 ns of run time whatever the network, of
        which MPI takes 30. Only the replay as measured, of nothing that is changed, has an error."""
        program = [[programs.enter(0, "main"), programs.enter(10, "MPI_Init"), programs.leave(30, "MPI_Init"), programs.enter(30, "work"),
                    programs.leave(80, "work"), programs.enter(80, "MPI_Finalize"), programs.leave(90, "MPI_Finalize"),
                    programs.leave(120, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        for options, replayed, error, violations in (((), 120, 0, 0), (("--network", "ideal"), 90, None, None),
                                                     (self.NOTHING, 90, None, None), (("--cpu-factor", "2"), 210, None, 0)):
            row = programs.tables("replay", trace, *options)["replay"][0]
            self.assertEqual((row["runtime_ns"], row["replayed_ns"], row["error_percent"], row["clock_violations"]),
                             (120, replayed, error, violations), options)
            output = self.path("out.otf")
            retimed = programs.tables("replay", trace, *options, "-o", output, "--force")["replay"][0]
            self.assertEqual(retimed, row, options)

    def test_causes_a_modelled_network_says_what_it_was_reckoned_with(self):
        _, _, trace = next(self.programs())
        found = {network: {row["parameter"]: (row["value"], row["origin"]) for row in
                           programs.tables("replay", trace, "--network", *network).get("network", [])}
                 for network in (("measured",), ("ideal",), ("loggops", "--gap-per-byte", "0.5"),
                                 ("dimemas", "--bandwidth", "1000", "--latency", "7"))}
        both = {"eager": ("65535", "default")}
        self.assertEqual(list(found.values()), [
            {}, {}, {**both, "latency": ("2500", "default"), "overhead": ("1500", "default"), "gap": ("1000", "default"),
                     "gap-per-byte": ("0.5", "given"), "overhead-per-byte": ("0", "default")},
            {**both, "latency": ("7", "given"), "bandwidth": ("1000", "given"), "intra-latency": ("7", "default"),
             "intra-bandwidth": ("1000", "default"), "links": ("0", "default"), "buses": ("0", "default")}])

    def test_causes_a_measured_replay_lets_senders_wait(self):
        program = [[*programs.send(10, 105, 1)], [programs.enter(0, "work"), programs.leave(100, "work"), *programs.receive(100, 106, 0)]]
        trace = programs.write(self.path("t.otf"), program)
        self.assertEqual(self.replayed(trace, "--region", "work=2"), 206)  # the sender goes on 5 behind 200, the receiver 6
        self.assertEqual(self.replayed(trace, "--region", "work=0.5"), 56)
        self.assertEqual(self.replayed(trace, "--region", "work=0.5", "--eager-limit", "9"), 105)

    def test_causes_factors_are_numbers_and_options_are_of_the_network(self):
        _, _, trace = next(self.programs())
        for options in (["--network", "ideal", "--cpu-factor", "fast"], ["--cpu-factor", "0"], ["--latency", "5"], ["--region", "work"],
                        ["--network", "dimemas"], ["--network", "loggops", "--bandwidth", "5"], ["--network", "loggops", "--gap-per-byte", "x"],
                        ["--network", "loggops", "--collective", "barrier=2,0,0"], ["--sensitivity"],
                        ["--network", "ideal", "--sensitivity"]):
            done = subprocess.run([programs.QUIPU, "replay", trace, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), options)

    def test_causes_the_run_time_is_sensitive_to_what_it_waits_for(self):
        """One message: begins at 1000, o 10 at either end, then L, then (s - 1) G; or with links, L and s bytes of 10 ns each,
        10110.1 or 9909.9 ns of 1 % more or less."""
        program = [[programs.enter(0, "work"), programs.leave(1000, "work"), *programs.send(1000, 1001, 1, length=1001)],
                   programs.receive(0, 1100, 0, length=1001)]
        late = [program[0], [programs.enter(0, "work"), programs.leave(9000, "work"), *programs.receive(9000, 9001, 0, length=1001)]]
        loggops = ("--network", "loggops", "--overhead", "10", "--gap", "0")
        dimemas = ("--network", "dimemas", "--bandwidth", "100000000")
        cases = ((program, (*loggops, "--latency", "1000", "--gap-per-byte", "2"), (1020 + 1000 + 2000, 1, 1000)),
                 (program, (*loggops, "--latency", "10", "--gap-per-byte", "0.5"), (1020 + 10 + 500, 1, 1000)),
                 (program, (*loggops, "--latency", "0", "--gap-per-byte", "0"), (1020, None, None)),
                 (late, (*loggops, "--latency", "1000", "--gap-per-byte", "2"), (9010 + 2000, 0, 1000)),
                 (program, (*dimemas, "--latency", "100"), (1000 + 100 + 10010, 1, (10110 - 9910) / 0.2)),
                 (late, (*dimemas, "--latency", "100"), (1000 + 100 + 10010, 1, (10110 - 9910) / 0.2)))
        for program, options, expected in cases:
            row = programs.tables("replay", programs.write(self.path("t.otf"), program), *options, "--sensitivity")["replay"][0]
            self.assertEqual((row["replayed_ns"], row["latency_sensitivity"], row["byte_sensitivity"]), expected, options)
        row = programs.tables("replay", self.path("t.otf"), *dimemas)["replay"][0]
        self.assertEqual((row["latency_sensitivity"], row["byte_sensitivity"]), (None, None))

    def test_causes_the_run_time_grows_with_all_that_it_is_sensitive_to(self):
        loggops = ("--network", "loggops", "--gap", "0", "--overhead", "4", "--latency", "300", "--gap-per-byte", "2.25")
        for seed, _, trace in self.programs():
            row = programs.tables("replay", trace, *loggops, "--sensitivity")["replay"][0]
            slower = self.replayed(trace, "--network", "loggops", "--gap", "0", "--overhead", "4", "--latency", "303", "--gap-per-byte",
                                   "2.25")
            faster = self.replayed(trace, "--network", "loggops", "--gap", "0", "--overhead", "4", "--latency", "297", "--gap-per-byte",
                                   "2.25")
            self.assertAlmostEqual(row["latency_sensitivity"], (slower - faster) / 6, 6, seed)
            self.assertGreaterEqual(row["byte_sensitivity"], 0, seed)

    def test_causes_windows_lose_at_least_what_the_whole_loses(self):
        for seed, _, trace in self.programs():
            for row in programs.tables("imbalance", trace)["imbalance"]:
                self.assertLessEqual(0, row["lost_total_ns"], seed)
                self.assertLessEqual(row["lost_total_ns"], row["windows_lost_total_ns"], seed)
                self.assertLessEqual(row["imbalance_percent"], 100, seed)

    def test_causes_times_of_regions_add_up_to_those_of_locations(self):
        for seed, program, trace in self.programs():
            rows = programs.tables("imbalance", trace)["imbalance"]
            whole = sum(max(time for time, _ in events) - min(time for time, _ in events) for events in program)
            self.assertEqual(sum(len(program) * row["max_ns"] - row["lost_total_ns"] for row in rows), whole, seed)

    def test_causes_inclusive_times_hold_inner_calls(self):
        program = [[programs.enter(0, "main"), programs.enter(10, "work"), programs.leave(40, "work"), programs.leave(50, "main")],
                   [programs.enter(0, "main"), programs.leave(50, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        rows = {row["region"]: row["lost_total_ns"] for row in programs.tables("imbalance", trace)["imbalance"]}
        self.assertEqual(rows, {"work": 30, "main": 30})
        rows = {row["region"]: row["lost_total_ns"] for row in programs.tables("imbalance", trace, "--inclusive")["imbalance"]}
        self.assertEqual(rows, {"work": 30, "main": 0})

    def loop(self, name, lengths, others=()):
        """Two processes in a loop of barriers that take so long; calls before and between are of the first one only."""
        program = [[], []]
        for process, events in enumerate(program):
            now, number = 0, 0
            for length in lengths:
                number += 1
                if process == 0 and number in others:
                    events.extend(programs.collective("MPI_Bcast", now, now, 100 + number, 0))
                events.extend(programs.collective("MPI_Barrier", now, now + length, number))
                now += length
        return programs.tables("phases", programs.write(self.path(name), program))["phases"]

    def test_causes_phases_are_what_repeats(self):
        [row] = self.loop("t.otf", (10, 30, 10, 20))
        self.assertEqual(tuple(row.values()), (1, 4, 1, 2, 0, 0, 70, 10, 15, 30, 70, 5))
        self.assertEqual(self.loop("u.otf", (10, 30)), [])
        [row] = self.loop("v.otf", (10, 10, 10), others=(2,))
        self.assertEqual((row["iterations"], row["aligned"], row["not_aligned"]), (3, 1, 1))

    def test_causes_a_call_in_between_splits_a_phase(self):
        program = [[], []]
        for process, events in enumerate(program):
            for step in range(10):
                events.extend(programs.collective("MPI_Barrier", 10 * step, 10 * step + 5, step + 1))
                if step == 5:
                    events.extend(programs.collective("MPI_Bcast", 10 * step + 6, 10 * step + 7, 99, 0))
        rows = programs.tables("phases", programs.write(self.path("t.otf"), program))["phases"]
        self.assertEqual([(row["phase"], row["iterations"], row["first_ns"], row["last_ns"]) for row in rows],
                         [(1, 6, 0, 55), (2, 4, 57, 95)])

    def test_causes_iterations_add_up(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            trace = programs.write(self.path("t.otf"), programs.repeating_program(numbers, numbers.randint(1, 4)))
            for row in programs.tables("phases", trace)["phases"]:
                self.assertEqual(row["sum_ns"], row["last_ns"] - row["first_ns"], seed)
                self.assertLessEqual(row["min_ns"] * row["iterations"], row["sum_ns"], seed)
                self.assertGreaterEqual(row["iterations"], 3, seed)

    def test_causes_iterations_hold_what_happens_between_their_ends(self):
        """Steps of work and a barrier: 10, 30 and 10 of work at rank 0, 20 at rank 1; and rank 0 sends 8 bytes in the second."""
        program, now, number = [[], []], 5, 0
        for step, work in enumerate((10, 30, 10)):
            lengths, number = (work, 20), number + 1
            for process, length in enumerate(lengths):
                program[process] += [programs.enter(now, "work"), programs.leave(now + length, "work")]
                if step == 1 and process == 0:
                    program[0].append((now + length, "S2L8T0C63"))
                program[process] += programs.collective("MPI_Barrier", now + length, now + max(lengths) + 2, number)
            now += max(lengths) + 2
        trace = programs.write(self.path("t.otf"), program)
        found = programs.tables("phases", trace, "--iterations")
        self.assertEqual([tuple(row.values()) for row in found["iterations"]],
                         [(1, 1, 5, 22, 30, 20, 10, 0, 1), (1, 2, 27, 32, 50, 30, 10, 8, 0), (1, 3, 59, 22, 30, 20, 10, 0, 0)])
        self.assertEqual(found["phases"], programs.tables("phases", trace)["phases"])
        self.assertEqual(sorted(programs.tables("phases", trace)), ["phases"])

    def test_causes_iterations_share_out_what_waits_and_useful_time_there_are(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.repeating_program(numbers, numbers.randint(1, 4))
            trace = programs.write(self.path("t.otf"), program)
            found = programs.tables("phases", trace, "--iterations")
            for row in found["phases"]:
                mine = [one for one in found["iterations"] if one["phase"] == row["phase"]]
                self.assertEqual(len(mine), row["iterations"], seed)
                self.assertEqual([one["from_ns"] for one in mine], [row["first_ns"] + sum(one["length_ns"] for one in mine[:i])
                                                                    for i in range(len(mine))], seed)
                self.assertEqual(sum(one["length_ns"] for one in mine), row["sum_ns"], seed)
                self.assertEqual(self.useful(program, row["first_ns"], row["last_ns"]), sum(one["useful_sum_ns"] for one in mine), seed)
                [chosen] = [one["length_ns"] for one in mine if one["representative"]]
                self.assertEqual(abs(chosen - row["median_ns"]), min(abs(one["length_ns"] - row["median_ns"]) for one in mine), seed)
                window = ("--since", f"{row['first_ns']}", "--until", f"{row['last_ns']}")
                waits = sum(one["time_ns"] for one in self.waits(trace, *window)["waits"] if one["pattern"] not in PASSIVE)
                self.assertEqual(sum(one["wait_ns"] for one in mine), waits, seed)

    @staticmethod
    def useful(program, begin, end):
        """The time in a window that is outside of calls of MPI, of programs without other calls inside of those."""
        total = 0
        for events in program:
            depth, last = 0, events[0][0] if events else 0
            for time, record in events:
                total += max(0, min(time, end) - max(last, begin)) if depth == 0 else 0
                last = time
                name = programs.REGIONS[int(record[1:], 16) - 1] if record[0] in "EL" else ""
                depth += (record[0] == "E") - (record[0] == "L") if name.startswith("MPI") else 0
        return total

    def test_causes_say_what_was_left_out(self):
        program = [programs.send(10, 11, 1, tag=5), programs.receive(10, 11, 0, tag=6)]
        for program, expected in ((program, True), ([programs.send(10, 11, 1), programs.receive(10, 12, 0)], False)):
            trace = programs.write(self.path("t.otf"), program)
            for command in ("comm", "waits", "critical-path", "efficiency", "clock", "replay"):
                done = subprocess.run([programs.QUIPU, command, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
                self.assertEqual(b"left out: 1 sends and 1 receives without partner" in done.stderr, expected, command)

    def test_causes_a_trace_without_events_has_rows_of_nothing(self):
        trace = programs.write(self.path("t.otf"), [[], []])
        for command, column in (("critical-path", "runtime_ns"), ("efficiency", "runtime_ns"), ("replay", "replayed_ns"),
                                ("clock", "clc_end_ns")):
            self.assertEqual(next(iter(programs.tables(command, trace).values()))[0][column], 0, command)


@unittest.skipUnless(oracle.ORACLE.exists(), "needs the second implementation")
class Oracle(FolderTest):
    def setUp(self):
        super().setUp()
        self.oracle = oracle.load()

    def compare(self, command, section, table, columns, *options, skew=0, **settings):
        for seed in SEEDS:
            numbers = random.Random(1000 + seed)
            program = programs.random_program(numbers, numbers.randint(2, 7), 120, skew)
            trace = programs.write(self.path(f"o{seed}.otf"), program)
            expected = self.oracle.analyse(trace, only=[section], **settings)[section]
            found = programs.tables(command, trace, *options)
            yield seed, expected, found

    def rows_agree(self, command, section, table, columns, *options, **settings):
        for seed, expected, found in self.compare(command, section, table, columns, *options, **settings):
            self.assertEqual(plain(found[table], columns), plain(expected, columns), seed)

    WAITS = ("pattern", "location", "path", "region", "communicator", "peer", "instances", "time_ns", "max_ns")

    # needs: oracle
    def test_oracle_agrees_about_waits(self):
        self.rows_agree("waits", "waits", "waits", self.WAITS)

    # needs: oracle
    def test_oracle_agrees_about_waits_with_clocks_that_differ(self):
        self.rows_agree("waits", "waits", "waits", self.WAITS, skew=50)

    # needs: oracle
    def test_oracle_agrees_about_waits_with_an_eager_limit(self):
        self.rows_agree("waits", "waits", "waits", self.WAITS, "--eager-limit", "9", eager_limit=9)

    # needs: oracle
    def test_oracle_agrees_about_causes(self):
        for skew in (0, 50):
            self.rows_agree("waits", "delays", "delays", ("location", "path", "region", "short_ns", "long_ns"), "--causes",
                            skew=skew)

    # needs: oracle
    def test_oracle_agrees_about_the_critical_path(self):
        for skew in (0, 50):
            for seed, expected, found in self.compare("critical-path", "critical_path", "", (), skew=skew):
                for table, section, columns in (("segments", "segments", ("from_ns", "to_ns", "location", "reason")),
                                                ("path_profile", "profile",
                                                 ("region", "path_ns", "total_ns", "imbalance_ns", "impact_ns"))):
                    self.assertEqual([tuple(row[column] for column in columns) for row in found[table]],
                                     [tuple(row[column] for column in columns) for row in expected[section]], (seed, table))

    def one_row_agrees(self, command, section, columns, skew, *options, **settings):
        for seed, expected, found in self.compare(command, section, "", (), *options, skew=skew, **settings):
            row = found[section][0]
            self.assertEqual([None if row[column] is None else float(row[column]) for column in columns],
                             [None if expected[column] is None else float(expected[column]) for column in columns], seed)

    # needs: oracle
    def test_oracle_agrees_about_efficiency(self):
        for skew in (0, 50):
            self.one_row_agrees("efficiency", "efficiency", (
                "locations", "roi_begin_ns", "roi_end_ns", "runtime_ns", "useful_sum_ns", "useful_max_ns", "ideal_runtime_ns",
                "load_balance", "communication_efficiency", "parallel_efficiency", "serialisation_efficiency",
                "transfer_efficiency", "load_balance_additive", "serialisation_additive", "transfer_additive"), skew)

    # needs: shared
    def test_oracle_agrees_about_clocks(self):
        columns = ("messages", "violations", "worst_ns", "collective_violations", "violations_after_offsets", "clc_largest_ns",
                   "clc_changed_events", "clc_end_ns")
        for skew in (0, 50):
            self.one_row_agrees("clock", "clock", columns, skew)
            self.one_row_agrees("clock", "clock", columns, skew, "--l-min", "7", l_min=7)
        for seed, expected, found in self.compare("clock", "clock", "", (), skew=50):
            for table, section, columns in (("offsets", "offsets", ("location", "offset_ns", "corridor_ns")),
                                            ("clock_pairs", "pairs", ("sender", "receiver", "messages", "violations", "worst_ns"))):
                self.assertEqual([tuple(row[column] for column in columns) for row in found[table]],
                                 [tuple(row[column] for column in columns) for row in expected[section]], seed)

    # needs: shared
    def test_oracle_agrees_about_imbalance(self):
        columns = ("region", "max_ns", "mean_ns", "lost_ns", "lost_total_ns", "imbalance_percent", "slowest", "windows",
                   "windows_lost_total_ns", "behaviour")
        for seed, expected, found in self.compare("imbalance", "imbalance", "", (), skew=50):
            self.assertEqual([tuple(row[column] for column in columns) for row in found["imbalance"]],
                             [tuple(row[column] for column in columns) for row in expected], seed)

    # needs: shared
    def test_oracle_agrees_about_phases(self):
        columns = ("iterations", "period_calls", "aligned", "not_aligned", "first_ns", "last_ns", "min_ns", "median_ns", "max_ns",
                   "sum_ns")
        for seed in range(4 * len(SEEDS)):
            numbers = random.Random(2000 + seed)
            program = programs.repeating_program(numbers, numbers.randint(1, 5))
            trace = programs.write(self.path("t.otf"), program)
            expected = self.oracle.analyse(trace, only=["phases"])["phases"]
            self.assertEqual(plain(programs.tables("phases", trace)["phases"], columns), plain(expected, columns), seed)


if __name__ == "__main__":
    unittest.main()
