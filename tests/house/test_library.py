"""What libquipu.so shows to the outside."""
import re
import unittest

from house import BUILD, run

LIBRARY = BUILD / "libquipu.so"


def exported():
    """Names of the library's dynamic symbols that it defines, sanitizers' own left out."""
    code, output = run("nm", "-D", "--defined-only", LIBRARY)
    assert code == 0, output
    names = {line.split()[-1] for line in output.splitlines()}
    return {name for name in names if not re.match(r"__(a|ub|t)san_|__(odr_asan|start_|stop_|sanitizer|gcov)|_fini$|_init$", name)}


class Library(unittest.TestCase):
    def test_library_exports_only_its_public_names(self):
        self.assertEqual(set(), {name for name in exported() if not re.match(r"quipu_(?!_)", name)})


if __name__ == "__main__":
    unittest.main()
