/* emulate.c: merges the streams by their corrected clocks, makes the tests common to all events, and begins and ends the
 * emulation.
 */
#include "formats/ovni/emulation.h"

#include "core/bounded.h"
#include "formats/ovni/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(QUIPU__OVNI_MODEL_COUNT <= 8, "a bit per model");

/* ---- Findings ---- */

static void break_stream(struct quipu__ovni_emulation *emulation, uint32_t number, enum quipu__ovni_rule rule,
                         const char *expected, const char *found) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = emulation->system->files->streams.items[number].path;
    emulation->errors += quipu__ovni_is_error(rule);
    quipu__find(emulation->findings, &quipu__ovni_rules[rule], &where, expected, "%s", found);
}

/* ---- Streams ---- */

static void end_stream(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_stream_state *stream = &emulation->streams[number];
    if (stream->walk.damage != QUIPU__OVNI_RULE_COUNT && !emulation->knows_streams)
        break_stream(emulation, number, (enum quipu__ovni_rule)stream->walk.damage, "", stream->walk.found);
    quipu__ovni_walk_close(&stream->walk);
    stream->is_open = false;
    if (emulation->editor && stream->thread != QUIPU_NONE)
        quipu__ovni_remove_thread(emulation, stream->thread);
}

/* The next event that is not left out. */
static enum quipu_status next_event(struct quipu__ovni_emulation *emulation, uint32_t number,
                                    struct quipu_error *err) {
    struct quipu__ovni_stream_state *stream = &emulation->streams[number];
    enum quipu_status status = quipu__ovni_walk_next(&stream->walk, &stream->event, err);
    if (QUIPU__LIKELY(!emulation->editor))
        return status;
    while (status == QUIPU_OK && !emulation->editor->edit(emulation->editor->context, number, &stream->event))
        status = quipu__ovni_walk_next(&stream->walk, &stream->event, err);
    return status;
}

/* The corrected clock of the current event, which must not go back. */
static int64_t check_clock(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_stream_state *stream = &emulation->streams[number];
    const int64_t clock = (int64_t)(stream->event.clock + (uint64_t)stream->offset);
    const uint32_t current = emulation->stream;
    emulation->stream = number;
    if (stream->has_started && clock < stream->clock) {
        if (!emulation->knows_streams)
            quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_CLOCK_BACK, "not less than the clock before",
                               "%" PRId64 " ns earlier", quipu__bounded_difference(stream->clock, clock));
        emulation->stream = current;
        return stream->clock;
    }
    if (clock < 0)
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_CLOCK_NEGATIVE, "not negative", "%" PRId64, clock);
    emulation->stream = current;
    return clock;
}

static enum quipu_status advance(struct quipu__ovni_emulation *emulation, uint32_t number,
                                 struct quipu_error *err) {
    struct quipu__ovni_stream_state *stream = &emulation->streams[number];
    const enum quipu_status status = next_event(emulation, number, err);
    if (QUIPU__UNLIKELY(status == QUIPU_END)) {
        end_stream(emulation, number);
        return QUIPU_OK;
    }
    if (QUIPU__UNLIKELY(status != QUIPU_OK))
        return status;
    const int64_t clock = (int64_t)(stream->event.clock + (uint64_t)stream->offset);
    stream->clock =
        QUIPU__LIKELY(stream->has_started && clock >= stream->clock) ? clock : check_clock(emulation, number);
    stream->has_started = true;
    quipu__ovni_heap_put(&emulation->heap, number, stream->clock);
    return QUIPU_OK;
}

