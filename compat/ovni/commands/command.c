/* command.c: opening a trace and saying what is found. */
#include "command.h"

#include "wording.h"

#include <stdarg.h>
#include <stdio.h>

void command_say(const struct command *command, const char *level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %s: ", command->name, level);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int command_fail(const struct command *command, const struct quipu_error *err) {
    command_say(command, "ERROR", "%s%s%s", err->path, err->path[0] ? ": " : "", err->message);
    return EXIT_FAILURE;
}

bool command_open(struct command *command, const char *name, const char *path) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    *command = (struct command){.name = name};
    quipu__memory_init(&command->memory, NULL, (size_t)64 << 30);
    quipu__files_init(&command->pool, &command->memory, 0);
    enum quipu_status status = quipu__findings_new(&command->memory, &command->findings, &err);
    if (status == QUIPU_OK)
        status = quipu__ovni_files_open_folder(&command->files, &command->memory, &command->pool,
                                               command->findings, path, &err);
    if (status != QUIPU_OK) {
        command_fail(command, &err);
        return false;
    }
    command->is_open = true;
    command_say(command, "INFO", "loaded %zu streams", command->files.streams.count);
    command_tell(command);
    return true;
}

void command_close(struct command *command) {
    if (command->is_open)
        quipu__ovni_files_close(&command->files);
    quipu__findings_free(command->findings);
    quipu__files_release(&command->pool);
}

static void tell_position(const struct quipu_finding *finding) {
    fputs(finding->file, stderr);
    if (finding->byte != QUIPU_UNKNOWN)
        fprintf(stderr, ": byte %llu: %s", (unsigned long long)finding->byte, finding->type);
}

/* The rule's own text, with what is known of how it is broken. */
static void tell_rule(const struct quipu_finding *finding) {
    tell_position(finding);
    if (finding->field[0])
        fprintf(stderr, ": %s", finding->field);
    fprintf(stderr, ": %s [%s]", finding->rule->text, finding->rule->id);
    if (finding->found[0] && finding->found[0] != ' ')
        fprintf(stderr, ": found %s", finding->found);
    if (finding->expected[0])
        fprintf(stderr, ", expected %s", finding->expected);
}

static void tell(const struct command *command, const struct quipu_finding *finding) {
    const bool is_error = finding->rule->severity >= QUIPU_DATA_LOSS;
    char message[600];
    fprintf(stderr, "%s: %s: ", command->name, is_error ? "ERROR" : "WARN");
    if (wording_of(finding, message, sizeof message)) {
        fprintf(stderr, "%s [%s]: ", message, finding->rule->id);
        tell_position(finding);
    } else {
        tell_rule(finding);
    }
    fputc('\n', stderr);
}

void command_tell(struct command *command) {
    for (; command->told < quipu_findings_count(command->findings); command->told++)
        tell(command, quipu_findings_at(command->findings, command->told));
}

bool command_is_sound(const struct command *command) {
    return quipu_findings_total(command->findings, QUIPU_DATA_LOSS) == 0 &&
           quipu_findings_total(command->findings, QUIPU_ERROR_FINDING) == 0;
}

int command_usage(const char *name, const char *usage) {
    fprintf(stderr, "Usage: %s %s\n", name, usage);
    return EXIT_FAILURE;
}
