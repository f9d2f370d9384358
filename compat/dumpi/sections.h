/* sections.h: what a text says apart from calls, and the sections of a file that become of it. */
#ifndef COMPAT_DUMPI_SECTIONS_H
#define COMPAT_DUMPI_SECTIONS_H

#include "sheet.h"
#include "writer.h"

struct quipu__undumpi_numbers {
    int32_t *items;
    size_t count, capacity;
};

struct quipu__undumpi_sections {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu__dumpi_header header;
    struct quipu__undumpi_numbers mesh_sizes, mesh_coordinates, sizes;
    QUIPU__VEC(struct quipu__dumpi_pair) keyvals;
    QUIPU__VEC(const char *) counters;
    QUIPU__VEC(struct quipu__dumpi_label) labels;
    uint32_t called[QUIPU__DUMPI_SLOTS], ignored[QUIPU__DUMPI_SLOTS];
    uint32_t
        recorded[QUIPU__DUMPI_SLOTS]; /* calls that were written: stand in for counts that the text lacks */
    bool has_version, has_footer;
    uint32_t keyvals_due, counters_due; /* lines that still belong to a list */
};

void quipu__undumpi_sections_init(struct quipu__undumpi_sections *sections, struct quipu__memory *memory);
void quipu__undumpi_sections_release(struct quipu__undumpi_sections *sections);

/* True when the next line belongs to a list, whatever it looks like. */
static inline bool quipu__undumpi_sections_in_list(const struct quipu__undumpi_sections *sections) {
    return sections->keyvals_due > 0 || sections->counters_due > 0;
}

/* Takes a line without its line break; false when it means nothing here. */
bool quipu__undumpi_sections_take(struct quipu__undumpi_sections *sections, const char *at, const char *end);

/* Counters that no section names have the names in the first call that has some. */
bool quipu__undumpi_sections_name_counters(struct quipu__undumpi_sections *sections, const char *const *names);

/* Version of the file to write, as far as it is known: the text's, else the newest. */
uint32_t quipu__undumpi_sections_version(const struct quipu__undumpi_sections *sections);

/* Puts all sections: header, footer, keyvals, counters if there are some, sizes, addresses. */
void quipu__undumpi_sections_write(struct quipu__undumpi_sections *sections,
                                   struct quipu__undumpi_writer *writer);

#endif
