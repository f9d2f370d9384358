/* stats_run.c: opens a run through the format, which finds the ranks' files and works out their communicators. */
#include "stats.h"

#include <stdio.h>
#include <string.h>

static enum quipu_status open_trace(struct quipu__undumpi_run *job, const char *path, struct quipu_error *err) {
    const struct quipu__format *format = quipu__format_find("dumpi");
    enum quipu_status status = quipu__define_init(&job->define, &job->memory, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&job->memory, &job->trace.findings, err);
    if (status != QUIPU_OK)
        return status;
    job->trace.format = format;
    job->trace.path = path;
    job->trace.options = &job->options;
    job->trace.memory = &job->memory;
    job->trace.files = &job->files;
    job->trace.define = &job->define;
    job->trace.variant = "";
    status = format->reading->open(&job->trace, err);
    job->own = job->trace.own;
    return status;
}

static bool map_locations(struct quipu__undumpi_run *job) {
    const struct quipu__dumpi_trace *own = job->own;
    job->location_count = (uint32_t)job->define.definitions.locations.count;
    job->rank_of = quipu__arena_alloc(&job->arena, ((size_t)job->location_count + 1) * sizeof *job->rank_of);
    if (!job->rank_of)
        return false;
    for (uint32_t i = 0; i < job->location_count; i++)
        job->rank_of[i] = QUIPU_NONE;
    for (size_t i = 0; i < own->files.count; i++) {
        const struct quipu__dumpi_file *file = &own->files.items[i];
        if (file->location < job->location_count)
            job->rank_of[file->location] = file->rank;
        if (file->rank >= job->rank_count)
            job->rank_count = file->rank + 1;
    }
    return true;
}

/* Columns of hardware counters have the names of the first file that has some. */
static void name_counters(struct quipu__undumpi_run *job) {
    static struct quipu__undumpi_file file;
    for (size_t i = 0; i < job->own->files.count && job->counter_count == 0; i++) {
        if (job->own->files.items[i].metric_count == 0 ||
            quipu__undumpi_open(&file, job->own->files.items[i].path, true) != QUIPU_OK)
            continue;
        if (quipu__undumpi_section(&file, QUIPU__DUMPI_TYPE_counters) == QUIPU_OK) {
            const char *const *names = file.decoder.data.counters.names;
            const uint32_t count = quipu_sized_count(names);
            const char **copies = quipu__arena_alloc(&job->arena, ((size_t)count + 1) * sizeof *copies);
            for (uint32_t n = 0; copies && n < count; n++)
                copies[job->counter_count++] = quipu__arena_text(&job->arena, names[n], strlen(names[n]));
            job->counters = copies;
        }
        quipu__undumpi_close(&file);
    }
}

enum quipu_status quipu__undumpi_run_open(struct quipu__undumpi_run *job, const char *path,
                                          struct quipu_error *err) {
    *job = (struct quipu__undumpi_run){.options = QUIPU_READER_OPTIONS_INIT};
    quipu__memory_init(&job->memory, NULL, 0);
    quipu__files_init(&job->files, &job->memory, 16);
    quipu__arena_init(&job->arena, &job->memory);
    enum quipu_status status = open_trace(job, path, err);
    if (status == QUIPU_OK && !map_locations(job)) {
        snprintf(err->message, sizeof err->message, "memory is out");
        status = err->status = QUIPU_NO_MEMORY;
    }
    if (status == QUIPU_OK)
        name_counters(job);
    return status;
}

void quipu__undumpi_run_close(struct quipu__undumpi_run *job) {
    if (job->own)
        job->trace.format->reading->close(&job->trace);
    QUIPU__VEC_RELEASE(&job->memory, &job->trace.streams);
    quipu__findings_free(job->trace.findings);
    quipu__define_release(&job->define);
    quipu__files_release(&job->files);
    quipu__arena_release(&job->arena);
}
