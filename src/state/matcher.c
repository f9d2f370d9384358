/* matcher.c: see matcher.h: keys of messages, and what is counted of them.
 *
 * Within a key messages keep their order, so those in flight are the last that were sent. The last few sends of each key are kept,
 * whatever the order of substreams.
 */
#include "state/matcher.h"

#include "core/bisect.h"
#include "core/memory/pack.h"
#include "core/memory/sort.h"

#include <string.h>

void quipu__matcher_init(struct quipu__matcher *matcher, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions) {
    *matcher = (struct quipu__matcher){.memory = memory,
                                       .keys_most = QUIPU__MESSAGE_KEYS_MOST,
                                       .unused_end = QUIPU_NONE,
                                       .unused_post = QUIPU_NONE};
    quipu__ends_init(&matcher->locations, memory, definitions);
    quipu__map_init(&matcher->number_of_key, memory);
    quipu__map_init(&matcher->post_of, memory);
    quipu__map_init(&matcher->send_of, memory);
}

static size_t recent_bytes(const struct quipu__matcher *matcher) {
    return matcher->recent_keys ? ((size_t)matcher->recent_mask + 1) * sizeof *matcher->recent_keys : 0;
}

void quipu__matcher_release(struct quipu__matcher *matcher) {
    struct quipu__memory *memory = matcher->memory;
    quipu__ends_release(&matcher->locations);
    QUIPU__VEC_RELEASE(memory, &matcher->keys);
    QUIPU__VEC_RELEASE(memory, &matcher->sends);
    QUIPU__VEC_RELEASE(memory, &matcher->ends);
    QUIPU__VEC_RELEASE(memory, &matcher->posts);
    QUIPU__VEC_RELEASE(memory, &matcher->queues);
    QUIPU__VEC_RELEASE(memory, &matcher->receiving);
    QUIPU__VEC_RELEASE(memory, &matcher->latest_postings);
    quipu__release(memory, matcher->recent_keys, recent_bytes(matcher));
    matcher->recent_keys = NULL;
    quipu__map_release(&matcher->number_of_key);
    quipu__map_release(&matcher->post_of);
    quipu__map_release(&matcher->send_of);
}

/* ---- Keys ---- */

static bool is_of_key(const struct quipu__message_count *known, const struct quipu__message_key *key) {
    return known->key.sender == key->sender && known->key.receiver == key->receiver &&
           known->key.communicator == key->communicator && known->key.tag == key->tag;
}

static uint64_t hash_of(const struct quipu__matcher *matcher, const struct quipu__message_key *key) {
    const uint64_t words[] = {(uint64_t)key->sender << 32 | key->receiver, key->communicator,
                              (uint64_t)key->tag};
    return quipu__hash(words, sizeof words, matcher->number_of_key.seed);
}

static uint32_t add_key(struct quipu__matcher *matcher, uint64_t hash, const struct quipu__message_key *key) {
    const uint32_t number = (uint32_t)matcher->keys.count;
    struct quipu__message_count *added =
        number < matcher->keys_most ? QUIPU__VEC_ADD(matcher->memory, &matcher->keys) : NULL;
    if (added && !quipu__map_put(&matcher->number_of_key, hash, number)) {
        matcher->keys.count--;
        added = NULL;
    }
    matcher->is_full |= !added;
    if (!added)
        return QUIPU_NONE;
    *added = (struct quipu__message_count){.key = *key};
    return number;
}

static uint32_t find_key(struct quipu__matcher *matcher, const struct quipu__message_key *key) {
    for (uint64_t hash = hash_of(matcher, key);; hash++) {
        const uint32_t number = quipu__map_get(&matcher->number_of_key, hash);
        if (number == QUIPU_NONE)
            return add_key(matcher, hash, key);
        if (is_of_key(&matcher->keys.items[number], key))
            return number;
    }
}

/* Makes room for as many recent keys as there are keys, up to a limit. When memory is out, there is as much room as before. */
static void make_room_for_recent(struct quipu__matcher *matcher) {
    enum { LEAST = 256, MOST = 1 << 18 };
    const size_t before = recent_bytes(matcher) / sizeof(uint32_t);
    const size_t count = before > 0 ? before * 2 : LEAST, bytes = count * sizeof(uint32_t);
    if (matcher->keys.count < before || before >= MOST)
        return;
    uint32_t *recent = quipu__resize(matcher->memory, matcher->recent_keys, recent_bytes(matcher), bytes);
    if (!recent)
        return;
    matcher->recent_keys = recent;
    matcher->recent_mask = (uint32_t)count - 1;
    memset(recent, 0xFF, bytes);
}

