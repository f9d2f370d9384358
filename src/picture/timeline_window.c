/* timeline_window.c: what lies in a window of time: calls, messages, values of metrics.
 *
 * What is active at the latest point of the index before the window is known from there (a tracker's checkpoint), so reading begins at that point. Calls and
 * messages are those of quipu/calls.h and quipu/messages.h, which first get what is active as if it began just then. Without an index, and
 * with an expression, everything before the window is read.
 */
#include "picture/timeline.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "index/index.h"
#include "model/batch.h"
#include "relation/relation.h"
#include "state/finished_calls.h"
#include "trace/reader.h"

#include <quipu/messages.h>

#include <inttypes.h>
#include <math.h>

enum {
    EVENTS_MOST = 1 << 23, /* that are read for an answer */
    FOUND_MOST = 1 << 18,  /* calls or messages that are looked at */
    SPANS_MOST = 5000,     /* of an answer */
    MESSAGES_MOST = 3000,
    PIXELS_MOST = 4000,
    PRIMED = 4096 /* events of a batch */
};

/* ---- The point of the index ---- */

void quipu__view_origin_release(struct quipu_view *view) {
    if (view->origin.is_known)
        quipu__tracker_release(&view->origin.tracker);
    view->origin.is_known = false;
}

static struct quipu__tracker_options tracker_options(const struct quipu_view *view) {
    struct quipu__tracker_options options =
        quipu__event_tracker_options(view->definitions, QUIPU__INTERVAL_ALL);
    options.has_messages = true;
    return options;
}

/* Adds what a substream's section says. */
static enum quipu_status load_substream(struct quipu_view *view, uint32_t stream, uint32_t substream,
                                        struct quipu__buffer *room, struct quipu_error *err) {
    const struct quipu__index *index = quipu__reader_index(view->reader);
    const struct quipu__tracker_options options = tracker_options(view);
    struct quipu__tracker tracker;
    struct quipu__slice bytes;
    enum quipu_status status = quipu__index_section(index, QUIPU__TRACKER_SECTION, stream, substream,
                                                    view->origin.point, room, &bytes, err);
    if (status != QUIPU_OK || !bytes.at)
        return status == QUIPU_OK ? quipu__fail(err, QUIPU_CORRUPT, "the index knows nothing of a substream")
                                  : status;
    quipu__tracker_init(&tracker, &view->memory, &options);
    status = quipu__tracker_resume(&tracker, bytes, err);
    if (status == QUIPU_OK && !quipu__tracker_join(&view->origin.tracker, &tracker))
        status = quipu__no_memory(err, view->memory.used);
    quipu__tracker_release(&tracker);
    return status;
}

static enum quipu_status load_point(struct quipu_view *view, struct quipu_error *err) {
    struct quipu__buffer room;
    enum quipu_status status = QUIPU_OK;
    quipu__buffer_init(&room, &view->memory, 0);
    for (uint32_t stream = 0; stream < quipu_reader_stream_count(view->reader); stream++)
        for (uint32_t i = 0; i < quipu_reader_stream_at(view->reader, stream)->substreams && status == QUIPU_OK;
             i++)
            status = load_substream(view, stream, i, &room, err);
    quipu__buffer_release(&room);
    return status;
}

/* Finds the point before a time. An index that is wrong is not used. */
static enum quipu_status find_origin(struct quipu_view *view, int64_t time, bool from_beginning,
                                     struct quipu_error *err) {
    const struct quipu__index *index = from_beginning ? NULL : quipu__reader_index(view->reader);
    const uint32_t point = quipu__index_find(index, time);
    const struct quipu__tracker_options options = tracker_options(view);
    if (view->origin.is_known && view->origin.point == point)
        return QUIPU_OK;
    quipu__view_origin_release(view);
    view->origin.is_known = true;
    view->origin.point = point;
    quipu__tracker_init(&view->origin.tracker, &view->memory, &options);
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    const enum quipu_status status = point == QUIPU_NONE ? QUIPU_OK : load_point(view, &trouble);
    if (status == QUIPU_OK)
        return QUIPU_OK;
    quipu__view_origin_release(view);
    if (status == QUIPU_CORRUPT) {
        quipu__reader_refuse_index(view->reader, trouble.message);
        return find_origin(view, time, true, err);
    }
    if (err)
        *err = trouble;
    return status;
}

