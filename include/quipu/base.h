/* base.h: what every part of the library shares: status, error, finding, memory, version.
 *
 * Conventions that hold everywhere
 *   - A function that can fail returns enum quipu_status and takes a caller-owned struct quipu_error, which
 *     may be NULL, as its last parameter. On failure out-parameters are NULL or zero.
 *   - open/create give something to close; new gives something to free; at/find give something borrowed
 *     from its owner; next gives something that lives until the following next; add and put copy.
 *   - close and free accept NULL.
 *   - The library never prints, never exits and keeps no global state. A handle belongs to one thread at a
 *     time; different handles are independent.
 *   - Damage in a trace is a finding, not an error: the reader goes on and delivers what is intact.
 */
#ifndef QUIPU_BASE_H
#define QUIPU_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define QUIPU_API __attribute__((visibility("default")))
#define QUIPU_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#define QUIPU_CHECKED __attribute__((warn_unused_result))
#else
#define QUIPU_API
#define QUIPU_PRINTF(format_index, first)
#define QUIPU_CHECKED
#endif

/* On a type: a result of this type must not be ignored. gcc accepts this only on functions. */
#if defined(__clang__)
#define QUIPU_CHECKED_TYPE QUIPU_CHECKED
#else
#define QUIPU_CHECKED_TYPE
#endif

/* ---- Version ---- */

#define QUIPU_VERSION_MAJOR 0
#define QUIPU_VERSION_MINOR 1
#define QUIPU_VERSION_PATCH 0

/* Version of the JSON shapes that commands and tables print. */
#define QUIPU_JSON_SCHEMA 1

/* Version of the linked library, "MAJOR.MINOR.PATCH". */
QUIPU_API const char *quipu_version(void);

/* ---- Status ---- */

/* Outcome of a fallible call: 0 is success, QUIPU_END is the normal end of a sequence, the rest is failure. */
enum QUIPU_CHECKED_TYPE quipu_status {
#define QUIPU_STATUS(name, value, text) QUIPU_##name = (value),
#include <quipu/status.def>
#undef QUIPU_STATUS
};

/* Identifier of a status, for example "CORRUPT"; "UNKNOWN" for a number that is no status. */
QUIPU_API const char *quipu_status_name(enum quipu_status status);

/* One sentence that says what a status means. */
QUIPU_API const char *quipu_status_text(enum quipu_status status);

/* ---- Error ---- */

/* "Not known" in places, indexes and identifiers. */
#define QUIPU_NONE UINT32_MAX
#define QUIPU_UNKNOWN UINT64_MAX

/* What went wrong and where. Owned by the caller; fixed size; nothing in it is allocated. */
struct quipu_error {
    enum quipu_status status;
    char path[256];    /* file, "" when not known */
    uint64_t byte;     /* offset in the file, QUIPU_UNKNOWN when not known */
    uint64_t line;     /* text formats: from 1, QUIPU_UNKNOWN when not known */
    uint64_t record;   /* index of the record, QUIPU_UNKNOWN when not known */
    char field[64];    /* record type and field, "" when not known */
    char message[320]; /* what was found and what was expected, without the place */
    char advice[200];  /* one line that says what the user can do, "" when there is none */
};

#define QUIPU_ERROR_INIT                                                                                       \
    { QUIPU_OK, "", QUIPU_UNKNOWN, QUIPU_UNKNOWN, QUIPU_UNKNOWN, "", "", "" }

/* Makes an error empty. */
QUIPU_API void quipu_error_clear(struct quipu_error *err);

/* Writes the error as one line, "PATH: byte N, record N, field F: MESSAGE", cut to size with a terminating
 * NUL; the advice is not part of it. Returns text. */
QUIPU_API char *quipu_error_text(const struct quipu_error *err, char *text, size_t size);

/* ---- Options by name ---- */

