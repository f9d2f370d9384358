/* compress.c: compressed files: one zlib stream, written without an end.
 *
 * Each write is deflated with a full flush, so that a reader can enter the stream behind any flush marker (an
 * empty stored block, bytes 00 00 ff ff) and inflate from there as raw deflate data. Finished zlib streams and
 * gzip files are read as well.
 */
#include "file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHUNK_BYTES 65536u /* compressed bytes that are read at once */
#define MARKER_BYTES 4
#define TRIAL_BYTES 256 /* output that must come out right behind a marker for it to be believed */

/* ---- Life ---- */

/* Gets ready for the stream that begins where the input is. */
static void begin_stream(struct compat_file *file, bool raw) {
    file->raw = raw;
    file->stream_start = file->read_to - file->inflate.in_left;
    quipu__inflate_begin(&file->inflate, raw);
}

static bool begin_reading(struct compat_file *file) {
    quipu__memory_init(&file->memory, NULL, SIZE_MAX);
    if (!quipu__inflate_init(&file->inflate, &file->memory, true))
        return false;
    begin_stream(file, false);
    return true;
}

bool compat_compress_open(struct compat_file *file) {
    file->head.zbuffer = malloc(file->head.zbuffersize);
    if (!file->head.zbuffer)
        return false;
    const bool is_ready = file->head.mode == OTF_FILEMODE_WRITE
                              ? deflateInit(&file->stream, file->level) == Z_OK
                              : begin_reading(file);
    if (!is_ready) {
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
        quipu__inflate_release(&file->inflate, &file->memory);
    file->head.z = NULL;
}

void compat_compress_resize(struct compat_file *file, uint32_t size) {
    const bool in_use = file->inflate.in || file->stream.next_out != file->head.zbuffer;
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

/* The original fills all of zbuffer at once, which reports of progress show. In most of a large one that would mean new
 * pages for a few compressed bytes: its beginning is used again and again instead. */
bool compat_compress_in_chunks(const OTF_File *file) {
    return file->z && file->mode == OTF_FILEMODE_READ && !file->iofsl && !file->externalbuffer;
}

/* The offset to which the original would read at once. */
static uint64_t next_stop(const struct compat_file *file) {
    struct stat facts;
    const uint64_t size = fstat(fileno(file->head.file), &facts) == 0 ? (uint64_t)facts.st_size : 0;
    const uint64_t left = size > file->read_to ? size - file->read_to : 0;
    return file->read_to + (left < file->head.zbuffersize ? left : file->head.zbuffersize);
}

/* How many bytes to read. */
static size_t next_chunk(struct compat_file *file) {
    if (!compat_compress_in_chunks(&file->head))
        return file->head.zbuffersize;
    if (file->read_to >= file->reported_to)
        file->reported_to = next_stop(file);
    const uint64_t left = file->reported_to - file->read_to;
    return left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
}

/* Fetches more compressed bytes when there are none; false at the end of the file. */
static bool fill(struct compat_file *file) {
    struct quipu__inflate *inflate = &file->inflate;
    if (inflate->in_left > 0)
        return true;
    inflate->in = file->head.zbuffer;
    inflate->in_left = OTF_File_read_internal(&file->head, file->head.zbuffer, next_chunk(file));
    file->read_to += inflate->in_left;
    return inflate->in_left > 0;
}

/* Goes to an offset of the compressed bytes. */
static bool go(struct compat_file *file, uint64_t pos) {
    OTF_File *head = &file->head;
    if (head->externalbuffer)
        head->externalpos = pos;
    else if (head->iofsl ? OTF_File_iofsl_seek(head, pos) != 0 : fseeko(head->file, (off_t)pos, SEEK_SET) != 0)
        return false;
    file->inflate.in_left = 0;
    file->read_to = file->reported_to = pos;
    return true;
}

/* After the end of a stream another may follow, except when its beginning was not seen. */
static bool next_stream(struct compat_file *file) {
    if (file->raw || !fill(file))
        return false;
    begin_stream(file, false);
    return true;
}

static void stop_at_damage(struct compat_file *file) {
    file->ended = true;
    OTF_Error("the compressed file '%s' is damaged", file->head.filename ? file->head.filename : "");
}

/* A file may end anywhere, also inside of a stream: the original's never finish theirs. */
size_t compat_compress_read(struct compat_file *file, void *data, size_t size) {
    struct quipu__inflate *inflate = &file->inflate;
    inflate->out = data;
    inflate->room = size;
    while (inflate->room > 0 && !file->ended) {
        const bool is_last = !fill(file);
        const enum quipu__inflated result = quipu__inflate_run(inflate, is_last);
        if (result == QUIPU__INFLATED_END)
            file->ended = !next_stream(file);
        else if (result == QUIPU__INFLATED_AGAIN)
            file->ended = !go(file, file->stream_start);
        else if (result == QUIPU__INFLATED_DAMAGED && !is_last)
            stop_at_damage(file);
        else if (result != QUIPU__INFLATED_SOME)
            break;
    }
    return size - inflate->room;
}

/* ---- Going to an offset of the compressed file ---- */

/* Moves the input to the next zero, or past all of it. */
static void skip_to_zero(struct quipu__inflate *inflate) {
    const uint8_t *zero = memchr(inflate->in, 0, inflate->in_left);
    const size_t skipped = zero ? (size_t)(zero - inflate->in) : inflate->in_left;
    inflate->in += skipped;
    inflate->in_left -= skipped;
}

/* Moves the input behind the next flush marker; false when there is none before the end of the file. */
static bool find_marker(struct compat_file *file) {
    static const unsigned char marker[MARKER_BYTES] = {0, 0, 0xff, 0xff};
    struct quipu__inflate *inflate = &file->inflate;
    unsigned int matched = 0;
    while (fill(file)) {
        if (matched == 0)
            skip_to_zero(inflate);
        if (inflate->in_left == 0)
            continue;
        const unsigned char byte = *inflate->in++;
        inflate->in_left--;
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
    struct quipu__inflate *inflate = &file->inflate, saved = *inflate;
    unsigned char trial[TRIAL_BYTES];
    enum quipu__inflated result;
    begin_stream(file, true);
    do {
        *inflate = saved;
        inflate->out = trial;
        inflate->room = sizeof trial;
        result = quipu__inflate_run(inflate, false);
    } while (result == QUIPU__INFLATED_AGAIN);
    *inflate = saved;
    begin_stream(file, true);
    return result != QUIPU__INFLATED_DAMAGED;
}

int compat_compress_seek(struct compat_file *file, uint64_t pos) {
    if (!go(file, pos))
        return -1;
    file->ended = false;
    begin_stream(file, false);
    if (pos == 0)
        return 0;
    while (find_marker(file)) {
        if (inflates(file))
            return 0;
    }
    file->ended = true;
    return -1;
}
