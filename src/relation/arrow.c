/* arrow.c: relations as Arrow's C streams. Rows lie in Arrow's layout already, so arrays point into them and share them. A schema or an
 * array, and each part of one, may be moved to another place and be released in any order: each owns what it needs. */
#include "core/error.h"
#include "relation/relation.h"

#include <errno.h>

/* ---- Schemas ---- */

/* What a schema owns: the structs of its children, its dictionary's, and its metadata. */
struct schema_node {
    struct quipu__memory memory;
    size_t size;
    struct ArrowSchema **children;
    struct ArrowSchema *items;
    char *metadata;
};

static void release_schema(struct ArrowSchema *schema) {
    struct schema_node *node = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    struct quipu__memory memory = node->memory;
    quipu__release(&memory, node, node->size);
    schema->release = NULL;
}

static bool schema_init(struct ArrowSchema *schema, const struct quipu__memory *model, const char *format,
                        const char *name, size_t children, size_t metadata) {
    struct quipu__memory memory;
    const size_t size = sizeof(struct schema_node) +
                        children * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema)) + metadata;
    quipu__memory_like(&memory, model);
    struct schema_node *node = quipu__alloc_zero(&memory, size);
    *schema = (struct ArrowSchema){.format = format, .name = name, .flags = ARROW_FLAG_NULLABLE};
    if (!node)
        return false;
    *node = (struct schema_node){.memory = memory, .size = size, .children = (void *)(node + 1)};
    node->items = (void *)(node->children + children);
    node->metadata = (char *)(node->items + children);
    for (size_t i = 0; i < children; i++)
        node->children[i] = &node->items[i];
    schema->private_data = node;
    schema->release = release_schema;
    return true;
}

/* Metadata: how many pairs, then for each key and value its length and its bytes. */
struct entry {
    const char *key, *value;
};

static size_t metadata_size(const struct entry *entries, size_t count) {
    size_t size = sizeof(int32_t);
    for (size_t i = 0; i < count; i++)
        size += 2 * sizeof(int32_t) + strlen(entries[i].key) + strlen(entries[i].value);
    return size;
}

static char *put_number(char *out, size_t number) {
    const int32_t value = (int32_t)number;
    memcpy(out, &value, sizeof value);
    return out + sizeof value;
}

static char *put_text(char *out, const char *text) {
    const size_t len = strlen(text);
    out = put_number(out, len);
    memcpy(out, text, len);
    return out + len;
}

static void put_metadata(char *out, const struct entry *entries, size_t count) {
    out = put_number(out, count);
    for (size_t i = 0; i < count; i++)
        out = put_text(put_text(out, entries[i].key), entries[i].value);
}

static const char *format_of(enum quipu_column_type type) {
    switch (type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        return "l";
    case QUIPU_TYPE_U64:
        return "L";
    case QUIPU_TYPE_F64:
        return "g";
    case QUIPU_TYPE_TEXT:
    case QUIPU_TYPE_DECIMAL:
    case QUIPU_TYPE_JSON:
        break;
    }
    return "u";
}

static bool column_schema_init(struct ArrowSchema *schema, const struct quipu__scan *scan, size_t number) {
    const struct quipu_table_column *column = &scan->relation.columns[number];
    const struct entry entries[] = {{"doc", column->doc}, {"unit", column->unit}};
    const size_t count = column->unit[0] ? 2 : 1;
    const bool has_dictionary = scan->uses[number].has_dictionary;
    if (!schema_init(schema, &scan->memory, has_dictionary ? "i" : format_of(column->type), column->name,
                     has_dictionary, metadata_size(entries, count)))
        return false;
    struct schema_node *node = schema->private_data;
    put_metadata(node->metadata, entries, count);
    schema->metadata = node->metadata;
    if (!has_dictionary)
        return true;
    schema->dictionary = node->items;
    return schema_init(schema->dictionary, &scan->memory, "u", "", 0, 0);
}

