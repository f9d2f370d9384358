/* files.c: which files a path stands for: a metafile, a folder with one, a folder of trace files, or one trace file.
 *
 * A metafile is lines of key=value; numprocs and fileprefix are all that matter. The names of the trace files end in
 * the rank, which producers pad to different widths: the width for which all ranks have a file is taken, four
 * digits first. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define METAFILE_LIMIT ((size_t)64 << 10)
#define RANK_LIMIT ((uint64_t)1 << 24)
#define MISSING_LIMIT 64 /* ranks of a folder that may lack files, besides half of them */
#define SUFFIX ".bin"
#define META_SUFFIX ".meta"

/* ---- Metafiles ---- */

struct metafile {
    const char *path;
    uint64_t rank_count;
    char *prefix; /* with the folder */
    size_t prefix_size;
};

static bool is_key(const char *line, size_t len, const char *key) {
    return len > strlen(key) && memcmp(line, key, strlen(key)) == 0 && line[strlen(key)] == '=';
}

/* Visits the lines of a text. */
static const char *line_end(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

bool quipu__dumpi_is_metafile(const uint8_t *head, size_t size) {
    bool has_ranks = false, has_prefix = false;
    const char *at = (const char *)head, *const end = at + size;
    for (const char *stop; at < end; at = stop + (stop < end)) {
        stop = line_end(at, end);
        const size_t len = (size_t)(stop - at);
        has_ranks = has_ranks || is_key(at, len, "numprocs");
        has_prefix = has_prefix || is_key(at, len, "fileprefix");
    }
    return has_ranks && has_prefix;
}

/* The folder part of path with its '/', as a length. */
static size_t folder_len(const char *path) {
    return (size_t)(quipu__base_name(path) - path);
}

static enum quipu_status set_prefix(struct quipu__dumpi_trace *own, struct metafile *meta, const char *value,
                                    size_t len, struct quipu_error *err) {
    const size_t folder = len > 0 && value[0] == '/' ? 0 : folder_len(meta->path);
    meta->prefix = quipu__arena_alloc(&own->arena, folder + len + 1);
    if (!meta->prefix)
        return quipu__no_memory(err, folder + len);
    memcpy(meta->prefix, meta->path, folder);
    memcpy(meta->prefix + folder, value, len);
    meta->prefix[folder + len] = 0;
    meta->prefix_size = folder + len;
    return QUIPU_OK;
}

static void report_line(struct quipu__dumpi_trace *own, const struct metafile *meta, uint64_t line,
                        const char *expected, const char *text, size_t len) {
    struct quipu__place place = QUIPU__PLACE_INIT;
    place.file = meta->path;
    place.line = line;
    quipu__dumpi_find(own, QUIPU__DUMPI_RULE_METAFILE, &place, expected, "%.*s", len > 80 ? 80 : (int)len,
                      text);
}

static enum quipu_status take_line(struct quipu__dumpi_trace *own, struct metafile *meta, uint64_t number,
                                   const char *line, size_t len, struct quipu_error *err) {
    if (is_key(line, len, "fileprefix"))
        return set_prefix(own, meta, line + 11, len - 11, err);
    if (is_key(line, len, "numprocs") &&
        (!quipu__parse_u64(line + 9, len - 9, &meta->rank_count) || meta->rank_count > RANK_LIMIT)) {
        report_line(own, meta, number, "numprocs=NUMBER", line, len);
        meta->rank_count = 0;
    } else if (len > 0 && !memchr(line, '=', len)) {
        report_line(own, meta, number, "key=value", line, len);
    }
    return QUIPU_OK;
}

static enum quipu_status read_metafile(struct quipu__dumpi_trace *own, struct metafile *meta,
                                       struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(own->trace->files, meta->path, QUIPU__CODEC_NONE, METAFILE_LIMIT, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, METAFILE_LIMIT, err);
    if (status == QUIPU_OK) {
        const char *at = (const char *)input->at, *const end = (const char *)input->end;
        uint64_t number = 1;
        for (const char *stop; status == QUIPU_OK && at < end; at = stop + (stop < end), number++) {
            stop = line_end(at, end);
            status = take_line(own, meta, number, at, (size_t)(stop - at), err);
        }
    }
    quipu__input_close(input);
    if (status == QUIPU_OK && (meta->rank_count == 0 || !meta->prefix)) {
        quipu__fail(err, QUIPU_CORRUPT, "the metafile does not say numprocs and fileprefix");
        quipu__at(err, meta->path, QUIPU_UNKNOWN);
        return QUIPU_CORRUPT;
    }
    return status;
}

/* ---- Names of trace files ---- */

/* PREFIX-RANK.bin with the rank padded to width digits, in the arena. */
static char *name_of(struct quipu__dumpi_trace *own, const struct metafile *meta, uint64_t rank, int width) {
    char *name = quipu__arena_alloc(&own->arena, meta->prefix_size + 40);
    if (name)
        snprintf(name, meta->prefix_size + 40, "%s-%0*llu" SUFFIX, meta->prefix, width,
                 (unsigned long long)rank);
    return name;
}

/* How many ranks have a file whose name has that width. */
static uint64_t files_of_width(struct quipu__dumpi_trace *own, const struct metafile *meta, int width) {
    struct quipu__arena names;
    uint64_t count = 0;
    quipu__arena_init(&names, own->memory);
    char *name = quipu__arena_alloc(&names, meta->prefix_size + 40);
    for (uint64_t rank = 0; name && rank < meta->rank_count; rank++) {
        snprintf(name, meta->prefix_size + 40, "%s-%0*llu" SUFFIX, meta->prefix, width,
                 (unsigned long long)rank);
        count += quipu__path_kind(name, NULL) == QUIPU__PATH_FILE;
    }
    quipu__arena_release(&names);
    return count;
}

static int find_width(struct quipu__dumpi_trace *own, const struct metafile *meta) {
    static const int widths[] = {4, 5, 6, 7, 8, 9, 0, 2, 3};
    int best = widths[0];
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths && most < meta->rank_count; i++) {
        const uint64_t count = files_of_width(own, meta, widths[i]);
        if (count > most) {
            most = count;
            best = widths[i];
        }
    }
    return best;
}

