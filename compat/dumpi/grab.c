/* grab.c: reading one call whose number was taken: into a callback, or into a struct of the caller's. */
#include "calls.h"
#include "library.h"

#include <string.h>

static enum quipu_status read_body(struct dumpi_memory_buffer *own, dumpi_profile *profile, uint32_t type) {
    const enum quipu_status status = quipu__undumpi_stream_next(
        &own->stream, profile->file, type, quipu__stdio_lookahead(profile->file), QUIPU__UNDUMPI_UNBOUNDED);
    quipu__undumpi_note(own, status, &own->stream.error);
    profile->pos = quipu__undumpi_position(profile->file);
    return status;
}

/* Leaves zeros where the variables of a callback are going to be: dumpi-cortex uses the size of a communicator without having got
 * one, so that what is left of our calls would decide how often it goes round. */
static void clear_stack(void) {
    static void *(*const volatile clear)(void *, int, size_t) = memset; /* one that no compiler leaves out */
    char room[256];
    clear(room, 0, sizeof room);
}

/* Not inlined, since its room is to lie below what calls it. */
static void (*const volatile clear_below)(void) = clear_stack;

int quipu__undumpi_grab(uint32_t type, dumpi_profile *profile, libundumpi_unsafe_fun callout, void *userarg) {
    struct dumpi_memory_buffer *own = quipu__undumpi_reader(profile);
    if (!own || read_body(own, profile, type) != QUIPU_OK)
        return 0;
    if (QUIPU__UNLIKELY(quipu__dumpi_types[type].group == QUIPU_REGION_MPI_COLLECTIVE))
        clear_below();
    return callout ? quipu__undumpi_deliver(own, callout, userarg) : 1;
}

/* No record has this number: it stands for the end of the oldest files. */
int libundumpi_grab_all_functions(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg) {
    (void)profile, (void)callout, (void)uarg;
    return 0;
}

/* ---- Ranges ---- */

bool quipu__undumpi_present_ranges(struct dumpi_memory_buffer *own) {
    struct quipu__dumpi_decoder *decoder = &own->stream.decoder;
    const struct quipu__dumpi_range **member = decoder->type == QUIPU__DUMPI_TYPE_group_range_incl
                                                   ? &decoder->data.group_range_incl.ranges
                                                   : &decoder->data.group_range_excl.ranges;
    const struct quipu__dumpi_range *ranges = *member;
    const uint32_t count = quipu_sized_count(ranges);
    const void **rows = count ? quipu__scratch_sized(&decoder->engine.scratch, count, sizeof *rows) : NULL;
    for (uint32_t i = 0; rows && i < count; i++)
        rows[i] = &ranges[i];
    memcpy(member, &rows, sizeof rows);
    return rows || count == 0;
}

/* ---- Calls ---- */

static void tell_counters(struct dumpi_memory_buffer *own, dumpi_perfinfo *perf) {
    const dumpi_perfinfo *read = quipu__undumpi_counters(own);
    const size_t count = (size_t)read->count;
    perf->count = read->count;
    memcpy(perf->invalue, read->invalue, count * sizeof *perf->invalue);
    memcpy(perf->outvalue, read->outvalue, count * sizeof *perf->outvalue);
    if (own->label_count > 0)
        memcpy(perf->counter_tag, read->counter_tag, count * sizeof *perf->counter_tag);
}

int quipu__undumpi_read(uint32_t type, void *val, size_t size, uint16_t *thread, dumpi_time *cpu,
                        dumpi_time *wall, dumpi_perfinfo *perf, dumpi_profile *profile) {
    struct dumpi_memory_buffer *own = val ? quipu__undumpi_reader(profile) : NULL;
    if (!own || read_body(own, profile, type) != QUIPU_OK || !quipu__undumpi_present(own))
        return 0;
    const struct quipu__dumpi_call *call = &own->stream.decoder.common;
    if (thread)
        *thread = call->thread;
    if (cpu)
        *cpu = (dumpi_time){quipu__undumpi_clock(call->cpu_start), quipu__undumpi_clock(call->cpu_stop)};
    if (wall)
        *wall = (dumpi_time){quipu__undumpi_clock(call->wall_start), quipu__undumpi_clock(call->wall_stop)};
    if (perf)
        tell_counters(own, perf);
    memcpy(val, &own->stream.decoder.data, size);
    return quipu__undumpi_detach(&quipu__dumpi_types[type], val, size);
}
