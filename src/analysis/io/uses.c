/* uses.c: requests added up by file and location: counts, sizes, order, strides, what was touched. */
#include "analysis/io/io.h"

#include <string.h>

/* ---- Uses and file uses ---- */

static uint32_t application_of(const struct quipu__io *io, uint32_t location) {
    return location < io->operations.location_count ? io->operations.locations[location].application
                                                    : QUIPU_NONE;
}

static uint32_t file_use_of(struct quipu__io *io, uint32_t application, uint32_t file) {
    const uint64_t key = quipu__io_key(application, file);
    const uint32_t known = quipu__map_get(&io->file_use_numbers, key);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t number = (uint32_t)io->file_uses.count;
    struct quipu__io_file_use *file_use = QUIPU__VEC_ADD(&io->memory, &io->file_uses);
    if (!file_use || !quipu__map_put(&io->file_use_numbers, key, number))
        return QUIPU_NONE;
    file_use->application = application;
    file_use->file = file;
    file_use->size = QUIPU_UNKNOWN;
    return number;
}

static uint32_t add_use(struct quipu__io *io, uint32_t location, uint32_t file) {
    const uint32_t number = (uint32_t)io->uses.count;
    const uint32_t file_use = file_use_of(io, application_of(io, location), file);
    struct quipu__io_use *use = file_use == QUIPU_NONE ? NULL : QUIPU__VEC_ADD(&io->memory, &io->uses);
    if (!use || !quipu__map_put(&io->use_numbers, quipu__io_key(location, file), number))
        return QUIPU_NONE;
    use->location = location;
    use->file = file;
    use->file_use = file_use;
    use->least = UINT64_MAX;
    use->stream = QUIPU_NONE;
    return number;
}

struct quipu__io_use *quipu__io_use_find(struct quipu__io *io, uint32_t location, uint32_t file) {
    uint32_t number = quipu__map_get(&io->use_numbers, quipu__io_key(location, file));
    if (number == QUIPU_NONE)
        number = add_use(io, location, file);
    if (number == QUIPU_NONE)
        return NULL;
    io->recent_uses[quipu__io_recent(location, file)] = number + 1;
    return &io->uses.items[number];
}

/* ---- Sizes ---- */

static unsigned bin_of(uint64_t bytes) {
    static const uint64_t most[QUIPU__IO_BINS - 1] = {
        100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
        4 << 20, 10 << 20, 100 << 20, 1 << 30}; /* a size of exactly that is in the bin below */
    unsigned bin = 0;
    while (bin < QUIPU__IO_BINS - 1 && bytes > most[bin])
        bin++;
    return bin;
}

static void add_size(struct quipu__io *io, struct quipu__io_use *use, const struct quipu__io_request *request) {
    const unsigned bin = bin_of(request->bytes);
    io->bin_requests[bin][request->direction]++;
    io->bin_bytes[bin][request->direction] += request->bytes;
    use->sized++;
    use->bytes[request->direction] += request->bytes;
    use->least = request->bytes < use->least ? request->bytes : use->least;
    use->most = request->bytes > use->most ? request->bytes : use->most;
}

/* ---- Strides ---- */

/* A segment has at least three requests, else their strides are no pattern. */
enum { SEGMENT_LEAST = 3 };

static bool is_segment(const struct quipu__io_segment *current) {
    return current->requests >= SEGMENT_LEAST && current->stride != current->size;
}

static bool is_alike(const struct quipu__io_segment *left, const struct quipu__io_segment *right) {
    return left->requests == right->requests && left->size == right->size && left->stride == right->stride;
}

/* Of segments of one length one is chosen whatever their order. */
static bool is_longer(const struct quipu__io_segment *left, const struct quipu__io_segment *right) {
    if (left->requests != right->requests)
        return left->requests > right->requests;
    return left->size != right->size ? left->size > right->size : left->stride > right->stride;
}

/* Segments that are alike, one right behind the other, whose starts are equally spaced, are nested. */
static void nest(struct quipu__io_strides *strides, uint64_t end) {
    const struct quipu__io_segment *current = &strides->current, *latest = &strides->latest;
    const int64_t spacing = (int64_t)((uint64_t)current->start - (uint64_t)latest->start);
    const bool follows = strides->alike > 0 && strides->latest_end == end - current->requests &&
                         is_alike(current, latest) && (strides->alike == 1 || strides->spacing == spacing);
    strides->alike = follows ? strides->alike + 1 : 1;
    strides->nested += strides->alike == 2;
    strides->spacing = spacing;
    strides->latest = *current;
    strides->latest_end = end;
}

