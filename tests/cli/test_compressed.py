"""Traces whose files gzip or zstd has compressed, and traces from pipes: every command reads them as it reads the plain ones."""
import ctypes
import gzip
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", os.getcwd())
QUIPU = os.path.join(os.path.abspath(os.environ.get("QUIPU_BUILD", "build")), "quipu")
SWEEP = os.path.join(SOURCE, "tests", "data", "sweep")
NO, USAGE, DAMAGED, UNREADABLE, LIMIT = 1, 2, 3, 4, 6

# format: folder, the file that names the trace, what else may name it
TRACES = {"otf": ("ring.otf", ["ring", "ring.1.events", ""]),
          "otf-compressed": ("ring.otf", [""]),
          "dumpi": ("ring.meta", ["ring", ""]),
          "ovni": ("stream.obs", ["stream.json", ""]),
          "picl": ("ring.picl", ["ring"]),
          "charisma": ("ring.ctrace", ["ring"]),
          "paraver": ("ring.prv", ["ring"])}
ONE_FILE = {"picl": "ring.picl", "charisma": "ring.ctrace", "dumpi": "ring-0000.bin"}
COMMANDS = (["cat"], ["cat", "--json"], ["cat", "--records"], ["cat", "--since", "20%", "--until", "60%"], ["definitions"],
            ["profile"], ["profile", "--threads", "2"], ["state", "--at", "end"])


def pack_gzip(data):
    return gzip.compress(data)


def pack_zstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    bound = library.ZSTD_compressBound
    compress = library.ZSTD_compress
    bound.restype = compress.restype = ctypes.c_size_t
    bound.argtypes = [ctypes.c_size_t]
    compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(bound(len(data)))
    size = compress(room, len(room), data, len(data), 3)
    return room.raw[:size]


PACKERS = {".gz": pack_gzip, ".zst": pack_zstd}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def shared_files(stub, events):
    """A file with the events of all streams, and its index: stream, offset and length of each block."""
    lines, data = "", b""
    for stream, block in events.items():
        lines += f"{stream}:{len(data)}:{len(block)}\n"
        data += block
    return {f"{stub}.all.events": data, f"{stub}.idx.events": lines.encode("ascii")}


class PackedTest(FolderTest):
    def run_quipu(self, code, *arguments, folder="", data=None, **more):
        result = subprocess.run([QUIPU, *arguments], cwd=self.path(folder), input=data, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, timeout=60,
                                **({} if data is not None else {"stdin": subprocess.DEVNULL}), **more)
        self.assertEqual(result.returncode, code, (arguments, result.stdout[-500:], result.stderr))
        return result

    def plain_and_packed(self, name, suffix):
        """Two folders of one trace: plain/ and packed/, whose files are all compressed."""
        for folder in ("plain", "packed"):
            shutil.rmtree(self.path(folder), ignore_errors=True)
        shutil.copytree(os.path.join(SWEEP, name), self.path("plain"))
        os.mkdir(self.path("packed"))
        for file in os.listdir(self.path("plain")):
            if not (suffix == ".gz" and file.endswith(".z")):  # gzip leaves them as they are
                write(self.path("packed/" + file + suffix), PACKERS[suffix](read(self.path("plain/" + file))))
            else:
                shutil.copy(self.path("plain/" + file), self.path("packed"))

    def each(self):
        for name in TRACES:
            for suffix in PACKERS:
                self.plain_and_packed(name, suffix)
                yield name, suffix

    def assert_same(self, arguments, plain, packed, **more):
        expected = self.run_quipu(0, *arguments, plain, folder="plain")
        self.assertEqual(self.run_quipu(0, *arguments, packed, folder="packed", **more).stdout, expected.stdout,
                         (arguments, packed))


