/* describe.c: the reference page of a schema. */
#include "schema/schema.h"

#include "core/error.h"
#include "core/text/json.h"

#include <ctype.h>
#include <stdio.h>

static const char *const role_names[] = {
#define QUIPU_ROLE(name, text) #name,
#include <quipu/roles.def>
#undef QUIPU_ROLE
};

static const char *const role_texts[] = {
#define QUIPU_ROLE(name, text) text,
#include <quipu/roles.def>
#undef QUIPU_ROLE
};

static const char *const storage_texts[] = {
#define QUIPU_STORAGE(name, c_type, text) text,
#include <quipu/types.def>
#undef QUIPU_STORAGE
};

static void put_lower(struct quipu__buffer *out, const char *text) {
    for (; *text; text++)
        quipu__put_u8(out, (uint8_t)tolower((unsigned char)*text));
}

static void put_condition(struct quipu__buffer *out, const struct quipu_record_type *type,
                          const struct quipu_field *field) {
    if (field->when >= 0)
        quipu__put_format(out, " Only when %s equals %s.", type->fields[field->when].name,
                          type->fields[field->equals].name);
    if (field->optional)
        quipu__put_text(out, " May be missing.");
}

/* ---- Markdown ---- */

static void put_markdown_field(struct quipu__buffer *out, const struct quipu_record_type *type,
                               const struct quipu_field *field) {
    quipu__put_format(out, "| %s | %s%s | ", field->name, field->domain->name,
                      field->shape == QUIPU_LIST ? "[]" : "");
    put_lower(out, role_names[field->domain->role]);
    quipu__put_format(out, " | %s.", field->doc);
    put_condition(out, type, field);
    quipu__put_text(out, " |\n");
}

static void put_markdown_type(struct quipu__buffer *out, const struct quipu_record_type *type) {
    quipu__put_format(out, "\n## %s\n\n%s. Number %u.", type->name, type->doc, type->id);
    if (type->key_long && type->key_long[0])
        quipu__put_format(out, " Keyword `%s`, long form `%s`.", type->key, type->key_long);
    else if (type->key && type->key[0])
        quipu__put_format(out, " In the file `%s`.", type->key);
    quipu__put_text(out, "\n");
    if (type->field_count == 0)
        return;
    quipu__put_text(out, "\n| field | type | role | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < type->field_count; i++)
        put_markdown_field(out, type, &type->fields[i]);
}

static void put_markdown(struct quipu__buffer *out, const struct quipu_schema *schema) {
    quipu__put_format(out, "# Records of %s\n\n%zu record types.\n", schema->name, schema->type_count);
    if (schema->common)
        put_markdown_type(out, schema->common);
    for (size_t i = 0; i < schema->type_count; i++)
        put_markdown_type(out, &schema->types[i]);
}

/* ---- JSON ---- */

static void put_json_labels(struct quipu__json *json, const struct quipu_domain *domain) {
    char value[24];
    quipu__json_open(json, "labels", QUIPU__JSON_OBJECT);
    for (size_t i = 0; i < domain->label_count; i++) {
        snprintf(value, sizeof value, "%lld", (long long)domain->labels[i].value);
        quipu__json_text(json, value, domain->labels[i].text);
    }
    quipu__json_close(json);
}

static void put_json_field(struct quipu__json *json, const struct quipu_field *field) {
    const struct quipu_domain *domain = field->domain;
    quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_text(json, "name", field->name);
    quipu__json_text(json, "type", domain->name);
    quipu__json_bool(json, "list", field->shape == QUIPU_LIST);
    quipu__json_text(json, "storage", storage_texts[field->storage]);
    quipu__json_text(json, "role", role_texts[domain->role]);
    quipu__json_text(json, "doc", field->doc);
    if (domain->label_count)
        put_json_labels(json, domain);
    quipu__json_close(json);
}

static void put_json_type(struct quipu__json *json, const char *key, const struct quipu_record_type *type) {
    quipu__json_open(json, key, QUIPU__JSON_OBJECT);
    quipu__json_text(json, "name", type->name);
    quipu__json_u64(json, "id", type->id);
    quipu__json_text(json, "doc", type->doc);
    quipu__json_open(json, "fields", QUIPU__JSON_LIST);
    for (size_t i = 0; i < type->field_count; i++)
        put_json_field(json, &type->fields[i]);
    quipu__json_close(json);
    quipu__json_close(json);
}

static void put_json(struct quipu__buffer *out, const struct quipu_schema *schema) {
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    quipu__json_text(&json, "format", schema->name);
    if (schema->common)
        put_json_type(&json, "common", schema->common);
    else
        quipu__json_null(&json, "common");
    quipu__json_open(&json, "types", QUIPU__JSON_LINES);
    for (size_t i = 0; i < schema->type_count; i++)
        put_json_type(&json, NULL, &schema->types[i]);
    quipu__put_u8(out, '\n');
    quipu__json_close(&json);
    quipu__json_close(&json);
}

enum quipu_status quipu_schema_write(const struct quipu_schema *schema, bool json, struct quipu_sink sink,
                                     struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    (json ? put_json : put_markdown)(&printing.out, schema);
    return quipu__printing_end(&printing);
}
