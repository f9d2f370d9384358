"""The wheel, as a user has it: installed into a virtual environment with pandas, polars, DuckDB, pyarrow and nanoarrow from PyPI, where the consumers of
Arrow's streams and the notebook run with nothing else of the project than traces. The environment stays in the build's folder."""
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ.get("QUIPU_SOURCE", ".")).absolute()
BUILD = Path(os.environ.get("QUIPU_BUILD", "build")).absolute()
ENVIRONMENT = BUILD / "python/environment"
LIBRARIES = ("pandas", "polars", "duckdb", "pyarrow", "nanoarrow", "nbconvert", "ipykernel")
WHEEL_BYTES = 4 << 20


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout


class Package(unittest.TestCase):
    def must_run(self, *command, **environment):
        code, output = run(*command, **environment)
        self.assertEqual(0, code, output)
        return output

    def environment(self):
        """The environment's interpreter; the test is skipped where there is none, such as without a network."""
        python = ENVIRONMENT / "bin/python"
        if run(python, "-c", "import " + ", ".join(LIBRARIES))[0] != 0 if python.exists() else True:
            for command in ((sys.executable, "-m", "venv", ENVIRONMENT), (python, "-m", "pip", "install", "-q", *LIBRARIES)):
                code, output = run(*command)
                if code != 0:
                    self.skipTest(f"there is no environment with {', '.join(LIBRARIES)}: {output.strip()[-300:]}")
        return python

    def test_package_is_a_wheel_that_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check_wheel(Path(self.must_run(sys.executable, SOURCE / "python/wheel.py", BUILD / "python/quipu", folder).strip()))

    @unittest.skipUnless((SOURCE / ".git").exists(), "sources are packed from the repository")
    def test_package_has_sources_that_configure(self):
        """Building them takes minutes: .ci/run release does it."""
        with tempfile.TemporaryDirectory() as folder:
            packed = [Path(self.must_run(sys.executable, "-B", SOURCE / "python/wheel.py", "--sdist", Path(folder, name)).strip()) for name in ("a", "b")]
            self.assertEqual(packed[0].read_bytes(), packed[1].read_bytes())
            self.must_run("tar", "-C", folder, "-xzf", packed[0])
            sources = Path(folder, packed[0].name.removesuffix(".tar.gz"))
            self.assertIn("Name: quipu-trace\n", (sources / "PKG-INFO").read_text())
            self.must_run("cmake", "-G", "Ninja", "-S", sources, "-B", sources / "build", "-DQUIPU_TESTS=OFF")
            self.assertIn("_quipu.abi3.so", self.must_run("ninja", "-C", sources / "build", "-t", "commands", "quipu_python"))

    def check_wheel(self, wheel):
        self.assertRegex(wheel.name, r"^quipu_trace-[\d.]+-cp39-abi3-(many|musl)linux_\d+_\d+_\w+\.whl$")
        self.assertLess(wheel.stat().st_size, WHEEL_BYTES)
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            for name in archive.namelist():
                for folder in (SOURCE, BUILD):
                    self.assertNotIn(str(folder).encode(), archive.read(name), name)
        python = self.environment()
        self.must_run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall", wheel)
        installed = {"QUIPU_INSTALLED": "yes", "QUIPU_SOURCE": str(SOURCE), "QUIPU_BUILD": str(BUILD)}
        self.must_run(python, "-B", SOURCE / "tests/python/consumers.py", **installed)
        with tempfile.TemporaryDirectory() as folder:
            self.must_run(python, "-m", "nbconvert", "--to", "html", "--execute", SOURCE / "docs/notebook.ipynb", "--output-dir", folder,
                          QUIPU_TRACES=str(SOURCE / "tests/data"), JUPYTER_PLATFORM_DIRS="1", IPYTHONDIR=folder)
            page = Path(folder, "notebook.html").read_text(encoding="utf-8")
            self.assertGreater(page.count("<caption>"), 4)


if __name__ == "__main__":
    unittest.main()
