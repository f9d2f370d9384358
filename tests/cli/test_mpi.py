"""quipu-mpi under each MPI: the answer is that of one process, and whatever goes wrong in one process ends them all with one message."""
import glob
import os
import random
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

import programs
from folder import FolderTest

BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
QUIPU = os.path.join(BUILD, "quipu")
DATA = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data")
LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--oversubscribe", "--quiet"], "mpich": ["mpiexec.mpich"]}
MPIS = [name for name in LAUNCHERS if os.path.exists(os.path.join(BUILD, "quipu-mpi." + name))]
ONE_OF_EACH = ("otf/small.otf", "sweep/dumpi/ring.meta", "sweep/ovni", "sweep/picl/ring.picl", "sweep/charisma/ring.ctrace", "sweep/paraver/ring.prv", "otf2/every")
COMMANDS = (("info",), ("waits", "--causes"), ("calls",), ("why",), ("profile", "--csv", "--threads", "2"), ("timeline", "--bins", "20"), ("comm",), ("critical-path",),
            ("efficiency",), ("check", "--all"), ("profile", "--by", "path"), ("imbalance",), ("io",), ("phases",), ("clock",), ("messages", "--json"), ("state", "--at", "50%"), ("replay",))
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SECONDS = 10  # after which a run is said to hang, in which launchers take up to two


def program(mpi):
    return os.path.join(BUILD, "quipu-mpi." + mpi)


def launch(mpi, *groups):
    """Runs groups of processes, (number, words), under the launcher of an MPI."""
    words = []
    for count, command in groups:
        words += [*([":"] if words else []), "-n", str(count), *command]
    return subprocess.run([*LAUNCHERS[mpi], *words], capture_output=True, check=False, stdin=subprocess.DEVNULL, env=ENVIRONMENT, timeout=60)


