"""Odd and damaged traces mean to the drop-in library of OTF what they mean to the original: cases that were found one by
one, with what the original makes of them, and a few hundred traces that are damaged at random, read by both libraries
where the original is installed.

Not compared is what the original takes from memory that was never set: bytes that an array promises and does not have,
and the other half of a character of one digit. So key-value lines are damaged as a whole only."""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
COMPILER = os.environ.get("CC", "cc")
LIBRARY = BUILD / "compat" / "lib"
HEADERS = BUILD / "compat" / "include" / "otf"
SOURCES = HERE.parents[2] / "src"
THEIRS = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
OURS = dict(THEIRS, LD_LIBRARY_PATH=str(LIBRARY))
HAS_THEIRS = pathlib.Path("/usr/include/open-trace-format").is_dir()
# A build with sanitizers cannot be loaded into programs that have none.
SANITIZED = b"libasan" in subprocess.run(["ldd", LIBRARY / "libopen-trace-format.so.1"], stdout=subprocess.PIPE).stdout

ERROR = str(2 ** 64 - 1)
UNKNOWN_TIME = str(2 ** 64 - 1)


def events(text, more=None):
    """A trace of one stream with these events."""
    return dict({"otf": "1:1\n", "1.events": text}, **(more or {}))


def definitions(text):
    return events("5\n*1\n", {"0.def": text})


def process(values):
    return "DefProcess stream 0 process 1 name 'p' parent 0" + values


def array(first, count):
    return "".join("%02x" % (byte & 255) for byte in range(first, first + count))


def enter(time, process, function):
    return "Enter time %d function %d process %d source 0" % (time, function, process)


THREE = "5\n*1\nE1\n6\n*1\nE2\n7\n*1\nE3\n9\n*1\n"
SHARED = "5\n*1\nE1\n6\n*1\nE2\n"  # 16 bytes
IN_SHARED = {"otf": "1:1\ni1:2:ffffffff\n", "all.events": SHARED}


def shared(index, more=None):
    return dict(IN_SHARED, **dict({"idx.events": index}, **(more or {})))


