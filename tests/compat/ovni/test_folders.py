"""Streams of an ovni trace are found wherever they lie in its folder: at any depth, once, and never outside. What may not be looked
into is not taken for empty."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from another_user import commands_of_another_user  # noqa: E402
from house import BUILD  # noqa: E402
from ovni_trace import begin, end, metadata, write  # noqa: E402

QUIPU = BUILD / "quipu"
UNREADABLE = 4


class Folders(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.trace = Path(self.temporary.name) / "trace"
        write(self.trace, (metadata(11), [begin(1), end(2)]), (metadata(12, cpus=0), [begin(3), end(4)]))
        self.stream = self.trace / "loom.node.0/proc.10/thread.11"

    def run_command(self, *command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)

    def assert_records(self, count, code=0, trace=None):
        done = self.run_command(QUIPU, "cat", "--records", trace or self.trace)
        self.assertEqual((code, count), (done.returncode, len(re.findall("OH[xe]", done.stdout))), done.stderr)
        return done.stderr

    def assert_tools(self, code):
        for tool in ("ovnidump", "ovnitop", "ovniemu", "ovnisort"):
            done = self.run_command(BUILD / "compat/bin" / tool, self.trace)
            self.assertEqual(code, done.returncode, (tool, done.stderr))

    def test_a_stream_at_any_depth_is_read(self):
        deep = self.trace / "loom.deep" / "/".join(["d"] * 100)
        deep.mkdir(parents=True)
        (self.trace / "loom.node.0").rename(deep / "loom.node.0")
        self.assert_records(4)
        self.assert_tools(0)

    def test_what_is_too_deep_for_the_system_is_found(self):
        here = os.open(self.trace, os.O_RDONLY)
        for _ in range(30):
            os.mkdir("d" * 200, dir_fd=here)
            below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)
        self.addCleanup(self.run_command, "rm", "-rf", self.trace)
        self.assertIn("data-loss", self.assert_records(4, UNREADABLE))
        self.assert_tools(1)

    def test_links_in_circles_are_followed_once(self):
        for name, target in (("a", "."), ("b", "."), ("c", "loom.node.0"), ("loom.node.0/up", "..")):
            (self.trace / name).symlink_to(target)
        self.assert_records(4)
        self.assert_tools(0)

    def test_links_of_older_traces_are_followed_once(self):
        folder = self.trace / "loom.node.0"
        shutil.rmtree(folder)
        (folder / "proc.10").mkdir(parents=True)
        (folder / "proc.10/metadata.json").write_text('{"version": 1, "app_id": 1, "cpus": [{"index": 0, "phyid": 0}]}')
        (folder / "proc.10/thread.11").write_bytes(begin(1) + end(2))
        (self.trace / "loom.another").symlink_to("loom.node.0")
        (folder / "proc.11").symlink_to("proc.10")
        self.assert_records(2)

    def test_links_that_lead_to_the_only_folder_of_streams_are_followed(self):
        (self.trace / "kept").mkdir()
        (self.trace / "loom.node.0").rename(self.trace / "kept/x")
        (self.trace / "loom.node.0").symlink_to("kept/x")
        self.assert_records(4)

    def test_links_do_not_lead_outside(self):
        (self.trace / "loom.node.0/proc.10").rename(self.trace.parent / "outside")
        write(self.trace, (metadata(13), [begin(1), end(2)]))
        (self.trace / "loom.away").symlink_to(self.trace.parent / "outside")
        trouble = self.assert_records(2, UNREADABLE)
        self.assertIn("outside the folder of the trace", trouble)
        self.assertIn("--allow-outside", trouble)
        self.assert_tools(1)
        done = self.run_command(QUIPU, "cat", "--records", "--allow-outside", self.trace)
        self.assertEqual((0, 6), (done.returncode, len(re.findall("OH[xe]", done.stdout))), done.stderr)

    def test_a_trace_all_of_which_lies_outside_says_so(self):
        (self.trace / "loom.node.0/proc.10").rename(self.trace.parent / "outside")
        (self.trace / "loom.node.0/proc.10").symlink_to(self.trace.parent / "outside")
        trouble = self.assert_records(0, UNREADABLE)
        self.assertIn("lead out of its folder", trouble)
        self.assertIn("--allow-outside", trouble)

    def test_a_folder_that_may_not_be_searched_is_said(self):
        """0o400: its names may be read, but nothing else."""
        for path in (self.trace.parent, self.trace):
            path.chmod(0o755)
        elsewhere = tempfile.TemporaryDirectory()
        self.addCleanup(elsewhere.cleanup)
        quipu, dump = commands_of_another_user(Path(elsewhere.name) / "commands", "quipu", "compat/bin/ovnidump")
        for folder in (self.stream, self.stream.parent, self.stream.parents[1], self.trace, self.trace.parent):
            for mode in (0, 0o444):
                with self.subTest(folder.relative_to(self.trace.parent), mode=oct(mode)):
                    folder.chmod(mode)
                    done = self.run_command(*quipu, "cat", "--records", self.trace)
                    self.assertEqual(UNREADABLE, done.returncode, done.stderr)
                    self.assertIn("Permission denied", done.stderr)
                    done = self.run_command(*dump, self.trace)
                    self.assertEqual(1, done.returncode, done.stderr)
                    self.assertIn("Permission denied", done.stderr)
                    folder.chmod(0o755)


if __name__ == "__main__":
    unittest.main()
