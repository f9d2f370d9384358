"""Streams of ovni read by the specification's layout, independently of the library; and programs built as users build theirs."""
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cli"))
from folder import FolderTest  # noqa: E402
from house import BUILD, CC, CFLAGS, SOURCE  # noqa: E402

PROGRAMS = SOURCE / "compat/ovni/tests"
LIBRARY = BUILD / "compat/lib"
INCLUDE = BUILD / "compat/include/ovni"
SANITIZED = any("sanitize" in flag for flag in CFLAGS)


class Event(NamedTuple):
    mcv: str
    clock: int
    payload: bytes


def decode(data):
    """All events of a stream; a byte too many or too few is an error."""
    assert data[:8] == b"ovni" + struct.pack("=I", 1), data[:8]
    events, at = [], 8
    while at < len(data):
        flags, mcv, clock = data[at], data[at + 1 : at + 4].decode("ascii"), struct.unpack_from("=Q", data, at + 4)[0]
        at += 12
        if flags & 0x10:
            size = 4 + struct.unpack_from("=I", data, at)[0]
        else:
            size = (flags & 15) + 1 if flags & 15 else 0
        assert at + size <= len(data), "the last event is incomplete"
        events.append(Event(mcv, clock, data[at : at + size]))
        at += size
    return events


def recorded(path):
    """The bytes of a stream and of the buffer that a killed program leaves beside it."""
    data = path.read_bytes()
    ring = path.with_name(path.name + ".ring")
    if not ring.exists():
        return data
    head = ring.read_bytes()
    magic, version, offset, _, base, used = struct.unpack_from("=8sIIQQQ", head)
    assert (magic, version) == (b"quipring", 1)
    return data[:base] + head[offset : offset + used]


class StreamsTest(FolderTest):
    def build(self, source, *options):
        """Compiles a program with nothing but our include and library path."""
        program = Path(self.path(Path(source).stem))
        command = [CC, "-O1", *CFLAGS, "-I", INCLUDE, *options, source, "-o", program, "-L", LIBRARY, "-lovni", "-lpthread", "-lm"]
        done = subprocess.run([str(part) for part in command], stderr=subprocess.PIPE, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    def run_program(self, program, *arguments, **environment):
        """(exit code, output, errors); the trace is in the folder's "ovni"."""
        done = subprocess.run(
            [str(program), *arguments],
            cwd=self.folder,
            env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    def trace_of(self, name, **environment):
        """Builds and runs one of our programs, which must end well."""
        self.assertEqual((0, ""), self.run_program(self.build(PROGRAMS / f"{name}.c"), **environment)[::2])
        return self.streams(self.path("ovni"))

    def streams(self, trace):
        """By thread number: (metadata, events)."""
        return {
            path.parent.name.removeprefix("thread."): (
                json.loads(path.read_text(encoding="utf-8")),
                decode(recorded(path.with_name("stream.obs"))),
            )
            for path in sorted(Path(trace).rglob("stream.json"))
        }
