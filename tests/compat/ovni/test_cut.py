"""A part of an ovni trace begins with what holds there (CPU, calls, values of channels, state of the thread) and ends as the emulator asks for."""
import itertools
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ovni_trace import begin, end, event, metadata  # noqa: E402
from streams import decode  # noqa: E402
from test_emulation import Case  # noqa: E402

MODELS = ("ovni", "kernel", "nosv", "mpi")
MARKS = {"1": {"title": "phase", "chan_type": "stack"}, "2": {"title": "step", "chan_type": "single"}}


class Cut(Case):
    def states_trace(self):
        """The first thread is taken out of CPU 1, pauses, cools down and warms up inside a call of MPI; the second ends soon."""
        first = [begin(100, 1), event("VSh", 110), event("OM[", 115, "qi", 3, 1), event("KCO", 120), event("KCI", 130), event("VPr", 140),
                 event("OF[", 150), event("OF]", 160), event("OM=", 165, "qi", 7, 2), event("OHp", 170), event("KCO", 180),
                 event("KCI", 190), event("OHw", 200), event("OHr", 210), event("VPp", 215), event("OAs", 220, "i", 0), event("MW[", 230),
                 event("OHc", 240), event("OHp", 245), event("OHr", 250), event("MW]", 260),
                 event("OM]", 270, "qi", 3, 1), event("VSf", 280), end(290)]
        second = [begin(105, 2), event("VSh", 125), event("VSf", 135), end(155)]
        return self.trace([(metadata(11, models=MODELS, cpus=3, mark=MARKS), first),
                           (metadata(12, models=MODELS, cpus=0), second)])

    def cut(self, trace, since, until, name):
        """The events of each thread of the part from since up to until, as (code, clock)."""
        out = self.folder / name
        self.assert_runs("quipu", "cut", "--since", f"{since - 100}ns", "--until", f"{until - 100}ns", trace, "-o", out)
        return {path.parent.name: [(e.mcv, e.clock) for e in decode(path.read_bytes())] for path in sorted(out.rglob("stream.obs"))}

    def test_cut_begins_with_what_holds_and_ends_what_is_open(self):
        threads = self.cut(self.states_trace(), 185, 235, "part")
        # At 185 the thread is in VSh, has pushed the mark 3, rests, has set the mark 7, has paused, and is out of its CPU. At 235 it
        # runs and is in MW[. The second thread has ended before.
        self.assertEqual({"thread.11": [("OHx", 185), ("VSh", 185), ("OM[", 185), ("VPr", 185), ("OM=", 185), ("OHp", 185), ("KCO", 185),
                                        ("KCI", 190), ("OHw", 200), ("OHr", 210), ("VPp", 215), ("OAs", 220), ("MW[", 230),
                                        ("OM]", 235), ("MW]", 235), ("VSf", 235), ("OHe", 235)]}, threads)

    def test_cut_ends_a_paused_thread_that_is_out_of_its_cpu(self):
        threads = self.cut(self.states_trace(), 100, 185, "part")
        # The kernel gives it back; MPI and marks ask for nothing, but nOS-V for a thread that is not paused: it goes to the virtual CPU.
        self.assertEqual([("KCO", 180), ("KCI", 185), ("OM]", 185), ("OHw", 185), ("OAs", 185), ("OHr", 185), ("VSf", 185), ("OHe", 185)],
                         threads["thread.11"][-8:])

    def test_cut_of_a_sound_trace_is_sound_wherever_it_begins_and_ends(self):
        trace = self.states_trace()
        times = [100, 112, 120, 125, 145, 155, 168, 175, 180, 195, 205, 212, 225, 241, 248, 255, 275, 291]
        for number, (since, until) in enumerate(itertools.combinations(times, 2)):
            with self.subTest(since=since, until=until):
                self.cut(trace, since, until, f"part{number}")
                self.assert_runs("quipu", "check", self.folder / f"part{number}")


if __name__ == "__main__":
    unittest.main()
