"""Programs written for libundumpi compile with nothing but its headers and the library, and see what is in a trace."""
import os
import re
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

HERE = Path(__file__).resolve().parent
COMPAT = BUILD / "compat"
TRACES = SOURCE / "tests/data/dumpi/text"
CXX = os.environ.get("CXX") or shutil.which("c++")
ENTERING = re.compile(r"^(\w+) entering at walltime (-?[\d.]+), cputime (-?[\d.]+) seconds in thread (\d+)\.$", re.M)


def text_of(name):
    return (TRACES / f"{name}.txt").read_text(encoding="latin-1")


class Libundumpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return Path(self.folder.name) / name

    def build(self, source):
        program = self.path(source.split(".")[0])
        compiler = [CXX, "-std=c++11"] if source.endswith(".cc") else [CC, "-std=c11"]
        if compiler[0] is None:
            self.skipTest("there is no C++ compiler")
        command = [*compiler, *CFLAGS, "-Wall", "-Wextra", "-Werror", "-I", COMPAT / "include/dumpi", HERE / "clients" / source]
        code, output = run(*command, "-L", COMPAT / "lib", "-lundumpi", "-Wl,-rpath," + str(COMPAT / "lib"), "-o", program)
        self.assertEqual((0, ""), (code, output))
        return program

    def output(self, program, *arguments):
        code, output = run(program, *arguments)
        self.assertEqual(0, code, output)
        return output

    def test_libundumpi_one_function_for_all_calls_sees_all_of_them(self):
        program = self.build("all_callbacks.c")
        for name in ("comm", "coll", "misc", "syn-perf"):
            text = text_of(name)
            values = dict(line.split("=", 1) for line in self.output(program, TRACES / f"{name}.bin").splitlines())
            self.assertEqual(str(len(ENTERING.findall(text))), values["calls"], name)
            for key in ("version", "hostname", "username", "meshdim"):
                self.assertIn(f"{key}={values[key]}\n", text)
            sizes = re.findall(r"^Datatype \d+ \(.*\) has size (\d+)$", text, re.M)
            self.assertEqual((str(len(sizes)), sizes[9]), (values["sizes"], values["int"]))
            counts = re.findall(r"^(\w+) called (\d+) times and ignored (\d+) times$", text, re.M)[:-1]
            self.assertEqual(str(sum(int(called) for _, called, _ in counts)), values["called"])
            self.assertEqual(str(sum(int(ignored) for _, _, ignored in counts)), values["ignored"])

    def test_libundumpi_counters_and_names_are_given(self):
        program = self.build("all_callbacks.c")
        lines = self.output(program, TRACES / "syn-perf.bin").splitlines()
        text = text_of("syn-perf")
        self.assertEqual(["label=SYN_CTR_0", "label=SYN_CTR_1"], [line for line in lines if line.startswith("label=")])
        self.assertIn("last_counter=" + re.findall(r"SYN_CTR_1=(\d+)\]", text)[-1], lines)
        lines = self.output(program, TRACES / "misc.bin").splitlines()
        names = re.findall(r"^Function address (\d+) has label (.*)$", text_of("misc"), re.M)
        self.assertGreater(len(names), 0)
        self.assertEqual([f"address={address} {name}" for address, name in names], [line for line in lines if line.startswith("address=")])

    def test_libundumpi_single_calls_come_one_by_one_up_to_finalize(self):
        lines = self.output(self.build("single_call.c"), TRACES / "comm.bin").splitlines()
        calls = [call for call in ENTERING.findall(text_of("comm")) if call[0] != "MPI_Barrier"]
        self.assertEqual("MPI_Finalize", calls[-1][0])
        self.assertEqual([call[1] for call in calls] + [f"{len(calls)} calls, MPI_Finalize"], lines)

    def test_libundumpi_cxx_programs_get_arrays_and_strings(self):
        program = self.build("partial.cc")
        expected = {
            "coll": ["gatherv 1 2 3 4"],
            "comm": ["ranges 0:3:2", "dims 2 2", "user-defined-comm 0 0"],
            "spawn": ["spawn ./spawn one ./spawn two three"],
            # Before 0.6.8 the file has one coordinate of four, and the root's vectors are NULL elsewhere.
            "v0.6.7-cart": ["gatherv 41411 9503 87964 31536", "user-defined-comm 89503 0 0 0", "gatherv",
                            "user-defined-comm 89503 0 0 0"],
        }
        for name, lines in expected.items():
            self.assertEqual(lines, self.output(program, TRACES / f"{name}.bin").splitlines(), name)

    def test_libundumpi_what_is_read_can_be_written(self):
        program = self.build("copy.c")
        for name in ("comm", "coll", "misc", "spawn", "syn-perf", "syn-clockwrap", "v0.6.7-cart"):
            copy = self.path(name)
            self.output(program, TRACES / f"{name}.bin", copy)
            text = self.output("env", "TZ=UTC", COMPAT / "bin/dumpi2ascii", "-a", copy)
            self.assertEqual(text_of(name), text, name)

    def test_libundumpi_an_empty_section_of_keys_is_not_in_the_index(self):
        for client in ("copy.c", "reread.c"):  # the latter writes no record of keys
            copy = self.path("keyless")
            self.output(self.build(client), TRACES / "comm.bin", copy)
            self.assertEqual(bytes(8), (TRACES / "comm.bin").read_bytes()[-8:])
            self.assertEqual(bytes(8), copy.read_bytes()[-8:], client)

    def test_libundumpi_reading_ends_after_the_call_at_the_chosen_offset(self):
        data = (TRACES / "comm.bin").read_bytes()
        calls = [name for name, *_ in ENTERING.findall(text_of("comm"))]
        rank = calls.index("MPI_Comm_rank")
        lines = self.output(self.build("part.c"), TRACES / "comm.bin", 17).splitlines()
        first = struct.unpack(">I", data[45:49])[0]  # argc of MPI_Init, the first call
        self.assertEqual(("MPI_Init", 1, 1), (calls[0], rank, first))
        self.assertEqual([f"0 calls up to {49 + 4 + struct.unpack('>I', data[49:53])[0]}", f"{calls.count('MPI_Comm_rank')} calls"], lines[-2:])
        self.assertEqual(2, len(lines))  # nothing is said below one percent

    def test_libundumpi_progress_is_said_with_each_percent(self):
        program = self.build("progress.c")
        for name in ("comm", "coll", "spawn", "syn-perf", "v0.6.7-cart"):
            trace = TRACES / f"{name}.bin"
            data = trace.read_bytes()
            footer = struct.unpack(">8Q", data[-64:])[6]
            ends = [int(line) for line in self.output(program, trace, 0, "ends").splitlines()]
            for bound in (len(data), ends[len(ends) // 2], ends[len(ends) // 3] + 1):
                lines, last = [], 0
                for end in ends:
                    if end >= min(footer, bound):
                        break
                    percent = 100 * end // len(data)
                    if percent > last:
                        lines.append(f"DUMPI trace {percent:3} percent complete: some.meta")
                    last = percent
                for callbacks in ("none", "all"):
                    self.assertEqual(lines, self.output(program, trace, bound, callbacks).splitlines(), (name, bound, callbacks))

    def test_libundumpi_callbacks_of_collective_operations_find_zeros_where_they_set_nothing(self):
        """As programs that read call by call get by with the original: their own stack decides, where ours has left nothing."""
        if any("sanitize" in flag for flag in CFLAGS):
            self.skipTest("sanitizers lay the stack out")
        program = self.build("unset.c")
        calls = sum(name in ("MPI_Barrier", "MPI_Bcast", "MPI_Allreduce") for name, *_ in ENTERING.findall(text_of("coll")))
        self.assertGreater(calls, 10)
        self.assertEqual(f"{calls} calls, 0 numbers\n", self.output(program, TRACES / "coll.bin"))

    def test_libundumpi_names_are_those_of_the_original(self):
        self.assertEqual(
            ["MPI_Send MPIO_Test MPI_Pcontrol DUMPI_NO_SUCH_FUNCTION",
             "MPI_INT user-defined-datatype user-defined-datatype",
             "MPI_ERRHANDLER_NULL user-defined-errhandler DUMPI_ERRHANDLER_ERROR",
             "user-info MPI_INFO_NULL",
             "MPI_MODE_NOCHECK|MPI_MODE_NOSTORE DUMPI_MODE_ERROR",
             "MPI_COMM_WORLD MPI_REQUEST_NULL",
             "1 0 1 0"],
            self.output(self.build("names.c")).splitlines())

    def test_libundumpi_headers_compile_alone(self):
        headers = sorted((COMPAT / "include/dumpi").rglob("*.h"))
        self.assertGreater(len(headers), 8)
        for header in headers:
            for compiler, language in ((CC, "c"), (CXX, "c++")):
                if compiler:
                    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", COMPAT / "include/dumpi", "-x", language]
                    self.assertEqual((0, ""), run(compiler, *flags, "-include", header, "/dev/null"), header)

    def test_libundumpi_damage_ends_nothing_but_the_reading(self):
        program = self.build("damaged.c")
        data = (TRACES / "comm.bin").read_bytes()
        offsets = struct.unpack(">8Q", data[-64:])
        whole = len(ENTERING.findall(text_of("comm")))
        cases = {
            "whole": data,
            "empty": b"",
            "other": b"\x7fELF" + data[4:],
            "cut": data[:-1],
            "odd": data[:16] + b"\xff\xff" + data[18:],
            "footless": data[: offsets[6]] + b"\0" * 16 + data[offsets[6] + 16 :],
        }
        for name, content in cases.items():
            self.path(name).write_bytes(content)
        lines = self.output(program, *[self.path(name) for name in cases], self.path("missing")).splitlines()
        self.assertEqual(
            [f"{whole} calls, sound", "0 sends", "not opened", "not opened", "not opened", "0 calls, damaged", "0 sends",
             f"{whole} calls, sound", "0 sends", "not opened"], lines)

    def test_libundumpi_survives_every_cut_and_every_turned_byte(self):
        lines = self.output(self.build("sweep.c"), TRACES / "spawn.bin", self.path("sweep.bin")).splitlines()
        calls = len(ENTERING.findall(text_of("spawn")))
        self.assertEqual([f"most turned files opened, 0 lost, {calls} calls"], lines)

    def test_libundumpi_headers_are_what_the_tables_make(self):
        self.assertEqual((0, ""), run(sys.executable, "-B", SOURCE / "tools/dumpi-headers", "--check"))

    def test_libundumpi_calls_can_be_read_by_the_handlers_of_their_numbers(self):
        for name in ("comm", "coll", "misc", "spawn", "syn-perf"):
            calls = ENTERING.findall(text_of(name))
            shown = [call for call in calls if call[0] != "MPI_Comm_rank"]
            lines = self.output(self.build("bindings.c"), TRACES / f"{name}.bin").splitlines()
            self.assertEqual([f"{call[0]} {call[1]}" for call in shown], lines[:-1], name)
            self.assertEqual(f"{len(shown)} calls, {len(shown)} results, {len(calls) - len(shown)} skipped, then 293", lines[-1])

    def test_libundumpi_every_call_can_be_read_into_its_struct(self):
        program = self.build("reread.c")
        for name in ("comm", "coll", "misc", "spawn", "syn-perf", "syn-clockwrap", "v0.6.7-cart"):
            copy = self.path(name)
            self.output(program, TRACES / f"{name}.bin", copy)
            text = self.output("env", "TZ=UTC", COMPAT / "bin/dumpi2ascii", "-a", copy)
            self.assertEqual(text_of(name), text, name)

    def test_libundumpi_header_and_footer_can_be_read_alone(self):
        lines = self.output(self.build("sections.c"), TRACES / "comm.bin").splitlines()
        text = text_of("comm")
        value = dict(re.findall(r"^(\w+)=(.*)$", text, re.M))
        self.assertEqual([value["hostname"], value["username"]], lines[0].split()[:2])
        self.assertEqual(["0", value["version"]], lines[0].split()[3:])
        counts = re.findall(r"^(\w+) called (\d+) times and ignored (\d+) times$", text, re.M)[:-1]
        self.assertEqual([" ".join(count) for count in counts if count[1] != "0"], lines[1:-1])
        self.assertEqual(f"own 13 {os.environ.get('LOGNAME', '<none>')}", lines[-1])

    def test_libundumpi_position_of_the_file_is_where_reading_goes_on(self):
        program = self.build("seeks.c")
        for name in ("comm", "coll", "misc", "spawn", "syn-perf"):
            calls = ENTERING.findall(text_of(name))
            times = [call[1] for call in calls]
            self.assertEqual(times[::-1], self.output(program, TRACES / f"{name}.bin", "back").splitlines(), name)
            left, skips = [], False
            for call in calls:
                if not skips:
                    left.append(call[1])
                skips = not skips and call[0] == "MPI_Comm_rank"
            self.assertEqual(left, self.output(program, TRACES / f"{name}.bin", "callback").splitlines(), name)
        ranks = re.findall(r"^MPI_Comm_rank entering.* thread (\d+)\.\nMPI_Comm comm=(\d+).*\nint rank=(-?\d+)$", text_of("comm"), re.M)
        expected = [call[1] for call in ENTERING.findall(text_of("comm"))]
        lines = self.output(program, TRACES / "comm.bin", "bytes").splitlines()
        self.assertEqual(expected, [line.split()[0] for line in lines])
        self.assertEqual([f"rank {rank} of {comm} by {thread}" for thread, comm, rank in ranks], [line.split(" ", 1)[1] for line in lines if " " in line])

    def test_libundumpi_files_that_are_not_read_ahead_are_read_exactly(self):
        program = self.build("unbuffered.c")
        for name in ("comm", "coll", "misc", "spawn", "syn-perf"):
            times = [call[1] for call in ENTERING.findall(text_of(name))]
            self.assertEqual(times + times, self.output(program, TRACES / f"{name}.bin").splitlines(), name)

    def test_libundumpi_counters_come_with_calls_that_are_read_one_by_one(self):
        lines = self.output(self.build("counters.c"), TRACES / "syn-perf.bin").splitlines()
        found = re.findall(r"^MPI_Comm_rank entering.*\nPerfcounters: \[(.*)\]\n(?:.*\n)*?int rank=(\d+)\nMPI_Comm_rank returning.*\n"
                           r"Perfcounters: \[(.*)\]$", text_of("syn-perf"), re.M)
        expected = []
        for entered, rank, left in found:
            pairs = zip(entered.split(", "), left.split(", "))
            expected.append(f"rank {rank} " + " ".join(f"{begin}..{end.split('=')[1]}" for begin, end in pairs))
        self.assertGreater(len(expected), 0)
        self.assertEqual([*expected, "2 labels, 0 active, PAPI_TOT_CYC"], lines)

    def test_libundumpi_traces_can_be_written_call_by_call(self):
        ours, macros = self.path("written"), self.path("macros")
        self.output(self.build("write_calls.c"), ours, macros)
        data = ours.read_bytes()
        self.assertEqual(data, macros.read_bytes())
        frame = bytes([0x00, 0x01]) + struct.pack(">HIHIHIHI", 1, 5, 1, 70, 10, 250000000, 11, 999999999)
        counters = struct.pack(">Bqqqq", 2, 1, 1 << 40, -2, -3)
        received = struct.pack(">HB", 1, 0xCF) + frame + counters + struct.pack(">ihiihi iibbi", 10, 9, 3, -1, 2, 1, 40, 3, 0, -1, 17)
        ignored = struct.pack(">HBH", 1, 0x4F, 0) + frame[2:] + struct.pack(">ihiihi", 10, 9, -1, 5, 3, 0)
        grouped = struct.pack(">HBH", 78, 0x4F, 0) + frame[2:] + struct.pack(">hi i iiii iiii h", 4, 2, 2, 3, 0, 6, 2, 3, 9, 1, -3, 5)
        begin = bytes.fromhex("FFAADD4455" "4D5049") + struct.pack(">ii", 2, 99990)
        self.assertEqual(begin + received + ignored + grouped + struct.pack(">H", 293), data[: data.index(b"\x0d\0\0")])
        text = self.output("env", "TZ=UTC", COMPAT / "bin/dumpi2ascii", "-HKFPAX", ours)
        for line in ("hostname=host", "Total keyvals: 2", "key=value", "second=", "MPI_Recv called 2 times and ignored 0 times",
                     "    LABEL_B", "Function address 4096 has label main", "Datatype 2 (MPI_CHAR) has size 1"):
            self.assertIn(f"{line}\n", text)

    def test_libundumpi_can_be_used_by_symbols_alone(self):
        if os.environ.get("QUIPU_CFLAGS"):
            self.skipTest("a sanitized library does not go into a Python that is not")
        lines = self.output(sys.executable, "-B", HERE / "clients/symbols.py", COMPAT / "lib/libundumpi.so.13", TRACES / "misc.bin").splitlines()
        text = text_of("misc")
        sizes = re.findall(r"^Datatype \d+ \(.*\) has size (\d+)$", text, re.M)
        value = dict(re.findall(r"^(\w+)=(.*)$", text, re.M))
        version = [int(part) for part in value["version"].split(".")]
        counts = re.findall(r"^(\w+) called (\d+) times and ignored (\d+) times$", text, re.M)[:-1]
        sends = re.findall(r"^MPI_Send entering at walltime (\S+), .*\nint count=(\d+)\nMPI_Datatype datatype=(\d+) .*\nint dest=(-?\d+).*\n"
                           r"int tag=(-?\d+).*\nMPI_Comm comm=(\d+)", text, re.M)
        self.assertGreater(len(sends), 0)
        self.assertEqual(
            [f"sizes={len(sizes)} int={sizes[9]}", f"version={version} host={value['hostname']} user={value['username']}",
             "versions [13, 0, 0]", "second name MPI_Recv", *[" ".join(count) for count in counts if count[1] != "0"],
             *[f"send {count} of {type_} to {dest} with {tag} in {comm} at {time}" for time, count, type_, dest, tag, comm in sends]],
            lines)


if __name__ == "__main__":
    unittest.main()
