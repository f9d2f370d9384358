/* module.c: quipu._quipu: what the package needs of the library, as functions. Classes, defaults and names are in quipu/__init__.py.
 *
 * A trace is a tuple here: (path, format, variant, memory limit, threads, index, allow_outside); a selection too: (since, until, where, locations,
 * regions), with times in nanoseconds. Everything that reads or writes does so without the lock of the interpreter. */
#include "python.h"
#include "portion.h"
#include "rows.h"
#include "source.h"

#include <quipu/analysis.h>
#include <quipu/check.h>
#include <quipu/compare.h>
#include <quipu/convert.h>
#include <quipu/picture.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_NAME "arrow_array_stream" /* of capsules, by Arrow's protocol */
#define SOURCE_NAME "quipu source"

/* ---- Errors ---- */

struct module_state {
    PyObject *error; /* the class quipu.Error */
};

static PyObject *number_or_none(uint64_t number) {
    return number == QUIPU_UNKNOWN ? Py_BuildValue("") : PyLong_FromUnsignedLongLong(number);
}

/* What a text of the library says, whose bytes may be anything. */
static PyObject *text_of(const char *text) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *finding_of(const struct quipu_error *err) {
    return Py_BuildValue("{sNsNsNsNsNsNsN}", "path", text_of(err->path), "byte", number_or_none(err->byte),
                         "line", number_or_none(err->line), "record", number_or_none(err->record), "field",
                         text_of(err->field), "message", text_of(err->message), "advice", text_of(err->advice));
}

/* Raises quipu.Error, unless an interrupt is being raised already. */
static PyObject *fail(PyObject *module, const struct quipu_error *err) {
    const struct module_state *state = PyModule_GetState(module);
    char text[sizeof err->path + sizeof err->message + sizeof err->field + 128];
    if (PyErr_Occurred())
        return NULL;
    PyObject *message = text_of(quipu_error_text(err, text, sizeof text));
    PyObject *error = message ? PyObject_CallFunctionObjArgs(state->error, message, NULL) : NULL;
    PyObject *status = PyUnicode_FromString(quipu_status_name(err->status)), *finding = finding_of(err);
    if (error && status && finding && PyObject_SetAttrString(error, "status", status) == 0 &&
        PyObject_SetAttrString(error, "finding", finding) == 0)
        PyErr_SetObject(state->error, error);
    Py_XDECREF(message);
    Py_XDECREF(error);
    Py_XDECREF(status);
    Py_XDECREF(finding);
    return NULL;
}

static enum quipu_status refuse(struct quipu_error *err, enum quipu_status status, const char *format,
                                const char *word) {
    err->status = status;
    snprintf(err->message, sizeof err->message, format, word);
    return status;
}

/* ---- Arguments ---- */

struct trace {
    const char *path;
    struct quipu_reader_options options;
};

static bool take_trace(PyObject *tuple, struct trace *out) {
    Py_ssize_t memory;
    int outside;
    *out = (struct trace){.options = QUIPU_READER_OPTIONS_INIT};
    if (!PyArg_ParseTuple(tuple, "yzznIzp", &out->path, &out->options.format, &out->options.variant, &memory,
                          &out->options.threads, &out->options.index, &outside))
        return false;
    if (memory < 0) {
        PyErr_SetString(PyExc_ValueError, "memory is a number of bytes, from 0");
        return false;
    }
    out->options.memory_limit = (size_t)memory;
    out->options.allow_outside = outside != 0;
    return true;
}

/* Numbers of definitions, ascending; None: no restriction. */
static bool take_numbers(PyObject *given, uint32_t **out, uint32_t *count) {
    const Py_ssize_t len = given == Py_None ? -1 : PyTuple_Size(given);
    *out = NULL;
    *count = 0;
    if (given == Py_None)
        return true;
    if (len >= 0 && !(*out = calloc((size_t)len + 1, sizeof **out)))
        PyErr_NoMemory();
    if (!*out)
        return false;
    for (Py_ssize_t i = 0; i < len; i++)
        (*out)[(*count)++] = (uint32_t)PyLong_AsUnsignedLong(PyTuple_GetItem(given, i));
    return !PyErr_Occurred();
}

