/* repair.c: completes a trace that was not finished. */
#include "formats/ovni/repair.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/ovni/emulation.h"
#include "formats/ovni/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== The source as it will be ==== */

/* The source as it will be written: its streams with the metadata that repair has completed. */

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

static enum quipu_status whole_open(struct quipu__ovni_whole *whole, const struct quipu__ovni_repair *repair,
                                    struct quipu_error *err) {
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

static void whole_close(struct quipu__ovni_whole *whole) {
    quipu__ovni_system_close(&whole->system);
    release(whole);
}

/* ==== Events ==== */

/* Which events of a damaged trace can stay. The streams are read to find what their metadata must say and which clocks are wrong; then the
 * resulting trace is emulated, and what breaks a rule is left out, until nothing does. */

/* ---- Reading ---- */

static void note_use(const struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                     bool is_big, const struct quipu__ovni_event *event) {
    const struct quipu__ovni_event_row *row =
        quipu__ovni_find_row(&repair->source->dictionary, event->model, event->category, event->value);
    if (!row)
        return;
    const bool names_cpu = row->effect == QUIPU__OVNI_THREAD_EXECUTE ||
                           row->effect == QUIPU__OVNI_AFFINITY_SET ||
                           row->effect == QUIPU__OVNI_AFFINITY_REMOTE;
    repaired->uses[row->model] = true;
    const int64_t cpu = names_cpu && event->len >= 4 ? quipu__ovni_load_i32(is_big, event->payload) : 0;
    repaired->cpu_most = cpu > repaired->cpu_most ? cpu : repaired->cpu_most;
}

static enum quipu_status scan_events(struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                                     struct quipu__ovni_walk *walk, struct quipu__ovni_clock_scan *clocks,
                                     struct quipu_error *err) {
    struct quipu__ovni_event event;
    enum quipu_status status = QUIPU_OK;
    while ((status = quipu__ovni_walk_next(walk, &event, err)) == QUIPU_OK) {
        uint64_t clock = event.clock;
        if (!quipu__ovni_edit(&repaired->edits, event.offset, &clock))
            continue;
        note_use(repair, repaired, walk->is_big, &event);
        quipu__ovni_clock_scan_add(clocks, &event);
    }
    if (status != QUIPU_END)
        return status;
    quipu__ovni_clock_scan_end(clocks);
    return quipu__memory_status(repair->memory, err);
}

static enum quipu_status scan_stream(struct quipu__ovni_repair *repair, struct quipu__ovni_repaired *repaired,
                                     struct quipu__ovni_clock_scan *clocks, struct quipu_error *err) {
    const struct quipu__ovni_files *files = &repair->source->files;
    const struct quipu__ovni_stream *stream = &files->streams.items[repaired->stream];
    struct quipu__ovni_walk walk;
    if (stream->is_missing)
        return QUIPU_OK;
    enum quipu_status status =
        quipu__ovni_walk_open(&walk, files->pool, stream->path, stream->has_header,
                              quipu__ovni_window(files->memory, files->streams.count), err);
    if (status != QUIPU_OK)
        return status;
    status = scan_events(repair, repaired, &walk, clocks, err);
    quipu__ovni_walk_close(&walk);
    return status;
}

static int64_t offset_of(const struct quipu__ovni_repair *repair, uint32_t stream) {
    const struct quipu__ovni_system *system = &repair->source->system;
    const uint32_t thread = system->thread_of[stream];
    return thread == QUIPU_NONE ? 0 : system->looms.items[system->threads.items[thread].loom].offset;
}

/* If a stream begins more than an hour before the latest one, but its second event does not, its first clock is wrong. */
static void correct_early_streams(struct quipu__ovni_repair *repair, struct quipu__ovni_clock_scan *scans) {
    int64_t latest = 0;
    for (uint32_t i = 0; i < repair->streams.count; i++) {
        const uint64_t clock = (uint64_t)scans[i].clocks[0] + (uint64_t)offset_of(repair, i);
        const int64_t first = scans[i].count > 0 ? (int64_t)clock : 0;
        latest = first > latest ? first : latest;
    }
    for (uint32_t i = 0; i < repair->streams.count; i++) {
        const int64_t bound =
            (int64_t)((uint64_t)latest - (uint64_t)offset_of(repair, i) - (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST);
        if (scans[i].count == 2 && scans[i].clocks[0] < bound && scans[i].clocks[1] >= bound)
            quipu__ovni_correct_first(&scans[i]);
    }
}

static enum quipu_status scan_streams(struct quipu__ovni_repair *repair, struct quipu__ovni_clock_scan *scans,
                                      struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < repair->streams.count && status == QUIPU_OK; i++) {
        repair->streams.items[i].stream = i;
        repair->streams.items[i].edits.clocks.count = 0;
        quipu__ovni_edits_rewind(&repair->streams.items[i].edits);
        scans[i] = (struct quipu__ovni_clock_scan){
            .memory = repair->memory, .edits = &repair->streams.items[i].edits, .before = -1, .inside = -1};
        status = scan_stream(repair, &repair->streams.items[i], &scans[i], err);
    }
    if (status == QUIPU_OK)
        correct_early_streams(repair, scans);
    return status == QUIPU_OK ? quipu__memory_status(repair->memory, err) : status;
}

/* Finds which clocks of what is not left out are wrong. */
static enum quipu_status scan_clocks(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    const size_t count = repair->streams.count;
    struct quipu__ovni_clock_scan *scans = quipu__alloc(repair->memory, count * sizeof *scans + 1);
    if (!scans)
        return quipu__no_memory(err, count);
    const enum quipu_status status = scan_streams(repair, scans, err);
    quipu__release(repair->memory, scans, count * sizeof *scans + 1);
    return status;
}

static enum quipu_status repair_scan(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    const size_t count = repair->source->files.streams.count;
    if (!QUIPU__VEC_RESERVE(repair->memory, &repair->streams, count))
        return quipu__no_memory(err, count);
    repair->streams.count = count;
    return scan_clocks(repair, err);
}

/* ---- Emulating ---- */

/* Usually what one round leaves out does not affect other events; a trace that does not improve is refused. */
enum { ROUNDS_MOST = 16, EVENTS_AT_A_TIME = 1 << 16 };

struct trial {
    struct quipu__ovni_repair *repair;
    struct quipu__ovni_whole whole;
    struct quipu__ovni_emulation emulation;
    uint64_t refused; /* in this round */
};

static bool edit(void *context, uint32_t stream, struct quipu__ovni_event *event) {
    const struct trial *trial = context;
    return quipu__ovni_edit(&trial->repair->streams.items[stream].edits, event->offset, &event->clock);
}

/* Takes effect from the next round on. */
static void refused(void *context, uint32_t stream, uint64_t offset) {
    struct trial *trial = context;
    struct quipu__ovni_edits *edits = &trial->repair->streams.items[stream].edits;
    trial->refused++;
    quipu__ovni_leave_out(trial->repair->memory, edits, offset);
}

static enum quipu_status emulate(struct trial *trial, struct quipu_error *err) {
    const struct quipu__ovni_editor editor = {edit, refused, trial};
    const struct quipu__ovni_emulation_options options = {.knows_streams = true, .editor = &editor};
    trial->refused = 0;
    for (size_t i = 0; i < trial->repair->streams.count; i++)
        quipu__ovni_edits_rewind(&trial->repair->streams.items[i].edits);
    enum quipu_status status =
        quipu__ovni_emulation_open(&trial->emulation, &trial->whole.system, &options, err);
    if (status != QUIPU_OK)
        return status;
    while (status == QUIPU_OK)
        status = quipu__ovni_emulate(&trial->emulation, EVENTS_AT_A_TIME, err);
    quipu__ovni_emulation_close(&trial->emulation);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* The beginning of a region of late events may be among what is left out: then clocks in it that were right are not. */
static enum quipu_status emulate_until_fine(struct trial *trial, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    bool are_clocks_known = true;
    for (int round = 0; round < ROUNDS_MOST && status == QUIPU_OK; round++) {
        status = emulate(trial, err);
        if (status == QUIPU_OK && trial->refused == 0 && are_clocks_known)
            return QUIPU_OK;
        are_clocks_known = status == QUIPU_OK && trial->refused == 0;
        if (are_clocks_known)
            status = scan_clocks(trial->repair, err);
    }
    if (status != QUIPU_OK)
        return status;
    quipu__fail(err, QUIPU_CORRUPT, "events of the trace contradict each other, whatever is left out");
    quipu__advise(err, "\"quipu check\" says which rules they break");
    return QUIPU_CORRUPT;
}

static enum quipu_status repair_try(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    struct trial *trial = quipu__alloc_zero(repair->memory, sizeof *trial);
    if (!trial)
        return quipu__no_memory(err, sizeof *trial);
    trial->repair = repair;
    enum quipu_status status = whole_open(&trial->whole, repair, err);
    if (status == QUIPU_OK) {
        status = trial->whole.system.is_broken ? QUIPU_OK : emulate_until_fine(trial, err);
        whole_close(&trial->whole);
    }
    quipu__release(repair->memory, trial, sizeof *trial);
    return status;
}

/* ==== Metadata ==== */

/* Metadata of streams as a program writes them when it finishes. */

/* "PREFIXtext" between slashes of a path; its length. */
static const char *name_of_folder(const char *path, const char *prefix, size_t *len) {
    const char *found = strstr(path, prefix);
    if (!found || (found != path && found[-1] != '/'))
        return NULL;
    found += strlen(prefix);
    *len = strcspn(found, "/");
    return found;
}

/* Metadata from the names of folders, for a stream whose own cannot be read. */
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

/* A stream without any information gets its own thread, so that its events have one. */
static json_t *metadata_of_none(uint32_t number) {
    return quipu__ovni_upgrade(NULL, NULL, "unknown.0", 1, (int64_t)number + 1);
}

/* Reports what repair has done. */
static void repair_find(struct quipu__ovni_repair *repair, const char *file, const char *field,
                        const char *format, uint64_t number) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[100];
    snprintf(text, sizeof text, format, number);
    where.file = file;
    where.field = field;
    quipu__find(repair->repairing->changes, &quipu__ovni_rules[QUIPU__OVNI_RULE_REPAIRED], &where, "", "%s",
                text);
}

/* Adds what is missing in an object, or has another type. */
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
        repair_find(repair, file, key, "%" PRIu64 " added", 1);
    }
}

