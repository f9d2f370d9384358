"""What repair makes of damaged traces of OTF2: check finds neither errors nor losses in them, otf2-print reads them, and what is sound stays."""
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
TIME, LEAVE = 5, 13  # types of what is in a file of events; a time has 8 bytes


def run_quipu(*words):
    done = subprocess.run([QUIPU, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def records(trace):
    return [json.loads(line) for line in run_quipu("cat", "--records", "--json", trace)[1].splitlines()]


@unittest.skipUnless(run_quipu("info", EVERY)[0] == 0, "built without libotf2")
class Repair(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def copy(self):
        trace = self.folder / "damaged"
        shutil.rmtree(trace, ignore_errors=True)
        shutil.copytree(EVERY, trace)
        return trace

    def calls(self):
        """A trace of one location: at 10 us and so on region 3 is entered, 4, 4 is left, and 3."""
        source = self.folder / "calls.picl"
        source.write_text("".join(f"{kind} {region} 0.0000{10 + i} 0 0 0\n" for i, (kind, region) in
                                  enumerate(((-3, 3), (-3, 4), (-4, 4), (-4, 3)))))
        self.assertEqual(0, run_quipu("convert", source, "-o", self.folder / "calls.otf2")[0])
        return self.folder / "calls.otf2"

    def repair(self, trace):
        """What it says, and the records of what it has written, after these have been checked."""
        whole = self.folder / "whole.otf2"
        code, text, messages = run_quipu("repair", trace, "-o", whole, "--force", "--json")
        self.assertEqual(0, code, messages)
        said, checked = json.loads(text), json.loads(run_quipu("check", "--json", whole)[1])
        self.assertEqual([], [found for found in checked["findings"] if found["severity"] in ("error", "data-loss")])
        for words in ((), ("-G",)) if shutil.which("otf2-print") else ():
            self.assertEqual(0, subprocess.run(["otf2-print", *words, whole / "traces.otf2"], capture_output=True).returncode)
        return said, records(whole)

    def events(self, found):
        """Type, region and time of calls, in microseconds since the first one, as the source has them."""
        calls = [record for record in found if record["type"] in ("ENTER", "LEAVE")]
        first = calls[0]["fields"]["timestamp"]
        return [(call["type"], call["fields"]["region"], call["fields"]["timestamp"] - first) for call in calls]

    def changes(self, said):
        return [change["rule"] for change in said["changes"]]

    def test_repair_a_sound_trace_stays_as_it_is(self):
        copy = self.folder / "copy.otf2"
        self.assertEqual(0, run_quipu("convert", EVERY, "-o", copy)[0])
        said, _ = self.repair(EVERY)
        self.assertEqual(([], 0, 0), (said["changes"], said["records"]["dropped"], said["records"]["added"]))
        for path in copy.rglob("*.*"):
            self.assertEqual(path.read_bytes(), (self.folder / "whole.otf2" / path.relative_to(copy)).read_bytes(), path)

    def test_repair_a_file_that_breaks_off_keeps_what_stands_before(self):
        whole = (EVERY / "traces/0.evt").read_bytes()
        for size in range(0, len(whole), 97):
            trace = self.copy()
            (trace / "traces/0.evt").write_bytes(whole[:size])
            left = [record["type"] for record in records(trace) if record["stream"] == 1]
            said, found = self.repair(trace)
            retained = [record["type"] for record in found if record["stream"] == 1]
            self.assertEqual(left, retained[:len(left)])
            self.assertEqual({"LEAVE", "CALLING_CONTEXT_LEAVE"}, {"LEAVE", "CALLING_CONTEXT_LEAVE", *retained[len(left):]})
            self.assertEqual(said["records"]["added"], len(retained) - len(left))
            number = next(record["fields"]["events"] for record in found if record["type"] == "LOCATION")
            self.assertEqual(len(retained), number)
            self.assertIn("otf2.repair-count", self.changes(said))

    def test_repair_a_leave_of_another_region_is_removed_and_the_right_one_added(self):
        trace = self.calls()
        events = trace / "traces/0.evt"
        data = bytearray(events.read_bytes())
        leave = data.index(bytes([LEAVE, 1, 1]))  # of the region with number 1
        data[leave + 2] = 9
        events.write_bytes(data)
        said, found = self.repair(trace)
        # The outer region is left at 13 us; so is the inner one.
        self.assertEqual([("ENTER", 0, 0), ("ENTER", 1, 1), ("LEAVE", 1, 3), ("LEAVE", 0, 3)],
                         self.events(found))
        self.assertEqual((1, 1), (said["records"]["dropped"], said["records"]["added"]))
        self.assertEqual(["otf2.repair-leave-only", "otf2.repair-leave"], self.changes(said))

    def test_repair_a_time_that_others_contradict_becomes_the_previous_one(self):
        trace = self.calls()
        events = trace / "traces/0.evt"
        data = bytearray(events.read_bytes())
        at = [match.start() for match in re.finditer(bytes([TIME]), data) if data[match.start() + 9] in (LEAVE - 1, LEAVE)][1]
        data[at + 6] ^= 1  # 2**40 ticks later
        events.write_bytes(data)
        said, found = self.repair(trace)
        self.assertEqual([0, 0, 2, 3], [time for _, _, time in self.events(found)])
        self.assertEqual(["otf2.repair-time"], self.changes(said))

    def test_repair_locations_whose_definitions_are_lost_are_defined_again(self):
        trace = self.copy()
        definitions = trace / "traces.def"
        definitions.write_bytes(definitions.read_bytes()[:60])
        self.assertEqual(3, run_quipu("check", trace)[0])
        counts = [sum(record["stream"] == stream for record in records(EVERY)) for stream in range(1, 5)]
        # They are in the order of the names of their files, which is that of their numbers, too.
        self.assertEqual(counts, [sum(record["stream"] == stream for record in records(trace)) for stream in range(1, 5)])
        said, found = self.repair(trace)
        self.assertEqual(counts[0], sum(record["stream"] == 1 for record in found))
        self.assertEqual(4, self.changes(said).count("otf2.repair-location"))
        self.assertEqual([0, 1, 2, 3], [record["fields"]["self"] for record in found if record["type"] == "LOCATION"])

    def test_repair_leaves_the_input_as_it_is(self):
        trace = self.calls()
        before = {path: path.read_bytes() for path in trace.rglob("*.*")}
        for name in (trace, trace / "traces.otf2"):
            self.assertNotEqual(0, run_quipu("repair", name, "-o", trace, "--force")[0])
            self.assertEqual(before, {path: path.read_bytes() for path in trace.rglob("*.*")})


if __name__ == "__main__":
    unittest.main()