uint32_t quipu__matcher_number_of(struct quipu__matcher *matcher, const struct quipu__message_key *key) {
    make_room_for_recent(matcher);
    if (!matcher->recent_keys)
        return find_key(matcher, key);
    const uint32_t slot = key->sender * 61 + key->receiver * 7 + key->communicator + (uint32_t)key->tag;
    uint32_t *recent = &matcher->recent_keys[slot & matcher->recent_mask];
    if (*recent == QUIPU_NONE || !is_of_key(&matcher->keys.items[*recent], key))
        *recent = find_key(matcher, key);
    return *recent;
}

/* Forgets all but the first keys, which may have been moved there. False when memory is out. */
static bool retain_keys(struct quipu__matcher *matcher, size_t count) {
    quipu__map_release(&matcher->number_of_key);
    memset(matcher->recent_keys, 0xFF, recent_bytes(matcher));
    matcher->keys.count = count;
    matcher->is_full = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hash_of(matcher, &matcher->keys.items[i].key);
        while (quipu__map_get(&matcher->number_of_key, hash) != QUIPU_NONE)
            hash++;
        if (!quipu__map_put(&matcher->number_of_key, hash, (uint32_t)i))
            return false;
    }
    return true;
}

/* Gives up keys with nothing in flight. False when memory is out. */
static bool make_room(struct quipu__matcher *matcher) {
    struct quipu__message_count *keys = matcher->keys.items;
    const size_t sends = matcher->sends.count;
    size_t retained = 0;
    matcher->sends.count = 0;
    for (size_t i = 0; i < matcher->keys.count; i++) {
        if (keys[i].sent == keys[i].received)
            continue;
        keys[retained] = keys[i];
        if (i < sends) {
            matcher->sends.items[retained] = matcher->sends.items[i];
            matcher->sends.count = retained + 1;
        }
        retained++;
    }
    matcher->is_stuck = retained > QUIPU__MESSAGE_KEYS_MOST - QUIPU__MESSAGE_KEYS_MOST / 8;
    return retain_keys(matcher, retained);
}

/* The key, with *out QUIPU_NONE when there is no room for it. False when memory is out. */
static bool number_with_room(struct quipu__matcher *matcher, const struct quipu__message_key *key,
                             uint32_t *out) {
    *out = quipu__matcher_number_of(matcher, key);
    if (*out != QUIPU_NONE || matcher->is_stuck)
        return true;
    if (matcher->keys.count < QUIPU__MESSAGE_KEYS_MOST || !make_room(matcher))
        return false;
    *out = quipu__matcher_number_of(matcher, key);
    return *out != QUIPU_NONE || matcher->is_stuck;
}

bool quipu__matcher_key_of(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event,
                           struct quipu__message_key *out) {
    struct quipu__ends *locations = &matcher->locations;
    const uint32_t group = batch->group[event];
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    out->tag = batch->tag[event];
    return quipu__ends_communicator(locations, group, &out->communicator) &&
           quipu__end_of(locations, group, batch->location[event], is_send ? &out->sender : &out->receiver) &&
           quipu__end_of(locations, group, batch->peer[event], is_send ? &out->receiver : &out->sender);
}

/* ---- Counting ---- */

/* The sends of a key; NULL when memory is out. */
static struct quipu__sends *sends_of(struct quipu__matcher *matcher, uint32_t number) {
    if (number < matcher->sends.count)
        return &matcher->sends.items[number];
    if (!QUIPU__VEC_RESERVE(matcher->memory, &matcher->sends, (size_t)number + 1 - matcher->sends.count))
        return NULL;
    matcher->sends.count = (size_t)number + 1;
    return &matcher->sends.items[number];
}

static bool comes_before(const struct quipu__sent *a, const struct quipu__sent *b) {
    return a->time != b->time ? a->time < b->time : a->bytes < b->bytes;
}

/* Retains the latest sends, in whatever order they come. */
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

/* The common length of sends of a key, some of one length and some of another. */
static uint64_t common_bytes(uint64_t count, uint64_t bytes, uint64_t more) {
    return count == 0 || bytes == more ? more : QUIPU_UNKNOWN;
}

static bool add_send(struct quipu__matcher *matcher, uint32_t number, struct quipu__sent sent) {
    struct quipu__message_count *messages = &matcher->keys.items[number];
    struct quipu__sends *sends = sends_of(matcher, number);
    if (!sends)
        return false;
    sends->bytes = common_bytes(messages->sent, sends->bytes, sent.bytes);
    messages->sent++;
    keep_send(sends, sent);
    return true;
}

