/* repair.c: the records of a damaged trace, stream after stream: what cannot stay is left out, what must be there is added.
 *
 * In the repaired stream every call that is entered is left, in the proper order: a leave without its enter is dropped, one
 * that skips inner calls leaves them first, and calls active at the end are left at the last time.
 */
#include "formats/otf/repair.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct quipu_rule repairs[QUIPU__OTF_REPAIR_COUNT] = {
#define REPAIR(name, id, severity, text) {id, QUIPU_##severity, text, "", NULL},
#include "formats/otf/repairs.def"
#undef REPAIR
};

static void QUIPU_PRINTF(3, 4) note_repair(const struct quipu__otf_repairing *repairing,
                                           enum quipu__otf_repair repair, const char *found, ...) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    where.file = repairing->path;
    where.byte = repairing->offset;
    where.line = repairing->line;
    quipu__find(repairing->repairing->changes, &repairs[repair], &where, "", "%s", text);
}

/* ==== What concerns all streams ====
 *
 * What concerns all streams of a damaged trace.
 *
 * A process belongs to the stream that holds most of its records; the master control file only breaks ties, since it may
 * itself be damaged. What is used but not defined gets a definition with a name of its class and token. */

#define WINDOW ((size_t)256 << 10)
#define NANOSECONDS UINT64_C(1000000000)

static const struct quipu__otf_trace *trace_of(const struct quipu__otf_repairing *repairing) {
    return repairing->repairing->trace->own;
}

/* ---- Which process belongs to which stream ---- */

static bool count_share(struct quipu__otf_repairing *repairing, uint32_t stream, uint32_t process) {
    const uint64_t key = (uint64_t)stream << 32 | process;
    uint32_t number = quipu__map_get(&repairing->share_numbers, key);
    if (number == QUIPU_NONE) {
        struct quipu__otf_share *share = QUIPU__VEC_ADD(repairing->memory, &repairing->shares);
        number = (uint32_t)repairing->shares.count - 1;
        if (!share || !quipu__map_put(&repairing->share_numbers, key, number))
            return false;
        *share = (struct quipu__otf_share){process, stream, 0};
    }
    repairing->shares.items[number].count++;
    return true;
}

/* The first numbers that no stream has: they are below the number of streams, or a little above. */
static bool find_unused(struct quipu__otf_repairing *repairing) {
    enum { WANTED = sizeof repairing->unused / sizeof *repairing->unused };
    const struct quipu__trace *trace = repairing->repairing->trace;
    const size_t limit = trace->streams.count + WANTED + 1;
    bool *used = quipu__alloc_zero(repairing->memory, limit);
    if (!used)
        return false;
    for (size_t i = 0; i < trace->streams.count; i++)
        if (trace->streams.items[i].native_id < limit)
            used[trace->streams.items[i].native_id] = true;
    uint32_t number = 0;
    for (size_t i = 0; i < WANTED; i++) {
        do
            number++;
        while (used[number]);
        repairing->unused[i] = number;
    }
    quipu__release(repairing->memory, used, limit);
    return true;
}

static uint32_t repair_number(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    if (stream == QUIPU__OTF_GLOBAL_STREAM)
        return repairing->unused[0];
    return stream > QUIPU__OTF_LAST_STREAM ? repairing->unused[1] : stream;
}

