/* waits.c: how long locations wait, in which calls, and for whom: the waits of wait_states.h added up. */
#include "analysis/waits.h"

#include "analysis/settings.h"
#include "core/error.h"

#include <string.h>

static const char *const key_names[QUIPU__WAIT_KEYS] = {"pattern", "location",     "path",
                                                        "region",  "communicator", "peer"};

/* ---- Rows ---- */

static uint32_t add_row(struct quipu__waits *waits, uint64_t hash, const uint32_t *keys) {
    struct quipu__wait_row *row = QUIPU__VEC_ADD(&waits->memory, &waits->rows);
    if (!row)
        return QUIPU_NONE;
    memcpy(row->keys, keys, sizeof row->keys);
    const uint32_t number = (uint32_t)(waits->rows.count - 1);
    return quipu__map_put(&waits->row_of, hash, number) ? number : QUIPU_NONE;
}

static struct quipu__wait_row *row_of(struct quipu__waits *waits, const uint32_t *keys) {
    uint64_t hash = quipu__hash(keys, QUIPU__WAIT_KEYS * sizeof *keys, waits->row_of.seed);
    for (;; hash++) {
        uint32_t number = quipu__map_get(&waits->row_of, hash);
        if (number == QUIPU_NONE) {
            number = add_row(waits, hash, keys);
            return number == QUIPU_NONE ? NULL : &waits->rows.items[number];
        }
        if (memcmp(waits->rows.items[number].keys, keys, sizeof waits->rows.items[number].keys) == 0)
            return &waits->rows.items[number];
    }
}

static bool is_reported(const struct quipu__waits *waits, uint32_t location) {
    return !waits->locations || quipu__setting_has_location(waits->locations, location);
}

static void list_wait(struct quipu__waits *waits, const struct quipu__wait *wait, int64_t from, int64_t to) {
    struct quipu__wait *listed = QUIPU__VEC_ADD(&waits->memory, &waits->list);
    if (!listed)
        return;
    *listed = *wait;
    listed->from = from;
    listed->to = to;
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__waits *waits = context;
    const int64_t from = wait->from > waits->since ? wait->from : waits->since;
    const int64_t to = wait->to < waits->until ? wait->to : waits->until;
    const bool is_wanted = to > from && is_reported(waits, wait->location);
    const uint32_t all[QUIPU__WAIT_KEYS] = {
        [QUIPU__WAIT_BY_pattern] = wait->pattern,
        [QUIPU__WAIT_BY_location] = wait->location,
        [QUIPU__WAIT_BY_path] = wait->path,
        [QUIPU__WAIT_BY_region] = quipu__call_path_region(&waits->states.communication.paths, wait->path),
        [QUIPU__WAIT_BY_communicator] = wait->group,
        [QUIPU__WAIT_BY_peer] = wait->peer};
    uint32_t keys[QUIPU__WAIT_KEYS];
    if (waits->has_causes)
        quipu__delays_add_wait(&waits->delays, wait, is_wanted ? to - from : 0);
    if (!is_wanted)
        return;
    if (waits->has_list) {
        list_wait(waits, wait, from, to);
        return;
    }
    for (size_t i = 0; i < QUIPU__WAIT_KEYS; i++)
        keys[i] = waits->by[i] ? all[i] : QUIPU_NONE;
    struct quipu__wait_row *row = row_of(waits, keys);
    if (!row)
        return;
    row->instances++;
    row->time += to - from;
    row->most = to - from > row->most ? to - from : row->most;
}

/* ---- Causes ---- */

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__wait_states *states = context;
    struct quipu__waits *waits = states->context;
    quipu__delays_add_step(&waits->delays, location, path, from, to);
}

static void add_message(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__waits *waits = context;
    quipu__delays_add_message(&waits->delays, send, receive);
}

static void add_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__waits *waits = context;
    quipu__delays_add_collective(&waits->delays, collective);
}

static void want_causes(struct quipu__waits *waits) {
    waits->has_causes = true;
    waits->states.completed = add_message;
    waits->states.collective = add_collective;
    waits->states.communication.listener.step = add_step;
    waits->states.communication.calls.retains_all = true;
}

