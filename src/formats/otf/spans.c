/* spans.c: copying without decoding: runs of usual records as they lie in the window.
 *
 *     1a2b\n*1\nE5\nL5\n      head: time line and process line; then records of that time and process
 *
 * A run begins at state lines, or right where the last one ended, and goes on to the next state line. It holds the
 * most common kinds of records in short form without optional parts, checked digit by digit; at anything else it ends,
 * and the complete decoder takes the next record.
 */
#include "formats/otf/format.h"

#include "formats/otf/hex.h"

/* The longest usual line: COPB, six numbers of 16 digits and their keys, and what looking at a number reads. */
#define LINE_MOST (4 + 6 * 17 + 1 + QUIPU__OTF_HEX_BYTES)
_Static_assert(LINE_MOST >= QUIPU__SPAN_SLACK, "what lies behind a run can be read");

/* Digits from p on that the byte end follows, and that byte: their length, 0 when it is not so. */
QUIPU__INLINE unsigned skip_number(const uint8_t *p, uint8_t end) {
    uint64_t value;
    const unsigned count = quipu__otf_read_hex(p, &value);
    return QUIPU__LIKELY(count && p[count] == end) ? count + 1 : 0;
}

/* The numbers of a line, each with the byte behind it; the length of all, 0 when one is not so. */
QUIPU__INLINE unsigned skip_numbers(const uint8_t *p, const char *ends, unsigned count) {
    unsigned len = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned more = skip_number(p + len, (uint8_t)ends[i]);
        if (QUIPU__UNLIKELY(!more))
            return 0;
        len += more;
    }
    return len;
}

/* Lines that begin with C: counters, and collective operations that begin or end. */
static unsigned skip_long_key(const uint8_t *p, enum quipu__otf_type *type) {
    unsigned first, rest;
    if (p[1] == 'N' && p[2] == 'T') {
        *type = QUIPU__OTF_Counter;
        first = skip_numbers(p + 3, "V\n", 2);
        return first ? first + 3 : 0;
    }
    if (p[1] != 'O' || p[2] != 'P')
        return 0;
    if (p[3] == 'E') {
        *type = QUIPU__OTF_EndCollectiveOperation;
        first = skip_number(p + 4, '\n');
        return first ? first + 4 : 0;
    }
    *type = QUIPU__OTF_BeginCollectiveOperation;
    first = p[3] == 'B' ? skip_numbers(p + 4, "HCR", 3) : 0;
    rest = first && p[4 + first] == 'T' ? skip_numbers(p + 5 + first, "SR\n", 3) : 0;
    return rest ? 5 + first + rest : 0;
}

/* The length of a usual record's line with its newline, 0 for others. */
QUIPU__INLINE unsigned skip_record(const uint8_t *p, enum quipu__otf_type *type) {
    unsigned len;
    switch (*p) {
    case 'L':
        *type = QUIPU__OTF_Leave;
        if (p[1] == '\n')
            return 2;
        len = skip_number(p + 1, '\n');
        return len ? len + 1 : 0;
    case 'E':
        *type = QUIPU__OTF_Enter;
        len = skip_number(p + 1, '\n');
        return len ? len + 1 : 0;
    case 'S':
    case 'R':
        *type = *p == 'S' ? QUIPU__OTF_SendMsg : QUIPU__OTF_RecvMsg;
        len = skip_numbers(p + 1, "LTC\n", 4);
        return len ? len + 1 : 0;
    case 'C':
        return skip_long_key(p, type);
    default:
        return 0;
    }
}

/* The last process line: most repeat the one before, which is seen without reading the number. */
struct star {
    uint64_t word, mask;
    unsigned len;
};

