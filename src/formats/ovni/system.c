/* system.c: looms, processes, threads and CPUs from the metadata of all streams, and their order.
 *
 *     streams by name ─▶ thread, process and loom of each ─▶ CPUs of the looms ─▶ looms by rank or name, processes by rank or pid,
 *     threads by tid, CPUs by their number in the operating system ─▶ numbers */
#include "formats/ovni/system.h"

#include "core/memory/map.h"
#include "core/real.h"
#include "core/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Findings ---- */

QUIPU_PRINTF(6, 7)
static void system_find(struct quipu__ovni_system *system, enum quipu__ovni_rule rule, const char *file,
                        const char *field, const char *expected, const char *found, ...) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[300];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    where.file = file;
    where.field = field;
    system->errors += quipu__ovni_is_error(rule);
    quipu__find(system->files->findings, &quipu__ovni_rules[rule], &where, expected, "%s", text);
}

/* ---- Offsets of clocks ---- */

/* The table of clock offsets: a heading, then a line for each host:
 *
 *     rank       hostname             offset_median        offset_mean          offset_std
 *     0          node1                0                    0.000000             0.000000
 */

struct table {
    struct quipu__ovni_system *system;
    const char *path;
    bool has_ended; /* a blank line ended it */
};

static void fault(const struct table *table, const char *expected, const char *found) {
    table->system->offset_faults++;
    system_find(table->system, QUIPU__OVNI_RULE_OFFSETS, table->path, "", expected, "%s", found);
}

/* An entry applies to all looms of a host. */
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
        system_find(system, QUIPU__OVNI_RULE_OFFSETS, table->path, "hostname", "the host of a loom", "%.*s",
                    (int)len, host);
    system->offset_count++;
}

/* rank, host, median, mean and deviation; what follows is ignored. */
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
        const double number = quipu__read_real(next, &end);
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

