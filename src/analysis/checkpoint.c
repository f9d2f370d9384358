/* checkpoint.c: an analysis that resumes at a checkpoint of the index.
 *
 * Each substream has a state of its own, which is loaded as it was at the latest point that the selection allows,
 * consumes the rest of the substream and is then added to the total of its thread. Locations whose events are in several
 * streams begin again in each of them, as they do without an index. When anything is not as it should be nothing is
 * answered, and the caller reads everything.
 */
#include "analysis/shared/fold.h"

#include "core/error.h"
#include "trace/reader.h"

struct resumed {
    const struct quipu__fold *fold;
    const struct quipu__fold_start *start;
    const struct quipu__index *index;
    uint32_t point;
};

/* What one thread has. */
struct share {
    const struct resumed *resumed;
    void *total;     /* of the substreams that it has read */
    void *substream; /* the state of the substream at hand, NULL before the first */
    struct quipu__buffer room;
    bool is_useless; /* a substream could not be loaded */
};

/* ---- Substreams ---- */

static enum quipu_status end_substream(struct share *share, struct quipu_error *err) {
    const struct quipu__fold *fold = share->resumed->fold;
    if (!share->substream)
        return QUIPU_OK;
    const enum quipu_status status = fold->combine(share->total, share->substream, err);
    fold->release(share->substream);
    share->substream = NULL;
    return status;
}

static enum quipu_status begin_source(void *state, const struct quipu__source *source,
                                      struct quipu_error *err) {
    struct share *share = state;
    const struct resumed *resumed = share->resumed;
    struct quipu__slice bytes;
    enum quipu_status status = end_substream(share, err);
    if (status == QUIPU_OK)
        status = quipu__index_section(resumed->index, resumed->fold->section, source->stream, source->substream,
                                      resumed->point, &share->room, &bytes, err);
    if (status == QUIPU_OK)
        status = bytes.at ? resumed->fold->resume(resumed->start, bytes, &share->substream, err)
                          : quipu__fail(err, QUIPU_CORRUPT, "the index knows nothing of a substream");
    share->is_useless |= status == QUIPU_CORRUPT;
    return status;
}

static enum quipu_status consume_rest(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    const struct share *share = state;
    return share->resumed->fold->consume(share->substream, batch, err);
}

/* ---- All of them ---- */

/* Nothing is left to read: all substreams go to one share. */
static enum quipu_status load_all(struct share *share, struct quipu_reader *reader,
                                  const struct quipu_selection *selection, struct quipu_error *err) {
    enum quipu_status status = quipu_reader_select(reader, selection, err);
    for (uint32_t stream = 0; stream < quipu_reader_stream_count(reader); stream++)
        for (uint32_t substream = 0;
             substream < quipu_reader_stream_at(reader, stream)->substreams && status == QUIPU_OK; substream++)
            status =
                begin_source(share, &(struct quipu__source){.stream = stream, .substream = substream}, err);
    return status;
}

static enum quipu_status read_rest(const struct resumed *resumed, struct share *shares, uint32_t count,
                                   struct quipu_reader *reader, const struct quipu_selection *selection,
                                   struct quipu_error *err) {
    void *states[QUIPU__THREADS_MOST];
    struct quipu_selection rest = *selection;
    bool must_repeat = false;
    const struct quipu__worker_pool workers = {.consume = consume_rest,
                                               .begin_source = begin_source,
                                               .states = states,
                                               .thread_count = count,
                                               .must_repeat = &must_repeat};
    for (uint32_t i = 0; i < count; i++)
        states[i] = &shares[i];
    rest.from = quipu__index_time(resumed->index, resumed->point);
    enum quipu_status status = quipu_reader_select(reader, &rest, err);
    if (status == QUIPU_OK)
        status = quipu__reader_share(reader, &workers, err);
    shares[0].is_useless |= must_repeat;
    return status;
}

/* Joins all substreams and shares in the first one. */
static enum quipu_status join(const struct resumed *resumed, struct share *shares, uint32_t count,
                              struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++) {
        status = end_substream(&shares[i], err);
        if (status == QUIPU_OK && i > 0)
            status = resumed->fold->combine(shares[0].total, shares[i].total, err);
    }
    return status;
}

static enum quipu_status begin_shares(const struct resumed *resumed, struct share *shares, uint32_t count,
                                      struct quipu_reader *reader, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count; i++) {
        shares[i] = (struct share){.resumed = resumed};
        quipu__buffer_init(&shares[i].room, quipu__reader_trace(reader)->memory, 0);
        if (status == QUIPU_OK)
            status = resumed->fold->begin(resumed->start, &shares[i].total, err);
    }
    return status;
}

/* Whether something of the index could not be used. */
static bool are_useless(const struct share *shares, uint32_t count) {
    bool is_useless = false;
    for (uint32_t i = 0; i < count; i++)
        is_useless |= shares[i].is_useless;
    return is_useless;
}

