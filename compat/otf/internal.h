/* internal.h: the public headers as the library itself sees them, the functions that OTF 1.12.5 exports without
 * declaring them in a header, and what the files of this folder share.
 *
 * Everything inside the pragma is exported; all else is hidden.
 */
#ifndef COMPAT_OTF_INTERNAL_H
#define COMPAT_OTF_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#include "OTF_CopyHandler.h"
#include "OTF_CopyHandler_stream.h"
#include "OTF_Errno.h"
#include "OTF_File_iofsl.h"
#include "otf.h"

/* ---- Text ---- */

char *OTF_strdup(const char *text);
char *OTF_basename(char *path);
int OTF_snprintf(char *text, size_t size, const char *format, ...);
int OTF_vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int OTF_asprintf(char **text, const char *format, ...);
int OTF_vasprintf(char **text, const char *format, va_list arguments);

/* ---- File manager: a ring of open files, the one used last at its head ---- */

typedef struct struct_OTF_FileList OTF_FileList;
int OTF_FileManager_listInsertAtHead(OTF_FileList **list, OTF_File *entry);
int OTF_FileManager_listUnlinkAtHead(OTF_FileList **list, OTF_File *entry);
int OTF_FileManager_listUnlinkAtTail(OTF_FileList **list, OTF_File *entry);
void OTF_FileManager_listPrint(OTF_FileList **list);
void OTF_FileManager_init(OTF_FileManager *manager);
void OTF_FileManager_finalize(OTF_FileManager *manager);

/* ---- Beginnings and ends of the public structs ---- */

int OTF_HandlerArray_init(OTF_HandlerArray *handlers);
int OTF_HandlerArray_finish(OTF_HandlerArray *handlers);
int OTF_WBuffer_init(OTF_WBuffer *wbuffer);
int OTF_WBuffer_finish(OTF_WBuffer *wbuffer);
int OTF_WStream_init(OTF_WStream *wstream);
int OTF_WStream_finish(OTF_WStream *wstream);
int OTF_Writer_init(OTF_Writer *writer);
int OTF_Writer_finish(OTF_Writer *writer);

int OTF_RBuffer_init(OTF_RBuffer *rbuffer);
int OTF_RBuffer_finish(OTF_RBuffer *rbuffer);
int OTF_RStream_init(OTF_RStream *rstream);
int OTF_RStream_finish(OTF_RStream *rstream);
int OTF_Reader_init(OTF_Reader *reader);
int OTF_Reader_finish(OTF_Reader *reader);
int OTF_Reader_resetHeaps(OTF_Reader *reader);

/* ---- Read buffers ---- */

size_t OTF_RBuffer_advance(OTF_RBuffer *rbuffer);
char OTF_RBuffer_checkTimeRecord(OTF_RBuffer *rbuffer);
char OTF_RBuffer_checkProcessRecord(OTF_RBuffer *rbuffer);

/* ---- Key-values ---- */

uint8_t OTF_KeyValueList_getValue(OTF_KeyValueList *list, uint32_t key, OTF_Type type, OTF_Value *value);

/* ---- Master control: the two sorted tables ---- */

int OTF_MasterControl_init(OTF_MasterControl *mc);
void OTF_MasterControl_finalize(OTF_MasterControl *mc);
void OTF_MasterControl_reset(OTF_MasterControl *mc);
OTF_MapEntry *OTF_MasterControl_getMapEntry(OTF_MasterControl *mc, uint32_t argument);
OTF_MapEntry *OTF_MasterControl_insertMapEntry(OTF_MasterControl *mc, uint32_t argument, uint32_t pos);
int OTF_MasterControl_insertRMapEntry(OTF_MasterControl *mc, uint32_t value, uint32_t argument);
int OTF_MapEntry_insertValue(OTF_MapEntry *entry, uint32_t value);

/* ---- Version and unique id ---- */

int OTF_WStream_writeDefVersion(OTF_WStream *wstream, uint8_t major, uint8_t minor, uint8_t sub,
                                const char *string);
int OTF_WStream_writeDefUniqueId(OTF_WStream *wstream, uint64_t uid);
int OTF_Writer_writeDefinitionHeader(OTF_Writer *writer);

#pragma GCC visibility pop

#if defined(__GNUC__)
#define COMPAT_INLINE static inline __attribute__((always_inline))
#define COMPAT_LIKELY(x) __builtin_expect(!!(x), 1)
#define COMPAT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define COMPAT_INLINE static inline
#define COMPAT_LIKELY(x) (x)
#define COMPAT_UNLIKELY(x) (x)
#endif

/* Default size of read and write buffers, and the smallest that can be asked for. */
#define COMPAT_BUFFER_SIZE (1024u * 1024u)
#define COMPAT_BUFFER_SIZE_LEAST 50u
#define COMPAT_ZBUFFER_SIZE_LEAST 32u

#define COMPAT_NO_TIME UINT64_MAX
#define COMPAT_NO_PROCESS UINT32_MAX

#endif
