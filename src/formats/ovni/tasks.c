/* tasks.c: types, tasks and their bodies, which are similar in three models; the table has the differences. */
#include "formats/ovni/emulation.h"
#include "formats/ovni/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct tasking {
    uint8_t model, subsystem, task, type, body, application, rank; /* channels; none where it has none */
    uint8_t in_body;        /* value of the subsystem while a body runs */
    uint8_t body_bytes;     /* least bytes of events of bodies */
    bool has_bodies;        /* with numbers */
    bool is_exact;          /* creating has exactly the bytes that it needs */
    bool runs_again, nests; /* ordinary tasks after their end; on top of a running one */
    bool refuses_zero;      /* as number of a task when it is created */
} taskings[QUIPU__OVNI_TASKINGS] = {
#define CHANNEL_OF(name) QUIPU__OVNI_CHANNEL_##name
    [QUIPU__OVNI_TASKING_NOSV] = {QUIPU__OVNI_MODEL_nosv, CHANNEL_OF(nosv_subsystem), CHANNEL_OF(nosv_taskid),
                                  CHANNEL_OF(nosv_task_type), CHANNEL_OF(nosv_bodyid), CHANNEL_OF(nosv_appid),
                                  CHANNEL_OF(nosv_rank), 11, 8, true, false, true, false, false},
    [QUIPU__OVNI_TASKING_NANOS6] = {QUIPU__OVNI_MODEL_nanos6, CHANNEL_OF(nanos6_subsystem),
                                    CHANNEL_OF(nanos6_taskid), CHANNEL_OF(nanos6_task_type), CHANNEL_OF(none),
                                    CHANNEL_OF(none), CHANNEL_OF(nanos6_rank), 1, 4, false, true, false, true,
                                    false},
    [QUIPU__OVNI_TASKING_OPENMP] = {QUIPU__OVNI_MODEL_openmp, CHANNEL_OF(none), CHANNEL_OF(openmp_task_id),
                                    CHANNEL_OF(openmp_label), CHANNEL_OF(none), CHANNEL_OF(none),
                                    CHANNEL_OF(none), 0, 4, false, true, true, true, true},
#undef CHANNEL_OF
};

/* The table of a model's tasks in the process of a thread. */
static struct quipu__ovni_task_table *tasks_of(struct quipu__ovni_emulation *emulation, uint32_t thread,
                                               enum quipu__ovni_tasking tasking) {
    return &emulation->tables[emulation->system->threads.items[thread].process][tasking];
}

/* The current event, and what it is about. */
struct occasion {
    struct quipu__ovni_emulation *emulation;
    const struct quipu__ovni_event *event;
    enum quipu__ovni_tasking number;
    const struct tasking *tasking;
    struct quipu__ovni_task_table *table;
    struct quipu__ovni_body_stack *stack;
};

static bool has_bytes(const struct occasion *occasion, uint32_t least, uint32_t most) {
    char expected[40];
    if (!occasion->event->is_jumbo && occasion->event->len >= least && occasion->event->len <= most)
        return true;
    snprintf(expected, sizeof expected, least == most ? "%" PRIu32 " bytes" : "at least %" PRIu32 " bytes",
             least);
    return quipu__ovni_breaks(occasion->emulation, QUIPU__OVNI_RULE_PAYLOAD, expected, "%" PRIu32,
                              occasion->event->len);
}

static uint32_t number_at(const struct occasion *occasion, uint32_t offset) {
    return quipu__ovni_stream_u32(occasion->emulation, occasion->event->payload + offset);
}

/* ---- Types ---- */

static const char *label_text(const struct occasion *occasion, const char *label, size_t len, uint32_t id) {
    char generic[64];
    if (len > 0)
        return quipu__arena_text(&occasion->emulation->arena, label, len);
    snprintf(generic, sizeof generic, "(unlabeled task type %" PRIu32 ")", id);
    return quipu__arena_text(&occasion->emulation->arena, generic, strlen(generic));
}

