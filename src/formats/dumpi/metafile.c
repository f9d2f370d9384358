/* metafile.c: reading metafiles. only numprocs and fileprefix matter for a trace; host, user and start time are those of
 * the rank that ended last. */
#include "formats/dumpi/metafile.h"

#include "core/error.h"
#include "core/os.h"
#include "core/files/stored.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define METAFILE_LIMIT ((size_t)64 << 10)
#define PATH_LIMIT 4200
#define SUFFIX ".bin"

/* ---- Lines ---- */

/* One line: its key ends at the first '='. */
struct line {
    const char *at, *equals; /* NULL: there is none */
    size_t len;
};

/* Removes the first line from a text. */
static struct line take_line(const char **at, const char *end) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *const stop = newline ? newline : end;
    struct line line = {.at = *at, .len = (size_t)(stop - *at)};
    if (line.len > 0 && stop[-1] == '\r')
        line.len--;
    line.equals = memchr(line.at, '=', line.len);
    *at = stop + (newline != NULL);
    return line;
}

static bool has_key(const struct line *line, const char *key) {
    const size_t len = strlen(key);
    return line->equals && (size_t)(line->equals - line->at) == len && memcmp(line->at, key, len) == 0;
}

static size_t value_len(const struct line *line) {
    return line->len - (size_t)(line->equals + 1 - line->at);
}

/* The recorder really writes startime. */
bool quipu__dumpi_is_metafile(const char *path, const uint8_t *head, size_t size) {
    const char *at = (const char *)head, *const end = at + size;
    bool has_ranks = false, has_prefix = false, has_start = false;
    while (at < end) {
        const struct line line = take_line(&at, end);
        has_ranks = has_ranks || has_key(&line, "numprocs");
        has_prefix = has_prefix || has_key(&line, "fileprefix");
        has_start = has_start || has_key(&line, "startime");
    }
    return (has_ranks && has_prefix) ||
           ((has_ranks || has_prefix || has_start) && quipu__ends_with(path, QUIPU__DUMPI_META_SUFFIX));
}

/* ---- Reading ---- */

struct reading {
    struct quipu__dumpi_metafile *meta;
    struct quipu__arena *arena;
    const struct quipu__dumpi_malformed_lines *malformed;
    uint64_t number; /* of the line */
};

static void tell(const struct reading *reading, const struct line *line, const char *expected) {
    if (reading->malformed)
        reading->malformed->tell(reading->malformed->context, reading->number, expected, line->at, line->len);
}

static bool keep_text(struct reading *reading, const struct line *line, const char **out) {
    *out = quipu__arena_text(reading->arena, line->equals + 1, value_len(line));
    return *out != NULL;
}

static bool keep_prefix(struct reading *reading, const struct line *line) {
    const char *path = reading->meta->path, *value = line->equals + 1;
    const size_t len = value_len(line);
    const size_t folder = len > 0 && value[0] == '/' ? 0 : (size_t)(quipu__base_name(path) - path);
    char *prefix = quipu__arena_alloc(reading->arena, folder + len + 1);
    if (!prefix)
        return false;
    memcpy(prefix, path, folder);
    memcpy(prefix + folder, value, len);
    prefix[folder + len] = 0;
    reading->meta->prefix = len > 0 ? prefix : NULL;
    return true;
}

static void keep_rank_count(struct reading *reading, const struct line *line) {
    uint64_t *count = &reading->meta->rank_count;
    if (quipu__parse_u64(line->equals + 1, value_len(line), count) && *count <= QUIPU__DUMPI_RANK_LIMIT)
        return;
    tell(reading, line, "numprocs=NUMBER");
    *count = 0;
}

/* False when memory is out. */
static bool keep_line(struct reading *reading, const struct line *line) {
    struct quipu__dumpi_metafile *meta = reading->meta;
    if (has_key(line, "fileprefix"))
        return keep_prefix(reading, line);
    if (has_key(line, "hostname"))
        return keep_text(reading, line, &meta->hostname);
    if (has_key(line, "username"))
        return keep_text(reading, line, &meta->username);
    if (has_key(line, "startime"))
        return keep_text(reading, line, &meta->startime);
    if (has_key(line, "numprocs"))
        keep_rank_count(reading, line);
    else if (line->len > 0 && !line->equals)
        tell(reading, line, "key=value");
    return true;
}

