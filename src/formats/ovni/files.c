/* files.c: finding the streams of a folder. In layout 3 only the name of the metadata files matters, wherever they are; the older layouts
 * have loom, process and thread in the names of folders and files. */
#include "formats/ovni/files.h"

#include "core/error.h"
#include "core/memory/map.h"
#include "core/os.h"
#include "core/files/output.h"
#include "core/files/stored.h"
#include "core/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* If the system cannot tell, it is taken for a file: opening it says what is wrong. */
static bool is_file(const char *path, uint64_t *size) {
    enum quipu__path_kind kind = quipu__stored_find(path, NULL, size);
    if (kind == QUIPU__PATH_UNREADABLE)
        kind = quipu__stored_find(path, NULL, size);
    return kind == QUIPU__PATH_FILE || kind == QUIPU__PATH_UNREADABLE;
}

/* "folder/name", or name where folder is "". NULL when memory is out; the gate remembers that. */
static const char *join(struct quipu__ovni_files *list, const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = quipu__arena_alloc(&list->arena, size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, folder[0] && name[0] ? "/" : "", name);
    return path;
}

static const char *under_root(struct quipu__ovni_files *list, const char *relative) {
    return join(list, list->root, relative);
}

/* The file that stands for it. */
static const char *stored(struct quipu__ovni_files *list, const char *relative) {
    const char *path = under_root(list, relative);
    return path ? quipu__stored_path(&list->arena, path) : NULL;
}

/* ---- Folders ---- */

/* A search for streams. Each folder is searched once, however many paths lead to it. */
struct search {
    struct quipu__ovni_files *list;
    struct quipu__map seen; /* hashes of folders' identities */
    QUIPU__VEC(struct quipu__identity) identities;
    QUIPU__VEC(const char *) names; /* of folders still to search */
    QUIPU__VEC(const char *) links; /* the same */
    const char *folder;             /* the one being searched */
    struct quipu_error *err;
};

static void begin_search(struct search *search, struct quipu__ovni_files *list, struct quipu_error *err) {
    *search = (struct search){.list = list, .err = err};
    quipu__map_init(&search->seen, list->memory);
}

static void end_search(struct search *search) {
    quipu__map_release(&search->seen);
    QUIPU__VEC_RELEASE(search->list->memory, &search->identities);
    QUIPU__VEC_RELEASE(search->list->memory, &search->names);
    QUIPU__VEC_RELEASE(search->list->memory, &search->links);
}

static bool is_outside(const struct quipu__ovni_files *list, const char *path) {
    return list->pool->fence && !quipu__path_is_own_folder(path) &&
           !quipu__path_is_inside(path, list->root, strlen(list->root));
}

static enum quipu_status enter_folder(struct search *search, const char *path, bool *is_new) {
    struct quipu__ovni_files *list = search->list;
    struct quipu__identity identity;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    if (!quipu__path_identity(path, &identity))
        return QUIPU_OK; /* gone meanwhile */
    const uint64_t key = quipu__hash(&identity, sizeof identity, search->seen.seed);
    const uint32_t known = quipu__map_get(&search->seen, key);
    if (known != QUIPU_NONE && memcmp(&search->identities.items[known], &identity, sizeof identity) == 0)
        return QUIPU_OK;
    if (!QUIPU__VEC_PUT(list->memory, &search->identities, identity) ||
        !quipu__map_put(&search->seen, key, (uint32_t)(search->identities.count - 1)))
        return quipu__no_memory(search->err, sizeof identity);
    *is_new = !is_outside(list, path);
    if (!*is_new) {
        list->leads_outside = true;
        quipu__fail(&trouble, QUIPU_IO, "outside the folder of the trace, which leads to it");
        quipu__advise(&trouble, QUIPU__OUTSIDE_ADVICE);
        quipu__find_unreadable(list->findings, path, &trouble);
    }
    return QUIPU_OK;
}

/* Whether a path from the root leads to a folder that has not been searched. An unreadable folder cannot be skipped: streams of the trace
 * may be in it. A folder too deep for the system to open is a finding, and so is a link that leads out of the trace. */