static bool declare_type(const struct occasion *occasion) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct quipu__ovni_event *event = occasion->event;
    if (!event->is_jumbo)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_NOT_JUMBO, "a jumbo event", "a normal one");
    if (event->len < 4)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_PAYLOAD, "at least 4 bytes", "%" PRIu32,
                                  event->len);
    const uint32_t id = number_at(occasion, 0);
    const char *label = (const char *)event->payload + 4;
    const char *end = memchr(label, '\0', event->len - 4);
    const size_t len = end ? (size_t)(end - label) : event->len - 4;
    if (id == 0 || quipu__map_get(&occasion->table->types, id) != QUIPU_NONE)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_TYPE_ID, "a number of its own", "%" PRIu32, id);
    if (len > QUIPU__OVNI_LABEL_MOST)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_TYPE_LABEL, "at most 511 bytes", "%zu", len);
    const char *text = label_text(occasion, label, len, id);
    const uint32_t base = quipu__ovni_edition_label_base(emulation->edition);
    const size_t number = occasion->table->type_list.count;
    if (!(text &&
          QUIPU__VEC_PUT(emulation->memory, &occasion->table->type_list,
                         (struct quipu__ovni_type){text, id, quipu__ovni_label_number(text, strlen(text), base),
                                                   occasion->tasking->model})))
        return false;
    return quipu__map_put(&occasion->table->types, id, (uint32_t)number);
}

static const struct quipu__ovni_type *find_type(const struct occasion *occasion, uint32_t id) {
    const uint32_t number = quipu__map_get(&occasion->table->types, id);
    if (number != QUIPU_NONE)
        return &occasion->table->type_list.items[number];
    quipu__ovni_breaks(occasion->emulation, QUIPU__OVNI_RULE_TYPE_UNKNOWN, "a declared one", "%" PRIu32, id);
    return NULL;
}

/* ---- Tasks ---- */

static bool is_known(const struct quipu__ovni_task_table *table, uint32_t id) {
    return quipu__map_get(&table->tasks, id) != QUIPU_NONE ||
           quipu__ovni_retired_get(&table->retired, id) != QUIPU_NONE;
}

/* A new task in the table; QUIPU_NONE when memory is out. */
static uint32_t add_task(const struct occasion *occasion, uint32_t id, uint32_t type, bool is_parallel) {
    struct quipu__ovni_task_table *table = occasion->table;
    uint32_t number = table->unused_task - 1;
    if (table->unused_task > 0)
        table->unused_task = table->task_list.items[number].type;
    else if (QUIPU__VEC_ADD(occasion->emulation->memory, &table->task_list))
        number = (uint32_t)(table->task_list.count - 1);
    else
        return QUIPU_NONE;
    table->task_list.items[number] = (struct quipu__ovni_task){id, type, QUIPU_NONE, is_parallel};
    return quipu__map_put(&table->tasks, id, number) ? number : QUIPU_NONE;
}

static bool create(const struct occasion *occasion, bool is_parallel) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    if (!has_bytes(occasion, 8, occasion->tasking->is_exact ? 8 : QUIPU__OVNI_PAYLOAD_MOST))
        return false;
    const uint32_t id = number_at(occasion, 0);
    const bool is_zero = occasion->tasking->refuses_zero && id == 0;
    if (is_zero || is_known(occasion->table, id))
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_TASK_ID, "a number of its own", "%" PRIu32, id);
    const struct quipu__ovni_type *type = find_type(occasion, number_at(occasion, 4));
    if (!type)
        return false;
    return add_task(occasion, id, (uint32_t)(type - occasion->table->type_list.items), is_parallel) !=
           QUIPU_NONE;
}

/* ---- Bodies ---- */

static const char *const body_states[] = {"Created", "Running", "Paused", "Dead"};

static struct quipu__ovni_body *top_body(const struct occasion *occasion) {
    const size_t count = occasion->stack->bodies.count;
    return count ? &occasion->table->body_list.items[occasion->stack->bodies.items[count - 1]] : NULL;
}

/* The body that runs on the thread; NULL when none does. */
static const struct quipu__ovni_body *running_body(const struct occasion *occasion) {
    const struct quipu__ovni_body *top = top_body(occasion);
    return top && top->state == QUIPU__OVNI_BODY_RUNNING ? top : NULL;
}

