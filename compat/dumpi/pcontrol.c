/* pcontrol.c: MPI_Pcontrol, by which a program stops and resumes recording and puts annotations into its trace. Recorders alone give it a
 * meaning, so it is not passed on. */
#include "record/mpi/control.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
#define TEXT_BYTES 1024
#define MARK "ANNOTATION: "
#define OWN_KEYS 4096 /* keys that are given to annotations without one; below it are those of programs */

enum level { STOP, RESUME, ANNOTATE, ANNOTATE_WITH_KEY };

static uint64_t next_key(void) {
    static atomic_uint_fast64_t given = OWN_KEYS;
    return atomic_fetch_add(&given, 1);
}

static uint64_t checked_key(uint64_t key) {
    if (key == 0 || key >= OWN_KEYS)
        fprintf(stderr, "quipu: MPI_Pcontrol: key %llu is not from 1 to %d, those of programs\n",
                (unsigned long long)key, OWN_KEYS - 1);
    return key;
}

/* A record of its beginning and one of its end, whose key has the text. */
static void annotate(uint64_t key, const char *format, va_list values) {
    char text[TEXT_BYTES] = MARK;
    vsnprintf(text + sizeof MARK - 1, sizeof text - sizeof MARK + 1, format, values);
    quipu__mpi_region_enter(key, text);
    quipu__mpi_region_leave(key);
}

EXPORT int MPI_Pcontrol(const int level, ...);
EXPORT int MPI_Pcontrol(const int level, ...) {
    va_list values;
    va_start(values, level);
    if (level == STOP || level == RESUME)
        quipu__mpi_set_recording(level == RESUME);
    if (level == ANNOTATE || level == ANNOTATE_WITH_KEY) {
        const uint64_t key = level == ANNOTATE ? next_key() : checked_key(va_arg(values, uint64_t));
        const char *format = va_arg(values, const char *);
        annotate(key, format, values);
    }
    va_end(values);
    return 0;
}

/* Fortran has the level only. */
EXPORT void mpi_pcontrol_(const int *level);
EXPORT void mpi_pcontrol_(const int *level) {
    if (*level == STOP || *level == RESUME)
        quipu__mpi_set_recording(*level == RESUME);
}
EXPORT void mpi_pcontrol(const int *level) __attribute__((alias("mpi_pcontrol_")));
EXPORT void mpi_pcontrol__(const int *level) __attribute__((alias("mpi_pcontrol_")));
EXPORT void mpi_pcontrol_f08_(const int *level) __attribute__((alias("mpi_pcontrol_")));
