"""Programs written for PICL run on libpicl with each MPI, and their traces are what the report's example is."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CFLAGS, run  # noqa: E402

CLIENTS = Path(__file__).resolve().parent / "clients"
COMPAT = BUILD / "compat"
MPIS = {
    "openmpi": ("mpicc.openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]),
    "mpich": ("mpicc.mpich", ["mpiexec.mpich"]),
}

# Record type, event type, count, descriptor and integers of the worked example, node 6 of 8 (specification, section 13).
TABLE_20 = [
    (-3, -901, 0, None, []), (-2, -904, 3, 2, [1, 1, 1]), (-3, -902, 1, 2, [2]), (-4, -902, 0, None, []),
    (-3, -11, 0, None, []), (-4, -11, 0, None, []), (-3, -903, 0, None, []), (-4, -903, 0, None, []),
    (-3, -401, 0, None, []), (-4, -401, 0, None, []), (-3, 0, 2, 2, [0, 0]), (-3, -52, 1, 2, [0]),
    (-4, -52, 3, 2, [8, 0, 0]), (-4, 0, 2, 2, [0, 0]), (0, 0, 1, 5, []), (-3, 1, 2, 2, [0, 0]), (-3, -52, 1, 2, [1]),
    (-4, -52, 3, 2, [8, 1, 5]), (-3, -21, 3, 2, [8, 1, 7]), (-4, -21, 0, None, []), (-4, 1, 2, 2, [0, 0]), (0, 1, 1, 5, []),
    (-2, -12, 0, None, []), (-4, -901, 0, None, []),
    (-101, -1, 7, '"%d%lf"', [-11, -21, -52, -401, -901, -902, -903]),
    (-102, -1, 9, '"%d%d"', [-11, 1, -12, 1, -21, 1, -52, 2, -401, 1, -901, 1, -902, 1, -903, 1, -904, 1]),
    (-103, -1, 3, '"%d%d"', [-21, 8, -52, 16, -901, 428]),
    (-101, -1, 2, '"%d%lf"', [0, 1]), (-102, -1, 2, '"%d%d"', [0, 1, 1, 1]),
    (-101, 0, 1, '"%d%lf"', [-52]), (-102, 0, 1, '"%d%d"', [-52, 1]), (-103, 0, 1, '"%d%d"', [-52, 8]),
    (-101, 1, 2, '"%d%lf"', [-21, -52]), (-102, 1, 2, '"%d%d"', [-21, 1, -52, 1]), (-103, 1, 2, '"%d%d"', [-21, 8, -52, 8]),
]


class Libpicl(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="quipu-picl-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, mpi, nodes, source, *arguments):
        done = self.start_any(mpi, nodes, source, *arguments)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def start_any(self, mpi, nodes, source, *arguments):
        compiler, launcher = MPIS[mpi]
        if not shutil.which(compiler) or not shutil.which(launcher[0]) or not (COMPAT / f"lib/libpicl-{mpi}.so").exists():
            self.skipTest(f"{mpi} is not installed")
        if "-fsanitize" in " ".join(CFLAGS):
            self.skipTest("the sanitizers' libraries do not go with those of MPI")
        program = self.folder / Path(source).stem
        code, output = run(compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-I", COMPAT / "include/picl",
                           CLIENTS / source, "-L", COMPAT / "lib", "-Wl,-rpath," + str(COMPAT / "lib"), "-lpicl", "-o", program)
        self.assertEqual((0, ""), (code, output))
        return subprocess.run([*launcher, "-n", str(nodes), str(program), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def records(self, name):
        done = subprocess.run([BUILD / "quipu", "cat", "--records", "--json", self.folder / name], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        return [json.loads(line)["fields"] for line in done.stdout.splitlines()]

    def check(self, name, *options):
        done = subprocess.run([BUILD / "quipu", "check", *options, self.folder / name], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout)

    def compare_with_table_20(self, mpi):
        self.start(mpi, 8, "ring.c", "trace")
        records = self.records("trace")
        got = [(r["record_type"], r["event_type"], r["count"], r.get("descriptor"), [v for v in r["values"] if isinstance(v, int)])
               for r in records]
        self.assertEqual(TABLE_20, got)
        self.assertEqual({(6, 0)}, {(r["processor"], r["process"]) for r in records})
        times = [float(r["timestamp"]) for r in records]
        self.assertEqual(sorted(times), times)
        self.assertLess(times[8], 0)
        self.assertGreaterEqual(times[9], 0)  # clocksync0 ends at zero
        self.check("trace")

    def test_libpicl_records_the_example_with_openmpi(self):
        self.compare_with_table_20("openmpi")

    def test_libpicl_records_the_example_with_mpich(self):
        self.compare_with_table_20("mpich")

    def test_libpicl_writes_what_paragraph_accepts(self):
        self.start("openmpi", 4, "ring.c", "all.picl", "all")
        self.check("all.picl", "--rules", "paragraph")
        sends = [r for r in self.records("all.picl") if (r["record_type"], r["event_type"]) == (-3, -21)]
        self.assertEqual(3 + 3, len(sends))  # node 0 to the others; along the ring

    def test_libpicl_calls_do_what_they_say(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                self.assertIn("all calls are right on 5 nodes", self.start(mpi, 5, "calls.c"))

    def test_libpicl_sends_from_buffers(self):
        """All nodes send before any receives, to themselves too; what is not received does no harm."""
        for mpi in MPIS:
            for mode in ("swap", "lost"):
                with self.subTest(mpi, mode=mode):
                    self.assertIn(f"{mode} is done by 3 nodes", self.start(mpi, 3, "swap.c", mode))

    def test_libpicl_has_a_bound_for_buffers(self):
        """64 MiB for messages of 200 MiB in all, so that a node has less than those in memory."""
        for mpi in MPIS:
            with self.subTest(mpi):
                most = int(re.search(r"most memory (\d+)", self.start(mpi, 2, "swap.c", "bound"))[1])
                self.assertLess(most, 200 * 1024)
                done = self.start_any(mpi, 2, "swap.c", "room")
                self.assertNotEqual(0, done.returncode)
                self.assertIn("picl: node 0: send0: no room for 1048576 bytes to the node itself, of 67108864", done.stdout)

    def check_messages(self, name, nodes):
        """Each stands between the entry and the exit of its tracemsg, by the clock that all records have."""
        records = self.records(name)
        times = [float(record["timestamp"]) for record in records]
        self.assertEqual(sorted(times), times)
        for node in nodes:
            mine = [(r["record_type"], "".join(map(str, r["values"]))) for r in records if r["processor"] == node and r["event_type"] == -911]
            said = [value for kind, value in mine if kind == -7]
            self.assertEqual([f"message {i} of node {node}" for i in range(3)], said)
            self.assertEqual([-3, -7, -4] * 3, [kind for kind, _ in mine if kind > -100])
        self.check(name)

    def test_libpicl_puts_messages_in_their_place_by_time(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                (self.folder / "all.picl").unlink(missing_ok=True)
                self.start(mpi, 3, "messages.c", "all.picl")
                self.check_messages("all.picl", range(3))
                done = subprocess.run([BUILD / "quipu", "check", "--json", self.folder / "all.picl"], capture_output=True, text=True)
                self.assertEqual([], json.loads(done.stdout)["findings"])

    def test_libpicl_puts_messages_in_their_place_in_files_of_their_own(self):
        """What a file had before stays."""
        (self.folder / "node1").write_text("-7 -911 5.000000 1 0 5 0 older\n")
        self.start("openmpi", 2, "messages.c", "node", "own")
        self.check_messages("node0", [0])
        lines = (self.folder / "node1").read_text().splitlines()
        self.assertEqual(("-7 -911 5.000000 1 0 5 0 older", 4), (lines[0], sum(line.startswith("-7 ") for line in lines)))

    def test_libpicl_writes_messages_at_once(self):
        self.assertNotEqual(0, self.start_any("openmpi", 2, "messages.c", "all.picl", "killed").returncode)
        lines = (self.folder / "all.picl").read_text().splitlines()
        self.assertEqual([f"message {i} of node {node}" for i in range(3) for node in range(2)], sorted(line.split(" ", 7)[7] for line in lines))

    def test_libpicl_fills_buffers_in_three_ways(self):
        for mode, name in enumerate(("stop", "flush", "overwrite")):
            self.start("openmpi", 2, "buffers.c", str(mode), f"{name}.picl")
        stopped, flushed, overwritten = (self.records(f"{mode}.picl") for mode in ("stop", "flush", "overwrite"))
        entries = [[r for r in records if (r["record_type"], r["event_type"]) == (-3, 3)] for records in (stopped, flushed, overwritten)]
        self.assertEqual([100], [len(entries[1])])
        self.assertTrue(0 < len(entries[0]) < 100 and 0 < len(entries[2]) < 100)
        self.assertEqual([0, 99], [entries[0][0]["values"][0], entries[2][-1]["values"][0]])
        self.assertEqual(1, sum(r["event_type"] == -913 and r["record_type"] == -2 for r in stopped))
        self.assertLess(1, sum(r["event_type"] == -912 and r["record_type"] == -3 for r in flushed))
        self.assertEqual((-2, -914), (overwritten[0]["record_type"], overwritten[0]["event_type"]))
        counts = [r for records in (stopped, flushed, overwritten) for r in records if (r["record_type"], r["event_type"]) == (-102, -1)]
        for record in counts:  # statistics are kept whatever becomes of details
            figures = dict(zip(record["values"][::2], record["values"][1::2]))
            self.assertEqual(100, figures.get(3, 100))

    def test_libpicl_writes_out_after_what_has_no_room(self):
        """Writing out begins when the call that filled the buffer has begun: each event of a node ends before or after the others that it meets."""
        self.start("openmpi", 2, "exchange.c", "flushed.picl")
        opened, flushes = {}, 0
        for record in self.records("flushed.picl"):
            if record["record_type"] in (-3, -4):
                stack = opened.setdefault(record["processor"], [])
                flushes += record["event_type"] == -912
                if record["record_type"] == -3:
                    stack.append(record["event_type"])
                else:
                    self.assertEqual(record["event_type"], stack.pop())
        self.assertEqual([[], []], list(opened.values()))
        self.assertGreater(flushes, 4)

    def test_libpicl_leaves_out_data_that_have_no_text(self):
        said = self.start("openmpi", 1, "data.c", "data.picl")
        self.assertEqual(["tracedata: data of event 1 are left out: a string is empty or has blanks"], [line for line in said.splitlines() if "left out" in line])
        records = self.records("data.picl")
        self.assertEqual([(2, ["two", "words"]), (4, [1.5, -0.25])], [(r["event_type"], r["values"]) for r in records if r["record_type"] in (10, 11)])
        self.assertEqual(1, sum(r["record_type"] == -7 for r in records))


if __name__ == "__main__":
    unittest.main()
