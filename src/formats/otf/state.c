/* state.c: what records begin and end, and what definitions say of times. */
#include "formats/otf/format.h"

/* The low five bits of a file operation. */
enum { OPERATION_OPEN = 0, OPERATION_CLOSE = 1 };

/* Opening and closing files: as operations of their own, or at the end of one that was begun. */
static unsigned file_turn(uint32_t operation, uint64_t process, uint64_t handle, struct quipu__turn *out) {
    const uint32_t low = operation & QUIPU__OTF_OPERATION_BITS;
    if (low != OPERATION_OPEN && low != OPERATION_CLOSE)
        return 0;
    *out = (struct quipu__turn){QUIPU__OPEN_FILE, low == OPERATION_OPEN, process, {handle}};
    return 1;
}

static unsigned turns(const struct quipu_record *record, struct quipu__turn out[QUIPU__TURNS_MOST]) {
    const union quipu__otf_any *data = record->data;
    const struct quipu__otf_common *common = record->common;
    if (!common)
        return 0;
    const uint64_t process = common->process;
    switch ((enum quipu__otf_type)(record->type - quipu__otf_schema.types)) {
    case QUIPU__OTF_Enter:
        *out = (struct quipu__turn){QUIPU__OPEN_CALL, true, process, {data->Enter.function}};
        return 1;
    case QUIPU__OTF_Leave:
        *out = (struct quipu__turn){QUIPU__OPEN_CALL, false, process, {0}};
        return 1;
    case QUIPU__OTF_SendMsg:
        *out = (struct quipu__turn){QUIPU__OPEN_MESSAGE,
                                    true,
                                    process,
                                    {data->SendMsg.receiver, data->SendMsg.group, data->SendMsg.type}};
        return 1;
    case QUIPU__OTF_RecvMsg:
        *out = (struct quipu__turn){QUIPU__OPEN_MESSAGE,
                                    false,
                                    data->RecvMsg.sendProc,
                                    {process, data->RecvMsg.group, data->RecvMsg.type}};
        return 1;
    case QUIPU__OTF_BeginCollectiveOperation:
        *out = (struct quipu__turn){
            QUIPU__OPEN_COLLECTIVE, true, process, {data->BeginCollectiveOperation.matchingId}};
        return 1;
    case QUIPU__OTF_EndCollectiveOperation:
        *out = (struct quipu__turn){
            QUIPU__OPEN_COLLECTIVE, false, process, {data->EndCollectiveOperation.matchingId}};
        return 1;
    case QUIPU__OTF_CollectiveOperation:
        *out = (struct quipu__turn){QUIPU__OPEN_COUNT, true, process, {data->CollectiveOperation.procGroup}};
        return 1;
    case QUIPU__OTF_BeginFileOperation:
        *out = (struct quipu__turn){
            QUIPU__OPEN_FILE_OPERATION, true, process, {data->BeginFileOperation.matchingId}};
        return 1;
    case QUIPU__OTF_EndFileOperation:
        *out = (struct quipu__turn){
            QUIPU__OPEN_FILE_OPERATION, false, process, {data->EndFileOperation.matchingId}};
        return 1 +
               file_turn(data->EndFileOperation.operation, process, data->EndFileOperation.handleId, out + 1);
    case QUIPU__OTF_FileOperation:
        return file_turn(data->FileOperation.operation, process, data->FileOperation.handleid, out);
    case QUIPU__OTF_Counter:
        *out = (struct quipu__turn){QUIPU__OPEN_VALUE, true, process, {data->Counter.counter}};
        return 1;
    default:
        return 0;
    }
}

/* Collective operations are counted per communicator, when they end. */
static bool counted(const struct quipu__open *ended, struct quipu__turn *out) {
    const struct quipu__otf_BeginCollectiveOperation *begin = (const void *)ended->data;
    if (ended->type != &quipu__otf_schema.types[QUIPU__OTF_BeginCollectiveOperation])
        return false;
    *out = (struct quipu__turn){.class_of = QUIPU__OPEN_COUNT, .begins = true, .key = {begin->procGroup}};
    return true;
}

static const struct quipu_record_type *end_of(const void *begin, void *out) {
    const struct quipu__otf_Enter *enter = begin;
    *(struct quipu__otf_Leave *)out = (struct quipu__otf_Leave){.function = enter->function};
    return &quipu__otf_schema.types[QUIPU__OTF_Leave];
}

/* ---- What the definitions say of them ---- */

static const struct quipu_record_type *sample_point(uint64_t time, bool of_statistics, void *out) {
    *(struct quipu__otf_DefAuxSamplePoint *)out = (struct quipu__otf_DefAuxSamplePoint){time, of_statistics};
    return &quipu__otf_schema.types[QUIPU__OTF_DefAuxSamplePoint];
}

static bool announces(const struct quipu_record *definition, uint64_t *time) {
    const struct quipu__otf_DefAuxSamplePoint *point = definition->data;
    if (definition->type != &quipu__otf_schema.types[QUIPU__OTF_DefAuxSamplePoint] || point->type != 0)
        return false;
    *time = point->time;
    return true;
}

static const struct quipu_record_type *time_range(uint64_t first, uint64_t last, void *out) {
    *(struct quipu__otf_DefTimeRange *)out = (struct quipu__otf_DefTimeRange){first, last};
    return &quipu__otf_schema.types[QUIPU__OTF_DefTimeRange];
}

const struct quipu__states quipu__otf_states = {.turns = turns,
                                                .end_of = end_of,
                                                .counted = counted,
                                                .snapshot_of = quipu__otf_snapshot_of,
                                                .open_of = quipu__otf_open_of,
                                                .completeness_record = quipu__otf_completeness_record,
                                                .completeness_of = quipu__otf_completeness_of,
                                                .sum = quipu__otf_sum,
                                                .group_of = quipu__otf_group_of,
                                                .summary_of = quipu__otf_summary_of,
                                                .sample_point = sample_point,
                                                .announces = announces,
                                                .time_range = time_range};