enum quipu_status quipu__dumpi_metafile_read(struct quipu__dumpi_metafile *meta, const char *path,
                                             struct quipu__files *files, struct quipu__arena *arena,
                                             const struct quipu__dumpi_malformed_lines *malformed,
                                             struct quipu_error *err) {
    struct reading reading = {meta, arena, malformed, 1};
    struct quipu__input *input;
    *meta = (struct quipu__dumpi_metafile){.path = path};
    enum quipu_status status = quipu__input_open(files, path, QUIPU__CODEC_SEEK, METAFILE_LIMIT, &input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(input, METAFILE_LIMIT, err);
    if (status == QUIPU_OK) {
        const char *at = (const char *)input->at, *const end = (const char *)input->end;
        for (; status == QUIPU_OK && at < end; reading.number++) {
            const struct line line = take_line(&at, end);
            if (!keep_line(&reading, &line))
                status = quipu__no_memory(err, line.len);
        }
    }
    quipu__input_close(input);
    return status;
}

/* ---- Names of files ---- */

bool quipu__dumpi_rank_path(char *out, size_t size, const char *prefix, uint64_t rank, int width) {
    const int len = snprintf(out, size, "%s-%0*llu" SUFFIX, prefix, width, (unsigned long long)rank);
    return len >= 0 && (size_t)len < size;
}

bool quipu__dumpi_rank_in(const char *name, uint64_t *rank, size_t *prefix_len) {
    if (!quipu__ends_with(name, SUFFIX))
        return false;
    const size_t past = strlen(name) - strlen(SUFFIX);
    size_t first = past;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
        first--;
    *prefix_len = first > 0 ? first - 1 : 0;
    return first > 0 && name[first - 1] == '-' && quipu__parse_u64(name + first, past - first, rank) &&
           *rank < QUIPU__DUMPI_RANK_LIMIT;
}

/* ---- The files of a folder ---- */

#define WIDTHS 20 /* of numbers with up to 19 digits */

/* Counts of names, by the width to which numbers are padded. */
struct tally {
    const char *base; /* beginning of the names */
    size_t base_len;
    uint64_t limit; /* ranks from here on do not count */
    uint64_t found[WIDTHS], past[WIDTHS];
};

static size_t digits_of(uint64_t number) {
    size_t count = 1;
    for (; number >= 10; number /= 10)
        count++;
    return count;
}

/* A padded number counts for its width, others for all widths up to theirs. */
static enum quipu_status count_name(void *context, const char *name) {
    struct tally *tally = context;
    uint64_t rank;
    size_t len;
    if (!quipu__dumpi_rank_in(name, &rank, &len) || len != tally->base_len ||
        memcmp(name, tally->base, len) != 0 || rank >= tally->limit)
        return QUIPU_OK;
    const size_t width = strlen(name) - strlen(SUFFIX) - len - 1;
    for (size_t i = width == digits_of(rank) ? 0 : width; i <= width && i < WIDTHS; i++) {
        tally->found[i]++;
        if (rank >= tally->past[i])
            tally->past[i] = rank + 1;
    }
    return QUIPU_OK;
}

enum quipu_status quipu__dumpi_ranks_look(struct quipu__dumpi_ranks *ranks, const char *prefix, uint64_t limit,
                                          struct quipu__arena *arena, struct quipu_error *err) {
    static const int widths[] = {4, 5, 6, 7, 8, 9, 0, 2, 3};
    struct tally tally = {.base = quipu__base_name(prefix), .limit = limit ? limit : UINT64_MAX};
    const size_t len = (size_t)(tally.base - prefix);
    const char *folder = len > 0 ? quipu__arena_text(arena, prefix, len) : ".";
    *ranks = (struct quipu__dumpi_ranks){.width = widths[0]};
    if (!folder)
        return quipu__no_memory(err, len);
    tally.base_len = strlen(tally.base);
    const enum quipu_status status = quipu__stored_visit(arena->memory, folder, count_name, &tally, err);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const int width = widths[i];
        if (tally.found[width] > ranks->found)
            *ranks = (struct quipu__dumpi_ranks){tally.found[width], tally.past[width], width};
    }
    return status;
}
