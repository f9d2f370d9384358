/* programs.h: small parallel programs as text, and what analyses say of them, for tests of a few lines.
 *
 *     static const struct program late = {.rows = {
 *         "0..100:work 100..110:MPI_Send/send,peer=1,bytes=8",
 *         "0..20:work 20..120:MPI_Recv/recv,peer=0,bytes=8"}};
 *     assert_answer(&late, "waits", "eager-limit=0", "waits", "pattern location time_ns", "late-sender 1 80\n");
 *
 * A row is a location, of the name that is its number, and a process unless it begins with "@N" (a thread of location N) or "@core". A
 * word of it is a call, FROM..TO:REGION, with what happens in it behind slashes: /KIND,COLUMN=VALUE,... A kind happens as the call is entered,
 * but recv, probe and those that end something as it is left; the name of a collective operation stands for both its begin and
 * its end. TIME+REGION enters, TIME- leaves, TIME-REGION leaves that one, and TIME/KIND,... happens at a time. Names stand for regions, files,
 * metrics, types of tasks and channels, which are defined as they are met; "runs" is the channel that says whether a location runs; the roles of regions follow from their names. Messages and collectives are of group 0, the world of all processes, unless they say
 * otherwise; further groups are lists of members, as in "2 1".
 *
 * In the settings "from=", "to=" and "only=" (a location) make the selection. Cells are separated by blanks, null is "-".
 */
#ifndef QUIPU_TESTS_ANALYSIS_PROGRAMS_H
#define QUIPU_TESTS_ANALYSIS_PROGRAMS_H

#include "harness.h"

#include "core/error.h"
#include "formats/descriptor.h"
#include "trace/reader.h"

enum { PROGRAM_ROWS = 16, PROGRAM_EVENTS = 2000 };

struct program {
    const char *rows[PROGRAM_ROWS];
    const char *groups
        [4]; /* beside the world; one that begins with "&" is the other side of the one before, and that of it */
    const char *hosts;         /* a letter for each row */
    uint64_t ticks_per_second; /* 0: 1 tick is 1 ns */
};

static const struct program *program_opening; /* what the next reader reads */

struct program_row {
    struct quipu_event *events;
    uint32_t count, location;
    uint64_t matching; /* number of the latest collective */
};

struct program_state {
    const struct program *program;
    struct program_row rows[PROGRAM_ROWS];
    uint32_t row_count;
};

/* ---- Definitions ---- */

static inline enum quipu_region_role program_role(const char *name) {
    static const struct {
        const char *begin;
        enum quipu_region_role role;
    } begins[] = {{"MPI_File", QUIPU_REGION_MPI_IO},
                  {"MPI_Win", QUIPU_REGION_MPI_RMA},
                  {"MPI_Bar", QUIPU_REGION_MPI_COLLECTIVE},
                  {"MPI_All", QUIPU_REGION_MPI_COLLECTIVE},
                  {"MPI_Red", QUIPU_REGION_MPI_COLLECTIVE},
                  {"MPI_Bca", QUIPU_REGION_MPI_COLLECTIVE},
                  {"MPI_Init", QUIPU_REGION_MPI_OTHER},
                  {"MPI_Fin", QUIPU_REGION_MPI_OTHER},
                  {"MPI_", QUIPU_REGION_MPI_P2P},
                  {"idle", QUIPU_REGION_IDLE},
                  {"sync", QUIPU_REGION_SYNC},
                  {"runtime", QUIPU_REGION_RUNTIME},
                  {"read", QUIPU_REGION_IO},
                  {"write", QUIPU_REGION_IO},
                  {"user", QUIPU_REGION_USER}};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i].begin, strlen(begins[i].begin)) == 0)
            return begins[i].role;
    return QUIPU_REGION_FUNCTION;
}