def said(run):
    """What our program says, and not the launcher."""
    return [line for line in run.stderr.decode().splitlines() if line.startswith("quipu")]


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "MPI keeps memory until the end, which sanitizers report")
@unittest.skipUnless(MPIS, "no MPI is installed")
class Mpi(FolderTest):
    def assert_same(self, mpi, count, *command):
        alone = subprocess.run([QUIPU, *command], capture_output=True, check=False, stdin=subprocess.DEVNULL)
        shared = launch(mpi, (count, [program(mpi), *command]))
        with self.subTest(mpi=mpi, count=count, command=command):
            self.assertEqual((alone.returncode, alone.stdout), (shared.returncode, shared.stdout))
            self.assertEqual([line for line in alone.stderr.decode().splitlines() if line.startswith("quipu")], said(shared))

    def test_mpi_answers_like_one_process(self):
        for mpi in MPIS:
            for i, trace in enumerate(ONE_OF_EACH):
                for k, count in enumerate((1, 3)):
                    command = COMMANDS[(2 * i + k + (7 if mpi == "mpich" else 0)) % len(COMMANDS)]
                    self.assert_same(mpi, count, command[0], os.path.join(DATA, trace), *command[1:])
            self.assert_same(mpi, 16, "profile", os.path.join(DATA, "otf/small.otf"))

    def test_mpi_makes_the_index_of_one_process(self):
        for mpi in MPIS:
            for i, trace in enumerate(ONE_OF_EACH):
                files = []
                for words in ([QUIPU], [*LAUNCHERS[mpi], "-n", str(2 + i % 3), program(mpi)]):
                    done = subprocess.run([*words, "index", os.path.join(DATA, trace), "-f", "-o", self.path("made.qpx")], capture_output=True, check=False, stdin=subprocess.DEVNULL,
                                          env=ENVIRONMENT, timeout=60)
                    with self.subTest(mpi=mpi, trace=trace), open(self.path("made.qpx"), "rb") as file:
                        self.assertEqual(0, done.returncode, done.stderr)
                        files.append(file.read())
                    os.remove(self.path("made.qpx"))
                self.assertEqual(files[0], files[1])

    def files_of(self, folder):
        paths = [Path(at, name) for at, _, names in os.walk(folder) for name in names]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}

    def test_mpi_converts_and_merges_like_one_process(self):
        targets = ("otf", "ovni", "otf2", "dumpi", "picl", "perfetto", "charisma")
        for k, mpi in enumerate(MPIS):
            for i, trace in enumerate(ONE_OF_EACH):
                target = targets[(i + 3 * k) % len(targets)]
                made = []
                for number, words in enumerate(([QUIPU], [*LAUNCHERS[mpi], "-n", str(2 + i % 3), program(mpi)])):
                    folder = self.path(f"{mpi}-{i}-{number}")
                    os.mkdir(folder)
                    command = ["merge", "--streams", "2"] if target == "otf" else ["convert"]
                    done = subprocess.run([*words, *command, os.path.join(DATA, trace), "--to", target, "-o", os.path.join(folder, "made")], capture_output=True, check=False,
                                          stdin=subprocess.DEVNULL, env=ENVIRONMENT, timeout=60)
                    made.append((done.returncode, done.stdout, [line.replace(folder, "") for line in said(done)], self.files_of(folder)))
                with self.subTest(mpi=mpi, trace=trace, target=target):
                    self.assertEqual(0, made[0][0], made[0])
                    self.assertNotEqual({}, made[0][3])
                    self.assertEqual(made[0], made[1])

    def test_mpi_says_that_a_conversion_has_selected_nothing(self):
        for mpi in MPIS:
            self.assert_same(mpi, 2, "convert", os.path.join(DATA, "otf/small.otf"), "--dry-run", "--to", "picl", "-o", self.path("made.picl"), "--where", "bytes > 100T")

    def test_mpi_writes_no_trace_when_one_process_cannot(self):
        trace = os.path.join(DATA, "otf/small.otf")
        for mpi in MPIS:
            quipu = [program(mpi), "convert", "-o", self.path("made.picl")]
            with self.subTest(mpi=mpi):
                self.assert_fails(launch(mpi, (2, [*quipu, trace]), (1, [*quipu, trace, "--max-memory", "64K"])), 6, "memory")
                self.assert_fails(launch(mpi, (3, [program(mpi), "convert", trace, "--to", "picl", "-o", "/dev/full"])), 5, "/dev/full")
                self.assertEqual([], os.listdir(self.folder))

    def rows_of(self, names):
        """The headers of files, and their rows in order."""
        texts = []
        for name in names:
            with open(self.path(name), "rb") as file:
                texts.append(file.read().splitlines())
            os.remove(self.path(name))
        return {text[0] for text in texts}, sorted(line for text in texts for line in text[1:])

    def test_mpi_writes_the_rows_of_one_process_in_parts(self):
        names = ("events", "calls", "io", "counters", "states", "tasks", "marks")
        for mpi in MPIS:
            for i, trace in enumerate(ONE_OF_EACH):
                count, words = (1, 3, 11)[(i + (mpi == "mpich")) % 3], ("table", names[i], os.path.join(DATA, trace), "-o")
                alone = subprocess.run([QUIPU, *words, self.path("alone.csv")], capture_output=True, check=False, stdin=subprocess.DEVNULL)
                expected = self.rows_of(["alone.csv"])
                shared = launch(mpi, (count, [program(mpi), *words, self.path("part-%r.csv")]))
                with self.subTest(mpi=mpi, trace=trace, count=count):
                    self.assertEqual((alone.returncode, alone.stdout, alone.stderr.decode().splitlines()), (shared.returncode, shared.stdout, said(shared)))
                    # ranks have as many digits as the last one: the fifth of eleven is "part-04.csv"
                    self.assertEqual([f"part-{rank:0{len(str(count - 1))}}.csv" for rank in range(count)], sorted(os.listdir(self.folder)))
                    self.assertEqual(expected, self.rows_of(os.listdir(self.folder)))

    def test_mpi_writes_no_part_when_one_process_cannot(self):
        trace = os.path.join(DATA, "otf/small.otf")
        for mpi in MPIS:
            quipu = [program(mpi), "table", "events", trace, "-o"]
            with self.subTest(mpi=mpi):
                with open(self.path("part-1.csv"), "wb") as file:
                    file.write(b"mine")
                self.assert_fails(launch(mpi, (3, [*quipu, self.path("part-%r.csv")])), 5, "already exists")
                self.assertEqual(["part-1.csv"], os.listdir(self.folder))
                os.remove(self.path("part-1.csv"))
                os.symlink("/dev/full", self.path("full-1.csv"))
                self.assert_fails(launch(mpi, (3, [*quipu, self.path("full-%r.csv")])), 5, "full-1.csv")
                self.assertEqual(["full-1.csv"], os.listdir(self.folder))
                os.remove(self.path("full-1.csv"))
                self.assert_fails(launch(mpi, (2, [*quipu, self.path("part-%r.csv")]), (1, [*quipu, self.path("part-%r.csv"), "--max-memory", "64K"])), 6, "memory")
                self.assertEqual([], os.listdir(self.folder))

    def test_mpi_refuses_an_index_of_what_uses_undefined_numbers(self):
        trace = programs.write(self.path("undefined.otf"), [[(1, "E99"), (2, "L99")] for _ in range(3)])
        for mpi in MPIS:
            self.assert_same(mpi, 3, "index", trace)
        self.assertFalse(os.path.exists(trace + ".qpx"))

    def test_mpi_finds_damage_like_one_process(self):
        for name in os.listdir(os.path.join(DATA, "otf")):
            if "2.events" not in name:
                os.symlink(os.path.abspath(os.path.join(DATA, "otf", name)), self.path(name))
        for mpi in MPIS:
            self.assert_same(mpi, 3, "profile", self.path("small.otf"), "--allow-outside")

    def assert_fails(self, run, code, text):
        self.assertEqual((code, b""), (run.returncode, run.stdout), run.stderr)
        self.assertEqual(1, len(said(run)), run.stderr)
        self.assertIn(text, said(run)[0])

    def test_mpi_says_once_what_all_processes_see(self):
        trace = os.path.join(DATA, "otf/small.otf")
        for mpi in MPIS:
            for code, text, command in ((2, "several processes cannot read standard input", ("info", "-")), (2, "one trace, not 2", ("info", trace, trace)),
                                        (2, 'run "quipu cat"', ("cat", trace)), (2, 'run "quipu table"', ("table", "events", trace)), (2, 'run "quipu table"', ("table", "events")),
                                        (2, "-o needs %r", ("table", "events", trace, "-o", self.path("x.csv"))), (2, "one process must write messages", ("table", "messages", trace, "-o", self.path("%r.csv"))),
                                        (2, "--limit counts all rows", ("table", "events", trace, "--limit", "3", "-o", self.path("%r.csv"))),
                                        (4, "no such file", ("table", "events", self.path("missing.otf"), "-o", self.path("%r.csv"))),
                                        (2, "standard input", ("table", "events", "-", "-o", self.path("%r.csv"))), (2, 'run "quipu cut"', ("cut", trace, "-o", self.path("x"))), (2, "one trace, not 2", ("merge", trace, trace, "-o", self.path("x.otf"))),
                                        (2, "cannot tell the output format", ("convert", trace, "-o", self.path("x"))),
                                        (4, "no such file", ("profile", self.path("missing.otf"))), (2, "--nothing", ("profile", trace, "--nothing"))):
                with self.subTest(mpi=mpi, command=command):
                    self.assert_fails(launch(mpi, (3, [program(mpi), *command])), code, text)

    def test_mpi_names_the_host_of_a_process_that_fails_alone(self):
        trace, output = os.path.join(DATA, "otf/small.otf"), self.path("answer")
        for mpi in MPIS:
            quipu = [program(mpi), "profile", "-o", output]
            fine = (2, [*quipu, trace])
            with self.subTest(mpi=mpi):
                self.assert_fails(launch(mpi, fine, (1, [*quipu, self.path("missing.otf")]), (1, [*quipu, trace])), 4, f"at {os.uname().nodename}: ")
                self.assert_fails(launch(mpi, fine, (1, [*quipu, os.path.join(DATA, "cli/exchange.otf")])), 4, f"at {os.uname().nodename} another process sees another trace")
                self.assert_fails(launch(mpi, fine, (1, [*quipu, trace, "--max-memory", "64K"])), 6, "memory")
                self.assert_fails(launch(mpi, (1, [*quipu, trace, "--max-memory", "64K"]), (3, [*quipu, trace])), 6, "memory")
                self.assertEqual([], os.listdir(self.folder))

    def test_mpi_fails_when_the_output_cannot_be_written(self):
        trace = os.path.join(DATA, "otf/small.otf")
        for mpi in MPIS:
            run = launch(mpi, (3, [program(mpi), "profile", trace, "-o", "/dev/full"]))
            self.assert_fails(run, 5, "/dev/full")

    def kill_one(self, delay):
        """Kills the process that shows its progress, some time after it has opened the trace."""
        while not self.has_ended.is_set():
            for process in glob.glob("/proc/[0-9]*"):
                try:
                    with open(process + "/cmdline", "rb") as file:
                        words = file.read().split(b"\0")
                    is_it = b"quipu-mpi" in words[0] and b"--progress" in words and os.fsencode(self.folder) in b" ".join(words)
                    if is_it and any("large" in os.readlink(fd) for fd in glob.glob(process + "/fd/*")):
                        time.sleep(delay)
                        os.kill(int(os.path.basename(process)), signal.SIGKILL)
                        return
                except OSError:
                    pass  # it has ended

    def test_mpi_ends_when_a_process_is_killed(self):
        """At times drawn by lot, from when it has opened the trace on to behind the end, on a busy machine mostly behind it: then everything
        went well. Whether it was killed or not, there is the whole output or none."""
        trace, output = self.path("large.otf"), self.path("answer")
        programs.write(trace, [[event for i in range(20000) for event in (programs.enter(10 * i, "work"), programs.leave(10 * i + 5, "work"))] for _ in range(4)])
        before, numbers = os.listdir(self.folder), random.Random(33)
        for i, mpi in enumerate(MPIS * 6):
            command = ("profile", "timeline")[i // len(MPIS) % 2]
            quipu = [program(mpi), command, trace, "-o", output]
            self.has_ended = threading.Event()
            killer = threading.Thread(target=self.kill_one, args=(numbers.random() * 0.05,))
            killer.start()
            begin = time.monotonic()
            run = launch(mpi, (1, quipu), (1, [*quipu, "--progress", "never"]), (2, quipu))
            self.assertLess(time.monotonic() - begin, SECONDS)
            self.has_ended.set()
            killer.join()
            self.assertTrue(run.returncode != 0 or os.path.exists(output), run.stderr)
            if os.path.exists(output):
                with open(output, "rb") as file:
                    self.assertEqual(subprocess.run([QUIPU, command, trace], capture_output=True, check=True).stdout, file.read())
                os.remove(output)
            self.assertEqual([], [name for name in os.listdir(self.folder) if name not in before and not name.startswith(".")])


if __name__ == "__main__":
    unittest.main()
