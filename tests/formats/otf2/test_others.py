"""Archives as others write them, with the original library from Python."""
import csv
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "house"), str(Path(__file__).resolve().parent)]
from house import BUILD  # noqa: E402
from test_writing import python_with_otf2  # noqa: E402

# One process; region and write make what a test needs.
HEAD = """
import sys, otf2
from otf2.enums import *
with otf2.writer.open(sys.argv[1], timer_resolution=1000000000) as trace:
    definitions = trace.definitions
    node = definitions.system_tree_node("node")
    process = definitions.location_group("rank 0", system_tree_parent=node)
    location = definitions.location("main thread", group=process)
    def region(name, role, paradigm):
        return definitions.region(name, region_role=role, paradigm=paradigm)
    write = trace.event_writer_from_location(location)
"""


@unittest.skipUnless(python_with_otf2(), "without python3-otf2")
class Others(unittest.TestCase):
    def write(self, body):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        archive = Path(folder.name, "archive")
        program = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
        subprocess.run([python_with_otf2(), "-c", program, archive], check=True)
        return archive / "traces.otf2"

    def rows(self, *words):
        done = subprocess.run([BUILD / "quipu", *words], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def efficiency(self, *calls):
        """Of a process that is in each of these calls for 100 ns, one after the other; a call: name, role and paradigm."""
        lines = []
        for k, (name, role, paradigm) in enumerate(calls):
            lines += [f"r{k} = region({name!r}, RegionRole.{role}, Paradigm.{paradigm})", f"write.enter({100 * k}, r{k})", f"write.leave({100 * k + 100}, r{k})"]
        row, = self.rows("efficiency", "--csv", "--table", "efficiency", self.write("\n".join(lines)))
        return float(row["parallel_efficiency"])

    def test_others_regions_without_a_paradigm_are_functions(self):
        """It is what Python's definitions have where nothing is said; Quipu's own idle regions are artificial, too."""
        self.assertEqual(1, self.efficiency(("compute", "FUNCTION", "NONE"), ("loop", "LOOP", "NONE")))
        self.assertEqual(0.5, self.efficiency(("compute", "FUNCTION", "NONE"), ("idle", "ARTIFICIAL", "NONE")))

    def test_others_communication_need_not_be_of_mpi(self):
        self.assertEqual(0.25, self.efficiency(("compute", "FUNCTION", "USER"), ("shmem_broadcast", "COLL_ONE2ALL", "SHMEM"), ("gaspi_write", "RMA", "GASPI"),
                                               ("upc_notify", "BARRIER", "UPC")))

    def test_others_operations_on_files_have_numbers_of_each_handle(self):
        """A read of A takes from 0 to 1000, a write of B from 900 to 2000; both have number 1."""
        archive = self.write("""
posix = definitions.io_paradigm(identification="POSIX", name="POSIX I/O", io_paradigm_class=IoParadigmClass.SERIAL, io_paradigm_flags=IoParadigmFlag.NONE)
handles = [definitions.io_handle(name, file=definitions.io_regular_file(name, scope=node), io_paradigm=posix, io_handle_flags=IoHandleFlag.NONE) for name in "AB"]
write.io_operation_begin(0, handles[0], IoOperationMode.READ, IoOperationFlag.NON_BLOCKING, 10, 1)
write.io_operation_begin(900, handles[1], IoOperationMode.WRITE, IoOperationFlag.NON_BLOCKING, 20, 1)
write.io_operation_complete(1000, handles[0], 10, 1)
write.io_operation_complete(2000, handles[1], 20, 1)
""")
        files = {row["file"]: row for row in self.rows("io", "--csv", "--table", "io_files", archive)}
        self.assertEqual(("1000", "10", "0"), tuple(files["A"][name] for name in ("read_ns", "bytes_read", "write_ns")))
        self.assertEqual(("1100", "20", "0"), tuple(files["B"][name] for name in ("write_ns", "bytes_written", "read_ns")))
        operations = [(row["begin_ns"], row["duration_ns"], row["operation"], row["file"], row["bytes"]) for row in self.rows("table", "io", "--csv", archive)]
        self.assertEqual([("0", "1000", "read", "A", "10"), ("900", "1100", "write", "B", "20")], operations)

    def test_others_meters_are_no_processors(self):
        """Counters of a node, which has a location of its own for them: nothing runs there. Without it, and with it, a process computes for 100 of 200 ns."""
        rows = []
        for meter in ("", """
power = definitions.metric_class([definitions.metric_member("power", metric_type=MetricType.OTHER, metric_mode=MetricMode.ABSOLUTE_POINT, value_type=Type.UINT64, unit="W")])
values = trace.event_writer_from_location(definitions.location("meter", type=LocationType.METRIC, group=process))
for time in (0, 100, 200): values.metric(time, power, [time])
"""):
            archive = self.write("""
compute, send = region("compute", RegionRole.FUNCTION, Paradigm.USER), region("MPI_Barrier", RegionRole.BARRIER, Paradigm.MPI)
for time, of in ((0, compute), (100, send)):
    write.enter(time, of)
    write.leave(time + 100, of)
""" + meter)
            rows.append([self.rows(*words, archive) for words in (("efficiency", "--csv", "--table", "efficiency"), ("imbalance", "--csv"), ("waits", "--csv"))])
            if meter:
                kinds = {row["name"]: row["kind"] for row in self.rows("definitions", "--csv", archive, "locations")}
                self.assertEqual("meter", kinds["meter"])
                self.assertEqual(3, len(self.rows("table", "counters", "--csv", archive)))
        self.assertEqual("0.5", rows[0][0][0]["parallel_efficiency"])
        self.assertEqual(rows[0], rows[1])

    def test_others_parameters_have_names_and_texts(self):
        archive = self.write("""
size = definitions.parameter("size", parameter_type=ParameterType.UINT64)
kind = definitions.parameter("kind", parameter_type=ParameterType.STRING)
write.parameter_unsigned_int(100, size, 7)
write.parameter_string(200, kind, "dense")
""")
        notes = [json.loads(row["attributes"]) for row in self.rows("table", "events", "--csv", archive) if row["kind"] == "note"]
        self.assertEqual([{"parameter": "size", "value": 7}, {"parameter": "kind", "value": "dense"}], notes)

    def test_others_one_sided_operations_have_numbers_of_each_window(self):
        archive = self.write("""
ranks = definitions.group("ranks", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=[location])
world = definitions.comm("world", group=definitions.group("world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=[0]))
windows = [definitions.rma_win(name, comm=world) for name in "ab"]
write.rma_put(0, windows[0], 0, 10, 1)
write.rma_get(900, windows[1], 0, 20, 1)
write.rma_op_complete_blocking(1000, windows[0], 1)
write.rma_op_complete_blocking(2000, windows[1], 1)
""")
        ends = [(row["time_ns"], row["operation"], row["bytes"]) for row in self.rows("table", "events", "--csv", archive) if row["kind"] == "rma_end"]
        self.assertEqual([("1000", "put", "10"), ("2000", "get", "20")], ends)


if __name__ == "__main__":
    unittest.main()