static int64_t origin_time(const struct quipu_view *view) {
    return view->origin.point == QUIPU_NONE
               ? INT64_MIN
               : quipu__index_time(quipu__reader_index(view->reader), view->origin.point);
}

/* ---- Reading ---- */

/* A window that is read: the question's, and what takes the events. */
struct window {
    struct quipu__view_answer *answer;
    int64_t from, to; /* ns from the origin */
    uint64_t events;
    bool is_too_much;
    enum quipu_status (*add)(struct window *window, const struct quipu_batch *batch, struct quipu_error *err);
    void *into;
};

static struct window window_of(struct quipu__view_answer *answer) {
    const struct quipu_view *view = answer->view;
    struct window window = {.answer = answer,
                            .from = quipu__view_time(view, answer->asked->from),
                            .to = quipu__view_time(view, answer->asked->to)};
    window.from = window.from > view->begin ? window.from : view->begin;
    window.to = window.to < view->end ? window.to : view->end;
    window.to = window.to > window.from ? window.to : window.from;
    return window;
}

static enum quipu_status read_window(struct window *window, const struct quipu_selection *selection,
                                     struct quipu_error *err) {
    struct quipu_reader *reader = window->answer->view->reader;
    const struct quipu_batch *batch;
    enum quipu_status status = quipu_reader_select(reader, selection, err);
    while (status == QUIPU_OK && !window->is_too_much) {
        status = quipu_reader_next_batch(reader, &batch, err);
        if (status == QUIPU_OK) {
            window->events += batch->count;
            window->is_too_much |= window->events > EVENTS_MOST;
            status = window->add(window, batch, err);
        }
    }
    quipu_reader_rewind(reader);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static int64_t ns_of(const struct window *window, int64_t ticks) {
    const struct quipu_view *view = window->answer->view;
    return quipu__view_shown(view, quipu_clock_ns(&view->definitions->clock, ticks));
}

static int64_t ticks_of(const struct window *window, int64_t ns) {
    return quipu_clock_ticks(&window->answer->view->definitions->clock, ns);
}

/* One tick later, so that a window has what happens at its end. */
static int64_t end_ticks(const struct window *window) {
    const int64_t ticks = ticks_of(window, window->to);
    return ticks < INT64_MAX ? ticks + 1 : ticks;
}

/* Passes events that were made up on, and empties the batch. */
static enum quipu_status pass_on(struct window *window, struct quipu__batch *batch, struct quipu_error *err) {
    const enum quipu_status status =
        batch->batch.count > 0 ? window->add(window, &batch->batch, err) : QUIPU_OK;
    quipu__batch_clear(batch);
    return status;
}

/* ---- Calls ---- */

struct found_call {
    uint32_t row, depth, region;
    int64_t enter, leave; /* ns */
    bool goes_on;         /* leave is the end of the window */
};

struct found_calls {
    struct quipu_calls *active;
    QUIPU__VEC(struct found_call) list;
};

static void take_calls(struct window *window, bool is_end) {
    struct found_calls *found = window->into;
    struct quipu_call call;
    while (quipu_calls_next(found->active, &call)) {
        const int64_t enter = ns_of(window, call.enter),
                      leave = is_end && call.is_unfinished ? window->to : ns_of(window, call.leave);
        const uint32_t row = quipu__view_asked_row(window->answer->asked, call.location);
        if (enter > window->to || leave < window->from || row == QUIPU_NONE)
            continue;
        window->is_too_much |= found->list.count >= FOUND_MOST;
        quipu__gate_knows(QUIPU__VEC_PUT(
            &window->answer->view->memory, &found->list,
            (struct found_call){row, call.depth, call.region, enter, leave,
                                is_end && call.is_unfinished && window->to < window->answer->view->end}));
    }
}

static enum quipu_status add_calls(struct window *window, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    struct found_calls *found = window->into;
    const enum quipu_status status = quipu_calls_add(found->active, batch, err);
    take_calls(window, false);
    return status;
}

/* The calls of a location state that are active at the point, outermost first. */
static enum quipu_status prime_state(struct window *window, struct quipu__batch *batch, uint32_t state,
                                     struct quipu_error *err) {
    const struct quipu__tracker *tracker = &window->answer->view->origin.tracker;
    const struct quipu__location_state *known = &tracker->states.items[state];
    enum quipu_status status = QUIPU_OK;
    batch->batch.stream = known->stream;
    uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_call).oldest;
    for (; number != QUIPU_NONE && status == QUIPU_OK; number = quipu__interval_at(tracker, number)->newer) {
        const struct quipu__interval *call = quipu__interval_at(tracker, number);
        const uint32_t event =
            quipu__batch_add(&batch->batch, call->time, QUIPU_KIND_enter, known->location, QUIPU_UNKNOWN);
        batch->batch.object[event] = quipu__interval_columns(tracker, call)->object;
        if (quipu__batch_left(batch) == 0)
            status = pass_on(window, batch, err);
    }
    return status == QUIPU_OK ? pass_on(window, batch, err) : status;
}

