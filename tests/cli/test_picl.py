"""Traces of other formats as PICL: ParaGraph's rules accept them, and as many messages and bytes go from each process to each."""
import glob
import json
import os
import subprocess
import unittest
from collections import Counter

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
OWN = os.path.join(SOURCE, "tests", "data")
TRACES = (sorted(glob.glob(os.path.join(SHARED, "otf", "*", "*.otf"))) +
          sorted({os.path.dirname(path) for path in glob.glob(os.path.join(SHARED, "dumpi", "*", "*.meta"))}) +
          [os.path.join(OWN, name) for name in ("sweep/otf/ring.otf", "sweep/dumpi/ring.meta", "cli/exchange.otf")])


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)


def messages_of(trace):
    """Messages and bytes from one process to another, however the processes are called: without their names as many of each."""
    done = quipu("comm", "--json", trace)
    if done.returncode not in (0, 3):
        return None
    table = next((table for table in json.loads(done.stdout)["tables"] if table["table"] == "pairs"), None)
    if not table:
        return Counter()
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return Counter((row["messages"], row["bytes"]) for row in rows if row["messages"])


def goes_back(trace):
    """Whether times of the trace go back, as those of some damaged ones do: then no order of its records is right."""
    findings = json.loads(quipu("check", "--json", trace).stdout)["findings"]
    return any(finding["rule"].endswith("time-back") for finding in findings)


class TestPicl(FolderTest):
    def accepted(self, trace):
        """Whether the trace becomes one that ParaGraph accepts; the messages are the same in any case."""
        copy = self.path("copy.picl")
        done = quipu("convert", "--to", "picl", "-o", copy, "--force", trace)
        self.assertIn(done.returncode, (0, 3), (trace, done.stderr))
        self.assertEqual(messages_of(copy), messages_of(trace), trace)
        return quipu("check", "--rules", "paragraph", copy)

    def test_traces_of_other_formats_become_traces_that_paragraph_accepts(self):
        compared = 0
        for trace in filter(os.path.exists, TRACES):
            done = self.accepted(trace)
            if not goes_back(trace):
                self.assertEqual(done.returncode, 0, (trace, done.stdout))
            compared += bool(messages_of(trace))
        self.assertGreater(compared, 2)


if __name__ == "__main__":
    unittest.main()
