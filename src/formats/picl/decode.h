/* decode.h: records of the new format from text, one at a time.
 *
 * A decoder goes over the lines of a file. It knows records that span lines, lines with several records, and every other
 * deviation that the specification puts up with, and reports what it meets. Most lines are as a writer writes them: these
 * take a fast path (fast_line.h), which accepts a part of what the complete decoder does and gives the same.
 *
 *     decoder.at, .end, .ended, .offset = the window of the input
 *     switch (quipu__picl_decode(&decoder, &record))
 *     case QUIPU__PICL_RECORD:  decoder.record, decoder.values …
 *     case QUIPU__PICL_NOTHING: a blank line, or one that was rejected
 *     case QUIPU__PICL_CUT:     the window is too small: widen it and try again; at its end, with ended set: the end
 */
#ifndef QUIPU_PICL_DECODE_H
#define QUIPU_PICL_DECODE_H

#include "core/memory/buffer.h"
#include "core/memory/vec.h"
#include "formats/picl/numbers.h"
#include "formats/picl/scope.h"

/* The rules of rules.def. */
enum quipu__picl_rule {
#define RULE(name, id, severity, text, advice) QUIPU__PICL_RULE_##name,
#include "formats/picl/rules.def"
#undef RULE
    QUIPU__PICL_RULE_COUNT
};
extern const struct quipu_rule quipu__picl_rules[QUIPU__PICL_RULE_COUNT];

/* Values of a record that the fast path keeps, and that fit records without a list. */
#define QUIPU__PICL_FAST_VALUES 8

/* A record as text says it. */
struct quipu__picl_record {
    int64_t record_type, event_type, processor, process, count;
    struct quipu__picl_decimal time;
    const uint8_t *time_text;
    size_t time_len;
    struct quipu_value descriptor; /* an integer, or a text with its quotes; a text without bytes: none */
    const struct quipu_value *values;
    uint32_t value_count;
    bool
        is_fast; /* descriptor and values are not set: the values are the first of integers, each a field (descriptor 2), or
                     two of them ("%d%d") where the count says so */
    int64_t integers[QUIPU__PICL_FAST_VALUES];
    const uint8_t *text; /* all of it */
    size_t len;
    uint64_t byte, line; /* where it begins */
};

enum quipu__picl_decoded { QUIPU__PICL_RECORD, QUIPU__PICL_NOTHING, QUIPU__PICL_CUT, QUIPU__PICL_NO_MEMORY };

/* Called for each deviation; found is a text of at most 60 characters. */
typedef void quipu__picl_report(void *context, enum quipu__picl_rule rule, uint64_t line, uint64_t byte,
                                const char *found);

#define QUIPU__PICL_CONTROLS 8

/* What the fast path expects of a line, by the last one that was not as expected. */
struct quipu__picl_expected {
    uint64_t whole, whole_mask; /* the bytes of the timestamp up to its point */
    size_t whole_len;           /* of them */
    uint64_t seconds;           /* their value in units of the last decimal */
    unsigned decimals;
    uint64_t low_scale;               /* 10 to the power of the decimals beyond eight */
    uint64_t location, location_mask; /* the bytes of processor and process, from blank to blank */
    size_t location_len;              /* of them */
    int64_t processor, process;
};

struct quipu__picl_decoder {
    struct quipu__memory *memory;
    const struct quipu__picl_scope *scope;
    quipu__picl_report *report; /* may be NULL */
    void *context;

    /* the window */
    const uint8_t *at, *end;
    bool ended;
    uint64_t offset; /* of end in the file */
    uint64_t line;   /* number of the line at at, from 1 */

    /* the current lines as one text, from next on; NULL when there are none */
    const uint8_t *next, *text_end;
    const uint8_t *behind; /* the place in the window after them */
    uint64_t text_byte;    /* offset in the file of the text's beginning */
    const uint8_t *text;   /* its beginning */
    uint32_t line_count;   /* lines that it consists of */
    struct quipu__buffer joined;
    bool has_carriage_return; /* has been reported */

    struct quipu__picl_expected expected;
    QUIPU__VEC(struct quipu_value) values;
    struct quipu__buffer spaced; /* characters that had separators, without them */
    struct {
        char text[48];
        size_t len;
        struct quipu__picl_control control;
    } controls[QUIPU__PICL_CONTROLS]; /* control strings that were compiled */
    struct quipu__picl_control control;
};

void quipu__picl_decoder_init(struct quipu__picl_decoder *decoder, struct quipu__memory *memory,
                              const struct quipu__picl_scope *scope);
void quipu__picl_decoder_release(struct quipu__picl_decoder *decoder);

/* The next record, or nothing: a step of one line at most. What the record points to lives until the next step. */
enum quipu__picl_decoded quipu__picl_decode(struct quipu__picl_decoder *decoder,
                                            struct quipu__picl_record *record);

/* Whether the current lines have further records: the decoder must not be moved now. */
static inline bool quipu__picl_is_inside(const struct quipu__picl_decoder *decoder) {
    return decoder->next != NULL;
}

#endif
