/* fuzz_read.c: reads, summarises and checks any input without a crash, a hang or a failure that says nothing; reading
 * twice gives the same. */
#include "support.h"

static enum quipu_status discard(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context, (void)data, (void)size, (void)err;
    return QUIPU_OK;
}

/* Records and events as JSON; as text they are compared. */
static void print(struct quipu_reader *reader) {
    const struct quipu_sink sink = {discard, NULL};
    struct quipu_record record;
    struct quipu_event event;
    quipu_reader_rewind(reader);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        (void)quipu_record_write_json(quipu_reader_format(reader)->schema, &record, sink, NULL);
    quipu_reader_rewind(reader);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        (void)quipu_event_write_json(quipu_reader_definitions(reader), &event, sink, NULL);
}

static void summarise(const struct fuzz_case *fuzz) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_summary summary;
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return;
    const bool worked = fuzz_worked("summarise", quipu_summarise(reader, NULL, &summary, &err), &err);
    const struct fuzz_digest events = fuzz_events(reader, fuzz->size, NULL, NULL);
    if (worked && summary.events != events.count)
        fuzz_fail("the summary counts %llu events of %llu", (unsigned long long)summary.events,
                  (unsigned long long)events.count);
    quipu_reader_close(reader);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return;
    const struct fuzz_digest records = fuzz_records(reader, fuzz->size);
    const struct fuzz_digest events = fuzz_events(reader, fuzz->size, NULL, NULL);
    print(reader);
    const struct fuzz_digest records_again = fuzz_records(reader, fuzz->size);
    const struct fuzz_digest events_again = fuzz_events(reader, fuzz->size, NULL, NULL);
    if (!fuzz_same(&records, &records_again) || !fuzz_same(&events, &events_again))
        fuzz_fail("reading twice differs: %llu and %llu records, %llu and %llu events",
                  (unsigned long long)records.count, (unsigned long long)records_again.count,
                  (unsigned long long)events.count, (unsigned long long)events_again.count);
    quipu_reader_close(reader);
    summarise(fuzz);
    fuzz_check(fuzz->path, fuzz->format);
}
