/* convert.c: from a reader to a writer: records when both sides are the same format, events otherwise. */
#include "convert/convert.h"

#include "analysis/shared/marks.h"
#include "convert/loss.h"
#include "core/error.h"
#include "trace/reader.h"
#include "trace/shared_reading.h"
#include "trace/writer.h"

#include <quipu/analysis.h>
#include <quipu/sql.h>

/* Records read in advance to find where losses are; the report does not say where later ones are. */
enum { RECORDS_AHEAD = 100000 };

enum quipu_status quipu__find_target(const char *name, const struct quipu__format **out,
                                     struct quipu_error *err) {
    *out = quipu__format_find(name);
    if (!*out)
        return quipu__fail(err, QUIPU_NOT_FOUND, "unknown format \"%s\"", name);
    if (!(*out)->writing)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "%s cannot be written", name);
    return QUIPU_OK;
}

/* Records are only copied whole; a selection, or a target that does not take records or not for that number of streams,
 * needs events. */
static bool copies_records(const struct quipu__conversion *conversion) {
    return conversion->source == conversion->target && conversion->target->copying &&
           !conversion->options->selected &&
           (conversion->options->writer.streams == 0 || conversion->target->copying->distributes_records);
}

/* ---- Looking ahead ---- */

/* Reads up to limit records to find the first one of each lossy type, or all of them when limit is QUIPU_UNKNOWN. */
static enum quipu_status look_ahead(struct quipu__conversion *conversion, uint64_t limit,
                                    struct quipu_error *err) {
    struct quipu_record record;
    enum quipu_status status = QUIPU_OK;
    quipu_reader_rewind(conversion->reader);
    for (uint64_t i = 0; i < limit && status == QUIPU_OK; i++) {
        status = quipu_reader_next_record(conversion->reader, &record, err);
        if (status == QUIPU_OK)
            quipu__loss_meet(conversion->loss, &record);
        if (status == QUIPU_OK && limit != QUIPU_UNKNOWN && quipu__loss_has_firsts(conversion->loss))
            break;
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status refuse_loss(const struct quipu__conversion *conversion, struct quipu_error *err) {
    quipu__fail(err, QUIPU_NOT_REPRESENTABLE, "%llu records would be approximated or dropped",
                (unsigned long long)quipu_conversion_report_lost(conversion->loss));
    quipu__advise(err, "--report FILE lists them, --explain says why");
    return QUIPU_NOT_REPRESENTABLE;
}

/* Counts records after a pass over all events, whose kinds say more than the tables. */
static enum quipu_status count_records(struct quipu_conversion_report *loss, struct quipu_reader *reader,
                                       struct quipu_error *err) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    quipu__loss_begin_events(loss);
    enum quipu_status status = quipu_reader_select(reader, &everything, err);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_batch(reader, &batch, err);
        if (status == QUIPU_OK && !quipu__loss_see(loss, batch))
            status = quipu__no_memory(err, sizeof *loss);
    }
    if (status != QUIPU_END)
        return status;
    return quipu__loss_end_events(loss) && quipu__loss_count(loss, reader)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *loss->types);
}

/* Fills in what the report can know in advance. */
static enum quipu_status foresee(struct quipu__conversion *conversion, struct quipu_error *err) {
    const bool counts = conversion->options->fail_on_loss;
    enum quipu_status status = look_ahead(conversion, counts ? QUIPU_UNKNOWN : RECORDS_AHEAD, err);
    if (status == QUIPU_OK && counts)
        status = count_records(conversion->loss, conversion->reader, err);
    if (status != QUIPU_OK || !counts)
        return status;
    return quipu_conversion_report_lost(conversion->loss) ? refuse_loss(conversion, err) : QUIPU_OK;
}

/* ---- Copying records ---- */

/* Begins all streams from *next up to the given one, including those without records. */
static enum quipu_status begin_streams(struct quipu__conversion *conversion, uint32_t *next, uint32_t end,
                                       struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (; *next < end && status == QUIPU_OK; ++*next) {
        const struct quipu_stream *stream = quipu_reader_stream_at(conversion->reader, *next);
        if (!stream->missing)
            status = quipu_writer_begin_stream(conversion->writer, stream, err);
    }
    return status;
}

