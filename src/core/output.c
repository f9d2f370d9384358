/* output.c: sets of files that appear together.
 *
 * Each file collects bytes in a buffer; a full buffer is written to a temporary file beside the final name (through
 * deflate when the file is compressed). Devices, pipes and standard output have no temporary name: what is written is
 * written. The number of open descriptors is limited: a file that is not among the last used ones is closed and
 * opened for appending when it is needed again.
 */
#include "core/output.h"

#include "core/error.h"
#include "core/os.h"
#include "core/vec.h"
#include "core/zlib_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_MOST ((size_t)1 << 20)
#define BUFFER_LEAST ((size_t)16 << 10)
#define DEFLATED_BYTES ((size_t)64 << 10)
#define SYNC_EACH 64 /* larger sets are synced by one call for the whole system */

struct quipu__file {
    struct quipu__outputs *set;
    char *path, *temporary; /* temporary is NULL for devices, pipes and standard output */
    size_t path_size, temporary_size;
    int fd;
    uint64_t last_use;
    bool created, committed;
    uint8_t *buffer;
    size_t len, capacity;
    uint64_t size;
    int compression;
    z_stream zlib;
};

struct quipu__outputs {
    struct quipu__memory *memory;
    bool replace;
    uint32_t file_limit, open;
    uint64_t uses;
    size_t buffered; /* bytes of all buffers */
    QUIPU__VEC(struct quipu__file *) files;
};

enum quipu_status quipu__outputs_new(struct quipu__memory *memory, bool replace, uint32_t file_limit,
                                     struct quipu__outputs **out, struct quipu_error *err) {
    struct quipu__outputs *outputs = quipu__alloc_zero(memory, sizeof *outputs);
    *out = outputs;
    if (!outputs)
        return quipu__no_memory(err, sizeof *outputs);
    outputs->memory = memory;
    outputs->replace = replace;
    outputs->file_limit = file_limit ? file_limit : quipu__os_files_share();
    return QUIPU_OK;
}

static enum quipu_status output_error(const struct quipu__file *file, struct quipu_error *err,
                                      const char *what) {
    const int number = errno;
    quipu__fail_errno(err, QUIPU_OUTPUT, number, "%s", what);
    quipu__at(err, file->path, QUIPU_UNKNOWN);
    if (number == ENOSPC || number == EDQUOT)
        quipu__advise(err, "free some space, or write to another file system");
    return QUIPU_OUTPUT;
}

/* ---- Descriptors ---- */

static void close_file(struct quipu__file *file) {
    if (file->fd < 0)
        return;
    quipu__os_close(file->fd);
    file->fd = -1;
    file->set->open--;
}

/* False when there is none that can be closed. */
static bool close_oldest(struct quipu__outputs *outputs) {
    struct quipu__file *oldest = NULL;
    for (size_t i = 0; i < outputs->files.count; i++) {
        struct quipu__file *file = outputs->files.at[i];
        if (file->fd > STDERR_FILENO && file->temporary && (!oldest || file->last_use < oldest->last_use))
            oldest = file;
    }
    if (oldest)
        close_file(oldest);
    return oldest != NULL;
}

static int open_file(const struct quipu__file *file) {
    if (strcmp(file->path, "-") == 0)
        return STDOUT_FILENO;
    if (!file->temporary)
        return open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return open(file->temporary, O_WRONLY | O_APPEND | O_CLOEXEC | (file->created ? 0 : O_CREAT | O_EXCL),
                0666);
}

/* When the process has too many files open already, others of the set make room. */
static enum quipu_status use_file(struct quipu__file *file, struct quipu_error *err) {
    struct quipu__outputs *outputs = file->set;
    file->last_use = ++outputs->uses;
    if (file->fd >= 0)
        return QUIPU_OK;
    if (outputs->open >= outputs->file_limit)
        close_oldest(outputs);
    file->fd = open_file(file);
    while (file->fd < 0 && errno == EMFILE && close_oldest(outputs))
        file->fd = open_file(file);
    if (file->fd < 0)
        return output_error(file, err, "cannot be written");
    file->created = true;
    outputs->open++;
    return QUIPU_OK;
}