static inline uint32_t program_region(struct quipu__define *define, const char *name) {
    for (uint32_t i = 0; i < define->definitions.regions.count; i++)
        if (strcmp(define->definitions.regions.items[i].name, name) == 0)
            return i;
    return quipu__add_region(define,
                             &(struct quipu_region){.native_id = define->definitions.regions.count + 100,
                                                    .name = name,
                                                    .group = "",
                                                    .role = program_role(name),
                                                    .source = QUIPU_NONE});
}

static inline uint32_t program_file(struct quipu__define *define, const char *name) {
    for (uint32_t i = 0; i < define->definitions.files.count; i++)
        if (strcmp(define->definitions.files.items[i].name, name) == 0)
            return i;
    return quipu__add_file(
        define,
        &(struct quipu_file){.native_id = define->definitions.files.count + 500, .name = name, .group = ""});
}

static inline uint32_t program_metric(struct quipu__define *define, const char *name) {
    for (uint32_t i = 0; i < define->definitions.metrics.count; i++)
        if (strcmp(define->definitions.metrics.items[i].name, name) == 0)
            return i;
    return quipu__add_metric(define, &(struct quipu_metric){.name = name, .group = "", .unit = "#"});
}

static inline uint32_t program_task_type(struct quipu__define *define, const char *name) {
    for (uint32_t i = 0; i < define->definitions.task_types.count; i++)
        if (strcmp(define->definitions.task_types.items[i].name, name) == 0)
            return i;
    return quipu__add_task_type(
        define,
        &(struct quipu_task_type){.native_id = define->definitions.task_types.count + 700, .name = name});
}

static inline uint32_t program_channel(struct quipu__define *define, const char *name) {
    for (uint32_t i = 0; i < define->definitions.channels.count; i++)
        if (strcmp(define->definitions.channels.items[i].name, name) == 0)
            return i;
    return quipu__add_channel(define,
                              &(struct quipu_channel){.name = name, .is_run_state = strcmp(name, "runs") == 0});
}

static inline uint32_t program_object(struct quipu__define *define, uint8_t kind, const char *name) {
    if (*name >= '0' && *name <= '9')
        return (uint32_t)strtoul(name, NULL, 10);
    if (kind == QUIPU_KIND_task_create || kind == QUIPU_KIND_task_begin)
        return program_task_type(define, name);
    if (kind == QUIPU_KIND_state_set)
        return program_channel(define, name);
    if (kind == QUIPU_KIND_metric)
        return program_metric(define, name);
    return kind >= QUIPU_KIND_io_open && kind <= QUIPU_KIND_io_control ? program_file(define, name)
                                                                       : program_region(define, name);
}

