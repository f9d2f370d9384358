/* identity.c: see identity.h. A file is size, inode, both times and checksum, in the order of the trace's files, each file once. */
#include "index/identity.h"

#include "core/checksum.h"
#include "core/error.h"
#include "core/memory/map.h"
#include "core/os.h"
#include "core/memory/pack.h"
#include "core/files/stored.h"

#include <errno.h>

/* ---- All but the files ---- */

static void pack_text(struct quipu__buffer *out, const char *text) {
    quipu__pack_bytes(out, text, strlen(text));
}

static void put_definitions(const struct quipu_definitions *definitions, struct quipu__buffer *out) {
    quipu__pack_u64(out, definitions->clock.ticks_per_second);
    quipu__pack_u64(out, definitions->clock.per_seconds);
    quipu__pack_i64(out, definitions->clock.origin);
#define QUIPU_DEFINITION(plural, singular, doc) quipu__pack_u64(out, definitions->plural.count);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
}

/* Another version may make other events of the same records. */
static void put_reader(const struct quipu__trace *trace, struct quipu__buffer *out) {
    pack_text(out, quipu_version());
    pack_text(out, trace->format->info.name);
}

void quipu__identity_put_reading(const struct quipu__trace *trace, struct quipu__buffer *out) {
    put_reader(trace, out);
    pack_text(out, trace->variant);
    put_definitions(&trace->define->definitions, out);
    for (size_t i = 0; i < trace->streams.count; i++) {
        quipu__pack_u64(out, trace->streams.items[i].missing);
        quipu__pack_u64(out, trace->streams.items[i].substreams);
    }
}

/* ---- Files ---- */

/* Streams may share a file. */
struct files {
    const struct quipu__trace *trace;
    struct quipu__map seen; /* hashes of paths */
    size_t next;
};

static void begin_files(struct files *files, const struct quipu__trace *trace) {
    *files = (struct files){.trace = trace};
    quipu__map_init(&files->seen, trace->memory);
}

/* QUIPU_END behind the last file. */
static enum quipu_status next_file(struct files *files, const char **path, struct quipu_error *err) {
    while ((*path = quipu__identity_file(files->trace, files->next))) {
        files->next++;
        const uint64_t hash = quipu__hash(*path, strlen(*path), files->seen.seed);
        if (quipu__map_get(&files->seen, hash) != QUIPU_NONE)
            continue;
        return quipu__map_put(&files->seen, hash, 0) ? QUIPU_OK : quipu__no_memory(err, sizeof hash);
    }
    return QUIPU_END;
}

/* One that is missing has the size QUIPU_UNKNOWN. */
static enum quipu_status stamp_of(const char *path, struct quipu__file_stamp *out, struct quipu_error *err) {
    char found[QUIPU__STORED_PATH_BYTES];
    *out = (struct quipu__file_stamp){.size = QUIPU_UNKNOWN};
    const enum quipu__path_kind kind = quipu__stored_find(path, found, NULL);
    if (kind == QUIPU__PATH_FILE ? quipu__path_stamp(found, out) : kind != QUIPU__PATH_UNREADABLE)
        return QUIPU_OK;
    quipu__fail_errno(err, QUIPU_IO, errno, "cannot be looked at");
    quipu__at(err, path, QUIPU_UNKNOWN);
    return QUIPU_IO;
}

static enum quipu_status checksum_of(const struct quipu__trace *trace, const char *path, uint32_t *out,
                                     struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(trace->files, path, QUIPU__CODEC_NONE, (size_t)256 << 10, &input, err);
    if (status != QUIPU_OK)
        return status;
    *out = 0;
    while ((status = quipu__input_more(input, 1, err)) == QUIPU_OK && input->at < input->end) {
        *out = quipu__crc32(*out, input->at, (size_t)(input->end - input->at));
        input->at = input->end;
    }
    quipu__input_close(input);
    return status;
}

static void put_stamp(const struct quipu__file_stamp *stamp, struct quipu__buffer *out) {
    quipu__pack_u64(out, stamp->size);
    quipu__pack_u64(out, stamp->inode);
    quipu__pack_i64(out, stamp->modified_ns);
    quipu__pack_i64(out, stamp->changed_ns);
}

