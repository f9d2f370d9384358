/* why.c: what a program loses time to. Asks other analyses and joins their answers, so its figures are theirs. */
#include "analysis/shared/answers.h"
#include "analysis/shared/cells.h"
#include "analysis/critical_path.h"
#include "analysis/waits/delays.h"
#include "analysis/shared/located.h"
#include "analysis/shared/matching_table.h"
#include "analysis/replay/network_replay.h"
#include "analysis/together.h"
#include "analysis/waits/wait_states.h"
#include "analysis/waits/waits.h"
#include "core/error.h"
#include "core/scale.h"
#include "table/table.h"
#include "trace/reader.h"

#include <quipu/why.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The answers that it is made from. */
enum why_answer {
    WHY_EFFICIENCY,
    WHY_PATH,
    WHY_CLOCK,
    WHY_WAITS, /* the last one: it needs to know the region of interest */
    WHY_ANSWERS
};

/* Time that is lost because of what a location does in a region, or that it waits there for no other location. */
struct loss {
    const char *kind;     /* WHY_DELAY, or the pattern of the wait */
    const char *location; /* whose fault */
    const char *region;   /* NULL: outside of any */
    uint32_t number;      /* of the location */
    int64_t location_id;
    int64_t time, indirect;
    int64_t spent;   /* time of the location in the region */
    int64_t on_path; /* the same, on the critical path */
};

/* The kind of a loss that others have by waiting. */
#define WHY_DELAY "delay"

/* What others wait for a location. */
struct awaited {
    uint64_t waiters;
    int64_t uncertain;   /* ns that the clocks leave open */
    int64_t unexplained; /* of waiting for it: its regions take less time than others wait for them */
    int64_t corridor;    /* of its clock; -1: not known */
    const char *location, *region, *pattern; /* of the longest wait */
    int64_t location_id, time;
};

struct why {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu_tables *answers[WHY_ANSWERS];
    struct quipu__located located;
    QUIPU__VEC(struct loss) losses;
    struct quipu__map loss_of;
    QUIPU__VEC(struct awaited) awaited; /* by location */
    struct quipu__map waiting;          /* pairs of those that wait and whom they wait for */
    int64_t covered;                    /* the time in which losses are looked for, ns */
    uint64_t location_count;            /* with events */
    struct quipu__unfinished_calls unfinished;
    int64_t outside; /* the most that a location spends outside of regions, ns */
};

/* ==== Losses ====
 *
 * Delays by location and region, and waiting that no other location causes.
 */

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_loss(const struct loss *loss, const struct loss *key) {
    return loss->number == key->number && is_same_text(loss->kind, key->kind) &&
           is_same_text(loss->region, key->region);
}

/* Where the loss with this kind, location and region is in the map, or would be. */
static uint64_t slot_of(const struct why *why, const struct loss *key) {
    const uint64_t seed = why->loss_of.seed;
    const uint64_t words[] = {key->number, quipu__hash(key->kind, strlen(key->kind), seed),
                              key->region ? quipu__hash(key->region, strlen(key->region), seed) : 0};
    uint64_t slot = quipu__hash(words, sizeof words, seed);
    uint32_t number;
    while ((number = quipu__map_get(&why->loss_of, slot)) != QUIPU_NONE &&
           !is_loss(&why->losses.items[number], key))
        slot++;
    return slot;
}

/* NULL when there is none. */
static struct loss *find_loss(struct why *why, const struct loss *key) {
    const uint32_t number = quipu__map_get(&why->loss_of, slot_of(why, key));
    return number == QUIPU_NONE ? NULL : &why->losses.items[number];
}

/* Makes it when there is none; NULL when memory is out. */
static struct loss *loss_of(struct why *why, const struct loss *key) {
    struct loss *loss = find_loss(why, key);
    if (loss)
        return loss;
    loss = QUIPU__VEC_ADD(&why->memory, &why->losses);
    if (!loss || !quipu__map_put(&why->loss_of, slot_of(why, key), (uint32_t)(why->losses.count - 1)))
        return NULL;
    *loss = *key;
    return loss;
}

/* Location and region of a row. */
static struct loss key_at(const struct why *why, const char *kind, const struct quipu_table *table,
                          size_t row) {
    struct loss key = {.kind = kind,
                       .location = quipu__answer_text(table, row, "location"),
                       .region = quipu__answer_text(table, row, "region"),
                       .location_id = quipu__answer_number(table, row, "location_id")};
    key.number = quipu__located_find(&why->located, key.location, (uint64_t)key.location_id);
    return key;
}

