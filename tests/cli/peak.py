"""How much memory a command has at most."""
import os
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", "build"))
OF_THE_PROGRAM = 12 << 20  # code, stacks, and what the C library keeps for itself

STACK = 1 << 20  # of a thread: the system counts it whole

# The peak of a process begins with that of the one that started it, so this one starts the command, not the test.
WATCH = """
import os, resource, sys
private, stack = int(sys.argv.pop(1)), int(sys.argv.pop(1))
if private:
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
    resource.setrlimit(resource.RLIMIT_DATA, (private, private))
out = os.open(os.devnull, os.O_WRONLY)
actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions), 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def is_sanitized():
    """Whether the build has sanitizers, which have memory of their own."""
    lines = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
    return any(line.startswith("QUIPU_SANITIZE:") and not line.endswith("=") for line in lines)


def peak_of(*words, private=0, program=BUILD / "quipu"):
    """Exit code and peak of the resident set in bytes of a command of quipu, or another program, to which the system gives at most so much memory of its own;
    0: as it likes. The resident set has pages of the temporary file, too, until they are taken out: how many depends on when a thread
    gets a processor."""
    words = [sys.executable, "-S", "-c", WATCH, private, STACK, program, *words]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, check=True, text=True)
    code, peak = done.stdout.split()
    return int(code), int(peak) * 1024
