/* call_sites.c: places in source code as text. */
#include "analysis/shared/call_sites.h"

#include "core/text.h"
#include "table/table.h"

#include <inttypes.h>

enum { CALLERS_MOST = 16 }; /* damaged traces have circles of them */

void quipu__put_call_site(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                          uint32_t source) {
    if (source >= definitions->sources.count)
        return;
    const struct quipu_source *it = &definitions->sources.items[source];
    const char *file = quipu__base_name(it->file);
    if (it->line > 0)
        quipu__put_format(out, "%s:%" PRIu32, file, it->line);
    else if (it->function[0] && file[0])
        quipu__put_format(out, "%s (%s)", it->function, file);
    else
        quipu__put_format(out, "%s", it->function[0] ? it->function : file);
}

void quipu__table_put_call_site(struct quipu_table *table, size_t column,
                                const struct quipu_definitions *definitions, uint32_t source,
                                struct quipu__buffer *text) {
    text->len = 0;
    quipu__put_call_site(text, definitions, source);
    const bool is_known = text->len > 0;
    quipu__put(text, "", 1);
    quipu__table_put_text(table, column, is_known && !text->failed ? (const char *)text->data : NULL);
}

void quipu__put_callers(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                        uint32_t source) {
    const struct quipu_sources *sources = &definitions->sources;
    uint32_t caller = source < sources->count ? sources->items[source].caller : QUIPU_NONE;
    for (int i = 0; caller < sources->count && i < CALLERS_MOST; i++, caller = sources->items[caller].caller) {
        quipu__put_format(out, "%s%s (", i > 0 ? ", " : "", sources->items[caller].function);
        quipu__put_call_site(out, definitions, caller);
        quipu__put_format(out, ")");
    }
}
