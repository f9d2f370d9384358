/* pattern.c: patterns of communication: how many edges each has, and how many of the trace's edges are among them. */
#include "analysis/comm/comm.h"

#include <stdio.h>
#include <string.h>

enum { DIMENSIONS_MOST = 3 };

/* A pattern of n processes. */
struct model {
    uint32_t n, shape[DIMENSIONS_MOST];
    unsigned dimensions;
    bool is_periodic;
};

/* Whether a model has an edge between two different processes; and how many edges it has. */
typedef bool has_edge_fn(const struct model *model, uint32_t from, uint32_t to);
typedef uint64_t edge_count_fn(const struct model *model);

/* ---- Rings and chains ---- */

static bool ring_has(const struct model *model, uint32_t from, uint32_t to) {
    return to == (from + 1) % model->n;
}

static uint64_t ring_edges(const struct model *model) {
    return model->n > 1 ? model->n : 0;
}

static bool both_ways_has(const struct model *model, uint32_t from, uint32_t to) {
    return ring_has(model, from, to) || ring_has(model, to, from);
}

static uint64_t both_ways_edges(const struct model *model) {
    return model->n > 2 ? UINT64_C(2) * model->n : ring_edges(model);
}

static bool chain_has(const struct model *model, uint32_t from, uint32_t to) {
    (void)model;
    return to == from + 1;
}

static uint64_t chain_edges(const struct model *model) {
    return model->n - 1;
}

/* ---- Stencils ---- */

static bool are_neighbours(const struct model *model, unsigned dimension, uint32_t a, uint32_t b) {
    const uint32_t extent = model->shape[dimension], distance = a > b ? a - b : b - a;
    return distance == 1 || (model->is_periodic && distance == extent - 1);
}

static bool stencil_has(const struct model *model, uint32_t from, uint32_t to) {
    unsigned differing = 0;
    for (unsigned d = model->dimensions; d-- > 0;) {
        const uint32_t a = from % model->shape[d], b = to % model->shape[d];
        from /= model->shape[d];
        to /= model->shape[d];
        if (a == b)
            continue;
        if (!are_neighbours(model, d, a, b))
            return false;
        differing++;
    }
    return differing == 1;
}

/* Along a line of its extent, of which there are so many in a dimension. */
static uint64_t stencil_edges(const struct model *model) {
    uint64_t edges = 0;
    for (unsigned d = 0; d < model->dimensions; d++) {
        const uint64_t extent = model->shape[d], lines = model->n / extent;
        edges += lines * 2 * (model->is_periodic && extent > 2 ? extent : extent - 1);
    }
    return edges;
}

/* ---- Others ---- */

static bool transpose_has(const struct model *model, uint32_t from, uint32_t to) {
    const uint32_t q = model->shape[0];
    return to == from % q * q + from / q;
}

static uint64_t transpose_edges(const struct model *model) {
    return model->n - model->shape[0];
}

/* i sends to i + 2^k for all k with i < 2^k. */
static bool tree_has(const struct model *model, uint32_t from, uint32_t to) {
    (void)model;
    if (to <= from)
        return false;
    const uint32_t step = to - from;
    return (step & (step - 1)) == 0 && from < step;
}

static bool tree_to_has(const struct model *model, uint32_t from, uint32_t to) {
    return tree_has(model, to, from);
}

static bool butterfly_has(const struct model *model, uint32_t from, uint32_t to) {
    (void)model;
    const uint32_t differing = from ^ to;
    return (differing & (differing - 1)) == 0;
}

static uint64_t butterfly_edges(const struct model *model) {
    uint64_t bits = 0;
    while (model->n >> (bits + 1) > 0)
        bits++;
    return model->n * bits;
}

static bool master_has(const struct model *model, uint32_t from, uint32_t to) {
    (void)model;
    return from == 0 || to == 0;
}

static uint64_t master_edges(const struct model *model) {
    return UINT64_C(2) * (model->n - 1);
}

