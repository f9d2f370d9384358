"""quipu critical-path: time that no call shows, locations in several streams, any number of threads."""
import json
import subprocess
import unittest

import programs
from folder import FolderTest
from programs import enter, leave

THREADS = ("1", "2", "5")


class CriticalPath(FolderTest):
    def profile(self, trace, threads):
        """Time on the path and in all, by region."""
        done = subprocess.run([programs.QUIPU, "critical-path", "--json", "--threads", threads, trace],
                              capture_output=True, check=False, encoding="utf-8")
        table = next(table for table in json.loads(done.stdout)["tables"] if table["table"] == "path_profile")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return {row["region"]: (row["path_ns"], row["total_ns"]) for row in rows}

    def test_time_before_the_first_call_and_after_the_last_one_counts(self):
        messages = {receiver: f"S{receiver + 1:x}L8T0C63" for receiver in range(3)}
        program = [
            [(0, messages[1]), enter(10, "work"), leave(20, "work"), enter(25, "main"), (45, messages[1])],
            [(5, "R1L8T0C63"), (50, "R1L8T0C63")],  # no calls at all: the path is here from 0 to 50
            [enter(7, "work"), leave(9, "work"), (12, messages[0])],
        ]
        trace = programs.write(self.path("t.otf"), program)
        expected = {None: (50, 10 + 5 + 45 + 3), "main": (0, 20), "work": (0, 10 + 2)}
        for threads in THREADS:
            self.assertEqual(self.profile(trace, threads), expected, threads)

    def test_calls_of_a_location_in_two_streams_count_in_the_order_of_time(self):
        trace = programs.write(self.path("t.otf"), [[enter(50, "work"), leave(60, "work")], []])
        second = [(1, enter(10, "read")), (2, enter(15, "main")), (2, leave(20, "main")), (1, leave(30, "read")),
                  (1, enter(70, "read")), (1, leave(80, "read"))]
        with open(self.path("t.2.events"), "w", encoding="ascii") as file:
            file.write("".join(f"{time:x}\n*{process}\n{record}\n" for process, (time, record) in second))
        for threads in THREADS:
            self.assertEqual(self.profile(trace, threads),
                             {None: (30, 30), "read": (30, 30), "work": (10, 10), "main": (0, 5)}, threads)


if __name__ == "__main__":
    unittest.main()
