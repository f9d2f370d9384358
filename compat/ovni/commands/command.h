/* command.h: what the commands share: the trace that they open, and messages on standard error, "COMMAND: LEVEL: text". */
#ifndef QUIPU_COMPAT_OVNI_COMMAND_H
#define QUIPU_COMPAT_OVNI_COMMAND_H

#include "formats/ovni/system.h"

/* What a command prints messages as. */
struct command {
    const char *name;
    struct quipu__memory memory;
    struct quipu__files pool;
    struct quipu_findings *findings;
    struct quipu__ovni_files files;
    size_t told; /* findings that were printed */
    bool is_open;
};

void command_say(const struct command *command, const char *level, const char *format, ...) QUIPU_PRINTF(3, 4);

/* Opens the streams below a folder; false with a message. */
bool command_open(struct command *command, const char *name, const char *path);
void command_close(struct command *command);

/* Prints the findings that were not printed yet. */
void command_tell(struct command *command);

/* Prints what failed; returns EXIT_FAILURE. */
int command_fail(const struct command *command, const struct quipu_error *err);

/* Whether all streams can be read, as commands that need no emulation ask. */
bool command_is_sound(const struct command *command);

/* Prints how to call it; returns EXIT_FAILURE, also when that was asked for. */
int command_usage(const char *name, const char *usage);

#endif
