/* replay.c: how long the program would run with other processors or on another network; and, as measured, whether what is known of
 * its causes explains its run time. */
#include "analysis/replay/network_replay.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/settings.h"
#include "analysis/shared/unknown_names.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/scale.h"

#include <string.h>

/* clang-format off */
#define REPLAY_TABLES(TABLE, COLUMN, END)                                                                      \
    TABLE(REPLAY, "replay", "the run time in the trace and in the replay")                                     \
    COLUMN(REPLAY, runtime_ns, I64, "ns",                                                                      \
        "run time of the trace, as far as that is replayed, until the last event of the locations that are reported") \
    COLUMN(REPLAY, replayed_ns, I64, "ns", "run time of the replay; null when calls wait in a circle")         \
    COLUMN(REPLAY, change_percent, F64, "%", "by how much it is longer")                                       \
    COLUMN(REPLAY, error_percent, F64, "%",                                                                    \
        "as measured, and with nothing changed: the same, which should be 0; clocks that differ make it larger") \
    COLUMN(REPLAY, messages, U64, "", "matched messages")                                                      \
    COLUMN(REPLAY, eager, U64, "", "messages that the simulation sent at once")                                \
    COLUMN(REPLAY, rendezvous, U64, "", "those that waited until their receives were posted")                  \
    COLUMN(REPLAY, clock_violations, U64, "",                                                                  \
        "as measured: calls that end before those begin that they depend on")                                  \
    COLUMN(REPLAY, latency_sensitivity, F64, "",                                                               \
        "with --sensitivity: ns of run time for each ns of latency; null when it is 0")                        \
    COLUMN(REPLAY, byte_sensitivity, F64, "",                                                                  \
        "with --sensitivity: ns of run time for each ns that a byte takes longer; null when it takes none")    \
    END(REPLAY)                                                                                                \
    TABLE(NETWORK, "network", "with a modelled network: its parameters")                                       \
    COLUMN(NETWORK, parameter, TEXT, "", "the option that sets it")                                            \
    COLUMN(NETWORK, value, TEXT, "", "what the replay reckons with, as the option takes it")                   \
    COLUMN(NETWORK, unit, TEXT, "", "of the value")                                                            \
    COLUMN(NETWORK, origin, TEXT, "", "given, or default")                                                     \
    END(NETWORK)
/* clang-format on */
QUIPU__TABLES(REPLAY_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(REPLAY_TABLES)};
enum { TABLES = sizeof tables / sizeof *tables };

/* ==== The table of the network ====
 *
 * What a replay has reckoned with: the parameters of a modelled network, given or not.
 */

static bool is_given(const struct quipu__settings *settings, const char *option) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, option) == 0)
            return true;
    return false;
}

/* Parameters, and those whose value they have unless they are given. */
static const struct {
    const char *option, *otherwise, *unit;
} rows[] = {
    {"latency", NULL, "ns"},
    {"eager", NULL, "bytes"},
    {"overhead", NULL, "ns"},
    {"gap", NULL, "ns"},
    {"gap-per-byte", NULL, "ns"},
    {"overhead-per-byte", NULL, "ns"},
    {"bandwidth", NULL, "bytes/s"},
    {"intra-latency", "latency", "ns"},
    {"intra-bandwidth", "bandwidth", "bytes/s"},
    {"links", NULL, NULL},
    {"buses", NULL, NULL},
};

static enum quipu_status add_row(size_t row, const struct quipu__settings *settings, struct quipu_table *table,
                                 struct quipu_error *err) {
    const char *value = quipu__settings_value(settings, rows[row].option);
    if (!value && rows[row].otherwise)
        value = quipu__settings_value(settings, rows[row].otherwise);
    quipu__table_put_text(table, NETWORK_parameter, rows[row].option);
    quipu__table_put_text(table, NETWORK_value, value);
    quipu__table_put_text(table, NETWORK_unit, rows[row].unit);
    quipu__table_put_text(table, NETWORK_origin, is_given(settings, rows[row].option) ? "given" : "default");
    return quipu__table_end_row(table, err);
}

