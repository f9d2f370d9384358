"""A running "quipu view" that tests ask, and a trace for it."""
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("QUIPU_SOURCE", "."))
sys.path.insert(0, str(SOURCE / "tests/cli"))
import programs  # noqa: E402

QUIPU = programs.QUIPU
HAS_SERVER = "civetweb" in subprocess.run(["ldd", QUIPU], capture_output=True, text=True, check=False).stdout


class View:
    """Serves traces until it is left."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen([QUIPU, "view", "--no-browser", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, **options)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        if not found:
            raise AssertionError(self.address + self.process.communicate()[1])
        self.port, self.token = int(found[1]), found[2]
        self.cookie = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.error = self.process.communicate(timeout=60)[1]

    def request(self, path, method="GET", headers=None):
        """Status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, headers=headers or {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def enter(self):
        """Opens the address, as the browser does, and keeps the cookie."""
        status, headers, body = self.request("/?token=" + self.token)
        if status != 200:
            raise AssertionError(body)
        self.cookie = headers["Set-Cookie"].split(";")[0]
        return self

    def get(self, path):
        return self.request(path, headers={"Cookie": self.cookie})

    def ask(self, question, trace=0):
        status, _, body = self.get(f"/ask/{trace}/{question}")
        if status != 200:
            raise AssertionError(f"{question}: {status} {body}")
        if len(body) > 200 * 1000:
            raise AssertionError(f"{question}: {len(body)} bytes")
        return json.loads(body)


def random_program(processes=5, rounds=60, seed=1):
    """Processes that compute, with calls in calls, send to the next one, sometimes several messages before any is received, and meet now and then."""
    draw = random.Random(seed)
    program = [[] for _ in range(processes)]
    now, number = [100 + i for i in range(processes)], 0
    for i, events in enumerate(program):
        events.append(programs.enter(now[i], "main"))
    for step in range(rounds):
        for i, events in enumerate(program):
            for _ in range(draw.randrange(4)):
                begin, end = now[i] + draw.randrange(5), now[i] + 10 + draw.randrange(60)
                events += [programs.enter(begin, "work")]
                if draw.random() < 0.5:
                    events += [programs.enter(begin + 2, "read"), programs.leave(end - 1, "read")]
                events += [programs.leave(end, "work")]
                now[i] = end + draw.randrange(7)
        count = 1 + draw.randrange(3)
        sent = [0] * processes
        for i, events in enumerate(program):
            for _ in range(count):
                events += programs.send(now[i] + 1, now[i] + 4, (i + 1) % processes, length=64 * (step + 1))
                now[i] += 6
            sent[i] = now[i]
        for i, events in enumerate(program):
            for _ in range(count):
                end = max(now[i], sent[(i - 1) % processes]) + 3
                events += programs.receive(now[i], end, (i - 1) % processes, length=64 * (step + 1))
                now[i] = end + 1
        if step % 9 == 8:
            number += 1
            end = max(now) + 5
            for i, events in enumerate(program):
                events += programs.collective("MPI_Barrier", now[i], end, number)
                now[i] = end + 1
    for i, events in enumerate(program):
        events.append(programs.leave(now[i], "main"))
    return program


def write_trace(path, **options):
    return programs.write(path, random_program(**options))


def run(*arguments):
    done = subprocess.run([QUIPU, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise AssertionError(done.stderr)
    return done.stdout
