"""quipu sql at a terminal: a prompt with history and completion, whose queries Ctrl-C interrupts."""
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from folder import FolderTest

QUIPU = os.path.abspath(os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu"))
WHERE = os.path.abspath(os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data", "where", "w.otf"))
PATIENCE = 20


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "libedit does not give back all memory at the end")
class Prompt(FolderTest):
    def start(self, **variables):
        """Starts the command on a terminal of its own and waits for the prompt."""
        environment = {**os.environ, "TERM": "vt100", "HOME": self.folder, "COLUMNS": "200", **variables}
        environment = {name: value for name, value in environment.items() if value is not None and name not in ("XDG_STATE_HOME", "LD_PRELOAD") or name in variables and value}
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen([QUIPU, "sql", WHERE, "--color", "never"], stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True,
                                        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(other)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.text = ""
        self.wait_for("quipu> ")

    def wait_for(self, pattern):
        """What the terminal shows up to the pattern."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.text)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.fail(f"no {pattern} in {self.text!r}")
            try:
                self.text += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                self.fail(f"no {pattern} at the end of {self.text!r}")
        shown, self.text = self.text[:found.end()], self.text[found.end():]
        return shown

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        self.type(".quit\n")
        return self.process.wait(PATIENCE)

    def test_sql_prompt_answers_and_goes_on_after_errors(self):
        self.start()
        self.type("SELECT count(*) + 1000\n")
        self.wait_for(r"\.\.\.> ")
        self.type("FROM messages;\n")
        self.wait_for(r"\b1002\b")
        self.type("SELEC 1;\n")
        self.wait_for("syntax error")
        self.type(".tables\n")
        self.wait_for(r"\bwaits_instances\b")
        self.type(".schema messages\n")
        self.wait_for("length, as the send says")
        self.type(".nothing\n")
        self.wait_for("unknown command")
        self.assertEqual(0, self.end())

    def test_sql_prompt_completes_tables_and_their_columns(self):
        self.start()
        self.type("SELECT '<' || count(*) || '>' FROM waits_inst\t;\n")
        self.wait_for("<2>")
        self.type("SELECT '<' || max(latency\t) || '>' FROM messages;\n")
        self.wait_for("no such column|error")
        self.type("\x15SELECT 1 FROM messages WHERE send\t\t")
        self.wait_for("send_request")
        self.type("\x15")
        self.assertEqual(0, self.end())

    def test_sql_prompt_ctrl_c_interrupts_the_query_only(self):
        self.start()
        self.type("SELECT 'never answ")
        self.wait_for("never answ")
        time.sleep(1)  # until then the system might take Ctrl-C for a signal
        self.type("\x03")
        self.wait_for("quipu> ")
        self.type("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;\n")
        time.sleep(0.5)
        os.killpg(self.process.pid, signal.SIGINT)
        self.wait_for("interrupted")
        self.wait_for("quipu> ")
        self.type("SELECT 123 * 1000;\n")
        self.wait_for(r"\b123000\b")
        self.assertEqual(0, self.end())

    def test_sql_prompt_keeps_its_history_where_states_of_programs_are(self):
        for variables, folder in (({}, ".local/state"), ({"XDG_STATE_HOME": self.path("states")}, "states")):
            self.start(**variables)
            self.type("SELECT 11 * 1111;\n")
            self.wait_for(r"\b12221\b")
            self.assertEqual(0, self.end())
            with open(self.path(f"{folder}/quipu/sql_history"), encoding="utf-8") as file:
                self.assertIn("1111", file.read())
            self.start(**variables)
            self.type("\x10\x10\n")  # the line before .quit
            self.wait_for(r"\b12221\b")
            self.assertEqual(0, self.end())

    def test_sql_prompt_works_without_a_home(self):
        before = set(os.listdir(self.folder))
        self.start(HOME=None)
        self.type("SELECT 11 * 1111;\n")
        self.wait_for(r"\b12221\b")
        self.assertEqual(0, self.end())
        self.assertEqual(before, set(os.listdir(self.folder)))


if __name__ == "__main__":
    unittest.main()
