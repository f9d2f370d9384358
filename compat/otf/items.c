/* items.c: decoding lines of events ahead, by the scanner of the format: lines of numbers as OTF's writer makes them.
 * Everything else is left to the complete decoder. */
#include "items.h"
#include "rbuffer.h"

#include <string.h>

/* OTF's numbers of the types. */
static uint16_t id_of(uint16_t type) {
    return (uint16_t)quipu__otf_schema.types[type].id;
}

/* Types with larger numbers are left to the complete decoder: compat_is_call is one shift. */
#define IDS 64

/* Decodes the ready line at a place with the state lines before it. Returns the place behind it, NULL when it is not
 * ready. */
static const uint8_t *take_any(struct quipu__keyed_lines *lines, struct compat_item *item) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS], count = 0;
    const uint8_t *first;
    const struct quipu__keyed_pattern *pattern = quipu__keyed_next(lines, numbers, &first, &count);
    if (!pattern || quipu__otf_schema.types[pattern->type].size > sizeof item->fields ||
        id_of(pattern->type) >= IDS)
        return NULL;
    quipu__keyed_store(pattern, numbers, &item->fields);
    compat_narrow_handle((enum quipu__otf_type)pattern->type, &item->fields);
    item->time = lines->state.time;
    item->process = lines->state.process;
    item->type = pattern->type;
    item->id = id_of(item->type);
    return lines->p;
}

/* State lines as before, and an Enter or a Leave without a source location: most of a trace is so. Returns the place behind
 * the record, NULL when anything is different. */
COMPAT_INLINE const uint8_t *take_call(const uint8_t *at, const struct quipu__keyed_seen *seen,
                                       const struct quipu__keyed_twins *twins, struct compat_item *item) {
    static const struct {
        uint16_t type, id;
    } types[2] = {{QUIPU__OTF_Enter, OTF_ENTER_RECORD}, {QUIPU__OTF_Leave, OTF_LEAVE_RECORD}};
    struct quipu__keyed_triple triple;
    const uint8_t *const behind = quipu__keyed_take_triple(at, seen, twins, true, &triple);
    if (!behind)
        return NULL;
    item->time = triple.time;
    item->process = seen->process;
    item->type = types[triple.is_second].type;
    item->id = types[triple.is_second].id;
    item->fields.Enter.function = triple.number;
    item->fields.Enter.source = 0;
    return behind;
}

/* ---- Batches ---- */

static void begin_lines(struct compat_items *items) {
    const struct quipu__keyed_scanner *scanner = compat_scanner(QUIPU__OTF_EVENTS);
    items->lines = (struct quipu__keyed_lines){.grammar = &quipu__otf_grammar,
                                               .scanner = scanner,
                                               .kind = QUIPU__OTF_EVENTS,
                                               .seen = QUIPU__KEYED_NOTHING_SEEN};
    if (scanner)
        items->twins = quipu__keyed_twins_of(scanner, QUIPU__OTF_Enter, QUIPU__OTF_Leave);
}

/* Decodes ready lines of what is in the buffer, up to the first that is not. The last bytes are left to the complete
 * decoder, so that nothing here has to look for the end. */
static uint32_t take_batch(const OTF_RBuffer *rbuffer, struct compat_items *items) {
    if (rbuffer->lastnewline < rbuffer->pos + QUIPU__KEYED_LINE)
        return 0;
    const uint8_t *const data = (const uint8_t *)rbuffer->buffer;
    const uint8_t *const last = data + rbuffer->lastnewline - QUIPU__KEYED_LINE;
    struct quipu__keyed_lines *lines = &items->lines;
    if (!lines->grammar)
        begin_lines(items);
    lines->p = data + rbuffer->pos;
    lines->end = data + rbuffer->lastnewline;
    lines->state = (struct quipu__keyed_state){rbuffer->time, rbuffer->process};
    uint32_t count = 0;
    while (count < COMPAT_ITEMS && lines->p <= last) {
        const uint8_t *next = take_any(lines, &items->items[count]);
        if (!next)
            break;
        do {
            items->items[count++].pos = (uint32_t)(next - data);
            lines->p = next;
        } while (items->twins.are_there && count < COMPAT_ITEMS && next <= last &&
                 (next = take_call(next, &lines->seen, &items->twins, &items->items[count])) != NULL);
        lines->state =
            (struct quipu__keyed_state){items->items[count - 1].time, items->items[count - 1].process};
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
