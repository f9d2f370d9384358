/* writer.c: the output files, and copying records into them.
 *
 * Records come in file order, so copying them gives the same bytes; only the offsets of the index are recomputed. A
 * truncated file, whose input was cut or whose process was killed, is completed with an end mark, a footer that
 * counts what was written, and an index. Ranks without any data get a file without calls. */
#include "formats/dumpi/writer.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/os.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== Repairing: what a writer does besides copying when the trace is damaged ==== */

static const struct quipu_rule repairs[QUIPU__DUMPI_REPAIR_COUNT] = {
#define REPAIR(name, id, severity, text) {id, QUIPU_##severity, text, "", NULL},
#include "formats/dumpi/repairs.def"
#undef REPAIR
};

/* The number of a section among quipu__dumpi_sections, their count for other records. */
static size_t section_of(uint32_t type) {
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (quipu__dumpi_sections[i].type == type)
            return i;
    return QUIPU__DUMPI_SECTION_COUNT;
}

/* The sections of a file that a repair writes. All do only their normal work when
 * nothing is repaired. */
static void QUIPU_PRINTF(4, 5)
    note_repair(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                enum quipu__dumpi_repair repair, const char *found, ...) {
    const struct quipu__repairing *repairing = writer->writing->repairing;
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[200];
    va_list arguments;
    if (!repairing || out->is_rebuilt)
        return;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    if (out->damaged)
        where.file = out->damaged->path;
    quipu__find(repairing->changes, &repairs[repair], &where, "", "%s", text);
}

/* ---- Files of which nothing is left ---- */

/* A file of the damaged trace whose header can stand for that of others; NULL when there is none. */
static const struct quipu__dumpi_file *repair_sibling(const struct quipu__dumpi_writer *writer) {
    const struct quipu__repairing *repairing = writer->writing->repairing;
    const struct quipu__dumpi_trace *own = repairing ? quipu__dumpi_of(repairing->trace) : NULL;
    for (size_t i = 0; own && i < own->files.count; i++)
        if (own->files.items[i].has_header)
            return &own->files.items[i];
    return NULL;
}

/* The first file written whose beginning was copied; NULL when there is none. */
static const struct quipu__dumpi_out *copied_sibling(const struct quipu__dumpi_writer *writer) {
    for (size_t i = 0; i < writer->outs.count; i++)
        if (writer->outs.items[i]->has_begin && !writer->outs.items[i]->is_rebuilt)
            return writer->outs.items[i];
    return NULL;
}

/* A file without calls begins when another does: a trace begins with the earliest of its files. */
static enum quipu_status repair_begin(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                      struct quipu_error *err) {
    const struct quipu__dumpi_file *sibling = repair_sibling(writer);
    const struct quipu__dumpi_out *copied = copied_sibling(writer);
    note_repair(writer, out, QUIPU__DUMPI_REPAIR_RANK, "rank %u", out->rank);
    out->is_rebuilt = true; /* then the rest need not be reported */
    if (sibling)
        return quipu__dumpi_out_begin(writer, out, sibling->cpu_bias, sibling->wall_bias, sibling->version,
                                      err);
    if (copied)
        return quipu__dumpi_out_begin(writer, out, copied->cpu_bias, copied->wall_bias,
                                      copied->encoder.codec->machine.version, err);
    return quipu__dumpi_out_begin(writer, out, 0, 0, writer->version, err);
}

/* ---- Bytes between sections ---- */

/* If a section is lost, bytes that belong to no section are its remains; right after the end mark there must be
 * none. */
static bool is_remains(const struct quipu__dumpi_out *out, const struct quipu_record *record) {
    return record->type == &quipu__dumpi_types[QUIPU__DUMPI_TYPE_unknown] &&
           (out->damaged->lost || quipu__file_size(out->file) == out->calls_end);
}

/* Whether that section is right behind the end mark but its index did not name it: then a reader takes the next one for
 * the end of the calls. */
static bool is_unnamed_first(const struct quipu__dumpi_out *out, size_t section) {
    return out->damaged && out->has_before && quipu__dumpi_word(&out->before, section) == 0 &&
           quipu__dumpi_word(&out->index, section) == out->calls_end;
}

/* Names of counters that are retained, though the file has had none. */
static bool adds_names(const struct quipu__dumpi_out *out) {
    return out->damaged && out->has_before && out->counter_count > 0 &&
           quipu__dumpi_word(&out->before, section_of(QUIPU__DUMPI_TYPE_counters)) == 0;
}

