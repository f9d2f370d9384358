"""Messages that the tests of ovni 1.14 look for, each in a trace that has nothing else wrong; what it says when it is asked for
help, of models and of bursts."""
import re
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ovni_trace import begin, end, event, jumbo, metadata, task_type  # noqa: E402
from streams import PROGRAMS, StreamsTest  # noqa: E402
from test_emulation import P, SIX, V, Case, one, tasks, without  # noqa: E402


def twice(second, kind="VTc"):
    """Task 5 runs body 1 or 0; then another event."""
    body = 1 if kind == "VTC" else 0
    return tasks(event("VTc", 3, "II", 6, 1), event("VTx", 4, "II", 5, body), second, kind=kind)


def six(*events):
    return tasks(*events, models=SIX, kind="6Tc", type_event="6Yc")


def can_break_down(can):
    document = metadata(11, models=V)
    document["nosv"] = {"can_breakdown": can}
    return [(document, [begin(1), end(2)])]


HOUR = 3600 * 10**9
# Options, what is broken, and the regular expression of ovni's own tests.
MESSAGES = [
    ("", without("finished"), "missing ovni.finished"),
    ("", one(begin(1), end(2), require={"ovni": "666.66.6"}), r"unsupported ovni model version \(want 666\.66\.6, have 1\.1\.0\)"),
    ("", one(begin(1), end(2), require={"ovni": "1.1.0", "nosv": "1.0.0"}), "unsupported nosv model version"),
    ("", one(begin(1), event("VSh", 2), end(3)), "model nosv not enabled for event"),
    ("", one(begin(1), end(2), cpus=0), "loom .* has no physical CPUs"),
    ("", one(begin(1), end(2), loom_cpus=[{"index": 0, "phyid": 0}, {"index": 0, "phyid": 1}]),
     "cpu with index 0 already taken"),
    ("", [(metadata(11), [begin(0), end(1)]), (metadata(12, cpus=0), [begin(HOUR + 1, -1), end(HOUR + 2)])],
     "detected large clock gate"),
    ("", one(begin(1), event("KCO", 2), event("OB.", 3), models=("ovni", "kernel")), "current thread .* out of CPU"),
    ("", one(begin(1), event("MS[", 2), event("MS[", 3), models=("ovni", "mpi")), "same value as last_value"),
    ("-l", one(begin(1), event("MS[", 2), end(3), models=("ovni", "mpi")), "thread [0-9]+ ended with 1 stacked mpi functions"),
    ("-l", one(begin(1), event("6C[", 2), end(3), models=SIX), "thread [0-9]+ ended with 1 stacked nanos6 subsystems"),
    ("-l", one(begin(1), event("TCi", 2), end(3), models=("ovni", "tampi")), "thread [0-9]+ ended with 1 stacked tampi subsystems"),
    ("-l", one(begin(1), event("VSh", 2), event("VU[", 2), end(3), models=V), "thread 11 ended with 2 stacked nosv subsystems"),
    ("", six(event("6Tx", 4, "I", 5), event("6Tx", 5, "I", 5)),
     r"body_execute: body\(id=1,taskid=5\) state must be Created but is Running"),
    ("", six(event("6Tx", 4, "I", 5), event("6Te", 5, "I", 5), event("6Tx", 6, "I", 5)),
     r"body_execute: body\(id=1,taskid=5\) is not allowed to run again"),
    ("", tasks(event("VTx", 4, "II", 5, 0), event("VTp", 5, "II", 5, 0), event("VTx", 6, "II", 5, 0)),
     r"body_execute: refusing to run body\(id=1,taskid=5\) in Paused state, needs to resume intead"),
    ("", twice(event("VTx", 5, "II", 6, 0)),
     r"body_execute: cannot nest body\(id=1,taskid=6\) over body\(id=1,taskid=5\) which is already running"),
    ("", twice(event("VTx", 5, "II", 5, 2), kind="VTC"),
     r"body_execute: cannot nest body\(id=2,taskid=5\) over body\(id=1,taskid=5\) which is already running"),
    ("", twice(event("VTp", 5, "II", 5, 1), kind="VTC"), r"body_pause: body\(id=1,taskid=5\) is not allowed to pause"),
    ("", twice(event("VTr", 5, "II", 5, 0)), r"body_resume: body\(id=1,taskid=5\) state must be Paused but is Running"),
]


class Wording(Case):
    def test_what_is_broken_is_said_as_the_tests_of_ovni_look_for_it(self):
        for number, (options, threads, pattern) in enumerate(MESSAGES):
            with self.subTest(pattern):
                done = self.run_tool("ovniemu", *options.split(), self.trace(threads, f"t{number}"))
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertRegex(done.stderr, pattern)

    def test_each_message_names_rule_and_file_too(self):
        done = self.run_tool("ovniemu", self.trace(twice(event("VTp", 5, "II", 5, 1), kind="VTC")))
        self.assertRegex(done.stderr, r"ovniemu: ERROR: body_pause: .* \[ovni\.body-pause\]: .*thread\.11/stream\.obs: byte \d+: VTp\n")

    def test_breaking_down_what_cannot_be_is_a_warning(self):
        done = self.run_tool("ovniemu", "-b", "-l", self.trace(can_break_down(False)))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("WARN: cannot enable breakdown for nOS-V model", done.stderr)
        done = self.run_tool("ovniemu", "-b", "-l", self.trace(can_break_down(True), "can"))
        self.assertNotIn("cannot enable", done.stderr)

    def test_all_models_are_enabled_by_an_option(self):
        trace = self.trace(one(begin(1), event("VSh", 2), event("VSf", 3), end(4)))
        done = self.run_tool("ovniemu", "-a", trace)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stderr, "all 8 models are enabled")

    def test_help_ends_with_the_versions_of_the_models(self):
        """As ovni's test reads it: after the line that has "emulation models", character, name and version in each line."""
        done = self.run_tool("ovniemu", "-h")
        lines = done.stderr.splitlines()
        head = next(i for i, line in enumerate(lines) if "emulation models" in line)
        self.assertEqual(
            {("O", "ovni", "1.1.0"), ("6", "nanos6", "1.1.0"), ("V", "nosv", "2.7.0"), ("D", "nodes", "1.0.0"),
             ("T", "tampi", "1.0.0"), ("M", "mpi", "1.0.0"), ("K", "kernel", "1.0.0"), ("P", "openmp", "1.2.1")},
            {tuple(line.split()) for line in lines[head + 1:]})


