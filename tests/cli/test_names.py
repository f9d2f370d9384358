"""Names in traces and names of files cannot send commands to a terminal, or make what stands beside them look like
something else: whatever prints them escapes what does not show."""
import os
import re
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")

# Controls, those of bidirectional text (Unicode, UAX 9), and others that take no room.
HIDDEN = "\x1b\x7f\x85\xad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\U000e0041"
NAME = "gpj." + HIDDEN + "exe"
ANALYSES = ("calls", "timeline", "imbalance", "efficiency", "critical-path", "phases", "why", "waits", "comm", "messages", "replay", "io", "clock", "tasks")


class Names(FolderTest):
    def setUp(self):
        super().setUp()
        self.trace = self.path(NAME + ".otf")
        for part, text in (("otf", "1:1\n"),
                           ("0.def", f'DTR3b9aca00\nDFG2NM"{NAME}"\nDF1G2NM"{NAME}"\nDP1NM"{NAME}"\n'),
                           ("1.events", "0\n*1\nE1\n9\n*1\nL\nE1\nZ\n")):
            with open(self.path(NAME + "." + part), "w", encoding="utf-8") as file:
                file.write(text)

    def assert_shown(self, arguments, text):
        shown = re.sub("[\r\n\t]", "", text.decode("utf-8"))
        for hidden in HIDDEN:
            self.assertNotIn(hidden, shown, (arguments, hex(ord(hidden))))
        return shown

    def test_names_are_escaped_wherever_they_are_printed(self):
        times_seen = 0
        for command in (["info"], ["info", "--json"], ["info", self.trace], ["check"], ["check", "--json"], ["cat"],
                        ["cat", "--json"], ["cat", "--records"], ["cat", "--records", "--json"], ["profile"],
                        ["profile", "--json"], ["profile", "--csv"], ["profile", "--by", "region", "--csv"],
                        ["state", "--at", "5"], ["state", "--at", "5", "--csv"], ["state", "--at", "5", "--json"],
                        ["convert", "--to", "chrome", "-o", "/dev/stdout"], ["convert", "-o", self.trace],
                        ["convert", "-o", "-", "--to", NAME], ["info", "--json", "missing" + NAME],
                        *([name] for name in ANALYSES)):
            arguments = [QUIPU, *command, self.trace]
            result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            printed = self.assert_shown(arguments, result.stdout) + self.assert_shown(arguments, result.stderr)
            times_seen += "\\xe2\\x80\\xae" in printed or "\\u202e" in printed
        self.assertGreaterEqual(times_seen, 18 + 6)


if __name__ == "__main__":
    unittest.main()
