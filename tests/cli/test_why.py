"""quipu why: programs with one delay of known place and length, and whether it is named first; accounts that close, figures, text."""
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(20)
DATA = pathlib.Path(os.environ.get("QUIPU_SOURCE", ".")) / "tests/data"
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

    def text(self, trace, *options):
        return subprocess.run([programs.QUIPU, "why", "-q", trace, *options], stdout=subprocess.PIPE, check=True, text=True).stdout

    def random_trace(self, seed):
        numbers = random.Random(seed)
        return programs.write(self.path("t.otf"), programs.random_program(numbers, numbers.randint(2, 6), 90))

    def assert_closed(self, found, trace):
        """Both accounts have every nanosecond that is lost."""
        account = {row["part"]: row["time_ns"] for row in found["account"]}
        if None in account.values():
            return
        self.assertEqual(sum(account.values()) - account["lost"], account["lost"], trace)
        self.assertEqual(sum(row["time_ns"] for row in found["spent"]), account["lost"], trace)
        self.assertEqual(sum(row["time_ns"] for row in found["findings"]), account["lost"], trace)
        for row in found["spent"]:
            self.assertTrue(row["kind"] == "waiting" or row["certain_ns"] == row["time_ns"], (trace, row))
            self.assertGreater(row["time_ns"], 0, trace)

    def test_why_names_an_injected_delay_first(self):
        for seed in SEEDS:
            program, rank, region, length = delayed_program(random.Random(seed))
            trace = programs.write(self.path("t.otf"), program)
            [first] = [row for row in self.why(trace)["findings"] if row["kind"] == "waiting"][:1]
            self.assertEqual((first["location"], first["region"]), (f"rank {rank}", region), seed)
            self.assertGreater(first["time_ns"], length * 0.8, seed)
            self.assertRegex(self.text(trace), f"\n{first['rank']}\\. .* %\\) others wait for rank {rank} in {region}\n", seed)

    def test_why_closes_its_accounts_of_every_trace(self):
        count = 0
        for path in sorted(DATA.rglob("*")):
            if not path.is_file() or path.suffix not in (".otf", ".meta", ".picl", ".ctrace", ".trf", ".trc", ".trace"):
                continue
            done = subprocess.run([programs.QUIPU, "why", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
            self.assertIn(done.returncode, (0, 3, 4), (path, done.stderr))
            if done.returncode != 4:
                self.assert_closed(programs.rows_of(done.stdout), path)
                count += 1
        self.assertGreater(count, 90)

    def test_why_has_the_figures_of_the_other_analyses(self):
        for seed in SEEDS:
            trace = self.random_trace(seed)
            found = self.why(trace)
            self.assert_closed(found, seed)
            [about], [efficiency] = found["why"], programs.tables("efficiency", trace)["efficiency"]
            account = {row["part"]: row["time_ns"] for row in found["account"]}
            count, most = efficiency["locations"], efficiency["useful_max_ns"]
            self.assertEqual((about["locations"], about["runtime_ns"], about["roi_begin_ns"], about["roi_end_ns"]),
                             (count, *(efficiency[name] for name in ("runtime_ns", "roi_begin_ns", "roi_end_ns"))), seed)
            self.assertEqual(account["lost"], count * efficiency["runtime_ns"] - efficiency["useful_sum_ns"], seed)
            self.assertEqual(account["imbalance"], count * most - efficiency["useful_sum_ns"], seed)
            if efficiency["ideal_runtime_ns"] is not None:
                self.assertEqual(account["serialisation"], count * (efficiency["ideal_runtime_ns"] - most), seed)
            self.assertLessEqual(sum(row["certain_ns"] for row in found["spent"]), account["lost"])
            times = [row["time_ns"] for row in found["findings"]]
            self.assertEqual((times, [row["rank"] for row in found["findings"]]),
                             (sorted(times, reverse=True), list(range(1, len(times) + 1))), seed)

    def test_why_charges_the_causes_of_waits(self):
        """Where all that happens is communication, and all of it counts, each wait costs its whole length."""
        for seed in SEEDS:
            numbers = random.Random(seed)
            program, now = [[] for _ in range(4)], [numbers.randrange(50) for _ in range(4)]
            for _ in range(6):
                numbers.choice(EXCHANGES[:2])(program, now)
                now[numbers.randrange(4)] += numbers.randrange(90)
            trace = programs.write(self.path("t.otf"), program)
            costs = {(row["location"], row["path"]): row["short_ns"] + row["long_ns"] for row in programs.tables("waits", trace, "--causes")["delays"]}
            found = {(row["location"], row["path"]): row["time_ns"] for row in self.why(trace)["spent"] if row["kind"] == "waiting"}
            self.assertEqual(found, costs, seed)

    def assert_first(self, trace, account, kind, location, region, time):
        """Lost, and to what, and the finding that comes first."""
        found = self.why(trace)
        self.assert_closed(found, trace)
        self.assertEqual({row["part"]: row["time_ns"] for row in found["account"]},
                         dict(zip(("lost", "imbalance", "serialisation", "transfer"), account)))
        first = found["findings"][0]
        self.assertEqual((first["kind"], first["location"], first["region"], first["time_ns"]), (kind, location, region, time))

    def test_why_names_a_slow_rank_first(self):
        """In each of 10 steps rank 2 works 200 ns, three others 100; barriers end 3 ns behind the last. Useful are 5000 of 4 x 2030; 4 x 2000 - 5000 is
        imbalance, 4 x 30 transfer. Three wait 100 for rank 2, 10 times."""
        program, now, meet = [[] for _ in range(4)], [0] * 4, together("MPI_Barrier")
        for _ in range(10):
            for rank, events in enumerate(program):
                begin, now[rank] = now[rank], now[rank] + (200 if rank == 2 else 100)
                events.extend([programs.enter(begin, "work"), programs.leave(now[rank], "work")])
            meet(program, now, [len(program[0])])
        trace = programs.write(self.path("t.otf"), program)
        self.assert_first(trace, (3120, 3000, 0, 120), "waiting", "rank 2", "work", 3000)

    def test_why_names_a_slow_network_first(self):
        """Three ranks work 1000 ns and exchange a message in a ring, 10 times, on a network on which a message takes 50,000 ns and nothing else takes time: all of
        10 x 50,000 at each rank is transfer, in MPI_Recv, which no rank is to blame for."""
        program, now = [[] for _ in range(3)], [0] * 3
        for _ in range(10):
            for rank, events in enumerate(program):
                begin, now[rank] = now[rank], now[rank] + 1000
                events.extend([programs.enter(begin, "work"), programs.leave(now[rank], "work")])
            ring(program, now)
        trace, slow = programs.write(self.path("t.otf"), program), self.path("slow.otf")
        subprocess.run([programs.QUIPU, "replay", "-q", trace, "--network", "loggops", "--latency", "50000", "--overhead", "0", "--gap", "0",
                        "--gap-per-byte", "0", "-o", slow], stdout=subprocess.DEVNULL, check=True)
        self.assert_first(slow, (1500000, 0, 0, 1500000), "unexplained", None, "MPI_Recv", 1500000)
        doubt = "  Time in which processes had no processor is in transfer, too: how much, this\n  trace does not say.\n"
        self.assertIn("the network: quipu replay\n" + doubt, self.text(slow))
        self.assertNotIn(doubt, self.text(trace))

    def test_why_commands_run(self):
        program, _, _, _ = delayed_program(random.Random(3))
        for name, words in (("a trace", []), ("a trace", ["--roi", "work"]), ("it's 'one", [])):
            trace = programs.write(self.path(f"{name}.otf"), program)
            commands = [line.strip() for line in self.text(trace, *words).splitlines() if line.strip().startswith("quipu ")]
            self.assertTrue(commands)
            for command in commands:
                words = shlex.split(command)
                done = subprocess.run([programs.QUIPU, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""), command)
                self.assertEqual(words[2], trace)

    def test_why_has_no_bytes_in_commands_that_a_terminal_obeys(self):
        """A name with an escape sequence and a byte that is no text is escaped, and none is in a command."""
        program, _, _, _ = delayed_program(random.Random(3))
        trace = programs.write(self.path("t.otf"), program)
        definitions = pathlib.Path(trace).with_suffix(".0.def")
        named = re.sub(rb'(^DF\d.*NM")(\w*)"', lambda name: name[0][:-1] + b'\xff\x1b[31m"', definitions.read_bytes(), flags=re.M)
        self.assertIn(b"\x1b", named)
        definitions.write_bytes(named)
        done = subprocess.run([programs.QUIPU, "why", trace], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"\\x1b", done.stdout)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertIn(b"quipu ", done.stdout)

    def test_why_fits_a_terminal(self):
        for seed in range(4):
            program, _, _, _ = delayed_program(random.Random(seed))
            for line in self.text(programs.write(self.path("t.otf"), program)).splitlines()[1:]:
                if not line.strip().startswith("quipu "):
                    self.assertLessEqual(len(line), 80, line)

    def test_why_says_what_is_lost_first(self):
        """By hand, as in tests/analysis/test_why.c: 1012 of 2 x 1020."""
        program = [[programs.enter(0, "work"), programs.leave(1000, "work"), *programs.send(1000, 1010, 1), programs.enter(1010, "main"),
                    programs.leave(1020, "main")],
                   [programs.enter(0, "work"), programs.leave(10, "work"), *programs.receive(10, 1012, 0), programs.enter(1012, "main"),
                    programs.leave(1020, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        text = self.text(trace)
        self.assertTrue(text.startswith(
            f"{trace}\n1.012 us (49.61 %) is lost of the time of 2 locations x 1.020 us, to\n"
            "  imbalance     992 ns (48.63 %)        uneven work: quipu imbalance\n"
            "  serialisation 0 ns (0.00 %)           waiting for each other: quipu waits\n"
            "  transfer      20 ns (0.98 %)          the network: quipu replay\n\n"
            "What is done in this time, and what shows more\n"
            "1. 990 ns (48.53 %) others wait for rank 0 in work\n"
            f"   quipu calls {trace} --region 'work' --location 0\n"
            "2. 12 ns (0.59 %) unexplained time of communication in MPI_Recv\n"), text)
        self.assertIn("\nWhat clocks leave open\n  1 location without messages both ways: nothing is known of its clock\n", text)
        self.assertIn("2 more findings: --limit N\n", self.text(trace, "--limit", "1"))

    def test_why_says_that_clocks_contradict_each_other(self):
        program = [programs.send(1000, 1001, 1), programs.receive(800, 900, 0)]
        trace = programs.write(self.path("t.otf"), program)
        self.assertIn("  1 message arrives before being sent, by up to 100 ns: quipu clock\n", self.text(trace))

    def test_why_says_when_processes_had_no_processor(self):
        """Figures by another way: from the events and their attributes."""
        trace = str(DATA.parents[1] / "examples/traces/phases")
        [about] = self.why(trace, "--roi", "all")["why"]
        called, calls, off = {}, 0, 0
        events = subprocess.run([programs.QUIPU, "cat", "--json", trace], stdout=subprocess.PIPE, check=True, text=True).stdout
        for event in map(json.loads, events.splitlines()):
            if event["kind"] == "enter":
                called[event["location"]] = event
            elif event["kind"] == "leave":
                begin = called.pop(event["location"])
                if "cpu_stop" not in begin["attributes"]:
                    continue
                length, busy = event["time_ns"] - begin["time_ns"], begin["attributes"]["cpu_stop"] - begin["attributes"]["cpu_start"]
                if busy < length // 2:
                    calls, off = calls + 1, off + length - busy
        self.assertGreater(off, 0)
        self.assertEqual((about["off_processor_calls"], about["off_processor_ns"]), (calls, off))
        self.assertRegex(self.text(trace), rf"^.*\nIn {self.why(trace)['why'][0]['off_processor_calls']} calls of MPI, processes had no processor for ")

    def delays_of(self, program, delays):
        """A trace with the counter run_delay: by process, (position, time, value so far); values stand behind the events of their times, or, with a
        position below 0, before the last one."""
        for events, values in zip(program, delays):
            for position, time, value in values:
                events.insert(position if position >= 0 else len(events) + position, (time, f"CNT1V{value:x}"))
        trace = programs.write(self.path("t.otf"), program)
        with open(self.path("t.0.def"), "a", encoding="ascii") as file:
            file.write('DCG1NM"scheduler"\nDCNT1G1NM"run_delay"P0U"ns"\n')
        return trace

    def test_why_says_first_that_processors_are_too_few(self):
        """Two ranks share a processor for 2 x 1000 ns of work: rank 0 gets it first, rank 1 has none for 1000 ns in its work, and then rank 0
        none for 900 ns in the barrier, where it waits for rank 1 (its work lasts 2000, the barrier to 2100). Lost: 2 x 2100 - 3000 = 1200, of which 1000 is waiting
        for rank 1. Starved is what rank 1 had no processor for, and of the 900 in the barrier no more than the 200 that are not waiting for
        work of others: 1200, more than the largest finding."""
        program = [[programs.enter(0, "work"), programs.leave(1000, "work"), *programs.collective("MPI_Barrier", 1000, 2100, 1)],
                   [programs.enter(0, "work"), programs.leave(2000, "work"), *programs.collective("MPI_Barrier", 2000, 2100, 1)]]
        trace = self.delays_of(program, [[(0, 0, 7), (4, 1000, 7), (-1, 2100, 907)], [(0, 0, 5), (4, 2000, 1005), (-1, 2100, 1005)]])
        found = self.why(trace)
        self.assert_closed(found, trace)
        [about] = found["why"]
        self.assertEqual([about[name] for name in ("off_processor_ns", "off_processor_calls", "off_processor_outside_ns", "starved_ns")],
                         [900, 1, 1000, 1200])
        self.assertEqual([found["findings"][0][name] for name in ("kind", "location", "time_ns")], ["waiting", "rank 1", 1000])
        self.assertTrue(self.text(trace).startswith(
            f"{trace}\nIn 1 call of MPI, processes had no processor for 900 ns, and\n"
            "outside of them for 1.000 us, though they were ready to run: 45.24 % of the\n"
            "time of all. Processors are too few for them, or other programs run there.\n"
            "Where there are fewer processors than processes, what follows says little.\n\n1.200 us "), self.text(trace))
        [part] = self.why(trace, "--until", "2000ns")["why"]
        self.assertEqual([part[name] for name in ("off_processor_ns", "off_processor_outside_ns")], [900, 1000])

    def test_why_says_last_that_those_who_wait_had_no_processor(self):
        """The same, but rank 1 has its processor all the time, and works twice as long: that rank 0 has none while it waits costs nothing."""
        program = [[programs.enter(0, "work"), programs.leave(1000, "work"), *programs.collective("MPI_Barrier", 1000, 2100, 1)],
                   [programs.enter(0, "work"), programs.leave(2000, "work"), *programs.collective("MPI_Barrier", 2000, 2100, 1)]]
        trace = self.delays_of(program, [[(0, 0, 7), (4, 1000, 7), (-1, 2100, 907)], [(0, 0, 5), (4, 2000, 5), (-1, 2100, 5)]])
        text = self.text(trace)
        self.assertTrue(text.startswith(f"{trace}\n1.200 us "), text)
        self.assertIn("\n1. 1.000 us (23.81 %) others wait for rank 1 in work\n", text)
        self.assertIn("\n\nIn 1 call of MPI, processes had no processor for 900 ns, and\noutside of them for 0 ns, ", text)

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
        self.assertEqual(([row["time_ns"] for row in found["account"]], found["findings"], found["spent"]), ([0, 0, 0, 0], [], []))
        self.assertIn("Nothing is lost.\n", self.text(trace))

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
        self.assertIn(done.returncode, (0, 3))
        self.assertIn(b"left out: ", done.stderr)
        self.assert_closed(programs.rows_of(done.stdout), trace)

    def test_why_is_about_the_region_of_interest(self):
        """From 1000, where all have initialised MPI, to 1500, where the last one finalises it. Rank 1 waits 100 of 2 x 500 in MPI_Recv, and
        300 in MPI_Finalize, for rank 0, which works meanwhile, outside of any region. A call that takes no time is
        none that is around it."""
        program = [[programs.enter(0, "MPI_Init"), programs.leave(1000, "MPI_Init"), *messages, programs.enter(done, "MPI_Finalize"),
                    programs.leave(5000, "MPI_Finalize")]
                   for messages, done in ((programs.send(1100, 1100, 1), 1500), (programs.receive(1000, 1100, 0), 1200))]
        trace = programs.write(self.path("t.otf"), program)
        found = self.why(trace)
        [about] = found["why"]
        self.assertEqual((about["roi_begin_ns"], about["runtime_ns"], about["trace_ns"]), (1000, 500, 5000))
        self.assertEqual(sum(row["time_ns"] for row in found["spent"]), 400)
        self.assertIn(("waiting", "rank 0", None, 400, 40), [tuple(row[name] for name in ("kind", "location", "region", "time_ns", "percent"))
                                                            for row in found["spent"]])
        self.assertIn(" others wait for rank 0 between MPI_Init and MPI_Finalize\n", self.text(trace))
        self.assertIn("\nThis is about 500 ns, from 1.000 us on, of the 5.000 us with events.\n", self.text(trace))
        self.assertEqual(self.why(trace, "--roi", "all")["why"][0]["runtime_ns"], 5000)

    def test_why_with_threads_meets_attributes_of_call_sites_and_files(self):
        """The first reading leaves out attributes, so what the last one finds in fields of file operations was not known yet."""
        def rank(begin):
            return [(begin, "E2X1"), (begin + 50, "F1H1OP0B8D5"), (begin + 60, "L2"), *programs.collective("MPI_Barrier", begin + 70, 300, 5)]
        path = programs.write(self.path("t.otf"), [rank(10), rank(40)])
        with open(self.path("t.0.def"), "a", encoding="ascii") as file:
            file.write('DFLG1NM"files"\nDFL1NM"x"G1\nDSF1NM"a.c"\nDS1F1LN3\n')
        answers = [subprocess.run([programs.QUIPU, "why", path, "--threads", threads], check=False, capture_output=True) for threads in "12"]
        self.assertEqual(0, answers[0].returncode, answers[0].stderr)
        self.assertEqual((answers[0].returncode, answers[0].stdout), (answers[1].returncode, answers[1].stdout), answers[1].stderr)


if __name__ == "__main__":
    unittest.main()
