/* sql_traces.c: traces of tables: their readers, of which a query may need several, and the answers that are kept. */
#include "core/error.h"
#include "index/identity.h"
#include "relation/sql.h"
#include "trace/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- Traces ---- */

static void answer_free(struct quipu__sql_trace *trace, struct quipu__sql_answer *answer) {
    for (size_t i = 0; i < answer->chunks.count; i++)
        quipu__rows_free(answer->chunks.items[i]);
    QUIPU__VEC_RELEASE(&trace->memory, &answer->chunks);
    quipu__release(&trace->memory, answer->key, answer->key_size);
    quipu__release(&trace->memory, answer, sizeof *answer);
}

void quipu__sql_trace_free(struct quipu__sql_trace *trace) {
    for (size_t i = 0; i < trace->answers.count; i++)
        answer_free(trace, trace->answers.items[i]);
    QUIPU__VEC_RELEASE(&trace->memory, &trace->answers);
    for (size_t i = 0; i < trace->readers.count; i++)
        if (trace->readers.items[i].is_own)
            quipu_reader_close(trace->readers.items[i].reader);
    QUIPU__VEC_RELEASE(&trace->memory, &trace->readers);
    struct quipu__memory memory = trace->memory;
    quipu__release(&memory, trace, sizeof *trace);
}

struct quipu__sql_trace *quipu__sql_trace_new(struct quipu_sql *sql, const char *schema,
                                              struct quipu_reader *reader) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    struct quipu__sql_trace *trace = quipu__alloc_zero(&memory, sizeof *trace);
    if (!trace)
        return NULL;
    trace->memory = memory;
    trace->sql = sql;
    snprintf(trace->schema, sizeof trace->schema, "%s", schema);
    struct quipu__sql_reader *first = QUIPU__VEC_ADD(&trace->memory, &trace->readers);
    if (!first) {
        quipu__sql_trace_free(trace);
        return NULL;
    }
    first->reader = reader;
    return trace;
}

/* ---- Readers ---- */

/* A trace that is opened again must look like what it was. */
static enum quipu_status check_unchanged(struct quipu__sql_trace *trace, struct quipu_reader *reader,
                                         struct quipu_error *err) {
    struct quipu__buffer first, again;
    quipu__buffer_init(&first, &trace->memory, 0);
    quipu__buffer_init(&again, &trace->memory, 0);
    enum quipu_status status =
        quipu__identity_put_stamps(quipu__reader_trace(trace->readers.items[0].reader), &first, err);
    if (status == QUIPU_OK)
        status = quipu__identity_put_stamps(quipu__reader_trace(reader), &again, err);
    if (status == QUIPU_OK && (first.failed || again.failed))
        status = quipu__no_memory(err, first.len);
    if (status == QUIPU_OK && (first.len != again.len || memcmp(first.data, again.data, first.len) != 0))
        status = quipu__fail(err, QUIPU_CORRUPT, "the trace has changed since it was opened");
    quipu__buffer_release(&first);
    quipu__buffer_release(&again);
    return status;
}

static enum quipu_status open_again(struct quipu__sql_trace *trace, size_t *out, struct quipu_error *err) {
    struct quipu_reader *reader;
    enum quipu_status status = quipu__reader_open_again(trace->readers.items[0].reader, &reader, err);
    if (status == QUIPU_OK)
        status = check_unchanged(trace, reader, err);
    struct quipu__sql_reader *added =
        status == QUIPU_OK ? QUIPU__VEC_ADD(&trace->memory, &trace->readers) : NULL;
    if (status == QUIPU_OK && !added)
        status = quipu__no_memory(err, sizeof *added);
    if (!added) {
        quipu_reader_close(reader);
        return status;
    }
    *added = (struct quipu__sql_reader){reader, true, true};
    *out = trace->readers.count - 1;
    return QUIPU_OK;
}

enum quipu_status quipu__sql_reader_take(struct quipu__sql_trace *trace, size_t *out, struct quipu_error *err) {
    for (size_t i = 0; i < trace->readers.count; i++)
        if (!trace->readers.items[i].is_used) {
            trace->readers.items[i].is_used = true;
            *out = i;
            return QUIPU_OK;
        }
    return open_again(trace, out, err);
}

/* ---- Answers ---- */

enum { ANSWERS_MOST = 32 };

