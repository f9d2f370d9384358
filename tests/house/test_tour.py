"""docs/tour.md is what the command prints today."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("QUIPU_SOURCE", "."))


class Tour(unittest.TestCase):
    def test_tour_shows_what_is_printed(self):
        done = subprocess.run([sys.executable, SOURCE / "tools" / "tour", "--check"], stdout=subprocess.PIPE, check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_tour_is_at_most_80_columns_wide_where_something_is_printed(self):
        printed = (SOURCE / "docs" / "tour.md").read_text(encoding="utf-8").split("```\n")[1::2]
        self.assertGreaterEqual(len(printed), 12)
        for line in "".join(printed).splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
