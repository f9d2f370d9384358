/* reader.c: all records of a file in file order: head, begin, calls, end, the other sections where the index or the
 * bytes between its offsets place them, and the index. Writing them back in this order gives the file again. */
#include "formats/dumpi/format.h"

#include "core/error.h"
#include "formats/dumpi/pass.h"

/* ---- The plan of what comes in which order ---- */

/* Adds an offset in ascending order. */
static void add_offset(struct quipu__dumpi_section_offsets *offsets, uint32_t type, uint64_t offset) {
    size_t i = offsets->count++;
    for (; i > 0 && offsets->items[i - 1].offset > offset; i--)
        offsets->items[i] = offsets->items[i - 1];
    offsets->items[i] = (struct quipu__dumpi_section_offset){type, offset};
}

static void plan_sections(const struct quipu__dumpi_file *file, struct quipu__dumpi_section_offsets *offsets) {
    offsets->count = 0;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint32_t type = quipu__dumpi_sections[i].type;
        const uint64_t offset = quipu__dumpi_word(&file->index, i);
        if (type != QUIPU__DUMPI_TYPE_begin && offset != 0)
            add_offset(offsets, type, offset);
    }
    if (file->index.words != 0)
        add_offset(offsets, QUIPU__DUMPI_TYPE_index, file->size - quipu__dumpi_index_bytes(&file->index));
}

/* ---- Delivering ---- */

static enum quipu_status deliver(struct quipu__dumpi_pass *pass, uint32_t type, const void *data, bool is_call,
                                 uint64_t offset, struct quipu_record *out) {
    *out = (struct quipu_record){
        .type = &quipu__dumpi_types[type],
        .data = data,
        .common = is_call ? &pass->walk.decoder.common : NULL,
        .stream = pass->common.stream,
        .byte_offset = offset,
        .line = QUIPU_UNKNOWN,
        .index = pass->common.records++,
    };
    if (pass->common.records_of)
        pass->common.records_of[type]++;
    pass->common.bytes = quipu__input_offset(pass->walk.input);
    return QUIPU_OK;
}

static enum quipu_status deliver_head(struct quipu__dumpi_pass *pass, struct quipu_record *out) {
    pass->walk.decoder.data.head.magic = QUIPU__DUMPI_MAGIC;
    pass->step = QUIPU__DUMPI_STEP_BEGIN;
    return deliver(pass, QUIPU__DUMPI_TYPE_head, &pass->walk.decoder.data, false, 0, out);
}

static enum quipu_status deliver_begin(struct quipu__dumpi_pass *pass, struct quipu_record *out) {
    struct quipu__dumpi_begin *begin = &pass->walk.decoder.data.begin;
    begin->cpu_bias = pass->walk.file->cpu_bias;
    begin->wall_bias = pass->walk.file->wall_bias;
    begin->version = pass->walk.file->version;
    pass->step = QUIPU__DUMPI_STEP_CALLS;
    return deliver(pass, QUIPU__DUMPI_TYPE_begin, begin, false, pass->walk.file->index.body, out);
}

static enum quipu_status deliver_end(struct quipu__dumpi_pass *pass, struct quipu_record *out) {
    pass->walk.decoder.data.end.mark = pass->walk.mark;
    return deliver(pass, QUIPU__DUMPI_TYPE_end, &pass->walk.decoder.data, false, pass->walk.offset, out);
}

/* What follows the last call: the end mark, if there is one. */
static enum quipu_status end_calls(struct quipu__dumpi_pass *pass, struct quipu_record *out) {
    const struct quipu__dumpi_walk *walk = &pass->walk;
    pass->step = QUIPU__DUMPI_STEP_SECTIONS;
    pass->section_at = walk->ended ? walk->offset + 2 : walk->file->calls_end;
    plan_sections(walk->file, &pass->offsets);
    return walk->ended ? deliver_end(pass, out) : QUIPU_END;
}

static enum quipu_status deliver_call(struct quipu__dumpi_pass *pass, struct quipu_record *out,
                                      struct quipu_error *err) {
    struct quipu__dumpi_walk *walk = &pass->walk;
    const enum quipu_status status = quipu__dumpi_walk_next(walk, err);
    if (status == QUIPU_OK)
        return deliver(pass, walk->decoder.type, &walk->decoder.data, true, walk->offset, out);
    return status == QUIPU_END ? end_calls(pass, out) : status;
}

/* ---- Sections ---- */

/* Decodes a section that must end at or before a limit; *past is the byte after it. QUIPU_END: it does not. */
static enum quipu_status decode_section(struct quipu__dumpi_pass *pass, uint32_t type, uint64_t offset,
                                        uint64_t limit, uint64_t *past, struct quipu_error *err) {
    const enum quipu_status status =
        quipu__dumpi_read_section(pass->walk.input, &pass->walk.decoder, type, offset, limit, err);
    if (status == QUIPU_OK)
        *past = quipu__input_offset(pass->walk.input);
    return status;
}

/* Whether the bytes just decoded are a header or footer that the file has lost. The calls were read as the newest
 * version, since the header was not known; a header of another version would contradict them. */
static bool is_lost_section(const struct quipu__dumpi_pass *pass, uint32_t type) {
    const union quipu__dumpi_any *data = &pass->walk.decoder.data;
    const struct quipu__dumpi_header *header = &data->header;
    if (type == QUIPU__DUMPI_TYPE_footer)
        return data->footer.magic == QUIPU__DUMPI_FOOTER_MAGIC;
    return quipu__dumpi_is_header(header) &&
           QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion) ==
               pass->walk.file->version;
}

