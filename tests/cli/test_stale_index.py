"""An index is used only for the bytes that it was made of: any byte of any file of a trace may change in place, with size and times kept."""
import os
import shutil
import subprocess
import time
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SWEEP = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data", "sweep")

FORMATS = ["charisma", "dumpi", "otf", "otf-compressed", "ovni", "paraver", "picl"]


def run(*arguments):
    return subprocess.run([QUIPU, *arguments], capture_output=True, text=True)


def wait_for_tick():
    """File systems may tick: what is changed at once need not get another time."""
    time.sleep(0.05)


def files_below(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)


def overwrite(path, offset, flip):
    """Changes a byte in place; gives the file the time of modification that it had."""
    times = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ flip]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


class StaleIndexTest(FolderTest):
    def answer(self, trace, *options):
        result = run("profile", "--csv", trace, *options)
        return result.returncode, result.stdout

    def uses_index(self, trace):
        return ".qpx" in run("profile", "--csv", "--verbose", trace).stderr.split("index ", 1)[1].split("\n")[0]

    def copy(self, kind, name="copy"):
        """A trace of that format in a folder of its own, and the path that opens it."""
        folder = self.path(f"{kind}-{name}")
        shutil.copytree(os.path.join(SWEEP, kind), folder)
        found = [name for name in sorted(os.listdir(folder)) if name.endswith((".meta", ".otf", ".picl", ".ctrace", ".prv"))]
        return folder, os.path.join(folder, found[0]) if found else folder

    def make(self, kind):
        folder, trace = self.copy(kind)
        wait_for_tick()
        made = run("index", trace)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(self.uses_index(trace), kind)
        return folder, trace

    def test_byte_changed_in_place_is_noticed(self):
        for kind in FORMATS:
            folder, trace = self.make(kind)
            for path in files_below(folder):
                size = os.path.getsize(path)
                for offset in {0, size // 3, size // 2, size - 1} if size and not path.endswith((".qpx", "README.md")) else ():
                    with self.subTest(kind=kind, path=os.path.basename(path), offset=offset):
                        overwrite(path, offset, 1)
                        self.assertEqual(self.answer(trace), self.answer(trace, "--no-index"))
                        if run("info", trace).returncode == 0:
                            self.assertFalse(self.uses_index(trace))
                        overwrite(path, offset, 1)
            self.assertTrue(self.uses_index(trace), kind)

    def test_byte_of_a_copy_is_noticed(self):
        for kind in FORMATS:
            folder, trace = self.make(kind)
            copy = self.path(f"{kind}-moved")
            shutil.copytree(folder, copy)
            if os.path.exists(folder + ".qpx"):
                shutil.copy(folder + ".qpx", copy + ".qpx")
            trace = trace.replace(folder, copy)
            self.assertTrue(self.uses_index(trace), kind)
            self.assertEqual(run("index", "--verify", trace).returncode, 0)
            for path in files_below(copy):
                if not path.endswith((".qpx", "README.md")):
                    overwrite(path, os.path.getsize(path) // 2, 1)
                    self.assertEqual(self.answer(trace), self.answer(trace, "--no-index"))
                    overwrite(path, os.path.getsize(path) // 2, 1)

    def make_large(self):
        """A trace of which samples would not do: calls of 200 processes, one after the other."""
        trace = self.path("large.trf")
        with open(trace, "w") as file:
            for i in range(40000):
                file.write(f"-3 -21 {i * 0.001:.6f} {i % 200} {i % 200} 0\n-4 -21 {i * 0.001 + 0.0005:.6f} {i % 200} {i % 200} 0\n")
        wait_for_tick()
        made = run("index", trace)
        self.assertEqual(made.returncode, 0, made.stderr)
        return trace

    def test_byte_anywhere_in_a_large_file_is_noticed(self):
        trace = self.make_large()
        self.assertTrue(self.uses_index(trace))
        with open(trace, "rb") as file:
            lines = file.read().split(b"\n")
        offset = sum(len(line) + 1 for line in lines[:33333]) + lines[33333].index(b".") + 4  # a digit of a time
        overwrite(trace, offset, 1)
        self.assertFalse(self.uses_index(trace))
        self.assertEqual(self.answer(trace), self.answer(trace, "--no-index"))
        verified = run("index", "--verify", trace)
        self.assertEqual((verified.returncode, "another state of the trace" in verified.stderr), (1, True), verified.stderr)
        overwrite(trace, offset, 1)
        self.assertEqual(run("index", "--verify", trace).returncode, 0)
        self.assertEqual(self.answer(trace, "--verify"), self.answer(trace, "--no-index"))

    def test_table_of_offsets_that_comes_later_is_noticed(self):
        folder, trace = self.make("ovni")
        with open(os.path.join(folder, "clock-offsets.txt"), "w") as file:
            file.write("rank hostname offset_median offset_mean offset_std\n0 elsewhere 1000 1000 0\n")
        self.assertFalse(self.uses_index(trace))

    def test_no_record_is_read_of_a_trace_that_is_as_it_was(self):
        trace = self.make_large()
        self.assertIn(" 0 records, 0.0 MB", run("profile", "--csv", "--verbose", trace).stderr)


if __name__ == "__main__":
    unittest.main()
