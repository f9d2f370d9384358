/* folder.c: temporary folders of fuzz targets. */
#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define FOLDERS 8

static char root[150];
static struct { char name[16], path[170]; } folders[FOLDERS];

void fuzz_folder_remove_all(void) {
    for (size_t i = 0; i < FOLDERS && folders[i].name[0]; i++) {
        fuzz_folder_clear(folders[i].path);
        rmdir(folders[i].path);
        folders[i].name[0] = '\0';
    }
    if (root[0])
        rmdir(root);
    root[0] = '\0';
}

static void make_root(void) {
    const char *above = getenv("QUIPU_FUZZ_FOLDER");
    if (!above)
        above = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(root, sizeof root, "%s/quipu-fuzz-XXXXXX", above);
    if (!mkdtemp(root))
        fuzz_fail("no folder can be made in %s", above);
    atexit(fuzz_folder_remove_all);
}

const char *fuzz_folder(const char *name) {
    size_t i = 0;
    if (!root[0])
        make_root();
    while (folders[i].name[0] && strcmp(folders[i].name, name) != 0)
        i++;
    if (!folders[i].name[0]) {
        snprintf(folders[i].name, sizeof folders[i].name, "%s", name);
        snprintf(folders[i].path, sizeof folders[i].path, "%s/%s", root, name);
        if (mkdir(folders[i].path, 0700) != 0)
            fuzz_fail("%s cannot be made", folders[i].path);
    }
    return folders[i].path;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

static bool is_folder(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static void list(const char *folder, const char *prefix, struct fuzz_listing *out);

/* A file, or what is in a folder; a folder without anything is listed itself. */
static void list_entry(const char *folder, const char *name, struct fuzz_listing *out) {
    char path[500];
    const size_t before = out->count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (is_folder(path))
        list(folder, name, out);
    if (out->count > before)
        return;
    if (out->count == FUZZ_FILES)
        fuzz_fail("more than %d files are written", FUZZ_FILES);
    snprintf(out->names[out->count++], sizeof out->names[0], "%s", name);
}

static void list(const char *folder, const char *prefix, struct fuzz_listing *out) {
    char path[500], name[256];
    snprintf(path, sizeof path, "%s/%s", folder, prefix);
    DIR *stream = opendir(path);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const int len = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "/" : "", entry->d_name);
        if (len < 0 || (size_t)len >= sizeof name)
            fuzz_fail("a name of %d bytes is written", len);
        list_entry(folder, name, out);
    }
    if (stream)
        closedir(stream);
}

void fuzz_folder_list(const char *folder, struct fuzz_listing *out) {
    out->count = 0;
    list(folder, "", out);
    qsort(out->names, out->count, sizeof out->names[0], compare_names);
}

static void write_bytes(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    const bool complete = file && fwrite(data, 1, size, file) == size;
    if (!file || fclose(file) != 0 || !complete)
        fuzz_fail("%s cannot be written", path);
}

static bool is_to_be_compressed(const char *name, const uint8_t *data, size_t size) {
    const size_t len = strlen(name);
    return len > 2 && strcmp(name + len - 2, ".z") == 0 && size > 0 && data[0] != 0x78;
}

void fuzz_folder_write(const char *folder, const char *name, const void *data, size_t size) {
    char path[400];
    if (strcmp(name, ".") == 0)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!is_to_be_compressed(name, data, size)) {
        write_bytes(path, data, size);
        return;
    }
    uLongf packed_size = compressBound((uLong)size);
    uint8_t *packed = malloc(packed_size);
    if (!packed || compress2(packed, &packed_size, data, (uLong)size, 1) != Z_OK)
        fuzz_fail("no memory");
    write_bytes(path, packed, packed_size);
    free(packed);
}

void fuzz_folder_clear(const char *folder) {
    static struct fuzz_listing listing;
    char path[500];
    fuzz_folder_list(folder, &listing);
    for (size_t i = 0; i < listing.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, listing.names[i]);
        remove(path);
        for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) > strlen(folder);) {
            *slash = '\0'; /* the folders that it was in, as soon as they are empty */
            rmdir(path);
        }
    }
}

uint64_t fuzz_folder_hash(const char *folder, const char *name) {
    uint8_t buffer[16384];
    char path[500];
    uint64_t hash = 0;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fuzz_fail("%s cannot be read", path);
    while ((size = fread(buffer, 1, sizeof buffer, file)) > 0)
        hash = fuzz_hash(buffer, size, hash);
    fclose(file);
    return hash;
}

struct fuzz_digest fuzz_folder_digest(const char *folder) {
    static struct fuzz_listing listing;
    struct fuzz_digest digest = {0, 0, 0, 0};
    fuzz_folder_list(folder, &listing);
    for (size_t i = 0; i < listing.count; i++)
        fuzz_digest_add(&digest, fuzz_hash(listing.names[i], strlen(listing.names[i]),
                                           fuzz_folder_hash(folder, listing.names[i])));
    return digest;
}
