"""What tools/measure prints is within its limits, and ARCHITECTURE.md ends with it."""
import re
import unittest

from house import SOURCE, run

ROW = re.compile(r"^\| ([^|]+?) \| ([\d.]+) \| ([\d.]*) \|$", re.M)


class Measure(unittest.TestCase):
    def test_measure_is_within_its_limits_and_what_architecture_ends_with(self):
        """The same rows and limits; figures move."""
        code, output = run(SOURCE / "tools/measure")
        self.assertEqual(0, code, output)
        section = (SOURCE / "ARCHITECTURE.md").read_text(encoding="utf-8").split("\n## ")[-1]
        measured, listed = ROW.findall(output), ROW.findall(section)
        self.assertGreater(len(measured), 12)
        self.assertEqual([(what, limit) for what, _, limit in measured], [(what, limit) for what, _, limit in listed])
        for what, figure, limit in listed:
            self.assertLessEqual(float(figure), float(limit or "inf"), what)


if __name__ == "__main__":
    unittest.main()