static enum quipu_status enter(struct search *search, const char *relative, bool *is_new) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const char *path = relative ? under_root(search->list, relative) : NULL;
    if (!path)
        return quipu__no_memory(search->err, 0);
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    if (kind == QUIPU__PATH_DIRECTORY)
        return enter_folder(search, path, is_new);
    if (kind != QUIPU__PATH_UNREADABLE)
        return QUIPU_OK;
    const bool is_passed_over = errno == ENAMETOOLONG || errno == ELOOP;
    const enum quipu_status status = quipu__fail_errno(&trouble, QUIPU_IO, errno, "unreadable directory");
    quipu__at(&trouble, path, QUIPU_UNKNOWN);
    if (is_passed_over)
        quipu__find_unreadable(search->list->findings, path, &trouble);
    else if (search->err)
        *search->err = trouble;
    return is_passed_over ? QUIPU_OK : status;
}

/* ---- Metadata ---- */

/* Loads a file of metadata; invalid JSON is a finding. */
static enum quipu_status load(struct quipu__ovni_files *list, const char *relative, json_t **out,
                              struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    struct quipu__where where = QUIPU__WHERE_INIT;
    const char *path = stored(list, relative);
    if (!path)
        return quipu__no_memory(err, 0);
    where.file = path;
    const enum quipu_status status = quipu__ovni_json_load(list->pool, &list->charge, path, out, &trouble);
    if (status == QUIPU_NO_MEMORY)
        return quipu__no_memory(err, 0);
    if (status == QUIPU_IO)
        quipu__find_unreadable(list->findings, path, &trouble);
    else if (status != QUIPU_OK)
        quipu__find(list->findings, &quipu__ovni_rules[QUIPU__OVNI_RULE_METADATA], &where, "", "%s",
                    trouble.message);
    if (!*out)
        return QUIPU_OK;
    struct quipu__ovni_sidecar *sidecar = QUIPU__VEC_ADD(list->memory, &list->sidecars);
    if (!sidecar) {
        json_decref(*out);
        *out = NULL;
        return quipu__no_memory(err, sizeof *sidecar);
    }
    *sidecar = (struct quipu__ovni_sidecar){path, relative, *out};
    return QUIPU_OK;
}

static bool has_version(struct quipu__ovni_files *list, const char *relative, const json_t *json, int64_t least,
                        int64_t most) {
    int64_t version;
    if (quipu__ovni_json_integer(json, "version", &version) && version >= least && version <= most)
        return true;
    struct quipu__where where = QUIPU__WHERE_INIT;
    char expected[40];
    where.file = under_root(list, relative);
    if (!where.file)
        return false;
    snprintf(expected, sizeof expected, least == most ? "%" PRId64 : "%" PRId64 " to %" PRId64, least, most);
    quipu__find(list->findings, &quipu__ovni_rules[QUIPU__OVNI_RULE_METADATA_VERSION], &where, expected,
                "%" PRId64, version);
    return false;
}

/* ---- Streams ---- */

static enum quipu_status add_stream(struct quipu__ovni_files *list, const struct quipu__ovni_stream *model,
                                    struct quipu_error *err) {
    struct quipu__ovni_stream *stream = QUIPU__VEC_ADD(list->memory, &list->streams);
    if (!stream) {
        json_decref(model->metadata);
        return quipu__no_memory(err, sizeof *stream);
    }
    *stream = *model;
    stream->path = stored(list, model->relative);
    if (!stream->path || !stream->name || !stream->metadata_path)
        return quipu__no_memory(err, 0);
    stream->is_missing = !is_file(stream->path, &stream->bytes);
    if (!stream->is_missing)
        return QUIPU_OK;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = stream->path;
    quipu__find(list->findings, &quipu__ovni_rules[QUIPU__OVNI_RULE_NO_STREAM], &where, "", " ");
    return QUIPU_OK;
}

/* The stream of a folder with metadata of version 3. */
static enum quipu_status add_new(struct quipu__ovni_files *list, const char *folder, struct quipu_error *err) {
    const char *metadata = join(list, folder, QUIPU__OVNI_STREAM_METADATA);
    struct quipu__ovni_stream stream = {.name = folder,
                                        .relative = join(list, folder, QUIPU__OVNI_STREAM_FILE),
                                        .layout = QUIPU__OVNI_LAYOUT_3,
                                        .has_header = true};
    if (!metadata || !stream.relative)
        return quipu__no_memory(err, 0);
    json_t *json;
    const enum quipu_status status = load(list, metadata, &json, err);
    if (status != QUIPU_OK)
        return status;
    if (json && has_version(list, metadata, json, QUIPU__OVNI_METADATA_VERSION, QUIPU__OVNI_METADATA_VERSION))
        stream.metadata = json_incref(json);
    stream.metadata_path = stored(list, metadata);
    return add_stream(list, &stream, err);
}