static enum quipu_status write_all(struct quipu__file *file, const uint8_t *data, size_t size,
                                   struct quipu_error *err) {
    const enum quipu_status status = use_file(file, err);
    if (status != QUIPU_OK)
        return status;
    while (size > 0) {
        const ssize_t done = write(file->fd, data, size);
        if (done < 0 && errno != EINTR)
            return output_error(file, err, "cannot be written");
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
    return QUIPU_OK;
}

/* One piece of compressed data: ended by a full flush, so that a reader can start after it. The stream gets no last
 * block: readers of trace files stop at its end, and one of them cannot read files that have it. */
static enum quipu_status write_deflated(struct quipu__file *file, struct quipu_error *err) {
    uint8_t deflated[DEFLATED_BYTES];
    file->zlib.next_in = file->buffer;
    file->zlib.avail_in = (uInt)file->len;
    do {
        file->zlib.next_out = deflated;
        file->zlib.avail_out = sizeof deflated;
        deflate(&file->zlib, Z_FULL_FLUSH);
        const enum quipu_status status = write_all(file, deflated, sizeof deflated - file->zlib.avail_out, err);
        if (status != QUIPU_OK)
            return status;
    } while (file->zlib.avail_out == 0);
    return QUIPU_OK;
}

static enum quipu_status flush_file(struct quipu__file *file, struct quipu_error *err) {
    if (file->len == 0)
        return QUIPU_OK;
    const enum quipu_status status =
        file->compression ? write_deflated(file, err) : write_all(file, file->buffer, file->len, err);
    file->len = 0;
    return status;
}

/* ---- Adding files ---- */

static enum quipu_status check_target(const struct quipu__outputs *outputs, const char *path, bool *is_plain,
                                      struct quipu_error *err) {
    const enum quipu__path_kind kind = quipu__path_kind(path, NULL);
    *is_plain = kind == QUIPU__PATH_MISSING || kind == QUIPU__PATH_FILE;
    if (kind == QUIPU__PATH_DIRECTORY) {
        quipu__fail(err, QUIPU_OUTPUT, "is a directory");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return QUIPU_OUTPUT;
    }
    if (kind == QUIPU__PATH_FILE && !outputs->replace) {
        quipu__fail(err, QUIPU_EXISTS, "exists already");
        quipu__at(err, path, QUIPU_UNKNOWN);
        quipu__advise(err, "choose another name, or use --force to replace it");
        return QUIPU_EXISTS;
    }
    return QUIPU_OK;
}

static bool set_names(struct quipu__file *file, const char *path, bool is_plain) {
    struct quipu__memory *memory = file->set->memory;
    file->path_size = strlen(path) + 1;
    file->temporary_size = file->path_size + 32;
    file->path = quipu__alloc(memory, file->path_size);
    if (!file->path)
        return false;
    memcpy(file->path, path, file->path_size);
    if (!is_plain)
        return true;
    file->temporary = quipu__alloc(memory, file->temporary_size);
    const int folder = (int)(strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0);
    if (file->temporary)
        snprintf(file->temporary, file->temporary_size, "%.*s.%s.%08x.part", folder, path, path + folder,
                 (unsigned)quipu__os_random());
    return file->temporary != NULL;
}

static void free_file(struct quipu__file *file) {
    struct quipu__memory *memory = file->set->memory;
    close_file(file);
    if (file->temporary && file->created && !file->committed)
        unlink(file->temporary);
    if (file->compression)
        deflateEnd(&file->zlib);
    quipu__release(memory, file->buffer, file->capacity);
    quipu__release(memory, file->temporary, file->temporary_size);
    quipu__release(memory, file->path, file->path_size);
    quipu__release(memory, file, sizeof *file);
}

enum quipu_status quipu__outputs_add(struct quipu__outputs *outputs, const char *path, int compression,
                                     struct quipu__file **out, struct quipu_error *err) {
    bool is_plain;
    *out = NULL;
    const enum quipu_status status = check_target(outputs, path, &is_plain, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__file *file = quipu__alloc_zero(outputs->memory, sizeof *file);
    struct quipu__file **slot = file ? QUIPU__VEC_ADD(outputs->memory, &outputs->files) : NULL;
    if (!slot) {
        quipu__release(outputs->memory, file, sizeof *file);
        return quipu__no_memory(err, sizeof *file);
    }
    file->set = outputs;
    file->fd = -1;
    *slot = file;
    if (!set_names(file, path, is_plain))
        return quipu__no_memory(err, file->temporary_size);
    quipu__zlib_memory(&file->zlib, outputs->memory);
    if (compression && deflateInit(&file->zlib, compression) != Z_OK)
        return quipu__no_memory(err, sizeof file->zlib);
    file->compression = compression;
    *out = file;
    return QUIPU_OK;
}

/* A quarter of the memory is for buffers. Each new one takes a part of what is left of that, so that few files get
 * large buffers and thousands of files still get one each. */
static size_t buffer_size(const struct quipu__outputs *outputs) {
    const size_t budget = outputs->memory->limit / 4;
    const size_t share = outputs->buffered < budget ? (budget - outputs->buffered) / 64 : 0;
    return share > BUFFER_MOST ? BUFFER_MOST : share < BUFFER_LEAST ? BUFFER_LEAST : share;
}

enum quipu_status quipu__file_write(struct quipu__file *file, const void *data, size_t size,
                                    struct quipu_error *err) {
    const uint8_t *from = data;
    if (!file->buffer) {
        file->capacity = buffer_size(file->set);
        file->buffer = quipu__alloc(file->set->memory, file->capacity);
        if (!file->buffer)
            return quipu__no_memory(err, file->capacity);
        file->set->buffered += file->capacity;
    }
    file->size += size;
    while (size > 0) {
        const size_t room = file->capacity - file->len;
        const size_t taken = size < room ? size : room;
        memcpy(file->buffer + file->len, from, taken);
        file->len += taken;
        from += taken;
        size -= taken;
        if (file->len == file->capacity) {
            const enum quipu_status status = flush_file(file, err);
            if (status != QUIPU_OK)
                return status;
        }
    }
    return QUIPU_OK;
}

uint64_t quipu__file_size(const struct quipu__file *file) {
    return file->size;
}

/* ---- The end ---- */

static void free_set(struct quipu__outputs *outputs) {
    for (size_t i = 0; i < outputs->files.count; i++)
        free_file(outputs->files.at[i]);
    QUIPU__VEC_RELEASE(outputs->memory, &outputs->files);
    quipu__release(outputs->memory, outputs, sizeof *outputs);
}

void quipu__outputs_discard(struct quipu__outputs *outputs) {
    if (outputs)
        free_set(outputs);
}

static enum quipu_status complete_file(struct quipu__file *file, bool sync_it, struct quipu_error *err) {
    enum quipu_status status = flush_file(file, err);
    if (status == QUIPU_OK)
        status = use_file(file, err); /* empty files come into being here */
    if (status == QUIPU_OK && sync_it && file->temporary && fsync(file->fd) != 0)
        return output_error(file, err, "cannot be written");
    return status;
}

static enum quipu_status rename_files(struct quipu__outputs *outputs, struct quipu_error *err) {
    for (size_t i = 0; i < outputs->files.count; i++) {
        struct quipu__file *file = outputs->files.at[i];
        if (file->temporary && rename(file->temporary, file->path) != 0) {
            const enum quipu_status status = output_error(file, err, "cannot get its name");
            for (size_t k = 0; k < i && !outputs->replace; k++)
                if (outputs->files.at[k]->temporary)
                    unlink(outputs->files.at[k]->path);
            return status;
        }
        file->committed = true;
    }
    return QUIPU_OK;
}

enum quipu_status quipu__outputs_commit(struct quipu__outputs *outputs, struct quipu_error *err) {
    const bool sync_each = outputs->files.count <= SYNC_EACH;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < outputs->files.count; i++)
        status = complete_file(outputs->files.at[i], sync_each, err);
    if (status == QUIPU_OK && !sync_each)
        sync();
    if (status == QUIPU_OK)
        status = rename_files(outputs, err);
    free_set(outputs);
    return status;
}

/* ---- The public output: a set with one file ---- */

struct quipu_output {
    struct quipu__memory memory;
    struct quipu__outputs *outputs;
    struct quipu__file *file;
};

enum quipu_status quipu_output_open(const char *path, bool replace, struct quipu_output **out,
                                    struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, 0);
    struct quipu_output *output = quipu__alloc_zero(&memory, sizeof *output);
    *out = NULL;
    if (!output)
        return quipu__no_memory(err, sizeof *output);
    output->memory = memory;
    enum quipu_status status = quipu__outputs_new(&output->memory, replace, 0, &output->outputs, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(output->outputs, path, 0, &output->file, err);
    if (status != QUIPU_OK) {
        quipu_output_discard(output);
        return status;
    }
    *out = output;
    return QUIPU_OK;
}

static enum quipu_status write_to_output(void *context, const void *data, size_t size,
                                         struct quipu_error *err) {
    struct quipu_output *output = context;
    return quipu__file_write(output->file, data, size, err);
}

struct quipu_sink quipu_output_sink(struct quipu_output *output) {
    const struct quipu_sink sink = {write_to_output, output};
    return sink;
}

static void free_output(struct quipu_output *output) {
    struct quipu__memory memory = output->memory;
    quipu__release(&memory, output, sizeof *output);
}

enum quipu_status quipu_output_close(struct quipu_output *output, struct quipu_error *err) {
    const enum quipu_status status = quipu__outputs_commit(output->outputs, err);
    free_output(output);
    return status;
}

void quipu_output_discard(struct quipu_output *output) {
    if (!output)
        return;
    quipu__outputs_discard(output->outputs);
    free_output(output);
}
