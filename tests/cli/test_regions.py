"""--region: calls of the chosen regions with their own leaves, and other events of a location while one is active there."""
import collections
import glob
import json
import os
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")

DEFINITIONS = ('DTR3b9aca00\nDP1NM"first"\nDP2NM"second"\nDFG1NM"code"\nDF1G1NM"main"\nDF2G1NM"solve"\nDF3G1NM"io"\n'
               'DCG1NM"c"\nDCNT1G1NM"count"P0U"#"\n')


def cat(trace, *options):
    out = subprocess.run([QUIPU, "cat", trace, "--json", "--quiet", *options], stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in out.stdout.decode().splitlines()]


class Regions(FolderTest):
    def trace(self, *records):
        """One stream with two locations: (time, location, record)."""
        files = {"t.otf": "1:1,2\n", "t.0.def": DEFINITIONS,
                 "t.1.events": "".join(f"{time:x}\n*{location}\n{record}\n" for time, location, record in records)}
        for name, text in files.items():
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        return self.path("t.otf")

    def times(self, trace, *options):
        return [event["time"] for event in cat(trace, *options)]

    def check(self, trace, expected, *options):
        """All orders and ways of reading give the same."""
        index = self.path("index")
        subprocess.run([QUIPU, "index", trace, "-o", index, "--every", "7ns", "--quiet", "--force"],
                       check=True)
        self.assertEqual(self.times(trace, *options), expected)
        self.assertEqual(self.times(trace, "--with-index", index, *options), expected)

    def test_leaves_without_region_belong_to_the_innermost_call(self):
        trace = self.trace((1, 1, "E1"), (2, 1, "E2"), (3, 1, "L0"), (4, 1, "E3"), (5, 1, "L0"), (6, 1, "L0"))
        self.check(trace, [2, 3], "-r", "solve")
        self.check(trace, [1, 6], "-r", "main")
        self.check(trace, [1, 4, 5, 6], "-r", "main,io")

    def test_other_events_pass_while_a_call_is_active(self):
        trace = self.trace((1, 1, "CNT1V1"), (2, 1, "E2"), (3, 1, "CNT1V2"), (4, 1, "E3"), (5, 1, "CNT1V3"), (6, 1, "L0"),
                           (7, 1, "CNT1V4"), (8, 1, "L0"), (9, 1, "CNT1V5"))
        self.check(trace, [2, 3, 5, 7, 8], "-r", "solve")
        self.check(trace, [4, 5, 6], "-r", "io")
        self.check(trace, [3, 5, 7], "-r", "solve", "-k", "metric")
        self.check(trace, [2, 8], "-r", "solve", "-k", "region")
        self.check(trace, [], "-r", "main")

    def test_what_stands_between_enter_and_leave_at_one_time_passes(self):
        trace = self.trace((2, 1, "CNT1V1"), (2, 1, "E2"), (2, 1, "CNT1V2"), (2, 1, "L2"), (2, 1, "CNT1V3"))
        self.assertEqual([e.get("value") for e in cat(trace, "-r", "solve")], [None, 2, None])

    def test_recursion_ends_with_the_outermost_call(self):
        trace = self.trace((1, 1, "E2"), (2, 1, "E2"), (3, 1, "CNT1V1"), (4, 1, "L2"), (5, 1, "CNT1V1"), (6, 1, "L2"),
                           (7, 1, "CNT1V1"))
        self.check(trace, [1, 2, 3, 4, 5, 6], "-r", "solve")

    def test_locations_of_one_stream_are_kept_apart(self):
        trace = self.trace((1, 1, "E2"), (2, 2, "E3"), (3, 1, "CNT1V1"), (4, 2, "CNT1V1"), (5, 2, "L0"), (6, 1, "L0"),
                           (7, 2, "CNT1V1"))
        self.check(trace, [1, 3, 6], "-r", "solve")
        self.check(trace, [2, 4, 5], "-r", "io")
        self.check(trace, [], "-r", "io", "-l", "first")

    def test_windows_do_not_change_what_is_active(self):
        trace = self.trace((1, 1, "E1"), (2, 1, "E2"), (3, 1, "CNT1V1"), (20, 1, "E3"), (21, 1, "CNT1V1"), (22, 1, "L0"),
                           (30, 1, "L0"), (31, 1, "CNT1V1"), (40, 1, "L0"))
        for since in range(0, 42, 3):
            for until in range(since + 1, 43, 4):
                window = ("--since", str(since), "--until", str(until))
                for regions, whole in (("solve", [2, 3, 21, 30]), ("io", [20, 21, 22]),
                                       ("main", [1, 3, 21, 31, 40])):
                    expected = [time for time in whole if since <= time < until]
                    self.assertEqual(self.times(trace, "-r", regions, *window), expected, (regions, window))
        self.check(trace, [21, 30], "-r", "solve", "--since", "15")
        self.check(trace, [31, 40], "-r", "main", "--since", "25", "--until", "41")

    def test_leaves_that_name_a_chosen_region_pass_without_their_enter(self):
        trace = self.trace((1, 1, "L2"), (2, 1, "L0"), (3, 1, "CNT1V1"), (4, 1, "L3"))
        self.check(trace, [1], "-r", "solve")

    def test_a_leave_ends_what_was_not_left_inside(self):
        trace = self.trace((1, 1, "E1"), (2, 1, "E2"), (3, 1, "CNT1V1"), (4, 1, "L1"), (5, 1, "CNT1V1"), (6, 1, "E3"),
                           (7, 1, "CNT1V1"), (8, 1, "L3"))
        self.assertEqual(self.times(trace, "-r", "solve"), [2, 3])
        self.assertEqual(self.times(trace, "-r", "io"), [6, 7, 8])

    def test_calls_that_are_not_left_stay_active(self):
        trace = self.trace((1, 1, "E2"), (2, 1, "E3"), (3, 1, "L0"), (4, 1, "CNT1V1"))
        self.check(trace, [1, 4], "-r", "solve")