/* A time, which the clock of the trace has still to make ticks of. */
struct time {
    bool is_given;
    int64_t ns;
};

static int take_time(PyObject *given, void *out) {
    struct time *time = out;
    time->is_given = given != Py_None;
    time->ns = time->is_given ? PyLong_AsLongLong(given) : 0;
    return !PyErr_Occurred();
}

struct selected {
    struct time since, until;
    uint32_t *locations, *regions;
    struct quipu_selection selection;
};

static void selected_release(struct selected *selected) {
    free(selected->locations);
    free(selected->regions);
}

/* Released in any case. */
static bool take_selection(PyObject *tuple, struct selected *out) {
    PyObject *locations, *regions;
    *out = (struct selected){.selection = QUIPU_SELECTION_INIT};
    if (!PyArg_ParseTuple(tuple, "O&O&zOO", take_time, &out->since, take_time, &out->until,
                          &out->selection.where, &locations, &regions) ||
        !take_numbers(locations, &out->locations, &out->selection.location_count) ||
        !take_numbers(regions, &out->regions, &out->selection.region_count))
        return false;
    out->selection.locations = out->locations;
    out->selection.regions = out->regions;
    return true;
}

static void count_in_ticks(struct selected *selected, const struct quipu_reader *reader) {
    const struct quipu_clock *clock = &quipu_reader_definitions(reader)->clock;
    if (selected->since.is_given)
        selected->selection.from = quipu_clock_ticks(clock, selected->since.ns);
    if (selected->until.is_given)
        selected->selection.to = quipu_clock_ticks(clock, selected->until.ns);
}

enum { TEXTS_MOST = QUIPU_RELATION_COLUMNS };

/* The length of a tuple of names or options; -1 with an exception. */
static Py_ssize_t length_of(PyObject *tuple) {
    const Py_ssize_t len = PyTuple_Size(tuple);
    if (len <= TEXTS_MOST)
        return len;
    PyErr_Format(PyExc_ValueError, "there are at most %d names or options", TEXTS_MOST);
    return -1;
}

static bool take_texts(PyObject *tuple, const char **out, size_t *count) {
    const Py_ssize_t len = length_of(tuple);
    *count = 0;
    for (Py_ssize_t i = 0; i < len; i++)
        if (!PyArg_Parse(PyTuple_GetItem(tuple, i), "s", &out[(*count)++]))
            return false;
    return len >= 0;
}

/* Options of an analysis or a format: pairs of texts. */
static bool take_settings(PyObject *tuple, struct quipu_setting *out, size_t *count) {
    const Py_ssize_t len = length_of(tuple);
    *count = 0;
    for (Py_ssize_t i = 0; i < len; i++, (*count)++)
        if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "ss", &out[i].name, &out[i].value))
            return false;
    return len >= 0;
}

/* ---- Streams ---- */

/* Makes ticks of the nanoseconds of options that are times. */
enum { TICKS_BYTES = 24 };
static void count_options_in_ticks(struct quipu_setting *settings, size_t count, const char *relation_name,
                                   const struct quipu_reader *reader, char (*ticks)[TICKS_BYTES]) {
    struct quipu_relation relation;
    if (!quipu_relation_find(relation_name, &relation))
        return;
    for (size_t i = 0; i < count; i++)
        for (size_t index = 0; index < relation.option_count; index++) {
            char *end;
            const int64_t ns = strtoll(settings[i].value, &end, 10);
            if (relation.options[index].kind != QUIPU_OPTION_TIME || *end != '\0' ||
                strcmp(relation.options[index].name, settings[i].name) != 0)
                continue;
            snprintf(ticks[i], TICKS_BYTES, "%" PRId64,
                     quipu_clock_ticks(&quipu_reader_definitions(reader)->clock, ns));
            settings[i].value = ticks[i];
        }
}

/* By the protocol: a consumer that took the stream has left it released. */
static void free_stream(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, STREAM_NAME);
    if (stream->release)
        stream->release(stream);
    free(stream);
}

static void free_source(PyObject *capsule) {
    source_release(PyCapsule_GetPointer(capsule, SOURCE_NAME));
}