static inline void program_add_group(struct quipu__define *define, const char *list, const char *other) {
    uint32_t members[2][PROGRAM_ROWS], counts[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (const char *at = i ? other : list; at && *at; at += strspn(at, " &"))
            members[i][counts[i]++] = (uint32_t)strtoul(at, (char **)(uintptr_t)&at, 10);
    const uint32_t number = define->definitions.groups.count;
    const struct quipu_group group = {.native_id = number + 1,
                                      .name = harness_text("g%u", number),
                                      .is_communicator = true,
                                      .member_count = counts[0],
                                      .members = members[0],
                                      .remote_member_count = counts[1],
                                      .remote_members = other ? members[1] : NULL};
    assert_int_equal(quipu__add_group(define, &group), number);
}

static inline void program_add_location(struct quipu__define *define, const char *row, const char *hosts,
                                        int64_t *rank) {
    const uint32_t number = define->definitions.locations.count;
    const bool is_core = strncmp(row, "@core", 5) == 0, is_thread = *row == '@' && !is_core;
    const struct quipu_location location = {
        .native_id = number + 10,
        .name = harness_text("%u", number),
        .kind = is_core     ? QUIPU_LOCATION_CPU
                : is_thread ? QUIPU_LOCATION_THREAD
                            : QUIPU_LOCATION_PROCESS,
        .parent = is_thread ? (uint32_t)strtoul(row + 1, NULL, 10) : QUIPU_NONE,
        .rank = *row == '@' ? -1 : (*rank)++,
        .pid = -1,
        .tid = -1,
        .host = hosts && number < strlen(hosts) ? harness_text("%c", hosts[number]) : ""};
    assert_int_equal(quipu__add_location(define, &location), number);
}

/* ---- Events ---- */

static inline struct quipu_event *program_add(struct program_row *row, int64_t time, enum quipu_kind kind) {
    assert_true(row->count < PROGRAM_EVENTS);
    struct quipu_event *event = &row->events[row->count++];
    *event = (struct quipu_event){.time = time,
                                  .kind = (uint8_t)kind,
                                  .location = row->location,
                                  .object = QUIPU_NONE,
                                  .peer = QUIPU_NONE,
                                  .group = QUIPU_NONE,
                                  .operation = QUIPU_NONE,
                                  .tag = -1,
                                  .bytes = QUIPU_UNKNOWN,
                                  .value = QUIPU_UNKNOWN,
                                  .id = QUIPU_UNKNOWN};
    return event;
}

static inline int program_find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static const char *const program_kinds[] = {
#define QUIPU_KIND(name, family, doc) #name,
#define QUIPU_KIND_FIELD(...)
#define QUIPU_KIND_END(name)
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};
static const char *const program_collectives[] = {
#define QUIPU_COLLECTIVE(name, text, direction) text,
#include <quipu/operations.def>
#undef QUIPU_COLLECTIVE
};
static const char *const program_io[] = {
#define QUIPU_IO(name, text) text,
#include <quipu/operations.def>
#undef QUIPU_IO
};
#define PROGRAM_COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static inline void program_set(struct quipu__define *define, struct quipu_event *event, const char *column,
                               const char *value) {
    const bool is_none = strcmp(value, "none") == 0;
    const uint32_t number = is_none ? QUIPU_NONE : (uint32_t)strtoul(value, NULL, 10);
    const uint64_t large = is_none ? QUIPU_UNKNOWN : strtoull(value, NULL, 10);
    if (strcmp(column, "object") == 0)
        event->object = is_none ? QUIPU_NONE : program_object(define, event->kind, value);
    else if (strcmp(column, "operation") == 0)
        event->operation = *value >= '0' && *value <= '9'
                               ? number
                               : (uint32_t)program_find(program_io, PROGRAM_COUNT(program_io), value);
    else if (strcmp(column, "peer") == 0)
        event->peer = number;
    else if (strcmp(column, "group") == 0)
        event->group = number;
    else if (strcmp(column, "tag") == 0)
        event->tag = strtoll(value, NULL, 10);
    else if (strcmp(column, "bytes") == 0)
        event->bytes = large;
    else if (strcmp(column, "value") == 0)
        event->value = large;
    else if (strcmp(column, "id") == 0)
        event->id = large;
    else
        fail_msg("no column %s", column);
}

/* "send,peer=1,bytes=8" at a time; text is changed. */
static inline void program_event(struct quipu__define *define, struct program_row *row, int64_t time,
                                 char *text, bool is_end, uint32_t region) {
    char *next;
    char *word = strtok_r(text, ",", &next);
    const int operation = program_find(program_collectives, PROGRAM_COUNT(program_collectives), word);
    const bool is_collective = operation >= 0;
    const int kind = is_collective ? is_end ? QUIPU_KIND_collective_end : QUIPU_KIND_collective_begin
                                   : program_find(program_kinds, PROGRAM_COUNT(program_kinds), word);
    if (kind < 0)
        fail_msg("no kind %s", word);
    struct quipu_event *event = program_add(row, time, (enum quipu_kind)kind);
    if (kind <= QUIPU_KIND_collective_end && kind != QUIPU_KIND_send_complete)
        event->group = 0;
    if (kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv || kind == QUIPU_KIND_probe)
        event->tag = 0;
    if (kind == QUIPU_KIND_collective_begin || kind == QUIPU_KIND_collective_end) {
        event->object = region;
        if (is_collective)
            event->operation = (uint32_t)operation;
        event->id = kind == QUIPU_KIND_collective_end ? row->matching : ++row->matching;
    }
    while ((word = strtok_r(NULL, ",", &next))) {
        char *value = strchr(word, '=');
        if (!value)
            fail_msg("no value: %s", word);
        *value++ = '\0';
        program_set(define, event, word, value);
    }
}