/* Loads the table of clock offsets. */
static enum quipu_status load_offsets(struct quipu__ovni_system *system, const char *path,
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

/* What metadata define for all threads of a trace: types of marks with the labels of their values, and hardware
 * counters. */

/* ---- Marks ---- */

struct mark_source {
    struct quipu__ovni_system *system;
    const struct quipu__ovni_stream *stream;
    uint32_t type;
};

static void mark_fault(const struct mark_source *source, const char *expected, const char *found) {
    char field[40];
    snprintf(field, sizeof field, "ovni.mark.%u", source->type);
    system_find(source->system, QUIPU__OVNI_RULE_MARK, source->stream->metadata_path, field, expected, "%s",
                found);
}

static void mark_release(struct quipu__ovni_system *system, struct quipu__ovni_mark *mark) {
    if (mark->kind == QUIPU__OVNI_MARK_NONE)
        return;
    quipu__map_release(&mark->label_of);
    QUIPU__VEC_RELEASE(system->memory, &mark->labels);
}

static void define_label(const struct mark_source *source, int64_t value, const char *text) {
    struct quipu__ovni_mark *mark = &source->system->marks[source->type];
    const uint32_t known = quipu__map_get(&mark->label_of, (uint64_t)value);
    if (known != QUIPU_NONE) {
        if (strcmp(mark->labels.items[known].text, text) != 0)
            mark_fault(source, mark->labels.items[known].text, text);
        return;
    }
    struct quipu__ovni_label *label = QUIPU__VEC_ADD(source->system->memory, &mark->labels);
    if (!label)
        return;
    *label = (struct quipu__ovni_label){value, text};
    quipu__gate_knows(quipu__map_put(&mark->label_of, (uint64_t)value, (uint32_t)(mark->labels.count - 1)));
}

static void define_labels(const struct mark_source *source, const json_t *labels) {
    json_t *object = (json_t *)labels, *member;
    const char *key;
    json_object_foreach(object, key, member) {
        const char *text = json_string_value(member);
        int64_t value;
        if (!text || strlen(text) > QUIPU__OVNI_LABEL_MOST)
            mark_fault(source, "labels of at most 511 bytes", text ? "a longer one" : "no text");
        else if (!quipu__parse_i64(key, strlen(key), &value))
            mark_fault(source, "a number", key);
        else
            define_label(source, value, text);
    }
}

static void define_mark(const struct mark_source *source, const json_t *definition) {
    struct quipu__ovni_system *system = source->system;
    struct quipu__ovni_mark *mark = &system->marks[source->type];
    const char *title = json_string_value(json_object_get(definition, "title"));
    const char *kind = json_string_value(json_object_get(definition, "chan_type"));
    const bool is_stack = kind && strcmp(kind, "stack") == 0;
    if (!title || strlen(title) > QUIPU__OVNI_LABEL_MOST) {
        mark_fault(source, "a title of at most 511 bytes", title ? "a longer one" : "none");
    } else if (!kind || (!is_stack && strcmp(kind, "single") != 0)) {
        mark_fault(source, "chan_type single or stack", kind ? kind : "none");
    } else if (mark->kind == QUIPU__OVNI_MARK_NONE) {
        quipu__map_init(&mark->label_of, system->memory);
        mark->kind = is_stack ? QUIPU__OVNI_MARK_STACK : QUIPU__OVNI_MARK_SINGLE;
        mark->title = title;
        system->mark_order[system->mark_count++] = (uint8_t)source->type;
    } else if (strcmp(mark->title, title) != 0) {
        mark_fault(source, mark->title, title);
    } else if ((mark->kind == QUIPU__OVNI_MARK_STACK) != is_stack) {
        mark_fault(source, is_stack ? "single" : "stack", kind);
    }
    if (mark->kind != QUIPU__OVNI_MARK_NONE)
        define_labels(source, json_object_get(definition, "labels"));
}

/* Regions of another format became marks: turns them into regions again. */
static void load_region_mark(struct quipu__ovni_system *system, const json_t *metadata) {
    int64_t type;
    if (quipu__ovni_json_integer(json_object_get(metadata, QUIPU__OVNI_OWN_KEY), QUIPU__OVNI_REGION_MARK_KEY,
                                 &type) &&
        type >= 0 && type < QUIPU__OVNI_MARK_TYPES && system->marks[type].kind == QUIPU__OVNI_MARK_STACK)
        system->region_mark = (uint32_t)type + 1;
}

/* Types of marks, their labels, and hardware counters in a stream's metadata. */
static void load_marks(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    json_t *marks = (json_t *)quipu__ovni_json_at(stream->metadata, "ovni.mark"), *definition;
    const char *key;
    json_object_foreach(marks, key, definition) {
        struct mark_source source = {system, stream, 0};
        uint64_t type;
        if (!quipu__parse_u64(key, strlen(key), &type) || type >= QUIPU__OVNI_MARK_TYPES) {
            mark_fault(&source, "a type from 0 to 99", key);
            continue;
        }
        source.type = (uint32_t)type;
        define_mark(&source, definition);
    }
    load_region_mark(system, stream->metadata);
}

/* ---- Correcting marks ---- */

static bool is_known_label(const struct quipu__ovni_mark *mark, const char *key, const json_t *label) {
    const char *text = json_string_value(label);
    int64_t value;
    if (!text || !quipu__parse_i64(key, strlen(key), &value))
        return false;
    const uint32_t number = quipu__map_get(&mark->label_of, (uint64_t)value);
    return number != QUIPU_NONE && strcmp(mark->labels.items[number].text, text) == 0;
}

/* NULL: the definition is not valid, or another came first. */
static const struct quipu__ovni_mark *known_mark(const struct quipu__ovni_system *system, const char *key,
                                                 const json_t *definition) {
    static const char *const kinds[] = {
        [QUIPU__OVNI_MARK_STACK] = "stack", [QUIPU__OVNI_MARK_SINGLE] = "single"};
    const char *title = json_string_value(json_object_get(definition, "title"));
    const char *kind = json_string_value(json_object_get(definition, "chan_type"));
    uint64_t type;
    if (!title || !kind || !quipu__parse_u64(key, strlen(key), &type) || type >= QUIPU__OVNI_MARK_TYPES)
        return NULL;
    const struct quipu__ovni_mark *mark = &system->marks[type];
    const bool is_same = mark->kind != QUIPU__OVNI_MARK_NONE && strcmp(mark->title, title) == 0 &&
                         strcmp(kinds[mark->kind], kind) == 0;
    return is_same ? mark : NULL;
}

static uint64_t correct_labels(const struct quipu__ovni_mark *mark, json_t *labels) {
    json_t *label;
    const char *key;
    void *next;
    uint64_t removed = 0;
    json_object_foreach_safe(labels, next, key, label) {
        if (is_known_label(mark, key, label))
            continue;
        json_object_del(labels, key);
        removed++;
    }
    return removed;
}

uint64_t quipu__ovni_correct_marks(const struct quipu__ovni_system *system, json_t *marks) {
    json_t *definition;
    const char *key;
    void *next;
    uint64_t removed = 0;
    json_object_foreach_safe(marks, next, key, definition) {
        const struct quipu__ovni_mark *mark = known_mark(system, key, definition);
        if (mark) {
            removed += correct_labels(mark, json_object_get(definition, "labels"));
            continue;
        }
        json_object_del(marks, key);
        removed++;
    }
    return removed;
}

/* ---- Hardware counters ---- */

static void load_counters(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    const json_t *counters = quipu__ovni_json_at(stream->metadata, "nosv.hwc");
    const size_t count = json_object_size(counters);
    if (!json_is_object(counters) || count == 0)
        return;
    const bool is_first = system->counter_count == 0;
    if (count > QUIPU__OVNI_COUNTERS_MOST || (!is_first && count != system->counter_count)) {
        system_find(system, QUIPU__OVNI_RULE_COUNTERS, stream->metadata_path, "nosv.hwc",
                    "the same number in all threads, at most 100", "%zu", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const char *name = json_string_value(json_object_get(json_object_get(counters, key), "name"));
        if (!name)
            system_find(system, QUIPU__OVNI_RULE_COUNTERS, stream->metadata_path, "nosv.hwc",
                        "names of counters 0, 1 and so on", "none of counter %zu", i);
        if (is_first)
            system->counters[i] = name ? name : "";
    }
    system->counter_count = (uint32_t)count;
}

/* ---- Building ---- */

struct build {
    struct quipu__ovni_system *system;
    const struct quipu__ovni_system_options *options;
    QUIPU__VEC(struct cpu_claim) claims;
    struct quipu__map loom_of, process_of; /* by hash of name, of loom and pid */
};

/* What metadata say about a CPU of a loom. */
struct cpu_claim {
    uint32_t loom;
    int64_t index, phyid;
};

static uint32_t find_loom(struct build *build, const char *name) {
    struct quipu__ovni_system *system = build->system;
    const uint64_t key = quipu__hash(name, strlen(name), build->loom_of.seed);
    const uint32_t known = quipu__map_get(&build->loom_of, key);
    if (known != QUIPU_NONE && strcmp(system->looms.items[known].name, name) == 0)
        return known;
    if (!QUIPU__VEC_PUT(
            system->memory, &system->looms,
            (struct quipu__ovni_loom){.name = name, .host_len = strcspn(name, "."), .rank = INT64_MAX}))
        return QUIPU_NONE;
    const uint32_t number = (uint32_t)system->looms.count - 1;
    return quipu__map_put(&build->loom_of, key, number) ? number : QUIPU_NONE;
}

static uint32_t find_process(struct build *build, uint32_t loom, int64_t pid) {
    struct quipu__ovni_system *system = build->system;
    const uint64_t words[] = {loom, (uint64_t)pid};
    const uint64_t key = quipu__hash(words, sizeof words, build->process_of.seed);
    const uint32_t known = quipu__map_get(&build->process_of, key);
    const struct quipu__ovni_process *found = known != QUIPU_NONE ? &system->processes.items[known] : NULL;
    if (found && found->loom == loom && found->pid == pid)
        return known;
    if (!QUIPU__VEC_PUT(system->memory, &system->processes,
                        (struct quipu__ovni_process){.pid = pid, .loom = loom}))
        return QUIPU_NONE;
    const uint32_t number = (uint32_t)system->processes.count - 1;
    return quipu__map_put(&build->process_of, key, number) ? number : QUIPU_NONE;
}

/* A number that must be present and in a range. */
static bool need_number(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream,
                        const char *key, int64_t least, int64_t most, int64_t *out) {
    const bool is_there = quipu__ovni_json_integer(stream->metadata, key, out);
    if (is_there && *out >= least && *out <= most && *out != 0)
        return true;
    system_find(system, QUIPU__OVNI_RULE_KEY, stream->metadata_path, key,
                least > 0 ? "a number from 1 to 2147483647" : "a number other than 0 of 32 bits",
                is_there ? "%" PRId64 : "none", *out);
    return false;
}

static const char *need_text(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream,
                             const char *key) {
    const char *text = json_string_value(quipu__ovni_json_at(stream->metadata, key));
    if (!text)
        system_find(system, QUIPU__OVNI_RULE_KEY, stream->metadata_path, key, "a text", "none");
    return text;
}

/* ---- Processes ---- */

static void set_application(const struct build *build, const struct quipu__ovni_stream *stream,
                            struct quipu__ovni_process *process) {
    struct quipu__ovni_system *system = build->system;
    int64_t app_id;
    if (!quipu__ovni_json_integer(stream->metadata, "ovni.app_id", &app_id))
        return;
    const bool is_old = build->options->is_lenient && stream->layout != QUIPU__OVNI_LAYOUT_3;
    if (app_id < (is_old ? 0 : 1))
        system_find(system, QUIPU__OVNI_RULE_APPLICATION, stream->metadata_path, "ovni.app_id", "above 0",
                    "%" PRId64, app_id);
    else if (process->app_id && process->app_id != app_id)
        system_find(system, QUIPU__OVNI_RULE_APPLICATION, stream->metadata_path, "ovni.app_id",
                    "that of the process's other threads", "%" PRId64, app_id);
    else
        process->app_id = app_id;
}

static void rank_fault(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream, int64_t rank,
                       int64_t count, const char *expected) {
    system_find(system, QUIPU__OVNI_RULE_RANK, stream->metadata_path, "ovni.rank", expected,
                "rank %" PRId64 " of %" PRId64, rank, count);
}

static void set_rank(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream,
                     struct quipu__ovni_process *process) {
    int64_t rank, count;
    if (!quipu__ovni_json_integer(stream->metadata, "ovni.rank", &rank))
        return;
    const bool has_count = quipu__ovni_json_integer(stream->metadata, "ovni.nranks", &count);
    if (!has_count || count <= 0 || rank < 0 || rank >= count) {
        rank_fault(system, stream, rank, count, "a rank from 0 to below nranks");
    } else if (process->has_rank && (process->rank != rank || process->rank_count != count)) {
        rank_fault(system, stream, rank, count, "that of the process's other threads");
    } else {
        process->has_rank = true;
        process->rank = rank;
        process->rank_count = count;
    }
}

/* ---- CPUs ---- */

static enum quipu_status add_claims(struct build *build, const struct quipu__ovni_stream *stream, uint32_t loom,
                                    struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    const json_t *list = quipu__ovni_json_at(stream->metadata, "ovni.loom_cpus");
    if (list && json_array_size(list) == 0)
        system_find(system, QUIPU__OVNI_RULE_CPUS, stream->metadata_path, "ovni.loom_cpus", "at least one CPU",
                    "none");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct cpu_claim claim = {.loom = loom};
        quipu__ovni_json_integer(json_array_get(list, i), "index", &claim.index);
        const bool has_phyid = quipu__ovni_json_integer(json_array_get(list, i), "phyid", &claim.phyid);
        if (claim.index < 0 || claim.phyid < 0 || !has_phyid)
            system_find(system, QUIPU__OVNI_RULE_CPUS, stream->metadata_path, "ovni.loom_cpus",
                        "index and phyid not negative", "index %" PRId64 ", phyid %" PRId64, claim.index,
                        claim.phyid);
        if (!QUIPU__VEC_PUT(system->memory, &build->claims, claim))
            return quipu__no_memory(err, sizeof(struct cpu_claim));
    }
    return QUIPU_OK;
}

static int compare_numbers(int64_t left, int64_t right) {
    return left < right ? -1 : left > right;
}

static int compare_claims(const void *left, const void *right) {
    const struct cpu_claim *a = left, *b = right;
    if (a->loom != b->loom)
        return a->loom < b->loom ? -1 : 1;
    if (a->phyid != b->phyid)
        return compare_numbers(a->phyid, b->phyid);
    return compare_numbers(a->index, b->index);
}

/* ---- Models ---- */

static bool parse_version(const char *text, unsigned numbers[3]) {
    for (int i = 0; i < 3; i++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        numbers[i] = (unsigned)strtoul(text, &end, 10);
        if (i < 2 && *end != '.')
            return false;
        text = end + (i < 2);
    }
    return *text == '\0' || *text == '-';
}

bool quipu__ovni_supports(uint32_t model, const char *wanted) {
    unsigned has[3] = {0}, wants[3] = {0};
    parse_version(quipu__ovni_models[model].version, has);
    return parse_version(wanted, wants) && wants[0] == has[0] && wants[1] <= has[1];
}

static void set_models(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    const json_t *require = quipu__ovni_json_at(stream->metadata, "ovni.require");
    if (!json_is_object(require)) {
        system_find(system, QUIPU__OVNI_RULE_KEY, stream->metadata_path, "ovni.require",
                    "the models and their versions", "none");
        return;
    }
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++) {
        const struct quipu__ovni_model_row *model = &quipu__ovni_models[i];
        const char *wanted = json_string_value(json_object_get(require, model->name));
        if (!wanted)
            continue;
        if (!quipu__ovni_supports(i, wanted))
            system_find(system, QUIPU__OVNI_RULE_REQUIRE, stream->metadata_path, model->name, model->version,
                        "%s", wanted);
        else
            system->is_enabled[i] = true;
    }
}

