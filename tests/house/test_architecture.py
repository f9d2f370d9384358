"""ARCHITECTURE.md is about this tree: its folders, its files in reading order, its glossary."""
import re
import unittest

import words
from house import SOURCE, sources

TEXT = (SOURCE / "ARCHITECTURE.md").read_text(encoding="utf-8")


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)[1]


class Architecture(unittest.TestCase):
    def test_architecture_describes_every_folder_of_src(self):
        described = re.findall(r"^\| `src/(\w+)` \|", section("The floors"), re.M)
        folders = {path.name for path in (SOURCE / "src").iterdir() if path.is_dir()}
        self.assertEqual(len(described), len(set(described)))
        self.assertEqual(folders, set(described))

    def test_architecture_describes_folders_in_the_order_of_the_floors(self):
        line = re.search(r"^    core ← .*$", TEXT, re.M)[0]
        self.assertEqual(re.findall(r"\w+", line), re.findall(r"^\| `src/(\w+)` \|", section("The floors"), re.M))

    def test_architecture_reading_order_names_what_exists(self):
        named = re.findall(r"`([\w./-]+)`", section("Reading order"))
        self.assertGreater(len(named), 10)
        self.assertEqual([], [name for name in named if not (SOURCE / name).exists()])

    def test_architecture_glossary_has_words_that_the_sources_use(self):
        text = "\n".join((SOURCE / path).read_text(encoding="utf-8") for path in sources("src", "include")).lower()
        glossary = re.findall(r"^\| ([a-z ]+) \| ", section("Glossary"), re.M)[1:]
        self.assertGreater(len(glossary), 15)
        for word in glossary:
            self.assertRegex(text, rf"\b{word}s?\b")
            self.assertEqual([], words.of_text(word) + words.of_identifier(word.replace(" ", "_")))

    def test_architecture_and_its_like_use_no_private_words(self):
        for path in [SOURCE / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "README")] + [
            *(SOURCE / "docs").rglob("*.md"),
            *(SOURCE / "bench").glob("*.md"),
        ]:
            text = re.sub(r"`[^`\n]+`", "", path.read_text(encoding="utf-8"))
            self.assertEqual([], words.of_text(text), path.name)


if __name__ == "__main__":
    unittest.main()
