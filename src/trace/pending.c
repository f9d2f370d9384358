/* pending.c: see pending.h. */
#include "trace/pending.h"

#include "core/pack.h"

void quipu__pending_init(struct quipu__pending *pending, struct quipu__memory *memory) {
    *pending = (struct quipu__pending){.sends = QUIPU__VEC_INIT};
    quipu__pairs_init(&pending->pairs, memory);
}

void quipu__pending_release(struct quipu__pending *pending) {
    QUIPU__VEC_RELEASE(pending->pairs.memory, &pending->sends);
    quipu__pairs_release(&pending->pairs);
}

/* ---- Counting ---- */

/* The sends of a pair; NULL when memory is out. */
static struct quipu__sends *sends_of(struct quipu__pending *pending, const struct quipu__pair *pair) {
    const size_t number = (size_t)(pair - pending->pairs.list.items);
    if (number < pending->sends.count)
        return &pending->sends.items[number];
    if (!QUIPU__VEC_RESERVE(pending->pairs.memory, &pending->sends, number + 1 - pending->sends.count))
        return NULL;
    pending->sends.count = number + 1;
    return &pending->sends.items[number];
}

static bool comes_before(const struct quipu__sent *a, const struct quipu__sent *b) {
    return a->time != b->time ? a->time < b->time : a->bytes < b->bytes;
}

/* Keeps the last of all sends, whatever order they come in. */
static void keep_send(struct quipu__sends *sends, struct quipu__sent sent) {
    if (sends->count == QUIPU__SENDS_KEPT) {
        if (comes_before(&sent, &sends->items[0]))
            return;
        memmove(sends->items, sends->items + 1, (QUIPU__SENDS_KEPT - 1) * sizeof *sends->items);
        sends->count--;
    }
    uint32_t place = sends->count++;
    for (; place > 0 && comes_before(&sent, &sends->items[place - 1]); place--)
        sends->items[place] = sends->items[place - 1];
    sends->items[place] = sent;
}

/* The length of all sends of a class, of which some have one length and some another. */
static uint64_t common_bytes(uint64_t count, uint64_t bytes, uint64_t more) {
    return count == 0 || bytes == more ? more : QUIPU_UNKNOWN;
}

static bool add_send(struct quipu__pending *pending, struct quipu__pair *pair, struct quipu__sent sent) {
    struct quipu__sends *sends = sends_of(pending, pair);
    if (!sends)
        return false;
    sends->bytes = common_bytes(pair->sent, sends->bytes, sent.bytes);
    pair->sent++;
    keep_send(sends, sent);
    return true;
}

/* ---- Classes ---- */

/* Gives up classes of which nothing is on its way. False when memory is out. */
static bool make_room(struct quipu__pending *pending) {
    struct quipu__pair *pairs = pending->pairs.list.items;
    const size_t sends = pending->sends.count;
    size_t kept = 0;
    pending->sends.count = 0;
    for (size_t i = 0; i < pending->pairs.list.count; i++) {
        if (pairs[i].sent == pairs[i].received)
            continue;
        pairs[kept] = pairs[i];
        if (i < sends) {
            pending->sends.items[kept] = pending->sends.items[i];
            pending->sends.count = kept + 1;
        }
        kept++;
    }
    pending->is_stuck = kept > QUIPU__PAIRS_MOST - QUIPU__PAIRS_MOST / 8;
    return quipu__pairs_keep(&pending->pairs, kept);
}

/* The class, with *out NULL when there is no room for it. False when memory is out. */
static bool find_class(struct quipu__pending *pending, const struct quipu__message_key *key,
                       struct quipu__pair **out) {
    *out = quipu__pairs_at(&pending->pairs, key);
    if (*out || pending->is_stuck)
        return true;
    if (pending->pairs.list.count < QUIPU__PAIRS_MOST || !make_room(pending))
        return false;
    *out = quipu__pairs_at(&pending->pairs, key);
    return *out || pending->is_stuck;
}

/* ---- Events ---- */

bool quipu__pending_follow(struct quipu__pending *pending, const struct quipu_definitions *definitions,
                           const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    struct quipu__message_key key;
    struct quipu__pair *pair;
    if (batch->peer[event] == QUIPU_NONE)
        return true;
    if (!quipu__message_key_of(&pending->pairs.communicators, definitions, batch, event, &key) ||
        !find_class(pending, &key, &pair))
        return false;
    if (!pair)
        pending->left_out += is_send ? 1 : UINT64_MAX;
    else if (is_send)
        return add_send(pending, pair, (struct quipu__sent){batch->time[event], batch->bytes[event]});
    else
        pair->received++;
    return true;
}

/* ---- Joining ---- */

static bool join_class(struct quipu__pending *pending, const struct quipu__pair *from,
                       const struct quipu__sends *sends) {
    struct quipu__pair *pair;
    if (!find_class(pending, &from->key, &pair))
        return false;
    if (!pair) {
        pending->left_out += from->sent - from->received;
        return true;
    }
    pair->received += from->received;
    if (from->sent == 0)
        return true;
    struct quipu__sends *to = sends_of(pending, pair);
    if (!to)
        return false;
    to->bytes = common_bytes(pair->sent, to->bytes, sends->bytes);
    pair->sent += from->sent;
    for (uint32_t i = 0; i < sends->count; i++)
        keep_send(to, sends->items[i]);
    return true;
}

