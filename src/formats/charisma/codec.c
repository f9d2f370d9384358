/* codec.c: the plans of one machine, and records to bytes. What traces mostly consist of, records with one request, is decoded without
 * going through the steps of the plans: "bench/run" reads the records of its CHARISMA trace 1.4 times as fast. */
#include "formats/charisma/format.h"

#include <stddef.h>

/* ---- Where the numbers lie ---- */

#define OF_RW(member)                                                                                          \
    { offsetof(struct quipu__charisma_rw, member), false }
#define OF_REQUEST(member)                                                                                     \
    { offsetof(struct quipu__charisma_request, member), true }
static const struct {
    size_t member;
    bool is_of_request;
} members[QUIPU__CHARISMA_FAST_FIELDS] = {
    [QUIPU__CHARISMA_FAST_STARTTIME] = OF_RW(starttime),
    [QUIPU__CHARISMA_FAST_ENDTIME] = OF_RW(endtime),
    [QUIPU__CHARISMA_FAST_FILE_DESC] = OF_RW(file_desc),
    [QUIPU__CHARISMA_FAST_OPERATION_TYPE] = OF_RW(operation_type),
    [QUIPU__CHARISMA_FAST_ASYNC_ID] = OF_RW(async_id),
    [QUIPU__CHARISMA_FAST_APPL_ID] = OF_RW(appl_id),
    [QUIPU__CHARISMA_FAST_NUM_CLIENTS] = OF_RW(num_clients),
    [QUIPU__CHARISMA_FAST_OFFSET] = OF_REQUEST(offset),
    [QUIPU__CHARISMA_FAST_MEMORY_OFFSET] = OF_REQUEST(memory_offset),
    [QUIPU__CHARISMA_FAST_IO_SIZE] = OF_REQUEST(IO_size),
    [QUIPU__CHARISMA_FAST_CLIENT_ID] = OF_REQUEST(client_id),
};

/* The step of a run that stores a member; NULL when there is none. */
static const struct quipu__binary_step *find_step(const struct quipu__binary_step *fixed, size_t member) {
    for (unsigned i = 1; fixed->op == QUIPU__OP_FIXED && i <= fixed->skip; i++)
        if (fixed[i].member == member)
            return &fixed[i];
    return NULL;
}

static const struct quipu__binary_step *list_step(const struct quipu__binary_plan *plan) {
    const struct quipu__binary_step *step = plan->steps;
    while (step->op != QUIPU__OP_FROM_FIELD)
        step += step->op == QUIPU__OP_FIXED ? step->skip + 1 : 1;
    return step;
}

/* Integers of any width are for the fast path, times also as doubles. */
static bool is_suitable(const struct quipu__number_type *type, bool is_time) {
    return type->kind != QUIPU__NUMBER_FLOAT || (is_time && type->bytes == sizeof(double));
}

static bool set_number(struct quipu__charisma_fast_request *fast, unsigned field,
                       const struct quipu__binary_step *step, uint32_t list) {
    const bool is_time = field <= QUIPU__CHARISMA_FAST_ENDTIME;
    if (!step || !is_suitable(&step->type, is_time))
        return false;
    struct quipu__charisma_fast_number *number = &fast->numbers[field];
    number->offset = (uint16_t)(step->bytes + (members[field].is_of_request ? list : 0));
    number->shift = (uint8_t)(64 - 8 * step->type.bytes);
    number->sign = step->type.kind == QUIPU__NUMBER_SIGNED ? UINT64_C(1) << (8 * step->type.bytes - 1) : 0;
    if (is_time) {
        fast->is_time_real = step->type.kind == QUIPU__NUMBER_FLOAT;
        fast->is_time_signed = step->type.kind == QUIPU__NUMBER_SIGNED;
    }
    return true;
}

/* ---- Decoding ---- */

/* Where they lie on the machine of our recorder, so that the compiler knows it. */
#define SIGNED_32 32, UINT64_C(1) << 31
static const struct quipu__charisma_fast_number lp64[QUIPU__CHARISMA_FAST_FIELDS] = {
    [QUIPU__CHARISMA_FAST_STARTTIME] = {8, 0, 0},
    [QUIPU__CHARISMA_FAST_ENDTIME] = {16, 0, 0},
    [QUIPU__CHARISMA_FAST_FILE_DESC] = {24, SIGNED_32},
    [QUIPU__CHARISMA_FAST_OPERATION_TYPE] = {28, 56, 0},
    [QUIPU__CHARISMA_FAST_ASYNC_ID] = {32, 0, UINT64_C(1) << 63},
    [QUIPU__CHARISMA_FAST_APPL_ID] = {40, SIGNED_32},
    [QUIPU__CHARISMA_FAST_NUM_CLIENTS] = {44, 48, 0},
    [QUIPU__CHARISMA_FAST_OFFSET] = {48, 0, UINT64_C(1) << 63},
    [QUIPU__CHARISMA_FAST_MEMORY_OFFSET] = {56, 0, 0},
    [QUIPU__CHARISMA_FAST_IO_SIZE] = {64, 0, UINT64_C(1) << 63},
    [QUIPU__CHARISMA_FAST_CLIENT_ID] = {72, SIGNED_32},
};

