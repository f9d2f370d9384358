/* keyed_text.h: records ↔ lines of text by the table: keywords before values, hexadecimal numbers, texts in quotes, lists.
 *
 *     5f                 time line: the time of the records that follow
 *     *1                 process line
 *     S2L400T7C2001 a record in the short form: keyword, then each field after its own keyword
 *     SEND 2 LEN 400 TAG 7 COMM 2001      the same in the long form
 *
 * The rows of the format's records.def define the lines completely: the keywords of both forms, the older spellings, the
 * order of the fields and whether a part may be missing. No other part of a format spells a keyword.
 *
 * There is one complete decoder (keyed_decode.c), which accepts every spelling; one encoder (keyed_encode.c); and one fast
 * scanner (keyed_scan.h), which accepts lines of numbers in the encoder's spelling. The scanner is built from the same
 * rows when a trace is opened. What it does not accept is left to the decoder, so both may alternate freely.
 *
 * Reading has two steps: quipu__keyed_recognise finds out what a line is and stops after its keyword; then the caller
 * decodes the fields or skips them. State lines are applied at once.
 *
 *     struct quipu__keyed_lines lines = {.grammar = &grammar, .kind = kind, .p = text, .end = text + size, .ended = true};
 *     switch (quipu__keyed_recognise(&lines)) {
 *     case QUIPU__KEYED_RECORD: quipu__keyed_decode(&lines, lines.form, &scratch, &record, NULL); break;
 *     case QUIPU__KEYED_VALUE:  the caller's own; quipu__keyed_skip_line(&lines); break;
 *     case QUIPU__KEYED_OTHER:  text from lines.p to the newline; quipu__keyed_skip_line(&lines); break;
 *     ...
 *
 * The functions do not judge: the caller decides what to do about a malformed line.
 */
#ifndef QUIPU_SCHEMA_KEYED_TEXT_H
#define QUIPU_SCHEMA_KEYED_TEXT_H

#include "core/memory/buffer.h"
#include "schema/schema.h"

/* ---- The grammar: data of the format ---- */

/* A form of line that gives a record: the current form of a type, or an older one. */
struct quipu__keyed_form {
    uint16_t type; /* index in the schema */
    uint8_t kind;  /* of file */
    const char *key, *key_long;
    const struct quipu_field *fields;
    uint32_t field_count;
};

/* A further keyword of a field. */
struct quipu__keyed_older_key {
    uint16_t type;
    uint16_t offset; /* of the field's member */
    const char *key;
};

/* A keyword in both forms. */
struct quipu__keyed_spelling {
    const char *key, *key_long;
};

/* inline_kind of a kind between whose lines no others may be. */
#define QUIPU__KEYED_NO_KIND 0xff

/* A kind of file. */
struct quipu__keyed_kind {
    const char *prefix, *prefix_long; /* beginning of all keywords, may be "" */
    uint8_t inline_kind;              /* lines of this kind may be between the others */
    bool is_lenient;                  /* after a missing keyword numbers are 0 and no keyword is expected */
};

struct quipu__keyed_grammar {
    const struct quipu_schema *schema;
    const struct quipu__keyed_form
        *forms; /* older ones first: one that extends a current line is found before it */
    uint32_t form_count;
    const struct quipu__keyed_older_key *older_keys;
    uint32_t older_key_count;
    const struct quipu__keyed_kind *kinds;
    const bool *skips_words; /* by type: capitals and comment marks after the keyword are skipped */
    char comment_mark;
    char process_mark;                         /* beginning of a process line */
    const struct quipu__keyed_spelling *value; /* of the lines that precede a record and belong to it */
};

/* ---- Lines ---- */

/* Time and process before any state line. */
#define QUIPU__KEYED_NO_TIME UINT64_MAX
#define QUIPU__KEYED_NO_PROCESS UINT32_MAX

/* What the latest state lines said. */
struct quipu__keyed_state {
    uint64_t time;
    uint32_t process;
};
#define QUIPU__KEYED_STATE_INIT                                                                                \
    { QUIPU__KEYED_NO_TIME, QUIPU__KEYED_NO_PROCESS }

/* What the latest state lines looked like: most of the next ones differ only in the last digits of the time. */
struct quipu__keyed_seen {
    uint64_t time_before,
        time_mask;         /* a time's digits before its last eight, and which bytes of a word they are */
    uint64_t time_upper;   /* the value of those */
    uint64_t process_line; /* the newline before a process line and the line, when both fit into a word */
    uint64_t process_mask; /* which bytes of the word they are */
    uint32_t time_len;     /* digits */
    uint32_t time_last;    /* where the last eight begin, or all if there are fewer */
    uint32_t time_shift;   /* moves them to the end of a word */
    uint32_t process_len;  /* bytes of both newlines and what is between them */
    uint32_t process;
};

