"""Texts of OTF that go on behind the end of their line, which no writer writes and readers accept: a copy cannot hold them, and
its conversion report says so."""
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


def quipu(*arguments):
    return subprocess.run([str(BUILD / "quipu"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60)


class Texts(FolderTest):
    def trace(self, comment):
        stub = pathlib.Path(self.path("t"))
        stub.with_suffix(".otf").write_text("1:1\n")
        stub.with_suffix(".0.def").write_text('DCMT"%s"\nDCMT"whole"\nDTR3b9aca00\nDP1NM"one"\n' % comment)
        stub.with_suffix(".1.events").write_text('1\n*1\n#"%s"\n1\n*1\n' % comment)
        return stub.with_suffix(".otf")

    def report_of(self, command, *arguments):
        report = self.path("report.json")
        result = quipu(*command, *arguments, "--report", report, "-o", self.path("copy.otf"), "--force")
        self.assertIn(result.returncode, (0, 3), result.stderr)
        with open(report, encoding="utf-8") as file:
            return result.stderr.decode(), {row["type"]: row for row in json.load(file)["records"]}

    def test_texts_with_a_line_break_are_not_copied_without_loss(self):
        trace = self.trace("one\ntwo")
        for command in (["convert", trace], ["cut", trace, "--until", "1000"]):
            said, records = self.report_of(command)
            self.assertNotIn("lossless", said)
            for name in ("DefinitionComment", "EventComment"):
                self.assertEqual(records[name]["approximated"], 1, (command, name))
                field, = records[name]["fields"]
                self.assertEqual((field["name"], field["how"], field["count"]), ("comment", "approximated", 1))
                self.assertIn("line break", field["why"])
            self.assertEqual(records["DefinitionComment"]["exact"], 1)
            self.assertEqual(records["DefProcess"]["exact"], 1)
        self.assertEqual(quipu("convert", trace, "--fail-on-loss", "-o", self.path("no.otf")).returncode, 1)
        self.assertFalse(os.path.exists(self.path("no.otf")))

    def test_texts_of_one_line_are_copied_without_loss(self):
        said, records = self.report_of(["convert", self.trace("one two")])
        self.assertIn("lossless", said)
        self.assertEqual(records["EventComment"]["approximated"], 0)

    def attributes(self, path):
        lines = quipu("cat", "--json", "--quiet", path).stdout.decode().splitlines()
        return [event["attributes"] for event in map(json.loads, lines) if event.get("attributes")]

    def test_texts_of_key_values_are_texts_again(self):
        """OTF has byte arrays alone: the description of a key says that they are texts, there and back by way of OTF2, which has texts."""
        stub = pathlib.Path(self.path("t"))
        stub.with_suffix(".otf").write_text("1:1\n")
        stub.with_suffix(".0.def").write_text('DTR3b9aca00\nDP1NM"one"\nDFG9NM"code"\nDF1G9NM"main"\n'
                                              'DK5YbNM"word"T"what is said [text]"\nDK6YbNM"bytes"T"what is not"\n')
        stub.with_suffix(".1.events").write_text("1\n*1\nK5YbV68656c6c6fL5\nK6YbV6869L2\nE1\n2\n*1\nL1\n")
        [first] = self.attributes(stub.with_suffix(".otf"))
        self.assertEqual("hello", first["word"])
        self.assertNotEqual("hi", first["bytes"])
        done = quipu("table", "attribute_keys", stub.with_suffix(".otf"), "--csv", "--quiet").stdout.decode()
        self.assertIn("word,string,what is said\n", done)
        for source, target in (("t.otf", "there.otf2"), ("there.otf2", "back.otf")):
            self.assertEqual(0, quipu("convert", self.path(source), "-o", self.path(target), "--quiet").returncode)
        self.assertEqual("hello", self.attributes(self.path("back.otf"))[0]["word"])
        self.assertIn('NM"word"T"what is said [text]"', pathlib.Path(self.path("back.0.def")).read_text())


if __name__ == "__main__":
    unittest.main()
