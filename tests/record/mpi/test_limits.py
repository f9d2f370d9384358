"""Whatever the recorder meets, the program does what it does without it."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorder import BUILD, LIBRARY, MPIS, RecorderTest  # noqa: E402

STOPS = "recording of MPI stops, the program goes on\n"

COUNTERS = 0x80  # of a mask: the record has values of counters


class Limits(RecorderTest):
    def messages(self, done):
        return [line for line in done.stderr.splitlines(keepends=True) if line.startswith("quipu: ")]

    def assert_stops(self, mpi, reason, folder):
        """Each process says once why it is not recorded (further), and ends as it would."""
        program = self.compile(mpi, "endless.c")
        done = self.start(mpi, 2, program, "3000", QUIPU_RECORD_BUFFER="65536", folder=folder)
        self.assertEqual(5, done.returncode)
        messages = self.messages(done)
        self.assertEqual(2, len(messages), done.stderr)
        for message in messages:
            self.assertTrue(message.startswith(f"quipu: {folder}/") and message.endswith(f"{reason}; {STOPS}"), message)

    def each(self, reason, make_folder, *check):
        for mpi in MPIS:
            with self.subTest(mpi):
                self.assert_stops(mpi, reason, make_folder())
                for condition in check:
                    condition()

    def test_limits_no_folder(self):
        self.each("No such file or directory", lambda: self.folder / "nowhere")

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root writes everywhere")
    def test_limits_a_file_in_place_of_the_folder(self):
        (self.folder / "file").write_text("")
        self.each("Not a directory", lambda: self.folder / "file")

    def disk(self, size):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", disk]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("only root can mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk])
        return disk

    def test_limits_full_disk(self):
        """What was written before is collected."""
        disk = self.disk("size=512k")

        def empty():
            for path in disk.glob("*"):
                path.unlink()
            return disk

        def collect():
            shutil.rmtree(self.folder / "raw", ignore_errors=True)
            shutil.copytree(disk, self.folder / "raw")
            collected = self.collect()
            self.assertEqual(0, collected.returncode, collected.stderr)
            self.check()
            self.assertGreater(int(collected.stdout.split()[0].partition("=")[2]), 65536 // 248 * 3)

        self.each("No space left on device", empty, collect)

    def test_limits_quota(self):
        """What was written before the limit is a trace."""
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "quota.c")
                done = self.start(mpi, 2, program, 300000, QUIPU_RECORD_BUFFER="65536")
                self.assertEqual(0, done.returncode, done.stderr)
                messages = self.messages(done)
                self.assertEqual(2, len(messages), done.stderr)
                for message in messages:
                    self.assertTrue(message.endswith(f"File too large; {STOPS}"), message)
                self.assertEqual(0, self.collect().returncode)
                self.check()
                for rank in range(2):
                    # A call takes 72 bytes; the head and constants of a stream less than one buffer.
                    self.assertGreater([name for name, _ in self.calls(rank)].count("MPI_Iprobe"), (300000 - 2 * 65536) // 100)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, and setpriv")
    def test_limits_a_folder_that_may_not_be_written_to(self):
        self.folder.chmod(0o755)
        (self.folder / "mine").mkdir(mode=0o755)
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "endless.c")
                environment = dict(os.environ, HOME="/tmp", LD_PRELOAD=str(LIBRARY), QUIPU_RECORD_FOLDER=str(self.folder / "mine"))
                environment.pop("OMPI_MCA_orte_tmpdir_base", None)  # a folder of this user
                library_is_visible = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-r", LIBRARY])
                if library_is_visible.returncode != 0:
                    self.skipTest("other users may not read the build")
                done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(program), "1000"], cwd="/tmp",
                                      env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
                self.assertEqual(5, done.returncode, done.stderr)
                messages = self.messages(done)
                self.assertEqual(1, len(messages), done.stderr)
                self.assertTrue(messages[0].endswith(f"Permission denied; {STOPS}"), messages)
        # setpriv itself, which loads the recorder too, begins with the rights to leave notes
        self.assertEqual([], [path for path in (self.folder / "mine").iterdir() if path.suffix != ".notes-mpi"])

    def test_limits_of_the_command(self):
        """quipu record on a disk that fills up: the program's exit code; what was recorded until then can be repaired."""
        disk = self.disk("size=640k")
        program = self.compile("openmpi", "endless.c")
        command = [*MPIS["openmpi"], "-n", "2", str(program), "3000"]
        done = subprocess.run([BUILD / "quipu", "record", "-o", disk / "trace.meta", "--", *command], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, env=dict(os.environ, QUIPU_RECORD_BUFFER="65536"))
        self.assertEqual(5, done.returncode, done.stderr)
        self.assertEqual(2, done.stderr.count(f"No space left on device; {STOPS}"), done.stderr)
        if (disk / "trace.meta").exists():
            self.skipTest("there was room for the trace")
        repaired = subprocess.run([BUILD / "quipu", "repair", disk / "trace.meta.recording", "-o", self.folder / "repaired.meta"],
                                  capture_output=True, text=True, timeout=120)
        self.assertEqual(0, repaired.returncode, repaired.stderr)
        self.check("repaired.meta")

    def test_limits_of_descriptors(self):
        """A process that has none left can open no file to note that it has stopped, and is counted all the same."""
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "bereft.c", "-pthread")
                command = [*MPIS[mpi], "-n", "2", str(program)]
                done = subprocess.run([BUILD / "quipu", "record", "--force", "--report", "report.json", "-o", "trace.otf", "--", *command],
                                      cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(1, done.stderr.count(f"Too many open files; {STOPS}"), done.stderr)
                self.assertNotIn("lossless", done.stderr)
                report = json.loads((self.folder / "report.json").read_text())
                self.assertEqual({"processes_that_stopped": 1}, report["not_recorded"])

    def test_limits_a_folder_that_vanishes(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "vanish.c")
                (self.folder / "gone").mkdir(exist_ok=True)
                done = self.start(mpi, 1, program, self.folder / "gone", folder=self.folder / "gone")
                self.assertEqual(0, done.returncode)
                self.assertEqual(1, len(self.messages(done)), done.stderr)

    def test_limits_buffers_that_are_cut_short(self):
        """What was written out before is a trace."""
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "emptied.c")
                done = self.start(mpi, 2, program, self.folder / "raw", QUIPU_RECORD_BUFFER="65536")
                self.assertEqual(0, done.returncode, done.stderr)
                messages = self.messages(done)
                self.assertEqual(2, len(messages), done.stderr)
                for message in messages:
                    self.assertTrue(message.endswith(f"Input/output error; {STOPS}"), message)
                self.assertEqual(3, self.collect().returncode)
                for rank in range(2):
                    self.assertGreater([name for name, _ in self.calls(rank)].count("MPI_Iprobe"), 5000 - 65536 // 72 - 2)
                shutil.rmtree(self.folder / "raw")

    def test_limits_calls_larger_than_the_buffer_and_calls_inside(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "large.c")
                done = self.record(mpi, 2, program, QUIPU_RECORD_BUFFER="65536")
                self.assertEqual((0, "1\n1\n"), (done.returncode, done.stdout))
                self.check()
                calls = dict(self.calls(0))
                requests = calls["MPI_Waitall"]["requests"]
                self.assertEqual(10000, len(requests))
                self.assertEqual({1}, set(requests[1::2]))
                self.assertEqual(1, [name for name, _ in self.calls(0)].count("MPI_Comm_rank"))
                footer = self.section(0, "footer")
                self.assertEqual((2, 1), (footer["called"][82], footer["ignored"][82]))  # MPI_Comm_rank
                self.assertEqual(5001, footer["called"][0])  # MPI_Send, the last of which has failed
                self.assertEqual(1000, [fields for name, fields in self.calls(0) if name == "MPI_Send"][-1]["dest"])

    def test_limits_selected_functions(self):
        program = self.compile("mpich", "basics.c")
        cases = {"!MPI_Comm_*,!MPI_Init": ("MPI_Send", "MPI_Comm_split"), "MPI_Send,MPI_*recv": ("MPI_Isend", "MPI_Init")}
        for patterns, (one, other) in cases.items():
            self.record("mpich", 4, program, QUIPU_RECORD_FUNCTIONS=patterns)
            names = {name for name, _ in self.calls(0)}
            self.assertEqual(patterns.startswith("!"), one in names, names)
            self.assertNotIn(other, names)
            self.assertEqual([1, 1], [self.section(0, "footer")[key][124] for key in ("called", "ignored")])  # MPI_Init

    def test_limits_clocks_and_statuses(self):
        program = self.compile("mpich", "basics.c")
        for clocks, mask in (("full", 0x4f), ("wall", 0x4b), ("cpu", 0x47), ("none", 0x43)):
            self.record("mpich", 4, program, QUIPU_RECORD_CLOCKS=clocks)
            masks = {fields["mask"] for fields in self.common(0)}
            self.assertEqual({mask}, {mask & ~COUNTERS for mask in masks})
            self.assertTrue(clocks in ("full", "wall") or masks == {mask})  # what a call waited for a processor needs its time
        self.record("mpich", 4, program, QUIPU_RECORD_CLOCKS="full", QUIPU_RECORD_STATUSES="no")
        common = self.common(0)
        self.assertEqual({0x4c}, {fields["mask"] & ~COUNTERS for fields in common})
        self.assertGreater(common[-1]["cpu_stop"], 0)
        self.assertLessEqual(common[-1]["cpu_start"], common[-1]["cpu_stop"])


if __name__ == "__main__":
    unittest.main()
