"""docs/tour.md is what the command prints today."""
import os
import shutil
import subprocess
import sys
import tempfile
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

    def test_tour_is_not_written_where_commands_cannot_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in ("tools/tour", "docs/tour.md", "examples/traces/phases"):
                copy = shutil.copytree if (SOURCE / path).is_dir() else shutil.copy
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                copy(SOURCE / path, Path(folder, path))
            done = subprocess.run([sys.executable, Path(folder, "tools/tour")], env={**os.environ, "QUIPU_BUILD": folder, "PATH": "/bin:/usr/bin"},
                                  stderr=subprocess.PIPE, check=False, text=True)
            self.assertEqual((SOURCE / "docs/tour.md").read_text(), Path(folder, "docs/tour.md").read_text())
        self.assertEqual(done.returncode, 1)
        self.assertIn("command not found; nothing is written: build first", done.stderr)


if __name__ == "__main__":
    unittest.main()
