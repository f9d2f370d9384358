/* compress.c: compressed files: one zlib stream, written without an end.
 *
 * Each write is deflated with a full flush, so that a reader can enter the stream behind any flush marker (an
 * empty stored block, bytes 00 00 ff ff) and inflate from there as raw deflate data. Finished zlib streams and
 * gzip files are read as well.
 */
#include "file.h"

#include <stdlib.h>
#include <string.h>

#define ANY_HEADER (15 + 32) /* inflate: zlib or gzip, whichever it is */
#define NO_HEADER (-15)
#define MARKER_BYTES 4
#define TRIAL_BYTES 256 /* output that must come out right behind a marker for it to be believed */

/* ---- Life ---- */

bool compat_compress_open(struct compat_file *file) {
    file->head.zbuffer = malloc(file->head.zbuffersize);
    if (!file->head.zbuffer)
        return false;
    const int status = file->head.mode == OTF_FILEMODE_WRITE ? deflateInit(&file->stream, file->level)
                                                             : inflateInit2(&file->stream, ANY_HEADER);
    if (status != Z_OK) {
        OTF_Error("zlib refuses to begin: %s", file->stream.msg ? file->stream.msg : "no memory");
        return false;
    }
    file->stream.next_out = file->head.zbuffer;
    file->stream.avail_out = file->head.zbuffersize;
    file->head.z = &file->stream;
    return true;
}

void compat_compress_close(struct compat_file *file) {
    if (file->head.mode == OTF_FILEMODE_WRITE)
        deflateEnd(&file->stream);
    else
        inflateEnd(&file->stream);
    file->head.z = NULL;
}

void compat_compress_resize(struct compat_file *file, uint32_t size) {
    const bool in_use = file->stream.avail_in > 0 || file->stream.next_out != file->head.zbuffer;
    if (in_use || size == file->head.zbuffersize)
        return;
    unsigned char *buffer = realloc(file->head.zbuffer, size);
    if (!buffer)
        return;
    file->head.zbuffer = file->stream.next_out = buffer;
    file->head.zbuffersize = file->stream.avail_out = size;
}

/* ---- Writing ----
 *
 * Compressed bytes gather in zbuffer over many writes. When a flush marker straddles its end, zlib repeats the
 * marker; equal bytes depend on this. */

static bool write_out(struct compat_file *file) {
    const size_t ready = file->head.zbuffersize - file->stream.avail_out;
    file->stream.next_out = file->head.zbuffer;
    file->stream.avail_out = file->head.zbuffersize;
    if (OTF_File_write_internal(&file->head, file->head.zbuffer, ready) == ready)
        return true;
    OTF_Error("cannot write to '%s'", file->head.filename);
    return false;
}

size_t compat_compress_write(struct compat_file *file, const void *data, size_t size) {
    z_stream *z = &file->stream;
    z->next_in = (z_const Bytef *)data;
    z->avail_in = (uInt)size;
    do {
        if (z->avail_out == 0 && !write_out(file))
            return (size_t)-1;
        if (deflate(z, Z_FULL_FLUSH) == Z_STREAM_ERROR)
            return (size_t)-1;
    } while (z->avail_out == 0);
    return size;
}

bool compat_compress_flush(struct compat_file *file) {
    return compat_compress_write(file, "", 0) == 0 && write_out(file);
}

/* ---- Reading ---- */

/* Fetches more compressed bytes when there are none; false at the end of the file. */
static bool fill(struct compat_file *file) {
    if (file->stream.avail_in > 0)
        return true;
    file->stream.next_in = file->head.zbuffer;
    file->stream.avail_in =
        (uInt)OTF_File_read_internal(&file->head, file->head.zbuffer, file->head.zbuffersize);
    return file->stream.avail_in > 0;
}

/* After the end of a stream another may follow, except when its beginning was not seen. */
static bool next_stream(struct compat_file *file) {
    return !file->raw && fill(file) && inflateReset2(&file->stream, ANY_HEADER) == Z_OK;
}

size_t compat_compress_read(struct compat_file *file, void *data, size_t size) {
    z_stream *z = &file->stream;
    z->next_out = data;
    z->avail_out = (uInt)size;
    while (z->avail_out > 0 && !file->ended && fill(file)) {
        const int status = inflate(z, Z_SYNC_FLUSH);
        if (status == Z_STREAM_END)
            file->ended = !next_stream(file);
        else if (status != Z_OK && status != Z_BUF_ERROR) {
            file->ended = true;
            OTF_Error("the compressed file '%s' is damaged", file->head.filename ? file->head.filename : "");
        }
    }
    return size - z->avail_out;
}

/* ---- Going to an offset of the compressed file ---- */

/* Moves the input behind the next flush marker; false when there is none before the end of the file. */
static bool find_marker(struct compat_file *file) {
    static const unsigned char marker[MARKER_BYTES] = {0, 0, 0xff, 0xff};
    z_stream *z = &file->stream;
    unsigned int matched = 0;
    while (fill(file)) {
        const unsigned char byte = *z->next_in++;
        z->avail_in--;
        if (byte == marker[matched])
            matched++;
        else if (byte != 0)
            matched = 0;
        else if (matched != 2) /* a further zero after two is still two */
            matched = 1;
        if (matched == MARKER_BYTES)
            return true;
    }
    return false;
}

/* True when what is in the input can be inflated: four bytes may look like a marker by chance. */
static bool inflates(struct compat_file *file) {
    z_stream *z = &file->stream;
    unsigned char trial[TRIAL_BYTES];
    z_const Bytef *next_in = z->next_in;
    const uInt avail_in = z->avail_in;
    if (inflateReset2(z, NO_HEADER) != Z_OK)
        return false;
    z->next_out = trial;
    z->avail_out = sizeof trial;
    const int status = inflate(z, Z_SYNC_FLUSH);
    z->next_in = next_in;
    z->avail_in = avail_in;
    return (status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END) &&
           inflateReset2(z, NO_HEADER) == Z_OK;
}

int compat_compress_seek(struct compat_file *file, uint64_t pos) {
    const int status = file->head.iofsl ? OTF_File_iofsl_seek(&file->head, pos)
                                        : fseeko(file->head.file, (off_t)pos, SEEK_SET);
    if (status != 0)
        return -1;
    file->stream.avail_in = 0;
    file->raw = pos > 0;
    file->ended = false;
    if (pos == 0)
        return inflateReset2(&file->stream, ANY_HEADER) == Z_OK ? 0 : -1;
    while (find_marker(file)) {
        if (inflates(file))
            return 0;
    }
    file->ended = true;
    return -1;
}
