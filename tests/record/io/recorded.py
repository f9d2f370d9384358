"""Recording programs with "quipu record --io", and what the traces then hold."""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cli"))
from folder import FolderTest  # noqa: E402
from house import BUILD, CC, CFLAGS  # noqa: E402

QUIPU = BUILD / "quipu"
SANITIZED = any("sanitize" in flag for flag in CFLAGS)
ASYNCHRONOUS, WRITE = 1, 2


class RecordedTest(FolderTest):
    def run_in_folder(self, *command, **options):
        return subprocess.run(
            [str(part) for part in command], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **options)

    def record(self, *command, name="trace", options=()):
        """What the command did; its trace is in the folder."""
        return self.run_in_folder(QUIPU, "record", "--io", "--quiet", "-o", name, "--force", *options, "--", *command)

    def records(self, name="trace"):
        """(type, fields) of all records of a trace."""
        done = self.run_in_folder(QUIPU, "cat", "--records", "--json", name)
        self.assertEqual(0, done.returncode, done.stderr)
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return [(line["type"], line["fields"]) for line in lines]

    def requests(self, name="trace"):
        """By base name of the file: (client, operation, offset, size, number of an asynchronous request) in order of time."""
        opened, found = {}, {}
        for kind, fields in self.records(name):
            if kind == "APP_OPEN":
                opened[fields["appl_id"], fields["file_desc"]] = fields["name"]
            elif kind == "RW":
                request = fields["requests"][0]
                file = opened[fields["appl_id"], fields["file_desc"]]
                found.setdefault(file, []).append(
                    (request["client_id"], fields["operation_type"] & 3, request["offset"], request["IO_size"], fields["async_id"]))
        return found

    def assert_sound(self, name="trace"):
        done = self.run_in_folder(QUIPU, "check", "--json", name)
        answer = json.loads(done.stdout)
        serious = [finding for finding in answer["findings"] if finding["severity"] != "info"]
        self.assertEqual((0, "ok", []), (done.returncode, answer["verdict"], serious))

    def compile(self, source, *options):
        program = self.path(Path(source).stem)
        done = subprocess.run([CC, "-O1", "-Wall", source, "-o", program, "-lpthread", *options], stderr=subprocess.PIPE, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program
