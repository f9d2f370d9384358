"""docs/json.md says what --json prints."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SOURCE = Path(os.environ.get("QUIPU_SOURCE", Path(__file__).resolve().parents[2]))
TRACE = SOURCE / "tests/data/cli/exchange.otf"


def run(*arguments, codes=(0,)):
    result = subprocess.run([QUIPU, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert result.returncode in codes, (arguments, result.returncode, result.stderr)
    return result.stdout


def documented():
    """The keys of each table of the page, by the heading or line before the table."""
    tables, name = {}, ""
    for line in (SOURCE / "docs/json.md").read_text().splitlines():
        key = re.match(r"\| `(\w+)` \|", line)
        if key:
            tables.setdefault(name, []).append(key[1])
        elif line.startswith("#") or line.endswith(":"):
            name = line.lstrip("# ").split(":")[0]
    return tables


class Json(unittest.TestCase):
    def assert_keys(self, name, value):
        self.assertEqual(documented()[name], list(value), name)

    def test_json_of_every_document_says_its_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out.otf")
            documents = [run("repair", TRACE, "-o", out, "--json"), run("check", "--json", TRACE), run("convert", TRACE, "--to", "chrome", "--explain", "--json"),
                         run("info", "--json", TRACE), run("definitions", "--json", TRACE), run("schema", "otf", "--json"),
                         run("diff", "--json", TRACE, TRACE), run("why", "--json", TRACE)]
            for line in run("check", "--json", TRACE, TRACE).splitlines():
                documents.append(line)
        for document in documents:
            first, value = next(iter(json.loads(document).items()))
            self.assertEqual(("quipu", 1), (first, value["schema"]), document[:80])

    def test_json_of_tables(self):
        for command in (["profile", "--json", TRACE], ["formats", "--json"]):
            table = json.loads(run(*command))
            self.assert_keys("Tables", table)
            for column in table["columns"]:
                self.assertEqual(["name", "type", "unit", "doc"], list(column))
            self.assertEqual({len(table["columns"])}, {len(row) for row in table["rows"]})

    def test_json_of_the_profile_has_the_promised_columns(self):
        columns = [column["name"] for column in json.loads(run("profile", "--json", TRACE))["columns"]]
        for name in "location region region_id calls inclusive_ns exclusive_ns bytes_sent bytes_received".split():
            self.assertIn(name, columns)

    def test_json_of_the_summary(self):
        lines = run("info", "--json", TRACE, TRACE).splitlines()
        self.assertEqual(2, len(lines))
        for line in lines:
            self.assert_keys("Summary", json.loads(line))

    def test_json_of_events(self):
        events = [json.loads(line) for line in run("cat", "--json", TRACE).splitlines()]
        self.assertEqual(18, len(events))
        self.assertEqual(sorted(events, key=lambda event: event["time"]), events)
        for event in events:
            keys = list(event)
            self.assert_keys("Events", keys[:5] + keys[-1:])

    def test_json_of_records(self):
        records = [json.loads(line) for line in run("cat", "--records", "--json", TRACE).splitlines()]
        self.assertEqual(30, len(records))
        for record in records:
            self.assert_keys("Records", record)

    def test_json_of_the_verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in TRACE.parent.glob("exchange.*"):
                Path(folder, part.name).write_bytes(part.read_bytes().replace(b"\nL3\n", b"\n"))
            verdict = json.loads(run("check", "--json", Path(folder, "exchange.otf"), codes=(1,)))
        self.assert_keys("Verdict", verdict)
        self.assertEqual("reject", verdict["verdict"])
        self.assertNotEqual([], verdict["findings"])
        for finding in verdict["findings"]:
            self.assert_keys("A finding", finding)

    def test_json_of_the_verdict_counts_what_it_leaves_out(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in TRACE.parent.glob("exchange.*"):
                Path(folder, part.name).write_bytes(part.read_bytes())
            path = Path(folder, "exchange.otf")
            with open(Path(folder, "exchange.1.events"), "a") as events:
                events.write("?\n" * 1234)
            verdict = json.loads(run("check", "--json", path))
            text, grouped = run("check", "--all", path), run("check", path)
        totals = {"rule": "otf.unknown-line", "severity": "notice", "count": 1234}
        self.assertEqual([{**totals, "text": "unknown record type", "advice": ""}], verdict["totals"])
        self.assertEqual(100, len(verdict["findings"]))
        self.assertIn("notice: 1134 more findings of this rule: unknown record type [otf.unknown-line]\n"
                      "warn: 1264 records, 1234 findings\n", text)
        self.assertIn("notice: 1234 findings: unknown record type [otf.unknown-line]\n  first: ", grouped)
        self.assertEqual(3, len(grouped.splitlines()))

    def test_json_of_the_conversion_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "report.json")
            run("convert", TRACE, "--to", "chrome", "-o", Path(folder, "out"), "--report", path, "--quiet")
            report = json.loads(path.read_text())
        explained = json.loads(run("convert", TRACE, "--to", "chrome", "--explain", "--json"))
        for shape in report, explained:
            self.assert_keys("Conversion report", shape)
            self.assertNotEqual([], shape["records"])
            for record in shape["records"]:
                self.assert_keys("A type of record", record)


if __name__ == "__main__":
    unittest.main()
