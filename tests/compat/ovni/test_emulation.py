"""ovniemu, ovnidump, ovnisort and ovnitop do what the format's description says, refuse every trace that breaks a rule and name the rule;
quipu copies, upgrades and repairs such traces."""
import gzip
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cli"))
import peak  # noqa: E402
from house import BUILD, SOURCE  # noqa: E402
from ovni_trace import HEADER, begin, end, event, jumbo, metadata, task_type, write  # noqa: E402

TOOLS = BUILD / "compat/bin"
SHARED = SOURCE.parent / "shared/traces/ovni"

V = ("ovni", "nosv")
SIX = ("ovni", "nanos6")
P = ("ovni", "openmp")
MARKS = {"1": {"title": "single", "chan_type": "single"}, "2": {"title": "stack", "chan_type": "stack"}}


def one(*events, **more):
    return [(metadata(11, **more), list(events))]


def tasks(*events, models=V, kind="VTc", type_event="VYc"):
    """A thread with type 1 and task 5 of it."""
    return one(begin(1), task_type(type_event, 2, 1, "work"), event(kind, 3, "II", 5, 1), *events, models=models)


def without(key):
    return [(metadata(11, **{key: None}), [begin(1), end(2)])]


# What breaks which rule.
ILL_FORMED = {
    "header-short": ("ovni.stream-header", [(metadata(11), b"ovni")]),
    "magic": ("ovni.stream-magic", [(metadata(11), b"ovnj\1\0\0\0" + begin(1) + end(2))]),
    "stream-version": ("ovni.stream-version", [(metadata(11), b"ovni\2\0\0\0" + begin(1) + end(2))]),
    "truncated": ("ovni.truncated", [(metadata(11), HEADER + begin(1) + end(2)[:7])]),
    "metadata-version": ("ovni.metadata-version", [({**metadata(11), "version": 4}, [begin(1), end(2)])]),
    "no-tid": ("ovni.key", [(metadata(0), [begin(1), end(2)])]),
    "slash-in-loom": ("ovni.key", one(begin(1), end(2), loom="a/b")),
    "no-require": ("ovni.key", without("require")),
    "no-lib": ("ovni.key", without("lib")),
    "unfinished": ("ovni.finished", without("finished")),
    "no-application": ("ovni.app-id", without("app_id")),
    "negative-application": ("ovni.app-id", one(begin(1), end(2), app_id=-1)),
    "rank-without-count": ("ovni.rank", one(begin(1), end(2), rank=0)),
    "rank-too-high": ("ovni.rank", one(begin(1), end(2), rank=2, nranks=2)),
    "no-cpus": ("ovni.loom-cpus", one(begin(1), end(2), cpus=0)),
    "cpu-indices-with-gap": ("ovni.loom-cpus", one(begin(1), end(2), loom_cpus=[{"index": 1, "phyid": 0}])),
    "version-too-new": ("ovni.require", one(begin(1), end(2), require={"ovni": "1.9.0"})),
    "version-of-two-numbers": ("ovni.require", one(begin(1), end(2), require={"ovni": "1.1"})),
    "mark-in-two-ways": ("ovni.mark", [
        (metadata(11, mark={"1": {"title": "a", "chan_type": "single"}}), [begin(1, -1), end(2)]),
        (metadata(12, mark={"1": {"title": "b", "chan_type": "single"}}), [begin(1, -1), end(2)])]),
    "clock-back": ("ovni.clock-back", one(begin(5), end(4))),
    "clock-negative": ("ovni.clock-negative", one(begin(1 << 63), end((1 << 63) + 1))),
    "an-hour-apart": ("ovni.clock-gap", [(metadata(11), [begin(0), end(1)]),
                                         (metadata(12, cpus=0), [begin(3600 * 10**9 + 1, -1), end(3600 * 10**9 + 2)])]),
    "unknown-model": ("ovni.unknown-model", one(begin(1), event("XAa", 2), end(3))),
    "model-not-required": ("ovni.model-not-required", one(begin(1), event("MS[", 2), end(3))),
    "unknown-value": ("ovni.unknown-event", one(begin(1), event("OHz", 2), end(3))),
    "event-before-running": ("ovni.thread-not-running", one(event("MS[", 1), models=("ovni", "mpi"))),
    "event-while-paused": ("ovni.thread-not-active", one(begin(1), event("OHp", 2), event("VSh", 3), models=V)),
    "event-out-of-cpu": ("ovni.thread-out-of-cpu", one(begin(1), event("KCO", 2), end(3), models=("ovni", "kernel"))),
    "execute-without-payload": ("ovni.payload", one(event("OHx", 1))),
    "execute-twice": ("ovni.thread-state", one(begin(1), begin(2), end(3))),
    "warm-without-pause": ("ovni.thread-state", one(begin(1), event("OHw", 2), end(3))),
    "end-while-paused": ("ovni.thread-state", one(begin(1), event("OHp", 2), end(3))),
    "unknown-cpu": ("ovni.cpu-unknown", one(begin(1, 1), end(2))),
    "two-on-a-cpu": ("ovni.cpu-busy", [(metadata(11), [begin(1), end(9)]), (metadata(12), [begin(2), end(8)])]),
    "affinity-without-cpu": ("ovni.thread-no-cpu", one(event("OAs", 1, "i", 0))),
    "affinity-of-nobody": ("ovni.affinity", one(begin(1), event("OAr", 2, "ii", -1, 99), end(3))),
    "affinity-where-it-is": ("ovni.affinity", one(begin(1), event("OAr", 2, "ii", 0, 11), end(3))),
    "flush-twice": ("ovni.same-value", one(begin(1), event("OF[", 2), event("OF[", 3), end(4))),
    "same-subsystem": ("ovni.same-value", one(begin(1), event("MS[", 2), event("MS[", 3), models=("ovni", "mpi"))),
    "leave-what-was-not-entered": ("ovni.pop", one(begin(1), event("VSf", 2), end(3), models=V)),
    "leave-another": ("ovni.pop", one(begin(1), event("VSh", 2), event("VS]", 3), end(4), models=V)),
    "stack-full": ("ovni.stack-full", one(begin(1), *[event("VSh", 2)] * 513, end(4), models=V)),
    "mark-undefined": ("ovni.mark-type", one(begin(1), event("OM=", 2, "qi", 1, 3), end(3), mark=MARKS)),
    "mark-set-on-stack": ("ovni.mark-kind", one(begin(1), event("OM=", 2, "qi", 1, 2), end(3), mark=MARKS)),
    "mark-push-on-single": ("ovni.mark-kind", one(begin(1), event("OM[", 2, "qi", 1, 1), end(3), mark=MARKS)),
    "mark-zero": ("ovni.mark-zero", one(begin(1), event("OM=", 2, "qi", 0, 1), end(3), mark=MARKS)),
    "type-as-normal-event": ("ovni.not-jumbo", one(begin(1), event("VYc", 2, "II", 1, 0), end(3), models=V)),
    "type-zero": ("ovni.type-id", one(begin(1), task_type("VYc", 2, 0, "x"), end(3), models=V)),
    "type-twice": ("ovni.type-id", one(begin(1), task_type("VYc", 2, 1, "x"), task_type("VYc", 3, 1, "y"), models=V)),
    "label-too-long": ("ovni.type-label", one(begin(1), task_type("VYc", 2, 1, "x" * 512), end(3), models=V)),
    "labels-of-one-number": ("ovni.label-number", one(
        begin(1), task_type("VYc", 2, 1, "task 69849"), task_type("VYc", 3, 2, "task 76653"), end(4), models=V)),
    "task-of-no-type": ("ovni.type-unknown", one(begin(1), event("VTc", 2, "II", 1, 1), end(3), models=V)),
    "task-twice": ("ovni.task-id", tasks(event("VTc", 4, "II", 5, 1))),
    "task-unknown": ("ovni.task-unknown", tasks(event("VTx", 4, "II", 6, 0))),
    "body-of-ordinary-task": ("ovni.body-id", tasks(event("VTx", 4, "II", 5, 1))),
    "no-body-of-parallel-task": ("ovni.body-id", tasks(event("VTx", 4, "II", 5, 0), kind="VTC")),
    "end-before-run": ("ovni.body-state", tasks(event("VTe", 4, "II", 5, 0))),
    "pause-twice": ("ovni.body-state", tasks(event("VTx", 4, "II", 5, 0), event("VTp", 5, "II", 5, 0),
                                             event("VTp", 6, "II", 5, 0))),
    "task-runs-again": ("ovni.body-state", tasks(event("6Tx", 4, "I", 5), event("6Te", 5, "I", 5),
                                                 event("6Tx", 6, "I", 5), models=SIX, kind="6Tc", type_event="6Yc")),
    "nested-without-pause": ("ovni.body-nested", tasks(event("VTc", 3, "II", 6, 1), event("VTx", 4, "II", 5, 0),
                                                       event("VTx", 5, "II", 6, 0))),
    "parallel-task-pauses": ("ovni.body-pause", tasks(event("VTx", 4, "II", 5, 1), event("VTp", 5, "II", 5, 1),
                                                      kind="VTC")),
    "counters-undefined": ("ovni.counters", one(begin(1), jumbo("VWC", 2, b"\0" * 8), end(3), models=V)),
    "openmp-task-zero": ("ovni.task-id", one(begin(1), task_type("POc", 2, 1, "x"), event("PPc", 3, "II", 0, 1),
                                             models=P)),
    "idle-state-again": ("ovni.same-value", one(begin(1), event("VPp", 2), end(3), models=V)),
    "not-dead": ("ovni.thread-not-dead", one(begin(1))),
    "stack-not-empty": ("ovni.stack-not-empty", one(begin(1), event("VSh", 2), end(3), models=V)),
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, name, *arguments):
        path = BUILD / "quipu" if name == "quipu" else TOOLS / name
        return subprocess.run([str(path), *map(str, arguments)], capture_output=True, text=True)

    def assert_runs(self, name, *arguments):
        done = self.run_tool(name, *arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def trace(self, threads, name="trace"):
        folder = self.folder / name
        folder.mkdir()
        return write(folder, *threads)

    def lines(self, trace, name):
        return (trace / name).read_text().splitlines()


class Emulation(Case):
    def test_traces_that_break_a_rule_are_refused_with_its_name(self):
        self.assertGreaterEqual(len(ILL_FORMED), 40)
        for name, (rule, threads) in ILL_FORMED.items():
            with self.subTest(name):
                done = self.run_tool("ovniemu", "-l", self.trace(threads, name))
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn(f"[{rule}]", done.stderr)

    def test_check_finds_the_rules_of_the_emulation(self):
        for name in ("cpu-busy", "pop", "body-nested", "thread-not-dead"):
            rule = "ovni." + name
            threads = next(threads for broken, threads in ILL_FORMED.values() if broken == rule)
            done = self.run_tool("quipu", "check", "--json", self.trace(threads, name))
            self.assertEqual(1, done.returncode, done.stderr)
            self.assertIn(rule, {finding["rule"] for finding in json.loads(done.stdout)["findings"]})

    def test_a_thread_that_runs_is_shown_with_its_cpu(self):
        trace = self.trace(one(begin(1000), end(2000)))
        self.assert_runs("ovniemu", trace)
        self.assertEqual("#Paraver (19/01/38 at 03:14):00000000000000001000_ns:0:1:1(1:1)", self.lines(trace, "thread.prv")[0])
        self.assertEqual(
            {"2:0:1:1:1:0:6:1", "2:0:1:1:1:0:4:1", "2:0:1:1:1:0:2:11", "2:0:1:1:1:1000:4:3", "2:0:1:1:1:1000:2:0",
             "2:0:1:1:1:1000:6:0"}, set(self.lines(trace, "thread.prv")[1:]))
        self.assertEqual(
            {"2:0:1:1:1:0:2:11", "2:0:1:1:1:0:1:10", "2:0:1:1:1:0:3:1", "2:0:1:1:1:0:7:0", "2:0:1:1:1:1000:2:0",
             "2:0:1:1:1:1000:1:0", "2:0:1:1:1:1000:3:0"}, set(self.lines(trace, "cpu.prv")[1:]))
        self.assertEqual(["TH 1.11"], self.lines(trace, "thread.row")[4:])
        self.assertEqual([" CPU 0.0", "vCPU 0.*"], self.lines(trace, "cpu.row")[4:])
        self.assertTrue((trace / "cfg/thread/ovni/state.cfg").exists())

    def test_what_an_event_writes_itself_is_shown_before_what_follows_from_it(self):
        """The end of a thread writes its state, TID and CPU; that it shows no idle state of nOS-V any more follows. A thread that
        moves is written at both CPUs before their channels."""
        trace = self.trace([(metadata(11, cpus=2, models=V), [begin(0, 0), event("OAs", 5, "i", 1), end(9)])])
        self.assert_runs("ovniemu", trace)

        def at(view, time):
            fields = [line.split(":")[4:] for line in self.lines(trace, view)[1:]]
            return [(int(row), int(kind), int(value)) for row, when, kind, value in fields if int(when) == time]

        self.assertEqual([(1, 4, 3), (1, 2, 0), (1, 6, 0), (1, 16, 0)], at("thread.prv", 9))
        self.assertEqual([(1, 2, 0), (1, 1, 0), (1, 3, 0), (2, 2, 11), (2, 1, 10), (2, 3, 1)], at("cpu.prv", 5)[:6])

    def test_a_paused_thread_shows_no_subsystem(self):
        trace = self.trace(one(begin(0), event("VSh", 10), event("OHp", 20), event("OHr", 30), event("VSf", 40), end(50),
                               models=V))
        self.assert_runs("ovniemu", "-l", trace)
        of_subsystem = [line for line in self.lines(trace, "thread.prv") if line.split(":")[6:7] == ["13"]]
        self.assertEqual([":0:13:0", ":10:13:6", ":20:13:0", ":30:13:6", ":40:13:0"],
                         [line.removeprefix("2:0:1:1:1") for line in of_subsystem])

    def test_labels_of_types_have_the_numbers_of_their_hash(self):
        trace = self.trace(tasks(event("VTx", 4, "II", 5, 0), event("VTe", 9, "II", 5, 0), end(10)))
        self.assert_runs("ovniemu", "-l", trace)
        self.assertIn("2:0:1:1:1:3:11:1107063517", self.lines(trace, "thread.prv"))
        self.assertIn("1107063517 work", self.lines(trace, "thread.pcf"))

    def test_looms_are_sorted_by_rank_and_clocks_corrected(self):
        trace = self.trace([(metadata(1, 1, "b.x", rank=0, nranks=2), [begin(100), end(300)]),
                            (metadata(2, 2, "a.x", rank=1, nranks=2), [begin(1100), end(1200)])])
        (trace / "clock-offsets.txt").write_text("rank hostname median mean std\n0 a -1000 0 0\n")
        self.assert_runs("ovniemu", trace)
        self.assertEqual(["TH 1.1", "TH 1.2"], self.lines(trace, "thread.row")[4:])
        self.assertIn("2:0:1:1:2:0:6:3", self.lines(trace, "thread.prv"))
        self.assertTrue(self.lines(trace, "thread.prv")[0].endswith("0200_ns:0:1:1(2:1)"))

    def test_a_breakdown_sorts_what_cpus_do(self):
        threads = [(metadata(11, cpus=2, models=V), [begin(0, 0), event("VSh", 10), event("VSf", 30), end(40)]),
                   (metadata(12, cpus=2, models=V), [begin(0, 1), event("VU[", 20), event("VU]", 30), end(40)])]
        for document, _ in threads:
            document["nosv"] = {"can_breakdown": True}
        trace = self.trace(threads)
        self.assert_runs("ovniemu", "-b", trace)
        lines = sorted(line.removeprefix("2:0:1:1:") for line in self.lines(trace, "nosv-breakdown.prv")[1:])
        self.assertEqual(["1:0:17:0", "1:0:17:2", "1:20:17:6", "1:30:17:2", "1:40:17:101", "2:0:17:2", "2:10:17:6", "2:20:17:8",
                          "2:30:17:2", "2:40:17:101"], lines)


class Commands(Case):
    def test_dump_has_a_line_for_each_event_in_the_order_of_clocks(self):
        trace = self.trace([(metadata(11), [begin(1), end(4)]), (metadata(12), [begin(2, -1), jumbo("OUj", 3, b"\1\2"), end(5)])])
        thread = "loom.node.0/proc.10/thread."
        self.assertEqual([f"         1  OHx  {thread}11  :00:00:00:00:ff:ff:ff:ff:00:00:00:00:00:00:00:00",
                          f"         2  OHx  {thread}12  :ff:ff:ff:ff:ff:ff:ff:ff:00:00:00:00:00:00:00:00",
                          f"         3  OUj  {thread}12  :02:00:00:00:01:02", f"         4  OHe  {thread}11  ",
                          f"         5  OHe  {thread}12  "], self.assert_runs("ovnidump", "-x", trace).splitlines())
        self.assertIn("CPU with index -1 of its loom (-1: the virtual CPU); thread -1 has created it with the tag 0x0\n",
                      self.assert_runs("ovnidump", trace))

    def test_top_counts_events_the_most_frequent_first(self):
        trace = self.trace(one(begin(1), event("OB.", 2), event("OB.", 3), end(4)))
        self.assertEqual("OB.          2\nOHe          1\nOHx          1\n", self.assert_runs("ovnitop", trace))

    def test_sort_puts_late_events_where_their_clocks_belong(self):
        late = [event("OU[", 50), event("KCO", 20), event("KCI", 30), event("OU]", 60)]
        trace = self.trace(one(begin(10), event("OB.", 25), *late, end(70), models=("ovni", "kernel")))
        stream = next(trace.rglob("stream.obs"))
        self.assertEqual(1, self.run_tool("ovnisort", "-c", trace).returncode)
        self.assert_runs("ovnisort", trace)
        expected = [begin(10), late[1], event("OB.", 25), late[2], late[0], late[3], end(70)]
        self.assertEqual(HEADER + b"".join(expected), stream.read_bytes())
        self.assert_runs("ovnisort", "-c", trace)

    def test_sort_agrees_with_its_definition(self):
        for seed in range(40):
            events = made_regions(seed)
            trace = self.trace(one(*[packed for _, packed in events], models=("ovni", "kernel")), f"t{seed}")
            self.assert_runs("ovnisort", trace)
            expected = HEADER + b"".join(packed for _, packed in sorted_by_definition(events))
            self.assertEqual(expected, next(trace.rglob("stream.obs")).read_bytes(), f"seed {seed}")


def made_regions(seed):
    """Events with regions that reach back, now and then into disorder."""
    import random

    random.seed(seed)
    clock, events = 100, []
    for _ in range(60):
        clock += random.randint(0, 3) - (5 if seed % 4 == 3 and random.random() < 0.05 else 0)
        if random.random() < 0.2:
            events.append((clock, event("OU[", clock)))
            for _ in range(random.randint(0, 4)):
                late = clock - random.randint(0, 30)
                events.append((late, event("KCO", late)))
            events.append((clock + 1, event("OU]", clock + 1)))
            clock += 1
        else:
            events.append((clock, event("OB.", clock)))
    return events


def sorted_by_definition(events):
    events, state, first = list(events), "outside", 0
    for i, (_, packed) in enumerate(list(events)):
        code = events[i][1][1:4]
        if state == "outside":
            state = "unknown" if code == b"OU[" else state
        elif state == "unknown":
            state, first = ("outside", 0) if code == b"OU]" else ("inside", i)
        elif code == b"OU]":
            least = min(clock for clock, _ in events[first:i])
            d = i - 1
            while d > 0 and events[d][0] >= least:
                d -= 1
            events[d:i] = sorted(events[d:i], key=lambda pair: pair[0])
            state = "outside"
    return events


def in_order(lines):
    return sorted(lines, key=lambda line: (line[1], line[0]))


class Traces(Case):
    def test_copies_are_the_same_files(self):
        trace = self.trace([(metadata(11, models=V), [begin(1), event("VSh", 2), event("VSf", 3), end(4)]),
                            (metadata(12), [begin(1, -1), jumbo("OUj", 2, b"x" * 300), end(3)])])
        self.assert_runs("quipu", "convert", trace, "-o", self.folder / "copy.ovni")
        for path in sorted(trace.rglob("stream.*")):
            other = self.folder / "copy.ovni" / path.relative_to(trace)
            if path.suffix == ".obs":
                self.assertEqual(path.read_bytes(), other.read_bytes())
            else:
                self.assertEqual(json.loads(path.read_text()), json.loads(other.read_text()))

    def old_trace(self):
        """Layout 1 without header: two processes, bodies without numbers."""
        trace = self.folder / "old"
        for pid, cpus in ((1, [{"index": 0, "phyid": 3}]), (2, None)):
            process = trace / f"loom.n.1/proc.{pid}"
            process.mkdir(parents=True)
            document = {"version": 1, "app_id": 1, "cpus": cpus} if cpus else {"version": 1, "app_id": 1}
            (process / "metadata.json").write_text(json.dumps(document))
            (process / f"thread.{pid}").write_bytes(b"".join([
                begin(10 + pid, 1 - pid), task_type("VYc", 20, 1, "work"), event("VTc", 21, "II", 5, 1),
                event("VTx", 22, "I", 5), event("VTe", 23, "I", 5), end(30)]))
        return trace

    def test_old_layouts_are_read_emulated_and_upgraded(self):
        trace = self.old_trace()
        self.assert_runs("quipu", "convert", trace, "-o", self.folder / "new.ovni")
        self.assertEqual(
            ["loom.n.1/proc.1/thread.1/stream.json", "loom.n.1/proc.2/thread.2/stream.json"],
            sorted(str(path.relative_to(self.folder / "new.ovni")) for path in (self.folder / "new.ovni").rglob("*.json")))
        events = (self.folder / "new.ovni/loom.n.1/proc.1/thread.1/stream.obs").read_bytes()
        self.assertTrue(events.startswith(HEADER))
        self.assertIn(event("VTx", 22, "II", 5, 0), events)
        self.assert_runs("ovniemu", "-l", trace)
        self.assert_runs("ovniemu", "-l", self.folder / "new.ovni")
        for name in ("thread.prv", "cpu.prv", "thread.pcf", "cpu.row"):
            self.assertEqual((trace / name).read_bytes(), (self.folder / "new.ovni" / name).read_bytes())

    def test_old_layouts_can_be_copied_as_they_are(self):
        trace = self.old_trace()
        self.assert_runs("quipu", "convert", trace, "--set", "layout=as-read", "-o", self.folder / "same.ovni")
        for path in trace.rglob("thread.*"):
            self.assertEqual(path.read_bytes(), (self.folder / "same.ovni" / path.relative_to(trace)).read_bytes())

    def test_big_endian_traces_are_read(self):
        trace = self.trace(one(begin(1), end(2)))
        swapped = b"ovni" + struct.pack(">I", 1) + struct.pack(">B3sQiiQ", 15, b"OHx", 1000, 0, -1, 0) + struct.pack(
            ">B3sQ", 0, b"OHe", 2000)
        next(trace.rglob("stream.obs")).write_bytes(swapped)
        self.assert_runs("ovniemu", trace)
        self.assertIn("2:0:1:1:1:1000:4:3", self.lines(trace, "thread.prv"))
        self.assert_runs("quipu", "convert", trace, "-o", self.folder / "copy.ovni")
        self.assertEqual(swapped, next((self.folder / "copy.ovni").rglob("stream.obs")).read_bytes())

    def test_traces_of_killed_programs_are_repaired_wherever_they_end(self):
        events = HEADER + b"".join([
            begin(1), task_type("VYc", 2, 1, "work"), event("VTc", 3, "II", 5, 1), event("VTx", 4, "II", 5, 0),
            event("VAp", 5), event("VTp", 6, "II", 5, 0), event("OHp", 7), event("OHw", 8), event("OHr", 9),
            event("VTr", 10, "II", 5, 0), event("VAP", 11), event("KCO", 12), event("KCI", 13),
            event("VTe", 14, "II", 5, 0), end(15)])
        document = metadata(11, cpus=0, finished=None, require=None)
        for size in range(8, len(events), 5):
            with self.subTest(size):
                trace = self.trace([(document, events[:size])], f"cut{size}")
                whole = self.folder / f"whole{size}.ovni"
                self.assert_runs("quipu", "repair", trace, "-o", whole)
                self.assert_runs("ovniemu", "-l", whole)

    def test_traces_of_other_formats_become_ones_that_the_emulator_accepts(self):
        for path in ("tests/data/sweep/otf/ring.otf", "tests/data/sweep/dumpi/ring.meta", "tests/data/sweep/picl/ring.picl"):
            with self.subTest(path):
                out = self.folder / (Path(path).stem + Path(path).suffix + ".ovni")
                self.assert_runs("quipu", "convert", SOURCE / path, "-o", out)
                self.assert_runs("ovniemu", "-l", out)
                counts = dict(line.split() for line in self.assert_runs("ovnitop", out).splitlines())
                # Calls of MPI that the model of MPI has are events of it, other regions are marks.
                brackets = [("OM[", "OM]"), ("Ms[", "Ms]"), ("Mr[", "Mr]")]
                for begin_event, end_event in brackets:
                    self.assertEqual(counts.get(begin_event), counts.get(end_event))
                self.assertTrue(any(begin_event in counts for begin_event, _ in brackets), counts)

    def test_threads_that_begin_hours_later_are_written_as_ones_within_an_hour(self):
        hours = 3 * 3600 * 10**9
        (self.folder / "late.otf").write_text("1:1\n2:2\n")
        (self.folder / "late.0.def").write_text('DTR3b9aca00\nDP1NM"a"\nDP2NM"b"\nDF1G0NM"f"\n')
        (self.folder / "late.1.events").write_text("5\n*1\nE1\n7\n*1\nL1\n")
        (self.folder / "late.2.events").write_text(f"{hours:x}\n*2\nE1\n{hours + 1:x}\n*2\nL1\n")
        self.assert_runs("quipu", "convert", self.folder / "late.otf", "-o", self.folder / "late.ovni")
        self.assert_runs("quipu", "check", self.folder / "late.ovni")
        self.assert_runs("ovniemu", self.folder / "late.ovni")
        clocks = sorted(struct.unpack_from("<Q", path.read_bytes(), 12)[0]
                        for path in (self.folder / "late.ovni").rglob("stream.obs"))
        self.assertEqual([5, 5 + 3600 * 10**9], clocks)

    def test_ill_formed_traces_are_repaired_to_sound_ones(self):
        for name, (rule, streams) in ILL_FORMED.items():
            if rule == "ovni.label-number":
                continue  # both labels are right: only renaming one would help
            with self.subTest(name):
                whole = self.folder / f"whole-{name}.ovni"
                done = self.run_tool("quipu", "repair", self.trace(streams, f"ill-{name}"), "-o", whole)
                self.assertEqual(0, done.returncode, done.stderr)
                done = self.run_tool("quipu", "check", whole, "--json")
                self.assertNotEqual("reject", json.loads(done.stdout)["verdict"], done.stdout)

    def test_memory_that_a_small_trace_asks_for_is_bounded(self):
        """Each CPU of a loom has a state for every type of marks: half a megabyte of metadata asks for over a hundred."""
        marks = {str(i): {"title": f"m{i}", "chan_type": "single"} for i in range(100)}
        cpus = [{"index": i, "phyid": i} for i in range(20000)]
        trace = self.trace(one(begin(1), end(2), loom_cpus=cpus, mark=marks))
        for command in (("check",), ("repair", "-o", self.folder / "whole.ovni")):
            with self.subTest(command[0]):
                done = self.run_tool("quipu", *command, trace, "--max-memory", "16M", "--quiet")
                self.assertEqual(6, done.returncode, done.stderr)
                self.assertFalse((self.folder / "whole.ovni").exists())
                self.assertEqual(0, self.run_tool("quipu", *command, trace, "--max-memory", "128M", "--quiet").returncode)

    @unittest.skipIf(peak.is_sanitized(), "sanitizers have memory of their own")
    def test_metadata_that_would_take_gigabytes_exceed_the_limit(self):
        """Each list is three characters of text, next to nothing when it is compressed, and 144 bytes in memory."""
        trace = self.trace(one(begin(1), end(2)))
        document = next(trace.rglob("stream.json"))
        text = document.read_text().rstrip().removesuffix("}") + ', "lists": [' + ",".join(["[]"] * 20_000_000) + "]}"
        with gzip.open(document.with_name("stream.json.gz"), "wt", 9) as file:
            file.write(text)
        document.unlink()
        self.assertLess(document.with_name("stream.json.gz").stat().st_size, 100_000)
        for command in (("check",), ("repair", "-o", self.folder / "whole.ovni")):
            with self.subTest(command[0]):
                code, most = peak.peak_of(*command, trace, "--quiet")
                self.assertEqual(6, code)
                self.assertLess(most, (256 << 20) + peak.OF_THE_PROGRAM)

    # needs: shared
    @unittest.skipUnless(SHARED.exists(), "no golden traces here")
    def test_golden_traces_give_the_files_of_the_original(self):
        for case in sorted(SHARED.iterdir()):
            if not (case / "trace").is_dir() or case.name == "t12_sort":
                continue
            with self.subTest(case.name):
                trace = self.folder / case.name
                shutil.copytree(case / "trace", trace)
                for path in [trace, *trace.rglob("*")]:
                    path.chmod(0o755 if path.is_dir() else 0o644)
                options = ["-l", "-b"] if case.name in ("t08_nosv", "t09_nanos6", "t10_openmp") else ["-l"]
                self.assert_runs("ovniemu", *options, trace)
                expected = case / "as-layout3/emu" if (case / "as-layout3").exists() else case / "emu"
                for path in expected.iterdir():
                    self.assertEqual(path.read_text().splitlines(), self.lines(trace, path.name), path.name)

    def test_events_of_models_that_are_gone_are_shown_as_the_emulator_of_their_time_did(self):
        """T and M were other models before 1.1.0; development versions have other types."""
        trace = self.old_trace()
        path = trace / "loom.n.1/proc.1/thread.1"
        path.write_bytes(path.read_bytes().replace(end(30), b"".join([
            event("TS[", 24), event("TS]", 25), event("MP[", 26), event("MP]", 27), end(30)])))
        self.assert_runs("ovniemu", "-l", trace)
        lines = self.lines(trace, "cpu.prv")
        for line in ("2:0:1:1:1:0:80:0", "2:0:1:1:2:0:80:0", "2:0:1:1:1:13:80:1", "2:0:1:1:1:14:80:0", "2:0:1:1:1:15:90:2",
                     "2:0:1:1:1:16:90:0"):
            self.assertIn(line, lines)
        self.assertEqual(["THREAD 1.1", "THREAD 1.2"], self.lines(trace, "thread.row")[-2:])
        names = "\n".join(self.lines(trace, "thread.pcf"))
        self.assertRegex(names, "0 30 +TAMPI mode of the RUNNING thread\nVALUES\n0 +NULL\n777 .*\n1 +TAMPI: Send\n")

    def test_events_that_models_which_are_gone_did_not_have_are_ignored(self):
        trace = self.old_trace()
        path = trace / "loom.n.1/proc.1/thread.1"
        path.write_bytes(path.read_bytes().replace(end(30), event("TX[", 24) + event("TS[", 25) + event("TS]", 26) + end(30)))
        done = self.run_tool("ovniemu", "-l", trace)
        self.assertEqual((0, 1), (done.returncode, done.stderr.count("[ovni.old-event]")))

    def named_lines(self, folder, view):
        """Lines of values with names of rows instead of their numbers, which follow the order of a directory in the oldest traces;
        those of a row at one time are in the order of the file."""
        names = (folder / f"{view}.row").read_text().splitlines()[4:]
        return in_order((names[int(line.split(":")[4]) - 1], *map(int, line.split(":")[5:]))
                      for line in self.lines(folder, f"{view}.prv")[1:])

    # needs: shared
    @unittest.skipUnless(SHARED.exists(), "no golden traces here")
    def test_whole_traces_of_old_releases_can_be_shown_as_then(self):
        """Tasks, states and affinity of the golden traces, which one pair of events of TAMPI is added to."""
        for name, kinds in (("told_v1raw", (30, 80)), ("told_v1_1.0.0", (20, 20))):
            trace = self.folder / name
            shutil.copytree(SHARED / name / "trace", trace)
            for path in [trace, *trace.rglob("*")]:
                path.chmod(0o755 if path.is_dir() else 0o644)
            path = next(trace.rglob("thread.101"))
            data = path.read_bytes()
            path.write_bytes(data.replace(task_type("VYc", 10500, 5, "old type"), event("TS[", 10150) + event("TS]", 10160)
                                          + task_type("VYc", 10500, 5, "old type")))
            self.assert_runs("ovniemu", "-l", trace)
            for view, kind, row in (("thread", kinds[0], "THREAD 1.101"), ("cpu", kinds[1], "CPU 0.0")):
                with self.subTest(name + " " + view):
                    its = self.named_lines(SHARED / name / "emu", view) + [(row, 50, kind, 1), (row, 60, kind, 0)]
                    self.assertEqual(in_order(its), self.named_lines(trace, view))
                    self.assertEqual(self.lines(SHARED / name / "emu", f"{view}.pcf"), self.lines(trace, f"{view}.pcf"))


if __name__ == "__main__":
    unittest.main()
