/* test_sweep.c: every small trace of tests/data/sweep, with its files cut at every byte and damaged in every
 * byte: reading ends, a failure says what is wrong, damage in one file costs no record of another, and a cut costs no
 * record of an event before it.
 *
 * A folder there is a trace; its file with the shortest name that a format recognises is the one to open.
 */
#include "harness.h"

#include "core/memory/map.h"
#include "formats/descriptor.h"
#include "schema/schema.h"

#include <dirent.h>
#include <inttypes.h>
#include <sys/stat.h>

enum { FILES_MOST = 16, STREAMS_MOST = 16, RECORDS_MOST = 4096 };

struct sweep_file {
    const char *name;
    char *data;
    size_t size;
};

/* What reading gives. */
struct reading {
    enum quipu_status opened;
    uint32_t stream_count;
    uint64_t records[STREAMS_MOST];
    uint64_t event_records[STREAMS_MOST]; /* those that can make events */
    uint64_t findings;
    uint64_t checked; /* records that check says it has read */
};

struct sweep {
    const char *name;
    const char *folder; /* a copy that may be damaged */
    const char *opened; /* path to open */
    const char *format;
    const char *variant; /* where a damaged header does not say it; NULL: the format needs none */
    struct sweep_file files[FILES_MOST];
    size_t file_count;
    struct reading whole;
    uint32_t file_of[STREAMS_MOST];           /* of each stream; QUIPU_NONE when it is none of its own */
    uint64_t end[STREAMS_MOST][RECORDS_MOST]; /* where each event record ends: where the next record begins */
};

/* ---- Reading ---- */

static bool makes_events(const struct quipu_reader *reader, const struct quipu_record *record) {
    const struct quipu__format *format = quipu__format_find(quipu_reader_format(reader)->name);
    return format->reading->mapping((uint32_t)(record->type - format->info.schema->types))->kinds != 0;
}

/* Counts a record; keep notes where the one before it in the stream ends. */
static void count_record(struct reading *out, const struct quipu_record *record, bool is_event,
                         struct sweep *noted) {
    const uint32_t s = record->stream;
    assert_true(s < STREAMS_MOST);
    for (uint64_t i = out->event_records[s]; noted && i-- > 0 && noted->end[s][i] == QUIPU_UNKNOWN;)
        noted->end[s][i] = record->byte_offset;
    out->records[s]++;
    if (!is_event)
        return;
    assert_true(!noted || out->event_records[s] < RECORDS_MOST);
    if (noted)
        noted->end[s][out->event_records[s]] = QUIPU_UNKNOWN;
    out->event_records[s]++;
}

static void read_records(struct quipu_reader *reader, struct reading *out, struct sweep *noted,
                         uint64_t budget) {
    struct quipu_record record;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status;
    while ((status = quipu_reader_next_record(reader, &record, &err)) == QUIPU_OK) {
        count_record(out, &record, makes_events(reader, &record), noted);
        assert_true(budget-- > 0);
    }
    assert_true(status == QUIPU_END || err.message[0] != '\0');
}

static void read_events(struct quipu_reader *reader, uint64_t budget) {
    struct quipu_event event;
    quipu_reader_rewind(reader);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        assert_true(--budget > 0);
}

static uint64_t count_findings(const struct quipu_findings *findings) {
    return quipu_findings_total(findings, QUIPU_NOTICE) + quipu_findings_total(findings, QUIPU_DATA_LOSS) +
           quipu_findings_total(findings, QUIPU_ERROR_FINDING);
}

