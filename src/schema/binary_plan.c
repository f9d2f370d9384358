/* binary_plan.c: turns tables and a machine into plans. */
#include "core/error.h"
#include "schema/binary.h"

const struct quipu__number_type quipu__packed_types[QUIPU__WIRE_COUNT] = {
    [QUIPU__WIRE_I8] = {1, 1, QUIPU__NUMBER_SIGNED},
    [QUIPU__WIRE_U8] = {1, 1, QUIPU__NUMBER_UNSIGNED},
    [QUIPU__WIRE_I16] = {2, 1, QUIPU__NUMBER_SIGNED},
    [QUIPU__WIRE_U16] = {2, 1, QUIPU__NUMBER_UNSIGNED},
    [QUIPU__WIRE_I32] = {4, 1, QUIPU__NUMBER_SIGNED},
    [QUIPU__WIRE_U32] = {4, 1, QUIPU__NUMBER_UNSIGNED},
    [QUIPU__WIRE_64] = {8, 1, QUIPU__NUMBER_UNSIGNED},
    [QUIPU__WIRE_F64] = {8, 1, QUIPU__NUMBER_FLOAT},
    [QUIPU__WIRE_STRING16] = {2, 1, QUIPU__NUMBER_UNSIGNED},
    [QUIPU__WIRE_STRING32] = {4, 1, QUIPU__NUMBER_SIGNED},
};

/* Each field needs at most a condition, a run and its own step; each type a tail and an end. */
enum { STEPS_OF_A_FIELD = 3, STEPS_OF_A_TYPE = 2 };

/* Where the steps of a type are being put. */
struct builder {
    struct quipu__binary_codec *codec;
    const struct quipu_record_type *type;
    struct quipu__binary_step *fixed; /* the run that may grow, or NULL */
    uint32_t offset;                  /* of the next byte, as long as all before it have a fixed length */
    bool is_fixed;
    bool has_array;   /* a list without a number ends the record */
    uint16_t element; /* bytes of its elements */
    uint16_t alignment;
    const char *fault;
};

static const struct quipu__number_type *type_of(const struct builder *builder, uint8_t wire) {
    static const struct quipu__number_type none = {0, 1, QUIPU__NUMBER_UNSIGNED};
    const struct quipu__machine *machine = &builder->codec->machine;
    return wire < machine->type_count ? &machine->types[wire] : &none;
}

static struct quipu__binary_step *add_step(struct builder *builder, enum quipu__binary_op op) {
    struct quipu__binary_step *step = &builder->codec->steps[builder->codec->step_count++];
    *step = (struct quipu__binary_step){.op = (uint8_t)op};
    return step;
}

/* ---- Alignment ---- */

