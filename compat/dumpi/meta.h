/* meta.h: the metafile of a run, all of whose files must be there. */
#ifndef COMPAT_DUMPI_META_H
#define COMPAT_DUMPI_META_H

#include "formats/dumpi/metafile.h"

enum quipu__undumpi_meta_status {
    QUIPU__UNDUMPI_META_FINE,
    QUIPU__UNDUMPI_META_UNREADABLE,
    QUIPU__UNDUMPI_META_NO_RANKS,
    QUIPU__UNDUMPI_META_NO_PREFIX,
    QUIPU__UNDUMPI_META_NO_FILES /* no width of the rank in the names fits all ranks */
};

struct quipu__undumpi_meta {
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__arena arena;
    struct quipu__dumpi_metafile file;
    int width; /* digits of the rank in the names */
};

/* Reads it; to be released in any case. */
enum quipu__undumpi_meta_status quipu__undumpi_meta_read(struct quipu__undumpi_meta *meta, const char *path);
void quipu__undumpi_meta_release(struct quipu__undumpi_meta *meta);

/* Sentence on what is wrong. */
const char *quipu__undumpi_meta_fault(enum quipu__undumpi_meta_status status);

#endif
