"""What libquipu.so shows to the outside."""
import re
import unittest

from house import BUILD, SOURCE, run, sources

LIBRARY = BUILD / "libquipu.so"


def exported():
    """Names of the library's dynamic symbols that it defines, sanitizers' own left out."""
    code, output = run("nm", "-D", "--defined-only", LIBRARY)
    assert code == 0, output
    names = {line.split()[-1].split("@")[0] for line in output.splitlines()} - {"QUIPU_0"}
    return {name for name in names if not re.match(r"__(a|ub|t)san_|__(odr_asan|start_|stop_|sanitizer|gcov)|_fini$|_init$", name)}


def declared():
    """Names of the functions that the public headers declare with QUIPU_API."""
    return {
        name
        for path in sources("include")
        if path.suffix == ".h"
        for name in re.findall(r"^QUIPU_API [^;(]*?\b(quipu_\w+)\(", (SOURCE / path).read_text(), re.M)
    }


class Library(unittest.TestCase):
    def test_library_exports_only_its_public_names(self):
        self.assertEqual(set(), {name for name in exported() if not re.match(r"quipu_(?!_)", name)})

    def test_library_exports_all_that_its_headers_declare(self):
        self.assertEqual(set(), declared() - exported())


if __name__ == "__main__":
    unittest.main()
