/* files.c: which files belong to a trace, and opening them.
 *
 * The folder is read once to find the files; the master control file says which of them count. Without it all of
 * them do. Files of a stream that the master does not name are left over from an older trace of the same name: OTF's
 * tools ignore them, and so does this reader, with a notice.
 */
#include "formats/otf/format.h"

#include "core/error.h"
#include "core/os.h"
#include "core/files/stored.h"
#include "core/text.h"
#include "formats/otf/file_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MASTER_WINDOW ((size_t)64 << 10)

/* What the folder holds. */
struct folder {
    struct quipu__otf_trace *own;
    const char *base; /* the stub without folders */
    size_t base_len;
    QUIPU__VEC(struct quipu__otf_stream_file) found;
    bool has_master, is_empty;
    bool is_doubtful;             /* the master is damaged: it may have lost streams */
    QUIPU__VEC(uint32_t) streams; /* of the master, in its order at first, then ascending */
    uint32_t masters;             /* when looking for the only one: how many there are */
    const char *only_master;
    bool is_out_of_memory;
};

static char *text_of(struct quipu__otf_trace *own, const char *text, size_t len) {
    return quipu__arena_text(&own->trace->define->arena, text, len);
}

/* ---- The stub ---- */

static enum quipu_status count_master(void *context, const char *name) {
    struct folder *folder = context;
    if (!quipu__ends_with(name, QUIPU__OTF_MASTER_SUFFIX))
        return QUIPU_OK;
    folder->masters++;
    folder->only_master = text_of(folder->own, name, strlen(name));
    return folder->only_master ? QUIPU_OK : QUIPU_END;
}

static enum quipu_status stub_of_directory(struct quipu__otf_trace *own, const char *path,
                                           struct quipu_error *err) {
    struct folder folder = {.own = own};
    const enum quipu_status status = quipu__stored_visit(own->trace->memory, path, count_master, &folder, err);
    if (status < QUIPU_OK)
        return status;
    if (folder.masters != 1) {
        quipu__fail(err, QUIPU_NOT_FOUND, "the directory holds %" PRIu32 " master control files (*.otf)",
                    folder.masters);
        quipu__at(err, path, QUIPU_UNKNOWN);
        quipu__advise(err, "name one of them");
        return QUIPU_NOT_FOUND;
    }
    const size_t len = strlen(path), name_len = strlen(folder.only_master) - strlen(QUIPU__OTF_MASTER_SUFFIX);
    char *stub = quipu__arena_alloc(&own->trace->define->arena, len + name_len + 2);
    if (!stub)
        return quipu__no_memory(err, len + name_len + 2);
    snprintf(stub, len + name_len + 2, "%s%s%.*s", path, len && path[len - 1] == '/' ? "" : "/", (int)name_len,
             folder.only_master);
    own->stub = stub;
    return QUIPU_OK;
}

/* A directory, the master control file, a part, or the stub itself. */
static enum quipu_status find_stub(struct quipu__otf_trace *own, struct quipu_error *err) {
    const char *path = own->trace->path;
    struct quipu__otf_name name;
    if (quipu__path_kind(path, NULL) == QUIPU__PATH_DIRECTORY)
        return stub_of_directory(own, path, err);
    const char *bare = text_of(own, path, quipu__stored_len(path));
    if (!bare)
        return quipu__no_memory(err, strlen(path));
    const size_t len = quipu__otf_parse_name(bare, &name) ? name.stub_len : strlen(bare);
    own->stub = text_of(own, bare, len);
    return own->stub ? QUIPU_OK : quipu__no_memory(err, len);
}

/* ---- What the folder holds ---- */

static enum quipu_status add_found(void *context, const char *file_name) {
    struct folder *folder = context;
    struct quipu__otf_name name;
    if (strncmp(file_name, folder->base, folder->base_len) != 0 || !quipu__otf_parse_name(file_name, &name) ||
        name.stub_len != folder->base_len)
        return QUIPU_OK;
    if (name.file == QUIPU__OTF_MASTER) {
        folder->has_master = true;
        return QUIPU_OK;
    }
    struct quipu__otf_stream_file *stream_file = QUIPU__VEC_ADD(folder->own->trace->memory, &folder->found);
    folder->is_out_of_memory = !stream_file;
    if (!stream_file)
        return QUIPU_END;
    *stream_file =
        (struct quipu__otf_stream_file){.file = name.file, .id = name.id, .compressed = name.compressed};
    return QUIPU_OK;
}