/* ---- Layout 3 ---- */

static enum quipu_status visit_for_streams(void *context, const char *name) {
    struct search *search = context;
    struct quipu__ovni_files *list = search->list;
    const char *relative = join(list, search->folder, name),
               *path = relative ? under_root(list, relative) : NULL;
    if (!path)
        return quipu__no_memory(search->err, 0);
    if (strcmp(name, QUIPU__OVNI_STREAM_METADATA) == 0 && is_file(path, NULL))
        return add_new(list, search->folder, search->err);
    const bool is_own = quipu__path_is_own_folder(path);
    const enum quipu__path_kind kind = is_own ? QUIPU__PATH_DIRECTORY : quipu__path_kind(path, NULL);
    if (kind != QUIPU__PATH_DIRECTORY && kind != QUIPU__PATH_UNREADABLE)
        return QUIPU_OK;
    const char **slot =
        is_own ? QUIPU__VEC_ADD(list->memory, &search->names) : QUIPU__VEC_ADD(list->memory, &search->links);
    if (!slot)
        return quipu__no_memory(search->err, sizeof *slot);
    *slot = relative;
    return QUIPU_OK;
}

/* Searches a path for streams, if it is a folder. */
static enum quipu_status search_one(struct search *search, const char *relative) {
    bool is_new = false;
    enum quipu_status status = enter(search, relative, &is_new);
    const char *path = is_new ? under_root(search->list, relative) : NULL;
    search->folder = relative;
    if (path)
        status = quipu__stored_visit(search->list->memory, path, visit_for_streams, search, search->err);
    return is_new && !path ? (enum quipu_status)quipu__no_memory(search->err, 0) : status;
}

/* Links come last, so that folders keep their names without links where possible. */
static enum quipu_status search_streams(struct quipu__ovni_files *list, struct quipu_error *err) {
    struct search search;
    begin_search(&search, list, err);
    enum quipu_status status = search_one(&search, "");
    for (size_t name = 0, link = 0; status == QUIPU_OK;) {
        if (name < search.names.count)
            status = search_one(&search, search.names.items[name++]);
        else if (link < search.links.count)
            status = search_one(&search, search.links.items[link++]);
        else
            break;
    }
    end_search(&search);
    return status;
}

/* ---- Layouts 1 and 2 ---- */

struct process {
    struct quipu__ovni_files *list;
    const char *folder; /* from the root */
    const char *loom;
    int64_t pid;
    json_t *metadata; /* owned by the sidecar */
    bool is_version_2;
    struct quipu_error *err;
};

/* The number after a prefix of a name, up to a suffix or the end. */
static bool number_of(const char *name, const char *prefix, const char *suffix, int64_t *out) {
    const size_t len = strlen(name), before = strlen(prefix), after = strlen(suffix);
    return len > before + after && strncmp(name, prefix, before) == 0 &&
           strcmp(name + len - after, suffix) == 0 &&
           quipu__parse_i64(name + before, len - before - after, out);
}

/* Streams without header begin with their first event. */
static enum quipu_status find_header(struct quipu__ovni_files *list, struct quipu__ovni_stream *stream,
                                     struct quipu_error *err) {
    struct quipu__input *input;
    const char *path = under_root(list, stream->relative);
    if (!path)
        return quipu__no_memory(err, 0);
    enum quipu_status status =
        quipu__input_open(list->pool, path, QUIPU__CODEC_SEEK, QUIPU__OVNI_HEADER_BYTES, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, QUIPU__OVNI_HEADER_BYTES, err);
    if (status == QUIPU_OK)
        stream->has_header = input->end - input->at >= QUIPU__OVNI_MAGIC_BYTES &&
                             memcmp(input->at, QUIPU__OVNI_MAGIC, QUIPU__OVNI_MAGIC_BYTES) == 0;
    quipu__input_close(input);
    if (status == QUIPU_OK && !stream->has_header && stream->layout == QUIPU__OVNI_LAYOUT_1)
        stream->layout = QUIPU__OVNI_LAYOUT_RAW;
    return status;
}

