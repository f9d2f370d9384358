/* error.c: making and printing errors, and the names of statuses. */
#include "core/error.h"

#include "core/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct status_row {
    enum quipu_status status;
    const char *name;
    const char *text;
};

static const struct status_row statuses[] = {
#define QUIPU_STATUS(name, value, text) {QUIPU_##name, #name, text},
#include <quipu/status.def>
#undef QUIPU_STATUS
};

static const struct status_row *find_status(enum quipu_status status) {
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return &statuses[i];
    return NULL;
}

const char *quipu_status_name(enum quipu_status status) {
    const struct status_row *row = find_status(status);
    return row ? row->name : "UNKNOWN";
}

const char *quipu_status_text(enum quipu_status status) {
    const struct status_row *row = find_status(status);
    return row ? row->text : "this number is no status";
}

#define QUIPU__TEXT(number) QUIPU__TEXT_OF(number)
#define QUIPU__TEXT_OF(number) #number

const char *quipu_version(void) {
    return QUIPU__TEXT(QUIPU_VERSION_MAJOR) "." QUIPU__TEXT(QUIPU_VERSION_MINOR) "." QUIPU__TEXT(
        QUIPU_VERSION_PATCH);
}

void quipu_error_clear(struct quipu_error *err) {
    if (err)
        *err = (struct quipu_error)QUIPU_ERROR_INIT;
}

static void word(struct quipu_error *err, enum quipu_status status, const char *format, va_list arguments) {
    quipu_error_clear(err);
    err->status = status;
    vsnprintf(err->message, sizeof err->message, format, arguments);
}

int quipu__fail(struct quipu_error *err, enum quipu_status status, const char *format, ...) {
    if (!err)
        return status;
    va_list arguments;
    va_start(arguments, format);
    word(err, status, format, arguments);
    va_end(arguments);
    return status;
}

/* What the user can do when the system refuses something. */
static const struct advice_row {
    int number;
    const char *advice;
} advices[] = {
    {ENOSPC, "free some space, or write to another file system"},
    {EDQUOT, "free some space, or write to another file system"},
    {EACCES, "check the permissions of the file and of the folders above it"},
    {EPERM, "check the permissions of the file and of the folders above it"},
    {EROFS, "write to another file system"},
    {ENOENT, "check the path: all folders in it must exist"},
    {ENOTDIR, "check the path: all that stands before a / must be folders"},
    {ELOOP, "check the path: its symbolic links lead in a circle"},
    {ENAMETOOLONG, "use a shorter name"},
    {EISDIR, "name a file, not a folder"},
    {EMFILE, "raise the limit of open files (ulimit -n)"},
    {EBADF, "leave the stream open: the shell has closed it"},
};

static void advise_about(struct quipu_error *err, int number) {
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].number == number)
            quipu__advise(err, "%s", advices[i].advice);
}

int quipu__fail_errno(struct quipu_error *err, enum quipu_status status, int number, const char *format, ...) {
    const enum quipu_status cause = number == ENOMEM ? QUIPU_NO_MEMORY : status;
    if (!err)
        return cause;
    va_list arguments;
    va_start(arguments, format);
    word(err, cause, format, arguments);
    va_end(arguments);
    const size_t len = strlen(err->message);
    snprintf(err->message + len, sizeof err->message - len, ": %s", strerror(number));
    advise_about(err, number);
    return cause;
}

void quipu__at(struct quipu_error *err, const char *path, uint64_t byte) {
    if (!err)
        return;
    if (path && !err->path[0])
        snprintf(err->path, sizeof err->path, "%s", path);
    if (byte != QUIPU_UNKNOWN && err->byte == QUIPU_UNKNOWN)
        err->byte = byte;
}

void quipu__advise(struct quipu_error *err, const char *format, ...) {
    if (!err)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->advice, sizeof err->advice, format, arguments);
    va_end(arguments);
}

int quipu__no_memory(struct quipu_error *err, size_t size) {
    const int status = size > 0 ? quipu__fail(err, QUIPU_NO_MEMORY, "no memory for %zu bytes", size)
                                : quipu__fail(err, QUIPU_NO_MEMORY, "memory ran out");
    quipu__advise(err, "%s", QUIPU__MEMORY_ADVICE);
    return status;
}