static void check_gaps(struct quipu__ovni_emulation *emulation) {
    const struct quipu__ovni_stream_state *first = NULL;
    for (uint32_t i = 0; i < emulation->system->files->streams.count; i++) {
        const struct quipu__ovni_stream_state *stream = &emulation->streams[i];
        if (!stream->has_started)
            continue;
        first = first ? first : stream;
        const bool is_before = stream->clock < first->clock;
        const uint64_t gap = is_before ? (uint64_t)first->clock - (uint64_t)stream->clock
                                       : (uint64_t)stream->clock - (uint64_t)first->clock;
        char found[40];
        snprintf(found, sizeof found, "%s%" PRIu64 " ns", is_before ? "-" : "", gap);
        if (gap > (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST)
            break_stream(emulation, i, QUIPU__OVNI_RULE_CLOCK_GAP, "at most an hour", found);
    }
}

static enum quipu_status open_stream(struct quipu__ovni_emulation *emulation, uint32_t number,
                                     struct quipu_error *err) {
    const struct quipu__ovni_system *system = emulation->system;
    const struct quipu__ovni_stream *from = &system->files->streams.items[number];
    struct quipu__ovni_stream_state *stream = &emulation->streams[number];
    const uint32_t thread = system->thread_of[number];
    *stream = (struct quipu__ovni_stream_state){
        .thread = thread, .layout = from->layout, .has_old_models = from->has_old_models};
    if (thread != QUIPU_NONE)
        stream->offset = system->looms.items[system->threads.items[thread].loom].offset;
    if (from->is_missing || !from->metadata)
        return QUIPU_OK;
    enum quipu_status status =
        quipu__ovni_walk_open(&stream->walk, system->files->pool, from->path, from->has_header,
                              quipu__ovni_window(system->files->memory, system->files->streams.count), err);
    if (status != QUIPU_OK)
        return status;
    stream->is_open = true;
    status = advance(emulation, number, err);
    if (status == QUIPU_OK && !stream->has_started && stream->walk.damage == QUIPU__OVNI_RULE_COUNT)
        break_stream(emulation, number, QUIPU__OVNI_RULE_NO_EVENTS, "", " ");
    return status;
}

/* ---- Slots ---- */

static struct quipu__ovni_slot *add_slot(struct quipu__ovni_emulation *emulation, uint32_t *number) {
    struct quipu__ovni_slot *slot = QUIPU__VEC_ADD(emulation->memory, &emulation->slots);
    *number = slot ? (uint32_t)(emulation->slots.count - 1) : QUIPU_NONE;
    return slot;
}

static bool is_linted(uint32_t channel) {
    return quipu__ovni_channels[channel].use == QUIPU__OVNI_USE_CALLS;
}

static bool add_channel(struct quipu__ovni_emulation *emulation, uint32_t channel) {
    const struct quipu__ovni_channel_row *row = &quipu__ovni_channels[channel];
    struct quipu__ovni_slot *slot = add_slot(emulation, &emulation->slot_of[channel]);
    if (!slot)
        return false;
    *slot = (struct quipu__ovni_slot){
        .print = quipu__ovni_print_of(row->type, (enum quipu__ovni_printing)row->printing, false, 0),
        .kind = row->kind,
        .duplicates = row->duplicates,
        .when = row->when,
        .is_linted = is_linted(channel),
        .channel = (uint8_t)channel,
        .has_idle_default =
            channel == QUIPU__OVNI_CHANNEL_nosv_idle || channel == QUIPU__OVNI_CHANNEL_nanos6_idle,
        .title = row->title,
        .name = row->title};
    slot->cpu_print = slot->print;
    return true;
}

static bool add_channels(struct quipu__ovni_emulation *emulation, uint32_t model) {
    for (uint32_t i = 0; i < QUIPU__OVNI_CHANNEL_COUNT; i++)
        if (quipu__ovni_channels[i].model == model && !add_channel(emulation, i))
            return false;
    return true;
}

static bool add_marks(struct quipu__ovni_emulation *emulation) {
    for (uint32_t i = 0; i < emulation->system->mark_count; i++) {
        const uint8_t type = emulation->system->mark_order[i];
        const struct quipu__ovni_mark *mark = &emulation->system->marks[type];
        struct quipu__ovni_slot *slot = add_slot(emulation, &emulation->slot_of_mark[type]);
        if (!slot)
            return false;
        *slot = (struct quipu__ovni_slot){
            .print = quipu__ovni_print_of((uint16_t)(QUIPU__OVNI_TYPE_MARKS + type), QUIPU__OVNI_PRINT_SKIPNULL,
                                          false, 0),
            .kind = mark->kind == QUIPU__OVNI_MARK_STACK ? QUIPU__OVNI_KIND_STACK : QUIPU__OVNI_KIND_SINGLE,
            .duplicates = QUIPU__OVNI_DUPLICATES_ALLOW,
            .when = (uint8_t)QUIPU__OVNI_WHEN_ACTIVE,
            .channel = QUIPU__OVNI_CHANNEL_none,
            .mark = type,
            .title = mark->title,
            .name = mark->title};
        slot->cpu_print = slot->print;
    }
    return true;
}

static bool add_counters(struct quipu__ovni_emulation *emulation) {
    emulation->counter_slot = (uint32_t)emulation->slots.count;
    for (uint32_t i = 0; i < emulation->system->counter_count; i++) {
        uint32_t number;
        struct quipu__ovni_slot *slot = add_slot(emulation, &number);
        if (!slot)
            return false;
        *slot =
            (struct quipu__ovni_slot){.print = quipu__ovni_print_of((uint16_t)(QUIPU__OVNI_TYPE_COUNTERS + i),
                                                                    QUIPU__OVNI_PRINT_SKIPNULL, true, 0),
                                      .kind = QUIPU__OVNI_KIND_SINGLE,
                                      .duplicates = QUIPU__OVNI_DUPLICATES_ALLOW,
                                      .when = (uint8_t)QUIPU__OVNI_WHEN_ACTIVE,
                                      .channel = QUIPU__OVNI_CHANNEL_none,
                                      .title = emulation->system->counters[i],
                                      .name = emulation->system->counters[i]};
        slot->cpu_print = slot->print;
    }
    return true;
}

/* Adds the channels of an older edition, which prints all of them in the same way. */
static bool add_old_channels(struct quipu__ovni_emulation *emulation) {
    for (size_t i = 0; i < quipu__ovni_edition_output_count; i++) {
        const struct quipu__ovni_edition_output *output = &quipu__ovni_edition_outputs[i];
        if (output->edition != emulation->edition || output->subject != QUIPU__OVNI_SUBJECT_CHANNEL)
            continue;
        if (!add_channel(emulation, output->channel))
            return false;
        struct quipu__ovni_slot *slot = &emulation->slots.items[emulation->slots.count - 1];
        slot->when = output->when;
        slot->print =
            quipu__ovni_print_of(output->at[QUIPU__OVNI_VIEW_THREAD].type, QUIPU__OVNI_PRINT_SKIPDUP, true, 0);
        slot->cpu_print =
            quipu__ovni_print_of(output->at[QUIPU__OVNI_VIEW_CPU].type, QUIPU__OVNI_PRINT_SKIPDUP, true, 0);
    }
    return true;
}

static bool add_slots(struct quipu__ovni_emulation *emulation) {
    for (uint32_t i = 0; i <= QUIPU__OVNI_CHANNEL_COUNT; i++)
        emulation->slot_of[i] = QUIPU_NONE;
    for (uint32_t i = 0; i < QUIPU__OVNI_MARK_TYPES; i++)
        emulation->slot_of_mark[i] = QUIPU_NONE;
    if (emulation->edition != QUIPU__OVNI_EDITION_today)
        return add_old_channels(emulation);
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++) {
        const uint32_t model = quipu__ovni_models_by_character[i];
        if (emulation->model_needs[model] != 0 && !add_channels(emulation, model))
            return false;
        if (model == QUIPU__OVNI_MODEL_ovni && !add_marks(emulation))
            return false;
        if (model == QUIPU__OVNI_MODEL_nosv && emulation->model_needs[model] != 0 && !add_counters(emulation))
            return false;
    }
    return true;
}

