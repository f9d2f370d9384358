"""CHARISMA files from outside: golden files are copied byte for byte, compressed and expanded; traces of other formats keep what
quipu io counts when they become CHARISMA."""
import glob
import json
import os
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
TRACES = os.path.join(SOURCE, "..", "shared", "traces")
GOLDEN = sorted(glob.glob(os.path.join(TRACES, "charisma", "*.ctrace")))
OTHERS = (sorted(glob.glob(os.path.join(TRACES, "otf", "[gm]*", "*.otf"))) +
          [os.path.join(TRACES, "dumpi", "io-ompi"), os.path.join(TRACES, "picl", "all-events-full.picl"),
           os.path.join(SOURCE, "tests", "data", "otf", "small.otf")])


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def profile_of(trace):
    """The profile that the expected results name."""
    for line in read(trace + ".expect.yaml").decode().splitlines():
        if line.startswith("profile:"):
            return line.split(":")[1].strip()
    return None


def files(trace):
    """(requests and bytes) of each file, by its name, and those of the unknown ones; files without requests are nothing."""
    done = quipu("io", "--json", trace)
    table = json.loads(done.stdout)["tables"][0]
    names = [column["name"] for column in table["columns"]]
    found = {}
    for row in (dict(zip(names, row)) for row in table["rows"]):
        counts = tuple(row[name] for name in ("reads", "writes", "bytes_read", "bytes_written"))
        if any(counts):
            found[row["file"]] = counts
    return found


class Machine(FolderTest):
    def test_zeros_are_no_headers(self):
        """Behind a list of an lp64 trace that is damaged further on lie zeros. A machine whose lists end earlier reads them as headers, which break fewer rules than
        the damage does; what it writes would be read as that of lp64."""
        done = quipu("info", "--json", os.path.join(SOURCE, "tests/data/charisma/zeros.ctrace"))
        self.assertEqual("lp64", json.loads(done.stdout)["variant"])

    def test_a_repaired_trace_that_does_not_show_its_machine_is_no_success(self):
        """What is left when a damaged trace of lp64 is repaired fits three machines equally well."""
        trace = os.path.join(SOURCE, "tests/data/charisma/guess.ctrace")
        repaired, again = self.path("a.ctrace"), self.path("b.ctrace")
        done = subprocess.run([QUIPU, "repair", trace, "-o", repaired], stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"read it with --machine lp64\n", done.stderr)
        self.assertEqual(quipu("check", repaired).returncode, 4)
        self.assertEqual(quipu("check", "--machine", "lp64", repaired).returncode, 0)
        self.assertEqual(quipu("repair", "--machine", "lp64", trace, "-o", again).returncode, 0)

    def test_an_end_of_what_has_not_begun_is_dropped_and_counted(self):
        """The job ends at 22000 and does nothing else then that is selected."""
        source, report = os.path.join(SOURCE, "tests/data/sweep/charisma/ring.ctrace"), self.path("report.json")
        done = subprocess.run([QUIPU, "convert", source, "-o", self.path("c.ctrace"), "--kind", "location_end", "--report", report], check=False, stderr=subprocess.PIPE)
        self.assertEqual(0, done.returncode, done.stderr)
        with open(report, encoding="utf-8") as file:
            told = {row["type"]: row for row in json.load(file)["records"]}
        self.assertEqual(1, told["APP_EXIT"]["dropped"])

    def test_times_that_go_back_by_more_than_half_of_the_range_are_put_in_order(self):
        """Requests 16 s before the header's time follow a record whose stamp is beyond 2^63 ticks: 2^63 - 1."""
        repaired = self.path("a.ctrace")
        quipu("repair", os.path.join(SOURCE, "tests/data/charisma/far-back.ctrace"), "-o", repaired)
        self.assertEqual(quipu("check", repaired).returncode, 0)
        times = [event["time"] for event in map(json.loads, quipu("cat", "--json", repaired).stdout.splitlines())]
        self.assertEqual((times, times[0] < -16000000, times[-1]), (sorted(times), True, 2 ** 63 - 1))
        self.assertIn(b"duration       9223372036.854775807s", quipu("info", repaired).stdout)


class TestCharisma(FolderTest):
    def convert(self, trace, name, *options):
        copy = self.path(name)
        done = quipu("convert", trace, "--to", "charisma", "-o", copy, "--force", *options)
        self.assertEqual(done.returncode, 0, (trace, done.stderr))
        return copy

    def each_golden(self):
        if not GOLDEN:
            self.skipTest("no shared traces")
        for trace in GOLDEN:
            profile = os.path.join(TRACES, "charisma", "profiles", profile_of(trace) + ".prof")
            yield trace, ["--machine", profile if os.path.exists(profile) else profile_of(trace)]

    # needs: shared
    def test_golden_files_are_copied_byte_for_byte(self):
        for trace, machine in self.each_golden():
            self.assertEqual(read(self.convert(trace, "copy.ctrace", *machine)), read(trace), trace)

    # needs: shared
    def test_golden_files_expanded_and_compressed_are_the_same(self):
        for trace, machine in self.each_golden():
            plain = self.convert(trace, "plain.ctrace", *machine, "--set", "compress=no")
            small = self.convert(plain, "small.ctrace", *machine, "--set", "compress=yes")
            again = self.convert(small, "again.ctrace", *machine, "--set", "compress=no")
            self.assertEqual(read(again), read(plain), trace)
            twice = self.convert(again, "twice.ctrace", *machine, "--set", "compress=yes")
            self.assertEqual(read(twice), read(small), trace)
            self.assertLessEqual(len(read(small)), len(read(plain)), trace)

    def test_other_formats_keep_what_io_counts(self):
        compared = 0
        for trace in filter(os.path.exists, OTHERS):
            before = files(trace)
            copy = self.convert(trace, "from-other.ctrace")
            checked = json.loads(quipu("check", "--json", copy).stdout)
            self.assertEqual(checked["verdict"], "ok", (trace, checked["findings"][:3]))
            self.assertEqual(files(copy), before, trace)
            compared += bool(before)
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
