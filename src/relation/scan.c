/* scan.c: scans of relations: what all of them have in common. */
#include "relation/relation.h"

#include "analysis/shared/cells.h"
#include "core/error.h"
#include "core/os.h"
#include "trace/reader.h"

#include <string.h>

/* ---- Options ---- */

static struct quipu_relation_options completed(const struct quipu_relation_options *options) {
    struct quipu_relation_options all = QUIPU_RELATION_OPTIONS_INIT;
    if (options)
        memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    return all;
}

static enum quipu_status check_selection(const struct quipu__relation *relation,
                                         const struct quipu_selection *selection, struct quipu_error *err) {
    const struct {
        unsigned criterion;
        bool is_given;
        const char *what;
    } criteria[] = {
        {QUIPU__BY_TIMES, selection->from != INT64_MIN || selection->to != INT64_MAX, "times"},
        {QUIPU__BY_LOCATIONS, selection->locations != NULL, "locations"},
        {QUIPU__BY_KINDS, selection->kinds != QUIPU_ALL_KINDS, "kinds"},
        {QUIPU__BY_REGIONS, selection->regions != NULL, "regions"},
        {QUIPU__BY_EXPRESSIONS, selection->where != NULL, "an expression"},
    };
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (criteria[i].is_given && (relation->criteria & criteria[i].criterion) == 0)
            return quipu__fail(err, QUIPU_MISUSE, "rows of %s cannot be selected by %s", relation->shape->name,
                               criteria[i].what);
    return QUIPU_OK;
}

static enum quipu_status want(struct quipu__scan *scan, const char *name, struct quipu_error *err) {
    const struct quipu__relation *relation = &scan->relation;
    for (size_t i = 0; i < relation->column_count; i++)
        if (strcmp(relation->columns[i].name, name) == 0) {
            scan->uses[i].is_wanted = true;
            return QUIPU_OK;
        }
    return quipu__fail(err, QUIPU_MISUSE, "%s has no column \"%s\"", relation->shape->name, name);
}

static enum quipu_status want_columns(struct quipu__scan *scan, const struct quipu_relation_options *options,
                                      struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < scan->relation.column_count; i++)
        scan->uses[i].is_wanted = !options->columns;
    for (size_t i = 0; options->columns && i < options->column_count && status == QUIPU_OK; i++)
        status = want(scan, options->columns[i], err);
    return status;
}

/* ---- Making ---- */

static bool has_dictionary(const struct quipu__relation *relation, const struct quipu_table_column *column) {
    return column->type == QUIPU_TYPE_TEXT &&
           (!relation->free_text || strcmp(column->name, relation->free_text) != 0);
}

static enum quipu_status make_columns(struct quipu__scan *scan, struct quipu_error *err) {
    const size_t count = scan->relation.column_count;
    scan->uses = quipu__alloc_zero(&scan->memory, count * sizeof *scan->uses);
    if (scan->relation.is_streamed)
        scan->dictionaries = quipu__alloc_zero(&scan->memory, count * sizeof *scan->dictionaries);
    for (size_t i = 0; scan->dictionaries && scan->uses && i < count; i++) {
        quipu__dictionary_init(&scan->dictionaries[i], &scan->memory);
        scan->uses[i].has_dictionary = has_dictionary(&scan->relation, &scan->relation.columns[i]);
    }
    return quipu__memory_status(&scan->memory, err);
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    enum quipu_status status =
        options->selection ? check_selection(&scan->relation, options->selection, err) : QUIPU_OK;
    scan->from = options->selection ? options->selection->from : INT64_MIN;
    scan->to = options->selection ? options->selection->to : INT64_MAX;
    if (status == QUIPU_OK && options->setting_count > 0 && !scan->relation.fold)
        status = quipu__fail(err, QUIPU_MISUSE, "%s has no options", scan->relation.shape->name);
    if (status == QUIPU_OK)
        status = make_columns(scan, err);
    if (status == QUIPU_OK)
        status = want_columns(scan, options, err);
    return status == QUIPU_OK ? scan->relation.begin(scan, options, err) : status;
}

static void measure_ticks(struct quipu__scan *scan) {
    const struct quipu_clock *clock = &scan->definitions->clock;
    const uint64_t second = UINT64_C(1000000000), seconds = clock->per_seconds > 1 ? clock->per_seconds : 1;
    const uint64_t rate = clock->ticks_per_second > 0 ? clock->ticks_per_second : second;
    const bool is_exact = seconds <= INT64_MAX / second && second * seconds % rate == 0;
    scan->ns_per_tick = is_exact ? (int64_t)(second * seconds / rate) : 0;
    scan->last_exact = is_exact ? INT64_MAX / scan->ns_per_tick : -1;
}