# What it is; the trace; how it is read; what is printed but for counts of 0.
CASES = (
    # ---- Searching for a time ----
    ("a last state line without a record at this time or later fails the search for it", events(THREE), "min=8",
     ["events: " + ERROR]),
    ("the end of an interval is searched for in the same way", events(THREE), "max=8", ["events: " + ERROR]),
    ("behind the last time nothing is searched for", events(THREE), "min=10", []),
    ("the end of an interval at the last time is not searched for", events(THREE), "max=9",
     [enter(5, 1, 1), enter(6, 1, 2), enter(7, 1, 3), "events: 3"]),
    ("the line behind the first state lines is dropped unseen", events("5\n*1\n6\n*1\nE2\n7\n*1\nE3\n"), "min=6",
     [enter(7, 1, 3), "events: 1"]),
    ("the dropped line may be a time line", events("5\n*1\n7\n*1\nE2\n"), "min=6", ["events: " + ERROR]),
    # ---- The end of a file ----
    ("an unfinished line that no handler gets is an error", events("5\n*1\nE1\n6"), "deaf",
     [enter(5, 1, 1), "events: " + ERROR]),
    ("an empty last line is none", events("5\n*1\nE1\n\n"), "deaf", [enter(5, 1, 1), "events: 1"]),
    ("a handler may break off at an unfinished line", events("5\n*1\nE1\nL"), "stop=2",
     [enter(5, 1, 1), "Unknown time 5 process 1 'L'", "events: " + ERROR]),
    ("an unfinished line belongs to the call that read the line before it", definitions('DCR"a"\nx'), "stop=1 again",
     ["DefCreator stream 0 creator 'a'", "definitions: " + ERROR]),
    # ---- Progress ----
    ("a limit of 0 begins the reading", events(THREE), "progress bytes",
     ["progress 1: 5 5 9", "bytes: 29 29 29", enter(5, 1, 1), enter(6, 1, 2), enter(7, 1, 3), "events: 3",
      "progress 1: 5 7 9", "bytes: 29 29 29"]),
    ("a stream that begins behind the interval is looked at", events(THREE), "max=5 progress",
     ["progress 1: 5 5 5", "progress 1: 5 5 5"]),
    # ---- Key-values ----
    ("half a byte does not count", definitions('K1YbV12f\nDP1NM"p"\n'), "", [process(" 1:11=12"), "definitions: 1"]),
    ("but a length that counts it makes it a lower half", definitions('K1YbV12fL2\nDP1NM"p"\n'), "",
     [process(" 1:11=120f"), "definitions: 1"]),
    ("an array ends with the piece that says so", definitions(
        "K1YbV%sL12c\nK1YbV%sLa\nK1YbV%sL32\n" % (array(0, 100), array(100, 10), array(7, 50)) + 'DP1NM"p"\n'), "",
     [process(" 1:11=" + array(0, 110)), "definitions: 1"]),
    ("an array without its last piece has what there is", definitions('K1YbV%sLc8\nDP1NM"p"\n' % array(0, 100)), "",
     [process(" 1:11=(1)" + array(0, 100)), "definitions: 1"]),
    ("another key between the pieces breaks an array",
     definitions('K1YbV%sLc8\nK2Y5V3\nDP1NM"p"\n' % array(0, 100)), "",
     [process(" 1:11=(255)" + array(0, 100) + " 2:5=3"), "definitions: 1"]),
    ("values of a record that is malformed go to the next one that is read",
     events("5\n*1\nE1\nK1Y5V7\nE2Y\n"), "again",
     [enter(5, 1, 1), "events: " + ERROR, enter(5, 1, 1) + " 1:5=7", "events: " + ERROR]),
    # ---- Keywords, lists and texts ----
    ("marks and capitals behind a keyword are passed over", events("5\n*1\nE#NTER 2\n"), "",
     [enter(5, 1, 2), "events: 1"]),
    ("a text without an end uses up all that has been read", definitions('DCR"x"\nDCR"y\nDCRz\n'), "again",
     ["DefCreator stream 0 creator 'x'", "definitions: " + ERROR]),
    ("a list ends at what is no comma", definitions('DPG1M1 b, 2 ,NM"g"\n'), "", ["definitions: " + ERROR]),
    # ---- Shared files ----
    ("where files are shared no other is looked at", {"otf": "1:1\ni1:2:ffffffff\n", "1.events": "5\n*1\nE1\n"}, "",
     ["events: " + ERROR]),
    ("three things are one block wherever lines end", shared("1:0:5 1:5:11\n\n"), "",
     [enter(5, 1, 1), enter(6, 1, 2), "events: 2"]),
    ("ids of streams are text", shared("01:0:16\n+1:0:16\n"), "", ["events: " + ERROR]),
    ("the index ends where it is not understood", shared("1:0:8\n1:7\n1:8:8\n"), "", [enter(5, 1, 1), "events: 1"]),
    ("an empty block ends the index too", shared("1:0:8\n1:8:0\n1:8:8\n"), "", [enter(5, 1, 1), "events: 1"]),
    ("a later block that is cut off does not count", shared("1:0:8\n1:8:9\n"), "", [enter(5, 1, 1), "events: 1"]),
    ("but the block in which the reading began does", shared("1:0:17\n"), "",
     [enter(5, 1, 1), enter(6, 1, 2), "events: 2"]),
)


# ---- Damage ----

