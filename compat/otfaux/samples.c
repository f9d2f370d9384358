/* samples.c: the line of a process in a thumbnail. The samples before an event are filled when the event comes, from the
 * stack as it was until then; the rest when the line is written. */
#include "process_state.h"

#include <stdlib.h>

#define TIMES 18446744073709551616.0 /* 2^64: times are below */

static uint64_t sample_time(const OTFAUX_SharedState *shared, uint32_t sample) {
    const double time = shared->first_sample + sample * shared->sample_distance;
    return time < TIMES ? (uint64_t)time : UINT64_MAX;
}

static void set_next_sample(OTFAUX_Process *process, uint32_t sample) {
    process->next_sample = sample;
    process->next_sample_time =
        sample < process->sample_count ? sample_time(process->shared, sample) : UINT64_MAX;
}

int OTFAUX_Process_enableThumbnail(OTFAUX_Process *process, uint32_t thumbnailSize) {
    uint32_t *samples = calloc(thumbnailSize ? thumbnailSize : 1, sizeof *samples);
    if (!samples)
        return 0;
    free(process->samples);
    process->samples = samples;
    process->sample_count = thumbnailSize;
    process->has_thumbnail = true;
    set_next_sample(process, 0);
    return 1;
}

void OTFAUX_Process_updateThumbnail(OTFAUX_Process *process, uint32_t timestampsPosition) {
    if (timestampsPosition < process->sample_count && process->depth > 0)
        process->samples[timestampsPosition] = process->stack[process->depth - 1].function;
}

static void pass_sample(OTFAUX_Process *process) {
    OTFAUX_Process_updateThumbnail(process, process->next_sample);
    set_next_sample(process, process->next_sample + 1);
}

void aux_pass_samples(OTFAUX_Process *process, uint64_t time) {
    while (process->next_sample_time < time)
        pass_sample(process);
}

/* Writes a number and the character after it; many times faster than fprintf, and thumbnails are nothing but numbers. */
static void write_number(FILE *out, uint64_t value, char end) {
    char text[17];
    size_t first = sizeof text;
    text[--first] = end;
    do
        text[--first] = "0123456789abcdef"[value & 15];
    while ((value >>= 4) != 0);
    fwrite(text + first, 1, sizeof text - first, out);
}

void OTFAUX_Process_writeThumbnail(OTFAUX_Process *process, uint32_t timestampsSize, FILE *out) {
    if (!process->has_thumbnail)
        return;
    while (process->next_sample < process->sample_count)
        pass_sample(process);
    write_number(out, process->id, ':');
    for (uint32_t i = 0; i < timestampsSize; i++)
        write_number(out, i < process->sample_count ? process->samples[i] : 0, ',');
    putc('\n', out);
}
