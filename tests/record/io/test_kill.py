"""Programs are killed while they are recorded: what they had done is in the trace, and nothing that they had not."""
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import BUILD, QUIPU, WRITE, RecordedTest  # noqa: E402
from test_record import HERE, SANITIZED, needs  # noqa: E402

KILLS = int(os.environ.get("QUIPU_KILLS", 20))
BLOCK = 4096


def processes_in(folder):
    """Numbers of all processes whose current directory is a folder, whoever has started them."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.path.samefile(path / "cwd", folder):
                found.append(int(path.name))
        except OSError:
            pass
    return found


def kill_all(folder, *spared):
    """Kills until none is left: they start others meanwhile."""
    end = time.monotonic() + 30
    while (left := set(processes_in(folder)) - {*spared}) and time.monotonic() < end:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


@needs("fio")
@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Kill(RecordedTest):
    def begin(self):
        for path in Path(self.folder).glob("killed.*"):
            path.unlink()
        command = [str(QUIPU), "record", "--io", "--quiet", "--force", "-o", "trace", "--", "fio", "--output=report", str(HERE / "killed.fio")]
        child = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 30
        while not os.path.exists(self.path("killed.0.0")) and time.monotonic() < end:
            time.sleep(0.001)
        return child

    def assert_prefixes(self, name):
        """Each job has the first of its blocks, as many as it had written."""
        requests = self.requests(name)
        for job in range(4):
            file = Path(self.path(f"killed.{job}.0"))
            written = [request[1:4] for request in requests.get(file.name, [])]
            self.assertEqual([(WRITE, BLOCK * i, BLOCK) for i in range(len(written))], written)
            done = file.stat().st_size // BLOCK if file.exists() else 0
            self.assertIn(done - len(written), (0, 1))

    def test_kill_of_the_program(self):
        for number in range(KILLS):
            child = self.begin()
            time.sleep(random.Random(number).random() * 0.3)
            os.kill(child.pid, signal.SIGSTOP)  # it collects when all are dead
            kill_all(self.folder, child.pid)
            os.kill(child.pid, signal.SIGCONT)
            child.communicate(timeout=60)
            self.assertIn(child.returncode, (0, 137))
            done = self.run_in_folder(QUIPU, "repair", "--quiet", "--force", "trace", "-o", "whole")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assert_prefixes("whole")

    def test_kill_of_the_command_reaches_the_program(self):
        """As a batch system ends a job: the program has the signal, and the command makes a trace of what was done."""
        script = "trap 'echo ended; exit 7' TERM HUP; echo 12345 > done.txt; touch begun; sleep 60 >&- 2>&- & wait"
        for number in (signal.SIGTERM, signal.SIGHUP):
            Path(self.path("begun")).unlink(missing_ok=True)
            child = subprocess.Popen([str(QUIPU), "record", "--io", "--force", "-o", "trace", "--", "sh", "-c", script], cwd=self.folder,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not os.path.exists(self.path("begun")) and child.poll() is None:
                time.sleep(0.01)
            child.send_signal(number)
            said = child.communicate(timeout=60)
            self.assertEqual((7, b"ended\n"), (child.returncode, said[0]), said[1])
            self.assertEqual([(WRITE, 0, 6)], [request[1:4] for request in self.requests()["done.txt"]])
            kill_all(self.folder)

    def test_kill_of_everything_leaves_the_recorder_s_files(self):
        child = self.begin()
        time.sleep(0.05)
        kill_all(self.folder)
        child.communicate(timeout=60)
        done = self.run_in_folder(BUILD / "record/quipu-record-collect", "trace.recording", "collected")
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        self.assert_prefixes("collected")


if __name__ == "__main__":
    unittest.main()
