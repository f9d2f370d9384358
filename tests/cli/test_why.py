"""quipu why: programs with one delay of known place and length, and whether it is named first; figures, text, and what is not claimed."""
import json
import random
import shlex
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(20)
REGIONS = ("work", "read")


def ring(program, now):
    """Each process sends to the next one and receives from the one before."""
    count = len(program)
    sent = []
    for process, events in enumerate(program):
        events.extend(programs.send(now[process], now[process] + 2, (process + 1) % count))
        sent.append(now[process])
        now[process] += 2
    for process, events in enumerate(program):
        end = max(now[process], sent[(process - 1) % count] + 3) + 1
        events.extend(programs.receive(now[process], end, (process - 1) % count))
        now[process] = end


def back_and_forth(program, now):
    """The ring, then the ring backwards."""
    ring(program, now)
    program.reverse()
    now.reverse()
    count = len(program)
    sent = []
    for process, events in enumerate(program):
        to = count - 1 - (process + 1) % count
        events.extend(programs.send(now[process], now[process] + 2, to, tag=1))
        sent.append(now[process])
        now[process] += 2
    for process, events in enumerate(program):
        of = (process - 1) % count
        end = max(now[process], sent[of] + 3) + 1
        events.extend(programs.receive(now[process], end, count - 1 - of, tag=1))
        now[process] = end
    program.reverse()
    now.reverse()


def together(name):
    """A collective operation of all, which ends for each process a little after the last one has come."""
    def meet(program, now, numbers=[0]):
        numbers[0] += 1
        last = max(now)
        for process, events in enumerate(program):
            events.extend(programs.collective(name, now[process], last + 3, numbers[0]))
            now[process] = last + 3
    return meet


EXCHANGES = (ring, back_and_forth, together("MPI_Barrier"), together("MPI_Allreduce"))


def delayed_program(numbers):
    """(program, rank, region, length): steps of work and communication; in one step one process takes longer in a region."""
    count, steps, exchange = numbers.randint(3, 8), numbers.randint(5, 12), numbers.choice(EXCHANGES)
    rank, step, region, length = (numbers.randrange(count), numbers.randrange(1, steps - 1), numbers.choice(REGIONS),
                                  numbers.randint(200, 900))
    program, now = [[] for _ in range(count)], [0] * count
    for i in range(steps):
        for process, events in enumerate(program):
            for name in REGIONS:
                begin = now[process]
                now[process] += numbers.randint(45, 50) + (length if (process, i, name) == (rank, step, region) else 0)
                events.extend([programs.enter(begin, name), programs.leave(now[process], name)])
        exchange(program, now)
    return program, rank, region, length


