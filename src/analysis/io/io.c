/* io.c: input and output: which files are used how, by whom and when.
 *
 * Requests are what io_begin says; the time that one takes, and what only its end knows, come from the io_end that belongs to
 * it (operations.h). In a window a request counts that begins there, and time with its part inside; what comes before tells the files of handles. */
#include "analysis/io/io.h"

#include "analysis/io/study.h"
#include "analysis/shared/unfinished_calls.h"
#include "core/error.h"
#include "core/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- Operations ---- */

struct event {
    struct quipu__io *io;
    const struct quipu_batch *batch;
    uint32_t index, location;
};

static uint32_t client_at(const struct event *event) {
    return event->io->operations.locations[event->location].client;
}

static bool is_in_window(const struct event *event) {
    return quipu__window_has(&event->io->window, event->batch->time[event->index]);
}

/* How long the part of an operation in the window is. */
static uint64_t ns_inside(const struct quipu__io *io, int64_t begin, int64_t end) {
    const struct quipu_clock *clock = &io->definitions->clock;
    const int64_t from = begin > io->window.from ? begin : io->window.from,
                  to = end < io->window.to ? end : io->window.to;
    return from < to ? (uint64_t)quipu_clock_ns(clock, to) - (uint64_t)quipu_clock_ns(clock, from) : 0;
}

static bool is_transfer(uint32_t operation) {
    return operation == QUIPU_IO_READ || operation == QUIPU_IO_WRITE;
}

/* Whether all that is asked of a request is known when it begins. */
static bool is_complete(const struct quipu__event_columns *columns) {
    return is_transfer(columns->operation) && columns->bytes != QUIPU_UNKNOWN;
}

/* Returns the number of its use; QUIPU_NONE when memory is out. */
static uint32_t add_request(const struct event *event, const struct quipu__event_columns *columns,
                            int64_t begin) {
    const struct quipu__io_request request = {
        .location = client_at(event),
        .file = columns->object,
        .stream = event->batch->stream,
        .direction = columns->operation == QUIPU_IO_WRITE ? QUIPU__IO_WRITES : QUIPU__IO_READS,
        .begin = begin,
        .offset = columns->value,
        .bytes = columns->bytes};
    if (event->io->study && !quipu__io_study_request(event->io, &request))
        return QUIPU_NONE;
    const struct quipu__io_use *use = quipu__io_add_request(event->io, &request);
    return use ? (uint32_t)(use - event->io->uses.items) : QUIPU_NONE;
}

static bool begin_operation(const struct event *event) {
    struct quipu__io_operations *operations = &event->io->operations;
    struct quipu__io_operation *latest = &operations->locations[event->location].operation;
    if (!quipu__io_operation_begin(operations, event->batch, event->index))
        return false;
    if (!is_complete(&latest->columns) || !is_in_window(event))
        return true;
    latest->use = add_request(event, &latest->columns, latest->time);
    return latest->use != QUIPU_NONE;
}

static bool add_time(const struct event *event, const struct quipu__event_columns *columns, int64_t begin) {
    const uint64_t ns = ns_inside(event->io, begin, event->batch->time[event->index]);
    if (ns == 0 && !quipu__window_has(&event->io->window, begin))
        return true;
    struct quipu__io_use *use = quipu__io_use_of(event->io, client_at(event), columns->object);
    if (!use)
        return false;
    if (!is_transfer(columns->operation))
        use->metadata_ns += ns;
    else
        use->ns[columns->operation == QUIPU_IO_WRITE] += ns;
    return true;
}

/* Formats without events of their own for opening and closing have operations for them. */
static bool add_open(const struct event *event, uint32_t file, uint64_t handle, uint32_t flags) {
    struct quipu__io *io = event->io;
    if (!quipu__io_handle_open(&io->operations, event->location, file, handle))
        return false;
    if (!is_in_window(event))
        return true;
    struct quipu__io_use *use = quipu__io_use_of(io, client_at(event), file);
    if (!use)
        return false;
    use->opens++;
    io->file_uses.items[use->file_use].opens++;
    quipu__io_timeline_at(&io->timeline, event->batch->time[event->index])->opens++;
    return !io->study || quipu__io_study_open(io, use, flags);
}

