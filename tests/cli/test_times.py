"""Times after a conversion: of locations with events in several streams, and those that a format cannot hold."""
import json
import os
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SECOND = 10**9
DEFINITIONS = 'DTR3b9aca00\nDP1NM"one"\nDP2NM"two"\nDFG9NM"MPI"\nDF1G9NM"MPI_Barrier"\n'


def calls(process, *times):
    """Records of calls that begin and end at these times, in seconds."""
    return "".join(f"{begin * SECOND:x}\n*{process}\nE1\n{end * SECOND:x}\nL1\n" for begin, end in times)


class Times(FolderTest):
    def write(self, **streams):
        """A trace with streams of these records; each stream is said to have the process of its number."""
        texts = {"otf": "".join(f"{n}:{n}\n" for n in range(1, len(streams) + 1)), "0.def": DEFINITIONS}
        for number, text in enumerate(streams.values(), 1):
            texts[f"{number}.events"] = text
        for suffix, text in texts.items():
            with open(self.path("t." + suffix), "w", encoding="ascii") as file:
                file.write(text)
        return self.path("t.otf")

    def convert(self, trace, name, expected=0):
        """Totals of the conversion report over records of events."""
        command = [QUIPU, "convert", "-q", trace, "-o", self.path(name), "--report", self.path(name + ".report")]
        self.assertEqual(subprocess.run(command).returncode, expected)
        with open(self.path(name + ".report"), encoding="utf-8") as file:
            rows = [row for row in json.load(file)["records"] if not row["type"].startswith("Def")]
        return {name: sum(row[name] for row in rows) for name in ("total", "exact", "approximated", "dropped")}

    def enters(self, trace):
        """Nanoseconds of the calls' beginnings, by rank."""
        done = subprocess.run(
            [QUIPU, "cat", "--json", "-k", "enter", trace], check=True, capture_output=True, encoding="utf-8"
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        times = {}
        for line in lines:
            if line.get("kind") == "enter":
                times.setdefault(line["location"], []).append(line["time"])
        return list(times.values())

    def test_events_of_a_location_in_two_streams_come_in_order_of_time(self):
        # The master control file gives the process to the first one: damage, but nothing is lost.
        trace = self.write(first=calls(1, (5, 6)), second=calls(2, (1, 3)) + calls(1, (3, 4), (7, 8)))
        for name in ("t.meta", "t.chrome.json", "t.prv"):
            self.assertEqual(self.convert(trace, name, 3)["dropped"], 0, name)
        self.assertEqual(self.enters(self.path("t.meta")), [[SECOND], [3 * SECOND, 5 * SECOND, 7 * SECOND]])
        with open(self.path("t.chrome.json"), encoding="utf-8") as file:
            chrome = json.load(file)
        events = chrome["traceEvents"] if isinstance(chrome, dict) else chrome
        begins = [event["ts"] for event in events if event.get("ph") in "BX" and event.get("tid") == 0]
        self.assertEqual(begins, sorted(begins))

    def test_dumpi_holds_times_that_begin_far_from_the_origin(self):
        times = (1_000_000, 1_000_001), (1_030_000, 1_030_001), (1_060_000, 1_080_001), (1_085_000, 1_085_001)
        totals = self.convert(self.write(first=calls(1, *times)), "t.meta")
        self.assertEqual((totals["exact"], totals["total"]), (totals["total"], totals["total"]))
        enters = self.enters(self.path("t.meta"))[0]
        self.assertEqual([time - enters[0] for time in enters], [(begin - times[0][0]) * SECOND for begin, _ in times])

    def test_dumpi_says_which_times_its_seconds_of_16_bits_cannot_hold(self):
        # 70000 s after 2 s is read back as 70000 - 65536 s, and all later calls that much too early.
        totals = self.convert(self.write(first=calls(1, (1, 2), (70_000, 70_001), (70_005, 70_006))), "t.meta")
        self.assertEqual((totals["approximated"], totals["dropped"]), (2, 0))


if __name__ == "__main__":
    unittest.main()
