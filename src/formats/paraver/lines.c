/* lines.c: see lines.h. */
#include "formats/paraver/lines.h"

#include "core/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- Lines ---- */

static void take_line(struct quipu__paraver_lines *lines, const uint8_t *end, bool has_end) {
    struct quipu__input *input = lines->input;
    lines->offset = quipu__input_offset(input);
    lines->text = (const char *)input->at;
    lines->len = (size_t)(end - input->at);
    lines->has_end = has_end && !lines->is_inside;
    lines->number += !lines->is_inside;
    if (lines->len > 0 && lines->text[lines->len - 1] == '\r')
        lines->len--;
    input->at = end + has_end;
}

enum quipu_status quipu__paraver_next_line(struct quipu__paraver_lines *lines, struct quipu_error *err) {
    enum { SOME = 4096 };
    struct quipu__input *input = lines->input;
    for (size_t seen = 0;;) {
        const size_t left = (size_t)(input->end - input->at);
        const uint8_t *newline = left > seen ? memchr(input->at + seen, '\n', left - seen) : NULL;
        if (newline || (input->ended && left > 0)) {
            take_line(lines, newline ? newline : input->end, newline != NULL);
            lines->is_inside = false;
            return QUIPU_OK;
        }
        if (input->ended)
            return QUIPU_END;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        const enum quipu_status status = quipu__input_more(input, 2 * left + SOME, &trouble);
        if (status == QUIPU_LIMIT) {
            take_line(lines, input->end, false);
            lines->is_inside = true;
            return QUIPU_OK;
        }
        if (status != QUIPU_OK) {
            if (err)
                *err = trouble;
            return status;
        }
        seen = left;
    }
}

/* ---- Fields ---- */

/* What is left of a line: values with colons between them. */
struct fields {
    const char *at, *end;
    bool has_more, failed;
};

static struct fields fields_of(const char *text, size_t len) {
    return (struct fields){text, text + len, true, false};
}

static size_t take_field(struct fields *fields, const char **out) {
    const size_t left = (size_t)(fields->end - fields->at);
    const char *colon = left > 0 ? memchr(fields->at, ':', left) : NULL;
    const size_t len = colon ? (size_t)(colon - fields->at) : left;
    *out = fields->at;
    fields->failed |= !fields->has_more;
    fields->has_more = colon != NULL;
    fields->at += len + fields->has_more;
    return len;
}

static int64_t take_number(struct fields *fields) {
    const char *text;
    int64_t number;
    const size_t len = take_field(fields, &text);
    fields->failed |= !quipu__parse_i64(text, len, &number);
    return number;
}

static uint64_t take_bytes_of_message(struct fields *fields) {
    const char *text;
    uint64_t number;
    const size_t len = take_field(fields, &text);
    fields->failed |= !quipu__parse_u64(text, len, &number);
    return number;
}

static bool is_complete(const struct fields *fields) {
    return !fields->failed && !fields->has_more;
}

static uint32_t count_fields(const struct fields *fields) {
    uint32_t count = fields->has_more;
    for (const char *at = fields->at; at < fields->end; at++)
        count += *at == ':';
    return count;
}

