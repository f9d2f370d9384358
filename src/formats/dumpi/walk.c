/* walk.c: iterates over the calls of one file: refills the window and skips damage.
 *
 * Nothing in the stream marks the beginning of a record, so after damage the walk looks for the next place from
 * which several consecutive records decode, with plausible times, or the stream ends properly. What lies between
 * is skipped and counted. */
#include "formats/dumpi/format.h"

#include "core/error.h"

#define WINDOW_LEAST ((size_t)16 << 10)

/* This many consecutive records are not a coincidence. */
#define CONFIRMING_RECORDS 4

/* After damage, records that are longer, or whose times go back or jump farther, are taken for coincidences. */
#define CONFIRMING_BYTES 2048
#define BACK_NS ((int64_t)60 * 1000000000)
#define FORTH_NS ((int64_t)3600 * 1000000000)

static void bound_window(struct quipu__dumpi_walk *walk) {
    const struct quipu__input *input = walk->input;
    const uint64_t offset = quipu__input_offset(input);
    const uint64_t left = walk->file->calls_end > offset ? walk->file->calls_end - offset : 0;
    const size_t window = (size_t)(input->end - input->at);
    walk->end = left < window ? input->at + left : input->end;
    walk->decoder.engine.limit = left < QUIPU__DUMPI_RECORD_LIMIT ? left : QUIPU__DUMPI_RECORD_LIMIT;
}

static bool window_is_last(const struct quipu__dumpi_walk *walk) {
    return walk->input->ended || walk->end < walk->input->end ||
           quipu__input_offset(walk->input) + (uint64_t)(walk->end - walk->input->at) >= walk->file->calls_end;
}

/* Remembers what records of this file look like, in case of damage. */
static void look_ahead(struct quipu__dumpi_walk *walk) {
    const uint8_t *next;
    walk->last_wall = walk->decoder.wall_bias_ns;
    if (quipu__dumpi_decode(&walk->decoder, walk->input->at, walk->end, &next) == QUIPU__DUMPI_OK) {
        walk->common_mask = walk->decoder.common.mask;
        walk->last_wall = walk->decoder.common.wall_start;
    }
}

