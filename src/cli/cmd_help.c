/* cmd_help.c: quipu help. */
#include "command.h"
#include "report.h"
#include "topics.h"

#include <string.h>

enum exit_code command_help(const struct arguments *arguments) {
    if (arguments->operand_count == 0) {
        help_write(stdout);
        return EXIT_FINE;
    }
    const char *name = arguments->operands[0];
    const struct command *command = command_find(name);
    const struct topic *topic = topic_find(name);
    if (topic) {
        topic_write(topic, stdout);
        return EXIT_FINE;
    }
    if (!command)
        return report_unknown("command", name, nearest_name(name, command_name_at, NULL, command_count), "");
    help_write_command(command, stdout);
    return EXIT_FINE;
}
