"""What a process of quipu-mpi opens, reads and sends grows with its share of the streams and the depth of the tree, not with the trace.

Counters, no seconds: a library in front of MPI counts the files of events that a process opens, the bytes that it reads of them, and the messages and
bytes that it sends. By least squares each is  a + b streams / processes + c log2 processes;  a counter that grows faster lies beside that.

    python3 tests/cli/test_growth.py 1000 10000 100000    prints the table for so many streams; needs cc and MPICH
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from folder import FolderTest

BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
PROGRAM = os.path.join(BUILD, "quipu-mpi.mpich")
PROCESSES = (2, 4, 8)
SERVING = (4, 6, 8)  # with which rank 0 reads nothing of what waits needs
COUNTERS = ("files", "bytes read", "messages", "bytes sent")
# Each process does its part, or the others read for rank 0, which is another matter. None: the trace.
DIVIDED = (("info", None), ("profile", None, "--by", "region"), ("calls", None), ("check", None), ("table", "events", None, "-f", "-o", "part-%r.csv"))
SERVED = ("waits", None, "--max-memory", "1G")
# Towards rank 0 goes when each location lived.
OF_EACH_LOCATION = {("profile", None, "--by", "region"): "bytes sent"}
COUNTING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic long files, bytes_read, messages, bytes_sent;
static int rank;
static _Atomic char is_of_events[1 << 16];

static int opened(const char *path, int fd) {
    if (fd >= 0 && fd < 1 << 16) {
        is_of_events[fd] = strstr(path, ".events") != NULL;
        files += is_of_events[fd];
    }
    return fd;
}

#define OPEN(name)                                                                                             \
    int name(const char *path, int flags, ...) {                                                               \
        static int (*real)(const char *, int, ...);                                                            \
        va_list arguments;                                                                                     \
        va_start(arguments, flags);                                                                            \
        const int mode = va_arg(arguments, int);                                                               \
        va_end(arguments);                                                                                     \
        if (!real)                                                                                             \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                         \
        return opened(path, real(path, flags, mode));                                                          \
    }
OPEN(open)
OPEN(open64)

static long counted(int fd, long size) {
    if (size > 0 && fd >= 0 && fd < 1 << 16 && is_of_events[fd])
        bytes_read += size;
    return size;
}

ssize_t read(int fd, void *to, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    return counted(fd, real(fd, to, size));
}

#define PREAD(name)                                                                                            \
    ssize_t name(int fd, void *to, size_t size, off_t at) {                                                    \
        static ssize_t (*real)(int, void *, size_t, off_t);                                                    \
        if (!real)                                                                                             \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                         \
        return counted(fd, real(fd, to, size, at));                                                            \
    }
PREAD(pread)
PREAD(pread64)

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    messages += type != MPI_BYTE; /* each begins with its size */
    bytes_sent += type == MPI_BYTE ? count : 0;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Finalize(void) {
    char path[4096], line[256], peak[64] = "0";
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %60s", peak);
    if (status)
        fclose(status);
    snprintf(path, sizeof path, "%s/%d", getenv("COUNTED"), rank);
    FILE *out = fopen(path, "w");
    if (out) {
        fprintf(out, "%ld %ld %ld %ld %s", files, bytes_read, messages, bytes_sent, peak);
        fclose(out);
    }
    return PMPI_Finalize();
}
"""


