/* timeline_levels.c: tiles. A level is the whole time of the trace in a number of bins, as the analysis "timeline" fills them: from an index at once, else
 * by reading. It is retained as shares of a byte each. Where all rows would take too much, a level is made for those that are asked for. */
#include "picture/timeline.h"

#include "analysis/shared/fold.h"
#include "analysis/shared/hosts.h"
#include "analysis/shared/settings.h"
#include "analysis/timeline/timeline.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/scale.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>

#define BINS(bins) bins,
static const uint32_t level_bins[] = {QUIPU__TIMELINE_LEVELS(BINS)};
#undef BINS
enum { LEVELS = sizeof level_bins / sizeof *level_bins, TILE_BINS = 200 };

/* Cells that are filled at a time, and that are retained. */
enum { CELLS_MOST = 1 << 19, RETAINED_MOST = 1 << 21 };

const char *const quipu__view_by_names[QUIPU__VIEW_BYS] = {"location", "process", "host", "all"};

uint32_t quipu__view_level_bins(const struct quipu_view *view, enum quipu__view_by by, uint64_t level) {
    const size_t rows = view->counts[by] < QUIPU__VIEW_ROWS ? view->counts[by] : QUIPU__VIEW_ROWS;
    return level < LEVELS && rows * level_bins[level] <= CELLS_MOST ? level_bins[level] : 0;
}

/* ---- Filling ---- */

static uint8_t share_of(int64_t time, uint64_t whole) {
    if (time <= 0 || whole == 0)
        return 0;
    const uint64_t share = quipu__scale_rounded((uint64_t)time, QUIPU__VIEW_SHARES, whole);
    return (uint8_t)(share < QUIPU__VIEW_SHARES ? share : QUIPU__VIEW_SHARES);
}

