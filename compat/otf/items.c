/* items.c: decoding lines of events ahead, by the table of the format: a short keyword, its fields with their
 * short keywords, the source location at the end, a newline. Everything else is left to the decoder of the
 * format. */
#include "items.h"
#include "rbuffer.h"

#include "formats/otf/hex.h"

#include <string.h>

#define SMALL 0x20       /* a bit that is set in digits and stars, and clear in capitals and newlines */
#define GROUP_BYTES 256u /* more than the longest state lines with a ready line behind them */

/* ---- Fields ---- */

/* A number: its digits must be there. Moves at behind it. */
QUIPU__INLINE bool take_hex(const uint8_t **at, uint64_t *out) {
    const unsigned count = quipu__otf_read_hex(*at, out);
    *at += count;
    return count > 0;
}

QUIPU__INLINE bool take_u32(const uint8_t **at, uint32_t *out) {
    uint64_t value = 0;
    const bool fine = take_hex(at, &value);
    *out = (uint32_t)value;
    return fine;
}

QUIPU__INLINE bool take_key(const uint8_t **at, char key) {
    const bool fine = **at == (uint8_t)key;
    *at += fine;
    return fine;
}

QUIPU__INLINE bool take_keyword(const uint8_t **at, const char *key, size_t length) {
    const bool fine = memcmp(*at, key, length) == 0;
    *at += length;
    return fine;
}

/* Texts and lists are not for lines that are decoded ahead. */
QUIPU__INLINE bool take_nothing(const uint8_t **at, const void *out) {
    (void)at, (void)out;
    return false;
}

/* ---- take_<record>: all fields of a line and its end, by the rows of the table ---- */

#define TAKE_VALUE(member)                                                                                     \
    _Generic((member), uint32_t * : take_u32, uint64_t * : take_hex, default : take_nothing)(at, (member))
#define TAKE_ALWAYS(key, member) take_keyword(at, key, sizeof key - 1) && TAKE_VALUE(member)
#define TAKE_MISSING(key, member) TAKE_ALWAYS(key, member)
#define TAKE_LOOSE(key, member) TAKE_ALWAYS(key, member)
#define TAKE_NONZERO(key, member) (*(member) = 0, **at == '\n' || (TAKE_ALWAYS(key, member)))

#define RECORD(name, id, file, key, key_long, doc)                                                             \
    QUIPU__INLINE bool take_##name(const uint8_t **at, struct quipu__otf_##name *record) {                     \
        (void)record;                                                                                          \
        return true
#define FIELD(record_type, name, domain, key, key_long, when, doc) &&(TAKE_##when(key, &record->name))
#define LIST(record_type, name, domain, key, key_long, when, doc) &&take_nothing(at, &record->name)
#define END(record_type)                                                                                       \
    &&take_key(at, '\n');                                                                                      \
    }
#define NO_FIELDS(record_type)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS

/* ---- Which record ---- */

/* Enter and Leave look alike, but a Leave may have no function. The usual case, no source location, takes no
 * branch on the number of digits, which cannot be foretold, nor on whether there are any. */
QUIPU__INLINE bool take_function(const uint8_t **at, bool may_lack, struct quipu__otf_Enter *record) {
    const uint64_t word = quipu__load_le64(*at);
    const unsigned count =
        quipu__otf_count_digits(word) & 7; /* 8 are no usual case, and are found to be none below */
    const uint64_t digits = word << 8 << (56 - 8 * count) | QUIPU__OTF_EACH(0x30) >> 8 * count;
    bool valid = (*at)[count] == '\n' && (may_lack | (count > 0));
    record->function = (uint32_t)quipu__otf_pack_digits(digits, &valid);
    record->source = 0;
    if (COMPAT_UNLIKELY(!valid))
        return take_Enter(at, record);
    *at += count + 1;
    return true;
}

#define READY(name) (take_##name(at, &fields->name) ? QUIPU__OTF_##name : QUIPU__OTF_TYPE_COUNT)
#define KEYWORD(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* The type of the less frequent keywords; at is behind the keyword afterwards. */
static enum quipu__otf_type take_other(const uint8_t **at, union compat_ready *fields) {
    const uint32_t word = quipu__load_le32(*at);
    const uint32_t small = word & UINT32_C(0x01010101) * SMALL;
    const unsigned length = small ? quipu__trailing_zeros(small) / 8 : 4;
    *at += length;
    switch (length < 4 ? word & ((UINT32_C(1) << 8 * length) - 1) : word) {
    case KEYWORD('C', 'N', 'T', 0):
        return READY(Counter);
    case KEYWORD('C', 'O', 'P', 'B'):
        return READY(BeginCollectiveOperation);
    case KEYWORD('C', 'O', 'P', 'E'):
        return READY(EndCollectiveOperation);
    case KEYWORD('C', 'O', 'P', 0):
        return READY(CollectiveOperation);
    case KEYWORD('F', 'A', 0, 0):
        return READY(BeginFileOperation);
    case KEYWORD('F', 'F', 0, 0):
        return READY(EndFileOperation);
    case KEYWORD('T', 0, 0, 0):
        return READY(RMAPut);
    default:
        return QUIPU__OTF_TYPE_COUNT;
    }
}

