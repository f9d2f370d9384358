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
            self.assertEqual(record["total"], record["exact"] + record["respelled"] + record["approximated"] + record["dropped"], record)
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

    def messages(self, trace):
        """Sender, receiver, messages, bytes, with processes as ranks."""
        answer = json.loads(self.assert_runs("quipu", "comm", "--json", trace))
        table = next(found for found in answer["tables"] if found["table"] == "pairs")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return sorted((self.number(row["sender"]), self.number(row["receiver"]), row["messages"], row["bytes"]) for row in rows)

    def has_events(self, trace):
        return bool(self.assert_runs("quipu", "cat", "--limit", "1", trace))

    @staticmethod
    def number(location):
        return int("".join(filter(str.isdigit, location)))

    def test_messages_are_the_same_and_emulators_accept_them(self):
        """DUMPI's processes are called after their ranks, those of ovni after their numbers, which count from 1."""
        damaged = ("abort-ompi", "exit-ompi")
        metafiles = [path for path in sorted((SHARED.parent / "dumpi").glob("*/*.meta")) if path.parent.name not in damaged and self.has_events(path)]
        found = 0
        for metafile in metafiles:
            with self.subTest(metafile.parent.name):
                out = self.convert(metafile, "ovni", metafile.parent.name)
                self.assert_runs("ovniemu", "-l", out)
                expected = self.messages(metafile)
                first = min((min(sender, receiver) for sender, receiver, *_ in self.messages(out)), default=0)
                least = min((min(sender, receiver) for sender, receiver, *_ in expected), default=0)
                self.assertEqual([(sender - least, receiver - least, *rest) for sender, receiver, *rest in expected],
                                 [(sender - first, receiver - first, *rest) for sender, receiver, *rest in self.messages(out)])
                found += len(expected)
                back = self.convert(out, "otf", f"{metafile.parent.name}-back")
                self.assertEqual(self.messages(out), self.messages(back))
        self.assertTrue(found or not metafiles)

    def test_events_that_only_look_like_messages_are_markers(self):
        """Without our key in the metadata; and with another version of it."""
        for key in ({}, {"quipu": {"version": "2.0.0", "process": 0}}):
            shutil.rmtree(self.folder / "trace", ignore_errors=True)
            trace = self.trace([({**metadata(11), **key}, [begin(100), event("OUs", 110, "BBBB", 4, 0, 1, 5), end(120)])])
            events = [json.loads(line) for line in self.assert_runs("quipu", "cat", "--json", trace).splitlines()]
            self.assertEqual(["marker"], [event["kind"] for event in events if event["kind"] in ("marker", "send")])

    def test_numbers_without_a_definition_are_unknown(self):
        trace = self.trace([({**metadata(11), "quipu": {"version": "1.0.0", "process": 3, "definitions": {"groups": {"9": {"members": [3, 7]}}}}},
                            [begin(100), event("OUs", 110, "BBBBB", 8, 10, 4, 5, 0), event("OUs", 111, "BBB", 4, 6, 4), end(120)])])
        events = [json.loads(line) for line in self.assert_runs("quipu", "cat", "--json", trace).splitlines()]
        sends = [(event.get("peer"), event.get("peer_name"), event["tag"], event.get("bytes")) for event in events if event["kind"] == "send"]
        self.assertEqual([(None, None, 2, 4), ("proc.10", 2, None)], [sends[0], (sends[1][1], *sends[1][2:])])

    def test_reports_add_up_for_targets_that_are_only_written(self):
        for name, trace in self.traces():
            for target in ("perfetto", "chrome", "paraver"):
                with self.subTest(name + " " + target):
                    self.convert(trace, target, name)


if __name__ == "__main__":
    unittest.main()
