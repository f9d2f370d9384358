/* check.c: follows the records of a trace and reports the rules that they break.
 *
 * Each type has a function that keeps the tracking; what all records have in common (times, texts, numbers of clients and
 * applications) is looked at by the table, after that. */
#include "formats/charisma/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- Rules ---- */

const struct quipu_rule quipu__charisma_rules[QUIPU__CHARISMA_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/charisma/rules.def"
#undef RULE
};

void quipu__charisma_find(struct quipu__charisma_check *check, enum quipu__charisma_rule rule,
                          const char *field, const char *expected, const char *found, ...) {
    const struct quipu_rule *broken = &quipu__charisma_rules[rule];
    check->errors += broken->id[0] == 'E';
    check->warnings += broken->id[0] == 'W';
    if (!check->findings)
        return;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    const struct quipu__where where = {.file = check->path,
                                       .byte = check->where.byte,
                                       .line = QUIPU_UNKNOWN,
                                       .record = check->where.record,
                                       .type = check->where.type < QUIPU__CHARISMA_TYPE_COUNT
                                                   ? quipu__charisma_types[check->where.type].name
                                                   : "",
                                       .field = field};
    quipu__find(check->findings, broken, &where, expected, "%s", text);
}

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path) {
    *check = (struct quipu__charisma_check){.findings = findings, .path = path};
    check->where = (struct quipu__charisma_where){0, QUIPU_UNKNOWN, QUIPU_NONE};
    quipu__charisma_tracking_init(&check->tracking, memory, profile);
}

void quipu__charisma_check_release(struct quipu__charisma_check *check) {
    quipu__charisma_tracking_release(&check->tracking);
}

/* ---- Numbers of clients and applications ---- */

/* The application of a number, unless that stands for none. */
static uint32_t application_of(struct quipu__charisma_check *check, int64_t id) {
    return id == check->tracking.profile->no_app ? QUIPU_NONE
                                                 : quipu__charisma_application_of(&check->tracking, id);
}

static uint32_t client_of(struct quipu__charisma_check *check, int64_t id) {
    return id == check->tracking.profile->no_client ? QUIPU_NONE
                                                    : quipu__charisma_client_of(&check->tracking, id);
}

static void check_client(struct quipu__charisma_check *check, uint32_t client) {
    if (client != QUIPU_NONE && !check->tracking.clients.items[client].is_known)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_UNKNOWN_CLIENT, "client_id", "", "client %" PRId64,
                             check->tracking.clients.items[client].id);
}

static void check_application(struct quipu__charisma_check *check, uint32_t application) {
    if (application != QUIPU_NONE && !check->tracking.applications.items[application].is_known)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_UNKNOWN_APPLICATION, "appl_id", "",
                             "application %" PRId64, check->tracking.applications.items[application].id);
}

/* ---- Times ---- */

static const char *stamp_text(struct quipu_number stamp, char text[40]) {
    if (stamp.is_real)
        snprintf(text, 40, "%.9g", stamp.f);
    else if (stamp.is_signed)
        snprintf(text, 40, "%" PRId64, stamp.i);
    else
        snprintf(text, 40, "%" PRIu64, (uint64_t)stamp.i);
    return text;
}

static void check_time(struct quipu__charisma_check *check, struct quipu_number stamp, const char *field) {
    char found[40], expected[40];
    if (check->has_latest && quipu__charisma_compare(stamp, check->latest) < 0) {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_TIME_BACK, field, "", "%s after %s",
                             stamp_text(stamp, found), stamp_text(check->latest, expected));
        return;
    }
    check->latest = stamp;
    check->has_latest = true;
}

static void check_order(struct quipu__charisma_check *check, struct quipu_number begin, struct quipu_number end,
                        const char *field) {
    char found[40], expected[40];
    if (quipu__charisma_compare(end, begin) < 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_END_FIRST, field, "", "%s before %s",
                             stamp_text(end, found), stamp_text(begin, expected));
}

/* ---- What the table says ---- */

