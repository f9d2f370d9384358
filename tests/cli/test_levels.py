"""Levels of detail of an index: the timeline of a trace is the same with and without them, whatever the format, and reads nothing with them."""
import os
import random
import re
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data")
QUIPU = programs.QUIPU

# Files to copy, and which of them is opened; of a folder that is a trace itself, nothing.
SAMPLES = (("sweep/charisma", ".ctrace"), ("sweep/dumpi", ".meta"), ("sweep/otf", ".otf"), ("sweep/otf-compressed", ".otf"), ("sweep/ovni", ""),
           ("sweep/picl", ".picl"), ("analysis/gatherv-zero", ".otf"), ("analysis/file-split", ".otf"), ("analysis/ring4", ".otf"),
           ("otf2/every", ".otf2"), ("../../examples/traces/phases", ".meta"))

# Bins that divide those of a level are answered by it; what must read the trace is among these, too.
ANSWERED = (("--by", "location"), ("--by", "process"), ("--by", "host"), ("--by", "all"), ("--bins", "1"), ("--bins", "10", "--by", "all"),
            ("--bins", "40"), ("--threads", "3"))
READ = (("--bins", "7"), ("--bins", "160"), ("--since", "50%"), ("--since", "25%", "--until", "75%", "--bins", "20"), ("--waits", "--bins", "8"),
        ("--where", "kind = enter"), ("--location", "0"))


def has_libotf2():
    return subprocess.run([QUIPU, "info", "-q", os.path.join(SOURCE, "otf2/every/traces.otf2")], capture_output=True, check=False).returncode == 0


class Levels(FolderTest):
    def timeline(self, trace, *options):
        """The exit code, the answer, and how many records were read."""
        done = subprocess.run([QUIPU, "timeline", "--json", "-v", trace, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        records = re.search(r"(\d+) records", done.stderr)
        return done.returncode, done.stdout, int(records[1]) if records else None

    def same(self, trace, *options):
        """What was read with the index and without."""
        with_index, without = self.timeline(trace, *options), self.timeline(trace, *options, "--no-index")
        self.assertEqual(with_index[:2], without[:2], (trace, options))
        return with_index[2], without[2]

    def index(self, trace, *options):
        return subprocess.run([QUIPU, "index", "-q", trace, "--force", *options], stderr=subprocess.PIPE, check=False)

    def test_levels_change_no_answer(self):
        for name, suffix in SAMPLES:
            if name.startswith("otf2") and not has_libotf2():
                continue
            folder = self.path(name.replace("/", "-").replace(".", ""))
            shutil.copytree(os.path.join(SOURCE, name), folder)
            trace = next(os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(suffix)) if suffix else folder
            self.assertEqual(self.index(trace).returncode, 0, name)
            with self.subTest(sample=name):
                for options in ANSWERED:
                    read, of_all = self.same(trace, *options)
                    self.assertGreater(of_all, 0)
                    self.short(trace) or self.assertEqual(read, 0, options)
                for options in READ:
                    self.same(trace, *options)

    def short(self, trace):
        """Whether there is less than a tick for each of the bins of the coarsest level."""
        rows = programs.tables("timeline", trace, "--by", "all", "--bins", "1")["timeline"]
        return rows[0]["to_ns"] - rows[0]["from_ns"] < 80

    def test_levels_of_drawn_programs(self):
        """Long enough for finer levels."""
        for seed in range(6):
            numbers = random.Random(5000 + seed)
            program = programs.random_program(numbers, numbers.randint(2, 6), 90)
            trace = programs.write(self.path("t.otf"), [[(time * 50, record) for time, record in events] for events in program])
            self.assertEqual(self.index(trace).returncode, 0)
            for options in ((), ("--bins", "400"), ("--bins", "25", "--by", "all"), ("--bins", "16", "--by", "host")):
                self.assertEqual(self.same(trace, *options)[0], 0, (seed, options))
            self.assertGreater(self.same(trace, "--bins", "3")[0], 0)

    def test_levels_go_with_the_index(self):
        """Of a trace that has changed, of an index that is damaged, or without a point behind all events, they answer nothing."""
        shutil.copytree(os.path.join(SOURCE, "sweep", "otf"), self.path("otf"))
        trace = self.path("otf/ring.otf")
        self.assertEqual(self.index(trace).returncode, 0)
        with open(trace + ".qpx", "r+b") as file:
            file.seek(-9, os.SEEK_END)
            byte = file.read(1)
            file.seek(-9, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        self.assertGreater(self.same(trace)[0], 0)
        self.assertEqual(self.index(trace).returncode, 0)
        with open(self.path("otf/ring.1.events"), "ab") as file:
            file.write(b"\n")
        self.assertGreater(self.same(trace)[0], 0)


if __name__ == "__main__":
    unittest.main()