static enum quipu_status prime_calls(struct window *window, struct quipu_error *err) {
    struct quipu_view *view = window->answer->view;
    struct quipu__batch *batch;
    enum quipu_status status = quipu__batch_new(&view->memory, PRIMED, &batch, err);
    for (uint32_t i = 0; i < view->origin.tracker.states.count && status == QUIPU_OK; i++)
        if (quipu__view_asked_row(window->answer->asked, view->origin.tracker.states.items[i].location) !=
            QUIPU_NONE)
            status = prime_state(window, batch, i, err);
    quipu__batch_free(batch);
    return status;
}

static int by_row(const void *a, const void *b) {
    const struct found_call *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->enter > y->enter) - (x->enter < y->enter);
}

static int64_t call_length(const struct found_call *call) {
    return call->leave - call->enter;
}

/* Where a span of calls ends that are put together: one call, unless it is shorter than the resolution; then all short ones that
 * begin in the same part of the time. */
static size_t span_end(const struct found_calls *found, size_t first, int64_t from, int64_t resolution) {
    const struct found_call *calls = found->list.items;
    size_t end = first + 1;
    if (call_length(&calls[first]) >= resolution || calls[first].goes_on)
        return end;
    while (end < found->list.count && calls[end].row == calls[first].row &&
           calls[end].depth == calls[first].depth && call_length(&calls[end]) < resolution &&
           (calls[end].enter - from) / resolution == (calls[first].enter - from) / resolution)
        end++;
    return end;
}

static size_t count_spans(const struct found_calls *found, int64_t from, int64_t resolution) {
    size_t count = 0;
    for (size_t i = 0; i < found->list.count; i = span_end(found, i, from, resolution))
        count++;
    return count;
}

/* depth, from when, how long, region of the longest, how many, their time together; 0 is one that goes on behind the window */
static void put_span(struct quipu__view_answer *answer, const struct found_call *calls, size_t count,
                     int64_t from) {
    const struct found_call *longest = calls;
    int64_t end = calls->leave, time = 0;
    for (size_t i = 0; i < count; i++) {
        longest = call_length(&calls[i]) > call_length(longest) ? &calls[i] : longest;
        end = calls[i].leave > end ? calls[i].leave : end;
        time = quipu__bounded_sum(time, call_length(&calls[i]));
    }
    const int64_t numbers[] = {calls->depth,
                               calls->enter - from,
                               end - calls->enter,
                               longest->region == QUIPU_NONE ? -1 : (int64_t)longest->region,
                               calls->goes_on ? 0 : (int64_t)count,
                               time};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        quipu__json_i64(&answer->json, NULL, numbers[i]);
    quipu__view_mention(answer, longest->region);
}