static const int64_t *take_numbers(struct fields *fields, struct quipu__scratch *scratch) {
    const uint32_t count = count_fields(fields);
    int64_t *list = quipu__scratch_sized(scratch, count, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = take_number(fields);
    return list;
}

/* ---- The header ---- */

static int64_t number_at(const char **at) {
    size_t len = strspn(*at, "0123456789");
    int64_t number;
    const bool is_number = quipu__parse_i64(*at, len, &number);
    *at += len;
    return is_number ? number : -1;
}

/* N(threads:node,threads:node); the node may be missing. */
static bool each_task_of(const char **at, struct quipu__paraver_header_task *task,
                         bool (*look)(void *context, const struct quipu__paraver_header_task *task),
                         void *context) {
    const int64_t tasks = number_at(at);
    if (tasks < 0 || **at != '(')
        return false;
    for (task->task = 1; task->task <= tasks; task->task++) {
        ++*at;
        task->threads = number_at(at);
        const bool has_node = **at == ':';
        *at += has_node;
        task->node = has_node ? number_at(at) : 0;
        if (task->threads < 0 || task->node < 0 || **at != (task->task < tasks ? ',' : ')') ||
            (look && !look(context, task)))
            return false;
    }
    *at += tasks == 0;
    return *(*at)++ == ')';
}

bool quipu__paraver_each_task(const char *text, const char **end,
                              bool (*look)(void *context, const struct quipu__paraver_header_task *task),
                              void *context) {
    struct quipu__paraver_header_task task = {0, 0, 0, 0};
    const int64_t applications = number_at(&text);
    bool is_list = applications >= 0;
    for (task.application = 1; is_list && task.application <= applications; task.application++) {
        is_list = *text == ':' || (*text == ',' && task.application > 1);
        text += is_list;
        is_list = is_list && each_task_of(&text, &task, look, context);
    }
    *end = text;
    return is_list;
}

static const char head[] = "#Paraver (";

/* Texts end at a character; what follows it is left in at. NULL when it does not come. */
static const char *take_text(struct quipu__scratch *scratch, const char **at, const char *end, char last) {
    const char *stop = memchr(*at, last, (size_t)(end - *at));
    const char *text = stop ? quipu__scratch_text(scratch, *at, (size_t)(stop - *at)) : NULL;
    *at = stop ? stop + 1 : end;
    return text;
}

/* The nodes: N, or N(CPUs,CPUs). */
static const char *take_resources(struct quipu__scratch *scratch, const char **at, const char *end) {
    const char *colon = memchr(*at, ':', (size_t)(end - *at));
    return colon ? take_text(scratch, at, end, ':') : NULL;
}

static bool decode_header(const char *text, size_t len, struct quipu__scratch *scratch,
                          struct quipu__prv_record_header *out) {
    const char *at = text + strlen(head), *const end = text + len, *rest;
    out->date = take_text(scratch, &at, end, ')');
    if (!out->date || at == end || *at++ != ':')
        return false;
    const char *duration = take_text(scratch, &at, end, ':');
    const size_t digits = duration ? strspn(duration, "0123456789") : 0;
    if (!duration || !quipu__parse_i64(duration, digits, &out->duration))
        return false;
    out->unit = quipu__scratch_text(scratch, duration + digits, strlen(duration + digits));
    out->resources = take_resources(scratch, &at, end);
    char *applications = quipu__scratch_text(scratch, at, (size_t)(end - at));
    out->applications = applications;
    out->communicators = -1;
    if (!out->unit || !out->resources || !applications ||
        !quipu__paraver_each_task(applications, &rest, NULL, NULL))
        return false;
    const size_t used = (size_t)(rest - applications);
    if (*rest == '\0')
        return true;
    out->applications = quipu__scratch_text(scratch, at, used);
    return *rest == ',' &&
           quipu__parse_i64(at + used + 1, (size_t)(end - at) - used - 1, &out->communicators) &&
           out->communicators >= 0 && out->applications;
}

/* ---- Records ---- */

struct object {
    int64_t cpu, application, task, thread;
};

static struct object take_object(struct fields *fields) {
    struct object object;
    object.cpu = take_number(fields);
    object.application = take_number(fields);
    object.task = take_number(fields);
    object.thread = take_number(fields);
    return object;
}

static void decode_state(struct fields *fields, struct quipu__prv_record_state *out) {
    const struct object object = take_object(fields);
    *out =
        (struct quipu__prv_record_state){object.cpu, object.application, object.task, object.thread, 0, 0, 0};
    out->begin = take_number(fields);
    out->end = take_number(fields);
    out->state = take_number(fields);
    fields->failed |= out->begin < 0;
}

static bool decode_event(struct fields *fields, struct quipu__scratch *scratch,
                         struct quipu__prv_record_event *out) {
    const struct object object = take_object(fields);
    *out = (struct quipu__prv_record_event){object.cpu,    object.application,  object.task,
                                            object.thread, take_number(fields), NULL};
    const uint32_t count = (count_fields(fields) + 1) / 2;
    struct quipu__prv_record_typed_value *list = quipu__scratch_sized(scratch, count, sizeof *list);
    out->values = list;
    for (uint32_t i = 0; list && i < count; i++) {
        list[i].type = take_number(fields);
        list[i].value = take_number(fields);
    }
    fields->failed |= out->time < 0 || count == 0;
    return list != NULL;
}

static void decode_message(struct fields *fields, struct quipu__prv_record_message *out) {
    const struct object from = take_object(fields);
    out->cpu = from.cpu;
    out->application = from.application;
    out->task = from.task;
    out->thread = from.thread;
    out->logical_send = take_number(fields);
    out->physical_send = take_number(fields);
    const struct object to = take_object(fields);
    out->receiver_cpu = to.cpu;
    out->receiver_application = to.application;
    out->receiver_task = to.task;
    out->receiver_thread = to.thread;
    out->logical_receive = take_number(fields);
    out->physical_receive = take_number(fields);
    out->bytes = take_bytes_of_message(fields);
    out->tag = take_number(fields);
    fields->failed |= out->logical_send < 0 || out->physical_send < 0 || out->logical_receive < 0 ||
                      out->physical_receive < 0;
}

static bool decode_communicator(struct fields *fields, struct quipu__scratch *scratch,
                                struct quipu__prv_record_communicator *out) {
    out->application = take_number(fields);
    out->id = take_number(fields);
    out->size = take_number(fields);
    out->members = take_numbers(fields, scratch);
    fields->failed |= out->size < 0 || (uint64_t)out->size != quipu_sized_count(out->members);
    return out->members != NULL;
}

static enum quipu__paraver_decoded decode_comment(const struct quipu__paraver_lines *line,
                                                  struct quipu__scratch *scratch,
                                                  struct quipu__paraver_record *out) {
    out->type = QUIPU__PRV_TYPE_header;
    if (line->len > strlen(head) && memcmp(line->text, head, strlen(head)) == 0 &&
        decode_header(line->text, line->len, scratch, &out->any.header))
        return QUIPU__PARAVER_RECORD;
    out->type = QUIPU__PRV_TYPE_comment;
    out->any.comment.text = quipu__scratch_text(scratch, line->text + 1, line->len - 1);
    return out->any.comment.text ? QUIPU__PARAVER_RECORD : QUIPU__PARAVER_NO_MEMORY;
}

/* The type of a line by its first character. */
static bool type_of(char first, enum quipu__prv_record_type *out) {
    static const struct {
        char first;
        enum quipu__prv_record_type type;
    } types[] = {{'1', QUIPU__PRV_TYPE_state},        {'2', QUIPU__PRV_TYPE_event},
                 {'3', QUIPU__PRV_TYPE_message},      {'4', QUIPU__PRV_TYPE_global},
                 {'c', QUIPU__PRV_TYPE_communicator}, {'i', QUIPU__PRV_TYPE_intercommunicator},
                 {'C', QUIPU__PRV_TYPE_communicator}, {'I', QUIPU__PRV_TYPE_intercommunicator}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].first == first) {
            *out = types[i].type;
            return true;
        }
    return false;
}

