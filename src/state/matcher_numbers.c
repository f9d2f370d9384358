/* matcher_numbers.c: numbers that a send and its receive share, for reading location by location: see matcher.h. The n-th send of a key
 * and its n-th receive have the same number; a receive gets its position when it is posted.
 */
#include "state/matcher.h"

/* Bits for numbering the messages of one key. */
enum { NUMBER_BITS = 40 };

static uint64_t number_of(uint32_t key_number, uint64_t position) {
    return ((uint64_t)key_number + 1) << NUMBER_BITS | (position & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

/* The next position among the receives of a key, or one that a cancelled receive has left. */
static uint64_t take_position(struct quipu__matcher *matcher, uint32_t key_number) {
    struct quipu__message_queue *queue = &matcher->queues.items[key_number];
    const uint32_t left = queue->first_waiting;
    if (left == QUIPU_NONE)
        return matcher->keys.items[key_number].received++;
    queue->first_waiting = matcher->posts.items[left].next;
    matcher->posts.items[left].next = matcher->unused_post;
    matcher->unused_post = left;
    return matcher->posts.items[left].position;
}

/* A posted receive does not complete: those posted after it move up, and the position of the last one becomes free. */
static void leave_position(struct quipu__matcher *matcher, uint32_t number,
                           const struct quipu__receive_post *post) {
    struct quipu__receive_post *posts = matcher->posts.items;
    if (number == QUIPU_NONE || post->key_number == QUIPU_NONE)
        return;
    uint64_t position = post->position;
    for (uint32_t i = post->next; i != QUIPU_NONE; i = posts[i].next) {
        const uint64_t next = posts[i].position;
        posts[i].position = position;
        position = next;
    }
    matcher->unused_post = posts[number].next; /* quipu__matcher_take_post has put it there */
    uint32_t *link = &matcher->queues.items[post->key_number].first_waiting;
    while (*link != QUIPU_NONE && posts[*link].position < position)
        link = &posts[*link].next;
    posts[number].position = position;
    posts[number].next = *link;
    *link = number;
}

/* The position of a receive whose key was not known when it was posted: before those posted later. */
static uint64_t insert_position(struct quipu__matcher *matcher, uint32_t key_number,
                                const struct quipu__posting *posting) {
    struct quipu__receive_post *posts = matcher->posts.items;
    uint64_t position = take_position(matcher, key_number);
    uint32_t i = matcher->queues.items[key_number].last_post;
    for (; i != QUIPU_NONE && quipu__posting_compare(&posts[i].posting, posting) > 0; i = posts[i].previous) {
        const uint64_t earlier = posts[i].position;
        posts[i].position = position;
        position = earlier;
    }
    return position;
}

static uint32_t queue_at(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_key key;
    return quipu__matcher_key_of(matcher, batch, event, &key) && quipu__message_key_is_exact(&key)
               ? quipu__matcher_queue(matcher, &key)
               : QUIPU_NONE;
}

static void number_post(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                        const struct quipu__posting *posting) {
    struct quipu__receive_post post = {.posting = *posting,
                                       .request = batch->id[event],
                                       .location = batch->location[event],
                                       .call = QUIPU_NONE};
    if (!quipu__matcher_key_of(matcher, batch, event, &post.key))
        return;
    post.key_number =
        quipu__message_key_is_exact(&post.key) ? quipu__matcher_queue(matcher, &post.key) : QUIPU_NONE;
    const uint32_t number = quipu__matcher_put_post(matcher, &post);
    if (number != QUIPU_NONE && post.key_number != QUIPU_NONE)
        matcher->posts.items[number].position = take_position(matcher, post.key_number);
}

static uint64_t number_receive(struct quipu__matcher *matcher, uint32_t key_number, uint32_t posted,
                               const struct quipu__receive_post *post, const struct quipu__posting *posting) {
    const bool was_posted = posted != QUIPU_NONE;
    if (was_posted && post->key_number == key_number)
        return key_number == QUIPU_NONE ? 0 : number_of(key_number, post->position);
    leave_position(matcher, posted, post);
    if (key_number == QUIPU_NONE)
        return 0;
    return number_of(key_number, insert_position(matcher, key_number, was_posted ? &post->posting : posting));
}

uint64_t quipu__matcher_number(struct quipu__matcher *matcher, const struct quipu_batch *batch,
                               uint32_t event) {
    const uint8_t kind = batch->kind[event];
    if (kind == QUIPU_KIND_send) {
        const uint32_t number = batch->peer[event] == QUIPU_NONE ? QUIPU_NONE : queue_at(matcher, batch, event);
        return number == QUIPU_NONE ? 0 : number_of(number, matcher->keys.items[number].sent++);
    }
    if (kind != QUIPU_KIND_recv_post && kind != QUIPU_KIND_recv && kind != QUIPU_KIND_cancel)
        return 0;
    const struct quipu__posting posting = {batch->time[event], batch->location[event], matcher->counts.posts++};
    struct quipu__receive_post post = {.key_number = QUIPU_NONE};
    const uint32_t posted = quipu__matcher_take_post(matcher, batch->location[event], batch->id[event], &post);
    if (kind == QUIPU_KIND_recv)
        return number_receive(matcher, queue_at(matcher, batch, event), posted, &post, &posting);
    leave_position(matcher, posted, &post);
    if (kind == QUIPU_KIND_recv_post)
        number_post(matcher, batch, event, &posting);
    return 0;
}
