/* matcher.c: see matcher.h. */
#include "state/matcher.h"

#include "core/memory/pack.h"

void quipu__matcher_init(struct quipu__matcher *matcher, struct quipu__memory *memory) {
    *matcher = (struct quipu__matcher){.sends = QUIPU__VEC_INIT};
    quipu__message_table_init(&matcher->table, memory);
}

void quipu__matcher_release(struct quipu__matcher *matcher) {
    QUIPU__VEC_RELEASE(matcher->table.memory, &matcher->sends);
    quipu__message_table_release(&matcher->table);
}

/* ---- Counting ---- */

/* The sends of a counts; NULL when memory is out. */
static struct quipu__sends *sends_of(struct quipu__matcher *matcher,
                                     const struct quipu__message_count *counts) {
    const size_t number = (size_t)(counts - matcher->table.list.items);
    if (number < matcher->sends.count)
        return &matcher->sends.items[number];
    if (!QUIPU__VEC_RESERVE(matcher->table.memory, &matcher->sends, number + 1 - matcher->sends.count))
        return NULL;
    matcher->sends.count = number + 1;
    return &matcher->sends.items[number];
}

static bool comes_before(const struct quipu__sent *a, const struct quipu__sent *b) {
    return a->time != b->time ? a->time < b->time : a->bytes < b->bytes;
}

/* Retains the last of all sends, whatever order they come in. */
static void keep_send(struct quipu__sends *sends, struct quipu__sent sent) {
    if (sends->count == QUIPU__SENDS_REMEMBERED) {
        if (comes_before(&sent, &sends->items[0]))
            return;
        memmove(sends->items, sends->items + 1, (QUIPU__SENDS_REMEMBERED - 1) * sizeof *sends->items);
        sends->count--;
    }
    uint32_t index = sends->count++;
    for (; index > 0 && comes_before(&sent, &sends->items[index - 1]); index--)
        sends->items[index] = sends->items[index - 1];
    sends->items[index] = sent;
}

/* The length of all sends of a class, of which some have one length and some another. */
static uint64_t common_bytes(uint64_t count, uint64_t bytes, uint64_t more) {
    return count == 0 || bytes == more ? more : QUIPU_UNKNOWN;
}

static bool add_send(struct quipu__matcher *matcher, struct quipu__message_count *counts,
                     struct quipu__sent sent) {
    struct quipu__sends *sends = sends_of(matcher, counts);
    if (!sends)
        return false;
    sends->bytes = common_bytes(counts->sent, sends->bytes, sent.bytes);
    counts->sent++;
    keep_send(sends, sent);
    return true;
}

/* ---- Classes ---- */

/* Gives up classes of which nothing is in flight. False when memory is out. */
static bool make_room(struct quipu__matcher *matcher) {
    struct quipu__message_count *table = matcher->table.list.items;
    const size_t sends = matcher->sends.count;
    size_t retained = 0;
    matcher->sends.count = 0;
    for (size_t i = 0; i < matcher->table.list.count; i++) {
        if (table[i].sent == table[i].received)
            continue;
        table[retained] = table[i];
        if (i < sends) {
            matcher->sends.items[retained] = matcher->sends.items[i];
            matcher->sends.count = retained + 1;
        }
        retained++;
    }
    matcher->is_stuck = retained > QUIPU__MESSAGE_KEYS_MOST - QUIPU__MESSAGE_KEYS_MOST / 8;
    return quipu__message_table_keep(&matcher->table, retained);
}

/* The class, with *out NULL when there is no room for it. False when memory is out. */
static bool find_class(struct quipu__matcher *matcher, const struct quipu__message_key *key,
                       struct quipu__message_count **out) {
    *out = quipu__message_table_add(&matcher->table, key);
    if (*out || matcher->is_stuck)
        return true;
    if (matcher->table.list.count < QUIPU__MESSAGE_KEYS_MOST || !make_room(matcher))
        return false;
    *out = quipu__message_table_add(&matcher->table, key);
    return *out || matcher->is_stuck;
}

/* ---- Events ---- */

bool quipu__matcher_add_event(struct quipu__matcher *matcher, const struct quipu_definitions *definitions,
                              const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    struct quipu__message_key key;
    struct quipu__message_count *counts;
    if (batch->peer[event] == QUIPU_NONE)
        return true;
    if (!quipu__message_key_of(&matcher->table.communicators, definitions, batch, event, &key) ||
        !find_class(matcher, &key, &counts))
        return false;
    if (!counts)
        matcher->left_out += is_send ? 1 : UINT64_MAX;
    else if (is_send)
        return add_send(matcher, counts, (struct quipu__sent){batch->time[event], batch->bytes[event]});
    else
        counts->received++;
    return true;
}

/* ---- Joining ---- */

