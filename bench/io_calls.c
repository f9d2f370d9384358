/* io_calls.c: what a call on a file costs a program: prints "write" and "read" with nanoseconds, of many short rounds the fastest.
 * bench/run runs it alone, under "quipu record --io" and under strace. The argument is a file to write. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static ssize_t put(int fd, char *bytes, off_t offset) {
    return pwrite(fd, bytes, 64, offset);
}

static ssize_t get(int fd, char *bytes, off_t offset) {
    return pread(fd, bytes, 64, offset);
}

/* -1 when a call fails. */
static double best_of(ssize_t (*call)(int fd, char *bytes, off_t offset), int fd, long calls) {
    char bytes[64] = "";
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t begin = now();
        for (long i = 0; i < calls; i++)
            if (call(fd, bytes, i % 1024 * 64) != 64)
                return -1;
        const double each = (double)(now() - begin) / (double)calls;
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv) {
    const long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
    const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
    if (fd < 0)
        return 2;
    printf("write %.1f\n", best_of(put, fd, calls));
    printf("read %.1f\n", best_of(get, fd, calls));
    return close(fd);
}