static void check_text(struct quipu__charisma_check *check, const struct quipu_field *field, const void *data) {
    const char *text = *(const char *const *)quipu__member_const(field, data);
    const uint16_t length = check->tracking.profile->lengths[field->domain->wire];
    if (quipu_sized_count(text) >= length)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NO_NUL, field->name, "", "%u characters", length);
}

static void check_size(struct quipu__charisma_check *check, const char *field, int64_t value) {
    if (value < 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NEGATIVE, field, "", "%" PRId64, value);
}

static void check_field(struct quipu__charisma_check *check, const struct quipu_field *field,
                        const void *data) {
    const void *member = quipu__member_const(field, data);
    if (field->wire == QUIPU__FORM_CHARACTERS)
        check_text(check, field, data);
    else if (field->wire == QUIPU__CHARISMA_WIRE_BigInt)
        check_size(check, field->name, *(const int64_t *)member);
}

static bool is_request(uint32_t type) {
    return type == QUIPU__CHARISMA_TYPE_rw || type == QUIPU__CHARISMA_TYPE_comp_rw;
}

/* What is the same in all records but requests, which are most and have functions of their own. */
static void check_by_table(struct quipu__charisma_check *check, const void *data) {
    const struct quipu_record_type *type = &quipu__charisma_types[check->where.type];
    for (uint16_t i = 0; i < type->field_count; i++)
        check_field(check, &type->fields[i], data);
    check_client(check, check->client);
    check_application(check, check->application);
}

/* ---- The system and its applications ---- */

typedef void record_fn(struct quipu__charisma_check *check, const union quipu__charisma_any *any);

static void check_header(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_header *header = &any->header;
    const int64_t system_type = check->tracking.profile->system_type;
    const bool is_first = !check->has_header;
    check->has_header = true;
    if (!is_first)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OTHER_HEADER, "", "", " ");
    if (is_first && header->system_type != system_type)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_SYSTEM_TYPE, "system_type", "",
                             "%u in place of %" PRId64, header->system_type, system_type);
    if (is_first && !(header->timestamp_unit > 1e-12 && header->timestamp_unit <= 1000))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_TIMESTAMP_UNIT, "timestamp_unit", "", "%g",
                             header->timestamp_unit);
    check_time(check, header->timestamp, "timestamp");
}

static void follow_app_load(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_app_load *load = &any->app_load;
    check->application = application_of(check, load->appl_id);
    quipu__charisma_load(&check->tracking, check->application);
    for (uint32_t i = 0; i < quipu_sized_count(load->clients); i++)
        quipu__charisma_join(&check->tracking, client_of(check, load->clients[i]), check->application);
    check_time(check, load->timestamp, "timestamp");
}

static void report_open(struct quipu__charisma_check *check, const struct quipu__charisma_handle *handle) {
    const struct quipu__charisma_where before = check->where;
    check->where = (struct quipu__charisma_where){handle->opened_at, QUIPU_UNKNOWN, QUIPU_NONE};
    quipu__charisma_find(check, QUIPU__CHARISMA_RULE_IMPLICIT_CLOSE, "file_desc", "", "descriptor %" PRId64,
                         handle->file_desc);
    check->where = before;
}

static void follow_app_exit(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    check->application = application_of(check, any->app_exit.appl_id);
    check_time(check, any->app_exit.timestamp, "timestamp");
    if (check->application == QUIPU_NONE)
        return;
    quipu__charisma_application_instance(tracking, check->application);
    while (tracking->applications.items[check->application].first_open != QUIPU_NONE) {
        const uint32_t open = tracking->applications.items[check->application].first_open;
        report_open(check, &tracking->handles.items[open]);
        quipu__charisma_handle_close(tracking, &tracking->handles.items[open]);
    }
    quipu__charisma_exit(tracking, check->application);
}

/* A client joins an application, or leaves it. */
static void follow_client(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    check->application = application_of(check, any->client_join.appl_id);
    check->client = client_of(check, any->client_join.client_id);
    if (check->where.type == QUIPU__CHARISMA_TYPE_client_join) {
        quipu__charisma_join(&check->tracking, check->client, check->application);
    } else {
        quipu__charisma_client_instance(&check->tracking, check->client);
        quipu__charisma_leave(&check->tracking, check->client);
    }
    check_time(check, any->client_join.timestamp, "timestamp");
}

