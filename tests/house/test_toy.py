"""docs/adding-a-format.md is a format: its blocks are cut out, built into a command of their own, and tried."""
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CC, CFLAGS, SOURCE, run

sys.path.insert(0, str(SOURCE / "tools"))
from planted_changes import static_libraries  # noqa: E402

PAGE = SOURCE / "docs/adding-a-format.md"
FLAGS = ["-std=c11", "-D_XOPEN_SOURCE=700", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror"]

# Two processes; process 1 works inside of main.
HEAD = b"TOY1\n" + struct.pack("<I", 2)
REGIONS = b"".join(b"R" + struct.pack("<H", len(name)) + name for name in (b"main", b"work"))


def call(tag, time, process, region):
    return tag + struct.pack("<qII", time, process, region)


CALLS = b"".join(
    [
        call(b"E", 10, 0, 0),
        call(b"E", 10, 1, 0),
        call(b"E", 40, 1, 1),
        call(b"L", 70, 1, 1),
        call(b"L", 90, 1, 0),
        call(b"L", 100, 0, 0),
    ]
)
TRACE = HEAD + REGIONS + CALLS


def blocks():
    """The files of the page: blocks of one name follow each other."""
    found = {}
    for name, text in re.findall(r"^```c (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        found[name] = found.get(name, "") + ("\n" if name in found else "") + text
    return found


class Toy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        formats = cls.folder / "src/formats"
        (formats / "toy").mkdir(parents=True)
        for name, text in blocks().items():
            (formats / "toy" / name).write_text(text)
        listed = (SOURCE / "src/formats/formats.def").read_text()
        (formats / "formats.def").write_text(listed + "QUIPU_FORMAT(toy)\n")
        include = ["-I", cls.folder / "src", "-I", SOURCE / "src", "-I", SOURCE / "include"]
        command = list((BUILD / "CMakeFiles/quipu.dir/src/cli").glob("*.o"))
        cls.quipu = cls.folder / "quipu"
        code, output = run(CC, *CFLAGS, *FLAGS, *include, "-o", cls.quipu, formats / "toy/format.c",
                           SOURCE / "src/formats/registry.c", *command, BUILD / "libquipu.a", *static_libraries(), "-pthread", "-lm")
        assert code == 0, output
        cls.trace = cls.folder / "trace.toy"
        cls.trace.write_bytes(TRACE)

    def run_quipu(self, *words, code=0):
        done = subprocess.run([self.quipu, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, cwd=self.folder)
        self.assertEqual(code, done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def test_toy_reads_events(self):
        events = [json.loads(line) for line in self.run_quipu("cat", "--json", self.trace).splitlines()]
        self.assertEqual(
            [(10, 0, "enter", 0), (10, 1, "enter", 0), (40, 1, "enter", 1), (70, 1, "leave", 1), (90, 1, "leave", 0), (100, 0, "leave", 0)],
            [(event["time"], event["location"], event["kind"], event["region"]) for event in events],
        )

    def test_toy_prints_its_records(self):
        records = [json.loads(line) for line in self.run_quipu("cat", "--records", "--json", self.trace).splitlines()]
        self.assertEqual(["Head", "Region", "Region"] + ["Enter"] * 3 + ["Leave"] * 3, [record["type"] for record in records])
        self.assertEqual({"name": "work"}, records[2]["fields"])

    def test_toy_is_analysed(self):
        table = json.loads(self.run_quipu("profile", "--json", self.trace))
        columns = [column["name"] for column in table["columns"]]
        rows = {(row[columns.index("location")], row[columns.index("region")]): row[columns.index("exclusive_ns")]
                for row in table["rows"]}
        self.assertEqual({("Process 0", "main"): 90, ("Process 1", "main"): 50, ("Process 1", "work"): 30}, rows)

    def test_toy_copies_come_out_byte_for_byte(self):
        self.run_quipu("convert", self.trace, "-o", "copy.toy")
        self.assertEqual(TRACE, (self.folder / "copy.toy").read_bytes())

    def test_toy_is_written_from_the_events_of_other_formats(self):
        self.run_quipu("convert", self.trace, "-o", "there.otf")
        self.run_quipu("convert", "there.otf", "-o", "back.toy")
        self.assertEqual(TRACE, (self.folder / "back.toy").read_bytes())

    def test_toy_is_exported(self):
        self.run_quipu("convert", self.trace, "--to", "chrome", "-o", "trace.json")
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        self.assertEqual(["main", "main", "work"], [event["name"] for event in events if event["ph"] == "B"])

    def test_toy_explains_what_a_conversion_loses(self):
        self.assertIn("Enter", self.run_quipu("convert", "--explain", "--to", "otf", self.trace))

    def test_toy_is_checked(self):
        self.run_quipu("check", self.trace)
        damaged = self.folder / "damaged.toy"
        damaged.write_bytes(HEAD + REGIONS + call(b"E", 10, 0, 0) + call(b"E", 20, 5, 0) + CALLS)
        report = json.loads(self.run_quipu("check", "--json", damaged, code=3))
        rules = {finding["rule"]: finding for finding in report["findings"]}
        self.assertEqual("an undefined location", rules["toy.damage"]["found"])
        self.assertEqual(len(HEAD + REGIONS) + 17, rules["toy.damage"]["byte"])
        self.assertEqual(4, report["records"])

    def test_toy_cut_off_anywhere_gives_what_precedes_the_cut(self):
        whole = self.run_quipu("cat", self.trace).splitlines()
        cut = self.folder / "cut.toy"
        for size in range(len(HEAD + REGIONS), len(TRACE), 5):
            cut.write_bytes(TRACE[:size])
            complete = (size - len(HEAD + REGIONS)) // 17
            is_whole = (size - len(HEAD + REGIONS)) % 17 == 0
            lines = self.run_quipu("cat", cut, code=0 if is_whole else 3).splitlines()
            self.assertEqual(complete, len([line for line in lines if line in whole]), size)

    def test_toy_is_small(self):
        self.assertLessEqual(sum(text.count("\n") for text in blocks().values()), 150)

    def test_toy_has_a_reference_page(self):
        page = self.run_quipu("schema", "toy")
        for name in ("Head", "Region", "Enter", "Leave", "processes"):
            self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main()
