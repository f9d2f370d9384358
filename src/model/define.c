/* define.c: lists of definitions that grow; users hold pointers to texts, not to the lists.
 *
 * Classes differ only in what they must copy (texts and member lists): one copy function per class, the rest from
 * definitions.def.
 */
#include "model/define.h"

#include "core/error.h"

#include <string.h>

/* For readability the header lists what definitions.def names explicitly. */
#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    _Static_assert(_Generic(((struct quipu_definitions *)NULL)->plural.items,                                  \
                            const struct quipu_##singular * : 1, default : 0),                                 \
                   #plural " is not as definitions.def says");
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION

static bool copy_text(struct quipu__define *define, const char **text) {
    if (!*text || !**text) {
        *text = "";
        return true;
    }
    *text = quipu__arena_text(&define->arena, *text, strlen(*text));
    return *text != NULL;
}

static bool copy_members(struct quipu__define *define, const uint32_t **members, uint32_t count) {
    if (!*members || count == 0) {
        *members = NULL;
        return true;
    }
    uint32_t *copy = quipu__arena_alloc(&define->arena, count * sizeof *copy);
    if (copy)
        memcpy(copy, *members, count * sizeof *copy);
    *members = copy;
    return copy != NULL;
}

static bool copy_location(struct quipu__define *define, struct quipu_location *it) {
    return copy_text(define, &it->name) && copy_text(define, &it->host);
}
static bool copy_region(struct quipu__define *define, struct quipu_region *it) {
    return copy_text(define, &it->name) && copy_text(define, &it->group);
}
static bool copy_source(struct quipu__define *define, struct quipu_source *it) {
    return copy_text(define, &it->file) && copy_text(define, &it->function);
}
static bool copy_group(struct quipu__define *define, struct quipu_group *it) {
    return copy_text(define, &it->name) && copy_members(define, &it->members, it->member_count) &&
           copy_members(define, &it->remote_members, it->remote_member_count);
}
static bool copy_file(struct quipu__define *define, struct quipu_file *it) {
    return copy_text(define, &it->name) && copy_text(define, &it->group);
}
static bool copy_metric(struct quipu__define *define, struct quipu_metric *it) {
    return copy_text(define, &it->name) && copy_text(define, &it->group) && copy_text(define, &it->unit);
}
static bool copy_marker(struct quipu__define *define, struct quipu_marker *it) {
    return copy_text(define, &it->name);
}
static bool copy_channel(struct quipu__define *define, struct quipu_channel *it) {
    struct quipu_value_label *labels = NULL;
    if (it->label_count > 0 && !(labels = quipu__arena_alloc(&define->arena, it->label_count * sizeof *labels)))
        return false;
    for (uint32_t i = 0; i < it->label_count; i++) {
        labels[i] = it->labels[i];
        if (!copy_text(define, &labels[i].text))
            return false;
    }
    it->labels = labels;
    return copy_text(define, &it->name);
}
static bool copy_task_type(struct quipu__define *define, struct quipu_task_type *it) {
    return copy_text(define, &it->name);
}
static bool copy_attribute_key(struct quipu__define *define, struct quipu_attribute_key *it) {
    return copy_text(define, &it->name) && copy_text(define, &it->doc);
}

enum quipu_status quipu__define_init(struct quipu__define *define, struct quipu__memory *memory,
                                     struct quipu_error *err) {
    memset(define, 0, sizeof *define);
    quipu__arena_init(&define->arena, memory);
    define->lock = quipu__lock_new();
    return define->lock ? QUIPU_OK : quipu__no_memory(err, sizeof *define);
}

bool quipu__define_needs_definition(const struct quipu__define *define) {
    quipu__lock_take(define->lock);
    const bool needs_definition = define->needs_definition;
    quipu__lock_give(define->lock);
    return needs_definition;
}

/* Whether something may be added or changed now; if not, that is remembered. */
static bool is_open(struct quipu__define *define) {
    define->needs_definition |= define->is_locked;
    return !define->is_locked;
}

