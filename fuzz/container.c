/* container.c: takes fuzz inputs apart and puts them together. */
#include "container.h"

#include <string.h>

#define MARK "=== "
#define MARK_BYTES (sizeof MARK - 1)

static bool is_name_byte(uint8_t byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '.' || byte == '_' || byte == '-';
}

/* Hidden files and names that go upwards are no names; the folder itself is one. */
static bool is_name(const uint8_t *name, size_t len) {
    if (len == 0 || len >= FUZZ_NAME_BYTES)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_name_byte(name[i]))
            return false;
    return name[0] != '.' || len == 1;
}

/* Bytes of the header that begins here, 0 when none does. */
static size_t header_at(const uint8_t *data, size_t size, char name[FUZZ_NAME_BYTES]) {
    if (size < MARK_BYTES || memcmp(data, MARK, MARK_BYTES) != 0)
        return 0;
    const size_t most = size - MARK_BYTES < FUZZ_NAME_BYTES ? size - MARK_BYTES : FUZZ_NAME_BYTES;
    const uint8_t *begin = data + MARK_BYTES, *end = memchr(begin, '\n', most);
    if (!end || !is_name(begin, (size_t)(end - begin)))
        return 0;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    return (size_t)(end + 1 - data);
}

/* Moves to the newline of the next header, or to the end. */
static const uint8_t *content_end(const uint8_t *data, const uint8_t *end) {
    char name[FUZZ_NAME_BYTES];
    while (data < end && (data = memchr(data, '\n', (size_t)(end - data)))) {
        if (header_at(data + 1, (size_t)(end - data) - 1, name) > 0)
            return data;
        data++;
    }
    return end;
}

void fuzz_container_parse(const uint8_t *data, size_t size, struct fuzz_container *out) {
    const uint8_t *end = data + size;
    struct fuzz_member member = {"input", data, size};
    size_t header = header_at(data, size, member.name);
    out->count = 0;
    while (header > 0 && out->count < FUZZ_MEMBERS) {
        const bool is_last = out->count == FUZZ_MEMBERS - 1;
        const uint8_t *content = data + header, *stop = is_last ? end : content_end(content, end);
        member.data = content;
        member.size = (size_t)(stop - content);
        if (!fuzz_container_find(out, member.name))
            out->members[out->count++] = member;
        data = stop < end ? stop + 1 : end;
        header = header_at(data, (size_t)(end - data), member.name);
    }
    if (out->count == 0)
        out->members[out->count++] = member;
}

size_t fuzz_container_format(const struct fuzz_container *container, uint8_t *out, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < container->count; i++) {
        const struct fuzz_member *member = &container->members[i];
        const size_t len = strlen(member->name);
        if (room - used < MARK_BYTES + len + 2 || room - used - MARK_BYTES - len - 2 < member->size)
            return 0;
        if (i > 0)
            out[used++] = '\n';
        memcpy(out + used, MARK, MARK_BYTES);
        memcpy(out + used + MARK_BYTES, member->name, len);
        used += MARK_BYTES + len;
        out[used++] = '\n';
        if (member->size > 0)
            memcpy(out + used, member->data, member->size);
        used += member->size;
    }
    return used;
}

struct fuzz_member *fuzz_container_find(struct fuzz_container *container, const char *name) {
    for (size_t i = 0; i < container->count; i++)
        if (strcmp(container->members[i].name, name) == 0)
            return &container->members[i];
    return NULL;
}

const char *fuzz_member_kind(const struct fuzz_member *member) {
    const char *dot = strrchr(member->name, '.');
    return dot ? dot + 1 : "";
}
