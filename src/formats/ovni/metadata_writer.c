/* metadata_writer.c: the metadata of a stream that is written from events: its process, the models that it needs, and marks. */
#include "formats/ovni/from_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void set_mark(json_t *marks, unsigned type, const char *title, bool is_stack, json_t *labels,
                     bool *is_starved) {
    json_t *mark = json_object();
    char key[8];
    snprintf(key, sizeof key, "%u", type);
    quipu__ovni_json_set(mark, "title", quipu__ovni_json_text(title), is_starved);
    quipu__ovni_json_set(mark, "chan_type", json_string(is_stack ? "stack" : "single"), is_starved);
    quipu__ovni_json_set(mark, "labels", labels, is_starved);
    quipu__ovni_json_set(marks, key, mark, is_starved);
}

static void set_label(json_t *labels, int64_t value, const char *text, bool *is_starved) {
    char key[24], cut[QUIPU__OVNI_LABEL_MOST + 1];
    snprintf(key, sizeof key, "%" PRId64, value);
    snprintf(cut, sizeof cut, "%s", text);
    quipu__ovni_json_set(labels, key, quipu__ovni_json_text(cut), is_starved);
}

static json_t *marks_of(const struct quipu__ovni_event_writer *events, bool *is_starved) {
    json_t *marks = json_object(), *regions = json_object();
    for (size_t i = 0; i < events->is_region_used.count; i++)
        if (events->is_region_used.items[i] && i < events->definitions->regions.count)
            set_label(regions, (int64_t)i + 1, events->definitions->regions.items[i].name, is_starved);
    set_mark(marks, QUIPU__OVNI_REGION_MARK, "Regions", true, regions, is_starved);
    for (size_t i = 0; i < events->channel_marks.count; i++) {
        const struct quipu_channel *channel = quipu__ovni_channel_at(events, (uint32_t)i);
        if (!events->channel_marks.items[i] || !channel)
            continue;
        json_t *labels = json_object();
        for (uint32_t k = 0; k < channel->label_count; k++)
            set_label(labels, channel->labels[k].value, channel->labels[k].text, is_starved);
        set_mark(marks, events->channel_marks.items[i], channel->name, channel->is_stack, labels, is_starved);
    }
    return marks;
}

/* Adds the metadata of a thread's process, as in older layouts. */
static void put_process(struct quipu__ovni_event_writer *events,
                        const struct quipu__ovni_written_thread *thread, json_t *process, bool *is_starved) {
    struct quipu__ovni_written_loom *loom = &events->looms.items[thread->loom];
    const bool is_beside_ranks = thread->rank < 0 && events->rank_count > 0;
    quipu__ovni_json_set(process, "app_id", json_integer(is_beside_ranks ? 2 : 1), is_starved);
    if (thread->rank >= 0) {
        quipu__ovni_json_set(process, "rank", json_integer((json_int_t)thread->rank), is_starved);
        quipu__ovni_json_set(process, "nranks", json_integer((json_int_t)events->rank_count), is_starved);
    }
    if (!loom->has_cpus)
        quipu__ovni_json_set(process, "cpus", quipu__ovni_cpus_of(events, loom->node, is_starved), is_starved);
    loom->has_cpus = true;
}

static json_t *requirements_of(const struct quipu__ovni_event_writer *events, bool *is_starved) {
    json_t *require = json_object();
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        if (events->uses[i] || i == QUIPU__OVNI_MODEL_ovni)
            quipu__ovni_json_set(require, quipu__ovni_models[i].name,
                                 json_string(quipu__ovni_models[i].version), is_starved);
    if (events->has_model_events)
        quipu__ovni_json_set(require, QUIPU__OVNI_OWN_MODEL, json_string(QUIPU__OVNI_OWN_VERSION), is_starved);
    return require;
}

/* Adds the name of a location, unless it is the name that readers derive from its folder. */
static void set_name(json_t *quipu, const char *key, const char *name, const char *prefix, int64_t number,
                     bool *is_starved) {
    char given[40];
    snprintf(given, sizeof given, "%s%" PRId64, prefix, number);
    if (name[0] && strcmp(name, given) != 0)
        quipu__ovni_json_set(quipu, key, quipu__ovni_json_text(name), is_starved);
}

static void set_names(const struct quipu__ovni_event_writer *events,
                      const struct quipu__ovni_written_thread *thread, json_t *quipu, bool *is_starved) {
    set_name(quipu, QUIPU__OVNI_NAME_KEY, quipu__ovni_location_at(events, thread->location)->name,
             QUIPU__OVNI_THREAD_PREFIX, thread->tid, is_starved);
    set_name(quipu, QUIPU__OVNI_PROCESS_NAME_KEY, quipu__ovni_process_of(events, thread->location)->name,
             QUIPU__OVNI_PROCESS_PREFIX, thread->pid, is_starved);
}

json_t *quipu__ovni_metadata_of(struct quipu__ovni_event_writer *events,
                                const struct quipu__ovni_written_thread *thread, bool is_first) {
    bool is_starved = false;
    json_t *process = json_object();
    put_process(events, thread, process, &is_starved);
    json_t *metadata =
        quipu__ovni_upgrade(process, NULL, events->looms.items[thread->loom].name, thread->pid, thread->tid);
    json_t *ovni = json_object_get(metadata, "ovni");
    quipu__ovni_json_set(ovni, "require", requirements_of(events, &is_starved), &is_starved);
    json_t *quipu = json_object();
    set_names(events, thread, quipu, &is_starved);
    if (is_first) {
        quipu__ovni_json_set(ovni, "mark", marks_of(events, &is_starved), &is_starved);
        quipu__ovni_json_set(quipu, QUIPU__OVNI_REGION_MARK_KEY, json_integer(QUIPU__OVNI_REGION_MARK),
                             &is_starved);
    }
    if (events->has_model_events || events->has_roles)
        quipu__ovni_set_model(events, thread, is_first, quipu, &is_starved);
    quipu__ovni_json_set(metadata, QUIPU__OVNI_OWN_KEY, quipu, &is_starved);
    json_decref(process);
    if (!is_starved)
        return metadata;
    json_decref(metadata);
    return NULL;
}
