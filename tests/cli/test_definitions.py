"""definitions: a table per class, with the numbers that events use and those of the files."""
import csv
import io
import json
import os
import subprocess
import unittest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
EXCHANGE = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
PHASES = os.path.join(SOURCE, "examples/traces/phases")


def run(*arguments):
    return subprocess.run([QUIPU, *arguments], capture_output=True, text=True, check=False)


def tables(trace):
    """{class: [{column: cell}]}"""
    listed = json.loads(run("definitions", "--json", trace).stdout)["tables"]
    return {table["table"]: [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
            for table in listed}


class Definitions(unittest.TestCase):
    def test_definitions_are_those_of_the_files(self):
        """exchange.0.def: DefProcess 1 "rank 0" and 2 "rank 1", DefFunction 1 to 4, a group of both."""
        found = tables(EXCHANGE)
        self.assertEqual([(row["number"], row["native_id"], row["name"], row["kind"]) for row in found["locations"]],
                         [(0, 1, "rank 0", "process"), (1, 2, "rank 1", "process")])
        self.assertEqual([(row["native_id"], row["name"], row["group"], row["role"]) for row in found["regions"]][:2],
                         [(1, "main", "Application", "function"), (2, "MPI_Send", "MPI", "mpi-p2p")])
        self.assertEqual([(row["native_id"], row["name"], row["size"], row["members"]) for row in found["communicators"]],
                         [(3, "world", 2, "0-1")])

    def test_definitions_of_all_classes_have_a_table(self):
        counts = json.loads(run("info", "--json", PHASES).stdout)["definitions"]
        found = {name: len(rows) for name, rows in tables(PHASES).items()}
        communicators = found.pop("communicators")
        found["groups"] += communicators
        self.assertEqual(found, counts)
        self.assertEqual(communicators, 4)

    def test_definitions_have_the_numbers_of_events(self):
        regions = {row["number"]: row["name"] for row in tables(PHASES)["regions"]}
        for line in run("cat", "--json", "--kind", "enter", PHASES).stdout.splitlines():
            event = json.loads(line)
            self.assertEqual(event["region_name"], regions[event["region"]])

    def test_definitions_of_one_class_as_csv(self):
        rows = list(csv.DictReader(io.StringIO(run("definitions", PHASES, "communicators", "--csv").stdout)))
        self.assertEqual((rows[0]["name"], rows[0]["members"]), ("MPI_COMM_WORLD", "0-2"))
        limited = run("definitions", PHASES, "regions", "-n", "2").stdout
        self.assertIn("(18 more rows; 3 columns zero or empty in these rows)", limited)

    def test_definitions_of_a_class_that_is_none(self):
        done = run("definitions", PHASES, "region")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                         (2, 'quipu: unknown class of definitions "region"; did you mean regions?'))
        done = run("definitions", PHASES, "nonsense")
        self.assertEqual((done.returncode, done.stderr.strip()),
                         (2, 'quipu: unknown class of definitions "nonsense"; "quipu definitions --help" lists them'))


if __name__ == "__main__":
    unittest.main()
