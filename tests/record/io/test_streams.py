"""What a program prints and reads line by line is recorded; what cannot be recorded is said."""
import subprocess
import unittest
from pathlib import Path

from recorded import CC, SANITIZED, WRITE, RecordedTest

HERE = Path(__file__).resolve().parent


@unittest.skipIf(SANITIZED, "sanitizers come first")
class TestStreams(RecordedTest):
    def said(self, *command):
        """What stands on standard error, the end that the command always says aside."""
        done = self.record(*command)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stderr.decode()

    def test_lines_that_are_printed_and_read_are_requests(self):
        program = self.compile(HERE / "printed.c", "-D_FORTIFY_SOURCE=2")
        self.assertEqual("", self.said(program))
        self.assert_sound()
        found = {name: [request[1:4] for request in requests] for name, requests in self.requests().items()}
        self.assertEqual([(WRITE, 0, 9), (WRITE, 9, 1), (0, 0, 9), (0, 9, 1)], found["printed.txt"])
        self.assertEqual([(WRITE, 0, 6), (WRITE, 6, 7), (WRITE, 13, 9)], found["output.txt"])

    def test_a_program_that_cannot_be_recorded_is_named_as_such(self):
        program = self.path("static")
        done = subprocess.run([CC, "-static", str(HERE / "printed.c"), "-o", program], stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            self.skipTest("no static C library")
        self.assertIn("nothing was recorded", self.said(program))
        self.assertEqual(["HEADER"], [kind for kind, _ in self.records()])


if __name__ == "__main__":
    unittest.main()
