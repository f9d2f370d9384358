/* call_sites.h: places in source code as tables print them: "FILE:LINE". */
#ifndef QUIPU_ANALYSIS_SHARED_CALL_SITES_H
#define QUIPU_ANALYSIS_SHARED_CALL_SITES_H

#include "core/memory/buffer.h"

#include <quipu/model.h>
#include <quipu/table.h>

/* Adds the name of a source location: the file without its folders and the line; the function, where the line is not known. Nothing for
 * a number that is not defined. */
void quipu__put_call_site(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                          uint32_t source);

/* That name, made in a buffer; null for a number that is not defined. */
void quipu__table_put_call_site(struct quipu_table *table, size_t column,
                                const struct quipu_definitions *definitions, uint32_t source,
                                struct quipu__buffer *text);

/* Adds the calls that led to a source location, from the inside out: "exchange (FILE:300), main (FILE:12)". */
void quipu__put_callers(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                        uint32_t source);

#endif
