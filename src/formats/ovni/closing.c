/* closing.c: ending a stream so that the emulator accepts it:
 *
 *     the kernel gives the thread back · what is active ends, the latest first; paused bodies resume before that
 *     · a cooling thread pauses; a paused one goes to the virtual CPU, where any number may run, and runs · the
 *     thread ends */
#include "formats/ovni/closing.h"

#include <string.h>

void quipu__ovni_closing_clear(struct quipu__ovni_closing *closing) {
    closing->state = QUIPU__OVNI_THREAD_UNKNOWN;
    closing->is_out_of_cpu = false;
    closing->clock = 0;
    closing->open.count = 0;
}

/* ---- Taking note ---- */

static bool is_body(const struct quipu__ovni_open *open) {
    return open->row->effect == QUIPU__OVNI_BODY_RUN;
}

static bool is_same_body(const struct quipu__ovni_open *open, const struct quipu__ovni_event_row *row,
                         const uint8_t *payload, uint32_t len) {
    return is_body(open) && open->row->model == row->model && len >= 4 &&
           memcmp(open->payload, payload, 4) == 0;
}

static bool push(struct quipu__ovni_closing *closing, const struct quipu__ovni_event_row *row,
                 const uint8_t *payload, uint32_t len) {
    struct quipu__ovni_open *open = QUIPU__VEC_ADD(closing->memory, &closing->open);
    if (!open)
        return false;
    open->row = row;
    open->payload_len = (uint8_t)(len < sizeof open->payload ? len : sizeof open->payload);
    if (len > 0)
        memcpy(open->payload, payload, open->payload_len);
    return true;
}

static void remove_at(struct quipu__ovni_closing *closing, size_t index) {
    memmove(&closing->open.items[index], &closing->open.items[index + 1],
            (closing->open.count - index - 1) * sizeof *closing->open.items);
    closing->open.count--;
}

static void pop(struct quipu__ovni_closing *closing, const struct quipu__ovni_event_row *row) {
    for (size_t i = closing->open.count; i-- > 0;) {
        const struct quipu__ovni_event_row *opened = closing->open.items[i].row;
        if (opened->effect != QUIPU__OVNI_PUSH || opened->channel != row->channel ||
            opened->value != row->value)
            continue;
        remove_at(closing, i);
        return;
    }
}

static void change_body(struct quipu__ovni_closing *closing, const struct quipu__ovni_event_row *row,
                        const uint8_t *payload, uint32_t len) {
    for (size_t i = closing->open.count; i-- > 0;) {
        if (!is_same_body(&closing->open.items[i], row, payload, len))
            continue;
        closing->open.items[i].is_paused = row->effect == QUIPU__OVNI_BODY_PAUSE;
        if (row->effect == QUIPU__OVNI_BODY_END)
            remove_at(closing, i);
        return;
    }
}

/* The state that an event leads to, 0: none. */
static uint8_t state_after(uint8_t effect) {
    static const uint8_t states[] = {[QUIPU__OVNI_THREAD_EXECUTE] = QUIPU__OVNI_THREAD_RUNNING,
                                     [QUIPU__OVNI_THREAD_COOL] = QUIPU__OVNI_THREAD_COOLING,
                                     [QUIPU__OVNI_THREAD_PAUSE] = QUIPU__OVNI_THREAD_PAUSED,
                                     [QUIPU__OVNI_THREAD_WARM] = QUIPU__OVNI_THREAD_WARMING,
                                     [QUIPU__OVNI_THREAD_RESUME] = QUIPU__OVNI_THREAD_RUNNING,
                                     [QUIPU__OVNI_THREAD_END] = QUIPU__OVNI_THREAD_DEAD};
    return effect < sizeof states ? states[effect] : 0;
}

bool quipu__ovni_closing_note(struct quipu__ovni_closing *closing, const char *code, uint64_t clock,
                              const uint8_t *payload, uint32_t len) {
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(closing->dictionary, (uint8_t)code[0], (uint8_t)code[1], (uint8_t)code[2]);
    closing->clock = clock > closing->clock ? clock : closing->clock;
    if (!row)
        return true;
    if (state_after(row->effect))
        closing->state = state_after(row->effect);
    if (row->effect == QUIPU__OVNI_SWITCH_OUT || row->effect == QUIPU__OVNI_SWITCH_IN)
        closing->is_out_of_cpu = row->effect == QUIPU__OVNI_SWITCH_OUT;
    if (row->effect == QUIPU__OVNI_PUSH || row->effect == QUIPU__OVNI_BODY_RUN)
        return push(closing, row, payload, len);
    if (row->effect == QUIPU__OVNI_POP)
        pop(closing, row);
    if (row->effect == QUIPU__OVNI_BODY_PAUSE || row->effect == QUIPU__OVNI_BODY_RESUME ||
        row->effect == QUIPU__OVNI_BODY_END)
        change_body(closing, row, payload, len);
    return true;
}