/* ---- Streams ---- */

static void check_finished(const struct build *build, const struct quipu__ovni_stream *stream) {
    const json_t *finished = quipu__ovni_json_at(stream->metadata, "ovni.finished");
    const double number = json_number_value(finished); /* 0 of what is not one */
    if ((number >= 1 && number < 2) || build->options->keeps_unfinished)
        return;
    system_find(build->system, QUIPU__OVNI_RULE_FINISHED, stream->metadata_path, "ovni.finished", "1",
                finished ? "another value" : "none");
}

static void check_library(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    const char *version = need_text(system, stream, "ovni.lib.version");
    const char *commit = need_text(system, stream, "ovni.lib.commit");
    if (!version || !commit)
        return;
    if (system->library && (strcmp(version, system->library) != 0 || strcmp(commit, system->commit) != 0))
        system_find(system, QUIPU__OVNI_RULE_LIBRARY, stream->metadata_path, "ovni.lib.version",
                    system->library, "%s", version);
    system->library = system->library ? system->library : version;
    system->commit = system->commit ? system->commit : commit;
}

static enum quipu_status add_thread(struct build *build, uint32_t stream_number, int64_t tid, int64_t pid,
                                    const char *loom_name, struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    const struct quipu__ovni_stream *stream = &system->files->streams.items[stream_number];
    const uint32_t loom = find_loom(build, loom_name);
    const uint32_t process = loom != QUIPU_NONE ? find_process(build, loom, pid) : QUIPU_NONE;
    struct quipu__ovni_thread *thread =
        process != QUIPU_NONE ? QUIPU__VEC_ADD(system->memory, &system->threads) : NULL;
    if (!thread)
        return quipu__no_memory(err, sizeof *thread);
    *thread = (struct quipu__ovni_thread){tid, process, loom, stream_number};
    set_application(build, stream, &system->processes.items[process]);
    set_rank(system, stream, &system->processes.items[process]);
    return add_claims(build, stream, loom, err);
}

