/* unknown_names.c: see unknown_names.h. */
#include "analysis/shared/unknown_names.h"

#include "core/error.h"

static enum quipu_status refuse(const char *what, const struct quipu_nearest *nearest,
                                struct quipu_error *err) {
    char near[256];
    return quipu__fail(err, QUIPU_MISUSE, "the trace has no %s \"%s\"%s", what, nearest->typed,
                       quipu_nearest_text(nearest, near, sizeof near));
}

enum quipu_status quipu__no_region(const struct quipu_definitions *definitions, const char *name,
                                   struct quipu_error *err) {
    struct quipu_nearest nearest = quipu_nearest_to(name);
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        quipu_nearest_add(&nearest, definitions->regions.items[i].name);
    return refuse("region", &nearest, err);
}

enum quipu_status quipu__no_annotation(const struct quipu_definitions *definitions, const char *name,
                                       struct quipu_error *err) {
    struct quipu_nearest nearest = quipu_nearest_to(name);
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        if (definitions->regions.items[i].role == QUIPU_REGION_USER)
            quipu_nearest_add(&nearest, definitions->regions.items[i].name);
    for (uint32_t i = 0; i < definitions->markers.count; i++)
        quipu_nearest_add(&nearest, definitions->markers.items[i].name);
    return refuse("annotation", &nearest, err);
}
