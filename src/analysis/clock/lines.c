/* lines.c: see lines.h.
 *
 * The least distance of a line of slope a from both hulls is half of the lowest y - a x above less the highest below. That is concave over a, and
 * grows with a as long as the point that limits it below has the larger x. So the corners of both hulls are passed in the order of the slopes of
 * their edges until it grows no more. */
#include "analysis/clock/lines.h"

#include "core/bounded.h"
#include "core/scale.h"

/* Two hulls, each with the corner where the other one is closest at the present slope. */
struct fitting {
    struct quipu__clock_point *above, *below; /* by x */
    size_t above_count, below_count;
    size_t high, low; /* the corners */
};

/* dy / dx, dx above 0. */
struct slope {
    int64_t dy, dx;
};

/* ---- Hulls of two locations ---- */

/* What a message says about the parent's clock over its time. */
static struct quipu__clock_point at_most(struct quipu__clock_point message, int64_t least) {
    return (struct quipu__clock_point){quipu__bounded_sum(quipu__bounded_sum(message.x, message.y), least),
                                       message.y};
}

static struct quipu__clock_point *copy_above(struct quipu__memory *memory, const struct quipu__clock_hull *hull,
                                             int64_t least, size_t *count) {
    struct quipu__clock_point *points = quipu__alloc(memory, hull->points.count * sizeof *points);
    for (size_t i = 0; points && i < hull->points.count; i++)
        points[i] = at_most(hull->points.items[i], least);
    *count = points ? quipu__clock_hull_corners(points, hull->points.count) : 0;
    return points;
}

/* The upper hull of the points whose y is the negative of these is the mirror image of their lower hull. */
static struct quipu__clock_point *copy_below(struct quipu__memory *memory, const struct quipu__clock_hull *hull,
                                             size_t *count) {
    struct quipu__clock_point *points = quipu__alloc(memory, hull->points.count * sizeof *points);
    for (size_t i = 0; points && i < hull->points.count; i++)
        points[i] = hull->points.items[i];
    *count = points ? quipu__clock_hull_corners(points, hull->points.count) : 0;
    for (size_t i = 0; i < *count; i++)
        points[i].y = quipu__bounded_difference(0, points[i].y);
    return points;
}

/* ---- The slope ---- */

static struct slope slope_between(const struct quipu__clock_point *a, const struct quipu__clock_point *b) {
    return (struct slope){quipu__bounded_difference(b->y, a->y), b->x - a->x};
}

static int compare_slopes(struct slope a, struct slope b) {
    return quipu__products_compare(a.dy, b.dx, b.dy, a.dx);
}

/* The next slope at which one of the corners changes, and goes on to it if asked; false when there is none. */
static bool next_slope(struct fitting *fitting, bool goes_on, struct slope *out) {
    const bool has_high = fitting->high + 1 < fitting->above_count, has_low = fitting->low > 0;
    struct slope high = {0, 1}, low = {0, 1};
    if (has_high)
        high = slope_between(&fitting->above[fitting->high], &fitting->above[fitting->high + 1]);
    if (has_low)
        low = slope_between(&fitting->below[fitting->low - 1], &fitting->below[fitting->low]);
    const bool is_high = has_high && (!has_low || compare_slopes(high, low) <= 0);
    *out = is_high ? high : low;
    if (goes_on && is_high)
        fitting->high++;
    else if (goes_on && has_low)
        fitting->low--;
    return has_high || has_low;
}

/* How much farther apart the hulls are at a larger slope. */
static int64_t gain(const struct fitting *fitting) {
    return fitting->below[fitting->low].x - fitting->above[fitting->high].x;
}

/* The slope of the line that is farthest from both, the smallest of equals; false when nothing limits it. */
static bool best_slope(struct fitting *fitting, struct slope *out) {
    const struct slope level = {0, 1};
    struct slope next;
    bool has_first = false, has_last;
    while (gain(fitting) > 0) {
        if (!next_slope(fitting, true, out))
            return false;
        has_first = true;
    }
    if (gain(fitting) < 0)
        return has_first;
    has_last = next_slope(fitting, false, &next);
    if (has_first && compare_slopes(*out, level) >= 0)
        return true;
    *out = has_last && compare_slopes(next, level) < 0 ? next : level;
    return true;
}

/* Goes back to the corners that limit a line of this slope. */
static void find_corners(struct fitting *fitting, struct slope slope) {
    struct slope next;
    fitting->high = 0;
    fitting->low = fitting->below_count - 1;
    for (struct fitting later = *fitting; next_slope(&later, true, &next) && compare_slopes(next, slope) <= 0;)
        *fitting = later;
}

/* ---- Lines ---- */

