"""A trace has regular files of its own folder read, and others only when the user says so."""
import os
import shutil
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", os.getcwd())
QUIPU = os.path.join(os.path.abspath(os.environ.get("QUIPU_BUILD", "build")), "quipu")
SWEEP = os.path.join(SOURCE, "tests", "data", "sweep")
UNREADABLE = 4
COMMANDS = (["info"], ["check"], ["cat"], ["cat", "--records"], ["profile"], ["profile", "--threads", "2"],
            ["state", "--at", "end"], ["convert", "-o", "out.chrome.json"], ["repair"])


class Outside(FolderTest):
    """own/ is the folder of the trace, other/ lies beside it."""

    def setUp(self):
        super().setUp()
        for name in ("own", "other"):
            os.mkdir(self.path(name))
            for format_name in ("otf", "dumpi"):
                shutil.copytree(os.path.join(SWEEP, format_name), self.path(name), dirs_exist_ok=True)

    def run_quipu(self, code, *arguments):
        result = subprocess.run([QUIPU, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, encoding="utf-8", timeout=30)
        self.assertEqual(result.returncode, code, (arguments, result.stdout, result.stderr))
        return result

    def assert_refused(self, trace, why="outside the folder of the trace", options=()):
        for command in COMMANDS:
            output = ["-o", "out" + os.path.splitext(trace)[1]] if command == ["repair"] else []
            result = self.run_quipu(UNREADABLE, *command, *options, trace, *output)
            self.assertIn(why, result.stdout + result.stderr, (command, trace))
            self.assertNotIn("Traceback", result.stderr)
            for name in set(os.listdir(self.folder)) - {"other", "own"}:  # what other streams gave
                os.unlink(self.path(name))

    def assert_same(self, trace, plain, *options):
        for command in ("cat", "profile"):
            expected = self.run_quipu(0, command, plain).stdout
            self.assertEqual(self.run_quipu(0, command, *options, trace).stdout, expected, (command, trace))

    def lead(self, part, target):
        os.unlink(self.path("own/" + part))
        os.symlink(target, self.path("own/" + part))

    def write_metafile(self, prefix):
        with open(self.path("own/ring.meta"), encoding="ascii") as file:
            lines = [f"fileprefix={prefix}\n" if line.startswith("fileprefix=") else line for line in file]
        with open(self.path("own/ring.meta"), "w", encoding="ascii") as file:
            file.writelines(lines)

    def test_outside_is_where_a_metafile_leads_to(self):
        self.write_metafile("../other/ring")
        self.assert_refused("own/ring.meta")
        self.assert_same("own/ring.meta", "other/ring.meta", "--allow-outside")

    def test_outside_is_where_a_link_leads_to(self):
        for target in ("../other/ring.1.events", self.path("other/ring.1.events")):
            self.lead("ring.1.events", target)
            self.assert_refused("own/ring.otf")
            self.assert_refused("own/ring.2.events")
            self.assert_same("own/ring.otf", "other/ring.otf", "--allow-outside")
        self.lead("ring-0001.bin", "../other/ring-0001.bin")
        self.assert_refused("own/ring.meta")
        self.assert_same("own/ring.meta", "other/ring.meta", "--allow-outside")

    def test_inside_is_what_lies_in_the_folder_or_below(self):
        os.mkdir(self.path("own/below"))
        for name in ("ring.1.events", "ring-0000.bin", "ring-0001.bin"):
            shutil.move(self.path("own/" + name), self.path("own/below"))
        os.symlink("below/ring.1.events", self.path("own/ring.1.events"))
        self.write_metafile("below/ring")
        self.assert_same("own/ring.otf", "other/ring.otf")
        self.assert_same("own/ring.meta", "other/ring.meta")
        self.write_metafile("../own/below/ring")
        self.assert_same("own/ring.meta", "other/ring.meta")

    def test_inside_is_what_the_user_names(self):
        os.symlink("own", self.path("link"))
        for part in ("otf", "0.def", "1.events", "2.events"):
            shutil.copy(self.path("own/ring." + part), self.path("own/alone." + part))
        for trace in ("link/ring.otf", "./own/../own/ring.otf", self.path("own/ring.otf"), "own/alone"):
            self.assert_same(trace, "other/ring.otf")
        for trace in ("link/ring.meta", "link/../own/ring.meta"):
            self.assert_same(trace, "other/ring.meta")
        os.symlink("../other/ring-0001.bin", self.path("own/single-0001.bin"))
        self.assert_same("own/single-0001.bin", "other/ring-0001.bin")
        for part in os.listdir(self.path("own")):
            if not part.startswith("ring.") or part.endswith(".meta"):
                os.unlink(self.path("own/" + part))
        for trace in ("own", "own/", "link", "link/"):
            self.assert_same(trace, "other/ring.otf")
        self.run_quipu(0, "index", "own/ring.otf", "-o", "index.qpx")
        self.assert_same("own/ring.otf", "other/ring.otf", "--with-index", "index.qpx")
        self.run_quipu(0, "index", "own")
        self.assert_same("own", "other/ring.otf")

    def test_pipes_and_devices_are_never_read(self):
        """Neither waits for a writer, nor reads for ever."""
        for part, trace in (("ring.1.events", "own/ring.otf"), ("ring.0.def", "own/ring.otf"), ("ring-0001.bin", "own/ring.meta")):
            os.unlink(self.path("own/" + part))
            os.mkfifo(self.path("own/" + part))
            self.assert_refused(trace, "regular file")
            self.lead(part, "/dev/zero")
            self.assert_refused(trace, "regular file", ["--allow-outside"])
            shutil.copy(self.path("other/" + part), self.path("copy"))
            os.replace(self.path("copy"), self.path("own/" + part))


if __name__ == "__main__":
    unittest.main()
