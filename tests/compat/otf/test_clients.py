"""Programs that others wrote against OTF's library run on ours without change: ViTE draws the same picture, a program of
the GTG library writes the same trace. Skipped where those are not installed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
LIBRARY = BUILD / "compat" / "lib"
THEIRS = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
OURS = dict(THEIRS, LD_LIBRARY_PATH=str(LIBRARY))
SANITIZED = b"libasan" in subprocess.run(["ldd", LIBRARY / "libopen-trace-format.so.1"], stdout=subprocess.PIPE).stdout


def run(*arguments, environment, folder):
    done = subprocess.run([str(argument) for argument in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, cwd=folder, timeout=120)
    if done.returncode != 0:
        raise AssertionError("%s ends with %d: %s" % (arguments, done.returncode, done.stdout.decode()[-500:]))


@unittest.skipIf(SANITIZED, "built with a sanitizer")
class Clients(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    # needs: large
    @unittest.skipUnless(shutil.which("vite"), "vite is not installed")
    def test_clients_vite_draws_the_same_picture(self):
        for part in (SOURCE / "tests/data/cli").glob("exchange.*"):
            shutil.copy(part, self.folder)
        for environment, picture in ((THEIRS, "theirs.svg"), (OURS, "ours.svg")):
            screen = dict(environment, QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR=str(self.folder))
            run("vite", "-e", picture, "exchange.otf", environment=screen, folder=self.folder)
        ours = (self.folder / "ours.svg").read_bytes()
        self.assertGreater(len(ours), 1000)
        self.assertEqual(ours, (self.folder / "theirs.svg").read_bytes())

    @unittest.skipUnless(pathlib.Path("/usr/include/GTG.h").exists(), "GTG is not installed")
    def test_clients_gtg_writes_the_same_trace(self):
        program = self.folder / "gtg_program"
        run(os.environ.get("CC", "cc"), "-w", "-o", program, HERE / "gtg_program.c", "-lgtg", environment=THEIRS,
            folder=self.folder)
        written = []
        for environment, name in ((THEIRS, "theirs"), (OURS, "ours")):
            own_folder = self.folder / name
            own_folder.mkdir()
            run(program, environment=environment, folder=own_folder)
            written.append({path.name: [line for line in path.read_bytes().split(b"\n") if not line.startswith(b"DUI")]
                            for path in own_folder.iterdir()})
        self.assertIn("gtg.otf", written[1])
        self.assertIn("gtg.1.events", written[1])
        self.assertEqual(written[0], written[1])


if __name__ == "__main__":
    unittest.main()