static void put_calls(const struct window *window, const struct found_calls *found, int64_t resolution) {
    struct quipu__view_answer *answer = window->answer;
    const struct found_call *calls = found->list.items;
    quipu__json_open(&answer->json, "rows", QUIPU__JSON_LINES);
    for (size_t i = 0; i < found->list.count;) {
        const uint32_t row = calls[i].row;
        quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
        quipu__json_i64(&answer->json, "row", answer->asked->rows[row]);
        quipu__json_open(&answer->json, "calls", QUIPU__JSON_LIST);
        for (size_t end; i < found->list.count && calls[i].row == row; i = end) {
            end = span_end(found, i, window->from, resolution);
            put_span(answer, &calls[i], end - i, window->from);
        }
        quipu__json_close(&answer->json);
        quipu__json_close(&answer->json);
    }
    quipu__json_close(&answer->json);
}

static void put_window(const struct window *window) {
    struct quipu__view_answer *answer = window->answer;
    quipu__json_i64(&answer->json, "from", window->from - answer->view->begin);
    quipu__json_i64(&answer->json, "to", window->to - answer->view->begin);
    quipu__json_bool(&answer->json, "is_too_much", window->is_too_much);
}

static int64_t pixel_of(const struct window *window) {
    const uint64_t asked = window->answer->asked->pixels,
                   pixels = asked < 1 || asked > PIXELS_MOST ? PIXELS_MOST : asked;
    const int64_t length = (window->to - window->from) / (int64_t)pixels;
    return length > 1 ? length : 1;
}

/* Short calls are put together where they are shorter than a pixel, or, where that still makes too many, longer ones. */
static enum quipu_status show_calls(const struct window *window, const struct found_calls *found,
                                    struct quipu_error *err) {
    struct quipu_view *view = window->answer->view;
    int64_t resolution = pixel_of(window);
    if (found->list.count > 0 &&
        !quipu__sort(&view->memory, found->list.items, found->list.count, sizeof *found->list.items, by_row))
        return quipu__no_memory(err, found->list.count);
    while (count_spans(found, window->from, resolution) > SPANS_MOST && resolution < window->to - window->from)
        resolution = quipu__bounded_product(2, resolution);
    put_window(window);
    quipu__json_i64(&window->answer->json, "resolution", resolution);
    put_calls(window, found, resolution);
    return QUIPU_OK;
}

enum quipu_status quipu__view_calls(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    const struct quipu__view_asked *asked = answer->asked;
    struct found_calls found = {0};
    struct window window = window_of(answer);
    window.add = add_calls;
    window.into = &found;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    selection.locations = asked->rows;
    selection.location_count = asked->row_count;
    selection.where = asked->where[0] ? asked->where : NULL;
    selection.without_attributes = true;
    enum quipu_status status = find_origin(view, ticks_of(&window, window.from), selection.where, err);
    if (status == QUIPU_OK)
        status = quipu__calls_new(&view->memory, view->definitions, false, &found.active, err);
    if (status == QUIPU_OK)
        status = prime_calls(&window, err);
    selection.from = origin_time(view);
    selection.to = end_ticks(&window);
    if (status == QUIPU_OK && selection.from < selection.to)
        status = read_window(&window, &selection, err);
    if (status == QUIPU_OK)
        status = quipu_calls_end(found.active, err);
    if (status == QUIPU_OK) {
        take_calls(&window, true);
        status = show_calls(&window, &found, err);
    }
    quipu_calls_free(found.active);
    QUIPU__VEC_RELEASE(&view->memory, &found.list);
    return status;
}

/* ---- Messages ---- */

struct found_messages {
    struct quipu_messages *matching;
    uint64_t in_flight; /* of those that are sent anywhere before the window's end */
    QUIPU__VEC(struct quipu_message) list;
};

static bool is_shown(const struct window *window, const struct quipu_message *message) {
    const struct quipu__view_asked *asked = window->answer->asked;
    const int64_t sent = ns_of(window, message->sent), received = ns_of(window, message->received);
    return (sent <= window->to || received <= window->to) &&
           (sent >= window->from || received >= window->from) &&
           (quipu__view_asked_row(asked, message->sender) != QUIPU_NONE ||
            quipu__view_asked_row(asked, message->receiver) != QUIPU_NONE);
}

