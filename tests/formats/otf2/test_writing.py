"""OTF2 as Quipu writes it: copies are what libotf2 wrote, byte for byte; otf2-print counts what the source has; analyses say the same."""
import collections
import csv
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "house"))
from house import BUILD, SOURCE  # noqa: E402

QUIPU = BUILD / "quipu"
DATA = SOURCE / "tests/data"
EVERY = DATA / "otf2/every"
SHARED = SOURCE.parent / "shared/traces/otf2"
SOURCES = [*(DATA / "sweep" / name for name in ("charisma/ring.ctrace", "dumpi/ring.meta", "otf/ring.otf", "ovni", "picl/ring.picl")),
           *(DATA / "analysis" / name for name in ("barrier", "late-bcast", "ls-waitall", "butterfly-16", "io-wait", "fence"))]

# What otf2-print calls the events of a kind.
KINDS = {"enter": ("ENTER",), "leave": ("LEAVE",), "send": ("MPI_SEND", "MPI_ISEND"), "recv": ("MPI_RECV", "MPI_IRECV"),
         "collective_end": ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE")}


def run_quipu(*words):
    done = subprocess.run([QUIPU, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def has_libotf2():
    return run_quipu("info", EVERY)[0] == 0


def python_with_otf2():
    """Debian's package belongs to its own Python."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", "import otf2"], capture_output=True).returncode == 0:
            return python
    return None


def printed(trace, *words):
    return subprocess.run(["otf2-print", *words, trace / "traces.otf2"], capture_output=True, text=True)


def rows(command, trace, left_out):
    table = list(csv.reader(io.StringIO(run_quipu(command, "--csv", trace)[1])))
    return sorted(row[:len(row) - left_out] for row in table)


class Writing(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, source, *words):
        target = self.folder / "x.otf2"
        code, _, messages = run_quipu("convert", source, "-o", target, *words)
        self.assertEqual(0, code, messages)
        return target

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_a_copy_has_the_bytes_of_the_original_library(self):
        # But for what the types of regions and groups were called before version 1.1, which is 0: unknown.
        copy = self.convert(EVERY)
        files = sorted(path.relative_to(EVERY) for path in EVERY.rglob("*.*"))
        self.assertEqual(files, sorted(path.relative_to(copy) for path in copy.rglob("*.*")))
        for name in files:
            ours, theirs = (copy / name).read_bytes(), (EVERY / name).read_bytes()
            self.assertEqual(len(theirs), len(ours), name)
            others = [(a, b) for a, b in zip(ours, theirs) if a != b]
            self.assertEqual([0] * len(others), [a for a, _ in others], name)
            self.assertEqual(2 + 6 if name.name == "traces.def" else 0, len(others), name)  # regions and groups

    # needs: shared
    @unittest.skipUnless(has_libotf2() and SHARED.exists(), "no traces of others")
    def test_writing_copies_of_the_traces_of_others_print_the_same(self):
        for trace in SHARED.iterdir():
            if trace.is_dir():
                copy = self.convert(trace, "--force")
                for words in ((), ("-G",)):
                    self.assertEqual(printed(trace, *words).stdout, printed(copy, *words).stdout, trace)

    @unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is missing")
    def test_writing_otf2_print_counts_the_events_of_the_source(self):
        for source in SOURCES:
            with self.subTest(source):
                target = self.convert(source, "--force")
                shown = printed(target)
                self.assertEqual((0, ""), (shown.returncode, shown.stderr.strip()))
                self.assertEqual("", printed(target, "-G").stderr.strip())
                names = collections.Counter(re.findall(r"^([A-Z_]+) +\d+ +\d+ ", shown.stdout, re.M))
                events = [json.loads(line) for line in run_quipu("cat", "--json", source)[1].splitlines()]
                kinds = collections.Counter(event["kind"] for event in events)
                for kind, records in KINDS.items():
                    self.assertEqual(kinds[kind], sum(names[name] for name in records), kind)
                lengths = sum(int(n) for n in re.findall(r"^MPI_I?SEND .*Length: (\d+)", shown.stdout, re.M))
                self.assertEqual(sum(event.get("bytes", 0) for event in events if event["kind"] == "send"), lengths)

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_analyses_say_what_they_say_of_the_source(self):
        for source in SOURCES:
            target = self.convert(source, "--force")
            # The last two columns of a profile are numbers of the files.
            for command, left_out in (("profile", 2), ("comm", 0), ("waits", 0), ("efficiency", 0)):
                with self.subTest((source, command)):
                    self.assertEqual(rows(command, source, left_out), rows(command, target, left_out))

    @unittest.skipUnless(python_with_otf2(), "python3-otf2 is missing")
    def test_writing_readers_in_python_make_the_same_flat_profile(self):
        python = python_with_otf2()
        for source in SOURCES:
            with self.subTest(source):
                target = self.convert(source, "--force")
                done = subprocess.run([python, Path(__file__).with_name("flat_profile.py"), target / "traces.otf2"], capture_output=True, text=True)
                self.assertEqual(0, done.returncode, done.stderr)
                found = json.loads(done.stdout)
                expected = collections.defaultdict(lambda: [0, 0])
                for row in csv.DictReader(io.StringIO(run_quipu("profile", "--csv", source)[1])):
                    expected[row["region"]][0] += int(row["calls"])
                    expected[row["region"]][1] += int(row["exclusive_ns"])
                in_ns = {region: [calls, ticks * 10**9 // found["ticks_per_second"]] for region, (calls, ticks) in found["profile"].items()}
                self.assertEqual(expected, in_ns)
                events = [json.loads(line) for line in run_quipu("cat", "--json", source)[1].splitlines()]
                kinds = collections.Counter(event["kind"] for event in events)
                self.assertEqual(kinds["send"], found["events"].get("MpiSend", 0) + found["events"].get("MpiIsend", 0))
                self.assertEqual(kinds["recv"], found["events"].get("MpiRecv", 0) + found["events"].get("MpiIrecv", 0))

    @unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is missing")
    def test_writing_texts_are_utf8_and_attributes_have_the_types_of_their_definitions(self):
        source = self.folder / "texts.otf"
        source.write_text("1:1\n")
        (self.folder / "texts.0.def").write_bytes(b'DTR3b9aca00\nDP1NM"caf\xe9 \xc3\xa9"\nDFG3NM"g"\nDF2G3NM"f"\n')
        (self.folder / "texts.1.events").write_text("1\n*1\nE2\n6\nL2\n")
        shown = printed(self.convert(source), "-G").stdout
        self.assertIn('"caf\\xe9 é"', shown)
        # Each attribute of an event has the type that its key is defined with.
        target = self.convert(DATA / "sweep/charisma/ring.ctrace", "--force")
        types = dict(re.findall(r"^ATTRIBUTE +(\d+) .*Type: (\w+)$", printed(target, "-G").stdout, re.M))
        used = re.findall(r'\("[^"]*" <(\d+)>; (\w+); ', printed(target).stdout)
        self.assertGreater(len(used), 0)
        self.assertEqual([(key, types[key]) for key, _ in used], used)

    def kinds(self, trace):
        """How many events of each kind there are, and bytes of messages."""
        found = collections.Counter()
        for line in run_quipu("cat", "--json", trace)[1].splitlines():
            event = json.loads(line)
            found[event["kind"]] += 1
            if event["kind"] in ("send", "recv"):
                found[event["kind"] + " bytes"] += event.get("bytes", 0)
        return found

    def report(self, source, target, form):
        """What a conversion says is dropped, by type of record."""
        said = self.folder / "said.json"
        code, _, messages = run_quipu("convert", source, "--to", form, "-o", target, "--report", said, "--force")
        self.assertEqual(0, code, messages)
        return {record["type"]: record["dropped"] for record in json.loads(said.read_text())["records"]}

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_what_other_formats_retain_comes_back(self):
        # DUMPI adds calls that a process must have, and calls for messages outside of any; then there are more.
        shared = [SHARED / name for name in ("ping-pong-otf2", "10_scorep_mpi_tags", "1_sptc")] if SHARED.exists() else []
        for source in (*shared, *(DATA / "sweep" / name for name in ("dumpi/ring.meta", "otf/ring.otf", "ovni"))):
            first = source if source in shared else self.convert(source, "--force")
            had = self.kinds(first)
            for form, end in (("otf", "x.otf"), ("ovni", "x"), ("dumpi", "x.meta"), ("picl", "x.picl"), ("charisma", "x.ctrace")):
                with self.subTest((source, form)):
                    dropped = self.report(first, self.folder / end, form)
                    again = self.report(self.folder / end, self.folder / "back.otf2", "otf2")
                    back = self.kinds(self.folder / "back.otf2")
                    for kind in ("enter", "leave", "send", "recv"):
                        retained = had[kind] - sum(dropped.get(name, 0) for name in KINDS[kind])
                        if form == "dumpi" and kind in ("enter", "leave"):
                            self.assertGreaterEqual(back[kind], retained, kind)
                        else:
                            self.assertEqual(retained, back[kind], (kind, again))
                        if retained == had[kind]:
                            self.assertEqual(had[kind + " bytes"], back[kind + " bytes"], kind)

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_many_chunks_and_times_before_zero(self):
        # 200,000 events of 12 bytes each are three chunks of 1 MiB.
        source = self.folder / "long.picl"
        with open(source, "w") as out:
            for i in range(100000):
                out.write(f"-3 -1 {2 * i - 1000} 3 3 0\n-4 -1 {2 * i - 999} 3 3 0\n")
        target = self.convert(source)
        self.assertGreater((target / "traces" / "3.evt").stat().st_size, 2 << 20)
        self.assertEqual(rows("profile", source, 2), rows("profile", target, 2))
        shown = [[line.split() for line in run_quipu("cat", trace)[1].splitlines()] for trace in (source, target)]
        self.assertEqual(200000, len(shown[0]))
        self.assertTrue(shown[0] == shown[1])
        self.assertEqual(0, run_quipu("check", target)[0])

    def picl(self, *lines):
        source = self.folder / "small.picl"
        source.write_text("".join(line + "\n" for line in lines))
        return source

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_what_only_the_end_of_an_operation_says(self):
        # A read of 40 us, whose end alone says descriptor 3 and 2048 bytes.
        source = self.picl("-3 -251 0.000460 0 0 0", "-4 -251 0.000500 0 0 2 2 2048 3")
        target = self.convert(source)
        waits = [row for row in csv.reader(io.StringIO(run_quipu("waits", "--csv", target)[1])) if row[:1] == ["io-wait"]]
        self.assertEqual(["40000"], [row[7] for row in waits])
        self.assertEqual(rows("waits", source, 0), rows("waits", target, 0))

    @unittest.skipUnless(has_libotf2(), "built without libotf2")
    def test_writing_collective_operations_within_others(self):
        source = self.picl("-3 -785 0.000010 0 0 3 2 16 0 -1", "-3 -782 0.000020 0 0 2 2 32 -1",
                           "-4 -782 0.000030 0 0 1 2 -1", "-4 -785 0.000040 0 0 1 2 16")
        target = self.convert(source)
        events = [json.loads(line) for line in run_quipu("cat", "--json", target)[1].splitlines()]
        self.assertEqual([("collective_begin", "bcast", 16), ("collective_begin", "allreduce", 32),
                          ("collective_end", "allreduce", 32), ("collective_end", "bcast", 16)],
                         [(event["kind"], event["operation"], event["sent"]) for event in events if "collective" in event["kind"]])

    def test_writing_says_what_readers_take_for_what_the_beginning_said(self):
        # Process 1 of a broadcast does not say how much until it ends.
        source = self.picl("-3 -785 0.000010 0 0 3 2 16 0 -1", "-3 -785 0.000010 1 0 3 2 -1 0 -1",
                           "-4 -785 0.000040 0 0 1 2 16", "-4 -785 0.000040 1 0 1 2 16")
        messages = run_quipu("convert", source, "-o", self.folder / "said.otf2")[2]
        self.assertIn("exit: 1 approximated, 0 dropped", messages)

    def test_writing_replaces_a_trace_as_a_whole(self):
        target = self.convert(DATA / "analysis/butterfly-16")
        self.assertEqual(2 * 16, len(list((target / "traces").iterdir())))
        code, _, messages = run_quipu("convert", DATA / "analysis/barrier", "-o", target)
        self.assertEqual(5, code, messages)
        self.assertIn("already exists", messages)
        self.convert(DATA / "analysis/barrier", "--force")
        self.assertEqual(["1.def", "1.evt", "2.def", "2.evt", "3.def", "3.evt"], sorted(p.name for p in (target / "traces").iterdir()))


if __name__ == "__main__":
    unittest.main()
