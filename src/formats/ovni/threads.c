/* threads.c: the model of ovni itself: states of threads, the CPUs that they run on, marks, flushes and bursts; and events of
 * the kernel. */
#include "core/bounded.h"
#include "formats/ovni/emulation.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const state_names[QUIPU__OVNI_THREAD_STATES] = {"unknown", "running", "paused",
                                                                   "dead",    "cooling", "warming"};

static bool is_running(const struct quipu__ovni_thread_state *thread) {
    return thread->state == QUIPU__OVNI_THREAD_RUNNING;
}

static bool is_active(const struct quipu__ovni_thread_state *thread) {
    return (QUIPU__OVNI_WHEN_ACTIVE >> thread->state & 1) != 0;
}

/* ---- Showing ----
 *
 * What an event itself writes comes first; then the channels that are shown, or no longer shown, because of that. */

/* Prints a value unless it is the same as before or the edition does not show it; initially there is none. */
static bool print_change(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, uint32_t row,
                         struct quipu__ovni_output *output, enum quipu__ovni_subject subject, bool is_set,
                         int64_t value) {
    const uint16_t type = emulation->types[view][subject];
    if (type == 0 || (!is_set && output->printed != QUIPU__OVNI_PRINTED_VALUE))
        return true;
    const struct quipu__ovni_print style = quipu__ovni_print_of(type, QUIPU__OVNI_PRINT_SKIPDUP, true, 0);
    return quipu__ovni_print(emulation, view, row, output, &style, is_set, value);
}

static bool show_state(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_thread_state *state = &emulation->threads[number];
    const struct quipu__ovni_thread *thread = &emulation->system->threads.items[number];
    return print_change(emulation, QUIPU__OVNI_VIEW_THREAD, number, &state->state_output,
                        QUIPU__OVNI_SUBJECT_STATE, true, state->state) &&
           print_change(emulation, QUIPU__OVNI_VIEW_THREAD, number, &state->pid_output,
                        QUIPU__OVNI_SUBJECT_PROCESS, is_running(state),
                        emulation->system->processes.items[thread->process].pid) &&
           print_change(emulation, QUIPU__OVNI_VIEW_THREAD, number, &state->tid_output,
                        QUIPU__OVNI_SUBJECT_THREAD, (emulation->tid_when >> state->state & 1) != 0,
                        thread->tid);
}

static bool show_affinity(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    const struct quipu__ovni_print style =
        quipu__ovni_print_of(emulation->types[QUIPU__OVNI_VIEW_THREAD][QUIPU__OVNI_SUBJECT_AFFINITY],
                             QUIPU__OVNI_PRINT_ONCE, false, 1);
    return quipu__ovni_print(emulation, QUIPU__OVNI_VIEW_THREAD, number, &thread->cpu_output, &style,
                             thread->cpu != QUIPU_NONE, thread->cpu);
}

static uint32_t one_that_runs(const struct quipu__ovni_cpu_state *cpu) {
    return cpu->running == 1 ? cpu->running_sum - 1 : QUIPU_NONE;
}

/* Shows the thread that runs on a CPU, and its process. */
static bool show_running(struct quipu__ovni_emulation *emulation, uint32_t number) {
    const struct quipu__ovni_system *system = emulation->system;
    struct quipu__ovni_cpu_state *cpu = &emulation->cpus[number];
    const uint32_t selected = one_that_runs(cpu);
    const bool is_old = emulation->edition != QUIPU__OVNI_EDITION_today;
    const bool is_set = selected != QUIPU_NONE || (is_old && cpu->running > 1);
    const struct quipu__ovni_thread *thread = selected != QUIPU_NONE ? &system->threads.items[selected] : NULL;
    const int64_t tid = thread ? thread->tid : QUIPU__OVNI_SEVERAL_THREADS;
    const int64_t pid = thread ? system->processes.items[thread->process].pid : QUIPU__OVNI_SEVERAL_THREADS;
    const struct {
        struct quipu__ovni_output *output;
        enum quipu__ovni_subject subject;
        bool is_set;
        int64_t value;
    } lines[] = {{&cpu->tid_output, QUIPU__OVNI_SUBJECT_THREAD, is_set, tid},
                 {&cpu->pid_output, QUIPU__OVNI_SUBJECT_PROCESS, is_set, pid},
                 {&cpu->running_output, QUIPU__OVNI_SUBJECT_RUNNING, true, cpu->running}};
    const unsigned count = sizeof lines / sizeof *lines;
    for (unsigned i = 0; i < count; i++) {
        const unsigned line = is_old ? count - 1 - i : i; /* the order of an older edition is the reverse */
        if (!print_change(emulation, QUIPU__OVNI_VIEW_CPU, number, lines[line].output, lines[line].subject,
                          lines[line].is_set, lines[line].value))
            return false;
    }
    return true;
}

