/* fuzz_read.c: any bytes, taken for each format in turn, are read and checked without a crash, a hang or a failure
 * that says nothing. */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    for (size_t i = 0; path && i < quipu_format_count(); i++) {
        struct quipu_reader *reader = fuzz_open(path, quipu_format_at(i));
        struct quipu_check_result result;
        if (!reader)
            continue;
        fuzz_read_all(reader, size);
        quipu_check(reader, NULL, &result, NULL);
        quipu_reader_close(reader);
    }
    return 0;
}
