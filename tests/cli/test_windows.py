"""Windows of time: calls count with their part inside, events at their own time, so windows that touch add up to the whole."""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import drawn_traces

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
OWN = (os.path.join(SOURCE, "tests", "data", "where", "w.otf"), os.path.join(SOURCE, "examples", "traces", "phases"))
ADDING = ("exclusive_ns", "inclusive_ns", "time_ns", "mpi_ns", "outside_ns", "calls", "bytes_sent", "bytes_received", "messages_sent",
          "messages_received", "collectives", "collective_bytes_sent", "collective_bytes_received", "unfinished", "unmatched", "total_ns")
KEYS = ("path", "tree", "annotation", "phase", "location", "location_id", "process", "host", "region", "region_id", "group")
DIVISIONS = [("--by", by) for by in ("location", "region", "process", "host", "group", "mpi", "path")] + [("--tree",)]


def ask(command, trace, *options):
    """Rows of all tables as pairs of the table's name and a dictionary."""
    run = subprocess.run([QUIPU, command, trace, "--json", "--quiet", *options], stdout=subprocess.PIPE, check=False)
    answer = json.loads(run.stdout)
    return [(table["table"], dict(zip((column["name"] for column in table["columns"]), row)))
            for table in answer.get("tables", [answer]) for row in table["rows"]]


def totals(rows):
    """By what a row is of: its columns that add. Rows that say nothing are none."""
    found = {}
    for table, row in rows:
        if table not in ("profile", "regions"):
            continue
        key = (table,) + tuple(row.get(column) for column in KEYS)
        values = found.setdefault(key, dict.fromkeys((column for column in ADDING if column in row), 0))
        for column in values:
            values[column] += row[column]
    return {key: values for key, values in found.items() if any(values.values())}


