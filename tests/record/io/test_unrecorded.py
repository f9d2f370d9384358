"""What "quipu record --io" could not record is said with numbers, on standard error and in the report; nothing is called lossless then."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import CC, QUIPU, SANITIZED, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Unrecorded(RecordedTest):
    def end_of(self, *command, name="trace", **options):
        """(what is said, the line about the trace, what the report says about what was not recorded) of a recording."""
        done = self.run_in_folder(QUIPU, "record", "--io", "-o", name, "--force", "--report", "report.json", "--", *command, **options)
        self.assertEqual(0, done.returncode, done.stderr)
        lines = done.stderr.decode().splitlines()
        wrote = [line for line in lines if line.startswith("quipu: wrote ")]
        self.assertEqual(1, len(wrote), lines)
        report = json.loads(Path(self.path("report.json")).read_text())
        return [line for line in lines if line not in wrote], wrote[0], report["not_recorded"]

    def assert_characters(self, read, written, *command, **options):
        said, wrote, report = self.end_of(*command, **options)
        self.assertEqual(
            [f"quipu: bytes moved by single characters of streams (getc, putc and the like): {read} read, {written} written; "
             "their requests are not recorded"], said)
        self.assertTrue(wrote.endswith(" records; not all that the program did was recorded, see above"), wrote)
        self.assertEqual((read, written), (report.get("characters_read", 0), report.get("characters_written", 0)))

    def make_file(self, name, size):
        Path(self.path(name)).write_bytes(bytes(i * 7 & 255 for i in range(size)))

    def test_unrecorded_characters_of_streams_are_counted(self):
        """20 characters, and the 500 behind byte 500; 15 before and 15 behind what is written at once."""
        program = self.compile(HERE / "characters.c")
        self.make_file("in", 1000)
        self.assert_characters(520, 30, program, "own")
        self.assert_sound()

    def test_unrecorded_characters_of_standard_streams_are_counted(self):
        program = self.compile(HERE / "characters.c")
        self.make_file("in", 70000)
        self.assert_characters(70000, 70000, "sh", "-c", f"{program} standard < in > out")
        self.assertEqual(Path(self.path("in")).read_bytes(), Path(self.path("out")).read_bytes())
        self.assertIn("out", {fields["name"] for kind, fields in self.records() if kind == "APP_OPEN"})

    def test_unrecorded_characters_are_those_of_the_process_itself(self):
        """What a child writes to the same file, or was there before, is none of them."""
        program = self.compile(HERE / "characters.c")
        self.assert_characters(0, 9, "sh", "-c", f"{program} forked > out")
        self.assertEqual(b"aaaaaabbbbccc", Path(self.path("out")).read_bytes())
        Path(self.path("log")).write_text("x" * 5000)
        self.assert_characters(0, 7, program, "appended")

    def test_unrecorded_characters_of_programs(self):
        """cat reads and writes blocks, bash a text and the character that ends its line."""
        if not shutil.which("bash"):
            self.skipTest("bash not installed")
        self.make_file("in", 100000)
        self.assert_characters(0, 2, "bash", "-c", "echo first > out; cat in > all; echo > none")
        self.assertEqual(100000, os.path.getsize(self.path("all")))

    def test_unrecorded_is_nothing_where_all_was_recorded(self):
        program = self.compile(HERE / "characters.c")
        said, wrote, report = self.end_of(program, "threads")
        self.assertEqual([], said)
        self.assertTrue(wrote.endswith(" records, lossless"), wrote)
        self.assertIsNone(report)
        self.assertEqual({8}, {request[3] for request in self.requests()["out"]})
        self.assertEqual(16000, os.path.getsize(self.path("out")))


if __name__ == "__main__":
    unittest.main()
