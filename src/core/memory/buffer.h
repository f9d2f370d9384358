/* buffer.h: bytes that grow up to a ceiling, and writing numbers and text into them. A failed put sets failed and
 * the rest does nothing, so a writer may check once. */
#ifndef QUIPU_CORE_MEMORY_BUFFER_H
#define QUIPU_CORE_MEMORY_BUFFER_H

#include "core/memory/memory.h"

#include <string.h>

struct quipu__buffer {
    struct quipu__memory *memory;
    uint8_t *data;
    size_t len, capacity, limit;
    bool failed;
    struct quipu__printing *printing; /* receives its contents when it is full, or NULL */
};

/* limit 0: that of the memory gate. */
static inline void quipu__buffer_init(struct quipu__buffer *buffer, struct quipu__memory *memory,
                                      size_t limit) {
    *buffer = (struct quipu__buffer){.memory = memory, .limit = limit ? limit : memory->limit};
}
void quipu__buffer_release(struct quipu__buffer *buffer);

/* Makes room for size more bytes and returns where they start without adding them; NULL when that fails. */
uint8_t *quipu__buffer_room(struct quipu__buffer *buffer, size_t size);

void quipu__put(struct quipu__buffer *buffer, const void *data, size_t size);
static inline void quipu__put_text(struct quipu__buffer *buffer, const char *text) {
    quipu__put(buffer, text, strlen(text));
}
void quipu__put_format(struct quipu__buffer *buffer, const char *format, ...) QUIPU_PRINTF(2, 3);
void quipu__put_u8(struct quipu__buffer *buffer, uint8_t value);
void quipu__put_be16(struct quipu__buffer *buffer, uint16_t value);
void quipu__put_be32(struct quipu__buffer *buffer, uint32_t value);
void quipu__put_be64(struct quipu__buffer *buffer, uint64_t value);

/* Decimal and lower-case hexadecimal numbers without leading zeros. */
void quipu__put_i64(struct quipu__buffer *buffer, int64_t value);
void quipu__put_u64(struct quipu__buffer *buffer, uint64_t value);
void quipu__put_hex(struct quipu__buffer *buffer, uint64_t value);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD; invisible characters (quipu__is_invisible) are
 * written as \uNNNN. */
void quipu__put_json(struct quipu__buffer *buffer, const char *text, size_t len);

/* Text for people: invisible characters (quipu__is_invisible) and invalid UTF-8 as \xNN. */
void quipu__put_escaped(struct quipu__buffer *buffer, const char *text, size_t len);

/* The same, but the control characters in unescaped stay as they are. */
void quipu__put_escaped_but(struct quipu__buffer *buffer, const char *text, size_t len, const char *unescaped);

/* Text on its way to a sink, in little memory however long it is:
 *
 *     struct quipu__printing printing;
 *     quipu__printing_begin(&printing, sink, err);
 *     quipu__put_text(&printing.out, …);
 *     return quipu__printing_end(&printing);
 */
struct quipu__printing {
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_sink sink;
    struct quipu_error *err;
    enum quipu_status status; /* of the sink */
};

void quipu__printing_begin(struct quipu__printing *printing, struct quipu_sink sink, struct quipu_error *err);
enum quipu_status quipu__printing_end(struct quipu__printing *printing);

/* Passes the contents to a sink and empties the buffer. */
enum quipu_status quipu__buffer_flush(struct quipu__buffer *buffer, struct quipu_sink sink,
                                      struct quipu_error *err);

#endif
