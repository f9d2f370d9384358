/* sheet.c: makes the pages of all calls from the record tables. */
#include "sheet.h"

#include <stdio.h>
#include <string.h>

/* The sheet while it is made. A failed allocation shows in failed, and the rest does nothing. */
struct constructor {
    struct quipu__undumpi_sheet *sheet;
    bool failed;
    const struct quipu_domain *domains[64]; /* those whose labels are made */
    const struct quipu__undumpi_labels *labels[64];
    size_t domain_count;
};

static void *allocate(struct constructor *constructor, size_t size) {
    void *memory = constructor->failed ? NULL : quipu__arena_alloc(&constructor->sheet->arena, size);
    constructor->failed = memory == NULL;
    return memory;
}

/* A text of up to four parts, with room for whole blocks. */
static struct quipu__undumpi_text make_text(struct constructor *constructor, const char *a, const char *b,
                                            const char *c, const char *d) {
    const size_t len = strlen(a) + strlen(b) + strlen(c) + strlen(d);
    const size_t size = (len / QUIPU__UNDUMPI_BLOCK + 1) * QUIPU__UNDUMPI_BLOCK;
    char *at = allocate(constructor, size);
    if (!at)
        return (struct quipu__undumpi_text){"", 0};
    memset(at, 0, size);
    snprintf(at, size, "%s%s%s%s", a, b, c, d);
    return (struct quipu__undumpi_text){at, len};
}

/* ---- Labels ---- */

static struct quipu__undumpi_text make_label(struct constructor *constructor, const struct quipu_domain *domain,
                                             int64_t value) {
    const char *label = quipu__dumpi_label_of(domain->name, value);
    return label ? make_text(constructor, " (", label, ")\n", "") : make_text(constructor, "\n", "", "", "");
}

static const struct quipu__undumpi_labels *make_labels(struct constructor *constructor,
                                                       const struct quipu_domain *domain) {
    struct quipu__undumpi_labels *labels = allocate(constructor, sizeof *labels);
    if (!labels)
        return NULL;
    for (int slot = 0; slot < QUIPU__UNDUMPI_LABELS; slot++)
        labels->of[slot] = make_label(constructor, domain, slot + QUIPU__UNDUMPI_LABELS_FROM);
    labels->below = make_label(constructor, domain, INT16_MIN);
    labels->above = make_label(constructor, domain, INT16_MAX);
    return labels;
}

static const struct quipu__undumpi_labels *labels_of(struct constructor *constructor,
                                                     const struct quipu_domain *domain) {
    for (size_t i = 0; i < constructor->domain_count; i++)
        if (constructor->domains[i] == domain)
            return constructor->labels[i];
    const struct quipu__undumpi_labels *labels = make_labels(constructor, domain);
    if (constructor->domain_count < sizeof constructor->domains / sizeof *constructor->domains) {
        constructor->domains[constructor->domain_count] = domain;
        constructor->labels[constructor->domain_count++] = labels;
    }
    return labels;
}

/* ---- Lines ---- */

static enum quipu__undumpi_form form_of_list(const struct quipu_field *field) {
    if (field->storage == QUIPU_STORE_STRING)
        return field->count < 0 ? QUIPU__UNDUMPI_ARGUMENTS : QUIPU__UNDUMPI_TEXTS;
    if (field->storage != QUIPU_STORE_RECORD)
        return QUIPU__UNDUMPI_NUMBERS;
    if (quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_range))
        return QUIPU__UNDUMPI_RANGES;
    if (quipu__dumpi_is_list_of(field, QUIPU__DUMPI_ELEMENT_texts))
        return QUIPU__UNDUMPI_ARGUMENT_LISTS;
    return field->count < 0 ? QUIPU__UNDUMPI_STATUS : QUIPU__UNDUMPI_STATUSES;
}

