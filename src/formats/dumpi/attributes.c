/* attributes.c: the arguments of a call that its events do not carry, as attributes of the enter event. */
#include "core/digits.h"
#include "formats/dumpi/events.h"

#include <stdio.h>

static void add_text(struct quipu__dumpi_current_call *call, const struct quipu_field *field, uint32_t key) {
    const char *text;
    memcpy(&text, call->data + field->offset, sizeof text);
    quipu__gate_knows(quipu__batch_attribute_text(call->batch, key, text, quipu_sized_count(text)));
}

/* ---- Lists ---- */

/* Bytes that a status takes at most: what stands before its numbers, their digits, and what is written behind those. */
enum { STATUS_MOST = QUIPU__DUMPI_status_FIELDS * (QUIPU__DUMPI_FRAME + 11) + QUIPU__DIGITS_SLACK + 4 };

/* What stands before each number of a status, and what most statuses end with. */
static void frame_statuses(struct quipu__dumpi_events *events) {
    const struct quipu_field *fields = quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_status].fields;
    for (size_t i = 0; i < QUIPU__DUMPI_status_FIELDS; i++)
        events->frame_lens[i] = (uint8_t)snprintf(events->frames[i], sizeof *events->frames,
                                                  "%s\"%s\": ", i == 0 ? "{" : ", ", fields[i].name);
    events->common_end_len = (uint8_t)snprintf(events->common_end, sizeof events->common_end, "%s0%s0}",
                                               events->frames[QUIPU__DUMPI_status_cancelled],
                                               events->frames[QUIPU__DUMPI_status_error]);
}

/* A number of a status behind its frame, which is copied as a whole. */
QUIPU__INLINE char *put_framed(const struct quipu__dumpi_events *events, unsigned field, int32_t value,
                               char *at) {
    memcpy(at, events->frames[field], sizeof *events->frames);
    return quipu__put_signed_digits(at + events->frame_lens[field], value);
}

/* The same text as that of quipu__print_json_value: most lists are of statuses. */
static char *put_status(const struct quipu__dumpi_events *events, const struct quipu__dumpi_status *status,
                        char *at) {
    at = put_framed(events, QUIPU__DUMPI_status_bytes, status->bytes, at);
    at = put_framed(events, QUIPU__DUMPI_status_source, status->source, at);
    at = put_framed(events, QUIPU__DUMPI_status_tag, status->tag, at);
    if (QUIPU__LIKELY((status->cancelled | status->error) == 0)) {
        memcpy(at, events->common_end, sizeof events->common_end);
        return at + events->common_end_len;
    }
    at = put_framed(events, QUIPU__DUMPI_status_cancelled, status->cancelled, at);
    at = put_framed(events, QUIPU__DUMPI_status_error, status->error, at);
    *at = '}';
    return at + 1;
}

/* Bytes that so many statuses take at most. */
static size_t statuses_most(uint32_t count) {
    return 3 + (size_t)count * STATUS_MOST;
}

/* What a list of statuses says as JSON; returns its end. */
static char *put_statuses(struct quipu__dumpi_current_call *call, uint32_t count,
                          const struct quipu__dumpi_status *statuses, char *at) {
    for (uint32_t i = 0; i < count; i++) {
        memcpy(at, i == 0 ? "[" : ", ", 2);
        at = put_status(call->events, statuses ? &statuses[i] : status_at(call, i), at + 1 + (i > 0));
    }
    *at = ']';
    return at + 1;
}

/* Requests of a call that is read where it lies. */
static struct quipu__slice put_requests(struct quipu__dumpi_current_call *call) {
    struct quipu__buffer *text = &call->events->text;
    text->len = 0;
    for (uint32_t i = 0; i < call->request_count; i++) {
        quipu__put_text(text, i == 0 ? "[" : ", ");
        quipu__put_i64(text, request_at(call, i));
    }
    quipu__put_u8(text, ']');
    return text->failed ? quipu__slice_of(NULL, 0) : quipu__slice_of(text->data, text->len);
}