static size_t wanted_columns(const struct quipu__scan *scan) {
    size_t count = 0;
    for (size_t i = 0; i < scan->relation.column_count; i++)
        count += scan->uses[i].is_wanted;
    return count;
}

static bool schema_of(const struct quipu__scan *scan, struct ArrowSchema *out) {
    const size_t count = wanted_columns(scan);
    if (!schema_init(out, &scan->memory, "+s", "", count, 0))
        return false;
    out->flags = 0;
    out->children = ((struct schema_node *)out->private_data)->children;
    bool is_made = true;
    for (size_t i = 0; i < scan->relation.column_count && is_made; i++)
        if (scan->uses[i].is_wanted)
            is_made = column_schema_init(out->children[out->n_children++], scan, i);
    if (!is_made)
        out->release(out);
    return is_made;
}

/* ---- Arrays ---- */

/* What an array owns: the structs of its children, its dictionary's, and what its buffers point to, rows or a share in texts. */
enum { BUFFERS_MOST = 3 };
struct array_node {
    struct quipu__memory memory;
    size_t size;
    struct quipu__rows *rows;
    struct quipu__texts *texts;
    const void *buffers[BUFFERS_MOST];
    struct ArrowArray **children;
    struct ArrowArray *items;
};

static void release_array(struct ArrowArray *array) {
    struct array_node *node = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    quipu__rows_free(node->rows);
    quipu__texts_release(node->texts);
    struct quipu__memory memory = node->memory;
    quipu__release(&memory, node, node->size);
    array->release = NULL;
}

static bool array_init(struct ArrowArray *array, const struct quipu__memory *model, size_t length,
                       size_t children) {
    struct quipu__memory memory;
    const size_t size =
        sizeof(struct array_node) + children * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray));
    quipu__memory_like(&memory, model);
    struct array_node *node = quipu__alloc_zero(&memory, size);
    *array = (struct ArrowArray){.length = (int64_t)length};
    if (!node)
        return false;
    *node = (struct array_node){.memory = memory, .size = size, .children = (void *)(node + 1)};
    node->items = (void *)(node->children + children);
    for (size_t i = 0; i < children; i++)
        node->children[i] = &node->items[i];
    array->buffers = node->buffers;
    array->private_data = node;
    array->release = release_array;
    return true;
}

/* Points to ends and bytes of texts. */
static void set_texts(struct ArrowArray *array, const int32_t *ends, const void *bytes) {
    array->n_buffers = 3;
    array->buffers[1] = ends;
    array->buffers[2] = bytes ? bytes : "";
}

static bool dictionary_init(struct ArrowArray *array, const struct quipu__memory *model,
                            struct quipu__texts *texts) {
    if (!array_init(array, model, texts->count, 0))
        return false;
    quipu__texts_share(texts);
    ((struct array_node *)array->private_data)->texts = texts;
    set_texts(array, texts->ends, texts->bytes);
    return true;
}

static bool column_init(struct ArrowArray *array, struct quipu__rows *rows, size_t number) {
    struct quipu__row_column *column;
    if (!array_init(array, &rows->memory, rows->count, rows->columns[number].has_dictionary))
        return false;
    struct array_node *node = array->private_data;
    if (!quipu__rows_take(rows, number, &node->rows, &column))
        return false;
    array->null_count = (int64_t)quipu__row_nulls(node->rows, column);
    array->n_buffers = 2;
    array->buffers[0] = array->null_count > 0 ? column->known : NULL;
    array->buffers[1] = column->values;
    if (column->has_texts && !column->has_dictionary)
        set_texts(array, column->values, column->bytes.data);
    if (!column->has_dictionary)
        return true;
    array->dictionary = node->items;
    return dictionary_init(array->dictionary, &rows->memory, column->texts);
}

static bool array_of(struct quipu__rows *rows, size_t columns, struct ArrowArray *out) {
    if (!array_init(out, &rows->memory, rows->count, columns))
        return false;
    out->n_buffers = 1;
    out->children = ((struct array_node *)out->private_data)->children;
    bool is_made = true;
    for (size_t i = 0; i < rows->column_count && is_made; i++)
        if (rows->columns[i].values)
            is_made = column_init(out->children[out->n_children++], rows, i);
    if (!is_made)
        out->release(out);
    return is_made;
}