/* The form of an option's value, which is always a text. */
enum quipu_option_kind {
    QUIPU_OPTION_CHOICE,    /* one of the words of argument */
    QUIPU_OPTION_NUMBER,    /* a decimal number */
    QUIPU_OPTION_SIZE,      /* a number of bytes; on the command line also with K, M, G or T, powers of 1024 */
    QUIPU_OPTION_TIME,      /* ticks of the trace's clock, or "end" */
    QUIPU_OPTION_LOCATIONS, /* numbers of locations and ranges of them: "0-3,7" */
    QUIPU_OPTION_TEXT,      /* any text */
    QUIPU_OPTION_FLAG       /* "yes" or "no"; on the command line without a value, which means yes */
};

/* An option that an analysis or the writer of a format declares. Static. */
struct quipu_option {
    const char *name; /* the command's option too: "by" is --by */
    enum quipu_option_kind kind;
    const char *argument;      /* name of the value, "TIME"; for a choice its words, "location|region" */
    const char *default_value; /* NULL: none */
    bool is_required;          /* the user must give it */
    char letter;               /* the command's short option, 0: none */
    bool relates;              /* it compares traces: with one trace it means nothing */
    const char *doc;
};

/* A value for an option. */
struct quipu_setting {
    const char *name;
    const char *value;
};
#define QUIPU_SETTING_INIT                                                                                     \
    { NULL, NULL }

/* ---- Findings ---- */

/* How bad a finding is. Data loss means that bytes of the input could not be delivered; error means that what was
 * delivered contradicts itself or the format's rules; a remark is about something that some readers of the format do
 * not expect; an info is about the reading, not about the trace. Remarks and infos do not change the verdict of a
 * check. */
enum quipu_severity { QUIPU_INFO, QUIPU_REMARK, QUIPU_NOTICE, QUIPU_DATA_LOSS, QUIPU_ERROR_FINDING };

/* "info", "remark", "notice", "data-loss" or "error". */
QUIPU_API const char *quipu_severity_name(enum quipu_severity severity);

/* A rule that a trace can break. Rules are static. */
struct quipu_rule {
    const char *id; /* code of the format's specification where it has one, else "format.what" */
    enum quipu_severity severity;
    const char *text;   /* one sentence */
    const char *advice; /* what to do about it, may be "" */

    /* How a finding is worded, with {found} and {expected} in it; NULL: "TEXT: found FOUND, expected EXPECTED". */
    const char *sentence;
};

/* One place where a trace breaks a rule. Strings are borrowed from the list that holds the finding. */
struct quipu_finding {
    const struct quipu_rule *rule;
    const char *file;     /* never NULL; "" when it concerns the whole trace */
    uint64_t byte;        /* QUIPU_UNKNOWN when not known */
    uint64_t line;        /* from 1; QUIPU_UNKNOWN in binary formats */
    uint64_t record;      /* index in its file; QUIPU_UNKNOWN when not known */
    const char *type;     /* record type, may be "" */
    const char *field;    /* may be "" */
    const char *found;    /* may be "" */
    const char *expected; /* may be "" */
    bool is_consequence;  /* may only follow from another finding; quipu_check says so */
};

/* A list of findings. It lists the first QUIPU_FINDINGS_LISTED of each rule and counts all. */
struct quipu_findings;

#define QUIPU_FINDINGS_LISTED 100

/* Number of findings in the list. */
QUIPU_API size_t quipu_findings_count(const struct quipu_findings *findings);

/* A finding of the list; index must be below the count. Borrowed from the list. */
QUIPU_API const struct quipu_finding *quipu_findings_at(const struct quipu_findings *findings, size_t index);

/* Number of findings of one severity, including those that are not listed. */
QUIPU_API uint64_t quipu_findings_total(const struct quipu_findings *findings, enum quipu_severity severity);

