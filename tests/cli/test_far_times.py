"""Times anywhere up to 2^63 ns from the origin: what an analysis says depends on the distances of times only, so that a trace that lies later by
some hundred years has the same answers, at other times."""
import json
import os
import random
import subprocess
import unittest

import drawn_traces
import programs
from folder import FolderTest

QUIPU = programs.QUIPU
LAST = 2**63 - 1
ANALYSES = (("waits",), ("waits", "--causes"), ("waits", "--list"), ("critical-path",), ("efficiency",), ("efficiency", "--roi", "main"), ("efficiency", "--over", "time"), ("efficiency", "--over", "phase"), ("imbalance",),
            ("comm",), ("clock",), ("phases", "--iterations"), ("replay",), ("replay", "--network", "ideal"), ("replay", "--network", "loggops"),
            ("why",), ("profile",), ("profile", "--by", "mpi"), ("calls",), ("clock", "--l-min", "3"))
POINTS = {"from_ns", "to_ns", "roi_begin_ns", "roi_end_ns", "first_ns", "last_ns", "clc_end_ns", "start_ns", "begin_ns", "end_ns"}


def write(path, program, by):
    """A drawn program, later by some ticks."""
    program.program = [[(time + by, record) for time, record in events] for events in program.program]
    drawn_traces.write(path, program)
    program.program = [[(time - by, record) for time, record in events] for events in program.program]
    return path


