/* repair_metadata.c: metadata of streams as a program writes them when it finishes. */
#include "core/error.h"
#include "core/text.h"
#include "formats/ovni/repair.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "PREFIXtext" between slashes of a path; its length. */
static const char *name_of_folder(const char *path, const char *prefix, size_t *len) {
    const char *found = strstr(path, prefix);
    if (!found || (found != path && found[-1] != '/'))
        return NULL;
    found += strlen(prefix);
    *len = strcspn(found, "/");
    return found;
}

/* What the names of folders say of a stream whose metadata cannot be read. */
static json_t *metadata_of_name(struct quipu__ovni_repair *repair, const char *path) {
    size_t loom_len, pid_len, tid_len;
    const char *loom = name_of_folder(path, QUIPU__OVNI_LOOM_PREFIX, &loom_len);
    const char *pid = name_of_folder(path, QUIPU__OVNI_PROCESS_PREFIX, &pid_len);
    const char *tid = name_of_folder(path, QUIPU__OVNI_THREAD_PREFIX, &tid_len);
    int64_t pid_number, tid_number;
    char name[300];
    if (!loom || !pid || !tid || loom_len >= sizeof name || !quipu__parse_i64(pid, pid_len, &pid_number) ||
        !quipu__parse_i64(tid, tid_len, &tid_number) || pid_number == 0 || tid_number <= 0)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)loom_len, loom);
    json_t *metadata = quipu__ovni_upgrade(NULL, NULL, name, pid_number, tid_number);
    repair->is_starved |= metadata == NULL;
    return metadata;
}

/* A stream of which nothing tells whose it is has a thread of its own, so that its events have one. */
static json_t *metadata_of_none(uint32_t number) {
    return quipu__ovni_upgrade(NULL, NULL, "unknown.0", 1, (int64_t)number + 1);
}

/* What is missing of an object, or is of another type. */
static void complete(struct quipu__ovni_repair *repair, const char *file, json_t *object, const json_t *whole) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)whole, key, value) {
        json_t *own = json_object_get(object, key);
        if (own && json_typeof(own) == json_typeof(value)) {
            if (json_is_object(own))
                complete(repair, file, own, value);
            continue;
        }
        quipu__ovni_json_set(object, key, quipu__ovni_json_copy(value), &repair->is_starved);
        quipu__ovni_repair_find(repair, file, key, "%" PRIu64 " added", 1);
    }
}

static bool is_number(const json_t *ovni, const char *key, int64_t least) {
    int64_t number;
    return quipu__ovni_json_integer(ovni, key, &number) && number >= least && number != 0;
}

/* Takes out what names no thread, loom or application, so that it is completed like what is missing. A thread whose number only its place
 * among the streams tells is one of the unknown process. */
static void drop_wrong_names(json_t *ovni, bool is_named) {
    const char *loom = json_string_value(json_object_get(ovni, "loom"));
    const bool has_thread = is_number(ovni, "tid", 1), is_lost = !has_thread && !is_named;
    if (!has_thread)
        json_object_del(ovni, "tid");
    if (is_lost || !is_number(ovni, "pid", INT32_MIN))
        json_object_del(ovni, "pid");
    if (is_lost || (loom && strchr(loom, '/')))
        json_object_del(ovni, "loom");
    if (!is_number(ovni, "app_id", 1))
        json_object_del(ovni, "app_id");
}

/* The metadata of a stream, with all that a reader needs. */
static json_t *whole_metadata(struct quipu__ovni_repair *repair, uint32_t number) {
    const struct quipu__ovni_stream *stream = &repair->source->files.streams.items[number];
    json_t *named = metadata_of_name(repair, stream->path);
    json_t *whole = named ? named : metadata_of_none(number);
    if (!named && !stream->metadata)
        quipu__ovni_repair_find(repair, stream->metadata_path, "", "thread %" PRIu64 " of an unknown process",
                                (uint64_t)number + 1);
    if (!stream->metadata)
        return whole;
    json_t *metadata = quipu__ovni_json_copy(stream->metadata);
    json_object_del(json_object_get(whole, "ovni"), "finished");
    drop_wrong_names(json_object_get(metadata, "ovni"), named != NULL);
    complete(repair, stream->metadata_path, metadata, whole);
    json_decref(whole);
    return metadata;
}

