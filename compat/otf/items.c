/* items.c: decoding lines of events ahead, by the table of the format: a short keyword, its fields with their
 * short keywords, the source location at the end, a newline. Everything else is left to the decoder of the
 * format. */
#include "items.h"
#include "rbuffer.h"

#include "formats/otf/pair.h"

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
static enum quipu__otf_type take_record(const uint8_t **at, union compat_ready *fields) {
    switch (*(*at)++) {
    case 'E':
        return READY(Enter);
    case 'L':
        return READY(Leave);
    case 'S':
        return READY(SendMsg);
    case 'R':
        return READY(RecvMsg);
    default:
        (*at)--;
        return take_other(at, fields);
    }
}

/* ---- Lines with what is before them ---- */

/* What the state lines have said last, in front of the record at hand. */
struct state {
    uint64_t time;
    uint32_t process;
};

/* The first bytes of a word, all of it when there are more. */
static uint64_t mask_of(size_t bytes) {
    return bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : UINT64_MAX;
}

static bool take_time(const uint8_t **at, struct state *state, struct compat_pattern *pattern) {
    const uint8_t *const begin = *at;
    if (!take_hex(at, &state->time))
        return false;
    const size_t digits = (size_t)(*at - begin), before = digits > 8 ? digits - 8 : 0;
    pattern->time_digits = (uint32_t)digits;
    pattern->time_shift = digits < 8 ? (uint32_t)(64 - 8 * digits) : 0;
    pattern->time_mask = mask_of(before);
    pattern->time_before = quipu__load_le64(begin) & pattern->time_mask;
    pattern->time_upper = before ? state->time & ~(uint64_t)UINT32_MAX : 0;
    return take_key(at, '\n');
}

static bool take_process(const uint8_t **at, struct state *state, struct compat_pattern *pattern) {
    const uint8_t *const begin = *at;
    ++*at;
    if (!take_u32(at, &state->process) || !take_key(at, '\n'))
        return false;
    const size_t bytes = (size_t)(*at - begin);
    pattern->process = state->process;
    pattern->line_bytes = (uint32_t)bytes;
    pattern->line_mask = mask_of(bytes);
    pattern->line = bytes <= 8 ? quipu__load_le64(begin) & pattern->line_mask : 0; /* no line begins so */
    return true;
}

/* The state lines before a record, as the writer makes them: a time line and a process line, either or none.
 * False when there is something else or something odd. */
static bool take_states(const uint8_t **at, struct state *state, struct compat_pattern *pattern) {
    const uint8_t first = **at;
    if ((first & SMALL) == 0)
        return true;
    if (first != '*' && !take_time(at, state, pattern))
        return false;
    return **at != '*' || take_process(at, state, pattern);
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

/* Decodes the ready line at a place with the state lines before it. Returns the place behind it, NULL when it is not
 * ready. */
static const uint8_t *take_any(const uint8_t *at, struct state *state, struct compat_pattern *pattern,
                               struct compat_item *item) {
    if (!take_states(&at, state, pattern))
        return NULL;
    const enum quipu__otf_type type = take_record(&at, &item->fields);
    if (type == QUIPU__OTF_TYPE_COUNT)
        return NULL;
    item->time = state->time;
    item->process = state->process;
    item->type = (uint16_t)type;
    item->id = ids[type];
    return at;
}

/* A time line with as many digits as the one before, the same process line again, and an Enter or a Leave without a
 * source location: most of a trace is so. Where the lines are follows from their lengths, so that nothing waits for the
 * reading of a number. Returns the place behind the record, NULL when anything is different. */
QUIPU__INLINE const uint8_t *take_usual(const uint8_t *at, const struct compat_pattern *pattern,
                                        struct compat_item *item) {
    static const struct {
        uint16_t type, id;
    } kinds[2] = {{QUIPU__OTF_Enter, OTF_ENTER_RECORD}, {QUIPU__OTF_Leave, OTF_LEAVE_RECORD}};
    const uint32_t digits = pattern->time_digits, last = digits > 8 ? digits - 8 : 0;
    const uint8_t *const line = at + digits + 1, *const record = line + pattern->line_bytes;
    const uint64_t word = quipu__load_le64(record);
    const unsigned bits = quipu__trailing_zeros(~(word >> 8) & QUIPU__OTF_EACH(SMALL)) & 56;
    const bool leaves = *record == 'L',
               enters = (*record == 'E') & (bits > 0); /* a Leave may have no function */
    if ((at[digits] ^ '\n') | ((quipu__load_le64(at) & pattern->time_mask) ^ pattern->time_before) |
        ((quipu__load_le64(line) & pattern->line_mask) ^ pattern->line) | (record[1 + bits / 8] ^ '\n'))
        return NULL;
    if (!(leaves | enters))
        return NULL;
    bool valid;
    const uint64_t time = quipu__otf_bare_digits(quipu__load_le64(at + last)) << pattern->time_shift;
    const uint64_t function = quipu__otf_bare_digits(word) >> 8 << (56 - bits) << 8;
    const uint64_t pair = quipu__otf_pack_pair(time, function, &valid);
    item->time = pattern->time_upper | pair >> 32;
    item->process = pattern->process;
    item->type = kinds[leaves].type;
    item->id = kinds[leaves].id;
    item->fields.Enter.function = (uint32_t)pair;
    item->fields.Enter.source = 0;
    return valid ? record + 2 + bits / 8 : NULL;
}

/* ---- Batches ---- */

/* Decodes ready lines of what is in the buffer, up to the first that is not. The last bytes are left to the
 * other way, so that nothing here has to look for the end. */
static uint32_t take_batch(const OTF_RBuffer *rbuffer, struct compat_items *items) {
    if (rbuffer->lastnewline < rbuffer->pos + GROUP_BYTES)
        return 0;
    const uint8_t *const data = (const uint8_t *)rbuffer->buffer;
    const uint8_t *const last = data + rbuffer->lastnewline - GROUP_BYTES;
    const uint8_t *at = data + rbuffer->pos;
    struct state state = {rbuffer->time, rbuffer->process};
    uint32_t count = 0;
    while (count < COMPAT_ITEMS && at <= last) {
        const uint8_t *next = take_any(at, &state, &items->pattern, &items->items[count]);
        if (!next)
            break;
        do {
            items->items[count++].pos = (uint32_t)(next - data);
            at = next;
        } while (count < COMPAT_ITEMS && at <= last &&
                 (next = take_usual(at, &items->pattern, &items->items[count])) != NULL);
        state.time = items->items[count - 1].time;
        state.process = items->items[count - 1].process;
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
    uint32_t count = file == QUIPU__OTF_EVENTS ? take_batch(rbuffer, items) : 0;
    if (count == 0)
        count = take_line(rbuffer, items->items);
    items->next = items->items;
    items->end = items->items + count;
    return count > 0;
}
