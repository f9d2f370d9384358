/* why_table.c: the tables of what a program loses time to. */
#include "analysis/answers.h"
#include "analysis/cells.h"
#include "analysis/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOSSES_MOST = 5, COMMAND_BYTES = 512 };

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const struct quipu_table_column why_columns[] = {
    {"locations", QUIPU_TYPE_U64, "", "locations with events"},
    {"runtime_ns", QUIPU_TYPE_I64, "ns", "from the first event to the last"},
    {"losses", QUIPU_TYPE_U64, "", "losses that are larger than what the clocks leave open"},
    {"uncertain_losses", QUIPU_TYPE_U64, "", "losses that are not, and so are not listed"},
    {"small_losses", QUIPU_TYPE_U64, "",
     "those of losses that are below 0.1 % of the time of all locations, and so are not listed"},
    {"unmatched_sends", QUIPU_TYPE_U64, "", "sends without a receive, whose waits are not known"},
    {"unmatched_receives", QUIPU_TYPE_U64, "", "receives without a send"},
    {"incomplete", QUIPU_TYPE_U64, "", "collective operations in which not all take part"},
    {"unfinished_calls", QUIPU_TYPE_U64, "", "calls without end, which are counted until the last event there"},
    {"unfinished_locations", QUIPU_TYPE_U64, "", "locations that they are at"},
    {"clock_violations", QUIPU_TYPE_U64, "", "messages that arrive before they are sent"},
    {"worst_ns", QUIPU_TYPE_I64, "ns", "by how much at most"},
    {"corridor_ns", QUIPU_TYPE_I64, "ns", "how far clocks may be off without contradicting a message"},
    {"unknown_clocks", QUIPU_TYPE_U64, "",
     "locations of whose clock nothing is known, for want of messages both ways"},
    {"unexplained_ns", QUIPU_TYPE_I64, "ns",
     "waiting for locations that spend less time in their regions: they begin late, or their clocks are off"},
    {"unexplained_location", QUIPU_TYPE_TEXT, "", "the one that most of it is for"},
    QUIPU__ID_COLUMN("unexplained_location_id"),
    {"roi_begin_ns", QUIPU_TYPE_TIME, "ns",
     "beginning of what efficiencies are of: from MPI_Init to MPI_Finalize, where all have both"},
    {"roi_ns", QUIPU_TYPE_I64, "ns", "how long that is"},
    {"covered_ns", QUIPU_TYPE_I64, "ns",
     "the time that losses are of: from there until the last process finalises MPI, where efficiencies end "
     "with the first"},
};
static const struct quipu_table_column efficiency_columns[] = {
    {"metric", QUIPU_TYPE_TEXT, "", "name of the efficiency"},
    {"part_of", QUIPU_TYPE_TEXT, "", "the efficiency that it is a factor of"},
    {"value", QUIPU_TYPE_F64, "", "1: nothing is lost"},
    {"meaning", QUIPU_TYPE_TEXT, "", "what is lost to it"},
    {"command", QUIPU_TYPE_TEXT, "", "shows more"},
};
static const struct quipu_table_column loss_columns[] = {
    {"loss_ns", QUIPU_TYPE_I64, "ns", "time of all locations that is lost"},
    {"share_percent", QUIPU_TYPE_F64, "%", "the same, of the time of all locations, see covered_ns"},
    {"kind", QUIPU_TYPE_TEXT, "", "delay: others wait for it; else the pattern of its waits"},
    {"location", QUIPU_TYPE_TEXT, "", "whose fault it is"},
    QUIPU__ID_COLUMN("location_id"),
    {"region", QUIPU_TYPE_TEXT, "", "where it spends the time"},
    {"indirect_ns", QUIPU_TYPE_I64, "ns", "waiting of those that wait for others which wait for it"},
    {"path_ns", QUIPU_TYPE_I64, "ns",
     "time of the location in the region on the critical path of the whole trace"},
    {"waiters", QUIPU_TYPE_U64, "", "locations that wait for it"},
    {"victim", QUIPU_TYPE_TEXT, "", "who waits longest for it"},
    QUIPU__ID_COLUMN("victim_id"),
    {"victim_region", QUIPU_TYPE_TEXT, "", "in which call"},
    {"victim_pattern", QUIPU_TYPE_TEXT, "", "and why"},
    {"victim_ns", QUIPU_TYPE_I64, "ns", "how long"},
    {"uncertainty_ns", QUIPU_TYPE_I64, "ns", "what the clocks leave open of it"},
    {"command", QUIPU_TYPE_TEXT, "", "shows more"},
};

/* ---- One row about the trace ---- */