/* ---- Adding files ---- */

static enum quipu_status add_file(struct quipu__dumpi_trace *own, const char *path, uint64_t rank,
                                  struct quipu_error *err) {
    struct quipu__dumpi_file *file = QUIPU__VEC_ADD(own->memory, &own->files);
    if (!file)
        return quipu__no_memory(err, sizeof *file);
    file->path = path;
    file->rank = (uint32_t)rank;
    quipu__map_init(&file->regions, own->memory);
    file->is_missing = quipu__path_kind(path, &file->size) != QUIPU__PATH_FILE;
    if (file->is_missing) {
        struct quipu__place place = QUIPU__PLACE_INIT;
        place.file = path;
        quipu__dumpi_find(own, QUIPU__DUMPI_RULE_MISSING, &place, "a file for every rank", "rank %u has none",
                          file->rank);
    }
    return QUIPU_OK;
}

static enum quipu_status add_ranks(struct quipu__dumpi_trace *own, const struct metafile *meta,
                                   struct quipu_error *err) {
    const int width = find_width(own, meta);
    enum quipu_status status = QUIPU_OK;
    for (uint64_t rank = 0; status == QUIPU_OK && rank < meta->rank_count; rank++) {
        const char *name = name_of(own, meta, rank, width);
        status = name ? add_file(own, name, rank, err) : quipu__no_memory(err, meta->prefix_size);
    }
    return status;
}

static enum quipu_status add_metafile(struct quipu__dumpi_trace *own, const char *path,
                                      struct quipu_error *err) {
    struct metafile meta = {.path = path};
    const enum quipu_status status = read_metafile(own, &meta, err);
    return status == QUIPU_OK ? add_ranks(own, &meta, err) : status;
}

/* The rank in a name PREFIX-RANK.bin; false when there is none. */
static bool rank_of_name(const char *name, uint64_t *rank, size_t *prefix_len) {
    const size_t len = strlen(name);
    if (!quipu__ends_with(name, SUFFIX))
        return false;
    size_t first = len - strlen(SUFFIX);
    const size_t past = first;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
        first--;
    *prefix_len = first;
    return first > 0 && name[first - 1] == '-' && quipu__parse_u64(name + first, past - first, rank) &&
           *rank < RANK_LIMIT;
}

