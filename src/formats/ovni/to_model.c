/* to_model.c: events of a thread as events of the model, by their rows: what is entered and left becomes regions, what is set, pushed
 * and popped becomes channels; a body of a task becomes a region with the name of its type, and an event of the task. */
#include "formats/ovni/format.h"

#include <string.h>

struct translation {
    struct quipu__ovni_pass *pass;
    struct quipu__ovni_trace *own;
    struct quipu__batch *batch;
    const struct quipu__ovni_event *event;
    const struct quipu__ovni_event_row *row;
    int64_t time;
};

static uint32_t add(const struct translation *translation, enum quipu_kind kind) {
    return quipu__batch_add(&translation->batch->batch, translation->time, kind, translation->pass->location,
                            translation->event->offset);
}

static uint32_t add_object(const struct translation *translation, enum quipu_kind kind, uint32_t object,
                           int64_t value) {
    const uint32_t event = add(translation, kind);
    translation->batch->batch.object[event] = object;
    translation->batch->batch.value[event] = (uint64_t)value;
    return event;
}

static void add_number(const struct translation *translation, uint32_t key, enum quipu_value_type type,
                       int64_t number) {
    const struct quipu_value attribute = {.key = key, .type = (uint8_t)type, .i = number};
    if (!translation->pass->common.filter->without_attributes)
        quipu__gate_knows(quipu__batch_attribute(translation->batch, &attribute));
}

static int32_t i32_at(const struct translation *translation, uint32_t offset) {
    return translation->event->len >= offset + 4
               ? quipu__ovni_load_i32(translation->pass->walk.is_big, translation->event->payload + offset)
               : 0;
}

static uint64_t u64_at(const struct translation *translation, uint32_t offset) {
    return translation->event->len >= offset + 8
               ? quipu__ovni_load_64(translation->pass->walk.is_big, translation->event->payload + offset)
               : 0;
}

/* ---- What has no place in the model ---- */

static void add_marker(const struct translation *translation) {
    const bool is_known =
        translation->row && translation->own->regions[translation->row - quipu__ovni_events] != QUIPU_NONE;
    const char code[3] = {(char)translation->event->model, (char)translation->event->category,
                          (char)translation->event->value};
    struct quipu_value payload = {.key = translation->own->payload_key,
                                  .type = QUIPU_VALUE_BYTES,
                                  .size = translation->event->len,
                                  .data = (const char *)translation->event->payload};
    const uint32_t marker = is_known ? translation->own->regions[translation->row - quipu__ovni_events]
                                     : translation->own->other_marker;
    add_object(translation, QUIPU_KIND_marker, marker, 0);
    if (translation->pass->common.filter->without_attributes)
        return;
    quipu__gate_knows(quipu__batch_attribute_text(translation->batch, QUIPU_KEY_TEXT, code, sizeof code));
    if (translation->event->len > 0)
        quipu__gate_knows(quipu__batch_attribute(translation->batch, &payload));
}

/* ---- Events of the model ---- */

static void set_column(struct quipu_batch *batch, uint32_t event, enum quipu_column column, uint64_t value) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        batch->name[event] = (c_type)value;                                                                    \
        return;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    default:
        return;
    }
}

/* Translates a number of a payload: numbers of definitions are those of another trace. */
static uint64_t value_here(const struct translation *translation, const struct quipu_kind_field *field,
                           uint64_t value) {
    const enum quipu__ovni_class definition_class = quipu__ovni_class_of(field->refers);
    if (definition_class == QUIPU__OVNI_CLASSES)
        return value;
    const uint32_t number = quipu__ovni_refer(translation->own, definition_class, value);
    return number == QUIPU_NONE ? QUIPU_UNKNOWN : number;
}

/* False when it is not an event of the model. */
static bool make_model_event(const struct translation *translation) {
    const struct quipu__ovni_event *event = translation->event;
    const enum quipu_kind kind =
        translation->own->has_model_events && event->model == 'O' && event->category == 'U'
            ? quipu__ovni_kind_of(event->value)
            : QUIPU_KIND_COUNT;
    if (kind == QUIPU_KIND_COUNT)
        return false;
    uint64_t values[QUIPU__OVNI_FIELDS_MOST];
    const struct quipu_kind_info *info = quipu_kind_at(kind);
    const uint32_t made = add(translation, kind);
    quipu__ovni_decode_fields(kind, event->payload, event->len, values);
    for (size_t i = 0; i < info->field_count; i++)
        set_column(&translation->batch->batch, made, info->fields[i].column,
                   value_here(translation, &info->fields[i], values[i]));
    return true;
}

