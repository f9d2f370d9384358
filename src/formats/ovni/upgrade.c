/* upgrade.c: metadata of older layouts as of version 3: what belonged to the process belongs to each of its threads, and what
 * was not said gets the value that means as much. */
#include "formats/ovni/files.h"

#include <string.h>

static json_t *child(json_t *object, const char *key) {
    json_t *found = json_object_get(object, key);
    if (!json_is_object(found)) {
        found = json_object();
        json_object_set_new(object, key, found);
    }
    return found;
}

static void copy_member(json_t *to, const char *key, const json_t *from, const char *from_key) {
    json_t *value = json_object_get(from, from_key);
    if (value)
        json_object_set_new(to, key, json_deep_copy(value));
}

/* Whether the metadata of a process say which rank it has. Some old programs wrote rank 0 of 0. */
static bool has_rank(const json_t *process) {
    int64_t count;
    return json_object_get(process, "rank") && quipu__ovni_json_integer(process, "nranks", &count) && count > 0;
}

static void set_library(json_t *ovni, const json_t *thread) {
    json_t *lib = child(ovni, "lib");
    const json_t *old = quipu__ovni_json_at(thread, "ovni.lib");
    if (old) {
        copy_member(lib, "version", old, "version");
        copy_member(lib, "commit", old, "commit");
    }
    if (!json_object_get(lib, "version"))
        json_object_set_new(lib, "version", json_string(QUIPU__OVNI_UNKNOWN_LIBRARY));
    if (!json_object_get(lib, "commit"))
        json_object_set_new(lib, "commit", json_string(QUIPU__OVNI_UNKNOWN_COMMIT));
}

/* What else the thread's own metadata say. */
static void copy_rest(json_t *to, const json_t *from) {
    const char *key;
    json_t *value, *object = (json_t *)from;
    json_object_foreach(object, key, value) {
        if (!json_object_get(to, key))
            json_object_set_new(to, key, json_deep_copy(value));
    }
}

json_t *quipu__ovni_upgrade(const json_t *process, const json_t *thread, const char *loom, int64_t pid,
                            int64_t tid) {
    json_t *metadata = json_object();
    json_object_set_new(metadata, "version", json_real(QUIPU__OVNI_METADATA_VERSION));
    json_t *ovni = child(metadata, "ovni");
    set_library(ovni, thread);
    json_object_set_new(ovni, "part", json_string(QUIPU__OVNI_PART));
    json_object_set_new(ovni, "tid", json_real((double)tid));
    json_object_set_new(ovni, "pid", json_real((double)pid));
    json_object_set_new(ovni, "loom", json_string(loom));
    copy_member(ovni, "app_id", process, "app_id");
    if (thread)
        copy_member(ovni, "require", quipu__ovni_json_at(thread, "ovni"), "require");
    if (thread)
        copy_member(ovni, "mark", quipu__ovni_json_at(thread, "ovni"), "mark");
    if (has_rank(process)) {
        copy_member(ovni, "rank", process, "rank");
        copy_member(ovni, "nranks", process, "nranks");
    }
    copy_member(ovni, "loom_cpus", process, "cpus");
    json_object_set_new(ovni, "finished", json_real(1));
    copy_rest(ovni, quipu__ovni_json_at(thread, "ovni"));
    copy_rest(metadata, thread);
    return metadata;
}

enum quipu_status quipu__ovni_require_found(struct quipu__ovni_files *list, struct quipu__ovni_stream *stream,
                                            struct quipu_error *err) {
    bool found[QUIPU__OVNI_MODEL_COUNT + 1] = {[QUIPU__OVNI_MODEL_ovni] = true};
    uint8_t model_of[256];
    struct quipu__ovni_walk walk;
    struct quipu__ovni_event event;
    json_t *require = json_object();
    for (unsigned c = 0; c < 256; c++)
        model_of[c] = (uint8_t)quipu__ovni_model_of((uint8_t)c);
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, list->pool, stream->path, stream->has_header, 0, err);
    while (status == QUIPU_OK && (status = quipu__ovni_walk_next(&walk, &event, err)) == QUIPU_OK)
        found[model_of[event.model]] = true;
    quipu__ovni_walk_close(&walk);
    if (stream->has_old_models)
        found[QUIPU__OVNI_MODEL_tampi] = found[QUIPU__OVNI_MODEL_mpi] = false;
    for (unsigned i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        if (found[i])
            json_object_set_new(require, quipu__ovni_models[i].name,
                                json_string(quipu__ovni_models[i].version));
    json_object_set_new(json_object_get(stream->metadata, "ovni"), "require", require);
    return status == QUIPU_END ? QUIPU_OK : status;
}
