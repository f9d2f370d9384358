"""A trace of an MPI program for Paraver: tasks, states, events and messages as Extrae writes them, compared with the events of the trace.
The numbers are those of Extrae's sources and of Paraver's configurations (src/formats/paraver/README.md)."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "cli"))

from folder import FolderTest

RING = SOURCE / "tests" / "data" / "sweep" / "dumpi" / "ring.meta"
PHASES = SOURCE / "examples" / "traces" / "phases"
OVNI = SOURCE / "tests" / "data" / "sweep" / "ovni"
PICL = SOURCE / "tests" / "data" / "sweep" / "picl" / "ring.picl"
SHARED = SOURCE / ".." / "shared" / "traces" / "dumpi"
POINT_TO_POINT, COLLECTIVE, OTHER, ONE_SIDED, IO = range(50000001, 50000006)
CALLS = range(POINT_TO_POINT, IO + 1)
SENT, RECEIVED, ROOT, COMMUNICATOR = range(50100001, 50100005)
RMA_SIZE, RMA_TARGET, IO_SIZE = 50001000, 50001001, 50000110
NOT_CREATED, RUNNING = 2, 1

# Function: type, value, state of the thread meanwhile.
EXTRAE = {
    "MPI_Send": (POINT_TO_POINT, 1, 4), "MPI_Recv": (POINT_TO_POINT, 2, 3), "MPI_Isend": (POINT_TO_POINT, 3, 10),
    "MPI_Irecv": (POINT_TO_POINT, 4, 11), "MPI_Wait": (POINT_TO_POINT, 5, 8), "MPI_Waitall": (POINT_TO_POINT, 6, 8),
    "MPI_Sendrecv": (POINT_TO_POINT, 41, 16), "MPI_Waitany": (POINT_TO_POINT, 59, 8), "MPI_Probe": (POINT_TO_POINT, 61, 6),
    "MPI_Bcast": (COLLECTIVE, 7, 13), "MPI_Barrier": (COLLECTIVE, 8, 13), "MPI_Reduce": (COLLECTIVE, 9, 13),
    "MPI_Gather": (COLLECTIVE, 13, 13), "MPI_Allreduce": (COLLECTIVE, 10, 13), "MPI_Alltoall": (COLLECTIVE, 11, 13), "MPI_Scan": (COLLECTIVE, 30, 13),
    "MPI_Comm_rank": (OTHER, 19, 15), "MPI_Comm_size": (OTHER, 20, 15), "MPI_Comm_dup": (OTHER, 22, 15),
    "MPI_Init": (OTHER, 31, 15), "MPI_Init_thread": (OTHER, 31, 15), "MPI_Finalize": (OTHER, 32, 15), "MPI_Test": (OTHER, 39, 8),
    "MPI_Put": (ONE_SIDED, 65, 17), "MPI_Get": (ONE_SIDED, 66, 17), "MPI_Win_fence": (ONE_SIDED, 68, 17),
    "MPI_Win_start": (ONE_SIDED, 69, 15), "MPI_Win_complete": (ONE_SIDED, 70, 15),
    "MPI_File_open": (IO, 141, 12), "MPI_File_close": (IO, 142, 12), "MPI_File_write_at": (IO, 149, 12),
}
HEAD = re.compile(r"#Paraver \((\d\d)/(\d\d)/(\d{4}) at (\d\d):(\d\d)\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\),(\d+)")


def quipu(*arguments):
    result = subprocess.run([str(BUILD / "quipu"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=60, check=False, encoding="utf-8")
    if result.returncode not in (0, 3):
        raise AssertionError(result.stderr)
    return result.stdout


class Trace:
    """The three files of a trace, and the events that they are to show. Objects are (CPU, application, task, thread)."""

    def __init__(self, folder, source):
        quipu("convert", source, "-o", os.path.join(folder, "t.prv"), "--force", "--quiet")
        self.lines, self.pcf, self.row = (pathlib.Path(folder, "t." + suffix).read_text(encoding="utf-8").splitlines()
                                          for suffix in ("prv", "pcf", "row"))
        self.events = [json.loads(line) for line in quipu("cat", "--json", source).splitlines()]
        self.origin = self.events[0]["time_ns"]
        self.head = HEAD.fullmatch(self.lines[0])
        communicators = int(self.head[11]) if self.head else 0
        self.communicators = [list(map(int, line[2:].split(":"))) for line in self.lines[1:1 + communicators]]
        self.states, self.values, self.messages = collections.defaultdict(list), collections.defaultdict(list), []
        for line in self.lines[1 + communicators:]:
            numbers = list(map(int, line.split(":")))
            thread = tuple(numbers[1:5])
            if numbers[0] == 1:
                self.states[thread].append(tuple(numbers[5:]))
            elif numbers[0] == 2:
                self.values[thread] += [(numbers[5], kind, value) for kind, value in zip(numbers[6::2], numbers[7::2])]
            else:
                self.messages.append((thread, *numbers[5:7], tuple(numbers[7:11]), *numbers[11:]))
        self.threads = [(task, thread + 1) for task, count in enumerate(self.thread_counts(), 1) for thread in range(count)]

    def thread_counts(self):
        return [int(task.split(":")[0]) for task in self.head[10].split(",")] if self.head else []

    def time(self, event):
        return event["time_ns"] - self.origin

    def level(self, name):
        at = next(i for i, line in enumerate(self.row) if re.fullmatch(fr"LEVEL {name} SIZE \d+", line))
        return self.row[at + 1:at + 1 + int(self.row[at].split()[-1])]

    def thread_of(self, name):
        numbers = self.threads[self.level("THREAD").index(name)]
        return next(thread for thread in self.states if thread[2:] == numbers)

    def calls(self):
        """Enters and leaves of MPI by thread, with the function, in the order of the trace; and whether it is entered."""
        calls, active = collections.defaultdict(list), collections.defaultdict(list)
        for event in self.events:
            if event["kind"] == "enter":
                active[event["location"]].append(event["region_name"])
                calls[self.thread_of(event["location_name"])].append((self.time(event), event["region_name"], True))
            elif event["kind"] == "leave":
                calls[self.thread_of(event["location_name"])].append((self.time(event), active[event["location"]].pop(), False))
        return calls

    def labels(self, section):
        """Labels by value of a type, or of "STATES"."""
        text = "\n".join(self.pcf)
        if section == "STATES":
            found = re.search(r"^STATES\n((?:\d.*\n)+)", text, re.M)
        else:
            found = re.search(rf"^0 {section} +[^\n]*\nVALUES\n((?:\d.*(?:\n|\Z))+)", text, re.M)
        return dict((int(line.split()[0]), line.split(None, 1)[1]) for line in found[1].splitlines()) if found else {}


class Mpi(FolderTest):
    def trace(self, source):
        return Trace(self.folder, source)

    def shared(self, name):
        return self.trace(SHARED / name)

    def test_head_has_date_duration_nodes_tasks_and_communicators(self):
        trace = self.trace(RING)
        self.assertIsNotNone(trace.head, trace.lines[0])
        day, month, year, hour, minute, duration = map(int, trace.head.groups()[:6])
        self.assertIn(f"recorded       {year:04}-{month:02}-{day:02} {hour:02}:{minute:02}", quipu("info", RING))
        self.assertEqual(max(map(trace.time, trace.events)), duration)
        self.assertEqual(("1", "2", "2", "1:1,1:1", "3"), trace.head.groups()[6:])
        self.assertEqual([[1, 1, 2, 1, 2], [1, 2, 1, 1], [1, 3, 1, 2]], trace.communicators)

    def assert_states_partition_the_time(self, trace):
        duration = int(trace.head[6])
        self.assertEqual(sorted(trace.threads), sorted(thread[2:] for thread in trace.states))
        for thread, states in trace.states.items():
            self.assertEqual([0] + [end for _, end, _ in states], [begin for begin, _, _ in states] + [duration], thread)
            self.assertTrue(all(begin < end for begin, end, _ in states), thread)

    def test_states_partition_the_time_of_each_thread(self):
        for source in (RING, PHASES):
            self.assert_states_partition_the_time(self.trace(source))

    def test_states_are_those_of_the_calls(self):
        for source in (RING, PHASES):
            trace = self.trace(source)
            for thread, calls in trace.calls().items():
                of_times = {begin: state for begin, _, state in trace.states[thread]}
                for (time, function, is_enter), following in zip(calls, calls[1:]):
                    if time < following[0] and function in EXTRAE:
                        self.assertEqual(EXTRAE[function][2] if is_enter else RUNNING, of_times[time], (function, time))

    def test_threads_are_not_there_before_their_first_event(self):
        trace = self.trace(PHASES)
        first, last = {}, {}
        for event in trace.events:
            first.setdefault(trace.thread_of(event["location_name"]), trace.time(event))
            last[trace.thread_of(event["location_name"])] = trace.time(event)
        for thread, states in trace.states.items():
            absent = [(begin, end) for begin, end, state in states if state == NOT_CREATED]
            expected = [(0, first[thread]), (last[thread], int(trace.head[6]))]
            self.assertEqual([part for part in expected if part[0] < part[1]], absent)

    def test_every_call_is_an_event_of_its_type_and_value(self):
        for source in (RING, PHASES):
            trace = self.trace(source)
            for thread, calls in trace.calls().items():
                calls = [call for call in calls if call[1].startswith("MPI_")]
                expected = [(time, EXTRAE[function][0], EXTRAE[function][1] if is_enter else 0) for time, function, is_enter in calls]
                self.assertTrue(expected)
                self.assertEqual(expected, [value for value in trace.values[thread] if value[1] in CALLS])

    def test_every_message_is_a_line_with_the_times_of_its_calls(self):
        """By their order per sender, receiver and tag; receives are ready when they are posted, sends when they are called."""
        for source in (RING, PHASES):
            trace = self.trace(source)
            entered, posted, sent, expected = {}, {}, collections.defaultdict(list), []
            for event in trace.events:
                here = event["location_name"]
                if event["kind"] == "enter":
                    entered[here] = trace.time(event)
                elif event["kind"] == "recv_post":
                    posted[here, event["request"]] = trace.time(event)
                elif event["kind"] == "send":
                    sent[here, event["peer_name"], event["communicator"], event["tag"]].append((entered[here], trace.time(event)))
                elif event["kind"] == "recv":
                    peer = event["peer_name"]
                    ready = posted.get((here, event.get("request")), entered[here])
                    expected.append((trace.thread_of(peer), *sent[peer, here, event["communicator"], event["tag"]].pop(0),
                                     trace.thread_of(here), ready, trace.time(event), event["bytes"], event["tag"]))
            self.assertTrue(expected)
            self.assertEqual(sorted(expected), sorted(trace.messages))

    def test_all_values_and_states_have_labels(self):
        for source in (RING, PHASES):
            trace = self.trace(source)
            names = trace.labels("STATES")
            self.assertEqual("Running", names[1])
            self.assertEqual("Waiting a message", names[3])
            for states in trace.states.values():
                self.assertLessEqual({state for _, _, state in states}, set(names))
            used = {(kind, value) for values in trace.values.values() for _, kind, value in values if kind in CALLS}
            labels = {kind: trace.labels(kind) for kind, _ in used}
            for kind, value in used:
                self.assertIn(value, labels[kind])
                self.assertEqual("Outside MPI", labels[kind][0])
            functions = {event["region_name"] for event in trace.events if event["kind"] == "enter"}
            for function in functions & set(EXTRAE):
                self.assertEqual(function, labels[EXTRAE[function][0]][EXTRAE[function][1]])

    def test_types_are_called_as_configurations_look_for_them(self):
        text = "\n".join(self.trace(RING).pcf)
        for number, label in ((POINT_TO_POINT, "MPI Point-to-point"), (COLLECTIVE, "MPI Collective Comm"), (OTHER, "MPI Other"),
                              (SENT, "Send Size in MPI Global OP"), (RECEIVED, "Recv Size in MPI Global OP"),
                              (COMMUNICATOR, "Communicator in MPI Global OP")):
            self.assertRegex(text, rf"(?m)^0 {number} +{label}$")

    def test_rows_have_names_on_all_levels(self):
        trace = self.trace(RING)
        self.assertEqual(["rank 0", "rank 1"], trace.level("TASK"))
        self.assertEqual(["rank 0", "rank 1"], trace.level("THREAD"))
        nodes = trace.level("NODE")
        self.assertEqual(1, len(nodes))
        self.assertEqual([f"1.{nodes[0]}", f"2.{nodes[0]}"], trace.level("CPU"))

    # needs: shared
    def test_collective_operations_say_sizes_communicator_and_root(self):
        trace = self.shared("coll-ompi")
        for event in trace.events:
            if event["kind"] != "collective_begin":
                continue
            thread, time = trace.thread_of(event["location_name"]), trace.time(event)
            said = {kind: value for at, kind, value in trace.values[thread] if at == time}
            self.assertEqual((event["sent"], event["received"], event["communicator"] + 1),
                             (said[SENT], said[RECEIVED], said[COMMUNICATOR]))
            self.assertEqual(1 if event.get("root") == event["location"] else None, said.get(ROOT), event)
        self.assertTrue({ROOT, COLLECTIVE} <= {kind for values in trace.values.values() for _, kind, _ in values})

    # needs: shared
    def test_one_sided_operations_say_size_and_target(self):
        trace = self.shared("rma-ompi")
        operations = [event for event in trace.events if event["kind"] == "rma_begin"]
        self.assertTrue(operations)
        for event in operations:
            thread, time = trace.thread_of(event["location_name"]), trace.time(event)
            said = {kind: value for at, kind, value in trace.values[thread] if at == time}
            self.assertEqual((event["bytes"], int(event["target_name"].split()[1])), (said[RMA_SIZE], said[RMA_TARGET]))

    # needs: shared
    def test_io_says_sizes_at_both_ends_of_a_call(self):
        trace = self.shared("io-ompi")
        called, moved = {}, 0
        for event in trace.events:
            if event["kind"] == "enter":
                called[event["location"]] = event["region_name"]
            elif event["kind"] in ("io_begin", "io_end") and called[event["location"]].startswith("MPI_File"):
                moved += 1
                thread = trace.thread_of(event["location_name"])
                self.assertIn((trace.time(event), IO_SIZE, event["bytes"]), trace.values[thread])
        self.assertGreater(moved, 20)

    # needs: shared
    def test_threads_are_below_the_task_of_their_process(self):
        trace = self.shared("threads-ompi")
        self.assertEqual([4, 4], trace.thread_counts())
        self.assertEqual([f"rank {rank}" + (f" thread {thread}" if thread else "") for rank in range(2) for thread in range(4)],
                         trace.level("THREAD"))
        self.assert_states_partition_the_time(trace)
        self.assertEqual(sorted(range(1, 9)), sorted(thread[0] for thread in trace.states))
        self.assertEqual({"MPI_Init"}, {trace.labels(OTHER)[31]})

    # needs: shared
    def test_calls_of_all_types_of_mpi_have_events(self):
        expected = {"nonblock-ompi": {POINT_TO_POINT, OTHER}, "coll-ompi": {COLLECTIVE}, "rma-ompi": {ONE_SIDED}, "io-ompi": {IO}}
        for name, types in expected.items():
            found = {kind for values in self.shared(name).values.values() for _, kind, _ in values}
            self.assertLessEqual(types, found, name)

    # needs: shared
    def test_calls_without_a_number_of_extrae_are_in_mpi_still(self):
        trace = self.shared("threads-ompi")
        value = next(number for number, label in trace.labels(OTHER).items() if label == "MPI_Query_thread")
        self.assertGreaterEqual(value, 1000)
        self.assertTrue(any((OTHER, value) == (kind, number) for values in trace.values.values() for _, kind, number in values))

    def test_calls_in_calls_show_again_when_the_inner_one_ends(self):
        """In OTF, with times in hexadecimal; names as Fortran's compilers make them, and a call that Extrae does not know."""
        files = {"otf": "1:1\n", "0.def": 'DTR3b9aca00\nDFG1NM"MPI"\nDFG2NM"code"\nDP1NM"only"\nDF1G1NM"MPI_Init"\n'
                                          'DF2G1NM"mpi_barrier_"\nDF3G2NM"main"\nDF4G1NM"MPI_Get_version"\n',
                 "1.events": "0\n*1\nE3\na\nE1\n14\nE2\n1e\nL2\n28\nL1\n32\nE4\n3c\nL4\n46\nL3\n"}
        for suffix, text in files.items():
            pathlib.Path(self.path("nested." + suffix)).write_text(text, encoding="ascii")
        trace = self.trace(self.path("nested.otf"))
        (thread, states), = trace.states.items()
        self.assertEqual((1, 1, 1, 1), thread)
        unlisted = next(number for number, label in trace.labels(OTHER).items() if label == "MPI_Get_version")
        main = next(number for number, label in trace.labels(60000019).items() if label == "main")
        self.assertEqual([(0, 60000019, main), (10, OTHER, 31), (20, COLLECTIVE, 8), (30, COLLECTIVE, 0), (30, OTHER, 31), (40, OTHER, 0),
                          (50, OTHER, unlisted), (60, OTHER, 0), (70, 60000019, 0)], trace.values[thread])
        self.assertEqual([(0, 10, 1), (10, 20, 15), (20, 30, 13), (30, 40, 15), (40, 50, 1), (50, 60, 15), (60, 70, 1)], states)
        self.assertEqual("MPI_Barrier", trace.labels(COLLECTIVE)[8])

    def test_a_call_that_does_not_end_lasts_to_the_end_of_the_trace(self):
        files = {"otf": "1:1\n2:2\n", "0.def": 'DTR3b9aca00\nDFG1NM"MPI"\nDP1NM"one"\nDP2NM"two"\nDF1G1NM"MPI_Recv"\n',
                 "1.events": "5\n*1\nE1\n", "2.events": "0\n*2\nE1\n3\nL1\n9\nE1\na\nL1\n"}
        for suffix, text in files.items():
            pathlib.Path(self.path("open." + suffix)).write_text(text, encoding="ascii")
        trace = self.trace(self.path("open.otf"))
        self.assertEqual({(1, 1, 1, 1): [(0, 5, NOT_CREATED), (5, 10, 3)], (2, 1, 2, 1): [(0, 3, 3), (3, 9, RUNNING), (9, 10, 3)]},
                         dict(trace.states))

    def test_other_traces_have_one_task_and_no_states(self):
        quipu("convert", OVNI, "-o", self.path("t.prv"), "--force", "--quiet")
        with open(self.path("t.prv"), encoding="utf-8") as file:
            head, *lines = file.read().splitlines()
        self.assertRegex(head, r"_ns:0:1:1\(\d+:1\)$")
        self.assertTrue(lines)
        self.assertFalse([line for line in lines if line.startswith("1:")])

    def test_processes_that_send_without_mpi_are_tasks_too(self):
        quipu("convert", PICL, "-o", self.path("t.prv"), "--force", "--quiet")
        tables = [json.loads(quipu("comm", "--json", "--quiet", trace))["tables"] for trace in (PICL, self.path("t.prv"))]
        rows = [next(table["rows"] for table in found if table["table"] == "pairs") for found in tables]
        self.assertTrue(rows[0])
        self.assertEqual(rows[0], rows[1])


if __name__ == "__main__":
    unittest.main()
