/* file_names.c: parsing the names of OTF files. */
#include "formats/otf/file_names.h"

#include "core/text.h"

#include <string.h>

static const char *const kinds[QUIPU__OTF_STREAM_FILES] = {[QUIPU__OTF_DEFINITIONS] = "def",
                                                           [QUIPU__OTF_EVENTS] = "events",
                                                           [QUIPU__OTF_SNAPSHOTS] = "snaps",
                                                           [QUIPU__OTF_STATISTICS] = "stats",
                                                           [QUIPU__OTF_MARKERS] = "marker"};

const char *quipu__otf_kind_name(enum quipu__otf_file file) {
    return kinds[file];
}

/* Cuts ".word" off the end of the first len bytes of path: the length before the dot, or SIZE_MAX. */
static size_t cut_word(const char *path, size_t len, const char *word) {
    const size_t word_len = strlen(word);
    if (len <= word_len + 1 || path[len - word_len - 1] != '.' ||
        memcmp(path + len - word_len, word, word_len) != 0)
        return SIZE_MAX;
    return len - word_len - 1;
}

/* Cuts ".<hex>" off the end. */
static size_t cut_id(const char *path, size_t len, uint32_t *id) {
    size_t begin = len;
    uint64_t value = 0;
    for (unsigned shift = 0; begin > 0 && quipu__hex_digit((unsigned char)path[begin - 1]) >= 0;
         begin--, shift += 4) {
        if (shift > 28)
            return SIZE_MAX;
        value |= (uint64_t)quipu__hex_digit((unsigned char)path[begin - 1]) << shift;
    }
    *id = (uint32_t)value;
    return begin < len && begin > 1 && path[begin - 1] == '.' ? begin - 1 : SIZE_MAX;
}

bool quipu__otf_parse_name(const char *path, struct quipu__otf_name *out) {
    const size_t whole = strlen(path), uncompressed = cut_word(path, whole, &QUIPU__OTF_COMPRESSED_SUFFIX[1]);
    const size_t len = uncompressed == SIZE_MAX ? whole : uncompressed;
    *out = (struct quipu__otf_name){.file = QUIPU__OTF_MASTER, .compressed = uncompressed != SIZE_MAX};
    out->stub_len = cut_word(path, whole, &QUIPU__OTF_MASTER_SUFFIX[1]);
    if (out->stub_len != SIZE_MAX)
        return true;
    for (unsigned file = 0; file < QUIPU__OTF_STREAM_FILES; file++) {
        const size_t before_kind = cut_word(path, len, kinds[file]);
        if (before_kind == SIZE_MAX)
            continue;
        out->file = (enum quipu__otf_file)file;
        out->stub_len = cut_id(path, before_kind, &out->id);
        return out->stub_len != SIZE_MAX;
    }
    return false;
}
