"""Hardware counters: by a libpapi of the tests' own, whose n-th reading gives n, 10 n and 100 n (fake_papi.c); a call is two readings."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpis import HERE, PROGRAMS, QUIPU, MpiTest  # noqa: E402



class Counters(MpiTest):
    def setUp(self):
        super().setUp()
        self.openmpi = self.mpi("openmpi")
        self.papi = self.path("libpapi.so")
        done = subprocess.run([self.openmpi.compiler, "-w", "-shared", "-fPIC", HERE / "fake_papi.c", "-o", self.papi], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)

    def record_counters(self, events, program="environment.c", mpi=None, options=(), **environment):
        mpi = mpi or self.openmpi
        compiled = self.compile(mpi, PROGRAMS / program, "-lpthread", name=f"{Path(program).stem}.{mpi.name}")
        done = self.record("run", *mpi.launch(compiled, ranks=2), options=("--force", "--papi", events, *options),
                           environment={"LD_LIBRARY_PATH": self.folder, **environment})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assert_sound(self.path("run/trace.meta"))
        return [line for line in done.stderr.decode().splitlines() if "recording goes on" in line]

    def calls(self):
        """(stream, thread): lists of (value at the beginning, value at the end) of each call, in order."""
        found = {}
        for record in self.records("trace.meta"):
            counters = record["fields"].get("counters")
            if counters is not None and "thread" in record["fields"]:
                key = record["stream"], record["fields"]["thread"]
                found.setdefault(key, []).append([(counter["in"], counter["out"]) for counter in counters])
        return found

    def records(self, trace):
        import json
        done = self.run_in("run", QUIPU, "cat", "--records", "--json", "--quiet", trace)
        self.assertEqual(0, done.returncode, done.stderr)
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def names(self):
        return [record["fields"]["names"] for record in self.records("trace.meta") if record["type"] == "counters"]

    def assert_readings(self, calls, *factors):
        """The first call of a thread begins with its first reading. Calls that DUMPI has no record of are readings that are in no call."""
        self.assertEqual([(factor, 2 * factor) for factor in factors], calls[0])
        for before, counters in zip([None, *calls], calls):
            reading = counters[0][0] // factors[0]
            self.assertEqual((1, [(reading * factor, (reading + 1) * factor) for factor in factors]), (reading % 2, counters))
            self.assertTrue(before is None or before[0][1] < counters[0][0])

    def test_counters_of_each_call(self):
        for name in ("openmpi", "mpich"):
            with self.subTest(name):
                self.assertEqual([], self.record_counters("FAKE_TEN,FAKE_ONE", mpi=self.mpi(name)))
                self.assertEqual([["FAKE_TEN", "FAKE_ONE"]] * 2, self.names())
                calls = self.calls()
                self.assertEqual([(0, 0), (1, 0)], sorted(calls))
                for stream in calls.values():
                    self.assert_readings(stream, 10, 1)

    def test_counters_of_threads_are_their_own(self):
        self.record_counters("FAKE_HUNDRED", program="threads.c")
        calls = self.calls()
        self.assertGreater(len(calls), 2)
        for (_, thread), stream in calls.items():
            self.assert_readings(sorted(stream), 100)

    def test_counters_become_metrics_of_events(self):
        self.record_counters("FAKE_ONE")
        done = self.run_in("run", QUIPU, "convert", "--quiet", "trace.meta", "-o", "trace.otf")
        self.assertEqual(0, done.returncode, done.stderr)
        metrics = next(table for table in self.quipu_json("definitions", self.path("run/trace.otf"))["tables"] if table["table"] == "metrics")
        self.assertIn("FAKE_ONE", [cell for row in metrics["rows"] for cell in row])

    def test_counters_that_are_not_there_are_said_once(self):
        said = self.record_counters("FAKE_ONE,NO_SUCH,FAKE_KNOWN")
        self.assertEqual(["quipu: NO_SUCH: Event does not exist; recording goes on without",
                          "quipu: FAKE_KNOWN: Event exists, but cannot be counted; recording goes on without"], said)
        self.assertEqual([["FAKE_ONE"]] * 2, self.names())
        self.assert_readings(self.calls()[0, 0], 1)

    def test_counters_without_papi(self):
        for environment, reason in (({"QUIPU_RECORD_PAPI_LIBRARY": "/nowhere/libpapi.so"}, "not found, or not one of PAPI"),
                                    ({"FAKE_PAPI_BROKEN": "1"}, "PAPI cannot be initialised")):
            with self.subTest(reason):
                said = self.record_counters("FAKE_ONE", **environment)
                self.assertEqual([f"quipu: libpapi.so: {reason}; recording goes on without"], said)
                self.assertEqual({}, self.calls())
                self.assertEqual([], [names for names in self.names() if names])

    def test_counters_are_none_of_input_and_output(self):
        done = self.run_in("run", QUIPU, "record", "--io", "--papi", "FAKE_ONE", "-o", "x", "--", "true")
        self.assertEqual(2, done.returncode)


if __name__ == "__main__":
    unittest.main()
