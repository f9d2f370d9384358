/* check.c: the rules about single records and about a file as a whole. Damage and misplaced sections are found
 * while reading; this is another pass over the calls of each file, for what shows only when records are compared
 * with each other and with the footer. */
#include "core/error.h"
#include "formats/dumpi/mapping.h"
#include "formats/dumpi/communicators.h"
#include "formats/dumpi/wall_clock.h"

#include <inttypes.h>

#define CHECK_WINDOW ((size_t)256 << 10)
#define NS_LIMIT 1000000000u

/* One file while it is checked. */
struct checking {
    struct quipu__dumpi_trace *own;
    const struct quipu__dumpi_file *file;
    struct quipu__memory *memory;
    struct quipu__dumpi_walk walk;
    uint32_t counts[QUIPU__DUMPI_SLOTS];
    uint32_t next_change;
    struct quipu__tokens communicators, files, windows, requests; /* 1 for handles that were made */
    bool has_transfers;            /* their requests have different numbers in Wait */
    struct quipu__tokens threads;  /* thread to index in stops */
    QUIPU__VEC(int64_t) stops;     /* end of each thread's last call */
    struct quipu__tokens reported; /* datatypes without a size, and functions without a name */
    struct quipu__dumpi_wall_clock wall;
};

static struct quipu__where where_of(const struct checking *checking, const char *field) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = checking->file->path;
    where.byte = checking->walk.offset;
    where.record = checking->walk.index - 1;
    where.type = quipu__dumpi_types[checking->walk.decoder.type].name;
    where.field = field;
    return where;
}

static void report_number(const struct checking *checking, enum quipu__dumpi_rule rule, const char *field,
                          const char *expected, int64_t found) {
    const struct quipu__where where = where_of(checking, field);
    quipu__dumpi_find(checking->own, rule, &where, expected, "%" PRId64, found);
}

/* ---- The common fields ---- */

/* The bytes of the record just decoded are still in the window. */
static void check_nanoseconds(const struct checking *checking) {
    static const char *const names[] = {"cpu_start", "cpu_stop", "wall_start", "wall_stop"};
    const struct quipu__input *input = checking->walk.input;
    const uint8_t *begin = input->at - (quipu__input_offset(input) - checking->walk.offset);
    const uint8_t mask = begin[2];
    const uint8_t *clock = begin + QUIPU__DUMPI_RECORD_LEAST + ((mask & QUIPU__DUMPI_MASK_THREAD) ? 2 : 0);
    for (unsigned i = 0; i < 4; i++) {
        if (!(mask & (i < 2 ? QUIPU__DUMPI_MASK_CPU : QUIPU__DUMPI_MASK_WALL)))
            continue;
        if (quipu__load_be32(clock + 2) >= NS_LIMIT)
            report_number(checking, QUIPU__DUMPI_RULE_NANOSECONDS, names[i], "less than 1000000000",
                          quipu__load_be32(clock + 2));
        clock += 6;
    }
}

static void check_rollover(struct checking *checking, int64_t *start, int64_t *stop) {
    const int64_t stored_start = *start, stored_stop = *stop, rolled = checking->wall.rollover_ns;
    quipu__dumpi_unroll(&checking->wall, start, stop);
    if (*start - stored_start != rolled || *stop - stored_stop != rolled)
        report_number(checking, QUIPU__DUMPI_RULE_ROLLOVER, "wall_start", "times that do not go back",
                      stored_start + rolled);
}

static int64_t *last_stop_of(struct checking *checking, uint16_t thread) {
    const uint32_t index = quipu__tokens_get(&checking->threads, thread);
    if (index != QUIPU_NONE)
        return &checking->stops.items[index];
    int64_t *added = QUIPU__VEC_ADD(checking->memory, &checking->stops);
    if (!added)
        return NULL;
    *added = INT64_MIN;
    quipu__gate_knows(quipu__tokens_put(&checking->threads, thread, (uint32_t)(checking->stops.count - 1)));
    return added;
}

