/* profile.c: profiles: opening and closing files, and the memory buffer behind the low-level functions of iodefs.h. */
#include "library.h"

#include "tail.h"

#include <dumpi/common/iodefs.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)64 << 10)

void quipu__undumpi_note_slow(struct dumpi_memory_buffer *own, const struct quipu_error *error) {
    quipu_error_text(error, own->fault, sizeof own->fault);
}

const char *undumpi_fault(const dumpi_profile *profile) {
    return profile && profile->membuf ? profile->membuf->fault : "";
}

/* ---- The private half ---- */

static void release(struct dumpi_memory_buffer *own) {
    if (own->is_reading)
        quipu__undumpi_stream_release(&own->stream);
    if (own->is_writing) {
        quipu__scratch_release(&own->scratch);
        quipu__undumpi_writer_release(&own->writer);
    }
}

/* What stdio reads into stays: its file may be open. */
void dumpi_free_membuf(struct dumpi_memory_buffer *own) {
    if (own)
        release(own);
    free(own);
}

static struct dumpi_memory_buffer *own_of(dumpi_profile *profile) {
    if (profile && !profile->membuf) {
        profile->membuf = calloc(1, sizeof *profile->membuf);
        if (profile->membuf)
            profile->membuf->calls_end = QUIPU__UNDUMPI_UNBOUNDED;
    }
    return profile ? profile->membuf : NULL;
}

struct dumpi_memory_buffer *quipu__undumpi_reader_slow(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = own_of(profile);
    if (!own || !profile->file)
        return NULL;
    const uint32_t version = quipu__undumpi_version(profile);
    if (own->is_reading && own->read_version == version)
        return own;
    if (own->is_reading)
        quipu__undumpi_stream_release(&own->stream);
    own->read_version = version;
    own->is_reading = quipu__undumpi_stream_init(&own->stream, version) == QUIPU_OK;
    if (!own->is_reading)
        quipu__undumpi_stream_release(&own->stream);
    return own->is_reading ? own : NULL;
}

static enum quipu_status write_to_file(void *context, const void *data, size_t size, struct quipu_error *err) {
    if (fwrite(data, 1, size, context) == size)
        return QUIPU_OK;
    snprintf(err->message, sizeof err->message, "writing failed: %s", strerror(errno));
    return err->status = QUIPU_IO;
}

/* A writer whose buffer is empty. */
static bool make_writer(struct dumpi_memory_buffer *own, const dumpi_profile *profile) {
    struct quipu__undumpi_writer *writer = &own->writer;
    own->write_version = quipu__undumpi_version(profile);
    if (quipu__undumpi_writer_init(writer, own->write_version, 0, 0) != QUIPU_OK) {
        quipu__undumpi_writer_release(writer);
        return false;
    }
    writer->buffer.len = 0;
    if (profile->target_membuf_size > 0)
        writer->target = profile->target_membuf_size;
    quipu__scratch_init(&own->scratch, &writer->memory);
    return true;
}

/* The version may be set until the first call is written, and the file and the biases at any time. */
struct dumpi_memory_buffer *quipu__undumpi_writer_of(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = own_of(profile);
    if (!own || (!own->is_writing && !(own->is_writing = make_writer(own, profile))))
        return NULL;
    struct quipu__undumpi_writer *writer = &own->writer;
    const uint32_t version = quipu__undumpi_version(profile);
    writer->sink = profile->file ? (struct quipu_sink){write_to_file, profile->file} : (struct quipu_sink){0};
    writer->encoder.cpu_bias_ns = profile->cpu_time_offset * INT64_C(1000000000);
    writer->encoder.wall_bias_ns = profile->wall_time_offset * INT64_C(1000000000);
    if (version == own->write_version)
        return own;
    struct quipu__binary_codec *codec;
    if (quipu__dumpi_codec_new(&writer->memory, version, false, &codec, &writer->error) != QUIPU_OK)
        return NULL;
    quipu__binary_codec_free(writer->codec);
    writer->codec = codec;
    writer->encoder.codec = codec;
    own->write_version = version;
    return own;
}

