"""Programs that open an MPI library themselves and look its functions up are recorded; whoever asks for what comes behind itself is answered as
without the recorder."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, MpiTest, library_path  # noqa: E402

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}

CTYPES = """
import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1])
world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))) if "openmpi" in sys.argv[2] else ctypes.c_int(0x44000000)
rank = ctypes.c_int(-1)
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for _ in range(3):
    mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
sys.stdout.write(f"rank {rank.value}\\n")
"""


class Lookup(MpiTest):
    def library(self, name):
        found = library_path(LIBRARIES[name])
        if not found:
            self.skipTest(f"{LIBRARIES[name]} is not installed")
        return found

    def compare(self, mpi, *command):
        """Recorded, it prints what it prints; the calls by rank."""
        without = self.run_in("without", *mpi.launch(*command))
        recorded = self.record("recorded", *mpi.launch(*command), options=("--force",))
        self.assertEqual((0, sorted(without.stdout.splitlines())), (recorded.returncode, sorted(recorded.stdout.splitlines())), recorded.stderr)
        self.assertEqual(4, len(recorded.stdout.splitlines()))
        self.assert_sound(self.path("recorded/trace.meta"))
        return self.recorded_counts(self.path("recorded/trace.meta"))

    def test_lookup_in_a_library_that_a_program_has_opened(self):
        for name in LIBRARIES:
            with self.subTest(name):
                mpi, library = self.mpi(name), self.library(name)
                program = self.compile(mpi, HERE / "looker.c", "-c", name="looker.o")
                linked = self.path(f"looker.{name}")
                subprocess.run(["cc", program, "-o", linked, "-ldl"], check=True)
                expected = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 5, "MPI_Finalize": 1, "MPI_Finalized": 1}
                self.assertEqual({rank: expected for rank in range(4)}, self.compare(mpi, linked, library, "5"))

    def test_lookup_by_ctypes_of_python(self):
        Path(self.path("program.py")).write_text(CTYPES)
        for name in LIBRARIES:
            with self.subTest(name):
                expected = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 3, "MPI_Finalize": 1}
                calls = self.compare(self.mpi(name), sys.executable, self.path("program.py"), self.library(name), name)
                self.assertEqual({rank: expected for rank in range(4)}, calls)

    def test_lookup_of_fortran_that_is_opened_after_mpi_was_called(self):
        """Totals of four ranks are 10, then 40; rank 0 gets 30 from rank 3, others ten times the rank before them."""
        for name in LIBRARIES:
            with self.subTest(name):
                mpi = self.mpi(name)
                program = self.compile(mpi, HERE / "plugged.c", "-ldl", name=f"plugged.{name}")
                plugin = self.compile(mpi, HERE / "plugin.F90", "-shared", "-fPIC", name=f"libplugin-{name}.so")
                expected = {"MPI_Init": 1, "MPI_Comm_rank": 2, "MPI_Comm_size": 1, "MPI_Allreduce": 2, "MPI_Sendrecv": 1, "MPI_Finalize": 1}
                self.assertEqual({rank: expected for rank in range(4)}, self.compare(mpi, program, plugin))
                lines = self.record("said", *mpi.launch(program, plugin), options=("--force",)).stdout.splitlines()
                self.assertEqual([b"0 70", b"1 40", b"2 50", b"3 60"], sorted(lines))
                messages = self.quipu_json("comm", self.path("said/trace.meta"))["tables"]
                self.assertIn(4, [sum(row[names.index("messages")] for row in table["rows"]) for table in messages
                                  if "messages" in (names := [column["name"] for column in table["columns"]])])

    def test_lookup_of_what_comes_next_is_that_of_the_caller(self):
        mpi = self.mpi("openmpi")
        libraries = [self.compile(mpi, HERE / "next.c", "-shared", "-fPIC", f"-DDIGIT={digit}", name=f"libnext{digit}.so") for digit in (2, 3)]
        program = self.compile(mpi, HERE / "next.c", "-DPROGRAM", "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{self.folder}")
        calls = self.compare(mpi, program)
        self.assertEqual([b"123 of 4"] * 4, self.record("said", *mpi.launch(program)).stdout.splitlines())
        self.assertEqual({rank: {"MPI_Init": 1, "MPI_Comm_size": 1, "MPI_Finalize": 1} for rank in range(4)}, calls)


if __name__ == "__main__":
    unittest.main()
