/* lines.h: the lines of OTF files, read and written one at a time, driven by the record table.
 *
 * Reading has two steps, as OTF's own library has: quipu__otf_recognise finds out what a line is and stops behind
 * its keyword; then the caller parses it or skips it. State lines are applied at once.
 *
 *     struct quipu__otf_lines lines = {file, text, text + size, true, QUIPU__OTF_STATE_INIT, NULL, &memo};
 *     switch (quipu__otf_recognise(&lines)) {
 *     case QUIPU__OTF_LINE_RECORD: quipu__otf_parse(&lines, lines.form, &scratch, &record); break;
 *     case QUIPU__OTF_LINE_VALUE:  quipu__otf_parse_value(&lines, &value); break;
 *     case QUIPU__OTF_LINE_OTHER:  text from lines.at to the newline; quipu__otf_skip_line(&lines); break;
 *     ...
 *
 * The functions accept exactly what OTF 1.12 accepts, older spellings and white space included; README.md,
 * "Reading a line", has the rules. They do not judge: what to do about a bad line is the caller's affair.
 */
#ifndef QUIPU_OTF_LINES_H
#define QUIPU_OTF_LINES_H

#include "core/buffer.h"
#include "core/map.h"
#include "formats/otf/records.h"

/* ---- Reading ---- */

/* What the state lines have said last. */
struct quipu__otf_state {
    uint64_t time;
    uint32_t process;
};
#define QUIPU__OTF_STATE_INIT                                                                                  \
    { QUIPU__OTF_NO_TIME, QUIPU__OTF_NO_PROCESS }

/* A keyword that lines have begun with, up to 7 capitals as they lie in memory, and what it turned out to be. */
struct quipu__otf_known {
    uint64_t keyword;
    const struct quipu__otf_form *form;
    bool is_plain; /* numbers are all that there is in such a line */
};

/* So many are kept in mind. No two keywords of the short form of a kind of file, and no two of the long form, share a
 * place; where odd spellings do, the latest stays. */
#define QUIPU__OTF_KNOWN 64

static inline size_t quipu__otf_place_of(uint64_t keyword) {
    return (size_t)(keyword * UINT64_C(0x69f206118cc41e5b) >> 58);
}

/* A process line of at most 8 bytes: the same one again is seen without reading its number. */
struct quipu__otf_star {
    uint64_t text;
    unsigned shift; /* moves what is behind the line out of a word */
    uint32_t process;
};

/* What the lines of a kind of file have looked like so far. Empty when all is zero but file. */
struct quipu__otf_memo {
    enum quipu__otf_file file;
    struct quipu__otf_known known[QUIPU__OTF_KNOWN];
    struct quipu__otf_star star;
};

/* A place in a file's text. */
struct quipu__otf_lines {
    enum quipu__otf_file file;
    const uint8_t *at, *end; /* what is left of the text that is at hand */
    bool ended;              /* nothing comes after end */
    struct quipu__otf_state state;
    const struct quipu__otf_form *form; /* of the line recognised last */
    struct quipu__otf_memo *memo;       /* of the same kind of file; NULL: every keyword is searched for */
    bool watches_texts;                 /* a text ends with its line when it would swallow records */
};

enum quipu__otf_line {
    QUIPU__OTF_LINE_MORE,    /* no newline up to end; at has not moved. When ended: the unfinished last line */
    QUIPU__OTF_LINE_TIME,    /* applied; at is behind the line */
    QUIPU__OTF_LINE_PROCESS, /* the same */
    QUIPU__OTF_LINE_EMPTY,   /* nothing or white space; at is behind the line */
    QUIPU__OTF_LINE_VALUE,   /* key-value: at is behind the keyword */
    QUIPU__OTF_LINE_RECORD,  /* form is set, at is behind the keyword */
    QUIPU__OTF_LINE_OTHER    /* no known record: at is behind white space and a prefix, if there was one */
};

/* Looks at the next line. Master files have functions of their own below. */
enum quipu__otf_line quipu__otf_recognise(struct quipu__otf_lines *lines);

enum quipu__otf_parse {
    QUIPU__OTF_PARSED, /* at is behind the line */
    QUIPU__OTF_BAD,    /* at is where something was missing */
    QUIPU__OTF_OPEN,   /* watches_texts: a text lacks the quote at its end; at is where it begins */
    QUIPU__OTF_CUT,    /* a text goes on behind end and more may come: start the line again with more of it */
    QUIPU__OTF_NO_ROOM /* memory is out */
};

/* Parses the fields of a form into data, the struct of its type. Lists and texts go to scratch. Members without a
 * field in the form are zero. fault (may be NULL) is set to the field that a bad line lacks. */
enum quipu__otf_parse quipu__otf_parse(struct quipu__otf_lines *lines, const struct quipu__otf_form *form,
                                       struct quipu__scratch *scratch, void *data,
                                       const struct quipu_field **fault);

/* open_text.c: whether a text that has no quote in its line has lost it. newline ends that line, quote is the next one
 * there is, NULL when there is none before lines->end. */