def build(folder):
    """The library that counts, or None where it cannot be built."""
    source, library = os.path.join(folder, "counting.c"), os.path.join(folder, "counting.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(COUNTING)
    done = subprocess.run(["mpicc.mpich", "-w", "-fPIC", "-shared", "-o", library, source, "-ldl"], capture_output=True, check=False)
    return library if done.returncode == 0 else None


def write_trace(folder, streams, last=0):
    """Streams of two calls each; the last one has that many more."""
    os.makedirs(folder)
    stub = os.path.join(folder, "t")
    with open(stub + ".otf", "w", encoding="ascii") as file:
        file.write("".join(f"{i:x}:{i:x}\n" for i in range(1, streams + 1)))
    with open(stub + ".0.def", "w", encoding="ascii") as file:
        file.write("DTR3b9aca00\n" + "".join(f'DP{i:x}NM"rank {i - 1}"\n' for i in range(1, streams + 1)) + 'DFG1NM"code"\nDF1G1NM"main"\nDF2G1NM"work"\n')
    for i in range(1, streams + 1):
        with open(f"{stub}.{i:x}.events", "w", encoding="ascii") as file:
            file.write(f"1\n*{i:x}\nE1\n2\nE2\n3\nL2\n4\nL1\n")
            if i == streams:
                file.write("".join(f"{2 * k:x}\nE2\n{2 * k + 1:x}\nL2\n" for k in range(3, last)))
    return stub + ".otf"


def count(library, folder, processes, command, trace):
    """The counters of each process, and its peak of memory in KB."""
    counted = tempfile.mkdtemp(dir=folder)
    done = subprocess.run(["mpiexec.mpich", "-n", str(processes), "-genv", "LD_PRELOAD", library, "-genv", "COUNTED", counted, PROGRAM, *(trace if word is None else word for word in command)],
                          capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=600, cwd=folder)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    found = []
    for rank in range(processes):
        with open(os.path.join(counted, str(rank)), encoding="ascii") as file:
            found.append([int(word) for word in file.read().split()])
    return found


def solve(rows, values):
    """Least squares of three unknowns, by Gauss on the normal equations."""
    matrix = [[sum(row[i] * row[k] for row in rows) for k in range(3)] + [sum(row[i] * value for row, value in zip(rows, values))] for i in range(3)]
    for i in range(3):
        pivot = max(range(i, 3), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for k in range(3):
            if k != i:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i])]
    return [matrix[i][3] / matrix[i][i] for i in range(3)]


def misfit(points):
    """How far the worst of {(streams, processes that read): value} lies above the fit, as a part of its value, less than 64 counting as 64."""
    rows = [(1, streams / processes, math.log2(processes)) for streams, processes in points]
    fit = solve(rows, list(points.values()))
    return max((value - sum(a * b for a, b in zip(fit, row))) / max(value, 64) for row, value in zip(rows, points.values()))


@unittest.skipIf("-fsanitize" in os.environ.get("QUIPU_CFLAGS", ""), "MPI keeps memory until the end, which sanitizers report")
@unittest.skipUnless(os.path.exists(PROGRAM) and shutil.which("mpicc.mpich"), "MPICH is not installed")
class Growth(FolderTest):
    def test_growth_that_is_not_that_of_a_share_lies_beside_the_fit(self):
        grid = [(streams, processes) for streams in (400, 1600) for processes in PROCESSES]
        self.assertLess(misfit({(s, n): 7 + 3 * s / n + 50 * math.log2(n) for s, n in grid}), 0.01)
        for name, grows in (("streams", lambda s, n: 3 * s), ("processes", lambda s, n: s / n + 200 * n), ("all", lambda s, n: s / n + s / 2)):
            with self.subTest(grows=name):
                self.assertGreater(misfit({(s, n): grows(s, n) for s, n in grid}), 0.1)

    def test_growth_of_what_processes_open_read_and_send_is_that_of_their_share(self):
        library = build(self.folder)
        self.assertIsNotNone(library)
        traces = {streams: write_trace(self.path(str(streams)), streams) for streams in (400, 1600)}
        for command in (*DIVIDED, SERVED):
            others = int(command == SERVED)
            points = [{} for _ in COUNTERS]
            for streams, trace in traces.items():
                for processes in SERVING if others else PROCESSES:
                    found = count(library, self.folder, processes, command, trace)
                    self.assertEqual(streams, sum(process[0] for process in found))
                    for i in range(len(COUNTERS)):
                        points[i][streams, processes - others] = max(process[i] for process in found[others:])
            for i, counter in enumerate(COUNTERS):
                with self.subTest(command=command, counter=counter, points=points[i]):
                    if OF_EACH_LOCATION.get(command) != counter:
                        self.assertLess(misfit(points[i]), 0.05)


def table(sizes):
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        print("| command | streams | processes | " + " | ".join(f"{counter}: rank 0, most of others" for counter in COUNTERS) + " | peak KB: rank 0, others |")
        for streams in sizes:
            for last in (0, 99 * 2 * streams):
                trace = write_trace(os.path.join(folder, f"{streams}-{last}"), streams, last)
                for command in (*DIVIDED, SERVED):
                    for processes in PROCESSES:
                        found = count(library, folder, processes, command, trace)
                        cells = [f"{found[0][i]:,}, {max(process[i] for process in found[1:]):,}" for i in range(len(COUNTERS) + 1)]
                        print(f"| {' '.join(word for word in command if word)} | {streams:,}{' (99 % in one)' if last else ''} | {processes} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and all(word.isdecimal() for word in sys.argv[1:]):
        table([int(word) for word in sys.argv[1:]])
    else:
        unittest.main()
