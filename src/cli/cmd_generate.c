/* cmd_generate.c: quipu generate, which builds of Quipu use: what is made from the tables of commands and options. */
#include "generate.h"
#include "report.h"

#include <string.h>

static const struct {
    const char *name;
    void (*generate)(FILE *out);
} shells[] = {{"bash", generate_bash}, {"zsh", generate_zsh}, {"fish", generate_fish}};

enum exit_code command_generate(const struct arguments *arguments) {
    const char *what = arguments->operands[0];
    const bool has_folder = arguments->operand_count == 2;
    if (strcmp(what, "man") == 0 && has_folder)
        return generate_man(arguments->operands[1]);
    if (strcmp(what, "man-formats") == 0 && has_folder)
        return generate_man_formats(arguments->operands[1]);
    if (strcmp(what, "readme-formats") == 0)
        return generate_readme_formats(stdout);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(what, shells[i].name) == 0) {
            shells[i].generate(stdout);
            return EXIT_FINE;
        }
    }
    return report_usage("generate makes %s", arguments->command->operands);
}
