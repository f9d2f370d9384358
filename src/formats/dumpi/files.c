/* files.c: which files a path stands for: a metafile, a folder with one, a folder of trace files, or one trace file.
 *
 * The names of the trace files end in the rank, which producers pad to different widths: the width with files for most ranks is used.
 * What a metafile lacks is derived from its own name and the files beside it. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "core/files/stored.h"
#include "core/text.h"
#include "formats/dumpi/metafile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MISSING_RANKS_LIMIT 4096 /* ranks of a metafile that may lack files, besides half of them */

/* The folder part of path with its '/', as a length. */
static size_t folder_len(const char *path) {
    return (size_t)(quipu__base_name(path) - path);
}

/* ---- Adding files ---- */

/* Something with the name of a trace file cannot be read as one. */
static void report_unreadable(struct quipu__dumpi_trace *own, const char *path, enum quipu__path_kind kind,
                              int reason) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    if (kind == QUIPU__PATH_UNREADABLE)
        quipu__fail_errno(&trouble, QUIPU_IO, reason, "open failed");
    else
        quipu__fail(&trouble, QUIPU_IO, "not a regular file");
    quipu__find_unreadable(own->trace->findings, path, &trouble);
}

static enum quipu_status add_file(struct quipu__dumpi_trace *own, const char *path, uint64_t rank,
                                  struct quipu_error *err) {
    struct quipu__dumpi_file *file = QUIPU__VEC_ADD(own->memory, &own->files);
    if (!file)
        return quipu__no_memory(err, sizeof *file);
    file->rank = (uint32_t)rank;
    quipu__map_init(&file->regions, own->memory);
    quipu__map_init(&file->sources, own->memory);
    const char *stored = quipu__stored_path(&own->arena, path);
    if (!stored)
        return quipu__no_memory(err, strlen(path));
    file->path = path = stored;
    const enum quipu__path_kind kind = quipu__path_kind(path, &file->size);
    const int reason = errno;
    file->is_missing = kind != QUIPU__PATH_FILE && strcmp(path, "-") != 0;
    if (kind == QUIPU__PATH_MISSING) {
        struct quipu__where where = QUIPU__WHERE_INIT;
        where.file = path;
        quipu__dumpi_find(own, QUIPU__DUMPI_RULE_MISSING, &where, "a file for every rank", "rank %u has none",
                          file->rank);
    } else if (file->is_missing) {
        report_unreadable(own, path, kind, reason);
    }
    return QUIPU_OK;
}

static enum quipu_status add_ranks(struct quipu__dumpi_trace *own, const char *prefix, uint64_t rank_count,
                                   int width, struct quipu_error *err) {
    const size_t size = strlen(prefix) + 40;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t rank = 0; status == QUIPU_OK && rank < rank_count; rank++) {
        char *name = quipu__arena_alloc(&own->arena, size);
        if (!name)
            return quipu__no_memory(err, size);
        if (!quipu__dumpi_rank_path(name, size, prefix, rank, width))
            return quipu__no_memory(err, size);
        status = add_file(own, name, rank, err);
    }
    return status;
}

/* ---- Metafiles ---- */

/* A metafile whose malformed lines are reported. */
struct line_report {
    struct quipu__dumpi_trace *own;
    const char *path;
};

static void report_line(void *context, uint64_t line, const char *expected, const char *text, size_t len) {
    const struct line_report *line_report = context;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = line_report->path;
    where.line = line;
    quipu__dumpi_find(line_report->own, QUIPU__DUMPI_RULE_METAFILE, &where, expected, "%.*s",
                      len > 80 ? 80 : (int)len, text);
}

static void report_absence(struct quipu__dumpi_trace *own, const char *path, const char *expected,
                           const char *instead) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = path;
    quipu__dumpi_find(own, QUIPU__DUMPI_RULE_METAFILE, &where, expected, "none; %s", instead);
}

