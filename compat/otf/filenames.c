/* filenames.c: the names of a trace's files: STUB.otf, STUB.<id>.<kind>[.z], and the shared files of the IOFSL
 * layout, STUB.all.<kind>.<id> and STUB.idx.<kind>.<id>. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the file types of a stream are called; NULL for any other combination of bits. */
static const char *kind_name(OTF_FileType kind) {
    switch (kind) {
    case OTF_FILETYPE_DEF:
        return "def";
    case OTF_FILETYPE_EVENT:
        return "events";
    case OTF_FILETYPE_SNAPS:
        return "snaps";
    case OTF_FILETYPE_STATS:
        return "stats";
    case OTF_FILETYPE_MARKER:
        return "marker";
    default:
        return NULL;
    }
}

char *OTF_getFilename(const char *namestub, uint32_t id, OTF_FileType type, unsigned int l, char *ret) {
    const OTF_FileType kind = type & OTF_FILETYPE_BITS;
    const uint32_t level = type & OTF_FILECOMPRESSION_BITS;
    const char *suffix = level >= 1 && level <= 9 ? ".z" : "";
    const char *name = kind_name(kind);

    if (!name && kind != OTF_FILETYPE_MASTER && kind != OTF_FILETYPE_GLOBAL_DEF)
        return NULL;
    if (!ret || l == 0) {
        l = (unsigned int)strlen(namestub) + 25;
        ret = malloc(l);
        if (!ret)
            return NULL;
    }
    if (kind == OTF_FILETYPE_MASTER)
        snprintf(ret, l, "%s.otf", namestub);
    else if (kind == OTF_FILETYPE_GLOBAL_DEF)
        snprintf(ret, l, "%s.def%s", namestub, suffix);
    else if (type & (OTF_FILETYPE_IOFSL_ALL | OTF_FILETYPE_IOFSL_IDX))
        snprintf(ret, l, "%s.%s.%s.%d%s", namestub, type & OTF_FILETYPE_IOFSL_ALL ? "all" : "idx", name,
                 (int)id, suffix);
    else
        snprintf(ret, l, "%s.%x.%s%s", namestub, id, name, suffix);
    return ret;
}

char *OTF_stripFilename(const char *filename) {
    static const char ending[] = ".otf";
    const size_t ending_length = sizeof ending - 1;
    size_t length = strlen(filename);

    if (length >= ending_length && strcmp(filename + length - ending_length, ending) == 0)
        length -= ending_length;
    if (length == 0) {
        OTF_Error("the name '%s' leaves no name stub", filename);
        return NULL;
    }
    char *stub = malloc(length + 1);
    if (!stub)
        return NULL;
    memcpy(stub, filename, length);
    stub[length] = '\0';
    return stub;
}

int OTF_fileExists(const char *filename) {
    return access(filename, F_OK) == 0;
}
