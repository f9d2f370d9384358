/* dispatch.c: finds the command and runs it. "quipu FILE" is "quipu info FILE". */
#include "dispatch.h"
#include "ending.h"
#include "help.h"
#include "report.h"
#include "share.h"

#include <quipu/quipu.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Makes sure that what went through stdio has arrived. */
static enum exit_code finish_stdout(enum exit_code code) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "quipu: standard output: %s\n", strerror(errno));
    return EXIT_OUTPUT;
}

enum exit_code run_command(const struct command *command, int argc, char **argv,
                           struct quipu_transport *transport) {
    struct arguments arguments;
    struct part part;
    enum exit_code code = arguments_parse(command, argc, argv, &arguments);
    if (code == EXIT_USAGE)
        fprintf(stderr, "  \"quipu %s --help\" explains it\n", command->name);
    else if (code == EXIT_FINE && option_given(&arguments, OPTION_help))
        help_write_command(command, stdout);
    else if (code == EXIT_FINE && option_given(&arguments, OPTION_version))
        printf("quipu %s\n", quipu_version());
    else if (code == EXIT_FINE && (code = share_check(&part, &arguments, transport)) == EXIT_FINE)
        code = command->execute(&arguments);
    report_budget(&arguments, code);
    arguments_release(&arguments);
    ending_end();
    return finish_stdout(code);
}

/* A trace may be named without its suffix. */
static bool is_trace(const char *word) {
    const struct quipu_format *format;
    enum quipu_score score;
    return quipu_probe(word, &format, &score, NULL) == QUIPU_OK;
}

static bool may_be_path(const char *word) {
    return word[0] == '-' || strpbrk(word, "/.") || access(word, F_OK) == 0 || is_trace(word);
}

static enum exit_code refuse(const char *word) {
    const char *near = nearest_name(word, command_name_at, NULL, command_count);
    if (near)
        report_usage("\"%s\" is neither a command nor a file; did you mean \"quipu %s\"?", word, near);
    else
        report_usage("\"%s\" is neither a command nor a file", word);
    fputs("  \"quipu --help\" lists the commands\n", stderr);
    return EXIT_USAGE;
}

/* Whether a word is an option of the command that stands for a file without one. */
static bool is_option_of(const struct command *command, const char *word) {
    return word[1] == '\0' || strcmp(word, "--") == 0 || command_option_of(command, word);
}

static enum exit_code refuse_option(const char *word) {
    report_usage("unknown option %s in front of a command", word);
    fputs("  options follow a command: \"quipu COMMAND --help\" lists them, \"quipu --help\" the commands\n",
          stderr);
    return EXIT_USAGE;
}

/* The first word that is no option names a command, and no file: its options are in front of it. NULL: not so. */
static const struct command *command_behind(int argc, char **argv) {
    int i = 1;
    while (i < argc && argv[i][0] == '-')
        i++;
    return i > 1 && i < argc && access(argv[i], F_OK) != 0 ? command_find(argv[i]) : NULL;
}

static enum exit_code refuse_order(const struct command *command, const char *option) {
    report_usage("options follow the command: \"quipu %s %s ...\"", command->name, option);
    return EXIT_USAGE;
}

/* A file that is opened must not become a standard stream that the shell has closed. Using one still fails, since it is open
 * the other way round. */
static void reserve_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int dispatch(int argc, char **argv, struct quipu_transport *transport) {
    reserve_streams();
    enum exit_code code = ending_begin();
    if (code == EXIT_FINE)
        code = commands_init();
    if (code != EXIT_FINE)
        return (int)code;
    if (argc < 2) {
        help_write(stderr);
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    const struct command *command = command_find(first);
    if (command)
        return (int)run_command(command, argc - 2, argv + 2, transport);
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        help_write(stdout);
        return (int)finish_stdout(EXIT_FINE);
    }
    if (first[0] == '-' && !is_option_of(command_find("info"), first))
        return (int)refuse_option(first);
    if (command_behind(argc, argv))
        return (int)refuse_order(command_behind(argc, argv), first);
    if (may_be_path(first))
        return (int)run_command(command_find("info"), argc - 1, argv + 1, transport);
    return (int)refuse(first);
}