static enum quipu_status add_single(struct quipu__dumpi_trace *own, const char *path, struct quipu_error *err) {
    uint64_t rank = 0;
    size_t prefix_len;
    if (!rank_of_name(quipu__base_name(path), &rank, &prefix_len))
        rank = 0;
    own->is_single = true;
    return add_file(own, path, rank, err);
}

/* ---- Folders ---- */

/* What is in a folder: metafiles win over trace files. */
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
    const bool is_meta = quipu__ends_with(name, META_SUFFIX);
    if (!is_meta && !rank_of_name(name, &rank, &prefix_len))
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
    quipu__advise(folder->err, "name one of their metafiles, for example %s",
                  quipu__base_name(folder->metafiles.count ? folder->metafiles.at[0] : folder->bins.at[0]));
    return QUIPU_UNSUPPORTED;
}

/* All trace files must belong to one trace: they differ in the rank only. Ranks between them that have no file are
 * missing. */
static enum quipu_status add_bins(struct folder *folder) {
    struct metafile meta = {.path = folder->path};
    for (size_t i = 0; i < folder->bins.count; i++) {
        const char *path = folder->bins.at[i];
        uint64_t rank = 0;
        size_t prefix_len = 0;
        rank_of_name(quipu__base_name(path), &rank, &prefix_len);
        const size_t len = folder_len(path) + prefix_len - 1;
        if (i == 0) {
            meta.prefix = quipu__arena_text(&folder->own->arena, path, len);
            meta.prefix_size = len;
            if (!meta.prefix)
                return quipu__no_memory(folder->err, len);
        }
        if (len != meta.prefix_size || memcmp(path, meta.prefix, len) != 0)
            return fail_ambiguous(folder);
        meta.rank_count = rank >= meta.rank_count ? rank + 1 : meta.rank_count;
    }
    if (meta.rank_count > 2 * folder->bins.count + MISSING_LIMIT)
        return fail_ambiguous(folder);
    return add_ranks(folder->own, &meta, folder->err);
}

static enum quipu_status add_folder(struct quipu__dumpi_trace *own, const char *path, struct quipu_error *err) {
    struct folder folder = {.own = own, .path = path, .err = err};
    enum quipu_status status = quipu__directory_visit(path, visit, &folder, err);
    if (status == QUIPU_OK) {
        if (folder.metafiles.count == 1)
            status = add_metafile(own, folder.metafiles.at[0], err);
        else if (folder.metafiles.count > 1)
            status = fail_ambiguous(&folder);
        else if (folder.bins.count > 0)
            status = add_bins(&folder);
        else
            status = quipu__fail(err, QUIPU_NOT_FOUND, "there is no DUMPI trace in this folder");
    }
    QUIPU__VEC_RELEASE(own->memory, &folder.metafiles);
    QUIPU__VEC_RELEASE(own->memory, &folder.bins);
    return status;
}

/* ---- Any path ---- */

static enum quipu_status starts_like_a_metafile(struct quipu__dumpi_trace *own, const char *path, bool *out,
                                                struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(own->trace->files, path, QUIPU__CODEC_NONE, QUIPU__PROBE_BYTES, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, QUIPU__PROBE_BYTES, err);
    if (status == QUIPU_OK)
        *out = quipu__dumpi_is_metafile(input->at, (size_t)(input->end - input->at));
    quipu__input_close(input);
    return status;
}

enum quipu_status quipu__dumpi_add_files(struct quipu__dumpi_trace *own, struct quipu_error *err) {
    const char *path = own->trace->path;
    bool is_metafile = false;
    if (quipu__path_kind(path, NULL) == QUIPU__PATH_DIRECTORY)
        return add_folder(own, path, err);
    const enum quipu_status status = starts_like_a_metafile(own, path, &is_metafile, err);
    if (status != QUIPU_OK)
        return status;
    return is_metafile ? add_metafile(own, path, err) : add_single(own, path, err);
}
