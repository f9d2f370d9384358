/* path_text.c: see path_text.h. */
#include "analysis/shared/path_text.h"

#include "analysis/shared/cells.h"
#include "core/memory/sort.h"

#include <inttypes.h>
#include <string.h>

static const char *name_of(const struct quipu_definitions *definitions, uint32_t region) {
    return region < definitions->regions.count ? definitions->regions.items[region].name : "?";
}

static void put_region(const struct quipu_definitions *definitions, uint32_t region,
                       struct quipu__buffer *out) {
    const char *name = name_of(definitions, region);
    if (name[0])
        quipu__put(out, name, strlen(name));
    else
        quipu__put_u64(out, definitions->regions.items[region].native_id);
}

static void put_path(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                     uint32_t path, struct quipu__buffer *out) {
    enum { DEPTH_MOST = 256, BYTES_MOST = 4096 };
    const uint32_t depth = paths->list.items[path].depth;
    uint32_t regions[DEPTH_MOST], count = 0;
    size_t bytes = 0;
    for (; path != QUIPU__NO_CALLS && count < DEPTH_MOST; path = paths->list.items[path].parent) {
        bytes += strlen(name_of(definitions, paths->list.items[path].region));
        if (count > 0 && bytes > BYTES_MOST)
            break;
        regions[count++] = paths->list.items[path].region;
    }
    if (count < depth)
        quipu__put(out, "... > ", 6);
    while (count > 0) {
        put_region(definitions, regions[--count], out);
        if (count > 0)
            quipu__put(out, " > ", 3);
    }
}

void quipu__path_text(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                      uint32_t path, struct quipu__buffer *out) {
    out->len = 0;
    put_path(paths, definitions, path, out);
    quipu__put(out, "", 1);
}

/* ---- Order ---- */

/* A region, for sorting, which has no context. */
struct named {
    const struct quipu_definitions *definitions;
    uint32_t region;
};

static int compare_named(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    return quipu__names_compare(x->definitions, QUIPU_REFERS_REGION, x->region, y->region);
}

/* Where the names of regions are in their order, by region. */
struct name_positions {
    uint32_t count;
    uint32_t *positions;
};

/* What is not defined has no name, and comes first. */
static uint32_t position_of_region(const void *context, uint32_t region) {
    const struct name_positions *names = context;
    return region < names->count ? names->positions[region] + 1 : 0;
}

/* Equal names have one position. */
static bool find_name_positions(struct quipu__memory *memory, const struct quipu_definitions *definitions,
                                const struct name_positions *names) {
    const size_t bytes = (names->count + (size_t)1) * sizeof(struct named);
    struct named *sorted = quipu__alloc(memory, bytes);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < names->count; i++)
        sorted[i] = (struct named){definitions, i};
    const bool has_memory = quipu__sort(memory, sorted, names->count, sizeof *sorted, compare_named);
    uint32_t position = 0;
    for (uint32_t i = 0; i < names->count && has_memory; i++) {
        position += i > 0 && compare_named(&sorted[i - 1], &sorted[i]) != 0;
        names->positions[sorted[i].region] = position;
    }
    quipu__release(memory, sorted, bytes);
    return has_memory;
}

uint32_t *quipu__path_text_positions(const struct quipu__call_paths *paths,
                                     const struct quipu_definitions *definitions) {
    struct name_positions names = {.count = definitions->regions.count};
    const size_t bytes = (names.count + (size_t)1) * sizeof *names.positions;
    uint32_t *positions = NULL;
    names.positions = quipu__alloc(paths->memory, bytes);
    if (names.positions && find_name_positions(paths->memory, definitions, &names))
        positions = quipu__call_path_positions(paths, position_of_region, &names);
    quipu__release(paths->memory, names.positions, bytes);
    return positions;
}
