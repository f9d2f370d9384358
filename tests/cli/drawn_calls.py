"""DUMPI traces that are drawn by lot: what OTF records cannot say. Requests that complete in calls of all kinds or never, wildcards with and
without a status, persistent requests, threads, communicators made by duplicating and splitting, inter-communicators, all collective
operations."""
import os
import subprocess

TOOL = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "compat", "bin", "ascii2dumpi")
HEAD = ("version=13.0.0\nstarttime=Fri Nov 20 11:29:22 2026\nhostname=n0\nusername=<none>\nmeshdim=0\nmeshsize=[]\nmeshcrd=[]\n")
BYTE = "MPI_Datatype datatype=5 (MPI_BYTE)"
SUM = "MPI_Op op=3 (MPI_SUM)"
ANY_SOURCE, ANY_TAG = "-1 (MPI_ANY_SOURCE)", "-1 (MPI_ANY_TAG)"
WORLD, DUPLICATE, PART, BETWEEN = 2, 4, 5, 6


def communicator(handle):
    return f"MPI_Comm comm={handle} ({'MPI_COMM_WORLD' if handle == WORLD else 'user-defined-comm'})"


def named(handle, name):
    return communicator(handle).replace("comm=", name + "=", 1)


def status(got):
    return "{bytes=%d, cancelled=0, source=%d, tag=%d, error=0}" % got


EMPTY = status((0, -2, -1))


def array(values):
    return "[" + ", ".join(str(value) for value in values) + "]"


SENDS = ("MPI_Send", "MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Isend", "MPI_Isend", "MPI_Issend")
BLOCKING_SENDS = ("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend")


