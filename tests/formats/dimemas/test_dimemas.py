"""Traces of Dimemas: the lines of programs that are written down by hand."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "cli")]
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

LINES = (r"d:1:\d+:(\d+)((:\d+)+)", r"1:\d+:\d+:\d+\.\d{9}", r"2:\d+:\d+:\d+:-1:\d+:-?\d+:\d+:[012]", r"3:\d+:\d+:\d+:-1:\d+:-?\d+:\d+:[012]",
         r"10:\d+:\d+:\d+:\d+:[01]:0:\d+:\d+:1")


class Dimemas(FolderTest):
    def lines(self, trace, *options):
        done = subprocess.run([programs.QUIPU, "convert", trace, "--to", "dimemas", "-o", "-", "--quiet", *options], stdout=subprocess.PIPE,
                              check=True)
        lines = done.stdout.decode().splitlines()
        self.assertTrue(re.fullmatch(r'#DIMEMAS:"quipu":0:\d+\(\d+(,\d+)*\),\d+,0,0', lines[0]), lines[0])
        for line in lines[1:]:
            self.assertTrue(any(re.fullmatch(pattern, line) for pattern in LINES), line)
        return lines

    def test_dimemas_messages_and_computing(self):
        program = [[programs.enter(0, "work"), programs.leave(1500, "work"), *programs.send(1500, 1600, 1, tag=5, length=100)],
                   [programs.enter(20, "work"), programs.leave(50, "work"), *programs.receive(60, 1700, 0, tag=5, length=100)]]
        # From 50 to 60 rank 1 is outside of calls, which is computing, too; its first event is at 20. The communicator of the trace is 2.
        self.assertEqual(self.lines(programs.write(self.path("t.otf"), program)),
                         ['#DIMEMAS:"quipu":0:2(1,1),2,0,0', "d:1:1:2:0:1", "d:1:2:2:0:1",
                          "1:0:0:0.000000000", "1:0:0:0.000001500", "2:0:0:1:-1:100:5:2:1",
                          "1:1:0:0.000000020", "1:1:0:0.000000040", "3:1:0:0:-1:100:5:2:0"])

    def test_dimemas_collective_operations(self):
        program = [programs.collective("MPI_Barrier", 0, 5, 1) + programs.collective("MPI_Bcast", 5, 9, 2, 1)
                   + programs.collective("MPI_Reduce", 9, 10, 3, 0) for _ in range(2)]
        lines = self.lines(programs.write(self.path("t.otf"), program))
        self.assertEqual([line for line in lines if line.startswith("10:")],
                         [f"10:{rank}:0:{operation}:2:{int(rank == root)}:0:8:8:1" for rank in (0, 1)
                          for operation, root in ((0, None), (1, 1), (10, 0))])

    def test_dimemas_requests(self):
        def modes(case):
            folder = TESTS / "data" / "analysis" / case
            trace = json.loads((folder / "expected.json").read_text())["trace"]
            return [(line.split(":")[0], int(line.split(":")[1]), int(line.split(":")[-1]))
                    for line in self.lines(str(folder / trace)) if line[0] in "23"]
        # Rank 0 posts a receive and waits for it; rank 1 sends.
        found = modes("ls-wait")
        self.assertEqual([(kind, mode) for kind, _, mode in found if kind == "3"], [("3", 1), ("3", 2)])
        # Each rank sends and receives in one call.
        self.assertEqual(modes("sendrecv-ring"), [(kind, rank, 0) for rank in range(3) for kind in "23"])

    def test_dimemas_what_has_no_line_is_reported(self):
        program = [programs.send(0, 1, 1) + programs.send(2, 3, 1, tag=5), programs.receive(0, 4, 0)]
        trace = programs.write(self.path("t.otf"), program)
        lines = self.lines(trace, "--report", self.path("report"))
        self.assertEqual(sum(line.startswith("2:") for line in lines), 1)
        report = json.loads(pathlib.Path(self.path("report")).read_text(encoding="utf-8"))
        self.assertEqual({row["type"]: row["dropped"] for row in report["records"]}["SendMsg"], 1)


if __name__ == "__main__":
    unittest.main()
