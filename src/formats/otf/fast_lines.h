/* fast_lines.h: lines of records that consist of numbers, with the rows known at compile time: put_Enter and so on,
 * from schema/rows_encode.h. For programs that write one record per call. */
#ifndef QUIPU_OTF_FAST_LINES_H
#define QUIPU_OTF_FAST_LINES_H

#include "formats/otf/records.h"

#include "schema/rows_encode.h"

#endif
