"""Recorded programs with delays of known place and length: why names their rank and region first."""
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, PROGRAMS, RANKS, SOURCE, MpiTest, rank_of  # noqa: E402
from test_programs import MELT, hpcc_input  # noqa: E402

EXCHANGES = ("ring", "neighbours", "barrier", "allreduce")
REGIONS = ("assemble", "solve")
KINDS = ("sleeps", "computes")
MILLISECONDS = 400
ATTEMPTS = 3
BUSY = 0.65  # four ranks that poll on two processors: 0.6


class Why(MpiTest):
    def waiting(self, trace):
        """What others wait for in a trace, the longest first, and what is said about the trace."""
        found = {table["table"]: [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
                 for table in self.quipu_json("why", trace)["tables"]}
        return [row for row in found["findings"] if row["kind"] == "waiting"], found["why"][0]

    def names_the_delays_of(self, exchange):
        """Of five programs, each with another number of steps, and its delay elsewhere."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "delayed.c", "-I", SOURCE / "include")
        for seed in range(5):
            numbers = random.Random(f"{exchange} {seed}")
            steps = numbers.randint(4, 8)
            rank, step, region, kind = (numbers.randrange(RANKS), numbers.randrange(1, steps - 1), numbers.choice(REGIONS),
                                        KINDS[seed % 2])
            done = self.record("run", *mpi.launch(program, EXCHANGES.index(exchange), steps, rank, step, region, MILLISECONDS, kind),
                               options=("--force",))
            self.assertEqual(0, done.returncode, done.stderr)
            found, about = self.waiting(self.path("run/trace.meta"))
            with self.subTest(seed=seed, kind=kind, found=found, about=about):
                self.assertTrue(found)
                self.assertEqual((rank, region), (rank_of(found[0]["location"]), found[0]["region"]))
                self.assertGreater(found[0]["time_ns"], MILLISECONDS * 500000)

    def test_why_names_a_delay_before_messages_in_a_ring(self):
        self.names_the_delays_of("ring")

    def test_why_names_a_delay_before_messages_to_both_sides(self):
        self.names_the_delays_of("neighbours")

    def test_why_names_a_delay_before_barriers(self):
        self.names_the_delays_of("barrier")

    def test_why_names_a_delay_before_reductions(self):
        self.names_the_delays_of("allreduce")

    def names_the_late_rank_of(self, rank, microseconds, *command):
        """A real program has no regions but its calls of MPI: it is late outside of any."""
        mpi = self.mpi("openmpi")
        library = self.compile(mpi, HERE / "delaying.c", "-shared", "-fPIC", name="delaying.so")
        late = ("sh", "-c", f'LD_PRELOAD="{library}:$LD_PRELOAD" exec "$0" "$@"', *command)
        for _ in range(ATTEMPTS):
            done = self.record(".", *mpi.launch(*late), options=("--force",),
                               environment={"DELAY_RANK": str(rank), "DELAY_US": str(microseconds)})
            self.assertEqual(0, done.returncode, done.stderr)
            found, about = self.waiting(self.path("trace.meta"))
            if about["starved_ns"] < BUSY * about["locations"] * about["runtime_ns"]:
                break
        else:
            self.skipTest("the machine is so busy that other ranks may be later than the one that sleeps")
        with self.subTest(rank=rank, found=found[:3], about=about):
            self.assertEqual((rank, None), (rank_of(found[0]["location"]), found[0]["region"]))

    # needs: large
    def test_why_names_the_late_rank_of_lammps(self):
        self.needs("lmp")
        Path(self.path("in.melt")).write_text(MELT)
        for rank in range(RANKS):
            self.names_the_late_rank_of(rank, 10000, "lmp", "-in", "in.melt", "-log", "none")

    # needs: large
    def test_why_names_the_late_rank_of_hpcc(self):
        self.needs("hpcc")
        Path(self.path("hpccinf.txt")).write_text(hpcc_input(self))
        self.names_the_late_rank_of(2, 10000, "hpcc")


if __name__ == "__main__":
    unittest.main()