static bool is_number(const json_t *ovni, const char *key, int64_t least, int64_t most) {
    int64_t number;
    return quipu__ovni_json_integer(ovni, key, &number) && number >= least && number <= most && number != 0;
}

/* Removes invalid names of thread, loom or application, so that they are completed like missing ones. A thread numbered only by its position
 * among the streams belongs to the unknown process. */
static void drop_wrong_names(json_t *ovni, bool is_named) {
    const char *loom = json_string_value(json_object_get(ovni, "loom"));
    const bool has_thread = is_number(ovni, "tid", 1, INT32_MAX), is_lost = !has_thread && !is_named;
    if (!has_thread)
        json_object_del(ovni, "tid");
    if (is_lost || !is_number(ovni, "pid", INT32_MIN, INT32_MAX))
        json_object_del(ovni, "pid");
    if (is_lost || (loom && strchr(loom, '/')))
        json_object_del(ovni, "loom");
    if (!is_number(ovni, "app_id", 1, INT64_MAX))
        json_object_del(ovni, "app_id");
}

/* The metadata of a stream, with all that a reader needs. */
static json_t *whole_metadata(struct quipu__ovni_repair *repair, uint32_t number) {
    const struct quipu__ovni_stream *stream = &repair->source->files.streams.items[number];
    json_t *named = metadata_of_name(repair, stream->path);
    json_t *whole = named ? named : metadata_of_none(number);
    if (!named && !stream->metadata)
        repair_find(repair, stream->metadata_path, "", "thread %" PRIu64 " of an unknown process",
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

/* Requires, in known versions, the models of the stream's events. */
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
        repair_find(repair, file, "ovni.require", "%" PRIu64 " models", changed);
}

/* An impossible rank is left out, together with the number of ranks. */
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
    repair_find(repair, file, "ovni.rank", "%" PRIu64 " wrong rank left out", 1);
}

