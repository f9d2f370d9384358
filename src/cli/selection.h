/* selection.h: the options that select events: --since, --until, --location, --kind, --region. */
#ifndef QUIPU_CLI_SELECTION_H
#define QUIPU_CLI_SELECTION_H

#include "command.h"

#include <quipu/quipu.h>

struct selected {
    struct quipu_selection selection;
    uint32_t *locations, *regions; /* owned; the selection points to them */
    bool any;                      /* one of the options is given */
};

/* Reads the options against the definitions of a trace. On failure says why. Release in any case. */
enum exit_code selected_init(struct selected *selected, const struct arguments *arguments,
                             const struct quipu_definitions *definitions);
void selected_release(struct selected *selected);

/* Whether one of these options, or --no-attributes, is given. */
bool selection_given(const struct arguments *arguments);

/* The numbers of the locations that an option names, ascending; the caller frees them, also on failure. */
enum exit_code locations_of(const struct arguments *arguments, const struct option *option,
                            const struct quipu_definitions *definitions, uint32_t **out, uint32_t *out_count);

/* Parses a time: ticks, or a decimal number with the unit ns, us, ms or s, which is rounded up to a tick. False
 * when it is no time. */
bool parse_time(const char *text, const struct quipu_clock *clock, int64_t *out);

#endif