static enum quipu_status look(struct folder *folder, struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    folder->base = quipu__base_name(own->stub);
    folder->base_len = strlen(folder->base);
    const size_t len = (size_t)(folder->base - own->stub);
    const char *path = len == 0 ? "." : text_of(own, own->stub, len);
    if (!path)
        return quipu__no_memory(err, len);
    const enum quipu_status status = quipu__stored_visit(own->trace->memory, path, add_found, folder, err);
    if (folder->is_out_of_memory)
        return quipu__no_memory(err, sizeof(struct quipu__otf_stream_file));
    return status == QUIPU_END ? QUIPU_OK : status;
}

static int compare_files(const void *left, const void *right) {
    const struct quipu__otf_stream_file *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (int)a->compressed - (int)b->compressed;
}

static int compare_ids(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* ---- The master control file ---- */

static const char *master_path(const struct quipu__otf_trace *own) {
    const size_t size = strlen(own->stub) + sizeof QUIPU__OTF_MASTER_SUFFIX;
    char *path = quipu__arena_alloc(&own->trace->define->arena, size);
    if (path)
        snprintf(path, size, "%s%s", own->stub, QUIPU__OTF_MASTER_SUFFIX);
    return path;
}

/* A mapping of stream 0 or ffffffff is refused, and so is a process that is already mapped. */
static bool map_stream(struct folder *folder, const char *path, const struct quipu__otf_MasterStream *line) {
    struct quipu__otf_trace *own = folder->own;
    if (line->stream == QUIPU__OTF_GLOBAL_STREAM || line->stream > QUIPU__OTF_LAST_STREAM) {
        quipu__otf_find(own, QUIPU__OTF_RULE_BAD_MASTER_LINE, path, "a stream from 1 to fffffffe",
                        "stream %" PRIx32, line->stream);
        folder->is_doubtful = true;
        return true;
    }
    uint32_t *stream = QUIPU__VEC_ADD(own->trace->memory, &folder->streams);
    if (!stream)
        return false;
    *stream = line->stream;
    for (uint32_t i = 0; i < quipu_sized_count(line->processes); i++) {
        const uint32_t before = quipu__map_get(&own->mapping, line->processes[i]);
        if (before != QUIPU_NONE)
            quipu__otf_find(own, QUIPU__OTF_RULE_BAD_MASTER_LINE, path, "each process in one stream",
                            "process %" PRIu32 " in streams %" PRIx32 " and %" PRIx32, line->processes[i],
                            before, line->stream);
        else if (!quipu__map_put(&own->mapping, line->processes[i], line->stream))
            return false;
    }
    return true;
}

/* Comments, which begin with #, and empty lines. */
static bool is_comment(const uint8_t *at, const uint8_t *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at == end || *at == '#';
}

/* Reports what follows the last process, which OTF's library ignores, unless it is only carriage returns. */
static void find_ignored_text(struct folder *folder, const char *path, const uint8_t *begin,
                              const uint8_t *end) {
    const uint8_t *p = begin;
    while (p < end && (quipu__keyed_is_in_list(*p) || *p == ':' || *p == '\r' || *p == '\n'))
        p++;
    if (p < end)
        quipu__otf_find(folder->own, QUIPU__OTF_RULE_MASTER_TEXT, path, "the end of the line", "%.*s",
                        (int)(end - p > 40 ? 40 : end - p - (end[-1] == '\n')), (const char *)p);
}

static bool use_master_line(struct folder *folder, const char *path, struct quipu__keyed_lines *lines,
                            struct quipu__scratch *scratch) {
    const uint8_t *begin = lines->p;
    union quipu__otf_any data;
    switch (quipu__otf_parse_master(lines, scratch, &data)) {
    case QUIPU__OTF_MASTER_STREAM:
        find_ignored_text(folder, path, begin, lines->p);
        return map_stream(folder, path, &data.MasterStream);
    case QUIPU__OTF_MASTER_SERVERS:
        folder->own->servers = data.MasterServers;
        return true;
    case QUIPU__OTF_MASTER_MALFORMED:
        quipu__otf_find(folder->own, QUIPU__OTF_RULE_BAD_MASTER_LINE, path, "i<servers>:<1 or 2>:<bits>",
                        "a malformed line of shared files");
        return true;
    case QUIPU__OTF_MASTER_OTHER:
        if (is_comment(begin, lines->p))
            return true;
        quipu__otf_find(folder->own, QUIPU__OTF_RULE_BAD_MASTER_LINE, path, "STREAM:PROCESS,PROCESS",
                        "an odd line");
        folder->is_doubtful = true;
        return true;
    case QUIPU__OTF_MASTER_NO_ROOM:
        break;
    }
    return false;
}

static enum quipu_status read_master_lines(struct folder *folder, const char *path, struct quipu__input *input,
                                           struct quipu_error *err) {
    struct quipu__scratch scratch;
    enum quipu_status status = QUIPU_OK;
    bool done = true;
    quipu__scratch_init(&scratch, folder->own->trace->memory);
    while (status == QUIPU_OK && done) {
        const size_t left = (size_t)(input->end - input->at);
        if (left == 0 || !memchr(input->at, '\n', left)) {
            if (input->ended && left > 0) {
                folder->is_doubtful = true;
                quipu__otf_find(folder->own, QUIPU__OTF_RULE_BAD_MASTER_LINE, path, "",
                                "the last line has no end");
            }
            if (input->ended)
                break;
            status = quipu__input_widen(input, err);
            continue;
        }
        struct quipu__keyed_lines lines = {
            .grammar = &quipu__otf_grammar, .kind = QUIPU__OTF_MASTER, .p = input->at, .end = input->end};
        quipu__scratch_reset(&scratch);
        done = use_master_line(folder, path, &lines, &scratch);
        input->at = lines.p;
    }
    quipu__scratch_release(&scratch);
    return done ? status : quipu__no_memory(err, MASTER_WINDOW);
}

static enum quipu_status read_master(struct folder *folder, struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    struct quipu__input *input;
    const char *path = master_path(own);
    if (!path)
        return quipu__no_memory(err, strlen(own->stub));
    enum quipu_status status =
        quipu__input_open(own->trace->files, path, QUIPU__CODEC_SEEK, MASTER_WINDOW, &input, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__trace_add_file(own->trace, path, err);
    if (status == QUIPU_OK)
        status = read_master_lines(folder, path, input, err);
    folder->is_empty = input->end_offset == 0;
    quipu__input_close(input);
    own->has_mapping = own->mapping.count > 0;
    if (folder->streams.count > 0)
        qsort(folder->streams.items, folder->streams.count, sizeof *folder->streams.items, compare_ids);
    return status;
}

/* ---- The list of parts ---- */

static enum quipu_status add_file(struct quipu__otf_trace *own,
                                  const struct quipu__otf_stream_file *stream_file, const char *path,
                                  bool missing, struct quipu_error *err) {
    static const enum quipu_stream_kind kinds[] = {
        [QUIPU__OTF_DEFINITIONS] = QUIPU_STREAM_DEFINITIONS, [QUIPU__OTF_EVENTS] = QUIPU_STREAM_EVENTS,
        [QUIPU__OTF_SNAPSHOTS] = QUIPU_STREAM_SNAPSHOTS,     [QUIPU__OTF_STATISTICS] = QUIPU_STREAM_STATISTICS,
        [QUIPU__OTF_MARKERS] = QUIPU_STREAM_MARKERS,         [QUIPU__OTF_MASTER] = QUIPU_STREAM_OTHER};
    struct quipu__trace *trace = own->trace;
    struct quipu_stream *stream = QUIPU__VEC_ADD(trace->memory, &trace->streams);
    struct quipu__otf_stream_file *copy = stream ? QUIPU__VEC_ADD(trace->memory, &own->stream_files) : NULL;
    if (!copy)
        return quipu__no_memory(err, sizeof *stream);
    const char *name = quipu__base_name(path) + strlen(quipu__base_name(own->stub)) + 1;
    char found[QUIPU__STORED_PATH_BYTES];
    uint64_t bytes = QUIPU_UNKNOWN;
    const enum quipu__path_kind kind = quipu__stored_find(path, found, &bytes);
    if (kind == QUIPU__PATH_FILE && strcmp(found, path) != 0 && !(path = text_of(own, found, strlen(found))))
        return quipu__no_memory(err, sizeof found);
    if (kind == QUIPU__PATH_UNREADABLE && !missing) {
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        quipu__fail_errno(&trouble, QUIPU_IO, errno, "open failed");
        quipu__find_unreadable(trace->findings, path, &trouble);
    }
    *copy = *stream_file;
    *stream = (struct quipu_stream){
        .name = name,
        .path = path,
        .kind = kinds[stream_file->file],
        .native_id = stream_file->id,
        .substreams =
            stream_file->file == QUIPU__OTF_DEFINITIONS || stream_file->file == QUIPU__OTF_MASTER ? 0 : 1,
        .bytes = stream_file->packed ? QUIPU_UNKNOWN : bytes,
        .missing = missing};
    if (missing)
        stream->bytes = 0;
    if (stream->bytes != QUIPU_UNKNOWN)
        trace->bytes_total += stream->bytes;
    return QUIPU_OK;
}

static char *file_path(const struct quipu__otf_trace *own, const struct quipu__otf_stream_file *stream_file) {
    const size_t size = strlen(own->stub) + 32;
    char *path = quipu__arena_alloc(&own->trace->define->arena, size);
    if (path)
        snprintf(path, size, "%s.%" PRIx32 ".%s%s", own->stub, stream_file->id,
                 quipu__otf_kind_name(stream_file->file),
                 stream_file->compressed ? QUIPU__OTF_COMPRESSED_SUFFIX : "");
    return path;
}

/* Whether shared files have numbers in their names. */
static bool are_numbered(const struct quipu__otf_trace *own) {
    return own->servers.mode == 1 && own->servers.servers;
}
static uint32_t packed_server(const struct quipu__otf_trace *own, uint32_t id) {
    return are_numbered(own) ? (id & own->servers.streamBits) % own->servers.servers : 0;
}

/* The name of the shared file that holds the parts of a stream ("all"), or of its index ("idx"), into path. */
static void packed_path(const struct quipu__otf_trace *own, const struct quipu__otf_stream_file *stream_file,
                        const char *what, char *path, size_t size) {
    const char *kind = quipu__otf_kind_name(stream_file->file);
    if (are_numbered(own))
        snprintf(path, size, "%s.%s.%s.%" PRId32, own->stub, what, kind,
                 (int32_t)packed_server(own, stream_file->id));
    else
        snprintf(path, size, "%s.%s.%s", own->stub, what, kind);
}

/* Bytes of such a name. */
static size_t packed_path_bytes(const struct quipu__otf_trace *own) {
    return strlen(own->stub) + 48;
}

static char *packed_file_path(const struct quipu__otf_trace *own,
                              const struct quipu__otf_stream_file *stream_file) {
    char *path = quipu__arena_alloc(&own->trace->define->arena, packed_path_bytes(own));
    if (path)
        packed_path(own, stream_file, "all", path, packed_path_bytes(own));
    return path;
}

static bool is_mapped(const struct folder *folder, uint32_t id) {
    if (id == QUIPU__OTF_GLOBAL_STREAM || !folder->has_master || folder->is_doubtful)
        return true;
    const size_t count = folder->streams.count;
    return count > 0 && bsearch(&id, folder->streams.items, count, sizeof id, compare_ids);
}

/* Adds existing files, in the order of kinds and streams; a plain file hides a compressed one. */
static enum quipu_status add_files(struct folder *folder, struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    const struct quipu__otf_stream_file *last = NULL;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < folder->found.count && status == QUIPU_OK; i++) {
        const struct quipu__otf_stream_file *stream_file = &folder->found.items[i];
        const bool is_hidden = last && last->file == stream_file->file && last->id == stream_file->id;
        const char *path = file_path(own, stream_file);
        last = stream_file;
        if (!path)
            return quipu__no_memory(err, strlen(own->stub));
        if (!is_mapped(folder, stream_file->id))
            quipu__otf_find(own, QUIPU__OTF_RULE_UNMAPPED_FILE, path, "", "stream %" PRIx32, stream_file->id);
        else if (!is_hidden)
            status = add_file(own, stream_file, path, false, err);
        else
            status = quipu__trace_add_file(own->trace, path, err);
    }
    return status;
}

static bool has_found(const struct folder *folder, enum quipu__otf_file file, uint32_t id) {
    for (int compressed = 0; compressed < 2 && folder->found.count > 0; compressed++) {
        const struct quipu__otf_stream_file key = {.file = file, .id = id, .compressed = compressed};
        if (bsearch(&key, folder->found.items, folder->found.count, sizeof key, compare_files))
            return true;
    }
    return false;
}

/* Whether the master names a stream that has no events: then it may have lost others. */
static bool names_missing_stream(const struct folder *folder) {
    for (size_t i = 0; i < folder->streams.count && !folder->own->servers.mode; i++)
        if (!has_found(folder, QUIPU__OTF_EVENTS, folder->streams.items[i]))
            return true;
    return folder->streams.count == 0;
}

/* A part of a shared file, which has an index beside it. */
static enum quipu_status add_packed_file(struct quipu__otf_trace *own,
                                         const struct quipu__otf_stream_file *stream_file, const char *path,
                                         struct quipu_error *err) {
    char *index = quipu__arena_alloc(&own->trace->define->arena, packed_path_bytes(own));
    if (!index)
        return quipu__no_memory(err, packed_path_bytes(own));
    packed_path(own, stream_file, "idx", index, packed_path_bytes(own));
    const enum quipu_status status = quipu__trace_add_file(own->trace, index, err);
    return status == QUIPU_OK ? add_file(own, stream_file, path, false, err) : status;
}

/* Adds the files of one kind. Neighbouring streams often share a file. */
static enum quipu_status add_packed_kind(struct folder *folder, enum quipu__otf_file file,
                                         struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    enum quipu_status status = QUIPU_OK;
    const char *path = NULL;
    uint32_t server = 0;
    bool is_there = false;
    for (size_t i = 0; i < folder->streams.count && status == QUIPU_OK; i++) {
        const struct quipu__otf_stream_file stream_file = {
            .file = file, .id = folder->streams.items[i], .packed = true};
        if (i > 0 && stream_file.id == folder->streams.items[i - 1])
            continue;
        if (!path || packed_server(own, stream_file.id) != server) {
            server = packed_server(own, stream_file.id);
            path = packed_file_path(own, &stream_file);
            if (!path)
                return quipu__no_memory(err, strlen(own->stub));
            is_there = quipu__stored_find(path, NULL, NULL) == QUIPU__PATH_FILE;
        }
        if (is_there)
            status = add_packed_file(own, &stream_file, path, err);
    }
    return status;
}

/* Adds the files in shared files. Only reading its index shows that a stream lacks a kind. */
static enum quipu_status add_packed(struct folder *folder, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned file = 0; file < QUIPU__OTF_STREAM_FILES && status == QUIPU_OK; file++)
        status = add_packed_kind(folder, (enum quipu__otf_file)file, err);
    return status;
}