/* Events of undefined marks are left out too. */
static void check_marks(struct quipu__ovni_repair *repair, const char *file, json_t *ovni) {
    const uint64_t removed = quipu__ovni_correct_marks(&repair->source->system, json_object_get(ovni, "mark"));
    if (removed > 0)
        repair_find(repair, file, "ovni.mark", "%" PRIu64 " wrong types and labels left out", removed);
}

/* Streams that do not belong to threads have no events that a reader knows. */
static void check_part(struct quipu__ovni_repair *repair, const char *file, json_t *ovni) {
    const char *kind = json_string_value(json_object_get(ovni, "part"));
    if (kind && strcmp(kind, QUIPU__OVNI_PART) == 0)
        return;
    quipu__ovni_json_set(ovni, "part", json_string(QUIPU__OVNI_PART), &repair->is_starved);
    repair_find(repair, file, "ovni.part", "%" PRIu64 " stream is of a thread", 1);
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
        quipu__ovni_json_set(ovni, "finished", json_integer(1), &repair->is_starved);
        repair_find(repair, file, "ovni.finished", "%" PRIu64, 1);
    }
    return metadata;
}

/* Completes the metadata of all streams so that they do not contradict each other, and finds the
 * events that are refused. */
static enum quipu_status complete_all_metadata(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    for (size_t i = 0; i < repair->streams.count; i++) {
        struct quipu__ovni_repaired *repaired = &repair->streams.items[i];
        repaired->metadata = complete_metadata(repair, repaired);
        repair->is_starved |= repaired->metadata == NULL;
    }
    return repair->is_starved ? quipu__no_memory(err, repair->streams.count) : QUIPU_OK;
}