SMALL = (  # traces that are read with any options: files of less than 1 KiB, in which OTF's search loses no record
    {"otf": "1:1,2\n2:3\n", "0.def": 'DTR3e8\nDP1NM"one"\nDP2NM"two"PT1\nK1Y5V7\nDF5G6NM"f"X7\nDPG9M1,2,3,NM"all"\n',
     "1.def": 'DCMT"local"\n',
     "1.events": '5\n*1\nE5\n*2\nE5X7\n7\n*1\nK1Y5V7\nS2L400T7C9\n#"text"\n9\n*2\nR1L400T7C9\nL5\na\n*1\nL\na\n*1\n',
     "2.events": "5\n*3\nE5\n6\n*3\nCNT3Vff\nCOP1C9RT0S1R2D3\n9\n*3\nL5\nFA1\nFF3MI1H4OP2B10\n9\n*3\n",
     "1.stats": "9\n*1\nSF5N1E2I3\nSM2C9T7NS1NR0BS400BR0\n9\n*1\n", "2.snaps": "6\n*3\nTE5O5\nTC9Na\n6\n*3\n",
     "0.marker": 'MD1NM"mark"Y2\nMS1T6P1V"here"\n'},
    {"otf": "a:1\nb:2\n", "0.def": 'DEFTIMERRES 3e8\nDEFPROCESS 1 NAME "one"\nDEFATTRIBUTELIST 4 MEMBERS 1,2, \n',
     "a.events": '1\n*1\nKEY 1 TYPE 8 VALUE ff\nENTER 5 SCL 2\n3\n*1\nSEND 2 LEN 1 TAG 2 COMM 3\nLEAVE 5\n'
                 '4\n*1\nTENTER 5 OTIME 1\nEVTCOMMENT "c"\nNOOP \n4\n*1\n',
     "b.events": "1\n*2\nPROCESSBEGIN \n3\n*2\nRECEIVE 1 LEN 1 TAG 2 COMM 3\nCOUNTER 3 VALUE 1\n"
                 "4\n*2\nPROCESSEND \n4\n*2\n",
     "b.stats": "4\n*2\nSUMFUNCTION 5 COUNT 1 EXCL 2 INCL 3\n"},
    {"otf": "1:1\n2:2\ni1:2:ffffffff\n", "0.def": 'DCR"c"\n', "idx.events": "1:0:11\n2:11:11\n1:22:13\n2:35:10\n",
     "all.events": "5\n*1\nE1\nE2\n5\n*2\nE1\nE3\n6\n*1\nL2\n6\n*1\n6\n*2\nL3\nL1\n"},
)

CHUNKS = '0123456789abcdefABCDEFGHIJKLMNOPQRSTUVWXYZ*+-" _:,\t#\r'


def damage_line(chance, line):
    at = chance.randrange(len(line) + 1)
    return chance.choice((line[:at] + line[at + 1:], line[:at], line[:at] + chance.choice(CHUNKS) + line[at:],
                          line[:at] + chance.choice(CHUNKS) + line[at + 1:]))


