/* generate.c: writes big valid traces for measurements.
 *
 *     generate otf DIR/NAME --streams 16 --events 10000000 --compress 6
 *     generate dumpi DIR/NAME --streams 4 --events 1000000
 *     generate charisma DIR/NAME --streams 8 --events 1000000
 *     generate picl DIR/NAME --streams 8 --events 1000000
 *     generate ovni DIR/NAME --streams 8 --events 4000000 --late 1
 *
 * The encoders are not the library's, so that a fault of it cannot hide behind itself.
 */
#include "generate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*generate)(const struct order *order);
} formats[] = {{"otf", generate_otf},
               {"dumpi", generate_dumpi},
               {"charisma", generate_charisma},
               {"picl", generate_picl},
               {"ovni", generate_ovni}};

static void stop(const char *what) {
    fprintf(stderr, "generate: %s: %s\n", what, strerror(errno));
    exit(5);
}

FILE *create(const char *format, ...) {
    char path[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    FILE *file = fopen(path, "wb");
    if (!file)
        stop(path);
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    return file;
}

void complete(FILE *file) {
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        stop("writing");
}

static int usage(void) {
    fputs("usage: generate otf|dumpi|charisma|picl|ovni DIR/NAME [--streams N] [--events N] [--compress 1-9] "
          "[--late 0|1] [--seed N]\n",
          stderr);
    return 2;
}

/* Takes one option; false when it is none. */
static int take_option(struct order *order, const char *name, const char *value) {
    char *end;
    const unsigned long long number = strtoull(value, &end, 10);
    if (*value == '\0' || *end != '\0')
        return 0;
    if (strcmp(name, "--streams") == 0 && number > 0 && number <= 1000000)
        order->streams = (uint32_t)number;
    else if (strcmp(name, "--events") == 0)
        order->events = number;
    else if (strcmp(name, "--seed") == 0)
        order->seed = number;
    else if (strcmp(name, "--compress") == 0 && number <= 9)
        order->compression = (int)number;
    else if (strcmp(name, "--late") == 0 && number <= 1)
        order->late = (int)number;
    else
        return 0;
    return 1;
}

int main(int argc, char **argv) {
    struct order order = {.streams = 16, .events = 1000000, .seed = 1};
    if (argc < 3 || argc % 2 == 0)
        return usage();
    order.path = argv[2];
    for (int i = 3; i < argc; i += 2)
        if (!take_option(&order, argv[i], argv[i + 1]))
            return usage();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, argv[1]) == 0) {
            formats[i].generate(&order);
            return 0;
        }
    return usage();
}
