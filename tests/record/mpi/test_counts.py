"""As many calls of each function are recorded as a library between the program and the recorder counts, rank by rank; and so in every
format that a trace is recorded in."""
import json
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import PROGRAMS, QUIPU, MpiTest, rank_of  # noqa: E402

UNCOUNTED = {"MPI_Pcontrol"}  # controls recorders
FORMATS = {"dumpi": ".meta", "otf": ".otf", "ovni": "", "picl": ".picl"}
RICH = ("messages.c", "collectives.c", "windows.c", "files.c")  # each full of one sort of calls
WITHOUT_CALLS = {"charisma"}  # has input and output only, and the report says so


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
            for name in [name for name in calls if name.endswith("_c")]:  # with a large count: DUMPI has one record for both
                calls[name[:-2]] = calls.get(name[:-2], 0) + calls.pop(name)
        return counted

    def compare(self, mpi_name, source, *options):
        mpi = self.mpi(mpi_name)
        counted = self.record_and_count(mpi, self.compile(mpi, PROGRAMS / source, *options))
        self.assertEqual([0, 1, 2, 3], sorted(counted))
        self.assertEqual(counted, self.recorded_counts(self.path("run/trace.meta")))

    def test_counts_of_each_function_openmpi(self):
        for source in ("messages.c", "completion.c", "errors.c", "datatypes.c", "communicators.c", "collectives.c", "windows.c", "files.c", "rare.c"):
            with self.subTest(source):
                self.compare("openmpi", source)

    def test_counts_of_each_function_mpich(self):
        for source in ("messages.c", "completion.c", "errors.c", "datatypes.c", "communicators.c", "collectives.c", "windows.c", "files.c", "rare.c"):
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

    def formats(self):
        """(name, suffix, whether it can be read back) of all formats that quipu writes."""
        table = self.quipu_json("formats")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return [(row["format"], row["suffixes"].partition(" ")[0], row["read"] == "yes") for row in rows if row["write"] == "yes"]

    def record_program(self, source):
        mpi = self.mpi("openmpi")
        done = self.record("run", *mpi.launch(self.compile(mpi, PROGRAMS / source)), options=("--force",))
        self.assertEqual(0, done.returncode, done.stderr)

    def every_region(self, trace):
        return self.recorded_counts(self.path(trace), lambda name: True)

    def test_counts_are_the_same_in_every_format(self):
        """Of one recording of each program, so that what is left to chance is the same."""
        for source in RICH:
            with self.subTest(source):
                self.record_program(source)
                self.compare_formats()

    def compare_formats(self):
        counts, traffic = self.every_region("run/trace.meta"), self.traffic("run/trace.meta")
        self.assertIn("ovni", [name for name, _, _ in self.formats()])
        for name, suffix, is_readable in self.formats():
            with self.subTest(name):
                done = self.run_in("run", QUIPU, "convert", "trace.meta", "--to", name, "-o", f"as-{name}{suffix}", "--report", f"{name}.json", "--force")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertTrue(Path(self.path(f"run/as-{name}{suffix}")).exists())
                if not is_readable:
                    continue
                self.assert_sound(self.path(f"run/as-{name}{suffix}"))
                if name in WITHOUT_CALLS:
                    self.assert_dropped(name, counts)
                    continue
                found = self.every_region(f"run/as-{name}{suffix}")
                first = min(found)  # thread.1 is rank 0
                self.assertEqual(counts, {rank - first: calls for rank, calls in found.items()})
                found = self.traffic(f"run/as-{name}{suffix}")
                self.assertEqual(traffic, [(sender - first, receiver - first, *rest) for sender, receiver, *rest in found])

    def assert_dropped(self, name, counts):
        """The report says of each call that it is lost."""
        rows = {row["type"]: row for row in json.loads(Path(self.path(f"run/{name}.json")).read_text())["records"]}
        for call in ("MPI_Comm_rank", "MPI_Init"):
            total = sum(of_rank.get(call, 0) for of_rank in counts.values())
            self.assertEqual((total, total), (rows[call]["total"], rows[call]["dropped"]))

    def test_counts_of_collective_operations_in_every_format(self):
        """Operations and bytes that went into them; DUMPI's own numbers are those of the program."""
        mpi = self.mpi("openmpi")
        done = self.record("run", *mpi.launch(self.compile(mpi, PROGRAMS / "collectives.c")))
        self.assertEqual(0, done.returncode, done.stderr)
        expected = self.collectives("trace.meta")
        self.assertTrue(any(kind == "collective_begin" for kind, *_ in expected))
        for name in ("otf", "ovni"):
            with self.subTest(name):
                done = self.run_in("run", QUIPU, "convert", "--quiet", "trace.meta", "--to", name, "-o", f"as-{name}{FORMATS[name]}")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assert_sound(self.path(f"run/as-{name}{FORMATS[name]}"))
                self.assertEqual(expected, self.collectives(f"as-{name}{FORMATS[name]}"))

    def collectives(self, trace):
        """(kind, operation, bytes sent, bytes received): how often."""
        done = self.run_in("run", QUIPU, "cat", "--json", "--kind", "collective_begin,collective_end", trace)
        self.assertEqual(0, done.returncode, done.stderr)
        events = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return Counter((event["kind"], event["operation"], event.get("sent"), event.get("received")) for event in events)

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
        for name, suffix, is_readable in self.formats():
            with self.subTest(name):
                done = self.record("run", *mpi.launch(program), options=("-f", name, "-o", f"direct-{name}{suffix}"))
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertTrue(Path(self.path(f"run/direct-{name}{suffix}")).exists())
                if is_readable:
                    self.assert_sound(self.path(f"run/direct-{name}{suffix}"))


if __name__ == "__main__":
    unittest.main()
