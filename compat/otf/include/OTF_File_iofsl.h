/* OTF_File_iofsl.h: stream files that are kept inside shared files, with an index beside them. They can be
 * read; writing them needs ZOIDFS and fails. */
#ifndef OTF_FILE_IOFSL_H
#define OTF_FILE_IOFSL_H

#include "OTF_File.h"
#include "OTF_Filenames.h"

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Closes and free. Returns as the OTF_File function of the same name. */
int OTF_File_iofsl_close(OTF_File *file);

/* Clears the IOFSL part. Returns as the OTF_File function of the same name. */
void OTF_File_iofsl_finalize(OTF_File *o);

/* Global clean-up, nothing without ZOIDFS. Returns as the OTF_File function of the same name. */
void OTF_File_iofsl_finalizeGlobal(void);

/* Sets up the IOFSL part of a file. Returns as the OTF_File function of the same name. */
int OTF_File_iofsl_init(OTF_File *o);

/* Opens a stream file inside the shared IOFSL file; reading works without ZOIDFS, writing does not. Returns
 * as the OTF_File function of the same name. */
OTF_File *OTF_File_iofsl_open_zlevel(const char *filename, OTF_FileManager *manager, OTF_FileMode mode,
                                     OTF_FileCompression compression);

/* Raw read through the index. Returns as the OTF_File function of the same name. */
size_t OTF_File_iofsl_read_internal(OTF_File *file, void *dest, size_t length);

/* Re-open. Returns as the OTF_File function of the same name. */
int OTF_File_iofsl_revive(OTF_File *file, OTF_FileMode mode);

/* Moves the logical position. Returns as the OTF_File function of the same name. */
int OTF_File_iofsl_seek(OTF_File *file, uint64_t pos);

/* Logical size of the stream. Returns as the OTF_File function of the same name. */
uint64_t OTF_File_iofsl_size(OTF_File *file);

/* State. Returns as the OTF_File function of the same name. */
OTF_FileStatus OTF_File_iofsl_status(OTF_File *file);

/* Closes the handle. Returns as the OTF_File function of the same name. */
void OTF_File_iofsl_suspend(OTF_File *file);

/* Logical position. Returns as the OTF_File function of the same name. */
uint64_t OTF_File_iofsl_tell(OTF_File *file);

/* Raw write; fails without ZOIDFS. Returns as the OTF_File function of the same name. */
size_t OTF_File_iofsl_write_internal(OTF_File *file, const void *src, size_t length);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_FILE_IOFSL_H */
