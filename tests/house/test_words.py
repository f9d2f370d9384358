"""No private vocabulary: identifiers, messages and comments use the field's words (words.py has the table)."""
import sys
import unittest

import words
from house import SOURCE

FOLDERS = ("src", "include", "compat", "record", "tests", "fuzz", "bench", "tools", "python")

# (start of a path, word): why it is right there.
ALLOWED = {
    ("src/analysis/comm", "pairs"): "pairs of processes: a table of comm",
    ("src/analysis/comm/pattern.c", "ways"): "ring-both-ways: a pattern of communication",
    ("tests/house/words.py", ""): "the table itself",
    ("tests/house/test_words.py", ""): "plants words of the table",
    ("tests/", "run"): "what a command did when it was run (harness_run)",
    ("tests/house/", "parts"): "components of a pathlib path",
    ("bench/undumpi.c", "pairs"): "libundumpi_cbpair",
    ("fuzz/fuzz_dropin_dumpi.c", "pairs"): "libundumpi_cbpair",
    ("compat/dumpi/", "pairs"): "libundumpi_cbpair",
    ("tests/compat/dumpi/", "pairs"): "libundumpi_cbpair",
    ("include/quipu/roles.def", "plain"): "the role of what has no role",
    ("src/formats/dumpi/types.def", "plain"): "the same role",
    ("src/formats/otf/types.def", "plain"): "the same role",
    ("tests/schema/rows_types.def", "plain"): "the same role",
    ("tests/formats/test_formats.c", "how"): "a member of the public table of outcomes, and a key of its JSON",
    ("src/formats/descriptor.h", "how"): "the same",
    ("src/formats/otf2/", "class"): "a field of records, as otf2-print calls it",
    ("src/convert/", "how"): "the same",
    ("tests/compat/dumpi/test_abi.py", "there is such a"): "a sentence, no message",
    ("src/analysis/clock", "pairs"): "pairs of locations, as the table of the analysis is called",
    ("src/analysis/why", "pairs"): "the same",
    ("src/analysis/waits/delays", "pairs"): "pairs of locations that exchange messages",
    ("src/analysis/why/table.c", "part"): "a column of the table account",
    ("src/cli/", "part"): "the same, and the option --part",
    ("tests/cli/test_parts.py", "parts"): "what --part writes",
    ("src/cli/share.c", "parts"): "of a table: what each of several processes writes",
    ("src/relation/", "parts"): "the same",
    ("src/render/rows.c", "part"): "the same",
    ("src/render/rows.c", "parts"): "the same",
    ("tests/render/test_parts.c", "parts"): "the same",
    ("src/picture/", "class"): "of CSS",
    ("src/picture/", "classes"): "the same",
    ("src/picture/", "run"): "of a program: what a report of several traces compares",
    ("src/picture/", "runs"): "the same, and the name of the report's page",
    ("src/picture/over_time.c", "parts"): "what the whole of a figure is made of",
    ("src/picture/ribbon.c", "part"): "the same",
}

def files():
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*")):
            name = path.relative_to(SOURCE)
            if path.suffix in (".c", ".h", ".def", ".py") and not {"data", "corpus"} & set(name.parts):
                yield name


def is_allowed(name, word):
    return any(str(name).startswith(start) and of in ("", word) for start, of in ALLOWED)


def offenders():
    for name in files():
        text = (SOURCE / name).read_text(encoding="utf-8")
        for number, word, use in words.of_source(name, text):
            if not is_allowed(name, word):
                yield name, number, word, use


class Words(unittest.TestCase):
    def test_words_of_identifiers_messages_and_comments_are_those_of_the_field(self):
        self.assertEqual(
            [],
            [f"{name}:{number}: {word}: write {use}" for name, number, word, use in offenders()],
        )

    def test_words_that_are_planted_are_found(self):
        planted = {
            "int strand_count;": "strand",
            "struct quipu__run *next;": "run",
            "enum quipu__class class_of(void);": "class",
            "uint64_t from = 0, at = 1;": "at",
            'f("the time goes back");': "the time goes back",
            "/* One lane of a stream. */": "lane",
            "static void test_reader_mends_a_line(void **state)": "mends",
        }
        for text, word in planted.items():
            self.assertEqual({word}, {found for _, found, _ in words.of_source("x.c", text)}, text)
        python = "ledger = 1\nwayward = class_of(at)\n"
        self.assertEqual(["ledger"], [word for _, word, _ in words.of_source("x.py", python)])

    def test_words_of_others_and_verbs_of_sentences_pass(self):
        for text in (
            "const uint8_t *at, *end; OTF_Pair *pair; MPI_IN_PLACE; int interval_class; void quipu_conversion_run(void);",
            "/* What is kept at this place in the way that it takes. */",
            "static void test_reader_takes_what_it_is_given_at_once(void **state)",
        ):
            self.assertEqual([], list(words.of_source("x.c", text)), text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        for name, number, word, use in offenders():
            if str(name).startswith(tuple(sys.argv[2:])):
                print(f"{name}:{number}: {word}: write {use}")
    else:
        unittest.main()
