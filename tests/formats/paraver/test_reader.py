"""Paraver's traces as they are read: which events lines become, in which order, and what damage costs. Expected values follow from the
lines by the rules of src/formats/paraver/README.md."""
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "cli"))

from folder import FolderTest

RING = SOURCE / "tests" / "data" / "sweep" / "paraver" / "ring.prv"
ANALYSIS = SOURCE / "tests" / "data" / "analysis"
DAMAGED = 3
HEADER = "#Paraver (01/02/2026 at 03:04):1000_ns:1(2):1:2(1:1,2:1),0\n"

# Traces whose analyses are the same after a way through Paraver: all that lines can say, each in a trace of its own. (README.md names
# what they cannot: requests of sends, files, inter-communicators, ends without a partner.)
SAME = ("all-to-all-5", "allgather-in-place", "barrier-nonblocking", "cause-late-receive", "delay-chain", "early-gather", "early-reduce",
        "iterations", "late-bcast", "lr-irecv", "ls-posting-order", "ls-wait", "ls-waitall", "nxn-alltoall", "ring4", "sendrecv-ring", "sub-communicator")
NUMBERS = ("_id", "communicator", "roi_begin_ns", "roi_end_ns")


def quipu(*arguments, codes=(0,)):
    result = subprocess.run([str(BUILD / "quipu"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=60, check=False, encoding="utf-8")
    if result.returncode not in codes:
        raise AssertionError((arguments, result.returncode, result.stderr))
    return result.stdout


def named(event):
    """The event with names instead of numbers, without what is not known."""
    names = {name: value for name, value in event.items() if value is not None and not name.endswith("_name")}
    return {**names, **{name[:-len("_name")]: value for name, value in event.items() if name.endswith("_name") and value is not None}}


def events(trace, *options, codes=(0,)):
    return [named(json.loads(line)) for line in quipu("cat", "--json", trace, *options, codes=codes).splitlines()]


def short(event):
    """Time, kind, location, and what it is about."""
    about = next((event[name] for name in ("region", "metric", "channel", "peer") if name in event), None)
    return event["time_ns"], event["kind"], event["location"], about


def rows(trace, *command):
    """The rows of an answer without numbers of definitions and times that depend on where time begins."""
    found = []
    for block in quipu(*command[:1], "--csv", trace, *command[1:]).replace("\r", "").split("\n\n"):
        table = list(csv.reader(io.StringIO(block)))
        left_out = {i for i, name in enumerate(table[0]) if name.endswith(NUMBERS)} if table else set()
        found += [tuple(value for i, value in enumerate(row) if i not in left_out) for row in table]
    return sorted(found)


class Reader(FolderTest):
    def trace(self, lines, header=HEADER, name="t.prv"):
        return self.write(name, header + lines)

    def write(self, name, text):
        path = pathlib.Path(self.path(name))
        path.write_text(text, encoding="utf-8")
        return path

    # ---- Events ----

    def test_calls_of_mpi_and_functions_are_regions_with_roles(self):
        found = json.loads(quipu("definitions", "--json", RING))
        text = json.dumps(found)
        for name, role in (("MPI_Isend", "mpi-p2p"), ("MPI_Allreduce", "mpi-collective"), ("main", "function")):
            self.assertIn(name, text)
            self.assertIn(role, text)
        entered = [short(event) for event in events(RING, "--kind", "enter") if event["time_ns"] == 100]
        self.assertEqual(entered, [(100, "enter", "first", "MPI_Isend"), (100, "enter", "THREAD 1.2.1", "MPI_Irecv")])

    def test_a_function_in_itself_may_be_entered_again_when_it_is_left(self):
        """Functions of programs of MPI are a stack: after 0, a value is another call, and not what is around the one that was left."""
        lines = "".join(f"2:1:1:1:1:{time}:60000019:{value}\n" for time, value in ((0, 1), (10, 1), (20, 0), (20, 1), (30, 0), (40, 0)))
        trace = self.write("again.prv", "#Paraver (01/02/2026 at 03:04):40_ns:1(2):1:1(1:1),0\n" + lines)
        self.assertEqual([(event["time_ns"], event["kind"]) for event in events(trace)],
                         [(0, "enter"), (10, "enter"), (20, "leave"), (20, "enter"), (30, "leave"), (40, "leave")])

    def test_a_receive_is_posted_by_its_call_and_ends_in_the_wait(self):
        """Posted at 100 in MPI_Irecv, arrived at 300, which is also the end of MPI_Wait."""
        second = [event for event in events(RING) if event["location"] == "THREAD 1.2.1"]
        kinds = [(event["time_ns"], event["kind"]) for event in second if event["kind"] != "metric"]
        self.assertEqual(kinds[1:8], [(100, "enter"), (100, "recv_post"), (130, "leave"), (150, "send"), (200, "enter"), (300, "recv"), (300, "leave")])
        post, receive = (next(event for event in second if event["kind"] == kind) for kind in ("recv_post", "recv"))
        self.assertEqual(post["request"], receive["request"])
        self.assertEqual((receive["tag"], receive["bytes"], receive["peer"]), (5, 64, "first"))

    def test_a_receive_in_a_call_that_waits_for_it_is_not_posted(self):
        """MPI_Recv from 200 on, which receives at 290: no request."""
        first = [event for event in events(RING) if event["location"] == "first" and event["kind"] in ("recv_post", "recv")]
        self.assertEqual([(event["time_ns"], event["kind"], "request" in event) for event in first], [(290, "recv", False)])

    def test_collective_operations_last_as_long_as_their_calls(self):
        found = [event for event in events(RING) if event["kind"].startswith("collective")]
        self.assertEqual([(event["time_ns"], event["kind"]) for event in found],
                         [(400, "collective_begin"), (410, "collective_begin"), (420, "collective_begin")] + 3 * [(450, "collective_end")])
        for event in found:
            self.assertEqual((event["operation"], event["communicator"], event["sent"], event["received"]), ("allreduce", "communicator 1", 8, 8))
        self.assertEqual([event.get("root") for event in found[:3]], ["first", None, None])

    def test_a_counter_counts_up_to_the_call_of_its_line(self):
        trace = self.trace("2:1:1:1:1:5:50000001:2:42000050:7\n2:1:1:1:1:9:50000001:0:42000050:8\n")
        self.assertEqual([(event["kind"], event.get("value")) for event in events(trace)],
                         [("metric", 7), ("enter", None), ("metric", 8), ("leave", None)])

    def test_recursive_functions_end_one_by_one(self):
        trace = self.trace("2:1:1:1:1:1:60000019:4\n2:1:1:1:1:2:60000019:4\n2:1:1:1:1:3:60000019:0\n2:1:1:1:1:4:60000019:0\n")
        self.assertEqual([short(event) for event in events(trace)],
                         [(1, "enter", "THREAD 1.1.1", "function 4"), (2, "enter", "THREAD 1.1.1", "function 4"),
                          (3, "leave", "THREAD 1.1.1", "function 4"), (4, "leave", "THREAD 1.1.1", "function 4")])

    def test_zeros_where_nothing_is_active_are_no_events(self):
        """As in the first and last lines of a trace that was cut out of another one."""
        self.assertEqual(events(self.trace("2:1:1:1:1:0:50000001:0\n2:1:1:1:1:9:50000001:0:50000002:0:50100001:0:50100004:0\n")), [])

    def test_types_with_labels_are_channels_and_others_metrics(self):
        self.write("t.pcf", "EVENT_TYPE\n7 9000 Phase\nVALUES\n3  third one\n")
        found = events(self.trace("2:1:1:1:1:1:9000:3:9001:-4\n"))
        self.assertEqual([(event["kind"], event.get("channel"), event.get("metric"), event["value"]) for event in found],
                         [("state_set", "Phase", None, "third one"), ("metric", None, "type 9001", -4)])

    def test_types_have_names_where_no_value_has_a_label(self):
        self.write("t.pcf", "EVENT_TYPE\n7 9000 Phase\n")
        self.assertEqual([(event["kind"], event["metric"], event["value"]) for event in events(self.trace("2:1:1:1:1:1:9000:3\n"))],
                         [("metric", "Phase", 3)])

    def test_states_are_regions_where_nothing_else_is(self):
        self.write("t.pcf", "STATES\n1    Running\n")
        lines = "1:1:1:1:1:10:30:1\n1:1:1:1:1:0:10:0\n1:2:1:2:1:5:5:1\n1:2:1:2:1:5:-1:1\n"
        self.assertEqual([short(event)[:2] + short(event)[3:] for event in events(self.trace(lines))],
                         [(0, "enter", "state 0"), (10, "leave", "state 0"), (10, "enter", "Running"), (30, "leave", "Running")])
        found = events(self.trace(lines + "2:1:1:1:1:12:50000003:19\n"))
        self.assertEqual([short(event) for event in found], [(12, "enter", "THREAD 1.1.1", "MPI_Comm_rank")])

    def test_states_that_end_before_they_begin_are_found(self):
        self.assertIn("paraver.state-end", quipu("check", self.trace("1:1:1:1:1:10:9:1\n"), codes=(1,)))

    def test_times_have_the_unit_of_the_header(self):
        for unit, ticks in (("_ns", 1), ("", 1000), ("_us", 1000), ("_ms", 1000000)):
            header = HEADER.replace("_ns", unit)
            self.assertEqual(events(self.trace("2:1:1:1:1:7:9001:1\n", header))[0]["time_ns"], 7 * ticks)

    def test_lines_of_one_thread_after_the_other_are_the_same_events(self):
        """Then each thread is a substream of its own, which a merge puts in order."""
        header, *lines = RING.read_text(encoding="utf-8").splitlines(keepends=True)
        threads = collections.defaultdict(list)
        for line in lines:
            threads[tuple(line.split(":")[2:5]) if line[0] in "123" else ("",)].append(line)
        for suffix in ("pcf", "row"):
            self.write(f"t.{suffix}", RING.with_suffix("." + suffix).read_text(encoding="utf-8"))
        trace = self.trace("".join(sum(threads.values(), [])), header)
        in_order = sorted(short(event) for event in events(RING))
        self.assertEqual(sorted(short(event) for event in events(trace)), in_order)
        times = [event["time_ns"] for event in events(trace)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(rows(trace, "profile"), rows(RING, "profile"))
        self.assertEqual(rows(trace, "waits"), rows(RING, "waits"))

    # ---- Names ----

    def test_threads_have_the_names_of_rows_and_are_below_their_tasks(self):
        """The fourth thread is the second one of task 3. Of the four names that .row announces there is only the first."""
        table = json.loads(quipu("definitions", "--json", RING))["tables"][0]
        names = [column["name"] for column in table["columns"]]
        found = [dict(zip(names, row)) for row in table["rows"]]
        self.assertEqual([(row["name"], row["kind"], row["parent_name"], row["host"]) for row in found],
                         [("first", "process", None, "a"), ("THREAD 1.2.1", "process", None, "a"), ("THREAD 1.3.1", "process", None, "b"),
                          ("THREAD 1.3.2", "thread", "THREAD 1.3.1", "b")])

    def test_several_applications_have_processes_each(self):
        trace = self.trace("2:1:2:1:1:3:50000003:19\n", "#Paraver (x):9_ns:0:2:1(1:1):1(1:1)\n")
        self.assertEqual([short(event) for event in events(trace)], [(3, "enter", "THREAD 2.1.1", "MPI_Comm_rank")])
        self.assertIn("application 2", quipu("definitions", trace))

    # ---- There and back ----

    def test_a_copy_has_every_line_and_the_same_names(self):
        copy = pathlib.Path(self.path("copy.prv"))
        quipu("convert", RING, "-o", copy)
        before, after = (path.read_text(encoding="utf-8").splitlines() for path in (RING, copy))
        self.assertEqual(after[1:], before[1:])
        self.assertEqual(after[0], before[0].replace("00000000000000001000_ns", "1000_ns"))
        for suffix in (".pcf", ".row"):
            self.assertEqual(copy.with_suffix(suffix).read_bytes(), RING.with_suffix(suffix).read_bytes())

    def test_a_compressed_trace_has_its_names(self):
        path = pathlib.Path(self.path("z.prv.gz"))
        path.write_bytes(gzip.compress(RING.read_bytes()))
        pathlib.Path(self.path("z.row")).write_bytes(RING.with_suffix(".row").read_bytes())
        pathlib.Path(self.path("z.pcf.gz")).write_bytes(gzip.compress(RING.with_suffix(".pcf").read_bytes()))
        self.assertEqual([short(event) for event in events(path)], [short(event) for event in events(RING)])

    def test_analyses_are_those_of_the_trace_that_was_converted(self):
        for name in SAME:
            source = min((path for path in (ANALYSIS / name).iterdir() if path.suffix in (".otf", ".meta")), key=lambda path: len(path.name))
            converted = self.path("back.prv")
            quipu("convert", "--force", source, "-o", converted, codes=(0, 1))
            quipu("check", converted)
            for command in ("profile", "comm", "waits", "efficiency"):
                self.assertEqual(rows(converted, command), rows(source, command), (name, command))

    # ---- Damage ----

    def test_a_line_that_is_no_record_is_found_and_the_others_are_read(self):
        trace = self.trace("2:1:1:1:1:1:9001:1\n2:1:1:1:1:2:9001\nrubbish\n2:1:1:1:1:3:9001:3\n2:1:1:1:1:4:9001:44")
        self.assertEqual([event["value"] for event in events(trace, codes=(DAMAGED,))], [1, 3])
        found = json.loads(quipu("check", "--json", trace, codes=(1, DAMAGED)))["findings"]
        self.assertEqual([(finding["rule"], finding["line"]) for finding in found],
                         [("paraver.line", 3), ("paraver.line", 4), ("paraver.cut", 6)])

    def test_without_a_header_the_threads_are_those_of_the_lines(self):
        trace = self.trace("2:1:1:2:1:3:50000003:19\n", "")
        self.assertEqual([short(event) for event in events(trace, "--from-format", "paraver", codes=(DAMAGED,))],
                         [(3, "enter", "THREAD 1.2.1", "MPI_Comm_rank")])

    def test_threads_that_the_header_does_not_have_are_found_and_read(self):
        trace = self.trace("2:1:1:9:1:3:50000003:19\n2:1:1:99999999:1:4:50000003:0\n")
        self.assertEqual([short(event) for event in events(trace, codes=(DAMAGED,))], [(3, "enter", "THREAD 1.9.1", "MPI_Comm_rank")])
        found = json.loads(quipu("check", "--json", trace, codes=(1, DAMAGED)))["findings"]
        self.assertEqual({finding["rule"] for finding in found} & {"paraver.object", "paraver.beyond"}, {"paraver.object", "paraver.beyond"})

    def test_numbers_of_threads_that_nothing_speaks_of_take_no_memory(self):
        trace = self.trace("2:1:1:1:1:1:9001:1\n", "#Paraver (x):9_ns:0:1:1(4000000000:1)\n")
        self.assertEqual(len(events(trace)), 1)

    def test_communicators_are_compared_with_the_header(self):
        trace = self.trace("c:1:1:2:1:7\n2:1:1:1:1:1:50000002:8:50100004:5\n", HEADER.replace(",0\n", ",2\n"))
        found = json.loads(quipu("check", "--json", trace, codes=(0, 1, DAMAGED)))["findings"]
        self.assertLessEqual({"paraver.communicators", "paraver.communicator", "paraver.member"}, {finding["rule"] for finding in found})


if __name__ == "__main__":
    unittest.main()
