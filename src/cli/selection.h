/* selection.h: the options that select events: --since, --until, --for, --location, --kind, --region. */
#ifndef QUIPU_CLI_SELECTION_H
#define QUIPU_CLI_SELECTION_H

#include "job.h"

struct selected {
    struct quipu_selection selection;
    uint32_t *locations, *regions; /* owned; the selection points to them */
    bool any;                      /* one of the options is given */
};

/* Reads the options against the trace of a job. On failure says why. Release in any case. */
enum exit_code selected_init(struct selected *selected, struct job *job);
void selected_release(struct selected *selected);

/* Calls choose for each comma-separated name of each time an option is given, until it says no. Names are borrowed until then. */
enum exit_code each_given_name(const struct arguments *arguments, unsigned id,
                               enum exit_code (*choose)(void *context, const char *name), void *context);

/* Remarks on names in an expression that nothing in the trace has. */
enum exit_code report_where(struct job *job, const char *expression);

/* A name matches itself and patterns with * and ?. */
bool name_matches(const char *name, const char *pattern);

/* Whether one of these options, or --no-attributes, is given. */
bool selection_given(const struct arguments *arguments);

/* The numbers of the locations that an option names, ascending; the caller frees them, also on failure. */
enum exit_code locations_of(const struct arguments *arguments, const struct option *option,
                            const struct quipu_definitions *definitions, uint32_t **out, uint32_t *out_count);

#endif
