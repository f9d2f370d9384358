"""The Python package as it was built, for tests: "from built import quipu". Where it is sanitized the interpreter starts again with the sanitizers' library ahead
of everything; leaks are not looked for then, since the interpreter has its own."""
import os
import subprocess
import sys

SOURCE = os.path.abspath(os.environ.get("QUIPU_SOURCE", "."))
BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
DATA = os.path.join(SOURCE, "tests", "data")
COMMAND = os.path.join(BUILD, "quipu")
PACKAGE = os.path.join(BUILD, "python", "quipu")

# A trace of each format, and one of 15 processes.
TRACES = {name: os.path.join(DATA, path) for name, path in (
    ("where", "where/w.otf"), ("otf", "otf/small.otf"), ("dumpi", "sweep/dumpi/ring.meta"), ("picl", "sweep/picl/ring.picl"), ("ovni", "sweep/ovni"),
    ("charisma", "sweep/charisma/ring.ctrace"), ("stencil", "analysis/stencil-2d-3x5"))}

SANITIZED = "QUIPU_PRELOADED" in os.environ
if SANITIZED:
    del os.environ["QUIPU_PRELOADED"], os.environ["LD_PRELOAD"]  # programs that tests start are not Python
else:
    linked = subprocess.run(["ldd", os.path.join(PACKAGE, "_quipu.abi3.so")], stdout=subprocess.PIPE, text=True, check=False).stdout
    sanitizers = [line.split()[2] for line in linked.splitlines() if "libasan" in line or "libtsan" in line]
    if sanitizers:
        os.execve(sys.executable, getattr(sys, "orig_argv", [sys.executable, *sys.argv]),
                  {**os.environ, "LD_PRELOAD": sanitizers[0], "QUIPU_PRELOADED": "yes", "ASAN_OPTIONS": "detect_leaks=0"})

if "QUIPU_INSTALLED" not in os.environ:  # in a virtual environment the wheel is tested, not the build
    sys.path.insert(0, os.path.dirname(PACKAGE))
import quipu  # noqa: E402
