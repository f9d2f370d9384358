"""The drop-in DUMPI library is the original to compilers and linkers: every header has its names, every function its prototype,
every struct its layout, and programs that were linked with the original run."""
import os
import re
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, CC, CFLAGS, SOURCE, run  # noqa: E402

HERE = Path(__file__).resolve().parent
TABLES = SOURCE / "tests/data/dumpi/abi"
TRACES = SOURCE / "tests/data/dumpi/text"
COMPAT = BUILD / "compat"
INCLUDE, LIBRARY = COMPAT / "include/dumpi", COMPAT / "lib"
# Ours beside the original's: says why reading has stopped.
OWN = {"undumpi_fault"}


def table(name):
    """The rows of a table but its first, as lists of texts."""
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines]


def functions():
    """Header, name, kind and prototype of all functions."""
    return table("functions.tsv")


def declaration(type_, name):
    """A declaration of name with a type that is written without."""
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})", 1)
    base, bracket, size = type_.partition("[")
    return f"{base.strip()} {name}{bracket}{size}"


def check_of(kind, name, value):
    """C code that compiles when there is such a name, with that value or type."""
    if kind == "macro":
        lines = [f"#ifndef {name}", f'#error "{name} is not defined"', "#endif"]
        if re.fullmatch(r"-?\d+", value):
            lines.append(f"static int check_{name}(void) {{ return (long long)({name}) == {value}; }}")
        return lines
    return {
        "enumerator": [f'_Static_assert((long long){name} == {value or 0}LL, "{name}");'],
        "enum": [f"enum {name} enum_{name};"],
        "struct": [f"struct {name} struct_{name};"],
        "typedef": [f"typedef {declaration(value, name)};"],
        "externvar": [f"extern {declaration(value, name)};"],
    }[kind]


