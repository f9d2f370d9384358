"""dumpi2ascii prints the text of the original, with its exit codes."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, SOURCE  # noqa: E402

COMMAND = BUILD / "compat/bin/dumpi2ascii"
TRACES = SOURCE / "tests/data/dumpi/text"
SHARED = SOURCE.parent / "shared/traces/dumpi"


def run(*arguments):
    """Runs the command; returns (exit code, text, complaints)."""
    done = subprocess.run([str(COMMAND), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          env=dict(os.environ, TZ="UTC"))
    return done.returncode, done.stdout, done.stderr.decode()


def records_of(path):
    """What quipu shows of a file."""
    return subprocess.run([BUILD / "quipu", "cat", "--records", path], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stdout


class Dumpi2ascii(unittest.TestCase):
    def assert_same(self, path, want):
        code, text, complaints = run("-a", path)
        self.assertEqual((0, want), (code, text), f"{path}: {complaints}")

    def test_dumpi2ascii_prints_the_text_of_the_original(self):
        for text in sorted(TRACES.glob("*.txt")):
            self.assert_same(text.with_suffix(".bin"), text.read_bytes())

    # needs: shared
    def test_dumpi2ascii_prints_all_shared_traces(self):
        texts = [text for text in sorted(SHARED.rglob("*.txt")) if text.with_suffix(".bin").exists()]
        if not texts:
            self.skipTest("there is no folder shared")
        for text in texts:
            self.assert_same(text.with_suffix(".bin"), text.read_bytes())

    def test_dumpi2ascii_prints_the_old_end_mark_as_the_call_that_the_original_sees(self):
        # Behind the mark: version 0.6.7, start time 0x6553f100, and a host name of 6 bytes that begins with "no".
        call = (b"MPI_Send entering at walltime 0.000000000, cputime 0.000000000 seconds in thread 0.\n"
                b"int count=%d\nMPI_Datatype datatype=0 (MPI_DATATYPE_ERROR)\nint dest=%d\nint tag=%d\n"
                b"MPI_Comm comm=%d (user-defined-comm)\n"
                b"MPI_Send returning at walltime 0.000000000, cputime 0.000000000 seconds in thread 0.\n"
                % (0x06070000, 0x6553F100, 0x00066E6F, 0x6465))
        data = bytearray((TRACES / "v0.6.7-cart.bin").read_bytes())
        header = struct.unpack(">8Q", data[-64:])[4]
        self.assertEqual(b"\x01\x25", data[header - 2 : header])
        data[header - 2 : header] = b"\x01\x22"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.bin"
            path.write_bytes(data)
            calls = run("-S", TRACES / "v0.6.7-cart.bin")[1]
            code, text, complaints = run("-S", path)
            self.assertEqual((0, calls + call), (code, text))
            self.assertEqual(1, complaints.count("\n"))
            self.assertIn("no call but the end mark", complaints)
            self.assertIn("quipu cat --records", complaints)
            self.assertEqual(records_of(TRACES / "v0.6.7-cart.bin").replace("mark=293", "mark=290"),
                             records_of(path))

    def test_dumpi2ascii_options_choose_parts_in_a_fixed_order(self):
        path = TRACES / "syn-perf.bin"
        words = [run(option, path)[1] for option in ("-H", "-S", "-K", "-F", "-P", "-A", "-X")]
        self.assertEqual((TRACES / "syn-perf.txt").read_bytes(), b"".join(words))
        self.assertEqual(words[0] + words[3], run("-F", "-H", path)[1])
        self.assertEqual(words[1], run("-f", path)[1])
        self.assertEqual(words[1], run("-v", path)[1])

    def test_dumpi2ascii_counters_that_are_absent_are_none_and_a_warning(self):
        index = bytearray((TRACES / "comm.bin").read_bytes())
        index[-40:-32] = bytes(8)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.bin"
            path.write_bytes(index)
            code, text, complaints = run("-P", path)
        self.assertEqual((0, b"Performance counters: 0\n"), (code, text))
        self.assertIn("hardware counters", complaints)

    def test_dumpi2ascii_exit_codes_tell_usage_from_files(self):
        self.assertEqual(1, run("-h")[0])
        self.assertEqual(1, run("-q")[0])
        self.assertEqual(1, run()[0])
        self.assertEqual(2, run("/nonexistent")[0])
        self.assertEqual(2, run(Path(__file__))[0])

    def test_dumpi2ascii_damage_is_told_and_the_rest_is_printed(self):
        data = bytearray((TRACES / "comm.bin").read_bytes())
        whole = (TRACES / "comm.txt").read_bytes()
        header = struct.unpack(">8Q", data[-64:])[4]
        data[header - 2 : header] = b"\xff\xff"  # in place of the end mark
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.bin"
            path.write_bytes(data)
            code, text, complaints = run("-a", path)
            self.assertEqual((3, whole), (code, text))
            self.assertIn(f"{path}: byte {header - 2}", complaints)


if __name__ == "__main__":
    unittest.main()
