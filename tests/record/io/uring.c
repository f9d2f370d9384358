/* uring.c: makes a ring of io_uring as the argument says, and ends with 77 where the system refuses it:
 *
 *     kept      by an instruction of its own, and has it until it ends
 *     closed    the same, and closes it by the C library
 *     mapped    the same, maps it, and closes it by an instruction of its own
 *     called    by syscall()
 *     refused   none: the request makes no sense */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As programs do that have no C library. */
static long call(long number, long first, long second) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
    return result;
#else
    return syscall(number, first, second);
#endif
}

int main(int argc, char **argv) {
    struct io_uring_params parameters = {0};
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "refused") == 0)
        return syscall(SYS_io_uring_setup, 0, NULL) >= 0;
    const int is_called = strcmp(argv[1], "called") == 0;
    const int ring = (int)(is_called ? syscall(SYS_io_uring_setup, 4, &parameters)
                                     : call(SYS_io_uring_setup, 4, (long)&parameters));
    if (ring < 0)
        return 77;
    if (strcmp(argv[1], "closed") == 0)
        return close(ring);
    if (strcmp(argv[1], "mapped") == 0 && mmap(NULL, 4 * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
                                               MAP_SHARED, ring, IORING_OFF_SQES) == MAP_FAILED)
        return 1;
    return strcmp(argv[1], "kept") == 0 ? 0 : (int)call(SYS_close, ring, 0);
}