static uint32_t cut(uint64_t count) {
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* whole: the time of the bin at all locations of the row. */
static struct quipu__view_cell pack(const struct quipu__timeline_cell *cell, uint64_t whole) {
    enum { CALLS, SENT, RECEIVED };
    struct quipu__view_cell packed = {.region_share = share_of(cell->region_time, whole),
                                      .region = cell->region,
                                      .calls = cut(cell->counts[CALLS]),
                                      .messages = cut(cell->counts[SENT] + cell->counts[RECEIVED])};
    for (unsigned use = 0; use < QUIPU__TIMELINE_ABSENT; use++)
        packed.shares[use] = share_of(cell->time[use], whole);
    return packed;
}

static uint64_t members_of(const struct quipu__timeline *timeline, size_t row) {
    uint64_t count = 0;
    for (size_t i = 0; i < timeline->locations.count; i++)
        count += timeline->locations.items[i].has_events && timeline->locations.items[i].row == row;
    return count;
}

static void release(struct quipu_view *view, struct quipu__view_level *level) {
    const size_t cells = level->row_count * level->bins;
    quipu__release(&view->memory, level->cells, cells * sizeof *level->cells);
    quipu__release(&view->memory, level->rows, level->row_count * sizeof *level->rows);
    if (level->where)
        quipu__release(&view->memory, level->where, strlen(level->where) + 1);
    *level = (struct quipu__view_level){0};
}

static void pack_row(const struct quipu__timeline *timeline, size_t row, struct quipu__view_cell *cells) {
    const uint64_t members = members_of(timeline, row);
    for (uint32_t bin = 0; bin < timeline->bins; bin++) {
        const int64_t from = quipu__bin_start(timeline->from, timeline->length, timeline->bins, bin),
                      to =
                          quipu__bin_start(timeline->from, timeline->length, timeline->bins, (uint64_t)bin + 1);
        const uint64_t length = (uint64_t)to - (uint64_t)from;
        cells[bin] = pack(&timeline->cells[row * timeline->bins + bin],
                          members > 0 && length > UINT64_MAX / members ? UINT64_MAX : members * length);
    }
}

static enum quipu_status pack_rows(struct quipu_view *view, const struct quipu__timeline *timeline,
                                   struct quipu__view_level *level, struct quipu_error *err) {
    level->bins = timeline->bins;
    level->row_count = timeline->cells ? timeline->rows.count : 0;
    const size_t cells = level->row_count * level->bins;
    if (cells == 0)
        return QUIPU_OK;
    level->cells = quipu__alloc(&view->memory, cells * sizeof *level->cells);
    level->rows = quipu__alloc(&view->memory, level->row_count * sizeof *level->rows);
    if (!level->cells || !level->rows) {
        release(view, level);
        return quipu__no_memory(err, cells * sizeof *level->cells);
    }
    for (size_t row = 0; row < level->row_count; row++) {
        level->rows[row] = timeline->rows.items[row];
        pack_row(timeline, row, level->cells + row * level->bins);
    }
    return QUIPU_OK;
}

/* ---- What the trace has ---- */

static int by_member(const void *a, const void *b) {
    const struct quipu__view_member *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

static void count_members(struct quipu_view *view) {
    for (size_t i = 0; i < view->members.count; i++) {
        const struct quipu__view_member *member = &view->members.items[i], *before = member - 1;
        view->counts[QUIPU__VIEW_LOCATIONS]++;
        view->counts[QUIPU__VIEW_PROCESSES] += i == 0 || member->process != before->process;
        view->counts[QUIPU__VIEW_HOSTS] += i == 0 || member->host != before->host;
    }
    view->counts[QUIPU__VIEW_ALL] = 1;
}

static enum quipu_status find_members(struct quipu_view *view, const struct quipu__timeline *timeline,
                                      struct quipu_error *err) {
    struct quipu__hosts hosts;
    quipu__hosts_init(&hosts, &view->memory, view->definitions);
    for (uint32_t i = 0; i < timeline->locations.count && i < view->definitions->locations.count; i++)
        if (timeline->locations.items[i].has_events)
            quipu__gate_knows(
                QUIPU__VEC_PUT(&view->memory, &view->members,
                               (struct quipu__view_member){quipu__host_first(&hosts, i),
                                                           quipu__process_of(view->definitions, i), i}));
    quipu__hosts_release(&hosts);
    if (view->members.count > 0)
        quipu__gate_knows(quipu__sort(&view->memory, view->members.items, view->members.count,
                                      sizeof *view->members.items, by_member));
    count_members(view);
    return quipu__memory_status(&view->memory, err);
}

/* Times of the page count from the beginning, so what is 2^63 ns behind it, some 292 years, is not on it. */
static enum quipu_status note_bounds(struct quipu_view *view, const struct quipu__timeline *timeline,
                                     struct quipu_error *err) {
    view->has_bounds = true;
    view->begin = timeline->from;
    view->end = quipu__bounded_sum(timeline->from, quipu__bounded_difference(timeline->to, timeline->from));
    return find_members(view, timeline, err);
}

/* ---- Making levels ---- */

/* A level of an answer of the analysis. */
static enum quipu_status pack_answer(struct quipu_view *view, const struct quipu__timeline *timeline,
                                     struct quipu__view_level *level, struct quipu_error *err) {
    const enum quipu_status status = view->has_bounds ? QUIPU_OK : note_bounds(view, timeline, err);
    return status == QUIPU_OK ? pack_rows(view, timeline, level, err) : status;
}

static enum quipu_status fill(struct quipu_view *view, struct quipu__view_level *level,
                              const struct quipu_selection *selection, struct quipu_error *err) {
    char bins[16];
    snprintf(bins, sizeof bins, "%u", level->wanted);
    const struct quipu_setting settings[] = {{"bins", bins}, {"by", quipu__view_by_names[level->by]}};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu__analysis_answer answer;
    options.selection = selection;
    options.settings = settings;
    options.setting_count = sizeof settings / sizeof *settings;
    enum quipu_status status =
        quipu__analysis_run(view->reader, "timeline", &options, QUIPU__FOR_PICTURE, NULL, &answer, err);
    if (status == QUIPU_OK)
        status = pack_answer(view, answer.state, level, err);
    quipu__analysis_answer_release(&answer);
    quipu_tables_free(answer.tables);
    return status;
}

/* Without the index's levels, a trace with many locations would be read for nothing: then only its bounds are found. */
enum quipu_status quipu__view_find_bounds(struct quipu_view *view, struct quipu_error *err) {
    struct quipu__view_level level = {.wanted = level_bins[1]};
    if (view->has_bounds)
        return QUIPU_OK;
    if ((size_t)view->definitions->locations.count * level.wanted > CELLS_MOST) {
        level.wanted = level_bins[0];
        level.by = QUIPU__VIEW_ALL;
    }
    enum quipu_status status = fill(view, &level, NULL, err);
    struct quipu__view_level *retained =
        status == QUIPU_OK ? QUIPU__VEC_ADD(&view->memory, &view->levels) : NULL;
    if (retained)
        *retained = level;
    else
        release(view, &level);
    return status == QUIPU_OK ? quipu__memory_status(&view->memory, err) : status;
}

static enum quipu_status retain(struct quipu_view *view, const struct quipu__timeline *timeline,
                                struct quipu__view_level level, struct quipu_error *err) {
    const enum quipu_status status = pack_answer(view, timeline, &level, err);
    if (status == QUIPU_OK && QUIPU__VEC_PUT(&view->memory, &view->levels, level))
        return QUIPU_OK;
    release(view, &level);
    return status == QUIPU_OK ? quipu__no_memory(err, sizeof level) : status;
}

enum quipu_status quipu__view_find_levels(struct quipu_view *view, uint32_t count, struct quipu_error *err) {
    enum { SETTINGS = 2 };
    struct quipu__analysis_question questions[QUIPU__VIEW_BYS * LEVELS] = {0};
    struct quipu_setting settings[QUIPU__VIEW_BYS * LEVELS][SETTINGS];
    char bins[LEVELS][16];
    const size_t most = view->definitions->locations.count * (size_t)level_bins[count - 1];
    const size_t all = (size_t)count * QUIPU__VIEW_BYS;
    if (view->has_bounds || most > CELLS_MOST / QUIPU__VIEW_BYS)
        return quipu__view_find_bounds(view, err);
    for (size_t i = 0; i < all; i++) {
        const size_t level = i / QUIPU__VIEW_BYS;
        snprintf(bins[level], sizeof bins[level], "%" PRIu32, level_bins[level]);
        settings[i][0] = (struct quipu_setting){"bins", bins[level]};
        settings[i][1] = (struct quipu_setting){"by", quipu__view_by_names[i % QUIPU__VIEW_BYS]};
        questions[i].settings = settings[i];
        questions[i].setting_count = SETTINGS;
    }
    enum quipu_status status = quipu__analysis_run_together(view->reader, "timeline", questions, all, err);
    const bool is_read = status == QUIPU_OK;
    for (size_t i = 0; i < all; i++) {
        const struct quipu__view_level level = {.by = (enum quipu__view_by)(i % QUIPU__VIEW_BYS),
                                                .wanted = level_bins[i / QUIPU__VIEW_BYS]};
        if (status == QUIPU_OK)
            status = retain(view, questions[i].answer.state, level, err);
        if (questions[i].answer.fold)
            quipu__analysis_answer_release(&questions[i].answer);
        quipu_tables_free(questions[i].answer.tables);
    }
    if (is_read || status != QUIPU_UNSUPPORTED)
        return status == QUIPU_OK ? quipu__memory_status(&view->memory, err) : status;
    quipu_error_clear(err);
    return quipu__view_find_bounds(view, err);
}

/* The window is that of the whole trace, since the locations that are read may have begun later. */
static enum quipu_status fill_rows(struct quipu_view *view, const struct quipu__view_asked *asked,
                                   struct quipu__view_level *level, struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    uint32_t *members = NULL;
    selection.where = level->where;
    if (level->is_partial) {
        members = quipu__view_locations(view, asked, &selection.location_count);
        if (!members)
            return quipu__no_memory(err, asked->row_count);
        selection.locations = members;
        selection.from = quipu_clock_ticks(&view->definitions->clock, view->begin);
        selection.to = quipu_clock_ticks(&view->definitions->clock, view->end);
    }
    const enum quipu_status status = fill(view, level, &selection, err);
    if (members)
        quipu__release(&view->memory, members, selection.location_count * sizeof *members);
    return status;
}

/* ---- Retaining levels ---- */

static bool has_rows(const struct quipu__view_level *level, const struct quipu__view_asked *asked) {
    size_t number = 0;
    for (uint32_t i = 0; i < asked->row_count; i++) {
        while (number < level->row_count && level->rows[number] < asked->rows[i])
            number++;
        if (number == level->row_count || level->rows[number] != asked->rows[i])
            return false;
    }
    return true;
}

static struct quipu__view_level *find(struct quipu_view *view, const struct quipu__view_asked *asked,
                                      uint32_t wanted) {
    for (size_t i = 0; i < view->levels.count; i++) {
        struct quipu__view_level *level = &view->levels.items[i];
        if (level->by == asked->by && level->wanted == wanted &&
            strcmp(level->where ? level->where : "", asked->where) == 0 &&
            (!level->is_partial || has_rows(level, asked)))
            return level;
    }
    return NULL;
}

/* Gives up those that were not asked for the longest, until there is room. */
static void make_room(struct quipu_view *view) {
    for (;;) {
        size_t cells = 0, oldest = 0;
        for (size_t i = 0; i < view->levels.count; i++) {
            cells += view->levels.items[i].row_count * view->levels.items[i].bins;
            if (view->levels.items[i].used < view->levels.items[oldest].used)
                oldest = i;
        }
        if (view->levels.count < 2 || cells + CELLS_MOST <= RETAINED_MOST)
            return;
        release(view, &view->levels.items[oldest]);
        view->levels.items[oldest] = view->levels.items[--view->levels.count];
    }
}

static enum quipu_status make(struct quipu_view *view, const struct quipu__view_asked *asked, uint32_t wanted,
                              struct quipu__view_level **out, struct quipu_error *err) {
    struct quipu__view_level level = {.by = asked->by, .wanted = wanted};
    const size_t size = strlen(asked->where) + 1;
    make_room(view);
    level.is_partial = view->counts[asked->by] * wanted > CELLS_MOST;
    level.where = size > 1 ? quipu__alloc(&view->memory, size) : NULL;
    if (size > 1 && !level.where)
        return quipu__no_memory(err, size);
    if (level.where)
        memcpy(level.where, asked->where, size);
    enum quipu_status status = fill_rows(view, asked, &level, err);
    *out = status == QUIPU_OK ? QUIPU__VEC_ADD(&view->memory, &view->levels) : NULL;
    if (*out) {
        **out = level;
        return QUIPU_OK;
    }
    release(view, &level);
    return status == QUIPU_OK ? quipu__no_memory(err, sizeof level) : status;
}

void quipu__view_levels_release(struct quipu_view *view) {
    for (size_t i = 0; i < view->levels.count; i++)
        release(view, &view->levels.items[i]);
    QUIPU__VEC_RELEASE(&view->memory, &view->levels);
    QUIPU__VEC_RELEASE(&view->memory, &view->members);
}

/* ---- The answer ---- */

/* The digits of numbers up to 63. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The names of uses are those of the columns, which begin with computing. */
static const struct quipu_analysis_table *timeline_table(size_t *first) {
    const struct quipu_analysis_table *table = &quipu__timeline_fold.info.tables[0];
    for (*first = 0; strcmp(table->columns[*first].name, "useful_ns") != 0;)
        ++*first;
    return table;
}

static void put_shares(struct quipu__view_answer *answer, const char *key, const struct quipu__view_cell *cells,
                       uint32_t count, size_t offset) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= ((const uint8_t *)&cells[i])[offset];
    if (any == 0)
        return;
    quipu__json_key(&answer->json, key);
    quipu__put_u8(answer->out, '"');
    for (uint32_t i = 0; i < count; i++)
        quipu__put_u8(answer->out, (uint8_t)digits[((const uint8_t *)&cells[i])[offset]]);
    quipu__put_u8(answer->out, '"');
}

static void put_uses(struct quipu__view_answer *answer, const struct quipu__view_cell *cells, uint32_t count) {
    size_t first;
    const struct quipu_analysis_table *table = timeline_table(&first);
    quipu__json_open(&answer->json, "shares", QUIPU__JSON_OBJECT);
    for (size_t use = 0; use < QUIPU__TIMELINE_ABSENT; use++) {
        char name[32];
        const char *column = table->columns[first + use].name;
        snprintf(name, sizeof name, "%.*s", (int)(strlen(column) - strlen("_ns")), column);
        put_shares(answer, name, cells, count, offsetof(struct quipu__view_cell, shares) + use);
    }
    quipu__json_close(&answer->json);
}

static uint32_t number_of(const struct quipu__view_cell *cell, size_t offset) {
    uint32_t number;
    memcpy(&number, (const char *)cell + offset, sizeof number);
    return number;
}

/* Runs of equal numbers: a number and how often it comes. */
static void put_runs(struct quipu__view_answer *answer, const char *key, const struct quipu__view_cell *cells,
                     uint32_t count, size_t offset) {
    quipu__json_open(&answer->json, key, QUIPU__JSON_LIST);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && number_of(&cells[end], offset) == number_of(&cells[i], offset);)
            end++;
        quipu__json_i64(&answer->json, NULL, number_of(&cells[i], offset));
        quipu__json_i64(&answer->json, NULL, end - i);
    }
    quipu__json_close(&answer->json);
}

