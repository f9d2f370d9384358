"""quipu table: the rows of relations against what the other commands print of the same traces."""
import csv
import io
import json
import os
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
DATA = os.path.join(SOURCE, "tests", "data")

# A trace of each format that can be read, and some that have what those have not.
TRACES = ["where/w.otf", "otf/small.otf", "cli/exchange.otf", "otf-in-flight/unreceived.otf"]
SWEEP = os.path.join(DATA, "sweep")


def run(*arguments):
    done = subprocess.run([QUIPU, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(*arguments):
    return [json.loads(line) for line in run(*arguments)[1].splitlines()]


def table(name, trace, *options):
    return lines("table", name, trace, "--json", "--quiet", *options)


def traces():
    """Small traces of all formats: those above, and what the folder of damaged ones begins with."""
    for name in TRACES:
        yield os.path.join(DATA, name)
    for folder in sorted(os.listdir(SWEEP)):
        path = os.path.join(SWEEP, folder)
        if os.path.isdir(path):
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)) if run("info", "--json", os.path.join(path, name))[0] in (0, 3))
    analysis = os.path.join(DATA, "analysis")
    for folder in sorted(os.listdir(analysis))[::5]:
        yield os.path.join(analysis, folder)


def readable(trace):
    return run("cat", trace, "--limit", "1", "--quiet")[0] in (0, 3)


# Names of operations stand where others have a number.
OPERATIONS = {"operation", "statistic"}
NAMED = {"region", "peer", "communicator", "root", "target", "window", "origin", "file", "channel", "metric", "type", "child", "cpu",
         "subject", "marker", "within"}


def field_of(event, column):
    """What cat says of a column of events."""
    if column.endswith("_number"):
        return event.get(column[:-len("_number")])
    if column in NAMED:
        return event.get(column + "_name")
    if column == "label":
        return event.get("value_name")
    if column == "tag" and event.get("tag") == -1:
        return None
    if column in ("integer", "value"):
        value = event.get("value")
        if column == "integer":
            return value if isinstance(value, int) and value < 2**63 else None
        return value
    if column == "attributes":
        return {name: value for name, value in event["attributes"].items()} or None if event.get("attributes") else None
    return event.get(column)