enum quipu_status quipu__scan_new(struct quipu_reader *reader, const struct quipu__relation *relation,
                                  const struct quipu_relation_options *options, struct quipu__scan **out,
                                  struct quipu_error *err) {
    const struct quipu_relation_options all = completed(options);
    struct quipu__memory memory;
    quipu__memory_like(&memory, quipu__reader_trace(reader)->memory);
    struct quipu__scan *scan = *out = quipu__alloc_zero(&memory, sizeof *scan);
    if (!scan)
        return quipu__no_memory(err, sizeof *scan);
    scan->memory = memory;
    scan->relation = *relation;
    scan->reader = reader;
    scan->definitions = quipu_reader_definitions(reader);
    measure_ticks(scan);
    const enum quipu_status status = begin(scan, &all, err);
    if (status != QUIPU_OK) {
        quipu__scan_free(scan);
        *out = NULL;
    }
    return status;
}

/* ---- Rows ---- */

static enum quipu_status end_rows(struct quipu__scan *scan, struct quipu_error *err) {
    struct quipu__rows *rows = scan->rows;
    for (size_t i = 0; i < rows->column_count; i++)
        if (rows->columns[i].values && rows->columns[i].has_dictionary)
            rows->columns[i].texts = quipu__dictionary_texts(&scan->dictionaries[i]);
    const enum quipu_status status = quipu__memory_status(&scan->memory, err);
    return status == QUIPU_OK ? quipu__memory_status(&rows->memory, err) : status;
}

/* Keeps an error for the next call when there are rows to deliver first. */
static enum quipu_status fill(struct quipu__scan *scan, struct quipu_error *err) {
    enum quipu_status status = scan->relation.fill(scan, &scan->delayed);
    const bool fails = status != QUIPU_OK && status != QUIPU_END;
    scan->has_ended = status != QUIPU_OK;
    if (!fails)
        quipu_error_clear(&scan->delayed); /* such as of a stream that is missing, which is a finding */
    if (scan->rows->count > 0) {
        status = end_rows(scan, err);
        scan->has_ended |= status != QUIPU_OK;
        return status;
    }
    if (fails && err)
        *err = scan->delayed;
    quipu_error_clear(&scan->delayed);
    return status;
}

static enum quipu_status make(struct quipu__scan *scan, struct quipu__rows **out, struct quipu_error *err) {
    const struct quipu__relation *relation = &scan->relation;
    *out = NULL;
    if (scan->has_ended) {
        const enum quipu_status delayed = scan->delayed.status;
        if (err && delayed != QUIPU_OK)
            *err = scan->delayed;
        quipu_error_clear(&scan->delayed);
        return delayed == QUIPU_OK ? QUIPU_END : delayed;
    }
    enum quipu_status status = quipu__rows_new(&scan->memory, &scan->pool, relation->columns,
                                               relation->column_count, scan->uses, &scan->rows, err);
    if (status == QUIPU_OK)
        status = fill(scan, err);
    if (status == QUIPU_OK)
        *out = scan->rows;
    else
        quipu__rows_free(scan->rows);
    scan->rows = NULL;
    return status;
}

/* ---- A thread that makes rows ---- */

/* Some batches ahead of the one that consumes them. What is consumed, and in which order, is the same. The consumer alone reports progress, while it waits and
 * with each batch. */

/* Batches that may be ready: so few that their columns still lie in a cache when they are consumed. */
enum { MADE_MOST = 4 };

/* How long the consumer waits before it reports progress. */
#define WAIT_NS ((uint64_t)50 * 1000000)

/* What came of making rows. */
struct made {
    struct quipu__rows *rows; /* NULL unless status is QUIPU_OK */
    enum quipu_status status;
    struct quipu_error err;
};

struct quipu__row_maker {
    struct quipu__scan *scan;
    struct quipu_progress progress; /* of the reader */
    struct quipu__thread *thread;
    struct quipu__lock *lock; /* of everything below */
    struct made made[MADE_MOST];
    uint64_t first, end;           /* number of the next batch to consume, and of the next to make */
    uint64_t bytes, total, events; /* as the thread has reported them */
    bool stops;                    /* progress says so: the reader then fails */
    bool is_over;                  /* nothing more is consumed */
};

static bool note_progress(void *context, uint64_t bytes, uint64_t total, uint64_t events) {
    struct quipu__row_maker *maker = context;
    quipu__lock_take(maker->lock);
    maker->bytes = bytes;
    maker->total = total;
    maker->events = events;
    const bool goes_on = !maker->stops && !maker->is_over;
    quipu__lock_give(maker->lock);
    return goes_on;
}