enum quipu_status quipu__conversion_begin_events(const struct quipu__conversion *conversion,
                                                 struct quipu_error *err) {
    const struct quipu_reader *reader = conversion->reader;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < quipu_reader_stream_count(reader) && status == QUIPU_OK; i++) {
        const struct quipu_stream *stream = quipu_reader_stream_at(reader, i);
        if (stream->kind == QUIPU_STREAM_EVENTS && !stream->missing)
            status = quipu_writer_begin_stream(conversion->writer, stream, err);
    }
    return status;
}

/* Begins the stream of a record: after all those before it, or again when streams are merged. */
static enum quipu_status begin_stream_of(struct quipu__conversion *conversion, uint32_t stream,
                                         uint32_t *started, struct quipu_error *err) {
    const uint32_t end = stream + 1;
    if (*started == end)
        return QUIPU_OK;
    if (*started > end || conversion->options->writer.streams > 0)
        *started = stream;
    return begin_streams(conversion, started, end, err);
}

static enum quipu_status next_input(const struct quipu__conversion *conversion,
                                    struct quipu__record_or_spans *input, struct quipu_error *err) {
    if (quipu__writer_takes_spans(conversion->writer))
        return quipu__reader_next_record_or_spans(conversion->reader, input, err);
    const enum quipu_status status = quipu_reader_next_record(conversion->reader, input->record, err);
    input->span_count = 0;
    input->stream = input->record->stream;
    return status;
}

static enum quipu_status put_input(const struct quipu__conversion *conversion,
                                   const struct quipu__record_or_spans *input, struct quipu_error *err) {
    return input->span_count > 0
               ? quipu__writer_put_spans(conversion->writer, input->spans, input->span_count, err)
               : quipu_writer_put_record(conversion->writer, input->record, err);
}

static enum quipu_status copy_records(struct quipu__conversion *conversion, struct quipu_error *err) {
    struct quipu_record record;
    struct quipu__record_or_spans input = {.record = &record};
    const bool merges = conversion->options->writer.streams > 0;
    uint32_t started = 0;
    if (merges)
        quipu__reader_merge_records(conversion->reader);
    else
        quipu_reader_rewind(conversion->reader);
    enum quipu_status status = next_input(conversion, &input, err);
    while (status == QUIPU_OK) {
        status = begin_stream_of(conversion, input.stream, &started, err);
        if (status == QUIPU_OK)
            status = put_input(conversion, &input, err);
        if (status == QUIPU_OK)
            status = next_input(conversion, &input, err);
    }
    if (status != QUIPU_END || merges)
        return status == QUIPU_END ? QUIPU_OK : status;
    return begin_streams(conversion, &started, quipu_reader_stream_count(conversion->reader), err);
}

/* ---- Translating events ---- */

static enum quipu_status translate_events(struct quipu__conversion *conversion, struct quipu_error *err) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    struct quipu_selection selection =
        conversion->options->selected ? conversion->options->selection : everything;
    const struct quipu_batch *batch;
    selection.order = quipu__writer_order_from(conversion->writer, conversion->reader);
    conversion->loss->is_part = conversion->options->selected; /* even if it has no events */
    conversion->loss->without_attributes = selection.without_attributes;
    quipu__loss_begin_events(conversion->loss);
    enum quipu_status status = quipu_reader_select(conversion->reader, &selection, err);
    while (status == QUIPU_OK) {
        status = quipu_reader_next_batch(conversion->reader, &batch, err);
        if (status == QUIPU_OK && conversion->options->selected)
            quipu__loss_select(conversion->loss, &selection, batch);
        else if (status == QUIPU_OK && !quipu__loss_see(conversion->loss, batch))
            status = quipu__no_memory(err, sizeof *conversion->loss);
        if (status == QUIPU_OK)
            status = quipu__writer_put_batch(conversion->writer, batch, err);
    }
    if (status != QUIPU_END || conversion->options->selected)
        return status == QUIPU_END ? QUIPU_OK : status;
    return quipu__loss_end_events(conversion->loss) ? QUIPU_OK
                                                    : quipu__no_memory(err, sizeof *conversion->loss);
}

/* ---- The whole ---- */

