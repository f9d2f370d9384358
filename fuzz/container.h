/* container.h: several named files in one fuzz input, in a way that a mutation of a byte leaves standing.
 *
 *     === ring.otf
 *     1:1
 *     === ring.0.def
 *     DTR3e8
 *     === ring.1.events
 *     ...
 *
 * A header is "=== ", a name of letters, digits, '.', '_' and '-', and a newline. It stands at the beginning of the
 * input or behind a newline, which belongs to the header and not to the file before it. Nothing has a length, so
 * bytes may come and go. The first file is the one that is opened; the name "." opens the folder itself. An input that
 * does not begin with a header is one file of the name "input". */
#ifndef QUIPU_FUZZ_CONTAINER_H
#define QUIPU_FUZZ_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_MEMBERS 16    /* what follows the last one's header is its content */
#define FUZZ_NAME_BYTES 64 /* with the NUL */

struct fuzz_member {
    char name[FUZZ_NAME_BYTES];
    const uint8_t *data; /* borrowed from the input */
    size_t size;
};

struct fuzz_container {
    size_t count;
    struct fuzz_member members[FUZZ_MEMBERS];
};

/* Takes an input apart; there is at least one member. */
void fuzz_container_parse(const uint8_t *data, size_t size, struct fuzz_container *out);

/* Puts one together; returns its size, 0 when it does not fit into the room. */
size_t fuzz_container_format(const struct fuzz_container *container, uint8_t *out, size_t room);

/* The member of that name, or NULL. */
struct fuzz_member *fuzz_container_find(struct fuzz_container *container, const char *name);

/* What follows the last dot of a name but a number: "events" of ring.1.events; members of the same kind are alike. */
const char *fuzz_member_kind(const struct fuzz_member *member);

#endif
