/* plan.c: turns the tables into the plans of one version. */
#include "formats/dumpi/codec.h"

#include "core/error.h"

/* Each field makes at most a condition, a run and its own step; each type an end. */
#define STEPS_OF_A_FIELD 3

static bool is_number(const struct quipu_field *field) {
    return field->shape == QUIPU_ONE && field->wire >= QUIPU__WIRE_I8 && field->wire <= QUIPU__WIRE_64;
}

static enum quipu__dumpi_op op_of(const struct quipu_field *field, uint32_t version) {
    switch (field->wire) {
    case QUIPU__WIRE_STRING16:
    case QUIPU__WIRE_STRING32:
        return field->shape == QUIPU_LIST ? QUIPU__DUMPI_OP_TEXTS : QUIPU__DUMPI_OP_TEXT;
    case QUIPU__DUMPI_WIRE_ELEMENTS:
        return QUIPU__DUMPI_OP_ELEMENTS;
    case QUIPU__DUMPI_WIRE_STATUSES:
        return QUIPU__DUMPI_OP_STATUSES;
    case QUIPU__DUMPI_WIRE_ROWS:
        return QUIPU__DUMPI_OP_ROWS;
    case QUIPU__DUMPI_WIRE_STRINGS:
        return QUIPU__DUMPI_OP_UNCOUNTED;
    case QUIPU__DUMPI_WIRE_BARE:
        return field->since == 0 || version < field->since ? QUIPU__DUMPI_OP_BARE : QUIPU__DUMPI_OP_LIST;
    case QUIPU__DUMPI_WIRE_SLOTS:
        return QUIPU__DUMPI_OP_SLOTS;
    case QUIPU__DUMPI_WIRE_RAW:
        return QUIPU__DUMPI_OP_RAW;
    default:
        return QUIPU__DUMPI_OP_LIST;
    }
}

static bool is_in_file(const struct quipu_field *field, uint32_t version) {
    if (field->wire == QUIPU__DUMPI_WIRE_COMMON)
        return false;
    const bool is_new_enough = version >= field->since || field->wire == QUIPU__DUMPI_WIRE_BARE;
    return is_new_enough && (field->until == 0 || version < field->until);
}

/* How numbers of a list are stored: by the domain, whatever the list's own form is. */
static uint8_t number_wire(const struct quipu_field *field) {
    return field->domain->wire;
}

static uint16_t member_of(const struct quipu_record_type *type, int8_t field) {
    return field < 0 ? QUIPU__DUMPI_NO_COUNT : type->fields[field].offset;
}

/* Where the steps of a type are being put. */
struct builder {
    const struct quipu_record_type *type;
    uint32_t version;
    struct quipu__dumpi_step *at;  /* the next step */
    struct quipu__dumpi_step *run; /* the run that may grow, or NULL */
};

static void add_condition(struct builder *builder, const struct quipu_field *field) {
    const uint8_t steps = is_number(field) ? 2 : 1;
    *builder->at++ = (struct quipu__dumpi_step){.op = QUIPU__DUMPI_OP_UNLESS,
                                                .skip = steps,
                                                .left = member_of(builder->type, field->when),
                                                .right = member_of(builder->type, field->equals)};
    builder->run = NULL;
}

static void add_number(struct builder *builder, const struct quipu_field *field) {
    if (!builder->run) {
        builder->run = builder->at++;
        *builder->run = (struct quipu__dumpi_step){.op = QUIPU__DUMPI_OP_RUN};
    }
    *builder->at++ = (struct quipu__dumpi_step){
        .wire = field->wire,
        .size = (uint8_t)quipu__storage_bytes((enum quipu_storage)field->storage),
        .bytes = builder->run->bytes,
        .member = field->offset,
    };
    builder->run->skip++;
    builder->run->bytes = (uint16_t)(builder->run->bytes + quipu__wire_bytes((enum quipu__wire)field->wire));
}

