/* meta.h: the metafile of a run, and the names of its ranks' files. */
#ifndef COMPAT_DUMPI_META_H
#define COMPAT_DUMPI_META_H

#include <stdbool.h>
#include <stdint.h>

enum quipu__undumpi_meta_status {
    QUIPU__UNDUMPI_META_FINE,
    QUIPU__UNDUMPI_META_UNREADABLE,
    QUIPU__UNDUMPI_META_NO_RANKS,
    QUIPU__UNDUMPI_META_NO_PREFIX,
    QUIPU__UNDUMPI_META_NO_FILES /* no width of the rank in the names fits all ranks */
};

/* All values are texts, "" when the metafile lacks them. */
struct quipu__undumpi_meta {
    char hostname[256], username[256], startime[32];
    char prefix[4096]; /* with the metafile's folder */
    uint32_t ranks;
    int width; /* digits of the rank in the names */
};

enum quipu__undumpi_meta_status quipu__undumpi_meta_read(struct quipu__undumpi_meta *meta, const char *path);

/* Sentence on what is wrong. */
const char *quipu__undumpi_meta_fault(enum quipu__undumpi_meta_status status);

/* "PREFIX-RANK.bin" into name; false when it is too long. */
bool quipu__undumpi_meta_name(const char *prefix, uint32_t rank, int width, char *name, unsigned size);

#endif