static void add_time(struct why *why, const char *kind, const struct quipu_table *table, size_t row,
                     int64_t time, int64_t indirect) {
    const struct loss key = key_at(why, kind, table, row);
    struct loss *loss = loss_of(why, &key);
    if (!loss)
        return;
    loss->time += time;
    loss->indirect += indirect;
}

static void add_delays(struct why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[WHY_WAITS], "delays");
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const int64_t indirect = quipu__answer_number(table, row, "long_ns");
        add_time(why, WHY_DELAY, table, row, quipu__answer_number(table, row, "short_ns") + indirect, indirect);
    }
}

/* ---- Delays that their regions do not explain ---- */

/* The key of a delay at a location, in a region, whose text is in the cells. */
static struct loss key_in(struct quipu__cells *cells, uint32_t location, uint32_t region) {
    quipu__cells_put_name(cells, QUIPU_REFERS_REGION, region);
    return (struct loss){
        .kind = WHY_DELAY, .number = location, .region = cells->items[0].is_null ? NULL : cells->items[0].text};
}

static void add_spent(void *context, uint32_t location, uint32_t region, int64_t time) {
    struct why *why = context;
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    const struct loss key = key_in(&cells, location, region);
    struct loss *loss = find_loss(why, &key);
    if (loss)
        loss->spent += time;
    if (region == QUIPU_NONE && time > why->outside)
        why->outside = time;
}

/* Each of the others waits no longer for a region than the location is in it, when all begin together and have one clock. That they do not
 * leave what they had in common before together makes it somewhat longer; of what is more than twice as long the region explains less
 * than half. */
static void remove_unexplained(struct why *why) {
    const uint64_t others = why->location_count - 1;
    for (size_t i = 0; i < why->losses.count; i++) {
        struct loss *loss = &why->losses.items[i];
        uint64_t rest;
        const int64_t spent = loss->region ? loss->spent : why->outside;
        if (loss->number >= why->awaited.count ||
            (uint64_t)loss->time / 2 <= quipu__scale_down((uint64_t)spent, others, 1, &rest))
            continue;
        why->awaited.items[loss->number].unexplained += loss->time;
        loss->time = 0;
    }
}

/* ---- Who waits for whom ---- */

static const struct quipu__wait_pattern_row *pattern_find(const char *text) {
    size_t pattern = 0;
    while (strcmp(quipu__wait_patterns[pattern].text, text) != 0)
        pattern++;
    return &quipu__wait_patterns[pattern];
}

static bool has_clock_of(const struct why *why, uint32_t a, uint32_t b) {
    const char *host = why->definitions->locations.items[a].host;
    const char *other = why->definitions->locations.items[b].host;
    return host && host[0] && is_same_text(host, other);
}

/* How far the clocks of two locations may be apart without contradicting any message. */
static int64_t corridor_of(const struct why *why, uint32_t a, uint32_t b) {
    const int64_t one = why->awaited.items[a].corridor, other = why->awaited.items[b].corridor;
    return one < 0 || other < 0 || has_clock_of(why, a, b) ? 0 : one + other;
}

static void add_wait(struct why *why, const struct quipu_table *table, size_t row, const char *pattern) {
    const char *location = quipu__answer_text(table, row, "location");
    const int64_t location_id = quipu__answer_number(table, row, "location_id");
    const int64_t time = quipu__answer_number(table, row, "time_ns");
    const uint32_t waiting = quipu__located_find(&why->located, location, (uint64_t)location_id);
    const uint32_t peer = quipu__located_find(&why->located, quipu__answer_text(table, row, "peer"),
                                              (uint64_t)quipu__answer_number(table, row, "peer_id"));
    if (waiting >= why->awaited.count || peer >= why->awaited.count)
        return;
    struct awaited *awaited = &why->awaited.items[peer];
    const uint64_t pair = (uint64_t)waiting << 32 | peer;
    if (quipu__map_get(&why->waiting, pair) == QUIPU_NONE && quipu__map_put(&why->waiting, pair, 1))
        awaited->waiters++;
    awaited->uncertain += quipu__answer_number(table, row, "instances") * corridor_of(why, waiting, peer);
    if (time <= awaited->time)
        return;
    awaited->time = time;
    awaited->location = location;
    awaited->location_id = location_id;
    awaited->region = quipu__answer_text(table, row, "region");
    awaited->pattern = pattern;
}

static void add_waits(struct why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[WHY_WAITS], "waits");
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const char *pattern = quipu__answer_text(table, row, "pattern");
        if (pattern_find(pattern)->synchronises)
            add_wait(why, table, row, pattern);
        else
            add_time(why, pattern, table, row, quipu__answer_number(table, row, "time_ns"), 0);
    }
}

