"""The drop-in library of OTF: the interface is whole, and programs and the original's own tools get from it what they get
from the original, where that is installed."""
import filecmp
import glob
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", HERE.parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("QUIPU_BUILD", SOURCE / "build")).resolve()
COMPILER = os.environ.get("CC", "cc")
LIBRARY = BUILD / "compat" / "lib"
HEADERS = BUILD / "compat" / "include" / "otf"
SOURCES = HERE.parents[2] / "src"
OURS = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY))
THEIRS = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
THEIR_HEADERS = pathlib.Path("/usr/include/open-trace-format")
SHARED = SOURCE.parent / "shared"
# A build with sanitizers cannot be loaded into programs that have none.
SANITIZED = b"libasan" in subprocess.run(["ldd", LIBRARY / "libopen-trace-format.so.1"], stdout=subprocess.PIPE).stdout


def run(*arguments, environment=OURS, folder=None, codes=(0,)):
    result = subprocess.run([str(argument) for argument in arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment, cwd=folder, timeout=120)
    if codes is not None and result.returncode not in codes:
        raise AssertionError("%s ends with %d: %s" % (arguments, result.returncode, result.stderr.decode()[:500]))
    return result.stdout


def needs_their_library(test):
    return unittest.skipUnless(THEIR_HEADERS.is_dir() and not SANITIZED, "the original library is not installed")(test)


def needs_tool(name):
    return unittest.skipUnless(shutil.which(name) and not SANITIZED, name + " is not installed")


@unittest.skipIf(SANITIZED, "built with a sanitizer")
class Dropin(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, source, name, headers=HEADERS, flags=()):
        program = self.folder / name
        run(COMPILER, "-std=gnu11", "-w", "-O1", "-I", headers, "-I", SOURCES, "-o", program, source,
            *(flags or ("-L", LIBRARY, "-lopen-trace-format")))
        return program

    def lines(self, program, stub, environment=OURS, *more):
        return run(program, "read", self.folder / stub, *more, environment=environment).decode("latin-1").splitlines()

    # ---- Interface ----

    def test_dropin_exports_every_function_and_nothing_else(self):
        symbols = run("nm", "-D", "--defined-only", LIBRARY / "libopen-trace-format.so.1").decode().split("\n")
        names = sorted(line.split()[2] for line in symbols if line)
        self.assertEqual(names, (HERE / "exports.txt").read_text().split())

    def test_dropin_library_has_the_original_name_and_needs_no_other(self):
        facts = run("readelf", "-d", LIBRARY / "libopen-trace-format.so.1").decode()
        self.assertIn("Library soname: [libopen-trace-format.so.1]", facts)
        needed = sorted(re.findall(r"NEEDED.*\[(.*)\]", facts))
        self.assertIn(needed, (["libc.so.6", "libz.so.1"], ["libc.so.6", "libisal.so.2", "libz.so.1"]))

    def test_dropin_headers_stand_alone_in_c_and_cplusplus(self):
        for source in sorted((SOURCE / "compat" / "otf" / "include").glob("*.h")):
            header = HEADERS / source.name
            for language in ("c", "c++"):
                run(COMPILER, "-x", language, "-fsyntax-only", "-Wall", "-Werror", "-I", HEADERS, "-include", header,
                    "/dev/null")

    def test_dropin_programs_of_the_specification_print_what_it_says(self):
        config = BUILD / "compat" / "bin" / "otfconfig"
        entered = "We just entered function 1 on process 1 at time 10000\n"
        both = entered + "byebye of process 1 at time 20000\n2 events\n"
        process = 'stream 0 process 1 "proc one" parent 0\n'
        said = (process + "6 definitions\n" + both + process + "2 definitions\n" + both + entered + "2 events\n" +
                process + "6 definitions\n" +
                "".join(" stream %d contains process %d\n" % pair for pair in ((1, 100), (1, 101), (2, 102), (2, 103))))
        for libs in ("--libs", "-libs"):  # as otfconfig has it, and as the specification writes it
            flags = run(config, "--includes", libs).decode().split()
            program = self.compile(HERE / "specification.c", "specification", flags=flags)
            self.assertEqual(run(program, folder=self.folder).decode(), said)
        self.assertEqual((self.folder / "mytrace.otf").read_bytes(), b"1:1\n")
        self.assertEqual((self.folder / "managed.otf").read_bytes(), b"1:64,65\n2:66,67\n")
        self.assertEqual((self.folder / "streams.1.events").read_bytes(),
                         b"2710\n*1\nE1\n4e20\n*1\nL1\n4e20\n*1\n")

    @needs_their_library
    def test_dropin_programs_of_the_specification_print_the_same_with_both(self):
        ours = self.compile(HERE / "specification.c", "ours")
        theirs = self.compile(HERE / "specification.c", "theirs", THEIR_HEADERS, ("-lopen-trace-format",))
        want = run(theirs, folder=self.folder, environment=THEIRS)
        self.assertEqual(run(ours, folder=self.folder), want)
        self.assertEqual(run(theirs, folder=self.folder, environment=OURS), want)

    def test_dropin_static_library_is_enough_to_link_with(self):
        flags = (LIBRARY / "libopen-trace-format.a", "-lz")
        program = self.compile(HERE / "specification.c", "static", flags=flags)
        self.assertIn(b"6 definitions", run(program, folder=self.folder, environment=THEIRS))

    def test_dropin_otfconfig_answers(self):
        config = BUILD / "compat" / "bin" / "otfconfig"
        self.assertEqual(run(config, "--version"), b'1.12.5 "salmon"\n')
        self.assertEqual(run(config, "--have-zlib"), b"yes\n")
        self.assertIn(b"usage: otfconfig", run(config))
        self.assertEqual(run(config, "--nonsense"), b"")
        self.assertEqual(run(config, "--have-zoidfs", "--libs"), b"no\n")
        self.assertRegex(run(config, "--libs", "--includes"),
                         rb"^-I\S+/include/open-trace-format -L\S+/lib -lotfaux -lopen-trace-format -lz\n$")

    @needs_their_library
    def test_dropin_otfconfig_answers_as_the_original(self):
        config = BUILD / "compat" / "bin" / "otfconfig"
        for options in (["--version"], ["--sizes"], ["--sizes", "--libs"], ["--have-zlib"], ["--have-zoidfs", "--version"], ["--bogus"]):
            self.assertEqual(run(config, *options), run("/usr/bin/otfconfig", *options), options)
        for options in (["--libs"], ["--includes"], ["--libs", "--includes"]):
            theirs, ours = (run(program, *options).split() for program in ("/usr/bin/otfconfig", config))
            self.assertEqual([flag[:2] if flag[:2] in (b"-I", b"-L") else flag for flag in ours],
                             [flag[:2] if flag[:2] in (b"-I", b"-L") else flag for flag in theirs])

    # ---- Headers ----

    def test_dropin_headers_are_where_the_original_has_them(self):
        source = self.folder / "where.c"
        source.write_text("#include <open-trace-format/otf.h>\n#include <open-trace-format/OTF_Errno.h>\n"
                          "OTF_Handler_Enter *handler; int error = OTF_ERROR + OTF_ERR_LEN;\n")
        run(COMPILER, "-fsyntax-only", "-Werror", "-I", HEADERS.parent, source)

    # needs: shared
    def test_dropin_handlers_have_the_types_of_the_specification(self):
        table = SOURCE.parent / "shared" / "spec" / "otf-records.tsv"
        if not table.exists():
            self.skipTest("there is no table of records")
        head, *rows = (line.split("\t") for line in table.read_text().splitlines())
        handlers = {row[head.index("name")]: row[head.index("handler")].replace("(*)", "")
                    for row in rows if row[head.index("handler")].startswith("int")}
        self.assertEqual(len(handlers), 60)
        source = self.folder / "handlers.c"
        source.write_text("#include <otf.h>\n" + "".join(
            '_Static_assert(__builtin_types_compatible_p(OTF_Handler_%s, %s), "%s");\n' % (name, handler, name)
            for name, handler in handlers.items()))
        run(COMPILER, "-fsyntax-only", "-Werror", "-I", HEADERS, source)

    def test_dropin_error_macros_come_with_otf_h(self):
        source = self.folder / "error.c"
        source.write_text("#include <otf.h>\nint main(void) { return otf_errno == OTF_NO_ERROR ? 0 : sizeof otf_strerr; }\n")
        run(COMPILER, "-fsyntax-only", "-Werror", "-I", HEADERS, source)

    # ---- Progress ----

    def comments(self, seed):
        """A trace with records that are longer than small buffers, some of them at its end."""
        chance = random.Random(seed)
        (self.folder / "long.otf").write_text("1:1\n2:2\n")
        (self.folder / "long.0.def").write_text('DTR3e8\nDP1NM"a"\nDP2NM"b"\n')
        for stream in (1, 2):
            lines = []
            for i in range(120):
                is_comment = chance.random() < 0.2
                record = '#"%s"' % ("x" * chance.randrange(6000)) if is_comment else "E1"
                lines.append("%x\n*%d\n%s\n" % (10 * i + stream, stream, record))
            (self.folder / ("long.%d.events" % stream)).write_text("".join(lines))

    @needs_their_library
    def test_dropin_progress_in_bytes_behind_long_records_is_the_original_s(self):
        ours = self.compile(HERE / "progress.c", "ours")
        theirs = self.compile(HERE / "progress.c", "theirs", THEIR_HEADERS, ("-lopen-trace-format",))
        for seed in range(4):
            self.comments(seed)
            for size in (100, 500, 1000, 1024, 5000):
                for step in (1, 3):
                    arguments = ("long", size, step)
                    self.assertEqual(run(ours, *arguments, folder=self.folder),
                                     run(theirs, *arguments, environment=THEIRS, folder=self.folder), (seed, arguments))

    # ---- All records, in all forms ----

    FORMS = [(form, level) for form in range(4) for level in (0, 4)]

    def test_dropin_all_records_are_read_as_written(self):
        """The long form, compression and inline snapshots change the files and nothing that a reader sees."""
        program = self.compile(HERE / "every_record.c", "every_record")
        for form, level in self.FORMS:
            run(program, "write", self.folder / ("t%d%d" % (form, level)), form, level)
        plain = self.lines(program, "t00")
        calls = {line.split()[0] for line in plain}
        rows = re.findall(r"^OTF_CALL\((\w+),", (SOURCE / "compat/otf/calls.def").read_text(), re.MULTILINE)
        self.assertEqual(len(rows), 57)
        self.assertEqual(set(rows) - calls, set())
        self.assertEqual([line for line in plain if line.startswith("Unknown")], [])
        for form, level in self.FORMS:
            got = self.lines(program, "t%d%d" % (form, level))
            if form < 2:
                self.assertEqual(got, plain, (form, level))
            else:  # inline snapshots come with the events: the same calls in another order
                self.assertEqual(sorted(line for line in got if ":" not in line.split()[0]),
                                 sorted(line for line in plain if ":" not in line.split()[0]), (form, level))

    @needs_their_library
    def test_dropin_both_libraries_write_the_same_and_read_the_same(self):
        ours = self.compile(HERE / "every_record.c", "ours")
        theirs = self.compile(HERE / "every_record.c", "theirs", THEIR_HEADERS, ("-lopen-trace-format",))
        for form, level in self.FORMS:
            for buffer_owner, program, environment in (("a", ours, OURS), ("b", theirs, THEIRS)):
                run(program, "write", self.folder / (buffer_owner + "%d%d" % (form, level)), form, level,
                    environment=environment)
            stub = "%d%d" % (form, level)
            for path in sorted(self.folder.glob("b" + stub + ".*")):
                mine = self.folder / ("a" + path.name[1:])
                if ".0.def" in path.name:  # holds the unique id
                    self.assertTrue(mine.exists())
                else:
                    self.assertEqual(mine.read_bytes(), path.read_bytes(), path.name)
            want = self.lines(theirs, "b" + stub, THEIRS)
            for reader, environment in ((ours, OURS), (theirs, THEIRS), (theirs, OURS)):
                for owner in "ab":
                    self.assertEqual(self.lines(reader, owner + stub, environment), want, (stub, owner))

    def test_dropin_copy_handlers_copy_everything(self):
        program = self.compile(HERE / "every_record.c", "every_record")
        run(program, "write", self.folder / "from", 0, 0)
        run(program, "copy", self.folder / "from", self.folder / "to")
        for path in sorted(self.folder.glob("from.*")):
            copy = self.folder / path.name.replace("from", "to")
            # The id is new; of the handles of FileOperation and OpenFileSnapshot OTF reads 32 bits.
            drop = re.compile(rb"DUI|F[0-9a-f]+H|TOF")
            self.assertEqual([line for line in copy.read_bytes().split(b"\n") if not drop.match(line)],
                             [line for line in path.read_bytes().split(b"\n") if not drop.match(line)], path.name)

    # ---- Order ----

    @staticmethod
    def merged(streams):
        """OTF's order, by a model of its heap. Streams are lists of (time, name)."""
        heap = [list(stream) for stream in streams]

        def sink(v):
            while 2 * v + 1 < len(heap):
                w = 2 * v + 1
                if w + 1 < len(heap) and heap[w + 1][0][0] < heap[w][0][0]:
                    w += 1
                if heap[v][0][0] < heap[w][0][0]:
                    return
                heap[v], heap[w] = heap[w], heap[v]
                v = w

        for v in range((len(heap) - 1) // 2, -1, -1):
            sink(v)
        order = []
        while heap:
            order.append(heap[0].pop(0)[1])
            if not heap[0]:
                last = heap.pop()
                if heap:
                    heap[0] = last
            sink(0)
        return order

    def test_dropin_equal_times_come_in_the_order_of_the_heap(self):
        program = self.compile(HERE / "every_record.c", "every_record")
        generator = random.Random(3)
        for count in (2, 3, 7, 16):
            streams = []
            for stream in range(1, count + 1):
                times = sorted(generator.choices(range(1, 40), k=60))
                streams.append([(time, "%d.%d" % (stream, index)) for index, time in enumerate(times)])
                text = "".join("%x\n*%x\nCNT1V%x\n" % (time, stream, index) for index, time in enumerate(times))
                (self.folder / ("t.%x.events" % stream)).write_text(text)
            (self.folder / "t.otf").write_text("".join("%x:%x\n" % (i, i) for i in range(1, count + 1)))
            got = [re.match(r"Counter time \d+ process (\d+) counter 1 value (\d+)", line)
                   for line in self.lines(program, "t")]
            self.assertEqual(["%s.%s" % match.groups() for match in got if match], self.merged(streams), count)

    def test_dropin_lines_across_the_ends_of_buffers_are_whole(self):
        """A file of several buffers, with ready lines, texts and odd lines everywhere, is read in full."""
        program = self.compile(HERE / "every_record.c", "every_record")
        with open(self.folder / "t.1.events", "w") as events:
            for i in range(120000):
                events.write("%x\n*1\nE%x\n" % (i + 1, i))
                if i % 7 == 0:
                    events.write('#"comment %d"\nL\n' % i)
                if i % 11 == 0:
                    events.write("ENTER %x SCL 5\nK1Y5V7\nCNT2V%x\n" % (i, i))
        (self.folder / "t.otf").write_text("1:1\n")
        lines = self.lines(program, "t")
        enters = [line for line in lines if line.startswith("Enter") and line.endswith("source 0")]
        self.assertEqual(enters[-1], "Enter time 120000 function 119999 process 1 source 0")
        self.assertEqual(len(enters), 120000)
        self.assertEqual(sum(line.startswith("EventComment") for line in lines), 17143)
        self.assertEqual(sum(line.endswith("1:5=7") for line in lines), 10910)

    def test_dropin_read_errors_have_their_code_and_end_no_program(self):
        program = self.compile(HERE / "every_record.c", "every_record")
        (self.folder / "t.otf").write_text("1:1\n2:2\n")
        (self.folder / "t.1.events").write_text("1\n*1\nE1\n")
        error = "events: %d" % (2 ** 64 - 1)
        self.assertIn(error, self.lines(program, "t"))  # a file of events is missing
        for content in ("", "5\n", "E1\n", "1\n*2\nE1 x\n", "1\n*2\nK1Y63V1\nE1\n"):
            (self.folder / "t.2.events").write_text(content)
            self.assertIn(error, self.lines(program, "t"), content)

    MALFORMED = (  # a file of definitions or markers, and what the original makes of it: calls, then the result
        ("0.def", 'DP1NM"x"Q\n', ["DefProcess stream 0 process 1 name 'x' parent 0"], 1),
        ("0.def", "DP1PT2 anything\n", ["DefProcess stream 0 process 1 name '(null)' parent 2"], 1),
        ("0.def", "DP1Q\n", [], None),
        ("0.def", "DP1NMx\n", [], None),
        ("0.def", 'DCR"never closed\n', [], None),
        ("0.def", "DCR\n", ["DefCreator stream 0 creator '(null)'"], 1),
        ("0.def", 'K1YbV01 anything\nDCR"x"\n', ["DefCreator stream 0 creator 'x' 1:11=01"], 1),
        ("0.def", 'KXY5V1\nDCR"x"\n', [], None),
        ("0.def", 'K#1Y5V1\nDCR"x"\n', [], None),
        ("0.def", "not finished", [], 0),
        ("0.def", 'DCR"x"\nnot finished',
         ["DefCreator stream 0 creator 'x'", "Unknown time 18446744073709551615 process 0 'not finished'"], 1),
        ("0.def", 'DCR"x"\n\nDCR"y"',
         ["DefCreator stream 0 creator 'x'", "Unknown time 18446744073709551615 process 0 ''"], 1),
        ("0.marker", 'MD1NM"x"\n', ["DefMarker stream 0 token 1 name 'x' type 0"], 1),
        ("0.marker", "MD1Y2\n", [], None),
    )

    def test_dropin_odd_lines_mean_what_they_mean_to_the_original(self):
        program = self.compile(HERE / "every_record.c", "every_record")
        (self.folder / "t.otf").write_text("1:1\n")
        (self.folder / "t.1.events").write_text("1\n*1\nN\n")
        for name, content, calls, count in self.MALFORMED:
            for path in self.folder.glob("t.0.*"):
                path.unlink()
            (self.folder / ("t." + name)).write_text(content)
            lines = [line for line in self.lines(program, "t") if not line.startswith("NoOp")]
            results = dict(line.split(": ") for line in lines if re.match(r"[a-z]+: \d+$", line))
            what = "markers" if name == "0.marker" else "definitions"
            self.assertEqual([line for line in lines if not re.match(r"[a-z]+: \d+$", line)], calls, content)
            self.assertEqual(int(results[what]), 2 ** 64 - 1 if count is None else count, content)

    # ---- The original's tools and the shared collection ----

    def traces(self):
        program = self.compile(HERE / "every_record.c", "every_record")
        run(program, "write", self.folder / "t", 0, 0)
        return self.folder

    def both(self, *arguments, made=()):
        """Standard output and files of a tool on either library."""
        results = []
        for environment in (THEIRS, OURS):
            for name in made:
                for path in glob.glob(str(self.folder / name)):
                    os.remove(path)
            output = run(*arguments, environment=environment, folder=self.folder, codes=None)
            files = {path.name: path.read_bytes() for name in made for path in self.folder.glob(name)}
            results.append((re.sub(rb"(?m)^ *(processing time|trace unique id).*$", b"", output),
                            {name: re.sub(rb"DUI[0-9a-f]+|DEFUNIQUEID [0-9a-f]+", b"", data)
                             for name, data in files.items()}))
        self.assertEqual(results[1], results[0], arguments)
        return results[0]

    @needs_tool("otfprint")
    def test_dropin_otfprint_says_the_same_of_every_record(self):
        self.traces()
        self.assertIn(b"Enter: function", self.both("otfprint", "--fullkeyvalue", "t")[0])

    def balanced_trace(self):
        """A trace t that all tools accept."""
        balanced = "".join("%x\n*1\nE1\n%x\n*1\nL1\n" % (i, i + 5) for i in range(10, 500, 10))
        (self.folder / "t.1.events").write_text(balanced)
        (self.folder / "t.2.events").write_text(balanced.replace("*1", "*2"))
        (self.folder / "t.0.def").write_text('DTR3e8\nDP1NM"one"\nDP2NM"two"\nDFG1NM"g"\nDF1G1NM"f"\n')
        (self.folder / "t.otf").write_text("1:1\n2:2\n")

    @needs_tool("otfmerge")
    def test_dropin_tools_that_write_traces_write_the_same(self):
        self.balanced_trace()
        self.assertTrue(self.both("otfmerge", "-n", "1", "-o", "out", "t.otf", made=("out.*",))[1])
        self.assertTrue(self.both("otfmerge", "-n", "2", "--long", "-z", "3", "-o", "out", "t.otf", made=("out.*",))[1])
        self.assertTrue(self.both("otfshrink", "-i", "t.otf", "-o", "small", "-l", "1", made=("small.*",))[1])
        self.assertTrue(self.both("otfaux", "-n", "5", "-o", "aux", "t.otf", made=("aux.*",))[1])
        self.assertTrue(self.both("otfinfo-trace", "-a", "t")[0])
        self.assertTrue(self.both("otfprofile", "--csv", "--notex", "-o", "P", "-i", "t.otf", made=("P.csv",))[1])

    # What lets a user who is root, as in containers, run more processes than there are processors.
    MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-np")

    @needs_tool("otfmerge-mpi")
    @needs_tool("mpirun")
    def test_dropin_tools_with_mpi_write_the_same(self):
        self.balanced_trace()
        for count, options in ((1, ["-n", "2"]), (2, ["-n", "2"]), (3, ["-n", "2", "--long", "-z", "3"])):
            _, files = self.both(*self.MPIRUN, count, "otfmerge-mpi", *options, "-o", "out", "t.otf", made=("out.*",))
            self.assertIn("out.otf", files)
            self.assertEqual(len([name for name in files if ".events" in name]), 2)
            _, alone = self.both("otfmerge", *options, "-o", "out", "t.otf", made=("out.*",))
            self.assertEqual(files, alone)
        # Its ranks open one file, each for itself: who opens it late takes away what another has written.
        for is_last in (False, False, False, True):
            try:
                files = self.both(*self.MPIRUN, 2, "otfprofile-mpi", "--csv", "--notex", "-o", "P", "-i", "t.otf", made=("P.csv",))[1]
                break
            except AssertionError:
                if is_last:
                    raise
        self.assertTrue(files)

    @needs_tool("otfcompress")
    @needs_tool("otfprint")
    def test_dropin_files_of_otfcompress_are_read_and_ours_are_decompressed(self):
        self.balanced_trace()
        plain = (self.folder / "t.1.events").read_bytes()
        want = self.both("otfprint", "t")[0]
        run("otfcompress", "t.1.events", folder=self.folder)
        self.assertFalse((self.folder / "t.1.events").exists())
        self.assertEqual(self.both("otfprint", "t")[0], want)
        self.both("otfmerge", "-n", "2", "-z", "4", "-o", "out", "t.otf", made=("out.*",))
        run("otfdecompress", "out.1.events.z", folder=self.folder)
        self.assertEqual((self.folder / "out.1.events").read_bytes().split(b"\n")[:9], plain.split(b"\n")[:9])

    # The original takes out one piece of an array only and does not count; see what removeKey is to do in the header.
    FIXED = re.compile(r"removeKey|key_count \d+ count \d|hasKey\(l,2\)|getCount\(l\)")

    # needs: shared
    @unittest.skipUnless((SHARED / "traces/otf/api").is_dir(), "no shared collection")
    def test_dropin_programs_of_the_collection_print_what_is_stored(self):
        for source in sorted((SHARED / "traces/otf/api").glob("api*.c")):
            program = self.compile(source, source.stem)
            folder = self.folder / ("in-" + source.stem)
            folder.mkdir()
            got = run(program, folder=folder).decode("latin-1").splitlines()
            want = source.with_name(source.stem + ".expected.txt").read_text("latin-1").splitlines()
            self.assertEqual(len(got), len(want))
            different = [(a, b) for a, b in zip(got, want) if a != b]
            self.assertEqual([pair for pair in different if not self.FIXED.search(pair[0])], [], source.name)
            self.assertLessEqual(len(different), 5)

    # needs: shared
    @unittest.skipUnless((SHARED / "check/otf-dropin").exists(), "no shared collection")
    @needs_tool("otfprint")
    def test_dropin_acceptance(self):
        output = run(sys.executable, SHARED / "check/otf-dropin", folder=SOURCE,
                     environment=dict(os.environ, QUIPU_BUILD=str(BUILD)))
        self.assertIn(b" 0 failed", output)

    def test_dropin_reads_on_where_a_search_has_put_the_buffers(self):
        """Two streams with a record every 10 ticks: of times 11 to 3991 and 12 to 3992 those from 256 on are 26 to 399."""
        (self.folder / "t.otf").write_text("1:1\n2:2\n")
        for stream in (1, 2):
            text = "".join("%x\n*%x\n%s1\n" % (10 * i + stream, stream, "LE"[i % 2]) for i in range(1, 400))
            (self.folder / ("t.%d.events" % stream)).write_text(text)
        program = self.compile(HERE / "searching.c", "searching")
        for time, first in ((256, 26), (2000, 200), (12, 2)):
            later = sum(i % 2 for i in range(first, 400))
            # By hand: of time 12, stream 2 goes on with its first record.
            counts = (2 * (400 - first), 2 * later) if time != 12 else (398 + 399, 199 + 200)
            self.assertEqual([5, counts[0], 3 + counts[1]], [int(word) for word in run(program, self.folder / "t", str(time)).split()], time)


if __name__ == "__main__":
    unittest.main()