/* The metafile's own name is the prefix. */
static enum quipu_status adopt_name(struct quipu__dumpi_trace *own, struct quipu__dumpi_metafile *meta,
                                    struct quipu_error *err) {
    const size_t len = quipu__stored_len(meta->path);
    char *name = quipu__arena_text(&own->arena, meta->path, len);
    if (name && !quipu__ends_with(name, QUIPU__DUMPI_META_SUFFIX))
        return QUIPU_OK;
    if (name)
        name[len - strlen(QUIPU__DUMPI_META_SUFFIX)] = '\0';
    meta->prefix = name;
    return meta->prefix ? QUIPU_OK : quipu__no_memory(err, len);
}

static enum quipu_status fail_incomplete(const struct quipu__dumpi_metafile *meta, struct quipu_error *err) {
    quipu__fail(err, QUIPU_CORRUPT,
                "the metafile does not say numprocs and fileprefix, and there are no files beside "
                "it that have its name");
    quipu__at(err, meta->path, QUIPU_UNKNOWN);
    return QUIPU_CORRUPT;
}

static bool has_own_name(const struct quipu__dumpi_metafile *meta) {
    const char *base = meta->prefix ? quipu__base_name(meta->prefix) : "", *name = quipu__base_name(meta->path);
    const size_t len = strlen(base);
    return len > 0 && strncmp(name, base, len) == 0 && strcmp(name + len, QUIPU__DUMPI_META_SUFFIX) == 0;
}

/* Recorders write metafile and files into the same folder, but the prefix contains the folder as seen from where the program ran. So
 * if there are no files with the prefix, those beside the metafile are meant. */
static enum quipu_status look_for_ranks(struct quipu__dumpi_trace *own, struct quipu__dumpi_metafile *meta,
                                        struct quipu__dumpi_ranks *ranks, struct quipu_error *err) {
    const enum quipu_status status =
        quipu__dumpi_ranks_look(ranks, meta->prefix, meta->rank_count, &own->arena, err);
    if ((status == QUIPU_OK && ranks->found > 0) || status == QUIPU_NO_MEMORY || !has_own_name(meta))
        return status;
    const enum quipu_status adopted = adopt_name(own, meta, err);
    return adopted == QUIPU_OK
               ? quipu__dumpi_ranks_look(ranks, meta->prefix, meta->rank_count, &own->arena, err)
               : adopted;
}

/* Completes what a metafile lacks, as far as there are fitting files. */
static enum quipu_status complete_metafile(struct quipu__dumpi_trace *own, struct quipu__dumpi_metafile *meta,
                                           struct quipu__dumpi_ranks *ranks, struct quipu_error *err) {
    const bool has_prefix = meta->prefix != NULL, has_ranks = meta->rank_count > 0;
    enum quipu_status status = has_prefix ? QUIPU_OK : adopt_name(own, meta, err);
    if (status == QUIPU_OK && meta->prefix)
        status = look_for_ranks(own, meta, ranks, err);
    if (status != QUIPU_OK || (has_prefix && has_ranks))
        return status;
    if (ranks->found == 0)
        return fail_incomplete(meta, err);
    if (!has_prefix)
        report_absence(own, meta->path, "fileprefix=PREFIX", "the name of the metafile is taken");
    if (!has_ranks)
        report_absence(own, meta->path, "numprocs=NUMBER", "the files that are there are taken");
    meta->rank_count = has_ranks ? meta->rank_count : ranks->past;
    return QUIPU_OK;
}

/* A line of text must not cost millions of ranks: when nearly all lack files, those after the last file are left out. */
static enum quipu_status limit_ranks(struct quipu__dumpi_trace *own, struct quipu__dumpi_metafile *meta,
                                     const struct quipu__dumpi_ranks *ranks, struct quipu_error *err) {
    const uint64_t most = 2 * ranks->found + MISSING_RANKS_LIMIT;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = meta->path;
    if (meta->rank_count <= most)
        return QUIPU_OK;
    if (ranks->found == 0 || ranks->past > most) {
        quipu__fail(err, QUIPU_CORRUPT, "of %" PRIu64 " ranks %" PRIu64 " have a file", meta->rank_count,
                    ranks->found);
        quipu__at(err, meta->path, QUIPU_UNKNOWN);
        quipu__advise(err, "restore the files of %s, or correct numprocs", meta->prefix);
        return QUIPU_CORRUPT;
    }
    quipu__dumpi_find(own, QUIPU__DUMPI_RULE_MISSING, &where, "a file for every rank",
                      "ranks %" PRIu64 " to %" PRIu64 " have none", ranks->past, meta->rank_count - 1);
    meta->rank_count = ranks->past;
    return QUIPU_OK;
}

