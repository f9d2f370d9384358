/* export.c: the list of exporters, made of exporters.def, and the public questions about it. */
#include "export/export.h"

#include "core/text.h"

#include <quipu/convert.h>

#include <string.h>

#define QUIPU_EXPORTER(name, title, suffixes) extern const struct quipu__format quipu__##name##_target;
#include "export/exporters.def"
#undef QUIPU_EXPORTER

static const struct {
    struct quipu_exporter info;
    const struct quipu__format *target;
} exporters[] = {
#define QUIPU_EXPORTER(name, title, suffixes) {{#name, title, suffixes}, &quipu__##name##_target},
#include "export/exporters.def"
#undef QUIPU_EXPORTER
    {{NULL, NULL, NULL}, NULL},
};

size_t quipu_exporter_count(void) {
    return sizeof exporters / sizeof *exporters - 1;
}

const struct quipu_exporter *quipu_exporter_at(size_t index) {
    return &exporters[index].info;
}

const struct quipu_exporter *quipu_exporter_find(const char *name) {
    for (size_t i = 0; exporters[i].target; i++)
        if (strcmp(exporters[i].info.name, name) == 0)
            return &exporters[i].info;
    return NULL;
}

const struct quipu_exporter *quipu_exporter_by_suffix(const char *path) {
    for (size_t i = 0; exporters[i].target; i++)
        if (quipu__has_suffix(path, exporters[i].info.suffixes))
            return &exporters[i].info;
    return NULL;
}

const struct quipu__format *quipu__exporter_target(const char *name) {
    for (size_t i = 0; exporters[i].target; i++)
        if (strcmp(exporters[i].info.name, name) == 0)
            return exporters[i].target;
    return NULL;
}

/* All columns of all kinds: instants carry what has no place of its own as details. */
const struct quipu__capabilities quipu__export_capabilities = {
    .everything = true,
    .attributes = true,
};
