/* hull.c: see hull.h. */
#include "analysis/clock/hull.h"

#include "core/bounded.h"
#include "core/scale.h"

#include <stdlib.h>

enum { POINTS_LEAST = 32 };

static int compare_points(const void *a, const void *b) {
    const struct quipu__clock_point *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

/* Whether the middle one of three points is a corner: below the line through the others. */
static bool is_corner(const struct quipu__clock_point *before, const struct quipu__clock_point *point,
                      const struct quipu__clock_point *behind) {
    return quipu__products_compare(quipu__bounded_difference(point->y, before->y), behind->x - point->x,
                                   quipu__bounded_difference(behind->y, point->y), point->x - before->x) < 0;
}

size_t quipu__clock_hull_corners(struct quipu__clock_point *points, size_t count) {
    size_t corners = 0;
    if (count > 1)
        qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        const struct quipu__clock_point point = points[i];
        if (corners > 0 && points[corners - 1].x == point.x)
            continue;
        while (corners > 1 && !is_corner(&points[corners - 2], &points[corners - 1], &point))
            corners--;
        points[corners++] = point;
    }
    return corners;
}

void quipu__clock_hull_add(struct quipu__clock_hull *hull, struct quipu__memory *memory, int64_t x, int64_t y) {
    struct quipu__clock_point *point = QUIPU__VEC_ADD(memory, &hull->points);
    if (!point)
        return;
    *point = (struct quipu__clock_point){x, y};
    if (hull->points.count < 2 * hull->corners + POINTS_LEAST)
        return;
    hull->corners = quipu__clock_hull_corners(hull->points.items, hull->points.count);
    hull->points.count = hull->corners;
}
