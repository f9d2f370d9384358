/* requests.c: see requests.h. */
#include "formats/picl/requests.h"

void quipu__picl_requests_init(struct quipu__picl_requests *requests, struct quipu__memory *memory) {
    *requests = (struct quipu__picl_requests){.memory = memory, .unused = QUIPU_NONE};
    quipu__map_init(&requests->first, memory);
    quipu__map_init(&requests->last, memory);
}

void quipu__picl_requests_release(struct quipu__picl_requests *requests) {
    QUIPU__VEC_RELEASE(requests->memory, &requests->items);
    quipu__map_release(&requests->first);
    quipu__map_release(&requests->last);
}

static uint64_t key_of(uint32_t process, int64_t name) {
    const int64_t pair[2] = {process, name};
    return quipu__hash(pair, sizeof pair, 1);
}

/* A slot; QUIPU_NONE when memory is out. */
static uint32_t add_slot(struct quipu__picl_requests *requests) {
    const uint32_t slot = requests->unused;
    if (slot == QUIPU_NONE) {
        const struct quipu__picl_request *added = QUIPU__VEC_ADD(requests->memory, &requests->items);
        return added ? (uint32_t)requests->items.count - 1 : QUIPU_NONE;
    }
    requests->unused = requests->items.items[slot].next;
    return slot;
}

bool quipu__picl_requests_put(struct quipu__picl_requests *requests, uint32_t process, int64_t name,
                              uint64_t request) {
    const uint64_t key = key_of(process, name);
    const uint32_t slot = add_slot(requests), last = quipu__map_get(&requests->last, key);
    if (slot == QUIPU_NONE)
        return false;
    requests->items.items[slot] = (struct quipu__picl_request){request, QUIPU_NONE};
    if (last != QUIPU_NONE)
        requests->items.items[last].next = slot;
    else if (!quipu__map_put(&requests->first, key, slot))
        return false;
    return quipu__map_put(&requests->last, key, slot);
}

uint64_t quipu__picl_requests_take(struct quipu__picl_requests *requests, uint32_t process, int64_t name) {
    const uint64_t key = key_of(process, name);
    const uint32_t slot = quipu__map_get(&requests->first, key);
    if (slot == QUIPU_NONE)
        return QUIPU_UNKNOWN;
    struct quipu__picl_request *item = &requests->items.items[slot];
    const uint32_t next = item->next;
    if (next == QUIPU_NONE) {
        quipu__map_remove(&requests->first, key);
        quipu__map_remove(&requests->last, key);
    } else {
        quipu__gate_knows(quipu__map_put(&requests->first, key, next));
    }
    item->next = requests->unused;
    requests->unused = slot;
    return item->request;
}
