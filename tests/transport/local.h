/* local.h: processes that are none: a function runs once for each rank, in an order drawn by lot among those in which none waits. */
#ifndef QUIPU_TESTS_TRANSPORT_LOCAL_H
#define QUIPU_TESTS_TRANSPORT_LOCAL_H

#include "harness.h"

#include <quipu/transport.h>

struct local {
    uint32_t size;
    bool only_gathers;
    uint8_t **messages; /* by sender; NULL: not sent, or received */
    size_t *sizes;
    uint32_t *receivers;
    bool *has_run;
    uint64_t seed;
    uint32_t received_by_root; /* messages */
    uint32_t damaged;          /* the message of this sender arrives damaged; 0: of none */
    struct quipu_transport transport;
};

static inline void local_init(struct local *local, uint32_t size, bool only_gathers, uint64_t seed) {
    *local = (struct local){.size = size, .only_gathers = only_gathers, .seed = seed};
    local->messages = calloc(size, sizeof *local->messages);
    local->sizes = calloc(size, sizeof *local->sizes);
    local->receivers = calloc(size, sizeof *local->receivers);
    local->has_run = calloc(size, sizeof *local->has_run);
    assert_true(local->messages && local->sizes && local->receivers && local->has_run);
}

/* Everything that was sent must have been received. */
static inline void local_release(struct local *local) {
    for (uint32_t i = 0; i < local->size; i++)
        assert_null(local->messages[i]);
    free(local->messages);
    free(local->sizes);
    free(local->receivers);
    free(local->has_run);
}

static inline enum quipu_status local_send(void *context, uint32_t to, const void *data, size_t size,
                                           struct quipu_error *err) {
    struct local *local = context;
    const uint32_t rank = local->transport.rank;
    (void)err;
    assert_true(to < local->size && to < rank);
    assert_null(local->messages[rank]);
    local->messages[rank] = malloc(size + 1);
    assert_non_null(local->messages[rank]);
    memcpy(local->messages[rank], data, size);
    if (local->damaged == rank)
        local->messages[rank][size / 2] ^= 1;
    local->sizes[rank] = size;
    local->receivers[rank] = to;
    return QUIPU_OK;
}

static inline enum quipu_status local_await(void *context, uint32_t from, size_t *size,
                                            struct quipu_error *err) {
    const struct local *local = context;
    (void)err;
    assert_true(local->has_run[from]);
    assert_non_null(local->messages[from]);
    assert_int_equal(local->receivers[from], local->transport.rank);
    *size = local->sizes[from];
    return QUIPU_OK;
}

static inline enum quipu_status local_receive(void *context, uint32_t from, void *data, size_t size,
                                              struct quipu_error *err) {
    struct local *local = context;
    (void)err;
    assert_int_equal(size, local->sizes[from]);
    local->received_by_root += local->transport.rank == 0;
    if (data)
        memcpy(data, local->messages[from], size);
    free(local->messages[from]);
    local->messages[from] = NULL;
    return QUIPU_OK;
}

/* Who sends to a rank is said here once more, by the definition of the tree: those that have one more bit below its lowest. */
static inline bool local_is_ready(const struct local *local, uint32_t rank) {
    bool is_ready = !local->has_run[rank];
    if (local->only_gathers)
        for (uint32_t i = 1; rank == 0 && i < local->size; i++)
            is_ready = is_ready && local->has_run[i];
    else
        for (uint32_t bit = 1; (rank & bit) == 0 && (uint64_t)rank + bit < local->size; bit <<= 1)
            is_ready = is_ready && local->has_run[rank + bit];
    return is_ready;
}

/* Runs work for each rank, rank 0 last of all. */
static inline void local_run(struct local *local,
                             void (*work)(struct quipu_transport *transport, void *context), void *context) {
    for (uint32_t done = 0; done < local->size; done++) {
        local->seed = local->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t rank = (uint32_t)((local->seed >> 33) % local->size);
        while (!local_is_ready(local, rank))
            rank = (rank + 1) % local->size;
        local->transport = (struct quipu_transport){.rank = rank,
                                                    .size = local->size,
                                                    .only_gathers = local->only_gathers,
                                                    .send = local_send,
                                                    .await = local_await,
                                                    .receive = local_receive,
                                                    .context = local};
        work(&local->transport, context);
        local->has_run[rank] = true;
    }
}

#endif