static uint32_t align(uint32_t offset, uint32_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/* Moves to the next offset for a member of that alignment; returns the number of padding bytes. */
static uint32_t align_here(struct builder *builder, uint16_t alignment) {
    const uint32_t offset = align(builder->offset, alignment ? alignment : 1);
    const uint32_t gap = offset - builder->offset;
    if (gap > 0 && !builder->is_fixed)
        builder->fault = "has an aligned field behind one without a fixed length";
    builder->offset = offset;
    builder->alignment = alignment > builder->alignment ? alignment : builder->alignment;
    return gap;
}

/* ---- Numbers ---- */

static enum quipu__binary_load load_of(const struct quipu__number_type *type, uint8_t size,
                                       enum quipu_storage storage) {
    static const uint8_t loads[] = {QUIPU__LOAD_8, QUIPU__LOAD_16, QUIPU__LOAD_32, QUIPU__LOAD_64};
    const bool is_real = type->kind == QUIPU__NUMBER_FLOAT, stores_real = storage == QUIPU_STORE_F64;
    if (type->bytes == 1 && size == 2 && type->kind == QUIPU__NUMBER_UNSIGNED)
        return QUIPU__LOAD_8_TO_16;
    if (storage == QUIPU_STORE_NUMBER)
        return type->bytes == 8 ? QUIPU__LOAD_NUMBER_64 : QUIPU__LOAD_ANY;
    if (type->bytes == 4 && size == 8 && type->kind == QUIPU__NUMBER_SIGNED && !stores_real)
        return QUIPU__LOAD_I32_TO_64;
    if (type->bytes != size || is_real != stores_real)
        return QUIPU__LOAD_ANY;
    return (enum quipu__binary_load)loads[quipu__trailing_zeros(size)];
}

static void set_number(struct quipu__binary_step *step, const struct quipu__number_type *type,
                       const struct quipu_field *field) {
    step->type = *type;
    step->storage = field->storage;
    step->size = (uint8_t)quipu__storage_bytes((enum quipu_storage)field->storage);
    step->load = (uint8_t)load_of(type, step->size, (enum quipu_storage)field->storage);
}

static void add_number(struct builder *builder, const struct quipu_field *field) {
    const struct quipu__number_type *type = type_of(builder, field->wire);
    const uint32_t gap = align_here(builder, type->alignment);
    if (type->bytes == 0)
        builder->fault = "has a field whose type the machine does not have";
    if (!builder->fixed)
        builder->fixed = add_step(builder, QUIPU__OP_FIXED);
    struct quipu__binary_step *step = add_step(builder, QUIPU__OP_END);
    set_number(step, type, field);
    step->bytes = (uint16_t)(builder->fixed->bytes + gap);
    step->member = field->offset;
    builder->fixed->skip++;
    builder->fixed->left = (uint16_t)(builder->fixed->left + gap);
    builder->fixed->bytes = (uint16_t)(step->bytes + type->bytes);
    builder->offset += type->bytes;
}

/* ---- Lists and texts ---- */

static bool is_in_file(const struct quipu_field *field, uint32_t version) {
    if (field->wire == QUIPU__FORM_COMMON)
        return false;
    const bool is_new_enough = version >= field->since || field->wire == QUIPU__FORM_ONE;
    return is_new_enough && (field->until == 0 || version < field->until);
}

static bool is_number(const struct quipu_field *field) {
    return field->shape == QUIPU_ONE && field->wire < QUIPU__FORM_COMMON &&
           field->storage <= QUIPU_STORE_NUMBER;
}

static enum quipu__binary_op op_of(const struct quipu_field *field, uint32_t version) {
    static const uint8_t ops[] = {[QUIPU__FORM_COUNTED - QUIPU__FORM_COMMON] = QUIPU__OP_STRUCTS,
                                  [QUIPU__FORM_MARKED - QUIPU__FORM_COMMON] = QUIPU__OP_MARKED,
                                  [QUIPU__FORM_ROWS - QUIPU__FORM_COMMON] = QUIPU__OP_ROWS,
                                  [QUIPU__FORM_FROM_FIELD - QUIPU__FORM_COMMON] = QUIPU__OP_FROM_FIELD,
                                  [QUIPU__FORM_ONE - QUIPU__FORM_COMMON] = QUIPU__OP_ONE,
                                  [QUIPU__FORM_SLOTS - QUIPU__FORM_COMMON] = QUIPU__OP_SLOTS,
                                  [QUIPU__FORM_CHARACTERS - QUIPU__FORM_COMMON] = QUIPU__OP_CHARACTERS,
                                  [QUIPU__FORM_REST - QUIPU__FORM_COMMON] = QUIPU__OP_REST};
    if (field->wire == QUIPU__FORM_ONE && field->since != 0 && version >= field->since)
        return QUIPU__OP_NUMBERS;
    if (field->wire >= QUIPU__FORM_COMMON)
        return (enum quipu__binary_op)ops[field->wire - QUIPU__FORM_COMMON];
    if (field->storage == QUIPU_STORE_STRING)
        return field->shape == QUIPU_LIST ? QUIPU__OP_TEXTS : QUIPU__OP_TEXT;
    return QUIPU__OP_NUMBERS;
}

/* The offset of a list's count, when that matters: it gives the length of the list, or it will be replaced. */
static void set_count(const struct builder *builder, struct quipu__binary_step *step, int8_t count) {
    const struct quipu_field *field = count < 0 ? NULL : &builder->type->fields[count];
    const enum quipu_storage storage = field ? (enum quipu_storage)field->storage : QUIPU_STORE_I8;
    const bool is_replaced = builder->codec->machine.replaces_counts && step->op != QUIPU__OP_MARKED &&
                             quipu__storage_bytes(storage) == 4;
    const bool matters = field && (step->op == QUIPU__OP_FROM_FIELD || is_replaced);
    step->left = matters ? field->offset : QUIPU__BINARY_NO_COUNT;
    step->left_storage = (uint8_t)storage;
}

/* Number of the plan of an element; plans of elements are made before those that need them. */
static uint16_t plan_of(const struct builder *builder, const struct quipu_record_type *element) {
    size_t i = builder->codec->type_count;
    while (i < builder->codec->plan_count && builder->codec->plans[i].type != element)
        i++;
    return (uint16_t)i;
}

/* A list without a number ends a record and is aligned like its elements. */
static void begin_array(struct builder *builder, uint16_t element_bytes, uint16_t alignment) {
    const uint32_t gap = align_here(builder, alignment);
    if (gap > 0)
        add_step(builder, QUIPU__OP_TAIL)->bytes = (uint16_t)gap;
    builder->has_array = true;
    builder->element = element_bytes;
}

static void begin_structs(struct builder *builder, const struct quipu_field *field) {
    const struct quipu__binary_plan *plan = &builder->codec->plans[plan_of(builder, field->element)];
    if (plan->stride == 0)
        builder->fault = "has an array of structs that differ in length";
    begin_array(builder, plan->stride, plan->alignment);
}

static void begin_numbers(struct builder *builder, const struct quipu_field *field) {
    const struct quipu__number_type *type = type_of(builder, field->domain->wire);
    begin_array(builder, type->bytes, type->alignment);
}

static void add_list(struct builder *builder, const struct quipu_field *field) {
    const struct quipu__machine *machine = &builder->codec->machine;
    const enum quipu__binary_op op = op_of(field, machine->version);
    if (op == QUIPU__OP_FROM_FIELD && field->element)
        begin_structs(builder, field);
    else if (op == QUIPU__OP_FROM_FIELD && field->storage <= QUIPU_STORE_NUMBER)
        begin_numbers(builder, field);
    struct quipu__binary_step *step = add_step(builder, op);
    set_count(builder, step, field->count);
    step->member = field->offset;
    if (field->element)
        step->element = plan_of(builder, field->element);
    else if (op == QUIPU__OP_CHARACTERS)
        step->bytes = machine->lengths[field->domain->wire];
    else
        set_number(step, type_of(builder, field->domain->wire), field);
    builder->fixed = NULL;
    if (op == QUIPU__OP_CHARACTERS)
        builder->offset += step->bytes;
    else
        builder->is_fixed = false;
}

static void add_condition(struct builder *builder, const struct quipu_field *field) {
    struct quipu__binary_step *step = add_step(builder, QUIPU__OP_UNLESS);
    step->skip = is_number(field) ? 2 : 1;
    step->left = builder->type->fields[field->when].offset;
    step->right = builder->type->fields[field->equals].offset;
    builder->fixed = NULL;
}

static void add_field(struct builder *builder, const struct quipu_field *field) {
    const bool is_conditional = field->when >= 0;
    if (!is_in_file(field, builder->codec->machine.version))
        return;
    if (is_conditional)
        add_condition(builder, field);
    if (is_number(field))
        add_number(builder, field);
    else
        add_list(builder, field);
    if (!is_conditional)
        return;
    builder->fixed = NULL;
    builder->is_fixed = false;
}

/* ---- The end of a struct ---- */

/* What follows the last field: an image of a struct is as long as its alignment requires. */
static void add_tail(struct builder *builder) {
    const enum quipu__binary_tail tail = builder->codec->machine.tail;
    const uint32_t end = builder->offset + (builder->has_array ? builder->element : 0);
    const uint32_t slack = align(end, builder->alignment) - end;
    if (builder->has_array && tail == QUIPU__TAIL_ALIGN && builder->alignment > 1)
        add_step(builder, QUIPU__OP_TAIL)->alignment = (uint8_t)builder->alignment;
    else if (slack > 0 && (!builder->has_array || tail == QUIPU__TAIL_SIZEOF))
        add_step(builder, QUIPU__OP_TAIL)->bytes = (uint16_t)slack;
}

/* Fields that this version or this record may lack are zero or NULL. */
static bool may_lack_fields(const struct quipu_record_type *type) {
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].optional || type->fields[i].when >= 0)
            return true;
    return type->field_count == 0;
}

