/* call_path_order.c: the order of all paths of calls.
 *
 * Two paths are compared from their beginnings, so sorting would read each path many times, and a path may be as long as the trace.
 * Instead paths become a tree, the children of each in the order of their regions, and the tree is walked once.
 */
#include "core/memory/sort.h"
#include "state/call_path.h"

/* A path's first extension by one region, and its own next sibling. */
struct node {
    uint32_t first, last, next;
    uint32_t same; /* the first path with the same position: itself if regions have distinct positions */
};

struct order {
    const struct quipu__call_paths *paths;
    size_t count;
    struct node *nodes;
    uint64_t *keys; /* the position of the last part, then the path */
    uint32_t *positions;
};

static size_t key_bytes(const struct order *order) {
    return order->count * sizeof *order->keys;
}

static size_t node_bytes(const struct order *order) {
    return order->count * sizeof *order->nodes;
}

static uint32_t parent_of(const struct order *order, uint32_t path) {
    return order->nodes[order->paths->list.items[path].parent].same;
}

/* Finds paths with the same positions. A parent comes before its extensions. */
static bool find_same(struct order *order) {
    struct quipu__map numbers;
    quipu__map_init(&numbers, order->paths->memory);
    bool has_memory = true;
    for (uint32_t path = 1; path < order->count && has_memory; path++) {
        const uint64_t key = (uint64_t)parent_of(order, path) << 32 | order->keys[path] >> 32;
        const uint32_t known = quipu__map_get(&numbers, key);
        order->nodes[path].same = known == QUIPU_NONE ? path : known;
        has_memory = known != QUIPU_NONE || quipu__map_put(&numbers, key, path);
    }
    quipu__map_release(&numbers);
    return has_memory;
}

static int compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Appends each path to its parent's list. */
static void link_paths(const struct order *order) {
    for (size_t i = 1; i < order->count; i++) {
        const uint32_t path = (uint32_t)order->keys[i];
        struct node *parent = &order->nodes[parent_of(order, path)];
        if (order->nodes[path].same != path)
            continue;
        if (parent->last == QUIPU_NONE)
            parent->first = path;
        else
            order->nodes[parent->last].next = path;
        parent->last = path;
    }
}

static void number_paths(const struct order *order) {
    uint32_t path = QUIPU__NO_CALLS, position = 0;
    do {
        order->positions[path] = position++;
        if (order->nodes[path].first != QUIPU_NONE) {
            path = order->nodes[path].first;
            continue;
        }
        while (path != QUIPU__NO_CALLS && order->nodes[path].next == QUIPU_NONE)
            path = parent_of(order, path);
        path = path == QUIPU__NO_CALLS ? path : order->nodes[path].next;
    } while (path != QUIPU__NO_CALLS);
    for (uint32_t i = 0; i < order->count; i++)
        order->positions[i] = order->positions[order->nodes[i].same];
}

static bool find_positions(struct order *order, uint32_t (*position_of)(const void *context, uint32_t path),
                           const void *context) {
    for (uint32_t i = 0; i < order->count; i++) {
        order->nodes[i] = (struct node){QUIPU_NONE, QUIPU_NONE, QUIPU_NONE, i};
        const uint32_t region = order->paths->list.items[i].region;
        order->keys[i] = (uint64_t)(position_of && i > 0 ? position_of(context, i) : region) << 32 | i;
    }
    order->keys[0] = 0; /* the empty path stays the first */
    if (position_of && !find_same(order))
        return false;
    if (!quipu__sort(order->paths->memory, order->keys, order->count, sizeof *order->keys, compare_keys))
        return false;
    link_paths(order);
    number_paths(order);
    return true;
}

uint32_t *quipu__call_path_positions(const struct quipu__call_paths *paths,
                                     uint32_t (*position_of)(const void *context, uint32_t path),
                                     const void *context) {
    struct order order = {.paths = paths, .count = paths->list.count};
    order.nodes = quipu__alloc(paths->memory, node_bytes(&order));
    order.keys = quipu__alloc(paths->memory, key_bytes(&order));
    order.positions = quipu__alloc(paths->memory, order.count * sizeof *order.positions);
    if (!order.nodes || !order.keys || !order.positions || !find_positions(&order, position_of, context)) {
        quipu__call_path_positions_release(paths, order.positions);
        order.positions = NULL;
    }
    quipu__release(paths->memory, order.nodes, node_bytes(&order));
    quipu__release(paths->memory, order.keys, key_bytes(&order));
    return order.positions;
}
