/* OTF_File.h: a file under a file manager, plain or compressed. The system's file is opened at the first use.
 */
#ifndef OTF_FILE_H
#define OTF_FILE_H

#include <stdio.h>

#include "OTF_FileManager.h"
#include "OTF_Filenames.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#define OTF_FILE_Z(file) ((z_stream *)(file)->z)
#else
#define OTF_FILE_Z(file) ((z_stream *)(file)->z)
#endif

typedef enum enum_OTF_FileMode {
    OTF_FILEMODE_NOTHING = 0,
    OTF_FILEMODE_READ = 1,
    OTF_FILEMODE_WRITE = 2,
    OTF_FILEMODE_SEEK = 3
} OTF_FileMode;

typedef enum enum_OTF_FileStatus {
    OTF_FILESTATUS_UNKNOWN = 0, /* a file in memory */
    OTF_FILESTATUS_ACTIVE = 1,
    OTF_FILESTATUS_SUSPENDED = 2, /* closed by the manager, to be opened again */
    OTF_FILESTATUS_CLOSED = 3     /* never opened */
} OTF_FileStatus;

struct struct_OTF_File_iofsl;
typedef struct struct_OTF_File_iofsl OTF_File_iofsl;

struct struct_OTF_File {
    char *filename;
    FILE *file;
    void *z; /* a z_stream, NULL for plain files */
    unsigned char *zbuffer;
    uint32_t zbuffersize;
    uint64_t zbuffer_seek_further;
    uint64_t pos;
    OTF_FileMode mode;
    OTF_FileManager *manager;
    const char *externalbuffer; /* a file in memory */
    uint64_t externalpos;
    uint64_t externallen;
    OTF_File_iofsl *iofsl;
};

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Flushs (compressed: one more full flush), close and free. Returns 1; 0 for NULL or failed flush. */
int OTF_File_close(OTF_File *file);

/* Clears the struct. */
void OTF_File_finalize(OTF_File *o);

/* Clears the struct (z buffer size 10240). */
void OTF_File_init(OTF_File *o);

/* As OTF_File_open_zlevel with level 4. Returns the file; NULL when it (and name+".z") does not exist on
 * reading, or an argument is NULL. */
OTF_File *OTF_File_open(const char *filename, OTF_FileManager *manager, OTF_FileMode mode);

/* Reads from memory of len bytes instead of a file, optionally zlib-compressed; cannot seek. Returns the
 * file; NULL without memory. */
OTF_File *OTF_File_open_with_external_buffer(uint32_t len, const char *buffer, uint8_t is_compressed,
                                             OTF_FileMode mode);

/* Makes a file object (the OS file is opened at first use); reading: name, else name+".z" (then inflating);
 * writing: deflating at the level when the name ends in ".z". Returns the file; NULL when absent on reading
 * (no error set), or filename / manager NULL (error set). */
OTF_File *OTF_File_open_zlevel(const char *filename, OTF_FileManager *manager, OTF_FileMode mode,
                               OTF_FileCompression compression);

/* Reads up to size (uncompressed) bytes. Returns bytes read; 0 at the end, on error, or on a file opened for
 * writing (error set). */
size_t OTF_File_read(OTF_File *file, void *ptr, size_t size);

/* Raw read of file bytes. Returns bytes read. */
size_t OTF_File_read_internal(OTF_File *file, void *dest, size_t length);

/* Opens the OS handle again in the given mode (write: append when an offset is known). Returns 1; 0 on
 * failure. */
int OTF_File_revive(OTF_File *file, OTF_FileMode mode);

/* Moves the read position to a byte offset of the file on disk; compressed: re-synchronise at the next flush
 * point at or after it. Returns 0; -1 on error, for files being written and memory files. */
int OTF_File_seek(OTF_File *file, uint64_t pos);

/* Resizes the compressed-side buffer; below 32 refused; below 512 or above 10 MiB accepted but an error is
 * recorded. */
void OTF_File_setZBufferSize(OTF_File *file, uint32_t size);

/* Size of the file on disk by stat. Returns bytes; 0 and error when stat fails (e.g. nothing flushed yet);
 * (uint64_t)-1 for a memory file. */
uint64_t OTF_File_size(OTF_File *file);

/* State of the OS handle. Returns OTF_FILESTATUS_ACTIVE 1, SUSPENDED 2, CLOSED 3 (never opened), UNKNOWN 0
 * (memory file). */
OTF_FileStatus OTF_File_status(OTF_File *file);

/* Remembers the offset and close the OS handle. */
void OTF_File_suspend(OTF_File *file);

/* Current offset in the file on disk. Returns the offset; (uint64_t)-1 for a memory file. */
uint64_t OTF_File_tell(OTF_File *file);

/* Writes size bytes; compressed: deflate with a full flush per call. Returns bytes taken; 0 on a file opened
 * for reading or when it cannot be opened; (size_t)-1 for a memory file. */
size_t OTF_File_write(OTF_File *file, const void *ptr, size_t size);

/* Raw write of file bytes. Returns bytes written. */
size_t OTF_File_write_internal(OTF_File *file, const void *src, size_t length);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_FILE_H */
