/* message_deferred.c: see message_deferred.h. In the order of posting, a receive of a key takes its next send; one that names
 * none takes the earliest send of all keys that fit, of those that have more sends left than receives still to come. */
#include "state/message_deferred.h"

#include "core/memory/sort.h"

static void put(struct quipu__message_matching *matching, uint32_t receive,
                struct quipu__receiving_process *process) {
    matching->ends.items[receive].next = process->first_deferred;
    process->first_deferred = receive;
}

void quipu__message_defer(struct quipu__message_matching *matching, uint32_t receive, uint32_t process) {
    struct quipu__receiving_process *receiving = &matching->processes.items[process];
    const struct quipu__posting *posting = &matching->ends.items[receive].posting;
    matching->ends.items[receive].is_assumed = true;
    if (quipu__posting_compare(posting, &receiving->deferred_from) < 0)
        receiving->deferred_from = *posting;
    put(matching, receive, receiving);
}

bool quipu__message_deferred_takes(struct quipu__message_matching *matching, uint32_t receive) {
    const struct quipu__message_end *end = &matching->ends.items[receive];
    const uint32_t process = matching->queues.items[end->queue].receiver;
    if (process >= matching->processes.count)
        return false;
    struct quipu__receiving_process *receiving = &matching->processes.items[process];
    if (quipu__posting_compare(&end->posting, &receiving->deferred_from) < 0)
        return false;
    put(matching, receive, receiving);
    return true;
}

/* ---- The end ---- */

/* A deferred receive, and what its list is sorted by. */
struct deferred {
    struct quipu__posting posting;
    uint64_t position;
    uint32_t receive;
};

static int compare_deferred(const void *a, const void *b) {
    const struct deferred *x = a, *y = b;
    const int order = quipu__posting_compare(&x->posting, &y->posting);
    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

static bool fits(const struct quipu__message_queue *queue, const struct quipu__message_end *receive,
                 uint32_t process) {
    return queue->sends > queue->needed && queue->receiver == process &&
           queue->communicator == receive->communicator &&
           (receive->peer == QUIPU_NONE || receive->peer == queue->sender) &&
           (receive->tag == -1 || receive->tag == queue->tag);
}

/* Whether the first send of one queue is earlier than that of another one. */
static bool is_earlier(const struct quipu__message_matching *matching, const struct quipu__message_queue *a,
                       const struct quipu__message_queue *b) {
    const struct quipu__message_end *x = &matching->ends.items[a->first_send],
                                    *y = &matching->ends.items[b->first_send];
    if (x->time != y->time)
        return x->time < y->time;
    return a->sender != b->sender ? a->sender < b->sender : x->position < y->position;
}

static void match_any(struct quipu__message_matching *matching, uint32_t receive, uint32_t process) {
    struct quipu__message_queue *best = NULL;
    for (size_t i = 0; i < matching->queues.count; i++) {
        struct quipu__message_queue *queue = &matching->queues.items[i];
        if (fits(queue, &matching->ends.items[receive], process) &&
            (!best || is_earlier(matching, queue, best)))
            best = queue;
    }
    if (best)
        quipu__message_pair(matching, quipu__message_queue_take_send(matching, best), receive);
    else
        quipu__message_give_up_receive(matching, receive);
}

static void match_in_order(struct quipu__message_matching *matching, const struct deferred *list, size_t count,
                           uint32_t process) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t queue = matching->ends.items[list[i].receive].queue;
        if (queue != QUIPU_NONE)
            matching->queues.items[queue].needed++;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t receive = list[i].receive, queue = matching->ends.items[receive].queue;
        if (queue == QUIPU_NONE) {
            match_any(matching, receive, process);
            continue;
        }
        matching->queues.items[queue].needed--;
        quipu__message_queue_put_receive(matching, queue, receive);
    }
}

static size_t count_deferred(const struct quipu__message_matching *matching, uint32_t first) {
    size_t count = 0;
    for (; first != QUIPU_NONE; first = matching->ends.items[first].next)
        count++;
    return count;
}

static void finish_process(struct quipu__message_matching *matching, uint32_t process) {
    const uint32_t first = matching->processes.items[process].first_deferred;
    const size_t count = count_deferred(matching, first), bytes = count * sizeof(struct deferred);
    struct deferred *list = count > 0 ? quipu__alloc(matching->memory, bytes) : NULL;
    if (!list)
        return;
    size_t filled = 0;
    for (uint32_t i = first; i != QUIPU_NONE; i = matching->ends.items[i].next)
        list[filled++] =
            (struct deferred){matching->ends.items[i].posting, matching->ends.items[i].position, i};
    if (quipu__sort(matching->memory, list, count, sizeof *list, compare_deferred))
        match_in_order(matching, list, count, process);
    quipu__release(matching->memory, list, bytes);
}

void quipu__message_deferred_finish(struct quipu__message_matching *matching) {
    for (uint32_t i = 0; i < matching->processes.count; i++)
        finish_process(matching, i);
}