/* A capsule of a stream, which becomes its own in any case. */
static PyObject *capsule_of(const struct ArrowArrayStream *from) {
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    struct ArrowArrayStream unused = *from;
    if (!stream) {
        unused.release(&unused);
        return PyErr_NoMemory();
    }
    *stream = *from;
    PyObject *capsule = PyCapsule_New(stream, STREAM_NAME, free_stream);
    if (!capsule) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}

static PyObject *stream_capsule(struct source *source) {
    struct ArrowArrayStream stream;
    source_stream(source, &stream);
    return capsule_of(&stream);
}

/* Ends what begins a stream: (capsule of the stream, capsule of its source), or an exception. The source becomes theirs. */
static PyObject *started(PyObject *module, struct source *source, enum quipu_status status,
                         const struct quipu_error *err) {
    PyObject *stream = NULL, *owner = NULL;
    source->asks = false;
    if (status != QUIPU_OK || PyErr_Occurred())
        fail(module, err);
    else if ((stream = stream_capsule(source)) && (owner = PyCapsule_New(source, SOURCE_NAME, free_source)))
        return Py_BuildValue("(NN)", stream, owner);
    Py_XDECREF(stream);
    source_release(source);
    return NULL;
}

/* A new source, during whose making interrupts are asked for. */
static struct source *begin(void) {
    struct source *source = source_new();
    if (source)
        source->asks = true;
    else
        PyErr_NoMemory();
    return source;
}

static PyObject *module_relation(PyObject *module, PyObject *args) {
    PyObject *trace_given, *selection_given, *settings_given, *columns_given;
    const char *name, *columns[TEXTS_MOST];
    struct quipu_setting settings[TEXTS_MOST];
    char ticks[TEXTS_MOST][TICKS_BYTES];
    struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct selected selected;
    struct trace trace;
    if (!PyArg_ParseTuple(args, "OsOOO", &trace_given, &name, &selection_given, &settings_given,
                          &columns_given) ||
        !take_trace(trace_given, &trace) || !take_settings(settings_given, settings, &options.setting_count) ||
        (columns_given != Py_None && !take_texts(columns_given, columns, &options.column_count)))
        return NULL;
    struct source *source = take_selection(selection_given, &selected) ? begin() : NULL;
    PyObject *result = NULL;
    if (source) {
        options.selection = &selected.selection;
        options.settings = settings;
        options.columns = columns_given == Py_None ? NULL : columns;
        enum quipu_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = source_open(source, trace.path, &trace.options, &err);
        if (status == QUIPU_OK) {
            count_in_ticks(&selected, source->readers[0]);
            count_options_in_ticks(settings, options.setting_count, name, source->readers[0], ticks);
            status = quipu_relation_stream(source->readers[0], name, &options, &source->inner, &err);
        }
        Py_END_ALLOW_THREADS;
        result = started(module, source, status, &err);
    }
    selected_release(&selected);
    return result;
}

static enum quipu_status ask(struct source *source, const struct trace *traces, size_t count, const char *query,
                             struct quipu_error *err) {
    struct quipu_sql_options options = QUIPU_SQL_OPTIONS_INIT;
    options.progress = (struct quipu_progress){source_goes_on, source};
    enum quipu_status status = quipu_sql_new(&options, &source->sql, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        const char schema[] = {(char)('a' + i), '\0'};
        status = source_open(source, traces[i].path, &traces[i].options, err);
        if (status == QUIPU_OK)
            status = quipu_sql_add(source->sql, schema, source->readers[i], err);
    }
    if (status == QUIPU_OK)
        status = quipu_sql_begin(source->sql, query, &query, err);
    if (status == QUIPU_END || (status == QUIPU_OK && query[strspn(query, " \t\r\n;")] != '\0')) {
        const char *amount = status == QUIPU_END ? "no" : "more than one";
        return refuse(err, QUIPU_MISUSE, "there is %s query", amount);
    }
    if (status == QUIPU_OK)
        status = quipu_sql_table(source->sql, &source->table, err);
    return status == QUIPU_OK ? quipu_table_stream(source->table, &source->inner, err) : status;
}