/* Whether there is a file that can hold the events of a stream. */
static bool has_events_file(const struct folder *folder, const struct quipu__otf_stream_file *events,
                            const char *path) {
    return has_found(folder, QUIPU__OTF_EVENTS, events->id) ||
           (events->packed && quipu__stored_find(path, NULL, NULL) == QUIPU__PATH_FILE);
}

/* Streams that the master names without events. */
static enum quipu_status add_missing(struct folder *folder, struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < folder->streams.count && status == QUIPU_OK; i++) {
        const struct quipu__otf_stream_file stream_file = {
            .file = QUIPU__OTF_EVENTS, .id = folder->streams.items[i], .packed = own->servers.mode != 0};
        if (i > 0 && stream_file.id == folder->streams.items[i - 1])
            continue;
        const char *path =
            stream_file.packed ? packed_file_path(own, &stream_file) : file_path(own, &stream_file);
        if (!path)
            return quipu__no_memory(err, strlen(own->stub));
        if (has_events_file(folder, &stream_file, path))
            continue;
        quipu__otf_find(own, QUIPU__OTF_RULE_MISSING_FILE, path, "a file of events", "stream %" PRIx32,
                        stream_file.id);
        status = add_file(own, &stream_file, path, true, err);
    }
    return status;
}

/* OTF's writer leaves an empty master control file, or one without streams, for a trace without processes; so do
 * writers that end before they write it. */
