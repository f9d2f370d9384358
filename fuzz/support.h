/* support.h: what the fuzz targets share. A target is a file fuzz_NAME.c with one function, fuzz_trace; it is called
 * for each input and each format that takes it, with the files of the input in a folder of their own. */
#ifndef QUIPU_FUZZ_SUPPORT_H
#define QUIPU_FUZZ_SUPPORT_H

#include <quipu/quipu.h>

#define FUZZ_MEMORY_LIMIT ((size_t)64 << 20) /* of each handle */
#define FUZZ_OUTPUTS 3                       /* folders for output */

/* One input, laid out in a folder. */
struct fuzz_case {
    const char *path;   /* of the trace: its first file */
    const char *folder; /* that holds its files and nothing else */
    const struct quipu_format *format;
    const char *variant; /* what the trace is read as; NULL: there is but one */
    size_t size;         /* bytes of the input */
    uint64_t choice;     /* made from the input: what options are chosen by */
};

/* The target. Folders for output are empty before it and are emptied after it. */
void fuzz_trace(const struct fuzz_case *fuzz);

/* The entry that libFuzzer calls; support.c has it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- What is wrong ---- */

/* Says it in one line and ends the program. */
_Noreturn void fuzz_fail(const char *format, ...) QUIPU_PRINTF(1, 2);

/* True for QUIPU_OK; anything else but QUIPU_END must have a message. */
bool fuzz_worked(const char *what, enum quipu_status status, const struct quipu_error *err);

/* A number below limit, which depends on the input and on what is asked for. */
uint64_t fuzz_choose(const struct fuzz_case *fuzz, uint64_t what, uint64_t limit);

/* ---- Reading ---- */

/* Opens a trace in little memory; NULL when it is refused. The first does not use an index. */
struct quipu_reader *fuzz_open(const char *path, const struct quipu_format *format);
/* The trace of the case, when as many files as it has locations are no burden: of few bytes there may be thousands. */
struct quipu_reader *fuzz_open_to_write(const struct fuzz_case *fuzz);
struct quipu_reader *fuzz_open_with(const char *path, struct quipu_reader_options options);
/* What has been written from the trace, in its format. It is read as what the trace was: which machine a damaged file is of may only be a
 * guess, for which bytes count that a writer leaves out. */
struct quipu_reader *fuzz_open_written(const struct fuzz_case *fuzz, const char *path);

/* What a pass has given: how many, and a number that depends on all of them, in their order, in any order, or, of events, in their order at each
 * location. */
struct fuzz_digest {
    uint64_t count, ordered, unordered, by_location;
};
void fuzz_digest_add(struct fuzz_digest *digest, uint64_t number);
uint64_t fuzz_hash(const void *data, size_t size, uint64_t seed);
bool fuzz_same(const struct fuzz_digest *a, const struct fuzz_digest *b);

/* The records of a trace as text, without their places. Ends the program when there are more than any input of
 * this size can hold, as does fuzz_events. */
struct fuzz_digest fuzz_records(struct quipu_reader *reader, size_t size);

/* The events in time order, as text. passes decides which of them count; NULL: all. */
typedef bool fuzz_filter_fn(const struct quipu_event *event, const void *context);
struct fuzz_digest fuzz_events(struct quipu_reader *reader, size_t size, fuzz_filter_fn *passes,
                               const void *context);

/* Tables as CSV. */
uint64_t fuzz_tables(const struct quipu_table *const *tables, size_t count);

/* Values for some options of an analysis, chosen by the input; none for half of all inputs. They last until the next call. */
enum { FUZZ_SETTINGS = 8 };
size_t fuzz_settings(const struct fuzz_case *fuzz, const struct quipu_analysis *analysis,
                     struct quipu_setting settings[FUZZ_SETTINGS]);

/* The findings, as text. */
struct fuzz_digest fuzz_findings(const struct quipu_findings *findings);

/* What check says of a trace. */
struct fuzz_verdict {
    bool opened;   /* it could be read */
    bool complete; /* and checked to the end */
    bool
        overlaps; /* blocks that the user marked are not nested; formats that only have calls cannot say that */
    bool
        is_unordered; /* without an error: times that go back in PICL, or to 0 in OTF, or need more than 63 bits there */
    uint64_t errors, lost;
    char first[600]; /* the first finding that is an error or data loss */
};
struct fuzz_verdict fuzz_check(const char *path, const struct quipu_format *format);
struct fuzz_verdict fuzz_check_written(const struct fuzz_case *fuzz, const char *path);

/* True for a trace without errors and data loss. */
bool fuzz_is_sound(const struct fuzz_verdict *verdict);

/* ---- Writing ---- */

/* Path of a trace in the folder for output of that number, with the preferred one of the suffixes. */
const char *fuzz_out(unsigned number, const char *suffixes);

/* Names and bytes of all files in a folder for output. Ends the program when one has a temporary name. */
struct fuzz_digest fuzz_output(unsigned number);

/* Empties a folder for output. */
void fuzz_output_clear(unsigned number);

/* Ends the program unless a folder for output is empty: what failed has left nothing. */
void fuzz_output_empty(unsigned number, const char *what);

/* A writer's options, chosen by the input. */
struct quipu_writer_options fuzz_writer_options(const struct fuzz_case *fuzz);

#endif
