"""quipu messages: a row per message, worked out by hand, against the other analyses, and against the events of sample traces."""
import collections
import json
import pathlib
import random
import subprocess
import unittest

import folder
import programs

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
SEEDS = range(12)
LATE = ("late-sender", "late-sender-wrong-order-same-source", "late-sender-wrong-order-different-source")


class MessageRows(folder.FolderTest):
    def rows(self, trace, *options):
        return programs.tables("messages", trace, *options)["messages"]

    def drawn(self, skew=0):
        for seed in SEEDS:
            numbers = random.Random(seed)
            yield seed, programs.write(self.path("t.otf"), programs.random_program(numbers, numbers.randint(2, 5), 60, skew))

    def test_message_rows_are_worked_out_by_hand(self):
        """Rank 0 sends 8 bytes from 30 on; rank 1 is there at 10: waits 20. The second message is sent at 50 in a call until 70, and its receive
        is posted at 65: the sender waits 15. A third one is sent at 80 and never received, a fourth one received at 95 and never sent."""
        program = [[*programs.send(30, 31, 1), *programs.send(50, 70, 1, tag=2, length=100), *programs.send(80, 81, 1, tag=3)],
                   [*programs.receive(10, 40, 0), *programs.receive(65, 90, 0, tag=2, length=100), *programs.receive(92, 95, 0, tag=4)]]
        trace = programs.write(self.path("t.otf"), program)
        columns = ("sent_ns", "received_ns", "latency_ns", "sender", "receiver", "bytes", "tag", "communicator", "send_call", "receive_call",
                   "receiver_wait_ns", "sender_wait_ns")
        expected = [(30, 40, 10, "rank 0", "rank 1", 8, 0, "world", "MPI_Send", "MPI_Recv", 20, 0),
                    (50, 90, 40, "rank 0", "rank 1", 100, 2, "world", "MPI_Send", "MPI_Recv", 0, 15),
                    (None, 95, None, "rank 0", "rank 1", 8, 4, "world", None, "MPI_Recv", None, None),
                    (80, None, None, "rank 0", "rank 1", 8, 3, "world", "MPI_Send", None, None, None)]
        found = programs.tables("messages", trace)
        self.assertEqual([tuple(row[name] for name in columns) for row in found["messages"]], expected)
        self.assertEqual([(row["matched"], row["unmatched_sends"], row["unmatched_receives"]) for row in found["matching"]], [(2, 1, 1)])
        # Sends below the limit are eager: the second one does not wait then.
        self.assertEqual([row["sender_wait_ns"] for row in self.rows(trace, "--eager-limit", "101")], [0, 0, None, None])
        for options, numbers in ((("--where", "bytes > 8"), [1]), (("--where", "tag >= 3"), [2, 3]), (("--since", "90"), [1, 2]),
                                 (("--until", "90"), [0, 3]), (("--location", "rank 0"), [0, 1, 2, 3]), (("--where", "rank = 7"), [])):
            self.assertEqual([tuple(row[name] for name in columns) for row in self.rows(trace, *options)], [expected[i] for i in numbers], options)
        text = subprocess.run([programs.QUIPU, "messages", trace, "--csv", "--limit", "1"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertIn("40", text.splitlines()[1])
        done = subprocess.run([programs.QUIPU, "messages", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertIn(b"1 sends and 1 receives have no partner", done.stderr)
        done = subprocess.run([programs.QUIPU, "messages", trace, "--where", "duration > 1"], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, b"before the duration" in done.stderr), (2, True))

    def test_message_rows_of_clocks_that_differ_are_said_to_be(self):
        trace = programs.write(self.path("t.otf"), [programs.send(50, 51, 1), programs.receive(10, 20, 0)])
        done = subprocess.run([programs.QUIPU, "messages", trace, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual([row["latency_ns"] for row in programs.rows_of(done.stdout)["messages"]], [-30])
        self.assertIn(b"1 messages are received before they are sent: clocks differ", done.stderr)

    def test_message_rows_add_up_to_the_other_analyses(self):
        for seed, trace in self.drawn(skew=20):
            found = programs.tables("messages", trace)
            rows, [matching] = found["messages"], found["matching"]
            whole = [row for row in rows if None not in (row["sent_ns"], row["received_ns"])]
            self.assertEqual((len(whole), sum(row["received_ns"] is None for row in rows), sum(row["sent_ns"] is None for row in rows)),
                             (matching["matched"], matching["unmatched_sends"], matching["unmatched_receives"]), seed)
            waits = programs.tables("waits", trace)["waits"]
            for column, patterns in (("receiver_wait_ns", LATE), ("sender_wait_ns", ("late-receiver",))):
                late = collections.Counter()
                for row in waits:
                    if row["pattern"] in patterns:
                        late[row["location"], row["peer"]] += row["time_ns"]
                counted = collections.Counter()
                for row in whole:
                    where = (row["receiver"], row["sender"]) if column == "receiver_wait_ns" else (row["sender"], row["receiver"])
                    counted[where] += row[column]
                self.assertEqual(+counted, +late, (seed, column))
            ends = programs.tables("comm", trace)["pairs"]
            self.assertEqual({(row["sender"], row["receiver"]): (row["messages"], row["bytes"], row["min_ns"], row["max_ns"]) for row in ends},
                             self.by_ends(whole), seed)
            received = [row["received_ns"] for row in rows if row["received_ns"] is not None]
            self.assertEqual(received, sorted(received), seed)
            self.assertEqual([row["received_ns"] for row in rows[len(received):]], [None] * (len(rows) - len(received)), seed)

    @staticmethod
    def by_ends(rows):
        grouped = {}
        for row in rows:
            grouped.setdefault((row["sender"], row["receiver"]), []).append(row)
        return {key: (len(mine), sum(row["bytes"] for row in mine), min(row["latency_ns"] for row in mine), max(row["latency_ns"] for row in mine))
                for key, mine in grouped.items()}

    def test_message_rows_of_windows_and_locations_add_up(self):
        for seed, trace in self.drawn():
            rows = self.rows(trace)
            windows = [self.rows(trace, "--until", "100"), self.rows(trace, "--since", "100", "--until", "200"), self.rows(trace, "--since", "200")]
            self.assertEqual(sorted(map(str, sum(windows, []))), sorted(map(str, rows)), seed)
            mine = self.rows(trace, "--location", "rank 1")
            self.assertEqual(mine, [row for row in rows if "rank 1" in (row["sender"], row["receiver"])], seed)
            self.assertEqual(self.rows(trace, "--threads", "3", "--max-memory", "8M"), rows, seed)

    def test_message_rows_are_those_of_the_events_of_every_format(self):
        """Each event of kind send and of kind recv is in one row, whatever the format is."""
        formats = set()
        for path in sorted(path for suffix in ("otf", "meta", "picl", "otf2") for path in DATA.rglob(f"*.{suffix}")):
            events = self.events(path)
            if events:
                formats.add(path.suffix)
                rows = self.rows(str(path))
                sent = collections.Counter((row["sent_ns"], row["bytes"]) for row in rows if row["sent_ns"] is not None)
                self.assertEqual(sent, collections.Counter((event["time_ns"], event.get("bytes")) for event in events if event["kind"] == "send"),
                                 path)
                received = collections.Counter(row["received_ns"] for row in rows if row["received_ns"] is not None)
                self.assertEqual(received, collections.Counter(event["time_ns"] for event in events if event["kind"] == "recv"), path)
        self.assertGreaterEqual(formats, {".meta", ".otf", ".picl"})

    @staticmethod
    def events(path):
        done = subprocess.run([programs.QUIPU, "cat", "--json", "--quiet", "--kind", "send,recv", str(path)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


if __name__ == "__main__":
    unittest.main()