/* Adds the table with a row for each option of the network; nothing where it has none. */
static enum quipu_status network_table_add(const struct quipu__network *network,
                                           const struct quipu__settings *settings, struct quipu_tables *list,
                                           struct quipu_error *err) {
    struct quipu_table *table;
    if (!quipu__network_is_modelled(network))
        return QUIPU_OK;
    enum quipu_status status = quipu__tables_add(list, &tables[NETWORK], &table, err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == QUIPU_OK; i++)
        if (quipu__network_takes(network, rows[i].option))
            status = add_row(i, settings, table, err);
    return status;
}

/* ==== Sensitivity ====
 *
 * By how much the run time grows with the network's latency and with its time per byte: replays with each 1 % larger and 1 % smaller run beside
 * the replay, over the same events.
 */

enum parameter { LATENCY, BYTE, PARAMETERS };
enum { SMALLER, LARGER, SIDES, PERCENT = 100, MILLION = 1000000 };

struct sensitivity {
    struct quipu__network_replay *replays[PARAMETERS][SIDES]; /* NULL: not wanted, or the parameter is 0 */

    /* A difference in run time times factor / divisor is its derivative in millionths. */
    uint64_t factor[PARAMETERS], divisor[PARAMETERS];
};

/* ---- Other networks ---- */

static bool has_value(const struct quipu__fold_start *start, const char *option) {
    return quipu__settings_value(&start->settings, option) != NULL;
}

/* A hundredth, but no less than what a latency can differ by. */
static int64_t latency_step(int64_t latency) {
    const int64_t hundredth = quipu__divide_rounded(latency, PERCENT);
    return hundredth > 0 ? hundredth : 1;
}

/* Without a latency of its own a node has that between nodes. */
static void change_latency(const struct quipu__fold_start *start, struct quipu__network *network,
                           int64_t change) {
    network->latency += change;
    if (!has_value(start, "intra-latency"))
        network->intra_latency = network->latency;
}

/* A link takes so many per cent of its time for a byte. */
static void change_byte_time(const struct quipu__fold_start *start, struct quipu__network *network,
                             uint64_t percent) {
    network->gap_per_byte.numerator *= percent;
    network->gap_per_byte.denominator *= PERCENT;
    const uint64_t bandwidth = quipu__scale_rounded(network->bandwidth, PERCENT, percent);
    network->bandwidth = bandwidth > 0 ? bandwidth : 1;
    if (!has_value(start, "intra-bandwidth"))
        network->intra_bandwidth = network->bandwidth;
}

static void change(const struct quipu__fold_start *start, enum parameter parameter, int side,
                   struct quipu__network *network) {
    const int64_t step = latency_step(network->latency);
    if (parameter == LATENCY)
        change_latency(start, network, side == LARGER ? step : -step);
    else
        change_byte_time(start, network, side == LARGER ? PERCENT + 1 : PERCENT - 1);
}

/* ---- Derivatives ---- */

/* False when the parameter is 0, so that a hundredth of it says nothing. */
static bool set_scale(struct sensitivity *sensitivity, const struct quipu__network *network,
                      enum parameter parameter) {
    uint64_t *factor = &sensitivity->factor[parameter], *divisor = &sensitivity->divisor[parameter];
    if (parameter == LATENCY) {
        *factor = MILLION;
        *divisor = 2 * (uint64_t)latency_step(network->latency);
        return network->latency > 0;
    }
    if (network->model == &quipu__loggops_network) {
        *factor = (uint64_t)MILLION * (PERCENT / 2) * network->gap_per_byte.denominator;
        *divisor = network->gap_per_byte.numerator;
        return *divisor > 0;
    }
    *factor =
        network->bandwidth; /* a byte takes 10^9 ns / bandwidth, and the two differ by a fiftieth of that */
    *divisor = 20;
    return true;
}

/* ---- The replays ---- */