void quipu__matcher_count(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    struct quipu__message_key key;
    if (is_send && batch->peer[event] == QUIPU_NONE)
        return;
    const uint32_t number = quipu__matcher_key_of(matcher, batch, event, &key)
                                ? quipu__matcher_number_of(matcher, &key)
                                : QUIPU_NONE;
    matcher->is_full |= number == QUIPU_NONE;
    if (number == QUIPU_NONE)
        return;
    matcher->keys.items[number].sent += is_send;
    matcher->keys.items[number].received += !is_send;
}

bool quipu__matcher_add_event(struct quipu__matcher *matcher, const struct quipu_batch *batch, uint32_t event) {
    const bool is_send = batch->kind[event] == QUIPU_KIND_send;
    struct quipu__message_key key;
    uint32_t number;
    if (is_send && batch->peer[event] == QUIPU_NONE)
        return true;
    if (!quipu__matcher_key_of(matcher, batch, event, &key) || !number_with_room(matcher, &key, &number))
        return false;
    if (number == QUIPU_NONE)
        matcher->left_out += is_send ? 1 : UINT64_MAX;
    else if (is_send)
        return add_send(matcher, number, (struct quipu__sent){batch->time[event], batch->bytes[event]});
    else
        matcher->keys.items[number].received++;
    return true;
}

/* ---- Joining ---- */

static bool join_key(struct quipu__matcher *matcher, const struct quipu__message_count *from,
                     const struct quipu__sends *sends) {
    uint32_t number;
    if (!number_with_room(matcher, &from->key, &number))
        return false;
    if (number == QUIPU_NONE) {
        matcher->left_out += from->sent - from->received;
        return true;
    }
    struct quipu__message_count *messages = &matcher->keys.items[number];
    messages->received += from->received;
    if (from->sent == 0)
        return true;
    struct quipu__sends *to = sends_of(matcher, number);
    if (!to)
        return false;
    to->bytes = common_bytes(messages->sent, to->bytes, sends->bytes);
    messages->sent += from->sent;
    for (uint32_t i = 0; i < sends->count; i++)
        keep_send(to, sends->items[i]);
    return true;
}

bool quipu__matcher_join(struct quipu__matcher *matcher, const struct quipu__matcher *other) {
    static const struct quipu__sends none = {.count = 0};
    matcher->left_out += other->left_out;
    for (size_t i = 0; i < other->keys.count; i++)
        if (!join_key(matcher, &other->keys.items[i], i < other->sends.count ? &other->sends.items[i] : &none))
            return false;
    return true;
}

/* ---- Receives that name no sender or tag ---- */

/* Left-over sends of a key: one whose time is known, or all before those. */
struct left {
    struct quipu__message_key key;
    int64_t time;
    uint64_t count;
    uint32_t number;
};

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Orders by what receives always know, then in the order of taking. */
static int compare_left(const void *a, const void *b) {
    const struct left *x = a, *y = b;
    int order = compare_numbers(x->key.receiver, y->key.receiver);
    order = order != 0 ? order : compare_numbers(x->key.communicator, y->key.communicator);
    order = order != 0 ? order : (x->time > y->time) - (x->time < y->time);
    order = order != 0 ? order : compare_numbers(x->key.sender, y->key.sender);
    order = order != 0 ? order : (x->key.tag > y->key.tag) - (x->key.tag < y->key.tag);
    return order != 0 ? order : compare_numbers(x->number, y->number);
}

static bool names_no_send(const struct quipu__message_count *messages) {
    return messages->received > messages->sent &&
           (messages->key.sender == QUIPU_NONE || messages->key.tag == -1);
}

static void list_left(const struct quipu__matcher *matcher, uint32_t number, struct left *out, size_t *count) {
    const struct quipu__message_count *messages = &matcher->keys.items[number];
    const struct quipu__sends *sends = number < matcher->sends.count ? &matcher->sends.items[number] : NULL;
    uint64_t left = messages->sent > messages->received ? messages->sent - messages->received : 0;
    for (uint32_t i = sends ? sends->count : 0; i > 0 && left > 0; i--, left--)
        out[(*count)++] = (struct left){messages->key, sends->items[i - 1].time, 1, number};
    if (left > 0)
        out[(*count)++] = (struct left){messages->key, INT64_MIN, left, number};
}

/* The first left-over send that receives of a key may take. */
static size_t first_left(const struct quipu__message_key *key, const struct left *left, size_t count) {
    const struct left wanted = {
        .key = {.sender = 0, .receiver = key->receiver, .communicator = key->communicator, .tag = INT64_MIN},
        .time = INT64_MIN};
    size_t from = 0;
    QUIPU__BISECT(from, count, i, compare_left(&left[i], &wanted) < 0);
    return from;
}

