"""Static archives of the drop-in libraries: each is enough by itself, says nothing but its interface, and goes into one program
with the others, also whole; pkg-config knows what a program needs."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

COMPAT = BUILD / "compat"
LIBRARY = COMPAT / "lib"
# What names begin with that programs know, and what an archive needs beside itself.
ARCHIVES = {
    "undumpi": (r"(lib)?(un)?dumpio?_", []),
    "open-trace-format": (r"OTF_|otf_", ["-lz"]),
    "otfaux": (r"OTFAUX_", ["-lopen-trace-format", "-lz"]),
}
PROGRAM = """
#include <dumpi/libundumpi/bindings.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : NULL;
    dumpi_header *header = undumpi_read_header(profile);
    dumpi_free_header(header);
    undumpi_close(profile);
    free(profile);
    return header ? 0 : 1;
}
"""


class Archives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = Path(cls.folder.name) / "program"
        cls.trace = SOURCE / "tests/data/dumpi/text/comm.bin"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def link(self, *options):
        source = self.program.with_suffix(".c")
        source.write_text(PROGRAM, encoding="utf-8")
        command = [CC, "-std=c11", *CFLAGS, "-Wall", "-Werror", source, "-o", self.program, *options]
        self.assertEqual((0, ""), run(*command))
        self.assertEqual((0, ""), run(self.program, self.trace))

    def static(self, *names):
        """Options for archives that are found as -l finds them, where there is no shared library."""
        folder = Path(self.folder.name) / "archives"
        folder.mkdir(exist_ok=True)
        for name in names:
            shutil.copy(LIBRARY / f"lib{name}.a", folder)
        return ["-I", COMPAT / "include/dumpi", "-L", folder]

    def test_archives_have_no_global_names_but_their_interface(self):
        for name, (prefix, _) in ARCHIVES.items():
            code, symbols = run("nm", "--defined-only", "--extern-only", LIBRARY / f"lib{name}.a")
            self.assertEqual(0, code)
            names = [line.split()[-1] for line in symbols.splitlines() if len(line.split()) == 3]
            self.assertGreater(len(names), 50)
            strange = [symbol for symbol in names if not re.match(prefix, symbol) and not re.match(r"_+(odr_)?(asan|ubsan|tsan)", symbol)]
            self.assertEqual([], strange, name)

    def test_archives_of_dumpi_need_nothing_else(self):
        self.link(*self.static("undumpi"), "-lundumpi")

    def test_archives_go_whole_into_one_program(self):
        names = list(ARCHIVES)
        libraries = [f"-l{name}" for name in names]
        self.link(*self.static(*names), "-Wl,--whole-archive", *libraries, "-Wl,--no-whole-archive", "-lz")
        self.link(*self.static(*names), *libraries[::-1], *libraries, "-lz")

    def test_archives_go_with_quipu_itself(self):
        self.link(*self.static("undumpi"), "-Wl,--whole-archive", "-lundumpi", BUILD / "libquipu.a", "-Wl,--no-whole-archive",
                  *self.packages("--libs", "zlib", "libzstd", "jansson", "libpcre2-8"), *self.optional("libisal"), *self.optional("otf2"), *self.optional("sqlite3"), "-pthread", "-lm")

    def packages(self, *arguments):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(LIBRARY / "pkgconfig")}
        done = subprocess.run(["pkg-config", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
        self.assertEqual(0, done.returncode)
        return done.stdout.split()

    def optional(self, name):
        done = subprocess.run(["pkg-config", "--libs", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout.split()

    def test_archives_pkg_config_knows_what_programs_of_dumpi_need(self):
        self.assertEqual(["13.0.0"], self.packages("--modversion", "undumpi"))
        self.link(*self.packages("--cflags", "--libs", "undumpi"), f"-Wl,-rpath,{LIBRARY}")


if __name__ == "__main__":
    unittest.main()
