/* probe.c: shows the beginning of a file, or the names in a directory, to all formats and compares their scores.
 * If two formats are equally sure, only the suffix can decide, never the order of formats.def. */
#include "trace/probe.h"

#include "core/error.h"
#include "core/os.h"
#include "core/files/stored.h"
#include "core/text.h"
#include "core/memory/vec.h"

#include <errno.h>

/* More names than this tell no more about a directory. */
enum { NAMES_MOST = 4096 };

struct names {
    struct quipu__arena arena;
    QUIPU__VEC(const char *) list;
    bool is_out_of_memory;
};

static enum quipu_status add_name(void *context, const char *name) {
    struct names *names = context;
    if (names->list.count == NAMES_MOST)
        return QUIPU_END;
    const char *copy = quipu__arena_text(&names->arena, name, strlen(name));
    const char **slot = copy ? QUIPU__VEC_ADD(names->arena.memory, &names->list) : NULL;
    names->is_out_of_memory = !slot;
    if (!slot)
        return QUIPU_END;
    *slot = copy;
    return QUIPU_OK;
}

/* ---- Names without suffix ---- */

/* The first existing file that is path with one of the suffixes; *found is unchanged when there is none. */
static enum quipu_status add_suffix(struct quipu__arena *arena, const char *path, const char *suffixes,
                                    const char **found, struct quipu_error *err) {
    const size_t len = strlen(path), size = len + strlen(suffixes) + 1;
    char *name = quipu__arena_alloc(arena, size);
    if (!name)
        return quipu__no_memory(err, size);
    memcpy(name, path, len);
    while (*suffixes) {
        const size_t suffix_len = strcspn(suffixes, " ");
        memcpy(name + len, suffixes, suffix_len);
        name[len + suffix_len] = '\0';
        if (quipu__stored_find(name, NULL, NULL) == QUIPU__PATH_FILE) {
            *found = quipu__stored_path(arena, name);
            return *found ? QUIPU_OK : quipu__no_memory(err, size);
        }
        suffixes += suffix_len + (suffixes[suffix_len] == ' ');
    }
    return QUIPU_OK;
}

enum quipu_status quipu__probe_path(struct quipu__arena *arena, const char *path,
                                    const struct quipu__format *format, const char **out,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const char *found = NULL;
    *out = path = quipu__stored_path(arena, path);
    if (!path)
        return quipu__no_memory(err, 0);
    if (quipu__path_kind(path, NULL) != QUIPU__PATH_MISSING)
        return QUIPU_OK;
    for (size_t i = 0; i < quipu_format_count() && status == QUIPU_OK; i++) {
        const char *before = found;
        if (!quipu__format_at(i)->reading || (format && quipu__format_at(i) != format))
            continue;
        status = add_suffix(arena, path, quipu__format_at(i)->info.suffixes, &found, err);
        if (status != QUIPU_OK || !before || before == found)
            continue;
        status = quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "this may stand for %s or %s", before, found);
        quipu__at(err, path, QUIPU_UNKNOWN);
        quipu__advise(err, "name the file");
    }
    *out = found ? found : path;
    return status;
}

/* ---- Choosing ---- */

struct choice {
    const struct quipu__format *format;
    enum quipu_score score;
    int rank;       /* score first, suffix second */
    bool is_shared; /* another format is equally sure */
};

static struct choice choose(const struct quipu__probe *probe) {
    struct choice best = {NULL, QUIPU_SCORE_NO, 0, false};
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu__format *format = quipu__format_at(i);
        if (!format->reading)
            continue;
        const enum quipu_score score = format->reading->probe(probe);
        const int rank = 2 * (int)score + quipu__has_suffix(probe->path, format->info.suffixes);
        if (score == QUIPU_SCORE_NO || rank < best.rank)
            continue;
        const bool is_shared = rank == best.rank;
        best = (struct choice){format, score, rank, is_shared};
    }
    return best;
}

static enum quipu_status refuse(const char *path, const char *what, const char *advice,
                                struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "%s", what);
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "%s", advice);
    return QUIPU_UNKNOWN_FORMAT;
}

static enum quipu_status decide(const struct quipu__probe *probe, const char *path,
                                const struct quipu__format **format, enum quipu_score *score,
                                struct quipu_error *err) {
    const struct choice choice = choose(probe);
    /* A format that has no memory to look into files says no. */
    const enum quipu_status status = quipu__memory_status(probe->files->memory, err);
    if (status != QUIPU_OK)
        return status;
    if (choice.format && !choice.is_shared) {
        *format = choice.format;
        *score = choice.score;
        return QUIPU_OK;
    }
    if (choice.format)
        return refuse(path, "more than one format recognises this", "--from-format NAME says which one it is",
                      err);
    if (probe->is_directory ? probe->name_count == 0 : probe->head_len == 0)
        return refuse(path, probe->is_directory ? "the folder is empty" : "the file is empty",
                      "check that the trace was written, or copied, to its end", err);
    return refuse(path, "no format recognises this",
                  "\"quipu formats\" lists those that are; --from-format NAME reads it as one of them", err);
}

