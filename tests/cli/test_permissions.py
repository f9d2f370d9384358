"""What the system does not let a command read is called so, wherever in a trace it lies: permission denied, exit code 4, never a trace
that is none. Where the tests run as root, who may read everything, the command runs as another user, who owns nothing."""
import glob
import os
import shutil
import subprocess
import sys
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
sys.path.insert(0, os.path.join(SOURCE, "tests", "house"))
from another_user import commands_of_another_user  # noqa: E402

TRACES = ("dumpi/p2p-ompi", "otf/e01", "ovni/t02_states/trace", "picl", "charisma")
UNREADABLE = 4


class Permissions(FolderTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.command = commands_of_another_user(self.path("commands"), "quipu")[0]

    def unprivileged(self, *arguments):
        return subprocess.run([*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def copy(self, pattern):
        """A folder of a trace as any user may read it."""
        folder = self.path("trace")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(SOURCE, "..", "shared", "traces", pattern), folder, symlinks=True)
        for above, folders, files in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(above, name), 0o755)
            for name in files:
                os.chmod(os.path.join(above, name), 0o644)
        return folder

    def assert_denied(self, *arguments):
        run = self.unprivileged(*arguments)
        self.assertIn(b"Permission denied", run.stderr, arguments)
        self.assertEqual(run.returncode, UNREADABLE, (arguments, run.stderr))

    def tried(self, folder):
        """The folder and, where there is one, the file that stands for the trace."""
        return [folder] + sorted(glob.glob(os.path.join(folder, "*.meta")) + glob.glob(os.path.join(folder, "*.otf")))[:1]

    # needs: shared
    def test_permission_to_a_folder_is_denied(self):
        for pattern in TRACES:
            folder = self.copy(pattern)
            for mode in (0o000, 0o311, 0o444):
                os.chmod(folder, mode)
                with self.subTest(pattern, mode=oct(mode)):
                    for command in ("info", "check"):
                        if mode != 0o444 or pattern.startswith(("dumpi", "otf")):
                            self.assert_denied(command, folder)
                os.chmod(folder, 0o755)

    # needs: shared
    def test_permission_to_all_files_is_denied(self):
        for pattern in ("dumpi/p2p-ompi", "otf/e01"):
            folder = self.copy(pattern)
            paths = self.tried(folder)
            for path in glob.glob(os.path.join(folder, "*")):
                if not path.endswith(".meta"):
                    os.chmod(path, 0o000)
            for path in paths:
                with self.subTest(pattern, path=path):
                    self.assert_denied("info", path)
                    self.assert_denied("convert", path, "--to", "chrome", "-o", "-")


if __name__ == "__main__":
    unittest.main()
