"""Traces of more files than the process may open: every command works, and says the same as without the limit."""
import filecmp
import os
import resource
import subprocess
import unittest

import otf_text
from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")


def limit(count):
    """What makes a process open count files at most."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


def write_trace(stub, streams):
    with open(stub + ".otf", "w", encoding="ascii") as file:
        file.writelines(f"{n:x}:{n:x}\n" for n in range(1, streams + 1))
    with open(stub + ".0.def", "w", encoding="ascii") as file:
        file.write('DTR3b9aca00\nDFG2NM"group"\nDF1G2NM"main"\n')
        file.writelines(f'DP{n:x}NM"process {n}"\n' for n in range(1, streams + 1))
    for n in range(1, streams + 1):
        with open(f"{stub}.{n:x}.events", "w", encoding="ascii") as file:
            file.write(f"{n % 7:x}\n*{n:x}\nE1\n{10 + n % 5:x}\n*{n:x}\nL\n{10 + n % 5:x}\n*{n:x}\n")


class Files(FolderTest):
    def run_quipu(self, most, *arguments):
        result = subprocess.run([QUIPU, *arguments], preexec_fn=limit(most), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr[-500:]))
        return result.stdout

    def test_files_of_thousands_of_streams_can_be_read(self):
        trace = self.path("t.otf")
        write_trace(self.path("t"), 4000)
        for arguments in (["info"], ["cat", "--kind", "region"], ["cat", "--records"], ["check"], ["profile"],
                          ["profile", "--threads", "2"]):
            self.assertEqual(self.run_quipu(64, *arguments, trace), self.run_quipu(1024, *arguments, trace), arguments)
        self.run_quipu(64, "convert", "--to", "chrome", trace, "-o", self.path("chrome.json"))
        self.run_quipu(64, "merge", trace, "-o", self.path("one.otf"))
        self.assertEqual(len(otf_text.all_records(self.path("one"), "events")), 2 * 4000)

    def test_files_of_hundreds_of_streams_can_be_written(self):
        trace, streams = self.path("t.otf"), 400
        write_trace(self.path("t"), streams)
        for name, arguments in (("copy", ["convert"]), ("many", ["merge", "--streams", str(streams)]), ("sound", ["repair"]),
                                ("part", ["cut", "--since", "3", "--until", "11"]), ("with", ["snapshot", "--every", "4"]),
                                ("open", ["cut", "--since", "3", "--snapshots"])):
            self.run_quipu(40, *arguments, trace, "-o", self.path(name + ".otf"))
        for stub in ("copy", "many", "sound"):
            self.assertEqual(otf_text.by_process(self.path(stub), "events"), otf_text.by_process(self.path("t"), "events"))
        started = sum(n % 7 < 4 for n in range(1, streams + 1))
        snapshots = otf_text.all_records(self.path("with"), "snaps")
        self.assertEqual([sum(time == point and lines[0].startswith(b"TE") for time, _, lines in snapshots)
                          for point in (4, 8)], [started, streams])
        self.assertEqual(len(otf_text.all_records(self.path("open"), "events")),
                         sum(n % 7 >= 3 for n in range(1, streams + 1)) + streams)

    def test_files_of_several_traces_share_the_handles(self):
        traces = [self.path(f"t{i}.otf") for i in range(5)]
        for trace in traces:
            write_trace(trace.removesuffix(".otf"), 50)
        self.run_quipu(1024, "merge", *traces, "-o", self.path("wide.otf"), "--quiet")
        for most in (64, 24):
            self.run_quipu(most, "merge", *traces, "-o", self.path("narrow.otf"), "--force", "--quiet")
            for part in ("otf", "0.def", "1.events"):
                self.assertTrue(filecmp.cmp(self.path("wide." + part), self.path("narrow." + part), False), (most, part))

    def test_files_open_at_a_time_can_be_limited(self):
        write_trace(self.path("t"), 60)
        for count in ("1", "3"):
            self.run_quipu(1024, "merge", self.path("t.otf"), "-o", self.path("p.otf"), "--force", "--streams", "60",
                           "--max-files", count)
            self.assertEqual(otf_text.by_process(self.path("p"), "events"), otf_text.by_process(self.path("t"), "events"))


if __name__ == "__main__":
    unittest.main()
