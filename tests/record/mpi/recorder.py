"""Programs run under the MPI recorder with each MPI, and what its collector makes of them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CFLAGS, run  # noqa: E402

HERE = Path(__file__).resolve().parent
LIBRARY = BUILD / "record/libquipu-record-mpi.so"
LARGE = BUILD / "record/libquipu-record-mpi-large.so"
COLLECTOR = BUILD / "record/quipu-record-mpi-collect"
SANITIZED = "-fsanitize" in " ".join(CFLAGS)
MPIS = {"openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class RecorderTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="quipu-record-mpi-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, mpi, source, *options):
        compiler = f"{'mpifort' if source.endswith('.F90') else 'mpicc'}.{mpi}"
        if not shutil.which(compiler) or not shutil.which(MPIS[mpi][0]) or not LIBRARY.exists():
            self.skipTest(f"{compiler} is not installed")
        program = self.folder / f"{Path(source).stem}.{mpi}"
        code, output = run(compiler, "-O1", HERE / source, "-o", program, *options)
        self.assertEqual(0, code, output)
        return program

    def start(self, mpi, ranks, *command, recorded=True, folder=None, **settings):
        """A launcher's run; its streams are in the folder raw, or another one."""
        shutil.rmtree(self.folder / "raw", ignore_errors=True)
        (self.folder / "raw").mkdir()
        environment = dict(os.environ, **settings)
        if recorded:
            environment.update(LD_PRELOAD=str(LARGE if mpi == "mpich" else LIBRARY), QUIPU_RECORD_FOLDER=str(folder or self.folder / "raw"))
        return subprocess.run([*MPIS[mpi], "-n", str(ranks), *map(str, command)], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def collect(self, *options, name="trace.meta"):
        return subprocess.run([COLLECTOR, self.folder / "raw", self.folder / name, "--force", *options],
                              capture_output=True, text=True, timeout=120)

    def record(self, mpi, ranks, *command, **settings):
        done = self.start(mpi, ranks, *command, **settings)
        collected = self.collect()
        self.assertEqual((0, ""), (collected.returncode, collected.stderr), done.stderr)
        return done

    def check(self, name="trace.meta"):
        """The findings of a trace, none of which is an error."""
        done = subprocess.run([BUILD / "quipu", "check", "--json", self.folder / name], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout)
        return {finding["rule"] for finding in json.loads(done.stdout)["findings"]}

    def records(self, rank, name="trace.meta"):
        done = subprocess.run([BUILD / "quipu", "cat", "--records", "--json", "--quiet", self.folder / name],
                              capture_output=True, text=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [(r["type"], r["fields"]) for r in records if r["stream"] == rank]

    def calls(self, rank, name="trace.meta"):
        """Names and fields of a rank's calls, in order."""
        return [(kind, fields) for kind, fields in self.records(rank, name) if kind.startswith(("MPI_", "Function"))]

    def common(self, rank):
        """What all its calls have: mask and clocks."""
        return [{key: fields[key] for key in ("mask", "cpu_start", "cpu_stop", "wall_start")} for _, fields in self.calls(rank)]

    def section(self, rank, kind, name="trace.meta"):
        return dict(self.records(rank, name))[kind]