/* The whole trace on any network: run times of several networks can be compared, and are those of the trace that -o writes. */
static enum quipu_status begin_replay(const struct quipu__fold_start *start,
                                      const struct quipu__network *network, struct quipu__network_replay **out,
                                      struct quipu_error *err) {
    const enum quipu_status status = quipu__network_replay_begin(start, network, out, err);
    if (status != QUIPU_OK)
        return status;
    quipu__network_replay_look_for_region(*out, false);
    const enum quipu_status left_out = quipu__network_replay_leave_waits_out(*out, &start->settings, err);
    return left_out == QUIPU_OK ? quipu__network_replay_set(*out, start, err) : left_out;
}

/* Ends a replay. */
static struct quipu__replay_totals finish_replay(struct quipu__network_replay *replay) {
    quipu__communication_finish(replay->communication);
    return quipu__network_replay_totals(replay);
}

static enum quipu_status sensitivity_begin(struct sensitivity *sensitivity,
                                           const struct quipu__fold_start *start,
                                           const struct quipu__network *network, struct quipu_error *err) {
    struct quipu__fold_start beside = *start;
    enum quipu_status status = QUIPU_OK;
    beside.retimes = false;
    for (int parameter = 0; parameter < PARAMETERS; parameter++) {
        if (!set_scale(sensitivity, network, (enum parameter)parameter))
            continue;
        for (int side = 0; side < SIDES && status == QUIPU_OK; side++) {
            struct quipu__network changed = *network;
            change(start, (enum parameter)parameter, side, &changed);
            status = begin_replay(&beside, &changed, &sensitivity->replays[parameter][side], err);
        }
    }
    return status;
}

static enum quipu_status sensitivity_consume(struct sensitivity *sensitivity, const struct quipu_batch *batch,
                                             struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (int parameter = 0; parameter < PARAMETERS; parameter++)
        for (int side = 0; side < SIDES && status == QUIPU_OK && sensitivity->replays[parameter][side]; side++)
            status = quipu__network_replay_consume(sensitivity->replays[parameter][side], batch, err);
    return status;
}

static void sensitivity_release(struct sensitivity *sensitivity) {
    for (int parameter = 0; parameter < PARAMETERS; parameter++)
        for (int side = 0; side < SIDES; side++)
            if (sensitivity->replays[parameter][side])
                quipu__network_replay_release(sensitivity->replays[parameter][side]);
}

/* ---- The answer ---- */

/* By how much the run time grows with each parameter; not known where it is not wanted, or has no run time. */
struct slope {
    bool is_known;
    double value;
};

static struct slope find_slope(const struct sensitivity *sensitivity, enum parameter parameter) {
    int64_t times[SIDES] = {0, 0};
    struct slope slope = {.is_known = true};
    for (int side = 0; side < SIDES; side++) {
        struct quipu__network_replay *replay = sensitivity->replays[parameter][side];
        const struct quipu__replay_totals totals =
            slope.is_known && replay ? finish_replay(replay) : (struct quipu__replay_totals){0};
        slope.is_known = totals.has_ideal;
        times[side] = totals.ideal;
    }
    const bool is_less = times[LARGER] < times[SMALLER];
    const uint64_t difference =
        (uint64_t)(is_less ? times[SMALLER] - times[LARGER] : times[LARGER] - times[SMALLER]);
    if (!slope.is_known)
        return slope;
    const uint64_t millionths =
        quipu__scale_rounded(difference, sensitivity->factor[parameter], sensitivity->divisor[parameter]);
    slope.value = (is_less ? -1.0 : 1.0) * (double)millionths / MILLION;
    return slope;
}

/* ==== Balance ====
 *
 * What a replay needs to give each location the mean time of a region: how long each is in it.
 *
 * The time of a location is that outside of communication calls in which the region is the innermost one, as far as it is replayed. The mean is that of the
 * locations that are in the region at all; others stay without it. Each burst in the region takes so many times longer or shorter that all of them
 * together take the mean, but for rounding: each burst is rounded once.
 */