static struct quipu__slice put_list(struct quipu__dumpi_current_call *call, const struct quipu_field *field) {
    struct quipu__buffer *text = &call->events->text;
    text->len = 0;
    if (field->element == &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_status]) {
        const struct quipu__dumpi_status *statuses;
        memcpy(&statuses, call->data + field->offset, sizeof statuses);
        const uint32_t count = quipu_sized_count(statuses);
        char *first = (char *)quipu__buffer_room(text, statuses_most(count));
        return quipu__slice_of(first, first ? (size_t)(put_statuses(call, count, statuses, first) - first) : 0);
    }
    quipu__print_json_value(field, call->data, text);
    return text->failed ? quipu__slice_of(NULL, 0) : quipu__slice_of(text->data, text->len);
}

/* Lists are carried as JSON. */
static void add_json(struct quipu__dumpi_current_call *call, const struct quipu_field *field, uint32_t key) {
    const struct quipu__slice text = put_list(call, field);
    if (text.at)
        quipu__gate_knows(
            quipu__batch_attribute_text(call->batch, key, (const char *)text.at, (size_t)(text.end - text.at)));
}

/* ---- Numbers ---- */

static void add_number(struct quipu__dumpi_current_call *call, const struct quipu_field *field,
                       const void *data, uint32_t key) {
    struct quipu_value value = {.key = key,
                                .type = field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64};
    quipu_field_get_i64(field, data, &value.i);
    quipu__gate_knows(quipu__batch_attribute(call->batch, &value));
}

/* ---- Which ---- */

/* Classes of calls whose events may carry arguments as they are. */
#define CARRYING(name) (UINT64_C(1) << QUIPU__DUMPI_CALL_CLASS_##name)
#define CARRYING_CLASSES                                                                                       \
    (CARRYING(SEND) | CARRYING(RECV) | CARRYING(ISEND) | CARRYING(SENDRECV) | CARRYING(COLLECTIVE))

static bool is_carried_rank(const struct quipu__dumpi_current_call *call, int32_t rank) {
    return quipu__dumpi_peer_of(call->events, call->events->own->world, rank) != QUIPU_NONE;
}

/* Messages and collectives in the world carry partner, tag and communicator in full: these are not repeated. What was
 * received from anybody, or with any tag, says more than the event. */
static bool is_carried(const struct quipu__dumpi_current_call *call) {
    if (!(CARRYING_CLASSES >> call->row->call_class & 1) || HANDLE(call, comm) != QUIPU__DUMPI_COMM_WORLD)
        return false;
    if (HAS(call, dest) && !is_carried_rank(call, NUMBER(call, dest)))
        return false;
    if (!HAS(call, source))
        return true;
    return is_carried_rank(call, NUMBER(call, source)) &&
           (HAS(call, recvtag) ? NUMBER(call, recvtag) : NUMBER(call, tag)) >= 0;
}

/* Numbers without a condition are always there. */
static bool may_be_absent(const struct quipu_field *field) {
    return field->when >= 0 || field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING;
}

void quipu__dumpi_add_attributes(struct quipu__dumpi_current_call *call) {
    const struct quipu_record_type *type = &quipu__dumpi_types[call->type];
    const uint32_t *keys = call->events->own->keys[call->type];
    const uint32_t *common_keys = call->events->own->common_keys;
    const uint32_t carried = is_carried(call) ? call->row->exact : 0;
    for (uint32_t i = 0; keys && i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if ((carried >> i & 1) != 0 || (may_be_absent(field) && !quipu_field_present(type, field, call->data)))
            continue;
        if (field->shape == QUIPU_LIST)
            add_json(call, field, keys[i]);
        else if (field->storage == QUIPU_STORE_STRING)
            add_text(call, field, keys[i]);
        else
            add_number(call, field, call->data, keys[i]);
    }
    if ((call->common->mask & QUIPU__DUMPI_MASK_CPU) && call->events->own->clock == QUIPU__DUMPI_CLOCK_WALL)
        for (uint32_t i = QUIPU__DUMPI_call_cpu_start; i <= QUIPU__DUMPI_call_cpu_stop; i++)
            add_number(call, &quipu__dumpi_schema.common->fields[i], call->common, common_keys[i]);
}

/* ---- Calls that are read where they lie ---- */

static void prepare_cpu_times(struct quipu__dumpi_events *events) {
    const uint32_t *keys = &events->own->common_keys[QUIPU__DUMPI_call_cpu_start];
    for (int i = 0; i < QUIPU__DUMPI_CPU_TIMES; i++)
        events->cpu_times[i] = (struct quipu_attribute){.value = {.key = keys[i], .type = QUIPU_VALUE_I64}};
    events->cpu_bias_ns = (int64_t)events->file->cpu_bias * 1000000000;
}

