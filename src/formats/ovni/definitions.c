/* definitions.c: what metadata define for all threads of a trace: types of marks with the labels of their values, and hardware
 * counters. */
#include "formats/ovni/system.h"

#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Marks ---- */

struct mark_source {
    struct quipu__ovni_system *system;
    const struct quipu__ovni_stream *stream;
    uint32_t type;
};

static void mark_fault(const struct mark_source *source, const char *expected, const char *found) {
    char field[40];
    snprintf(field, sizeof field, "ovni.mark.%u", source->type);
    quipu__ovni_system_find(source->system, QUIPU__OVNI_RULE_MARK, source->stream->metadata_path, field,
                            expected, "%s", found);
}

void quipu__ovni_mark_release(struct quipu__ovni_system *system, struct quipu__ovni_mark *mark) {
    if (mark->kind == QUIPU__OVNI_MARK_NONE)
        return;
    quipu__map_release(&mark->label_of);
    QUIPU__VEC_RELEASE(system->memory, &mark->labels);
}

static void define_label(const struct mark_source *source, int64_t value, const char *text) {
    struct quipu__ovni_mark *mark = &source->system->marks[source->type];
    const uint32_t known = quipu__map_get(&mark->label_of, (uint64_t)value);
    if (known != QUIPU_NONE) {
        if (strcmp(mark->labels.items[known].text, text) != 0)
            mark_fault(source, mark->labels.items[known].text, text);
        return;
    }
    struct quipu__ovni_label *label = QUIPU__VEC_ADD(source->system->memory, &mark->labels);
    if (!label)
        return;
    *label = (struct quipu__ovni_label){value, text};
    quipu__gate_knows(quipu__map_put(&mark->label_of, (uint64_t)value, (uint32_t)(mark->labels.count - 1)));
}

static void define_labels(const struct mark_source *source, const json_t *labels) {
    json_t *object = (json_t *)labels, *member;
    const char *key;
    json_object_foreach(object, key, member) {
        const char *text = json_string_value(member);
        int64_t value;
        if (!text || strlen(text) > QUIPU__OVNI_LABEL_MOST)
            mark_fault(source, "labels of at most 511 bytes", text ? "a longer one" : "no text");
        else if (!quipu__parse_i64(key, strlen(key), &value))
            mark_fault(source, "a number", key);
        else
            define_label(source, value, text);
    }
}

static void define_mark(const struct mark_source *source, const json_t *definition) {
    struct quipu__ovni_system *system = source->system;
    struct quipu__ovni_mark *mark = &system->marks[source->type];
    const char *title = json_string_value(json_object_get(definition, "title"));
    const char *kind = json_string_value(json_object_get(definition, "chan_type"));
    const bool is_stack = kind && strcmp(kind, "stack") == 0;
    if (!title || strlen(title) > QUIPU__OVNI_LABEL_MOST) {
        mark_fault(source, "a title of at most 511 bytes", title ? "a longer one" : "none");
    } else if (!kind || (!is_stack && strcmp(kind, "single") != 0)) {
        mark_fault(source, "chan_type single or stack", kind ? kind : "none");
    } else if (mark->kind == QUIPU__OVNI_MARK_NONE) {
        quipu__map_init(&mark->label_of, system->memory);
        mark->kind = is_stack ? QUIPU__OVNI_MARK_STACK : QUIPU__OVNI_MARK_SINGLE;
        mark->title = title;
        system->mark_order[system->mark_count++] = (uint8_t)source->type;
    } else if (strcmp(mark->title, title) != 0) {
        mark_fault(source, mark->title, title);
    } else if ((mark->kind == QUIPU__OVNI_MARK_STACK) != is_stack) {
        mark_fault(source, is_stack ? "single" : "stack", kind);
    }
    if (mark->kind != QUIPU__OVNI_MARK_NONE)
        define_labels(source, json_object_get(definition, "labels"));
}

/* Regions of another format became marks: they are regions again. */
static void load_region_mark(struct quipu__ovni_system *system, const json_t *metadata) {
    int64_t type;
    if (quipu__ovni_json_integer(json_object_get(metadata, QUIPU__OVNI_OWN_KEY), QUIPU__OVNI_REGION_MARK_KEY,
                                 &type) &&
        type >= 0 && type < QUIPU__OVNI_MARK_TYPES && system->marks[type].kind == QUIPU__OVNI_MARK_STACK)
        system->region_mark = (uint32_t)type + 1;
}

