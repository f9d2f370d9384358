"""quipu record --callsites: where calls of MPI are made, against what binutils say of the same programs: objdump lists the calls, and addr2line
says where each of them is and what the function that it is in was inlined into."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import BUILD, HERE, QUIPU, MpiTest, c_name  # noqa: E402

CALL = re.compile(r"^\s*([0-9a-f]+):.*\bcall\s+[0-9a-f]+ <((?:p?mpi_|MPI_)\w+?)_*(?:@plt|\$)?>", re.I)
NAMES = ("callsite", "function", "callers", "file", "region", "calls")


def has_lines():
    """Whether the collector was built with libdw."""
    done = subprocess.run(["ldd", BUILD / "record/quipu-record-mpi-collect"], capture_output=True, text=True)
    return "libdw" in done.stdout


def base(source):
    return source.rsplit("/", 1)[-1]


def plain(function):
    """Without what only addr2line shows: parameters of C++; and names of Fortran as they are written."""
    function = re.sub(r"\(.*\)( const)?$", "", function)
    function = re.sub(r"^(int|void) ", "", function)
    function = re.sub(r"^__\w+_MOD_", "", function)
    return re.sub(r"\.\d+$", "", function)


def calls_in(program):
    """{(name of the call, place, function, callers)} of all calls of MPI in a program's code."""
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = set()
    for line in lines:
        match = CALL.match(line)
        if not match:
            continue
        said = subprocess.run(["addr2line", "-f", "-i", "-C", "-e", program, match[1]], capture_output=True, text=True, check=True).stdout.splitlines()
        frames = [(plain(function), base(source.split(" ")[0])) for function, source in zip(said[::2], said[1::2])]
        callers = ", ".join(f"{function} ({source})" for function, source in frames[1:]) or None
        found.add((c_name(match[2] if match[2].startswith("MPI_") else match[2] + "_"), frames[0][1], frames[0][0], callers))
    return found


