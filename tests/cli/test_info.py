"""info: what the summary says, against figures worked out by hand."""
import json
import os
import shutil
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
EXCHANGE = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
PHASES = os.path.join(SOURCE, "examples/traces/phases")


def info(*arguments):
    return subprocess.run([QUIPU, "info", *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


class Info(FolderTest):
    def test_info_says_the_share_of_time_in_mpi(self):
        """Rank 0 lasts from 10 to 100 and is in MPI from 20 to 40 and 50 to 60; rank 1 from 10 to 95, 20 to 46 and 50 to 60."""
        self.assertEqual(json.loads(info("--json", EXCHANGE))["mpi"], {"ticks": 30 + 36, "of_ticks": 90 + 85})
        self.assertIn("MPI            37.7 % of the time\n", info(EXCHANGE))

    def test_info_of_threads_is_that_of_one(self):
        self.assertEqual(info("--json", PHASES), info("--json", "--threads", "2", PHASES))

    def test_info_of_nothing_is_no_file(self):
        for missing in (("missing.otf",), ("missing.otf", "absent.otf")):
            done = subprocess.run([QUIPU, "info", *map(self.path, missing), "-o", self.path("answer")], capture_output=True, check=False)
            self.assertEqual((4, False), (done.returncode, os.path.exists(self.path("answer"))), done.stderr)

    def test_info_of_an_index_that_cannot_be_read_is_delivered(self):
        """A link to itself is a file that the system does not open."""
        for name in ("ring.meta", "ring-0000.bin", "ring-0001.bin"):
            shutil.copy(os.path.join(SOURCE, "tests/data/sweep/dumpi", name), self.path(name))
        os.symlink("ring.meta.qpx", self.path("ring.meta.qpx"))
        done = subprocess.run([QUIPU, "info", self.path("ring.meta")], capture_output=True, check=False, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("processes      2\n", done.stdout)
        self.assertTrue(done.stdout.endswith("ring.meta.qpx (cannot be read)\n"), done.stdout)
        self.assertIn("the index cannot be read", done.stderr)

    def test_info_counts_mpi_inside_mpi_once_and_ends_what_is_active(self):
        """MPI_Send in MPI_Recv from 2 to 8, and MPI_Barrier from 10 on, which never ends: 6 + 5 of 15 ticks."""
        with open(self.path("t.otf"), "w", encoding="ascii") as file:
            file.write("1:1\n")
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write('DTR3b9aca00\nDP1NM"p"\nDFG1NM"MPI"\nDF1G1NM"MPI_Recv"\nDF2G1NM"MPI_Send"\nDF3G1NM"MPI_Barrier"\n'
                       'DFG2NM"user"\nDF4G2NM"main"\n')
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write("0\n*1\nE4\n2\nE1\n3\nE2\n5\nL2\n8\nL1\na\nE3\nf\nE4\n")
        done = subprocess.run([QUIPU, "info", "--json", "--quiet", self.path("t.otf")], stdout=subprocess.PIPE, check=False)
        self.assertEqual(json.loads(done.stdout)["mpi"], {"ticks": 11, "of_ticks": 15})

    def test_info_says_who_took_part_and_what_was_moved(self):
        text = info(PHASES)
        for line in ("recorded       2026-11-20 11:44:43 UTC", "duration       0.059096733s", "hosts          1",
                     "processes      3", "messages       18 sent, 72 bytes; 18 received"):
            self.assertIn(line + "\n", text)
        summary = json.loads(info("--json", EXCHANGE))
        self.assertEqual([summary["streams"], summary["processes"], summary["communicators"]], [2, 2, 1])
        self.assertEqual(summary["messages"], {"sent": 1, "received": 1, "bytes": 1000})

    def test_info_of_several_is_a_table(self):
        rows = info(EXCHANGE, PHASES).splitlines()
        self.assertEqual(len(rows), 5)  # the last names columns that are empty
        self.assertEqual(rows[2].split(), [EXCHANGE, "otf", "2", "0.000090000", "18", "1"])
        self.assertEqual(rows[3].split(), [PHASES, "dumpi", "3", "0.059096733", "276", "18"])


    def test_info_finds_the_index_by_whatever_name_opens_the_trace(self):
        for name in os.listdir(os.path.dirname(EXCHANGE)):
            shutil.copy(os.path.join(os.path.dirname(EXCHANGE), name), self.path(name))
        shutil.copytree(PHASES, self.path("phases"))
        meta = next(name for name in os.listdir(self.path("phases")) if name.endswith(".meta"))
        for made, asked in (("exchange.otf", ("exchange", "exchange.1.events")), ("phases", ("phases/", "phases/" + meta)),
                            ("phases/" + meta, ("phases",))):
            subprocess.run([QUIPU, "index", "--quiet", self.path(made)], check=True)
            for name in asked:
                self.assertIn(f"index          {self.path(made)}.qpx\n", info(self.path(name)))
            os.remove(self.path(made) + ".qpx")

    def test_verbose_says_which_index_is_used(self):
        shutil.copytree(PHASES, self.path("phases"))
        subprocess.run([QUIPU, "index", "--quiet", self.path("phases")], check=True)
        for options, line in (((), f"index {self.path('phases')}.qpx"), (("--no-index",), None)):
            done = subprocess.run([QUIPU, "profile", "-v", *options, self.path("phases")], capture_output=True, text=True, check=True)
            self.assertEqual(line is not None, "index" in done.stderr, done.stderr)
            self.assertIn(line or " MB in ", done.stderr)


if __name__ == "__main__":
    unittest.main()