static const char *new_name(struct quipu__ovni_files *list, const char *loom, int64_t pid, int64_t tid) {
    char name[64];
    const size_t size = strlen(loom) + sizeof name + 16;
    char *text = quipu__arena_alloc(&list->arena, size);
    if (text)
        snprintf(text, size,
                 QUIPU__OVNI_LOOM_PREFIX "%s/" QUIPU__OVNI_PROCESS_PREFIX "%" PRId64
                                         "/" QUIPU__OVNI_THREAD_PREFIX "%" PRId64,
                 loom, pid, tid);
    return text;
}

static enum quipu_status add_old(const struct process *process, const char *name, int64_t tid, bool has_suffix,
                                 struct quipu_error *err) {
    struct quipu__ovni_files *list = process->list;
    json_t *own = NULL;
    struct quipu__ovni_stream stream = {.name = new_name(list, process->loom, process->pid, tid),
                                        .relative = join(list, process->folder, name),
                                        .layout =
                                            process->is_version_2 ? QUIPU__OVNI_LAYOUT_2 : QUIPU__OVNI_LAYOUT_1,
                                        .has_header = true,
                                        .has_old_models = !has_suffix};
    char sidecar[64];
    snprintf(sidecar, sizeof sidecar, QUIPU__OVNI_THREAD_PREFIX "%" PRId64 QUIPU__OVNI_OLD_METADATA_SUFFIX,
             tid);
    const char *metadata =
        join(list, process->folder, process->is_version_2 ? sidecar : QUIPU__OVNI_PROCESS_METADATA);
    if (!stream.name || !stream.relative || !metadata)
        return quipu__no_memory(err, 0);
    stream.metadata_path = stored(list, metadata);
    enum quipu_status status = find_header(list, &stream, err);
    if (status == QUIPU_OK && process->is_version_2)
        status = load(list, metadata, &own, err);
    if (status != QUIPU_OK)
        return status;
    if (!process->is_version_2 || (own && has_version(list, metadata, own, 2, 2))) {
        stream.metadata = quipu__ovni_upgrade(process->metadata, own, process->loom, process->pid, tid);
        if (!stream.metadata)
            return quipu__no_memory(err, 0);
    }
    return add_stream(list, &stream, err);
}

static enum quipu_status visit_thread(void *context, const char *name) {
    const struct process *process = context;
    int64_t tid;
    if (number_of(name, QUIPU__OVNI_THREAD_PREFIX, QUIPU__OVNI_OLD_STREAM_SUFFIX, &tid))
        return add_old(process, name, tid, true, process->err);
    if (number_of(name, QUIPU__OVNI_THREAD_PREFIX, "", &tid))
        return add_old(process, name, tid, false, process->err);
    return QUIPU_OK;
}

static enum quipu_status add_process(struct quipu__ovni_files *list, const char *folder, const char *loom,
                                     int64_t pid, struct quipu_error *err) {
    const char *metadata = join(list, folder, QUIPU__OVNI_PROCESS_METADATA), *path = under_root(list, folder);
    struct process process = {.list = list, .folder = folder, .loom = loom, .pid = pid, .err = err};
    int64_t version;
    if (!metadata || !path)
        return quipu__no_memory(err, 0);
    const char *file = under_root(list, metadata);
    if (!file)
        return quipu__no_memory(err, 0);
    if (!is_file(file, NULL))
        return QUIPU_OK;
    const enum quipu_status status = load(list, metadata, &process.metadata, err);
    if (status != QUIPU_OK || !process.metadata || !has_version(list, metadata, process.metadata, 1, 2))
        return status;
    quipu__ovni_json_integer(process.metadata, "version", &version);
    process.is_version_2 = version == 2;
    return quipu__stored_visit(list->memory, path, visit_thread, &process, err);
}

struct loom {
    struct search *search;
    const char *folder, *name;
};

static enum quipu_status visit_process(void *context, const char *name) {
    const struct loom *loom = context;
    int64_t pid;
    if (!number_of(name, QUIPU__OVNI_PROCESS_PREFIX, "", &pid))
        return QUIPU_OK;
    struct quipu__ovni_files *list = loom->search->list;
    const char *folder = join(list, loom->folder, name);
    bool is_new = false;
    const enum quipu_status status = enter(loom->search, folder, &is_new);
    return is_new ? add_process(list, folder, loom->name, pid, loom->search->err) : status;
}

