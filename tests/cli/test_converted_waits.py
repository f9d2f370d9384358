"""What a conversion keeps of causal analyses, and what other times and names of processes change: on DUMPI traces that are drawn by lot, and on
real ones where they are at hand. OTF has no requests, so late receivers of non-blocking calls may differ there; ovni keeps everything."""
import collections
import os
import pathlib
import random
import re
import subprocess
import unittest

import drawn_calls
import oracle
import programs
from folder import FolderTest

SEEDS = range(int(os.environ.get("QUIPU_CONVERTED", "8")))
REAL = oracle.ORACLE.parent.parent / "traces/dumpi"
NAMES = {"otf": "x.otf", "ovni": "x"}  # formats that are in every build
KEYS = ("pattern", "location", "region", "path", "communicator", "peer", "instances", "time_ns", "max_ns")
DELAYS = ("location", "path", "short_ns", "long_ns")
SEGMENTS = ("from_ns", "to_ns", "location", "region", "reason")
COMMANDS = (("waits",), ("waits", "--causes"), ("critical-path",), ("efficiency",), ("imbalance",), ("comm",), ("phases",))


def rows(table, columns=KEYS):
    return collections.Counter(tuple(row[name] for name in columns) for row in table)


def answers(trace):
    """What must be the same: waits, their causes, and the critical path from its beginning on."""
    waits, causes = programs.tables("waits", trace), programs.tables("waits", trace, "--causes")
    segments = programs.tables("critical-path", trace)["segments"]
    begin = segments[0]["from_ns"] if segments else 0
    segments = [dict(segment, from_ns=segment["from_ns"] - begin, to_ns=segment["to_ns"] - begin) for segment in segments]
    return waits["matching"], rows(waits["waits"]), rows(causes["delays"], DELAYS), rows(segments, SEGMENTS)


