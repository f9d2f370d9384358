"""ascii2dumpi makes a file of a text that dumpi2ascii turns into the same text again."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, SOURCE  # noqa: E402

BIN = BUILD / "compat/bin"
TRACES = SOURCE / "tests/data/dumpi/text"
SHARED = SOURCE.parent / "shared/traces/dumpi"


def call(name, lines, enter="5.000000001", leave="5.000000002", thread=0):
    """Text of one call; lines are those of its arguments."""
    frame = f"{name} %s at walltime %s, cputime 1.000000000 seconds in thread {thread}.\n"
    return frame % ("entering", enter) + lines + frame % ("returning", leave)


class Ascii2dumpi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out.bin"

    def run_tool(self, name, *arguments, text=None):
        done = subprocess.run([str(BIN / name), *map(str, arguments)], input=text, capture_output=True, env=dict(os.environ, TZ="UTC"))
        return done.returncode, done.stdout, done.stderr.decode()

    def convert(self, text, expected_code=0):
        path = self.folder / "in.txt"
        path.write_bytes(text.encode())
        code, _, complaints = self.run_tool("ascii2dumpi", "-o", self.out, path)
        self.assertEqual(expected_code, code, complaints)
        return complaints

    def calls(self):
        return self.run_tool("dumpi2ascii", self.out)[1].decode()

    def assert_comes_back(self, text):
        self.convert(text)
        self.assertEqual(text, self.calls())

    def assert_files_come_back(self, paths):
        for path in paths:
            self.assertEqual((0, b"", ""), self.run_tool("ascii2dumpi", "-o", self.out, path), path)
            self.assertEqual(path.read_bytes(), self.run_tool("dumpi2ascii", "-a", self.out)[1], path)

    def test_ascii2dumpi_text_comes_back(self):
        self.assert_files_come_back(sorted(TRACES.glob("*.txt")))

    # needs: shared
    def test_ascii2dumpi_all_shared_texts_come_back(self):
        texts = sorted(SHARED.rglob("*.txt"))
        if not texts:
            self.skipTest("there is no folder shared")
        self.assert_files_come_back(texts)

    def test_ascii2dumpi_layout_is_the_original_one(self):
        self.convert((TRACES / "comm.txt").read_text())
        data = self.out.read_bytes()
        magic, sizes, addresses, counters, header, body, footer, keyvals = struct.unpack(">8Q", data[-64:])
        self.assertEqual((data[:8], 8, 0), (struct.pack(">Q", magic), body, counters))
        self.assertLess(header, footer)
        self.assertLess(footer, keyvals)
        self.assertLess(keyvals, sizes)
        self.assertLess(sizes, addresses)
        original = (TRACES / "comm.bin").read_bytes()
        self.assertEqual(original[16 : struct.unpack(">8Q", original[-64:])[4]], data[16:header])

    def test_ascii2dumpi_strings_may_hold_quotes_commas_and_lines(self):
        self.assert_comes_back(
            call("MPI_Info_set", 'MPI_Info info=1 (user-info)\nstring key="a" and "\nMPI_Info "b"\nstring value="1\n2"\n')
            + call("MPI_Init", 'int argc=3\nstring argv[3]=["./a b", "", "-x=[1, 2]"]\n')
        )

    def test_ascii2dumpi_negative_numbers_and_odd_lists_stay(self):
        status = "MPI_Status status=[{bytes=-4, cancelled=-1, source=-2, tag=-32766, error=-1}]\n"
        self.assert_comes_back(
            call("MPI_Probe", "int source=-1 (MPI_ANY_SOURCE)\nint tag=-1 (MPI_ANY_TAG)\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n" + status)
            + call("MPI_Waitsome", "int count=2\nMPI_Request requests[2]=[2, -32768]\nint outcount=0\nint indices[0]=<IGNORED>\n"
                   "MPI_Status statuses[0]=<IGNORED>\n")
            + call("MPI_File_seek", "MPI_File file=1 (user-file)\nint64_t offset=-5000000000\nint whence=1 (MPI_SEEK_SET)\n")
        )

    def test_ascii2dumpi_calls_of_other_ranks_keep_their_absent_lists(self):
        self.assert_comes_back(call(
            "MPI_Gatherv", "int commrank=1\nint commsize=4\nint sendcount=2\nMPI_Datatype sendtype=9 (MPI_INT)\n"
            "int recvcounts[4]=<IGNORED>\nint displs[4]=<IGNORED>\nMPI_Datatype recvtype=0 (MPI_DATATYPE_ERROR)\nint root=0\n"
            "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"))

    def test_ascii2dumpi_times_before_the_first_call_are_kept(self):
        barrier = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
        text = call("MPI_Barrier", barrier, "900.000000001", "900.000000002", 1) + call("MPI_Barrier", barrier, "7.500000000", "8.500000000")
        self.assert_comes_back(text)
        self.assertEqual(7, struct.unpack(">i", self.out.read_bytes()[12:16])[0])

    def test_ascii2dumpi_bias_is_that_of_the_first_call(self):
        self.convert(call("MPI_Barrier", "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"))
        self.assertEqual((1, 5), struct.unpack(">ii", self.out.read_bytes()[8:16]))

    def test_ascii2dumpi_reads_several_texts_and_standard_input(self):
        whole = (TRACES / "coll.txt").read_bytes()
        cut = whole.index(b"MPI_Barrier entering")
        for name, part in (("a", whole[:cut]), ("b", whole[cut:])):
            (self.folder / name).write_bytes(part)
        self.assertEqual(0, self.run_tool("ascii2dumpi", "--out", self.out, self.folder / "a", self.folder / "b")[0])
        first = self.out.read_bytes()
        self.assertEqual(0, self.run_tool("ascii2dumpi", "-o", self.out, text=whole)[0])
        self.assertEqual(first, self.out.read_bytes())

    def test_ascii2dumpi_a_broken_call_is_told_and_left_out(self):
        good = call("MPI_Comm_free", "MPI_Comm comm=5 (user-defined-comm)\n")
        broken = call("MPI_Comm_rank", "MPI_Comm comm=2 (MPI_COMM_WORLD)\nint rang=3\n")
        complaints = self.convert(good + broken + good, expected_code=4)
        self.assertEqual(good + good, self.calls())
        self.assertEqual(1, complaints.count("\n"), complaints)
        self.assertIn("in.txt:6: expected int rank=, found: int rang=3", complaints)

    def test_ascii2dumpi_a_text_that_breaks_off_is_told(self):
        good = call("MPI_Comm_free", "MPI_Comm comm=5 (user-defined-comm)\n")
        complaints = self.convert(good + good[:-30], expected_code=4)
        self.assertEqual(good, self.calls())
        self.assertIn("in.txt:6: expected", complaints)

    def test_ascii2dumpi_lines_that_mean_nothing_are_skipped(self):
        good = call("MPI_Comm_free", "MPI_Comm comm=5 (user-defined-comm)\n")
        self.assertIn("in.txt:1: this line is not understood: hello", self.convert("hello\n" + good))
        self.assertEqual(good, self.calls())

    def test_ascii2dumpi_a_name_with_a_nul_inside_is_no_name(self):
        for line in ("MPI_Comm_free\0 called 1 times and ignored 0 times\n", "MPI_Comm_free\0\0\0 entering at walltime 1\n"):
            self.assertIn("in.txt:1: this line is not understood: MPI_Comm_free", self.convert(line))
            self.assertFalse(self.out.exists())

    def test_ascii2dumpi_of_nothing_is_no_file(self):
        self.convert("hello\n")
        self.assertFalse(self.out.exists())

    def test_ascii2dumpi_without_counts_counts_calls(self):
        self.convert(call("MPI_Comm_free", "MPI_Comm comm=5 (user-defined-comm)\n") * 3)
        self.assertIn(b"MPI_Comm_free called 3 times and ignored 0 times\n", self.run_tool("dumpi2ascii", "-F", self.out)[1])

    def test_ascii2dumpi_exit_codes_tell_what_is_wrong(self):
        text = TRACES / "comm.txt"
        self.assertEqual(1, self.run_tool("ascii2dumpi", "--help")[0])
        self.assertEqual(1, self.run_tool("ascii2dumpi", "-q")[0])
        self.assertEqual(2, self.run_tool("ascii2dumpi", text)[0])
        self.assertEqual(3, self.run_tool("ascii2dumpi", "-o", self.out, "/nonexistent")[0])
        self.assertEqual(5, self.run_tool("ascii2dumpi", "-o", "/nonexistent/a.bin", text)[0])


if __name__ == "__main__":
    unittest.main()
