/* cmd_help.c: quipu help, and the hidden quipu generate. */
#include "generate.h"
#include "report.h"

#include <string.h>

static const char *command_name_at(size_t index) {
    return commands[index].name;
}

enum exit_code command_help(const struct arguments *arguments) {
    if (arguments->operand_count == 0) {
        help_write(stdout);
        return EXIT_FINE;
    }
    const char *name = arguments->operands[0];
    const struct command *command = command_find(name);
    if (!command) {
        const char *near = nearest_name(name, command_name_at, COMMAND_COUNT);
        return report_usage("there is no command \"%s\"%s%s%s", name, near ? "; did you mean " : "",
                            near ? near : "", near ? "?" : "");
    }
    help_write_command(command, stdout);
    return EXIT_FINE;
}

enum exit_code command_generate(const struct arguments *arguments) {
    const char *what = arguments->operands[0];
    const bool has_folder = arguments->operand_count == 2;
    if (strcmp(what, "man") == 0 && has_folder)
        return generate_man(arguments->operands[1]);
    if (strcmp(what, "readme-formats") == 0)
        return generate_readme_formats(stdout);
    void (*const generate)(FILE * out) = strcmp(what, "bash") == 0   ? generate_bash
                                         : strcmp(what, "zsh") == 0  ? generate_zsh
                                         : strcmp(what, "fish") == 0 ? generate_fish
                                                                     : NULL;
    if (!generate)
        return report_usage("generate makes %s", commands[COMMAND_generate].operands);
    generate(stdout);
    return EXIT_FINE;
}