/* ---- Opening for reading ---- */

static bool read_at(FILE *file, uint64_t offset, void *data, size_t size) {
    return fseeko(file, (off_t)offset, SEEK_SET) == 0 && fread(data, 1, size, file) == size;
}

static bool has_magic(FILE *file) {
    uint8_t magic[8];
    return read_at(file, 0, magic, sizeof magic) && quipu__load_be64(magic) == QUIPU__DUMPI_MAGIC;
}

static bool read_index(FILE *file, struct quipu__dumpi_index *index, uint64_t *out_size) {
    uint8_t tail[QUIPU__UNDUMPI_TAIL_BYTES];
    const off_t end = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    const uint64_t size = end > 0 ? (uint64_t)end : 0;
    const size_t bytes = size < sizeof tail ? (size_t)size : sizeof tail;
    *out_size = size;
    return read_at(file, size - bytes, tail, bytes) && quipu__undumpi_index_of(tail, bytes, size, index);
}

/* The form of everything depends on the version, which the header begins with. */
static void read_version(FILE *file, uint64_t header, char version[3]) {
    if (header == 0 || !read_at(file, header, version, 3)) {
        version[0] = (char)(QUIPU__DUMPI_NEWEST >> 16);
        version[1] = version[2] = 0;
    }
}

static bool fill_profile(dumpi_profile *profile) {
    struct quipu__dumpi_index index;
    if (!has_magic(profile->file) || !read_index(profile->file, &index, &profile->total_file_size))
        return false;
    profile->header = (long)index.header;
    profile->body = (long)index.body;
    profile->footer = (long)index.footer;
    profile->keyval = (long)index.keyvals;
    profile->perflbl = (long)index.counters;
    profile->addrlbl = (long)index.addresses;
    profile->sizelbl = (long)index.sizes;
    profile->terminate_pos = profile->total_file_size;
    profile->pos = index.body;
    read_version(profile->file, index.header, profile->version);
    profile->membuf->calls_end = quipu__undumpi_calls_end(profile);
    return true;
}

uint64_t quipu__undumpi_calls_end(const dumpi_profile *profile) {
    const long offsets[] = {profile->header,  profile->footer,  profile->keyval,
                            profile->perflbl, profile->addrlbl, profile->sizelbl};
    uint64_t end = profile->total_file_size ? profile->total_file_size : QUIPU__UNDUMPI_UNBOUNDED;
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        if (offsets[i] > profile->body && (uint64_t)offsets[i] < end)
            end = (uint64_t)offsets[i];
    return end;
}

void dumpi_init_profile(dumpi_profile *profile) {
    if (profile)
        memset(profile, 0, sizeof *profile);
}

/* Gives stdio a buffer of its own; NULL when memory is out. */
static FILE *open_file(const char *name, struct dumpi_memory_buffer *own) {
    FILE *file = fopen(name, "rb");
    own->window = file ? malloc(WINDOW) : NULL;
    if (own->window)
        setvbuf(file, own->window, _IOFBF, WINDOW);
    return file;
}

dumpi_profile *dumpi_open_input_file(const char *name) {
    dumpi_profile *profile = name ? calloc(1, sizeof *profile) : NULL;
    struct dumpi_memory_buffer *own = own_of(profile);
    if (own)
        profile->file = open_file(name, own);
    if (own && profile->file && fill_profile(profile) && quipu__undumpi_reader(profile))
        return profile;
    undumpi_close(profile);
    free(profile);
    return NULL;
}

dumpi_profile *undumpi_open(const char *name) {
    return dumpi_open_input_file(name);
}