@unittest.skipUnless(has_lines(), "built without libdw")
class CallSites(MpiTest):
    def setUp(self):
        super().setUp()
        self.needs("objdump", "addr2line")

    def rows(self, trace):
        table = self.quipu_json("profile", trace, "--by", "callsite")
        columns = [column["name"] for column in table["columns"]]
        return [dict(zip(columns, row)) for row in table["rows"]]

    def record_sites(self, mpi, *command, suffix=".otf"):
        done = self.record("run", *mpi.launch(*command, ranks=2), options=("--callsites", "-o", "trace" + suffix, "--force"))
        self.assertEqual(0, done.returncode, done.stderr)
        return self.path("run/trace" + suffix)

    def compile_cc(self, mpi, *options):
        compiler = "mpicxx." + mpi.name
        self.needs(compiler)
        program = self.path("sites")
        subprocess.run([compiler, "-w", HERE / "sites.cc", "-o", program, *options], check=True)
        return program

    def recorded(self, trace):
        return {(row["region"], row["callsite"], plain(row["function"] or ""), row["callers"]) for row in self.rows(trace)}

    def compare(self, mpi, program, *others, suffix=".otf"):
        trace = self.record_sites(mpi, program, *others, suffix=suffix)
        expected = set().union(*(calls_in(of) for of in (program, *others)))
        self.assertLess(4, len(expected))
        self.assertEqual(expected, self.recorded(trace))

    def compare_c(self, name):
        mpi = self.mpi(name)
        library = self.compile(mpi, HERE / "opened.c", "-g", "-O2", "-shared", "-fPIC", name="opened.so")
        for options in (("-O2",), ("-O0",), ("-O2", "-no-pie"), ("-O2", "-gdwarf-4")):
            with self.subTest(options=options):
                self.compare(mpi, self.compile(mpi, HERE / "sites.c", "-g", *options), library)

    def test_c_on_openmpi(self):
        self.compare_c("openmpi")

    def test_c_on_mpich(self):
        self.compare_c("mpich")

    def test_cc(self):
        for name in ("openmpi", "mpich"):
            with self.subTest(mpi=name):
                self.compare(self.mpi(name), self.compile_cc(self.mpi(name), "-g", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"))

    def test_fortran(self):
        for name in ("openmpi", "mpich"):
            for module in ("mpi", "mpi_f08"):
                mpi = self.mpi(name)
                with self.subTest(mpi=name, module=module):
                    program = self.compile(mpi, HERE / "sites.F90", "-g", "-O1", f"-DMODULE={module}")
                    found = self.recorded(self.record_sites(mpi, program))
                    # addr2line names procedures inside of others, and programs, after what they were inlined into
                    self.assertEqual({(region, source, callers) for region, source, _, callers in calls_in(program)},
                                     {(region, source, callers) for region, source, _, callers in found})
                    self.assertEqual({("MPI_Allreduce", "exchange"), ("MPI_Barrier", "synchronize"), ("MPI_Init", "sites"),
                                      ("MPI_Comm_rank", "sites"), ("MPI_Finalize", "sites")}, {(row[0], row[2]) for row in found})

    def test_otf2_holds_the_same(self):
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, HERE / "sites.c", "-g", "-O2")
        trace = self.record_sites(mpi, program, suffix=".otf2")
        if subprocess.run([QUIPU, "info", trace], capture_output=True).returncode != 0:
            self.skipTest("built without libotf2")
        expected = {row for row in calls_in(program)}
        self.assertEqual(expected, self.recorded(trace))

    def test_every_call_has_its_place(self):
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, HERE / "sites.c", "-g", "-O2")
        rows = {(row["region"], row["function"]): row for row in self.rows(self.record_sites(mpi, program))}
        self.assertEqual(3, rows["MPI_Send", "pack"]["calls"])
        self.assertEqual("exchange", rows["MPI_Send", "pack"]["callers"].split("step (")[1].split(", ")[1].split(" ")[0])
        self.assertEqual(6, rows["MPI_Barrier", "exchange"]["calls"])  # three of each rank
        self.assertEqual(str(HERE / "sites.c"), os.path.realpath(rows["MPI_Barrier", "exchange"]["file"]))
        self.assertNotIn((None, None), {(row["callsite"], row["function"]) for row in rows.values()})

    def test_a_program_without_lines_has_functions(self):
        mpi = self.mpi("mpich")
        program = self.compile(mpi, HERE / "sites.c", "-O2")
        trace = self.record_sites(mpi, program)
        self.assertEqual({"main (sites)", "exchange (sites)"}, {row["callsite"] for row in self.rows(trace)})
        subprocess.run(["strip", program], check=True)
        sites = {row["callsite"] for row in self.rows(self.record_sites(mpi, program))}
        self.assertTrue(all(re.fullmatch(r"sites\+0x[0-9a-f]+", site) for site in sites), sites)

    def test_what_cannot_hold_them_is_refused(self):
        done = self.run_in("run", QUIPU, "record", "--callsites", "-o", "trace.meta", "--", "true")
        self.assertEqual(2, done.returncode)
        self.assertIn(b"dumpi cannot hold where calls are made (--callsites); choose another format: otf", done.stderr)

    def test_collecting_into_what_cannot_hold_them_says_so(self):
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, HERE / "sites.c", "-g")
        folder = Path(self.path("files"))
        folder.mkdir()
        environment = {"LD_PRELOAD": str(BUILD / "record/libquipu-record-mpi.so"), "QUIPU_RECORD_FOLDER": str(folder), "QUIPU_RECORD_CALLSITES": "yes"}
        done = self.run_in("run", *mpi.launch("env", *(f"{name}={value}" for name, value in environment.items()), program, ranks=2))
        self.assertEqual(0, done.returncode, done.stderr)
        shutil.copytree(folder, self.path("again"))
        done = self.run_in("run", QUIPU, "record", "--collect", folder, "-o", "trace.meta", "--report", "report.json")
        self.assertEqual(0, done.returncode, done.stderr)
        report = json.loads(Path(self.path("run/report.json")).read_text())
        calls = sum(sum(calls.values()) for calls in self.recorded_counts(self.path("run/trace.meta")).values())
        self.assertEqual({"call_sites": calls}, report["not_recorded"])
        done = self.run_in("run", QUIPU, "record", "--collect", self.path("again"), "-o", "trace.otf")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(calls_in(program), self.recorded(self.path("run/trace.otf")))


if __name__ == "__main__":
    unittest.main()
