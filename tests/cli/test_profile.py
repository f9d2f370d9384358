"""profile agrees with what the formats' own tools report of the same traces, and its columns with each other."""
import csv
import glob
import json
import os
import shutil
import subprocess
import tempfile
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


def lifetimes_of(trace):
    """By location: from its first event to its last."""
    out = subprocess.run([QUIPU, "cat", trace, "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
    times = {}
    for event in map(json.loads, out.stdout.decode().splitlines()):
        times.setdefault(event["location_name"], []).append(event["time_ns"])
    return {location: max(found) - min(found) for location, found in times.items()}


class Tools(unittest.TestCase):
    # needs: shared
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


    # needs: shared
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


class Annotations(unittest.TestCase):
    """dumpistats -m and -g of three annotated ranks. Its first pattern is searched in the texts of annotations, and so matches what
    a name with * in front and behind matches here."""
    FOLDER = os.path.join(SHARED, "dumpi", "annot-ompi")

    def setUp(self):
        if not os.path.isdir(self.FOLDER):
            self.skipTest("no shared traces")
        self.trace = glob.glob(os.path.join(self.FOLDER, "*.meta"))[0]

    def table(self, name):
        with open(os.path.join(self.FOLDER, name), encoding="utf-8") as file:
            return {int(line.split()[0]): line.split()[1:] for line in file if not line.startswith("#")}

    # needs: shared
    def test_phases_are_the_intervals_of_dumpistats(self):
        """-m /begin/end/: calls, and time in MPI, of each interval of rank 0. Of the other ranks it loses the first one, so that their
        intervals have numbers too low by one; their last one is the open one that its run ends with."""
        for rank, shift in ((0, 0), (1, 1), (2, 1)):
            rows = profile(self.trace, "--begin", "*begin*", "--end", "*end*", "--by", "phase", "--location", f"rank:{rank}")
            for interval in range(1, 5 - shift):
                values = self.table(f"stats5-bin0-{interval}.tbl")[rank]
                own = [row for row in rows if row["phase"] == interval + shift]
                with self.subTest(rank=rank, interval=interval):
                    self.assertEqual(sum(row["calls"] for row in own), int(values[4]))
                    self.assertEqual(sum(row["inclusive_ns"] for row in own if row["region"].startswith("MPI_")),
                                     int(values[7].replace(".", "")))

    # needs: shared
    def test_what_lies_between_annotations_is_what_dumpistats_gathers(self):
        """-g '/BEGIN phase/END phase/i' -c sends -s all: each Sendrecv sends, and Allreduce sends bytes as well."""
        rows = profile(self.trace, "--begin", "*begin phase*", "--end", "*end phase*")
        for rank, values in self.table("stats6-bin0-0.tbl").items():
            own = [row for row in rows if row["location"] == f"rank {rank}"]
            self.assertEqual(sum(row["calls"] for row in own if row["region"] == "MPI_Sendrecv"), int(values[4]))
            self.assertEqual(sum(row["bytes_sent"] + row["collective_bytes_sent"] for row in own), int(values[5]))


class Paths(unittest.TestCase):
    """The trees of all sound traces, made here from the printed events."""

    @staticmethod
    def tree_of(trace):
        out = subprocess.run([QUIPU, "cat", trace, "--json", "--quiet", "--kind", "region"], stdout=subprocess.PIPE, check=False)
        stacks, found = {}, {}
        for event in map(json.loads, out.stdout.decode().splitlines()):
            stack = stacks.setdefault(event["location"], [])
            if event["kind"] == "enter":
                stack.append([event.get("region_name") or str(event["region"]), event["time_ns"], 0])
                continue
            path = " > ".join(call[0] for call in stack)
            _, start, inside = stack.pop()
            took = event["time_ns"] - start
            if stack:
                stack[-1][2] += took
            calls, inclusive, exclusive, shortest, longest = found.get(path, (0, 0, 0, took, took))
            found[path] = (calls + 1, inclusive + took, exclusive + took - inside, min(shortest, took), max(longest, took))
        return found

    def test_paths_are_those_of_the_events(self):
        traces = [path for path in sorted(glob.glob(os.path.join(SHARED, "otf", "g*", "*.otf"))) if is_sound(path)] + [EXAMPLE]
        for trace in traces:
            with self.subTest(trace=trace):
                rows = {row["path"]: tuple(row[name] for name in ("calls", "inclusive_ns", "exclusive_ns", "min_ns", "max_ns"))
                        for row in profile(trace, "--by", "path") if row["path"] is not None and row["unfinished"] == 0}
                self.assertEqual({path: values for path, values in self.tree_of(trace).items() if path in rows}, rows)

    def test_tree_has_the_paths_and_fits_a_terminal(self):
        traces = sorted(glob.glob(os.path.join(SHARED, "otf", "g*", "*.otf"))) + [EXAMPLE]
        for trace in traces:
            with self.subTest(trace=trace):
                paths, stack = [], []
                for row in profile(trace, "--tree"):
                    del stack[row["depth"]:]
                    stack.append(row["innermost"])
                    if row["innermost"] is not None:
                        self.assertEqual(row["tree"], "  " * row["depth"] + row["innermost"])
                        paths.append((" > ".join(stack), row["inclusive_ns"]))
                self.assertEqual(sorted(paths), sorted((row["path"], row["inclusive_ns"])
                                                       for row in profile(trace, "--by", "path") if row["path"] is not None))
                out = subprocess.run([QUIPU, "profile", trace, "--tree", "--quiet"], stdout=subprocess.PIPE, check=False,
                                     env=dict(os.environ, COLUMNS="80")).stdout.decode().splitlines()
                self.assertLessEqual(max(map(len, out)), 80)

    def test_threads_and_csv_give_the_same(self):
        for options in (["--tree"], ["--by", "path"], ["--by", "phase"], ["--within", "MPI_*", "--top", "3"]):
            alone, together = (subprocess.run([QUIPU, "profile", EXAMPLE, "--csv", "--threads", threads, *options],
                                              stdout=subprocess.PIPE, check=True).stdout.decode() for threads in ("1", "3"))
            self.assertEqual(alone, together)
            table = list(csv.reader(alone.splitlines()))
            self.assertEqual([[cell or None for cell in row] for row in table[1:]],
                             [[None if cell is None else (f"{cell:g}" if isinstance(cell, float) else str(cell))
                               for cell in row.values()] for row in profile(EXAMPLE, *options)])

    def test_an_index_does_not_change_the_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            index = os.path.join(folder, "phases.qpx")
            subprocess.run([QUIPU, "index", EXAMPLE, "-o", index], check=True, stderr=subprocess.DEVNULL)
            for options in (["--tree"], ["--by", "phase"], ["--by", "region"], ["--within", "MPI_Sendrecv"]):
                self.assertEqual(profile(EXAMPLE, "--with-index", index, *options), profile(EXAMPLE, *options))

    def test_flags_have_no_argument_in_help(self):
        shown = subprocess.run([QUIPU, "profile", "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertRegex(shown, r"--tree +the paths of calls")

    def test_columns_are_not_said_to_be_empty_where_rows_are_left_out(self):
        """The first row has no messages, others have."""
        done = subprocess.run([QUIPU, "profile", EXAMPLE, "-n", "1", "--sort", "calls"], stdout=subprocess.PIPE, check=True, text=True,
                              env={**os.environ, "COLUMNS": "80"})
        whole = subprocess.run([QUIPU, "profile", EXAMPLE, "-n", "0"], stdout=subprocess.PIPE, check=True, text=True,
                               env={**os.environ, "COLUMNS": "80"})
        self.assertRegex(done.stdout, r"(?m)^\(\d+ more rows; ")
        self.assertIn(" zero or empty in these rows)", done.stdout)
        self.assertNotIn("empty", whole.stdout)

    def test_a_trace_without_calls_is_not_a_selection(self):
        done = subprocess.run([QUIPU, "profile", os.path.join(SOURCE, "tests/data/sweep/charisma/ring.ctrace")], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True, text=True)
        self.assertIn(": no calls to show; the trace has events", done.stderr)

    def test_what_cannot_be_asked_is_a_usage_error(self):
        for options in (["--tree", "--by", "host"], ["--end", "x"], ["--within", "nothing"], ["--begin", "MPI_Init"]):
            done = subprocess.run([QUIPU, "profile", EXAMPLE, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))


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
        lifetimes = lifetimes_of(EXAMPLE)
        for row in profile(EXAMPLE, "--by", "mpi"):
            own = [other for other in rows if other["location"] == row["location"]]
            self.assertEqual(row["time_ns"], lifetimes[row["location"]])
            self.assertEqual(row["mpi_ns"], sum(other["exclusive_ns"] for other in own
                                                if other["region"].startswith("MPI_")))
            self.assertEqual(row["outside_ns"], row["time_ns"] - row["mpi_ns"])
            self.assertAlmostEqual(row["mpi_percent"], 100 * row["mpi_ns"] / row["time_ns"], delta=0.00501)

    def test_time_in_mpi_is_that_of_info_with_any_threads_and_with_an_index(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = shutil.copytree(EXAMPLE, os.path.join(folder, "trace"))
            rows = profile(trace, "--by", "mpi")
            info = json.loads(subprocess.run([QUIPU, "info", "--json", trace], stdout=subprocess.PIPE, check=True).stdout)
            self.assertEqual((info["mpi"]["ticks"], info["mpi"]["of_ticks"]),
                             (sum(row["mpi_ns"] for row in rows), sum(row["time_ns"] for row in rows)))
            self.assertEqual(rows, profile(trace, "--by", "mpi", "--threads", "4"))
            subprocess.run([QUIPU, "index", "--count", "5", trace], check=True, stderr=subprocess.DEVNULL)
            self.assertEqual(rows, profile(trace, "--by", "mpi"))

    def test_time_outside_of_calls_is_said_where_shares_do_not_count_it(self):
        """Two calls from 0 to 10 and from 90 to 100, or one all the time."""
        with tempfile.TemporaryDirectory() as folder:
            for events, said in (("0\n*1\nE1\na\n*1\nL1\n5a\n*1\nE1\n64\n*1\nL1\n", b"80.0 % of the time passes outside of any call"),
                                 ("0\n*1\nE1\n64\n*1\nL1\n", b"")):
                for name, text in (("t.otf", "1:1\n"), ("t.0.def", 'DTR3b9aca00\nDP1NM"one"\nDF1G0NM"main"\n'), ("t.1.events", events)):
                    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                        file.write(text)
                trace = os.path.join(folder, "t.otf")
                out = subprocess.run([QUIPU, "profile", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
                self.assertIn(said, out.stderr)
                self.assertEqual(bool(said), bool(out.stderr))
                self.assertEqual([100], [row["time_ns"] for row in profile(trace, "--by", "mpi")])

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
        for by in ("location", "region", "process", "host", "group", "mpi", "path", "phase"):
            out = subprocess.run([QUIPU, "profile", EXAMPLE, "--by", by], stdout=subprocess.PIPE, env=environment,
                                 check=True).stdout.decode().splitlines()
            self.assertLessEqual(max(len(line) for line in out if not line.startswith("(")), 80)
            self.assertRegex(out[2], r"[0-9] (ns|us|ms|s)\b")
        out = subprocess.run([QUIPU, "profile", EXAMPLE, "--by", "mpi", "--unit", "us"], stdout=subprocess.PIPE,
                             env=environment, check=True).stdout.decode()
        self.assertIn("time [us]", out)
        self.assertIn("59096.733", out)  # MPI_Init to MPI_Finalize


if __name__ == "__main__":
    unittest.main()
