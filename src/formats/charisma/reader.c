/* reader.c: iterates over the records of a file: refills the window, decodes, and stops when it must.
 *
 * Only its type says how long a record is, so nothing can be read after an unknown type, except for a repair: then records are
 * searched for again. */
#include "formats/charisma/format.h"

#include "core/error.h"

#include <inttypes.h>
#include <string.h>

/* ---- Opening ---- */

#define WINDOW_LEAST ((size_t)16 << 10)

/* No record of a file whose size is not known is longer than a window may become. */
#define RECORD_MOST ((uint64_t)32 << 20)

enum quipu_status quipu__charisma_walk_open(struct quipu__charisma_walk *walk, struct quipu__memory *memory,
                                            struct quipu__files *files, const char *path,
                                            const struct quipu__charisma_machine_codec *codec,
                                            struct quipu_findings *findings, size_t window,
                                            struct quipu_error *err) {
    *walk = (struct quipu__charisma_walk){.memory = memory, .codec = codec};
    const enum quipu_status status = quipu__input_open(
        files, path, QUIPU__CODEC_DETECT, window < WINDOW_LEAST ? WINDOW_LEAST : window, &walk->input, err);
    if (status != QUIPU_OK)
        return status;
    quipu__binary_decoder_init(&walk->decoder, memory, codec->binary, 0);
    quipu__charisma_check_init(&walk->check, memory, &codec->profile, findings, path);
    return QUIPU_OK;
}

void quipu__charisma_walk_close(struct quipu__charisma_walk *walk) {
    if (!walk->input)
        return;
    quipu__binary_decoder_release(&walk->decoder);
    quipu__charisma_check_release(&walk->check);
    quipu__input_close(walk->input);
    walk->input = NULL;
}

/* ---- The head of a file ---- */

static uint32_t load_word(const struct quipu__charisma_walk *walk, const uint8_t *at) {
    return walk->codec->profile.is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
}

static void report_magic(struct quipu__charisma_walk *walk, size_t len) {
    const uint8_t *at = walk->input->at;
    const bool is_big = walk->codec->profile.is_big_endian;
    const uint32_t word = len >= 4 ? load_word(walk, at) : 0;
    const bool is_swapped =
        len >= 4 && (is_big ? quipu__load_le32(at) : quipu__load_be32(at)) == QUIPU__CHARISMA_MAGIC;
    const char *expected = is_big ? "0x01234567, big-endian" : "0x01234567, little-endian";
    if (is_swapped)
        quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_MAGIC, "", expected,
                             "the magic number in the other byte order");
    else if (len < 4)
        quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_MAGIC, "", expected, "%zu bytes", len);
    else
        quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_MAGIC, "", expected, "0x%08" PRIx32, word);
}

/* QUIPU_END when no records can follow. */
static enum quipu_status begin(struct quipu__charisma_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    walk->has_started = true;
    const enum quipu_status status = quipu__input_more(input, QUIPU__CHARISMA_HEAD_BYTES, err);
    if (status != QUIPU_OK)
        return status;
    const size_t len = (size_t)(input->end - input->at);
    if (len < 4 || load_word(walk, input->at) != QUIPU__CHARISMA_MAGIC) {
        report_magic(walk, len);
        return QUIPU_END;
    }
    if (len < QUIPU__CHARISMA_HEAD_BYTES) {
        walk->check.where.byte = 4;
        quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_TRUNCATED, "", "", "%zu bytes", len);
        return QUIPU_END;
    }
    const uint32_t version = load_word(walk, input->at + 4);
    walk->check.where.byte = 4;
    if (version != QUIPU__CHARISMA_VERSION)
        quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_VERSION, "", "1", "%" PRIu32, version);
    input->at += QUIPU__CHARISMA_HEAD_BYTES;
    walk->has_records = true;
    return QUIPU_OK;
}

/* ---- Decoding ---- */

/* Lists without elements are there, and empty. */
static const struct {
    struct quipu_sized head;
    uint64_t nothing;
} no_elements = {{0, 0}, 0};

static void fill_empty_lists(struct quipu__charisma_walk *walk) {
    if (walk->type == QUIPU__CHARISMA_TYPE_app_load && !walk->data.app_load.clients)
        walk->data.app_load.clients = (const void *)&no_elements.nothing;
    if (walk->type == QUIPU__CHARISMA_TYPE_rw && !walk->data.rw.requests)
        walk->data.rw.requests = (const void *)&no_elements.nothing;
}

