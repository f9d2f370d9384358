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
WITH_STREAMS = {"otf"}  # as many as one wants
WITHOUT_CALLS = {"charisma"}  # has input and output only, and the report says so


class Counts(MpiTest):
    def record_and_count(self, mpi, *command, options=("--force",)):
        """The counting library is ahead of the recorder, so both see the same run, whatever is left to chance."""
        Path(self.path("counts")).mkdir(exist_ok=True)
        counting = ("sh", "-c", 'LD_PRELOAD="$COUNTER:$LD_PRELOAD" exec "$0" "$@"')
        environment = {"COUNTER": str(self.counter(mpi)), "COUNT_FOLDER": self.path("counts")}
        done = self.record("run", *mpi.launch(*counting, *command), environment=environment, options=options)
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

    def test_counts_of_persistent_collective_operations(self):
        for mpi, operations in (("openmpi", 22), ("mpich", 21)):
            with self.subTest(mpi):
                self.compare(mpi, "persistent.c")
                calls = self.recorded_counts(self.path("run/trace.meta"))[0]
                started = [name for name in calls if name.endswith("_init")]
                self.assertEqual((operations, 3 * operations, 3 * operations, operations), (len(started), *(calls[f"MPI_{name}"] for name in ("Start", "Wait", "Request_free"))))

    def test_counts_of_bytes_where_types_share_a_handle(self):
        """Sums of what types.c sends."""
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                self.compare(mpi, "types.c")
                self.assertEqual([(0, 1, 3 * 9, 3 * 4 * sum(range(9)))], self.traffic("run/trace.meta"))

    def test_counts_of_messages_whose_statuses_are_ignored(self):
        """From whom, in every format: rank r sends 9 times 4 r bytes; rank 1 another 3 times 16, of which 4 fit."""
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                self.compare(mpi, "wildcards.c")
                for name, suffix, is_readable in self.formats():
                    if not is_readable or name in WITHOUT_CALLS:
                        continue
                    self.run_in("run", QUIPU, "convert", "trace.meta", "--to", name, "-o", f"as-{name}{suffix}", "--force")
                    messages_of = {(sender, receiver): messages for sender, receiver, messages, _ in self.traffic(f"run/as-{name}{suffix}")}
                    self.assertEqual({(2, 0): 9, (3, 0): 9}, {pair: count for pair, count in messages_of.items() if pair[0] > 1}, name)

    def test_counts_outside_of_init_and_finalize(self):
        """As outside.c asks: before, between, after, and when the process ends."""
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi):
                self.compare(mpi, "outside.c")
                calls = self.recorded_counts(self.path("run/trace.meta"))[2]
                self.assertEqual((2 + 1 + 4, 3 + 1 + 5 + 1, 1 + 1 + 2, 3),
                                 tuple(calls[f"MPI_{name}"] for name in ("Initialized", "Finalized", "Get_version", "Get_library_version")))
                self.assert_sound(self.path("run/trace.meta"))

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
                self.assertEqual(counts, found)
                self.assertEqual(traffic, self.traffic(f"run/as-{name}{suffix}"))

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
        """A run recorded in each format, in streams of their own and in one: ring.c sends 4 bytes to the next rank twice, even ranks three times."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "ring.c")
        traffic = [(rank, (rank + 1) % 4, 3 - rank % 2, 4 * (3 - rank % 2)) for rank in range(4)]
        for name, suffix, is_readable in self.formats():
            for one_stream in ((), ("--streams", "1")) if name in WITH_STREAMS else ((),):
                if name in WITHOUT_CALLS:
                    continue
                with self.subTest(name, one_stream=one_stream):
                    trace = f"direct-{name}{suffix}"
                    counted = self.record_and_count(mpi, program, options=("--to", name, "-o", trace, "--force", *one_stream))
                    self.assertTrue(Path(self.path(f"run/{trace}")).exists())
                    if is_readable:
                        self.assert_sound(self.path(f"run/{trace}"))
                        self.assertEqual(counted, self.recorded_counts(self.path(f"run/{trace}")))
                        self.assertEqual(traffic, self.traffic(f"run/{trace}"))

    def test_counts_of_ranks_with_input_and_output(self):
        """With --launcher that is a process without a rank; the others have theirs, in all formats."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "ring.c")
        traffic = [(rank, (rank + 1) % 4, 3 - rank % 2, 4 * (3 - rank % 2)) for rank in range(4)]
        for name, suffix in (("otf", ".otf"), ("ovni", "")):
            with self.subTest(name):
                trace = f"both-{name}{suffix}"
                counted = self.record_and_count(mpi, program, options=("--to", name, "-o", trace, "--io", "--mpi", "--launcher"))
                self.assert_sound(self.path(f"run/{trace}"))
                found = self.recorded_counts(self.path(f"run/{trace}"))
                self.assertEqual(counted, {rank: calls for rank, calls in found.items() if calls})
                self.assertEqual(traffic, self.traffic(f"run/{trace}"))
        streams = [json.loads(path.read_text())["ovni"] for path in Path(self.path("run/both-ovni")).rglob("stream.json")]
        ranked = [stream for stream in streams if "rank" in stream]
        self.assertEqual([(1, rank, 4) for rank in range(4)], sorted({(stream["app_id"], stream["rank"], stream["nranks"]) for stream in ranked}))
        self.assertEqual({(2, True)}, {(stream["app_id"], stream["loom"].endswith(".unranked")) for stream in streams if "rank" not in stream})


if __name__ == "__main__":
    unittest.main()
