"""What regions are for: what encloses all others is no activity, and conversions keep roles, roots and communicators, or their reports say that
they do not."""
import collections
import json
import os
import pathlib
import subprocess
import unittest

import programs
from folder import FolderTest

SHARED = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."), "..", "shared", "traces")
ROLES = ("function", "mpi-p2p", "mpi-collective", "mpi-rma", "mpi-io", "mpi", "io", "sync", "runtime", "task", "user", "idle")


def useful_of(trace):
    """Per process, what PICL says: from the first to the last record of tracing, without the times of other system events."""
    begin, end, others = {}, {}, collections.defaultdict(list)
    active = collections.defaultdict(list)
    for line in trace.read_text(encoding="latin-1").splitlines():
        fields = line.split()
        if len(fields) < 6 or fields[0] not in ("-3", "-4") or int(fields[1]) >= 0:
            continue
        event, time, process = fields[1], round(float(fields[2]) * 1e9), tuple(fields[3:5])
        if event == "-901":
            (begin if fields[0] == "-3" else end)[process] = time
        elif fields[0] == "-3":
            active[process, event].append(time)
        else:
            others[process].append((active[process, event].pop(), time))
    useful = 0
    for process, first in begin.items():
        last = first
        for start, stop in sorted(others[process]):
            useful += max(start - last, 0)
            last = max(last, stop)
        useful += end[process] - last
    return useful


class Roles(FolderTest):
    def write(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def convert(self, trace, name, *options):
        output = self.path(name)
        subprocess.run([programs.QUIPU, "convert", "-q", "--force", str(trace), "-o", output, *options], check=True)
        return output

    def efficiency(self, trace):
        return programs.tables("efficiency", str(trace))["efficiency"][0]

    # ---- What encloses ----

    def test_roles_what_encloses_tracing_is_no_activity(self):
        """One second of tracing, of which 0.3 s receive: the rest is the program's own time."""
        for event in ("-901", "-1"):
            trace = self.write("t.picl", f"-3 {event} 0.000000 0 -1 0\n-3 -52 0.200000 0 -1 1 2 7\n-4 -52 0.500000 0 -1 3 2 8 7 0\n"
                                         f"-4 {event} 1.000000 0 -1 0\n")
            row = self.efficiency(trace)
            self.assertEqual((row["useful_sum_ns"], row["parallel_efficiency"]), (700000000, 0.7), event)

    # needs: shared
    @unittest.skipUnless(SHARED.exists(), "needs golden traces")
    def test_roles_golden_traces_have_the_useful_time_that_their_records_say(self):
        names = ("table20", "torus4-sorted", "nested-recursive", "conceptual-pipeline", "conceptual-sweep1d", "conceptual-doc",
                 "conceptual-pingpong", "conceptual-floodreceiver")
        for name in names:
            trace = SHARED / "picl" / f"{name}.picl"
            expected = useful_of(trace)
            self.assertGreater(expected, 0, name)
            self.assertEqual(self.efficiency(trace)["useful_sum_ns"], expected, name)

    # ---- Conversions keep roles ----

    def roles(self, trace):
        return {row["name"]: row["role"] for row in programs.tables("definitions", trace)["regions"]}

    def all_roles(self):
        """A PICL trace with a region of each role, which subsets of events with the roles' names say."""
        lines = ["-5 -1002 -1.0 -1 -1 21 0 inside of user events"]
        for number, role in enumerate(ROLES):
            lines += [f"-5 {number} -1.0 -1 -1 {len(role) + 3} 0 in {role}", f"-5 {-2101 - number} -1.0 -1 -1 {len(role)} 0 {role}",
                      f"-203 -1 -1.0 -1 -1 2 2 {-2101 - number} {number}"]
        lines += ["-3 -901 0.000001 0 -1 0"]
        for number in range(len(ROLES)):
            lines += [f"-3 {number} 0.0000{2 * number + 10} 0 -1 0", f"-4 {number} 0.0000{2 * number + 11} 0 -1 0"]
        return self.write("roles.picl", "\n".join([*lines, "-4 -901 0.000099 0 -1 0"]) + "\n")

    def test_roles_survive_conversions(self):
        expected = {"in " + role: role for role in ROLES}
        picl = self.all_roles()
        self.assertEqual(self.roles(picl), expected)
        otf = self.convert(picl, "x.otf")
        self.assertEqual(self.roles(otf), expected)
        back = self.convert(otf, "back.picl")
        self.assertEqual(self.roles(back), expected)
        self.assertEqual(self.roles(self.convert(back, "again.otf")), expected)
        self.assertEqual(self.roles(self.convert(otf, "ovni", "--to", "ovni")), expected)
        self.assertEqual(self.roles(self.convert(self.path("ovni"), "y.otf")), expected)

    def test_roles_groups_that_name_a_role_are_read_as_written(self):
        """Only a whole role in parentheses at the end counts; otherwise the name of the function decides."""
        for group, role in (("PICL (mpi-p2p)", "mpi-p2p"), ("(idle)", "idle"), ("Application", "mpi"), ("x (idle) y", "mpi"), ("x (idl)", "mpi"), ("()", "mpi")):
            for name, text in (("g.otf", "1:1\n"), ("g.0.def", f'DTR3b9aca00\nDP1NM"one"\nDFG1NM"{group}"\nDF1G1NM"MPI_Init"\n'), ("g.1.events", "1\n*1\nE1\n2\nL1\n")):
                self.write(name, text)
            self.assertEqual(self.roles(self.path("g.otf")), {"MPI_Init": role}, group)

    # needs: shared
    @unittest.skipUnless(SHARED.exists(), "needs golden traces")
    def test_roles_of_dumpi_calls_give_the_same_efficiency_as_picl(self):
        """But for threads, which PICL does not have."""
        compared = 0
        for trace in sorted((SHARED / "dumpi").glob("*/*.meta")):
            if trace.parent.name == "threads-ompi":
                continue
            try:
                expected = self.efficiency(trace)
            except AssertionError:  # a rank is not there
                continue
            found = self.efficiency(self.convert(trace, "x.picl"))
            drop = ("roi_begin_ns", "roi_end_ns") if expected["processes"] == 0 else ()
            self.assertEqual(*({name: value for name, value in row.items() if name not in drop} for row in (found, expected)), trace)
            compared += bool(expected["useful_sum_ns"])
        self.assertGreater(compared, 20)


if __name__ == "__main__":
    unittest.main()