static bool all_has(const struct model *model, uint32_t from, uint32_t to) {
    (void)model;
    return from != to;
}

static uint64_t all_edges(const struct model *model) {
    return (uint64_t)model->n * (model->n - 1);
}

/* ---- Fits ---- */

struct fitting {
    const struct quipu__edges *edges;
    void (*visit)(void *context, const struct quipu__fit *fit);
    void *context;
};

static void fit(const struct fitting *fitting, const char *pattern, const char *detail,
                const struct model *model, has_edge_fn *has_edge, edge_count_fn *edge_count) {
    struct quipu__fit fit = {.pattern = pattern};
    const uint64_t edges = edge_count(model);
    if (edges == 0)
        return;
    for (size_t i = 0; i < fitting->edges->count; i++)
        fit.common += has_edge(model, fitting->edges->items[i].from, fitting->edges->items[i].to);
    fit.all = fitting->edges->count + edges - fit.common;
    snprintf(fit.detail, sizeof fit.detail, "%s", detail);
    fitting->visit(fitting->context, &fit);
}

static void fit_stencil(const struct fitting *fitting, struct model *model) {
    static const char *const names[] = {"stencil-1d", "stencil-2d", "stencil-3d"};
    char detail[40];
    int len = 0;
    for (unsigned d = 0; d < model->dimensions; d++)
        len += snprintf(detail + len, sizeof detail - (size_t)len, d > 0 ? "x%u" : "%u", model->shape[d]);
    model->is_periodic = false;
    fit(fitting, names[model->dimensions - 1], detail, model, stencil_has, stencil_edges);
    snprintf(detail + len, sizeof detail - (size_t)len, " periodic");
    model->is_periodic = true;
    fit(fitting, names[model->dimensions - 1], detail, model, stencil_has, stencil_edges);
}

/* All ordered factorisations of rest into the extents from a dimension on, the first one ascending. */
static void fit_stencils(const struct fitting *fitting, struct model *model, unsigned dimension,
                         uint32_t rest) {
    if (dimension + 1 == model->dimensions) {
        model->shape[dimension] = rest;
        if (rest > 1)
            fit_stencil(fitting, model);
        return;
    }
    for (uint32_t extent = 2; extent <= rest; extent++) {
        if (rest % extent != 0)
            continue;
        model->shape[dimension] = extent;
        fit_stencils(fitting, model, dimension + 1, rest / extent);
    }
}

static void fit_transpose(const struct fitting *fitting, struct model *model) {
    char detail[40];
    uint32_t q = 2;
    while ((uint64_t)q * q < model->n)
        q++;
    if ((uint64_t)q * q != model->n)
        return;
    model->shape[0] = q;
    snprintf(detail, sizeof detail, "%ux%u", q, q);
    fit(fitting, "transpose", detail, model, transpose_has, transpose_edges);
}

void quipu__comm_fit(const struct quipu__edges *edges,
                     void (*visit)(void *context, const struct quipu__fit *fit), void *context) {
    const struct fitting fitting = {edges, visit, context};
    struct model model = {.n = edges->processes};
    fit(&fitting, "ring", "", &model, ring_has, ring_edges);
    fit(&fitting, "ring-both-ways", "", &model, both_ways_has, both_ways_edges);
    fit(&fitting, "chain", "", &model, chain_has, chain_edges);
    for (model.dimensions = 1; model.dimensions <= DIMENSIONS_MOST; model.dimensions++)
        fit_stencils(&fitting, &model, 0, model.n);
    fit_transpose(&fitting, &model);
    fit(&fitting, "tree", "binomial from 0", &model, tree_has, chain_edges);
    fit(&fitting, "tree", "binomial to 0", &model, tree_to_has, chain_edges);
    if ((model.n & (model.n - 1)) == 0)
        fit(&fitting, "butterfly", "", &model, butterfly_has, butterfly_edges);
    fit(&fitting, "master-worker", "master 0", &model, master_has, master_edges);
    fit(&fitting, "all-to-all", "", &model, all_has, all_edges);
}
