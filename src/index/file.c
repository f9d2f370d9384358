/* file.c: an index as a file. docs/internals/index-format.md says what lies where.
 *
 * The checksum is over everything behind it, so a file of which any byte is not what it was is not used. A file that
 * was made with a right checksum to do harm is no danger either: numbers are compared with the bytes that there are.
 */
#include "index/identity.h"

#include "core/checksum.h"
#include "core/error.h"
#include "core/os.h"
#include "core/memory/pack.h"

static const uint8_t magic[8] = {'q', 'u', 'i', 'p', 'u', 'q', 'p', 'x'};
enum { VERSION = 5, HEAD_BYTES = sizeof magic + 4 }; /* magic number and checksum */

static const struct quipu_rule rules[QUIPU__INDEX_ANSWERS] = {
#define RULE(answer, id, severity, text, advice)                                                               \
    [QUIPU__INDEX_##answer] = {id, QUIPU_##severity, text, advice, NULL},
#include "index/rules.def"
#undef RULE
};

void quipu__index_report(struct quipu_findings *findings, enum quipu__index_answer answer, const char *path,
                         const char *why) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = path;
    quipu__find(findings, &rules[answer], &where, "", "%s", why[0] ? why : " ");
}

enum quipu_status quipu__index_refuse(enum quipu__index_answer answer, const char *path,
                                      struct quipu_error *err) {
    static const enum quipu_status statuses[QUIPU__INDEX_ANSWERS] = {
        [QUIPU__INDEX_MISSING] = QUIPU_NOT_FOUND, [QUIPU__INDEX_FOREIGN] = QUIPU_UNKNOWN_FORMAT,
        [QUIPU__INDEX_UNREADABLE] = QUIPU_IO,     [QUIPU__INDEX_DAMAGED] = QUIPU_CORRUPT,
        [QUIPU__INDEX_CHANGED] = QUIPU_CORRUPT,   [QUIPU__INDEX_UNCERTAIN] = QUIPU_CORRUPT,
    };
    quipu__fail(err, statuses[answer], "%s", rules[answer].text);
    quipu__at(err, path, QUIPU_UNKNOWN);
    quipu__advise(err, "%s", rules[answer].advice);
    return statuses[answer];
}

/* ---- Writing ---- */

/* An entry as a number: 0 there is none, 1 the same as at the point before, else its size and whether it is packed. */
enum { CODE_NONE, CODE_SAME, CODE_NEW };

static void write_entries(const struct quipu__index *index, struct quipu__buffer *out) {
    const size_t substream_entries = index->times.count * index->section_count;
    for (size_t i = 0; i < index->entries.count; i++) {
        const struct quipu__index_entry *entry = &index->entries.items[i];
        const bool is_first = i % substream_entries < index->section_count;
        if (entry->offset == QUIPU_NONE)
            quipu__pack_u64(out, CODE_NONE);
        else if (!is_first && entry[-(ptrdiff_t)index->section_count].offset == entry->offset &&
                 entry[-(ptrdiff_t)index->section_count].size == entry->size)
            quipu__pack_u64(out, CODE_SAME);
        else
            quipu__pack_u64(out, CODE_NEW + ((uint64_t)entry->size << 1 | entry->is_packed));
    }
}

static void write_tables(const struct quipu__index *index, struct quipu__buffer *out) {
    quipu__pack_u64(out, index->section_count);
    for (uint32_t i = 0; i < index->section_count; i++)
        quipu__pack_bytes(out, index->names[i].at, quipu__slice_left(&index->names[i]));
    quipu__pack_u64(out, index->has_end);
    quipu__pack_u64(out, index->times.count);
    for (size_t i = 0; i < index->times.count; i++)
        if (i == 0)
            quipu__pack_i64(out, index->times.items[0]);
        else
            quipu__pack_u64(out, (uint64_t)index->times.items[i] - (uint64_t)index->times.items[i - 1]);
    write_entries(index, out);
}

