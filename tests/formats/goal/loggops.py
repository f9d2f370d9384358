"""A schedule in GOAL, simulated by the rules of LogGOPS as ../../docs or "quipu replay" has them: the ends of all ranks.

Labels, dependences and what they wait for are those of the file; the n-th send of a rank to another one under a tag is received by its n-th
receive from there. What is computed, sent and received on a CPU of a rank happens in the order of the file; a receive takes its processor when
something requires it. Times are whole nanoseconds, products are rounded half up.
"""
import collections
import fractions
import heapq
import re

LINE = re.compile(r"(l\d+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))(?: cpu (\d+))?$")
DEPENDENCE = re.compile(r"(l\d+) (i?requires) (l\d+)$")


class Operation:
    def __init__(self, rank, match):
        self.rank, self.cpu, self.kind = rank, int(match[7] or 0), match[3] or "calc"
        self.size, self.peer, self.tag = int(match[2] or match[4]), int(match[5] or 0), match[6]
        self.requires, self.other, self.posted, self.arrival, self.left, self.is_done = [], None, None, None, None, False


def parse(text):
    """Lists of operations by (rank, CPU); every line is one of the language."""
    lines = [line for line in text.split("\n") if line]
    ranks, programs, labels, rank = int(re.fullmatch(r"num_ranks (\d+)", lines[0])[1]), collections.OrderedDict(), {}, None
    for line in lines[1:]:
        if rank is None:
            rank, labels = int(re.fullmatch(r"rank (\d+) \{", line)[1]), {}
        elif line == "}":
            rank = None
        elif DEPENDENCE.match(line):
            later, kind, earlier = DEPENDENCE.match(line).groups()
            assert labels[later].is_last and earlier in labels, line
            if kind == "requires":
                labels[later].requires.append(labels[earlier])
        else:
            match = LINE.match(line)
            assert match and match[1] not in labels, line
            operation = labels[match[1]] = Operation(rank, match)
            for other in labels.values():
                other.is_last = other is operation
            programs.setdefault((rank, operation.cpu), []).append(operation)
    waiting = collections.defaultdict(collections.deque)
    for operation in (each for program in programs.values() for each in program if each.kind != "calc"):
        ends = (operation.rank, operation.peer) if operation.kind == "send" else (operation.peer, operation.rank)
        opposite = waiting[(*ends, operation.tag, "recv" if operation.kind == "send" else "send")]
        if opposite:
            operation.other = opposite.popleft()
            operation.other.other = operation
        else:
            waiting[(*ends, operation.tag, operation.kind)].append(operation)
    assert not any(waiting.values()), "a message has one end only"
    return ranks, programs


class Simulation:
    def __init__(self, text, latency, overhead, gap, per_byte="0", overhead_per_byte="0", eager=65535):
        self.ranks, self.programs = parse(text)
        self.L, self.o, self.g, self.S = latency, overhead, gap, eager
        self.G, self.O = fractions.Fraction(per_byte), fractions.Fraction(overhead_per_byte)
        self.now = dict.fromkeys(self.programs, 0)
        self.out_free, self.in_free = [collections.Counter() for _ in range(2)]
        self.next = dict.fromkeys(self.programs, 0)
        self.heap = [(0, 1, location) for location in self.programs]
        self.parked = {}

    @staticmethod
    def times(size, factor):
        return int((size - 1) * factor + fractions.Fraction(1, 2))

    def is_large(self, send):
        return send.size > self.S and send.peer != send.rank

    def leave(self, operation, time, size):
        """Puts a message, or its request, into the network: when the processor is free again, and when it arrives."""
        location = (operation.rank, operation.cpu)
        begin = max(time, self.out_free[location])
        self.out_free[location] = begin + self.g + self.times(size, self.G)
        return begin + self.o + self.times(size, self.O), begin + self.o + self.L

    def wake(self, operation):
        location = self.parked.pop(operation, None)
        if location:
            heapq.heappush(self.heap, (self.now[location], 1, location))

    def answer(self, send):
        """A large message whose request has come and whose receive is posted."""
        if self.is_large(send) and send.arrival is not None and send.other.posted is not None and not send.is_done:
            send.is_done = True
            heapq.heappush(self.heap, (max(send.arrival, send.other.posted) + self.o + self.L, 0, id(send), send))

    def send(self, location, operation):
        is_large = self.is_large(operation)
        self.now[location], operation.arrival = self.leave(operation, self.now[location], 1 if is_large else operation.size)
        if is_large:
            self.answer(operation)
        else:
            operation.left, operation.other.arrival = self.now[location], operation.arrival
            self.wake(operation.other)

    def is_complete(self, location, operation):
        if operation.kind == "send":
            self.now[location] = max(self.now[location], operation.left or 0)
            return operation.left is not None
        if operation.kind == "recv" and not operation.is_done:
            if operation.arrival is None:
                return False
            size = operation.other.size
            begin = max(self.now[location], operation.arrival, self.in_free[location])
            self.now[location] = begin + self.o + max(self.times(size, self.O), self.times(size, self.G))
            self.in_free[location] = begin + self.g + self.times(size, self.G)
            operation.is_done = True
        return True

    def step(self, location):
        program = self.programs[location]
        is_over = self.next[location] == len(program)
        for needed in program[-1:] if is_over else program[self.next[location]].requires:
            if not self.is_complete(location, needed):
                self.parked[needed] = location
                return
        if is_over:
            return
        operation = program[self.next[location]]
        self.next[location] += 1
        if operation.kind == "calc":
            self.now[location] += operation.size
        elif operation.kind == "send":
            self.send(location, operation)
        else:
            operation.posted = self.now[location]
            self.answer(operation.other)
        heapq.heappush(self.heap, (self.now[location], 1, location))

    def run(self):
        """The end of each rank."""
        while self.heap:
            time, is_step, what, *send = heapq.heappop(self.heap)
            if is_step:
                self.step(what)
            else:
                send[0].left, send[0].other.arrival = self.leave(send[0], time, send[0].size)
                self.wake(send[0])
                self.wake(send[0].other)
        assert not self.parked, "some operations wait for ever"
        return [max([now for location, now in self.now.items() if location[0] == rank], default=0) for rank in range(self.ranks)]