/* ---- Opens and closes: those of an application have its number in the place of the client's ---- */

static uint32_t owner_of(struct quipu__charisma_check *check, bool is_of_application, int64_t id) {
    if (is_of_application) {
        check->application = application_of(check, id);
        quipu__charisma_application_instance(&check->tracking, check->application);
        return check->application;
    }
    check->client = client_of(check, id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    return check->client;
}

static bool has_one_access(uint8_t open_flags) {
    const uint8_t access = open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    return access == QUIPU__CHARISMA_OPEN_READ || access == QUIPU__CHARISMA_OPEN_READ_WRITE ||
           access == QUIPU__CHARISMA_OPEN_WRITE;
}

static void follow_open(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_client_open *open = &any->client_open;
    const bool is_of_application = check->where.type == QUIPU__CHARISMA_TYPE_app_open;
    const uint32_t owner = owner_of(check, is_of_application, open->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(&check->tracking, is_of_application, owner, open->file_desc);
    check->file = quipu__charisma_file_of(&check->tracking, open->file_id);
    if (!has_one_access(open->open_flags) || (open->open_flags & ~QUIPU__CHARISMA_OPEN_ALL) != 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPEN_FLAGS, "open_flags", "one of 1, 2 and 4",
                             "0x%02x", open->open_flags);
    if (handle && handle->is_open)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPEN_TWICE, "file_desc", "", "descriptor %" PRId64,
                             open->file_desc);
    if (handle)
        quipu__charisma_handle_open(&check->tracking, handle, check->file, open->open_flags, check->where.byte);
    check_time(check, open->timestamp, "timestamp");
}

static void follow_close(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_client_close *close = &any->client_close;
    const bool is_of_application = check->where.type == QUIPU__CHARISMA_TYPE_app_close;
    const uint32_t owner = owner_of(check, is_of_application, close->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_find(&check->tracking, is_of_application, owner, close->file_desc);
    if (handle && handle->is_open) {
        check->file = handle->file;
        quipu__charisma_handle_close(&check->tracking, handle);
    } else {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_CLOSE_ONLY, "file_desc", "", "descriptor %" PRId64,
                             close->file_desc);
    }
    check_time(check, close->timestamp, "timestamp");
}

/* ---- Files ---- */

/* EXTEND, TRUNCATE, LINK and UNLINK begin alike. */
static void follow_file(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    check->client = client_of(check, any->extend.client_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    check->file = quipu__charisma_file_of(&check->tracking, any->extend.file_id);
    check_time(check, any->extend.timestamp, "timestamp");
}

static struct quipu__charisma_handle *open_one(struct quipu__charisma_check *check, bool is_of_application,
                                               uint32_t owner, int64_t file_desc) {
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_find(&check->tracking, is_of_application, owner, file_desc);
    return handle && handle->is_open ? handle : NULL;
}

struct quipu__charisma_handle *quipu__charisma_target(struct quipu__charisma_check *check, bool is_of_client,
                                                      uint32_t application, uint32_t client, int64_t file_desc,
                                                      bool *is_inherited) {
    if (application == QUIPU_NONE)
        application = quipu__charisma_application_of_client(&check->tracking, client);
    struct quipu__charisma_handle *handle =
        open_one(check, !is_of_client, is_of_client ? client : application, file_desc);
    if (!handle)
        handle = open_one(check, is_of_client, is_of_client ? application : client, file_desc);
    *is_inherited = !handle;
    return handle ? handle : quipu__charisma_handle_inherited(&check->tracking, application, file_desc);
}

static void follow_fcntl(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    bool is_inherited;
    check->client = client_of(check, any->fcntl.client_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    const struct quipu__charisma_handle *handle =
        quipu__charisma_target(check, true, QUIPU_NONE, check->client, any->fcntl.file_desc.i, &is_inherited);
    check->file = handle ? handle->file : QUIPU_NONE;
    if (is_inherited)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NOT_OPEN, "file_desc", "", "descriptor %" PRId64,
                             any->fcntl.file_desc.i);
    check_time(check, any->fcntl.timestamp, "timestamp");
}

/* ---- Requests ---- */

static void check_access(struct quipu__charisma_check *check, const struct quipu__charisma_handle *handle,
                         uint8_t operation_type) {
    const bool writes = operation_type & QUIPU__CHARISMA_WRITE;
    const uint8_t access = handle->open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    if (access == (writes ? QUIPU__CHARISMA_OPEN_READ : QUIPU__CHARISMA_OPEN_WRITE))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ACCESS, "operation_type", "",
                             "a %s, opened for %s only", writes ? "write" : "read",
                             writes ? "reading" : "writing");
}

/* One entry of a request. */
static struct quipu__charisma_handle *check_entry(struct quipu__charisma_check *check, bool is_of_client,
                                                  uint32_t application, uint32_t client, int64_t file_desc,
                                                  uint8_t operation_type) {
    bool is_inherited;
    struct quipu__charisma_handle *handle =
        quipu__charisma_target(check, is_of_client, application, client, file_desc, &is_inherited);
    check_client(check, client);
    quipu__charisma_client_instance(&check->tracking, client);
    if (is_inherited)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NOT_OPEN, "file_desc", "", "descriptor %" PRId64,
                             file_desc);
    if (handle)
        check_access(check, handle, operation_type);
    return handle;
}

