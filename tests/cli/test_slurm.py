"""The scripts of docs/slurm: a linter has nothing against them, and they run where srun is a launcher of MPI. Slurm itself is not tried."""
import glob
import os
import shutil
import subprocess
import unittest

from folder import FolderTest

BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
SOURCE = os.path.abspath(os.environ.get("QUIPU_SOURCE", "."))
SCRIPTS = os.path.join(SOURCE, "docs/slurm")
TRACE = os.path.join(SOURCE, "tests/data/otf/small.otf")
MPI = os.path.join(BUILD, "quipu-mpi.mpich")


class Slurm(FolderTest):
    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_slurm_scripts_pass_a_linter(self):
        said = subprocess.run(["shellcheck", *sorted(glob.glob(SCRIPTS + "/*"))], capture_output=True, check=False)
        self.assertEqual((0, b""), (said.returncode, said.stdout))

    def make_commands(self):
        os.mkdir(self.path("bin"))
        with open(self.path("bin/srun"), "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nexec mpiexec.mpich -n 2 "$@"\n')
        os.chmod(self.path("bin/srun"), 0o755)
        os.symlink(MPI, self.path("bin/quipu-mpi"))
        os.symlink(os.path.join(BUILD, "quipu"), self.path("bin/quipu"))

    def run_script(self, script, *arguments, **variables):
        environment = {**os.environ, **variables, "PATH": self.path("bin") + os.pathsep + os.environ["PATH"]}
        done = subprocess.run(["bash", os.path.join(SCRIPTS, script), *arguments], capture_output=True, check=False, cwd=self.folder, env=environment, timeout=60)
        self.assertEqual(0, done.returncode, done.stderr)

    def answer(self, *command):
        return subprocess.run([os.path.join(BUILD, "quipu"), *command], capture_output=True, check=True, cwd=self.folder).stdout

    def assert_written(self, answer, name):
        with open(self.path(name), "rb") as file:
            self.assertEqual(answer, file.read())

    def test_slurm_scripts_merge_parts(self):
        self.make_commands()
        for part in ("1", "2", "3"):
            self.run_script("merge-parts", TRACE, "profile", "--by", "region", SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID=part, SLURM_ARRAY_TASK_COUNT="3")
        states = sorted(glob.glob(self.path("quipu-7/*.state")))
        self.assertEqual(3, len(states))
        self.assertEqual(self.answer("profile", TRACE, "--by", "region"), self.answer("merge-states", *states))

    @unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "MPI keeps memory until the end, which sanitizers report")
    @unittest.skipUnless(os.path.exists(MPI), "MPICH is not installed")
    def test_slurm_scripts_share_a_trace(self):
        self.make_commands()
        self.run_script("share-trace", TRACE, "waits", "--causes", SLURM_JOB_ID="8")
        self.assert_written(self.answer("waits", TRACE, "--causes"), "small.otf.waits.8.txt")

    @unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "MPI keeps memory until the end, which sanitizers report")
    @unittest.skipUnless(os.path.exists(MPI), "MPICH is not installed")
    def test_slurm_scripts_record_and_share_a_trace(self):
        """The program that is recorded is quipu-mpi."""
        self.make_commands()
        self.run_script("record-and-share", MPI, "info", TRACE, SLURM_JOB_ID="9")
        self.assertIn(b"MPI_Init", self.answer("profile", "quipu.9.otf", "--by", "region"))
        for analysis in ("profile", "waits", "efficiency"):
            self.assert_written(self.answer(analysis, "quipu.9.otf"), f"quipu.9.{analysis}.txt")


if __name__ == "__main__":
    unittest.main()
