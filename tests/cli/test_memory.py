"""--max-memory bounds the whole command, whatever the input, and what does not fit is exit 6, never a loss."""
import os
import pathlib
import subprocess
import sys
import unittest

from folder import FolderTest
from peak import OF_THE_PROGRAM, is_sanitized, peak_of

SOURCE = pathlib.Path(os.environ["QUIPU_SOURCE"])
BUILD = pathlib.Path(os.environ["QUIPU_BUILD"])
QUIPU = BUILD / "quipu"

LIMIT = 24 << 20
OF_THE_FILE = 12 << 20  # pages of the temporary file, which the system can take back: three eighths beside the eighth that stays
MANY = 60000
HEAD = "DTR3b9aca00\n"
PHASES = SOURCE / "examples" / "traces" / "phases"

COMMANDS = [
    "info",
    "cat -o {out}/events",
    "cat --records -o {out}/records",
    "check",
    "profile --csv",
    "state --at end",
    "convert --to otf -o {out}/o.otf",
    "convert --to dumpi -o {out}/o.meta",
    "convert --to perfetto -o {out}/o.perfetto",
    "convert --to chrome -o {out}/o.json",
    "convert --to paraver -o {out}/o.prv",
    "convert --to goal -o {out}/o.goal",
    "merge -o {out}/m{own}",
    "repair -o {out}/r{own}",
    "index -o {out}/i.qpx",
]

