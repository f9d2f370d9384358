/* share.h: answers that several processes give together: --part, quipu merge-states, and programs with a transport. */
#ifndef QUIPU_CLI_SHARE_H
#define QUIPU_CLI_SHARE_H

#include "command.h"

#include <quipu/transport.h>

/* What stands for the rank of a process in the name of an output. */
#define RANK_IN_NAME "%r"

/* The first line of such a file. */
#define STATE_MAGIC "quipu state 1\n"

/* Where --part writes. */
struct part {
    struct quipu_transport transport;
    const struct arguments *arguments;
};

/* Whether and how the answer is shared: by a transport of the program, which may be NULL, or by --part, for which part is kept. Refuses
 * what cannot be shared. */
enum exit_code share_check(struct part *part, struct arguments *arguments, struct quipu_transport *transport);

/* What -o names in this process of those of the transport, with the rank, of as many digits as the last one's; free it. NULL when memory is out. */
char *share_path(const struct arguments *arguments);

/* Whether an option says how --part writes, and so is none of the answer. */
bool share_is_of_part(const struct option *option);

/* Whether this process only hands on what it knows. */
static inline bool share_hands_on(const struct arguments *arguments) {
    return arguments->transport && arguments->transport->rank > 0;
}

#endif
