"""convert -o x.sqlite: a database of SQLite that says what the tables of the trace say."""
import json
import os
import resource
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "cli"))
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.abspath(os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu"))
DATA = os.path.abspath(os.path.join(SOURCE, "tests", "data"))
TRACES = [os.path.join(DATA, name) for name in ("where/w.otf", "otf/small.otf", "sweep/dumpi/ring.meta", "sweep/picl/ring.picl", "sweep/ovni", "sweep/charisma/ring.ctrace",
                                                "analysis/stencil-2d-3x5")]
TABLES = ("events", "calls", "messages", "collectives", "io", "counters", "states", "tasks", "waits_instances", "marks", "locations", "regions", "groups", "communicators",
          "files", "metrics", "channels")


def run(*arguments):
    done = subprocess.run([QUIPU, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def comparable(value):
    """Attributes are JSON, and numbers beyond 63 bits texts, with all their digits."""
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, int) and value > 2 ** 63 - 1:
        return str(value)
    return float(value) if isinstance(value, int) and abs(value) < 2 ** 53 else value


class Database(FolderTest):
    def convert(self, trace):
        path = self.path("x.sqlite")
        code, _, said = run("convert", trace, "-o", path, "--force", "--quiet")
        self.assertIn(code, (0, 3), said)
        connection = sqlite3.connect(path)
        self.addCleanup(connection.close)
        return connection

    def test_database_says_what_tables_say(self):
        rows = 0
        for trace in TRACES:
            connection = self.convert(trace)
            for table in TABLES:
                found = sorted(repr([comparable(value) for value in row]) for row in connection.execute(f"SELECT * FROM {table}"))
                lines = run("table", table, trace, "--json", "--quiet")[1].splitlines()
                expected = sorted(repr([comparable(value) for value in json.loads(line).values()]) for line in lines)
                self.assertEqual(expected, found, f"{table} of {trace}")
                rows += len(found)
        self.assertGreater(rows, 800)

    def test_database_is_whole_and_its_keys_hold(self):
        for trace in TRACES:
            connection = self.convert(trace)
            self.assertEqual([("ok",)], connection.execute("PRAGMA integrity_check").fetchall())
            self.assertEqual([], connection.execute("PRAGMA foreign_key_check").fetchall(), trace)
        self.assertIn(("locations", "sender_number"), [(row[2], row[3]) for row in connection.execute("PRAGMA foreign_key_list(messages)")])
        plan = connection.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM slice WHERE ts BETWEEN 10 AND 20").fetchall()
        self.assertIn("calls_begin_ns", str(plan))
        self.assertEqual(connection.execute("SELECT count(*) FROM messages").fetchall(), connection.execute("SELECT count(slice_in) FROM flow").fetchall())

    def test_database_appears_whole_or_not_at_all(self):
        path = self.path("x.sqlite")
        with open(path, "w", encoding="ascii") as file:
            file.write("older")
        code, _, said = run("convert", TRACES[0], "-o", path)
        self.assertNotEqual(0, code)
        self.assertIn("--force", said)
        with open(path, encoding="ascii") as file:
            self.assertEqual("older", file.read())
        self.assertEqual(0, run("convert", TRACES[0], "-o", path, "--force")[0])
        self.assertEqual(["x.sqlite"], os.listdir(self.folder))

    def test_database_that_cannot_be_written_is_a_failure_of_the_output(self):
        for limit in (0, 4096, 40000):
            set_limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            done = subprocess.run([QUIPU, "convert", TRACES[0], "-o", self.path("x.sqlite")], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                  preexec_fn=set_limit)
            self.assertEqual(5, done.returncode, done.stderr)
            self.assertIn(b"x.sqlite: cannot be written", done.stderr)
            self.assertEqual([], os.listdir(self.folder))

    def test_database_refuses_what_means_nothing_to_it(self):
        for command, arguments, said in (("convert", ["--since", "1us"], "cut the trace first"), ("convert", ["--set", "a=b"], "sqlite has no option"), ("convert", ["--no-attributes"], "has all of a trace"),
                                         ("convert", ["--compress", "3"], "no compression"), ("convert", ["--streams", "2"], "fixed number of streams"), ("convert", ["--with", "waits"], "no drawing"),
                                         ("cut", ["--since", "1us"], "only convert writes it"), ("merge", [TRACES[1]], "only convert writes it"), ("repair", [], "name for a trace in sqlite")):
            code, _, text = run(command, TRACES[0], *arguments, "-o", self.path("y.sqlite"))
            self.assertEqual(2, code, text)
            self.assertIn(said, text)
        code, _, text = run("convert", TRACES[0], "--to", "sqlite", "-o", "-")
        self.assertEqual(2, code)
        self.assertIn("a database must be a file", text)
        self.assertEqual([], os.listdir(self.folder))

    def test_database_has_a_report_of_what_became_of_the_records(self):
        charisma = next(trace for trace in TRACES if trace.endswith(".ctrace"))
        report = self.path("report.json")
        self.assertEqual(0, run("convert", charisma, "--to", "sqlite", "-o", self.path("x"), "--report", report)[0])
        with open(report, encoding="ascii") as file:
            written = json.load(file)
        self.assertEqual(written, json.loads(run("convert", charisma, "--to", "sqlite", "--explain", "--json")[1]))
        with sqlite3.connect(self.path("x")) as connection:
            self.assertEqual(28, written["totals"]["total"])
            self.assertEqual([(18, )], connection.execute("SELECT count(*) FROM events WHERE kind = 'io_begin'").fetchall())
        self.assertEqual(18, written["totals"]["approximated"])
        code, _, said = run("convert", charisma, "--to", "sqlite", "-o", self.path("y"), "--fail-on-loss")
        self.assertEqual(1, code, said)
        self.assertIn("18 records would be approximated or dropped", said)
        code, _, said = run("convert", TRACES[0], "--to", "sqlite", "-o", self.path("y"), "--dry-run")
        self.assertEqual((0, True), (code, "would write" in said and "45 records, lossless" in said), said)
        self.assertFalse(os.path.exists(self.path("y")))


if __name__ == "__main__":
    unittest.main()
