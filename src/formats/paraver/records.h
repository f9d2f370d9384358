/* records.h: what records.def and domains.def make. */
#ifndef QUIPU_PARAVER_RECORDS_H
#define QUIPU_PARAVER_RECORDS_H

#include <quipu/model.h>
#include <quipu/schema.h>

enum { QUIPU__PARAVER_GROUP_LINE };

#define ROWS_RECORDS "formats/paraver/records.def"
#define ROWS_DOMAINS "formats/paraver/domains.def"
#define ROWS_PREFIX quipu__prv_record
#define ROWS_NUMBERS QUIPU__PRV
#define ROWS_TYPES QUIPU__PRV_TYPE
#define ROWS_GROUP(group) QUIPU__PARAVER_GROUP_##group
#include "schema/rows_structs.h"

extern const struct quipu_schema quipu__paraver_schema;

#endif