/* ---- Threads, CPUs, tasks ---- */

static void *alloc_zero(struct quipu__ovni_emulation *emulation, size_t count, size_t size) {
    void *block = quipu__arena_alloc(&emulation->arena, count * size + 1);
    if (block)
        memset(block, 0, count * size + 1);
    return block;
}

static bool make_threads(struct quipu__ovni_emulation *emulation) {
    const size_t count = emulation->system->threads.count, slots = emulation->slots.count;
    emulation->threads = alloc_zero(emulation, count, sizeof *emulation->threads);
    struct quipu__ovni_values *channels = alloc_zero(emulation, count * slots, sizeof *channels);
    struct quipu__ovni_output *outputs = alloc_zero(emulation, count * slots, sizeof *outputs);
    if (!emulation->threads || !channels || !outputs)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct quipu__ovni_thread_state *thread = &emulation->threads[i];
        thread->cpu = thread->selected_by = QUIPU_NONE;
        thread->channels = channels + i * slots;
        thread->outputs = outputs + i * slots;
        for (size_t k = 0; k < slots; k++)
            if (emulation->slots.items[k].has_idle_default)
                thread->channels[k] = (struct quipu__ovni_values){.top = QUIPU__OVNI_PROGRESSING, .count = 1};
    }
    return true;
}

