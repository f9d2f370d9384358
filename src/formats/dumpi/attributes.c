/* attributes.c: the arguments of a call that its events do not carry, as attributes of the enter event. */
#include "core/digits.h"
#include "formats/dumpi/events.h"

static void add_text(struct quipu__dumpi_current_call *call, const struct quipu_field *field, uint32_t key) {
    const char *text;
    memcpy(&text, call->data + field->offset, sizeof text);
    quipu__gate_knows(quipu__batch_attribute_text(call->batch, key, text, quipu_sized_count(text)));
}

/* ---- Lists ---- */

/* Most bytes of a number with its separator, and of a list besides its elements. */
enum { NUMBER_MOST = 13, LIST_MORE = 2 + QUIPU__DIGITS_SLACK };

static size_t requests_most(uint32_t count) {
    return LIST_MORE + (size_t)count * NUMBER_MOST;
}
static size_t statuses_most(uint32_t count) {
    return LIST_MORE + (size_t)count * QUIPU__DUMPI_STATUS_TEXT_MOST;
}

/* Where the last eight bytes of a status in the file begin. */
enum { STATUS_REST = QUIPU__DUMPI_STATUS_BYTES - 8 };

/* Puts a text, whose length the compiler knows. */
#define PUT(at, text) (memcpy(at, text, sizeof text - 1), (at) += sizeof text - 1)