struct balance {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    const char *name;  /* of the region; NULL: nothing is balanced */
    bool is_measuring; /* the reading that finds the times */
    struct quipu__communication calls;
    struct quipu__path_uses paths;
    struct quipu__reported reported;
    QUIPU__VEC(int64_t) totals;                /* by location */
    QUIPU__VEC(struct quipu__decimal) factors; /* by location; denominator 0: it is not in the region */
};

static bool is_named(const struct balance *balance, uint32_t region) {
    return region < balance->definitions->regions.count &&
           strcmp(balance->definitions->regions.items[region].name, balance->name) == 0;
}

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct balance *balance = context;
    const int64_t begin = quipu__reported_from(&balance->reported, from),
                  end = quipu__reported_to(&balance->reported, to);
    const size_t known = balance->totals.count;
    if (end <= begin || !is_named(balance, quipu__call_path_region(&balance->calls.paths, path)) ||
        quipu__path_use_of(&balance->paths, &balance->calls.paths, path).communicates)
        return;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(balance->memory, &balance->totals, location + 1 - known))
            return;
        balance->totals.count = (size_t)location + 1;
    }
    int64_t *total = &balance->totals.items[location];
    *total = quipu__bounded_sum(*total, quipu__bounded_difference(end, begin));
}

/* QUIPU_MISUSE when no region has the name. Release in any case. */
static enum quipu_status balance_init(struct balance *balance, struct quipu__memory *memory,
                                      const struct quipu__fold_start *start, struct quipu_error *err) {
    *balance = (struct balance){.memory = memory,
                                .definitions = start->definitions,
                                .name = quipu__settings_value(&start->settings, "balance"),
                                .paths = {memory, start->definitions, {0}},
                                .reported = quipu__reported_of(start)};
    const struct quipu__communication_listener listener = {.context = balance, .step = add_step};
    uint32_t region = 0;
    if (!balance->name)
        return QUIPU_OK;
    while (region < start->definitions->regions.count && !is_named(balance, region))
        region++;
    if (region == start->definitions->regions.count)
        return quipu__no_region(start->definitions, balance->name, err);
    balance->is_measuring = true;
    const bool has_memory = quipu__communication_init(&balance->calls, memory, start->definitions, &listener);
    balance->calls.only_calls = true;
    return has_memory ? QUIPU_OK : quipu__no_memory(err, memory->used);
}

static void balance_release(struct balance *balance) {
    if (!balance->name)
        return;
    quipu__communication_release(&balance->calls);
    quipu__path_uses_release(&balance->paths);
    QUIPU__VEC_RELEASE(balance->memory, &balance->totals);
    QUIPU__VEC_RELEASE(balance->memory, &balance->factors);
}

/* Takes in a batch of the first reading. False when memory is out. */
static bool balance_consume(struct balance *balance, const struct quipu_batch *batch) {
    return quipu__communication_add_batch(&balance->calls, batch);
}

/* The first reading is over: finds the factors. False when memory is out. */
static bool balance_find(struct balance *balance) {
    const size_t count = balance->totals.count;
    int64_t all = 0, locations = 0;
    balance->is_measuring = false;
    quipu__communication_finish(&balance->calls);
    for (size_t i = 0; i < count; i++) {
        all = quipu__bounded_sum(all, balance->totals.items[i]);
        locations += balance->totals.items[i] > 0;
    }
    if (!QUIPU__VEC_RESERVE(balance->memory, &balance->factors, count))
        return false;
    balance->factors.count = count;
    for (size_t i = 0; i < count && locations > 0; i++)
        if (balance->totals.items[i] > 0)
            balance->factors.items[i] = (struct quipu__decimal){(uint64_t)quipu__divide_rounded(all, locations),
                                                                (uint64_t)balance->totals.items[i]};
    return true;
}

/* From here on bursts are balanced. */
static void balance_set(const struct balance *balance, struct quipu__bursts *bursts) {
    bursts->are_measured = false;
    bursts->balanced = balance->name;
    bursts->definitions = balance->definitions;
    bursts->of_locations = balance->factors.items;
    bursts->location_count = balance->factors.count;
}

/* ==== The replay ==== */

