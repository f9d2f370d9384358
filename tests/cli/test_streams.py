"""Standard output is data and nothing else, and may close early."""
import os
import signal
import subprocess
import unittest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")


def run_with_closed_pipe(*arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        # Python ignores SIGPIPE; the command must not inherit that.
        return subprocess.run(
            [QUIPU, *arguments], stdout=writing, stderr=subprocess.PIPE, restore_signals=False, timeout=60)
    finally:
        os.close(writing)


class Streams(unittest.TestCase):
    def test_streams_closed_pipe_ends_quietly(self):
        for arguments in (["help"], ["formats"], ["formats", "--json"], ["generate", "bash"]):
            result = run_with_closed_pipe(*arguments)
            self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""), arguments)

    def test_streams_errors_leave_stdout_empty(self):
        for arguments in (["cat", "no such file"], ["cat", "--nonsense"], ["nonsense"], []):
            result = subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(result.stdout, b"", arguments)
            self.assertNotEqual(result.stderr, b"", arguments)
            self.assertIn(result.returncode, (2, 4))


if __name__ == "__main__":
    unittest.main()
