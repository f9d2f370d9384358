"""OTF traces that are drawn by lot and need not be of a program that could have run: calls that nest and are never left, messages outside of
calls, several in one call, to oneself, sent and never received, collective operations of part of the processes, in calls that begin and end
them or with several outstanding, mixed, incomplete, file operations that overlap, clocks that differ. What tests of the causal analyses
compare with a second implementation.
"""

REGIONS = ("main", "work", "solve", "MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Recv", "MPI_Waitall", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce",
           "MPI_Allreduce", "MPI_Ibarrier", "MPI_Init", "MPI_Finalize", "read", "MPI_File_write", "MPI_Win_fence", "MPI_Comm_split",
           "MPI_File_write_at_all")
KIND = {"MPI_Other": 0, "MPI_Barrier": 1, "MPI_Bcast": 2, "MPI_Reduce": 3, "MPI_Allreduce": 4, "MPI_Win_fence": 1, "MPI_Comm_split": 4,
        "MPI_File_write_at_all": 4}
OPERATIONS = tuple(KIND)
SENDING = ("MPI_Send", "MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Waitall", "work", None)
RECEIVING = ("MPI_Recv", "MPI_Recv", "MPI_Waitall", "MPI_Send", "solve", None)


class Drawn:
    """One trace: every process is a list of (time, record) in order of time."""

    def __init__(self, random, processes, events):
        self.random, self.processes, self.limit = random, processes, events
        self.now = [random.choice((0, 0, random.randint(0, 30))) for _ in range(processes)]
        self.program = [[] for _ in range(processes)]
        self.active = [[] for _ in range(processes)]
        self.flying = []
        self.handle = 0
        self.wild = random.choice((0, 0, 0.02, 0.3))
        self.communicators = [list(range(processes))]
        for _ in range(random.randint(0, 3)):
            self.communicators.append(random.sample(range(processes), random.randint(1, processes)))
        self.outstanding = [[] for _ in range(processes)]

    # ---- One event ----

    def put(self, process, record):
        self.program[process].append((self.now[process], record))

    def tick(self, process, most=9):
        self.now[process] += self.random.choice((0, 0, 1, self.random.randint(0, most)))

    def enter(self, process, name):
        self.put(process, f"E{REGIONS.index(name) + 1:x}")
        self.active[process].append(name)

    def leave(self, process):
        self.put(process, f"L{REGIONS.index(self.active[process].pop()) + 1:x}")

    def next_handle(self):
        self.handle += 1
        return self.handle

    # ---- What a process does ----

    def within(self, process, name, inside):
        """Calls inside from within a call of a region, or outside of calls."""
        if name is None:
            inside()
            return
        self.enter(process, name)
        deep = self.random.random() < 0.1
        if deep:
            self.tick(process)
            self.enter(process, self.random.choice(REGIONS[:8]))
        inside()
        if deep:
            self.leave(process)
            self.tick(process)
        self.leave(process)

    def work(self, process):
        stack = self.active[process]
        if len(stack) > 1 and self.random.random() < 0.5:
            self.leave(process)
        elif len(stack) < 5 and self.random.random() < 0.3:
            self.enter(process, self.random.choice(REGIONS[:3]))
        else:
            self.within(process, "work", lambda: self.tick(process, 40))

    def send(self, process):
        group = self.random.randrange(len(self.communicators))
        receiver = self.random.choice(self.communicators[group])
        tag, length = self.random.randint(0, 2), self.random.choice((0, 1, 7, 8, 9, 1000))
        count = 1 if self.random.random() < 0.9 else self.random.randint(2, 4)

        def messages():
            for _ in range(count):
                self.tick(process, 3)
                self.put(process, f"S{receiver + 1:x}L{length:x}T{tag:x}C{100 + group:x}")
                self.flying.append((process, receiver, tag, group, length, self.now[process]))
            self.tick(process, 30)
        self.within(process, self.random.choice(SENDING), messages)

    def receive(self, process):
        mine = [message for message in self.flying if message[1] == process][:6]
        chosen = self.random.sample(mine, min(len(mine), self.random.choice((1, 1, 1, 2, 3))))
        for message in chosen:
            self.flying.remove(message)

        def messages():
            for sender, _, tag, group, length, sent in chosen:
                if self.random.random() < 0.8:
                    self.now[process] = max(self.now[process], sent + self.random.randint(0, 5))
                if self.random.random() < self.wild:
                    tag = self.random.randint(0, 2)
                self.put(process, f"R{sender + 1:x}L{length:x}T{tag:x}C{100 + group:x}")
                self.tick(process, 3)
        if chosen:
            self.within(process, self.random.choice(RECEIVING), messages)

    def begin(self, process, operation, group, root):
        handle = self.next_handle()
        sent, received = self.random.choice(((8, 8), (0, 0), (100, 3), (0, 8), (8, 0)))
        self.put(process, f"COPB{OPERATIONS.index(operation) + 1:x}H{handle:x}C{100 + group:x}RT{root + 1 if root is not None else 0:x}S{sent:x}R{received:x}")
        return f"COPE{handle:x}"

    def together(self):
        group = self.random.randrange(len(self.communicators))
        members = self.communicators[group]
        operation = self.random.choice(OPERATIONS)
        root = self.random.choice(members) if KIND[operation] in (2, 3) else None
        split = self.random.random() < 0.2
        arrivals, ends = {}, []
        for process in members:
            if self.random.random() < self.wild * 0.2:
                continue
            mine = operation if self.random.random() >= self.wild * 0.2 else self.random.choice(OPERATIONS)
            region = "MPI_Ibarrier" if split else operation if operation in REGIONS else "MPI_Bcast"
            bare = self.random.random() < 0.05
            if not bare:
                self.enter(process, region)
            arrivals[process] = self.now[process]
            end = self.begin(process, mine, group, root)
            if split and not bare:
                self.tick(process, 3)
                self.leave(process)
                self.work(process)
            ends.append((process, end, bare, split))
        for process, end, bare, other in ends:
            if other and not bare:
                self.enter(process, "MPI_Waitall")
            if self.random.random() < 0.9:
                self.now[process] = max(self.now[process], max(arrivals.values()) + self.random.choice((0, 0, self.random.randint(0, 9))))
            self.tick(process)
            if self.random.random() >= self.wild * 0.1:
                self.put(process, end)
            if not bare:
                self.leave(process)

    def start_together(self):
        """Operations that members begin one by one, and end when they like."""
        group = self.random.randrange(len(self.communicators))
        members = self.communicators[group]
        operation = self.random.choice(OPERATIONS)
        root = self.random.choice(members) if KIND[operation] in (2, 3) else None
        arrivals, ends = [], []
        for process in self.random.sample(members, len(members)):
            if self.random.random() < self.wild * 0.1:
                continue
            self.enter(process, "MPI_Ibarrier")
            self.tick(process, 3)
            arrivals.append(self.now[process])
            ends.append((process, self.begin(process, operation, group, root)))
            self.tick(process, 3)
            self.leave(process)
        for process, end in ends:
            self.outstanding[process].append((end, max(arrivals) if self.random.random() < 0.8 else 0))

    def end_outstanding(self, process):
        mine = self.outstanding[process]
        if not mine:
            self.start_together()
            return
        self.random.shuffle(mine)
        ended = [mine.pop() for _ in range(min(len(mine), self.random.choice((1, 1, 2, 3))))]

        def operations():
            for end, earliest in ended:
                self.tick(process)
                self.now[process] = max(self.now[process], earliest)
                self.put(process, end)
            self.tick(process)
        self.within(process, self.random.choice(("MPI_Waitall", "MPI_Waitall", "MPI_Recv", "MPI_File_write", None)), operations)

    def files(self, process):
        handles = [self.next_handle() for _ in range(self.random.choice((1, 1, 2)))]

        def operations():
            for handle in handles:
                self.put(process, f"FA{handle:x}")
                self.tick(process)
            self.random.shuffle(handles)
            for handle in handles:
                self.tick(process, 20)
                if self.random.random() >= self.wild * 0.1:
                    self.put(process, f"FF1MI{handle:x}H5OP2B8")
        self.within(process, self.random.choice(("read", "read", "MPI_File_write", "work", None)), operations)

    def frame(self, name, process, chance):
        if self.random.random() < chance:
            self.enter(process, name)
            self.tick(process)
            self.leave(process)

    def draw(self):
        framed = self.random.choice((0, 1, 1, 0.8))
        for process in range(self.processes):
            self.enter(process, "main")
            self.frame("MPI_Init", process, framed)
        weights = (self.random.choice((1, 4)), self.random.choice((1, 3)), 4, self.random.choice((0, 0.3, 1)), self.random.choice((0, 0.5)),
                   self.random.choice((0, 0, 1)))
        while sum(map(len, self.program)) < self.limit:
            process = self.random.randrange(self.processes)
            actions = (self.work, self.send, self.receive, lambda _: self.together(), self.files, self.end_outstanding)
            action = self.random.choices(actions, weights)[0]
            action(process)
            self.tick(process)
        for process in range(self.processes):
            self.frame("MPI_Finalize", process, framed)
            while self.active[process] and self.random.random() < 0.95:
                self.leave(process)
        skew = self.random.choice((0, 0, 10, 60))
        offsets = [self.random.randint(0, skew) for _ in range(self.processes)]
        self.program = [[(time + offset, record) for time, record in events] for events, offset in zip(self.program, offsets)]
        return self


