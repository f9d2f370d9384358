/* index_build.c: building the index of a trace.
 *
 * A first pass over everything finds the range of times, and whether the trace is sound. The second one goes through substream
 * after substream with a state of each analysis that has checkpoints. Before that analyses that have levels of detail read it by themselves. A batch in which a point lies is consumed in two parts, so
 * that the states are exact at the point's time; resuming there means decoding that batch once more, of which the filter
 * then drops what was before.
 */
#include "analysis/shared/fold.h"

#include "core/error.h"
#include "core/os.h"
#include "core/files/output.h"
#include "index/builder.h"
#include "model/batch.h"
#include "trace/reader.h"
#include "trace/source.h"
#include "trace/writer.h"

#include <quipu/index.h>

#include <string.h>

/* Sections: first that of the pass, in formats that have it, then those of the folds, then levels, which stand at the last point of the first
 * substream. */
struct building {
    struct quipu_reader *reader;
    struct quipu__trace *trace;
    struct quipu__fold_start start;
    struct quipu__index_builder builder;
    const struct quipu__fold *folds[QUIPU__INDEX_SECTIONS_MOST];
    void *states[QUIPU__INDEX_SECTIONS_MOST];                /* of the substream at hand */
    uint32_t fold_count, first_fold;                         /* section of the first one */
    uint32_t first_level;                                    /* section of the first level */
    struct quipu__buffer levels[QUIPU__INDEX_SECTIONS_MOST]; /* from 0 on */
    struct quipu__buffer sections[QUIPU__INDEX_SECTIONS_MOST];
    struct quipu__filter everything;
    struct quipu__counts counts;
    struct quipu__batch *batch;
    uint32_t substream; /* among all */
    uint64_t events;
};

/* ---- Points ---- */

/* In equal distances behind the first time; the last one is behind the last time. There are not more than have room. */
static enum quipu_status add_points(struct building *building, const struct quipu_index_options *options,
                                    const struct quipu_summary *range, struct quipu_error *err) {
    struct quipu__index *index = &building->builder.index;
    const uint64_t first = (uint64_t)range->first, length = (uint64_t)range->last - first + 1;
    const uint64_t substreams = index->first_substreams[index->stream_count];
    const uint64_t room = building->builder.most / (substreams * index->section_count) + 2;
    uint64_t count = options->interval > 0 ? (length - 1) / (uint64_t)options->interval + 1 : options->count;
    uint64_t distance = (uint64_t)options->interval;
    count = count < length ? count : length;
    for (; count > room; distance *= 2)
        count = count / 2 + count % 2;
    index->has_end = range->last < INT64_MAX;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t i = 1; i < count && status == QUIPU_OK; i++) {
        const uint64_t behind = distance > 0 ? i * distance : length / count * i + length % count * i / count;
        status = quipu__index_builder_point(&building->builder, (int64_t)(first + behind), err);
    }
    return status == QUIPU_OK && index->has_end
               ? quipu__index_builder_point(&building->builder, range->last + 1, err)
               : status;
}

/* ---- Soundness ---- */

static enum quipu_status refuse(const struct building *building, const char *why, const char *advice,
                                struct quipu_error *err) {
    quipu__fail(err, QUIPU_CORRUPT, "%s, which an index would hide", why);
    quipu__at(err, building->trace->path, QUIPU_UNKNOWN);
    quipu__advise(err, "%s", advice);
    return QUIPU_CORRUPT;
}

static uint64_t count_definitions(const struct quipu_definitions *definitions) {
    uint64_t count = 0;
#define QUIPU_DEFINITION(plural, singular, doc) count += definitions->plural.count;
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    return count;
}

/* Reads the trace once. */
static enum quipu_status look_over(const struct building *building, struct quipu_summary *range,
                                   struct quipu_error *err) {
    const struct quipu_findings *findings = quipu_reader_findings(building->reader);
    const uint64_t defined = count_definitions(building->start.definitions);
    const enum quipu_status status = quipu_summarise(building->reader, NULL, range, err);
    if (status != QUIPU_OK)
        return status;
    if (quipu_findings_total(findings, QUIPU_DATA_LOSS) > 0 ||
        quipu_findings_total(findings, QUIPU_ERROR_FINDING) > 0)
        return refuse(building, "the trace is damaged", "make a sound one of it: quipu repair", err);
    if (count_definitions(building->start.definitions) != defined)
        return refuse(building, "the trace uses what it does not define",
                      "make a sound one of it: quipu repair", err);
    if (!range->has_times)
        return quipu__fail(err, QUIPU_NOT_FOUND, "the trace has no events");
    return QUIPU_OK;
}

