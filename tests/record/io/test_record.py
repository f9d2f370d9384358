"""quipu record --io: programs do what they do without it, and their requests are in the trace, each once."""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import ASYNCHRONOUS, BUILD, QUIPU, SANITIZED, WRITE, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return unittest.skipIf(missing, f"{', '.join(missing)} not installed")


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Record(RecordedTest):
    def assert_unchanged(self, command, *results):
        """A shell command gives the same output, errors, exit code and files with and without; its trace is sound."""
        outcomes = []
        for runs in (("sh", "-c", command), None):
            for result in results:
                Path(self.path(result)).unlink(missing_ok=True)
            done = self.run_in_folder(*runs) if runs else self.record("sh", "-c", command)
            files = [Path(self.path(result)).read_bytes() for result in results]
            outcomes.append((done.returncode, done.stdout, done.stderr, files))
        self.assertEqual(*outcomes)
        self.assert_sound()

    def make_file(self, name, size):
        Path(self.path(name)).write_bytes(bytes(i * 7 & 255 for i in range(size)))

    def test_record_every_call(self):
        program = self.compile(HERE / "calls.c")
        self.assertEqual(0, self.record(program).returncode)
        self.assert_sound()
        plain = [(operation, offset, size) for _, operation, offset, size, _ in self.requests()["data"]]
        expected = [
            (WRITE, 0, 100), (WRITE, 1000, 50), (WRITE, 100, 30), (WRITE, 2000, 30), (0, 0, 100), (0, 10, 20), (0, 5, 30),
            (0, 40, 30), (WRITE | ASYNCHRONOUS, 3000, 10), (ASYNCHRONOUS, 3000, 10)]
        self.assertEqual(expected, plain)
        streamed = [(operation, offset, size) for _, operation, offset, size, _ in self.requests()["stream"]]
        self.assertEqual([(WRITE, 0, 12), (WRITE, 12, 5), (0, 0, 8), (0, 8, 9)], streamed)
        kinds = [kind for kind, _ in self.records()]
        counts = {kind: kinds.count(kind) for kind in ("EXTEND", "TRUNCATE", "LINK", "UNLINK", "FCNTL", "ASYNCH_END")}
        # link and rename; rename, two unlinks; fsync, fdatasync and mmap
        self.assertEqual({"EXTEND": 2, "TRUNCATE": 1, "LINK": 2, "UNLINK": 3, "FCNTL": 3, "ASYNCH_END": 2}, counts)

    def test_record_appended_requests_where_they_go(self):
        """Behind the 100 bytes of each file and what was appended before, whatever offset the call names and wherever the stream stands."""
        program = self.compile(HERE / "appended.c")
        done = self.record("sh", "-c", f"head -c 100 /dev/zero > output; {program} >> output")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound()
        appended = {name: [(offset, size) for _, operation, offset, size, _ in found if operation & WRITE and size != 100]
                    for name, found in self.requests().items()}
        self.assertEqual([(100 + 10 * i, 10) for i in range(6)], appended["calls"])
        self.assertEqual([(100, 10), (0, 20), (110, 10)], appended["flags"])
        self.assertEqual([(100 + 10 * i, 10) for i in range(4)], appended["requests"])
        self.assertEqual([(100, 10), (110, 20), (130, 30)], appended["stream"])
        self.assertEqual([(100, 10), (110, 20)], appended["output"])

    def test_record_lists_of_requests(self):
        """Of a list in which one fails the others are there; those that were waited for end, each once, whether their results are fetched or not."""
        self.assertEqual(0, self.record(self.compile(HERE / "listed.c")).returncode)
        self.assert_sound()
        requests = self.requests()["list"]
        expected = [(0, 4000), (4000, 96), *((5000 + 10 * i, 10) for i in range(70)), (6000, 20)]
        self.assertEqual([(WRITE | ASYNCHRONOUS, offset, size) for offset, size in expected], [request[1:4] for request in requests])
        ends = [(fields["client_id"], fields["async_id"]) for kind, fields in self.records() if kind == "ASYNCH_END"]
        self.assertEqual([(request[0], request[4]) for request in requests], ends)

    def test_record_processes_and_descriptors(self):
        """Threads, children and executed programs use descriptors that they have from others."""
        program = self.compile(HERE / "family.c")
        self.assertEqual(0, self.record(program).returncode)
        self.assert_sound()
        requests = self.requests()["shared"]
        self.assertEqual([(WRITE, 10 * i, 10) for i in range(7)], sorted(request[1:4] for request in requests))
        self.assertEqual(6, len({request[0] for request in requests}))  # the thread, the process, and four children

    @needs("python3")
    def test_record_files_whose_inodes_are_those_of_files_that_are_gone(self):
        """Each file is one of its own, though a file system may give all of them the same inode."""
        script = "import os\nfor i in range(50):\n    open(f'gone.{i}', 'w').write('x' * i)\n    os.unlink(f'gone.{i}')"
        self.assertEqual(0, self.record("python3", "-B", "-c", script).returncode)
        self.assert_sound()
        shown = self.run_in_folder(QUIPU, "cat", "--json", "--kind", "io_open,io_unlink", "trace").stdout.decode().splitlines()
        files = {}
        for event in map(json.loads, shown):
            files.setdefault(event["file_name"].rsplit("/", 1)[-1], []).append((event["kind"], event["file"]))
        self.assertEqual(50, len({file for i in range(50) for _, file in files[f"gone.{i}"]}))
        self.assertEqual([["io_open", "io_unlink"]] * 50, [[kind for kind, _ in files[f"gone.{i}"]] for i in range(50)])

    def test_record_files_have_the_names_that_they_have_at_the_end(self):
        """The name under which one was opened is an attribute of that, and the renaming opens nothing."""
        for name in ("text", "a", "b", "unopened"):
            Path(self.path(name)).write_text(name)
        os.mkdir(self.path("folder"))
        self.assertEqual(0, self.record(self.compile(HERE / "renamed.c")).returncode)
        self.assert_sound()
        self.assertEqual(0, self.run_in_folder(QUIPU, "convert", "--quiet", "trace", "-o", "run.otf").returncode)
        for trace in ("trace", "run.otf"):
            with self.subTest(trace):
                shown = self.run_in_folder(QUIPU, "cat", "--json", "--kind", "io_open", trace).stdout.decode().splitlines()
                opened = [(event["file_name"], event["attributes"]["opened_as"]) for event in map(json.loads, shown)]
                expected = [(self.path(name), self.path(first)) for name, first in (("text", "text.lock"), ("b", "a"), ("final", "draft"), ("gone", "gone.tmp"))]
                self.assertEqual(expected, opened)
        shown = self.run_in_folder(QUIPU, "cat", "--json", "--kind", "io_begin,io_link", "trace").stdout.decode().splitlines()
        events = [(event["kind"], os.path.basename(event["file_name"])) for event in map(json.loads, shown)]
        self.assertEqual(["text", "b", "final", "gone"], [name for kind, name in events if kind == "io_begin"])
        self.assertEqual(["text", "a", "b", "moved", "final", "gone"], [name for kind, name in events if kind == "io_link"])

    def test_record_keeps_errno_and_results(self):
        program = self.compile(HERE / "failures.c")
        without, recorded = self.run_in_folder(program), self.record(program)
        self.assertEqual((without.returncode, without.stdout, without.stderr), (recorded.returncode, recorded.stdout, recorded.stderr))
        self.assertIn(b"read -1 9\n", recorded.stdout)

    def test_record_descriptors_that_are_closed_unseen(self):
        program = self.compile(HERE / "unseen.c")
        without, recorded = self.run_in_folder(program), self.record(program)
        self.assertEqual((0, b"parent\n"), (without.returncode, without.stdout))
        self.assertEqual((0, b"parent\n"), (recorded.returncode, recorded.stdout))
        self.assert_sound()
        requests = {name: [request[1:4] for request in found] for name, found in self.requests().items()}
        self.assertEqual([(WRITE, 0, 3)], requests["numbered"])
        self.assertEqual([(WRITE, 0, 4)], requests["memfd:in memory (deleted)"])

    def test_record_system_calls_by_number(self):
        program = self.compile(HERE / "numbers.c")
        self.assertEqual(0, self.record(program).returncode)
        self.assert_sound()
        requests = {name: [request[1:4] for request in found] for name, found in self.requests().items()}
        self.assertEqual(
            [(WRITE, 0, 100), (WRITE, 1000, 50), (0, 7, 40), (WRITE, 100, 30), (0, 20, 30), (0, 0, 60), (0, 60, 30), (0, 5, 300), (0, 90, 11)],
            requests["first"])
        self.assertEqual([(WRITE, 0, 300), (WRITE, 300, 11)], requests["second"])

    def run_compiled(self, compiler, *options):
        """What a program does that another compiler or C library has made, with and without the recorder."""
        program = Path(self.path("compiled"))
        done = self.run_in_folder(compiler, HERE / "family.c", "-pthread", "-o", program, *options)
        if done.returncode or self.run_in_folder(program).returncode:
            self.skipTest(f"no programs of {compiler} {' '.join(options)} here")
        recorded = self.record(program)
        self.assertEqual((0, b"", b""), (recorded.returncode, recorded.stdout, recorded.stderr))
        self.assert_sound()
        self.assertEqual([(WRITE, 10 * i, 10) for i in range(7)], sorted(request[1:4] for request in self.requests()["shared"]))

    @needs("gcc")
    def test_record_programs_with_address_sanitizer(self):
        self.run_compiled("gcc", "-fsanitize=address")

    @needs("musl-gcc")
    def test_record_programs_of_another_c_library(self):
        self.run_compiled("musl-gcc")

    def test_record_threads_that_open_and_close(self):
        program = self.compile(HERE / "races.c")
        self.assertEqual(0, self.record(program).returncode)
        self.assert_sound()
        counts = {name: len(found) for name, found in self.requests().items() if name.startswith("race.")}
        self.assertEqual({f"race.{i}": 2 * 1500 + 500 for i in range(1, 9)}, counts)

    def test_record_until_system_calls_are_refused(self):
        program = self.compile(HERE / "confined.c")
        recorded = self.record(program)
        self.assertEqual((7, b"strict\n"), (recorded.returncode, recorded.stdout))
        self.assertIn(b"(seccomp): 1; what they did after that is not recorded", recorded.stderr)
        self.assertEqual(b"beforebetweenafter", Path(self.path("allowed")).read_bytes())
        self.assertEqual([(WRITE, 0, 6), (WRITE, 6, 7)], [request[1:4] for request in self.requests()["allowed"]])

    def test_record_leaves_the_limit_of_file_sizes_to_the_program(self):
        """A program whose file grows beyond the limit is killed, as without; the recorder says that it cannot write either."""
        command = ("sh", "-c", "ulimit -f 8; head -c 100000 /dev/zero > large")
        without, recorded = self.run_in_folder(*command), self.record(*command)
        self.assertEqual(without.returncode, recorded.returncode)

    def test_record_processes_that_outlive_the_command(self):
        child = "(while [ -e trace.recording ]; do :; done; cat trace > copy; mv copy late) 2> complaints"
        done = self.record("sh", "-c", f"{child} & while [ ! -e complaints ]; do :; done")
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        end = time.monotonic() + 30
        while not os.path.exists(self.path("late")) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(os.path.exists(self.path("late")))
        self.assertEqual(b"", Path(self.path("complaints")).read_bytes())

    def test_record_exit_codes(self):
        self.assertEqual(3, self.record("sh", "-c", "exit 3").returncode)
        self.assertEqual(137, self.record("sh", "-c", "kill -9 $$").returncode)
        done = self.record("./not-there")
        self.assertEqual((127, b"quipu: ./not-there: No such file or directory"), (done.returncode, done.stderr.splitlines()[0]))
        self.assertEqual(2, self.run_in_folder(QUIPU, "record", "--io", "-o", "x").returncode)
        self.assertEqual(2, self.run_in_folder(QUIPU, "record", "--io", "--", "true").returncode)
        self.assertEqual(5, self.record("true", name="no/folder").returncode)
        self.assertEqual([], [path for path in os.listdir(self.folder) if path.endswith(".recording")])

    def test_record_into_another_format(self):
        self.make_file("in", 100000)
        self.assertEqual(0, self.record("dd", "if=in", "of=out", "bs=1000", "status=none", name="run.otf").returncode)
        done = self.run_in_folder(QUIPU, "check", "run.otf")
        self.assertEqual(0, done.returncode, done.stdout)

    def test_record_cp_dd_tar(self):
        self.make_file("in", 300001)
        self.assert_unchanged("cp in out", "out")
        self.assert_unchanged("dd if=in of=out bs=1000 skip=2 count=100 status=none", "out")
        out = [request[1:4] for request in self.requests()["out"]]
        self.assertEqual([(WRITE, 1000 * i, 1000) for i in range(100)], out)
        read = [request[1:4] for request in self.requests()["in"]]
        self.assertEqual([(0, 2000 + 1000 * i, 1000) for i in range(100)], read)
        self.assert_unchanged("tar cf out.tar --mtime=@0 in out; tar tvf out.tar; tar xf out.tar; false", "out.tar")
        self.assert_unchanged("cat in in | gzip -n > out.gz; gzip -t out.gz; grep -c x in; rm -f out.tar; exit 9", "out.gz")

    @needs("sqlite3")
    def test_record_sqlite3(self):
        self.assert_unchanged(
            "rm -f base; sqlite3 base 'create table t (a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t;'", "base")

    @needs("python3")
    def test_record_python3(self):
        script = "import shutil, mmap; open('a.txt', 'w').write('x' * 5000); shutil.copy('a.txt', 'b.txt'); print(len(open('b.txt').read()))"
        self.assert_unchanged(f'python3 -B -c "{script}"', "a.txt", "b.txt")
        self.assertEqual([(WRITE, 0, 5000)], [request[1:4] for request in self.requests()["a.txt"] if request[1] & WRITE])

    @needs("fio")
    def test_record_fio(self):
        self.assertEqual(0, self.record("fio", "--output=report", HERE / "jobs.fio").returncode)
        self.assert_sound()
        requests = self.requests()
        blocks = [16384 * i for i in range(64)]
        for job in range(4):
            sync = requests[f"sync.{job}.0"]
            self.assertEqual([(WRITE, offset, 16384, 0) for offset in blocks], [request[1:] for request in sync])
            for name, operation in (("libaio", ASYNCHRONOUS), ("posix", WRITE | ASYNCHRONOUS)):
                found = [request for request in requests[f"{name}.{job}.0"] if request[1] & ASYNCHRONOUS]
                self.assertEqual([(operation, offset, 16384) for offset in blocks], sorted(request[1:4] for request in found))
        done = self.run_in_folder(QUIPU, "io", "--json", "trace")
        files = next(table for table in json.loads(done.stdout)["tables"] if table["table"] == "io_files")
        names = [column["name"] for column in files["columns"]]
        by_name = {os.path.basename(row[0]): dict(zip(names, row)) for row in files["rows"]}
        for name, reads in (("sync", 0), ("libaio", 64), ("posix", 0)):
            found = by_name[f"{name}.2.0"]
            self.assertEqual((reads, 16384 * reads, 64, 1 << 20), tuple(found[k] for k in ("reads", "bytes_read", "writes", "bytes_written")))
        started = {(request[0], request[4]) for found in requests.values() for request in found if request[1] & ASYNCHRONOUS}
        ended = {(fields["client_id"], fields["async_id"]) for kind, fields in self.records() if kind == "ASYNCH_END"}
        self.assertEqual((512, started), (len(started), ended))

    @needs("mpicc", "mpiexec")
    def test_record_mpi_io_on_four_ranks(self):
        done = subprocess.run(["mpicc", "-O1", HERE / "mpi_io.c", "-o", self.path("mpi_io")], stderr=subprocess.PIPE, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        launch = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "4", "./mpi_io"]
        without = self.run_in_folder(*launch)
        self.assertEqual(0, without.returncode, without.stderr)
        Path(self.path("ranks")).unlink()
        recorded = self.record(*launch)
        self.assertEqual((0, without.stdout), (recorded.returncode, recorded.stdout))
        by_client = {}
        for client, operation, offset, size, _ in self.requests()["ranks"]:
            by_client.setdefault(client, []).append((operation, offset, size))
        written = sorted([r for r in found if r[0] & WRITE] for found in by_client.values() if any(r[0] & WRITE for r in found))
        read = sorted([r for r in found if not r[0] & WRITE] for found in by_client.values() if any(not r[0] & WRITE for r in found))
        self.assertEqual([[(WRITE, (rank + 4 * i) * 4096, 4096) for i in range(8)] for rank in range(4)], written)
        self.assertEqual([[(0, (rank + 4 * i) * 4096, 4096) for i in range(8)] for rank in range(4)], read)


if __name__ == "__main__":
    unittest.main()
