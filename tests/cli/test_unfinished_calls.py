"""Traces that end in the middle, at the end of a record: nothing in them is damaged, so the exit code is that of a sound trace, and every
analysis of calls says how many of them have no end, and that they count until the last event."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest
from test_damaged_answers import commands

SWEEP = pathlib.Path(os.environ.get("QUIPU_SOURCE", ".")) / "tests/data/sweep"

# Entry, the file that is cut, where its records end (a byte, or a length), and which cuts are made.
TRACES = {"otf": ("ring.otf", "ring.1.events", b"\n", slice(3, None, 9)), "picl": ("ring.picl", "ring.picl", b"\n", slice(8, None, 9)),
          "ovni": (".", "stream.obs", 4, slice(None, None, 4))}
NO_CALLS = {"state", "io", "tasks"}
NOTE = re.compile(r"(\d+) calls? at (\d+) locations? (?:has|have) no end: counted until the last event there")


def run(*words):
    done = subprocess.run([programs.QUIPU, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def noted(text):
    found = NOTE.search(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def still_open(trace):
    """Calls and locations that check finds, and whether data is lost."""
    found = json.loads(run("check", "--json", "--all", trace)[1])["findings"]
    counts = [int(re.search(r"(\d+) regions?$", finding["found"])[1]) for finding in found if finding["rule"] == "model.enter-only"]
    return (sum(counts), len(counts)), any(finding["severity"] == "data-loss" for finding in found)


def ends(data, record):
    return range(record * 2, len(data), record) if isinstance(record, int) else [i + 1 for i, byte in enumerate(data) if byte == record[0]]


class UnfinishedCalls(FolderTest):
    def cut_traces(self):
        for name, (entry, cut_name, record, chosen) in TRACES.items():
            whole = (SWEEP / name / cut_name).read_bytes()
            for end in list(ends(whole, record))[chosen]:
                folder = pathlib.Path(self.path(f"{name}-{end}"))
                shutil.copytree(SWEEP / name, folder)
                (folder / cut_name).write_bytes(whole[:end])
                expected, is_lost = still_open(folder / entry)
                if not is_lost and expected[0] > 0:
                    yield folder / entry, expected

    def test_unfinished_calls_are_said_by_each_analysis_of_calls(self):
        count = 0
        for trace, expected in self.cut_traces():
            for command in commands():
                code, _, said = run(command[0], trace, *command[1:])
                if command[0] in NO_CALLS or code != 0:
                    continue
                self.assertEqual(noted(said), expected, (trace, command, said))
                count += 1
        self.assertGreater(count, 300)

    def test_unfinished_calls_are_the_same_with_threads_and_with_an_index(self):
        for trace, expected in list(self.cut_traces())[::3]:
            index = self.path("t.qpx")
            self.assertEqual(run("index", "--force", "--count", 5, "-o", index, trace)[0], 0, trace)
            for words in (("--threads", 2), ("--with-index", index), ("--by", "path"), ("--tree",)):
                self.assertEqual(noted(run("profile", trace, *words)[2]), expected, (trace, words))
            for name in ("calls", "waits", "imbalance"):
                self.assertEqual(noted(run(name, trace, "--threads", 2)[2]), expected, (trace, name))

    def test_unfinished_calls_that_a_selection_cuts_off_are_no_news(self):
        trace = programs.write(self.path("t.otf"), [[programs.enter(0, "main"), programs.enter(10, "work"), programs.leave(20, "work"),
                                                     programs.leave(40, "main")]])
        for name in ("profile", "calls"):
            for words in ((), ("--until", "15"), ("--since", "5"), ("--where", "kind == enter")):
                self.assertNotIn("no end", run(name, trace, *words)[2], (name, words))

    def test_unfinished_calls_of_a_location_are_those_that_are_selected(self):
        trace = programs.write(self.path("t.otf"), [[programs.enter(0, "main"), programs.enter(10, "work")], [programs.enter(0, "main")]])
        for name, words, expected in (("profile", (), (3, 2)), ("profile", ("--location", "rank 1"), (1, 1)), ("calls", ("--region", "main"), (2, 2)),
                                      ("calls", ("--region", "work"), (1, 1)), ("profile", ("-q",), (0, 0))):
            code, _, said = run(name, trace, *words)
            self.assertEqual((code, noted(said)), (0, expected), (name, words))

    def test_unfinished_calls_are_told_beside_unmatched_messages_of_each_of_two_traces(self):
        trace = programs.write(self.path("t.otf"), [[programs.enter(0, "main"), *programs.send(10, 11, 1)], [programs.enter(0, "main")]])
        said = run("diff", trace, trace)[2]
        self.assertRegex(said, r"a: 2 calls at 2 locations have no end: .*; left out: 1 sends .*; b: 2 calls at 2 locations .*; left out: 1 sends")
        self.assertIn("1 sends and 0 receives without partner, 0 incomplete collective operations; 0 senders assumed; 2 calls at 2 locations have no end",
                      run("waits", trace)[2])

    def test_unfinished_operations_on_files_are_said(self):
        """A request counts where it begins; its time is not known without its end."""
        trace = programs.write(self.path("t.otf"), [[(0, "FA1"), (5, "FF7MI1H1OP2B10"), (10, "FA2"), (20, "FA3")]])
        with open(self.path("t.0.def"), "a", encoding="ascii") as file:
            file.write('DFL7NM"data"\n')
        self.assertIn("2 operations on files have no end: their time is not counted", run("io", trace)[2])
        self.assertNotIn("no end", run("io", trace, "--until", "7")[2])


if __name__ == "__main__":
    unittest.main()