static uint32_t add_body(const struct occasion *occasion, const struct quipu__ovni_body *body) {
    struct quipu__ovni_task_table *table = occasion->table;
    uint32_t number = table->unused_body - 1;
    if (table->unused_body > 0)
        table->unused_body = table->body_list.items[number].task;
    else if (QUIPU__VEC_ADD(occasion->emulation->memory, &table->body_list))
        number = (uint32_t)(table->body_list.count - 1);
    else
        return QUIPU_NONE;
    table->body_list.items[number] = *body;
    return number;
}

/* The number of a task in the table, to which a retired one returns as an ended one; QUIPU_NONE when there is none. */
static uint32_t find_task(const struct occasion *occasion, uint32_t id) {
    struct quipu__ovni_task_table *table = occasion->table;
    const uint32_t number = quipu__map_get(&table->tasks, id);
    const uint32_t type = number == QUIPU_NONE ? quipu__ovni_retired_get(&table->retired, id) : QUIPU_NONE;
    if (type == QUIPU_NONE || !quipu__ovni_retired_remove(&table->retired, id))
        return number;
    const uint32_t task = add_task(occasion, id, type, false);
    const struct quipu__ovni_body body = {task, 1, QUIPU__OVNI_BODY_DEAD};
    if (task != QUIPU_NONE)
        table->task_list.items[task].body = add_body(occasion, &body);
    return task;
}

/* An ordinary task has ended. */
static void retire(const struct occasion *occasion, uint32_t task) {
    struct quipu__ovni_task_table *table = occasion->table;
    const struct quipu__ovni_task ended = table->task_list.items[task];
    if (ended.is_parallel || !quipu__ovni_retired_add(&table->retired, ended.id, ended.type))
        return;
    quipu__map_remove(&table->tasks, ended.id);
    table->body_list.items[ended.body].task = table->unused_body;
    table->unused_body = ended.body + 1;
    table->task_list.items[task].type = table->unused_task;
    table->unused_task = task + 1;
}

/* The number of a body in the table; makes it when it is new. QUIPU_NONE when memory is out. */
static uint32_t find_body(const struct occasion *occasion, uint32_t task_number, uint32_t body_number,
                          bool makes) {
    struct quipu__ovni_task_table *table = occasion->table;
    struct quipu__ovni_task *task = &table->task_list.items[task_number];
    const uint64_t key = (uint64_t)task_number << 32 | body_number;
    uint32_t number = task->is_parallel ? quipu__map_get(&table->bodies, key) : task->body;
    if (number != QUIPU_NONE || !makes)
        return number;
    const struct quipu__ovni_body body = {task_number, task->is_parallel ? body_number : 1,
                                          QUIPU__OVNI_BODY_CREATED};
    number = add_body(occasion, &body);
    if (number == QUIPU_NONE)
        return QUIPU_NONE;
    if (!task->is_parallel)
        task->body = number;
    else if (!quipu__map_put(&table->bodies, key, number))
        return QUIPU_NONE;
    return number;
}

/* The body that an event of bodies is about; QUIPU_NONE with a finding. */
static uint32_t body_of_event(const struct occasion *occasion, bool makes) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct tasking *tasking = occasion->tasking;
    const bool is_old = emulation->streams[emulation->stream].layout != QUIPU__OVNI_LAYOUT_3;
    const uint32_t least = is_old && occasion->event->len == 4 ? 4 : tasking->body_bytes;
    if (!has_bytes(occasion, least, QUIPU__OVNI_PAYLOAD_MOST))
        return QUIPU_NONE;
    const uint32_t id = number_at(occasion, 0);
    const uint32_t body = tasking->has_bodies && occasion->event->len >= 8 ? number_at(occasion, 4) : 0;
    const uint32_t task = find_task(occasion, id);
    if (id == 0 || task == QUIPU_NONE) {
        quipu__ovni_breaks(emulation, id ? QUIPU__OVNI_RULE_TASK_UNKNOWN : QUIPU__OVNI_RULE_TASK_ID,
                           "a task that was created", "%" PRIu32, id);
        return QUIPU_NONE;
    }
    const bool is_parallel = occasion->table->task_list.items[task].is_parallel;
    if (tasking->has_bodies && is_parallel != (body != 0)) {
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_BODY_ID, is_parallel ? "above 0" : "0", "%" PRIu32,
                           body);
        return QUIPU_NONE;
    }
    const uint32_t found = find_body(occasion, task, body, makes);
    if (found == QUIPU_NONE && !makes)
        quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_BODY_STATE, "a body that runs or is paused",
                           "task %" PRIu32 " has not run", id);
    return found;
}

