/* printed.c: lines by the C library's formatted output and getline, and a ring of io_uring when there is an argument. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void print_lines(void) {
    FILE *file = fopen("printed.txt", "w");
    fprintf(file, "%d %s\n", 42, "hello"); /* 9 bytes */
    fprintf(file, "%d", 7);
    fclose(file);
    if (!freopen("output.txt", "w", stdout))
        exit(1);
    printf("abc %d\n", 7);
    puts("a line");
    fflush(stdout);
}

static void read_lines(void) {
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen("printed.txt", "r");
    while (getline(&line, &room, file) > 0)
        continue;
    free(line);
    fclose(file);
}

int main(int argc, char **argv) {
    unsigned char parameters[256] = {0};
    (void)argv;
    print_lines();
    read_lines();
    if (argc > 1)
        syscall(SYS_io_uring_setup, 4, parameters); /* may be forbidden here */
    return 0;
}