static bool lacks_fields(const struct quipu_record_type *type, uint32_t version) {
    for (size_t i = 0; i < type->field_count; i++)
        if (!is_in_file(&type->fields[i], version))
            return true;
    return false;
}

/* A run, perhaps followed by meaningless bytes. */
static bool has_only_numbers(const struct quipu__binary_step *step) {
    if (step->op != QUIPU__OP_FIXED)
        return false;
    step += 1 + step->skip;
    step += step->op == QUIPU__OP_TAIL;
    return step->op == QUIPU__OP_END;
}

static enum quipu_status build(struct quipu__binary_codec *codec, const struct quipu_record_type *type,
                               struct quipu__binary_plan *plan, struct quipu_error *err) {
    struct builder builder = {.codec = codec, .type = type, .is_fixed = true, .alignment = 1};
    const struct quipu__binary_step *const first = &codec->steps[codec->step_count];
    for (size_t i = 0; i < type->field_count; i++)
        add_field(&builder, &type->fields[type->order ? type->order[i] : i]);
    const bool is_fixed = builder.is_fixed;
    if (is_fixed || builder.has_array)
        add_tail(&builder);
    add_step(&builder, QUIPU__OP_END);
    *plan = (struct quipu__binary_plan){
        .type = type,
        .steps = first,
        .bytes = first->op == QUIPU__OP_FIXED ? first->bytes : 0,
        .stride = (uint16_t)(is_fixed ? align(builder.offset, builder.alignment) : 0),
        .alignment = builder.alignment,
        .is_sparse = may_lack_fields(type),
        .has_only_numbers = is_fixed && has_only_numbers(first),
        .lacks_fields = lacks_fields(type, codec->machine.version),
    };
    return builder.fault ? quipu__fail(err, QUIPU_MISUSE, "the record type %s %s", type->name, builder.fault)
                         : QUIPU_OK;
}

