/* writer.c: runs the writing half of a descriptor and makes all files appear at once, at close. */
#include "trace/writer.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/os.h"
#include "model/batch.h"
#include "trace/reader.h"

struct quipu_writer {
    struct quipu__memory memory;
    struct quipu_writer_options options;
    struct quipu__arena arena; /* texts of the options, the path */
    struct quipu__output_trace output;
    bool is_created, has_ended;               /* has_ended: leftovers of the events are written */
    enum quipu_status failure;                /* the first failure: nothing can be completed after it */
    struct quipu_writer_losses format_losses; /* as the format counts them */
    quipu_kinds capable; /* kinds that the format can hold, and numbers of events of others */
    uint64_t foreign[QUIPU_KIND_COUNT];
    QUIPU__VEC(int64_t) last_times; /* per location, or one for all when writing in time order */
    struct quipu__batch *rows;      /* events that were put one by one and are not written yet; NULL at first */
};

/* ---- Options that mean nothing to the format ---- */

enum option { OPTION_COMPRESSION, OPTION_STREAMS, OPTION_VARIANT, OPTION_STANDARD_OUTPUT, OPTIONS };

static const struct {
    uint32_t ability; /* of formats to which the option means something */
    const char *others, *advice;
} meanings[OPTIONS] = {
    [OPTION_COMPRESSION] = {QUIPU_CAN_COMPRESS, "has no compression of its own",
                            "leave out --compress, and compress the files afterwards"},
    [OPTION_STREAMS] = {QUIPU_HAS_STREAMS, "has a fixed number of streams", "leave out --streams"},
    [OPTION_VARIANT] = {QUIPU_WRITES_VARIANTS, "has no variants to choose from", "leave out the variant"},
    [OPTION_STANDARD_OUTPUT] = {QUIPU_IS_ONE_FILE, "consists of several files: it cannot go to standard output",
                                "name a file with -o"},
};

static const struct quipu_writer_options defaults = QUIPU_WRITER_OPTIONS_INIT;

enum quipu_status quipu_writer_check(const char *path, const struct quipu_format *format,
                                     const struct quipu_writer_options *options, struct quipu_error *err) {
    options = options ? options : &defaults;
    const bool is_given[OPTIONS] = {
        [OPTION_COMPRESSION] = options->compression > 0,
        [OPTION_STREAMS] = options->streams > 0,
        [OPTION_VARIANT] = options->variant != NULL,
        [OPTION_STANDARD_OUTPUT] = path && strcmp(path, "-") == 0,
    };
    for (int i = 0; i < OPTIONS; i++) {
        if (!is_given[i] || (format->abilities & meanings[i].ability) != 0)
            continue;
        quipu__fail(err, QUIPU_UNSUPPORTED, "%s %s", format->name, meanings[i].others);
        quipu__advise(err, "%s", meanings[i].advice);
        return QUIPU_UNSUPPORTED;
    }
    const struct quipu__settings settings = {format->options, format->option_count, options->settings,
                                             options->setting_count};
    return quipu__settings_check(&settings, format->name, err);
}

/* ---- Creating ---- */

static bool keep_settings(struct quipu_writer *writer, const struct quipu_writer_options *options) {
    const struct quipu_format *format = &writer->output.format->info;
    const size_t size = (options->setting_count + 1) * sizeof(struct quipu_setting);
    struct quipu_setting *items = quipu__arena_alloc(&writer->arena, size);
    size_t count = 0;
    if (!items)
        return false;
    for (size_t i = 0; i < options->setting_count; i++) {
        const struct quipu_setting *from = &options->settings[i];
        items[count] =
            (struct quipu_setting){quipu__arena_text(&writer->arena, from->name, strlen(from->name)),
                                   quipu__arena_text(&writer->arena, from->value, strlen(from->value))};
        if (!items[count].name || !items[count].value)
            return false;
        count++;
    }
    writer->output.settings = (struct quipu__settings){format->options, format->option_count, items, count};
    writer->options.settings = items;
    writer->options.setting_count = count;
    return true;
}

static bool keep_options(struct quipu_writer *writer, const struct quipu_writer_options *options) {
    writer->options = *options;
    if (!keep_settings(writer, options))
        return false;
    if (options->variant)
        writer->options.variant = quipu__arena_text(&writer->arena, options->variant, strlen(options->variant));
    writer->options.memory_limit = writer->memory.limit;
    return !options->variant == !writer->options.variant;
}