static enum quipu__binary_outcome decode_at(struct quipu__charisma_walk *walk, const uint8_t *at,
                                            const uint8_t *end, const uint8_t **next) {
    const struct quipu__charisma_profile *profile = &walk->codec->profile;
    walk->type = QUIPU_NONE;
    if (at == end)
        return quipu__binary_lacks(&walk->decoder, 1);
    if (*at == profile->comp_rw && profile->comp_rw != 0) {
        walk->type = QUIPU__CHARISMA_TYPE_comp_rw;
        return quipu__charisma_compressed_take(profile, &walk->decoder, &walk->data.comp_rw, at, end, next);
    }
    if (end - at < 2)
        return quipu__binary_lacks(&walk->decoder, 2);
    const uint32_t type = profile->is_big_endian ? quipu__load_be16(at) : quipu__load_le16(at);
    if (type >= QUIPU__CHARISMA_TYPE_comp_rw) {
        walk->decoder.need = 0;
        return QUIPU__BINARY_BAD;
    }
    walk->type = type;
    const enum quipu__binary_outcome outcome =
        quipu__binary_decode(&walk->decoder, type, &walk->data, at, end, next);
    if (outcome == QUIPU__BINARY_OK)
        fill_empty_lists(walk);
    return outcome;
}

/* Bytes that are left in the file, or that a record has at most where that is not known. */
static uint64_t bytes_left(const struct quipu__charisma_walk *walk) {
    const struct quipu__input *input = walk->input;
    const uint64_t offset = quipu__input_offset(input);
    if (input->ended)
        return (uint64_t)(input->end - input->at);
    if (!quipu__input_can_seek(input) || input->size == QUIPU_UNKNOWN || input->size < offset)
        return RECORD_MOST;
    return input->size - offset < RECORD_MOST ? input->size - offset : RECORD_MOST;
}

/* Decodes at the window's beginning, widening it as needed. */
static enum quipu__binary_outcome decode(struct quipu__charisma_walk *walk, const uint8_t **next,
                                         enum quipu_status *status, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    for (;;) {
        walk->decoder.limit = RECORD_MOST;
        const enum quipu__binary_outcome outcome = decode_at(walk, input->at, input->end, next);
        if (outcome != QUIPU__BINARY_MORE || input->ended)
            return outcome;
        if (walk->decoder.need > bytes_left(walk))
            return QUIPU__BINARY_BAD;
        *status = quipu__input_more(input, walk->decoder.need, err);
        if (*status != QUIPU_OK)
            return outcome;
    }
}

/* ---- Finding records again behind damage ----
 *
 * Records have no framing, so every offset is tried: records begin where several certain ones follow each other. A record is
 * certain when writing it gives the bytes that were read (so its padding is zero, and texts end in zeros), its time is neither
 * before the records read so far nor far after them, and its bits and sizes are valid. */

/* This many consecutive records are not a coincidence; none of them is longer than this. */
enum { CONFIRMING_RECORDS = 3, CONFIRMING_BYTES = 4096 };

/* Times farther after the last one are taken for coincidences. */
#define FORTH_SECONDS 86400.0

static bool has_likely_time(const struct quipu__charisma_walk *walk) {
    const struct quipu_number stamp = walk->data.app_exit.timestamp, latest = walk->check.latest;
    if (walk->type == QUIPU__CHARISMA_TYPE_comp_rw || !walk->check.has_latest)
        return true;
    if (quipu__charisma_compare(stamp, latest) < 0)
        return false;
    const double ticks = stamp.is_real ? stamp.f - latest.f : (double)((uint64_t)stamp.i - (uint64_t)latest.i);
    return ticks * walk->codec->profile.timestamp_unit < FORTH_SECONDS;
}

static bool has_likely_bits(const struct quipu__charisma_walk *walk) {
    switch (walk->type) {
    case QUIPU__CHARISMA_TYPE_app_open:
    case QUIPU__CHARISMA_TYPE_client_open:
        return walk->data.client_open.open_flags <= QUIPU__CHARISMA_OPEN_ALL;
    case QUIPU__CHARISMA_TYPE_rw:
        return walk->data.rw.operation_type <= QUIPU__CHARISMA_OPERATIONS && walk->data.rw.num_clients > 0 &&
               quipu__charisma_compare(walk->data.rw.endtime, walk->data.rw.starttime) >= 0;
    case QUIPU__CHARISMA_TYPE_comp_rw: /* nothing else in it can be wrong */
        return quipu__map_get(&walk->check.tracking.client_numbers, walk->data.comp_rw.client_id) !=
                   QUIPU_NONE &&
               (walk->data.comp_rw.operation_type & ~QUIPU__CHARISMA_WRITE) == QUIPU__CHARISMA_OF_CLIENT;
    case QUIPU__CHARISMA_TYPE_header: /* the first record only */
        return false;
    default:
        return true;
    }
}

