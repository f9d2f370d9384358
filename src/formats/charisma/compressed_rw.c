/* compressed_rw.c: COMP_RW, a read or write of a client in a few words: taking it apart and putting it together, and what its fields
 * refer to.
 *
 *     0  record type   1  client   2, 3  bits   4  duration, then time, size, stride, stride in memory, each a word
 *
 * The time counts from the client's request before; size and strides are left out when they are among the three of their kind
 * that were sent last. So what a record says depends on those before it: tracking.h remembers. */
#include "formats/charisma/tracking.h"

#include "core/slice.h"

#include <string.h>

/* ---- Words ---- */

static uint32_t word_bytes(const struct quipu__charisma_profile *profile) {
    return (uint32_t)profile->comp_word;
}

/* Bytes before the fields: type, client and bits, rounded up to a word, and the duration. */
static uint32_t head_bytes(const struct quipu__charisma_profile *profile) {
    return 2 * word_bytes(profile);
}

static uint64_t load_word(const struct quipu__charisma_profile *profile, const uint8_t *at) {
    if (profile->comp_word == 8)
        return profile->is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at);
    return profile->is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
}

static void store_word(const struct quipu__charisma_profile *profile, uint64_t word, uint8_t *at) {
    const unsigned count = word_bytes(profile);
    for (unsigned i = 0; i < count; i++)
        at[profile->is_big_endian ? count - 1 - i : i] = (uint8_t)(word >> 8 * i);
}

static void put_word(const struct quipu__charisma_profile *profile, uint64_t word, struct quipu__buffer *out) {
    uint8_t bytes[8];
    store_word(profile, word, bytes);
    quipu__put(out, bytes, word_bytes(profile));
}

static int64_t signed_word(const struct quipu__charisma_profile *profile, uint64_t word) {
    return profile->comp_word == 8 ? (int64_t)word : (int32_t)(uint32_t)word;
}

/* ---- Time stamps ---- */

static const struct quipu__number_type *stamp_type(const struct quipu__charisma_profile *profile) {
    return &profile->types[QUIPU__CHARISMA_WIRE_TimestampType];
}

/* Words of a whole stamp. */
static uint32_t stamp_words(const struct quipu__charisma_profile *profile) {
    const uint32_t bytes = stamp_type(profile)->bytes, word = word_bytes(profile);
    return (bytes + word - 1) / word;
}

enum { STAMP_BYTES = 8 }; /* of its words, at most */

/* A complete time stamp: its words hold its bytes as in other records, followed by zeros. */
static struct quipu_number join_stamp(const struct quipu__charisma_profile *profile, const uint64_t *words) {
    uint8_t bytes[STAMP_BYTES];
    for (uint32_t i = 0; i < stamp_words(profile); i++)
        store_word(profile, words[i], bytes + (size_t)i * word_bytes(profile));
    return quipu__binary_load_number(stamp_type(profile), profile->is_big_endian != 0, bytes);
}

static void split_stamp(const struct quipu__charisma_profile *profile, struct quipu_number stamp,
                        uint64_t *words) {
    uint8_t bytes[STAMP_BYTES] = {0};
    quipu__binary_store_number(stamp_type(profile), profile->is_big_endian != 0, &stamp, bytes);
    for (uint32_t i = 0; i < stamp_words(profile); i++)
        words[i] = load_word(profile, bytes + (size_t)i * word_bytes(profile));
}

/* The machine's clock that many ticks later: it starts over when it overflows. */
static struct quipu_number later(const struct quipu__charisma_profile *profile, struct quipu_number stamp,
                                 uint64_t ticks) {
    const struct quipu__number_type *type = stamp_type(profile);
    uint8_t bytes[STAMP_BYTES];
    stamp.is_real = type->kind == QUIPU__NUMBER_FLOAT;
    stamp.is_signed = type->kind == QUIPU__NUMBER_SIGNED;
    if (stamp.is_real)
        stamp.f += (double)ticks;
    else
        stamp.i = (int64_t)((uint64_t)stamp.i + ticks);
    if (type->bytes == STAMP_BYTES)
        return stamp;
    quipu__binary_store_number(type, profile->is_big_endian != 0, &stamp, bytes);
    return quipu__binary_load_number(type, profile->is_big_endian != 0, bytes);
}

