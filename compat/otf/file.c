/* file.c: one file under a file manager. Opening makes the object only; the system's file is opened by the
 * first use, closed when the manager needs room and opened again by the next use. Compression is in compress.c,
 * the shared files of the IOFSL layout are in iofsl.c. */
#include "file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NO_POSITION UINT64_MAX
#define COMPRESSED_SUFFIX ".z"

/* ---- Making and ending ---- */

void OTF_File_init(OTF_File *o) {
    memset(o, 0, sizeof *o);
    o->zbuffersize = 10240;
}

void OTF_File_finalize(OTF_File *o) {
    memset(o, 0, sizeof *o);
}

struct compat_file *compat_file_new(const char *filename, OTF_FileManager *manager, OTF_FileMode mode) {
    struct compat_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    OTF_File_init(&file->head);
    file->head.manager = manager;
    file->head.mode = mode;
    if (filename && !(file->head.filename = OTF_strdup(filename))) {
        free(file);
        return NULL;
    }
    return file;
}

static void destroy(struct compat_file *file) {
    if (file->head.z)
        compat_compress_close(file);
    free(file->head.zbuffer);
    free(file->head.filename);
    free(file);
}

static bool is_compressed_name(const char *name) {
    const size_t length = strlen(name), ending = sizeof COMPRESSED_SUFFIX - 1;
    return length >= ending && strcmp(name + length - ending, COMPRESSED_SUFFIX) == 0;
}

/* The file of a name as it stands, or with the suffix of compressed files; NULL when neither exists. */
static struct compat_file *new_for_reading(const char *filename, OTF_FileManager *manager) {
    if (OTF_fileExists(filename))
        return compat_file_new(filename, manager, OTF_FILEMODE_READ);
    char *name = NULL;
    struct compat_file *file = NULL;
    if (OTF_asprintf(&name, "%s" COMPRESSED_SUFFIX, filename) >= 0 && OTF_fileExists(name))
        file = compat_file_new(name, manager, OTF_FILEMODE_READ);
    free(name);
    return file;
}

OTF_File *OTF_File_open(const char *filename, OTF_FileManager *manager, OTF_FileMode mode) {
    return OTF_File_open_zlevel(filename, manager, mode, OTF_FILECOMPRESSION_COMPRESSED);
}

OTF_File *OTF_File_open_zlevel(const char *filename, OTF_FileManager *manager, OTF_FileMode mode,
                               OTF_FileCompression compression) {
    if (!filename || !manager) {
        OTF_Error("a file needs a name and a manager");
        return NULL;
    }
    if (mode == OTF_FILEMODE_READ && OTF_FileManager_isIofsl(manager) && compat_iofsl_is_shared(filename))
        return OTF_File_iofsl_open_zlevel(filename, manager, mode, compression);
    struct compat_file *file = mode == OTF_FILEMODE_READ ? new_for_reading(filename, manager)
                                                         : compat_file_new(filename, manager, mode);
    if (!file)
        return NULL;
    file->level = (int)(compression & OTF_FILECOMPRESSION_BITS);
    if (is_compressed_name(file->head.filename) && !compat_compress_open(file)) {
        destroy(file);
        return NULL;
    }
    return &file->head;
}

OTF_File *OTF_File_open_with_external_buffer(uint32_t len, const char *buffer, uint8_t is_compressed,
                                             OTF_FileMode mode) {
    struct compat_file *file = compat_file_new(NULL, NULL, mode);
    if (!file)
        return NULL;
    file->head.externalbuffer = buffer;
    file->head.externallen = len;
    if (is_compressed && !compat_compress_open(file)) {
        destroy(file);
        return NULL;
    }
    return &file->head;
}

int OTF_File_close(OTF_File *file) {
    if (!file) {
        OTF_Error("no file to close");
        return 0;
    }
    if (file->iofsl)
        return OTF_File_iofsl_close(file);
    int fine = 1;
    if (file->z && file->mode == OTF_FILEMODE_WRITE && compat_file_of(file)->was_open)
        fine = OTF_File_revive(file, OTF_FILEMODE_WRITE) && compat_compress_flush(compat_file_of(file));
    if (file->file)
        fine = OTF_FileManager_suspendFile(file->manager, file) && fine;
    destroy(compat_file_of(file));
    return fine;
}

/* ---- The system's file ---- */

void OTF_File_suspend(OTF_File *file) {
    if (file->iofsl) {
        OTF_File_iofsl_suspend(file);
        return;
    }
    if (!file->file)
        return;
    const off_t pos = ftello(file->file);
    file->pos = pos < 0 ? NO_POSITION : (uint64_t)pos;
    if (fclose(file->file) != 0)
        OTF_Error("closing '%s' failed", file->filename);
    file->file = NULL;
}

static FILE *open_handle(const OTF_File *file, bool again) {
    if (file->mode == OTF_FILEMODE_WRITE)
        return fopen(file->filename, again ? "ab" : "wb");
    FILE *handle = fopen(file->filename, "rb");
    if (handle && again && fseeko(handle, (off_t)file->pos, SEEK_SET) != 0) {
        fclose(handle);
        return NULL;
    }
    return handle;
}

