/* open_pack.c: keeping what a follower knows.
 *
 *     last time, number of strands, { location, stream, per list { number of things, { kind, time, columns } } }, messages
 *
 * Messages are there when the follower has them. A thing has the columns of its kind, in the order of columns.def.
 * Times are distances from the thing before. Numbers that may be unknown are stored plus one, so that the unknown is
 * short. What is read back has passed the same tests as events: the kind belongs to the list, and numbers of
 * definitions are below their count.
 */
#include "trace/open.h"

#include "core/error.h"
#include "core/pack.h"
#include "model/event.h"

/* ---- Saving ---- */

static void save_column(const struct quipu__begun *thing, enum quipu_column column, struct quipu__buffer *out) {
    switch (column) {
    case QUIPU_COLUMN_object:
        quipu__pack_u64(out, (uint32_t)(thing->object + 1));
        break;
    case QUIPU_COLUMN_peer:
        quipu__pack_u64(out, (uint32_t)(thing->peer + 1));
        break;
    case QUIPU_COLUMN_group:
        quipu__pack_u64(out, (uint32_t)(thing->group + 1));
        break;
    case QUIPU_COLUMN_operation:
        quipu__pack_u64(out, (uint32_t)(thing->operation + 1));
        break;
    case QUIPU_COLUMN_tag:
        quipu__pack_i64(out, thing->tag);
        break;
    case QUIPU_COLUMN_bytes:
        quipu__pack_u64(out, thing->bytes + 1);
        break;
    case QUIPU_COLUMN_value:
        quipu__pack_u64(out, thing->value + 1);
        break;
    case QUIPU_COLUMN_id:
        quipu__pack_u64(out, thing->id + 1);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

static void save_list(const struct quipu__follower *follower, const struct quipu__begun_list *list,
                      struct quipu__buffer *out) {
    uint64_t time = 0;
    quipu__pack_u64(out, list->count);
    for (uint32_t at = list->oldest; at != QUIPU_NONE; at = follower->things.items[at].newer) {
        const struct quipu__begun *thing = &follower->things.items[at];
        const uint32_t columns = quipu__kind_columns[thing->kind];
        quipu__pack_u64(out, thing->kind);
        quipu__pack_i64(out, (int64_t)((uint64_t)thing->time - time));
        for (unsigned column = 0; columns >> column != 0; column++)
            if ((columns >> column & 1) != 0)
                save_column(thing, (enum quipu_column)column, out);
        time = (uint64_t)thing->time;
    }
}

void quipu__follower_save(const struct quipu__follower *follower, struct quipu__buffer *out) {
    quipu__pack_i64(out, follower->last);
    quipu__pack_u64(out, follower->strands.count);
    for (size_t i = 0; i < follower->strands.count; i++) {
        const struct quipu__strand *strand = &follower->strands.items[i];
        quipu__pack_u64(out, strand->location);
        quipu__pack_u64(out, strand->stream);
        for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS; list++)
            save_list(follower, &strand->lists[list], out);
    }
    if (follower->has_messages)
        quipu__pending_save(&follower->pending, out);
}

/* ---- Loading ---- */

static enum quipu_refers refers_of(uint8_t kind, enum quipu_column column) {
    const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
    for (size_t i = 0; i < info->field_count; i++)
        if (info->fields[i].column == column)
            return info->fields[i].refers;
    return QUIPU_REFERS_NOTHING;
}

static uint32_t load_u32(struct quipu__slice *from, uint64_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count < QUIPU_NONE ? count : QUIPU_NONE) - 1;
}

/* Numbers in wide columns may refer to definitions, too. */
static uint64_t load_u64(struct quipu__slice *from, uint64_t count) {
    const uint64_t number = quipu__unpack_u64(from) - 1;
    from->failed |=
        count != QUIPU_UNKNOWN && number != QUIPU_UNKNOWN && number != QUIPU_NONE && number >= count;
    return number;
}

