/* communication_call.c: see communication_call.h. */
#include "state/communication_call.h"

/* Makes room for when a call will be left. False when memory is out. */
static bool keep_leave(struct quipu__communication_calls *calls, struct quipu__communication_call *call) {
    int64_t *leave = QUIPU__VEC_ADD(calls->memory, &calls->leaves);
    if (!leave)
        return false;
    *leave = INT64_MAX;
    call->serial = (uint32_t)(calls->leaves.count - 1);
    return true;
}

uint32_t quipu__communication_call_add(struct quipu__communication_calls *calls, uint32_t location,
                                       int64_t enter) {
    uint32_t number = calls->unused;
    if (number != QUIPU_NONE)
        calls->unused = calls->list.items[number].path;
    else if (QUIPU__VEC_ADD(calls->memory, &calls->list))
        number = (uint32_t)(calls->list.count - 1);
    else
        return QUIPU_NONE;
    calls->list.items[number] =
        (struct quipu__communication_call){.enter = enter,
                                           .leave = INT64_MAX,
                                           .since = enter,
                                           .location = location,
                                           .references = 1,
                                           .first_share = QUIPU_NONE,
                                           .first_wait = QUIPU_NONE,
                                           .mark = calls->listener->call_used ? QUIPU_NONE : 0};
    if (calls->keeps_leaves && !keep_leave(calls, &calls->list.items[number]))
        return QUIPU_NONE;
    return number;
}

/* Reports a call that has become known, and reuses one that nothing refers to. */
static void look_at(struct quipu__communication_calls *calls, uint32_t number) {
    struct quipu__communication_call *call = &calls->list.items[number];
    if (call->is_left && call->unresolved == 0 && !call->is_known) {
        call->is_known = true;
        if (calls->listener->call_known)
            calls->listener->call_known(calls->listener->context, call);
    }
    if (call->references > 0)
        return;
    if (calls->listener->call_forgotten)
        calls->listener->call_forgotten(calls->listener->context, call);
    call->path = calls->unused;
    calls->unused = number;
}

void quipu__communication_call_drop(struct quipu__communication_calls *calls, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    calls->list.items[number].references--;
    look_at(calls, number);
}

void quipu__communication_call_resolve(struct quipu__communication_calls *calls, uint32_t number) {
    if (number == QUIPU_NONE)
        return;
    calls->list.items[number].unresolved--;
    quipu__communication_call_drop(calls, number);
}

void quipu__communication_call_leave(struct quipu__communication_calls *calls, uint32_t number, int64_t time) {
    if (number == QUIPU_NONE)
        return;
    calls->list.items[number].leave = time;
    calls->list.items[number].is_left = true;
    if (calls->keeps_leaves)
        calls->leaves.items[calls->list.items[number].serial] = time;
    if (calls->listener->call_left)
        calls->listener->call_left(calls->listener->context, &calls->list.items[number]);
    quipu__communication_call_drop(calls, number);
}