int OTF_File_revive(OTF_File *file, OTF_FileMode mode) {
    if (file->iofsl)
        return OTF_File_iofsl_revive(file, mode);
    if (file->externalbuffer)
        return 1;
    if (file->file)
        return OTF_FileManager_touchFile(file->manager, file);
    if (mode != OTF_FILEMODE_SEEK && file->mode != mode) {
        OTF_Error("the file '%s' was not opened for this", file->filename);
        return 0;
    }
    if (!OTF_FileManager_guaranteeFile(file->manager))
        return 0;
    struct compat_file *whole = compat_file_of(file);
    file->file = open_handle(file, whole->was_open);
    if (!file->file) {
        OTF_Error("cannot open '%s'", file->filename);
        return 0;
    }
    whole->was_open = true;
    return OTF_FileManager_registerFile(file->manager, file);
}

OTF_FileStatus OTF_File_status(OTF_File *file) {
    if (file->iofsl)
        return OTF_File_iofsl_status(file);
    if (file->externalbuffer)
        return OTF_FILESTATUS_UNKNOWN;
    if (file->file)
        return OTF_FILESTATUS_ACTIVE;
    return compat_file_of(file)->was_open ? OTF_FILESTATUS_SUSPENDED : OTF_FILESTATUS_CLOSED;
}

/* ---- Bytes of the file ---- */

size_t OTF_File_read_internal(OTF_File *file, void *dest, size_t length) {
    if (file->iofsl)
        return OTF_File_iofsl_read_internal(file, dest, length);
    if (!file->externalbuffer)
        return fread(dest, 1, length, file->file);
    const uint64_t left = file->externallen - file->externalpos;
    if (length > left)
        length = (size_t)left;
    memcpy(dest, file->externalbuffer + file->externalpos, length);
    file->externalpos += length;
    return length;
}

size_t OTF_File_write_internal(OTF_File *file, const void *src, size_t length) {
    if (file->iofsl)
        return OTF_File_iofsl_write_internal(file, src, length);
    return fwrite(src, 1, length, file->file);
}

/* ---- Contents ---- */

size_t OTF_File_read(OTF_File *file, void *ptr, size_t size) {
    if (file->mode == OTF_FILEMODE_WRITE) {
        OTF_Error("the file '%s' is open for writing", file->filename);
        return 0;
    }
    if (!OTF_File_revive(file, OTF_FILEMODE_READ))
        return 0;
    return file->z ? compat_compress_read(compat_file_of(file), ptr, size)
                   : OTF_File_read_internal(file, ptr, size);
}

size_t OTF_File_write(OTF_File *file, const void *ptr, size_t size) {
    if (file->externalbuffer) {
        OTF_Error("a file in memory cannot be written");
        return (size_t)-1;
    }
    if (file->mode == OTF_FILEMODE_READ) {
        OTF_Error("the file '%s' is open for reading", file->filename);
        return 0;
    }
    if (!OTF_File_revive(file, OTF_FILEMODE_WRITE))
        return 0;
    return file->z ? compat_compress_write(compat_file_of(file), ptr, size)
                   : OTF_File_write_internal(file, ptr, size);
}

int OTF_File_seek(OTF_File *file, uint64_t pos) {
    if (file->mode == OTF_FILEMODE_WRITE || file->externalbuffer) {
        OTF_Error("a file that is written or in memory has no place to go to");
        return -1;
    }
    if (!OTF_File_revive(file, OTF_FILEMODE_SEEK))
        return -1;
    if (file->z)
        return compat_compress_seek(compat_file_of(file), pos);
    if (file->iofsl)
        return OTF_File_iofsl_seek(file, pos);
    return fseeko(file->file, (off_t)pos, SEEK_SET);
}

uint64_t OTF_File_tell(OTF_File *file) {
    if (file->iofsl)
        return OTF_File_iofsl_tell(file);
    if (file->externalbuffer)
        return UINT64_MAX;
    if (compat_compress_in_chunks(file))
        return compat_file_of(file)->reported_to;
    if (file->file)
        return (uint64_t)ftello(file->file);
    return compat_file_of(file)->was_open ? file->pos : 0;
}

uint64_t OTF_File_size(OTF_File *file) {
    if (file->iofsl)
        return OTF_File_iofsl_size(file);
    if (file->externalbuffer)
        return UINT64_MAX;
    struct stat facts;
    if (stat(file->filename, &facts) != 0) {
        OTF_Error("there is no file '%s'", file->filename);
        return 0;
    }
    return (uint64_t)facts.st_size;
}

void OTF_File_setZBufferSize(OTF_File *file, uint32_t size) {
    if (size < COMPAT_ZBUFFER_SIZE_LEAST) {
        OTF_Error("%u bytes are too few for a buffer", size);
        return;
    }
    if (!file->z)
        return;
    if (size < 512 || size > 10u * 1024 * 1024)
        OTF_Error("%u bytes are an odd size for a buffer of compressed data", size);
    compat_compress_resize(compat_file_of(file), size);
}