static void release_shares(const struct resumed *resumed, struct share *shares, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        quipu__buffer_release(&shares[i].room);
        if (shares[i].substream)
            resumed->fold->release(shares[i].substream);
        if (shares[i].total)
            resumed->fold->release(shares[i].total);
    }
}

/* From the beginning up to a time. */
static bool is_all_from_the_beginning(const struct quipu__fold *fold, const struct quipu_selection *selection) {
    return selection->from == INT64_MIN && !selection->locations && !selection->regions && !selection->where &&
           selection->kinds == fold->kinds;
}

/* The latest point whose sections are of use; QUIPU_NONE when there is none. */
static uint32_t find_point(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                           struct quipu_reader *reader, const struct quipu_selection *selection) {
    const bool has_checkpoint = fold->resume && (!fold->can_resume || fold->can_resume(&start->settings)) &&
                                is_all_from_the_beginning(fold, selection);
    const int64_t time = start->window ? start->window->from : selection->to;
    return has_checkpoint ? quipu__index_find(quipu__reader_index(reader), time) : QUIPU_NONE;
}

/* ---- Levels ---- */

/* The section of a level lies at the last point of the first substream of all. */
static enum quipu_status load_level(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                    const struct quipu__index *index, size_t level, struct quipu__buffer *room,
                                    void **state, struct quipu_error *err) {
    const uint32_t last = quipu__index_find(index, INT64_MAX);
    struct quipu__slice bytes;
    uint32_t stream = 0;
    while (stream < index->stream_count && index->first_substreams[stream + 1] == 0)
        stream++;
    if (!fold->levels->serves(&start->settings, level) || !quipu__index_is_end(index, last) ||
        stream == index->stream_count)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__index_section(index, fold->levels->sections[level], stream, 0, last, room, &bytes, err);
    return status == QUIPU_OK && quipu__slice_left(&bytes) > 0
               ? fold->levels->load(start, level, bytes, state, err)
               : status;
}

/* From the coarsest level that answers. */
static enum quipu_status load_levels(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                     struct quipu_reader *reader, const struct quipu_selection *selection,
                                     void **state, struct quipu_error *err) {
    const bool is_everything = fold->levels && !start->window && !start->fills_index &&
                               selection->to == INT64_MAX && is_all_from_the_beginning(fold, selection);
    const struct quipu__index *index = is_everything ? quipu__reader_index(reader) : NULL;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    struct quipu__buffer room;
    if (!index || index->times.count == 0)
        return QUIPU_OK;
    quipu__buffer_init(&room, quipu__reader_trace(reader)->memory, 0);
    enum quipu_status status = quipu_reader_select(reader, selection, &trouble);
    for (size_t i = 0; i < fold->levels->count && status == QUIPU_OK && !*state; i++)
        status = load_level(fold, start, index, i, &room, state, &trouble);
    quipu__buffer_release(&room);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    if (*state)
        fold->release(*state);
    *state = NULL;
    if (status == QUIPU_CORRUPT)
        quipu__reader_refuse_index(reader, trouble.message);
    else if (err)
        *err = trouble;
    return status == QUIPU_CORRUPT ? QUIPU_OK : status;
}

enum quipu_status quipu__fold_resume(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                     struct quipu_reader *reader, const struct quipu_selection *selection,
                                     void **state, struct quipu_error *err) {
    struct share shares[QUIPU__THREADS_MOST];
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    *state = NULL;
    if (quipu__reader_sharing(reader)->transport)
        return QUIPU_OK;
    const uint32_t point = find_point(fold, start, reader, selection);
    if (point == QUIPU_NONE)
        return load_levels(fold, start, reader, selection, state, err);
    const struct resumed resumed = {fold, start, quipu__reader_index(reader), point};
    const bool is_end = quipu__index_is_end(resumed.index, point);
    const uint32_t count = is_end ? 1 : quipu__reader_threads(reader, QUIPU__THREADS_MOST);
    enum quipu_status status = begin_shares(&resumed, shares, count, reader, &trouble);
    if (status == QUIPU_OK)
        status = is_end ? load_all(&shares[0], reader, selection, &trouble)
                        : read_rest(&resumed, shares, count, reader, selection, &trouble);
    if (status == QUIPU_OK)
        status = join(&resumed, shares, count, &trouble);
    const bool is_useless = are_useless(shares, count);
    if (is_useless)
        quipu__reader_refuse_index(reader, trouble.message);
    else if (status == QUIPU_OK) {
        *state = shares[0].total;
        shares[0].total = NULL;
    } else if (err)
        *err = trouble;
    release_shares(&resumed, shares, count);
    return is_useless ? QUIPU_OK : status;
}
