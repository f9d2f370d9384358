/* support.c: lays an input out as files, calls the target for each format that takes it, and sees to it that
 * nothing is left behind. */
#include "support.h"
#include "container.h"
#include "folder.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What libotf2 does not give back when it cannot open a damaged file is its own, where leaks are looked for. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libopen-trace-format2";
}

#define RECORDS_PER_BYTE 64 /* more records or events than that come from no input */
#define HASH_SEED UINT64_C(0x9e3779b97f4a7c15)

/* ---- What is wrong ---- */

void fuzz_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("FUZZ: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (!getenv("QUIPU_FUZZ_SHOW"))
        fuzz_folder_remove_all();
    abort();
}

bool fuzz_worked(const char *what, enum quipu_status status, const struct quipu_error *err) {
    if (status == QUIPU_OK)
        return true;
    if (status != QUIPU_END && !err->message[0])
        fuzz_fail("%s: %s without a message", what, quipu_status_name(status));
    return false;
}

uint64_t fuzz_hash(const void *data, size_t size, uint64_t seed) {
    const uint8_t *bytes = data;
    uint64_t hash = seed ^ HASH_SEED;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

uint64_t fuzz_choose(const struct fuzz_case *fuzz, uint64_t what, uint64_t limit) {
    return limit ? fuzz_hash(&what, sizeof what, fuzz->choice) % limit : 0;
}

/* ---- Memory: what all handles of an input, and their threads, have at a time ---- */

static atomic_size_t memory_used;

/* The size of a block precedes it, since a wrong one on its release is a fault as well. */
union head {
    size_t size;
    max_align_t align;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    (void)context;
    union head *head = block ? (union head *)block - 1 : NULL;
    if (head && head->size != old_size)
        fuzz_fail("%zu bytes of memory are given back as %zu", head->size, old_size);
    const size_t released = head ? old_size : 0;
    const size_t used = atomic_fetch_add(&memory_used, size - released) + size - released;
    if (used > 3 * FUZZ_MEMORY_LIMIT)
        fuzz_fail("%zu bytes of memory are used at a time", used);
    if (size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, sizeof *head + size);
    if (!head)
        return NULL;
    head->size = size;
    return head + 1;
}

static const struct quipu_allocator allocator = {resize, NULL};

/* ---- Reading ---- */

struct quipu_reader *fuzz_open_with(const char *path, struct quipu_reader_options options) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    options.memory_limit = FUZZ_MEMORY_LIMIT;
    options.allocator = allocator;
    return fuzz_worked("open", quipu_reader_open(path, &options, &reader, &err), &err) ? reader : NULL;
}

struct quipu_reader *fuzz_open(const char *path, const struct quipu_format *format) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.format = format ? format->name : NULL;
    options.index = "";
    return fuzz_open_with(path, options);
}

struct quipu_reader *fuzz_open_written(const struct fuzz_case *fuzz, const char *path) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.format = fuzz->format->name;
    options.variant = fuzz->variant;
    options.index = "";
    return fuzz_open_with(path, options);
}

struct quipu_reader *fuzz_open_to_write(const struct fuzz_case *fuzz) {
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader || quipu_reader_definitions(reader)->locations.count < FUZZ_FILES / 2)
        return reader;
    quipu_reader_close(reader);
    return NULL;
}

void fuzz_digest_add(struct fuzz_digest *digest, uint64_t number) {
    digest->count++;
    digest->ordered = fuzz_hash(&number, sizeof number, digest->ordered);
    digest->unordered += number;
}

bool fuzz_same(const struct fuzz_digest *a, const struct fuzz_digest *b) {
    return a->count == b->count && a->ordered == b->ordered;
}

struct line {
    size_t used;
    char text[4096]; /* what is longer is cut */
};

static enum quipu_status line_write(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct line *line = context;
    const size_t room = sizeof line->text - line->used, len = size < room ? size : room;
    memcpy(line->text + line->used, data, len);
    line->used += len;
    (void)err;
    return QUIPU_OK;
}

/* With QUIPU_FUZZ_SHOW in the environment, what is compared can be read. */
static enum quipu_status hash_write(void *context, const void *data, size_t size, struct quipu_error *err) {
    uint64_t *hash = context;
    *hash = fuzz_hash(data, size, *hash);
    if (getenv("QUIPU_FUZZ_SHOW"))
        fwrite(data, 1, size, stderr);
    (void)err;
    return QUIPU_OK;
}

