"""quipu record where something is missing or wrong before the program runs: no MPI, no launcher, no format of this name."""
import os
import shutil
import subprocess
import unittest

import peak
from folder import FolderTest

BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
QUIPU = os.path.join(BUILD, "quipu")
PACKAGES = "openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev"


class Recording(FolderTest):
    def run_quipu(self, *arguments, quipu=QUIPU, path=None):
        environment = {**os.environ, "LD_LIBRARY_PATH": BUILD, "PATH": path or os.environ["PATH"]}
        done = subprocess.run([quipu, *arguments], cwd=self.folder, capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    def command_without_mpi(self):
        """The command as it is built where no MPI is installed."""
        shutil.copy(QUIPU, self.path("quipu"))
        os.mkdir(self.path("record"))
        for name in ("libquipu-record-io.so", "quipu-record-collect"):
            os.symlink(os.path.join(BUILD, "record", name), self.path(os.path.join("record", name)))
        return self.path("quipu")

    def test_record_says_in_one_line_what_to_install_for_mpi(self):
        quipu = self.command_without_mpi()
        expected = f"quipu: the recorder libquipu-record-mpi.so is not there: Quipu was built without MPI; install {PACKAGES}, and build it again\n"
        for options in ((), ("--flags",), ("--io", "--mpi", "-o", "run.otf")):
            with self.subTest(options):
                program = () if "--flags" in options else ("--", "touch", "ran")
                self.assertEqual((4, "", expected), self.run_quipu("record", *options, *program, quipu=quipu))
                self.assertEqual(["quipu", "record"], sorted(os.listdir(self.folder)))

    def test_record_says_in_one_line_what_to_install_for_a_launcher(self):
        with open(self.path("text"), "w"):
            pass
        for program, code, reason in (("mpiexec", 127, f"No such file or directory; install {PACKAGES}"), ("elsewhere", 127, "No such file or directory"),
                                      ("./text", 126, "Permission denied")):
            with self.subTest(program):
                done = self.run_quipu("record", "--io", "-o", "run.otf", "--", program, "-n", "2", "./program", path=self.folder)
                self.assertEqual((code, "", f"quipu: {program}: {reason}\n"), done)
                self.assertEqual(["text"], os.listdir(self.folder))

    def test_record_refuses_suffixes_that_are_no_formats_as_convert_does(self):
        ring = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data/sweep/otf/ring.otf")
        for name in ("r.xyz", "folder.d/r.trace", "r.otf.gz", ".hidden.old"):
            refused = self.run_quipu("convert", os.path.abspath(ring), "-o", name)
            self.assertEqual(2, refused[0])
            self.assertIn(f'cannot tell the output format from "{name}"; use --to ', refused[2])
            for options in ((), ("--io",), ("--io", "--mpi")):
                with self.subTest(name=name, options=options):
                    self.assertEqual(refused, self.run_quipu("record", *options, "-o", name, "--", "touch", "ran"))
                    self.assertEqual([], os.listdir(self.folder))

    @unittest.skipIf(peak.is_sanitized(), "sanitizers come first, the recorder too")
    def test_record_takes_names_without_a_suffix_for_the_format_of_the_recorder(self):
        for name in ("plain", ".hidden"):
            self.assertEqual(0, self.run_quipu("record", "--io", "-o", name, "--", "true")[0])


if __name__ == "__main__":
    unittest.main()