def events_of(trace):
    run = subprocess.run([QUIPU, "cat", trace, "--json", "--quiet"], stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def cuts_of(trace):
    """Times in ticks at which to cut: of events in the middle, and between them."""
    times = sorted({event["time"] for event in events_of(trace)})
    return sorted({times[len(times) * part // 5] + more for part in (1, 2, 3) for more in (0, 1)}) if len(times) > 4 else []


def windows(cuts):
    edges = [None, *cuts, None]
    for since, until in zip(edges, edges[1:]):
        yield (["--since", str(since)] if since is not None else []) + (["--until", str(until)] if until is not None else [])


def commands_with_windows():
    """Analyses, and the options of a window of all that a trace has."""
    names = re.findall(r"^  ([a-z-]+)", subprocess.run([QUIPU, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode(), re.MULTILINE)
    for name in names:
        usage = subprocess.run([QUIPU, name, "--help"], stdout=subprocess.PIPE, check=False).stdout.decode()
        if "--until TIME" in usage and "--csv" in usage and name not in ("cat", "table"):
            yield name, ("--until", "end") if "--until TIME|end" in usage else ()


def write_otf(folder, events, processes=1):
    """A trace of nanoseconds with regions 1 (a), 2 (b) and MPI_Init (3), one process a stream."""
    stub = os.path.join(folder, "t")
    names = {1: "a", 2: "b", 3: "MPI_Init"}
    texts = {".otf": "".join(f"{process}:{process}\n" for process in range(1, processes + 1)),
             ".0.def": "DTR3b9aca00\n" + "".join(f'DP{process}NM"p{process}"\n' for process in range(1, processes + 1)) +
                       'DFG1NM"MPI"\n' + "".join(f'DF{number}G1NM"{name}"\n' for number, name in names.items())}
    for process in range(1, processes + 1):
        texts[f".{process}.events"] = "".join(f"{time:x}\n*{process:x}\n{what}\n" for at, time, what in events if at == process)
    for suffix, text in texts.items():
        with open(stub + suffix, "w", encoding="ascii") as file:
            file.write(text)
    return stub + ".otf"


class Windows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def traces(self):
        yield from OWN
        for pattern in ("otf/e0[1-6]/*.otf", "dumpi/p2p-ompi/*.meta", "dumpi/annot-ompi/*.meta", "analysis/threads/*.otf"):
            yield from sorted(glob.glob(os.path.join(SHARED, pattern)))[:6]

    def assert_adds_up(self, command, trace, options, cuts, more=()):
        whole = totals(ask(command, trace, *options, *more))
        total = totals([row for window in windows(cuts) for row in ask(command, trace, *options, *window, *more)])
        self.assertEqual(total, whole, (command, trace, options, cuts))

    def test_windows_that_touch_add_up(self):
        tried = 0
        for trace in self.traces():
            cuts = cuts_of(trace)
            for options in DIVISIONS:
                self.assert_adds_up("profile", trace, options, cuts)
            self.assert_adds_up("calls", trace, ("--top", "0"), cuts)
            tried += len(cuts) > 0
        self.assertGreaterEqual(tried, len(OWN))

    def test_phases_and_what_is_within_add_up(self):
        trace = OWN[1]
        for options in (("--by", "phase"), ("--within", "*", "--by", "region"), ("--within", "*", "--by", "path")):
            self.assert_adds_up("profile", trace, options, cuts_of(trace))

    def test_an_index_and_threads_change_nothing(self):
        trace = write_otf(self.folder, [(process, time, what) for process in (1, 2, 3) for time, what in
                                        [(5, "E1")] + [(10 * i + d, w) for i in range(1, 4000) for d, w in ((0, "E2"), (7, "L2"))]],
                          processes=3)
        asked = [(*command, *window) for command in (("profile", trace), ("profile", trace, "--by", "mpi"), ("calls", trace))
                 for window in windows([20000, 30005])]
        plain = [ask(*words, "--threads", "1") for words in asked]
        self.assertEqual([ask(*words, "--threads", "3") for words in asked], plain)
        subprocess.run([QUIPU, "index", trace, "--quiet"], check=True)
        self.assertEqual([ask(*words) for words in asked], plain)

    def test_windows_of_drawn_traces_add_up(self):
        """Cuts in the middle of calls that nest, recur and are never left, at times of events and between them."""
        more = (("--no-index",), ("--threads", "1"), ("--no-index", "--threads", "2"), ("--no-index", "--location", "1"),
                ("--no-index", "--where", "region ~ MPI"))
        divisions = [*DIVISIONS, ("--by", "phase"), ("--within", "work", "--by", "region"), ("--within", "MPI_*", "--by", "path"),
                     ("--within", "work", "--tree"), ("--within", "main", "--by", "mpi"), ("--within", "work", "--by", "group")]
        for seed in range(5):
            chance = random.Random(seed)
            drawn = drawn_traces.Drawn(chance, chance.randint(2, 4), 120).draw()
            trace = drawn_traces.write(os.path.join(self.folder, f"d{seed}.otf"), drawn)
            subprocess.run([QUIPU, "index", trace, "--quiet", "--count", "7"], check=True)
            times = sorted({time for events in drawn.program for time, _ in events})
            cuts = sorted({chance.choice(times) + chance.choice((0, 0, 1)) for _ in range(3)})
            for options in divisions:
                self.assert_adds_up("profile", trace, options, cuts, more[seed])
            self.assert_adds_up("calls", trace, ("--top", "0"), cuts, more[seed])

    def test_a_call_that_lasts_all_the_time_is_there(self):
        """MPI_Init from 10 to 90; the window from 30 to 50 has no event."""
        trace = write_otf(self.folder, [(1, 10, "E3"), (1, 90, "L3")])
        self.assertEqual([(row["region"], row["exclusive_ns"], row["inclusive_ns"], row["calls"], row["min_ns"], row["max_ns"])
                          for _, row in ask("profile", trace, "--since", "30", "--until", "50")], [("MPI_Init", 20, 20, 0, 20, 20)])
        self.assertEqual([(row["time_ns"], row["mpi_ns"]) for _, row in
                          ask("profile", trace, "--by", "mpi", "--since", "30", "--until", "50")], [(20, 20)])
        calls = ask("calls", trace, "--since", "30", "--until", "50")
        self.assertEqual([(row["region"], row["start_ns"], row["duration_ns"]) for table, row in calls if table == "longest"],
                         [("MPI_Init", 30, 20)])
        self.assertEqual([(row["calls"], row["total_ns"]) for table, row in calls if table == "regions"], [(0, 20)])

    def test_recursive_calls_count_once_from_the_begin_of_the_window(self):
        """a 10..100 calls b 20..60, which calls a 30..50: in [40, 70) a is there 30 ns, 10 of them and another 10 alone."""
        trace = write_otf(self.folder, [(1, 10, "E1"), (1, 20, "E2"), (1, 30, "E1"), (1, 50, "L1"), (1, 60, "L2"), (1, 100, "L1")])
        rows = {row["region"]: (row["exclusive_ns"], row["inclusive_ns"], row["calls"])
                for _, row in ask("profile", trace, "--since", "40", "--until", "70")}
        self.assertEqual(rows, {"a": (20, 30, 0), "b": (10, 20, 0)})

    def test_only_calls_that_are_never_left_are_unfinished_where_they_were_entered(self):
        """a is entered at 10 and never left; b from 20 to 60; the last event is at 60."""
        trace = write_otf(self.folder, [(1, 10, "E1"), (1, 20, "E2"), (1, 60, "L2")])
        found = {until: {row["region"]: (row["unfinished"], row["exclusive_ns"])
                         for _, row in ask("profile", trace, "--since", since, "--until", until)}
                 for since, until in (("0", "40"), ("40", "70"))}
        self.assertEqual(found, {"40": {"a": (1, 10), "b": (0, 20)}, "70": {"a": (0, 0), "b": (0, 20)}})

    def test_the_last_instant_belongs_to_the_window_that_ends_there(self):
        """Calls without length, and a message that is received at once, at 60 of location 2, where the trace ends."""
        trace = write_otf(self.folder, [(1, 10, "E1"), (1, 60, "S2L7T0C0"), (2, 10, "E3"), (2, 60, "R1L7T0C0"), (2, 60, "L3"),
                                        (2, 60, "E2"), (2, 60, "L2"), (1, 60, "L1")], processes=2)
        commands = dict(commands_with_windows())
        self.assertLessEqual({"profile", "calls", "timeline", "messages", "waits", "efficiency", "why", "io", "tasks"}, set(commands))
        for traces, more in (([trace], ("--location", "1")), ([trace, *self.traces()], ()), ([trace], ("--no-index", "--threads", "2"))):
            for name in traces:
                last = str(max((event["time"] for event in events_of(name)), default=0))
                for command, whole in commands.items():
                    with self.subTest(command=command, trace=name, more=more):
                        self.assertEqual(*(subprocess.run([QUIPU, command, name, "--csv", "--wide", "--quiet", *window, *more],
                                                          stdout=subprocess.PIPE, check=False).stdout for window in (("--until", last), whole)))
        self.assertEqual([sum(table == "messages" for table, _ in ask("messages", trace, "--until", until)) for until in ("59", "60")], [0, 1])
        rows = {row["region"]: row["calls"] for _, row in ask("profile", trace, "--since", "50", "--until", "60")}
        self.assertEqual(rows["b"], 1)

    def test_windows_of_chosen_locations_add_up(self):
        trace = OWN[0]
        for more in (("--location", "alpha"), ("--location", "beta"), ("--where", "location == \"beta\"")):
            self.assert_adds_up("profile", trace, ("--by", "location"), cuts_of(trace), more)


if __name__ == "__main__":
    unittest.main()