static bool join_class(struct quipu__matcher *matcher, const struct quipu__message_count *from,
                       const struct quipu__sends *sends) {
    struct quipu__message_count *counts;
    if (!find_class(matcher, &from->key, &counts))
        return false;
    if (!counts) {
        matcher->left_out += from->sent - from->received;
        return true;
    }
    counts->received += from->received;
    if (from->sent == 0)
        return true;
    struct quipu__sends *to = sends_of(matcher, counts);
    if (!to)
        return false;
    to->bytes = common_bytes(counts->sent, to->bytes, sends->bytes);
    counts->sent += from->sent;
    for (uint32_t i = 0; i < sends->count; i++)
        keep_send(to, sends->items[i]);
    return true;
}

bool quipu__matcher_join(struct quipu__matcher *matcher, const struct quipu__matcher *other) {
    static const struct quipu__sends none = {.count = 0};
    matcher->left_out += other->left_out;
    for (size_t i = 0; i < other->table.list.count; i++)
        if (!join_class(matcher, &other->table.list.items[i],
                        i < other->sends.count ? &other->sends.items[i] : &none))
            return false;
    return true;
}

/* ---- Asking ---- */

bool quipu__matcher_reconcile(struct quipu__matcher *matcher, const struct quipu_definitions *definitions) {
    return quipu__message_table_reconcile(&matcher->table, definitions);
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

struct quipu__in_flight quipu__matcher_at(const struct quipu__matcher *matcher, size_t number) {
    const struct quipu__message_count *counts = &matcher->table.list.items[number];
    struct quipu__in_flight in_flight = {.bytes = QUIPU_UNKNOWN};
    if (counts->sent <= counts->received || number >= matcher->sends.count)
        return in_flight;
    const struct quipu__sends *sends = &matcher->sends.items[number];
    in_flight.messages = counts->sent - counts->received;
    in_flight.has_first = in_flight.messages <= sends->count;
    in_flight.last = sends->count > 0 ? sends->items[sends->count - 1].time : 0;
    if (in_flight.has_first) {
        const struct quipu__sent *first = &sends->items[sends->count - in_flight.messages];
        in_flight.first = first->time;
        in_flight.bytes = add_bytes(first, in_flight.messages);
    } else if (sends->bytes == 0 || in_flight.messages < QUIPU_UNKNOWN / sends->bytes) {
        in_flight.bytes = sends->bytes * in_flight.messages;
    }
    return in_flight;
}

/* ---- Checkpoints ---- */

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

void quipu__matcher_save(const struct quipu__matcher *matcher, struct quipu__buffer *out) {
    quipu__pack_i64(out, (int64_t)matcher->left_out);
    quipu__pack_u64(out, matcher->table.list.count);
    for (size_t i = 0; i < matcher->table.list.count; i++) {
        const struct quipu__message_count *counts = &matcher->table.list.items[i];
        quipu__pack_u64(out, counts->key.sender);
        quipu__pack_u64(out, counts->key.receiver);
        quipu__pack_u64(out, (uint32_t)(counts->key.communicator + 1));
        quipu__pack_i64(out, counts->key.tag);
        quipu__pack_u64(out, counts->sent);
        quipu__pack_u64(out, counts->received);
        if (counts->sent > 0)
            save_sends(&matcher->sends.items[i], out);
    }
}

static void load_sends(struct quipu__slice *from, struct quipu__sends *sends) {
    uint64_t time = 0, bytes = QUIPU_UNKNOWN;
    sends->bytes = quipu__unpack_u64(from) - 1;
    const uint32_t count = (uint32_t)quipu__unpack_up_to(from, QUIPU__SENDS_REMEMBERED);
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

static bool load_class(struct quipu__matcher *matcher, const struct quipu_definitions *definitions,
                       struct quipu__slice *from) {
    struct quipu__sends sends = {.count = 0};
    struct quipu__message_count counts;
    counts.key.sender = load_number(from, definitions->locations.count);
    counts.key.receiver = load_number(from, definitions->locations.count);
    counts.key.communicator = load_number_or_none(from, definitions->groups.count);
    counts.key.tag = quipu__unpack_i64(from);
    counts.sent = quipu__unpack_u64(from);
    counts.received = quipu__unpack_u64(from);
    if (counts.sent > 0)
        load_sends(from, &sends);
    return from->failed || join_class(matcher, &counts, &sends);
}

bool quipu__matcher_load(struct quipu__matcher *matcher, const struct quipu_definitions *definitions,
                         struct quipu__slice *from) {
    matcher->left_out = (uint64_t)quipu__unpack_i64(from);
    const uint64_t count = quipu__unpack_up_to(from, QUIPU__MESSAGE_KEYS_MOST);
    for (uint64_t i = 0; i < count && !from->failed; i++)
        if (!load_class(matcher, definitions, from))
            return false;
    return true;
}
