/* iofsl.c: the IOFSL layout, in which all stream files of one kind lie as blocks in shared files.
 *
 *     STUB.all.<kind>[.N]   the blocks of all streams
 *     STUB.idx.<kind>[.N]   one line a block: <stream hex>:<offset>:<length>, the last two in decimal
 *
 * The blocks of a stream in the order of the index are its file. N, in mode MULTIFILE_SPLIT only, is the stream
 * masked and taken modulo the number of servers. Such files are read; writing them needs ZOIDFS and is refused.
 */
#include "file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct block {
    uint64_t offset; /* in the shared file */
    uint64_t length;
    uint64_t begin; /* in the stream's file */
};

struct struct_OTF_File_iofsl {
    struct block *blocks;
    size_t count, room;
    uint64_t size; /* of the stream's file */
    size_t block;  /* the block that is read, from its byte inside on */
    uint64_t inside;
    bool entered; /* false before the first reading or seeking */
};

/* ---- Names: STUB.<stream>.<kind>[.z] ---- */

struct stream_name {
    int stub_length;
    uint32_t stream;
    const char *kind;
    int kind_length;
};

/* Splits a name; false when it is not that of a file that is shared. */
static bool split_name(const char *filename, struct stream_name *out) {
    static const char *const kinds[] = {"def", "events", "snaps", "stats", "marker"};
    size_t length = strlen(filename);
    if (length > 2 && strcmp(filename + length - 2, ".z") == 0)
        length -= 2;
    size_t kind = length;
    while (kind > 0 && filename[kind - 1] != '.')
        kind--;
    size_t stream = kind > 0 ? kind - 1 : 0;
    while (stream > 0 && filename[stream - 1] != '.')
        stream--;
    if (stream == 0)
        return false;
    char *end;
    *out = (struct stream_name){(int)stream - 1, (uint32_t)strtoul(filename + stream, &end, 16),
                                filename + kind, (int)(length - kind)};
    if (end != filename + kind - 1 || end == filename + stream)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i]) == length - kind && strncmp(kinds[i], out->kind, length - kind) == 0)
            return out->stream != 0 || (i != 0 && i != 4); /* global definitions and markers are not shared */
    }
    return false;
}

bool compat_iofsl_is_shared(const char *filename) {
    struct stream_name parsed;
    return split_name(filename, &parsed);
}

/* The name of the shared file ("all") or of its index ("idx") for a stream's file. */
static char *shared_name(const char *filename, const struct stream_name *stream_name, OTF_FileManager *manager,
                         const char *what, bool compressed) {
    uint32_t servers = 0, bits = 0;
    OTF_IofslMode mode = OTF_IOFSL_DISABLED;
    OTF_FileManager_getIofsl(manager, &servers, NULL, &mode, NULL, NULL, &bits);
    char *name = NULL;
    const char *suffix = compressed ? ".z" : "";
    int length;
    if (mode == OTF_IOFSL_MULTIFILE_SPLIT && servers > 0)
        length = OTF_asprintf(&name, "%.*s.%s.%.*s.%u%s", stream_name->stub_length, filename, what,
                              stream_name->kind_length, stream_name->kind,
                              (stream_name->stream & bits) % servers, suffix);
    else
        length = OTF_asprintf(&name, "%.*s.%s.%.*s%s", stream_name->stub_length, filename, what,
                              stream_name->kind_length, stream_name->kind, suffix);
    return length < 0 ? NULL : name;
}

/* ---- Index ---- */

static bool add_block(struct struct_OTF_File_iofsl *iofsl, uint64_t offset, uint64_t length) {
    if (iofsl->count == iofsl->room) {
        const size_t room = iofsl->room ? iofsl->room * 2 : 16;
        struct block *blocks = realloc(iofsl->blocks, room * sizeof *blocks);
        if (!blocks)
            return false;
        iofsl->blocks = blocks;
        iofsl->room = room;
    }
    iofsl->blocks[iofsl->count++] = (struct block){offset, length, iofsl->size};
    iofsl->size += length;
    return true;
}

/* Collects the blocks of one stream. OTF reads three things after another, wherever lines end, compares ids as text
 * and stops at what it does not understand and at an empty block. */
static bool read_index(struct struct_OTF_File_iofsl *iofsl, const char *name, uint32_t stream) {
    FILE *index = fopen(name, "r");
    if (!index)
        return false;
    char wanted[16], id[4096];
    OTF_snprintf(wanted, sizeof wanted, "%" PRIx32, stream);
    uint64_t offset, length;
    bool fine = true;
    while (fine && fscanf(index, " %4095[^:]:%" SCNu64 ":%" SCNu64, id, &offset, &length) == 3) {
        if (strcmp(id, wanted) != 0)
            continue;
        if (length == 0 || length > UINT64_MAX - iofsl->size)
            break;
        fine = add_block(iofsl, offset, length);
    }
    fclose(index);
    return fine;
}

static bool load(OTF_File *file, const char *filename, const struct stream_name *stream_name) {
    char *index = shared_name(filename, stream_name, file->manager, "idx", false);
    file->iofsl = calloc(1, sizeof *file->iofsl);
    const bool fine = index && file->iofsl && read_index(file->iofsl, index, stream_name->stream);
    free(index);
    return fine && file->iofsl->count > 0;
}