/* The rules that have findings, in the order of their first findings. */
QUIPU_API size_t quipu_findings_rule_count(const struct quipu_findings *findings);
QUIPU_API const struct quipu_rule *quipu_findings_rule_at(const struct quipu_findings *findings, size_t index);

/* Number of findings of one rule, including those that are not listed. */
QUIPU_API uint64_t quipu_findings_total_of(const struct quipu_findings *findings,
                                           const struct quipu_rule *rule);

/* Writes a finding as one line: place, rule's text, found, expected. Returns text. */
QUIPU_API char *quipu_finding_text(const struct quipu_finding *finding, char *text, size_t size);

/* Writes text for people to read, cut to size with a terminating NUL. Characters that are invisible or change how
 * others appear (controls, bidirectional marks, joiners …) and bytes that are not UTF-8 become \xNN. Whoever made a
 * trace chose its names, so everything in Quipu that prints them does this. Returns out. */
QUIPU_API char *quipu_text_escape(const char *text, char *out, size_t size);

/* ---- Names ---- */

/* What a mistyped name may have meant: of the names that are added, the few nearest ones, nearest first; of equally
 * near ones the earlier first. Names are borrowed. */
#define QUIPU_NEAREST_MOST 3

struct quipu_nearest {
    const char *typed;
    size_t count;
    const char *names[QUIPU_NEAREST_MOST];
    size_t distances[QUIPU_NEAREST_MOST];
};

QUIPU_API struct quipu_nearest quipu_nearest_to(const char *typed);

/* Adds a name if it is near: it begins with what was typed, or at most half of its letters must be inserted, removed or
 * replaced. Case does not matter. NULL, or a name that is there already, changes nothing. */
QUIPU_API void quipu_nearest_add(struct quipu_nearest *nearest, const char *name);

/* Writes "; did you mean A, B or C?", cut to size with a terminating NUL: the nearest names and those that are at most
 * one letter farther away. Writes "" when no name is near. Returns text. */
QUIPU_API char *quipu_nearest_text(const struct quipu_nearest *nearest, char *text, size_t size);

/* ---- Memory ---- */

/* Where the memory of a handle comes from. resize works like realloc: a NULL block allocates, a size of 0 frees and
 * returns NULL. A zeroed struct means the C library's realloc. With more than one thread (see the options), several
 * threads may call it at once. */
struct quipu_allocator {
    void *(*resize)(void *context, void *block, size_t old_size, size_t size);
    void *context;
};
#define QUIPU_ALLOCATOR_INIT                                                                                   \
    { NULL, NULL }

/* Default ceiling of the memory of one handle, in bytes. What is made from a handle (analyses, tables and reports of a
 * reader) uses its allocator too. */
#define QUIPU_MEMORY_LIMIT ((size_t)256 << 20)

/* One ceiling for all handles that use its allocator, in any number of threads, and for what is made from them. */
struct quipu_budget;

/* limit 0: QUIPU_MEMORY_LIMIT. allocator may be NULL: that of the C library. */
QUIPU_API enum quipu_status quipu_budget_new(size_t limit, const struct quipu_allocator *allocator,
                                             struct quipu_budget **out, struct quipu_error *err);

/* Call this when everything that uses its allocator is closed and freed. */
QUIPU_API void quipu_budget_free(struct quipu_budget *budget);

/* The allocator to put into the options of handles. */
QUIPU_API struct quipu_allocator quipu_budget_allocator(struct quipu_budget *budget);

/* Lets what is made from handles grow beyond the limit: what does not fit goes into a temporary file of at most limit
 * bytes; 0: half of the free space there. The file has no name and lies in the folder that TMPDIR names, else in
 * /var/tmp or /tmp. The part in use is in memory and counts as such. Answers are the same. Call this before the
 * allocator is used. */
QUIPU_API enum quipu_status quipu_budget_spill(struct quipu_budget *budget, uint64_t limit,
                                               struct quipu_error *err);