/* Counts what was read and what the writer could not take. */
static enum quipu_status count_losses(struct quipu__conversion *conversion, struct quipu_error *err) {
    if (!quipu__loss_count(conversion->loss, conversion->reader))
        return quipu__no_memory(err, sizeof *conversion->loss);
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const uint64_t dropped = quipu_writer_dropped(conversion->writer, (enum quipu_kind)kind);
        const uint64_t changed = quipu_writer_approximated(conversion->writer, (enum quipu_kind)kind);
        if (!quipu__loss_drop(conversion->loss, (enum quipu_kind)kind, dropped) ||
            !quipu__loss_change(conversion->loss, (enum quipu_kind)kind, changed))
            return quipu__no_memory(err, sizeof *conversion->loss);
    }
    size_t count;
    const struct quipu__approximation *approximations =
        quipu__writer_approximations(conversion->writer, &count);
    for (size_t i = 0; i < count; i++)
        if (!quipu__loss_approximate(conversion->loss, &approximations[i]))
            return quipu__no_memory(err, sizeof *conversion->loss);
    if (conversion->options->fail_on_loss && quipu_conversion_report_lost(conversion->loss) > 0)
        return refuse_loss(conversion, err);
    return QUIPU_OK;
}

/* Draws what the options ask for after the events. The answers are computed before anything is read for the writer. */
static enum quipu_status transfer(struct quipu__conversion *conversion, struct quipu_error *err) {
    const struct quipu_convert_options *options = conversion->options;
    struct quipu__mark_search search = {.memory = quipu__reader_trace(conversion->reader)->memory,
                                        .selection = options->selected ? &options->selection : NULL};
    if (!options->with)
        return conversion->transfer(conversion, err);
    enum quipu_status status = quipu__marks_find(&search, conversion->reader, options->with, err);
    if (status == QUIPU_OK)
        status = conversion->transfer(conversion, err);
    if (status == QUIPU_OK)
        status = quipu__writer_put_marks(conversion->writer, &search.marks, err);
    quipu__marks_release(&search);
    return status;
}

static enum quipu_status check_drawing(const struct quipu__conversion *conversion, struct quipu_error *err) {
    if (!conversion->options->with || conversion->target->writing->put_marks)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no drawing: waits and the critical path cannot be added to it",
                conversion->target->info.name);
    quipu__advise(err, "use --to perfetto or --to chrome, or leave out --with");
    return QUIPU_UNSUPPORTED;
}

