"""What repair says 0 of, check accepts: traces of all formats, damaged by lot, are repaired, and what is written is checked. QUIPU_DAMAGED is how
many damages of each trace are drawn."""
import json
import os
import pathlib
import random
import shutil
import subprocess

import programs
from folder import FolderTest
from test_damaged_formats import DAMAGED, FINE, SWEEP, TRACES, UNREADABLE

SEEDS = range(int(os.environ.get("QUIPU_DAMAGED", "40")))
ENDS = {"otf": ".otf", "otf-compressed": ".otf", "dumpi": ".meta", "picl": ".picl", "charisma": ".ctrace", "ovni": ""}


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
        shutil.copytree(SWEEP / name, folder)
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
        for name, end in ENDS.items():
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