/* ---- Channels ---- */

static bool write(const struct occasion *occasion, uint8_t channel, bool is_set, int64_t value) {
    const uint32_t slot = occasion->emulation->slot_of[channel];
    return slot == QUIPU_NONE ||
           quipu__ovni_set(occasion->emulation, occasion->emulation->thread, slot, is_set, value);
}

/* Writes what the thread works on: this body, or none. */
static bool write_body(const struct occasion *occasion, const struct quipu__ovni_body *body) {
    const struct quipu__ovni_system *system = occasion->emulation->system;
    const struct quipu__ovni_process *process =
        &system->processes.items[system->threads.items[occasion->emulation->thread].process];
    const struct tasking *tasking = occasion->tasking;
    const struct quipu__ovni_task *task = body ? &occasion->table->task_list.items[body->task] : NULL;
    const bool is_set = body != NULL;
    return write(occasion, tasking->body, is_set, body ? body->number : 0) &&
           write(occasion, tasking->task, is_set, task ? task->id : 0) &&
           write(occasion, tasking->type, is_set,
                 task ? occasion->table->type_list.items[task->type].number : 0) &&
           write(occasion, tasking->application, is_set, process->app_id) &&
           (!process->has_rank || write(occasion, tasking->rank, is_set, process->rank + 1));
}

/* Writes that the thread runs a body, or no longer does: today's edition writes it first, older ones last. */
static bool write_subsystem(const struct occasion *occasion, bool enters, bool is_first) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const uint32_t slot = emulation->slot_of[occasion->tasking->subsystem];
    const int64_t value = occasion->tasking->in_body;
    if (slot == QUIPU_NONE || is_first != (emulation->edition == QUIPU__OVNI_EDITION_today))
        return true;
    return enters ? quipu__ovni_push(emulation, emulation->thread, slot, value)
                  : quipu__ovni_pop(emulation, emulation->thread, slot, value);
}

/* OpenMP has stacks of tasks and labels. */
static bool write_stacks(const struct occasion *occasion, const struct quipu__ovni_body *body, bool pushes) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct quipu__ovni_task *task = &occasion->table->task_list.items[body->task];
    const int64_t label = occasion->table->type_list.items[task->type].number;
    bool (*put)(struct quipu__ovni_emulation *, uint32_t, uint32_t, int64_t) =
        pushes ? quipu__ovni_push : quipu__ovni_pop;
    return put(emulation, emulation->thread, emulation->slot_of[occasion->tasking->task], task->id) &&
           put(emulation, emulation->thread, emulation->slot_of[occasion->tasking->type], label);
}

/* ---- Events of bodies ---- */

#define BODY_NAME_SIZE 48

/* A body as in the original's messages. */
static const char *body_name(const struct occasion *occasion, const struct quipu__ovni_body *body,
                             char name[BODY_NAME_SIZE]) {
    snprintf(name, BODY_NAME_SIZE, "body(id=%" PRIu32 ",taskid=%" PRIu32 ")", body->number,
             occasion->table->task_list.items[body->task].id);
    return name;
}

static bool body_fault(const struct occasion *occasion, const struct quipu__ovni_body *body,
                       const char *expected) {
    char name[BODY_NAME_SIZE];
    return quipu__ovni_subject_breaks(occasion->emulation, QUIPU__OVNI_RULE_BODY_STATE,
                                      body_name(occasion, body, name), expected, "%s",
                                      body_states[body->state]);
}

