/* portion.h: some batches of a stream, each column by itself. Libraries that take a batch as a whole keep all of its columns for as long as they use one of
 * them: polars, which translates dictionaries and leaves numbers where they are, would retain both. */
#ifndef QUIPU_PYTHON_PORTION_H
#define QUIPU_PYTHON_PORTION_H

#include "source.h"

/* The next batches of a stream of a source, at most that many. */
struct portion {
    struct source *source;
    size_t count;
    struct ArrowSchema schema;
    struct ArrowArray batches[];
};

/* Reads one; NULL when memory is out. code becomes that of the stream. None has come when the stream has ended. */
struct portion *portion_read(struct source *source, struct ArrowArrayStream *stream, size_t most, int *code);
void portion_free(struct portion *portion);

/* Whether a column has no value in any of them. */
bool portion_is_null(const struct portion *portion, int64_t number);

/* Takes a column out of all batches, as a stream that owns them; one without values as a stream without batches, which says its type. False when memory is
 * out. */
bool portion_take(struct portion *portion, int64_t number, struct ArrowArrayStream *out);

#endif