/* ==== What streams agree upon ==== */

/* Makes the metadata of several streams agree, once each is complete by itself: one application and one rank per process, ranks for all
 * processes of a loom or for none, CPUs numbered from 0, each once, and the same hardware counters everywhere. The table of clock offsets
 * names only existing hosts. */

/* Threads of a process or loom, which lie together in the system. */
struct group {
    struct quipu__ovni_repair *repair;
    const struct quipu__ovni_thread *threads;
    size_t count;
};

static struct quipu__ovni_repaired *repaired_of(const struct group *group, size_t i) {
    return &group->repair->streams.items[group->threads[i].stream];
}

static json_t *ovni_of(const struct group *group, size_t i) {
    return json_object_get(repaired_of(group, i)->metadata, "ovni");
}

static const char *file_of(const struct group *group, size_t i) {
    return group->repair->source->files.streams.items[group->threads[i].stream].metadata_path;
}

static void set_number(const struct group *group, size_t i, const char *key, int64_t number) {
    quipu__ovni_json_set(ovni_of(group, i), key, json_integer((json_int_t)number), &group->repair->is_starved);
}

/* ---- Applications ---- */

/* The process of a killed thread may have no application, if that was not written yet. */
static void agree_on_application(const struct group *process) {
    int64_t chosen = 0, own;
    for (size_t i = 0; i < process->count && chosen < 1; i++)
        quipu__ovni_json_integer(ovni_of(process, i), "app_id", &chosen);
    if (chosen < 1)
        chosen = 1;
    for (size_t i = 0; i < process->count; i++) {
        const bool has_one = quipu__ovni_json_integer(ovni_of(process, i), "app_id", &own);
        if (has_one && own == chosen)
            continue;
        set_number(process, i, "app_id", chosen);
        if (has_one)
            repair_find(process->repair, file_of(process, i), "ovni.app_id",
                        "application %" PRIu64 ", as other threads of the process say", (uint64_t)chosen);
        else
            repair_find(process->repair, file_of(process, i), "app_id", "%" PRIu64 " added", 1);
    }
}

/* ---- Ranks ---- */

struct rank {
    int64_t rank, count;
};

static bool rank_of(const struct group *group, size_t i, struct rank *out) {
    return quipu__ovni_json_integer(ovni_of(group, i), "rank", &out->rank) &&
           quipu__ovni_json_integer(ovni_of(group, i), "nranks", &out->count);
}

/* The rank that more than half of the threads of a process state, if any, else one of those stated. */
static bool choose_rank(const struct group *process, struct rank *out) {
    size_t lead = 0;
    bool is_said = false;
    struct rank own;
    for (size_t i = 0; i < process->count; i++) {
        if (!rank_of(process, i, &own))
            continue;
        is_said = true;
        if (lead == 0)
            *out = own;
        lead += own.rank == out->rank && own.count == out->count ? 1 : SIZE_MAX;
    }
    return is_said;
}

