"""What comments and documents name exists: files, functions, structs and constants of the library."""
import functools
import re
import unittest

import words
from house import SOURCE, sources

FOLDERS = ("src", "include", "compat", "record", "tests", "fuzz", "bench", "python")
OUR_NAME = re.compile(r"\b(?:quipu_|QUIPU_)\w+\b(?!\*)")
FILE_NAME = re.compile(r"(?<![\w*./<-])((?:[a-z_0-9]+/)*[a-z][\w-]*\.(?:c|h|def|py|md))\b(?!\*)")
START = 12  # characters by which names are looked up
QUOTED = re.compile(r"`([^`\n]+)`")

# Headers of others, and names that stand for any: NAME.
FOREIGN = re.compile(r"^(std|dumpi|OTF|otf|mpi|undumpi|zlib)\w*\.h$|NAME|(^|/|_)name[_/]|^quipu__name$|^test_x\.c$|^QUIPU__TOY_|^quipu__toy_")


@functools.lru_cache(maxsize=None)
def tokens(path):
    return list(words.c_tokens((SOURCE / path).read_text(encoding="utf-8")))


def comments():
    """Triples (path, line number, comment) of all sources."""
    for path in sources(*FOLDERS):
        for kind, token, number in tokens(path):
            if kind == "comment":
                yield path, number, token


@functools.lru_cache(maxsize=None)
def code_names():
    """All names in code, those in its texts too, such as variables of the environment."""
    found = set()
    for path in sources(*FOLDERS):
        for kind, token, _ in tokens(path):
            if kind == "name":
                found.add(token)
            elif kind == "text":
                found |= set(OUR_NAME.findall(token))
    return found


@functools.lru_cache(maxsize=None)
def names_by_start():
    found = {}
    for name in code_names():
        found.setdefault(name[:START], []).append(name)
    return found


def missing_names(text):
    """Names of ours in a text that no code has; macros may make longer ones of a beginning."""
    for name in OUR_NAME.findall(text):
        name = name.rstrip("_")
        if name in code_names() or FOREIGN.search(name):
            continue
        if not any(other.startswith(name) for other in names_by_start().get(name[:START], ())):
            yield name


def missing_files(text, known):
    for name in FILE_NAME.findall(text):
        if name not in known and not FOREIGN.search(name):
            yield name


def documents():
    return [SOURCE / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + sorted(
        (SOURCE / "docs").rglob("*.md")
    )


def file_names():
    """Names of all files, and their paths from every folder on."""
    found = set()
    for path in SOURCE.rglob("*"):
        parts = path.relative_to(SOURCE).parts
        if parts[0] in (".git", "build") or parts[0].startswith("build-"):
            continue
        for i in range(len(parts)):
            found.add("/".join(parts[i:]))
    return found


class Comments(unittest.TestCase):
    def test_comments_name_functions_and_constants_that_exist(self):
        self.assertEqual(
            [],
            [
                f"{path}:{number}: there is no {name}"
                for path, number, comment in comments()
                for name in missing_names(comment)
            ],
        )

    def test_comments_name_files_that_exist(self):
        known = file_names()
        self.assertEqual(
            [],
            [
                f"{path}:{number}: there is no {name}"
                for path, number, comment in comments()
                for name in missing_files(comment, known)
            ],
        )

    def test_comments_that_name_what_does_not_exist_are_found(self):
        text = "/* As quipu__at does it, not quipu__went_away; see core/error.h and core/went_away.h. */"
        self.assertEqual(["quipu__went_away"], list(missing_names(text)))
        self.assertEqual(["core/went_away.h"], list(missing_files(text, file_names())))

    def test_comments_of_documents_name_files_and_functions_that_exist(self):
        known = file_names()
        self.assertEqual(
            [],
            [
                f"{path.name}: there is no {name}"
                for path in documents()
                for quoted in QUOTED.findall(path.read_text(encoding="utf-8"))
                for name in [*missing_names(quoted), *missing_files(quoted, known)]
            ],
        )


if __name__ == "__main__":
    unittest.main()
