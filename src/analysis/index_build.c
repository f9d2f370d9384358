/* index_build.c: building the index of a trace.
 *
 * A first pass over everything finds the range of times, and whether the trace is sound. The second one goes through substream
 * after substream with a state of each analysis that has checkpoints. Before that analyses that have levels of detail read it by themselves. A batch in which a point lies is consumed in two parts, so
 * that the states are exact at the point's time; resuming there means decoding that batch once more, of which the filter
 * then drops what was before.
 */
#include "analysis/shared/fold.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "core/os.h"
#include "core/files/output.h"
#include "index/builder.h"
#include "model/batch.h"
#include "trace/reader.h"
#include "trace/shared_reading.h"
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
    struct quipu__share share;
    struct quipu__counts counts;
    struct quipu__batch *batch;
    uint32_t substream; /* among all */
    uint64_t events;
    uint64_t saved_at; /* bytes that the pass had read when it was saved last */
    struct quipu__buffer
        *out; /* what is known at points goes there, for another process; NULL: into the index */
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

/* For another process, which adds the levels: a section that is what it was at the point before only says so. */
static enum quipu_status hand_on_point(struct building *building, struct quipu_error *err) {
    struct quipu__index_builder *builder = &building->builder;
    for (uint32_t i = 0; i < building->first_level; i++) {
        const struct quipu__buffer *section = &building->sections[i];
        struct quipu__buffer *last = &builder->last[i];
        const bool is_repeated = builder->point > 0 && section->len == last->len &&
                                 (section->len == 0 || memcmp(section->data, last->data, section->len) == 0);
        quipu__put_u8(building->out, !is_repeated);
        if (is_repeated)
            continue;
        quipu__pack_bytes(building->out, section->data, section->len);
        last->len = 0;
        quipu__put(last, section->data, section->len);
        if (last->failed)
            return quipu__no_memory(err, section->len);
    }
    if (++builder->point == builder->index.times.count) {
        builder->substream++;
        builder->point = 0;
    }
    return building->out->failed ? quipu__no_memory(err, building->out->len) : QUIPU_OK;
}

/* What is known at the next point of the substream. */
static enum quipu_status add_point(struct building *building, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < building->fold_count && status == QUIPU_OK; i++) {
        struct quipu__buffer *section = &building->sections[building->first_fold + i];
        section->len = 0;
        status = building->folds[i]->save_checkpoint(building->states[i], section, err);
    }
    if (building->out)
        return status == QUIPU_OK ? hand_on_point(building, err) : status;
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

/* What the pass must know to resume behind the batch that it has given last. That is not saved again before as many bytes have been read as
 * were saved, so saving costs no more than reading, and resuming reads no more than twice what was saved. */
static enum quipu_status save_pass(struct building *building, const struct quipu__source *source,
                                   struct quipu_error *err) {
    if (building->first_fold == 0 || source->pass->bytes - building->saved_at < building->sections[0].len)
        return QUIPU_OK;
    building->saved_at = source->pass->bytes;
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
    int64_t last = INT64_MIN, point;
    enum quipu_status status = quipu__source_open(source, building->trace, &building->everything,
                                                  &building->share, &building->counts, err);
    building->saved_at = 0;
    if (building->first_fold > 0)
        building->sections[0].len = 0;
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

static enum quipu_status go_through_streams(struct building *building, uint32_t first, uint32_t end,
                                            struct quipu_error *err) {
    enum quipu_status status =
        quipu__batch_new(building->trace->memory, building->share.capacity, &building->batch, err);
    for (uint32_t stream = first; stream < end; stream++)
        for (uint32_t substream = 0;
             substream < building->trace->streams.items[stream].substreams && status == QUIPU_OK; substream++)
            status = go_through_substream(building, stream, substream, err);
    return status;
}

/* ---- Sharing ----
 *
 * Others read for rank 0 what the range of times and the levels need. Then each process goes through its streams, and rank 0 adds what they
 * know at the points. It may drop points on the way, of which the others do not know: those are passed over. */

static void put_question(const struct building *building, struct quipu__buffer *out) {
    const struct quipu__index *index = &building->builder.index;
    quipu__pack_u64(out, building->share.window);
    quipu__pack_u64(out, building->share.capacity);
    quipu__pack_u64(out, index->times.count);
    for (size_t i = 0; i < index->times.count; i++)
        quipu__pack_i64(out, index->times.items[i]);
}

static enum quipu_status read_question(struct building *building, struct quipu__slice *from,
                                       struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    building->share.window = (size_t)quipu__unpack_up_to(from, SIZE_MAX);
    building->share.capacity = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from));
         left > 0 && status == QUIPU_OK && !from->failed; left--)
        status = quipu__index_builder_point(&building->builder, quipu__unpack_i64(from), err);
    return status == QUIPU_OK && (from->failed || building->share.capacity == 0)
               ? quipu__fail(err, QUIPU_CORRUPT, "what is asked for cannot be right")
               : status;
}