/* The only thread that runs on a CPU may have changed: shows its channels. */
static bool select_thread(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_cpu_state *cpu = &emulation->cpus[number];
    const uint32_t selected = one_that_runs(cpu);
    const bool is_one = selected != QUIPU_NONE;
    if (selected == cpu->selected)
        return true;
    if (cpu->selected != QUIPU_NONE && emulation->threads[cpu->selected].selected_by == number)
        emulation->threads[cpu->selected].selected_by = QUIPU_NONE;
    if (is_one)
        emulation->threads[selected].selected_by = number;
    cpu->selected = selected;
    return quipu__ovni_show_cpu(emulation, number);
}

static bool update_cpu(struct quipu__ovni_emulation *emulation, uint32_t cpu) {
    return show_running(emulation, cpu) && select_thread(emulation, cpu);
}

static void show_zero(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, uint32_t row,
                      struct quipu__ovni_output *output, enum quipu__ovni_subject subject) {
    const struct quipu__ovni_print style =
        quipu__ovni_print_of(emulation->types[view][subject], QUIPU__OVNI_PRINT_SKIPDUP, true, 0);
    const bool counts = subject == QUIPU__OVNI_SUBJECT_RUNNING; /* for which 0 is a value */
    quipu__gate_knows(quipu__ovni_print(emulation, view, row, output, &style, counts, 0));
}

static void show_no_thread(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    show_zero(emulation, QUIPU__OVNI_VIEW_THREAD, number, &thread->tid_output, QUIPU__OVNI_SUBJECT_THREAD);
    show_zero(emulation, QUIPU__OVNI_VIEW_THREAD, number, &thread->pid_output, QUIPU__OVNI_SUBJECT_PROCESS);
    show_zero(emulation, QUIPU__OVNI_VIEW_THREAD, number, &thread->cpu_output, QUIPU__OVNI_SUBJECT_AFFINITY);
    show_zero(emulation, QUIPU__OVNI_VIEW_THREAD, number, &thread->state_output, QUIPU__OVNI_SUBJECT_STATE);
}

static void show_no_cpu(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_cpu_state *cpu = &emulation->cpus[number];
    show_zero(emulation, QUIPU__OVNI_VIEW_CPU, number, &cpu->tid_output, QUIPU__OVNI_SUBJECT_THREAD);
    show_zero(emulation, QUIPU__OVNI_VIEW_CPU, number, &cpu->pid_output, QUIPU__OVNI_SUBJECT_PROCESS);
    show_zero(emulation, QUIPU__OVNI_VIEW_CPU, number, &cpu->running_output, QUIPU__OVNI_SUBJECT_RUNNING);
}

/* Shows, row by row, that the channels from first to last, those of one model, have no value. */
static void show_no_values(struct quipu__ovni_emulation *emulation, enum quipu__ovni_view view, size_t first,
                           size_t last) {
    const bool is_cpu = view == QUIPU__OVNI_VIEW_CPU;
    const size_t rows = is_cpu ? emulation->system->cpus.count : emulation->system->threads.count;
    for (uint32_t row = 0; row < rows; row++) {
        if (first == 0)
            (is_cpu ? show_no_cpu : show_no_thread)(emulation, row);
        for (size_t i = first; i <= last; i++)
            quipu__ovni_show_no_value(emulation, view, row, quipu__ovni_edition_beginning[i]);
    }
}