static void add_other(const struct translation *translation) {
    if (!make_model_event(translation))
        add_marker(translation);
}

/* ---- Threads ---- */

static uint32_t cpu_location(const struct translation *translation, int32_t index) {
    const struct quipu__ovni_system *system = &translation->own->system;
    const struct quipu__ovni_loom *loom =
        &system->looms.items[system->threads.items[translation->pass->thread].loom];
    if (loom->cpu_count == 0)
        return QUIPU_NONE;
    const uint32_t physical = loom->cpu_count - 1;
    if (index == -1)
        return translation->own->cpu_locations[loom->first_cpu + physical];
    if (index < 0 || (uint32_t)index >= physical || loom->cpu_of_index[index] == QUIPU_NONE)
        return QUIPU_NONE;
    return translation->own->cpu_locations[loom->cpu_of_index[index]];
}

static void add_affinity(const struct translation *translation, uint32_t subject) {
    const uint32_t event = add(translation, QUIPU_KIND_affinity);
    translation->batch->batch.peer[event] = cpu_location(translation, i32_at(translation, 0));
    translation->batch->batch.object[event] = subject;
}

/* The thread of a number: of the process, else of the loom. */
static uint32_t thread_location(const struct translation *translation, int32_t tid) {
    const struct quipu__ovni_system *system = &translation->own->system;
    const struct quipu__ovni_thread *own = &system->threads.items[translation->pass->thread];
    uint32_t found = QUIPU_NONE;
    for (uint32_t i = 0; i < system->threads.count; i++) {
        const struct quipu__ovni_thread *thread = &system->threads.items[i];
        if (thread->tid == tid && thread->loom == own->loom &&
            (thread->process == own->process || found == QUIPU_NONE))
            found = translation->own->thread_locations[i];
    }
    return found;
}

static void execute(const struct translation *translation) {
    add(translation, QUIPU_KIND_location_begin);
    add_number(translation, translation->own->creator_key, QUIPU_VALUE_I64, i32_at(translation, 4));
    add_number(translation, translation->own->tag_key, QUIPU_VALUE_U64, (int64_t)u64_at(translation, 8));
    add_affinity(translation, QUIPU_NONE);
    add_object(translation, QUIPU_KIND_state_set, translation->own->state_channel, QUIPU__OVNI_THREAD_RUNNING);
}

static void change_state(const struct translation *translation) {
    static const uint8_t states[] = {[QUIPU__OVNI_THREAD_COOL] = QUIPU__OVNI_THREAD_COOLING,
                                     [QUIPU__OVNI_THREAD_PAUSE] = QUIPU__OVNI_THREAD_PAUSED,
                                     [QUIPU__OVNI_THREAD_WARM] = QUIPU__OVNI_THREAD_WARMING,
                                     [QUIPU__OVNI_THREAD_RESUME] = QUIPU__OVNI_THREAD_RUNNING,
                                     [QUIPU__OVNI_THREAD_END] = QUIPU__OVNI_THREAD_DEAD};
    add_object(translation, QUIPU_KIND_state_set, translation->own->state_channel,
               states[translation->row->effect]);
    if (translation->row->effect == QUIPU__OVNI_THREAD_END)
        add(translation, QUIPU_KIND_location_end);
}

/* ---- Channels ---- */

static void change_channel(const struct translation *translation, enum quipu_kind kind) {
    const struct quipu__ovni_event_row *row = translation->row;
    if (quipu__ovni_channels[row->channel].use == QUIPU__OVNI_USE_CALLS) {
        const uint32_t event =
            add(translation, kind == QUIPU_KIND_state_push ? QUIPU_KIND_enter : QUIPU_KIND_leave);
        translation->batch->batch.object[event] = translation->own->regions[row - quipu__ovni_events];
        return;
    }
    add_object(translation, kind, translation->own->channels[row->channel], row->value);
}

/* A mark that is a region of another format. */
static bool make_region(const struct translation *translation, uint64_t value) {
    const uint32_t region = quipu__map_get(&translation->own->mark_regions, value);
    if (region == QUIPU_NONE || translation->row->effect == QUIPU__OVNI_MARK_SET)
        return false;
    const bool enters = translation->row->effect == QUIPU__OVNI_MARK_PUSH;
    translation->batch->batch.object[add(translation, enters ? QUIPU_KIND_enter : QUIPU_KIND_leave)] = region;
    return true;
}

