/* stats_run.c: opens a run through the format, which finds the ranks' files and works out their communicators. */
#include "stats.h"

#include <stdio.h>
#include <string.h>

static enum quipu_status open_trace(struct quipu__undumpi_run *run, const char *path, struct quipu_error *err) {
    const struct quipu__format *format = quipu__format_find("dumpi");
    enum quipu_status status = quipu__define_init(&run->define, &run->memory, err);
    if (status == QUIPU_OK)
        status = quipu__findings_new(&run->memory, &run->trace.findings, err);
    if (status != QUIPU_OK)
        return status;
    run->trace.format = format;
    run->trace.path = path;
    run->trace.options = &run->options;
    run->trace.memory = &run->memory;
    run->trace.files = &run->files;
    run->trace.define = &run->define;
    run->trace.variant = "";
    status = format->reading->open(&run->trace, err);
    run->own = run->trace.own;
    return status;
}

static bool map_locations(struct quipu__undumpi_run *run) {
    const struct quipu__dumpi_trace *own = run->own;
    run->location_count = (uint32_t)run->define.definitions.locations.count;
    run->rank_of = quipu__arena_alloc(&run->arena, ((size_t)run->location_count + 1) * sizeof *run->rank_of);
    if (!run->rank_of)
        return false;
    for (uint32_t i = 0; i < run->location_count; i++)
        run->rank_of[i] = QUIPU_NONE;
    for (size_t i = 0; i < own->files.count; i++) {
        const struct quipu__dumpi_file *file = &own->files.items[i];
        if (file->location < run->location_count)
            run->rank_of[file->location] = file->rank;
        if (file->rank >= run->rank_count)
            run->rank_count = file->rank + 1;
    }
    return true;
}

/* Columns of hardware counters have the names of the first file that has some. */
static void name_counters(struct quipu__undumpi_run *run) {
    static struct quipu__undumpi_file file;
    for (size_t i = 0; i < run->own->files.count && run->counter_count == 0; i++) {
        if (run->own->files.items[i].metric_count == 0 ||
            quipu__undumpi_open(&file, run->own->files.items[i].path, true) != QUIPU_OK)
            continue;
        if (quipu__undumpi_section(&file, QUIPU__DUMPI_TYPE_counters) == QUIPU_OK) {
            const char *const *names = file.decoder.data.counters.names;
            const uint32_t count = quipu_sized_count(names);
            const char **copies = quipu__arena_alloc(&run->arena, ((size_t)count + 1) * sizeof *copies);
            for (uint32_t n = 0; copies && n < count; n++)
                copies[run->counter_count++] = quipu__arena_text(&run->arena, names[n], strlen(names[n]));
            run->counters = copies;
        }
        quipu__undumpi_close(&file);
    }
}

enum quipu_status quipu__undumpi_run_open(struct quipu__undumpi_run *run, const char *path,
                                          struct quipu_error *err) {
    *run = (struct quipu__undumpi_run){.options = QUIPU_READER_OPTIONS_INIT};
    quipu__memory_init(&run->memory, NULL, 0);
    quipu__files_init(&run->files, &run->memory, 16);
    quipu__arena_init(&run->arena, &run->memory);
    enum quipu_status status = open_trace(run, path, err);
    if (status == QUIPU_OK && !map_locations(run)) {
        snprintf(err->message, sizeof err->message, "memory is out");
        status = err->status = QUIPU_NO_MEMORY;
    }
    if (status == QUIPU_OK)
        name_counters(run);
    return status;
}

void quipu__undumpi_run_close(struct quipu__undumpi_run *run) {
    if (run->own)
        run->trace.format->reading->close(&run->trace);
    QUIPU__VEC_RELEASE(&run->memory, &run->trace.streams);
    quipu__findings_free(run->trace.findings);
    quipu__define_release(&run->define);
    quipu__arena_release(&run->arena);
}