static enum quipu_status add_stream(struct build *build, uint32_t number, struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    const struct quipu__ovni_stream *stream = &system->files->streams.items[number];
    if (!stream->metadata || (stream->is_missing && !build->options->has_all_streams)) {
        system->errors++;
        return QUIPU_OK;
    }
    const char *kind = need_text(system, stream, "ovni.part");
    if (kind && strcmp(kind, QUIPU__OVNI_PART) != 0)
        system_find(system, QUIPU__OVNI_RULE_KIND_OF_STREAM, stream->metadata_path, "ovni.part",
                    QUIPU__OVNI_PART, "%s", kind);
    if (!kind || strcmp(kind, QUIPU__OVNI_PART) != 0)
        return QUIPU_OK;
    int64_t tid, pid;
    const char *loom = need_text(system, stream, "ovni.loom");
    if (loom && strchr(loom, '/')) {
        system_find(system, QUIPU__OVNI_RULE_KEY, stream->metadata_path, "ovni.loom", "no /", "%s", loom);
        loom = NULL;
    }
    const bool has_tid = need_number(system, stream, "ovni.tid", 1, INT32_MAX, &tid);
    const bool has_pid = need_number(system, stream, "ovni.pid", INT32_MIN, INT32_MAX, &pid);
    set_models(system, stream);
    check_library(system, stream);
    check_finished(build, stream);
    return has_tid && has_pid && loom ? add_thread(build, number, tid, pid, loom, err) : QUIPU_OK;
}

