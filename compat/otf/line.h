/* line.h: writing one record's line into a write buffer, by the record table of the format.
 *
 * There are two ways. compat_write_line writes any record chunk by chunk, with the buffer's rules about room. put_<record>
 * (schema/rows_encode.h) writes a record of numbers at once; MOST_<record> is what it may take, and with that much room both
 * give the same bytes and no flush.
 */
#ifndef COMPAT_OTF_LINE_H
#define COMPAT_OTF_LINE_H

#include "internal.h"
#include "wbuffer.h"

#include "formats/otf/fast_lines.h"

/* Writes the line of a record. Texts and lists in fields are plain pointers here, not sized memory: texts end
 * in a NUL and list_count is the number of elements of the record's list. */
void compat_write_line(OTF_WBuffer *wbuffer, enum quipu__otf_type type, const void *fields, uint32_t list_count,
                       bool long_form);

/* Writes a word of the long form and a blank in one piece; inside of a line a blank comes before it, too. Returns the bytes
 * written. */
uint32_t compat_write_word(OTF_WBuffer *wbuffer, const char *keyword, bool is_inside);

#endif
