/* requests.c: lists of active operations and of windows, found by number. */
#include "formats/dumpi/events.h"

void quipu__dumpi_requests_init(struct quipu__dumpi_requests *requests, struct quipu__memory *memory) {
    *requests = (struct quipu__dumpi_requests){.memory = memory};
    quipu__tokens_init(&requests->requests, memory);
    quipu__tokens_init(&requests->transfers, memory);
    quipu__tokens_init(&requests->splits, memory);
}

void quipu__dumpi_requests_release(struct quipu__dumpi_requests *requests) {
    quipu__tokens_release(&requests->requests);
    quipu__tokens_release(&requests->transfers);
    quipu__tokens_release(&requests->splits);
    QUIPU__VEC_RELEASE(requests->memory, &requests->list);
    QUIPU__VEC_RELEASE(requests->memory, &requests->transfer_list);
}

struct quipu__dumpi_request *quipu__dumpi_request_add(struct quipu__dumpi_requests *requests, int32_t number) {
    struct quipu__dumpi_request *added = QUIPU__VEC_ADD(requests->memory, &requests->list);
    if (!added)
        return NULL;
    added->number = number;
    const uint32_t last = (uint32_t)(requests->list.count - 1);
    return quipu__tokens_put(&requests->requests, (uint32_t)number, last) ? added : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_find(const struct quipu__dumpi_requests *requests,
                                                         bool is_split, int32_t number) {
    const struct quipu__tokens *tokens = is_split ? &requests->splits : &requests->transfers;
    const uint32_t index = quipu__tokens_get(tokens, (uint32_t)number);
    return index != QUIPU_NONE && requests->transfer_list.items[index].is_active
               ? &requests->transfer_list.items[index]
               : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_at(struct quipu__dumpi_requests *requests, bool is_split,
                                                       int32_t number) {
    struct quipu__tokens *tokens = is_split ? &requests->splits : &requests->transfers;
    const uint32_t index = quipu__tokens_get(tokens, (uint32_t)number);
    if (index != QUIPU_NONE)
        return &requests->transfer_list.items[index];
    struct quipu__dumpi_transfer *added = QUIPU__VEC_ADD(requests->memory, &requests->transfer_list);
    if (!added)
        return NULL;
    const uint32_t last = (uint32_t)(requests->transfer_list.count - 1);
    return quipu__tokens_put(tokens, (uint32_t)number, last) ? added : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_oldest(struct quipu__dumpi_requests *requests) {
    struct quipu__dumpi_transfer *oldest = NULL;
    for (size_t i = 0; i < requests->transfer_list.count; i++) {
        struct quipu__dumpi_transfer *it = &requests->transfer_list.items[i];
        if (it->is_active && (!oldest || it->id < oldest->id))
            oldest = it;
    }
    return oldest;
}

/* ---- Windows ---- */

void quipu__dumpi_windows_init(struct quipu__dumpi_windows *windows, struct quipu__memory *memory) {
    *windows = (struct quipu__dumpi_windows){.memory = memory};
    quipu__tokens_init(&windows->handles, memory);
}

void quipu__dumpi_windows_release(struct quipu__dumpi_windows *windows) {
    quipu__tokens_release(&windows->handles);
    QUIPU__VEC_RELEASE(windows->memory, &windows->list);
}

bool quipu__dumpi_windows_put(struct quipu__dumpi_windows *windows, uint32_t handle, uint32_t group) {
    const uint32_t index = quipu__tokens_get(&windows->handles, handle);
    if (index != QUIPU_NONE) {
        windows->list.items[index].group = group;
        return true;
    }
    if (!QUIPU__VEC_PUT(windows->memory, &windows->list, (struct quipu__dumpi_window){handle, group}))
        return false;
    return quipu__tokens_put(&windows->handles, handle, (uint32_t)(windows->list.count - 1));
}
