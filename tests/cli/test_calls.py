"""calls: the longest ones, durations by region and their histogram, worked out from the list in tests/data/where/README.md."""
import json
import os
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
TRACE = os.path.join(SOURCE, "tests", "data", "where", "w.otf")
EXAMPLE = os.path.join(SOURCE, "examples", "traces", "phases")


def run(*arguments):
    return subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def tables(trace, *options):
    """Rows as dictionaries, by the name of their table."""
    out = json.loads(run("calls", trace, "--json", "--quiet", *options).stdout)
    return {table["table"]: [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
            for table in out["tables"]}


class Calls(unittest.TestCase):
    def test_longest_calls_say_what_they_did(self):
        longest = tables(TRACE, "--top", "5")["longest"]
        self.assertEqual([(row["region"], row["location"], row["start_ns"], row["duration_ns"]) for row in longest],
                         [("main", "alpha", 10000, 90000), ("main", "beta", 12000, 58000),
                          ("solve", "alpha", 60000, 30000), ("MPI_Recv", "beta", 22000, 23000),
                          ("MPI_Send", "alpha", 20000, 20000)])
        self.assertEqual([row["unfinished"] for row in longest], [0, 1, 0, 0, 0])
        self.assertEqual([longest[4][column] for column in ("peer", "tag", "bytes_sent", "messages", "depth")],
                         ["beta", 7, 2000000, 1, 1])
        self.assertEqual([longest[3][column] for column in ("peer", "tag", "bytes_received")], ["alpha", 7, 2000000])

    def test_longest_calls_that_are_equal_are_the_first_of_them(self):
        """Nine calls without length at one time: the list of four has the first four, as any number of threads finds them."""
        with tempfile.TemporaryDirectory() as folder:
            stub = os.path.join(folder, "t")
            texts = {".otf": "1:1\n2:2\n", ".0.def": 'DTR3b9aca00\nDP1NM"p"\nDP2NM"q"\nDFG1NM"g"\n' +
                     "".join(f'DF{i}G1NM"{i}"\n' for i in range(1, 10)), ".2.events": "7\n*2\nE1\n7\n*2\nL1\n",
                     ".1.events": "".join(f"5\n*1\nE{i}\n5\n*1\nL{i}\n" for i in range(1, 10))}
            for suffix, text in texts.items():
                with open(stub + suffix, "w", encoding="ascii") as file:
                    file.write(text)
            for threads in "1", "4":
                longest = tables(stub + ".otf", "--top", "4", "--threads", threads)["longest"]
                self.assertEqual([row["region"] for row in longest], ["1", "2", "3", "4"])

    def test_regions_have_the_shortest_mean_and_longest_call(self):
        rows = {row["region"]: [row[column] for column in ("calls", "min_ns", "mean_ns", "max_ns", "total_ns")]
                for row in tables(TRACE)["regions"]}
        self.assertEqual(rows["solve"], [3, 1000, 11333, 30000, 34000])
        self.assertEqual(rows["MPI_Recv"], [2, 7000, 15000, 23000, 30000])

    def test_histogram_has_every_call_in_its_class(self):
        rows = tables(TRACE)["histogram"]
        self.assertEqual([(row["from_ns"], row["to_ns"], row["calls"], row["time_ns"]) for row in rows],
                         [(1000, 2000, 1, 1000), (2000, 5000, 1, 3000), (5000, 10000, 2, 12000), (10000, 20000, 0, 0),
                          (20000, 50000, 3, 73000), (50000, 100000, 2, 148000)])

    def test_a_region_is_chosen_by_its_name(self):
        chosen = tables(TRACE, "--region", "MPI_*send")
        self.assertEqual([row["region"] for row in chosen["longest"]], ["MPI_Isend"])
        self.assertEqual(sum(row["calls"] for row in chosen["histogram"]), 1)
        self.assertEqual(tables(TRACE, "--top", "0")["longest"], [])

    def test_a_name_that_no_region_has_is_a_slip(self):
        out = run("calls", TRACE, "--region", "MPI_Sned*")
        self.assertEqual((out.returncode, out.stdout), (2, b""))
        self.assertIn(b"the trace has no region \"MPI_Sned*\"; did you mean MPI_Send, ", out.stderr)

    def test_calls_back_to_back_last_as_long_as_all_of_them(self):
        """A clock of 300 MHz: ticks 1, 3, 5 … 13 are 3, 10, 16, 23, 30, 36 and 43 ns, so six calls last 7, 6, 7, 7, 6 and 7."""
        with tempfile.TemporaryDirectory() as folder:
            stub = os.path.join(folder, "third")
            for name, text in ((".otf", "1:1\n"), (".0.def", 'DTR11e1a300\nDP1NM"one"\nDFG9NM"code"\nDF1G9NM"work"\n'),
                               (".1.events", "".join(f"{2 * i + 1:x}\n*1\nE1\n{2 * i + 3:x}\n*1\nL1\n" for i in range(6)))):
                with open(stub + name, "w", encoding="utf-8") as file:
                    file.write(text)
            found = tables(stub + ".otf")
            self.assertEqual([(6, 40, 6, 7)], [(row["calls"], row["total_ns"], row["min_ns"], row["max_ns"]) for row in found["regions"]])
            self.assertEqual([7, 7, 7, 7, 6, 6], [row["duration_ns"] for row in found["longest"]])
            summed = run("sql", stub + ".otf", "SELECT sum(duration_ns) FROM calls", "--csv").stdout
            self.assertEqual(b"40", summed.split()[-1])

    def test_it_agrees_with_the_profile_for_any_number_of_threads(self):
        regions = {row["region"]: row for row in tables(EXAMPLE)["regions"]}
        out = json.loads(run("profile", EXAMPLE, "--by", "region", "--json").stdout)
        names = [column["name"] for column in out["columns"]]
        for row in out["rows"]:
            own = regions.pop(row[names.index("region")])
            self.assertEqual(own["calls"], row[names.index("calls")])
            self.assertEqual(own["total_ns"], row[names.index("inclusive_ns")])
        self.assertEqual(regions, {})
        one = run("calls", EXAMPLE, "--json").stdout
        for threads in ("2", "3"):
            self.assertEqual(run("calls", EXAMPLE, "--json", "--threads", threads).stdout, one)

    def test_a_trace_without_calls_is_an_answer(self):
        out = run("calls", TRACE, "--where", "kind == metric")
        self.assertEqual(out.returncode, 0)
        self.assertIn(b"no calls", out.stderr)


if __name__ == "__main__":
    unittest.main()