/* Begins an asynchronous request; its transfers are filled in as the entries are looked at. */
static struct quipu__charisma_in_flight *begin_request(struct quipu__charisma_check *check,
                                                       const struct quipu__charisma_rw *rw, bool is_of_client,
                                                       uint32_t owner) {
    if (quipu__charisma_in_flight_find(&check->tracking, !is_of_client, owner, rw->async_id))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ASYNC_AGAIN, "async_id", "", "request %" PRId64,
                             rw->async_id);
    struct quipu__charisma_in_flight *request = quipu__charisma_in_flight_begin(
        &check->tracking, !is_of_client, owner, rw->async_id, quipu_sized_count(rw->requests));
    if (!request)
        return NULL;
    request->offset = check->where.byte;
    request->record = check->where.record;
    request->number = check->first_transfers;
    request->operation_type = rw->operation_type;
    request->starttime = rw->starttime;
    request->endtime = rw->endtime;
    return request;
}

/* The clients of a request, which may be new. */
static void define_clients(struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    for (uint32_t i = 0; i < quipu_sized_count(rw->requests); i++)
        quipu__charisma_client_instance(&check->tracking, client_of(check, rw->requests[i].client_id));
    quipu__charisma_compressed_pass(&check->tracking, rw);
}

static void follow_rw(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_rw *rw = &any->rw;
    const bool is_of_client = rw->operation_type & QUIPU__CHARISMA_OF_CLIENT;
    const uint32_t count = quipu_sized_count(rw->requests);
    struct quipu__charisma_in_flight *request = NULL;
    check->first_transfers = check->tracking.transfer_count;
    check->tracking.transfer_count += count;
    check->application = application_of(check, rw->appl_id);
    quipu__charisma_application_instance(&check->tracking, check->application);
    check_time(check, rw->starttime, "starttime");
    if (check->only_defines) {
        define_clients(check, rw);
        return;
    }
    check_order(check, rw->starttime, rw->endtime, "endtime");
    check_application(check, check->application);
    if (rw->operation_type & ~QUIPU__CHARISMA_OPERATIONS)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPERATION_BITS, "operation_type", "", "0x%02x",
                             rw->operation_type);
    if (is_of_client ? count != 1 : count == 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_CLIENT_COUNT, "num_clients", is_of_client ? "1" : "",
                             "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__charisma_request *entry = &rw->requests[i];
        const uint32_t client = client_of(check, entry->client_id);
        check_size(check, "offset", entry->offset);
        check_size(check, "IO_size", entry->IO_size);
        const struct quipu__charisma_handle *handle =
            check_entry(check, is_of_client, check->application, client, rw->file_desc, rw->operation_type);
        if (i == 0 && rw->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS) {
            uint32_t owner = is_of_client ? client : check->application;
            if (owner == QUIPU_NONE)
                owner = quipu__charisma_application_of_client(&check->tracking, client);
            request = begin_request(check, rw, is_of_client, owner);
        }
        if (request && i < request->transfer_count)
            request->transfers[i] = (struct quipu__charisma_transfer){
                quipu__charisma_client_instance(&check->tracking, client), handle ? handle->file : QUIPU_NONE,
                rw->file_desc, entry->offset, entry->IO_size};
    }
    quipu__charisma_compressed_pass(&check->tracking, rw);
}

