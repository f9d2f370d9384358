/* OTF_Filenames.h: the names of the files of a trace. */
#ifndef OTF_FILENAMES
#define OTF_FILENAMES

#include "OTF_Definitions.h"
#include "OTF_inttypes.h"

/* One kind of file, combined by or with a compression level and, for the IOFSL layout, one of the last two. */
typedef uint32_t OTF_FileType;
#define OTF_FILETYPE_MASTER 16
#define OTF_FILETYPE_GLOBAL_DEF 32
#define OTF_FILETYPE_DEF 64
#define OTF_FILETYPE_EVENT 128
#define OTF_FILETYPE_SNAPS 256
#define OTF_FILETYPE_STATS 512
#define OTF_FILETYPE_MARKER 1024
#define OTF_FILETYPE_BITS 2032
#define OTF_FILETYPE_IOFSL_ALL 2048
#define OTF_FILETYPE_IOFSL_IDX 4096

/* A compression level: 0 is plain, 1 to 9 are zlib's. */
typedef uint32_t OTF_FileCompression;
#define OTF_FILECOMPRESSION_UNCOMPRESSED 0
#define OTF_FILECOMPRESSION_COMPRESSED 4
#define OTF_FILECOMPRESSION_BITS 15

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Access( filename, F_OK ). Returns 1 or 0. */
int OTF_fileExists(const char *filename);

/* File name of a part; ret NULL or l 0: memory is allocated, else written to ret. Returns the name; NULL for
 * an unknown type. */
char *OTF_getFilename(const char *namestub, uint32_t id, OTF_FileType type, unsigned int l, char *ret);

/* Copies of the name without one trailing ".otf". Returns malloc'ed name; NULL and error when nothing is
 * left. */
char *OTF_stripFilename(const char *filename);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_FILENAMES */