static PyObject *module_sql(PyObject *module, PyObject *args) {
    PyObject *given;
    const char *query;
    struct trace traces[QUIPU_SQL_TRACES];
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (!PyArg_ParseTuple(args, "Os", &given, &query))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(given);
    if (count < 1 || count > QUIPU_SQL_TRACES)
        return PyErr_Format(PyExc_ValueError, "a query takes 1 to %d traces", QUIPU_SQL_TRACES);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!take_trace(PyTuple_GetItem(given, i), &traces[i]))
            return NULL;
    struct source *source = begin();
    if (!source)
        return NULL;
    enum quipu_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = ask(source, traces, (size_t)count, query, &err);
    Py_END_ALLOW_THREADS;
    return started(module, source, status, &err);
}

static enum quipu_status compare(struct source *source, const char *table,
                                 const struct quipu_compare_options *options, struct quipu_error *err) {
    bool differ;
    const enum quipu_status status =
        quipu_compare(source->readers[0], source->readers[1], options, &source->tables, &differ, err);
    for (size_t i = 0; status == QUIPU_OK && i < quipu_tables_count(source->tables); i++)
        if (strcmp(quipu_table_name(quipu_tables_at(source->tables, i)), table) == 0)
            return quipu_table_stream(quipu_tables_at(source->tables, i), &source->inner, err);
    return status == QUIPU_OK
               ? refuse(err, QUIPU_NOT_FOUND, "a comparison of these levels has no table \"%s\"", table)
               : status;
}

static PyObject *module_compare(PyObject *module, PyObject *args) {
    PyObject *given[2];
    const char *table;
    struct trace traces[2];
    struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (!PyArg_ParseTuple(args, "OOszz", &given[0], &given[1], &table, &options.levels, &options.threshold) ||
        !take_trace(given[0], &traces[0]) || !take_trace(given[1], &traces[1]))
        return NULL;
    struct source *source = begin();
    if (!source)
        return NULL;
    enum quipu_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = source_open(source, traces[0].path, &traces[0].options, &err);
    if (status == QUIPU_OK)
        status = source_open(source, traces[1].path, &traces[1].options, &err);
    if (status == QUIPU_OK)
        status = compare(source, table, &options, &err);
    Py_END_ALLOW_THREADS;
    return started(module, source, status, &err);
}

/* ---- Reading streams ---- */

static struct ArrowArrayStream *take_stream(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, STREAM_NAME);
    if (stream && !stream->release) {
        PyErr_SetString(PyExc_ValueError, "the stream was released");
        return NULL;
    }
    return stream;
}

static PyObject *module_columns(PyObject *module, PyObject *capsule) {
    struct ArrowArrayStream *stream = take_stream(capsule);
    struct ArrowSchema schema;
    (void)module;
    if (!stream)
        return NULL;
    if (stream->get_schema(stream, &schema) != 0)
        return PyErr_NoMemory();
    PyObject *columns = rows_columns(&schema);
    schema.release(&schema);
    return columns;
}

/* The next rows, as lists of the columns' values; None at the end. */
static PyObject *module_next(PyObject *module, PyObject *capsule) {
    struct ArrowArrayStream *stream = take_stream(capsule);
    struct ArrowArray array = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    if (!stream)
        return NULL;
    struct source *source = stream->private_data;
    PyObject *result = NULL;
    int code;
    source->asks = true;
    Py_BEGIN_ALLOW_THREADS;
    code = stream->get_next(stream, &array);
    Py_END_ALLOW_THREADS;
    source->asks = false;
    if (code != 0)
        fail(module, &source->err);
    else if (array.release && stream->get_schema(stream, &schema) != 0)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        result = array.release ? rows_values(&schema, &array) : Py_BuildValue("");
    if (schema.release)
        schema.release(&schema);
    if (array.release)
        array.release(&array);
    return result;
}

static PyObject *portion_lengths(const struct portion *portion) {
    PyObject *list = PyList_New((Py_ssize_t)portion->count);
    for (size_t i = 0; list && i < portion->count; i++) {
        PyObject *length = PyLong_FromLongLong(portion->batches[i].length);
        if (length && PyList_SetItem(list, (Py_ssize_t)i, length) == 0)
            continue;
        Py_CLEAR(list);
    }
    return list;
}