static enum quipu_status add_loom(struct search *search, const char *folder, const char *name) {
    struct loom loom = {search, folder, name};
    const char *path = under_root(search->list, folder);
    if (!path)
        return quipu__no_memory(search->err, 0);
    return quipu__stored_visit(search->list->memory, path, visit_process, &loom, search->err);
}

static enum quipu_status visit_loom(void *context, const char *name) {
    struct search *search = context;
    bool is_new = false;
    if (strncmp(name, QUIPU__OVNI_LOOM_PREFIX, sizeof QUIPU__OVNI_LOOM_PREFIX - 1) != 0)
        return QUIPU_OK;
    const char *folder = join(search->list, "", name);
    const enum quipu_status status = enter(search, folder, &is_new);
    return is_new ? add_loom(search, folder, folder + sizeof QUIPU__OVNI_LOOM_PREFIX - 1) : status;
}

/* The name of a folder above the root, without prefix; NULL when it has another prefix. */
static const char *name_above(struct quipu__ovni_files *list, unsigned levels, const char *prefix) {
    size_t end = strlen(list->root), begin;
    for (;;) {
        while (end > 0 && list->root[end - 1] == '/')
            end--;
        begin = end;
        while (begin > 0 && list->root[begin - 1] != '/')
            begin--;
        if (levels-- == 0)
            break;
        end = begin;
    }
    const size_t len = strlen(prefix);
    if (end - begin <= len || strncmp(list->root + begin, prefix, len) != 0)
        return NULL;
    return quipu__arena_text(&list->arena, list->root + begin + len, end - begin - len);
}

/* A trace, or the folder of a loom or of a process. */
static enum quipu_status search_old(struct quipu__ovni_files *list, struct quipu_error *err) {
    struct search search;
    const char *process = name_above(list, 0, QUIPU__OVNI_PROCESS_PREFIX);
    const char *loom = name_above(list, process ? 1 : 0, QUIPU__OVNI_LOOM_PREFIX);
    int64_t pid;
    if (process && quipu__parse_i64(process, strlen(process), &pid))
        return add_process(list, "", loom ? loom : "unknown", pid, err);
    begin_search(&search, list, err);
    const enum quipu_status status =
        loom ? add_loom(&search, "", loom)
             : quipu__stored_visit(list->memory, list->root, visit_loom, &search, err);
    end_search(&search);
    return status;
}

/* ---- One stream ---- */

static enum quipu_status set_root(struct quipu__ovni_files *list, const char *path, bool is_folder,
                                  struct quipu_error *err) {
    const size_t len = is_folder ? strlen(path) : (size_t)(quipu__base_name(path) - path);
    size_t end = len;
    while (end > 1 && path[end - 1] == '/')
        end--;
    list->root = end ? quipu__arena_text(&list->arena, path, end) : ".";
    return list->root ? QUIPU_OK : quipu__no_memory(err, len);
}

/* A stream is some folders below its trace. */
static enum quipu_status refuse_broken_off(struct quipu__ovni_files *list, struct quipu_error *err) {
    static const char *const above[] = {"", "..", "../..", "../../.."};
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < sizeof above / sizeof *above && status == QUIPU_OK; i++) {
        const char *folder = under_root(list, above[i]);
        status = folder ? quipu__outputs_refuse_broken_off(folder, true, err) : quipu__no_memory(err, 0);
    }
    return status;
}

/* Opens the folder of a file, but only the stream with the file's name. */
static enum quipu_status open_file(struct quipu__ovni_files *list, const char *path, struct quipu_error *err) {
    const char *base = quipu__base_name(path);
    const char *name = quipu__arena_text(&list->arena, base, quipu__stored_len(base));
    enum quipu_status status = name ? refuse_broken_off(list, err) : quipu__no_memory(err, strlen(base));
    if (status != QUIPU_OK)
        return status;
    if (strcmp(name, QUIPU__OVNI_STREAM_FILE) == 0 || strcmp(name, QUIPU__OVNI_STREAM_METADATA) == 0)
        return add_new(list, "", err);
    status = search_old(list, err);
    for (size_t i = 0; i < list->streams.count;) {
        if (strcmp(list->streams.items[i].relative, name) == 0) {
            i++;
            continue;
        }
        json_decref(list->streams.items[i].metadata);
        memmove(&list->streams.items[i], &list->streams.items[i + 1],
                (list->streams.count - i - 1) * sizeof *list->streams.items);
        list->streams.count--;
    }
    return status;
}

/* ---- A trace ---- */