/* The type of a ready line, with at behind it; QUIPU__OTF_TYPE_COUNT for any other. */
QUIPU__INLINE enum quipu__otf_type take_record(const uint8_t **at, union compat_ready *fields) {
    const uint8_t first = *(*at)++;
    if (COMPAT_LIKELY(first == 'E' || first == 'L')) {
        const enum quipu__otf_type type = first == 'E' ? QUIPU__OTF_Enter : QUIPU__OTF_Leave;
        return take_function(at, first == 'L', &fields->Enter) ? type : QUIPU__OTF_TYPE_COUNT;
    }
    if (first == 'S')
        return READY(SendMsg);
    if (first == 'R')
        return READY(RecvMsg);
    (*at)--;
    return take_other(at, fields);
}

/* ---- Batches ---- */

/* What the state lines have said last. Most process lines repeat the one before, which is seen by comparing
 * words. */
struct state {
    uint64_t time;
    uint32_t process;
    uint32_t line_bytes;      /* of the last process line, 0 before any */
    uint64_t line, line_mask; /* the line as a word, and which of its bits count */
};

static bool take_process(const uint8_t **at, struct state *state) {
    const uint8_t *end = *at + 1;
    if (!take_u32(&end, &state->process) || *end++ != '\n')
        return false;
    const size_t bytes = (size_t)(end - *at);
    state->line_bytes = bytes <= 8 ? (uint32_t)bytes : 0;
    state->line_mask = bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : UINT64_MAX;
    state->line = quipu__load_le64(*at) & state->line_mask;
    *at = end;
    return true;
}

static bool take_time(const uint8_t **at, struct state *state) {
    return take_hex(at, &state->time) && take_key(at, '\n');
}

/* The state lines before a record, as the writer makes them: a time line and a process line, either or none.
 * False when there is something else or something odd. */
QUIPU__INLINE bool take_states(const uint8_t **at, struct state *state) {
    const uint8_t first = **at;
    if ((first & SMALL) == 0)
        return true;
    if (first != '*' && !take_time(at, state))
        return false;
    if ((quipu__load_le64(*at) & state->line_mask) == state->line && state->line_bytes) {
        *at += state->line_bytes;
        return true;
    }
    return **at != '*' || take_process(at, state);
}

/* OTF's numbers of the types. */
static const uint16_t ids[QUIPU__OTF_TYPE_COUNT] = {
#define RECORD(name, id, file, key, key_long, doc) [QUIPU__OTF_##name] = id,
#define FIELD(record, name, domain, key, key_long, when, doc)
#define LIST(record, name, domain, key, key_long, when, doc)
#define END(record)
#define NO_FIELDS(record)
#include "formats/otf/records.def"
#undef RECORD
#undef FIELD
#undef LIST
#undef END
#undef NO_FIELDS
};

/* Decodes ready lines of what is in the buffer, up to the first that is not. The last bytes are left to the
 * other way, so that nothing here has to look for the end. */
static uint32_t take_batch(const OTF_RBuffer *rbuffer, struct compat_item *items) {
    if (rbuffer->lastnewline < rbuffer->pos + GROUP_BYTES)
        return 0;
    const uint8_t *const data = (const uint8_t *)rbuffer->buffer;
    const uint8_t *const last = data + rbuffer->lastnewline - GROUP_BYTES;
    const uint8_t *at = data + rbuffer->pos;
    struct state state = {rbuffer->time, rbuffer->process, 0, 0, 0};
    uint32_t count = 0;
    while (count < COMPAT_ITEMS && at <= last) {
        struct compat_item *item = &items[count];
        if (!take_states(&at, &state))
            break;
        item->time = state.time;
        item->process = state.process;
        const enum quipu__otf_type type = take_record(&at, &item->fields);
        if (type == QUIPU__OTF_TYPE_COUNT)
            break;
        item->type = (uint16_t)type;
        item->id = ids[type];
        item->pos = (uint32_t)(at - data);
        count++;
    }
    return count;
}

/* One line of any kind, which stays in the buffer. */
static uint32_t take_line(OTF_RBuffer *rbuffer, struct compat_item *item) {
    if (!compat_next_line(rbuffer))
        return 0;
    item->time = rbuffer->time;
    item->process = rbuffer->process;
    item->pos = rbuffer->pos;
    item->type = QUIPU__OTF_TYPE_COUNT;
    item->id = OTF_UNKNOWN_RECORD;
    return 1;
}

bool compat_more_items(OTF_RBuffer *rbuffer, enum quipu__otf_file file) {
    struct compat_items *items = &compat_rbuffer_of(rbuffer)->items;
    uint32_t count = file == QUIPU__OTF_EVENTS ? take_batch(rbuffer, items->at) : 0;
    if (count == 0)
        count = take_line(rbuffer, items->at);
    items->next = items->at;
    items->end = items->at + count;
    return count > 0;
}
