/* repair_events.c: which events of a damaged trace can stay. The streams are read for what their metadata must say and for clocks that are
 * wrong; then the trace is emulated as it will be, and what breaks a rule is left out, until nothing does. */
#include "core/error.h"
#include "formats/ovni/emulation.h"
#include "formats/ovni/merge.h"
#include "formats/ovni/repair.h"

#include <string.h>

/* ---- Reading ---- */

static void note_use(const struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                     bool is_big, const struct quipu__ovni_event *event) {
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(&repair->source->dictionary, event->model, event->category, event->value);
    if (!row)
        return;
    const bool names_cpu = row->effect == QUIPU__OVNI_THREAD_EXECUTE ||
                           row->effect == QUIPU__OVNI_AFFINITY_SET ||
                           row->effect == QUIPU__OVNI_AFFINITY_REMOTE;
    repaired->uses[row->model] = true;
    const int64_t cpu = names_cpu && event->len >= 4 ? quipu__ovni_load_i32(is_big, event->payload) : 0;
    repaired->cpu_most = cpu > repaired->cpu_most ? cpu : repaired->cpu_most;
}

static enum quipu_status scan_events(struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                                     struct quipu__ovni_walk *walk, struct quipu__ovni_clock_scan *clocks,
                                     struct quipu_error *err) {
    struct quipu__ovni_event event;
    enum quipu_status status = QUIPU_OK;
    while ((status = quipu__ovni_walk_next(walk, &event, err)) == QUIPU_OK) {
        note_use(repair, repaired, walk->is_big, &event);
        if (!quipu__ovni_clock_scan_add(clocks, &event))
            return quipu__no_memory(err, sizeof event);
    }
    if (status != QUIPU_END)
        return status;
    return quipu__ovni_clock_scan_end(clocks) ? QUIPU_OK : quipu__no_memory(err, sizeof event);
}

static enum quipu_status scan_stream(struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                                     struct quipu__ovni_clock_scan *clocks, struct quipu_error *err) {
    const struct quipu__ovni_files *files = &repair->source->files;
    const struct quipu__ovni_stream *stream = &files->streams.items[repaired->stream];
    struct quipu__ovni_walk walk;
    if (stream->is_missing)
        return QUIPU_OK;
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, files->pool, stream->path, stream->has_header,
                              quipu__ovni_window(files->memory, files->streams.count), err);
    if (status != QUIPU_OK)
        return status;
    status = scan_events(repair, repaired, &walk, clocks, err);
    quipu__ovni_walk_close(&walk);
    return status;
}

static int64_t offset_of(const struct quipu__ovni_repair *repair, uint32_t stream) {
    const struct quipu__ovni_system *system = &repair->source->system;
    const uint32_t thread = system->thread_of[stream];
    return thread == QUIPU_NONE ? 0 : system->looms.items[system->threads.items[thread].loom].offset;
}

/* A stream that begins more than an hour before the latest one has a first clock that is wrong, if its second one is near. */
static bool correct_early_streams(struct quipu__ovni_repair *repair, struct quipu__ovni_clock_scan *scans) {
    int64_t latest = 0;
    bool done = true;
    for (uint32_t i = 0; i < repair->streams.count; i++) {
        const uint64_t clock = (uint64_t)scans[i].clocks[0] + (uint64_t)offset_of(repair, i);
        const int64_t first = scans[i].count > 0 ? (int64_t)clock : 0;
        latest = first > latest ? first : latest;
    }
    for (uint32_t i = 0; i < repair->streams.count && done; i++) {
        const int64_t bound =
            (int64_t)((uint64_t)latest - (uint64_t)offset_of(repair, i) - (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST);
        if (scans[i].count == 2 && scans[i].clocks[0] < bound && scans[i].clocks[1] >= bound)
            done = quipu__ovni_correct_first(&scans[i]);
    }
    return done;
}

static enum quipu_status scan_streams(struct quipu__ovni_repair *repair, struct quipu__ovni_clock_scan *scans,
                                      struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < repair->streams.count && status == QUIPU_OK; i++) {
        repair->streams.items[i].stream = i;
        scans[i] = (struct quipu__ovni_clock_scan){
            .memory = repair->memory, .edits = &repair->streams.items[i].edits, .before = -1};
        status = scan_stream(repair, &repair->streams.items[i], &scans[i], err);
    }
    if (status == QUIPU_OK && !correct_early_streams(repair, scans))
        status = quipu__no_memory(err, sizeof *scans);
    return status;
}

