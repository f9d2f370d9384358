"""A program whose locale writes numbers with a comma gets the answers that others get. The command sets no locale, so a library that is loaded before it does."""
import os
import pathlib
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."))
DATA = SOURCE / "tests" / "data" / "sweep"
GERMAN = """#include <locale.h>
#include <stdio.h>
__attribute__((constructor)) static void begin(void) {
    char text[8];
    snprintf(text, sizeof text, setlocale(LC_ALL, "de_DE.UTF-8") ? "%.1f" : "none", 0.5);
    fprintf(stderr, "locale: %s\\n", text);
}
"""


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "a sanitizer wants to be loaded first")
class Locale(FolderTest):
    def setUp(self):
        super().setUp()
        made = shutil.which("localedef") and subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")], capture_output=True, check=False)
        if not made or made.returncode != 0:
            self.skipTest("no locale with a comma can be made here")
        pathlib.Path(self.path("german.c")).write_text(GERMAN, encoding="ascii")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", self.path("german.so"), self.path("german.c")], check=True)

    def run_in(self, environment, *arguments):
        done = subprocess.run([programs.QUIPU, *map(str, arguments)], capture_output=True, check=False, env=dict(os.environ, **environment))
        return done.returncode, done.stdout, done.stderr.replace(b"locale: 0,5\n", b""), b"locale: 0,5\n" in done.stderr

    def test_locale_changes_no_answer(self):
        german = {"LD_PRELOAD": self.path("german.so"), "LOCPATH": str(self.folder)}
        otf, picl, charisma = DATA / "otf/ring.otf", DATA / "picl/ring.picl", DATA / "charisma/ring.ctrace"
        for arguments in (("profile", otf), ("profile", "--json", otf), ("waits", "--json", otf), ("efficiency", otf), ("cat", "--json", picl), ("cat", charisma),
                          ("io", charisma), ("sql", "--json", otf, "SELECT avg(duration_ns), 0.5, time_text(12345678), bytes_text(1234567), percentile(duration_ns, 33) FROM calls"), ("report", otf, "-o", "-"),
                          ("convert", otf, "--to", "chrome", "-o", "-"), ("convert", otf, "--to", "picl", "-o", "-"), ("timeline", "--json", otf)):
            plain, other = self.run_in({}, *arguments), self.run_in(german, *arguments)
            self.assertEqual((plain[:3], True), (other[:3], other[3]), arguments)
            self.assertEqual(0, plain[0], arguments)


if __name__ == "__main__":
    unittest.main()