static bool has_unnamed_first(const struct quipu__dumpi_out *out) {
    bool has = adds_names(out);
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        has |= is_unnamed_first(out, i);
    return has;
}

static bool is_there_already(const struct quipu__dumpi_out *out, const struct quipu_record *record) {
    const size_t section = section_of((uint32_t)(record->type - quipu__dumpi_types));
    return section < QUIPU__DUMPI_SECTION_COUNT && (out->sections >> section & 1) != 0;
}

/* Whether a record is left out: remains of lost sections, and sections that the file already has. */
static bool repair_drops(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                         const struct quipu_record *record) {
    struct quipu__repairing *repairing = writer->writing->repairing;
    if (!repairing || !out->damaged || (!is_remains(out, record) && !is_there_already(out, record)))
        return false;
    if (is_remains(out, record))
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_BYTES, "%u bytes at byte %llu",
                    quipu_sized_count(((const struct quipu__dumpi_unknown *)record->data)->bytes),
                    (unsigned long long)record->byte_offset);
    else
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_TWICE, "%s at byte %llu", record->type->name,
                    (unsigned long long)record->byte_offset);
    repairing->dropped++;
    return true;
}

/* ---- Calls ---- */

/* Whether a record has as many counters as there are names or, if these are lost, as the first record with
 * counters. */
static bool counters_fit(const struct quipu__dumpi_out *out, uint32_t count) {
    if (out->damaged->index.counters != 0)
        return count == out->damaged->metric_count;
    return count > 0 && (out->counter_count == 0 || count == out->counter_count);
}

static void repair_common(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                          struct quipu__dumpi_call *common) {
    const uint32_t count = quipu_sized_count(common->counters);
    if (common->mask & QUIPU__DUMPI_MASK_UNUSED) {
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_MASK, "mask %u", common->mask);
        common->mask &= (uint8_t)~QUIPU__DUMPI_MASK_UNUSED;
    }
    if ((common->mask & QUIPU__DUMPI_MASK_COUNTERS) && !counters_fit(out, count)) {
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_COUNTERS, "%u counters", count);
        common->mask &= (uint8_t)~QUIPU__DUMPI_MASK_COUNTERS;
        common->counters = NULL;
    }
}

static void repair_statuses(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                            const struct quipu_record_type *type, void *data) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        int64_t requests = 0;
        if (field->wire != QUIPU__FORM_MARKED || field->count < 0)
            continue;
        void *member = quipu__member(field, data);
        const uint32_t stored = quipu_sized_count(*(const void *const *)member);
        quipu_field_get_i64(&type->fields[field->count], data, &requests);
        if (stored == 0 || stored <= requests)
            continue;
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_STATUSES, "%u statuses", stored);
        memset(member, 0, sizeof(void *));
    }
}

static enum quipu_status repair_call(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                     const struct quipu_record *record, struct quipu_error *err) {
    const uint32_t type = (uint32_t)(record->type - quipu__dumpi_types);
    struct quipu__dumpi_call common = *(const struct quipu__dumpi_call *)record->common;
    union quipu__dumpi_any data;
    memcpy(&data, record->data, record->type->size);
    repair_common(writer, out, &common);
    repair_statuses(writer, out, record->type, &data);
    return quipu__dumpi_out_call(writer, out, type, &common, &data, err);
}

/* ---- Counts ---- */

/* Pcontrol is counted but never recorded: nothing can show that its count is wrong. */
static bool is_recorded(uint32_t slot) {
    return quipu__dumpi_type_of(slot) != QUIPU_NONE;
}

/* Numbers of calls that left no record are trusted as long as they do not exceed the numbers of calls. */
static void repair_counts(const struct quipu__dumpi_out *out, const struct quipu__dumpi_footer *footer,
                          uint32_t *called, uint32_t *ignored) {
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    for (uint32_t i = 0; i < total; i++) {
        ignored[i] = footer->ignored[i] <= footer->called[i] ? footer->ignored[i] : 0;
        called[i] = is_recorded(i) ? out->counts[i] + ignored[i] : footer->called[i];
        called[total] += called[i];
        ignored[total] += ignored[i];
    }
}

static bool counts_are_right(const struct quipu__dumpi_out *out, const struct quipu__dumpi_footer *footer) {
    for (uint32_t i = 0; i < QUIPU__DUMPI_SLOTS - 1; i++)
        if (is_recorded(i) && footer->called[i] - footer->ignored[i] != out->counts[i])
            return false;
    return footer->magic == QUIPU__DUMPI_FOOTER_MAGIC;
}

