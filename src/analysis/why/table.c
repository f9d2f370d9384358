/* table.c: the account and the findings as tables. */
#include "analysis/why/why.h"

#include "analysis/shared/call_sites.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/hosts.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/path_text.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *saying, *command;
} kinds[] = {
#define KIND(name, text, saying, command) {text, saying, command},
    QUIPU__WHY_KINDS(KIND)
#undef KIND
};

/* clang-format off */
#define WHY_TABLES(TABLE, COLUMN, END) \
    TABLE(ACCOUNT, "account", "how much time of all locations is lost, and to what: the parts add up to it") \
    COLUMN(ACCOUNT, part, TEXT, "", "lost; imbalance, serialisation and transfer, or communication for the latter two where the replay cannot tell them apart") \
    COLUMN(ACCOUNT, time_ns, I64, "ns", "time of all locations; below 0 where clocks differ; null when it is no number of 64 bits") \
    COLUMN(ACCOUNT, percent, F64, "%", "the same, of the time of all locations") \
    END(ACCOUNT) \
    TABLE(FINDINGS, "findings", "what the time is lost to, as far as the clocks let it be told, the largest first") \
    COLUMN(FINDINGS, rank, U64, "", "place in this order") \
    COLUMN(FINDINGS, kind, TEXT, "", "as in spent; uncertain: all that the clocks leave open") \
    QUIPU__NAMED(COLUMN, FINDINGS, location, "whom others wait for; null in the sums of all locations") \
    COLUMN(FINDINGS, region, TEXT, "", "the last of the path") \
    COLUMN(FINDINGS, callsite, TEXT, "", "file and line of the source code that calls it, null where the trace does not say") \
    COLUMN(FINDINGS, time_ns, I64, "ns", "time of all locations that is lost to it, without what the clocks leave open") \
    COLUMN(FINDINGS, percent, F64, "%", "the same, of the time of all locations") \
    COLUMN(FINDINGS, path, TEXT, "", "the call and those around it") \
    COLUMN(FINDINGS, between, TEXT, "", "of waiting for what a location does outside of any region: the calls around it, where it costs most") \
    COLUMN(FINDINGS, command, TEXT, "", "shows more; TRACE stands for the trace") \
    COLUMN(FINDINGS, saying, TEXT, "", "the kind in words that location and region follow") \
    END(FINDINGS) \
    TABLE(SPENT, "spent", "what locations did in the time that is lost: the rows add up to it") \
    COLUMN(SPENT, kind, TEXT, "", "waiting: others wait for the location; completion, io-wait: its own waits for no other; unexplained: the rest of communication; io, runtime, sync, idle: in such regions; not there: before its first event or after its last") \
    QUIPU__NAMED(COLUMN, SPENT, location, "whose time it is; of waiting, whose fault") \
    COLUMN(SPENT, region, TEXT, "", "the last of the path") \
    COLUMN(SPENT, callsite, TEXT, "", "file and line of the source code that calls it, null where the trace does not say") \
    COLUMN(SPENT, time_ns, I64, "ns", "how long") \
    COLUMN(SPENT, percent, F64, "%", "the same, of the time of all locations") \
    COLUMN(SPENT, certain_ns, I64, "ns", "without waits that are no longer than what the clocks leave open") \
    COLUMN(SPENT, path, TEXT, "", "the call and those around it") \
    COLUMN(SPENT, between, TEXT, "", "as in findings") \
    END(SPENT) \
    TABLE(WHY, "why", "one row: what the account is of, and how far it can be trusted") \
    COLUMN(WHY, locations, U64, "", "locations with events") \
    COLUMN(WHY, roi_begin_ns, TIME, "ns", "beginning of the time that counts") \
    COLUMN(WHY, roi_end_ns, TIME, "ns", "end of it") \
    COLUMN(WHY, runtime_ns, I64, "ns", "its length") \
    COLUMN(WHY, trace_ns, I64, "ns", "from the first event of all to the last") \
    COLUMN(WHY, host, TEXT, "", "a host with more processes than processors, as far as both are known") \
    COLUMN(WHY, processes, U64, "", "its processes with events") \
    COLUMN(WHY, processors, U64, "", "its processors") \
    COLUMN(WHY, off_processor_ns, I64, "ns", "time in calls of MPI in which processes were ready to run and had no processor, by the counter run_delay; by times of processors, in calls that had one for less than half of their time; null where the trace does not say") \
    COLUMN(WHY, off_processor_calls, U64, "", "those calls") \
    COLUMN(WHY, off_processor_outside_ns, I64, "ns", "the same outside of them; null without that counter") \
    COLUMN(WHY, starved_ns, I64, "ns", "of both, what is not waiting for others that compute: what too few processors cost these processes themselves") \
    COLUMN(WHY, clock_violations, U64, "", "messages that arrive before they are sent") \
    COLUMN(WHY, worst_ns, I64, "ns", "by how much at most") \
    COLUMN(WHY, contradictions, U64, "", "locations whose messages contradict any constant offset of their clocks") \
    COLUMN(WHY, unknown_clocks, U64, "", "locations of whose clock nothing is known, for want of messages both ways") \
    END(WHY)
