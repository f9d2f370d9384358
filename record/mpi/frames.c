/* frames.c: see frames.h; with libdw of elfutils. Line tables say where an address is; the functions around it, inlined ones too, are those
 * entries of the debugging information, from its root on, whose code has the address. */
#include "record/mpi/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef QUIPU_HAS_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

enum { NAMES_MOST = 16 }; /* of what a function belongs to */

struct quipu__mpi_debug {
    Dwfl *files;
    Dwfl_Module *module;
};

static void set_text(char *out, const char *text) {
    snprintf(out, QUIPU__MPI_FRAME_TEXT, "%s", text ? text : "");
}

/* ---- A program's file ---- */

static bool has_build_id(Dwfl_Module *module, const uint8_t *build_id, size_t bytes) {
    const unsigned char *found;
    GElf_Addr address;
    GElf_Addr bias;
    if (!dwfl_module_getelf(module, &bias))
        return false;
    const int size = dwfl_module_build_id(module, &found, &address);
    return bytes == 0 || (size >= (int)bytes && memcmp(found, build_id, bytes) == 0);
}

static void close_file(struct quipu__mpi_debug *debug) {
    if (debug->files)
        dwfl_end(debug->files);
    free(debug);
}

static struct quipu__mpi_debug *open_file(const char *path, const uint8_t *build_id, size_t build_id_bytes) {
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    struct quipu__mpi_debug *debug = calloc(1, sizeof *debug);
    if (!debug)
        return NULL;
    debug->files = dwfl_begin(&callbacks);
    if (debug->files) {
        dwfl_report_begin(debug->files);
        debug->module = dwfl_report_elf(debug->files, path, path, -1, 0, true);
        dwfl_report_end(debug->files, NULL, NULL);
    }
    if (debug->module && has_build_id(debug->module, build_id, build_id_bytes))
        return debug;
    close_file(debug);
    return NULL;
}

/* ---- Names ---- */

/* The declaration that says what an entry belongs to. */
static Dwarf_Die declared(const Dwarf_Die *entry) {
    Dwarf_Die found = *entry;
    for (int i = 0; i < NAMES_MOST; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if ((!dwarf_attr(&found, DW_AT_abstract_origin, &attribute) &&
             !dwarf_attr(&found, DW_AT_specification, &attribute)) ||
            !dwarf_formref_die(&attribute, &next))
            break;
        found = next;
    }
    return found;
}

static bool is_scope(Dwarf_Die *entry) {
    const int tag = dwarf_tag(entry);
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type;
}

/* The name of a function, in C++ behind those of what it belongs to. */
static void set_function(char out[QUIPU__MPI_FRAME_TEXT], Dwarf_Die *entry) {
    Dwarf_Die found = declared(entry), *scopes = NULL;
    const char *name = dwarf_diename(entry);
    const int count = dwarf_getscopes_die(&found, &scopes);
    size_t used = 0;
    out[0] = '\0';
    for (int i = count - 1; i > 0 && used < QUIPU__MPI_FRAME_TEXT; i--) {
        const char *scope = is_scope(&scopes[i]) ? dwarf_diename(&scopes[i]) : "";
        if (!scope || scope[0])
            used += (size_t)snprintf(out + used, QUIPU__MPI_FRAME_TEXT - used,
                                     "%s::", scope ? scope : "(anonymous namespace)");
    }
    if (used < QUIPU__MPI_FRAME_TEXT)
        snprintf(out + used, QUIPU__MPI_FRAME_TEXT - used, "%s", name ? name : "");
    free(scopes);
}

/* Relative names are those below the folder that was compiled in. */
static void set_file(char out[QUIPU__MPI_FRAME_TEXT], const char *file, const char *folder) {
    if (file && file[0] != '/' && folder)
        snprintf(out, QUIPU__MPI_FRAME_TEXT, "%s/%s", folder, file);
    else
        set_text(out, file);
}

/* ---- The functions around an address ---- */