class Descriptions(Case):
    def test_each_argument_is_named_in_the_description_of_its_event(self):
        """As the original's page has it: (i32 cpu) in the signature, %{cpu} where the value goes."""
        page = self.assert_runs("ovnievents")
        with_arguments = 0
        for code, signature, description in re.findall(r"<pre>(...)\+?(?:\((.*)\))?</pre></a></dt>\n<dd>(.*)</dd>", page):
            names = [re.sub(r"\[.*", "", argument.split()[1]) for argument in signature.split(", ") if argument]
            self.assertEqual(sorted(names), sorted(re.findall(r"%\{(\w+)\}", description)), code)
            with_arguments += bool(names)
        self.assertEqual(28, with_arguments)

    def test_a_dump_has_the_values_of_arguments_where_they_are_named(self):
        trace = self.trace(one(
            event("OHx", 1, "iiQ", 0, 77, 0xbeef), event("OHC", 2, "iQ", 3, 0xcafe), event("OAs", 3, "i", 5), event("OAr", 4, "ii", 6, 88),
            event("OM=", 5, "qi", -9, 41), task_type("VYc", 6, 3, "work"), event("VTc", 7, "II", 15, 3), event("VTx", 8, "II", 15, 2),
            jumbo("VWC", 9, struct.pack("<3q", 100, -200, 300)), event("6Tp", 10, "I", 16), event("PQe", 11, "I", 17)))
        lines = [line.split(maxsplit=3)[1:] for line in self.assert_runs("ovnidump", trace).splitlines()]
        numbers = {code: re.findall(r"0x[0-9a-f]+|-?[0-9]+", text.split("(")[0] if code == "VTx" else text) for code, _, text in lines}
        self.assertEqual(
            {"OHx": ["0", "-1", "77", "0xbeef"], "OHC": ["3", "0xcafe"], "OAs": ["5"], "OAr": ["88", "6"], "OM=": ["41", "-9"],
             "VYc": ["3"], "VTc": ["15", "3"], "VTx": ["2", "15"], "VWC": ["100", "-200", "300"], "6Tp": ["16"], "PQe": ["17"]}, numbers)
        self.assertIn('with the label "work"', dict((code, text) for code, _, text in lines)["VYc"])

    def test_functions_of_the_runtime_are_named(self):
        page = self.assert_runs("ovnievents")
        for code, function in (("6Wt", "handleTask"), ("6SA", "addReadyTask"), ("TRa", "MPI_Testall"), ("VAj", "nosv_join"), ("MAr", "MPI_Allreduce")):
            self.assertRegex(page, f"<pre>{code}</pre></a></dt>\\n<dd>.*{function}.*</dd>")


class Bursts(Case):
    def bursts(self, *gaps):
        """What is said of the bursts of a thread whose events are so far apart."""
        clocks = [10]
        for gap in gaps:
            clocks.append(clocks[-1] + gap)
        trace = self.trace(one(begin(1), *[event("OB.", clock) for clock in clocks], end(clocks[-1] + 1)))
        done = self.run_tool("ovniemu", "-l", trace)
        self.assertEqual(0, done.returncode, done.stderr)
        return re.findall("burst stats.*", done.stderr)

    def test_bursts_of_a_hundred_events_are_measured(self):
        self.assertEqual(["burst stats: median/avg/max =  33/ 33/ 33 ns"], self.bursts(*[33] * 99))

    def test_mean_and_median_differ(self):
        """(98 * 10 + 60) / 99 is 10.5; that of the odd numbers below 199 is 99."""
        self.assertEqual(["burst stats: median/avg/max =  10/ 11/ 60 ns"], self.bursts(*[10] * 98, 60))

    def test_each_burst_is_one_and_part_of_a_burst_is_none(self):
        self.assertEqual(["burst stats: median/avg/max =   7/  7/  7 ns", "burst stats: median/avg/max = 1500/1500/1500 ns"],
                         self.bursts(*[7] * 100, *[1500] * 150))

    def test_fewer_than_a_hundred_say_nothing(self):
        self.assertEqual([], self.bursts(*[33] * 98))


class Library(StreamsTest):
    def test_a_program_for_another_library_is_told_so(self):
        program = self.build(PROGRAMS / "misuse.c")
        for case in ("version_major", "version_minor"):
            self.assertRegex(self.run_program(program, case)[2], "incompatible .* version")


if __name__ == "__main__":
    unittest.main()
