/* upgrade.c: converts metadata of older layouts to version 3: metadata of the process go to each of its threads, and missing
 * values get their equivalents. */
#include "formats/ovni/files.h"

#include <string.h>

static json_t *child(json_t *object, const char *key, bool *is_starved) {
    json_t *found = json_object_get(object, key);
    if (!json_is_object(found)) {
        found = json_object();
        quipu__ovni_json_set(object, key, found, is_starved);
    }
    return found;
}

static void copy_member(json_t *to, const char *key, const json_t *from, const char *from_key,
                        bool *is_starved) {
    json_t *value = json_object_get(from, from_key);
    if (value)
        quipu__ovni_json_set(to, key, quipu__ovni_json_copy(value), is_starved);
}

/* Whether the metadata of a process say which rank it has. Some old programs wrote rank 0 of 0. */
static bool has_rank(const json_t *process) {
    int64_t count;
    return json_object_get(process, "rank") && quipu__ovni_json_integer(process, "nranks", &count) && count > 0;
}

static void set_library(json_t *ovni, const json_t *thread, bool *is_starved) {
    json_t *lib = child(ovni, "lib", is_starved);
    const json_t *old = quipu__ovni_json_at(thread, "ovni.lib");
    if (old) {
        copy_member(lib, "version", old, "version", is_starved);
        copy_member(lib, "commit", old, "commit", is_starved);
    }
    if (!json_object_get(lib, "version"))
        quipu__ovni_json_set(lib, "version", json_string(QUIPU__OVNI_UNKNOWN_LIBRARY), is_starved);
    if (!json_object_get(lib, "commit"))
        quipu__ovni_json_set(lib, "commit", json_string(QUIPU__OVNI_UNKNOWN_COMMIT), is_starved);
}

/* Copies the rest of the thread's own metadata. */
static void copy_rest(json_t *to, const json_t *from, bool *is_starved) {
    const char *key;
    json_t *value, *object = (json_t *)from;
    json_object_foreach(object, key, value) {
        if (!json_object_get(to, key))
            quipu__ovni_json_set(to, key, quipu__ovni_json_copy(value), is_starved);
    }
}

static void upgrade(json_t *metadata, const json_t *process, const json_t *thread, const char *loom,
                    int64_t pid, int64_t tid, bool *is_starved) {
    quipu__ovni_json_set(metadata, "version", json_integer(QUIPU__OVNI_METADATA_VERSION), is_starved);
    json_t *ovni = child(metadata, "ovni", is_starved);
    set_library(ovni, thread, is_starved);
    quipu__ovni_json_set(ovni, "part", json_string(QUIPU__OVNI_PART), is_starved);
    quipu__ovni_json_set(ovni, "tid", json_integer((json_int_t)tid), is_starved);
    quipu__ovni_json_set(ovni, "pid", json_integer((json_int_t)pid), is_starved);
    quipu__ovni_json_set(ovni, "loom", quipu__ovni_json_text(loom), is_starved);
    copy_member(ovni, "app_id", process, "app_id", is_starved);
    if (thread)
        copy_member(ovni, "require", quipu__ovni_json_at(thread, "ovni"), "require", is_starved);
    if (thread)
        copy_member(ovni, "mark", quipu__ovni_json_at(thread, "ovni"), "mark", is_starved);
    if (has_rank(process)) {
        copy_member(ovni, "rank", process, "rank", is_starved);
        copy_member(ovni, "nranks", process, "nranks", is_starved);
    }
    copy_member(ovni, "loom_cpus", process, "cpus", is_starved);
    quipu__ovni_json_set(ovni, "finished", json_integer(1), is_starved);
    copy_rest(ovni, quipu__ovni_json_at(thread, "ovni"), is_starved);
    copy_rest(metadata, thread, is_starved);
}

json_t *quipu__ovni_upgrade(const json_t *process, const json_t *thread, const char *loom, int64_t pid,
                            int64_t tid) {
    json_t *metadata = json_object();
    bool is_starved = !metadata;
    upgrade(metadata, process, thread, loom, pid, tid, &is_starved);
    if (!is_starved)
        return metadata;
    json_decref(metadata);
    return NULL;
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
    stream->uses_old_models =
        stream->has_old_models && (found[QUIPU__OVNI_MODEL_tampi] || found[QUIPU__OVNI_MODEL_mpi]);
    if (stream->has_old_models)
        found[QUIPU__OVNI_MODEL_tampi] = found[QUIPU__OVNI_MODEL_mpi] = false;
    bool is_starved = false;
    for (unsigned i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        if (found[i])
            quipu__ovni_json_set(require, quipu__ovni_models[i].name,
                                 json_string(quipu__ovni_models[i].version), &is_starved);
    quipu__ovni_json_set(json_object_get(stream->metadata, "ovni"), "require", require, &is_starved);
    if (is_starved)
        return quipu__no_memory(err, 0);
    return status == QUIPU_END ? QUIPU_OK : status;
}
