/* sums.c: what records add to statistics, and the records that tell them, as OTF's otfaux has it: messages are
 * summed up over peers, communicators and tags, collective operations over communicators, groups over their members,
 * and whether a process counts as one that sends or receives follows from the kind of operation and its root. */
#include "formats/otf/format.h"

/* How data flows in a collective operation, as its definition says. */
enum { TYPE_UNKNOWN, TYPE_BARRIER, TYPE_ONE_TO_ALL, TYPE_ALL_TO_ONE, TYPE_ALL_TO_ALL };

static uint32_t type_of_collop(const struct quipu__otf_trace *own, uint32_t token) {
    const struct quipu__otf_class_list *collops = &own->classes[QUIPU__OTF_CLASS_collop];
    const uint32_t index = quipu__tokens_get(&collops->tokens, token);
    return index < collops->definitions.count ? collops->definitions.items[index].first : TYPE_UNKNOWN;
}

static struct quipu__sum sum_collective(const struct quipu__otf_trace *own, uint32_t token, bool is_root,
                                        uint64_t sent, uint64_t received) {
    const uint32_t type = type_of_collop(own, token);
    const bool sends = type != TYPE_ONE_TO_ALL || is_root;
    const bool receives =
        type == TYPE_ALL_TO_ALL || type == TYPE_ONE_TO_ALL || (type == TYPE_ALL_TO_ONE && is_root);
    return (struct quipu__sum){QUIPU__SUM_COLLECTIVES, token, {sends, receives, sent, received}};
}

/* Numbers of OTF_FILEOP_OPEN to OTF_FILEOP_SEEK are places in the list. */
static struct quipu__sum sum_file(uint32_t file, uint32_t operation, uint64_t bytes) {
    enum { READ = 2, WRITE = 3, SEEK = 4, BYTES_READ = 5, BYTES_WRITTEN = 6 };
    const uint32_t which = operation & QUIPU__OTF_OPERATION_BITS;
    struct quipu__sum sum = {QUIPU__SUM_FILES, file, {0}};
    if (which <= SEEK)
        sum.n[which] = 1;
    if (which == READ || which == WRITE)
        sum.n[which == READ ? BYTES_READ : BYTES_WRITTEN] = bytes;
    return sum;
}

bool quipu__otf_sum(const struct quipu__trace *trace, const struct quipu_record *record,
                    struct quipu__sum *out) {
    const struct quipu__otf_trace *own = trace->own;
    const union quipu__otf_any *data = record->data;
    const struct quipu__otf_common *common = record->common;
    switch ((enum quipu__otf_type)(record->type - quipu__otf_schema.types)) {
    case QUIPU__OTF_SendMsg:
        *out = (struct quipu__sum){QUIPU__SUM_MESSAGES, 0, {1, 0, data->SendMsg.length, 0}};
        return true;
    case QUIPU__OTF_RecvMsg:
        *out = (struct quipu__sum){QUIPU__SUM_MESSAGES, 0, {0, 1, 0, data->RecvMsg.length}};
        return true;
    case QUIPU__OTF_CollectiveOperation:
        *out = sum_collective(own, data->CollectiveOperation.collective,
                              data->CollectiveOperation.rootProc == common->process,
                              data->CollectiveOperation.sent, data->CollectiveOperation.received);
        return true;
    case QUIPU__OTF_BeginCollectiveOperation:
        *out = sum_collective(own, data->BeginCollectiveOperation.collOp,
                              data->BeginCollectiveOperation.rootProc == common->process,
                              data->BeginCollectiveOperation.sent, data->BeginCollectiveOperation.received);
        return true;
    case QUIPU__OTF_FileOperation:
        *out = sum_file(data->FileOperation.fileid, data->FileOperation.operation, data->FileOperation.bytes);
        return true;
    case QUIPU__OTF_EndFileOperation:
        *out = sum_file(data->EndFileOperation.fileid, data->EndFileOperation.operation,
                        data->EndFileOperation.bytes);
        return true;
    default:
        return false;
    }
}

bool quipu__otf_group_of(const struct quipu__trace *trace, const struct quipu__sum *sum,
                         struct quipu__sum *out) {
    static const struct {
        bool has_groups;
        enum quipu__otf_class members;
        enum quipu__sum_class groups;
    } rows[QUIPU__SUM_CLASSES] = {
        [QUIPU__SUM_CALLS] = {true, QUIPU__OTF_CLASS_function, QUIPU__SUM_CALL_GROUPS},
        [QUIPU__SUM_FILES] = {true, QUIPU__OTF_CLASS_file, QUIPU__SUM_FILE_GROUPS},
    };
    const struct quipu__otf_trace *own = trace->own;
    const struct quipu__otf_class_list *members = &own->classes[rows[sum->class_of].members];
    if (!rows[sum->class_of].has_groups)
        return false;
    const uint32_t index = quipu__tokens_get(&members->tokens, (uint32_t)sum->object);
    if (index >= members->definitions.count || members->definitions.items[index].first == 0)
        return false;
    out->class_of = rows[sum->class_of].groups;
    out->object = members->definitions.items[index].first;
    return true;
}

const struct quipu_record_type *quipu__otf_summary_of(const struct quipu__sum *sum, void *out) {
    static const enum quipu__otf_type types[QUIPU__SUM_CLASSES] = {
        [QUIPU__SUM_CALLS] = QUIPU__OTF_FunctionSummary,
        [QUIPU__SUM_CALL_GROUPS] = QUIPU__OTF_FunctionGroupSummary,
        [QUIPU__SUM_MESSAGES] = QUIPU__OTF_MessageSummary,
        [QUIPU__SUM_COLLECTIVES] = QUIPU__OTF_CollopSummary,
        [QUIPU__SUM_FILES] = QUIPU__OTF_FileOperationSummary,
        [QUIPU__SUM_FILE_GROUPS] = QUIPU__OTF_FileGroupOperationSummary};
    const uint32_t object = (uint32_t)sum->object;
    const uint64_t *n = sum->n;
    switch (sum->class_of) {
    case QUIPU__SUM_CALLS:
        *(struct quipu__otf_FunctionSummary *)out =
            (struct quipu__otf_FunctionSummary){object, n[0], n[1], n[2]};
        break;
    case QUIPU__SUM_CALL_GROUPS:
        *(struct quipu__otf_FunctionGroupSummary *)out =
            (struct quipu__otf_FunctionGroupSummary){object, n[0], n[1], n[2]};
        break;
    case QUIPU__SUM_MESSAGES:
        *(struct quipu__otf_MessageSummary *)out =
            (struct quipu__otf_MessageSummary){0, 0, 0, n[0], n[1], n[2], n[3]};
        break;
    case QUIPU__SUM_COLLECTIVES:
        *(struct quipu__otf_CollopSummary *)out =
            (struct quipu__otf_CollopSummary){0, object, n[0], n[1], n[2], n[3]};
        break;
    case QUIPU__SUM_FILES:
        *(struct quipu__otf_FileOperationSummary *)out =
            (struct quipu__otf_FileOperationSummary){object, n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
        break;
    case QUIPU__SUM_FILE_GROUPS:
        *(struct quipu__otf_FileGroupOperationSummary *)out =
            (struct quipu__otf_FileGroupOperationSummary){object, n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
        break;
    case QUIPU__SUM_CLASSES:
        break;
    }
    return &quipu__otf_schema.types[types[sum->class_of]];
}
