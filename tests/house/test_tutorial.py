"""docs/tutorial.md: its programs build without warnings, run, and print what stands there."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from house import SOURCE

BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build"))
EXAMPLE = SOURCE / "examples/traces/phases"


def blocks(kind):
    """Pairs of what stands behind the kind of a block and the text of the block."""
    text = (SOURCE / "docs/tutorial.md").read_text(encoding="utf-8")
    return re.findall(r"^```%s (.+?)\n(.*?)^```$" % kind, text, re.M | re.S)


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "linkers warn of what the sanitizers' libraries have")
class Tutorial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        compiler = shutil.which("cc") or self.skipTest("there is no C compiler")
        if not (BUILD / "libquipu.so").exists():
            self.skipTest("the library is not built")
        for name, text in blocks("c"):
            (self.folder / name).write_text(text, encoding="utf-8")
            subprocess.run(
                [compiler, "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", SOURCE / "include", name,
                 BUILD / "libquipu.so", f"-Wl,-rpath,{BUILD.resolve()}", "-o", name.removesuffix(".c")],
                cwd=self.folder, check=True)

    def run_program(self, *command):
        out = subprocess.run([str(word) for word in command], cwd=self.folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        self.assertEqual((out.returncode, out.stderr), (0, b""))
        return out.stdout.decode()

    def test_tutorial_programs_print_what_stands_there(self):
        outputs = dict(blocks("output"))
        self.assertEqual(len(blocks("c")), 6)
        for name in ("count", "longest", "mpi_share"):
            self.assertEqual(self.run_program(self.folder / name, EXAMPLE), outputs[name])
        expression = re.search(r'where = "(.*)";', dict(blocks("c"))["messages.c"])[1]
        found = self.run_program(BUILD / "quipu", "cat", EXAMPLE, "--where", expression).splitlines()
        self.assertGreater(len(found), 0)
        self.assertIn(f"{len(found)} messages", self.run_program(self.folder / "messages", EXAMPLE))

    def test_tutorial_writes_a_sound_trace_of_any_format(self):
        self.run_program(self.folder / "write", "steps.otf")
        listed = self.run_program(BUILD / "quipu", "cat", "steps.otf")
        self.assertEqual([line.split() for line in listed.splitlines()],
                         [line.split() for line in dict(blocks("output"))["quipu cat steps.otf"].splitlines()])
        for trace in ("steps.otf", "steps.meta", "steps.trf"):
            with self.subTest(trace=trace):
                if trace != "steps.otf":
                    self.run_program(self.folder / "write", trace)
                self.run_program(BUILD / "quipu", "check", trace, "--quiet")


if __name__ == "__main__":
    unittest.main()
