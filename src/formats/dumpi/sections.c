/* sections.c: the sections of one file other than its calls. Everything is reached through the index; without one, only
 * the calls can be read. A section that is not where the index says is a finding, and counts as absent. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "core/os.h"

#include <stdio.h>

#define SECTION_WINDOW ((size_t)64 << 10)
#define SECTION_LOOK ((uint64_t)4 << 10) /* bytes of a section to read first */

/* Bytes of a section. */
struct extent {
    uint64_t begin, end;
};

/* One file while its sections are read. */
struct loading {
    struct quipu__dumpi_trace *own;
    struct quipu__dumpi_file *file;
    struct quipu__input *input;
    struct quipu__dumpi_decoder decoder;
    bool has_magic;
    struct extent read[QUIPU__DUMPI_SECTION_COUNT]; /* extents of the sections read so far */
    size_t read_count;
    struct quipu_error *err;
};

static struct quipu__where where_in(const struct quipu__dumpi_file *file, uint64_t byte) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = file->path;
    where.byte = byte;
    return where;
}

static enum quipu_status report_unreadable(struct loading *loading, enum quipu__dumpi_rule rule,
                                           const char *found) {
    const struct quipu__where where = where_in(loading->file, 0);
    loading->file->is_missing = true;
    quipu__dumpi_find(loading->own, rule, &where, "a DUMPI file", "%s", found);
    return QUIPU_END;
}

/* ---- Sections ---- */

enum quipu_status quipu__dumpi_read_section(struct quipu__input *input, struct quipu__dumpi_decoder *decoder,
                                            uint32_t type, uint64_t offset, uint64_t limit,
                                            struct quipu_error *err) {
    const uint64_t left = offset < limit ? limit - offset : 0;
    size_t need = (size_t)(left < SECTION_LOOK ? left : SECTION_LOOK);
    enum quipu_status status = quipu__input_seek(input, offset, err);
    for (;;) {
        if (status == QUIPU_OK)
            status = quipu__input_more(input, need, err);
        if (status != QUIPU_OK)
            return status == QUIPU_LIMIT ? QUIPU_END : status;
        const size_t window = (size_t)(input->end - input->at);
        const uint8_t *next, *const end = left < window ? input->at + left : input->end;
        switch (quipu__dumpi_decode_section(decoder, type, input->at, end, &next)) {
        case QUIPU__DUMPI_OK:
            input->at = next;
            return QUIPU_OK;
        case QUIPU__DUMPI_MORE:
            if (decoder->engine.need > left || input->ended)
                return QUIPU_END;
            need = decoder->engine.need;
            break;
        case QUIPU__DUMPI_NO_MEMORY:
            return quipu__no_memory(err, decoder->engine.need);
        default:
            return QUIPU_END;
        }
    }
}

static size_t section_of(uint32_t type) {
    size_t section = 0;
    while (section + 1 < QUIPU__DUMPI_SECTION_COUNT && quipu__dumpi_sections[section].type != type)
        section++;
    return section;
}

/* The section is not where the index says: it counts as absent. */
static void lose_section(struct loading *loading, size_t section, uint64_t offset, const char *expected,
                         const char *found) {
    struct quipu__dumpi_file *file = loading->file;
    struct quipu__where where = where_in(file, offset);
    where.type = quipu__dumpi_types[quipu__dumpi_sections[section].type].name;
    quipu__dumpi_find(loading->own, QUIPU__DUMPI_RULE_INDEX_OFFSET, &where, expected[0] ? expected : where.type,
                      "%s", found);
    quipu__dumpi_set_word(&file->index, section, 0);
    file->lost |= 1u << section;
}

/* Claims the bytes of a section. QUIPU_END when they overlap those of another section or of the index: the section read
 * first wins; header and footer, which are unmistakable, come first. */
