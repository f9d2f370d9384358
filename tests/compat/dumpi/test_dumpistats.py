"""dumpistats writes the tables of the original, and those that make the original give up."""
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, SOURCE  # noqa: E402

COMMAND = BUILD / "compat/bin/dumpistats"
DATA = SOURCE / "tests/data/dumpi"
META = next((SOURCE / "examples/traces/phases").glob("*.meta"))
SHARED = SOURCE.parent / "shared/traces/dumpi"


class Dumpistats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *arguments):
        done = subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def tables(self, *options, source=META):
        """Lines of the tables by (bin, interval), as lists of texts."""
        self.assertEqual((0, "", ""), self.run_tool(*options, "-i", source, "-o", self.folder / "t"))
        found = {}
        for path in self.folder.glob("t-bin*.tbl"):
            numbers = tuple(map(int, re.findall(r"\d+", path.name)))
            found[numbers] = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
        return found

    def assert_makes_tables(self, log, folder):
        """Runs the commands of a log that ended well; compares the tables that are kept."""
        for line in log.read_text().splitlines():
            command, count = re.fullmatch(r"dumpistats (.*) : exit 0, (\d+) table.*", line).groups()
            arguments = shlex.split(command)
            meta, root = arguments.index("-i") + 1, arguments.index("-o") + 1
            name = arguments[root]
            arguments[meta], arguments[root] = folder / arguments[meta], self.folder / name
            self.assertEqual((0, "", ""), self.run_tool(*arguments), line)
            for want in log.parent.glob(f"{name}-bin*.tbl"):
                self.assertEqual(want.read_text(), (self.folder / want.name).read_text(), want)
            yield name, int(count)

    def test_dumpistats_writes_the_tables_of_the_original(self):
        for name, _ in self.assert_makes_tables(DATA / "stats/dumpistats.log", META.parent):
            self.assertTrue(list(self.folder.glob(f"{name}-*")))

    # needs: shared
    def test_dumpistats_writes_all_shared_tables_of_runs_that_ended_well(self):
        logs = sorted(SHARED.glob("*/dumpistats.log"))
        if not logs:
            self.skipTest("there is no folder shared")
        for log in logs:
            fine = self.folder / "stats"
            fine.mkdir(exist_ok=True)
            good = [line for line in log.read_text().splitlines() if " : exit 0," in line]
            (fine / "dumpistats.log").write_text("\n".join(good))
            for table in log.parent.glob("*.tbl"):
                (fine / table.name).write_text(table.read_text())
            for name, count in self.assert_makes_tables(fine / "dumpistats.log", log.parent):
                written = list(self.folder.glob(f"{name}-bin*.tbl"))
                self.assertEqual(count, len(written), (log, name))
                for path in written:
                    path.unlink()
            for table in fine.glob("*.tbl"):
                table.unlink()

    def test_dumpistats_marks_count_from_one_on_every_rank(self):
        tables = self.tables("-m", "/begin/end/", "-c", "all")
        self.assertEqual({(0, 1), (0, 2), (0, 3), (0, 4)}, set(tables))
        self.assertEqual(["0", "1", "2"], [line[0] for line in tables[0, 1]])
        self.assertEqual(["0", "1", "5064.904712657", "5064.907399162", "5064.907399162", "3"], tables[0, 1][0])
        self.assertEqual(["0.000000000", "0.000000000", "2"], tables[0, 4][2][3:])

    def test_dumpistats_widths_share_calls_out(self):
        whole = self.tables("-c", "mpi")[0, 0]
        for path in self.folder.iterdir():
            path.unlink()
        columns = self.tables("-b", "start to end by 0.001", "-c", "mpi")
        for rank, line in enumerate(whole):
            counts = [int(row[5]) for rows in columns.values() for row in rows if row[0] == str(rank)]
            self.assertEqual(int(line[5]), sum(counts))
        self.assertGreater(len(columns), 1)

    def test_dumpistats_bounds_are_times_and_distances(self):
        whole = self.tables("-b", "init to finalize", "-c", "mpi")[0, 0][0]
        self.assertEqual(whole, self.tables("-b", "0:0 -> 23:00:00", "-c", "mpi")[0, 0][0])
        later = self.tables("-b", "begin + 0.002 upto stop", "-c", "mpi")[0, 0][0]
        self.assertLess(int(later[5]), int(whole[5]))
        last = self.tables("-b", "MPI_Finalize-0.05594 => end", "-c", "mpi")[0, 0][0]
        self.assertEqual(["5064.907839212", "1"], [last[2], last[5]])

    # needs: shared
    def test_dumpistats_of_communicators_of_all_kinds(self):
        traces = SHARED / "comm-ompi"
        if not traces.exists():
            self.skipTest("there is no folder shared")
        lines = self.tables("-s", "all", "-r", "all", "-x", "sends", source=next(traces.glob("*.meta")))[0, 0]
        self.assertEqual(["0", "1", "2", "3"], [line[0] for line in lines])

    def test_dumpistats_lumps_are_messages_by_size(self):
        table = self.tables("-l", "sends", "-s", "sends", "-c", "sends")[0, 0]
        head = (self.folder / "t-bin0-0.tbl").read_text()
        bounds = re.findall(r"sends from (\d+) up to (\d+) bytes for sends", head)
        self.assertEqual([("1", "1"), ("2", "2"), ("3", "4"), ("5", "8")], bounds[:4])
        for line in table:
            lumps, sent, count = [int(n) for n in line[5:85:2]], int(line[85]), int(line[86])
            self.assertEqual(count, sum(lumps))  # no message is empty
            self.assertLessEqual(sum(n * int(low) for n, (low, _) in zip(lumps, bounds)), sent)
            self.assertGreaterEqual(sum(n * int(high) for n, (_, high) in zip(lumps, bounds)), sent)

    def test_dumpistats_counters_are_inside_and_outside(self):
        lines = self.tables("-p", "all", "-p", "MPI_Nothing", source=DATA / "text/syn-perf.bin")[0, 0]
        text = (DATA / "text/syn-perf.txt").read_text()
        pairs = [[int(value) for value in re.findall(r"SYN_CTR_\d=(\d+)", line)] for line in text.splitlines() if line.startswith("Perfcounters")]
        calls = list(zip(pairs[0::2], pairs[1::2]))
        calls.pop(text[:text.index("Function_enter entering")].count("Perfcounters") // 2)  # is no call
        inside = sum(out[0] - into[0] for into, out in calls)
        outside = sum(later[0][0] - earlier[1][0] for earlier, later in zip(calls, calls[1:]))
        self.assertEqual([str(inside), str(outside)], lines[0][5:7])
        # where nothing matches, all between the first call's end and the last one's beginning is outside
        self.assertEqual(["0", str(calls[-1][0][0] - calls[0][1][0])], lines[0][9:11])

    def test_dumpistats_exit_codes_tell_what_is_wrong(self):
        out = self.folder / "t"
        for code, arguments in [
            (0, ["-h"]), (1, []), (1, ["-i", META]), (1, ["-q"]), (1, ["-b", "start", "-i", META, "-o", out]),
            (1, ["-m", "/a/", "-i", META, "-o", out]), (1, ["-c", "(", "-i", META, "-o", out]),
            (2, ["-i", "/nonexistent", "-o", out]), (5, ["-i", META, "-o", "/nonexistent/t"]),
        ]:
            self.assertEqual(code, self.run_tool(*arguments)[0], arguments)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_dumpistats_a_missing_rank_is_told_and_the_rest_is_counted(self):
        for path in META.parent.glob("*.bin"):
            if not path.name.endswith("0001.bin"):
                (self.folder / path.name).write_bytes(path.read_bytes())
        (self.folder / META.name).write_text(META.read_text())
        code, _, complaints = self.run_tool("-i", self.folder / META.name, "-o", self.folder / "t")
        self.assertEqual(3, code)
        self.assertIn("rank 1", complaints)
        lines = [line for line in (self.folder / "t-bin0-0.tbl").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(["0", "2"], [line.split()[0] for line in lines])

    def test_dumpistats_an_empty_file_of_a_rank_is_told_and_the_rest_is_counted(self):
        """What a killed process leaves. The original is ended by a signal there."""
        for path in META.parent.glob("*.bin"):
            (self.folder / path.name).write_bytes(b"" if path.name.endswith("0001.bin") else path.read_bytes())
        (self.folder / META.name).write_text(META.read_text())
        code, _, complaints = self.run_tool("-i", self.folder / META.name, "-o", self.folder / "t")
        self.assertEqual(3, code)
        self.assertRegex(complaints, r"0001\.bin: the file of rank 1 cannot be read\n")
        lines = [line for line in (self.folder / "t-bin0-0.tbl").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(["0", "2"], [line.split()[0] for line in lines])


if __name__ == "__main__":
    unittest.main()