class Table(FolderTest):
    def test_table_takes_no_more_memory_with_threads_than_it_may(self):
        """Ten batches, of which four that are made in advance would not fit."""
        trace = programs.write(self.path("long.otf"), [[(2 * i + k + 1, line) for i in range(80_000) for k, line in enumerate(("E1", "L1"))]])
        code, one, _ = run("table", "events", trace, "--max-memory", "4M")
        self.assertEqual((0, 160_001), (code, one.count("\n")))
        for threads in ("2", "3"):
            self.assertEqual((0, one), run("table", "events", trace, "--max-memory", "4M", "--threads", threads)[:2])

    def test_table_events_are_those_of_cat(self):
        compared = kinds = 0
        seen = set()
        for trace in filter(readable, traces()):
            with self.subTest(trace=trace):
                events, rows = lines("cat", trace, "--json", "--quiet"), table("events", trace)
                self.assertEqual(len(events), len(rows))
                for event, row in zip(events, rows):
                    seen.add(event["kind"])
                    self.assertEqual((event["time_ns"], event["location"], event["kind"]), (row["time_ns"], row["location_number"], row["kind"]))
                    for column in set(row) - {"time_ns", "location", "location_number", "kind", "attributes"}:
                        found, expected = row[column], field_of(event, column)
                        # definitions without a name are called by their native number, which cat leaves empty
                        if expected != "" or found is None:
                            self.assertEqual(expected, found, f"{column} of {event}")
                        compared += found is not None
        self.assertGreater(compared, 1000)
        self.assertGreater(len(seen), 20, seen)

    def test_table_attributes_are_those_of_cat(self):
        compared = 0
        for trace in filter(readable, traces()):
            for event, row in zip(lines("cat", trace, "--json", "--quiet"), table("events", trace, "--columns", "attributes")):
                known = event.get("attributes") or {}
                self.assertEqual(row["attributes"] is None, not known)
                for name, value in (row["attributes"] or {}).items():
                    self.assertEqual(known[name], value)
                    compared += 1
        self.assertGreater(compared, 10)

    def test_table_relations_of_kinds_are_parts_of_events(self):
        kinds_of = {"counters": {"metric"}, "marks": {"marker", "note"}}
        rows_of = dict.fromkeys(kinds_of, 0)
        for trace in filter(readable, traces()):
            events = table("events", trace)
            for name, kinds in kinds_of.items():
                with self.subTest(trace=trace, table=name):
                    rows = table(name, trace)
                    expected = [{column: event[column] for column in row} for event, row in
                                zip((event for event in events if event["kind"] in kinds), rows)]
                    for row, event in zip(rows, expected):
                        row.pop("value", None)
                        event.pop("value", None)
                    self.assertEqual(expected, rows)
                    self.assertEqual(len(rows), sum(event["kind"] in kinds for event in events))
                    rows_of[name] += len(rows)
        self.assertEqual([], [name for name, count in rows_of.items() if count == 0])

    def test_table_calls_are_those_of_the_events(self):
        # From the list of events in tests/data/where/README.md: region, enter, leave, depth, region around it; ticks of 1 us. What is
        # never left ends with the last message of its location, at 70.
        rows = table("calls", os.path.join(DATA, "where/w.otf"), "--columns", "region,begin_ns,duration_ns,depth,parent,location,unfinished")
        found = [(row["location"], row["region"], row["begin_ns"] // 1000, row["duration_ns"] // 1000, row["depth"], row["parent"],
                  row["unfinished"]) for row in rows]
        self.assertEqual([("alpha", "MPI_Send", 20, 20, 1, "main", 0), ("alpha", "MPI_Isend", 50, 5, 1, "main", 0),
                          ("alpha", "solve", 62, 3, 2, "solve", 0), ("alpha", "solve", 60, 30, 1, "main", 0),
                          ("alpha", "main", 10, 90, 0, None, 0), ("beta", "MPI_Recv", 22, 23, 1, "main", 0),
                          ("beta", "MPI_Recv", 52, 7, 1, "main", 0), ("gamma", "solve", 30, 1, 0, None, 0),
                          ("beta", "main", 12, 58, 0, None, 1)], found)

    def test_table_calls_are_selected_by_enter_and_keep_their_depth(self):
        trace = os.path.join(DATA, "where/w.otf")
        rows = table("calls", trace, "--since", "60us", "--until", "63us", "--columns", "begin_ns,depth")
        self.assertEqual([(62000, 2), (60000, 1)], [(row["begin_ns"], row["depth"]) for row in rows])
        rows = table("calls", trace, "--region", "solve", "--location", "alpha", "--columns", "begin_ns,depth,parent")
        self.assertEqual([(62000, 2, "solve"), (60000, 1, "main")], [(row["begin_ns"], row["depth"], row["parent"]) for row in rows])

    def test_table_messages_are_those_of_the_analysis(self):
        compared = 0
        columns = ["sent_ns", "received_ns", "latency_ns", "sender", "receiver", "bytes", "tag", "communicator"]
        for trace in filter(readable, traces()):
            with self.subTest(trace=trace):
                code, out, _ = run("messages", trace, "--json", "--quiet", "--table", "messages")
                if code not in (0, 3):
                    continue
                answer = json.loads(out)
                names = [column["name"] for column in answer["columns"]]
                expected = [dict(zip(names, row)) for row in answer["rows"]]
                expected = [[row[name] for name in columns] for row in expected if row["latency_ns"] is not None]
                found = [[row[name] for name in columns] for row in table("messages", trace)]
                self.assertEqual(sorted(map(str, expected)), sorted(map(str, found)))
                compared += len(found)
        self.assertGreater(compared, 100)

    def test_table_analyses_and_definitions_are_those_of_their_commands(self):
        trace = os.path.join(DATA, "where/w.otf")
        for name, *command in (("profile", "profile"), ("comm_sizes", "comm", "--table", "sizes"), ("waits", "waits"),
                               ("regions", "definitions", "regions"), ("locations", "definitions", "locations")):
            with self.subTest(table=name):
                arguments = [command[0], trace, *command[1:]]
                answer = json.loads(run(*arguments, "--json", "--quiet")[1])
                answer = answer if "columns" in answer else answer["tables"][0]
                names = [column["name"] for column in answer["columns"]]
                rows = table(name, trace)
                self.assertEqual([[row.get(column) for column in names] for row in rows], answer["rows"])
                self.assertTrue(rows or name == "waits")

    def test_table_takes_options_of_its_analysis(self):
        trace = os.path.join(DATA, "where/w.otf")
        rows = table("profile", trace, "--option", "by=region", "--columns", "region,location")
        self.assertEqual([None] * len(rows), [row["location"] for row in rows])
        code, _, err = run("table", "profile", trace, "--option", "by=nothing")
        self.assertEqual(2, code)
        self.assertIn("by", err)
        self.assertEqual(2, run("table", "events", trace, "--option", "by=region")[0])

    def test_table_csv_has_the_values_of_json(self):
        trace = os.path.join(DATA, "otf/small.otf")
        rows = list(csv.DictReader(io.StringIO(run("table", "events", trace, "--quiet")[1])))
        expected = table("events", trace)
        self.assertEqual(len(expected), len(rows))
        for row, other in zip(rows, expected):
            for column, value in row.items():
                text = other[column]
                if not isinstance(text, (float, dict)):
                    self.assertEqual("" if text is None else str(text), value)

    def test_table_output_says_its_style_by_its_name(self):
        trace = os.path.join(DATA, "where/w.otf")
        for name, first in (("x.csv", "sent_ns,"), ("x.jsonl", '{"sent_ns": 21000,')):
            self.assertEqual(0, run("table", "messages", trace, "-o", self.path(name))[0])
            with open(self.path(name), encoding="utf-8") as file:
                self.assertTrue(file.read().startswith(first))
            self.assertNotEqual(0, run("table", "messages", trace, "-o", self.path(name))[0])
        self.assertTrue(run("table", "messages", trace, "-o", "-")[1].startswith("sent_ns,"))

    def test_table_says_what_it_does_not_know(self):
        trace = os.path.join(DATA, "where/w.otf")
        for arguments, said in (((["mesages"]), "did you mean messages?"), (["messages", trace, "--columns", "byte"], "did you mean bytes?"),
                                (["messages", trace, "--kind", "send"], "cannot be selected by kinds"),
                                (["regions", trace, "--since", "1us"], "cannot be selected by times"),
                                (["nothing-like-it", trace], "lists them")):
            with self.subTest(arguments=arguments):
                code, out, err = run("table", *arguments)
                self.assertEqual((2, ""), (code, out))
                self.assertIn(said, err)

    def test_table_lists_tables_and_columns(self):
        names = [row["table"] for row in self.listed()]
        self.assertEqual(len(names), len(set(names)))
        self.assertLess({"events", "calls", "messages", "regions", "profile", "waits", "comm_pairs"}, set(names))
        columns = self.listed("messages")
        self.assertIn({"column": "bytes", "type": "u64", "unit": "bytes", "doc": "length, as the send says, else as the receive"}, columns)

    def listed(self, *arguments):
        answer = json.loads(run("table", *arguments, "--json")[1])
        return [dict(zip([column["name"] for column in answer["columns"]], row)) for row in answer["rows"]]

    def test_table_of_a_damaged_trace_has_what_is_intact(self):
        for name in ("w.otf", "w.0.def", "w.1.events", "w.2.events", "w.3.events", "w.0.marker"):
            with open(os.path.join(DATA, "where", name), "rb") as file:
                text = file.read()
            with open(self.path(name), "wb") as file:
                file.write(text[: len(text) - 30] if name == "w.1.events" else text)
        code, out, err = run("table", "events", self.path("w.otf"), "--json")
        events = lines("cat", self.path("w.otf"), "--json", "--quiet")
        self.assertEqual(run("cat", self.path("w.otf"))[0], code)
        self.assertIn("w.1.events", err)
        self.assertEqual([event["time_ns"] for event in events], [json.loads(line)["time_ns"] for line in out.splitlines()])


if __name__ == "__main__":
    unittest.main()