static enum quipu_status protect(void *context, const char *path, struct quipu_error *err) {
    return quipu__outputs_protect(context, path, err);
}

enum quipu_status quipu__outputs_protect_reader(struct quipu__outputs *outputs,
                                                const struct quipu_reader *reader, struct quipu_error *err) {
    return quipu__reader_each_file(reader, protect, outputs, err);
}

static enum quipu_status open_outputs(struct quipu_writer *writer, struct quipu_reader *const *readers,
                                      size_t reader_count, struct quipu_error *err) {
    const struct quipu_writer_options *options = &writer->options;
    enum quipu_status status = quipu__outputs_new(&writer->memory, options->replace, options->file_limit,
                                                  options->guard, &writer->output.outputs, err);
    for (size_t i = 0; status == QUIPU_OK && i < reader_count; i++)
        status = quipu__outputs_protect_reader(writer->output.outputs, readers[i], err);
    return status;
}

static enum quipu_status prepare(struct quipu_writer *writer, const char *path,
                                 const struct quipu_writer_options *options,
                                 struct quipu_reader *const *readers, size_t reader_count,
                                 struct quipu_error *err) {
    struct quipu__output_trace *output = &writer->output;
    output->path = quipu__arena_text(&writer->arena, path, strlen(path));
    if (!output->path || !keep_options(writer, options))
        return quipu__no_memory(err, strlen(path));
    output->options = &writer->options;
    output->memory = &writer->memory;
    output->dropped = writer->format_losses.dropped;
    output->approximated = writer->format_losses.approximated;
    writer->capable = quipu__capable_kinds(output->format->writing->capabilities);
    output->order = output->format->writing->order;
    output->resolution = output->format->writing->resolution;
    if (reader_count > 0 && quipu__reader_trace(readers[0])->format == output->format)
        output->source = quipu__reader_trace(readers[0]);
    enum quipu_status status = open_outputs(writer, readers, reader_count, err);
    if (status == QUIPU_OK)
        status = output->format->writing->create(output, err);
    writer->is_created = status == QUIPU_OK;
    return status;
}

static enum quipu_status refuse_database(const struct quipu__format *target, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s is a database of a whole trace: only convert writes it",
                target->info.name);
    quipu__advise(err, "write a trace, and convert that");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu__writer_create(const char *path, const struct quipu__format *target,
                                       const struct quipu_writer_options *options,
                                       struct quipu_reader *const *readers, size_t reader_count,
                                       struct quipu_writer **out, struct quipu_error *err) {
    struct quipu__memory memory;
    *out = NULL;
    if (!target->writing)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "this format cannot be written");
    options = options ? options : &defaults;
    if (options->losses)
        *options->losses = (struct quipu_writer_losses){{0}, {0}};
    enum quipu_status status = quipu_writer_check(path, &target->info, options, err);
    if (status == QUIPU_OK && (target->info.abilities & QUIPU_IS_DATABASE) != 0)
        status = refuse_database(target, err);
    if (status != QUIPU_OK)
        return status;
    quipu__memory_init(&memory, &options->allocator, options->memory_limit);
    struct quipu_writer *writer = quipu__alloc_zero(&memory, sizeof *writer);
    if (!writer)
        return quipu__no_memory(err, sizeof *writer);
    writer->memory = memory;
    quipu__arena_init(&writer->arena, &writer->memory);
    writer->output.format = target;
    status = prepare(writer, path, options, readers, reader_count, err);
    if (status != QUIPU_OK) {
        quipu_writer_discard(writer);
        return status;
    }
    *out = writer;
    return QUIPU_OK;
}

void quipu__writer_repair(struct quipu_writer *writer, struct quipu__repairing *repairing) {
    writer->output.repairing = repairing;
}

enum quipu_status quipu_writer_create(const char *path, const struct quipu_format *format,
                                      const struct quipu_writer_options *options, struct quipu_writer **out,
                                      struct quipu_error *err) {
    return quipu__writer_create(path, quipu__format_find(format->name), options, NULL, 0, out, err);
}

/* ---- Writing ---- */

enum quipu_order quipu_writer_order(const struct quipu_writer *writer) {
    return writer->output.order;
}

enum quipu_order quipu__writer_order_from(const struct quipu_writer *writer, struct quipu_reader *reader) {
    const struct quipu__trace *trace = quipu__reader_trace(reader);
    return trace->format->reading->spreads_locations && quipu_reader_stream_count(reader) > 1
               ? QUIPU_ORDER_TIME
               : quipu_writer_order(writer);
}

