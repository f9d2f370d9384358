"""Programs with MPI in tests: compiling, launching on a few ranks, recording, and an independent count of calls."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cli"))
from folder import FolderTest  # noqa: E402
from house import BUILD, CFLAGS, SOURCE  # noqa: E402

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
QUIPU = BUILD / "quipu"
RECORDER = BUILD / "record/libquipu-record-mpi.so"
SANITIZED = any("sanitize" in flag for flag in CFLAGS)
RANKS = 4
TIMEOUT = 100


class Mpi:
    def __init__(self, name, launcher, fortran_libraries=()):
        self.name, self.launcher, self.fortran_libraries = name, launcher, fortran_libraries
        self.compiler = f"mpicc.{name}"
        self.fortran = f"mpifort.{name}"

    def launch(self, *command, ranks=RANKS):
        return [*self.launcher, "-n", str(ranks), *(str(word) for word in command)]

    def is_there(self):
        return all(shutil.which(program) for program in (self.compiler, self.launcher[0]))


MPIS = {mpi.name: mpi for mpi in (
    Mpi("openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], ("libmpi_mpifh.so.40", "libmpi_usempif08.so.40")),
    Mpi("mpich", ["mpiexec.mpich"], ("libmpichfort.so.12",)))}


def library_path(name):
    """Of a library that the system knows, or None."""
    found = re.search(rf"^\s*{re.escape(name)} .* => (.*)$", subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout, re.M)
    return found[1] if found else None


@unittest.skipIf(SANITIZED, "the sanitizers' libraries do not go with those of MPI")
class MpiTest(FolderTest):
    maxDiff = None

    def mpi(self, name):
        if not MPIS[name].is_there():
            self.skipTest(f"{name} is not installed")
        return MPIS[name]

    def needs(self, *programs):
        for program in programs:
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")

    def compile(self, mpi, source, *options, name=None):
        source = Path(source)
        compiler = mpi.fortran if source.suffix == ".F90" else mpi.compiler
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        program = self.path(name or source.stem)
        done = subprocess.run([compiler, "-O1", "-w", source, "-o", program, "-J", self.folder, *options] if source.suffix == ".F90" else
                              [compiler, "-O1", "-w", source, "-o", program, *options], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        return program

    def run_in(self, folder, *command, environment=(), timeout=TIMEOUT):
        """Runs a command in a new folder below the test's."""
        where = Path(self.path(folder))
        where.mkdir(exist_ok=True)
        return subprocess.run([str(word) for word in command], cwd=where, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout, env={**os.environ, **dict(environment)})

    def record(self, folder, *command, options=(), **others):
        """The trace is folder/trace.meta, unless the options say something else."""
        output = () if "-o" in options else ("-o", "trace.meta")
        return self.run_in(folder, QUIPU, "record", "--quiet", *output, *options, "--", *command, **others)

    def quipu_json(self, *command):
        done = subprocess.run([QUIPU, *(str(word) for word in command), "--json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def assert_sound(self, trace):
        """Check has nothing to say that is more than information."""
        done = subprocess.run([QUIPU, "check", "--json", trace], capture_output=True, text=True)
        answer = json.loads(done.stdout)
        serious = [finding for finding in answer["findings"] if finding["severity"] not in ("info", "notice")]
        self.assertEqual((0, []), (done.returncode, serious[:5]))

    def counter(self, mpi):
        """The counting library for an MPI."""
        library = Path(self.path(f"count-{mpi.name}.so"))
        if not library.exists():
            paths = [path for path in map(library_path, mpi.fortran_libraries) if path]
            done = subprocess.run([sys.executable, "-B", HERE / "counter.py", mpi.compiler, *paths], capture_output=True, check=True)
            source = library.with_suffix(".c")
            source.write_bytes(done.stdout)
            done = subprocess.run([mpi.compiler, "-w", "-O1", "-shared", "-fPIC", "-I", HERE, source, "-o", library, "-ldl"],
                                  capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stderr)
        return library

    def counts(self, folder):
        """By rank: {function: calls}, by the names of C."""
        found = {}
        for path in Path(self.path(folder)).glob("*.counts"):
            calls = found.setdefault(int(path.stem), {})
            for line in path.read_text().splitlines():
                name, number = line.split()
                name = c_name(name)
                calls[name] = calls.get(name, 0) + int(number)
        return found

    def recorded_counts(self, trace, is_counted=lambda name: name.startswith("MPI_")):
        """The same of a trace: of regions that are calls of MPI, or others."""
        table = self.quipu_json("profile", trace)
        columns = [column["name"] for column in table["columns"]]
        found = {}
        for row in table["rows"]:
            fields = dict(zip(columns, row))
            rank = rank_of(fields["location"])
            calls = found.setdefault(rank, {})
            if is_counted(fields["region"]):
                calls[fields["region"]] = calls.get(fields["region"], 0) + fields["calls"]
        return found


def rank_of(location):
    """Formats call a location rank N, or after its process."""
    return int(re.search(r"\d+", location)[0])


def c_name(name):
    """mpi_send_ and mpi_send_f08_ are MPI_Send."""
    if name.startswith("MPIX_"):  # Open MPI 4's names for calls of MPI-4
        return "MPI_" + name[len("MPIX_"):]
    if name.startswith("MPI_"):
        return name
    stem = re.sub(r"_(f08(ts)?_?)?$", "", name)[len("mpi_"):]
    return "MPI_" + stem.capitalize()
