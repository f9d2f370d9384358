"""What is recorded of a program's MPI calls is what it did."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recorder import RecorderTest  # noqa: E402


def received(status):
    return status["bytes"], status["source"], status["tag"]


class Collect(RecorderTest):
    def check_basics(self, mpi):
        program = self.compile(mpi, "basics.c")
        done = self.record(mpi, 4, program)
        self.assertEqual((0, "total 6\n"), (done.returncode, done.stdout))
        self.assertEqual(set(), self.check())
        calls = self.calls(3)
        self.assertEqual(
            ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Recv", "MPI_Isend",
             "MPI_Recv", "MPI_Wait", "MPI_Recv", "MPI_Allreduce", "MPI_Gather", "MPI_Gatherv", "Function_enter",
             "MPI_Send_init", "Function_exit", "MPI_Wait", "MPI_Comm_split", "MPI_Type_vector", "MPI_Type_commit", "MPI_Bcast", "MPI_Bcast",
             "MPI_Type_free", "MPI_Comm_free", "MPI_Finalize"], [name for name, _ in calls])
        fields = [fields for _, fields in calls]

        def has(number, **expected):
            self.assertEqual(expected, {key: fields[number].get(key) for key in expected}, calls[number][0])

        has(1, comm=2, rank=3)
        has(2, comm=2, size=4)
        has(3, count=1, datatype=9, dest=0, tag=5, comm=2)
        has(4, source=-1, tag=5)  # MPI_ANY_SOURCE
        has(5, count=2, requests=[fields[3]["request"], fields[4]["request"]])
        self.assertEqual((4, 2, 5), received(fields[5]["statuses"][1]))  # which the program ignores, as that of 8
        has(6, source=2, tag=-1)  # MPI_ANY_TAG
        self.assertEqual([(4, 2, 7)], [received(status) for status in fields[6]["status"]])
        self.assertEqual([0], [status["cancelled"] for status in fields[6]["status"]])
        self.assertEqual([(4, 2, 9)], [received(status) for status in fields[8]["status"]])
        has(10, source=-2)  # MPI_PROC_NULL
        has(11, op=3, datatype=9)  # MPI_SUM, MPI_INT
        has(12, commrank=3, root=0, sendcount=1, sendtype=9, recvcount=None, recvtype=None)
        has(13, commrank=3, commsize=4, root=3, recvcounts=[1, 1, 1, 1], displs=[0, 1, 2, 3], recvtype=9)
        has(15, count=0, dest=0, tag=-1000, comm=2, request=fields[17]["request"])  # MPI_Ibarrier is the first of later_calls.def
        has(18, oldcomm=2, color=1, newcomm=4)
        has(19, count=3, blocklength=1, stride=2, oldtype=14, newtype=28)
        has(21, count=1, datatype=28, root=0, comm=4)
        has(22, datatype=29)  # MPI_INT32_T has no number of its own
        has(23, datatype=28)
        labels = self.section(3, "addresses")["addresses"]
        self.assertEqual(["MPI_Ibarrier"], [label["name"] for label in labels])
        self.assertEqual([24, 4], self.section(3, "sizes")["sizes"][28:])
        self.assertEqual({26 - 2}, {self.section(3, "footer")["called"][290]})

    def check_fortran(self, mpi, module):
        program = self.compile(mpi, "basics.F90", f"-DWITH_{module}")
        done = self.record(mpi, 2, program)
        self.assertEqual((0, "total 1 1 second\n" * 2), (done.returncode, done.stdout))
        self.assertEqual(set(), self.check())
        calls = self.calls(1)
        self.assertEqual(
            ["MPI_Init", "MPI_Comm_rank", "MPI_Irecv", "MPI_Send", "MPI_Waitsome", "MPI_Comm_dup", "MPI_Comm_set_name",
             "MPI_Comm_get_name", "MPI_Type_contiguous", "MPI_Type_commit", "MPI_Sendrecv", "MPI_Recv", "MPI_Allreduce",
             "MPI_Type_free", "MPI_Comm_free", "MPI_Finalize"], [name for name, _ in calls])
        self.assertEqual(0, calls[0][1]["argc"])
        waitsome = calls[4][1]
        self.assertEqual([1, calls[2][1]["request"]], waitsome["requests"])
        self.assertEqual((1, [1]), (waitsome["outcount"], waitsome["indices"]))
        self.assertEqual([(16, 0, 3)], [received(status) for status in waitsome["statuses"]])
        self.assertEqual("second", calls[6][1]["name"])
        self.assertEqual(("second", 6), (calls[7][1]["name"], calls[7][1]["resultlen"]))
        self.assertEqual([(4, 0, 4)], [received(status) for status in calls[10][1]["status"]])  # which the program ignores
        self.assertEqual(-2, calls[11][1]["source"])
        self.assertEqual([4, 8, 24], self.section(1, "sizes")["sizes"][28:])
        self.assertEqual(16, self.section(1, "footer")["called"][290])
        self.assertEqual(0, self.section(1, "footer")["ignored"][290])

    def test_collect_large_counts(self):
        program = self.compile("mpich", "counts.c")
        self.assertEqual(0, self.record("mpich", 2, program).returncode)
        self.assertEqual(set(), self.check())
        calls = self.calls(1)
        self.assertEqual(["MPI_Init", "MPI_Comm_rank", "MPI_Sendrecv", "MPI_Get_count", "MPI_Allgatherv", "MPI_Finalize"],
                         [name for name, _ in calls])
        self.assertEqual((2, 2, 8), (calls[2][1]["sendcount"], calls[2][1]["recvcount"], calls[2][1]["status"][0]["bytes"]))
        self.assertEqual(2, calls[3][1]["count"])
        self.assertEqual(([1, 3], [0, 1]), (calls[4][1]["recvcounts"], calls[4][1]["displs"]))

    def test_collect_counts_of_more_than_32_bits(self):
        """3,000,000,000 and 2^32 + 1 of huge.c; 2^31 - 1 fits."""
        program = self.compile("mpich", "huge.c")
        done = self.start("mpich", 1, program)
        self.assertEqual(0, done.returncode, done.stderr)
        collected = self.collect()
        self.assertEqual((0, "quipu: 2 counts or sizes above 2147483647 were recorded as that: DUMPI has 32 bits\n"),
                         (collected.returncode, collected.stderr))
        calls = dict(self.calls(0))
        self.assertEqual([(2147483647, 5), 2147483647, 2147483647],
                         [(calls["MPI_Sendrecv"]["sendcount"], calls["MPI_Sendrecv"]["recvcount"]), calls["MPI_Send"]["count"], calls["MPI_Bcast"]["count"]])

    def test_collect_fortran_in_every_spelling(self):
        for mpi, library in (("openmpi", "-lmpi_mpifh"), ("mpich", "-lmpichfort")):
            with self.subTest(mpi):
                program = self.compile(mpi, "spellings.c", "-Wl,--no-as-needed", library)
                self.assertEqual(0, self.record(mpi, 1, program).returncode)
                self.assertEqual(set(), self.check())
                calls = self.calls(0)
                self.assertEqual(["MPI_Init", *["MPI_Barrier"] * 4, "MPI_Wtime", "MPI_Finalize"], [name for name, _ in calls])
                self.assertEqual([2] * 4, [fields["comm"] for name, fields in calls if name == "MPI_Barrier"])

    def test_collect_openmpi(self):
        self.check_basics("openmpi")

    def test_collect_openmpi_in_fortran(self):
        for module in ("MPIF", "MODULE", "F08"):
            with self.subTest(module):
                self.check_fortran("openmpi", module)

    def test_collect_mpich_in_fortran(self):
        for module in ("MPIF", "MODULE", "F08"):
            with self.subTest(module):
                self.check_fortran("mpich", module)

    def test_collect_mpich(self):
        self.check_basics("mpich")


if __name__ == "__main__":
    unittest.main()