class Memory(FolderTest):
    def made(self, name):
        folder = pathlib.Path(self.path(name))
        folder.mkdir(exist_ok=True)
        return folder

    def otf(self, name, definitions, streams):
        """A trace with these lines of definitions, and the events of each stream."""
        folder = self.made(name)
        (folder / "t.otf").write_text("".join("%x:%x\n" % (i, i) for i in streams))
        (folder / "t.0.def").write_text(HEAD + definitions)
        for number, events in streams.items():
            (folder / ("t.%x.events" % number)).write_text(events)
        return folder / "t.otf"

    def assert_bounded(self, trace):
        if is_sanitized():
            self.skipTest("sanitizers have memory of their own")
        for number, command in enumerate(COMMANDS):
            out = trace.parent / str(number)
            out.mkdir()
            words = [*command.format(out=out, own=trace.suffix).split(), trace, "--max-memory", LIMIT, "--quiet"]
            code, peak = peak_of(*words)
            with self.subTest(command):
                self.assertIn(code, (0, 1, 3, 4, 6))
                self.assertLess(peak, LIMIT + OF_THE_PROGRAM + OF_THE_FILE)
                if code == 6:
                    self.assertEqual(list(out.iterdir()), [])
                again = [*words, "--force"] if "-o" in words else words
                self.assertEqual(peak_of(*again, private=LIMIT + OF_THE_PROGRAM)[0], code)

    def test_memory_is_bounded_with_undefined_processes(self):
        events = "".join("%x\n*%x\nE1\n" % (i, i + 2) for i in range(MANY))
        self.assert_bounded(self.otf("t", 'DP1NM"p"\n', {1: events}))

    def test_memory_is_bounded_with_undefined_functions(self):
        events = "".join("%x\n*1\nE%x\n" % (i, i + 2) for i in range(MANY))
        self.assert_bounded(self.otf("t", 'DP1NM"p"\n', {1: events}))

    def test_memory_is_bounded_with_many_definitions(self):
        functions = "".join('DF%xNM"function %d"\n' % (i + 1, i) for i in range(4 * MANY))
        self.assert_bounded(self.otf("t", 'DP1NM"p"\n' + functions, {1: "1\n*1\nE1\n2\n*1\nL1\n"}))

    def many_files(self):
        processes = "".join('DP%xNM"p"\n' % (i + 1) for i in range(400))
        streams = {i + 1: "1\n*%x\nE1\n2\n*%x\nL1\n" % (i + 1, i + 1) for i in range(400)}
        return self.otf("t", processes, streams)

    def test_memory_is_bounded_with_many_files(self):
        self.assert_bounded(self.many_files())

    def test_windows_of_many_ovni_streams_share_the_memory(self):
        trace = self.path("many.ovni")
        self.run_program(QUIPU, "convert", self.many_files(), "--to", "ovni", "-o", trace)
        self.assertEqual(peak_of("check", trace, "--max-memory", LIMIT, "--quiet")[0], 0)

    def ring_in_one_stream(self, count):
        """Processes that all compute, send to the next one and receive, their events side by side in a single stream."""
        processes = "".join('DP%xNM"rank %d"\n' % (i + 1, i) for i in range(count))
        regions = 'DFG9NM"code"\nDF1G9NM"work"\nDF2G9NM"MPI_Send"\nDF3G9NM"MPI_Recv"\n'
        world = "DPG63M" + ",".join("%x" % (i + 1) for i in range(count)) + ',NM"world"\n'
        steps = ("E1", "L1", "E2\nS{next}L8T0C63", "L2", "E3", "R{last}L8T0C63\nL3")
        events = "".join("%x\n*%x\n%s\n" % (step * count + i, i + 1, records.format(next="%x" % ((i + 1) % count + 1), last="%x" % ((i - 1) % count + 1)))
                         for step, records in enumerate(steps) for i in range(count))
        trace = self.otf("ring", processes + world + regions, {1: events})
        trace.write_text("1:" + ",".join("%x" % (i + 1) for i in range(count)) + "\n")
        return trace

    def test_memory_of_many_processes_in_a_stream_is_not_a_batch_for_each(self):
        if is_sanitized():
            self.skipTest("sanitizers have memory of their own")
        trace = self.ring_in_one_stream(20000)
        for command in ("waits", "critical-path"):
            with self.subTest(command):
                words = (command, trace, "--quiet", "-o", self.path("answer"), "--force")
                code, peak = peak_of(*words, "--max-memory", 32 << 20)
                self.assertEqual(0, code)
                self.assertLess(peak, (32 << 20) + OF_THE_PROGRAM + OF_THE_FILE)
                small = pathlib.Path(self.path("answer")).read_bytes()
                self.assertEqual(0, peak_of(*words)[0])
                self.assertEqual(pathlib.Path(self.path("answer")).read_bytes(), small)

    def huge_argv(self):
        """A trace of DUMPI with 16 MB of arguments of MPI_Init."""
        maker = BUILD / "compat" / "bin"
        if not (maker / "ascii2dumpi").exists():
            self.skipTest("ascii2dumpi is not built")
        folder = self.made("argv")
        for path in (SOURCE / "tests" / "data" / "sweep" / "dumpi").iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        text = self.run_program(maker / "dumpi2ascii", folder / "ring-0000.bin")
        words = ", ".join(['"%s"' % ("a" * (1 << 20))] * 16)
        text = text.replace("int argc=0\nstring argv[0]=<IGNORED>\n", "int argc=16\nstring argv[16]=[%s]\n" % words)
        (folder / "text").write_text(text, encoding="utf-8")
        self.run_program(maker / "ascii2dumpi", "-o", folder / "ring-0000.bin", folder / "text")
        return folder / "ring.meta"

    def run_program(self, *words):
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout

    def test_memory_is_bounded_with_huge_arguments(self):
        self.assert_bounded(self.huge_argv())

    def test_memory_that_runs_out_is_no_loss_in_silence(self):
        for memory in (300000, 600000, 1000000, 3000000):
            for target, name in (("otf", "o.otf"), ("perfetto", "o.perfetto"), ("chrome", "o.json"), ("paraver", "o.prv"), ("goal", "o.goal")):
                out = self.made("%d-%s" % (memory, target))
                whole = self.made("whole-" + target)
                words = ("convert", *PHASES.glob("*.meta"), "--to", target, "--force", "-o")
                self.assertEqual(peak_of(*words, whole / name)[0], 0)
                code, _ = peak_of(*words, out / name, "--max-memory", memory)
                with self.subTest(target, memory=memory):
                    if code == 6:
                        self.assertEqual(list(out.iterdir()), [])
                        continue
                    self.assertEqual(code, 0)
                    for path in whole.iterdir():
                        self.assertEqual(path.read_bytes(), (out / path.name).read_bytes())


if __name__ == "__main__":
    unittest.main()