/* ---- Streams ---- */

enum { ERROR_BYTES = 1024 };

struct stream {
    struct quipu__memory memory;
    struct quipu__scan *scan;
    struct quipu_error err;
    char text[ERROR_BYTES];
};

static int errno_of(enum quipu_status status) {
    switch (status) {
    case QUIPU_NO_MEMORY:
        return ENOMEM;
    case QUIPU_IO:
        return EIO;
    case QUIPU_STOPPED:
        return ECANCELED;
    default:
        return EINVAL;
    }
}

static int fail(struct stream *stream, enum quipu_status status) {
    quipu_error_text(&stream->err, stream->text, sizeof stream->text);
    return errno_of(status);
}

static int fail_without_memory(struct stream *stream) {
    quipu_error_clear(&stream->err);
    return fail(stream, (enum quipu_status)quipu__no_memory(&stream->err, 0));
}

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
    struct stream *stream = self->private_data;
    return schema_of(stream->scan, out) ? 0 : fail_without_memory(stream);
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
    struct stream *stream = self->private_data;
    struct quipu__rows *rows;
    *out = (struct ArrowArray){.release = NULL};
    quipu_error_clear(&stream->err);
    const enum quipu_status status = quipu__scan_next(stream->scan, &rows, &stream->err);
    if (status == QUIPU_END)
        return 0;
    if (status != QUIPU_OK)
        return fail(stream, status);
    const bool is_made = array_of(rows, wanted_columns(stream->scan), out);
    quipu__rows_free(rows);
    return is_made ? 0 : fail_without_memory(stream);
}

static const char *get_last_error(struct ArrowArrayStream *self) {
    const struct stream *stream = self->private_data;
    return stream->text[0] ? stream->text : NULL;
}

static void release_stream(struct ArrowArrayStream *self) {
    struct stream *stream = self->private_data;
    quipu__scan_free(stream->scan);
    struct quipu__memory memory = stream->memory;
    quipu__release(&memory, stream, sizeof *stream);
    self->release = NULL;
}

/* A stream of a scan, which it owns, also when it fails. */
static enum quipu_status stream_of(struct quipu__scan *scan, struct ArrowArrayStream *out,
                                   struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, &scan->memory);
    struct stream *stream = quipu__alloc_zero(&memory, sizeof *stream);
    if (!stream) {
        quipu__scan_free(scan);
        return quipu__no_memory(err, sizeof *stream);
    }
    *stream = (struct stream){.memory = memory, .scan = scan, .err = QUIPU_ERROR_INIT};
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, stream};
    return QUIPU_OK;
}

enum quipu_status quipu_relation_stream(struct quipu_reader *reader, const char *name,
                                        const struct quipu_relation_options *options,
                                        struct ArrowArrayStream *out, struct quipu_error *err) {
    struct quipu__relation relation;
    struct quipu__scan *scan;
    *out = (struct ArrowArrayStream){.release = NULL};
    enum quipu_status status = quipu__relation_find(name, &relation, err);
    if (status == QUIPU_OK)
        status = quipu__scan_new(reader, &relation, options, &scan, err);
    return status == QUIPU_OK ? stream_of(scan, out, err) : status;
}

enum quipu_status quipu_table_stream(const struct quipu_table *table, struct ArrowArrayStream *out,
                                     struct quipu_error *err) {
    struct quipu__scan *scan;
    *out = (struct ArrowArrayStream){.release = NULL};
    const enum quipu_status status = quipu__scan_of_table(table, &scan, err);
    return status == QUIPU_OK ? stream_of(scan, out, err) : status;
}

const struct quipu_error *quipu_stream_error(const struct ArrowArrayStream *stream) {
    return &((const struct stream *)stream->private_data)->err;
}
