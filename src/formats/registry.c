/* registry.c: the list of formats, made from formats.def, and the public functions about it. */
#include "core/os.h"
#include "core/text.h"
#include "formats/descriptor.h"

#include <string.h>

#define QUIPU_FORMAT(folder) extern const struct quipu__format quipu__##folder##_format;
#include "formats/formats.def"
#undef QUIPU_FORMAT

static const struct quipu__format *const formats[] = {
#define QUIPU_FORMAT(folder) &quipu__##folder##_format,
#include "formats/formats.def"
#undef QUIPU_FORMAT
    NULL,
};

const struct quipu__format *quipu__format_at(size_t index) {
    return formats[index];
}

const struct quipu__format *quipu__format_find(const char *name) {
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->info.name, name) == 0)
            return formats[i];
    return NULL;
}

enum quipu_status quipu__format_refuse_pipe(const struct quipu__trace *trace, const char *advice,
                                            struct quipu_error *err) {
    if (quipu__path_kind(trace->path, NULL) != QUIPU__PATH_OTHER)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_UNSUPPORTED,
                "a trace of this format (%s) consists of several files and cannot come from a pipe",
                trace->format->info.title);
    quipu__at(err, trace->path, QUIPU_UNKNOWN);
    quipu__advise(err, "%s", advice);
    return QUIPU_UNSUPPORTED;
}

size_t quipu_format_count(void) {
    return sizeof formats / sizeof *formats - 1;
}

const struct quipu_format *quipu_format_at(size_t index) {
    return &formats[index]->info;
}

const struct quipu_format *quipu_format_find(const char *name) {
    const struct quipu__format *found = quipu__format_find(name);
    return found ? &found->info : NULL;
}

const struct quipu_format *quipu_format_by_suffix(const char *path) {
    for (size_t i = 0; formats[i]; i++)
        if (quipu__has_suffix(path, formats[i]->info.suffixes))
            return &formats[i]->info;
    return NULL;
}

bool quipu_format_defines(const struct quipu_format *format, uint32_t type) {
    const struct quipu__format *found = quipu__format_find(format->name);
    return found && found->reading && format->schema && type < format->schema->type_count &&
           found->reading->mapping(type)->is_definition;
}
