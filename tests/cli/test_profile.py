"""profile agrees with what the formats' own tools report of the same traces, and its columns with each other."""
import csv
import glob
import json
import os
import subprocess
import unittest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
EXAMPLE = os.path.join(SOURCE, "examples", "traces", "phases")


def profile(trace, *options):
    """Rows as dictionaries."""
    out = subprocess.run([QUIPU, "profile", trace, "--json", "--quiet", *options], stdout=subprocess.PIPE, check=False)
    table = json.loads(out.stdout)
    return [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]


def is_sound(trace):
    return subprocess.run([QUIPU, "check", trace, "--quiet"], stdout=subprocess.DEVNULL, check=False).returncode == 0


def recursive(trace):
    """Pairs (location, region) of which calls lie inside each other: otfprofile adds the time of each to the inclusive time."""
    out = subprocess.run([QUIPU, "cat", trace, "--json", "--quiet", "--kind", "region"], stdout=subprocess.PIPE, check=False)
    stacks, found = {}, set()
    for event in map(json.loads, out.stdout.decode().splitlines()):
        stack = stacks.setdefault(event["location"], [])
        if event["kind"] == "leave":
            stack.pop()
            continue
        if event["region"] in stack:
            found.add((event["location_name"], event.get("region_name")))
        stack.append(event["region"])
    return found


class Tools(unittest.TestCase):
    def test_otfprofile_reports_the_same(self):
        """Calls, times and messages of each process in the stored reports of otfprofile, whose times have six digits."""
        compared = 0
        for report in sorted(glob.glob(os.path.join(SHARED, "otf", "*", "otfprofile.csv"))):
            folder = os.path.dirname(report)
            trace = os.path.join(folder, os.path.basename(folder) + ".otf")
            if not os.path.exists(trace) or not is_sound(trace):
                continue
            rows, nested = profile(trace), recursive(trace)
            with open(report, encoding="utf-8", errors="replace") as file:
                lines = [line for line in csv.reader(file, delimiter=";") if line]
            for _, process, function, calls, exclusive, inclusive in (
                    line for line in lines if line[0] == "FUNCTION" and line[3].isdigit()):
                found = [row for row in rows if row["location"] == process and row["region"] == function]
                if int(calls) == 0 or len(found) != 1:
                    continue
                with self.subTest(trace=trace, process=process, function=function):
                    self.assertEqual(found[0]["calls"], int(calls))
                    for column, seconds in (("exclusive_ns", exclusive), ("inclusive_ns", inclusive)):
                        if column == "inclusive_ns" and (process, function) in nested:
                            continue
                        self.assertAlmostEqual(found[0][column] / 1e9, float(seconds), delta=1e-5 * float(seconds) + 1e-9)
                compared += 1
            for _, process, sent, received, sent_bytes, received_bytes, _ in (
                    line for line in lines if line[0] == "P2P" and line[2].isdigit()):
                of_process = [row for row in rows if row["location"] == process]
                with self.subTest(trace=trace, process=process):
                    for column, value in (("messages_sent", sent), ("messages_received", received),
                                          ("bytes_sent", sent_bytes), ("bytes_received", received_bytes)):
                        self.assertEqual(sum(row[column] for row in of_process), int(value), column)
        if not os.path.isdir(os.path.join(SHARED, "otf")):
            self.skipTest("no shared traces")
        self.assertGreater(compared, 20)


    def test_dumpistats_reports_the_same_time_in_mpi(self):
        """Column 8 of its default table is the wall time in MPI calls of each rank, in seconds with nine digits."""
        compared = 0
        for table in sorted(glob.glob(os.path.join(SHARED, "dumpi", "*", "stats0-bin0-0.tbl"))):
            metafile = glob.glob(os.path.join(os.path.dirname(table), "*.meta"))
            if len(metafile) != 1 or not is_sound(metafile[0]):
                continue
            with open(table, encoding="utf-8") as file:
                lines = [line.split() for line in file if not line.startswith("#")]
            rows = profile(metafile[0], "--by", "mpi")
            for line in lines:
                with self.subTest(table=table, rank=line[0]):
                    own = [row for row in rows if row["location"] == "rank " + line[0]]
                    self.assertEqual(sum(row["mpi_ns"] for row in own), int(line[7].replace(".", "")))
                    compared += 1
        if not os.path.isdir(os.path.join(SHARED, "dumpi")):
            self.skipTest("no shared traces")
        self.assertGreater(compared, 5)