void undumpi_close(dumpi_profile *profile) {
    if (!profile)
        return;
    if (profile->file)
        fclose(profile->file);
    if (profile->membuf)
        free(profile->membuf->window);
    dumpi_free_membuf(profile->membuf);
    profile->file = NULL;
    profile->membuf = NULL;
}

/* ---- Opening for writing ---- */

FILE *dumpi_open_output_file(const char *name) {
    return name ? fopen(name, "wb") : NULL;
}

dumpi_profile *dumpi_alloc_output_profile(int cpu_bias, int wall_bias, int buffer_bytes) {
    dumpi_profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return NULL;
    profile->cpu_time_offset = cpu_bias;
    profile->wall_time_offset = wall_bias;
    profile->version[0] = (char)(QUIPU__DUMPI_NEWEST >> 16);
    profile->target_membuf_size = buffer_bytes > 0 ? (size_t)buffer_bytes : 0;
    if (dumpi_start_stream_write(profile)) {
        profile->target_membuf_size = profile->membuf->writer.target;
        return profile;
    }
    dumpi_free_output_profile(profile);
    return NULL;
}

void dumpi_free_output_profile(dumpi_profile *profile) {
    undumpi_close(profile);
    free(profile);
}

/* A file that has nothing yet gets its magic; one that has no more than the biases has them already. */
int dumpi_start_stream_write(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = quipu__undumpi_writer_of(profile);
    if (!own)
        return 0;
    struct quipu__undumpi_writer *writer = &own->writer;
    const uint64_t begin = QUIPU__DUMPI_BODY + QUIPU__DUMPI_BEGIN_BYTES;
    if (quipu__undumpi_writer_offset(writer) == begin)
        return 1;
    if (quipu__undumpi_writer_offset(writer) == 0)
        quipu__put_be64(&writer->buffer, QUIPU__DUMPI_MAGIC);
    writer->index.body = quipu__undumpi_writer_offset(writer);
    quipu__put_be32(&writer->buffer, (uint32_t)profile->cpu_time_offset);
    quipu__put_be32(&writer->buffer, (uint32_t)profile->wall_time_offset);
    profile->body = (long)writer->index.body;
    profile->pos = quipu__undumpi_writer_offset(writer);
    return !writer->buffer.failed;
}

/* ---- The memory buffer ---- */

void dumpi_membuf_write(dumpi_profile *profile, const void *data, size_t size, size_t count) {
    struct dumpi_memory_buffer *own = quipu__undumpi_writer_of(profile);
    if (!own || !data || (size > 0 && count > SIZE_MAX / size))
        return;
    struct quipu__undumpi_writer *writer = &own->writer;
    quipu__put(&writer->buffer, data, size * count);
    if (writer->buffer.len >= writer->target || writer->buffer.failed)
        quipu__undumpi_note(own, quipu__undumpi_writer_flush(writer), &writer->error);
    profile->pos = quipu__undumpi_writer_offset(writer);
}

void dumpi_membuf_flush(dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = quipu__undumpi_writer_of(profile);
    if (own)
        quipu__undumpi_note(own, quipu__undumpi_writer_flush(&own->writer), &own->writer.error);
    if (own && profile->file)
        fflush(profile->file);
}

/* What cannot be read is zero. */
void dumpi_membuf_read(dumpi_profile *profile, void *data, size_t size, size_t count) {
    if (!data || (size > 0 && count > SIZE_MAX / size))
        return;
    const size_t got = profile && profile->file ? fread(data, 1, size * count, profile->file) : 0;
    memset((char *)data + got, 0, size * count - got);
    if (profile)
        profile->pos += got;
}

off_t dumpi_membuf_tell(dumpi_profile *profile) {
    if (!profile)
        return -1;
    if (profile->membuf && profile->membuf->is_writing)
        return (off_t)quipu__undumpi_writer_offset(&profile->membuf->writer);
    return profile->file ? (off_t)quipu__undumpi_position(profile->file) : 0;
}
