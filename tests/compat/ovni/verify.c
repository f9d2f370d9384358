/* verify.c STREAM: reads what emitter.c has left, by the layout alone: the numbers in the payloads of "OB." count from 0, and the
 * last event is whole. Prints how many there are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ring_head {
    char magic[8];
    uint32_t version, data_offset;
    uint64_t capacity, base, used;
};

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    const size_t got = fread(data, 1, *size, file);
    fclose(file);
    return got == *size ? data : NULL;
}

/* Stream and buffer as one. */
static uint8_t *join(uint8_t *stream, size_t *size, const uint8_t *ring, size_t ring_size) {
    struct ring_head head;
    if (!ring || ring_size < sizeof head)
        return stream;
    memcpy(&head, ring, sizeof head);
    if (memcmp(head.magic, "quipring", 8) != 0 || head.base > *size)
        return stream;
    if (head.used == 0)
        return stream;
    stream = realloc(stream, head.base + head.used);
    memcpy(stream + head.base, ring + head.data_offset, head.used);
    *size = head.base + head.used;
    return stream;
}

/* The number of events, or -1 where one is not what it should be. */
static long long count_events(const uint8_t *data, size_t size) {
    size_t offset = 8;
    uint64_t expected = 0;
    while (offset + 12 <= size) {
        const size_t payload = data[offset] & 15 ? (size_t)(data[offset] & 15) + 1 : 0;
        if (memcmp(data + offset + 1, "OB.", 3) == 0) {
            uint64_t number;
            if (payload != 8 || offset + 20 > size)
                return -1;
            memcpy(&number, data + offset + 12, sizeof number);
            if (number != expected++)
                return -1;
        } else if (data[offset + 1] != 'O' || !strchr("HF", data[offset + 2]))
            return -1;
        offset += 12 + payload;
    }
    return offset == size ? (long long)expected : -1;
}

int main(int argc, char **argv) {
    char path[4096];
    static uint8_t *stream, *ring; /* reachable until the end */
    size_t size = 0, ring_size = 0;
    if (argc != 2)
        return 2;
    snprintf(path, sizeof path, "%s.ring", argv[1]);
    stream = read_file(argv[1], &size);
    ring = read_file(path, &ring_size);
    if (stream)
        stream = join(stream, &size, ring, ring_size);
    const long long count = stream ? count_events(stream, size) : -1;
    printf("%lld\n", count);
    return count < 0;
}
