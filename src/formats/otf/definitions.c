/* definitions.c: all definitions of a trace, and what tokens mean.
 *
 * First every file of definitions is read (markers define their types in their own files), so the order of definitions
 * does not matter; then they are added to the model class by class. Definition n of a class is number n of the model,
 * with two exceptions: collective operations are regions after the functions, and what is used without being defined
 * gets a number when it is met ("late").
 *
 * The token tables do not change after opening, so passes in several threads read them without a lock; late tokens are
 * protected by one.
 */
#include "formats/otf/format.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>

#define WINDOW ((size_t)256 << 10)

/* ---- Fields ---- */

static const struct quipu_field *field_at(enum quipu__otf_type type, uint8_t field) {
    return &quipu__otf_schema.types[type].fields[field];
}

static uint32_t number_at(enum quipu__otf_type type, uint8_t field, const void *data) {
    int64_t value = 0;
    if (field != QUIPU__OTF_NO_FIELD)
        quipu_field_get_i64(field_at(type, field), data, &value);
    return (uint32_t)value;
}

static const void *pointer_at(enum quipu__otf_type type, uint8_t field, const void *data) {
    return field == QUIPU__OTF_NO_FIELD
               ? NULL
               : *(const void *const *)quipu__member_const(field_at(type, field), data);
}

static bool copy_text(struct quipu__otf_trace *own, const char *text, const char **out) {
    *out = text ? quipu__arena_text(&own->arena, text, quipu_sized_count(text)) : NULL;
    return !text || *out;
}

static bool copy_list(struct quipu__otf_trace *own, const uint32_t *list, struct quipu__otf_definition *out) {
    out->list_count = quipu_sized_count(list);
    if (out->list_count == 0)
        return true;
    uint32_t *copy = quipu__arena_alloc(&own->arena, out->list_count * sizeof *copy);
    if (copy)
        memcpy(copy, list, out->list_count * sizeof *copy);
    out->list = copy;
    return copy != NULL;
}

static bool copy_definition(struct quipu__otf_trace *own, const struct quipu__otf_definer *row,
                            const void *data, struct quipu__otf_definition *out) {
    *out = (struct quipu__otf_definition){.token = number_at(row->type, row->token, data),
                                          .first = number_at(row->type, row->first, data),
                                          .second = number_at(row->type, row->second, data)};
    return copy_text(own, pointer_at(row->type, row->name, data), &out->name) &&
           copy_text(own, pointer_at(row->type, row->text, data), &out->text) &&
           copy_list(own, pointer_at(row->type, row->list, data), out);
}

static bool same_text(const char *left, const char *right) {
    return left == right || (left && right && strcmp(left, right) == 0);
}

static bool same_definition(const struct quipu__otf_definition *a, const struct quipu__otf_definition *b) {
    return a->first == b->first && a->second == b->second && same_text(a->name, b->name) &&
           same_text(a->text, b->text) && a->list_count == b->list_count &&
           (a->list_count == 0 || memcmp(a->list, b->list, a->list_count * sizeof *a->list) == 0);
}

/* The first definition of a token counts; repeating the same one, as in local definitions, is normal. */
static bool add_definition(struct quipu__otf_trace *own, enum quipu__otf_class class_of, const void *data,
                           const char *path) {
    const struct quipu__otf_definer *row = &quipu__otf_definers[class_of];
    struct quipu__otf_class_list *list = &own->definition_classes[class_of];
    struct quipu__otf_definition copy;
    if (!copy_definition(own, row, data, &copy))
        return false;
    const uint32_t before = quipu__tokens_get(&list->tokens, copy.token);
    if (before != QUIPU_NONE) {
        if (!same_definition(&list->definitions.items[before], &copy))
            quipu__otf_find(own, QUIPU__OTF_RULE_REDEFINED, path, "", "%s %" PRIu32,
                            quipu__otf_schema.types[row->type].name, copy.token);
        return true;
    }
    if (copy.token == 0)
        quipu__otf_find(own, QUIPU__OTF_RULE_TOKEN_ZERO, path, "", "%s",
                        quipu__otf_schema.types[row->type].name);
    if (!QUIPU__VEC_PUT(own->trace->memory, &list->definitions, copy))
        return false;
    return quipu__tokens_put(&list->tokens, copy.token, (uint32_t)list->definitions.count - 1);
}

