"""A sample of "make faults", and that it is complete: no command, format, output option or call of the system is left out."""
import os
import re
import subprocess
import unittest

import cases
import faults


def symbols(path, *options):
    """Names in the dynamic symbol table of a file, without versions."""
    text = subprocess.run(["nm", "-D", *options, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in text.splitlines()}


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "sanitizers stand in for calls themselves")
class Faults(unittest.TestCase):
    def test_every_command_has_a_command_line(self):
        tried = {faults.command_of(case) for case in faults.all_cases()}
        self.assertEqual(set(faults.commands()) - tried, set(), "add one to tests/faults/cases.py")

    def test_every_format_has_a_trace_and_every_target_is_written(self):
        for name, reads, writes in faults.formats():
            self.assertTrue(not reads or name in cases.READ_BY_OTHERS or cases.TRACES.get(name), f"{name}: add a trace to TRACES in tests/faults/cases.py")
            self.assertTrue(not writes or cases.SUFFIXES.get(name), f"{name}: add it to SUFFIXES in tests/faults/cases.py")

    def test_every_option_that_names_an_output_is_used(self):
        options = faults.rows(r'^OPTION\(\w+, "([\w-]+)", (?:0|\'(\w)\'), OUTPUT,', "src/cli/options.def")
        words = {word for case in faults.all_cases() for word in case.words}
        unused = [name for name, letter in options if f"--{name}" not in words and f"-{letter}" not in words]
        self.assertEqual(unused, [], "add a command line to tests/faults/cases.py")

    def test_every_call_of_the_system_can_fail(self):
        used = symbols(faults.QUIPU, "--undefined-only") | symbols(faults.BUILD / "libquipu.so", "--undefined-only")
        foreign = re.compile(r"quipu_|ZSTD_|OTF2_|isal_|sqlite3_|el_|history|mg_|(in|de)flate|crc32|json_|pcre2_|adler32|_ITM_|__gmon_start__|__(gcov|llvm|tsan|asan)")
        known = symbols(faults.SHIM, "--defined-only") | set(cases.HARMLESS.split())
        missing = sorted(name for name in used - known if not foreign.match(name))
        self.assertEqual(missing, [], "add them to tests/faults/calls.def, or to HARMLESS in tests/faults/cases.py")

    def test_every_type_of_call_has_its_exit_codes(self):
        self.assertEqual(set(faults.rows(r"^FAULT_TYPE\((\w+),", "tests/faults/calls.def")),
                         set(cases.EXITS) - {faults.MEMORY_STEP})

    def test_two_failures_in_a_row_leave_nothing_that_the_next_writer_keeps(self):
        done = faults.hunt(faults.parse(["--only", "convert in/otf/small.otf --set long=yes", "--type", "sync"]))
        if done.wrong:
            faults.print_wrong(done, most=3)
        self.assertEqual(faults.totals(done), ", ".join(f"0 {kind}" for kind in faults.KINDS))

    def test_a_recording_that_is_misread_is_retained(self):
        """One that the collector has found sound, and that ends before its first byte when the trace is made of it."""
        done = faults.hunt(faults.parse(["--only", "^record --io -o out/trace ", "--type", "read", "--dense", "40"]))
        if done.wrong:
            faults.print_wrong(done, most=3)
        self.assertEqual(faults.totals(done), ", ".join(f"0 {kind}" for kind in faults.KINDS))

    def test_a_sample_of_faults_gives_the_same_result_or_the_right_error(self):
        done = faults.hunt(faults.parse(["--sample", "3"]))
        if done.wrong:
            faults.print_wrong(done, most=3)
        self.assertGreater(sum(done.runs.values()), 1500)
        self.assertEqual(faults.totals(done), ", ".join(f"0 {kind}" for kind in faults.KINDS))


if __name__ == "__main__":
    unittest.main()
