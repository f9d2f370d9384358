"""Analyses of traces in which much is under way at one time: right answers within --max-memory, with a temporary file for what does not
fit, or a limit that is exceeded, never more memory than allowed."""
import os
import random
import re
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

    def run_within(self, words, limit, temporary=None):
        """A command within a limit of memory, verbose."""
        options = ["--max-memory", str(limit), "--verbose"] + (["--max-temporary", str(temporary)] if temporary else [])
        environment = dict(os.environ, TMPDIR=self.folder_for_temporaries())
        return subprocess.run([programs.QUIPU, *words, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=environment)

    def folder_for_temporaries(self):
        os.makedirs(self.path("temporary"), exist_ok=True)
        return self.path("temporary")

    def assert_limited(self, command, trace, limit):
        """The command says that memory is out, and what to do, where the temporary file must be small, and has taken no more."""
        done = self.run_within([command, trace], limit, temporary=300000)
        self.assertEqual((done.returncode, done.stdout), (6, b""), command)
        self.assertIn(b"raise the memory limit", done.stderr, command)
        self.assertIn(b"would need more than 300000 bytes", done.stderr, command)
        self.assertIn(b"set TMPDIR to a folder with more space", done.stderr, command)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        code, peak = peak_of(command, trace, "--max-memory", limit, "--max-temporary", "300000")
        self.assertEqual(code, 6)
        if not is_sanitized():
            self.assertLess(peak, limit + OF_THE_PROGRAM, command)

    def assert_spills(self, words, limit):
        """The answer within a limit of memory, with a temporary file, is that without, to the last byte; and nothing is left of the file."""
        whole = subprocess.run([programs.QUIPU, *words, "--max-memory", "8G"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(whole.returncode, 0, words)
        done = self.run_within(words, limit)
        said = re.search(rb"([\d.]+) MB of memory in a temporary file", done.stderr)
        self.assertTrue(said and float(said[1]) > 0, (words, done.stderr))
        self.assertEqual((done.returncode, done.stdout), (0, whole.stdout), words)
        self.assertEqual(os.listdir(self.path("temporary")), [])

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

    def test_in_flight_messages_beyond_the_ceiling_lie_in_a_file(self):
        trace = self.unreceived(100000)
        for command in ("waits", "critical-path", "efficiency", "clock", "replay", "why", "comm"):
            for threads in "1", "2":
                self.assert_spills([command, trace, "--json", "--threads", threads], 4 << 20)

    def late_messages(self, count, processes):
        """All send before all receive, in another order for each tag, in calls: receives wait for nothing, late sends wait."""
        numbers = random.Random(7)
        send, receive = programs.region("MPI_Send"), programs.region("MPI_Recv")
        events = []
        for i in range(count):
            sender = i % processes
            receiver = (sender + 1 + numbers.randrange(processes - 1)) % processes
            tag, sent, received = numbers.randrange(4), 4 * i, 4 * count + 4 * i + 4 * numbers.randrange(100)
            events.append((sent, f"*{sender + 1:x}\nE{send:x}\nS{receiver + 1:x}L8T{tag:x}C63\n"))
            events.append((sent + 1, f"*{sender + 1:x}\nL{send:x}\n"))
            events.append((received, f"*{receiver + 1:x}\nE{receive:x}\nR{sender + 1:x}L8T{tag:x}C63\nL{receive:x}\n"))
        events.sort(key=lambda event: event[0])
        return self.write(processes, [f"{time:x}\n{text}" for time, text in events])

    def test_in_flight_calls_and_messages_beyond_the_ceiling_lie_in_a_file(self):
        trace = self.late_messages(20000, 5)
        for words in (["waits"], ["waits", "--causes"], ["waits", "--list"], ["critical-path"], ["efficiency"], ["comm"],
                      ["clock"], ["replay"], ["replay", "--network", "loggops"], ["replay", "--network", "ideal"], ["why"]):
            for threads in "1", "2":
                self.assert_spills([*words, trace, "--json", "--threads", threads], 2 << 20)

    def test_in_flight_logs_of_waits_beyond_the_ceiling_lie_in_a_file(self):
        """Two processes wait for each other by turns, without any operation of all: the log is as long as the trace."""
        send, receive = programs.region("MPI_Send"), programs.region("MPI_Recv")
        lines = []
        for i in range(20000):
            sender, receiver = i % 2 + 1, 2 - i % 2
            lines.append(f"{20 * i:x}\n*{receiver}\nE{receive:x}\n{20 * i + 9 + i % 5:x}\n*{sender}\nE{send:x}\nS{receiver}L8T0C63\n"
                         f"L{send:x}\n{20 * i + 16:x}\n*{receiver}\nR{sender}L8T0C63\nL{receive:x}\n")
        trace = self.write(2, lines)
        for words in (["waits", "--causes"], ["waits", "--list"], ["critical-path"], ["why"]):
            for threads in "1", "2":
                self.assert_spills([*words, trace, "--json", "--threads", threads], 1 << 20)

    def test_in_flight_memory_in_a_file_counts_as_such(self):
        """An eighth of what is allowed may be mapped, and more until a thread has seen that: on a machine with much else to do that may
        take a while, so the best of some runs counts."""
        if is_sanitized():
            self.skipTest("sanitizers have memory of their own")
        trace = self.unreceived(400000)
        peaks = []
        while len(peaks) < 5 and (not peaks or peaks[-1] >= (8 << 20) + 2 * OF_THE_PROGRAM):
            code, peak = peak_of("waits", trace, "--max-memory", 8 << 20)
            self.assertEqual(code, 0)
            peaks.append(peak)
        self.assertLess(min(peaks), (8 << 20) + 2 * OF_THE_PROGRAM)

    def test_in_flight_messages_need_a_folder_for_the_file(self):
        trace = self.unreceived(100000)
        done = subprocess.run([programs.QUIPU, "waits", trace, "--max-memory", "4M"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env=dict(os.environ, TMPDIR=self.path("none")))
        self.assertEqual((done.returncode, done.stdout), (6, b""))
        self.assertIn(b"the temporary file in " + self.path("none").encode(), done.stderr)

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
            self.assert_limited(command, trace, 5 << 20)

    def test_in_flight_clocks_of_many_locations_that_end_too_early_are_counted(self):
        """Barriers of 4095 that end at 5, before the last process begins: each of its beginnings comes after 4095 ends."""
        trace = self.late("MPI_Barrier", 4096, 3, -1)
        for least, expected in (("0", 3 * 4095), ("6", 3 * (4095 + 4095 * 4094))):
            [row] = programs.tables("clock", trace, "--l-min", least)["clock"]
            self.assertEqual(row["collective_violations"], expected, least)


if __name__ == "__main__":
    unittest.main()
