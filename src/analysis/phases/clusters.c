/* clusters.c: which locations behave alike in the iterations of a phase. In the order of their numbers, a location is of the first cluster whose first
 * location does the same, or begins another one. Two do the same when their times of everything differ, all differences together, by no more
 * than a tenth of the larger one's times. */
#include "analysis/phases/phases.h"

#include "core/bounded.h"
#include "core/memory/sort.h"
#include "core/scale.h"

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

enum { TENTH = 10 };

static bool list_locations(struct quipu__phases *phases, struct quipu__phase *phase) {
    struct quipu__alike *alike = NULL;
    for (size_t i = 0; i < phase->doings.count; i++) {
        const struct quipu__doing *doing = &phase->doings.items[i];
        if (!alike || alike->location != doing->location) {
            alike = QUIPU__VEC_ADD(&phases->memory, &phase->alike);
            if (!alike)
                return false;
            *alike = (struct quipu__alike){.location = doing->location, .cluster = QUIPU_NONE, .first = i};
        }
        alike->past = i + 1;
        alike->total = quipu__bounded_sum(alike->total, quipu__distance(doing->total, 0));
    }
    return true;
}

/* ---- Who is alike ---- */

static bool are_alike(const struct quipu__phase *phase, const struct quipu__alike *a,
                      const struct quipu__alike *b) {
    const struct quipu__doing *doings = phase->doings.items;
    int64_t distance = 0;
    for (size_t i = a->first, k = b->first; i < a->past || k < b->past;) {
        const bool has_a = i < a->past && (k == b->past || doings[i].what <= doings[k].what),
                   has_b = k < b->past && (i == a->past || doings[k].what <= doings[i].what);
        const int64_t one = has_a ? doings[i].total : 0, other = has_b ? doings[k].total : 0;
        distance = quipu__bounded_sum(distance, quipu__distance(one, other));
        i += has_a;
        k += has_b;
    }
    const int64_t larger = a->total > b->total ? a->total : b->total;
    return quipu__bounded_product(TENTH, distance) <= larger;
}

static bool add_to_cluster(struct quipu__phases *phases, struct quipu__phase *phase, size_t number) {
    struct quipu__alike *alike = &phase->alike.items[number];
    uint32_t found = 0;
    while (found < phase->clusters.count &&
           !are_alike(phase, &phase->alike.items[phase->clusters.items[found].first], alike))
        found++;
    if (found == QUIPU__CLUSTERS_MOST)
        return true;
    if (found == phase->clusters.count) {
        struct quipu__cluster *cluster = QUIPU__VEC_ADD(&phases->memory, &phase->clusters);
        if (!cluster)
            return false;
        *cluster = (struct quipu__cluster){.first = number, .what = QUIPU_NONE};
    }
    phase->clusters.items[found].count++;
    alike->cluster = found;
    return true;
}

/* ---- What they do otherwise ---- */

/* The total of something in a cluster, or in none. */
struct cluster_total {
    uint32_t what, cluster;
    int64_t time;
};

static int compare_totals(const void *a, const void *b) {
    const struct cluster_total *x = a, *y = b;
    return x->what != y->what ? COMPARE(x->what, y->what) : COMPARE(x->cluster, y->cluster);
}

/* The first of equals stays. */
static void note_difference(struct quipu__phase *phase, uint32_t number, uint32_t what, int64_t own,
                            int64_t all) {
    struct quipu__cluster *cluster = &phase->clusters.items[number];
    const size_t rest = phase->alike.count - cluster->count;
    if (rest == 0)
        return;
    const int64_t mean = quipu__divide_rounded(own, (int64_t)cluster->count),
                  others = quipu__divide_rounded(quipu__bounded_difference(all, own), (int64_t)rest);
    const int64_t known = quipu__distance(cluster->mean, cluster->others);
    if (quipu__distance(mean, others) <= known)
        return;
    cluster->what = what;
    cluster->mean = mean;
    cluster->others = others;
}

/* Totals of one thing: those of each cluster are together. What a cluster does not do at all is a difference, too. */
static void compare_clusters(struct quipu__phase *phase, const struct cluster_total *totals, size_t count) {
    int64_t all = 0, own = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        all = quipu__bounded_sum(all, totals[i].time);
    for (size_t i = 0; i < count && totals[i].cluster != QUIPU_NONE; i++) {
        own = quipu__bounded_sum(own, totals[i].time);
        if (i + 1 < count && totals[i + 1].cluster == totals[i].cluster)
            continue;
        for (; next < totals[i].cluster; next++)
            note_difference(phase, next, totals[0].what, 0, all);
        note_difference(phase, next++, totals[0].what, own, all);
        own = 0;
    }
    for (; next < phase->clusters.count; next++)
        note_difference(phase, next, totals[0].what, 0, all);
}

static bool find_differences(struct quipu__phases *phases, struct quipu__phase *phase) {
    const size_t count = phase->doings.count, bytes = count * sizeof(struct cluster_total);
    struct cluster_total *totals = quipu__alloc(&phases->memory, bytes);
    if (!totals)
        return false;
    for (size_t i = 0; i < phase->alike.count; i++)
        for (size_t k = phase->alike.items[i].first; k < phase->alike.items[i].past; k++)
            totals[k] = (struct cluster_total){phase->doings.items[k].what, phase->alike.items[i].cluster,
                                               phase->doings.items[k].total};
    const bool has_memory = quipu__sort(&phases->memory, totals, count, sizeof *totals, compare_totals);
    for (size_t first = 0, past; has_memory && first < count; first = past) {
        for (past = first; past < count && totals[past].what == totals[first].what;)
            past++;
        compare_clusters(phase, totals + first, past - first);
    }
    quipu__release(&phases->memory, totals, bytes);
    return has_memory;
}

bool quipu__clusters_find(struct quipu__phases *phases, struct quipu__phase *phase) {
    if (!list_locations(phases, phase))
        return false;
    for (size_t i = 0; i < phase->alike.count; i++)
        if (!add_to_cluster(phases, phase, i))
            return false;
    return find_differences(phases, phase);
}