/* ---- The fast path ---- */

/* The open descriptor of a client, or else of its application. */
static struct quipu__charisma_handle *find_open(struct quipu__charisma_check *check,
                                                struct quipu__charisma_handle *own, uint32_t client) {
    if (own->is_open)
        return own;
    const uint32_t application = quipu__charisma_application_of_client(&check->tracking, client);
    return open_one(check, true, application, own->file_desc);
}

/* Which directions a descriptor was opened for. */
static uint8_t directions_of(const struct quipu__charisma_handle *handle) {
    const uint8_t access = handle->open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    return (uint8_t)((access != QUIPU__CHARISMA_OPEN_WRITE) | (access != QUIPU__CHARISMA_OPEN_READ) << 1);
}

/* Finds the route of a request of one client; false when it has none or may break a rule. */
static bool find_route(struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    const int64_t id = rw->requests->client_id;
    const uint32_t client =
        id == tracking->profile->no_client ? QUIPU_NONE : quipu__charisma_client_of(tracking, id);
    if (client == QUIPU_NONE || !tracking->clients.items[client].is_known ||
        tracking->clients.items[client].instance == QUIPU_NONE)
        return false;
    struct quipu__charisma_handle *own = quipu__charisma_handle_find(tracking, false, client, rw->file_desc);
    const struct quipu__charisma_handle *handle = own ? find_open(check, own, client) : NULL;
    if (!handle)
        return false;
    *quipu__charisma_route_of(tracking, id, rw->file_desc) =
        (struct quipu__charisma_route){.generation = tracking->generation,
                                       .client_id = id,
                                       .file_desc = rw->file_desc,
                                       .client = client,
                                       .instance = tracking->clients.items[client].instance,
                                       .handle = (uint32_t)(own - tracking->handles.items),
                                       .file = handle->file,
                                       .directions = directions_of(handle)};
    return true;
}

static void follow_comp_rw(struct quipu__charisma_check *check, union quipu__charisma_any *any) {
    struct quipu__charisma_comp_rw *record = &any->comp_rw;
    check->first_transfers = check->tracking.transfer_count++;
    check->client = client_of(check, record->client_id);
    if (check->client == QUIPU_NONE) /* a machine on which a small number stands for none */
        check->client = quipu__charisma_client_of(&check->tracking, record->client_id);
    for (unsigned missing = quipu__charisma_compressed_expand(&check->tracking, record); missing > 0; missing--)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_EMPTY_SLOT, "", "", " ");
    if (record->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ASYNCHRONOUS_COMPRESSED, "operation_type", "", " ");
    check_time(check, record->starttime, "starttime");
    check_size(check, "offset", record->offset);
    const struct quipu__charisma_handle *handle =
        check_entry(check, true, QUIPU_NONE, check->client, record->file_desc, record->operation_type);
    check->file = handle ? handle->file : QUIPU_NONE;
}

/* Whether there is a route to look for. */
static bool may_be_routed(const struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    const unsigned either = QUIPU__CHARISMA_WRITE | (check->only_defines ? QUIPU__CHARISMA_ASYNCHRONOUS : 0U);
    return (rw->operation_type & ~either) == QUIPU__CHARISMA_OF_CLIENT &&
           quipu_sized_count(rw->requests) == 1 && check->has_latest;
}

/* Finds the route of a request, for those that follow too; false, with nothing done, when there is none. */
static bool check_on_route(struct quipu__charisma_check *check, uint64_t byte,
                           const struct quipu__charisma_rw *rw) {
    if (!may_be_routed(check, rw) || !find_route(check, rw))
        return false;
    const struct quipu__charisma_route *route = check->only_defines
                                                    ? quipu__charisma_known_route(check, check->latest, rw)
                                                    : quipu__charisma_check_route(check, check->latest, rw);
    if (!route)
        return false;
    quipu__charisma_compressed_note(&check->tracking, route, rw);
    quipu__charisma_check_routed(check, byte, rw->starttime, 1);
    return true;
}

