"""Which sends and receives belong together, in all that shows it: check, snapshot, index, cut, Chrome and Perfetto."""
import glob
import json
import os
import re
import struct
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")

# Two processes, P with the threads T and U, and Q. Tag 1 everywhere, one tick is a nanosecond.
LOCATIONS = 'DTR3b9aca00\nDP1NM"P"\nDP2NM"T"PT1\nDP3NM"U"PT1\nDP4NM"Q"\n'
PROCESSES = 'DPG9M1,4,NM"ranks"\n'  # a communicator of the processes


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments, "--quiet"], stdout=subprocess.PIPE, check=False).stdout.decode()


def unmatched(trace):
    """(sent, received, from, to) of what check does not match."""
    found = json.loads(quipu("check", "--json", trace))["findings"]
    rows = []
    for finding in found:
        if finding["rule"] in ("model.send-only", "model.receive-only"):
            sent, received = map(int, re.fullmatch(r"(\d+) sent, (\d+) received", finding["expected"]).groups())
            count, kind, sender, receiver = re.fullmatch(
                r"(\d+) unmatched (send|receive)s?: (.*) → (.*), tag .*, communicator .*", finding["found"]).groups()
            assert int(count) == abs(sent - received) and (kind == "send") == (sent > received), finding
            rows.append((sent, received, sender, receiver))
    return sorted(rows)


def on_mode(trace, at, *options):
    """{(sender, receiver): (messages, first and last time)} of messages sent and not received before a time."""
    tables = json.loads(quipu("state", trace, "--at", str(at), "--json", *options))["tables"]
    columns = tables[1]["columns"]
    names = [column["name"] if isinstance(column, dict) else column for column in columns]
    rows = [row if isinstance(row, dict) else dict(zip(names, row)) for row in tables[1]["rows"]]
    return {(r["sender"], r["receiver"]): (r["messages"], r["first_ns"], r["last_ns"]) for r in rows}


def arrows_of_chrome(path):
    """(sender, time, receiver, time) with names and microseconds; each arrow has just two ends."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    ends = {"s": {}, "f": {}}
    for event in events:
        if event["ph"] in ends:
            assert event["id"] not in ends[event["ph"]], event
            ends[event["ph"]][event["id"]] = (names[event["tid"]], event["ts"])
    return sorted(ends["s"][i] + ends["f"][i] for i in ends["s"] if i in ends["f"])


def fields(data):
    """{number: [values]} of a protocol buffer."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        else:
            size = 8 if key & 7 == 1 else varint()
            value = data[at:at + size]
            at += size
        found.setdefault(key >> 3, []).append(value)
    return found


def arrows_of_perfetto(path):
    """The same of Perfetto: TracePacket {timestamp 8, event 11 {track 11, flow 47, last flow 48}, track 60}."""
    with open(path, "rb") as file:
        packets = [fields(packet) for packet in fields(file.read())[1]]
    names, ends = {}, {47: {}, 48: {}}
    for packet in packets:
        for track in map(fields, packet.get(60, ())):
            for thread in map(fields, track.get(4, ())):
                names[track[1][0]] = thread[5][0].decode()
        for event in map(fields, packet.get(11, ())):
            for field, known in ends.items():
                for flow in event.get(field, ()):
                    known[struct.unpack("<Q", flow)[0]] = (names[event[11][0]], packet[8][0] / 1000)
    return sorted(ends[47][i] + ends[48][i] for i in ends[47] if i in ends[48])


