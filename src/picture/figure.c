/* figure.c: the lists of figures.def, and drawing by shape. */
#include "picture/svg.h"

static const struct quipu__page_form pages[] = {
#define QUIPU_PAGE(name, title, doc) {#name, title, doc},
#define QUIPU_FIGURE(...)
#include "picture/figures.def"
#undef QUIPU_PAGE
#undef QUIPU_FIGURE
};

static const struct quipu__figure_form figures[] = {
#define QUIPU_PAGE(...)
#define QUIPU_FIGURE(page, name, title, doc, analysis, settings, table, shape, key, other, values, condition)  \
    {#page, #name, title, doc, analysis, settings, table, QUIPU__SHAPE_##shape, key, other, values, condition},
#include "picture/figures.def"
#undef QUIPU_PAGE
#undef QUIPU_FIGURE
};

const struct quipu__page_form *quipu__page_forms(size_t *count) {
    *count = sizeof pages / sizeof *pages;
    return pages;
}

const struct quipu__figure_form *quipu__figure_forms(size_t *count) {
    *count = sizeof figures / sizeof *figures;
    return figures;
}

bool quipu__figure_draw(const struct quipu__drawing *drawing) {
    static bool (*const shapes[])(const struct quipu__drawing *drawing) = {
        [QUIPU__SHAPE_BARS] = quipu__draw_bars,         [QUIPU__SHAPE_LIST_OF_BARS] = quipu__draw_bars,
        [QUIPU__SHAPE_AREAS] = quipu__draw_areas,       [QUIPU__SHAPE_LINES] = quipu__draw_lines,
        [QUIPU__SHAPE_BANDS] = quipu__draw_bands,       [QUIPU__SHAPE_HEAT] = quipu__draw_heat,
        [QUIPU__SHAPE_MATRIX] = quipu__draw_matrix,     [QUIPU__SHAPE_HISTOGRAM] = quipu__draw_histogram,
        [QUIPU__SHAPE_RIBBON] = quipu__draw_ribbon,     [QUIPU__SHAPE_METERS] = quipu__draw_meters,
        [QUIPU__SHAPE_FINDINGS] = quipu__draw_findings, [QUIPU__SHAPE_TABLE] = NULL,
    };
    return shapes[drawing->form->shape] && shapes[drawing->form->shape](drawing);
}