static void spend(const char *what, uint64_t *budget) {
    if ((*budget)-- == 0)
        fuzz_fail("%s do not end", what);
}

/* The text of a record behind its place, "STREAM:BYTE ". */
static uint64_t record_number(struct quipu_reader *reader, const struct quipu_record *record) {
    struct line line = {0, ""};
    const struct quipu_schema *schema = quipu_reader_format(reader)->schema;
    (void)quipu_record_write_text(schema, record, (struct quipu_sink){line_write, &line}, NULL);
    const char *space = memchr(line.text, ' ', line.used);
    const char *begin = space ? space : line.text;
    return fuzz_hash(begin, (size_t)(line.text + line.used - begin), 0);
}

struct fuzz_digest fuzz_records(struct quipu_reader *reader, size_t size) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_record record;
    struct fuzz_digest digest = {0, 0, 0, 0};
    uint64_t budget = (uint64_t)RECORDS_PER_BYTE * (size + 1000);
    enum quipu_status status;
    quipu_reader_rewind(reader);
    while ((status = quipu_reader_next_record(reader, &record, &err)) == QUIPU_OK) {
        spend("records", &budget);
        fuzz_digest_add(&digest, record_number(reader, &record));
    }
    fuzz_worked("records", status, &err);
    return digest;
}

struct fuzz_digest fuzz_events(struct quipu_reader *reader, size_t size, fuzz_filter_fn *passes,
                               const void *context) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_event event;
    struct fuzz_digest digest = {0, 0, 0, 0};
    uint64_t budget = (uint64_t)RECORDS_PER_BYTE * (size + 1000), of_locations[64] = {0};
    enum quipu_status status;
    quipu_reader_rewind(reader);
    while ((status = quipu_reader_next(reader, &event, &err)) == QUIPU_OK) {
        uint64_t hash = event.byte_offset;
        spend("events", &budget);
        if (passes && !passes(&event, context))
            continue;
        const struct quipu_sink sink = {hash_write, &hash};
        (void)quipu_event_write_text(quipu_reader_definitions(reader), &event, sink, NULL);
        fuzz_digest_add(&digest, hash);
        uint64_t *of_location = &of_locations[event.location % 64];
        *of_location = fuzz_hash(&hash, sizeof hash, *of_location);
    }
    for (size_t i = 0; i < 64; i++)
        digest.by_location += of_locations[i];
    fuzz_worked("events", status, &err);
    return digest;
}

uint64_t fuzz_tables(const struct quipu_table *const *tables, size_t count) {
    struct quipu_render_options options = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    uint64_t hash = 0;
    options.style = QUIPU_STYLE_CSV;
    fuzz_worked("tables",
                quipu_table_write(tables, count, &options, (struct quipu_sink){hash_write, &hash}, &err), &err);
    return hash;
}

struct fuzz_digest fuzz_findings(const struct quipu_findings *findings) {
    struct fuzz_digest digest = {0, 0, 0, 0};
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        char text[1000];
        quipu_finding_text(quipu_findings_at(findings, i), text, sizeof text);
        fuzz_digest_add(&digest, fuzz_hash(text, strlen(text), 0));
    }
    return digest;
}

static void take_findings(const struct quipu_findings *findings, struct fuzz_verdict *out) {
    out->errors = quipu_findings_total(findings, QUIPU_ERROR_FINDING);
    out->lost = quipu_findings_total(findings, QUIPU_DATA_LOSS);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (strcmp(finding->rule->id, "model.overlap") == 0)
            out->overlaps = true;
        if (strcmp(finding->rule->id, "W17") == 0 || strcmp(finding->rule->id, "OW01") == 0 ||
            strcmp(finding->rule->id, "otf.back-to-zero") == 0 ||
            strcmp(finding->rule->id, "otf.time-range") == 0)
            out->is_unordered = true;
        if (finding->rule->severity >= QUIPU_DATA_LOSS && !out->first[0])
            quipu_finding_text(finding, out->first, sizeof out->first);
    }
}

