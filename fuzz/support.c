/* support.c: a temporary file, and passes over a reader. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RECORDS_PER_BYTE 64

static char folder[] = "/tmp/quipu-fuzz-XXXXXX";
static char file_path[sizeof folder + 8];

static void remove_file(void) {
    unlink(file_path);
    rmdir(folder);
}

const char *fuzz_file(const uint8_t *data, size_t size) {
    if (!file_path[0]) {
        if (!mkdtemp(folder))
            return NULL;
        snprintf(file_path, sizeof file_path, "%s/input", folder);
        atexit(remove_file);
    }
    FILE *file = fopen(file_path, "wb");
    if (!file)
        return NULL;
    const bool complete = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && complete ? file_path : NULL;
}

struct quipu_reader *fuzz_open(const char *path, const struct quipu_format *format) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.format = format->name;
    options.memory_limit = (size_t)64 << 20;
    const enum quipu_status status = quipu_reader_open(path, &options, &reader, &err);
    if (status != QUIPU_OK && !err.message[0])
        abort(); /* a failure without a message */
    return status == QUIPU_OK ? reader : NULL;
}

static enum quipu_status discard(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)data, (void)err;
    *(size_t *)context += size;
    return QUIPU_OK;
}

static void spend(uint64_t *budget) {
    if ((*budget)-- == 0)
        abort();
}

void fuzz_read_all(struct quipu_reader *reader, size_t size) {
    const struct quipu_schema *schema = quipu_reader_format(reader)->schema;
    uint64_t budget = (uint64_t)RECORDS_PER_BYTE * (size + 1000);
    size_t printed = 0;
    const struct quipu_sink sink = {discard, &printed};
    struct quipu_record record;
    struct quipu_event event;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        spend(&budget);
        quipu_record_write_json(schema, &record, sink, NULL);
    }
    quipu_reader_rewind(reader);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        spend(&budget);
        quipu_event_write_text(quipu_reader_definitions(reader), &event, sink, NULL);
    }
}
