"""What test_package.py runs in an environment with libraries from PyPI and the wheel: their full validation of Arrow's streams, the same answers in pandas, polars and DuckDB as
in SQL, frames, and the functions of Pipit against what is known of their traces."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import duckdb
import nanoarrow
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

from built import SOURCE, TRACES, quipu
from test_module import by_command, comparable


def streams():
    for path in TRACES.values():
        trace = quipu.open(path)
        for name in quipu.tables:
            try:
                result = trace.table(name)
                result.schema
            except quipu.Error:
                continue
            yield path, name, result


def same_frames(expected, found):
    return sorted(map(repr, expected)) == sorted(repr(list(row)) for row in found)


CALLS = "SELECT region, count(*) AS calls, CAST(sum(duration_ns) AS BIGINT) AS ns FROM calls GROUP BY region ORDER BY region"
QUERIES = (("events", "SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind"),
           ("messages", "SELECT sender, receiver, CAST(sum(bytes) AS BIGINT) AS b FROM messages GROUP BY 1, 2 ORDER BY 1, 2"), ("calls", CALLS))


class Consumers(unittest.TestCase):
    def test_consumers_have_the_wheel(self):
        self.assertIn("site-packages", quipu.__file__)

    def test_consumers_validate_streams_in_pyarrow(self):
        checked = 0
        for path, name, result in streams():
            table = pyarrow.RecordBatchReader.from_stream(result).read_all()
            table.validate(full=True)
            checked += table.num_rows
            self.assertTrue(all(field.metadata[b"doc"] for field in table.schema))
            if name in ("events", "calls", "messages", "regions", "locations", "profile", "states"):
                self.assertEqual(sorted(map(comparable, by_command(path, name))), sorted(map(comparable, table.to_pylist())), f"{name} of {path}")
        self.assertGreater(checked, 2000)

    def validate(self, schema, array):
        """Builds a column again from its buffers, with all checks that nanoarrow has."""
        nanoarrow.c_array_from_buffers(schema, array.length, list(array.view().buffers), null_count=array.null_count, offset=array.offset,
                                       validation_level="full")

    def test_consumers_validate_streams_in_nanoarrow(self):
        columns = 0
        for _, _, result in streams():
            for array in nanoarrow.c_array_stream(result):
                for column in array.children:
                    if column.dictionary is None:
                        self.validate(nanoarrow.c_schema(column.schema), column)
                    else:
                        self.validate(nanoarrow.int32(), column)
                        self.validate(nanoarrow.string(), column.dictionary)
                    columns += 1
        self.assertGreater(columns, 1000)

    def test_consumers_answer_as_sql_does(self):
        for path in TRACES.values():
            trace = quipu.open(path)
            for name, query in QUERIES:
                expected = [list(row.values()) for row in trace.sql(query)]
                connection = duckdb.connect()
                connection.register(name, trace.table(name))
                self.assertTrue(same_frames(expected, connection.execute(query).fetchall()), f"{query} on {path}")
            expected = [list(row.values()) for row in trace.sql(CALLS)]
            frame = trace.calls().to_polars().group_by(polars.col("region").cast(polars.String)).agg(polars.len(), polars.col("duration_ns").sum())
            self.assertTrue(same_frames(expected, frame.rows()), path)
            groups = trace.calls().to_pandas().groupby("region", observed=True)["duration_ns"].agg(["count", "sum"])
            self.assertTrue(same_frames(expected, [[name, int(count), int(time)] for name, count, time in groups.itertuples()]), path)

    def assert_own_frame(self, result, where):
        """Polars reads the rows as a whole, to_polars gives it columns of some batches at a time."""
        own, frame = polars.DataFrame(result), result.to_polars()
        self.assertEqual(own.schema, frame.schema, where)
        self.assertTrue(own.equals(frame), where)

    def test_consumers_frames_of_polars_are_as_polars_reads_them(self):
        for path, name, result in streams():
            self.assert_own_frame(result, (path, name))

    def test_consumers_frames_of_polars_have_columns_that_get_values_late(self):
        calls = 100_000  # more than ten batches; only the last ones have a counter
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("long.otf", "1:1\n"), ("long.0.def", 'DTRf4240\nDP1NM"a"\nDFG1NM"g"\nDF1G1NM"f"\nDCG1NM"c"\nDCNT1G1NM"n"P0U"#"\n'),
                               ("long.1.events", "".join(f"{2 * i + 1:x}\n*1\nE1\n{2 * i + 2:x}\n*1\nL1\n" for i in range(calls)) + f"{2 * calls + 1:x}\n*1\nCNT1V7\n")):
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            for threads in (1, 2):
                events = quipu.open(os.path.join(folder, "long.otf"), threads=threads).events()
                self.assert_own_frame(events, threads)
                frame = events.to_polars()
                self.assertEqual(2 * calls + 1, len(frame))
                self.assertEqual([7], [value for value in frame["value"].tail(10).to_list() if value is not None])
                self.assertEqual(2 * calls, frame["metric"].null_count())
                self.assertEqual([calls, calls], [frame.filter(polars.col("kind") == kind).height for kind in ("enter", "leave")])

    def test_consumers_write_parquet_and_take_results_as_they_are(self):
        """As the page of the package shows."""
        trace = quipu.open(TRACES["stencil"])
        messages = trace.messages()
        with open(os.path.join(SOURCE, "python/README.md"), encoding="utf-8") as file:
            to_parquet, by_sender = re.findall(r"```python\n(.*?)```", file.read(), re.S)[1].splitlines()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "messages.parquet")
            eval(to_parquet.replace('"messages.parquet"', "path"))
            self.assertEqual(messages.to_dict()["bytes"], pyarrow.parquet.read_table(path)["bytes"].to_pylist())
        expected = [list(row.values()) for row in trace.sql("SELECT sender, max(latency_ns) FROM messages GROUP BY sender")]
        self.assertTrue(same_frames(expected, eval(by_sender).fetchall()))
        self.assertEqual(len(messages.to_dict()["bytes"]), duckdb.sql("SELECT count(*) FROM messages").fetchall()[0][0])

    def test_consumers_get_damage_as_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.picl")
            with open(TRACES["picl"], encoding="ascii") as whole, open(path, "w", encoding="ascii") as cut:
                cut.write(whole.read().replace("-3 ", "-3 x", 1))
            for convert in ("to_pandas", "to_polars", "to_dict"):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    getattr(quipu.open(path).events(), convert)()
                self.assertEqual([quipu.Damage], [warning.category for warning in caught if warning.category is quipu.Damage], convert)

    def test_consumers_errors_while_a_library_reads_are_those_of_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(TRACES["where"]), folder, dirs_exist_ok=True)
            definitions = os.path.join(folder, "w.0.def")
            with open(definitions, encoding="utf-8") as file:
                text = file.read().replace('"main"', f'"{"a" * 60}"')
            with open(definitions, "w", encoding="utf-8") as file:
                file.write(text)
            endless = quipu.open(os.path.join(folder, "w.otf")).events('region ~ "(a+)+[bc]"')
            for convert in (endless.to_pandas, endless.to_polars, endless.to_dict):
                with self.assertRaises(quipu.Error) as failed:
                    convert()
                self.assertEqual("NO_MEMORY", failed.exception.status)

    def test_consumers_interrupts_end_what_a_library_reads(self):
        def interrupt(number, frame):
            raise KeyboardInterrupt

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        events = quipu.open(TRACES["stencil"]).events()
        outcomes = set()
        for delay in range(1, 60):
            for convert in (events.to_pandas, events.to_polars):
                try:
                    signal.setitimer(signal.ITIMER_REAL, delay / 5000)
                    convert()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    outcomes.add("all rows")
                except KeyboardInterrupt:
                    outcomes.add("interrupted")
        self.assertIn("interrupted", outcomes)

    def test_consumers_frames_hold_what_is_not_known(self):
        frame = quipu.open(TRACES["where"]).events().to_pandas()
        self.assertEqual(("Int64", "UInt64", "category"), tuple(str(frame[name].dtype) for name in ("time_ns", "bytes", "region")))
        self.assertEqual([2000000, 100], frame[frame["kind"] == "send"]["bytes"].tolist())
        self.assertTrue(frame[frame["kind"] == "enter"]["bytes"].isna().all())

    def test_consumers_frames_are_the_same_without_pyarrow(self):
        program = f"import sys; sys.modules['pyarrow'] = None; import quipu; print(quipu.open({TRACES['where']!r}).messages().to_pandas().to_csv())"
        found = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        self.assertEqual(quipu.open(TRACES["where"]).messages().to_pandas().to_csv().strip(), found)


class Pipit(unittest.TestCase):
    """Times of tests/data/where are those of its README, in nanoseconds; beta's main has no end and lasts as long as profile says."""

    def setUp(self):
        self.trace = quipu.Trace.from_otf2(TRACES["where"])

    def test_consumers_flat_profile_is_the_mean_of_processes(self):
        profile = self.trace.flat_profile(metrics=["time.exc", "time.inc"])
        self.assertEqual(("Name", ["time.exc", "time.inc"]), (profile.index.name, list(profile.columns)))
        self.assertEqual((20000, 5000), (profile["time.inc"]["MPI_Send"], profile["time.exc"]["MPI_Isend"]))
        # solve: alpha 60 to 90, once within itself; gamma, of beta's process, 30 to 31.
        self.assertEqual((30000 + 1000) / 2, profile["time.exc"]["solve"])
        self.assertEqual(["Name", "Process"], list(self.trace.flat_profile(per_process=True).index.names))

    def test_consumers_load_imbalance_is_the_largest_over_the_mean(self):
        row = self.trace.load_imbalance(num_processes=2).loc["solve"]
        self.assertAlmostEqual(30000 / 15500, row["time.exc.imbalance"])
        self.assertEqual(([0, 1], 15500), (row["Top processes"], row["time.exc.mean"]))

    def test_consumers_time_profile_adds_up_to_the_profile(self):
        bins = self.trace.time_profile(num_bins=9)
        self.assertEqual(["bin_start", "bin_end"], list(bins.columns[:2]))
        self.assertEqual((9, 10000, 100000), (len(bins), bins["bin_start"][0], bins["bin_end"][8]))
        exclusive = {row["region"]: row["exclusive_ns"] for row in self.trace.profile(by="region")}
        self.assertEqual(exclusive, {name: round(bins[name].sum()) for name in bins.columns[2:]})
        self.assertEqual([0, 10000, 10000, 0], bins["MPI_Send"][0:4].tolist())
        self.assertEqual(1, self.trace.time_profile(num_bins=9, normalized=True)["MPI_Send"][1])

    def test_consumers_communication_is_that_of_the_messages(self):
        self.assertEqual([[0, 2000100], [0, 0]], self.trace.comm_matrix().tolist())
        self.assertEqual([[0, 2], [0, 0]], self.trace.comm_matrix(output="count").tolist())
        self.assertEqual({"Sent": [2000100, 0], "Received": [0, 2000100]}, self.trace.comm_by_process().to_dict("list"))
        self.assertEqual([1] + [0] * 18 + [1], self.trace.message_histogram()[0].tolist())
        amounts, edges = self.trace.comm_over_time(bins=9)
        self.assertEqual(([0, 2000000, 0, 0, 100, 0, 0, 0, 0], 10), (amounts.tolist(), len(edges)))
        self.assertEqual(2, self.trace.comm_over_time(output="count", message_type="receive")[0].sum())
        stencil = quipu.open(TRACES["stencil"])
        expected = numpy.zeros((15, 15))
        for row in stencil.messages():
            expected[row["sender_number"]][row["receiver_number"]] += row["bytes"]
        self.assertEqual(expected.sum(), stencil.comm_matrix().sum())

    def test_consumers_idle_time_and_critical_path(self):
        idle = self.trace.idle_time(mpi_events=True)
        self.assertEqual({"Process": [1], "time.inc": [23000 + 7000]}, idle.to_dict("list"))
        path = self.trace.critical_path_analysis()[0]
        self.assertEqual(["Timestamp (ns)", "Duration (ns)", "Name", "Process"], list(path.columns))
        self.assertEqual(90000, path["Duration (ns)"].sum())
        self.assertIsInstance(path, pandas.DataFrame)


if __name__ == "__main__":
    unittest.main()
