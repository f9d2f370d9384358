"""dumpi2dumpi copies files without what the options leave out, byte for byte as the original where that works."""
import os
import re
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
RUN = SOURCE / "examples/traces/phases"
STATUS = re.compile(r"\[\{bytes=.*\}\]")


def run(name, *arguments):
    done = subprocess.run([str(BIN / name), *map(str, arguments)], capture_output=True, env=dict(os.environ, TZ="UTC"))
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode()


def calls_of(path):
    """The bytes of the calls, with their biases."""
    data = Path(path).read_bytes()
    return data[8 : struct.unpack(">8Q", data[-64:])[4]]


class Dumpi2dumpi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out.bin"

    def copy(self, path, *options):
        self.assertEqual((0, "", ""), run("dumpi2dumpi", *options, "-i", path, "-o", self.out))
        return self.out.read_bytes()

    def text(self, path, *options):
        return run("dumpi2ascii", *options, path)[1]

    def test_dumpi2dumpi_without_statuses_makes_the_bytes_of_the_original(self):
        self.assertEqual((TRACES / "spawn.without-statuses.bin").read_bytes(), self.copy(TRACES / "spawn.bin", "-S"))
        for want in SHARED.rglob("*.d2d.bin"):
            self.assertEqual(want.read_bytes(), self.copy(str(want).replace(".d2d.bin", ".bin"), "--skip-statuses"), want)

    def test_dumpi2dumpi_copies_keep_every_call_as_it_is(self):
        for path in [*TRACES.glob("[cms]*.bin"), *SHARED.rglob("*-ompi/*-????.bin"), *SHARED.rglob("syn-all.bin")]:
            if ".without" in path.name or path.stat().st_size == 0 or path.name.startswith("syn-perf"):
                continue
            biases = path.read_bytes()[8:16]
            self.copy(path)
            self.assertEqual(self.text(path, "-S"), self.text(self.out, "-S"), path)
            if self.out.read_bytes()[8:16] == biases:
                self.assertEqual(calls_of(path), calls_of(self.out), path)

    def test_dumpi2dumpi_old_files_become_new_ones(self):
        self.copy(TRACES / "v0.6.7-cart.bin")
        self.assertEqual(self.text(TRACES / "v0.6.7-cart.bin", "-S"), self.text(self.out, "-S"))
        self.assertTrue(self.text(self.out, "-H").startswith("version=13.0.0\n"))

    def test_dumpi2dumpi_options_leave_clocks_statuses_and_counters_out(self):
        path = TRACES / "syn-perf.bin"
        whole = self.text(path)
        plain = re.sub(r"Perfcounters: .*\n", "", whole)
        self.copy(path)
        self.assertEqual(plain, self.text(self.out))
        self.assertEqual("Performance counters: 0\n", self.text(self.out, "-P"))
        self.copy(path, "-p")
        self.assertEqual(whole, self.text(self.out))
        self.copy(path, "-W")
        self.assertEqual(re.sub(r"walltime [\d.]+", "walltime 0.000000000", plain), self.text(self.out))
        self.copy(path, "--skip-cpu-time", "--skip-statuses")
        without_statuses = STATUS.sub("<IGNORED>", plain)
        self.assertEqual(re.sub(r"cputime [\d.]+", "cputime 0.000000000", without_statuses), self.text(self.out))

    def test_dumpi2dumpi_functions_are_chosen_in_the_order_of_options(self):
        path = TRACES / "comm.bin"
        names = lambda: set(re.findall(r"^(\w+) entering", self.text(self.out), re.M))  # noqa: E731
        self.copy(path, "-F", "-m", "MPI_Comm_split", "--with-mpi", "MPI_Cart_create")
        self.assertEqual({"MPI_Comm_split", "MPI_Cart_create"}, names())
        counts = self.text(self.out, "-F")
        self.assertRegex(counts, r"MPI_Comm_split called [1-9] times and ignored 0 times\n")
        called, ignored = re.search(r"MPI_Comm_dup called (\d+) times and ignored (\d+) times\n", counts).groups()
        self.assertEqual(called, ignored)
        self.copy(path, "-m", "MPI_Comm_split", "-F")
        self.assertEqual(set(), names())
        self.copy(path, "-F", "-f", "-M", "MPI_Init")
        self.assertNotIn("MPI_Init", names())
        self.assertIn("MPI_Comm_split", names())

    def test_dumpi2dumpi_annotations_are_copied_or_not(self):
        path = TRACES / "misc.bin"
        self.assertIn("Function_enter entering", self.text(path))
        self.copy(path)
        self.assertEqual(self.text(path, "-S", "-A", "-X"), self.text(self.out, "-S", "-A", "-X"))
        self.copy(path, "-U")
        self.assertNotIn("Function_", self.text(self.out, "-S", "-A"))
        self.copy(path, "-U", "-m", "MPI_Function_enter")
        self.assertIn("Function_enter entering", self.text(self.out))
        self.assertNotIn("Function_exit entering", self.text(self.out))

    def test_dumpi2dumpi_copies_all_files_of_a_run(self):
        meta = next(RUN.glob("*.meta"))
        self.assertEqual((0, "", ""), run("dumpi2dumpi", "-I", meta, "-o", self.folder / "copy"))
        original = meta.read_text()
        prefix = re.search("fileprefix=(.*)", original)[1]
        self.assertEqual(original.replace(f"fileprefix={prefix}", "fileprefix=copy"), (self.folder / "copy.meta").read_text())
        ranks = int(re.search(r"numprocs=(\d+)", original)[1])
        for rank in range(ranks):
            source = RUN / f"{prefix}-{rank:04}.bin"
            self.assertEqual(self.text(source, "-S"), self.text(self.folder / f"copy-{rank:04}.bin", "-S"))
        self.assertEqual(0, run("dumpi2dumpi", "-I", self.folder / "copy.meta", "-o", self.folder / "again")[0])
        self.assertEqual((self.folder / "copy-0000.bin").read_bytes(), (self.folder / "again-0000.bin").read_bytes())

    def test_dumpi2dumpi_exit_codes_tell_what_is_wrong(self):
        path = TRACES / "comm.bin"
        broken = {8: None, 9: "fileprefix=a\n", 10: "numprocs=2\n", 11: "numprocs=2\nfileprefix=a\n"}
        for code, text in broken.items():
            meta = self.folder / f"{code}.meta"
            if text:
                meta.write_text(text)
            self.assertEqual(code, run("dumpi2dumpi", "-I", meta, "-o", self.out)[0])
        for code, arguments in [
            (0, ["-h"]), (1, ["-q"]), (2, ["-i", path, "-I", path, "-o", self.out]), (3, ["-i", path]), (4, ["-o", self.out]),
            (5, ["-m", "MPI_Nothing", "-i", path, "-o", self.out]), (6, ["-i", TRACES / "comm.txt", "-o", self.out]),
            (7, ["-i", path, "-o", "/nonexistent/a"]),
        ]:
            self.assertEqual(code, run("dumpi2dumpi", *arguments)[0], arguments)

    def test_dumpi2dumpi_of_a_damaged_file_copies_what_is_intact(self):
        data = bytearray((TRACES / "comm.bin").read_bytes())
        header = struct.unpack(">8Q", data[-64:])[4]
        data[header - 2 : header] = b"\xff\xff"
        path = self.folder / "in.bin"
        path.write_bytes(data)
        code, _, complaints = run("dumpi2dumpi", "-i", path, "-o", self.out)
        self.assertEqual(6, code)
        self.assertIn(f"{path}: byte {header - 2}", complaints)
        self.assertEqual((0, self.text(TRACES / "comm.bin", "-S")), run("dumpi2ascii", "-S", self.out)[:2])


if __name__ == "__main__":
    unittest.main()
