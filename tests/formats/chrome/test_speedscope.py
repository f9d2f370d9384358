"""speedscope (npm) loads what is written for Chrome; skipped where it is not installed."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "cli"))

from folder import FolderTest

TRACES = [SOURCE / "tests" / "data" / "otf" / "small.otf", *sorted((SOURCE / "examples" / "traces").rglob("*.meta"))]


def speedscope():
    """The folder of an installed speedscope's bundle; None when there is none."""
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    root = subprocess.run(["npm", "root", "-g"], stdout=subprocess.PIPE, text=True, timeout=60, check=False).stdout.strip()
    folders = [root, *os.environ.get("NODE_PATH", "").split(os.pathsep)]
    found = [pathlib.Path(folder, "speedscope", "dist", "release") for folder in folders if folder]
    return next((folder for folder in found if folder.is_dir()), None)


class Speedscope(FolderTest):
    # needs: node
    def test_speedscope_loads_what_is_written_for_chrome(self):
        release = speedscope()
        if not release:
            self.skipTest("speedscope (npm) is not installed")
        for trace in TRACES:
            with self.subTest(trace.name):
                path = self.path("timeline.json")
                subprocess.run([str(BUILD / "quipu"), "convert", str(trace), "--to", "chrome", "-o", path, "--force"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
                loaded = subprocess.run(["node", str(SOURCE / "tests/formats/chrome/load_in_speedscope.js"), str(release), path],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
                *said, answer = loaded.stdout.strip().splitlines()
                self.assertEqual(json.loads(answer), {"title": "timeline.json - speedscope", "alerts": []})
                self.assertEqual([line for line in said if "Doing nothing" in line or "still open" in line], [])


if __name__ == "__main__":
    unittest.main()
