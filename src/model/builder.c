/* builder.c: see quipu/builder.h. Programs make definitions in the same way as formats. */
#include "core/error.h"
#include "model/define.h"

#include <quipu/builder.h>

#include <string.h>

struct quipu_builder {
    struct quipu__memory memory;
    struct quipu__define define;
};

enum quipu_status quipu_builder_new(const struct quipu_clock *clock, const struct quipu_allocator *allocator,
                                    struct quipu_builder **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, allocator, 0);
    struct quipu_builder *builder = *out = quipu__alloc_zero(&memory, sizeof *builder);
    if (!builder)
        return quipu__no_memory(err, sizeof *builder);
    builder->memory = memory;
    const enum quipu_status status = quipu__define_init(&builder->define, &builder->memory, err);
    if (status != QUIPU_OK) {
        quipu_builder_free(builder);
        *out = NULL;
        return status;
    }
    builder->define.definitions.clock = *clock;
    return QUIPU_OK;
}

void quipu_builder_free(struct quipu_builder *builder) {
    if (!builder)
        return;
    quipu__define_release(&builder->define);
    struct quipu__memory memory = builder->memory;
    quipu__release(&memory, builder, sizeof *builder);
}

const struct quipu_definitions *quipu_builder_definitions(const struct quipu_builder *builder) {
    return &builder->define.definitions;
}

/* ---- Adding ---- */

#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    uint32_t quipu_builder_add_##singular(struct quipu_builder *builder,                                       \
                                          const struct quipu_##singular *definition) {                         \
        struct quipu_##singular numbered = *definition;                                                        \
        if (numbered.native_id == QUIPU_UNKNOWN)                                                               \
            numbered.native_id = (uint64_t)builder->define.definitions.plural.count + 1;                       \
        return quipu__add_##singular(&builder->define, &numbered);                                             \
    }
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION

/* ---- Looking up ---- */

#define FIND(singular, plural, function, parameter, condition)                                                 \
    uint32_t quipu_##singular##_##function(const struct quipu_definitions *definitions, parameter) {           \
        for (uint32_t i = 0; i < definitions->plural.count; i++) {                                             \
            const struct quipu_##singular *it = &definitions->plural.items[i];                                 \
            if (condition)                                                                                     \
                return i;                                                                                      \
        }                                                                                                      \
        return QUIPU_NONE;                                                                                     \
    }

FIND(location, locations, find, const char *name, strcmp(it->name, name) == 0)
FIND(location, locations, by_rank, int64_t rank, it->rank == rank)
FIND(location, locations, by_native_id, uint64_t native_id, it->native_id == native_id)
FIND(region, regions, find, const char *name, strcmp(it->name, name) == 0)
FIND(region, regions, by_native_id, uint64_t native_id, it->native_id == native_id)
FIND(group, groups, find, const char *name, strcmp(it->name, name) == 0)
FIND(metric, metrics, find, const char *name, strcmp(it->name, name) == 0)