static uint64_t count_losses(const struct quipu__why *why, bool is_certain) {
    uint64_t count = 0;
    for (size_t i = 0; i < why->losses.count; i++)
        count +=
            why->losses.items[i].time > 0 && quipu__why_is_certain(why, &why->losses.items[i]) == is_certain;
    return count;
}

static bool is_small(const struct quipu__why *why, const struct quipu__loss *loss) {
    return loss->time > 0 && quipu__why_is_certain(why, loss) && !quipu__why_is_large(why, loss);
}

static uint64_t count_small_losses(const struct quipu__why *why) {
    uint64_t count = 0;
    for (size_t i = 0; i < why->losses.count; i++)
        count += is_small(why, &why->losses.items[i]);
    return count;
}

/* The widest corridor of a clock, and how many clocks have one. */
static int64_t widest_corridor(const struct quipu__why *why, int64_t *known) {
    const struct quipu_table *table = quipu__answer_table(why->answers[QUIPU__WHY_CLOCK], "offsets");
    int64_t widest = 0;
    *known = 0;
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const int64_t corridor = quipu__answer_number(table, row, "corridor_ns");
        *known += !quipu__answer_cell(table, row, "corridor_ns")->is_null;
        widest = corridor > widest ? corridor : widest;
    }
    return widest;
}

/* Waiting that no region explains, and for whom most of it is. */
static void put_unexplained(const struct quipu__why *why, struct quipu__cells *cells) {
    uint32_t most = QUIPU_NONE;
    int64_t time = 0;
    for (uint32_t i = 0; i < why->awaited.count; i++) {
        const int64_t unexplained = why->awaited.items[i].unexplained;
        if (unexplained > 0 && (most == QUIPU_NONE || unexplained > why->awaited.items[most].unexplained))
            most = i;
        time += unexplained;
    }
    quipu__cells_put_i64(cells, time);
    quipu__cells_put_name_and_id(cells, QUIPU_REFERS_LOCATION, most);
}

static int64_t number_of(const struct quipu__why *why, enum quipu__why_answer answer, const char *table,
                         const char *column) {
    return quipu__answer_number(quipu__answer_table(why->answers[answer], table), 0, column);
}

static enum quipu_status put_why(const struct quipu__why *why, struct quipu_table *table,
                                 struct quipu_error *err) {
    static const char *const counts[] = {"unmatched_sends", "unmatched_receives", "incomplete"};
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    const int64_t locations = (int64_t)why->location_count;
    int64_t known;
    const int64_t corridor = widest_corridor(why, &known);
    quipu__cells_put_i64(&cells, locations);
    quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_PATH, "critical_path", "runtime_ns"));
    quipu__cells_put_u64(&cells, count_losses(why, true));
    quipu__cells_put_u64(&cells, count_losses(why, false));
    quipu__cells_put_u64(&cells, count_small_losses(why));
    for (size_t i = 0; i < COUNT(counts); i++)
        quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_WAITS, "matching", counts[i]));
    quipu__cells_put_u64(&cells, why->unfinished.calls);
    quipu__cells_put_u64(&cells, why->unfinished.locations);
    quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_CLOCK, "clock", "violations"));
    quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_CLOCK, "clock", "worst_ns"));
    quipu__cells_put_i64(&cells, corridor);
    quipu__cells_put_i64(&cells, locations > known ? locations - known : 0);
    put_unexplained(why, &cells);
    quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_EFFICIENCY, "efficiency", "roi_begin_ns"));
    quipu__cells_put_i64(&cells, number_of(why, QUIPU__WHY_EFFICIENCY, "efficiency", "runtime_ns"));
    quipu__cells_put_i64(&cells, why->covered);
    return quipu_table_add(table, cells.items, err);
}

/* ---- Efficiencies ---- */

static const struct {
    const char *metric, *part_of, *meaning, *command;
} efficiencies[] = {
    {"parallel_efficiency", NULL, "all of it", "quipu efficiency TRACE"},
    {"load_balance", "parallel_efficiency", "uneven work", "quipu imbalance TRACE"},
    {"communication_efficiency", "parallel_efficiency", "communication", "quipu comm TRACE"},
    {"serialisation_efficiency", "communication_efficiency", "waiting", "quipu waits TRACE"},
    {"transfer_efficiency", "communication_efficiency", "transfers of data",
     "quipu replay TRACE --network ideal"},
};