/* ---- Options ---- */

static enum quipu_status set_keys(struct quipu__waits *waits, const char *list, struct quipu_error *err) {
    while (*list) {
        const size_t len = strcspn(list, ",");
        size_t key = 0;
        while (key < QUIPU__WAIT_KEYS &&
               (strlen(key_names[key]) != len || memcmp(key_names[key], list, len) != 0))
            key++;
        if (key == QUIPU__WAIT_KEYS)
            return quipu__fail(
                err, QUIPU_MISUSE,
                "--by takes pattern, location, path, region, communicator and peer, separated by commas, "
                "not \"%.*s\"",
                (int)len, list);
        waits->by[key] = true;
        list += len + (list[len] == ',');
    }
    waits->by[QUIPU__WAIT_BY_region] |= waits->by[QUIPU__WAIT_BY_path];
    return QUIPU_OK;
}

static bool has_setting(const struct quipu__settings *settings, const char *name) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return true;
    return false;
}

/* Options that would mean nothing, and a window without time. */
static enum quipu_status check_options(const struct quipu__waits *waits, const struct quipu__settings *settings,
                                       struct quipu_error *err) {
    if (waits->since >= waits->until)
        return quipu__fail(err, QUIPU_MISUSE, "--since is not before --until");
    if (waits->has_causes && waits->has_list)
        return quipu__fail(err, QUIPU_MISUSE, "--causes and --list exclude each other");
    if ((waits->has_causes || waits->has_list) && has_setting(settings, "by"))
        return quipu__fail(err, QUIPU_MISUSE, "--by means nothing with --%s",
                           waits->has_causes ? "causes" : "list");
    return QUIPU_OK;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__waits *waits = *state = quipu__alloc_zero(&memory, sizeof *waits);
    if (!waits)
        return quipu__no_memory(err, sizeof *waits);
    waits->memory = memory;
    waits->definitions = start->definitions;
    waits->since = quipu__time_setting(start, "since", INT64_MIN);
    waits->until = quipu__time_setting(start, "until", INT64_MAX);
    waits->locations = quipu__settings_value(&start->settings, "location");
    waits->io.states = &waits->states;
    quipu__map_init(&waits->row_of, &waits->memory);
    if (!quipu__unneeded_calls_init(&waits->computing, &waits->memory, start->definitions,
                                    QUIPU__REGION_SERVES) ||
        !quipu__wait_states_init(&waits->states, &waits->memory, start->definitions,
                                 quipu__number_setting(start, "eager-limit"), add_wait, waits))
        return quipu__no_memory(err, sizeof *waits);
    quipu__delays_init(&waits->delays, &waits->memory, &waits->states);
    waits->has_list = quipu__settings_say_yes(&start->settings, "list");
    if (quipu__settings_say_yes(&start->settings, "causes"))
        want_causes(waits);
    const enum quipu_status status = check_options(waits, &start->settings, err);
    return status == QUIPU_OK ? set_keys(waits, quipu__settings_value(&start->settings, "by"), err) : status;
}

/* Causes are looked for in the order of time. */
static void select(const struct quipu__settings *settings, struct quipu_selection *selection) {
    if (quipu__settings_say_yes(settings, "causes"))
        selection->order = QUIPU_ORDER_TIME;
}

static void leave_out(const void *state, struct quipu_batch *batch) {
    const struct quipu__waits *waits = state;
    if (!waits->has_causes)
        quipu__unneeded_calls_leave_out(&waits->computing, batch);
}

static bool is_io(uint8_t kind) {
    return kind == QUIPU_KIND_io_begin || kind == QUIPU_KIND_io_end;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__waits *waits = state;
    quipu__wait_states_sweep(&waits->states, batch);
    struct quipu__communication *communication = &waits->states.communication;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (QUIPU__UNLIKELY(is_io(batch->kind[i])))
            quipu__io_waits_add(&waits->io, batch, i);
        if (!quipu__communication_add(communication, batch, i))
            return quipu__no_memory(err, waits->memory.used);
    }
    return quipu__memory_status(&waits->memory, err);
}

