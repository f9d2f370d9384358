"""ovnisync: the tables that it writes are what its samples say, and the emulation reads them."""
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ovni_trace import begin, end, metadata, write  # noqa: E402
from streams import BUILD, CC, SANITIZED, FolderTest  # noqa: E402

TOOLS = BUILD / "compat/bin"
LAUNCHERS = {"libmpi.so": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "libmpich.so": ["mpiexec.mpich"]}
SAMPLE = re.compile(r"rank=(\d+)  sample=(\d+)  delta=(\S+)  ref=(\S+)  cur=(\S+)")

# Nodes with names of their own.
HOSTS = """
#include <stdio.h>
#include <stdlib.h>
int gethostname(char *name, size_t size) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    snprintf(name, size, "node%s", rank ? rank : getenv("PMI_RANK") ? getenv("PMI_RANK") : "");
    return 0;
}
"""


@unittest.skipIf(SANITIZED, "the sanitizers' libraries do not go with those of MPI")
@unittest.skipUnless((TOOLS / "ovnisync").exists(), "there was no MPI to build it with")
class Sync(FolderTest):
    def sync(self, ranks, *arguments, code=0, **environment):
        libraries = subprocess.check_output(["ldd", TOOLS / "ovnisync"], text=True)
        launcher = next(launcher for library, launcher in LAUNCHERS.items() if library in libraries)
        if not shutil.which(launcher[0]):
            self.skipTest(f"{launcher[0]} is not installed")
        preload = environment.pop("preload", None)
        wrapper = ["env", f"LD_PRELOAD={preload}"] if preload else []
        command = [*launcher, "-n", str(ranks), *wrapper, str(TOOLS / "ovnisync"), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(code == 0, done.returncode == 0, done.stdout + done.stderr)
        return done

    def samples(self, text):
        """Differences by rank, in the order of time."""
        found = {}
        for rank, number, delta, reference, own in SAMPLE.findall(text):
            self.assertEqual(float(delta), float(reference) - float(own))
            found.setdefault(int(rank), []).append(float(delta))
            self.assertEqual(len(found[int(rank)]) - 1, int(number))
        return found

    def hosts(self):
        source, library = Path(self.path("hosts.c")), Path(self.path("hosts.so"))
        source.write_text(HOSTS)
        subprocess.run([CC, "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    def test_sync_writes_a_line_for_each_host_that_the_emulation_reads(self):
        out = self.sync(3, "-v", "-n", 21, preload=self.hosts(), OVNI_TRACEDIR="a/trace").stdout
        samples = self.samples(out)
        self.assertEqual([21, 21, 21], [len(samples[rank]) for rank in range(3)])
        lines = Path(self.path("a/trace/clock-offsets.txt")).read_text().splitlines(keepends=True)
        fields = ("rank", "hostname", "offset_median", "offset_mean", "offset_std")
        self.assertEqual("%-10s %-20s %-20s %-20s %-20s\n" % fields, lines[0])
        self.assertEqual(4, len(lines))
        for rank in range(3):
            _, host, median, mean, deviation = lines[1 + rank].split()
            row = "%-10d %-20s %-20d %-20f %-20f\n" % (rank, f"node{rank}", int(median), float(mean), float(deviation))
            self.assertEqual(row, lines[1 + rank])
            self.assertEqual((f"node{rank}", math.trunc(sorted(samples[rank])[10])), (host, int(median)))
            self.assertAlmostEqual(statistics.mean(samples[rank]), float(mean), delta=1e-3)
            self.assertAlmostEqual(statistics.stdev(samples[rank]), float(deviation), delta=1e-3)
        trace = Path(self.path("a/trace"))
        hour = 10**15
        write(trace, *[(metadata(1 + n, 1 + n, f"node{n}.0"), [begin(hour), end(2 * hour)]) for n in range(3)])
        done = subprocess.run([TOOLS / "ovniemu", trace], capture_output=True, text=True)
        self.assertEqual((0, False), (done.returncode, "ovni.no-clock-offsets" in done.stderr), done.stderr)

    def test_sync_one_line_is_enough_for_a_host(self):
        self.sync(3, "-n", 1, "-o", "deep/table.txt")
        lines = Path(self.path("deep/table.txt")).read_text().splitlines()
        self.assertEqual((2, ["0", "0.000000", "0.000000"]), (len(lines), lines[1].split()[2:]))

    def test_sync_follows_the_drift(self):
        out = self.sync(2, "-v", "-d", 3, "-w", 0, "-n", 4, "-o", "drift.txt").stdout
        lines = Path(self.path("drift.txt")).read_text().splitlines()
        self.assertEqual((4, "wallclock"), (len(lines), lines[0].split()[0]))
        self.assertEqual([20 + 21 * 2] * 4, [len(line) for line in lines])
        deltas = [float(match[2]) for match in SAMPLE.findall(out) if match[0] == "1"]
        medians = [math.trunc(sorted(deltas[4 * n : 4 * n + 4])[2]) for n in range(3)]
        self.assertEqual([[0, median] for median in medians], [list(map(int, line.split()[1:])) for line in lines[1:]])
        times = [float(line.split()[0]) for line in lines[1:]]
        self.assertEqual(sorted(times), times)

    def test_sync_says_what_cannot_be(self):
        Path(self.path("file")).write_text("")
        self.assertIn("file/table.txt cannot be written", self.sync(1, "-o", "file/table.txt", code=1).stderr)
        for options in (["-n", "0"], ["-n", "x"], ["-d", "0"], ["-w", "-1"], ["more"]):
            done = subprocess.run([TOOLS / "ovnisync", *options], capture_output=True, text=True)
            self.assertEqual((1, "Usage: ovnisync"), (done.returncode, done.stderr[:15]), options)


if __name__ == "__main__":
    unittest.main()