static void take_messages(struct window *window) {
    struct found_messages *found = window->into;
    struct quipu_message message;
    while (quipu_messages_next(found->matching, &message)) {
        found->in_flight -= ns_of(window, message.sent) <= window->to;
        if (!is_shown(window, &message))
            continue;
        window->is_too_much |= found->list.count >= FOUND_MOST;
        quipu__gate_knows(QUIPU__VEC_PUT(&window->answer->view->memory, &found->list, message));
    }
}

static enum quipu_status add_messages(struct window *window, const struct quipu_batch *batch,
                                      struct quipu_error *err) {
    struct found_messages *found = window->into;
    for (uint32_t i = 0; i < batch->count; i++)
        found->in_flight += batch->kind[i] == QUIPU_KIND_send && ns_of(window, batch->time[i]) <= window->to;
    const enum quipu_status status = quipu_messages_add(found->matching, batch, err);
    take_messages(window);
    return status;
}

/* A send that is in flight at the point. The last of each key are remembered; those before them are taken to be sent with the first of these. */
struct in_flight {
    struct quipu__message_key key;
    struct quipu__sent sent;
};

static int by_time(const void *a, const void *b) {
    const struct in_flight *x = a, *y = b;
    return (x->sent.time > y->sent.time) - (x->sent.time < y->sent.time);
}

/* One of a number of sends in flight of a key, the oldest being 0. */
static struct quipu__sent send_at(const struct quipu__matcher *matcher, size_t key, uint64_t in_flight,
                                  uint64_t number) {
    const struct quipu__sends *sends = &matcher->sends.items[key];
    const uint64_t left = in_flight - number;
    if (left <= sends->count)
        return sends->items[sends->count - left];
    return (struct quipu__sent){sends->count > 0 ? sends->items[0].time : INT64_MIN, sends->bytes};
}

/* Sends in flight, in the order of time; *count is how many. NULL when there are none, or memory is out, which the gate knows. */
static struct in_flight *list_sends(struct quipu_view *view, size_t *count, size_t *capacity) {
    const struct quipu__matcher *matcher = &view->origin.tracker.matcher;
    QUIPU__VEC(struct in_flight) sends = QUIPU__VEC_INIT;
    for (size_t i = 0; i < matcher->keys.count; i++) {
        const struct quipu__in_flight known = quipu__matcher_at(matcher, i);
        for (uint64_t k = 0; k < known.messages && sends.count < FOUND_MOST; k++)
            quipu__gate_knows(QUIPU__VEC_PUT(
                &view->memory, &sends,
                (struct in_flight){matcher->keys.items[i].key, send_at(matcher, i, known.messages, k)}));
    }
    if (sends.count > 0)
        quipu__gate_knows(quipu__sort(&view->memory, sends.items, sends.count, sizeof *sends.items, by_time));
    *count = sends.count;
    *capacity = sends.capacity;
    return sends.items;
}

static enum quipu_status prime_sends(struct window *window, const struct in_flight *sends, size_t count,
                                     struct quipu_error *err) {
    struct quipu__batch *batch;
    enum quipu_status status = quipu__batch_new(&window->answer->view->memory, PRIMED, &batch, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        const uint32_t event = quipu__batch_add(&batch->batch, sends[i].sent.time, QUIPU_KIND_send,
                                                sends[i].key.sender, QUIPU_UNKNOWN);
        batch->batch.peer[event] = sends[i].key.receiver;
        batch->batch.group[event] = sends[i].key.communicator;
        batch->batch.tag[event] = sends[i].key.tag;
        batch->batch.bytes[event] = sends[i].sent.bytes;
        batch->batch.id[event] = QUIPU_UNKNOWN;
        if (quipu__batch_left(batch) == 0)
            status = pass_on(window, batch, err);
    }
    if (status == QUIPU_OK)
        status = pass_on(window, batch, err);
    quipu__batch_free(batch);
    return status;
}