/* Whether a body may begin on the thread now. */
static bool may_nest(const struct occasion *occasion, const struct quipu__ovni_body *body) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct quipu__ovni_body *below = running_body(occasion);
    char name[BODY_NAME_SIZE], name_below[BODY_NAME_SIZE];
    if (!below)
        return true;
    const bool is_old =
        emulation->is_lenient && emulation->streams[emulation->stream].layout != QUIPU__OVNI_LAYOUT_3;
    const bool nests = occasion->tasking->nests || is_old;
    quipu__ovni_subject_breaks(
        emulation, nests ? QUIPU__OVNI_RULE_BODY_NESTED_OLD : QUIPU__OVNI_RULE_BODY_NESTED,
        body_name(occasion, body, name), "a paused task below", "%s", body_name(occasion, below, name_below));
    return nests;
}

static bool run_body(const struct occasion *occasion) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct tasking *tasking = occasion->tasking;
    const uint32_t number = body_of_event(occasion, true);
    if (number == QUIPU_NONE)
        return false;
    struct quipu__ovni_body *body = &occasion->table->body_list.items[number];
    const bool is_parallel = occasion->table->task_list.items[body->task].is_parallel;
    const bool runs_again = tasking->runs_again && !is_parallel && body->state == QUIPU__OVNI_BODY_DEAD;
    if (body->state != QUIPU__OVNI_BODY_CREATED && !runs_again)
        return body_fault(occasion, body, body_states[QUIPU__OVNI_BODY_CREATED]);
    if (!may_nest(occasion, body))
        return false;
    if (!write_subsystem(occasion, true, true))
        return false;
    if (!QUIPU__VEC_PUT(emulation->memory, &occasion->stack->bodies, number))
        return false;
    body->state = QUIPU__OVNI_BODY_RUNNING;
    return (tasking->model == QUIPU__OVNI_MODEL_openmp ? write_stacks(occasion, body, true)
                                                       : write_body(occasion, body)) &&
           write_subsystem(occasion, true, false);
}

/* The body of the event, which must be the latest of this thread, in a state. NULL with a finding. */
static struct quipu__ovni_body *current_body(const struct occasion *occasion, uint8_t state) {
    const uint32_t number = body_of_event(occasion, false);
    if (number == QUIPU_NONE)
        return NULL;
    struct quipu__ovni_body *body = &occasion->table->body_list.items[number];
    if (body->state != state) {
        body_fault(occasion, body, body_states[state]);
        return NULL;
    }
    if (body != top_body(occasion)) {
        quipu__ovni_breaks(occasion->emulation, QUIPU__OVNI_RULE_BODY_THREAD, "the latest body of the thread",
                           "task %" PRIu32, occasion->table->task_list.items[body->task].id);
        return NULL;
    }
    return body;
}

static bool end(const struct occasion *occasion) {
    const struct tasking *tasking = occasion->tasking;
    struct quipu__ovni_body *body = current_body(occasion, QUIPU__OVNI_BODY_RUNNING);
    if (!body)
        return false;
    if (!write_subsystem(occasion, false, true))
        return false;
    body->state = QUIPU__OVNI_BODY_DEAD;
    occasion->stack->bodies.count--;
    const uint32_t task = body->task;
    const bool is_written = tasking->model == QUIPU__OVNI_MODEL_openmp
                                ? write_stacks(occasion, body, false)
                                : write_body(occasion, running_body(occasion));
    retire(occasion, task);
    return is_written && write_subsystem(occasion, false, false);
}

static bool pause_body(const struct occasion *occasion) {
    struct quipu__ovni_body *body = current_body(occasion, QUIPU__OVNI_BODY_RUNNING);
    if (!body)
        return false;
    if (occasion->table->task_list.items[body->task].is_parallel) {
        char name[BODY_NAME_SIZE];
        return quipu__ovni_subject_breaks(occasion->emulation, QUIPU__OVNI_RULE_BODY_PAUSE,
                                          body_name(occasion, body, name), "an ordinary task",
                                          "a parallel one");
    }
    body->state = QUIPU__OVNI_BODY_PAUSED;
    return write_body(occasion, NULL);
}

static bool resume(const struct occasion *occasion) {
    struct quipu__ovni_body *body = current_body(occasion, QUIPU__OVNI_BODY_PAUSED);
    if (!body)
        return false;
    body->state = QUIPU__OVNI_BODY_RUNNING;
    return write_body(occasion, body);
}

/* ---- Labels and counters ---- */