struct file {
    const char *path;
    struct quipu__file_stamp then, now;
    uint32_t checksum; /* then */
};

static enum quipu_status take_file(struct files *files, struct quipu__slice *from, struct file *out,
                                   struct quipu_error *err) {
    const enum quipu_status status = next_file(files, &out->path, err);
    if (status != QUIPU_OK)
        return status;
    out->then.size = quipu__unpack_u64(from);
    out->then.inode = quipu__unpack_u64(from);
    out->then.modified_ns = quipu__unpack_i64(from);
    out->then.changed_ns = quipu__unpack_i64(from);
    out->then.is_old = quipu__unpack_up_to(from, 1) == 1;
    out->checksum = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
    return stamp_of(out->path, &out->now, err);
}

/* Whether a file need not be read. */
static bool is_same(const struct file *file) {
    const struct quipu__file_stamp *then = &file->then, *now = &file->now;
    return then->size == QUIPU_UNKNOWN || (then->inode == now->inode && then->modified_ns == now->modified_ns &&
                                           then->changed_ns == now->changed_ns && then->is_old);
}

/* ---- Putting ---- */

static enum quipu_status put_file(const struct quipu__trace *trace, const char *path, struct quipu__buffer *out,
                                  struct quipu_error *err) {
    struct quipu__file_stamp stamp;
    uint32_t checksum = 0;
    enum quipu_status status = stamp_of(path, &stamp, err);
    if (status == QUIPU_OK && stamp.size != QUIPU_UNKNOWN)
        status = checksum_of(trace, path, &checksum, err);
    put_stamp(&stamp, out);
    quipu__pack_u64(out, stamp.is_old);
    quipu__pack_u64(out, checksum);
    return status;
}

static enum quipu_status put_only_stamp(const struct quipu__trace *trace, const char *path,
                                        struct quipu__buffer *out, struct quipu_error *err) {
    struct quipu__file_stamp stamp;
    (void)trace;
    const enum quipu_status status = stamp_of(path, &stamp, err);
    put_stamp(&stamp, out);
    return status;
}

static enum quipu_status put_files(const struct quipu__trace *trace,
                                   enum quipu_status (*put)(const struct quipu__trace *trace, const char *path,
                                                            struct quipu__buffer *out, struct quipu_error *err),
                                   struct quipu__buffer *out, struct quipu_error *err) {
    struct files files;
    const char *path;
    begin_files(&files, trace);
    enum quipu_status status;
    while ((status = next_file(&files, &path, err)) == QUIPU_OK &&
           (status = put(trace, path, out, err)) == QUIPU_OK)
        continue;
    quipu__map_release(&files.seen);
    status = status == QUIPU_END ? QUIPU_OK : status;
    return status == QUIPU_OK && out->failed ? quipu__no_memory(err, out->len) : status;
}

enum quipu_status quipu__identity_put_stamps(const struct quipu__trace *trace, struct quipu__buffer *out,
                                             struct quipu_error *err) {
    return put_files(trace, put_only_stamp, out, err);
}

enum quipu_status quipu__identity_put(const struct quipu__trace *trace, struct quipu__buffer *out,
                                      struct quipu_error *err) {
    struct quipu__buffer reading;
    quipu__buffer_init(&reading, trace->memory, 0);
    quipu__identity_put_reading(trace, &reading);
    enum quipu_status status = reading.failed ? quipu__no_memory(err, reading.len) : QUIPU_OK;
    if (status == QUIPU_OK) {
        quipu__pack_bytes(out, reading.data, reading.len);
        status = put_files(trace, put_file, out, err);
    }
    quipu__buffer_release(&reading);
    return status;
}

/* ---- Comparing ---- */

