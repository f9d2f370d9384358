"""A disk that is full when a program is recorded: the program does what it does without, and that recording stops is said once."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import QUIPU, SANITIZED, RecordedTest  # noqa: E402

FULL = "No space left on device"


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Disk(RecordedTest):
    def disk(self, size):
        disk = self.path("disk")
        os.mkdir(disk)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]
        if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.PIPE, check=False).returncode != 0:
            self.skipTest("only root can mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        return disk

    def lines_of(self, disk, options, *command):
        done = self.run_in_folder(QUIPU, "record", *options, "--to", "otf", "-o", f"{disk}/trace.otf", "--", *command)
        self.assertEqual(b"printed\n", done.stdout)
        return done.stderr.decode().splitlines()

    def test_disk_that_is_full_is_said_once(self):
        disk = self.disk("16k")
        lines = self.lines_of(disk, ("--io",), "sh", "-c", "sh -c 'cat /etc/hostname; true' > /dev/null; cat /etc/hostname > /dev/null; echo printed")
        stops = [line for line in lines if "stops, the program goes on" in line]
        self.assertEqual(1, len(stops), lines)
        self.assertIn(f".stream: {FULL}; recording of input and output stops, the program goes on", stops[0])
        self.assertEqual([], [line for line in lines if "nothing was recorded" in line or "lossless" in line])

    @unittest.skipIf(not shutil.which("mpicc") or not shutil.which("mpiexec"), "no MPI installed")
    def test_disk_that_is_full_is_no_lack_of_mpi(self):
        Path(self.path("printed.c")).write_text(
            '#include <mpi.h>\n#include <stdio.h>\n'
            'int main(int argc, char **argv) { MPI_Init(&argc, &argv); puts("printed"); return MPI_Finalize(); }\n')
        done = self.run_in_folder("mpicc", "printed.c", "-o", "printed")
        self.assertEqual(0, done.returncode, done.stderr)
        launch = ("mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "1", self.path("printed"))
        disk = self.disk("64k")
        for options in (("--io", "--mpi"), ()):
            with self.subTest(options):
                lines = self.lines_of(disk, options, *launch)
                for what, expected in (("MPI", 1), ("input and output", 1 if options else 0)):
                    said = [line for line in lines if line.endswith(f"{FULL}; recording of {what} stops, the program goes on")]
                    self.assertEqual(expected, len(said), lines)
                self.assertEqual([], [line for line in lines if "has initialised MPI" in line or "nothing was recorded" in line], lines)
                for path in Path(disk).glob("*.recording/*"):
                    path.unlink()
                for path in Path(disk).glob("*"):
                    path.rmdir() if path.is_dir() else path.unlink()


if __name__ == "__main__":
    unittest.main()