static enum quipu_status take_extent(struct loading *loading, uint64_t begin) {
    const struct extent extent = {begin, quipu__input_offset(loading->input)};
    if (extent.end > loading->file->size - quipu__dumpi_index_bytes(&loading->file->index))
        return QUIPU_END;
    for (size_t i = 0; i < loading->read_count; i++)
        if (extent.begin < loading->read[i].end && loading->read[i].begin < extent.end)
            return QUIPU_END;
    loading->read[loading->read_count++] = extent;
    return QUIPU_OK;
}

/* Decodes a section that the index names. QUIPU_END when it is absent or, with a finding, not where the index says. */
static enum quipu_status load_section(struct loading *loading, uint32_t type) {
    struct quipu__dumpi_file *file = loading->file;
    const size_t section = section_of(type);
    const uint64_t offset = quipu__dumpi_word(&file->index, section);
    if (offset == 0)
        return QUIPU_END;
    enum quipu_status status = quipu__dumpi_read_section(loading->input, &loading->decoder, type, offset,
                                                         loading->file->size, loading->err);
    if (status == QUIPU_OK && type == QUIPU__DUMPI_TYPE_header &&
        !quipu__dumpi_is_header(&loading->decoder.data.header))
        status = QUIPU_END;
    if (status == QUIPU_OK)
        status = take_extent(loading, offset);
    if (status == QUIPU_END)
        lose_section(loading, section, offset, "", "no such section");
    return status;
}

/* A copy of sized numbers in the trace's arena. */
static const void *copy_list(struct loading *loading, const void *elements, uint32_t count, size_t size) {
    void *copy = quipu__arena_alloc(&loading->own->arena, (size_t)count * size + 1);
    if (copy && count)
        memcpy(copy, elements, (size_t)count * size);
    return copy;
}

static enum quipu_status load_header(struct loading *loading) {
    const enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_header);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__dumpi_header *header = &loading->decoder.data.header;
    struct quipu__dumpi_file *file = loading->file;
    file->has_header = true;
    file->version = QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion);
    file->start_time = header->starttime;
    if (file->version > QUIPU__DUMPI_NEWEST) {
        const struct quipu__where where = where_in(file, file->index.header);
        quipu__dumpi_find(loading->own, QUIPU__DUMPI_RULE_NEWER, &where, "13.0.0", "%u.%u.%u", header->version,
                          header->subversion, header->subsubversion);
    }
    file->host = quipu__arena_text(&loading->own->arena, header->hostname, quipu_sized_count(header->hostname));
    return file->host ? QUIPU_OK : quipu__no_memory(loading->err, quipu_sized_count(header->hostname));
}

static enum quipu_status load_begin(struct loading *loading) {
    struct quipu__dumpi_file *file = loading->file;
    enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_begin);
    if (status == QUIPU_END) {
        file->index.body = QUIPU__DUMPI_BODY;
        status = quipu__dumpi_read_section(loading->input, &loading->decoder, QUIPU__DUMPI_TYPE_begin,
                                           QUIPU__DUMPI_BODY, loading->file->size, loading->err);
    }
    if (status != QUIPU_OK)
        return status;
    file->cpu_bias = loading->decoder.data.begin.cpu_bias;
    file->wall_bias = loading->decoder.data.begin.wall_bias;
    file->calls_at = file->index.body + QUIPU__DUMPI_BEGIN_BYTES;
    return QUIPU_OK;
}

static enum quipu_status load_footer(struct loading *loading) {
    struct quipu__dumpi_file *file = loading->file;
    const enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_footer);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__dumpi_footer *footer = &loading->decoder.data.footer;
    if (footer->magic != QUIPU__DUMPI_FOOTER_MAGIC) {
        const struct quipu__where where = where_in(file, file->index.footer);
        quipu__dumpi_find(loading->own, QUIPU__DUMPI_RULE_FOOTER_MAGIC, &where, "0x00000000f007fee7",
                          "0x%016llx", (unsigned long long)footer->magic);
        return QUIPU_END;
    }
    file->has_footer = true;
    for (size_t i = 0; i < QUIPU__DUMPI_SLOTS; i++)
        loading->own->called[i] += (uint32_t)(footer->called[i] - footer->ignored[i]);
    return QUIPU_OK;
}

