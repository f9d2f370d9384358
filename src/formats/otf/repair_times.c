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
static uint64_t fitting_time(const struct quipu__otf_repairing *repairing,
                             const struct quipu__otf_waiting *line) {
    const struct quipu__otf_waiting *const past = repairing->waiting.items + repairing->waiting.count;
    uint64_t before = 0, count = 0, least = line->time;
    if (repairing->has_last && line->time < repairing->last)
        return repairing->last;
    if (repairing->descents == 0 && line->time <= INT64_MAX)
        return line->time;
    for (const struct quipu__otf_waiting *later = line + 1; later < past; later++) {
        if (repairing->has_last && later->time < repairing->last)
            continue;
        count++;
        before += later->time < line->time;
        least = later->time < least ? later->time : least;
    }
    if (2 * before <= count && line->time <= INT64_MAX)
        return line->time;
    return repairing->has_last ? repairing->last : least;
}

static enum quipu_status write_first(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    const struct quipu__otf_waiting *line = &repairing->waiting.items[repairing->first];
    const uint64_t time = fitting_time(repairing, line);
    const enum quipu_status status = quipu__otf_use_output(writer, repairing->file, repairing->stream, err);
    if (status != QUIPU_OK)
        return status;
    if (time != line->time) {
        repairing->offset = line->offset;
        repairing->line = line->line;
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_TIME, "%" PRIx64 " in place of %" PRIx64, time,
                            line->time);
    }
    quipu__otf_encode_state(&writer->text, &quipu__otf_current(writer)->clock, time, line->process);
    quipu__put(&writer->text, repairing->text.data + line->begin, line->len);
    repairing->last = time;
    repairing->has_last = true;
    repairing->first++;
    if (repairing->first < repairing->waiting.count)
        repairing->descents -= repairing->waiting.items[repairing->first].descends;
    return quipu__otf_flush(writer, false, err);
}

/* Throws away what was written. */
static void compact(struct quipu__otf_repairing *repairing) {
    const size_t left = repairing->waiting.count - repairing->first;
    const size_t done = left > 0 ? repairing->waiting.items[repairing->first].begin : repairing->text.len;
    if (done < QUEUE_BYTES && left > 0)
        return;
    memmove(repairing->waiting.items, repairing->waiting.items + repairing->first,
            left * sizeof *repairing->waiting.items);
    memmove(repairing->text.data, repairing->text.data + done, repairing->text.len - done);
    repairing->waiting.count = left;
    repairing->first = 0;
    repairing->text.len -= done;
    for (size_t i = 0; i < left; i++)
        repairing->waiting.items[i].begin -= done;
}

enum quipu_status quipu__otf_repair_line(struct quipu__otf_repairing *repairing, uint64_t time,
                                         uint32_t process, size_t begin, struct quipu_error *err) {
    const size_t waiting = repairing->waiting.count - repairing->first;
    const bool descends = waiting > 0 && time < repairing->waiting.items[repairing->waiting.count - 1].time;
    struct quipu__otf_waiting *line = QUIPU__VEC_ADD(repairing->memory, &repairing->waiting);
    if (!line || repairing->text.failed)
        return quipu__no_memory(err, sizeof *line);
    *line = (struct quipu__otf_waiting){.time = time,
                                        .offset = repairing->offset,
                                        .line = repairing->line,
                                        .process = process,
                                        .descends = descends,
                                        .begin = begin,
                                        .len = repairing->text.len - begin};
    repairing->descents += descends;
    if (waiting < WAITING_MOST)
        return QUIPU_OK;
    const enum quipu_status status = write_first(repairing, err);
    compact(repairing);
    return status;
}

enum quipu_status quipu__otf_repair_lines_end(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && repairing->first < repairing->waiting.count)
        status = write_first(repairing, err);
    repairing->waiting.count = repairing->first = repairing->descents = 0;
    repairing->text.len = 0;
    return status;
}