static enum quipu_status convert_to(struct quipu__conversion *conversion, const char *path,
                                    struct quipu_error *err) {
    enum quipu_status status = conversion->copies ? QUIPU_OK : foresee(conversion, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__writer_create(path, conversion->target, &conversion->options->writer, &conversion->reader,
                                  1, &conversion->writer, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu_writer_define(conversion->writer, quipu_reader_definitions(conversion->reader), err);
    if (status == QUIPU_OK)
        status = transfer(conversion, err);
    if (status == QUIPU_OK)
        status = quipu__writer_end_events(conversion->writer, err);
    if (status == QUIPU_OK)
        status = count_losses(conversion, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(quipu__reader_trace(conversion->reader)->memory, err);
    if (status == QUIPU_OK && !conversion->options->dry_run)
        return quipu_writer_close(conversion->writer, err);
    quipu_writer_discard(conversion->writer);
    return status;
}

/* ---- Databases ---- */

/* A database has all events, so they are counted without its writer, and before it appears. That is less than 1 % of all instructions. */
static enum quipu_status write_database(struct quipu__conversion *conversion, const char *path,
                                        struct quipu_error *err) {
    const struct quipu_convert_options *options = conversion->options;
    if (options->selected) {
        quipu__fail(err, QUIPU_UNSUPPORTED, "%s has all of a trace", conversion->target->info.name);
        quipu__advise(err, "cut the trace first, and convert the part");
        return QUIPU_UNSUPPORTED;
    }
    enum quipu_status status = count_records(conversion->loss, conversion->reader, err);
    if (status == QUIPU_OK && options->fail_on_loss && quipu_conversion_report_lost(conversion->loss) > 0)
        status = refuse_loss(conversion, err);
    if (status != QUIPU_OK || options->dry_run)
        return status;
    return quipu_sql_write(conversion->reader, path, options->writer.replace, options->writer.guard, err);
}

/* ---- All of it ---- */

enum quipu_status quipu__conversion_run(struct quipu__conversion *conversion, const char *path,
                                        struct quipu_conversion_report **loss, struct quipu_error *err) {
    const struct quipu__format *target = conversion->copies ? NULL : conversion->target;
    enum quipu_status status =
        quipu_writer_check(path, &conversion->target->info, &conversion->options->writer, err);
    if (status == QUIPU_OK)
        status = check_drawing(conversion, err);
    if (status == QUIPU_OK)
        status = quipu__loss_new(quipu__reader_trace(conversion->reader), target, &conversion->loss, err);
    const struct quipu_progress before =
        quipu__reader_watch(conversion->reader, &conversion->options->progress);
    if (status == QUIPU_OK && path)
        status =
            conversion->transfer ? convert_to(conversion, path, err) : write_database(conversion, path, err);
    quipu__reader_unwatch(conversion->reader, before);
    if (loss)
        *loss = conversion->loss;
    else
        quipu_conversion_report_free(conversion->loss);
    return status;
}

/* ---- Several processes ---- */

/* A conversion that rank 0 does, for which others read. */
struct led_conversion {
    struct quipu__conversion *conversion;
    const char *path;
    struct quipu_conversion_report **loss;
};

static enum quipu_status lead(void *context, struct quipu_error *err) {
    const struct led_conversion *led = context;
    return quipu__conversion_run(led->conversion, led->path, led->loss, err);
}

static enum quipu_status lead_again(void *context, struct quipu_error *err) {
    const struct led_conversion *led = context;
    if (led->loss)
        quipu_conversion_report_free(*led->loss);
    return lead(context, err);
}

enum quipu_status quipu__convert(struct quipu_reader *reader, const char *path,
                                 const struct quipu__format *target,
                                 const struct quipu_convert_options *options,
                                 struct quipu_conversion_report **loss, struct quipu_error *err) {
    static const struct quipu_convert_options defaults = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu__conversion conversion = {
        .reader = reader,
        .source = quipu__reader_trace(reader)->format,
        .target = target,
        .options = options ? options : &defaults,
    };
    conversion.copies = copies_records(&conversion);
    if ((target->info.abilities & QUIPU_IS_DATABASE) == 0)
        conversion.transfer = conversion.copies ? copy_records : translate_events;
    const struct quipu_transport *transport = quipu__reader_sharing(reader)->transport;
    if (transport && transport->only_gathers)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "a trace cannot be converted in parts");
    struct led_conversion context = {&conversion, path, loss};
    const struct quipu__leading leading = {.context = &context, .lead = lead, .lead_again = lead_again};
    return transport ? quipu__lead(reader, &leading, err) : lead(&context, err);
}

enum quipu_status quipu_convert(struct quipu_reader *reader, const char *path, const char *target,
                                const struct quipu_convert_options *options,
                                struct quipu_conversion_report **loss, struct quipu_error *err) {
    const struct quipu__format *found;
    if (loss)
        *loss = NULL;
    const enum quipu_status status = quipu__find_target(target, &found, err);
    return status == QUIPU_OK ? quipu__convert(reader, path, found, options, loss, err) : status;
}

quipu_kinds quipu_convert_kinds(const char *target) {
    const struct quipu__format *format = quipu__format_find(target);
    return format && format->writing ? quipu__capable_kinds(format->writing->capabilities) : 0;
}

bool quipu_convert_keeps_sources(const char *target) {
    const struct quipu__format *format = quipu__format_find(target);
    const struct quipu__capabilities *can = format && format->writing ? format->writing->capabilities : NULL;
    return can && (can->attributes || can->everything) &&
           quipu__keeps_definitions(can, QUIPU__DEFINES(sources));
}

enum quipu_status quipu_convert_explain(struct quipu_reader *reader, const char *target,
                                        struct quipu_conversion_report **loss, struct quipu_error *err) {
    const enum quipu_status status = quipu_convert(reader, NULL, target, NULL, loss, err);
    return status == QUIPU_OK ? count_records(*loss, reader, err) : status;
}