/* Whether the process has a rank. */
static bool agree_on_rank(const struct group *process) {
    struct rank chosen, own;
    if (!choose_rank(process, &chosen))
        return false;
    for (size_t i = 0; i < process->count; i++) {
        if (!rank_of(process, i, &own) || (own.rank == chosen.rank && own.count == chosen.count))
            continue;
        set_number(process, i, "rank", chosen.rank);
        set_number(process, i, "nranks", chosen.count);
        repair_find(process->repair, file_of(process, i), "ovni.rank",
                    "rank %" PRIu64 ", as other threads of the process say", (uint64_t)chosen.rank);
    }
    return true;
}

/* If one process of a loom has lost its rank, the others lose theirs too: all must have one, or none. */
static void drop_ranks(const struct group *loom) {
    for (size_t i = 0; i < loom->count; i++) {
        const int result = json_object_del(ovni_of(loom, i), "rank");
        json_object_del(ovni_of(loom, i), "nranks");
        if (result == 0)
            repair_find(loom->repair, file_of(loom, i), "ovni.rank",
                        "%" PRIu64 " rank left out, since another process of the loom has none", 1);
    }
}

/* ---- CPUs ---- */

struct claim {
    int64_t index, phyid;
};

struct claims {
    struct quipu__memory *memory;
    QUIPU__VEC(struct claim) list;
    int64_t count; /* of CPUs, if they are numbered */
};

static int compare_claims(const void *left, const void *right) {
    const struct claim *a = left, *b = right;
    if (a->phyid != b->phyid)
        return a->phyid < b->phyid ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Adds what a list of CPUs says. False when one is invalid, or when memory is out, which the gate remembers. */
static bool add_claims(struct claims *claims, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct claim *claim = QUIPU__VEC_ADD(claims->memory, &claims->list), own;
        const json_t *cpu = json_array_get(list, i);
        if (!claim || !quipu__ovni_json_integer(cpu, "index", &own.index) ||
            !quipu__ovni_json_integer(cpu, "phyid", &own.phyid) || own.index < 0 || own.phyid < 0)
            return false;
        *claim = own;
    }
    return true;
}

/* Whether the CPUs are numbered from 0 without gaps, each once. Equal claims of several threads become one. */
static bool are_numbered(struct claims *claims) {
    size_t count = 0;
    struct claim *items = claims->list.items;
    if (claims->list.count == 0)
        return false;
    qsort(items, claims->list.count, sizeof *items, compare_claims);
    for (size_t i = 0; i < claims->list.count; i++)
        if (count == 0 || compare_claims(&items[count - 1], &items[i]) != 0)
            items[count++] = items[i];
    bool *seen = quipu__alloc_zero(claims->memory, count), is_good = seen != NULL;
    for (size_t i = 0; i < count && is_good; i++) {
        is_good = (i == 0 || items[i - 1].phyid != items[i].phyid) && (uint64_t)items[i].index < count &&
                  !seen[items[i].index];
        if (is_good)
            seen[items[i].index] = true;
    }
    quipu__release(claims->memory, seen, count);
    claims->count = (int64_t)count;
    return is_good;
}

/* Whether the lists of some threads are consistent; then out is the highest index and the highest number of their CPUs. */
static bool has_good_cpus(const struct group *group, struct claim *out) {
    struct claims claims = {.memory = group->repair->memory};
    bool is_good = true;
    for (size_t i = 0; i < group->count && is_good; i++)
        is_good = add_claims(&claims, json_object_get(ovni_of(group, i), "loom_cpus"));
    is_good = is_good && are_numbered(&claims);
    if (is_good)
        *out = (struct claim){claims.count - 1, claims.list.items[claims.count - 1].phyid};
    QUIPU__VEC_RELEASE(claims.memory, &claims.list);
    return is_good;
}

/* The first thread whose list is consistent by itself; count when there is none. */
static size_t find_good_list(const struct group *loom, struct claim *out) {
    for (size_t i = 0; i < loom->count; i++) {
        const struct group one = {loom->repair, &loom->threads[i], 1};
        if (has_good_cpus(&one, out))
            return i;
    }
    return loom->count;
}