/* Reads the trace in all ways; keep notes what is needed of the undamaged one. */
static struct reading read_trace(struct sweep *sweep, bool keeps) {
    struct reading reading = {.opened = QUIPU_OK};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_check_result result = {QUIPU_VERDICT_REJECT, 0};
    struct quipu_reader *reader;
    uint64_t budget = 1000;
    for (size_t i = 0; i < sweep->file_count; i++)
        budget += 64 * sweep->files[i].size;
    options.format = sweep->format;
    options.variant = sweep->variant;
    reading.opened = quipu_reader_open(sweep->opened, &options, &reader, &err);
    if (reading.opened != QUIPU_OK) {
        assert_true(err.message[0] != '\0');
        return reading;
    }
    reading.stream_count = quipu_reader_stream_count(reader);
    read_records(reader, &reading, keeps ? sweep : NULL, budget);
    reading.findings = count_findings(quipu_reader_findings(reader));
    read_events(reader, budget);
    (void)quipu_check(reader, NULL, &result, NULL);
    reading.checked = result.records;
    for (uint32_t s = 0; keeps && s < reading.stream_count && s < STREAMS_MOST; s++) {
        const char *path = quipu_reader_stream_at(reader, s)->path;
        sweep->file_of[s] = QUIPU_NONE;
        for (uint32_t i = 0; i < sweep->file_count; i++)
            if (strcmp(path + strlen(path) - strlen(sweep->files[i].name), sweep->files[i].name) == 0)
                sweep->file_of[s] = i;
    }
    quipu_reader_close(reader);
    return reading;
}

/* ---- Traces ---- */

static int by_name(const void *left, const void *right) {
    const struct sweep_file *a = left, *b = right;
    const size_t a_len = strlen(a->name), b_len = strlen(b->name);
    if (a_len != b_len)
        return a_len < b_len ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void load_files(struct sweep *sweep, const char *folder) {
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        assert_true(sweep->file_count < FILES_MOST);
        struct sweep_file *file = &sweep->files[sweep->file_count++];
        file->name = harness_text("%s", entry->d_name);
        file->data = harness_read(harness_text("%s/%s", folder, file->name), &file->size);
        harness_write(harness_text("%s/%s", sweep->folder, file->name), file->data, file->size);
    }
    closedir(directory);
    qsort(sweep->files, sweep->file_count, sizeof *sweep->files, by_name);
}

static void load_trace(struct sweep *sweep, const char *folder) {
    const struct quipu_format *format = NULL;
    enum quipu_score score;
    memset(sweep, 0, sizeof *sweep);
    sweep->folder = harness_folder();
    load_files(sweep, folder);
    for (size_t i = 0; i < sweep->file_count && !format; i++) {
        sweep->opened = harness_text("%s/%s", sweep->folder, sweep->files[i].name);
        if (quipu_probe(sweep->opened, &format, &score, NULL) != QUIPU_OK || score < QUIPU_SCORE_LIKELY)
            format = NULL;
    }
    if (!format)
        fail_msg("no format recognises a file of %s", folder);
    sweep->format = format->name;
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(sweep->opened, NULL, &reader, NULL), QUIPU_OK);
    if (format->abilities & QUIPU_READS_VARIANTS)
        sweep->variant = harness_text("%s", quipu_reader_variant(reader));
    quipu_reader_close(reader);
    sweep->whole = read_trace(sweep, true);
    assert_int_equal(sweep->whole.opened, QUIPU_OK);
    assert_true(sweep->whole.stream_count > 0 && sweep->whole.stream_count <= STREAMS_MOST);
}

/* ---- Damage ---- */

/* Whether a file holds one stream and nothing that concerns others. */
static bool is_stream_alone(const struct sweep *sweep, uint32_t file) {
    struct quipu_reader *reader;
    bool is_alone = false;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.format = sweep->format;
    options.variant = sweep->variant;
    assert_int_equal(quipu_reader_open(sweep->opened, &options, &reader, NULL), QUIPU_OK);
    for (uint32_t s = 0; s < sweep->whole.stream_count; s++)
        if (sweep->file_of[s] == file)
            is_alone = quipu_reader_stream_at(reader, s)->kind == QUIPU_STREAM_EVENTS;
    quipu_reader_close(reader);
    return is_alone;
}

/* The files to damage: of those that hold one stream each the first, since the others are like it. */
static bool is_swept(const struct sweep *sweep, uint32_t file) {
    for (uint32_t i = 0; i < file; i++)
        if (is_stream_alone(sweep, i) && is_stream_alone(sweep, file))
            return false;
    return true;
}