static void check_times(struct checking *checking, const struct quipu__dumpi_call *common) {
    int64_t start = common->wall_start, stop = common->wall_stop;
    check_nanoseconds(checking);
    if (!(common->mask & QUIPU__DUMPI_MASK_WALL))
        return;
    check_rollover(checking, &start, &stop);
    int64_t *last = last_stop_of(checking, common->thread);
    if (stop < start)
        report_number(checking, QUIPU__DUMPI_RULE_TIME_ORDER, "wall_stop", "not before wall_start",
                      common->wall_stop);
    else if (last && start < *last)
        report_number(checking, QUIPU__DUMPI_RULE_TIME_ORDER, "wall_start", "not before the last call's end",
                      common->wall_start);
    if (last)
        *last = stop;
}

static void check_common(struct checking *checking, const struct quipu__dumpi_call *common) {
    if (common->mask & QUIPU__DUMPI_MASK_UNUSED)
        report_number(checking, QUIPU__DUMPI_RULE_MASK, "mask", "bits 0x10 and 0x20 unset", common->mask);
    if ((common->mask & QUIPU__DUMPI_MASK_COUNTERS) &&
        quipu_sized_count(common->counters) != checking->file->metric_count)
        report_number(checking, QUIPU__DUMPI_RULE_COUNTERS, "counters", "as many as there are names",
                      quipu_sized_count(common->counters));
    check_times(checking, common);
}

/* ---- Lists ---- */

static const void *list_at(const struct quipu_field *field, const void *data) {
    return *(const void *const *)quipu__member_const(field, data);
}

static void check_list(const struct checking *checking, const struct quipu_record_type *type,
                       const struct quipu_field *field, const void *data) {
    int64_t count = 0;
    const uint32_t stored = quipu_sized_count(list_at(field, data));
    quipu_field_get_i64(&type->fields[field->count], data, &count);
    if (field->wire == QUIPU__FORM_MARKED) {
        if (stored > 0 && stored > count)
            report_number(checking, QUIPU__DUMPI_RULE_STATUS_LENGTH, field->name, "at most one per request",
                          stored);
        return;
    }
    const bool is_present = field->when < 0 || quipu_field_present(type, field, data);
    if (is_present && field->wire != QUIPU__FORM_ONE && (count > 0 ? count : 0) != stored)
        report_number(checking, QUIPU__DUMPI_RULE_LIST_LENGTH, field->name, "as many as the count says",
                      stored);
}

/* ---- Handles ---- */

static bool is_made(const struct quipu__tokens *made, int64_t handle) {
    return quipu__tokens_get(made, (uint16_t)handle) != QUIPU_NONE;
}

static void make(struct quipu__tokens *made, int64_t handle) {
    quipu__gate_knows(quipu__tokens_put(made, (uint16_t)handle, 1));
}

/* Communicators and files that this call makes. */
static void apply_changes(struct checking *checking) {
    const struct quipu__dumpi_file *file = checking->file;
    for (; checking->next_change < file->change_count &&
           file->changes[checking->next_change].offset <= checking->walk.offset;
         checking->next_change++) {
        const struct quipu__dumpi_change *change = &file->changes[checking->next_change];
        make(change->is_file ? &checking->files : &checking->communicators, change->handle);
    }
    if (checking->walk.decoder.type == QUIPU__DUMPI_TYPE_win_create)
        make(&checking->windows, checking->walk.decoder.data.win_create.win);
}

static void check_handle(const struct checking *checking, const struct quipu_field *field, const void *data) {
    int64_t handle = 0;
    quipu_field_get_i64(field, data, &handle);
    const enum quipu_role role = field->domain->role;
    const struct quipu__tokens *made = role == QUIPU_ROLE_FILE ? &checking->files : &checking->windows;
    if (role == QUIPU_ROLE_COMMUNICATOR)
        made = &checking->communicators;
    const int64_t first_user = role == QUIPU_ROLE_COMMUNICATOR ? QUIPU__DUMPI_COMM_USER : 1;
    if ((handle < 0 || handle >= first_user) && !is_made(made, handle))
        report_number(checking, QUIPU__DUMPI_RULE_HANDLE, field->name, "a handle that a call made", handle);
}