static enum quipu_status repair_footer(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                       const struct quipu__dumpi_footer *footer, struct quipu_error *err) {
    struct {
        struct quipu_sized head;
        uint32_t items[QUIPU__DUMPI_SLOTS];
    } called = {{QUIPU__DUMPI_SLOTS, 0}, {0}}, ignored = {{QUIPU__DUMPI_SLOTS, 0}, {0}};
    if (!writer->writing->repairing || counts_are_right(out, footer))
        return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_footer, footer, err);
    repair_counts(out, footer, called.items, ignored.items);
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    note_repair(writer, out, QUIPU__DUMPI_REPAIR_COUNTS, "%u calls in place of %u", called.items[total],
                footer->called[total]);
    const struct quipu__dumpi_footer repaired = {QUIPU__DUMPI_FOOTER_MAGIC, called.items, ignored.items};
    return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_footer, &repaired, err);
}

#define META_SUFFIX ".meta"
#define FILE_SUFFIX ".bin"
#define NO_USER "<none>"
#define USER_DATATYPES_MOST 4096 /* most of them whose sizes are remembered */

/* ---- Creating ---- */

static const char *metafile_path(struct quipu__dumpi_writer *writer) {
    const size_t size = strlen(writer->prefix) + sizeof META_SUFFIX;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path)
        snprintf(path, size, "%s" META_SUFFIX, writer->prefix);
    return path;
}

/* The metafile comes first: an existing trace is noticed before anything is written. */
static enum quipu_status add_metafile(struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    const char *path = metafile_path(writer);
    if (!path)
        return quipu__no_memory(err, strlen(writer->prefix));
    return quipu__outputs_add(writer->writing->outputs, path, 0, &writer->metafile, err);
}

/* A single file is made when its rank is known, but an existing one is refused now. */
static enum quipu_status refuse_existing(const struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    const char *path = writer->writing->path;
    return quipu__outputs_check(writer->writing->outputs, path, err);
}

/* "13.0.0" or "0.6.5"; false for anything else. */
static bool parse_version(const char *text, uint32_t *out) {
    unsigned numbers[3];
    char rest;
    if (sscanf(text, "%3u.%3u.%3u%c", &numbers[0], &numbers[1], &numbers[2], &rest) != 3)
        return false;
    *out = QUIPU__DUMPI_VERSION(numbers[0], numbers[1], numbers[2]);
    return numbers[0] < 256 && numbers[1] < 256 && numbers[2] < 256;
}

static void abandon(struct quipu__output_trace *writing) {
    struct quipu__dumpi_writer *writer = writing->own;
    if (!writer)
        return;
    quipu__dumpi_rebuild_free(writer);
    for (size_t i = 0; i < writer->outs.count; i++) {
        QUIPU__VEC_RELEASE(writer->memory, &writer->outs.items[i]->user_sizes);
        quipu__release(writer->memory, writer->outs.items[i], sizeof *writer->outs.items[i]);
    }
    quipu__map_release(&writer->numbers);
    QUIPU__VEC_RELEASE(writer->memory, &writer->outs);
    quipu__dumpi_codecs_release(&writer->codecs);
    quipu__buffer_release(&writer->buffer);
    quipu__arena_release(&writer->arena);
    quipu__release(writing->memory, writer, sizeof *writer);
    writing->own = NULL;
}

static enum quipu_status create(struct quipu__output_trace *writing, struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = quipu__alloc_zero(writing->memory, sizeof *writer);
    const char *path = writing->path;
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writing->own = writer;
    writer->writing = writing;
    writer->memory = writer->codecs.memory = writing->memory;
    quipu__map_init(&writer->numbers, writer->memory);
    writer->host = "";
    writer->user = NO_USER;
    writer->version = QUIPU__DUMPI_NEWEST;
    writer->is_single = quipu__ends_with(path, FILE_SUFFIX);
    quipu__arena_init(&writer->arena, writing->memory);
    quipu__buffer_init(&writer->buffer, writing->memory, 0);
    const size_t cut = quipu__ends_with(path, META_SUFFIX) ? strlen(META_SUFFIX) : 0;
    writer->prefix = quipu__arena_text(&writer->arena, path, strlen(path) - cut);
    enum quipu_status status = writer->prefix ? QUIPU_OK : quipu__no_memory(err, strlen(path));
    if (status == QUIPU_OK && quipu__base_name(path)[0] == '\0')
        status = quipu__outputs_check(writing->outputs, path, err); /* a folder is no name for files */
    const char *variant = writing->options->variant;
    if (status == QUIPU_OK && variant && !parse_version(variant, &writer->version))
        status = quipu__fail(err, QUIPU_NOT_FOUND, "%.40s is no version of DUMPI, such as 13.0.0", variant);
    if (status == QUIPU_OK)
        status = writer->is_single ? refuse_existing(writer, err) : add_metafile(writer, err);
    if (status != QUIPU_OK)
        abandon(writing);
    return status;
}

