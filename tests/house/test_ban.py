"""src/core/ban.h: what it bans does not compile, and no source of ours is compiled without it."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CC, SOURCE, run

BAN = SOURCE / "src/core/ban.h"
BANNED = re.findall(r"^#define (\w+)\(\.\.\.\)", BAN.read_text(), re.M)
# A name that some systems do not have would not compile in any case.
CALLS = {
    "strcpy": "strcpy(text, text)",
    "strtok": 'strtok(text, ",")',
    "sprintf": 'sprintf(text, "x")',
    "atoi": "atoi(text)",
    "localtime": "localtime(&now)",
}
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv) {{
    char *text = argv[argc - 1];
    time_t now = 0;
    (void)text, (void)now, (void){call};
    return 0;
}}
"""


class Ban(unittest.TestCase):
    def compile(self, call, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.c"
            program.write_text(PROGRAM.format(call=call))
            return run(CC, "-std=gnu11", "-D_XOPEN_SOURCE=700", "-fsyntax-only", *options, program)

    def test_ban_makes_calls_errors_that_name_the_function(self):
        for name in BANNED:
            code, output = self.compile(CALLS.get(name, f"{name}(text)"), "-include", BAN)
            self.assertNotEqual(0, code, f"{name} compiles")
            self.assertIn(f"{name}_is_banned_see_core_ban_h", output)

    def test_ban_is_what_makes_them_errors(self):
        for name, call in CALLS.items():
            self.assertIn(name, BANNED)
            code, output = self.compile(call)
            self.assertEqual(0, code, output)

    def test_ban_precedes_every_source(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        ours = [
            entry
            for entry in commands
            if Path(entry["file"]).relative_to(SOURCE).parts[0] in ("src", "compat", "record") and entry["file"].endswith(".c")
        ]
        self.assertGreater(len(ours), 200)
        without = {entry["file"] for entry in ours if not re.search(r"-include \S*src/core/ban\.h", entry["command"])}
        self.assertEqual(set(), without)


if __name__ == "__main__":
    unittest.main()