enum quipu_status quipu__ovni_repair_scan(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    const size_t count = repair->source->files.streams.count;
    if (!QUIPU__VEC_RESERVE(repair->memory, &repair->streams, count))
        return quipu__no_memory(err, count);
    repair->streams.count = count;
    struct quipu__ovni_clock_scan *scans = quipu__alloc(repair->memory, count * sizeof *scans + 1);
    if (!scans)
        return quipu__no_memory(err, count);
    const enum quipu_status status = scan_streams(repair, scans, err);
    quipu__release(repair->memory, scans, count * sizeof *scans + 1);
    return status;
}

/* ---- Emulating ---- */

/* What one emulation leaves out mostly changes nothing for the others; a trace that gets no better is refused. */
enum { ROUNDS_MOST = 16, EVENTS_AT_A_TIME = 1 << 16 };

struct trial {
    struct quipu__ovni_repair *repair;
    struct quipu__ovni_whole whole;
    struct quipu__ovni_emulation emulation;
    uint64_t refused; /* in this round */
};

static bool edit(void *context, uint32_t stream, struct quipu__ovni_event *event) {
    const struct trial *trial = context;
    return quipu__ovni_edit(&trial->repair->streams.items[stream].edits, event->offset, &event->clock);
}

/* It counts from the next round on. */
static void refused(void *context, uint32_t stream, uint64_t offset) {
    struct trial *trial = context;
    struct quipu__ovni_edits *edits = &trial->repair->streams.items[stream].edits;
    trial->refused++;
    quipu__gate_knows(quipu__ovni_leave_out(trial->repair->memory, edits, offset));
}

static enum quipu_status emulate(struct trial *trial, struct quipu_error *err) {
    const struct quipu__ovni_editor editor = {edit, refused, trial};
    const struct quipu__ovni_emulation_options options = {.knows_streams = true, .editor = &editor};
    trial->refused = 0;
    for (size_t i = 0; i < trial->repair->streams.count; i++)
        quipu__ovni_edits_rewind(&trial->repair->streams.items[i].edits);
    enum quipu_status status =
        quipu__ovni_emulation_open(&trial->emulation, &trial->whole.system, &options, err);
    if (status != QUIPU_OK)
        return status;
    while (status == QUIPU_OK)
        status = quipu__ovni_emulate(&trial->emulation, EVENTS_AT_A_TIME, err);
    quipu__ovni_emulation_close(&trial->emulation);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status emulate_until_fine(struct trial *trial, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int round = 0; round < ROUNDS_MOST && status == QUIPU_OK; round++) {
        status = emulate(trial, err);
        if (status == QUIPU_OK && trial->refused == 0)
            return QUIPU_OK;
    }
    if (status != QUIPU_OK)
        return status;
    quipu__fail(err, QUIPU_CORRUPT, "events of the trace contradict each other, whatever is left out");
    quipu__advise(err, "\"quipu check\" says which rules they break");
    return QUIPU_CORRUPT;
}

enum quipu_status quipu__ovni_repair_try(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    struct trial *trial = quipu__alloc_zero(repair->memory, sizeof *trial);
    if (!trial)
        return quipu__no_memory(err, sizeof *trial);
    trial->repair = repair;
    enum quipu_status status = quipu__ovni_whole_open(&trial->whole, repair, err);
    if (status == QUIPU_OK) {
        status = trial->whole.system.is_broken ? QUIPU_OK : emulate_until_fine(trial, err);
        quipu__ovni_whole_close(&trial->whole);
    }
    quipu__release(repair->memory, trial, sizeof *trial);
    return status;
}
