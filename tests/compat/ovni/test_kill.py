"""A program of four threads is killed while it emits: whatever it had emitted can be read."""
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from streams import BUILD, LIBRARY, PROGRAMS, StreamsTest  # noqa: E402

KILLS = int(os.environ.get("QUIPU_KILLS", 60))


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "programs are built without the sanitizers' libraries")
class Kill(StreamsTest):
    def kill_once(self, program, number):
        """(events that each thread had emitted, path of the trace)."""
        counts, trace = self.path("counts"), self.path(f"trace{number}")
        Path(counts).write_bytes(bytes(4096))
        child = subprocess.Popen(
            [str(program), counts], env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY), "OVNI_TRACEDIR": trace})
        with open(counts, "r+b") as file, mmap.mmap(file.fileno(), 4096) as emitted:
            while not any(emitted[:32]):
                time.sleep(0.0002)
            time.sleep(random.Random(number).random() * 0.01)
            child.send_signal(signal.SIGKILL)
            child.wait()
            return struct.unpack("=4Q", emitted[:32]), trace

    def assert_has(self, trace, emitted):
        """Each stream has the events of its thread from the first to the last, which may not have been counted."""
        for index, count in enumerate(emitted):
            folder = f"{trace}/loom.killed.0/proc.70/thread.{70 + index}"
            if not os.path.exists(f"{folder}/stream.json"):  # then it has no stream yet
                self.assertEqual(0, count)
                continue
            done = subprocess.run([str(self.verify), f"{folder}/stream.obs"], stdout=subprocess.PIPE, text=True)
            self.assertEqual(0, done.returncode, done.stdout)
            self.assertIn(int(done.stdout) - count, (0, 1))

    def test_kill_loses_nothing_that_was_emitted(self):
        program = self.build(PROGRAMS / "emitter.c")
        self.verify = self.build(Path(__file__).with_name("verify.c"))
        for number in range(KILLS):
            emitted, trace = self.kill_once(program, number)
            whole = self.path(f"whole{number}")
            self.assert_has(trace, emitted)
            for command in (["repair", "-q", trace, "-o", whole], ["check", "-q", whole]):
                done = subprocess.run([str(BUILD / "quipu"), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(0, done.returncode, (number, command, done.stdout, done.stderr))
            self.assert_has(whole, emitted)
            subprocess.run(["rm", "-rf", trace, whole], check=True)


if __name__ == "__main__":
    unittest.main()