static enum quipu_status prime_messages(struct window *window, struct quipu_error *err) {
    struct quipu_view *view = window->answer->view;
    size_t count, capacity;
    struct in_flight *sends = list_sends(view, &count, &capacity);
    enum quipu_status status = quipu__memory_status(&view->memory, err);
    if (status == QUIPU_OK)
        status = prime_sends(window, sends, count, err);
    quipu__release(&view->memory, sends, capacity * sizeof *sends);
    return status;
}

static void put_message(struct quipu__view_answer *answer, const struct window *window,
                        const struct quipu_message *message) {
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_LIST);
    quipu__json_i64(&answer->json, NULL, message->sender);
    quipu__json_i64(&answer->json, NULL, message->receiver);
    quipu__json_i64(&answer->json, NULL, ns_of(window, message->sent) - answer->view->begin);
    quipu__json_i64(&answer->json, NULL, ns_of(window, message->received) - answer->view->begin);
    quipu__json_u64(&answer->json, NULL, message->bytes);
    quipu__json_i64(&answer->json, NULL, message->tag);
    quipu__json_close(&answer->json);
}

/* Messages of a sender and receiver that are sent in the same part of the window. */
struct message_group {
    uint32_t sender, receiver;
    int64_t step;
    double sent, received; /* sums, from the window's beginning */
    uint64_t count, bytes;
};

static int by_group(const void *a, const void *b) {
    const struct message_group *x = a, *y = b;
    if (x->sender != y->sender)
        return x->sender < y->sender ? -1 : 1;
    if (x->receiver != y->receiver)
        return x->receiver < y->receiver ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static size_t group_messages(const struct window *window, const struct found_messages *found, int64_t steps,
                             struct message_group *groups) {
    const int64_t length = (window->to - window->from) / steps + 1;
    size_t count = 0;
    for (size_t i = 0; i < found->list.count; i++) {
        const struct quipu_message *message = &found->list.items[i];
        const int64_t sent = ns_of(window, message->sent) - window->from;
        groups[i] = (struct message_group){message->sender,
                                           message->receiver,
                                           sent / length,
                                           (double)sent,
                                           (double)(ns_of(window, message->received) - window->from),
                                           1,
                                           message->bytes == QUIPU_UNKNOWN ? 0 : message->bytes};
    }
    if (!quipu__sort(&window->answer->view->memory, groups, found->list.count, sizeof *groups, by_group))
        return 0;
    for (size_t i = 0; i < found->list.count; i++) {
        if (count == 0 || by_group(&groups[count - 1], &groups[i]) != 0) {
            groups[count++] = groups[i];
            continue;
        }
        struct message_group *group = &groups[count - 1];
        group->sent += groups[i].sent;
        group->received += groups[i].received;
        group->count++;
        group->bytes += groups[i].bytes;
    }
    return count;
}

/* sender, receiver, mean times, how many, bytes */
static void put_group(struct quipu__view_answer *answer, const struct window *window,
                      const struct message_group *group) {
    const double count = (double)group->count;
    const int64_t from = window->from - answer->view->begin;
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_LIST);
    quipu__json_i64(&answer->json, NULL, group->sender);
    quipu__json_i64(&answer->json, NULL, group->receiver);
    quipu__json_i64(&answer->json, NULL, from + (int64_t)(group->sent / count));
    quipu__json_i64(&answer->json, NULL, from + (int64_t)(group->received / count));
    quipu__json_u64(&answer->json, NULL, group->count);
    quipu__json_u64(&answer->json, NULL, group->bytes);
    quipu__json_close(&answer->json);
}

