"""tools/abi finds what breaks programs that were linked with a library before, in a small library, and compares the real one in CI."""
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from house import BUILD, SOURCE, run

HEADER = """
struct point { int x, y; };
enum colour { RED, GREEN };
int point_sum(const struct point *point, enum colour colour);
void point_clear(struct point *point);
"""
CODE = """
#include "point.h"
int point_sum(const struct point *point, enum colour colour) { return point->x + point->y + (int)colour; }
void point_clear(struct point *point) { point->x = point->y = 0; }
"""


class Abi(unittest.TestCase):
    def setUp(self):
        if not shutil.which("abidiff"):
            self.skipTest("libabigail is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tool(self, *options):
        return run(sys.executable, SOURCE / "tools/abi", "--library", self.folder / "libpoint.so", "--headers", self.folder, "--dump",
                   self.folder / "point.abi", *options)  # fmt: skip

    def build(self, header=HEADER, code=CODE):
        (self.folder / "point.h").write_text(header)
        (self.folder / "point.c").write_text(code)
        subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", "libpoint.so", "point.c"], cwd=self.folder, check=True)

    def test_abi_is_the_same_after_functions_are_added(self):
        self.build()
        self.assertEqual((0, ""), self.tool("--update"))
        self.assertEqual((0, ""), self.tool())
        self.build(HEADER + "int point_count(void);\n", CODE + "int point_count(void) { return 0; }\n")
        self.assertEqual((0, ""), self.tool())

    def test_abi_differs_where_programs_would_break(self):
        self.build()
        self.tool("--update")
        breaks = {
            "a member in between": (HEADER.replace("int x, y", "int x, z, y"), CODE),
            "another type": (HEADER.replace("int x, y", "long x, y"), CODE),
            "another value": (HEADER.replace("RED, GREEN", "RED = 1, GREEN"), CODE),
            "a parameter more": (HEADER.replace("*point);", "*point, int all);"), CODE.replace("*point) {", "*point, int all) { (void)all;")),
            "no function": (HEADER, CODE[: CODE.index("void")]),
        }
        for what, (header, code) in breaks.items():
            with self.subTest(what):
                self.build(header, code)
                code, output = self.tool()
                self.assertEqual(1, code, output)
                self.assertIn("--update", output)

    @unittest.skipUnless(platform.machine() == "x86_64", "the tool compares x86-64")
    def test_abi_of_the_library_differs_where_a_member_moved(self):
        dump = self.folder / "quipu.abi"
        command = (sys.executable, SOURCE / "tools/abi", "--library", BUILD / "libquipu.so", "--dump", dump)
        self.assertEqual((0, ""), run(*command, "--update"))
        self.assertEqual((0, ""), run(*command))
        text = dump.read_text()
        member = re.search(r"<data-member access='public' layout-offset-in-bits='64'>\s*<var-decl name='(\w+)'", text)
        dump.write_text(text.replace(member[0], member[0].replace("'64'", "'128'"), 1))
        code, output = run(*command)
        self.assertEqual(1, code)
        self.assertRegex(output, rf"{member[1]}' offset changed from 128 to 64")

    def test_abi_of_the_library_has_a_dump_with_the_names_of_the_headers(self):
        """CI compares types; here, that no function is gone."""
        text = (SOURCE / "packaging/libquipu.abi").read_text()
        headers = "".join(path.read_text() for path in (SOURCE / "include/quipu").glob("*.h"))
        names = {line.split("'")[1].split("@")[0] for line in text.splitlines() if "<elf-symbol name=" in line}
        self.assertGreater(len(names), 100)
        self.assertEqual(set(), {name for name in names if name.startswith("quipu_") and f"{name}(" not in headers})


if __name__ == "__main__":
    unittest.main()
