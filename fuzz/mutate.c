/* mutate.c: mutations that know about containers: they change one member file, most of them by whole records.
 *
 * Text files consist of lines. What the records of a binary file are is asked of the reader, which knows it from the
 * format's record table, so a new format needs nothing here. libFuzzer's own mutations, with the dictionary, do the
 * rest inside a member. */
#include "container.h"
#include "folder.h"

#include <stdio.h>
#include <string.h>

#define ROOM ((size_t)1 << 20)
#define SPANS 4096

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

/* ---- Chance ---- */

static uint64_t chance;

static uint64_t below(uint64_t limit) {
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (chance >> 33) % limit : 0;
}

/* ---- Records of a member ---- */

struct span {
    size_t begin, end;
};

static struct span spans[SPANS];
static size_t span_count;

static void add_span(size_t begin, size_t end) {
    if (span_count < SPANS && begin < end)
        spans[span_count++] = (struct span){begin, end};
}

static void find_lines(const struct fuzz_member *member) {
    const uint8_t *data = member->data, *end = data + member->size, *next;
    for (; data < end; data = next) {
        const uint8_t *newline = memchr(data, '\n', (size_t)(end - data));
        next = newline ? newline + 1 : end;
        add_span((size_t)(data - member->data), (size_t)(next - member->data));
    }
}

static bool is_in(const struct quipu_stream *stream, const struct fuzz_member *member) {
    const char *slash = strrchr(stream->path, '/');
    return strcmp(slash ? slash + 1 : stream->path, member->name) == 0;
}

/* A record reaches up to the next one. */
static void find_records(const struct fuzz_container *container, const struct fuzz_member *member) {
    const char *folder = fuzz_folder("mutate");
    char path[400];
    struct quipu_reader *reader;
    struct quipu_record record;
    size_t begin = 0;
    fuzz_folder_clear(folder);
    for (size_t i = 0; i < container->count; i++)
        fuzz_folder_write(folder, container->members[i].name, container->members[i].data,
                          container->members[i].size);
    snprintf(path, sizeof path, "%s/%s", folder, container->members[0].name);
    if (quipu_reader_open(path, NULL, &reader, NULL) != QUIPU_OK)
        return;
    while (span_count < SPANS && quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        if (!is_in(quipu_reader_stream_at(reader, record.stream), member) || record.byte_offset >= member->size)
            continue;
        add_span(begin, record.byte_offset);
        begin = record.byte_offset;
    }
    add_span(begin, member->size);
    quipu_reader_close(reader);
}

static void find_spans(const struct fuzz_container *container, const struct fuzz_member *member) {
    span_count = 0;
    if (member->size > 0 && !memchr(member->data, 0, member->size))
        find_lines(member);
    else if (strcmp(container->members[0].name, ".") != 0)
        find_records(container, member);
}

/* ---- A member rebuilt ---- */

static uint8_t made[ROOM];
static size_t made_size;

static void put(const uint8_t *data, size_t size) {
    if (size > 0 && size <= ROOM - made_size) {
        memcpy(made + made_size, data, size);
        made_size += size;
    }
}

static void put_span(const struct fuzz_member *member, struct span span) {
    put(member->data + span.begin, span.end - span.begin);
}

/* Some neighbouring spans are left out, written twice or written elsewhere. */
static void move_spans(const struct fuzz_member *member) {
    enum { DROP, REPEAT, TRANSFER };
    const uint64_t act = below(3);
    const size_t first = below(span_count), most = span_count - first;
    const size_t count = 1 + below(below(4) == 0 ? most : 1), target = below(span_count + 1);
    for (size_t i = 0; i <= span_count; i++) {
        if (act == TRANSFER && i == target)
            for (size_t k = 0; k < count; k++)
                put_span(member, spans[first + k]);
        if (i == span_count)
            break;
        if (act == REPEAT || i < first || i >= first + count)
            put_span(member, spans[i]);
        if (act == REPEAT && i + 1 == first + count)
            for (size_t k = 0; k < count; k++)
                put_span(member, spans[first + k]);
    }
}

/* libFuzzer's mutations within one span. */
static void change_span(const struct fuzz_member *member) {
    const size_t chosen = below(span_count);
    for (size_t i = 0; i < span_count; i++) {
        const size_t begin = made_size;
        put_span(member, spans[i]);
        if (i == chosen && ROOM - begin > 2 * (spans[i].end - spans[i].begin) + 64)
            made_size = begin + LLVMFuzzerMutate(made + begin, made_size - begin,
                                                 2 * (spans[i].end - spans[i].begin) + 64);
    }
}

static bool is_digit(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* A number of a text near a place. */
static struct span find_number(const struct fuzz_member *member) {
    struct span number = {below(member->size), 0};
    while (number.begin < member->size && !is_digit(member->data[number.begin]))
        number.begin++;
    while (number.begin > 0 && is_digit(member->data[number.begin - 1]))
        number.begin--;
    for (number.end = number.begin; number.end < member->size && is_digit(member->data[number.end]);)
        number.end++;
    return number;
}

/* Another number in place of one in a text: that of another place, or one at the end of a range, hexadecimal or decimal. */
static void change_number(const struct fuzz_member *member) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "-1",
                                          "7fffffff",
                                          "80000000",
                                          "ffffffff",
                                          "fffffffe",
                                          "10000000",
                                          "7fffffffffffffff",
                                          "ffffffffffffffff",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "-9223372036854775808"};
    const struct span number = find_number(member), other = find_number(member);
    const char *limit = numbers[below(sizeof numbers / sizeof *numbers)];
    put(member->data, number.begin);
    if (below(2) == 0)
        put_span(member, other);
    else
        put((const uint8_t *)limit, strlen(limit));
    put(member->data + number.end, member->size - number.end);
}

