"""What the ranks of a killed program were doing: calls that have begun and not ended are in the trace, in whichever format it is."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, QUIPU, MpiTest, rank_of  # noqa: E402

STUCK = {1: "MPI_Recv", 2: "MPI_Barrier", 3: "MPI_Mprobe"}  # stuck.c


class Unfinished(MpiTest):
    def active(self, trace):
        """By rank: the calls that are active at the end."""
        tables = self.quipu_json("state", "--at", "end", trace)["tables"]
        table = next(found for found in tables if found["table"] == "intervals")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return {rank_of(row["location"]): row["what"] for row in rows if row["interval"] == "call"}

    def check_stuck(self, name):
        mpi = self.mpi(name)
        program = self.compile(mpi, HERE / "stuck.c")
        done = self.record("run", *mpi.launch(program))
        self.assertNotEqual(0, done.returncode)
        trace = self.path("run/trace.meta")
        self.assertEqual(STUCK, self.active(trace))
        self.assert_sound(trace)
        return trace

    def test_unfinished_calls_are_known_with_openmpi(self):
        self.check_stuck("openmpi")

    def test_unfinished_calls_are_known_with_mpich(self):
        self.check_stuck("mpich")

    def test_unfinished_calls_are_counted_and_recorded_once(self):
        """The footer says that a call was made and has no record (called and ignored); the function that stands for it is no call of its own."""
        trace = self.check_stuck("openmpi")
        done = subprocess.run([QUIPU, "cat", "--records", "--json", "--quiet", trace], capture_output=True, text=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        mine = [(record["type"], record["fields"]) for record in records if record["stream"] == 2]
        self.assertEqual(["MPI_Init", "MPI_Comm_rank", "MPI_Barrier", "Function_enter"],
                         [kind for kind, _ in mine if kind.startswith(("MPI_", "Function"))])
        footer = dict(mine)["footer"]
        self.assertEqual((2, 1), (footer["called"][52], footer["ignored"][52]))  # 52: MPI_Barrier


if __name__ == "__main__":
    unittest.main()