static void put_row(struct quipu__view_answer *answer, uint32_t row, const struct quipu__view_cell *cells,
                    uint32_t count) {
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_i64(&answer->json, "row", row);
    put_uses(answer, cells, count);
    put_shares(answer, "region_share", cells, count, offsetof(struct quipu__view_cell, region_share));
    put_runs(answer, "region", cells, count, offsetof(struct quipu__view_cell, region));
    put_runs(answer, "calls", cells, count, offsetof(struct quipu__view_cell, calls));
    put_runs(answer, "messages", cells, count, offsetof(struct quipu__view_cell, messages));
    quipu__json_close(&answer->json);
    for (uint32_t i = 0; i < count; i++)
        quipu__view_mention(answer, cells[i].region - 1);
}

static void put_tile(struct quipu__view_answer *answer, const struct quipu__view_level *level) {
    const struct quipu__view_asked *asked = answer->asked;
    const uint64_t begin = asked->index * TILE_BINS;
    const uint32_t first = begin < level->bins ? (uint32_t)begin : level->bins,
                   count = level->bins - first < TILE_BINS ? level->bins - first : TILE_BINS;
    quipu__json_i64(&answer->json, "bins", level->bins);
    quipu__json_i64(&answer->json, "first", first);
    quipu__json_i64(&answer->json, "count", count);
    quipu__json_open(&answer->json, "rows", QUIPU__JSON_LINES);
    for (size_t row = 0; row < level->row_count && count > 0; row++)
        if (quipu__view_asked_row(asked, level->rows[row]) != QUIPU_NONE)
            put_row(answer, level->rows[row], level->cells + row * level->bins + first, count);
    quipu__json_close(&answer->json);
}

enum quipu_status quipu__view_tile(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    const uint32_t wanted = quipu__view_level_bins(view, answer->asked->by, answer->asked->level);
    if (wanted == 0)
        return quipu__fail(err, QUIPU_MISUSE, "there is no level %" PRIu64, answer->asked->level);
    struct quipu__view_level *level = find(view, answer->asked, wanted);
    const enum quipu_status status = level ? QUIPU_OK : make(view, answer->asked, wanted, &level, err);
    if (status != QUIPU_OK)
        return status;
    level->used = ++view->asked;
    put_tile(answer, level);
    return QUIPU_OK;
}