enum quipu__paraver_decoded quipu__paraver_decode(const struct quipu__paraver_lines *line,
                                                  struct quipu__scratch *scratch,
                                                  struct quipu__paraver_record *out) {
    bool has_memory = true;
    if (line->len == 0 && line->has_end)
        return QUIPU__PARAVER_BLANK;
    if (!line->has_end || memchr(line->text, '\0', line->len))
        return QUIPU__PARAVER_DAMAGED;
    if (line->text[0] == '#')
        return decode_comment(line, scratch, out);
    if (line->len < 2 || line->text[1] != ':' || !type_of(line->text[0], &out->type))
        return QUIPU__PARAVER_DAMAGED;
    struct fields fields = fields_of(line->text + 2, line->len - 2);
    switch (out->type) {
    case QUIPU__PRV_TYPE_state:
        decode_state(&fields, &out->any.state);
        break;
    case QUIPU__PRV_TYPE_event:
        has_memory = decode_event(&fields, scratch, &out->any.event);
        break;
    case QUIPU__PRV_TYPE_message:
        decode_message(&fields, &out->any.message);
        break;
    case QUIPU__PRV_TYPE_communicator:
        has_memory = decode_communicator(&fields, scratch, &out->any.communicator);
        break;
    default: /* both are but numbers */
        out->any.global.values = take_numbers(&fields, scratch);
        has_memory = out->any.global.values != NULL;
    }
    if (!has_memory)
        return QUIPU__PARAVER_NO_MEMORY;
    return is_complete(&fields) ? QUIPU__PARAVER_RECORD : QUIPU__PARAVER_DAMAGED;
}

