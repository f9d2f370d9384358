/* requests.c: see format.h. */
#include "formats/picl/format.h"

void quipu__picl_requests_init(struct quipu__picl_requests *requests, struct quipu__memory *memory) {
    *requests = (struct quipu__picl_requests){.memory = memory, .unused = QUIPU_NONE};
    quipu__map_init(&requests->first, memory);
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
    const uint64_t key = quipu__picl_request_key(requests, process, name);
    const uint32_t slot = add_slot(requests), first = quipu__map_get(&requests->first, key);
    if (slot == QUIPU_NONE)
        return false;
    struct quipu__picl_request *items = requests->items.items;
    items[slot] = (struct quipu__picl_request){name, request, process, QUIPU_NONE, slot};
    if (first == QUIPU_NONE)
        return quipu__map_put(&requests->first, key, slot);
    items[items[first].last].next = slot;
    items[first].last = slot;
    return true;
}

/* Removes a slot from the list that begins at first, in which it follows before. */
static void remove_slot(struct quipu__picl_requests *requests, uint64_t key, uint32_t first, uint32_t before,
                        uint32_t slot) {
    struct quipu__picl_request *items = requests->items.items;
    const uint32_t next = items[slot].next;
    if (slot != first) {
        items[before].next = next;
        items[first].last = next == QUIPU_NONE ? before : items[first].last;
    } else if (next == QUIPU_NONE) {
        quipu__map_remove(&requests->first, key);
    } else {
        items[next].last = items[first].last;
        quipu__gate_knows(quipu__map_put(&requests->first, key, next));
    }
    items[slot].next = requests->unused;
    requests->unused = slot;
}

uint64_t quipu__picl_requests_take(struct quipu__picl_requests *requests, uint32_t process, int64_t name) {
    const uint64_t key = quipu__picl_request_key(requests, process, name);
    const uint32_t first = quipu__map_get(&requests->first, key);
    const struct quipu__picl_request *items = requests->items.items;
    uint32_t slot = first, before = first;
    while (slot != QUIPU_NONE && (items[slot].process != process || items[slot].name != name)) {
        before = slot;
        slot = items[slot].next;
    }
    if (slot == QUIPU_NONE)
        return QUIPU_UNKNOWN;
    remove_slot(requests, key, first, before, slot);
    return items[slot].request;
}
