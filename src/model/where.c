/* where.c: the truth of an expression for an event, and what follows from the expression alone: which kinds, locations and times
 * need not be read.
 */
#include "model/where.h"

#include "model/batch.h"

#include <string.h>

static enum quipu__truth truth_of(bool is_true) {
    return is_true ? QUIPU__TRUE : QUIPU__FALSE;
}

/* ---- Sets and ranges ---- */

/* Definitions that a damaged trace adds while it is read are tested one by one. */
static bool is_in_set(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                      enum quipu_refers refers, uint32_t number) {
    const struct quipu__where_set *set = &test->sets[refers];
    if (number >= set->count)
        return number != QUIPU_NONE && quipu__where_accepts(where, test, refers, number);
    return (set->bits[number / 64] >> number % 64 & 1) != 0;
}

static bool is_in_ranges(const struct quipu__where_test *test, bool is_signed, uint64_t key) {
    const struct quipu__where_range *ranges = test->ranges[is_signed];
    bool is_any = test->comparison == QUIPU__WHERE_KNOWN;
    for (uint32_t i = 0; i < test->count && !is_any; i++)
        is_any = ranges[i].first <= key && key < ranges[i].past;
    return is_any != test->is_negated;
}

/* Whether a number that is at least key is in the ranges. */
static enum quipu__truth is_beyond(const struct quipu__where_test *test, uint64_t key) {
    const struct quipu__where_range *ranges = test->ranges[1];
    enum quipu__truth truth = truth_of(test->comparison == QUIPU__WHERE_KNOWN);
    for (uint32_t i = 0; i < test->count && truth != QUIPU__TRUE; i++) {
        if (ranges[i].first >= ranges[i].past || ranges[i].past <= key)
            continue;
        truth = ranges[i].first <= key && ranges[i].past == UINT64_MAX ? QUIPU__TRUE : QUIPU__MAYBE;
    }
    return test->is_negated ? QUIPU__TRUE - truth : truth;
}

/* ---- Fields of kinds ---- */

static uint64_t number_in(const struct quipu_batch *batch, uint32_t event, enum quipu_column column) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        return sizeof(c_type) == sizeof(uint32_t) && (uint32_t)batch->name[event] == QUIPU_NONE                \
                   ? QUIPU_UNKNOWN                                                                             \
                   : (uint64_t)batch->name[event];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    default:
        return QUIPU_UNKNOWN;
    }
}

/* The same for the operation that an event belongs to. */
static uint64_t number_of_operation(const struct quipu__where_operation *operation, enum quipu_column column) {
    switch (column) {
    case QUIPU_COLUMN_object:
        return operation->file == QUIPU_NONE ? QUIPU_UNKNOWN : operation->file;
    case QUIPU_COLUMN_operation:
        return operation->operation == QUIPU_NONE ? QUIPU_UNKNOWN : operation->operation;
    case QUIPU_COLUMN_tag:
        return operation->handle;
    case QUIPU_COLUMN_value:
        return operation->offset;
    case QUIPU_COLUMN_bytes:
        return operation->bytes;
    default:
        return QUIPU_UNKNOWN;
    }
}

/* Whether another event of the same operation may supply a number: the operation of a beginning may be named only at its end. */
static bool leaves_open(const struct quipu_kind_field *field, uint64_t number) {
    return number == QUIPU_UNKNOWN || (field->refers == QUIPU_REFERS_IO_OPERATION && number == QUIPU_IO_OTHER);
}

/* The text of an event, with its NUL; NULL when it has none. */
static const char *text_in(const struct quipu_batch *batch, uint32_t event) {
    uint32_t first = quipu__batch_attributes_of(batch, event);
    for (; first < batch->attribute_count && batch->attributes[first].event == event; first++)
        if (batch->attributes[first].value.key == QUIPU_KEY_TEXT)
            return batch->attributes[first].value.data;
    return NULL;
}

static long double metric_value(const struct quipu_metrics *metrics, uint32_t metric, uint64_t bits) {
    const enum quipu_metric_value type =
        metric < metrics->count ? metrics->items[metric].value : QUIPU_METRIC_U64;
    double real;
    memcpy(&real, &bits, sizeof real);
    if (type == QUIPU_METRIC_F64)
        return (long double)real;
    return type == QUIPU_METRIC_I64 ? (long double)(int64_t)bits : (long double)bits;
}

