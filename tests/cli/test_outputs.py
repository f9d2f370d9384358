"""Outputs never replace what is read, nor each other; and they leave nothing behind, however they end."""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", os.getcwd())
QUIPU = os.path.join(os.path.abspath(os.environ.get("QUIPU_BUILD", "build")), "quipu")
SWEEP = os.path.join(SOURCE, "tests", "data", "sweep")
USAGE, EXISTS = 2, 5


class Outputs(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ("otf", "dumpi"):
            for file in os.listdir(os.path.join(SWEEP, name)):
                shutil.copy(os.path.join(SWEEP, name, file), self.folder)
        self.run_quipu(0, "index", "ring.otf")

    def run_quipu(self, code, *arguments, **options):
        result = subprocess.run([QUIPU, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, encoding="utf-8", errors="replace", **options)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        return result

    def contents(self):
        found = {}
        for entry in os.scandir(self.folder):
            with open(entry.path, "rb") as file:
                found[entry.name] = file.read()
        return found

    def assert_refused(self, *arguments):
        before = self.contents()
        result = self.run_quipu(USAGE, *arguments)
        self.assertRegex(result.stderr, "would be overwritten|would be among the files of the input")
        self.assertRegex(result.stderr, r"\n  choose another name")
        self.assertEqual(self.contents(), before, arguments)

    def test_outputs_never_replace_what_is_read(self):
        otf = ["ring.otf", "ring.0.def", "ring.1.events", "ring.2.events", "ring.otf.qpx"]
        dumpi = ["ring.meta", "ring-0000.bin", "ring-0001.bin"]
        for trace, words in (("ring.otf", otf), ("ring.meta", dumpi), ("ring-0001.bin", ["ring-0001.bin"])):
            os.symlink(words[-1], self.path("symbolic"))
            os.link(self.path(words[-1]), self.path("hard"))
            for part in [*words, "./" + words[0], os.path.join(self.folder, words[-1]), "symbolic", "hard"]:
                for command in (["cat"], ["info"], ["check"], ["profile"], ["state", "--at", "end"],
                                ["convert", "--to", "chrome"], ["merge", "--to", "chrome"], ["cut", "--to", "chrome"]):
                    self.assert_refused(*command, trace, "-o", part, "--force")
                if trace != "ring.otf" or part in otf[:-1]:
                    self.assert_refused("index", trace, "-o", part, "--force")
                for command in ("convert", "cut", "merge"):
                    self.run_quipu(0, command, trace, "--to", "chrome", "-o", "other.json", "--force", "--quiet")
                    self.assert_refused(command, trace, "--to", "chrome", "-o", "other.json", "--force", "--report", part)
            os.unlink(self.path("symbolic"))
            os.unlink(self.path("hard"))

    def test_outputs_are_not_named_as_what_they_are_not(self):
        before = self.contents()
        printing = (["profile"], ["state", "--at", "end"], ["clock"], ["cat"], ["info"], ["check"], ["definitions"], ["why"])
        for command in (*printing, ["index"]):
            for name in ("x.otf", "x.meta", "x.prv", "x.picl", "x.json"):
                result = self.run_quipu(USAGE, *command, "ring.otf", "-o", name)
                self.assertIn(f'"{name}" is a name for a trace', result.stderr)
        for command in (["diff", "ring.otf", "ring.meta"], ["formats"], ["schema", "otf"]):
            self.run_quipu(USAGE, *command, "-o", "x.otf")
        for command, trace in ((["repair"], "ring.otf"), (["snapshot", "--every", "5"], "ring.otf"), (["repair"], "ring.meta")):
            result = self.run_quipu(USAGE, *command, trace, "-o", "x.prv")
            self.assertIn('"x.prv" is a name for a trace in paraver', result.stderr)
        self.assertEqual(self.contents(), before)
        for command in printing:
            self.run_quipu(0, *command, "ring.otf", "-q", "--json", "-o", "x.json", "--force")

    def test_outputs_of_several_files_are_not_named_as_a_folder(self):
        """Their files would be called ".otf" and ".meta" in it, which no reader finds."""
        os.mkdir(self.path("folder"))
        for form in ("otf", "dumpi"):
            self.run_quipu(EXISTS, "convert", "ring.otf", "--to", form, "-o", "folder/")
            self.assertEqual(os.listdir(self.path("folder")), [])

    def test_outputs_of_a_trace_never_replace_the_one_that_is_read(self):
        os.symlink(self.folder, self.path("around"))
        for name in ("ring.otf", "./ring.otf", "around/ring.otf", "ring"):
            for command in (["convert", "--to", "otf"], ["cut", "--to", "otf"], ["merge", "--to", "otf"],
                            ["snapshot", "--every", "5"], ["repair"]):
                if "snapshot" in command and name == "ring":
                    continue
                os.unlink(self.path("around"))
                before = self.contents()
                os.symlink(self.folder, self.path("around"))
                result = self.run_quipu(USAGE, *command, "ring.otf", "-o", name, "--force")
                self.assertRegex(result.stderr, "would be overwritten|would be among")
                os.unlink(self.path("around"))
                self.assertEqual(self.contents(), before)
                os.symlink(self.folder, self.path("around"))
        os.unlink(self.path("around"))
        for command in ("convert", "cut", "merge", "repair"):
            self.assert_refused(command, "ring.meta", "-o", "ring.meta", "--force")
        self.run_quipu(0, "convert", "ring.meta", "-o", "two.otf")
        self.assert_refused("merge", "ring.meta", "two.otf", "-o", "two.otf", "--force")

    def test_outputs_of_a_trace_do_not_remove_files_of_the_input(self):
        """Without a master control file all files are read; those of a new trace of the name replace the others."""
        os.unlink(self.path("ring.otf"))
        os.unlink(self.path("ring.otf.qpx"))
        self.assert_refused("merge", "--to", "otf", "ring.1.events", "-o", "ring.otf", "--force")

    def test_outputs_differ_from_each_other(self):
        for command in ("convert", "cut", "merge"):
            for target, report in (("a.chrome.json", "a.chrome.json"), ("a.otf", "./a.otf"), ("a.otf", "a.0.def")):
                result = self.run_quipu(USAGE, command, "ring.meta", "-o", target, "--report", report, "--force")
                self.assertIn("another output", result.stderr)

    def test_outputs_may_replace_the_index(self):
        self.run_quipu(EXISTS, "index", "ring.otf")
        self.run_quipu(0, "index", "ring.otf", "--force")
        self.run_quipu(0, "index", "ring.otf", "-o", "ring.otf.qpx", "--force")

    def test_outputs_to_standard_output_do_not_grow_what_is_read(self):
        before = self.contents()
        with open(self.path("ring.1.events"), "ab") as out:
            result = subprocess.run([QUIPU, "cat", "ring.otf"], cwd=self.folder, stdout=out, stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertEqual(self.contents(), before)

    # ---- Signals ----

    def temporary(self):
        return [name for name in os.listdir(self.folder) if re.search(r"\.(part|old|gone|commit)$", name)]

    def has_started(self, before):
        """Whether there is a new temporary file with something in it: by then its set is locked."""
        try:
            return any(os.path.getsize(self.path(name)) for name in set(self.temporary()) - before)
        except FileNotFoundError:
            return False

    def start_and_stop(self, arguments, **options):
        """A stopped process that has begun its output; one that was faster is started again."""
        for _ in range(50):
            before = set(os.listdir(self.folder))
            process = subprocess.Popen([QUIPU, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
            while process.poll() is None and not self.has_started(before):
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None and self.has_started(before):
                return process
            process.send_signal(signal.SIGCONT)
            process.wait(60)
            for name in set(os.listdir(self.folder)) - before:
                os.unlink(self.path(name))
        self.fail("the process is always faster")

    def write_large(self, events=300000):
        lines = "".join(f"{time:x}\n*1\nE1\n{time + 1:x}\n*1\nL\n" for time in range(0, events, 2))
        for part, text in (("otf", "1:1\n"), ("0.def", 'DTR3b9aca00\nDFG2NM"g"\nDF1G2NM"main"\nDP1NM"p"\n'), ("1.events", lines)):
            with open(self.path("large." + part), "w", encoding="ascii") as file:
                file.write(text)

    def test_outputs_leave_nothing_when_a_signal_ends_the_program(self):
        self.write_large()
        before = set(os.listdir(self.folder))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            for arguments in (["convert", "large.otf", "-o", "new.otf"], ["convert", "large.otf", "-o", "new.chrome.json"],
                              ["cat", "large.otf", "-o", "events"], ["repair", "large.otf", "-o", "new.otf"],
                              ["merge", "--streams", "1", "large.otf", "-o", "new.otf"]):
                process = self.start_and_stop(arguments)
                process.send_signal(number)
                process.send_signal(signal.SIGCONT)
                self.assertEqual(process.wait(60), -number, arguments)
                self.assertEqual(self.temporary(), [], arguments)
                for name in set(os.listdir(self.folder)) - before:  # files that were just getting their names
                    os.unlink(self.path(name))

    def test_outputs_heed_signals_that_were_ignored(self):
        self.write_large()
        process = self.start_and_stop(["cat", "large.otf", "-o", "events"],
                                      preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(60), 0)
        self.assertTrue(os.path.exists(self.path("events")))

    def test_outputs_of_killed_writers_are_removed_by_the_next_one_but_not_those_of_living_ones(self):
        self.write_large()
        for arguments in (["cat", "large.otf", "-o", "events"], ["convert", "large.otf", "-o", "new.otf"]):
            killed = self.start_and_stop(arguments)
            killed.kill()
            killed.wait()
            litter = set(self.temporary())
            self.assertTrue(litter)
            self.run_quipu(0, "info", "ring.otf", "-o", "other", "--force")  # another name
            self.assertEqual(set(self.temporary()), litter)
            living = self.start_and_stop(arguments)
            self.run_quipu(0, *arguments, "--force", "--quiet")
            self.assertTrue(self.temporary(), "the files of a living writer are its own")
            self.assertFalse(litter & set(self.temporary()))
            os.kill(living.pid, signal.SIGCONT)
            self.assertEqual(living.wait(60), EXISTS)  # what has appeared meanwhile is not replaced
            self.assertEqual(self.temporary(), [])

    def test_outputs_beyond_the_limit_of_files_are_errors(self):
        import resource
        self.write_large()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        result = self.run_quipu(EXISTS, "convert", "large.otf", "-o", "new.otf", preexec_fn=limit)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(self.temporary(), [])


if __name__ == "__main__":
    unittest.main()
