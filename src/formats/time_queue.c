/* time_queue.c: times of a damaged stream. */
#include "formats/time_queue.h"

#include <string.h>

enum {
    WAITING_MOST = 64,  /* records in the queue */
    QUEUE_BYTES = 65536 /* of used text, before it is discarded */
};

void quipu__time_queue_init(struct quipu__time_queue *queue, struct quipu__memory *memory) {
    *queue = (struct quipu__time_queue){.memory = memory};
    quipu__buffer_init(&queue->text, memory, 0);
}

void quipu__time_queue_release(struct quipu__time_queue *queue) {
    QUIPU__VEC_RELEASE(queue->memory, &queue->waiting);
    quipu__buffer_release(&queue->text);
}

void quipu__time_queue_reset(struct quipu__time_queue *queue) {
    queue->waiting.count = queue->first = queue->descents = queue->text.len = 0;
    queue->last = 0;
    queue->has_last = false;
}

/* Discards what was given. */
static void compact(struct quipu__time_queue *queue) {
    const size_t left = queue->waiting.count - queue->first;
    const size_t done = left > 0 ? queue->waiting.items[queue->first].begin : queue->text.len;
    if (queue->first == 0 || (done < QUEUE_BYTES && left > 0))
        return;
    memmove(queue->waiting.items, queue->waiting.items + queue->first, left * sizeof *queue->waiting.items);
    memmove(queue->text.data, queue->text.data + done, queue->text.len - done);
    queue->waiting.count = left;
    queue->first = 0;
    queue->text.len -= done;
    for (size_t i = 0; i < left; i++)
        queue->waiting.items[i].begin -= done;
}

bool quipu__time_queue_add(struct quipu__time_queue *queue, const struct quipu__timed_record *record) {
    const bool is_first = queue->waiting.count == queue->first;
    const bool descends = !is_first && record->time < queue->waiting.items[queue->waiting.count - 1].time;
    struct quipu__timed_record *added = QUIPU__VEC_ADD(queue->memory, &queue->waiting);
    if (!added || queue->text.failed)
        return false;
    *added = *record;
    added->descends = descends;
    added->len = queue->text.len - record->begin;
    queue->descents += descends;
    return true;
}

/* The time that a record gets: its own, or the last one when it does not fit. */
static uint64_t fitting_time(const struct quipu__time_queue *queue, const struct quipu__timed_record *record) {
    const struct quipu__timed_record *const past = queue->waiting.items + queue->waiting.count;
    uint64_t before = 0, count = 0, least = record->time;
    if (queue->has_last && record->time < queue->last)
        return queue->last;
    if (queue->descents == 0 && record->time <= INT64_MAX)
        return record->time;
    for (const struct quipu__timed_record *later = record + 1; later < past; later++) {
        if (queue->has_last && later->time < queue->last)
            continue;
        count++;
        before += later->time < record->time;
        least = later->time < least ? later->time : least;
    }
    if (2 * before <= count && record->time <= INT64_MAX)
        return record->time;
    return queue->has_last ? queue->last : least;
}

bool quipu__time_queue_next(struct quipu__time_queue *queue, bool is_end, struct quipu__timed_record *out,
                            uint64_t *time, struct quipu__slice *bytes) {
    compact(queue);
    const size_t left = queue->waiting.count - queue->first;
    if (left == 0 || (left <= WAITING_MOST && !is_end))
        return false;
    const struct quipu__timed_record *record = &queue->waiting.items[queue->first++];
    *out = *record;
    *time = queue->last = fitting_time(queue, record);
    *bytes = quipu__slice_of(queue->text.data + record->begin, record->len);
    queue->has_last = true;
    if (left > 1)
        queue->descents -= record[1].descends;
    return true;
}
