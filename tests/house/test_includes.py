"""Who may know whom: arrows go down only, and no format is named outside its own folder."""
import re
import unittest

from house import SOURCE, lines, sources


def floors():
    """The floors, lowest first: sets of folders, from ARCHITECTURE.md."""
    text = (SOURCE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    line = re.search(r"^    core ← .*$", text, re.M)[0]
    return [set(re.findall(r"\w+", floor)) for floor in line.split("←")]


# A file may include files of its own folder, of lower floors, and public headers.
FLOOR = {folder: floor for floor, folders in enumerate(floors()) for folder in folders}

# Public headers that the lower floors may use: what they implement, not what stands on them.
PUBLIC = {
    "core": {"base.h", "status.def"},
    "schema": {"base.h", "schema.h", "model.h"},
    "table": {"base.h", "table.h"},
    "model": {"base.h", "schema.h", "model.h", "builder.h", "where.h"},
    "state": {"base.h", "schema.h", "model.h", "state.h", "calls.h", "messages.h"},
    "formats": {"base.h", "schema.h", "model.h", "format.h", "reader.h", "writer.h"},
    "index": {"base.h", "schema.h", "model.h", "format.h", "reader.h"},
    "transport": {"base.h", "transport.h"},
    "trace": {"base.h", "schema.h", "model.h", "format.h", "reader.h", "writer.h", "transport.h"},
}

FORMAT_NAME = re.compile(r"(?<![a-z])(dumpi|otf|picl|ovni|charisma)(?![a-z0-9])", re.I)
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def includes(*folders):
    """Triples (path, line number, what is included, whether in quotes) of all includes below folders."""
    for path in sources(*folders):
        for number, line in lines(path):
            match = INCLUDE.match(line)
            if match:
                yield path, number, match[2], match[1] == '"'


def format_folders():
    return {path.name for path in (SOURCE / "src/formats").iterdir() if path.is_dir()}


def src_arrow_is_fine(path, target, quoted):
    """Whether a file of src may include target."""
    folder = path.parts[1]
    if target.startswith("quipu/"):
        allowed = PUBLIC.get(folder)
        name = target.removeprefix("quipu/")
        return allowed is None or name in allowed or name.endswith(".def") and folder != "core"
    if not quoted:
        return True
    if folder == "cli":
        return "/" not in target
    parts = target.split("/")
    if len(parts) < 2 or parts[0] not in FLOOR:
        return False
    if parts[0] == "formats" and len(parts) > 2:
        return folder == "formats" and len(path.parts) > 3 and path.parts[2] == parts[1]
    return parts[0] == folder or FLOOR[parts[0]] < FLOOR[folder]


class Includes(unittest.TestCase):
    def assert_none(self, offenders):
        self.assertEqual([], [f"{path}:{number}: {what}" for path, number, what in offenders])

    def test_includes_every_folder_of_src_has_a_floor(self):
        folders = {path.name for path in (SOURCE / "src").iterdir() if path.is_dir()}
        self.assertEqual(set(FLOOR), folders)

    def test_includes_of_src_point_down(self):
        self.assert_none(
            (path, number, f"may not include {target}")
            for path, number, target, quoted in includes("src")
            if not src_arrow_is_fine(path, target, quoted)
        )

    def test_includes_of_public_headers_stay_public(self):
        self.assert_none(
            (path, number, f"may not include {target}")
            for path, number, target, quoted in includes("include")
            if quoted or "/" in target and not target.startswith("quipu/")
        )

    def test_includes_of_compat_stay_with_the_public_headers_and_their_format(self):
        self.assert_none(
            (path, number, f"may not include {target}")
            for path, number, target, quoted in includes("compat")
            if quoted and target.split("/")[0] in FLOOR and not target.startswith(f"formats/{path.parts[1]}/")
        )

    def test_includes_of_record_stay_with_core_schema_and_formats(self):
        self.assert_none(
            (path, number, f"may not include {target}")
            for path, number, target, quoted in includes("record")
            if quoted and target.split("/")[0] in set(FLOOR) - {"core", "schema", "formats"}
        )

    def test_includes_of_tests_name_files_that_exist(self):
        self.assert_none(
            (path, number, f"there is no {target}")
            for path, number, target, quoted in includes("tests")
            if quoted
            and not any((SOURCE / root / target).exists() for root in ("src", "tests", "include", "", path.parent))
        )

    def test_includes_formats_are_named_only_in_their_own_folder(self):
        def offends(path, name):
            own = path.parts[2] if path.parts[1] == "formats" and len(path.parts) > 3 else None
            return name.lower() != own

        self.assert_none(
            (path, number, f"names {match[0]}")
            for path in sources("src")
            if path.name != "formats.def"
            for number, line in lines(path)
            for match in FORMAT_NAME.finditer(line)
            if offends(path, match[0])
        )

    def test_includes_formats_def_lists_the_folders(self):
        listed = {
            match[1]
            for _, line in lines("src/formats/formats.def")
            if (match := re.match(r"QUIPU_FORMAT\((\w+)\)", line))
        }
        self.assertEqual(listed, format_folders())


if __name__ == "__main__":
    unittest.main()
