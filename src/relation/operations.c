/* operations.c: the relation of operations on files, from begin to end, in the order of their ends; what the trace has without an end of its own,
 * such as openings, and what nothing ends, has a duration of null. */
#include "analysis/io/operations.h"

#include "core/error.h"
#include "relation/relation.h"

#include <string.h>

/* clang-format off */
#define IO_TABLES(TABLE, COLUMN, END) \
    TABLE(IO, "io", "operations on files, from begin to end, in the order of their ends") \
    COLUMN(IO, begin_ns, TIME, "ns", "when it begins") \
    COLUMN(IO, duration_ns, I64, "ns", "until it ends; null where the trace does not say") \
    QUIPU__DEFINED(COLUMN, IO, location, "name of the process or thread") \
    COLUMN(IO, operation, TEXT, "", "which operation") \
    QUIPU__DEFINED(COLUMN, IO, file, "the file, as far as the operation or its handle says") \
    COLUMN(IO, offset, U64, "bytes", "position in the file") \
    COLUMN(IO, bytes, U64, "bytes", "bytes asked for, else those transferred; of a change of size, the new one") \
    COLUMN(IO, handle, U64, "", "handle of the file") \
    COLUMN(IO, matching, U64, "", "number that ties begin and end together") \
    END(IO)
/* clang-format on */
QUIPU__TABLES(IO_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(IO_TABLES)};

/* An operation that is to become a row. */
struct found {
    int64_t begin, end;
    uint32_t location;
    bool has_end;
    const char *name;                    /* of the operation; NULL: not known */
    struct quipu__event_columns columns; /* as of an io_end */
};

struct io {
    struct quipu__io_operations operations;
    struct quipu__scan *scan;
    QUIPU__VEC(struct found) found;
    size_t put; /* how many of them are rows already */
};

static void release(struct quipu__scan *scan) {
    struct io *io = scan->state;
    quipu__io_operations_release(&io->operations);
    QUIPU__VEC_RELEASE(&scan->memory, &io->found);
    quipu__release(&scan->memory, io, sizeof *io);
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    struct quipu_selection read = QUIPU_SELECTION_INIT;
    struct io *io = scan->state = quipu__alloc_zero(&scan->memory, sizeof *io);
    if (!io)
        return quipu__no_memory(err, sizeof *io);
    io->scan = scan;
    quipu__io_operations_init(&io->operations, &scan->memory, scan->definitions);
    read.order = QUIPU_ORDER_TIME; /* handles may be opened elsewhere in an application */
    read.without_attributes = true;
    const enum quipu_status status = quipu__scan_mark_locations(scan, options->selection, err);
    return status == QUIPU_OK ? quipu__scan_select(scan, &read, err) : status;
}

/* ---- Finding them ---- */

static void find(struct io *io, const struct found *found) {
    struct quipu__scan *scan = io->scan;
    if (!quipu__scan_has_time(scan, found->begin) || !quipu__scan_has_location(scan, found->location))
        return;
    struct found *added = QUIPU__VEC_ADD(&scan->memory, &io->found);
    if (added)
        *added = *found;
}

static void find_operation(struct io *io, uint32_t location, int64_t begin, bool has_end, int64_t end,
                           const struct quipu__event_columns *columns) {
    find(io, &(struct found){.begin = begin,
                             .end = end,
                             .location = location,
                             .has_end = has_end,
                             .name = columns->operation < QUIPU_IO_COUNT
                                         ? quipu_operation_name(QUIPU_REFERS_IO_OPERATION, columns->operation)
                                         : NULL,
                             .columns = *columns});
}

static void find_active(void *context, uint32_t location, int64_t begin,
                        const struct quipu__event_columns *columns) {
    find_operation(context, location, begin, false, 0, columns);
}

/* Formats without events of their own for opening and closing have operations for them. */
static bool end_operation(struct io *io, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__io_operation beginning;
    struct quipu__event_columns columns;
    const uint32_t location = batch->location[event];
    if (!quipu__io_operation_end(&io->operations, batch, event, &beginning, &columns))
        return true;
    const uint64_t handle = (uint64_t)columns.tag;
    find_operation(io, location, beginning.time, true, batch->time[event], &columns);
    if (columns.operation == QUIPU_IO_CLOSE)
        quipu__io_handle_close(&io->operations, location, handle);
    return columns.operation != QUIPU_IO_OPEN ||
           quipu__io_handle_open(&io->operations, location, columns.object, handle);
}