static void divide(struct building *building, uint32_t rank, uint32_t *first, uint32_t *end) {
    struct quipu_transport as_rank = *quipu__reader_sharing(building->reader)->transport;
    as_rank.rank = rank;
    quipu__divide_streams(building->trace, &as_rank, first, end);
}

static uint32_t substreams_before(const struct building *building, uint32_t stream) {
    return building->builder.index.first_substreams[stream];
}

/* What is known in the streams of a process, in the places of those points that the index still has. */
static enum quipu_status add_answer(struct building *building, uint32_t rank, struct quipu__slice from,
                                    const int64_t *times, size_t count, struct quipu_error *err) {
    const struct quipu_format *format = quipu_reader_format(building->reader);
    const struct quipu__known_rules known = {format->rules, format->rule_count, NULL};
    uint32_t first, end;
    enum quipu_status status = QUIPU_OK;
    divide(building, rank, &first, &end);
    for (building->substream = substreams_before(building, first);
         building->substream < substreams_before(building, end); building->substream++)
        for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
            int64_t next;
            for (uint32_t k = 0; k < building->first_level; k++)
                if (quipu__take_u8(&from) != 0) {
                    const struct quipu__slice bytes = quipu__unpack_bytes(&from);
                    building->sections[k].len = 0;
                    quipu__put(&building->sections[k], bytes.at, from.failed ? 0 : quipu__slice_left(&bytes));
                }
            if (from.failed)
                return quipu__fail(err, QUIPU_CORRUPT, "what a process has handed on cannot be right");
            put_levels(building);
            if (quipu__index_builder_next(&building->builder, building->substream, &next) && next == times[i])
                status = quipu__index_builder_add(&building->builder, building->sections, err);
        }
    return status == QUIPU_OK ? quipu__findings_load(building->trace->findings, &from, &known, err) : status;
}

/* Each answer is taken, whatever has gone wrong. */
static enum quipu_status take_answers(struct building *building, struct quipu__remote *remote,
                                      const int64_t *times, size_t count, enum quipu_status status,
                                      struct quipu_error *err) {
    for (uint32_t rank = 1; rank < remote->transport->size; rank++) {
        struct quipu__slice answer;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        enum quipu_status taken = remote->receive(remote, rank, &answer, &trouble);
        if (taken == QUIPU_OK && status == QUIPU_OK)
            taken = add_answer(building, rank, answer, times, count, &trouble);
        if (taken == QUIPU_OK || status != QUIPU_OK)
            continue;
        status = taken;
        *err = trouble;
    }
    return status;
}

/* Rank 0: the others go through their streams meanwhile. */
static enum quipu_status go_through_together(struct building *building, struct quipu__remote *remote,
                                             struct quipu_error *err) {
    struct quipu__memory *memory = building->trace->memory;
    const size_t count = building->builder.index.times.count;
    struct quipu__buffer question, times;
    uint32_t first, end;
    quipu__buffer_init(&question, memory, 0);
    quipu__buffer_init(&times, memory, 0);
    put_question(building, &question);
    quipu__put(&times, building->builder.index.times.items, count * sizeof(int64_t));
    enum quipu_status status = question.failed || times.failed ? quipu__no_memory(err, question.len)
                                                               : remote->ask(remote, &question, err);
    if (status == QUIPU_OK) {
        divide(building, 0, &first, &end);
        status = go_through_streams(building, first, end, err);
        status = take_answers(building, remote, (const int64_t *)(const void *)times.data, count, status, err);
    }
    quipu__buffer_release(&question);
    quipu__buffer_release(&times);
    return status;
}

/* What is found goes with the answer. */
static enum quipu_status hand_on(struct building *building, struct quipu_error *err) {
    const struct quipu_transport *transport = quipu__reader_sharing(building->reader)->transport;
    struct quipu__trace *trace = building->trace;
    struct quipu_findings *found, *before = trace->findings;
    uint32_t first, end;
    enum quipu_status status = quipu__findings_new(trace->memory, &found, err);
    if (status != QUIPU_OK)
        return status;
    divide(building, transport->rank, &first, &end);
    building->substream = building->builder.substream = substreams_before(building, first);
    trace->findings = trace->files->findings = found;
    status = go_through_streams(building, first, end, err);
    trace->findings = trace->files->findings = before;
    quipu__findings_save(found, building->out);
    quipu__findings_free(found);
    return status;
}