static inline bool program_ends(const char *text) {
    static const char *const ends[] = {"recv",   "probe",   "send_complete", "collective_end",
                                       "io_end", "io_open", "rma_end"};
    const size_t len = strcspn(text, ",");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(ends[i]) == len && strncmp(text, ends[i], len) == 0)
            return true;
    return false;
}

static inline bool program_is_collective(const char *text) {
    char *name = harness_text("%.*s", (int)strcspn(text, ","), text);
    return program_find(program_collectives, PROGRAM_COUNT(program_collectives), name) >= 0;
}

/* FROM..TO:REGION/EVENT/EVENT */
static inline void program_call(struct quipu__define *define, struct program_row *row, int64_t from,
                                char *rest) {
    const int64_t to = strtoll(rest, &rest, 10);
    char *next;
    char *name = strtok_r(rest + 1, "/", &next), *texts[16];
    size_t count = 0;
    while (count < 16 && (texts[count] = strtok_r(NULL, "/", &next)))
        count++;
    const uint32_t region = program_region(define, name);
    program_add(row, from, QUIPU_KIND_enter)->object = region;
    for (size_t i = 0; i < count; i++)
        if (!program_ends(texts[i]))
            program_event(define, row, from, harness_text("%s", texts[i]), false, region);
    for (size_t i = 0; i < count; i++)
        if (program_ends(texts[i]) || program_is_collective(texts[i]))
            program_event(define, row, to, harness_text("%s", texts[i]), true, region);
    program_add(row, to, QUIPU_KIND_leave)->object = region;
}

static inline void program_word(struct quipu__define *define, struct program_row *row, char *word) {
    char *rest;
    const int64_t time = strtoll(word, &rest, 10);
    if (rest == word)
        fail_msg("no time: %s", word);
    if (*rest == '+')
        program_add(row, time, QUIPU_KIND_enter)->object = program_region(define, rest + 1);
    else if (*rest == '-')
        program_add(row, time, QUIPU_KIND_leave)->object =
            rest[1] ? program_region(define, rest + 1) : QUIPU_NONE;
    else if (*rest == '/')
        program_event(define, row, time, rest + 1, false, QUIPU_NONE);
    else
        program_call(define, row, time, rest + 2);
}

/* ---- The format ---- */

static void program_read_row(struct quipu__trace *trace, struct program_row *row, const char *text) {
    char *next, *words = harness_text("%s", text), *word = strtok_r(words, " ", &next);
    row->events = calloc(PROGRAM_EVENTS, sizeof *row->events);
    assert_non_null(row->events);
    for (; word; word = strtok_r(NULL, " ", &next))
        if (*word != '@')
            program_word(trace->define, row, word);
}