class Compressed(PackedTest):
    def test_every_command_reads_a_compressed_trace(self):
        for name, suffix in self.each():
            trace = TRACES[name][0]
            for arguments in COMMANDS:
                self.assert_same(arguments, trace, trace + suffix)
                self.assert_same(arguments, trace, trace)  # the name without suffix stands for it

    def test_threads_may_be_the_first_to_meet_a_compressed_file(self):
        for suffix, pack in PACKERS.items():
            for name in ("otf", "dumpi"):
                with self.subTest(name + suffix):
                    self.plain_and_packed(name, suffix)
                    shutil.rmtree(self.path("packed"))
                    shutil.copytree(self.path("plain"), self.path("packed"))
                    for file in os.listdir(self.path("packed")):
                        if file.endswith((".events", ".bin")):
                            os.remove(self.path("packed/" + file))
                            write(self.path("packed/" + file + suffix), pack(read(self.path("plain/" + file))))
                    for command in ("profile", "waits", "comm"):
                        self.assert_same([command, "--threads", "4"], TRACES[name][0], TRACES[name][0])

    def test_whatever_names_a_trace_names_its_compressed_files(self):
        for name, suffix in self.each():
            trace, others = TRACES[name]
            for other in others:
                packed = other or "."
                if "." in other and not other.endswith(".z"):
                    packed = other + suffix
                self.assert_same(["cat"], other or ".", packed)

    def test_files_that_were_compressed_before_may_be_compressed_again(self):
        """gzip leaves names that end in .z alone, but for "gzip -c"; in folders of traces both occur."""
        self.plain_and_packed("otf-compressed", ".gz")
        for file in os.listdir(self.path("packed")):
            if file.endswith(".z"):
                write(self.path("packed/" + file + ".gz"), pack_gzip(read(self.path("packed/" + file))))
                os.remove(self.path("packed/" + file))
        self.assertTrue(any(file.endswith(".z.gz") for file in os.listdir(self.path("packed"))))
        for arguments in COMMANDS:
            for name in ("ring.otf.gz", "ring.otf", "."):
                self.assert_same(arguments, name if name == "." else "ring.otf", name)

    def test_shared_files_of_streams_may_be_compressed(self):
        """Files that servers have written for several streams, with an index beside each."""
        for suffix, pack in PACKERS.items():
            with self.subTest(suffix):
                for folder in ("plain", "packed"):
                    shutil.rmtree(self.path(folder), ignore_errors=True)
                    os.mkdir(self.path(folder))
                events = {1: b"5\n*1\nE1\n9\n*1\nL1\n", 2: b"6\n*2\nE1\n8\n*2\nL1\n"}
                definitions = b'DTR3b9aca00\nDP1NM"a"\nDP2NM"b"\nDF1G0NM"f"\n'
                files = {"a.otf": b"1:1\n2:2\ni1:2:ffffffff\n", "a.0.def": definitions}
                files.update(shared_files("a", events))
                for name, data in files.items():
                    write(self.path("plain/" + name), data)
                    write(self.path("packed/" + name + suffix), pack(data))
                self.assertEqual(4, self.run_quipu(0, "cat", "a.otf", folder="plain").stdout.count(b"\n"))
                for name in ("a.otf" + suffix, "a.otf", "a", "."):
                    self.assert_same(["cat"], "a.otf", name)

    def test_a_compressed_trace_has_the_verdict_counts_and_streams_of_the_plain_one(self):
        for name, suffix in self.each():
            trace = TRACES[name][0]
            checks, infos = [], []
            for folder, path in (("plain", trace), ("packed", trace + suffix)):
                check = json.loads(self.run_quipu(0, "check", "--json", path, folder=folder).stdout)
                checks.append([check["verdict"], check["records"], [finding["rule"] for finding in check["findings"]]])
                info = json.loads(self.run_quipu(0, "info", "--json", path, folder=folder).stdout)
                infos.append([info[key] for key in ("format", "variant", "streams", "locations", "time", "records")])
            self.assertEqual(checks[0], checks[1])
            self.assertEqual(infos[0], infos[1])

    def test_converting_a_compressed_trace_gives_the_plain_one(self):
        for name, suffix in self.each():
            trace = TRACES[name][0]
            target = "out" if name == "ovni" else trace
            for folder, path in (("plain", trace), ("packed", trace + suffix)):
                os.mkdir(self.path(folder + "/copy"))
                source = path if name != "ovni" else "."
                self.run_quipu(0, "convert", source, "--to", name.split("-", maxsplit=1)[0], "-o", "copy/" + target,
                               folder=folder)
            copies = [sorted((os.path.relpath(os.path.join(above, file), self.path(folder)),
                              read(os.path.join(above, file)))
                             for above, _, files in os.walk(self.path(folder + "/copy")) for file in files)
                      for folder in ("plain", "packed")]
            self.assertEqual(copies[0], copies[1])
            self.assertGreater(len(copies[0]), 0)

    def test_an_index_of_a_compressed_trace_is_used(self):
        for name, suffix in self.each():
            if name not in ("dumpi", "picl", "paraver"):
                continue
            trace = TRACES[name][0] + suffix
            before = self.run_quipu(0, "cat", "--since", "50%", trace, folder="packed").stdout
            self.run_quipu(0, "index", trace, folder="packed")
            self.assertEqual(self.run_quipu(0, "cat", "--since", "50%", trace, folder="packed").stdout, before)

    def test_a_plain_file_comes_before_a_compressed_one(self):
        self.plain_and_packed("dumpi", ".gz")
        for file in os.listdir(self.path("plain")):
            write(self.path("plain/" + file + ".gz"), b"no gzip data")
        expected = self.run_quipu(0, "cat", os.path.join(SWEEP, "dumpi", "ring.meta")).stdout
        for path in (".", "ring.meta", "ring"):
            self.assertEqual(self.run_quipu(0, "cat", path, folder="plain").stdout, expected)

    def test_compressed_data_that_breaks_off_is_found_once_per_file(self):
        for name, suffix in self.each():
            trace = TRACES[name][0]
            damaged = {"otf": "ring.1.events", "otf-compressed": "ring.0.def", "dumpi": "ring-0001.bin"}.get(name, trace)
            damaged += suffix
            whole = read(self.path("packed/" + damaged))
            write(self.path("packed/" + damaged), whole[:-6] if suffix == ".gz" else whole + b"no frame")
            check = subprocess.run([QUIPU, "check", "--json", trace + suffix], cwd=self.path("packed"),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertIn(check.returncode, (NO, DAMAGED), (name, check.stderr))
            found = [finding for finding in json.loads(check.stdout)["findings"] if finding["rule"] == "file.compression"]
            self.assertEqual([os.path.basename(finding["file"]) for finding in found], [damaged], check.stdout)


class Pipes(PackedTest):
    def test_a_pipe_is_recognised_and_read_by_every_command(self):
        for name, file in ONE_FILE.items():
            data = read(os.path.join(SWEEP, name, file))
            with self.subTest(name=name):
                self.plain_and_packed(name, ".gz")
                for arguments in COMMANDS + (["check"], ["convert", "--to", "chrome", "-o", "-"]):
                    expected = self.run_quipu(0, *arguments, file, folder="plain").stdout
                    for packed in (data, pack_gzip(data), pack_zstd(data)):
                        got = self.run_quipu(0, *arguments, "-", data=packed).stdout
                        self.assertEqual(got.replace(b'"-"', b'"' + file.encode() + b'"'),
                                         expected.replace(b'"-"', b'"' + file.encode() + b'"'), arguments)

    def test_a_trace_of_several_files_cannot_come_from_a_pipe(self):
        for name, file in (("otf", "ring.otf"), ("dumpi", "ring.meta"), ("ovni", "stream.obs")):
            result = self.run_quipu(USAGE, "cat", "-", data=read(os.path.join(SWEEP, name, file)))
            self.assertIn(b"several files", result.stderr)
            self.assertIn(b"cannot come from a pipe", result.stderr)

    def test_a_pipe_that_holds_no_trace_is_refused(self):
        result = self.run_quipu(UNREADABLE, "cat", "-", data=b"hello, world\n" * 1000)
        self.assertIn(b"no format recognises this", result.stderr)
        self.run_quipu(UNREADABLE, "cat", "-", data=b"")


class Limits(PackedTest):
    def test_temporary_files_have_a_limit(self):
        self.plain_and_packed("dumpi", ".gz")
        result = self.run_quipu(LIMIT, "cat", "--max-temporary", "1000", "ring.meta.gz", folder="packed")
        self.assertIn(b"would need more than 1000 bytes", result.stderr)
        self.assertIn(b"TMPDIR", result.stderr)
        self.run_quipu(0, "cat", "--max-temporary", "1M", "ring.meta.gz", folder="packed")

    def test_a_full_disk_has_an_error_of_its_own(self):
        def few_bytes():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.plain_and_packed("dumpi", ".gz")
        result = self.run_quipu(LIMIT, "cat", "ring.meta.gz", folder="packed", preexec_fn=few_bytes)
        self.assertIn(b"the temporary file in", result.stderr)
        self.assertIn(b"cannot be written", result.stderr)

    def test_temporary_files_lie_where_the_environment_says_and_leave_nothing(self):
        self.plain_and_packed("dumpi", ".zst")
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            environment = dict(os.environ, TMPDIR=folder)
            self.run_quipu(0, "cat", "ring.meta.zst", folder="packed", env=environment)
            self.assertEqual(os.listdir(folder), [])
        result = self.run_quipu(LIMIT, "cat", "ring.meta.zst", folder="packed", env=dict(os.environ, TMPDIR="/nowhere/at/all"))
        self.assertIn(b"the temporary file in /nowhere/at/all cannot be made", result.stderr)


class Memory(FolderTest):
    def test_memory_that_a_compressed_file_takes_is_said(self):
        window = 1 << 21  # of zstd's level 3, for 8 MB that do not repeat
        noise = b"".join(hashlib.sha512(number.to_bytes(8, "big")).digest() for number in range((8 << 20) // 64))
        for name in os.listdir(os.path.join(SWEEP, "dumpi")):
            data = read(os.path.join(SWEEP, "dumpi", name))
            write(self.path(name), pack_zstd(data + noise) if name.endswith(".bin") else data)
        done = subprocess.run([QUIPU, "info", self.path("ring.meta"), "--max-memory", "2M"], capture_output=True, text=True)
        self.assertEqual(done.returncode, LIMIT)
        needed = re.match(r"quipu: no memory for (\d+) bytes\n  raise the memory limit", done.stderr)
        self.assertTrue(needed, done.stderr)
        self.assertGreaterEqual(int(needed[1]), window)
        self.assertLess(int(needed[1]), window + (1 << 20))


if __name__ == "__main__":
    unittest.main()