/* ---- Reading the files ---- */

/* Handles definitions that do not belong to a class. */
static bool use_single(struct quipu__otf_trace *own, enum quipu__otf_type type,
                       const union quipu__otf_any *data) {
    if (type == QUIPU__OTF_DefTimerResolution && data->DefTimerResolution.ticksPerSecond)
        own->trace->define->definitions.clock.ticks_per_second = data->DefTimerResolution.ticksPerSecond;
    if (type == QUIPU__OTF_DefProcessOrGroupAttributes)
        return data->DefProcessOrGroupAttributes.attr_token == QUIPU_NONE || /* no list has that token */
               quipu__map_put(&own->attributes_of, data->DefProcessOrGroupAttributes.proc_token,
                              data->DefProcessOrGroupAttributes.attr_token);
    if (type != QUIPU__OTF_DefVersion || own->trace->variant[0])
        return true;
    char text[64];
    const struct quipu__otf_DefVersion *version = &data->DefVersion;
    const int len = snprintf(text, sizeof text, "%u.%u.%u", version->major, version->minor, version->sub);
    own->trace->variant = quipu__arena_text(&own->trace->define->arena, text, (size_t)len);
    return own->trace->variant != NULL;
}

/* The number that stands for a key-value: a token, or the number of its text; QUIPU_NONE: neither. False when memory is out. */
static bool number_value(struct quipu__otf_trace *own, const struct quipu_value *value, uint32_t *number) {
    *number = value->type == QUIPU_VALUE_U32 ? (uint32_t)value->u : QUIPU_NONE;
    if (value->type != QUIPU_VALUE_BYTES)
        return true;
    const char **text = QUIPU__VEC_ADD(own->trace->memory, &own->value_texts);
    if (!text || !(*text = quipu__arena_text(&own->arena, (const char *)own->next_values.bytes.data + value->u,
                                             value->size)))
        return false;
    *number = (uint32_t)own->value_texts.count - 1;
    return true;
}

/* Key-values of processes, groups and source locations say what their records cannot; those of other definitions mean nothing to the
 * model. */
static bool use_values(struct quipu__otf_trace *own, enum quipu__otf_type type,
                       const union quipu__otf_any *data) {
    struct quipu__map *values = NULL;
    uint32_t token = 0;
    bool done = true;
    if (type == QUIPU__OTF_DefProcess) {
        values = &own->values_of_processes;
        token = data->DefProcess.process;
    } else if (type == QUIPU__OTF_DefProcessGroup) {
        values = &own->values_of_groups;
        token = data->DefProcessGroup.procGroup;
    } else if (type == QUIPU__OTF_DefScl) {
        values = &own->values_of_sources;
        token = data->DefScl.source;
    }
    for (size_t i = 0; values && i < own->next_values.count && done; i++) {
        uint32_t number;
        done = number_value(own, &own->next_values.items[i], &number) &&
               (number == QUIPU_NONE ||
                quipu__map_put(values, (uint64_t)token << 32 | own->next_values.items[i].key, number));
    }
    quipu__otf_values_clear(&own->next_values);
    return done;
}

/* A malformed one is reported when the records are read. */
static bool take_value(struct quipu__otf_trace *own, struct quipu__keyed_lines *lines) {
    struct quipu__otf_value_line value;
    return quipu__otf_decode_value(lines, &value) != QUIPU__KEYED_DECODED ||
           quipu__otf_values_add(&own->next_values, &value) != QUIPU__OTF_VALUE_NO_ROOM;
}

static bool use_record(struct quipu__otf_trace *own, enum quipu__otf_type type,
                       const union quipu__otf_any *data, const char *path) {
    if (!use_values(own, type, data))
        return false;
    for (uint32_t i = 0; i < QUIPU__OTF_CLASS_COUNT; i++)
        if (quipu__otf_definers[i].type == type)
            return add_definition(own, (enum quipu__otf_class)i, data, path);
    return use_single(own, type, data);
}

