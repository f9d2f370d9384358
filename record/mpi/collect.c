/* collect.c: a DUMPI trace of each world, and the list of processes. */
#include "record/mpi/collection.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct quipu__mpi_program *program_at(const struct quipu__mpi_collection *all, int32_t world,
                                             int32_t rank) {
    for (size_t i = 0; i < all->programs.count; i++)
        if (all->programs.items[i].world == world && all->programs.items[i].rank == rank)
            return &all->programs.items[i];
    return NULL;
}

static int32_t size_of(const struct quipu__mpi_collection *all, int32_t world) {
    for (size_t i = 0; i < all->programs.count; i++)
        if (all->programs.items[i].world == world)
            return all->programs.items[i].size;
    return 0;
}

static const char *name_of(struct quipu__mpi_collection *all, int32_t world, struct quipu_error *err) {
    const char *output = all->options->output;
    if (world == 0)
        return output;
    const char *dot = strrchr(output, '.');
    const int stem = dot ? (int)(dot - output) : (int)strlen(output);
    const size_t size = strlen(output) + 32;
    char *name = quipu__arena_alloc(&all->arena, size);
    if (name)
        snprintf(name, size, "%.*s-world%d%s", stem, output, world, dot ? dot : "");
    else
        quipu__no_memory(err, size);
    return name;
}

static enum quipu_status write_world(struct quipu__mpi_collection *all, int32_t world,
                                     struct quipu_error *err) {
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    const char *name = name_of(all, world, err);
    options.replace = all->options->replace;
    if (!name)
        return QUIPU_NO_MEMORY;
    enum quipu_status status =
        quipu_writer_create(name, quipu_format_find("dumpi"), &options, &all->writer, err);
    if (status != QUIPU_OK)
        return status;
    const int32_t size = size_of(all, world);
    for (int32_t i = 0; i < size && status == QUIPU_OK; i++) {
        const struct quipu__mpi_program *program = program_at(all, world, i);
        if (program)
            status = quipu__mpi_write_rank(all, program, err);
    }
    if (status == QUIPU_OK)
        return quipu_writer_close(all->writer, err);
    quipu_writer_discard(all->writer);
    return status;
}

/* Whether a process with this number has called MPI, on whichever machine. */
static bool is_of_mpi(const struct quipu__mpi_collection *all, uint32_t process) {
    for (size_t i = 0; i < all->paths.count; i++)
        if (all->paths.items[i].head.process == process)
            return true;
    return false;
}

/* What has started a rank: a line with rank -1 for each process. */
static bool list_launcher(const struct quipu__mpi_collection *all, const struct quipu__mpi_program *program,
                          FILE *file) {
    const struct quipu__mpi_stream_head *head = &all->paths.items[program->first].head;
    bool is_fine = true;
    for (size_t i = 0; i < QUIPU__MPI_ANCESTORS && head->ancestors[i] && is_fine; i++)
        if (!is_of_mpi(all, head->ancestors[i]))
            is_fine =
                fprintf(file, "%d -1 %u 0 %u\n", program->world, head->ancestors[i], head->ancestors[i]) > 0;
    return is_fine;
}

/* Which thread of which rank is which of the system's, for traces that others have recorded of the same run. */
static enum quipu_status list_processes(const struct quipu__mpi_collection *all, struct quipu_error *err) {
    FILE *file = fopen(all->options->processes, "we");
    bool is_fine = file != NULL;
    for (size_t i = 0; is_fine && i < all->programs.count; i++) {
        const struct quipu__mpi_program *program = &all->programs.items[i];
        if (program->world == QUIPU__MPI_NO_RANK)
            continue;
        is_fine = list_launcher(all, program, file);
        for (uint32_t k = 0; k < program->count && is_fine; k++) {
            const struct quipu__mpi_stream_head *head = &all->paths.items[program->first + k].head;
            is_fine = fprintf(file, "%d %d %u %u %u\n", program->world, program->rank, head->process,
                              head->number, head->thread) > 0;
        }
    }
    if (file && fclose(file) != 0)
        is_fine = false;
    return is_fine ? QUIPU_OK : quipu__fail(err, QUIPU_IO, "%s cannot be written", all->options->processes);
}

static enum quipu_status prepare(struct quipu__mpi_collection *all, struct quipu_error *err) {
    uint32_t row;
    if (!quipu__mpi_calls_init(&row) || !quipu__mpi_converter_init(&all->converter, &all->memory, &row))
        return quipu__fail(err, QUIPU_MISUSE, "the signature of %s is wrong", quipu__mpi_calls[row].name);
    return quipu__mpi_find_programs(all, err);
}

static void release(struct quipu__mpi_collection *all) {
    quipu__mpi_converter_release(&all->converter);
    quipu__mpi_sites_release(&all->sites);
    QUIPU__VEC_RELEASE(&all->memory, &all->paths);
    QUIPU__VEC_RELEASE(&all->memory, &all->programs);
    quipu__files_release(&all->files);
    quipu__arena_release(&all->arena);
}

enum quipu_status quipu__mpi_collect(const struct quipu__mpi_collecting *collecting,
                                     struct quipu__mpi_collected *out, struct quipu_error *err) {
    struct quipu__mpi_collection *all = calloc(1, sizeof *all);
    if (!all)
        return quipu__no_memory(err, sizeof *all);
    *out = (struct quipu__mpi_collected){.calls = 0};
    all->options = collecting;
    all->out = out;
    quipu__memory_init(&all->memory, NULL, 0);
    quipu__arena_init(&all->arena, &all->memory);
    quipu__files_init(&all->files, &all->memory, 0);
    quipu__mpi_sites_init(&all->sites, collecting->frames, &all->memory);
    enum quipu_status status = prepare(all, err);
    if (status == QUIPU_OK && out->worlds == 0)
        status = QUIPU_END;
    if (status == QUIPU_OK && all->options->processes)
        status = list_processes(all, err);
    for (uint32_t world = 0; world < out->worlds && status == QUIPU_OK; world++)
        status = write_world(all, (int32_t)world, err);
    out->bounded = all->converter.bounded;
    out->sites = all->sites.items.count;
    out->unresolved_sites = all->sites.unresolved;
    release(all);
    free(all);
    return status;
}
