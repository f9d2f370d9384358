/* repair_trace.c: what concerns all streams of a damaged trace.
 *
 * A process belongs to the stream that holds most of its records; the master control file only breaks ties, since it may
 * itself be damaged. What is used but not defined gets a definition with a name of its class and token.
 */
#include "formats/otf/repair.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

uint32_t quipu__otf_repair_number(const struct quipu__otf_repairing *repairing, uint32_t stream) {
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
    const uint32_t number =
        quipu__otf_repair_number(repairing, (uint32_t)trace->streams.items[stream].native_id);
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
enum quipu_status quipu__otf_repair_look(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
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

bool quipu__otf_repair_use(struct quipu__otf_repairing *repairing, enum quipu__otf_class class_of,
                           uint32_t token) {
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
        return quipu__otf_repair_use(repairing, class_of, (uint32_t)value);
    }
    const void *list = *(const void *const *)quipu__member_const(field, data);
    for (uint32_t i = 0; i < quipu_sized_count(list); i++)
        if (!quipu__element_i64(field, list, i, &value) ||
            !quipu__otf_repair_use(repairing, class_of, (uint32_t)value))
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

bool quipu__otf_repair_note_tokens(struct quipu__otf_repairing *repairing, const struct quipu_record *record) {
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
        done = quipu__otf_repair_use(repairing, QUIPU__OTF_CLASS_key, values[i].key);
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
    quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_DEFINITION, "%s", name);
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
    quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_RESOLUTION, "%s", "");
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

static bool has_events(const struct quipu__otf_repairing *repairing, uint32_t stream) {
    return quipu__map_get(&repairing->writer->numbers, (uint64_t)QUIPU__OTF_EVENTS << 32 | stream) !=
           QUIPU_NONE;
}

/* All processes by stream: those with records, and those that the old lines name in existing streams. They replace the
 * pairs of the old lines. */
static bool list_mapping(struct quipu__otf_repairing *repairing) {
    struct quipu__otf_assignment *assignment = &repairing->writer->assignment;
    size_t count = 0;
    for (size_t i = 0; i < assignment->mapping.count; i++) {
        const uint32_t stream = (uint32_t)(assignment->mapping.items[i] >> 32),
                       process = (uint32_t)assignment->mapping.items[i];
        if (quipu__map_get(&repairing->homes, process) != QUIPU_NONE || !has_events(repairing, stream))
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
        quipu__otf_repaired(repairing, QUIPU__OTF_REPAIR_MASTER, "processes: %zu",
                            writer->assignment.mapping.count);
    }
    return complete_streams(repairing, err);
}

enum quipu_status quipu__otf_repair_finish(struct quipu__otf_repairing *repairing, struct quipu_error *err) {
    enum quipu_status status = quipu__otf_repair_stream_end(repairing, err);
    if (status != QUIPU_OK)
        return status;
    repairing->path = "";
    status = make_master(repairing, err);
    if (status != QUIPU_OK)
        return status;
    status = define_resolution(repairing, err);
    return status == QUIPU_OK ? define_missing(repairing, err) : status;
}
