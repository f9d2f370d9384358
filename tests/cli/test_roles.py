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

    def test_roles_ends_of_operations_belong_to_their_beginnings(self):
        """A barrier of 10 to 90 ns, around which calls of allreduce begin and end."""
        trace = self.write("nb.otf", "1:1,2\n")
        self.write("nb.0.def", 'DTR3b9aca00\nDP1NM"rank 0"\nDP2NM"rank 1"\nDPG64M1,2,NM"MPI_COMM_WORLD"\nDFG1NM"MPI"\nDF2G1NM"MPI_Ibarrier"\n'
                   'DF3G1NM"MPI_Wait"\nDCO258NM"MPI_Ibarrier"Y1\nDF4G1NM"MPI_Allreduce"\nDCO259NM"MPI_Allreduce"Y4\n')
        self.write("nb.1.events", "a\n*1\nE2\nCOPB258H1C64RT0S0R0\n*2\nE2\nCOPB258H2C64RT0S0R0\nc\n*1\nL2\nE4\nCOPB259H3C64RT0S8R8\n"
                   "*2\nL2\nE4\nCOPB259H4C64RT0S8R8\n20\n*1\nCOPE3\nL4\n*2\nCOPE4\nL4\n32\n*1\nE3\n*2\nE3\n5a\n*1\nCOPE1\nL3\n*2\nCOPE2\nL3\n")
        picl = self.convert(trace, "nb.picl")
        done = subprocess.run([programs.QUIPU, "cat", "--json", "-k", "collective_end", picl], stdout=subprocess.PIPE, check=True)
        ends = sorted((event["time_ns"], event["operation"]) for event in map(json.loads, done.stdout.splitlines()))
        self.assertEqual([(32, "allreduce")] * 2 + [(90, "barrier")] * 2, ends)

    # ---- What encloses ----

    def test_roles_what_encloses_tracing_is_no_activity(self):
        """One second of tracing, of which 0.3 s receive: the rest is the program's own time."""
        for event in ("-901", "-1"):
            trace = self.write("t.picl", f"-3 {event} 0.000000 0 -1 0\n-3 -52 0.200000 0 -1 1 2 7\n-4 -52 0.500000 0 -1 3 2 8 7 0\n"
                                         f"-4 {event} 1.000000 0 -1 0\n")
            row = self.efficiency(trace)
            self.assertEqual((row["useful_sum_ns"], row["parallel_efficiency"]), (700000000, 0.7), event)

    # needs: shared
    # needs: shared
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
    # needs: shared
    def test_roles_of_dumpi_calls_give_the_same_efficiency_as_picl(self):
        """But for threads, which PICL does not have; and where all members of a communicator make calls together that are no communication, such as
        constructors, which PICL has no word for, but for what follows from an ideal network."""
        compared = 0
        for trace in sorted((SHARED / "dumpi").glob("*/*.meta")):
            if trace.parent.name == "threads-ompi":
                continue
            try:
                expected = self.efficiency(trace)
            except AssertionError:  # a rank is not there
                continue
            found = self.efficiency(self.convert(trace, "x.picl"))
            drop = ("roi_begin_ns", "roi_end_ns") if expected["locations"] == 0 else ()
            if any(row[2] == "other" for row in self.collectives(trace)):
                drop = [name for name in expected if name.startswith(("ideal", "serialisation", "transfer"))]
            self.assertEqual(*({name: value for name, value in row.items() if name not in drop} for row in (found, expected)), trace)
            compared += bool(expected["useful_sum_ns"])
        self.assertGreater(compared, 20)

    # ---- Roots and communicators ----

    def collectives(self, trace):
        """Of each collective operation: root and members of the communicator, as ranks, and who takes part."""
        tables = programs.tables("definitions", trace)
        ranks = {row["number"]: row["rank"] for row in tables["locations"]}
        parents = {row["number"]: row["parent"] for row in tables["locations"]}
        members = {}

        def rank_of(number):
            while number is not None and ranks[number] is None:
                number = parents[number]
            return None if number is None else ranks[number]

        for row in tables["communicators"]:
            spans = [[int(number) for number in span.split("-")] for span in row["members"].split(",") if span]
            members[row["number"]] = [rank_of(number) for span in spans for number in range(span[0], span[-1] + 1)]
        text = subprocess.run([programs.QUIPU, "cat", "-q", "--json", trace, "--kind", "collective_begin,collective_end"], capture_output=True, text=True, check=True)
        rows = map(json.loads, text.stdout.splitlines())
        return sorted(((row["kind"], rank_of(row["location"]), row["operation"], rank_of(row["root"]), members.get(row["communicator"])) for row in rows
                       if row["region_name"] != "MPI_Comm_split"), key=str)  # which makes communicators in DUMPI

    def sub_communicators(self, word):
        """Four processes; the second and fourth one, and the first and third one in another order, have communicators of their own, and so have all in another
        order. Operations on them have roots. Names of all but the world begin with the word."""
        groups = {9: [1, 2, 3, 4], 5: [2, 4], 6: [3, 1], 7: [4, 3, 2, 1]}
        calls = ((9, 2, 4), (5, 1, 4), (6, 1, 1), (7, 1, 2), (5, 3, 2))
        lines = ["DTR3b9aca00", *(f'DP{i}NM"p{i}"' for i in range(1, 5)), 'DFG1NM"MPI"',
                 *(f'DPG{token}M{",".join(map(str, members))},NM"{"MPI_COMM_WORLD" if token == 9 else f"{word} {token}"}"' for token, members in groups.items()),
                 *(f'DF{number}G1NM"{name}"\nDCO{number}NM"{name}"Y{kind}' for number, name, kind in ((1, "MPI_Bcast", 2), (2, "MPI_Gather", 3), (3, "MPI_Reduce", 3)))]
        self.write("s.0.def", "\n".join(lines) + "\n")
        self.write("s.otf", "1:1\n2:2\n3:3\n4:4\n")
        expected = []
        for process in range(1, 5):
            events = []
            for number, (token, operation, root) in enumerate(calls):
                if process in groups[token]:
                    events += [f"{number * 16 + 10:x}", f"*{process}", f"E{operation}", f"COPB{operation}H{number + 1}C{token}RT{root}S8R8",
                               f"{number * 16 + 20:x}", f"*{process}", f"COPE{number + 1}", f"L{operation}"]
                    name = ("", "bcast", "gather", "reduce")[operation]
                    expected += [(kind, process - 1, name, root - 1, [member - 1 for member in groups[token]]) for kind in ("collective_begin", "collective_end")]
            self.write(f"s.{process}.events", "\n".join(events) + "\n")
        return self.path("s.otf"), sorted(expected, key=str)

    def test_roles_roots_and_communicators_survive_conversions(self):
        for word in ("MPI", "part"):  # what has another name is one where nothing says that it is none
            trace, expected = self.sub_communicators(word)
            self.assertEqual(self.collectives(trace), expected)
            for target in ("dumpi", "ovni"):
                copy = self.convert(trace, f"{word}-{target}", "--to", target)
                self.assertEqual(self.collectives(copy), expected, (word, target))
                self.assertEqual(subprocess.run([programs.QUIPU, "check", "-q", copy], check=False, stdout=subprocess.DEVNULL).returncode, 0)
            copy = self.collectives(self.convert(trace, f"{word}.picl"))  # a set has no order
            self.assertEqual([(*row[:4], sorted(row[4])) for row in copy], [(*row[:4], sorted(row[4])) for row in sorted(expected, key=lambda row: str((*row[:4], sorted(row[4]))))])


if __name__ == "__main__":
    unittest.main()