/* ---- Levels ---- */

/* As fine ones as have room: half of the index is for what is known at its points. */
static enum quipu_status save_levels(struct building *building, const struct quipu__fold *fold, void *state,
                                     uint32_t *level, size_t *room, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < fold->levels->count && status == QUIPU_OK; i++) {
        struct quipu__buffer *saved = &building->levels[(*level)++];
        status = fold->levels->save(state, i, saved, err);
        if (saved->len > *room)
            saved->len = 0;
        *room -= saved->len;
    }
    return status;
}

static enum quipu_status read_levels(struct building *building, struct quipu_error *err) {
    uint32_t level = 0;
    size_t room = building->builder.most / 2;
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < quipu_analysis_count() && status == QUIPU_OK; i++) {
        const struct quipu__fold *fold = quipu__fold_at(i);
        struct quipu__analysis_answer answer;
        if (!fold->levels)
            continue;
        quipu_reader_rewind(building->reader);
        status =
            quipu__analysis_run(building->reader, fold->info.name, NULL, QUIPU__FOR_INDEX, NULL, &answer, err);
        if (status == QUIPU_OK)
            status = save_levels(building, fold, answer.state, &level, &room, err);
        quipu__analysis_answer_release(&answer);
        quipu_tables_free(answer.tables);
    }
    return status;
}

/* ---- Events ---- */

/* A fold gets only the kinds that it wants to see: what lies between others as it is. */
static enum quipu_status consume_kinds(const struct quipu__fold *fold, void *state,
                                       const struct quipu_batch *batch, uint32_t first, uint32_t end,
                                       struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (first < end && status == QUIPU_OK) {
        uint32_t next = first;
        while (next < end && (fold->kinds >> batch->kind[next] & 1) != 0)
            next++;
        const struct quipu_batch range = quipu__batch_range(batch, first, next);
        if (range.count > 0)
            status = fold->consume(state, &range, err);
        first = next;
        while (first < end && (fold->kinds >> batch->kind[first] & 1) == 0)
            first++;
    }
    return status;
}

static enum quipu_status consume(struct building *building, uint32_t first, uint32_t end,
                                 struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < building->fold_count && status == QUIPU_OK; i++)
        status =
            consume_kinds(building->folds[i], building->states[i], &building->batch->batch, first, end, err);
    return status;
}

/* Levels are known at the last point of the first substream. */
static void put_levels(struct building *building) {
    const struct quipu__index *index = &building->builder.index;
    const bool is_there =
        building->substream == 0 && index->has_end && building->builder.point + 1 == index->times.count;
    for (uint32_t i = building->first_level; i < index->section_count; i++) {
        const struct quipu__buffer *level = &building->levels[i - building->first_level];
        building->sections[i].len = 0;
        if (is_there)
            quipu__put(&building->sections[i], level->data, level->len);
    }
}

/* What is known at the next point of the substream. */
static enum quipu_status add_point(struct building *building, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < building->fold_count && status == QUIPU_OK; i++) {
        struct quipu__buffer *section = &building->sections[building->first_fold + i];
        section->len = 0;
        status = building->folds[i]->save_checkpoint(building->states[i], section, err);
    }
    put_levels(building);
    return status == QUIPU_OK ? quipu__index_builder_add(&building->builder, building->sections, err) : status;
}

/* Consumes the batch with stops at the points that lie in it. */
static enum quipu_status consume_batch(struct building *building, struct quipu_error *err) {
    const struct quipu_batch *batch = &building->batch->batch;
    enum quipu_status status = QUIPU_OK;
    uint32_t done = 0;
    int64_t point;
    while (status == QUIPU_OK && quipu__index_builder_next(&building->builder, building->substream, &point) &&
           point <= batch->time[batch->count - 1]) {
        uint32_t end = done;
        while (batch->time[end] < point)
            end++;
        status = consume(building, done, end, err);
        done = end;
        if (status == QUIPU_OK)
            status = add_point(building, err);
    }
    return status == QUIPU_OK ? consume(building, done, batch->count, err) : status;
}

/* ---- Substreams ---- */