bool quipu__pending_join(struct quipu__pending *pending, const struct quipu__pending *other) {
    static const struct quipu__sends none = {.count = 0};
    pending->left_out += other->left_out;
    for (size_t i = 0; i < other->pairs.list.count; i++)
        if (!join_class(pending, &other->pairs.list.items[i],
                        i < other->sends.count ? &other->sends.items[i] : &none))
            return false;
    return true;
}

/* ---- Asking ---- */

bool quipu__pending_settle(struct quipu__pending *pending, const struct quipu_definitions *definitions) {
    return quipu__pairs_settle(&pending->pairs, definitions);
}

static uint64_t add_bytes(const struct quipu__sent *sent, uint64_t count) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (sent[i].bytes == QUIPU_UNKNOWN)
            return QUIPU_UNKNOWN;
        bytes += sent[i].bytes;
    }
    return bytes;
}

struct quipu__on_way quipu__pending_at(const struct quipu__pending *pending, size_t number) {
    const struct quipu__pair *pair = &pending->pairs.list.items[number];
    struct quipu__on_way way = {.bytes = QUIPU_UNKNOWN};
    if (pair->sent <= pair->received || number >= pending->sends.count)
        return way;
    const struct quipu__sends *sends = &pending->sends.items[number];
    way.messages = pair->sent - pair->received;
    way.has_first = way.messages <= sends->count;
    way.last = sends->count > 0 ? sends->items[sends->count - 1].time : 0;
    if (way.has_first) {
        const struct quipu__sent *first = &sends->items[sends->count - way.messages];
        way.first = first->time;
        way.bytes = add_bytes(first, way.messages);
    } else if (sends->bytes == 0 || way.messages < QUIPU_UNKNOWN / sends->bytes) {
        way.bytes = sends->bytes * way.messages;
    }
    return way;
}

/* ---- Keeping ---- */

/* Unknown numbers become 0, the shortest. */
static void pack_number(struct quipu__buffer *out, uint64_t number) {
    quipu__pack_u64(out, number + 1);
}

static void save_sends(const struct quipu__sends *sends, struct quipu__buffer *out) {
    int64_t time = 0;
    uint64_t bytes = QUIPU_UNKNOWN;
    pack_number(out, sends->bytes);
    quipu__pack_u64(out, sends->count);
    for (uint32_t i = 0; i < sends->count; i++) {
        quipu__pack_i64(out, (int64_t)((uint64_t)sends->items[i].time - (uint64_t)time));
        quipu__pack_i64(out, (int64_t)(sends->items[i].bytes - bytes));
        time = sends->items[i].time;
        bytes = sends->items[i].bytes;
    }
}

void quipu__pending_save(const struct quipu__pending *pending, struct quipu__buffer *out) {
    quipu__pack_i64(out, (int64_t)pending->left_out);
    quipu__pack_u64(out, pending->pairs.list.count);
    for (size_t i = 0; i < pending->pairs.list.count; i++) {
        const struct quipu__pair *pair = &pending->pairs.list.items[i];
        quipu__pack_u64(out, pair->key.sender);
        quipu__pack_u64(out, pair->key.receiver);
        quipu__pack_u64(out, (uint32_t)(pair->key.communicator + 1));
        quipu__pack_i64(out, pair->key.tag);
        quipu__pack_u64(out, pair->sent);
        quipu__pack_u64(out, pair->received);
        if (pair->sent > 0)
            save_sends(&pending->sends.items[i], out);
    }
}

static void load_sends(struct quipu__slice *from, struct quipu__sends *sends) {
    uint64_t time = 0, bytes = QUIPU_UNKNOWN;
    sends->bytes = quipu__unpack_u64(from) - 1;
    const uint32_t count = (uint32_t)quipu__unpack_up_to(from, QUIPU__SENDS_KEPT);
    for (uint32_t i = 0; i < count; i++) {
        time += (uint64_t)quipu__unpack_i64(from);
        bytes += (uint64_t)quipu__unpack_i64(from);
        keep_send(sends, (struct quipu__sent){(int64_t)time, bytes});
    }
    from->failed |= count == 0;
}

/* A number of a definition; a larger one sets failed. */
static uint32_t load_number(struct quipu__slice *from, uint32_t count) {
    const uint64_t number = quipu__unpack_up_to(from, QUIPU_NONE);
    from->failed |= number >= count;
    return (uint32_t)number;
}

static uint32_t load_number_or_none(struct quipu__slice *from, uint32_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count) - 1;
}

static bool load_class(struct quipu__pending *pending, const struct quipu_definitions *definitions,
                       struct quipu__slice *from) {
    struct quipu__sends sends = {.count = 0};
    struct quipu__pair pair;
    pair.key.sender = load_number(from, definitions->locations.count);
    pair.key.receiver = load_number(from, definitions->locations.count);
    pair.key.communicator = load_number_or_none(from, definitions->groups.count);
    pair.key.tag = quipu__unpack_i64(from);
    pair.sent = quipu__unpack_u64(from);
    pair.received = quipu__unpack_u64(from);
    if (pair.sent > 0)
        load_sends(from, &sends);
    return from->failed || join_class(pending, &pair, &sends);
}

bool quipu__pending_load(struct quipu__pending *pending, const struct quipu_definitions *definitions,
                         struct quipu__slice *from) {
    pending->left_out = (uint64_t)quipu__unpack_i64(from);
    const uint64_t count = quipu__unpack_up_to(from, QUIPU__PAIRS_MOST);
    for (uint64_t i = 0; i < count && !from->failed; i++)
        if (!load_class(pending, definitions, from))
            return false;
    return true;
}