/* Adds CPUs after the highest one to the list of a thread, up to an index. */
static void add_cpus(const struct group *loom, size_t i, struct claim last, int64_t most) {
    enum { CPUS_MOST = 8192 }; /* Linux supports no more in one machine */
    bool *is_starved = &loom->repair->is_starved;
    json_t *known = json_object_get(ovni_of(loom, i), "loom_cpus"), *list = known ? known : json_array();
    const size_t before = json_array_size(list);
    while (last.index < most && last.index + 1 < CPUS_MOST && last.phyid < INT32_MAX) {
        json_t *cpu = json_object();
        quipu__ovni_json_set(cpu, "index", json_integer((json_int_t)++last.index), is_starved);
        quipu__ovni_json_set(cpu, "phyid", json_integer((json_int_t)++last.phyid), is_starved);
        quipu__ovni_json_append(list, cpu, is_starved);
    }
    repair_find(loom->repair, file_of(loom, i), "ovni.loom_cpus", "%" PRIu64 " CPUs",
                json_array_size(list) - before);
    if (!known)
        quipu__ovni_json_set(ovni_of(loom, i), "loom_cpus", list, is_starved);
}

/* Removes a list that is invalid or contradicts another; returns how many CPUs it has. */
static int64_t drop_cpus(const struct group *loom, size_t i) {
    const json_t *list = json_object_get(ovni_of(loom, i), "loom_cpus");
    const size_t count = json_array_size(list);
    if (!list)
        return 0;
    json_object_del(ovni_of(loom, i), "loom_cpus");
    if (count > 0)
        repair_find(loom->repair, file_of(loom, i), "ovni.loom_cpus",
                    "%" PRIu64 " CPUs left out, whose numbers contradict each other", count);
    return (int64_t)count;
}

/* The highest index that events of the loom name. */
static int64_t highest_used(const struct group *loom) {
    int64_t most = 0;
    for (size_t i = 0; i < loom->count; i++)
        most = repaired_of(loom, i)->cpu_most > most ? repaired_of(loom, i)->cpu_most : most;
    return most;
}

/* Whether metadata that cannot be read may have listed CPUs of a loom. */
static bool has_lost_metadata(const struct group *loom) {
    const struct quipu__ovni_stream *streams = loom->repair->source->files.streams.items;
    for (size_t i = 0; i < loom->count; i++)
        if (!streams[loom->threads[i].stream].metadata)
            return true;
    return false;
}

/* If lists contradict each other, a consistent one becomes the loom's; if there is none, its CPUs are renumbered, as many as a thread lists
 * or events use. */
static void replace_cpus(const struct group *loom) {
    int64_t most = highest_used(loom);
    struct claim last = {-1, -1};
    const size_t good = find_good_list(loom, &last);
    for (size_t i = 0; i < loom->count; i++) {
        const int64_t said = i == good ? 0 : drop_cpus(loom, i) - 1;
        most = good == loom->count && said > most ? said : most;
    }
    if (last.index < most)
        add_cpus(loom, good < loom->count ? good : 0, last, most);
}

/* Lists of threads may complete each other. CPUs that only a lost list had are taken from events. */
static void agree_on_cpus(const struct group *loom) {
    struct claim last;
    for (size_t i = 0; i < loom->count; i++)
        if (json_array_size(json_object_get(ovni_of(loom, i), "loom_cpus")) == 0)
            drop_cpus(loom, i);
    if (!has_good_cpus(loom, &last))
        replace_cpus(loom);
    else if (last.index < highest_used(loom) && has_lost_metadata(loom))
        add_cpus(loom, 0, last, highest_used(loom));
}

/* ---- Hardware counters ---- */

static const json_t *counters_of(const struct group *group, size_t i) {
    const json_t *counters = quipu__ovni_json_at(repaired_of(group, i)->metadata, "nosv.hwc");
    return json_object_size(counters) > 0 ? counters : NULL;
}