/* Models that the stream's events are of are required in versions that are known. */
static void require_used(struct quipu__ovni_repair *repair, const struct quipu__ovni_repaired *repaired,
                         const char *file, json_t *ovni) {
    json_t *require = json_object_get(ovni, "require");
    uint64_t changed = 0;
    if (!json_is_object(require)) {
        quipu__ovni_json_set(ovni, "require", json_object(), &repair->is_starved);
        require = json_object_get(ovni, "require");
    }
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++) {
        const char *name = quipu__ovni_models[i].name;
        const char *wanted = json_string_value(json_object_get(require, name));
        const bool is_needed = wanted || repaired->uses[i] || i == QUIPU__OVNI_MODEL_ovni;
        if (!is_needed || (wanted && quipu__ovni_supports(i, wanted)))
            continue;
        quipu__ovni_json_set(require, name, json_string(quipu__ovni_models[i].version), &repair->is_starved);
        changed++;
    }
    if (changed > 0)
        quipu__ovni_repair_find(repair, file, "ovni.require", "%" PRIu64 " models", changed);
}

/* A rank that cannot be one is left out, with the number of ranks. */
static void check_rank(struct quipu__ovni_repair *repair, const char *file, json_t *ovni) {
    int64_t rank = -1, ranks = -1;
    if (!json_object_get(ovni, "rank") && !json_object_get(ovni, "nranks"))
        return;
    const bool is_good =
        quipu__ovni_json_integer(ovni, "rank", &rank) && quipu__ovni_json_integer(ovni, "nranks", &ranks);
    if (is_good && rank >= 0 && rank < ranks)
        return;
    json_object_del(ovni, "rank");
    json_object_del(ovni, "nranks");
    quipu__ovni_repair_find(repair, file, "ovni.rank", "%" PRIu64 " wrong rank left out", 1);
}

/* Events of marks that are not defined are left out, too. */
static void check_marks(struct quipu__ovni_repair *repair, const char *file, json_t *ovni) {
    const uint64_t removed = quipu__ovni_correct_marks(&repair->source->system, json_object_get(ovni, "mark"));
    if (removed > 0)
        quipu__ovni_repair_find(repair, file, "ovni.mark", "%" PRIu64 " wrong types and labels left out",
                                removed);
}

/* Streams of other parts have no events that a reader knows. */
static void check_part(struct quipu__ovni_repair *repair, const char *file, json_t *ovni) {
    const char *kind = json_string_value(json_object_get(ovni, "part"));
    if (kind && strcmp(kind, QUIPU__OVNI_PART) == 0)
        return;
    quipu__ovni_json_set(ovni, "part", json_string(QUIPU__OVNI_PART), &repair->is_starved);
    quipu__ovni_repair_find(repair, file, "ovni.part", "%" PRIu64 " stream is of a thread", 1);
}

static json_t *complete_metadata(struct quipu__ovni_repair *repair,
                                 const struct quipu__ovni_repaired *repaired) {
    const struct quipu__ovni_stream *stream = &repair->source->files.streams.items[repaired->stream];
    const char *file = stream->metadata_path;
    json_t *metadata = whole_metadata(repair, repaired->stream);
    json_t *ovni = json_object_get(metadata, "ovni");
    int64_t finished;
    if (!json_is_object(ovni))
        return metadata;
    check_rank(repair, file, ovni);
    check_marks(repair, file, ovni);
    check_part(repair, file, ovni);
    require_used(repair, repaired, file, ovni);
    if (!quipu__ovni_json_integer(metadata, "ovni.finished", &finished) || finished != 1) {
        quipu__ovni_json_set(ovni, "finished", json_real(1), &repair->is_starved);
        quipu__ovni_repair_find(repair, file, "ovni.finished", "%" PRIu64, 1);
    }
    return metadata;
}

enum quipu_status quipu__ovni_repair_metadata(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    for (size_t i = 0; i < repair->streams.count; i++) {
        struct quipu__ovni_repaired *repaired = &repair->streams.items[i];
        repaired->metadata = complete_metadata(repair, repaired);
        repair->is_starved |= repaired->metadata == NULL;
    }
    return repair->is_starved ? quipu__no_memory(err, repair->streams.count) : QUIPU_OK;
}
