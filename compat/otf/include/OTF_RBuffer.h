/* OTF_RBuffer.h: the read buffer of one file: complete lines, their fields, and the time and process in force.
 */
#ifndef OTF_RBUFFER_H
#define OTF_RBUFFER_H

#include <stdio.h>
#include <stdlib.h>

#include "OTF_File.h"
#include "OTF_KeyValue.h"
#include "OTF_inttypes.h"

struct struct_OTF_RBuffer {
    OTF_File *file;
    char *buffer;
    uint32_t pos;
    uint32_t end;
    uint32_t lastnewline; /* position of the last newline in the buffer */
    uint32_t size;
    uint32_t jumpsize; /* bytes read first after a jump */
    uint32_t *array;
    uint32_t arraysize;
    uint64_t time;    /* of the last time line, 2^64-1 before any */
    uint32_t process; /* of the last process line, 2^32-1 before any */
    uint64_t filesize;
    uint64_t firstTime;
    uint64_t lastTime;
    OTF_KeyValueList *list; /* pairs for the next record */
    uint32_t zbuffersize;
};
typedef struct struct_OTF_RBuffer OTF_RBuffer;

/* Records an error that shows the current line. */
#define PARSE_ERROR(buffer)                                                                                    \
    {                                                                                                          \
        char *parse_error_record = OTF_RBuffer_printRecord(buffer);                                            \
        OTF_Error("Parse error in function %s, file: %s, line: %i:\n %s\n", __func__, __FILE__, __LINE__,      \
                  parse_error_record);                                                                         \
        free(parse_error_record);                                                                              \
    }

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Closes and free. Returns 1; 0 on failure. */
int OTF_RBuffer_close(OTF_RBuffer *rbuffer);

/* Process of the last process line, 2^32-1 before any. */
uint32_t OTF_RBuffer_getCurrentProcess(OTF_RBuffer *rbuffer);

/* Time of the last time line, 2^64-1 before any. */
uint64_t OTF_RBuffer_getCurrentTime(OTF_RBuffer *rbuffer);

/* Offset on disk, in bytes, behind what was read ahead. */
uint64_t OTF_RBuffer_getFilePos(OTF_RBuffer *rbuffer);

/* Finds file size, first and last time stamp (once). Returns 1; 0 on failure. */
int OTF_RBuffer_getFileProperties(OTF_RBuffer *rbuffer);

/* Size of the file on disk in bytes. */
uint64_t OTF_RBuffer_getFileSize(OTF_RBuffer *rbuffer);

/* Applies time and process lines until another complete line is at the position. Returns pointer to that
 * line; NULL at the end. */
char *OTF_RBuffer_getRecord(OTF_RBuffer *rbuffer);

/* Makes sure that a complete line is in the buffer, reading and growing the buffer as needed. Returns 1; 0 at
 * the end. */
int OTF_RBuffer_guaranteeRecord(OTF_RBuffer *rbuffer);

/* Goes to a file offset and find the next line start, then the next time and process line after it. Returns
 * 1; 0 when there is none before the end. */
int OTF_RBuffer_jump(OTF_RBuffer *rbuffer, uint64_t filepos);

/* Buffer over a file for reading; setSize must follow. Returns the buffer; NULL when the file is absent (no
 * error) or manager NULL (error). */
OTF_RBuffer *OTF_RBuffer_open(const char *filename, OTF_FileManager *manager);

/* Buffer over memory of len bytes, zlib-compressed or not, that the caller keeps. Returns the buffer; NULL
 * without memory. */
OTF_RBuffer *OTF_RBuffer_open_with_external_buffer(uint32_t len, const char *buffer, uint8_t is_compressed);

/* Copies of the current line without newline. Returns malloc'ed string, caller frees. */
char *OTF_RBuffer_printRecord(OTF_RBuffer *rbuffer);

/* Reads numbers each followed by a comma, growing *array. Returns how many (= number of commas). */
uint32_t OTF_RBuffer_readArray(OTF_RBuffer *rbuffer, uint32_t **array, uint32_t *size);

/* Reads pairs of hex digits. Returns bytes read; max_len+1 when there are more. */
uint32_t OTF_RBuffer_readBytes(OTF_RBuffer *rbuffer, uint8_t *array, uint32_t max_len);

/* Parses a K line after its prefix and append it to the buffer's list. Returns 1; 0 on a parse error. */
uint32_t OTF_RBuffer_readKeyValueList(OTF_RBuffer *buffer);

/* Skips to behind the next newline. Returns 1; 0 when the buffer ends first. */
int OTF_RBuffer_readNewline(OTF_RBuffer *rbuffer);

/* Skips spaces, read "...", ends it with a NUL inside the buffer. Returns pointer into the buffer (valid
 * until the next read); NULL when there is no quote. */
const char *OTF_RBuffer_readString(OTF_RBuffer *rbuffer);

/* Skips spaces and reads lower-case hex digits, keeping the low 32 bits; 0 when there is no digit. */
uint32_t OTF_RBuffer_readUint32(OTF_RBuffer *rbuffer);

/* Skips spaces and reads lower-case hex digits, keeping the low 64 bits; 0 when there is no digit. */
uint64_t OTF_RBuffer_readUint64(OTF_RBuffer *rbuffer);

/* Binary search: position at the first record with time >= the argument. Returns 1; 0 and error on failure. */
int OTF_RBuffer_searchTime(OTF_RBuffer *rbuffer, uint64_t time);

/* Sets the current process. */
void OTF_RBuffer_setCurrentProcess(OTF_RBuffer *rbuffer, uint32_t process);

/* Sets the current time. */
void OTF_RBuffer_setCurrentTime(OTF_RBuffer *rbuffer, uint64_t time);

/* Bytes read first after a jump, 100..size. Returns 1; 0 and error when refused. */
int OTF_RBuffer_setJumpSize(OTF_RBuffer *rbuffer, size_t size);

/* Sets the buffer size, at least 100, only growing; lowers the jump size to it. Returns 1; 0 and error when
 * refused. */
int OTF_RBuffer_setSize(OTF_RBuffer *rbuffer, size_t size);

/* Compressed-side buffer, at least 32. */
void OTF_RBuffer_setZBufferSize(OTF_RBuffer *rbuffer, uint32_t size);

/* Skips A-Z and #. */
void OTF_RBuffer_skipKeyword(OTF_RBuffer *rbuffer);

/* Skips blanks and tabs. */
void OTF_RBuffer_skipSpaces(OTF_RBuffer *rbuffer);

/* Skips spaces; consume the character if it is next. Returns 1 or 0. */
int OTF_RBuffer_testChar(OTF_RBuffer *rbuffer, char c);

/* Skips spaces; consume the keyword if it stood at the position before the spaces and no A-Z follows. Returns
 * 1 or 0. */
int OTF_RBuffer_testKeyword(OTF_RBuffer *rbuffer, const char *string);

/* As OTF_RBuffer_testKeyword, whatever follows. Returns 1 or 0. */
int OTF_RBuffer_testPrefix(OTF_RBuffer *rbuffer, const char *string);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_RBUFFER_H */