static enum quipu_status add_metafile(struct quipu__dumpi_trace *own, const char *path,
                                      struct quipu_error *err) {
    struct line_report line_report = {own, path};
    const struct quipu__dumpi_malformed_lines malformed = {report_line, &line_report};
    struct quipu__dumpi_metafile meta;
    struct quipu__dumpi_ranks ranks = {0, 0, 0};
    enum quipu_status status = quipu__trace_add_file(own->trace, path, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__dumpi_metafile_read(&meta, path, own->trace->files, &own->arena, &malformed, err);
    if (status != QUIPU_OK)
        return status;
    status = complete_metafile(own, &meta, &ranks, err);
    if (status == QUIPU_OK)
        status = limit_ranks(own, &meta, &ranks, err);
    return status == QUIPU_OK ? add_ranks(own, meta.prefix, meta.rank_count, ranks.width, err) : status;
}

/* ---- A single file ---- */

static enum quipu_status add_single(struct quipu__dumpi_trace *own, const char *path, struct quipu_error *err) {
    uint64_t rank = 0;
    size_t prefix_len;
    if (!quipu__dumpi_rank_in(quipu__base_name(path), &rank, &prefix_len))
        rank = 0;
    own->is_single = true;
    return add_file(own, path, rank, err);
}

/* ---- Folders ---- */

/* The contents of a folder: metafiles take precedence over trace files. */
struct folder {
    struct quipu__dumpi_trace *own;
    const char *path;
    QUIPU__VEC(const char *) metafiles, bins;
    struct quipu_error *err;
};

static enum quipu_status visit(void *context, const char *name) {
    struct folder *folder = context;
    uint64_t rank;
    size_t prefix_len;
    const bool is_meta = quipu__ends_with(name, QUIPU__DUMPI_META_SUFFIX);
    if (!is_meta && !quipu__dumpi_rank_in(name, &rank, &prefix_len))
        return QUIPU_OK;
    const size_t size = strlen(folder->path) + strlen(name) + 2;
    char *path = quipu__arena_alloc(&folder->own->arena, size);
    if (!path)
        return quipu__no_memory(folder->err, size);
    snprintf(path, size, "%s/%s", folder->path, name);
    const char **slot = is_meta ? QUIPU__VEC_ADD(folder->own->memory, &folder->metafiles)
                                : QUIPU__VEC_ADD(folder->own->memory, &folder->bins);
    if (!slot)
        return quipu__no_memory(folder->err, sizeof *slot);
    *slot = path;
    return QUIPU_OK;
}

static enum quipu_status fail_ambiguous(const struct folder *folder) {
    quipu__fail(folder->err, QUIPU_UNSUPPORTED, "there are several traces in this folder");
    quipu__at(folder->err, folder->path, QUIPU_UNKNOWN);
    quipu__advise(
        folder->err, "name one of their metafiles, for example %s",
        quipu__base_name(folder->metafiles.count ? folder->metafiles.items[0] : folder->bins.items[0]));
    return QUIPU_UNSUPPORTED;
}

/* The metafile that a writer of files with this prefix would have left. */
static enum quipu_status refuse_broken_off(struct quipu__dumpi_trace *own, const char *prefix,
                                           struct quipu_error *err) {
    const size_t size = strlen(prefix) + sizeof QUIPU__DUMPI_META_SUFFIX;
    char *path = quipu__arena_alloc(&own->arena, size);
    if (!path)
        return quipu__no_memory(err, size);
    snprintf(path, size, "%s" QUIPU__DUMPI_META_SUFFIX, prefix);
    return quipu__outputs_refuse_broken_off(path, false, err);
}

/* All trace files must belong to one trace: they differ only in the rank. Ranks between them without a file are missing. */
static enum quipu_status add_bins(struct folder *folder) {
    struct quipu__dumpi_ranks ranks;
    const char *prefix = NULL;
    size_t prefix_size = 0;
    uint64_t rank_count = 0;
    for (size_t i = 0; i < folder->bins.count; i++) {
        const char *path = folder->bins.items[i];
        uint64_t rank = 0;
        size_t len = 0;
        quipu__dumpi_rank_in(quipu__base_name(path), &rank, &len);
        len += folder_len(path);
        if (!prefix) {
            prefix = quipu__arena_text(&folder->own->arena, path, len);
            prefix_size = len;
            if (!prefix)
                return quipu__no_memory(folder->err, len);
        }
        if (len != prefix_size || memcmp(path, prefix, len) != 0)
            return fail_ambiguous(folder);
        rank_count = rank >= rank_count ? rank + 1 : rank_count;
    }
    if (rank_count > 2 * folder->bins.count + QUIPU__DUMPI_MISSING_RANKS)
        return fail_ambiguous(folder);
    enum quipu_status status = refuse_broken_off(folder->own, prefix, folder->err);
    if (status == QUIPU_OK)
        status = quipu__dumpi_ranks_look(&ranks, prefix, rank_count, &folder->own->arena, folder->err);
    return status == QUIPU_OK ? add_ranks(folder->own, prefix, rank_count, ranks.width, folder->err) : status;
}

static enum quipu_status add_found(struct folder *folder, struct quipu_error *err) {
    if (folder->metafiles.count == 1)
        return add_metafile(folder->own, folder->metafiles.items[0], err);
    if (folder->metafiles.count > 1)
        return fail_ambiguous(folder);
    if (folder->bins.count > 0)
        return add_bins(folder);
    return quipu__fail(err, QUIPU_NOT_FOUND, "no DUMPI trace found in this folder (expected *.meta or *.bin)");
}

static enum quipu_status add_folder(struct quipu__dumpi_trace *own, const char *path, struct quipu_error *err) {
    struct folder folder = {.own = own, .path = path, .err = err};
    enum quipu_status status = quipu__stored_visit(own->memory, path, visit, &folder, err);
    if (status == QUIPU_OK)
        status = add_found(&folder, err);
    QUIPU__VEC_RELEASE(own->memory, &folder.metafiles);
    QUIPU__VEC_RELEASE(own->memory, &folder.bins);
    return status;
}

/* ---- Any path ---- */

static enum quipu_status starts_like_a_metafile(struct quipu__dumpi_trace *own, const char *path, bool *out,
                                                struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(own->trace->files, path, QUIPU__CODEC_SEEK, QUIPU__PROBE_BYTES, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, QUIPU__PROBE_BYTES, err);
    if (status == QUIPU_OK)
        *out = quipu__dumpi_is_metafile(path, input->at, (size_t)(input->end - input->at));
    quipu__input_close(input);
    return status;
}

enum quipu_status quipu__dumpi_add_files(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const char *path = own->trace->path;
    bool is_metafile = false;
    if (quipu__path_kind(path, NULL) == QUIPU__PATH_DIRECTORY)
        return add_folder(own, path, err);
    const enum quipu_status status = starts_like_a_metafile(own, path, &is_metafile, err);
    if (status != QUIPU_OK || !is_metafile)
        return status == QUIPU_OK ? add_single(own, path, err) : status;
    const enum quipu_status refused = quipu__format_refuse_pipe(
        own->trace, "name the metafile (*.meta) or its folder; a single file (*.bin) can come from a pipe",
        err);
    return refused == QUIPU_OK ? add_metafile(own, path, err) : refused;
}
