/* file.h: what an OTF_File holds besides its public part. Every OTF_File that an open function returns is the
 * head of one of these. */
#ifndef COMPAT_OTF_FILE_H
#define COMPAT_OTF_FILE_H

#include "internal.h"

#include "formats/otf/compressed.h"

#include <zlib.h>

struct compat_file {
    OTF_File head;
    z_stream stream; /* head.z points here in compressed files; used for writing */
    int level;
    bool was_open; /* the position in head.pos is known */
    /* for reading compressed files */
    struct quipu__memory memory;
    struct quipu__inflate inflate; /* its input lies in head.zbuffer */
    uint64_t read_to;              /* offset behind that input */
    uint64_t reported_to;          /* offset for callers: the original would have read so far */
    uint64_t stream_start;         /* offset */
    bool raw;                      /* inflating after a seek: the header was not seen */
    bool ended;                    /* nothing can be inflated any more */
};

static inline struct compat_file *compat_file_of(OTF_File *file) {
    return (struct compat_file *)file;
}

/* Compressed bytes to and from a file whose head.z is set; sizes are of uncompressed bytes. */
bool compat_compress_open(struct compat_file *file);
void compat_compress_close(struct compat_file *file);
void compat_compress_resize(struct compat_file *file, uint32_t size);
size_t compat_compress_write(struct compat_file *file, const void *data,
                             size_t size); /* (size_t)-1 on failure */
bool compat_compress_flush(struct compat_file *file);
size_t compat_compress_read(struct compat_file *file, void *data, size_t size);
int compat_compress_seek(struct compat_file *file, uint64_t pos);

/* Whether the position of the system's file is not the one to report. */
bool compat_compress_in_chunks(const OTF_File *file);

/* Whether a file of this name lies in shared files when there are any. */
bool compat_iofsl_is_shared(const char *filename);

/* Allocates a file without anything behind it. */
struct compat_file *compat_file_new(const char *filename, OTF_FileManager *manager, OTF_FileMode mode);

#endif
