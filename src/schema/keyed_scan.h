/* keyed_scan.h: the fast scanner: lines of numbers, spelled as the encoder spells them.
 *
 * A pattern is a form in one spelling, made from its rows when a trace is opened: its keyword as a word, and the bytes that must
 * follow each number.
 *
 *     S  2 L 400 T 7 C 2001 \n      word "S", ends "L" "T" "C" "\n"
 *     SEND 2 LEN 400 TAG 7 COMM 2001\n      word "SEND", ends " LEN " " TAG " " COMM " "\n"
 *
 * Functions take a place in the text and return the place after what they read, or NULL when the spelling differs: older keywords,
 * more blanks, texts, lists, numbers of more than 16 digits, and anything damaged. Then nothing has happened, and the complete
 * decoder continues. QUIPU__KEYED_LINE bytes must be readable.
 *
 * If more is known about a record (how many numbers, which letter), quipu__keyed_take_triple and quipu__keyed_pair do the same with
 * fewer instructions; figures are there.
 */
#ifndef QUIPU_SCHEMA_KEYED_SCAN_H
#define QUIPU_SCHEMA_KEYED_SCAN_H

#include "core/hex.h"
#include "schema/keyed_text.h"

#include <string.h>

/* Numbers of a line at most; forms with more have no pattern. */
#define QUIPU__KEYED_NUMBERS 9

/* Bytes of a keyword with its blanks at most. */
#define QUIPU__KEYED_KEY_BYTES 16

/* The longest line of a pattern with its state lines, plus what reading a number may touch. */
#define QUIPU__KEYED_LINE                                                                                      \
    (17 + 18 + 8 + QUIPU__KEYED_NUMBERS * (16 + QUIPU__KEYED_KEY_BYTES) + QUIPU__HEX_BYTES)

/* ---- Patterns ---- */

/* What follows a number: the next field's keyword with its blanks, or the newline. */
struct quipu__keyed_end {
    uint8_t text[QUIPU__KEYED_KEY_BYTES];
    uint64_t mask; /* of the first 8 bytes */
    unsigned len;
};

struct quipu__keyed_pattern {
    const struct quipu__keyed_form *form;
    uint16_t type;      /* that of the form; decoders branch on it, and this saves a load */
    uint8_t keyword[8]; /* with the long form's blank */
    uint8_t keyword_len;
    uint8_t count;      /* fields, all of them numbers */
    uint8_t required;   /* number of required fields */
    bool is_long;       /* blanks surround keywords */
    bool is_short_ends; /* the end of each required number has at most 8 bytes */
    uint8_t pair_count; /* of required numbers, when quipu__keyed_pair can take them all: 1 or 2, else 0 */
    struct quipu__keyed_end
        ends[QUIPU__KEYED_NUMBERS];         /* after each required number; before each optional one */
    uint16_t offsets[QUIPU__KEYED_NUMBERS]; /* of the members */
    bool is_wide[QUIPU__KEYED_NUMBERS];     /* 64 bits */
};

/* A keyword of a kind of file, up to 7 capitals as they lie in memory. */
struct quipu__keyed_slot {
    uint64_t word; /* 0: free */
    const struct quipu__keyed_form *form;
    const struct quipu__keyed_pattern *pattern; /* NULL: such lines contain texts or lists */
};

#define QUIPU__KEYED_SLOTS 256

struct quipu__keyed_scanner {
    const struct quipu__keyed_grammar *grammar;
    uint8_t kind;
    uint32_t pattern_count;
    struct quipu__keyed_slot
        slots[QUIPU__KEYED_SLOTS];                  /* by hash; a word is in the first free slot from there */
    const struct quipu__keyed_pattern *letters[26]; /* of keywords of one letter */
    struct quipu__keyed_pattern patterns[];
};

/* Makes the scanner of a kind of file from its rows. NULL when memory is out. */
struct quipu__keyed_scanner *quipu__keyed_scanner_new(struct quipu__memory *memory,
                                                      const struct quipu__keyed_grammar *grammar, uint8_t kind);
void quipu__keyed_scanner_free(struct quipu__memory *memory, struct quipu__keyed_scanner *scanner);

/* The pattern of a type's current line, NULL when it has none. */
const struct quipu__keyed_pattern *quipu__keyed_pattern_of(const struct quipu__keyed_scanner *scanner,
                                                           uint16_t type, bool long_form);

/* ---- Keywords ---- */

/* The capitals at p as a word, 0 when there are none or more than 7. Some bytes that are not letters pass for capitals; no keyword
 * has them. */