static bool add_close(const struct event *event, uint32_t file, uint64_t handle) {
    struct quipu__io *io = event->io;
    quipu__io_handle_close(&io->operations, event->location, handle);
    return !io->study || !is_in_window(event) || quipu__io_study_close(io, event->batch, event->index, file);
}

/* The end of the request that began last at its location, and of which only the time is not counted yet: nearly all ends. False
 * for others, with nothing done. */
static bool end_latest(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    struct quipu__io_operation *latest = &event->io->operations.locations[event->location].operation;
    const struct quipu__event_columns *begin = &latest->columns;
    if (!latest->is_active || latest->use == QUIPU_NONE || batch->id[i] != begin->id ||
        batch->operation[i] != begin->operation || batch->object[i] != begin->object ||
        batch->tag[i] != begin->tag)
        return false;
    event->io->uses.items[latest->use].ns[begin->operation == QUIPU_IO_WRITE] +=
        ns_inside(event->io, latest->time, batch->time[i]);
    latest->is_active = false;
    return true;
}

/* A request whose end comes right behind its beginning, when nothing else is active at its location: nearly all. */
static bool is_whole_request(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index, end = i + 1;
    return end < batch->count && batch->kind[i] == QUIPU_KIND_io_begin &&
           batch->kind[end] == QUIPU_KIND_io_end && batch->location[i] == batch->location[end] &&
           batch->id[i] == batch->id[end] && batch->operation[i] == batch->operation[end] &&
           batch->object[i] == batch->object[end] && batch->tag[i] == batch->tag[end] &&
           batch->object[i] != QUIPU_NONE && batch->bytes[i] != QUIPU_UNKNOWN &&
           is_transfer(batch->operation[i]) && is_in_window(event) &&
           !event->io->operations.locations[event->location].operation.is_active;
}

static bool add_whole_request(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    const bool writes = batch->operation[i] == QUIPU_IO_WRITE;
    const struct quipu__io_request request = {.location = client_at(event),
                                              .file = batch->object[i],
                                              .stream = batch->stream,
                                              .direction = writes ? QUIPU__IO_WRITES : QUIPU__IO_READS,
                                              .begin = batch->time[i],
                                              .offset = batch->value[i],
                                              .bytes = batch->bytes[i]};
    struct quipu__io_use *use = quipu__io_add_request(event->io, &request);
    if (!use)
        return false;
    use->ns[writes] += ns_inside(event->io, batch->time[i], batch->time[i + 1]);
    return true;
}

static bool end_operation(const struct event *event) {
    struct quipu__event_columns columns;
    struct quipu__io_operation operation;
    if (end_latest(event) ||
        !quipu__io_operation_end(&event->io->operations, event->batch, event->index, &operation, &columns))
        return true;
    if (is_transfer(columns.operation) && !is_complete(&operation.columns) &&
        quipu__window_has(&event->io->window, operation.time) &&
        add_request(event, &columns, operation.time) == QUIPU_NONE)
        return false;
    if (columns.operation == QUIPU_IO_OPEN &&
        !add_open(event, columns.object, (uint64_t)columns.tag, QUIPU_NONE))
        return false;
    if (columns.operation == QUIPU_IO_CLOSE && !add_close(event, columns.object, (uint64_t)columns.tag))
        return false;
    return add_time(event, &columns, operation.time);
}

/* ---- Events ---- */

static bool add_event(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    struct quipu__io *io = event->io;
    switch ((enum quipu_kind)batch->kind[i]) {
    case QUIPU_KIND_io_begin:
        return begin_operation(event);
    case QUIPU_KIND_io_end:
        return end_operation(event);
    case QUIPU_KIND_io_open:
        return add_open(event, batch->object[i], batch->id[i], batch->operation[i]);
    case QUIPU_KIND_io_close:
        return add_close(event,
                         quipu__io_file_of(&io->operations, event->location, batch->object[i], batch->id[i]),
                         batch->id[i]);
    case QUIPU_KIND_location_end:
        io->operations.locations[event->location].ends++;
        break;
    default:
        break;
    }
    return !io->study || !is_in_window(event) || quipu__io_study_event(io, batch, i);
}

