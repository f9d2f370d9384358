/* check.h: whether a trace follows the rules of its format and of traces in general, and repairing one that does not.
 *
 * A function that takes a reader sets a selection of its own, and the reader keeps it. Call quipu_reader_select again
 * before reading on with the reader itself.
 */
#ifndef QUIPU_CHECK_H
#define QUIPU_CHECK_H

#include <quipu/base.h>
#include <quipu/reader.h>
#include <quipu/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum quipu_verdict { QUIPU_VERDICT_OK, QUIPU_VERDICT_WARN, QUIPU_VERDICT_REJECT };

struct quipu_check_result {
    enum quipu_verdict verdict; /* reject: an error or data loss; warn: a notice; else ok */
    uint64_t records;
};

/* Reads a whole trace and checks it against the rules of its format and of the model (unbalanced regions, unmatched
 * messages, time going back, undefined references). The findings are the reader's. QUIPU_END: the reader is shared (transport.h), and another
 * process has the answer. */
QUIPU_API enum quipu_status quipu_check(struct quipu_reader *reader, const struct quipu_progress *progress,
                                        struct quipu_check_result *out, struct quipu_error *err);

/* The same with an additional set of rules, such as "paragraph". QUIPU_UNSUPPORTED when the format has no set of that
 * name; NULL: none. */
QUIPU_API enum quipu_status quipu_check_rules(struct quipu_reader *reader, const char *rules,
                                              const struct quipu_progress *progress,
                                              struct quipu_check_result *out, struct quipu_error *err);

/* The rules that hold for traces of every format. */
QUIPU_API const struct quipu_rule *quipu_model_rules(size_t *count);

/* How findings are shown. Zero: as text, by rule. */
struct quipu_check_print {
    bool json; /* {"verdict", "records", "findings", "totals"} */
    bool all;  /* text has a line for each listed finding; else for each rule its count and first finding */
    const char *path;   /* JSON begins with it, as "path"; NULL: it does not */
    const char *remedy; /* text: what to do about errors and data loss, such as a command; NULL: nothing */
};
#define QUIPU_CHECK_PRINT_INIT                                                                                 \
    { false, false, NULL, NULL }

/* Writes verdict and findings. options may be NULL. */
QUIPU_API enum quipu_status quipu_check_write(const struct quipu_check_result *result,
                                              const struct quipu_findings *findings,
                                              const struct quipu_check_print *options, struct quipu_sink sink,
                                              struct quipu_error *err);

/* ---- Repair ---- */

struct quipu_repair_options {
    struct quipu_writer_options writer;
    struct quipu_progress progress;
};
/* clang-format off */
#define QUIPU_REPAIR_OPTIONS_INIT {QUIPU_WRITER_OPTIONS_INIT, {NULL, NULL}}
/* clang-format on */

struct quipu_repair_counts {
    uint64_t retained; /* records written as they were, or with the listed changes */
    uint64_t dropped;  /* records that were read but contradict what is known for certain */
    uint64_t added;    /* records that were missing: ends of calls, definitions */
    uint64_t skipped;  /* bytes of the input that are no longer records */
};

/* What a repair has retained, lost and added. */
struct quipu_repair_report;

/* Writes the intact part of a trace as a complete and valid trace of the same format, in which quipu_check finds
 * neither errors nor data loss, as far as repair can achieve that (quipu_repair_check). The input is not changed; an
 * output among the input's files is refused with QUIPU_MISUSE. Formats that can be repaired have QUIPU_CAN_REPAIR.
 * Records of a sound trace stay as they are. */
QUIPU_API enum quipu_status quipu_repair(struct quipu_reader *reader, const char *path,
                                         const struct quipu_repair_options *options,
                                         struct quipu_repair_report **report, struct quipu_error *err);

QUIPU_API void quipu_repair_report_free(struct quipu_repair_report *report);
QUIPU_API const struct quipu_repair_counts *quipu_repair_report_counts(
    const struct quipu_repair_report *report);

/* Checks what quipu_repair has written to that path, so that nothing is called repaired that a check rejects. The
 * output stays, whatever the result; quipu_repair_report_write then states it, with the first place where each rule is
 * still broken. Where it is accepted only when it is read as the variant (machine) of the source, which its bytes do
 * not show, the verdict is QUIPU_VERDICT_REJECT, too, unless the source was opened with that variant, and the report
 * states it. Standard output cannot be checked and is QUIPU_VERDICT_OK. */
QUIPU_API enum quipu_status quipu_repair_check(struct quipu_reader *source, const char *path,
                                               struct quipu_repair_report *report, enum quipu_verdict *verdict,
                                               struct quipu_error *err);

/* What was changed, as findings about the input with rules of their own: info for what was rebuilt without loss, notice
 * for what had to be guessed, data loss for what was left out. */
QUIPU_API const struct quipu_findings *quipu_repair_report_changes(const struct quipu_repair_report *report);

/* Writes counts, damage (the findings of the reader) and changes, and the verdict: as text, or as JSON {"records": {"retained",
 * "dropped", "added"}, "bytes_skipped", "verdict", "damage": [findings as in check], "changes": [the same]}. */
QUIPU_API enum quipu_status quipu_repair_report_write(const struct quipu_repair_report *report,
                                                      const struct quipu_findings *damage, bool json,
                                                      struct quipu_sink sink, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
