"""libotfaux against the original of a Linux distribution: the same calls have the same effects, and its program otfaux
writes the same files. Skipped where the original, its program or the traces are missing."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

HERE = Path(__file__).resolve().parent
LIBRARIES = BUILD / "compat/lib"
HEADERS = BUILD / "compat/include/otf"
TRACES = SOURCE.parent / "shared/traces/otf"
PROGRAM = shutil.which("otfaux")
SANITIZED = any(flag.startswith("-fsanitize") for flag in CFLAGS)


def environment(libraries):
    """Ours with the folder of libraries, the original without."""
    return {**os.environ, "LD_LIBRARY_PATH": str(libraries or "")}


@unittest.skipUnless((LIBRARIES / "libotfaux.so.0").exists(), "libotfaux is not built")
class Original(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    # ---- Calls in random order ----

    def effects(self, program, seed, calls, libraries):
        stub = self.folder / "thumbnail"
        done = subprocess.run(
            [program, str(seed), str(calls), stub], env=environment(libraries), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if "cannot open shared object file" in done.stderr:
            self.skipTest("the original is not installed")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout, stub.with_suffix(".thumb").read_text()

    def test_original_random_calls_have_the_same_effects(self):
        program = self.folder / "random_calls"
        command = [CC, "-std=c11", *CFLAGS, "-I", HEADERS, HERE / "random_calls.c", "-L", LIBRARIES, "-lotfaux", "-o", program]
        self.assertEqual((0, ""), run(*command))
        for seed, calls in ((1, 200), (2, 1000), (3, 5000), (4, 20000)):
            original = self.effects(program, seed, calls, None)
            self.assertEqual(original, self.effects(program, seed, calls, LIBRARIES), f"seed {seed}")

    # ---- The program: commands as recorded beside the traces ----

    def copy(self, name):
        """A copy of trace g20 under a name of its own."""
        (self.folder / name).mkdir()
        for path in (TRACES / "g20").glob("g20.*"):
            shutil.copy(path, self.folder / name / path.name.replace("g20", name))
        return self.folder / name

    def assert_golden(self, name, folder, *arguments):
        code, output = run(PROGRAM, *arguments, cwd=folder, env=environment(LIBRARIES))
        self.assertEqual(0, code, output)
        golden = {path.name: path for path in (TRACES / name).glob(f"{name}.*")}
        made = {path.name: path for path in (self.folder / name).glob(f"{name}.*")}
        self.assertGreater(len(golden), 10)
        self.assertEqual(set(golden), set(made))
        for file in golden:
            self.assertEqual(self.lines(golden[file]), self.lines(made[file]), file)

    def lines(self, path):
        """The lines but the unique id, which differs in every run."""
        return [line for line in path.read_bytes().split(b"\n") if not line.startswith(b"DUI")]

    def need_program(self):
        if not PROGRAM or not (TRACES / "g20/g20.otf").exists():
            self.skipTest("the program otfaux or the traces are missing")
        if SANITIZED:
            self.skipTest("a program without sanitizer cannot load a library with one")

    # needs: shared
    def test_original_program_writes_snapshots_statistics_and_a_thumbnail(self):
        self.need_program()
        self.assert_golden("x01", self.copy("x01"), "--all", "-n", "4", "x01.otf")

    # needs: shared
    def test_original_program_writes_inline_snapshots_and_matches_messages(self):
        self.need_program()
        (self.folder / "x02").mkdir()
        self.assert_golden(
            "x02", self.copy("g20"), "--snapshots", "-n", "3", "--inline-snapshots", "--match-messages", "-o", "../x02/x02", "g20.otf"
        )

    # needs: shared
    def test_original_program_writes_summaries_of_groups_and_a_small_thumbnail(self):
        self.need_program()
        self.assert_golden(
            "x03", self.copy("x03"), "--all", "-n", "3", "--funcgroups", "--filegroups", "--thumbnail-procs", "3", "--thumbnail-samples", "7", "x03.otf"
        )

    # ---- Packed traces: the original's library stops at their end ----

    # needs: shared
    def test_original_program_gives_packed_traces_snapshots(self):
        self.need_program()
        for path in (TRACES / "i01").glob("i01.*"):
            shutil.copy(path, self.folder)
        code, output = run(PROGRAM, "-n", "5", "i01", cwd=self.folder, env=environment(LIBRARIES))
        self.assertEqual(0, code, output)
        # what is active at each of the last times: process 1 and 2 have entered functions and not left them
        for stream in (1, 2):
            self.assertRegex((self.folder / f"i01.{stream}.snaps").read_text(), rf"\*{stream}\nTE")


if __name__ == "__main__":
    unittest.main()
