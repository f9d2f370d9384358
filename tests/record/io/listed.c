/* listed.c: lists of requests on the file "list", some of which fail: what the calls return is what they return without the recorder. */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { MANY = 70 };

static char bytes[4096];

static struct aiocb write_to(int fd, size_t size, off_t offset) {
    return (struct aiocb){.aio_fildes = fd,
                          .aio_buf = bytes,
                          .aio_nbytes = size,
                          .aio_offset = offset,
                          .aio_lio_opcode = LIO_WRITE};
}

/* The second one is refused, the third is none. */
static int fails_in_part(int good, int bad) {
    struct aiocb first = write_to(good, 4000, 0), second = write_to(bad, 10, 0),
                 third = {.aio_lio_opcode = LIO_NOP}, fourth = write_to(good, 96, 4000);
    struct aiocb *list[] = {&first, &second, &third, NULL, &fourth};
    return lio_listio(LIO_WAIT, list, 5, NULL) == -1 && errno == EIO && aio_return(&first) == 4000 &&
           aio_error(&second) == EBADF && aio_return(&fourth) == 96;
}

/* More than a recorder looks at before; no results are fetched. */
static int is_waited_for(int good) {
    static struct aiocb blocks[MANY];
    struct aiocb *list[MANY];
    for (int i = 0; i < MANY; i++) {
        blocks[i] = write_to(good, 10, 5000 + 10 * i);
        list[i] = &blocks[i];
    }
    return lio_listio(LIO_WAIT, list, MANY, NULL) == 0;
}

static int is_not_waited_for(int good) {
    struct aiocb block = write_to(good, 20, 6000);
    struct aiocb *list[] = {&block};
    if (lio_listio(LIO_NOWAIT, list, 1, NULL) != 0)
        return 0;
    while (aio_error(&block) == EINPROGRESS)
        aio_suspend((const struct aiocb *const[]){&block}, 1, NULL);
    return aio_return(&block) == 20;
}

static int is_refused(int good) {
    struct aiocb block = write_to(good, 30, 7000);
    struct aiocb *list[] = {&block};
    return lio_listio(77, list, 1, NULL) == -1 && errno == EINVAL;
}

int main(void) {
    const int good = open("list", O_RDWR | O_CREAT | O_TRUNC, 0644), bad = open("list", O_RDONLY);
    return !(fails_in_part(good, bad) && is_waited_for(good) && is_not_waited_for(good) && is_refused(good));
}
