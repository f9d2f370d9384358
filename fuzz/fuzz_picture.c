/* fuzz_picture.c: a view answers every question that its page may ask of a trace, with JSON of a limited size, and alike when it is asked
 * again; a report has all of its pages. */
#include "support.h"

#include <quipu/picture.h>
#include <quipu/view.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUESTION_BYTES = 400, ANSWER_BYTES = 200000, REPORT_BYTES = 3000000, ROUNDS = 2 };

/* What was written: its bytes, a number that depends on all of them, and the last that is no end of a line. */
struct written {
    size_t size;
    uint64_t hash;
    char last;
};

static enum quipu_status add_bytes(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct written *written = context;
    const char *bytes = data;
    (void)err;
    for (size_t i = 0; i < size; i++) {
        written->hash = written->hash * 31 + (unsigned char)bytes[i];
        written->last = bytes[i] == '\n' ? written->last : bytes[i];
    }
    written->size += size;
    return QUIPU_OK;
}

/* ---- Views ---- */

/* The nanoseconds that a view may be asked for; a trace without times has some as well. */
static uint64_t length_of(const struct fuzz_case *fuzz) {
    struct quipu_summary summary = {0};
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return 0;
    if (quipu_summarise(reader, NULL, &summary, NULL) != QUIPU_OK)
        summary.has_times = false;
    const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
    const uint64_t from = (uint64_t)quipu_clock_ns(clock, summary.first),
                   to = (uint64_t)quipu_clock_ns(clock, summary.last);
    quipu_reader_close(reader);
    return summary.has_times && to - from < INT64_MAX / 4 ? to - from : INT64_MAX / 4;
}

/* A value of a parameter. Of times the whole is as likely as a section. */
static void put_value(const struct fuzz_case *fuzz, const char *name, uint64_t number, uint64_t length,
                      char *out, size_t size) {
    static const char *const by[] = {"location", "process", "host", "all"}, *const where[] = {"time+%3E+0", ""};
    const uint64_t margin =
        fuzz_choose(fuzz, number, 2) == 0 ? 0 : length / 16 * fuzz_choose(fuzz, number + 1, 8);
    if (strcmp(name, "by") == 0)
        snprintf(out, size, "%s", by[fuzz_choose(fuzz, number + 2, 4)]);
    else if (strcmp(name, "where") == 0)
        snprintf(out, size, "%s", where[fuzz_choose(fuzz, number + 2, 2)]);
    else if (strcmp(name, "rows") == 0)
        snprintf(out, size, "%u-%u", (unsigned)fuzz_choose(fuzz, number + 2, 2),
                 (unsigned)fuzz_choose(fuzz, number + 3, 8) + 1);
    else if (strcmp(name, "from") == 0)
        snprintf(out, size, "%" PRIu64, margin);
    else if (strcmp(name, "to") == 0)
        snprintf(out, size, "%" PRIu64, length - margin);
    else if (strcmp(name, "pixels") == 0 || strcmp(name, "count") == 0)
        snprintf(out, size, "%u", (unsigned)fuzz_choose(fuzz, number + 3, 1000) + 1);
    else
        snprintf(out, size, "%u", (unsigned)fuzz_choose(fuzz, number + 3, 4));
}

static void choose(const struct fuzz_case *fuzz, const struct quipu_view_question *question, uint64_t number,
                   uint64_t length, char *out) {
    size_t used = (size_t)snprintf(out, QUESTION_BYTES, "%s", question->name);
    char between = '?';
    for (const char *name = question->parameters; *name; name += strspn(name, " ")) {
        char word[16], value[32];
        const size_t size = strcspn(name, " ");
        snprintf(word, sizeof word, "%.*s", (int)size, name);
        put_value(fuzz, word, number, length, value, sizeof value);
        used += (size_t)snprintf(out + used, QUESTION_BYTES - used, "%c%s=%s", between, word, value);
        between = '&';
        name += size;
        number += 10;
    }
}

static struct written ask(struct quipu_view *view, const char *question) {
    struct written written = {0};
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status =
        quipu_view_answer(view, question, (struct quipu_sink){add_bytes, &written}, &err);
    if (!fuzz_worked(question, status, &err))
        return (struct written){.hash = (uint64_t)status};
    if (written.last != '}')
        fuzz_fail("the answer to %s is no object", question);
    if (written.size > ANSWER_BYTES)
        fuzz_fail("the answer to %s has %zu bytes", question, written.size);
    return written;
}

static void ask_all(const struct fuzz_case *fuzz, struct quipu_view *view) {
    const uint64_t length = length_of(fuzz);
    for (uint64_t i = 0; i < ROUNDS * 20; i++) {
        const struct quipu_view_question *question = quipu_view_question_at(i / ROUNDS);
        char text[QUESTION_BYTES];
        if (!question)
            return;
        choose(fuzz, question, 1000 * i, length, text);
        const struct written first = ask(view, text), again = ask(view, text);
        if (first.hash != again.hash)
            fuzz_fail("asked again, %s has another answer", text);
    }
}

/* ---- Reports ---- */

static void report(struct quipu_reader *reader) {
    const struct quipu_report_options options = QUIPU_REPORT_OPTIONS_INIT;
    struct written written = {0};
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status = quipu_report_write(&reader, (const char *const[]){"trace"}, 1, &options,
                                                        (struct quipu_sink){add_bytes, &written}, &err);
    if (fuzz_worked("report", status, &err) && (written.size > REPORT_BYTES || written.last != '>'))
        fuzz_fail("the report has %zu bytes, and ends with \"%c\"", written.size, written.last);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    struct quipu_view *view = NULL;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (!reader)
        return;
    if (fuzz_worked("view", quipu_view_new(reader, &view, &err), &err))
        ask_all(fuzz, view);
    quipu_view_free(view);
    quipu_reader_rewind(reader);
    report(reader);
    quipu_reader_close(reader);
}