class Columns(unittest.TestCase):
    def test_shares_means_and_imbalance_follow_from_times(self):
        rows = profile(EXAMPLE)
        total = sum(row["exclusive_ns"] for row in rows)
        for row in rows:
            self.assertAlmostEqual(row["share_percent"], 100 * row["exclusive_ns"] / total, delta=0.00501)
            self.assertEqual(row["mean_ns"], row["inclusive_ns"] // row["calls"])
        for region in profile(EXAMPLE, "--by", "region"):
            own = [row for row in rows if row["region"] == region["region"]]
            for column in ("calls", "exclusive_ns", "inclusive_ns", "bytes_sent", "messages_received"):
                self.assertEqual(region[column], sum(row[column] for row in own), column)
            times = [row["exclusive_ns"] for row in own]
            self.assertEqual(region["locations"], len(own))
            self.assertAlmostEqual(region["imbalance"], max(times) / (sum(times) / 3), delta=0.00501)

    def test_groups_and_mpi_are_sums_of_regions(self):
        rows = profile(EXAMPLE)
        is_mpi = [row["region"].startswith("MPI_") for row in rows]
        mpi = sum(row["exclusive_ns"] for row, yes in zip(rows, is_mpi) if yes)
        self.assertEqual({row["group"]: row["exclusive_ns"] for row in profile(EXAMPLE, "--by", "group")},
                         {"MPI": mpi, "user": sum(row["exclusive_ns"] for row in rows) - mpi})
        for row in profile(EXAMPLE, "--by", "mpi"):
            own = [other for other in rows if other["location"] == row["location"]]
            self.assertEqual(row["time_ns"], sum(other["exclusive_ns"] for other in own))
            self.assertEqual(row["mpi_ns"], sum(other["exclusive_ns"] for other in own
                                                if other["region"].startswith("MPI_")))
            self.assertEqual(row["outside_ns"], row["time_ns"] - row["mpi_ns"])
            self.assertAlmostEqual(row["mpi_percent"], 100 * row["mpi_ns"] / row["time_ns"], delta=0.00501)

    def test_processes_and_hosts_put_locations_together(self):
        rows = profile(EXAMPLE)
        self.assertEqual([row["exclusive_ns"] for row in profile(EXAMPLE, "--by", "process")],
                         [row["exclusive_ns"] for row in rows])
        hosts = profile(EXAMPLE, "--by", "host")
        self.assertEqual({row["host"] for row in hosts}, {"vm"})
        self.assertEqual({row["region"]: row["calls"] for row in hosts},
                         {row["region"]: row["calls"] for row in profile(EXAMPLE, "--by", "region")})

    def test_text_fits_a_terminal_and_shows_units(self):
        environment = dict(os.environ, COLUMNS="80")
        for by in ("location", "region", "process", "host", "group", "mpi"):
            out = subprocess.run([QUIPU, "profile", EXAMPLE, "--by", by], stdout=subprocess.PIPE, env=environment,
                                 check=True).stdout.decode().splitlines()
            self.assertLessEqual(max(len(line) for line in out if not line.startswith("(")), 80)
            self.assertRegex(out[2], r"[0-9] (ns|us|ms|s)\b")
        out = subprocess.run([QUIPU, "profile", EXAMPLE, "--by", "mpi", "--unit", "us"], stdout=subprocess.PIPE,
                             env=environment, check=True).stdout.decode()
        self.assertIn("time [us]", out)
        self.assertIn("58991.698", out)


if __name__ == "__main__":
    unittest.main()
