/* values.c: key-value lines, collected until their record comes. */
#include "formats/otf/lines.h"

#include "core/vec.h"

/* So many keys in front of a record, which is more than a writer has, are looked at one by one. */
#define FEW 32

void quipu__otf_values_init(struct quipu__otf_values *values, struct quipu__memory *memory) {
    *values = (struct quipu__otf_values){.memory = memory};
    quipu__map_init(&values->numbers, memory);
    quipu__buffer_init(&values->bytes, memory, 0);
}

void quipu__otf_values_release(struct quipu__otf_values *values) {
    quipu__release(values->memory, values->items, values->capacity * sizeof *values->items);
    quipu__map_release(&values->numbers);
    quipu__buffer_release(&values->bytes);
    values->items = NULL;
    values->count = values->capacity = 0;
}

void quipu__otf_values_clear(struct quipu__otf_values *values) {
    if (values->count > FEW)
        quipu__map_release(&values->numbers);
    values->count = 0;
    values->bytes.len = 0;
    values->bytes.failed = false;
}

static struct quipu_value *find(const struct quipu__otf_values *values, uint32_t key) {
    const size_t few = values->count < FEW ? values->count : FEW;
    for (size_t i = 0; i < few; i++)
        if (values->items[i].key == key)
            return &values->items[i];
    const uint32_t number = values->count > FEW ? quipu__map_get(&values->numbers, key) : QUIPU_NONE;
    return number == QUIPU_NONE ? NULL : &values->items[number];
}

static enum quipu__otf_values_status status_of(bool done) {
    return done ? QUIPU__OTF_VALUE_ADDED : QUIPU__OTF_VALUE_NO_ROOM;
}

enum quipu__otf_values_status quipu__otf_values_add(struct quipu__otf_values *values,
                                                    const struct quipu__otf_value_line *line) {
    struct quipu_value *known = find(values, line->key);
    if (known) {
        /* Only the array that came last can grow: its bytes are at the end of the buffer. */
        if (line->type != QUIPU_VALUE_BYTES || known->type != QUIPU_VALUE_BYTES ||
            known != &values->items[values->count - 1])
            return QUIPU__OTF_VALUE_AGAIN;
        quipu__put(&values->bytes, line->bytes, line->count);
        known->size += line->count;
        return status_of(!values->bytes.failed);
    }
    if (!quipu__vec_room(values->memory, (void **)&values->items, &values->count, &values->capacity,
                         sizeof *values->items, 1) ||
        (values->count >= FEW && !quipu__map_put(&values->numbers, line->key, (uint32_t)values->count)))
        return QUIPU__OTF_VALUE_NO_ROOM;
    struct quipu_value value = {.key = line->key, .type = line->type, .u = line->u};
    if (line->type == QUIPU_VALUE_BYTES) {
        value.size = line->count;
        value.u = values->bytes.len;
        quipu__put(&values->bytes, line->bytes, line->count);
    }
    values->items[values->count++] = value;
    return status_of(!values->bytes.failed);
}

const struct quipu_value *quipu__otf_values_list(const struct quipu__otf_values *values,
                                                 struct quipu__scratch *scratch) {
    if (values->count == 0)
        return NULL;
    struct quipu_value *list = quipu__scratch_sized(scratch, (uint32_t)values->count, sizeof *list);
    for (size_t i = 0; list && i < values->count; i++) {
        list[i] = values->items[i];
        if (list[i].type != QUIPU_VALUE_BYTES)
            continue;
        list[i].data =
            quipu__scratch_text(scratch, (const char *)values->bytes.data + values->items[i].u, list[i].size);
        if (!list[i].data)
            return NULL;
    }
    return list;
}

double quipu__otf_float_from_bits(uint32_t bits) {
    float single;
    double value;
    if ((bits >> 23 & 0xff) != 0xff) {
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    const uint64_t wide =
        (uint64_t)(bits >> 31) << 63 | UINT64_C(0x7ff) << 52 | (uint64_t)(bits & 0x7fffff) << 29;
    memcpy(&value, &wide, sizeof value);
    return value;
}