/* An event that is an operation by itself, called like its kind: io_open is "open". */
static void find_point(struct io *io, const struct quipu_batch *batch, uint32_t event) {
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[event];
    const bool has_handle =
        kind == QUIPU_KIND_io_open || kind == QUIPU_KIND_io_close || kind == QUIPU_KIND_io_control;
    struct found found = {.begin = batch->time[event],
                          .location = batch->location[event],
                          .name = quipu_kind_at(kind)->name + strlen("io_"),
                          .columns = quipu__unknown_columns};
    found.columns.tag = has_handle ? (int64_t)batch->id[event] : -1;
    found.columns.object =
        quipu__io_file_of(&io->operations, found.location, batch->object[event], (uint64_t)found.columns.tag);
    if (kind == QUIPU_KIND_io_resize)
        found.columns.bytes = batch->bytes[event];
    find(io, &found);
}

static bool add_event(struct io *io, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    if (!quipu__io_operations_reach(&io->operations, location))
        return false;
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_io_begin:
        return quipu__io_operation_begin(&io->operations, batch, event);
    case QUIPU_KIND_io_end:
        return end_operation(io, batch, event);
    case QUIPU_KIND_location_end:
        io->operations.locations[location].ends++;
        return true;
    default:
        break;
    }
    find_point(io, batch, event);
    if (batch->kind[event] == QUIPU_KIND_io_close)
        quipu__io_handle_close(&io->operations, location, batch->id[event]);
    return batch->kind[event] != QUIPU_KIND_io_open ||
           quipu__io_handle_open(&io->operations, location, batch->object[event], batch->id[event]);
}

static enum quipu_status add(struct quipu__scan *scan, struct quipu_error *err) {
    for (uint32_t i = 0; i < scan->batch->count; i++)
        if (!add_event(scan->state, scan->batch, i))
            return quipu__no_memory(err, scan->memory.used);
    return quipu__memory_status(&scan->memory, err);
}

static enum quipu_status end(struct quipu__scan *scan, struct quipu_error *err) {
    const struct io *io = scan->state;
    quipu__io_operations_each_active(&io->operations, find_active, scan->state);
    return quipu__memory_status(&scan->memory, err);
}

/* ---- Rows ---- */

static void put_operation(struct quipu__scan *scan, const struct found *found) {
    struct quipu__row_column *columns = scan->rows->columns;
    const size_t row = scan->rows->count;
    const struct quipu__event_columns *from = &found->columns;
    quipu__row_set(&columns[IO_begin_ns], row, (uint64_t)quipu__scan_ns(scan, found->begin));
    quipu__row_set_if(&columns[IO_duration_ns], row, found->has_end,
                      quipu__scan_duration(scan, found->begin, found->end));
    quipu__scan_put_named(scan, IO_location, QUIPU_REFERS_LOCATION, found->location);
    if (found->name)
        quipu__scan_put_text(scan, IO_operation, found->name);
    quipu__scan_put_named(scan, IO_file, QUIPU_REFERS_FILE, from->object);
    quipu__row_set_if(&columns[IO_offset], row, from->value != QUIPU_UNKNOWN, from->value);
    quipu__row_set_if(&columns[IO_bytes], row, from->bytes != QUIPU_UNKNOWN, from->bytes);
    quipu__row_set_if(&columns[IO_handle], row, from->tag != -1, (uint64_t)from->tag);
    quipu__row_set_if(&columns[IO_matching], row, from->id != QUIPU_UNKNOWN, from->id);
    scan->rows->count++;
}

static void put(struct quipu__scan *scan) {
    struct io *io = scan->state;
    while (io->put < io->found.count && !quipu__scan_is_full(scan))
        put_operation(scan, &io->found.items[io->put++]);
    if (io->put == io->found.count)
        io->put = io->found.count = 0;
}

#define BIT(kind) QUIPU_KIND_BIT(QUIPU_KIND_##kind)

const struct quipu__relation quipu__io_relation = {
    .shape = &tables[IO],
    .criteria = QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS,
    .parts = QUIPU__PARTS_OF_LOCATIONS,
    .kinds = BIT(io_open) | BIT(io_close) | BIT(io_begin) | BIT(io_end) | BIT(io_resize) | BIT(io_link) |
             BIT(io_unlink) | BIT(io_control) | BIT(location_end),
    .is_streamed = true,
    .begin = begin,
    .fill = quipu__scan_fill,
    .release = release,
    .add = add,
    .end = end,
    .put = put,
};
