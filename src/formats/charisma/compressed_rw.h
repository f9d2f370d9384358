/* compressed_rw.h: COMP_RW, a read or write of a client in a few words.
 *
 *     0  record type   1  client   2, 3  bits   4  duration, then time, size, stride, stride in memory, each a word
 *
 * The time counts from the client's request before; size and strides are left out when they are among the three of their kind
 * that were sent last. So what a record says depends on those before it: tracking.h remembers. */
#ifndef QUIPU_CHARISMA_COMPRESSED_RW_H
#define QUIPU_CHARISMA_COMPRESSED_RW_H

#include "core/buffer.h"
#include "formats/charisma/tracking.h"

/* Takes the record that begins at a byte apart, but for what its fields stand for. Lists are put into the scratch. */
enum quipu__binary_outcome quipu__charisma_compressed_take(const struct quipu__charisma_profile *profile,
                                                           struct quipu__binary_decoder *decoder,
                                                           struct quipu__charisma_comp_rw *out,
                                                           const uint8_t *at, const uint8_t *end,
                                                           const uint8_t **next);

/* Finds what the fields stand for and remembers it. Returns how many values the fields refer to that were never sent. */
unsigned quipu__charisma_compressed_expand(struct quipu__charisma_tracking *tracking,
                                           struct quipu__charisma_comp_rw *record);

/* Whether the fields stand for the values that the record has been found to have. If so they are remembered. */
bool quipu__charisma_compressed_repeats(struct quipu__charisma_tracking *tracking,
                                        const struct quipu__charisma_comp_rw *record);

/* Remembers a client's request that is not compressed. */
void quipu__charisma_compressed_pass(struct quipu__charisma_tracking *tracking,
                                     const struct quipu__charisma_rw *rw);

/* The same of a request whose route is known. */
QUIPU__INLINE void quipu__charisma_compressed_note(struct quipu__charisma_tracking *tracking,
                                                   const struct quipu__charisma_route *route,
                                                   const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_handle *handle = &tracking->handles.items[route->handle];
    tracking->clients.items[route->client].previous = quipu__charisma_stamp(rw->starttime);
    handle->offset = rw->requests->offset;
    handle->memory_offset = (int64_t)rw->requests->memory_offset;
}

/* The record as it is, its fields as they are. */
void quipu__charisma_compressed_put(const struct quipu__charisma_profile *profile,
                                    const struct quipu__charisma_comp_rw *record, struct quipu__buffer *out);

/* Compresses a request of one client. False when it cannot be: too wide, asynchronous, of an application. words has room for
 * QUIPU__CHARISMA_WORDS; the record's list is made of them. Remembers it when it can. */
#define QUIPU__CHARISMA_WORDS 5
struct quipu__charisma_word_list {
    struct quipu_sized head;
    uint64_t words[QUIPU__CHARISMA_WORDS];
};
bool quipu__charisma_compress(struct quipu__charisma_tracking *tracking, const struct quipu__charisma_rw *rw,
                              struct quipu__charisma_word_list *words, struct quipu__charisma_comp_rw *out);

/* The same request as a full record. The list points to the transfer. */
struct quipu__charisma_single_request {
    struct quipu_sized head;
    struct quipu__charisma_request entry;
};
struct quipu__charisma_rw quipu__charisma_decompress(const struct quipu__charisma_profile *profile,
                                                     const struct quipu__charisma_comp_rw *record,
                                                     struct quipu__charisma_single_request *list);

#endif