static void follow_asynch_end(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_asynch_end *end = &any->asynch_end;
    check->client = client_of(check, end->client_id);
    check->application = application_of(check, end->appl_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    quipu__charisma_application_instance(&check->tracking, check->application);
    check_time(check, end->call_time, "call_time");
    if (check->only_defines)
        return;
    struct quipu__charisma_in_flight *request =
        quipu__charisma_in_flight_find(&check->tracking, false, check->client, end->async_id);
    if (!request)
        request = quipu__charisma_in_flight_find(&check->tracking, true, check->application, end->async_id);
    check_order(check, end->call_time, end->end_time, "end_time");
    if (!request) {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_END_ONLY, "async_id", "", "request %" PRId64,
                             end->async_id);
        return;
    }
    if (quipu__charisma_compare(end->end_time, end->call_time) >= 0)
        check_order(check, request->endtime, end->call_time, "call_time");
    quipu__charisma_in_flight_end(&check->tracking, request);
    check->ended = request;
}

/* ---- All records ---- */

static record_fn *const functions[QUIPU__CHARISMA_TYPE_comp_rw] = {
    [QUIPU__CHARISMA_TYPE_header] = check_header,
    [QUIPU__CHARISMA_TYPE_app_load] = follow_app_load,
    [QUIPU__CHARISMA_TYPE_app_exit] = follow_app_exit,
    [QUIPU__CHARISMA_TYPE_client_join] = follow_client,
    [QUIPU__CHARISMA_TYPE_client_leave] = follow_client,
    [QUIPU__CHARISMA_TYPE_app_open] = follow_open,
    [QUIPU__CHARISMA_TYPE_client_open] = follow_open,
    [QUIPU__CHARISMA_TYPE_app_close] = follow_close,
    [QUIPU__CHARISMA_TYPE_client_close] = follow_close,
    [QUIPU__CHARISMA_TYPE_rw] = follow_rw,
    [QUIPU__CHARISMA_TYPE_extend] = follow_file,
    [QUIPU__CHARISMA_TYPE_truncate] = follow_file,
    [QUIPU__CHARISMA_TYPE_link] = follow_file,
    [QUIPU__CHARISMA_TYPE_unlink] = follow_file,
    [QUIPU__CHARISMA_TYPE_asynch_end] = follow_asynch_end,
    [QUIPU__CHARISMA_TYPE_fcntl] = follow_fcntl,
};

void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data) {
    if (type == QUIPU__CHARISMA_TYPE_rw && check_on_route(check, byte, &data->rw))
        return;
    check->where = (struct quipu__charisma_where){byte, check->where.record + 1, type};
    check->client = check->application = check->file = QUIPU_NONE;
    check->ended = NULL;
    if (check->where.record == 0 && type != QUIPU__CHARISMA_TYPE_header)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NO_HEADER, "", "HEADER", "%s",
                             quipu__charisma_types[type].name);
    if (type == QUIPU__CHARISMA_TYPE_comp_rw)
        follow_comp_rw(check, data);
    else
        functions[type](check, data);
    if (!is_request(type))
        check_by_table(check, data);
}

void quipu__charisma_check_end(struct quipu__charisma_check *check, bool cut) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    for (size_t i = 0; i < tracking->handles.count && !cut; i++)
        if (tracking->handles.items[i].is_open)
            report_open(check, &tracking->handles.items[i]);
    for (size_t i = 0; i < tracking->in_flight.count && !cut; i++) {
        const struct quipu__charisma_in_flight *request = &tracking->in_flight.items[i];
        if (!request->is_used)
            continue;
        check->where =
            (struct quipu__charisma_where){request->offset, request->record, QUIPU__CHARISMA_TYPE_rw};
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NEVER_ENDS, "async_id", "", "request %" PRId64,
                             request->async_id);
    }
}