static void load_column(const struct quipu_definitions *definitions, struct quipu__slice *from,
                        enum quipu_column column, struct quipu__begun *thing) {
    const uint64_t count = quipu__count_of(definitions, refers_of(thing->kind, column));
    switch (column) {
    case QUIPU_COLUMN_object:
        thing->object = load_u32(from, count);
        break;
    case QUIPU_COLUMN_peer:
        thing->peer = load_u32(from, count);
        break;
    case QUIPU_COLUMN_group:
        thing->group = load_u32(from, count);
        break;
    case QUIPU_COLUMN_operation:
        thing->operation = load_u32(from, count);
        break;
    case QUIPU_COLUMN_tag:
        thing->tag = quipu__unpack_i64(from);
        break;
    case QUIPU_COLUMN_bytes:
        thing->bytes = load_u64(from, count);
        break;
    case QUIPU_COLUMN_value:
        thing->value = load_u64(from, count);
        break;
    case QUIPU_COLUMN_id:
        thing->id = load_u64(from, count);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

static bool belongs(uint8_t kind, uint32_t list) {
    const enum quipu__begun_class class_of = quipu__list_class(list);
    return quipu__list_has_ends(list) ? quipu__kind_ends((enum quipu_kind)kind, class_of)
                                      : quipu__kind_begins((enum quipu_kind)kind, class_of);
}

static bool load_list(struct quipu__follower *follower, uint32_t strand, uint32_t list,
                      struct quipu__slice *from) {
    const uint64_t count = quipu__unpack_up_to(from, quipu__slice_left(from));
    const bool is_followed = (follower->classes & QUIPU__BEGUN_BIT(quipu__list_class(list))) != 0;
    uint64_t time = 0;
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        struct quipu__begun thing = quipu__begun_unknown;
        thing.kind = (uint8_t)quipu__unpack_up_to(from, QUIPU_KIND_COUNT - 1);
        thing.list = (uint8_t)list;
        thing.strand = strand;
        time += (uint64_t)quipu__unpack_i64(from);
        thing.time = (int64_t)time;
        from->failed |= !belongs(thing.kind, list);
        const uint32_t columns = quipu__kind_columns[thing.kind];
        for (unsigned column = 0; columns >> column != 0; column++)
            if ((columns >> column & 1) != 0)
                load_column(follower->definitions, from, (enum quipu_column)column, &thing);
        if (!from->failed && is_followed && !quipu__begun_add(follower, &thing))
            return false;
    }
    return true;
}

static bool load_strand(struct quipu__follower *follower, struct quipu__slice *from) {
    const uint32_t location = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    const uint32_t stream = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    from->failed |= location >= follower->definitions->locations.count;
    if (from->failed)
        return true;
    const uint32_t strand = quipu__strand_at(follower, location, stream);
    for (uint32_t list = 0; list < QUIPU__BEGUN_LISTS && strand != QUIPU_NONE; list++)
        if (!load_list(follower, strand, list, from))
            return false;
    return strand != QUIPU_NONE;
}

enum quipu_status quipu__follower_load(struct quipu__follower *follower, struct quipu__slice bytes,
                                       struct quipu_error *err) {
    bool has_memory = true;
    follower->last = quipu__unpack_i64(&bytes);
    const uint64_t count = quipu__unpack_up_to(&bytes, quipu__slice_left(&bytes));
    for (uint64_t i = 0; i < count && !bytes.failed && has_memory; i++)
        has_memory = load_strand(follower, &bytes);
    if (has_memory && follower->has_messages)
        has_memory = quipu__pending_load(&follower->pending, follower->definitions, &bytes);
    if (!has_memory)
        return quipu__no_memory(err, follower->memory->used);
    if (bytes.failed || (follower->has_messages && quipu__slice_left(&bytes) > 0))
        return quipu__fail(err, QUIPU_CORRUPT, "what was kept of open things cannot be right");
    return QUIPU_OK;
}
