"""Standard output is data and nothing else, and may close early."""
import os
import signal
import subprocess
import tempfile
import time
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


def run_through_pipes_that_do_not_wait(arguments, given):
    """Standard input and output as others may have made them; each side waits for the other again and again."""
    input_end, feeding = os.pipe()
    reading, output_end = os.pipe()
    for end in (input_end, output_end):
        os.set_blocking(end, False)
    with subprocess.Popen([QUIPU, *arguments], stdin=input_end, stdout=output_end, stderr=subprocess.PIPE) as process:
        os.close(input_end)
        os.close(output_end)
        time.sleep(0.2)  # there is nothing to read yet
        with os.fdopen(feeding, "wb") as feed:
            feed.write(given)
        time.sleep(0.2)  # the pipe is full by now
        with os.fdopen(reading, "rb") as read:
            delivered = read.read()
        return delivered, process.stderr.read(), process.wait()


class Streams(unittest.TestCase):
    def test_streams_that_do_not_wait_are_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.picl")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"-3 1 0.{index:06d} 0 0 0\n-4 1 0.{index:06d} 0 0 0\n" for index in range(40000))
            whole = subprocess.run([QUIPU, "cat", path], stdout=subprocess.PIPE, check=True).stdout
            self.assertGreater(len(whole), 1 << 20)
            with open(path, "rb") as file:
                self.assertEqual(run_through_pipes_that_do_not_wait(["cat", "-"], file.read()), (whole, b"", 0))

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
