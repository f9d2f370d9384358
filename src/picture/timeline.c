/* timeline.c: see quipu/view.h. Reads a question, answers it by the function of its row, and puts the names of the regions that the answer mentions
 * at its end. */
#include "picture/timeline.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/text.h"
#include "model/event.h"
#include "picture/assets.h"
#include "trace/reader.h"

#include <quipu/analysis.h>
#include <quipu/builder.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What is asked ---- */

enum parameter_kind { NUMBER, TIME, ROWS, TEXT, BY };

static const struct parameter {
    const char *name;
    enum parameter_kind kind;
    size_t offset, size;
} parameters[] = {
#define PARAMETER(name, kind)                                                                                  \
    { #name, kind, offsetof(struct quipu__view_asked, name), sizeof((struct quipu__view_asked *)0)->name }
    PARAMETER(by, BY),        PARAMETER(level, NUMBER),  PARAMETER(index, NUMBER),  PARAMETER(first, NUMBER),
    PARAMETER(count, NUMBER), PARAMETER(pixels, NUMBER), PARAMETER(metric, NUMBER), PARAMETER(region, NUMBER),
    PARAMETER(from, TIME),    PARAMETER(to, TIME),       PARAMETER(rows, ROWS),     PARAMETER(where, TEXT),
    PARAMETER(text, TEXT),    PARAMETER(of, TEXT),
#undef PARAMETER
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* Decodes %XX and +. False when it is too long, or no text. */
static bool decode(const char *from, size_t length, char *to, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++, count++) {
        char letter = from[i] == '+' ? ' ' : from[i];
        if (from[i] == '%') {
            if (length - i < 3)
                return false;
            const int high = quipu__hex_digit((unsigned char)tolower((unsigned char)from[i + 1])),
                      low = quipu__hex_digit((unsigned char)tolower((unsigned char)from[i + 2]));
            if (high < 0 || low < 0)
                return false;
            letter = (char)(high * 16 + low);
            i += 2;
        }
        if (letter == '\0' || count + 1 >= size)
            return false;
        to[count] = letter;
    }
    to[count] = '\0';
    return true;
}

/* Digits up to INT64_MAX. Moves past them. */
static bool take_number(const char **text, uint64_t *out) {
    *out = 0;
    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); ++*text) {
        if (*out > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        *out = *out * 10 + (uint64_t)(**text - '0');
    }
    return true;
}

static bool read_number(const char *text, uint64_t *out) {
    return take_number(&text, out) && *text == '\0';
}

/* Ascending numbers and ranges, such as 0-31,40. */
static bool read_rows(const char *text, struct quipu__view_asked *asked) {
    uint64_t first, last, next = 0;
    asked->row_count = 0;
    while (take_number(&text, &first)) {
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, &last))
                return false;
        }
        if (first < next || last < first || last >= QUIPU_NONE ||
            last - first >= QUIPU__VIEW_ROWS - asked->row_count)
            return false;
        for (next = last + 1; first < next; first++)
            asked->rows[asked->row_count++] = (uint32_t)first;
        if (*text != ',')
            return *text == '\0';
        text++;
    }
    return false;
}

static bool read_by(const char *text, enum quipu__view_by *out) {
    for (*out = 0; *out < QUIPU__VIEW_BYS; ++*out)
        if (strcmp(text, quipu__view_by_names[*out]) == 0)
            return true;
    return false;
}

static bool read_value(const struct parameter *parameter, const char *text, struct quipu__view_asked *asked) {
    void *member = (char *)asked + parameter->offset;
    switch (parameter->kind) {
    case NUMBER:
        return read_number(text, member);
    case TIME:
        return quipu__parse_i64(text, strlen(text), member);
    case ROWS:
        return read_rows(text, asked);
    case BY:
        return read_by(text, member);
    case TEXT:
        break;
    }
    const size_t size = strlen(text) + 1;
    if (size > parameter->size)
        return false;
    memcpy(member, text, size);
    return true;
}

/* The parameter that a text of a question begins with, as NAME=, among those of the question; NULL when there is none. */
static const struct parameter *parameter_of(const char *text, const char *allowed) {
    for (size_t i = 0; i < PARAMETERS; i++) {
        const size_t length = strlen(parameters[i].name);
        if (quipu__has_word(allowed, parameters[i].name, length) &&
            strncmp(text, parameters[i].name, length) == 0 && text[length] == '=')
            return &parameters[i];
    }
    return NULL;
}

