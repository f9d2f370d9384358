"""Messages of PICL (-7) are written at once and stand ahead of older records of their process: they are read in the order of time."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "house"))
from folder import FolderTest  # noqa: E402
from house import BUILD  # noqa: E402

PROCESS = """\
-3 -901 0.000000 {0} 0 0
-3 -21 0.200000 {0} 0 3 2 4 7 {1}
-4 -21 0.200000 {0} 0 0
-3 -52 1.000000 {0} 0 1 2 7
-4 -52 3.000000 {0} 0 3 2 4 7 {1}
-2 -12 4.000000 {0} 0 0
-4 -901 4.000000 {0} 0 0
"""
TIMES = (0.5, 1.5, 2.5, 3.5)


class MessagesAtOnce(FolderTest):
    def quipu(self, *command):
        done = subprocess.run([BUILD / "quipu", *command, self.path("in.picl")], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def check(self, text):
        Path(self.path("in.picl")).write_text(text)
        events = [json.loads(line) for line in self.quipu("cat", "--json").splitlines()]
        times = [event["time"] for event in events]
        self.assertEqual(sorted(times), times)
        for node in (0, 1):
            said = [event["time"] for event in events if event["kind"] == "note" and event["location_name"] == f"{node}/0"]
            self.assertEqual([int(time * 1000000) for time in TIMES], said)
        self.assertEqual([], json.loads(self.quipu("check", "--json"))["findings"])
        self.assertRegex(self.quipu("info"), r"MPI +50(\.0)? % of the time\n")  # 2 of 4 seconds

    def test_messages_ahead_of_processes_one_after_another(self):
        messages = "".join(f"-7 -911 {time:.6f} {node} 0 4 0 text\n" for time in TIMES for node in (0, 1))
        self.check(messages + PROCESS.format(0, 1) + PROCESS.format(1, 0))

    def test_messages_ahead_of_records_that_are_sorted(self):
        messages = "".join(f"-7 -911 {time:.6f} {node} 0 4 0 text\n" for time in TIMES for node in (0, 1))
        lines = [line for pair in zip(PROCESS.format(0, 1).splitlines(), PROCESS.format(1, 0).splitlines()) for line in pair]
        self.check(messages + "\n".join(lines) + "\n")

    def test_messages_ahead_of_their_own_process(self):
        text = ""
        for node in (0, 1):
            text += "".join(f"-7 -911 {time:.6f} {node} 0 4 0 text\n" for time in TIMES) + PROCESS.format(node, 1 - node)
        self.check(text)


if __name__ == "__main__":
    unittest.main()
