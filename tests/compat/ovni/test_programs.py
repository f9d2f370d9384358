"""Programs instrumented with ovni.h: compiled with our include and library path only, their streams read by the
specification's layout."""
import json
import os
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from streams import BUILD, INCLUDE, LIBRARY, PROGRAMS, SANITIZED, SOURCE, StreamsTest, decode  # noqa: E402

GOLDEN = SOURCE.parent / "shared/traces/ovni"
FUNCTIONS = 35
LAUNCHERS = {"mpicc.openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpicc.mpich": ["mpiexec.mpich"]}
COMMANDS = BUILD / "compat/bin"


class Programs(StreamsTest):
    def mcvs(self, events):
        return [event.mcv for event in events]

    def assert_sorted(self, events):
        self.assertEqual([], [b for a, b in zip(events, events[1:]) if b.clock < a.clock])

    def test_programs_threads(self):
        streams = self.trace_of("threads")
        self.assertEqual(["100", "101", "102", "103", "104"], list(streams))
        for tid, (metadata, events) in streams.items():
            self.assertEqual((3, "thread", int(tid), 100, "node.0", 1, 1), (
                metadata["version"], *(metadata["ovni"][key] for key in ("part", "tid", "pid", "loom", "app_id", "finished"))))
            self.assert_sorted(events)
        expected = "OHx OHp OHr OHc OHp OHw OHr OAs OAs OHe".split()
        self.assertEqual(expected, self.mcvs(streams["103"][1]))
        self.assertEqual(struct.pack("=iiQ", 3, 100, 2), streams["103"][1][0].payload)
        self.assertEqual("OHx OHp OHC OHC OHC OHC OHr OHe".split(), self.mcvs(streams["100"][1]))
        self.assertEqual(
            [{"index": i, "phyid": 10 + i} for i in range(5)], streams["100"][0]["ovni"]["loom_cpus"])

    def test_programs_marks(self):
        streams = self.trace_of("marks")
        self.assertEqual(
            {"1": {"title": "Iteration", "chan_type": "single", "labels": {"5": "the fifth"}},
             "2": {"title": 'Phase "x"', "chan_type": "stack", "labels": {"1": "outer/inner"}}},
            streams["11"][0]["ovni"]["mark"])
        marks = [(e.mcv, *struct.unpack("=qi", e.payload)) for e in streams["11"][1] if e.mcv[:2] == "OM"]
        sets = [("OM=", i, 1) for i in range(1, 11)]
        self.assertEqual([("OM[", 1, 2), *sets, ("OM[", 2, 2), ("OM]", 2, 2), ("OM]", 1, 2)], marks)
        other = [(e.mcv, *struct.unpack("=qi", e.payload)) for e in streams["12"][1] if e.mcv[:2] == "OM"]
        self.assertEqual([("OM=", -7, 1), ("OM[", 2**63 - 1, 2), ("OM]", 2**63 - 1, 2)], other)

    @unittest.skipUnless(shutil.which("localedef") and Path("/usr/share/i18n/locales/de_DE").exists(), "no locale with a comma can be made here")
    def test_programs_write_numbers_with_a_point_in_any_locale(self):
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")], check=True)
        metadata = self.trace_of("locale", LC_ALL="de_DE.UTF-8", LOCPATH=str(self.folder))["31"][0]
        self.assertEqual({"tolerance": 0.5, "settings": {"alpha": 0.25}}, metadata["solver"])

    def test_programs_bursts_fill_the_buffer(self):
        events = self.trace_of("bursts")["20"][1]
        # 8 bytes of header are in the file already: the buffer holds the 28 bytes of OHx and bursts below 2 MiB.
        first = (2 * 1024 * 1024 - 28 - 1) // 12
        mcvs = self.mcvs(events)
        self.assertEqual(["OHx"] + ["OB."] * (first + 1) + ["OF[", "OF]"], mcvs[: first + 4])
        self.assertEqual((300000, 1, "OHe"), (mcvs.count("OB."), mcvs.count("OF["), mcvs[-1]))
        self.assert_sorted([event for event in events if event.mcv != "OB."])

    def test_programs_jumbo_of_all_sizes(self):
        events = self.trace_of("jumbo")["30"][1]
        data = bytes(i & 255 for i in range(2097152))
        sizes = [0, 1, 15, 16, 1000, 65536, 1000000, 1000000, 1000000, 2097111, 2097112, 2097123, 2097124, 2097135]
        jumbos = [event for event in events if event.mcv == "OUj"]
        self.assertEqual(sizes, [struct.unpack_from("=I", event.payload)[0] for event in jumbos])
        self.assertTrue(all(event.payload[4:] == data[: len(event.payload) - 4] for event in jumbos))
        flushes = [event.mcv for event in events if event.mcv[:2] == "OF"]
        self.assertEqual(["OF[", "OF]"] * (len(flushes) // 2), flushes)

    def test_programs_flush(self):
        events = self.trace_of("flush")["40"][1]
        self.assertEqual("OF[ OF] OHx OB. OF[ OF] OF[ OF] OB. OF[ OF] OHe".split(), self.mcvs(events))
        self.assert_sorted(events)

    def test_programs_attributes(self):
        metadata = self.trace_of("attributes")["50"][0]
        self.assertEqual(["version", "ovni", "app"], list(metadata))
        self.assertEqual(
            "lib part tid pid loom app_id require rank nranks loom_cpus finished".split(), list(metadata["ovni"]))
        self.assertEqual({"ovni": "1.1.0", "nosv": "2.7.0"}, metadata["ovni"]["require"])
        self.assertEqual((1, 2), (metadata["ovni"]["rank"], metadata["ovni"]["nranks"]))
        self.assertEqual(
            {"number": 0.1, "flag": True, "text": 'a/b "c" é', "list": [1, {"a": None}, "\x01x", -1500]}, metadata["app"])

    def test_programs_processes_and_looms(self):
        streams = self.trace_of("processes")
        looms = sorted((m["ovni"]["loom"], m["ovni"]["pid"], m["ovni"]["rank"], len(e)) for m, e in streams.values())
        self.assertEqual(
            [(f"node{1 + n // 2}.0", 100 * (n + 1), n, 1002) for n in range(4) for _ in range(2)], looms)

    def test_programs_clock(self):
        for clock in ("tsc", "system"):
            code, out, err = self.run_program(self.build(PROGRAMS / "clock.c"), QUIPU_CLOCK=clock)
            self.assertEqual((0, ""), (code, err))
            self.assertLess(int(out), 100000)

    def test_programs_temporary_folder(self):
        streams = self.trace_of("threads", OVNI_TMPDIR="fast/disk", OVNI_TRACEDIR="a/trace")
        self.assertEqual({}, streams)
        self.assertEqual(5, len(self.streams(self.path("a/trace"))))
        self.assertEqual([], [str(p) for p in Path(self.path("fast/disk")).rglob("*")])
        names = {path.name for path in Path(self.path("a/trace")).rglob("*") if path.is_file()}
        self.assertEqual({"stream.obs", "stream.json"}, names)

    def test_programs_a_second_run_replaces_the_first(self):
        self.trace_of("bursts")
        stream = Path(self.path("ovni/loom.bursts.0/proc.20/thread.20/stream.obs"))
        stream.write_bytes(stream.read_bytes() + b"old")
        self.trace_of("bursts")

    def test_programs_a_full_disk_stops_recording_once(self):
        program = self.build(PROGRAMS / "full.c")
        for limit in (3 << 20, 5 << 20):
            code, _, err = self.run_program(program, str(limit))
            self.assertEqual(7, code)
            self.assertRegex(err, r"^libovni: \w+: .*stream.obs: File too large; recording stops, the program goes on\n$")
            metadata, events = self.streams(self.path("ovni"))["80"]
            self.assertNotIn("finished", metadata["ovni"])
            self.assertIn("File too large", metadata["quipu"]["stopped"])
            self.assertGreater(len(events), 170000)
        code, _, err = self.run_program(program, "100000")
        self.assertEqual(7, code)
        self.assertRegex(err, "^libovni: ovni_thread_init: .*File too large.*\n$")

    def test_programs_a_folder_that_cannot_be_made(self):
        Path(self.path("file")).write_text("")
        code, _, err = self.run_program(self.build(PROGRAMS / "full.c"), OVNI_TRACEDIR="file/trace")
        self.assertEqual(7, code)
        self.assertRegex(err, "^libovni: ovni_proc_init: file/trace/.*: Not a directory; recording stops[^\n]*\n$")

    def test_programs_header_is_c_and_cxx(self):
        for compiler, standard in (("cc", "-std=c99"), ("c++", "-std=c++98")):
            source = Path(self.path("header." + ("c" if compiler == "cc" else "cc")))
            source.write_text("#include <ovni.h>\nint main(void) { struct ovni_ev ev; return sizeof ev == 28 ? 0 : 1; }\n")
            done = subprocess.run(
                [compiler, standard, "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, source, "-o", self.path("header")],
                stderr=subprocess.PIPE, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertEqual(0, subprocess.run([self.path("header")]).returncode)

    def test_programs_are_emulated(self):
        """All but those that break rules, are killed or write no trace that is whole. "clock" has no threads."""
        names = {path.stem for path in PROGRAMS.glob("*.c")} - {"emitter", "full", "misuse", "mpi"}
        self.assertLessEqual({"attributes", "bursts", "flush", "jumbo", "marks", "processes", "threads"}, names)
        for name in sorted(names):
            with self.subTest(name):
                trace = self.path(name + ".trace")
                code, _, err = self.run_program(self.build(PROGRAMS / f"{name}.c"), OVNI_TRACEDIR=trace)
                self.assertEqual((0, ""), (code, err))
                done = subprocess.run([COMMANDS / "ovniemu", "-l", trace], stderr=subprocess.PIPE, text=True)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertGreater(len((Path(trace) / "thread.prv").read_text().splitlines()), 0 if name == "clock" else 1)

    @unittest.skipIf(SANITIZED, "the sanitizers' libraries do not go with those of MPI")
    def test_programs_of_mpi_have_looms_processes_and_ranks_on_one_timeline(self):
        found = [(wrapper, launcher) for wrapper, launcher in LAUNCHERS.items() if shutil.which(wrapper) and shutil.which(launcher[0])]
        if not found:
            self.skipTest("no MPI is installed")
        for wrapper, launcher in found:
            with self.subTest(wrapper):
                program, trace = self.path(wrapper), self.path(wrapper + ".trace")
                subprocess.run([wrapper, "-O1", "-I", INCLUDE, PROGRAMS / "mpi.c", "-o", program, "-L", LIBRARY, "-lovni", "-lpthread"],
                               check=True)
                code, _, err = self.run_program(launcher[0], *launcher[1:], "-n", "4", program, OVNI_TRACEDIR=trace)
                self.assertEqual(0, code, err)
                streams = self.streams(trace)
                self.assertEqual([("node0.0", 0), ("node0.0", 1), ("node1.0", 2), ("node1.0", 3)], [
                    (metadata["ovni"]["loom"], metadata["ovni"]["rank"]) for metadata, _ in streams.values()])
                for _, events in streams.values():
                    self.assertEqual(["OHx", *["MRo", "MRO"] * 100, "MCb", "MCB", "OHe"], [event.mcv for event in events])
                # No rank leaves the barrier before the last one has entered it.
                self.assertGreaterEqual(min(e.clock for _, events in streams.values() for e in events if e.mcv == "MCB"),
                                        max(e.clock for _, events in streams.values() for e in events if e.mcv == "MCb"))
                offsets = Path(trace) / "clock-offsets.txt"
                offsets.write_text("rank host median mean std\n0 node0 0 0 0\n2 node1 0 0 0\n")
                done = subprocess.run([COMMANDS / "ovniemu", "-l", trace], stderr=subprocess.PIPE, text=True)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn("2 looms, 4 processes, 4 threads", done.stderr)
                profile = subprocess.check_output([BUILD / "quipu", "profile", "--by", "location", "--csv", trace], text=True)
                self.assertEqual(4, profile.count(",MPI_Barrier,"))

    @unittest.skipIf(SANITIZED, "sanitizers export names and need libraries")
    def test_programs_library_exports_its_functions_and_needs_nothing(self):
        library = LIBRARY / "libovni.so.1"
        names = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True).split()[2::3]
        self.assertEqual((FUNCTIONS, True), (len(names), all(name.startswith("ovni_") for name in names)))
        needed = subprocess.check_output(["readelf", "-d", library], text=True)
        self.assertEqual(["libc.so.6"], [line.split("[")[1][:-1] for line in needed.splitlines() if "NEEDED" in line])
        self.assertIn("Library soname: [libovni.so.1]", needed)

    # needs: shared
    def test_programs_of_the_golden_traces_give_the_same_bytes(self):
        sources = [path for path in sorted(GOLDEN.glob("src/t[0-9][0-9]_*.c")) if (GOLDEN / path.stem / "trace").is_dir()]
        if not sources:
            self.skipTest("the golden traces are not here")
        for source in sources:
            if source.stem == "t16_pthreads":  # its clocks and threads are real
                continue
            trace = self.path(source.stem + ".trace")
            program = self.build(source)
            self.assertEqual((0, ""), self.run_program(program, OVNI_TRACEDIR=trace)[::2])
            golden = GOLDEN / source.stem / "trace"
            paths = [path for path in golden.rglob("stream.*")]
            self.assertNotEqual([], paths)
            for path in paths:
                with self.subTest(path=path):
                    self.assertEqual(path.read_bytes(), (Path(trace) / path.relative_to(golden)).read_bytes())


if __name__ == "__main__":
    unittest.main()
