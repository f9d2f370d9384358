/* races.c: threads open and close files without pause, so that each number goes from one thread to another. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 8, TIMES = 2000 };

static int write_once(const char *name) {
    char byte;
    const int fd = open(name, O_RDWR | O_CREAT, 0600), other = dup(fd);
    return write(fd, "a", 1) == 1 && close(fd) == 0 && pread(other, &byte, 1, 0) == 1 && close(other) == 0;
}

static int append_once(const char *name) {
    FILE *stream = fopen(name, "a");
    return stream && fputs("b", stream) >= 0 && fclose(stream) == 0;
}

static void *run(void *number) {
    char name[20];
    int is_fine = 1;
    snprintf(name, sizeof name, "race.%d", (int)(intptr_t)number);
    for (int i = 0; i < TIMES && is_fine; i++)
        is_fine = i % 4 ? write_once(name) : append_once(name);
    return is_fine ? NULL : number;
}

int main(void) {
    pthread_t threads[THREADS];
    void *result;
    int is_fine = 1;
    for (intptr_t i = 0; i < THREADS; i++)
        is_fine &= pthread_create(&threads[i], NULL, run, (void *)(i + 1)) == 0;
    for (int i = 0; i < THREADS; i++)
        is_fine &= pthread_join(threads[i], &result) == 0 && !result;
    return !is_fine;
}
