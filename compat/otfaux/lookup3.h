/* lookup3.h: the hash functions lookup3 that Bob Jenkins gave to the public domain. libotfaux exports them, and the order in
 * which it writes processes, communicators and counters follows from them.
 *
 * hashlittle and hashbig hash bytes, four of them to a word in the byte order that their names say; hashword hashes whole
 * words, and agrees with hashlittle on their bytes on a little-endian machine. The functions that end in 2 give two hashes
 * at once, which also are their starting values. */
#ifndef COMPAT_OTFAUX_LOOKUP3_H
#define COMPAT_OTFAUX_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* length counts words. */
uint32_t hashword(const uint32_t *k, size_t length, uint32_t initval);
void hashword2(const uint32_t *k, size_t length, uint32_t *pc, uint32_t *pb);

/* length counts bytes. */
uint32_t hashlittle(const void *key, size_t length, uint32_t initval);
void hashlittle2(const void *key, size_t length, uint32_t *pc, uint32_t *pb);
uint32_t hashbig(const void *key, size_t length, uint32_t initval);

#pragma GCC visibility pop

#endif
