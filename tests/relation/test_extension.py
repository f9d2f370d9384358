"""libquipu-sqlite.so in SQLite's own shell and in Python's sqlite3: the same answers as quipu sql."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "cli"))
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
DATA = os.path.abspath(os.path.join(SOURCE, "tests", "data"))
EXTENSION = os.path.join(BUILD, "libquipu-sqlite")
TRACES = [os.path.join(DATA, name) for name in ("where/w.otf", "sweep/dumpi/ring.meta", "sweep/picl/ring.picl", "sweep/ovni", "sweep/charisma/ring.ctrace",
                                                "analysis/stencil-2d-3x5")]
# Tables and queries on each, which is called t.
QUERIES = {"messages": "SELECT sender, count(*), sum(bytes) FROM t GROUP BY 1 ORDER BY 1", "events": "SELECT kind, count(*), min(time_ns) FROM t GROUP BY 1 ORDER BY 1",
           "calls": "SELECT region, count(*), sum(duration_ns) FROM t WHERE begin_ns < 100000 GROUP BY 1 ORDER BY 1", "regions": "SELECT number, name FROM t ORDER BY 1",
           "profile": "SELECT region, sum(calls) FROM t('region') GROUP BY 1 ORDER BY 1", "io": "SELECT operation, count(*) FROM t GROUP BY 1 ORDER BY 1"}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def by_quipu(trace, table, query):
    done = subprocess.run([os.path.join(BUILD, "quipu"), "sql", trace, query.replace("FROM t", f"FROM {table}"), "--json", "--quiet"], stdout=subprocess.PIPE, check=False)
    return [list(json.loads(line).values()) for line in done.stdout.splitlines()]


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "what loads the extension has no sanitizers")
class Extension(FolderTest):
    def shell(self, *lines, database=":memory:"):
        """What the shell prints as lists of JSON; and what it says."""
        done = subprocess.run(["sqlite3", "-batch", database], input="\n".join([f".load {EXTENSION}", ".mode json", *lines]), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        return [list(row.values()) for row in json.loads(done.stdout)] if done.stdout else [], done.stderr

    def test_extension_answers_in_the_shell_as_quipu_does(self):
        rows = 0
        for trace in TRACES:
            for table, query in QUERIES.items():
                with self.subTest(trace=trace, table=table):
                    found, said = self.shell(f"CREATE VIRTUAL TABLE t USING quipu({quoted(trace)}, {quoted(table)});", query + ";")
                    self.assertEqual(("", by_quipu(trace, table, query)), (said, found))
                    rows += len(found)
        self.assertGreater(rows, 60)

    def test_extension_answers_in_python(self):
        """In the system's Python: others may have been built without extensions."""
        program = f"""
import json, sqlite3
connection = sqlite3.connect(":memory:")
connection.enable_load_extension(True)
connection.load_extension({EXTENSION!r})
connection.execute("CREATE VIRTUAL TABLE m USING quipu({quoted(TRACES[0])}, messages)")
connection.execute("CREATE VIRTUAL TABLE r USING quipu({quoted(TRACES[0])}, 'regions')")
print(json.dumps([connection.execute("SELECT sender, receiver, bytes FROM m").fetchall(),
                  connection.execute("SELECT time_text(1500000), (SELECT count(*) FROM r a JOIN r b USING (number) WHERE a.number IN (0, 1))").fetchall()]))
"""
        done = subprocess.run([shutil.which("python3", path=os.defpath) or sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual("", done.stderr)
        self.assertEqual([by_quipu(TRACES[0], "messages", "SELECT sender, receiver, bytes FROM t"), [["1.50 ms", 2]]], json.loads(done.stdout))

    def test_extension_is_used_as_the_documentation_shows(self):
        """The shell finds the extension by its name, where libraries are looked for."""
        for path in os.listdir(os.path.dirname(TRACES[0])):
            shutil.copy(os.path.join(os.path.dirname(TRACES[0]), path), self.path(re.sub(r"^w\.(.*)", r"run.\1", path)))
        with open(os.path.join(SOURCE, "docs/sql.md"), encoding="utf-8") as file:
            lines = re.findall(r"^sqlite> (.*)$", file.read(), re.M)
        done = subprocess.run(["sqlite3", "-batch", "-list"], input="\n".join(lines), cwd=self.folder, env={**os.environ, "LD_LIBRARY_PATH": BUILD},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        expected = by_quipu(TRACES[0], "messages", "SELECT sender, sum(bytes) FROM t GROUP BY 1") + by_quipu(TRACES[0], "profile('region')", "SELECT region, calls FROM t")
        self.assertEqual(("", ["|".join(map(str, row)) for row in expected]), (done.stderr, done.stdout.splitlines()))

    def test_extension_tables_stay_in_a_database(self):
        self.shell(f"CREATE VIRTUAL TABLE t USING quipu({quoted(TRACES[0])}, messages);", database=self.path("x.sqlite"))
        query = "SELECT sender, bytes FROM t"
        self.assertEqual((by_quipu(TRACES[0], "messages", query), ""), self.shell(query + ";", database=self.path("x.sqlite")))

    def test_extension_says_what_is_wrong(self):
        for arguments, said in (("'nothing.otf', messages", "nothing.otf: no such file"), (f"{quoted(TRACES[0])}, mesages", 'no relation "mesages"'),
                                (f"{quoted(TRACES[0])}", "takes a trace and a table"), ("", "takes a trace and a table")):
            found, text = self.shell(f"CREATE VIRTUAL TABLE t USING quipu({arguments});")
            self.assertEqual([], found)
            self.assertIn(said, text)
        _, text = self.shell(f"CREATE VIRTUAL TABLE t USING quipu({quoted(TRACES[0])}, profile);", "SELECT * FROM t('nothing');")
        self.assertIn("expected one of", text)


if __name__ == "__main__":
    unittest.main()