/* Closes the reader, which may be NULL. */
static struct fuzz_verdict check(struct quipu_reader *reader) {
    struct fuzz_verdict verdict = {.opened = false};
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_check_result result;
    if (!reader)
        return verdict;
    verdict.opened = true;
    verdict.complete = fuzz_worked("check", quipu_check(reader, NULL, &result, &err), &err);
    take_findings(quipu_reader_findings(reader), &verdict);
    if (verdict.complete && (result.verdict == QUIPU_VERDICT_REJECT) != (verdict.errors + verdict.lost > 0))
        fuzz_fail("check: the verdict does not follow from the findings");
    quipu_reader_close(reader);
    return verdict;
}

struct fuzz_verdict fuzz_check(const char *path, const struct quipu_format *format) {
    return check(fuzz_open(path, format));
}

struct fuzz_verdict fuzz_check_written(const struct fuzz_case *fuzz, const char *path) {
    return check(fuzz_open_written(fuzz, path));
}

bool fuzz_is_sound(const struct fuzz_verdict *verdict) {
    return verdict->complete && verdict->errors == 0 && verdict->lost == 0;
}

/* ---- Writing ---- */

static const char *out_folder(unsigned number) {
    static const char *const names[FUZZ_OUTPUTS] = {"out-0", "out-1", "out-2"};
    return fuzz_folder(names[number]);
}

const char *fuzz_out(unsigned number, const char *suffixes) {
    static char paths[FUZZ_OUTPUTS][200];
    snprintf(paths[number], sizeof paths[number], "%s/trace%.*s", out_folder(number),
             (int)strcspn(suffixes, " "), suffixes);
    return paths[number];
}

struct fuzz_digest fuzz_output(unsigned number) {
    static struct fuzz_listing listing;
    fuzz_folder_list(out_folder(number), &listing);
    for (size_t i = 0; i < listing.count; i++)
        if (strstr(listing.names[i], ".part"))
            fuzz_fail("%s is left behind", listing.names[i]);
    return fuzz_folder_digest(out_folder(number));
}

void fuzz_output_clear(unsigned number) {
    fuzz_folder_clear(out_folder(number));
}

void fuzz_output_empty(unsigned number, const char *what) {
    static struct fuzz_listing listing;
    fuzz_folder_list(out_folder(number), &listing);
    if (listing.count > 0)
        fuzz_fail("%s has failed, but %s is left behind", what, listing.names[0]);
}

struct quipu_writer_options fuzz_writer_options(const struct fuzz_case *fuzz) {
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    static const int levels[] = {0, 0, 0, 1, 6};
    static const struct quipu_setting spelled_out = {"long", "yes"};
    options.compression = fuzz->format->abilities & QUIPU_CAN_COMPRESS
                              ? levels[fuzz_choose(fuzz, 1, sizeof levels / sizeof *levels)]
                              : 0;
    options.settings = &spelled_out;
    options.setting_count = fuzz_choose(fuzz, 2, 4) == 0;
    options.streams = (uint32_t)fuzz_choose(fuzz, 3, 4);
    options.memory_limit = FUZZ_MEMORY_LIMIT;
    options.allocator = allocator;
    return options;
}

/* ---- Settings ---- */

enum { VALUE_BYTES = 40 };

static const char *const numbers[] = {"0", "1", "2", "7", "1000", "0.5", "4000000000", "1e30"};
static const char *const texts[] = {"*", "MPI_*", "1000", "late-sender", "all", "f=2", "5,1,2", "end"};
static const char *const times[] = {"0", "end", "1", "1000000000"};
static const char *const locations[] = {"0", "1", "0-1"};

#define ONE_OF(list, choice) (list)[(choice) % (sizeof(list) / sizeof *(list))]

/* One of the words of "location|region". */
static void choose_word(const char *words, uint64_t choice, char *out) {
    uint64_t count = 1;
    for (const char *at = words; *at; at++)
        count += *at == '|';
    for (choice %= count; choice > 0; choice--)
        words = strchr(words, '|') + 1;
    snprintf(out, VALUE_BYTES, "%.*s", (int)strcspn(words, "|"), words);
}

static void choose_value(const struct quipu_option *option, uint64_t choice, char *out) {
    const char *value = "yes";
    switch (option->kind) {
    case QUIPU_OPTION_CHOICE:
        choose_word(option->argument, choice, out);
        return;
    case QUIPU_OPTION_NUMBER:
    case QUIPU_OPTION_SIZE:
        value = ONE_OF(numbers, choice);
        break;
    case QUIPU_OPTION_TIME:
        value = ONE_OF(times, choice);
        break;
    case QUIPU_OPTION_LOCATIONS:
        value = ONE_OF(locations, choice);
        break;
    case QUIPU_OPTION_TEXT:
        value = ONE_OF(texts, choice);
        break;
    case QUIPU_OPTION_FLAG:
        break;
    }
    snprintf(out, VALUE_BYTES, "%s", value);
}

