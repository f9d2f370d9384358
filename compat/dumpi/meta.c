/* meta.c: reading a metafile: lines of key=value, of which numprocs and fileprefix are needed and those that a copy
 * takes over are kept. */
#include "meta.h"

#include "formats/dumpi/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MOST (1u << 24)

const char *quipu__undumpi_meta_fault(enum quipu__undumpi_meta_status status) {
    static const char *const faults[] = {
        [QUIPU__UNDUMPI_META_FINE] = "",
        [QUIPU__UNDUMPI_META_UNREADABLE] = "the metafile cannot be read",
        [QUIPU__UNDUMPI_META_NO_RANKS] = "the metafile does not say numprocs",
        [QUIPU__UNDUMPI_META_NO_PREFIX] = "the metafile does not say fileprefix",
        [QUIPU__UNDUMPI_META_NO_FILES] = "there is not a file for each rank that the metafile names",
    };
    return faults[status];
}

bool quipu__undumpi_meta_name(const char *prefix, uint32_t rank, int width, char *name, unsigned size) {
    const int len = snprintf(name, size, "%s-%0*u.bin", prefix, width, (unsigned)rank);
    return len >= 0 && (unsigned)len < size;
}

static void keep(char *to, size_t size, const char *value) {
    snprintf(to, size, "%s", value);
}

/* A relative prefix is relative to the metafile's folder. */
static void keep_prefix(struct quipu__undumpi_meta *meta, const char *path, const char *value) {
    const char *slash = strrchr(path, '/');
    const int folder = slash && value[0] != '/' ? (int)(slash - path + 1) : 0;
    snprintf(meta->prefix, sizeof meta->prefix, "%.*s%s", folder, path, value);
}

static void take_line(struct quipu__undumpi_meta *meta, const char *path, char *line) {
    char *value = strchr(line, '=');
    if (!value)
        return;
    *value++ = '\0';
    value[strcspn(value, "\r\n")] = '\0';
    if (strcmp(line, "fileprefix") == 0)
        keep_prefix(meta, path, value);
    else if (strcmp(line, "numprocs") == 0)
        meta->ranks = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(line, "hostname") == 0)
        keep(meta->hostname, sizeof meta->hostname, value);
    else if (strcmp(line, "username") == 0)
        keep(meta->username, sizeof meta->username, value);
    else if (strcmp(line, "startime") == 0)
        keep(meta->startime, sizeof meta->startime, value);
}

static bool has_all_files(const struct quipu__undumpi_meta *meta, int width) {
    char name[sizeof meta->prefix + 32];
    for (uint32_t rank = 0; rank < meta->ranks; rank++)
        if (!quipu__undumpi_meta_name(meta->prefix, rank, width, name, sizeof name) ||
            quipu__path_kind(name, NULL) != QUIPU__PATH_FILE)
            return false;
    return true;
}

static bool find_width(struct quipu__undumpi_meta *meta) {
    static const int widths[] = {4, 5, 6, 7, 8, 9, 0, 1, 2, 3};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (has_all_files(meta, widths[i])) {
            meta->width = widths[i];
            return true;
        }
    return false;
}

enum quipu__undumpi_meta_status quipu__undumpi_meta_read(struct quipu__undumpi_meta *meta, const char *path) {
    char line[sizeof meta->prefix];
    *meta = (struct quipu__undumpi_meta){.width = 4};
    FILE *file = fopen(path, "r");
    if (!file)
        return QUIPU__UNDUMPI_META_UNREADABLE;
    while (fgets(line, sizeof line, file))
        take_line(meta, path, line);
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return QUIPU__UNDUMPI_META_UNREADABLE;
    if (meta->ranks == 0 || meta->ranks > RANKS_MOST)
        return QUIPU__UNDUMPI_META_NO_RANKS;
    if (meta->prefix[0] == '\0')
        return QUIPU__UNDUMPI_META_NO_PREFIX;
    return find_width(meta) ? QUIPU__UNDUMPI_META_FINE : QUIPU__UNDUMPI_META_NO_FILES;
}