static bool is_in_order(const struct quipu_batch *batch, int64_t *last) {
    for (uint32_t i = 0; i < batch->count; i++) {
        if (batch->time[i] < *last)
            return false;
        *last = batch->time[i];
    }
    return true;
}

/* What the pass must know to resume behind the batch that it has given last. */
static enum quipu_status save_pass(struct building *building, const struct quipu__source *source,
                                   struct quipu_error *err) {
    if (building->first_fold == 0)
        return QUIPU_OK;
    building->sections[0].len = 0;
    return building->trace->format->resuming->save(source->pass, &building->sections[0], err);
}

static enum quipu_status read_batch(struct building *building, struct quipu__source *source, int64_t *last,
                                    struct quipu_error *err) {
    enum quipu_status status = save_pass(building, source, err);
    if (status == QUIPU_OK)
        status = quipu__source_fill(source, building->trace, &building->everything, building->batch, err);
    if (status != QUIPU_OK)
        return status;
    if (!is_in_order(&building->batch->batch, last))
        return refuse(building, "times go back in the trace", "put it in order: quipu merge, or quipu repair",
                      err);
    building->events += building->batch->batch.count;
    return consume_batch(building, err);
}

static enum quipu_status read_substream(struct building *building, struct quipu__source *source,
                                        struct quipu_error *err) {
    const struct quipu__share share = quipu__share_of(building->trace->memory, 1);
    int64_t last = INT64_MIN, point;
    enum quipu_status status =
        quipu__source_open(source, building->trace, &building->everything, &share, &building->counts, err);
    while (status == QUIPU_OK && (status = read_batch(building, source, &last, err)) == QUIPU_OK)
        if ((status = quipu__reader_report(building->reader, building->counts.bytes, building->events, err)) !=
            QUIPU_OK)
            return status;
    if (status != QUIPU_END)
        return status;
    for (status = QUIPU_OK;
         status == QUIPU_OK && quipu__index_builder_next(&building->builder, building->substream, &point);)
        status = add_point(building, err);
    return status;
}

static enum quipu_status begin_fold(struct building *building, uint32_t number, struct quipu_error *err) {
    const struct quipu__fold *fold = building->folds[number];
    struct quipu__fold_start start = building->start;
    const enum quipu_status status = quipu__fold_settings(fold, NULL, 0, &start.settings, err);
    return status == QUIPU_OK ? fold->begin(&start, &building->states[number], err) : status;
}

static enum quipu_status go_through_substream(struct building *building, uint32_t stream, uint32_t substream,
                                              struct quipu_error *err) {
    struct quipu__source source = {.stream = stream, .substream = substream};
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < building->fold_count && status == QUIPU_OK; i++)
        status = begin_fold(building, i, err);
    if (status == QUIPU_OK)
        status = read_substream(building, &source, err);
    quipu__source_close(&source, building->trace);
    for (uint32_t i = 0; i < building->fold_count; i++) {
        if (building->states[i])
            building->folds[i]->release(building->states[i]);
        building->states[i] = NULL;
    }
    building->substream++;
    return status;
}

static enum quipu_status go_through(struct building *building, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const struct quipu__share share = quipu__share_of(building->trace->memory, 1);
    quipu_reader_rewind(building->reader);
    status = quipu__batch_new(building->trace->memory, share.capacity, &building->batch, err);
    for (uint32_t stream = 0; stream < building->trace->streams.count; stream++)
        for (uint32_t substream = 0;
             substream < building->trace->streams.items[stream].substreams && status == QUIPU_OK; substream++)
            status = go_through_substream(building, stream, substream, err);
    return status;
}

/* ---- Building ---- */

static enum quipu_status begin(struct building *building, struct quipu_error *err) {
    struct quipu__memory *memory = building->trace->memory;
    const enum quipu_status status = quipu__index_builder_init(&building->builder, building->trace, err);
    if (building->trace->format->resuming)
        quipu__index_builder_name(&building->builder, QUIPU__INDEX_RESUME);
    building->first_fold = building->builder.index.section_count;
    for (size_t i = 0; i < quipu_analysis_count(); i++)
        if (quipu__fold_at(i)->save_checkpoint) {
            building->folds[building->fold_count++] = quipu__fold_at(i);
            quipu__index_builder_name(&building->builder, quipu__fold_at(i)->section);
        }
    building->first_level = building->builder.index.section_count;
    for (size_t i = 0; i < quipu_analysis_count(); i++)
        for (size_t k = 0; quipu__fold_at(i)->levels && k < quipu__fold_at(i)->levels->count; k++)
            quipu__index_builder_name(&building->builder, quipu__fold_at(i)->levels->sections[k]);
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++) {
        quipu__buffer_init(&building->sections[i], memory, 0);
        quipu__buffer_init(&building->levels[i], memory, 0);
    }
    return status;
}

