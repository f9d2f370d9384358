/* command.c: complaints of the commands. */
#include "command.h"

#include <stdio.h>

void quipu__undumpi_complain(const char *command, const char *path, const struct quipu_error *error) {
    char text[1024];
    struct quipu_error placed = *error;
    if (placed.path[0] == '\0')
        snprintf(placed.path, sizeof placed.path, "%s", path);
    fprintf(stderr, "%s: %s\n", command, quipu_error_text(&placed, text, sizeof text));
}