void quipu__ovni_show_beginning(struct quipu__ovni_emulation *emulation) {
    const uint8_t *channels = quipu__ovni_edition_beginning;
    for (size_t first = 0, last = 0; first < quipu__ovni_edition_beginning_count; first = ++last) {
        while (last + 1 < quipu__ovni_edition_beginning_count &&
               quipu__ovni_channels[channels[last + 1]].model == quipu__ovni_channels[channels[first]].model)
            last++;
        show_no_values(emulation, QUIPU__OVNI_VIEW_THREAD, first, last);
        show_no_values(emulation, QUIPU__OVNI_VIEW_CPU, first, last);
    }
}

/* ---- Which threads run ---- */

static void join_running(struct quipu__ovni_emulation *emulation, uint32_t cpu, uint32_t thread) {
    emulation->cpus[cpu].running++;
    emulation->cpus[cpu].running_sum ^= thread + 1;
}

static void leave_running(struct quipu__ovni_emulation *emulation, uint32_t cpu, uint32_t thread) {
    emulation->cpus[cpu].running--;
    emulation->cpus[cpu].running_sum ^= thread + 1;
}

/* Whether one more thread may run on a CPU. */
static bool has_room_to_run(struct quipu__ovni_emulation *emulation, uint32_t cpu) {
    const struct quipu__ovni_cpu *row = &emulation->system->cpus.items[cpu];
    return row->index < 0 || emulation->cpus[cpu].running == 0 ||
           quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_CPU_BUSY, "no thread that runs there",
                              "one on CPU %" PRId64, row->index);
}

/* The number of a CPU of the loom of the event's thread; QUIPU_NONE with a finding. */
static uint32_t find_cpu(struct quipu__ovni_emulation *emulation, int32_t index) {
    const struct quipu__ovni_loom *loom =
        &emulation->system->looms.items[emulation->system->threads.items[emulation->thread].loom];
    const uint32_t physical = loom->cpu_count - 1;
    if (index == -1)
        return loom->first_cpu + physical;
    if (index >= 0 && (uint32_t)index < physical)
        return loom->cpu_of_index[index];
    quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_CPU_UNKNOWN, "a CPU of the loom, or -1", "CPU %" PRId32,
                       index);
    return QUIPU_NONE;
}

/* ---- States ---- */

static bool execute(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    if (thread->state != QUIPU__OVNI_THREAD_UNKNOWN && thread->state != QUIPU__OVNI_THREAD_DEAD)
        return quipu__ovni_breaks(emulation,
                                  is_running(thread) ? QUIPU__OVNI_RULE_TRANSITION : QUIPU__OVNI_RULE_HAS_CPU,
                                  "unknown or dead", "%s", state_names[thread->state]);
    if (event->len < 4)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_PAYLOAD, "at least 4 bytes", "%" PRIu32 " bytes",
                                  event->len);
    const uint32_t cpu = find_cpu(emulation, quipu__ovni_stream_i32(emulation, event->payload));
    if (cpu == QUIPU_NONE || !has_room_to_run(emulation, cpu))
        return false;
    thread->cpu = cpu;
    thread->state = QUIPU__OVNI_THREAD_RUNNING;
    quipu__ovni_allow(emulation, emulation->thread);
    join_running(emulation, cpu, emulation->thread);
    return show_affinity(emulation, emulation->thread) && show_state(emulation, emulation->thread) &&
           quipu__ovni_show_thread(emulation, emulation->thread) && update_cpu(emulation, cpu);
}