/* (name, capsule of a stream, whether it has no values, and so no batches). */
static PyObject *portion_column(struct portion *portion, int64_t number) {
    struct ArrowArrayStream stream;
    PyObject *is_null = PyBool_FromLong(portion_is_null(portion, number));
    PyObject *name = PyUnicode_FromString(portion->schema.children[number]->name);
    PyObject *capsule = portion_take(portion, number, &stream) ? capsule_of(&stream) : PyErr_NoMemory();
    if (name && capsule)
        return Py_BuildValue("(NNN)", name, capsule, is_null);
    Py_XDECREF(name);
    Py_XDECREF(capsule);
    Py_DECREF(is_null);
    return NULL;
}

static PyObject *portion_columns(struct portion *portion) {
    PyObject *list = PyList_New((Py_ssize_t)portion->schema.n_children);
    for (int64_t i = 0; list && i < portion->schema.n_children; i++) {
        PyObject *item = portion_column(portion, i);
        if (item && PyList_SetItem(list, (Py_ssize_t)i, item) == 0)
            continue;
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *portion_result(struct portion *portion) {
    PyObject *lengths = portion_lengths(portion);
    PyObject *columns = lengths ? portion_columns(portion) : NULL;
    if (columns)
        return Py_BuildValue("(NN)", lengths, columns);
    Py_XDECREF(lengths);
    return NULL;
}

/* The lengths of the next batches, and their columns; None at the end. */
static PyObject *module_portion(PyObject *module, PyObject *args) {
    PyObject *capsule;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "On", &capsule, &most))
        return NULL;
    struct ArrowArrayStream *stream = take_stream(capsule);
    if (!stream)
        return NULL;
    struct source *source = stream->private_data;
    struct portion *portion;
    PyObject *result = NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS;
    portion = portion_read(source, stream, (size_t)most, &code);
    Py_END_ALLOW_THREADS;
    if (!portion)
        return PyErr_NoMemory();
    if (code != 0)
        fail(module, &source->err);
    else
        result = portion->count > 0 ? portion_result(portion) : Py_BuildValue("");
    portion_free(portion);
    return result;
}

/* What was wrong with the traces, after the last rows; None: nothing. */
static PyObject *module_damage(PyObject *module, PyObject *capsule) {
    struct source *source = PyCapsule_GetPointer(capsule, SOURCE_NAME);
    (void)module;
    if (!source)
        return NULL;
    return atomic_load(&source->is_damaged) ? text_of(source->damage) : Py_BuildValue("");
}

/* A library reads the rows of a source for Python, which waits. */
static PyObject *module_lend(PyObject *module, PyObject *capsule) {
    struct source *source = PyCapsule_GetPointer(capsule, SOURCE_NAME);
    (void)module;
    if (!source)
        return NULL;
    source->asks = source->is_borrowed = true;
    return Py_BuildValue("");
}

/* Raises why the library could not: an interrupt, or an error of the stream. None: it has reasons of its own. */
static PyObject *module_explain(PyObject *module, PyObject *capsule) {
    struct source *source = PyCapsule_GetPointer(capsule, SOURCE_NAME);
    if (!source)
        return NULL;
    PyObject *interrupt = source->interrupt;
    source->interrupt = NULL;
    if (interrupt) {
        PyErr_SetObject((PyObject *)Py_TYPE(interrupt), interrupt);
        Py_DECREF(interrupt);
        return NULL;
    }
    return source->err.status == QUIPU_OK ? Py_BuildValue("") : fail(module, &source->err);
}

/* ---- Answers in JSON ---- */

struct text {
    char *bytes;
    size_t len, capacity;
};

static enum quipu_status put(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    if (size > text->capacity - text->len) {
        const size_t capacity = 2 * (text->len + size);
        char *grown = realloc(text->bytes, capacity);
        if (!grown) {
            err->status = QUIPU_NO_MEMORY;
            return QUIPU_NO_MEMORY;
        }
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->len, data, size);
    text->len += size;
    return QUIPU_OK;
}

/* One thing that is done with a trace, and what it has to say. */
struct job {
    struct source *source;
    struct text text;
    struct quipu_error err;
    enum quipu_status status;
};

static bool job_begin(struct job *job) {
    *job = (struct job){.source = begin(), .err = QUIPU_ERROR_INIT};
    return job->source != NULL;
}

static struct quipu_sink sink_of(struct job *job) {
    return (struct quipu_sink){put, &job->text};
}

