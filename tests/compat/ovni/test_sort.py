"""ovnisort against the definition of sorting, event by event: how far it looks back, long regions, jumbo events, both orders of bytes; and
what it does not touch."""
import gzip
import random
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cli"))
from ovni_trace import HEADER, begin, end, event, jumbo, metadata  # noqa: E402
from peak import is_sanitized, peak_of  # noqa: E402
from test_emulation import TOOLS, Case, one  # noqa: E402


def clock_of(packed):
    return struct.unpack_from("<q", packed, 4)[0]


def sorted_by_definition(events, look_back):
    """The events sorted, or None where a region reaches too far back."""
    events, state, first = list(events), "outside", 0
    for i, packed in enumerate(list(events)):
        code = events[i][1:4]
        if state == "outside":
            state = "unknown" if code == b"OU[" else state
        elif state == "unknown":
            state, first = ("outside", 0) if code == b"OU]" else ("inside", i)
        elif code == b"OU]":
            least = min(clock_of(one) for one in events[first:i])
            reach = range(i - 1, max(i - look_back, -1), -1)
            found = next((d for d in reach if clock_of(events[d]) < least), None)
            if found is None and i >= look_back - 1:
                return None
            found = found or 0
            events[found:i] = sorted(events[found:i], key=clock_of)
            state = "outside"
    return events


def made(seed, count=80, region=6, disorder=0.0):
    """Events with regions that reach back; some are jumbo events, some clocks equal."""
    rng = random.Random(seed)
    clock, events = 100, [begin(100)]
    while len(events) < count:
        clock += rng.choice((0, 1, 1, 2, 3)) - (7 if rng.random() < disorder else 0)
        if rng.random() < 0.15:
            events.append(event("OU[", clock))
            for _ in range(rng.randint(0, region)):
                late = clock - rng.randint(-2, 40)
                events.append(event("KCO", late) if rng.random() < 0.7 else jumbo("OUj", late, bytes(rng.randint(0, 40))))
            clock += 3
            events.append(event("OU]", clock))
        else:
            events.append(jumbo("OUj", clock, bytes(rng.randint(0, 40))) if rng.random() < 0.2 else event("OB.", clock))
    return [*events, end(clock)]


class Sort(Case):
    def stream(self, name, events):
        trace = self.trace(one(*events, models=("ovni", "kernel")), name)
        return trace, next(trace.rglob("stream.obs"))

    def assert_sorted(self, name, events, look_back=1000000):
        trace, stream = self.stream(name, events)
        before = stream.read_bytes()
        done = self.run_tool("ovnisort", "-n", look_back, trace)
        expected = sorted_by_definition(events, look_back)
        if expected is None:
            self.assertEqual(1, done.returncode, name)
            self.assertRegex(done.stderr, f"cannot find a event previous to clock -?[0-9]+ within {look_back} events")
            self.assertEqual(before, stream.read_bytes())
        else:
            self.assertEqual((0, name), (done.returncode, name), done.stderr)
            self.assertEqual(HEADER + b"".join(expected), stream.read_bytes(), name)
        return expected is not None

    def test_how_far_it_looks_back_is_as_defined(self):
        verdicts = set()
        for seed in range(30):
            for look_back in (5, 12, 20, 33, 60):
                verdicts.add(self.assert_sorted(f"s{seed}n{look_back}", made(seed, disorder=0.02 * (seed % 3)), look_back))
        self.assertEqual({True, False}, verdicts)

    def test_long_regions_are_sorted_as_defined(self):
        """Longer than what is sorted by insertion, and than what is read at a time; and many that reach back over each other."""
        for seed, (count, region) in enumerate(((4000, 1500), (3000, 40), (60000, 6), (60000, 1))):
            self.assert_sorted(f"long{seed}", made(seed, count, region))
        rng = random.Random(5)
        late = [jumbo("OUj", rng.randint(10, 70000), bytes(rng.randint(0, 60))) for _ in range(60000)]
        events = [begin(1), *[event("OB.", 10 + i) for i in range(70000)], event("OU[", 80000), *late, event("OU]", 80001), end(80002)]
        self.assert_sorted("span", events)

    @unittest.skipIf(is_sanitized(), "sanitizers have memory of their own")
    def test_memory_does_not_grow_with_the_stream(self):
        """500,000 events are 6 MB; a list of them, and the file twice, would be 24 MB."""
        peaks = []
        for count in (1000, 500000):
            for kind, region in (("ordered", []), ("late", [("OU[", 0), ("KCO", -300), ("KCI", -290), ("OU]", 0)])):
                events = []
                for clock in range(1000, 1000 + 10 * count, 10):
                    events.append(event("OB.", clock))
                    if clock % 500 == 0:
                        events += [event(code, clock + back) for code, back in region]
                trace, _ = self.stream(f"{kind}{count}", [begin(1), *events, end(1000 + 10 * count)])
                code, peak = peak_of(trace, program=TOOLS / "ovnisort")
                self.assertEqual(0, code)
                peaks.append(peak)
        self.assertLess(max(peaks) - min(peaks), 4 << 20, peaks)

    def test_streams_of_the_other_order_of_bytes_are_sorted(self):
        def big(clock, code):
            return struct.pack(">B3sQ", 0, code, clock)

        def big_jumbo(clock, size):
            return struct.pack(">B3sQI", 0x13, b"OUj", clock, size) + bytes(size)

        first, late, last = big(300, b"OB."), big_jumbo(299, 258), big(400, b"OB.")
        head, tail = big(350, b"OU["), big(360, b"OU]")
        trace = self.trace([(metadata(11), b"ovni\0\0\0\1" + first + head + late + tail + last)])
        self.assert_runs("ovnisort", trace)
        self.assertEqual(b"ovni\0\0\0\1" + late + first + head + tail + last, next(trace.rglob("stream.obs")).read_bytes())

    def test_an_event_in_order_writes_nothing(self):
        trace, stream = self.stream("ordered", [begin(1), event("OU[", 5), event("KCO", 6), event("KCI", 7), event("OU]", 7), end(9)])
        stream.chmod(0o444)
        time = stream.stat().st_mtime_ns
        self.assert_runs("ovnisort", trace)
        self.assertEqual(time, stream.stat().st_mtime_ns)

    def test_streams_whose_file_has_other_offsets_stay_as_they_are(self):
        """Compressed ones, and those of killed programs, the rest of which is in a buffer beside them."""
        events = [begin(10), event("OB.", 25), event("OU[", 50), event("KCO", 20), event("OU]", 60), end(70)]
        trace, packed = self.stream("packed", events)
        packed.write_bytes(gzip.compress(HEADER + b"".join(events)))
        killed, stream = self.stream("killed", events)
        base = len(HEADER) + sum(map(len, events[:2]))
        used = b"".join(events[2:])
        stream.write_bytes(stream.read_bytes()[:base])
        stream.with_name("stream.obs.ring").write_bytes(struct.pack("=8sIIQQQ", b"quipring", 1, 4096, 1 << 16, base, len(used)).ljust(4096, b"\0") + used)
        for folder, path in ((trace, packed), (killed, stream)):
            before = path.read_bytes()
            done = self.run_tool("ovnisort", folder)
            self.assertEqual(1, done.returncode)
            self.assertIn("compressed or was not completed", done.stderr)
            self.assertEqual(before, path.read_bytes())


if __name__ == "__main__":
    unittest.main()
