/* conf.c: lines of dumpi.conf: a key and a value between blanks, tabs and equals signs; what follows # is none of a line. The first
 * setting of a key counts, but the last of "tracing". */
#include "conf.h"

#include "formats/dumpi/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_NAME "dumpi.conf"
#define DEFAULT_ROOT "dumpi"
#define LINE_BYTES 1024
#define SEPARATORS " \t=\r\n"

struct line {
    const char *path;
    unsigned number;
    const char *key, *value;
};

struct reading {
    struct conf *conf;
    bool has_root, has_timestamp, has_statuses, has_default;
    bool has_function[CONF_FUNCTIONS];
    dumpi_setting others; /* functions that are not named */
};

/* ---- Values ---- */

struct word {
    const char *text;
    int value;
};

static const struct word settings[] = {
    {"disable", DUMPI_DISABLE}, {"success", DUMPI_SUCCESS}, {"enable", DUMPI_ENABLE}, {NULL, 0}};
static const struct word timestamps[] = {{"none", DUMPI_TIME_NONE},
                                         {"cpu", DUMPI_TIME_CPU},
                                         {"wall", DUMPI_TIME_WALL},
                                         {"full", DUMPI_TIME_FULL},
                                         {NULL, 0}};

enum { ENTERS = 1, EXITS = 2 };
static const struct word tracings[] = {
    {"disable", 0}, {"enter", ENTERS}, {"exit", EXITS}, {"enable", ENTERS | EXITS}, {NULL, 0}};

enum { QUIET, TALKING };
static const struct word debugs[] = {{"off", QUIET},     {"none", QUIET},     {"all", TALKING},
                                     {"traceio", QUIET}, {"mpicalls", QUIET}, {"libdumpi", TALKING},
                                     {NULL, 0}};

static void complain(const struct line *line, const char *what) {
    fprintf(stderr, "quipu: %s: line %u: %s \"%s\": %s\n", line->path, line->number, line->key, line->value,
            what);
}

/* False, and it is said, when the value is none of these. */
static bool read_word(const struct line *line, const struct word *words, int *out) {
    char known[128] = "";
    for (size_t i = 0; words[i].text; i++) {
        if (strcmp(words[i].text, line->value) == 0) {
            *out = words[i].value;
            return true;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", words[i].text);
    }
    char text[sizeof known + 32];
    snprintf(text, sizeof text, "expected one of %s; ignored", known);
    complain(line, text);
    return false;
}

/* Whether a key is set for the first time. */
static bool claim(bool *is_set) {
    const bool is_first = !*is_set;
    *is_set = true;
    return is_first;
}

/* ---- Keys ---- */

static void set_root(struct reading *reading, const struct line *line) {
    if (claim(&reading->has_root))
        snprintf(reading->conf->root, sizeof reading->conf->root, "%s", line->value);
    else
        complain(line, "the file root was set before; ignored");
}

static void set_timestamp(struct reading *reading, const struct line *line) {
    int value;
    if (read_word(line, timestamps, &value) && claim(&reading->has_timestamp))
        reading->conf->timestamps = (dumpi_timestamps)value;
}

static void set_statuses(struct reading *reading, const struct line *line) {
    int value;
    if (read_word(line, settings, &value) && claim(&reading->has_statuses))
        reading->conf->statuses = (dumpi_setting)value;
}

static void set_default(struct reading *reading, const struct line *line) {
    int value;
    if (read_word(line, settings, &value) && claim(&reading->has_default))
        reading->others = (dumpi_setting)value;
}

static void set_tracing(struct reading *reading, const struct line *line) {
    int value;
    if (!read_word(line, tracings, &value))
        return;
    reading->conf->has_enters = value & ENTERS;
    reading->conf->has_exits = value & EXITS;
    fprintf(stderr, "quipu: %s: functions: tracing is set to %s\n", line->path, line->value);
}

static void set_debug(struct reading *reading, const struct line *line) {
    int value;
    if (read_word(line, debugs, &value))
        reading->conf->is_verbose |= value == TALKING;
}

static int function_named(const char *name) {
    for (uint32_t i = 0; i < QUIPU__DUMPI_TYPE_COUNT; i++) {
        const struct quipu_record_type *type = &quipu__dumpi_types[i];
        if (type->id < CONF_FUNCTIONS && strncmp(type->name, "MPI", 3) == 0 && strcmp(type->name, name) == 0)
            return (int)type->id;
    }
    return -1;
}

static void set_function(struct reading *reading, const struct line *line) {
    const int number = function_named(line->key);
    int value;
    if (number < 0)
        complain(line, "unknown key; ignored");
    else if (read_word(line, settings, &value) && claim(&reading->has_function[number]))
        reading->conf->functions[number] = (dumpi_setting)value;
}

/* Settings of counters add up. */
static void add_counter(struct reading *reading, const struct line *line) {
    struct conf *conf = reading->conf;
    if (conf->counter_count == CONF_COUNTERS || strlen(line->value) >= CONF_COUNTER_BYTES)
        complain(line, "too many counters, or too long a name; ignored");
    else
        snprintf(conf->counters[conf->counter_count++], CONF_COUNTER_BYTES, "%s", line->value);
}

static void set_key(struct reading *reading, const struct line *line) {
    static const struct {
        const char *name;
        void (*set)(struct reading *, const struct line *);
    } keys[] = {{"fileroot", set_root},       {"timestamp", set_timestamp}, {"statuses", set_statuses},
                {"MPI_Default", set_default}, {"tracing", set_tracing},     {"debug", set_debug}};
    if (strncmp(line->key, "PAPI", 4) == 0) {
        add_counter(reading, line);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, line->key) == 0) {
            keys[i].set(reading, line);
            return;
        }
    set_function(reading, line);
}

/* ---- The file ---- */

static void read_lines(struct reading *reading, FILE *file, const char *path) {
    char text[LINE_BYTES], *rest;
    for (unsigned number = 1; fgets(text, sizeof text, file); number++) {
        text[strcspn(text, "#")] = '\0';
        struct line line = {.path = path, .number = number};
        line.key = strtok_r(text, SEPARATORS, &rest);
        line.value = line.key ? strtok_r(NULL, SEPARATORS, &rest) : NULL;
        if (line.value)
            set_key(reading, &line);
    }
}

static FILE *open_file(const char **path) {
    const char *named = getenv("DUMPI_CONF");
    FILE *file = named ? fopen(named, "re") : NULL;
    *path = file ? named : DEFAULT_NAME;
    return file ? file : fopen(DEFAULT_NAME, "re");
}

void conf_read(struct conf *conf) {
    struct reading reading = {.conf = conf, .others = DUMPI_ENABLE};
    const char *path;
    *conf = (struct conf){.root = DEFAULT_ROOT,
                          .timestamps = DUMPI_TIME_FULL,
                          .statuses = DUMPI_ENABLE,
                          .has_enters = true,
                          .has_exits = true};
    FILE *file = open_file(&path);
    if (file) {
        read_lines(&reading, file, path);
        fclose(file);
    }
    for (size_t i = 0; i < CONF_FUNCTIONS; i++)
        if (!reading.has_function[i])
            conf->functions[i] = reading.others;
    if (file && conf->is_verbose)
        fprintf(stderr, "quipu: %s: settings were read\n", path);
}