/* What the trace is, and the survey. */
static void write_front(const struct quipu__index *index, const struct quipu__buffer *identity,
                        struct quipu__buffer *out) {
    quipu__pack_bytes(out, identity->data, identity->len);
    quipu__pack_u64(out, !index->survey.at ? CODE_NONE : (uint64_t)CODE_NEW + index->is_survey_packed);
    if (index->survey.at)
        quipu__pack_bytes(out, index->survey.at, quipu__slice_left(&index->survey));
}

enum quipu_status quipu__index_write_head(const struct quipu__index *index,
                                          const struct quipu__buffer *identity, struct quipu__buffer *out,
                                          struct quipu_error *err) {
    quipu__put(out, magic, sizeof magic);
    quipu__put_be32(out, 0);
    quipu__pack_u64(out, VERSION);
    write_front(index, identity, out);
    write_tables(index, out);
    if (out->failed)
        return quipu__no_memory(err, out->len);
    uint32_t checksum = quipu__crc32(0, out->data + HEAD_BYTES, out->len - HEAD_BYTES);
    if (index->bytes.len > index->data)
        checksum = quipu__crc32(checksum, index->bytes.data + index->data, index->bytes.len - index->data);
    for (unsigned i = 0; i < 4; i++)
        out->data[sizeof magic + i] = (uint8_t)(checksum >> (24 - 8 * i));
    return QUIPU_OK;
}

/* ---- Reading ---- */

/* The whole file; a larger one than there is memory for is not read. */
static enum quipu_status read_bytes(struct quipu__index *index, const struct quipu__trace *trace,
                                    const char *path, struct quipu_error *err) {
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(trace->files, path, QUIPU__CODEC_NONE, (size_t)64 << 10, &input, err);
    if (status != QUIPU_OK)
        return status;
    if (input->size > trace->memory->limit / 4)
        status = quipu__fail(err, QUIPU_LIMIT, "there is not enough memory for it");
    else if (input->size > 0 && !quipu__buffer_room(&index->bytes, (size_t)input->size))
        status = quipu__no_memory(err, (size_t)input->size);
    while (status == QUIPU_OK && (status = quipu__input_more(input, 1, err)) == QUIPU_OK &&
           input->at < input->end) {
        quipu__put(&index->bytes, input->at, (size_t)(input->end - input->at));
        input->at = input->end;
        if (index->bytes.failed)
            status = quipu__no_memory(err, index->bytes.len);
    }
    quipu__input_close(input);
    return status;
}

static void read_names(struct quipu__index *index, struct quipu__slice *from) {
    index->section_count = (uint32_t)quipu__unpack_up_to(from, QUIPU__INDEX_SECTIONS_MOST);
    for (uint32_t i = 0; i < index->section_count; i++)
        index->names[i] = quipu__unpack_bytes(from);
}

/* False when memory is out; from says whether the bytes are right. */
static bool read_times(struct quipu__index *index, struct quipu__slice *from) {
    index->has_end = quipu__unpack_up_to(from, 1) == 1;
    const uint64_t count = quipu__unpack_up_to(from, quipu__slice_left(from));
    if (!QUIPU__VEC_RESERVE(index->memory, &index->times, (size_t)count))
        return false;
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        const int64_t before = i > 0 ? index->times.items[i - 1] : 0;
        const int64_t time =
            i > 0 ? (int64_t)((uint64_t)before + quipu__unpack_u64(from)) : quipu__unpack_i64(from);
        from->failed |= i > 0 && time <= before;
        index->times.items[index->times.count++] = time;
    }
    return true;
}

/* *data is where the next new section lies. */
static struct quipu__index_entry read_entry(struct quipu__slice *from, const struct quipu__index_entry *before,
                                            uint64_t *data) {
    struct quipu__index_entry entry = {.offset = QUIPU_NONE};
    const uint64_t code = quipu__unpack_u64(from);
    if (code == CODE_SAME && before)
        return *before;
    from->failed |= code == CODE_SAME;
    if (code < CODE_NEW || from->failed)
        return entry;
    const uint64_t size = (code - CODE_NEW) >> 1;
    from->failed |= *data >= QUIPU_NONE || size > quipu__slice_left(from);
    entry = (struct quipu__index_entry){(uint32_t)*data, (uint32_t)size, ((code - CODE_NEW) & 1) != 0};
    *data += size;
    return entry;
}

