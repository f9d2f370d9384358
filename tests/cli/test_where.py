"""--where: each expression selects the same events in cat, convert, cut and profile; malformed ones are one line with a caret."""
import json
import os
import random
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
DATA = os.path.join(SOURCE, "tests", "data", "where")
TRACE = os.path.join(DATA, "w.otf")


def rows(name):
    with open(os.path.join(DATA, name), encoding="ascii") as file:
        return [[part.strip() for part in line.split("=>")] for line in file if not line.startswith("#")]


def quipu(*arguments):
    return subprocess.run([QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def events(trace, *options):
    out = quipu("cat", trace, "--json", "--quiet", *options)
    assert out.returncode == 0, out.stderr
    return [json.loads(line) for line in out.stdout.decode().splitlines()]


def times(trace, *options):
    return [event["time"] for event in events(trace, *options)]


class Where(FolderTest):
    def test_expressions_select_what_was_worked_out_by_hand(self):
        table = rows("expressions.txt")
        self.assertGreaterEqual(len(table), 60)
        for expression, expected in table:
            with self.subTest(expression):
                self.assertEqual(times(TRACE, "--where", expression), [int(time) for time in expected.split()])

    def test_convert_and_cut_write_what_cat_prints(self):
        for number, (expression, expected) in enumerate(rows("expressions.txt")):
            with self.subTest(expression):
                out, report = self.path(f"{number}.otf"), self.path(f"{number}.json")
                run = quipu("convert", TRACE, "-q", "--to", "otf", "-o", out, "--report", report, "--where", expression)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(times(out), [int(time) for time in expected.split()])
                with open(report, encoding="utf-8") as file:
                    selected = json.load(file)["selected"]["events"]
                self.assertEqual(sum(selected.values()), len(expected.split()))
                part = self.path(f"part{number}.otf")
                run = quipu("cut", TRACE, "-q", "--to", "otf", "-o", part, "--where", expression)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(times(part), [int(time) for time in expected.split()])

    def test_profile_counts_what_cat_prints(self):
        counted = {"calls": "enter", "messages_sent": "send", "messages_received": "recv",
                   "collectives": "collective_begin"}
        for expression, expected in rows("expressions.txt"):
            selected = [event["kind"] for event in events(TRACE, "--where", expression)]
            self.assertEqual(len(selected), len(expected.split()))
            out = json.loads(quipu("profile", TRACE, "-q", "--json", "--where", expression).stdout)
            table = out["tables"][0] if "tables" in out else out
            names = [column["name"] for column in table["columns"]]
            for column, kind in counted.items():
                with self.subTest(expression, column=column):
                    self.assertEqual(sum(row[names.index(column)] for row in table["rows"]), selected.count(kind))

    def test_malformed_ones_are_a_line_with_a_caret(self):
        for expression, message in rows("malformed.txt"):
            with self.subTest(expression):
                for command in ("cat", "profile"):
                    run = quipu(command, "no-such-trace", "--where=" + expression)
                    lines = run.stderr.decode().splitlines()
                    self.assertEqual(run.returncode, 2)
                    if expression:
                        self.assertEqual(lines[0], "quipu: --where: " + message)
        self.assertEqual(quipu("cat", TRACE, "--where", "a" * 5000).returncode, 2)
        self.assertEqual(quipu("cat", TRACE, "--where", "(" * 4000).returncode, 2)
        self.assertEqual(times(TRACE, "--where", "&&".join(["bytes"] * 500)), [21, 23, 51, 58])

    def test_it_is_one_condition_of_several(self):
        self.assertEqual(times(TRACE, "--where", "bytes < 1k", "--kind", "send"), [51])
        self.assertEqual(times(TRACE, "--where", "duration > 10us", "--since", "40", "--until", "60"), [40, 45])
        self.assertEqual(times(TRACE, "--where", "bytes", "--location", "beta"), [23, 58])
        self.assertEqual(times(TRACE, "--where", "duration > 10us", "--region", "solve"), [60, 61, 90])
        self.assertEqual(events(TRACE, "--where", 'text ~ "two"')[0]["text"], "phase two")

    def test_names_that_nothing_has_are_remarked_upon(self):
        """The answer is empty all the same, and no failure: what is selected depends on the trace. Names are in README.md beside it."""
        for expression, remark in (('region == "mpi_send"', 'no region of the trace is "mpi_send"; did you mean MPI_Send or MPI_Isend?'),
                                   ("role == mpi_p2p", 'no role of the trace is "mpi_p2p"; did you mean mpi-p2p?'),
                                   ("region in solve, MPI_Rcv", 'no region of the trace is "MPI_Rcv"; did you mean MPI_Recv?'),
                                   ("location != alhpa", 'no location of the trace is "alhpa"; did you mean alpha?'),
                                   ("peer == betta || bytes", 'no peer of the trace is "betta"; did you mean beta?'),
                                   ("region ~ snd", 'no region of the trace matches "snd"'), ("host == x", 'no host of the trace is "x"')):
            for words in (("cat", TRACE), ("profile", TRACE), ("cut", TRACE, "-o", self.path("o.otf"), "--force")):
                with self.subTest(expression, command=words[0]):
                    run = quipu(*words, "--where", expression)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertIn("quipu: --where: " + remark, run.stderr.decode().splitlines())
                    self.assertNotIn(b"--where", quipu(*words, "--quiet", "--where", expression).stderr)
        self.assertIn(b"did you mean MPI_Send", quipu("comm", TRACE, "--where", 'region == "mpi_send"').stderr)
        for expression in ('region == "MPI_Send"', "location == alpha", 'text == "anything"', "peer.rank == 7", "region ~ mpi", "rank == 9"):
            self.assertNotIn(b"--where", quipu("cat", TRACE, "--where", expression).stderr, expression)

    def test_names_of_options_that_nothing_has_are_refused_with_those_that_are_near(self):
        for words, message in ((("cat", "--region", "MPI_Snd"), 'no region "MPI_Snd"; did you mean MPI_Send or MPI_Isend?'),
                               (("cat", "--location", "Alpa"), 'no location "Alpa"; did you mean alpha?'),
                               (("profile", "--location", "rank:9"), 'no location "rank:9"; its ranks are 0 to 1'),
                               (("convert", "--to", "chrome", "-o", "-", "--location", "7"), 'no location "7"; its locations are 0 to 2'),
                               (("profile", "--within", "SOLVE"), 'no region "SOLVE"; did you mean solve?'),
                               (("profile", "--begin", "phse"), 'no annotation "phse"; did you mean phases?'),
                               (("calls", "--region", "sovle"), 'no region "sovle"; did you mean solve?'),
                               (("replay", "--region", "sovle=2"), 'no region "sovle"; did you mean solve?'),
                               (("efficiency", "--roi", "slove"), 'no region "slove"; did you mean solve?'),
                               (("cat", "--region", "zzzzzz"), 'no region "zzzzzz"')):
            run = quipu(*words, TRACE)
            self.assertEqual((run.returncode, run.stderr.decode().splitlines()[0]), (2, "quipu: the trace has " + message), words)

    def test_records_and_events_are_not_mixed(self):
        self.assertEqual(quipu("cat", TRACE, "--records", "--where", "bytes").returncode, 2)

    def test_the_grammar_is_explained(self):
        text = quipu("help", "where").stdout.decode()
        for word in ("duration", "rank", "region", "bytes", "Mi", '"MPI_I?send"'):
            self.assertIn(word, text)
        grammar = [line.strip() for line in text.splitlines() if " = " in line or line.strip().startswith("| ")]
        self.assertGreater(len(grammar), 10)
        for path in ("include/quipu/where.h", "docs/where.md"):
            with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
                lines = file.read()
            for line in grammar:
                self.assertIn(line, lines, path)


class Durations(FolderTest):
    """Many random calls, of which Python knows the durations."""

    def make(self, chance):
        """Events (time, location, record, region, duration of the call): nested calls, some of them never left."""
        listed = []
        for location in (1, 2, 3):
            time, stack = location, []
            for _ in range(3000):
                time += chance.randint(1, 9) * 3
                if stack and chance.random() < 0.5:
                    enter = stack.pop()
                    listed[enter][4] = time - listed[enter][0]
                    listed.append([time, location, f"L{listed[enter][3]}", listed[enter][3], listed[enter][4]])
                elif len(stack) < 6:
                    stack.append(len(listed))
                    region = chance.randint(1, 4)
                    listed.append([time, location, f"E{region}", region, 10**18])
        return listed

    def write(self, listed):
        definitions = 'DTR3b9aca00\n' + "".join(f'DP{i}NM"p{i}"\n' for i in (1, 2, 3)) + 'DFG1NM"g"\n'
        definitions += "".join(f'DF{i}G1NM"f{i}"\n' for i in (1, 2, 3, 4))
        for name, text in (("d.otf", "1:1,2\n2:3\n"), ("d.0.def", definitions)):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        for stream, locations in ((1, (1, 2)), (2, (3,))):
            with open(self.path(f"d.{stream}.events"), "w", encoding="ascii") as file:
                for time, location, record, _, _ in sorted(e for e in listed if e[1] in locations):
                    file.write(f"{time:x}\n*{location:x}\n{record}\n")
        return self.path("d.otf")

    def test_durations_are_those_from_enter_to_leave(self):
        listed = self.make(random.Random(7))
        trace = self.write(listed)
        index = self.path("d.qpx")
        self.assertEqual(quipu("index", trace, "-q", "-o", index, "--count", "20").returncode, 0)
        last = max(event[0] for event in listed)
        for least, most in ((0, 10), (50, 90), (300, 10**17), (5000, 10**17), (100, 100)):
            for since, until in ((0, last + 1), (last // 2, last // 2 + 2000)):
                expression = f"duration in {least}-{most}"
                expected = sorted((e[0], e[1]) for e in listed
                                  if least <= e[4] <= most and since <= e[0] < until)
                for option in (["--no-index"], ["--with-index", index]):
                    found = [(event["time"], event["location"] + 1) for event in
                             events(trace, "--where", expression, "--since", str(since), "--until", str(until), *option)]
                    self.assertEqual(sorted(found), expected, expression)
                    self.assertEqual([time for time, _ in found], sorted(time for time, _ in found))

    def test_threads_give_the_same(self):
        trace = self.write(self.make(random.Random(8)))
        answers = {quipu("profile", trace, "--json", "--where", "duration > 200", "--threads", threads).stdout
                   for threads in ("1", "2", "3")}
        self.assertEqual(len(answers), 1)


if __name__ == "__main__":
    unittest.main()
