/* resynchronise.c: finding records again behind damage, for repairs.
 *
 * Nothing is framed, so every offset is tried: records begin where a few of them follow each other without doubt. A record is
 * beyond doubt when writing it gives the bytes that were read (so what lies between its members is zero, and texts end in
 * zeros), its time is not before what was read so far nor far behind it, and its bits and sizes mean something. */
#include "formats/charisma/format.h"

#include "core/error.h"

#include <string.h>

/* This many records in a row are no accident; none of them is longer than this. */
enum { CONFIRMING_RECORDS = 3, CONFIRMING_BYTES = 4096 };

/* Times further behind the last one are taken for accidents. */
#define FORTH_SECONDS 86400.0

static const struct quipu_number *time_of(const struct quipu__charisma_walk *walk) {
    const struct quipu_record_type *type = &quipu__charisma_types[walk->type];
    for (uint16_t i = 0; i < type->field_count; i++)
        if (type->fields[i].domain->role == QUIPU_ROLE_TIME && type->fields[i].wire != QUIPU__FORM_COMMON)
            return quipu__member_const(&type->fields[i], &walk->data);
    return NULL;
}

static bool has_likely_time(const struct quipu__charisma_walk *walk) {
    const struct quipu_number *stamp = time_of(walk), latest = walk->check.latest;
    if (!stamp || !walk->check.has_latest)
        return true;
    if (quipu__charisma_compare(*stamp, latest) < 0)
        return false;
    const double ticks =
        stamp->is_real ? stamp->f - latest.f : (double)((uint64_t)stamp->i - (uint64_t)latest.i);
    return ticks * walk->codec->profile.timestamp_unit < FORTH_SECONDS;
}

static bool has_likely_bits(const struct quipu__charisma_walk *walk) {
    switch (walk->type) {
    case QUIPU__CHARISMA_TYPE_app_open:
    case QUIPU__CHARISMA_TYPE_client_open:
        return (walk->type == QUIPU__CHARISMA_TYPE_app_open
                    ? walk->data.app_open.open_flags
                    : walk->data.client_open.open_flags) <= QUIPU__CHARISMA_OPEN_ALL;
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
    return quipu__charisma_decode(walk, at, limit, next) == QUIPU__BINARY_OK && has_likely_bits(walk) &&
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

static enum quipu_status report(struct quipu__charisma_walk *walk, uint64_t from) {
    const uint64_t to = quipu__input_offset(walk->input);
    const struct quipu__charisma_where before = walk->check.where;
    walk->check.where = (struct quipu__charisma_where){from, before.record, QUIPU_NONE};
    quipu__charisma_find(&walk->check, QUIPU__CHARISMA_RULE_SKIPPED, "", "", "%llu bytes",
                         (unsigned long long)(to - from));
    walk->check.where = before;
    walk->skipped += to - from;
    return walk->input->at == walk->input->end && walk->input->ended ? QUIPU_END : QUIPU_OK;
}

enum quipu_status quipu__charisma_resynchronise(struct quipu__charisma_walk *walk, struct quipu_error *err) {
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
    return status == QUIPU_OK ? report(walk, from) : status;
}
