"""A tool that is loaded behind the recorder sees the calls that the program makes, as it would without the recorder, and none of the recorder's own."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, PROGRAMS, MpiTest  # noqa: E402
from test_counts import UNCOUNTED  # noqa: E402


class Tools(MpiTest):
    def counted(self, folder):
        counts = self.counts(folder)
        for calls in counts.values():
            for name in UNCOUNTED & calls.keys():
                del calls[name]
        return counts

    def record_behind(self, mpi, program, folder):
        """The counting library is behind what is preloaded already."""
        Path(self.path(folder)).mkdir()
        environment = {"COUNTER": str(self.counter(mpi)), "COUNT_FOLDER": self.path(folder)}
        command = mpi.launch("sh", "-c", 'LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$COUNTER" exec "$0"', program)
        done = self.record(f"run-{folder}", *command, environment=environment)
        self.assertEqual(0, done.returncode, done.stderr)
        return self.counted(folder)

    def compare(self, name, source):
        mpi = self.mpi(name)
        program = self.compile(mpi, PROGRAMS / source)
        counted = self.record_behind(mpi, program, "behind")
        self.assertEqual([0, 1, 2, 3], sorted(counted))
        recorded = self.recorded_counts(self.path("run-behind/trace.meta"))
        self.assertEqual(recorded, counted)
        self.assert_sound(self.path("run-behind/trace.meta"))

    def test_tools_behind_the_recorder_see_all_calls_openmpi(self):
        self.compare("openmpi", "datatypes.c")

    def test_tools_behind_the_recorder_see_all_calls_mpich(self):
        self.compare("mpich", "communicators.c")

    def test_tools_behind_may_look_functions_up_in_an_mpi_library(self):
        """They get those of MPI, not those of the recorder, which would come back to them."""
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                mpi = self.mpi(name)
                tool = self.compile(mpi, HERE / "behind.c", "-shared", "-fPIC", "-ldl", name="libbehind.so")
                program = self.compile(mpi, PROGRAMS / "ring.c")
                done = self.record("run", *mpi.launch("sh", "-c", 'LD_PRELOAD="$LD_PRELOAD:$TOOL" exec "$0"', program), options=("--force",),
                                   environment={"TOOL": tool})
                self.assertEqual(0, done.returncode, done.stderr)
                calls = self.recorded_counts(self.path("run/trace.meta"))
                self.assertEqual(sorted(b"behind: %d sends" % calls[rank].get("MPI_Send", 0) for rank in range(4)),
                                 sorted(line for line in done.stdout.splitlines() if line.startswith(b"behind")))


if __name__ == "__main__":
    unittest.main()
