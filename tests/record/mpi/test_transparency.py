"""Programs see the same of MPI whether they are recorded or not, byte by byte; and their traces are sound.

The programs (programs/*.c, *.F90) write all that they see into a file per rank."""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, PROGRAMS, MpiTest  # noqa: E402
from house import CC  # noqa: E402


def without_process_number(text):
    """MPICH's launcher says which process has failed."""
    return re.sub(rb"PID \d+", b"PID", text)


def outcome(run):
    return run.returncode, without_process_number(run.stdout)


class Transparency(MpiTest):
    def seen(self, folder):
        return {path.name: path.read_bytes() for path in Path(self.path(folder)).iterdir()
                if path.suffix[1:].isdigit()}

    def compare(self, mpi_name, source, *arguments, options=(), runs=4):
        mpi = self.mpi(mpi_name)
        program = self.compile(mpi, PROGRAMS / source, *options)
        return self.compare_runs(mpi, program, *arguments, runs=runs)

    def compare_runs(self, mpi, *program, runs=4):
        command = mpi.launch(*program, ranks=runs)
        without = self.run_in("without", *command)
        recorded = self.record("recorded", *command)
        if outcome(without) != outcome(recorded):
            # MPICH's launcher has ended programs by a signal of its own, without any recorder: once is not what they do.
            shutil.rmtree(self.path("without"))
            without = self.run_in("without", *command)
        self.assertEqual(outcome(without), outcome(recorded), recorded.stderr)
        before, after = self.seen("without"), self.seen("recorded")
        self.assertEqual(runs, len(before))
        self.assertEqual(before.keys(), after.keys())
        for name in sorted(before):
            self.assertEqual(before[name].decode().splitlines(), after[name].decode().splitlines(), name)
        return recorded

    def compare_and_check(self, *arguments, **options):
        self.compare(*arguments, **options)
        self.assert_sound(Path(self.path("recorded/trace.meta")))

    def test_transparency_messages_openmpi(self):
        self.compare_and_check("openmpi", "messages.c")

    def test_transparency_messages_mpich(self):
        self.compare_and_check("mpich", "messages.c")

    def test_transparency_rare_calls_openmpi(self):
        self.compare_and_check("openmpi", "rare.c")

    def test_transparency_rare_calls_mpich(self):
        self.compare_and_check("mpich", "rare.c")

    def test_transparency_outside_of_init_and_finalize_openmpi(self):
        self.compare_and_check("openmpi", "outside.c")

    def test_transparency_outside_of_init_and_finalize_mpich(self):
        self.compare_and_check("mpich", "outside.c")

    def test_transparency_persistent_collective_operations_openmpi(self):
        self.compare_and_check("openmpi", "persistent.c")

    def test_transparency_persistent_collective_operations_mpich(self):
        self.compare_and_check("mpich", "persistent.c")

    def test_transparency_wildcards_openmpi(self):
        self.compare_and_check("openmpi", "wildcards.c")

    def test_transparency_wildcards_mpich(self):
        self.compare_and_check("mpich", "wildcards.c")

    def test_transparency_completion_openmpi(self):
        self.compare_and_check("openmpi", "completion.c")

    def test_transparency_completion_mpich(self):
        self.compare_and_check("mpich", "completion.c")

    def test_transparency_errors_openmpi(self):
        self.compare_and_check("openmpi", "errors.c")

    def test_transparency_errors_mpich(self):
        self.compare_and_check("mpich", "errors.c")

    def test_transparency_datatypes_openmpi(self):
        self.compare_and_check("openmpi", "datatypes.c")

    def test_transparency_datatypes_mpich(self):
        self.compare_and_check("mpich", "datatypes.c")

    def test_transparency_communicators_openmpi(self):
        self.compare_and_check("openmpi", "communicators.c")

    def test_transparency_communicators_mpich(self):
        self.compare_and_check("mpich", "communicators.c")

    def test_transparency_collectives_openmpi(self):
        self.compare_and_check("openmpi", "collectives.c")

    def test_transparency_collectives_mpich(self):
        self.compare_and_check("mpich", "collectives.c")

    def test_transparency_windows_openmpi(self):
        self.compare_and_check("openmpi", "windows.c")

    def test_transparency_windows_mpich(self):
        self.compare_and_check("mpich", "windows.c")

    def test_transparency_files_openmpi(self):
        self.compare_and_check("openmpi", "files.c")

    def test_transparency_files_mpich(self):
        self.compare_and_check("mpich", "files.c")

    def test_transparency_threads_openmpi(self):
        self.compare_and_check("openmpi", "threads.c")

    def test_transparency_threads_mpich(self):
        self.compare_and_check("mpich", "threads.c")

    def test_transparency_eight_threads(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                for folder in ("without", "recorded"):
                    shutil.rmtree(self.path(folder), ignore_errors=True)
                self.compare_and_check(mpi, "threads.c", options=("-DTHREADS=8",), runs=2)

    def test_transparency_of_a_library_that_a_program_opens(self):
        """The program itself has no MPI; the library's calls are recorded."""
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                for folder in ("without", "recorded"):
                    shutil.rmtree(self.path(folder), ignore_errors=True)
                mpi = self.mpi(name)
                library = self.compile(mpi, PROGRAMS / "collectives.c", "-Dmain=opened_main", "-shared", "-fPIC", name=f"opened.{name}.so")
                opener = self.path("opener")
                subprocess.run([CC, "-w", HERE / "opener.c", "-o", opener, "-ldl"], check=True)
                self.compare_runs(mpi, opener, library)
                self.assert_sound(Path(self.path("recorded/trace.meta")))
                counts = self.recorded_counts(self.path("recorded/trace.meta"))
                self.assertEqual([(0, 1), (1, 1), (2, 1), (3, 1)], sorted((rank, calls["MPI_Finalize"]) for rank, calls in counts.items()))

    def test_transparency_environment_openmpi(self):
        self.compare_and_check("openmpi", "environment.c")

    def test_transparency_environment_mpich(self):
        self.compare_and_check("mpich", "environment.c")

    def test_transparency_fortran_mpif_openmpi(self):
        self.compare_and_check("openmpi", "fortran.F90", options=("-DUSE_MPIF", "-fallow-argument-mismatch"))

    def test_transparency_fortran_mpif_mpich(self):
        self.compare_and_check("mpich", "fortran.F90", options=("-DUSE_MPIF", "-fallow-argument-mismatch"))

    def test_transparency_fortran_mpi_openmpi(self):
        self.compare_and_check("openmpi", "fortran.F90", options=("-DUSE_MPI", "-fallow-argument-mismatch"))

    def test_transparency_fortran_mpi_mpich(self):
        self.compare_and_check("mpich", "fortran.F90", options=("-DUSE_MPI", "-fallow-argument-mismatch"))

    def test_transparency_fortran_f08_openmpi(self):
        self.compare_and_check("openmpi", "fortran.F90", options=("-DUSE_MPI_F08", "-fallow-argument-mismatch"))

    def test_transparency_fortran_f08_mpich(self):
        self.compare_and_check("mpich", "fortran.F90", options=("-DUSE_MPI_F08", "-fallow-argument-mismatch"))

    def test_transparency_spawn_openmpi(self):
        self.compare_and_check("openmpi", "spawn.c")
        self.assert_sound(Path(self.path("recorded/trace-world1.meta")))

    def test_transparency_endings(self):
        for mpi in ("openmpi", "mpich"):
            # Of several processes that fail, it is a matter of chance which one's code a launcher gives.
            for ranks, *arguments in ((4, "abort", 9), (1, "exit", 5), (1, "_exit", 6), (1, "return", 4), (1, "signal", 15), (4, "fork")):
                with self.subTest(mpi=mpi, arguments=arguments):
                    for folder in ("without", "recorded"):
                        shutil.rmtree(self.path(folder), ignore_errors=True)
                    self.compare(mpi, "environment.c", *arguments, runs=ranks)


if __name__ == "__main__":
    unittest.main()