/* Whether writing the record gives its bytes. */
static bool comes_back(const struct quipu__charisma_walk *walk, struct quipu__buffer *scratch,
                       const uint8_t *at, const uint8_t *next) {
    uint64_t narrowed = 0;
    scratch->len = 0;
    quipu__charisma_encode(walk->codec, walk->type, &walk->data, scratch, &narrowed);
    return !scratch->failed && scratch->len == (size_t)(next - at) &&
           memcmp(scratch->data, at, scratch->len) == 0;
}

static bool is_record(struct quipu__charisma_walk *walk, struct quipu__buffer *scratch, const uint8_t *at,
                      const uint8_t *end, const uint8_t **next) {
    const uint8_t *const limit = end - at > CONFIRMING_BYTES ? at + CONFIRMING_BYTES : end;
    walk->decoder.limit = CONFIRMING_BYTES;
    return decode_at(walk, at, limit, next) == QUIPU__BINARY_OK && has_likely_bits(walk) &&
           has_likely_time(walk) && comes_back(walk, scratch, at, *next);
}

/* Whether several records follow each other here, or fewer up to the end of the file. */
static bool is_confirmed(struct quipu__charisma_walk *walk, struct quipu__buffer *scratch, const uint8_t *at,
                         const uint8_t *end) {
    unsigned uncompressed = 0; /* compressed ones have little that could be wrong */
    for (unsigned i = 0; i < CONFIRMING_RECORDS; i++) {
        if (at == end)
            return i > 0 && uncompressed > 0 && walk->input->ended;
        if (!is_record(walk, scratch, at, end, &at))
            return false;
        uncompressed += walk->type != QUIPU__CHARISMA_TYPE_comp_rw;
    }
    return uncompressed > 0;
}

static enum quipu_status report_skipped(struct quipu__charisma_walk *walk, uint64_t from) {
    const uint64_t to = quipu__input_offset(walk->input);
    const struct quipu__charisma_where before = walk->check.where;
    walk->check.where = (struct quipu__charisma_where){from, before.record, QUIPU_NONE};
    quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_SKIPPED, "", "", "%llu bytes",
                         (unsigned long long)(to - from));
    walk->check.where = before;
    walk->skipped += to - from;
    return walk->input->at == walk->input->end && walk->input->ended ? QUIPU_END : QUIPU_OK;
}

static enum quipu_status resynchronise(struct quipu__charisma_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    struct quipu__buffer scratch;
    const uint64_t from = quipu__input_offset(input);
    enum quipu_status status = QUIPU_OK;
    bool is_found = false;
    quipu__buffer_init(&scratch, walk->memory, 0);
    while (status == QUIPU_OK && !is_found && input->at < input->end) {
        input->at++;
        if (input->end - input->at < CONFIRMING_RECORDS * CONFIRMING_BYTES && !input->ended)
            status = quipu__input_more(input, CONFIRMING_RECORDS * CONFIRMING_BYTES, err);
        if (status == QUIPU_OK)
            is_found = is_confirmed(walk, &scratch, input->at, input->end);
    }
    quipu__buffer_release(&scratch);
    return status == QUIPU_OK ? report_skipped(walk, from) : status;
}

/* ---- Trouble ---- */

static void report_unknown(struct quipu__charisma_walk *walk, uint64_t left) {
    const uint8_t *at = walk->input->at;
    const unsigned type = walk->codec->profile.is_big_endian ? quipu__load_be16(at) : quipu__load_le16(at);
    quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_UNKNOWN_TYPE, "record_type", "0 to 15",
                         "%u (0x%04x), with %" PRIu64 " bytes left", type, type, left);
}

/* The file ends inside the record: in its list, or before it. */
static void report_short(struct quipu__charisma_walk *walk, uint64_t left) {
    const bool has_list = walk->type == QUIPU__CHARISMA_TYPE_app_load || walk->type == QUIPU__CHARISMA_TYPE_rw;
    const bool is_in_list = has_list && left >= walk->codec->fixed[walk->type];
    const enum quipu__charisma_rule rule =
        is_in_list ? QUIPU__CHARISMA_RULE_TOO_LONG : QUIPU__CHARISMA_RULE_TRUNCATED;
    char expected[40];
    snprintf(expected, sizeof expected, "%zu bytes or more", walk->decoder.need);
    quipu__charisma_find(&walk->check, rule, is_in_list ? "num_clients" : "", expected, "%" PRIu64 " bytes",
                         left);
}

/* What is left cannot be read. */
static enum quipu_status stop(struct quipu__charisma_walk *walk, struct quipu_error *err) {
    const uint64_t left = bytes_left(walk);
    const uint64_t offset = quipu__input_offset(walk->input);
    walk->check.where = (struct quipu__charisma_where){offset, walk->check.where.record, walk->type};
    const uint64_t record = walk->check.where.record++;
    if (walk->decoder.need == 0)
        report_unknown(walk, left);
    else
        report_short(walk, left);
    walk->check.where.record = record;
    if (walk->resynchronises)
        return resynchronise(walk, err);
    walk->skipped += left;
    return QUIPU_END;
}

