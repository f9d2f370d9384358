/* render.c: showing tables: chooses the style, and holds what the styles share. */
#include "render/render.h"

#include <string.h>

#define FLUSH_BYTES ((size_t)1 << 16)

size_t quipu__rows_shown(const struct quipu__render *render, const struct quipu_table *table) {
    const size_t rows = quipu_table_row_count(table), limit = render->options->row_limit;
    return limit < rows ? limit : rows;
}

enum quipu_status quipu__render_row_end(struct quipu__render *render, struct quipu_error *err) {
    if (render->out.len < FLUSH_BYTES && !render->out.failed)
        return QUIPU_OK;
    return quipu__buffer_flush(&render->out, render->sink, err);
}

enum quipu_status quipu_table_write(const struct quipu_table *const *tables, size_t count,
                                    const struct quipu_render_options *options, struct quipu_sink sink,
                                    struct quipu_error *err) {
    static quipu__style_fn *const styles[] = {
        [QUIPU_STYLE_TEXT] = quipu__render_text,
        [QUIPU_STYLE_JSON] = quipu__render_json,
        [QUIPU_STYLE_CSV] = quipu__render_csv,
    };
    static const struct quipu_render_options defaults = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu__render render = {
        .tables = tables, .count = count, .options = options ? options : &defaults, .sink = sink};
    quipu__memory_init(&render.memory, &render.options->allocator, 0);
    quipu__buffer_init(&render.out, &render.memory, 0);
    enum quipu_status status = styles[render.options->style](&render, err);
    if (status == QUIPU_OK)
        status = quipu__buffer_flush(&render.out, sink, err);
    quipu__buffer_release(&render.out);
    return status;
}