static enum quipu_status put_groups(const struct window *window, const struct found_messages *found,
                                    struct quipu_error *err) {
    struct quipu__view_answer *answer = window->answer;
    const size_t size = found->list.count * sizeof(struct message_group);
    struct message_group *groups = quipu__alloc(&answer->view->memory, size);
    int64_t steps = 64;
    if (!groups)
        return quipu__no_memory(err, size);
    size_t count = group_messages(window, found, steps, groups);
    for (; count > MESSAGES_MOST && steps > 1; count = group_messages(window, found, steps, groups))
        steps /= 4;
    quipu__json_open(&answer->json, "groups", QUIPU__JSON_LINES);
    for (size_t i = 0; i < count && i < MESSAGES_MOST; i++)
        put_group(answer, window, &groups[i]);
    quipu__json_close(&answer->json);
    quipu__json_u64(&answer->json, "left_out", count > MESSAGES_MOST ? count - MESSAGES_MOST : 0);
    quipu__release(&answer->view->memory, groups, size);
    return QUIPU_OK;
}

static enum quipu_status show_messages(const struct window *window, const struct found_messages *found,
                                       struct quipu_error *err) {
    struct quipu__view_answer *answer = window->answer;
    put_window(window);
    quipu__json_u64(&answer->json, "count", found->list.count);
    quipu__json_u64(&answer->json, "in_flight", found->in_flight);
    if (found->list.count > MESSAGES_MOST)
        return put_groups(window, found, err);
    quipu__json_open(&answer->json, "messages", QUIPU__JSON_LINES);
    for (size_t i = 0; i < found->list.count; i++)
        put_message(answer, window, &found->list.items[i]);
    quipu__json_close(&answer->json);
    return QUIPU_OK;
}

/* What is received behind the window is found if it is received within a quarter of its length; how many are still in flight then is said. */
enum quipu_status quipu__view_messages(struct quipu__view_answer *answer, struct quipu_error *err) {
    struct quipu_view *view = answer->view;
    const struct quipu_tracker_options matching = {.allocator = &view->memory.allocator,
                                                   .memory_limit = view->memory.limit};
    struct found_messages found = {0};
    struct window window = window_of(answer);
    window.add = add_messages;
    window.into = &found;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.kinds = quipu__messages_kinds(view->definitions);
    selection.order = quipu__messages_order(view->reader);
    selection.without_attributes = true;
    enum quipu_status status = find_origin(view, ticks_of(&window, window.from), false, err);
    if (status == QUIPU_OK)
        status = quipu_messages_new(view->definitions, &matching, &found.matching, err);
    if (status == QUIPU_OK)
        status = prime_messages(&window, err);
    selection.from = origin_time(view);
    const int64_t farthest = quipu__bounded_sum(window.to, (window.to - window.from) / 4);
    selection.to = quipu__bounded_sum(ticks_of(&window, farthest), 1);
    if (status == QUIPU_OK && selection.from < selection.to)
        status = read_window(&window, &selection, err);
    if (status == QUIPU_OK)
        status = quipu_messages_end(found.matching, err);
    if (status == QUIPU_OK) {
        take_messages(&window);
        status = show_messages(&window, &found, err);
    }
    quipu_messages_free(found.matching);
    QUIPU__VEC_RELEASE(&view->memory, &found.list);
    return status;
}

/* ---- Counters ---- */

/* The last value in each step of the window, by row and part. Steps without a value have that of the step before. */
struct counter {
    uint32_t metric;
    int64_t steps;
    double *values;
    bool *is_known;
};

static double value_of(const struct quipu_view *view, uint32_t metric, uint64_t bits) {
    double real;
    switch (view->definitions->metrics.items[metric].value) {
    case QUIPU_METRIC_F64:
        memcpy(&real, &bits, sizeof real);
        return real;
    case QUIPU_METRIC_I64:
        return (double)(int64_t)bits;
    case QUIPU_METRIC_U64:
        break;
    }
    return (double)bits;
}

/* Column 0 is what was known before the window. */
static void note_value(const struct window *window, uint32_t location, int64_t time, uint64_t bits) {
    struct counter *counter = window->into;
    const uint32_t row = quipu__view_asked_row(window->answer->asked, location);
    const int64_t since = ns_of(window, time) - window->from,
                  length = (window->to - window->from) / counter->steps + 1;
    if (row == QUIPU_NONE || since > window->to - window->from)
        return;
    const size_t number =
        (size_t)row * (size_t)(counter->steps + 1) + (size_t)(since < 0 ? 0 : since / length + 1);
    counter->values[number] = value_of(window->answer->view, counter->metric, bits);
    counter->is_known[number] = true;
}

