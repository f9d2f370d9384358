/* index.c: see index.h. */
#include "trace/index.h"

struct quipu__index {
    uint32_t point_count;
    int64_t *times;
};

uint32_t quipu__index_find(const struct quipu__index *index, int64_t time) {
    uint32_t before = 0;
    while (index && before < index->point_count && index->times[before] <= time)
        before++;
    return before > 0 ? before - 1 : QUIPU_NONE;
}

int64_t quipu__index_time(const struct quipu__index *index, uint32_t point) {
    return index->times[point];
}

bool quipu__index_is_end(const struct quipu__index *index, uint32_t point) {
    return point + 1 == index->point_count;
}

enum quipu_status quipu__index_section(const struct quipu__index *index, const char *name, uint32_t stream,
                                       uint32_t lane, uint32_t point, struct quipu__buffer *room,
                                       struct quipu__slice *out, struct quipu_error *err) {
    (void)index, (void)name, (void)stream, (void)lane, (void)point, (void)room, (void)err;
    *out = quipu__slice_of(NULL, 0);
    return QUIPU_OK;
}
