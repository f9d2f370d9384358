"""comm: messages and bytes of pairs, lengths, and patterns, on programs whose answers are counted by hand."""
import itertools
import os
import pathlib
import shutil
import subprocess
import unittest

import programs
from folder import FolderTest


EXAMPLE = os.path.join(os.environ.get("QUIPU_SOURCE", "."), "examples", "traces", "phases")


def exchange(processes, edges, length=8):
    """All send to their receivers, then all receive: sent at 10, 20 ..., received from 1000 on."""
    program = [[] for _ in range(processes)]
    for sender, receiver in edges:
        when = 10 * (len(program[sender]) // 3 + 1)
        program[sender] += programs.send(when, when + 1, receiver, length=length)
    for sender, receiver in edges:
        when = 1000 + len(program[receiver])
        program[receiver] += programs.receive(when, when + 1, sender, length=length)
    return program


class Comm(FolderTest):
    def comm(self, program, *options):
        return programs.tables("comm", programs.write(self.path("t.otf"), program), *options)

    def pattern(self, processes, edges):
        found = self.comm(exchange(processes, edges))["pattern"]
        return tuple(found[0].values()) if found else None

    def test_comm_counts_messages_and_times_of_pairs(self):
        found = self.comm([programs.send(10, 12, 1, length=100) + programs.send(20, 22, 1, length=28),
                           programs.receive(11, 15, 0, length=100) + programs.receive(16, 40, 0, length=28)])
        self.assertEqual(found["pairs"], [{"sender": "rank 0", "sender_id": 1, "receiver": "rank 1", "receiver_id": 2,
                                           "messages": 2, "bytes": 128, "min_ns": 5, "max_ns": 20, "mean_ns": 13}])
        self.assertEqual([tuple(row.values()) for row in found["sizes"]], [(16, 31, 1, 28), (64, 127, 1, 100)])

    def dot(self, trace, *options):
        done = subprocess.run([programs.QUIPU, "comm", trace, "--dot", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode()

    def test_comm_draws_a_graph(self):
        trace = programs.write(self.path("t.otf"), [programs.send(10, 12, 1, length=100) + programs.send(20, 22, 1, length=28)
                                                    + programs.receive(30, 50, 1, length=64),
                                                    programs.receive(11, 15, 0, length=100) + programs.receive(16, 40, 0, length=28)
                                                    + programs.send(40, 41, 0, length=64)])
        definitions = pathlib.Path(self.path("t.0.def"))
        definitions.write_text(definitions.read_text(encoding="ascii").replace("rank 1", r"the\second"), encoding="ascii")
        # Of 1 to 8 points: 128 bytes are 8, and 64 are 1 + 7 * 64 / 128 = 4.5.
        graph = ['digraph "pairs" {', "  node [shape=box];", '  "1" [label="rank 0"];', '  "2" [label="the\\\\second"];',
                 '  "1" -> "2" [messages=2, bytes=128, label="128 in 2", penwidth=8.0];',
                 '  "2" -> "1" [messages=1, bytes=64, label="64 in 1", penwidth=4.5];', "}", ""]
        self.assertEqual(self.dot(trace), (0, "\n".join(graph)))
        self.assertEqual(self.dot(trace, "-n", "1"), (0, "\n".join(graph[:5] + graph[6:])))
        self.assertEqual(self.dot(trace, "--where", "bytes > 1000"), (0, "\n".join(graph[:2] + graph[6:])))
        self.assertEqual(self.dot(trace, "--table", "sizes"), (2, ""))
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tplain"], input="\n".join(graph).encode(), stdout=subprocess.DEVNULL, check=True)

    def test_comm_counts_the_messages_that_are_asked_for(self):
        program = [programs.send(10, 12, 1, tag=5, length=100) + programs.send(20, 22, 1, tag=6, length=2000),
                   programs.receive(11, 15, 0, tag=5, length=100) + programs.receive(16, 40, 0, tag=6, length=2000)
                   + programs.send(50, 51, 0, tag=5, length=300), ]
        program[0] += programs.receive(49, 60, 1, tag=5, length=300)
        for expression, counted in (("bytes > 150", [("rank 0", 1, 2000), ("rank 1", 1, 300)]),
                                  ("location == \"rank 0\"", [("rank 0", 2, 2100)]),
                                  ("tag == 5 && location ~ '1'", [("rank 1", 1, 300)]),
                                  ("time < 11ns || peer == 'rank 0'", [("rank 1", 1, 300), ("rank 0", 1, 100)]),
                                  ("region ~ Send", [("rank 0", 2, 2100), ("rank 1", 1, 300)]),
                                  ("region ~ Recv", [])):
            with self.subTest(expression=expression):
                found = self.comm(program, "--where", expression)
                self.assertEqual([(row["sender"], row["messages"], row["bytes"]) for row in found["pairs"]], counted)
                self.assertEqual(sum(row["messages"] for row in found["sizes"]), sum(messages for _, messages, _ in counted))

    def test_comm_selects_the_members_of_collective_operations(self):
        found = programs.tables("comm", EXAMPLE, "--collectives", "--where", "rank == 1 && family == collective")
        self.assertTrue(found["pairs"])
        self.assertEqual({row["sender"] for row in found["pairs"]}, {"rank 1"})
        everything = programs.tables("comm", EXAMPLE, "--collectives", "--where", "family == collective")["pairs"]
        self.assertEqual([row for row in everything if row["sender"] == "rank 1"], found["pairs"])

    def test_comm_refuses_expressions_that_it_cannot_evaluate(self):
        for expression, message in (("byts > 1", "unknown field"), ("bytes >", "bytes >^"), ("duration > 1us", ": ^duration > 1us"),
                                    ("rank == 1 && duration > 1us", ": rank == 1 && ^duration > 1us"),
                                    ("kind == recv", "true for none: ^kind == recv"), ("family == io", ": ^family == io")):
            done = subprocess.run([programs.QUIPU, "comm", EXAMPLE, "--where", expression], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(message, done.stderr.decode().splitlines()[0])

    def test_comm_sorts_pairs_by_bytes_then_messages_then_names(self):
        program = exchange(4, [(0, 1), (0, 2), (0, 2), (3, 1)], 8)
        self.assertEqual([(row["sender"], row["receiver"], row["bytes"]) for row in self.comm(program)["pairs"]],
                         [("rank 0", "rank 2", 16), ("rank 0", "rank 1", 8), ("rank 3", "rank 1", 8)])

    def test_comm_leaves_messages_without_partner_out(self):
        program = [programs.send(10, 11, 1, tag=5), programs.receive(10, 11, 0, tag=6)]
        self.assertEqual(self.comm(program)["pairs"], [])
        self.assertEqual(self.comm(program)["pattern"], [])

    def test_comm_recognises_patterns(self):
        self.assertEqual(self.pattern(5, [(i, (i + 1) % 5) for i in range(5)]), ("ring", "", 1.0))
        self.assertEqual(self.pattern(4, [(i, i + 1) for i in range(3)]), ("chain", "", 1.0))
        self.assertEqual(self.pattern(5, list(itertools.permutations(range(5), 2))), ("all-to-all", "", 1.0))
        self.assertEqual(self.pattern(6, [(0, i) for i in range(1, 6)] + [(i, 0) for i in range(1, 6)]),
                         ("master-worker", "master 0", 1.0))
        self.assertEqual(self.pattern(8, [(i ^ bit, i) for i in range(8) for bit in (1, 2, 4)]),
                         ("stencil-3d", "2x2x2", 1.0))

    def test_comm_says_irregular_when_nothing_fits(self):
        self.assertEqual(self.pattern(8, [(0, 5), (5, 2), (2, 0)])[0], "irregular")

    def test_comm_rotated_rings_are_rings(self):
        for shift in range(5):
            edges = [((i + shift) % 5, (i + shift + 1) % 5) for i in range(5)]
            self.assertEqual(self.pattern(5, edges), ("ring", "", 1.0))

    def test_comm_counts_transfers_of_collectives_on_request(self):
        program = [programs.collective("MPI_Bcast", 10, 20, 1, root=0) for _ in range(3)]
        self.assertEqual(self.comm(program)["pairs"], [])
        found = self.comm(program, "--collectives")["pairs"]
        self.assertEqual([(row["sender"], row["receiver"], row["messages"], row["bytes"], row["min_ns"]) for row in found],
                         [("rank 0", "rank 1", 1, 8, None), ("rank 0", "rank 2", 1, 8, None)])

    def test_comm_counts_all_operations_of_a_communicator(self):
        program = [sum((programs.collective("MPI_Allreduce", 10 * i + 1, 10 * i + 5, i + 1) for i in range(3)), []) for _ in range(4)]
        found = self.comm(program, "--collectives")
        self.assertEqual({(row["sender_id"], row["receiver_id"]): (row["messages"], row["bytes"]) for row in found["pairs"]},
                         {pair: (3, 24) for pair in itertools.permutations(range(1, 5), 2)})
        self.assertEqual([tuple(row.values()) for row in found["sizes"]], [(8, 15, 3 * 4 * 3, 3 * 4 * 3 * 8)])

    def test_comm_has_a_row_for_each_sender_of_a_large_communicator(self):
        count = 1025
        program = [sum((programs.collective("MPI_Allreduce", 10 * i + 1, 10 * i + 5, i + 1) for i in range(2)), []) for _ in range(count)]
        found = self.comm(program, "--collectives")
        self.assertEqual({(row["sender_id"], row["receiver"], row["messages"], row["bytes"]) for row in found["pairs"]},
                         {(i + 1, None, 2 * (count - 1), 2 * (count - 1) * 8) for i in range(count)})
        self.assertEqual([tuple(row.values()) for row in found["sizes"]],
                         [(8, 15, 2 * count * (count - 1), 2 * count * (count - 1) * 8)])

    def test_comm_draws_a_map(self):
        found = self.comm(exchange(3, [(0, 1), (1, 2), (2, 0)]))["matrix"]
        self.assertEqual([row["receivers"] for row in found], ["| # |", "|  #|", "|#  |"])


if __name__ == "__main__":
    unittest.main()
