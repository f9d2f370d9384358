"""Metadata of several streams that contradict each other are repaired so that they agree; where no repair helps, repair says so."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from house import BUILD  # noqa: E402
from ovni_trace import begin, end, metadata, task_type, write  # noqa: E402

QUIPU = BUILD / "quipu"
FINE, DAMAGED = 0, 3
TABLE = """rank       hostname             offset_median        offset_mean          offset_std
0          node                 1000                 1000.000000          0.000000
"""


class Repaired(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def repair(self, *threads, prepare=None, code=FINE):
        """(documents by thread, number of records) of the repaired trace."""
        trace = write(self.folder / "trace", *threads)
        if prepare:
            prepare(trace)
        whole = self.folder / "whole"
        done = subprocess.run([QUIPU, "repair", trace, "-o", whole, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual(code, done.returncode, done.stderr)
        self.said = json.loads(done.stdout)
        done = subprocess.run([QUIPU, "check", whole, "--json"], stdout=subprocess.PIPE, text=True, timeout=60)
        checked = json.loads(done.stdout)
        self.assertEqual(self.said["verdict"], checked["verdict"])
        self.assertEqual(code == FINE, checked["verdict"] != "reject", checked)
        documents = {json.loads(path.read_text())["ovni"]["tid"]: json.loads(path.read_text())["ovni"]
                     for path in whole.rglob("stream.json")}
        return documents, checked["records"]

    def test_a_process_has_one_application(self):
        documents, _ = self.repair((metadata(11, app_id=7), [begin(1), end(2)]), (metadata(12, cpus=0, app_id=8), [begin(3), end(4)]))
        self.assertEqual([7, 7], [documents[tid]["app_id"] for tid in (11, 12)])

    def test_a_thread_without_application_has_that_of_its_process(self):
        documents, _ = self.repair((metadata(11, app_id=None), [begin(1), end(2)]), (metadata(12, cpus=0, app_id=8), [begin(3), end(4)]))
        self.assertEqual([8, 8], [documents[tid]["app_id"] for tid in (11, 12)])

    def test_a_process_has_the_rank_that_most_of_its_threads_say(self):
        documents, _ = self.repair(
            (metadata(11, rank=1, nranks=3), [begin(1), end(2)]), (metadata(12, cpus=0, rank=2, nranks=3), [begin(3), end(4)]),
            (metadata(13, cpus=0, rank=2, nranks=3), [begin(5), end(6)]))
        self.assertEqual([(2, 3)] * 3, [(documents[tid]["rank"], documents[tid]["nranks"]) for tid in (11, 12, 13)])

    def test_a_loom_of_which_one_process_has_lost_its_rank_has_none(self):
        documents, _ = self.repair((metadata(11, pid=10, rank=0, nranks=2), [begin(1), end(2)]),
                                   (metadata(12, pid=11, cpus=0), [begin(3), end(4)]))
        self.assertEqual([False, False], ["rank" in documents[tid] for tid in (11, 12)])

    def test_cpus_that_contradict_each_other_are_those_of_a_thread_whose_list_is_good(self):
        good = [{"index": 0, "phyid": 4}, {"index": 1, "phyid": 5}]
        documents, records = self.repair((metadata(11, loom_cpus=[{"index": 1, "phyid": 4}]), [begin(1), end(2)]),
                                         (metadata(12, loom_cpus=good), [begin(3, 1), end(4)]))
        self.assertEqual(good, documents[12]["loom_cpus"])
        self.assertNotIn("loom_cpus", documents[11])
        self.assertEqual(2 * 3, records)  # each stream has a header

    def test_cpus_that_lost_metadata_have_told_are_those_that_events_name(self):
        def lose(trace):
            (trace / "loom.node.0/proc.10/thread.12/stream.json").write_text("{")
        documents, records = self.repair((metadata(11), [begin(1), end(2)]), (metadata(12, cpus=2), [begin(3, 1), end(4)]),
                                         prepare=lose)
        cpus = [cpu["index"] for tid in (11, 12) for cpu in documents[tid].get("loom_cpus", [])]
        self.assertEqual([0, 1], sorted(cpus))
        self.assertEqual(2 * 3, records)

    def test_a_stream_without_its_events_keeps_the_cpus_of_its_loom(self):
        documents, records = self.repair((metadata(11, cpus=2), [begin(1), end(2)]), (metadata(12, cpus=0), [begin(3, 1), end(4)]),
                                         prepare=lambda trace: (trace / "loom.node.0/proc.10/thread.11/stream.obs").unlink())
        self.assertEqual(2, len(documents[11]["loom_cpus"]))
        self.assertGreaterEqual(records, 3)

    def test_hardware_counters_are_those_of_a_thread_that_names_all(self):
        names = {str(i): {"name": f"counter {i}"} for i in range(2)}
        first, second = metadata(11), metadata(12, cpus=0)
        first["nosv"], second["nosv"] = {"hwc": {"0": names["0"], "x": names["1"]}}, {"hwc": names}
        self.repair((first, [begin(1), end(2)]), (second, [begin(3), end(4)]))
        found = [json.loads(path.read_text())["nosv"]["hwc"] for path in (self.folder / "whole").rglob("stream.json")]
        self.assertEqual([names, names], found)

    def test_lines_of_the_table_of_clock_offsets_that_cannot_be_read_are_left_out(self):
        self.repair((metadata(11), [begin(1), end(2)]),
                    prepare=lambda trace: (trace / "clock-offsets.txt").write_text(TABLE + "1 stranger 5 5 5\n2 node x\n"))
        lines = (self.folder / "whole/clock-offsets.txt").read_text().splitlines()
        self.assertEqual([["node", "1000"]], [line.split()[1:3] for line in lines[1:]])

    def test_a_good_table_of_clock_offsets_stays_as_it_is(self):
        self.repair((metadata(11), [begin(1), end(2)]), prepare=lambda trace: (trace / "clock-offsets.txt").write_text(TABLE))
        self.assertEqual(TABLE, (self.folder / "whole/clock-offsets.txt").read_text())

    def test_repair_says_when_what_it_has_written_breaks_rules(self):
        """Two labels with the same number are both right: only renaming one would help."""
        self.repair((metadata(11, models=("ovni", "nosv")), [begin(1), task_type("VYc", 2, 1, "task 69849"),
                                                             task_type("VYc", 3, 2, "task 76653"), end(4)]), code=DAMAGED)


if __name__ == "__main__":
    unittest.main()
