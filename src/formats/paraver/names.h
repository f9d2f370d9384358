/* names.h: the types of a trace for Paraver, and the two files that name them, their values and the rows. */
#ifndef QUIPU_PARAVER_NAMES_H
#define QUIPU_PARAVER_NAMES_H

#include "core/buffer.h"
#include "core/vec.h"

#include <quipu/model.h>

enum quipu__paraver_type {
#define TYPE(name, number, label, refers) QUIPU__PARAVER_##name,
#define SHOWS(kind, column, type)
#define CLEARS(kind, type)
#include "formats/paraver/types.def"
    QUIPU__PARAVER_TYPES
};

struct quipu__paraver_type_row {
    uint32_t number;
    enum quipu_refers refers;
    const char *label;
};
extern const struct quipu__paraver_type_row quipu__paraver_types[QUIPU__PARAVER_TYPES];

/* Types of what a trace defines: a type for each role of regions, for each channel, for each metric. */
enum { QUIPU__PARAVER_ROLES = 1000, QUIPU__PARAVER_CHANNELS = 100000000, QUIPU__PARAVER_METRICS = 2000000000 };

/* Which definitions a trace shows, a byte for each: only these are named. */
struct quipu__paraver_flags {
    QUIPU__VEC(uint8_t) items;
};
struct quipu__paraver_used {
    uint64_t types; /* bit per type of types.def */
    struct quipu__paraver_flags regions, channels, metrics;
};

/* False when memory is out. */
QUIPU_CHECKED bool quipu__paraver_use(struct quipu__memory *memory, struct quipu__paraver_flags *flags,
                                      uint32_t number);
void quipu__paraver_used_release(struct quipu__memory *memory, struct quipu__paraver_used *used);

void quipu__paraver_put_pcf(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_used *used);
void quipu__paraver_put_row(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const uint32_t *locations, uint32_t count);

#endif