static void reconcile_key(struct quipu__matcher *matcher, uint32_t number, struct left *left, size_t count,
                          uint64_t *budget) {
    struct quipu__message_count *receives = &matcher->keys.items[number];
    const struct quipu__message_key *key = &receives->key;
    for (size_t i = first_left(key, left, count); i<count && * budget> 0; i++, --*budget) {
        const uint64_t wanted = receives->received - receives->sent;
        const uint64_t taken = left[i].count < wanted ? left[i].count : wanted;
        if (wanted == 0 || left[i].key.receiver != key->receiver ||
            left[i].key.communicator != key->communicator)
            return;
        if (!quipu__message_key_fits(key, &left[i].key))
            continue;
        left[i].count -= taken;
        receives->received -= taken;
        matcher->keys.items[left[i].number].received += taken;
    }
}

/* Most comparisons for all keys together: damaged traces may have as many sends and receives as there is room for. */
#define LOOKED_AT_MOST (UINT64_C(1) << 28)

bool quipu__matcher_reconcile(struct quipu__matcher *matcher) {
    const size_t keys = matcher->keys.count;
    size_t wild = 0, unreceived = 0, count = 0;
    for (size_t i = 0; i < keys; i++) {
        wild += names_no_send(&matcher->keys.items[i]);
        unreceived += matcher->keys.items[i].sent > matcher->keys.items[i].received;
    }
    if (wild == 0 || unreceived == 0)
        return true;
    const size_t bytes = unreceived * (QUIPU__SENDS_REMEMBERED + 1) * sizeof(struct left);
    struct left *left = quipu__alloc(matcher->memory, bytes);
    if (!left)
        return false;
    for (uint32_t i = 0; i < keys; i++)
        list_left(matcher, i, left, &count);
    uint64_t budget = LOOKED_AT_MOST;
    const bool has_memory = quipu__sort(matcher->memory, left, count, sizeof *left, compare_left);
    for (uint32_t i = 0; i < keys && has_memory; i++)
        if (names_no_send(&matcher->keys.items[i]))
            reconcile_key(matcher, i, left, count, &budget);
    quipu__release(matcher->memory, left, bytes);
    return has_memory;
}

/* ---- Asking ---- */

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
    const struct quipu__message_count *messages = &matcher->keys.items[number];
    struct quipu__in_flight in_flight = {.bytes = QUIPU_UNKNOWN};
    if (messages->sent <= messages->received || number >= matcher->sends.count)
        return in_flight;
    const struct quipu__sends *sends = &matcher->sends.items[number];
    in_flight.messages = messages->sent - messages->received;
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
    quipu__pack_u64(out, matcher->keys.count);
    for (size_t i = 0; i < matcher->keys.count; i++) {
        const struct quipu__message_count *messages = &matcher->keys.items[i];
        quipu__pack_u64(out, (uint32_t)(messages->key.sender + 1));
        quipu__pack_u64(out, messages->key.receiver);
        quipu__pack_u64(out, (uint32_t)(messages->key.communicator + 1));
        quipu__pack_i64(out, messages->key.tag);
        quipu__pack_u64(out, messages->sent);
        quipu__pack_u64(out, messages->received);
        if (messages->sent > 0)
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

/* The number of a definition; a number that is too large sets failed. */
static uint32_t load_number(struct quipu__slice *from, uint32_t count) {
    const uint64_t number = quipu__unpack_up_to(from, QUIPU_NONE);
    from->failed |= number >= count;
    return (uint32_t)number;
}

static uint32_t load_number_or_none(struct quipu__slice *from, uint32_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count) - 1;
}

static bool load_key(struct quipu__matcher *matcher, struct quipu__slice *from) {
    const struct quipu_definitions *definitions = matcher->locations.definitions;
    struct quipu__sends sends = {.count = 0};
    struct quipu__message_count messages;
    messages.key.sender = load_number_or_none(from, definitions->locations.count);
    messages.key.receiver = load_number(from, definitions->locations.count);
    messages.key.communicator = load_number_or_none(from, definitions->groups.count);
    messages.key.tag = quipu__unpack_i64(from);
    messages.sent = quipu__unpack_u64(from);
    messages.received = quipu__unpack_u64(from);
    if (messages.sent > 0)
        load_sends(from, &sends);
    return from->failed || join_key(matcher, &messages, &sends);
}

bool quipu__matcher_load(struct quipu__matcher *matcher, struct quipu__slice *from) {
    matcher->left_out = (uint64_t)quipu__unpack_i64(from);
    const uint64_t count = quipu__unpack_up_to(from, QUIPU__MESSAGE_KEYS_MOST);
    for (uint64_t i = 0; i < count && !from->failed; i++)
        if (!load_key(matcher, from))
            return false;
    return true;
}
