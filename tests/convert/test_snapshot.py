"""quipu snapshot: what is open and what adds up at sample points."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import otf_text  # noqa: E402
from folder import FolderTest  # noqa: E402

BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
DATA = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "data")
OTHER_EVENTS = ("region", "message", "collective", "io", "value", "life")


class Snapshot(FolderTest):
    def setUp(self):
        super().setUp()
        otf_text.write_example(self.path("t"))

    def snapshot(self, name, *options, trace=None):
        subprocess.run([QUIPU, "snapshot", trace or self.path("t.otf"), "-o", self.path(name) + ".otf", "--quiet",
                        *options], check=True)
        return self.path(name)

    def cat(self, trace, *options):
        return subprocess.run([QUIPU, "cat", trace, "--kind", ",".join(OTHER_EVENTS), *options], check=True,
                              stdout=subprocess.PIPE).stdout

    def test_snapshot_says_what_is_open_before_each_sample_point(self):
        stub = self.snapshot("s", "--every", "25")
        with open(stub + ".1.snaps", encoding="ascii") as file:
            self.assertEqual(file.read(), '19\n*1\nTC"complete: 6 records, 2 processes"\n'
                                          'TE1O0\nTE2Oa\nTS2OaG7T9L64\nTOF5O5H3\nTBFaMI2\nTCOC7N1\n'
                                          '32\n*1\nTC"complete: 3 records, 2 processes"\n'
                                          'TE1O0\nTE3O28\nTCOC7N1\n32\n*1\n')
        with open(stub + ".2.snaps", encoding="ascii") as file:
            self.assertEqual(file.read(), '19\n*2\nTC"complete: 1 records, 2 processes"\nTE1O0\n'
                                          '32\n*2\nTC"complete: 2 records, 2 processes"\nTE1O0\nTE3O19\n32\n*2\n')

    def test_snapshot_of_an_unsound_trace_does_not_say_that_it_is_complete(self):
        for events in ("0\n*1\nE1\na\n*1\nE2\n5\n*1\nL\n28\n*1\nL\n", "0\n*1\nE1\nS2\n28\n*1\nL\n",
                       "5\n*1\nE1\na\n*1\nE2\n0\n*1\nL\n28\n*1\nL\n"):
            with open(self.path("t.1.events"), "w", encoding="ascii") as file:
                file.write(events)
            subprocess.run([QUIPU, "snapshot", self.path("t.otf"), "-o", self.path("s.otf"), "--quiet", "--force",
                            "--every", "25"], check=False)
            snapshots = otf_text.records(self.path("s"), 1, "snaps")
            self.assertTrue(snapshots, events)
            self.assertFalse([record for record in snapshots if record[2][-1].startswith(b"TC")], events)

    def test_snapshot_of_a_stream_without_records_has_its_file(self):
        with open(self.path("t.2.events"), "w", encoding="ascii"):
            pass
        stub = self.snapshot("s", "--count", "3")
        self.assertEqual(otf_text.records(stub, 2, "events"), [])
        self.assertNotIn(b"otf.missing-file", subprocess.run([QUIPU, "check", "--json", stub + ".otf"], check=False,
                                                    stdout=subprocess.PIPE).stdout)

    def test_snapshot_adds_up_from_the_beginning(self):
        stub = self.snapshot("s", "--every", "25")
        # main runs 0-60; inner 10-30; other 40-50 in the first process, 25-60 in the second; all in one group.
        self.assertEqual([record[::2] for record in otf_text.records(stub, 1, "stats")],
                         [(25, (line,)) for line in (b"SF1N1EaI19", b"SF2N1EfIf", b"SG9N2E19I28", b"SM0C0T0NS1NR0S64R0",
                                                     b"SCO0CL4NS1NR0S0R0", b"SFL5NO1NC0NRD0NW0NSK0BR0BW0",
                                                     b"SFLG8NO1NC0NRD0NW0NSK0BR0BW0")]
                         + [(50, (line,)) for line in (b"SF1N1E14I32", b"SF2N1E14I14", b"SF3N1EaIa", b"SG9N3E32I50",
                                                       b"SM0C0T0NS1NR0S64R0", b"SCO0CL4NS1NR0S0R0",
                                                       b"SFL5NO1NC1NRD1NW0NSK0BR8BW0", b"SFLG8NO1NC1NRD1NW0NSK0BR8BW0")]
                         + [(61, (line,)) for line in (b"SF1N1E1eI3c", b"SF2N1E14I14", b"SF3N1EaIa", b"SG9N3E3cI5a",
                                                       b"SM0C0T0NS1NR0S64R0", b"SCO0CL4NS1NR0S0R0",
                                                       b"SFL5NO1NC1NRD1NW0NSK0BR8BW0", b"SFLG8NO1NC1NRD1NW0NSK0BR8BW0")])
        self.assertEqual([record[::2] for record in otf_text.records(stub, 2, "stats")][-4:],
                         [(61, (b"SF1N1E19I3c",)), (61, (b"SF3N1E23I23",)), (61, (b"SG9N2E3cI5f",)),
                          (61, (b"SM0C0T0NS0NR1S0R64",))])

    def test_snapshot_announces_its_times(self):
        stub = self.snapshot("s", "--count", "2")
        saved = [line for line in otf_text.DEFINITIONS.splitlines() if not line.startswith("DAUX")]
        with open(stub + ".0.def", encoding="ascii") as file:
            self.assertEqual(file.read().splitlines(),
                             saved + ["DAUX14Y0", "DAUX14Y1", "DAUX28Y0", "DAUX28Y1", "DAUX3dY1"])

    def test_snapshot_replaces_older_ones(self):
        once = self.snapshot("once", "--count", "3")
        again = self.snapshot("again", "--count", "3", trace=self.snapshot("other", "--every", "7") + ".otf")
        for part in ("otf", "0.def", "1.events", "1.snaps", "1.stats", "2.events", "2.snaps", "2.stats"):
            self.assertEqual(otf_text.read(f"{once}.{part}"), otf_text.read(f"{again}.{part}"), part)

    def test_snapshot_leaves_events_alone(self):
        for trace in (self.path("t"), os.path.join(DATA, "otf", "small"), os.path.join(DATA, "cli", "exchange")):
            stub = self.snapshot("s", "--count", "5", "--force", trace=trace + ".otf")
            self.assertEqual(otf_text.by_process(trace, "events"), otf_text.by_process(stub, "events"))
            for since in ("0", "3", "16", "40"):
                self.assertEqual(self.cat(trace + ".otf", "--since", since), self.cat(stub + ".otf", "--since", since))

    def test_snapshot_is_for_formats_that_have_them(self):
        with open(self.path("empty.otf"), "w", encoding="ascii") as file:
            file.write("1:1\n")
        with open(self.path("empty.1.events"), "w", encoding="ascii") as file:
            file.write("0\n*1\n")
        for trace, options in (("empty.otf", []), ("t.otf", ["--every", "5", "--count", "3"]), ("t.otf", ["--every", "0"])):
            result = subprocess.run([QUIPU, "snapshot", self.path(trace), "-o", self.path("no.otf"), *options],
                                    capture_output=True, check=False)
            self.assertNotIn(result.returncode, (0, 1), result.stderr)
            self.assertFalse(os.path.exists(self.path("no.otf")))

    def assert_agrees_with_otfaux(self, trace, every, last):
        points = [option for time in range(every, last, every) for option in ("-t", str(time))]
        theirs, groups = self.path("theirs"), self.path("groups")
        for stub, options in ((theirs, ["--all"]), (groups, ["--statistics", "--funcgroups", "--filegroups"])):
            subprocess.run(["otfaux", *options, *points, "-o", stub, trace + ".otf"], check=True,
                           stdout=subprocess.DEVNULL)
        ours = self.snapshot("ours", "--every", str(every), "--force", trace=trace + ".otf")
        for stream in otf_text.master(trace):
            totals, totals_of_groups = (otf_text.records(stub, stream, "stats") for stub in (theirs, groups))
            # otfaux writes sums of groups or of their members, never both.
            is_group = re.compile(rb"SG|SFLG").match
            self.assertEqual(sorted(otf_text.records(ours, stream, "stats")),
                             sorted(totals + [record for record in totals_of_groups if is_group(record[2][-1])]), trace)
            mine, other = (otf_text.records(stub, stream, "snaps") for stub in (ours, theirs))
            # otfaux has counters and counts in another order, and says nothing of completeness.
            self.assertEqual(sorted(r for r in mine if not r[2][-1].startswith(b'TC"')), sorted(other), trace)

    def test_snapshot_agrees_with_otfaux(self):
        generate = os.path.join(BUILD, "bench", "generate")
        if not shutil.which("otfaux") or not os.path.exists(generate):
            self.skipTest("otfaux or bench/generate is not here")
        self.assert_agrees_with_otfaux(self.path("t"), 20, 61)
        trace = self.path("g")
        subprocess.run([generate, "otf", trace, "--streams", "4", "--events", "4000"], check=True)
        # The first event of otfaux's range is at 0 only when ours is.
        for stream in otf_text.master(trace):
            with open(f"{trace}.{stream:x}.events", "rb+") as file:
                text = file.read()
                file.seek(0)
                file.write(b"0\n*%x\nPB\n" % otf_text.master(trace)[stream][0] + text)
        last = max(record[0] for record in otf_text.all_records(trace, "events"))
        self.assert_agrees_with_otfaux(trace, last // 9, last + 1)


if __name__ == "__main__":
    unittest.main()