/* ---- Files ---- */

static const char *path_of(struct quipu__dumpi_writer *writer, uint32_t rank) {
    const size_t size = strlen(writer->prefix) + 20 + sizeof FILE_SUFFIX;
    char *path = quipu__arena_alloc(&writer->arena, size);
    if (path)
        snprintf(path, size, "%s-%04u" FILE_SUFFIX, writer->prefix, rank);
    return path;
}

static struct quipu__dumpi_out *find_out(const struct quipu__dumpi_writer *writer, uint32_t rank) {
    if (rank < writer->outs.count && writer->outs.items[rank]->rank == rank)
        return writer->outs.items[rank];
    const uint32_t number = quipu__map_get(&writer->numbers, rank);
    return number == QUIPU_NONE ? NULL : writer->outs.items[number];
}

static enum quipu_status refuse_second(const struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "a single file holds one rank only");
    quipu__at(err, writer->writing->path, QUIPU_UNKNOWN);
    quipu__advise(err, "give a name that ends in " META_SUFFIX);
    return QUIPU_NOT_REPRESENTABLE;
}

enum quipu_status quipu__dumpi_out_at(struct quipu__dumpi_writer *writer, uint32_t rank,
                                      struct quipu__dumpi_out **out, struct quipu_error *err) {
    *out = find_out(writer, rank);
    if (*out)
        return QUIPU_OK;
    if (writer->is_single && writer->outs.count > 0)
        return refuse_second(writer, err);
    const char *path = writer->is_single ? writer->writing->path : path_of(writer, rank);
    struct quipu__dumpi_out **slot = QUIPU__VEC_ADD(writer->memory, &writer->outs);
    if (!path || !slot)
        return quipu__no_memory(err, sizeof **slot);
    *slot = quipu__alloc_zero(writer->memory, sizeof **slot);
    if (!*slot || !quipu__map_put(&writer->numbers, rank, (uint32_t)writer->outs.count - 1)) {
        quipu__release(writer->memory, *slot, sizeof **slot);
        writer->outs.count--;
        return quipu__no_memory(err, sizeof **slot);
    }
    (*slot)->rank = rank;
    const enum quipu_status status = quipu__outputs_add(writer->writing->outputs, path, 0, &(*slot)->file, err);
    *out = status == QUIPU_OK ? *slot : NULL;
    return status;
}

/* ---- Records ---- */

/* Writes the buffer to a file. */
static enum quipu_status flush(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                               struct quipu_error *err) {
    struct quipu__buffer *buffer = &writer->buffer;
    if (buffer->failed)
        return quipu__no_memory(err, buffer->len);
    const enum quipu_status status = quipu__file_write(out->file, buffer->data, buffer->len, err);
    buffer->len = 0;
    return status;
}

enum quipu_status quipu__dumpi_out_begin(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                         int32_t cpu_bias, int32_t wall_bias, uint32_t version,
                                         struct quipu_error *err) {
    const enum quipu_status status =
        quipu__dumpi_codecs_get(&writer->codecs, version, &out->encoder.codec, err);
    if (status != QUIPU_OK)
        return status;
    out->cpu_bias = cpu_bias;
    out->wall_bias = wall_bias;
    out->wall = (struct quipu__dumpi_wall_clock)QUIPU__DUMPI_WALL_CLOCK_INIT;
    out->encoder.cpu_bias_ns = (int64_t)cpu_bias * 1000000000;
    out->encoder.wall_bias_ns = (int64_t)wall_bias * 1000000000;
    out->has_begin = true;
    if (quipu__file_size(out->file) == 0)
        quipu__put_be64(&writer->buffer, QUIPU__DUMPI_MAGIC);
    out->index.body = quipu__file_size(out->file) + writer->buffer.len;
    quipu__put_be32(&writer->buffer, (uint32_t)cpu_bias);
    quipu__put_be32(&writer->buffer, (uint32_t)wall_bias);
    return flush(writer, out, err);
}