static enum quipu_status add_values(struct window *window, const struct quipu_batch *batch,
                                    struct quipu_error *err) {
    const struct counter *counter = window->into;
    (void)err;
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->kind[i] == QUIPU_KIND_metric && batch->object[i] == counter->metric)
            note_value(window, batch->location[i], batch->time[i], batch->value[i]);
    return QUIPU_OK;
}

static void prime_values(const struct window *window) {
    const struct counter *counter = window->into;
    const struct quipu__tracker *tracker = &window->answer->view->origin.tracker;
    for (uint32_t state = 0; state < tracker->states.count; state++) {
        uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_metric).oldest;
        for (; number != QUIPU_NONE; number = quipu__interval_at(tracker, number)->newer) {
            const struct quipu__event_columns *columns =
                quipu__interval_columns(tracker, quipu__interval_at(tracker, number));
            if (columns->object == counter->metric)
                note_value(window, tracker->states.items[state].location,
                           quipu__interval_at(tracker, number)->time, columns->value);
        }
    }
}

static void put_values(const struct window *window) {
    struct quipu__view_answer *answer = window->answer;
    const struct counter *counter = window->into;
    put_window(window);
    quipu__json_open(&answer->json, "rows", QUIPU__JSON_LINES);
    for (uint32_t row = 0; row < answer->asked->row_count; row++) {
        const size_t first = (size_t)row * (size_t)(counter->steps + 1);
        quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
        quipu__json_i64(&answer->json, "row", answer->asked->rows[row]);
        quipu__json_open(&answer->json, "values", QUIPU__JSON_LIST);
        for (size_t i = 0; i <= (size_t)counter->steps; i++) {
            quipu__json_key(&answer->json, NULL);
            if (counter->is_known[first + i] && isfinite(counter->values[first + i]))
                quipu__put_format(answer->out, "%.7g", counter->values[first + i]);
            else
                quipu__put_text(answer->out, "null");
        }
        quipu__json_close(&answer->json);
        quipu__json_close(&answer->json);
    }
    quipu__json_close(&answer->json);
}

enum quipu_status quipu__view_counter(struct quipu__view_answer *answer, struct quipu_error *err) {
    enum { STEPS_MOST = 200 };
    struct quipu_view *view = answer->view;
    const uint64_t pixels = answer->asked->pixels;
    struct counter counter = {.metric = (uint32_t)answer->asked->metric,
                              .steps = pixels >= 1 && pixels < STEPS_MOST ? (int64_t)pixels : STEPS_MOST};
    struct window window = window_of(answer);
    window.add = add_values;
    window.into = &counter;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    if (answer->asked->metric >= view->definitions->metrics.count)
        return quipu__fail(err, QUIPU_MISUSE, "there is no metric %" PRIu64, answer->asked->metric);
    const size_t cells = (size_t)(counter.steps + 1) * (answer->asked->row_count + 1);
    counter.values = quipu__alloc_zero(&view->memory, cells * sizeof *counter.values);
    counter.is_known = quipu__alloc_zero(&view->memory, cells * sizeof *counter.is_known);
    enum quipu_status status = quipu__memory_status(&view->memory, err);
    if (status == QUIPU_OK)
        status = find_origin(view, ticks_of(&window, window.from), false, err);
    selection.kinds = QUIPU_KIND_BIT(QUIPU_KIND_metric);
    selection.locations = answer->asked->rows;
    selection.location_count = answer->asked->row_count;
    selection.from = origin_time(view);
    selection.to = end_ticks(&window);
    if (status == QUIPU_OK) {
        prime_values(&window);
        status = selection.from < selection.to ? read_window(&window, &selection, err) : QUIPU_OK;
    }
    if (status == QUIPU_OK)
        put_values(&window);
    quipu__release(&view->memory, counter.values, cells * sizeof *counter.values);
    quipu__release(&view->memory, counter.is_known, cells * sizeof *counter.is_known);
    return status;
}
