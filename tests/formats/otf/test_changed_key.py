"""A keyword stands in records.def alone: with another one there (changed/change_rows.py), and fields in another order, the
complete decoder, the fast path to events, records, copying, searching, the writer and the drop-in library all follow."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "cli"))

from folder import FolderTest

CANONICAL, CHANGED = BUILD / "quipu", BUILD / "tests" / "quipu_changed"
CLIENT = BUILD / "tests" / "every_record_changed"

SEND, CHANGED_SEND = "S{receiver:x}L{length:x}T{tag:x}C{group:x}", "S{receiver:x}W{tag:x}Q{length:x}DC{group:x}"
LONG_SEND = "SEND {receiver:x} LEN {length:x} TAG {tag:x} COMM {group:x}"
CHANGED_LONG_SEND = "SEND {receiver:x} WTAG {tag:x} QLEN {length:x} DCOMM {group:x}"
BLANK_SEND = "S{receiver:x}L {length:x}T{tag:x}C{group:x}"
CHANGED_BLANK_SEND = "S{receiver:x}W {tag:x}Q{length:x}DC{group:x}"


def run(*arguments, codes=(0,)):
    result = subprocess.run([str(argument) for argument in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=120)
    if result.returncode not in codes:
        raise AssertionError("%s ends with %d: %s" % (arguments, result.returncode, result.stderr.decode()[:500]))
    return result.stdout.decode("latin-1")


class ChangedKey(FolderTest):
    def trace(self, name, sends, whole):
        """1 and 2 send to each other; a whole operation begins at the start and ends behind everything else."""
        folder = pathlib.Path(self.path(name))
        folder.mkdir()
        (folder / "t.otf").write_text("1:1\n2:2\n")
        definitions = ['DTR3b9aca00', 'DP1NM"one"', 'DP2NM"two"', 'DPG5M1,2,NM"world"', 'DFG1NM"group"',
                       'DF7G1NM"main"', 'DCO9NM"bcast"Y2']
        (folder / "t.0.def").write_text("\n".join(definitions) + "\n")
        for process in (1, 2):
            lines = ["1", "*%x" % process, "E7", whole + "9C5RT1S4R4Dffff"]
            for i in range(6000):
                form = sends[i % len(sends)]
                lines += ["%x" % (16 + i), "*%x" % process]
                lines += [form.format(receiver=3 - process, length=i + 1, tag=i % 50, group=5),
                          "R%xL%xT%xC5" % (3 - process, i + 1, i % 50)]
            lines += ["fffff", "*%x" % process, "L7"]
            (folder / ("t.%d.events" % process)).write_text("\n".join(lines) + "\n")
        return folder / "t.otf"

    def setUp(self):
        super().setUp()
        self.canonical = self.trace("usual", (SEND, LONG_SEND, BLANK_SEND), "COP")
        self.changed = self.trace("changed", (CHANGED_SEND, CHANGED_LONG_SEND, CHANGED_BLANK_SEND), "CWH")

    def same(self, command, *options):
        """What both commands say of their own trace, which must not depend on where a line lies in its file."""
        texts = []
        for program, trace in ((CANONICAL, self.canonical), (CHANGED, self.changed)):
            texts.append(run(program, command, trace, *options))
        self.assertEqual(texts[0], texts[1])
        return texts[0]

    def test_changed_key_events_are_the_same(self):
        self.assertEqual(self.same("cat").count(" send "), 12000)
        self.same("profile")

    def test_changed_key_is_none_to_the_usual_reader(self):
        run(CANONICAL, "check", self.canonical)
        self.assertIn("otf.", run(CANONICAL, "check", self.changed, codes=(1, 3)))
        run(CHANGED, "check", self.changed)

    def test_changed_key_records_are_the_same(self):
        def values(program, trace):
            records = [json.loads(line) for line in run(program, "cat", "--records", "--json", trace).splitlines()]
            return [(record["type"], record["fields"]) for record in records]

        records = values(CHANGED, self.changed)
        self.assertEqual(sum(type == "SendMsg" for type, _ in records), 12000)
        self.assertEqual(records, values(CANONICAL, self.canonical))

    def test_changed_key_copies_have_the_same_bytes(self):
        source = self.trace("copied", (CHANGED_SEND,), "CWH")
        target = pathlib.Path(self.path("copy.otf"))
        run(CHANGED, "convert", source, "-o", target)
        for stream in (1, 2):
            copy = target.with_suffix(".%d.events" % stream).read_text()
            self.assertTrue(copy.startswith(source.with_suffix(".%d.events" % stream).read_text()))

    def test_changed_key_windows_have_ends_of_what_began_before(self):
        for since in (5000, 60000):
            text = self.same("cat", "--since", since, "--limit", 100000)
            self.assertIn("collective_end", text)

    def test_changed_key_is_what_the_writer_writes(self):
        for long_form, wanted in ((), r"\nS2W\w+Q\w+DC\w+\n"), (("--set", "long=yes"), r"\nSEND 2 WTAG \w+ QLEN \w+ DCOMM \w+"):
            target = pathlib.Path(self.path("made%d.otf" % len(long_form)))
            run(CHANGED, "convert", "--to", "otf", "--until", "20000000", *long_form, self.model_only(), "-o", target)
            self.assertRegex(target.with_suffix(".1.events").read_text(), wanted)
            self.assertNotIn("otf.", run(CHANGED, "check", target, codes=(0, 1)))

    def model_only(self):
        """The same events from a trace of another format, so that they are written from the model."""
        target = self.path("dumpi")
        os.makedirs(target, exist_ok=True)
        run(CANONICAL, "convert", "--force", "--to", "dumpi", self.trace("source%d" % len(os.listdir(self.folder)), (SEND,), "COP"),
            "-o", os.path.join(target, "d.meta"))
        return os.path.join(target, "d.meta")

    def test_changed_key_drop_in_library_writes_and_reads(self):
        for form in (0, 1):
            stub = self.path("every%d" % form)
            run(CLIENT, "write", stub, form, 0)
            text = pathlib.Path(stub + ".1.events").read_text("latin-1")
            self.assertRegex(text, r"\nSEND \w+ WTAG \w+ QLEN " if form else r"\nS\w+W\w+Q\w+DC\w+")
            calls = run(CLIENT, "read", stub)
            self.assertIn("SendMsg", calls)
            self.assertNotIn("Unknown", calls)
        self.assertEqual(run(CLIENT, "read", self.path("every0")), run(CLIENT, "read", self.path("every1")))


if __name__ == "__main__":
    unittest.main()
