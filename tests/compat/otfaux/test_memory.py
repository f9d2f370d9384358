"""libotfaux when memory is out: the call that needs it says so, and everything else goes on."""
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

HERE = Path(__file__).resolve().parent
FOLDER = SOURCE / "compat/otfaux"
HEADERS = BUILD / "compat/include/otf"


class Memory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def build(self):
        """random_calls with the library's own sources, whose allocator can fail."""
        program, objects = self.folder / "random_calls", []
        compile_c = [CC, "-std=c11", "-D_XOPEN_SOURCE=700", *CFLAGS, "-I", HEADERS, "-I", FOLDER]
        for source in [*sorted(FOLDER.glob("*.c")), HERE / "scarce.c"]:
            objects.append(self.folder / f"{source.stem}.o")
            self.assertEqual((0, ""), run(*compile_c, "-include", HERE / "scarce.h", "-c", source, "-o", objects[-1]))
        self.assertEqual((0, ""), run(*compile_c, HERE / "random_calls.c", *objects, "-o", program))
        return program

    def failures(self, program, period):
        """Runs the program with an allocator whose every period-th call fails; returns how many calls of ours failed."""
        code, output = run(program, 3, 1000, self.folder / "thumbnail", env={**os.environ, "SCARCE_PERIOD": str(period)})
        self.assertEqual(0, code, f"period {period}: {output[-2000:]}")
        return len(re.findall(r"^begin 5: 0$", output, re.M))

    def test_memory_any_allocation_may_fail(self):
        program = self.build()
        self.assertGreater(self.failures(program, 2), 0)
        self.assertEqual(0, self.failures(program, 1000000))
        for period in range(1, 40):
            self.failures(program, period)


if __name__ == "__main__":
    unittest.main()
