"""Programs of the build as a user runs them who owns nothing, where the tests run as root, who may read everything. The build may lie where
others may not look, so these are copies."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from house import BUILD

IS_ROOT = os.geteuid() == 0
OTHER = "65534"


def commands_of_another_user(folder, *names):
    """Words to run each of the programs with, by their names in the build; the folder is made readable."""
    if not IS_ROOT:
        return [[BUILD / name] for name in names]
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    for path in (folder, folder.parent):
        path.chmod(0o755)
    shutil.copy(BUILD / "libquipu.so.0", folder)
    user = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", "env", f"LD_LIBRARY_PATH={folder}"]
    if subprocess.run([*user, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise unittest.SkipTest("other users can run nothing here, where they may not search the root")
    return [[*user, shutil.copy(BUILD / name, folder)] for name in names]