static PyObject *job_end(PyObject *module, struct job *job) {
    PyObject *result = NULL;
    if (job->status != QUIPU_OK)
        fail(module, &job->err);
    else if (!PyErr_Occurred())
        result =
            PyUnicode_DecodeUTF8(job->text.bytes ? job->text.bytes : "", (Py_ssize_t)job->text.len, "replace");
    source_release(job->source);
    free(job->text.bytes);
    return result;
}

static void summarise(struct job *job, const struct trace *trace) {
    struct quipu_summary summary;
    job->status = source_open(job->source, trace->path, &trace->options, &job->err);
    if (job->status == QUIPU_OK)
        job->status = quipu_summarise(job->source->readers[0], NULL, &summary, &job->err);
    if (job->status == QUIPU_OK)
        job->status = quipu_summary_write(&summary, job->source->readers[0], true, sink_of(job), &job->err);
}

static PyObject *module_info(PyObject *module, PyObject *given) {
    struct trace trace;
    struct job job;
    if (!take_trace(given, &trace) || !job_begin(&job))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    summarise(&job, &trace);
    Py_END_ALLOW_THREADS;
    return job_end(module, &job);
}

/* Opens a trace, so that what cannot be opened is known at once; its format. */
static PyObject *module_open(PyObject *module, PyObject *given) {
    struct trace trace;
    struct job job;
    if (!take_trace(given, &trace) || !job_begin(&job))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    job.status = source_open(job.source, trace.path, &trace.options, &job.err);
    if (job.status == QUIPU_OK) {
        const char *name = quipu_reader_format(job.source->readers[0])->name;
        job.status = put(&job.text, name, strlen(name), &job.err);
    }
    Py_END_ALLOW_THREADS;
    return job_end(module, &job);
}

static void check(struct job *job, const struct trace *trace, const char *rules) {
    struct quipu_check_result result;
    struct quipu_check_print print = QUIPU_CHECK_PRINT_INIT;
    print.json = true;
    job->status = source_open(job->source, trace->path, &trace->options, &job->err);
    if (job->status == QUIPU_OK)
        job->status = quipu_check_rules(job->source->readers[0], rules, NULL, &result, &job->err);
    if (job->status == QUIPU_OK)
        job->status = quipu_check_write(&result, quipu_reader_findings(job->source->readers[0]), &print,
                                        sink_of(job), &job->err);
}

static PyObject *module_check(PyObject *module, PyObject *args) {
    PyObject *given;
    const char *rules;
    struct trace trace;
    struct job job;
    if (!PyArg_ParseTuple(args, "Oz", &given, &rules) || !take_trace(given, &trace) || !job_begin(&job))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    check(&job, &trace, rules);
    Py_END_ALLOW_THREADS;
    return job_end(module, &job);
}

/* Five texts of a figure, a NUL behind each: name, title, command, CSV, SVG. */
static enum quipu_status put_figure(void *context, const struct quipu_figure *figure, struct quipu_error *err) {
    struct job *job = context;
    const struct {
        const char *text;
        size_t len;
    } texts[] = {{figure->name, strlen(figure->name)},
                 {figure->title, strlen(figure->title)},
                 {figure->command, strlen(figure->command)},
                 {figure->csv, figure->csv_size},
                 {figure->svg, figure->svg_size}};
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == QUIPU_OK; i++) {
        status = put(&job->text, texts[i].text, texts[i].len, err);
        if (status == QUIPU_OK)
            status = put(&job->text, "", 1, err);
    }
    return status;
}

/* The page itself is not wanted. */
static enum quipu_status leave_out(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)context;
    (void)data;
    (void)size;
    (void)err;
    return QUIPU_OK;
}

static void draw(struct job *job, const struct trace *trace, const char *pages) {
    struct quipu_report_options options = QUIPU_REPORT_OPTIONS_INIT;
    options.only = pages;
    options.save = put_figure;
    options.context = job;
    job->status = source_open(job->source, trace->path, &trace->options, &job->err);
    if (job->status == QUIPU_OK)
        job->status = quipu_report_write(job->source->readers, &trace->path, 1, &options,
                                         (struct quipu_sink){leave_out, NULL}, &job->err);
}