/* Whether the counters are named 0, 1 and so on. */
static bool has_named_counters(const json_t *counters) {
    const size_t count = json_object_size(counters);
    bool is_named = count > 0 && count <= QUIPU__OVNI_COUNTERS_MOST;
    for (size_t i = 0; i < count && is_named; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        is_named = json_is_string(json_object_get(json_object_get(counters, key), "name"));
    }
    return is_named;
}

/* All threads get the counters of the first that has valid ones. */
static void agree_on_counters(const struct group *all) {
    const json_t *chosen = NULL;
    for (size_t i = 0; i < all->count && !chosen; i++)
        chosen = has_named_counters(counters_of(all, i)) ? counters_of(all, i) : NULL;
    for (size_t i = 0; i < all->count; i++) {
        const json_t *own = counters_of(all, i);
        if (!own || (has_named_counters(own) && json_object_size(own) == json_object_size(chosen)))
            continue;
        json_t *runtime = json_object_get(repaired_of(all, i)->metadata, "nosv");
        if (chosen)
            quipu__ovni_json_set(runtime, "hwc", quipu__ovni_json_copy(chosen), &all->repair->is_starved);
        else
            json_object_del(runtime, "hwc");
        repair_find(all->repair, file_of(all, i), "nosv.hwc", "%" PRIu64 " counters instead",
                    json_object_size(chosen));
    }
}

/* ---- Clock offsets ---- */

/* A table with an unreadable line, or one for an unknown host, is rebuilt from its valid lines. */
static void rebuild_offsets(struct quipu__ovni_repair *repair, const struct quipu__ovni_system *system) {
    struct quipu__buffer *out = &repair->offsets;
    uint64_t hosts = 0;
    if (system->offset_faults == 0)
        return;
    repair->has_bad_offsets = true;
    for (size_t i = 0; i < system->looms.count; i++) {
        const struct quipu__ovni_loom *loom = &system->looms.items[i];
        bool is_first = loom->has_offset;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = system->looms.items[j].host_len != loom->host_len ||
                       memcmp(system->looms.items[j].name, loom->name, loom->host_len) != 0;
        if (!is_first)
            continue;
        if (hosts++ == 0)
            quipu__put_text(out, "rank       hostname             offset_median        offset_mean          "
                                 "offset_std\n");
        quipu__put_format(out, "%-10zu %-20.*s %-20" PRId64 " %-20" PRId64 " 0\n", i, (int)loom->host_len,
                          loom->name, loom->offset, loom->offset);
    }
    repair_find(repair, repair->source->files.offsets, "", "%" PRIu64 " hosts, all that the table says clearly",
                hosts);
}

/* ---- All ---- */

static void agree_in_loom(const struct group *loom) {
    size_t with = 0, processes = 0;
    for (size_t begin = 0, end; begin < loom->count; begin = end) {
        for (end = begin; end < loom->count && loom->threads[end].process == loom->threads[begin].process;)
            end++;
        const struct group process = {loom->repair, loom->threads + begin, end - begin};
        agree_on_application(&process);
        with += agree_on_rank(&process);
        processes++;
    }
    if (with > 0 && with < processes)
        drop_ranks(loom);
    agree_on_cpus(loom);
}

static void agree(struct quipu__ovni_repair *repair, const struct quipu__ovni_system *system) {
    const struct quipu__ovni_thread *threads = system->threads.items;
    for (size_t i = 0; i < system->threads.count; i++)
        repair->streams.items[threads[i].stream].offset = system->looms.items[threads[i].loom].offset;
    for (size_t begin = 0, end; begin < system->threads.count; begin = end) {
        for (end = begin; end < system->threads.count && threads[end].loom == threads[begin].loom;)
            end++;
        const struct group loom = {repair, threads + begin, end - begin};
        agree_in_loom(&loom);
    }
    const struct group all = {repair, threads, system->threads.count};
    agree_on_counters(&all);
    rebuild_offsets(repair, system);
}

static enum quipu_status repair_agree(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    struct quipu__ovni_whole whole;
    enum quipu_status status = whole_open(&whole, repair, err);
    if (status != QUIPU_OK)
        return status;
    agree(repair, &whole.system);
    whole_close(&whole);
    return repair->is_starved ? quipu__no_memory(err, repair->streams.count)
                              : quipu__memory_status(repair->memory, err);
}

/* ==== Streams ==== */