static int64_t stored_time(int64_t time, int64_t bias_ns) {
    const int64_t since = quipu__bounded_difference(time, bias_ns) % QUIPU__DUMPI_ROLLOVER_NS;
    return bias_ns + (since < 0 ? since + QUIPU__DUMPI_ROLLOVER_NS : since);
}

bool quipu__dumpi_out_times(struct quipu__dumpi_out *out, const struct quipu__dumpi_call *common) {
    int64_t start = stored_time(common->wall_start, out->encoder.wall_bias_ns);
    int64_t stop = stored_time(common->wall_stop, out->encoder.wall_bias_ns);
    quipu__dumpi_unroll(&out->wall, &start, &stop);
    return start == common->wall_start && stop == common->wall_stop;
}

enum quipu_status quipu__dumpi_out_call(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                        uint32_t type, const struct quipu__dumpi_call *common, const void *data,
                                        struct quipu_error *err) {
    const uint32_t id = quipu__dumpi_types[type].id;
    if (id < QUIPU__DUMPI_SLOTS)
        out->counts[id]++;
    if (quipu_sized_count(common->counters) > out->counter_count)
        out->counter_count = quipu_sized_count(common->counters);
    quipu__dumpi_encode(&out->encoder, type, common, data, &writer->buffer);
    return flush(writer, out, err);
}

enum quipu_status quipu__dumpi_out_section(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                           uint32_t type, const void *data, struct quipu_error *err) {
    const size_t section = section_of(type);
    if (section < QUIPU__DUMPI_SECTION_COUNT) {
        quipu__dumpi_set_word(&out->index, section, quipu__file_size(out->file));
        out->sections |= 1u << section;
    }
    quipu__dumpi_encode_section(out->encoder.codec, type, data, &writer->buffer);
    return flush(writer, out, err);
}

static enum quipu_status put_end(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                 uint16_t mark, struct quipu_error *err) {
    out->has_end = true;
    out->calls_end = quipu__file_size(out->file) + 2;
    quipu__put_be16(&writer->buffer, mark);
    return flush(writer, out, err);
}

enum quipu_status quipu__dumpi_out_end(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                       struct quipu_error *err) {
    return out->has_end ? QUIPU_OK : put_end(writer, out, QUIPU__DUMPI_END, err);
}

static bool is_lost(const struct quipu__dumpi_out *out, size_t section) {
    return out->damaged && (out->damaged->lost >> section & 1) != 0;
}

/* Writes the end mark that a cut or damaged file lacks. */
static enum quipu_status add_end(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                 struct quipu_error *err) {
    if (!out->has_end)
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_END, "%s", "");
    return quipu__dumpi_out_end(writer, out, err);
}

/* The index gets the new offsets of sections; sections that it did not name before stay unnamed, unless a repair must. */
static enum quipu_status put_index(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                   struct quipu_error *err) {
    struct quipu__dumpi_index index = out->index;
    index.words = out->has_before && !has_unnamed_first(out) ? out->before.words : QUIPU__DUMPI_INDEX_WORDS;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (out->has_before && quipu__dumpi_word(&out->before, i) == 0 && !is_lost(out, i) &&
            !is_unnamed_first(out, i) && !(i == section_of(QUIPU__DUMPI_TYPE_counters) && adds_names(out)))
            quipu__dumpi_set_word(&index, i, 0);
    quipu__dumpi_index_encode(&index, &writer->buffer);
    out->is_complete = true;
    return flush(writer, out, err);
}

/* ---- Completing ---- */

/* A file with an index lacks only sections that its index named but that were missing, and names of counters that are retained. */
static bool lacks_section(const struct quipu__dumpi_out *out, uint32_t type) {
    const size_t section = section_of(type);
    const bool lacks_names = type == QUIPU__DUMPI_TYPE_counters && adds_names(out);
    return (out->sections >> section & 1) == 0 && (!out->has_before || is_lost(out, section) || lacks_names);
}

/* Sized memory with a copy of a text. */
static const char *sized_text(struct quipu__scratch *scratch, const char *text) {
    return quipu__scratch_text(scratch, text, strlen(text));
}

/* The metafile repeats what the header of the first rank says, whether it was there or is rebuilt. */
static enum quipu_status remember_header(struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                                         const struct quipu__dumpi_header *header, struct quipu_error *err) {
    if (writer->has_header && writer->header_rank <= out->rank)
        return QUIPU_OK;
    writer->has_header = true;
    writer->header_rank = out->rank;
    writer->start_time = header->starttime;
    writer->version = QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion);
    const char *host = quipu__arena_text(&writer->arena, header->hostname ? header->hostname : "",
                                         quipu_sized_count(header->hostname));
    const char *user = quipu__arena_text(&writer->arena, header->username ? header->username : "",
                                         quipu_sized_count(header->username));
    if (!host || !user)
        return quipu__no_memory(err, quipu_sized_count(header->hostname));
    writer->host = host;
    writer->user = user;
    return QUIPU_OK;
}