static void end(struct building *building) {
    for (unsigned i = 0; i < QUIPU__INDEX_SECTIONS_MOST; i++) {
        quipu__buffer_release(&building->sections[i]);
        quipu__buffer_release(&building->levels[i]);
    }
    quipu__batch_free(building->batch);
    quipu__index_builder_release(&building->builder);
}

static enum quipu_status fill(struct building *building, const struct quipu_index_options *options,
                              struct quipu_error *err) {
    struct quipu_summary range;
    enum quipu_status status = look_over(building, &range, err);
    if (status == QUIPU_OK)
        status = quipu__index_builder_survey(&building->builder, err);
    if (status == QUIPU_OK)
        status = read_levels(building, err);
    if (status == QUIPU_OK)
        status = add_points(building, options, &range, err);
    if (status == QUIPU_OK)
        status = go_through(building, err);
    return status == QUIPU_OK ? quipu__memory_status(building->trace->memory, err) : status;
}

static enum quipu_status build(struct building *building, struct quipu__file *file,
                               const struct quipu_index_options *options, struct quipu_index_result *out,
                               struct quipu_error *err) {
    enum quipu_status status = begin(building, err);
    if (status == QUIPU_OK)
        status = fill(building, options, err);
    if (status == QUIPU_OK)
        status = quipu__index_builder_write(&building->builder, file, &out->bytes, err);
    if (status == QUIPU_OK)
        out->points = building->builder.index.times.count;
    end(building);
    return status;
}

/* An index that is of no use may be replaced; what stands there otherwise is not ours to remove. */
static bool may_replace(const struct quipu__trace *trace, const char *path) {
    struct quipu__index index;
    quipu__index_init(&index, trace);
    const enum quipu__index_answer answer = quipu__index_read(&index, trace, path, NULL);
    quipu__index_release(&index);
    return answer == QUIPU__INDEX_DAMAGED || answer == QUIPU__INDEX_CHANGED || answer == QUIPU__INDEX_UNCERTAIN;
}

/* The index of the trace may be replaced, its other files may not. What stands in the way is noticed before reading. */
static enum quipu_status open_output(struct quipu_reader *reader, const char *path,
                                     const struct quipu_index_options *options, struct quipu__outputs **outputs,
                                     struct quipu__file **file, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(reader);
    const bool replace = options->replace || may_replace(trace, path);
    *outputs = NULL;
    if (!path[0] || trace->bytes_total == QUIPU_UNKNOWN)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "what is read from a pipe cannot have an index");
    enum quipu_status status = quipu__outputs_new(trace->memory, replace, 0, options->guard, outputs, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_protect_reader(*outputs, reader, err);
    if (status != QUIPU_OK)
        return status;
    quipu__outputs_spare(*outputs, quipu_reader_index_path(reader));
    return quipu__outputs_add(*outputs, path, 0, file, err);
}

enum quipu_status quipu_index_build(struct quipu_reader *reader, const char *path,
                                    const struct quipu_index_options *options, struct quipu_index_result *out,
                                    struct quipu_error *err) {
    struct building building = {
        .reader = reader,
        .trace = quipu__reader_trace(reader),
        .start = {.definitions = quipu_reader_definitions(reader),
                  .memory = quipu__reader_trace(reader)->memory},
        .everything = {
            .from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS, .without_attributes = true}};
    const char *file = path ? path : quipu_reader_index_path(reader);
    *out = (struct quipu_index_result){0};
    if (options->interval < 0 || (options->interval == 0 && options->count == 0))
        return quipu__fail(err, QUIPU_MISUSE, "neither an interval nor a number of points is given");
    struct quipu__outputs *outputs;
    struct quipu__file *output;
    enum quipu_status status = open_output(reader, file, options, &outputs, &output, err);
    const struct quipu_progress before = quipu__reader_watch(reader, &options->progress);
    if (status == QUIPU_OK)
        status = build(&building, output, options, out, err);
    quipu__reader_unwatch(reader, before);
    if (status == QUIPU_OK)
        return quipu__outputs_commit(outputs, err);
    quipu__outputs_discard(outputs);
    return status;
}