static void report_no_streams(const struct folder *folder, const char *path) {
    size_t count = 0;
    for (size_t i = 0; i < folder->found.count; i++)
        count += folder->found.items[i].id != QUIPU__OTF_GLOBAL_STREAM;
    quipu__otf_find(folder->own, count > 0 ? QUIPU__OTF_RULE_LOST_STREAMS : QUIPU__OTF_RULE_NO_STREAMS, path,
                    "STREAM:PROCESS,PROCESS", "%zu files of streams", count);
}

static enum quipu_status add_master(struct folder *folder, struct quipu_error *err) {
    const struct quipu__otf_stream_file stream_file = {.file = QUIPU__OTF_MASTER};
    const char *path = master_path(folder->own);
    if (!path)
        return quipu__no_memory(err, strlen(folder->own->stub));
    if (folder->has_master && folder->streams.count == 0)
        report_no_streams(folder, path);
    if (folder->has_master)
        return add_file(folder->own, &stream_file, path, false, err);
    quipu__otf_find(folder->own, QUIPU__OTF_RULE_NO_MASTER, path, "", "%zu files", folder->found.count);
    return QUIPU_OK;
}

static const char *fault_of_master(const struct folder *folder) {
    if (!folder->has_master)
        return "no master control file";
    return folder->is_empty ? "the master control file is empty"
                            : "no line of the master control file is STREAM:PROCESS,PROCESS";
}