static void add_corridors(struct why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[WHY_CLOCK], "offsets");
    const size_t count = why->definitions->locations.count;
    if (!QUIPU__VEC_RESERVE(&why->memory, &why->awaited, count))
        return;
    why->awaited.count = count;
    for (size_t i = 0; i < count; i++)
        why->awaited.items[i].corridor = -1;
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const uint32_t location =
            quipu__located_find(&why->located, quipu__answer_text(table, row, "location"),
                                (uint64_t)quipu__answer_number(table, row, "location_id"));
        if (location < count && !quipu__answer_cell(table, row, "corridor_ns")->is_null)
            why->awaited.items[location].corridor = quipu__answer_number(table, row, "corridor_ns");
    }
}

/* ---- The critical path ---- */

static void add_path_time(struct why *why, const struct loss *key, int64_t time) {
    struct loss *loss = find_loss(why, key);
    if (loss)
        loss->on_path += time;
}

static void add_on_path(void *context, uint32_t location, uint32_t region, int64_t time) {
    struct why *why = context;
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    struct loss key = key_in(&cells, location, region);
    add_path_time(why, &key, time);
    for (int i = 0; i < QUIPU__WAIT_PATTERNS; i++) {
        key.kind = quipu__wait_patterns[i].text;
        if (!quipu__wait_patterns[i].synchronises)
            add_path_time(why, &key, time);
    }
}

/* ---- All of it ---- */

static int compare_losses(const void *a, const void *b) {
    const struct loss *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    const int order = strcmp(x->region ? x->region : "", y->region ? y->region : "");
    return order != 0 ? order : strcmp(x->kind, y->kind);
}

/* Fills in losses and what others wait for each location, with what is known besides the tables of how long locations are in regions, and
 * on the critical path there; sorts the losses. */
static void why_find(struct why *why, struct quipu__delays *delays, const struct quipu__critical_path *path) {
    add_corridors(why);
    add_delays(why);
    quipu__delays_each_time(delays, add_spent, why);
    remove_unexplained(why);
    add_waits(why);
    quipu__critical_path_each_time(path, add_on_path, why);
    if (why->losses.count > 0)
        qsort(why->losses.items, why->losses.count, sizeof *why->losses.items, compare_losses);
}

/* Whether others wait for the location of the loss. */
static bool why_is_awaited(const struct why *why, const struct loss *loss) {
    return loss->number < why->awaited.count && strcmp(loss->kind, WHY_DELAY) == 0;
}

/* Whether a loss is at least a thousandth of the time of all locations. */
static bool why_is_large(const struct why *why, const struct loss *loss) {
    enum { LISTED_PART = 1000 };
    uint64_t rest;
    return loss->time > 0 && quipu__scale_down((uint64_t)loss->time, LISTED_PART, 1, &rest) >=
                                 quipu__scale_down((uint64_t)why->covered, why->location_count, 1, &rest);
}

/* Whether a loss is larger than what the clocks leave open. */
static bool why_is_certain(const struct why *why, const struct loss *loss) {
    return loss->time > (why_is_awaited(why, loss) ? why->awaited.items[loss->number].uncertain : 0);
}

/* ==== The tables ==== */

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

static uint64_t count_losses(const struct why *why, bool is_certain) {
    uint64_t count = 0;
    for (size_t i = 0; i < why->losses.count; i++)
        count += why->losses.items[i].time > 0 && why_is_certain(why, &why->losses.items[i]) == is_certain;
    return count;
}

static bool is_small(const struct why *why, const struct loss *loss) {
    return loss->time > 0 && why_is_certain(why, loss) && !why_is_large(why, loss);
}

static uint64_t count_small_losses(const struct why *why) {
    uint64_t count = 0;
    for (size_t i = 0; i < why->losses.count; i++)
        count += is_small(why, &why->losses.items[i]);
    return count;
}