static enum quipu_status read_question(const struct quipu_view_question *question, const char *text,
                                       struct quipu__view_asked *asked, struct quipu_error *err) {
    char value[QUIPU_WHERE_LENGTH + 1];
    while (*text) {
        const size_t length = strcspn(text, "&");
        const struct parameter *parameter = parameter_of(text, question->parameters);
        const size_t begin = parameter ? strlen(parameter->name) + 1 : 0;
        if (!parameter || !decode(text + begin, length - begin, value, sizeof value) ||
            !read_value(parameter, value, asked))
            return quipu__fail(err, QUIPU_MISUSE, "\"%.*s\" says nothing to the question \"%s\"",
                               length < 60 ? (int)length : 60, text, question->name);
        text += length + (text[length] == '&');
    }
    return asked->from <= asked->to ? QUIPU_OK
                                    : quipu__fail(err, QUIPU_MISUSE, "a window ends before it begins");
}

/* ---- Times, rows and names ---- */

int64_t quipu__view_time(const struct quipu_view *view, int64_t asked) {
    return asked > INT64_MAX / 4 || asked < INT64_MIN / 4 ? view->end : quipu__bounded_sum(view->begin, asked);
}

int64_t quipu__view_shown(const struct quipu_view *view, int64_t time) {
    if (time < view->begin)
        return view->begin;
    return time < view->end ? time : view->end;
}

/* The ticks that are not before it. */
static int64_t ticks_of(const struct quipu_view *view, int64_t asked) {
    return quipu_clock_ticks(&view->definitions->clock, quipu__view_time(view, asked));
}

void quipu__view_mention(struct quipu__view_answer *answer, uint32_t region) {
    if (region >= answer->view->definitions->regions.count ||
        (answer->regions.count > 0 && answer->regions.items[answer->regions.count - 1] == region))
        return;
    quipu__gate_knows(QUIPU__VEC_PUT(&answer->view->memory, &answer->regions, region));
}

void quipu__view_put_name(struct quipu__view_answer *answer, const char *key, const char *name) {
    struct quipu__buffer shown;
    quipu__buffer_init(&shown, &answer->view->memory, 0);
    quipu__put_plain(&shown, answer->view->hidden, name, strlen(name), false);
    size_t length = shown.len;
    if (length > QUIPU__VIEW_TEXT)
        for (length = QUIPU__VIEW_TEXT; length > 0 && (shown.data[length] & 0xc0) == 0x80;)
            length--;
    quipu__json_key(&answer->json, key);
    quipu__put_json(answer->out, length > 0 ? (const char *)shown.data : "", length);
    quipu__buffer_release(&shown);
}

uint32_t quipu__view_row_of(const struct quipu_view *view, enum quipu__view_by by,
                            const struct quipu__view_member *member) {
    (void)view;
    const uint32_t rows[QUIPU__VIEW_BYS] = {member->location, member->process, member->host, 0};
    return rows[by];
}

