/* define.h: building the definitions of a trace. A format's open function adds them; numbers count from 0 in the
 * order of adding. Texts and lists are copied. All functions return QUIPU_NONE when memory is out, or while the
 * definitions are locked. */
#ifndef QUIPU_MODEL_DEFINE_H
#define QUIPU_MODEL_DEFINE_H

#include "core/memory/map.h"
#include "core/memory/memory.h"
#include "core/os.h"

#include <quipu/model.h>

/* The classes of definitions. */
enum quipu__definition_class {
#define QUIPU_DEFINITION(plural, singular, doc) QUIPU__DEFINITION_CLASS_##plural,
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
    QUIPU__DEFINITION_CLASS_COUNT
};
#define QUIPU__DEFINES(plural) (UINT32_C(1) << QUIPU__DEFINITION_CLASS_##plural)

/* Their texts that not every format can keep; as bits they lie behind the classes. */
enum quipu__definition_field {
#define QUIPU__DEFINITION_FIELD(plural, field, phrase, is_set) QUIPU__DEFINITION_FIELD_##plural##_##field,
#include "model/definition_fields.def"
#undef QUIPU__DEFINITION_FIELD
    QUIPU__DEFINITION_FIELD_COUNT
};
#define QUIPU__DEFINES_FIELD(plural, field)                                                                    \
    (UINT32_C(1) << (QUIPU__DEFINITION_CLASS_COUNT + QUIPU__DEFINITION_FIELD_##plural##_##field))

/* Of definitions of a format for which the model has nothing. */
#define QUIPU__DEFINES_NOTHING (UINT32_C(1) << 31)

struct quipu__define {
    struct quipu_definitions definitions; /* what users see: points to the lists below */
    struct quipu__arena arena;
    struct quipu__lock *lock;
    bool is_locked, needs_definition; /* see quipu__define_lock */
#define QUIPU_DEFINITION(plural, singular, doc) size_t plural##_capacity;
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
};

enum quipu_status quipu__define_init(struct quipu__define *define, struct quipu__memory *memory,
                                     struct quipu_error *err);
void quipu__define_release(struct quipu__define *define);

/* Until unlocked nothing is added or set: several threads read the definitions, and the numbers of new ones would
 * depend on which comes first. Whether something should have been added meanwhile is remembered. */
static inline void quipu__define_lock(struct quipu__define *define) {
    define->is_locked = true;
    define->needs_definition = false;
}
bool quipu__define_needs_definition(const struct quipu__define *define);
static inline void quipu__define_unlock(struct quipu__define *define) {
    define->is_locked = false;
}

/* quipu__add_location(define, &location) and so on: one function per class, the number of the new definition. */
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    uint32_t quipu__add_##singular(struct quipu__define *define, const struct quipu_##singular *definition);
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION

/* The same, replacing the definition with that number. */
QUIPU_CHECKED bool quipu__set_region(struct quipu__define *define, uint32_t number,
                                     const struct quipu_region *definition);
QUIPU_CHECKED bool quipu__set_file(struct quipu__define *define, uint32_t number,
                                   const struct quipu_file *definition);

/* Turns a format's own numbers ("tokens") into definition numbers: a plain table for small tokens, a map for large
 * ones. */
struct quipu__tokens {
    struct quipu__memory *memory;
    uint32_t *table;
    uint32_t table_size;
    struct quipu__map map;
};
void quipu__tokens_init(struct quipu__tokens *tokens, struct quipu__memory *memory);
void quipu__tokens_release(struct quipu__tokens *tokens);
/* QUIPU_NONE: from now on the token stands for nothing. False when memory is out. */
QUIPU_CHECKED bool quipu__tokens_put(struct quipu__tokens *tokens, uint64_t token, uint32_t number);
static inline uint32_t quipu__tokens_get(const struct quipu__tokens *tokens, uint64_t token) {
    return token < tokens->table_size ? tokens->table[token] : quipu__map_get(&tokens->map, token);
}

#endif