/* There is no file except perhaps the master: it is other text with this suffix, or nothing is left of the trace. */
static enum quipu_status refuse_nothing(const struct folder *folder, struct quipu_error *err) {
    struct quipu__otf_trace *own = folder->own;
    const char *base = quipu__base_name(own->stub);
    if (folder->streams.count > 0)
        quipu__fail(err, QUIPU_TRUNCATED, "none of the files of %zu streams exists", folder->streams.count);
    else
        quipu__fail(err, QUIPU_UNKNOWN_FORMAT, "not an OTF trace: %s and no file of a stream exists",
                    fault_of_master(folder));
    quipu__at(err, own->trace->path, QUIPU_UNKNOWN);
    quipu__advise(err, "put the files %s.0.def, %s.1.events, ... beside it", base, base);
    return folder->streams.count > 0 ? QUIPU_TRUNCATED : QUIPU_UNKNOWN_FORMAT;
}

static enum quipu_status refuse_broken_off(const struct quipu__otf_trace *own, struct quipu_error *err) {
    const char *path = master_path(own);
    return path ? quipu__outputs_refuse_broken_off(path, false, err) : quipu__no_memory(err, strlen(own->stub));
}

static enum quipu_status note_master(struct folder *folder, struct quipu_error *err) {
    return folder->has_master ? read_master(folder, err) : refuse_broken_off(folder->own, err);
}