static enum quipu_status program_open(struct quipu__trace *trace, struct quipu_error *err) {
    struct program_state *state = trace->own = calloc(1, sizeof *state);
    const struct program *program = state->program = program_opening;
    char world[3 * PROGRAM_ROWS] = "";
    int64_t rank = 0;
    for (uint32_t i = 0; i < PROGRAM_ROWS && program->rows[i]; i++) {
        program_add_location(trace->define, program->rows[i], program->hosts, &rank);
        if (program->rows[i][0] != '@')
            snprintf(world + strlen(world), sizeof world - strlen(world), "%u ", i);
    }
    program_add_group(trace->define, world, NULL);
    for (uint32_t i = 0; i < 4 && program->groups[i]; i++) {
        const char *next = i < 3 ? program->groups[i + 1] : NULL, *one = program->groups[i];
        program_add_group(trace->define, one + (*one == '&'),
                          *one == '&'            ? program->groups[i - 1]
                          : next && *next == '&' ? next + 1
                                                 : NULL);
    }
    for (uint32_t i = 0; i < PROGRAM_ROWS && program->rows[i]; i++) {
        struct quipu_stream *stream = QUIPU__VEC_ADD(trace->memory, &trace->streams);
        if (!stream)
            return quipu__no_memory(err, sizeof *stream);
        state->rows[i].location = i;
        program_read_row(trace, &state->rows[i], program->rows[i]);
        *stream = (struct quipu_stream){
            .name = "row", .path = trace->path, .native_id = i, .substreams = 1, .bytes = state->rows[i].count};
        trace->bytes_total += stream->bytes;
    }
    trace->define->definitions.clock.ticks_per_second =
        program->ticks_per_second ? program->ticks_per_second : 1000000000;
    return QUIPU_OK;
}

static void program_close(struct quipu__trace *trace) {
    struct program_state *state = trace->own;
    for (uint32_t i = 0; i < PROGRAM_ROWS; i++)
        free(state->rows[i].events);
    free(state);
}

struct program_pass {
    struct quipu__pass common;
    uint32_t next;
};