size_t fuzz_settings(const struct fuzz_case *fuzz, const struct quipu_analysis *analysis,
                     struct quipu_setting settings[FUZZ_SETTINGS]) {
    static char values[FUZZ_SETTINGS][VALUE_BYTES];
    const uint64_t seed = fuzz_hash(analysis->name, strlen(analysis->name), 1) & UINT32_MAX;
    size_t count = 0;
    if (fuzz_choose(fuzz, 30, 2) == 0)
        return 0;
    for (size_t i = 0; i < analysis->option_count && count < FUZZ_SETTINGS; i++) {
        if (fuzz_choose(fuzz, seed + 2 * i, 3) > 0)
            continue;
        choose_value(&analysis->options[i], fuzz_choose(fuzz, seed + 2 * i + 1, UINT32_MAX), values[count]);
        settings[count] = (struct quipu_setting){analysis->options[i].name, values[count]};
        count++;
    }
    return count;
}

/* ---- An input ---- */

static void lay_out(const char *folder, const struct fuzz_container *container) {
    for (size_t i = 0; i < container->count; i++)
        fuzz_folder_write(folder, container->members[i].name, container->members[i].data,
                          container->members[i].size);
}

/* The files of the input are as they were, and there is nothing else. */
static void expect_inputs(const char *folder, const struct fuzz_digest *before) {
    const struct fuzz_digest after = fuzz_folder_digest(folder);
    if (!fuzz_same(before, &after))
        fuzz_fail("the folder of the input has %u files in place of %u, or others", (unsigned)after.count,
                  (unsigned)before->count);
}

static void run_format(struct fuzz_case *fuzz, const struct quipu_format *format) {
    char variant[64];
    struct quipu_reader *reader =
        format->abilities & QUIPU_READS_VARIANTS ? fuzz_open(fuzz->path, format) : NULL;
    fuzz->format = format;
    fuzz->variant = reader ? variant : NULL;
    if (reader) {
        snprintf(variant, sizeof variant, "%s", quipu_reader_variant(reader));
        quipu_reader_close(reader);
    }
    fuzz_trace(fuzz);
    for (unsigned i = 0; i < FUZZ_OUTPUTS; i++)
        fuzz_output_clear(i);
}

/* The format that recognises the input; if none does, each in turn. */
static void run_formats(struct fuzz_case *fuzz) {
    const struct quipu_format *format;
    enum quipu_score score;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (fuzz_worked("probe", quipu_probe(fuzz->path, &format, &score, &err), &err)) {
        run_format(fuzz, format);
        return;
    }
    for (size_t i = 0; i < quipu_format_count(); i++)
        if (quipu_format_at(i)->abilities & QUIPU_CAN_READ)
            run_format(fuzz, quipu_format_at(i));
}

/* A trace has a file for each rank up to the highest that a name says, so a name of few bytes can ask for millions. */
static bool asks_for_many_files(const struct fuzz_container *container) {
    for (size_t i = 0; i < container->count; i++)
        for (const char *at = container->members[i].name; *at; at++)
            if (strspn(at, "0123456789") > 2 && strtoul(at, NULL, 10) >= FUZZ_FILES / 2)
                return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_container container;
    char path[200];
    const char *folder = fuzz_folder("in");
    fuzz_container_parse(data, size, &container);
    if (asks_for_many_files(&container))
        return 0;
    const bool is_folder = strcmp(container.members[0].name, ".") == 0;
    snprintf(path, sizeof path, "%s%s%s", folder, is_folder ? "" : "/",
             is_folder ? "" : container.members[0].name);
    fuzz_folder_clear(folder);
    lay_out(folder, &container);
    const struct fuzz_digest before = fuzz_folder_digest(folder);
    struct fuzz_case fuzz = {path, folder, NULL, NULL, size, fuzz_hash(data, size, 1)};
    run_formats(&fuzz);
    expect_inputs(folder, &before);
    if (atomic_load(&memory_used) > 0)
        fuzz_fail("%zu bytes of memory are not given back", atomic_load(&memory_used));
    return 0;
}