/* Records of the other streams are all there. */
static void assert_others_whole(const struct sweep *sweep, const struct reading *reading, uint32_t file) {
    assert_int_equal(reading->opened, QUIPU_OK);
    for (uint32_t s = 0; s < sweep->whole.stream_count; s++)
        if (sweep->file_of[s] != file)
            assert_int_equal(reading->records[s], sweep->whole.records[s]);
}

/* Records of events that end before the cut are all there. */
static void assert_beginning_whole(const struct sweep *sweep, const struct reading *reading, uint32_t file,
                                   size_t cut) {
    for (uint32_t s = 0; s < sweep->whole.stream_count; s++) {
        uint64_t before = 0;
        if (sweep->file_of[s] != file)
            continue;
        while (before < sweep->whole.event_records[s] && sweep->end[s][before] <= cut)
            before++;
        if (reading->event_records[s] < before)
            fail_msg("%s cut at %zu: %llu records, %llu end before the cut", sweep->files[file].name, cut,
                     (unsigned long long)reading->event_records[s], (unsigned long long)before);
    }
}

static bool is_compressed(const struct sweep_file *file) {
    const char *dot = strrchr(file->name, '.');
    return dot && (strcmp(dot, ".z") == 0 || strcmp(dot, ".gz") == 0);
}

/* Puts a file in the place of another. Removing it first spares the file system the care that it takes of files which
 * are overwritten: the sweep is four times as fast. */
static void replace_file(const char *path, const void *data, size_t size) {
    remove(path);
    harness_write(path, data, size);
}

static void sweep_cuts(struct sweep *sweep) {
    for (uint32_t i = 0; i < sweep->file_count; i++) {
        const struct sweep_file *file = &sweep->files[i];
        const char *path = harness_text("%s/%s", sweep->folder, file->name);
        const bool is_alone = is_stream_alone(sweep, i);
        if (!is_swept(sweep, i))
            continue;
        for (size_t cut = 0; cut < file->size; cut++) {
            replace_file(path, file->data, cut);
            const struct reading reading = read_trace(sweep, false);
            if (is_alone)
                assert_others_whole(sweep, &reading, i);
            if (is_alone && !is_compressed(file))
                assert_beginning_whole(sweep, &reading, i, cut);
        }
        replace_file(path, file->data, file->size);
    }
}

static void sweep_flips(struct sweep *sweep) {
    for (uint32_t i = 0; i < sweep->file_count; i++) {
        const struct sweep_file *file = &sweep->files[i];
        const char *path = harness_text("%s/%s", sweep->folder, file->name);
        const bool is_alone = is_stream_alone(sweep, i);
        if (!is_swept(sweep, i))
            continue;
        for (size_t offset = 0; offset < file->size; offset++) {
            const char remembered = file->data[offset];
            file->data[offset] = (char)(remembered ^ (offset % 2 ? 0xff : 1 << offset / 2 % 8));
            replace_file(path, file->data, file->size);
            file->data[offset] = remembered;
            const struct reading reading = read_trace(sweep, false);
            if (is_alone)
                assert_others_whole(sweep, &reading, i);
        }
        replace_file(path, file->data, file->size);
    }
}

/* ---- Salvage ---- */

/* Records of all streams, each as a number made of its place, its state and its fields. */
struct salvage {
    uint64_t records[STREAMS_MOST * RECORDS_MOST];
    size_t count;
};

static void keep_record(struct salvage *salvage, const struct quipu_reader *reader,
                        const struct quipu_record *record) {
    struct quipu__memory memory;
    struct quipu__buffer text;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&text, &memory, 0);
    quipu__put_format(&text, "%" PRIu32 " %s ", record->stream, record->type->name);
    quipu__print_json_fields(quipu_reader_format(reader)->schema, record, &text);
    assert_true(salvage->count < STREAMS_MOST * RECORDS_MOST);
    salvage->records[salvage->count++] = quipu__hash(text.data, text.len, 1);
    quipu__buffer_release(&text);
}

static int by_number(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void read_salvage(const struct sweep *sweep, struct salvage *out) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_record record;
    out->count = 0;
    options.format = sweep->format;
    options.variant = sweep->variant;
    if (quipu_reader_open(sweep->opened, &options, &reader, NULL) != QUIPU_OK)
        return;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        keep_record(out, reader, &record);
    quipu_reader_close(reader);
    qsort(out->records, out->count, sizeof *out->records, by_number);
}

