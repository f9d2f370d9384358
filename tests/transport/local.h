/* local.h: processes that are none: a function runs once for each rank, in an order drawn by lot among those in which none waits, or in a thread for
 * each, where they talk to each other. */
#ifndef QUIPU_TESTS_TRANSPORT_LOCAL_H
#define QUIPU_TESTS_TRANSPORT_LOCAL_H

#include "harness.h"

#include <quipu/transport.h>

#include <pthread.h>
#include <sched.h>

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

/* ---- At the same time ---- */

struct talk_message {
    struct talk_message *next;
    uint32_t from, to;
    size_t size;
    uint8_t data[];
};

struct talker;

struct talk {
    pthread_mutex_t mutex;
    struct talker *talkers; /* by rank */
    struct talk_message *first, **last;
    void (*work)(struct quipu_transport *transport, void *context);
    void *context;
};

struct talker {
    struct talk *talk;
    pthread_t thread;
    pthread_cond_t has_mail;
    struct quipu_transport transport;
};

static inline enum quipu_status talk_send(void *context, uint32_t to, const void *data, size_t size,
                                          struct quipu_error *err) {
    const struct talker *talker = context;
    struct talk *talk = talker->talk;
    struct talk_message *message = malloc(sizeof *message + size);
    (void)err;
    if (!message)
        abort();
    message->next = NULL;
    message->from = talker->transport.rank;
    message->to = to;
    message->size = size;
    memcpy(message->data, data, size);
    pthread_mutex_lock(&talk->mutex);
    *talk->last = message;
    talk->last = &message->next;
    pthread_cond_signal(&talk->talkers[to].has_mail);
    pthread_mutex_unlock(&talk->mutex);
    if (size % 3 == 0)
        sched_yield(); /* the other one may be first, or not */
    return QUIPU_OK;
}

/* The first message of a process to this one, once it is there. */
static inline struct talk_message **talk_find(struct talker *talker, uint32_t from) {
    for (;;) {
        for (struct talk_message **at = &talker->talk->first; *at; at = &(*at)->next)
            if ((*at)->from == from && (*at)->to == talker->transport.rank)
                return at;
        pthread_cond_wait(&talker->has_mail, &talker->talk->mutex);
    }
}

/* Says no now and then though there is one: a process may not learn of it at once. */
static inline bool talk_has_message(void *context, uint32_t from) {
    struct talker *talker = context;
    bool has_message = false;
    pthread_mutex_lock(&talker->talk->mutex);
    for (struct talk_message *at = talker->talk->first; at && !has_message; at = at->next)
        has_message = at->from == from && at->to == talker->transport.rank && at->size % 5 > 0;
    pthread_mutex_unlock(&talker->talk->mutex);
    return has_message;
}

static inline enum quipu_status talk_await(void *context, uint32_t from, size_t *size,
                                           struct quipu_error *err) {
    struct talker *talker = context;
    (void)err;
    pthread_mutex_lock(&talker->talk->mutex);
    *size = (*talk_find(talker, from))->size;
    pthread_mutex_unlock(&talker->talk->mutex);
    return QUIPU_OK;
}

static inline enum quipu_status talk_receive(void *context, uint32_t from, void *data, size_t size,
                                             struct quipu_error *err) {
    struct talker *talker = context;
    (void)err;
    pthread_mutex_lock(&talker->talk->mutex);
    struct talk_message **at = talk_find(talker, from), *message = *at;
    *at = message->next;
    if (!message->next)
        talker->talk->last = at;
    pthread_mutex_unlock(&talker->talk->mutex);
    if (data)
        memcpy(data, message->data, size);
    free(message);
    return QUIPU_OK;
}

static inline void *talk_work(void *context) {
    struct talker *talker = context;
    talker->talk->work(&talker->transport, talker->talk->context);
    return NULL;
}

/* Runs work for each rank, all at once. Everything that was sent must have been received. */
static inline void local_run_together(uint32_t size,
                                      void (*work)(struct quipu_transport *transport, void *context),
                                      void *context) {
    struct talker *talkers = calloc(size, sizeof *talkers);
    struct talk talk = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .talkers = talkers, .work = work, .context = context};
    assert_non_null(talkers);
    talk.last = &talk.first;
    for (uint32_t rank = 0; rank < size; rank++)
        talkers[rank].has_mail = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    for (uint32_t rank = 0; rank < size; rank++) {
        talkers[rank].talk = &talk;
        talkers[rank].transport = (struct quipu_transport){.rank = rank,
                                                           .size = size,
                                                           .send = talk_send,
                                                           .await = talk_await,
                                                           .has_message = rank % 2 ? talk_has_message : NULL,
                                                           .receive = talk_receive,
                                                           .context = &talkers[rank]};
        assert_int_equal(pthread_create(&talkers[rank].thread, NULL, talk_work, &talkers[rank]), 0);
    }
    for (uint32_t rank = 0; rank < size; rank++)
        pthread_join(talkers[rank].thread, NULL);
    assert_null(talk.first);
    free(talkers);
}

#endif