static void mark(const struct translation *translation) {
    static const uint8_t kinds[] = {[QUIPU__OVNI_MARK_PUSH] = QUIPU_KIND_state_push,
                                    [QUIPU__OVNI_MARK_POP] = QUIPU_KIND_state_pop,
                                    [QUIPU__OVNI_MARK_SET] = QUIPU_KIND_state_set};
    const int32_t type = i32_at(translation, 8);
    const bool is_known = translation->event->len >= 12 && type >= 0 && type < QUIPU__OVNI_MARK_TYPES &&
                          translation->own->system.marks[type].kind != QUIPU__OVNI_MARK_NONE;
    if (is_known && (uint32_t)type + 1 == translation->own->system.region_mark &&
        make_region(translation, u64_at(translation, 0)))
        return;
    if (is_known)
        add_object(translation, (enum quipu_kind)kinds[translation->row->effect],
                   translation->own->mark_channels[type], (int64_t)u64_at(translation, 0));
    else
        add_marker(translation);
}

static void counters(const struct translation *translation) {
    const uint32_t count = translation->event->len / 8;
    for (uint32_t i = 0; i < count && i < translation->own->system.counter_count; i++)
        add_object(translation, QUIPU_KIND_metric, translation->own->metrics[i],
                   (int64_t)u64_at(translation, 8 * i));
}

/* Events of the models that had these letters before. */
static bool make_old(const struct translation *translation) {
    const struct quipu__ovni_event *event = translation->event;
    const struct quipu__ovni_event_row *row =
        translation->pass->has_old_models ? quipu__ovni_old_row(event->model, event->category, event->value)
                                          : NULL;
    if (!row)
        return false;
    add_object(translation, row->effect == QUIPU__OVNI_PUSH ? QUIPU_KIND_state_push : QUIPU_KIND_state_pop,
               translation->own->old_channels[row->model == QUIPU__OVNI_MODEL_mpi], row->value);
    return true;
}

/* ---- Tasks ---- */

static uint32_t region_of_type(const struct translation *translation, uint32_t number) {
    return number == QUIPU_NONE ? QUIPU_NONE : translation->own->type_list.items[number].region;
}

/* The definition of a type by its index in the list. */
static uint32_t definition_of_type(const struct translation *translation, uint32_t number) {
    return number == QUIPU_NONE ? QUIPU_NONE : translation->own->type_list.items[number].definition;
}

/* The type of the event's task; QUIPU_NONE: it was not created. */
static uint32_t type_of_task(const struct translation *translation, unsigned tasking) {
    return quipu__map_get(&translation->own->tasks, quipu__ovni_task_key(translation->pass->process, tasking,
                                                                         (uint32_t)i32_at(translation, 0)));
}

static void create_task(const struct translation *translation, unsigned tasking) {
    const uint32_t type =
        quipu__map_get(&translation->own->types, quipu__ovni_task_key(translation->pass->process, tasking,
                                                                      (uint32_t)i32_at(translation, 4)));
    const uint32_t event = add(translation, QUIPU_KIND_task_create);
    translation->batch->batch.object[event] = definition_of_type(translation, type);
    translation->batch->batch.id[event] =
        translation->own->task_bases[tasking] + (uint32_t)i32_at(translation, 0);
}

static void add_body(const struct translation *translation, enum quipu_kind kind, unsigned tasking) {
    const bool has_body = tasking == QUIPU__OVNI_TASKING_NOSV && translation->event->len >= 8;
    const uint32_t event = add(translation, kind);
    translation->batch->batch.id[event] =
        translation->own->task_bases[tasking] + (uint32_t)i32_at(translation, 0);
    translation->batch->batch.value[event] = has_body ? (uint32_t)i32_at(translation, 4) : 0;
    if (kind == QUIPU_KIND_task_begin)
        translation->batch->batch.object[event] =
            definition_of_type(translation, type_of_task(translation, tasking));
}

/* A body that begins or ends is a call with the name of its type. */
static void add_call(const struct translation *translation, enum quipu_kind kind, unsigned tasking) {
    const uint32_t region = region_of_type(translation, type_of_task(translation, tasking));
    if (region != QUIPU_NONE)
        translation->batch->batch.object[add(translation, kind)] = region;
}

