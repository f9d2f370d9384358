/* convert.c: values of a call, from the recorder's bytes to the fields of a DUMPI record. First all of them are found, since what a value
 * means may depend on a later one; then they are stored in order, so that handles are numbered as they are seen. */
#include "record/mpi/convert.h"

#include <string.h>

#define ABSENT (-1)

/* ---- Plans ---- */

static bool plan_token(struct quipu__mpi_target *target, const struct quipu_record_type *type,
                       const struct quipu__mpi_token *token) {
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (strlen(field->name) == token->field_length &&
            memcmp(field->name, token->field, token->field_length) == 0) {
            target->field = field;
            target->space = quipu__mpi_space_of(field->domain ? field->domain->name : "");
            return true;
        }
    }
    return false;
}

static bool may_free(const struct quipu__mpi_token *token) {
    return quipu__mpi_is_handle(token->kind) && !token->is_exit &&
           (token->is_pointer || (token->kind == QUIPU__MPI_REQ && token->is_list));
}

/* A call with large counts has the record of the one without. */
static bool is_named(const char *call, const char *record) {
    const size_t length = strlen(record);
    return strncmp(call, record, length) == 0 && (call[length] == '\0' || strcmp(call + length, "_c") == 0);
}

static uint32_t type_of(uint32_t number) {
    return number == QUIPU__MPI_OWN ? QUIPU_NONE : quipu__dumpi_type_of(number);
}

/* What a call without a record has besides the record inside of it. */
static bool is_beside(const struct quipu__mpi_token *token) {
    return token->kind == QUIPU__MPI_REQ || token->kind == QUIPU__MPI_MESSAGE;
}

/* Requests of files belong to the record inside. */
static bool is_of_file(const struct quipu__mpi_target *target) {
    return target->field && strcmp(target->field->domain->name, "ioreq") == 0;
}

static bool plan_tokens(struct quipu__mpi_plan *plan, const struct quipu__mpi_call *call, uint32_t type) {
    for (unsigned i = 0; i < call->token_count; i++)
        if (call->tokens[i].field_length > 0 &&
            !plan_token(&plan->targets[i], &quipu__dumpi_types[type], &call->tokens[i]) &&
            (plan->type != QUIPU_NONE || !is_beside(&call->tokens[i])))
            return false;
    return true;
}

static uint32_t later_call_named(const char *name) {
    uint32_t row = 0;
    while (row < QUIPU__DUMPI_LATER_CALLS && !is_named(name, quipu__dumpi_later_calls[row].name))
        row++;
    return row;
}

static bool plan_call(struct quipu__mpi_plan *plan, const struct quipu__mpi_call *call) {
    for (unsigned i = 0; i < call->token_count; i++)
        plan->frees_handles |= may_free(&call->tokens[i]);
    plan->type = type_of(call->number);
    plan->inside = type_of(call->inside);
    plan->later = later_call_named(call->name);
    if (plan->type != QUIPU_NONE)
        return plan_tokens(plan, call, plan->type) && is_named(call->name, quipu__dumpi_types[plan->type].name);
    if (plan->inside != QUIPU_NONE)
        return plan_tokens(plan, call, plan->inside);
    return call->number == QUIPU__MPI_OWN && call->inside == QUIPU__MPI_OWN;
}

bool quipu__mpi_converter_init(struct quipu__mpi_converter *converter, struct quipu__memory *memory,
                               uint32_t *out_row) {
    *converter = (struct quipu__mpi_converter){.memory = memory};
    quipu__scratch_init(&converter->scratch, memory);
    for (uint32_t i = 0; i < QUIPU__MPI_ROWS; i++) {
        *out_row = i;
        if (!plan_call(&converter->plans[i], &quipu__mpi_calls[i]))
            return false;
    }
    return true;
}

void quipu__mpi_converter_release(struct quipu__mpi_converter *converter) {
    quipu__scratch_release(&converter->scratch);
}

/* ---- Values as they were recorded ---- */

/* A scalar, or a list's length and where its elements are. */
struct value {
    bool is_there;
    int64_t number, size;          /* size: of a datatype that the call has made */
    const uint8_t *elements, *end; /* end: of the record */
};

struct reading {
    const uint8_t *at, *end;
    bool is_bad;
};

static int64_t take_number(struct reading *reading) {
    int64_t number = 0;
    if (reading->end - reading->at < 8) {
        reading->is_bad = true;
        return 0;
    }
    memcpy(&number, reading->at, sizeof number);
    reading->at += sizeof number;
    return number;
}