QUIPU__INLINE uint64_t quipu__keyed_word(const uint8_t *p, unsigned *len) {
    const uint64_t word = quipu__load_le64(p);
    const uint64_t others = (word | ~(word >> 1)) & QUIPU__HEX_EACH(0x20);
    const unsigned count = others ? quipu__trailing_zeros(others) >> 3 : 0;
    *len = count;
    return count ? word & UINT64_MAX >> (64 - 8 * count) : 0;
}

QUIPU__INLINE size_t quipu__keyed_hash(uint64_t word) {
    return (size_t)(word * UINT64_C(0x69f206118cc41e5b) >> 56);
}

/* What a keyword stands for, NULL when this kind of file does not have it. */
QUIPU__INLINE const struct quipu__keyed_slot *quipu__keyed_find(const struct quipu__keyed_scanner *scanner,
                                                                uint64_t word) {
    size_t i = quipu__keyed_hash(word);
    while (QUIPU__UNLIKELY(scanner->slots[i].word != word)) {
        if (!scanner->slots[i].word)
            return NULL;
        i = (i + 1) % QUIPU__KEYED_SLOTS;
    }
    return &scanner->slots[i];
}

/* The pattern of the line at p, NULL when it has none. Most keywords are single letters: they need no hash, which would take
 * twice the instructions. */
QUIPU__INLINE const struct quipu__keyed_pattern *quipu__keyed_pattern_at(
    const struct quipu__keyed_scanner *scanner, const uint8_t *p) {
    const uint8_t first = (uint8_t)(p[0] - 'A'), second = (uint8_t)(p[1] - 'A');
    if (QUIPU__LIKELY((first < 26) & (second >= 26)))
        return scanner->letters[first];
    unsigned len;
    const uint64_t word = quipu__keyed_word(p, &len);
    const struct quipu__keyed_slot *slot = word ? quipu__keyed_find(scanner, word) : NULL;
    return slot ? slot->pattern : NULL;
}

/* ---- State lines ---- */

/* The first bytes of a word, all of it when there are more. */
QUIPU__INLINE uint64_t quipu__keyed_first_bytes(unsigned bytes) {
    return bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : UINT64_MAX;
}

/* Digits and a newline. */
QUIPU__INLINE const uint8_t *quipu__keyed_time_line(const uint8_t *p, struct quipu__keyed_seen *seen,
                                                    uint64_t *time) {
    const unsigned len = quipu__hex_read(p, time);
    if (QUIPU__UNLIKELY(!len || p[len] != '\n'))
        return NULL;
    const unsigned before = len > 8 ? len - 8 : 0;
    seen->time_len = len;
    seen->time_last = before;
    seen->time_shift = len < 8 ? 64 - 8 * len : 0;
    seen->time_mask = quipu__keyed_first_bytes(before);
    seen->time_before = quipu__load_le64(p) & seen->time_mask;
    seen->time_upper = before ? *time >> 32 << 32 : 0;
    return p + len + 1;
}

/* The mark, digits and a newline. Most repeat the previous process line, which is noticed without reading the number. Process
 * ffffffff means none. *is_new says whether the process has changed. */
QUIPU__INLINE const uint8_t *quipu__keyed_process_line(const uint8_t *p, struct quipu__keyed_seen *seen,
                                                       bool *is_new) {
    const uint64_t word = quipu__load_le64(p) << 8 | '\n';
    uint64_t process;
    *is_new = false;
    if (QUIPU__LIKELY((word & seen->process_mask) == seen->process_line))
        return p + seen->process_len - 1;
    const unsigned len = quipu__hex_read(p + 1, &process);
    if (!len || p[len + 1] != '\n' || process >= UINT32_MAX)
        return NULL;
    *is_new = true;
    seen->process = (uint32_t)process;
    seen->process_len = len + 3;
    seen->process_mask = len + 3 <= 8 ? quipu__keyed_first_bytes(len + 3) : 0;
    seen->process_line = len + 3 <= 8 ? word & seen->process_mask : 1; /* never equal, since no bit counts */
    return p + len + 2;
}

/* A time line and a process line that look like the previous ones except for the last digits of the time: half the instructions of
 * reading them separately. NULL when they do not. */
QUIPU__INLINE const uint8_t *quipu__keyed_take_head(const uint8_t *p, const struct quipu__keyed_seen *seen,
                                                    uint64_t *time) {
    const uint8_t *const time_end = p + seen->time_len;
    bool valid = true;
    if (((quipu__load_le64(p) & seen->time_mask) ^ seen->time_before) |
        ((quipu__load_le64(time_end) & seen->process_mask) ^ seen->process_line))
        return NULL;
    const uint64_t bare = quipu__hex_bare(quipu__load_le64(p + seen->time_last)) << seen->time_shift;
    *time = seen->time_upper | quipu__hex_pack(quipu__hex_bare(bare), &valid);
    return valid ? time_end + seen->process_len : NULL;
}

