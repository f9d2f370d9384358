/* repair_agreement.c: what the metadata of several streams say of one process or loom, once each is whole by itself: they name one
 * application and one rank of a process, ranks of all processes of a loom or of none, CPUs that are numbered from 0, each once, and the
 * same hardware counters everywhere. The table of clock offsets names hosts that there are. */
#include "core/error.h"
#include "formats/ovni/repair.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    quipu__ovni_json_set(ovni_of(group, i), key, json_real((double)number), &group->repair->is_starved);
}

/* ---- Applications ---- */

/* The process of a killed thread may have no application, where that was not written yet. */
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
            quipu__ovni_repair_find(process->repair, file_of(process, i), "ovni.app_id",
                                    "application %" PRIu64 ", as other threads of the process say",
                                    (uint64_t)chosen);
        else
            quipu__ovni_repair_find(process->repair, file_of(process, i), "app_id", "%" PRIu64 " added", 1);
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

/* The rank that most threads of a process say, if there is one that more than half of them do, else one of those that are said. */
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
        quipu__ovni_repair_find(process->repair, file_of(process, i), "ovni.rank",
                                "rank %" PRIu64 ", as other threads of the process say", (uint64_t)chosen.rank);
    }
    return true;
}

/* One process that has lost its rank takes those of the others with it: where one of a loom has a rank, all must. */
static void drop_ranks(const struct group *loom) {
    for (size_t i = 0; i < loom->count; i++) {
        const int result = json_object_del(ovni_of(loom, i), "rank");
        json_object_del(ovni_of(loom, i), "nranks");
        if (result == 0)
            quipu__ovni_repair_find(loom->repair, file_of(loom, i), "ovni.rank",
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
    int64_t count; /* of CPUs, where they are numbered */
};

static int compare_claims(const void *left, const void *right) {
    const struct claim *a = left, *b = right;
    if (a->phyid != b->phyid)
        return a->phyid < b->phyid ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Adds what a list of CPUs says. False when one is not valid, or for want of memory, which the gate knows. */
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

/* Whether the CPUs are numbered from 0 to their number, each once. Claims of one CPU by several threads become one. */
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

/* Whether the lists of some threads are good together; then out is the highest index and the highest number of their CPUs. */
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

/* The first thread whose list is good by itself; count when there is none. */
static size_t find_good_list(const struct group *loom, struct claim *out) {
    for (size_t i = 0; i < loom->count; i++) {
        const struct group one = {loom->repair, &loom->threads[i], 1};
        if (has_good_cpus(&one, out))
            return i;
    }
    return loom->count;
}

/* Adds CPUs behind a highest one to the list of a thread, up to an index. */
static void add_cpus(const struct group *loom, size_t i, struct claim last, int64_t most) {
    enum { CPUS_MOST = 8192 }; /* Linux has no more in one machine */
    bool *is_starved = &loom->repair->is_starved;
    json_t *known = json_object_get(ovni_of(loom, i), "loom_cpus"), *list = known ? known : json_array();
    const size_t before = json_array_size(list);
    while (last.index < most && last.index + 1 < CPUS_MOST && last.phyid < INT32_MAX) {
        json_t *cpu = json_object();
        quipu__ovni_json_set(cpu, "index", json_real((double)++last.index), is_starved);
        quipu__ovni_json_set(cpu, "phyid", json_real((double)++last.phyid), is_starved);
        quipu__ovni_json_append(list, cpu, is_starved);
    }
    quipu__ovni_repair_find(loom->repair, file_of(loom, i), "ovni.loom_cpus", "%" PRIu64 " CPUs",
                            json_array_size(list) - before);
    if (!known)
        quipu__ovni_json_set(ovni_of(loom, i), "loom_cpus", list, is_starved);
}

/* Takes a list out that is none, or that another one contradicts; how many CPUs it has. */
static int64_t drop_cpus(const struct group *loom, size_t i) {
    const json_t *list = json_object_get(ovni_of(loom, i), "loom_cpus");
    const size_t count = json_array_size(list);
    if (!list)
        return 0;
    json_object_del(ovni_of(loom, i), "loom_cpus");
    if (count > 0)
        quipu__ovni_repair_find(loom->repair, file_of(loom, i), "ovni.loom_cpus",
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

/* Whether CPUs of a loom may have been told by metadata that cannot be read. */
static bool has_lost_metadata(const struct group *loom) {
    const struct quipu__ovni_stream *streams = loom->repair->source->files.streams.items;
    for (size_t i = 0; i < loom->count; i++)
        if (!streams[loom->threads[i].stream].metadata)
            return true;
    return false;
}

/* Where lists contradict each other, one that is good is the loom's; where none is, its CPUs are numbered again, as many as a thread says or
 * were used. */
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

/* Lists of threads may be parts that complete each other. CPUs that only a lost one has told are those that events name. */
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

/* All threads have the counters of the first that has good ones. */
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
        quipu__ovni_repair_find(all->repair, file_of(all, i), "nosv.hwc", "%" PRIu64 " counters instead",
                                json_object_size(chosen));
    }
}

/* ---- Clock offsets ---- */

/* A table with a line that cannot be read, or that is of no host, becomes one of the lines that are good. */
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
    quipu__ovni_repair_find(repair, repair->source->files.offsets, "",
                            "%" PRIu64 " hosts, all that the table says clearly", hosts);
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

enum quipu_status quipu__ovni_repair_agree(struct quipu__ovni_repair *repair, struct quipu_error *err) {
    struct quipu__ovni_whole whole;
    enum quipu_status status = quipu__ovni_whole_open(&whole, repair, err);
    if (status != QUIPU_OK)
        return status;
    agree(repair, &whole.system);
    quipu__ovni_whole_close(&whole);
    return repair->is_starved ? quipu__no_memory(err, repair->streams.count)
                              : quipu__memory_status(repair->memory, err);
}
