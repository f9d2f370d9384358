"""The Python package by itself, with nothing but Python: rows, errors, who owns what, interrupts, threads. The times of tests/data/where are those of its README."""
import ast
import ctypes
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

from built import BUILD, COMMAND, DATA, SANITIZED, SOURCE, TRACES, quipu

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
HOSTILE = "<img src=x onerror=alert(1)> & '; DROP TABLE events; --"


def where():
    return quipu.open(TRACES["where"])


def by_command(trace, relation):
    """The rows of a table as the command writes them."""
    done = subprocess.run([COMMAND, "table", relation, trace, "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def comparable(row):
    """Values that are JSON are texts in Arrow, and 5 is 5.0 in JSON."""
    return json.dumps({name: float(value) if isinstance(value, int) else value for name, value in row.items() if name != "attributes"}, sort_keys=True)


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def copy_of_where(self, old="", new=""):
        """The trace with other text in its definitions."""
        shutil.copytree(os.path.join(DATA, "where"), self.path("copy"))
        definitions = os.path.join(self.path("copy"), "w.0.def")
        with open(definitions, encoding="utf-8") as file:
            text = file.read()
        with open(definitions, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        return os.path.join(self.path("copy"), "w.otf")


class Rows(FolderTest):
    def test_module_rows_are_those_of_the_command(self):
        count = 0
        for path in TRACES.values():
            trace = quipu.open(path)
            for name in ("events", "calls", "messages", "io", "counters", "states", "locations", "regions", "profile", "comm_pairs"):
                rows = list(trace.table(name))
                self.assertEqual(sorted(map(comparable, by_command(path, name))), sorted(map(comparable, rows)), f"{name} of {path}")
                count += len(rows)
        self.assertGreater(count, 1000)

    def test_module_columns_have_units_and_documentation(self):
        schema = {column.name: column for column in where().messages().schema}
        self.assertEqual(("sent_ns", "i64", "ns", "when it was sent"), schema["sent_ns"])
        self.assertEqual("category", schema["sender"].type)
        self.assertEqual("bytes", schema["bytes"].unit)
        for table in quipu.tables.values():
            self.assertTrue(table.doc and all(column.doc for column in table.columns), table.name)
            self.assertIn(table.doc[1:], getattr(quipu.Trace, table.name).__doc__ if table.name not in ("events", "comm_matrix") else table.doc)

    def test_module_what_is_not_known_is_none(self):
        events = where().events("kind == marker").to_dict()
        self.assertEqual([80000], events["time_ns"])
        self.assertEqual([None], events["bytes"])
        self.assertEqual(["phase two"], events["text"])

    def test_module_columns_are_chosen_in_the_order_of_the_table(self):
        self.assertEqual({"sent_ns": [21000, 51000], "bytes": [2000000, 100]}, where().messages(columns=["bytes", "sent_ns"]).to_dict())
        self.assertEqual({"bytes": [2000000, 100]}, where().messages(columns="bytes").to_dict())

    def test_module_selects_by_times_locations_regions_and_expressions(self):
        trace = where()

        def times(**options):
            return trace.events(columns=["time_ns"], **options).to_dict()["time_ns"]

        self.assertEqual([51000, 52000, 55000], sorted(times(since="51us", until=58000)))
        self.assertEqual([30000, 31000], times(location="gamma"))
        self.assertEqual(times(location=["alpha", "gamma"]), times(location=(0, 2)))
        self.assertEqual([20000, 21000, 40000], times(region="MPI_Send"))
        self.assertEqual([21000], times(where="bytes > 1M && kind == send"))
        self.assertEqual([20000], trace.calls(region="MPI_Send").to_dict()["begin_ns"])

    def test_module_gives_options_of_analyses_in_nanoseconds(self):
        trace = where()
        state = trace.state(at="35us", location="alpha").to_dict()
        self.assertEqual(["main", "MPI_Send"], [what for what in state["what"] if what in ("main", "MPI_Send", "MPI_Recv")])
        self.assertEqual({"MPI_Recv", "MPI_Send", "MPI_Isend", "main", "solve"}, set(trace.profile(by="region").to_dict()["region"]))
        self.assertEqual(3, len(trace.timeline(bins=3, by="all").to_dict()["bin"]))
        self.assertEqual([], trace.waits(since="90us").to_dict()["pattern"])

    def test_module_sql_answers_over_several_traces(self):
        trace = quipu.open(TRACES["where"], TRACES["stencil"])
        self.assertEqual([{"n": 2}], list(trace.sql("SELECT count(*) AS n FROM messages")))
        other = len(by_command(TRACES["stencil"], "messages"))
        self.assertEqual({"a": [2], "b": [other]}, trace.sql("SELECT (SELECT count(*) FROM a.messages) a, (SELECT count(*) FROM b.messages) b").to_dict())
        self.assertEqual({"a": [1], "a:1": [2]}, trace.sql("SELECT 1 AS a, 2 AS a").to_dict())
        self.assertEqual(["i64", "f64", "text", "text"], [column.type for column in trace.sql("SELECT 1, 0.5, 'x', NULL").schema])

    def test_module_compares_traces(self):
        trace = quipu.open(os.path.join(DATA, "analysis/diff-same"))
        self.assertEqual([], list(trace.compare(os.path.join(DATA, "analysis/diff-same"))))
        slower = quipu.open(os.path.join(DATA, "analysis/diff-same"), os.path.join(DATA, "analysis/diff-slower")).compare()
        self.assertIn("run time", slower.to_dict()["what"])

    def test_module_says_what_a_trace_is(self):
        trace = where()
        self.assertEqual(("otf", 26, 10000, 100000), (trace.format, trace.info["events"], trace.info["time"]["first_ns"], trace.info["time"]["last_ns"]))
        self.assertEqual(["alpha", "beta", "gamma"], trace.definitions["locations"].to_dict()["name"])
        self.assertEqual({"locations", "regions", "communicators", "files"} - set(trace.definitions), set())

    def test_module_checks_and_converts(self):
        trace = where()
        check = trace.check()
        self.assertEqual(("warn", 45, "model.enter-only"), (check.verdict, check.records, check.findings[0]["rule"]))
        self.assertTrue(check)
        report = trace.convert(self.path("x.picl"), since="50us", decimals=7)
        self.assertGreater(report["totals"]["dropped"] + report["totals"]["exact"] + report["totals"]["approximated"], 0)
        self.assertEqual("picl", quipu.open(self.path("x.picl")).format)
        with self.assertRaises(quipu.Error) as failed:
            trace.convert(self.path("x.picl"))
        self.assertEqual("EXISTS", failed.exception.status)
        trace.convert(self.path("x.picl"), replace=True)

    @unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
    def test_module_records_a_program(self):
        with mock.patch.dict(os.environ, {"PATH": f"{BUILD}:{os.environ['PATH']}"}):
            trace = quipu.record(["cp", os.path.join(DATA, "where/README.md"), self.path("copied")], self.path("r.otf"), io=True)
        self.assertEqual(0, trace.exit_code)
        self.assertTrue(any(name.endswith("README.md") for name in trace.definitions["files"].to_dict()["name"]))
        with mock.patch.dict(os.environ, {"PATH": f"{BUILD}:{os.environ['PATH']}"}), self.assertRaises(quipu.Error) as failed:
            quipu.record(["no-such-program"], self.path("x.otf"), io=True)
        self.assertIn("standard error", str(failed.exception))
        with mock.patch.dict(os.environ, {"PATH": self.folder}), self.assertRaises(quipu.Error) as failed:
            quipu.record(["cp"], self.path("x.otf"))
        self.assertEqual("NOT_FOUND", failed.exception.status)

    def test_module_does_what_its_page_shows(self):
        """Each line; what it gives is read to its end. Recording has tests of its own."""
        for name in os.listdir(TRACES["stencil"]):
            for copy in ("run", "after"):
                shutil.copy(os.path.join(TRACES["stencil"], name), self.path(name.replace("stencil-2d-3x5", copy)))
        with open(os.path.join(SOURCE, "python/README.md"), encoding="utf-8") as file:
            block = re.search(r"```python\n(.*?)```", file.read(), re.S)[1]
        names, shown = {}, []
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with mock.patch.object(quipu, "record") as record:
                for statement in ast.parse(block).body:
                    if isinstance(statement, ast.Expr):
                        value = eval(compile(ast.Expression(statement.value), "README.md", "eval"), names)
                        shown.append(len(list(value)) if isinstance(value, quipu.Result) else 1)
                    else:
                        exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
        finally:
            os.chdir(before)
        record.assert_called_once()
        trace = quipu.open(TRACES["stencil"])
        senders = {row["sender"] for row in trace.messages()}
        self.assertEqual([len(list(trace.profile(by="region"))), len(senders)], shown[2:4])
        self.assertEqual(9, len(shown))
        self.assertTrue(os.path.exists(self.path("run.perfetto")))

    def test_module_figures_are_those_of_the_report(self):
        folder = self.path("figures")
        trace = TRACES["where"]
        subprocess.run([COMMAND, "report", trace, "-o", self.path("report.html"), "--figures", folder, "--only", "time,balance", "--quiet"], check=True)
        figures = quipu.open(trace).figures("time", "balance")
        self.assertEqual({name.split(".")[0] for name in os.listdir(folder)}, set(figures))
        for name, figure in figures.items():
            with open(os.path.join(folder, f"{name}.csv"), encoding="utf-8") as file:
                self.assertEqual(file.read(), figure.csv)
            if not figure.svg:
                self.assertIn("<table>", figure._repr_html_())
                continue
            with open(os.path.join(folder, f"{name}.svg"), encoding="utf-8") as file:
                self.assertEqual(file.read(), figure.svg)
            self.assertRegex(figure._repr_html_(), "^<svg ")
        self.assertIn("slowest", figures)
        with self.assertRaises(quipu.Error) as failed:
            quipu.open(trace).figures("tim")
        self.assertEqual("MISUSE", failed.exception.status)

    def test_module_shows_names_in_notebooks_without_believing_them(self):
        trace = quipu.open(self.copy_of_where('"main"', f'"{HOSTILE}"'))
        shown = trace.profile()._repr_html_()
        self.assertIn("&lt;img src=x onerror=alert(1)&gt; &amp;", shown)
        self.assertNotIn("<img", shown)
        self.assertEqual({"table", "caption", "thead", "tbody", "tr", "th", "td"}, set(re.findall(r"</?(\w+)", shown)))
        self.assertIn("the first 20 rows", trace.events()._repr_html_())
        self.assertNotIn("<img", trace.sql(f"SELECT '{HOSTILE.replace(chr(39), chr(39) * 2)}' AS \"<b>\"")._repr_html_())
        self.assertIn(HOSTILE, [row["region"] for row in trace.calls()] + trace.profile().to_dict()["region"])


class Processes(FolderTest):
    def processes(self, *definitions):
        for name, text in (("t.otf", "1:1\n"), ("t.0.def", "DTR3b9aca00\n" + "".join(f"{line}\n" for line in definitions)), ("t.1.events", "1\n*1\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        return quipu.open(self.path("t.otf"))._processes()

    def test_module_processes_are_ranks_or_locations_and_never_both(self):
        threads = self.processes('DP1NM"one"', 'DP2NM"thread"PT1', 'DP3NM"other"', 'DP4NM"thread"PT3')
        self.assertEqual({0: 0, 1: 0, 2: 2, 3: 2}, threads)
        mixed = self.processes('DP1NM"tool"', 'DP2NM"one"', 'DP3NM"other"', 'DP4NM"thread"PT3', 'DP5NM"helper"', 'DPG63M2,3,NM"MPI_COMM_WORLD"')
        self.assertEqual({0: 2, 1: 0, 2: 1, 3: 1, 4: 6}, mixed)


class Errors(FolderTest):
    def assert_fails(self, status, words, call):
        with self.assertRaises(quipu.Error) as failed:
            call()
        self.assertEqual(status, failed.exception.status)
        self.assertIn(words, str(failed.exception))
        return failed.exception.finding

    def test_module_errors_have_status_and_finding(self):
        finding = self.assert_fails("NOT_FOUND", "no such file", lambda: quipu.open(self.path("nothing.otf")))
        self.assertEqual((self.path("nothing.otf"), None), (finding["path"], finding["byte"]))
        self.assert_fails("UNKNOWN_FORMAT", "README.md", lambda: quipu.open(os.path.join(SOURCE, "README.md")))
        trace = where()
        self.assert_fails("NOT_FOUND", "did you mean profile?", lambda: trace.table("profil"))
        self.assert_fails("NOT_FOUND", "did you mean MPI_Send", lambda: trace.events(region="MPI_Sent"))
        self.assert_fails("MISUSE", "unknown field", lambda: trace.events("bites > 3").to_dict())
        self.assert_fails("MISUSE", "has no column", lambda: trace.events(columns=["tyme"]).to_dict())
        with self.assertRaises(ValueError):
            quipu.open(TRACES["where"], memory=-1).events().to_dict()
        self.assert_fails("MISUSE", "by", lambda: trace.profile(by="colour").to_dict())
        self.assert_fails("NOT_FOUND", "no table", lambda: trace.compare(trace, "colours").to_dict())
        self.assertRaises(TypeError, lambda: trace.profile(colour="red"))
        self.assertRaises(ValueError, lambda: trace.events(since="soon"))
        self.assertRaises(ValueError, lambda: quipu.open("-"))

    def test_module_refuses_queries_that_are_wrong_write_or_are_several(self):
        trace = where()
        for query, words in (("SELEC 1", "syntax error"), ("SELECT * FROM nowhere", "no such table"), ("", "no query"), ("SELECT 1; SELECT 2", "more than one"),
                             ("DELETE FROM events", "may not be modified"), ("CREATE TABLE t (x)", "only queries"), ("ATTACH 'x' AS y", "only queries")):
            self.assert_fails("MISUSE", words, lambda query=query: trace.sql(query).to_dict())
        self.assertEqual([{"1": 1}], list(trace.sql("SELECT 1;  ")))
        wide = "SELECT " + ", ".join(map(str, range(81)))
        self.assert_fails("LIMIT", "at most 80 columns", lambda: trace.sql(wide).to_dict())

    def test_module_gives_the_intact_rows_of_a_damaged_trace_with_a_warning(self):
        shutil.copytree(os.path.join(DATA, "sweep/dumpi"), self.path("cut"))
        stream = self.path("cut/ring-0001.bin")
        os.truncate(stream, os.path.getsize(stream) - 40)
        trace = quipu.open(self.path("cut/ring.meta"))
        for read in (lambda: trace.events().to_dict()["kind"], lambda: trace.sql("SELECT * FROM events").to_dict()["kind"], lambda: list(trace.events())):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                rows = read()
            self.assertGreater(len(rows), 10)
            self.assertEqual([quipu.Damage], [warning.category for warning in caught])
            self.assertIn("ring-0001.bin", str(caught[0].message))
        self.assertFalse(trace.check())

    def test_module_an_interrupt_ends_what_is_endless(self):
        def interrupt(number, frame):
            raise KeyboardInterrupt

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            where().sql(ENDLESS).to_dict()
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual([{"1": 1}], list(where().sql("SELECT 1")))


class ArrowStream(ctypes.Structure):
    """As in quipu/arrow.h."""


ArrowStream._fields_ = [
    ("get_schema", ctypes.c_void_p), ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.c_void_p)),
    ("get_last_error", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))), ("private_data", ctypes.c_void_p)]
ARRAY_WORDS, ARRAY_RELEASE = 10, 8

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def taken_from(capsule):
    """What a consumer does: it moves the stream out of the capsule, and leaves it released."""
    source = ArrowStream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    stream = ArrowStream()
    ctypes.pointer(stream)[0] = source
    source.release = type(source.release)()
    return stream


def open_files():
    return len(os.listdir("/proc/self/fd"))


class Ownership(FolderTest):
    def test_module_streams_outlive_all_objects_of_python(self):
        stream = taken_from(where().messages().__arrow_c_stream__())
        gc.collect()
        array = (ctypes.c_int64 * ARRAY_WORDS)()
        self.assertEqual(0, stream.get_next(stream, array))
        stream.release(stream)
        self.assertFalse(stream.release)
        self.assertEqual(2, array[0])
        release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(array[ARRAY_RELEASE])
        release(ctypes.addressof(array))
        self.assertEqual(0, array[ARRAY_RELEASE])

    def test_module_streams_that_are_not_taken_or_not_read_to_the_end_close_their_files(self):
        trace = quipu.open(TRACES["stencil"])
        before = open_files()
        for _ in range(50):
            unread = trace.events().__arrow_c_stream__()
            taken = taken_from(trace.events().__arrow_c_stream__())
            taken.release(taken)
            rows = iter(trace.events())
            next(rows)
            del unread, rows
        gc.collect()
        self.assertEqual(before, open_files())

    def test_module_a_stream_that_was_taken_is_not_read_again(self):
        capsule = where().messages().__arrow_c_stream__()
        taken = taken_from(capsule)
        with self.assertRaises(ValueError):
            quipu._quipu.next(capsule)
        taken.release(taken)
        with self.assertRaises(ValueError):
            quipu._quipu.columns("no capsule")

    def test_module_leaks_nothing_over_many_uses(self):
        def use():
            trace = where()
            list(trace.events())
            trace.sql("SELECT * FROM messages").to_dict()
            for wrong in (lambda: trace.sql("SELEC"), lambda: trace.events("bites > 3"), lambda: trace.compare(trace, "colours")):
                try:
                    wrong().to_dict()
                except quipu.Error:
                    pass
            trace.profile().__arrow_c_stream__()

        def used():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(30):
            use()
        before = used()
        for _ in range(100):
            use()
        self.assertLess(used() - before, 4 << 20)

    def test_module_threads_share_a_trace(self):
        trace = quipu.open(TRACES["stencil"])
        expected = trace.calls().to_dict(), trace.waits().to_dict()
        found = []

        def read():
            for _ in range(5):
                found.append((trace.calls().to_dict(), trace.waits().to_dict()) == expected and trace.events(location="rank 1").to_dict() is not None)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([True] * 40, found)

    def test_module_lets_other_threads_run_while_it_reads(self):
        steps = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT sum(i) AS s FROM n"
        answer = []
        reading = threading.Thread(target=lambda: answer.append(list(where().sql(steps))))
        reading.start()
        rounds = 0
        while reading.is_alive():
            rounds += 1
            time.sleep(0.001)
        self.assertEqual([[{"s": 500000500000}]], answer)
        self.assertGreater(rounds, 10)


if __name__ == "__main__":
    unittest.main()
