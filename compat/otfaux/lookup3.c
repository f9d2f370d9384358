/* lookup3.c: lookup3 from its description: three words of state take in three words of the key at a time and are stirred
 * after each three, more thoroughly after the last. A key that ends within three words is filled up with zeros; an empty
 * key is not stirred at all. */
#include "lookup3.h"

#include <stdbool.h>

struct lookup3 {
    uint32_t a, b, c;
};

static uint32_t rotate(uint32_t word, unsigned bits) {
    return word << bits | word >> (32 - bits);
}

static struct lookup3 begin(size_t bytes, uint32_t first, uint32_t second) {
    const uint32_t start = 0xdeadbeef + (uint32_t)bytes + first;
    return (struct lookup3){start, start, start + second};
}

static void add_words(struct lookup3 *s, uint32_t a, uint32_t b, uint32_t c) {
    s->a += a;
    s->b += b;
    s->c += c;
}

/* One step of stir: x loses z and is mixed with it rotated, z grows by y. */
static void stir_step(uint32_t *x, uint32_t y, uint32_t *z, unsigned bits) {
    *x = (*x - *z) ^ rotate(*z, bits);
    *z += y;
}

/* Between two blocks of the key; can be undone, so that no block is lost. */
static void stir(struct lookup3 *s) {
    stir_step(&s->a, s->b, &s->c, 4);
    stir_step(&s->b, s->c, &s->a, 6);
    stir_step(&s->c, s->a, &s->b, 8);
    stir_step(&s->a, s->b, &s->c, 16);
    stir_step(&s->b, s->c, &s->a, 19);
    stir_step(&s->c, s->a, &s->b, 4);
}

static void finish_step(uint32_t *x, uint32_t y, unsigned bits) {
    *x = (*x ^ y) - rotate(y, bits);
}

/* After the last block: every bit of the state reaches every bit of c. */
static void finish(struct lookup3 *s) {
    finish_step(&s->c, s->b, 14);
    finish_step(&s->a, s->c, 11);
    finish_step(&s->b, s->a, 25);
    finish_step(&s->c, s->b, 16);
    finish_step(&s->a, s->c, 4);
    finish_step(&s->b, s->a, 14);
    finish_step(&s->c, s->b, 24);
}

/* ---- Words ---- */

static struct lookup3 hash_words(const uint32_t *words, size_t count, uint32_t first, uint32_t second) {
    struct lookup3 s = begin(count * 4, first, second);
    for (; count > 3; words += 3, count -= 3) {
        add_words(&s, words[0], words[1], words[2]);
        stir(&s);
    }
    if (count > 0) {
        add_words(&s, words[0], count > 1 ? words[1] : 0, count > 2 ? words[2] : 0);
        finish(&s);
    }
    return s;
}

uint32_t hashword(const uint32_t *k, size_t length, uint32_t initval) {
    return hash_words(k, length, initval, 0).c;
}

void hashword2(const uint32_t *k, size_t length, uint32_t *pc, uint32_t *pb) {
    const struct lookup3 s = hash_words(k, length, *pc, *pb);
    *pc = s.c;
    *pb = s.b;
}

/* ---- Bytes ---- */

/* The word at an offset of the key; what lies behind its end counts as zero. */
static uint32_t word_at(const unsigned char *key, size_t length, size_t offset, bool big) {
    uint32_t word = 0;
    for (unsigned i = 0; i < 4 && offset + i < length; i++)
        word |= (uint32_t)key[offset + i] << 8 * (big ? 3 - i : i);
    return word;
}

static struct lookup3 hash_bytes(const unsigned char *key, size_t length, bool big, uint32_t first,
                                 uint32_t second) {
    struct lookup3 s = begin(length, first, second);
    for (size_t offset = 0; offset < length; offset += 12) {
        add_words(&s, word_at(key, length, offset, big), word_at(key, length, offset + 4, big),
                  word_at(key, length, offset + 8, big));
        if (length - offset > 12)
            stir(&s);
        else
            finish(&s);
    }
    return s;
}

uint32_t hashlittle(const void *key, size_t length, uint32_t initval) {
    return hash_bytes(key, length, false, initval, 0).c;
}

void hashlittle2(const void *key, size_t length, uint32_t *pc, uint32_t *pb) {
    const struct lookup3 s = hash_bytes(key, length, false, *pc, *pb);
    *pc = s.c;
    *pb = s.b;
}

uint32_t hashbig(const void *key, size_t length, uint32_t initval) {
    return hash_bytes(key, length, true, initval, 0).c;
}
