/* source.c: see source.h. */
#include "python.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Owning ---- */

struct source *source_new(void) {
    struct source *source = calloc(1, sizeof *source);
    if (source) {
        atomic_init(&source->owners, 1);
        source->err = (struct quipu_error)QUIPU_ERROR_INIT;
    }
    return source;
}

void source_share(struct source *source) {
    atomic_fetch_add(&source->owners, 1);
}

/* What stands on what is closed first. */
static void close_all(struct source *source) {
    if (source->inner.release)
        source->inner.release(&source->inner);
    quipu_table_free(source->table);
    quipu_tables_free(source->tables);
    quipu_sql_free(source->sql);
    for (size_t i = 0; i < source->reader_count; i++)
        quipu_reader_close(source->readers[i]);
    source->table = NULL;
    source->tables = NULL;
    source->sql = NULL;
    source->reader_count = 0;
}

void source_release(struct source *source) {
    if (!source || atomic_fetch_sub(&source->owners, 1) > 1)
        return;
    close_all(source);
    free(source);
}

enum quipu_status source_open(struct source *source, const char *path,
                              const struct quipu_reader_options *options, struct quipu_error *err) {
    struct quipu_reader_options own = *options;
    own.progress = (struct quipu_progress){source_goes_on, source};
    const enum quipu_status status = quipu_reader_open(path, &own, &source->readers[source->reader_count], err);
    source->reader_count += status == QUIPU_OK;
    return status;
}

/* ---- Interrupts ---- */

enum { MILLISECONDS_BETWEEN_ASKING = 50 };

/* Taking the lock of the interpreter costs other threads of Python time. */
static bool is_time_to_ask(struct source *source) {
    struct timespec now;
    if (timespec_get(&now, TIME_UTC) != TIME_UTC)
        return true;
    const int64_t passed =
        (int64_t)(now.tv_sec - source->asked.tv_sec) * 1000 + (now.tv_nsec - source->asked.tv_nsec) / 1000000;
    if (passed >= 0 && passed < MILLISECONDS_BETWEEN_ASKING)
        return false;
    source->asked = now;
    return true;
}

/* Retains the exception that is being raised. */
static void retain_interrupt(struct source *source) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Py_XDECREF(source->interrupt);
    source->interrupt = value;
    Py_XDECREF(type);
    Py_XDECREF(traceback);
}

bool source_goes_on(void *context, uint64_t done, uint64_t total, uint64_t events) {
    struct source *source = context;
    (void)done;
    (void)total;
    (void)events;
    if (!source->asks || !is_time_to_ask(source))
        return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool goes_on = PyErr_CheckSignals() == 0;
    if (!goes_on && source->is_borrowed)
        retain_interrupt(source);
    PyGILState_Release(state);
    return goes_on;
}

/* ---- The stream ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    struct source *source = stream->private_data;
    return source->inner.get_schema(&source->inner, out);
}

/* Writes how many findings say that something is lost or wrong, and the first of them. */
static void describe_damage(struct source *source) {
    char text[SOURCE_DAMAGE_BYTES / 2];
    for (size_t i = 0; i < source->reader_count; i++) {
        const struct quipu_findings *findings = quipu_reader_findings(source->readers[i]);
        const uint64_t count = quipu_findings_total(findings, QUIPU_DATA_LOSS) +
                               quipu_findings_total(findings, QUIPU_ERROR_FINDING);
        for (size_t index = 0; count > 0 && index < quipu_findings_count(findings); index++) {
            const struct quipu_finding *finding = quipu_findings_at(findings, index);
            if (finding->rule->severity < QUIPU_DATA_LOSS)
                continue;
            snprintf(source->damage, sizeof source->damage,
                     "the trace is damaged, and the rows are what is intact (%" PRIu64
                     " findings; check() lists them): %s",
                     count, quipu_finding_text(finding, text, sizeof text));
            atomic_store(&source->is_damaged, true);
            return;
        }
    }
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct source *source = stream->private_data;
    const int code = source->inner.get_next(&source->inner, out);
    if (code != 0)
        source->err = *quipu_stream_error(&source->inner);
    else if (!out->release)
        describe_damage(source);
    return code;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    struct source *source = stream->private_data;
    return source->inner.get_last_error(&source->inner);
}

/* Files are closed now, even if Python still asks the source for its damage. */
static void release(struct ArrowArrayStream *stream) {
    struct source *source = stream->private_data;
    close_all(source);
    source_release(source);
    stream->release = NULL;
}

void source_stream(struct source *source, struct ArrowArrayStream *out) {
    source_share(source);
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, source};
}