/* A datatype whose size neither the file nor the standard defines. Once per datatype. */
static void check_datatype(struct checking *checking, const struct quipu_field *field, const void *data) {
    int64_t number = 0;
    quipu_field_get_i64(field, data, &number);
    const uint32_t index = (uint16_t)number;
    const bool is_known = index < QUIPU__DUMPI_USER_DATATYPE ||
                          (index < checking->file->size_count && checking->file->sizes[index] != 0);
    if (is_known || is_made(&checking->reported, number))
        return;
    make(&checking->reported, number);
    report_number(checking, QUIPU__DUMPI_RULE_DATATYPE, field->name, "a size in the size section", number);
}

/* ---- Requests ---- */

static bool makes_request(const struct quipu__dumpi_call_row *row, uint32_t type) {
    return (row->call_class >= QUIPU__DUMPI_CALL_CLASS_ISEND &&
            row->call_class <= QUIPU__DUMPI_CALL_CLASS_IRECV) ||
           row->call_class == QUIPU__DUMPI_CALL_CLASS_SEND_INIT ||
           row->call_class == QUIPU__DUMPI_CALL_CLASS_RECV_INIT || type == QUIPU__DUMPI_TYPE_grequest_start;
}

static void check_request(struct checking *checking, const struct quipu_field *field, int32_t request) {
    if (request == QUIPU__DUMPI_REQUEST_NULL || checking->has_transfers ||
        quipu__tokens_get(&checking->requests, (uint32_t)request) != QUIPU_NONE)
        return;
    report_number(checking, QUIPU__DUMPI_RULE_REQUEST, field->name, "a request that a call made", request);
}

static void check_requests(struct checking *checking, const struct quipu_field *field, const void *data,
                           const struct quipu__dumpi_call_row *row) {
    int64_t number = 0;
    if (field->shape == QUIPU_LIST) {
        const int32_t *requests = list_at(field, data);
        for (uint32_t i = 0; i < quipu_sized_count(requests); i++)
            check_request(checking, field, requests[i]);
        return;
    }
    quipu_field_get_i64(field, data, &number);
    if (makes_request(row, checking->walk.decoder.type))
        quipu__gate_knows(quipu__tokens_put(&checking->requests, (uint32_t)number, 1));
    else
        check_request(checking, field, (int32_t)number);
}

/* ---- Records ---- */

/* I/O calls have separate request numbers, with a domain without labels. */
static bool is_request_of_mpi(const struct quipu_field *field) {
    return field->domain->role == QUIPU_ROLE_REQUEST && field->domain->label_count > 0;
}

static bool transfers_data(const struct quipu__dumpi_call_row *row) {
    return row->call_class != QUIPU__DUMPI_CALL_CLASS_PLAIN;
}

static void check_fields(struct checking *checking) {
    const struct quipu_record_type *type = &quipu__dumpi_types[checking->walk.decoder.type];
    const struct quipu__dumpi_call_row *row = &quipu__dumpi_calls[checking->walk.decoder.type];
    const void *data = &checking->walk.decoder.data;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        const enum quipu_role role = field->domain->role;
        if (field->shape == QUIPU_LIST && field->count >= 0)
            check_list(checking, type, field, data);
        if (is_request_of_mpi(field))
            check_requests(checking, field, data, row);
        else if (field->shape == QUIPU_LIST)
            continue;
        else if (role == QUIPU_ROLE_COMMUNICATOR || role == QUIPU_ROLE_FILE || role == QUIPU_ROLE_WINDOW)
            check_handle(checking, field, data);
        else if (role == QUIPU_ROLE_DATATYPE && transfers_data(row))
            check_datatype(checking, field, data);
    }
}

static void check_function(struct checking *checking) {
    const uint64_t fn = checking->walk.decoder.data.function_enter.fn;
    if (quipu__map_get(&checking->file->regions, fn) == QUIPU_NONE)
        report_number(checking, QUIPU__DUMPI_RULE_ADDRESS, "fn", "a name in the address section", (int64_t)fn);
}