/* ---- Opening ---- */

OTF_File *OTF_File_iofsl_open_zlevel(const char *filename, OTF_FileManager *manager, OTF_FileMode mode,
                                     OTF_FileCompression compression) {
    (void)compression;
    struct stream_name parsed;
    if (mode == OTF_FILEMODE_WRITE) {
        OTF_Error("shared files cannot be written: this needs ZOIDFS");
        return NULL;
    }
    if (!split_name(filename, &parsed))
        return NULL;
    for (int compressed = 0; compressed < 2; compressed++) {
        char *name = shared_name(filename, &parsed, manager, "all", compressed);
        struct compat_file *file =
            name && OTF_fileExists(name) ? compat_file_new(name, manager, OTF_FILEMODE_READ) : NULL;
        free(name);
        if (!file)
            continue;
        if (load(&file->head, filename, &parsed) && (!compressed || compat_compress_open(file)))
            return &file->head;
        OTF_File_iofsl_close(&file->head);
    }
    return NULL;
}

int OTF_File_iofsl_init(OTF_File *o) {
    o->iofsl = NULL;
    return 1;
}

void OTF_File_iofsl_finalize(OTF_File *o) {
    if (o->iofsl)
        free(o->iofsl->blocks);
    free(o->iofsl);
    o->iofsl = NULL;
}

void OTF_File_iofsl_finalizeGlobal(void) {
}

int OTF_File_iofsl_close(OTF_File *file) {
    OTF_File_iofsl_finalize(file);
    return OTF_File_close(file);
}

/* ---- Use ---- */

OTF_FileStatus OTF_File_iofsl_status(OTF_File *file) {
    if (file->file)
        return OTF_FILESTATUS_ACTIVE;
    return compat_file_of(file)->was_open ? OTF_FILESTATUS_SUSPENDED : OTF_FILESTATUS_CLOSED;
}

void OTF_File_iofsl_suspend(OTF_File *file) {
    if (file->file)
        fclose(file->file);
    file->file = NULL;
}

int OTF_File_iofsl_revive(OTF_File *file, OTF_FileMode mode) {
    if (mode == OTF_FILEMODE_WRITE)
        return 0;
    if (file->file)
        return OTF_FileManager_touchFile(file->manager, file);
    if (!OTF_FileManager_guaranteeFile(file->manager))
        return 0;
    file->file = fopen(file->filename, "rb");
    if (!file->file) {
        OTF_Error("cannot open '%s'", file->filename);
        return 0;
    }
    compat_file_of(file)->was_open = true;
    return OTF_FileManager_registerFile(file->manager, file);
}

/* Reads from the current block, what is left of it at most. */
static size_t read_block(OTF_File *file, char *dest, size_t length) {
    struct struct_OTF_File_iofsl *iofsl = file->iofsl;
    const struct block *block = &iofsl->blocks[iofsl->block];
    const uint64_t left = block->length - iofsl->inside;
    const size_t want = left < length ? (size_t)left : length;
    if (fseeko(file->file, (off_t)(block->offset + iofsl->inside), SEEK_SET) != 0)
        return 0;
    const size_t got = fread(dest, 1, want, file->file);
    iofsl->inside += got;
    return got;
}

/* When the shared file ends in a block, what there is of the block counts only if the reading began inside of it;
 * with the next reading the block is left behind. */
size_t OTF_File_iofsl_read_internal(OTF_File *file, void *dest, size_t length) {
    struct struct_OTF_File_iofsl *iofsl = file->iofsl;
    size_t done = iofsl->entered ? read_block(file, dest, length) : 0;
    while (done < length && iofsl->block + iofsl->entered < iofsl->count) {
        iofsl->block += iofsl->entered;
        iofsl->entered = true;
        iofsl->inside = 0;
        const uint64_t whole = iofsl->blocks[iofsl->block].length;
        const size_t want = whole < length - done ? (size_t)whole : length - done;
        if (read_block(file, (char *)dest + done, want) < want) {
            OTF_Error("the shared file '%s' ends in a block", file->filename);
            break;
        }
        done += want;
    }
    return done;
}

size_t OTF_File_iofsl_write_internal(OTF_File *file, const void *src, size_t length) {
    (void)src;
    (void)length;
    OTF_Error("the shared file '%s' cannot be written: this needs ZOIDFS", file->filename);
    return 0;
}

int OTF_File_iofsl_seek(OTF_File *file, uint64_t pos) {
    struct struct_OTF_File_iofsl *iofsl = file->iofsl;
    if (pos >= iofsl->size) {
        OTF_Error("the shared file '%s' has no byte %" PRIu64 " of the stream", file->filename, pos);
        return -1;
    }
    size_t low = 0, high = iofsl->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (iofsl->blocks[middle].begin <= pos)
            low = middle;
        else
            high = middle;
    }
    iofsl->block = low;
    iofsl->inside = pos - iofsl->blocks[low].begin;
    iofsl->entered = true;
    return 0;
}

uint64_t OTF_File_iofsl_tell(OTF_File *file) {
    return file->iofsl->blocks[file->iofsl->block].begin + file->iofsl->inside;
}

uint64_t OTF_File_iofsl_size(OTF_File *file) {
    return file->iofsl->size;
}
