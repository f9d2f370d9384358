"""quipu cut begins at the latest snapshot that can be relied upon, and what it writes does not show that."""
import os
import random
import re
import shutil
import subprocess
import unittest
import zlib

import otf_text
from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")

DEFINITIONS = "DTR3b9aca00\n" + "".join(f'DP{n}NM"process {n}"\n' for n in range(1, 6)) + (
    'DPG7M1,2,3,4,5,NM"world"\nDFG9NM"group"\n' + "".join(f'DF{n:x}G9NM"function {n}"\n' for n in range(1, 20)) +
    'DCO4NM"barrier"Y1\nDFLG8NM"disk"\nDFL5NM"data"G8\nDCG3NM"counters"\nDCNT6G3NM"counter"P0U"things"\n')
COMPLETE = re.compile(rb'^TC"complete: [^"]*"\n', re.MULTILINE)


class Process:
    """Makes up the records of a process, mostly sensible ones."""

    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.depth, self.collectives, self.operations, self.next_id = 0, [], [], 1

    def enter(self):
        self.depth += 1
        return f"E{self.rng.randint(1, 19):x}" + self.rng.choice(["", "X2"])

    def leave(self):
        self.depth -= self.depth > 0
        return "L"

    def send(self):
        return f"S{self.rng.randint(1, 5)}L{self.rng.randint(0, 99):x}T{self.rng.randint(1, 2)}C7"

    def receive(self):
        return f"R{self.rng.randint(1, 5)}L8T{self.rng.randint(1, 2)}C7"

    def begin(self, waiting, text):
        self.next_id += 1
        waiting.append(self.next_id)
        return text.format(self.next_id)

    def begin_or_end_collective(self):
        if self.collectives and self.rng.random() < 0.6:
            return f"COPE{self.collectives.pop(self.rng.randrange(len(self.collectives))):x}"
        return self.begin(self.collectives, "COPB4H{:x}C7RT0S1R2")

    def begin_or_end_operation(self):
        if self.operations and self.rng.random() < 0.6:
            number = self.operations.pop(0)
            return f"FF5MI{number:x}H{self.rng.randint(1, 3)}OP{self.rng.randint(0, 3)}B8"
        return self.begin(self.operations, "FA{:x}")

    def record(self):
        if self.depth == 0 and self.rng.random() < 0.5:
            return self.enter()
        return self.rng.choice([
            self.enter, self.leave, self.leave, self.send, self.receive, self.begin_or_end_collective,
            self.begin_or_end_operation, lambda: f"CNT6V{self.rng.randint(0, 999):x}",
            lambda: f"F5H{self.rng.randint(1, 3)}OP{self.rng.randint(0, 1)}B0D0", lambda: "COP4C7RT0S1R1D5",
            lambda: '#"said"', lambda: "K1Y5V7\nN"])()


def write(path, data, compressed):
    """Compressed files have a full flush every few kilobytes, as those of otfcompress do."""
    if compressed:
        pack = zlib.compressobj()
        data = b"".join(pack.compress(data[i:i + 4096]) + pack.flush(zlib.Z_FULL_FLUSH)
                        for i in range(0, len(data), 4096))
    with open(path + (".z" if compressed else ""), "wb") as file:
        file.write(data)