static const uint8_t *take_elements(struct reading *reading, int64_t count, size_t bytes) {
    const uint8_t *elements = reading->at;
    const size_t left = (size_t)(reading->end - reading->at);
    if (count <= 0)
        return elements;
    if ((uint64_t)count > left / bytes || (((size_t)count * bytes + 7) & ~(size_t)7) > left) {
        reading->is_bad = true;
        return NULL;
    }
    reading->at += ((size_t)count * bytes + 7) & ~(size_t)7;
    return elements;
}

/* Strings, or lists of them, whose number was taken. */
static void skip_texts(struct reading *reading, int64_t count, bool are_lists) {
    for (int64_t i = 0; i < count && !reading->is_bad; i++) {
        const int64_t number = take_number(reading);
        if (!are_lists)
            take_elements(reading, number, 1);
        for (int64_t k = 0; are_lists && k < number && !reading->is_bad; k++)
            take_elements(reading, take_number(reading), 1);
    }
}

static void take_value(struct reading *reading, const struct quipu__mpi_token *token, struct value *value) {
    value->is_there = true;
    value->number = take_number(reading);
    value->elements = reading->at;
    value->end = reading->end;
    switch (token->kind) {
    case QUIPU__MPI_STR:
        take_elements(reading, value->number, 1);
        return;
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_ARGV:
    case QUIPU__MPI_LISTS:
        skip_texts(reading, value->number, token->kind == QUIPU__MPI_LISTS);
        return;
    case QUIPU__MPI_STATUS:
        take_elements(reading, value->number, sizeof(struct quipu__mpi_status));
        return;
    default:
        if (token->is_list)
            take_elements(reading, value->number, quipu__mpi_element_bytes(token->kind));
        else if (token->kind == QUIPU__MPI_DTYPE && token->is_exit)
            value->size = take_number(reading);
    }
}

static bool take_stage(const struct quipu__mpi_call *call, const struct quipu__mpi_step *steps, unsigned count,
                       struct reading reading, struct value *values) {
    for (unsigned i = 0; i < count && !reading.is_bad; i++)
        take_value(&reading, &call->tokens[steps[i].token], &values[steps[i].token]);
    return !reading.is_bad;
}

/* ---- Values as DUMPI has them ---- */

struct conversion {
    struct quipu__mpi_converter *converter;
    struct quipu__mpi_numbers *numbers;
    const struct quipu__mpi_call *call;
    const struct quipu__mpi_plan *plan;
    const struct value *values;
};

static int64_t number_of(const struct conversion *now, const struct quipu__mpi_target *target, int64_t value) {
    return quipu__mpi_number(now->numbers, now->converter->memory, target->space, value);
}

static int64_t element_at(const struct quipu__mpi_token *token, const uint8_t *elements, int64_t i) {
    int32_t small;
    int64_t large;
    if (quipu__mpi_element_bytes(token->kind) == sizeof small) {
        memcpy(&small, elements + i * 4, sizeof small);
        return small;
    }
    memcpy(&large, elements + i * 8, sizeof large);
    return large;
}

static void *sized(const struct conversion *now, int64_t count, size_t bytes) {
    return quipu__scratch_sized(&now->converter->scratch, (uint32_t)count, bytes);
}

/* A number of things or of bytes: one that is too large must not become a small one. Of addresses and displacements the low bits are kept, as
 * DUMPI's own recorder does: they still tell places apart. */
static bool is_amount(const struct quipu_field *field) {
    static const char *const names[] = {"size", "insize", "incount", "outcount", "elements"};
    bool is_one = field->domain->role == QUIPU_ROLE_COUNT;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_one |= strcmp(field->name, names[i]) == 0;
    return is_one;
}

static int64_t bounded(int64_t amount) {
    return amount < INT32_MAX ? amount : INT32_MAX;
}

static int64_t bounded_for(const struct conversion *now, const struct quipu_field *field, int64_t value) {
    if (value <= INT32_MAX || field->storage != QUIPU_STORE_I32 || !is_amount(field))
        return value;
    now->converter->bounded++;
    return bounded(value);
}

static void *convert_numbers(const struct conversion *now, const struct quipu__mpi_token *token,
                             const struct quipu__mpi_target *target, const struct value *value) {
    const size_t bytes = quipu__storage_bytes(target->field->storage);
    uint8_t *list = sized(now, value->number, bytes);
    for (int64_t i = 0; list && i < value->number; i++)
        quipu__store_bits(list + (size_t)i * bytes, bytes,
                          (uint64_t)bounded_for(now, target->field,
                                                number_of(now, target, element_at(token, value->elements, i))));
    return list;
}

