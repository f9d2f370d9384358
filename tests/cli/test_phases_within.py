"""Phases within phases: what an iteration repeats in itself."""
import unittest

import folder
import programs

COLUMNS = ("phase", "within", "iterations", "period_calls", "aligned", "first_ns", "last_ns", "min_ns", "median_ns", "max_ns", "sum_ns")


class PhasesWithin(folder.FolderTest):
    def phases(self, program):
        trace = programs.write(self.path("t.otf"), program)
        found = programs.tables("phases", trace)
        return [tuple(row.get(name) for name in COLUMNS) for row in found["phases"] + found.get("inner_phases", [])]

    @staticmethod
    def steps(count, is_reduced, is_before=False):
        """Rank 0 sends at 10 steps of time, rank 1 receives in 5; all reduce in some of them, before or behind that, which takes 3."""
        now, number, program = 0, 0, [[], []]
        for step in range(count):
            pair = [programs.send(now, now + 1, 1), programs.receive(now, now + 5, 0)]
            if is_reduced(step) and is_before:
                pair = [programs.send(now + 3, now + 4, 1), programs.receive(now + 3, now + 8, 0)]
            at = now if is_before else now + 10
            for process, events in enumerate(program):
                together = programs.collective("MPI_Allreduce", at, at + 2, number) if is_reduced(step) else []
                events += together + pair[process] if is_before else pair[process] + together
            number += is_reduced(step)
            now += 13 if is_reduced(step) else 10
        return program

    def test_phases_within_are_the_steps_between_reductions(self):
        """By hand: 5 steps and what follows take 53. A step ends when rank 1 has received, at 5, 15, 25, 35, 45, and 53 later again; the first
        one begins at 0, those behind a reduction at its end, 52 and so on: 6 until 58. So 45 + 3 * 46 = 183."""
        for first in (False, True):
            found = self.phases(self.steps(20, lambda step: step % 5 == 4, first))
            self.assertEqual([row[:4] for row in found], [(1, None, 4, 6), (2, 1, 20, 1)], first)
        self.assertEqual(self.phases(self.steps(20, lambda step: step % 5 == 4)),
                         [(1, None, 4, 6, 2, 0, 211, 52, 53, 53, 211), (2, 1, 20, 1, 2, 0, 204, 5, 10, 10, 183)])

    def test_phases_within_are_counted_wherever_an_iteration_begins(self):
        """Also where an iteration of the outer phase begins in the middle of them: reductions in step 0, 5, 10, 15, or 2, 7, 12, 17."""
        for shift in range(5):
            for first in (False, True):
                found = self.phases(self.steps(20, lambda step, shift=shift: step % 5 == shift, first))
                inner = [row for row in found if row[1] == 1]
                self.assertEqual([row[3] for row in inner], [1], (shift, first))
                self.assertGreaterEqual(inner[0][2], 15, (shift, first))

    def test_phases_within_phases_within_phases(self):
        """Three messages and a barrier, four times, and a reduction: three times."""
        program, number, now = [[], []], 0, 0
        for _ in range(3):
            for _ in range(4):
                for _ in range(3):
                    program[0] += programs.send(now, now + 1, 1)
                    program[1] += programs.receive(now, now + 5, 0)
                    now += 10
                for events in program:
                    events += programs.collective("MPI_Barrier", now, now + 2, number)
                now, number = now + 3, number + 1
            for events in program:
                events += programs.collective("MPI_Allreduce", now, now + 2, number)
            now, number = now + 3, number + 1
        self.assertEqual([row[:4] for row in self.phases(program)], [(1, None, 3, 17), (2, 1, 12, 4), (3, 2, 36, 1)])

    def test_phases_within_nothing_are_as_before(self):
        self.assertEqual([row[:4] for row in self.phases(self.steps(20, lambda step: False))], [(1, None, 20, 1)])
        self.assertEqual([row[:4] for row in self.phases(self.steps(20, lambda step: step % 2 == 1))], [(1, None, 10, 3)])

    def test_phases_within_have_iterations(self):
        trace = programs.write(self.path("t.otf"), self.steps(20, lambda step: step % 5 == 4))
        found = programs.tables("phases", trace, "--iterations")
        for row in found["phases"] + found["inner_phases"]:
            mine = [one for one in found["iterations"] + found["inner_iterations"] if one["phase"] == row["phase"]]
            self.assertEqual((len(mine), sum(one["length_ns"] for one in mine)), (row["iterations"], row["sum_ns"]))
            # Each step sends 8 bytes, when it has begun or as the iteration before ends.
            self.assertLessEqual(sum(one["bytes"] for one in mine), 160)
        self.assertEqual([len(found[table]) for table in ("phases", "inner_phases", "iterations", "inner_iterations")], [1, 1, 4, 20])
        self.assertEqual(sum(one["bytes"] for one in found["iterations"]), 160)


if __name__ == "__main__":
    unittest.main()
