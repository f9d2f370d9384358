/* old_decode.h: records of the old format from lines, in either spelling, and what they are in the new format. */
#ifndef QUIPU_PICL_OLD_DECODE_H
#define QUIPU_PICL_OLD_DECODE_H

#include "formats/picl/decode.h"

enum {
    QUIPU__PICL_OLD_START = 1,
    QUIPU__PICL_OLD_OPEN = 2,
    QUIPU__PICL_OLD_LOAD = 3,
    QUIPU__PICL_OLD_BLOCKING = 7,
    QUIPU__PICL_OLD_WAKING = 8,
    QUIPU__PICL_OLD_COMPSTATS = 11,
    QUIPU__PICL_OLD_COMMSTATS = 12,
    QUIPU__PICL_OLD_MARK = 15,
    QUIPU__PICL_OLD_MESSAGE = 16,
    QUIPU__PICL_OLD_STOP = 17,
    QUIPU__PICL_OLD_BLOCK_BEGIN = 20,
    QUIPU__PICL_OLD_BLOCK_END = 21,
    QUIPU__PICL_OLD_MARKS = 22,
    QUIPU__PICL_OLD_KEYS = 25, /* numbers of keys, 0 included */
    QUIPU__PICL_OLD_HOST = -32768,
};

/* A row of old_format.def. */
struct quipu__picl_old_row {
    const char *keyword, *labels;
};
extern const struct quipu__picl_old_row quipu__picl_old_rows[QUIPU__PICL_OLD_KEYS];

/* One label: its text, how many integers follow it, and whether they are stored. Returns what is behind it, NULL at the end. */
struct quipu__picl_old_label {
    const char *text;
    size_t len;
    uint32_t values;
    bool is_stored;
};
const char *quipu__picl_next_label(const char *labels, struct quipu__picl_old_label *out);

struct quipu__picl_old_record {
    int64_t key, time_us, node;
    const struct quipu_value *values;
    uint32_t value_count;
    bool is_verbose;
    const uint8_t *text;
    size_t len;
    uint64_t byte, line;
};

struct quipu__picl_old_decoder {
    QUIPU__VEC(struct quipu_value) values;
    bool was_compressed, was_verbose, was_mixed;
    /* records of the new format that the last one stands for, and the next of them */
    struct quipu__picl_record converted[2];
    struct quipu_value statistics[4]; /* values of those that need more than integers */
    unsigned converted_count, converted_next;
};

void quipu__picl_old_release(struct quipu__picl_old_decoder *old, struct quipu__memory *memory);

/* The record of the line at decoder->at; the same steps as quipu__picl_decode. */
enum quipu__picl_decoded quipu__picl_old_decode(struct quipu__picl_decoder *decoder,
                                                struct quipu__picl_old_decoder *old,
                                                struct quipu__picl_old_record *record);

/* Fills old->converted with what a record is in the new format. */
void quipu__picl_old_to_new(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *record);

#endif