/* Reads state lines, and the next record if it has a pattern: returns the pattern, with the record's numbers and the beginning of
 * its line in *first; lines->state is its time and process. Otherwise NULL: p is at a line for quipu__keyed_recognise, after the
 * state lines that were read. *count grows by the lines that were read. */
const struct quipu__keyed_pattern *quipu__keyed_next(struct quipu__keyed_lines *lines,
                                                     uint64_t numbers[QUIPU__KEYED_NUMBERS],
                                                     const uint8_t **first, uint64_t *count);

/* ---- Numbers of a record ---- */

QUIPU__INLINE bool quipu__keyed_ends(const uint8_t *p, const struct quipu__keyed_end *end) {
    return ((quipu__load_le64(p) ^ quipu__load_le64(end->text)) & end->mask) == 0;
}

/* The numbers of a record with nothing optional, after the keyword. NULL when the spelling differs. */
QUIPU__INLINE const uint8_t *quipu__keyed_required(const struct quipu__keyed_pattern *pattern, const uint8_t *p,
                                                   bool is_long, uint64_t *numbers) {
    const struct quipu__keyed_end *end = pattern->ends;
    for (uint64_t *const last = numbers + pattern->required; numbers < last; numbers++, end++) {
        const unsigned len = quipu__hex_read_until(p, is_long, numbers);
        if (QUIPU__UNLIKELY(!len || !quipu__keyed_ends(p + len, end)))
            return NULL;
        p += len + end->len;
    }
    return p;
}

/* The digits at *p, at most eight, as a bare word (hex.h); moves after the byte that must end them. Without digits the word begins
 * with that byte, which makes it invalid. */
QUIPU__INLINE uint64_t quipu__keyed_take_digits(const uint8_t **p, uint8_t end, unsigned *wrong) {
    const uint64_t word = quipu__load_le64(*p);
    const unsigned count = quipu__hex_count(word);
    *wrong |= (*p)[count] ^ end;
    *p += count + 1;
    return quipu__hex_bare(word) << ((64 - 8 * count) & 63);
}

/* Two numbers of at most eight digits, each followed by one byte: half the instructions of quipu__keyed_required. */
QUIPU__INLINE const uint8_t *quipu__keyed_pair(const struct quipu__keyed_end *ends, const uint8_t *p,
                                               uint64_t *numbers) {
    unsigned wrong = 0;
    bool valid;
    const uint64_t first = quipu__keyed_take_digits(&p, ends[0].text[0], &wrong);
    const uint64_t second = quipu__keyed_take_digits(&p, ends[1].text[0], &wrong);
    const uint64_t pair = quipu__hex_pack_pair(first, second, &valid);
    numbers[0] = pair >> 32;
    numbers[1] = pair & UINT32_MAX;
    return valid && !wrong ? p : NULL;
}

/* The numbers of a record, including optional ones; missing ones are 0. NULL when the spelling differs. */
const uint8_t *quipu__keyed_numbers_of_any(const struct quipu__keyed_pattern *pattern, const uint8_t *p,
                                           uint64_t *numbers);

/* A record at p with nothing optional; numbers has room for all. */
QUIPU__INLINE const uint8_t *quipu__keyed_record(const struct quipu__keyed_pattern *pattern, const uint8_t *p,
                                                 uint64_t *numbers) {
    p += pattern->keyword_len;
    if (QUIPU__UNLIKELY(pattern->required == 0))
        return (!pattern->is_long || p[-1] == ' ') && *p == '\n' ? p + 1 : NULL;
    if (QUIPU__UNLIKELY(pattern->is_long))
        return pattern->is_short_ends && p[-1] == ' ' ? quipu__keyed_required(pattern, p, true, numbers) : NULL;
    const uint8_t *behind = pattern->pair_count ? quipu__keyed_pair(pattern->ends, p, numbers) : NULL;
    if (behind && pattern->pair_count > 1)
        behind = quipu__keyed_pair(pattern->ends + 2, behind, numbers + 2);
    return behind ? behind : quipu__keyed_required(pattern, p, false, numbers);
}