static void make_rows(void *context) {
    struct quipu__row_maker *maker = context;
    enum quipu_status status = QUIPU_OK;
    quipu__lock_take(maker->lock);
    while (status == QUIPU_OK) {
        while (maker->end - maker->first == MADE_MOST && !maker->is_over)
            quipu__lock_wait(maker->lock, WAIT_NS);
        if (maker->is_over)
            break;
        struct made *made = &maker->made[maker->end % MADE_MOST];
        quipu__lock_give(maker->lock);
        made->err = (struct quipu_error)QUIPU_ERROR_INIT;
        made->status = status = make(maker->scan, &made->rows, &made->err);
        quipu__lock_take(maker->lock);
        maker->end++;
        quipu__lock_wake(maker->lock);
    }
    quipu__lock_give(maker->lock);
}

/* In a process that was forked meanwhile, where the thread is not, and has left off anywhere. */
static bool is_lost(const struct quipu__row_maker *maker) {
    return maker && maker->thread && !quipu__thread_is_here(maker->thread);
}

/* Afterwards the reader is the caller's again. */
static void end_thread(struct quipu__row_maker *maker) {
    if (!maker->thread)
        return;
    quipu__lock_take(maker->lock);
    maker->is_over = true;
    quipu__lock_wake(maker->lock);
    quipu__lock_give(maker->lock);
    quipu__thread_join(maker->thread);
    maker->thread = NULL;
    quipu__reader_unwatch(maker->scan->reader, maker->progress);
}

static void end_maker(struct quipu__scan *scan) {
    struct quipu__row_maker *maker = scan->maker;
    if (!maker)
        return;
    end_thread(maker);
    for (; maker->first < maker->end; maker->first++)
        quipu__rows_free(maker->made[maker->first % MADE_MOST].rows);
    quipu__lock_free(maker->lock);
    quipu__release(&scan->memory, maker, sizeof *maker);
    scan->maker = NULL;
}

static enum quipu_status begin_maker(struct quipu__scan *scan, struct quipu_error *err) {
    struct quipu__row_maker *maker = quipu__alloc_zero(&scan->memory, sizeof *maker);
    if (!maker)
        return quipu__no_memory(err, sizeof *maker);
    const struct quipu_progress noting = {note_progress, maker};
    maker->scan = scan;
    maker->lock = quipu__lock_new();
    maker->progress = quipu__reader_watch(scan->reader, &noting);
    maker->thread = maker->lock ? quipu__thread_start(make_rows, maker) : NULL;
    scan->maker = maker;
    if (maker->thread)
        return QUIPU_OK;
    quipu__reader_unwatch(scan->reader, maker->progress);
    end_maker(scan); /* the consumer makes its rows itself */
    return QUIPU_OK;
}

/* Without the lock meanwhile. */
static void report(struct quipu__row_maker *maker) {
    const struct quipu_progress *progress = &maker->progress;
    const uint64_t bytes = maker->bytes, total = maker->total, events = maker->events;
    if (!progress->report || maker->stops)
        return;
    quipu__lock_give(maker->lock);
    const bool goes_on = progress->report(progress->context, bytes, total, events);
    quipu__lock_take(maker->lock);
    maker->stops |= !goes_on;
}

/* Without the lock meanwhile: makes ready what the thread will fill, or waits for it. */
static void wait_for_rows(struct quipu__row_maker *maker) {
    quipu__lock_give(maker->lock);
    const bool has_worked = quipu__row_pool_refill(maker->scan->pool);
    quipu__lock_take(maker->lock);
    if (has_worked || maker->first < maker->end)
        return;
    quipu__lock_wait(maker->lock, WAIT_NS);
    if (maker->first == maker->end)
        report(maker);
}

/* When the user stops the work, that is the failure with which the reader has stopped. */
static struct made next_made(struct quipu__row_maker *maker) {
    quipu__lock_take(maker->lock);
    report(maker);
    while (maker->first == maker->end)
        wait_for_rows(maker);
    const struct made made = maker->made[maker->first++ % MADE_MOST];
    quipu__lock_wake(maker->lock);
    quipu__lock_give(maker->lock);
    return made;
}

static enum quipu_status consume(struct quipu__scan *scan, struct quipu__rows **out, struct quipu_error *err) {
    *out = NULL;
    if (!scan->maker->thread)
        return QUIPU_END;
    if (is_lost(scan->maker))
        return quipu__fail(err, QUIPU_MISUSE, "the process was forked before the end of the stream");
    const struct made made = next_made(scan->maker);
    *out = made.rows;
    if (made.status == QUIPU_OK)
        return QUIPU_OK;
    end_thread(scan->maker);
    if (err && made.status != QUIPU_END)
        *err = made.err;
    return made.status;
}

/* ---- Next rows ---- */

