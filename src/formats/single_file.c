/* single_file.c: see single_file.h. */
#include "formats/single_file.h"

#include "core/error.h"
#include "model/event.h"

/* Writes what is in the buffer: put_batch and finish do so by themselves. */
static enum quipu_status single_file_flush(struct quipu__single_file *own, struct quipu_error *err) {
    if (own->out.failed)
        return quipu__no_memory(err, own->out.len);
    const enum quipu_status status = quipu__file_write(own->file, own->out.data, own->out.len, err);
    own->out.len = 0;
    return status;
}

/* ---- Options ---- */

const struct quipu_option quipu__single_file_options[QUIPU__SINGLE_FILE_OPTIONS] = {
    {.name = "snapshots",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc = "write records that repeat what is active, too"},
    {.name = "statistics",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc = "write cumulative statistics, too"}};

static bool is_wanted(const struct quipu__single_file *own, uint8_t kind) {
    return (kind != QUIPU_KIND_snapshot || own->has_snapshots) &&
           (kind != QUIPU_KIND_summary || own->has_statistics);
}

/* ---- Numbers of processes ---- */

static bool has_rank(const struct quipu_location *location) {
    return location->rank >= 0 && location->rank < INT32_MAX;
}

/* Several jobs may have the same ranks: then ranks are not used. */
static void choose_pids(struct quipu__single_file *own, const struct quipu_definitions *definitions) {
    struct quipu__map ranks;
    own->has_pids = own->has_ranks = true;
    own->first_pid = 1;
    quipu__map_init(&ranks, own->memory);
    for (uint32_t i = 0; i < definitions->locations.count && own->has_ranks; i++) {
        const struct quipu_location *location = &definitions->locations.items[i];
        if (quipu__process_of(definitions, i) != i || !has_rank(location))
            continue;
        const uint32_t rank = (uint32_t)location->rank;
        own->has_ranks = quipu__map_get(&ranks, rank) == QUIPU_NONE && quipu__map_put(&ranks, rank, i);
        own->first_pid = rank >= own->first_pid ? rank + 1 : own->first_pid;
    }
    quipu__map_release(&ranks);
}

uint32_t quipu__single_file_pid(struct quipu__single_file *own, const struct quipu_definitions *definitions,
                                uint32_t location) {
    const uint32_t process = quipu__process_of(definitions, location);
    if (!own->has_pids)
        choose_pids(own, definitions);
    if (own->has_ranks && process < definitions->locations.count &&
        has_rank(&definitions->locations.items[process]))
        return (uint32_t)definitions->locations.items[process].rank;
    return own->first_pid + process;
}

/* ---- The target ---- */

static void begin_slice(void *context, const struct quipu__drawn_slice *slice) {
    struct quipu__single_file *own = context;
    own->functions->begin_slice(own, slice);
}

static void end_slice(void *context, const struct quipu__drawn_slice *slice) {
    struct quipu__single_file *own = context;
    own->functions->end_slice(own, slice);
}

static void init_slices(struct quipu__single_file *own, struct quipu__memory *memory) {
    quipu__slices_init(&own->slices, memory);
    own->slices.begin = begin_slice;
    own->slices.end = end_slice;
    own->slices.context = own;
}

enum quipu_status quipu__single_file_create(struct quipu__output_trace *output,
                                            const struct quipu__single_file_functions *functions,
                                            struct quipu_error *err) {
    struct quipu__single_file *own = quipu__alloc_zero(output->memory, functions->size);
    if (!own)
        return quipu__no_memory(err, functions->size);
    own->functions = functions;
    own->memory = output->memory;
    own->dropped = output->dropped;
    quipu__buffer_init(&own->out, output->memory, 0);
    quipu__matcher_init(&own->messages, output->memory, NULL);
    init_slices(own, output->memory);
    own->has_snapshots = quipu__settings_say_yes(&output->settings, quipu__single_file_options[0].name);
    own->has_statistics = quipu__settings_say_yes(&output->settings, quipu__single_file_options[1].name);
    if (functions->init)
        functions->init(own);
    output->own = own;
    const enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &own->file, err);
    if (status != QUIPU_OK)
        quipu__single_file_abandon(output);
    return status;
}

static bool has_cpus(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        if (definitions->locations.items[i].kind == QUIPU_LOCATION_CPU)
            return true;
    return false;
}

/* The ends of messages share numbers under a key, and threads of many streams alternate on a CPU, so both need
 * time order. */
enum quipu_order quipu__single_file_order_of(const struct quipu_definitions *definitions) {
    return (quipu__has_threads(definitions) && definitions->groups.count > 0) || has_cpus(definitions)
               ? QUIPU_ORDER_TIME
               : QUIPU_ORDER_STREAM;
}

static bool is_message(uint8_t kind) {
    return kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv;
}

static void put_event(struct quipu__single_file *own, const struct quipu_batch *batch, uint32_t i,
                      uint32_t stream) {
    const uint8_t kind = batch->kind[i];
    if (!is_wanted(own, kind)) {
        own->dropped[kind]++;
        return;
    }
    const uint64_t message = quipu__matcher_number(&own->messages, batch, i);
    own->left = kind == QUIPU_KIND_leave && batch->object[i] == QUIPU_NONE
                    ? quipu__slices_innermost(&own->slices, batch->location[i])
                    : batch->object[i];
    if (!quipu__slices_add(&own->slices, own->definitions, batch, i, stream) || is_message(kind))
        own->functions->put_event(own, own->definitions, own->event, message);
}

enum quipu_status quipu__single_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    const bool is_merged = quipu__single_file_order_of(output->definitions) == QUIPU_ORDER_TIME;
    uint32_t cursor = 0;
    own->definitions = own->messages.locations.definitions = output->definitions;
    own->functions->put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        own->event = &event;
        put_event(own, batch, i, is_merged ? 0 : batch->stream);
    }
    own->event = NULL;
    if (own->slices.failed)
        return quipu__no_memory(err, sizeof(struct quipu__slice_track));
    return single_file_flush(own, err);
}

enum quipu_status quipu__single_file_put_marks(struct quipu__output_trace *output,
                                               const struct quipu__marks *marks, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    enum quipu_status status = QUIPU_OK;
    own->definitions = output->definitions;
    own->functions->put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < marks->tracks.count; i++)
        own->functions->put_mark_track(own, &marks->tracks.items[i], i);
    for (size_t i = 0; i < marks->items.count && status == QUIPU_OK; i++) {
        const struct quipu__mark *mark = &marks->items.items[i];
        own->functions->put_mark(own, mark, &marks->tracks.items[mark->track]);
        status = single_file_flush(own, err);
    }
    return status;
}

/* A trace without events still has definitions. */
enum quipu_status quipu__single_file_finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    if (output->definitions)
        own->functions->put_definitions(own, output->definitions);
    if (own->functions->put_end)
        own->functions->put_end(own);
    return single_file_flush(own, err);
}

void quipu__single_file_abandon(struct quipu__output_trace *output) {
    struct quipu__single_file *own = output->own;
    if (own->functions->release)
        own->functions->release(own);
    quipu__buffer_release(&own->out);
    quipu__matcher_release(&own->messages);
    quipu__slices_release(&own->slices);
    quipu__release(output->memory, own, own->functions->size);
    output->own = NULL;
}

const struct quipu__capabilities quipu__single_file_capabilities = {.everything = true, .attributes = true};
