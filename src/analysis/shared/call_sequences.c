/* call_sequences.c: see call_sequences.h. */
#include "analysis/shared/call_sequences.h"

#include <string.h>

struct quipu__call_sequence *quipu__call_sequence_of(struct quipu__call_sequences *sequences,
                                                     uint32_t location) {
    const uint32_t process = sequences->communication.stacks.items[location].process;
    const size_t known = sequences->processes.count;
    if (process < known)
        return &sequences->processes.items[process];
    if (!QUIPU__VEC_RESERVE(sequences->memory, &sequences->processes, process + 1 - known))
        return NULL;
    sequences->processes.count = (size_t)process + 1;
    return &sequences->processes.items[process];
}

static size_t *current_of(struct quipu__call_sequences *sequences, uint32_t location) {
    const size_t known = sequences->current.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(sequences->memory, &sequences->current, location + 1 - known))
            return NULL;
        sequences->current.count = (size_t)location + 1;
    }
    return &sequences->current.items[location];
}

static uint64_t name_hash(const struct quipu__call_sequences *sequences, uint32_t path) {
    const uint32_t region = quipu__call_path_region(&sequences->communication.paths, path);
    const char *name = region < sequences->definitions->regions.count
                           ? sequences->definitions->regions.items[region].name
                           : NULL;
    return name ? quipu__hash(name, strlen(name), 0) : region;
}

static void add_details(struct quipu__call_sequences *sequences, struct quipu__call_sequence *process,
                        uint32_t path, int64_t time) {
    int64_t *entered = QUIPU__VEC_ADD(sequences->memory, &process->enters);
    uint32_t *region = QUIPU__VEC_ADD(sequences->memory, &process->regions);
    if (!entered || !region)
        return;
    *entered = time;
    *region = quipu__call_path_region(&sequences->communication.paths, path);
}

static void enter(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__call_sequences *sequences = context;
    struct quipu__call_sequence *process = quipu__call_sequence_of(sequences, location);
    size_t *current = current_of(sequences, location);
    uint64_t *signature = process ? QUIPU__VEC_ADD(sequences->memory, &process->signatures) : NULL;
    int64_t *left = process ? QUIPU__VEC_ADD(sequences->memory, &process->leaves) : NULL;
    if (!current || !signature || !left)
        return;
    *signature = name_hash(sequences, path);
    *left = time;
    *current = process->signatures.count - 1;
    if (sequences->has_details)
        add_details(sequences, process, path, time);
}

static void leave(void *context, uint32_t location, uint32_t path, int64_t time) {
    struct quipu__call_sequences *sequences = context;
    struct quipu__call_sequence *process = quipu__call_sequence_of(sequences, location);
    const size_t *current = current_of(sequences, location);
    (void)path;
    if (process && current && *current < process->leaves.count)
        process->leaves.items[*current] = time;
}

/* The class of a length: how many bits it has. */
static uint64_t class_of(uint64_t bytes) {
    uint64_t bits = 0;
    for (; bytes != QUIPU_UNKNOWN && bytes > 0; bytes >>= 1)
        bits++;
    return bits;
}

static uint64_t key_of(const struct quipu__sequence_keys *keys, uint32_t number) {
    return number < keys->count ? keys->items[number] : number;
}

/* Adds a message or collective operation to the signature of the call that it is in. */
static void add_to_signature(struct quipu__call_sequences *sequences, const struct quipu_batch *batch,
                             uint32_t event) {
    const uint32_t location = batch->location[event];
    const struct quipu__call_stack *stack = &sequences->communication.stacks.items[location];
    const bool is_collective = batch->kind[event] == QUIPU_KIND_collective_begin;
    if (stack->calls[stack->depth].outermost == 0)
        return;
    struct quipu__call_sequence *process = quipu__call_sequence_of(sequences, location);
    const size_t *current = current_of(sequences, location);
    if (!process || !current || *current >= process->signatures.count)
        return;
    uint64_t *signature = &process->signatures.items[*current];
    const uint32_t peer = batch->peer[event];
    const struct quipu__standing *standing =
        quipu__ends_standing(&sequences->communication.messages.locations, peer);
    const uint64_t words[] = {*signature,
                              batch->kind[event],
                              key_of(&sequences->groups, batch->group[event]),
                              key_of(&sequences->locations, standing ? standing->process : peer),
                              is_collective ? 0 : (uint64_t)batch->tag[event],
                              class_of(batch->bytes[event])};
    *signature = quipu__hash(words, sizeof words, 0);
}

static const quipu_kinds signed_kinds = QUIPU_KIND_BIT(QUIPU_KIND_send) | QUIPU_KIND_BIT(QUIPU_KIND_recv_post) |
                                        QUIPU_KIND_BIT(QUIPU_KIND_recv) |
                                        QUIPU_KIND_BIT(QUIPU_KIND_collective_begin);

bool quipu__call_sequences_init(struct quipu__call_sequences *sequences, struct quipu__memory *memory,
                                const struct quipu_definitions *definitions) {
    const struct quipu__communication_listener listener = {
        .context = sequences, .outermost_enter = enter, .outermost_leave = leave};
    *sequences = (struct quipu__call_sequences){.memory = memory, .definitions = definitions};
    const bool has_memory =
        quipu__communication_init(&sequences->communication, memory, definitions, &listener);
    sequences->communication.only_calls = true;
    return has_memory;
}

void quipu__call_sequences_release(struct quipu__call_sequences *sequences) {
    struct quipu__memory *memory = sequences->memory;
    quipu__communication_release(&sequences->communication);
    for (size_t i = 0; i < sequences->processes.count; i++) {
        struct quipu__call_sequence *process = &sequences->processes.items[i];
        QUIPU__VEC_RELEASE(memory, &process->signatures);
        QUIPU__VEC_RELEASE(memory, &process->leaves);
        QUIPU__VEC_RELEASE(memory, &process->enters);
        QUIPU__VEC_RELEASE(memory, &process->regions);
    }
    QUIPU__VEC_RELEASE(memory, &sequences->processes);
    QUIPU__VEC_RELEASE(memory, &sequences->current);
}

/* Calls are taken in at once from one event that signs to the next. */
bool quipu__call_sequences_add(struct quipu__call_sequences *sequences, const struct quipu_batch *batch) {
    struct quipu__communication *communication = &sequences->communication;
    uint32_t first = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        if ((signed_kinds >> batch->kind[i] & 1) == 0)
            continue;
        if (!quipu__communication_add_range(communication, batch, first, i + 1))
            return false;
        add_to_signature(sequences, batch, i);
        first = i + 1;
    }
    return quipu__communication_add_range(communication, batch, first, batch->count);
}