# OTF has these events of a location in streams without calls.
OF_OTHER_STREAMS = ("marker", "summary", "snapshot")


def select(events, regions):
    """The definition, on lists: what passes of one location's events in their order."""
    active, passed = [], []
    for event in events:
        region = event.get("region")
        if event["kind"] == "enter":
            active.append(region)
            passes = region in regions
        elif event["kind"] == "leave":
            passes = region in regions if region is not None else bool(active) and active[-1] in regions
            if region is None:
                del active[-1:]
            elif region in active:
                del active[len(active) - 1 - active[::-1].index(region):]
        else:
            passes = any(r in regions for r in active)
        if passes:
            passed.append(event)
    return passed


@unittest.skipUnless(os.path.isdir(SHARED), "needs the shared traces")
class SharedTraces(FolderTest):
    TRACES = (["otf/" + name for name in ("g01", "g02", "g05", "g10", "v01", "e03", "hello_world")] +
              ["analysis/threads", "analysis/ls-waitall", "analysis/barrier-nonblocking", "analysis/delay-chain"])

    def compare(self, trace):
        events = [event for event in cat(trace) if event["kind"] not in OF_OTHER_STREAMS]
        lines = subprocess.run([QUIPU, "cat", trace, "--quiet", "-k", "enter"], stdout=subprocess.PIPE, check=False)
        entered = [event["region"] for event in events if event["kind"] == "enter"]
        names = {}
        for region, line in zip(entered, lines.stdout.decode().splitlines()):
            if region is not None:
                names.setdefault(region, line.split("enter region=")[1].split()[0])
        of_location = collections.defaultdict(list)
        for event in events:
            of_location[event["location"]].append(event)
        times = sorted(event["time"] for event in events)
        windows = [(), ("--since", str(times[len(times) // 3])),
                   ("--since", str(times[len(times) // 2]), "--until", str(times[len(times) * 3 // 4]))]
        for region, name in list(names.items())[:6]:
            passed = [event for own in of_location.values() for event in select(own, {region})]
            for window in windows:
                bounds = dict(zip(window[::2], map(int, window[1::2])))
                expected = [e for e in passed if bounds.get("--since", e["time"]) <= e["time"] and
                            e["time"] < bounds.get("--until", e["time"] + 1)]
                found = cat(trace, "-r", name, *window)
                key = json.dumps
                self.assertEqual(sorted(map(key, found)), sorted(map(key, expected)), (trace, name, window))
        return len(names)

    # needs: shared
    def test_every_region_of_every_trace(self):
        compared = 0
        for name in self.TRACES:
            for trace in glob.glob(os.path.join(SHARED, name, "*.otf")) + glob.glob(os.path.join(SHARED, name, "*.meta")):
                compared += self.compare(trace)
        self.assertGreater(compared, 20)

    # needs: shared
    def test_receives_of_g01(self):
        """Four calls of MPI_Recv, whose leaves name no region, and the message in each."""
        events = cat(os.path.join(SHARED, "otf", "g01"), "-r", "MPI_Recv")
        kinds = collections.Counter(event["kind"] for event in events)
        self.assertEqual(kinds, {"enter": 4, "leave": 4, "recv": 4})

    # needs: shared
    def test_calls_convert_with_their_own_lengths(self):
        """Process 0: 5 to 9 and 320 to 324; process 1: 8 to 25 and 323 to 340. A tick is a microsecond."""
        out = self.path("g.json")
        subprocess.run([QUIPU, "convert", os.path.join(SHARED, "otf", "g01"), "-r", "MPI_Recv", "-o", out, "--quiet"],
                       check=True)
        with open(out, encoding="utf-8") as file:
            ends = [(e["tid"], e["ts"], e["ph"]) for e in json.load(file)["traceEvents"] if e["ph"] in "BE"]
        lengths = collections.defaultdict(list)
        for process, time, phase in ends:
            lengths[process].append(-time if phase == "B" else lengths[process].pop() + time)
        self.assertEqual(sorted(lengths.values()), [[4, 4], [17, 17]])

    # needs: shared
    def test_the_report_tells_what_was_selected(self):
        """4 enters, 4 leaves and 4 receives of 211 records; the counts by record type are of all of them."""
        path = self.path("report")
        run = subprocess.run([QUIPU, "convert", os.path.join(SHARED, "otf", "g01"), "-r", "MPI_Recv", "-o",
                              self.path("g.otf"), "--report", path, "--no-attributes"], stderr=subprocess.PIPE,
                             check=True)
        self.assertRegex(run.stderr.decode(), r": 12 events selected from 211 records, lossless")
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["selected"], {"attributes": False, "events": {"enter": 4, "leave": 4, "recv": 4}})
        self.assertEqual(report["totals"]["total"], 211)
        subprocess.run([QUIPU, "convert", os.path.join(SHARED, "otf", "v01"), "--to", "chrome", "-o",
                        self.path("v.json"), "--report", path, "--force", "--quiet"], check=True)
        with open(path, encoding="utf-8") as file:
            self.assertIsNone(json.load(file)["selected"])


if __name__ == "__main__":
    unittest.main()