class ConvertedWaits(FolderTest):
    def drawn(self, offset=0, calls=(60, 200), **options):
        for seed in SEEDS:
            numbers = random.Random(50000 + offset + seed)
            yield seed, drawn_calls.DrawnCalls(numbers, numbers.choice((2, 3, 4, 6)), numbers.choice(calls), **options).draw()

    def write(self, name, drawn):
        return drawn_calls.write(self.path(name + ".meta"), drawn)

    def convert(self, trace, target):
        output = self.path(NAMES.get(target, "x.otf2"))
        subprocess.run([programs.QUIPU, "convert", "-q", "--force", trace, "--to", target, "-o", output], check=True)
        return output

    # ---- Conversions ----

    def test_converted_to_otf_blocking_calls_wait_as_before(self):
        found = collections.Counter()
        for seed, drawn in self.drawn(is_blocking=True):
            trace = self.write("t", drawn)
            for expected, other in zip(answers(trace), answers(self.convert(trace, "otf"))):
                self.assertEqual(expected, other, seed)
            found.update(row["pattern"] for row in programs.tables("waits", trace)["waits"])
        self.assertTrue({"late-sender", "late-receiver", "wait-at-barrier"} <= set(found), found)

    def test_converted_to_otf_all_but_late_receivers_of_requests_wait_as_before(self):
        for seed, drawn in self.drawn(1000, is_exact=True):
            trace = self.write("t", drawn)
            one, other = (programs.tables("waits", path) for path in (trace, self.convert(trace, "otf")))
            self.assertEqual(one["matching"], other["matching"], seed)
            for waits in (one, other):
                waits["waits"] = [row for row in waits["waits"] if row["pattern"] != "late-receiver"]
            self.assertEqual(rows(one["waits"]), rows(other["waits"]), seed)

    def test_converted_posts_that_are_lost_are_noted(self):
        """DUMPI says when a receive is posted, OTF does not; without any such call there is nothing to say."""
        note = "the trace does not say when non-blocking receives are posted: late receivers of them cannot be told"
        for is_blocking, expected in ((False, True), (True, False)):
            numbers = random.Random(7)
            trace = self.write("t", drawn_calls.DrawnCalls(numbers, 3, 80, is_blocking=is_blocking, is_exact=True).draw())
            for command in ("waits", "why"):
                said = [subprocess.run([programs.QUIPU, command, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
                        for path in (trace, self.convert(trace, "otf"))]
                self.assertEqual([note in " ".join(text.split()) for text in said], [False, expected], (command, said))

    def test_converted_to_ovni_all_calls_wait_as_before(self):
        """Without threads: collective operations that two of them begin at one time are in the order of their numbers, which are others there."""
        for seed, drawn in self.drawn(2000, has_threads=False):
            trace = self.write("t", drawn)
            self.assertEqual(answers(trace), answers(self.convert(trace, "ovni")), seed)

    def test_converted_to_otf2_receives_stand_in_the_order_of_posting(self):
        """OTF2 says of a posted receive only its request; and it does not hold receives whose sender or tag is not known."""
        count = 0
        for seed, drawn in self.drawn(7000):
            trace = self.write("t", drawn)
            copy = self.convert(trace, "otf2")
            if subprocess.run([programs.QUIPU, "info", copy], capture_output=True, check=False).returncode != 0:
                self.skipTest("built without libotf2")
            expected, found = answers(trace)[:2], answers(copy)[:2]
            if expected[0][0]["receives"] == found[0][0]["receives"] and expected[0][0]["assumed"] == 0:
                self.assertEqual(expected, found, seed)
                count += 1
        self.assertGreater(count, 0)

    def test_converted_inter_communicators_match_and_are_not_evaluated(self):
        count = 0
        for seed, drawn in self.drawn(3000, is_blocking=True, has_threads=False):
            if drawn.has_sides:
                trace = self.write("t", drawn)
                copy = self.convert(self.convert(trace, "ovni"), "otf")
                listed = [[row for row in programs.tables("definitions", path)["communicators"] if row["remote_size"]] for path in (trace, copy)]
                names = [[(row["name"], row["members"], row["remote_members"]) for row in found] for found in listed]
                self.assertIn(names[1], (names[0], []), seed)  # communicators that nothing uses are not written
                self.assertEqual(answers(trace), answers(copy), seed)
                count += len(names[1])
        self.assertGreater(count, 0)

    def test_other_sides_are_groups_that_are_defined(self):
        """A group with the key-value remote_group is one side of an inter-communicator where the value names a group with members."""
        for value, sizes in (("3", [1, 0]), ("0", [0, 0]), ("7", [0, 0]), ("4", [0, 0, 0]), ("ffffffff", [0, 0])):
            for name, text in (("s.otf", "1:1\n2:2\n"), ("s.1.events", "5\n*1\n"), ("s.2.events", "5\n*2\n"),
                               ("s.0.def", 'DTR3b9aca00\nDP1NM"one"\nDP2NM"two"\nK9Y6V' + value + '\nDPG2M1,NM"MPI left"\nDPG3M2,NM"MPI right"\n' +
                                ('DPG4MNM"MPI none"\n' if value == "4" else "") + 'DK9Y6NM"remote_group"T""\n')):
                with open(self.path(name), "w", encoding="ascii") as file:
                    file.write(text)
            found = programs.tables("definitions", self.path("s.otf"))["communicators"]
            self.assertEqual(sizes, [row["remote_size"] or 0 for row in found], value)

    # ---- Times, names, threads ----

    def timed(self, drawn, change):
        drawn.calls = [[(change(begin), change(end), *rest) for begin, end, *rest in calls] for calls in drawn.calls]
        return drawn

    def test_converted_times_that_are_shifted_change_no_wait(self):
        for seed, drawn in self.drawn(4000):
            before = answers(self.write("t", drawn))
            behind = answers(self.write("u", self.timed(drawn, lambda time: time + 1234567)))
            self.assertEqual(before, behind, seed)

    def test_converted_times_that_are_scaled_scale_all_waits(self):
        for seed, drawn in self.drawn(5000):
            before = answers(self.write("t", drawn))
            behind = answers(self.write("u", self.timed(drawn, lambda time: time * 7)))
            self.assertEqual(before[0], behind[0], seed)
            self.assertEqual(collections.Counter({(*row[:7], row[7] * 7, row[8] * 7): count for row, count in before[1].items()}), behind[1], seed)
            self.assertEqual(collections.Counter({(row[0] * 7, row[1] * 7, *row[2:]): count for row, count in before[3].items()}), behind[3], seed)

    def test_converted_threads_change_nothing(self):
        for seed, drawn in self.drawn(6000):
            trace = self.write("t", drawn)
            for name, *options in COMMANDS:
                one, two = (programs.tables(name, trace, *options, "--threads", count) for count in ("1", "2"))
                self.assertEqual(one, two, (seed, name, options))

    # ---- Real traces ----

    # needs: shared
    @unittest.skipUnless(REAL.exists(), "needs real traces")
    def test_converted_real_traces(self):
        count = 0
        for trace in sorted(REAL.glob("*/*.meta")):
            try:
                expected = programs.tables("waits", trace)
            except AssertionError:  # a rank is not there
                continue
            if expected["waits"]:
                self.is_as_before(trace, expected)
                self.times_may_change(trace, expected)
                count += 1
        self.assertGreater(count, 10)

    def is_as_before(self, trace, expected):
        posts = {row["region"] for row in programs.tables("profile", str(trace), "--by", "region")["profile"]} & {"MPI_Irecv", "MPI_Recv_init"}
        for target in NAMES:
            found = programs.tables("waits", self.convert(str(trace), target))
            self.assertEqual(found["matching"], expected["matching"], (trace, target))
            without = {"late-receiver"} if posts and target != "ovni" else set()
            self.assertEqual(*(rows(row for row in answer["waits"] if row["pattern"] not in without) for answer in (found, expected)), (trace, target))

    def times_may_change(self, trace, expected):
        """Times stand in lines of their own in OTF."""
        copy = self.convert(str(trace), "otf")
        plain = rows(programs.tables("waits", copy)["waits"])
        for change, factor in ((lambda time: time + 999, 1), (lambda time: time * 3, 3)):
            self.convert(str(trace), "otf")
            for events in pathlib.Path(self.folder).glob("x.*.events"):
                text = events.read_text(encoding="ascii")
                events.write_text(re.sub(r"(?m)^[0-9a-f]+$", lambda found: f"{change(int(found[0], 16)):x}", text), encoding="ascii")
            found = programs.tables("waits", copy)
            self.assertEqual(found["matching"], expected["matching"], trace)
            self.assertEqual(rows(found["waits"]), collections.Counter({(*row[:7], row[7] * factor, row[8] * factor): count for row, count in plain.items()}), trace)


if __name__ == "__main__":
    unittest.main()
