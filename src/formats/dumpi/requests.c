/* requests.c: lists of pending operations, found by number. */
#include "formats/dumpi/requests.h"

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

struct quipu__dumpi_request *quipu__dumpi_request_at(struct quipu__dumpi_requests *requests, int32_t number) {
    struct quipu__dumpi_request *found = quipu__dumpi_request_find(requests, number);
    if (found)
        return found;
    found = QUIPU__VEC_ADD(requests->memory, &requests->list);
    if (!found)
        return NULL;
    const uint32_t index = (uint32_t)(requests->list.count - 1);
    return quipu__tokens_put(&requests->requests, (uint32_t)number, index) ? found : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_find(struct quipu__dumpi_requests *requests,
                                                         const struct quipu__tokens *tokens, int32_t number) {
    const uint32_t index = quipu__tokens_get(tokens, (uint32_t)number);
    struct quipu__dumpi_transfer *found = index == QUIPU_NONE ? NULL : &requests->transfer_list.at[index];
    return found && found->is_active ? found : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_at(struct quipu__dumpi_requests *requests,
                                                       struct quipu__tokens *tokens, int32_t number) {
    const uint32_t index = quipu__tokens_get(tokens, (uint32_t)number);
    if (index != QUIPU_NONE)
        return &requests->transfer_list.at[index];
    struct quipu__dumpi_transfer *added = QUIPU__VEC_ADD(requests->memory, &requests->transfer_list);
    if (!added)
        return NULL;
    const uint32_t last = (uint32_t)(requests->transfer_list.count - 1);
    return quipu__tokens_put(tokens, (uint32_t)number, last) ? added : NULL;
}

struct quipu__dumpi_transfer *quipu__dumpi_transfer_oldest(struct quipu__dumpi_requests *requests) {
    struct quipu__dumpi_transfer *oldest = NULL;
    for (size_t i = 0; i < requests->transfer_list.count; i++) {
        struct quipu__dumpi_transfer *it = &requests->transfer_list.at[i];
        if (it->is_active && (!oldest || it->id < oldest->id))
            oldest = it;
    }
    return oldest;
}
