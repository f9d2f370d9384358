/* print.h: records as lines in a buffer, for whoever prints many. */
#ifndef QUIPU_SCHEMA_PRINT_H
#define QUIPU_SCHEMA_PRINT_H

#include "core/buffer.h"

#include <quipu/schema.h>

/* What quipu_record_write_json or _text write. */
void quipu__print_record(const struct quipu_schema *schema, const struct quipu_record *record, bool json,
                         struct quipu__buffer *out);

#endif