class FarTimes(FolderTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("near"))
        os.mkdir(self.path("far"))

    def tables(self, trace, words):
        """Points in time are told from the beginning of the trace, which is that of the first event."""
        return programs.tables(words[0], trace, *words[1:])

    def moved_back(self, tables, by):
        return {name: rows if name == "histogram" else
                      [{column: value - by if column in POINTS and value is not None else value for column, value in row.items()}
                       for row in rows] for name, rows in tables.items()}

    def drawn(self, seed):
        chance = random.Random(seed)
        return drawn_traces.Drawn(chance, chance.randint(2, 4), 80).draw()

    def test_far_times_have_the_answers_of_near_ones(self):
        for seed in range(6):
            program = self.drawn(seed)
            last = max(time for events in program.program for time, _ in events)
            near = write(self.path("near/t.otf"), program, 0)
            for by in (2**61 - 20, 2**61 + 1000, 2**62 - 20, 2**62 + 5, LAST - last - 10**6):
                far = write(self.path("far/t.otf"), program, by)
                for words in ANALYSES:
                    with self.subTest(seed=seed, by=by, words=words):
                        self.assertEqual(self.moved_back(self.tables(far, words), by), self.tables(near, words))

    def test_far_times_are_corrected_like_near_ones(self):
        for seed in range(4):
            program = self.drawn(seed)
            last = max(time for events in program.program for time, _ in events)
            near = write(self.path("near/t.otf"), program, 0)
            for by in (2**61 + 1000, 2**62 + 5, LAST - last - 10**6):
                far = write(self.path("far/t.otf"), program, by)
                for words in (("clock", "--correct", "clc"), ("clock", "--correct", "offset,clc"), ("clock", "--correct", "linear"),
                              ("clock", "--correct", "clc", "--amortise", "50"), ("clock", "--correct", "clc", "--gamma", "0.9"),
                              ("replay", "--network", "loggops"), ("replay", "--cpu-factor", "2")):
                    with self.subTest(seed=seed, by=by, words=words):
                        self.assertEqual(self.retimed(far, words), self.retimed(near, words))

    def test_the_last_times_that_there_are_break_nothing(self):
        """Corrected times would lie behind them: they are the last one then."""
        for seed in range(3):
            program = self.drawn(seed)
            last = max(time for events in program.program for time, _ in events)
            far = write(self.path("far/t.otf"), program, LAST - last)
            for words in (("clock", "--correct", "offset,clc", "--amortise", "100"), ("clock", "--correct", "linear,clc"),
                          ("clock", "--correct", "clc", "--l-min", "1000"), ("replay", "--network", "loggops"), ("replay", "--cpu-factor", "9")):
                run = subprocess.run([QUIPU, *words, far, "-q", "-o", self.path("out.otf"), "--force"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, check=False)
                self.assertIn(run.returncode, (0, 3, 4), (seed, words, run.stderr))

    def retimed(self, trace, words):
        output = self.path("out.otf")
        run = subprocess.run([QUIPU, *words, trace, "-q", "-o", output, "--force"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             check=False)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        listed = subprocess.run([QUIPU, "cat", "--json", "-q", output], stdout=subprocess.PIPE, check=True).stdout.splitlines()
        found = [(event["time"], event["location"], event["kind"]) for event in map(json.loads, listed)]
        first = min(time for time, _, _ in found)
        return sorted((time - first, location, kind) for time, location, kind in found)

    def test_a_run_of_a_hundred_years_has_its_length(self):
        """Two processes, of which one computes for 2^62 ns and sends, and the other receives all the time."""
        length = 2**62
        program = [[programs.enter(0, "main"), *programs.send(length, length + 5, 1), programs.leave(length + 10, "main")],
                   [programs.enter(0, "main"), *programs.receive(10, length + 10, 0), programs.leave(length + 20, "main")]]
        trace = programs.write(self.path("t.otf"), program)
        path = programs.tables("critical-path", trace)
        self.assertEqual(path["critical_path"][0]["runtime_ns"], length + 20)
        self.assertEqual([(row["region"], row["path_ns"], row["total_ns"], row["impact_ns"]) for row in path["path_profile"]][:2],
                         [("main", length + 10, length + 25, length - 5), ("MPI_Recv", 10, 10, 10)])
        self.assertEqual(programs.tables("waits", trace)["waits"][0]["time_ns"], length - 10)
        row = programs.tables("efficiency", trace)["efficiency"][0]
        self.assertEqual((row["runtime_ns"], row["useful_max_ns"], row["useful_sum_ns"]), (length + 20, length + 5, length + 25))
        self.assertAlmostEqual(row["load_balance"], 0.5, 6)
        self.assertAlmostEqual(row["parallel_efficiency"], 0.5, 6)

    def test_parts_of_long_times_are_in_per_cent(self):
        """Two processes, of which one waits for a message for 2^62 ns."""
        length = 2**62
        trace = programs.write(self.path("t.otf"), [programs.send(length, length + 5, 1), programs.receive(0, length + 10, 0)])
        row = next(row for row in programs.tables("imbalance", trace)["imbalance"] if row["region"] == "MPI_Recv")
        self.assertEqual((row["lost_total_ns"], row["imbalance_percent"]), (length + 10, 100))
        self.assertEqual(programs.tables("waits", trace)["waits"][0]["share_percent"], 100)
        self.assertEqual(programs.tables("replay", trace, "--network", "ideal")["replay"][0]["change_percent"], -100)

    def test_sums_that_are_no_numbers_of_64_bits_are_null_and_said(self):
        """Three processes that compute for 2^62 ns: together too long; each as long as the run, which is as efficient as can be."""
        length = 2**62
        trace = programs.write(self.path("t.otf"), [[programs.enter(0, "work"), programs.leave(length, "work")]] * 3)
        row = programs.tables("efficiency", trace)["efficiency"][0]
        self.assertEqual((row["runtime_ns"], row["useful_max_ns"], row["useful_sum_ns"]), (length, length, None))
        self.assertEqual((row["load_balance"], row["parallel_efficiency"], row["load_balance_additive"]), (1, 1, 1))
        path = programs.tables("critical-path", trace)["path_profile"][0]
        self.assertEqual((path["path_ns"], path["total_ns"], path["imbalance_ns"], path["impact_ns"]), (length, None, None, None))
        row = programs.tables("profile", trace, "--by", "region")["profile"][0]
        self.assertEqual((row["exclusive_ns"], row["inclusive_ns"], row["mean_ns"], row["share_percent"], row["max_ns"]), (None, None, None, None, length))
        row = programs.tables("imbalance", trace)["imbalance"][0]
        self.assertEqual((row["lost_total_ns"], row["imbalance_percent"], row["mean_ns"], row["max_ns"]), (None, None, None, length))
        for command in (["efficiency"], ["critical-path"], ["profile", "--by", "region"], ["profile", "--tree"], ["imbalance"]):
            run = subprocess.run([QUIPU, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            self.assertIn(b"64 bits, and null", run.stderr)


if __name__ == "__main__":
    unittest.main()
