/* old_check.c: the rules of the old format about more than one record. */
#include "formats/picl/check.h"

#include "core/error.h"

#include <inttypes.h>

struct node {
    int64_t time;
    bool has_time, has_reported_time, is_blocked;
};

static void find(const struct quipu__picl_trace *own, enum quipu__picl_rule rule,
                 const struct quipu__picl_old_record *record) {
    const struct quipu__where where = {own->trace->path, record->byte, record->line, QUIPU_UNKNOWN, "", ""};
    quipu__find(own->trace->findings, &quipu__picl_rules[rule], &where, "", "node %" PRId64, record->node);
}

/* Statistics and messages may stand out of order. */
static bool has_order(int64_t key) {
    return key != QUIPU__PICL_OLD_COMPSTATS && key != QUIPU__PICL_OLD_COMMSTATS &&
           key != QUIPU__PICL_OLD_MESSAGE;
}

static void check_record(const struct quipu__picl_trace *own, struct node *node,
                         const struct quipu__picl_old_record *record) {
    if (has_order(record->key)) {
        if (node->has_time && record->time_us < node->time && !node->has_reported_time) {
            find(own, QUIPU__PICL_RULE_OLD_TIME_BACK, record);
            node->has_reported_time = true;
        }
        node->has_time = true;
        node->time = record->time_us;
    }
    if (record->key == QUIPU__PICL_OLD_BLOCKING || record->key == QUIPU__PICL_OLD_WAKING) {
        const bool is_blocking = record->key == QUIPU__PICL_OLD_BLOCKING;
        if (node->is_blocked == is_blocking)
            find(own, QUIPU__PICL_RULE_OLD_WAKING, record);
        node->is_blocked = is_blocking;
    }
}

enum quipu_status quipu__picl_check_old(struct quipu__picl_trace *own, struct quipu_error *err) {
    const size_t bytes = (own->processes.count + 1) * sizeof(struct node);
    struct node *nodes = quipu__alloc_zero(own->trace->memory, bytes);
    struct quipu__picl_walk walk = {0};
    struct quipu__picl_old_record record;
    if (!nodes)
        return quipu__no_memory(err, bytes);
    enum quipu_status status = quipu__picl_walk_open(&walk, own, QUIPU__PICL_SCAN_WINDOW, err);
    while (status == QUIPU_OK) {
        bool is_record;
        status = quipu__picl_walk_old_step(&walk, &record, &is_record, err);
        if (status != QUIPU_OK || !is_record)
            continue;
        const int64_t processor = record.node == QUIPU__PICL_OLD_HOST ? QUIPU__PICL_HOST : record.node;
        const uint32_t process = quipu__picl_process_of(own, processor, QUIPU__PICL_ALL);
        if (process != QUIPU_NONE)
            check_record(own, &nodes[process], &record);
    }
    quipu__picl_walk_close(&walk);
    quipu__release(own->trace->memory, nodes, bytes);
    return status == QUIPU_END ? QUIPU_OK : status;
}
