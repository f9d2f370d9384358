/* file_names.h: names of OTF files. */
#ifndef QUIPU_OTF_NAMES_H
#define QUIPU_OTF_NAMES_H

#include "formats/otf/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* "def", "events", "snaps", "stats" or "marker". */
const char *quipu__otf_kind_name(enum quipu__otf_file file);

/* What the name of a file says: NAME.<hex id>.<kind>, with .z or without. */
struct quipu__otf_name {
    size_t stub_len; /* of NAME, folders included */
    uint32_t id;
    enum quipu__otf_file file; /* QUIPU__OTF_MASTER for NAME.otf */
    bool compressed;
};
bool quipu__otf_parse_name(const char *path, struct quipu__otf_name *out);

#endif