static void add_list(struct builder *builder, const struct quipu_field *field) {
    builder->run = NULL;
    *builder->at++ = (struct quipu__dumpi_step){
        .op = (uint8_t)op_of(field, builder->version),
        .wire = number_wire(field),
        .size = field->element ? 0 : (uint8_t)quipu__storage_bytes((enum quipu_storage)field->storage),
        .member = field->offset,
        .left = member_of(builder->type, field->count),
        .element = field->element ? (uint8_t)(field->element - quipu__dumpi_elements) : 0,
    };
}

static void add_field(struct builder *builder, const struct quipu_field *field) {
    if (!is_in_file(field, builder->version))
        return;
    if (field->when >= 0)
        add_condition(builder, field);
    if (is_number(field))
        add_number(builder, field);
    else
        add_list(builder, field);
    if (field->when >= 0)
        builder->run = NULL;
}

/* Fields that this version or this record may lack leave a zero or NULL behind. */
static bool may_lack_fields(const struct quipu_record_type *type) {
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].optional || type->fields[i].when >= 0)
            return true;
    return type->field_count == 0;
}

static void build(struct quipu__dumpi_codec *codec, const struct quipu_record_type *type, uint32_t version,
                  struct quipu__dumpi_plan *plan) {
    struct quipu__dumpi_step *const first = codec->steps + codec->step_count;
    struct builder builder = {type, version, first, NULL};
    for (size_t i = 0; i < type->field_count; i++)
        add_field(&builder, &type->fields[type->order ? type->order[i] : i]);
    *builder.at++ = (struct quipu__dumpi_step){.op = QUIPU__DUMPI_OP_END};
    codec->step_count += (size_t)(builder.at - first);
    *plan = (struct quipu__dumpi_plan){
        .type = type,
        .steps = first,
        .bytes = first->op == QUIPU__DUMPI_OP_RUN ? first->bytes : 0,
        .is_sparse = may_lack_fields(type),
    };
}

static size_t step_limit(const struct quipu_record_type *types, size_t count) {
    size_t steps = 0;
    for (size_t i = 0; i < count; i++)
        steps += 1 + (size_t)types[i].field_count * STEPS_OF_A_FIELD;
    return steps;
}

static size_t all_steps(void) {
    return step_limit(quipu__dumpi_types, QUIPU__DUMPI_TYPE_COUNT) +
           step_limit(quipu__dumpi_elements, QUIPU__DUMPI_ELEMENT_COUNT);
}

enum quipu_status quipu__dumpi_codec_new(struct quipu__memory *memory, uint32_t version, bool replace_counts,
                                         struct quipu__dumpi_codec **out, struct quipu_error *err) {
    const size_t size = all_steps() * sizeof(struct quipu__dumpi_step);
    struct quipu__dumpi_codec *codec = quipu__alloc_zero(memory, sizeof *codec);
    *out = codec;
    if (!codec)
        return quipu__no_memory(err, sizeof *codec);
    codec->memory = memory;
    codec->version = version;
    codec->replace_counts = replace_counts;
    codec->steps = quipu__alloc(memory, size);
    if (!codec->steps) {
        quipu__dumpi_codec_free(codec);
        *out = NULL;
        return quipu__no_memory(err, size);
    }
    for (size_t i = 0; i < QUIPU__DUMPI_ELEMENT_COUNT; i++)
        build(codec, &quipu__dumpi_elements[i], version, &codec->elements[i]);
    for (size_t i = 0; i < QUIPU__DUMPI_TYPE_COUNT; i++)
        build(codec, &quipu__dumpi_types[i], version, &codec->plans[i]);
    return QUIPU_OK;
}

void quipu__dumpi_codec_free(struct quipu__dumpi_codec *codec) {
    if (!codec)
        return;
    quipu__release(codec->memory, codec->steps, all_steps() * sizeof *codec->steps);
    quipu__release(codec->memory, codec, sizeof *codec);
}
