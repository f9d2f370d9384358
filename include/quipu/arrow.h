/* arrow.h: the structs of Arrow's C data interface and C stream interface, which is how libraries pass columns to each other without
 * knowing each other. Their layout is that of the standard; a program that has them from elsewhere defines ARROW_C_DATA_INTERFACE
 * and ARROW_C_STREAM_INTERFACE, as is usual.
 */
#ifndef QUIPU_ARROW_H
#define QUIPU_ARROW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* What an array holds. release is NULL when it was released. */
struct ArrowSchema {
    const char *format; /* of the values, such as "l" for signed numbers of 64 bits */
    const char *name;
    const char *metadata; /* pairs of keys and values with their lengths in front */
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

/* The values. The first buffer says which are not null. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Arrays one after the other; at the end one that is released already. Functions return 0 or an error number, whose text is the last
 * error's. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};
#endif

#ifdef __cplusplus
}
#endif
#endif