static enum quipu_status complete_header(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                         struct quipu__scratch *scratch, struct quipu_error *err) {
    const uint32_t version = out->encoder.codec->machine.version;
    const struct quipu__dumpi_file *sibling = repair_sibling(writer);
    const struct quipu__dumpi_header header = {.version = (uint8_t)(version >> 16),
                                               .subversion = (uint8_t)(version >> 8),
                                               .subsubversion = (uint8_t)version,
                                               .starttime = sibling ? sibling->start_time : writer->start_time,
                                               .hostname =
                                                   sized_text(scratch, sibling ? sibling->host : writer->host),
                                               .username = sized_text(scratch, writer->user)};
    const enum quipu_status status = remember_header(writer, out, &header, err);
    return status == QUIPU_OK ? quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_header, &header, err)
                              : status;
}

/* The footer counts what was written, and calls known to have left no record. */
static enum quipu_status complete_footer(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                         struct quipu__scratch *scratch, struct quipu_error *err) {
    uint32_t *called = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *called);
    uint32_t *ignored = quipu__scratch_sized(scratch, QUIPU__DUMPI_SLOTS, sizeof *ignored);
    if (!called || !ignored)
        return quipu__no_memory(err, sizeof out->counts);
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    called[total] = ignored[total] = 0;
    for (uint32_t i = 0; i < total; i++) {
        ignored[i] = out->ignored[i];
        called[i] = out->counts[i] + ignored[i];
        called[total] += called[i];
        ignored[total] += ignored[i];
    }
    const struct quipu__dumpi_footer footer = {QUIPU__DUMPI_FOOTER_MAGIC, called, ignored};
    return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_footer, &footer, err);
}

static enum quipu_status complete_counters(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                           struct quipu__scratch *scratch, struct quipu_error *err) {
    const struct quipu_metrics *metrics =
        writer->writing->definitions ? &writer->writing->definitions->metrics : NULL;
    const char **names = quipu__scratch_sized(scratch, out->counter_count, sizeof *names);
    for (uint32_t i = 0; names && i < out->counter_count; i++) {
        char name[20];
        snprintf(name, sizeof name, "COUNTER_%u", i);
        names[i] = sized_text(scratch, metrics && i < metrics->count ? metrics->items[i].name : name);
    }
    const struct quipu__dumpi_counters counters = {names};
    return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_counters, &counters, err);
}

void quipu__dumpi_out_learn(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out, int16_t datatype,
                            int32_t size) {
    const int32_t index = datatype - QUIPU__DUMPI_USER_DATATYPE;
    if (index < 0 || index >= USER_DATATYPES_MOST)
        return;
    const size_t more = (size_t)index < out->user_sizes.count ? 0 : (size_t)index + 1 - out->user_sizes.count;
    if (more > 0 && !QUIPU__VEC_RESERVE(writer->memory, &out->user_sizes, more))
        return;
    out->user_sizes.count += more;
    out->user_sizes.items[index] = size;
}

/* The sizes of the predefined datatypes, and of the user's own as far as known. */
static enum quipu_status complete_sizes(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                        struct quipu__scratch *scratch, struct quipu_error *err) {
    const uint32_t users = (uint32_t)out->user_sizes.count;
    int32_t *sizes = quipu__scratch_sized(scratch, QUIPU__DUMPI_USER_DATATYPE + users, sizeof *sizes);
    if (!sizes)
        return quipu__no_memory(err, sizeof *sizes);
    for (uint32_t i = 0; i < QUIPU__DUMPI_USER_DATATYPE; i++)
        sizes[i] = quipu__dumpi_default_size(i);
    for (uint32_t i = 0; i < users; i++)
        sizes[QUIPU__DUMPI_USER_DATATYPE + i] = out->user_sizes.items[i];
    const struct quipu__dumpi_sizes section = {sizes};
    return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_sizes, &section, err);
}

/* Sections that are empty when nothing is known. */
static enum quipu_status complete_empty(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                        uint32_t type, struct quipu_error *err) {
    static const union quipu__dumpi_any nothing;
    return quipu__dumpi_out_section(writer, out, type, &nothing, err);
}