static bool has_lp64_layout(const struct quipu__charisma_fast_request *fast) {
    bool is_same = !fast->is_time_real && !fast->is_time_signed;
    for (unsigned i = 0; i < QUIPU__CHARISMA_FAST_FIELDS; i++)
        is_same &= fast->numbers[i].offset == lp64[i].offset && fast->numbers[i].shift == lp64[i].shift &&
                   fast->numbers[i].sign == lp64[i].sign;
    return is_same;
}

/* bytes is 0 where only the plan knows how many there are; else the compiler knows. */
QUIPU__INLINE uint64_t load(const struct quipu__charisma_fast_number *number, const uint8_t *record,
                            bool is_big_endian, unsigned bytes) {
    const uint8_t *at = record + number->offset;
    uint64_t bits;
    if (bytes == 1)
        bits = *at;
    else if (bytes == 2)
        bits = is_big_endian ? quipu__load_be16(at) : quipu__load_le16(at);
    else if (bytes == 4)
        bits = is_big_endian ? quipu__load_be32(at) : quipu__load_le32(at);
    else if (bytes == 8)
        return is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at);
    else
        bits = (is_big_endian ? quipu__load_be64(at) : quipu__load_le64(at) << number->shift) >> number->shift;
    return (bits ^ number->sign) - number->sign;
}

#define LOAD(field)                                                                                            \
    load(is_lp64 ? &lp64[QUIPU__CHARISMA_FAST_##field] : &fast->numbers[QUIPU__CHARISMA_FAST_##field], record, \
         is_big_endian, is_lp64 ? 8U - lp64[QUIPU__CHARISMA_FAST_##field].shift / 8U : 0)

QUIPU__INLINE struct quipu_number stamp(const struct quipu__charisma_fast_request *fast, uint64_t bits,
                                        bool is_lp64) {
    return (struct quipu_number){.i = (int64_t)bits,
                                 .is_real = !is_lp64 && fast->is_time_real,
                                 .is_signed = !is_lp64 && fast->is_time_signed};
}

QUIPU__INLINE bool decode(const struct quipu__charisma_fast_request *fast, const uint8_t *record,
                          struct quipu__charisma_rw *out, struct quipu__charisma_single_request *list,
                          bool is_big_endian, bool is_lp64) {
    if (LOAD(NUM_CLIENTS) != 1)
        return false;
    list->head.count = 1;
    list->entry.offset = (int64_t)LOAD(OFFSET);
    list->entry.memory_offset = LOAD(MEMORY_OFFSET);
    list->entry.IO_size = (int64_t)LOAD(IO_SIZE);
    list->entry.client_id = (int64_t)LOAD(CLIENT_ID);
    out->record_type = QUIPU__CHARISMA_TYPE_rw;
    out->starttime = stamp(fast, LOAD(STARTTIME), is_lp64);
    out->endtime = stamp(fast, LOAD(ENDTIME), is_lp64);
    out->file_desc = (int64_t)LOAD(FILE_DESC);
    out->operation_type = (uint8_t)LOAD(OPERATION_TYPE);
    out->async_id = (int64_t)LOAD(ASYNC_ID);
    out->appl_id = (int64_t)LOAD(APPL_ID);
    out->num_clients = 1;
    out->requests = &list->entry;
    return true;
}

/* ---- Decoding and checking at once, so that numbers stay in registers ---- */

QUIPU__INLINE bool next(const struct quipu__charisma_fast_request *fast, struct quipu__charisma_check *check,
                        uint64_t offset, const uint8_t *record, union quipu__charisma_any *out,
                        struct quipu__charisma_single_request *list, bool is_big_endian, bool is_lp64) {
    if (!decode(fast, record, &out->rw, list, is_big_endian, is_lp64))
        return false;
    const struct quipu__charisma_route *route = quipu__charisma_check_route(check, check->latest, &out->rw);
    if (!route) {
        quipu__charisma_check_record(check, offset, QUIPU__CHARISMA_TYPE_rw, out);
        return true;
    }
    quipu__charisma_compressed_note(&check->tracking, route, &out->rw);
    quipu__charisma_check_routed(check, offset, out->rw.starttime, 1);
    return true;
}

/* only_defines: nothing but definitions is wanted, and out is NULL. */
QUIPU__INLINE uint32_t next_requests(const struct quipu__charisma_fast_request *fast,
                                     struct quipu__charisma_check *check, uint64_t offset,
                                     const struct quipu__charisma_span *span,
                                     struct quipu__charisma_routed *out, bool only_defines, bool is_big_endian,
                                     bool is_lp64) {
    struct quipu_number latest = check->latest;
    struct quipu__charisma_rw rw;
    struct quipu__charisma_single_request list;
    uint32_t count = 0;
    for (const uint8_t *at = span->at; count < span->most; at += fast->bytes, count++) {
        if (!quipu__charisma_fast_begins(fast, at, span->end) ||
            !decode(fast, at, &rw, &list, is_big_endian, is_lp64))
            break;
        const struct quipu__charisma_route *route = only_defines
                                                        ? quipu__charisma_known_route(check, latest, &rw)
                                                        : quipu__charisma_check_route(check, latest, &rw);
        if (!route)
            break;
        if (!only_defines)
            out[count] = (struct quipu__charisma_routed){.route = route,
                                                         .starttime = rw.starttime.i,
                                                         .endtime = rw.endtime.i,
                                                         .offset = list.entry.offset,
                                                         .IO_size = list.entry.IO_size,
                                                         .memory_offset = list.entry.memory_offset,
                                                         .operation_type = rw.operation_type};
        quipu__charisma_compressed_note(&check->tracking, route, &rw);
        latest = quipu__charisma_stamp(rw.starttime);
    }
    if (count > 0)
        quipu__charisma_check_routed(check, offset + (uint64_t)(count - 1) * fast->bytes, latest, count);
    return count;
}

/* ---- The same for each kind of machine, with what it is as constants ---- */

#define LOOPS(kind, is_big_endian, is_lp64)                                                                    \
    static bool next_##kind(const struct quipu__charisma_fast_request *fast,                                   \
                            struct quipu__charisma_check *check, uint64_t offset, const uint8_t *record,       \
                            union quipu__charisma_any *out, struct quipu__charisma_single_request *list) {     \
        return next(fast, check, offset, record, out, list, is_big_endian, is_lp64);                           \
    }                                                                                                          \
    static uint32_t skip_requests_##kind(const struct quipu__charisma_fast_request *fast,                      \
                                         struct quipu__charisma_check *check, uint64_t offset,                 \
                                         const struct quipu__charisma_span *span) {                            \
        return next_requests(fast, check, offset, span, NULL, true, is_big_endian, is_lp64);                   \
    }                                                                                                          \
    static uint32_t next_requests_##kind(                                                                      \
        const struct quipu__charisma_fast_request *fast, struct quipu__charisma_check *check, uint64_t offset, \
        const struct quipu__charisma_span *span, struct quipu__charisma_routed *out) {                         \
        return next_requests(fast, check, offset, span, out, false, is_big_endian, is_lp64);                   \
    }