static enum quipu__undumpi_form form_of(const struct quipu_field *field) {
    if (field->shape == QUIPU_LIST)
        return form_of_list(field);
    if (field->storage == QUIPU_STORE_STRING)
        return QUIPU__UNDUMPI_TEXT;
    if (field->domain->role == QUIPU_ROLE_REQUEST)
        return QUIPU__UNDUMPI_HANDLE;
    return field->storage == QUIPU_STORE_U64 ? QUIPU__UNDUMPI_FUNCTION : QUIPU__UNDUMPI_NUMBER;
}

static const char *const ends[] = {
    [QUIPU__UNDUMPI_NUMBER] = "=",         [QUIPU__UNDUMPI_HANDLE] = "=[",
    [QUIPU__UNDUMPI_FUNCTION] = "=",       [QUIPU__UNDUMPI_NUMBERS] = "[",
    [QUIPU__UNDUMPI_RANGES] = "[",         [QUIPU__UNDUMPI_STATUS] = "=",
    [QUIPU__UNDUMPI_STATUSES] = "[",       [QUIPU__UNDUMPI_TEXT] = "=\"",
    [QUIPU__UNDUMPI_TEXTS] = "[",          [QUIPU__UNDUMPI_ARGUMENTS] = "[-2]=",
    [QUIPU__UNDUMPI_ARGUMENT_LISTS] = "[",
};

static struct quipu__undumpi_line make_line(struct constructor *constructor,
                                            const struct quipu_record_type *type,
                                            const struct quipu_field *field) {
    const enum quipu__undumpi_form form = form_of(field);
    return (struct quipu__undumpi_line){
        .form = (uint8_t)form,
        .bytes = (uint8_t)quipu__storage_bytes((enum quipu_storage)field->storage),
        .shows_empty = field->storage == QUIPU_STORE_I16,
        .member = field->offset,
        .count = field->count >= 0 ? type->fields[field->count].offset : 0,
        .prefix = make_text(constructor, field->domain->word, " ", field->name, ends[form]),
        .labels = form == QUIPU__UNDUMPI_NUMBER ? labels_of(constructor, field->domain) : NULL,
    };
}

/* Fields that the newest version of the format has no more are not printed. */
static bool is_printed(const struct quipu_field *field) {
    return field->until == 0;
}

static void make_page(struct constructor *constructor, const struct quipu_record_type *type,
                      struct quipu__undumpi_page *page) {
    struct quipu__undumpi_line *lines = allocate(constructor, (type->field_count + (size_t)1) * sizeof *lines);
    *page = (struct quipu__undumpi_page){
        .type = type,
        .entering = make_text(constructor, type->name, " entering at walltime ", "", ""),
        .returning = make_text(constructor, type->name, " returning at walltime ", "", ""),
        .lines = lines,
    };
    for (size_t i = 0; lines && i < type->field_count; i++)
        if (is_printed(&type->fields[i]))
            lines[page->line_count++] = make_line(constructor, type, &type->fields[i]);
}

enum quipu_status quipu__undumpi_sheet_init(struct quipu__undumpi_sheet *sheet, struct quipu__memory *memory,
                                            struct quipu_error *err) {
    struct constructor constructor = {.sheet = sheet};
    quipu__arena_init(&sheet->arena, memory);
    for (size_t type = 0; type < QUIPU__DUMPI_TYPE_head; type++)
        make_page(&constructor, &quipu__dumpi_types[type], &sheet->pages[type]);
    if (!constructor.failed)
        return QUIPU_OK;
    quipu__undumpi_sheet_release(sheet);
    *err = (struct quipu_error)QUIPU_ERROR_INIT;
    snprintf(err->message, sizeof err->message, "memory is out");
    return err->status = QUIPU_NO_MEMORY;
}

void quipu__undumpi_sheet_release(struct quipu__undumpi_sheet *sheet) {
    quipu__arena_release(&sheet->arena);
}

const char *quipu__undumpi_function_name(uint32_t id) {
    if (id == QUIPU__DUMPI_PCONTROL)
        return "MPI_Pcontrol";
    if (id == QUIPU__DUMPI_OLD_END)
        return "MPI_ALL_FUNCTIONS";
    const uint32_t type = quipu__dumpi_type_of(id);
    return type == QUIPU_NONE ? NULL : quipu__dumpi_types[type].name;
}
