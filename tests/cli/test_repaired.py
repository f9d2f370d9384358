"""What repair says 0 of, check accepts: traces of all formats, damaged by lot, are repaired, and what is written is checked. QUIPU_DAMAGED is how
many damages of each trace are drawn."""
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import unittest

import peak
import programs
from folder import FolderTest
from test_damaged_formats import DAMAGED, FINE, FOLDERS, LIMIT, SWEEP, TRACES, UNREADABLE

SEEDS = range(int(os.environ.get("QUIPU_DAMAGED", "40")))
NOT_STARTED = 127  # the loader had no memory
ENDS = {"otf": ".otf", "otf-compressed": ".otf", "dumpi": ".meta", "picl": ".picl", "charisma": ".ctrace", "ovni": "", "otf2": ".otf2"}


def flip(numbers, data):
    for _ in range(numbers.choice((1, 5, 20))):
        data[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)


def overwrite(numbers, data):
    begin, other, size = numbers.randrange(len(data)), numbers.randrange(len(data)), numbers.choice((4, 16, 40))
    data[begin : begin + size] = data[other : other + size]


def cut(numbers, data):
    del data[numbers.randrange(len(data)) :]


def leave_out(numbers, data):
    begin = numbers.randrange(len(data))
    del data[begin : begin + numbers.choice((1, 10, 100))]


def type_over(numbers, data):
    for _ in range(3):
        data[numbers.randrange(len(data))] = ord(numbers.choice('0123456789-.{}[]",: nte/'))


class Repaired(FolderTest):
    def damaged(self, name, seed):
        numbers = random.Random(f"{name} {seed}")
        folder = pathlib.Path(self.path(f"{name}-{seed}"))
        shutil.copytree(FOLDERS[name], folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "README.md")
        for path in numbers.sample(files, min(len(files), numbers.choice((1, 1, 2)))):
            data = bytearray(path.read_bytes())
            if data:
                numbers.choice((flip, overwrite, cut, leave_out, type_over))(numbers, data)
            path.write_bytes(data)
        return folder / TRACES[name]

    def verdict_of(self, trace):
        done = subprocess.run([programs.QUIPU, "check", "--json", trace], stdout=subprocess.PIPE, check=False, timeout=60)
        return json.loads(done.stdout)["verdict"]

    def test_what_repair_says_0_of_is_accepted_by_check(self):
        codes = set()
        for name, end in ((name, end) for name, end in ENDS.items() if name in TRACES):
            for seed in SEEDS:
                with self.subTest(name=name, seed=seed):
                    whole = self.path(f"{name}-{seed}-whole{end}")
                    done = subprocess.run([programs.QUIPU, "repair", self.damaged(name, seed), "-o", whole],
                                          stderr=subprocess.PIPE, check=False, timeout=60)
                    codes.add(done.returncode)
                    self.assertIn(done.returncode, (FINE, DAMAGED, UNREADABLE), done.stderr)
                    if done.returncode == FINE:
                        self.assertIn(self.verdict_of(whole), ("ok", "warn"))
        self.assertIn(FINE, codes)

    def run_within(self, memory, *words):
        """(exit code, what was printed, files of the output) of a command that the system gives so many bytes of addresses; 0: all."""
        output = pathlib.Path(self.path("output"))
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
        done = subprocess.run([programs.QUIPU, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60, preexec_fn=limit)
        files = {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*") if path.is_file()}
        return done.returncode, done.stdout, files

    def large_metadata(self):
        """A trace of ovni whose metadata take megabytes when they are read."""
        folder = pathlib.Path(self.path("metadata"))
        shutil.copytree(SWEEP / "ovni", folder)
        document = json.loads((folder / "stream.json").read_text())
        document["more"] = [{"name": f"value {i}", "list": [i, i + 1]} for i in range(20000)]
        (folder / "stream.json").write_text(json.dumps(document))
        return folder

    @unittest.skipIf(peak.is_sanitized(), "sanitizers have memory of their own")
    def test_memory_that_the_system_refuses_is_no_damage(self):
        traces = {name: self.damaged(name, 1) for name in ENDS if name != "otf2"}  # libotf2 does not say why it fails
        traces["metadata"] = self.large_metadata()
        for name, trace in traces.items():
            whole = self.path("output/whole" + ENDS.get(name, ""))
            for words in (("repair", trace, "-o", whole, "--quiet"), ("check", "--json", trace)):
                expected = self.run_within(0, *words)
                for step in range(24):
                    found = self.run_within(int((7 << 20) * 1.08**step), *words)
                    if found[0] not in (LIMIT, NOT_STARTED):
                        self.assertEqual(expected, found, (name, words, step))
