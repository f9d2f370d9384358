"""However a trace is made, the work that it is stays in proportion to its bytes. Steps are counted, not seconds: steps.c."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import bombs

BUILD = Path(os.environ.get("QUIPU_BUILD", "build"))
SOURCE = Path(os.environ.get("QUIPU_SOURCE", Path(__file__).resolve().parents[2]))
QUIPU, STEPS = BUILD / "quipu", BUILD / "tests/quipu-steps"

SIZE = 1 << 16  # of a bomb
FILES_MOST = 100  # of a bomb in another format: files are written slowly, and are all alike

LONG, TWICE = 6000, 2.7  # intervals or definitions of a trace, and what twice as many may take
FEW = 300  # processes of a trace, each of which is a file in some formats

# A start takes this many steps, the ranks that a metafile may miss included.
FIXED = 10_000_000

# Steps that a command may take for each byte, compressed ones inflated. Much are those of a file for each process.
PER_BYTE = {
    ("info",): 600,
    ("check",): 600,
    ("cat", "-o", "{out}"): 600,
    ("cat", "--records", "--json", "-o", "{out}"): 600,
    ("profile", "-o", "{out}"): 600,
    ("state", "--at", "end", "-o", "{out}"): 600,
    ("io", "-o", "{out}"): 600,
    ("io", "--study", "-o", "{out}"): 1000,
    ("index", "-o", "{out}"): 600,
    ("snapshot", "-o", "{out}.otf"): 1000,
    ("repair", "-o", "{out}.{suffix}"): 600,
    ("cut", "--since", "0", "-o", "{out}.{suffix}"): 600,
    ("merge", "-o", "{out}.{suffix}"): 600,
    ("merge", "{trace}", "-o", "{out}.{suffix}"): 1200,  # its bytes are read twice
    ("convert", "-o", "{out}.otf"): 600,
    ("convert", "-o", "{out}.meta"): 1000,
    ("convert", "-o", "{out}.perfetto"): 600,
    ("convert", "-o", "{out}.json"): 600,
}


def write(folder, files):
    for name, data in files.items():
        Path(folder, name).write_bytes(data)
    return Path(folder, next(iter(files)))


def suffix_of(path):
    """That of a trace of this format."""
    return "ovni" if path.suffix == ".obs" else path.suffix[1:]


def weight(path, inflated=0):
    return sum(file.stat().st_size for file in path.parent.iterdir()) + inflated


def steps_of(words):
    """Steps, and what the command says. One that is stopped or dies has no count."""
    with tempfile.NamedTemporaryFile() as count:
        done = subprocess.run([STEPS, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=dict(os.environ, QUIPU_STEPS=count.name), timeout=240)
        assert done.returncode in range(7), (words, done.returncode, done.stderr[-400:])
        return int(Path(count.name).read_text())


class Work(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_bounded(self, name, path, suffix, inflated=0):
        size = weight(path, inflated)
        out = self.folder / "out"
        for command, ceiling in PER_BYTE.items():
            out.mkdir()
            words = [word.format(out=out / "o", suffix=suffix, trace=path) for word in command]
            steps = steps_of([words[0], path, *words[1:], "--quiet"])
            subprocess.run(["rm", "-rf", out], check=True)
            if os.environ.get("QUIPU_WORK"):
                print(f"{steps / size:10.1f} {steps:12} {' '.join(command):40} {name}", flush=True)
            if steps > FIXED + ceiling * size:
                self.fail(f"{name}: {' '.join(command)} takes {steps} steps for {size} bytes, more than {ceiling} a byte")

    def bomb(self, name):
        trace = self.folder / "trace"
        trace.mkdir(exist_ok=True)
        return write(trace, {**bombs.BOMBS, **bombs.LOCATIONS}[name](SIZE))

    def test_work_of_bombs_is_in_proportion_to_their_bytes(self):
        for name in (*bombs.BOMBS, *bombs.LOCATIONS):
            path = self.bomb(name)
            self.assert_bounded(name, path, suffix_of(path), SIZE if name.startswith("packed") else 0)
            subprocess.run(["rm", "-rf", path.parent], check=True)

    def test_work_of_bombs_in_other_formats_is_too(self):
        for format, suffix in bombs.SUFFIXES.items():
            for name in bombs.BOMBS if format != "otf" else ():
                path = self.bomb(name)
                other = self.folder / "other"
                other.mkdir()
                copy = other / f"t.{suffix}"
                subprocess.run([QUIPU, "convert", path, "-o", copy, "--quiet"], stderr=subprocess.DEVNULL)
                if copy.exists() and len(list(other.iterdir())) <= FILES_MOST:
                    self.assert_bounded(f"{name}, as {format}", copy, suffix)
                subprocess.run(["rm", "-rf", path.parent, other], check=True)

    def test_work_of_noise_is_too(self):
        for trace in sorted(path for path in (SOURCE / "tests/data/sweep").iterdir() if path.is_dir()):
            files = {file.name: file.read_bytes() for file in sorted(trace.iterdir(), key=lambda file: (file.suffix in (".pcf", ".row"), len(file.name)))}
            victim = sorted(files, key=lambda name: len(files[name]))[-1]
            for name, noise in bombs.NOISE.items():
                folder = self.folder / "noise"
                folder.mkdir()
                whole = files[victim]
                middle = len(whole) // 2
                path = write(folder, dict(files, **{victim: whole[:middle] + noise(SIZE) + whole[middle:]}))
                self.assert_bounded(f"{name} in {victim}", path, suffix_of(path))
                subprocess.run(["rm", "-rf", folder], check=True)

    def assert_twice(self, name, command, steps):
        if steps[1] > TWICE * steps[0]:
            self.fail(f"{name}: {' '.join(command)} takes {steps[0]} steps, and {steps[1]} for twice the trace")

    def assert_linear(self, name, files_of, *command):
        """Asserts that a command takes twice the steps for a trace twice as long."""
        steps = []
        for size in (LONG, 2 * LONG):
            folder = self.folder / f"{size}"
            folder.mkdir()
            path = write(folder, files_of(size))
            steps.append(steps_of([command[0], path, "-o", folder / "out.otf", *command[1:], "--quiet"]))
            subprocess.run(["rm", "-rf", folder], check=True)
        self.assert_twice(name, command, steps)

    def test_work_of_cuts_and_snapshots_is_in_proportion_to_what_is_active(self):
        middle = ("cut", "--since", f"{LONG}us")
        for name, files_of in bombs.ACTIVE.items():
            with self.subTest(name):
                self.assert_linear(name, files_of, *middle)
                self.assert_linear(name, files_of, *middle, "--snapshots")
                self.assert_linear(name, files_of, *middle, "--to", "perfetto")
                self.assert_linear(name, files_of, "snapshot", "--count", "5")

    def steps_of_definitions(self, files_of, count, suffix):
        """Steps of writing a trace with so many definitions in a format, and of what is asked of it there."""
        folder = self.folder / "defined"
        folder.mkdir()
        path, copy = write(folder, files_of(count)), folder / f"copy.{suffix}"
        steps = {("convert", "to", suffix): steps_of(["convert", path, "-o", copy, "--quiet"])}
        self.assertTrue(copy.exists(), copy)
        for command in (("info",), ("profile",), ("convert",)):
            out = ("-o", folder / "out.otf") if command == ("convert",) else ()
            steps[(*command, "of", suffix)] = steps_of([*command, copy, *out, "--quiet"])
        subprocess.run(["rm", "-rf", folder], check=True)
        return steps

    def test_work_of_definitions_is_in_proportion_to_how_many_there_are(self):
        for name, files_of in bombs.DEFINED.items():
            count = FEW if name == "processes" else LONG
            for suffix in ("otf", *bombs.DEFINED_SUFFIXES):
                with self.subTest(name, suffix=suffix):
                    once, twice = (self.steps_of_definitions(files_of, n, suffix) for n in (count, 2 * count))
                    for command in once:
                        self.assert_twice(name, command, (once[command], twice[command]))


if __name__ == "__main__":
    unittest.main()
