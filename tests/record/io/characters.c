/* characters.c: moves characters one at a time, between requests of other sizes. The first argument says how:
 *
 *     own        the file "in" (1000 bytes): 10 bytes at once, 20 one by one, one of which is given back and read again; from byte 500 on all one by one;
 *                "out": 100 bytes at once, 30 one by one by the macros of the C library
 *     appended   7 characters behind what "log" holds, by a stream that is read, too
 *     standard   standard input is copied to standard output, character by character
 *     forked     standard output gets 6 characters, 4 of a child, and 3; the child's are written at once
 *     threads    four threads print 500 lines of 8 bytes each to "out": all of it is recorded
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int own(void) {
    char bytes[100] = "";
    FILE *in = fopen("in", "r"), *out = fopen("out", "w");
    int last = 0;
    if (!in || !out || fread(bytes, 1, 10, in) != 10)
        return 1;
    for (int i = 0; i < 20; i++)
        last = fgetc(in);
    if (ungetc(last, in) != last || fgetc(in) != last)
        return 1;
    fseek(in, 500, SEEK_SET);
    while (getc_unlocked(in) != EOF)
        continue;
    for (int i = 0; i < 15; i++)
        putc(i, out);
    if (fwrite(bytes, 1, sizeof bytes, out) != sizeof bytes)
        return 1;
    for (int i = 0; i < 15; i++)
        putc_unlocked(i, out);
    return fclose(in) != 0 || fclose(out) != 0;
}

static int appended(void) {
    FILE *log = fopen("log", "a+");
    for (int i = 0; i < 7; i++)
        fputc('x', log);
    return fclose(log);
}

static int standard(void) {
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    return 0;
}

static int forked(void) {
    for (int i = 0; i < 6; i++)
        putchar('a');
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(write(STDOUT_FILENO, "bbbb", 4) != 4);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        putchar('c');
    return 0;
}

static FILE *shared;

static void *print_lines(void *unused) {
    for (int i = 0; i < 500; i++)
        fprintf(shared, "line %02d\n", i % 100);
    return unused;
}

static int threads(void) {
    pthread_t all[4];
    shared = fopen("out", "w");
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, print_lines, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    return fclose(shared);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*make)(void);
    } cases[] = {
        {"own", own}, {"appended", appended}, {"standard", standard}, {"forked", forked}, {"threads", threads}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
            return cases[i].make();
    return 2;
}