/* The current has ended in front of the request with that number. */
static bool end_current(struct quipu__io_strides *strides, uint64_t end) {
    const struct quipu__io_segment *current = &strides->current;
    if (!is_segment(current))
        return false;
    strides->segments++;
    strides->inside += current->requests;
    if (is_longer(current, &strides->longest))
        strides->longest = *current;
    nest(strides, end);
    return true;
}

/* The next request of a use, with number placed and distance to the one before. */
static void add_stride(struct quipu__io_use *use, int64_t offset, int64_t size) {
    struct quipu__io_strides *strides = &use->strides;
    struct quipu__io_segment *current = &strides->current;
    const int64_t stride = (int64_t)((uint64_t)offset - (uint64_t)use->previous_offset);
    const bool has_size = current->requests > 0 && current->size == size;
    if (has_size && (current->requests == 1 || current->stride == stride)) {
        current->stride = stride;
        current->requests++;
        return;
    }
    const bool was_segment = end_current(strides, use->placed);
    *current = (struct quipu__io_segment){size, stride, offset, 1};
    if (has_size && !was_segment) { /* the request before begins this current too */
        current->start = use->previous_offset;
        current->requests = 2;
    }
}

void quipu__io_strides_end(struct quipu__io_use *use) {
    (void)end_current(&use->strides, use->placed);
    use->strides.current.requests = 0;
}

/* ---- Offsets ---- */

static void add_pair(struct quipu__io_use *use, int64_t offset) {
    const bool is_sequential = offset > use->previous_offset;
    use->successions++;
    use->sequential += is_sequential;
    use->consecutive += is_sequential && offset == use->previous_end;
}

/* The end of what a request touches; offsets do not go beyond the largest one. */
static int64_t end_of(int64_t offset, int64_t size) {
    return offset > INT64_MAX - size ? INT64_MAX : offset + size;
}

static bool add_offset(struct quipu__io *io, struct quipu__io_use *use,
                       const struct quipu__io_request *request) {
    const int64_t offset = (int64_t)request->offset;
    const int64_t size = request->bytes <= INT64_MAX ? (int64_t)request->bytes : 0;
    const struct quipu__extent touched = {offset, end_of(offset, size), use->location};
    if (use->has_previous)
        add_pair(use, offset);
    add_stride(use, offset, size);
    use->placed++;
    use->has_previous = true;
    use->previous_offset = offset;
    use->previous_end = touched.to;
    return use->file == QUIPU_NONE ||
           quipu__extents_touch(&io->file_uses.items[use->file_use].extents, &io->memory, &touched, &use->hint);
}

/* A location goes on in another stream, which need not be the later one. */
static void begin_stream(struct quipu__io_use *use, uint32_t stream) {
    quipu__io_strides_end(use);
    use->has_previous = false;
    use->stream = stream;
}

struct quipu__io_use *quipu__io_add_request(struct quipu__io *io, const struct quipu__io_request *request) {
    struct quipu__io_use *use = quipu__io_use_of(io, request->location, request->file);
    if (!use)
        return NULL;
    if (use->stream != request->stream)
        begin_stream(use, request->stream);
    struct quipu__io_interval *interval = quipu__io_timeline_at(&io->timeline, request->begin);
    interval->requests[request->direction]++;
    use->requests[request->direction]++;
    io->file_uses.items[use->file_use].has_requests[request->direction] = true;
    if (request->bytes == QUIPU_UNKNOWN)
        return use;
    interval->bytes[request->direction] += request->bytes;
    add_size(io, use, request);
    return request->offset == QUIPU_UNKNOWN || add_offset(io, use, request) ? use : NULL;
}

/* ---- Joining ---- */

static void join_strides(struct quipu__io_strides *strides, const struct quipu__io_strides *other) {
    strides->segments += other->segments;
    strides->nested += other->nested;
    strides->inside += other->inside;
    if (is_longer(&other->longest, &strides->longest))
        strides->longest = other->longest;
}

void quipu__io_join_use(struct quipu__io_use *use, const struct quipu__io_use *other) {
    for (unsigned d = 0; d < QUIPU__IO_DIRECTIONS; d++) {
        use->requests[d] += other->requests[d];
        use->bytes[d] += other->bytes[d];
        use->ns[d] += other->ns[d];
    }
    use->opens += other->opens;
    use->metadata_ns += other->metadata_ns;
    use->sized += other->sized;
    use->least = other->least < use->least ? other->least : use->least;
    use->most = other->most > use->most ? other->most : use->most;
    use->placed += other->placed;
    use->successions += other->successions;
    use->sequential += other->sequential;
    use->consecutive += other->consecutive;
    join_strides(&use->strides, &other->strides);
}