class DumpiAbi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return Path(self.folder.name) / name

    def build(self, name, text, *options):
        """Compiles a C program; nothing is said about it."""
        source = self.path(name + ".c")
        source.write_text(text, encoding="utf-8")
        command = [CC, "-std=c11", *CFLAGS, "-Wall", "-Werror", "-Wno-int-to-pointer-cast", source, "-o", self.path(name), *options]
        self.assertEqual((0, ""), run(*command), name)
        return self.path(name)

    def link_options(self):
        return ["-I", INCLUDE, "-L", LIBRARY, "-lundumpi", "-Wl,--no-undefined", f"-Wl,-rpath,{LIBRARY}"]

    def test_abi_every_function_has_its_prototype_in_its_header_and_links(self):
        seen = 0
        for header in sorted({row[0] for row in functions()} - {"-"}):
            rows = [row for row in functions() if row[0] == header]
            linked = [row[1] for row in rows if row[2] != "declared, in no library"]
            text = [f"#include <{header}>"] + [row[3] + ";" for row in rows]
            text += ["typedef void (*any)(void);", "volatile any functions[] = {", *[f"    (any){name}," for name in linked], "    0};"]
            text += ["int main(void) { return functions[%d] != 0; }" % len(linked), ""]
            program = self.build("functions", "\n".join(text), *self.link_options())
            self.assertEqual((0, ""), run(program), header)
            seen += len(linked)
        self.assertEqual(956 - 5 + 38, seen)

    def test_abi_exported_names_are_those_of_the_original(self):
        code, symbols = run("nm", "-D", "--defined-only", LIBRARY / "libundumpi.so")
        self.assertEqual(0, code)
        exported = {line.split()[-1] for line in symbols.splitlines() if line.split()[-2] in "TDBR"}
        exported = {name for name in exported if not re.match(r"_+(a|ub|t)san_|_init$|_fini$", name)}
        expected = {row[1] for row in functions() if row[2] == "exported"}
        self.assertEqual(956, len(expected))
        self.assertEqual(expected | OWN, exported)

    def test_abi_library_is_found_under_the_names_of_the_original(self):
        code, dynamic = run("readelf", "-d", LIBRARY / "libundumpi.so")
        self.assertEqual(0, code)
        self.assertIn("[libundumpi.so.13]", re.search(r".*SONAME.*", dynamic)[0])
        for name in ("libundumpi.so", "libundumpi.so.13"):
            self.assertTrue((LIBRARY / name).is_symlink())
            self.assertEqual("libundumpi.so.13.0.0", (LIBRARY / name).resolve().name)

    def test_abi_every_header_has_its_names_with_their_values(self):
        for header in sorted({row[0] for row in table("names.tsv")}):
            text = [f"#include <{header}>"]
            for _, kind, name, value in (row for row in table("names.tsv") if row[0] == header):
                text += check_of(kind, name, value)
            checks = re.findall(r"int (check_\w+)\(", "\n".join(text))
            body = "".join(f"    if (!{check}())\n        return 1;\n" for check in checks)
            program = self.build("names", "\n".join([*text, f"int main(void) {{\n{body}    return 0;\n}}", ""]), *self.link_options())
            self.assertEqual((0, ""), run(program), header)

    def test_abi_headers_are_those_of_the_original(self):
        expected = {row[0] for row in table("names.tsv")} | {"dumpi/dumpiconfig-generated.h", "dumpi/libdumpi/libdumpi.h"}
        self.assertEqual(23, len(expected))
        self.assertEqual(expected, {str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h")})

    @unittest.skipUnless(struct.calcsize("P") == 8, "the table is for 64 bits")
    def test_abi_structs_have_their_layouts(self):
        text = ["#include <stddef.h>", "#include <dumpi/libundumpi/bindings.h>"]
        for name, member, offset, size in table("layouts.tsv"):
            if not member:
                text.append(f'_Static_assert(sizeof({name}) == {size}, "{name}");')
                continue
            text.append(f'_Static_assert(offsetof({name}, {member}) == {offset}, "{name}.{member}");')
            text.append(f'_Static_assert(sizeof((({name} *)0)->{member}) == {size}, "{name}.{member}");')
        self.build("layouts", "\n".join([*text, "int main(void) { return 0; }", ""]), *self.link_options())

    def prototypes(self, names):
        """What a program needs to know of some functions: types and prototypes of the tables."""
        rows = [row for row in table("names.tsv") if row[1] == "typedef"]
        plain = [f"typedef {value} {name};" for header, _, name, value in rows if header == "dumpi/common/types.h" and re.fullmatch(r"\w+_t", value)]
        text = ["#include <stdint.h>", "#include <stdio.h>", "#include <string.h>", "#define DUMPIFILE FILE *", *plain,
                "typedef struct { int32_t sec, nsec; } dumpi_clock;", "typedef struct { dumpi_clock start, stop; } dumpi_time;",
                "typedef struct dumpi_perfinfo dumpi_perfinfo;", "typedef struct libundumpi_callbacks libundumpi_callbacks;",
                "typedef struct { int16_t count; int *size; } dumpi_sizeof;", "typedef char dumpi_perflabel_t[80];",
                "typedef struct { char version[3]; uint64_t starttime; char *hostname, *username; int meshdim, *meshcrd, *meshsize; } dumpi_header;",
                "typedef struct { FILE *file; int32_t cpu_time_offset, wall_time_offset; } dumpi_profile;"]
        calls = {name: value for _, _, name, value in rows}
        text += [f"typedef {declaration(calls[name], name)};" for name in ("libundumpi_unsafe_fun", "libdumpi_do_callback")]
        text += ["typedef struct { libdumpi_do_callback handler; libundumpi_unsafe_fun callout; } libundumpi_cbpair;"]
        return "\n".join(text + [row[3] + ";" for row in functions() if row[1] in names]) + "\n"

    def test_abi_programs_linked_with_the_original_write_right_bytes(self):
        client = (HERE / "clients/stranger.c").read_text(encoding="utf-8")
        names = {row[1] for row in functions() if re.search(rf"\b{row[1]}\b", client)}
        stub = "\n".join(f"void {name}(void);\nvoid {name}(void) {{}}" for name in sorted(names)) + "\n"
        folder = self.path("stub")
        folder.mkdir()
        self.build("stub/libundumpi.so", stub, "-shared", "-fPIC", "-Wl,-soname,libundumpi.so.13")
        program = self.build("stranger", self.prototypes(names) + client, "-L", folder, "-lundumpi")
        written = self.path("stranger.bin")
        environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY)}
        self.assertEqual((0, ""), run(program, written, env=environment))
        data = written.read_bytes()
        magic, sizes, addresses, counters, header, body, footer, keyvals = struct.unpack(">8Q", data[-64:])
        self.assertEqual((0xFFAADD44554D5049, 18, 8, 0, 0), (magic, header, body, footer, keyvals))
        self.assertEqual(struct.pack(">8sii H", data[-64:-56], 1, 2, 293), data[:18])
        self.assertEqual(struct.pack(">Iiii", 3, 0, 4, 8), data[sizes:counters])
        self.assertEqual(struct.pack(">IH5sH14s", 2, 5, b"FIRST", 14, b"SECOND_COUNTER"), data[counters:addresses])
        self.assertEqual(struct.pack(">IQH5sQH4s", 2, 7, 5, b"seven", 0x1122334455667788, 4, b"many"), data[addresses:-64])

    def test_abi_functions_survive_arguments_that_are_null(self):
        rows = [row for row in functions() if re.search(r"\(.*(dumpi_profile \*|ARGS)", row[3]) and row[2] == "exported"]
        self.assertGreater(len(rows), 900)
        headers = sorted({f"#include <{row[0]}>" for row in rows})
        body = []
        for _, name, _, prototype in rows:
            parameters = re.search(r"\((.*)\)$", prototype)[1].replace("DUMPI_READARGS", "a,a,a,a,a").replace("DUMPI_WRITEARGS", "a,a,a,a,a,a")
            call = f"{name}({', '.join('0' for _ in parameters.split(','))})"
            body.append(f'    if ({call}) printf("{name}\\n");' if prototype.startswith("int ") else f"    {call};")
        text = "\n".join([*headers, "int main(void) {", *body, "    return 0;", "}", ""])
        program = self.build("nulls", text, "-Wno-unused-result", *self.link_options())
        self.assertEqual((0, ""), run(program))

    def test_abi_one_header_is_enough_for_readers(self):
        text = (HERE / "clients/single_call.c").read_text(encoding="utf-8")
        self.assertEqual(["dumpi/libundumpi/bindings.h"], re.findall(r"<(dumpi/\S+)>", text))


if __name__ == "__main__":
    unittest.main()