/* Which states an event leads from, and to. */
static const struct transition {
    uint8_t from, to;
    const char *expected;
} transitions[] = {
    [QUIPU__OVNI_THREAD_COOL] = {1 << QUIPU__OVNI_THREAD_RUNNING, QUIPU__OVNI_THREAD_COOLING, "running"},
    [QUIPU__OVNI_THREAD_PAUSE] = {1 << QUIPU__OVNI_THREAD_RUNNING | 1 << QUIPU__OVNI_THREAD_COOLING,
                                  QUIPU__OVNI_THREAD_PAUSED, "running or cooling"},
    [QUIPU__OVNI_THREAD_WARM] = {1 << QUIPU__OVNI_THREAD_PAUSED, QUIPU__OVNI_THREAD_WARMING, "paused"},
    [QUIPU__OVNI_THREAD_RESUME] = {1 << QUIPU__OVNI_THREAD_PAUSED | 1 << QUIPU__OVNI_THREAD_WARMING,
                                   QUIPU__OVNI_THREAD_RUNNING, "paused or warming"},
    [QUIPU__OVNI_THREAD_END] = {1 << QUIPU__OVNI_THREAD_RUNNING | 1 << QUIPU__OVNI_THREAD_COOLING,
                                QUIPU__OVNI_THREAD_DEAD, "running or cooling"}};

static bool change_state(struct quipu__ovni_emulation *emulation) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    const struct transition *transition = &transitions[emulation->row->effect];
    const uint32_t cpu = thread->cpu;
    if ((transition->from >> thread->state & 1) == 0)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_TRANSITION, transition->expected, "%s",
                                  state_names[thread->state]);
    const bool will_run = transition->to == QUIPU__OVNI_THREAD_RUNNING;
    if (will_run && !has_room_to_run(emulation, cpu))
        return false;
    if (is_running(thread))
        leave_running(emulation, cpu, emulation->thread);
    if (will_run)
        join_running(emulation, cpu, emulation->thread);
    thread->state = transition->to;
    quipu__ovni_allow(emulation, emulation->thread);
    const bool is_dead = transition->to == QUIPU__OVNI_THREAD_DEAD;
    if (is_dead)
        thread->cpu = QUIPU_NONE;
    return show_state(emulation, emulation->thread) &&
           (!is_dead || show_affinity(emulation, emulation->thread)) &&
           quipu__ovni_show_thread(emulation, emulation->thread) && update_cpu(emulation, cpu);
}

void quipu__ovni_remove_thread(struct quipu__ovni_emulation *emulation, uint32_t number) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    const uint32_t cpu = thread->cpu;
    const bool was_running = is_running(thread);
    thread->state = QUIPU__OVNI_THREAD_DEAD;
    thread->cpu = QUIPU_NONE;
    if (!was_running)
        return;
    leave_running(emulation, cpu, number);
    quipu__gate_knows(update_cpu(emulation, cpu)); /* no rule depends on what it shows */
}

/* ---- Affinity ---- */

static bool move_thread(struct quipu__ovni_emulation *emulation, uint32_t number, uint32_t cpu) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    const uint32_t old = thread->cpu;
    if (is_running(thread)) {
        if (!has_room_to_run(emulation, cpu))
            return false;
        leave_running(emulation, old, number);
        join_running(emulation, cpu, number);
    }
    thread->cpu = cpu;
    return show_running(emulation, old) && show_running(emulation, cpu) && select_thread(emulation, old) &&
           select_thread(emulation, cpu) && show_affinity(emulation, number);
}

static bool has_bytes(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event,
                      uint32_t bytes) {
    if (event->len == bytes && !event->is_jumbo)
        return true;
    char expected[24];
    snprintf(expected, sizeof expected, "%" PRIu32 " bytes", bytes);
    return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_PAYLOAD, expected, "%" PRIu32, event->len);
}

