"""What is common to commands: tables in files, limits of nothing, words that are no command, trying without writing."""
import csv
import json
import os
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
EXCHANGE = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
PHASES = os.path.join(SOURCE, "examples/traces/phases")


def run(*arguments):
    return subprocess.run([QUIPU, *arguments], capture_output=True, text=True, check=False)


class Show(FolderTest):
    def test_show_writes_each_table_to_a_file_of_its_own(self):
        tables = json.loads(run("comm", "--json", PHASES).stdout)["tables"]
        folder = self.path("tables/")
        self.assertEqual(run("comm", "--csv", "-o", folder, PHASES).returncode, 0)
        self.assertEqual(sorted(os.listdir(folder)), sorted(table["table"] + ".csv" for table in tables))
        for table in tables:
            with open(os.path.join(folder, table["table"] + ".csv"), newline="", encoding="utf-8") as file:
                text = file.read()
            self.assertNotIn("\r", text)
            rows = list(csv.reader(text.splitlines()))
            self.assertEqual(rows[0], [column["name"] for column in table["columns"]])
            self.assertEqual(len(rows), 1 + len(table["rows"]))
        again = run("comm", "--csv", "-o", folder, PHASES)
        self.assertEqual(again.returncode, 5)
        self.assertIn("already exists", again.stderr)
        self.assertEqual(run("comm", "--csv", "--force", "-o", folder, PHASES).returncode, 0)

    def test_show_of_nothing_shows_nothing(self):
        self.assertEqual(run("cat", "-n", "0", EXCHANGE).stdout, "")
        self.assertEqual(json.loads(run("profile", "-n", "0", "--json", EXCHANGE).stdout)["rows"], [])
        self.assertEqual(len(run("profile", "-n", "0", "--csv", EXCHANGE).stdout.splitlines()), 1)
        self.assertEqual(json.loads(run("definitions", "-n", "0", "--json", EXCHANGE, "regions").stdout)["rows"], [])

    def test_words_that_are_no_command_are_told_so(self):
        for word, line in (("--frobnicate", "quipu: unknown option --frobnicate in front of a command"),
                           ("-x", "quipu: unknown option -x in front of a command"),
                           ("xyzzy", 'quipu: "xyzzy" is neither a command nor a file'),
                           ("proflie", 'quipu: "proflie" is neither a command nor a file; did you mean "quipu profile"?')):
            done = run(word)
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (2, line))
        self.assertEqual(run("--json", EXCHANGE).stdout, run("info", "--json", EXCHANGE).stdout)
        done = run("-v", "profile", EXCHANGE)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", 'quipu: options follow the command: "quipu profile -v ..."\n'))

    def test_dry_run_reports_and_writes_nothing(self):
        target = ["--to", "picl", "-o", self.path("out")]
        dry = run("convert", PHASES, *target, "--dry-run")
        self.assertEqual((dry.returncode, os.listdir(self.folder)), (0, []))
        wet = run("convert", PHASES, *target)
        self.assertEqual(dry.stderr.replace("would write", "wrote"), wet.stderr)
        self.assertRegex(wet.stderr, r"(?m)^quipu:   \w+: \d+ approximated, \d+ dropped$")

    def test_explain_is_about_the_records_of_the_trace(self):
        explained = json.loads(run("convert", PHASES, "--to", "picl", "--explain", "--json").stdout)
        types = {}
        for line in run("cat", "--records", "--json", PHASES).stdout.splitlines():
            record = json.loads(line)["type"]
            types[record] = types.get(record, 0) + 1
        self.assertEqual({row["type"]: row["total"] for row in explained["records"]}, types)


if __name__ == "__main__":
    unittest.main()
