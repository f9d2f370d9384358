"""What becomes of an ovni trace in other formats: the times of calls per location are the same there and back, the report of the conversion
adds up, and what is drawn has threads, CPUs and tasks with their labels."""
import csv
import io
import json
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ovni_trace import begin, end, event, metadata, task_type, write  # noqa: E402
from test_emulation import SHARED, Case  # noqa: E402

KINDS = ("location", "region", "exclusive_ns", "inclusive_ns", "calls", "min_ns", "max_ns")
TARGETS = {"otf": "otf", "perfetto": "pftrace", "chrome": "json", "paraver": "prv"}


class Conversions(Case):
    def tasks_trace(self):
        """Two threads take turns on CPU 0.5; a task is paused under another, an MPI call and marks."""
        models = ("ovni", "nosv", "mpi")
        cpus = [{"index": 0, "phyid": 5}, {"index": 1, "phyid": 7}]
        marks = {"3": {"title": "phase", "chan_type": "single", "labels": {"1": "setup", "2": "solve"}}}
        first = [begin(100), task_type("VYc", 110, 1, "work"), event("VTc", 120, "II", 5, 1), event("VTc", 121, "II", 6, 1),
                 event("VHw", 130), event("OM=", 140, "qi", 1, 3), event("VTx", 200, "II", 5, 0), event("MS[", 210),
                 event("MS]", 220), event("VAp", 230), event("VTp", 240, "II", 5, 0), event("VTx", 250, "II", 6, 0),
                 event("VTe", 270, "II", 6, 0), event("VTr", 280, "II", 5, 0), event("VAP", 290), event("VTe", 300, "II", 5, 0),
                 event("OM=", 310, "qi", 2, 3), event("VHW", 320), event("OHe", 330)]
        second = [begin(340), event("MW[", 350), event("MW]", 390), event("OAs", 400, "i", 1), end(500)]
        return self.trace([(metadata(11, models=models, loom_cpus=cpus, mark=marks), first),
                           (metadata(12, models=models, cpus=0), second)])

    def profile(self, trace):
        rows = csv.DictReader(io.StringIO(self.assert_runs("quipu", "profile", "--by", "location", "--csv", trace)))
        return sorted(tuple(row[kind] for kind in KINDS) for row in rows)

    def convert(self, trace, target, name):
        """The converted trace; its report adds up."""
        out, report = self.folder / f"{name}.{TARGETS.get(target, target)}", self.folder / f"{name}.report"
        shutil.rmtree(out, ignore_errors=True)
        self.assert_runs("quipu", "convert", "--force", trace, "--to", target, "-o", out, "--report", report)
        for record in json.loads(report.read_text())["records"]:
            self.assertGreater(record["total"], 0, record)
            self.assertEqual(record["total"], record["exact"] + record["approximated"] + record["dropped"], record)
        return out

    def traces(self):
        yield "own", self.tasks_trace()
        for case in sorted(SHARED.iterdir()) if SHARED.exists() else ():
            if (case / "trace").is_dir():
                yield case.name, case / ("trace-sorted" if (case / "trace-sorted").exists() else "trace")

    def test_times_of_tasks_and_states_are_equal_in_otf_and_back(self):
        for name, trace in self.traces():
            with self.subTest(name):
                before = self.profile(trace)
                otf = self.convert(trace, "otf", name)
                self.assertEqual(before, self.profile(otf))
                self.assertEqual(before, self.profile(self.convert(otf, "ovni", name)))

    def test_threads_cpus_and_tasks_are_drawn_as_slices_with_their_labels(self):
        """Chrome's and Perfetto's slices come from the same tracker; this one needs no library to read."""
        events = json.loads(self.convert(self.tasks_trace(), "chrome", "drawn").read_text())["traceEvents"]
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
        owners = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual({"loom.node.0", "CPU 0.5", "CPU 0.7", "vCPU 0.*", "proc.10"}, set(owners.values()))
        slices, active = [], {}
        for event in events:
            track = event["pid"], event["tid"]
            if event["ph"] == "B":
                active.setdefault(track, []).append(event)
            elif event["ph"] == "E":
                first = active[track].pop()
                slices.append((owners[event["pid"]], names[track], first["name"], round(1000 * first["ts"]) + 100, round(1000 * event["ts"]) + 100))
        on_cpus = sorted(row for row in slices if "CPU" in row[0])
        self.assertEqual([("CPU 0.5", "threads", "thread.11", 100, 330), ("CPU 0.5", "threads", "thread.12", 340, 400),
                          ("CPU 0.7", "threads", "thread.12", 400, 500)], on_cpus)
        for row in (("proc.10", "tasks", "work 5", 200, 300), ("proc.10", "tasks", "work 6", 250, 270),
                    ("proc.10", "thread.11", "work", 250, 270), ("proc.10", "thread.11", "MPI_Send", 210, 220),
                    ("proc.10", "thread.11", "Thread: Worker", 130, 320), ("proc.10", "thread state", "Running", 100, 330),
                    ("proc.10", "phase", "setup", 140, 310)):
            self.assertIn(row, slices)

    def test_cpus_are_no_processes_of_a_dumpi_trace(self):
        folder = self.folder / "dumpi"
        folder.mkdir()
        self.assert_runs("quipu", "convert", self.tasks_trace(), "-o", folder / "t.meta")
        self.assertIn("numprocs=1\n", (folder / "t.meta").read_text())

    def test_reports_add_up_for_targets_that_are_only_written(self):
        for name, trace in self.traces():
            for target in ("perfetto", "chrome", "paraver"):
                with self.subTest(name + " " + target):
                    self.convert(trace, target, name)


if __name__ == "__main__":
    unittest.main()