static void label(const struct translation *translation, enum quipu_kind kind) {
    const uint32_t type = quipu__map_get(
        &translation->own->types, quipu__ovni_task_key(translation->pass->process, QUIPU__OVNI_TASKING_OPENMP,
                                                       (uint32_t)i32_at(translation, 0)));
    const uint32_t region = region_of_type(translation, type);
    if (region != QUIPU_NONE)
        translation->batch->batch.object[add(translation, kind)] = region;
}

static void make_task(const struct translation *translation) {
    const unsigned tasking = quipu__ovni_tasking_of(translation->row->model);
    switch (translation->row->effect) {
    case QUIPU__OVNI_TASK_CREATE:
    case QUIPU__OVNI_TASK_CREATE_PARALLEL:
        create_task(translation, tasking);
        return;
    case QUIPU__OVNI_BODY_RUN:
        add_body(translation, QUIPU_KIND_task_begin, tasking);
        add_call(translation, QUIPU_KIND_enter, tasking);
        return;
    case QUIPU__OVNI_BODY_END:
        add_call(translation, QUIPU_KIND_leave, tasking);
        add_body(translation, QUIPU_KIND_task_end, tasking);
        return;
    case QUIPU__OVNI_BODY_PAUSE:
        add_body(translation, QUIPU_KIND_task_pause, tasking);
        return;
    case QUIPU__OVNI_BODY_RESUME:
        add_body(translation, QUIPU_KIND_task_resume, tasking);
        return;
    case QUIPU__OVNI_LABEL_PUSH:
    case QUIPU__OVNI_LABEL_POP:
        label(translation,
              translation->row->effect == QUIPU__OVNI_LABEL_PUSH ? QUIPU_KIND_enter : QUIPU_KIND_leave);
        return;
    case QUIPU__OVNI_COUNTERS:
        counters(translation);
        return;
    default: /* types are definitions */
        return;
    }
}

/* ---- By row ---- */

static void make_by_row(const struct translation *translation) {
    switch (translation->row->effect) {
    case QUIPU__OVNI_PUSH:
    case QUIPU__OVNI_SWITCH_OUT:
        change_channel(translation, QUIPU_KIND_state_push);
        return;
    case QUIPU__OVNI_POP:
    case QUIPU__OVNI_SWITCH_IN:
        change_channel(translation, QUIPU_KIND_state_pop);
        return;
    case QUIPU__OVNI_SET:
        change_channel(translation, QUIPU_KIND_state_set);
        return;
    case QUIPU__OVNI_FLUSH_BEGIN:
    case QUIPU__OVNI_FLUSH_END:
        add_object(translation, QUIPU_KIND_state_set,
                   translation->own->channels[QUIPU__OVNI_CHANNEL_ovni_flush],
                   translation->row->effect == QUIPU__OVNI_FLUSH_BEGIN);
        return;
    case QUIPU__OVNI_THREAD_EXECUTE:
        execute(translation);
        return;
    case QUIPU__OVNI_THREAD_COOL:
    case QUIPU__OVNI_THREAD_PAUSE:
    case QUIPU__OVNI_THREAD_WARM:
    case QUIPU__OVNI_THREAD_RESUME:
    case QUIPU__OVNI_THREAD_END:
        change_state(translation);
        return;
    case QUIPU__OVNI_AFFINITY_SET:
        add_affinity(translation, QUIPU_NONE);
        return;
    case QUIPU__OVNI_AFFINITY_REMOTE:
        add_affinity(translation, thread_location(translation, i32_at(translation, 4)));
        return;
    case QUIPU__OVNI_MARK_PUSH:
    case QUIPU__OVNI_MARK_POP:
    case QUIPU__OVNI_MARK_SET:
        mark(translation);
        return;
    case QUIPU__OVNI_NOTHING:
    case QUIPU__OVNI_OBSOLETE:
    case QUIPU__OVNI_BURST:
        add_other(translation);
        return;
    default:
        make_task(translation);
        return;
    }
}

void quipu__ovni_make(struct quipu__ovni_pass *pass, struct quipu__batch *batch) {
    struct quipu__ovni_trace *own = quipu__ovni_of(pass->common.trace);
    const struct quipu__ovni_event *event = &pass->event;
    const struct translation translation = {
        pass,
        own,
        batch,
        event,
        quipu__ovni_find_row(&own->dictionary, event->model, event->category, event->value),
        (int64_t)(event->clock + (uint64_t)pass->offset)};
    if (pass->location == QUIPU_NONE || make_old(&translation))
        return;
    if (translation.row && own->system.is_enabled[translation.row->model])
        make_by_row(&translation);
    else
        add_marker(&translation);
}
