"""OTF2 as otf2-print prints it, line by line; what becomes of it in the model; traces that are damaged.

The trace of tests/data has each number once, as tests/formats/otf2/write_every.c says."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, SOURCE  # noqa: E402

QUIPU = BUILD / "quipu"
EVERY = SOURCE / "tests/data/otf2/every"
SHARED = SOURCE.parent / "shared/traces/otf2"
EVENT = re.compile(r"^([A-Z_0-9]+) +(\d+) +(\d+) +(.*)$")
UNDEFINED = {2**32 - 1, 2**64 - 1, 255, -2**63}


def run_quipu(*words):
    done = subprocess.run([QUIPU, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def has_libotf2():
    return run_quipu("info", EVERY)[0] == 0


def records(trace):
    return [json.loads(line) for line in run_quipu("cat", "--records", "--json", trace)[1].splitlines()]


def print_lines(trace, *words):
    anchor = next(trace.glob("*.otf2"))
    return subprocess.run(["otf2-print", *words, anchor], capture_output=True, text=True).stdout.splitlines()


def labels():
    """Names of values by the type and field of a record."""
    found = {}
    for record in json.loads(run_quipu("schema", "otf2", "--json")[1])["types"]:
        for field in record["fields"]:
            if "labels" in field:
                found[record["name"], field["name"]] = {text: int(value) for value, text in field["labels"].items()}
    return found


def split(text):
    """At commas outside of quotes and brackets."""
    items, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        depth += 0 if quoted else (c in "({[") - (c in ")}]")
        if c == "," and not quoted and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    return items + [text[start:].strip()] if text.strip() else items


def value_of(text, names):
    """What otf2-print shows as a number: "name" <1>, 1 ("name" <2>), {A|B}, A, 1."""
    text = text.strip()
    if text.startswith('"'):
        return int(re.search(r"<(\d+)>$", text)[1])
    if text in ("UNDEFINED", "NONE") and text not in names:
        return None
    if text.startswith("{"):
        return sum(names[name.strip()] for name in text[1:-1].split("|"))
    if text in names:
        return names[text]
    return int(re.match(r"[-+]?\d+", text)[0])


def attributes_of(text):
    return [
        float(value) if "." in value and not value.startswith('"') else value_of(value, {})
        for value in re.findall(r"\(\"[^\"]*\" <\d+>; \w+; ((?:\"[^\"]*\" <\d+>)|[-\d.e+]+)\)", text)
    ]


@unittest.skipUnless(has_libotf2(), "built without libotf2")
@unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is not installed")
class Print(unittest.TestCase):
    def traces(self):
        shared = [path for path in sorted(SHARED.iterdir()) if path.is_dir()] if SHARED.exists() else []
        return [EVERY, *shared]

    def compare_fields(self, found, text, names):
        fields = found["fields"]
        if found["type"] == "METRIC":
            head, *members = split(text)
            self.assertEqual(fields["metric"], value_of(head.split(": ", 1)[1], {}))
            shown = re.findall(r"; \w+; ([^)]*)\)", text)
            self.assertEqual([float(value) for value in fields["values"].values()], [float(value) for value in shown])
            return
        if found["type"] == "PROGRAM_BEGIN":
            ids = [int(number) for number in re.findall(r"\" <(\d+)>", text)]
            self.assertEqual([fields["name"], *fields["arguments"]], ids)
            return
        shown = {}
        for item in split(text):
            label, value = item.split(": ", 1)
            name = re.sub(r"\W+", "_", label.replace("I/O", "io").lower()).strip("_")
            shown[name] = value_of(value, names.get((found["type"], name), {}))
        said = {name: value for name, value in fields.items() if name not in ("location", "timestamp", "attributes")}
        self.assertEqual(sorted(shown), sorted(said))
        for name, value in said.items():
            self.assertTrue(shown[name] == value or shown[name] is None and value in UNDEFINED, (name, shown, said))

    def test_print_shows_the_same_events(self):
        names = labels()
        for trace in self.traces():
            with self.subTest(trace.name):
                found = {}
                for record in records(trace):
                    if "location" in record["fields"] and "timestamp" in record["fields"]:
                        found.setdefault(record["fields"]["location"], []).append(record)
                count = 0
                for line in print_lines(trace):
                    match = EVENT.match(line)
                    if match:
                        record = found[int(match[2])].pop(0)
                        self.assertEqual((match[1], int(match[3])), (record["type"], record["fields"]["timestamp"]))
                        self.compare_fields(record, match[4], names)
                        count += 1
                    elif "ADDITIONAL ATTRIBUTES" in line:
                        said = list(record["fields"]["attributes"].values())
                        self.assertEqual(said, attributes_of(line))
                self.assertGreater(count, 0)
                self.assertEqual([], [left for left in found.values() if left])

    def test_print_shows_the_same_definitions(self):
        for trace in self.traces():
            with self.subTest(trace.name):
                found = [record for record in records(trace) if record["stream"] == 0]
                lines = [re.match(r"([A-Z_]+) +(\d+)? +(.*)$", line) for line in print_lines(trace, "-G")]
                lines = [match for match in lines if match and match[1] not in ("OTF", "Definition")]
                self.assertEqual([match[1] for match in lines], [record["type"] for record in found])
                for match, record in zip(lines, found):
                    fields = record["fields"]
                    if match[2] and "self" in fields:
                        self.assertEqual(int(match[2]), fields["self"])
                    if record["type"] == "STRING":
                        self.assertEqual(match[3], '"' + fields["text"] + '"')
                    if record["type"] in ("REGION", "LOCATION", "COMM", "SYSTEM_TREE_NODE"):
                        self.assertEqual(int(re.search(r'Name: ".*?" <(\d+)>', match[3])[1]), fields["name"])


@unittest.skipUnless(has_libotf2(), "built without libotf2")
class Model(unittest.TestCase):
    def events(self, *words):
        return [json.loads(line) for line in run_quipu("cat", "--json", *words)[1].splitlines()]

    # Two nodes, then three groups of locations: the second process, which location 2 is, has number 3.
    SECOND = 3

    def test_model_numbers_and_times_of_a_location_become_global(self):
        # Its region 0 is the global 1. Its clock is 100 ticks behind at 1000 and 300 behind at 3000, and so on by the
        # same line: 1000 + 100, 2000 + 200, 3000 + 300, 4000 + 400; the clock of the model begins at 1000.
        events = [event for event in self.events(EVERY) if event["location"] == self.SECOND and event["kind"] in ("enter", "leave")]
        self.assertEqual(
            [(100, "enter", 1), (1200, "enter", 0), (2300, "leave", 0), (3400, "leave", 1)],
            [(event["time"], event["kind"], event["region"]) for event in events],
        )

    def test_model_times_can_stay_as_recorded(self):
        code, text, _ = run_quipu("cat", "--json", "--machine", "raw-times", EVERY)
        events = [json.loads(line) for line in text.splitlines()]
        times = [event["time"] for event in events if event["location"] == self.SECOND and event["kind"] in ("enter", "leave")]
        self.assertEqual([0, 1000, 2000, 3000], times)
        self.assertEqual(2, run_quipu("info", "--machine", "other", EVERY)[0])

    def test_model_ranks_are_processes_of_the_communicator(self):
        # Communicator 1 is the world in reverse: rank 1 is the first process.
        send = next(event for event in self.events(EVERY) if event["kind"] == "send")
        self.assertEqual((101, 102, send["location"]), (send["tag"], send["bytes"], send["peer"]))

    def test_model_collective_operations_begin_with_what_their_end_says(self):
        begins = [event for event in self.events(EVERY) if event["kind"] == "collective_begin"]
        # The third one has another number than what is complete later.
        self.assertEqual([("allreduce", 115, 116), ("allreduce", 128, 129), (None, None, None)],
                         [(event["operation"], event["sent"], event["received"]) for event in begins])

    def test_model_markers_are_where_they_are_about(self):
        markers = [(event["time"], event["location"]) for event in self.events(EVERY) if event["kind"] == "marker"]
        self.assertEqual([(500, self.SECOND), (600, self.SECOND - 1)], markers)

    def test_model_attributes_keep_their_types(self):
        enter = next(event for event in self.events(EVERY) if event["kind"] == "enter")
        self.assertEqual({"property": 77, "value": "value", "sample": 2.5}, enter["attributes"])


@unittest.skipUnless(has_libotf2(), "built without libotf2")
class Collectives(unittest.TestCase):
    """Traces of two ranks, written as OTF and converted."""

    HEAD = ['DTR3b9aca00', 'DP1NM"rank 0"', 'DP2NM"rank 1"', 'DPG64M1,2,NM"world"', 'DFG1NM"MPI"']

    def convert(self, definitions, *events):
        """events: (time, what) of each rank."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        trace = Path(folder.name, "t.otf")
        trace.write_text("1:1\n2:2\n")
        trace.with_suffix(".0.def").write_text("\n".join([*self.HEAD, *definitions, ""]))
        for rank, lines in enumerate(events, 1):
            trace.with_suffix(f".{rank}.events").write_text("".join(f"{time:x}\n*{rank}\n{what}\n" for time, what in lines))
        self.assertEqual(0, run_quipu("convert", trace, "-o", trace.with_suffix(".otf2"))[0])
        return trace.with_suffix(".otf2")

    def rows(self, trace, table, *columns):
        code, out, err = run_quipu("waits", "--json", trace)
        self.assertEqual(0, code, err)
        found = next(found for found in json.loads(out)["tables"] if found["table"] == table)
        names = [column["name"] for column in found["columns"]]
        return [tuple(row[names.index(column)] for column in columns) for row in found["rows"]]

    def test_collectives_begin_on_their_communicator_however_far_their_end_is(self):
        """A barrier that does not block is open over 2500 calls at rank 0, and over none at rank 1. Then rank 1 waits four times 90 ns."""
        begin, end = "COPB{0:x}H{1:x}C64RT0S0R0", "COPE{0:x}"
        ranks = []
        for rank, calls in ((0, 2500), (1, 0)):
            lines = [(0, "E1"), (0, begin.format(1, 1)), (0, "L1")]
            lines += [(time, what) for time in range(calls) for what in ("E4", "L4")]
            lines += [(3000, "E2"), (3000, end.format(1)), (3000, "L2")]
            for k in range(4):
                arrival = 3100 + 100 * k
                lines += [(arrival + (90 if rank == 0 else 0), what) for what in ("E3", begin.format(2, k + 2))]
                lines += [(arrival + 95, what) for what in (end.format(k + 2), "L3")]
            ranks.append(lines)
        trace = self.convert(['DF1G1NM"MPI_Ibarrier"', 'DF2G1NM"MPI_Wait"', 'DF3G1NM"MPI_Barrier"', 'DFG2NM"USER"', 'DF4G2NM"work"',
                              'DCO1NM"MPI_Ibarrier"Y1', 'DCO2NM"MPI_Barrier"Y1'], *ranks)
        self.assertEqual([(5, 5, 0)], self.rows(trace, "matching", "collectives", "complete", "incomplete"))
        self.assertEqual([("wait-at-barrier", "rank 1", "MPI_Barrier", 4, 360)], self.rows(trace, "waits", "pattern", "location", "region", "instances", "time_ns"))

    WAITS = ("pattern", "location", "region", "time_ns")

    def test_collectives_have_the_region_that_is_active_where_another_one_was_left(self):
        """A barrier from 13 to 45, and from 45 to 52, after a call inside of it that has ended. Rank 1 is last, at 45."""
        trace = self.convert(
            ['DF1G1NM"MPI_Barrier"', 'DF2G1NM"MPI_Comm_rank"', 'DCO1NM"MPI_Barrier"Y1'],
            [(10, "E1"), (11, "E2"), (12, "L2"), (13, "COPB1H1C64RT0S0R0"), (45, "COPE1"), (45, "L1")],
            [(45, "E1"), (45, "COPB1H1C64RT0S0R0"), (52, "COPE1"), (52, "L1")])
        self.assertEqual([("wait-at-barrier", "rank 0", "MPI_Barrier", 32), ("barrier-completion", "rank 1", "MPI_Barrier", 7)],
                         self.rows(trace, "waits", *self.WAITS))

    def test_collectives_have_the_region_of_an_enter_with_attributes(self):
        """The barrier is entered from a place in the source, as MPI_Comm_dup before it was not. Rank 0 arrives at 10 and leaves at 45, before rank 1 arrives
        at 50: it waits 35, and rank 1 is ready 10 after it has come."""
        call = ["E2X1", "COPB1H1C64RT0S0R0"]
        trace = self.convert(
            ['DF1G1NM"MPI_Comm_dup"', 'DF2G1NM"MPI_Barrier"', 'DSF1NM"a.c"', 'DS1F1LN7', 'DCO1NM"MPI_Barrier"Y1'],
            [(0, "E1"), (1, "L1"), *((10, what) for what in call), (45, "COPE1"), (60, "L2")],
            [(0, "E1"), (1, "L1"), *((50, what) for what in call), (60, "COPE1"), (60, "L2")])
        self.assertEqual([("wait-at-barrier", "rank 0", "MPI_Barrier", 35), ("barrier-completion", "rank 1", "MPI_Barrier", 10)],
                         self.rows(trace, "waits", *self.WAITS))


