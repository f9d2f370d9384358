"""Regions that programs mark are in their traces; without a recorder marking does nothing."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import PROGRAMS, QUIPU, SOURCE, MpiTest  # noqa: E402


class Regions(MpiTest):
    def regions(self):
        """By rank: {region: calls} of those that are no calls of MPI."""
        counts = self.recorded_counts(self.path("run/trace.meta"), lambda name: not name.startswith("MPI_"))
        return [counts[rank] for rank in sorted(counts)]

    def record_regions(self, mpi, source, *options):
        program = self.compile(mpi, PROGRAMS / source, "-I", SOURCE / "include", *options)
        self.assertEqual(0, self.run_in("alone", *mpi.launch(program, ranks=2)).returncode)
        done = self.record("run", *mpi.launch(program, ranks=2), options=("--force",))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound(self.path("run/trace.meta"))
        return self.regions()

    def test_regions_of_c(self):
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                self.assertEqual([{"step": 3, "solve": 3}] * 2, self.record_regions(self.mpi(name), "regions.c"))

    def test_regions_of_fortran(self):
        flags = subprocess.run([QUIPU, "record", "--flags"], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual([{"step": 2}] * 2, self.record_regions(self.mpi("openmpi"), "regions.F90", *flags))

    def test_regions_of_the_compiler(self):
        found = self.record_regions(self.mpi("openmpi"), "regions.c", "-finstrument-functions", "-finstrument-functions-exclude-function-list=quipu_region",
                                    "-rdynamic", "-fno-inline", "-O0")
        for calls in found:
            self.assertEqual({"step": 3, "solve": 3, "work": 2}, {name: count for name, count in calls.items() if name != "main"})


if __name__ == "__main__":
    unittest.main()
