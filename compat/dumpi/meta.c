/* meta.c: a metafile as the commands take it: numprocs, fileprefix and all files must be there. */
#include "meta.h"

const char *quipu__undumpi_meta_fault(enum quipu__undumpi_meta_status status) {
    static const char *const faults[] = {
        [QUIPU__UNDUMPI_META_FINE] = "",
        [QUIPU__UNDUMPI_META_UNREADABLE] = "the metafile cannot be read",
        [QUIPU__UNDUMPI_META_NO_RANKS] = "the metafile does not say numprocs",
        [QUIPU__UNDUMPI_META_NO_PREFIX] = "the metafile does not say fileprefix",
        [QUIPU__UNDUMPI_META_NO_FILES] = "there is not a file for each rank that the metafile names",
    };
    return faults[status];
}

enum quipu__undumpi_meta_status quipu__undumpi_meta_read(struct quipu__undumpi_meta *meta, const char *path) {
    struct quipu__dumpi_ranks ranks;
    quipu__memory_init(&meta->memory, NULL, 0);
    quipu__files_init(&meta->files, &meta->memory, 1);
    quipu__arena_init(&meta->arena, &meta->memory);
    if (quipu__dumpi_metafile_read(&meta->file, path, &meta->files, &meta->arena, NULL, NULL) != QUIPU_OK)
        return QUIPU__UNDUMPI_META_UNREADABLE;
    if (meta->file.rank_count == 0)
        return QUIPU__UNDUMPI_META_NO_RANKS;
    if (!meta->file.prefix)
        return QUIPU__UNDUMPI_META_NO_PREFIX;
    const enum quipu_status status =
        quipu__dumpi_ranks_look(&ranks, meta->file.prefix, meta->file.rank_count, &meta->arena, NULL);
    meta->width = ranks.width;
    return status == QUIPU_OK && ranks.found == meta->file.rank_count ? QUIPU__UNDUMPI_META_FINE
                                                                      : QUIPU__UNDUMPI_META_NO_FILES;
}

void quipu__undumpi_meta_release(struct quipu__undumpi_meta *meta) {
    quipu__arena_release(&meta->arena);
    quipu__files_release(&meta->files);
}