static bool make_cpus(struct quipu__ovni_emulation *emulation) {
    const size_t count = emulation->system->cpus.count, slots = emulation->slots.count;
    emulation->cpus = alloc_zero(emulation, count, sizeof *emulation->cpus);
    struct quipu__ovni_output *outputs = alloc_zero(emulation, count * slots, sizeof *outputs);
    if (!emulation->cpus || !outputs)
        return false;
    for (size_t i = 0; i < count; i++) {
        emulation->cpus[i].selected = QUIPU_NONE;
        emulation->cpus[i].outputs = outputs + i * slots;
    }
    return true;
}

static bool make_tables(struct quipu__ovni_emulation *emulation) {
    const size_t count = emulation->system->processes.count;
    emulation->tables = alloc_zero(emulation, count, sizeof *emulation->tables);
    if (!emulation->tables)
        return false;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < QUIPU__OVNI_TASKINGS; k++) {
            quipu__map_init(&emulation->tables[i][k].types, emulation->memory);
            quipu__map_init(&emulation->tables[i][k].tasks, emulation->memory);
            quipu__map_init(&emulation->tables[i][k].bodies, emulation->memory);
            quipu__ovni_retired_init(&emulation->tables[i][k].retired, emulation->memory);
        }
    return true;
}

static enum quipu_status make(struct quipu__ovni_emulation *emulation, struct quipu_error *err) {
    const size_t streams = emulation->system->files->streams.count;
    emulation->streams = alloc_zero(emulation, streams, sizeof *emulation->streams);
    emulation->heap.entries = alloc_zero(emulation, streams + 1, sizeof *emulation->heap.entries);
    if (!emulation->streams || !emulation->heap.entries || !add_slots(emulation) || !make_threads(emulation) ||
        !make_cpus(emulation) || !make_tables(emulation))
        return quipu__no_memory(err, streams);
    enum quipu_status status = emulation->breaks_down ? quipu__ovni_breakdown_init(emulation, err) : QUIPU_OK;
    for (uint32_t i = 0; i < streams && status == QUIPU_OK; i++)
        status = open_stream(emulation, i, err);
    for (uint32_t i = 0; i < emulation->system->threads.count; i++)
        quipu__ovni_allow(emulation, i);
    if (status == QUIPU_OK)
        check_gaps(emulation);
    return status;
}

/* The edition of the emulator that the events of a trace were made for. */
static enum quipu__ovni_edition edition_of(const struct quipu__ovni_files *files) {
    for (size_t i = 0; i < files->streams.count; i++)
        if (files->streams.items[i].uses_old_models)
            return files->streams.items[i].layout == QUIPU__OVNI_LAYOUT_RAW ? QUIPU__OVNI_EDITION_raw
                                                                            : QUIPU__OVNI_EDITION_release_1;
    return QUIPU__OVNI_EDITION_today;
}

static void use_edition(struct quipu__ovni_emulation *emulation) {
    const bool is_old = emulation->edition != QUIPU__OVNI_EDITION_today;
    emulation->is_lenient |= is_old;
    emulation->breaks_down &= !is_old;
    for (unsigned i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++) {
        const uint8_t needs = emulation->system->is_enabled[i] ? quipu__ovni_models[i].needs : 0;
        emulation->model_needs[i] = is_old ? quipu__ovni_edition_needs(emulation->edition, i) : needs;
    }
    for (size_t i = 0; i < quipu__ovni_edition_output_count; i++) {
        const struct quipu__ovni_edition_output *output = &quipu__ovni_edition_outputs[i];
        if (output->edition != emulation->edition || output->subject == QUIPU__OVNI_SUBJECT_CHANNEL)
            continue;
        emulation->types[QUIPU__OVNI_VIEW_THREAD][output->subject] = output->at[QUIPU__OVNI_VIEW_THREAD].type;
        emulation->types[QUIPU__OVNI_VIEW_CPU][output->subject] = output->at[QUIPU__OVNI_VIEW_CPU].type;
        if (output->subject == QUIPU__OVNI_SUBJECT_THREAD)
            emulation->tid_when = output->when;
    }
    quipu__ovni_dictionary_init(&emulation->dictionary);
    quipu__ovni_edition_dictionary(&emulation->dictionary, emulation->edition);
}

