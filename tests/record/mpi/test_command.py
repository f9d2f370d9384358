"""quipu record for MPI: names of traces, what is said at the end, choosing calls, exit codes, what cannot be recorded."""
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, PROGRAMS, QUIPU, RECORDER, MpiTest  # noqa: E402


class Command(MpiTest):
    def setUp(self):
        super().setUp()
        self.openmpi = self.mpi("openmpi")

    def program(self, name="environment"):
        return self.compile(self.openmpi, PROGRAMS / f"{name}.c")

    def test_command_alone_makes_a_folder_and_says_three_lines(self):
        done = self.run_in("run", QUIPU, "record", "--", *self.openmpi.launch(self.program("messages"), ranks=4))
        lines = done.stderr.decode().splitlines()
        self.assertEqual((0, 3), (done.returncode, len(lines)), lines)
        self.assertRegex(lines[0], r"^quipu: wrote messages\.quipu/messages\.meta \(DUMPI\): \d+ records, lossless$")
        self.assertRegex(lines[1], r"^quipu: \d+ calls of 4 ranks, [0-9.]+ MB recorded, about [0-9.e-]+ % of [0-9.]+ s$")
        self.assertEqual("quipu: next: quipu profile messages.quipu/messages.meta", lines[2])
        self.assertEqual(["messages-0000.bin", "messages-0001.bin", "messages-0002.bin", "messages-0003.bin", "messages.meta"],
                         sorted(os.listdir(self.path("run/messages.quipu"))))
        self.assert_sound(self.path("run/messages.quipu"))

    def test_command_does_not_replace_a_trace_unasked(self):
        Path(self.path("run")).mkdir()
        Path(self.path("run/trace.meta")).write_text("mine")
        done = self.record("run", *self.openmpi.launch("touch", "ran"))
        self.assertEqual((5, b"quipu: trace.meta already exists (use --force to replace it)\n"), (done.returncode, done.stderr))
        self.assertEqual(["trace.meta"], os.listdir(self.path("run")))

    def test_command_refuses_options_of_other_formats_before_the_program_runs(self):
        for words, said in ((("-o", "x.otf2", "--compress", "5"), "no compression of its own"), (("-o", "x.otf2", "--set", "decimals=3"), 'no option "decimals"'),
                            (("-o", "x.otf2", "--streams", "1"), "--streams")):
            done = self.run_in("refused", QUIPU, "record", *words, "--", "sh", "-c", "echo ran")
            self.assertEqual((2, b""), (done.returncode, done.stdout), words)
            self.assertIn(said, done.stderr.decode())
        self.assertEqual([], os.listdir(self.path("refused")))

    def test_command_records_the_calls_that_are_chosen(self):
        program = self.program("messages")
        for patterns, expected in (("MPI_Send,MPI_Probe", {"MPI_Send", "MPI_Probe"}), ("!*,MPI_*probe,!MPI_Iprobe", {"MPI_Mprobe", "MPI_Improbe"})):
            with self.subTest(patterns):
                done = self.record("run", *self.openmpi.launch(program), options=("--functions", patterns, "--force"))
                self.assertEqual(0, done.returncode, done.stderr)
                counts = self.recorded_counts(self.path("run/trace.meta"))
                found = {name for calls in counts.values() for name in calls}
                self.assertEqual(expected, found - {"MPI_Init", "MPI_Finalize"})

    def test_command_reports_counts_that_the_trace_does_not_hold(self):
        """3,000,000,000 and 2^32 + 1 of huge.c, in each of two ranks."""
        mpich = self.mpi("mpich")
        done = self.run_in("run", QUIPU, "record", "-o", "h.meta", "--report", "h.json", "--", *mpich.launch(self.compile(mpich, HERE / "huge.c"), ranks=2))
        said = done.stderr.decode()
        self.assertIn("not all that the program did was recorded", said)
        self.assertNotIn("lossless", said)
        report = json.loads(Path(self.path("run/h.json")).read_text())
        self.assertEqual({"counts_beyond_32_bits": 4}, report["not_recorded"])

    def test_command_chooses_a_format_by_name_or_suffix(self):
        program = self.program()
        for options, trace in ((("--to", "otf", "-o", "one.otf"), "one.otf"), (("-o", "two.otf"), "two.otf"), (("--to", "picl", "-o", "three"), "three")):
            with self.subTest(options):
                done = self.record("run", *self.openmpi.launch(program), options=options)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assert_sound(self.path(f"run/{trace}"))
        done = self.run_in("run", QUIPU, "record", "--to", "otf", "--", *self.openmpi.launch(program))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound(self.path("run/environment.quipu/environment.otf"))

    def test_command_writes_one_stream_for_all_ranks(self):
        done = self.record("run", *self.openmpi.launch(self.program()), options=("--streams", "1", "-o", "one.otf"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, len(list(Path(self.path("run")).glob("one.*.events"))))

    def test_command_records_programs_whose_libraries_call_mpi_before_main(self):
        library = self.compile(self.openmpi, HERE / "early.c", "-shared", "-fPIC", name="libearly.so")
        program = self.compile(self.openmpi, PROGRAMS / "environment.c", "-Wl,--no-as-needed", library, f"-Wl,-rpath,{self.folder}")
        done = self.record("run", *self.openmpi.launch(program))
        self.assertEqual(0, done.returncode, done.stderr)
        calls = self.recorded_counts(self.path("run/trace.meta"))
        self.assertEqual([0, 1, 2, 3], sorted(calls))
        self.assertEqual(1 + 3, calls[3]["MPI_Initialized"])  # before main, and as environment.c asks

    def test_command_leaves_functions_alone_that_only_have_names_of_fortran(self):
        library = self.compile(self.openmpi, HERE / "namesakes.c", "-shared", "-fPIC", name="libnamesakes.so")
        program = self.compile(self.openmpi, HERE / "namesakes.c", "-DPROGRAM", library, f"-Wl,-rpath,{self.folder}")
        done = self.record("run", *self.openmpi.launch(program))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([b"%d %d" % (1000 + rank + 2**40, 2000 + rank - 2**40) for rank in range(4)], sorted(done.stdout.splitlines()))
        calls = self.recorded_counts(self.path("run/trace.meta"))
        self.assertEqual([{"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Finalize": 1}] * 4, [calls[rank] for rank in range(4)])

    def test_command_ends_as_the_program_does(self):
        program = self.program()
        for arguments, code in ((("return", 9), 9), ((), 0)):
            done = self.record("run", *self.openmpi.launch(program, *arguments), options=("--force",))
            self.assertEqual(code, done.returncode)
        self.assertEqual(127, self.record("run", "./not-there", options=("--force",)).returncode)

    def test_command_says_when_there_is_nothing(self):
        done = self.record("run", "true")
        self.assertEqual(4, done.returncode)
        self.assertIn(b"no calls of MPI were recorded: no program has initialised MPI", done.stderr)
        self.assertEqual([], os.listdir(self.path("run")))

    def test_command_refuses_what_does_not_go_together(self):
        for options in ((), ("--flags", "--", "true"), ("--collect", "x", "--", "true"), ("-o", "-", "--", "true"),
                        ("--io", "--functions", "MPI_Send", "-o", "x", "--", "true"), ("--mpi", "--", "true"),
                        ("--io", "--launcher", "-o", "x", "--", "true")):
            with self.subTest(options):
                self.assertEqual(2, self.run_in("run", QUIPU, "record", *options).returncode)

    def record_both(self, name, trace, *options):
        mpi = self.mpi(name)
        program = self.compile(mpi, HERE.parent / "io/mpi_io.c", name=f"mpi_io.{name}")
        done = self.record("run", *mpi.launch(program), options=("--io", "--mpi", "-o", trace, "--force", *options), environment={"QUIPU_RECORD_BUFFER": "65536"})
        self.assertEqual(0, done.returncode, done.stderr)
        return self.path(f"run/{trace}")

    def events(self, trace, *kinds):
        """(process, event) of the events of some kinds; the process by its name."""
        table = next(found for found in self.quipu_json("definitions", trace)["tables"] if found["table"] == "locations")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        process = {row["name"]: row["parent_name"] if row["kind"] == "thread" and row["parent_name"] else row["name"] for row in rows}
        shown = subprocess.run([QUIPU, "cat", "--json", "--kind", ",".join(kinds), trace], capture_output=True, text=True)
        return [(process[event["location_name"]], event) for event in map(json.loads, shown.stdout.splitlines())]

    def check_both(self, trace, kind, has_offsets):
        """Each rank writes 8 blocks of 4096 bytes at a distance of 4 and reads them (mpi_io.c), inside of calls of MPI. One of the two events of a
        transfer has its bytes, in some formats with the offset."""
        self.assert_sound(trace)
        active, found = {}, {"MPI_File_write_at": {}, "MPI_File_read_at": {}}
        for process, event in self.events(trace, "enter", "leave", kind):
            if event["kind"] == "enter":
                active.setdefault(process, []).append(event["region_name"])
            elif event["kind"] == "leave":
                active[process].pop()
            elif event["bytes"] == 4096 and active.get(process) and active[process][-1] in found:
                found[active[process][-1]].setdefault(process, []).append(event["offset"] // 4096 if has_offsets else None)
        blocks = [[rank + 4 * i if has_offsets else None for i in range(8)] for rank in range(4)]
        for call, of_processes in found.items():
            self.assertEqual(blocks, sorted(of_processes.values(), key=str) if not has_offsets else sorted(of_processes.values()), call)

    def test_recorders_of_one_process_read_one_clock(self):
        """What one of them sees inside of a call of the other one lies inside in the trace: the loader binds both to the clock of the first."""
        libraries = [Path(RECORDER).with_name(f"libquipu-record-{name}.so") for name in ("io", "mpi")]
        shown = subprocess.run(["true"], env=dict(os.environ, LD_DEBUG="bindings", LD_BIND_NOW="1", LD_PRELOAD=" ".join(map(str, libraries))), capture_output=True, text=True).stderr
        for name in ("begin", "segment"):
            bound = re.findall(rf"binding file (\S+) \[0\] to (\S+) \[0\]: normal symbol `quipu_recorder_clock_{name}'", shown)
            self.assertEqual({(str(library), str(libraries[0])) for library in libraries}, set(bound))

    def test_command_records_input_and_output_with_mpi_in_one_trace(self):
        """Ranks are the processes of both recorders; the files of one recorder are not in what the other has recorded."""
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                trace = self.record_both(name, "trace.otf")
                self.assertEqual([], [found for found in os.listdir(self.path("run")) if "recording" in found])
                self.check_both(trace, "io_end", False)
                counts = self.recorded_counts(trace)
                self.assertEqual([1] * 4, [counts[rank]["MPI_File_open"] for rank in range(4)])
                opened = [event["file_name"] for _, event in self.events(trace, "io_open")]
                self.assertTrue(any("/run/ranks" in found for found in opened))
                self.assertFalse([found for found in opened if ".mpi" in found or "boot_id" in found])

    def test_command_merges_input_and_output_in_every_format_that_holds_both(self):
        self.check_both(self.record_both("openmpi", "trace", "--to", "ovni"), "io_begin", True)
        drawn = json.loads(Path(self.record_both("openmpi", "trace.json", "--to", "chrome")).read_text())["traceEvents"]
        self.assertLessEqual({"MPI_File_write_at", "write"}, {event["name"] for event in drawn})

    def processes(self, trace):
        table = next(found for found in self.quipu_json("definitions", trace)["tables"] if found["table"] == "locations")
        columns = [column["name"] for column in table["columns"]]
        return sorted(row[columns.index("name")] for row in table["rows"] if row[columns.index("kind")] == "process")

    def counted(self, trace):
        """The processes of the program, by efficiency; and whether a launcher is one of those of the trace."""
        table = self.quipu_json("efficiency", trace)
        row = dict(zip([column["name"] for column in table["columns"]], table["rows"][0]))
        known = self.quipu_json("definitions", trace)
        return row["locations"], any(name in json.dumps(known) for name in ("orterun", "hydra"))

    def test_command_leaves_the_launcher_out(self):
        """The program's processes are its four ranks."""
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                self.assertEqual((4, False), self.counted(self.record_both(name, "trace.otf")))
                processes, is_there = self.counted(self.record_both(name, "trace.otf", "--launcher"))
                self.assertTrue(processes > 4 and is_there)

    def test_command_says_that_the_launcher_is_left_out(self):
        program = self.compile(self.openmpi, HERE.parent / "io/mpi_io.c")
        for options, times in (((), 1), (("--launcher",), 0)):
            done = self.run_in("run", QUIPU, "record", "--io", "--mpi", *options, "--force", "-o", "trace.otf", "--", *self.openmpi.launch(program))
            self.assertEqual(times, done.stderr.count(b"quipu: the launcher's input and output is left out (1 process); --launcher records it, too\n"), done.stderr)

    def test_command_leaves_everything_out_that_has_started_the_ranks(self):
        """A script that runs the launcher, and one that the launcher runs; what these run besides are processes of the program."""
        mpi = self.mpi("mpich")
        program = self.compile(mpi, HERE.parent / "io/mpi_io.c")
        line = " ".join(mpi.launch("sh", "-c", f"'{program}; true'")) + "; read line < script; cat script"
        Path(self.path("run")).mkdir()
        Path(self.path("run/script")).write_text("text\n")
        for trace, others in (("trace.otf", ["cat"]), ("trace.meta", [])):
            done = self.record("run", "sh", "-c", line, options=("--io", "--mpi", "-o", trace))
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertEqual([*others, "rank 0", "rank 1", "rank 2", "rank 3"], self.processes(self.path("run/" + trace)))

    def test_command_gives_dumpi_the_ranks_only(self):
        for options in ((), ("--launcher",)):
            with self.subTest(options):
                trace = self.record_both("openmpi", "trace.meta", *options)
                table = next(found for found in self.quipu_json("definitions", trace)["tables"] if found["table"] == "communicators")
                columns = [column["name"] for column in table["columns"]]
                worlds = [row[columns.index("members")] for row in table["rows"] if row[columns.index("size")] > 1]
                self.assertEqual({"0-3"}, set(worlds))
                self.assertEqual((4, False), self.counted(trace))

    def test_command_says_what_a_format_cannot_hold_of_both(self):
        trace = self.record_both("openmpi", "trace.meta", "--report", "report.json")
        self.assert_sound(trace)
        of_mpi, of_io = json.loads(Path(self.path("run/report.json")).read_text())
        rows = {row["type"]: row for row in of_io["records"]}
        self.assertEqual(rows["FCNTL"]["total"], rows["FCNTL"]["dropped"])
        self.assertEqual(0, rows["RW"]["exact"])
        self.assertEqual(0, {row["type"]: row for row in of_mpi["records"]}["MPI_File_open"]["dropped"])

    def test_command_collects_what_a_linked_program_has_left(self):
        flags = subprocess.run([QUIPU, "record", "--flags"], capture_output=True, text=True, check=True).stdout.split()
        program = self.compile(self.openmpi, PROGRAMS / "messages.c", *flags)
        Path(self.path("left")).mkdir()
        done = self.run_in("run", *self.openmpi.launch(program), environment={"QUIPU_RECORD_FOLDER": self.path("left")})
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.run_in("run", QUIPU, "record", "--collect", "../left", "-o", "trace.meta")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound(self.path("run/trace.meta"))
        self.assertEqual([0, 1, 2, 3], sorted(self.recorded_counts(self.path("run/trace.meta"))))
        self.assertEqual(4, len(list(Path(self.path("left")).glob("*.mpi"))))  # they stay

    def test_command_refuses_formats_without_calls_before_the_program_runs(self):
        for options, advice in ((("--to", "charisma", "-o", "x"), b"add --io to record input and output"),
                                (("-o", "x.charisma"), b"add --io to record input and output"),
                                (("--to", "charisma", "--io", "--mpi", "-o", "x"), b"leave out --mpi")):
            with self.subTest(options):
                done = self.run_in("run", QUIPU, "record", *options, "--", "touch", "ran")
                expected = b"quipu: charisma cannot represent calls of MPI; " + advice + b", or choose another format\n"
                self.assertEqual((2, expected), (done.returncode, done.stderr))
                self.assertEqual([], os.listdir(self.path("run")))

    def test_command_writes_other_streams_only_in_formats_that_can(self):
        for options, name in ((("--streams", "1", "-o", "x"), b"dumpi"), (("--streams", "1", "--to", "ovni", "-o", "x"), b"ovni"),
                              (("--io", "--streams", "1", "-o", "x"), b"a trace of input and output")):
            with self.subTest(name):
                done = self.run_in("run", QUIPU, "record", *options, "--", "touch", "ran")
                expected = b"quipu: " + name + b" has a fixed number of streams; leave out --streams, or choose another format\n"
                self.assertEqual((2, expected), (done.returncode, done.stderr))
                self.assertEqual([], os.listdir(self.path("run")))

    def test_command_records_input_and_output_of_programs_without_mpi(self):
        """What was asked for besides them is not there, and that is said."""
        for options in (("-o", "x"), ("-o", "x.otf")):
            with self.subTest(options):
                done = self.run_in("run", QUIPU, "record", "--io", "--mpi", *options, "--", "sh", "-c", "echo text > written")
                lines = done.stderr.decode().splitlines()
                self.assertEqual(0, done.returncode, lines)
                self.assertRegex(lines[0], r"^quipu: .*: no calls of MPI were recorded: no program has initialised MPI$")
                self.assertRegex(lines[1], rf"^quipu: wrote {options[-1]} ")
                self.assertEqual("quipu: the trace has input and output only", lines[-1])
                self.assertTrue(any("written" in event["file_name"] for _, event in self.events(self.path(f"run/{options[-1]}"), "io_open")))

    def test_command_ends_as_the_program_does_where_it_has_no_mpi(self):
        done = self.run_in("run", QUIPU, "record", "--io", "--mpi", "-o", "x", "--", "sh", "-c", "echo text > written; exit 7")
        self.assertEqual(7, done.returncode, done.stderr)

    def test_command_leaves_programs_alone_without_a_folder(self):
        done = self.run_in("run", *self.openmpi.launch(self.program()), environment={"LD_PRELOAD": str(RECORDER)})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([], [name for name in os.listdir(self.path("run")) if "mpi" in name])


if __name__ == "__main__":
    unittest.main()
