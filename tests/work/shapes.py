"""Traces of a number of bytes whose shape is extreme: how deep calls are nested, in which order they are left, how many take part.

A shape is a row of SHAPES: a function of a size that gives the files of an OTF trace, the first being the one to open. What it is in other
formats comes from conversion. Sizes are those of the events, more or less; text with numbers has no exact length.
"""
from bombs import otf

CALLS = b'DTR3b9aca00\nDP1NM"one"\nDF1G0NM"f"\nDF2G0NM"g"\nDF3G0NM"MPI_Send"\nDF4G0NM"MPI_Recv"\nDF5G0NM"MPI_Allreduce"\n'


class Lines:
    """Events as text, each later than the one before, until there are enough bytes."""

    def __init__(self, size):
        self.size, self.length, self.time, self.text = size, 0, 5, []

    def add(self, *records, process=None):
        where = "" if process is None else f"*{process:x}\n"
        text = f"{self.time:x}\n{where}" + "".join(record + "\n" for record in records)
        self.text.append(text)
        self.length += len(text)
        self.time += 1

    def is_full(self, share=1.0):
        return self.length >= self.size * share

    def trace(self, definitions=CALLS, processes=1, head="5\n*1\n"):
        events = (head + "".join(self.text)).encode()
        names = b"".join(b'DP%xNM"p%d"\n' % (i, i) for i in range(2, processes + 1))
        streams = ",".join(f"{i:x}" for i in range(1, processes + 1))
        return {"t.otf": f"1:{streams}\n".encode(), "t.0.def": definitions + names, "t.1.events": events}


def functions(count):
    return b"".join(b'DF%xG0NM"f%d"\n' % (i, i) for i in range(10, count + 10))


