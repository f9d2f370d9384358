"""As many calls of each function are recorded as a library between the program and the recorder counts, rank by rank; and so in every
format that a trace is recorded in."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import PROGRAMS, QUIPU, MpiTest, rank_of  # noqa: E402

UNCOUNTED = {"MPI_Pcontrol"}  # controls recorders
FORMATS = {"dumpi": ".meta", "otf": ".otf", "ovni": "", "picl": ".picl"}
WITHOUT_MESSAGES = {"ovni"}  # the report says so: test_counts_that_ovni_has_and_messages_that_it_has_not
OWN_NAMES = {"picl"}  # has names and parts of calls of its own
EXPORTS = {"perfetto": ".perfetto-trace", "chrome": ".chrome.json"}


class Counts(MpiTest):
    def record_and_count(self, mpi, *command):
        """The counting library is ahead of the recorder, so both see the same run, whatever is left to chance."""
        Path(self.path("counts")).mkdir(exist_ok=True)
        counting = ("sh", "-c", 'LD_PRELOAD="$COUNTER:$LD_PRELOAD" exec "$0" "$@"')
        environment = {"COUNTER": str(self.counter(mpi)), "COUNT_FOLDER": self.path("counts")}
        done = self.record("run", *mpi.launch(*counting, *command), environment=environment, options=("--force",))
        self.assertEqual(0, done.returncode, done.stderr)
        counted = self.counts("counts")
        for calls in counted.values():
            for name in UNCOUNTED & calls.keys():
                del calls[name]
        return counted

    def compare(self, mpi_name, source, *options):
        mpi = self.mpi(mpi_name)
        counted = self.record_and_count(mpi, self.compile(mpi, PROGRAMS / source, *options))
        self.assertEqual([0, 1, 2, 3], sorted(counted))
        self.assertEqual(counted, self.recorded_counts(self.path("run/trace.meta")))

    def test_counts_of_each_function_openmpi(self):
        for source in ("messages.c", "completion.c", "errors.c", "datatypes.c", "communicators.c", "collectives.c", "windows.c", "files.c"):
            with self.subTest(source):
                self.compare("openmpi", source)

    def test_counts_of_each_function_mpich(self):
        for source in ("messages.c", "completion.c", "errors.c", "datatypes.c", "communicators.c", "collectives.c", "windows.c", "files.c"):
            with self.subTest(source):
                self.compare("mpich", source)

    def test_counts_of_threads(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                self.compare(mpi, "threads.c")

    def test_counts_of_fortran_openmpi(self):
        self.compare_fortran("openmpi", "MPIF", "MPI", "MPI_F08")

    def test_counts_of_fortran_mpich(self):
        self.compare_fortran("mpich", "MPI_F08")

    def compare_fortran(self, mpi, *modules):
        for module in modules:
            with self.subTest(module=module):
                self.compare(mpi, "fortran.F90", f"-DUSE_{module}", "-fallow-argument-mismatch")

    def test_counts_are_the_same_in_every_format(self):
        """Of one recording, so that what is left to chance is the same."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "messages.c")
        done = self.record("run", *mpi.launch(program))
        self.assertEqual(0, done.returncode, done.stderr)
        counts = self.recorded_counts(self.path("run/trace.meta"))
        traffic = self.traffic("run/trace.meta")
        for name, suffix in FORMATS.items():
            with self.subTest(name):
                done = self.run_in("run", QUIPU, "convert", "--quiet", "trace.meta", "--to", name, "-o", f"as-{name}{suffix}")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assert_sound(self.path(f"run/as-{name}{suffix}"))
                if name not in OWN_NAMES:
                    found = self.recorded_counts(self.path(f"run/as-{name}{suffix}"))
                    self.assertEqual(counts, {rank - min(found): calls for rank, calls in found.items()})  # thread.1 is rank 0
                if name not in WITHOUT_MESSAGES:
                    self.assertEqual(traffic, self.traffic(f"run/as-{name}{suffix}"))

    def test_counts_that_ovni_has_and_messages_that_it_has_not(self):
        """The report counts each field of a message that is lost."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "messages.c")
        done = self.record("run", *mpi.launch(program), options=("-f", "ovni", "-o", "trace", "--report", "report.json"))
        self.assertEqual(0, done.returncode, done.stderr)
        rows = {row["type"]: row for row in json.loads(Path(self.path("run/report.json")).read_text())["records"]}
        sends = rows["MPI_Send"]
        lost = {field["name"]: field["count"] for field in sends["fields"] if field["how"] == "dropped"}
        self.assertEqual({name: sends["total"] for name in ("count", "datatype", "dest", "tag", "comm")}, lost)
        calls = self.recorded_counts(self.path("run/trace")).values()
        self.assertEqual(sends["total"], sum(of_thread.get("MPI_Send", 0) for of_thread in calls))
        self.assertEqual([1] * 4, [of_thread["MPI_Init"] for of_thread in calls])

    def traffic(self, trace):
        """(sender, receiver): messages and bytes."""
        table = self.quipu_json("comm", self.path(trace))
        table = next(found for found in table["tables"] if found["table"] == "pairs")
        names = [column["name"] for column in table["columns"]]
        rows = [[row[names.index(name)] for name in ("sender", "receiver", "messages", "bytes")] for row in table["rows"]]
        return sorted((rank_of(sender), rank_of(receiver), messages, volume) for sender, receiver, messages, volume in rows)

    def test_counts_of_each_target(self):
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "collectives.c")
        for name, suffix in {**FORMATS, **EXPORTS}.items():
            with self.subTest(name):
                done = self.record("run", *mpi.launch(program), options=("-f", name, "-o", f"direct-{name}{suffix}"))
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertTrue(Path(self.path(f"run/direct-{name}{suffix}")).exists())
                if name in FORMATS:
                    self.assert_sound(self.path(f"run/direct-{name}{suffix}"))


if __name__ == "__main__":
    unittest.main()