static PyObject *module_figures(PyObject *module, PyObject *args) {
    PyObject *given;
    const char *pages;
    struct trace trace;
    struct job job;
    if (!PyArg_ParseTuple(args, "Oz", &given, &pages) || !take_trace(given, &trace) || !job_begin(&job))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    draw(&job, &trace, pages);
    Py_END_ALLOW_THREADS;
    return job_end(module, &job);
}

struct conversion {
    struct trace trace;
    const char *path, *target;
    struct selected selected;
    struct quipu_convert_options options;
};

static void convert(struct job *job, struct conversion *conversion) {
    struct quipu_conversion_report *report = NULL;
    job->status = source_open(job->source, conversion->trace.path, &conversion->trace.options, &job->err);
    if (job->status == QUIPU_OK) {
        count_in_ticks(&conversion->selected, job->source->readers[0]);
        conversion->options.selection = conversion->selected.selection;
        job->status = quipu_convert(job->source->readers[0], conversion->path, conversion->target,
                                    &conversion->options, &report, &job->err);
    }
    if (job->status == QUIPU_OK)
        job->status = quipu_conversion_report_write(report, true, sink_of(job), &job->err);
    quipu_conversion_report_free(report);
}

/* The target that is named, or that the suffix of the output names, or the trace's own format. */
static const char *target_of(const char *given, const char *path, const char *own) {
    const struct quipu_format *format = quipu_format_by_suffix(path);
    if (given)
        return given;
    return format ? format->name : own;
}

static PyObject *module_convert(PyObject *module, PyObject *args) {
    PyObject *trace, *selection, *settings_given;
    struct quipu_setting settings[TEXTS_MOST];
    struct conversion conversion = {.options = QUIPU_CONVERT_OPTIONS_INIT};
    struct quipu_writer_options *writer = &conversion.options.writer;
    const char *own;
    int selected, replace, fail_on_loss;
    struct job job;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "OsyzOpOziIppz", &trace, &own, &conversion.path, &conversion.target, &selection,
                          &selected, &settings_given, &writer->variant, &writer->compression, &writer->streams,
                          &replace, &fail_on_loss, &conversion.options.with) ||
        !take_trace(trace, &conversion.trace) ||
        !take_settings(settings_given, settings, &writer->setting_count))
        return NULL;
    conversion.target = target_of(conversion.target, conversion.path, own);
    conversion.options.selected = selected != 0;
    conversion.options.fail_on_loss = fail_on_loss != 0;
    writer->replace = replace != 0;
    writer->settings = settings;
    if (take_selection(selection, &conversion.selected) && job_begin(&job)) {
        Py_BEGIN_ALLOW_THREADS;
        convert(&job, &conversion);
        Py_END_ALLOW_THREADS;
        result = job_end(module, &job);
    }
    selected_release(&conversion.selected);
    return result;
}

/* ---- What there is ---- */

static const char *const type_names[] = {
    [QUIPU_TYPE_TEXT] = "text", [QUIPU_TYPE_I64] = "i64",         [QUIPU_TYPE_U64] = "u64",
    [QUIPU_TYPE_F64] = "f64",   [QUIPU_TYPE_DECIMAL] = "decimal", [QUIPU_TYPE_JSON] = "json",
    [QUIPU_TYPE_TIME] = "time",
};

static const char *const option_kinds[] = {
    [QUIPU_OPTION_CHOICE] = "choice", [QUIPU_OPTION_NUMBER] = "number",       [QUIPU_OPTION_SIZE] = "size",
    [QUIPU_OPTION_TIME] = "time",     [QUIPU_OPTION_LOCATIONS] = "locations", [QUIPU_OPTION_TEXT] = "text",
    [QUIPU_OPTION_FLAG] = "flag",
};

static bool add(PyObject *list, PyObject *item) {
    const bool is_added = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return is_added;
}

/* Documentation of a class of definitions and of its relation are one text. */
static const char *class_of(const struct quipu_relation *relation) {
    const struct quipu_analysis_table *definition_class;
    for (size_t i = 0; (definition_class = quipu_definition_class_at(i)) != NULL; i++)
        if (definition_class->doc == relation->doc)
            return "definitions";
    return relation->is_streamed ? "stream" : "answer";
}

/* (name, documentation, "stream", "definitions" or "answer", columns, options): (name, type, unit, documentation) of columns, (name, kind,
 * documentation) of options. */
