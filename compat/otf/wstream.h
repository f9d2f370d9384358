/* wstream.h: what the writers share about streams. */
#ifndef COMPAT_OTF_WSTREAM_H
#define COMPAT_OTF_WSTREAM_H

#include "internal.h"

#include "formats/otf/layout.h"

/* The write buffer that records of one kind go to; NULL, with an error, when it cannot be made. */
OTF_WBuffer *compat_wstream_buffer(OTF_WStream *wstream, enum quipu__otf_file file);

/* The stream that holds a process, which is mapped first if need be; and the stream that a definition goes to,
 * after the header if that was not written yet. NULL when memory is out. */
OTF_WStream *compat_writer_process_stream(OTF_Writer *writer, uint32_t process);
OTF_WStream *compat_writer_definition_stream(OTF_Writer *writer, uint32_t stream);

/* Settings that streams and writers share: 1, or 0 with an error. */
int compat_check_buffer_size(uint32_t size);
int compat_check_zbuffer_size(uint32_t size);
int compat_check_compression(OTF_FileCompression compression);
void compat_check_format(uint32_t format);

#endif