void quipu__dumpi_prepare_attributes(struct quipu__dumpi_events *events) {
    frame_statuses(events);
    prepare_cpu_times(events);
}

/* Loads the eight bytes up to the number's end: the head of the call is in front of the first one. */
QUIPU__INLINE int64_t value_of(const struct quipu__dumpi_fast_argument *argument, const uint8_t *numbers) {
    const uint64_t bytes = quipu__swap64(quipu__load_le64(numbers + argument->end - 8)) & argument->mask;
    return (int64_t)((bytes ^ argument->sign) - argument->sign);
}

static void set_statuses(struct quipu__dumpi_current_call *call, struct quipu_value *value) {
    char *const first = quipu__arena_alloc(&call->batch->texts, statuses_most(call->status_count));
    if (!first)
        return;
    char *const end = put_statuses(call, call->status_count, NULL, first);
    *end = '\0';
    value->data = first;
    value->size = (uint32_t)(end - first);
    quipu__arena_shrink(&call->batch->texts, first, value->size + (size_t)1);
}

static void set_requests(struct quipu__dumpi_current_call *call, struct quipu_value *value) {
    const struct quipu__slice text = put_requests(call);
    if (!text.at)
        return;
    value->size = (uint32_t)(text.end - text.at);
    value->data = quipu__arena_text(&call->batch->texts, (const char *)text.at, value->size);
}

/* Makes a list's attribute; false when there is no list, or no memory for it. */
static bool set_list(struct quipu__dumpi_current_call *call, const struct quipu__dumpi_fast_argument *argument,
                     struct quipu_value *value) {
    const bool is_requests = argument->form == QUIPU__DUMPI_ARGUMENT_REQUESTS;
    if ((is_requests ? call->request_count : call->status_count) == 0)
        return false;
    (is_requests ? set_requests : set_statuses)(call, value);
    return value->data != NULL;
}

/* The arguments of a call that its events do not carry, and how many they are. */
static const struct quipu__dumpi_fast_argument *arguments_of(const struct quipu__dumpi_current_call *call,
                                                             size_t *count) {
    const struct quipu__dumpi_fast_layout *layout = call->layout;
    const bool carried = is_carried(call);
    *count = carried ? layout->uncarried_count : layout->argument_count;
    return layout->arguments + (carried ? layout->argument_count : 0);
}

static struct quipu_attribute *put_arguments(struct quipu__dumpi_current_call *call,
                                             const struct quipu__dumpi_fast_argument *argument, size_t count,
                                             uint32_t event, struct quipu_attribute *at) {
    for (const struct quipu__dumpi_fast_argument *const end = argument + count; argument < end; argument++) {
        *at = argument->made;
        at->event = event;
        if (QUIPU__LIKELY(argument->form == QUIPU__DUMPI_ARGUMENT_NUMBER))
            at++->value.i = value_of(argument, call->data);
        else
            at += set_list(call, argument, &at->value);
    }
    return at;
}

static struct quipu_attribute *put_cpu_times(const struct quipu__dumpi_current_call *call, uint32_t event,
                                             struct quipu_attribute *at) {
    const uint8_t *times = call->data - QUIPU__DUMPI_CANONICAL_HEAD + QUIPU__DUMPI_CANONICAL_CPU;
    for (int i = 0; i < QUIPU__DUMPI_CPU_TIMES; i++, times += QUIPU__DUMPI_TIME_BYTES) {
        *at = call->events->cpu_times[i];
        at->event = event;
        at++->value.i = quipu__dumpi_load_time(times, call->events->cpu_bias_ns);
    }
    return at;
}

/* The same as of a decoded call, from the bytes in the file. */
void quipu__dumpi_add_fast_attributes(struct quipu__dumpi_current_call *call) {
    size_t count;
    const struct quipu__dumpi_fast_argument *arguments = arguments_of(call, &count);
    const uint32_t event = call->batch->batch.count - 1;
    struct quipu_attribute *at = quipu__batch_attribute_room(call->batch, count + QUIPU__DUMPI_CPU_TIMES);
    if (QUIPU__UNLIKELY(!at))
        return;
    at = put_arguments(call, arguments, count, event, at);
    quipu__batch_end_attributes(call->batch, put_cpu_times(call, event, at));
}
