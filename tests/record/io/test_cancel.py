"""quipu record --io: threads are cancelled where they would be without it, and nowhere else; their streams are whole."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import BUILD, SANITIZED, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent


# Of libraries that are not linked here; other names of signal(); and what is no call of a program.
ELSEWHERE = {"io_submit", "io_getevents", "io_uring_queue_init", "io_uring_queue_init_params", "io_uring_queue_init_mem", "io_uring_setup",
             "bsd_signal", "ssignal", "sigset", "sigignore", "sysv_signal", "__sysv_signal", "quipu_recorder_io_pause", "quipu_recorder_clock_begin", "quipu_recorder_clock_segment"}


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Cancel(RecordedTest):
    def recorded_functions(self):
        """What the recorder stands in front of, each under one of its names."""
        done = self.run_in_folder("nm", "-D", "--defined-only", BUILD / "record/libquipu-record-io.so")
        names = {line.split()[-1].split("@")[0] for line in done.stdout.decode().splitlines()}
        self.assertIn("pread", names)
        return {name for name in names if not name.endswith(("64", "64v2"))} - ELSEWHERE

    def outcomes(self, listing):
        """"done" or "cancelled" by call; what calls have printed themselves is no outcome."""
        lines = Path(self.path(listing)).read_text().splitlines()
        return [tuple(line.split()) for line in lines if len(line.split()) == 2]

    def test_cancel_at_every_recorded_call(self):
        program = self.compile(HERE / "cancelled.c")
        without = self.run_in_folder("sh", "-c", f"timeout 60 {program} > without")
        self.assertEqual((0, b""), (without.returncode, without.stderr))
        recorded = self.record("sh", "-c", f"timeout 60 {program} > recorded")
        self.assertEqual(self.outcomes("without"), self.outcomes("recorded"))
        self.assertEqual(0, recorded.returncode)
        self.assertEqual(set(), self.recorded_functions() - {name for name, _ in self.outcomes("recorded")})
        self.assert_sound()
        kinds = [kind for kind, _ in self.records()]
        self.assertGreater(kinds.count("CLIENT_JOIN"), 500)
        self.assertEqual(kinds.count("CLIENT_JOIN"), kinds.count("CLIENT_LEAVE"))


if __name__ == "__main__":
    unittest.main()
