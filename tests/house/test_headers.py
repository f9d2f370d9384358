"""The public headers: each compiles alone, as C11 and as C++."""
import shutil
import tempfile
import unittest
from pathlib import Path

from house import CC, SOURCE, run

STRICT = ["-fsyntax-only", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


class Headers(unittest.TestCase):
    def compile_each(self, *command):
        headers = sorted((SOURCE / "include/quipu").glob("*.h"))
        self.assertIn(SOURCE / "include/quipu/quipu.h", headers)
        with tempfile.TemporaryDirectory() as folder:
            for header in headers:
                program = Path(folder) / "alone.c"
                program.write_text(f"#include <quipu/{header.name}>\nint main(void) {{ return 0; }}\n")
                code, output = run(*command, *STRICT, "-I", SOURCE / "include", program)
                self.assertEqual(0, code, f"{header.name}: {output}")

    def test_headers_compile_alone_as_c11(self):
        self.compile_each(CC, "-std=c11", "-Wstrict-prototypes")

    def test_headers_compile_alone_as_cpp(self):
        compiler = shutil.which("c++") or self.skipTest("there is no C++ compiler")
        self.compile_each(compiler, "-x", "c++", "-std=c++11")


if __name__ == "__main__":
    unittest.main()