/* Puts a number of a status after its name. */
#define PUT_MEMBER(at, before, status, member)                                                                 \
    (PUT(at, before "\"" #member "\": "), (at) = quipu__put_signed_digits(at, (status).member))

/* The same text as that of quipu__print_json_value: most lists are of statuses. */
QUIPU__INLINE char *put_status(struct quipu__dumpi_status status, char *at) {
    PUT_MEMBER(at, "{", status, bytes);
    PUT_MEMBER(at, ", ", status, source);
    PUT_MEMBER(at, ", ", status, tag);
    if (QUIPU__LIKELY((status.cancelled | status.error) == 0)) {
        PUT(at, ", \"cancelled\": 0, \"error\": 0}");
        return at;
    }
    PUT_MEMBER(at, ", ", status, cancelled);
    PUT_MEMBER(at, ", ", status, error);
    PUT(at, "}");
    return at;
}

/* Ends a list in which a comma and a space follow every element; returns its end. */
static inline char *end_list(char *at) {
    at[-2] = ']';
    return at - 1;
}

/* Writes a list of statuses as JSON; returns its end. There is at least one. */
static char *put_statuses(const struct quipu__dumpi_status *statuses, uint32_t count, char *at) {
    PUT(at, "[");
    for (uint32_t i = 0; i < count; i++) {
        at = put_status(statuses[i], at);
        PUT(at, ", ");
    }
    return end_list(at);
}

QUIPU__RARELY void keep_status_text(struct quipu__dumpi_status_text *known, const uint8_t *status,
                                    uint64_t first, uint64_t last) {
    known->first = first;
    known->last = last;
    known->size = (uint32_t)(put_status(load_status(status), known->text) - known->text);
}

/* Writes a status directly from the bytes of the file. Programs often receive the same from the same neighbours: recent texts
 * are copied. */
QUIPU__INLINE char *put_stored_status(struct quipu__dumpi_events *events, const uint8_t *status, char *at) {
    const uint64_t first = quipu__load_le64(status), last = quipu__load_le64(status + STATUS_REST);
    const uint64_t hash = (first ^ (last << 7 | last >> 57)) * UINT64_C(0x9e3779b97f4a7c15);
    struct quipu__dumpi_status_text *known = &events->statuses[hash >> (64 - QUIPU__DUMPI_STATUS_TEXT_BITS)];
    if (QUIPU__UNLIKELY(known->first != first || known->last != last || known->size == 0))
        keep_status_text(known, status, first, last);
    memcpy(at, known->text, sizeof known->text);
    return at + known->size;
}

/* The same as put_statuses, for a call that is read from the bytes of the file. */
static char *put_stored_statuses(const struct quipu__dumpi_current_call *call, char *at) {
    const uint8_t *status = call->statuses;
    PUT(at, "[");
    for (uint32_t i = 0; i < call->status_count; i++, status += QUIPU__DUMPI_STATUS_BYTES) {
        at = put_stored_status(call->events, status, at);
        PUT(at, ", ");
    }
    return end_list(at);
}

/* The same for the requests of such a call. */
static char *put_stored_requests(const struct quipu__dumpi_current_call *call, char *at) {
    PUT(at, "[");
    for (uint32_t i = 0; i < call->request_count; i++) {
        at = quipu__put_signed_digits(at, request_at(call, i));
        PUT(at, ", ");
    }
    return end_list(at);
}

static struct quipu__slice put_list(struct quipu__dumpi_current_call *call, const struct quipu_field *field) {
    struct quipu__buffer *text = &call->events->text;
    text->len = 0;
    const struct quipu__dumpi_status *statuses;
    memcpy(&statuses, call->data + field->offset, sizeof statuses);
    const uint32_t count = quipu_sized_count(statuses);
    if (quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_status) && count > 0) {
        char *first = (char *)quipu__buffer_room(text, statuses_most(count));
        return quipu__slice_of(first, first ? (size_t)(put_statuses(statuses, count, first) - first) : 0);
    }
    quipu__print_json_value(field, call->data, text);
    return text->failed ? quipu__slice_of(NULL, 0) : quipu__slice_of(text->data, text->len);
}

/* Adds a list as JSON. */
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

/* Classes of calls whose events may carry arguments unchanged. */
#define CARRYING(name) (UINT64_C(1) << QUIPU__DUMPI_CALL_CLASS_##name)
#define CARRYING_CLASSES                                                                                       \
    (CARRYING(SEND) | CARRYING(RECV) | CARRYING(ISEND) | CARRYING(SENDRECV) | CARRYING(COLLECTIVE))

static bool is_carried_rank(const struct quipu__dumpi_current_call *call, int32_t rank) {
    return quipu__dumpi_peer_of(call->events, call->events->own->world, rank) != QUIPU_NONE;
}

/* Messages and collective operations in the world carry partner, tag and communicator completely: these are not repeated. A
 * receive from any source, or with any tag, says more than its event. */
static bool carries_all(const struct quipu__dumpi_current_call *call) {
    if (HANDLE(call, comm) != QUIPU__DUMPI_COMM_WORLD)
        return false;
    if (HAS(call, dest) && !is_carried_rank(call, NUMBER(call, dest)))
        return false;
    if (!HAS(call, source))
        return true;
    return is_carried_rank(call, NUMBER(call, source)) &&
           (HAS(call, recvtag) ? NUMBER(call, recvtag) : NUMBER(call, tag)) >= 0;
}

QUIPU__INLINE bool is_carried(const struct quipu__dumpi_current_call *call) {
    return (CARRYING_CLASSES >> call->row->call_class & 1) != 0 && carries_all(call);
}

/* Numbers without a condition are always present. */
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
    quipu__dumpi_add_call_site(call);
}

void quipu__dumpi_add_call_site(struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_file *file = call->events->file;
    const struct quipu__dumpi_counter *counters = call->common->counters;
    if (file->call_sites == 0 || file->call_sites > quipu_sized_count(counters) ||
        !call->events->wants_attributes)
        return;
    const struct quipu_value value = {
        .key = QUIPU_KEY_SOURCE,
        .type = QUIPU_VALUE_U32,
        .u = quipu__map_get(&file->sources, (uint64_t)counters[file->call_sites - 1].in)};
    quipu__gate_knows(value.u == QUIPU_NONE || quipu__batch_attribute(call->batch, &value));
}

/* ---- Calls that are read where they lie ---- */

