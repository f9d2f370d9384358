/* portion.c: see portion.h. Arrow lets a consumer move a child of an array, and of a schema, and release it later than its parent. */
#include "portion.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Columns ---- */

/* A column of batches: the first next of them have been consumed. */
struct column {
    struct source *source;
    int64_t number;
    struct ArrowSchema schema; /* for the first who asks */
    size_t count, next;
    struct ArrowArray arrays[];
};

static int column_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    struct column *column = stream->private_data;
    struct ArrowArrayStream *inner = &column->source->inner;
    struct ArrowSchema all;
    *out = column->schema;
    column->schema.release = NULL;
    if (out->release)
        return 0;
    const int code = inner->release ? inner->get_schema(inner, &all) : EINVAL;
    if (code != 0)
        return code;
    *out = *all.children[column->number];
    all.children[column->number]->release = NULL;
    all.release(&all);
    return 0;
}

static int column_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct column *column = stream->private_data;
    *out = (struct ArrowArray){.release = NULL};
    if (column->next < column->count)
        *out = column->arrays[column->next++];
    return 0;
}

static const char *column_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the trace is closed";
}

static void column_release(struct ArrowArrayStream *stream) {
    struct column *column = stream->private_data;
    for (; column->next < column->count; column->next++)
        column->arrays[column->next].release(&column->arrays[column->next]);
    if (column->schema.release)
        column->schema.release(&column->schema);
    source_release(column->source);
    free(column);
    stream->release = NULL;
}

/* ---- Portions ---- */

struct portion *portion_read(struct source *source, struct ArrowArrayStream *stream, size_t most, int *code) {
    struct portion *portion = calloc(1, sizeof *portion + most * sizeof *portion->batches);
    *code = 0;
    if (portion && stream->get_schema(stream, &portion->schema) != 0) {
        free(portion);
        return NULL;
    }
    if (!portion)
        return NULL;
    portion->source = source;
    while (*code == 0 && portion->count < most) {
        struct ArrowArray *batch = &portion->batches[portion->count];
        *code = stream->get_next(stream, batch);
        if (*code != 0 || !batch->release)
            break;
        portion->count++;
    }
    return portion;
}

void portion_free(struct portion *portion) {
    for (size_t i = 0; i < portion->count; i++)
        portion->batches[i].release(&portion->batches[i]);
    if (portion->schema.release)
        portion->schema.release(&portion->schema);
    free(portion);
}

bool portion_is_null(const struct portion *portion, int64_t number) {
    bool is_null = true;
    for (size_t i = 0; i < portion->count && is_null; i++)
        is_null = portion->batches[i].children[number]->null_count == portion->batches[i].length;
    return is_null;
}

bool portion_take(struct portion *portion, int64_t number, struct ArrowArrayStream *out) {
    struct column *column = calloc(1, sizeof *column + portion->count * sizeof *column->arrays);
    if (!column)
        return false;
    source_share(portion->source);
    column->source = portion->source;
    column->number = number;
    column->schema = *portion->schema.children[number];
    portion->schema.children[number]->release = NULL;
    column->count = portion_is_null(portion, number) ? 0 : portion->count;
    for (size_t i = 0; i < column->count; i++) {
        struct ArrowArray *child = portion->batches[i].children[number];
        column->arrays[i] = *child;
        child->release = NULL;
    }
    *out = (struct ArrowArrayStream){column_schema, column_next, column_error, column_release, column};
    return true;
}
