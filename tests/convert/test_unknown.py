"""What a trace does not say, or says in a place of its own, does not become a number in another format; what that cannot say is counted."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from folder import FolderTest  # noqa: E402

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
RANKS = 'DTR3b9aca00\nDP1NM"r0"\nDP2NM"r1"\nDPG64M1,2,NM"MPI_COMM_WORLD"\nDFG1NM"g"\nDF2G1NM"MPI_Win_fence"\n'


class Unknown(FolderTest):
    def trace(self, name, definitions, events):
        for suffix, text in ((".otf", "1:1,2\n"), (".0.def", definitions), (".1.events", events)):
            Path(self.path(name + suffix)).write_text(text, encoding="ascii")
        return self.path(name + ".otf")

    def convert(self, trace, target):
        """The events of what is written, and how many of each record's are approximated."""
        output, report = self.path("out." + target), self.path("out.json")
        done = subprocess.run([QUIPU, "convert", "-q", "-f", trace, "-o", output, "--report", report], check=False, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(subprocess.run([QUIPU, "check", "-q", output], check=False, stdout=subprocess.DEVNULL).returncode, 0)
        lines = subprocess.run([QUIPU, "cat", "--json", output], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        records = json.loads(Path(report).read_text(encoding="utf-8"))["records"]
        told = {record["type"]: sum(field["count"] for field in record["fields"] if field["name"] == "*") for record in records}
        return [json.loads(line) for line in lines], told

    def test_unknown_operations_on_files_are_what_their_ends_say(self):
        files = RANKS + 'DFLG3NM"files"\nDFL7NM"data"G3\n'
        trace = self.trace("io", files, "1\n*1\nFB2\n*2\nFB3\n5\n*1\nFF7MI2H5OP3B1000\n*2\nFF7MI3H5OP2B20\n")
        events, told = self.convert(trace, "meta")
        done = [(event["kind"], event["operation"], event["bytes"], event["handle"]) for event in events if event["kind"].startswith("io_")]
        self.assertEqual(sorted(done), [(kind, operation, size, 5) for kind in ("io_begin", "io_end") for operation, size in (("read", 32), ("write", 4096))])
        self.assertEqual(told.get("BeginFileOperation", 0), 0)
        _, told = self.convert(self.trace("never", files, "1\n*1\nFB2\n5\n*2\nFB3\n"), "meta")
        self.assertEqual(told["BeginFileOperation"], 2)  # neither what was done nor how much

    def test_unknown_communicators_of_a_fence_are_told(self):
        trace = self.trace("fence", RANKS + 'DCO1f4NM"MPI_Win_fence"Y1\n', "1\n" + "".join(
            f"*{rank}\nE2\nCOPB1f4H{rank}C64RT0S0R0\n" for rank in (1, 2)) + "5\n" + "".join(f"*{rank}\nCOPE{rank}\nL2\n" for rank in (1, 2)))
        events, told = self.convert(trace, "meta")
        self.assertEqual({event.get("operation") for event in events if event["kind"] == "collective_begin"}, {"other"})
        self.assertEqual(told["BeginCollectiveOperation"], 2)

    def test_unknown_regions_can_be_written_to_ovni(self):
        events, _ = self.convert(self.trace("none", RANKS, "1\n*1\nE0\n2\n*1\nL0\n"), "ovni")
        changes = [(int(event["time_ns"]), event["kind"]) for event in events if event["kind"] in ("state_push", "state_pop")]
        self.assertEqual([kind for _, kind in changes], ["state_push", "state_pop"])
        self.assertEqual(changes[1][0] - changes[0][0], 1)

    def test_unknown_regions_stay_calls_where_events_are_written_again(self):
        trace = self.trace("none", RANKS, "1\n*1\nE0\n2\n*1\nE2\n3\n*1\nL\n4\n*1\nL\n")
        done = subprocess.run([QUIPU, "merge", "-q", trace, trace, "-o", self.path("two.otf")], check=False, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = Path(self.path("two.1.events")).read_text(encoding="ascii")
        self.assertEqual((events.count("E0\n"), events.count("L"), events.count("E")), (2, 4, 4), events)
        self.assertEqual(subprocess.run([QUIPU, "check", "-q", self.path("two.otf")], check=False, stdout=subprocess.DEVNULL).returncode, 0)

    def test_calls_within_the_same_function_are_one_for_ovni(self):
        sends = RANKS + 'DF3G1NM"MPI_Send"\n'
        trace = self.trace("within", sends, "1\n*1\nE3\n2\n*1\nE3\n3\n*1\nL\n5\n*1\nL\n")
        events, told = self.convert(trace, "ovni")
        calls = [(int(event["time_ns"]), event["kind"]) for event in events if event["kind"] in ("enter", "leave")]
        self.assertEqual([(time - calls[0][0], kind) for time, kind in calls], [(0, "enter"), (4, "leave")])
        self.assertEqual((told["Enter"], told["Leave"]), (1, 1))

    def test_unknown_threads_of_a_rank_are_told(self):
        threads = 'DTR3b9aca00\nDP1NM"a"\nDP2NM"b"PT1\nDPG64M1,2,NM"MPI_COMM_WORLD"\n'
        trace = self.trace("threads", threads, "1\n*1\nS2L4T3C64\n5\n*2\nR1L4T3C64\n")
        for target in ("meta", "picl"):
            _, told = self.convert(trace, target)
            self.assertEqual((told["SendMsg"], told["RecvMsg"]), (1, 1), target)

    def test_unknown_ranks_get_no_files(self):
        Path(self.path("far.picl")).write_text("-3 -21 1.0 10010 0 1 2 5\n-4 -21 2.0 10010 0 0\n", encoding="ascii")
        _, told = self.convert(self.path("far.picl"), "meta")
        self.assertLessEqual(len(list(Path(self.path("out.meta")).parent.glob("out-*"))), 2)
        self.assertGreater(sum(told.values()), 0)

    def test_unknown_sizes_of_receives_are_what_was_sent_and_told(self):
        trace = self.trace("sizes", RANKS, "1\n*1\nS2L4T3C64\n5\n*2\nR1L20T3C64\n")
        events, told = self.convert(trace, "prv")
        self.assertEqual([event["bytes"] for event in events if event["kind"] in ("send", "recv")], [4, 4])
        self.assertEqual((told.get("SendMsg", 0), told["RecvMsg"]), (0, 1))

    def test_unknown_notes_without_their_texts_are_dropped(self):
        trace = self.trace("note", RANKS, '1\n*1\n#"hello"\n')
        output = self.path("left.otf")
        done = subprocess.run([QUIPU, "convert", "-q", trace, "-o", output, "--no-attributes", "--fail-on-loss"], check=False, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
