"""quipu io against a second opinion: traces of random jobs are written record by record, and every figure is computed from the
same lists again, slowly and by the words of the specification."""
import collections
import json
import os
import random
import struct
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
BUILD = os.environ.get("QUIPU_BUILD", "build")
QUIPU = os.path.join(BUILD, "quipu")
SHARED = os.path.join(SOURCE, "..", "shared", "traces")
SEEDS = 24
GRAIN = 4  # of which all offsets, sizes and blocks are multiples
READ, READ_WRITE, WRITE, CREATE = 1, 2, 4, 8
ASYNC, WRITES, OF_CLIENT = 1, 2, 4


def tables(*arguments):
    out = subprocess.run([QUIPU, "io", "--json", "--quiet", *arguments], stdout=subprocess.PIPE, check=True).stdout
    answer = json.loads(out)
    return {t["table"]: t for t in answer.get("tables", [answer])}


def rows(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def figures(*arguments):
    return {row[0]: row[1] for row in tables("--study", *arguments)["io_study"]["rows"]}


# ---- Writing ----

def record(layout, *values):
    """A C struct of LP64, little-endian: members aligned to their size, the whole to 8."""
    out = b""
    for code, value in zip(layout, values):
        size = struct.calcsize("<" + code) if isinstance(code, str) else code
        align = size if isinstance(code, str) else 1
        out += b"\0" * (-len(out) % align)
        out += struct.pack("<" + code, value) if isinstance(code, str) else value.ljust(code, b"\0")
    return out + b"\0" * (-len(out) % 8)


def header(io_nodes):
    return struct.pack("<II", 0x01234567, 1) + record(
        ["H", "q", "q", "Q", "Q", "B", "i", 80, "i", "i", "i", "i", "i", "d"],
        0, 760000000, 0, 0, 0, 100, 1, b"random", 4, 8, 2, io_nodes, 760, 1e-9)


class Trace:
    """Records as tuples, and their bytes."""

    def __init__(self, io_nodes):
        self.io_nodes = io_nodes
        self.bytes = header(io_nodes)
        self.list = []
        self.time = 1000

    def tick(self, random_):
        self.time += random_.choice([0, 1, 7, 100])
        return self.time

    def load(self, time, app, clients):
        self.list.append(("load", time, app, clients))
        out = record(["H", "Q", 64, 256, "I", "Q", "i", "H"], 1, time, b"job", b"/", 1, 0, app, len(clients))
        # The array begins at 360; the struct, with one client, has 368 bytes: 4 more than that client needs.
        self.bytes += out + struct.pack("<%di" % len(clients), *clients) + b"\0" * 4

    def exit(self, time, app):
        self.list.append(("exit", time, app))
        self.bytes += record(["H", "Q", "i"], 2, time, app)

    def join(self, time, app, client):
        self.list.append(("join", time, app, client))
        self.bytes += record(["H", "Q", "i", "i"], 3, time, app, client)

    def open(self, time, is_app, owner, file, descriptor, flags):
        self.list.append(("open", time, is_app, owner, file, descriptor, flags))
        self.bytes += record(["H", "Q", "i", 64, 256, "Q", "i", "q", "q", "B"], 5 if is_app else 6, time, owner,
                             b"f%d" % file, b"/", file, descriptor, 0, 0, flags)

    def close(self, time, is_app, owner, descriptor, size):
        self.list.append(("close", time, is_app, owner, descriptor, size))
        self.bytes += record(["H", "Q", "i", "i", "q"], 7 if is_app else 8, time, owner, descriptor, size)

    def unlink(self, time, client, file, links):
        self.list.append(("unlink", time, client, file, links))
        self.bytes += record(["H", "Q", "i", "Q", "H"], 13, time, client, file, links)

    def rw(self, time, end, descriptor, operation, async_id, app, requests):
        self.list.append(("rw", time, end, descriptor, operation, async_id, app, requests))
        self.bytes += record(["H", "Q", "Q", "i", "B", "q", "i", "H"], 9, time, end, descriptor, operation, async_id,
                             app, len(requests))
        for offset, size, client in requests:
            self.bytes += struct.pack("<qQqi4x", offset, 0, size, client)

    def asynch_end(self, call, end, async_id, client):
        self.list.append(("end", call, end, async_id, client))
        self.bytes += record(["H", "Q", "Q", "q", "i", "i"], 14, call, end, async_id, client, -1)


def random_trace(seed):
    """Jobs that come and go; their clients open files, each for itself or all together, read, write, close and remove them."""
    r = random.Random(seed)
    trace = Trace(r.choice([1, 2, 3, 7]))
    jobs, next_client, next_app = [], 1, 1
    for _ in range(r.randrange(60, 250)):
        choice = r.random()
        if not jobs or (choice < 0.05 and len(jobs) < 4):
            clients = list(range(next_client, next_client + r.randrange(1, 5)))
            next_client += len(clients)
            trace.load(trace.tick(r), next_app, clients)
            jobs.append({"app": next_app, "clients": clients, "open": {}, "strides": {}})
            next_app += 1
            continue
        job = r.choice(jobs)
        act(r, trace, job)
        if choice > 0.98 and len(jobs) > 1:
            trace.exit(trace.tick(r), job["app"])
            jobs.remove(job)
    for job in jobs[1:]:
        trace.exit(trace.tick(r), job["app"])
    return trace


def act(r, trace, job):
    choice = r.random()
    if not job["open"] or choice < 0.12:
        is_app = r.random() < 0.3
        owner = job["app"] if is_app else r.choice(job["clients"])
        descriptor, file = r.randrange(3, 7), r.randrange(1, 6)
        if any(key[2] == descriptor for key in job["open"]):
            return
        flags = r.choice([READ_WRITE, READ_WRITE | CREATE])
        trace.open(trace.tick(r), is_app, owner, file, descriptor, flags)
        job["open"][is_app, owner, descriptor] = file
        return
    is_app, owner, descriptor = r.choice(list(job["open"]))
    if choice < 0.18:
        trace.close(trace.tick(r), is_app, owner, descriptor, r.choice([0, 1000, 5000]))
        del job["open"][is_app, owner, descriptor]
    elif choice < 0.22:
        trace.unlink(trace.tick(r), r.choice(job["clients"]), r.randrange(1, 6), r.choice([0, 1]))
    elif choice < 0.3 and is_app:
        requests = [request(r, job, client, descriptor) for client in job["clients"]]
        time = trace.tick(r)
        trace.rw(time, time + 5, descriptor, WRITES * r.randrange(2), 0, job["app"], requests)
    else:
        client = r.choice(job["clients"]) if is_app else owner
        entry, time = request(r, job, client, descriptor), trace.tick(r)
        operation = OF_CLIENT | WRITES * (r.random() < 0.3)
        is_async = r.random() < 0.2
        trace.rw(time, time + 2, descriptor, operation | ASYNC * is_async, len(trace.list), -1, [entry])
        if is_async:
            trace.asynch_end(time + 2, time + 4, len(trace.list) - 1, client)


def request(r, job, client, descriptor):
    """Mostly one behind the other, or with a stride, sometimes anywhere, also at the same place again."""
    latest = job["strides"].setdefault((client, descriptor), [0, 100, 100])
    choice = r.random()
    if choice < 0.1:
        latest[1:] = [r.choice([100, 1000, 4096, 6000]), r.choice([100, 1000, 5000, 20000])]
    if choice < 0.15:
        latest[0] = r.randrange(0, 50000, GRAIN)
    offset = latest[0]
    latest[0] += latest[1] if choice < 0.5 else latest[2]
    return offset, latest[1], client


# ---- The figures again ----

class Study:
    def __init__(self, trace, block, small):
        self.trace, self.block, self.small = trace, block, small
        self.app_of, self.files, self.loads, self.exits = {}, {}, {}, {}
        self.clients = collections.defaultdict(set)
        self.opened = collections.Counter()  # of file uses
        self.created, self.removed = set(), set()
        self.requests = []  # (file use, client, is write, offset, size, begin)
        for item in trace.list:
            getattr(self, "on_" + item[0])(*item[1:])

    def on_load(self, time, app, clients):
        self.loads[app] = time
        for client in clients:
            self.app_of[client] = app
            self.clients[app].add(client)

    def on_exit(self, time, app):
        self.exits[app] = time

    def on_open(self, _time, is_app, owner, file, descriptor, flags):
        app = owner if is_app else self.app_of[owner]
        self.files[is_app, owner, descriptor] = file
        self.opened[app, file] += 1
        if flags & CREATE:
            self.created.add((app, file))

    def on_close(self, _time, is_app, owner, descriptor, _size):
        del self.files[is_app, owner, descriptor]

    def on_unlink(self, _time, client, file, links):
        if links == 0:
            self.removed.add((self.app_of[client], file))

    def on_rw(self, time, _end, descriptor, operation, _async_id, _app, requests):
        for offset, size, client in requests:
            app = self.app_of[client]
            file = self.files.get((False, client, descriptor), self.files.get((True, app, descriptor)))
            self.requests.append(((app, file), client, bool(operation & WRITES), offset, size, time))

    def on_end(self, *_):
        pass

    def uses(self):
        return sorted(set(self.opened) | {request[0] for request in self.requests})

    def of(self, use):
        return [request for request in self.requests if request[0] == use]

    def kind(self, use):
        kinds = {request[2] for request in self.of(use)}
        return {(): "untouched", (False,): "read-only", (True,): "write-only"}.get(tuple(kinds), "read-write")

    def steps(self, use):
        """(offset and end of a request, offset of the next one of the same client)"""
        found = []
        for client in sorted({request[1] for request in self.of(use)}):
            own = [request for request in self.of(use) if request[1] == client]
            found += [(a[3], a[3] + a[4], b[3]) for a, b in zip(own, own[1:])]
        return found

    def concurrency(self):
        steps = []
        for app, time in self.exits.items():
            steps += [(self.loads[app], 1), (time, -1)]
        steps.sort(key=lambda step: (step[0], step[1]))
        running, most, ticks = 0, 0, collections.Counter()
        for i, (time, step) in enumerate(steps):
            if i > 0:
                ticks[running] += time - steps[i - 1][0]
            running += step
            most = max(most, running)
        total = sum(ticks.values())
        return most, {str(k): round(t / total, 6) for k, t in sorted(ticks.items()) if t}

    def sharing(self, use):
        owners = collections.defaultdict(set)
        for _, client, _, offset, size, _ in self.of(use):
            for byte in range(offset, offset + size, GRAIN):
                owners[byte].add(client)
        blocks = collections.defaultdict(set)
        for byte, clients in owners.items():
            blocks[byte // self.block] |= clients
        return (GRAIN * len(owners), GRAIN * sum(len(c) > 1 for c in owners.values()), len(blocks),
                sum(len(c) > 1 for c in blocks.values()))

    def blocks(self, offset, size):
        return range(offset // self.block, (offset + size - 1) // self.block + 1)

    def node_caches(self, buffers, is_lru):
        nodes = collections.defaultdict(list)
        hits = references = 0
        for (_, file), _, _, offset, size, _ in self.requests:
            for block in self.blocks(offset, size):
                node, key = nodes[block % self.trace.io_nodes], (file, block)
                references += 1
                if key in node:
                    hits += 1
                    if is_lru:
                        node.append(node.pop(node.index(key)))
                    continue
                node.append(key)
                if len(node) > max(1, buffers // self.trace.io_nodes):
                    node.pop(0)
        return "%d of %d" % (hits, references)

    def client_caches(self, buffers):
        hits = requests = 0
        for use in self.uses():
            if self.kind(use) != "read-only":
                continue
            caches = collections.defaultdict(list)
            for _, client, _, offset, size, _ in self.of(use):
                cache, wanted = caches[client], list(self.blocks(offset, size))
                requests += 1
                hits += all(block in cache for block in wanted)
                for block in wanted:
                    if block in cache:
                        cache.remove(block)
                    cache.append(block)
                    del cache[:-buffers]
        return "%d of %d" % (hits, requests)

    def figures(self, io_buffers, client_buffers):
        def classes(values, names):
            counted = collections.Counter(names[min(value, len(names) - 1)] for value in values)
            return dict(counted)

        out = {"jobs": len(self.loads)}
        out["job_sizes"] = {str(k): v for k, v in collections.Counter(map(len, self.clients.values())).items()}
        out["max_concurrent_jobs"], out["time_share_by_concurrent_jobs"] = self.concurrency()
        out["files_opened_per_job"] = classes([sum(use[0] == app for use in self.opened) for app in self.loads],
                                              ["0", "1", "2", "3", "4", "5+"])
        out["opens"] = sum(self.opened.values())
        out["file_uses"] = len(self.uses())
        out["file_use_class"] = dict(collections.Counter(map(self.kind, self.uses())))
        out["temporary_file_uses"] = len(self.created & self.removed)
        for name, is_write in (("read", False), ("write", True)):
            sizes = [request[4] for request in self.requests if request[2] == is_write]
            small = [size for size in sizes if size < self.small]
            out[name + "_requests"], out[name + "_bytes"] = len(sizes), sum(sizes)
            out["%s_requests_below_%d" % (name, self.small)] = len(small)
            out["%s_bytes_in_requests_below_%d" % (name, self.small)] = sum(small)
            out[name + "_size_histogram"] = {str(k): v for k, v in collections.Counter(sizes).items()}
        steps = {use: self.steps(use) for use in self.uses()}
        everything = sum(steps.values(), [])
        out["request_pairs"] = len(everything)
        out["sequential_pairs"] = sum(b > a for a, _, b in everything)
        out["consecutive_pairs"] = sum(b > a and b == end for a, end, b in everything)
        some = [p for p in steps.values() if p]
        out["file_uses_with_pairs"] = len(some)
        out["fully_sequential_file_uses"] = sum(all(b > a for a, _, b in p) for p in some)
        out["fully_consecutive_file_uses"] = sum(all(b > a and b == end for a, end, b in p) for p in some)
        names = ["0", "1", "2", "3", "4+"]
        out["distinct_request_sizes_per_file_use"] = classes([len({q[4] for q in self.of(u)}) for u in self.uses()], names)
        out["distinct_intervals_per_file_use"] = classes([len({b - end for _, end, b in p}) for p in steps.values()], names)
        out["sharing"] = {}
        for kind in ("read-only", "write-only", "read-write"):
            totals = [sum(column) for column in zip(*[self.sharing(u) for u in self.uses() if self.kind(u) == kind])]
            keys = ["bytes", "bytes_shared", "blocks%d" % self.block, "blocks_shared"]
            out["sharing"][kind] = dict(zip(keys, totals or [0] * 4))
        for name, is_lru in (("lru", True), ("fifo", False)):
            out["io_node_cache_%s_block_hits" % name] = {str(t): self.node_caches(t, is_lru) for t in io_buffers}
        for buffers in client_buffers:
            out["compute_node_cache_%d_block_request_hits" % buffers] = self.client_caches(buffers)
        return out

    def strided(self, use):
        """(segments, nested patterns, requests in segments), by looking at each request of each client in turn."""
        segments = nested = inside = 0
        for client in {request[1] for request in self.of(use)}:
            own = [(request[3], request[4]) for request in self.of(use) if request[1] == client]
            found, i = [], 0
            while i < len(own):
                j = i + 1
                while j < len(own) and own[j][1] == own[i][1] and own[j][0] - own[j - 1][0] == own[i + 1][0] - own[i][0]:
                    j += 1
                stride = own[i + 1][0] - own[i][0] if j > i + 1 else 0
                if j - i >= 3 and stride != own[i][1]:
                    found.append((i, j - i, own[i][1], stride, own[i][0]))
                    i = j
                else:
                    i = max(i + 1, j - 1)
            segments += len(found)
            inside += sum(segment[1] for segment in found)
            alike = 1
            for number, (a, b) in enumerate(zip(found, found[1:])):
                before = found[number - 1] if alike > 1 else None
                follows = a[0] + a[1] == b[0] and a[1:4] == b[1:4] and (before is None or a[4] - before[4] == b[4] - a[4])
                alike = alike + 1 if follows else 1
                nested += alike == 2
        return segments, nested, inside


class TestIo(FolderTest):
    def trace(self, seed):
        trace = random_trace(seed)
        path = self.path("%d.ctrace" % seed)
        with open(path, "wb") as file:
            file.write(trace.bytes)
        return trace, path

    def test_study_of_random_traces(self):
        for seed in range(SEEDS):
            trace, path = self.trace(seed)
            got = figures(path)
            for name, value in Study(trace, 4096, 4000).figures([10, 100, 1000], [1, 10]).items():
                self.assertEqual(got[name], value, "seed %d, %s" % (seed, name))

    def test_study_with_other_blocks_and_buffers(self):
        for seed in range(SEEDS, SEEDS + 8):
            trace, path = self.trace(seed)
            got = figures(path, "--block", "100", "--small", "1000", "--io-buffers", "3,20", "--client-buffers", "4")
            for name, value in Study(trace, 100, 1000).figures([3, 20], [4]).items():
                self.assertEqual(got[name], value, "seed %d, %s" % (seed, name))

    def test_tables_of_random_traces(self):
        for seed in range(SEEDS):
            trace, path = self.trace(seed)
            study, got = Study(trace, 4096, 4000), tables(path)
            for row in rows(got["io_files"]):
                self.check_file(study, row, "seed %d, file %s" % (seed, row["file_id"]))
            for row in rows(got["io_strides"]):
                found = [study.strided(use) for use in study.uses() if use[1] == row["file_id"]]
                want = [sum(column) for column in zip(*found)]
                self.assertEqual([row["segments"], row["nested"]], want[:2], "seed %d, %s" % (seed, row["file"]))
                self.assertEqual(row["strided"], round(want[2] / row["requests"], 6))
            self.check_totals(study, got)

    def test_tables_of_windows_that_touch_add_up(self):
        """Asynchronous requests and those that take long lie across each cut. No reference but the whole itself."""
        counts = ("opens", "reads", "writes", "bytes_read", "bytes_written", "read_ns", "write_ns", "metadata_ns")
        for seed in range(SEEDS):
            trace, path = self.trace(seed)

            def totals(*window):
                answer = tables(path, *window)
                files, sizes = collections.Counter(), collections.Counter()
                for row in rows(answer["io_files"]):
                    files.update({(row["file_id"], name): row[name] for name in counts})
                for row in rows(answer["io_sizes"]):
                    sizes.update({(row["size"], name): row[name] for name in counts[1:5]})
                return +files, +sizes  # without zeros

            whole = totals()
            for at in (trace.time // 4, trace.time // 2, trace.time * 3 // 4):
                first, second = totals("--until", str(at)), totals("--since", str(at))
                self.assertEqual((first[0] + second[0], first[1] + second[1]), whole, "seed %d, at %d" % (seed, at))

    def check_file(self, study, row, where):
        own = [request for request in study.requests if request[0][1] == row["file_id"]]
        sizes = [request[4] for request in own]
        steps = sum([study.steps(use) for use in study.uses() if use[1] == row["file_id"]], [])
        self.assertEqual(row["opens"], sum(n for use, n in study.opened.items() if use[1] == row["file_id"]), where)
        for count, total, is_write in (("reads", "bytes_read", False), ("writes", "bytes_written", True)):
            self.assertEqual(row[count], sum(request[2] == is_write for request in own), where)
            self.assertEqual(row[total], sum(request[4] for request in own if request[2] == is_write), where)
        self.assertEqual([row["min_request"], row["max_request"]], [min(sizes, default=None), max(sizes, default=None)])
        if steps:
            self.assertEqual(row["sequential"], round(sum(b > a for a, _, b in steps) / len(steps), 6), where)
            self.assertEqual(row["consecutive"], round(sum(b > a and b == e for a, e, b in steps) / len(steps), 6))

    def check_totals(self, study, got):
        total = sum(request[4] for request in study.requests)
        for name in ("io_files", "io_sizes", "io_timeline"):
            self.assertEqual(sum(r["bytes_read"] + r["bytes_written"] for r in rows(got[name])), total, name)
            self.assertEqual(sum(r["reads"] + r["writes"] for r in rows(got[name])), len(study.requests), name)
        for row in rows(got["io_sharing"]):
            self.assertLessEqual(row["bytes_shared"], row["bytes"])

    # needs: shared
    def test_requests_of_negative_size_count_once_everywhere(self):
        """The first two of eight reads of the hand-made trace ask for -1 and -5 bytes instead of 1000: nothing is read."""
        trace = os.path.join(SHARED, "charisma", "hand-check-lp64.ctrace")
        if not os.path.exists(trace):
            self.skipTest("no shared traces")
        with open(trace, "rb") as file:
            data = bytearray(file.read())
        for record_at, size in ((1308, -1), (1388, -5)):
            struct.pack_into("<q", data, record_at + 64, size)
        path = self.path("negative.ctrace")
        with open(path, "wb") as file:
            file.write(data)
        got = figures(path)
        self.assertEqual((got["read_requests"], got["read_bytes"]), (8, 5500))
        self.assertEqual((got["read_requests_below_4000"], got["read_bytes_in_requests_below_4000"]), (8, 5500))
        self.assertEqual(got["read_size_histogram"], {"0": 2, "500": 1, "1000": 5})
        self.assertEqual(got["read_size_fractions"], {"0": [0.25, 0], "500": [0.375, 0.090909], "1000": [1, 1]})
        for name in ("io_files", "io_sizes", "io_timeline"):
            table = rows(tables(path)[name])
            self.assertEqual((sum(row["reads"] for row in table), sum(row["bytes_read"] for row in table)), (8, 5500), name)

    # needs: shared
    def test_darshan_estimate(self):
        """Of the hand-made trace: 23884 bytes, 20000 ns of client 1 in /y, and 20000 ns in /x, which both clients read."""
        path = os.path.join(SHARED, "charisma", "hand-check-lp64.ctrace")
        if not os.path.exists(path):
            self.skipTest("no shared traces")
        row = rows(tables(path)["io_performance"])[0]
        self.assertEqual((row["bytes"], row["unique_ns"], row["unique_rank"], row["shared_ns"]),
                         (23884, 20000, "Client 1", 20000))
        self.assertAlmostEqual(row["mib_per_s"], 23884 / 2 ** 20 / 40e-6, 5)

    def test_wrong_lists_are_usage_errors(self):
        _, path = self.trace(1)
        for option in (["--io-buffers", "0"], ["--io-buffers", "1,"], ["--client-buffers", "x"], ["--block", "0"]):
            done = subprocess.run([QUIPU, "io", "--study", path, *option], stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(f"{option[0]} takes".encode(), done.stderr)
            self.assertIn(f'not "{option[1]}"'.encode(), done.stderr)

    def test_options_of_the_study_without_it_are_usage_errors(self):
        _, path = self.trace(1)
        for option in (["--io-buffers", "10"], ["--small", "4000"], ["--replacement", "lru"]):
            done = subprocess.run([QUIPU, "io", path, *option], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((2, b""), (done.returncode, done.stdout), option)
            self.assertIn(b"give --study too", done.stderr)


if __name__ == "__main__":
    unittest.main()