/* Matches nothing: no bit of a line counts, and the expected words are not 0. */
#define QUIPU__KEYED_NOTHING_SEEN                                                                              \
    { .process_line = 1 }

/* A place in a file's text. */
struct quipu__keyed_lines {
    const struct quipu__keyed_grammar *grammar;
    const struct quipu__keyed_scanner
        *scanner; /* of the same kind; NULL: every keyword is searched for in the table */
    uint8_t kind;
    bool ended;         /* nothing comes after end */
    bool watches_texts; /* a text that would swallow records ends with its line, and a missing one is empty */
    const uint8_t *p, *end; /* the remaining text at hand */
    struct quipu__keyed_state state;
    struct quipu__keyed_seen seen;        /* by the scanner; QUIPU__KEYED_NOTHING_SEEN at first */
    const struct quipu__keyed_form *form; /* of the line recognised last */
    const uint8_t *rest;                  /* rest of the latest record that no field has used, NULL: none */
};

enum quipu__keyed_line {
    QUIPU__KEYED_MORE,    /* no newline up to end; p has not moved. When ended: the unfinished last line */
    QUIPU__KEYED_TIME,    /* applied; p is after the line */
    QUIPU__KEYED_PROCESS, /* the same */
    QUIPU__KEYED_EMPTY,   /* nothing or white space; p is after the line */
    QUIPU__KEYED_VALUE,   /* value: p is after the keyword */
    QUIPU__KEYED_RECORD,  /* form is set, p is after the keyword */
    QUIPU__KEYED_OTHER    /* no known record: p is after white space and a prefix, if any */
};

/* Looks at the next line. */
enum quipu__keyed_line quipu__keyed_recognise(struct quipu__keyed_lines *lines);

enum quipu__keyed_result {
    QUIPU__KEYED_DECODED,   /* p is after the line */
    QUIPU__KEYED_MALFORMED, /* p is where something was missing */
    QUIPU__KEYED_UNCLOSED,  /* watches_texts: a text lacks its closing quote; p is where it begins */
    QUIPU__KEYED_CUT, /* a text continues after end and more may come: start the line again with more of it */
    QUIPU__KEYED_NO_ROOM /* memory is out */
};

/* Decodes the fields of a form into data, the struct of its type. Lists and texts go to scratch. Members without a
 * field in the form are zero. fault (may be NULL) is set to the field that a malformed line lacks. */
enum quipu__keyed_result quipu__keyed_decode(struct quipu__keyed_lines *lines,
                                             const struct quipu__keyed_form *form,
                                             struct quipu__scratch *scratch, void *data,
                                             const struct quipu_field **fault);

/* ---- Steps, for lines that a format reads itself ---- */

/* A number: white space, then hexadecimal digits in lower case; wraps at 64 bits. */
uint64_t quipu__keyed_take_number(struct quipu__keyed_lines *lines);

/* Tests for a keyword in either spelling. White space is skipped even when it is not there. */
bool quipu__keyed_take_keyword(struct quipu__keyed_lines *lines, const struct quipu__keyed_spelling *keyword);

/* Skips white space, and one byte if it is this one. */
bool quipu__keyed_take_mark(struct quipu__keyed_lines *lines, char mark);

/* Skips capitals and comment marks. */
void quipu__keyed_skip_words(struct quipu__keyed_lines *lines);
void quipu__keyed_skip_blanks(struct quipu__keyed_lines *lines);

/* Moves after the next newline. */
void quipu__keyed_skip_line(struct quipu__keyed_lines *lines);

/* Whether a byte can be part of a list of numbers: a digit, white space or a comma. */
bool quipu__keyed_is_in_list(uint8_t c);

/* ---- Writing ---- */

/* A record's own line with its newline. data is the struct of the type. Quotes and newlines inside texts become blanks: a
 * line cannot hold them. */
void quipu__keyed_encode(struct quipu__buffer *out, const struct quipu_record_type *type, const void *data,
                         bool long_form);

/* Whether a part of a record's line is written. */
bool quipu__keyed_is_written(const struct quipu_record_type *type, uint32_t index, const void *data);

/* Whether a line can hold a text as it is. */
static inline bool quipu__keyed_can_hold(const char *text, size_t len) {
    return len == 0 || (!memchr(text, '"', len) && !memchr(text, '\n', len));
}

/* A keyword that is a word has blanks around it in the long form; dots and colons have none. */
static inline bool quipu__keyed_is_word(const char *key) {
    return key[0] && ((key[0] >= 'A' && key[0] <= 'Z') || (key[1] >= 'A' && key[1] <= 'Z'));
}

#endif
