"""--where about files: the end of an operation says what its beginning does not, and a handle stands for the file that was opened with it, whether
events, tables or windows are asked for."""
import json
import os
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
PICL = os.path.join(SOURCE, "..", "shared", "traces", "picl", "all-events-full.picl")
DEFINITIONS = """DTR3b9aca00
DP1NM"first"
DP2NM"second"
DFG9NM"code"
DF1G9NM"main"
DFLG8NM"disk"
DFL1NM"a"G8
DFL2NM"b"G8
"""
# FA begins an operation and says nothing of it; FF ends it with file, matching number, handle, operation (2: read, 3: write) and bytes in
# hexadecimal; F is one in a record, here an open. Operation 4 is never ended.
FIRST = ((5, "E1"), (10, "FA1"), (20, "FF1MI1H5OP2B64"), (30, "FA2"), (35, "FA3"), (40, "FF2MI3H6OP3B7"), (60, "FF1MI2H5OP2B32"), (70, "FA4"),
         (80, "F2H6OP0B0D0"), (90, "L1"))
SECOND = ((5, "E1"), (15, "FA5"), (25, "FF2MI5H9OP2B9"), (95, "L1"))
EXPECTED = (("file == a", [10, 20, 30, 60]), ("file == b", [15, 25, 35, 40, 80]), ('file ~ "^A$"', [10, 20, 30, 60]),
            ("file", [10, 15, 20, 25, 30, 35, 40, 60, 80]), ("kind == io_begin && !(file == a)", [15, 35, 70]),
            ("operation == read", [10, 15, 20, 25, 30, 60]), ("bytes > 40", [10, 20, 30, 60]), ("bytes in 7-9", [15, 25, 35, 40]),
            ("handle == 6", [35, 40, 80]), ("file == a || kind == leave", [10, 20, 30, 60, 90, 95]), ("file == a && rank == 1", []),
            ('location == second && file == b', [15, 25]), ("file == a && time > 15", [20, 30, 60]),
            ("file == b && duration > 87", [15, 25]), ("file != a", [15, 25, 35, 40, 80]), ("family == io && region == main", None))


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout.decode()


def times(trace, expression, *options):
    listed = quipu("cat", trace, "--json", "-q", "--where", expression, *options).splitlines()
    return [event["time"] for event in map(json.loads, listed)]


def files(trace, *options):
    answer = json.loads(quipu("io", trace, "--json", "-q", *options))
    for table in answer.get("tables", [answer]):
        if table["table"] == "io_files":
            return [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
    return []


class WhereFiles(FolderTest):
    def setUp(self):
        super().setUp()
        self.trace = self.path("t.otf")
        texts = {"otf": "1:1\n2:2\n", "0.def": DEFINITIONS}
        for number, events in ((1, FIRST), (2, SECOND)):
            texts[f"{number}.events"] = "".join(f"{time:x}\n*{number}\n{record}\n" for time, record in events)
        for suffix, text in texts.items():
            with open(self.path("t." + suffix), "w", encoding="ascii") as file:
                file.write(text)

    def test_files_of_operations_are_known_from_their_ends(self):
        for expression, expected in EXPECTED:
            with self.subTest(expression):
                found = times(self.trace, expression)
                self.assertEqual(sorted(found), found)
                self.assertEqual(found, [10, 15, 20, 25, 30, 35, 40, 60, 70, 80] if expected is None else expected)

    def test_windows_and_indexes_change_nothing(self):
        """Of an operation that begins inside of a window, and is known from its end behind it."""
        for indexed in (False, True):
            if indexed:
                quipu("index", self.trace, "-q", "--count", "6")
            for expression, expected in EXPECTED:
                whole = times(self.trace, expression) if expected is None else expected
                for since, until in ((12, 35), (31, 61), (20, 21), (70, 96), (26, 30)):
                    with self.subTest(expression, since=since, until=until, indexed=indexed):
                        self.assertEqual(times(self.trace, expression, "--since", str(since), "--until", str(until)),
                                         [time for time in whole if since <= time < until])
                self.assertEqual(times(self.trace, expression, "--location", "first"), [time for time in whole if time not in (15, 25, 95)])

    def test_tables_are_those_of_the_files_that_are_asked_for(self):
        expected = {row["file"]: row for row in files(self.trace)}
        self.assertEqual({(name, row["reads"], row["writes"], row["bytes_read"], row["bytes_written"], row["read_ns"], row["write_ns"])
                          for name, row in expected.items()}, {("a", 2, 0, 150, 0, 40, 0), ("b", 1, 1, 9, 7, 10, 5)})
        for name in ("a", "b"):
            for options in ((), ("--threads", "2")):
                self.assertEqual(files(self.trace, "--where", f"file == {name}", *options), [expected[name]])

    def test_converted_traces_hold_what_is_asked_for(self):
        quipu("convert", self.trace, "-q", "-o", self.path("o.otf"), "--where", "file == a")
        self.assertEqual([event["time"] for event in map(json.loads, quipu("cat", self.path("o.otf"), "--json", "-q").splitlines())],
                         [10, 20, 30, 60])

    # needs: shared
    def test_handles_stand_for_the_files_that_were_opened_with_them(self):
        """Opened with handle 3 at 400; written; read by an operation whose beginning does not even name the handle; closed."""
        for expression in ('file ~ "out file"', "handle == 3", 'file == "results/out file.dat"'):
            self.assertEqual(times(PICL, expression), [400, 410, 450, 460, 500, 510])
        self.assertEqual(times(PICL, 'file ~ "out file" && bytes > 3000'), [410, 450])
        self.assertEqual(times(PICL, 'file ~ "out file" && operation == read'), [460, 500])
        self.assertEqual(files(PICL, "--where", 'file ~ "out file"'), files(PICL))


if __name__ == "__main__":
    unittest.main()
