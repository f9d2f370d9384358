"""Messages of several communicators in a trace of another format: as DUMPI they are in communicators of the same members."""
import csv
import io
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

SOURCE = os.environ.get("QUIPU_SOURCE", os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(SOURCE, "tests/cli"))
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

COLUMNS = ("sent_ns", "received_ns", "sender", "receiver", "bytes", "tag")


def quipu(*words):
    return subprocess.run([programs.QUIPU, *words], check=False, capture_output=True, text=True)


def within(communicator, events):
    return [(time, record.replace("C63", f"C{communicator:x}")) for time, record in events]


class ConvertedCommunicators(FolderTest):
    def messages(self, trace):
        done = quipu("messages", trace, "--csv")
        self.assertEqual(0, done.returncode, done.stderr)
        return [[row[name] for name in COLUMNS] for row in csv.DictReader(io.StringIO(done.stdout.split("\n\n")[0]))]

    def convert(self, program, groups):
        source, target = programs.write(self.path("t.otf"), program), self.path("t.meta")
        with open(self.path("t.0.def"), "a", encoding="ascii") as file:
            file.write("".join(f'DPG{number:x}M{members},NM"group {number:x}"\n' for number, members in groups.items()))
        report = self.path("report.json")
        done = quipu("convert", source, "-o", target, "--report", report)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(0, quipu("check", target).returncode)
        with open(report, encoding="utf-8") as file:
            return source, target, json.load(file)

    def exact(self, report):
        return {row["type"]: row["exact"] for row in report["records"] if row["type"] in ("SendMsg", "RecvMsg")}

    def test_messages_stay_in_their_communicators(self):
        """Ranks 0 and 2 are ranks 1 and 0 of one communicator; the same tag is sent there and in the world, and received in another order."""
        program = [[*within(0x64, programs.send(10, 20, 2, tag=7, length=100)), *programs.send(30, 40, 2, tag=7, length=200)],
                   programs.receive(50, 60, 3, tag=1),
                   [*programs.receive(10, 50, 0, tag=7, length=200), *within(0x64, programs.receive(60, 70, 0, tag=7, length=100))],
                   programs.send(40, 45, 1, tag=1)]
        source, target, report = self.convert(program, {0x64: "3,1"})
        expected = [["30", "50", "rank 0", "rank 2", "200", "7"], ["40", "60", "rank 3", "rank 1", "8", "1"],
                    ["10", "70", "rank 0", "rank 2", "100", "7"]]
        self.assertCountEqual(expected, self.messages(source))
        self.assertCountEqual(expected, self.messages(target))
        records = quipu("cat", "--records", "--json", target).stdout
        self.assertRegex(records, r'"dest": *0, *"tag": *7, *"comm": *(?!2[,}])')
        self.assertEqual({"SendMsg": 3, "RecvMsg": 3}, self.exact(report))

    def test_times_inside_of_calls_count(self):
        """DUMPI has the beginning and the end of a call: the first message is sent and received there, the second one 1 ns off."""
        def moved(events, by):
            return [events[0], (events[1][0] + by, events[1][1]), events[2]]
        program = [[*programs.send(10, 20, 1), *moved(programs.send(30, 40, 1), 1)], [*programs.receive(10, 50, 0), *moved(programs.receive(60, 70, 0), -1)]]
        _, target, report = self.convert(program, {})
        self.assertEqual([["10", "50", "rank 0", "rank 1", "8", "0"], ["30", "70", "rank 0", "rank 1", "8", "0"]], self.messages(target))
        self.assertEqual({"SendMsg": 1, "RecvMsg": 1}, self.exact(report))

    def test_call_sites_are_no_senders(self):
        """The key of a call site is called "source", as an argument of MPI_Recv is."""
        program = [programs.send(10, 20, 1), [(time, record + "X3" if record.startswith("E") else record) for time, record in programs.receive(10, 50, 0)]]
        with unittest.mock.patch.object(programs, "definitions", lambda count, known=programs.definitions: known(count) + 'DSF1NM"a.c"\nDS3F1LN7\n'):
            source, target, report = self.convert(program, {})
        expected = [["10", "50", "rank 0", "rank 1", "8", "0"]]
        self.assertEqual(expected, self.messages(source))
        self.assertEqual(expected, self.messages(target))
        [enters] = [row for row in report["records"] if row["type"] == "Enter"]
        self.assertEqual((1, 1), (enters["exact"], enters["approximated"]))

    def test_a_message_to_no_member_is_in_the_world_and_counts(self):
        program = [within(0x64, programs.send(10, 20, 2, tag=7, length=100)), [], within(0x64, programs.receive(10, 50, 0, tag=7, length=100))]
        _, target, report = self.convert(program, {0x64: "3,2"})
        self.assertEqual([["10", "50", "rank 0", "rank 2", "100", "7"]], self.messages(target))
        self.assertEqual({"SendMsg": 0, "RecvMsg": 0}, self.exact(report))

    def test_messages_of_one_call_in_two_communicators_are_in_the_world_and_count(self):
        """What is received in the call in which something is sent elsewhere: a record has one communicator."""
        def exchange(begin, other, sent_in, received_in):
            send, receive = programs.send(begin, 60, other, tag=1), programs.receive(begin, 60, other, tag=1)
            return [send[0], *within(sent_in, send[1:2]), *within(received_in, receive[1:2]), send[2]]
        program = [[(time, record.replace("E3", "Ec").replace("L3", "Lc")) for time, record in events]
                   for events in (exchange(10, 1, 0x63, 0x64), exchange(20, 0, 0x64, 0x63))] + [[]]
        with_call = programs.REGIONS + ("MPI_Sendrecv",)
        with unittest.mock.patch.object(programs, "REGIONS", with_call):
            source, target, report = self.convert(program, {0x64: "2,1"})
        self.assertCountEqual(self.messages(source), self.messages(target))
        self.assertEqual({"SendMsg": 1, "RecvMsg": 1}, self.exact(report))


if __name__ == "__main__":
    unittest.main()