enum quipu_status quipu__dumpi_walk_seek(struct quipu__dumpi_walk *walk, uint64_t offset,
                                         struct quipu_error *err) {
    enum quipu_status status = quipu__input_seek(walk->input, offset, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(walk->input, 1, err);
    bound_window(walk);
    return status;
}

enum quipu_status quipu__dumpi_walk_open(struct quipu__dumpi_walk *walk, struct quipu__dumpi_trace *own,
                                         const struct quipu__dumpi_file *file, size_t window,
                                         struct quipu_error *err) {
    *walk = (struct quipu__dumpi_walk){.own = own, .file = file};
    if (file->is_missing)
        return QUIPU_END;
    enum quipu_status status =
        quipu__input_open(own->trace->files, file->path, QUIPU__CODEC_SEEK,
                          window < WINDOW_LEAST ? WINDOW_LEAST : window, &walk->input, err);
    if (status != QUIPU_OK)
        return status;
    quipu__dumpi_decoder_init(&walk->decoder, own->memory, file->codec);
    walk->decoder.cpu_bias_ns = (int64_t)file->cpu_bias * 1000000000;
    walk->decoder.wall_bias_ns = (int64_t)file->wall_bias * 1000000000;
    status = quipu__dumpi_walk_seek(walk, file->calls_at, err);
    if (status != QUIPU_OK)
        quipu__dumpi_walk_close(walk);
    else
        look_ahead(walk);
    return status;
}

void quipu__dumpi_walk_close(struct quipu__dumpi_walk *walk) {
    if (!walk->input)
        return;
    quipu__dumpi_decoder_release(&walk->decoder);
    quipu__input_close(walk->input);
    walk->input = NULL;
}

/* ---- Damage ---- */

static bool has_plausible_nanoseconds(const uint8_t *at) {
    const uint8_t mask = at[2];
    const uint8_t *clock = at + QUIPU__DUMPI_RECORD_LEAST + ((mask & QUIPU__DUMPI_MASK_THREAD) ? 2 : 0);
    const unsigned clocks =
        ((mask & QUIPU__DUMPI_MASK_CPU) ? 2u : 0u) + ((mask & QUIPU__DUMPI_MASK_WALL) ? 2u : 0u);
    for (unsigned i = 0; i < clocks; i++, clock += 6)
        if (quipu__load_be32(clock + 2) >= 1000000000)
            return false;
    return true;
}

static bool has_plausible_mask(const struct quipu__dumpi_walk *walk, uint8_t mask) {
    if (walk->common_mask == 0)
        return (mask & QUIPU__DUMPI_MASK_UNUSED) == 0;
    return ((mask ^ walk->common_mask) & ~QUIPU__DUMPI_MASK_STATUS) == 0;
}

/* Whether the record just decoded is plausible: damage rarely is. first: how late it may be is not known. */
static bool is_plausible(const struct quipu__dumpi_walk *walk, const uint8_t *begin, bool first) {
    const struct quipu__dumpi_call *common = &walk->decoder.common;
    const int64_t lasted = common->wall_stop - common->wall_start;
    const int64_t later = common->wall_start - walk->last_wall;
    return has_plausible_mask(walk, common->mask) && has_plausible_nanoseconds(begin) && lasted >= 0 &&
           lasted < FORTH_NS && later > -BACK_NS && (first || later < FORTH_NS);
}

/* Whether several records in a row, or the proper end of the stream, begin here. A truncated stream is confirmed
 * by fewer records. */
static bool is_resumable(struct quipu__dumpi_walk *walk, const uint8_t *at) {
    const int64_t last_wall = walk->last_wall;
    bool resumable = true;
    walk->confirmed = 0;
    for (unsigned i = 0; i < CONFIRMING_RECORDS && resumable; i++) {
        const uint8_t *const end = walk->end - at > CONFIRMING_BYTES ? at + CONFIRMING_BYTES : walk->end;
        const uint8_t *next = at;
        const enum quipu__dumpi_outcome outcome = quipu__dumpi_decode(&walk->decoder, at, end, &next);
        if (outcome != QUIPU__DUMPI_OK) {
            const bool at_end = end == walk->end && window_is_last(walk);
            resumable = at_end &&
                        (outcome == QUIPU__DUMPI_ENDS ? at + 2 == end : outcome == QUIPU__DUMPI_MORE && i >= 2);
            break;
        }
        resumable = is_plausible(walk, at, i == 0);
        walk->confirmed += resumable;
        walk->last_wall = walk->decoder.common.wall_stop;
        at = next;
    }
    walk->last_wall = last_wall;
    return resumable;
}

static void report(struct quipu__dumpi_walk *walk, enum quipu__dumpi_rule rule, uint64_t offset,
                   const char *expected, const char *fault, uint64_t skipped) {
    walk->skipped += skipped;
    if (walk->silent)
        return;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = walk->file->path;
    where.byte = offset;
    where.record = walk->index;
    if (skipped && walk->confirmed)
        quipu__dumpi_find(walk->own, rule, &where, expected, "%s; %llu bytes skipped, then %u records in a row",
                          fault, (unsigned long long)skipped, walk->confirmed);
    else if (skipped)
        quipu__dumpi_find(walk->own, rule, &where, expected, "%s; %llu bytes skipped", fault,
                          (unsigned long long)skipped);
    else
        quipu__dumpi_find(walk->own, rule, &where, expected, "%s", fault);
}

static enum quipu_status refill(struct quipu__dumpi_walk *walk, size_t need, struct quipu_error *err) {
    const enum quipu_status status = quipu__input_more(walk->input, need, err);
    bound_window(walk);
    return status;
}

/* Moves to the next place where records begin again. QUIPU_END: there is none; then at the end of the stream. */
static enum quipu_status find_records(struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    for (;;) {
        const enum quipu_status status = refill(walk, WINDOW_LEAST, err);
        if (status != QUIPU_OK)
            return status;
        const bool last = window_is_last(walk);
        const uint8_t *const past = last ? walk->end : walk->end - WINDOW_LEAST / 2;
        for (const uint8_t *at = input->at + 1; at < past; at++)
            if (is_resumable(walk, at)) {
                input->at = at;
                bound_window(walk);
                return QUIPU_OK;
            }
        walk->confirmed = 0;
        input->at = last ? walk->end : past - 1;
        if (last)
            return QUIPU_END;
    }
}

static enum quipu_status get_over_damage(struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    const uint64_t from = quipu__input_offset(walk->input);
    const char *fault =
        walk->decoder.engine.fault ? walk->decoder.engine.fault : "a record goes beyond the end of the stream";
    const enum quipu_status status = find_records(walk, err);
    if (status == QUIPU_OK || status == QUIPU_END)
        report(walk, QUIPU__DUMPI_RULE_DAMAGE, from, "a record", fault,
               quipu__input_offset(walk->input) - from);
    return status;
}

/* ---- Moving on ---- */

/* An end mark before the expected end of the stream counts only if no records follow. */
static enum quipu_status meet_end(struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    const uint64_t offset = quipu__input_offset(input);
    const uint16_t mark = quipu__load_be16(input->at);
    if (offset + 2 != walk->file->calls_end) {
        const enum quipu_status status = find_records(walk, err);
        if (status == QUIPU_OK)
            report(walk, QUIPU__DUMPI_RULE_DAMAGE, offset, "a record", "an end mark with records behind it",
                   quipu__input_offset(input) - offset);
        if (status != QUIPU_END)
            return status;
        if (walk->file->index.words != 0)
            report(walk, QUIPU__DUMPI_RULE_STREAM_END, offset, "the end mark right before the next section",
                   "bytes behind the end mark", 0);
    }
    walk->ended = true;
    walk->mark = mark;
    walk->offset = offset;
    return QUIPU_END;
}

/* The window ends inside a record, or where one should begin. */
static enum quipu_status extend(struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    if (!window_is_last(walk)) {
        const enum quipu_status status = refill(walk, walk->decoder.engine.need, err);
        return status == QUIPU_LIMIT ? get_over_damage(walk, err) : status;
    }
    if (walk->input->at < walk->end) {
        walk->decoder.engine.fault = NULL;
        return get_over_damage(walk, err);
    }
    walk->offset = quipu__input_offset(walk->input);
    report(walk, QUIPU__DUMPI_RULE_TRUNCATED, walk->offset, "the end mark 293", "the end of the data", 0);
    return QUIPU_END;
}

enum quipu_status quipu__dumpi_walk_further(struct quipu__dumpi_walk *walk, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && !walk->stopped) {
        const uint8_t *next = NULL;
        switch (quipu__dumpi_decode(&walk->decoder, walk->input->at, walk->end, &next)) {
        case QUIPU__DUMPI_OK:
            walk->offset = quipu__input_offset(walk->input);
            walk->last_wall = walk->decoder.common.wall_stop;
            walk->index++;
            walk->input->at = next;
            return QUIPU_OK;
        case QUIPU__DUMPI_ENDS:
            status = meet_end(walk, err);
            break;
        case QUIPU__DUMPI_MORE:
            status = extend(walk, err);
            break;
        case QUIPU__DUMPI_BAD:
            status = get_over_damage(walk, err);
            break;
        case QUIPU__DUMPI_NO_MEMORY:
            return quipu__no_memory(err, walk->decoder.engine.need);
        }
    }
    walk->stopped = walk->stopped || status == QUIPU_END;
    return status == QUIPU_OK ? QUIPU_END : status;
}