const struct quipu__approximation *quipu__writer_approximations(const struct quipu_writer *writer,
                                                                size_t *count) {
    *count = writer->output.approximations.count;
    return writer->output.approximations.items;
}

uint64_t quipu_writer_approximated(const struct quipu_writer *writer, enum quipu_kind kind) {
    return writer->format_losses.approximated[kind];
}

uint64_t quipu_writer_dropped(const struct quipu_writer *writer, enum quipu_kind kind) {
    return (writer->capable >> kind & 1) != 0 ? writer->format_losses.dropped[kind] : writer->foreign[kind];
}

enum quipu_status quipu_writer_define(struct quipu_writer *writer, const struct quipu_definitions *definitions,
                                      struct quipu_error *err) {
    if (!definitions)
        return quipu__fail(err, QUIPU_MISUSE, "definitions are missing");
    writer->output.definitions = definitions;
    if (writer->output.format->writing->order_of)
        writer->output.order = writer->output.format->writing->order_of(definitions);
    return QUIPU_OK;
}

/* Remembers the first failure; close then fails too. What was written while memory ran out is incomplete. */
static enum quipu_status keep_failure(struct quipu_writer *writer, enum quipu_status status,
                                      struct quipu_error *err) {
    const struct quipu__repairing *repairing = writer->output.repairing;
    if (status == QUIPU_OK)
        status = quipu__memory_status(&writer->memory, err);
    if (status == QUIPU_OK && repairing)
        status = quipu__findings_status(repairing->changes, err);
    if (status != QUIPU_OK && writer->failure == QUIPU_OK)
        writer->failure = status;
    return status;
}

/* After so many ticks a time is one of those that the format has. */
static uint64_t ticks_between(const struct quipu_clock *clock, uint64_t resolution) {
    const uint64_t ticks = clock->ticks_per_second ? clock->ticks_per_second : UINT64_C(1000000000);
    const uint64_t seconds = clock->per_seconds ? clock->per_seconds : 1;
    uint64_t divisor = ticks, rest = seconds <= UINT64_MAX / resolution ? seconds * resolution : resolution;
    while (rest != 0) {
        const uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return ticks / divisor;
}

/* Counts events between the times that the format has. */
static void count_rounded(struct quipu_writer *writer, const struct quipu_batch *batch) {
    const uint64_t resolution = writer->output.resolution;
    const uint64_t step = resolution ? ticks_between(&writer->output.definitions->clock, resolution) : 1;
    for (uint32_t i = 0; step > 1 && i < batch->count; i++) {
        const uint64_t time = quipu__magnitude(batch->time[i]);
        writer->output.approximated[batch->kind[i]] +=
            (writer->capable >> batch->kind[i] & 1) != 0 && time % step != 0;
    }
}

static enum quipu_status put_batch(struct quipu_writer *writer, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    const enum quipu_status status = writer->output.format->writing->put_batch(&writer->output, batch, err);
    count_rounded(writer, batch);
    return keep_failure(writer, status, err);
}

/* Writes the events that were put one by one. */
static enum quipu_status flush_rows(struct quipu_writer *writer, struct quipu_error *err) {
    if (!writer->rows || writer->rows->batch.count == 0)
        return QUIPU_OK;
    const enum quipu_status status = put_batch(writer, &writer->rows->batch, err);
    quipu__batch_clear(writer->rows);
    return status;
}

/* Not all formats count events of kinds that they cannot hold, so they are counted here. */
static void count_foreign(struct quipu_writer *writer, const struct quipu_batch *batch) {
    if (writer->capable == QUIPU_ALL_KINDS)
        return;
    for (uint32_t i = 0; i < batch->count; i++)
        if ((writer->capable >> batch->kind[i] & 1) == 0)
            writer->foreign[batch->kind[i]]++;
}

enum quipu_status quipu__writer_put_batch(struct quipu_writer *writer, const struct quipu_batch *batch,
                                          struct quipu_error *err) {
    if (!writer->output.definitions)
        return quipu__fail(err, QUIPU_MISUSE, "events are written before their definitions");
    const enum quipu_status status = flush_rows(writer, err);
    if (status != QUIPU_OK)
        return status;
    count_foreign(writer, batch);
    return put_batch(writer, batch, err);
}

/* ---- The order of time ---- */

/* Refuses a time before the last one: of the location, or of all if the format needs all events in one order. Events of
 * undefined locations have no order. */
static enum quipu_status check_time(struct quipu_writer *writer, int64_t time, uint32_t location,
                                    struct quipu_error *err) {
    const bool is_one_order = writer->output.order == QUIPU_ORDER_TIME;
    const size_t count = is_one_order ? 1 : writer->output.definitions->locations.count;
    const size_t number = is_one_order ? 0 : location;
    if (number >= count)
        return QUIPU_OK;
    if (count > writer->last_times.count &&
        !QUIPU__VEC_RESERVE(&writer->memory, &writer->last_times, count - writer->last_times.count))
        return keep_failure(writer, quipu__no_memory(err, count * sizeof time), err);
    while (writer->last_times.count < count)
        writer->last_times.items[writer->last_times.count++] = INT64_MIN;
    int64_t *last = &writer->last_times.items[number];
    if (time < *last)
        return quipu__fail(
            err, QUIPU_MISUSE, "time goes back: an event of location %u is at %lld, after one at %lld%s",
            location, (long long)time, (long long)*last,
            is_one_order ? " (this format wants the events of all locations in the order of time)" : "");
    *last = time;
    return QUIPU_OK;
}

/* Most events of a batch lie in runs of one location, whose times are in order. */
static uint32_t end_of_run(const struct quipu_batch *batch, uint32_t first) {
    uint32_t i = first + 1;
    while (i < batch->count && batch->location[i] == batch->location[first] &&
           batch->time[i] >= batch->time[i - 1])
        i++;
    return i;
}

enum quipu_status quipu_writer_put_batch(struct quipu_writer *writer, const struct quipu_batch *batch,
                                         struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; writer->output.definitions && i < batch->count && status == QUIPU_OK; i++) {
        const uint32_t first = i;
        i = end_of_run(batch, first) - 1;
        status = check_time(writer, batch->time[first], batch->location[first], err);
        if (status == QUIPU_OK && i > first)
            status = check_time(writer, batch->time[i], batch->location[i], err);
    }
    return status == QUIPU_OK ? quipu__writer_put_batch(writer, batch, err) : keep_failure(writer, status, err);
}

