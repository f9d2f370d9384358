"""quipu record --io: threads are cancelled where they would be without it, and nowhere else; their streams are whole."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorded import SANITIZED, RecordedTest  # noqa: E402

HERE = Path(__file__).resolve().parent


@unittest.skipIf(SANITIZED, "sanitizers come first, the recorder too")
class Cancel(RecordedTest):
    def test_cancel_at_every_recorded_call(self):
        program = self.compile(HERE / "cancelled.c")
        without = self.run_in_folder("timeout", "60", program)
        self.assertEqual((0, b""), (without.returncode, without.stderr))
        recorded = self.record("timeout", "60", program)
        self.assertEqual(without.stdout.decode().splitlines(), recorded.stdout.decode().splitlines())
        self.assertEqual((0, b""), (recorded.returncode, recorded.stderr))
        self.assert_sound()
        kinds = [kind for kind, _ in self.records()]
        self.assertGreater(kinds.count("CLIENT_JOIN"), 500)
        self.assertEqual(kinds.count("CLIENT_JOIN"), kinds.count("CLIENT_LEAVE"))


if __name__ == "__main__":
    unittest.main()