static PyObject *description_of(const struct quipu_relation *relation) {
    PyObject *columns = PyList_New(0), *options = PyList_New(0);
    bool is_made = columns && options;
    for (size_t i = 0; is_made && i < relation->column_count; i++) {
        const struct quipu_table_column *column = &relation->columns[i];
        is_made = add(columns, Py_BuildValue("(ssss)", column->name, type_names[column->type], column->unit,
                                             column->doc));
    }
    for (size_t i = 0; is_made && i < relation->option_count; i++)
        is_made =
            add(options, Py_BuildValue("(sss)", relation->options[i].name,
                                       option_kinds[relation->options[i].kind], relation->options[i].doc));
    if (is_made)
        return Py_BuildValue("(sssNN)", relation->name, relation->doc, class_of(relation), columns, options);
    Py_XDECREF(columns);
    Py_XDECREF(options);
    return NULL;
}

static PyObject *module_relations(PyObject *module, PyObject *args) {
    struct quipu_relation relation;
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (size_t i = 0; list && quipu_relation_at(i, &relation); i++)
        if (!add(list, description_of(&relation)))
            Py_CLEAR(list);
    return list;
}

/* ---- The module ---- */

/* What jansson takes stdin for (CMakeLists.txt): no file that the library has read. */
FILE *__wrap_stdin;

static PyMethodDef methods[] = {
    {"open", module_open, METH_O, "open(trace): the name of its format"},
    {"info", module_info, METH_O, "info(trace): what it is, as JSON"},
    {"check", module_check, METH_VARARGS, "check(trace, rules): verdict and findings, as JSON"},
    {"figures", module_figures, METH_VARARGS,
     "figures(trace, pages): name, title, command, CSV and SVG of each, with a NUL behind each"},
    {"convert", module_convert, METH_VARARGS,
     "convert(trace, format, path, target, selection, is_selected, settings, variant, compression, streams, "
     "replace, fail_on_loss, with): the "
     "report, as JSON"},
    {"relation", module_relation, METH_VARARGS,
     "relation(trace, name, selection, settings, columns): (stream, source)"},
    {"sql", module_sql, METH_VARARGS, "sql(traces, query): (stream, source)"},
    {"compare", module_compare, METH_VARARGS, "compare(a, b, table, levels, threshold): (stream, source)"},
    {"columns", module_columns, METH_O, "columns(stream): (name, type, unit, documentation) of each column"},
    {"portion", module_portion, METH_VARARGS,
     "portion(stream, batches): lengths of the next batches and (name, stream, is null) of their columns, or "
     "None"},
    {"next", module_next, METH_O, "next(stream): the values of the next rows by columns, or None"},
    {"lend", module_lend, METH_O, "lend(source): a library reads its rows now, and an interrupt ends that"},
    {"explain", module_explain, METH_O, "explain(source): raises why the library could not"},
    {"damage", module_damage, METH_O, "damage(source): what was wrong with the trace, or None"},
    {"relations", module_relations, METH_NOARGS,
     "relations(): (name, documentation, class, columns, options) of each"},
    {NULL, NULL, 0, NULL},
};

#define ERROR_DOC                                                                                              \
    "What the library says is wrong.\n\n"                                                                      \
    "status: a word such as \"NOT_FOUND\", \"CORRUPT\" or \"MISUSE\".\n"                                       \
    "finding: a dictionary of path, byte, line, record, field, message and advice; None where not known."

static int prepare(PyObject *module) {
    struct module_state *state = PyModule_GetState(module);
    state->error = PyErr_NewExceptionWithDoc("quipu.Error", ERROR_DOC, PyExc_Exception, NULL);
    if (!state->error || PyObject_SetAttrString(module, "Error", state->error) != 0)
        return -1;
    return PyModule_AddStringConstant(module, "version", quipu_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
    const struct module_state *state = PyModule_GetState(module);
    Py_VISIT(state->error);
    return 0;
}

static int clear(PyObject *module) {
    struct module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->error);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)prepare}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "quipu._quipu",
    .m_size = sizeof(struct module_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
};

PyMODINIT_FUNC PyInit__quipu(void) {
    return PyModuleDef_Init(&definition);
}