static int compare_streams(const void *left, const void *right) {
    return strcmp(((const struct quipu__ovni_stream *)left)->name,
                  ((const struct quipu__ovni_stream *)right)->name);
}

static enum quipu_status find_requirements(struct quipu__ovni_files *list, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < list->streams.count && status == QUIPU_OK; i++) {
        struct quipu__ovni_stream *stream = &list->streams.items[i];
        if (stream->layout < list->layout || i == 0)
            list->layout = stream->layout;
        if (stream->layout != QUIPU__OVNI_LAYOUT_3 && stream->metadata && !stream->is_missing &&
            !quipu__ovni_json_at(stream->metadata, "ovni.require"))
            status = quipu__ovni_require_found(list, stream, err);
    }
    return status;
}

static enum quipu_status search_trace(struct quipu__ovni_files *list, const char *path,
                                      struct quipu_error *err) {
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    const bool is_folder = kind == QUIPU__PATH_DIRECTORY;
    enum quipu_status status = QUIPU_OK;
    if (kind == QUIPU__PATH_UNREADABLE) { /* the names of all streams depend on it */
        status = quipu__fail_errno(err, QUIPU_IO, errno, "open failed");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return status;
    }
    status = set_root(list, path, is_folder, err);
    if (status != QUIPU_OK)
        return status;
    if (!is_folder)
        return open_file(list, path, err);
    status = search_streams(list, err);
    if (status == QUIPU_OK && list->sidecars.count == 0)
        status = search_old(list, err);
    return status;
}

static void begin(struct quipu__ovni_files *list, struct quipu__memory *memory, struct quipu__files *pool,
                  struct quipu_findings *findings) {
    *list = (struct quipu__ovni_files){
        .memory = memory, .pool = pool, .findings = findings, .layout = QUIPU__OVNI_LAYOUT_3};
    quipu__arena_init(&list->arena, memory);
    list->charge.memory = memory;
}

static enum quipu_status open_path(struct quipu__ovni_files *list, const char *path, struct quipu_error *err) {
    enum quipu_status status = search_trace(list, path, err);
    if (status == QUIPU_OK && list->streams.count > 1)
        qsort(list->streams.items, list->streams.count, sizeof *list->streams.items, compare_streams);
    if (status == QUIPU_OK)
        status = find_requirements(list, err);
    list->offsets_position = status == QUIPU_OK ? under_root(list, QUIPU__OVNI_OFFSETS_FILE) : NULL;
    if (list->offsets_position && is_file(list->offsets_position, NULL))
        list->offsets = list->offsets_position;
    if (status == QUIPU_OK)
        status = quipu__memory_status(list->memory, err);
    if (status != QUIPU_OK)
        quipu__ovni_files_close(list);
    return status;
}

enum quipu_status quipu__ovni_files_open(struct quipu__ovni_files *list, struct quipu__memory *memory,
                                         struct quipu__files *pool, struct quipu_findings *findings,
                                         const char *path, struct quipu_error *err) {
    begin(list, memory, pool, findings);
    return open_path(list, path, err);
}

enum quipu_status quipu__ovni_files_open_folder(struct quipu__ovni_files *list, struct quipu__memory *memory,
                                                struct quipu__files *pool, struct quipu_findings *findings,
                                                const char *path, struct quipu_error *err) {
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    const int number = kind == QUIPU__PATH_UNREADABLE ? errno : ENOTDIR;
    begin(list, memory, pool, findings);
    if (kind == QUIPU__PATH_DIRECTORY) {
        list->fence = (struct quipu__fence){.trace = path, .is_folder = true};
        pool->fence = &list->fence;
        return open_path(list, path, err);
    }
    const enum quipu_status status = quipu__fail_errno(err, QUIPU_IO, number, "there is no trace");
    quipu__at(err, path, QUIPU_UNKNOWN);
    return status;
}

void quipu__ovni_files_close(struct quipu__ovni_files *list) {
    for (size_t i = 0; i < list->streams.count; i++)
        json_decref(list->streams.items[i].metadata);
    for (size_t i = 0; i < list->sidecars.count; i++)
        json_decref(list->sidecars.items[i].json);
    QUIPU__VEC_RELEASE(list->memory, &list->streams);
    QUIPU__VEC_RELEASE(list->memory, &list->sidecars);
    quipu__charge_release(&list->charge);
    quipu__arena_release(&list->arena);
}