struct replay {
    struct quipu__memory memory;
    struct quipu__settings settings;
    struct quipu__network_replay *replayed;
    struct sensitivity sensitivity;
    struct balance balance;
};

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__network network;
    struct replay *replay = quipu__fold_state(start, sizeof *replay, state);
    if (!replay)
        return quipu__no_memory(err, sizeof *replay);
    replay->settings = start->settings;
    const struct quipu__reported reported = quipu__reported_of(start);
    if (start->retimes && (reported.since != INT64_MIN || reported.until != INT64_MAX))
        return quipu__fail(err, QUIPU_MISUSE,
                           "a trace is written of everything: -o excludes --since, --until and --roi");
    enum quipu_status status = quipu__network_of(&start->settings, &network, err);
    if (status == QUIPU_OK)
        status = begin_replay(start, &network, &replay->replayed, err);
    if (status == QUIPU_OK)
        status = balance_init(&replay->balance, &replay->memory, start, err);
    if (status != QUIPU_OK || !quipu__settings_say_yes(&start->settings, "sensitivity"))
        return status;
    return sensitivity_begin(&replay->sensitivity, start, &network, err);
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct replay *replay = state;
    if (replay->balance.is_measuring)
        return balance_consume(&replay->balance, batch) ? quipu__memory_status(&replay->memory, err)
                                                        : quipu__no_memory(err, replay->memory.used);
    const enum quipu_status status = quipu__network_replay_consume(replay->replayed, batch, err);
    return status == QUIPU_OK ? sensitivity_consume(&replay->sensitivity, batch, err) : status;
}

/* The times of the region that is balanced are known: the replay begins. */
static bool end_measuring(struct replay *replay) {
    if (!balance_find(&replay->balance))
        return false;
    balance_set(&replay->balance, &replay->replayed->bursts);
    for (int parameter = 0; parameter < PARAMETERS; parameter++)
        for (int side = 0; side < SIDES && replay->sensitivity.replays[parameter][side]; side++)
            balance_set(&replay->balance, &replay->sensitivity.replays[parameter][side]->bursts);
    return true;
}

/* On a modelled network there is no second try. */
static bool next_pass(void *state, struct quipu_selection *selection) {
    struct replay *replay = state;
    struct quipu__network_replay *replayed = replay->replayed;
    if (replay->balance.is_measuring)
        return end_measuring(replay);
    return !replayed->is_modelled && quipu__network_replay_next_pass(replayed, selection);
}

static void release(void *state) {
    struct replay *replay = state;
    if (replay->replayed)
        quipu__network_replay_release(replay->replayed);
    sensitivity_release(&replay->sensitivity);
    balance_release(&replay->balance);
    quipu__fold_state_release(replay, sizeof *replay);
}

/* None when calls wait in a circle. */
static const struct quipu__time_shifts *shifts(const void *state) {
    const struct quipu__network_replay *replay = ((const struct replay *)state)->replayed;
    return quipu__schedule_is_done(&replay->schedule) ? &replay->shifts : NULL;
}

/* ---- The table ---- */

/* What a time has changed by, in per cent. */
static void put_change(struct quipu_table *table, size_t column, bool is_known, int64_t before, int64_t after) {
    const bool is_shorter = after < before;
    const uint64_t difference = (uint64_t)quipu__distance(before, after);
    const bool has_percent = is_known && before != 0;
    const uint64_t percent = has_percent ? quipu__scale_rounded(difference, 10000, (uint64_t)before) : 0;
    quipu__table_put_f64_if(table, column, has_percent, (is_shorter ? -1.0 : 1.0) * (double)percent / 100);
}