static bool label(const struct occasion *occasion, bool pushes) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    if (!has_bytes(occasion, 4, QUIPU__OVNI_PAYLOAD_MOST))
        return false;
    const struct quipu__ovni_type *type = find_type(occasion, number_at(occasion, 0));
    if (!type)
        return false;
    const uint32_t slot = emulation->slot_of[QUIPU__OVNI_CHANNEL_openmp_label];
    return pushes ? quipu__ovni_push(emulation, emulation->thread, slot, type->number)
                  : quipu__ovni_pop(emulation, emulation->thread, slot, type->number);
}

static bool counters(const struct occasion *occasion) {
    struct quipu__ovni_emulation *emulation = occasion->emulation;
    const struct quipu__ovni_event *event = occasion->event;
    const uint32_t count = emulation->system->counter_count;
    if (!event->is_jumbo)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_NOT_JUMBO, "a jumbo event", "a normal one");
    if (count == 0 || event->len != 8 * count)
        return quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_COUNTERS, "8 bytes for each counter defined",
                                  "%" PRIu32 " bytes, %" PRIu32 " counters", event->len, count);
    for (uint32_t i = 0; i < count; i++)
        if (!quipu__ovni_set(emulation, emulation->thread, emulation->counter_slot + i, true,
                             quipu__ovni_stream_i64(emulation, event->payload + 8 * (size_t)i)))
            return false;
    return true;
}

bool quipu__ovni_task_event(struct quipu__ovni_emulation *emulation, const struct quipu__ovni_event *event) {
    const unsigned number = quipu__ovni_tasking_of(emulation->row->model);
    const struct occasion occasion = {emulation,
                                      event,
                                      number,
                                      &taskings[number],
                                      tasks_of(emulation, emulation->thread, number),
                                      &emulation->threads[emulation->thread].bodies[number]};
    switch (emulation->row->effect) {
    case QUIPU__OVNI_TYPE:
        return declare_type(&occasion);
    case QUIPU__OVNI_TASK_CREATE:
    case QUIPU__OVNI_TASK_CREATE_PARALLEL:
        return create(&occasion, emulation->row->effect == QUIPU__OVNI_TASK_CREATE_PARALLEL);
    case QUIPU__OVNI_BODY_RUN:
        return run_body(&occasion);
    case QUIPU__OVNI_BODY_PAUSE:
        return pause_body(&occasion);
    case QUIPU__OVNI_BODY_RESUME:
        return resume(&occasion);
    case QUIPU__OVNI_BODY_END:
        return end(&occasion);
    case QUIPU__OVNI_COUNTERS:
        return counters(&occasion);
    default:
        return label(&occasion, emulation->row->effect == QUIPU__OVNI_LABEL_PUSH);
    }
}

/* ---- The end ---- */

/* Labels that differ must have different numbers in a model. */
void quipu__ovni_check_labels(struct quipu__ovni_emulation *emulation) {
    for (unsigned tasking = 0; tasking < QUIPU__OVNI_TASKINGS; tasking++) {
        struct quipu__map numbers;
        QUIPU__VEC(const char *) labels = QUIPU__VEC_INIT;
        quipu__map_init(&numbers, emulation->memory);
        for (size_t p = 0; p < emulation->system->processes.count; p++) {
            const struct quipu__ovni_task_table *table = &emulation->tables[p][tasking];
            for (size_t i = 0; i < table->type_list.count; i++) {
                const struct quipu__ovni_type *type = &table->type_list.items[i];
                const uint32_t known = quipu__map_get(&numbers, type->number);
                if (known != QUIPU_NONE && strcmp(labels.items[known], type->label) != 0)
                    quipu__ovni_breaks(emulation, QUIPU__OVNI_RULE_LABEL_NUMBER, labels.items[known], "%s",
                                       type->label);
                const char **label_slot =
                    known == QUIPU_NONE ? QUIPU__VEC_ADD(emulation->memory, &labels) : NULL;
                if (!label_slot)
                    continue;
                *label_slot = type->label;
                quipu__gate_knows(quipu__map_put(&numbers, type->number, (uint32_t)(labels.count - 1)));
            }
        }
        QUIPU__VEC_RELEASE(emulation->memory, &labels);
        quipu__map_release(&numbers);
    }
}
