/* line.h: writing one record's line into a write buffer, by the record table of the format. */
#ifndef COMPAT_OTF_LINE_H
#define COMPAT_OTF_LINE_H

#include "internal.h"

#include "formats/otf/records.h"

/* Writes the line of a record. Texts and lists in fields are plain pointers here, not sized memory: texts end in a NUL
 * and list_count is the number of elements of the record's list. */
void compat_write_line(OTF_WBuffer *wbuffer, enum quipu__otf_type type, const void *fields, uint32_t list_count,
                       bool long_form);

#endif
