/* offsets.c: the table of clock offsets: a heading, then a line for each host:
 *
 *     rank       hostname             offset_median        offset_mean          offset_std
 *     0          node1                0                    0.000000             0.000000
 */
#include "formats/ovni/system.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct table {
    struct quipu__ovni_system *system;
    const char *path;
    bool has_ended; /* by a line of blanks */
};

static void fault(const struct table *table, const char *expected, const char *found) {
    table->system->offset_faults++;
    quipu__ovni_system_find(table->system, QUIPU__OVNI_RULE_OFFSETS, table->path, "", expected, "%s", found);
}

/* An entry is for all looms of a host. */
static void set_offset(const struct table *table, const char *host, size_t len, double median) {
    struct quipu__ovni_system *system = table->system;
    bool is_used = false;
    for (size_t i = 0; i < system->looms.count; i++) {
        struct quipu__ovni_loom *loom = &system->looms.items[i];
        if (loom->host_len != len || memcmp(loom->name, host, len) != 0)
            continue;
        if (loom->has_offset)
            fault(table, "one line for each host", loom->name);
        loom->has_offset = true;
        loom->offset = (int64_t)median;
        is_used = true;
    }
    system->offset_faults += !is_used;
    if (!is_used)
        quipu__ovni_system_find(system, QUIPU__OVNI_RULE_OFFSETS, table->path, "hostname", "the host of a loom",
                                "%.*s", (int)len, host);
    system->offset_count++;
}

/* rank, host, median, mean and deviation; what follows is not looked at. */
static bool parse_line(const char *line, const char **host, size_t *len, double *median) {
    static const char blanks[] = " \t\r\v\f";
    char *end;
    errno = 0;
    strtol(line, &end, 10);
    if (end == line)
        return false;
    *host = end + strspn(end, blanks);
    *len = strcspn(*host, " \t\r\v\f\n");
    const char *next = *host + *len;
    for (int i = 0; i < 3; i++) {
        const double number = strtod(next, &end);
        if (end == next)
            return false;
        if (i == 0)
            *median = number;
        next = end;
    }
    return *len > 0 && *median > -9e18 && *median < 9e18;
}

static void read_line(struct table *table, const char *line) {
    const char *host;
    size_t len;
    double median = 0;
    if (line[0] == '\0' || table->has_ended)
        return;
    if (line[strspn(line, " \t\r\v\f")] == '\0')
        table->has_ended = true;
    else if (parse_line(line, &host, &len, &median))
        set_offset(table, host, len, median);
    else
        fault(table, "rank, host, median, mean and deviation", line);
}

static void read_table(struct table *table, char *text) {
    char *line = text + strcspn(text, "\n");
    if (*line == '\0')
        fault(table, "a heading and a line for each host", "nothing");
    while (*line == '\n') {
        char *begin = line + 1;
        line = begin + strcspn(begin, "\n");
        const char ended_by = *line;
        *line = '\0';
        read_line(table, begin);
        *line = ended_by;
    }
    if (table->system->offset_count == 0 && text[strcspn(text, "\n")] != '\0')
        fault(table, "a line for each host", "a heading only");
}

enum quipu_status quipu__ovni_load_offsets(struct quipu__ovni_system *system, const char *path,
                                           struct quipu_error *err) {
    struct table table = {.system = system, .path = path};
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(system->files->pool, path, QUIPU__CODEC_SEEK, 4096, &input, err);
    if (status != QUIPU_OK)
        return status;
    do
        status = quipu__input_widen(input, err);
    while (status == QUIPU_OK && !input->ended);
    const size_t len = (size_t)(input->end - input->at);
    char *text = status == QUIPU_OK ? quipu__alloc(system->memory, len + 1) : NULL;
    if (status == QUIPU_OK && !text)
        status = quipu__no_memory(err, len);
    if (text) {
        memcpy(text, input->at, len);
        text[len] = '\0';
        read_table(&table, text);
        quipu__release(system->memory, text, len + 1);
    }
    quipu__input_close(input);
    return status;
}
