/* fast_lines.h: lines of records that consist of numbers, with the rows known to the compiler: put_Enter and so on, as
 * schema/rows_encode.h has them. For programs that write one record a call. */
#ifndef QUIPU_OTF_FAST_LINES_H
#define QUIPU_OTF_FAST_LINES_H

#include "formats/otf/records.h"

#include "schema/rows_encode.h"

#endif