uint32_t quipu__view_asked_row(const struct quipu__view_asked *asked, uint32_t row) {
    for (uint32_t i = 0; i < asked->row_count; i++)
        if (asked->rows[i] == row)
            return i;
    return QUIPU_NONE;
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t *quipu__view_locations(struct quipu_view *view, const struct quipu__view_asked *asked,
                                uint32_t *count) {
    uint32_t found = 0;
    *count = 0;
    for (size_t i = 0; i < view->members.count; i++)
        *count += quipu__view_asked_row(asked, quipu__view_row_of(view, asked->by, &view->members.items[i])) !=
                  QUIPU_NONE;
    uint32_t *members = quipu__alloc(&view->memory, *count * sizeof *members);
    for (size_t i = 0; members && i < view->members.count; i++)
        if (quipu__view_asked_row(asked, quipu__view_row_of(view, asked->by, &view->members.items[i])) !=
            QUIPU_NONE)
            members[found++] = view->members.items[i].location;
    if (members && found > 0 && !quipu__sort(&view->memory, members, found, sizeof *members, by_number)) {
        quipu__release(&view->memory, members, found * sizeof *members);
        members = NULL;
    }
    return members;
}

/* ---- trace ---- */

static void put_levels(struct quipu__view_answer *answer) {
    for (enum quipu__view_by by = 0; by < QUIPU__VIEW_BYS; by++) {
        uint32_t bins;
        quipu__json_open(&answer->json, quipu__view_by_names[by], QUIPU__JSON_LIST);
        for (uint64_t level = 0; (bins = quipu__view_level_bins(answer->view, by, level)) > 0; level++)
            quipu__json_i64(&answer->json, NULL, bins);
        quipu__json_close(&answer->json);
    }
}

static void put_metrics(struct quipu__view_answer *answer) {
    const struct quipu_metrics *metrics = &answer->view->definitions->metrics;
    enum { MOST = 200 };
    quipu__json_open(&answer->json, "metrics", QUIPU__JSON_LIST);
    for (uint32_t i = 0; i < metrics->count && i < MOST; i++) {
        quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
        quipu__view_put_name(answer, "name", metrics->items[i].name);
        quipu__view_put_name(answer, "unit", metrics->items[i].unit);
        quipu__json_bool(&answer->json, "is_rate", metrics->items[i].mode == QUIPU_METRIC_ACCUMULATED);
        quipu__json_close(&answer->json);
    }
    quipu__json_close(&answer->json);
}

static enum quipu_status answer_trace(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    struct quipu__json *json = &answer->json;
    quipu__view_put_name(answer, "name",
                         view->hidden ? "TRACE" : quipu__base_name(quipu__reader_trace(view->reader)->path));
    quipu__json_text(json, "format", quipu_reader_format(view->reader)->name);
    quipu__json_key(json, "begin"); /* a text, since it may be more than JavaScript's numbers hold */
    quipu__put_format(answer->out, "\"%" PRId64 "\"", view->begin);
    quipu__json_i64(json, "length", view->end - view->begin);
    quipu__json_bool(json, "is_indexed", quipu__reader_index(view->reader) != NULL);
    quipu__json_u64(json, "findings",
                    quipu_findings_total(quipu_reader_findings(view->reader), QUIPU_ERROR_FINDING) +
                        quipu_findings_total(quipu_reader_findings(view->reader), QUIPU_DATA_LOSS));
    quipu__json_open(json, "counts", QUIPU__JSON_OBJECT);
    for (enum quipu__view_by by = 0; by < QUIPU__VIEW_BYS; by++)
        quipu__json_u64(json, quipu__view_by_names[by], view->counts[by]);
    quipu__json_close(json);
    quipu__json_open(json, "levels", QUIPU__JSON_OBJECT);
    put_levels(answer);
    quipu__json_close(json);
    put_metrics(answer);
    (void)err;
    return QUIPU_OK;
}

/* ---- rows ---- */

static const char *location_name(const struct quipu__view_answer *answer, uint32_t location) {
    const struct quipu_locations *locations = &answer->view->definitions->locations;
    return location < locations->count ? locations->items[location].name : "";
}

static const char *row_name(const struct quipu__view_answer *answer, enum quipu__view_by by, uint32_t row) {
    const struct quipu_locations *locations = &answer->view->definitions->locations;
    const char *name = location_name(answer, row);
    if (by == QUIPU__VIEW_HOSTS && row < locations->count)
        name = locations->items[row].host;
    return name && name[0] ? name : "no name";
}

static void put_row(struct quipu__view_answer *answer, enum quipu__view_by by,
                    const struct quipu__view_member *members, size_t count) {
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_LIST);
    quipu__json_text(&answer->json, NULL, quipu__view_by_names[by]);
    quipu__json_i64(&answer->json, NULL, quipu__view_row_of(answer->view, by, members));
    quipu__view_put_name(answer, NULL, row_name(answer, by, quipu__view_row_of(answer->view, by, members)));
    quipu__json_u64(&answer->json, NULL, by == QUIPU__VIEW_LOCATIONS ? 0 : count);
    quipu__json_close(&answer->json);
}

/* A process with one location is that location. */
static enum quipu__view_by kind_of(enum quipu__view_by by, const struct quipu__view_member *members,
                                   size_t count) {
    return by == QUIPU__VIEW_PROCESSES && count == 1 && members->location == members->process
               ? QUIPU__VIEW_LOCATIONS
               : by;
}

/* Rows of a kind in a list of members, beginning with the first that is asked for. */
static void put_rows(struct quipu__view_answer *answer, enum quipu__view_by by,
                     const struct quipu__view_member *members, size_t count) {
    enum { MOST = 1000 };
    const uint64_t first = answer->asked->first,
                   wanted = answer->asked->count < MOST ? answer->asked->count : MOST;
    uint64_t number = 0;
    quipu__json_open(&answer->json, "rows", QUIPU__JSON_LINES);
    for (size_t i = 0, end; i < count; i = end, number++) {
        const uint32_t row = quipu__view_row_of(answer->view, by, &members[i]);
        for (end = i + 1; end < count && quipu__view_row_of(answer->view, by, &members[end]) == row;)
            end++;
        if (number >= first && number - first < wanted)
            put_row(answer, kind_of(by, &members[i], end - i), &members[i], end - i);
    }
    quipu__json_close(&answer->json);
    quipu__json_u64(&answer->json, "total", number);
}

