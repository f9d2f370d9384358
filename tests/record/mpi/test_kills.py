"""Ranks, all of them or the launcher are killed at times that are drawn: repair makes a sound trace of all ranks, which has the calls that
each had made, by its own count, and no others. QUIPU_KILLS is how many kills for each MPI, QUIPU_KILLS_SEED what they are drawn from."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, QUIPU, RANKS, MpiTest  # noqa: E402

KILLS = int(os.environ.get("QUIPU_KILLS", 6))
SEED = int(os.environ.get("QUIPU_KILLS_SEED", 15))
PATIENCE = 60  # seconds


def processes_of(program):
    """Numbers of the processes that run a program."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "exe") == str(program):
                found.append(int(path.name))
        except OSError:
            pass
    return found


def child_of(process):
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wait_until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    return is_so()


class Kills(MpiTest):
    def clear(self):
        for path in Path(self.folder).glob("run*"):
            shutil.rmtree(path)
        Path(self.path("run")).mkdir()

    def kill_one_of(self, mpi, program, draw):
        """Records, and kills the victims some time after the processes began; sometimes the command that records them too."""
        command = [QUIPU, "record", "--quiet", "-o", "trace.meta", "--", *mpi.launch(program)]
        recording = subprocess.Popen(command, cwd=self.path("run"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     env={**os.environ, "QUIPU_RECORD_BUFFER": draw["buffer"]})
        self.addCleanup(recording.wait)
        self.assertTrue(wait_until(lambda: len(processes_of(program)) == RANKS))
        launcher = child_of(recording.pid)
        time.sleep(draw["seconds"])
        ranks = processes_of(program)
        if draw["is_command_killed"]:
            recording.kill()
        kill({"one": ranks[draw["rank"]:][:1], "all": ranks, "launcher": launcher}[draw["victims"]])
        self.assertTrue(wait_until(lambda: not processes_of(program)), "processes outlive their launcher")
        recording.wait(PATIENCE)

    def repaired(self):
        """A trace that repair makes of what there is: the recorder's files, or the trace that the command has made of them."""
        folder = Path(self.path("run/trace.meta.recording"))
        damaged = folder if folder.exists() else self.path("run/trace.meta")
        done = subprocess.run([QUIPU, "repair", "--quiet", damaged, "-o", self.path("run/whole.meta")], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return self.path("run/whole.meta")

    def progress(self, rank):
        """How many calls a process had started and ended; none before it knew its rank."""
        file = Path(self.path(f"run/progress.{rank}"))
        data = file.read_bytes() if file.exists() else b""
        return [int.from_bytes(data[at:at + 8], "little") for at in (0, 8)]

    def assert_all_calls(self, trace):
        recorded = self.recorded_counts(trace)
        for rank in range(RANKS):
            started, ended = self.progress(rank)
            calls = sum(recorded.get(rank, {}).values())
            if started == 0:
                self.assertLessEqual(calls, 2)
            else:
                self.assertIn(calls - ended, (0, 1) if started > ended else (0,), (rank, started, ended, calls))

    def each(self, name):
        mpi = self.mpi(name)
        program = self.compile(mpi, HERE / "killed.c")
        chance = random.Random(f"{SEED} {name}")
        for number in range(KILLS):
            draw = {"victims": ("one", "all", "launcher")[number % 3], "seconds": chance.random() ** 2 * 2, "rank": chance.randrange(RANKS),
                    "is_command_killed": chance.random() < 0.5, "buffer": chance.choice(("65536", "1048576"))}
            with self.subTest(number=number, **draw):
                self.clear()
                self.kill_one_of(mpi, program, draw)
                trace = self.repaired()
                self.assert_sound(trace)
                self.assert_all_calls(trace)

    def test_kills_openmpi(self):
        self.each("openmpi")

    def test_kills_mpich(self):
        self.each("mpich")


if __name__ == "__main__":
    unittest.main()
