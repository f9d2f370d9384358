/* fuzz_rewrite.c: what a format reads, its writer writes, and the result is read without new damage: writing does
 * not make what reading calls broken. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t count_records(struct quipu_reader *reader) {
    struct quipu_record record;
    uint64_t count = 0;
    quipu_reader_rewind(reader);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        count++;
    return count;
}

static bool is_sound(struct quipu_reader *reader) {
    return quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS) == 0;
}

static void rewrite(const char *path, const struct quipu_format *format) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_ledger *ledger = NULL;
    char copy[300];
    struct quipu_reader *reader = fuzz_open(path, format);
    if (!reader)
        return;
    const uint64_t records = count_records(reader);
    const bool was_sound = is_sound(reader);
    snprintf(copy, sizeof copy, "%s.copy", path);
    options.writer.replace = true;
    quipu_reader_rewind(reader);
    const enum quipu_status status = quipu_convert(reader, copy, format->name, &options, &ledger, NULL);
    quipu_ledger_free(ledger);
    quipu_reader_close(reader);
    struct quipu_reader *again = status == QUIPU_OK ? fuzz_open(copy, format) : NULL;
    if (again && was_sound && (count_records(again) != records || !is_sound(again)))
        abort();
    quipu_reader_close(again);
    unlink(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    for (size_t i = 0; path && i < quipu_format_count(); i++)
        if (quipu_format_at(i)->abilities & QUIPU_CAN_WRITE_RECORDS)
            rewrite(path, quipu_format_at(i));
    return 0;
}