/* Uses the next line of a file of definitions. Malformed lines are silently skipped here: reading the records reports
 * them. */
static enum quipu_status use_line(struct quipu__otf_trace *own, struct quipu__keyed_lines *lines,
                                  struct quipu__input *input, struct quipu__scratch *scratch, const char *path,
                                  struct quipu_error *err) {
    union quipu__otf_any data;
    lines->p = input->at;
    lines->end = input->end;
    lines->ended = input->ended;
    const enum quipu__keyed_line line = quipu__keyed_recognise(lines);
    enum quipu__keyed_result result = QUIPU__KEYED_MALFORMED;
    quipu__scratch_reset(scratch);
    if (line == QUIPU__KEYED_RECORD)
        result = quipu__keyed_decode(lines, lines->form, scratch, &data, NULL);
    if (line == QUIPU__KEYED_VALUE && !take_value(own, lines))
        return quipu__no_memory(err, sizeof data);
    if (line == QUIPU__KEYED_MORE || result == QUIPU__KEYED_CUT) {
        if (input->ended)
            return QUIPU_END;
        return quipu__input_widen(input, err);
    }
    if (result == QUIPU__KEYED_NO_ROOM ||
        (result == QUIPU__KEYED_DECODED && !use_record(own, lines->form->type, &data, path)))
        return quipu__no_memory(err, sizeof data);
    if (result != QUIPU__KEYED_DECODED && lines->p == input->at)
        quipu__keyed_skip_line(lines);
    else if (result != QUIPU__KEYED_DECODED && lines->p > input->at && lines->p[-1] != '\n')
        quipu__keyed_skip_line(lines);
    input->at = lines->p;
    return QUIPU_OK;
}

static enum quipu_status read_file(struct quipu__otf_trace *own, uint32_t stream_file,
                                   struct quipu_error *err) {
    struct quipu__input *input = NULL;
    struct quipu__scratch scratch;
    struct quipu__keyed_lines lines = quipu__otf_lines_of(own, own->stream_files.items[stream_file].file);
    void *packed;
    size_t packed_size;
    const char *path = own->trace->streams.items[stream_file].path;
    enum quipu_status status =
        quipu__otf_open_file(own, stream_file, WINDOW, &input, &packed, &packed_size, err);
    quipu__scratch_init(&scratch, own->trace->memory);
    while (status == QUIPU_OK)
        status = use_line(own, &lines, input, &scratch, path, err);
    quipu__scratch_release(&scratch);
    quipu__input_close(input);
    quipu__release(own->trace->memory, packed, packed_size);
    return status;
}

/* A file that cannot be read costs only its own definitions. */
static enum quipu_status read_files(struct quipu__otf_trace *own, struct quipu_error *err) {
    for (uint32_t stream_file = 0; stream_file < own->stream_files.count; stream_file++) {
        const enum quipu__otf_file file = own->stream_files.items[stream_file].file;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        if (file != QUIPU__OTF_DEFINITIONS && file != QUIPU__OTF_MARKERS)
            continue;
        const enum quipu_status status = read_file(own, stream_file, &trouble);
        if (status == QUIPU_NO_MEMORY) {
            if (err)
                *err = trouble;
            return status;
        }
        if (status != QUIPU_END)
            quipu__otf_lose_file(own, stream_file, status, &trouble);
    }
    return QUIPU_OK;
}

enum quipu_status quipu__otf_read_definitions(struct quipu__otf_trace *own, struct quipu_error *err) {
    const enum quipu_status status = read_files(own, err);
    if (status != QUIPU_OK)
        return status;
    if (!own->trace->define->definitions.clock.ticks_per_second)
        quipu__otf_find(own, QUIPU__OTF_RULE_NO_RESOLUTION, "", "DefTimerResolution", " ");
    return quipu__otf_define_model(own) ? QUIPU_OK : quipu__no_memory(err, sizeof(struct quipu_region));
}