/* ---- A codec ---- */

/* Puts the structs in a type's lists after the record types, those that others need first. */
static void list_elements(struct quipu__binary_codec *codec, const struct quipu_record_type *type) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_record_type *element = type->fields[i].element;
        size_t known = codec->type_count;
        while (element && known < codec->plan_count && codec->plans[known].type != element)
            known++;
        if (!element || known < codec->plan_count || codec->plan_count == codec->plan_room)
            continue;
        list_elements(codec, element);
        codec->plans[codec->plan_count++].type = element;
    }
}

/* Room for steps and, at most, one plan more for each list of structs. */
static void count_room(struct quipu__binary_codec *codec, const struct quipu_record_type *types, size_t count) {
    for (size_t i = 0; i < count; i++) {
        codec->plan_room++;
        codec->step_room += STEPS_OF_A_TYPE + (size_t)types[i].field_count * STEPS_OF_A_FIELD;
        for (size_t k = 0; k < types[i].field_count; k++)
            if (types[i].fields[k].element && types[i].fields[k].element != &types[i])
                count_room(codec, types[i].fields[k].element, 1);
    }
}

static enum quipu_status build_all(struct quipu__binary_codec *codec, const struct quipu_record_type *types,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    codec->plan_count = codec->type_count;
    for (size_t i = 0; i < codec->type_count; i++)
        list_elements(codec, &types[i]);
    for (size_t i = codec->type_count; i < codec->plan_count && status == QUIPU_OK; i++)
        status = build(codec, codec->plans[i].type, &codec->plans[i], err);
    for (size_t i = 0; i < codec->type_count && status == QUIPU_OK; i++)
        status = build(codec, &types[i], &codec->plans[i], err);
    return status;
}

enum quipu_status quipu__binary_codec_new(struct quipu__memory *memory, const struct quipu_record_type *types,
                                          size_t type_count, const struct quipu__machine *machine,
                                          struct quipu__binary_codec **out, struct quipu_error *err) {
    struct quipu__binary_codec *codec = quipu__alloc_zero(memory, sizeof *codec);
    *out = NULL;
    if (!codec)
        return quipu__no_memory(err, sizeof *codec);
    codec->memory = memory;
    codec->machine = *machine;
    codec->count = machine->types[machine->count_type];
    codec->type_count = type_count;
    count_room(codec, types, type_count);
    codec->plans = quipu__alloc_zero(memory, codec->plan_room * sizeof *codec->plans);
    codec->steps = quipu__alloc_zero(memory, codec->step_room * sizeof *codec->steps);
    enum quipu_status status = codec->plans && codec->steps
                                   ? build_all(codec, types, err)
                                   : quipu__no_memory(err, codec->step_room * sizeof *codec->steps);
    if (status != QUIPU_OK) {
        quipu__binary_codec_free(codec);
        return status;
    }
    *out = codec;
    return QUIPU_OK;
}

void quipu__binary_codec_free(struct quipu__binary_codec *codec) {
    if (!codec)
        return;
    quipu__release(codec->memory, codec->plans, codec->plan_room * sizeof *codec->plans);
    quipu__release(codec->memory, codec->steps, codec->step_room * sizeof *codec->steps);
    quipu__release(codec->memory, codec, sizeof *codec);
}