static enum quipu_status end(struct quipu__charisma_walk *walk) {
    walk->has_ended = true;
    walk->has_records = false;
    if (walk->check.where.byte > 0) /* a file of this format */
        quipu__charisma_check_end(&walk->check, false);
    return QUIPU_END;
}

/* ---- Going ---- */

static void deliver(struct quipu__charisma_walk *walk, const uint8_t *next) {
    walk->offset = quipu__input_offset(walk->input);
    walk->bytes = (uint64_t)(next - walk->input->at);
    walk->input->at = next;
    quipu__charisma_check_record(&walk->check, walk->offset, walk->type, &walk->data);
}

/* The next record where it has one request, and the window shows all of it: nearly always. False for all others, with nothing
 * done. */
static bool next_request(struct quipu__charisma_walk *walk) {
    const struct quipu__charisma_fast_request *fast = &walk->codec->fast;
    struct quipu__input *input = walk->input;
    const uint64_t offset = quipu__input_offset(input);
    if (!walk->has_records || !quipu__charisma_fast_begins(fast, input->at, input->end) ||
        !fast->loops->next(fast, &walk->check, offset, input->at, &walk->data, &walk->single))
        return false;
    walk->type = QUIPU__CHARISMA_TYPE_rw;
    walk->offset = offset;
    walk->bytes = fast->bytes;
    input->at += fast->bytes;
    return true;
}

uint32_t quipu__charisma_walk_requests(struct quipu__charisma_walk *walk, struct quipu__charisma_routed *out,
                                       uint32_t most) {
    const struct quipu__charisma_fast_request *fast = &walk->codec->fast;
    struct quipu__input *input = walk->input;
    const struct quipu__charisma_span span = {input->at, input->end, most};
    if (!walk->has_records || !quipu__charisma_fast_begins(fast, input->at, input->end))
        return 0;
    const uint64_t offset = quipu__input_offset(input);
    const uint32_t count = out ? fast->loops->next_requests(fast, &walk->check, offset, &span, out)
                               : fast->loops->skip_requests(fast, &walk->check, offset, &span);
    input->at += (size_t)count * fast->bytes;
    return count;
}

static enum quipu_status next_record(struct quipu__charisma_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    enum quipu_status status = QUIPU_OK;
    const uint8_t *next = NULL;
    if (walk->has_ended)
        return QUIPU_END;
    if (!walk->has_started)
        status = begin(walk, err);
    while (status == QUIPU_OK) {
        const enum quipu__binary_outcome outcome = decode(walk, &next, &status, err);
        if (status != QUIPU_OK)
            return status;
        if (outcome == QUIPU__BINARY_OK) {
            deliver(walk, next);
            return QUIPU_OK;
        }
        if (outcome == QUIPU__BINARY_NO_MEMORY)
            return quipu__no_memory(err, walk->decoder.need);
        if (input->at == input->end)
            return end(walk);
        status = stop(walk, err);
    }
    return status == QUIPU_END ? end(walk) : status;
}

enum quipu_status quipu__charisma_walk_next(struct quipu__charisma_walk *walk, struct quipu_error *err) {
    return next_request(walk) ? QUIPU_OK : next_record(walk, err);
}

/* ---- Records of a pass ---- */

void quipu__charisma_count_bytes(struct quipu__charisma_pass *pass) {
    pass->common.bytes = quipu__input_offset(pass->walk.input);
    if (pass->walk.has_ended)
        pass->common.bytes += (uint64_t)(pass->walk.input->end - pass->walk.input->at);
    if (pass->common.substream == QUIPU__RECORDS)
        pass->common.skipped = pass->walk.skipped;
}

void quipu__charisma_count(struct quipu__charisma_pass *pass, uint32_t type, uint32_t count) {
    pass->common.records += count;
    if (pass->common.records_of)
        pass->common.records_of[type] += count;
    pass->common.bytes = quipu__input_offset(pass->walk.input);
}

enum quipu_status quipu__charisma_next_record(struct quipu__pass *common, struct quipu_record *out,
                                              struct quipu_error *err) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    const enum quipu_status status = quipu__charisma_walk_next(&pass->walk, err);
    if (status != QUIPU_OK) {
        quipu__charisma_count_bytes(pass);
        return status;
    }
    *out = (struct quipu_record){
        .type = &quipu__charisma_types[pass->walk.type],
        .data = &pass->walk.data,
        .stream = common->stream,
        .byte_offset = pass->walk.offset,
        .line = QUIPU_UNKNOWN,
        .index = common->records,
    };
    quipu__charisma_count(pass, pass->walk.type, 1);
    return QUIPU_OK;
}
