/* failures.c: what calls return that fail, or do something special, and errno behind those that succeed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOW(name, call)                                                                                       \
    do {                                                                                                       \
        errno = 0;                                                                                             \
        const long result = (long)(call);                                                                      \
        printf("%s %ld %d\n", name, result, errno);                                                            \
    } while (0)

static ssize_t drop(void *cookie, const char *data, size_t size) {
    (void)cookie;
    (void)data;
    return (ssize_t)size;
}

/* Streams that have no descriptor. */
static void show_streams(void) {
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    FILE *own = fopencookie(NULL, "w", (cookie_io_functions_t){.write = drop});
    SHOW("fprintf", fprintf(memory, "%d", 123));
    SHOW("fputs", fputs("abc", own) >= 0);
    SHOW("fwrite", fwrite("abc", 1, 3, own));
    SHOW("fclose", fclose(own));
    SHOW("fclose", fclose(memory));
    printf("%s\n", text);
    free(text);
}

/* Pointers that lead nowhere are for the call to refuse. */
static void show_wild_pointers(int fd) {
    void *volatile nowhere = (void *)8;
    size_t room = 0;
    FILE *stream = fdopen(dup(fd), "r");
    SHOW("readv", readv(fd, nowhere, 1));
    SHOW("sendfile", sendfile(fd, fd, nowhere, 1));
    SHOW("getline", getline(NULL, &room, stream));
    fclose(stream);
}

int main(void) {
    char bytes[10];
    int pipes[2];
    SHOW("read", read(99, bytes, sizeof bytes));
    SHOW("pwrite", pwrite(-1, bytes, 1, 0));
    SHOW("close", close(99));
    SHOW("open", open("no/such", O_RDONLY));
    SHOW("creat", creat("/proc/none", 0644));
    SHOW("fopen", fopen("no/such", "r") != NULL);
    SHOW("dup2", dup2(99, 5));
    SHOW("unlink", unlink("no/such"));
    SHOW("rename", rename("no/such", "other"));
    SHOW("truncate", truncate("no/such", 1));
    SHOW("fcntl", fcntl(99, F_GETFD));
    SHOW("pipe", pipe(pipes));
    SHOW("write", write(pipes[1], "abc", 3));
    SHOW("read", read(pipes[0], bytes, sizeof bytes));
    SHOW("pread", pread(pipes[0], bytes, 1, 0));
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    SHOW("descriptor", fd);
    show_wild_pointers(fd);
    SHOW("write", write(fd, "0123456789", 10));
    SHOW("read at end", read(fd, bytes, sizeof bytes));
    SHOW("position", lseek(fd, 0, SEEK_CUR));
    SHOW("bad size", ftruncate(fd, -1));
    SHOW("flags", fcntl(fd, F_GETFL) & O_ACCMODE);
    SHOW("new name", rename("file", "new"));
    SHOW("no name", unlink("new"));
    show_streams();
    errno = 42;
    close(fd);
    printf("errno behind a call that succeeds: %d\n", errno);
    return 5;
}