enum quipu_status quipu__ovni_repair_new(struct quipu__ovni_repair **out,
                                         const struct quipu__ovni_trace *source,
                                         struct quipu__repairing *repairing, struct quipu__memory *memory,
                                         struct quipu_error *err) {
    struct quipu__ovni_repair *repair = quipu__alloc_zero(memory, sizeof *repair);
    *out = repair;
    if (!repair)
        return quipu__no_memory(err, sizeof *repair);
    repair->source = source;
    repair->repairing = repairing;
    repair->memory = memory;
    quipu__buffer_init(&repair->offsets, memory, 0);
    quipu__ovni_closing_init(&repair->closing, memory, &source->dictionary);
    repair->charge.memory = memory;
    if (!quipu__charge_add(&repair->charge, source->files.charge.bytes))
        return quipu__no_memory(err, source->files.charge.bytes);
    enum quipu_status status = repair_scan(repair, err);
    if (status == QUIPU_OK)
        status = complete_all_metadata(repair, err);
    if (status == QUIPU_OK)
        status = repair_agree(repair, err);
    return status == QUIPU_OK ? repair_try(repair, err) : status;
}

void quipu__ovni_repair_free(struct quipu__ovni_repair *repair) {
    if (!repair)
        return;
    quipu__ovni_closing_release(&repair->closing);
    for (size_t i = 0; i < repair->streams.count; i++) {
        json_decref(repair->streams.items[i].metadata);
        quipu__ovni_edits_release(repair->memory, &repair->streams.items[i].edits);
    }
    QUIPU__VEC_RELEASE(repair->memory, &repair->streams);
    quipu__buffer_release(&repair->offsets);
    quipu__charge_release(&repair->charge);
    quipu__release(repair->memory, repair, sizeof *repair);
}

/* ---- Streams ---- */

enum quipu_status quipu__ovni_repair_begin(struct quipu__ovni_repair *repair, uint32_t stream,
                                           struct quipu_error *err) {
    if (stream >= repair->streams.count)
        return quipu__fail(err, QUIPU_CORRUPT, "stream %" PRIu32 " came to be while the trace is repaired",
                           stream);
    repair->current = &repair->streams.items[stream];
    repair->current->is_copied = true;
    quipu__ovni_edits_rewind(&repair->current->edits);
    quipu__ovni_closing_clear(&repair->closing);
    const int64_t offset = repair->current->offset;
    if (repair->source->origin > offset)
        repair->closing.clock =
            (uint64_t)repair->source->origin - (uint64_t)offset; /* of a stream without events */
    return QUIPU_OK;
}

static void report_clock(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t before, uint64_t now) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char expected[24];
    snprintf(expected, sizeof expected, "%" PRIu64, now);
    where.file = repair->source->files.streams.items[repair->current->stream].path;
    where.byte = offset;
    quipu__find(repair->repairing->changes, &quipu__ovni_rules[QUIPU__OVNI_RULE_CLOCK_REPAIRED], &where,
                expected, "%" PRIu64, before);
}

bool quipu__ovni_repair_edit(struct quipu__ovni_repair *repair, uint64_t offset, uint64_t *clock) {
    const uint64_t before = *clock;
    const bool stays = quipu__ovni_edit(&repair->current->edits, offset, clock);
    repair->repairing->dropped += !stays;
    if (stays && *clock != before)
        report_clock(repair, offset, before, *clock);
    return stays;
}

static void report(struct quipu__ovni_repair *repair, const char *what, uint64_t count) {
    if (count > 0)
        repair_find(repair, repair->source->files.streams.items[repair->current->stream].path, "", what, count);
}

enum quipu_status quipu__ovni_repair_end(struct quipu__ovni_repair *repair, quipu__ovni_put_function *put,
                                         void *context, struct quipu_error *err) {
    uint64_t count = 0;
    if (!repair->current)
        return QUIPU_OK;
    const enum quipu_status status = quipu__ovni_close_stream(&repair->closing, put, context, &count, err);
    repair->repairing->added += count;
    report(repair, "%" PRIu64 " events left out that the emulation refuses",
           repair->current->edits.left_out.count);
    report(repair, "%" PRIu64 " events added", count);
    return status;
}
