/* path_text.c: see path_text.h. */
#include "analysis/path_text.h"

#include "analysis/cells.h"

#include <inttypes.h>
#include <string.h>

static void put_region(const struct quipu_definitions *definitions, uint32_t region,
                       struct quipu__buffer *out) {
    const char *name = region < definitions->regions.count ? definitions->regions.items[region].name : "?";
    if (name[0])
        quipu__put(out, name, strlen(name));
    else
        quipu__put_u64(out, definitions->regions.items[region].native_id);
}

static void put_path(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                     uint32_t path, struct quipu__buffer *out) {
    enum { DEPTH_MOST = 256 };
    uint32_t regions[DEPTH_MOST], depth = 0;
    for (; path != QUIPU__NO_CALLS; path = paths->list.items[path].parent)
        regions[depth++ % DEPTH_MOST] = paths->list.items[path].region;
    if (depth > DEPTH_MOST)
        quipu__put(out, "... > ", 6);
    for (uint32_t i = depth, left = depth < DEPTH_MOST ? depth : DEPTH_MOST; left > 0; left--) {
        put_region(definitions, regions[--i % DEPTH_MOST], out);
        if (left > 1)
            quipu__put(out, " > ", 3);
    }
}

void quipu__path_text(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                      uint32_t path, struct quipu__buffer *out) {
    out->len = 0;
    put_path(paths, definitions, path, out);
    quipu__put(out, "", 1);
}

static int compare_regions(const void *context, uint32_t a, uint32_t b) {
    return quipu__names_compare(context, QUIPU_REFERS_REGION, a, b);
}

int quipu__paths_compare(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                         uint32_t a, uint32_t b) {
    return quipu__call_path_compare(paths, a, b, compare_regions, definitions);
}