class Damage(unittest.TestCase):
    def copy(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(EVERY, folder / "every")
        return folder / "every"

    def test_damage_a_file_that_breaks_off_is_read_up_to_there(self):
        trace = self.copy()
        events = trace / "traces/0.evt"
        whole = events.read_bytes()
        # Records end where a time (5) or the end of the chunk (2) follows; the first event ends behind its attributes.
        before = 0
        for size in range(0, len(whole), 23):
            events.write_bytes(whole[:size])
            code, text, messages = run_quipu("check", trace)
            self.assertEqual(3, code, (size, text, messages))
            count = sum(record["stream"] == 1 for record in records(trace))
            self.assertGreaterEqual(count, before)
            before = count
        self.assertGreater(before, 70)

    def test_damage_other_locations_are_read_without_a_file(self):
        trace = self.copy()
        (trace / "traces/0.evt").unlink()
        code, text, _ = run_quipu("check", trace)
        self.assertEqual(3, code)
        self.assertIn("otf2.missing-file", text)
        self.assertEqual(1 + 2 + 4, sum(record["stream"] == 3 for record in records(trace))) # table, offsets, events

    def test_damage_without_an_anchor_is_said(self):
        trace = self.copy()
        (trace / "traces.otf2").write_bytes((trace / "traces.otf2").read_bytes()[:30])
        code, _, messages = run_quipu("info", trace / "traces.otf2")
        self.assertEqual(4, code)
        self.assertIn("anchor", messages)
        self.assertNotIn("[OTF2]", messages)


if __name__ == "__main__":
    unittest.main()