static enum quipu_status go_through(struct building *building, struct quipu_error *err) {
    struct quipu__remote *remote = quipu__reader_sharing(building->reader)->remote;
    building->share = quipu__share_of(building->trace->memory, 1);
    quipu_reader_rewind(building->reader);
    return remote ? go_through_together(building, remote, err)
                  : go_through_streams(building, 0, (uint32_t)building->trace->streams.count, err);
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

/* What another process answers: what is known in its streams at the points that rank 0 names. */
static enum quipu_status answer(void *context, struct quipu__slice question, struct quipu__buffer *out,
                                struct quipu_error *err) {
    struct building *building = context;
    building->out = out;
    enum quipu_status status = begin(building, err);
    if (status == QUIPU_OK)
        status = read_question(building, &question, err);
    if (status == QUIPU_OK)
        status = hand_on(building, err);
    end(building);
    return status == QUIPU_OK ? quipu__memory_status(building->trace->memory, err) : status;
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

static struct building building_of(struct quipu_reader *reader) {
    struct quipu__trace *trace = quipu__reader_trace(reader);
    const bool keeps_events = trace->format->resuming && trace->format->resuming->keeps_events;
    return (struct building){
        .reader = reader,
        .trace = trace,
        .start = {.definitions = quipu_reader_definitions(reader), .memory = trace->memory},
        .everything = {
            .from = INT64_MIN, .to = INT64_MAX, .kinds = QUIPU_ALL_KINDS, .without_attributes = !keeps_events}};
}

static enum quipu_status build_file(struct quipu_reader *reader, const char *path,
                                    const struct quipu_index_options *options, struct quipu_index_result *out,
                                    struct quipu_error *err) {
    struct building building = building_of(reader);
    struct quipu__outputs *outputs;
    struct quipu__file *output;
    enum quipu_status status = open_output(reader, path, options, &outputs, &output, err);
    const struct quipu_progress before = quipu__reader_watch(reader, &options->progress);
    if (status == QUIPU_OK)
        status = build(&building, output, options, out, err);
    quipu__reader_unwatch(reader, before);
    if (status == QUIPU_OK)
        return quipu__outputs_commit(outputs, err);
    quipu__outputs_discard(outputs);
    return status;
}

/* An index that rank 0 writes, for which others read. */
struct led_index {
    struct quipu_reader *reader;
    const char *path;
    const struct quipu_index_options *options;
    struct quipu_index_result *out;
};

static enum quipu_status lead(void *context, struct quipu_error *err) {
    const struct led_index *led = context;
    return build_file(led->reader, led->path, led->options, led->out, err);
}

/* What uses undefined numbers is refused: by one process, which finds the same as always. */
static enum quipu_status refuse_alone(void *context, struct quipu_error *err) {
    const struct led_index *led = context;
    const struct building building = building_of(led->reader);
    struct quipu_summary range;
    const enum quipu_status status = look_over(&building, &range, err);
    return status == QUIPU_OK ? quipu__fail(err, QUIPU_CORRUPT, "the trace has changed while it was read")
                              : status;
}

enum quipu_status quipu_index_build(struct quipu_reader *reader, const char *path,
                                    const struct quipu_index_options *options, struct quipu_index_result *out,
                                    struct quipu_error *err) {
    const struct quipu_transport *transport = quipu__reader_sharing(reader)->transport;
    const char *file = path ? path : quipu_reader_index_path(reader);
    struct quipu_error own = QUIPU_ERROR_INIT;
    err = err ? err : &own;
    *out = (struct quipu_index_result){0};
    if (options->interval < 0 || (options->interval == 0 && options->count == 0))
        return quipu__fail(err, QUIPU_MISUSE, "neither an interval nor a number of points is given");
    if (transport && transport->only_gathers)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "an index cannot be put together of parts");
    struct building building = building_of(reader);
    struct led_index context = {reader, file, options, out};
    const struct quipu__remote_work work = {&building, answer};
    const struct quipu__leading leading = {&context, lead, refuse_alone, &work};
    return transport ? quipu__lead(reader, &leading, err) : lead(&context, err);
}
