/* sample.h: a schema of two record types, and what its records are as text. */
#ifndef QUIPU_TESTS_SCHEMA_SAMPLE_H
#define QUIPU_TESTS_SCHEMA_SAMPLE_H

#include "harness.h"
#include "schema/schema.h"

struct point {
    int16_t x;
    uint8_t y;
};
struct sample {
    int32_t count;
    uint64_t size;
    const int16_t *list;
    const char *name;
    const struct point *points;
    double ratio;
    int32_t root, rank, extra;
    const struct quipu_value *values;
};

static const struct quipu_label colours[] = {{-1, "none"}, {3, "green"}, {7, "blue"}};
static const struct quipu_domain i16 = {.name = "i16", .storage = QUIPU_STORE_I16};
static const struct quipu_domain u8 = {.name = "u8", .storage = QUIPU_STORE_U8};
static const struct quipu_domain i32 = {.name = "i32", .storage = QUIPU_STORE_I32};
static const struct quipu_domain colour = {
    .name = "colour", .storage = QUIPU_STORE_I32, .labels = colours, .label_count = 3, .other_label = NULL};
static const struct quipu_domain u64 = {.name = "u64", .storage = QUIPU_STORE_U64, .role = QUIPU_ROLE_BYTES};
static const struct quipu_domain f64 = {.name = "f64", .storage = QUIPU_STORE_F64};
static const struct quipu_domain text = {.name = "text", .storage = QUIPU_STORE_STRING};
static const struct quipu_domain record = {.name = "point", .storage = QUIPU_STORE_RECORD};
static const struct quipu_domain values = {.name = "values", .storage = QUIPU_STORE_VALUES};

/* The condition of a field that is always there. */
#define ALWAYS .when = -1, .equals = -1
#define FIELD(struct_name, member, domain_name, store, ...)                                                    \
    {                                                                                                          \
        .name = #member, .doc = "a field", .domain = &domain_name,                                             \
        .offset = offsetof(struct struct_name, member), .storage = QUIPU_STORE_##store, .count = -1,           \
        __VA_ARGS__                                                                                            \
    }

static const struct quipu_field point_fields[] = {
    FIELD(point, x, i16, I16, .shape = QUIPU_ONE, ALWAYS),
    FIELD(point, y, u8, U8, .shape = QUIPU_ONE, ALWAYS),
};
static const struct quipu_record_type point_type = {
    .name = "point", .doc = "a point", .fields = point_fields, .field_count = 2, .size = sizeof(struct point)};

static const struct quipu_field sample_fields[] = {
    FIELD(sample, count, colour, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, size, u64, U64, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, list, i16, I16, .shape = QUIPU_LIST, ALWAYS),
    FIELD(sample, name, text, STRING, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, points, record, RECORD, .shape = QUIPU_LIST, ALWAYS, .element = &point_type),
    FIELD(sample, ratio, f64, F64, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, root, i32, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, rank, i32, I32, .shape = QUIPU_ONE, ALWAYS),
    FIELD(sample, extra, i32, I32, .shape = QUIPU_ONE, .when = 7, .equals = 6),
    FIELD(sample, values, values, VALUES, .shape = QUIPU_ONE, ALWAYS, .optional = true),
};
static const struct quipu_record_type sample_type = {.name = "sample",
                                                     .doc = "a sample",
                                                     .id = 5,
                                                     .fields = sample_fields,
                                                     .field_count = 10,
                                                     .size = sizeof(struct sample)};
static const struct quipu_schema schema = {.name = "test", .types = &sample_type, .type_count = 1};

static struct quipu__memory memory;
static struct quipu__scratch scratch;
static char printed[1000];

static inline int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__scratch_init(&scratch, &memory);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    quipu__scratch_release(&scratch);
    return memory.used != 0;
}

static inline enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    assert_true(size < sizeof printed);
    memcpy(context, data, size);
    ((char *)context)[size] = '\0';
    return QUIPU_OK;
}

#endif
