"""The public headers: each compiles alone, as C11 and as C++, and has initialisers."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from house import CC, SOURCE, run

STRICT = ["-fsyntax-only", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


# Structs that the library fills or owns, or that are static: no program begins with one.
GIVEN = {
    "active_interval", "analysis", "analysis_table", "attribute_keys", "batch", "call", "channels", "check_result",
    "compare_measure", "definitions", "domain", "field", "figure", "files", "finding", "format", "groups", "index_result", "kind_field",
    "kind_info", "label", "locations", "lossy_type", "markers", "message", "message_ends", "messages_in_flight", "moved_events", "metrics", "nearest", "number",
    "option", "population", "record", "relation", "report_page", "sql_value", "record_type", "view_file", "view_question", "regions", "repair_counts", "rule", "schema", "sized", "sources",
    "stream", "summary", "system", "table_column", "task_types", "where_field", "writer_losses",
}
# Those that begin at a place instead.
STARTS = {"tracker_position": "QUIPU_TRACKER_START"}


class Headers(unittest.TestCase):
    def compile_each(self, *command):
        headers = sorted((SOURCE / "include/quipu").glob("*.h"))
        self.assertIn(SOURCE / "include/quipu/quipu.h", headers)
        with tempfile.TemporaryDirectory() as folder:
            for header in headers:
                program = Path(folder) / "alone.c"
                program.write_text(f"#include <quipu/{header.name}>\nint main(void) {{ return 0; }}\n")
                code, output = run(*command, *STRICT, "-I", SOURCE / "include", program)
                self.assertEqual(0, code, f"{header.name}: {output}")

    def test_headers_compile_alone_as_c11(self):
        self.compile_each(CC, "-std=c11", "-Wstrict-prototypes")

    def test_headers_compile_alone_as_cpp(self):
        compiler = shutil.which("c++") or self.skipTest("there is no C++ compiler")
        self.compile_each(compiler, "-x", "c++", "-std=c++11")

    def test_headers_have_an_initialiser_for_each_struct_that_users_fill(self):
        structs, text = set(), ""
        for header in (SOURCE / "include/quipu").glob("*.h"):
            structs |= set(re.findall(r"^struct quipu_(\w+) \{", header.read_text(encoding="utf-8"), re.M))
        self.assertEqual(GIVEN - structs, set())
        for name in sorted(structs - GIVEN):
            text += f"struct quipu_{name} {name} = {STARTS.get(name, f'QUIPU_{name.upper()}_INIT')};\n"
        self.assertGreater(len(text.splitlines()), 25)
        compilers = [(CC, "-std=c11"), (shutil.which("c++") or CC, "-x", "c++", "-std=c++11")]
        for command in compilers if shutil.which("c++") else compilers[:1]:
            with tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "initialised.c"
                program.write_text(f"#include <quipu/quipu.h>\n{text}int main(void) {{ return 0; }}\n")
                code, output = run(*command, *STRICT, "-I", SOURCE / "include", program)
                self.assertEqual(0, code, output)


if __name__ == "__main__":
    unittest.main()