/* ---- Looking ---- */

static enum quipu_status probe_directory(struct quipu__files *files, const char *path,
                                         const struct quipu__format **format, enum quipu_score *score,
                                         struct quipu_error *err) {
    struct names names = {.list = QUIPU__VEC_INIT};
    quipu__arena_init(&names.arena, files->memory);
    enum quipu_status status = quipu__stored_visit(files->memory, path, add_name, &names, err);
    if (names.is_out_of_memory)
        status = quipu__no_memory(err, strlen(path));
    if (status == QUIPU_OK || status == QUIPU_END) {
        const struct quipu__probe probe = {
            .files = files,
            .path = path,
            .is_directory = true,
            .size = QUIPU_UNKNOWN,
            .names = names.list.items,
            .name_count = names.list.count,
        };
        status = decide(&probe, path, format, score, err);
    }
    QUIPU__VEC_RELEASE(files->memory, &names.list);
    quipu__arena_release(&names.arena);
    return status;
}

static enum quipu_status probe_head(struct quipu__files *files, const char *path, const char *name,
                                    const struct quipu__format **format, enum quipu_score *score,
                                    struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(files, path, QUIPU__CODEC_PEEK, QUIPU__PROBE_BYTES, &input, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__input_more(input, QUIPU__PROBE_BYTES, err);
    if (status == QUIPU_OK) {
        const size_t have = (size_t)(input->end - input->at);
        const struct quipu__probe probe = {
            .files = files,
            .path = name,
            .head = input->at,
            .head_len = have < QUIPU__PROBE_BYTES ? have : QUIPU__PROBE_BYTES,
            .size = input->size,
        };
        status = decide(&probe, path, format, score, err);
    }
    quipu__input_close(input);
    return status;
}

/* Shows formats the uncompressed file. */
static enum quipu_status probe_file(struct quipu__files *files, const char *path,
                                    const struct quipu__format **format, enum quipu_score *score,
                                    struct quipu_error *err) {
    struct quipu__arena arena;
    quipu__arena_init(&arena, files->memory);
    const char *name = quipu__arena_text(&arena, path, quipu__stored_len(path));
    const enum quipu_status status = name ? probe_head(files, path, name, format, score, err)
                                          : (enum quipu_status)quipu__no_memory(err, strlen(path));
    quipu__arena_release(&arena);
    return status;
}

enum quipu_status quipu__probe(struct quipu__files *files, const char *path,
                               const struct quipu__format **format, enum quipu_score *score,
                               struct quipu_error *err) {
    enum quipu_status failure;
    *format = NULL;
    *score = QUIPU_SCORE_NO;
    switch (quipu__path_kind(path, NULL)) {
    case QUIPU__PATH_DIRECTORY:
        failure = quipu__outputs_refuse_broken_off(path, true, err);
        return failure != QUIPU_OK ? failure : probe_directory(files, path, format, score, err);
    case QUIPU__PATH_FILE:
    case QUIPU__PATH_OTHER:
        return probe_file(files, path, format, score, err);
    case QUIPU__PATH_UNREADABLE:
        failure = quipu__fail_errno(err, QUIPU_IO, errno, "open failed");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return failure;
    case QUIPU__PATH_MISSING:
        break;
    }
    const enum quipu_status status = quipu__outputs_refuse_broken_off(path, false, err);
    if (status != QUIPU_OK)
        return status;
    quipu__fail(err, QUIPU_NOT_FOUND, path[0] ? "no such file or directory" : "the name of the trace is empty");
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "name a file or a folder of a trace, or - for standard input");
    return QUIPU_NOT_FOUND;
}

enum quipu_status quipu_probe(const char *path, const struct quipu_format **format, enum quipu_score *score,
                              struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__arena arena;
    const struct quipu__format *found = NULL;
    const char *completed;
    *score = QUIPU_SCORE_NO;
    *format = NULL;
    /* Bytes taken from a pipe would be missing when it is opened. */
    if (quipu__path_kind(path, NULL) == QUIPU__PATH_OTHER)
        return refuse(path, "a pipe cannot be probed", "open it: that finds out the format", err);
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&files, &memory, 1);
    quipu__arena_init(&arena, &memory);
    enum quipu_status status = quipu__probe_path(&arena, path, NULL, &completed, err);
    if (status == QUIPU_OK)
        status = quipu__probe(&files, completed, &found, score, err);
    *format = found ? &found->info : NULL;
    quipu__arena_release(&arena);
    quipu__files_release(&files);
    return status;
}
