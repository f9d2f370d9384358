"""libdumpi.so, preloaded or linked: the files that it writes, what dumpi.conf and the program may set, beside the original's traces."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "record/mpi"))
from mpis import BUILD, MPIS, QUIPU, SOURCE, MpiTest  # noqa: E402

HERE = Path(__file__).resolve().parent
LIBRARY = BUILD / "compat/lib/libdumpi.so"
INCLUDE = BUILD / "compat/include/dumpi"
DUMPI2ASCII = BUILD / "compat/bin/dumpi2ascii"
SHARED = SOURCE.parent / "shared/traces/dumpi"
NAME = re.compile(r"(.*)-\d{4}\.\d\d\.\d\d\.\d\d\.\d\d\.\d\d(-\d{4}\.bin|\.meta)")

# Calls of small.c in order, as the original recorded them; MPI_Wait only where MPI_Test has not succeeded.
SMALL = ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Irecv", "MPI_Iprobe", "MPI_Test", "MPI_Send", "MPI_Wait", "MPI_Sendrecv",
         "MPI_Allreduce", "MPI_Barrier", "MPI_Finalize"]
# dumpi.conf: (how names begin, the mask of all records, names of those). The first four masks are those of the original's runs.
CONFS = {
    "": ("dumpi", 0x4f, SMALL),
    "timestamp=cpu\nfileroot cpu-run\n": ("cpu-run", 0x47, SMALL),
    "timestamp none\n": ("dumpi", 0x43, SMALL),
    "# comment\ntimestamp\twall # x\n": ("dumpi", 0x4b, SMALL),
    "statuses disable\n": ("dumpi", 0x4c, SMALL),
    "statuses success\nMPI_Iprobe success\nMPI_Test success\n": ("dumpi", 0x4d, SMALL),
    "MPI_Default disable\nMPI_Send enable\nMPI_Allreduce success\n": ("dumpi", 0x4f, ["MPI_Send", "MPI_Allreduce"]),
    "MPI_Default disable\n": ("dumpi", None, []),
    "MPI_Send disable\nMPI_Send enable\nMPI_Default enable\nMPI_Default disable\n": ("dumpi", 0x4f, [name for name in SMALL if name != "MPI_Send"]),
}


@unittest.skipUnless(LIBRARY.exists(), "no MPI is installed")
class Libdumpi(MpiTest):
    def each_mpi(self):
        """Those that are installed, with an empty folder for each."""
        for mpi in MPIS.values():
            if mpi.is_there():
                shutil.rmtree(self.path("run"), ignore_errors=True)
                yield mpi

    def small(self, mpi):
        return self.compile(mpi, HERE / "small.c", name=f"small.{mpi.name}")

    def control(self, mpi):
        return self.compile(mpi, HERE / "control.c", f"-I{INCLUDE}", f"-L{LIBRARY.parent}", f"-Wl,-rpath,{LIBRARY.parent}", "-Wl,--no-as-needed", "-ldumpi",
                            name=f"control.{mpi.name}")

    def start(self, mpi, *command, conf=None, ranks=2, **environment):
        Path(self.path("run")).mkdir(exist_ok=True)
        if conf is not None:
            Path(self.path("run/dumpi.conf")).write_text(conf)
        return self.run_in("run", *mpi.launch(*command, ranks=ranks), environment=environment)

    def preloaded(self, mpi, conf=None, **environment):
        """small.c's run, which preloads itself, since launchers are not recorded."""
        Path(self.path("run")).mkdir(exist_ok=True)
        shutil.copy(self.small(mpi), self.path("run/small"))
        done = self.start(mpi, "env", f"LD_PRELOAD={LIBRARY}", "./small", conf=conf, **environment)
        os.unlink(self.path("run/small"))
        self.assertEqual((0, b""), (done.returncode, done.stdout), done.stderr)
        return done

    def test_libdumpi_counters_add_up(self):
        """Names are the values of keys that begin with PAPI; the values those of the tests' own libpapi (record/mpi/fake_papi.c)."""
        for mpi in self.each_mpi():
            with self.subTest(mpi.name):
                subprocess.run([mpi.compiler, "-w", "-shared", "-fPIC", SOURCE / "tests/record/mpi/fake_papi.c", "-o", self.path("libpapi.so")], check=True)
                done = self.preloaded(mpi, "PAPI FAKE_TEN\nPAPI_2 = FAKE_ONE\nPAPI NO_SUCH\n", LD_LIBRARY_PATH=self.folder)
                self.assertEqual(b"quipu: NO_SUCH: Event does not exist; recording goes on without\n", done.stderr)
                path = sorted(Path(self.path("run")).glob("*-0000.bin"))[0]
                shown = subprocess.run([QUIPU, "cat", "--records", "--json", "--quiet", path], capture_output=True, text=True)
                records = [json.loads(line) for line in shown.stdout.splitlines()]
                self.assertEqual([["FAKE_TEN", "FAKE_ONE"]], [record["fields"]["names"] for record in records if record["type"] == "counters"])
                first = next(record["fields"] for record in records if record["type"] == "MPI_Init")
                self.assertEqual((0xcf, [(10, 20), (1, 2)]), (first["mask"], [(counter["in"], counter["out"]) for counter in first["counters"]]))

    def files(self, folder="run"):
        """What a run has left besides its configuration: (how names begin, how they end)."""
        return sorted(NAME.fullmatch(name).groups() for name in os.listdir(self.path(folder)) if name != "dumpi.conf")

    def trace(self, folder="run"):
        return next(Path(self.path(folder)).glob("*.meta"))

    def records(self, rank, folder="run"):
        done = subprocess.run([QUIPU, "cat", "--records", "--json", "--quiet", self.trace(folder)], capture_output=True, text=True)
        return [(r["type"], r["fields"]) for r in map(json.loads, done.stdout.splitlines()) if r["stream"] == rank]

    def calls(self, rank):
        return [(kind, fields) for kind, fields in self.records(rank) if kind.startswith(("MPI_", "Function"))]

    def text(self, path):
        """What dumpi2ascii prints, without times."""
        done = subprocess.run([DUMPI2ASCII, "-a", path], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return without_chance(done.stdout)

    def test_libdumpi_settings_of_the_file(self):
        for mpi in self.each_mpi():
            for conf, (root, mask, names) in CONFS.items():
                with self.subTest(conf):
                    shutil.rmtree(self.path("run"), ignore_errors=True)
                    done = self.preloaded(mpi, conf)
                    self.assertNotIn(b"quipu:", done.stderr)
                    self.assertEqual([(root, "-0000.bin"), (root, "-0001.bin"), (root, ".meta")], self.files())
                    self.assert_sound(self.trace())
                    for rank in range(2):
                        calls = self.calls(rank)
                        self.assertEqual([name for name in names if name != "MPI_Wait"], [name for name, _ in calls if name != "MPI_Wait"])
                        self.assertEqual({mask} - {None}, {fields["mask"] for _, fields in calls})
                        footer = dict(self.records(rank))["footer"]
                        self.assertEqual((1, 0 if "MPI_Send" in names else 1), (footer["called"][0], footer["ignored"][0]))
                        self.assertEqual(len(calls), footer["called"][290] - footer["ignored"][290])

    # needs: shared
    def test_libdumpi_writes_what_the_original_wrote(self):
        mpi = self.mpi("openmpi")
        if not SHARED.is_dir():
            self.skipTest("there is no folder shared")
        for golden in sorted(SHARED.glob("conf-*")):
            with self.subTest(golden.name):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                self.preloaded(mpi, (golden / "dumpi.conf").read_text())
                named = [NAME.fullmatch(path.name) for path in golden.iterdir()]
                self.assertEqual(sorted(found.groups() for found in named if found), self.files())
                for rank in ("0000", "0001"):
                    expected = without_chance(next(golden.glob(f"*-{rank}.txt")).read_text())
                    self.assertEqual(expected, self.text(next(Path(self.path("run")).glob(f"*-{rank}.bin"))))
                self.assertEqual(metafile(next(golden.glob("*.meta"))), metafile(self.trace()))

    def test_libdumpi_metafile(self):
        for mpi in self.each_mpi():
            Path(self.path("run/sub")).mkdir(parents=True)
            self.preloaded(mpi, "fileroot sub/my\n", LOGNAME="ada")
            self.assertEqual([("my", "-0000.bin"), ("my", "-0001.bin"), ("my", ".meta")], self.files("run/sub"))
            meta = self.trace("run/sub")
            lines = dict(line.split("=", 1) for line in meta.read_text().splitlines())
            self.assertEqual(["hostname", "numprocs", "username", "startime", "fileprefix", "version", "subversion", "subsubversion"], list(lines))
            self.assertEqual(("2", "ada", f"sub/{meta.stem}", "13"), tuple(lines[key] for key in ("numprocs", "username", "fileprefix", "version")))
            self.assert_sound(meta)

    def test_libdumpi_runs_of_one_second_have_names_of_their_own(self):
        for mpi in self.each_mpi():
            for _ in range(3):
                self.preloaded(mpi)
            self.assertEqual(9, len(self.files()))

    def test_libdumpi_configuration_by_its_environment(self):
        for mpi in self.each_mpi():
            other = Path(self.path("other.conf"))
            other.write_text("fileroot other\n")
            self.preloaded(mpi, "fileroot here\n", DUMPI_CONF=str(other), DUMPI_MEMBUF_SIZE="4096")
            self.preloaded(mpi, "fileroot here\n", DUMPI_CONF=self.path("nowhere"))
            self.assertEqual({"other", "here"}, {root for root, _ in self.files()})

    def test_libdumpi_reports_lines_that_mean_nothing(self):
        mpi = self.mpi("openmpi")
        conf = "fileroot a\nfileroot b\ntimestamp never\nMPI_Nothing enable\nMPI_Send maybe\nalone\nPAPI PAPI_TOT_INS\ntracing enter\ndebug libdumpi\n"
        done = self.preloaded(mpi, conf)
        said = {line for line in done.stderr.decode().splitlines() if line.startswith("quipu: dumpi.conf")}
        self.assertEqual({
            'quipu: dumpi.conf: line 2: fileroot "b": the file root was set before; ignored',
            'quipu: dumpi.conf: line 3: timestamp "never": expected one of none, cpu, wall, full; ignored',
            'quipu: dumpi.conf: line 4: MPI_Nothing "enable": unknown key; ignored',
            'quipu: dumpi.conf: line 5: MPI_Send "maybe": expected one of disable, success, enable; ignored',
            "quipu: dumpi.conf: functions: tracing is set to enter", "quipu: dumpi.conf: settings were read"}, said)
        self.assertEqual({"a"}, {root for root, _ in self.files()})

    def test_libdumpi_calls_of_the_program(self):
        for mpi in self.each_mpi():
            done = self.start(mpi, self.control(mpi), ranks=1)
            self.assertEqual((0, b"2 10\n"), (done.returncode, done.stdout), done.stderr)
            self.assertEqual({"named"}, {root for root, _ in self.files()})
            self.assert_sound(self.trace())
            calls = self.calls(0)
            self.assertEqual(["MPI_Initialized", "MPI_Init", "MPI_Comm_rank", *["MPI_Sendrecv"] * 3, "MPI_Barrier",
                              *["Function_enter", "Function_exit"] * 3, "MPI_Finalize"], [name for name, _ in calls])
            self.assertEqual([0x4f, 0x4c, 0x4d], [fields["mask"] for name, fields in calls if name == "MPI_Sendrecv"])
            self.assertEqual([4096, 4096, 7, 7, 7, 7], [fields["fn"] for name, fields in calls if name.startswith("Function")])
            sections = dict(self.records(0))
            labels = {}
            for label in sections["addresses"]["addresses"]:
                labels.setdefault(label["address"], label["name"])
            self.assertEqual({4096: "ANNOTATION: phase 1 of two", 7: "ANNOTATION: mark a"}, labels)
            footer = sections["footer"]
            self.assertEqual([(2, 1), (3, 2)], [(footer["called"][i], footer["ignored"][i]) for i in (82, 52)])  # MPI_Comm_rank, MPI_Barrier

    def test_libdumpi_tracing(self):
        for mpi in self.each_mpi():
            for value, expected in (("enter", ["Function_enter"] * 3), ("exit", ["Function_exit"] * 3), ("disable", [])):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                self.start(mpi, self.control(mpi), ranks=1, conf=f"tracing enable\ntracing {value}\n")
                self.assertEqual(expected, [name for name, _ in self.calls(0) if name.startswith("Function")])
                self.assertTrue(dict(self.records(0))["addresses"]["addresses"])

    def test_libdumpi_completes_traces_at_exit_and_abort(self):
        for mpi in self.each_mpi():
            for mode, code, last in (("exit", 3, "MPI_Comm_rank"), ("abort", 4, "MPI_Abort")):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                done = self.start(mpi, self.control(mpi), mode, ranks=1)
                self.assertEqual(code, done.returncode, done.stderr)
                self.assertEqual([("named", "-0000.bin"), ("named", ".meta")], self.files())
                self.assertEqual(last, self.calls(0)[-1][0])

    def test_libdumpi_of_processes_that_end_at_once_is_repaired(self):
        """Both have a folder of their own."""
        for mpi in self.each_mpi():
            self.start(mpi, self.control(mpi), "kill", ranks=2)
            folders = sorted(Path(self.path("run")).glob("named-recording-*"))
            self.assertEqual(2, len(folders))
            done = self.run_in("run", QUIPU, "repair", *folders, "-o", "repaired.meta")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assert_sound(self.path("run/repaired.meta"))
            for path in Path(self.path("run")).glob("named-*.meta"):
                path.unlink()
            for rank in range(2):
                self.assertEqual(["MPI_Initialized", "MPI_Init"], [name for name, _ in self.calls(rank)][:2])

    def test_libdumpi_leaves_programs_alone_where_it_cannot_write(self):
        for mpi in self.each_mpi():
            done = self.preloaded(mpi, "fileroot nowhere/x\n")
            said = [line for line in done.stderr.decode().splitlines() if line.startswith("quipu:")]
            self.assertEqual(2, len(said), done.stderr)
            for line in said:
                self.assertRegex(line, r"nowhere/x-recording-\w+: No such file or directory; recording of MPI stops, the program goes on$")
            self.assertEqual(["dumpi.conf"], os.listdir(self.path("run")))


def without_chance(text):
    """What dumpi2ascii prints, but for times, names of machines, and whether MPI_Test has found a message."""
    text = re.sub(r" at walltime .*", "", text)
    text = re.sub(r"(?m)^(starttime|hostname|username)=.*\n", "", text)
    text = re.sub(r"MPI_Wait entering\n(.*\n)*?MPI_Wait returning\n", "", text)
    text = re.sub(r"(MPI_Test entering\nMPI_Request request=.*\n)(.*\n)*?(MPI_Test returning)", r"\1\3", text)
    text = re.sub(r"(MPI_Wait|MPI_ALL_FUNCTIONS) called .*", "", text)
    # The original has two names for one handle of Open MPI; types without a size of its own have the usual one here.
    return re.sub(r"Datatype (16|20|21) .*", "", text)


def metafile(path):
    lines = dict(line.split("=", 1) for line in path.read_text().splitlines())
    lines["fileprefix"] = NAME.sub(r"\1", lines["fileprefix"] + ".meta")
    return {key: value for key, value in lines.items() if key not in ("hostname", "startime", "username")}


if __name__ == "__main__":
    unittest.main()
