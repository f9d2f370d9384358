/* repair.c: what is added to a trace that was not finished. */
#include "formats/ovni/repair.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum quipu_status quipu__ovni_repair_new(struct quipu__ovni_repair **out,
                                         const struct quipu__ovni_trace *source,
                                         struct quipu__repairing *repairing, struct quipu__memory *memory,
                                         struct quipu_error *err) {
    struct quipu__ovni_repair *repair = quipu__alloc_zero(memory, sizeof *repair);
    *out = repair;
    if (!repair)
        return quipu__no_memory(err, sizeof *repair);
    repair->source = source;
    repair->repairing = repairing;
    repair->memory = memory;
    quipu__buffer_init(&repair->offsets, memory, 0);
    quipu__ovni_closing_init(&repair->closing, memory, &source->dictionary);
    repair->charge.memory = memory;
    if (!quipu__charge_add(&repair->charge, source->files.charge.bytes))
        return quipu__no_memory(err, source->files.charge.bytes);
    enum quipu_status status = quipu__ovni_repair_scan(repair, err);
    if (status == QUIPU_OK)
        status = quipu__ovni_repair_metadata(repair, err);
    if (status == QUIPU_OK)
        status = quipu__ovni_repair_agree(repair, err);
    return status == QUIPU_OK ? quipu__ovni_repair_try(repair, err) : status;
}

void quipu__ovni_repair_free(struct quipu__ovni_repair *repair) {
    if (!repair)
        return;
    quipu__ovni_closing_release(&repair->closing);
    for (size_t i = 0; i < repair->streams.count; i++) {
        json_decref(repair->streams.items[i].metadata);
        quipu__ovni_edits_release(repair->memory, &repair->streams.items[i].edits);
    }
    QUIPU__VEC_RELEASE(repair->memory, &repair->streams);
    quipu__buffer_release(&repair->offsets);
    quipu__charge_release(&repair->charge);
    quipu__release(repair->memory, repair, sizeof *repair);
}

/* ---- Streams ---- */

void quipu__ovni_repair_find(struct quipu__ovni_repair *repair, const char *file, const char *field,
                             const char *format, uint64_t number) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[100];
    snprintf(text, sizeof text, format, number);
    where.file = file;
    where.field = field;
    quipu__find(repair->repairing->changes, &quipu__ovni_rules[QUIPU__OVNI_RULE_REPAIRED], &where, "", "%s",
                text);
}

enum quipu_status quipu__ovni_repair_begin(struct quipu__ovni_repair *repair, uint32_t stream,
                                           struct quipu_error *err) {
    if (stream >= repair->streams.count)
        return quipu__fail(err, QUIPU_CORRUPT, "stream %" PRIu32 " came to be while the trace is repaired",
                           stream);
    repair->current = &repair->streams.items[stream];
    repair->current->is_copied = true;
    quipu__ovni_edits_rewind(&repair->current->edits);
    quipu__ovni_closing_clear(&repair->closing);
    const int64_t offset = repair->current->offset;
    if (repair->source->origin > offset)
        repair->closing.clock =
            (uint64_t)repair->source->origin - (uint64_t)offset; /* of a stream without events */
    return QUIPU_OK;
}

static void report_clock(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t before, uint64_t now) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char expected[24];
    snprintf(expected, sizeof expected, "%" PRIu64, now);
    where.file = repair->source->files.streams.items[repair->current->stream].path;
    where.byte = offset;
    quipu__find(repair->repairing->changes, &quipu__ovni_rules[QUIPU__OVNI_RULE_CLOCK_REPAIRED], &where,
                expected, "%" PRIu64, before);
}

bool quipu__ovni_repair_edit(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t *clock) {
    const uint64_t before = *clock;
    const bool stays = quipu__ovni_edit(&repair->current->edits, offset, clock);
    repair->repairing->dropped += !stays;
    if (stays && *clock != before)
        report_clock(repair, offset, before, *clock);
    return stays;
}

bool quipu__ovni_repair_note(struct quipu__ovni_repair *repair, const char *code, uint64_t clock,
                             const uint8_t *payload, uint32_t len) {
    return quipu__ovni_closing_note(&repair->closing, code, clock, payload, len);
}

static void report(struct quipu__ovni_repair *repair, const char *what, uint64_t count) {
    if (count > 0)
        quipu__ovni_repair_find(repair, repair->source->files.streams.items[repair->current->stream].path, "",
                                what, count);
}

enum quipu_status quipu__ovni_repair_end(struct quipu__ovni_repair *repair, quipu__ovni_put_function *put,
                                         void *context, struct quipu_error *err) {
    uint64_t count = 0;
    if (!repair->current)
        return QUIPU_OK;
    const enum quipu_status status = quipu__ovni_close_stream(&repair->closing, put, context, &count, err);
    repair->repairing->added += count;
    report(repair, "%" PRIu64 " events left out that the emulation refuses",
           repair->current->edits.left_out.count);
    report(repair, "%" PRIu64 " events added", count);
    return status;
}
