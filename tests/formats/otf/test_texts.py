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


if __name__ == "__main__":
    unittest.main()
