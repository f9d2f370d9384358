"""Of an operation one record says what it is: the beginning in OTF, the end in OTF2. A selection that has the other half only loses that, and says so."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from folder import FolderTest  # noqa: E402

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
BARRIER = str(Path(__file__).resolve().parents[1] / "data" / "where" / "w.otf")  # location beta, from 70 to 75 us


class Halves(FolderTest):
    def convert(self, trace, name, *options, command="convert"):
        return subprocess.run([QUIPU, command, trace, "-o", self.path(name), "--force", "--quiet", *options], check=False,
                              stderr=subprocess.DEVNULL).returncode

    def expect(self, trace, name, options, code, command="convert"):
        self.assertEqual(self.convert(trace, name, "--fail-on-loss", *options, command=command), code, (name, options))

    def test_halves_of_collective_operations_are_no_copies(self):
        self.assertEqual(self.convert(BARRIER, "whole.otf2"), 0)
        for trace, suffix, lacks in ((BARRIER, "otf", "collective_end"), (self.path("whole.otf2"), "otf2", "collective_begin")):
            self.expect(trace, "part." + suffix, ("--kind", lacks), 1)
            self.expect(trace, "part." + suffix, ("--kind", "collective_begin,collective_end"), 0)

    def test_halves_that_windows_leave_are_told(self):
        self.assertEqual(self.convert(BARRIER, "whole.otf2"), 0)
        self.expect(BARRIER, "late.otf", ("--since", "72us"), 1)
        self.expect(BARRIER, "early.otf", ("--until", "72us"), 0)
        self.expect(self.path("whole.otf2"), "early.otf2", ("--until", "72us"), 1, "cut")
        self.expect(self.path("whole.otf2"), "all.otf2", ("--until", "100us"), 0, "cut")


if __name__ == "__main__":
    unittest.main()
