"""What is made from the tables of commands and options agrees with what --help says."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")


def run(*arguments):
    result = subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 0, (arguments, result.returncode, result.stderr)
    return result.stdout


def commands():
    return re.findall(r"^  ([a-z-]+) ", run("--help").split("Commands:\n")[1].split("\n\n")[0], re.M)


def options(command):
    """Long and short names of a command's options, as its help lists them."""
    listed = run(command, "--help").split("Options:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (?:-(\w), |    )--([a-z-]+)", listed, re.M)


def topics():
    listed = run("help").split("Topics of \"quipu help\":\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.M)


class Tables(unittest.TestCase):
    def test_help_lists_commands_and_options(self):
        self.assertIn("cat", commands())
        self.assertIn(("n", "limit"), options("cat"))
        for command in commands():
            self.assertIn(("h", "help"), options(command))

    def test_letters_mean_the_same_in_every_command(self):
        letters = {}
        for command in commands():
            for letter, name in options(command):
                if letter:
                    letters.setdefault(letter, set()).add(name)
        self.assertEqual({"force"}, letters["f"])
        self.assertEqual({}, {letter: names for letter, names in letters.items() if len(names) > 1})

    def test_manual_has_every_command_and_option(self):
        with tempfile.TemporaryDirectory() as folder:
            run("generate", "man", folder)
            pages = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
        self.assertEqual(set(pages), {"quipu.1"} | {"quipu-%s.1" % name for name in commands() + topics()})
        for command in commands():
            self.assertIn("quipu\\-%s" % command, pages["quipu.1"])
            text = pages["quipu-%s.1" % command].replace("\\-", "-")
            for short, long in options(command):
                self.assertIn("\\fB--%s\\fR" % long, text)
                if short:
                    self.assertIn("\\fB-%s\\fR" % short, text)

    def test_manual_has_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            run("generate", "man-formats", folder)
            pages = {page.name for page in pathlib.Path(folder).iterdir()}
        rows = json.loads(run("formats", "--json"))["rows"]
        self.assertEqual(pages, {"quipu-%s.5" % row[0] for row in rows})

    def test_manual_is_sound_roff(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        with tempfile.TemporaryDirectory() as folder:
            run("generate", "man", folder)
            run("generate", "man-formats", folder)
            for page in pathlib.Path(folder).iterdir():
                result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], stderr=subprocess.PIPE, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""), page.name)

    def test_completion_has_every_command_and_option(self):
        def words_of(*typed):
            return [line.split("\t")[0] for line in run("complete", "--", *typed).splitlines()]

        self.assertEqual(commands() + ["./"], words_of(""))
        for command in commands():
            listed = words_of(command, "-")
            for short, long in options(command):
                self.assertIn("--" + long, listed, command)
                if short:
                    self.assertIn("-" + short, listed, command)

    def test_bash_completion_completes(self):
        def complete(*words):
            script = run("generate", "bash") + "\nCOMP_WORDS=(%s); COMP_CWORD=%d; _quipu; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
                " ".join("'%s'" % word for word in words), len(words) - 1)
            path = os.pathsep.join([os.path.dirname(os.path.abspath(QUIPU)), os.environ["PATH"]])
            result = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "PATH": path})
            return result.stdout.split()

        self.assertEqual(complete("quipu", "prof"), ["profile"])
        self.assertEqual(complete("quipu", "cat", "--lim"), ["--limit"])
        self.assertEqual(complete("quipu", "cat", "--progress", "al"), ["always"])
        self.assertEqual(complete("quipu", "profile", "--by", ""), ["location", "region", "process", "host", "group", "mpi", "path", "phase", "between", "callsite"])
        self.assertIn("recv_post", complete("quipu", "cat", "--kind", "recv"))
        self.assertEqual(complete("quipu", "cat", "--kind", "send,lea"), ["send,leave"])
        self.assertEqual(complete("quipu", "cat", "--fields", "time,byt"), ["time,bytes"])
        self.assertIn("exclusive_ns", complete("quipu", "profile", "--sort", "excl"))
        self.assertEqual(complete("quipu", "waits", "--table", "de"), ["delays"])

    def test_tables_one_of_an_answer(self):
        """exchange.otf: two barriers, of 10 us each (tests/data/cli/README.md)."""
        trace = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data/cli/exchange.otf")
        table = json.loads(run("calls", trace, "--table", "regions", "--json"))
        names = [column["name"] for column in table["columns"]]
        rows = {row[names.index("region")]: row for row in table["rows"]}
        self.assertEqual(("regions", 2, 20000), (table["table"], rows["MPI_Barrier"][names.index("calls")], rows["MPI_Barrier"][names.index("total_ns")]))
        self.assertEqual("region,", run("calls", trace, "--table", "regions", "--csv")[:7])
        for words, advice in ((("calls", "--table", "region"), "it can be: longest regions histogram"),
                              (("waits", "--table", "delays"), "there are: waits matching"), (("imbalance", "--table", "imbalance"), None)):
            done = subprocess.run([QUIPU, *words, trace], capture_output=True, text=True, check=False)
            self.assertEqual((2, ""), (done.returncode, done.stdout), words)
            self.assertIn(advice or "has no option --table", done.stderr)

    def test_bash_completion_knows_the_names_of_the_trace(self):
        def complete(*words):
            script = run("generate", "bash") + "\nCOMP_WORDS=(%s); COMP_CWORD=%d; _quipu; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
                " ".join("'%s'" % word for word in words), len(words) - 1)
            path = os.pathsep.join([os.path.dirname(os.path.abspath(QUIPU)), os.environ["PATH"]])
            return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True,
                                  env={**os.environ, "PATH": path}).stdout.splitlines()

        trace = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data/cli/exchange.otf")
        self.assertEqual(complete("quipu", "cat", trace, "--region", "MPI_S"), ["MPI_Send"])
        self.assertEqual(complete("quipu", "cat", trace, "--region", "main,MPI_B"), ["main,MPI_Barrier"])
        self.assertEqual(complete("quipu", "cat", trace, "--location", "rank"), ["rank\\ 0", "rank\\ 1"])

    def run_shell(self, shell, *command):
        """Lines that a shell prints with the command in its path; shells that are not installed are skipped."""
        if not shutil.which(shell):
            self.skipTest(shell + " is not installed")
        path = os.pathsep.join([os.path.dirname(os.path.abspath(QUIPU)), os.environ["PATH"]])
        with tempfile.TemporaryDirectory() as home:
            return subprocess.run([shell, *command], stdout=subprocess.PIPE, text=True, check=True, cwd=home,
                                  env={**os.environ, "PATH": path, "HOME": home, "XDG_CONFIG_HOME": home}).stdout.splitlines()

    def test_fish_completion_completes(self):
        trace = os.path.abspath(os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data/cli/exchange.otf"))
        script = run("generate", "fish")

        def complete(line):
            return [word.split("\t")[0] for word in self.run_shell("fish", "--no-config", "-c", f"{script}\ncomplete -C '{line}'")]

        self.assertEqual(complete("quipu prof"), ["profile"])
        self.assertIn("--limit", complete("quipu cat --lim"))
        self.assertEqual(complete("quipu cat --kind send,lea"), ["send,leave"])
        self.assertEqual(complete(f"quipu cat {trace} --region MPI_S"), ["MPI_Send"])
        self.assertEqual(complete(f"quipu cat {trace} --region main,MPI_B"), ["main,MPI_Barrier"])
        self.assertEqual(complete(f"quipu cat {trace} --location rank"), ["rank 0", "rank 1"])
        self.assertEqual(complete(f"quipu profile {trace} --within MPI_S"), ["MPI_Send"])

    def test_zsh_completion_completes(self):
        """In a terminal, as a user sees it: what stands on the line after the key."""
        trace = os.path.abspath(os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests/data/cli/exchange.otf"))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_quipu").write_text(run("generate", "zsh"), encoding="utf-8")

            def complete(line):
                """Lets zsh complete the line in a terminal of its own, then print it."""
                script = f"""
                    zmodload zsh/zpty
                    zpty terminal zsh -f -i
                    zpty -w terminal "PROMPT=; fpath=({folder} \\$fpath); autoload -Uz compinit; compinit -u -D; stty -echo columns 200"
                    zpty -w terminal "show() {{ print -r -- BEGIN\\$BUFFER''END; }}; zle -N show; bindkey '^X' show; print rea''dy"
                    zpty -r terminal output '*ready*'
                    zpty -w -n terminal {shlex.quote(line)}$'\\t'
                    zpty -w -n terminal $'\\x18'
                    zpty -r terminal output '*END*'
                    print -r -- $output
                    zpty -d terminal
                """
                found = re.search("BEGIN(.*?)END", "\n".join(self.run_shell("zsh", "-f", "-c", script)))
                return found and found.group(1).rstrip()

            self.assertEqual(complete("quipu prof"), "quipu profile")
            self.assertEqual(complete("quipu cat --kind send,lea"), "quipu cat --kind send,leave")
            self.assertEqual(complete(f"quipu cat {trace} --region MPI_S"), f"quipu cat {trace} --region MPI_Send")
            self.assertEqual(complete(f"quipu cat {trace} --region main,MPI_B"), f"quipu cat {trace} --region main,MPI_Barrier")

    def test_formats_as_json_and_markdown_agree(self):
        table = json.loads(run("formats", "--json"))
        self.assertEqual(table["table"], "formats")
        self.assertEqual(table["quipu"]["schema"], 1)
        lines = run("generate", "readme-formats").splitlines()
        self.assertEqual(lines[0], "| " + " | ".join(column["name"] for column in table["columns"]) + " |")
        self.assertEqual(lines[2:], ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in table["rows"]])


if __name__ == "__main__":
    unittest.main()
