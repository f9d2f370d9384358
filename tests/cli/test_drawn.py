"""All tables of the causal analyses on traces that are drawn by lot, against a second, slow implementation where it is at hand. QUIPU_DRAWN is how
many of each are drawn; seeds that once told the two apart stay in the lists below."""
import os
import pathlib
import random
import unittest

import drawn_calls
import drawn_traces
import oracle
import programs
from folder import FolderTest

SEEDS = range(int(os.environ.get("QUIPU_DRAWN", "12")))

# The options of a trace, and those of them that a command has.
OPTIONS = ((), (), ("--eager-limit", "8"), ("--l-min", "3"))
COMMANDS = {"--eager-limit": ("waits", "critical-path", "efficiency"), "--l-min": ("clock",)}

# Section of the second implementation, what of it, the command, and its table.
TABLES = (
    ("matching", None, ("waits",), "matching"), ("waits", None, ("waits",), "waits"), ("delays", None, ("waits", "--causes"), "delays"),
    ("critical_path", None, ("critical-path",), "critical_path"), ("critical_path", "segments", ("critical-path",), "segments"),
    ("critical_path", "profile", ("critical-path",), "path_profile"), ("efficiency", None, ("efficiency",), "efficiency"),
    ("imbalance", None, ("imbalance",), "imbalance"), ("comm", "pairs", ("comm",), "pairs"), ("comm", "sizes", ("comm",), "sizes"),
    ("comm", "pattern", ("comm",), "pattern"), ("clock", None, ("clock",), "clock"), ("clock", "pairs", ("clock",), "clock_pairs"),
    ("clock", "offsets", ("clock",), "offsets"), ("phases", None, ("phases",), "phases"))


def rows_of(section, part):
    found = section[part] if part else section
    return found if isinstance(found, list) else [] if found is None else [found]


def plain(row, columns):
    """Its values as text: whole numbers as such, ratios with six digits."""
    return tuple(f"{float(row[name]):.6f}" if kind is float and row[name] is not None else str(row[name]) for name, kind in columns)


@unittest.skipUnless(oracle.ORACLE.exists(), "needs the second implementation")
class Drawn(FolderTest):
    def setUp(self):
        super().setUp()
        self.oracle = oracle.load()

    def agrees(self, trace, options, where):
        named = {name[2:].replace("-", "_"): int(value) for name, value in zip(options[::2], options[1::2])}
        expected, found = self.oracle.analyse(pathlib.Path(trace), **named), {}
        for section, part, command, table in TABLES:
            if command not in found:
                words = options if options and command[0] in COMMANDS[options[0]] else ()
                found[command] = programs.tables(command[0], trace, *command[1:], *words)
            self.rows_agree(rows_of(expected[section], part), found[command][table], (where, options, table))

    def rows_agree(self, expected, found, where):
        if not expected:
            found = [row for row in found if any(value is not None for value in row.values())]
        kinds = {name: float if any(isinstance(row[name], float) for row in expected) else str for row in expected for name in row}
        columns = [(name, kind) for name, kind in kinds.items() if not isinstance(expected[0][name], (list, dict)) and (found and name in found[0])]
        self.assertEqual(sorted(plain(row, columns) for row in found), sorted(plain(row, columns) for row in expected), where)
        self.assertEqual(len(found), len(expected), where)

    def drawn_events(self, seed, sizes):
        numbers = random.Random(seed)
        drawn = drawn_traces.Drawn(numbers, numbers.choice((1, 2, 3, 3, 4, 5, 7, 16)), numbers.choice(sizes)).draw()
        self.agrees(drawn_traces.write(self.path("t.otf"), drawn), numbers.choice(OPTIONS), seed)

    def drawn_calls(self, seed, sizes):
        numbers = random.Random(seed)
        drawn = drawn_calls.DrawnCalls(numbers, numbers.choice((1, 2, 2, 3, 4, 9)), numbers.choice(sizes)).draw()
        self.agrees(drawn_calls.write(self.path("t.meta"), drawn), numbers.choice(OPTIONS), seed)

    # needs: oracle
    def test_drawn_events_have_the_tables_of_the_second_implementation(self):
        for seed in SEEDS:
            self.drawn_events(seed, (20, 60, 150))

    # needs: oracle
    def test_drawn_longer_traces_have_the_tables_of_the_second_implementation(self):
        for seed in SEEDS:
            self.drawn_events(10000 + seed, (400, 800))

    # needs: oracle
    def test_drawn_calls_have_the_tables_of_the_second_implementation(self):
        for seed in SEEDS:
            self.drawn_calls(20000 + seed, (30, 60, 200))

    # needs: oracle
    def test_drawn_more_calls_have_the_tables_of_the_second_implementation(self):
        for seed in SEEDS[:len(SEEDS) // 2]:
            self.drawn_calls(30000 + seed, (500, 1500))


if __name__ == "__main__":
    unittest.main()