class DrawnCalls:
    """One trace: the calls of every process as (enter, leave, thread, name, arguments). With is_blocking all calls are, with is_exact no two
    messages have the same tag and each receive asks for its own; both have a status for each receive."""

    def __init__(self, random, processes, calls, is_blocking=False, is_exact=False, has_threads=True):
        self.is_blocking, self.is_exact, self.tags = is_blocking, is_exact, 0
        self.random, self.processes, self.limit = random, processes, calls
        self.threads = [random.choice((1, 1, 2 if has_threads else 1)) for _ in range(processes)]
        self.now = {(p, t): random.choice((0, random.randint(0, 30))) for p in range(processes) for t in range(self.threads[p])}
        self.calls = [[] for _ in range(processes)]
        self.count = 0
        self.flying, self.posted, self.prepared = [], [], []
        self.sending = {where: [] for where in self.now}
        self.requests = 10
        self.color = [random.randint(0, 1) for _ in range(processes)]
        self.has_sides = 0 < sum(self.color) < processes and random.random() < 0.7

    # ---- Communicators ----

    def group(self, handle, process):
        """The members that a process sends to, in order of rank, and those that send to it with it."""
        if handle in (WORLD, DUPLICATE):
            return list(range(self.processes))
        side = self.color[process] if handle == PART else 1 - self.color[process]
        return [p for p in range(self.processes) if self.color[p] == side]

    def rank(self, handle, process, of):
        return self.group(handle, of).index(process)

    def handles(self):
        return (WORLD, WORLD, DUPLICATE, PART) + ((BETWEEN,) if self.has_sides else ())

    # ---- One call ----

    def call(self, where, name, arguments, most=9, until=None):
        begin = self.now[where]
        end = max(begin + self.random.choice((0, 1, self.random.randint(0, most))), until or 0)
        self.calls[where[0]].append((begin, end, where[1], name, arguments))
        self.now[where] = end + self.random.choice((0, 1, self.random.randint(0, 40)))
        self.count += 1
        return begin

    def any_thread(self, process=None):
        process = self.random.randrange(self.processes) if process is None else process
        return (process, self.random.randrange(self.threads[process]))

    def new_request(self):
        self.requests += 1
        return self.requests

    # ---- Messages ----

    def new_message(self, sender, receiver=None, handle=None):
        handle = handle or self.random.choice(self.handles())
        receiver = self.random.choice(self.group(handle, sender)) if receiver is None else receiver
        self.tags += 1
        return {"from": sender, "to": receiver, "comm": handle, "tag": self.tags if self.is_exact else self.random.randint(0, 2),
                "bytes": self.random.choice((0, 1, 7, 8, 9, 1000)), "sent": None}

    def of_message(self, message, to="dest", tag="tag"):
        return [f"int count={message['bytes']}", BYTE, f"int {to}={self.rank(message['comm'], message['to'], message['from'])}",
                f"int {tag}={message['tag']}", communicator(message["comm"])]

    def got(self, message):
        return (message["bytes"], self.rank(message["comm"], message["from"], message["to"]), message["tag"])

    def send(self, where, message=None):
        message = message or self.new_message(where[0])
        kind = self.random.choice(BLOCKING_SENDS if self.is_blocking else SENDS)
        arguments = self.of_message(message)
        if kind.startswith("MPI_I"):
            request = self.new_request()
            arguments.append(f"MPI_Request request=[{request}]")
            self.sending[where].append(request)
        message["sent"] = self.call(where, kind, arguments, 30)
        self.flying.append(message)

    def asked(self, message):
        """Source and tag as the receive asks for them."""
        source = ANY_SOURCE if self.random.random() < 0.3 and not self.is_exact else self.rank(message["comm"], message["from"], message["to"])
        tag = ANY_TAG if self.random.random() < 0.2 and not self.is_exact else message["tag"]
        return [f"int count={message['bytes']}", BYTE, f"int source={source}", f"int tag={tag}", communicator(message["comm"])]

    def not_before(self, *messages):
        return max(message["sent"] for message in messages) + self.random.randint(0, 5) if self.random.random() < 0.9 else None

    def receive(self, where):
        mine = [message for message in self.flying if message["to"] == where[0]][:5]
        if not mine:
            return
        message = self.random.choice(mine)
        self.flying.remove(message)
        said = f"[{array([status(self.got(message))])}]".replace("[[", "[").replace("]]", "]")
        self.call(where, "MPI_Recv", [*self.asked(message), "MPI_Status status=" + self.random.choice((said, said, said if self.is_blocking or self.is_exact else "<IGNORED>"))],
                  until=self.not_before(message))

    def exchange(self, where):
        mine = [message for message in self.flying if message["to"] == where[0]][:5]
        if not mine:
            return
        message = self.random.choice(mine)
        self.flying.remove(message)
        other = self.new_message(where[0], handle=message["comm"])
        sending, asked = self.of_message(other, tag="sendtag"), self.asked(message)
        arguments = [sending[0].replace("count", "sendcount"), "MPI_Datatype sendtype=5 (MPI_BYTE)", sending[2], sending[3],
                     asked[0].replace("count", "recvcount"), "MPI_Datatype recvtype=5 (MPI_BYTE)", asked[2], asked[3].replace("tag", "recvtag", 1),
                     sending[4], f"MPI_Status status=[{status(self.got(message))}]"]
        other["sent"] = self.call(where, "MPI_Sendrecv", arguments, until=self.not_before(message))
        self.flying.append(other)

    def post(self, where):
        """A receive of a message that may not have been sent yet."""
        mine = [message for message in self.flying if message["to"] == where[0]][:5]
        if mine and self.random.random() < 0.6:
            message = self.random.choice(mine)
            self.flying.remove(message)
        else:
            handle = self.random.choice(self.handles())
            message = self.new_message(self.random.choice(self.group(handle, where[0])), where[0], handle)
        request = self.new_request()
        self.call(where, "MPI_Irecv", [*self.asked(message), f"MPI_Request request=[{request}]"], 3)
        self.posted.append((where, request, message))

    def fulfil(self):
        waiting = [message for _, _, message in self.posted if message["sent"] is None]
        if waiting:
            message = self.random.choice(waiting)
            self.send(self.any_thread(message["from"]), message)
            self.flying.remove(message)

    # ---- Persistent requests ----

    def prepare(self, where):
        handle = self.random.choice(self.handles())
        sends = self.random.random() < 0.5
        message = self.new_message(where[0], handle=handle) if sends else self.new_message(self.random.choice(self.group(handle, where[0])), where[0], handle)
        request = self.new_request()
        name = self.random.choice(("MPI_Send_init", "MPI_Ssend_init", "MPI_Bsend_init")) if sends else "MPI_Recv_init"
        self.call(where, name, [*(self.of_message(message) if sends else self.asked(message)), f"MPI_Request request=[{request}]"], 3)
        self.prepared.append({"where": where, "request": request, "sends": sends, "message": message, "active": False})

    def start(self, where):
        idle = [entry for entry in self.prepared if entry["where"] == where and not entry["active"]]
        if not idle:
            self.prepare(where)
            return
        chosen = self.random.sample(idle, min(len(idle), self.random.choice((1, 1, 2, 3))))
        if len(chosen) == 1 and self.random.random() < 0.7:
            began = self.call(where, "MPI_Start", [f"MPI_Request request=[{chosen[0]['request']}]"], 5)
        else:
            requests = array(entry["request"] for entry in chosen)
            began = self.call(where, "MPI_Startall", [f"int count={len(chosen)}", f"MPI_Request requests[{len(chosen)}]={requests}"], 5)
        for entry in chosen:
            self.started(entry, began)

    def started(self, entry, began):
        message = dict(entry["message"], sent=began if entry["sends"] else None)
        entry["active"] = True
        if entry["sends"]:
            self.flying.append(message)
            self.sending[entry["where"]].append(entry["request"])
        else:
            self.posted.append((entry["where"], entry["request"], message))

    # ---- Requests ----

    def completable(self, where):
        """(request, status, message) of what may complete."""
        ready = [(request, status(self.got(message)), message) for at, request, message in self.posted if at == where and message["sent"] is not None]
        return ready + [(request, EMPTY, None) for request in self.sending[where]]

    def completed(self, where, chosen):
        gone = {request for request, _, _ in chosen}
        self.posted = [entry for entry in self.posted if entry[1] not in gone]
        self.sending[where] = [request for request in self.sending[where] if request not in gone]
        for entry in self.prepared:
            entry["active"] = entry["active"] and entry["request"] not in gone
        messages = [message for _, _, message in chosen if message]
        return self.not_before(*messages) if messages else None

    def complete(self, where):
        ready = self.completable(where)
        if not ready:
            return
        kind = self.random.choice(("Wait", "Wait", "Test", "Waitall", "Waitany", "Waitsome", "Testall", "Testsome", "Testany"))
        chosen = self.random.sample(ready, 1 if kind in ("Wait", "Test", "Waitany", "Testany") else self.random.randint(1, min(4, len(ready))))
        others = [entry for entry in ready if entry not in chosen][:2] if kind in ("Waitany", "Waitsome", "Testany", "Testsome") else []
        if self.random.random() < 0.2 and kind in ("Test", "Testall", "Testany"):
            self.fail(where, kind, chosen + others)
            return
        self.call(where, "MPI_" + kind, self.arguments(kind, chosen, others), until=self.completed(where, chosen))

    def arguments(self, kind, chosen, others):
        every = chosen + others
        self.random.shuffle(every)
        requests = f"MPI_Request requests[{len(every)}]=" + array(request for request, _, _ in every)
        chosen = [entry for entry in every if entry in chosen]
        indices = [every.index(entry) for entry in chosen]
        states = f"MPI_Status statuses[{len(chosen)}]=" + array(text for _, text, _ in chosen)
        one = f"MPI_Status status=[{chosen[0][1]}]"
        if kind in ("Wait", "Test"):
            return [f"MPI_Request request=[{chosen[0][0]}]", *(["int flag=1"] if kind == "Test" else []), one]
        if kind in ("Waitany", "Testany"):
            return [f"int count={len(every)}", requests, f"int index={indices[0]}", *(["int flag=1"] if kind == "Testany" else []), one]
        if kind in ("Waitall", "Testall"):
            return [f"int count={len(every)}", requests, *(["int flag=1"] if kind == "Testall" else []), states]
        return [f"int count={len(every)}", requests, f"int outcount={len(chosen)}", f"int indices[{len(chosen)}]=" + array(indices), states]

    def fail(self, where, kind, every):
        requests = f"MPI_Request requests[{len(every)}]=" + array(request for request, _, _ in every)
        arguments = {"Test": [f"MPI_Request request=[{every[0][0]}]", "int flag=0", "MPI_Status status=<IGNORED>"],
                     "Testall": [f"int count={len(every)}", requests, "int flag=0", f"MPI_Status statuses[{len(every)}]=<IGNORED>"],
                     "Testany": [f"int count={len(every)}", requests, "int index=-1", "int flag=0", "MPI_Status status=<IGNORED>"]}[kind]
        self.call(where, "MPI_" + kind, arguments, 3)

    def cancel(self, where):
        mine = [entry for entry in self.posted if entry[0] == where and entry[2]["sent"] is None]
        if mine:
            self.posted.remove(mine[0])
            self.call(where, "MPI_Cancel", [f"MPI_Request request=[{mine[0][1]}]"], 3)

    # ---- Collective operations ----

    def collective_arguments(self, name, rank, size, root):
        length = self.random.choice((1, 8, 100))
        count, at = f"int count={length}", f"int root={root}"
        sizes = [f"int sendcount={length}", "MPI_Datatype sendtype=5 (MPI_BYTE)", f"int recvcount={length}", "MPI_Datatype recvtype=5 (MPI_BYTE)"]
        many = [f"int recvcounts[{size}]=" + array([length] * size), f"int displs[{size}]=" + array([0] * size)]
        return {"MPI_Barrier": [], "MPI_Bcast": [count, BYTE, at], "MPI_Reduce": [count, BYTE, SUM, at], "MPI_Allreduce": [count, BYTE, SUM],
                "MPI_Scan": [count, BYTE, SUM], "MPI_Exscan": [count, BYTE, SUM], "MPI_Alltoall": sizes, "MPI_Allgather": sizes,
                "MPI_Gather": [f"int commrank={rank}", *sizes, at], "MPI_Scatter": [f"int commrank={rank}", *sizes, at],
                "MPI_Allgatherv": [f"int commsize={size}", *sizes[:2], *many, sizes[3]],
                "MPI_Reduce_scatter": [f"int commsize={size}", many[0], BYTE, SUM]}[name]

    def together(self, handle=None, name=None):
        handle = handle or self.random.choice((WORLD, WORLD, DUPLICATE, PART))
        members = self.group(handle, self.random.randrange(self.processes))
        name = name or self.random.choice(("MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan", "MPI_Alltoall",
                                           "MPI_Allgather", "MPI_Gather", "MPI_Scatter", "MPI_Allgatherv", "MPI_Reduce_scatter"))
        root = self.random.randrange(len(members))
        where = [self.any_thread(process) for process in members]
        latest = max(self.now[at] for at in where)
        for rank, at in enumerate(where):
            until = latest + self.random.choice((0, 0, self.random.randint(0, 9))) if self.random.random() < 0.9 else None
            self.call(at, name, [*self.collective_arguments(name, rank, len(members), root), communicator(handle)], until=until)

    def make_communicators(self):
        for process in range(self.processes):
            where = (process, 0)
            self.call(where, "MPI_Comm_dup", [named(WORLD, "oldcomm"), named(DUPLICATE, "newcomm")])
            self.call(where, "MPI_Comm_split", [named(WORLD, "oldcomm"), f"int color={self.color[process]}", "int key=0", named(PART, "newcomm")])
            if self.has_sides:
                leader = self.color.index(1 - self.color[process])
                self.call(where, "MPI_Intercomm_create", [named(PART, "localcomm"), "int localleader=0", named(WORLD, "remotecomm"),
                                                          f"int remoteleader={leader}", "int tag=12", named(BETWEEN, "newcomm")])
        self.start_threads()
        self.together(DUPLICATE, "MPI_Barrier")
        for color in sorted(set(self.color)):
            for process in self.group(PART, self.color.index(color)):
                self.call((process, 0), "MPI_Barrier", [communicator(PART)])

    def start_threads(self):
        for where in self.now:
            self.now[where] = max(self.now[where], self.now[(where[0], 0)])

    def draw(self):
        for process in range(self.processes):
            self.call((process, 0), "MPI_Init", ["int argc=0", "string argv[0]=<IGNORED>"])
        self.make_communicators()
        self.start_threads()
        persistent = self.random.choice((0, 1))
        weights = (self.random.choice((1, 3)), 2, 0.5, 1.5, 2, 4, 0.1, self.random.choice((0, 0.2, 1)), 0.3 * persistent, persistent)
        if self.is_blocking:
            weights = (*weights[:3], 0, 0, 0, 0, weights[7], 0, 0)
        actions = (self.send, self.receive, self.exchange, self.post, lambda _: self.fulfil(), self.complete, self.cancel, lambda _: self.together(),
                   self.prepare, self.start)
        while self.count < self.limit:
            self.random.choices(actions, weights)[0](self.any_thread())
        for process in range(self.processes):
            self.now[(process, 0)] = max(self.now[(process, t)] for t in range(self.threads[process]))
            self.call((process, 0), "MPI_Finalize", [])
        return self


def text_of(calls):
    def stamp(time):
        return f"at walltime {time // 10**9}.{time % 10**9:09d}, cputime 0.000000000 seconds in thread"
    text = HEAD
    for begin, end, thread, name, arguments in sorted(calls, key=lambda call: call[:2]):
        text += f"{name} entering {stamp(begin)} {thread}.\n" + "".join(line + "\n" for line in arguments)
        text += f"{name} returning {stamp(end)} {thread}.\n"
    return text + "Datatype 5 (MPI_BYTE) has size 1\n"


def write(path, drawn):
    """Writes the trace; path ends in .meta."""
    stub = path[:-len(".meta")]
    for process, calls in enumerate(drawn.calls):
        with open(stub + ".txt", "w", encoding="ascii") as file:
            file.write(text_of(calls))
        subprocess.run([TOOL, "-o", f"{stub}-{process:04d}.bin", stub + ".txt"], check=True, stdout=subprocess.DEVNULL)
        os.unlink(stub + ".txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"hostname=n0\nnumprocs={drawn.processes}\nfileprefix={os.path.basename(stub)}\nversion=13\nsubversion=0\nsubsubversion=0\n")
    return path
