"""The README's table of exit codes: every command on every sort of input gives the code and the line that the tables here say."""
import gzip
import os
import re
import shutil
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SOURCE = os.environ.get("QUIPU_SOURCE", ".")
RINGS = {"otf": "ring.otf", "dumpi": "ring.meta"}
FOLDERS = {"otf": "sweep/otf", "dumpi": "sweep/dumpi", "otf2": "otf2/every"}
if subprocess.run([QUIPU, "info", os.path.join(SOURCE, "tests/data/otf2/every")], capture_output=True, check=False).returncode == 0:
    RINGS["otf2"] = "traces.otf2"  # built with libotf2

FINE, NO, USAGE, DAMAGED, UNREADABLE, NOT_WRITTEN = 0, 1, 2, 3, 4, 5

# Every way of reading a trace. Those in ANSWERS have an exit code of their own for damage.
READING = {
    "info": ["info"], "info --json": ["info", "--json"], "cat": ["cat"], "cat --records": ["cat", "--records"],
    "check": ["check"], "check --json": ["check", "--json"], "profile": ["profile"], "profile --by callsite": ["profile", "--by", "callsite"],
    "profile --threads": ["profile", "--threads", "2"],
    "repair": ["repair", "-o", "OUT.SUFFIX"], "convert": ["convert", "-o", "OUT.SUFFIX"],
    "convert --to": ["convert", "--to", "perfetto", "-o", "OUT"], "convert --explain": ["convert", "--to", "chrome", "--explain"],
    "merge": ["merge", "-o", "OUT.SUFFIX"], "cut": ["cut", "-o", "OUT.SUFFIX"],
    "definitions": ["definitions"], "table": ["table", "events"],
    "state": ["state", "--at", "end"], "comm": ["comm"], "messages": ["messages"], "waits": ["waits"],
    "waits --causes": ["waits", "--causes"], "waits --overlap": ["waits", "--overlap"],
    "critical-path": ["critical-path"], "efficiency": ["efficiency"], "clock": ["clock"], "imbalance": ["imbalance"],
    "replay": ["replay"], "phases": ["phases"], "why": ["why"], "tasks": ["tasks"],
    "io": ["io"], "calls": ["calls"], "timeline": ["timeline"], "report": ["report", "-o", "OUT"],
}
# For some formats only, or never of a damaged trace.
OF_SOUND_TRACES = {"snapshot": ["snapshot", "-o", "OUT.SUFFIX"], "index": ["index", "-o", "OUT"]}
ANSWERS = {"repair": FINE, "check": None, "check --json": None}  # None: the input says which
# What does not look there: records are copied without comparing their times, definitions read no streams, and --explain only counts.
LOOKING_AWAY = {False: {"convert --explain", "definitions"}, True: {"convert --explain", "definitions", "cat --records", "convert", "merge", "cut"}}
# diff reads two, sql takes a query, view serves until it is told to end, merge-states parts: test_diff.py, test_sql.py, picture/test_view_attack.py, test_parts.py
NOT_READING = {"formats", "schema", "help", "record", "diff", "sql", "view", "merge-states"}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


# ---- Inputs of which nothing can be read: what is made, and the first line of standard error ----

NO_FORMAT = "no format recognises this"
NOT_OTF = "not an OTF trace: {} and no file of a stream exists"
NOTHING = {
    "text.otf": (lambda path: write(path, b"This is just text\nand more\n"), NOT_OTF.format("no line .* is STREAM:PROCESS,PROCESS")),
    "empty.otf": (lambda path: write(path, b""), NOT_OTF.format("the master control file is empty")),
    "noise.otf": (lambda path: write(path, bytes(range(255, 127, -1)) * 40), NOT_OTF.format("no line .* is STREAM:PROCESS,PROCESS")),
    "alone.otf": (lambda path: write(path, b"1:1\n2:2\n"), "none of the files of 2 streams exists"),
    "text.meta": (lambda path: write(path, b"This is just text\nand more\n"), NO_FORMAT),
    "empty.meta": (lambda path: write(path, b""), "the file is empty"),
    "noise.meta": (lambda path: write(path, bytes(range(255, 127, -1)) * 40), NO_FORMAT),
    "alone.meta": (lambda path: write(path, b"numprocs=2\nfileprefix=alone\n"), "none of the 2 trace files can be read"),
    "empty.bin": (lambda path: write(path, b""), "only its name looks like DUMPI"),
    "noise.bin": (lambda path: write(path, bytes(range(255, 127, -1)) * 40), NO_FORMAT),
    "plain.txt": (lambda path: write(path, b"This is just text\n"), NO_FORMAT),
    "text.otf2": (lambda path: write(path, b"This is just text\n"), "only its name looks like Open Trace Format 2"),
    "empty.otf2": (lambda path: write(path, b""), "only its name looks like Open Trace Format 2"),
    "folder.otf2": (os.mkdir, "the folder is empty"),
    "missing.otf": (lambda path: path, "no such file or directory"),
    "missing": (lambda path: path, "no such file or directory"),
    "folder": (os.mkdir, "the folder is empty"),
    "folder of text": (lambda path: (os.mkdir(path), write(os.path.join(path, "a.txt"), b"text\n")), NO_FORMAT),
    "text.txt.gz": (lambda path: write(path, gzip.compress(b"This is just text\n")), NO_FORMAT),
    "link.otf": (lambda path: os.symlink("nowhere", path), "no such file or directory"),
    "pipe": (os.mkfifo, "not a regular file"),
    "loop.otf": (lambda path: os.symlink("loop.otf", path), "Too many levels of symbolic links"),
    "pipe.otf": (os.mkfifo, "pipe"),
}


