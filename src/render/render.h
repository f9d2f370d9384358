/* render.h: what the styles of rendering share. A style appends tables to a buffer and hands it on now and then. */
#ifndef QUIPU_RENDER_RENDER_H
#define QUIPU_RENDER_RENDER_H

#include "core/json.h"

#include <quipu/table.h>

/* Tables on their way to a sink. */
struct quipu__render {
    const struct quipu_table *const *tables;
    size_t count;
    const struct quipu_render_options *options;
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_sink sink;
};

typedef enum quipu_status quipu__style_fn(struct quipu__render *render, struct quipu_error *err);
quipu__style_fn quipu__render_text, quipu__render_json, quipu__render_csv;

/* Rows of a table that are to be shown. */
size_t quipu__rows_shown(const struct quipu__render *render, const struct quipu_table *table);

/* Hands the buffer on when it has grown large. Call it after each row. */
enum quipu_status quipu__render_row_end(struct quipu__render *render, struct quipu_error *err);

#endif