static void release(void *state) {
    struct quipu__waits *waits = state;
    quipu__unneeded_calls_release(&waits->computing);
    quipu__io_waits_release(&waits->io);
    quipu__delays_release(&waits->delays);
    quipu__wait_states_release(&waits->states);
    quipu__map_release(&waits->row_of);
    QUIPU__VEC_RELEASE(&waits->memory, &waits->rows);
    QUIPU__VEC_RELEASE(&waits->memory, &waits->list);
    struct quipu__memory memory = waits->memory;
    quipu__release(&memory, waits, sizeof *waits);
}

static const struct quipu_option options[] = {
    {.name = "by",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "LIST",
     .default_value = "pattern,location,path,communicator,peer",
     .doc = "add up what these do not tell apart: pattern, location, region, path, communicator, peer"},
    {.name = "causes",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "show whose fault it is: what those that others wait for did more than they"},
    {.name = "list", .kind = QUIPU_OPTION_FLAG, .argument = "", .doc = "show each wait, in the order of time"},
    QUIPU__EAGER_LIMIT_OPTION,
    {.name = "since",
     .kind = QUIPU_OPTION_TIME,
     .argument = "TIME",
     .doc = "report waiting from this time on only"},
    {.name = "until",
     .kind = QUIPU_OPTION_TIME,
     .argument = "TIME|end",
     .doc = "report waiting before this time only"},
    {.name = "location",
     .kind = QUIPU_OPTION_LOCATIONS,
     .argument = "LIST",
     .letter = 'l',
     .doc = "report these locations only: names, 0-3, rank:0-3"},
};

const struct quipu__fold quipu__waits_fold = {
    .info = {.name = "waits",
             .doc = "show who waits for whom, and how long",
             .details =
                 "Matches messages and collective operations and shows how long each location waits, in which "
                 "call and "
                 "for whom. Rows are sorted by time. Waits of a location never overlap, except io-wait and "
                 "completion.\n\n"
                 "Patterns: late-sender, a receive waits for a send that begins later; with wrong-order, while "
                 "a message "
                 "that was sent before could have been received, of the same or a different source. "
                 "late-receiver, a send "
                 "waits for a receive that is posted later; --eager-limit says which sends never do. "
                 "wait-at-barrier and "
                 "wait-at-nxn, waiting for the last one to come; barrier-completion and nxn-completion, time "
                 "after the first "
                 "one has left. late-broadcast, waiting for the root. early-reduce, the root waits for the "
                 "first of the "
                 "others. early-scan, waiting for the members before. io-wait, waiting for input or output.\n\n"
                 "--causes shows instead, in the table \"delays\", where waiting comes from: for each wait, "
                 "what its peer did "
                 "more than the one that waits since both left a message or collective operation in common. "
                 "What the peer "
                 "itself waited is handed on to those that it waited for, as long-term costs. Short-term and "
                 "long-term costs "
                 "add up to all waiting for others that is reported.\n\n"
                 "The table \"matching\" says what could be matched. Messages and operations that a damaged or "
                 "cut trace "
                 "has only in part are counted there and cause no waits. --since, --until and --location "
                 "narrow what is "
                 "reported, not what is matched.",
             .examples = "quipu waits run.trace --limit 10 # the ten largest losses\n"
                         "quipu waits run.trace --by pattern # how much of what\n"
                         "quipu waits run.trace --by peer # whom do others wait for?\n"
                         "quipu waits run.trace --causes # whose fault is it?\n"
                         "quipu waits run.trace --list --since 1s --until 1.1s # when, one by one?\n"
                         "quipu waits run.trace --eager-limit 65536 # small messages are sent eagerly",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = quipu__waits_tables,
             .table_count = QUIPU__WAITS_TABLES,
             .empty_answer = "nothing waits",
             .needs_everything = true},
    .kinds =
        QUIPU__COMMUNICATION_KINDS | QUIPU_KIND_BIT(QUIPU_KIND_io_begin) | QUIPU_KIND_BIT(QUIPU_KIND_io_end),
    .order = QUIPU_ORDER_WINDOWS,
    .select = select,
    .begin = begin,
    .consume = consume,
    .leave_out = leave_out,
    .finish = quipu__waits_finish,
    .release = release,
};