def damage_file(chance, text, others):
    lines = text.split("\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    what = chance.random()
    if what < 0.45:
        if not lines[at].startswith("K"):
            lines[at] = damage_line(chance, lines[at])
    elif what < 0.6:
        del lines[at]
    elif what < 0.7:
        lines.insert(at, lines[other])
    elif what < 0.8:
        lines[at], lines[other] = lines[other], lines[at]
    elif what < 0.95:
        lines.insert(at, chance.choice(others))
    else:
        return text[:chance.randrange(len(text) + 1)]
    return "\n".join(lines)


def damage(chance, trace, others):
    trace = dict(trace)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        name = chance.choice(sorted(trace))
        trace[name] = damage_file(chance, trace[name], others)
    if chance.random() < 0.05:
        del trace[chance.choice(sorted(trace))]
    return trace


def any_options(chance, small):
    all_words = ("unsorted", "deaf", "again", "progress", "limit=1", "limit=3", "stop=2", "off=1", "buffer=100")
    words = [word for word in all_words if chance.random() < 0.12]
    if small and chance.random() < 0.4:
        words = [word for word in words if word != "progress"]
        words += ["min=%d" % chance.randrange(11)] * chance.randrange(2) + ["max=%d" % chance.randrange(11)]
    return " ".join(words)


@unittest.skipIf(SANITIZED, "built with a sanitizer")
class Difference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        own_folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, own_folder)
        cls.client = own_folder / "client"
        subprocess.run([COMPILER, "-std=gnu11", "-w", "-O1", "-I", HEADERS, "-I", SOURCES, "-o", cls.client,
                        HERE / "every_record.c", "-L", LIBRARY, "-lopen-trace-format"], check=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, cases):
        """A folder for each (trace, options)."""
        for number, (trace, options) in enumerate(cases):
            own_folder = self.folder / str(number)
            own_folder.mkdir()
            (own_folder / "options").write_text(options + "\n")
            for name, content in trace.items():
                (own_folder / ("t." + name)).write_bytes(content.encode("latin-1"))
        return [self.folder / str(number) for number in range(len(cases))]

    def read(self, own_folders, name, environment):
        subprocess.run([self.client, "cases", name, *own_folders], env=environment, stderr=subprocess.DEVNULL, check=True,
                       timeout=300)
        return [(own_folder / name).read_text("latin-1").splitlines() for own_folder in own_folders]

    def check_cases(self, environment):
        own_folders = self.put([(trace, options) for _, trace, options, _ in CASES])
        for (what, _, _, want), got in zip(CASES, self.read(own_folders, "out", environment)):
            said = [line for line in got if not line.endswith(": 0")]
            self.assertEqual(said, want + ["exit 0"], what)

    def test_difference_odd_traces_have_their_meaning(self):
        self.check_cases(OURS)

    @unittest.skipUnless(HAS_THEIRS, "the original library is not installed")
    def test_difference_odd_traces_mean_the_same_to_the_original(self):
        self.check_cases(THEIRS)

    def test_difference_progress_in_a_compressed_file_is_that_of_a_megabyte_read_at_once(self):
        chance = random.Random(1)
        functions = [chance.randrange(1, 2 ** 32) for _ in range(30000)]
        text = "".join("%x\n*1\nE%x\n" % (100 + at, function) for at, function in enumerate(functions))
        packed = zlib.compress(text.encode())
        self.assertGreater(len(packed), 2 * 65536)
        own_folder = self.put([({"otf": "1:1\n", "1.events.z": packed.decode("latin-1")}, "progress bytes")])
        offsets = "bytes: %d %d %d" % (3 * (len(packed),))
        want = ["progress 1: 100 100 30099", offsets]
        want += [enter(100 + at, 1, function) for at, function in enumerate(functions)]
        want += ["events: 30000", "progress 1: 100 30099 30099", offsets]
        said = [line for line in self.read(own_folder, "out", OURS)[0] if not line.endswith(": 0")]
        self.assertEqual(said, want + ["exit 0"])

    def written(self):
        """Traces with all records, in all forms, as {name: content}."""
        for form in range(4):
            subprocess.run([self.client, "write", self.folder / ("w%d" % form), str(form), "0"], env=OURS, check=True)
            yield {path.name.split(".", 1)[1]: path.read_text("latin-1")
                   for path in sorted(self.folder.glob("w%d.*" % form))}

    @unittest.skipUnless(HAS_THEIRS, "the original library is not installed")
    def test_difference_damaged_traces_mean_the_same_to_both_libraries(self):
        """What the original makes of a trace counts when it survives and says the same again with other garbage in its
        memory."""
        chance = random.Random(20)
        large = list(self.written())
        others = sorted({line for trace in SMALL + tuple(large) for text in trace.values()
                         for line in text.split("\n")[:150]})
        cases = [(damage(chance, trace, others), any_options(chance, trace in SMALL))
                 for trace in list(SMALL) * 80 + large * 6]
        own_folders = self.put(cases)
        want = self.read(own_folders, "theirs", THEIRS)
        survived = [own_folder for own_folder, lines in zip(own_folders, want) if lines[-1] != "signal"]
        again = dict(zip(survived, self.read(survived, "again", dict(THEIRS, MALLOC_PERTURB_="165"))))
        same = 0
        for own_folder, theirs, ours in zip(own_folders, want, self.read(own_folders, "ours", OURS)):
            with self.subTest(options=cases[int(own_folder.name)][1], files=cases[int(own_folder.name)][0]):
                self.assertNotEqual(ours[-1], "signal")
                if again.get(own_folder) == theirs:
                    self.assertEqual(ours, theirs)
                    same += 1
        self.assertGreater(same, len(cases) * 9 // 10)


if __name__ == "__main__":
    unittest.main()
