"""Relations as Arrow's streams in libraries that check them: nanoarrow's and pyarrow's full validation, and the same answers in pandas, polars and
DuckDB as in SQL. All are from PyPI: pip install pyarrow nanoarrow pandas polars duckdb."""
import ctypes
import json
import os
import subprocess
import unittest

import duckdb
import nanoarrow
import polars
import pyarrow

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
QUIPU = os.path.join(BUILD, "quipu")
DATA = os.path.abspath(os.path.join(SOURCE, "tests", "data"))
LIBRARY = ctypes.CDLL(os.path.join(BUILD, "libquipu.so"))
TRACES = {name: os.path.join(DATA, path) for name, path in (
    ("where", "where/w.otf"), ("otf", "otf/small.otf"), ("dumpi", "sweep/dumpi/ring.meta"), ("picl", "sweep/picl/ring.picl"), ("ovni", "sweep/ovni"),
    ("charisma", "sweep/charisma/ring.ctrace"), ("stencil", "analysis/stencil-2d-3x5"))}
POINTER = ctypes.c_void_p
STREAM_WORDS = 5

LIBRARY.quipu_reader_open.argtypes = [ctypes.c_char_p, POINTER, POINTER, POINTER]
LIBRARY.quipu_reader_close.argtypes = [POINTER]
LIBRARY.quipu_relation_stream.argtypes = [POINTER, ctypes.c_char_p, POINTER, POINTER, POINTER]
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [POINTER, ctypes.c_char_p, POINTER]


class Stream:
    """A relation of a trace, as an object that knows only the protocol."""

    def __init__(self, trace, relation):
        self.reader = POINTER()
        assert LIBRARY.quipu_reader_open(trace.encode(), None, ctypes.byref(self.reader), None) == 0, trace
        self.stream = (POINTER * STREAM_WORDS)()
        status = LIBRARY.quipu_relation_stream(self.reader, relation.encode(), None, ctypes.byref(self.stream), None)
        self.is_there = status == 0

    def __arrow_c_stream__(self, requested_schema=None):
        return ctypes.pythonapi.PyCapsule_New(ctypes.addressof(self.stream), b"arrow_array_stream", None)

    def close(self):
        """After the consumer has read or released it."""
        LIBRARY.quipu_reader_close(self.reader)


def relations():
    answer = json.loads(subprocess.run([QUIPU, "table", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    return [row[0] for row in answer["rows"]]


def rows_of(trace, relation):
    done = subprocess.run([QUIPU, "table", relation, trace, "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return sorted(comparable(json.loads(line)) for line in done.stdout.decode().splitlines())


def comparable(row):
    """Values that are JSON are texts in Arrow, and 5 is 5.0 in JSON."""
    return json.dumps({name: float(value) if isinstance(value, int) else value for name, value in row.items() if name != "attributes"}, sort_keys=True)


class Consumers(unittest.TestCase):
    def each(self):
        for trace in TRACES.values():
            for relation in relations():
                stream = Stream(trace, relation)
                if stream.is_there:
                    yield trace, relation, stream
                stream.close()

    # needs: arrow
    def test_arrow_streams_pass_the_full_validation_of_pyarrow_and_nanoarrow(self):
        with self.subTest("pyarrow"):
            self.check_in_pyarrow()
        with self.subTest("nanoarrow"):
            self.check_in_nanoarrow()

    # needs: arrow
    def test_arrow_streams_give_the_answers_of_sql_in_duckdb_polars_and_pandas(self):
        self.ask_duckdb()
        self.ask_polars_and_pandas()

    def check_in_pyarrow(self):
        checked = 0
        for trace, relation, stream in self.each():
            table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
            table.validate(full=True)
            checked += table.num_rows
            for field in table.schema:
                self.assertTrue(field.metadata[b"doc"])
            if relation in ("events", "calls", "messages", "regions", "locations", "profile", "states"):
                found = sorted(map(comparable, table.to_pylist()))
                self.assertEqual(rows_of(trace, relation), found, f"{relation} of {trace}")
            del table
        self.assertGreater(checked, 2000)

    def validate(self, schema, array):
        """Builds a column again from its buffers, with all checks that nanoarrow has."""
        nanoarrow.c_array_from_buffers(schema, array.length, list(array.view().buffers), null_count=array.null_count, offset=array.offset,
                                       validation_level="full")

    def check_in_nanoarrow(self):
        columns = 0
        for _, _, stream in self.each():
            for array in nanoarrow.c_array_stream(stream):
                for column in array.children:
                    if column.dictionary is None:
                        self.validate(nanoarrow.c_schema(column.schema), column)
                    else:
                        self.validate(nanoarrow.int32(), column)
                        self.validate(nanoarrow.string(), column.dictionary)
                    columns += 1
        self.assertGreater(columns, 1000)

    def each_answer(self, query):
        """The same query by DuckDB on the streams and by quipu sql."""
        for trace in TRACES.values():
            expected = subprocess.run([QUIPU, "sql", trace, query, "--json", "--quiet"], stdout=subprocess.PIPE, check=False).stdout.decode()
            yield trace, [list(json.loads(line).values()) for line in expected.splitlines()]

    def ask_duckdb(self):
        for query, relation in (("SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind", "events"),
                                ("SELECT sender, receiver, CAST(sum(bytes) AS BIGINT) FROM messages GROUP BY 1, 2 ORDER BY 1, 2", "messages"),
                                ("SELECT region, count(*), CAST(sum(duration_ns) AS BIGINT) FROM calls GROUP BY region ORDER BY region", "calls")):
            for trace, expected in self.each_answer(query):
                with self.subTest(trace=trace, query=query):
                    stream = Stream(trace, relation)
                    table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
                    connection = duckdb.connect()
                    connection.register(relation, table)
                    found = connection.execute(query).fetchall()
                    self.assertEqual(sorted(map(repr, expected)), sorted(repr(list(row)) for row in found))
                    stream.close()

    def ask_polars_and_pandas(self):
        query = "SELECT region, count(*), CAST(sum(duration_ns) AS BIGINT) FROM calls GROUP BY region ORDER BY region"
        for trace, expected in self.each_answer(query):
            with self.subTest(trace=trace):
                stream = Stream(trace, "calls")
                frame = polars.DataFrame(stream)
                stream.close()
                found = frame.group_by(polars.col("region").cast(polars.String)).agg(polars.len(), polars.col("duration_ns").sum()).rows()
                self.assertEqual(sorted(map(repr, expected)), sorted(repr(list(row)) for row in found))
                stream = Stream(trace, "calls")
                table = pyarrow.RecordBatchReader.from_stream(stream).read_pandas()
                stream.close()
                groups = table.groupby("region", observed=True)["duration_ns"].agg(["count", "sum"])
                self.assertEqual(sorted(map(repr, expected)), sorted(repr([name, int(count), int(time)]) for name, count, time in groups.itertuples()))


if __name__ == "__main__":
    unittest.main()
