"""Damage in one place of a trace is one problem in what "quipu check" prints, in every format; what may only follow from it is
counted in a line behind it, listed on request, and marked in JSON."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."))
SWEEP = SOURCE / "tests/data/sweep"
# The file of each format's trace that is damaged, and what is opened.
TRACES = {"dumpi": ("ring-0001.bin", "ring.meta"), "otf": ("ring.1.events", "ring.otf"), "picl": ("ring.picl", "ring.picl"),
          "charisma": ("ring.ctrace", "ring.ctrace"), "ovni": ("stream.obs", "")}
PROBLEM = re.compile(r"(?m)^(?:notice|data-loss|error): .*\[([\w.-]+)\]$")
BEHIND = re.compile(r"(?m)^(\d+) more findings? may follow from what is above \(--all lists (?:it|them)\):\n  (.*)$")


class Consequences(FolderTest):
    def check(self, trace, *options):
        return subprocess.run([programs.QUIPU, "check", *options, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              text=True)

    def damaged(self, name, damage):
        """The trace of a format whose damaged file has other bytes."""
        file, opened = TRACES[name]
        folder = pathlib.Path(self.path(name))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SWEEP / name, folder)
        path = folder / file
        path.chmod(0o644)
        path.write_bytes(damage(path.read_bytes()))
        return str(folder / opened)

    def problems(self, name, damage):
        """The rules that are shown, beside those that the trace breaks as it is, when damage is found; else nothing."""
        done = self.check(self.damaged(name, damage))
        if done.returncode not in (1, 3):
            return []
        return PROBLEM.findall(done.stdout)

    def offsets(self, name, count):
        size = (SWEEP / name / TRACES[name][0]).stat().st_size
        return sorted({size * i // count for i in range(1, count)})

    def one_problem(self, overwrite):
        """overwrite(data, offset) is data with damage in one place."""
        for name in TRACES:
            found = 0
            for at in self.offsets(name, 40):
                shown = self.problems(name, lambda data, at=at: overwrite(data, at))
                self.assertLessEqual(len(shown), 1, (name, at, shown))
                found += len(shown)
            self.assertGreater(found, 4, name)

    def test_consequences_a_file_that_breaks_off_is_one_problem(self):
        self.one_problem(lambda data, at: data[:at])

    def test_consequences_overwritten_bytes_are_one_problem(self):
        self.one_problem(lambda data, at: data[:at] + b"\xff" * 16 + data[at + 16:])

    def test_consequences_bytes_of_zero_are_one_problem(self):
        self.one_problem(lambda data, at: data[:at] + bytes(16) + data[at + 16:])

    def test_consequences_are_counted_listed_on_request_and_marked(self):
        for name in TRACES:
            size = (SWEEP / name / TRACES[name][0]).stat().st_size
            for share in range(20, 80, 5):
                trace = self.damaged(name, lambda data, share=share: data[:size * share // 100 + 1])
                shown, listed = self.check(trace).stdout, self.check(trace, "--all").stdout
                if not shown:
                    continue  # a file of so few records that its machine cannot be told
                found = json.loads(self.check(trace, "--json").stdout)["findings"]
                follow = [finding["rule"] for finding in found if finding["consequence"]]
                behind = BEHIND.search(shown)
                self.assertEqual(int(behind.group(1)) if behind else 0, len(follow), (name, share))
                counts = [f"{rule} ({follow.count(rule)})" for rule in follow]
                self.assertEqual(set(re.findall(r"\S+ \(\d+\)", behind.group(2)) if behind else []), set(counts), (name, share))
                self.assertEqual(len(re.findall(r"(?m)^(?:info|remark|notice|data-loss|error): ", listed)), len(found), (name, share))

    def test_consequences_without_damage_are_problems(self):
        """What is not received is a problem of its own in a trace of which nothing is lost."""
        lines = [line for line in (SWEEP / "otf/ring.1.events").read_bytes().split(b"\n") if not line.startswith(b"S")]
        shown = self.check(self.damaged("otf", lambda data: b"\n".join(lines))).stdout
        self.assertEqual(PROBLEM.findall(shown), ["model.receive-only"])
        self.assertIsNone(BEHIND.search(shown))

    def test_consequences_rules_that_depend_on_others_exist(self):
        done = subprocess.run([programs.QUIPU, "help", "rules"], stdout=subprocess.PIPE, check=True, text=True)
        for name in TRACES:
            text = (SOURCE / "src/formats" / name / "format.c").read_text(encoding="ascii")
            lists = re.findall(r"\.(?:dependent|replaced)_rules =\s*((?:\"[^\"]*\"\s*)+),", text)
            self.assertTrue(lists, name)
            for rule in " ".join(re.findall(r'"([^"]*)"', " ".join(lists))).split():
                self.assertRegex(done.stdout, rf"(?m)^\s*{re.escape(rule)}(\s|$)", name)

    def test_consequences_a_picl_trace_with_zeros_is_read(self):
        trace = self.damaged("picl", lambda data: data[:500] + bytes(16) + data[516:])
        done = self.check(trace)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn("[E11]", done.stdout)
        records = int(re.search(r"(\d+) records", done.stdout).group(1))
        self.assertEqual(records, sum(b"\0" not in line for line in pathlib.Path(trace).read_bytes().splitlines()))

    def test_consequences_zeros_in_an_otf_record_are_a_loss(self):
        trace = self.damaged("otf", lambda data: data[:47] + bytes(16) + data[63:])
        done = self.check(trace)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(PROBLEM.findall(done.stdout), ["otf.bad-line"])


if __name__ == "__main__":
    unittest.main()
