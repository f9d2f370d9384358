"""make install: a program outside of the project builds against what was installed, in both usual ways."""
import re
import tempfile
import unittest
from pathlib import Path

from house import BUILD, CC, CFLAGS, SOURCE, run

PROGRAM = """\
#include <quipu/quipu.h>
#include <stdio.h>

int main(void) {
    puts(quipu_version());
    return 0;
}
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
find_package(Quipu {version} REQUIRED)
add_executable(with-shared program.c)
target_link_libraries(with-shared quipu::quipu)
add_executable(with-static program.c)
target_link_libraries(with-static quipu::quipu-static)
"""


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = Path(cls.folder.name)
        cls.prefix = cls.top / "prefix"
        (cls.top / "program.c").write_text(PROGRAM)
        cls.must_run("cmake", "--install", BUILD, "--strip", "--prefix", cls.prefix)
        cls.before = {path.name for path in cls.prefix.rglob("*")}
        cls.must_run("cmake", "--install", BUILD, "--strip", "--prefix", cls.prefix, "--component", "compat")
        cls.pc = next(cls.prefix.rglob("quipu.pc"))
        cls.version = cls.must_run("pkg-config", "--modversion", cls.pc).strip()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def must_run(*command):
        code, output = run(*command)
        if code != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {code}:\n{output}")
        return output

    def assert_prints_version(self, *command):
        self.assertEqual(self.version, self.must_run(*command).strip())

    def flags(self, *options):
        return self.must_run("env", f"PKG_CONFIG_PATH={self.pc.parent}", "pkg-config", *options, "quipu").split()

    def test_install_lets_programs_build_with_pkg_config(self):
        program = self.top / "by-pkg-config"
        library_dir = self.flags("--variable=libdir")[0]
        self.must_run(
            CC, *CFLAGS, self.top / "program.c", "-o", program, *self.flags("--cflags", "--libs"), f"-Wl,-rpath,{library_dir}"
        )
        self.assert_prints_version(program)

    def test_install_under_a_private_prefix_runs_programs_as_the_readme_says(self):
        commands = re.search(r"^    export PKG_CONFIG_PATH.*\n    cc program.c .*$", (SOURCE / "README.md").read_text(), re.M)[0]
        commands = commands.replace("cc ", f"{CC} {' '.join(CFLAGS)} ")
        self.must_run("sh", "-c", f"cd {self.top}\nPREFIX={self.prefix}\n{commands}")
        self.assert_prints_version(self.top / "a.out")

    def test_install_builds_only_what_it_installs(self):
        commands = self.must_run("ninja", "-C", BUILD, "-t", "commands", "all")
        for what in ("tests/", "fuzz/", "bench/"):
            self.assertNotRegex(commands, rf"-o (\S+ )?{what}")
        self.assertRegex(self.must_run("ninja", "-C", BUILD, "-t", "commands", "build-tests"), r"-o tests/")

    def test_install_lets_programs_build_with_find_package(self):
        (self.top / "CMakeLists.txt").write_text(PROJECT.format(version=self.version))
        build = self.top / "build"
        self.must_run(
            "cmake", "-G", "Ninja", "-S", self.top, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_C_FLAGS={' '.join(CFLAGS)}",
        )  # fmt: skip
        self.must_run("cmake", "--build", build)
        self.assert_prints_version(build / "with-shared")
        self.assert_prints_version(build / "with-static")

    def test_install_lets_programs_build_with_the_drop_in_libraries(self):
        for package, header, call in (("undumpi", "dumpi/libundumpi/bindings.h", 'undumpi_open("") != 0'),
                                      ("open-trace-format", "otf.h", "(OTF_FileManager_close(OTF_FileManager_open(1)), 0)"),
                                      ("ovni", "ovni.h", "ovni_thread_isready()")):  # fmt: skip
            with self.subTest(package):
                source, program = self.top / f"{package}.c", self.top / package
                source.write_text(f"#include <{header}>\nint main(void) {{ return {call}; }}\n")
                packages = next(self.prefix.rglob(f"{package}.pc")).parent
                flags = self.must_run("env", f"PKG_CONFIG_PATH={packages}", "pkg-config", "--cflags", "--libs", package).split()
                self.must_run(CC, *CFLAGS, source, "-o", program, *flags, f"-Wl,-rpath,{packages.parent}")
                self.must_run(program)

    def test_install_brings_drop_ins_only_when_asked(self):
        drop_ins = {"libundumpi.so", "libundumpi.a", "libopen-trace-format.so", "libopen-trace-format.a", "libotfaux.a", "libovni.so",
                    "otf.h", "ovni.h", "dumpi2ascii", "otfconfig", "ovniemu", "undumpi.pc", "open-trace-format.pc", "ovni.pc"}  # fmt: skip
        after = {path.name for path in self.prefix.rglob("*")}
        self.assertEqual(drop_ins & self.before, set())
        self.assertLessEqual(drop_ins, after)

    def test_install_brings_documents(self):
        documents = next(self.prefix.rglob("README.md")).parent
        for name in ("CHANGES.md", "LICENSE", "docs/json.md", "docs/tour.md", "examples/demo.sh"):
            self.assertTrue((documents / name).exists(), name)

    def test_install_brings_libraries_without_what_only_debuggers_use(self):
        libraries = [path for path in self.prefix.rglob("lib*.so*") if not path.is_symlink()]
        self.assertGreater(len(libraries), 2)
        for library in libraries:
            self.assertIn("no symbols", self.must_run("nm", library))

    def test_install_puts_the_command_where_it_runs(self):
        output = self.must_run(self.prefix / "bin/quipu", "--version")
        self.assertIn(self.version, output)

    def test_install_brings_man_pages_and_completions(self):
        share = self.prefix / "share"
        self.assertIn(".TH", (share / "man/man1/quipu.1").read_text())
        for page in "bash-completion/completions/quipu", "zsh/site-functions/_quipu", "fish/vendor_completions.d/quipu.fish":
            self.assertIn("quipu", (share / page).read_text())

    def test_install_names_no_folder_of_this_build(self):
        for path in [*self.prefix.rglob("*.cmake"), self.pc]:
            self.assertNotIn(str(BUILD), path.read_text())
            self.assertNotIn(str(self.prefix), path.read_text())


if __name__ == "__main__":
    unittest.main()
