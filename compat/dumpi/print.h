/* print.h: calls and sections as the text that dumpi2ascii is known for. */
#ifndef COMPAT_DUMPI_PRINT_H
#define COMPAT_DUMPI_PRINT_H

#include "file.h"
#include "output.h"

struct quipu__undumpi_printer {
    struct quipu__undumpi_sheet sheet;
    struct quipu__undumpi_output output;
    struct quipu__arena arena;
    struct quipu__undumpi_name *names; /* of functions, ascending by address */
    size_t name_count;
    const char **counters; /* names of the hardware counters */
    uint32_t counter_count;
};

enum quipu_status quipu__undumpi_printer_init(struct quipu__undumpi_printer *printer,
                                              struct quipu__memory *memory, int fd, struct quipu_error *err);

/* Writes what is left; false when a write failed. */
bool quipu__undumpi_printer_release(struct quipu__undumpi_printer *printer);

/* Reads from the file what its calls refer to: names of functions and counters. */
enum quipu_status quipu__undumpi_printer_learn(struct quipu__undumpi_printer *printer,
                                               struct quipu__undumpi_file *file);

/* The call that was decoded last. */
void quipu__undumpi_print_call(struct quipu__undumpi_printer *printer,
                               const struct quipu__dumpi_decoder *decoder);

/* The section that was decoded last into data, or nothing of it when has_section is false. */
void quipu__undumpi_print_section(struct quipu__undumpi_printer *printer, uint32_t type,
                                  const union quipu__dumpi_any *data, bool has_section);

#endif