/* How many of the records are not in what is left. Both are sorted. */
static uint64_t count_lost(const struct salvage *whole, const struct salvage *left) {
    uint64_t lost = 0;
    for (size_t i = 0, k = 0; i < whole->count; i++) {
        while (k < left->count && left->records[k] < whole->records[i])
            k++;
        const bool is_there = k < left->count && left->records[k] == whole->records[i];
        lost += !is_there;
        k += is_there;
    }
    return lost;
}

enum { BINS = 7 };
static const struct bin {
    const char *name;
    uint64_t most;
} bins[BINS] = {{"0", 0}, {"1", 1}, {"2", 2}, {"3-5", 5}, {"6-20", 20}, {"21-100", 100}, {"more", UINT64_MAX}};

struct histogram {
    uint64_t run_count, lost, most, bins[BINS];
};

static void count_run(struct histogram *histogram, uint64_t lost) {
    size_t bin = 0;
    while (lost > bins[bin].most)
        bin++;
    histogram->bins[bin]++;
    histogram->run_count++;
    histogram->lost += lost;
    histogram->most = lost > histogram->most ? lost : histogram->most;
}

/* Damage of each byte by itself, one bit of it and all in turn. */
static void salvage_flips(struct sweep *sweep, const struct salvage *whole, struct histogram *histogram) {
    static struct salvage left;
    for (uint32_t i = 0; i < sweep->file_count; i++) {
        const struct sweep_file *file = &sweep->files[i];
        const char *path = harness_text("%s/%s", sweep->folder, file->name);
        if (!is_swept(sweep, i))
            continue;
        for (size_t offset = 0; offset < file->size; offset++) {
            const char remembered = file->data[offset];
            file->data[offset] = (char)(remembered ^ (offset % 2 ? 0xff : 1 << offset / 2 % 8));
            replace_file(path, file->data, file->size);
            file->data[offset] = remembered;
            read_salvage(sweep, &left);
            count_run(histogram, count_lost(whole, &left));
        }
        replace_file(path, file->data, file->size);
    }
}

/* One byte that is missing from the middle, so that all behind it stand one place to the left. */
static void salvage_gaps(struct sweep *sweep, const struct salvage *whole, struct histogram *histogram) {
    static struct salvage left;
    for (uint32_t i = 0; i < sweep->file_count; i++) {
        const struct sweep_file *file = &sweep->files[i];
        const char *path = harness_text("%s/%s", sweep->folder, file->name);
        char *data = malloc(file->size + 1);
        assert_non_null(data);
        for (size_t offset = 0; is_swept(sweep, i) && offset < file->size; offset++) {
            memcpy(data, file->data, offset);
            memcpy(data + offset, file->data + offset + 1, file->size - offset - 1);
            replace_file(path, data, file->size - 1);
            read_salvage(sweep, &left);
            count_run(histogram, count_lost(whole, &left));
        }
        free(data);
        replace_file(path, file->data, file->size);
    }
}

/* The most records that one damaged byte may cost, and thousandths of a record on average. Compressed text cannot be entered
 * behind the damage before the next full flush. */
static const struct ceiling {
    const char *trace, *damage;
    uint64_t most, mean;
} ceilings[] = {
    {"otf", "flipped", 36, 1100},
    {"otf", "taken out", 37, 1100},
    {"otf-compressed", "flipped", 40, 4000},
    {"otf-compressed", "taken out", 40, 4200},
    {"dumpi", "flipped", 42, 1200},
    {"dumpi", "taken out", 42, 4200},
    {"picl", "flipped", 8, 1200},
    {"picl", "taken out", 8, 1200},
    {"paraver", "flipped", 2, 1000},
    {"paraver", "taken out", 2, 1100},
    /* nothing is framed: behind an unknown type nothing is read, but by a repair */
    {"charisma", "flipped", 28, 1000},
    {"charisma", "taken out", 28, 20000},
    /* nothing is framed, and every byte may begin an event */
    {"ovni", "flipped", 25, 2000},
    {"ovni", "taken out", 25, 25000},
};

