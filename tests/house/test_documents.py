"""README.md tells the truth: its program compiles and runs, its table is what the command prints, its dependencies are
what is installed, its examples name commands and options that exist."""
import re
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CC, CFLAGS, SOURCE, run

README = (SOURCE / "README.md").read_text(encoding="utf-8")
TRACE = SOURCE / "tests/data/cli/exchange.otf"


class Readme(unittest.TestCase):
    def test_readme_program_counts_the_messages_of_a_trace(self):
        program = re.search(r"```c\n(.*?)```", README, re.S)[1]
        with tempfile.TemporaryDirectory() as folder:
            source, command = Path(folder, "program.c"), Path(folder, "program")
            source.write_text(program)
            code, output = run(CC, *CFLAGS, "-std=c11", "-Wall", "-Werror", "-I", SOURCE / "include", "-o", command,
                               source, "-L", BUILD, "-lquipu", f"-Wl,-rpath,{BUILD}")
            self.assertEqual(code, 0, output)
            code, output = run(command, TRACE)
            self.assertEqual(code, 0, output)
            events = run(BUILD / "quipu", "cat", "--kind", "send", TRACE)[1].splitlines()
            self.assertGreater(len(events), 0)
            self.assertEqual(len(output.splitlines()), len(events))
            self.assertNotEqual(run(command, SOURCE / "README.md")[0], 0)

    def test_readme_table_is_what_the_command_prints(self):
        table = re.search(r"<!-- quipu generate readme-formats -->\n(.*?)\n?<!-- end -->", README, re.S)[1]
        code, printed = run(BUILD / "quipu", "generate", "readme-formats")
        self.assertEqual(code, 0, printed)
        self.assertEqual(table.strip(), printed.strip())

    def test_readme_commands_exist(self):
        help_text = run(BUILD / "quipu", "help")[1]
        commands = re.findall(r"\$ quipu (\w+)", README) + re.findall(r"`quipu (\w+) ", README)
        self.assertGreater(len(commands), 4)
        for command in commands:
            if command != "COMMAND":
                self.assertRegex(help_text, rf"(?m)^ +{command}\b")

    def test_readme_exit_codes_are_those_of_the_command(self):
        table = dict(re.findall(r"^\| (\d) \| (.+?) \|$", README, re.M))
        listed = (SOURCE / "src/cli/exit_codes.def").read_text()
        self.assertEqual(sorted(table), sorted(re.findall(r"\(\w+, (\d)", listed)))


if __name__ == "__main__":
    unittest.main()
