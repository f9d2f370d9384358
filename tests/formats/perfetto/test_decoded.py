"""What is written for Perfetto, decoded with its published schema (PyPI: perfetto, protobuf; skipped without them): slices, flows and
counters are the calls and other intervals, matched messages and metrics of the trace."""
import collections
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

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
except ImportError:
    schema = None

SMALL = SOURCE / "tests" / "data" / "otf" / "small.otf"
EXAMPLES = SOURCE / "examples" / "traces"
BEGINS = {"collective_begin", "io_begin", "rma_begin", "recv_post", "task_begin", "state_set", "state_push"}


def quipu(*arguments):
    result = subprocess.run([str(BUILD / "quipu"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=60, check=False)
    if result.returncode not in (0, 3):
        raise AssertionError(result.stderr.decode())
    return result.stdout


def events_of(trace):
    return [json.loads(line) for line in quipu("cat", "--json", trace).splitlines()]


def matched_messages(events):
    """Per sender, receiver, tag and communicator the first send belongs to the first receive."""
    sent, received = collections.Counter(), collections.Counter()
    for event in events:
        if event["kind"] in ("send", "recv"):
            there = event.get("peer")
            pair = (event["location"], there) if event["kind"] == "send" else (there, event["location"])
            key = (*pair, event.get("tag"), event.get("communicator"))
            (sent if event["kind"] == "send" else received)[key] += 1
    return sum((sent & received).values())


class Decoded:
    """Tracks, slices, flows and counters of a file."""

    def __init__(self, data):
        trace = schema.Trace()
        trace.ParseFromString(data)
        self.tracks, self.names, self.categories, self.clocks = {}, {}, {}, []
        self.slices, self.instants, self.counters = [], [], []
        for packet in trace.packet:
            self.names.update((name.iid, name.name) for name in packet.interned_data.event_names)
            self.categories.update((name.iid, name.name) for name in packet.interned_data.event_categories)
            self.clocks += [(clock.clock_id, clock.timestamp) for clock in packet.clock_snapshot.clocks]
            if packet.HasField("track_descriptor"):
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        active = collections.defaultdict(list)
        events = [packet for packet in trace.packet if packet.HasField("track_event")]
        for packet in sorted(events, key=lambda packet: packet.timestamp):
            self.add(packet.timestamp, packet.track_event, active)
        self.unended = sum(map(len, active.values()))

    def add(self, time, event, active):
        assert event.track_uuid in self.tracks
        row = {"begin": time, "end": None, "track": event.track_uuid, "flows": list(event.flow_ids), "ends": [],
               "name": event.name or self.names.get(event.name_iid),
               "category": [self.categories[iid] for iid in event.category_iids]}
        if event.type == event.TYPE_SLICE_BEGIN:
            self.slices.append(row)
            active[event.track_uuid].append(row)
        elif event.type == event.TYPE_SLICE_END:
            ended = active[event.track_uuid].pop()
            ended.update(end=time, ends=list(event.terminating_flow_ids))
        elif event.type == event.TYPE_COUNTER:
            self.counters.append(row)
        else:
            row.update(end=time, ends=list(event.terminating_flow_ids))
            self.instants.append(row)

    def is_call(self, row):
        return self.tracks[row["track"]].HasField("thread")

    def calls(self):
        return [row for row in self.slices if self.is_call(row)]

    def flows(self):
        """Pairs of what a message leaves and what it arrives at."""
        starts = {flow: row for row in self.slices + self.instants for flow in row["flows"]}
        ends = {flow: row for row in self.slices + self.instants for flow in row["ends"]}
        return [(starts[flow], ends[flow]) for flow in starts if flow in ends]


@unittest.skipUnless(schema, "no published schema of Perfetto (PyPI: perfetto, protobuf)")
class Perfetto(FolderTest):
    def decoded(self, trace, *options):
        path = self.path("out.perfetto-trace")
        quipu("convert", trace, "--to", "perfetto", "-o", path, "--force", *options)
        return Decoded(pathlib.Path(path).read_bytes())

    # needs: python
    def test_slices_flows_and_counters_of_a_small_trace(self):
        decoded = self.decoded(SMALL)
        self.assertEqual(collections.Counter(row["name"] for row in decoded.calls()),
                         {"main": 3, "MPI_Send": 1, "MPI_Recv": 1, "MPI_Barrier": 2})
        others = [row for row in decoded.slices if not decoded.is_call(row)]
        self.assertEqual(sorted((row["name"], row["begin"], row["end"]) for row in others),
                         [("MPI_Barrier", 7000, 10000), ("MPI_Barrier", 9000, 10000), ("MPI_Barrier", 11000, 15000),
                          ("other", 11000, 12000), ("put", 13000, 15000)])
        self.assertEqual(sorted({decoded.tracks[row["track"]].name for row in others}),
                         ["I/O", "collectives", "one-sided"])
        self.assertEqual(len(decoded.counters), 4)
        self.assertEqual(decoded.unended, 0)
        self.assertEqual([(begin["name"], end["name"]) for begin, end in decoded.flows()], [("MPI_Send", "MPI_Recv")])

    # needs: python
    def test_categories_are_roles_of_regions_and_families_of_events(self):
        decoded = self.decoded(SMALL)
        categories = {row["name"]: row["category"] for row in decoded.slices + decoded.instants}
        self.assertEqual(categories["put"], ["one-sided"])
        self.assertEqual(categories["note"], ["value"])
        self.assertEqual(len({tuple(names) for names in categories.values()} & {()}), 0)

    # needs: python
    def test_snapshots_and_statistics_are_left_out_unless_asked(self):
        for options, kinds in (((), set()), (("--set", "snapshots=yes"), {"snapshot"}),
                               (("--set", "statistics=yes"), {"summary"})):
            found = {row["name"] for row in self.decoded(SMALL, *options).instants}
            self.assertEqual(found & {"snapshot", "summary"}, kinds)

    # needs: python
    def test_every_example_has_its_calls_messages_and_metrics(self):
        traces = [SMALL, *sorted(EXAMPLES.rglob("*.otf")), *sorted(EXAMPLES.rglob("*.meta"))]
        self.assertGreater(len(traces), 1)
        for trace in traces:
            with self.subTest(trace.name):
                events, decoded = events_of(trace), self.decoded(trace)
                kinds = collections.Counter(event["kind"] for event in events)
                requests = sum(event["kind"] == "send" and event.get("request") is not None for event in events)
                self.assertEqual(len(decoded.calls()), kinds["enter"])
                self.assertEqual(len(decoded.slices) - len(decoded.calls()),
                                 sum(kinds[kind] for kind in BEGINS) + requests)
                self.assertEqual(len(decoded.counters), kinds["metric"])
                flows = decoded.flows()
                self.assertEqual(len(flows), matched_messages(events))
                for begin, end in flows:
                    self.assertIsNot(begin, end)
                    self.assertTrue(decoded.is_call(begin) and decoded.is_call(end))
                    self.assertTrue(end["end"] is None or begin["begin"] <= end["end"])

    # needs: python
    def test_processes_have_the_numbers_of_their_ranks(self):
        decoded = self.decoded(next(iter(sorted(EXAMPLES.rglob("*.meta")))))
        numbers = sorted(track.process.pid for track in decoded.tracks.values() if track.HasField("process"))
        self.assertEqual(numbers, list(range(len(numbers))))

    # needs: python
    def test_counters_of_a_process_have_one_track_for_each_name(self):
        decoded = self.decoded(SMALL)
        tracks = [(track.parent_uuid, track.name) for track in decoded.tracks.values() if track.HasField("counter")]
        self.assertEqual(len(tracks), len(set(tracks)))
        self.assertEqual(sorted(name for _, name in tracks), ["PAPI_FP_OPS", "delta", "load", "temp"])


if __name__ == "__main__":
    unittest.main()