void quipu__ovni_load_marks(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    json_t *marks = (json_t *)quipu__ovni_json_at(stream->metadata, "ovni.mark"), *definition;
    const char *key;
    json_object_foreach(marks, key, definition) {
        struct mark_source source = {system, stream, 0};
        uint64_t type;
        if (!quipu__parse_u64(key, strlen(key), &type) || type >= QUIPU__OVNI_MARK_TYPES) {
            mark_fault(&source, "a type from 0 to 99", key);
            continue;
        }
        source.type = (uint32_t)type;
        define_mark(&source, definition);
    }
    load_region_mark(system, stream->metadata);
}

/* ---- Correcting marks ---- */

static bool is_known_label(const struct quipu__ovni_mark *mark, const char *key, const json_t *label) {
    const char *text = json_string_value(label);
    int64_t value;
    if (!text || !quipu__parse_i64(key, strlen(key), &value))
        return false;
    const uint32_t number = quipu__map_get(&mark->label_of, (uint64_t)value);
    return number != QUIPU_NONE && strcmp(mark->labels.items[number].text, text) == 0;
}

/* NULL: the definition is not valid, or another came first. */
static const struct quipu__ovni_mark *known_mark(const struct quipu__ovni_system *system, const char *key,
                                                 const json_t *definition) {
    static const char *const kinds[] = {
        [QUIPU__OVNI_MARK_STACK] = "stack", [QUIPU__OVNI_MARK_SINGLE] = "single"};
    const char *title = json_string_value(json_object_get(definition, "title"));
    const char *kind = json_string_value(json_object_get(definition, "chan_type"));
    uint64_t type;
    if (!title || !kind || !quipu__parse_u64(key, strlen(key), &type) || type >= QUIPU__OVNI_MARK_TYPES)
        return NULL;
    const struct quipu__ovni_mark *mark = &system->marks[type];
    const bool is_same = mark->kind != QUIPU__OVNI_MARK_NONE && strcmp(mark->title, title) == 0 &&
                         strcmp(kinds[mark->kind], kind) == 0;
    return is_same ? mark : NULL;
}

static uint64_t correct_labels(const struct quipu__ovni_mark *mark, json_t *labels) {
    json_t *label;
    const char *key;
    void *next;
    uint64_t removed = 0;
    json_object_foreach_safe(labels, next, key, label) {
        if (is_known_label(mark, key, label))
            continue;
        json_object_del(labels, key);
        removed++;
    }
    return removed;
}

uint64_t quipu__ovni_correct_marks(const struct quipu__ovni_system *system, json_t *marks) {
    json_t *definition;
    const char *key;
    void *next;
    uint64_t removed = 0;
    json_object_foreach_safe(marks, next, key, definition) {
        const struct quipu__ovni_mark *mark = known_mark(system, key, definition);
        if (mark) {
            removed += correct_labels(mark, json_object_get(definition, "labels"));
            continue;
        }
        json_object_del(marks, key);
        removed++;
    }
    return removed;
}

/* ---- Hardware counters ---- */

void quipu__ovni_load_counters(struct quipu__ovni_system *system, const struct quipu__ovni_stream *stream) {
    const json_t *counters = quipu__ovni_json_at(stream->metadata, "nosv.hwc");
    const size_t count = json_object_size(counters);
    if (!json_is_object(counters) || count == 0)
        return;
    const bool is_first = system->counter_count == 0;
    if (count > QUIPU__OVNI_COUNTERS_MOST || (!is_first && count != system->counter_count)) {
        quipu__ovni_system_find(system, QUIPU__OVNI_RULE_COUNTERS, stream->metadata_path, "nosv.hwc",
                                "the same number in all threads, at most 100", "%zu", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const char *name = json_string_value(json_object_get(json_object_get(counters, key), "name"));
        if (!name)
            quipu__ovni_system_find(system, QUIPU__OVNI_RULE_COUNTERS, stream->metadata_path, "nosv.hwc",
                                    "names of counters 0, 1 and so on", "none of counter %zu", i);
        if (is_first)
            system->counters[i] = name ? name : "";
    }
    system->counter_count = (uint32_t)count;
}
