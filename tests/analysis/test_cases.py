"""The analyses on small traces whose answers were worked out by hand: tests/data/analysis."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

QUIPU = str(pathlib.Path(os.environ.get("QUIPU_BUILD", "build"), "quipu").resolve())
CASES = pathlib.Path(__file__).resolve().parents[1] / "data/analysis"

# Section -> words of the command, and where each part of what is expected is found: part: (table, whether it has one row).
COMMANDS = {
    "matching": (["waits"], {"": ("matching", True)}),
    "waits": (["waits"], {"": ("waits", False)}),
    "delays": (["waits", "--causes"], {"": ("delays", False)}),
    "critical_path": (["critical-path"], {"": ("critical_path", True), "segments": ("segments", False), "profile": ("path_profile", False)}),
    "efficiency": (["efficiency"], {"": ("efficiency", True)}),
    "imbalance": (["imbalance"], {"": ("imbalance", False)}),
    "comm": (["comm"], {"pairs": ("pairs", False), "sizes": ("sizes", False), "pattern": ("pattern", True)}),
    "clock": (["clock"], {"": ("clock", True), "pairs": ("clock_pairs", False), "offsets": ("offsets", False)}),
    "phases": (["phases"], {"": ("phases", False)}),
    "replay": (["replay"], {"": ("replay", True)}),
    "why": (["why"], {"account": ("account", False), "spent": ("spent", False)}),
}
# Commands that have an option that a case gives for some of its sections.
TAKES = {"--eager-limit": ("waits", "critical-path", "efficiency", "replay", "why"), "--l-min": ("clock",)}


def run(*words):
    return subprocess.run([QUIPU, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def tables(text):
    answer = json.loads(text)
    return {table["table"]: [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
            for table in answer.get("tables", [answer])}


def answer(section, trace, options):
    """What the command says, in the form of what is expected."""
    words, shapes = COMMANDS[section]
    mine = [word for name, value in zip(options[::2], options[1::2]) if words[0] in TAKES.get(name, words) for word in (name, value)]
    done = run(*words, "--json", *mine, trace)
    if done.returncode not in (0, 1, 3):
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    found, result = tables(done.stdout), {}
    for part, (name, is_one) in shapes.items():
        value = (found[name] or [None])[0] if is_one else found[name]
        if part:
            result[part] = value
        elif is_one:
            result.update(value or {})
        else:
            result = value
    return result


def same(want, got):
    """Whether there is nothing but what is wanted: columns that are not named may be anything, whole numbers are exact."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(name in got and same(value, got[name]) for name, value in want.items())
    if isinstance(want, list):
        left = list(got)
        for row in sorted(want, key=lambda row: -len(row)):
            match = next((one for one in left if same(row, one)), None)
            if match is None:
                return False
            left.remove(match)
        return not left
    if isinstance(want, (bool, str, type(None))) or isinstance(got, (bool, type(None))):
        return want == got
    return abs(float(want) - float(got)) <= (1e-6 if isinstance(want, float) else 0)


class Cases(unittest.TestCase):
    def cases(self, section):
        for file in sorted(CASES.glob("*/expected.json")):
            case = json.loads(file.read_text(encoding="utf-8"))
            if section in case:
                yield file.parent, case

    def check(self, section):
        for folder, case in self.cases(section):
            got = answer(section, folder / case["trace"], case.get("options", []))
            self.assertTrue(same(case[section], got), f"{folder.name}: {case['derivation']}\nwant {case[section]}\ngot {got}")

    def test_cases_matching(self):
        self.check("matching")

    def test_cases_waits(self):
        self.check("waits")

    def test_cases_waits_as_otf2(self):
        """OTF2 says of a posted receive only its request, and nothing of one whose sender is not known."""
        for section in ("waits", "matching"):
            for folder, case in self.cases(section):
                with tempfile.TemporaryDirectory() as folder_of_copy:
                    copy = pathlib.Path(folder_of_copy, "copy.otf2")
                    run("convert", "--quiet", folder / case["trace"], "-o", copy)
                    if run("info", copy).returncode != 0:
                        self.skipTest("built without libotf2")
                    got = answer(section, copy, case.get("options", []))
                if folder.name != "wildcard-assumed":
                    self.assertTrue(same(case[section], got), f"{folder.name}: {case['derivation']}\nwant {case[section]}\ngot {got}")

    def test_cases_delays(self):
        self.check("delays")

    def test_cases_critical_path(self):
        self.check("critical_path")

    def test_cases_efficiency(self):
        self.check("efficiency")

    def test_cases_imbalance(self):
        self.check("imbalance")

    def test_cases_comm(self):
        self.check("comm")

    def test_cases_clock(self):
        self.check("clock")

    def test_cases_phases(self):
        self.check("phases")

    def test_cases_replay(self):
        self.check("replay")

    def test_cases_diff(self):
        for folder, case in self.cases("diff"):
            done = run("diff", folder / case["trace"], folder / case["diff"]["with"])
            self.assertEqual(done.returncode, case["diff"]["exit"], folder.name)

    def test_cases_are_all_of_a_known_section(self):
        known = {*COMMANDS, "diff", "why", "trace", "options", "derivation"}
        for file in sorted(CASES.glob("*/expected.json")):
            self.assertFalse(set(json.loads(file.read_text(encoding="utf-8"))) - known, file.parent.name)


if __name__ == "__main__":
    unittest.main()
