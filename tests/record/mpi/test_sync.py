"""Clocks of machines that are apart are brought together."""
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorder import BUILD, MPIS, RecorderTest  # noqa: E402

SECOND = 1000000000

# Ranks 2 and 3 are on a machine whose clock is behind by 100 seconds.
APART = """#!/bin/sh
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
[ "$rank" -lt 2 ] && exec env QUIPU_RECORD_MACHINE=one "$@"
exec unshare --time --fork --monotonic -100 env QUIPU_RECORD_MACHINE=other "$@"
"""


class Sync(RecorderTest):
    def setUp(self):
        super().setUp()
        namespace = ["unshare", "--time", "--fork", "--monotonic", "-100", "true"]
        if not shutil.which("unshare") or subprocess.run(namespace, capture_output=True).returncode != 0:
            self.skipTest("no clock can be set apart here: unshare --time needs root and a newer kernel")
        self.apart = self.folder / "apart"
        self.apart.write_text(APART)
        self.apart.chmod(0o755)

    def spread(self):
        """Seconds between the earliest and the latest beginning of the last call of the ranks."""
        times = [[fields for name, fields in self.calls(rank) if name == "MPI_Finalize"][0]["wall_start"] for rank in range(4)]
        return (max(times) - min(times)) / SECOND

    def test_sync_brings_clocks_of_machines_together(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.compile(mpi, "endless.c")
                # Another code than 0 would make the launcher kill processes that have not finished.
                self.assertEqual(0, self.record(mpi, 4, self.apart, program, "200", "0").returncode)
                self.assertEqual(set(), self.check())
                self.assertLess(self.spread(), 50)
                done = subprocess.run([BUILD / "quipu", "clock", "--json", self.folder / "trace.meta"], capture_output=True,
                                      text=True)
                table = json.loads(done.stdout)["tables"][0]
                figures = dict(zip([column["name"] for column in table["columns"]], table["rows"][0]))
                self.assertLess(figures["worst_ns"] or 0, SECOND)  # messages would be 100 s too early

    def test_sync_in_sessions(self):
        """Where a communicator of all processes is made and freed; in the second exchange all are there within seconds."""
        program = self.compile("mpich", "session.c")
        for setting, is_together in (("yes", True), ("no", False)):
            with self.subTest(setting):
                self.assertEqual(0, self.record("mpich", 4, self.apart, program, QUIPU_RECORD_SYNC=setting).returncode)
                self.check()
                times = [[fields["wall_start"] for name, fields in self.calls(rank) if name == "MPI_Sendrecv"][1] for rank in range(4)]
                self.assertEqual(is_together, max(times) - min(times) < 50 * SECOND)

    def test_sync_can_be_left_out(self):
        program = self.compile("mpich", "endless.c")
        self.assertEqual(0, self.record("mpich", 4, self.apart, program, "2", "0", QUIPU_RECORD_SYNC="no").returncode)
        self.assertGreater(self.spread(), 50)


if __name__ == "__main__":
    unittest.main()
