/* empty_analysis.c: how fast a trace can be read through the public API by something that does nothing with it.
 *
 *     empty_analysis TRACE [batches|merged|bare|attributes|records|columns|four]
 *
 * batches: all events, stream after stream; merged: in the order of time; bare: as batches, without attributes; attributes: as
 * batches, and each attribute is looked at, texts byte for byte; columns: as Arrow's record batches with all columns; four: with time,
 * location, kind and region.
 * Prints one line: records, events, seconds of CPU time, records and bytes per second, peak memory in KiB.
 */
#include <quipu/quipu.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static enum quipu_status read_batches(struct quipu_reader *reader, struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    do
        status = quipu_reader_next_batch(reader, &batch, err);
    while (status == QUIPU_OK);
    return status;
}

static uint64_t checksum_of(const struct quipu_value *value) {
    uint64_t checksum = value->key;
    if (value->type < QUIPU_VALUE_BYTES)
        return checksum + value->u;
    for (uint32_t i = 0; i < value->size; i++)
        checksum += (unsigned char)value->data[i];
    return checksum;
}

static enum quipu_status read_attributes(struct quipu_reader *reader, uint64_t *checksum,
                                         struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->attribute_count; i++)
            *checksum += batch->attributes[i].event + checksum_of(&batch->attributes[i].value);
    return status;
}

static enum quipu_status read_records(struct quipu_reader *reader, struct quipu_error *err) {
    struct quipu_record record;
    enum quipu_status status;
    do
        status = quipu_reader_next_record(reader, &record, err);
    while (status == QUIPU_OK);
    return status;
}

/* Rows of the relation of events, each batch released before the next one. */
static enum quipu_status read_columns(struct quipu_reader *reader, bool all, struct quipu_error *err) {
    static const char *const four[] = {"time_ns", "location", "kind", "region"};
    struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;
    options.columns = all ? NULL : four;
    options.column_count = sizeof four / sizeof *four;
    const enum quipu_status status = quipu_relation_stream(reader, "events", &options, &stream, err);
    if (status != QUIPU_OK)
        return status;
    while (stream.get_next(&stream, &rows) == 0 && rows.release)
        rows.release(&rows);
    const bool has_ended = quipu_stream_error(&stream)->status == QUIPU_OK;
    if (!has_ended)
        *err = *quipu_stream_error(&stream);
    stream.release(&stream);
    return has_ended ? QUIPU_END : err->status;
}

/* checksum is what looking at attributes gives, so that it cannot be left out. */
static enum quipu_status read_all(struct quipu_reader *reader, const char *mode, uint64_t *checksum,
                                  struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    if (strcmp(mode, "records") == 0)
        return read_records(reader, err);
    if (strcmp(mode, "columns") == 0 || strcmp(mode, "four") == 0)
        return read_columns(reader, strcmp(mode, "columns") == 0, err);
    selection.order = strcmp(mode, "merged") == 0 ? QUIPU_ORDER_TIME : QUIPU_ORDER_STREAM;
    selection.without_attributes = strcmp(mode, "bare") == 0;
    const enum quipu_status status = quipu_reader_select(reader, &selection, err);
    if (status != QUIPU_OK)
        return status;
    return strcmp(mode, "attributes") == 0 ? read_attributes(reader, checksum, err) : read_batches(reader, err);
}

static int fail(const struct quipu_error *err) {
    char text[1024];
    fprintf(stderr, "empty_analysis: %s\n", quipu_error_text(err, text, sizeof text));
    return 4;
}

int main(int argc, char **argv) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    struct rusage usage;
    if (argc < 2) {
        fputs("usage: empty_analysis TRACE [batches|merged|bare|attributes|records|columns|four]\n", stderr);
        return 2;
    }
    if (quipu_reader_open(argv[1], NULL, &reader, &err) != QUIPU_OK)
        return fail(&err);
    const double start = cpu_seconds();
    uint64_t checksum = 0;
    if (read_all(reader, argc > 2 ? argv[2] : "batches", &checksum, &err) != QUIPU_END)
        return fail(&err);
    const double seconds = cpu_seconds() - start;
    const uint64_t records = quipu_reader_records(reader), bytes = quipu_reader_bytes_read(reader);
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n",
           records, quipu_reader_delivered(reader), seconds, (double)records / seconds / 1e6,
           (double)bytes / seconds / 1e6, usage.ru_maxrss);
    if (checksum > 0)
        printf("checksum of the attributes: %" PRIu64 "\n", checksum);
    quipu_reader_close(reader);
    return 0;
}