static bool fits_stamp(const struct quipu__charisma_profile *profile, struct quipu_number stamp) {
    uint8_t bytes[STAMP_BYTES];
    return quipu__binary_store_number(stamp_type(profile), profile->is_big_endian != 0, &stamp, bytes);
}

/* ---- Bits ---- */

/* The members of bytes 2 and 3, in the order in which a compiler allocates them, with their widths. */
static const struct {
    uint8_t byte, width;
    uint16_t member;
} members[] = {
    {2, 6, offsetof(struct quipu__charisma_comp_rw, file_desc)},
    {2, 2, offsetof(struct quipu__charisma_comp_rw, memstride_index)},
    {3, 2, offsetof(struct quipu__charisma_comp_rw, size_index)},
    {3, 2, offsetof(struct quipu__charisma_comp_rw, stride_index)},
    {3, 3, offsetof(struct quipu__charisma_comp_rw, operation_type)},
    {3, 1, offsetof(struct quipu__charisma_comp_rw, timestamp_delta)},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Calls for each member with its bit in its byte. */
static void each_member(const struct quipu__charisma_profile *profile, uint8_t *bytes,
                        struct quipu__charisma_comp_rw *record,
                        void (*act)(uint8_t *byte, unsigned shift, unsigned mask, uint8_t *member)) {
    unsigned used = 0;
    for (unsigned i = 0; i < MEMBERS; i++) {
        used = i > 0 && members[i].byte == members[i - 1].byte ? used : 0;
        const unsigned width = members[i].width;
        const unsigned shift = quipu__charisma_bits_from_above(profile) ? 8 - used - width : used;
        act(&bytes[members[i].byte], shift, (1u << width) - 1, (uint8_t *)record + members[i].member);
        used += width;
    }
}

static void take_member(uint8_t *byte, unsigned shift, unsigned mask, uint8_t *member) {
    *member = (uint8_t)((unsigned)*byte >> shift & mask);
}

static void put_member(uint8_t *byte, unsigned shift, unsigned mask, uint8_t *member) {
    *byte = (uint8_t)(*byte | (*member & mask) << shift);
}

/* ---- Taking apart and putting together ---- */

/* Which remembered value a field refers to, from 1 on; 0: it is among the words. */
static uint8_t *index_at(struct quipu__charisma_comp_rw *record, enum quipu__charisma_value value) {
    if (value == QUIPU__CHARISMA_SIZE)
        return &record->size_index;
    return value == QUIPU__CHARISMA_STRIDE ? &record->stride_index : &record->memstride_index;
}

/* How many words follow the duration: nothing but the bits says it. */
static uint32_t field_count(const struct quipu__charisma_profile *profile,
                            struct quipu__charisma_comp_rw *record) {
    uint32_t count = record->timestamp_delta ? 1 : stamp_words(profile);
    for (unsigned value = 0; value < QUIPU__CHARISMA_VALUE_COUNT; value++)
        count += *index_at(record, (enum quipu__charisma_value)value) == 0;
    return count;
}

enum quipu__binary_outcome quipu__charisma_compressed_take(const struct quipu__charisma_profile *profile,
                                                           struct quipu__binary_decoder *decoder,
                                                           struct quipu__charisma_comp_rw *out,
                                                           const uint8_t *at, const uint8_t *end,
                                                           const uint8_t **next) {
    const uint32_t word = word_bytes(profile), head = head_bytes(profile);
    quipu__scratch_reset(&decoder->scratch);
    if (end - at < (ptrdiff_t)head)
        return quipu__binary_lacks(decoder, head);
    uint8_t bits[4];
    memcpy(bits, at, sizeof bits);
    *out = (struct quipu__charisma_comp_rw){.client_id = bits[1], .duration = load_word(profile, at + word)};
    each_member(profile, bits, out, take_member);
    const uint32_t count = field_count(profile, out);
    if (end - at < (ptrdiff_t)(head + count * word))
        return quipu__binary_lacks(decoder, head + count * word);
    uint64_t *fields = quipu__scratch_sized(&decoder->scratch, count, sizeof *fields);
    if (!fields)
        return QUIPU__BINARY_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        fields[i] = load_word(profile, at + head + (size_t)i * word);
    out->fields = fields;
    *next = at + head + (size_t)count * word;
    return QUIPU__BINARY_OK;
}

void quipu__charisma_compressed_put(const struct quipu__charisma_profile *profile,
                                    const struct quipu__charisma_comp_rw *record, struct quipu__buffer *out) {
    struct quipu__charisma_comp_rw bits_of = *record;
    uint8_t bits[8] = {(uint8_t)profile->comp_rw, record->client_id};
    each_member(profile, bits, &bits_of, put_member);
    quipu__put(out, bits, word_bytes(profile));
    put_word(profile, record->duration, out);
    for (uint32_t i = 0; i < quipu_sized_count(record->fields); i++)
        put_word(profile, record->fields[i], out);
}

/* ---- Remembering ---- */

static struct quipu__charisma_remembered *remembered_of(struct quipu__charisma_tracking *tracking,
                                                        uint32_t client,
                                                        struct quipu__charisma_handle *handle) {
    if (tracking->profile->comp_scope == QUIPU__CHARISMA_SCOPE_GLOBAL)
        return &tracking->remembered;
    if (tracking->profile->comp_scope == QUIPU__CHARISMA_SCOPE_CLIENT)
        return &tracking->clients.items[client].remembered;
    return &handle->remembered;
}

/* The first three values fill the slots; later ones replace them in turn. */
static void remember(struct quipu__charisma_remembered *remembered, enum quipu__charisma_value value,
                     int64_t it) {
    const uint8_t slot = remembered->next[value];
    remembered->values[value][slot] = it;
    remembered->next[value] = (uint8_t)((slot + 1) % QUIPU__CHARISMA_SLOTS);
    if (remembered->filled[value] < QUIPU__CHARISMA_SLOTS)
        remembered->filled[value]++;
}

/* 1 for the first slot that holds the value, 0 when none does. */
static uint8_t slot_with(const struct quipu__charisma_remembered *remembered, enum quipu__charisma_value value,
                         int64_t it) {
    for (uint8_t i = 0; i < remembered->filled[value]; i++)
        if (remembered->values[value][i] == it)
            return (uint8_t)(i + 1);
    return 0;
}

static void note_request(struct quipu__charisma_tracking *tracking, uint32_t client,
                         struct quipu__charisma_handle *handle, struct quipu_number start, int64_t offset,
                         int64_t memory_offset) {
    tracking->clients.items[client].previous = start;
    handle->offset = offset;
    handle->memory_offset = memory_offset;
}

void quipu__charisma_compressed_pass(struct quipu__charisma_tracking *tracking,
                                     const struct quipu__charisma_rw *rw) {
    if (tracking->profile->comp_rw == 0 || !(rw->operation_type & QUIPU__CHARISMA_OF_CLIENT) ||
        quipu_sized_count(rw->requests) != 1)
        return;
    const struct quipu__charisma_request *request = rw->requests;
    const uint32_t client = quipu__charisma_client_of(tracking, request->client_id);
    struct quipu__charisma_handle *handle = quipu__charisma_handle_of(tracking, false, client, rw->file_desc);
    if (handle)
        note_request(tracking, client, handle, rw->starttime, request->offset, (int64_t)request->memory_offset);
}

/* ---- Expanding ---- */

/* The explicit values of a record, in the order of the profile; false for one that refers to an empty slot. */
static bool take_value(const struct quipu__charisma_profile *profile,
                       struct quipu__charisma_remembered *remembered, struct quipu__charisma_comp_rw *record,
                       enum quipu__charisma_value value, const uint64_t **field, int64_t *out) {
    const uint8_t index = *index_at(record, value);
    *out = 0;
    if (index > remembered->filled[value])
        return false;
    if (index > 0) {
        *out = remembered->values[value][index - 1];
        return true;
    }
    const uint64_t word = *(*field)++;
    *out = value == QUIPU__CHARISMA_SIZE ? (int64_t)word : signed_word(profile, word);
    remember(remembered, value, *out);
    return true;
}

unsigned quipu__charisma_compressed_expand(struct quipu__charisma_tracking *tracking,
                                           struct quipu__charisma_comp_rw *record) {
    const struct quipu__charisma_profile *profile = tracking->profile;
    const uint32_t client = quipu__charisma_client_of(tracking, record->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(tracking, false, client, record->file_desc);
    const uint64_t *field = record->fields;
    int64_t values[QUIPU__CHARISMA_VALUE_COUNT] = {0};
    unsigned missing = 0;
    if (!handle)
        return 0; /* memory is out; the gate knows */
    if (record->timestamp_delta)
        record->starttime = later(profile, tracking->clients.items[client].previous, field[0]);
    else
        record->starttime = join_stamp(profile, field);
    field += record->timestamp_delta ? 1 : stamp_words(profile);
    record->endtime =
        record->starttime.is_real ? record->starttime : later(profile, record->starttime, record->duration);
    struct quipu__charisma_remembered *remembered = remembered_of(tracking, client, handle);
    for (unsigned i = 0; i < QUIPU__CHARISMA_VALUE_COUNT; i++) {
        const enum quipu__charisma_value value = (enum quipu__charisma_value)profile->comp_order[i];
        missing += !take_value(profile, remembered, record, value, &field, &values[value]);
    }
    record->IO_size = values[QUIPU__CHARISMA_SIZE];
    record->offset = (int64_t)((uint64_t)handle->offset + (uint64_t)values[QUIPU__CHARISMA_STRIDE]);
    record->memory_offset =
        (int64_t)((uint64_t)handle->memory_offset + (uint64_t)values[QUIPU__CHARISMA_MEMSTRIDE]);
    note_request(tracking, client, handle, record->starttime, record->offset, record->memory_offset);
    return missing;
}

/* Stamps are compared by their bits. */
static bool is_same_request(const struct quipu__charisma_comp_rw *left,
                            const struct quipu__charisma_comp_rw *right) {
    return left->starttime.i == right->starttime.i && left->endtime.i == right->endtime.i &&
           left->IO_size == right->IO_size && left->offset == right->offset &&
           left->memory_offset == right->memory_offset;
}

bool quipu__charisma_compressed_repeats(struct quipu__charisma_tracking *tracking,
                                        const struct quipu__charisma_comp_rw *record) {
    struct quipu__charisma_comp_rw again = *record;
    const uint32_t client = quipu__charisma_client_of(tracking, record->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(tracking, false, client, record->file_desc);
    if (!handle)
        return true; /* memory is out; the gate knows */
    struct quipu__charisma_remembered *remembered = remembered_of(tracking, client, handle);
    const struct quipu__charisma_remembered before = *remembered;
    const struct quipu_number previous = tracking->clients.items[client].previous;
    const int64_t offset = handle->offset, memory_offset = handle->memory_offset;
    if (quipu__charisma_compressed_expand(tracking, &again) == 0 && is_same_request(&again, record))
        return true;
    *remembered = before;
    note_request(tracking, client, handle, previous, offset, memory_offset);
    return false;
}

struct quipu__charisma_rw quipu__charisma_decompress(const struct quipu__charisma_profile *profile,
                                                     const struct quipu__charisma_comp_rw *record,
                                                     struct quipu__charisma_single_request *list) {
    list->head = (struct quipu_sized){1, 0};
    list->entry = (struct quipu__charisma_request){.offset = record->offset,
                                                   .memory_offset = (uint64_t)record->memory_offset,
                                                   .IO_size = record->IO_size,
                                                   .client_id = record->client_id};
    return (struct quipu__charisma_rw){.record_type = QUIPU__CHARISMA_TYPE_rw,
                                       .starttime = record->starttime,
                                       .endtime = record->endtime,
                                       .file_desc = record->file_desc,
                                       .operation_type = record->operation_type | QUIPU__CHARISMA_OF_CLIENT,
                                       .appl_id = profile->no_app,
                                       .num_clients = 1,
                                       .requests = &list->entry};
}

/* ---- Compressing ---- */

static bool fits_word(const struct quipu__charisma_profile *profile, int64_t value) {
    return signed_word(profile, (uint64_t)value) == value;
}

static bool fits_unsigned(const struct quipu__charisma_profile *profile, uint64_t value) {
    return profile->comp_word == 8 || value <= UINT32_MAX;
}

/* Whether everything that the record says can be found again: what COMP_RW has no place for must be as expanding gives it. */
static bool can_compress(const struct quipu__charisma_profile *profile, const struct quipu__charisma_rw *rw) {
    const struct quipu__charisma_request *request = rw->requests;
    const uint8_t kind = rw->operation_type & (QUIPU__CHARISMA_ASYNCHRONOUS | QUIPU__CHARISMA_OF_CLIENT);
    if (profile->comp_rw == 0 || kind != QUIPU__CHARISMA_OF_CLIENT ||
        rw->operation_type > QUIPU__CHARISMA_OPERATIONS || rw->num_clients != 1 ||
        quipu_sized_count(request) != 1)
        return false;
    if (rw->async_id != 0 || rw->appl_id != profile->no_app || rw->file_desc < 0 || rw->file_desc > 63 ||
        request->client_id < 0 || request->client_id > 255)
        return false;
    if (request->IO_size < 0 || !fits_unsigned(profile, (uint64_t)request->IO_size) ||
        !fits_stamp(profile, rw->starttime) || !fits_stamp(profile, rw->endtime))
        return false;
    return rw->starttime.is_real
               ? quipu__charisma_compare(rw->endtime, rw->starttime) == 0
               : quipu__charisma_compare(rw->endtime, rw->starttime) >= 0 &&
                     fits_unsigned(profile, ((uint64_t)rw->endtime.i - (uint64_t)rw->starttime.i));
}

/* A time since the request before when that is short and not before it, else a whole stamp. */
static void put_time(const struct quipu__charisma_profile *profile, struct quipu_number previous,
                     const struct quipu__charisma_rw *rw, struct quipu__charisma_word_list *words,
                     struct quipu__charisma_comp_rw *out) {
    const uint64_t delta = (uint64_t)rw->starttime.i - (uint64_t)previous.i;
    previous.is_signed = rw->starttime.is_signed;
    out->timestamp_delta = !rw->starttime.is_real && fits_unsigned(profile, delta) &&
                           quipu__charisma_compare(rw->starttime, previous) >= 0;
    if (out->timestamp_delta)
        words->words[0] = delta;
    else
        split_stamp(profile, rw->starttime, words->words);
    words->head.count = out->timestamp_delta ? 1 : stamp_words(profile);
}

bool quipu__charisma_compress(struct quipu__charisma_tracking *tracking, const struct quipu__charisma_rw *rw,
                              struct quipu__charisma_word_list *words, struct quipu__charisma_comp_rw *out) {
    const struct quipu__charisma_profile *profile = tracking->profile;
    if (!can_compress(profile, rw))
        return false;
    const struct quipu__charisma_request *request = rw->requests;
    const uint32_t client = quipu__charisma_client_of(tracking, request->client_id);
    struct quipu__charisma_handle *handle = quipu__charisma_handle_of(tracking, false, client, rw->file_desc);
    if (!handle)
        return false;
    const int64_t values[QUIPU__CHARISMA_VALUE_COUNT] = {
        [QUIPU__CHARISMA_SIZE] = request->IO_size,
        [QUIPU__CHARISMA_STRIDE] = (int64_t)((uint64_t)request->offset - (uint64_t)handle->offset),
        [QUIPU__CHARISMA_MEMSTRIDE] = (int64_t)(request->memory_offset - (uint64_t)handle->memory_offset)};
    if (!fits_word(profile, values[QUIPU__CHARISMA_STRIDE]) ||
        !fits_word(profile, values[QUIPU__CHARISMA_MEMSTRIDE]))
        return false;
    *out = (struct quipu__charisma_comp_rw){.client_id = (uint8_t)request->client_id,
                                            .file_desc = (uint8_t)rw->file_desc,
                                            .operation_type = rw->operation_type,
                                            .starttime = rw->starttime,
                                            .endtime = rw->endtime,
                                            .IO_size = request->IO_size,
                                            .offset = request->offset,
                                            .memory_offset = (int64_t)request->memory_offset};
    out->duration = rw->starttime.is_real ? 0 : ((uint64_t)rw->endtime.i - (uint64_t)rw->starttime.i);
    put_time(profile, tracking->clients.items[client].previous, rw, words, out);
    struct quipu__charisma_remembered *remembered = remembered_of(tracking, client, handle);
    for (unsigned i = 0; i < QUIPU__CHARISMA_VALUE_COUNT; i++) {
        const enum quipu__charisma_value value = (enum quipu__charisma_value)profile->comp_order[i];
        const uint8_t slot = slot_with(remembered, value, values[value]);
        *index_at(out, value) = slot;
        if (slot > 0)
            continue;
        words->words[words->head.count++] =
            profile->comp_word == 8 ? (uint64_t)values[value] : (uint64_t)values[value] & UINT32_MAX;
        remember(remembered, value, values[value]);
    }
    out->fields = words->words;
    note_request(tracking, client, handle, rw->starttime, request->offset, (int64_t)request->memory_offset);
    return true;
}