/* Each entry takes a byte, so there cannot be more of them than bytes are left. */
static bool read_entries(struct quipu__index *index, struct quipu__slice *from) {
    const uint64_t left = quipu__slice_left(from), substreams = index->first_substreams[index->stream_count];
    const uint64_t substream_entries = (uint64_t)index->times.count * index->section_count;
    uint64_t data = 0;
    from->failed |= substream_entries > left || substreams * substream_entries > left;
    if (from->failed)
        return true;
    if (!QUIPU__VEC_RESERVE(index->memory, &index->entries, (size_t)(substreams * substream_entries)))
        return false;
    for (uint64_t i = 0; i < substreams * substream_entries && !from->failed; i++) {
        struct quipu__index_entry *entry = &index->entries.items[index->entries.count++];
        const bool is_first = i % substream_entries < index->section_count;
        *entry = read_entry(from, is_first ? NULL : entry - index->section_count, &data);
    }
    from->failed |= quipu__slice_left(from) != data;
    return true;
}

/* What the trace is, and the survey. */
static bool read_front(struct quipu__index *index, struct quipu__slice *from) {
    index->identity = quipu__unpack_bytes(from);
    const uint64_t code = quipu__unpack_up_to(from, CODE_NEW + 1);
    if (code != CODE_NONE)
        index->survey = quipu__unpack_bytes(from);
    index->is_survey_packed = code > CODE_NEW;
    index->rest = *from;
    return !from->failed && code != CODE_SAME;
}

enum quipu__index_answer quipu__index_read_tables(struct quipu__index *index, const struct quipu__trace *trace,
                                                  struct quipu_error *why) {
    struct quipu__slice from = index->rest;
    const enum quipu__index_answer answer =
        quipu__identity_compare(trace, index->identity, QUIPU__IDENTITY_READING, why);
    if (answer != QUIPU__INDEX_FITS)
        return answer;
    if (quipu__index_number_substreams(index, trace, why) != QUIPU_OK)
        return QUIPU__INDEX_UNREADABLE;
    read_names(index, &from);
    if (!read_times(index, &from) || !read_entries(index, &from)) {
        quipu__no_memory(why, index->bytes.len);
        return QUIPU__INDEX_UNREADABLE;
    }
    index->data = (size_t)(from.at - index->bytes.data);
    return from.failed ? QUIPU__INDEX_DAMAGED : QUIPU__INDEX_FITS;
}

enum quipu__index_answer quipu__index_load(struct quipu__index *index, const struct quipu__trace *trace,
                                           const char *path, bool is_open, struct quipu_error *why) {
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    if (kind == QUIPU__PATH_MISSING)
        return QUIPU__INDEX_MISSING;
    if (kind != QUIPU__PATH_FILE && kind != QUIPU__PATH_UNREADABLE)
        return QUIPU__INDEX_FOREIGN;
    if (kind == QUIPU__PATH_UNREADABLE || read_bytes(index, trace, path, why) != QUIPU_OK)
        return QUIPU__INDEX_UNREADABLE;
    const struct quipu__buffer *bytes = &index->bytes;
    const size_t known = bytes->len < sizeof magic ? bytes->len : sizeof magic;
    if (known > 0 && memcmp(bytes->data, magic, known) != 0)
        return QUIPU__INDEX_FOREIGN;
    if (bytes->len < HEAD_BYTES || quipu__load_be32(bytes->data + sizeof magic) !=
                                       quipu__crc32(0, bytes->data + HEAD_BYTES, bytes->len - HEAD_BYTES))
        return QUIPU__INDEX_DAMAGED;
    struct quipu__slice from = quipu__slice_of(bytes->data + HEAD_BYTES, bytes->len - HEAD_BYTES);
    if (quipu__unpack_u64(&from) != VERSION)
        return QUIPU__INDEX_CHANGED;
    if (!read_front(index, &from))
        return QUIPU__INDEX_DAMAGED;
    return quipu__identity_compare(trace, index->identity,
                                   is_open ? QUIPU__IDENTITY_ALL : QUIPU__IDENTITY_STAMPS, why);
}
