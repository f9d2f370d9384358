/* attributes.c: the arguments of a call that its events do not carry, as attributes of the enter event. */
#include "formats/dumpi/events.h"

#include <stdio.h>

static void add_text(struct quipu__dumpi_current_call *call, const struct quipu_field *field, uint32_t key) {
    const char *text;
    memcpy(&text, call->data + field->offset, sizeof text);
    quipu__gate_knows(quipu__batch_attribute_text(call->batch, key, text, quipu_sized_count(text)));
}

/* ---- Lists ---- */

/* What stands before each number of a status. */
void quipu__dumpi_frame_statuses(struct quipu__dumpi_events *events) {
    const struct quipu_record_type *type = &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_status];
    for (size_t i = 0; i < type->field_count; i++)
        snprintf(events->frames[i], sizeof *events->frames, "%s\"%s\": ", i == 0 ? "{" : ", ",
                 type->fields[i].name);
}

/* The same text as that of quipu__print_json_value: most lists are of statuses, and this takes a quarter of its time. */
static void put_statuses(const struct quipu__dumpi_current_call *call, const struct quipu_field *field,
                         struct quipu__buffer *text) {
    const struct quipu__dumpi_status *statuses;
    memcpy(&statuses, call->data + field->offset, sizeof statuses);
    quipu__put_u8(text, '[');
    for (uint32_t i = 0; i < quipu_sized_count(statuses); i++) {
        if (i > 0)
            quipu__put(text, ", ", 2);
        for (size_t k = 0; k < field->element->field_count; k++) {
            int64_t value = 0;
            quipu_field_get_i64(&field->element->fields[k], &statuses[i], &value);
            quipu__put(text, call->events->frames[k], strlen(call->events->frames[k]));
            quipu__put_i64(text, value);
        }
        quipu__put_u8(text, '}');
    }
    quipu__put_u8(text, ']');
}

/* Lists are carried as JSON. */
static void add_json(struct quipu__dumpi_current_call *call, const struct quipu_field *field, uint32_t key) {
    struct quipu__buffer *text = &call->events->text;
    text->len = 0;
    if (field->element == &quipu__dumpi_elements[QUIPU__DUMPI_ELEMENT_status])
        put_statuses(call, field, text);
    else
        quipu__print_json_value(field, call->data, text);
    if (!text->failed)
        quipu__gate_knows(quipu__batch_attribute_text(call->batch, key, (const char *)text->data, text->len));
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

static bool is_carried_rank(const struct quipu__dumpi_current_call *call, int32_t rank) {
    return quipu__dumpi_peer_of(call->events, call->events->own->world, rank) != QUIPU_NONE;
}

/* Messages and collectives in the world carry partner, tag and communicator in full: these are not repeated. What was
 * received from anybody, or with any tag, says more than the event. */
static bool is_carried(const struct quipu__dumpi_current_call *call) {
    const uint8_t call_class = call->row->call_class;
    const bool carries =
        call_class == QUIPU__DUMPI_CALL_CLASS_SEND || call_class == QUIPU__DUMPI_CALL_CLASS_RECV ||
        call_class == QUIPU__DUMPI_CALL_CLASS_ISEND || call_class == QUIPU__DUMPI_CALL_CLASS_SENDRECV ||
        call_class == QUIPU__DUMPI_CALL_CLASS_COLLECTIVE;
    if (!carries || HANDLE(call, comm) != QUIPU__DUMPI_COMM_WORLD)
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
