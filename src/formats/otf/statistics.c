/* statistics.c: what records add to statistics, and the records that contain these, as in OTF's otfaux: messages are
 * summed up over peers, communicators and tags, collective operations over communicators, groups over their members,
 * and the kind of operation and its root determine whether a process counts as sending or receiving. */
#include "formats/otf/format.h"

/* Data flow of a collective operation, from its definition. */
enum { TYPE_UNKNOWN, TYPE_BARRIER, TYPE_ONE_TO_ALL, TYPE_ALL_TO_ONE, TYPE_ALL_TO_ALL };

static uint32_t type_of_collop(const struct quipu__otf_trace *own, uint32_t token) {
    const struct quipu__otf_class_list *collops = &own->definition_classes[QUIPU__OTF_CLASS_collop];
    const uint32_t index = quipu__tokens_get(&collops->tokens, token);
    return index < collops->definitions.count ? collops->definitions.items[index].first : TYPE_UNKNOWN;
}

static struct quipu__statistic collective_statistic(const struct quipu__otf_trace *own, uint32_t token,
                                                    bool is_root, uint64_t sent, uint64_t received) {
    const uint32_t type = type_of_collop(own, token);
    const bool sends = type != TYPE_ONE_TO_ALL || is_root;
    const bool receives =
        type == TYPE_ALL_TO_ALL || type == TYPE_ONE_TO_ALL || (type == TYPE_ALL_TO_ONE && is_root);
    return (struct quipu__statistic){QUIPU__STATISTIC_COLLECTIVES, token, {sends, receives, sent, received}};
}

/* The figure of a class that a statistic of the model is. */
#define FIGURE(name) (QUIPU_STATISTIC_##name - QUIPU_STATISTIC_OPENS)

/* OTF_FILEOP_OPEN to OTF_FILEOP_SEEK are in the order of the figures. */
static struct quipu__statistic file_statistic(uint32_t file, uint32_t operation, uint64_t bytes) {
    const uint32_t which = operation & QUIPU__OTF_OPERATION_BITS;
    struct quipu__statistic statistic = {QUIPU__STATISTIC_FILES, file, {0}};
    if (which <= FIGURE(SEEKS))
        statistic.values[which] = 1;
    if (which == FIGURE(READS))
        statistic.values[FIGURE(BYTES_READ)] = bytes;
    if (which == FIGURE(WRITES))
        statistic.values[FIGURE(BYTES_WRITTEN)] = bytes;
    return statistic;
}

static bool statistic_of(const struct quipu__trace *trace, const struct quipu_record *record,
                         struct quipu__statistic *out) {
    const struct quipu__otf_trace *own = trace->own;
    const union quipu__otf_any *data = record->data;
    const struct quipu__otf_common *common = record->common;
    switch ((enum quipu__otf_type)(record->type - quipu__otf_schema.types)) {
    case QUIPU__OTF_SendMsg:
        *out = (struct quipu__statistic){QUIPU__STATISTIC_MESSAGES, 0, {1, 0, data->SendMsg.length, 0}};
        return true;
    case QUIPU__OTF_RecvMsg:
        *out = (struct quipu__statistic){QUIPU__STATISTIC_MESSAGES, 0, {0, 1, 0, data->RecvMsg.length}};
        return true;
    case QUIPU__OTF_CollectiveOperation:
        *out = collective_statistic(own, data->CollectiveOperation.collective,
                                    data->CollectiveOperation.rootProc == common->process,
                                    data->CollectiveOperation.sent, data->CollectiveOperation.received);
        return true;
    case QUIPU__OTF_BeginCollectiveOperation:
        *out =
            collective_statistic(own, data->BeginCollectiveOperation.collOp,
                                 data->BeginCollectiveOperation.rootProc == common->process,
                                 data->BeginCollectiveOperation.sent, data->BeginCollectiveOperation.received);
        return true;
    case QUIPU__OTF_FileOperation:
        *out = file_statistic(data->FileOperation.fileid, data->FileOperation.operation,
                              data->FileOperation.bytes);
        return true;
    case QUIPU__OTF_EndFileOperation:
        *out = file_statistic(data->EndFileOperation.fileid, data->EndFileOperation.operation,
                              data->EndFileOperation.bytes);
        return true;
    default:
        return false;
    }
}

static bool group_of(const struct quipu__trace *trace, const struct quipu__statistic *statistic,
                     struct quipu__statistic *out) {
    static const struct {
        bool has_groups;
        enum quipu__otf_class members;
        enum quipu__statistic_class groups;
    } rows[QUIPU__STATISTIC_CLASSES] = {
        [QUIPU__STATISTIC_CALLS] = {true, QUIPU__OTF_CLASS_function, QUIPU__STATISTIC_CALL_GROUPS},
        [QUIPU__STATISTIC_FILES] = {true, QUIPU__OTF_CLASS_file, QUIPU__STATISTIC_FILE_GROUPS},
    };
    const struct quipu__otf_trace *own = trace->own;
    const struct quipu__otf_class_list *members =
        &own->definition_classes[rows[statistic->statistic_class].members];
    if (!rows[statistic->statistic_class].has_groups)
        return false;
    const uint32_t index = quipu__tokens_get(&members->tokens, (uint32_t)statistic->object);
    if (index >= members->definitions.count || members->definitions.items[index].first == 0)
        return false;
    out->statistic_class = rows[statistic->statistic_class].groups;
    out->object = members->definitions.items[index].first;
    return true;
}

/* Stores the figures of a class, and the object in the field that names it. */
static const struct quipu_record_type *summary_of(const struct quipu__statistic *statistic, void *out) {
    static const struct {
        enum quipu__otf_type type;
        uint32_t object; /* field; QUIPU_NONE: statistics of everything */
    } rows[QUIPU__STATISTIC_CLASSES] = {
        [QUIPU__STATISTIC_CALLS] = {QUIPU__OTF_FunctionSummary, QUIPU__OTF_FunctionSummary_function},
        [QUIPU__STATISTIC_CALL_GROUPS] = {QUIPU__OTF_FunctionGroupSummary,
                                          QUIPU__OTF_FunctionGroupSummary_funcGroup},
        [QUIPU__STATISTIC_MESSAGES] = {QUIPU__OTF_MessageSummary, QUIPU_NONE},
        [QUIPU__STATISTIC_COLLECTIVES] = {QUIPU__OTF_CollopSummary, QUIPU__OTF_CollopSummary_collective},
        [QUIPU__STATISTIC_FILES] = {QUIPU__OTF_FileOperationSummary, QUIPU__OTF_FileOperationSummary_fileid},
        [QUIPU__STATISTIC_FILE_GROUPS] = {QUIPU__OTF_FileGroupOperationSummary,
                                          QUIPU__OTF_FileGroupOperationSummary_groupid}};
    const enum quipu__otf_type type = rows[statistic->statistic_class].type;
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    const uint32_t first = quipu__statistic_first(statistic->statistic_class);
    for (uint32_t i = 0; i < row->field_count; i++) {
        const uint32_t figure = quipu__otf_statistic_of(type, i);
        if (figure != QUIPU_NONE)
            quipu__store_i64(&row->fields[i], out, (int64_t)statistic->values[figure - first]);
        else if (i == rows[statistic->statistic_class].object)
            quipu__store_i64(&row->fields[i], out, (int64_t)statistic->object);
    }
    return row;
}

const struct quipu__statistics quipu__otf_statistics = {
    .statistic_of = statistic_of, .group_of = group_of, .summary_of = summary_of};