/* Sizes first: then it is known how many bytes have to be read. */
static enum quipu_status compare_stamps(struct files *files, struct quipu__slice then, bool *is_same_state,
                                        uint64_t *doubtful_bytes, struct quipu_error *err) {
    struct file file;
    enum quipu_status status = QUIPU_OK;
    while (*is_same_state && (status = take_file(files, &then, &file, err)) == QUIPU_OK) {
        *is_same_state = !then.failed && file.then.size == file.now.size;
        if (!is_same(&file))
            *doubtful_bytes += file.now.size;
    }
    if (status == QUIPU_END)
        *is_same_state = then.at == then.end;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status compare_bytes(struct files *files, struct quipu__slice then, bool *is_same_state,
                                       struct quipu_error *err) {
    const bool all = files->trace->options->verify_index;
    struct file file;
    enum quipu_status status = QUIPU_OK;
    while (*is_same_state && (status = take_file(files, &then, &file, err)) == QUIPU_OK) {
        uint32_t now = file.checksum;
        if (file.now.size != QUIPU_UNKNOWN && (all || !is_same(&file)))
            status = checksum_of(files->trace, file.path, &now, err);
        if (status != QUIPU_OK)
            return status;
        *is_same_state = now == file.checksum;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu__index_answer answer_of(enum quipu_status status, bool is_same_state, bool is_uncertain) {
    if (status != QUIPU_OK)
        return QUIPU__INDEX_UNREADABLE;
    if (!is_same_state)
        return QUIPU__INDEX_CHANGED;
    return is_uncertain ? QUIPU__INDEX_UNCERTAIN : QUIPU__INDEX_FITS;
}

static enum quipu__index_answer compare_files(const struct quipu__trace *trace, struct quipu__slice then,
                                              struct quipu_error *why) {
    struct files files;
    bool is_same_state = true;
    uint64_t doubtful_bytes = 0;
    const bool all = trace->options->verify_index;
    begin_files(&files, trace);
    enum quipu_status status = compare_stamps(&files, then, &is_same_state, &doubtful_bytes, why);
    const bool is_uncertain = !all && doubtful_bytes > QUIPU__IDENTITY_BYTES_MOST;
    quipu__map_release(&files.seen);
    begin_files(&files, trace);
    if (status == QUIPU_OK && (all || doubtful_bytes > 0) && !is_uncertain)
        status = compare_bytes(&files, then, &is_same_state, why);
    quipu__map_release(&files.seen);
    return answer_of(status, is_same_state, is_uncertain);
}

/* Whether the bytes are, or begin with, what is put now. */
static enum quipu__index_answer compare_put(
    const struct quipu__trace *trace, struct quipu__slice then, bool is_all,
    void (*put)(const struct quipu__trace *trace, struct quipu__buffer *out), struct quipu_error *why) {
    struct quipu__buffer now;
    const size_t left = quipu__slice_left(&then);
    quipu__buffer_init(&now, trace->memory, 0);
    put(trace, &now);
    const bool is_same =
        !now.failed && (is_all ? now.len == left : now.len <= left) && memcmp(now.data, then.at, now.len) == 0;
    const enum quipu_status status = now.failed ? quipu__no_memory(why, now.len) : QUIPU_OK;
    quipu__buffer_release(&now);
    return answer_of(status, is_same, false);
}

static enum quipu__index_answer compare_all_stamps(const struct quipu__trace *trace, struct quipu__slice then,
                                                   struct quipu_error *why) {
    struct files files;
    bool is_same_state = true;
    uint64_t doubtful_bytes = 0;
    const enum quipu__index_answer answer =
        compare_put(trace, quipu__unpack_bytes(&then), false, put_reader, why);
    if (answer != QUIPU__INDEX_FITS)
        return answer;
    begin_files(&files, trace);
    const enum quipu_status status = compare_stamps(&files, then, &is_same_state, &doubtful_bytes, why);
    quipu__map_release(&files.seen);
    return answer_of(status, is_same_state, doubtful_bytes > 0);
}

enum quipu__index_answer quipu__identity_compare(const struct quipu__trace *trace, struct quipu__slice then,
                                                 enum quipu__identity_section section,
                                                 struct quipu_error *why) {
    if (section == QUIPU__IDENTITY_STAMPS)
        return compare_all_stamps(trace, then, why);
    const enum quipu__index_answer answer =
        compare_put(trace, quipu__unpack_bytes(&then), true, quipu__identity_put_reading, why);
    return answer == QUIPU__INDEX_FITS && section == QUIPU__IDENTITY_ALL ? compare_files(trace, then, why)
                                                                         : answer;
}