/* Takes an event in, or a request with its end. Returns how many events those are, 0 when memory is out. */
static uint32_t take_events(const struct event *event) {
    struct quipu__io *io = event->io;
    if (!quipu__io_operations_reach(&io->operations, event->location))
        return 0;
    if (!io->study && is_whole_request(event))
        return add_whole_request(event) ? 2 : 0;
    if (io->study && is_in_window(event) &&
        !quipu__io_study_time(io, client_at(event), event->batch->time[event->index]))
        return 0;
    return add_event(event) ? 1 : 0;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__io *io = state;
    for (uint32_t i = 0, taken = 0; i < batch->count; i += taken) {
        const struct event event = {io, batch, i, batch->location[i]};
        taken = take_events(&event);
        if (taken == 0)
            return quipu__no_memory(err, io->memory.used);
    }
    return QUIPU_OK;
}

/* ---- The fold ---- */

static void release(void *state) {
    struct quipu__io *io = state;
    quipu__io_study_free(io);
    for (size_t i = 0; i < io->file_uses.count; i++)
        quipu__extents_release(&io->file_uses.items[i].extents, &io->memory);
    QUIPU__VEC_RELEASE(&io->memory, &io->uses);
    QUIPU__VEC_RELEASE(&io->memory, &io->file_uses);
    quipu__map_release(&io->use_numbers);
    quipu__map_release(&io->file_use_numbers);
    quipu__io_operations_release(&io->operations);
    quipu__fold_state_release(io, sizeof *io);
}

static bool asks_for_study(const struct quipu__settings *settings) {
    return quipu__settings_say_yes(settings, "study");
}

/* The tables show nothing of caches: who asks for them has forgotten --study. */
static enum quipu_status check_options(const struct quipu__settings *settings, struct quipu_error *err) {
    for (size_t i = 0; i < settings->count && !asks_for_study(settings); i++) {
        const char *name = settings->items[i].name;
        if (strcmp(name, "block") == 0 || strcmp(name, "study") == 0)
            continue;
        const int status = quipu__fail(err, QUIPU_MISUSE, "option \"%s\" of io needs \"study\"", name);
        quipu__advise(err, "give --study too, or leave --%s out", name);
        return (enum quipu_status)status;
    }
    return QUIPU_OK;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__io *io = quipu__fold_state(start, sizeof *io, state);
    if (!io)
        return quipu__no_memory(err, sizeof *io);
    io->definitions = start->definitions;
    io->window = start->window ? *start->window : (struct quipu__window){INT64_MIN, INT64_MAX};
    io->has_all_operations = quipu__selects_all_calls(start->selection);
    quipu__io_operations_init(&io->operations, &io->memory, start->definitions);
    quipu__map_init(&io->use_numbers, &io->memory);
    quipu__map_init(&io->file_use_numbers, &io->memory);
    quipu__io_timeline_init(&io->timeline);
    enum quipu_status status = check_options(&start->settings, err);
    if (status == QUIPU_OK)
        status = quipu__io_block_size(&start->settings, &io->block_size, err);
    return status == QUIPU_OK && asks_for_study(&start->settings)
               ? quipu__io_study_new(io, &start->settings, err)
               : status;
}

static void end_strides(struct quipu__io *io) {
    for (size_t i = 0; i < io->uses.count; i++)
        quipu__io_strides_end(&io->uses.items[i]);
}

static void add_active(void *context, uint32_t location, int64_t begin,
                       const struct quipu__event_columns *columns) {
    struct quipu__io *io = context;
    (void)location;
    (void)columns;
    io->endless += begin < io->window.to;
}

