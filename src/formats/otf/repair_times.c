/* repair_times.c: times in a damaged stream.
 *
 * Damage to a time line makes one time too early or too late. Records wait in a short queue: a time that most of those
 * behind it contradict is an accident, and so is one before the last that was written. Both become the last time
 * that was written: records stay in the order of the file, on which the nesting of calls depends.
 */
#include "formats/otf/repair.h"

#include "core/error.h"

#include <inttypes.h>

#define WAITING_MOST 64   /* records in the queue */
#define QUEUE_BYTES 65536 /* of done with text, before it is thrown away */

/* The time that a record gets: its own, or the last one when it does not fit. */
static uint64_t fitting_time(const struct quipu__otf_mending *mending, const struct quipu__otf_waiting *line) {
    const struct quipu__otf_waiting *const past = mending->waiting.items + mending->waiting.count;
    uint64_t before = 0, count = 0, least = line->time;
    if (mending->has_last && line->time < mending->last)
        return mending->last;
    if (mending->descents == 0 && line->time <= INT64_MAX)
        return line->time;
    for (const struct quipu__otf_waiting *later = line + 1; later < past; later++) {
        if (mending->has_last && later->time < mending->last)
            continue;
        count++;
        before += later->time < line->time;
        least = later->time < least ? later->time : least;
    }
    if (2 * before <= count && line->time <= INT64_MAX)
        return line->time;
    return mending->has_last ? mending->last : least;
}

static enum quipu_status write_first(struct quipu__otf_mending *mending, struct quipu_error *err) {
    struct quipu__otf_writer *writer = mending->writer;
    const struct quipu__otf_waiting *line = &mending->waiting.items[mending->first];
    const uint64_t time = fitting_time(mending, line);
    if (time != line->time) {
        mending->at = line->at;
        mending->line = line->line;
        quipu__otf_repaired(mending, QUIPU__OTF_REPAIR_TIME, "%" PRIx64 " in place of %" PRIx64, time,
                            line->time);
    }
    quipu__otf_encode_state(&writer->text, &quipu__otf_current(writer)->clock, time, line->process);
    quipu__put(&writer->text, mending->text.data + line->begin, line->len);
    mending->last = time;
    mending->has_last = true;
    mending->first++;
    if (mending->first < mending->waiting.count)
        mending->descents -= mending->waiting.items[mending->first].descends;
    return quipu__otf_flush(writer, false, err);
}

/* Throws away what was written. */
static void compact(struct quipu__otf_mending *mending) {
    const size_t left = mending->waiting.count - mending->first;
    const size_t done = left > 0 ? mending->waiting.items[mending->first].begin : mending->text.len;
    if (done < QUEUE_BYTES && left > 0)
        return;
    memmove(mending->waiting.items, mending->waiting.items + mending->first,
            left * sizeof *mending->waiting.items);
    memmove(mending->text.data, mending->text.data + done, mending->text.len - done);
    mending->waiting.count = left;
    mending->first = 0;
    mending->text.len -= done;
    for (size_t i = 0; i < left; i++)
        mending->waiting.items[i].begin -= done;
}

enum quipu_status quipu__otf_mend_line(struct quipu__otf_mending *mending, uint64_t time, uint32_t process,
                                       size_t begin, struct quipu_error *err) {
    const size_t waiting = mending->waiting.count - mending->first;
    const bool descends = waiting > 0 && time < mending->waiting.items[mending->waiting.count - 1].time;
    struct quipu__otf_waiting *line = QUIPU__VEC_ADD(mending->memory, &mending->waiting);
    if (!line || mending->text.failed)
        return quipu__no_memory(err, sizeof *line);
    *line = (struct quipu__otf_waiting){.time = time,
                                        .at = mending->at,
                                        .line = mending->line,
                                        .process = process,
                                        .descends = descends,
                                        .begin = begin,
                                        .len = mending->text.len - begin};
    mending->descents += descends;
    if (waiting < WAITING_MOST)
        return QUIPU_OK;
    const enum quipu_status status = write_first(mending, err);
    compact(mending);
    return status;
}

enum quipu_status quipu__otf_mend_lines_end(struct quipu__otf_mending *mending, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && mending->first < mending->waiting.count)
        status = write_first(mending, err);
    mending->waiting.count = mending->first = mending->descents = 0;
    mending->text.len = 0;
    return status;
}