/* What is in a row: of=host:N, of=process:N, or, at the top, nothing. */
static enum quipu_status answer_rows(struct quipu__view_answer *answer, struct quipu_error *err) {
    const struct quipu_view *view = answer->view;
    const char *of = answer->asked->of, *colon = strchr(of, ':');
    const struct quipu__view_member *members = view->members.items;
    if (of[0] == '\0') {
        put_rows(answer, view->counts[QUIPU__VIEW_HOSTS] > 1 ? QUIPU__VIEW_HOSTS : QUIPU__VIEW_PROCESSES,
                 members, view->members.count);
        return QUIPU_OK;
    }
    const enum quipu__view_by by = strncmp(of, "host:", 5) == 0 ? QUIPU__VIEW_HOSTS : QUIPU__VIEW_PROCESSES;
    uint64_t row;
    if (!colon || !read_number(colon + 1, &row))
        return quipu__fail(err, QUIPU_MISUSE, "there is no row \"%s\"", of);
    size_t first = 0, end;
    while (first < view->members.count && quipu__view_row_of(view, by, &members[first]) != row)
        first++;
    for (end = first; end < view->members.count && quipu__view_row_of(view, by, &members[end]) == row;)
        end++;
    put_rows(answer, by == QUIPU__VIEW_HOSTS ? QUIPU__VIEW_PROCESSES : QUIPU__VIEW_LOCATIONS, members + first,
             end - first);
    return QUIPU_OK;
}

/* ---- statistics ---- */

static enum quipu_status put_into(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct quipu__buffer *out = context;
    quipu__put(out, data, size);
    return out->failed ? quipu__no_memory(err, size) : QUIPU_OK;
}

static enum quipu_status put_table(struct quipu__view_answer *answer, const struct quipu_tables *tables,
                                   struct quipu_error *err) {
    enum { MOST = 200 };
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    const struct quipu_table *const table = quipu_tables_at(tables, 0);
    render.style = QUIPU_STYLE_JSON;
    render.row_limit = MOST;
    quipu__json_u64(&answer->json, "rows", quipu_table_row_count(table));
    quipu__json_key(&answer->json, "profile");
    return quipu_table_write(&table, 1, &render, (struct quipu_sink){put_into, answer->out}, err);
}

/* What "quipu profile --by region" says of a window. */
static enum quipu_status answer_statistics(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    const struct quipu_setting setting = {"by", "region"};
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables = NULL;
    uint32_t *members = NULL;
    if (answer->asked->row_count > 0) {
        selection.locations = members = quipu__view_locations(view, answer->asked, &selection.location_count);
        if (!members)
            return quipu__no_memory(err, answer->asked->row_count);
    }
    selection.from = ticks_of(view, answer->asked->from);
    selection.to = ticks_of(view, answer->asked->to);
    selection.where = answer->asked->where[0] ? answer->asked->where : NULL;
    options.selection = &selection;
    options.settings = &setting;
    options.setting_count = 1;
    enum quipu_status status = quipu_analysis_run(view->reader, "profile", &options, &tables, err);
    if (status == QUIPU_OK)
        status = put_table(answer, tables, err);
    quipu_tables_free(tables);
    if (members)
        quipu__release(&view->memory, members, selection.location_count * sizeof *members);
    return status;
}

/* ---- search and next ---- */

