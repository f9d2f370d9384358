"""What "quipu record --io" could not record is said with numbers, on standard error and in the report; nothing is called lossless then."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import CC, QUIPU, SANITIZED, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Unrecorded(RecordedTest):
    def others_can_execute(self):
        """A root may be root's alone."""
        try:
            return subprocess.run(["true"], user=65534, check=False).returncode == 0
        except PermissionError:
            return False

    def end_of(self, *command, name="trace", **options):
        """(what is said, the line about the trace, what the report says about what was not recorded) of a recording."""
        done = self.run_in_folder(QUIPU, "record", "--io", "-o", name, "--force", "--report", "report.json", "--", *command, **options)
        self.assertEqual(0, done.returncode, done.stderr)
        lines = done.stderr.decode().splitlines()
        wrote = [line for line in lines if line.startswith("quipu: wrote ")]
        self.assertEqual(1, len(wrote), lines)
        report = json.loads(Path(self.path("report.json")).read_text())
        return [line for line in lines if line not in wrote], wrote[0], report["not_recorded"]

    def assert_characters(self, read, written, *command, **options):
        said, wrote, report = self.end_of(*command, **options)
        self.assertEqual(
            [f"quipu: bytes moved by single characters of streams (getc, putc and the like): {read} read, {written} written; "
             "their requests are not recorded"], said)
        self.assertTrue(wrote.endswith(" records; not all that the program did was recorded, see above"), wrote)
        self.assertEqual((read, written), (report.get("characters_read", 0), report.get("characters_written", 0)))

    def make_file(self, name, size):
        Path(self.path(name)).write_bytes(bytes(i * 7 & 255 for i in range(size)))

    def test_unrecorded_characters_of_streams_are_counted(self):
        """20 characters, and the 500 behind byte 500; 15 before and 15 behind what is written at once."""
        program = self.compile(HERE / "characters.c")
        self.make_file("in", 1000)
        self.assert_characters(520, 30, program, "own")
        self.assert_sound()

    def test_unrecorded_characters_of_standard_streams_are_counted(self):
        program = self.compile(HERE / "characters.c")
        self.make_file("in", 70000)
        self.assert_characters(70000, 70000, "sh", "-c", f"{program} standard < in > out")
        self.assertEqual(Path(self.path("in")).read_bytes(), Path(self.path("out")).read_bytes())
        self.assertIn("out", {fields["name"] for kind, fields in self.records() if kind == "APP_OPEN"})

    def test_unrecorded_characters_are_those_of_the_process_itself(self):
        """What a child writes to the same file, or was there before, is none of them."""
        program = self.compile(HERE / "characters.c")
        self.assert_characters(0, 9, "sh", "-c", f"{program} forked > out")
        self.assertEqual(b"aaaaaabbbbccc", Path(self.path("out")).read_bytes())
        Path(self.path("log")).write_text("x" * 5000)
        self.assert_characters(0, 7, program, "appended")

    def test_unrecorded_characters_of_programs(self):
        """cat reads and writes blocks, bash a text and the character that ends its line."""
        if not shutil.which("bash"):
            self.skipTest("bash not installed")
        self.make_file("in", 100000)
        self.assert_characters(0, 2, "bash", "-c", "echo first > out; cat in > all; echo > none")
        self.assertEqual(100000, os.path.getsize(self.path("all")))

    def static_program(self, name="static"):
        source = Path(self.path("static.c"))
        source.write_text("int main(void) { return 0; }\n")
        done = self.run_in_folder(CC, "-static", source, "-o", name)
        if done.returncode:
            self.skipTest("no static C library")
        return self.path(name)

    def assert_programs(self, names, *command, **options):
        said, wrote, report = self.end_of(*command, **options)
        count = sum(names.values())
        listed = ", ".join(f"{name} ({times})" if times > 1 else name for name, times in names.items())
        self.assertEqual(
            ["quipu: programs that were not recorded (statically linked, written in Go, with rights of their own, or without the recorder's environment): "
             f"{count}: {listed}"], [line for line in said if "nothing was recorded" not in line])
        self.assertTrue(wrote.endswith("; not all that the program did was recorded, see above"), wrote)
        self.assertEqual({"programs": count}, report)

    def test_unrecorded_programs_are_named(self):
        """However they are executed; those that were not executed are none."""
        program = self.static_program()
        path = program[-63:]
        self.assert_programs({path: 1}, program)
        self.assert_programs({"./static": 3}, "sh", "-c", "./static; true && ./static; ./none 2> /dev/null; exec ./static")
        Path(self.path("script")).write_text("#!./static -x\n")
        os.chmod(self.path("script"), 0o755)
        self.assert_programs({"./script": 1}, "sh", "-c", "cat static > /dev/null; ./script; true")
        said, _, report = self.end_of("sh", "-c", "env -i cat static > copy")
        self.assertEqual(1, report["programs"])
        self.assertIn("/cat", said[0])

    # needs: go
    def test_unrecorded_programs_of_go_are_named_however_they_are_linked(self):
        Path(self.path("program.go")).write_text('package main\nimport "C"\nfunc main() {}\n')
        environment = {**os.environ, "CGO_ENABLED": "1", "GO111MODULE": "off"}
        done = self.run_in_folder("go", "build", "-o", "program", "program.go", env=environment)
        if done.returncode:
            self.skipTest("no programs of Go and C here")
        self.assert_programs({"./program": 1}, "sh", "-c", "./program; true")

    def test_unrecorded_programs_are_found_by_every_call(self):
        program, caller = self.static_program(), self.compile(HERE / "executing.c")
        calls = ("execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat", "posix_spawn", "posix_spawnp",
                 "system", "popen", "syscall", "vfork", "absent")
        for call in calls:
            with self.subTest(call):
                said, wrote, report = self.end_of(caller, call, "./static", env={**os.environ, "PATH": f"/none:{self.folder}:{os.environ['PATH']}"})
                self.assertEqual(None if call == "absent" else {"programs": 1}, report, said)
        self.assertTrue(program)

    def test_unrecorded_is_said_by_processes_that_can_open_no_file_any_more(self):
        """The thread that writes then, and the programs that are executed."""
        program = self.compile(HERE / "bereft.c")
        cases = ("descriptors", "user", "root") if os.geteuid() == 0 else ("descriptors",)
        for case in cases:
            with self.subTest(case):
                said, wrote, report = self.end_of("sh", "-c", f"{program} {case} 2> /dev/null")
                self.assertEqual({"processes_that_stopped": 2}, report)  # and its child
                self.assertTrue(wrote.endswith("; not all that the program did was recorded, see above"), wrote)
                self.assertEqual(2000, os.path.getsize(self.path("data")))
        if os.geteuid() == 0 and self.others_can_execute():
            said, _, report = self.end_of("sh", "-c", f"{program} user true 2> /dev/null")
            self.assertEqual({"programs": 1}, report)
            self.assertRegex(said[0], "^quipu: programs that were not recorded .*: 1$")

    def test_unrecorded_rings_are_found_however_they_are_made(self):
        program = self.compile(HERE / "uring.c")
        if self.run_in_folder(program, "kept").returncode == 77:
            self.skipTest("the system refuses io_uring")
        for case in ("kept", "closed", "mapped", "called"):
            with self.subTest(case):
                said, wrote, report = self.end_of(program, case)
                self.assertEqual({"processes_with_io_uring": 1}, report)
                self.assertEqual(["quipu: processes that used io_uring: 1; requests that they put into its rings are not recorded"], said)
                self.assertTrue(wrote.endswith("; not all that the program did was recorded, see above"), wrote)
        self.assertEqual(([], None), self.end_of(program, "refused")[::2])

    def test_unrecorded_is_nothing_where_all_was_recorded(self):
        program = self.compile(HERE / "characters.c")
        said, wrote, report = self.end_of(program, "threads")
        self.assertEqual([], said)
        self.assertTrue(wrote.endswith(" records, lossless"), wrote)
        self.assertIsNone(report)
        self.assertEqual({8}, {request[3] for request in self.requests()["out"]})
        self.assertEqual(16000, os.path.getsize(self.path("out")))


if __name__ == "__main__":
    unittest.main()
