/* tree.c: the first rows of a profile, and the tree of its paths: each below the one that it continues, those of one caller
 * in the order asked for.
 *
 * The order is that of a table sorted by the column. So all rows are put into a table that has their numbers as one column more,
 * and is then dropped; from its order the tree is made.
 */
#include "analysis/profile/rows.h"

#include "core/error.h"
#include "table/table.h"

#include <string.h>

/* Rows as a tree: of each, and of what has no caller, the first one below it, and the next one beside it; QUIPU_NONE: none. */
struct node {
    uint32_t first, last, next;
    uint32_t caller; /* row, the count of rows for none */
    bool is_shown;
};

struct tree {
    struct quipu__profile_whole *whole;
    struct node *nodes; /* of rows, then that of what has no caller */
    uint32_t *order;    /* rows, sorted */
};

/* ---- The order of rows ---- */

/* Rows with their numbers. */
static enum quipu_status fill(const struct quipu__profile_whole *whole, struct quipu_table *table,
                              struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < whole->count && status == QUIPU_OK; i++)
        status = quipu__profile_show_row(whole, i, table, err);
    return status;
}

static enum quipu_status find_order(const struct quipu__profile_whole *whole, const char *column,
                                    uint32_t *order, struct quipu_error *err) {
    enum { COLUMNS_MOST = 64 };
    const struct quipu_analysis_table *shape = quipu__profile_table_of(whole->profile);
    struct quipu_table_column columns[COLUMNS_MOST];
    struct quipu_table *table;
    memcpy(columns, shape->columns, shape->column_count * sizeof *columns);
    columns[shape->column_count] = (struct quipu_table_column){"number", QUIPU_TYPE_U64, "", "of the row"};
    enum quipu_status status =
        quipu__table_new(&whole->memory->allocator, shape->name, columns, shape->column_count + 1, &table, err);
    if (status != QUIPU_OK)
        return status;
    status = fill(whole, table, err);
    if (status == QUIPU_OK)
        quipu__table_sort_by(table, column);
    for (size_t i = 0; status == QUIPU_OK && i < whole->count; i++)
        order[i] = (uint32_t)quipu_table_at(table, i, shape->column_count)->u;
    quipu_table_free(table);
    return status;
}

/* ---- The tree ---- */

/* A path comes before those that continue it, so the caller of a row is the latest one that is a level further out. */
static void find_callers(const struct tree *tree) {
    const struct quipu__profile_whole *whole = tree->whole;
    const struct quipu__call_path *paths = whole->profile->scope->paths.list.items;
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t parent = paths[quipu__profile_path_at(whole, i)].parent;
        uint32_t caller = i == 0 ? (uint32_t)whole->count : i - 1;
        while (caller != whole->count && quipu__profile_path_at(whole, caller) != parent)
            caller = tree->nodes[caller].caller;
        tree->nodes[i].caller = caller;
    }
}

/* The first rows, and those that lead to them. */
static void choose(const struct tree *tree) {
    for (size_t i = 0; i < tree->whole->count && i < tree->whole->profile->top; i++)
        for (uint32_t row = tree->order[i]; row != tree->whole->count && !tree->nodes[row].is_shown;
             row = tree->nodes[row].caller)
            tree->nodes[row].is_shown = true;
}

/* Puts what is shown below its callers. */
static void link(const struct tree *tree) {
    for (size_t i = 0; i <= tree->whole->count; i++)
        tree->nodes[i].first = tree->nodes[i].last = tree->nodes[i].next = QUIPU_NONE;
    for (size_t i = 0; i < tree->whole->count; i++) {
        const uint32_t row = tree->order[i];
        struct node *caller = &tree->nodes[tree->nodes[row].caller];
        if (!tree->nodes[row].is_shown)
            continue;
        if (caller->last == QUIPU_NONE)
            caller->first = row;
        else
            tree->nodes[caller->last].next = row;
        caller->last = row;
    }
}

/* From the outermost calls inwards. */
static enum quipu_status show_tree(const struct tree *tree, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t row = tree->nodes[tree->whole->count].first; row != QUIPU_NONE && status == QUIPU_OK;) {
        status = quipu__profile_show_row(tree->whole, row, table, err);
        if (tree->nodes[row].first != QUIPU_NONE) {
            row = tree->nodes[row].first;
            continue;
        }
        while (row != tree->whole->count && tree->nodes[row].next == QUIPU_NONE)
            row = tree->nodes[row].caller;
        row = row == tree->whole->count ? QUIPU_NONE : tree->nodes[row].next;
    }
    return status;
}

static enum quipu_status show_as_tree(const struct tree *tree, struct quipu_table *table,
                                      struct quipu_error *err) {
    quipu__table_fix_order(table);
    find_callers(tree);
    choose(tree);
    link(tree);
    return show_tree(tree, table, err);
}

static enum quipu_status show_first(const struct tree *tree, struct quipu_table *table,
                                    struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < tree->whole->profile->top && status == QUIPU_OK; i++)
        status = quipu__profile_show_row(tree->whole, tree->order[i], table, err);
    return status;
}

enum quipu_status quipu__profile_show_first(struct quipu__profile_whole *whole, struct quipu_table *table,
                                            struct quipu_error *err) {
    const struct quipu__profile *profile = whole->profile;
    const size_t node_bytes = (whole->count + 1) * sizeof(struct node),
                 order_bytes = (whole->count + 1) * sizeof(uint32_t);
    const struct tree tree = {whole, quipu__alloc_zero(whole->memory, node_bytes),
                              quipu__alloc(whole->memory, order_bytes)};
    const char *column = profile->is_tree ? "inclusive_ns" : "exclusive_ns";
    enum quipu_status status = QUIPU_OK;
    if (!tree.nodes || !tree.order)
        status = quipu__no_memory(err, node_bytes);
    if (status == QUIPU_OK)
        status = find_order(whole, profile->sort ? profile->sort : column, tree.order, err);
    if (status == QUIPU_OK)
        status = profile->is_tree ? show_as_tree(&tree, table, err) : show_first(&tree, table, err);
    quipu__release(whole->memory, tree.nodes, node_bytes);
    quipu__release(whole->memory, tree.order, order_bytes);
    return status;
}
