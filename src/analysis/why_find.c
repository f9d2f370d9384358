/* why_find.c: the losses of a program: delays by location and region, and waiting that no other location causes. */
#include "analysis/why.h"

#include "analysis/answers.h"
#include "analysis/cells.h"
#include "analysis/wait_states.h"
#include "core/scale.h"

#include <stdlib.h>
#include <string.h>

/* ---- Losses ---- */

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_loss(const struct quipu__loss *loss, const struct quipu__loss *key) {
    return loss->number == key->number && is_same_text(loss->kind, key->kind) &&
           is_same_text(loss->region, key->region);
}

/* Where the loss with this kind, location and region is in the map, or would be. */
static uint64_t slot_of(const struct quipu__why *why, const struct quipu__loss *key) {
    const uint64_t seed = why->loss_of.seed;
    const uint64_t words[] = {key->number, quipu__hash(key->kind, strlen(key->kind), seed),
                              key->region ? quipu__hash(key->region, strlen(key->region), seed) : 0};
    uint64_t slot = quipu__hash(words, sizeof words, seed);
    uint32_t number;
    while ((number = quipu__map_get(&why->loss_of, slot)) != QUIPU_NONE &&
           !is_loss(&why->losses.items[number], key))
        slot++;
    return slot;
}

/* NULL when there is none. */
static struct quipu__loss *find_loss(struct quipu__why *why, const struct quipu__loss *key) {
    const uint32_t number = quipu__map_get(&why->loss_of, slot_of(why, key));
    return number == QUIPU_NONE ? NULL : &why->losses.items[number];
}

/* Makes it when there is none; NULL when memory is out. */
static struct quipu__loss *loss_of(struct quipu__why *why, const struct quipu__loss *key) {
    struct quipu__loss *loss = find_loss(why, key);
    if (loss)
        return loss;
    loss = QUIPU__VEC_ADD(&why->memory, &why->losses);
    if (!loss || !quipu__map_put(&why->loss_of, slot_of(why, key), (uint32_t)(why->losses.count - 1)))
        return NULL;
    *loss = *key;
    return loss;
}

/* Location and region of a row. */
static struct quipu__loss key_at(const struct quipu__why *why, const char *kind,
                                 const struct quipu_table *table, size_t row) {
    struct quipu__loss key = {.kind = kind,
                              .location = quipu__answer_text(table, row, "location"),
                              .region = quipu__answer_text(table, row, "region"),
                              .location_id = quipu__answer_number(table, row, "location_id")};
    key.number = quipu__located_find(&why->located, key.location, (uint64_t)key.location_id);
    return key;
}

static void add_time(struct quipu__why *why, const char *kind, const struct quipu_table *table, size_t row,
                     int64_t time, int64_t indirect) {
    const struct quipu__loss key = key_at(why, kind, table, row);
    struct quipu__loss *loss = loss_of(why, &key);
    if (!loss)
        return;
    loss->time += time;
    loss->indirect += indirect;
}

static void add_delays(struct quipu__why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[QUIPU__WHY_WAITS], "delays");
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const int64_t indirect = quipu__answer_number(table, row, "long_ns");
        add_time(why, QUIPU__WHY_DELAY, table, row, quipu__answer_number(table, row, "short_ns") + indirect,
                 indirect);
    }
}

/* ---- Delays that their regions do not explain ---- */

/* The key of a delay at a location, in a region, whose text is in the cells. */
static struct quipu__loss key_in(struct quipu__cells *cells, uint32_t location, uint32_t region) {
    quipu__cells_put_name(cells, QUIPU_REFERS_REGION, region);
    return (struct quipu__loss){.kind = QUIPU__WHY_DELAY,
                                .number = location,
                                .region = cells->items[0].is_null ? NULL : cells->items[0].text};
}

static void add_spent(void *context, uint32_t location, uint32_t region, int64_t time) {
    struct quipu__why *why = context;
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    const struct quipu__loss key = key_in(&cells, location, region);
    struct quipu__loss *loss = find_loss(why, &key);
    if (loss)
        loss->spent += time;
    if (region == QUIPU_NONE && time > why->outside)
        why->outside = time;
}

/* Each of the others waits no longer for a region than the location is in it, when all begin together and have one clock. That they do not
 * leave what they had in common before together makes it somewhat longer; of what is more than twice as long the region explains less
 * than half. */
static void remove_unexplained(struct quipu__why *why) {
    const uint64_t others = why->location_count - 1;
    for (size_t i = 0; i < why->losses.count; i++) {
        struct quipu__loss *loss = &why->losses.items[i];
        uint64_t rest;
        const int64_t spent = loss->region ? loss->spent : why->outside;
        if (loss->number >= why->awaited.count ||
            (uint64_t)loss->time / 2 <= quipu__scale_down((uint64_t)spent, others, 1, &rest))
            continue;
        why->awaited.items[loss->number].unexplained += loss->time;
        loss->time = 0;
    }
}

/* ---- Who waits for whom ---- */

static const struct quipu__wait_pattern_row *pattern_find(const char *text) {
    size_t pattern = 0;
    while (strcmp(quipu__wait_patterns[pattern].text, text) != 0)
        pattern++;
    return &quipu__wait_patterns[pattern];
}