/* Room for one more element; the old list stays in the arena, since users may hold on to it for a while. */
static bool grow(struct quipu__define *define, const void **at, uint32_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    if (count == QUIPU_NONE)
        return false;
    const size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = quipu__arena_alloc(&define->arena, wanted * size);
    if (!grown)
        return false;
    if (count)
        memcpy(grown, *at, count * size);
    *at = grown;
    *capacity = wanted;
    return true;
}

#define QUIPU_DEFINITION(plural, singular, doc)                                                                \
    uint32_t quipu__add_##singular(struct quipu__define *define, const struct quipu_##singular *definition) {  \
        struct quipu_##singular copy = *definition;                                                            \
        struct quipu_##plural *list = &define->definitions.plural;                                             \
        uint32_t number = QUIPU_NONE;                                                                          \
        quipu__lock_take(define->lock);                                                                        \
        const void *at = list->items;                                                                          \
        if (is_open(define) && copy_##singular(define, &copy) &&                                               \
            grow(define, &at, list->count, &define->plural##_capacity, sizeof copy)) {                         \
            list->items = at;                                                                                  \
            ((struct quipu_##singular *)(uintptr_t)at)[list->count] = copy;                                    \
            number = list->count++;                                                                            \
        }                                                                                                      \
        quipu__lock_give(define->lock);                                                                        \
        return number;                                                                                         \
    }
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION

/* Those that may change: a file may get another name, a region what was learned of it later. */
#define SET_DEFINITION(plural, singular)                                                                       \
    bool quipu__set_##singular(struct quipu__define *define, uint32_t number,                                  \
                               const struct quipu_##singular *definition) {                                    \
        struct quipu_##singular copy = *definition;                                                            \
        quipu__lock_take(define->lock);                                                                        \
        const bool is_copied = is_open(define) && copy_##singular(define, &copy);                              \
        if (is_copied)                                                                                         \
            ((struct quipu_##singular *)(uintptr_t)define->definitions.plural.items)[number] = copy;           \
        quipu__lock_give(define->lock);                                                                        \
        return is_copied;                                                                                      \
    }

SET_DEFINITION(regions, region)
SET_DEFINITION(files, file)

void quipu__define_release(struct quipu__define *define) {
    quipu__arena_release(&define->arena);
    quipu__lock_free(define->lock);
    memset(define, 0, sizeof *define);
}

/* ---- Tokens ---- */

#define TABLE_MOST (UINT32_C(1) << 20)

void quipu__tokens_init(struct quipu__tokens *tokens, struct quipu__memory *memory) {
    *tokens = (struct quipu__tokens){.memory = memory};
    quipu__map_init(&tokens->map, memory);
}

void quipu__tokens_release(struct quipu__tokens *tokens) {
    quipu__release(tokens->memory, tokens->table, tokens->table_size * sizeof *tokens->table);
    quipu__map_release(&tokens->map);
    tokens->table = NULL;
    tokens->table_size = 0;
}

/* The table covers small tokens as long as it is not mostly empty: its length is at most a few times the number of
 * tokens. It takes over what was in the map. */
static bool grow_table(struct quipu__tokens *tokens, uint32_t token) {
    uint32_t wanted = tokens->table_size ? tokens->table_size : 256;
    while (wanted <= token)
        wanted *= 2;
    uint32_t *grown = quipu__resize(tokens->memory, tokens->table, tokens->table_size * sizeof *grown,
                                    wanted * sizeof *grown);
    if (!grown)
        return false;
    for (uint32_t i = tokens->table_size; i < wanted; i++)
        grown[i] = quipu__map_get(&tokens->map, i);
    tokens->table = grown;
    tokens->table_size = wanted;
    return true;
}

bool quipu__tokens_put(struct quipu__tokens *tokens, uint64_t token, uint32_t number) {
    if (number == QUIPU_NONE && token >= tokens->table_size) {
        quipu__map_remove(&tokens->map, token);
        return true;
    }
    if (token < TABLE_MOST && token >= tokens->table_size &&
        token < 1024 + (uint64_t)8 * (tokens->map.count + tokens->table_size) &&
        !grow_table(tokens, (uint32_t)token))
        return false;
    if (token < tokens->table_size) {
        tokens->table[token] = number;
        return true;
    }
    return quipu__map_put(&tokens->map, token, number);
}
