"""Programs that use the library wrongly go on without recording, and are told once; with QUIPU_STRICT=1 they abort."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from streams import PROGRAMS, StreamsTest  # noqa: E402

SIGABRT = -6


class Misuse(StreamsTest):
    def cases(self, program):
        out = self.run_program(program)[1]
        return [line.split() for line in out.splitlines()]

    def test_misuse_is_reported_once_and_recording_stops(self):
        program = self.build(PROGRAMS / "misuse.c")
        cases = self.cases(program)
        self.assertGreaterEqual(len(cases), 40)
        for name, function in cases:
            with self.subTest(name):
                code, _, err = self.run_program(program, name, OVNI_TRACEDIR=name)
                self.assertEqual(7, code)
                lines = err.splitlines()
                # The parent does; and other threads notice when they have something else to do than to emit.
                goes_on = name.endswith(("_in_child", "_in_other_thread"))
                self.assertEqual(1, len(lines))
                self.assertRegex(lines[0], f"^libovni: {function}: .*; recording stops, the program goes on$")
                for metadata, _ in self.streams(self.path(name)).values():
                    self.assertEqual(not goes_on, "quipu" in metadata or "finished" in metadata["ovni"])

    def test_misuse_aborts_where_that_is_asked_for(self):
        program = self.build(PROGRAMS / "misuse.c")
        for name, function in self.cases(program):
            with self.subTest(name):
                code, _, err = self.run_program(program, name, OVNI_TRACEDIR=name, QUIPU_STRICT="1")
                self.assertEqual(7 if name.endswith("_in_child") else SIGABRT, code)
                self.assertRegex(err, f"^FATAL: {function}: ")


if __name__ == "__main__":
    unittest.main()