/* ---- Order ---- */

struct order {
    const struct quipu__ovni_system *system;
    uint32_t number; /* in the order of appearance */
};

static int compare_looms(const void *left, const void *right) {
    const struct order *a = left, *b = right;
    const struct quipu__ovni_loom *l = &a->system->looms.items[a->number],
                                  *r = &b->system->looms.items[b->number];
    if (a->system->sorts_by_rank && l->rank != r->rank)
        return compare_numbers(l->rank, r->rank);
    return a->system->sorts_by_rank ? compare_numbers(a->number, b->number) : strcmp(l->name, r->name);
}

static int compare_processes(const void *left, const void *right) {
    const struct order *a = left, *b = right;
    const struct quipu__ovni_process *l = &a->system->processes.items[a->number],
                                     *r = &b->system->processes.items[b->number];
    if (l->loom != r->loom)
        return l->loom < r->loom ? -1 : 1;
    if (l->has_rank && r->has_rank && l->rank != r->rank)
        return compare_numbers(l->rank, r->rank);
    return l->has_rank && r->has_rank ? compare_numbers(a->number, b->number) : compare_numbers(l->pid, r->pid);
}

static int compare_threads(const void *left, const void *right) {
    const struct quipu__ovni_thread *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return compare_numbers(a->tid, b->tid);
}

