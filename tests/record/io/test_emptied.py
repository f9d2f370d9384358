"""What other programs do to the recorder's files ends recording, never the program; SIGBUS is the program's as without."""
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import QUIPU, SANITIZED, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent
BUS = 128 + 7


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Emptied(RecordedTest):
    def test_emptied_files_of_the_recorder_do_not_end_the_program(self):
        program = self.compile(HERE / "emptied.c")
        for case, code, printed in (
                ("nothing", 0, b"written\ncaught 0\n"), ("default", BUS, b"written\n"), ("sent", BUS, b"written\n"),
                ("caught", 0, b"written\ncaught 2\n"), ("signalled", 0, b"written\ncaught 2\n"), ("once", 0, b"written\ncaught 1\n"),
                ("ignored", 0, b"")):
            with self.subTest(case):
                without = self.run_in_folder("sh", "-c", f"{program} {case} || exit $?")
                self.assertEqual((code, printed), (without.returncode, without.stdout))
                done = self.run_in_folder(QUIPU, "record", "--io", "-o", "trace", "--force", "--", program, case)
                self.assertEqual((code, printed), (done.returncode, done.stdout), done.stderr)
                self.assertEqual(200000, os.path.getsize(self.path("first")))
                if case == "ignored":
                    continue
                said = done.stderr.decode()
                self.assertEqual(1, said.count(": Input/output error; recording of input and output stops, the program goes on"), said)
                self.assertNotIn("lossless", said)
                self.assertIn("not all that the program did was recorded", said)

    def test_emptied_files_leave_what_was_written_out(self):
        """A buffer of 256 KiB has been written out every 3276 requests of 80 bytes."""
        program = self.compile(HERE / "emptied.c")
        self.record(program, "nothing")
        self.assertGreater(len(self.requests()["first"]), 9000)


if __name__ == "__main__":
    unittest.main()
