/* printed.c: lines by the C library's formatted output and getline. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

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
    dprintf(fileno(stdout), "%s-%d\n", "direct", 1); /* 9 bytes */
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

int main(void) {
    print_lines();
    read_lines();
    return 0;
}