static void *convert_statuses(const struct conversion *now, const struct value *value) {
    struct quipu__dumpi_status *list = sized(now, value->number, sizeof *list);
    for (int64_t i = 0; list && i < value->number; i++) {
        struct quipu__mpi_status status;
        memcpy(&status, value->elements + (size_t)i * sizeof status, sizeof status);
        const struct quipu__mpi_target source = {.space = QUIPU__MPI_SPACE_source};
        /* MPI leaves the bytes of a send's status undefined: large ones need not mean anything, so they are not counted. */
        list[i] = (struct quipu__dumpi_status){.bytes = (int32_t)bounded(status.bytes),
                                               .source = (int32_t)number_of(now, &source, status.source),
                                               .tag = status.tag,
                                               .cancelled = (int8_t)(status.cancelled != 0),
                                               .error = (int8_t)status.error};
    }
    return list;
}

static void *convert_ranges(const struct conversion *now, const struct value *value) {
    struct quipu__dumpi_range *list = sized(now, value->number, sizeof *list);
    for (int64_t i = 0; list && i < value->number; i++) {
        int32_t range[3];
        memcpy(range, value->elements + (size_t)i * sizeof range, sizeof range);
        list[i] = (struct quipu__dumpi_range){range[0], range[1], range[2]};
    }
    return list;
}

static const char *next_text(const struct conversion *now, struct reading *reading) {
    const int64_t length = take_number(reading);
    const uint8_t *text = take_elements(reading, length, 1);
    return length < 0 ? NULL
                      : quipu__scratch_text(&now->converter->scratch, (const char *)text, (size_t)length);
}

static void *convert_texts(const struct conversion *now, struct reading *reading, int64_t count) {
    const char **list = sized(now, count, sizeof *list);
    for (int64_t i = 0; list && i < count; i++)
        list[i] = next_text(now, reading);
    return list;
}

static void *convert_lists(const struct conversion *now, struct reading *reading, int64_t count) {
    struct quipu__dumpi_texts *list = sized(now, count, sizeof *list);
    for (int64_t i = 0; list && i < count; i++)
        list[i].texts = convert_texts(now, reading, take_number(reading));
    return list;
}

static const void *convert_list(const struct conversion *now, const struct quipu__mpi_token *token,
                                const struct quipu__mpi_target *target, const struct value *value) {
    struct reading reading = {value->elements, value->end, false};
    switch (token->kind) {
    case QUIPU__MPI_STR:
        return quipu__scratch_text(&now->converter->scratch, (const char *)value->elements,
                                   (size_t)value->number);
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_ARGV:
        return convert_texts(now, &reading, value->number);
    case QUIPU__MPI_LISTS:
        return convert_lists(now, &reading, value->number);
    case QUIPU__MPI_STATUS:
        return convert_statuses(now, value);
    case QUIPU__MPI_RANGE:
        return convert_ranges(now, value);
    default:
        return convert_numbers(now, token, target, value);
    }
}

static bool is_scalar(const struct quipu__mpi_token *token) {
    switch (token->kind) {
    case QUIPU__MPI_STR:
    case QUIPU__MPI_STRS:
    case QUIPU__MPI_ARGV:
    case QUIPU__MPI_LISTS:
    case QUIPU__MPI_STATUS:
    case QUIPU__MPI_RANGE:
        return false;
    default:
        return !token->is_list;
    }
}

static bool is_root(const struct conversion *now) {
    const struct value *root = &now->values[now->call->root], *rank = &now->values[now->call->rank];
    return rank->is_there && root->number == rank->number;
}

/* Spawning stores success as 1. */
static void lift_errors(const struct quipu__mpi_target *target, void *list) {
    int32_t *codes = list;
    if (strcmp(target->field->name, "errcodes") == 0)
        for (uint32_t i = 0; i < quipu_sized_count(list); i++)
            codes[i] = codes[i] == 0 ? 1 : codes[i];
}

static void store_beside(const struct conversion *now, const struct quipu__mpi_token *token, int64_t value) {
    struct quipu__mpi_converter *converter = now->converter;
    const bool has_message = converter->message != 0;
    if (token->kind == QUIPU__MPI_MESSAGE) {
        converter->message = (uint64_t)value;
        converter->request = quipu__mpi_message_number(now->numbers, converter->memory, converter->message);
    } else if (has_message) {
        quipu__mpi_receive_message(now->numbers, converter->message, (uint64_t)value);
    } else {
        converter->request = quipu__mpi_number(now->numbers, converter->memory, QUIPU__MPI_SPACE_req, value);
    }
}

