/* path_text.c: see path_text.h. */
#include "analysis/shared/path_text.h"

#include "analysis/shared/call_sites.h"
#include "analysis/shared/cells.h"
#include "core/bisect.h"
#include "core/memory/sort.h"

#include <inttypes.h>
#include <string.h>

static const char *name_of(const struct quipu_definitions *definitions, uint32_t region) {
    return region < definitions->regions.count ? definitions->regions.items[region].name : "?";
}

/* A region, and where it was called, if that is known. */
static void put_call(const struct quipu_definitions *definitions, const struct quipu__call_path *call,
                     struct quipu__buffer *out) {
    const uint32_t region = call->region;
    const char *name = name_of(definitions, region);
    if (name[0])
        quipu__put(out, name, strlen(name));
    else
        quipu__put_u64(out, definitions->regions.items[region].native_id);
    if (call->source >= definitions->sources.count)
        return;
    quipu__put(out, " (", 2);
    quipu__put_call_site(out, definitions, call->source);
    quipu__put(out, ")", 1);
}

static void put_path(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                     uint32_t path, struct quipu__buffer *out) {
    enum { DEPTH_MOST = 256, BYTES_MOST = 4096 };
    const uint32_t depth = paths->list.items[path].depth;
    uint32_t calls[DEPTH_MOST], count = 0;
    size_t bytes = 0;
    for (; path != QUIPU__NO_CALLS && count < DEPTH_MOST; path = paths->list.items[path].parent) {
        bytes += strlen(name_of(definitions, paths->list.items[path].region));
        if (count > 0 && bytes > BYTES_MOST)
            break;
        calls[count++] = path;
    }
    if (count < depth)
        quipu__put(out, "... > ", 6);
    while (count > 0) {
        put_call(definitions, &paths->list.items[calls[--count]], out);
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

/* Where the names of regions are in their order, by region; and by path where its last part is among all: by the name, then by
 * the place of the call. */
struct name_positions {
    uint32_t count;
    uint32_t *positions;
    uint64_t *calls, *sorted;
    uint32_t sorted_count;
};

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

/* What is not defined has no name, and comes first; so do calls from nowhere. */
static uint64_t order_of(const struct name_positions *names, const struct quipu__call_path *path) {
    const uint32_t name = path->region < names->count ? names->positions[path->region] + 1 : 0;
    return (uint64_t)name << 32 | (uint32_t)(path->source + 1);
}

static int compare_orders(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of equal parts the first. */
static uint32_t position_of_call(const void *context, uint32_t path) {
    const struct name_positions *names = context;
    size_t low = 0;
    QUIPU__BISECT(low, names->sorted_count, i, names->sorted[i] < names->calls[path]);
    return (uint32_t)low;
}

static bool sort_calls(const struct quipu__call_paths *paths, struct name_positions *names) {
    for (uint32_t i = 0; i < paths->list.count; i++)
        names->calls[i] = names->sorted[i] = order_of(names, &paths->list.items[i]);
    return quipu__sort(paths->memory, names->sorted, paths->list.count, sizeof *names->sorted, compare_orders);
}

uint32_t *quipu__path_text_positions(const struct quipu__call_paths *paths,
                                     const struct quipu_definitions *definitions) {
    struct name_positions names = {.count = definitions->regions.count,
                                   .sorted_count = (uint32_t)paths->list.count};
    const size_t bytes = (names.count + (size_t)1) * sizeof *names.positions,
                 call_bytes = paths->list.count * sizeof *names.calls;
    uint32_t *positions = NULL;
    names.positions = quipu__alloc(paths->memory, bytes);
    names.calls = quipu__alloc(paths->memory, call_bytes);
    names.sorted = quipu__alloc(paths->memory, call_bytes);
    if (names.positions && names.calls && names.sorted &&
        find_name_positions(paths->memory, definitions, &names) && sort_calls(paths, &names))
        positions = quipu__call_path_positions(paths, position_of_call, &names);
    quipu__release(paths->memory, names.sorted, call_bytes);
    quipu__release(paths->memory, names.calls, call_bytes);
    quipu__release(paths->memory, names.positions, bytes);
    return positions;
}