static bool set_affinity(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    const struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    if (!has_bytes(emulation, event, 4))
        return false;
    if (thread->cpu == QUIPU_NONE)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_NO_CPU, "a thread that was executed", "%s",
                                  state_names[thread->state]);
    if (!is_active(thread))
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_NOT_ACTIVE, "running, cooling or warming", "%s",
                                  state_names[thread->state]);
    const uint32_t cpu = find_cpu(emulation, quipu__ovni_stream_i32(emulation, event->payload));
    if (cpu == QUIPU_NONE)
        return false;
    return cpu == thread->cpu || move_thread(emulation, emulation->thread, cpu);
}

/* A thread of the event's process, else of its loom. */
static uint32_t find_thread(const struct quipu__ovni_emulation *emulation, int32_t tid) {
    const struct quipu__ovni_system *system = emulation->system;
    const struct quipu__ovni_thread *own = &system->threads.items[emulation->thread];
    uint32_t found = QUIPU_NONE;
    for (uint32_t i = 0; i < system->threads.count; i++) {
        const struct quipu__ovni_thread *thread = &system->threads.items[i];
        if (thread->tid != tid || thread->loom != own->loom)
            continue;
        if (thread->process == own->process)
            return i;
        found = found == QUIPU_NONE ? i : found;
    }
    return found;
}

static bool set_remote_affinity(struct quipu__ovni_emulation *emulation,
                                const struct quipu__ovni_event *event) {
    if (!has_bytes(emulation, event, 8))
        return false;
    const int32_t tid = quipu__ovni_stream_i32(emulation, event->payload + 4);
    const uint32_t number = find_thread(emulation, tid);
    if (number == QUIPU_NONE)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_AFFINITY, "a thread of the loom",
                                  "thread %" PRId32, tid);
    const struct quipu__ovni_thread_state *thread = &emulation->threads[number];
    if (thread->state == QUIPU__OVNI_THREAD_UNKNOWN || thread->state == QUIPU__OVNI_THREAD_DEAD)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_AFFINITY, "a thread that was executed and lives",
                                  "thread %" PRId32 " is %s", tid, state_names[thread->state]);
    const uint32_t cpu = find_cpu(emulation, quipu__ovni_stream_i32(emulation, event->payload));
    if (cpu == QUIPU_NONE)
        return false;
    if (cpu == thread->cpu)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_AFFINITY, "another CPU",
                                  "that of thread %" PRId32, tid);
    return move_thread(emulation, number, cpu);
}

/* ---- Marks ---- */

static bool mark(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    if (!has_bytes(emulation, event, 12))
        return false;
    const int64_t value = quipu__ovni_stream_i64(emulation, event->payload);
    const int32_t type = quipu__ovni_stream_i32(emulation, event->payload + 8);
    const bool sets = emulation->row->effect == QUIPU__OVNI_MARK_SET;
    const uint32_t slot =
        type >= 0 && type < QUIPU__OVNI_MARK_TYPES ? emulation->slot_of_mark[type] : QUIPU_NONE;
    if (slot == QUIPU_NONE)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_MARK_TYPE, "one that some metadata define",
                                  "%" PRId32, type);
    if (sets != (emulation->slots.items[slot].kind == QUIPU__OVNI_KIND_SINGLE))
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_MARK_KIND, sets ? "single" : "stack",
                                  "type %" PRId32 " is another", type);
    if (value == 0)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_MARK_ZERO, "another value", "0");
    if (sets)
        return quipu__ovni_set(emulation, emulation->thread, slot, true, value);
    return emulation->row->effect == QUIPU__OVNI_MARK_PUSH
               ? quipu__ovni_push(emulation, emulation->thread, slot, value)
               : quipu__ovni_pop(emulation, emulation->thread, slot, value);
}

/* ---- The tracing itself ---- */

#define SLOW_BURST_NS 100
#define SLOW_FLUSH_NS INT64_C(10000000)

static bool flush(struct quipu__ovni_emulation *emulation, bool begins) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    const uint32_t slot = emulation->slot_of[QUIPU__OVNI_CHANNEL_ovni_flush];
    if (!quipu__ovni_set(emulation, emulation->thread, slot, begins, 1))
        return false;
    const int64_t duration = emulation->time - thread->flush_begin;
    thread->flush_begin = emulation->time;
    if (!begins && duration > SLOW_FLUSH_NS && is_running(thread))
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_SLOW_FLUSH, "", "%" PRId64 " ns", duration);
    return true;
}