static enum quipu_status program_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                           struct quipu_error *err) {
    struct program_pass *pass = quipu__alloc_zero(common->trace->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    *out = &pass->common;
    return QUIPU_OK;
}

static void program_pass_close(struct quipu__pass *pass) {
    quipu__release(pass->trace->memory, pass, sizeof(struct program_pass));
}

static enum quipu_status program_next_record(struct quipu__pass *pass, struct quipu_record *out,
                                             struct quipu_error *err) {
    (void)pass, (void)out, (void)err;
    return QUIPU_END;
}

static enum quipu_status program_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                            struct quipu_error *err) {
    struct program_pass *pass = (struct program_pass *)(void *)common;
    const struct program_row *row = &((struct program_state *)common->trace->own)->rows[common->stream];
    (void)err;
    while (quipu__batch_left(batch) > 0 && pass->next < row->count) {
        const struct quipu_event *event = &row->events[pass->next++];
        const uint32_t i = quipu__batch_add(&batch->batch, event->time, (enum quipu_kind)event->kind,
                                            event->location, pass->next);
#define QUIPU_COLUMN(name, c_type, doc) batch->batch.name[i] = event->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    }
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

static enum quipu_score program_probe(const struct quipu__probe *probe) {
    (void)probe;
    return QUIPU_SCORE_NO;
}

static const struct quipu__mapping *program_mapping(uint32_t type) {
    static const struct quipu__mapping mapping = {.kinds = QUIPU_ALL_KINDS};
    (void)type;
    return &mapping;
}

static const struct quipu_record_type program_type = {.name = "event", .doc = "an event"};
static const struct quipu_schema program_schema = {"program", &program_type, 1, NULL};
static const struct quipu__reading program_reading = {.probe = program_probe,
                                                      .open = program_open,
                                                      .close = program_close,
                                                      .pass_open = program_pass_open,
                                                      .pass_close = program_pass_close,
                                                      .next_record = program_next_record,
                                                      .next_batch = program_next_batch,
                                                      .mapping = program_mapping};
static const struct quipu__format program_format = {
    .info = {.name = "program", .title = "Program", .suffixes = ".program", .schema = &program_schema},
    .reading = &program_reading};

/* The caller closes the reader. */
static inline struct quipu_reader *program_reader(const struct program *program, uint32_t threads) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.threads = threads;
    program_opening = program;
    if (quipu__reader_open("memory", &program_format, &options, &reader, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    return reader;
}

/* ---- Answers ---- */

struct program_question {
    struct quipu_setting settings[8];
    size_t count;
    struct quipu_selection selection;
    uint32_t location;
};

static inline void program_ask(struct program_question *question, const char *settings) {
    char *next, *text = harness_text("%s", settings);
    *question = (struct program_question){.selection = QUIPU_SELECTION_INIT};
    for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (strcmp(word, "from") == 0)
            question->selection.from = strtoll(value, NULL, 10);
        else if (strcmp(word, "to") == 0)
            question->selection.to = strtoll(value, NULL, 10);
        else if (strcmp(word, "only") == 0) {
            question->location = (uint32_t)strtoul(value, NULL, 10);
            question->selection.locations = &question->location;
            question->selection.location_count = 1;
        } else
            question->settings[question->count++] = (struct quipu_setting){word, value};
    }
}

/* The answer of an analysis, which the caller frees. */
static inline struct quipu_tables *program_answer(const struct program *program, uint32_t threads,
                                                  const char *analysis, const char *settings) {
    struct quipu_reader *reader = program_reader(program, threads);
    struct program_question question;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    program_ask(&question, settings);
    options.selection = &question.selection;
    options.settings = question.settings;
    options.setting_count = question.count;
    if (quipu_analysis_run(reader, analysis, &options, &tables, &err) != QUIPU_OK)
        fail_msg("%s %s: %s", analysis, settings, err.message);
    quipu_reader_close(reader);
    return tables;
}

static inline const char *program_cell(const struct quipu_table *table, size_t row, size_t column) {
    const struct quipu_cell *cell = quipu_table_at(table, row, column);
    if (cell->is_null)
        return "-";
    switch (quipu_table_column_at(table, column)->type) {
    case QUIPU_TYPE_I64:
    case QUIPU_TYPE_TIME:
        return harness_text("%lld", (long long)cell->i);
    case QUIPU_TYPE_U64:
        return harness_text("%llu", (unsigned long long)cell->u);
    case QUIPU_TYPE_F64:
        return harness_text("%.7g", cell->f);
    default:
        return harness_text("%s", cell->text);
    }
}

/* Some columns of a table as text. */
static inline const char *program_rows(const struct quipu_tables *tables, const char *name,
                                       const char *columns) {
    const struct quipu_table *table = NULL;
    const char *text = "";
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        if (strcmp(quipu_table_name(quipu_tables_at(tables, i)), name) == 0)
            table = quipu_tables_at(tables, i);
    if (!table)
        fail_msg("no table %s", name);
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        char *next, *words = harness_text("%s", columns);
        const char *blank = "";
        for (char *word = strtok_r(words, " ", &next); word; word = strtok_r(NULL, " ", &next), blank = " ") {
            const size_t column = quipu_table_column_find(table, word);
            if (column == SIZE_MAX)
                fail_msg("no column %s in %s", word, name);
            text = harness_text("%s%s%s", text, blank, program_cell(table, row, column));
        }
        text = harness_text("%s\n", text);
    }
    return text;
}

/* The rows that a table of the answer is to have, with one thread and with several. */
static inline void assert_answer(const struct program *program, const char *analysis, const char *settings,
                                 const char *table, const char *columns, const char *expected) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct quipu_tables *tables = program_answer(program, threads, analysis, settings);
        assert_string_equal(program_rows(tables, table, columns), expected);
        quipu_tables_free(tables);
    }
}

/* An analysis that refuses its settings, and how. */
static inline void assert_refusal(const struct program *program, const char *analysis, const char *settings,
                                  const char *message) {
    struct quipu_reader *reader = program_reader(program, 1);
    struct program_question question;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_tables *tables;
    program_ask(&question, settings);
    options.settings = question.settings;
    options.setting_count = question.count;
    assert_int_not_equal(quipu_analysis_run(reader, analysis, &options, &tables, &err), QUIPU_OK);
    assert_string_equal(err.message, message);
    quipu_reader_close(reader);
}

#endif
