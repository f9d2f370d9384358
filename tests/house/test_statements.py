"""What documents state in numbers is counted: formats, commands, rules and their codes. A new statement needs a row here."""
import json
import re
import unittest

from house import BUILD, SOURCE, run

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
STATED = re.compile(rf"\b(\d+|{'|'.join(WORDS)}) (rules|formats|commands|analyses|exit codes)\b", re.I)


def formats_in_both_directions():
    table = json.loads(run(BUILD / "quipu", "formats", "--json")[1])
    names = [column["name"] for column in table["columns"]]
    return sum(row[names.index("read")] == row[names.index("write")] == "yes" for row in table["rows"])


def commands_of_dumpi():
    return sum(name in ("ascii2dumpi", "dumpi2ascii", "dumpi2dumpi", "dumpistats") for name in
               (path.name for path in (BUILD / "compat/bin").iterdir()))


def rows(path, pattern):
    return len(re.findall(pattern, (SOURCE / path).read_text(encoding="utf-8"), re.M))


# Document and what it states; how it is counted.
STATEMENTS = {
    ("docs/internals/five-formats.md", "formats"): formats_in_both_directions,
    ("docs/internals/five-formats.md", "rules"): lambda: rows("src/schema/binary.h", r"^ +QUIPU__TAIL_"),
    ("compat/dumpi/README.md", "commands"): commands_of_dumpi,
}


def documents():
    return [path for path in SOURCE.rglob("*.md") if "build" not in path.relative_to(SOURCE).parts[0] and path.name != "CHANGES.md"]


class Statements(unittest.TestCase):
    def test_statements_of_numbers_are_counted(self):
        found = set()
        for path in documents():
            for number, what in STATED.findall(path.read_text(encoding="utf-8")):
                key = (str(path.relative_to(SOURCE)), what.lower())
                with self.subTest(key):
                    self.assertIn(key, STATEMENTS)
                    value = int(number) if number.isdigit() else WORDS.index(number.lower())
                    self.assertEqual(STATEMENTS[key](), value)
                    found.add(key)
        self.assertEqual(set(STATEMENTS), found)

    def test_statements_name_codes_of_rules_that_exist(self):
        named = 0
        for rules in (SOURCE / "src/formats").glob("*/rules.def"):
            codes = set(re.findall(r'"([EWI]\d\d)"', rules.read_text(encoding="utf-8")))
            if not codes:
                continue
            for path in rules.parent.glob("*.md"):
                mentioned = set(re.findall(r"\b[EWI]\d\d\b", path.read_text(encoding="utf-8")))
                self.assertEqual(set(), mentioned - codes, path)
                named += len(mentioned)
        self.assertGreater(named, 3)


if __name__ == "__main__":
    unittest.main()
