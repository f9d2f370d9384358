/* sites.c: places by their texts; the modules of a process. */
#include "record/mpi/sites.h"

#include "core/text.h"
#include "record/mpi/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program or library. */
struct quipu__mpi_program_file {
    const char *path;
    struct quipu__mpi_module module; /* its build ID */
    struct quipu__mpi_debug *debug;  /* NULL: there is none */
};

void quipu__mpi_sites_init(struct quipu__mpi_sites *sites, const struct quipu__mpi_frames *frames,
                           struct quipu__memory *memory) {
    *sites = (struct quipu__mpi_sites){.memory = memory, .frames = frames};
    quipu__arena_init(&sites->arena, memory);
    quipu__map_init(&sites->numbers, memory);
}

void quipu__mpi_sites_release(struct quipu__mpi_sites *sites) {
    for (size_t i = 0; i < sites->files.count; i++)
        if (sites->files.items[i].debug)
            sites->frames->close(sites->files.items[i].debug);
    QUIPU__VEC_RELEASE(sites->memory, &sites->files);
    QUIPU__VEC_RELEASE(sites->memory, &sites->items);
    quipu__map_release(&sites->numbers);
    quipu__arena_release(&sites->arena);
}

void quipu__mpi_modules_init(struct quipu__mpi_modules *modules, struct quipu__memory *memory) {
    *modules = (struct quipu__mpi_modules){.items = QUIPU__VEC_INIT};
    quipu__map_init(&modules->known, memory);
}

void quipu__mpi_modules_release(struct quipu__mpi_modules *modules, struct quipu__memory *memory) {
    QUIPU__VEC_RELEASE(memory, &modules->items);
    QUIPU__VEC_RELEASE(memory, &modules->files);
    quipu__map_release(&modules->known);
}

/* ---- Modules ---- */

static bool is_same(const struct quipu__mpi_program_file *file, const struct quipu__mpi_module *module,
                    const char *path) {
    return strcmp(file->path, path) == 0 && file->module.build_id_bytes == module->build_id_bytes &&
           memcmp(file->module.build_id, module->build_id, module->build_id_bytes) == 0;
}

/* The number of the file with that path and build ID, which is opened once; QUIPU_NONE when memory is out. */
static uint32_t file_of(struct quipu__mpi_sites *sites, const struct quipu__mpi_module *module,
                        const char *path) {
    for (size_t i = 0; i < sites->files.count; i++)
        if (is_same(&sites->files.items[i], module, path))
            return (uint32_t)i;
    struct quipu__mpi_program_file *file = QUIPU__VEC_ADD(sites->memory, &sites->files);
    if (!file || !(file->path = quipu__arena_text(&sites->arena, path, strlen(path))))
        return QUIPU_NONE;
    file->module = *module;
    file->debug = sites->frames->open(path, module->build_id, module->build_id_bytes);
    return (uint32_t)sites->files.count - 1;
}

bool quipu__mpi_modules_add(struct quipu__mpi_modules *modules, struct quipu__mpi_sites *sites,
                            const uint8_t *data, size_t size) {
    struct quipu__mpi_module module;
    if (size <= sizeof module || data[size - 1] != '\0')
        return true;
    memcpy(&module, data, sizeof module);
    if (module.build_id_bytes > QUIPU__MPI_BUILD_ID)
        return true;
    const uint32_t number = file_of(sites, &module, (const char *)data + sizeof module);
    struct quipu__mpi_module *added = QUIPU__VEC_ADD(sites->memory, &modules->items);
    uint32_t *file = QUIPU__VEC_ADD(sites->memory, &modules->files);
    if (number == QUIPU_NONE || !added || !file)
        return false;
    *added = module;
    *file = number;
    return true;
}

/* ---- Places ---- */

/* Tabs part the text of a label. */
static void replace_tabs(char *text) {
    for (; *text; text++)
        *text = *text == '\t' ? ' ' : *text;
}

static uint32_t number_of(struct quipu__mpi_sites *sites, struct quipu__mpi_source *source, uint32_t caller) {
    char text[2 * QUIPU__MPI_FRAME_TEXT + 32], number[16] = "";
    replace_tabs(source->function);
    replace_tabs(source->file);
    if (caller != QUIPU_NONE)
        snprintf(number, sizeof number, "%" PRIu32, caller);
    const int len = snprintf(text, sizeof text, "%" PRIu32 "\t%s\t%s\t%s", source->line, number,
                             source->function, source->file);
    const uint64_t hash = quipu__hash(text, (size_t)len, sites->numbers.seed);
    const uint32_t known = quipu__map_get(&sites->numbers, hash);
    if (known != QUIPU_NONE && strcmp(sites->items.items[known].text, text) == 0)
        return known;
    struct quipu__mpi_site *site = QUIPU__VEC_ADD(sites->memory, &sites->items);
    if (!site || !(site->text = quipu__arena_text(&sites->arena, text, (size_t)len)) ||
        !quipu__map_put(&sites->numbers, hash, (uint32_t)sites->items.count - 1))
        return QUIPU_NONE;
    site->caller = caller;
    return (uint32_t)sites->items.count - 1;
}

/* What is known without lines: the function, or where in the file it is. */
static void name_without_line(struct quipu__mpi_source *source, const char *path, uint64_t address) {
    if (source->function[0])
        snprintf(source->file, sizeof source->file, "%s", path);
    else
        snprintf(source->file, sizeof source->file, "%s+0x%" PRIx64, path, address);
}

/* Calls return behind themselves, which may be on another line. */
static uint32_t find_site(struct quipu__mpi_sites *sites, const struct quipu__mpi_program_file *file,
                          uint64_t address) {
    static struct quipu__mpi_source sources[QUIPU__MPI_FRAMES_MOST];
    const uint64_t call = address - 1;
    size_t count = file->debug ? sites->frames->find(file->debug, call, sources) : 0;
    uint32_t number = QUIPU_NONE;
    if (count == 0)
        memset(&sources[count++], 0, sizeof *sources);
    if (!sources[0].file[0]) {
        name_without_line(&sources[0], file->path, call);
        sites->unresolved++;
    }
    for (size_t i = count; i-- > 0;)
        number = number_of(sites, &sources[i], number);
    return number;
}

uint32_t quipu__mpi_site_of(struct quipu__mpi_sites *sites, struct quipu__mpi_modules *modules,
                            uint64_t address) {
    static const struct quipu__mpi_program_file nothing = {.path = "?"};
    const uint32_t known = quipu__map_get(&modules->known, address);
    if (known != QUIPU_NONE)
        return known;
    const struct quipu__mpi_program_file *file = &nothing;
    uint64_t bias = 0;
    for (size_t i = modules->items.count; i-- > 0 && file == &nothing;) {
        const struct quipu__mpi_module *module = &modules->items.items[i];
        if (address < module->first || address >= module->end)
            continue;
        file = &sites->files.items[modules->files.items[i]];
        bias = module->bias;
    }
    const uint32_t number = find_site(sites, file, address - bias);
    return number != QUIPU_NONE && quipu__map_put(&modules->known, address, number) ? number : QUIPU_NONE;
}