/* A header or footer in a gap of a file whose index has lost it. QUIPU_END: there is none. */
static enum quipu_status deliver_lost(struct quipu__dumpi_pass *pass, uint64_t past, struct quipu_record *out,
                                      struct quipu_error *err) {
    const struct quipu__dumpi_file *file = pass->walk.file;
    const uint64_t offset = pass->section_at;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++) {
        const uint32_t type = quipu__dumpi_sections[i].type;
        uint64_t end = offset;
        if (!(file->lost >> i & 1) || (type != QUIPU__DUMPI_TYPE_header && type != QUIPU__DUMPI_TYPE_footer))
            continue;
        const enum quipu_status status = decode_section(pass, type, offset, past, &end, err);
        if (status != QUIPU_OK && status != QUIPU_END)
            return status;
        if (status == QUIPU_OK && is_lost_section(pass, type)) {
            pass->section_at = end;
            return deliver(pass, type, &pass->walk.decoder.data, false, offset, out);
        }
    }
    return QUIPU_END;
}

/* Bytes that the index does not name. The common recorder leaves the offset of its keyvals 0, and one of its tools
 * writes the sizes twice; both are recognised by filling the gap exactly. */
static enum quipu_status deliver_gap(struct quipu__dumpi_pass *pass, uint64_t past, struct quipu_record *out,
                                     struct quipu_error *err) {
    static const uint32_t candidates[] = {QUIPU__DUMPI_TYPE_keyvals, QUIPU__DUMPI_TYPE_sizes,
                                          QUIPU__DUMPI_TYPE_unknown};
    const uint64_t offset = pass->section_at;
    const enum quipu_status found = pass->walk.file->lost ? deliver_lost(pass, past, out, err) : QUIPU_END;
    if (found != QUIPU_END)
        return found;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        uint64_t end = offset;
        const bool last = candidates[i] == QUIPU__DUMPI_TYPE_unknown;
        const uint64_t limit =
            last && past - offset > QUIPU__DUMPI_GAP_BYTES ? offset + QUIPU__DUMPI_GAP_BYTES : past;
        const enum quipu_status status = decode_section(pass, candidates[i], offset, limit, &end, err);
        if (status != QUIPU_OK && status != QUIPU_END)
            return status;
        if (status == QUIPU_OK && (end == past || last)) {
            pass->section_at = end > offset ? end : past;
            return deliver(pass, candidates[i], &pass->walk.decoder.data, false, offset, out);
        }
    }
    pass->section_at = past;
    return QUIPU_END;
}

static enum quipu_status deliver_index(struct quipu__dumpi_pass *pass, uint64_t offset,
                                       struct quipu_record *out) {
    pass->walk.decoder.data.index = pass->walk.file->index;
    pass->section_at = pass->walk.file->size;
    return deliver(pass, QUIPU__DUMPI_TYPE_index, &pass->walk.decoder.data, false, offset, out);
}

static enum quipu_status deliver_section(struct quipu__dumpi_pass *pass, struct quipu_record *out,
                                         struct quipu_error *err) {
    while (pass->next_section < pass->offsets.count) {
        const struct quipu__dumpi_section_offset *section = &pass->offsets.items[pass->next_section];
        if (section->offset > pass->section_at) {
            const enum quipu_status status = deliver_gap(pass, section->offset, out, err);
            if (status != QUIPU_END)
                return status;
        }
        pass->next_section++;
        if (section->type == QUIPU__DUMPI_TYPE_index)
            return deliver_index(pass, section->offset, out);
        uint64_t past = 0;
        const enum quipu_status status =
            decode_section(pass, section->type, section->offset, pass->walk.file->size, &past, err);
        if (status == QUIPU_OK) {
            pass->section_at = past;
            return deliver(pass, section->type, &pass->walk.decoder.data, false, section->offset, out);
        }
        if (status != QUIPU_END)
            return status;
    }
    return QUIPU_END;
}

enum quipu_status quipu__dumpi_next_record(struct quipu__pass *common, struct quipu_record *out,
                                           struct quipu_error *err) {
    struct quipu__dumpi_pass *pass = (struct quipu__dumpi_pass *)common;
    enum quipu_status status = QUIPU_END;
    switch (pass->step) {
    case QUIPU__DUMPI_STEP_HEAD:
        return deliver_head(pass, out);
    case QUIPU__DUMPI_STEP_BEGIN:
        return deliver_begin(pass, out);
    case QUIPU__DUMPI_STEP_CALLS:
        status = deliver_call(pass, out, err);
        break;
    case QUIPU__DUMPI_STEP_SECTIONS:
        break;
    }
    common->skipped = pass->walk.skipped;
    return status == QUIPU_END ? deliver_section(pass, out, err) : status;
}

enum quipu_status quipu__dumpi_count_rest(struct quipu__dumpi_pass *pass, struct quipu_error *err) {
    struct quipu_record record;
    /* these read nothing, so they cannot fail */
    (void)deliver_head(pass, &record);
    (void)deliver_begin(pass, &record);
    (void)end_calls(pass, &record);
    enum quipu_status status;
    do
        status = deliver_section(pass, &record, err);
    while (status == QUIPU_OK);
    return status;
}
