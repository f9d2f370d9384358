"""No empty answer and no ignored option goes unmentioned: what was asked for, what there is, and the exit code."""
import os
import re
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.abspath(os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu"))
SOURCE = os.path.abspath(os.environ.get("QUIPU_SOURCE", "."))
TRACE = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
DUMPI = os.path.join(SOURCE, "tests/data/sweep/dumpi/ring.meta")
BOUNDS = r"events from 10 to 100 ticks \(0\.000010000s to 0\.000100000s\)"

FINE, USAGE, UNREADABLE = 0, 2, 4

# Arguments; exit code; the first line on standard error. The events of exchange.otf are from 10 to 100 microseconds.
WINDOWS = [
    (["cat", "--since", "101"], FINE, "nothing selected; the trace has " + BOUNDS),
    (["cat", "--until", "10"], FINE, "nothing selected; the trace has " + BOUNDS),
    (["cat", "--kind", "metric"], FINE, "nothing selected; the trace has " + BOUNDS),
    (["cat", "--since", "100", "--json"], FINE, None),
    (["cat", "--since", "101", "--quiet"], FINE, None),
    (["cat", "--limit", "0", "--since", "20"], FINE, None),
    (["profile", "--since", "1s"], FINE, "no calls to show; the trace has " + BOUNDS),
    (["convert", "--since", "1s", "-o", "OUT.json"], FINE, "wrote .*OUT.json .chrome.: 0 events selected from .* records, "),
    (["cut", "--since", "1s", "-o", "OUT.otf"], FINE, "wrote .*OUT.otf .OTF.: 0 events selected from .* records, lossless"),
    (["cut", "--since", "1s", "-o", "OUT.json"], FINE, "wrote .*OUT.json .chrome.: 0 events selected from .* records, "),
    (["cat", "--since", "20", "--until", "10"], USAGE, "--since 20 is not before --until 10"),
    (["cat", "--since", "20us", "--until", "20"], USAGE, "--since 20us is not before --until 20"),
    (["profile", "--since", "1s", "--until", "0.5s"], USAGE, "--since 1s is not before --until 0.5s"),
    (["convert", "--since", "30", "--until", "29", "-o", "OUT.json"], USAGE, "--since 30 is not before --until 29"),
    (["cut", "--since", "30", "--until", "29", "-o", "OUT.otf"], USAGE, "--since 30 is not before --until 29"),
    (["state", "--at", "102"], USAGE, "--at 102 is after the end of .*, which has " + BOUNDS),
    (["state", "--at", "1s"], USAGE, "--at 1s is after the end of .*, which has " + BOUNDS),
    (["waits", "--since", "1s"], FINE, "nothing selected: --since 1s is after the end; the trace has " + BOUNDS),
    (["efficiency", "--since", "102", "--until", "1s"], FINE, "nothing selected: --since 102 is after the end; the trace has " + BOUNDS),
    (["efficiency", "--since", "20", "--until", "1s"], FINE, None),
    (["efficiency", "--roi", "nope"], USAGE, 'the trace has no region "nope"'),
    (["profile", "--within", "nope"], USAGE, 'the trace has no region "nope"'),
    (["cat", "--region", "nope"], USAGE, 'the trace has no region "nope"'),
    (["replay", "--region", "nope=2"], USAGE, 'the trace has no region "nope"'),
    (["cat", "--location", "nope"], USAGE, '.*no location "nope"'),
    (["state", "--at", "35"], FINE, None),
    (["state", "--at", "101"], FINE, "nothing is active at this time; the trace has " + BOUNDS),
    (["state", "--at", "10"], FINE, "nothing is active at this time; the trace has " + BOUNDS),
    (["cat", "--kind", ""], USAGE, "--kind needs LIST, not an empty text"),
    (["cat", "--kind", ","], USAGE, "--kind needs a name between its commas"),
    (["cat", "--location", ""], USAGE, "--location needs LIST"),
    (["cat", "--since", ""], USAGE, "--since needs TIME"),
    (["cat", "--since", "us"], USAGE, "--since needs a time"),
    (["convert", "--output", ""], USAGE, "--output needs FILE"),
]

IGNORED = [
    (["convert", "--to", "otf", "-o", "-"], "otf consists of several files"),
    (["convert", "--to", "dumpi", "-o", "-"], "dumpi consists of several files"),
    (["merge", "-o", "-"], "otf consists of several files"),
    (["cut", "-o", "-"], "otf consists of several files"),
    (["repair", "-o", "-"], "otf consists of several files"),
    (["snapshot", "-o", "-"], "otf consists of several files"),
    (["convert", "-o", "-"], 'cannot tell the output format from "-"'),
    (["convert", "-o", "OUT.json", "--set", "long=yes"], "chrome has no option \"long\""),
    (["convert", "-o", "OUT.json", "--compress", "3"], "chrome has no compression of its own"),
    (["convert", "-o", "OUT.perfetto", "--streams", "2"], "perfetto has a fixed number of streams"),
    (["convert", "-o", "OUT.meta", "--set", "long=yes"], "dumpi has no option \"long\""),
    (["convert", "-o", "OUT.meta", "--compress", "3"], "dumpi has no compression of its own"),
    (["merge", "-o", "OUT.meta", "--streams", "2"], "dumpi has a fixed number of streams"),
    (["cut", "-o", "OUT.meta", "--streams", "2"], "dumpi has a fixed number of streams"),
    (["info", "--machine", "x"], "otf has no variants to choose from"),
    (["cat", "--records", "--with-index", "x"], "--with-index is about events"),
    (["cat", "--no-index", "--with-index", "x"], "--with-index and --no-index exclude each other"),
]


class EmptyAnswers(FolderTest):
    def run_quipu(self, arguments, trace=TRACE):
        words = [word.replace("OUT", self.path("OUT")) for word in arguments]
        return subprocess.run([QUIPU, *words, trace], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              text=True, timeout=60)

    def test_empty_answers_say_what_there_is(self):
        for arguments, code, line in WINDOWS:
            result = self.run_quipu(arguments)
            self.assertEqual(result.returncode, code, (arguments, result.stderr))
            if line is None:
                self.assertEqual(result.stderr, "", arguments)
            else:
                self.assertRegex(result.stderr.splitlines()[0], "^quipu: .*" + line if code == FINE else "^quipu: " + line, arguments)
            if ": 0 events selected" in result.stderr:
                self.assertRegex(result.stderr.splitlines()[-1], "nothing selected; the trace has " + BOUNDS, arguments)
            for name in os.listdir(self.folder):
                os.unlink(self.path(name))

    def test_empty_answers_of_formats_without_times_in_front(self):
        for arguments, code, line in ((["cat", "--since", "1s"], FINE, "nothing selected; the trace has events from 0 to "),
                                      (["state", "--at", "1s"], USAGE, "--at 1s is after the end of ")):
            result = self.run_quipu(arguments, DUMPI)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(line, result.stderr)

    def test_options_that_mean_nothing_are_refused_with_advice(self):
        for arguments, line in IGNORED:
            result = self.run_quipu(arguments)
            self.assertEqual(result.returncode, USAGE, (arguments, result.stderr))
            self.assertIn("quipu: " + line, result.stderr, arguments)
            self.assertEqual((result.stdout, os.listdir(self.folder)), ("", []), arguments)
            if not line.startswith("--"):
                self.assertRegex(result.stderr, r"\n  \w|; use --to ", arguments)

    def test_index_that_is_named_must_be_one(self):
        with open(self.path("text"), "w", encoding="ascii") as file:
            file.write("no index\n")
        made = self.run_quipu(["index", "-o", self.path("good")])
        self.assertEqual(made.returncode, FINE, made.stderr)
        with open(self.path("good"), "rb") as file:
            data = file.read()
        with open(self.path("bad"), "wb") as file:
            file.write(data[:40] + b"\x00\xff" + data[42:])
        for name, line in (("text", "not an index"), ("nowhere", "no such index"), ("bad", "the index is damaged"), (".", "not an index")):
            for command in (["cat"], ["cat", "--since", "20"], ["profile"], ["cut", "-o", "OUT.otf"], ["state", "--at", "20"]):
                result = self.run_quipu([*command, "--with-index", name])
                self.assertEqual(result.returncode, UNREADABLE, (name, command, result.stderr))
                self.assertRegex(result.stderr.splitlines()[0], "^quipu: " + re.escape(name) + ": " + line, (name, command))
        result = self.run_quipu(["profile", "--with-index", "good"])
        self.assertEqual((result.returncode, result.stderr), (FINE, ""))
        other = self.run_quipu(["profile", "--with-index", "good"], DUMPI)
        self.assertEqual(other.returncode, UNREADABLE)
        self.assertIn("another state of the trace", other.stderr)


if __name__ == "__main__":
    unittest.main()