static bool has_clock_of(const struct quipu__why *why, uint32_t a, uint32_t b) {
    const char *host = why->definitions->locations.items[a].host;
    const char *other = why->definitions->locations.items[b].host;
    return host && host[0] && is_same_text(host, other);
}

/* How far the clocks of two locations may be apart without contradicting any message. */
static int64_t corridor_of(const struct quipu__why *why, uint32_t a, uint32_t b) {
    const int64_t one = why->awaited.items[a].corridor, other = why->awaited.items[b].corridor;
    return one < 0 || other < 0 || has_clock_of(why, a, b) ? 0 : one + other;
}

static void add_wait(struct quipu__why *why, const struct quipu_table *table, size_t row, const char *pattern) {
    const char *location = quipu__answer_text(table, row, "location");
    const int64_t location_id = quipu__answer_number(table, row, "location_id");
    const int64_t time = quipu__answer_number(table, row, "time_ns");
    const uint32_t waiting = quipu__located_find(&why->located, location, (uint64_t)location_id);
    const uint32_t peer = quipu__located_find(&why->located, quipu__answer_text(table, row, "peer"),
                                              (uint64_t)quipu__answer_number(table, row, "peer_id"));
    if (waiting >= why->awaited.count || peer >= why->awaited.count)
        return;
    struct quipu__awaited *awaited = &why->awaited.items[peer];
    const uint64_t pair = (uint64_t)waiting << 32 | peer;
    if (quipu__map_get(&why->waiting, pair) == QUIPU_NONE && quipu__map_put(&why->waiting, pair, 1))
        awaited->waiters++;
    awaited->uncertain += quipu__answer_number(table, row, "instances") * corridor_of(why, waiting, peer);
    if (time <= awaited->time)
        return;
    awaited->time = time;
    awaited->location = location;
    awaited->location_id = location_id;
    awaited->region = quipu__answer_text(table, row, "region");
    awaited->pattern = pattern;
}

static void add_waits(struct quipu__why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[QUIPU__WHY_WAITS], "waits");
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const char *pattern = quipu__answer_text(table, row, "pattern");
        if (pattern_find(pattern)->synchronises)
            add_wait(why, table, row, pattern);
        else
            add_time(why, pattern, table, row, quipu__answer_number(table, row, "time_ns"), 0);
    }
}

static void add_corridors(struct quipu__why *why) {
    const struct quipu_table *table = quipu__answer_table(why->answers[QUIPU__WHY_CLOCK], "offsets");
    const size_t count = why->definitions->locations.count;
    if (!QUIPU__VEC_RESERVE(&why->memory, &why->awaited, count))
        return;
    why->awaited.count = count;
    for (size_t i = 0; i < count; i++)
        why->awaited.items[i].corridor = -1;
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        const uint32_t location =
            quipu__located_find(&why->located, quipu__answer_text(table, row, "location"),
                                (uint64_t)quipu__answer_number(table, row, "location_id"));
        if (location < count && !quipu__answer_cell(table, row, "corridor_ns")->is_null)
            why->awaited.items[location].corridor = quipu__answer_number(table, row, "corridor_ns");
    }
}

/* ---- The critical path ---- */

static void add_path_time(struct quipu__why *why, const struct quipu__loss *key, int64_t time) {
    struct quipu__loss *loss = find_loss(why, key);
    if (loss)
        loss->on_path += time;
}

static void add_on_path(void *context, uint32_t location, uint32_t region, int64_t time) {
    struct quipu__why *why = context;
    struct quipu__cells cells = quipu__cells_of(why->definitions);
    struct quipu__loss key = key_in(&cells, location, region);
    add_path_time(why, &key, time);
    for (int i = 0; i < QUIPU__WAIT_PATTERNS; i++) {
        key.kind = quipu__wait_patterns[i].text;
        if (!quipu__wait_patterns[i].synchronises)
            add_path_time(why, &key, time);
    }
}

/* ---- All of it ---- */

static int compare_losses(const void *a, const void *b) {
    const struct quipu__loss *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    const int order = strcmp(x->region ? x->region : "", y->region ? y->region : "");
    return order != 0 ? order : strcmp(x->kind, y->kind);
}

void quipu__why_find(struct quipu__why *why, struct quipu__delays *delays,
                     const struct quipu__critical_path *path) {
    add_corridors(why);
    add_delays(why);
    quipu__delays_each_time(delays, add_spent, why);
    remove_unexplained(why);
    add_waits(why);
    quipu__critical_path_each_time(path, add_on_path, why);
    if (why->losses.count > 0)
        qsort(why->losses.items, why->losses.count, sizeof *why->losses.items, compare_losses);
}

bool quipu__why_is_awaited(const struct quipu__why *why, const struct quipu__loss *loss) {
    return loss->number < why->awaited.count && strcmp(loss->kind, QUIPU__WHY_DELAY) == 0;
}

bool quipu__why_is_large(const struct quipu__why *why, const struct quipu__loss *loss) {
    enum { LISTED_PART = 1000 };
    uint64_t rest;
    return loss->time > 0 && quipu__scale_down((uint64_t)loss->time, LISTED_PART, 1, &rest) >=
                                 quipu__scale_down((uint64_t)why->covered, why->location_count, 1, &rest);
}

bool quipu__why_is_certain(const struct quipu__why *why, const struct quipu__loss *loss) {
    return loss->time > (quipu__why_is_awaited(why, loss) ? why->awaited.items[loss->number].uncertain : 0);
}
