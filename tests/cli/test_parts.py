"""--part and merge-states: the answer of parts put together is that of one process, and what is no answer is refused."""
import itertools
import os
import re
import subprocess
import unittest

import programs
from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
DATA = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data")
ONE_OF_EACH = ("otf/small.otf", "cli/exchange.otf", "sweep/dumpi/ring.meta", "sweep/ovni", "sweep/picl/ring.picl", "sweep/charisma/ring.ctrace",
               "sweep/paraver/ring.prv", "sweep/otf-compressed/ring.otf", "otf2/every")
COMMANDS = (("info",), ("info", "--json"), ("check", "--all"), ("profile",), ("profile", "--by", "region", "--csv"), ("profile", "--tree", "--sort", "calls", "--limit", "3"),
            ("profile", "--since", "10", "--until", "50%"), ("calls",), ("calls", "--top", "3", "--json", "--threads", "2"), ("profile", "--where", "rank == 1", "-q"))
TRACES = (".otf", ".otf2", ".meta", ".picl", ".ctrace", ".prv", "stream.json")


def run(*arguments):
    return subprocess.run([QUIPU, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL)


def traces():
    for folder, _, names in sorted(os.walk(DATA)):
        for name in sorted(names):
            if name.endswith(TRACES):
                yield os.path.join(folder, name)


class Parts(FolderTest):
    def parts(self, count, *command):
        """Writes the parts, the last one first, and returns their names."""
        names = [self.path(f"{i}.state") for i in range(1, count + 1)]
        for i in reversed(range(count)):
            part = run(*command, "--part", f"{i + 1}/{count}", "-f", "-o", names[i])
            if part.returncode == 0:
                self.assertEqual(b"", part.stdout)
        return names

    def assert_same(self, count, *command):
        alone = run(*command)
        if alone.returncode in (2, 4):  # then there are no parts
            return
        merged = run("merge-states", *reversed(self.parts(count, *command)))
        with self.subTest(command=command, count=count):
            self.assertEqual((alone.stdout, alone.stderr, alone.returncode), (merged.stdout, merged.stderr, merged.returncode))

    def test_parts_make_the_answer_of_one_process(self):
        commands = itertools.cycle(COMMANDS)
        for trace in ONE_OF_EACH:
            for count in (1, 2, 3, 7, 16):
                command = next(commands)
                self.assert_same(count, command[0], os.path.join(DATA, trace), *command[1:])

    def test_parts_make_the_answer_of_one_process_on_all_traces(self):
        for trace in traces():
            self.assert_same(2, "profile", trace)
            self.assert_same(3, "check", trace, "--json")

    def test_parts_of_a_damaged_trace_find_what_one_process_finds(self):
        for name in os.listdir(os.path.join(DATA, "otf")):
            with open(os.path.join(DATA, "otf", name), "rb") as whole, open(self.path(name), "wb") as file:
                data = whole.read()
                file.write(data[:len(data) // 2] + b"?\n" + data[len(data) // 2:] if name.endswith("events") else data)
        os.remove(self.path("small.2.events"))
        for count in (1, 2, 5):
            for command in ("info", "check", "profile", "calls"):
                self.assert_same(count, command, self.path("small.otf"))
        self.assertEqual(3, run("info", self.path("small.otf")).returncode)

    def test_parts_are_written_where_merge_states_is_told(self):
        trace, output = os.path.join(DATA, "otf/small.otf"), self.path("answer.csv")
        parts = self.parts(2, "profile", trace, "--csv")
        self.assertEqual((0, b""), (run("merge-states", *parts, "-o", output).returncode, run("merge-states", *parts, "-f", "-o", output).stdout))
        with open(output, "rb") as file:
            self.assertEqual(run("profile", trace, "--csv").stdout, file.read())
        self.assertEqual(5, run("merge-states", *parts, "-o", output).returncode)

    def test_parts_grow_with_their_share_and_not_with_the_trace(self):
        """Records that a process reads and bytes that it hands on, while streams and processes grow alike."""
        def cost(streams, *command):
            trace, state = self.path(f"s{streams}.otf"), self.path("part.state")
            programs.write(trace, [[*programs.collective("MPI_Barrier", 10, 20 + i % 7, 1)] for i in range(streams)])
            part = f"{streams // 16}/{streams // 16}"
            said = run(*command, trace, "-v", "-f", "--part", part, "-o", state).stderr.decode()
            whole = run(*command, trace, "-v").stderr.decode()
            records = [int(re.search(r"(\d+) records", text)[1]) for text in (said, whole)]
            self.assertLess(records[0], records[1])
            return records[0], os.path.getsize(state) - len(trace)

        for command in (("info",), ("profile", "--by", "location"), ("profile", "--by", "region"), ("calls", "--top", "5")):
            small, large = cost(64, *command), cost(2048, *command)
            for what, before, after in zip(("records", "bytes"), small, large):
                self.assertLess(after, 1.3 * before, (command, what))

    def refuse(self, code, text, *arguments):
        refused = run(*arguments)
        self.assertEqual((b"", code), (refused.stdout, refused.returncode))
        self.assertIn(text, refused.stderr.decode())

    def test_parts_refuse_what_is_no_part_of_one_answer(self):
        trace, other = os.path.join(DATA, "otf/small.otf"), os.path.join(DATA, "cli/exchange.otf")
        state = self.path("x.state")
        self.refuse(2, "part I of N", "info", trace, "--part", "3/2", "-o", state)
        self.refuse(2, "part I of N", "info", trace, "--part", "0/2", "-o", state)
        self.refuse(2, "part I of N", "info", trace, "--part", "1", "-o", state)
        self.refuse(2, "--part needs -o FILE", "info", trace, "--part", "1/2")
        self.refuse(2, "one trace, not 2", "info", trace, other, "--part", "1/2", "-o", state)
        self.refuse(2, "standard input", "info", "-", "--part", "1/2", "-o", state)
        self.refuse(2, "profile with these options must see all events", "profile", trace, "--counters", "--part", "1/2", "-o", state)
        self.refuse(2, "waits has no option --part", "waits", trace, "--part", "1/2", "-o", state)
        self.assertFalse(os.path.exists(state))
        parts = self.parts(2, "info", trace)
        self.refuse(2, "part 2 of 2 is missing", "merge-states", parts[0])
        self.assertEqual(0, run("info", trace, "--part", "4294967294/4294967294", "-o", state).returncode)
        self.refuse(2, "part 1 of 4294967294 is missing", "merge-states", state)
        os.remove(state)
        self.refuse(0 + 2, "both part 1", "merge-states", parts[0], self.copy(parts[0]))
        self.assertEqual(0, run("info", other, "--part", "2/2", "-o", state).returncode)
        self.refuse(2, "is a part of another answer", "merge-states", parts[0], state)
        self.refuse(4, "this is no part of an answer", "merge-states", trace)
        self.refuse(4, "No such file", "merge-states", self.path("missing"))

    def copy(self, path):
        with open(path, "rb") as file:
            return self.write(path + ".copy", file.read())

    def write(self, path, data):
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_a_part_that_says_what_no_part_says_is_refused(self):
        """A file must not choose what is overwritten, however right its checksum is."""
        state = self.parts(1, "profile", os.path.join(DATA, "cli/exchange.otf"))[0]
        with open(state, "rb") as file:
            magic, part, _, rest = file.read().split(b"\n", 3)
        command, words = rest.split(b"\0", 1)
        victim = self.write(self.path("victim"), b"precious")
        for hostile in (f"--output={victim}", "--force", f"-o{victim}", "-f", "--part=1/1", "--help\0--", "victim", "--no-such-option", ""):
            added = hostile.encode() + b"\0"
            self.write(state, b"\n".join((magic, part, str(3 + added.count(b"\0")).encode(), command + b"\0" + added + words)))
            self.refuse(4, "this is no part of an answer", "merge-states", state)
        self.write(state, b"\n".join((magic, part, b"3", b"waits\0" + words)))
        self.refuse(4, "this is no part of an answer", "merge-states", state)
        with open(victim, "rb") as file:
            self.assertEqual(b"precious", file.read())

    def test_a_pipe_is_no_part(self):
        os.mkfifo(self.path("pipe"))
        self.refuse(4, "not a regular file", "merge-states", self.path("pipe"))
        self.refuse(4, "not a regular file", "merge-states", self.path(""))

    def test_parts_of_a_trace_that_has_changed_are_refused(self):
        for name in os.listdir(os.path.join(DATA, "cli")):
            with open(os.path.join(DATA, "cli", name), "rb") as file:
                self.write(self.path(name), file.read())
        parts = self.parts(2, "info", self.path("exchange.otf"))
        with open(self.path("exchange.1.events"), "ab") as file:
            file.write(b"\n")
        self.refuse(4, "another process sees another trace", "merge-states", *parts)

    def test_parts_that_are_damaged_are_refused(self):
        parts = self.parts(2, "profile", os.path.join(DATA, "cli/exchange.otf"))
        with open(parts[1], "rb") as file:
            whole = file.read()
        begin = whole.rindex(b"exchange.otf\0") + len(b"exchange.otf\0")
        for at in range(begin, len(whole), max(1, (len(whole) - begin) // 40)):
            self.write(parts[1], whole[:at])
            self.refuse(4, "process 2", "merge-states", *parts)
            self.write(parts[1], whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1:])
            self.refuse(4, "process 2", "merge-states", *parts)


if __name__ == "__main__":
    unittest.main()