/* ---- Closing ---- */

struct output {
    struct quipu__ovni_closing *closing;
    quipu__ovni_put_function *put;
    void *context;
    uint64_t count;
    enum quipu_status status;
    struct quipu_error *err;
};

static void emit(struct output *output, const char *code, const uint8_t *payload, uint32_t len) {
    if (output->status != QUIPU_OK)
        return;
    output->status = output->put(output->context, code, output->closing->clock, payload, len, output->err);
    output->count++;
}

static const char *pop_of(const struct quipu__ovni_event_row *row) {
    for (size_t i = 0; i < quipu__ovni_event_count; i++)
        if (quipu__ovni_events[i].effect == QUIPU__OVNI_POP && quipu__ovni_events[i].channel == row->channel &&
            quipu__ovni_events[i].value == row->value)
            return quipu__ovni_events[i].code;
    return NULL;
}

static void end_open(struct output *output, const struct quipu__ovni_open *open) {
    char code[4] = {open->row->code[0], open->row->code[1], 'r', '\0'};
    if (!is_body(open)) {
        const char *pop_code = pop_of(open->row);
        if (pop_code)
            emit(output, pop_code, NULL, 0);
        return;
    }
    if (open->is_paused)
        emit(output, code, open->payload, open->payload_len);
    code[2] = 'e';
    emit(output, code, open->payload, open->payload_len);
}

static const uint8_t on_virtual_cpu[16] = {0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff}; /* no creator, no tag */

/* Makes a thread that does not run do so on the virtual CPU, where others are not disturbed. */
static void make_run(struct output *output) {
    const uint8_t state = output->closing->state;
    const bool is_cooling = state == QUIPU__OVNI_THREAD_COOLING;
    if (state == QUIPU__OVNI_THREAD_UNKNOWN)
        emit(output, "OHx", on_virtual_cpu, 16);
    if (is_cooling)
        emit(output, "OHp", NULL, 0);
    if (is_cooling || state == QUIPU__OVNI_THREAD_PAUSED)
        emit(output, "OHw", NULL, 0);
    if (!is_cooling && state != QUIPU__OVNI_THREAD_PAUSED && state != QUIPU__OVNI_THREAD_WARMING)
        return;
    emit(output, "OAs", on_virtual_cpu, 4);
    emit(output, "OHr", NULL, 0);
}

enum quipu_status quipu__ovni_prepare_event(struct quipu__ovni_closing *closing, const char *code,
                                            uint64_t clock, quipu__ovni_put_function *put, void *context,
                                            uint64_t *count, struct quipu_error *err) {
    const uint32_t model = quipu__ovni_model_of((uint8_t)code[0]);
    struct output output = {.closing = closing, .put = put, .context = context, .status = QUIPU_OK, .err = err};
    closing->clock = clock > closing->clock ? clock : closing->clock;
    if (closing->is_out_of_cpu && quipu__ovni_needs_cpu(model))
        emit(&output, "KCI", NULL, 0);
    if (model != QUIPU__OVNI_MODEL_COUNT && (quipu__ovni_models[model].needs >> closing->state & 1) == 0)
        make_run(&output);
    *count = output.count;
    return output.status;
}

enum quipu_status quipu__ovni_close_stream(struct quipu__ovni_closing *closing, quipu__ovni_put_function *put,
                                           void *context, uint64_t *count, struct quipu_error *err) {
    struct output output = {.closing = closing, .put = put, .context = context, .status = QUIPU_OK, .err = err};
    *count = 0;
    if (closing->state == QUIPU__OVNI_THREAD_DEAD)
        return QUIPU_OK;
    if (closing->is_out_of_cpu)
        emit(&output, "KCI", NULL, 0);
    make_run(&output);
    for (size_t i = closing->open.count; i-- > 0;)
        end_open(&output, &closing->open.items[i]);
    emit(&output, "OHe", NULL, 0);
    *count = output.count;
    return output.status;
}
