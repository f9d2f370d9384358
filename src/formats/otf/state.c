/* state.c: what records begin and end, and the snapshots of what is open. */
#include "formats/state.h"

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

static const struct quipu_record_type *end_of(const void *begin, void *out) {
    const struct quipu__otf_Enter *enter = begin;
    *(struct quipu__otf_Leave *)out = (struct quipu__otf_Leave){.function = enter->function};
    return &quipu__otf_schema.types[QUIPU__OTF_Leave];
}

/* ---- Snapshots ---- */

static void snapshot_file(enum quipu__otf_type type, const union quipu__otf_any *begin, uint64_t time,
                          struct quipu__otf_OpenFileSnapshot *out) {
    if (type == QUIPU__OTF_FileOperation)
        *out = (struct quipu__otf_OpenFileSnapshot){begin->FileOperation.fileid, time,
                                                    begin->FileOperation.handleid, begin->FileOperation.source};
    else
        *out = (struct quipu__otf_OpenFileSnapshot){begin->EndFileOperation.fileid, time,
                                                    begin->EndFileOperation.handleId,
                                                    begin->EndFileOperation.source};
}

static void snapshot_collective(const struct quipu__otf_BeginCollectiveOperation *begin, uint64_t time,
                                struct quipu__otf_BeginCollopSnapshot *out) {
    *out = (struct quipu__otf_BeginCollopSnapshot){.originaltime = time,
                                                   .collOp = begin->collOp,
                                                   .matchingId = begin->matchingId,
                                                   .procGroup = begin->procGroup,
                                                   .rootProc = begin->rootProc,
                                                   .sent = begin->sent,
                                                   .received = begin->received,
                                                   .source = begin->source};
}

static const struct quipu_record_type *snapshot_of(enum quipu__open_class class_of,
                                                   const struct quipu_record_type *type, const void *begin,
                                                   uint64_t time, void *out) {
    static const enum quipu__otf_type types[QUIPU__OPEN_CLASSES] = {
        [QUIPU__OPEN_CALL] = QUIPU__OTF_EnterSnapshot,
        [QUIPU__OPEN_MESSAGE] = QUIPU__OTF_SendSnapshot,
        [QUIPU__OPEN_FILE] = QUIPU__OTF_OpenFileSnapshot,
        [QUIPU__OPEN_COLLECTIVE] = QUIPU__OTF_BeginCollopSnapshot,
        [QUIPU__OPEN_FILE_OPERATION] = QUIPU__OTF_BeginFileOpSnapshot,
        [QUIPU__OPEN_VALUE] = QUIPU__OTF_CounterSnapshot};
    const struct quipu__otf_SendMsg *send = begin;
    const struct quipu__otf_Enter *enter = begin;
    const struct quipu__otf_BeginFileOperation *operation = begin;
    const struct quipu__otf_Counter *counter = begin;
    switch (class_of) {
    case QUIPU__OPEN_CALL:
        *(struct quipu__otf_EnterSnapshot *)out =
            (struct quipu__otf_EnterSnapshot){enter->function, time, enter->source};
        break;
    case QUIPU__OPEN_MESSAGE:
        *(struct quipu__otf_SendSnapshot *)out = (struct quipu__otf_SendSnapshot){
            send->receiver, time, send->group, send->type, send->length, send->source};
        break;
    case QUIPU__OPEN_FILE:
        snapshot_file((enum quipu__otf_type)(type - quipu__otf_schema.types), begin, time, out);
        break;
    case QUIPU__OPEN_COLLECTIVE:
        snapshot_collective(begin, time, out);
        break;
    case QUIPU__OPEN_FILE_OPERATION:
        *(struct quipu__otf_BeginFileOpSnapshot *)out =
            (struct quipu__otf_BeginFileOpSnapshot){time, operation->matchingId, operation->source};
        break;
    case QUIPU__OPEN_VALUE:
        *(struct quipu__otf_CounterSnapshot *)out =
            (struct quipu__otf_CounterSnapshot){time, counter->counter, counter->value};
        break;
    case QUIPU__OPEN_CLASSES:
        break;
    }
    return &quipu__otf_schema.types[types[class_of]];
}

/* ---- What the definitions say of them ---- */

static const struct quipu_record_type *sample_point(uint64_t time, bool of_statistics, void *out) {
    *(struct quipu__otf_DefAuxSamplePoint *)out = (struct quipu__otf_DefAuxSamplePoint){time, of_statistics};
    return &quipu__otf_schema.types[QUIPU__OTF_DefAuxSamplePoint];
}

static const struct quipu_record_type *time_range(uint64_t first, uint64_t last, void *out) {
    *(struct quipu__otf_DefTimeRange *)out = (struct quipu__otf_DefTimeRange){first, last};
    return &quipu__otf_schema.types[QUIPU__OTF_DefTimeRange];
}

const struct quipu__states quipu__otf_states = {.turns = turns,
                                                .end_of = end_of,
                                                .snapshot_of = snapshot_of,
                                                .sum = quipu__otf_sum,
                                                .summary_of = quipu__otf_summary_of,
                                                .sample_point = sample_point,
                                                .time_range = time_range};