/* Sorts count elements: order[i] is the i-th, position[n] the new position of number n. */
static enum quipu_status sort(struct quipu__ovni_system *system, size_t count,
                              int (*compare)(const void *left, const void *right), struct order **order,
                              uint32_t **position, struct quipu_error *err) {
    *order = quipu__arena_alloc(&system->arena, count * sizeof **order + 1);
    *position = quipu__arena_alloc(&system->arena, count * sizeof **position + 1);
    if (!*order || !*position)
        return quipu__no_memory(err, count);
    for (uint32_t i = 0; i < count; i++)
        (*order)[i] = (struct order){system, i};
    qsort(*order, count, sizeof **order, compare);
    for (uint32_t i = 0; i < count; i++)
        (*position)[(*order)[i].number] = i;
    return QUIPU_OK;
}

static void find_ranks(struct quipu__ovni_system *system) {
    uint32_t with = 0;
    for (size_t i = 0; i < system->processes.count; i++) {
        const struct quipu__ovni_process *process = &system->processes.items[i];
        struct quipu__ovni_loom *loom = &system->looms.items[process->loom];
        loom->has_rank |= process->has_rank;
        loom->lacks_rank |= !process->has_rank;
        if (process->has_rank && process->rank < loom->rank)
            loom->rank = process->rank;
    }
    for (size_t i = 0; i < system->looms.count; i++) {
        const struct quipu__ovni_loom *loom = &system->looms.items[i];
        with += loom->has_rank;
        if (loom->has_rank && loom->lacks_rank)
            system_find(system, QUIPU__OVNI_RULE_RANK, system->files->root, "ovni.rank",
                        "a rank of every process of the loom", "loom %s has processes without", loom->name);
    }
    system->sorts_by_rank = with > 0 && with == system->looms.count;
    if (with > 0 && with < system->looms.count)
        system_find(system, QUIPU__OVNI_RULE_SOME_RANKS, system->files->root, "ovni.rank", "",
                    "%u of %zu looms", with, system->looms.count);
}

static enum quipu_status sort_looms(struct build *build, struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    struct order *order;
    uint32_t *position;
    const size_t count = system->looms.count;
    const enum quipu_status status = sort(system, count, compare_looms, &order, &position, err);
    if (status != QUIPU_OK || count == 0)
        return status;
    struct quipu__ovni_loom *looms = quipu__arena_alloc(&system->arena, count * sizeof *looms);
    if (!looms)
        return quipu__no_memory(err, count);
    for (size_t i = 0; i < count; i++)
        looms[i] = system->looms.items[order[i].number];
    memcpy(system->looms.items, looms, count * sizeof *looms);
    for (size_t i = 0; i < system->processes.count; i++)
        system->processes.items[i].loom = position[system->processes.items[i].loom];
    for (size_t i = 0; i < system->threads.count; i++)
        system->threads.items[i].loom = position[system->threads.items[i].loom];
    for (size_t i = 0; i < build->claims.count; i++)
        build->claims.items[i].loom = position[build->claims.items[i].loom];
    return QUIPU_OK;
}

static enum quipu_status sort_processes(struct quipu__ovni_system *system, struct quipu_error *err) {
    struct order *order;
    uint32_t *position;
    const size_t count = system->processes.count;
    const enum quipu_status status = sort(system, count, compare_processes, &order, &position, err);
    if (status != QUIPU_OK || count == 0)
        return status;
    struct quipu__ovni_process *processes = quipu__arena_alloc(&system->arena, count * sizeof *processes);
    if (!processes)
        return quipu__no_memory(err, count);
    for (size_t i = 0; i < count; i++) {
        processes[i] = system->processes.items[order[i].number];
        processes[i].number = (uint32_t)i;
    }
    memcpy(system->processes.items, processes, count * sizeof *processes);
    for (size_t i = 0; i < system->threads.count; i++)
        system->threads.items[i].process = position[system->threads.items[i].process];
    return QUIPU_OK;
}