static enum quipu_status complete_section(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                          uint32_t type, struct quipu__scratch *scratch,
                                          struct quipu_error *err) {
    static const enum quipu__dumpi_repair values[QUIPU__DUMPI_TYPE_COUNT] = {
        [QUIPU__DUMPI_TYPE_header] = QUIPU__DUMPI_REPAIR_HEADER,
        [QUIPU__DUMPI_TYPE_footer] = QUIPU__DUMPI_REPAIR_FOOTER,
        [QUIPU__DUMPI_TYPE_keyvals] = QUIPU__DUMPI_REPAIR_SECTION,
        [QUIPU__DUMPI_TYPE_counters] = QUIPU__DUMPI_REPAIR_SECTION,
        [QUIPU__DUMPI_TYPE_sizes] = QUIPU__DUMPI_REPAIR_SECTION,
        [QUIPU__DUMPI_TYPE_addresses] = QUIPU__DUMPI_REPAIR_SECTION};
    note_repair(writer, out, values[type], "%s", quipu__dumpi_types[type].name);
    switch (type) {
    case QUIPU__DUMPI_TYPE_header:
        return complete_header(writer, out, scratch, err);
    case QUIPU__DUMPI_TYPE_footer:
        return complete_footer(writer, out, scratch, err);
    case QUIPU__DUMPI_TYPE_counters:
        return complete_counters(writer, out, scratch, err);
    case QUIPU__DUMPI_TYPE_sizes:
        return complete_sizes(writer, out, scratch, err);
    default:
        return complete_empty(writer, out, type, err);
    }
}

/* Writes whatever a complete file needs and this one lacks. */
static enum quipu_status dumpi_out_complete(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                            struct quipu_error *err) {
    static const uint32_t order[] = {QUIPU__DUMPI_TYPE_header,  QUIPU__DUMPI_TYPE_footer,
                                     QUIPU__DUMPI_TYPE_keyvals, QUIPU__DUMPI_TYPE_counters,
                                     QUIPU__DUMPI_TYPE_sizes,   QUIPU__DUMPI_TYPE_addresses};
    struct quipu__scratch scratch;
    enum quipu_status status = QUIPU_OK;
    if (out->is_complete)
        return QUIPU_OK;
    quipu__scratch_init(&scratch, writer->memory);
    if (!out->has_begin)
        status = repair_begin(writer, out, err);
    if (status == QUIPU_OK)
        status = add_end(writer, out, err);
    for (size_t i = 0; status == QUIPU_OK && i < sizeof order / sizeof *order; i++)
        if (lacks_section(out, order[i]))
            status = complete_section(writer, out, order[i], &scratch, err);
    if (!out->has_before || (out->damaged && out->damaged->lost) || has_unnamed_first(out))
        note_repair(writer, out, QUIPU__DUMPI_REPAIR_INDEX, "%s", "");
    if (status == QUIPU_OK)
        status = put_index(writer, out, err);
    quipu__scratch_release(&scratch);
    return status;
}

/* ---- Copying ---- */

static enum quipu_status begin_stream(struct quipu__output_trace *writing, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = writing->own;
    enum quipu_status status = QUIPU_OK;
    if (writer->current && writer->current->has_begin) /* others wait for what files after them say */
        status = dumpi_out_complete(writer, writer->current, err);
    if (status == QUIPU_OK)
        status = quipu__dumpi_out_at(writer, (uint32_t)stream->native_id, &writer->current, err);
    if (status == QUIPU_OK && writing->repairing)
        writer->current->damaged = quipu__dumpi_file_of(writing->repairing->trace, stream);
    return status;
}

/* The end mark comes before everything else, even when the input has lost it. */
static bool is_behind_calls(uint32_t type) {
    return type != QUIPU__DUMPI_TYPE_head && type != QUIPU__DUMPI_TYPE_begin && type != QUIPU__DUMPI_TYPE_end;
}