/* Forgets answers that are not used when there are many. */
static void forget_answers(struct quipu__sql_trace *trace, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < trace->answers.count; i++) {
        struct quipu__sql_answer *answer = trace->answers.items[i];
        if (trace->answers.count <= most || answer->users > 0)
            trace->answers.items[count++] = answer;
        else
            answer_free(trace, answer);
    }
    trace->answers.count = count;
}

/* A text that two requests share when they ask for the same: names and values with their NULs. */
static bool put_key(struct quipu__buffer *key, const struct quipu__relation *relation,
                    const struct quipu_relation_options *options) {
    const void *shape = relation->shape;
    quipu__put(key, &shape, sizeof shape);
    for (size_t i = 0; i < options->setting_count; i++) {
        quipu__put(key, options->settings[i].name, strlen(options->settings[i].name) + 1);
        quipu__put(key, options->settings[i].value, strlen(options->settings[i].value) + 1);
    }
    return !key->failed;
}

static enum quipu_status read_answer(struct quipu__sql_trace *trace, struct quipu__sql_answer *answer,
                                     const struct quipu__relation *relation,
                                     const struct quipu_relation_options *options, struct quipu_error *err) {
    struct quipu__scan *scan = NULL;
    struct quipu__rows *rows;
    size_t reader;
    enum quipu_status status = quipu__sql_reader_take(trace, &reader, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__scan_new(trace->readers.items[reader].reader, relation, options, &scan, err);
    while (status == QUIPU_OK && (status = quipu__scan_next(scan, &rows, err)) == QUIPU_OK) {
        struct quipu__rows **chunk = QUIPU__VEC_ADD(&trace->memory, &answer->chunks);
        if (chunk)
            *chunk = rows;
        else
            quipu__rows_free(rows);
        status = quipu__memory_status(&trace->memory, err);
    }
    quipu__scan_free(scan);
    trace->readers.items[reader].is_used = false;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static struct quipu__sql_answer *find_known(const struct quipu__sql_trace *trace,
                                            const struct quipu__buffer *key) {
    for (size_t i = 0; i < trace->answers.count; i++) {
        struct quipu__sql_answer *answer = trace->answers.items[i];
        if (answer->key_size == key->len && memcmp(answer->key, key->data, key->len) == 0)
            return answer;
    }
    return NULL;
}

static enum quipu_status make_answer(struct quipu__sql_trace *trace, const struct quipu__buffer *key,
                                     const struct quipu__relation *relation,
                                     const struct quipu_relation_options *options,
                                     struct quipu__sql_answer **out, struct quipu_error *err) {
    forget_answers(trace, ANSWERS_MOST);
    struct quipu__sql_answer **slot = QUIPU__VEC_ADD(&trace->memory, &trace->answers);
    struct quipu__sql_answer *answer = slot ? quipu__alloc_zero(&trace->memory, sizeof *answer) : NULL;
    trace->answers.count -= slot != NULL;
    if (!answer)
        return quipu__no_memory(err, sizeof *answer);
    enum quipu_status status = read_answer(trace, answer, relation, options, err);
    if (status == QUIPU_OK && !(answer->key = quipu__alloc(&trace->memory, key->len)))
        status = quipu__no_memory(err, key->len);
    if (status != QUIPU_OK) {
        answer_free(trace, answer);
        return status;
    }
    answer->key_size = key->len;
    memcpy(answer->key, key->data, key->len);
    trace->answers.items[trace->answers.count++] = *out = answer;
    return QUIPU_OK;
}

enum quipu_status quipu__sql_answer_find(struct quipu__sql_trace *trace, const struct quipu__relation *relation,
                                         const struct quipu_relation_options *options,
                                         struct quipu__sql_answer **out, struct quipu_error *err) {
    struct quipu__buffer key;
    enum quipu_status status = QUIPU_OK;
    quipu__memory_forgive(&trace->memory);
    quipu__buffer_init(&key, &trace->memory, 0);
    *out = NULL;
    if (!put_key(&key, relation, options))
        status = quipu__no_memory(err, key.len);
    else if (!(*out = find_known(trace, &key)))
        status = make_answer(trace, &key, relation, options, out, err);
    quipu__buffer_release(&key);
    if (status == QUIPU_OK)
        (*out)->users++;
    return status;
}
