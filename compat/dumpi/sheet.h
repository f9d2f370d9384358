/* sheet.h: how each call looks as text: its lines, made once from the record tables. The printer writes by these
 * sheets and the parser reads by them, so both know one form of the text.
 *
 *     MPI_Send entering at walltime 2780.510636684, cputime 0.008347000 seconds in thread 0.
 *     int count=1                             NUMBER: prefix, number, label
 *     MPI_Request request=[2]                 HANDLE
 *     int ranks[2]=[0, 3]                     NUMBERS
 *     MPI_Send returning at walltime ...
 */
#ifndef COMPAT_DUMPI_SHEET_H
#define COMPAT_DUMPI_SHEET_H

#include "formats/dumpi/format.h"

#include <string.h>

enum quipu__undumpi_form {
    QUIPU__UNDUMPI_NUMBER,
    QUIPU__UNDUMPI_HANDLE,   /* a request, in brackets */
    QUIPU__UNDUMPI_FUNCTION, /* an address, with the name of what is there */
    QUIPU__UNDUMPI_NUMBERS,
    QUIPU__UNDUMPI_RANGES, /* rows of three numbers */
    QUIPU__UNDUMPI_STATUS,
    QUIPU__UNDUMPI_STATUSES,
    QUIPU__UNDUMPI_TEXT,
    QUIPU__UNDUMPI_TEXTS,     /* a list whose length is another argument */
    QUIPU__UNDUMPI_ARGUMENTS, /* a list that ends with a NULL in the original: its length prints as -2 */
    QUIPU__UNDUMPI_ARGUMENT_LISTS
};

/* Text whose bytes may be copied in blocks of this size, past its end. */
#define QUIPU__UNDUMPI_BLOCK 32
struct quipu__undumpi_text {
    const char *at;
    size_t len;
};

/* What follows the numbers of a domain: " (MPI_INT)\n" or "\n". */
#define QUIPU__UNDUMPI_LABELS_FROM (-2)
#define QUIPU__UNDUMPI_LABELS 258
struct quipu__undumpi_labels {
    struct quipu__undumpi_text of[QUIPU__UNDUMPI_LABELS]; /* of -2 to 255 */
    struct quipu__undumpi_text below, above;
};

struct quipu__undumpi_line {
    uint8_t form;                      /* enum quipu__undumpi_form */
    uint8_t bytes;                     /* of a number in memory */
    bool shows_empty;                  /* an empty list of numbers is [], else <IGNORED> */
    uint16_t member;                   /* offset in the struct */
    uint16_t count;                    /* offset of the int that has the length of the list */
    struct quipu__undumpi_text prefix; /* up to "=", "=[" or "[" */
    const struct quipu__undumpi_labels *labels;
};

struct quipu__undumpi_page {
    const struct quipu_record_type *type;
    struct quipu__undumpi_text entering, returning; /* up to the wall time */
    const struct quipu__undumpi_line *lines;
    uint32_t line_count;
};

/* The pages of all calls, by type. */
struct quipu__undumpi_sheet {
    struct quipu__arena arena;
    struct quipu__undumpi_page pages[QUIPU__DUMPI_TYPE_head];
};

enum quipu_status quipu__undumpi_sheet_init(struct quipu__undumpi_sheet *sheet, struct quipu__memory *memory,
                                            struct quipu_error *err);
void quipu__undumpi_sheet_release(struct quipu__undumpi_sheet *sheet);

static inline const struct quipu__undumpi_text *quipu__undumpi_label(const struct quipu__undumpi_labels *labels,
                                                                     int64_t value) {
    const uint64_t slot = (uint64_t)value - (uint64_t)(int64_t)QUIPU__UNDUMPI_LABELS_FROM;
    if (QUIPU__LIKELY(slot < QUIPU__UNDUMPI_LABELS))
        return &labels->of[slot];
    return value < 0 ? &labels->below : &labels->above;
}

/* Whether a text that need not end with a NUL, and may have one inside, is a known one. */
static inline bool quipu__undumpi_is_text(const char *known, const char *text, size_t len) {
    return strlen(known) == len && memcmp(known, text, len) == 0;
}

/* What the tools call the function with a number up to DUMPI_ALL_FUNCTIONS or beyond; NULL when there is none. */
const char *quipu__undumpi_function_name(uint32_t id);

#endif
