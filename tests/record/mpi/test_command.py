"""quipu record for MPI: names of traces, what is said at the end, choosing calls, exit codes, what cannot be recorded."""
import json
import os
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
        self.assertEqual("quipu: next: quipu profile messages.quipu", lines[2])
        self.assertEqual(["messages-0000.bin", "messages-0001.bin", "messages-0002.bin", "messages-0003.bin", "messages.meta"],
                         sorted(os.listdir(self.path("run/messages.quipu"))))
        self.assert_sound(self.path("run/messages.quipu"))

    def test_command_does_not_replace_a_trace_unasked(self):
        Path(self.path("run")).mkdir()
        Path(self.path("run/trace.meta")).write_text("mine")
        done = self.record("run", *self.openmpi.launch("touch", "ran"))
        self.assertEqual((5, b"quipu: trace.meta already exists (use --force to replace it)\n"), (done.returncode, done.stderr))
        self.assertEqual(["trace.meta"], os.listdir(self.path("run")))

    def test_command_records_the_calls_that_are_chosen(self):
        program = self.program("messages")
        for patterns, expected in (("MPI_Send,MPI_Probe", {"MPI_Send", "MPI_Probe"}), ("!*,MPI_*probe,!MPI_Iprobe", {"MPI_Mprobe", "MPI_Improbe"})):
            with self.subTest(patterns):
                done = self.record("run", *self.openmpi.launch(program), options=("--functions", patterns, "--force"))
                self.assertEqual(0, done.returncode, done.stderr)
                counts = self.recorded_counts(self.path("run/trace.meta"))
                found = {name for calls in counts.values() for name in calls}
                self.assertEqual(expected, found - {"MPI_Init", "MPI_Finalize"})

    def test_command_chooses_a_format_by_name_or_suffix(self):
        program = self.program()
        for options, trace in ((("-f", "otf", "-o", "one.otf"), "one.otf"), (("-o", "two.otf"), "two.otf"), (("--to", "picl", "-o", "three"), "three")):
            with self.subTest(options):
                done = self.record("run", *self.openmpi.launch(program), options=options)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assert_sound(self.path(f"run/{trace}"))
        done = self.run_in("run", QUIPU, "record", "-f", "otf", "--", *self.openmpi.launch(program))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound(self.path("run/environment.quipu/environment.otf"))

    def test_command_writes_one_file_for_all_ranks(self):
        done = self.record("run", *self.openmpi.launch(self.program()), options=("--one-file", "-o", "one.otf"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, len(list(Path(self.path("run")).glob("one.*.events"))))

    def test_command_ends_as_the_program_does(self):
        program = self.program()
        for arguments, code in ((("return", 9), 9), ((), 0)):
            done = self.record("run", *self.openmpi.launch(program, *arguments), options=("--force",))
            self.assertEqual(code, done.returncode)
        self.assertEqual(127, self.record("run", "./not-there", options=("--force",)).returncode)

    def test_command_says_when_there_is_nothing(self):
        done = self.record("run", "true")
        self.assertEqual(4, done.returncode)
        self.assertIn(b"nothing was recorded: no program has initialised MPI", done.stderr)
        self.assertEqual([], os.listdir(self.path("run")))

    def test_command_refuses_what_does_not_go_together(self):
        for options in ((), ("--flags", "--", "true"), ("--collect", "x", "--", "true"), ("-o", "-", "--", "true"),
                        ("--io", "--functions", "MPI_Send", "-o", "x", "--", "true"), ("--mpi", "--", "true")):
            with self.subTest(options):
                self.assertEqual(2, self.run_in("run", QUIPU, "record", *options).returncode)

    def test_command_records_mpi_beside_input_and_output(self):
        """Two traces of one run; the files of one recorder are not in that of the other."""
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                mpi = self.mpi(name)
                program = self.compile(mpi, HERE.parent / "io/mpi_io.c", name=f"mpi_io.{name}")
                done = self.record("run", *mpi.launch(program), options=("--io", "--mpi", "-o", "trace", "--force"), environment={"QUIPU_RECORD_BUFFER": "65536"})
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(["ranks", "trace", *(f"trace-mpi-000{rank}.bin" for rank in range(4)), "trace-mpi.meta"], sorted(os.listdir(self.path("run"))))
                self.assert_sound(self.path("run/trace-mpi.meta"))
                counts = self.recorded_counts(self.path("run/trace-mpi.meta"))
                self.assertEqual([1] * 4, [counts[rank]["MPI_File_open"] for rank in range(4)])
                shown = subprocess.run([QUIPU, "cat", "--records", "--json", self.path("run/trace")], capture_output=True, text=True)
                records = [json.loads(line) for line in shown.stdout.splitlines()]
                opened = [record["fields"]["name"] for record in records if record["type"] == "APP_OPEN"]
                self.assertIn("ranks", opened)
                self.assertFalse([found for found in opened if ".mpi" in found or "boot_id" in found])

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

    def test_command_leaves_programs_alone_without_a_folder(self):
        done = self.run_in("run", *self.openmpi.launch(self.program()), environment={"LD_PRELOAD": str(RECORDER)})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([], [name for name in os.listdir(self.path("run")) if "mpi" in name])


if __name__ == "__main__":
    unittest.main()
