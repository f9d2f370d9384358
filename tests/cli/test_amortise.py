"""Jumps of the logical clock that are spread over the events before them (--amortise), and the clock with distances that shrink (--gamma): cases
worked out by hand, and programs that are drawn by lot, compared with a reckoning that looks at each event and each jump."""
from fractions import Fraction
import json
import os
import random
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(int(os.environ.get("QUIPU_PROGRAMS", "8")))
WINDOWS = (1, 30, 400, 100000)


def rdiv(number):
    """A fraction rounded half up."""
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


class Reckoning:
    """The controlled logical clock of a program, as the definitions say it: t(e) becomes forward[e], and then amortised[e]."""

    def __init__(self, program, gamma, l_min, window):
        self.program, self.gamma, self.l_min = program, gamma, l_min
        self.waits = {}  # a receive -> its sends
        self.match_messages()
        self.match_collectives()
        self.forward, self.jumps = {}, [[] for _ in program]
        self.run_forward()
        self.amortised = {}
        self.limits = {}
        for receive, sends in self.waits.items():
            for send in sends:
                limit = self.forward[receive] - l_min
                self.limits[send] = min(limit, self.limits.get(send, limit))
        for process in range(len(program)):
            self.amortise(process, window)

    def match_messages(self):
        sends, receives = {}, {}
        for process, events in enumerate(self.program):
            for number, (_, record) in enumerate(events):
                if record[0] in "SR":
                    peer, tag = int(record[1:].split("L")[0], 16) - 1, record.split("T")[1]
                    key = (process, peer, tag) if record[0] == "S" else (peer, process, tag)
                    (sends if record[0] == "S" else receives).setdefault(key, []).append((process, number))
        for key, found in receives.items():
            for receive, send in zip(found, sends.get(key, [])):
                self.waits[receive] = [send] if key[0] != key[1] else []

    def match_collectives(self):
        begins, ends, operations = {}, {}, {}
        for process, events in enumerate(self.program):
            for number, (_, record) in enumerate(events):
                if record.startswith("COPB"):
                    operation, instance = record[4:].split("C6")[0].split("H")
                    operations[instance] = int(operation, 16), int(record.split("RT")[1].split("S")[0], 16) - 1
                    begins.setdefault(instance, {})[process] = (process, number)
                elif record.startswith("COPE"):
                    ends.setdefault(record[4:], {})[process] = (process, number)
        for instance, (operation, root) in operations.items():
            name = next(name for name, (number, _) in programs.COLLECTIVES.items() if number == operation)
            for process, end in ends[instance].items():
                self.waits[end] = [begin for other, begin in begins[instance].items() if other != process and (
                    name in ("MPI_Barrier", "MPI_Allreduce") or name == "MPI_Bcast" and other == root or
                    name == "MPI_Reduce" and process == root)]

    def run_forward(self):
        position, moved = [0] * len(self.program), True
        while moved:
            moved = False
            for process, events in enumerate(self.program):
                while position[process] < len(events):
                    here = (process, position[process])
                    sends = self.waits.get(here, [])
                    if any(send not in self.forward for send in sends):
                        break
                    time = before = events[position[process]][0]
                    if position[process] > 0:
                        earlier = (process, position[process] - 1)
                        distance = time - events[position[process] - 1][0]
                        before = max(time, self.forward[earlier] + rdiv(self.gamma * distance))
                    self.forward[here] = max([before] + [self.forward[send] + self.l_min for send in sends])
                    if self.forward[here] > before:
                        self.jumps[process].append((position[process], before, self.forward[here] - before))
                    position[process] += 1
                    moved = True

    def amortise(self, process, window):
        """Each event gets what all jumps behind it add, as one sum; but not more than sends behind it, or it, may get."""
        count, latest = len(self.program[process]), None
        for number in range(count):
            time, more = self.forward[process, number], Fraction(0)
            for _, before, jump in self.jumps[process]:
                if before - window <= time < before:
                    more += Fraction(jump * (time - before + window), window)
            time += rdiv(more)
            time = time if latest is None else max(time, latest)
            limits = [self.limits[process, later] for later in range(number, count) if (process, later) in self.limits]
            latest = self.amortised[process, number] = min([time] + limits)