/* Text that is appended in parts and cut at the end of its room. */
struct line {
    char *text;
    size_t size, len;
    const char *separator;
};

static void add(struct line *line, const char *format, ...) QUIPU_PRINTF(2, 3);
static void add(struct line *line, const char *format, ...) {
    if (line->len >= line->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(line->text + line->len, line->size - line->len, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        line->len += (size_t)wanted;
}

static void add_where(struct line *line, const char *path, uint64_t byte, uint64_t text_line, uint64_t record) {
    if (path[0])
        add(line, "%s: ", path);
    const char *separator = "";
    if (byte != QUIPU_UNKNOWN)
        add(line, "byte %" PRIu64, byte), separator = ", ";
    if (text_line != QUIPU_UNKNOWN)
        add(line, "%sline %" PRIu64, separator, text_line), separator = ", ";
    if (record != QUIPU_UNKNOWN)
        add(line, "%srecord %" PRIu64, separator, record), separator = ", ";
    line->separator = separator;
}

/* The path as users know it: "-" is one of the standard streams. */
static const char *path_of(const struct quipu_error *err) {
    if (strcmp(err->path, "-") != 0)
        return err->path;
    return err->status == QUIPU_OUTPUT ? "standard output" : "standard input";
}

char *quipu_error_text(const struct quipu_error *err, char *text, size_t size) {
    struct line line = {text, size, 0, ""};
    if (size == 0)
        return text;
    text[0] = '\0';
    add_where(&line, path_of(err), err->byte, err->line, err->record);
    if (err->field[0])
        add(&line, "%sfield %s", line.separator, err->field), line.separator = ", ";
    add(&line, "%s%s", line.separator[0] ? ": " : "",
        err->message[0] ? err->message : quipu_status_text(err->status));
    return text;
}

static void add_sentence(struct line *line, const struct quipu_finding *finding) {
    const struct quipu__placeholder placeholders[] = {{"found", finding->found},
                                                      {"expected", finding->expected}};
    if (line->len < line->size)
        line->len += quipu__text_fill(line->text + line->len, line->size - line->len, finding->rule->sentence,
                                      placeholders, 2);
}

static void add_contradiction(struct line *line, const struct quipu_finding *finding) {
    add(line, "%s", finding->rule->text);
    if (finding->found[0])
        add(line, ": found %s", finding->found);
    if (finding->expected[0])
        add(line, "%s expected %s", finding->found[0] ? "," : ":", finding->expected);
}

char *quipu_finding_text(const struct quipu_finding *finding, char *text, size_t size) {
    struct line line = {text, size, 0, ""};
    if (size == 0)
        return text;
    text[0] = '\0';
    add_where(&line, finding->file, finding->byte, finding->line, finding->record);
    if (finding->type[0])
        add(&line, "%s%s", line.separator, finding->type), line.separator = ", ";
    if (finding->field[0])
        add(&line, "%s%s", finding->type[0] ? "." : line.separator, finding->field), line.separator = ", ";
    add(&line, "%s", line.separator[0] ? ": " : "");
    if (finding->rule->sentence)
        add_sentence(&line, finding);
    else
        add_contradiction(&line, finding);
    add(&line, " [%s]", finding->rule->id);
    return text;
}

char *quipu_text_escape(const char *text, char *out, size_t size) {
    struct line line = {out, size, 0, ""};
    size_t left = strlen(text);
    if (size == 0)
        return out;
    out[0] = '\0';
    for (const uint8_t *at = (const uint8_t *)text; left > 0 && line.len < size;) {
        uint32_t code;
        const size_t length = quipu__utf8_decode(at, left, &code), taken = length ? length : 1;
        if (length > 0 && !quipu__is_invisible(code))
            add(&line, "%.*s", (int)length, (const char *)at);
        else
            for (size_t i = 0; i < taken; i++)
                add(&line, "\\x%02x", at[i]);
        at += taken;
        left -= taken;
    }
    return out;
}
