"""Rules of style that a reader of the sources can check."""
import re
import unittest

from house import SOURCE, lines, sources, without_comments

# Only here may systems and compilers be told apart.
SYSTEM_FILES = {"src/core/os.h", "src/core/os.c", "include/quipu/base.h"}
SYSTEM_WORD = re.compile(r"__(linux__|APPLE__|MACH__|unix__|GNUC__|clang__|x86_64__|aarch64__|attribute__|builtin_\w+)|_WIN32")


def failures():
    """Names of the negative statuses."""
    return [
        match[1]
        for _, line in lines("include/quipu/status.def")
        if (match := re.match(r"QUIPU_STATUS\((\w+), -", line))
    ]


def block_before(text, end):
    """What precedes a position in its innermost block."""
    depth, start = 0, end
    while start > 0 and depth >= 0:
        start -= 1
        depth += {"}": 1, "{": -1}.get(text[start], 0)
    return text[start:end]


class Sources(unittest.TestCase):
    def assert_none(self, offenders):
        self.assertEqual([], [f"{path}:{number}: {what}" for path, number, what in offenders])

    def statements(self, path, pattern):
        """Triples (line number, statement, what precedes it in its block) of the statements that match, with
        comments and literals blanked."""
        text = without_comments((SOURCE / path).read_text(encoding="utf-8"))
        for match in re.finditer(pattern, text):
            number = text.count("\n", 0, match.start()) + 1
            yield number, " ".join(match[0].split()), block_before(text, match.start())

    def test_sources_no_failure_is_returned_without_its_message(self):
        failure = re.compile(r"QUIPU_(" + "|".join(failures()) + r")\b(?!\s*[=!]=)")
        compared = re.compile(r"[=!]=\s*QUIPU_\w+")
        self.assert_none(
            (path, number, statement)
            for path in sources("src")
            if path.suffix == ".c" and path.parts[1] != "cli" and str(path) != "src/core/error.c"
            for number, statement, before in self.statements(path, r"\breturn\b[^;]*;")
            if failure.search(compared.sub("", statement)) and "quipu__fail" not in before + statement
        )

    def test_sources_systems_and_compilers_are_told_apart_in_one_place(self):
        self.assert_none(
            (path, number, f"{match[0]} belongs into core/os")
            for path in sources("src", "include")
            if str(path) not in SYSTEM_FILES
            for number, line in lines(path)
            for match in [SYSTEM_WORD.search(line)]
            if match
        )

    def test_sources_the_library_neither_prints_nor_ends_the_program(self):
        forbidden = r"(?<![\w.>])(printf|puts|putchar|perror|exit|_exit|abort|system)\s*\(|\b(stdout|stderr)\b"
        self.assert_none(
            (path, number, statement)
            for path in sources("src")
            if path.suffix == ".c" and path.parts[1] != "cli"
            for number, statement, _ in self.statements(path, forbidden)
        )

    def test_sources_every_file_says_what_it_is_for(self):
        self.assert_none(
            (path, 1, "begin with a comment, /* NAME: ... */")
            for path in sources("src", "include", "record", "bench", "python")
            if not (SOURCE / path).read_text(encoding="utf-8").startswith(f"/* {path.name}: ")
        )


    def test_sources_descriptors_of_formats_have_their_members_in_one_order(self):
        declared = {}
        for header in ("descriptor.h",):
            text = without_comments((SOURCE / "src/formats" / header).read_text(encoding="utf-8"))
            for struct in re.finditer(r"(?ms)^struct (quipu__\w+) \{$(.*?)^\};$", text):
                members = re.finditer(r"(?m)\(\*(\w+)\)\(|^    [^()\n]*?(\w+); *$", struct[2])
                declared[struct[1]] = [match[1] or match[2] for match in members]
        seen = 0
        for path in sorted((SOURCE / "src/formats").rglob("*.c")):
            text = without_comments(path.read_text(encoding="utf-8"))
            for descriptor in re.finditer(r"(?ms)^(?:static )?const struct (quipu__\w+) \w+ = \{$(.*?)^\};$", text):
                order = declared.get(descriptor[1])
                members = re.findall(r"(?m)^    \.(\w+) =", descriptor[2])
                if order and members:
                    seen += 1
                    self.assertEqual(members, sorted(members, key=order.index), path)
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