static void put_replay(const struct quipu__network_replay *replay, const struct quipu__replay_totals *totals,
                       struct quipu_table *table) {
    const bool is_as_measured =
        replay->is_measured && replay->bursts.are_measured && replay->left_out.count == 0;
    quipu__table_put_i64(table, REPLAY_runtime_ns, totals->reported_time);
    quipu__table_put_i64_if(table, REPLAY_replayed_ns, totals->has_ideal, totals->ideal);
    put_change(table, REPLAY_change_percent, totals->has_ideal, totals->reported_time, totals->ideal);
    put_change(table, REPLAY_error_percent, totals->has_ideal && is_as_measured, totals->reported_time,
               totals->ideal);
    quipu__table_put_u64(table, REPLAY_messages, replay->communication->messages.counts.matched);
    quipu__table_put_u64_if(table, REPLAY_eager, replay->is_modelled, replay->messages.eager);
    quipu__table_put_u64_if(table, REPLAY_rendezvous, replay->is_modelled, replay->messages.rendezvous);
    quipu__table_put_u64_if(table, REPLAY_clock_violations, replay->is_measured, replay->schedule.violations);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct replay *replay = state;
    struct quipu_table *table;
    const struct quipu__replay_totals totals = finish_replay(replay->replayed);
    const struct slope latency = find_slope(&replay->sensitivity, LATENCY),
                       byte = find_slope(&replay->sensitivity, BYTE);
    if (replay->balance.name && quipu__memory_status(&replay->memory, err) != QUIPU_OK)
        return quipu__memory_status(&replay->memory, err);
    enum quipu_status status =
        quipu__matched_tables_new(replay->replayed->communication, &tables[REPLAY], 1, list, &table, err);
    if (status != QUIPU_OK)
        return status;
    if (!totals.has_ideal)
        quipu__tables_note_add(list, "calls wait for each other in a circle, so the replay has no end");
    put_replay(replay->replayed, &totals, table);
    quipu__table_put_f64_if(table, REPLAY_latency_sensitivity, latency.is_known, latency.value);
    quipu__table_put_f64_if(table, REPLAY_byte_sensitivity, byte.is_known, byte.value);
    status = quipu__table_end_row(table, err);
    return status == QUIPU_OK ? network_table_add(&replay->replayed->network, &replay->settings, list, err)
                              : status;
}

#define NUMBER(option_name, unit, text)                                                                        \
    { .name = option_name, .kind = QUIPU_OPTION_NUMBER, .argument = unit, .doc = text }
#define NUMBER_OR(option_name, unit, value, text)                                                              \
    { .name = option_name, .kind = QUIPU_OPTION_NUMBER, .argument = unit, .default_value = value, .doc = text }
#define SIZE_OR(option_name, value, text)                                                                      \
    { .name = option_name, .kind = QUIPU_OPTION_SIZE, .argument = "SIZE", .default_value = value, .doc = text }
#define TEXT(option_name, form, text)                                                                          \
    { .name = option_name, .kind = QUIPU_OPTION_TEXT, .argument = form, .doc = text }
#define TEXT_OR(option_name, form, value, text)                                                                \
    { .name = option_name, .kind = QUIPU_OPTION_TEXT, .argument = form, .default_value = value, .doc = text }

static const struct quipu_option options[] = {
    {.name = "network",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "measured|ideal|loggops|dimemas",
     .default_value = "measured",
     .doc =
         "calls take what they took in the trace; or nothing, but for what they wait for; or what a model of a "
         "network says"},
    {.name = "sensitivity",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "loggops, dimemas: also say by how much the run time grows with the latency and the time per byte, "
            "from runs "
            "with each 1 % larger and smaller"},
    TEXT("cpu-factor", "FACTOR", "time outside of communication takes so much longer, or shorter below 1"),
    TEXT("region", "NAME=FACTOR", "the same for calls of one region; may be given several times"),
    TEXT("balance", "REGION",
         "each location that is in the region is there, outside of communication, for the mean time of them"),
    TEXT("without", "PATTERN[=REGION]",
         "measured, ideal: no call waits so, or none of the region: patterns of \"quipu waits\" for "
         "others; "
         "may be given several times"),
    QUIPU__REPORTED_OPTIONS,
    QUIPU__EAGER_LIMIT_OPTION,
    NUMBER_OR("latency", "NS", "2500", "loggops, dimemas: time of a message on its way"),
    SIZE_OR("eager", "65535",
            "loggops, dimemas: larger messages do not leave before their receives are posted"),
    TEXT("collective", "OP=IN,OUT,SIZE",
         "loggops, dimemas: steps of the phases of an operation, each 0, 1, log or lin, and which bytes each "
         "moves: 0, "
         "max, mean or sum; may be given several times"),
    NUMBER_OR("overhead", "NS", "1500", "loggops: time of a processor for a message"),
    NUMBER_OR("gap", "NS", "1000", "loggops: time of a network interface for a message"),
    TEXT_OR("gap-per-byte", "NS", "6", "loggops: the same for each further byte, such as 0.5"),
    TEXT_OR("overhead-per-byte", "NS", "0", "loggops: time of a processor for each further byte"),
    NUMBER("bandwidth", "BYTES", "dimemas: bytes per second of a link"),
    NUMBER("intra-latency", "NS", "dimemas: the latency within a node; default that between nodes"),
    NUMBER("intra-bandwidth", "BYTES", "dimemas: the bandwidth within a node; default that between nodes"),
    NUMBER_OR("links", "N", "0",
              "dimemas: messages that a node can send, and receive, at a time; 0: any number"),
    NUMBER_OR("buses", "N", "0", "dimemas: messages between nodes at a time; 0: any number"),
};