static enum quipu__truth truth_of_value(const struct quipu__where_clause *where,
                                        const struct quipu__where_test *test, const struct quipu_batch *batch,
                                        uint32_t event, enum quipu_refers refers) {
    const uint32_t object = batch->object[event];
    const struct quipu_channels *channels = &where->definitions->channels;
    long double number = (long double)(int64_t)batch->value[event];
    const char *label = NULL;
    if (refers == QUIPU_REFERS_BITS)
        number = metric_value(&where->definitions->metrics, object, batch->value[event]);
    else if (object < channels->count)
        label = quipu_channel_label(&channels->items[object], (int64_t)batch->value[event]);
    return truth_of(quipu__where_accepts_value(where, test, label, &number));
}

static enum quipu__truth truth_of_column(const struct quipu__where_clause *where,
                                         const struct quipu__where_test *test,
                                         const struct quipu__where_event *event) {
    if (event->kind >= QUIPU_KIND_COUNT)
        return QUIPU__MAYBE;
    const struct quipu_kind_field *field = test->fields[event->kind];
    if (!field)
        return QUIPU__FALSE;
    if (!event->batch)
        return QUIPU__MAYBE;
    if (test->type == QUIPU__WHERE_VALUES)
        return truth_of_value(where, test, event->batch, event->event, field->refers);
    if (test->type == QUIPU__WHERE_TEXTS) {
        const char *text = text_in(event->batch, event->event);
        return truth_of(text && quipu__where_accepts_value(where, test, text, NULL));
    }
    uint64_t number = number_in(event->batch, event->event, field->column);
    if (event->operation && leaves_open(field, number)) {
        const uint64_t known = number_of_operation(event->operation, field->column);
        if (leaves_open(field, known) && event->operation->is_active)
            return QUIPU__MAYBE;
        number = known == QUIPU_UNKNOWN ? number : known;
    }
    if (field->refers == QUIPU_REFERS_SIGNED)
        return truth_of(is_in_ranges(test, true, quipu__where_signed_key((int64_t)number)));
    if (number == QUIPU_UNKNOWN)
        return QUIPU__FALSE;
    if (field->refers == QUIPU_REFERS_NOTHING)
        return truth_of(is_in_ranges(test, false, number));
    const uint32_t definition = number < QUIPU_NONE ? (uint32_t)number : QUIPU_NONE;
    return truth_of(is_in_set(where, test, field->refers, definition));
}

/* ---- Tests ---- */

/* Kinds whose object is a region. */
static const bool has_region[QUIPU_KIND_COUNT] = {
    [QUIPU_KIND_enter] = true,          [QUIPU_KIND_leave] = true,   [QUIPU_KIND_collective_begin] = true,
    [QUIPU_KIND_collective_end] = true, [QUIPU_KIND_summary] = true, [QUIPU_KIND_snapshot] = true,
};

static enum quipu__truth truth_of_region(const struct quipu__where_clause *where,
                                         const struct quipu__where_test *test,
                                         const struct quipu__where_event *event) {
    if (!event->batch)
        return QUIPU__MAYBE;
    uint32_t region = has_region[event->kind] ? event->batch->object[event->event] : QUIPU_NONE;
    if (region == QUIPU_NONE && event->is_in_call)
        region = event->region;
    return truth_of(region != QUIPU_NONE && is_in_set(where, test, QUIPU_REFERS_REGION, region));
}

static enum quipu__truth truth_of_duration(const struct quipu__where_test *test,
                                           const struct quipu__where_event *event) {
    if (!event->batch)
        return QUIPU__MAYBE;
    if (event->kind == QUIPU_KIND_gap)
        return truth_of(
            is_in_ranges(test, true, quipu__where_signed_key((int64_t)event->batch->value[event->event])));
    if (!event->is_in_call)
        return QUIPU__FALSE;
    const uint64_t key = quipu__where_signed_key(event->duration);
    return event->lasts ? is_beyond(test, key) : truth_of(is_in_ranges(test, true, key));
}

static enum quipu__truth truth_of_test(const struct quipu__where_clause *where,
                                       const struct quipu__where_test *test,
                                       const struct quipu__where_event *event) {
    switch (test->subject) {
    case QUIPU__WHERE_KIND:
        return event->kind >= QUIPU_KIND_COUNT ? QUIPU__MAYBE : truth_of((test->kinds >> event->kind & 1) != 0);
    case QUIPU__WHERE_LOCATION:
        return event->location == QUIPU_NONE
                   ? QUIPU__MAYBE
                   : truth_of(is_in_set(where, test, QUIPU_REFERS_LOCATION, event->location));
    case QUIPU__WHERE_TIME:
        return event->batch ? truth_of(is_in_ranges(test, true,
                                                    quipu__where_signed_key(event->batch->time[event->event])))
                            : QUIPU__MAYBE;
    case QUIPU__WHERE_REGION:
        return truth_of_region(where, test, event);
    case QUIPU__WHERE_DURATION:
        return truth_of_duration(test, event);
    default:
        return truth_of_column(where, test, event);
    }
}

