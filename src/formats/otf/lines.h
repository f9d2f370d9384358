/* lines.h: what schema/keyed_text.h leaves to OTF: key-value lines, the master control file, and when state lines are
 * written. */
#ifndef QUIPU_OTF_LINES_H
#define QUIPU_OTF_LINES_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "formats/otf/records.h"
#include "schema/keyed_scan.h"

/* ---- Key-value lines ---- */

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

/* Reads one, after its keyword. */
enum quipu__keyed_result quipu__otf_decode_value(struct quipu__keyed_lines *lines,
                                                 struct quipu__otf_value_line *out);

/* ---- The master control file ---- */

/* The meaning of a line of a master file; its record is in data. OTHER: none, as in comments and empty lines. MALFORMED:
 * the line of shared files is malformed, which makes the whole file unreadable for OTF's library. The line must have its
 * newline; p is after it then. */
enum quipu__otf_master_line {
    QUIPU__OTF_MASTER_OTHER,
    QUIPU__OTF_MASTER_STREAM,
    QUIPU__OTF_MASTER_SERVERS,
    QUIPU__OTF_MASTER_MALFORMED,
    QUIPU__OTF_MASTER_NO_ROOM
};
enum quipu__otf_master_line quipu__otf_parse_master(struct quipu__keyed_lines *lines,
                                                    struct quipu__scratch *scratch, union quipu__otf_any *data);

/* ---- Key-values in front of a record ---- */

/* Collects the key-value lines of one record: the first value of a key stays, byte arrays are joined. */
struct quipu__otf_values {
    struct quipu__memory *memory;
    struct quipu_value *items; /* BYTES: data is set by the list only */
    size_t count, capacity;
    struct quipu__map numbers;  /* of keys, when there are too many to search */
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

/* What the latest state lines of an output said. */
#define QUIPU__OTF_NOTHING_WRITTEN                                                                             \
    { 0, QUIPU__KEYED_NO_PROCESS }

/* Writes the state lines that a record at this time and process needs. False, and nothing is written, when the time
 * is before that of the record before (time 0 is always accepted). */
bool quipu__otf_encode_state(struct quipu__buffer *out, struct quipu__keyed_state *written, uint64_t time,
                             uint32_t process);

/* Writes both state lines whatever was written before. */
void quipu__otf_encode_both_states(struct quipu__buffer *out, struct quipu__keyed_state *written, uint64_t time,
                                   uint32_t process);

/* The two lines at the end of a file of events, snapshots or statistics; nothing when no process was set. */
void quipu__otf_encode_trailer(struct quipu__buffer *out, const struct quipu__keyed_state *written);

/* Key-value lines; values is a sized list or NULL. */
void quipu__otf_encode_values(struct quipu__buffer *out, const struct quipu_value *values, bool long_form);
void quipu__otf_encode_value(struct quipu__buffer *out, const struct quipu_value *value, bool long_form);

/* A record's own line with its newline. data is the struct of the type. */
void quipu__otf_encode(struct quipu__buffer *out, enum quipu__otf_type type, const void *data, bool long_form);

/* ---- 32-bit floating point by its bits, NaNs included ---- */

double quipu__otf_float_from_bits(uint32_t bits);
uint32_t quipu__otf_bits_from_float(double value);

#endif