def definitions(drawn):
    lines = ["DTR3b9aca00"]
    lines += [f'DP{i + 1:x}NM"rank {i}"' for i in range(drawn.processes)]
    lines += [f"DPG{100 + i:x}M" + ",".join(f"{member + 1:x}" for member in members) + f',NM"group {i}"'
              for i, members in enumerate(drawn.communicators)]
    lines += ['DFG9NM"code"', 'DFG7NM"I/O"', 'DFLG8NM"disk"', 'DFL1NM"data"G8']
    lines += [f'DF{number + 1:x}G{7 if name == "read" else 9}NM"{name}"' for number, name in enumerate(REGIONS)]
    lines += [f'DCO{number + 1:x}NM"{name}"Y{KIND[name]}' for number, name in enumerate(OPERATIONS)]
    return "\n".join(lines) + "\n"


def write(path, drawn):
    """Writes the trace; path ends in .otf."""
    stub = path[:-len(".otf")]
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(f"{i + 1:x}:{i + 1:x}\n" for i in range(drawn.processes)))
    with open(stub + ".0.def", "w", encoding="ascii") as file:
        file.write(definitions(drawn))
    for i, events in enumerate(drawn.program):
        with open(f"{stub}.{i + 1:x}.events", "w", encoding="ascii") as file:
            file.write("".join(f"{time:x}\n*{i + 1:x}\n{record}\n" for time, record in events))
    return path