static bool contains(const char *name, const char *text) {
    const size_t length = strlen(text);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == tolower((unsigned char)text[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

enum { FOUND_MOST = 50 };

static void put_found_location(struct quipu__view_answer *answer, const struct quipu__view_member *member) {
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_LIST);
    quipu__json_i64(&answer->json, NULL, member->host);
    quipu__json_i64(&answer->json, NULL, member->process);
    quipu__json_i64(&answer->json, NULL, member->location);
    quipu__view_put_name(answer, NULL, location_name(answer, member->location));
    quipu__json_close(&answer->json);
}

/* Regions and locations whose names contain a text. */
static enum quipu_status answer_search(struct quipu__view_answer *answer, struct quipu_error *err) {
    const struct quipu_view *view = answer->view;
    const struct quipu_regions *regions = &view->definitions->regions;
    uint32_t found = 0;
    quipu__json_open(&answer->json, "regions", QUIPU__JSON_LIST);
    for (uint32_t i = 0; i < regions->count && found < FOUND_MOST; i++) {
        if (!contains(regions->items[i].name, answer->asked->text))
            continue;
        quipu__json_i64(&answer->json, NULL, i);
        quipu__view_mention(answer, i);
        found++;
    }
    quipu__json_close(&answer->json);
    quipu__json_open(&answer->json, "locations", QUIPU__JSON_LIST);
    for (size_t i = 0, members = 0; i < view->members.count && members < FOUND_MOST; i++) {
        if (!contains(location_name(answer, view->members.items[i].location), answer->asked->text))
            continue;
        put_found_location(answer, &view->members.items[i]);
        members++;
    }
    quipu__json_close(&answer->json);
    (void)err;
    return QUIPU_OK;
}

/* The next call of a region that is entered at a time or later. */
static enum quipu_status answer_next(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    const uint32_t region =
        answer->asked->region < view->definitions->regions.count ? (uint32_t)answer->asked->region : QUIPU_NONE;
    char where[64];
    snprintf(where, sizeof where, "region == %" PRIu32, region);
    selection.from = ticks_of(view, answer->asked->from);
    selection.kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter);
    selection.where = where;
    selection.without_attributes = true;
    enum quipu_status status = quipu_reader_select(view->reader, &selection, err);
    if (status == QUIPU_OK)
        status = quipu_reader_next(view->reader, &event, err);
    quipu__json_bool(&answer->json, "is_found", status == QUIPU_OK);
    if (status == QUIPU_OK) {
        quipu__json_i64(&answer->json, "location", event.location);
        const int64_t time = quipu_clock_ns(&view->definitions->clock, event.time);
        quipu__json_i64(&answer->json, "at", quipu__view_shown(view, time) - view->begin);
    }
    quipu_reader_rewind(view->reader);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* ---- The questions ---- */

static const struct question {
    struct quipu_view_question shape;
    enum quipu_status (*answer)(struct quipu__view_answer *answer, struct quipu_error *err);
} questions[] = {
    {{"trace", "", "what the trace is: its name, its length, how many rows there are, which levels of detail",
      false},
     answer_trace},
    {{"rows", "of first count",
      "the rows in a host or process, or at the top: kind, number, name, how many are in it", false},
     answer_rows},
    {{"tile", "by level index rows where", "bins of rows at a level of detail: shares of time, calls, messages",
      false},
     quipu__view_tile},
    {{"calls", "from to rows pixels where", "calls of a window, nested; short ones added up", false},
     quipu__view_calls},
    {{"messages", "from to rows",
      "messages of a window; many are added up; in_flight: how many are received later, or never", false},
     quipu__view_messages},
    {{"counter", "from to rows metric pixels", "the values of a metric in a window", false},
     quipu__view_counter},
    {{"waits", "from to rows pixels", "who waits, and why; short waits are added up", true}, quipu__view_waits},
    {{"path", "from to rows pixels", "the critical path; short stretches are added up", true},
     quipu__view_path},
    {{"statistics", "from to by rows where", "the profile by region of a window", true}, answer_statistics},
    {{"search", "text", "regions and locations whose names contain a text", false}, answer_search},
    {{"next", "region from", "the next call of a region", true}, answer_next},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

const struct quipu_view_question *quipu_view_question_at(size_t index) {
    return index < QUESTIONS ? &questions[index].shape : NULL;
}

static const struct question *find_question(const char *text) {
    const size_t length = strcspn(text, "?");
    for (size_t i = 0; i < QUESTIONS; i++)
        if (strlen(questions[i].shape.name) == length && strncmp(text, questions[i].shape.name, length) == 0)
            return &questions[i];
    return NULL;
}

/* An index always has room for the first two levels; finer ones may have to be read. */
bool quipu_view_reads_all(const char *text) {
    const struct question *question = find_question(text);
    const char *level = strstr(text, "level=");
    const bool is_fine = level && level[6] > '1' && level[6] <= '9';
    return question && (question->shape.reads_all || is_fine || strstr(text, "where=") != NULL);
}

static void put_regions(struct quipu__view_answer *answer) {
    const struct quipu_regions *regions = &answer->view->definitions->regions;
    if (answer->regions.count > 0)
        quipu__gate_knows(quipu__sort(&answer->view->memory, answer->regions.items, answer->regions.count,
                                      sizeof(uint32_t), by_number));
    quipu__json_open(&answer->json, "names", QUIPU__JSON_OBJECT);
    for (size_t i = 0; i < answer->regions.count; i++) {
        const uint32_t region = answer->regions.items[i];
        char key[16];
        if (i > 0 && region == answer->regions.items[i - 1])
            continue;
        snprintf(key, sizeof key, "%" PRIu32, region);
        quipu__json_open(&answer->json, key, QUIPU__JSON_LIST);
        quipu__view_put_name(answer, NULL, regions->items[region].name);
        quipu__json_text(&answer->json, NULL, quipu__region_role_text(regions->items[region].role));
        quipu__json_close(&answer->json);
    }
    quipu__json_close(&answer->json);
}

static enum quipu_status answer_question(struct quipu__view_answer *answer, const struct question *question,
                                         struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    enum { FIRST_LEVELS = 2 }; /* that the first picture shows */
    enum quipu_status status = quipu__reader_index(view->reader)
                                   ? quipu__view_find_bounds(view, err)
                                   : quipu__view_find_levels(view, FIRST_LEVELS, err);
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
    if (status == QUIPU_OK)
        status = question->answer(answer, err);
    put_regions(answer);
    quipu__json_close(&answer->json);
    if (status == QUIPU_OK && answer->out->failed)
        status = quipu__no_memory(err, answer->out->len);
    return status == QUIPU_OK ? quipu__memory_status(&view->memory, err) : status;
}

enum quipu_status quipu_view_answer(struct quipu_view *view, const char *text, struct quipu_sink sink,
                                    struct quipu_error *err) {
    const struct question *question = find_question(text);
    struct quipu__view_asked asked = {.to = INT64_MAX, .count = UINT64_MAX, .pixels = 400};
    struct quipu__buffer out;
    if (!question)
        return quipu__fail(err, QUIPU_NOT_FOUND, "there is no such question");
    const size_t length = strcspn(text, "?");
    enum quipu_status status =
        read_question(&question->shape, text + length + (text[length] == '?'), &asked, err);
    if (status != QUIPU_OK)
        return status;
    quipu__memory_forgive(&view->memory); /* of an earlier answer */
    quipu__buffer_init(&out, &view->memory, 0);
    struct quipu__view_answer answer = {
        .view = view, .asked = &asked, .out = &out, .json = quipu__json_init(&out)};
    status = answer_question(&answer, question, err);
    if (status == QUIPU_OK)
        status = quipu__buffer_flush(&out, sink, err);
    QUIPU__VEC_RELEASE(&view->memory, &answer.regions);
    quipu__buffer_release(&out);
    return status;
}

/* ---- Views ---- */

enum quipu_status quipu_view_new(struct quipu_reader *reader, struct quipu_view **out,
                                 struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    struct quipu_view *view = *out = quipu__alloc_zero(&memory, sizeof *view);
    if (!view)
        return quipu__no_memory(err, sizeof *view);
    view->memory = memory;
    view->reader = reader;
    view->definitions = quipu_reader_definitions(reader);
    return QUIPU_OK;
}

void quipu_view_free(struct quipu_view *view) {
    if (!view)
        return;
    quipu__view_levels_release(view);
    quipu__view_layers_release(view);
    quipu__view_origin_release(view);
    struct quipu__memory memory = view->memory;
    quipu__release(&memory, view, sizeof *view);
}

/* ---- The page ---- */

bool quipu_view_file_find(const char *name, struct quipu_view_file *out) {
    static const struct {
        const char *name, *type;
        enum quipu__asset_id asset;
    } files[] = {{"", "text/html; charset=utf-8", QUIPU__ASSET_view},
                 {"timeline.js", "text/javascript; charset=utf-8", QUIPU__ASSET_timeline_script},
                 {"figure.css", "text/css; charset=utf-8", QUIPU__ASSET_figure},
                 {"timeline.css", "text/css; charset=utf-8", QUIPU__ASSET_timeline_style}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].name, name) != 0)
            continue;
        const struct quipu__slice bytes = quipu__asset(files[i].asset);
        *out = (struct quipu_view_file){files[i].name, files[i].type, (const char *)bytes.at,
                                        quipu__slice_left(&bytes)};
        return true;
    }
    return false;
}