static enum quipu_status sort_found(struct folder *folder, struct quipu_error *err) {
    if (folder->found.count > 0)
        qsort(folder->found.items, folder->found.count, sizeof *folder->found.items, compare_files);
    folder->is_doubtful |= names_missing_stream(folder);
    return folder->found.count == 0 && !folder->own->servers.mode ? refuse_nothing(folder, err) : QUIPU_OK;
}

static enum quipu_status add_packed_if_any(struct folder *folder, struct quipu_error *err) {
    return folder->own->servers.mode ? add_packed(folder, err) : QUIPU_OK;
}

enum quipu_status quipu__otf_find_files(struct quipu__otf_trace *own, struct quipu_error *err) {
    typedef enum quipu_status step(struct folder * folder, struct quipu_error * err);
    static step *const steps[] = {look,      note_master,       sort_found, add_master,
                                  add_files, add_packed_if_any, add_missing};
    struct folder folder = {.own = own};
    enum quipu_status status = find_stub(own, err);
    for (size_t i = 0; status == QUIPU_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&folder, err);
    QUIPU__VEC_RELEASE(own->trace->memory, &folder.found);
    QUIPU__VEC_RELEASE(own->trace->memory, &folder.streams);
    return status;
}

/* ---- Opening a file ---- */

/* One line of an index: <stream id in hex>:<offset>:<length>, the last two decimal. */
static bool parse_block(const char *line, uint32_t *id, uint64_t *offset, uint64_t *length) {
    return sscanf(line, "%" SCNx32 ":%" SCNu64 ":%" SCNu64, id, offset, length) == 3;
}

/* Appends a block of the shared file to the bytes of the stream's file. */
static enum quipu_status read_block(struct quipu__input *shared, uint64_t offset, uint64_t length,
                                    struct quipu__buffer *out, struct quipu_error *err) {
    enum quipu_status status = quipu__input_seek(shared, offset, err);
    while (status == QUIPU_OK && length > 0) {
        status = quipu__input_more(shared, 1, err);
        const size_t left = (size_t)(shared->end - shared->at), size = length < left ? (size_t)length : left;
        if (status == QUIPU_OK && size == 0)
            return QUIPU_END;
        quipu__put(out, shared->at, size);
        shared->at += size;
        length -= size;
    }
    return status == QUIPU_OK && out->failed ? quipu__no_memory(err, out->len) : status;
}