enum quipu_status quipu__ovni_emulation_open(struct quipu__ovni_emulation *emulation,
                                             struct quipu__ovni_system *system,
                                             const struct quipu__ovni_emulation_options *options,
                                             struct quipu_error *err) {
    *emulation = (struct quipu__ovni_emulation){.system = system,
                                                .memory = system->memory,
                                                .findings = system->files->findings,
                                                .stops = options->stops,
                                                .is_lenient = options->is_lenient,
                                                .knows_streams = options->knows_streams,
                                                .breaks_down = options->breaks_down,
                                                .editor = options->editor,
                                                .listener = options->listener};
    quipu__arena_init(&emulation->arena, system->memory);
    if (options->shows_as_then)
        emulation->edition = edition_of(system->files);
    use_edition(emulation);
    const enum quipu_status status = make(emulation, err);
    if (status != QUIPU_OK)
        quipu__ovni_emulation_close(emulation);
    return status;
}

static void release_thread(struct quipu__ovni_emulation *emulation, struct quipu__ovni_thread_state *thread) {
    for (size_t i = 0; i < emulation->slots.count; i++)
        quipu__release(emulation->memory, thread->channels[i].below,
                       thread->channels[i].capacity * sizeof *thread->channels[i].below);
    for (unsigned i = 0; i < QUIPU__OVNI_TASKINGS; i++)
        QUIPU__VEC_RELEASE(emulation->memory, &thread->bodies[i].bodies);
}

static void release_table(struct quipu__ovni_emulation *emulation, struct quipu__ovni_task_table *table) {
    quipu__map_release(&table->types);
    quipu__map_release(&table->tasks);
    quipu__map_release(&table->bodies);
    quipu__ovni_retired_release(&table->retired);
    QUIPU__VEC_RELEASE(emulation->memory, &table->type_list);
    QUIPU__VEC_RELEASE(emulation->memory, &table->task_list);
    QUIPU__VEC_RELEASE(emulation->memory, &table->body_list);
}

void quipu__ovni_emulation_close(struct quipu__ovni_emulation *emulation) {
    const struct quipu__ovni_system *system = emulation->system;
    for (size_t i = 0; emulation->streams && i < system->files->streams.count; i++)
        if (emulation->streams[i].is_open)
            quipu__ovni_walk_close(&emulation->streams[i].walk);
    for (size_t i = 0; emulation->threads && i < system->threads.count && emulation->threads[i].channels; i++)
        release_thread(emulation, &emulation->threads[i]);
    for (size_t i = 0; emulation->tables && i < system->processes.count; i++)
        for (unsigned k = 0; k < QUIPU__OVNI_TASKINGS; k++)
            release_table(emulation, &emulation->tables[i][k]);
    quipu__ovni_breakdown_release(emulation);
    QUIPU__VEC_RELEASE(emulation->memory, &emulation->slots);
    quipu__arena_release(&emulation->arena);
}

/* ---- One event ---- */

/* A model that is known today, but not to the edition. */
static bool is_later_model(const struct quipu__ovni_emulation *emulation, uint8_t character) {
    const uint32_t model = emulation->dictionary.model[character];
    return emulation->edition != QUIPU__OVNI_EDITION_today && model != QUIPU__OVNI_MODEL_COUNT &&
           emulation->model_needs[model] == 0;
}