const struct quipu__fold quipu__replay_fold = {
    .info =
        {.name = "replay",
         .doc = "show how long a program would run otherwise",
         .details =
             "Replays the program: time outside of communication passes as in the trace, or by "
             "--cpu-factor, and "
             "a communication call ends when those have begun that it depends on. On an ideal "
             "network it takes no "
             "more time; that is what a faster network can gain at most.\n\n"
             "As measured, a call takes besides what it took in the trace after that. So the run "
             "time should come "
             "out as it was: error_percent says how far what is known of causes explains it.\n\n"
             "With --network loggops messages take an overhead of the processors, a gap of the "
             "network interfaces "
             "and a latency; with dimemas a latency of the sender, and links and buses while they "
             "are transferred. "
             "Times are in ns. Messages above --eager ask first, and leave when the receive is "
             "posted. Collective "
             "operations take phases of steps with a latency and a transfer each. The table network "
             "has the parameters that were reckoned with, given or default.\n\n"
             "With --balance a region takes the mean time at each location that is in it: that outside of "
             "communication calls "
             "with the region as the innermost one. Each of its bursts takes so many times longer or shorter "
             "that all of "
             "a location take the mean, and is rounded once, before --cpu-factor and --region.\n\n"
             "With --without, waits of a pattern are left out: a call goes on as if those that it waited for "
             "had come "
             "in time, and takes besides what it took in the trace after they came. late-sender stands for "
             "messages "
             "in the wrong order too. All other waits remain, and become longer where others now come later "
             "than "
             "those who wait for them; so gains of several patterns do not add up.\n\n"
             "All of the trace is replayed, on any network; with --since, --until or --roi what is there: "
             "calls that are "
             "entered before or behind it take no part, and whoever depends on them does not wait. \"quipu "
             "efficiency\" has the ideal run time of its region of interest. With --location, --processes and "
             "--where the run times are those of these locations in the replay of all.\n\n"
             "-o writes the trace with the times of the replay, in the format of --to or of the "
             "name, else in its own; the answer is printed.",
         .examples = "quipu replay run.trace --network ideal # what can a faster network gain?\n"
                     "quipu replay run.trace --network ideal --cpu-factor 0.5 # faster processors?\n"
                     "quipu replay run.trace --network ideal -o ideal.trace # write it as a trace\n"
                     "quipu replay run.trace --region solve=0.8 # what if solve took a fifth less?\n"
                     "quipu replay run.trace --balance solve # what if all took as long for solve?\n"
                     "quipu replay run.trace --without late-sender # what if no receive waited?\n"
                     "quipu replay run.trace --network loggops --latency 900 # another network\n"
                     "quipu replay run.trace --network loggops --sensitivity # latency or bandwidth?",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = tables,
         .table_count = TABLES,
         .empty_answer = "the trace has no events",
         .needs_everything = true,
         .gives_times = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
    .shifts = shifts,
};