enum quipu_status quipu__writer_put_marks(struct quipu_writer *writer, const struct quipu__marks *marks,
                                          struct quipu_error *err) {
    return keep_failure(writer, writer->output.format->writing->put_marks(&writer->output, marks, err), err);
}

enum quipu_status quipu__writer_end_events(struct quipu_writer *writer, struct quipu_error *err) {
    const struct quipu__writing *writing = writer->output.format->writing;
    const enum quipu_status status = flush_rows(writer, err);
    if (status != QUIPU_OK || writer->has_ended || !writing->end_events)
        return status;
    writer->has_ended = true;
    return keep_failure(writer, writing->end_events(&writer->output, err), err);
}

/* ---- Events one by one ---- */

enum { ROWS = 1024 };

/* Room for one more event. */
static enum quipu_status make_room(struct quipu_writer *writer, struct quipu_error *err) {
    if (!writer->rows)
        return keep_failure(writer, quipu__batch_new(&writer->memory, ROWS, &writer->rows, err), err);
    return quipu__batch_left(writer->rows) == 0 ? flush_rows(writer, err) : QUIPU_OK;
}

static bool add_row(struct quipu__batch *rows, const struct quipu_event *event) {
    quipu__batch_add_row(&rows->batch, event);
    rows->batch.stream = event->stream;
    bool has_room = true;
    for (uint32_t k = 0; k < event->attribute_count && has_room; k++)
        has_room = quipu__batch_attribute(rows, &event->attributes[k].value);
    return has_room;
}

/* Makes an event the last one of its location where make_slot would have nothing to do or to refuse, as for most. */
static inline bool take_slot(struct quipu_writer *writer, const struct quipu_event *event) {
    const size_t number = writer->output.order == QUIPU_ORDER_TIME ? 0 : event->location;
    if (!writer->rows || quipu__batch_left(writer->rows) == 0 || writer->rows->batch.stream != event->stream ||
        event->kind >= QUIPU_KIND_COUNT || event->location >= writer->output.definitions->locations.count ||
        number >= writer->last_times.count || event->time < writer->last_times.items[number])
        return false;
    writer->last_times.items[number] = event->time;
    return true;
}

