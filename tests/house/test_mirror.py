"""The tests mirror the sources: a file of the library has a test of its name, or one that this page names for it."""
import unittest
from fnmatch import fnmatchcase

from house import SOURCE

# Where a file is tested that has no test of its own name. A file NAME_more.c is tested where NAME.c is.
#     files below src: test
TESTED_BY = {
    "analysis/shared/call_sequences": "analysis/phases/test_phases.c",
    "analysis/shared/cells": "analysis/test_efficiency.c",
    "analysis/shared/matching_table": "analysis/waits/test_waits.c",
    "analysis/shared/path_text": "analysis/waits/test_waits.c",
    "analysis/shared/repetition": "analysis/phases/test_phases.c",
    "analysis/shared/sending": "analysis/waits/test_waits.c",
    "analysis/shared/useful_counters": "analysis/test_efficiency.c",
    "convert/write_loss": "convert/test_convert.c",
    "convert/record_tracker": "cli/test_cut_snapshots.py",
    "core/memory/z*_memory": "core/files/test_inflate.c",
    "core/files/recording": "record/test_ring.c",
    "formats/single_file": "formats/chrome/test_writer.c",
    "formats/record_*": "house/test_toy.py",
    "formats/charisma/resume": "formats/test_resuming.c",
    "formats/goal/*": "formats/goal/test_goal.py",
    "formats/dimemas/*": "formats/dimemas/test_dimemas.py",
    "formats/program": "formats/goal/test_goal.py",
    "formats/paraver/*": "formats/paraver/test_writer.c",
    "formats/otf2/*": "formats/otf2/test_otf2.py",
    "formats/*/format": "trace/test_probe.c",
    "formats/*/rules": "trace/test_sweep.c",
    "formats/*/mapping": "formats/test_formats.c",
    "formats/*/records": "formats/test_formats.c",
    "index/*": "index/test_index.c",
    "picture/*": "picture/test_report.py",
    "relation/calls": "cli/test_table.py",
    "relation/events": "cli/test_table.py",
    "relation/messages": "cli/test_table.py",
    "relation/operations": "relation/test_intervals.py",
    "relation/sql*": "cli/test_sql.py",
    "trace/remote": "analysis/shared/test_shared_fold.c",
    "trace/shared_reading": "analysis/shared/test_shared_fold.c",
    "relation/sql_extension": "relation/test_extension.py",
    "relation/tables": "cli/test_table.py",
    "relation/waits": "relation/test_intervals.py",
    "render/rows": "cli/test_table.py",
    "state/checkpoint": "analysis/test_checkpoint.c",
    "state/collective_matching": "state/test_communication.c",
    "state/reconcile": "state/test_tracker.c",
    "trace/source": "trace/test_shared_pass.c",
    "trace/within": "cli/test_regions.py",
}


def library():
    return sorted(path.relative_to(SOURCE / "src") for path in (SOURCE / "src").rglob("*.c") if path.parts[-2] != "cli")


def tests():
    return {
        path.relative_to(SOURCE / "tests").with_suffix("")
        for suffix in ("c", "py", "sh")
        for path in (SOURCE / "tests").rglob(f"*.{suffix}")
    }


def own_tests(path):
    """The tests that a file may have by its name, or by that of the folder that an analysis has."""
    words = path.stem.split("_")
    names = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
    if path.parts[0] == "analysis" and path.parent.name not in ("shared", "analysis"):
        names.append(path.parent.name)
    for name in names:
        yield path.parent / f"test_{name}"
        if path.parts[0] == "analysis":
            yield type(path)("cli") / f"test_{name}"


def rows_of(path):
    return [pattern for pattern in TESTED_BY if fnmatchcase(str(path.with_suffix("")), pattern)]


def has_own_test(path, known):
    return any(test in known for test in own_tests(path))


class Mirror(unittest.TestCase):
    def test_mirror_every_file_of_the_library_is_tested_somewhere(self):
        known = tests()
        self.assertEqual([], [str(path) for path in library() if not has_own_test(path, known) and not rows_of(path)])

    def test_mirror_names_tests_that_exist_for_files_that_need_them(self):
        known = tests()
        needed = {row for path in library() if not has_own_test(path, known) for row in rows_of(path)}
        self.assertEqual([], sorted(row for row in set(TESTED_BY) - needed if "*" not in row))
        self.assertEqual([], sorted({TESTED_BY[row] for row in needed if not (SOURCE / "tests" / TESTED_BY[row]).exists()}))


if __name__ == "__main__":
    unittest.main()