static enum quipu_status put_efficiencies(const struct quipu__why *why, struct quipu_table *table,
                                          struct quipu_error *err) {
    const struct quipu_table *from = quipu__answer_table(why->answers[QUIPU__WHY_EFFICIENCY], "efficiency");
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < COUNT(efficiencies) && status == QUIPU_OK; i++) {
        struct quipu__cells cells = quipu__cells_of(why->definitions);
        quipu__cells_put_text(&cells, efficiencies[i].metric);
        quipu__cells_put_text(&cells, efficiencies[i].part_of);
        cells.items[cells.count++] = *quipu__answer_cell(from, 0, efficiencies[i].metric);
        quipu__cells_put_text(&cells, efficiencies[i].meaning);
        quipu__cells_put_text(&cells, efficiencies[i].command);
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

/* ---- Losses ---- */

/* A name in single quotes, as a shell takes it. False when it does not fit. */
static bool quote(const char *name, char *out, size_t size) {
    size_t len = 0;
    for (; *name && len + 5 < size; name++)
        len += (size_t)snprintf(out + len, size - len, *name == '\'' ? "'\\''" : "%c", *name);
    out[len] = '\0';
    return *name == '\0';
}

static void write_command(const struct quipu__loss *loss, char out[COMMAND_BYTES]) {
    char name[COMMAND_BYTES / 2];
    if (strcmp(loss->kind, "io-wait") == 0)
        snprintf(out, COMMAND_BYTES, "quipu io TRACE");
    else if (strcmp(loss->kind, QUIPU__WHY_DELAY) != 0)
        snprintf(out, COMMAND_BYTES, "quipu waits TRACE --by pattern,location,region");
    else if (loss->region && loss->number != QUIPU_NONE && quote(loss->region, name, sizeof name))
        snprintf(out, COMMAND_BYTES, "quipu calls TRACE --region '%s' --location %" PRIu32, name, loss->number);
    else
        snprintf(out, COMMAND_BYTES, "quipu waits TRACE --causes");
}

static void put_awaited(const struct quipu__awaited *awaited, struct quipu__cells *cells) {
    if (!awaited || !awaited->location) {
        quipu__cells_put_u64(cells, 0);
        for (int i = 0; i < 6; i++)
            quipu__cells_put_null(cells);
        return;
    }
    quipu__cells_put_u64(cells, awaited->waiters);
    quipu__cells_put_text(cells, awaited->location);
    quipu__cells_put_i64(cells, awaited->location_id);
    quipu__cells_put_text(cells, awaited->region);
    quipu__cells_put_text(cells, awaited->pattern);
    quipu__cells_put_i64(cells, awaited->time);
    quipu__cells_put_i64(cells, awaited->uncertain);
}

static enum quipu_status put_loss(const struct quipu__why *why, const struct quipu__loss *loss,
                                  struct quipu_table *table, struct quipu_error *err) {
    const bool is_awaited = quipu__why_is_awaited(why, loss);
    char command[COMMAND_BYTES];
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    quipu__cells_put_i64(&cells, loss->time);
    quipu__cells_put_ratio(&cells, (uint64_t)loss->time * 100, why->location_count * (uint64_t)why->covered, 2);
    quipu__cells_put_text(&cells, loss->kind);
    quipu__cells_put_text(&cells, loss->location);
    quipu__cells_put_i64(&cells, loss->location_id);
    quipu__cells_put_text(&cells, loss->region);
    quipu__cells_put_i64(&cells, loss->indirect);
    quipu__cells_put_i64(&cells, loss->on_path);
    put_awaited(is_awaited ? &why->awaited.items[loss->number] : NULL, &cells);
    write_command(loss, command);
    quipu__cells_put_text(&cells, command);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status put_losses(const struct quipu__why *why, struct quipu_table *table,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < why->losses.count && status == QUIPU_OK; i++) {
        const struct quipu__loss *loss = &why->losses.items[i];
        if (quipu_table_row_count(table) < LOSSES_MOST && quipu__why_is_certain(why, loss) &&
            quipu__why_is_large(why, loss))
            status = put_loss(why, loss, table, err);
    }
    return status;
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    const struct quipu_table_column *columns;
    size_t count;
    enum quipu_status (*put)(const struct quipu__why *why, struct quipu_table *table, struct quipu_error *err);
} tables_of[] = {
    {"why", why_columns, COUNT(why_columns), put_why},
    {"efficiency", efficiency_columns, COUNT(efficiency_columns), put_efficiencies},
    {"losses", loss_columns, COUNT(loss_columns), put_losses},
};

enum quipu_status quipu__why_tables(const struct quipu__why *why, struct quipu_tables *tables,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < COUNT(tables_of) && status == QUIPU_OK; i++) {
        struct quipu_table *table;
        status =
            quipu__tables_add(tables, tables_of[i].name, tables_of[i].columns, tables_of[i].count, &table, err);
        if (status == QUIPU_OK)
            status = tables_of[i].put(why, table, err);
    }
    return status;
}
