/* OTF_FileManager.h: how many files may be open at a time. Readers, writers and streams share a manager; when
 * the limit is reached the file that was not used for the longest time is closed and opened again when it is
 * needed. */
#ifndef OTF_FILEMANAGER_H
#define OTF_FILEMANAGER_H

#include "OTF_Definitions.h"
#include "OTF_inttypes.h"

typedef struct struct_OTF_File OTF_File;
typedef struct struct_OTF_FileManager OTF_FileManager;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Frees the manager; files must be closed before. */
void OTF_FileManager_close(OTF_FileManager *m);

/* How many files are open. */
uint32_t OTF_FileManager_getCount(OTF_FileManager *m);

/* Reads the IOFSL parameters. Returns 1; 0 when IOFSL is off. */
int OTF_FileManager_getIofsl(OTF_FileManager *m, uint32_t *server_num, char ***server_list, OTF_IofslMode *mode,
                             uint32_t *flags, uint32_t *index_buffer_length, uint32_t *streamid_bits);

/* How many files may be open. */
uint32_t OTF_FileManager_getNumber(OTF_FileManager *m);

/* Makes room for one more open file by suspending the one that was not used for the longest time. Returns 1;
 * 0 on failure. */
int OTF_FileManager_guaranteeFile(OTF_FileManager *m);

/* Is IOFSL mode on (set by the i line of a master file). Returns 1 or 0. */
int OTF_FileManager_isIofsl(OTF_FileManager *m);

/* New manager that keeps at most number files open (0 means the default of 10). Returns the manager; NULL
 * without memory. */
OTF_FileManager *OTF_FileManager_open(uint32_t number);

/* Notes a file that has just been opened (put at the head of the list). Returns 1; 0 on failure. */
int OTF_FileManager_registerFile(OTF_FileManager *m, OTF_File *file);

/* Turns IOFSL mode on with these parameters. Returns 1; 0 for a bad mode. */
int OTF_FileManager_setIofsl(OTF_FileManager *m, uint32_t server_num, char **server_list, OTF_IofslMode mode,
                             uint32_t flags, uint32_t index_buffer_length, uint32_t streamid_bits);

/* Sets the limit; 0 is refused (error set); when fewer than the open files, files are suspended until it
 * holds. Returns the limit in force afterwards. */
uint32_t OTF_FileManager_setNumber(OTF_FileManager *m, uint32_t number);

/* Closes the file's handle, keep its position. Returns 1; 0 when the file is not open (error set). */
int OTF_FileManager_suspendFile(OTF_FileManager *m, OTF_File *file);

/* Notes a use: move the file to the head of the list. Returns 1; 0 when it is not in the list. */
int OTF_FileManager_touchFile(OTF_FileManager *m, OTF_File *file);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_FILEMANAGER_H */
