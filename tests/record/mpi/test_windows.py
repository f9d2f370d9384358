"""Windows of MPI-3 and datatypes of MPI-3's calls, which DUMPI has no records for, are what later calls refer to."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorder import BUILD, MPIS, RecorderTest  # noqa: E402


class Windows(RecorderTest):
    def record_allocated(self, mpi):
        self.assertEqual(0, self.record(mpi, 2, self.compile(mpi, "allocated.c")).returncode)
        self.assertEqual(set(), self.check())

    def events(self, name, kind):
        done = subprocess.run([BUILD / "quipu", "cat", "--json", "--quiet", "--kind", kind, self.folder / name], capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_windows_are_made_by_a_record_inside_of_their_call(self):
        """Sizes and units as allocated.c gives them; a dynamic window has size 0 and unit 1 (MPI-3.1, 11.2.4)."""
        for mpi in MPIS:
            with self.subTest(mpi):
                self.record_allocated(mpi)
                names = [address["name"] for address in sorted(self.section(1, "addresses")["addresses"], key=lambda address: address["address"])]
                for name in ("MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic", "MPI_Win_attach", "MPI_Win_detach"):
                    self.assertIn(name, names)
                calls = self.calls(1)
                created = [i for i, (name, _) in enumerate(calls) if name == "MPI_Win_create"]
                self.assertEqual([(64, 4), (32, 4), (0, 1)], [(calls[i][1]["size"], calls[i][1]["dispunit"]) for i in created])
                for i in created:
                    (before, entered), (after, left) = calls[i - 1], calls[i + 1]
                    self.assertEqual(("Function_enter", "Function_exit", entered["fn"]), (before, after, left["fn"]))
                    self.assertEqual((entered["wall_start"], left["wall_stop"]), (calls[i][1]["wall_start"], calls[i][1]["wall_stop"]))
                self.assertEqual(3, self.section(1, "footer")["called"][145])

    def test_windows_that_mpi_allocates_keep_their_operations_in_other_formats(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                self.record_allocated(mpi)
                subprocess.run([BUILD / "quipu", "convert", "--quiet", "--force", self.folder / "trace.meta", "-o", self.folder / "trace.otf"], check=True)
                for trace in ("trace.meta", "trace.otf"):
                    puts = [(event["location_name"], event["bytes"]) for event in self.events(trace, "rma_begin")]
                    self.assertEqual([("rank 0", 4)] * 2 + [("rank 1", 4)] * 2, sorted(puts), trace)

    def test_windows_do_not_hide_sizes_of_datatypes_of_mpi_3(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                self.record_allocated(mpi)
                self.assertEqual([24, 24], [event["bytes"] for event in self.events("trace.meta", "send")])


if __name__ == "__main__":
    unittest.main()