/* clang-format on */
QUIPU__TABLES(WHY_TABLES)
const struct quipu_analysis_table quipu__why_tables[QUIPU__WHY_TABLES] = {QUIPU__SHAPES(WHY_TABLES)};

/* Sums stop there where they are too large. */
static bool is_number(int64_t total) {
    return total != INT64_MAX && total != INT64_MIN;
}

/* Of the time of all locations, rounded half up, also below 0. */
static void put_percent(const struct quipu__why *why, struct quipu_table *table, size_t column, int64_t time) {
    uint64_t count = why->totals.locations, rest;
    if (time >= 0) {
        quipu__table_put_percent(table, column, (uint64_t)time, count, (uint64_t)why->totals.run_time);
        return;
    }
    const uint64_t all = (uint64_t)quipu__bounded_product((int64_t)count, why->totals.run_time);
    uint64_t percent = all == 0 ? 0 : quipu__scale_down(0 - (uint64_t)time, 10000, all, &rest);
    percent += all != 0 && rest > all / 2;
    quipu__table_put_f64_if(table, column, all != 0, -(double)percent / 100);
}

static void put_total(const struct quipu__why *why, struct quipu_table *table, size_t column, int64_t total) {
    quipu__table_put_i64_if(table, column, is_number(total), total);
    if (is_number(total))
        put_percent(why, table, column + 1, total);
    else
        quipu__table_put_f64_if(table, column + 1, false, 0);
}

/* ---- The account ---- */

struct account {
    const char *names[4];
    int64_t totals[4];
    size_t count;
};

static struct account account_of(const struct quipu__why *why) {
    const int64_t time = why->totals.run_time, most = why->totals.most, ideal = why->totals.ideal;
    const int64_t locations = (int64_t)why->totals.locations;
    struct account account = {{"lost", "imbalance"}, {0}, 2};
    for (size_t i = 0; i < why->useful.count; i++) {
        account.totals[0] = quipu__bounded_sum(account.totals[0], time - why->useful.items[i]);
        account.totals[1] = quipu__bounded_sum(account.totals[1], most - why->useful.items[i]);
    }
    const char *const names[] = {"communication", "serialisation", "transfer"};
    const int64_t lost[] = {time - most, ideal - most, time - ideal};
    for (size_t i = why->totals.has_ideal ? 1 : 0; i < (why->totals.has_ideal ? 3 : 1); i++) {
        account.names[account.count] = names[i];
        account.totals[account.count++] = quipu__bounded_product(locations, lost[i]);
    }
    return account;
}