# ---- Traces of which a part can be read ----

def stream_of(folder, kind):
    """The second stream of the ring."""
    return os.path.join(folder, {"otf": "ring.2.events", "dumpi": "ring-0001.bin", "otf2": "traces/2.evt"}[kind])


def replace_stream(make):
    def change(folder, kind):
        path = stream_of(folder, kind)
        os.unlink(path)
        make(path)
    return change


def truncate(folder, kind):
    path = stream_of(folder, kind)
    os.truncate(path, os.path.getsize(path) // 2 + 1)


def damage(folder, kind):
    path = stream_of(folder, kind)
    with open(path, "r+b") as file:
        data = file.read()
        file.seek({"otf": data.find(b"L12") + 1, "dumpi": 400, "otf2": len(data) - 20}[kind])
        file.write(b"!!" if kind == "otf" else b"\xff" * (200 if kind == "dumpi" else 20))


def break_rule(folder, kind):
    """Something that contradicts itself, while nothing is lost: DUMPI's footer counts other calls."""
    if kind == "otf":
        with open(stream_of(folder, kind), "ab") as file:
            file.write(b"1\n*2\nE1\nL1\n")
        return
    with open(stream_of(folder, kind), "r+b") as file:
        data = file.read()
        at = data.index(bytes.fromhex("f007fee7")) - 4
        file.seek(at)
        file.write(b"\x11")


# name: (what is done, code of most commands, code of check, a line on standard error or, of check, in the answer)
STREAM_FILES = {
    "sound": (lambda folder, kind: None, FINE, FINE, None),
    "missing stream": (replace_stream(lambda path: None), DAMAGED, DAMAGED, "missing|no events file"),
    "dangling link": (replace_stream(lambda path: os.symlink("nowhere", path)), DAMAGED, DAMAGED, "missing|no events file"),
    "truncated stream": (truncate, DAMAGED, DAMAGED, "without a line end|no end|no footer index|truncated|breaks off"),
    "damaged stream": (damage, DAMAGED, DAMAGED, "malformed record|unknown record type|damaged bytes|no records|no known record|breaks off"),
    "broken rule": (break_rule, DAMAGED, NO, "error|repair"),
    "stream is a folder": (replace_stream(os.mkdir), UNREADABLE, UNREADABLE, "Is a directory|not a regular file"),
    "stream is a loop": (replace_stream(lambda path: os.symlink(os.path.basename(path), path)), UNREADABLE, UNREADABLE,
                         "Too many levels of symbolic links"),
    "stream is a pipe": (replace_stream(os.mkfifo), UNREADABLE, UNREADABLE, "not a regular file"),
}


class ExitCodes(FolderTest):
    def run_quipu(self, arguments, suffix, *more):
        out = self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        words = [word.replace("OUT", out + "/out").replace("SUFFIX", suffix) for word in arguments]
        return subprocess.run([QUIPU, *words, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True,
                              errors="replace", timeout=60)

    def check_errors(self, result, what):
        """What is called an error is one: no such line with exit code 0."""
        if result.returncode == FINE:
            self.assertNotRegex(result.stderr, r"(?m)^quipu: (error|data-loss):", what)

    def make_ring(self, kind):
        folder = self.path(kind)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(SOURCE, "tests/data", FOLDERS[kind]), folder)
        return folder

    def test_exit_codes_are_tested_for_every_command(self):
        help_text = subprocess.run([QUIPU, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
        commands = set(re.findall(r"(?m)^  (\w[\w-]+) {2,}\w", help_text.split("Topics of")[0]))
        self.assertEqual(commands, {arguments[0] for arguments in {**READING, **OF_SOUND_TRACES}.values()} | NOT_READING)

    def test_exit_codes_of_inputs_that_are_no_trace(self):
        for name, (make, line) in NOTHING.items():
            make(self.path(name))
            for command, arguments in {**READING, **OF_SOUND_TRACES}.items():
                result = self.run_quipu(arguments, "otf", self.path(name))
                what = (name, command, result.stderr)
                self.assertEqual(result.returncode, UNREADABLE, what)
                self.assertRegex(result.stderr.splitlines()[0], "^quipu: .*" + line, what)
                self.assertRegex(result.stderr.splitlines()[1], r"^  \S", what)
                self.assertEqual(result.stdout, "", what)
                self.assertEqual(os.listdir(self.path("out")), [], what)

    def test_exit_codes_of_streams_that_are_closed_or_full(self):
        trace = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
        for command in ("info", "cat", "profile", "check", "convert --to perfetto -o -"):
            for stream, name, code, what in ((">&-", trace, NOT_WRITTEN, "output: .*Bad file"), ("<&-", "-", UNREADABLE, "input: .*Bad file"),
                                             (">/dev/full", trace, NOT_WRITTEN, "output: .*No space"),
                                             ("</dev/null", "-", UNREADABLE, "input: the file is empty")):
                words = ["sh", "-c", f'"$0" {command} "$1" {stream}', QUIPU, name]
                done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True, timeout=60)
                self.assertEqual(done.returncode, code, (command, stream, done.stderr))
                self.assertRegex(done.stderr, rf"^quipu: standard {what}.*\n  \S.*\n$", (command, stream))

    def test_exit_codes_of_traces_that_are_read_in_part(self):
        for kind, name in RINGS.items():
            for state, (change, code, answer, line) in STREAM_FILES.items():
                if kind == "otf2" and change is break_rule:
                    continue  # its rules are about what is lost
                folder = self.make_ring(kind)
                change(folder, kind)
                for command, arguments in READING.items():
                    expected = ANSWERS.get(command, code)
                    expected = answer if expected is None else expected
                    expected = UNREADABLE if code == UNREADABLE else expected
                    result = self.run_quipu(arguments, name.split(".")[1], os.path.join(folder, name))
                    what = (kind, state, command, result.stdout[-2000:], result.stderr)
                    if code != FINE and result.returncode == FINE and command in LOOKING_AWAY[state == "broken rule"]:
                        self.check_errors(result, what)
                        continue
                    self.assertEqual(result.returncode, expected, what)
                    self.check_errors(result, what)
                    if line and command not in LOOKING_AWAY[False]:
                        self.assertRegex(result.stdout + result.stderr, line, what)
                    self.assertTrue(result.stdout or os.listdir(self.path("out")), what)  # the rest is delivered

    def test_exit_codes_of_a_stream_that_cannot_be_read_leave_the_rest(self):
        for kind, name in RINGS.items():
            folder = self.make_ring(kind)
            first = ["cat", "--location", "2" if kind == "otf2" else "0"]  # behind two parts of the machine
            whole = self.run_quipu(first, "", os.path.join(folder, name)).stdout
            for state in ("missing stream", "stream is a folder", "stream is a loop", "stream is a pipe"):
                folder = self.make_ring(kind)
                STREAM_FILES[state][0](folder, kind)
                rest = self.run_quipu(first, "", os.path.join(folder, name)).stdout
                self.assertEqual(rest.count("\n"), whole.count("\n"), (kind, state))
                self.assertGreater(rest.count("\n"), 5)

    def test_exit_codes_of_snapshots_and_indexes(self):
        for kind, codes in {"otf": {"snapshot": FINE, "index": FINE},
                            "dumpi": {"snapshot": USAGE, "index": FINE}}.items():
            folder = self.make_ring(kind)
            for command, code in codes.items():
                result = self.run_quipu(OF_SOUND_TRACES[command], kind, os.path.join(folder, RINGS[kind]))
                self.assertEqual(result.returncode, code, (kind, command, result.stderr))
                self.check_errors(result, (kind, command))

    def test_exit_codes_without_input(self):
        for arguments, code in ((["formats"], FINE), (["formats", "--json"], FINE), (["schema", "otf"], FINE), (["schema", "none"], USAGE),
                                (["help"], FINE), (["help", "none"], USAGE), (["formats", "x"], USAGE), ([], USAGE), (["none"], USAGE)):
            result = self.run_quipu(arguments, "")
            self.assertEqual(result.returncode, code, (arguments, result.stderr))
            self.assertEqual(code != FINE, result.stderr != "", arguments)


if __name__ == "__main__":
    unittest.main()
