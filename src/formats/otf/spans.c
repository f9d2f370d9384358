/* spans.c: copying without decoding: spans of canonical records in the window.
 *
 *     1a2b\n*1\nE5\nL5\n      head: time line and process line; then records of that time and process
 *
 * A span begins at state lines, or right where the last one ended, and extends to the next state line. It holds records of
 * numbers in the short form without optional parts, checked digit by digit; it ends at anything else, and the complete
 * decoder reads the next record.
 */
#include "formats/otf/format.h"

_Static_assert(QUIPU__KEYED_LINE >= QUIPU__SPAN_SLACK && QUIPU__INPUT_ZEROS >= 2 * QUIPU__KEYED_LINE,
               "what lies behind a span can be read");

struct cursor {
    const struct quipu__keyed_scanner *scanner;
    struct quipu__keyed_state state;
    struct quipu__keyed_seen seen;
    const struct quipu__keyed_twins *twins; /* enter and leave */
    const uint8_t *limit;                   /* lines begin before it */
    uint64_t *records_of;
    uint64_t records, lines;
};

/* Skips a record; NULL when it is not canonical. */
QUIPU__INLINE const uint8_t *skip_record(const uint8_t *p, struct cursor *cursor) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    const struct quipu__keyed_pattern *const pattern = quipu__keyed_pattern_at(cursor->scanner, p);
    if (QUIPU__UNLIKELY(!pattern || pattern->is_long || pattern->form->kind != QUIPU__OTF_EVENTS))
        return NULL;
    const uint8_t *behind = quipu__keyed_record(pattern, p, numbers);
    if (QUIPU__UNLIKELY(!behind) && pattern->type == QUIPU__OTF_Leave && p[pattern->keyword_len] == '\n')
        behind = p + pattern->keyword_len + 1;
    if (behind)
        cursor->records_of[pattern->type]++;
    return behind;
}

/* Skips the state lines at p, if any; NULL when they are not canonical. */
QUIPU__INLINE const uint8_t *skip_head(const uint8_t *p, struct cursor *cursor, bool *has_both) {
    const bool has_time = (uint8_t)(*p - '0') < 10 || (uint8_t)(*p - 'a') < 6;
    bool is_new;
    if (QUIPU__LIKELY(has_time)) {
        uint64_t time = 0;
        p = quipu__keyed_time_line(p, &cursor->seen, &time);
        if (QUIPU__UNLIKELY(!p || time > INT64_MAX))
            return NULL;
        cursor->state.time = time;
        cursor->lines++;
    }
    const bool has_process = *p == QUIPU__OTF_PROCESS_MARK;
    *has_both = has_time && has_process;
    if (QUIPU__UNLIKELY(!has_process))
        return p;
    p = quipu__keyed_process_line(p, &cursor->seen, &is_new);
    cursor->state.process = cursor->seen.process;
    cursor->lines++;
    return p;
}

/* State lines as before and a call: the head and the first record of a span in one step. */
QUIPU__INLINE const uint8_t *skip_triple(const uint8_t *p, struct cursor *cursor, struct quipu__span *span) {
    struct quipu__keyed_triple triple;
    const uint8_t *const behind = quipu__keyed_take_triple(p, &cursor->seen, cursor->twins, false, &triple);
    if (QUIPU__UNLIKELY(!behind || triple.time > INT64_MAX))
        return NULL;
    cursor->state = (struct quipu__keyed_state){triple.time, cursor->seen.process};
    cursor->records_of[triple.is_second ? QUIPU__OTF_Leave : QUIPU__OTF_Enter]++;
    cursor->lines += 2;
    span->has_head = true;
    span->head = (uint32_t)(triple.record - p);
    return behind;
}

/* Reads one span at p, which must be before the limit; returns the place after it, or p when there is none. */
QUIPU__INLINE const uint8_t *read_span(const uint8_t *p, struct cursor *cursor, struct quipu__span *span) {
    const struct quipu__keyed_state before = cursor->state;
    const uint64_t lines = cursor->lines;
    const uint8_t *end = QUIPU__LIKELY(cursor->twins->are_there) ? skip_triple(p, cursor, span) : NULL;
    uint32_t records = end != NULL;
    if (!end) {
        end = skip_head(p, cursor, &span->has_head);
        span->head = end ? (uint32_t)(end - p) : 0;
    }
    for (const uint8_t *next = end; next && end < cursor->limit && (next = skip_record(end, cursor)) != NULL;
         end = next)
        records++;
    if (QUIPU__UNLIKELY(records == 0)) {
        cursor->state = before;
        cursor->lines = lines;
        return p;
    }
    cursor->records += records;
    cursor->lines += records;
    span->time = cursor->state.time;
    span->location = cursor->state.process;
    span->bytes = p;
    span->len = (uint32_t)(end - p);
    return end;
}

uint32_t quipu__otf_next_spans(struct quipu__pass *base, struct quipu__span *spans, uint32_t capacity) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    struct quipu__input *input = pass->input;
    const struct quipu__keyed_scanner *const scanner = pass->lines.scanner;
    uint32_t count = 0;
    if (!pass->has_state || pass->stream_file->file != QUIPU__OTF_EVENTS)
        return 0;
    if (input->end - input->at < 4 * QUIPU__KEYED_LINE && !input->ended)
        (void)quipu__input_more(input, 4 * QUIPU__KEYED_LINE,
                                NULL); /* a failure comes again with the next record */
    const uint8_t *const limit = quipu__input_limit(input, 2 * QUIPU__KEYED_LINE), *p = input->at;
    if (p >= limit)
        return 0;
    struct cursor cursor = {.scanner = scanner,
                            .state = pass->lines.state,
                            .seen = QUIPU__KEYED_NOTHING_SEEN,
                            .twins = &pass->twins,
                            .limit = limit,
                            .records_of = pass->records_of};
    while (p < cursor.limit && count < capacity) {
        const uint8_t *const end = read_span(p, &cursor, &spans[count]);
        if (end == p)
            break;
        p = end;
        count++;
    }
    pass->lines.state = cursor.state;
    input->at = p;
    pass->line += cursor.lines;
    pass->index += cursor.records;
    base->records += cursor.records;
    base->bytes = quipu__input_consumed(input);
    return count;
}