class Why(FolderTest):
    def why(self, trace, *options):
        return programs.tables("why", trace, *options)

    def text(self, trace):
        return subprocess.run([programs.QUIPU, "why", "-q", trace], stdout=subprocess.PIPE, check=True, text=True).stdout

    def test_why_names_an_injected_delay_first(self):
        for seed in SEEDS:
            program, rank, region, length = delayed_program(random.Random(seed))
            trace = programs.write(self.path("t.otf"), program)
            first = self.why(trace)["losses"][0]
            self.assertEqual((first["kind"], first["location"], first["region"]), ("delay", f"rank {rank}", region), seed)
            self.assertGreater(first["loss_ns"], length * 0.8, seed)
            self.assertIn(f"1. {first['loss_ns'] / 1000:.3f} us" if first["loss_ns"] >= 1000 else f"1. {first['loss_ns']} ns",
                          self.text(trace), seed)
            self.assertIn(f") rank {rank} in {region}\n", self.text(trace).split("\n2. ")[0], seed)

    def test_why_has_the_figures_of_the_other_analyses(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            trace = programs.write(self.path("t.otf"), programs.random_program(numbers, numbers.randint(2, 6), 90))
            found = self.why(trace)
            costs = programs.tables("waits", trace, "--causes")["delays"]
            for loss in found["losses"]:
                same = [row for row in costs if (row["location"], row["region"]) == (loss["location"], loss["region"])]
                if loss["kind"] == "delay":
                    self.assertEqual(loss["loss_ns"], sum(row["short_ns"] + row["long_ns"] for row in same), seed)
                    self.assertEqual(loss["indirect_ns"], sum(row["long_ns"] for row in same), seed)
            efficiency = programs.tables("efficiency", trace)["efficiency"][0]
            for row in found["efficiency"]:
                self.assertEqual(row["value"], efficiency[row["metric"]], seed)
            path = programs.tables("critical-path", trace)
            self.assertEqual(found["why"][0]["runtime_ns"], path["critical_path"][0]["runtime_ns"])
            sizes = [row["loss_ns"] for row in found["losses"]]
            self.assertEqual(sizes, sorted(sizes, reverse=True), seed)
            self.assertLessEqual(len(sizes), 5)

    def test_why_says_who_waits_and_for_how_long(self):
        program = [[programs.enter(0, "work"), programs.leave(100, "work"), *programs.send(100, 101, 1), *programs.send(101, 102, 2)],
                   programs.receive(20, 110, 0), programs.receive(10, 111, 0)]
        found = self.why(programs.write(self.path("t.otf"), program))
        first = found["losses"][0]
        self.assertEqual([first[name] for name in ("loss_ns", "location", "region", "waiters", "victim", "victim_region",
                                                   "victim_pattern", "victim_ns")],
                         [171 - 1, "rank 0", "work", 2, "rank 2", "MPI_Recv", "late-sender", 91])
        self.assertEqual(first["share_percent"], round(100 * 170 / (3 * 111), 2))

    def test_why_has_the_time_on_the_path_of_the_location_that_it_names(self):
        """The path is in work for 100 at rank 0, then, after a message that comes at 110, for 90 at rank 1, and ends in a receive of rank 0."""
        program = [[programs.enter(0, "work"), programs.leave(100, "work"), *programs.send(100, 101, 1), *programs.receive(105, 210, 1)],
                   [programs.enter(0, "work"), programs.leave(20, "work"), *programs.receive(20, 110, 0), programs.enter(110, "work"),
                    programs.leave(200, "work"), *programs.send(200, 201, 0)]]
        trace = programs.write(self.path("t.otf"), program)
        losses = [(row["location"], row["region"], row["path_ns"]) for row in self.why(trace)["losses"]]
        self.assertEqual(losses, [("rank 1", "work", 90), ("rank 0", "work", 100)])
        self.assertIn("   90 ns of the whole trace's critical path (210 ns) are here\n", self.text(trace))

    def test_why_has_no_more_time_on_the_path_than_its_regions(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            trace = programs.write(self.path("t.otf"), programs.random_program(numbers, numbers.randint(2, 6), 90))
            path = {row["region"]: row["path_ns"] for row in programs.tables("critical-path", trace)["path_profile"]}
            found = {}
            for row in self.why(trace)["losses"]:
                if row["kind"] == "delay":
                    found[row["region"]] = found.get(row["region"], 0) + row["path_ns"]
            for region, time in found.items():
                self.assertLessEqual(time, path.get(region, 0), (seed, region))

    def test_why_commands_run(self):
        program, _, _, _ = delayed_program(random.Random(3))
        trace = programs.write(self.path("a trace.otf"), program)
        commands = [line.strip() for line in self.text(trace).splitlines() if line.strip().startswith("quipu ")]
        self.assertTrue(commands)
        for command in commands:
            words = shlex.split(command)
            done = subprocess.run([programs.QUIPU, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)
            self.assertEqual(words[2], trace)

    def test_why_fits_a_terminal(self):
        for seed in range(4):
            program, _, _, _ = delayed_program(random.Random(seed))
            for line in self.text(programs.write(self.path("t.otf"), program)).splitlines()[1:]:
                if not line.strip().startswith("quipu "):
                    self.assertLessEqual(len(line), 80, line)

    def test_why_claims_nothing_that_the_clocks_leave_open(self):
        """Rank 0 and 1 exchange one message each way that takes 500: their clocks may be 1000 apart, and a wait of 300 is no more. Since rank 1
        left its send at 1501 rank 0 has 499 of MPI_Recv and 800 of work, rank 1 neither: 115 and 185."""
        program = [[*programs.send(0, 1, 1), *programs.receive(1500, 2000, 1), programs.enter(2000, "work"), programs.leave(2800, "work"),
                    *programs.send(2800, 2801, 1)],
                   [*programs.receive(400, 500, 0), *programs.send(1500, 1501, 0), *programs.receive(2500, 3300, 0)]]
        found = self.why(programs.write(self.path("t.otf"), program))
        self.assertEqual((found["losses"], found["why"][0]["uncertain_losses"], found["why"][0]["corridor_ns"]), ([], 2, 1000))
        text = self.text(self.path("t.otf"))
        self.assertIn("none that can be claimed", text)
        self.assertIn("2 losses no larger than what the clocks leave open are not claimed", text)
        self.assertIn("up to 1.000 us", text)

    def test_why_lists_no_loss_below_a_thousandth_of_the_time(self):
        """By hand: of 2 x 100,152 ns rank 0 waits 1,000 for the work of rank 1, and rank 1 then 150 for what rank 0 does in main."""
        program = [[programs.enter(0, "work"), programs.leave(50000, "work"), *programs.collective("MPI_Barrier", 50000, 51001, 1),
                    programs.enter(51001, "main"), programs.leave(100151, "main"), *programs.collective("MPI_Barrier", 100151, 100152, 2)],
                   [programs.enter(0, "work"), programs.leave(51000, "work"), *programs.collective("MPI_Barrier", 51000, 51001, 3),
                    programs.enter(51001, "main"), programs.leave(100001, "main"), *programs.collective("MPI_Barrier", 100001, 100152, 4)]]
        found = self.why(programs.write(self.path("t.otf"), program))
        self.assertEqual([(row["location"], row["region"], row["loss_ns"]) for row in found["losses"]], [("rank 1", "work", 1000)])
        self.assertEqual((found["why"][0]["losses"], found["why"][0]["small_losses"]), (2, 1))
        self.assertIn("1 loss below 0.1 % is not listed", self.text(self.path("t.otf")))

    def test_why_does_not_blame_a_region_for_a_late_start(self):
        """Rank 1 begins 1000 later; that it then works for 10 more does not explain why rank 0 waits 1000."""
        program = [[programs.enter(0, "work"), programs.leave(10, "work"), *programs.collective("MPI_Barrier", 10, 1030, 1)],
                   [programs.enter(1000, "work"), programs.leave(1020, "work"), *programs.collective("MPI_Barrier", 1020, 1030, 1)]]
        found = self.why(programs.write(self.path("t.otf"), program))
        row = found["why"][0]
        self.assertEqual((found["losses"], row["unexplained_ns"], row["unexplained_location"]), ([], 1010, "rank 1"))
        self.assertIn("1.010 us of waiting, most for rank 1, are not explained", self.text(self.path("t.otf")))

    def test_why_blames_what_a_location_still_did_when_another_one_was_on_its_way(self):
        """Rank 0 leaves a barrier 80 later than rank 1 and works for 100, of which 95 are more than rank 1 does, which waits 95 + 80. When it
        works for 50 rank 1 waits 45 + 80."""
        for length, expected in ((100, [95, 80]), (50, [80, 45])):
            program = [[*programs.collective("MPI_Barrier", 0, 90, 1), programs.enter(90, "work"), programs.leave(90 + length, "work"),
                        *programs.collective("MPI_Barrier", 90 + length, 92 + length, 2)],
                       [*programs.collective("MPI_Barrier", 0, 10, 1), programs.enter(10, "work"), programs.leave(15, "work"),
                        *programs.collective("MPI_Barrier", 15, 92 + length, 2)]]
            found = self.why(programs.write(self.path("t.otf"), program))
            self.assertEqual([loss["loss_ns"] for loss in found["losses"] if loss["kind"] == "delay"], expected)
            self.assertEqual(found["why"][0]["unexplained_ns"], 0)

    def test_why_counts_losses_until_the_last_process_is_done(self):
        """Rank 0 and 1 meet no more after 100; rank 2 has finalised by then. Rank 0 works from 100 to 600, rank 1 waits for it."""
        program = [[programs.enter(0, "read"), programs.leave(10, "read"), programs.enter(100, "work"), programs.leave(600, "work"),
                    *programs.send(600, 601, 1), programs.enter(620, "MPI_Reduce"), programs.leave(700, "MPI_Reduce")],
                   [programs.enter(0, "read"), programs.leave(10, "read"), *programs.receive(100, 610, 0),
                    programs.enter(620, "MPI_Reduce"), programs.leave(700, "MPI_Reduce")],
                   [programs.enter(0, "read"), programs.leave(10, "read"), programs.enter(50, "MPI_Reduce"),
                    programs.leave(700, "MPI_Reduce")]]
        trace = self.with_mpi_calls(program)
        found = self.why(trace)
        row, loss = found["why"][0], found["losses"][0]
        self.assertEqual((row["roi_begin_ns"], row["roi_ns"], row["covered_ns"]), (10, 610, 610))
        self.assertEqual((loss["location"], loss["region"], loss["share_percent"]), ("rank 0", "work", round(100 * loss["loss_ns"] / (3 * 610), 2)))
        self.assertIn("(% of 3 locations x 610 ns)", self.text(trace))

    def with_mpi_calls(self, program):
        """A trace in which read is MPI_Init, and MPI_Reduce is MPI_Finalize."""
        trace = programs.write(self.path("t.otf"), program)
        path = trace[:-len("otf")] + "0.def"
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(text.replace('NM"read"', 'NM"MPI_Init"').replace('DF8G9NM"MPI_Reduce"', 'DF8G9NM"MPI_Finalize"'))
        return trace

    def test_why_says_what_is_wrong_with_clocks_and_what_was_left_out(self):
        program = [[*programs.send(1000, 1001, 1), *programs.send(1010, 1011, 1, tag=9)], programs.receive(800, 900, 0)]
        row = self.why(programs.write(self.path("t.otf"), program))["why"][0]
        self.assertEqual([row[name] for name in ("unmatched_sends", "unmatched_receives", "incomplete", "clock_violations", "worst_ns",
                                                 "unknown_clocks")], [1, 0, 0, 1, 100, 1])
        text = self.text(self.path("t.otf"))
        self.assertIn("left out: 1 send without a receive\n", text)
        self.assertNotIn("0 receives", text)
        self.assertIn("clocks: 1 message arrives before being sent, by up to 100 ns", text)

    def test_why_does_not_depend_on_threads(self):
        """Also where functions are used that nothing defines: then one thread reads everything once more."""
        program, _, _, _ = delayed_program(random.Random(7))
        trace = programs.write(self.path("t.otf"), program)
        path = trace[:-len("otf")] + "0.def"
        for _ in range(2):
            self.assertEqual(self.why(trace), self.why(trace, "--threads", "2"))
            with open(path, encoding="ascii") as file:
                lines = [line for line in file if 'NM"work"' not in line]
            with open(path, "w", encoding="ascii") as file:
                file.writelines(lines)

    def test_why_of_nothing(self):
        trace = programs.write(self.path("t.otf"), [[], []])
        found = self.why(trace)
        self.assertEqual((found["losses"], found["why"][0]["runtime_ns"]), ([], 0))
        self.assertIn("none that can be claimed", self.text(trace))

    def test_why_obeys_its_ceiling_of_memory(self):
        numbers = random.Random(1)
        trace = programs.write(self.path("t.otf"), programs.random_program(numbers, 6, 4000))
        done = subprocess.run([programs.QUIPU, "why", "--max-memory", "300K", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (6, b""))

    def test_why_of_a_damaged_trace_answers_from_what_is_left(self):
        program, _, _, _ = delayed_program(random.Random(5))
        trace = programs.write(self.path("t.otf"), program)
        stream = self.path("t.1.events")
        with open(stream, "rb") as file:
            data = file.read()
        with open(stream, "wb") as file:
            file.write(data[:len(data) // 2])
        done = subprocess.run([programs.QUIPU, "why", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        found = {table["table"]: table for table in json.loads(done.stdout)["tables"]}
        names = [column["name"] for column in found["why"]["columns"]]
        row = dict(zip(names, found["why"]["rows"][0]))
        self.assertIn(done.returncode, (0, 3))
        self.assertGreater(row["unmatched_sends"] + row["unmatched_receives"] + row["incomplete"], 0)


    def test_why_is_about_the_region_of_interest(self):
        """From 1000 to 1200 of 5000: rank 1 waits 100 of 2 x 200 for rank 0, which works meanwhile, outside of any region."""
        program = [[programs.enter(0, "read"), programs.leave(1000, "read"), *programs.send(1100, 1100, 1), programs.enter(1200, "MPI_Reduce"),
                    programs.leave(5000, "MPI_Reduce")],
                   [programs.enter(0, "read"), programs.leave(1000, "read"), *programs.receive(1000, 1100, 0), programs.enter(1200, "MPI_Reduce"),
                    programs.leave(5000, "MPI_Reduce")]]
        trace = self.with_mpi_calls(program)
        found = programs.tables("why", trace)
        [loss] = found["losses"]
        self.assertEqual((found["why"][0]["roi_begin_ns"], found["why"][0]["roi_ns"], found["why"][0]["runtime_ns"]), (1000, 200, 5000))
        self.assertEqual((loss["location"], loss["region"], loss["loss_ns"], loss["share_percent"]), ("rank 0", None, 100, 25))
        done = subprocess.run([programs.QUIPU, "why", trace], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"region of interest: 200 ns of 5.000 us (MPI_Init to MPI_Finalize)\n", done.stdout)
        self.assertNotIn(b"until the last", done.stdout)
        self.assertIn(b"1. 100 ns (25.00 %) rank 0 outside of any region\n", done.stdout)

    def test_why_looks_for_losses_from_the_first_one_that_is_ready_to_the_last_one_that_is_done(self):
        """Rank 1 is ready at 900, rank 0 is done at 1500: 600."""
        program = [[programs.enter(0, "read"), programs.leave(1000, "read"), programs.enter(1500, "MPI_Reduce"),
                    programs.leave(5000, "MPI_Reduce")],
                   [programs.enter(0, "read"), programs.leave(900, "read"), programs.enter(1200, "MPI_Reduce"),
                    programs.leave(5000, "MPI_Reduce")]]
        done = subprocess.run([programs.QUIPU, "why", self.with_mpi_calls(program)], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"region of interest: 600 ns of 5.000 us (MPI_Init to MPI_Finalize)\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