/* Events of old models with reused letters, and of models that no longer exist. */
static bool is_old_event(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    struct quipu__ovni_stream_state *stream = &emulation->streams[emulation->stream];
    const bool is_old_model = stream->has_old_models && (event->model == 'T' || event->model == 'M' ||
                                                         is_later_model(emulation, event->model));
    const bool is_ignored =
        emulation->is_lenient && stream->has_old_models && event->model == 'O' &&
        !quipu__ovni_find_row(&emulation->dictionary, event->model, event->category, event->value);
    if (is_old_model || is_ignored)
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_OLD_EVENT, "", "%c%c%c", event->model, event->category,
                           event->value);
    return is_old_model || is_ignored;
}

/* Models whose threads must not be out of their CPUs; older editions do not check. */
static bool needs_cpu(const struct quipu__ovni_emulation *emulation, uint32_t model) {
    return emulation->edition == QUIPU__OVNI_EDITION_today && quipu__ovni_needs_cpu(model);
}

/* Reports what is wrong with an event before it is examined in detail. */
static bool refuse(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    const uint32_t model = emulation->dictionary.model[event->model];
    if (emulation->thread == QUIPU_NONE)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_OTHER_KIND_OF_STREAM, "a stream of a thread",
                                  " ");
    if (is_old_event(emulation, event))
        return false;
    if (model == QUIPU__OVNI_MODEL_COUNT)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_UNKNOWN_MODEL, "a model that is known", "0x%02x",
                                  event->model);
    if (emulation->model_needs[model] == 0)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_NOT_ENABLED, "a thread that requires it", "%s",
                                  quipu__ovni_models[model].name);
    const struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    const bool is_running = emulation->model_needs[model] == QUIPU__OVNI_WHEN_RUNNING;
    if ((emulation->model_needs[model] >> thread->state & 1) == 0)
        return quipu__ovni_breaks(
            emulation, is_running ? QUIPU__OVNI_RULE_NOT_RUNNING : QUIPU__OVNI_RULE_NOT_ACTIVE,
            is_running ? "running" : "running, cooling or warming", "state %u", thread->state);
    if (thread->is_out_of_cpu && needs_cpu(emulation, model))
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_OUT_OF_CPU, "an event of the kernel first", " ");
    return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_UNKNOWN_EVENT, "an event of the model", "%c%c%c",
                              event->model, event->category, event->value);
}

/* Models must be enabled and require states of a thread, some of them also its CPU; old models of two reused letters are
 * unknown. */
void quipu__ovni_allow(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    const uint32_t stream = emulation->system->threads.items[number].stream;
    thread->allowed = 0;
    const bool has_old =
        emulation->streams[stream].has_old_models && emulation->edition == QUIPU__OVNI_EDITION_today;
    for (unsigned model = 0; model < QUIPU__OVNI_MODEL_COUNT; model++) {
        const bool is_old = has_old && (model == QUIPU__OVNI_MODEL_tampi || model == QUIPU__OVNI_MODEL_mpi);
        if ((emulation->model_needs[model] >> thread->state & 1) != 0 &&
            !(thread->is_out_of_cpu && needs_cpu(emulation, model)) && !is_old)
            thread->allowed |= (uint8_t)(1u << model);
    }
}

/* Whether an event may be emulated: its model is known and enabled, and its thread is in the right state. */
static bool is_fine(const struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event_row *row) {
    return row && emulation->thread != QUIPU_NONE &&
           (emulation->threads[emulation->thread].allowed >> row->model & 1) != 0;
}

static bool is_of_tasks(uint8_t effect) {
    return effect >= QUIPU__OVNI_TYPE;
}

static bool obsolete(struct quipu__ovni_emulation *emulation) {
    quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_OBSOLETE, "", "%s", emulation->row->code);
    return true;
}

static bool handle(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    const struct quipu__ovni_event_row *row = emulation->row;
    switch (row->effect) {
    case QUIPU__OVNI_PUSH:
        return quipu__ovni_push(emulation, emulation->thread, emulation->slot_of[row->channel], row->value);
    case QUIPU__OVNI_POP:
        return quipu__ovni_pop(emulation, emulation->thread, emulation->slot_of[row->channel], row->value);
    case QUIPU__OVNI_SET:
        return quipu__ovni_set(emulation, emulation->thread, emulation->slot_of[row->channel], true,
                               row->value);
    case QUIPU__OVNI_NOTHING:
        return true;
    case QUIPU__OVNI_OBSOLETE:
        return obsolete(emulation);
    default:
        return is_of_tasks(row->effect) ? quipu__ovni_task_event(emulation, event)
                                        : quipu__ovni_thread_event(emulation, event);
    }
}

