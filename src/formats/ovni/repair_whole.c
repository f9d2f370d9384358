/* repair_whole.c: the source as it will be: its streams with the metadata that repair has completed. */
#include "core/error.h"
#include "formats/ovni/repair.h"

static enum quipu_status set_files(struct quipu__ovni_whole *whole, const struct quipu__ovni_repair *repair,
                                   struct quipu_error *err) {
    const struct quipu__ovni_files *source = &repair->source->files;
    struct quipu__ovni_stream *streams = whole->streams;
    if (!streams)
        return quipu__no_memory(err, whole->bytes);
    whole->files = *source;
    whole->files.streams.items = streams;
    for (size_t i = 0; i < source->streams.count; i++) {
        streams[i] = source->streams.items[i];
        streams[i].metadata = repair->streams.items[i].metadata;
    }
    const enum quipu_status status = quipu__findings_new(repair->memory, &whole->findings, err);
    whole->files.findings = whole->findings;
    return status;
}

static void release(struct quipu__ovni_whole *whole) {
    quipu__findings_free(whole->findings);
    quipu__release(whole->memory, whole->streams, whole->bytes);
}

enum quipu_status quipu__ovni_whole_open(struct quipu__ovni_whole *whole,
                                         const struct quipu__ovni_repair *repair, struct quipu_error *err) {
    const struct quipu__ovni_system_options options = {.is_lenient = true, .has_all_streams = true};
    *whole = (struct quipu__ovni_whole){.memory = repair->memory,
                                        .bytes = repair->streams.count * sizeof(struct quipu__ovni_stream) + 1};
    whole->streams = quipu__alloc(whole->memory, whole->bytes);
    enum quipu_status status = set_files(whole, repair, err);
    if (status == QUIPU_OK)
        status = quipu__ovni_system_open(&whole->system, &whole->files, &options, err);
    if (status != QUIPU_OK)
        release(whole);
    return status;
}

void quipu__ovni_whole_close(struct quipu__ovni_whole *whole) {
    quipu__ovni_system_close(&whole->system);
    release(whole);
}