def entered(size):
    """Calls that are not left, at one time."""
    return otf(b"E1\n" * (size // 3), CALLS)


def nested(*regions, step=1):
    def files(size):
        lines, stack = Lines(size), []
        while not lines.is_full(0.5):
            stack.append(regions[len(stack) // step % len(regions)])
            lines.add(f"E{stack[-1]:x}")
        while stack:
            lines.add(f"L{stack.pop():x}")
        return lines.trace()
    return files


def nested_functions(is_outermost_first):
    """Calls of as many functions, left from either end."""
    def files(size):
        count = size // 40
        lines = Lines(size)
        for i in range(count):
            lines.add(f"E{i + 10:x}")
        for i in range(count) if is_outermost_first else reversed(range(count)):
            lines.add(f"L{i + 10:x}")
        return lines.trace(CALLS + functions(count))
    return files


def stairs(size):
    """Ever deeper calls that are left at once, so that there are many paths, and long ones."""
    lines = Lines(size)
    number = 0
    while not lines.is_full(0.7):
        lines.add(f"E{1 + number % 2}", "E3", "L3")
        number += 1
    return lines.trace()


def broad(size):
    count = size // 45
    lines = Lines(size)
    lines.add("E1")
    for i in range(count):
        lines.add(f"E{i + 10:x}", f"L{i + 10:x}")
    return lines.trace(CALLS + functions(count))


def other_leaves(size):
    """Deep calls, and leaves of a function that is not active."""
    return otf(b"E1\n" * (size // 6) + b"L2\n" * (size // 6), CALLS)


def unordered_calls(size):
    """Calls that alternate, in no period."""
    lines, number = Lines(size), 1
    while not lines.is_full():
        number = number * 1103515245 + 12345 & 0x7FFFFFFF
        region = 1 + (number >> 16) % 5
        lines.add(f"E{region}")
        lines.add(f"L{region}")
    return lines.trace()


def iterations(size):
    lines = Lines(size)
    while not lines.is_full():
        for region in (1, 2, 5):
            lines.add(f"E{region}")
            lines.add(f"L{region}")
    return lines.trace()


def master(workers, calls=True):
    """A master that gets a message of each worker in turn, and answers."""
    def files(size):
        lines = Lines(size)
        while not lines.is_full():
            for worker in range(2, workers + 2):
                if lines.is_full():
                    break
                lines.add(*("E3", "S1L8T1C0", "L3") if calls else ("S1L8T1C0",), process=worker)
                lines.add(*("E4", f"R{worker:x}L8T1C0", "L4") if calls else (f"R{worker:x}L8T1C0",), process=1)
        return lines.trace(processes=workers + 1)
    return files


def waiting_master(workers):
    """A master that enters a receive before its message is sent, from each of its workers in turn, who wait for the answer."""
    def files(size):
        lines = Lines(size)
        worker, seen = 1, 2
        while not lines.is_full():
            worker = worker % workers + 1
            here = worker + 1
            seen = max(seen, worker + 1)
            lines.add("E4", process=1)
            lines.add("E3", process=here)
            lines.add("S1L8T1C0", "L3", process=here)
            lines.add(f"R{here:x}L8T1C0", "L4", process=1)
            lines.add("E4", process=here)
            lines.add("E3", f"S{here:x}L8T2C0", "L3", process=1)
            lines.add("R1L8T2C0", "L4", process=here)
        return lines.trace(processes=seen + 1)
    return files


def all_to_all(processes):
    def files(size):
        lines = Lines(size)
        for distance in range(1, processes):
            for here in range(processes):
                if lines.is_full():
                    return lines.trace(processes=processes)
                there = (here + distance) % processes
                lines.add(f"S{there + 1:x}L8T1C0", process=here + 1)
                lines.add(f"R{here + 1:x}L8T1C0", process=there + 1)
        return lines.trace(processes=processes)
    return files


def unordered(size):
    """Messages of tags of their own, received from the latest to the earliest."""
    count = size // 60
    lines = Lines(size)
    for tag in range(count):
        lines.add(f"S2L8T{tag:x}C0", process=1)
    for tag in reversed(range(count)):
        lines.add(f"R1L8T{tag:x}C0", process=2)
    return lines.trace(processes=2)


def collectives(processes, late=False, calls=True):
    """All processes in operations of one communicator, in their order or late in turn."""
    def files(size):
        members = ",".join(f"{i:x}" for i in range(1, processes + 1)) + ","
        definitions = CALLS + b'DCO4NM"MPI_Allreduce"Y2\n' + f'DPGffffM{members}NM"world"\n'.encode()
        lines, handle = Lines(size), 1
        begin, end = (("E5",), ("L5",)) if calls else ((), ())
        while not lines.is_full():
            order = range(1, processes + 1) if not late else [(i * 7 + handle) % processes + 1 for i in range(processes)]
            for process in order:
                lines.add(*begin, f"COPB4H{handle:x}CffffRT0S8R8", process=process)
            for process in order:
                lines.add(f"COPE{handle:x}", *end, process=process)
            handle += 1
        return lines.trace(definitions, processes=processes)
    return files


def lonely(members):
    """One process begins operations of a communicator that has so many members."""
    def files(size):
        names = ",".join(f"{i:x}" for i in range(1, members + 1)) + ","
        lines, handle = Lines(size - len(names)), 1
        while not lines.is_full():
            lines.add(f"COPB4H{handle:x}CffffRT0S8R8", f"COPE{handle:x}", process=1)
            handle += 1
        return lines.trace(CALLS + b'DCO4NM"MPI_Allreduce"Y2\n' + f'DPGffffM{names}NM"world"\n'.encode(), processes=2)
    return files


def own_functions(size):
    """Many processes, each with a function of its own, between collective operations of all."""
    count = size // 200
    members = ",".join(f"{i:x}" for i in range(1, count + 1)) + ","
    lines, handle = Lines(size // 2), 1
    while not lines.is_full():
        for process in range(1, count + 1):
            lines.add(f"E{process + 9:x}", process=process)
            lines.add(f"L{process + 9:x}", f"COPB4H{handle:x}CffffRT0S8R8", process=process)
        for process in range(1, count + 1):
            lines.add(f"COPE{handle:x}", process=process)
        handle += 1
    return lines.trace(CALLS + functions(count) + b'DCO4NM"MPI_Allreduce"Y2\n' + f'DPGffffM{members}NM"world"\n'.encode(), processes=count)


def nested_collectives(size):
    """Collective operations of one process inside of deep calls of many functions."""
    count = size // 80
    lines = Lines(size)
    for i in range(count):
        lines.add(f"E{i + 10:x}")
    for handle in range(1, count):
        lines.add(f"COPB4H{handle:x}CffffRT0S8R8")
        lines.add(f"COPE{handle:x}")
    return lines.trace(CALLS + functions(count) + b'DCO4NM"MPI_Allreduce"Y2\nDPGffffM1,NM"world"\n')


def communicators(members, count=None):
    """As many communicators of so many members, with a message and an operation in each."""
    def files(size):
        number = count or size // (60 + 5 * members)
        names = ",".join(f"{i:x}" for i in range(1, members + 1)) + ","
        definitions = "".join(f'DPG{i:x}M{names}NM"c{i}"\n' for i in range(0x1000, 0x1000 + number))
        lines = Lines(size)
        for i in range(number):
            lines.add(f"S2L8T1C{0x1000 + i:x}", process=1)
            lines.add(f"R1L8T1C{0x1000 + i:x}", process=2)
            for process in (1, 2):
                lines.add("E5", f"COPB4H{i + 1:x}C{0x1000 + i:x}RT0S8R8", process=process)
            for process in (1, 2):
                lines.add(f"COPE{i + 1:x}", "L5", process=process)
        return lines.trace(CALLS + b'DCO4NM"MPI_Allreduce"Y2\n' + definitions.encode(), processes=members)
    return files


ROUNDS = 20  # in which a long name occurs: what is printed has it each time


def huge_text(size):
    """One long name, of a function that is called in itself."""
    name = b"MPI_" + b"x" * size
    lines = Lines(size)
    for _ in range(ROUNDS):
        for process in (1, 2):
            lines.add("E1", "E9", process=process)
        lines.add("S2L8T1C0", process=1)
        lines.add("R1L8T1C0", process=2)
        for process in (1, 2):
            lines.add("E9", "L9", "L9", "L1", process=process)
    return lines.trace(CALLS + b'DF9G0NM"' + name + b'"\n', processes=2)


def huge_process(size):
    lines = Lines(size)
    for _ in range(ROUNDS):
        lines.add("E3", "S2L8T1C0", "L3", process=1)
        lines.add("E4", "R1L8T1C0", "L4", process=2)
    return lines.trace(CALLS.replace(b'"one"', b'"' + b"y" * size + b'"'), processes=2)


def nested_texts(size):
    """Deep calls of functions with long names."""
    count = size // 1200
    names = b"".join(b'DF%xG0NM"%s%d"\n' % (i + 10, b"n" * 1000, i) for i in range(count))
    lines = Lines(size)
    for i in range(count):
        lines.add(f"E{i + 10:x}")
    for i in reversed(range(count)):
        lines.add(f"L{i + 10:x}")
    return lines.trace(CALLS + names)


def threads_of_calls(processes):
    """Many processes with a deep stack each."""
    def files(size):
        lines = Lines(size)
        while not lines.is_full():
            for process in range(1, processes + 1):
                lines.add(f"E{1 + process % 5}", process=process)
        return lines.trace(processes=processes)
    return files


def files_of(count):
    """Operations on many files, opened and not closed."""
    def files(size):
        number = count or size // 80
        definitions = "".join(f'DFL{i:x}NM"/f{i}"G0\n' for i in range(1, number + 1))
        lines, handle = Lines(size), 1
        while not lines.is_full():
            for i in range(1, number + 1):
                if lines.is_full():
                    break
                lines.add(f"F{i:x}H{handle:x}OP0B0D0", f"F{i:x}H{handle:x}OP{2 + i % 2}B8D0")
                handle += 1
        return lines.trace(CALLS + definitions.encode())
    return files


def operations(size):
    """File operations that overlap."""
    lines, count = Lines(size), size // 40
    for i in range(1, count):
        lines.add(f"FOPB{i:x}")
    for i in range(1, count):
        lines.add(f"FOPE{i:x}F1H1OP2B8")
    return lines.trace(CALLS + b'DFL1NM"/f"G0\n')


NESTED = {
    "nested calls of one function": nested(1),
    "nested communication": nested(3),
    "communication in nested calls": nested(1, 3, step=5000),
    "nested calls of many functions": nested_functions(False),
    "calls left outermost first": nested_functions(True),
}
DEEP = {
    "calls that are not left": entered,
    "ever deeper calls": stairs,
    "leaves of other calls in deep ones": other_leaves,
    "collective operations in deep calls": nested_collectives,
    "many deep processes": threads_of_calls(100),
}
BROAD = {
    "calls of many functions": broad,
    "calls in no order": unordered_calls,
    "iterations": iterations,
}
MESSAGES = {
    "a master of many workers": master(2000),
    "a master without calls": master(2000, calls=False),
    "a master that waits for few": waiting_master(20),
    "a master that waits for each once": waiting_master(1 << 20),
    "all to all": all_to_all(150),
    "messages in the wrong order": unordered,
}
COLLECTIVES = {
    "operations of many processes": collectives(300),
    "operations of many processes that are late": collectives(300, late=True),
    "operations of few processes that are late": collectives(8, late=True),
    "operations outside of calls": collectives(300, calls=False),
    "operations of more processes than have pairs": collectives(3000),
}
COMMUNICATORS = {
    "operations that one begins": lonely(10000),
    "processes with functions of their own": own_functions,
    "communicators of two": communicators(2),
    "communicators of many": communicators(1000),
}
NAMES = {
    "a long name of a function": huge_text,
    "a long name of a process": huge_process,
    "nested calls with long names": nested_texts,
    "many files": files_of(None),
    "few files": files_of(5),
    "operations that overlap": operations,
}
FAMILIES = {"nested": NESTED, "deep": DEEP, "broad": BROAD, "messages": MESSAGES, "collectives": COLLECTIVES, "communicators": COMMUNICATORS, "names": NAMES}
SHAPES = {name: shape for family in FAMILIES.values() for name, shape in family.items()}