def write_random_trace(stub, seed, steps, compressed=False):
    """Two processes share a stream, three have one of their own; the last one begins late. Returns the last time."""
    rng = random.Random(seed)
    streams = {1: [1, 2], 2: [3], 3: [4], 4: [5]}
    lines = {stream: [] for stream in streams}
    processes = {n: Process(rng, n) for n in range(1, 6)}
    time = rng.choice([0, 3])
    for step in range(steps):
        time += rng.choice([0, 0, 1, 2])
        for stream, members in streams.items():
            number = rng.choice(members)
            if rng.random() < 0.5 and (number != 5 or step > steps // 2):
                lines[stream].append(f"{time:x}\n*{number}\n{processes[number].record()}\n")
    write(stub + ".otf", b"1:1,2\n2:3\n3:4\n4:5\n", False)
    write(stub + ".0.def", DEFINITIONS.encode(), compressed)
    for stream, text in lines.items():
        write(f"{stub}.{stream}.events", "".join(text).encode(), compressed)
    return time


def cut_files(stub):
    """The files of a trace by their endings; snapshots as records, without those that say that they are complete."""
    folder, base = os.path.split(stub)
    found = {name[len(base):]: otf_text.read(os.path.join(folder, name.removesuffix(".z"))) for name in os.listdir(folder)}
    for name in found:
        if ".snaps" in name:
            records = otf_text.records(stub, int(name.split(".")[1], 16), "snaps")
            found[name] = [record for record in records if not record[2][-1].startswith(b'TC"complete')]
    return found


class CutFromSnapshots(FolderTest):
    def path(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def snapshot(self, every, compressed=False):
        """Takes snapshots of the trace t; returns the stub of the new one."""
        stub = self.path("with", "t")
        subprocess.run([QUIPU, "snapshot", self.path("t.otf"), "-o", stub + ".otf", "--quiet", "--force", "--every",
                        str(every), *(["--compress", "6"] if compressed else [])], check=True)
        return stub

    def copy(self, stub, change):
        """A copy of a trace whose snapshots are changed: change(name, text) gives the new text, None for no file."""
        new = self.path("changed", "t")
        shutil.rmtree(os.path.dirname(new))
        shutil.copytree(os.path.dirname(stub), os.path.dirname(new))
        for name in os.listdir(os.path.dirname(new)):
            plain = name.removesuffix(".z")
            if not plain.endswith((".snaps", ".0.def")):
                continue
            path = self.path("changed", plain)
            text = change(plain, otf_text.read(path))
            os.remove(self.path("changed", name))
            if text is not None:
                write(path, text, name.endswith(".z"))
        return new

    def cut(self, stub, *options):
        """Parts of the cut trace, and how many records were read for it."""
        part = self.path("part", "p")
        shutil.rmtree(os.path.dirname(part))
        result = subprocess.run([QUIPU, "cut", stub + ".otf", "-o", self.path("part", "p.otf"), *options],
                                stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        return cut_files(part), int(re.search(r"(\d+) records", result.stderr).group(1))

    def assert_same_cuts(self, stub, times, *options):
        """A trace whose snapshots do not say that they are complete is read from the beginning. Returns records saved."""
        reference = self.path("reference", "t")
        shutil.rmtree(os.path.dirname(reference))
        shutil.move(os.path.dirname(self.copy(stub, lambda name, text: COMPLETE.sub(b"", text))),
                    os.path.dirname(reference))
        saved = 0
        for time in times:
            ours, read = self.cut(stub, "--since", str(time), *options)
            theirs, read_all = self.cut(reference, "--since", str(time), *options)
            self.assertEqual(ours, theirs, (stub, time, options))
            saved += read_all - read
        return saved

    def test_cut_from_snapshots_is_the_cut_from_the_beginning(self):
        choices = [[], ["--snapshots"], ["--location", "process 3"], ["--streams", "2"], ["--until", "70"],
                   ["--snapshots", "--location", "process 1,process 2", "--streams", "1"]]
        for seed, options in enumerate(choices):
            last = write_random_trace(self.path("t"), seed, 100)
            past = 70 if "--until" in options else last + 2
            self.assert_same_cuts(self.snapshot(13), range(0, past, 2 if seed < 2 else 9), *options)

    def test_cut_of_a_large_trace_reads_what_is_behind_the_snapshot(self):
        for compressed in (False, True):
            for name in [name for name in os.listdir(self.folder) if name.startswith("t.")]:
                os.remove(self.path(name))
            last = write_random_trace(self.path("t"), 7, 40000 if compressed else 30000, compressed)
            stub = self.snapshot(last // 50)
            for stream in (1, 2, 3, 4) if compressed else ():
                write(f"{stub}.{stream}.events", otf_text.read(f"{stub}.{stream}.events"), True)
                os.remove(f"{stub}.{stream}.events")
            self.assert_same_cuts(stub, [last // 2 + 1, last - 200], "--until", str(last - 100))
            self.assert_same_cuts(stub, [last // 3], "--until", str(last // 3 + 50), "--snapshots")
            _, read_all = self.cut(stub, "--since", "0")
            for since in (last // 2, last - 200):
                _, read = self.cut(stub, "--since", str(since), "--until", str(since + 50))
                self.assertLess(read, read_all / 5)

    def test_cut_does_not_use_snapshots_that_are_not_complete(self):
        def without(pattern, of):
            return lambda name, text: re.sub(pattern, b"", text, count=1, flags=re.MULTILINE) if of in name else text

        def without_last(name, text):
            return text[:text.rindex(b"TC")] if b"TC" in text else text

        changes = [
            without(rb"^TE.*\n", ".1.snaps"), without(rb"^TS.*\n", ".2.snaps"), without(rb'^TC"c.*\n', ".3.snaps"),
            without(rb'^TC"c.*\n(T.*\n)*', ".2.snaps"), without_last,
            lambda name, text: None if ".2.snaps" in name else text,
            lambda name, text: None if ".snaps" in name else text,
            lambda name, text: text + b"DAUX14Y0\nDAUX15Y0\nDAUX30Y0\n" if ".def" in name else text,
            lambda name, text: re.sub(rb"(?m)^(TE.*\n)", rb"\1\1", text, count=1) if ".snaps" in name else text,
            # what others write: nothing says that it is complete
            lambda name, text: re.sub(rb"(?m)^T(C|E[0-9a]).*\n", b"", text) if ".snaps" in name else text,
        ]
        last = write_random_trace(self.path("t"), 99, 100)
        stub = self.snapshot(10)
        for change in changes:
            changed = self.path("candidate", "t")
            shutil.rmtree(os.path.dirname(changed))
            shutil.move(os.path.dirname(self.copy(stub, change)), os.path.dirname(changed))
            self.assert_same_cuts(changed, range(5, last + 2, 19))
            self.assert_same_cuts(changed, range(8, last + 2, 35), "--snapshots")

    def test_cut_of_a_cut_trace_does_not_use_what_the_first_one_has_kept(self):
        last = write_random_trace(self.path("t"), 5, 100)
        subprocess.run([QUIPU, "cut", self.snapshot(10) + ".otf", "-o", self.path("once", "t.otf"), "--quiet", "--since",
                        "25"], check=True)
        self.assertNotIn(b'TC"complete', otf_text.read(self.path("once", "t.1.snaps")))
        self.assert_same_cuts(self.path("once", "t"), range(20, last, 20), "--snapshots")

    def test_cut_of_a_merged_trace_uses_its_snapshots(self):
        last = write_random_trace(self.path("t"), 11, 100)
        subprocess.run([QUIPU, "merge", self.snapshot(10) + ".otf", "-o", self.path("merged", "t.otf"), "--quiet"], check=True)
        self.assertIn(b'TC"complete', otf_text.read(self.path("merged", "t.1.snaps")))
        self.assert_same_cuts(self.path("merged", "t"), range(20, last, 20), "--snapshots")

    def test_cut_of_a_repaired_trace_relies_on_nothing(self):
        write_random_trace(self.path("t"), 12, 100)
        stub = self.snapshot(10)
        with open(stub + ".1.events", "a", encoding="ascii") as file:
            file.write("nonsense\n")
        subprocess.run([QUIPU, "repair", stub + ".otf", "-o", self.path("sound", "t.otf"), "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        self.assertIn(b"TE", otf_text.read(self.path("sound", "t.1.snaps")))
        self.assertNotIn(b'TC"complete', otf_text.read(self.path("sound", "t.1.snaps")))


if __name__ == "__main__":
    unittest.main()