/* Whether the hulls do not meet along a line of this slope. */
static bool leaves_room(const struct fitting *fitting, struct slope slope) {
    const struct slope across = slope_between(&fitting->below[fitting->low], &fitting->above[fitting->high]);
    return quipu__products_compare(across.dy, slope.dx, slope.dy, across.dx) >= 0;
}

/* Half of the sum of two times, which need not fit. */
static void set_middle(struct quipu__clock_line *line, int64_t a, int64_t b) {
    const int64_t halves = a / 2 - (a % 2 < 0) + (b / 2 - (b % 2 < 0));
    const int rests = (a % 2 != 0) + (b % 2 != 0);
    line->x = halves + rests / 2;
    line->has_half = rests == 1;
}

/* The line in the middle; false when there is none that clocks could follow. */
static bool fit(struct fitting *fitting, struct quipu__clock_line *line) {
    struct slope slope;
    if (fitting->above_count == 0 || fitting->below_count == 0)
        return false;
    fitting->high = 0;
    fitting->low = fitting->below_count - 1;
    if (!best_slope(fitting, &slope) || slope.dy >= slope.dx || slope.dy <= -slope.dx)
        return false;
    find_corners(fitting, slope);
    if (!leaves_room(fitting, slope))
        return false;
    set_middle(line, fitting->above[fitting->high].x, fitting->below[fitting->low].x);
    line->y = quipu__bounded_sum(fitting->above[fitting->high].y, fitting->below[fitting->low].y);
    line->scale = (uint64_t)slope.dx;
    line->divisor = (uint64_t)slope.dx - (uint64_t)slope.dy;
    return true;
}

static bool find_line(struct quipu__clock_lines *lines, const struct quipu__clock_pairs *pairs,
                      uint32_t location, uint32_t parent, int64_t least, struct quipu__clock_line *line) {
    const struct quipu__clock_pair *there = quipu__clock_pair_find(pairs, parent, location),
                                   *back = quipu__clock_pair_find(pairs, location, parent);
    struct fitting fitting = {.above = NULL};
    if (!there || !back)
        return false;
    fitting.above = copy_above(lines->memory, &back->hull, least, &fitting.above_count);
    fitting.below = copy_below(lines->memory, &there->hull, &fitting.below_count);
    const bool is_line = fit(&fitting, line);
    quipu__release(lines->memory, fitting.above, back->hull.points.count * sizeof *fitting.above);
    quipu__release(lines->memory, fitting.below, there->hull.points.count * sizeof *fitting.below);
    return is_line;
}

void quipu__clock_lines_find(struct quipu__clock_lines *lines, const struct quipu__clock_pairs *pairs,
                             const struct quipu__clock_offset *offsets, size_t count, int64_t least) {
    if (!QUIPU__VEC_RESERVE(lines->memory, &lines->list, count))
        return;
    lines->list.count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__clock_offset *offset = &offsets[i];
        struct quipu__clock_line *line = &lines->list.items[i];
        *line = (struct quipu__clock_line){.y = offset->own_doubled, .scale = 1, .divisor = 1};
        const bool has_parent = offset->is_known && !quipu__clock_syncs_find(&lines->syncs, i);
        line->parent = has_parent ? offset->parent : QUIPU_NONE;
        if (line->parent == QUIPU_NONE)
            continue;
        line->is_line = find_line(lines, pairs, i, line->parent, least, line);
        lines->constants += !line->is_line;
    }
}

/* ---- Times ---- */

int64_t quipu__clock_line_time(const struct quipu__clock_line *line, int64_t time) {
    if (line->scale == line->divisor)
        return quipu__bounded_sum(time, line->y / 2 - (line->y % 2 < 0));
    const int64_t doubled = quipu__bounded_product(2, quipu__bounded_difference(time, line->x));
    const int64_t from_x = quipu__bounded_sum(quipu__bounded_difference(doubled, line->has_half), line->y);
    const int64_t moved = quipu__scale_signed(from_x, line->scale, line->divisor) + line->has_half;
    return quipu__bounded_sum(line->x, moved / 2 - (moved % 2 < 0));
}

/* The location whose clock a location's one is compared with; QUIPU_NONE: its time is the one to be found. */
static uint32_t parent_of(const struct quipu__clock_lines *lines, uint32_t location) {
    return location < lines->list.count ? lines->list.items[location].parent : QUIPU_NONE;
}

int64_t quipu__clock_lines_time(const struct quipu__clock_lines *lines, uint32_t location, int64_t time) {
    while (parent_of(lines, location) != QUIPU_NONE) {
        time = quipu__clock_line_time(&lines->list.items[location], time);
        location = parent_of(lines, location);
    }
    return quipu__clock_syncs_time(&lines->syncs, location, time);
}
