/* open_text.c: texts that have lost the quote at their end.
 *
 *     #"random comment2        the quote is damaged
 *     998                      so the text seems to go on ...
 *     *3
 *     E3fa
 *     #"another one"           ... to the next quote, here or many records later
 *
 * A text may go on behind the end of its line, though no writer writes such a one. It has lost its end when one of the
 * lines that it would swallow, that with the next quote included, is a record just as a writer writes it, to the last
 * byte. Lines of numbers do not count: they occur in other texts too.
 */
#include "formats/otf/format.h"

/* Whether a writer would write the record so, in the short form or in the long one. */
static enum quipu__otf_text is_written(const struct quipu__otf_lines *line, const uint8_t *begin,
                                       const union quipu__otf_any *data, struct quipu__memory *memory) {
    enum quipu__otf_text result = QUIPU__OTF_TEXT_GOES_ON;
    for (int long_form = 0; long_form < 2 && result == QUIPU__OTF_TEXT_GOES_ON; long_form++) {
        struct quipu__buffer text;
        quipu__buffer_init(&text, memory, 0);
        quipu__otf_encode(&text, line->form->type, data, long_form != 0);
        if (text.failed)
            result = QUIPU__OTF_TEXT_NO_ROOM;
        else if (text.len == (size_t)(line->end - begin) && memcmp(text.data, begin, text.len) == 0)
            result = QUIPU__OTF_TEXT_IS_OPEN;
        quipu__buffer_release(&text);
    }
    return result;
}

/* Looks at one line with its newline. */
static enum quipu__otf_text look_at_line(const struct quipu__otf_lines *lines, const uint8_t *begin,
                                         const uint8_t *end, struct quipu__scratch *scratch) {
    struct quipu__otf_lines line = {
        .file = lines->file, .at = begin, .end = end, .ended = true, .state = QUIPU__OTF_STATE_INIT};
    union quipu__otf_any data;
    if ((*begin < 'A' || *begin > 'Z') && *begin != '#')
        return QUIPU__OTF_TEXT_GOES_ON;
    if (quipu__otf_recognise(&line) != QUIPU__OTF_LINE_RECORD)
        return QUIPU__OTF_TEXT_GOES_ON;
    switch (quipu__otf_parse(&line, line.form, scratch, &data, NULL)) {
    case QUIPU__OTF_PARSED:
        return is_written(&line, begin, &data, scratch->memory);
    case QUIPU__OTF_NO_ROOM:
        return QUIPU__OTF_TEXT_NO_ROOM;
    case QUIPU__OTF_BAD:
    case QUIPU__OTF_OPEN:
    case QUIPU__OTF_CUT:
        break;
    }
    return QUIPU__OTF_TEXT_GOES_ON;
}

enum quipu__otf_text quipu__otf_look_into_text(const struct quipu__otf_lines *lines, const uint8_t *newline,
                                               const uint8_t *quote, struct quipu__scratch *scratch) {
    const uint8_t *begin = newline + 1, *const last = quote ? quote : lines->end;
    enum quipu__otf_text result = QUIPU__OTF_TEXT_GOES_ON;
    while (begin < last && result == QUIPU__OTF_TEXT_GOES_ON) {
        const uint8_t *end = memchr(begin, '\n', (size_t)(lines->end - begin));
        if (!end)
            break;
        result = look_at_line(lines, begin, end + 1, scratch);
        begin = end + 1;
    }
    return result;
}