/* What is made in advance takes a quarter of the memory at most, so that several threads can do what one can. */
static bool has_room_for_maker(const struct quipu__scan *scan) {
    const size_t column = QUIPU__ROWS * sizeof(uint64_t);
    size_t bytes = 0;
    for (size_t i = 0; i < scan->relation.column_count; i++)
        bytes += scan->uses[i].is_wanted ? column : 0;
    return bytes * (MADE_MOST + 2) <= quipu__reader_trace(scan->reader)->memory->limit / 4;
}

enum quipu_status quipu__scan_next(struct quipu__scan *scan, struct quipu__rows **out,
                                   struct quipu_error *err) {
    const bool needs_maker =
        scan->has_delivered && !scan->maker && !scan->has_ended && scan->relation.is_streamed;
    scan->has_delivered = true;
    *out = NULL;
    const enum quipu_status status =
        needs_maker && quipu__reader_has_threads(scan->reader) && has_room_for_maker(scan)
            ? begin_maker(scan, err)
            : QUIPU_OK;
    if (status != QUIPU_OK)
        return status;
    return scan->maker ? consume(scan, out, err) : make(scan, out, err);
}

void quipu__scan_free(struct quipu__scan *scan) {
    if (!scan || is_lost(scan->maker))
        return;
    const size_t count = scan->relation.column_count;
    end_maker(scan);
    if (scan->state)
        scan->relation.release(scan);
    quipu__rows_free(scan->rows);
    quipu__row_pool_free(scan->pool);
    for (size_t i = 0; scan->dictionaries && i < count; i++)
        quipu__dictionary_release(&scan->dictionaries[i]);
    quipu__release(&scan->memory, scan->dictionaries, count * sizeof *scan->dictionaries);
    quipu__release(&scan->memory, scan->uses, count * sizeof *scan->uses);
    quipu__release(&scan->memory, scan->marks, scan->mark_count * sizeof *scan->marks);
    struct quipu__memory memory = scan->memory;
    quipu__release(&memory, scan, sizeof *scan);
}

/* ---- For the relations ---- */

enum quipu_status quipu__scan_select(struct quipu__scan *scan, const struct quipu_selection *selection,
                                     struct quipu_error *err) {
    struct quipu_selection narrowed = QUIPU_SELECTION_INIT;
    if (selection)
        narrowed = *selection;
    narrowed.kinds &= scan->relation.kinds;
    return quipu_reader_select(scan->reader, &narrowed, err);
}

enum quipu_status quipu__scan_read(struct quipu__scan *scan, struct quipu_error *err) {
    if (quipu_reader_delivered(scan->reader) != scan->delivered)
        return quipu__fail(err, QUIPU_MISUSE,
                           "the reader was used for something else before the end of the stream");
    const enum quipu_status status = quipu_reader_next_batch(scan->reader, &scan->batch, err);
    for (uint32_t i = 0; scan->met && status == QUIPU_OK && i < scan->batch->count; i++)
        if (scan->batch->location[i] < scan->met_count)
            scan->met[scan->batch->location[i]] = true;
    scan->event = 0;
    scan->delivered = quipu_reader_delivered(scan->reader);
    return status;
}

enum quipu_status quipu__scan_fill(struct quipu__scan *scan, struct quipu_error *err) {
    const struct quipu__relation *relation = &scan->relation;
    for (;;) {
        relation->put(scan);
        if (quipu__scan_is_full(scan))
            return QUIPU_OK;
        if (scan->has_read_all)
            return QUIPU_END;
        enum quipu_status status = quipu__scan_read(scan, err);
        scan->has_read_all = status == QUIPU_END;
        if (status == QUIPU_OK)
            status = relation->add(scan, err);
        else if (status == QUIPU_END)
            status = relation->end(scan, err);
        if (status != QUIPU_OK)
            return status;
    }
}

enum quipu_status quipu__scan_mark_locations(struct quipu__scan *scan, const struct quipu_selection *selection,
                                             struct quipu_error *err) {
    const uint32_t count = scan->definitions->locations.count;
    if (!selection || !selection->locations)
        return QUIPU_OK;
    scan->marks = quipu__alloc_zero(&scan->memory, count * sizeof *scan->marks);
    if (!scan->marks)
        return quipu__no_memory(err, count);
    scan->mark_count = count;
    for (uint32_t i = 0; i < selection->location_count; i++)
        if (selection->locations[i] < count)
            scan->marks[selection->locations[i]] = true;
    return QUIPU_OK;
}

int32_t quipu__scan_add_name(struct quipu__scan *scan, size_t column, uint64_t key) {
    const enum quipu_refers refers = (enum quipu_refers)(key >> 32);
    char text[32];
    const char *name = quipu__printed_name(scan->definitions, refers, (uint32_t)key, text);
    return name ? quipu__dictionary_add(&scan->dictionaries[column], key, name) : -1;
}