enum quipu__otf_text { QUIPU__OTF_TEXT_GOES_ON, QUIPU__OTF_TEXT_IS_OPEN, QUIPU__OTF_TEXT_NO_ROOM };
enum quipu__otf_text quipu__otf_look_into_text(const struct quipu__otf_lines *lines, const uint8_t *newline,
                                               const uint8_t *quote, struct quipu__scratch *scratch);

/* plain.c: goes over state lines and over the next record, when it consists of numbers and all are spelled as a writer
 * does. Returns the record's form, its fields in data and its line's beginning in *first. Otherwise NULL: at is in
 * front of a line for quipu__otf_recognise, and *first means nothing. Without a memo nothing is plain. *count is
 * increased by the lines that were taken. */
const struct quipu__otf_form *quipu__otf_take_plain(struct quipu__otf_lines *lines, void *data,
                                                    const uint8_t **first, uint64_t *count);

/* One key-value line. Longer byte arrays are spread over several lines. */
struct quipu__otf_value_line {
    uint32_t key;
    uint8_t type;  /* enum quipu_value_type, up to BYTES */
    uint8_t count; /* BYTES: bytes in this line */
    uint32_t left; /* BYTES: bytes from here to the end of the array, as the line says */
    union {
        int64_t i;
        uint64_t u;
        double f;
        uint8_t bytes[QUIPU__OTF_CHUNK];
    };
};
enum quipu__otf_parse quipu__otf_parse_value(struct quipu__otf_lines *lines, struct quipu__otf_value_line *out);

/* Goes behind the next newline. */
void quipu__otf_skip_line(struct quipu__otf_lines *lines);

/* A number as in a line: white space, then hexadecimal digits in lower case; wraps at 64 bits. */
uint64_t quipu__otf_take_number(struct quipu__otf_lines *lines);

/* ---- The master control file ---- */

/* What a line of a master file says; its record is in data. OTHER: nothing, as in comments and empty lines. BAD: the
 * line of shared files is malformed, which makes the whole file unreadable for OTF's library. The line must have its
 * newline; at is behind it afterwards. */
enum quipu__otf_master_line {
    QUIPU__OTF_MASTER_OTHER,
    QUIPU__OTF_MASTER_STREAM,
    QUIPU__OTF_MASTER_SERVERS,
    QUIPU__OTF_MASTER_BAD,
    QUIPU__OTF_MASTER_NO_ROOM
};
enum quipu__otf_master_line quipu__otf_parse_master(struct quipu__otf_lines *lines,
                                                    struct quipu__scratch *scratch, union quipu__otf_any *data);

/* ---- Key-values in front of a record ---- */

/* Collects the key-value lines of one record: the first value of a key stays, byte arrays are joined. */
struct quipu__otf_values {
    struct quipu__memory *memory;
    struct quipu_value *items; /* BYTES: data is set by the list only */
    size_t count, capacity;
    struct quipu__map numbers;  /* of keys, when there are too many to look at all */
    struct quipu__buffer bytes; /* of the arrays, one after another */
};
void quipu__otf_values_init(struct quipu__otf_values *values, struct quipu__memory *memory);
void quipu__otf_values_release(struct quipu__otf_values *values);
void quipu__otf_values_clear(struct quipu__otf_values *values);

enum quipu__otf_values_status { QUIPU__OTF_VALUE_ADDED, QUIPU__OTF_VALUE_AGAIN, QUIPU__OTF_VALUE_NO_ROOM };
enum quipu__otf_values_status quipu__otf_values_add(struct quipu__otf_values *values,
                                                    const struct quipu__otf_value_line *line);

/* The values as a sized list in scratch, NULL when there are none or memory is out. */
const struct quipu_value *quipu__otf_values_list(const struct quipu__otf_values *values,
                                                 struct quipu__scratch *scratch);

/* ---- Writing ---- */

/* What the state lines of an output have said last. */
struct quipu__otf_clock {
    uint64_t time;
    uint32_t process;
};
#define QUIPU__OTF_CLOCK_INIT                                                                                  \
    { 0, QUIPU__OTF_NO_PROCESS }

/* Writes the state lines that a record at this time and process needs. False, and nothing is written, when the time
 * is before that of the record before (time 0 is always accepted). */
bool quipu__otf_encode_state(struct quipu__buffer *out, struct quipu__otf_clock *clock, uint64_t time,
                             uint32_t process);

/* Writes both state lines whatever was written before. */
void quipu__otf_encode_both_states(struct quipu__buffer *out, struct quipu__otf_clock *clock, uint64_t time,
                                   uint32_t process);

/* The two lines at the end of a file of events, snapshots or statistics; nothing when no process was set. */
void quipu__otf_encode_trailer(struct quipu__buffer *out, const struct quipu__otf_clock *clock);

/* Key-value lines; values is a sized list or NULL. */
void quipu__otf_encode_values(struct quipu__buffer *out, const struct quipu_value *values, bool long_form);
void quipu__otf_encode_value(struct quipu__buffer *out, const struct quipu_value *value, bool long_form);

/* A record's own line with its newline. data is the struct of the type. */
void quipu__otf_encode(struct quipu__buffer *out, enum quipu__otf_type type, const void *data, bool long_form);

/* ---- 32-bit floating point by its bits, NaNs included ---- */

double quipu__otf_float_from_bits(uint32_t bits);
uint32_t quipu__otf_bits_from_float(double value);

#endif
