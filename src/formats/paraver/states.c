/* states.c: see states.h. */
#include "formats/paraver/states.h"

static void put_state(struct quipu__prv *prv, const struct quipu__paraver_row *row, int64_t begin, int64_t end,
                      uint8_t state) {
    if (begin < end)
        quipu__prv_put_state(prv, &row->object, begin, end, state);
}

void quipu__paraver_enter_state(struct quipu__prv *prv, struct quipu__paraver_row *row, int64_t time,
                                enum quipu__paraver_state state) {
    if (row->state == (uint8_t)state)
        return;
    put_state(prv, row, row->since, time, row->state);
    row->since = time > row->since ? time : row->since;
    row->state = (uint8_t)state;
}

void quipu__paraver_end_states(struct quipu__prv *prv, const struct quipu__paraver_tasks *tasks,
                               int64_t duration) {
    for (size_t i = 0; i < tasks->rows.count; i++) {
        const struct quipu__paraver_row *row = &tasks->rows.items[i];
        const int64_t last = row->last > row->since ? row->last : row->since;
        const int64_t end = row->state == QUIPU__PARAVER_STATE_RUNNING ? last : duration;
        put_state(prv, row, row->since, end, row->state);
        put_state(prv, row, end, duration, QUIPU__PARAVER_STATE_NOT_CREATED);
    }
}