/* ---- The reverse ---- */

static void put_number(struct quipu__buffer *out, int64_t number) {
    quipu__put_u8(out, ':');
    quipu__put_i64(out, number);
}

static void put_numbers(struct quipu__buffer *out, const int64_t *list) {
    for (uint32_t i = 0; i < quipu_sized_count(list); i++)
        put_number(out, list[i]);
}

static void put_object(struct quipu__buffer *out, int64_t cpu, int64_t application, int64_t task,
                       int64_t thread) {
    put_number(out, cpu);
    put_number(out, application);
    put_number(out, task);
    put_number(out, thread);
}

static const char *text_of(const char *text) {
    return text ? text : "";
}

static void encode_header(struct quipu__buffer *out, const struct quipu__prv_record_header *header) {
    quipu__put_format(out, "%s%s):%" PRId64 "%s:%s:%s", head, text_of(header->date), header->duration,
                      text_of(header->unit), text_of(header->resources), text_of(header->applications));
    if (header->communicators >= 0)
        quipu__put_format(out, ",%" PRId64, header->communicators);
}

static void encode_state(struct quipu__buffer *out, const struct quipu__prv_record_state *state) {
    quipu__put_u8(out, '1');
    put_object(out, state->cpu, state->application, state->task, state->thread);
    put_number(out, state->begin);
    put_number(out, state->end);
    put_number(out, state->state);
}

static void encode_event(struct quipu__buffer *out, const struct quipu__prv_record_event *event) {
    quipu__put_u8(out, '2');
    put_object(out, event->cpu, event->application, event->task, event->thread);
    put_number(out, event->time);
    for (uint32_t i = 0; i < quipu_sized_count(event->values); i++) {
        put_number(out, event->values[i].type);
        put_number(out, event->values[i].value);
    }
}

static void encode_message(struct quipu__buffer *out, const struct quipu__prv_record_message *message) {
    quipu__put_u8(out, '3');
    put_object(out, message->cpu, message->application, message->task, message->thread);
    put_number(out, message->logical_send);
    put_number(out, message->physical_send);
    put_object(out, message->receiver_cpu, message->receiver_application, message->receiver_task,
               message->receiver_thread);
    put_number(out, message->logical_receive);
    put_number(out, message->physical_receive);
    quipu__put_format(out, ":%" PRIu64, message->bytes);
    put_number(out, message->tag);
}

static void encode_communicator(struct quipu__buffer *out,
                                const struct quipu__prv_record_communicator *communicator) {
    quipu__put_u8(out, 'c');
    put_number(out, communicator->application);
    put_number(out, communicator->id);
    put_number(out, communicator->size);
    put_numbers(out, communicator->members);
}

void quipu__paraver_encode(struct quipu__buffer *out, const struct quipu_record *record) {
    const union quipu__prv_record_any *any = record->data;
    switch ((enum quipu__prv_record_type)(record->type - quipu__prv_record_types)) {
    case QUIPU__PRV_TYPE_header:
        encode_header(out, &any->header);
        break;
    case QUIPU__PRV_TYPE_communicator:
        encode_communicator(out, &any->communicator);
        break;
    case QUIPU__PRV_TYPE_intercommunicator:
        quipu__put_u8(out, 'i');
        put_numbers(out, any->intercommunicator.values);
        break;
    case QUIPU__PRV_TYPE_comment:
        quipu__put_u8(out, '#');
        quipu__put_text(out, text_of(any->comment.text));
        break;
    case QUIPU__PRV_TYPE_state:
        encode_state(out, &any->state);
        break;
    case QUIPU__PRV_TYPE_event:
        encode_event(out, &any->event);
        break;
    case QUIPU__PRV_TYPE_message:
        encode_message(out, &any->message);
        break;
    default:
        quipu__put_u8(out, '4');
        put_numbers(out, any->global.values);
    }
    quipu__put_u8(out, '\n');
}