/* QUIPU_SALVAGE names a file that gets the rows of the table in bench/README.md. */
static void report_salvage(const char *trace, const char *damage, const struct salvage *whole,
                           const struct histogram *histogram) {
    const char *path = getenv("QUIPU_SALVAGE");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out)
        return;
    fprintf(out, "| %s | %s | %zu | %" PRIu64, trace, damage, whole->count, histogram->run_count);
    for (size_t i = 0; i < BINS; i++)
        fprintf(out, " | %" PRIu64, histogram->bins[i]);
    fprintf(out, " | %.3f | %" PRIu64 " |\n", (double)histogram->lost / (double)histogram->run_count,
            histogram->most);
    fclose(out);
}

static void assert_below_ceiling(const char *trace, const char *damage, const struct histogram *histogram) {
    for (size_t i = 0; i < sizeof ceilings / sizeof *ceilings; i++) {
        const struct ceiling *ceiling = &ceilings[i];
        if (strcmp(ceiling->trace, trace) != 0 || strcmp(ceiling->damage, damage) != 0)
            continue;
        if (histogram->most > ceiling->most || 1000 * histogram->lost > ceiling->mean * histogram->run_count)
            fail_msg("%s, a byte %s: %" PRIu64 " records lost at most, %" PRIu64 " of %" PRIu64 " in all",
                     trace, damage, histogram->most, histogram->lost, histogram->run_count);
        return;
    }
    fail_msg("%s has no ceiling", trace);
}

static void salvage_trace(struct sweep *sweep) {
    static struct salvage whole;
    static const struct mode {
        const char *damage;
        void (*act)(struct sweep *sweep, const struct salvage *whole, struct histogram *histogram);
    } modes[] = {{"flipped", salvage_flips}, {"taken out", salvage_gaps}};
    read_salvage(sweep, &whole);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct histogram histogram = {0, 0, 0, {0}};
        modes[i].act(sweep, &whole, &histogram);
        report_salvage(sweep->name, modes[i].damage, &whole, &histogram);
        assert_below_ceiling(sweep->name, modes[i].damage, &histogram);
    }
}

/* ---- All traces ---- */

static void for_each_trace(void (*act)(struct sweep *sweep)) {
    static struct sweep sweep;
    const char *root = harness_data("sweep");
    DIR *directory = opendir(root);
    const struct dirent *entry;
    size_t count = 0;
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        const char *folder = harness_text("%s/%s", root, entry->d_name);
        struct stat status;
        if (entry->d_name[0] == '.' || stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
            continue;
        load_trace(&sweep, folder);
        sweep.name = harness_text("%s", entry->d_name);
        act(&sweep);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
}

static void assert_sound(struct sweep *sweep) {
    uint64_t records = 0;
    assert_int_equal(sweep->whole.findings, 0);
    for (uint32_t s = 0; s < sweep->whole.stream_count; s++)
        assert_true(sweep->whole.records[s] > 0);
    for (uint32_t s = 0; s < sweep->whole.stream_count; s++)
        records += sweep->whole.records[s];
    assert_int_equal(sweep->whole.checked, records); /* a pass over events counts all records too */
}

static void test_sweep_traces_are_sound(void **state) {
    (void)state;
    for_each_trace(assert_sound);
}

static void test_sweep_files_cut_at_every_byte(void **state) {
    (void)state;
    for_each_trace(sweep_cuts);
}

static void test_sweep_files_damaged_in_every_byte(void **state) {
    (void)state;
    for_each_trace(sweep_flips);
}

static void test_sweep_a_damaged_byte_costs_few_records(void **state) {
    (void)state;
    for_each_trace(salvage_trace);
}

QUIPU_TESTS(cmocka_unit_test(test_sweep_traces_are_sound), cmocka_unit_test(test_sweep_files_cut_at_every_byte),
            cmocka_unit_test(test_sweep_files_damaged_in_every_byte),
            cmocka_unit_test(test_sweep_a_damaged_byte_costs_few_records))