static enum quipu_status load_sizes(struct loading *loading) {
    const enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_sizes);
    if (status != QUIPU_OK)
        return status;
    const int32_t *sizes = loading->decoder.data.sizes.sizes;
    loading->file->size_count = quipu_sized_count(sizes);
    loading->file->sizes = copy_list(loading, sizes, loading->file->size_count, sizeof *sizes);
    return loading->file->sizes ? QUIPU_OK : quipu__no_memory(loading->err, sizeof *sizes);
}

static enum quipu_status load_labels(struct loading *loading) {
    const enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_addresses);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__dumpi_label *found = loading->decoder.data.addresses.addresses;
    const uint32_t count = quipu_sized_count(found);
    struct quipu__dumpi_label *labels =
        quipu__arena_alloc(&loading->own->arena, ((size_t)count + 1) * sizeof *labels);
    if (!labels)
        return quipu__no_memory(loading->err, (size_t)count * sizeof *labels);
    for (uint32_t i = 0; i < count; i++) {
        labels[i].address = found[i].address;
        labels[i].name =
            quipu__arena_text(&loading->own->arena, found[i].name, quipu_sized_count(found[i].name));
        if (!labels[i].name)
            return quipu__no_memory(loading->err, quipu_sized_count(found[i].name));
    }
    loading->file->labels = labels;
    loading->file->label_count = count;
    return QUIPU_OK;
}

/* Only checks whether they are there: records have their contents. */
static enum quipu_status load_keyvals(struct loading *loading) {
    return load_section(loading, QUIPU__DUMPI_TYPE_keyvals);
}

/* Counters become metrics; those with one name are one metric in all files. */
static enum quipu_status load_counters(struct loading *loading) {
    const enum quipu_status status = load_section(loading, QUIPU__DUMPI_TYPE_counters);
    if (status != QUIPU_OK)
        return status;
    const char *const *names = loading->decoder.data.counters.names;
    const uint32_t count = quipu_sized_count(names);
    uint32_t *metrics = quipu__arena_alloc(&loading->own->arena, ((size_t)count + 1) * sizeof *metrics);
    if (!metrics)
        return quipu__no_memory(loading->err, (size_t)count * sizeof *metrics);
    for (uint32_t i = 0; i < count; i++) {
        metrics[i] = QUIPU_NONE;
        if (strcmp(names[i], QUIPU__DUMPI_CALL_SITES) == 0) {
            loading->file->call_sites = i + 1;
            continue;
        }
        if (strcmp(names[i], QUIPU__RUN_DELAY) == 0)
            loading->file->run_delay = i + 1;
        metrics[i] = quipu__dumpi_metric(loading->own, names[i], i);
        if (metrics[i] == QUIPU_NONE)
            return quipu__no_memory(loading->err, sizeof(struct quipu_metric));
    }
    loading->file->metrics = metrics;
    loading->file->metric_count = count;
    return QUIPU_OK;
}

/* ---- The index ---- */

/* An offset outside the file counts as absent. */
static void check_offsets(struct loading *loading) {
    struct quipu__dumpi_file *file = loading->file;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint64_t offset = quipu__dumpi_word(&file->index, i);
        char text[24];
        if (offset < file->size)
            continue;
        snprintf(text, sizeof text, "%llu", (unsigned long long)offset);
        lose_section(loading, i, file->size - quipu__dumpi_index_bytes(&file->index),
                     "an offset inside the file", text);
    }
}