static int compare_gaps(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static void tell_burst(const struct quipu__ovni_emulation *emulation, const int64_t *gaps, size_t count) {
    struct quipu__ovni_burst burst = {.median = gaps[count / 2], .most = gaps[count - 1]};
    for (size_t i = 0; i < count; i++)
        burst.mean += (double)gaps[i] / (double)count;
    emulation->listener->burst(emulation->listener->context, emulation->thread, &burst);
}

static void measure_burst(struct quipu__ovni_emulation *emulation, int64_t *times) {
    const size_t gaps = QUIPU__OVNI_BURST_SIZE - 1;
    for (size_t i = 0; i < gaps; i++)
        times[i] = quipu__bounded_difference(times[i + 1], times[i]);
    qsort(times, gaps, sizeof *times, compare_gaps);
    if (emulation->listener)
        tell_burst(emulation, times, gaps);
    if (times[gaps / 2] > SLOW_BURST_NS)
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_SLOW_BURST, "", "%" PRId64 " ns, at most %" PRId64 " ns",
                           times[gaps / 2], times[gaps - 1]);
}

/* A hundred events in a row measure the time of emitting one. */
static bool burst(struct quipu__ovni_emulation *emulation) {
    struct quipu__ovni_thread_state *thread = &emulation->threads[emulation->thread];
    if (!thread->bursts)
        thread->bursts = quipu__arena_alloc(&emulation->arena, QUIPU__OVNI_BURST_SIZE * sizeof *thread->bursts);
    if (!thread->bursts)
        return false;
    thread->bursts[thread->burst_count++] = emulation->time;
    if (thread->burst_count == QUIPU__OVNI_BURST_SIZE) {
        measure_burst(emulation, thread->bursts);
        thread->burst_count = 0;
    }
    return true;
}

/* ---- The kernel ---- */

static bool switch_context(struct quipu__ovni_emulation *emulation, bool leaves) {
    const uint32_t slot = emulation->slot_of[QUIPU__OVNI_CHANNEL_kernel_context_switch];
    const bool done = leaves ? quipu__ovni_push(emulation, emulation->thread, slot, emulation->row->value)
                             : quipu__ovni_pop(emulation, emulation->thread, slot, emulation->row->value);
    if (!done)
        return false;
    emulation->threads[emulation->thread].is_out_of_cpu = leaves;
    quipu__ovni_allow(emulation, emulation->thread);
    return true;
}

bool quipu__ovni_thread_event(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    switch (emulation->row->effect) {
    case QUIPU__OVNI_THREAD_EXECUTE:
        return execute(emulation, event);
    case QUIPU__OVNI_THREAD_COOL:
    case QUIPU__OVNI_THREAD_PAUSE:
    case QUIPU__OVNI_THREAD_WARM:
    case QUIPU__OVNI_THREAD_RESUME:
    case QUIPU__OVNI_THREAD_END:
        return change_state(emulation);
    case QUIPU__OVNI_AFFINITY_SET:
        return set_affinity(emulation, event);
    case QUIPU__OVNI_AFFINITY_REMOTE:
        return set_remote_affinity(emulation, event);
    case QUIPU__OVNI_BURST:
        return burst(emulation);
    case QUIPU__OVNI_FLUSH_BEGIN:
    case QUIPU__OVNI_FLUSH_END:
        return flush(emulation, emulation->row->effect == QUIPU__OVNI_FLUSH_BEGIN);
    case QUIPU__OVNI_SWITCH_OUT:
    case QUIPU__OVNI_SWITCH_IN:
        return switch_context(emulation, emulation->row->effect == QUIPU__OVNI_SWITCH_OUT);
    default:
        return mark(emulation, event);
    }
}
