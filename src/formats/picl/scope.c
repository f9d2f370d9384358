/* scope.c: see scope.h. Definitions are few and are searched from the last one; their number has a limit. */
#include "formats/picl/scope.h"

#include "formats/picl/events.h"

#include <string.h>

void quipu__picl_scope_init(struct quipu__picl_scope *scope, struct quipu__memory *memory) {
    *scope = (struct quipu__picl_scope){.memory = memory};
    quipu__arena_init(&scope->arena, memory);
}

void quipu__picl_scope_release(struct quipu__picl_scope *scope) {
    QUIPU__VEC_RELEASE(scope->memory, &scope->aliases);
    QUIPU__VEC_RELEASE(scope->memory, &scope->subsets);
    quipu__arena_release(&scope->arena);
}

bool quipu__picl_add_alias(struct quipu__picl_scope *scope, const struct quipu__picl_alias *alias) {
    if (scope->aliases.count == QUIPU__PICL_DEFINITIONS_MOST) {
        scope->is_full = true;
        return true;
    }
    const char *control = quipu__arena_text(&scope->arena, alias->control, alias->len);
    struct quipu__picl_alias *added = control ? QUIPU__VEC_ADD(scope->memory, &scope->aliases) : NULL;
    if (!added)
        return false;
    *added = *alias;
    added->control = control;
    scope->redefines_integers |= alias->number == QUIPU__PICL_INTEGERS;
    return true;
}

bool quipu__picl_add_subset(struct quipu__picl_scope *scope, const struct quipu__picl_subset *subset) {
    if (scope->subsets.count == QUIPU__PICL_DEFINITIONS_MOST) {
        scope->is_full = true;
        return true;
    }
    int64_t *members = quipu__arena_alloc(&scope->arena, (subset->member_count + 1) * sizeof *members);
    struct quipu__picl_subset *added = members ? QUIPU__VEC_ADD(scope->memory, &scope->subsets) : NULL;
    if (!added)
        return false;
    memcpy(members, subset->members, subset->member_count * sizeof *members);
    *added = *subset;
    added->members = members;
    return true;
}

const struct quipu__picl_subset *quipu__picl_find_subset(const struct quipu__picl_scope *scope,
                                                         int64_t record_type, int64_t identifier,
                                                         uint64_t byte) {
    for (size_t i = scope->subsets.count; i-- > 0;) {
        const struct quipu__picl_subset *subset = &scope->subsets.items[i];
        if (subset->identifier == identifier && subset->record_type == record_type && subset->byte < byte)
            return subset;
    }
    return NULL;
}

bool quipu__picl_fits(const struct quipu__picl_scope *scope, int64_t record_type, int64_t value,
                      int64_t pattern, uint64_t byte) {
    if (pattern == QUIPU__PICL_ALL || pattern == value)
        return true;
    if (record_type == QUIPU__PICL_EVENT_SUBSET && quipu__picl_subset_contains(pattern, value))
        return true;
    const struct quipu__picl_subset *subset =
        pattern < QUIPU__PICL_ALL ? quipu__picl_find_subset(scope, record_type, pattern, byte) : NULL;
    for (size_t i = 0; subset && i < subset->member_count; i++)
        if (subset->members[i] == value)
            return true;
    return false;
}

const char *quipu__picl_find_control(const struct quipu__picl_scope *scope, int64_t number, int64_t event,
                                     int64_t processor, int64_t process, uint64_t byte, size_t *len) {
    for (size_t i = scope->aliases.count; i-- > 0;) {
        const struct quipu__picl_alias *alias = &scope->aliases.items[i];
        if (alias->number == number && alias->byte < byte &&
            quipu__picl_fits(scope, QUIPU__PICL_EVENT_SUBSET, event, alias->event, byte) &&
            quipu__picl_fits(scope, QUIPU__PICL_PROCESSOR_SUBSET, processor, alias->processor, byte) &&
            quipu__picl_fits(scope, QUIPU__PICL_PROCESS_SUBSET, process, alias->process, byte)) {
            *len = alias->len;
            return alias->control;
        }
    }
    const char *control = quipu__picl_predefined(number);
    *len = control ? strlen(control) : 0;
    return control;
}

const char *quipu__picl_predefined(int64_t number) {
    static const char *const controls[QUIPU__PICL_PREDEFINED] = {"%c", "%s", "%d", "%ld", "%f", "%lf"};
    return number >= 0 && number < QUIPU__PICL_PREDEFINED ? controls[number] : NULL;
}
