"""Programs whose streams and signals change inside of the C library, that have plugins, or that are not to be written to, end as without the
recorder."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import ASYNCHRONOUS, QUIPU, SANITIZED, WRITE, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent
BUS = 128 + 7


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Strange(RecordedTest):
    def assert_ends(self, code, *command):
        without = self.run_in_folder("sh", "-c", f'{" ".join(map(str, command))} || exit $?')
        self.assertEqual(code, without.returncode, without.stderr)
        done = self.run_in_folder(QUIPU, "record", "--io", "-o", "trace", "--force", "--", *command)
        self.assertEqual(code, done.returncode, done.stderr)
        return done

    def test_strange_programs_end_as_without(self):
        program = self.compile(HERE / "strange.c", "-ldl")
        for case, code in (("mounts", 4), ("sigset", BUS), ("held", 6), ("ignored", 7)):
            with self.subTest(case):
                self.assert_ends(code, program, case)

    def test_strange_libraries_of_plugins_are_found(self):
        for name, source, *options in (
                ("rings", "int io_uring_queue_init(unsigned n, void *ring, unsigned flags) { return n && !ring && !flags ? 8 : 5; }\n"),
                ("plugin", "int io_uring_queue_init(unsigned, void *, unsigned);\nint call(void) { return io_uring_queue_init(1, 0, 0); }\n",
                 "-L.", "-l:rings.so", "-Wl,-rpath,$ORIGIN")):
            Path(self.path(f"{name}.c")).write_text(source)
            subprocess.run(["cc", "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so", *options], cwd=self.path("."), check=True)
        self.assert_ends(8, self.compile(HERE / "strange.c", "-ldl"), "plugin")

    def test_strange_control_blocks_that_are_gone(self):
        """Another thread may have fetched a request's result, and given its block back, before io_submit or aio_write returns."""
        library = ["-shared", "-fPIC", HERE / "early.c", "-o", self.path("libaio.so.1")]
        subprocess.run(["cc", *library], check=True)
        program = self.compile(HERE / "early.c", "-DMAIN", "-L.", f"-L{self.path('.')}", "-l:libaio.so.1", "-Wl,-rpath,$ORIGIN")
        self.assert_ends(0, program)
        requests = self.requests()["early.txt"]
        self.assertEqual([(WRITE | ASYNCHRONOUS, 0, 8), (WRITE | ASYNCHRONOUS, 8, 8)], [request[1:4] for request in requests])
        ends = [(fields["client_id"], fields["async_id"]) for kind, fields in self.records() if kind == "ASYNCH_END"]
        self.assertEqual([(request[0], request[4]) for request in requests], ends)

    def test_strange_limits_end_no_program(self):
        """Neither notes nor what is said when recording stops end a program that may not write files, or whose errors are read by none."""
        Path(self.path("static.c")).write_text("int main(void) { return 4; }\n")
        subprocess.run(["cc", "-static", "static.c", "-o", "static"], cwd=self.path("."), check=True)
        command = "ulimit -f 0; ./static; echo $?; exec 2>&-; exec ./static"
        done = self.run_in_folder("sh", "-c", f'{QUIPU} record --io -o trace.otf -- sh -c "$0" 2>/dev/null | cat', command)
        self.assertEqual(b"4\n", done.stdout, done.stderr)

    def test_strange_paths_find_what_a_shell_finds(self):
        """An empty component of PATH is the folder at hand."""
        script = Path(self.path("here"))
        script.write_text("#!/bin/sh\nexit 3\n")
        script.chmod(0o755)
        for path in ("$PATH:", ":$PATH", "/nowhere::$PATH"):
            done = self.run_in_folder("sh", "-c", f'PATH="{path}" {QUIPU} record --io -o trace --force -- here')
            self.assertEqual(3, done.returncode, (path, done.stderr))


if __name__ == "__main__":
    unittest.main()