/* The widest corridor of a clock, and how many clocks have one. */
static int64_t widest_corridor(const struct why *why, int64_t *known) {
    const struct quipu_table *table = quipu__answer_table(why->answers[WHY_CLOCK], "offsets");
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
static void put_unexplained(const struct why *why, struct quipu__cells *cells) {
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

static int64_t number_of(const struct why *why, enum why_answer answer, const char *table, const char *column) {
    return quipu__answer_number(quipu__answer_table(why->answers[answer], table), 0, column);
}

static enum quipu_status put_why(const struct why *why, struct quipu_table *table, struct quipu_error *err) {
    static const char *const counts[] = {"unmatched_sends", "unmatched_receives", "incomplete"};
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    const int64_t locations = (int64_t)why->location_count;
    int64_t known;
    const int64_t corridor = widest_corridor(why, &known);
    quipu__cells_put_i64(&cells, locations);
    quipu__cells_put_i64(&cells, number_of(why, WHY_PATH, "critical_path", "runtime_ns"));
    quipu__cells_put_u64(&cells, count_losses(why, true));
    quipu__cells_put_u64(&cells, count_losses(why, false));
    quipu__cells_put_u64(&cells, count_small_losses(why));
    for (size_t i = 0; i < COUNT(counts); i++)
        quipu__cells_put_i64(&cells, number_of(why, WHY_WAITS, "matching", counts[i]));
    quipu__cells_put_u64(&cells, why->unfinished.calls);
    quipu__cells_put_u64(&cells, why->unfinished.locations);
    quipu__cells_put_i64(&cells, number_of(why, WHY_CLOCK, "clock", "violations"));
    quipu__cells_put_i64(&cells, number_of(why, WHY_CLOCK, "clock", "worst_ns"));
    quipu__cells_put_i64(&cells, corridor);
    quipu__cells_put_i64(&cells, locations > known ? locations - known : 0);
    put_unexplained(why, &cells);
    quipu__cells_put_i64(&cells, number_of(why, WHY_EFFICIENCY, "efficiency", "roi_begin_ns"));
    quipu__cells_put_i64(&cells, number_of(why, WHY_EFFICIENCY, "efficiency", "runtime_ns"));
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

static enum quipu_status put_efficiencies(const struct why *why, struct quipu_table *table,
                                          struct quipu_error *err) {
    const struct quipu_table *from = quipu__answer_table(why->answers[WHY_EFFICIENCY], "efficiency");
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

static void write_command(const struct loss *loss, char out[COMMAND_BYTES]) {
    char name[COMMAND_BYTES / 2];
    if (strcmp(loss->kind, "io-wait") == 0)
        snprintf(out, COMMAND_BYTES, "quipu io TRACE");
    else if (strcmp(loss->kind, WHY_DELAY) != 0)
        snprintf(out, COMMAND_BYTES, "quipu waits TRACE --by pattern,location,region");
    else if (loss->region && loss->number != QUIPU_NONE && quote(loss->region, name, sizeof name))
        snprintf(out, COMMAND_BYTES, "quipu calls TRACE --region '%s' --location %" PRIu32, name, loss->number);
    else
        snprintf(out, COMMAND_BYTES, "quipu waits TRACE --causes");
}

static void put_awaited(const struct awaited *awaited, struct quipu__cells *cells) {
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

static enum quipu_status put_loss(const struct why *why, const struct loss *loss, struct quipu_table *table,
                                  struct quipu_error *err) {
    const bool is_awaited = why_is_awaited(why, loss);
    char command[COMMAND_BYTES];
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    quipu__cells_put_i64(&cells, loss->time);
    quipu__cells_put_percent(&cells, (uint64_t)loss->time, why->location_count, (uint64_t)why->covered);
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

static enum quipu_status put_losses(const struct why *why, struct quipu_table *table, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < why->losses.count && status == QUIPU_OK; i++) {
        const struct loss *loss = &why->losses.items[i];
        if (quipu_table_row_count(table) < LOSSES_MOST && why_is_certain(why, loss) && why_is_large(why, loss))
            status = put_loss(why, loss, table, err);
    }
    return status;
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    const struct quipu_table_column *columns;
    size_t count;
    enum quipu_status (*put)(const struct why *why, struct quipu_table *table, struct quipu_error *err);
} tables_of[] = {
    {"why", why_columns, COUNT(why_columns), put_why},
    {"efficiency", efficiency_columns, COUNT(efficiency_columns), put_efficiencies},
    {"losses", loss_columns, COUNT(loss_columns), put_losses},
};

static enum quipu_status why_tables(const struct why *why, struct quipu_tables *tables,
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

enum { DIGITS = 24 };

/* Two readings. The first one finds the region of interest, clocks and waits; the second one the time of regions on the critical path, what
 * an ideal network would take, and the causes of waits in that region: of them and of an ideal network nothing is known before it is. */
struct reading {
    struct quipu__together together;
    struct quipu__together_question *questions[WHY_ANSWERS];
    struct quipu_setting settings[3];
    char since[DIGITS], until[DIGITS];
};

static const char *const analyses[WHY_ANSWERS] = {[WHY_EFFICIENCY] = "efficiency",
                                                  [WHY_PATH] = "critical-path",
                                                  [WHY_CLOCK] = "clock",
                                                  [WHY_WAITS] = "waits"};

/* The ticks of a time in ns, as a setting. */
static void put_ticks(const struct why *why, int64_t ns, char out[DIGITS]) {
    snprintf(out, DIGITS, "%" PRId64, quipu_clock_ticks(&why->definitions->clock, ns));
}

/* Waiting until all have initialised MPI is no loss; but waiting after the first ones have finalised it is one of the others. */
static enum quipu_status read_waits(const struct why *why, struct reading *reading, struct quipu_error *err) {
    const struct quipu__network_replay *region = reading->questions[WHY_EFFICIENCY]->state;
    size_t count = 1;
    reading->settings[0] = (struct quipu_setting){"causes", "yes"};
    if (region->begin != INT64_MIN) {
        put_ticks(why, region->begin, reading->since);
        put_ticks(why, region->all_end, reading->until);
        reading->settings[count++] = (struct quipu_setting){"since", reading->since};
        reading->settings[count++] = (struct quipu_setting){"until", reading->until};
    }
    return quipu__together_add(&reading->together, analyses[WHY_WAITS], reading->settings, count,
                               &reading->questions[WHY_WAITS], err);
}

static enum quipu_status read(const struct why *why, struct reading *reading, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int i = 0; i < WHY_WAITS && status == QUIPU_OK; i++)
        status = quipu__together_add(&reading->together, analyses[i], NULL, 0, &reading->questions[i], err);
    if (status == QUIPU_OK)
        status = quipu__together_read(&reading->together, err);
    if (status == QUIPU_OK)
        status = read_waits(why, reading, err);
    while (status == QUIPU_OK && quipu__together_reads(&reading->together))
        status = quipu__together_read(&reading->together, err);
    return status;
}

static enum quipu_status answer(struct why *why, const struct reading *reading, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int i = 0; i < WHY_ANSWERS && status == QUIPU_OK; i++)
        status = quipu__together_answer(reading->questions[i], &why->answers[i], err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__network_replay *region = reading->questions[WHY_EFFICIENCY]->state;
    why->covered = region->all_end - region->begin;
    why->unfinished = region->communication.unfinished;
    why->location_count = (uint64_t)quipu__answer_number(
        quipu__answer_table(why->answers[WHY_EFFICIENCY], "efficiency"), 0, "processes");
    return quipu__waits_add_rows(reading->questions[WHY_WAITS]->state, why->answers[WHY_WAITS], err);
}

static enum quipu_status join(struct why *why, const struct reading *reading, struct quipu_tables **out,
                              struct quipu_error *err) {
    struct quipu__waits *waits = reading->questions[WHY_WAITS]->state;
    quipu__located_init(&why->located, &why->memory, why->definitions);
    why_find(why, &waits->delays, reading->questions[WHY_PATH]->state);
    enum quipu_status status = quipu__memory_status(&why->memory, err);
    if (status == QUIPU_OK)
        status = quipu__tables_new(&why->memory.allocator, out, err);
    if (status != QUIPU_OK)
        return status;
    quipu__posts_note(&waits->states.communication, *out);
    status = why_tables(why, *out, err);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu_tables_free(*out);
    *out = NULL;
    return status;
}

static void release(struct why *why) {
    quipu__located_release(&why->located);
    QUIPU__VEC_RELEASE(&why->memory, &why->losses);
    QUIPU__VEC_RELEASE(&why->memory, &why->awaited);
    quipu__map_release(&why->loss_of);
    quipu__map_release(&why->waiting);
    for (int i = 0; i < WHY_ANSWERS; i++)
        quipu_tables_free(why->answers[i]);
}

enum quipu_status quipu_why(struct quipu_reader *reader, struct quipu_tables **out, struct quipu_error *err) {
    struct why why = {.definitions = quipu_reader_definitions(reader)};
    struct reading reading = {.together = {.reader = reader}};
    *out = NULL;
    quipu__memory_like(&why.memory, quipu__reader_trace(reader)->memory);
    why.located.memory = &why.memory;
    quipu__map_init(&why.located.numbers, &why.memory);
    quipu__map_init(&why.loss_of, &why.memory);
    quipu__map_init(&why.waiting, &why.memory);
    enum quipu_status status = read(&why, &reading, err);
    if (status == QUIPU_OK)
        status = answer(&why, &reading, err);
    if (status == QUIPU_OK)
        status = join(&why, &reading, out, err);
    quipu__together_release(&reading.together);
    release(&why);
    return status;
}
