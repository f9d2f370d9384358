"""tools/install-deps on a made-up machine: dpkg-query, apt-get, id and sudo are scripts that write down what was asked."""
import os
import pty
import select
import subprocess
import tempfile
import unittest
from pathlib import Path

from house import SOURCE, run

TOOL = SOURCE / "tools/install-deps"
SYSTEM = ["bash", "env", "awk", "sort", "comm", "mktemp", "rm", "printf", "dirname"]


class InstallDeps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name)
        self.log = self.bin / "log"
        for name in SYSTEM:
            found = next(p for p in (Path("/bin") / name, Path("/usr/bin") / name) if p.exists())
            (self.bin / name).symlink_to(found)
        self.fake("id", "echo 0")
        self.fake("apt-get", 'echo "apt-get $*" >>"$LOG"')

    def fake(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{body}\n")
        path.chmod(0o755)

    def fake_installed(self, but=""):
        """All packages that are asked for are installed, except one."""
        self.fake("dpkg-query", f'for p in "${{@:3}}"; do [ "$p" = "{but}" ] || echo "ii  $p"; done')

    def install(self, *options):
        code, output = run(
            self.bin / "bash", TOOL, *options, env={"PATH": str(self.bin), "LOG": str(self.log), "TMPDIR": self.folder.name}
        )
        asked = self.log.read_text() if self.log.exists() else ""
        return code, output, asked

    def test_install_deps_does_nothing_when_all_is_there(self):
        self.fake_installed()
        self.assertEqual((0, "", ""), self.install())

    def test_install_deps_installs_only_what_is_missing(self):
        self.fake_installed(but="ninja-build")
        code, output, asked = self.install()
        self.assertEqual((0, "Installing ninja-build\n"), (code, output))
        self.assertEqual("apt-get install -y -q --no-install-recommends ninja-build\n", asked)

    def test_install_deps_takes_optional_packages_only_when_asked(self):
        self.fake_installed(but="clang")
        self.assertEqual((0, "", ""), self.install())
        self.assertIn("clang\n", self.install("--optional")[2])

    def test_install_deps_takes_what_tests_and_demo_need_only_when_asked(self):
        for package, options in (("libopenmpi-dev", ("--demo", "--test", "--optional")), ("mpich", ("--test", "--optional")),
                                 ("lammps", ("--optional",))):
            for option in (None, "--demo", "--test", "--optional"):
                with self.subTest(package=package, option=option):
                    self.fake_installed(but=package)
                    self.log.unlink(missing_ok=True)
                    asked = self.install(*[option] if option else [])[2]
                    self.assertEqual(option in options, f"{package}\n" in asked)

    def test_install_deps_takes_the_fuzzer_only_when_asked(self):
        self.fake_installed(but="libclang-rt-14-dev")
        self.assertEqual((0, "", ""), self.install())
        self.assertIn("libclang-rt-14-dev\n", self.install("--fuzz")[2])

    def test_install_deps_refreshes_the_list_when_a_package_is_not_found(self):
        self.fake_installed(but="cmake")
        self.fake("apt-get", 'echo "apt-get $1" >>"$LOG"; [ "$1" = update ] && : >"$LOG.new" || [ -e "$LOG.new" ]')
        code, _, asked = self.install()
        self.assertEqual((0, "apt-get install\napt-get update\napt-get install\n"), (code, asked))

    def test_install_deps_asks_before_sudo_on_a_terminal(self):
        self.fake_installed(but="gcc")
        self.fake("id", "echo 1000")
        self.fake("sudo", 'echo "sudo $1" >>"$LOG"; exec "$@"')
        for reply, code, has_asked in (("n\n", 1, False), ("\n", 0, True)):
            reader, terminal = pty.openpty()
            os.write(reader, reply.encode())
            done = subprocess.run([self.bin / "bash", TOOL], stdin=terminal, stdout=terminal, stderr=terminal, check=False,
                                  env={"PATH": str(self.bin), "LOG": str(self.log), "TMPDIR": self.folder.name})
            said = ""  # a terminal hands on what it has got bit by bit
            while "[Y/n]" not in said and select.select([reader], [], [], 10)[0]:
                said += os.read(reader, 4096).decode()
            os.close(terminal)
            os.close(reader)
            self.assertEqual((done.returncode, self.log.exists()), (code, has_asked), said)
            self.assertIn("Install them with sudo apt-get? [Y/n]", said)

    def test_install_deps_uses_sudo_when_not_root(self):
        self.fake_installed(but="gcc")
        self.fake("id", "echo 1000")
        self.fake("sudo", 'echo "sudo $1" >>"$LOG"; exec "$@"')
        code, _, asked = self.install()
        self.assertEqual(0, code)
        self.assertTrue(asked.startswith("sudo env\napt-get install"))

    def test_install_deps_says_what_to_do_when_it_cannot(self):
        self.fake_installed(but="gcc")
        self.fake("id", "echo 1000")
        code, output, _ = self.install()
        self.assertEqual(1, code)
        self.assertIn("as root do: apt-get install gcc", output)


if __name__ == "__main__":
    unittest.main()