class Messages(FolderTest):
    def trace(self, definitions, **streams):
        """An OTF trace of these definitions and events of the locations P, T, U and Q: {time: records}."""
        numbers = {"P": 1, "T": 2, "U": 3, "Q": 4}
        with open(self.path("t.otf"), "w", encoding="ascii") as file:
            file.write("".join(f"{n}:{n}\n" for n in numbers.values()))
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write(definitions)
        for name, number in numbers.items():
            with open(self.path(f"t.{number}.events"), "w", encoding="ascii") as file:
                for time, record in streams.get(name, []):
                    file.write(f"{time:x}\n*{number}\n{record}\n")
        return self.path("t.otf")

    def arrows(self, trace):
        found = {}
        for target, read in (("chrome", arrows_of_chrome), ("perfetto", arrows_of_perfetto)):
            path = self.path(target)
            subprocess.run([QUIPU, "convert", trace, "--to", target, "-o", path, "--quiet", "--force"], check=True)
            found[target] = read(path)
        self.assertEqual(found["chrome"], found["perfetto"])
        return found["chrome"]

    def lines(self, trace):
        """(time sent, time received) of Paraver's lines of messages; the first event is at 0."""
        subprocess.run([QUIPU, "convert", trace, "-o", self.path("p.prv"), "--quiet", "--force"], check=True)
        with open(self.path("p.prv"), encoding="ascii") as file:
            ends = [line.split(":") for line in file if line.startswith("3:")]
        return sorted((int(line[6]), int(line[12])) for line in ends)

    def matched(self, trace):
        """What waits says: (matched, unmatched sends, unmatched receives)."""
        [matching] = [table for table in json.loads(quipu("waits", "--json", trace))["tables"] if table["table"] == "matching"]
        row = dict(zip([column["name"] for column in matching["columns"]], matching["rows"][0]))
        return row["matched"], row["unmatched_sends"], row["unmatched_receives"]

    def on_mode(self, trace, at):
        """Without and with an index, which says the same."""
        index = self.path("index")
        subprocess.run([QUIPU, "index", trace, "-o", index, "--every", "1", "--quiet", "--force"],
                       check=True)
        without = on_mode(trace, at, "--no-index")
        self.assertEqual(on_mode(trace, at, "--with-index", index), without)
        return without

    def test_threads_that_name_each_other_are_matched_exactly(self):
        trace = self.trace(LOCATIONS, T=[(10, "S3L8T1C0"), (40, "R3L8T1C0")], U=[(30, "R2L8T1C0"), (35, "S2L8T1C0")])
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(self.arrows(trace), [("T", 0.01, "U", 0.03), ("U", 0.035, "T", 0.04)])
        self.assertEqual(self.on_mode(trace, 20), {("T", "U"): (1, 10, 10)})
        self.assertEqual(self.on_mode(trace, 38), {("U", "T"): (1, 35, 35)})
        self.assertEqual(self.on_mode(trace, "end"), {})

    def test_messages_of_threads_are_not_credited_to_each_other(self):
        trace = self.trace(LOCATIONS, T=[(10, "S4L8T1C0")], Q=[(30, "R3L8T1C0")])
        self.assertEqual(unmatched(trace), [(0, 1, "U", "Q"), (1, 0, "T", "Q")])
        self.assertEqual(self.arrows(trace), [])
        self.assertEqual(self.on_mode(trace, "end"), {("T", "Q"): (1, 10, 10)})

    def test_a_side_that_names_a_process_means_its_threads_in_a_communicator_of_processes(self):
        """Q receives from P what T and U sent: three of four have arrived, and the last one, sent at 13, is in flight."""
        trace = self.trace(LOCATIONS + PROCESSES, T=[(10, "S4L8T1C9"), (12, "S4L8T1C9")], U=[(11, "S4L8T1C9"), (13, "S4L8T1C9")],
                           Q=[(20, "R1L8T1C9"), (21, "R1L8T1C9"), (22, "R1L8T1C9")])
        self.assertEqual(unmatched(trace), [(4, 3, "P", "Q")])
        self.assertEqual(self.on_mode(trace, "end"), {("P", "Q"): (1, 13, 13)})

    def test_a_side_that_names_a_process_means_itself_without_a_communicator(self):
        trace = self.trace(LOCATIONS, T=[(10, "S4L8T1C0"), (12, "S4L8T1C0")], U=[(11, "S4L8T1C0")],
                           Q=[(20, "R1L8T1C0"), (21, "R1L8T1C0")])
        self.assertEqual(unmatched(trace), [(0, 2, "P", "Q"), (1, 0, "U", "Q"), (2, 0, "T", "Q")])
        self.assertEqual(self.on_mode(trace, "end"), {("T", "Q"): (2, 10, 12), ("U", "Q"): (1, 11, 11)})
        self.assertEqual(self.matched(trace), (0, 3, 2))

    def test_a_thread_that_is_named_is_matched_before_its_process(self):
        trace = self.trace(LOCATIONS, P=[(9, "S4L8T1C0")], T=[(10, "S4L8T1C0")],
                           Q=[(20, "R2L8T1C0"), (21, "R1L8T1C0")])
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(self.arrows(trace), [("P", 0.009, "Q", 0.021), ("T", 0.01, "Q", 0.02)])

    def test_senders_may_name_the_process_of_the_receiver(self):
        for definitions, group, expected in ((LOCATIONS + PROCESSES, 9, [(2, 1, "Q", "P")]),
                                             (LOCATIONS, 0, [(0, 1, "Q", "U"), (2, 0, "Q", "P")])):
            trace = self.trace(definitions, Q=[(10, f"S1L8T1C{group}"), (11, f"S1L8T1C{group}")], U=[(20, f"R4L8T1C{group}")])
            self.assertEqual(unmatched(trace), expected)
            self.assertEqual(self.on_mode(trace, 15), {("Q", "P"): (2, 10, 11)})

    def test_ranks_of_a_communicator_of_processes_are_processes(self):
        """T and U send in turn, so the arrows are in the order of time, not of threads."""
        trace = self.trace(LOCATIONS + PROCESSES, T=[(10, "S4L8T1C9"), (12, "S4L8T1C9")], U=[(11, "S4L8T1C9")],
                           Q=[(20, "R1L8T1C9"), (21, "R1L8T1C9")])
        self.assertEqual(unmatched(trace), [(3, 2, "P", "Q")])
        self.assertEqual(self.arrows(trace), [("T", 0.01, "Q", 0.02), ("U", 0.011, "Q", 0.021)])
        self.assertEqual(self.on_mode(trace, "end"), {("P", "Q"): (1, 12, 12)})

    def test_threads_receive_in_the_order_of_posting(self):
        """U's call begins after T's and is done before: T has the first message all the same, in Paraver's lines."""
        calls = 'DFG1NM"MPI"\nDF1G1NM"MPI_Recv"\n'
        trace = self.trace(LOCATIONS + PROCESSES + calls, Q=[(0, "S1L8T1C9"), (1, "S1L8T1C9")],
                           T=[(10, "E1"), (30, "R4L8T1C9"), (31, "L1")], U=[(11, "E1"), (20, "R4L8T1C9"), (21, "L1")])
        self.assertEqual(self.lines(trace), [(0, 30), (1, 20)])
        self.assertEqual(self.matched(trace), (2, 0, 0))

    def test_a_receive_of_unknown_sender_has_what_is_left(self):
        """Q's first receive does not say from whom: it has the earliest message that the second one does not need."""
        trace = self.trace(LOCATIONS, P=[(0, "S4L8T1C0")], T=[(1, "S4L8T1C0")], Q=[(20, "R0L8T1C0"), (21, "R1L8T1C0")])
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(self.on_mode(trace, "end"), {})
        self.assertEqual(self.lines(trace), [(0, 21), (1, 20)])
        self.assertEqual(self.matched(trace), (2, 0, 0))

    def test_threads_may_be_named_in_a_communicator_of_processes(self):
        trace = self.trace(LOCATIONS + PROCESSES, T=[(10, "S4L8T1C9")], U=[(11, "S2L8T1C9")],
                           Q=[(20, "R2L8T1C9")])
        self.assertEqual(unmatched(trace), [(1, 0, "P", "P")])  # T and U stand for P, the member
        self.assertEqual(self.arrows(trace), [("T", 0.01, "Q", 0.02)])
        self.assertEqual(self.matched(trace), (1, 1, 0))