/* Room for an event whose kind, location and time may be written. */
static enum quipu_status make_slot(struct quipu_writer *writer, const struct quipu_event *event,
                                   struct quipu_error *err) {
    if (!writer->output.definitions)
        return quipu__fail(err, QUIPU_MISUSE, "events are written before their definitions");
    if (event->kind >= QUIPU_KIND_COUNT || event->location >= writer->output.definitions->locations.count)
        return quipu__fail(err, QUIPU_MISUSE,
                           "the event has kind %u and location %u, of which one is not defined", event->kind,
                           event->location);
    enum quipu_status status = make_room(writer, err);
    if (status == QUIPU_OK && writer->rows->batch.count > 0 && writer->rows->batch.stream != event->stream)
        status = flush_rows(writer, err);
    return status == QUIPU_OK ? check_time(writer, event->time, event->location, err) : status;
}

enum quipu_status quipu_writer_put_event(struct quipu_writer *writer, const struct quipu_event *event,
                                         struct quipu_error *err) {
    const enum quipu_status status = take_slot(writer, event) ? QUIPU_OK : make_slot(writer, event, err);
    if (QUIPU__UNLIKELY(status != QUIPU_OK))
        return status;
    writer->foreign[event->kind] += (writer->capable >> event->kind & 1) == 0;
    return add_row(writer->rows, event)
               ? QUIPU_OK
               : keep_failure(writer, quipu__no_memory(err, sizeof(struct quipu_attribute)), err);
}

enum quipu_status quipu_writer_begin_stream(struct quipu_writer *writer, const struct quipu_stream *stream,
                                            struct quipu_error *err) {
    if (!writer->output.format->copying)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "this format cannot be written record by record");
    return keep_failure(writer, writer->output.format->copying->begin_stream(&writer->output, stream, err),
                        err);
}

enum quipu_status quipu_writer_put_record(struct quipu_writer *writer, const struct quipu_record *record,
                                          struct quipu_error *err) {
    if (!writer->output.format->copying)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "this format cannot be written record by record");
    return keep_failure(writer, writer->output.format->copying->put_record(&writer->output, record, err), err);
}

bool quipu__writer_takes_spans(const struct quipu_writer *writer) {
    return writer->output.takes_spans;
}

enum quipu_status quipu__writer_put_spans(struct quipu_writer *writer, const struct quipu__span *const *spans,
                                          uint32_t count, struct quipu_error *err) {
    return keep_failure(writer, writer->output.format->copying->put_spans(&writer->output, spans, count, err),
                        err);
}

/* ---- Closing ---- */

enum quipu_status quipu_writer_close(struct quipu_writer *writer, struct quipu_error *err) {
    if (!writer)
        return QUIPU_OK;
    enum quipu_status status = writer->failure == QUIPU_OK ? quipu__writer_end_events(writer, err) : QUIPU_OK;
    if (status == QUIPU_OK && writer->failure != QUIPU_OK)
        status =
            quipu__fail(err, writer->failure, "writing has failed before, so there is nothing to complete");
    else if (status == QUIPU_OK)
        status = keep_failure(writer, writer->output.format->writing->finish(&writer->output, err), err);
    if (status == QUIPU_OK) {
        struct quipu__outputs *outputs = writer->output.outputs;
        writer->output.outputs = NULL;
        status = quipu__outputs_commit(outputs, err);
    }
    quipu_writer_discard(writer);
    return status;
}

static void tell_losses(const struct quipu_writer *writer, struct quipu_writer_losses *out) {
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        out->dropped[kind] = quipu_writer_dropped(writer, (enum quipu_kind)kind);
        out->approximated[kind] = quipu_writer_approximated(writer, (enum quipu_kind)kind);
    }
}

void quipu_writer_discard(struct quipu_writer *writer) {
    if (!writer)
        return;
    if (writer->options.losses)
        tell_losses(writer, writer->options.losses);
    if (writer->is_created)
        writer->output.format->writing->abandon(&writer->output);
    quipu__outputs_discard(writer->output.outputs);
    quipu__batch_free(writer->rows);
    QUIPU__VEC_RELEASE(&writer->memory, &writer->last_times);
    QUIPU__VEC_RELEASE(writer->output.memory, &writer->output.approximations);
    quipu__arena_release(&writer->arena);
    struct quipu__memory last = writer->memory;
    quipu__release(&last, writer, sizeof *writer);
}
