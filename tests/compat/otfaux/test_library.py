"""What libotfaux.so.0 shows to the outside, and its headers."""
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

FOLDER = SOURCE / "compat/otfaux"
LIBRARY = BUILD / "compat/lib/libotfaux.so.0"
HEADERS = BUILD / "compat/include/otf"
CXX = os.environ.get("CXX") or shutil.which("c++")


def declared(path):
    """Names of the functions that a header declares."""
    text = re.sub(r"/\*.*?\*/|typedef[^;]*;", "", path.read_text(), flags=re.S)
    return set(re.findall(r"^\w[\w ]*\*?\b(\w+)\(", text, re.M))


def lines_of(*command):
    code, output = run(*command)
    assert code == 0, output
    return output.splitlines()


@unittest.skipUnless(LIBRARY.exists(), "libotfaux is not built")
class Library(unittest.TestCase):
    def dynamic(self, tag):
        return [match[1] for line in lines_of("readelf", "-d", LIBRARY) if (match := re.search(rf"\({tag}\).*\[(.*)\]", line))]

    def test_library_exports_the_72_functions_and_nothing_else(self):
        symbols = [line.split() for line in lines_of("nm", "-D", "--defined-only", LIBRARY)]
        own = {name for _, kind, name in symbols if not re.match(r"__(a|ub|t)san_|__odr_asan|_init$|_fini$", name)}
        headers = [*(FOLDER / "include").glob("*.h"), FOLDER / "process.h", FOLDER / "lookup3.h"]
        self.assertEqual(set().union(*map(declared, headers)), own)
        self.assertEqual(72, len(own))

    def test_library_has_the_name_of_the_original(self):
        self.assertEqual(["libotfaux.so.0"], self.dynamic("SONAME"))

    @unittest.skipIf(any(flag.startswith("-fsanitize") for flag in CFLAGS), "sanitizers need libraries of their own")
    def test_library_needs_the_c_library_only(self):
        self.assertEqual(["libc.so.6"], self.dynamic("NEEDED"))

    def compile_alone(self, compiler, suffix, *options):
        with tempfile.TemporaryDirectory() as folder:
            for header in ("otfaux.h", "OTFAUX_MsgMatching.h", "OTFAUX_Thumbnail.h"):
                source = Path(folder) / f"alone{suffix}"
                source.write_text(f"#include <{header}>\nOTFAUX_State *state;\n")
                code, output = run(compiler, *options, "-Wall", "-Wextra", "-Werror", "-I", HEADERS, "-fsyntax-only", source)
                self.assertEqual((0, ""), (code, output), header)

    def test_library_headers_compile_alone_as_c(self):
        self.compile_alone(CC, ".c", "-std=c11")

    @unittest.skipUnless(CXX, "there is no C++ compiler")
    def test_library_headers_compile_alone_as_cpp(self):
        self.compile_alone(CXX, ".cc", "-std=c++11")


if __name__ == "__main__":
    unittest.main()
