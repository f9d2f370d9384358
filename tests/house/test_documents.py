"""README.md and the documents tell the truth: their command lines run, what they show is what is printed, their links lead somewhere,
programs compile, lists are those of the command. The pages tour, tutorial and adding-a-format have tests of their own."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CC, CFLAGS, SOURCE, run

README = (SOURCE / "README.md").read_text(encoding="utf-8")
TRACE = SOURCE / "tests/data/cli/exchange.otf"
TRACES = SOURCE / "examples/traces"
FENCED = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)

# Blocks and lines that this test does not run, by what is in them: where they are run, or why not.
ELSEWHERE = {
    "sudo make install": "installs into the system: tests/house/test_install.py, tools/try-debian",
    "make install PREFIX": "tests/house/test_install.py",
    "make            # build/quipu": "CI: .ci/run",
    "pip install quipu_trace": "tests/python/test_package.py",
    "trace = quipu.open(": "tests/python/test_module.py",
    "pyarrow.parquet.write_table": "tests/python/consumers.py",
    "sqlite> .load": "tests/relation/test_extension.py",
    "FROM messages GROUP BY 1, 2": "tests/cli/test_sql.py",
    "FROM slice WHERE name": "tests/cli/test_sql.py",
    "#include <quipu/quipu.h>": "below",
    "records ──mapping──▶ events": "a drawing",
    "core ← {schema, table}": "tests/house/test_includes.py",
    "PKG_CONFIG_PATH=$PREFIX": "tests/house/test_install.py runs it",
    "find_package(quipu": "tests/house/test_install.py has the same",
    "cc program.c": "the program above it is compiled",
    "cc -std=c11 count.c": "tests/house/test_tutorial.py",
    "srun": "there is no Slurm",
    "quipu record --collect": "tests/record/mpi/test_kills.py",
    "quipu-compat-env": "tools/try-debian",
    "quipu view": "serves until it is told to end: tests/picture/test_view_attack.py",
    "tests/faults/faults.py": "for developers: tests/faults/test_faults.py",
    "tests/work/test_work.py": "for developers: tests/work/test_work.py",
    "libfaults.so": "tests/faults/test_faults.py",
    "expression = term": "a grammar; tests/cli/test_where.py compares it",
    "quipu: --where:": "tests/cli/test_where.py",
}
CODES = {"diff": (0, 1), "check": (0, 3), "repair": (0, 3)}
RECORDS = bool(shutil.which("mpicc.openmpi")) and not any("sanitize" in flag for flag in CFLAGS)


def pages():
    return [SOURCE / "README.md", *(path for path in sorted((SOURCE / "docs").rglob("*.md"))
                                    if path.name not in ("tour.md", "tutorial.md", "adding-a-format.md"))]  # fmt: skip


def command_lines(page):
    """Lines of a page that a reader may type: in blocks, and in running text those with a file."""
    text = page.read_text(encoding="utf-8")
    for language, block in FENCED.findall(text):
        if language in ("", "sh"):
            yield from (line.removeprefix("$ ") for line in block.splitlines() if re.match(r"(\$ )?quipu ", line))
    text = FENCED.sub("", text)
    yield from re.findall(r"^    (quipu .*)$", text, re.M)
    yield from (line for line in re.findall(r"`(quipu [^`\n]+)`", text) if re.search(r"\brun\.|\d\.otf", line))
    yield from re.findall(r"`(quipu (?:help \w+|formats|formats --json))`", text)


def is_run_here(line):
    return not any(what in line for what in ELSEWHERE)


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def prepare(self):
        """The traces that documents speak of, and an mpiexec that runs anywhere."""
        traces, bin_folder = self.folder / "traces", self.folder / "bin"
        traces.mkdir()
        bin_folder.mkdir()
        for path in (TRACES / "slow_rank").iterdir():
            for name in ("slow_rank", "run", "server", "before", "after", "4", "8", "16"):
                text = path.read_bytes()
                (traces / path.name.replace("slow_rank", name)).write_bytes(text)
        for path in (TRACES / "phases").iterdir():
            shutil.copy(path, traces)
        for name in ("run.meta", "client.meta"):
            shutil.copy(next((TRACES / "phases").glob("*.meta")), traces / name)
        (bin_folder / "quipu").symlink_to(BUILD / "quipu")
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1"}
        if RECORDS:
            (bin_folder / "mpiexec").write_text('#!/bin/sh\nexec mpiexec.openmpi --allow-run-as-root --oversubscribe "$@"\n')
            (bin_folder / "mpiexec").chmod(0o755)
            for name in ("program", "slow_rank"):
                self.shell(f"mpicc.openmpi -g -O1 {SOURCE}/examples/slow_rank.c -o {traces}/{name}", self.folder)
            self.shell("quipu record --io --to charisma -o run.ctrace -- cat run.otf >/dev/null", traces)

    def shell(self, line, folder):
        return subprocess.run(["bash", "-c", line], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)

    def copy(self):
        folder = self.folder / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        return shutil.copytree(self.folder / "traces", folder)

    def test_documents_have_command_lines_that_run(self):
        self.prepare()
        lines = sorted({line for page in pages() for line in command_lines(page) if is_run_here(line)})
        self.assertGreater(len(lines), 40)
        for line in lines:
            if not RECORDS and re.search(r"\brecord\b|run\.ctrace", line):
                continue
            with self.subTest(line):
                folder = self.copy()
                if " -- mpiexec" in line or "-o slow_rank.otf" in line:
                    for path in (*folder.glob("run.*"), *folder.glob("slow_rank.*")):
                        path.unlink()
                done = self.shell(line.replace("COMMAND", "cat run.otf"), folder)
                self.assertIn(done.returncode, CODES.get(shlex.split(line)[1], (0,)), done.stderr)

    def test_documents_show_what_is_printed(self):
        self.prepare()
        shown = 0
        for page in pages():
            for _, block in FENCED.findall(page.read_text(encoding="utf-8")):
                if not block.startswith("$ "):
                    continue
                command, expected = block.split("\n", 1)
                printed = self.shell(command.removeprefix("$ "), self.copy()).stdout
                printed = "".join(line.rstrip() + "\n" for line in printed.splitlines())
                whole = expected.removesuffix("...\n")
                with self.subTest(command):
                    self.assertEqual(whole, printed[: len(whole)] if whole != expected else printed)
                    shown += 1
        self.assertGreaterEqual(shown, 2)

    def test_documents_have_no_block_that_nothing_runs(self):
        """Every line of it is run here, or shown after a command that is, or the block is in the table above, which names what runs it."""
        blocks = 0
        others = (SOURCE / name for name in ("python/README.md", "record/README.md", "bench/README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"))
        for page in (*pages(), *others):
            text = page.read_text(encoding="utf-8")
            for block in [*(block for _, block in FENCED.findall(text)), *re.findall(r"(?:^    \S.*\n)+", FENCED.sub("", text), re.M)]:
                blocks += 1
                lines = [line.strip() for line in block.splitlines() if line.strip()]
                if lines[0].startswith("$ quipu ") or all(line.startswith("quipu ") and ": --" not in line for line in lines):
                    continue
                with self.subTest(page=page.name, block=lines[0]):
                    self.assertTrue(any(what in block for what in ELSEWHERE))
        self.assertGreater(blocks, 25)
        for why in ELSEWHERE.values():
            for path in re.findall(r"(?:tests|tools)/\S+\w", why):
                self.assertTrue((SOURCE / path).exists(), path)

    def test_documents_have_links_that_lead_somewhere(self):
        found = 0
        for page in [*pages(), *(SOURCE / "docs").glob("t*.md"), *(SOURCE / name for name in ("CONTRIBUTING.md", "SECURITY.md"))]:
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", FENCED.sub("", page.read_text(encoding="utf-8"))):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())
                    found += 1
        self.assertGreater(found, 30)

    def test_documents_list_every_page(self):
        index = (SOURCE / "docs/index.md").read_text(encoding="utf-8")
        for page in (SOURCE / "docs").rglob("*.md"):
            if page.name != "index.md":
                self.assertIn(f"({page.relative_to(SOURCE / 'docs')})", index)

    def test_documents_give_the_version_of_the_header(self):
        header = (SOURCE / "include/quipu/base.h").read_text()
        version = ".".join(re.search(rf"QUIPU_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
        for path, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("debian/changelog", r"^quipu \(([\d.]+)-\d+\)"),
                              ("CHANGES.md", r"^## (\S+)"), ("packaging/spack/package.py", r'version\("([\d.]+)"'),
                              ("packaging/conda-forge/meta.yaml", r'set version = "([\d.]+)"')):  # fmt: skip
            with self.subTest(path):
                self.assertEqual(version, re.search(pattern, (SOURCE / path).read_text(), re.M)[1])

    def test_documents_recipes_are_sound_and_know_the_options_of_the_build(self):
        options = set(re.findall(r"^option\((QUIPU_\w+)", (SOURCE / "CMakeLists.txt").read_text(), re.M))
        recipes = {path: (SOURCE / "packaging" / path).read_text() for path in ("spack/package.py", "conda-forge/meta.yaml")}
        for path, text in recipes.items():
            used = set(re.findall(r"QUIPU_[A-Z0-9]+", text))
            self.assertGreater(len(used), 2, path)
            self.assertEqual(set(), used - options, path)
        compile(recipes["spack/package.py"], "package.py", "exec")
        declared = set(re.findall(r'(?m)^    variant\("(\w+)"', recipes["spack/package.py"]))
        self.assertEqual(declared, set(re.findall(r'when="\+(\w+)', recipes["spack/package.py"])))
        self.assertLessEqual(set(re.findall(r'define_from_variant\("QUIPU_\w+", "(\w+)"', recipes["spack/package.py"])), declared)

    def test_documents_name_the_licence_of_everything_that_the_library_is_linked_with(self):
        table = re.findall(r"^\| (\S+) \| \S+ \| \S.* \| lib", (SOURCE / "docs/manual/licences.md").read_text(), re.M)
        modules = re.search(r"^Requires.private: (.*)$", (BUILD / "quipu.pc").read_text(), re.M)[1]
        self.assertEqual(set(), set(re.findall(r"[a-z]\S*", modules)) - set(table))


class Environment(unittest.TestCase):
    def test_help_has_examples_with_options_of_their_commands(self):
        help_of = {}
        for command in re.findall(r"^  ([a-z-]+) ", run(BUILD / "quipu", "help")[1], re.M):
            help_of[command] = run(BUILD / "quipu", command, "--help")[1]
        examples = [line.strip() for text in help_of.values() for line in text.partition("\nExamples:\n")[2].splitlines() if line.startswith("  quipu ")]
        self.assertGreater(len(examples), 60)
        for example in examples:
            words = re.sub(r"'[^']*'|\|.*", "", example).split()
            for option in re.findall(r"--[a-z][a-z-]*", " ".join(words)):
                self.assertIn(option, help_of[words[1]], example)

    def test_environment_in_the_manual_pages_is_all_that_is_asked_for(self):
        asked = set()
        for folder in ("src", "record"):
            for path in (SOURCE / folder).rglob("*.c"):
                asked |= set(re.findall(r'"(QUIPU_[A-Z_]+)"', path.read_text(encoding="utf-8")))
                asked |= set(re.findall(r'(?:getenv|is_set)\("([A-Z_]+)"\)', path.read_text(encoding="utf-8")))
        listed = set(re.findall(r'^VARIABLE\("\w*", (\w+),', (SOURCE / "src/cli/environment.def").read_text(), re.M))
        of_others = {name for name in asked if re.match(r"PATH$|ASAN|LD_|PMI|OMPI|LOGNAME|MPI4PY|MPIR", name)}
        self.assertEqual(listed, asked - of_others)


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

    def test_readme_has_the_commands_that_a_bare_machine_is_tried_with(self):
        self.assertIn("`make demo`", README)
        self.assertIn("`make test`", README)

    def test_readme_is_short(self):
        self.assertLess(len(README.splitlines()), 140)


class Manual(unittest.TestCase):
    def test_manual_table_of_formats_is_what_the_command_prints(self):
        page = (SOURCE / "docs/manual/formats.md").read_text(encoding="utf-8")
        table = re.search(r"<!-- quipu generate readme-formats -->\n(.*?)\n?<!-- end -->", page, re.S)[1]
        code, printed = run(BUILD / "quipu", "generate", "readme-formats")
        self.assertEqual(code, 0, printed)
        self.assertEqual(table.strip(), printed.strip())

    def test_manual_exit_codes_are_those_of_the_command(self):
        table = dict(re.findall(r"^\| (\d) \| (.+?) \|$", (SOURCE / "docs/manual/exit-codes.md").read_text(), re.M))
        listed = (SOURCE / "src/cli/exit_codes.def").read_text()
        self.assertEqual(sorted(table), sorted(re.findall(r"\(\w+, (\d)", listed)))

    def test_manual_has_a_question_for_every_command_that_answers_one(self):
        page = (SOURCE / "docs/manual/commands.md").read_text(encoding="utf-8")
        help_text = run(BUILD / "quipu", "help")[1]
        commands = re.findall(r"`quipu (\w+)", page)
        for command in commands:
            if command != "COMMAND":
                self.assertRegex(help_text, rf"(?m)^ +{command}\b")


if __name__ == "__main__":
    unittest.main()
