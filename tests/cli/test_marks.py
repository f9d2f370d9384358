"""quipu convert --with: waits and the critical path as tracks and flows in drawings, one by one what the analyses count."""
import json
import random
import subprocess
import unittest

import programs
from folder import FolderTest

SEEDS = range(6)
BOTH = "waits,critical-path"
TRACKS = {"waits", "awaited", "critical path"}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def perfetto(path):
    """The marks of a file: (track name, phase, time, name, flows out, flows in)."""
    names, found = {}, []
    with open(path, "rb") as file:
        data = file.read()
    for _, packet in fields(data):
        whole = dict(fields(packet))
        if 60 in whole:
            track = dict(fields(whole[60]))
            names[track[1]] = track.get(2, b"").decode()
        if 11 not in whole:
            continue
        event = list(fields(whole[11]))
        values = dict(event)
        if names.get(values.get(11)) in TRACKS:
            found.append((names[values[11]], {1: "B", 2: "E"}[values[9]], whole[8], values.get(23, b"").decode(),
                          [value for number, value in event if number == 47], [value for number, value in event if number == 48]))
    return found


def chrome(path):
    """The same of JSON, with events of flows apart."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    return [(names[event["pid"], event["tid"]], event["ph"], round(event["ts"] * 1000), event["name"], event.get("id"))
            for event in events if event["ph"] != "M" and names[event["pid"], event["tid"]] in TRACKS]


class Marks(FolderTest):
    def draw(self, trace, target, *options, what=BOTH):
        path = self.path("drawing." + target)
        subprocess.run([programs.QUIPU, "convert", "-q", "--force", trace, "--to", target, "--with", what, "-o", path, *options],
                       check=True)
        return path

    def traces(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.random_program(numbers, numbers.randint(2, 6), 90)
            yield seed, programs.write(self.path(f"t{seed}.otf"), program)

    def test_marks_are_the_waits_and_segments_one_by_one(self):
        for seed, trace in self.traces():
            waits = programs.tables("waits", trace, "--list")["instances"]
            segments = programs.tables("critical-path", trace)["segments"]
            found = perfetto(self.draw(trace, "perfetto"))
            for name, rows in (("waits", [(row["from_ns"], row["pattern"]) for row in waits]),
                               ("critical path", [(row["from_ns"], row["region"] or "outside of regions") for row in segments])):
                self.assertEqual(sorted((time, text) for track, phase, time, text, _, _ in found if (track, phase) == (name, "B")),
                                 sorted(rows), (seed, name))
            ends = sorted(time for track, phase, time, *_ in found if (track, phase) == ("waits", "E"))
            self.assertEqual(ends, sorted(row["to_ns"] for row in waits), seed)

    def test_marks_have_flows_from_peers_and_along_the_path(self):
        for seed, trace in self.traces():
            waits = programs.tables("waits", trace, "--list")["instances"]
            segments = programs.tables("critical-path", trace)["segments"]
            expected = sum(row["peer"] is not None for row in waits) + len(segments) - 1
            found = perfetto(self.draw(trace, "perfetto"))
            out = [flow for row in found for flow in row[4]]
            into = [flow for row in found for flow in row[5]]
            self.assertEqual((len(set(out)), sorted(out)), (expected, sorted(into)), seed)
            times = {flow: row[2] for row in found for flow in row[4]}
            self.assertEqual([times[flow] for row in found for flow in row[5]], [row[2] for row in found for _ in row[5]], seed)

    def test_marks_of_chrome_are_the_same(self):
        for seed, trace in self.traces():
            slices = perfetto(self.draw(trace, "perfetto"))
            found = chrome(self.draw(trace, "chrome"))
            self.assertEqual(sorted(row[:4] for row in found if row[1] == "B"), sorted(row[:4] for row in slices if row[1] == "B"), seed)
            out = sorted(row[4] for row in found if row[1] == "s")
            self.assertEqual(len(out), sum(len(row[4]) for row in slices), seed)
            self.assertEqual(out, sorted(row[4] for row in found if row[1] == "f"), seed)

    def test_marks_of_a_track_do_not_overlap(self):
        for seed, trace in self.traces():
            with open(self.draw(trace, "chrome"), encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
            active, reached = set(), {}
            for event in events:
                track = (event["pid"], event["tid"])
                if event["ph"] not in "BE" or event.get("cat") != "mark":
                    continue
                self.assertEqual(track in active, event["ph"] == "E", seed)
                self.assertGreaterEqual(event["ts"], reached.get(track, 0), seed)
                active ^= {track}
                reached[track] = event["ts"]
            self.assertEqual(active, set(), seed)

    def test_marks_are_those_that_are_asked_for(self):
        _, trace = next(self.traces())
        for what, tracks in (("waits", {"waits", "awaited"}), ("critical-path", {"critical path"})):
            self.assertEqual({row[0] for row in perfetto(self.draw(trace, "perfetto", what=what))}, tracks)

    def test_marks_outside_of_the_selection_are_left_out(self):
        _, trace = next(self.traces())
        found = perfetto(self.draw(trace, "perfetto", "--since", "50", "--until", "200"))
        self.assertTrue(found)
        self.assertTrue(all(50 <= row[2] <= 200 for row in found))

    def test_marks_need_a_target_that_draws_and_names_that_exist(self):
        _, trace = next(self.traces())
        for options, code, text in ((["--to", "otf", "--with", "waits"], 2, b"otf has no drawing"),
                                    (["--to", "perfetto", "--with", "weather"], 2, b'nothing to draw is called "weather"')):
            done = subprocess.run([programs.QUIPU, "convert", trace, "-o", self.path("out"), *options], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)

    def test_marks_waits_in_a_list_are_those_of_the_table(self):
        for seed, trace in self.traces():
            listed = programs.tables("waits", trace, "--list")["instances"]
            added = {}
            for row in listed:
                key = tuple(row[name] for name in ("pattern", "location", "region", "peer", "communicator"))
                count, time = added.get(key, (0, 0))
                added[key] = (count + 1, time + row["time_ns"])
            rows = {}
            for row in programs.tables("waits", trace)["waits"]:
                key = tuple(row[name] for name in ("pattern", "location", "region", "peer", "communicator"))
                count, time = rows.get(key, (0, 0))
                rows[key] = (count + row["instances"], time + row["time_ns"])
            self.assertEqual(added, rows, seed)
            self.assertEqual([row["from_ns"] for row in listed], sorted(row["from_ns"] for row in listed), seed)


if __name__ == "__main__":
    unittest.main()