/* The most bytes that were in the file at a time. */
QUIPU_API uint64_t quipu_budget_spilled(const struct quipu_budget *budget);

/* After QUIPU_NO_MEMORY: QUIPU_LIMIT, with the reason, when the temporary file could not take more; else QUIPU_OK. */
QUIPU_API enum quipu_status quipu_budget_status(const struct quipu_budget *budget, struct quipu_error *err);

/* Bytes in use now, and the most that were in use at a time. */
QUIPU_API size_t quipu_budget_used(const struct quipu_budget *budget);
QUIPU_API size_t quipu_budget_peak(const struct quipu_budget *budget);

/* ---- Output ---- */

/* Where text and bytes go. write takes all of data or fails; err may be NULL. */
struct quipu_sink {
    enum quipu_status (*write)(void *context, const void *data, size_t size, struct quipu_error *err);
    void *context;
};
#define QUIPU_SINK_INIT                                                                                        \
    { NULL, NULL }

/* How outputs appear
 *
 * An output is written under a temporary name, ".NAME.(16 hexadecimal digits).part" in the folder of NAME, and gets its
 * final name when it is complete and on the disk. A file that is already there, or appears meanwhile, is replaced only
 * when the caller says so. So NAME is always the complete old file, the complete new one, or nothing.
 *
 * The files of a trace appear together: one of them names the others (OTF's master control file, DUMPI's metafile), and
 * appears last. When it replaces an older one, the older one is put aside first. While files get their names, a file
 * ".NAME.commit" lies beside them; a program that ends just then leaves it behind. Readers then refuse the trace until
 * the file that names the others is there, and the next writer of that name first gives the remaining files their
 * names. So a mixture of old and new is never read as a trace.
 *
 * When something fails, or the writer is discarded, temporary files are removed and older files are as they were. A
 * killed program leaves its temporary files; the next writer of the same name removes them, but not while the process
 * that wrote them lives: it holds a lock on one of them. Errors of writing, syncing and closing files and folders are
 * reported. */

/* What the outputs of a program must not replace: the files that it reads (quipu_guard_protect, quipu_reader_protect), and
 * its other outputs. A guard belongs to one thread, and must outlive the outputs that use it. */
struct quipu_guard;

QUIPU_API enum quipu_status quipu_guard_new(struct quipu_guard **out, struct quipu_error *err);
QUIPU_API void quipu_guard_free(struct quipu_guard *guard);

/* No output may replace the file at path, by whatever path it is reached: files are identified by device and inode.
 * Such an output fails with QUIPU_MISUSE. */
QUIPU_API enum quipu_status quipu_guard_protect(struct quipu_guard *guard, const char *path,
                                                struct quipu_error *err);

/* For a handler of signals that end the program: removes the temporary files of all unfinished outputs. False while
 * files are getting their names: then nothing is removed, and the program should end when that is done. Nothing may be
 * written afterwards. Async-signal-safe in the thread that writes; threads of the library block all signals. */
QUIPU_API bool quipu_guard_remove_temporaries(struct quipu_guard *guard);

/* An output file. The path "-" is standard output. */
struct quipu_output;

/* Opens path for writing. Fails with QUIPU_EXISTS when the file exists and replace is false. guard may be NULL. */
QUIPU_API enum quipu_status quipu_output_open(const char *path, bool replace, struct quipu_guard *guard,
                                              struct quipu_output **out, struct quipu_error *err);

/* A sink that writes to the output; valid until the output is closed. */
QUIPU_API struct quipu_sink quipu_output_sink(struct quipu_output *output);

/* Flushes, syncs, renames and frees. On failure nothing appears under the name. */
QUIPU_API enum quipu_status quipu_output_close(struct quipu_output *output, struct quipu_error *err);

/* Gives up: removes what was written and frees. */
QUIPU_API void quipu_output_discard(struct quipu_output *output);

#ifdef __cplusplus
}
#endif
#endif
