"""quipu diff: what differs between two traces, on programs whose difference is known."""
import json
import os
import random
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(8)


def work(lengths, calls=1):
    """A program whose processes work so long, in so many calls each, and meet in a barrier."""
    program = []
    for length in lengths:
        events = []
        for call in range(calls):
            events += [programs.enter(call * length // calls, "work"), programs.leave((call + 1) * length // calls, "work")]
        program.append(events + programs.collective("MPI_Barrier", length, max(lengths) + 10, 1))
    return program


def steps(lengths, extra=0):
    """Two processes in a loop of work and barriers, after work of their own."""
    program = []
    for _ in range(2):
        now, events = extra, [programs.enter(0, "read"), programs.leave(extra, "read")]
        for number, length in enumerate(lengths):
            events += [programs.enter(now, "work"), programs.leave(now + length, "work")]
            events += programs.collective("MPI_Barrier", now + length, now + length + 10, number + 1)
            now += length + 10
        program.append(events)
    return program


class Diff(FolderTest):
    def run_diff(self, a, b, *options, codes=(0, 1)):
        done = subprocess.run([programs.QUIPU, "diff", "--json", a, b, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertIn(done.returncode, codes, done.stderr.decode())
        answer = json.loads(done.stdout) if done.stdout else {"tables": []}
        tables = {table["table"]: [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
                  for table in answer.get("tables", [answer])}
        return done.returncode, tables

    def differences(self, a, b, *options):
        code, tables = self.run_diff(a, b, *options)
        return code, tables["differences"]

    def write(self, name, program):
        return programs.write(self.path(name), program)

    def random(self, seed, name, factor=1):
        numbers = random.Random(seed)
        program = programs.random_program(numbers, numbers.randint(2, 5), 60)
        return self.write(name, [[(time * factor, record) for time, record in events] for events in program])

    def test_diff_of_a_trace_with_itself_is_empty(self):
        for seed in SEEDS:
            trace = self.random(seed, "a.otf")
            self.assertEqual(self.differences(trace, trace), (0, []), seed)

    def test_diff_is_mirrored_when_traces_are_swapped(self):
        keys = ("level", "what", "rank", "measure")
        for seed in SEEDS:
            a, b = self.random(seed, "a.otf"), self.random(seed + 100, "b.otf")
            there = {tuple(row[key] for key in keys): (row["a"], row["b"]) for row in self.differences(a, b)[1]}
            back = {tuple(row[key] for key in keys): (row["b"], row["a"]) for row in self.differences(b, a)[1]}
            self.assertEqual(there, back, seed)
            self.assertTrue(there, seed)

    def test_diff_of_scaled_times_is_the_scale(self):
        for seed in SEEDS:
            a, b = self.random(seed, "a.otf", 10), self.random(seed, "b.otf", 11)
            code, rows = self.differences(a, b)
            self.assertEqual(code, 1, seed)
            self.assertEqual([row["percent"] for row in rows if row["level"] == "runtime"], [10], seed)
            self.assertEqual({row["percent"] for row in rows}, {10}, seed)
            self.assertEqual([row for row in rows if row["change_ns"] is None], [], seed)

    def test_diff_of_a_copy_in_another_form_is_empty(self):
        trace = self.random(1, "a.otf")
        copy = self.path("b.otf")
        subprocess.run([programs.QUIPU, "convert", "-q", "--set", "long=yes", "--streams", "1", trace, "-o", copy], check=True)
        self.assertEqual(self.differences(trace, copy), (0, []))

    def test_diff_says_which_region_and_rank_is_slower(self):
        a, b = self.write("a.otf", work([1000, 1000, 1000])), self.write("b.otf", work([1000, 1400, 1000]))
        code, rows = self.differences(a, b, "--level", "profile,runtime")
        found = [(row["what"], row["rank"], row["a"], row["b"], row["change_ns"], row["percent"]) for row in rows]
        self.assertEqual(code, 1)
        self.assertEqual(found, [("MPI_Barrier", None, 30, 830, 800, 2666.67), ("MPI_Barrier", 0, 10, 410, 400, 4000),
                                 ("MPI_Barrier", 2, 10, 410, 400, 4000), ("run time", None, 1010, 1410, 400, 39.6),
                                 ("work", None, 3000, 3400, 400, 13.33), ("work", 1, 1000, 1400, 400, 40)])

    def test_diff_counts_calls_messages_and_definitions(self):
        a = self.write("a.otf", [programs.send(10, 20, 1, length=8), programs.receive(10, 20, 0)])
        b = self.write("b.otf", [programs.send(10, 20, 1, length=9), programs.receive(10, 20, 0), []])
        code, rows = self.differences(a, b)
        self.assertEqual(code, 1)
        self.assertEqual([(row["level"], row["what"], row["measure"], row["a"], row["b"], row["change"]) for row in rows],
                         [("definitions", "rank 2", "locations", 0, 1, 1), ("comm", "rank 0 → rank 1", "bytes", 8, 9, 1)])

    def test_diff_threshold_and_conditions(self):
        a, b = self.write("a.otf", work([1000, 1000])), self.write("b.otf", work([1030, 1030]))
        cases = {(): 0, ("--threshold", "2"): 1, ("--threshold", "2.99"): 0, ("--fail-if", "profile.exclusive > +2%"): 1,
                 ("--fail-if", "profile.exclusive_ns>2.8%"): 1, ("--fail-if", "profile.exclusive > 3%"): 0,
                 ("--fail-if", "profile.exclusive < -1%"): 0, ("--fail-if", "profile.calls > 0%"): 0,
                 ("--budget", "2.5"): 1, ("--budget", "3"): 0,
                 ("--fail-if", "profile.calls > 0%", "--fail-if", "runtime.time > 1%"): 1}
        for options, expected in cases.items():
            self.assertEqual(self.differences(a, b, *options)[0], expected, options)
        self.assertEqual(self.differences(b, a, "--fail-if", "profile.exclusive < -2%")[0], 1)
        self.assertEqual(self.differences(b, a, "--budget", "0")[0], 0)

    def test_diff_of_phases_goes_by_their_deviations(self):
        """Medians 110 and 130, of iterations with their work and 10 in a barrier, which deviate by 0 or by 20."""
        even, uneven = [100] * 9, [80, 120, 100] * 3
        cases = ((even, [120] * 9, [(110, 130, 9, 9, "median deviations 0 and 0 ns")]),
                 (uneven, [length + 20 for length in uneven], []), (uneven, [length + 200 for length in uneven], None))
        for before, after, expected in cases:
            a, b = self.write("a.otf", steps(before)), self.write("b.otf", steps(after))
            rows = [row for row in self.differences(a, b, "--level", "phases")[1] if row["measure"] == "median_ns"]
            found = [(row["a"], row["b"], row["samples_a"], row["samples_b"], row["evidence"]) for row in rows]
            if expected is None:
                self.assertEqual([row[:2] for row in found], [(110, 310)])
            else:
                self.assertEqual(found, expected)

    def test_diff_of_phases_of_years_goes_by_their_deviations(self):
        """The same with times that are 10^15 times as long."""
        even, uneven = [100 * 10**15] * 9, [80 * 10**15, 120 * 10**15, 100 * 10**15] * 3
        for before, more, is_different in ((even, 20, True), (uneven, 20, False), (uneven, 200, True)):
            a, b = self.write("a.otf", steps(before)), self.write("b.otf", steps([length + more * 10**15 for length in before]))
            rows = [row for row in self.differences(a, b, "--level", "phases")[1] if row["measure"] == "median_ns"]
            self.assertEqual([(row["a"], row["b"]) for row in rows], [(10**17 + 10, 10**17 + more * 10**15 + 10)] * is_different)

    def test_diff_of_totals_that_are_no_numbers_of_64_bits(self):
        """Three processes that work for 2^62 ns."""
        a, b = self.write("a.otf", work([100] * 3)), self.write("b.otf", work([2**62] * 3))
        rows = [row for row in self.differences(a, b, "--level", "profile")[1] if row["what"] == "work" and row["measure"] == "exclusive_ns"]
        self.assertEqual([(row["rank"], row["a"], row["b"], row["change_ns"]) for row in rows if row["rank"] is None], [(None, 300, None, None)])
        self.assertEqual([(row["rank"], row["b"]) for row in rows if row["rank"] is not None], [(rank, 2**62) for rank in range(3)])

    def test_diff_shows_everything_of_a_level(self):
        a = self.write("a.otf", work([1000, 1000]))
        code, tables = self.run_diff(a, a, "--level", "profile,comm")
        self.assertEqual((code, sorted(tables), tables["differences"], tables["comm"]), (0, ["comm", "differences", "profile"], [], []))
        self.assertEqual({(row["what"], row["measure"], row["rank"], row["a"], row["b"]) for row in tables["profile"]},
                         {(region, measure, rank, (2 if rank is None else 1) * value, (2 if rank is None else 1) * value)
                          for region, values in (("work", (1, 1000)), ("MPI_Barrier", (1, 10)))
                          for measure, value in zip(("calls", "exclusive_ns"), values) for rank in (None, 0, 1)})

    def calls(self, a, b, *options):
        code, tables = self.run_diff(a, b, "--level", "calls", *options)
        return code, [(row["rank"], row["what"], row["measure"], row["a"], row["b"]) for row in tables["calls"]], tables["differences"]

    @staticmethod
    def sequence(*steps):
        """A process that sends (tag, length of the call) to the other, one call each 100."""
        return [event for number, (tag, length) in enumerate(steps)
                for event in programs.send(100 * number, 100 * number + length, 1, tag)]

    def test_diff_aligns_the_calls_of_each_rank(self):
        """3 x tag 0, tag 1, tag 2, 2 x tag 0; the other has one of tag 0 less, tag 3 in place of tag 1, tag 2 takes 30 in place of 20, and ends
        with tag 4."""
        a = self.write("a.otf", [self.sequence((0, 10), (0, 10), (0, 10), (1, 10), (2, 20), (0, 10), (0, 10)), []])
        b = self.write("b.otf", [self.sequence((0, 10), (0, 10), (3, 10), (2, 30), (0, 10), (0, 10), (4, 10)), []])
        code, rows, differences = self.calls(a, b)
        expected = {(0, "call 1: MPI_Send", "calls", 3, 2), (0, "call 4: MPI_Send", "calls", 1, 0),
                    (0, "call 3 of b: MPI_Send", "calls", 0, 1), (0, "call 5: MPI_Send", "time_ns", 20, 30),
                    (0, "call 7 of b: MPI_Send", "calls", 0, 1)}
        self.assertEqual((code, set(rows), len(rows), len(differences)), (1, expected, 5, 5))
        self.assertEqual(self.calls(a, b, "--threshold", "40")[1:2], ([row for row in rows if row[2] == "calls"],))
        for options, code in (((), 1), (("--fail-if", "calls.calls > 0%"), 1), (("--fail-if", "calls.time > 60%"), 0),
                              (("--fail-if", "calls.time > 40%"), 1)):
            self.assertEqual(self.run_diff(a, b, *options)[0], code, options)
        self.assertNotIn("calls", {row["level"] for row in self.differences(a, b)[1]})
        self.assertEqual(self.calls(a, a), (0, [], []))

    def test_diff_of_calls_mirrors_and_ends_after_twenty(self):
        a = self.write("a.otf", [self.sequence(*((number % 2, 10) for number in range(60))), []])
        b = self.write("b.otf", [self.sequence(*((number % 2, 20) for number in range(60))), self.sequence((1, 5))])
        rows = self.calls(a, b)[1]
        self.assertEqual(sorted(rows, key=lambda row: int(row[1].split()[1].strip(":"))),
                         [(0, "call 1: MPI_Send", "time_ns", 10, 20), (1, "call 1 of b: MPI_Send", "calls", 0, 1),
                          *((0, f"call {number}: MPI_Send", "time_ns", 10, 20) for number in range(2, 21))])
        mirrored = {(rank, what, measure, y, x) for rank, what, measure, x, y in self.calls(b, a)[1]}
        self.assertEqual({row for row in mirrored if row[2] == "time_ns"}, {row for row in rows if row[2] == "time_ns"})

    def test_diff_of_calls_takes_the_fewest_steps(self):
        """Removed and added calls of random sequences, without repetition, are as many as those outside of a longest common one."""
        for seed in range(12):
            numbers = random.Random(seed)
            tags = []
            for _ in range(2):
                own = [numbers.randrange(5) for _ in range(12)]
                tags.append([tag for i, tag in enumerate(own) if i == 0 or own[i - 1] != tag])
            a, b = (self.write(f"{name}.otf", [self.sequence(*((tag, 10) for tag in own)), []]) for name, own in zip("ab", tags))
            common = [[0] * (len(tags[1]) + 1) for _ in range(len(tags[0]) + 1)]
            for i, x in enumerate(tags[0]):
                for k, y in enumerate(tags[1]):
                    common[i + 1][k + 1] = common[i][k] + 1 if x == y else max(common[i][k + 1], common[i + 1][k])
            rows = self.calls(a, b)[1]
            self.assertEqual(len(rows), min(20, len(tags[0]) + len(tags[1]) - 2 * common[-1][-1]), (seed, tags))
            left = [tag for i, tag in enumerate(tags[0]) if (0, f"call {i + 1}: MPI_Send", "calls", 1, 0) not in rows]
            right = [tag for i, tag in enumerate(tags[1]) if (0, f"call {i + 1} of b: MPI_Send", "calls", 0, 1) not in rows]
            self.assertEqual(left, right, (seed, tags))

    def test_diff_of_calls_of_programs_that_have_little_in_common(self):
        a = self.write("a.otf", [self.sequence(*((number % 3, 10) for number in range(2000))), []])
        b = self.write("b.otf", [self.sequence(*((3 + number % 2, 10) for number in range(2000))), []])
        code, rows, _ = self.calls(a, b)
        self.assertEqual((code, len(rows), {row[0] for row in rows}), (1, 20, {0}))

    def test_diff_prints_text_and_csv(self):
        a, b = self.write("a.otf", work([1000, 1000])), self.write("b.otf", work([1200, 1200]))
        for options, begin in (((), b"level "), (("--csv",), b"level,what,rank,measure,a,b,")):
            done = subprocess.run([programs.QUIPU, "diff", a, b, *options], stdout=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stdout.startswith(begin), done.stdout)
        done = subprocess.run([programs.QUIPU, "diff", a, a], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, b"quipu: nothing differs beyond noise\n")

    def test_diff_refuses_what_it_does_not_know(self):
        a = self.write("a.otf", work([1000, 1000]))
        for options, text in ((("--level", "weather"), b'no level "weather"'), (("--threshold", "much"), b"percentage"),
                              (("--fail-if", "profile.luck > 1%"), b'"profile.luck > 1%" is no condition'),
                              (("--fail-if", "profile.calls = 1%"), b"is no condition"),
                              (("--budget", "much"), b'--budget takes a percentage such as 5 or 2.5, not "much"')):
            done = subprocess.run([programs.QUIPU, "diff", a, a, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), options)
            self.assertIn(text, done.stderr)

    def test_diff_of_traces_that_cannot_be_read(self):
        a, b = self.write("a.otf", work([1000, 1000])), self.write("b.otf", work([1000, 1000]))
        for first, second in ((a, self.path("none")), (self.path("none"), a)):
            self.assertEqual(self.run_diff(first, second, codes=(4,)), (4, {}))
        os.unlink(self.path("b.2.events"))
        code, tables = self.run_diff(a, b, codes=(3,))
        self.assertEqual((code, tables["differences"][0]["what"], tables["differences"][0]["b"]), (3, "work", 1000))

    def test_diff_obeys_its_ceiling_of_memory(self):
        a = self.write("a.otf", work([100000] * 4, calls=20000))
        done = subprocess.run([programs.QUIPU, "diff", a, a, "--max-memory", "300K"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (6, b""))


if __name__ == "__main__":
    unittest.main()
