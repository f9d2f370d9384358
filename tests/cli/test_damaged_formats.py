"""Every analysis of traces of all formats that are damaged by lot: bytes that flip, files that end early or are not there; with one thread and
two, and with little memory. What check calls a loss of data every analysis says, and nothing depends on threads or memory, but that too little of
it is no answer at all. QUIPU_DAMAGED is how many damages of each trace are drawn."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest
from test_damaged_answers import commands

SWEEP = pathlib.Path(os.environ.get("QUIPU_SOURCE", ".")) / "tests/data/sweep"
TRACES = {"otf": "ring.otf", "otf-compressed": "ring.otf", "dumpi": "ring.meta", "picl": "ring.picl", "charisma": "ring.ctrace", "ovni": ".",
          "paraver": "ring.prv"}
FOLDERS = {name: SWEEP / name for name in TRACES}
SEEDS = range(int(os.environ.get("QUIPU_DAMAGED", "2")))
MEMORY = (100000, 300000, 500000, 700000, 1000000, 1500000, 3000000)
FINE, ANSWERED, USAGE, DAMAGED, UNREADABLE, LIMIT = 0, 1, 2, 3, 4, 6


def run(*words):
    done = subprocess.run([programs.QUIPU, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


if run("info", SWEEP.parent / "otf2/every")[0] == FINE:  # built with libotf2
    TRACES["otf2"], FOLDERS["otf2"] = ".", SWEEP.parent / "otf2/every"


def losses(trace):
    """What is lost, by rule, as far as check can tell."""
    found = json.loads(run("check", "--json", trace)[1] or '{"findings": []}')["findings"]
    return {finding["rule"] for finding in found if finding["severity"] == "data-loss"}


class DamagedFormats(FolderTest):
    def damage(self, numbers, folder):
        names = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.name != "README.md")
        path = numbers.choice(names)
        kind = numbers.choice(("flip", "flip", "cut", "remove" if len(names) > 1 else "cut"))
        data = bytearray(path.read_bytes())
        if kind == "remove":
            path.unlink()
        elif kind == "cut":
            path.write_bytes(data[:numbers.randrange(len(data))])
        else:
            for _ in range(numbers.choice((1, 5))):
                data[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)
            path.write_bytes(data)
        return kind + " " + path.name

    def damaged(self):
        """Each trace in every state: its entry, what has been done, and the same trace as it was."""
        for name, entry in TRACES.items():
            for seed in SEEDS:
                numbers = random.Random(f"{name} {seed}")
                folder = self.path(f"{name}-{seed}")
                shutil.copytree(FOLDERS[name], folder)
                done = self.damage(numbers, folder)
                yield os.path.join(folder, entry), (name, seed, done), FOLDERS[name] / entry, numbers

    def assert_says_what_is_left_out(self, answer, lost, where):
        code, _, said = answer
        allowed = (FINE, DAMAGED, UNREADABLE) + ((USAGE,) if "state" in where[1] else ())
        self.assertIn(code, allowed, (where, said))
        self.assertTrue(said or code == FINE, where)
        if lost and "state" not in where[1]:  # which reads no further than to its time
            self.assertIn(code, (DAMAGED, UNREADABLE), (where, lost))

    def assert_is_the_same_or_nothing(self, answer, limited, where):
        if limited[0] == LIMIT:
            self.assertEqual(limited[1], b"", where)
            self.assertIn(b"quipu: ", limited[2], where)
        else:
            self.assertEqual(limited, answer, where)

    def test_damaged_each_analysis_says_what_is_left_out(self):
        for trace, what, _, numbers in self.damaged():
            lost = losses(trace)
            for command in commands():
                words = (command[0], "--json", trace, *command[1:])
                where = (what, command)
                answer = run(*words)
                self.assert_says_what_is_left_out(answer, lost, where)
                self.assertEqual(run(*words, "--threads", 2), answer, where)
                self.assert_is_the_same_or_nothing(answer, run(*words, "--max-memory", numbers.choice(MEMORY)), where)

    def test_damaged_each_comparison_says_what_is_left_out(self):
        for trace, what, whole, numbers in self.damaged():
            readable = run("waits", "--json", trace)[0]
            for pair in ((trace, whole), (whole, trace)):
                answer = run("diff", "--json", *pair)
                self.assertIn(answer[0], (readable,) if readable in (DAMAGED, UNREADABLE) else (FINE, ANSWERED), (what, answer[2]))
                self.assertTrue(answer[2] or answer[0] in (FINE, ANSWERED), what)
                limited = run("diff", "--json", *pair, "--max-memory", numbers.choice(MEMORY))
                self.assert_is_the_same_or_nothing(answer, limited, what)

    def test_damaged_each_trace_with_other_times_says_what_is_left_out(self):
        for trace, what, _, numbers in self.damaged():
            readable = run("waits", "--json", trace)[0]
            for command in (("clock", "--correct", "offset,clc"), ("replay", "--network", "ideal")):
                for limit in ((), ("--max-memory", numbers.choice(MEMORY))):
                    folder = pathlib.Path(self.path("out"))
                    folder.mkdir()
                    code, _, said = run(command[0], trace, *command[1:], "--to", "otf", "-o", folder / "out.otf", *limit)
                    circle = (UNREADABLE,) if b"in a circle" in said else ()
                    self.assertIn(code, (readable, *circle, LIMIT)[:None if limit else -1], (what, command, said))
                    self.assertTrue(said or code == FINE, (what, command))
                    self.assertEqual(any(folder.iterdir()), code in (FINE, DAMAGED), (what, command, said))
                    shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()
