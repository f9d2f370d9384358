"""profile of several traces: a table, and text for Extra-P by its grammar, with figures that are counted by hand."""
import re
import subprocess
import unittest

import programs
from folder import FolderTest

LINES = (r"PARAMETER [!-~]+", r"POINTS( \([0-9.]+\))+", r"METRIC [a-z_]+", r"REGION \S.*", r"DATA( \d+\.\d+)+")


class ExtraP(FolderTest):
    def run_of(self, name, work):
        """Each process computes, and all but the last send 100 bytes to the last one."""
        last = len(work) - 1
        program = [[programs.enter(0, "main"), programs.enter(0, "work"), programs.leave(time, "work"),
                    *(programs.send(time, time + 5, last, length=100) if i < last else
                      [event for sender in range(last) for event in programs.receive(1000 + sender, 1000 + sender, sender, length=100)]),
                    programs.leave(2000, "main")] for i, time in enumerate(work)]
        return programs.write(self.path(name), program)

    def run_quipu(self, *words):
        done = subprocess.run([programs.QUIPU, "profile", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode()

    def extra_p(self, *words):
        code, text = self.run_quipu(*words, "--extra-p")
        self.assertEqual(code, 0)
        data, metric = {}, None
        for line in text.splitlines():
            self.assertTrue(any(re.fullmatch(pattern, line) for pattern in LINES), line)
            word, rest = line.split(" ", 1)
            if word == "METRIC":
                metric = rest
            elif word == "REGION":
                rows = data[metric, rest] = []
            elif word == "DATA":
                rows.append([float(value) for value in rest.split()])
        return text.splitlines()[:2], data

    def test_extra_p_has_a_line_for_each_point_and_a_value_for_each_run(self):
        a, b, c = self.run_of("a.otf", (100, 300)), self.run_of("b.otf", (100, 200, 300, 400)), self.run_of("c.otf", (300, 300))
        head, data = self.extra_p(a, b, c)
        self.assertEqual(head, ["PARAMETER p", "POINTS (2) (4)"])
        # Means of 2, 2 and 4 locations: 400, 600 and 1000 ns of work; one message of 2 locations, three of 4.
        self.assertEqual(data["time", "work"], [[200e-9, 300e-9], [250e-9]])
        self.assertEqual(data["visits", "MPI_Send"], [[0.5, 0.5], [0.75]])
        self.assertEqual(data["messages_sent", "MPI_Send"], [[0.5, 0.5], [0.75]])
        self.assertEqual(data["bytes_sent", "MPI_Send"], [[50, 50], [75]])
        self.assertEqual({len(rows) for rows in data.values()}, {2})
        self.assertEqual({metric for metric, _ in data}, {"time", "visits", "messages_sent", "bytes_sent"})

    def test_extra_p_paths_have_arrows(self):
        a, b = self.run_of("a.otf", (100, 300)), self.run_of("b.otf", (100, 200, 300))
        _, data = self.extra_p(a, b, "--by", "path")
        self.assertEqual({path for _, path in data}, {"main", "main->work", "main->MPI_Send", "main->MPI_Recv"})
        self.assertEqual(data["time", "main->work"], [[200e-9], [200e-9]])

    def test_extra_p_points_are_those_that_are_given(self):
        a, b = self.run_of("a.otf", (100, 300)), self.run_of("b.otf", (100, 500))
        head, data = self.extra_p(a, b, "--points", "size=10,20.5", "--by", "region")
        self.assertEqual(head, ["PARAMETER size", "POINTS (10) (20.5)"])
        self.assertEqual(data["time", "work"], [[200e-9], [300e-9]])
        for points in ("10", "10,20,30", "size=", "=1,2", "10,x", "a b=1,2"):
            self.assertEqual(self.run_quipu(a, b, "--points", points, "--extra-p"), (2, ""), points)

    def test_extra_p_regions_that_a_run_does_not_have_took_no_time(self):
        a, b = self.run_of("a.otf", (100, 300)), programs.write(self.path("b.otf"), [[programs.enter(0, "read"), programs.leave(8, "read")]])
        _, data = self.extra_p(a, b)
        self.assertEqual((data["time", "read"], data["time", "work"]), ([[0], [8e-9]], [[200e-9], [0]]))

    def test_extra_p_table_of_several_runs(self):
        a, b = self.run_of("a.otf", (100, 300)), self.run_of("b.otf", (100, 500))
        rows = programs.rows_of(subprocess.run([programs.QUIPU, "profile", a, b, "--json"], stdout=subprocess.PIPE, check=True).stdout)["profiles"]
        self.assertEqual([(row["trace"], row["number"], row["exclusive_ns"], row["calls"], row["locations"], row["point"])
                          for row in rows if row["region"] == "work"], [(a, 1, 400, 2, 2, "2"), (b, 2, 600, 2, 2, "2")])
        for words in ((a, "--extra-p"), (a, "--points", "1"), (a, b, "--by", "mpi"), (a, b, "--by", "phase"), (a, b, "--tree"), (a, b, "--top", "3")):
            self.assertEqual(self.run_quipu(*words)[0], 2, words)


if __name__ == "__main__":
    unittest.main()
