/* rows_dictionary.c: see rows.h: dictionaries of texts, of which equal ones have one number. */
#include "relation/rows.h"

#include <stdatomic.h>

/* ---- Texts that are shared ---- */

static struct quipu__texts *texts_new(const struct quipu__memory *model, size_t count, size_t size) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, model);
    struct quipu__texts *texts = quipu__alloc_zero(&memory, sizeof *texts);
    if (!texts)
        return NULL;
    *texts = (struct quipu__texts){.memory = memory, .count = count, .size = size};
    atomic_init(&texts->owners, 1);
    texts->ends = quipu__alloc_zero(&texts->memory, (count + 1) * sizeof *texts->ends);
    texts->bytes = quipu__alloc(&texts->memory, size);
    if (texts->ends && texts->bytes)
        return texts;
    quipu__texts_release(texts);
    return NULL;
}

void quipu__texts_release(struct quipu__texts *texts) {
    if (!texts || atomic_fetch_sub_explicit(&texts->owners, 1, memory_order_acq_rel) > 1)
        return;
    quipu__release(&texts->memory, texts->ends, (texts->count + 1) * sizeof *texts->ends);
    quipu__release(&texts->memory, texts->bytes, texts->size);
    struct quipu__memory memory = texts->memory;
    quipu__release(&memory, texts, sizeof *texts);
}

/* ---- Dictionaries ---- */

void quipu__dictionary_release(struct quipu__dictionary *dictionary) {
    quipu__map_release(&dictionary->by_key);
    quipu__map_release(&dictionary->by_text);
    quipu__buffer_release(&dictionary->bytes);
    QUIPU__VEC_RELEASE(dictionary->memory, &dictionary->ends);
    quipu__texts_release(dictionary->made);
    dictionary->made = NULL;
}

static size_t begin_of(const struct quipu__dictionary *dictionary, size_t number) {
    return number == 0 ? 0 : (size_t)dictionary->ends.items[number - 1];
}

static bool is_text(const struct quipu__dictionary *dictionary, uint32_t number, size_t text, size_t len) {
    const size_t begin = begin_of(dictionary, number);
    return (size_t)dictionary->ends.items[number] - begin == len &&
           memcmp(dictionary->bytes.data + begin, dictionary->bytes.data + text, len) == 0;
}

/* Texts whose hashes are equal, though they are not, are found one after the other. The text that is looked for lies behind all others. */
static int32_t number_of(struct quipu__dictionary *dictionary, size_t begin) {
    const size_t len = dictionary->bytes.len - begin;
    uint64_t hash = quipu__hash(dictionary->bytes.data + begin, len, dictionary->by_text.seed);
    uint32_t known;
    while ((known = quipu__map_get(&dictionary->by_text, hash)) != QUIPU_NONE) {
        if (is_text(dictionary, known, begin, len)) {
            dictionary->bytes.len = begin;
            return (int32_t)known;
        }
        hash++;
    }
    const uint32_t number = (uint32_t)dictionary->ends.count;
    if (!QUIPU__VEC_RESERVE(dictionary->memory, &dictionary->ends, 1) ||
        !quipu__map_put(&dictionary->by_text, hash, number)) {
        dictionary->bytes.len = begin;
        return -1;
    }
    dictionary->ends.items[dictionary->ends.count++] = (int32_t)dictionary->bytes.len;
    return (int32_t)number;
}

int32_t quipu__dictionary_text(struct quipu__dictionary *dictionary, const char *text, size_t len) {
    const size_t begin = dictionary->bytes.len;
    (void)quipu__buffer_room(&dictionary->bytes, 1); /* of an empty text, too, there are bytes to compare */
    quipu__put_utf8(&dictionary->bytes, text, len);
    if (!dictionary->bytes.failed)
        return number_of(dictionary, begin);
    quipu__memory_refuse(dictionary->memory);
    return -1;
}

static int32_t note(struct quipu__dictionary *dictionary, uint64_t key, int32_t number) {
    const size_t slot = key % QUIPU__DICTIONARY_LATEST;
    dictionary->latest[slot].key = key + 1;
    dictionary->latest[slot].number = number;
    return number;
}

int32_t quipu__dictionary_search(struct quipu__dictionary *dictionary, uint64_t key) {
    const uint32_t number = quipu__map_get(&dictionary->by_key, key);
    return number == QUIPU_NONE ? -1 : note(dictionary, key, (int32_t)number);
}

int32_t quipu__dictionary_add(struct quipu__dictionary *dictionary, uint64_t key, const char *text) {
    const int32_t number = quipu__dictionary_text(dictionary, text, strlen(text));
    if (number < 0 || !quipu__map_put(&dictionary->by_key, key, (uint32_t)number))
        return -1;
    return note(dictionary, key, number);
}

struct quipu__texts *quipu__dictionary_texts(struct quipu__dictionary *dictionary) {
    const size_t count = dictionary->ends.count;
    if (!dictionary->made || dictionary->made->count != count) {
        quipu__texts_release(dictionary->made);
        dictionary->made = texts_new(dictionary->memory, count, dictionary->bytes.len);
        if (!dictionary->made) {
            quipu__memory_refuse(dictionary->memory);
            return NULL;
        }
        for (size_t i = 0; i < count; i++)
            dictionary->made->ends[i + 1] = dictionary->ends.items[i];
        if (dictionary->bytes.len > 0)
            memcpy(dictionary->made->bytes, dictionary->bytes.data, dictionary->bytes.len);
    }
    quipu__texts_share(dictionary->made);
    return dictionary->made;
}
