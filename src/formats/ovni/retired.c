/* retired.c: see emulation.h. */
#include "formats/ovni/emulation.h"

#include <string.h>

enum { PAGE = QUIPU__OVNI_RETIRED_PAGE, TYPES_MOST = 254 };

/* Marks a complete page in the map. */
static const uint32_t complete_bit = UINT32_C(1) << 31;

void quipu__ovni_retired_init(struct quipu__ovni_retired *retired, struct quipu__memory *memory) {
    *retired = (struct quipu__ovni_retired){.memory = memory};
    quipu__map_init(&retired->pages, memory);
}

void quipu__ovni_retired_release(struct quipu__ovni_retired *retired) {
    quipu__map_release(&retired->pages);
    QUIPU__VEC_RELEASE(retired->memory, &retired->list);
}

/* Adds a page whose tasks all have type, which is a type plus 1; returns its number, QUIPU_NONE when memory is
 * out. */
static uint32_t add_page(struct quipu__ovni_retired *retired, uint8_t types) {
    struct quipu__ovni_retired_page *page;
    uint32_t number = retired->unused - 1;
    if (retired->unused > 0) {
        page = &retired->list.items[number];
        retired->unused = page->next_unused;
    } else {
        number = (uint32_t)retired->list.count;
        page = QUIPU__VEC_ADD(retired->memory, &retired->list);
    }
    if (!page)
        return QUIPU_NONE;
    memset(page->types, types, sizeof page->types);
    page->count = types > 0 ? PAGE : 0;
    return number;
}

static void remove_page(struct quipu__ovni_retired *retired, uint32_t number) {
    retired->list.items[number].next_unused = retired->unused;
    retired->unused = number + 1;
}

/* The page of a task, which is made, or expanded from a type, if necessary; QUIPU_NONE when memory is out. */
static uint32_t open_page(struct quipu__ovni_retired *retired, uint32_t task) {
    const uint32_t found = quipu__map_get(&retired->pages, task / PAGE);
    const bool is_complete = found != QUIPU_NONE && (found & complete_bit) != 0;
    if (found != QUIPU_NONE && !is_complete)
        return found;
    const uint32_t number = add_page(retired, is_complete ? (uint8_t)(found & ~complete_bit) : 0);
    if (number == QUIPU_NONE || quipu__map_put(&retired->pages, task / PAGE, number))
        return number;
    remove_page(retired, number);
    return QUIPU_NONE;
}

static bool is_of_one_type(const struct quipu__ovni_retired_page *page) {
    return page->count == PAGE && memcmp(page->types, page->types + 1, PAGE - 1) == 0;
}

bool quipu__ovni_retired_add(struct quipu__ovni_retired *retired, uint32_t task, uint32_t type) {
    const uint32_t number = type < TYPES_MOST ? open_page(retired, task) : QUIPU_NONE;
    if (number == QUIPU_NONE)
        return false;
    struct quipu__ovni_retired_page *page = &retired->list.items[number];
    page->count += page->types[task % PAGE] == 0;
    page->types[task % PAGE] = (uint8_t)(type + 1);
    if (is_of_one_type(page) && quipu__map_put(&retired->pages, task / PAGE, complete_bit | (type + 1)))
        remove_page(retired, number);
    return true;
}

uint32_t quipu__ovni_retired_get(const struct quipu__ovni_retired *retired, uint32_t task) {
    const uint32_t found = quipu__map_get(&retired->pages, task / PAGE);
    if (found == QUIPU_NONE)
        return QUIPU_NONE;
    const uint32_t type =
        (found & complete_bit) != 0 ? found & ~complete_bit : retired->list.items[found].types[task % PAGE];
    return type > 0 ? type - 1 : QUIPU_NONE;
}

bool quipu__ovni_retired_remove(struct quipu__ovni_retired *retired, uint32_t task) {
    const uint32_t number = open_page(retired, task);
    if (number == QUIPU_NONE)
        return false;
    retired->list.items[number].types[task % PAGE] = 0;
    retired->list.items[number].count--;
    return true;
}
