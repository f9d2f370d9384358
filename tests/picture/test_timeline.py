"""What a view answers (quipu/view.h) is what the commands print: tiles are quipu timeline's, calls and messages quipu table's, waits quipu waits',
statistics quipu profile's; with an index and without."""
import csv
import io
import json
import random
import string
import unittest

from viewing import HAS_SERVER, View, programs, run, write_trace
from folder import FolderTest

DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
USES = ("useful", "mpi_p2p", "mpi_collective", "mpi_rma", "mpi_other", "mpi_io", "io", "sync", "runtime", "idle")
BINS = (80, 400, 2000)


def rows(*arguments):
    """Those of the first table."""
    return list(csv.DictReader(io.StringIO(run(*arguments, "--csv").split("\n\n")[0])))


def table(name, trace):
    return list(csv.DictReader(io.StringIO(run("table", name, trace))))


def runs(numbers):
    return [value for value, count in zip(numbers[::2], numbers[1::2]) for _ in range(count)]


def share(time, whole):
    return (2 * 63 * time + whole) // (2 * whole)


@unittest.skipUnless(HAS_SERVER, "quipu was built without civetweb")
class Timeline(FolderTest):
    def traces(self):
        """The same trace without an index and with one of many points."""
        path = write_trace(self.path("t.otf"))
        run("index", path, "-o", self.path("t.qpx"), "--count", "40")
        return {"read": ["--no-index", path], "index": ["--with-index", self.path("t.qpx"), path]}

    def each_view(self):
        for name, arguments in self.traces().items():
            with View(*arguments) as view:
                view.enter()
                about = view.ask("trace")
                self.assertEqual(about["is_indexed"], name == "index")
                yield view, about, arguments[-1]
            self.assertEqual((view.process.returncode, view.error), (0, ""))

    def check_tile(self, answer, expected, members=1):
        for row in answer["rows"]:
            cells = expected[row["row"]][answer["first"]:answer["first"] + answer["count"]]
            self.assertEqual(runs(row["calls"]), [int(cell["calls"]) for cell in cells])
            self.assertEqual(runs(row["messages"]), [int(cell["messages_sent"]) + int(cell["messages_received"]) for cell in cells])
            for use in USES:
                want = [share(int(cell[f"{use}_ns"]), members * (int(cell["to_ns"]) - int(cell["from_ns"]))) for cell in cells]
                got = [DIGITS.index(letter) for letter in row["shares"].get(use, "A" * len(cells))]
                self.assertEqual(got, want, (use, row["row"]))
            names = [answer["names"][str(region - 1)][0] if region else "" for region in runs(row["region"])]
            self.assertEqual(names, [cell["region"] for cell in cells])

    def test_tiles_are_the_bins_of_the_timeline(self):
        for view, about, trace in self.each_view():
            self.assertEqual(about["levels"]["location"][:3], list(BINS))
            for level, bins in enumerate(BINS):
                by_row = {}
                for cell in rows("timeline", trace, "--bins", bins, "--no-index"):
                    by_row.setdefault(int(cell["location"].split()[1]), []).append(cell)
                for at in range((bins + 199) // 200):
                    answer = view.ask(f"tile?by=location&level={level}&index={at}&rows=0-1,3")
                    self.assertEqual([row["row"] for row in answer["rows"]], [0, 1, 3])
                    self.check_tile(answer, by_row)
            whole = {0: rows("timeline", trace, "--bins", 80, "--by", "all", "--no-index")}
            self.check_tile(view.ask("tile?by=all&level=0&index=0&rows=0"), whole, members=5)

    def test_an_expression_narrows_tiles(self):
        for view, _, trace in self.each_view():
            by_row = {}
            for cell in rows("timeline", trace, "--bins", 400, "--no-index", "--where", "region ~ 'MPI'"):
                by_row.setdefault(int(cell["location"].split()[1]), []).append(cell)
            self.check_tile(view.ask("tile?by=location&level=1&index=1&rows=0-4&where=region+~+%27MPI%27"), by_row)
            status, _, body = view.get("/ask/0/tile?by=location&level=1&index=1&rows=0-4&where=regoin")
            self.assertEqual(status, 400)
            self.assertIn(b"regoin", body)

    def windows(self, about, count=12):
        draw = random.Random(7)
        yield 0, about["length"]
        for _ in range(count):
            begin = draw.randrange(about["length"])
            yield begin, min(about["length"], begin + 1 + draw.randrange(about["length"] // 6))

    def test_calls_are_those_of_the_table(self):
        for view, about, trace in self.each_view():
            origin = int(about["begin"])
            known = {(int(call["location_number"]), int(call["depth"]), int(call["begin_ns"]) - origin, int(call["duration_ns"]), call["region"])
                     for call in table("calls", trace)}
            for begin, end in self.windows(about):
                answer = view.ask(f"calls?from={begin}&to={end}&rows=0-4&pixels=4000")
                self.assertFalse(answer["is_too_much"])
                want = {call for call in known if call[2] <= end and call[2] + call[3] >= begin}
                got, together = set(), 0
                for row in answer["rows"]:
                    for depth, at, length, region, count, time in zip(*[iter(row["calls"])] * 6):
                        start = (row["row"], depth, answer["from"] + at)
                        if count == 0:  # it goes on behind the window
                            self.assertEqual(answer["from"] + at + length, end)
                            got |= {call for call in want if call[:3] == start and call[3] > length}
                        elif count == 1:
                            self.assertEqual(time, length)
                            got.add((*start, length, answer["names"][str(region)][0]))
                        together += max(count, 1)
                self.assertEqual(together, len(want), (begin, end))
                self.assertLessEqual(got, want)
                if answer["resolution"] <= 1:
                    self.assertEqual(got, want)

    def test_short_calls_are_put_together(self):
        for view, about, trace in self.each_view():
            answer = view.ask(f"calls?from=0&to={about['length']}&rows=2&pixels=50")
            calls = [int(call["duration_ns"]) for call in table("calls", trace) if call["location_number"] == "2"]
            spans = list(zip(*[iter(answer["rows"][0]["calls"])] * 6))
            self.assertLess(len(spans), len(calls))
            self.assertEqual(sum(count for *_, count, _ in spans), len(calls))
            self.assertEqual(sum(time for *_, time in spans), sum(calls))

    def test_messages_are_those_of_the_table(self):
        for view, about, trace in self.each_view():
            origin = int(about["begin"])
            known = {(int(message["sender_number"]), int(message["receiver_number"]), int(message["sent_ns"]) - origin,
                      int(message["received_ns"]) - origin, int(message["bytes"])) for message in table("messages", trace)}
            for begin, end in self.windows(about):
                got = {tuple(message[:5]) for message in view.ask(f"messages?from={begin}&to={end}&rows=0-4")["messages"]}
                # What is received long after the window may be missing.
                want = {message for message in known if message[2] <= end and begin <= message[3] <= end}
                self.assertLessEqual(want, got, (begin, end))
                self.assertLessEqual(got, {message for message in known if message[2] <= end and message[3] >= begin})

    def test_messages_that_are_received_later_are_counted(self):
        """Sent at 50 and received at 96, which a window up to 60 does not look for; one that is sent at 90 is never received."""
        trace = programs.write(self.path("t.otf"), [[*programs.send(50, 55, 1), *programs.send(90, 92, 1, tag=1)], programs.receive(0, 96, 0), [(100, "E1")]])
        with View(trace) as view:
            view.enter()
            for begin, end, count, in_flight in ((0, 100, 1, 1), (40, 60, 0, 1), (60, 80, 0, 1), (90, 100, 1, 1), (0, 40, 0, 0)):
                answer = view.ask(f"messages?from={begin}&to={end}&rows=0-4")
                self.assertEqual((count, in_flight), (answer["count"], answer["in_flight"]), (begin, end))

    def test_waits_and_path_are_those_of_the_analyses(self):
        for view, about, trace in self.each_view():
            origin = int(about["begin"])
            for question, command, why in (("waits", ("waits", trace, "--list"), "pattern"), ("path", ("critical-path", trace, "--table", "segments"), "reason")):
                want = sorted((int(row["location"].split()[1]), int(row["from_ns"]) - origin, int(row["to_ns"]) - origin, row[why], row["region"])
                              for row in rows(*command))
                self.assertGreater(len(want), 10)
                answer = view.ask(f"{question}?from=0&to={about['length']}&rows=0-4")
                label = lambda number: answer["labels"][number] if number >= 0 else ""  # noqa: E731
                got = sorted((location, begin, end, label(reason), label(region)) for location, begin, end, reason, region, _ in answer["stretches"])
                self.assertEqual(got, [row for row in want if row[2] > row[1]])

    def test_statistics_are_those_of_the_profile(self):
        for view, about, trace in self.each_view():
            origin = int(about["begin"])
            for begin, end in self.windows(about, 4):
                answer = view.ask(f"statistics?from={begin}&to={end}")
                want = json.loads(run("profile", trace, "--by", "region", "--since", f"{origin + begin}ns", "--until", f"{origin + end}ns", "--json"))
                self.assertEqual(answer["profile"]["rows"], want["rows"])
                answer = view.ask(f"statistics?from={begin}&to={end}&by=location&rows=1,3")
                want = json.loads(run("profile", trace, "--by", "region", "--since", f"{origin + begin}ns", "--until", f"{origin + end}ns", "--json",
                                      "--location", "1,3"))
                self.assertEqual(answer["profile"]["rows"], want["rows"])

    def test_rows_and_search(self):
        for view, _, _ in self.each_view():
            self.assertEqual(view.ask("rows")["rows"], [["location", i, f"rank {i}", 0] for i in range(5)])
            answer = view.ask("rows?first=3&count=1")
            self.assertEqual((answer["rows"], answer["total"]), ([["location", 3, "rank 3", 0]], 5))
            answer = view.ask("search?text=mpi_re")
            self.assertEqual({answer["names"][str(region)][0] for region in answer["regions"]}, {"MPI_Recv", "MPI_Reduce"})
            self.assertEqual([row[2:] for row in view.ask("search?text=RANK+2")["locations"]], [[2, "rank 2"]])

    def test_the_next_call_of_a_region(self):
        for view, about, trace in self.each_view():
            origin = int(about["begin"])
            region = next(int(number) for number, (name, _) in view.ask("search?text=MPI_Barrier")["names"].items() if name == "MPI_Barrier")
            begins = sorted(int(call["begin_ns"]) - origin for call in table("calls", trace) if call["region"] == "MPI_Barrier")
            for begin in (0, begins[3], begins[3] + 1, begins[-1] + 1):
                answer = view.ask(f"next?region={region}&from={begin}")
                want = next((at for at in begins if at >= begin), None)
                self.assertEqual(answer.get("at"), want)
                self.assertEqual(answer["is_found"], want is not None)


if __name__ == "__main__":
    unittest.main()
