/* grammar.c: the scanners of the format, made once for all buffers. */
#include "items.h"

#include <pthread.h>

static struct {
    struct quipu__memory memory;
    struct quipu__keyed_scanner *scanners[QUIPU__OTF_STREAM_FILES];
} made;

/* Where memory is out there is none, and everything is left to the complete decoder. */
static void make(void) {
    quipu__memory_init(&made.memory, NULL, SIZE_MAX);
    for (uint8_t i = 0; i < QUIPU__OTF_STREAM_FILES; i++)
        made.scanners[i] = quipu__keyed_scanner_new(&made.memory, &quipu__otf_grammar, i);
}

const struct quipu__keyed_scanner *compat_scanner(enum quipu__otf_file file) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return made.scanners[file];
}
