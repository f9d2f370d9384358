"""Real programs of MPI, on four ranks: the same output as without recording, sound traces, and as many calls as a library ahead of the
recorder counts. Programs that are not installed are left out."""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import MpiTest  # noqa: E402

COUNT = ("sh", "-c", 'LD_PRELOAD="$COUNTER:$LD_PRELOAD" exec "$0" "$@"')

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 20
run 100
"""

# A grid of 12 by 12 in the format of Scotch.
GRID = 12

PYTHON = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
got = comm.sendrecv({'from': rank}, (rank + 1) % size, source=(rank - 1) % size)
answers = comm.gather((rank, got, comm.allreduce(rank)))
if rank == 0:
    print(answers)
"""


def grid():
    lines = []
    for i in range(GRID):
        for k in range(GRID):
            near = [(i + a) * GRID + k + b for a, b in ((-1, 0), (0, -1), (0, 1), (1, 0)) if 0 <= i + a < GRID and 0 <= k + b < GRID]
            lines.append(" ".join(map(str, [len(near), *near])))
    edges = sum(int(line.split()[0]) for line in lines)
    return "\n".join(["0", f"{GRID * GRID} {edges}", "0 000", *lines, ""])


def hpcc_input(test):
    """A small run of HPCC."""
    sample = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
    if not sample.exists():
        test.skipTest("the sample of hpcc's input is not installed")
    return re.sub(r"^\d+(\s+Ns)", r"64\1", sample.read_text(), flags=re.M)


class Programs(MpiTest):
    def setUp(self):
        super().setUp()
        self.openmpi = self.mpi("openmpi")
        for folder in ("without", "recorded", "counts"):
            Path(self.path(folder)).mkdir()

    def write(self, name, text):
        for folder in ("without", "recorded"):
            Path(self.path(folder), name).write_text(text)

    def compare(self, *command, ranks=4, is_said=lambda text: text):
        without = self.run_in("without", *self.openmpi.launch(*command, ranks=ranks), timeout=200)
        self.assertEqual(0, without.returncode, without.stderr)
        recorded = self.record("recorded", *self.openmpi.launch(*COUNT, *command, ranks=ranks), timeout=250,
                               environment={"COUNTER": str(self.counter(self.openmpi)), "COUNT_FOLDER": self.path("counts")})
        self.assertEqual((0, is_said(without.stdout.decode())), (recorded.returncode, is_said(recorded.stdout.decode())), recorded.stderr)
        self.assert_sound(self.path("recorded/trace.meta"))
        counted = self.counts("counts")
        self.assertEqual([*range(ranks)], sorted(counted))
        self.assertEqual(counted, self.recorded_counts(self.path("recorded/trace.meta")))

    # needs: large
    def test_programs_lammps(self):
        self.needs("lmp")
        self.write("in.melt", MELT)

        def thermodynamics(text):
            """The table of each run: what was computed."""
            return re.findall(r"^ *\d+ +[-\d.]+ +[-\d.]+ +[-\d.]+ +[-\d.]+ +[-\d.]+ *$", text, re.M)
        self.compare("lmp", "-in", "in.melt", "-log", "none", is_said=thermodynamics)

    # needs: large
    def test_programs_hpcc(self):
        self.needs("hpcc")
        self.write("hpccinf.txt", hpcc_input(self))
        self.compare("hpcc")
        # Lines of CPU time are there only when it could be measured; the time before the verdict of a line is the machine's.
        lines = [re.findall(r"^(?!CPU)(.*(?:PASSED|FAILED)|.*Failed.*|Success=.*)", Path(self.path(folder), "hpccoutf.txt").read_text(), re.M)
                 for folder in ("without", "recorded")]
        verdicts = [[re.sub(r"^(WALL .*) [\d.]+ (PASSED|FAILED)", r"\1 \2", line) for line in each] for each in lines]
        self.assertEqual(verdicts[0], verdicts[1])
        self.assertIn("Success=1", verdicts[1])

    # needs: large
    def test_programs_netpipe(self):
        self.needs("NPopenmpi")
        self.compare("NPopenmpi", "-u", "4096", "-n", "20", ranks=2, is_said=lambda text: None)

    # needs: large
    def test_programs_pt_scotch(self):
        self.needs("dgpart")
        self.write("grid.grf", grid())
        self.compare("dgpart", "4", "grid.grf", "grid.map")
        for folder in ("without", "recorded"):  # which domain is which is left to chance
            domains = Path(self.path(folder), "grid.map").read_text().split()[2::2]
            self.assertEqual([GRID * GRID // 4] * 4, [domains.count(str(domain)) for domain in range(4)])

    # needs: python
    def test_programs_mpi4py(self):
        if subprocess.run([sys.executable, "-c", "import mpi4py"], capture_output=True).returncode != 0:
            self.skipTest("mpi4py is not installed")
        self.write("program.py", PYTHON)
        self.compare(sys.executable, "program.py")


if __name__ == "__main__":
    unittest.main()
