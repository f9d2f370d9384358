/* generate.h: what the generators of the formats share. */
#ifndef QUIPU_BENCH_GENERATE_H
#define QUIPU_BENCH_GENERATE_H

#include <stdint.h>
#include <stdio.h>

struct order {
    const char *path; /* of the trace, without suffix */
    uint32_t streams;
    uint64_t events; /* in all streams together, about */
    uint64_t seed;
    int compression; /* 0: none */
    int late;        /* ovni: with events that were learned of late */
};

/* Each writes a whole trace, or ends the program with a message. */
void generate_otf(const struct order *order);
void generate_dumpi(const struct order *order);
void generate_charisma(const struct order *order);
void generate_picl(const struct order *order);
void generate_ovni(const struct order *order);

/* Opens a file for writing, or ends the program. The name is a printf format. */
FILE *create(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Closes it, or ends the program when something could not be written. */
void complete(FILE *file);

#endif