static enum quipu_status read_blocks(const struct quipu__otf_trace *own,
                                     const struct quipu__otf_stream_file *stream_file, const char *index_path,
                                     struct quipu__input *index, struct quipu__input *shared,
                                     struct quipu__buffer *out, struct quipu_error *err) {
    enum quipu_status status = quipu__input_more(index, MASTER_WINDOW, err);
    while (status == QUIPU_OK) {
        char line[80] = "";
        uint32_t id;
        uint64_t offset, length;
        const size_t left = (size_t)(index->end - index->at);
        const uint8_t *newline = left ? memchr(index->at, '\n', left) : NULL;
        if (!newline)
            return QUIPU_OK;
        const size_t len = (size_t)(newline - index->at);
        memcpy(line, index->at, len < sizeof line - 1 ? len : sizeof line - 1);
        index->at = newline + 1;
        const bool is_block = parse_block(line, &id, &offset, &length);
        if (is_block && id == stream_file->id)
            status = read_block(shared, offset, length, out, err);
        if (!is_block || status == QUIPU_END) {
            quipu__otf_find(own, QUIPU__OTF_RULE_BAD_INDEX, index_path, "stream:offset:length", "%s", line);
            status = QUIPU_OK;
        }
        if (status == QUIPU_OK)
            status = quipu__input_more(index, sizeof line, err);
    }
    return status;
}

/* Joins the blocks of a packed file in memory. path has room for a name. */
static enum quipu_status open_packed(const struct quipu__otf_trace *own,
                                     const struct quipu__otf_stream_file *stream_file, char *path,
                                     struct quipu__buffer *blocks, struct quipu__input **out,
                                     struct quipu_error *err) {
    struct quipu__files *files = own->trace->files;
    struct quipu__input *index = NULL, *shared = NULL;
    const size_t size = packed_path_bytes(own);
    packed_path(own, stream_file, "all", path, size);
    enum quipu_status status = quipu__input_open(files, path, QUIPU__CODEC_SEEK, MASTER_WINDOW, &shared, err);
    packed_path(own, stream_file, "idx", path, size);
    if (status != QUIPU_OK)
        return status;
    status = quipu__input_open(files, path, QUIPU__CODEC_SEEK, MASTER_WINDOW, &index, err);
    if (status != QUIPU_OK)
        goto close_shared;
    status = read_blocks(own, stream_file, path, index, shared, blocks, err);
    quipu__input_close(index);
close_shared:
    quipu__input_close(shared);
    return status == QUIPU_OK ? quipu__input_memory(files, blocks->data, blocks->len, out, err) : status;
}

void quipu__otf_lose_file(const struct quipu__otf_trace *own, uint32_t stream_file, enum quipu_status status,
                          const struct quipu_error *trouble) {
    const char *path = own->trace->streams.items[stream_file].path;
    if (status == QUIPU_IO)
        quipu__find_unreadable(own->trace->findings, path, trouble);
    else
        quipu__otf_find(own,
                        status == QUIPU_NOT_FOUND ? QUIPU__OTF_RULE_MISSING_FILE : QUIPU__OTF_RULE_UNUSABLE,
                        path, "", "%s", trouble->message);
}

enum quipu_status quipu__otf_open_file(const struct quipu__otf_trace *own, uint32_t number, size_t window,
                                       struct quipu__input **out, void **packed, size_t *packed_size,
                                       struct quipu_error *err) {
    const struct quipu__otf_stream_file *stream_file = &own->stream_files.items[number];
    *packed = NULL;
    *packed_size = 0;
    if (stream_file->packed) {
        struct quipu__buffer blocks;
        char *path = quipu__alloc(own->trace->memory, packed_path_bytes(own));
        if (!path)
            return quipu__no_memory(err, packed_path_bytes(own));
        quipu__buffer_init(&blocks, own->trace->memory, 0);
        const enum quipu_status status = open_packed(own, stream_file, path, &blocks, out, err);
        quipu__release(own->trace->memory, path, packed_path_bytes(own));
        *packed = blocks.data;
        *packed_size = blocks.capacity;
        return status;
    }
    const enum quipu__codec codec = stream_file->compressed ? QUIPU__CODEC_ZLIB : QUIPU__CODEC_SEEK;
    return quipu__input_open(own->trace->files, own->trace->streams.items[number].path, codec, window, out,
                             err);
}