/* The magic at the beginning of a short file is not that of an index. */
static enum quipu_status load_index(struct loading *loading) {
    struct quipu__dumpi_file *file = loading->file;
    const uint64_t most = (uint64_t)QUIPU__DUMPI_INDEX_WORDS * 8;
    const uint64_t body = file->size > QUIPU__DUMPI_BODY ? file->size - QUIPU__DUMPI_BODY : 0;
    const uint64_t bytes = body < most ? body : most;
    enum quipu_status status = quipu__input_seek(loading->input, file->size - bytes, loading->err);
    if (status == QUIPU_OK)
        status = quipu__input_more(loading->input, (size_t)bytes, loading->err);
    if (status != QUIPU_OK)
        return status;
    const size_t there = (size_t)(loading->input->end - loading->input->at);
    if (quipu__dumpi_index_decode(loading->input->at, there, &file->index)) {
        check_offsets(loading);
        return QUIPU_OK;
    }
    if (!loading->has_magic)
        return report_unreadable(loading, QUIPU__DUMPI_RULE_MAGIC, "other bytes at its beginning");
    const struct quipu__where where = where_in(file, file->size);
    quipu__dumpi_find(loading->own, QUIPU__DUMPI_RULE_NO_INDEX, &where, "an index at the end of the file",
                      "none");
    return quipu__dumpi_find_sections(loading->own, loading->input, file, loading->err);
}

/* Whether the stream's end mark is right before an offset. */
static bool follows_end_mark(struct loading *loading, uint64_t offset) {
    struct quipu__input *input = loading->input;
    if (quipu__input_seek(input, offset - 2, loading->err) != QUIPU_OK ||
        quipu__input_more(input, 2, loading->err) != QUIPU_OK || input->end - input->at < 2)
        return false;
    const uint16_t mark = quipu__load_be16(input->at);
    return mark == QUIPU__DUMPI_END || mark == QUIPU__DUMPI_OLD_END;
}

/* The stream of calls ends where the next section or the index begins: at the first one after an end mark, if any. Then
 * sections that seem to be inside the stream are lost. */
static void bound_calls(struct loading *loading) {
    struct quipu__dumpi_file *file = loading->file;
    uint64_t first = file->size - quipu__dumpi_index_bytes(&file->index), marked = QUIPU_UNKNOWN;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint64_t offset = quipu__dumpi_word(&file->index, i);
        if (offset < file->calls_at)
            continue;
        if (offset < first)
            first = offset;
        if (offset >= file->calls_at + 2 && offset < marked && follows_end_mark(loading, offset))
            marked = offset;
    }
    file->calls_end = marked == QUIPU_UNKNOWN ? first : marked;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint64_t offset = quipu__dumpi_word(&file->index, i);
        const bool is_after = offset >= file->calls_at || file->index.body == QUIPU__DUMPI_BODY;
        if (offset != 0 && quipu__dumpi_sections[i].type != QUIPU__DUMPI_TYPE_begin && is_after &&
            offset < file->calls_end)
            lose_section(loading, i, offset, "", "calls");
    }
}

/* ---- A file ---- */

static enum quipu_status load_head(struct loading *loading) {
    const enum quipu_status status = quipu__input_more(loading->input, 8, loading->err);
    if (status != QUIPU_OK)
        return status;
    if (loading->input->at == loading->input->end)
        return report_unreadable(loading, QUIPU__DUMPI_RULE_EMPTY, "an empty file");
    loading->has_magic = loading->input->end - loading->input->at >= 8 &&
                         quipu__load_be64(loading->input->at) == QUIPU__DUMPI_MAGIC;
    return QUIPU_OK;
}