/* A record at p, including optional numbers; missing ones are 0. */
QUIPU__INLINE const uint8_t *quipu__keyed_record_of_any(const struct quipu__keyed_pattern *pattern,
                                                        const uint8_t *p, uint64_t *numbers) {
    const uint8_t *behind = quipu__keyed_record(pattern, p, numbers);
    if (QUIPU__UNLIKELY(!behind))
        return quipu__keyed_numbers_of_any(pattern, p, numbers);
    if (pattern->count > pattern->required) /* usually one: without this test a call is made */
        numbers[pattern->required] = 0;
    for (unsigned i = pattern->required + 1u; i < pattern->count; i++)
        numbers[i] = 0;
    return behind;
}

/* Puts the numbers into the struct of the record's type. */
QUIPU__INLINE void quipu__keyed_store(const struct quipu__keyed_pattern *pattern, const uint64_t *numbers,
                                      void *data) {
    for (unsigned i = 0; i < pattern->count; i++) {
        uint8_t *const member = (uint8_t *)data + pattern->offsets[i];
        if (pattern->is_wide[i])
            *(uint64_t *)(void *)member = numbers[i];
        else
            *(uint32_t *)(void *)member = (uint32_t)numbers[i];
    }
}

/* Writes a record with nothing optional; returns the place after it. QUIPU__KEYED_LINE bytes must be writable. */
QUIPU__INLINE uint8_t *quipu__keyed_write(const struct quipu__keyed_pattern *pattern, uint8_t *p,
                                          const uint64_t *numbers) {
    memcpy(p, pattern->keyword, sizeof pattern->keyword);
    p += pattern->keyword_len;
    for (unsigned i = 0; i < pattern->required; i++) {
        p = quipu__hex_write(p, numbers[i]);
        memcpy(p, pattern->ends[i].text, sizeof pattern->ends[i].text);
        p += pattern->ends[i].len;
    }
    return p;
}

/* The same without any number. */
QUIPU__INLINE uint8_t *quipu__keyed_write_empty(const struct quipu__keyed_pattern *pattern, uint8_t *p) {
    memcpy(p, pattern->keyword, sizeof pattern->keyword);
    p[pattern->keyword_len] = '\n';
    return p + pattern->keyword_len + 1;
}

/* ---- Triples ---- */

/* Two record types with a keyword of one letter and one number, which is required or the first optional one: they make up most
 * of a trace. */
struct quipu__keyed_twins {
    uint8_t
        of_letter[256]; /* 0: the first's keyword, 1: the second's, QUIPU__KEYED_NEITHER: no keyword of them */
    bool are_there;     /* both types have such a keyword: else there are no triples */
};
#define QUIPU__KEYED_NEITHER 2

struct quipu__keyed_twins quipu__keyed_twins_of(const struct quipu__keyed_scanner *scanner, uint16_t first,
                                                uint16_t second);

struct quipu__keyed_triple {
    const uint8_t *record;
    uint64_t time;
    uint32_t number; /* 0 when there is none */
    bool is_second;
};

/* A time line with as many digits as the one before, the same process line again, and one of the twins with a number of at most
 * seven digits, or without one if it may be empty. The positions of the lines follow from their lengths, so nothing waits for a
 * number to be read: 55 instructions, half of reading line after line. The byte after the number is converted with it, so that a
 * newline becomes the digit 0. */
QUIPU__INLINE const uint8_t *quipu__keyed_take_triple(const uint8_t *p, const struct quipu__keyed_seen *seen,
                                                      const struct quipu__keyed_twins *twins, bool may_be_empty,
                                                      struct quipu__keyed_triple *out) {
    const uint64_t newline = (uint64_t)('\n' ^ '0') << 56, last_gap = UINT64_C(0x20) << 56;
    const uint8_t *const time_end = p + seen->time_len, *const record = time_end + seen->process_len;
    const uint64_t bare = quipu__hex_bare(quipu__load_le64(record + 1)); /* bit 5 is clear in digits */
    const unsigned bits = quipu__trailing_zeros((bare & QUIPU__HEX_EACH(0x20)) | last_gap) & 56;
    const uint8_t which = twins->of_letter[*record];
    if (((quipu__load_le64(p) & seen->time_mask) ^ seen->time_before) |
        ((quipu__load_le64(time_end) & seen->process_mask) ^ seen->process_line) |
        (which & QUIPU__KEYED_NEITHER))
        return NULL;
    bool valid;
    const uint64_t time = quipu__hex_bare(quipu__load_le64(p + seen->time_last)) << seen->time_shift;
    const uint64_t pair = quipu__hex_pack_pair(time, bare << (56 - bits) ^ newline, &valid);
    out->record = record;
    out->time = seen->time_upper | pair >> 32;
    out->number = (uint32_t)pair >> 4;
    out->is_second = which;
    return valid && (pair & 15) == 0 && (may_be_empty || bits) ? record + 2 + bits / 8 : NULL;
}

#endif