void quipu__dumpi_prepare_attributes(struct quipu__dumpi_events *events) {
    const uint32_t *keys = &events->own->common_keys[QUIPU__DUMPI_call_cpu_start];
    for (int i = 0; i < QUIPU__DUMPI_CPU_TIMES; i++)
        events->cpu_times[i] = (struct quipu_attribute){.value = {.key = keys[i], .type = QUIPU_VALUE_I64}};
    events->cpu_bias_ns = (int64_t)events->file->cpu_bias * 1000000000;
}

/* Loads the eight bytes up to the number's end; the head of the call precedes the first number. */
QUIPU__INLINE int64_t value_of(const struct quipu__dumpi_fast_argument *argument, const uint8_t *numbers) {
    const uint64_t bytes = quipu__swap64(quipu__load_le64(numbers + argument->end - 8)) & argument->mask;
    return (int64_t)((bytes ^ argument->sign) - argument->sign);
}

/* Makes a list's attribute in place; false when there is no list, or memory is out. */
static bool set_list(struct quipu__dumpi_current_call *call, const struct quipu__dumpi_fast_argument *argument,
                     struct quipu_value *value) {
    const bool is_requests = argument->form == QUIPU__DUMPI_ARGUMENT_REQUESTS;
    const uint32_t count = is_requests ? call->request_count : call->status_count;
    if (count == 0)
        return false;
    struct quipu__arena *const texts = &call->batch->texts;
    char *const first = quipu__arena_room(texts, is_requests ? requests_most(count) : statuses_most(count));
    if (!first)
        return false;
    char *const end = is_requests ? put_stored_requests(call, first) : put_stored_statuses(call, first);
    *end = '\0';
    value->data = first;
    value->size = (uint32_t)(end - first);
    quipu__arena_use(texts, end + 1);
    return true;
}

/* Puts numbers up to the next list, to which *argument then points, or to the end of the arguments. */
QUIPU__INLINE struct quipu_attribute *put_numbers(const uint8_t *numbers,
                                                  const struct quipu__dumpi_fast_argument **argument,
                                                  uint32_t event, struct quipu_attribute *at) {
    const struct quipu__dumpi_fast_argument *number = *argument, *const end = number + number->numbers;
    for (; number < end; number++, at++) {
        *at = number->made;
        at->event = event;
        at->value.i = value_of(number, numbers);
    }
    *argument = number;
    return at;
}

/* Puts a list; returns the place after it, or the same place when there is none. */
QUIPU__LOOP struct quipu_attribute *put_list_argument(struct quipu__dumpi_current_call *call,
                                                      const struct quipu__dumpi_fast_argument *argument,
                                                      uint32_t event, struct quipu_attribute *at) {
    *at = argument->made;
    at->event = event;
    return at + set_list(call, argument, &at->value);
}

static struct quipu_attribute *put_arguments(struct quipu__dumpi_current_call *call,
                                             const struct quipu__dumpi_fast_argument *argument, uint32_t event,
                                             struct quipu_attribute *at) {
    for (;; argument++) {
        at = put_numbers(call->data, &argument, event, at);
        if (argument->form == QUIPU__DUMPI_ARGUMENTS_END)
            return at;
        at = put_list_argument(call, argument, event, at);
    }
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

/* The same as for a decoded call, from the bytes of the file. */
void quipu__dumpi_add_fast_attributes(struct quipu__dumpi_current_call *call) {
    const struct quipu__dumpi_fast_layout *layout = call->layout;
    const uint32_t event = call->batch->batch.count - 1;
    struct quipu_attribute *at =
        quipu__batch_attribute_room(call->batch, QUIPU__DUMPI_ARGUMENTS_MOST + QUIPU__DUMPI_CPU_TIMES);
    if (QUIPU__UNLIKELY(!at))
        return;
    at = put_arguments(call, is_carried(call) ? layout->uncarried : layout->arguments, event, at);
    quipu__batch_end_attributes(call->batch, put_cpu_times(call, event, at));
}