static enum quipu__truth truth_of_node(const struct quipu__where_clause *where, uint32_t number,
                                       const struct quipu__where_event *event) {
    const struct quipu__where_node *node = &where->nodes.items[number];
    if (node->junction == QUIPU__WHERE_TEST)
        return truth_of_test(where, &where->tests.items[node->left], event);
    const enum quipu__truth left = truth_of_node(where, node->left, event);
    if (node->junction == QUIPU__WHERE_NOT)
        return QUIPU__TRUE - left;
    if (left == (node->junction == QUIPU__WHERE_AND ? QUIPU__FALSE : QUIPU__TRUE))
        return left;
    const enum quipu__truth right = truth_of_node(where, node->right, event);
    const bool is_left = node->junction == QUIPU__WHERE_AND ? left < right : left > right;
    return is_left ? left : right;
}

enum quipu__truth quipu__where_truth(const struct quipu__where_clause *where,
                                     const struct quipu__where_event *event) {
    return truth_of_node(where, where->root, event);
}

/* ---- What need not be read ---- */

quipu_kinds quipu__where_kinds(const struct quipu__where_clause *where) {
    quipu_kinds kinds = 0;
    for (uint32_t i = 0; i < QUIPU_KIND_COUNT; i++)
        if (quipu__where_truth(where, &(struct quipu__where_event){.kind = i, .location = QUIPU_NONE}) !=
            QUIPU__FALSE)
            kinds |= QUIPU_KIND_BIT(i);
    return kinds;
}

bool quipu__where_location(const struct quipu__where_clause *where, uint32_t location) {
    const struct quipu__where_event event = {.kind = QUIPU_KIND_COUNT, .location = location};
    return quipu__where_truth(where, &event) != QUIPU__FALSE;
}

static const struct quipu__where_range all_times = {0, UINT64_MAX};

/* The complement of a range; everything if that is not a range. */
static struct quipu__where_range outside(struct quipu__where_range range) {
    if (range.first == 0)
        return (struct quipu__where_range){range.past, UINT64_MAX};
    return range.past == UINT64_MAX ? (struct quipu__where_range){0, range.first} : all_times;
}

static struct quipu__where_range join(struct quipu__where_range a, struct quipu__where_range b) {
    if (a.first >= a.past)
        return b;
    if (b.first >= b.past)
        return a;
    return (struct quipu__where_range){a.first < b.first ? a.first : b.first,
                                       a.past > b.past ? a.past : b.past};
}

static struct quipu__where_range intersect(struct quipu__where_range a, struct quipu__where_range b) {
    return (struct quipu__where_range){a.first > b.first ? a.first : b.first,
                                       a.past < b.past ? a.past : b.past};
}

static struct quipu__where_range window_of_test(const struct quipu__where_test *test, bool is_negated) {
    struct quipu__where_range window = {0, 0};
    if (test->subject != QUIPU__WHERE_TIME || test->comparison == QUIPU__WHERE_KNOWN)
        return all_times;
    for (uint32_t i = 0; i < test->count; i++)
        window = join(window, test->ranges[1][i]);
    if (test->is_negated == is_negated)
        return window;
    return test->count == 1 && window.first < window.past ? outside(window) : all_times;
}

static struct quipu__where_range window_of(const struct quipu__where_clause *where, uint32_t number,
                                           bool is_negated) {
    const struct quipu__where_node *node = &where->nodes.items[number];
    if (node->junction == QUIPU__WHERE_TEST)
        return window_of_test(&where->tests.items[node->left], is_negated);
    const struct quipu__where_range left =
        window_of(where, node->left, is_negated != (node->junction == QUIPU__WHERE_NOT));
    if (node->junction == QUIPU__WHERE_NOT)
        return left;
    const struct quipu__where_range right = window_of(where, node->right, is_negated);
    return (node->junction == QUIPU__WHERE_AND) != is_negated ? intersect(left, right) : join(left, right);
}

static int64_t time_of(uint64_t key) {
    return (int64_t)(key ^ (uint64_t)1 << 63);
}

void quipu__where_window(const struct quipu__where_clause *where, int64_t *from, int64_t *to) {
    const struct quipu__where_range window = window_of(where, where->root, false);
    *from = time_of(window.first);
    *to = window.past == UINT64_MAX ? INT64_MAX : time_of(window.past);
    if (window.first >= window.past)
        *from = *to = 0;
}