static void sort_threads(struct quipu__ovni_system *system) {
    const size_t count = system->threads.count;
    if (count > 1)
        qsort(system->threads.items, count, sizeof *system->threads.items, compare_threads);
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__ovni_thread *thread = &system->threads.items[i], *before = thread - (i > 0);
        system->thread_of[thread->stream] = i;
        if (i > 0 && before->process == thread->process && before->tid == thread->tid)
            system_find(system, QUIPU__OVNI_RULE_SAME_THREAD,
                        system->files->streams.items[thread->stream].metadata_path, "ovni.tid",
                        "another number", "%" PRId64, thread->tid);
    }
}

/* ---- Numbers of CPUs ---- */

static const char *cpu_name(struct quipu__ovni_system *system, const struct quipu__ovni_cpu *cpu) {
    char name[64];
    if (cpu->index < 0)
        snprintf(name, sizeof name, "vCPU %u.*", cpu->loom);
    else
        snprintf(name, sizeof name, " CPU %u.%" PRId64, cpu->loom, cpu->phyid);
    return quipu__arena_text(&system->arena, name, strlen(name));
}

static enum quipu_status add_cpu(struct quipu__ovni_system *system, uint32_t loom, int64_t index, int64_t phyid,
                                 struct quipu_error *err) {
    struct quipu__ovni_cpu *cpu = QUIPU__VEC_ADD(system->memory, &system->cpus);
    if (!cpu)
        return quipu__no_memory(err, sizeof *cpu);
    *cpu = (struct quipu__ovni_cpu){.index = index, .phyid = phyid, .loom = loom};
    cpu->name = cpu_name(system, cpu);
    system->looms.items[loom].cpu_count++;
    system->physical_cpus += index >= 0;
    return cpu->name ? QUIPU_OK : quipu__no_memory(err, 0);
}

static void cpu_fault(struct quipu__ovni_system *system, uint32_t loom, const char *expected, const char *found,
                      int64_t number) {
    system_find(system, QUIPU__OVNI_RULE_CPUS, system->files->root, system->looms.items[loom].name, expected,
                found, number);
    system->is_broken = true;
}

/* Finds the CPU of each index. */
static enum quipu_status index_cpus(struct quipu__ovni_system *system, uint32_t number,
                                    struct quipu_error *err) {
    struct quipu__ovni_loom *loom = &system->looms.items[number];
    const uint32_t count = loom->cpu_count;
    loom->cpu_of_index = quipu__arena_alloc(&system->arena, (count + 1) * sizeof *loom->cpu_of_index);
    if (!loom->cpu_of_index)
        return quipu__no_memory(err, count);
    for (uint32_t i = 0; i < count; i++)
        loom->cpu_of_index[i] = QUIPU_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t index = system->cpus.items[loom->first_cpu + i].index;
        if (index < 0 || index >= count)
            cpu_fault(system, number, "indices below the number of CPUs", "index %" PRId64, index);
        else if (loom->cpu_of_index[index] != QUIPU_NONE)
            cpu_fault(system, number, "each index once", "index %" PRId64, index);
        else
            loom->cpu_of_index[index] = loom->first_cpu + i;
    }
    if (count == 0)
        cpu_fault(system, number, "at least one CPU", "%" PRId64, 0);
    return QUIPU_OK;
}