static enum quipu_status put_record(struct quipu__output_trace *writing, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = writing->own;
    struct quipu__dumpi_out *out = writer->current;
    const uint32_t type = (uint32_t)(record->type - quipu__dumpi_types);
    if (!out)
        return quipu__fail(err, QUIPU_MISUSE, "a record is written before its stream begins");
    if (repair_drops(writer, out, record))
        return QUIPU_OK;
    if (record->type->id < QUIPU__DUMPI_END && out->damaged)
        return repair_call(writer, out, record, err);
    if (record->type->id < QUIPU__DUMPI_END)
        return quipu__dumpi_out_call(writer, out, type, record->common, record->data, err);
    if (is_behind_calls(type) && !out->has_end) {
        const enum quipu_status status = add_end(writer, out, err);
        if (status != QUIPU_OK)
            return status;
    }
    switch (type) {
    case QUIPU__DUMPI_TYPE_head:
        return QUIPU_OK; /* written with the biases */
    case QUIPU__DUMPI_TYPE_begin: {
        const struct quipu__dumpi_begin *begin = record->data;
        return quipu__dumpi_out_begin(writer, out, begin->cpu_bias, begin->wall_bias, begin->version, err);
    }
    case QUIPU__DUMPI_TYPE_end:
        return put_end(writer, out, ((const struct quipu__dumpi_end *)record->data)->mark, err);
    case QUIPU__DUMPI_TYPE_footer:
        return repair_footer(writer, out, record->data, err);
    case QUIPU__DUMPI_TYPE_index: /* written when the file is complete */
        out->before = *(const struct quipu__dumpi_index *)record->data;
        out->has_before = true;
        return QUIPU_OK;
    case QUIPU__DUMPI_TYPE_header: {
        const enum quipu_status status = remember_header(writer, out, record->data, err);
        return status == QUIPU_OK ? quipu__dumpi_out_section(writer, out, type, record->data, err) : status;
    }
    default:
        return quipu__dumpi_out_section(writer, out, type, record->data, err);
    }
}

/* ---- Finishing ---- */

/* Readers take a trace without ranks for a damaged one, and a single file would not exist at all. */
static enum quipu_status refuse_none(const struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "the trace has no processes; one of DUMPI has one at least");
    quipu__at(err, writer->writing->path, QUIPU_UNKNOWN);
    return QUIPU_NOT_REPRESENTABLE;
}

/* In a copy also the ranks whose files are missing, which get one without calls. */
static uint32_t rank_count(const struct quipu__dumpi_writer *writer) {
    const struct quipu__trace *trace = writer->rebuilding ? NULL : writer->writing->source;
    uint32_t count = 0;
    for (uint32_t i = 0; trace && i < trace->streams.count; i++)
        if (trace->streams.items[i].native_id >= count && trace->streams.items[i].missing)
            count = (uint32_t)trace->streams.items[i].native_id + 1;
    for (size_t i = 0; i < writer->outs.count; i++)
        if (writer->outs.items[i]->rank >= count)
            count = writer->outs.items[i]->rank + 1;
    return count;
}

static enum quipu_status put_metafile(struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    struct quipu__buffer *text = &writer->buffer;
    quipu__put_format(text, "hostname=%s\nnumprocs=%u\nusername=%s\nstartime=%llu\nfileprefix=%s\n",
                      writer->host, rank_count(writer), writer->user, (unsigned long long)writer->start_time,
                      quipu__base_name(writer->prefix));
    quipu__put_format(text, "version=%u\nsubversion=%u\nsubsubversion=%u\n", writer->version >> 16,
                      writer->version >> 8 & 0xff, writer->version & 0xff);
    if (text->failed)
        return quipu__no_memory(err, text->len);
    const enum quipu_status status = quipu__file_write(writer->metafile, text->data, text->len, err);
    text->len = 0;
    return status;
}

static enum quipu_status finish(struct quipu__output_trace *writing, struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = writing->own;
    struct quipu__dumpi_out *out;
    enum quipu_status status = QUIPU_OK;
    const uint32_t ranks = writer->is_single ? 0 : rank_count(writer);
    if (status == QUIPU_OK && writer->outs.count == 0)
        return refuse_none(writer, err);
    for (uint32_t rank = 0; status == QUIPU_OK && rank < ranks; rank++)
        status = quipu__dumpi_out_at(writer, rank, &out, err);
    for (size_t i = 0; status == QUIPU_OK && i < writer->outs.count; i++)
        status = dumpi_out_complete(writer, writer->outs.items[i], err);
    return status == QUIPU_OK && !writer->is_single ? put_metafile(writer, err) : status;
}

const struct quipu__copying quipu__dumpi_copying = {
    .begin_stream = begin_stream,
    .put_record = put_record,
};

const struct quipu__writing quipu__dumpi_writing = {
    .order = QUIPU_ORDER_STREAM,
    .resolution = UINT64_C(1000000000),
    .capabilities = &quipu__dumpi_capabilities,
    .create = create,
    .put_batch = quipu__dumpi_put_batch,
    .end_events = quipu__dumpi_end_events,
    .finish = finish,
    .abandon = abandon,
};