static void check_record(struct checking *checking) {
    const uint32_t type = checking->walk.decoder.type;
    const uint32_t id = quipu__dumpi_types[type].id;
    const uint8_t call_class = quipu__dumpi_calls[type].call_class;
    if (id < QUIPU__DUMPI_SLOTS)
        checking->counts[id]++;
    checking->has_transfers = checking->has_transfers || call_class == QUIPU__DUMPI_CALL_CLASS_IO_START;
    apply_changes(checking);
    check_common(checking, &checking->walk.decoder.common);
    check_fields(checking);
    if (call_class == QUIPU__DUMPI_CALL_CLASS_ENTER || call_class == QUIPU__DUMPI_CALL_CLASS_LEAVE)
        check_function(checking);
}

/* ---- Files ---- */

static enum quipu_status check_footer(struct checking *checking, struct quipu_error *err) {
    struct quipu__dumpi_decoder *decoder = &checking->walk.decoder;
    const enum quipu_status status = quipu__dumpi_file_footer(checking->own, checking->file, decoder, err);
    if (status != QUIPU_OK)
        return status == QUIPU_END ? QUIPU_OK : status;
    const struct quipu__dumpi_footer *footer = &decoder->data.footer;
    for (uint32_t i = 0; i + 1 < QUIPU__DUMPI_SLOTS; i++) {
        const uint32_t recorded = footer->called[i] - footer->ignored[i];
        const uint32_t type = quipu__dumpi_type_of(i);
        if (type == QUIPU_NONE || recorded == checking->counts[i])
            continue;
        struct quipu__where where = QUIPU__WHERE_INIT;
        where.file = checking->file->path;
        where.byte = checking->file->index.footer + 8 + (uint64_t)i * 4;
        where.type = quipu__dumpi_types[type].name;
        where.field = "called";
        quipu__dumpi_find(checking->own, QUIPU__DUMPI_RULE_FOOTER_COUNT, &where, "the number of records",
                          "%u recorded calls and %u records", recorded, checking->counts[i]);
    }
    return QUIPU_OK;
}

static void release(struct checking *checking) {
    quipu__dumpi_walk_close(&checking->walk);
    quipu__tokens_release(&checking->communicators);
    quipu__tokens_release(&checking->files);
    quipu__tokens_release(&checking->windows);
    quipu__tokens_release(&checking->requests);
    quipu__tokens_release(&checking->threads);
    quipu__tokens_release(&checking->reported);
    QUIPU__VEC_RELEASE(checking->memory, &checking->stops);
}

static enum quipu_status check_file(struct checking *checking, struct quipu_error *err) {
    enum quipu_status status =
        quipu__dumpi_walk_open(&checking->walk, checking->own, checking->file, CHECK_WINDOW, err);
    checking->walk.silent = true;
    while (status == QUIPU_OK) {
        status = quipu__dumpi_walk_next(&checking->walk, err);
        if (status == QUIPU_OK)
            check_record(checking);
    }
    return status == QUIPU_END && !checking->file->is_missing ? check_footer(checking, err) : status;
}

/* A stream is a file. */
enum quipu_status quipu__dumpi_check_stream(struct quipu__trace *trace, uint32_t stream,
                                            struct quipu_error *err) {
    struct quipu__dumpi_trace *own = quipu__dumpi_of(trace);
    struct checking checking = {.own = own, .file = &own->files.items[stream], .memory = own->memory};
    checking.wall = (struct quipu__dumpi_wall_clock)QUIPU__DUMPI_WALL_CLOCK_INIT;
    struct quipu__tokens *const tokens[] = {&checking.communicators, &checking.files,   &checking.windows,
                                            &checking.requests,      &checking.threads, &checking.reported};
    for (size_t t = 0; t < sizeof tokens / sizeof *tokens; t++)
        quipu__tokens_init(tokens[t], own->memory);
    enum quipu_status status = check_file(&checking, err);
    status = quipu__dumpi_lose_rest(own, checking.file, status, err);
    release(&checking);
    return status;
}
