/* OTF_WBuffer.h: the write buffer of one file: pieces of lines go in, full buffers go to the file. */
#ifndef OTF_WBUFFER_H
#define OTF_WBUFFER_H

#include <stdio.h>
#include <stdlib.h>

#include "OTF_File.h"
#include "OTF_Filenames.h"
#include "OTF_KeyValue.h"
#include "OTF_inttypes.h"

struct struct_OTF_WBuffer {
    OTF_File *file;
    char *buffer;
    uint32_t size;
    uint32_t pos;
    uint32_t process; /* of the last process line, 2^32-1 before any */
    uint64_t time;    /* of the last time line, 0 before any */
    uint32_t zbuffersize;
};
typedef struct struct_OTF_WBuffer OTF_WBuffer;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Appends the closing time and process lines if any were written, flush, close, free. Returns 1; 0 on
 * failure. */
int OTF_WBuffer_close(OTF_WBuffer *wbuffer);

/* Writes the contents to the file. Returns 1; 0 on failure (the contents are dropped). */
int OTF_WBuffer_flush(OTF_WBuffer *wbuffer);

/* Makes room, flushing if needed. Returns 1; 0 and error when larger than the whole buffer. */
int OTF_WBuffer_guarantee(OTF_WBuffer *wbuffer, size_t space);

/* As OTF_WBuffer_open_zlevel with level 4. */
OTF_WBuffer *OTF_WBuffer_open(const char *filename, OTF_FileManager *manager);

/* Buffer over a file for writing (created at first flush); setSize must follow. Returns the buffer; NULL and
 * error for a NULL manager. */
OTF_WBuffer *OTF_WBuffer_open_zlevel(const char *filename, OTF_FileManager *manager,
                                     OTF_FileCompression compression);

/* Buffer size, only growing. Returns 1; 0 and error when refused. */
int OTF_WBuffer_setSize(OTF_WBuffer *wbuffer, size_t size);

/* Writes the time and process lines that are needed. Returns 1; 0 when time goes back. */
int OTF_WBuffer_setTimeAndProcess(OTF_WBuffer *wbuffer, uint64_t t, uint32_t p);

/* Compressed-side buffer, at least 32. */
void OTF_WBuffer_setZBufferSize(OTF_WBuffer *wbuffer, uint32_t size);

/* Appends bytes as two hex digits each. Returns 2*len; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeBytes(OTF_WBuffer *wbuffer, const uint8_t *value, uint32_t len);

/* Appends one character. Returns 1; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeChar(OTF_WBuffer *wbuffer, const char character);

/* Appends all key-value lines in long form and empty the list. Returns characters written; 0 for NULL. */
uint32_t OTF_WBuffer_writeKeyValueList_long(OTF_WBuffer *buffer, OTF_KeyValueList *list);

/* Appends all key-value lines in short form and empty the list. Returns characters written; 0 for NULL. */
uint32_t OTF_WBuffer_writeKeyValueList_short(OTF_WBuffer *buffer, OTF_KeyValueList *list);

/* Appends one key-value line in long form. Returns characters written. */
uint32_t OTF_WBuffer_writeKeyValuePair_long(OTF_WBuffer *buffer, OTF_KeyValuePair *pair);

/* Appends one key-value line in short form. Returns characters written. */
uint32_t OTF_WBuffer_writeKeyValuePair_short(OTF_WBuffer *buffer, OTF_KeyValuePair *pair);

/* Appends text. Returns its length; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeKeyword(OTF_WBuffer *wbuffer, const char *keyword);

/* Appends a newline. Returns 1; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeNewline(OTF_WBuffer *wbuffer);

/* Appends "text", quotes and newlines replaced by blanks; NULL as "". Returns length without the quotes; 0
 * and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeString(OTF_WBuffer *wbuffer, const char *string);

/* Appends a number in hex. Returns digits; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeUint16(OTF_WBuffer *wbuffer, uint16_t value);

/* Appends a number in hex. Returns digits; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeUint32(OTF_WBuffer *wbuffer, uint32_t value);

/* Appends a number in hex. Returns digits; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeUint64(OTF_WBuffer *wbuffer, uint64_t value);

/* Appends a number in hex. Returns digits; 0 and error when the buffer is too small. */
uint32_t OTF_WBuffer_writeUint8(OTF_WBuffer *wbuffer, uint8_t value);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_WBUFFER_H */
