/* recorded.c: a program to record while calls of the system fail: recorded DATA COUNTS makes 24 requests on the file DATA, each
 * tried again when it fails, and says in COUNTS, through a mapping, how many have succeeded and how many bytes they were. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REQUESTS = 24, TRIES = 4, BYTES = 100, UNPREPARED = 77 };

struct counts {
    uint64_t requests, bytes;
};

static int open_again(const char *path) {
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++)
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    return fd;
}

static struct counts *map_counts(const char *path) {
    const int fd = open_again(path);
    if (fd < 0 || ftruncate(fd, sizeof(struct counts)) != 0)
        return NULL;
    struct counts *counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return counts == MAP_FAILED ? NULL : counts;
}

static void make_request(int fd, int number, struct counts *counts) {
    static char bytes[BYTES];
    ssize_t done = -1;
    for (int i = 0; i < TRIES && done < 0; i++)
        done = number % 2 ? pread(fd, bytes, sizeof bytes, 0) : write(fd, bytes, sizeof bytes);
    if (done < 0)
        return;
    counts->requests++;
    counts->bytes += (uint64_t)done;
}

int main(int argc, char **argv) {
    struct counts *counts = argc == 3 ? map_counts(argv[2]) : NULL;
    const int fd = counts ? open_again(argv[1]) : -1;
    if (fd < 0)
        return UNPREPARED;
    for (int i = 0; i < REQUESTS; i++)
        make_request(fd, i, counts);
    return 0;
}
