"""Analyses of traces in which much is under way at one time: right answers, or a limit that is exceeded, never more memory than allowed."""
import subprocess
import unittest

import programs
from folder import FolderTest
from peak import OF_THE_PROGRAM, is_sanitized, peak_of


class InFlight(FolderTest):
    def write(self, processes, lines):
        """A trace with all processes in one stream; lines: its records."""
        with open(self.path("t.otf"), "w", encoding="ascii") as file:
            file.write("1:" + ",".join(f"{i + 1:x}" for i in range(processes)) + "\n")
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write(programs.definitions(processes))
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.writelines(lines)
        return self.path("t.otf")

    def assert_limited(self, command, trace, limit):
        """The command says that memory is out, and has taken no more."""
        done = subprocess.run([programs.QUIPU, command, trace, "--max-memory", str(limit)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (6, b""), command)
        self.assertIn(b"raise the memory limit", done.stderr, command)
        code, peak = peak_of(command, trace, "--max-memory", limit)
        self.assertEqual(code, 6)
        if not is_sanitized():
            self.assertLess(peak, limit + OF_THE_PROGRAM, command)

    def unreceived(self, count):
        def lines():
            for i in range(count):
                yield f"{i:x}\n*1\nS2L8T0C63\n"
        return self.write(2, lines())

    def test_in_flight_messages_without_receives_are_counted(self):
        trace = self.unreceived(100000)
        [row] = programs.tables("waits", trace, "--max-memory", "64M")["matching"]
        self.assertEqual((row["sends"], row["matched"], row["unmatched_sends"]), (100000, 0, 100000))

    def test_in_flight_messages_beyond_the_ceiling_are_a_limit(self):
        trace = self.unreceived(100000)
        for command in ("waits", "critical-path", "efficiency", "clock", "replay", "why"):
            self.assert_limited(command, trace, 4 << 20)

    def test_in_flight_messages_are_received_long_after(self):
        """Message i is sent at i and received at 20000 + i: calls without length do not wait."""
        count = 20000
        trace = self.write(2, [f"{i:x}\n*1\nS2L8T0C63\n" for i in range(count)] +
                           [f"{count + i:x}\n*2\nR1L8T0C63\n" for i in range(count)])
        [row] = programs.tables("comm", trace)["pairs"]
        self.assertEqual((row["messages"], row["min_ns"], row["max_ns"], row["mean_ns"]), (count, count, count, count))
        [row] = programs.tables("waits", trace)["matching"]
        self.assertEqual((row["matched"], row["unmatched_sends"], row["unmatched_receives"]), (count, 0, 0))

    def late(self, name, processes, steps, root):
        """Operations that all have ended, one process excepted, when it comes: it enters them from 10000 on, others from 0 on, each for 5."""
        kind = programs.COLLECTIVES[name][0]
        region = programs.region(name)
        lines = []
        for step in range(steps):
            for begin, some in ((10 * step, range(processes - 1)), (10000 + 10 * step, (processes - 1,))):
                for time, record in ((begin, f"E{region:x}"), (begin, f"COPB{kind:x}H{step:x}C63RT{root + 1:x}S8R8"),
                                     (begin + 5, f"COPE{step:x}"), (begin + 5, f"L{region:x}")):
                    lines.append((time, "".join(f"*{process + 1:x}\n{record}\n" for process in some)))
        lines.sort(key=lambda line: line[0])
        return self.write(processes, [f"{time:x}\n{text}" for time, text in lines])

    def test_in_flight_operations_with_one_late_location_are_complete(self):
        """Broadcasts by the first process: no waiting. Barriers, which cannot go like that: all others wait as long as they are in
        them, and the last one leaves long after the first."""
        for name, root, expected in (("MPI_Bcast", 0, []), ("MPI_Barrier", -1, [("wait-at-barrier", 4095 * 12, 5 * 4095 * 12),
                                                                                 ("barrier-completion", 12, 5 * 12)])):
            trace = self.late(name, 4096, 12, root)
            found = programs.tables("waits", trace, "--by", "pattern")
            self.assertEqual((found["matching"][0]["collectives"], found["matching"][0]["complete"]), (12, 12))
            self.assertEqual([(row["pattern"], row["instances"], row["time_ns"]) for row in found["waits"]], expected, name)

    def test_in_flight_operations_beyond_the_ceiling_are_a_limit(self):
        trace = self.late("MPI_Bcast", 4096, 12, 0)
        for command in ("waits", "critical-path", "efficiency", "clock"):
            self.assert_limited(command, trace, 6 << 20)

    def test_in_flight_clocks_of_many_locations_that_end_too_early_are_counted(self):
        """Barriers of 4095 that end at 5, before the last process begins: each of its beginnings comes after 4095 ends."""
        trace = self.late("MPI_Barrier", 4096, 3, -1)
        for least, expected in (("0", 3 * 4095), ("6", 3 * (4095 + 4095 * 4094))):
            [row] = programs.tables("clock", trace, "--l-min", least)["clock"]
            self.assertEqual(row["collective_violations"], expected, least)


if __name__ == "__main__":
    unittest.main()
