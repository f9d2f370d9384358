/* keyed_unclosed.c: texts that have lost the quote at their end.
 *
 *     #"random comment2        the quote is damaged
 *     998                      so the text seems to go on ...
 *     *3
 *     E3fa
 *     #"another one"           ... to the next quote, here or many records later
 *
 * A text may go on behind the end of its line, though no writer writes such a one. It has lost its end when one of the
 * lines that it would swallow, that with the next quote included, is a record just as the encoder writes it, to the last
 * byte. Lines of numbers do not count: they occur in other texts too.
 */
#include "schema/keyed_text.h"

#include <assert.h>
#include <string.h>

/* The struct of any record. */
#define RECORD_BYTES 128

/* Whether the encoder spells the record so, in the short form or in the long one. */
static enum quipu__keyed_result is_canonical(const struct quipu__keyed_lines *line, const uint8_t *begin,
                                             const void *data, struct quipu__memory *memory) {
    enum quipu__keyed_result result = QUIPU__KEYED_DECODED;
    for (int long_form = 0; long_form < 2 && result == QUIPU__KEYED_DECODED; long_form++) {
        struct quipu__buffer text;
        quipu__buffer_init(&text, memory, 0);
        quipu__keyed_encode(&text, &line->grammar->schema->types[line->form->type], data, long_form != 0);
        if (text.failed)
            result = QUIPU__KEYED_NO_ROOM;
        else if (text.len == (size_t)(line->end - begin) && memcmp(text.data, begin, text.len) == 0)
            result = QUIPU__KEYED_UNCLOSED;
        quipu__buffer_release(&text);
    }
    return result;
}

/* Looks at one line with its newline. */
static enum quipu__keyed_result look_at_line(const struct quipu__keyed_lines *lines, const uint8_t *begin,
                                             const uint8_t *end, struct quipu__scratch *scratch) {
    struct quipu__keyed_lines line = {.grammar = lines->grammar,
                                      .kind = lines->kind,
                                      .p = begin,
                                      .end = end,
                                      .ended = true,
                                      .state = lines->state};
    uint64_t data[RECORD_BYTES / sizeof(uint64_t)];
    if ((*begin < 'A' || *begin > 'Z') && *begin != (uint8_t)lines->grammar->comment_mark)
        return QUIPU__KEYED_DECODED;
    if (quipu__keyed_recognise(&line) != QUIPU__KEYED_RECORD)
        return QUIPU__KEYED_DECODED;
    assert(lines->grammar->schema->types[line.form->type].size <= sizeof data);
    switch (quipu__keyed_decode(&line, line.form, scratch, data, NULL)) {
    case QUIPU__KEYED_DECODED:
        return is_canonical(&line, begin, data, scratch->memory);
    case QUIPU__KEYED_NO_ROOM:
        return QUIPU__KEYED_NO_ROOM;
    case QUIPU__KEYED_MALFORMED:
    case QUIPU__KEYED_UNCLOSED:
    case QUIPU__KEYED_CUT:
        break;
    }
    return QUIPU__KEYED_DECODED;
}

enum quipu__keyed_result quipu__keyed_find_text_end(const struct quipu__keyed_lines *lines,
                                                    const uint8_t *newline, const uint8_t *quote,
                                                    struct quipu__scratch *scratch) {
    const uint8_t *begin = newline + 1, *const last = quote ? quote : lines->end;
    enum quipu__keyed_result result = QUIPU__KEYED_DECODED;
    while (begin < last && result == QUIPU__KEYED_DECODED) {
        const uint8_t *end = memchr(begin, '\n', (size_t)(lines->end - begin));
        if (!end)
            break;
        result = look_at_line(lines, begin, end + 1, scratch);
        begin = end + 1;
    }
    return result;
}
