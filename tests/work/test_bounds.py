"""Whatever shape a trace has, every analysis and conversion of 1 MB takes seconds and less than 300 MB. Steps are counted, not seconds: steps.c.

Traces are a quarter of that, and what grows with the square of them shows all the same: it takes a hundred thousand steps a byte.
QUIPU_BOUNDS=1 prints what each command takes.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import shapes

BUILD = Path(os.environ.get("QUIPU_BUILD", "build"))
STEPS = BUILD / "tests/quipu-steps"

SIZE = 1 << 18
SMALL = 1 << 16  # in formats whose files are written slowly
STEPS_PER_BYTE = 6000  # a second has more than 10^9 steps, and 1 MB may take 5
STEPS_FIXED = 100_000_000  # tables of pairs and windows, however small the trace is
MEGABYTES = 200
FILES_MOST = 400

ANALYSES = """
info | check | definitions -o {out}/o | cat -o {out}/o | cat --json -o {out}/o | cat --where duration>1us -o {out}/o | cat --region f* -o {out}/o
profile -o {out}/o | profile --by path -o {out}/o | profile --tree -o {out}/o | profile --by process -o {out}/o | calls -o {out}/o
state --at end -o {out}/o | comm -o {out}/o | comm --collectives --patterns -o {out}/o
waits -o {out}/o | waits --list -o {out}/o | waits --causes -o {out}/o | critical-path -o {out}/o | efficiency -o {out}/o
imbalance -o {out}/o | imbalance --inclusive -o {out}/o | clock | phases --iterations -o {out}/o
replay | replay --network ideal | replay --network loggops --latency 1000 --sensitivity | io -o {out}/o | io --study -o {out}/o
why -o {out}/o | tasks --over time -o {out}/o | diff {trace} --level profile,waits,comm,phases,calls -o {out}/o
"""
CONVERSIONS = """
repair -o {out}/o.{suffix} | merge -o {out}/o.otf | cut --since 50% -o {out}/o.otf | cut --since 50% --snapshots -o {out}/o.otf
snapshot --count 5 -o {out}/s.otf | clock --correct linear,clc --amortise 1000 --to otf -o {out}/o.otf
convert --to dumpi -o {out}/o.meta | convert --to picl -o {out}/o.trf | convert --to charisma -o {out}/o.ctrace | convert --to ovni -o {out}/o.ovni
convert --to perfetto --with waits,critical-path -o {out}/o.perfetto | convert --to chrome -o {out}/o.json | convert --to paraver -o {out}/o.prv
convert --to goal -o {out}/o.goal | convert --to dimemas -o {out}/o.dim
"""

# The peak of a process begins with that of the one that started it, so this one starts the command, not the test.
WATCH = """
import os, sys
out = os.open(os.devnull, os.O_WRONLY)
actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions), 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def commands(text):
    return [command.split() for command in text.replace("\n", " | ").split(" | ") if command.strip()]


def measure(words):
    """Exit code, steps and megabytes of a command."""
    with tempfile.NamedTemporaryFile() as count:
        done = subprocess.run([sys.executable, "-S", "-c", WATCH, *map(str, [STEPS, *words])], stdout=subprocess.PIPE, check=True,
                              text=True, timeout=240, env=dict(os.environ, QUIPU_STEPS=count.name))
        code, peak = map(int, done.stdout.split())
        return code, int(Path(count.name).read_text() or 0), peak >> 10


class Bounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, size):
        trace = self.folder / "trace"
        trace.mkdir()
        files = shapes.SHAPES[name](size)
        for file, data in files.items():
            (trace / file).write_bytes(data)
        return trace / next(iter(files))

    def assert_bounded(self, name, trace, all_commands):
        size = sum(file.stat().st_size for file in trace.parent.rglob("*") if file.is_file())
        out = self.folder / "out"
        for command in all_commands:
            out.mkdir()
            words = [word.format(out=out, trace=trace, suffix=trace.suffix[1:]) for word in command]
            code, steps, megabytes = measure([words[0], trace, *words[1:], "--quiet"])
            shutil.rmtree(out)
            if os.environ.get("QUIPU_BOUNDS"):
                print(f"{steps / size:9.0f} {megabytes:5} MB {code:3} {' '.join(command):60} {name}", flush=True)
            with self.subTest(name, command=" ".join(command)):
                self.assertIn(code, (0, 1, 2, 3, 4, 6))
                self.assertLess(steps, STEPS_FIXED + STEPS_PER_BYTE * size)
                self.assertLess(megabytes, MEGABYTES)

    def assert_shapes_bounded(self, family, all_commands):
        for name in shapes.FAMILIES[family]:
            trace = self.write(name, SIZE)
            self.assert_bounded(name, trace, all_commands)
            shutil.rmtree(trace.parent)

    def test_analyses_of_nested_calls_are_bounded(self):
        self.assert_shapes_bounded("nested", commands(ANALYSES))

    def test_analyses_of_deep_calls_are_bounded(self):
        self.assert_shapes_bounded("deep", commands(ANALYSES))

    def test_analyses_of_many_calls_are_bounded(self):
        self.assert_shapes_bounded("broad", commands(ANALYSES))

    def test_analyses_of_messages_are_bounded(self):
        self.assert_shapes_bounded("messages", commands(ANALYSES))

    def test_analyses_of_collective_operations_are_bounded(self):
        self.assert_shapes_bounded("collectives", commands(ANALYSES))

    def test_analyses_of_communicators_are_bounded(self):
        self.assert_shapes_bounded("communicators", commands(ANALYSES))

    def test_analyses_of_long_names_and_many_files_are_bounded(self):
        self.assert_shapes_bounded("names", commands(ANALYSES))

    def test_conversions_of_nested_calls_are_bounded(self):
        self.assert_shapes_bounded("nested", commands(CONVERSIONS))

    def test_conversions_of_deep_calls_are_bounded(self):
        self.assert_shapes_bounded("deep", commands(CONVERSIONS))

    def test_conversions_of_many_calls_are_bounded(self):
        self.assert_shapes_bounded("broad", commands(CONVERSIONS))

    def test_conversions_of_names_and_files_are_bounded(self):
        self.assert_shapes_bounded("names", commands(CONVERSIONS))

    def test_analyses_of_other_formats_are_bounded(self):
        for name in ("calls left outermost first", "communication in nested calls", "many files"):
            for suffix in ("meta", "trf", "ctrace", "ovni"):
                trace, other = self.write(name, SMALL), self.folder / "other"
                other.mkdir()
                copy = other / f"t.{suffix}"
                measure(["convert", trace, "-o", copy, "--quiet"])
                if copy.exists() and sum(1 for _ in other.rglob("*")) <= FILES_MOST:
                    self.assert_bounded(f"{name}, as {suffix}", copy, commands(ANALYSES))
                shutil.rmtree(trace.parent)
                shutil.rmtree(other)


if __name__ == "__main__":
    unittest.main()
