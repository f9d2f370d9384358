/* scaling.c: see scaling.h. */
#include "analysis/scaling.h"

#include "analysis/answers.h"
#include "analysis/cells.h"
#include "core/error.h"
#include "core/text.h"

#include <string.h>

static const struct quipu_table_column columns[] = {
    {"trace", QUIPU_TYPE_TEXT, "", "name of the trace"},
#define EFFICIENCY_COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
#include "analysis/efficiency_columns.def"
#undef EFFICIENCY_COLUMN
    {"speedup", QUIPU_TYPE_F64, "", "run time of the reference of that of the trace"},
    {"computation_scaling", QUIPU_TYPE_F64, "",
     "useful time of the reference of that of the trace; with --weak of a process in the mean"},
    {"global_efficiency", QUIPU_TYPE_F64, "", "parallel_efficiency times computation_scaling"},
    {"instruction_scaling", QUIPU_TYPE_F64, "", "instructions of the reference of those of the trace"},
    {"ipc_scaling", QUIPU_TYPE_F64, "", "instructions per cycle, of those of the reference"},
    {"frequency_scaling", QUIPU_TYPE_F64, "", "cycles per useful time, of those of the reference"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };
enum {
    OWN_COUNT = 0
#define EFFICIENCY_COLUMN(name, type, unit, doc) +1
#include "analysis/efficiency_columns.def"
#undef EFFICIENCY_COLUMN
};

/* What scaling is made from; 0: not known. */
struct measured {
    uint64_t processes, run_time, useful, instructions, cycles;
};

static const struct quipu_table *row_of(const struct quipu_tables *answer) {
    return quipu__answer_table(answer, "efficiency");
}

static uint64_t number(const struct quipu_tables *answer, const char *column) {
    return (uint64_t)quipu__answer_number(row_of(answer), 0, column);
}

static struct measured measured_of(const struct quipu_tables *answer) {
    return (struct measured){number(answer, "processes"), number(answer, "runtime_ns"),
                             number(answer, "useful_sum_ns"), number(answer, "instructions"),
                             number(answer, "cycles")};
}

/* Two numbers of 32 bits with the same ratio, or nearly when they are larger: then it differs in the tenth digit. */
static void shorten(uint64_t *a, uint64_t *b) {
    while ((*a | *b) > UINT32_MAX) {
        *a >>= 1;
        *b >>= 1;
    }
}

/* (a / b) / (c / d), of which a and c, and b and d, are alike. */
static void put_ratio_of_ratios(struct quipu__cells *cells, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    shorten(&a, &c);
    shorten(&d, &b);
    quipu__cells_put_ratio(cells, a * d, b * c, 6);
}

static void put_scaling(struct quipu__cells *cells, const struct measured *one,
                        const struct measured *reference, bool is_weak) {
    const bool has_useful = one->useful > 0;
    const uint64_t processes = is_weak ? reference->processes : one->processes;
    quipu__cells_put_ratio(cells, reference->run_time, one->run_time, 6);
    if (is_weak)
        put_ratio_of_ratios(cells, reference->useful, reference->processes, one->useful, one->processes);
    else
        quipu__cells_put_ratio(cells, reference->useful, one->useful, 6);
    quipu__cells_put_ratio(cells, reference->useful, has_useful ? processes * one->run_time : 0, 6);
    quipu__cells_put_ratio(cells, reference->instructions, one->instructions, 6);
    put_ratio_of_ratios(cells, one->instructions, one->cycles,
                        one->instructions > 0 ? reference->instructions : 0, reference->cycles);
    put_ratio_of_ratios(cells, one->cycles, one->useful, one->cycles > 0 ? reference->cycles : 0,
                        reference->useful);
}

/* Counters that the reference does not have tell nothing. */
static void clear_unknown(struct measured *one, const struct measured *reference) {
    if (one->instructions == 0 || reference->instructions == 0)
        one->instructions = 0;
    if (one->cycles == 0 || reference->cycles == 0)
        one->cycles = 0;
}

static enum quipu_status put_trace(const struct quipu_tables *answer, const char *name,
                                   const struct measured *reference, bool is_weak, struct quipu_table *table,
                                   struct quipu_error *err) {
    struct measured one = measured_of(answer);
    struct quipu__cells cells = quipu__cells_of(NULL);
    clear_unknown(&one, reference);
    quipu__cells_put_text(&cells, name);
    for (size_t i = 0; i < OWN_COUNT; i++)
        cells.items[cells.count++] = *quipu_table_at(row_of(answer), 0, i);
    put_scaling(&cells, &one, reference, is_weak);
    return quipu_table_add(table, cells.items, err);
}

enum quipu_status quipu__scaling_relate(const struct quipu_tables *const *answers, const char *const *names,
                                        size_t count, const struct quipu__settings *settings,
                                        struct quipu_tables *tables, struct quipu_error *err) {
    const char *text = quipu__settings_value(settings, "reference");
    uint64_t reference = 0;
    struct quipu_table *table;
    quipu__parse_u64(text, strlen(text), &reference);
    if (reference < 1 || reference > count)
        return quipu__fail(err, QUIPU_MISUSE,
                           "--reference takes a number from 1 to %zu, that of a trace, not %s", count, text);
    const struct measured measured = measured_of(answers[reference - 1]);
    const bool is_weak = quipu__settings_say_yes(settings, "weak");
    enum quipu_status status = quipu__tables_add(tables, "efficiency", columns, COLUMN_COUNT, &table, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_trace(answers[i], names[i], &measured, is_weak, table, err);
    return status;
}
