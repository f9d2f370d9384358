/* print.h: records as lines in a buffer, for printing many. */
#ifndef QUIPU_SCHEMA_PRINT_H
#define QUIPU_SCHEMA_PRINT_H

#include "core/memory/buffer.h"

#include <quipu/schema.h>

/* The parts of a schema's lines around the values, made once. */
struct quipu__print_plans;
enum quipu_status quipu__print_plans_new(struct quipu__memory *memory, const struct quipu_schema *schema,
                                         bool json, struct quipu__print_plans **out, struct quipu_error *err);
void quipu__print_plans_free(struct quipu__print_plans *plans);

/* What quipu_record_write_json or _text write. plans are those of the schema and of this form, or NULL: for few records. */
void quipu__print_record(const struct quipu_schema *schema, const struct quipu__print_plans *plans,
                         const struct quipu_record *record, bool json, struct quipu__buffer *out);

#endif