LOOPS(any_little, false, false)
LOOPS(lp64_little, false, true)
LOOPS(any_big, true, false)
LOOPS(lp64_big, true, true)
#undef LOOPS

#define LOOPS_OF(kind)                                                                                         \
    { next_##kind, skip_requests_##kind, next_requests_##kind }
static const struct quipu__charisma_fast_loops loops[2][2] = {{LOOPS_OF(any_little), LOOPS_OF(lp64_little)},
                                                              {LOOPS_OF(any_big), LOOPS_OF(lp64_big)}};

/* ---- Preparing ---- */

static void fast_init(struct quipu__charisma_fast_request *fast, const struct quipu__binary_codec *codec,
                      uint32_t list, uint32_t bytes) {
    const struct quipu__binary_plan *plan = &codec->plans[QUIPU__CHARISMA_TYPE_rw];
    const struct quipu__binary_plan *request = &codec->plans[list_step(plan)->element];
    const bool is_big_endian = codec->machine.is_big_endian;
    *fast = (struct quipu__charisma_fast_request){
        .window = UINT32_MAX,
        .type = {is_big_endian ? 0 : QUIPU__CHARISMA_TYPE_rw, is_big_endian ? QUIPU__CHARISMA_TYPE_rw : 0}};
    uint32_t window = bytes;
    for (unsigned i = 0; i < QUIPU__CHARISMA_FAST_FIELDS; i++) {
        const struct quipu__binary_plan *from = members[i].is_of_request ? request : plan;
        if (!set_number(fast, i, find_step(from->steps, members[i].member), list))
            return;
        const uint32_t needed = fast->numbers[i].offset + (uint32_t)sizeof(uint64_t);
        window = needed > window ? needed : window;
    }
    fast->bytes = bytes;
    fast->window = window;
    fast->loops = &loops[is_big_endian][has_lp64_layout(fast)];
}

/* ---- A codec ---- */

/* Bytes of an empty record without anything behind its list; 0 when memory is out. */
static uint32_t bytes_before_list(const struct quipu__binary_codec *binary, uint32_t type,
                                  struct quipu__memory *memory) {
    const union quipu__charisma_any nothing = {.rw = {.record_type = 0}};
    struct quipu__binary_encoder encoder = {.codec = binary};
    struct quipu__buffer out;
    quipu__buffer_init(&out, memory, 0);
    quipu__binary_encode(&encoder, type, &nothing, &out);
    const uint32_t bytes = out.failed ? 0 : (uint32_t)out.len;
    quipu__buffer_release(&out);
    return bytes;
}

/* Where the text of a header begins: behind the numbers in front of it, each aligned as the machine does. */
static uint16_t text_offset(const struct quipu__charisma_profile *profile) {
    uint32_t offset = 0;
    const struct quipu_record_type *type = &quipu__charisma_types[QUIPU__CHARISMA_TYPE_header];
    for (const struct quipu_field *field = type->fields; field->wire != QUIPU__FORM_CHARACTERS; field++) {
        const struct quipu__number_type *number = &profile->types[field->wire];
        offset = (offset + number->alignment - 1) / number->alignment * number->alignment + number->bytes;
    }
    return (uint16_t)offset;
}

static enum quipu_status measure(struct quipu__charisma_machine_codec *codec, struct quipu__memory *memory,
                                 struct quipu_error *err) {
    struct quipu__machine machine = quipu__charisma_machine(&codec->profile);
    struct quipu__binary_codec *exact;
    machine.tail = QUIPU__TAIL_EXACT;
    enum quipu_status status = quipu__binary_codec_new(memory, quipu__charisma_types,
                                                       QUIPU__CHARISMA_TYPE_COUNT, &machine, &exact, err);
    for (uint32_t type = 0; status == QUIPU_OK && type < QUIPU__CHARISMA_TYPE_comp_rw; type++) {
        codec->fixed[type] = bytes_before_list(exact, type, memory);
        if (codec->fixed[type] == 0)
            status = quipu__no_memory(err, 0);
    }
    codec->header_text = text_offset(&codec->profile);
    quipu__binary_codec_free(exact);
    return status;
}

/* A record with one request says how many bytes it has. */
static enum quipu_status init_fast(struct quipu__charisma_machine_codec *codec, struct quipu__memory *memory,
                                   struct quipu_error *err) {
    struct quipu__charisma_single_request list = {{1, 0}, {.offset = 0}};
    const union quipu__charisma_any rw = {.rw = {.num_clients = 1, .requests = &list.entry}};
    struct quipu__binary_encoder encoder = {.codec = codec->binary};
    struct quipu__buffer out;
    quipu__buffer_init(&out, memory, 0);
    quipu__binary_encode(&encoder, QUIPU__CHARISMA_TYPE_rw, &rw, &out);
    if (!out.failed)
        fast_init(&codec->fast, codec->binary, codec->fixed[QUIPU__CHARISMA_TYPE_rw], (uint32_t)out.len);
    const enum quipu_status status = out.failed ? (enum quipu_status)quipu__no_memory(err, 0) : QUIPU_OK;
    quipu__buffer_release(&out);
    return status;
}

enum quipu_status quipu__charisma_codec_init(struct quipu__charisma_machine_codec *codec,
                                             struct quipu__memory *memory,
                                             const struct quipu__charisma_profile *profile,
                                             struct quipu_error *err) {
    *codec = (struct quipu__charisma_machine_codec){.profile = *profile};
    enum quipu_status status = measure(codec, memory, err);
    const struct quipu__machine machine = quipu__charisma_machine(&codec->profile);
    if (status == QUIPU_OK)
        status = quipu__binary_codec_new(memory, quipu__charisma_types, QUIPU__CHARISMA_TYPE_COUNT, &machine,
                                         &codec->binary, err);
    return status == QUIPU_OK ? init_fast(codec, memory, err) : status;
}

void quipu__charisma_codec_release(struct quipu__charisma_machine_codec *codec) {
    quipu__binary_codec_free(codec->binary);
    codec->binary = NULL;
}

/* ---- Encoding ---- */

void quipu__charisma_encode(const struct quipu__charisma_machine_codec *codec, uint32_t type,
                            const union quipu__charisma_any *data, struct quipu__buffer *out,
                            uint64_t *narrowed) {
    struct quipu__binary_encoder encoder = {.codec = codec->binary};
    if (type == QUIPU__CHARISMA_TYPE_comp_rw) {
        quipu__charisma_compressed_put(&codec->profile, &data->comp_rw, out);
        return;
    }
    quipu__binary_encode(&encoder, type, data, out);
    *narrowed += encoder.narrowed;
}
