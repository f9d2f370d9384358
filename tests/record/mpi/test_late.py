"""Recorded programs in each of which one rank is late: the pattern is what was built in, and why names the late rank and its region first."""
import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import PROGRAMS, QUIPU, RANKS, SOURCE, MpiTest, rank_of  # noqa: E402

MILLISECONDS = 150
TOLERANCE_NS = 10_000_000
ATTEMPTS = 3
OTHERS, BEHIND, BEFORE, BEHIND_ALL, HIGHER = "others", "behind", "before", "behind all", "higher"
THREE = "others but the last"

# scenario: pattern, who waits for the late rank, and in which call
SCENARIOS = {
    "send": ("late-sender", BEHIND, "MPI_Recv"),
    "isend": ("late-sender", BEHIND, "MPI_Wait"),
    "persistent": ("late-sender", BEHIND, "MPI_Wait"),
    "waitany": ("late-sender", BEHIND, "MPI_Waitany"),
    "waitsome": ("late-sender", BEHIND, "MPI_Waitsome"),
    "sendrecv": ("late-sender", BEHIND, "MPI_Sendrecv"),
    "same_order": ("late-sender-wrong-order-same-source", BEHIND, "MPI_Recv"),
    "other_order": ("late-sender-wrong-order-different-source", BEHIND, "MPI_Recv"),
    "ssend": ("late-receiver", BEFORE, "MPI_Ssend"),
    "chain": ("late-sender", BEHIND_ALL, "MPI_Recv"),
    "barrier": ("wait-at-barrier", OTHERS, "MPI_Barrier"),
    "allreduce": ("wait-at-nxn", OTHERS, "MPI_Allreduce"),
    "alltoall": ("wait-at-nxn", OTHERS, "MPI_Alltoall"),
    "bcast": ("late-broadcast", OTHERS, "MPI_Bcast"),
    "reduce": ("early-reduce", BEHIND, "MPI_Reduce"),
    "gather": ("early-reduce", BEHIND, "MPI_Gather"),
    "gatherv": ("early-reduce", BEHIND, "MPI_Gatherv"),
    "scatterv": ("late-broadcast", THREE, "MPI_Scatterv"),
    "reduce_late_root": ("wait-at-barrier", OTHERS, "MPI_Barrier"),
    "gather_late_root": ("wait-at-barrier", OTHERS, "MPI_Barrier"),
    "comm_dup": ("wait-at-constructor", OTHERS, "MPI_Comm_dup"),
    "cart": ("wait-at-constructor", OTHERS, "MPI_Cart_create"),
    "win_create": ("wait-at-constructor", OTHERS, "MPI_Win_create"),
    "file_open": ("wait-at-collective-io", OTHERS, "MPI_File_open"),
    "iscatter": ("late-broadcast", OTHERS, "MPI_Wait"),
    "iallgather": ("wait-at-nxn", OTHERS, "MPI_Wait"),
    "scan": ("early-scan", HIGHER, "MPI_Scan"),
    "exscan": ("early-scan", HIGHER, "MPI_Exscan"),
    "scatter": ("late-broadcast", OTHERS, "MPI_Scatter"),
    "fence": ("wait-at-fence", OTHERS, "MPI_Win_fence"),
    "split": ("wait-at-constructor", OTHERS, "MPI_Comm_split"),
    "dup": ("wait-at-constructor", OTHERS, "MPI_Comm_dup_with_info"),
    "split_type": ("wait-at-barrier", THREE, "MPI_Barrier"),
    "create_group": ("wait-at-constructor", THREE, "MPI_Comm_create_group"),
    "group_barrier": ("wait-at-barrier", THREE, "MPI_Barrier"),
    "graph": ("late-broadcast", OTHERS, "MPI_Bcast"),
    "write_all": ("wait-at-collective-io", OTHERS, "MPI_File_write_all"),
    "finalize": ("wait-at-finalize", OTHERS, "MPI_Finalize"),
    "reduce_scatter_block": ("wait-at-nxn", OTHERS, "MPI_Reduce_scatter_block"),
    "ibarrier": ("wait-at-barrier", OTHERS, "MPI_Wait"),
    "ibcast": ("late-broadcast", OTHERS, "MPI_Wait"),
    "ireduce": ("early-reduce", BEHIND, "MPI_Wait"),
    "iallreduce": ("wait-at-nxn", OTHERS, "MPI_Waitall"),
    "ialltoallv": ("wait-at-nxn", OTHERS, "MPI_Wait"),
    "igatherv": ("early-reduce", BEHIND, "MPI_Wait"),
    "probe": ("late-sender", BEHIND, "MPI_Probe"),
    "mprobe": ("late-sender", BEHIND, "MPI_Mprobe"),
    "imrecv": ("late-sender", BEHIND, "MPI_Mprobe"),
}