static enum quipu_status put_account(const struct quipu__why *why, struct quipu_table *table,
                                     struct quipu_error *err) {
    const struct account account = account_of(why);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < account.count && status == QUIPU_OK; i++) {
        quipu__table_put_text(table, ACCOUNT_part, account.names[i]);
        put_total(why, table, ACCOUNT_time_ns, account.totals[i]);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* ---- What was spent ---- */

/* Kind, location, region, call site and time. Both tables have the same columns in this order. */
static void put_what(const struct quipu__why *why, const struct quipu__spent *spent, struct quipu__buffer *text,
                     struct quipu_table *table, size_t column) {
    const struct quipu__call_path *path = &quipu__why_communication(why)->paths.list.items[spent->path];
    quipu__table_put_text(table, column, kinds[spent->kind].text);
    quipu__table_put_location(table, column + 1, why->definitions, spent->location);
    quipu__table_put_region(table, column + 3, why->definitions, path->region);
    quipu__table_put_call_site(table, column + 4, why->definitions, path->source, text);
    put_total(why, table, column + 5, spent->time);
}

/* The path, and the calls around what is outside of any. */
static void put_path(const struct quipu__why *why, const struct quipu__spent *spent, struct quipu__buffer *path,
                     struct quipu_table *table, size_t column) {
    quipu__path_text(&quipu__why_communication(why)->paths, why->definitions, spent->path, path);
    quipu__table_put_text(table, column, path->failed ? NULL : (const char *)path->data);
    quipu__table_put_calls_around(table, column + 1, why->definitions,
                                  spent->kind == QUIPU__WHY_WAITING
                                      ? quipu__delay_around(&why->waits->delays, spent->location, spent->path)
                                      : QUIPU__NO_CALLS_AROUND);
}

static enum quipu_status put_spent(const struct quipu__why *why, struct quipu_table *table,
                                   struct quipu_error *err) {
    struct quipu__buffer path;
    enum quipu_status status = QUIPU_OK;
    quipu__buffer_init(&path, why->waits->delays.memory, 0);
    for (size_t i = 0; i < why->spent.count && status == QUIPU_OK; i++) {
        const struct quipu__spent *spent = &why->spent.items[i];
        put_what(why, spent, &path, table, SPENT_kind);
        quipu__table_put_i64_if(table, SPENT_certain_ns, is_number(spent->certain), spent->certain);
        put_path(why, spent, &path, table, SPENT_path);
        status = quipu__table_end_row(table, err);
    }
    quipu__buffer_release(&path);
    return status == QUIPU_OK ? quipu__memory_status(why->waits->delays.memory, err) : status;
}

/* ---- Findings ---- */

enum { COMMAND_BYTES = 512 };

/* A name for single quotes, as a shell takes it. False when it does not fit, or has characters that are invisible or obeyed by a terminal. */
static bool quote(const char *name, char *out, size_t size) {
    size_t len = 0, left = strlen(name), step;
    uint32_t code = 0;
    for (; left > 0 && len + 8 < size; name += step, left -= step) {
        step = quipu__utf8_decode((const uint8_t *)name, left, &code);
        if (step == 0 || quipu__is_invisible(code))
            return false;
        len += (size_t)snprintf(out + len, size - len, "%.*s", *name == '\'' ? 4 : (int)step,
                                *name == '\'' ? "'\\''" : name);
    }
    out[len] = '\0';
    return left == 0;
}

/* Calls of a region are shown where a region is to blame; a location with them, where one is. */
static void write_command(const struct quipu__why *why, const struct quipu__spent *finding,
                          char out[COMMAND_BYTES]) {
    const uint32_t region = quipu__call_path_region(&quipu__why_communication(why)->paths, finding->path);
    const char *command = kinds[finding->kind].command, *mark = strchr(command, '%');
    char text[32], name[COMMAND_BYTES / 2];
    const char *printed = quipu__printed_name(why->definitions, QUIPU_REFERS_REGION, region, text);
    const bool has_name = printed && quote(printed, name, sizeof name);
    if (has_name && finding->kind == QUIPU__WHY_WAITING)
        snprintf(out, COMMAND_BYTES, "quipu calls TRACE --region '%s' --location %" PRIu32, name,
                 finding->location);
    else if (has_name && mark)
        snprintf(out, COMMAND_BYTES, "%.*s --region '%s'", (int)(mark - command), command, name);
    else
        snprintf(out, COMMAND_BYTES, "%.*s", (int)strcspn(command, "%"), command);
}

static enum quipu_status put_findings(const struct quipu__why *why, struct quipu_table *table,
                                      struct quipu_error *err) {
    struct quipu__buffer path;
    char command[COMMAND_BYTES];
    enum quipu_status status = QUIPU_OK;
    quipu__buffer_init(&path, why->waits->delays.memory, 0);
    for (size_t i = 0; i < why->findings.count && status == QUIPU_OK; i++) {
        const struct quipu__spent *finding = &why->findings.items[i];
        quipu__table_put_u64(table, FINDINGS_rank, i + 1);
        put_what(why, finding, &path, table, FINDINGS_kind);
        put_path(why, finding, &path, table, FINDINGS_path);
        write_command(why, finding, command);
        quipu__table_put_text(table, FINDINGS_command, command);
        quipu__table_put_text(table, FINDINGS_saying, kinds[finding->kind].saying);
        status = quipu__table_end_row(table, err);
    }
    quipu__buffer_release(&path);
    return status == QUIPU_OK ? quipu__memory_status(why->waits->delays.memory, err) : status;
}

/* ---- How far it can be trusted ---- */

/* The processes and processors of a host. */
struct host_counts {
    uint64_t processes, processors;
};

static void count_on_hosts(const struct quipu__why *why, struct quipu__hosts *hosts, struct host_counts *counts,
                           bool *known) {
    const struct quipu_locations *locations = &why->definitions->locations;
    for (uint32_t i = 0; i < locations->count; i++) {
        const bool has_events =
            i < quipu__why_communication(why)->stacks.count && quipu__why_stack(why, i)->has_events;
        const uint32_t process = has_events ? quipu__why_stack(why, i)->process : i;
        if (locations->items[i].kind == QUIPU_LOCATION_CPU)
            counts[quipu__host_first(hosts, i)].processors++;
        else if (has_events && process < locations->count && !known[process])
            counts[quipu__host_first(hosts, process)].processes += known[process] = true;
    }
}

/* The host that has least processors for its processes; without any that is known, the whole machine. QUIPU_NONE when none lacks any. */
static uint32_t most_crowded(const struct quipu__why *why, const struct host_counts *counts,
                             struct host_counts *out) {
    struct host_counts all = {.processors = why->definitions->system.processors};
    uint32_t worst = QUIPU_NONE;
    *out = (struct host_counts){0, 0};
    for (uint32_t i = 0; i < why->definitions->locations.count; i++) {
        const struct host_counts *it = &counts[i];
        all.processes += it->processes;
        if (it->processors == 0 || it->processes <= it->processors ||
            it->processes - it->processors <= out->processes - out->processors)
            continue;
        worst = i;
        *out = *it;
    }
    if (worst != QUIPU_NONE || all.processors == 0 || all.processes <= all.processors)
        return worst;
    *out = all;
    return 0;
}

static bool put_host(const struct quipu__why *why, struct quipu_table *table) {
    struct quipu__memory *memory = why->waits->delays.memory;
    const size_t count = why->definitions->locations.count + (size_t)1;
    struct host_counts *counts = quipu__alloc_zero(memory, count * sizeof *counts), found = {0, 0};
    bool *known = quipu__alloc_zero(memory, count);
    struct quipu__hosts hosts;
    uint32_t host = QUIPU_NONE;
    quipu__hosts_init(&hosts, memory, why->definitions);
    if (counts && known) {
        count_on_hosts(why, &hosts, counts, known);
        host = most_crowded(why, counts, &found);
    }
    const bool is_crowded = host != QUIPU_NONE;
    quipu__table_put_text(table, WHY_host, is_crowded ? quipu__host_name(why->definitions, host) : NULL);
    quipu__table_put_u64_if(table, WHY_processes, is_crowded, found.processes);
    quipu__table_put_u64_if(table, WHY_processors, is_crowded, found.processors);
    quipu__hosts_release(&hosts);
    quipu__release(memory, counts, count * sizeof *counts);
    quipu__release(memory, known, count);
    return counts && known;
}

static void put_clocks(const struct quipu__why *why, struct quipu_table *table) {
    uint64_t violations = 0, contradictions = 0, known = 0;
    int64_t worst = 0;
    for (size_t i = 0; i < why->clocks.list.count; i++) {
        const struct quipu__clock_pair *pair = &why->clocks.list.items[i];
        violations += pair->violations;
        worst = pair->worst > worst ? pair->worst : worst;
    }
    for (uint32_t i = 0; i < why->offsets.count; i++) {
        known += why->offsets.items[i].is_known;
        contradictions += why->offsets.items[i].parent != QUIPU_NONE && why->offsets.items[i].own_corridor < 0;
    }
    quipu__table_put_u64(table, WHY_clock_violations, violations);
    quipu__table_put_i64(table, WHY_worst_ns, worst);
    quipu__table_put_u64(table, WHY_contradictions, contradictions);
    quipu__table_put_u64(table, WHY_unknown_clocks,
                         why->totals.locations > known ? why->totals.locations - known : 0);
}

static enum quipu_status put_why(const struct quipu__why *why, struct quipu_table *table,
                                 struct quipu_error *err) {
    quipu__table_put_u64(table, WHY_locations, why->totals.locations);
    quipu__table_put_time(table, WHY_roi_begin_ns, why->begin);
    quipu__table_put_time(table, WHY_roi_end_ns, why->end);
    quipu__table_put_i64(table, WHY_runtime_ns, why->totals.run_time);
    quipu__table_put_i64(table, WHY_trace_ns, quipu__communication_run_time(quipu__why_communication(why)));
    const bool is_known = why->has_cpu_times || why->has_delays;
    quipu__table_put_i64_if(table, WHY_off_processor_ns, is_known, why->off_processor);
    quipu__table_put_u64_if(table, WHY_off_processor_calls, is_known, why->off_processor_calls);
    quipu__table_put_i64_if(table, WHY_off_processor_outside_ns, why->has_delays, why->off_processor_outside);
    quipu__table_put_i64_if(table, WHY_starved_ns, is_known, why->starved);
    put_clocks(why, table);
    return put_host(why, table) ? quipu__table_end_row(table, err)
                                : quipu__no_memory(err, why->definitions->locations.count);
}

/* ---- All of them ---- */

static void note(const struct quipu__why *why, struct quipu_tables *tables) {
    const struct account account = account_of(why);
    quipu__communication_note(quipu__why_communication(why), tables);
    quipu__posts_note(quipu__why_communication(why), tables);
    if (why->totals.has_ideal && why->totals.ideal > why->totals.run_time)
        quipu__tables_note_add(tables, "transfer is below 0: clocks differ, see quipu clock");
    if (!why->totals.has_ideal)
        quipu__tables_note_add(
            tables, "calls wait for each other in a circle: serialisation and transfer cannot be told apart");
    for (size_t i = 0; i < account.count; i++)
        if (!is_number(account.totals[i]))
            quipu__tables_note_add(tables, "%s is no number of 64 bits, and null", account.names[i]);
}

enum quipu_status quipu__why_put(const struct quipu__why *why, struct quipu_tables *tables,
                                 struct quipu_error *err) {
    static enum quipu_status (*const put[])(const struct quipu__why *, struct quipu_table *,
                                            struct quipu_error *) = {
        [ACCOUNT] = put_account, [FINDINGS] = put_findings, [SPENT] = put_spent, [WHY] = put_why};
    enum quipu_status status = QUIPU_OK;
    note(why, tables);
    for (size_t i = 0; i < QUIPU__WHY_TABLES && status == QUIPU_OK; i++) {
        struct quipu_table *table;
        status = quipu__tables_add(tables, &quipu__why_tables[i], &table, err);
        if (status == QUIPU_OK)
            status = put[i](why, table, err);
    }
    return status;
}
