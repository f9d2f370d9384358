"""Schedules in GOAL: simulated by LogGOPS they take what "quipu replay --network loggops" says, to the nanosecond and rank by rank."""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "cli"), str(pathlib.Path(__file__).parent)]
import loggops  # noqa: E402
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

SEEDS = range(int(os.environ.get("QUIPU_PROGRAMS", "12")))
NETWORKS = ({"latency": 100, "overhead": 10, "gap": 0}, {"latency": 7, "overhead": 3, "gap": 25, "per_byte": "0.5"},
            {"latency": 40, "overhead": 5, "gap": 9, "per_byte": "2.25", "overhead_per_byte": "1.5"},
            {"latency": 40, "overhead": 5, "gap": 9, "per_byte": "2.25", "overhead_per_byte": "1.5", "eager": 7})
OPTIONS = {"per_byte": "gap-per-byte", "overhead_per_byte": "overhead-per-byte"}


def run(*arguments, codes=(0,)):
    done = subprocess.run([programs.QUIPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def of_messages(program):
    """Without its collective operations, and with a receive for each send that has none."""
    collective = {f"{edge}{programs.region(name):x}" for edge in "EL" for name in programs.COLLECTIVES}
    program = [[(time, record) for time, record in events if record not in collective and not record.startswith("COP")] for events in program]
    flying = collections.Counter()
    for number, events in enumerate(program):
        for _, record in events:
            peer, tag = int(record[1:].split("L")[0], 16) - 1 if record[0] in "SR" else None, record[record.find("T"):]
            flying[(number, peer, tag) if record[0] == "S" else (peer, number, tag)] += {"S": 1, "R": -1}.get(record[0], 0)
    end = max(events[-1][0] for events in program)
    for (sender, receiver, tag), count in sorted((key, count) for key, count in flying.items() if count > 0):
        for _ in range(count):
            program[receiver].extend(programs.receive(end, end, sender, int(tag[1:tag.index("C")], 16)))
    return program


class Goal(FolderTest):
    def goal(self, trace, *options):
        return run("convert", trace, "--to", "goal", "-o", "-", "--quiet", *options)

    def report(self, trace, *options):
        pathlib.Path(self.path("report")).unlink(missing_ok=True)
        self.goal(trace, *options, "--report", self.path("report"))
        return json.loads(pathlib.Path(self.path("report")).read_text(encoding="utf-8"))

    def replayed(self, trace, network):
        """When each location ends, counted from the first event of all; None where the replay cannot go on."""
        options = [word for name, value in {"per_byte": "0", "overhead_per_byte": "0", "eager": 65535, **network}.items()
                   for word in (f"--{OPTIONS.get(name, name)}", str(value))]
        row = programs.tables("replay", trace, "--network", "loggops", *options)["replay"][0]
        if row["replayed_ns"] is None:
            return None
        out = self.path("replayed.otf")
        run("replay", trace, "--network", "loggops", *options, "-o", out, "--force", "--quiet")
        events = [json.loads(line) for line in run("cat", trace, "--json").splitlines()]
        first, ends = min(event["time_ns"] for event in events), {}
        for line in run("cat", out, "--json").splitlines():
            event = json.loads(line)
            ends[event["location"]] = max(event["time_ns"], ends.get(event["location"], 0))
        return {location: ends[location] - first for location in ends}

    def assert_ends(self, trace, what, networks=NETWORKS):
        text, compared = self.goal(trace), 0
        for network in networks:
            expected = self.replayed(trace, network)
            if expected is not None:
                compared += 1
                found = loggops.Simulation(text, **network).run()
                self.assertEqual({rank: end for rank, end in enumerate(found) if rank in expected}, expected, (what, network))
        return compared

    def test_goal_ends_are_those_of_the_replay(self):
        compared = 0
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = of_messages(programs.random_program(numbers, numbers.randint(2, 6), 90))
            compared += self.assert_ends(programs.write(self.path(f"s{seed}.otf"), program), seed)
        self.assertGreaterEqual(compared, 3 * len(SEEDS))

    def test_goal_requests_and_what_waits_for_them(self):
        compared = 0
        for case in sorted((TESTS / "data" / "analysis").glob("*/expected.json")):
            trace = json.loads(case.read_text()).get("trace")
            if not trace or case.parent.name.startswith("threads") or case.parent.name.endswith("threads"):
                continue  # locations are no ranks
            trace = str(case.parent / trace)
            found = programs.tables("waits", trace)["matching"][0]
            if found["matched"] > 0 and not found["collectives"] + found["assumed"] + found["unmatched_sends"] + found["unmatched_receives"]:
                compared += self.assert_ends(trace, case.parent.name, NETWORKS[2:])
        self.assertGreaterEqual(compared, 80)

    def collective(self, name, processes, root=None):
        """When each rank is done, with an overhead of 10 and a latency of 100."""
        program = [programs.collective(name, 0, 5, 1, root) for _ in range(processes)]
        text = self.goal(programs.write(self.path("collective.otf"), program))
        return loggops.Simulation(text, 100, 10, 0).run()

    def test_goal_collective_operations_are_messages(self):
        # Each round of a barrier and an allreduce: 10 to send, 100 on the way, 10 to receive.
        for processes, rounds in ((1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)):
            for name in ("MPI_Barrier", "MPI_Allreduce"):
                self.assertEqual(self.collective(name, processes), [rounds * 120] * processes, (name, processes))
        # Rank 0 sends to 2 until 10, to 1 until 20. Rank 2 has it at 120 and sends to 3 until 130, which has it at 240.
        self.assertEqual(self.collective("MPI_Bcast", 4, 0), [20, 130, 130, 240])
        self.assertEqual(self.collective("MPI_Bcast", 4, 1), [240, 20, 130, 130])
        # To rank 0: from 1 at 110, received until 120; from 2, which has got that of 3 until 120 and sends until 130, at 230.
        self.assertEqual(self.collective("MPI_Reduce", 4, 0), [240, 10, 130, 10])

    def test_goal_collective_operations_are_left_out_on_request_and_reported(self):
        program = [[programs.enter(0, "work"), programs.leave(7, "work"), *programs.collective("MPI_Barrier", 7, 9, 1)] for _ in range(2)]
        trace = programs.write(self.path("barrier.otf"), program)
        self.assertEqual(loggops.Simulation(self.goal(trace, "--set", "collectives=none"), 100, 10, 0).run(), [7, 7])
        for choice, outcome in (("none", "dropped"), ("messages", "approximated")):
            report = self.report(trace, "--set", f"collectives={choice}")
            row = next(row for row in report["records"] if row["type"] == "BeginCollectiveOperation")
            self.assertEqual((row["total"], row[outcome]), (2, 2), (choice, row))

    def test_goal_messages_without_their_other_end_are_left_out_and_reported(self):
        program = [programs.send(0, 1, 1) + programs.send(2, 3, 1, tag=5), programs.receive(0, 4, 0) + programs.receive(5, 6, 0, tag=9)]
        trace = programs.write(self.path("ends.otf"), program)
        self.assertEqual(loggops.Simulation(self.goal(trace), 100, 10, 0).run(), [11, 121])  # rank 0: 1 ns between its calls
        report = self.report(trace)
        dropped = {row["type"]: row["dropped"] for row in report["records"]}
        self.assertEqual((dropped["SendMsg"], dropped["RecvMsg"]), (1, 1))

    def test_goal_of_nothing_is_a_schedule(self):
        trace = programs.write(self.path("nothing.otf"), [[], []])
        self.assertEqual(self.goal(trace), "num_ranks 2\n\nrank 0 {\n}\n\nrank 1 {\n}\n")


if __name__ == "__main__":
    unittest.main()