/* A number of 2, 4 or 8 bytes at the end of a range, in either order of bytes, near the beginning of a record. */
static void change_word(const struct fuzz_member *member) {
    static const uint64_t words[] = {
        0,      1,      2,          0x7f,       0x80,      0xff,       0x7fff,
        0x8000, 0xffff, 0x7fffffff, 0x80000000, INT64_MAX, UINT64_MAX, (uint64_t)INT64_MIN};
    const size_t width = (size_t)2 << below(3);
    const uint64_t word = words[below(sizeof words / sizeof *words)];
    const bool is_little = below(2) == 0;
    const size_t offset = (span_count ? spans[below(span_count)].begin : below(member->size)) + below(48);
    put(member->data, member->size);
    for (size_t i = 0; i < width && offset + i < made_size; i++)
        made[offset + i] = (uint8_t)(word >> 8 * (is_little ? i : width - 1 - i));
}

static void change_bytes(const struct fuzz_member *member) {
    put(member->data, member->size);
    made_size = LLVMFuzzerMutate(made, made_size, made_size + 4096 < ROOM ? made_size + 4096 : ROOM);
}

static void cut_short(const struct fuzz_member *member) {
    put(member->data, below(member->size));
}

static void change_member(const struct fuzz_container *container, struct fuzz_member *member) {
    const bool is_text = member->size > 0 && !memchr(member->data, 0, member->size);
    const uint64_t act = below(16);
    made_size = 0;
    span_count = 0;
    if (member->size == 0 || act < 5) {
        change_bytes(member);
    } else if (act == 5) {
        cut_short(member);
    } else {
        find_spans(container, member);
        if (act < 9)
            is_text ? change_number(member) : change_word(member);
        else if (span_count == 0)
            change_bytes(member);
        else if (act < 12)
            change_span(member);
        else
            move_spans(member);
    }
    member->data = made;
    member->size = made_size;
}

/* ---- Members as a whole ---- */

static void drop_member(struct fuzz_container *container) {
    const size_t chosen = below(container->count);
    if (container->count == 1)
        return;
    container->count--;
    for (size_t i = chosen; i < container->count; i++)
        container->members[i] = container->members[i + 1];
}

static void swap_contents(struct fuzz_container *container) {
    struct fuzz_member *a = &container->members[below(container->count)];
    struct fuzz_member *b = &container->members[below(container->count)];
    const struct fuzz_member old = *a;
    a->data = b->data;
    a->size = b->size;
    b->data = old.data;
    b->size = old.size;
}

/* The same file once more under a name with another digit: another stream or rank. */
static void repeat_member(struct fuzz_container *container) {
    struct fuzz_member copy = container->members[below(container->count)];
    char *digit = strpbrk(copy.name, "0123456789");
    while (digit && below(2) == 0 && strpbrk(digit + 1, "0123456789"))
        digit = strpbrk(digit + 1, "0123456789");
    if (!digit || container->count == FUZZ_MEMBERS)
        return;
    *digit = "0123456789"[below(10)];
    if (!fuzz_container_find(container, copy.name))
        container->members[container->count++] = copy;
}

static void change_members(struct fuzz_container *container) {
    void (*const acts[])(struct fuzz_container *) = {drop_member, swap_contents, repeat_member};
    acts[below(sizeof acts / sizeof *acts)](container);
}

/* ---- What libFuzzer calls ---- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    static uint8_t copy[ROOM];
    struct fuzz_container container;
    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (size > ROOM || below(32) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(copy, data, size);
    fuzz_container_parse(copy, size, &container);
    if (below(16) == 0)
        change_members(&container);
    else
        change_member(&container, &container.members[below(container.count)]);
    const size_t result = fuzz_container_format(&container, data, max_size);
    return result ? result : LLVMFuzzerMutate(data, size, max_size);
}

/* The member of the other input that is most like one of this: of the same name, or of the same kind. */
static const struct fuzz_member *find_like(struct fuzz_container *other, const struct fuzz_member *member) {
    const size_t start = below(other->count);
    for (size_t i = 0; i < other->count; i++) {
        const struct fuzz_member *like = &other->members[(start + i) % other->count];
        if (strcmp(fuzz_member_kind(like), fuzz_member_kind(member)) == 0)
            return like;
    }
    return &other->members[start];
}

/* The beginning of one file and the end of the other, both at the beginning of a record. */
static void splice(const struct fuzz_container *one, const struct fuzz_member *member,
                   const struct fuzz_container *other, const struct fuzz_member *like) {
    made_size = 0;
    find_spans(one, member);
    put(member->data, span_count ? spans[below(span_count)].begin : below(member->size));
    find_spans(other, like);
    const size_t from = span_count ? spans[below(span_count)].begin : below(like->size);
    put(like->data + from, like->size - from);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed) {
    struct fuzz_container first, second;
    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    fuzz_container_parse(one, one_size, &first);
    fuzz_container_parse(other, other_size, &second);
    struct fuzz_member *member = &first.members[below(first.count)];
    const struct fuzz_member *like = find_like(&second, member);
    if (below(3) == 0) {
        member->data = like->data;
        member->size = like->size;
    } else {
        splice(&first, member, &second, like);
        member->data = made;
        member->size = made_size;
    }
    return fuzz_container_format(&first, out, max_size);
}