/* Counts the records of a stream's pass by their processes, from its first state line on. */
static enum quipu_status count_pass(struct quipu__otf_repairing *repairing, uint32_t number,
                                    struct quipu__pass *pass, struct quipu_error *err) {
    struct quipu_record record;
    enum quipu_status status;
    bool has_state = false;
    while ((status = quipu__otf_next_record(pass, &record, err)) == QUIPU_OK) {
        const struct quipu__otf_common *state = record.common;
        has_state |= state && quipu__otf_repair_is_state(state);
        if (state && has_state && !count_share(repairing, number, state->process))
            return quipu__no_memory(err, sizeof record);
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status count_records(struct quipu__otf_repairing *repairing, uint32_t stream,
                                       struct quipu_error *err) {
    struct quipu__trace *trace = repairing->repairing->trace;
    const struct quipu__pass common = {
        .trace = trace, .stream = stream, .substream = QUIPU__RECORDS, .window = WINDOW};
    const uint32_t number = repair_number(repairing, (uint32_t)trace->streams.items[stream].native_id);
    struct quipu__pass *pass;
    enum quipu_status status = quipu__otf_pass_open(&common, &pass, err);
    if (status != QUIPU_OK)
        return status == QUIPU_END ? QUIPU_OK : status; /* the stream is missing */
    status = count_pass(repairing, number, pass, err);
    quipu__otf_pass_close(pass);
    return status;
}

static enum quipu_status count_all_records(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    const struct quipu__trace *trace = repairing->repairing->trace;
    for (uint32_t i = 0; i < trace->streams.count; i++) {
        const enum quipu_stream_kind kind = trace->streams.items[i].kind;
        if (kind != QUIPU_STREAM_EVENTS && kind != QUIPU_STREAM_SNAPSHOTS && kind != QUIPU_STREAM_STATISTICS)
            continue;
        const enum quipu_status status = count_records(repairing, i, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

static bool choose_homes(struct quipu__otf_repairing *repairing) {
    const struct quipu__otf_trace *own = trace_of(repairing);
    for (size_t i = 0; i < repairing->shares.count; i++) {
        const struct quipu__otf_share *share = &repairing->shares.items[i];
        const uint32_t home = quipu__map_get(&repairing->homes, share->process);
        const uint32_t rival = home == QUIPU_NONE ? QUIPU_NONE
                                                  : quipu__map_get(&repairing->share_numbers,
                                                                   (uint64_t)home << 32 | share->process);
        const uint64_t most = rival == QUIPU_NONE ? 0 : repairing->shares.items[rival].count;
        const bool is_mapped = quipu__map_get(&own->mapping, share->process) == share->stream;
        if ((share->count > most || (share->count == most && is_mapped)) &&
            !quipu__map_put(&repairing->homes, share->process, share->stream))
            return false;
    }
    return true;
}

/* Findings are reported again when the records are read, except for what could not be read. */
static enum quipu_status repair_look(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    struct quipu__trace *trace = repairing->repairing->trace;
    struct quipu_findings *findings = trace->findings, *ignored = NULL;
    if (!find_unused(repairing))
        return quipu__no_memory(err, trace->streams.count);
    enum quipu_status status = quipu__findings_new(repairing->memory, &ignored, err);
    if (status != QUIPU_OK)
        return status;
    trace->findings = ignored;
    status = count_all_records(repairing, err);
    trace->findings = findings;
    quipu__findings_copy_unreadable(ignored, findings);
    quipu__findings_free(ignored);
    if (status != QUIPU_OK)
        return status;
    return choose_homes(repairing) ? QUIPU_OK : quipu__no_memory(err, sizeof *repairing);
}

/* ---- Tokens ---- */

static bool repair_use(struct quipu__otf_repairing *repairing, enum quipu__otf_class class_of, uint32_t token) {
    if (class_of == QUIPU__OTF_CLASS_COUNT || token == 0 ||
        quipu__map_get(&repairing->used[class_of], token) != QUIPU_NONE)
        return true;
    return QUIPU__VEC_PUT(repairing->memory, &repairing->uses, (uint64_t)class_of << 32 | token) &&
           quipu__map_put(&repairing->used[class_of], token, 1);
}

static bool use_field(struct quipu__otf_repairing *repairing, const struct quipu_field *field,
                      const void *data) {
    const enum quipu__otf_class class_of = quipu__otf_class_of(field);
    int64_t value = 0;
    if (class_of == QUIPU__OTF_CLASS_COUNT)
        return true;
    if (field->shape != QUIPU_LIST) {
        quipu_field_get_i64(field, data, &value);
        return repair_use(repairing, class_of, (uint32_t)value);
    }
    const void *list = *(const void *const *)quipu__member_const(field, data);
    for (uint32_t i = 0; i < quipu_sized_count(list); i++)
        if (!quipu__element_i64(field, list, i, &value) || !repair_use(repairing, class_of, (uint32_t)value))
            return false;
    return true;
}

/* Notes a record that defines a token. */
static bool define(struct quipu__otf_repairing *repairing, enum quipu__otf_type type, const void *data) {
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        const struct quipu__otf_definer *row = &quipu__otf_definers[i];
        int64_t token = 0;
        if (row->type != type)
            continue;
        quipu_field_get_i64(&quipu__otf_schema.types[type].fields[row->token], data, &token);
        return quipu__map_put(&repairing->defined[i], (uint32_t)token, 1);
    }
    return true;
}

/* These name processes or groups; only a definition would show which. */
static bool is_ambiguous(enum quipu__otf_type type) {
    return type == QUIPU__OTF_DefProcessOrGroupAttributes || type == QUIPU__OTF_DefCounterAssignments;
}

static bool repair_note_tokens(struct quipu__otf_repairing *repairing, const struct quipu_record *record) {
    const enum quipu__otf_type type = (enum quipu__otf_type)(record->type - quipu__otf_schema.types);
    const struct quipu__otf_common *common = record->common;
    const struct quipu_value *values = common ? common->keyvalues : NULL;
    if (type == QUIPU__OTF_DefTimerResolution)
        repairing->has_resolution |=
            ((const struct quipu__otf_DefTimerResolution *)record->data)->ticksPerSecond != 0;
    bool done = define(repairing, type, record->data);
    for (uint32_t i = 0; done && i < record->type->field_count && !is_ambiguous(type); i++)
        done = use_field(repairing, &record->type->fields[i], record->data);
    for (uint32_t i = 0; done && i < quipu_sized_count(values); i++)
        done = repair_use(repairing, QUIPU__OTF_CLASS_key, values[i].key);
    return done;
}

/* ---- Definitions that are missing ---- */

/* Writes a definition of that token and name into the global definitions. */
static enum quipu_status put_definition(struct quipu__otf_writer *writer, const struct quipu__otf_definer *row,
                                        uint32_t token, const char *name, struct quipu_error *err) {
    const struct quipu_record_type *type = &quipu__otf_schema.types[row->type];
    union quipu__otf_any data;
    const enum quipu_status status =
        quipu__otf_use_output(writer, (enum quipu__otf_file)type->group, QUIPU__OTF_GLOBAL_STREAM, err);
    if (status != QUIPU_OK)
        return status;
    memset(&data, 0, sizeof data);
    quipu__store_i64(&type->fields[row->token], &data, token);
    if (row->name != QUIPU__OTF_NO_FIELD)
        memcpy(quipu__member(&type->fields[row->name], &data), &name, sizeof name);
    quipu__otf_encode(&writer->text, row->type, &data, writer->is_long);
    return QUIPU_OK;
}

static enum quipu_status define_token(struct quipu__otf_repairing *repairing, enum quipu__otf_class class_of,
                                      uint32_t token, struct quipu_error *err) {
    const struct quipu__otf_definer *row = &quipu__otf_definers[class_of];
    struct quipu__scratch scratch;
    char name[64];
    snprintf(name, sizeof name, "%s %" PRIu32, row->domain, token);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    quipu__scratch_init(&scratch, repairing->memory);
    const char *sized = quipu__scratch_text(&scratch, name, strlen(name));
    const enum quipu_status status = sized ? put_definition(repairing->writer, row, token, sized, err)
                                           : (enum quipu_status)quipu__no_memory(err, sizeof name);
    quipu__scratch_release(&scratch);
    note_repair(repairing, QUIPU__OTF_REPAIR_DEFINITION, "%s", name);
    repairing->repairing->added++;
    return status;
}

static int compare_numbers(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Class after class, tokens ascending. */
static enum quipu_status define_missing(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    if (repairing->uses.count > 0)
        qsort(repairing->uses.items, repairing->uses.count, sizeof *repairing->uses.items, compare_numbers);
    for (size_t i = 0; i < repairing->uses.count; i++) {
        const enum quipu__otf_class class_of = (enum quipu__otf_class)(repairing->uses.items[i] >> 32);
        const uint32_t token = (uint32_t)repairing->uses.items[i];
        if (quipu__map_get(&repairing->defined[class_of], token) != QUIPU_NONE)
            continue;
        const enum quipu_status status = define_token(repairing, class_of, token, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

static enum quipu_status define_resolution(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    static const struct quipu__otf_DefTimerResolution resolution = {NANOSECONDS};
    struct quipu__otf_writer *writer = repairing->writer;
    if (repairing->has_resolution)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__otf_use_output(writer, QUIPU__OTF_DEFINITIONS, QUIPU__OTF_GLOBAL_STREAM, err);
    if (status != QUIPU_OK)
        return status;
    quipu__otf_encode(&writer->text, QUIPU__OTF_DefTimerResolution, &resolution, writer->is_long);
    note_repair(repairing, QUIPU__OTF_REPAIR_RESOLUTION, "%s", "");
    repairing->repairing->added++;
    return QUIPU_OK;
}

/* ---- The master control file ---- */

/* Whether the trace's lines describe the new files. */
static bool master_is_right(const struct quipu__otf_repairing *repairing) {
    static const enum quipu__otf_rule rules[] = {QUIPU__OTF_RULE_NO_MASTER, QUIPU__OTF_RULE_LOST_STREAMS,
                                                 QUIPU__OTF_RULE_BAD_MASTER_LINE};
    const struct quipu__otf_trace *own = trace_of(repairing);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (quipu_findings_total_of(own->trace->findings, &quipu__otf_rules[rules[i]]) > 0)
            return false;
    for (size_t i = 0; i < repairing->shares.count; i++) {
        const uint32_t process = repairing->shares.items[i].process;
        if (quipu__map_get(&own->mapping, process) != quipu__map_get(&repairing->homes, process))
            return false;
    }
    return !repairing->is_missing;
}

/* All processes by stream: those with records, and those that the old lines name in existing streams. They replace the
 * pairs of the old lines. */
static bool list_mapping(struct quipu__otf_repairing *repairing) {
    struct quipu__otf_assignment *assignment = &repairing->writer->assignment;
    size_t count = 0;
    for (size_t i = 0; i < assignment->mapping.count; i++) {
        const uint32_t stream = (uint32_t)(assignment->mapping.items[i] >> 32),
                       process = (uint32_t)assignment->mapping.items[i];
        if (quipu__map_get(&repairing->homes, process) != QUIPU_NONE ||
            !quipu__otf_has_output(repairing->writer, QUIPU__OTF_EVENTS, stream))
            continue;
        if (!quipu__map_put(&repairing->homes, process, stream))
            return false;
        assignment->mapping.items[count++] = assignment->mapping.items[i];
    }
    assignment->mapping.count = count;
    for (size_t i = 0; i < repairing->shares.count; i++) {
        const struct quipu__otf_share *share = &repairing->shares.items[i];
        if (quipu__map_get(&repairing->homes, share->process) != share->stream)
            continue;
        if (!QUIPU__VEC_PUT(assignment->memory, &assignment->mapping,
                            (uint64_t)share->stream << 32 | share->process))
            return false;
    }
    quipu__otf_sort_mapping(assignment->mapping.items, assignment->mapping.count);
    return true;
}

/* Streams without events, whose processes are known from other files, get a file of events. */
static enum quipu_status complete_streams(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    const struct quipu__otf_assignment *assignment = &repairing->writer->assignment;
    for (size_t i = 0; i < assignment->mapping.count; i++) {
        const uint32_t stream = (uint32_t)(assignment->mapping.items[i] >> 32);
        const enum quipu_status status =
            quipu__otf_use_output(repairing->writer, QUIPU__OTF_EVENTS, stream, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

static enum quipu_status make_master(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    if (!list_mapping(repairing))
        return quipu__no_memory(err, sizeof writer->assignment);
    if (!master_is_right(repairing)) {
        writer->master.len = 0;
        quipu__otf_put_mapping(&writer->master, writer->assignment.mapping.items,
                               writer->assignment.mapping.count);
        note_repair(repairing, QUIPU__OTF_REPAIR_MASTER, "processes: %zu", writer->assignment.mapping.count);
    }
    return complete_streams(repairing, err);
}

/* ==== Times ==== */

/* Writes the records that need not wait any longer; at the end of a stream all of them. */
static enum quipu_status write_lines(struct quipu__otf_repairing *repairing, bool is_end,
                                     struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    enum quipu_status status = QUIPU_OK;
    struct quipu__timed_record line;
    struct quipu__slice bytes;
    uint64_t time;
    while (status == QUIPU_OK && quipu__time_queue_next(&repairing->queue, is_end, &line, &time, &bytes)) {
        status = quipu__otf_use_output(writer, repairing->file, repairing->stream, err);
        if (status != QUIPU_OK)
            return status;
        if (time != line.time) {
            repairing->offset = line.offset;
            repairing->line = line.line;
            note_repair(repairing, QUIPU__OTF_REPAIR_TIME, "%" PRIx64 " in place of %" PRIx64, time, line.time);
        }
        quipu__otf_encode_state(&writer->text, &quipu__otf_current(writer)->clock, time, line.process);
        quipu__put(&writer->text, bytes.at, quipu__slice_left(&bytes));
        status = quipu__otf_flush(writer, false, err);
    }
    return status;
}

static enum quipu_status repair_line(struct quipu__otf_repairing *repairing, uint64_t time, uint32_t process,
                                     size_t begin, struct quipu_error *err) {
    const struct quipu__timed_record line = {
        .time = time, .offset = repairing->offset, .line = repairing->line, .process = process, .begin = begin};
    return quipu__time_queue_add(&repairing->queue, &line) ? write_lines(repairing, false, err)
                                                           : quipu__no_memory(err, sizeof line);
}

/* ==== Calls ==== */

/* Programs do not nest calls deeper; damaged traces may seem to. */
#define DEPTH_MOST ((size_t)1 << 16)

static struct quipu__otf_calls *calls_of(struct quipu__otf_repairing *repairing, uint32_t process) {
    const uint32_t number = quipu__map_get(&repairing->call_numbers, process);
    if (number != QUIPU_NONE)
        return &repairing->calls.items[number];
    const uint32_t added = (uint32_t)repairing->calls.count;
    struct quipu__otf_calls *calls = QUIPU__VEC_ADD(repairing->memory, &repairing->calls);
    if (!calls)
        return NULL;
    *calls = (struct quipu__otf_calls){process, quipu__tracker_locate(&repairing->active, added, 0), 0};
    return calls->state != QUIPU_NONE && quipu__map_put(&repairing->call_numbers, process, added) ? calls
                                                                                                  : NULL;
}

static struct quipu__interval_list active_calls(const struct quipu__otf_repairing *repairing,
                                                const struct quipu__otf_calls *calls) {
    return quipu__active_at(&repairing->active, calls->state, QUIPU__INTERVAL_call);
}

static uint32_t function_of(const struct quipu__otf_repairing *repairing, uint32_t call) {
    return (uint32_t)quipu__interval_at(&repairing->active, call)->key[1];
}

/* Leaves the innermost call at a time. */
static enum quipu_status add_leave(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                                   uint64_t time, struct quipu_error *err) {
    const size_t begin = repairing->queue.text.len;
    const uint32_t innermost = active_calls(repairing, calls).newest;
    const struct quipu__otf_Leave leave = {function_of(repairing, innermost), 0};
    quipu__tracker_remove(&repairing->active, innermost);
    quipu__otf_encode(&repairing->queue.text, QUIPU__OTF_Leave, &leave, repairing->writer->is_long);
    repairing->repairing->added++;
    return repair_line(repairing, time, calls->process, begin, err);
}

static bool is_same_call(uint32_t entered, uint32_t left) {
    return entered == left || entered == 0 || left == 0;
}

/* Token 0 matches every call. If it is defined it also names a function, so the Leave gets the token of its Enter. */
static void name_entered(struct quipu__otf_repairing *repairing, uint32_t entered, uint32_t *left) {
    if (entered == *left || quipu__map_get(&repairing->defined[QUIPU__OTF_CLASS_function], 0) == QUIPU_NONE)
        return;
    note_repair(repairing, QUIPU__OTF_REPAIR_LEAVE_ZERO, "function %" PRIu32 " in place of %" PRIu32, *left,
                entered);
    *left = entered;
}

/* Leaves inner calls up to the one that is being left. *stays is false when it was never entered, or too far out. */
static enum quipu_status leave(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                               uint64_t time, uint32_t *left, bool *stays, struct quipu_error *err) {
    const uint32_t function = *left;
    uint32_t call = active_calls(repairing, calls).newest;
    if (calls->beyond > 0) {
        calls->beyond--;
        return QUIPU_OK;
    }
    int looked = 0;
    for (; call != QUIPU_NONE && !is_same_call(function_of(repairing, call), function); looked++)
        call = looked < QUIPU__LOOK_OUT_MOST ? quipu__interval_at(&repairing->active, call)->older : QUIPU_NONE;
    *stays = call != QUIPU_NONE;
    if (!*stays) {
        note_repair(repairing, QUIPU__OTF_REPAIR_LEAVE_ONLY, "function %" PRIu32 " of process %" PRIu32,
                    function, calls->process);
        return QUIPU_OK;
    }
    while (active_calls(repairing, calls).newest != call) {
        note_repair(repairing, QUIPU__OTF_REPAIR_LEAVE, "function %" PRIu32 " of process %" PRIu32,
                    function_of(repairing, active_calls(repairing, calls).newest), calls->process);
        const enum quipu_status status = add_leave(repairing, calls, time, err);
        if (status != QUIPU_OK)
            return status;
    }
    name_entered(repairing, function_of(repairing, call), left);
    quipu__tracker_remove(&repairing->active, call);
    return QUIPU_OK;
}

static enum quipu_status enter(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                               uint64_t time, uint32_t function, struct quipu_error *err) {
    const struct quipu__transition transition = quipu__begins(QUIPU__INTERVAL_call, 0, 0, function, 0);
    const struct quipu__beginning beginning = {.time = (int64_t)time};
    if (calls->beyond > 0 || active_calls(repairing, calls).count >= DEPTH_MOST) {
        calls->beyond++;
        return QUIPU_OK;
    }
    return quipu__tracker_add(&repairing->active, calls->state, &transition, &beginning)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__interval));
}

/* data: the record's, which may change. */
static enum quipu_status track_call(struct quipu__otf_repairing *repairing, const struct quipu_record *record,
                                    union quipu__otf_any *data, uint32_t process, bool *stays,
                                    struct quipu_error *err) {
    const uint64_t time = ((const struct quipu__otf_common *)record->common)->time;
    const enum quipu__otf_type type = (enum quipu__otf_type)(record->type - quipu__otf_schema.types);
    if (type != QUIPU__OTF_Enter && type != QUIPU__OTF_Leave)
        return QUIPU_OK;
    struct quipu__otf_calls *calls = calls_of(repairing, process);
    if (!calls)
        return quipu__no_memory(err, sizeof *calls);
    if (type == QUIPU__OTF_Leave)
        return leave(repairing, calls, time, &data->Leave.function, stays, err);
    return enter(repairing, calls, time, data->Enter.function, err);
}

/* Leaves the calls of a process that are active at the last time. */
static enum quipu_status leave_active(struct quipu__otf_repairing *repairing, struct quipu__otf_calls *calls,
                                      struct quipu_error *err) {
    const uint32_t count = active_calls(repairing, calls).count;
    if (count > 0)
        note_repair(repairing, QUIPU__OTF_REPAIR_OPEN, "%" PRIu32 " calls of process %" PRIu32, count,
                    calls->process);
    for (uint32_t i = 0; i < count; i++) {
        const enum quipu_status status = add_leave(repairing, calls, repairing->queue.last, err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

static enum quipu_status leave_all(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    repairing->offset = repairing->line = QUIPU_UNKNOWN;
    for (size_t i = 0; i < repairing->calls.count; i++) {
        const enum quipu_status status = leave_active(repairing, &repairing->calls.items[i], err);
        if (status != QUIPU_OK)
            return status;
    }
    return QUIPU_OK;
}

/* ---- Streams ---- */

static void init_calls(struct quipu__otf_repairing *repairing) {
    const struct quipu__tracker_options options = {.interval_classes =
                                                       QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)};
    quipu__tracker_init(&repairing->active, repairing->memory, &options);
    quipu__map_init(&repairing->call_numbers, repairing->memory);
}

static void release_calls(struct quipu__otf_repairing *repairing) {
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->calls);
    quipu__map_release(&repairing->call_numbers);
    quipu__tracker_release(&repairing->active);
}

static enum quipu_status end_lines(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    enum quipu_status status = write_lines(repairing, true, err);
    if (status != QUIPU_OK)
        return status;
    status = leave_all(repairing, err);
    return status == QUIPU_OK ? write_lines(repairing, true, err) : status;
}

static enum quipu_status repair_stream_end(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    const enum quipu_status status = end_lines(repairing, err);
    release_calls(repairing);
    init_calls(repairing);
    quipu__time_queue_reset(&repairing->queue);
    return status;
}

static enum quipu_status start(struct quipu__otf_writer *writer, struct quipu_error *err) {
    struct quipu__otf_repairing *repairing = quipu__alloc_zero(writer->writing->memory, sizeof *repairing);
    if (!repairing)
        return quipu__no_memory(err, sizeof *repairing);
    writer->repairing = repairing;
    repairing->writer = writer;
    repairing->repairing = writer->writing->repairing;
    repairing->memory = writer->writing->memory;
    repairing->path = "";
    quipu__map_init(&repairing->share_numbers, repairing->memory);
    quipu__map_init(&repairing->homes, repairing->memory);
    init_calls(repairing);
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__map_init(&repairing->defined[i], repairing->memory);
        quipu__map_init(&repairing->used[i], repairing->memory);
    }
    quipu__time_queue_init(&repairing->queue, repairing->memory);
    return repair_look(repairing, err);
}

void quipu__otf_repair_free(struct quipu__otf_writer *writer) {
    struct quipu__otf_repairing *repairing = writer->repairing;
    if (!repairing)
        return;
    release_calls(repairing);
    quipu__map_release(&repairing->share_numbers);
    quipu__map_release(&repairing->homes);
    for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++) {
        quipu__map_release(&repairing->defined[i]);
        quipu__map_release(&repairing->used[i]);
    }
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->shares);
    QUIPU__VEC_RELEASE(repairing->memory, &repairing->uses);
    quipu__time_queue_release(&repairing->queue);
    quipu__release(repairing->memory, repairing, sizeof *repairing);
    writer->repairing = NULL;
}

/* Whether the master control file will name a stream for a process that has no records anywhere. */
static bool is_named(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    const struct quipu__otf_assignment *assignment = &repairing->writer->assignment;
    for (size_t i = 0; i < assignment->mapping.count; i++)
        if (assignment->mapping.items[i] >> 32 == stream &&
            quipu__map_get(&repairing->homes, (uint32_t)assignment->mapping.items[i]) == QUIPU_NONE)
            return true;
    return false;
}

/* How many processes belong to the current stream, and one of them. */
static uint32_t count_processes(const struct quipu__otf_repairing *repairing, uint32_t *process) {
    uint32_t count = 0;
    for (size_t i = 0; i < repairing->shares.count; i++) {
        const struct quipu__otf_share *share = &repairing->shares.items[i];
        if (share->stream != repairing->stream ||
            quipu__map_get(&repairing->homes, share->process) != repairing->stream)
            continue;
        *process = share->process;
        count++;
    }
    return count;
}

static bool has_events(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    const struct quipu__trace *trace = repairing->repairing->trace;
    for (size_t i = 0; i < trace->streams.count; i++)
        if (trace->streams.items[i].kind == QUIPU_STREAM_EVENTS && !trace->streams.items[i].missing &&
            trace->streams.items[i].native_id == stream)
            return true;
    return false;
}

/* The master control file cannot name a stream without processes, so its own definitions and markers become global. */
static void choose_stream(struct quipu__otf_repairing *repairing, uint32_t process_count) {
    const uint32_t stream = repairing->stream;
    if (stream == QUIPU__OTF_GLOBAL_STREAM || process_count > 0 ||
        (is_named(repairing, stream) && has_events(repairing, stream)))
        return;
    repairing->stream = QUIPU__OTF_GLOBAL_STREAM;
    note_repair(repairing, QUIPU__OTF_REPAIR_GLOBAL, "stream %" PRIx32, stream);
}

static void renumber(struct quipu__otf_repairing *repairing) {
    const uint32_t before = repairing->stream;
    repairing->stream = repair_number(repairing, before);
    if (repairing->stream != before)
        note_repair(repairing, QUIPU__OTF_REPAIR_STREAM, "stream %" PRIx32 ", now %" PRIx32, before,
                    repairing->stream);
}

/* A stream without known processes is left out: the master control file could not name it. */
enum quipu_status quipu__otf_repair_begin(struct quipu__otf_writer *writer, const struct quipu_stream *stream,
                                          bool *is_wanted, struct quipu_error *err) {
    enum quipu_status status =
        writer->repairing ? repair_stream_end(writer->repairing, err) : start(writer, err);
    struct quipu__otf_repairing *repairing = writer->repairing;
    if (status != QUIPU_OK)
        return status;
    repairing->path = stream->path;
    repairing->offset = repairing->line = QUIPU_UNKNOWN;
    repairing->stream = (uint32_t)stream->native_id;
    const bool has_states = stream->kind == QUIPU_STREAM_EVENTS || stream->kind == QUIPU_STREAM_SNAPSHOTS ||
                            stream->kind == QUIPU_STREAM_STATISTICS;
    if (has_states)
        renumber(repairing);
    const uint32_t count = count_processes(repairing, &repairing->only);
    repairing->has_only = count == 1 && repairing->only != QUIPU__KEYED_NO_PROCESS;
    repairing->has_state = repairing->has_written = false;
    if ((stream->kind == QUIPU_STREAM_DEFINITIONS || stream->kind == QUIPU_STREAM_MARKERS) && !stream->missing)
        choose_stream(repairing, count);
    const bool may_be_named = stream->kind == QUIPU_STREAM_EVENTS && !stream->missing && count == 0;
    *is_wanted = !stream->missing &&
                 (!has_states || count > 0 || (may_be_named && is_named(repairing, repairing->stream)));
    repairing->is_skipped = !*is_wanted;
    repairing->is_master = stream->kind == QUIPU_STREAM_OTHER;
    if (stream->missing) {
        repairing->is_missing = true;
        note_repair(repairing, QUIPU__OTF_REPAIR_MISSING, "stream %" PRIx32, repairing->stream);
    }
    return QUIPU_OK;
}

/* ---- Records ---- */

static enum quipu_status drop(struct quipu__otf_repairing *repairing, enum quipu__otf_repair repair,
                              const struct quipu_record *record) {
    note_repair(repairing, repair, "%s", record->type->name);
    repairing->repairing->dropped++;
    return QUIPU_OK;
}

static bool has_states(const struct quipu__otf_repairing *repairing) {
    return repairing->file == QUIPU__OTF_EVENTS || repairing->file == QUIPU__OTF_SNAPSHOTS ||
           repairing->file == QUIPU__OTF_STATISTICS;
}

/* Whether writing changes a text: readers accept one that is missing or continues on the next line, but a writer always
 * writes one, in one line. */
static bool is_changed(const struct quipu_field *field, const char *text) {
    return text ? memchr(text, '\n', quipu_sized_count(text)) != NULL : field->wire == QUIPU__PRESENCE_MISSING;
}

static void note_texts(const struct quipu__otf_repairing *repairing, const struct quipu_record *record) {
    for (uint32_t i = 0; i < record->type->field_count; i++) {
        const struct quipu_field *field = &record->type->fields[i];
        if (field->storage == QUIPU_STORE_STRING &&
            is_changed(field, *(const char *const *)quipu__member_const(field, record->data)))
            note_repair(repairing, QUIPU__OTF_REPAIR_TEXT, "%s", record->type->name);
    }
}

/* A record of a file with state lines. */
static enum quipu_status repair_event(struct quipu__otf_repairing *repairing, const struct quipu_record *record,
                                      struct quipu_error *err) {
    const struct quipu__otf_common *common = record->common;
    const bool long_form = repairing->writer->is_long;
    uint32_t process = common->process;
    union quipu__otf_any data;
    bool stays = true;
    repairing->has_state |= quipu__otf_repair_is_state(common);
    if (!repairing->has_state)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    if (quipu__map_get(&repairing->homes, process) != repairing->stream) {
        if (!repairing->has_only)
            return drop(repairing, QUIPU__OTF_REPAIR_STRANGER, record);
        note_repair(repairing, QUIPU__OTF_REPAIR_PROCESS, "process %" PRIu32 ", not %" PRIu32, repairing->only,
                    process);
        process = repairing->only;
    }
    if (!repairing->has_written && process == QUIPU__KEYED_NO_PROCESS)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    memcpy(&data, record->data, record->type->size);
    const enum quipu_status status = track_call(repairing, record, &data, process, &stays, err);
    if (status != QUIPU_OK)
        return status;
    if (!stays) {
        repairing->repairing->dropped++;
        return QUIPU_OK;
    }
    if (!repair_note_tokens(repairing, record) || !repair_use(repairing, QUIPU__OTF_CLASS_process, process))
        return quipu__no_memory(err, sizeof *record);
    note_texts(repairing, record);
    const size_t begin = repairing->queue.text.len;
    quipu__otf_encode_values(&repairing->queue.text, common->keyvalues, long_form);
    quipu__otf_encode(&repairing->queue.text, (enum quipu__otf_type)(record->type - quipu__otf_schema.types),
                      &data, long_form);
    repairing->has_written = true;
    return repair_line(repairing, common->time, process, begin, err);
}

/* A record of definitions or markers. */
static enum quipu_status repair_definition(struct quipu__otf_repairing *repairing,
                                           const struct quipu_record *record, struct quipu_error *err) {
    struct quipu__otf_writer *writer = repairing->writer;
    const bool long_form = writer->is_long;
    const struct quipu__otf_common *common = record->common;
    const enum quipu_status status = quipu__otf_use_output(writer, repairing->file, repairing->stream, err);
    if (status != QUIPU_OK)
        return status;
    if (!repair_note_tokens(repairing, record))
        return quipu__no_memory(err, sizeof *record);
    note_texts(repairing, record);
    if (common)
        quipu__otf_encode_values(&writer->text, common->keyvalues, long_form);
    quipu__otf_encode(&writer->text, (enum quipu__otf_type)(record->type - quipu__otf_schema.types),
                      record->data, long_form);
    return quipu__otf_flush(writer, false, err);
}

/* A snapshot's statement of what it consists of holds only for the undamaged trace. */
static bool is_outdated(const struct quipu_record *record) {
    struct quipu__completeness complete;
    return quipu__otf_snapshots.completeness_of(record, &complete);
}

enum quipu_status quipu__otf_repair_record(struct quipu__otf_repairing *repairing,
                                           const struct quipu_record *record, struct quipu_error *err) {
    if (is_outdated(record))
        return QUIPU_OK;
    repairing->offset = record->byte_offset;
    repairing->line = record->line;
    if (record->type == &quipu__otf_schema.types[QUIPU__OTF_UnknownRecord])
        return drop(repairing, QUIPU__OTF_REPAIR_LINE, record);
    if (repairing->is_skipped)
        return drop(repairing, QUIPU__OTF_REPAIR_NO_STATE, record);
    repairing->file = repairing->writer->file;
    return has_states(repairing) ? repair_event(repairing, record, err)
                                 : repair_definition(repairing, record, err);
}

enum quipu_status quipu__otf_repair_finish(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    enum quipu_status status = repair_stream_end(repairing, err);
    if (status != QUIPU_OK)
        return status;
    repairing->path = "";
    status = make_master(repairing, err);
    if (status != QUIPU_OK)
        return status;
    status = define_resolution(repairing, err);
    return status == QUIPU_OK ? define_missing(repairing, err) : status;
}