struct around {
    Dwarf_Die items[QUIPU__MPI_FRAMES_MOST]; /* from the outside in */
    size_t count;
};

static bool is_function(Dwarf_Die *entry) {
    const int tag = dwarf_tag(entry);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* The first entry inside of another one that has the address, or that may have functions but no code of its own. */
static bool step_in(Dwarf_Die *entry, Dwarf_Addr address, struct around *around, unsigned depth);

static bool look_at(Dwarf_Die *entry, Dwarf_Addr address, struct around *around, unsigned depth) {
    const bool has_address = dwarf_haspc(entry, address) > 0;
    const bool is_outer = is_scope(entry) || dwarf_tag(entry) == DW_TAG_module;
    if (!has_address && !is_outer)
        return false;
    if (has_address && is_function(entry) && around->count < QUIPU__MPI_FRAMES_MOST)
        around->items[around->count++] = *entry;
    return step_in(entry, address, around, depth + 1) || has_address;
}

static bool step_in(Dwarf_Die *entry, Dwarf_Addr address, struct around *around, unsigned depth) {
    enum { DEPTH_MOST = 200 };
    Dwarf_Die child;
    if (depth > DEPTH_MOST || dwarf_child(entry, &child) != 0)
        return false;
    do
        if (look_at(&child, address, around, depth))
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* ---- Places ---- */

static void set_line(const struct quipu__mpi_debug *debug, Dwarf_Addr address, struct quipu__mpi_source *out) {
    Dwfl_Line *line = dwfl_module_getsrc(debug->module, address);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file)
        return;
    set_file(out->file, file, dwfl_line_comp_dir(line));
    out->line = (uint32_t)(number > 0 ? number : 0);
}

static uint32_t number_of(Dwarf_Die *entry, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (!dwarf_attr(entry, name, &attribute) || dwarf_formudata(&attribute, &number) != 0)
        return 0;
    return number > UINT32_MAX ? 0 : (uint32_t)number;
}

/* Where an inlined function is called. */
static void set_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct quipu__mpi_source *out) {
    Dwarf_Files *files;
    size_t count = 0;
    Dwarf_Attribute attribute;
    const uint32_t file = number_of(inlined, DW_AT_call_file);
    const char *folder = dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    if (dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        set_file(out->file, dwarf_filesrc(files, file, NULL, NULL), folder);
    out->line = number_of(inlined, DW_AT_call_line);
}

static size_t find(const struct quipu__mpi_debug *debug, uint64_t address,
                   struct quipu__mpi_source out[QUIPU__MPI_FRAMES_MOST]) {
    struct around around = {.count = 0};
    Dwarf_Addr bias = 0;
    GElf_Off offset;
    GElf_Sym symbol;
    Dwarf_Die *unit = dwfl_module_addrdie(debug->module, address, &bias);
    size_t count = 0;
    if (unit)
        step_in(unit, address - bias, &around, 0);
    memset(&out[0], 0, sizeof out[0]);
    set_line(debug, address, &out[0]);
    for (size_t i = around.count; i-- > 0;) {
        set_function(out[count++].function, &around.items[i]);
        if (dwarf_tag(&around.items[i]) != DW_TAG_inlined_subroutine || i == 0)
            break;
        memset(&out[count], 0, sizeof out[count]);
        set_call(unit, &around.items[i], &out[count]);
    }
    if (count > 0)
        return count;
    set_text(out[0].function, dwfl_module_addrinfo(debug->module, address, &offset, &symbol, NULL, NULL, NULL));
    return out[0].function[0] || out[0].file[0];
}

const struct quipu__mpi_frames quipu__mpi_frames = {
    .open = open_file, .close = close_file, .find = find, .has_lines = true};

#else

static struct quipu__mpi_debug *open_nothing(const char *path, const uint8_t *build_id, size_t build_id_bytes) {
    (void)path, (void)build_id, (void)build_id_bytes;
    return NULL;
}

const struct quipu__mpi_frames quipu__mpi_frames = {.open = open_nothing};

#endif