static void begin(struct quipu__ovni_emulation *emulation, int64_t clock) {
    emulation->origin = clock;
    if (emulation->edition != QUIPU__OVNI_EDITION_today)
        quipu__ovni_show_beginning(emulation);
}

static void process(struct quipu__ovni_emulation *emulation) {
    const struct quipu__ovni_stream_state *stream = &emulation->streams[emulation->stream];
    const struct quipu__ovni_event *event = &stream->event;
    emulation->thread = stream->thread;
    emulation->row = quipu__ovni_find_row(&emulation->dictionary, event->model, event->category, event->value);
    if (QUIPU__UNLIKELY(emulation->events++ == 0))
        begin(emulation, stream->clock);
    emulation->time = (int64_t)((uint64_t)stream->clock - (uint64_t)emulation->origin);
    if (QUIPU__UNLIKELY(!is_fine(emulation, emulation->row))) {
        refuse(emulation, event);
        return;
    }
    emulation->events_of[emulation->row->model]++;
    handle(emulation, event);
    if (emulation->breaks_down)
        quipu__ovni_breakdown_reconcile(emulation);
}

enum quipu_status quipu__ovni_emulate(struct quipu__ovni_emulation *emulation, uint64_t most,
                                      struct quipu_error *err) {
    for (uint64_t i = 0; i < most; i++) {
        if (emulation->heap.count == 0 || (emulation->errors > 0 && emulation->stops))
            return QUIPU_END;
        emulation->stream = quipu__ovni_heap_take(&emulation->heap);
        const uint64_t errors = emulation->errors;
        process(emulation);
        if (QUIPU__UNLIKELY(emulation->errors > errors) && emulation->editor)
            emulation->editor->refused(emulation->editor->context, emulation->stream,
                                       emulation->streams[emulation->stream].event.offset);
        if (emulation->errors > 0 && emulation->stops)
            return QUIPU_END;
        const enum quipu_status status = advance(emulation, emulation->stream, err);
        if (status != QUIPU_OK)
            return status;
    }
    return quipu__memory_status(emulation->memory, err);
}

/* ---- The end ---- */

/* Reports what a thread has left on a stack, by the name of the channel. */
static void say_stacked(const struct quipu__ovni_emulation *emulation, uint32_t thread, uint32_t slot,
                        char *out, size_t size) {
    const char *name = quipu__ovni_channels[emulation->slots.items[slot].channel].name;
    const size_t model = strcspn(name, "_");
    snprintf(out, size, "thread %" PRId64 " ended with %" PRIu32 " stacked %.*s %ss",
             emulation->system->threads.items[thread].tid, emulation->threads[thread].channels[slot].count,
             (int)model, name, name + model + 1);
}

static void check_thread(struct quipu__ovni_emulation *emulation, uint32_t number, bool lints) {
    const struct quipu__ovni_thread *thread = &emulation->system->threads.items[number];
    const struct quipu__ovni_thread_state *state = &emulation->threads[number];
    char found[120];
    snprintf(found, sizeof found, "thread %" PRId64 " is in state %u", thread->tid, state->state);
    const bool is_old = emulation->is_lenient && emulation->streams[thread->stream].has_old_models;
    if (state->state != QUIPU__OVNI_THREAD_DEAD && !is_old)
        break_stream(emulation, thread->stream, QUIPU__OVNI_RULE_NOT_DEAD, "dead at the end", found);
    for (uint32_t i = 0; lints && i < emulation->slots.count; i++)
        if (emulation->slots.items[i].is_linted && state->channels[i].count > 0) {
            say_stacked(emulation, number, i, found, sizeof found);
            break_stream(emulation, thread->stream, QUIPU__OVNI_RULE_NOT_EMPTY, "none", found);
        }
}

void quipu__ovni_emulation_end(struct quipu__ovni_emulation *emulation, bool lints) {
    for (uint32_t i = 0; i < emulation->system->threads.count; i++)
        check_thread(emulation, i, lints);
    if (emulation->events > 0)
        quipu__ovni_check_labels(emulation);
}
