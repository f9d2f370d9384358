"""quipu report: what a page holds, without a browser: its numbers are those of the commands that it names."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from reports import QUIPU, SOURCE, SVG, Page, compare_figure, marks, quipu, rows_of, sample_traces

sys.path.insert(0, os.path.join(SOURCE, "tests/cli"))
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

LIMIT = 3_000_000
ITERATIONS = os.path.join(SOURCE, "tests/data/analysis/iterations/iterations.otf")
CHAIN = os.path.join(SOURCE, "tests/data/analysis/delay-chain/delay-chain.otf")
CHARISMA = os.path.join(SOURCE, "tests/data/sweep/charisma/ring.ctrace")
SHARED = os.path.join(SOURCE, "../shared")
RING = os.path.join(SOURCE, "tests/data/sweep/otf")


class Report(FolderTest):
    def report(self, *words, code=0):
        """The page of a report."""
        out = self.path("report.html")
        done = quipu("report", *words, "-o", out, "--force", "--quiet")
        self.assertEqual(code, done.returncode, done.stderr)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        self.assertLess(len(text.encode()), LIMIT)
        return text

    def labels(self, page, figure):
        return [text.text for text in page.figures[figure]["svg"].iter("{http://www.w3.org/2000/svg}text")]

    def compare(self, page):
        count = 0
        for name, figure in page.figures.items():
            rows, done = rows_of(figure["command"])
            self.assertNotEqual([], rows, figure["command"])
            with self.subTest(figure=name, command=figure["command"]):
                if figure["svg"] is not None:
                    found = compare_figure(self, figure["svg"], rows)
                    self.assertGreater(found, 0)
                    count += found
                self.assertTrue(done.stdout.decode().startswith(figure["csv"]))
        return count

    # ---- Numbers ----

    def test_report_numbers_are_those_of_the_commands(self):
        """All but page after page of every format; those of programs whose answers have everything."""
        for trace in (ITERATIONS, CHAIN, CHARISMA, os.path.join(RING, "ring.otf"), os.path.join(SOURCE, "tests/data/analysis/io-wait/io-wait.otf")):
            with self.subTest(trace=trace):
                self.assertGreater(self.compare(Page(self.report(trace))), 0)

    def columns(self, text, figure):
        """Heading → cells of the table of a figure, as they are shown."""
        table = re.search(rf'<figure id="{figure}">.*?<table>(.*?)</table>', text, re.S)[1]
        headings = re.findall(r"<th[^>]*>(.*?)</th>", table)
        rows = [re.findall(r"<td([^>]*)>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", table)]
        return {heading: [row[i] for row in rows] for i, heading in enumerate(headings)}

    def test_report_points_of_numbers_stand_below_each_other(self):
        """Blanks as wide as a point and as digits stand for those that a number has fewer; exact decimal numbers are numbers too."""
        shown = self.columns(self.report(ITERATIONS), "regions")["share"]
        self.assertGreater(len({text.count("\u2007") for _, text in shown}), 1)
        self.assertEqual(1, len({len(text) - text.replace("\u2008", ".").index(".") for _, text in shown}))
        totals = self.columns(self.report(os.path.join(SOURCE, "tests/data/where/w.otf"), "--only", "counters"), "counters_of_regions")["total"]
        self.assertEqual([(f' class="number" data-value="{text}"', text) for _, text in totals], totals)

    # needs: shared
    @unittest.skipUnless(os.path.exists(SHARED), "no sample traces")
    def test_report_of_tasks_numbers_are_those_of_the_command(self):
        trace = os.path.join(SHARED, "traces/ovni/t08_nosv/trace")
        page = Page(self.report(trace, "--only", "tasks"))
        self.assertEqual({"task_types", "task_locations", "cpus_over_time", "cpu_heat", "cpus", "task_table"}, set(page.figures))
        self.assertGreater(self.compare(page), 300)

    def test_report_of_several_traces_numbers_are_those_of_the_commands(self):
        page = Page(self.report(ITERATIONS, CHAIN))
        self.assertEqual(["overview", "runs"], page.sections)
        ends = [label for label in self.labels(page, "run_times") if label.endswith(("iterations/iterations.otf", "delay-chain/delay-chain.otf"))]
        self.assertEqual(2, len(ends))  # though the paths are longer than there is room for
        self.assertGreater(self.compare(page), 10)

    def test_report_of_many_locations_is_small_and_right(self):
        """300 processes: more than a matrix has rows."""
        count = 300
        program = [[programs.enter(0, "work"), programs.leave(10 + rank % 7, "work")] for rank in range(count)]
        for rank in range(count):
            program[rank] += programs.send(20, 21, (rank + 1) % count) + programs.receive(22, 40 + rank % 5, (rank - 1) % count)
        page = Page(self.report(programs.write(self.path("many.otf"), program)))
        matrix = page.figures["bytes"]["svg"]
        lines = [line for line in matrix.iter("{http://www.w3.org/2000/svg}g") if line.get("class") == "row"]
        self.assertEqual(150, len(lines))  # two together
        values = [sum(int(value) for value in line.get("data-values").split(" ")) for line in lines]
        self.assertEqual(sum(int(row["bytes"]) for row in rows_of(page.figures["bytes"]["command"])[0]), sum(values))
        for name in ("bytes", "heat", "locations"):
            del page.figures[name]
        self.compare(page)

    def test_report_of_a_process_on_two_hosts(self):
        """Rank 0 and its thread are not beside each other among the locations of the timeline, which go by host."""
        path = self.path("t.otf")
        with open(path, "w", encoding="ascii") as file:
            file.write("1:1,2,3\n")
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write('DTR3b9aca00\nDK16YbNM"host"T"the host that a process runs on"\n'
                       'K16YbV6e6f6441L4\nDP1NM"rank 0"\nK16YbV6e6f6441L4\nDP2NM"rank 1"\nK16YbV6e6f6442L4\nDP3NM"offload"PT1\n'
                       'DFG9NM"code"\nDF1G9NM"main"\n')
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write("".join(f"{time:x}\n*{process}\n{record}1\n" for time, record in ((0, "E"), (50, "L")) for process in (1, 2, 3)))
        self.assertIn("timeline", Page(self.report(path)).sections)

    def test_report_of_locations_of_the_same_name(self):
        """Two threads are called "thread", as those of each rank of Score-P: each has its own bar, row and line."""
        path = self.path("t.otf")
        with open(path, "w", encoding="ascii") as file:
            file.write("1:1,2,3\n")
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write('DTRf4240\nDP1NM"thread"\nDP2NM"thread"\nDP3NM"other"\nDFG9NM"code"\nDF1G9NM"work"\n')
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            ends = ((0, "E1", (1, 2, 3)), (0x20, "L1", (2,)), (0x30, "L1", (3,)), (0x40, "L1", (1,)))
            file.write("".join(f"{time:x}\n*{process}\n{record}\n" for time, record, processes in ends for process in processes))
        page = Page(self.report(path))
        wanted = {("thread (1)", "useful_ns"): 64000, ("thread (2)", "useful_ns"): 32000, ("thread (2)", "absent_ns"): 32000,
                  ("other", "useful_ns"): 48000, ("other", "absent_ns"): 16000}
        self.assertEqual(wanted, dict(marks(page.figures["locations"]["svg"])))
        rows = [row.get("data-key") for row in page.figures["heat"]["svg"].iter(SVG + "g") if row.get("class") == "row"]
        self.assertEqual(["thread (1)", "thread (2)", "other"], rows)

    def test_report_of_times_far_out(self):
        """Around 9.2e18 ns doubles lie 1024 apart: an axis of 1500 ns comes to its end all the same."""
        far = 9_200_000_000_000_000_000
        page = Page(self.report(programs.write(self.path("far.otf"), [[programs.enter(far, "work"), programs.leave(far + 1500, "work")]])))
        self.assertIn("roles", page.figures)

    # ---- Pages ----

    def test_report_of_every_sample_trace(self):
        traces = sample_traces()
        self.assertGreater(len(traces), 90)
        for trace in traces:
            with self.subTest(trace=trace):
                code = quipu("info", trace, "--quiet").returncode
                if code == 4:
                    continue  # not built in
                text = self.report(trace, code=code)
                page = Page(text)
                self.assertEqual("overview", page.sections[0])
                self.assertEqual(len(page.sections), len(set(page.sections)))
                self.assertNotRegex(re.sub(r'xmlns="[^"]*"', "", text), r"(src|href|action)=\"?(https?:|//|file:)")

    def test_report_only_has_the_pages_that_are_asked_for(self):
        self.assertEqual(["time", "waits"], Page(self.report(CHAIN, "--only", "waits,time")).sections)
        done = quipu("report", CHAIN, "-o", "-", "--only", "waitz")
        self.assertEqual(2, done.returncode)
        self.assertIn(b'did you mean waits?', done.stderr)

    def test_report_leaves_out_what_does_not_apply(self):
        alone = programs.write(self.path("alone.otf"), [[programs.enter(0, "work"), programs.leave(10, "work")]])
        page = Page(self.report(alone))
        self.assertNotIn("communication", page.sections)
        self.assertNotIn("waits", page.sections)
        self.assertNotIn("io", page.sections)
        self.assertIn("time", page.sections)
        self.assertIn("io", Page(self.report(CHARISMA)).sections)
        counters = Page(self.report(os.path.join(SOURCE, "tests/data/where/w.otf"), "--only", "counters"))
        self.assertEqual((["counters"], ["counters_of_regions", "counters_over_time"]), (counters.sections, list(counters.figures)))
        self.assertEqual(1, self.compare(counters))

    def test_report_of_a_trace_without_events_says_what_it_is(self):
        empty = programs.write(self.path("empty.otf"), [[]])
        self.assertEqual(["overview"], Page(self.report(empty)).sections)

    def test_report_of_a_damaged_trace_says_so(self):
        shutil.copytree(RING, self.path("ring"))
        path = self.path("ring/ring.1.events")
        os.truncate(path, os.path.getsize(path) * 6 // 10)
        text = self.report(self.path("ring/ring.otf"), code=3)
        self.assertIn("The trace is damaged.", text)
        self.assertIn("time", Page(text).sections)

    # ---- Timeline ----

    def timeline(self, text):
        """The answers in a page's timeline, and its windows."""
        found = re.findall(r'<script type="application/json">(.*?)</script>', text, re.S)
        self.assertEqual(1, len(found))
        self.assertLess(len(found[0].encode()), 1_100_000)
        data = json.loads(found[0])
        return data["answers"], data["windows"]

    def test_report_timeline_windows_are_those_of_the_tables(self):
        text = self.report(ITERATIONS)
        answers, windows = self.timeline(text)
        begin = int(answers["trace"]["begin"])
        iterations = [row for row in rows_of(f"quipu phases --iterations --table iterations {ITERATIONS}")[0] if row["representative"] == "1"]
        self.assertNotEqual([], iterations)
        of_phases = [(window["from"], window["to"]) for window in windows if window["title"].startswith("an iteration")]
        self.assertEqual([(int(row["from_ns"]) - begin, int(row["from_ns"]) - begin + int(row["length_ns"])) for row in iterations], of_phases)
        self.assertIn(("the whole run", 0, answers["trace"]["length"]), [(window["title"], window["from"], window["to"]) for window in windows])
        for window in windows:
            self.assertIn(window["calls"], answers)
        self.assertIn(f"<code>quipu view {ITERATIONS}</code>", text)

    def test_report_timeline_has_the_longest_wait(self):
        answers, windows = self.timeline(self.report(CHAIN, "--only", "timeline"))
        waits = rows_of(f"quipu waits --list --table instances {CHAIN}")[0]
        longest = max(waits, key=lambda row: int(row["to_ns"]) - int(row["from_ns"]))
        begin, window = int(answers["trace"]["begin"]), next(window for window in windows if window["title"].startswith("wait of"))
        self.assertLessEqual(window["from"], int(longest["from_ns"]) - begin)
        self.assertGreaterEqual(window["to"], int(longest["to_ns"]) - begin)
        self.assertIn(longest["pattern"], window["title"])

    def test_report_timeline_is_there_only_when_asked_for(self):
        self.assertEqual(["timeline"], Page(self.report(CHAIN, "--only", "timeline")).sections)
        for words in ((CHAIN, "--only", "time"), (CHAIN, ITERATIONS)):
            text = self.report(*words)
            self.assertNotIn("timeline-plot", text)
            self.assertNotIn("<noscript>", text)

    # ---- Names ----

    def test_report_hostile_names_are_text(self):
        """In place of the names of regions and of a process."""
        names = {"work": "<script>alert(1)</script>", "read": "&amp;<!-- ' --", "main": "\u202eabc", "MPI_Barrier": "x" * 10000, "MPI_Bcast": "</style></svg></script><!--"}
        events = [record for index, name in enumerate(names) for record in (programs.enter(10 * index, name), programs.leave(10 * index + 10, name))]
        trace = programs.write(self.path("hostile.otf"), [events, events])
        with open(self.path("hostile.0.def"), encoding="utf-8") as file:
            text = file.read()
        for name, hostile in [*names.items(), ("rank 1", "<img src=x onerror=alert(2)>")]:
            text = text.replace(f'"{name}"', f'"{hostile}"')
        with open(self.path("hostile.0.def"), "w", encoding="utf-8") as file:
            file.write(text)
        text = self.report(trace, "--title", "<b>title</b>")
        page = Page(text)
        self.assertEqual((1, 3, 3, 0), (text.count("<script>"), text.count("<script"), text.count("</script>"), text.count("<img")))
        answers, _ = self.timeline(text)
        called = {name for answer in answers.values() for name, _ in answer.get("names", {}).values()}
        self.assertEqual({name[:200] for name in names.values()}, called)
        self.assertIn("<img src=x onerror=alert(2)>", [row[2] for row in answers["rows?of=&first=0&count=1000"]["rows"]])
        self.assertNotIn("\u202e", text)
        self.assertNotIn("<b>", text)
        self.assertIn("<b>title</b>", "".join(page.texts))
        marks = {mark.get("data-key") for mark in page.figures["regions"]["svg"].iter() if mark.get("data-key")}
        self.assertEqual({name.replace("\u202e", "\\xe2\\x80\\xae") for name in names.values()}, marks)

    def test_report_no_names_hides_files_and_paths(self):
        files = re.findall(r"/[\w/.-]+", quipu("definitions", "files", CHARISMA, "--csv").stdout.decode())
        files = files or [row["file"] for row in rows_of(f"quipu io --table io_files {CHARISMA}")[0]]
        self.assertNotEqual([], files)
        text = self.report(CHARISMA, "--no-names", "--figures", self.path("figures"))
        for name in os.listdir(self.path("figures")):
            with open(self.path(f"figures/{name}"), encoding="utf-8") as file:
                text += file.read()
        for name in [*files, CHARISMA]:
            self.assertNotIn(name, text)
        self.assertIn("file 1", text)

    def test_report_no_names_hides_hosts_in_the_timeline(self):
        """A trace of two hosts, whose rows are those of the timeline."""
        shutil.copytree(os.path.join(SOURCE, "tests/data/sweep/paraver"), self.path("paraver"))
        with open(self.path("paraver/ring.row"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("paraver/ring.row"), "w", encoding="utf-8") as file:
            file.write(text.replace("\na\n", "\nsecret-one\n").replace("\nb\n", "\ns\n"))
        trace = self.path("paraver/ring.prv")
        for words, called in (((), ["secret-one", "s"]), (("--no-names",), ["host 1", "host 2"])):
            text = self.report(trace, "--only", "timeline", *words)
            answers, _ = self.timeline(text)
            self.assertEqual([["host", name] for name in called], [[row[0], row[2]] for row in answers["rows?of=&first=0&count=1000"]["rows"]])
        self.assertEqual("TRACE", answers["trace"]["name"])
        self.assertIn("<code>quipu view TRACE</code>", text)
        for name in ("secret", "ring.prv"):
            self.assertNotIn(name, text)

    # ---- Output ----

    def test_report_figures_are_files(self):
        self.report(ITERATIONS, "--figures", self.path("figures"))
        names = sorted(os.listdir(self.path("figures")))
        self.assertIn("regions.svg", names)
        for name in names:
            if name.endswith(".svg"):
                root = ElementTree.parse(self.path(f"figures/{name}")).getroot()
                self.assertIsNotNone(root.get("width"))
                style = root.find("{http://www.w3.org/2000/svg}style").text
                self.assertNotIn("--", style)
                self.assertIn("svg.figure .useful-1 { fill: #5a9bd5; }", style)
                self.assertIn(name.replace(".svg", ".csv"), names)
        with open(self.path("figures/regions.csv"), encoding="utf-8") as file:
            self.assertEqual(quipu("profile", "--by", "region", "--csv", ITERATIONS).stdout.decode(), file.read())
        done = quipu("report", ITERATIONS, "-o", self.path("other.html"), "--figures", self.path("figures"))
        self.assertEqual(5, done.returncode)
        self.assertIn(b"already exists", done.stderr)
        self.assertFalse(os.path.exists(self.path("other.html")))

    def test_report_is_the_same_in_a_pipe_and_with_threads(self):
        text = self.report(ITERATIONS)
        piped = quipu("report", ITERATIONS, "-o", "-", "--threads", "2")
        self.assertEqual((0, text), (piped.returncode, piped.stdout.decode()))

    def test_report_needs_an_output_and_replaces_none(self):
        done = quipu("report", ITERATIONS)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"-o report.html", done.stderr)
        self.report(ITERATIONS)
        done = quipu("report", ITERATIONS, "-o", self.path("report.html"))
        self.assertEqual(5, done.returncode)

    def test_report_a_reader_who_leaves_early_is_an_output_that_failed(self):
        with subprocess.Popen([QUIPU, "report", ITERATIONS, "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertIn(process.wait(), (5, -13))


if __name__ == "__main__":
    unittest.main()