/* Reads a process line; its length, 0 when it is not usual. */
QUIPU__INLINE unsigned read_process(const uint8_t *p, struct star *star, uint32_t *process) {
    const uint64_t word = quipu__load_le64(p);
    uint64_t number = 0;
    if (QUIPU__LIKELY((word & star->mask) == star->word))
        return star->len;
    const unsigned count = quipu__otf_read_hex(p + 1, &number);
    if (!count || p[1 + count] != '\n' || number >= QUIPU__OTF_NO_PROCESS)
        return 0;
    const unsigned len = count + 2;
    *star = (struct star){.word = 1, .len = len}; /* no line begins with such a byte */
    if (len <= 8) {
        star->mask = len < 8 ? (UINT64_C(1) << 8 * len) - 1 : UINT64_MAX;
        star->word = word & star->mask;
    }
    *process = (uint32_t)number;
    return len;
}

/* Reads the state lines at p, if there are some, and goes behind them. False when they are not usual. */
QUIPU__INLINE bool read_head(const uint8_t **p, struct quipu__otf_state *state, struct star *star,
                             bool *has_both) {
    const uint8_t *at = *p;
    const bool has_time = (uint8_t)(*at - '0') < 10 || (uint8_t)(*at - 'a') < 6;
    unsigned len = 0;
    if (QUIPU__LIKELY(has_time)) {
        uint64_t time = 0;
        len = quipu__otf_read_hex(at, &time);
        if (QUIPU__UNLIKELY(!len || at[len] != '\n' || time > INT64_MAX))
            return false;
        state->time = time;
        at += len + 1;
    }
    *has_both = has_time && *at == '*';
    if (QUIPU__LIKELY(*at == '*')) {
        len = read_process(at, star, &state->process);
        at += len;
        *p = at;
        return len > 0;
    }
    *p = at;
    return true;
}

/* Reads one run at p, which must lie before limit; gives the place behind it, or p when there is none. */
QUIPU__INLINE const uint8_t *read_span(const uint8_t *p, const uint8_t *limit, struct quipu__otf_state *state,
                                       struct star *star, uint64_t *records_of, uint32_t *out_records,
                                       struct quipu__span *span) {
    const struct quipu__otf_state before = *state;
    enum quipu__otf_type type;
    const uint8_t *at = p;
    uint32_t records = 0;
    const bool valid = read_head(&at, state, star, &span->has_head);
    span->head = (uint32_t)(at - p);
    for (unsigned len; valid && at < limit && (len = skip_record(at, &type)) > 0; at += len) {
        records_of[type]++;
        records++;
    }
    if (QUIPU__UNLIKELY(records == 0)) {
        *state = before;
        star->word = 1, star->mask = 0;
        return p;
    }
    span->time = state->time;
    span->location = state->process;
    span->bytes = p;
    span->len = (uint32_t)(at - p);
    *out_records = records;
    return at;
}

uint32_t quipu__otf_next_spans(struct quipu__pass *base, struct quipu__span *spans, uint32_t capacity) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    struct quipu__input *input = pass->input;
    uint64_t records = 0, lines = 0;
    uint32_t count = 0;
    if (!pass->has_state || pass->part->file != QUIPU__OTF_EVENTS)
        return 0;
    if (input->end - input->at < 4 * LINE_MOST && !input->ended)
        (void)quipu__input_more(input, 4 * LINE_MOST, NULL); /* a failure comes again with the next record */
    if (input->end - input->at < 2 * LINE_MOST)
        return 0;
    const uint8_t *const limit = input->end - 2 * LINE_MOST;
    const uint8_t *p = input->at;
    struct quipu__otf_state state = pass->lines.state;
    struct star star = {.word = 1};
    while (p < limit && count < capacity) {
        struct quipu__span *span = &spans[count];
        uint32_t of_span = 0;
        const uint8_t *const end = read_span(p, limit, &state, &star, pass->records_of, &of_span, span);
        if (end == p)
            break;
        records += of_span;
        lines += of_span + (span->head > 0) + span->has_head;
        p = end;
        count++;
    }
    pass->lines.state = state;
    input->at = p;
    pass->line += lines;
    pass->index += records;
    base->records += records;
    base->bytes = quipu__input_consumed(input);
    return count;
}