static void store(const struct conversion *now, unsigned number) {
    const struct quipu__mpi_token *token = &now->call->tokens[number];
    const struct quipu__mpi_target *target = &now->plan->targets[number];
    const struct value *value = &now->values[number];
    void *record = &now->converter->record;
    if (!value->is_there || (token->is_at_root && !is_root(now)))
        return;
    if (token->kind == QUIPU__MPI_DTYPE && token->is_exit && !token->is_list)
        quipu__mpi_set_size(now->numbers, (uint64_t)value->number, value->size);
    if (now->plan->type == QUIPU_NONE && is_beside(token) && !is_of_file(target)) {
        store_beside(now, token, value->number);
        return;
    }
    if (!target->field)
        return;
    if (is_scalar(token)) {
        quipu__store_i64(target->field, record,
                         bounded_for(now, target->field, number_of(now, target, value->number)));
        return;
    }
    if (value->number == ABSENT)
        return;
    const void *list = convert_list(now, token, target, value);
    memcpy(quipu__member(target->field, record), &list, sizeof list);
    if (list && token->kind == QUIPU__MPI_INT)
        lift_errors(target, (void *)(uintptr_t)list);
}

/* Where data is sent from its place, what is sent is what is received. */
static void complete_aliased(const struct conversion *now) {
    static const char *const names[][2] = {
        {"sendcounts", "recvcounts"}, {"senddispls", "recvdispls"}, {"sendtypes", "recvtypes"}};
    const struct quipu_record_type *type = &quipu__dumpi_types[now->plan->type];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const void *lists[2] = {NULL, NULL};
        void *members[2] = {NULL, NULL};
        for (uint16_t k = 0; k < type->field_count; k++)
            for (int side = 0; side < 2; side++)
                if (strcmp(type->fields[k].name, names[i][side]) == 0)
                    members[side] = quipu__member(&type->fields[k], &now->converter->record);
        if (!members[0] || !members[1])
            continue;
        memcpy(&lists[0], members[0], sizeof lists[0]);
        memcpy(&lists[1], members[1], sizeof lists[1]);
        if (!lists[0])
            memcpy(members[0], &lists[1], sizeof lists[1]);
    }
}

bool quipu__mpi_convert(struct quipu__mpi_converter *converter, struct quipu__mpi_numbers *numbers,
                        const struct quipu__mpi_recorded *recorded) {
    const struct quipu__mpi_call *call = &quipu__mpi_calls[recorded->start.row];
    struct value values[QUIPU__MPI_TOKENS] = {{.is_there = false}};
    const size_t measured = quipu__mpi_measured_bytes(&recorded->head);
    const bool has_failed = recorded->data && recorded->record.record == QUIPU__MPI_FAILED;
    const size_t result = measured + (has_failed ? 8 : 0);
    const uint8_t *begin = recorded->begin.items;
    const size_t values_at = quipu__mpi_begin_bytes(&recorded->head);
    const struct reading entry = {begin + values_at, begin + recorded->begin.count,
                                  recorded->begin.count < values_at};
    const struct conversion now = {converter, numbers, call, &converter->plans[recorded->start.row], values};
    if (!take_stage(call, call->entry, call->entry_count, entry, values))
        return false;
    if (recorded->data && recorded->size > result) {
        const struct reading exit = {recorded->data + result, recorded->data + recorded->size, false};
        if (!take_stage(call, call->exit, call->exit_count, exit, values))
            return false;
    }
    quipu__scratch_reset(&converter->scratch);
    memset(&converter->record, 0, sizeof converter->record);
    converter->request = QUIPU__DUMPI_REQUEST_NULL;
    converter->message = 0;
    for (unsigned i = 0; i < call->entry_count; i++)
        store(&now, call->entry[i].token);
    for (unsigned i = 0; i < call->exit_count; i++)
        store(&now, call->exit[i].token);
    if (call->sendbuf >= 0 && now.plan->type != QUIPU_NONE)
        complete_aliased(&now);
    if (recorded->start.row == QUIPU__MPI_Win_create_dynamic)
        converter->record.win_create.dispunit = 1; /* displacements are addresses */
    if (recorded->start.row == QUIPU__MPI_Comm_create_group)
        converter->record.comm_create.oldcomm = QUIPU__DUMPI_COMM_SELF; /* only the group's members call it */
    return true;
}
