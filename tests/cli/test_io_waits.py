"""quipu waits: input and output that ends in another call than it began in."""
import unittest

import programs
from folder import FolderTest
from programs import enter, leave

DEFINITIONS = 'DFLG50NM"files"\nDFL51NM"data"G50\n'


class IoWaits(FolderTest):
    def spans(self, threads):
        program = [enter(0, "main"), enter(1, "read"), leave(3, "read"),
                   enter(10, "read"), (10, "FA1"), leave(20, "read"), enter(25, "work"), leave(28, "work"),
                   enter(30, "read"), (35, "FF51MI1H3OP2B8"), leave(40, "read"),
                   enter(50, "read"), (51, "FA2"), (57, "FF51MI2H3OP2B8"), leave(60, "read"), leave(70, "main")]
        trace = programs.write(self.path("t.otf"), [program, [enter(0, "main"), leave(9, "main")]])
        with open(self.path("t.0.def"), "a", encoding="ascii") as file:
            file.write(DEFINITIONS)
        rows = programs.tables("waits", trace, "--list", "--threads", threads)["instances"]
        return [(row["pattern"], row["from_ns"], row["to_ns"], row["region"]) for row in rows]

    def test_waiting_for_what_began_in_another_call_begins_with_the_call_that_ends_it(self):
        for threads in ("1", "2", "5"):
            self.assertEqual([("io-wait", 30, 35, "read"), ("io-wait", 51, 57, "read")], self.spans(threads))


if __name__ == "__main__":
    unittest.main()
