"""The demo runs from beginning to end, and what it promises is there."""
import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CFLAGS, SOURCE, run

# A sanitized recorder does not go into a program that is not.
RECORDS = bool(shutil.which("mpicc") and shutil.which("mpiexec")) and not any("sanitize" in flag for flag in CFLAGS)


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name)
        environment = {**os.environ, "QUIPU_BUILD": str(BUILD), "DEMO_OUT": str(cls.out), "NO_COLOR": "1"}
        if not RECORDS:
            environment["DEMO_WITHOUT_MPI"] = "1"
        cls.code, cls.output = run(SOURCE / "examples/demo.sh", env=environment)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_demo_ends_well(self):
        self.assertEqual(0, self.code, self.output)

    def test_demo_shows_the_functions_of_the_program(self):
        for function in "MPI_Finalize", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Barrier":
            self.assertIn(function, self.output)

    def test_demo_conversion_keeps_the_calls(self):
        def calls(path):
            code, output = run(BUILD / "quipu", "profile", "--json", "--by", "region", path)
            self.assertEqual(0, code, output)
            table = json.loads(output)
            table = table.get("tables", [table])[0]
            names = [column["name"] for column in table["columns"]]
            return {row[names.index("region")]: row[names.index("calls")] for row in table["rows"]}

        before = calls(SOURCE / "examples/traces/phases")
        self.assertEqual(18, before["MPI_Sendrecv"])
        self.assertEqual(before, calls(self.out / "phases.otf"))

    def test_demo_makes_a_timeline(self):
        self.assertGreater((self.out / "phases.perfetto-trace").stat().st_size, 1000)

    @unittest.skipUnless(RECORDS, "no MPI is installed, or the recorder is sanitized")
    def test_demo_records_a_program_and_finds_its_slow_rank(self):
        waiting = re.findall(r"^\d\. .* others wait for .*\n.*", self.output, re.M)
        self.assertRegex(waiting[0], r"rank 1\s+between MPI_Allreduce and MPI_Allreduce\b")


if __name__ == "__main__":
    unittest.main()
