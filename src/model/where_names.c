/* where_names.c: names in an expression that nothing in the trace has: such tests are never true, which is rarely intended. */
#include "model/event.h"
#include "model/where.h"

#include <quipu/base.h>

#include <stdio.h>
#include <string.h>

enum { REMARK_BYTES = 512 };

struct search {
    const struct quipu__where_clause *where;
    const struct quipu__where_test *test;
    const struct quipu__where_item *item;
    struct quipu_nearest nearest;
    bool is_found;
};

/* Compares with the names of all definitions of a list. */
static void look_at(struct search *search, enum quipu_refers refers) {
    const uint64_t count = quipu__count_of(search->where->definitions, refers);
    for (uint32_t i = 0; count != QUIPU_UNKNOWN && i < count && !search->is_found; i++) {
        const char *text = quipu__where_text(search->where, search->test, refers, i);
        search->is_found = quipu__where_item_is(search->item, text);
        if (!search->item->regex)
            quipu_nearest_add(&search->nearest, text);
    }
}

/* A field of several kinds may refer to something else in each. */
static void look_at_fields(struct search *search) {
    bool looked_at[QUIPU__WHERE_REFERS] = {false};
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_field *field = search->test->fields[kind];
        if (!field || looked_at[field->refers])
            continue;
        looked_at[field->refers] = true;
        look_at(search, field->refers);
    }
}

static void look_for(struct search *search) {
    if (search->test->subject == QUIPU__WHERE_LOCATION)
        look_at(search, QUIPU_REFERS_LOCATION);
    else if (search->test->subject == QUIPU__WHERE_REGION)
        look_at(search, QUIPU_REFERS_REGION);
    else
        look_at_fields(search);
}

/* Whether the texts that a test compares are all those of definitions. */
static bool is_of_names(const struct quipu__where_test *test) {
    const bool is_of_definitions = test->subject == QUIPU__WHERE_LOCATION ||
                                   test->subject == QUIPU__WHERE_REGION ||
                                   (test->subject == QUIPU__WHERE_COLUMN && test->type == QUIPU__WHERE_NAMES);
    return is_of_definitions &&
           (test->comparison == QUIPU__WHERE_IN || test->comparison == QUIPU__WHERE_MATCHES);
}

/* Makes a remark for each text that a test compares with names and that equals none of them. field: where the expression names
 * it. */
static void check_test(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                       const char *field, void (*remark)(void *context, const char *text), void *context) {
    char near[REMARK_BYTES / 2], text[REMARK_BYTES];
    for (uint32_t k = 0; k < test->count && is_of_names(test); k++) {
        const struct quipu__where_item *item = &where->items.items[test->first + k];
        if (!item->text)
            continue;
        struct search search = {where, test, item, quipu_nearest_to(item->text), false};
        look_for(&search);
        if (search.is_found)
            continue;
        snprintf(text, sizeof text, "no %.*s of the trace %s \"%s\"%s", (int)strcspn(field, " \t\r\n=!~<>"),
                 field, item->regex ? "matches" : "is", item->text,
                 quipu_nearest_text(&search.nearest, near, sizeof near));
        remark(context, text);
    }
}

enum quipu_status quipu_where_remarks(const char *expression, const struct quipu_definitions *definitions,
                                      void (*remark)(void *context, const char *text), void *context,
                                      struct quipu_error *err) {
    struct quipu__memory memory;
    struct quipu__where_clause *where;
    quipu__memory_init(&memory, NULL, 0);
    const enum quipu_status status = quipu__where_new(&memory, expression, definitions, &where, err);
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < where->tests.count; i++)
        check_test(where, &where->tests.items[i], expression + where->tests.items[i].offset, remark, context);
    quipu__where_free(where);
    return QUIPU_OK;
}