@unittest.skipUnless(os.path.isdir(SHARED), "needs the shared traces")
class SharedTraces(FolderTest):
    def convert(self, trace, name):
        subprocess.run([QUIPU, "convert", trace, "-o", self.path(name), "--quiet"], check=True)
        return self.path(name)

    # needs: shared
    def test_a_ring_of_threads(self):
        """v01: each of four threads sends to the next one, 12 messages, received 20000 ticks of 10 us later."""
        trace = os.path.join(SHARED, "otf", "v01")
        for arrows in (arrows_of_chrome(self.convert(trace, "v.json")),
                       arrows_of_perfetto(self.convert(trace, "v.perfetto"))):
            self.assertEqual(len(arrows), 12)
            for sender, sent, receiver, received in arrows:
                self.assertEqual((int(sender[-1]) + 1) % 4, int(receiver[-1]))
                self.assertAlmostEqual(received - sent, 200000, delta=20)
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(on_mode(trace, "0.4s"), {("Thread 0", "Thread 1"): (1, 300000000, 300000000)})

    # needs: shared
    def test_what_one_of_them_sends_is_not_received_without_the_others(self):
        part = self.path("c.otf")
        subprocess.run([QUIPU, "cut", os.path.join(SHARED, "otf", "v01"), "-l", "Thread 0", "-o", part, "--quiet"],
                       check=True)
        self.assertEqual(len(unmatched(part)), 2)
        self.assertEqual(sum(sent + received for sent, received, _, _ in unmatched(part)), 6)

    # needs: shared
    def test_ranks_of_dumpi_are_processes_whichever_thread_calls(self):
        trace = glob.glob(os.path.join(SHARED, "analysis", "threads", "*.meta"))[0]
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(arrows_of_chrome(self.convert(trace, "t.json")),
                         [("rank 0 thread 1", 0.1, "rank 1", 0.12), ("rank 1", 0.13, "rank 0 thread 1", 0.15)])
        self.assertEqual(on_mode(trace, 110), {("rank 0", "rank 1"): (1, 100, 100)})
        self.assertEqual(on_mode(trace, 160), {})

    # needs: shared
    def test_receives_have_the_send_of_the_place_of_their_posting(self):
        """Two receives are posted, and the second one is done first: it has the second message."""
        trace = glob.glob(os.path.join(SHARED, "analysis", "ls-posting-order", "*.meta"))[0]
        sends, posts, done = [], [], []
        for line in quipu("cat", "--json", trace).splitlines():
            event = json.loads(line)
            {"send": sends, "recv_post": posts, "recv": done}.get(event["kind"], []).append(event)
        order = [post["request"] for post in posts]
        expected = sorted((sends[order.index(event["request"])]["time_ns"], event["time_ns"]) for event in done)
        self.assertNotEqual(order, [event["request"] for event in done])
        found = [(round(sent * 1000), round(received * 1000)) for _, sent, _, received in arrows_of_chrome(self.convert(trace, "p.json"))]
        self.assertEqual(sorted(found), expected)
        subprocess.run([QUIPU, "convert", trace, "-o", self.path("p.prv"), "--quiet"], check=True)
        with open(self.path("p.prv"), encoding="ascii") as file:
            lines = [line.split(":") for line in file if line.startswith("3:")]
        self.assertEqual(len(lines), len(done))
        first = min(event["time_ns"] for event in map(json.loads, quipu("cat", "--json", trace).splitlines()))
        self.assertEqual(sorted((int(line[6]) + first, int(line[12]) + first) for line in lines), expected)

    # needs: shared
    def test_both_sides_of_an_inter_communicator_are_one(self):
        trace = glob.glob(os.path.join(SHARED, "analysis", "inter-communicator", "*.meta"))[0]
        self.assertEqual(unmatched(trace), [])
        self.assertEqual(arrows_of_perfetto(self.convert(trace, "i.perfetto")), [("rank 0", 0.05, "rank 1", 0.066)])
        self.assertEqual(on_mode(trace, 60), {("rank 0", "rank 1"): (1, 50, 50)})
        self.assertEqual(on_mode(trace, 70), {})


if __name__ == "__main__":
    unittest.main()