/* Sections are independent: a missing one does not affect the next. */
static enum quipu_status load_sections(struct loading *loading) {
    static enum quipu_status (*const loaders[])(struct loading *) = {load_footer, load_sizes, load_labels,
                                                                     load_counters, load_keyvals};
    enum quipu_status status = load_begin(loading);
    if (status == QUIPU_END)
        return report_unreadable(loading, QUIPU__DUMPI_RULE_TRUNCATED, "no stream of calls");
    for (size_t i = 0; status == QUIPU_OK && i < sizeof loaders / sizeof *loaders; i++) {
        status = loaders[i](loading);
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    bound_calls(loading);
    return status;
}

/* The header of files before 0.5.0 has another form: the version is read first. */
static enum quipu_status load_version(struct loading *loading) {
    const struct quipu__dumpi_file *file = loading->file;
    uint32_t version = QUIPU__DUMPI_NEWEST;
    if (file->index.header != 0) {
        enum quipu_status status = quipu__input_seek(loading->input, file->index.header, loading->err);
        if (status == QUIPU_OK)
            status = quipu__input_more(loading->input, 3, loading->err);
        if (status != QUIPU_OK)
            return status;
        const uint8_t *at = loading->input->at;
        if (loading->input->end - at >= 3)
            version = QUIPU__DUMPI_VERSION(at[0], at[1], at[2]);
    }
    loading->file->version = version;
    return quipu__dumpi_codecs_get(&loading->own->codecs, version, &loading->file->codec, loading->err);
}

static enum quipu_status load(struct loading *loading) {
    enum quipu_status status = load_head(loading);
    if (status != QUIPU_OK)
        return status;
    status = load_index(loading);
    if (status != QUIPU_OK)
        return status;
    if (!loading->has_magic) {
        const struct quipu__where where = where_in(loading->file, 0);
        quipu__dumpi_find(loading->own, QUIPU__DUMPI_RULE_MAGIC, &where, "a DUMPI file", "other bytes");
    }
    status = load_version(loading);
    if (status != QUIPU_OK)
        return status;
    quipu__dumpi_decoder_init(&loading->decoder, loading->own->memory, loading->file->codec);
    status = load_header(loading);
    if (status == QUIPU_END) {
        status = load_version(loading); /* without a header, the first bytes are not a version */
        loading->decoder.engine.codec = loading->file->codec;
    }
    if (status == QUIPU_OK)
        status = load_sections(loading);
    quipu__dumpi_decoder_release(&loading->decoder);
    return status;
}

enum quipu_status quipu__dumpi_file_load(struct quipu__dumpi_trace *own, struct quipu__dumpi_file *file,
                                         struct quipu_error *err) {
    struct loading loading = {.own = own, .file = file, .err = err};
    enum quipu_status status = quipu__input_open(own->trace->files, file->path, QUIPU__CODEC_SEEK,
                                                 SECTION_WINDOW, &loading.input, err);
    if (status == QUIPU_OK) {
        file->size = loading.input->size;
        status = load(&loading);
    }
    quipu__input_close(loading.input);
    if (status == QUIPU_NOT_FOUND)
        status = report_unreadable(&loading, QUIPU__DUMPI_RULE_MISSING, "no such file");
    file->is_missing |= status == QUIPU_IO;
    return quipu__dumpi_lose_rest(own, file, status, err);
}

enum quipu_status quipu__dumpi_lose_rest(const struct quipu__dumpi_trace *own,
                                         const struct quipu__dumpi_file *file, enum quipu_status status,
                                         struct quipu_error *err) {
    if (status == QUIPU_IO) {
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        quipu__find_unreadable(own->trace->findings, file->path, err ? err : &trouble);
        quipu_error_clear(err ? err : &trouble);
        return QUIPU_OK;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__dumpi_file_footer(struct quipu__dumpi_trace *own, const struct quipu__dumpi_file *file,
                                           struct quipu__dumpi_decoder *decoder, struct quipu_error *err) {
    if (!file->has_footer)
        return QUIPU_END;
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(own->trace->files, file->path, QUIPU__CODEC_SEEK, SECTION_WINDOW, &input, err);
    if (status == QUIPU_OK)
        status = quipu__dumpi_read_section(input, decoder, QUIPU__DUMPI_TYPE_footer, file->index.footer,
                                           file->size, err);
    quipu__input_close(input);
    return status;
}
