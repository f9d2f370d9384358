/* names.h: the types of a trace for Paraver, and the two files that name them, their values and the rows. */
#ifndef QUIPU_PARAVER_NAMES_H
#define QUIPU_PARAVER_NAMES_H

#include "core/memory/buffer.h"
#include "core/memory/vec.h"
#include "formats/paraver/regions.h"
#include "formats/paraver/tasks.h"

#include <quipu/model.h>

enum quipu__paraver_type {
#define TYPE(name, number, label, refers) QUIPU__PARAVER_##name,
#define MPI_TYPE(name, number, label, meaning)
#define SHOWS(kind, column, type)
#define SHOWS_MPI(kind, column, type)
#define CLEARS(kind, type)
#include "formats/paraver/types.def"
    QUIPU__PARAVER_TYPES
};

/* What the values of a type mean: types.def. */
enum quipu__paraver_meaning {
    QUIPU__PARAVER_SAME,
    QUIPU__PARAVER_RANK,
    QUIPU__PARAVER_OWN,
    QUIPU__PARAVER_WITHIN_IO
};

struct quipu__paraver_type_row {
    uint32_t number; /* 0: the type is not shown */
    enum quipu_refers refers;
    enum quipu__paraver_meaning meaning;
    const char *label;
};
struct quipu__paraver_type_row quipu__paraver_type(bool is_mpi, enum quipu__paraver_type type);

/* Types of what a trace defines: a type for each role of regions (regions.h), for each channel, for each metric. */
enum { QUIPU__PARAVER_CHANNELS = 100000000, QUIPU__PARAVER_METRICS = 2000000000 };

/* Which definitions a trace shows, a byte for each: only these are named. */
struct quipu__paraver_flags {
    QUIPU__VEC(uint8_t) items;
};
struct quipu__paraver_used {
    uint64_t types; /* bit per type of types.def */
    struct quipu__paraver_flags channels, metrics;
};

/* False when memory is out. */
QUIPU_CHECKED bool quipu__paraver_use(struct quipu__memory *memory, struct quipu__paraver_flags *flags,
                                      uint32_t number);
void quipu__paraver_used_release(struct quipu__memory *memory, struct quipu__paraver_used *used);

void quipu__paraver_put_pcf(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_regions *regions,
                            const struct quipu__paraver_used *used);
void quipu__paraver_put_row(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_tasks *tasks);

#endif
