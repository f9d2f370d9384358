"""Every analysis of a damaged trace answers with what is left, exits with 3 and says what was left out: never silently, never with nothing."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."))
FILES = re.findall(r"(?m)^QUIPU_ANALYSIS\((\w+)\)", (SOURCE / "src/analysis/analyses.def").read_text(encoding="ascii"))

# What a command needs beside the trace; those that are not here need nothing.
OPTIONS = {"state": ("--at", "10")}
# Analyses whose answers need no matching, or have rows for what has no partner: they leave no message out.
ALONE = {"messages", "profile", "calls", "state", "imbalance", "phases", "io", "timeline", "tasks"}


def commands():
    names = [name.replace("_", "-") for name in FILES]
    return [(name, *OPTIONS.get(name, ())) for name in names] + [
        ("waits", "--causes"), ("waits", "--list"), ("waits", "--overlap"),
        ("timeline", "--waits"), ("tasks", "--over", "time"), ("phases", "--iterations"), ("replay", "--network", "ideal"),
        ("efficiency", "--over", "time"), ("efficiency", "--over", "phase"),
        ("replay", "--network", "loggops", "--sensitivity")]


class DamagedAnswers(FolderTest):
    def run_quipu(self, trace, command, *options):
        return subprocess.run([programs.QUIPU, command[0], "--json", trace, *command[1:], *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, text=True)

    def rows(self, done):
        answer = json.loads(done.stdout)
        return sum(len(table["rows"]) for table in answer.get("tables", [answer]))

    def whole(self, name="t.otf"):
        """Four processes that work, send to each other and meet in loops, and read: all analyses have something to say."""
        number, program, now = 0, [[] for _ in range(4)], 0
        for step in range(8):
            number += 1
            for process, events in enumerate(program):
                events += [programs.enter(now, "work"), programs.leave(now + 20 + process, "work")]
            program[0] += programs.send(now + 20, now + 21, 1)
            program[1] += programs.receive(now + 21, now + 30, 0)
            program[2] += programs.send(now + 22, now + 23, 3)
            program[3] += programs.receive(now + 23, now + 31, 2)
            for events in program:
                events += programs.collective("MPI_Barrier", now + 40, now + 44, number)
            now += 50
        return programs.write(self.path(name), program)

    def cut(self, path, share):
        size = os.path.getsize(path)
        os.truncate(path, int(size * share))

    def test_damaged_times_and_last_lines_are_found_once(self):
        damages = {"ring.1.events": (b"\nd8c\n", b"\n08c\n", "otf.unsorted"), "ring.otf": (b"2:2\n", b"2:2", "otf.bad-master-line")}
        for name, (old, new, rule) in damages.items():
            folder = self.path(name + ".d")
            shutil.copytree(SOURCE / "tests/data/sweep/otf", folder)
            path = pathlib.Path(folder) / name
            self.assertIn(old, path.read_bytes())
            path.write_bytes(path.read_bytes().replace(old, new))
            done = subprocess.run([programs.QUIPU, "check", "--json", os.path.join(folder, "ring.otf")], stdout=subprocess.PIPE, check=False)
            found = [finding["rule"] for finding in json.loads(done.stdout)["findings"] if finding["severity"] in ("error", "data-loss")]
            self.assertEqual(found.count(rule), 1)
            self.assertEqual([other for other in found if other in ("model.time-back", "otf.unfinished-line")], [])

    def answers(self, trace, names=()):
        """Each command's answer about a damaged trace: 3, rows, and a word about what was damaged."""
        for command in commands():
            done = self.run_quipu(trace, command)
            self.assertEqual(done.returncode, 3, (command, done.stderr))
            if command[0] not in ("io", "phases", "tasks") and "phase" not in command:
                self.assertGreater(self.rows(done), 0, command)
            for name in names:
                self.assertIn(name, done.stderr, command)
            yield command, done

    def test_damaged_a_rank_that_breaks_off(self):
        trace = self.whole()
        self.cut(self.path("t.2.events"), 0.501)
        for command, done in self.answers(trace, ["t.2.events"]):
            if command[0] not in ALONE:
                self.assertIn("left out", done.stderr, command)

    def test_damaged_a_rank_that_is_not_there(self):
        trace = self.whole()
        os.unlink(self.path("t.2.events"))
        for command, done in self.answers(trace, ["t.2.events"]):
            if command[0] not in ALONE:
                self.assertRegex(done.stderr, r"left out: 8 sends and 0 receives without partner, \d+ incomplete", command)

    def test_damaged_copies_are_of_as_many_ranks(self):
        """A copy of a DUMPI trace whose last rank has no file has one without calls, as it has for any other rank: what that rank took part in stays incomplete."""
        for name in ("ring.meta", "ring-0000.bin"):
            shutil.copy(SOURCE / "tests/data/sweep/dumpi" / name, self.path(name))
        copy = self.path("copy.meta")
        self.assertEqual(3, subprocess.run([programs.QUIPU, "convert", self.path("ring.meta"), "-o", copy], check=False, capture_output=True).returncode)
        self.assertIn("numprocs=2\n", pathlib.Path(copy).read_text(encoding="ascii"))
        answers = [subprocess.run([programs.QUIPU, "messages", trace, "--table", "matching", "-q"], check=False, capture_output=True) for trace in (copy, self.path("ring.meta"))]
        self.assertEqual(answers[1].stdout, answers[0].stdout)

    def test_damaged_lines_that_cannot_be_read(self):
        trace = self.whole()
        with open(self.path("t.3.events"), "r+", encoding="ascii") as file:
            text = file.read()
            file.seek(0)
            file.write(text.replace("L2\n", "Lg\n", 1))
        for _ in self.answers(trace, ["t.3.events"]):
            pass

    def test_damaged_nothing_is_left(self):
        """All events are gone: the answer says so. A state at a time that the trace does not have is asked for wrongly."""
        trace = self.whole()
        for rank in range(4):
            os.unlink(self.path(f"t.{rank + 1}.events"))
        for command in commands():
            done = self.run_quipu(trace, command)
            self.assertIn(done.returncode, (2,) if command[0] == "state" else (3,), (command, done.stderr))
            self.assertIn("t.1.events", done.stderr, command)

    def test_damaged_traces_of_the_formats(self):
        """Of each trace of messages: every file of a rank cut, and removed."""
        traces = [("tests/data/sweep/dumpi", "ring.meta", "ring-0001.bin"), ("tests/data/sweep/otf-compressed", "ring.otf", "ring.2.events.z")]
        if self.run_quipu(SOURCE / "tests/data/otf2/every", ("profile",)).returncode == 0:  # built with libotf2
            traces.append(("tests/data/otf2/every", "traces.otf2", "traces/2.evt"))
        for folder, entry, damaged in traces:
            for change in ("cut", "remove"):
                copy = self.path(change + entry)
                shutil.copytree(SOURCE / folder, copy)
                path = os.path.join(copy, damaged)
                if change == "cut":
                    self.cut(path, 0.6)
                else:
                    os.unlink(path)
                for command in commands():
                    done = self.run_quipu(os.path.join(copy, entry), command)
                    self.assertEqual(done.returncode, 3, (copy, command, done.stderr))
                    self.assertIn("quipu:", done.stderr, (copy, command))
                    self.assertTrue(done.stdout, (copy, command))

    def test_damaged_messages_without_partner_are_an_answer_with_a_sentence(self):
        """The trace is sound, so the code is 0."""
        trace = programs.write(self.path("t.otf"), [programs.send(10, 11, 1, tag=5), programs.receive(10, 11, 0, tag=6)])
        for command in commands():
            done = self.run_quipu(trace, command)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            if command[0] not in ALONE:
                self.assertIn("left out: 1 sends and 1 receives without partner", done.stderr, command)

    def test_damaged_random_programs_keep_the_sums(self):
        """Cut anywhere: what is matched and what is left out are what there is."""
        for seed in range(8):
            numbers = random.Random(seed)
            trace = programs.write(self.path("t.otf"), programs.random_program(numbers, 4, 60))
            self.cut(self.path(f"t.{numbers.randint(1, 4)}.events"), numbers.random())
            done = self.run_quipu(trace, ("waits",))
            self.assertIn(done.returncode, (0, 3), (seed, done.stderr))
            found = {table["table"]: table for table in json.loads(done.stdout)["tables"]}["matching"]
            row = dict(zip([column["name"] for column in found["columns"]], found["rows"][0]))
            self.assertEqual(row["matched"] + row["unmatched_sends"], row["sends"], seed)
            self.assertEqual(row["matched"] + row["unmatched_receives"], row["receives"], seed)
            left = row["unmatched_sends"] + row["unmatched_receives"] + row["incomplete"]
            self.assertEqual("left out" in done.stderr, left > 0, (seed, done.stderr))


if __name__ == "__main__":
    unittest.main()
