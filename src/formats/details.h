/* details.h: the details of an event: its own fields, with names instead of numbers, and its attributes. */
#ifndef QUIPU_FORMATS_DETAILS_H
#define QUIPU_FORMATS_DETAILS_H

#include <quipu/model.h>

struct quipu__detail {
    const char *name;
    struct quipu_value value;
};

/* Number of details that an event may have. */
static inline size_t quipu__detail_count(const struct quipu_event *event) {
    return quipu_kind_at((enum quipu_kind)event->kind)->field_count + event->attribute_count;
}

/* One of them; false when there is nothing to show: unknown numbers, and text that an attribute repeats. The
 * first details are the fields of the kind in order. */
bool quipu__detail_at(const struct quipu_definitions *definitions, const struct quipu_event *event,
                      size_t index, struct quipu__detail *out);

/* The value of a metric event, typed as its metric says. */
struct quipu_value quipu__metric_value(const struct quipu_definitions *definitions,
                                       const struct quipu_event *event);

#endif