def waiting_for(late, who):
    """{rank that waits: the rank that it waits for}"""
    if who == BEHIND_ALL:  # each for the one before it
        return {(late + i) % RANKS: (late + i - 1) % RANKS for i in range(1, RANKS)}
    ranks = {BEHIND: [(late + 1) % RANKS], BEFORE: [(late + RANKS - 1) % RANKS], HIGHER: range(late + 1, RANKS),
             THREE: [(late + 1) % RANKS, (late + 2) % RANKS], OTHERS: [rank for rank in range(RANKS) if rank != late]}[who]
    return {rank: late for rank in ranks}


class Late(MpiTest):
    def tables(self, *command):
        answer = self.quipu_json(*command)
        return {table["table"]: [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
                for table in answer.get("tables", [answer])}

    def record_scenario(self, mpi, program, scenario, late):
        """The trace, and when each rank was ready."""
        done = self.record("run", *mpi.launch(program, scenario, late, MILLISECONDS), options=("--force",))
        self.assertEqual(0, done.returncode, done.stderr)
        ready = dict(map(int, line.split()) for line in done.stdout.decode().splitlines())
        self.assertEqual(RANKS, len(ready))
        return self.path("run/trace.meta"), ready

    def names_what_was_built_in(self, mpi, program, scenario, late):
        pattern, who, call = SCENARIOS[scenario]
        trace, ready = self.record_scenario(mpi, program, scenario, late)
        self.assert_sound(trace)
        found = self.tables("waits", trace)
        waits = {rank_of(row["location"]): row for row in found["waits"]
                 if (row["pattern"], row["region"]) == (pattern, call) and row["time_ns"] > MILLISECONDS * 500_000}
        expected = waiting_for(late, who)
        self.assertEqual(expected, {rank: rank_of(row["peer"]) for rank, row in waits.items()}, found["waits"])
        for rank, row in waits.items():
            self.assertAlmostEqual(ready[late] - ready[rank], row["time_ns"], delta=TOLERANCE_NS * (1 + (who == BEHIND_ALL) * RANKS))
        matching = found["matching"][0]
        self.assertEqual((0, 0, 0, 0), tuple(matching[name] for name in ("unmatched_sends", "unmatched_receives", "incomplete", "mixed")))
        named = [row for row in self.tables("why", trace)["findings"] if row["kind"] == "waiting"]
        self.assertEqual((late, "late"), (rank_of(named[0]["location"]), named[0]["region"]), named[:3])

    def test_late_ranks_are_found_after_conversions(self):
        """Through OTF and back; what OTF cannot represent, probes and where persistent operations are made, is not among these."""
        mpi = self.mpi("openmpi")
        program = self.compile(mpi, PROGRAMS / "late.c", "-I", SOURCE / "include")
        for scenario in ("ialltoallv", "igatherv", "iallreduce", "reduce_scatter_block", "dup", "graph"):
            with self.subTest(scenario):
                trace, _ = self.record_scenario(mpi, program, scenario, 1)
                expected = self.tables("waits", trace)["waits"]
                self.assertTrue(expected)
                for before, after in (("trace.meta", "there.otf"), ("there.otf", "back.meta")):
                    done = self.run_in("run", QUIPU, "convert", "--quiet", "--force", before, "-o", after)
                    self.assertEqual(0, done.returncode, done.stderr)
                    found = self.tables("waits", self.path(f"run/{after}"))["waits"]
                    self.assertEqual(*[[[row[key] for key in ("pattern", "location", "path", "peer", "instances", "time_ns")] for row in rows]
                                       for rows in (expected, found)])
                self.assert_sound(self.path("run/back.meta"))

    def events(self, kind):
        return [json.loads(line) for line in self.run_in("run", QUIPU, "cat", "--json", "--quiet", "--kind", kind, "trace.meta").stdout.splitlines()]

    def test_collective_file_operations_that_do_not_block_end_in_the_call_that_waits(self):
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                mpi = self.mpi(name)
                self.record_scenario(mpi, self.compile(mpi, PROGRAMS / "late.c", "-I", SOURCE / "include"), "iwrite_all", 1)
                self.assert_sound(self.path("run/trace.meta"))
                transfers = sorted((event["location_name"], event["offset"], event["bytes"]) for event in self.events("io_begin"))
                self.assertEqual([(f"rank {rank}", 64 * rank, 16) for rank in range(RANKS)], transfers)
                ended = {event["location_name"]: event["time_ns"] for event in self.events("io_end")}
                left = {}
                for event in self.events("leave"):
                    if event["region_name"] == "MPI_Wait":
                        left[event["location_name"]] = event["time_ns"]
                self.assertEqual(left, ended)

    def account_of(self, mpi, *command, ranks=RANKS, target="trace.meta"):
        """Of a recorded program: the second line of the text, the first finding, and what is said of the whole."""
        done = self.record("run", *mpi.launch(*command, ranks=ranks), options=("--force", "-o", target))
        self.assertEqual(0, done.returncode, done.stderr)
        found = self.tables("why", self.path(f"run/{target}"))
        text = self.run_in("run", QUIPU, "why", "--quiet", target).stdout.decode()
        return text.splitlines()[1], found["findings"][0], found["why"][0]

    def comes_first(self, mpi, program, ranks, target):
        """All ranks compute the same, 2 ms in each of 60 steps, on one processor: each has to do without it for most of the time."""
        processor = str(min(os.sched_getaffinity(0)))
        first, finding, about = self.account_of(mpi, "taskset", "-c", processor, program, 3, 60, -1, 0, "none", 0, "sleeps", ranks=ranks, target=target)
        self.assertRegex(first, "^In [0-9]+ calls? of MPI, processes had no processor for ", (finding, about))
        off = about["off_processor_ns"] + about["off_processor_outside_ns"]
        self.assertGreater(off, 0.6 * about["runtime_ns"] * (ranks - 1))

    # runs alone: other tests would take the processor that it counts on
    def test_too_few_processors_come_first(self):
        self.needs("taskset")
        for name in ("openmpi", "mpich"):
            mpi = self.mpi(name)
            program = self.compile(mpi, PROGRAMS / "delayed.c", "-I", SOURCE / "include")
            for ranks, target in ((2, "trace.meta"), (RANKS, "trace.meta"), (RANKS, "trace.otf")):
                with self.subTest(name, ranks=ranks, target=target):
                    self.in_one_of(ATTEMPTS, self.comes_first, mpi, program, ranks, target)

    def comes_before_processors(self, mpi, command, late, region):
        first, finding, about = self.account_of(mpi, *command)
        self.assertRegex(first, r"^[0-9.]+ m?s \([0-9.]+ %\) is lost ", (finding, about))
        self.assertEqual(("waiting", late, region), (finding["kind"], rank_of(finding["location"]), finding["region"]))

    # runs alone: other tests would take the processor that it counts on
    def test_one_slow_rank_comes_before_too_few_processors(self):
        """Those that wait for it poll, all on one processor while it sleeps, on two while it computes: they lose nothing by that."""
        self.needs("taskset")
        processors = [str(number) for number in sorted(os.sched_getaffinity(0))[:2]]
        for name in ("openmpi", "mpich"):
            mpi = self.mpi(name)
            delayed = self.compile(mpi, PROGRAMS / "delayed.c", "-I", SOURCE / "include")
            for kind, where in (("sleeps", processors[0]), ("computes", ",".join(processors))):
                with self.subTest(name, kind=kind):
                    command = ("taskset", "-c", where, delayed, 3, 6, 2, 3, "solve", 400, kind)
                    self.in_one_of(ATTEMPTS, self.comes_before_processors, mpi, command, 2, "solve")

    def test_time_in_one_sided_calls_without_a_pattern_is_named_by_call(self):
        for name in ("openmpi", "mpich"):
            mpi = self.mpi(name)
            program = self.compile(mpi, PROGRAMS / "late.c", "-I", SOURCE / "include")
            for scenario, calls in (("post", ("MPI_Win_start", "MPI_Win_complete")), ("lock", ("MPI_Win_lock", "MPI_Win_unlock"))):
                with self.subTest(name, scenario=scenario):
                    self.in_one_of(ATTEMPTS, self.names_the_call, mpi, program, scenario, calls)

    def names_the_call(self, mpi, program, scenario, calls):
        """Rank 0 waits for rank 1 in these: until it is ready, and for what MPI itself takes."""
        trace, ready = self.record_scenario(mpi, program, scenario, 1)
        self.assert_sound(trace)
        found = sum(row["time_ns"] for row in self.tables("why", trace)["spent"]
                    if row["kind"] == "unexplained" and rank_of(row["location"]) == 0 and row["region"] in calls)
        self.assertGreater(found, ready[1] - ready[0] - TOLERANCE_NS)

    def names_all(self, name, scenarios):
        mpi = self.mpi(name)
        program = self.compile(mpi, PROGRAMS / "late.c", "-I", SOURCE / "include")
        for number, scenario in enumerate(scenarios):
            late = number % (RANKS - 1)  # in a scan no rank waits for the last one
            with self.subTest(scenario, late=late):
                self.in_one_of(ATTEMPTS, self.names_what_was_built_in, mpi, program, scenario, late)

    def in_one_of(self, attempts, test, *words):
        """A processor that others take away delays ranks after the program has read its clock; so a run is tried again."""
        try:
            test(*words)
        except AssertionError:
            if attempts == 1:
                raise
            self.in_one_of(attempts - 1, test, *words)

    def test_late_ranks_are_named_with_openmpi(self):
        self.names_all("openmpi", SCENARIOS)

    def test_late_ranks_are_named_with_mpich(self):
        self.names_all("mpich", SCENARIOS)


if __name__ == "__main__":
    unittest.main()
