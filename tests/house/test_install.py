"""make install: programs outside of the project build against what was installed, in both usual ways, also where it was moved afterwards."""
import os
import re
import shutil
import subprocess
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
find_package(quipu {version} REQUIRED COMPONENTS {components})
add_executable(program program.c)
target_link_libraries(program quipu::quipu)
"""

# A sanitized recorder does not go into a program that is not.
RECORDS = all(shutil.which(program) for program in ("mpicc.openmpi", "gfortran")) and not any("sanitize" in flag for flag in CFLAGS)
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


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

    def test_install_under_a_private_prefix_runs_programs_as_the_manual_says(self):
        commands = re.search(r"^    export PKG_CONFIG_PATH.*\n    cc program.c .*$", (SOURCE / "docs/manual/install.md").read_text(), re.M)[0]
        commands = commands.replace("cc ", f"{CC} {' '.join(CFLAGS)} ")
        self.must_run("sh", "-c", f"cd {self.top}\nPREFIX={self.prefix}\n{commands}")
        self.assert_prints_version(self.top / "a.out")

    def test_install_builds_only_what_it_installs(self):
        commands = self.must_run("ninja", "-C", BUILD, "-t", "commands", "all")
        for what in ("tests/", "fuzz/", "bench/"):
            self.assertNotRegex(commands, rf"-o (\S+ )?{what}")
        self.assertRegex(self.must_run("ninja", "-C", BUILD, "-t", "commands", "build-tests"), r"-o tests/")

    def configure(self, source, build, *options):
        return run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}",
                   *(f"-DCMAKE_{language}_FLAGS={' '.join(CFLAGS)}" for language in ("C", "CXX")), *options)  # fmt: skip

    def needed(self, program):
        return re.findall(r"NEEDED +(\S+)", self.must_run("objdump", "-p", program))

    def test_install_lets_programs_build_with_find_package(self):
        for components in ("shared", "static", "shared static"):
            with self.subTest(components):
                source, build = self.top / components, self.top / components / "build"
                source.mkdir()
                (source / "program.c").write_text(PROGRAM)
                (source / "CMakeLists.txt").write_text(PROJECT.format(version=self.version, components=components))
                code, output = self.configure(source, build)
                self.assertEqual(0, code, output)
                self.must_run("cmake", "--build", build)
                self.assert_prints_version(build / "program")
                self.assertEqual("shared" in components, "libquipu.so.0" in self.needed(build / "program"))

    def test_install_has_the_other_components_where_the_recorder_is_not_installed(self):
        prefix, source = self.top / "without", self.top / "without-source"
        shutil.copytree(self.prefix, prefix, symlinks=True)
        for path in (*prefix.rglob("quipu-mpi*.cmake"), *prefix.rglob("libquipu-record-mpi.so")):
            path.unlink()
        source.mkdir()
        (source / "program.c").write_text(PROGRAM)
        (source / "CMakeLists.txt").write_text(PROJECT.format(version=self.version, components="").replace(" COMPONENTS", ""))
        code, output = self.configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertEqual(0, code, output)
        (source / "CMakeLists.txt").write_text(PROJECT.format(version=self.version, components="shared mpi"))
        code, output = self.configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertNotEqual(0, code)
        self.assertRegex(output, r"not installed, of shared;mpi:\s+mpi")

    def test_install_says_which_component_it_does_not_have(self):
        source = self.top / "unknown"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(PROJECT.format(version=self.version, components="shared telepathy"))
        code, output = self.configure(source, source / "build")
        self.assertNotEqual(0, code)
        self.assertIn("telepathy", output)

    def test_install_builds_the_examples_in_three_languages_after_it_was_moved(self):
        moved, build = self.top / "elsewhere" / "moved", self.top / "examples"
        shutil.copytree(self.prefix, moved, symlinks=True)
        code, output = self.configure(SOURCE / "examples/programs", build, f"-DCMAKE_PREFIX_PATH={moved}")
        self.assertEqual(0, code, output)
        self.must_run("cmake", "--build", build)
        trace = SOURCE / "examples/traces/phases"
        for program in ("sends", "sends-static"):
            self.assertEqual("rank 0 24\nrank 1 24\nrank 2 24\n", self.must_run(build / program, trace))
        self.assertEqual("MPI_Finalize\n", self.must_run(build / "longest", trace))
        if RECORDS:
            for program in ("steps", "steps-fortran"):
                out = self.top / f"{program}.otf"
                subprocess.run([moved / "bin/quipu", "record", "-o", out, "--", "mpiexec.openmpi", "-n", "2", build / program],
                               check=True, env=MPI, stdin=subprocess.DEVNULL)
                table = self.must_run(moved / "bin/quipu", "profile", "--by", "region", "--csv", out)
                self.assertRegex(table, r"(?m)^step,.*\b6\b")

    def test_install_gives_every_name_of_the_library_the_version_of_its_interface(self):
        library = next(self.prefix.rglob("libquipu.so.0"))
        self.assertIn("SONAME               libquipu.so.0\n", self.must_run("objdump", "-p", library))
        names = self.must_run("nm", "-D", "--defined-only", library).split()[2::3]
        self.assertEqual(set(), {name for name in names if not name.endswith("@@QUIPU_0") and name != "QUIPU_0"})

    @unittest.skipUnless(shutil.which("tclsh"), "there is no Tcl")
    def test_install_has_an_environment_module_that_finds_its_prefix(self):
        module = next((self.prefix / "share/quipu/modulefiles/quipu").iterdir())
        shim = 'foreach name {module-whatis conflict} { proc $name args {} }; proc prepend-path {name value} { puts "$name $value" }; '
        script = f"{shim}set ModulesCurrentModulefile {module}; source {module}"
        done = subprocess.run(["tclsh"], input=script, capture_output=True, text=True, check=True)
        paths = dict(line.split() for line in done.stdout.splitlines())
        self.assertTrue(Path(paths["PATH"], "quipu").exists())
        self.assertTrue(Path(paths["PKG_CONFIG_PATH"], "quipu.pc").exists())
        self.assertTrue(Path(paths["MANPATH"], "man1/quipu.1").exists())

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
        overview = (share / "man/man3/libquipu.3").read_text()
        for header in (SOURCE / "include/quipu").glob("*.h"):
            self.assertRegex(overview, rf"(?m)^\.B quipu/{re.escape(header.name)}\n[a-zA-Z]")
        for page in "bash-completion/completions/quipu", "zsh/site-functions/_quipu", "fish/vendor_completions.d/quipu.fish":
            self.assertIn("quipu", (share / page).read_text())

    def test_install_names_no_folder_of_this_build(self):
        for path in [*self.prefix.rglob("*.cmake"), self.pc]:
            self.assertNotIn(str(BUILD), path.read_text())
            self.assertNotIn(str(self.prefix), path.read_text())


if __name__ == "__main__":
    unittest.main()