/* Of operations that nothing has ended, requests count as far as their beginnings say what is asked for. */
static enum quipu_status finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__io *io = state;
    if (io->has_all_operations)
        quipu__io_operations_each_active(&io->operations, add_active, io);
    const uint64_t active = io->endless;
    end_strides(io);
    if (active > 0)
        quipu__tables_note_add(tables, "%" PRIu64 " operation%s on files %s no end: %s time is not counted",
                               active, active == 1 ? "" : "s", active == 1 ? "has" : "have",
                               active == 1 ? "its" : "their");
    const enum quipu_status status =
        io->study ? quipu__io_study_show(io, tables, err) : quipu__io_show(io, tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&io->memory, err) : status;
}

/* The study looks at sizes of files, which are attributes. */
static void select_events(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                          struct quipu_selection *selection) {
    (void)definitions;
    if (!asks_for_study(settings))
        return;
    selection->without_attributes = false;
}

static const struct quipu_option options[] = {
    {.name = "study",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .default_value = "no",
     .doc = "give the figures of the workload study instead"},
    {.name = "block",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "BYTES",
     .default_value = "4096",
     .doc = "size of the blocks that are shared and cached"},
    {.name = "small",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "BYTES",
     .default_value = "4000",
     .doc = "with --study: requests of less are small"},
    {.name = "io-buffers",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "LIST",
     .default_value = "10,100,1000",
     .doc = "with --study: blocks that the caches of all I/O nodes hold together"},
    {.name = "io-nodes",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .doc = "with --study: I/O nodes, in place of what the trace says, else 1"},
    {.name = "client-buffers",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "LIST",
     .default_value = "1,10",
     .doc = "with --study: blocks that the cache of a client holds for a file"},
    {.name = "replacement",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "lru|fifo|both",
     .default_value = "both",
     .doc = "with --study: which block the caches of I/O nodes give up: least recently used, first in"},
    {.name = "client-replacement",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "lru|fifo",
     .default_value = "lru",
     .doc = "with --study: which block the caches of clients give up"},
};

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)

const struct quipu__fold quipu__io_fold = {
    .info =
        {.name = "io",
         .doc = "show how files are used",
         .details =
             "Shows, for traces of any format with operations on files, what each file is used for and by how "
             "many "
             "locations, how large requests are, how regular, how much of a file several locations touch, when "
             "it happens, and Darshan's estimate of the performance. Files are in the order of the bytes that "
             "are moved.\n\n"
             "A request counts where it begins, with the bytes that it asks for; formats that say only what "
             "was "
             "transferred count that. An end without its beginning counts for nothing. With --since and "
             "--until requests count that begin in the window, opens that are done there, and time with its "
             "part "
             "inside, also of operations that begin before or end behind it; so windows that touch add up. "
             "Order, strides and what is shared are of the requests that "
             "count.\n\n"
             "--study gives the figures of the classic workload studies of parallel file systems (a job is an "
             "application; a trace that knows "
             "none is one job): job mix, files per job, sizes, order and regularity of requests, sharing of "
             "bytes and blocks, temporary files, and simulated caches at I/O and compute nodes.",
         .examples = "quipu io run.ctrace # files, sizes, strides, sharing, time\n"
                     "quipu io run.ctrace --study --json # the study's figures, for a script\n"
                     "quipu io run.ctrace --study --block 65536 --io-buffers 64,256 # caches of larger blocks",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__io_tables,
         .table_count = QUIPU__IO_TABLES,
         .empty_answer = "there are no operations on files"},
    .kinds = KIND(io_open) | KIND(io_close) | KIND(io_begin) | KIND(io_end) | KIND(io_unlink) |
             KIND(location_begin) | KIND(location_end),
    .needs_attributes = false,
    .cuts_calls = true,
    .order = QUIPU_ORDER_TIME, /* who is the first to use a file must not depend on threads */
    .select = select_events,
    .begin = begin,
    .consume = consume,
    .finish = finish,
    .release = release,
};
