"""Handles of files have 64 bits: events carry them whole, and they come back through events."""
import json
import os
import subprocess
import unittest

import otf_text
from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
HANDLE = 0x123456789ABCDEF


class Handles(FolderTest):
    def quipu(self, *arguments):
        result = subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(0, result.returncode, (arguments, result.stderr))
        return result.stdout

    def setUp(self):
        super().setUp()
        otf_text.write_example(self.path("t"))
        self.assertEqual(3, otf_text.FIRST.count("H3"))
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write(otf_text.FIRST.replace("H3", f"H{HANDLE:x}"))

    def test_handles_of_64_bits_are_in_the_events(self):
        lines = self.quipu("cat", "--json", "--kind", "io", self.path("t.otf")).splitlines()
        handles = {event["kind"]: event["handle"] for event in map(json.loads, lines) if event.get("handle")}
        self.assertEqual({"io_open": HANDLE, "io_end": HANDLE, "io_close": HANDLE}, handles)

    def test_handles_of_64_bits_come_back(self):
        self.quipu("convert", "--no-attributes", self.path("t.otf"), "-o", self.path("back.otf"))
        written = b"\n".join(line for _, _, lines in otf_text.all_records(self.path("back"), "events") for line in lines)
        self.assertEqual(3, written.count(b"H%x" % HANDLE))


if __name__ == "__main__":
    unittest.main()