class Amortise(FolderTest):
    def run_quipu(self, *words, code=0):
        done = subprocess.run([programs.QUIPU, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        return done

    def correct(self, trace, *options):
        """The new times of each process."""
        output = self.path("out.otf")
        self.run_quipu("clock", "-q", "--force", trace, "-o", output, "--correct", "clc", *options)
        times = {}
        for event in map(json.loads, self.run_quipu("cat", "--json", output).stdout.splitlines()):
            times.setdefault(event["location"], []).append(event["time"])
        return [times[location] for location in sorted(times)]

    def drawn(self, skew=60):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.random_program(numbers, numbers.randint(2, 6), 90, skew)
            yield seed, program, programs.write(self.path(f"s{seed}.otf"), program)

    def test_amortise_spreads_a_jump_over_the_window_before_it(self):
        """The receive at 910 jumps to 1000, by 90, from 910. With a window of 100, from 810 on: 809 gets nothing, 810 gets 0, 830 gets
        90 * 20 / 100 = 18, 835 gets 90 * 25 / 100 = 22.5, rounded 23, and the enter of the receive at 900 gets 81. What follows
        is moved by 90 as before."""
        program = [programs.send(1000, 1005, 1),
                   [programs.enter(809, "work"), programs.leave(810, "work"), programs.enter(830, "work"), programs.leave(835, "work"),
                    *programs.receive(900, 910, 0), programs.enter(930, "work"), programs.leave(940, "work")]]
        trace = programs.write(self.path("t.otf"), program)
        for window, expected in (("0", [809, 810, 830, 835, 900]), ("100", [809, 810, 848, 858, 981]),
                                 ("10", [809, 810, 830, 835, 900]), ("11", [809, 810, 830, 835, 908])):
            # 11: the enter is 1 behind the beginning of the window: 90 / 11 = 8.18.
            times = self.correct(trace, "--amortise", window)
            self.assertEqual(times, [[1000, 1000, 1005], [*expected, 1000, 1000, 1020, 1030]], window)

    def test_amortise_lets_no_send_pass_its_receive(self):
        """Rank 1 jumps by 100 at 400, which is spread over 200 to 400: 210 gets 5, the send at 300 50, its leave at 310 55, the enter at 320
        60. But the send is received at 320, or 20 later; neither it nor what precedes it passes that less l_min."""
        for late, l_min, sent in ((0, 0, 320), (20, 0, 340), (0, 5, 315), (30, 0, 350), (100, 0, 350)):
            program = [[*programs.receive(310, 320 + late, 1), *programs.send(500 - l_min, 500 - l_min, 1)],
                       [programs.enter(210, "work"), *programs.send(300, 310, 0), *programs.receive(320, 400, 0)]]
            times = self.correct(programs.write(self.path("t.otf"), program), "--amortise", "200", "--l-min", str(l_min))
            self.assertEqual(times[1], [215, sent, sent, 365, 380, 500, 500], (late, l_min))

    def test_amortise_adds_up_what_overlaps_and_rounds_it_once(self):
        """Jumps by 10 from 40, and by 5 from 62, which is what 52 has become: windows of 40 are 0 to 40 and 22 to 62. 1 gets 10 * 1 / 40 = 0.25,
        22 gets 5.5 and nothing of the second, 25 gets 6.25 and 5 * 3 / 40 = 0.375, together 6.625; 39 gets 9.75 and 2.125, together 11.875. The
        first receive, at 50, gets 5 * 28 / 40 = 3.5 and is behind that."""
        program = [[*programs.send(50, 50, 1), *programs.send(67, 67, 1)],
                   [programs.enter(1, "work"), programs.enter(22, "work"), programs.enter(25, "work"), programs.enter(39, "work"),
                    (40, "R1L8T0C63"), (52, "R1L8T0C63")]]
        times = self.correct(programs.write(self.path("t.otf"), program), "--amortise", "40")
        self.assertEqual(times[1], [1, 28, 32, 51, 54, 67])

    def test_amortise_keeps_the_order_of_events_at_the_very_time_of_a_jump(self):
        """The leave is at 40 like the receive, which jumps to 140: it is not before the jump and gets nothing by itself. 39 gets
        100 * 9 / 10 = 90, and the leave comes no earlier."""
        program = [programs.send(140, 140, 1), [programs.enter(39, "work"), programs.leave(40, "work"), *programs.receive(40, 40, 0)]]
        times = self.correct(programs.write(self.path("t.otf"), program), "--amortise", "10")
        self.assertEqual(times[1], [129, 129, 129, 140, 140])

    def test_amortise_takes_the_ends_of_collective_operations_for_receives(self):
        """Rank 1 begins a barrier at 200, rank 0 has ended it at 150: it jumps to 200, by 50, and 140 gets 50 * 90 / 100 = 45. But its own
        barrier began at 110 and must not begin behind the end of rank 1's, 205, which it does not: 110 gets 30."""
        program = [programs.collective("MPI_Barrier", 110, 150, 1) + [programs.enter(160, "work")],
                   programs.collective("MPI_Barrier", 200, 205, 1)]
        program[0].insert(2, programs.enter(140, "work"))
        times = self.correct(programs.write(self.path("t.otf"), program), "--amortise", "100")
        self.assertEqual(times, [[140, 140, 185, 200, 200, 210], [200, 200, 205, 205]])

    def test_amortise_lets_no_beginning_pass_an_end_that_waits_for_it(self):
        """Root 0 of a broadcast begins at 100 and jumps by 100 at 200, spread over 200: the beginning would get 50. Rank 1 ends the broadcast at
        120, so it gets 20; and in a reduction to rank 1, which ends at 130, rank 0 as a member gets 30."""
        for name, root, end, expected in (("MPI_Bcast", 0, 120, 120), ("MPI_Reduce", 1, 130, 130)):
            program = [[*programs.collective(name, 100, 110, 1, root), *programs.receive(150, 200, 1)],
                       [*programs.collective(name, 90, end, 1, root), *programs.send(300, 300, 0)]]
            times = self.correct(programs.write(self.path("t.otf"), program), "--amortise", "200")
            # 110 gets 55, 150 gets 75.
            self.assertEqual(times[0], [expected, expected, 165, 165, 225, 300, 300], name)

    def test_amortise_agrees_with_a_reckoning_of_each_event(self):
        moved = limited = 0
        for seed, program, trace in self.drawn():
            for number, window in enumerate(WINDOWS):
                for gamma, l_min in (("1", 0), ("0.5", 0), ("0.99", 3), ("0", 1))[number % 2::2]:
                    reckoned = Reckoning(program, Fraction(gamma), l_min, window)
                    times = self.correct(trace, "--amortise", str(window), "--gamma", gamma, "--l-min", str(l_min))
                    expected = [[reckoned.amortised[process, k] for k in range(len(events))] for process, events in enumerate(program)]
                    self.assertEqual(times, expected, (seed, window, gamma, l_min))
                    moved += sum(reckoned.amortised[event] > time for event, time in reckoned.forward.items())
                    limited += sum(reckoned.forward[event] < time == reckoned.limits.get(event) for event, time in reckoned.amortised.items())
        self.assertGreater(moved, 100)
        self.assertGreater(limited, 10)

    def test_amortise_breaks_no_message_and_keeps_the_order(self):
        for seed, program, trace in self.drawn():
            for window, l_min in (("40", "0"), ("40", "4"), ("100000", "4")):
                forward = self.correct(trace, "--l-min", l_min)
                times = self.correct(trace, "--amortise", window, "--l-min", l_min)
                row = programs.tables("clock", self.path("out.otf"), "--l-min", l_min)["clock"][0]
                self.assertEqual((row["violations"], row["collective_violations"]), (0, 0), (seed, window, l_min))
                for before, behind in zip(forward, times):
                    self.assertEqual(behind, sorted(behind), (seed, window))
                    self.assertTrue(all(a <= b for a, b in zip(before, behind)), (seed, window))

    def test_amortise_of_the_end_moves_no_end(self):
        """No receive that jumps last at its location, and nothing behind it, gets another time."""
        for seed, program, trace in self.drawn():
            reckoned = Reckoning(program, Fraction(1), 0, 1)
            times = self.correct(trace, "--amortise", "300")
            for process, jumps in enumerate(reckoned.jumps):
                last = jumps[-1][0] if jumps else 0
                self.assertEqual(times[process][last:], [reckoned.forward[process, k] for k in range(last, len(program[process]))], seed)

    def test_amortise_without_violations_changes_nothing(self):
        for seed, program, trace in self.drawn(skew=0):
            self.assertEqual(self.correct(trace, "--amortise", "1000"), [[time for time, _ in events] for events in program], seed)

    def test_amortise_of_nothing_is_the_logical_clock_alone(self):
        for seed, _, trace in self.drawn():
            self.assertEqual(self.correct(trace, "--amortise", "0"), self.correct(trace), seed)

    def test_amortise_in_one_stream_or_several_is_the_same(self):
        for seed, _, trace in self.drawn():
            apart = self.correct(trace, "--amortise", "200")
            self.assertEqual(self.correct(trace, "--amortise", "200", "--streams", "1"), apart, seed)

    def test_amortise_is_an_option_of_clock_too(self):
        program = [programs.send(1000, 1005, 1), programs.receive(900, 910, 0)]
        trace = programs.write(self.path("t.otf"), program)
        expected = self.correct(trace, "--amortise", "100")
        self.assertEqual(expected[1], [981, 1000, 1000])
        self.run_quipu("clock", trace, "--correct", "clc", "--amortise", "100", "-o", self.path("c.otf"))
        listed = map(json.loads, self.run_quipu("cat", "--json", self.path("c.otf")).stdout.splitlines())
        self.assertEqual([event["time"] for event in listed if event["location"] == 1], expected[1])

    def test_amortise_goes_with_clc_only(self):
        trace, output = programs.write(self.path("t.otf"), [programs.send(0, 1, 0)]), self.path("c.otf")
        for words in (("clock", trace, "-o", output, "--correct", "offset", "--amortise", "5"),
                      ("clock", trace, "-o", output, "--correct", "clc", "--amortise", "-5"), ("clock", trace, "--amortise", "5")):
            self.assertIn("--amortise", self.run_quipu(*words, code=2).stderr)
        self.assertFalse(os.path.exists(output))


if __name__ == "__main__":
    unittest.main()
