"""Programs of messages and collective operations, written as OTF traces: what tests of causal analyses are fed.

A program is a list per process of (time, record) with the regions and communicators below; one tick is one nanosecond.
"""
import json
import os
import subprocess

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
REGIONS = ("main", "work", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Reduce", "read", "MPI_Init",
           "MPI_Finalize")
COLLECTIVES = {"MPI_Barrier": (1, 1), "MPI_Bcast": (2, 2), "MPI_Allreduce": (3, 4), "MPI_Reduce": (4, 3)}


def region(name):
    return REGIONS.index(name) + 1


def definitions(processes):
    lines = ["DTR3b9aca00"]
    lines += [f'DP{i + 1:x}NM"rank {i}"' for i in range(processes)]
    lines += ["DPG63M" + ",".join(f"{i + 1:x}" for i in range(processes)) + ',NM"world"', 'DFG9NM"code"']
    lines += [f'DF{region(name):x}G9NM"{name}"' for name in REGIONS]
    lines += [f'DCO{number:x}NM"{name[4:]}"Y{kind}' for name, (number, kind) in COLLECTIVES.items()]
    return "\n".join(lines) + "\n"


def write(path, program):
    """Writes the trace; path ends in .otf."""
    stub = path[:-len(".otf")]
    processes = len(program)
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(f"{i + 1:x}:{i + 1:x}\n" for i in range(processes)))
    with open(stub + ".0.def", "w", encoding="ascii") as file:
        file.write(definitions(processes))
    for i, events in enumerate(program):
        with open(f"{stub}.{i + 1:x}.events", "w", encoding="ascii") as file:
            file.write("".join(f"{time:x}\n*{i + 1:x}\n{record}\n" for time, record in events))
    return path


def enter(time, name):
    return (time, f"E{region(name):x}")


def leave(time, name):
    return (time, f"L{region(name):x}")


def send(enter_at, leave_at, receiver, tag=0, length=8):
    return [enter(enter_at, "MPI_Send"), (enter_at, f"S{receiver + 1:x}L{length:x}T{tag:x}C63"), leave(leave_at, "MPI_Send")]


def receive(enter_at, leave_at, sender, tag=0, length=8):
    return [enter(enter_at, "MPI_Recv"), (leave_at, f"R{sender + 1:x}L{length:x}T{tag:x}C63"), leave(leave_at, "MPI_Recv")]


def collective(name, enter_at, leave_at, number, root=None):
    kind = COLLECTIVES[name][0]
    rooted = f"RT{root + 1:x}" if root is not None else "RT0"
    return [enter(enter_at, name), (enter_at, f"COPB{kind:x}H{number:x}C63{rooted}S8R8"), (leave_at, f"COPE{number:x}"),
            leave(leave_at, name)]


def rows_of(text):
    """Table of a JSON answer -> its rows as dictionaries."""
    answer = json.loads(text)
    return {table["table"]: [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
            for table in answer.get("tables", [answer])}


def tables(command, trace, *options):
    """Table -> its rows as dictionaries."""
    done = subprocess.run([QUIPU, command, "--json", "--quiet", trace, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command} {options}: exit {done.returncode}: {done.stderr.decode()}")
    return rows_of(done.stdout)


def random_program(random, processes, steps, skew=0):
    """A program that could have run: work, messages whose receives come sooner or later, and collective operations. With skew
    each process has a clock of its own."""
    now, program, number = [0] * processes, [[enter(0, "main")] for _ in range(processes)], [0]
    flying = {}

    def work(process):
        began = now[process]
        now[process] += random.randint(1, 40)
        program[process].extend([enter(began, "work"), leave(now[process], "work")])
        now[process] += random.randint(0, 3)

    def begin_message():
        sender, receiver = random.sample(range(processes), 2)
        tag = random.randint(0, 2)
        began = now[sender]
        blocks = random.random() < 0.3
        if blocks and not any(to == receiver for _, to, _ in flying):
            met = max(began, now[receiver]) + random.randint(1, 5)
            receive_enter, now[receiver] = now[receiver], met + random.randint(0, 3)
            program[receiver].extend(receive(receive_enter, now[receiver], sender, tag))
            now[receiver] += random.randint(0, 3)
            end = met
        else:
            end = began + random.randint(0, 6)
            flying.setdefault((sender, receiver, tag), []).append(began + random.randint(1, 8))
        program[sender].extend(send(began, end, receiver, tag))
        now[sender] = end + random.randint(0, 3)

    def end_message():
        if not flying:
            return
        key = random.choice(sorted(flying))
        sender, receiver, tag = key
        arrival = flying[key].pop(0)
        if not flying[key]:
            del flying[key]
        began = now[receiver]
        now[receiver] = max(began, arrival) + random.randint(0, 4)
        program[receiver].extend(receive(began, now[receiver], sender, tag))
        now[receiver] += random.randint(0, 3)

    def together():
        name = random.choice(sorted(COLLECTIVES))
        root = random.randrange(processes) if name in ("MPI_Bcast", "MPI_Reduce") else None
        number[0] += 1
        began = list(now)
        for process in range(processes):
            needs = {"MPI_Bcast": [root], "MPI_Reduce": range(processes) if process == root else []}.get(name, range(processes))
            end = max([began[process], *(began[other] for other in needs)]) + random.randint(0, 9)
            program[process].extend(collective(name, began[process], end, number[0], root))
            now[process] = end + random.randint(0, 3)

    for _ in range(steps):
        action = random.random()
        if action < 0.45:
            work(random.randrange(processes))
        elif action < 0.68:
            begin_message()
        elif action < 0.93:
            end_message()
        else:
            together()
    while flying and random.random() < 0.98:
        end_message()
    for process in range(processes):
        program[process].append(leave(now[process], "main"))
    offsets = [random.randint(0, skew) for _ in range(processes)]
    return [[(time + offset, record) for time, record in events] for events, offset in zip(program, offsets)]


def repeating_program(random, processes):
    """A program of loops: calls that are the same at all processes or, now and then, only at some. None waits."""
    now, program, number = [0] * processes, [[] for _ in range(processes)], [0]

    def call(process, name, peer, tag):
        began = now[process]
        now[process] += random.randint(1, 9)
        if name == "MPI_Send":
            events = send(began, now[process], peer, tag)
        elif name == "MPI_Recv":
            events = receive(began, now[process], peer, tag)
        else:
            number[0] += 1
            events = collective(name, began, now[process], number[0], peer if name in ("MPI_Bcast", "MPI_Reduce") else None)
        program[process].extend(events)
        now[process] += random.randint(0, 20)

    for _ in range(random.randint(1, 4)):
        names = ["MPI_Send", "MPI_Recv", *sorted(COLLECTIVES)]
        body = [(random.choice(names), random.randrange(processes), random.randint(0, 1)) for _ in range(random.randint(1, 5))]
        times = random.randint(1, 12)
        for process in range(processes):
            for _ in range(times + (random.random() < 0.2)):
                for name, peer, tag in body:
                    call(process, name, peer, tag)
            if random.random() < 0.3:
                call(process, "MPI_Barrier", None, 0)
    return program
