/* metafile.h: the metafile of a run, lines of key=value, and the names of the files of its ranks. */
#ifndef QUIPU_DUMPI_METAFILE_H
#define QUIPU_DUMPI_METAFILE_H

#include "core/files/input.h"
#include "core/memory/memory.h"

#define QUIPU__DUMPI_META_SUFFIX ".meta"
#define QUIPU__DUMPI_RANK_LIMIT ((uint64_t)1 << 24)

struct quipu__dumpi_metafile {
    const char *path;
    uint64_t rank_count; /* 0: it does not say */
    const char *prefix;  /* of the files' names, with the folder; NULL: it does not say */
    const char *hostname, *username, *startime; /* NULL: it does not say */
};

/* Whether a file that begins with head is a metafile: it has both keys that matter, or one of them and the right suffix. */
bool quipu__dumpi_is_metafile(const char *path, const uint8_t *head, size_t size);

/* Called with malformed lines. */
struct quipu__dumpi_malformed_lines {
    void (*tell)(void *context, uint64_t line, const char *expected, const char *text, size_t len);
    void *context;
};

/* Reads a metafile; texts go to the arena. A relative prefix is relative to the metafile's folder. malformed may be NULL. */
enum quipu_status quipu__dumpi_metafile_read(struct quipu__dumpi_metafile *meta, const char *path,
                                             struct quipu__files *files, struct quipu__arena *arena,
                                             const struct quipu__dumpi_malformed_lines *malformed,
                                             struct quipu_error *err);

/* PREFIX-RANK.bin with the rank padded to width digits; false when it is too long. */
bool quipu__dumpi_rank_path(char *out, size_t size, const char *prefix, uint64_t rank, int width);

/* The rank in the name of a file, and the length of PREFIX; false when it is not such a name. */
bool quipu__dumpi_rank_in(const char *name, uint64_t *rank, size_t *prefix_len);

/* The files of a folder with a prefix and the number of a rank. */
struct quipu__dumpi_ranks {
    uint64_t found; /* ranks that have a file */
    uint64_t past;  /* the highest of them, plus 1 */
    int width;      /* to which numbers are padded */
};

/* Reads the folder of a prefix once. The width is the one for which most ranks have a file, preferably four digits. Files of
 * ranks from limit on do not count, unless it is 0. */
enum quipu_status quipu__dumpi_ranks_look(struct quipu__dumpi_ranks *ranks, const char *prefix, uint64_t limit,
                                          struct quipu__arena *arena, struct quipu_error *err);

#endif
