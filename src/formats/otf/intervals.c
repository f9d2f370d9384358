/* intervals.c: what records begin and end. */
#include "formats/otf/format.h"

/* The low five bits of a file operation. */
enum { OPERATION_OPEN = 0, OPERATION_CLOSE = 1 };

/* Opening and closing files: as whole operations, or at the end of one that has begun. */
static unsigned file_transition(uint32_t operation, uint64_t process, uint64_t handle,
                                struct quipu__transition *out) {
    const uint32_t low = operation & QUIPU__OTF_OPERATION_BITS;
    if (low != OPERATION_OPEN && low != OPERATION_CLOSE)
        return 0;
    *out = quipu__transition(QUIPU__INTERVAL_file, low == OPERATION_OPEN ? QUIPU__BEGINS : QUIPU__ENDS, process,
                             handle, 0, 0);
    return 1;
}

static unsigned intervals_of(const struct quipu_record *record,
                             struct quipu__transition out[QUIPU__TRANSITIONS_MOST]) {
    const union quipu__otf_any *data = record->data;
    const struct quipu__otf_common *common = record->common;
    if (!common)
        return 0;
    const uint64_t process = common->process;
    switch ((enum quipu__otf_type)(record->type - quipu__otf_schema.types)) {
    case QUIPU__OTF_Enter:
        *out = quipu__begins(QUIPU__INTERVAL_call, process, 0, data->Enter.function, 0);
        return 1;
    case QUIPU__OTF_Leave:
        *out = quipu__ends(QUIPU__INTERVAL_call, process, 0, QUIPU_UNKNOWN, 0);
        return 1;
    case QUIPU__OTF_SendMsg:
        *out = quipu__begins(QUIPU__INTERVAL_message, process, data->SendMsg.receiver, data->SendMsg.group,
                             data->SendMsg.type);
        return 1;
    case QUIPU__OTF_RecvMsg:
        *out = quipu__ends(QUIPU__INTERVAL_message, data->RecvMsg.sendProc, process, data->RecvMsg.group,
                           data->RecvMsg.type);
        return 1;
    case QUIPU__OTF_BeginCollectiveOperation:
        *out =
            quipu__begins(QUIPU__INTERVAL_collective, process, data->BeginCollectiveOperation.matchingId, 0, 0);
        return 1;
    case QUIPU__OTF_EndCollectiveOperation:
        *out = quipu__ends(QUIPU__INTERVAL_collective, process, data->EndCollectiveOperation.matchingId, 0, 0);
        return 1;
    case QUIPU__OTF_CollectiveOperation:
        *out = quipu__begins(QUIPU__INTERVAL_count, process, data->CollectiveOperation.procGroup, 0, 0);
        return 1;
    case QUIPU__OTF_BeginFileOperation:
        *out = quipu__begins(QUIPU__INTERVAL_io_operation, process, data->BeginFileOperation.matchingId, 0, 0);
        return 1;
    case QUIPU__OTF_EndFileOperation:
        *out = quipu__ends(QUIPU__INTERVAL_io_operation, process, data->EndFileOperation.matchingId, 0, 0);
        return 1 + file_transition(data->EndFileOperation.operation, process, data->EndFileOperation.handleId,
                                   out + 1);
    case QUIPU__OTF_FileOperation:
        return file_transition(data->FileOperation.operation, process, data->FileOperation.handleid, out);
    case QUIPU__OTF_Counter:
        *out = quipu__begins(QUIPU__INTERVAL_metric, process, data->Counter.counter, 0, 0);
        return 1;
    default:
        return 0;
    }
}

/* Collective operations are counted per communicator, when they end. */
static bool counted(const struct quipu__active_record *ended, struct quipu__transition *out) {
    const struct quipu__otf_BeginCollectiveOperation *begin = ended->data;
    if (ended->type != &quipu__otf_schema.types[QUIPU__OTF_BeginCollectiveOperation])
        return false;
    *out = quipu__begins(QUIPU__INTERVAL_count, 0, begin->procGroup, 0, 0);
    return true;
}

static const struct quipu_record_type *end_of(const struct quipu__active_record *call, void *out) {
    const struct quipu__otf_Enter *enter = call->data;
    *(struct quipu__otf_Leave *)out = (struct quipu__otf_Leave){.function = enter->function};
    return &quipu__otf_schema.types[QUIPU__OTF_Leave];
}

const struct quipu__intervals quipu__otf_intervals = {
    .intervals_of = intervals_of, .end_of = end_of, .counted = counted};
