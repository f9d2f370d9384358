"""What the tests of the house share: where things are, and reading sources."""
import os
import re
import subprocess
from pathlib import Path

SOURCE = Path(os.environ.get("QUIPU_SOURCE") or Path(__file__).resolve().parents[2])
BUILD = Path(os.environ.get("QUIPU_BUILD") or SOURCE / "build")
CC = os.environ.get("CC") or "cc"
CFLAGS = os.environ.get("QUIPU_CFLAGS", "").split()


def sources(*folders):
    """C files and tables below folders, as paths relative to the project."""
    return sorted(
        path.relative_to(SOURCE)
        for folder in folders
        for path in (SOURCE / folder).rglob("*")
        if path.suffix in (".c", ".h", ".def") and "data" not in path.parts
    )


def lines(path):
    """Pairs (line number, line) of a source file."""
    return enumerate((SOURCE / path).read_text(encoding="utf-8").splitlines(), 1)


def without_comments(text):
    """C text with comments and literals blanked; line breaks stay."""

    def blank(match):
        return '""' if match[0][0] in "\"'" else re.sub(r"[^\n]", " ", match[0])

    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def run(*command, **options):
    """Runs a command; returns (exit code, output of both streams)."""
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    return done.returncode, done.stdout