static enum quipu_status number_cpus(struct build *build, struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    size_t next = 0;
    if (build->claims.count > 1)
        qsort(build->claims.items, build->claims.count, sizeof *build->claims.items, compare_claims);
    for (uint32_t loom = 0; loom < system->looms.count; loom++) {
        enum quipu_status status = QUIPU_OK;
        system->looms.items[loom].first_cpu = (uint32_t)system->cpus.count;
        for (; next < build->claims.count && build->claims.items[next].loom == loom && status == QUIPU_OK;
             next++) {
            const struct cpu_claim *claim = &build->claims.items[next], *before = claim - (next > 0);
            const bool is_again = next > 0 && before->loom == loom && before->phyid == claim->phyid;
            if (is_again && before->index != claim->index)
                cpu_fault(system, loom, "one index of each CPU", "two of CPU %" PRId64, claim->phyid);
            if (!is_again)
                status = add_cpu(system, loom, claim->index, claim->phyid, err);
        }
        if (status == QUIPU_OK)
            status = index_cpus(system, loom, err);
        if (status == QUIPU_OK)
            status = add_cpu(system, loom, -1, -1, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

/* ---- All of it ---- */

static void check_processes(struct quipu__ovni_system *system, bool is_lenient) {
    for (size_t i = 0; i < system->processes.count && !is_lenient; i++)
        if (system->processes.items[i].app_id <= 0)
            system_find(system, QUIPU__OVNI_RULE_APPLICATION, system->files->root, "ovni.app_id",
                        "an application of every process", "process %" PRId64 " has none",
                        system->processes.items[i].pid);
}

static enum quipu_status build_system(struct build *build, struct quipu_error *err) {
    struct quipu__ovni_system *system = build->system;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < system->files->streams.count && status == QUIPU_OK; i++)
        status = add_stream(build, i, err);
    if (status != QUIPU_OK)
        return status;
    check_processes(system, build->options->is_lenient && system->files->layout != QUIPU__OVNI_LAYOUT_3);
    find_ranks(system);
    status = sort_looms(build, err);
    if (status == QUIPU_OK)
        status = sort_processes(system, err);
    if (status == QUIPU_OK)
        status = number_cpus(build, err);
    if (status != QUIPU_OK)
        return status;
    sort_threads(system);
    for (size_t i = 0; i < system->threads.count; i++) {
        const struct quipu__ovni_stream *stream =
            &system->files->streams.items[system->threads.items[i].stream];
        load_marks(system, stream);
        load_counters(system, stream);
    }
    return QUIPU_OK;
}

/* Whether all threads say that they can be broken down. */
static void check_breakdown(struct quipu__ovni_system *system) {
    system->can_break_down = system->is_enabled[QUIPU__OVNI_MODEL_nosv];
    for (size_t i = 0; i < system->threads.count && system->is_enabled[QUIPU__OVNI_MODEL_nosv]; i++) {
        const struct quipu__ovni_stream *stream =
            &system->files->streams.items[system->threads.items[i].stream];
        const json_t *can = quipu__ovni_json_at(stream->metadata, "nosv.can_breakdown");
        if (!json_is_boolean(can))
            system_find(system, QUIPU__OVNI_RULE_BREAKDOWN_KEY, stream->metadata_path, "nosv.can_breakdown",
                        "true or false", can ? "another value" : "none");
        else if (!json_is_true(can) && system->can_break_down)
            system_find(system, QUIPU__OVNI_RULE_BREAKDOWN, stream->metadata_path, "nosv.can_breakdown", "true",
                        "false");
        system->can_break_down &= json_is_true(can);
    }
}

static enum quipu_status load_clocks(struct quipu__ovni_system *system,
                                     const struct quipu__ovni_system_options *options,
                                     struct quipu_error *err) {
    const char *table = options->offsets ? options->offsets : system->files->offsets;
    if (table)
        return load_offsets(system, table, err);
    if (system->looms.count > 1)
        system_find(system, QUIPU__OVNI_RULE_NO_OFFSETS, system->files->root, "", "", "%zu looms",
                    system->looms.count);
    return QUIPU_OK;
}

enum quipu_status quipu__ovni_system_open(struct quipu__ovni_system *system, struct quipu__ovni_files *files,
                                          const struct quipu__ovni_system_options *options,
                                          struct quipu_error *err) {
    struct build build = {.system = system, .options = options};
    *system = (struct quipu__ovni_system){.files = files, .memory = files->memory};
    quipu__arena_init(&system->arena, files->memory);
    quipu__map_init(&build.loom_of, files->memory);
    quipu__map_init(&build.process_of, files->memory);
    system->is_enabled[QUIPU__OVNI_MODEL_ovni] = true;
    system->thread_of =
        quipu__arena_alloc(&system->arena, (files->streams.count + 1) * sizeof *system->thread_of);
    for (size_t i = 0; system->thread_of && i < files->streams.count; i++)
        system->thread_of[i] = QUIPU_NONE;
    enum quipu_status status =
        system->thread_of ? build_system(&build, err) : quipu__no_memory(err, files->streams.count);
    QUIPU__VEC_RELEASE(system->memory, &build.claims);
    quipu__map_release(&build.loom_of);
    quipu__map_release(&build.process_of);
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        system->is_enabled[i] |= options->enables_all;
    if (status == QUIPU_OK && options->breaks_down)
        check_breakdown(system);
    if (status == QUIPU_OK)
        status = load_clocks(system, options, err);
    if (status != QUIPU_OK)
        quipu__ovni_system_close(system);
    return status;
}

void quipu__ovni_system_close(struct quipu__ovni_system *system) {
    for (uint32_t i = 0; i < QUIPU__OVNI_MARK_TYPES; i++)
        mark_release(system, &system->marks[i]);
    QUIPU__VEC_RELEASE(system->memory, &system->looms);
    QUIPU__VEC_RELEASE(system->memory, &system->processes);
    QUIPU__VEC_RELEASE(system->memory, &system->threads);
    QUIPU__VEC_RELEASE(system->memory, &system->cpus);
    quipu__arena_release(&system->arena);
}
