/* sending.c: see sending.h. */
#include "analysis/shared/sending.h"

#include <ctype.h>
#include <string.h>

/* How a send depends on its receiver. */
enum sending_mode { SENDING_UNKNOWN, SENDING_BY_SIZE, SENDING_SYNCHRONOUS, SENDING_BUFFERED };

static bool contains(const char *name, const char *word) {
    const size_t len = strlen(word);
    for (; *name; name++) {
        size_t same = 0;
        while (same < len && tolower((unsigned char)name[same]) == word[same])
            same++;
        if (same == len)
            return true;
    }
    return false;
}

static enum sending_mode look_up_mode(const struct quipu_definitions *definitions, uint32_t region) {
    const char *name = region < definitions->regions.count ? definitions->regions.items[region].name : "";
    if (contains(name, "ssend"))
        return SENDING_SYNCHRONOUS;
    return contains(name, "bsend") ? SENDING_BUFFERED : SENDING_BY_SIZE;
}

static enum sending_mode mode_of(struct quipu__sending *sending, const struct quipu_definitions *definitions,
                                 uint32_t region) {
    const size_t known = sending->regions.count;
    if (region < known && sending->regions.items[region] != SENDING_UNKNOWN)
        return (enum sending_mode)sending->regions.items[region];
    const enum sending_mode found = look_up_mode(definitions, region);
    if (region >= definitions->regions.count)
        return found;
    if (region >= known) {
        if (!QUIPU__VEC_RESERVE(sending->memory, &sending->regions, region + 1 - known))
            return found;
        sending->regions.count = (size_t)region + 1;
    }
    sending->regions.items[region] = (uint8_t)found;
    return found;
}

bool quipu__send_waits(struct quipu__sending *sending, const struct quipu__communication *communication,
                       const struct quipu__message_end *send) {
    const uint32_t path = communication->calls.list.items[send->call].path;
    const enum sending_mode mode =
        mode_of(sending, communication->definitions, quipu__call_path_region(&communication->paths, path));
    return mode == SENDING_SYNCHRONOUS || (mode == SENDING_BY_SIZE && send->bytes >= sending->eager_limit);
}
