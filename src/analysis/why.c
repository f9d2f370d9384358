/* why.c: what a program loses time to. Asks other analyses and joins their answers, so its figures are theirs. */
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

/* The key of a delay at a location, in a region whose name may be in the text. */
static struct loss key_in(const struct why *why, uint32_t location, uint32_t region, char text[32]) {
    return (struct loss){.kind = WHY_DELAY,
                         .number = location,
                         .region = quipu__printed_name(why->definitions, QUIPU_REFERS_REGION, region, text)};
}

static void add_spent(void *context, uint32_t location, uint32_t region, int64_t time) {
    struct why *why = context;
    char text[32];
    const struct loss key = key_in(why, location, region, text);
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
    char text[32];
    struct loss key = key_in(why, location, region, text);
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

/* clang-format off */
#define WHY_TABLES(TABLE, COLUMN, END) \
    TABLE(WHY, "why", "what is known of the trace") \
    COLUMN(WHY, locations, U64, "", "locations with events") \
    COLUMN(WHY, runtime_ns, I64, "ns", "from the first event to the last") \
    COLUMN(WHY, losses, U64, "", "losses that are larger than what the clocks leave open") \
    COLUMN(WHY, uncertain_losses, U64, "", "losses that are not, and so are not listed") \
    COLUMN(WHY, small_losses, U64, "", "those of losses that are below 0.1 % of the time of all locations, and so are not listed") \
    COLUMN(WHY, unmatched_sends, U64, "", "sends without a receive, whose waits are not known") \
    COLUMN(WHY, unmatched_receives, U64, "", "receives without a send") \
    COLUMN(WHY, incomplete, U64, "", "collective operations in which not all take part") \
    COLUMN(WHY, unfinished_calls, U64, "", "calls without end, which are counted until the last event there") \
    COLUMN(WHY, unfinished_locations, U64, "", "locations that they are at") \
    COLUMN(WHY, clock_violations, U64, "", "messages that arrive before they are sent") \
    COLUMN(WHY, worst_ns, I64, "ns", "by how much at most") \
    COLUMN(WHY, corridor_ns, I64, "ns", "how far clocks may be off without contradicting a message") \
    COLUMN(WHY, unknown_clocks, U64, "", "locations of whose clock nothing is known, for want of messages both ways") \
    COLUMN(WHY, unexplained_ns, I64, "ns", "waiting for locations that spend less time in their regions: they begin late, or their clocks are off") \
    QUIPU__NAMED(COLUMN, WHY, unexplained_location, "the one that most of it is for") \
    COLUMN(WHY, roi_begin_ns, TIME, "ns", "beginning of what efficiencies are of: from MPI_Init to MPI_Finalize, where all have both") \
    COLUMN(WHY, roi_ns, I64, "ns", "how long that is") \
    COLUMN(WHY, covered_ns, I64, "ns", "the time that losses are of: the region of interest") \
    END(WHY) \
    TABLE(EFFICIENCY, "efficiency", "a row per efficiency") \
    COLUMN(EFFICIENCY, metric, TEXT, "", "name of the efficiency") \
    COLUMN(EFFICIENCY, part_of, TEXT, "", "the efficiency that it is a factor of") \
    COLUMN(EFFICIENCY, value, F64, "", "1: nothing is lost") \
    COLUMN(EFFICIENCY, meaning, TEXT, "", "what is lost to it") \
    COLUMN(EFFICIENCY, command, TEXT, "", "shows more") \
    END(EFFICIENCY) \
    TABLE(LOSSES, "losses", "the largest losses") \
    COLUMN(LOSSES, loss_ns, I64, "ns", "time of all locations that is lost") \
    COLUMN(LOSSES, share_percent, F64, "%", "the same, of the time of all locations, see covered_ns") \
    COLUMN(LOSSES, kind, TEXT, "", "delay: others wait for it; else the pattern of its waits") \
    QUIPU__NAMED(COLUMN, LOSSES, location, "whose fault it is") \
    COLUMN(LOSSES, region, TEXT, "", "where it spends the time") \
    COLUMN(LOSSES, indirect_ns, I64, "ns", "waiting of those that wait for others which wait for it") \
    COLUMN(LOSSES, path_ns, I64, "ns", "time of the location in the region on the critical path of the whole trace") \
    COLUMN(LOSSES, waiters, U64, "", "locations that wait for it") \
    QUIPU__NAMED(COLUMN, LOSSES, victim, "who waits longest for it") \
    COLUMN(LOSSES, victim_region, TEXT, "", "in which call") \
    COLUMN(LOSSES, victim_pattern, TEXT, "", "and why") \
    COLUMN(LOSSES, victim_ns, I64, "ns", "how long") \
    COLUMN(LOSSES, uncertainty_ns, I64, "ns", "what the clocks leave open of it") \
    COLUMN(LOSSES, command, TEXT, "", "shows more") \
    END(LOSSES)
/* clang-format on */
QUIPU__TABLES(WHY_TABLES)
static const struct quipu_analysis_table shapes[] = {QUIPU__SHAPES(WHY_TABLES)};

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
static void put_unexplained(const struct why *why, struct quipu_table *table) {
    uint32_t most = QUIPU_NONE;
    int64_t time = 0;
    for (uint32_t i = 0; i < why->awaited.count; i++) {
        const int64_t unexplained = why->awaited.items[i].unexplained;
        if (unexplained > 0 && (most == QUIPU_NONE || unexplained > why->awaited.items[most].unexplained))
            most = i;
        time += unexplained;
    }
    quipu__table_put_i64(table, WHY_unexplained_ns, time);
    quipu__table_put_location(table, WHY_unexplained_location, why->definitions, most);
}

static int64_t number_of(const struct why *why, enum why_answer answer, const char *table, const char *column) {
    return quipu__answer_number(quipu__answer_table(why->answers[answer], table), 0, column);
}

static void put_count(const struct why *why, enum why_answer answer, const char *from, const char *name,
                      struct quipu_table *table, size_t column) {
    quipu__table_put_u64(table, column, (uint64_t)number_of(why, answer, from, name));
}

static enum quipu_status put_why(const struct why *why, struct quipu_table *table, struct quipu_error *err) {
    const int64_t locations = (int64_t)why->location_count;
    int64_t known;
    const int64_t corridor = widest_corridor(why, &known);
    quipu__table_put_u64(table, WHY_locations, why->location_count);
    quipu__table_put_i64(table, WHY_runtime_ns, number_of(why, WHY_PATH, "critical_path", "runtime_ns"));
    quipu__table_put_u64(table, WHY_losses, count_losses(why, true));
    quipu__table_put_u64(table, WHY_uncertain_losses, count_losses(why, false));
    quipu__table_put_u64(table, WHY_small_losses, count_small_losses(why));
    put_count(why, WHY_WAITS, "matching", "unmatched_sends", table, WHY_unmatched_sends);
    put_count(why, WHY_WAITS, "matching", "unmatched_receives", table, WHY_unmatched_receives);
    put_count(why, WHY_WAITS, "matching", "incomplete", table, WHY_incomplete);
    quipu__table_put_u64(table, WHY_unfinished_calls, why->unfinished.calls);
    quipu__table_put_u64(table, WHY_unfinished_locations, why->unfinished.locations);
    put_count(why, WHY_CLOCK, "clock", "violations", table, WHY_clock_violations);
    quipu__table_put_i64(table, WHY_worst_ns, number_of(why, WHY_CLOCK, "clock", "worst_ns"));
    quipu__table_put_i64(table, WHY_corridor_ns, corridor);
    quipu__table_put_u64(table, WHY_unknown_clocks, locations > known ? (uint64_t)(locations - known) : 0);
    put_unexplained(why, table);
    quipu__table_put_time(table, WHY_roi_begin_ns,
                          number_of(why, WHY_EFFICIENCY, "efficiency", "roi_begin_ns"));
    quipu__table_put_i64(table, WHY_roi_ns, number_of(why, WHY_EFFICIENCY, "efficiency", "runtime_ns"));
    quipu__table_put_i64(table, WHY_covered_ns, why->covered);
    return quipu__table_end_row(table, err);
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
        quipu__table_put_text(table, EFFICIENCY_metric, efficiencies[i].metric);
        quipu__table_put_text(table, EFFICIENCY_part_of, efficiencies[i].part_of);
        quipu__table_put_cell(table, EFFICIENCY_value, QUIPU_TYPE_F64,
                              *quipu__answer_cell(from, 0, efficiencies[i].metric));
        quipu__table_put_text(table, EFFICIENCY_meaning, efficiencies[i].meaning);
        quipu__table_put_text(table, EFFICIENCY_command, efficiencies[i].command);
        status = quipu__table_end_row(table, err);
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

static void put_awaited(const struct awaited *awaited, struct quipu_table *table) {
    const bool is_known = awaited && awaited->location;
    const struct awaited none = {.location = NULL}, *it = is_known ? awaited : &none;
    quipu__table_put_u64(table, LOSSES_waiters, it->waiters);
    quipu__table_put_text(table, LOSSES_victim, it->location);
    quipu__table_put_i64_if(table, LOSSES_victim_id, is_known, it->location_id);
    quipu__table_put_text(table, LOSSES_victim_region, it->region);
    quipu__table_put_text(table, LOSSES_victim_pattern, it->pattern);
    quipu__table_put_i64_if(table, LOSSES_victim_ns, is_known, it->time);
    quipu__table_put_i64_if(table, LOSSES_uncertainty_ns, is_known, it->uncertain);
}

static enum quipu_status put_loss(const struct why *why, const struct loss *loss, struct quipu_table *table,
                                  struct quipu_error *err) {
    const bool is_awaited = why_is_awaited(why, loss);
    char command[COMMAND_BYTES];
    quipu__table_put_i64(table, LOSSES_loss_ns, loss->time);
    quipu__table_put_percent(table, LOSSES_share_percent, (uint64_t)loss->time, why->location_count,
                             (uint64_t)why->covered);
    quipu__table_put_text(table, LOSSES_kind, loss->kind);
    quipu__table_put_text(table, LOSSES_location, loss->location);
    quipu__table_put_i64(table, LOSSES_location_id, loss->location_id);
    quipu__table_put_text(table, LOSSES_region, loss->region);
    quipu__table_put_i64(table, LOSSES_indirect_ns, loss->indirect);
    quipu__table_put_i64(table, LOSSES_path_ns, loss->on_path);
    put_awaited(is_awaited ? &why->awaited.items[loss->number] : NULL, table);
    write_command(loss, command);
    quipu__table_put_text(table, LOSSES_command, command);
    return quipu__table_end_row(table, err);
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

static enum quipu_status why_tables(const struct why *why, struct quipu_tables *tables,
                                    struct quipu_error *err) {
    static enum quipu_status (*const put[])(const struct why *, struct quipu_table *, struct quipu_error *) = {
        [WHY] = put_why, [EFFICIENCY] = put_efficiencies, [LOSSES] = put_losses};
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < COUNT(shapes) && status == QUIPU_OK; i++) {
        struct quipu_table *table;
        status = quipu__tables_add(tables, &shapes[i], &table, err);
        if (status == QUIPU_OK)
            status = put[i](why, table, err);
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

static enum quipu_status read_waits(const struct why *why, struct reading *reading, struct quipu_error *err) {
    const struct quipu__network_replay *region = reading->questions[WHY_EFFICIENCY]->state;
    size_t count = 1;
    reading->settings[0] = (struct quipu_setting){"causes", "yes"};
    if (region->begin != INT64_MIN) {
        put_ticks(why, region->begin, reading->since);
        put_ticks(why, region->end, reading->until);
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
    why->covered = region->end - region->begin;
    why->unfinished = region->communication.unfinished;
    why->location_count = (uint64_t)quipu__answer_number(
        quipu__answer_table(why->answers[WHY_EFFICIENCY], "efficiency"), 0, "locations");
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
