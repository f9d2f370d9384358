/* topic_lists.c: quipu help kinds, columns and rules: what the library's tables list. */
#include "topics.h"

#include <quipu/quipu.h>

#include <string.h>

typedef void put_fn(void *context, const struct topic_section *section);

static void put_heading(put_fn *put, void *context, const char *name, const char *doc) {
    char text[512];
    snprintf(text, sizeof text, "%s: %s", name, doc);
    put(context, &(struct topic_section){TOPIC_HEADING, NULL, text});
}

static void put_entry(put_fn *put, void *context, const char *head, const char *text) {
    put(context, &(struct topic_section){TOPIC_ENTRY, head, text});
}

static void put_paragraph(put_fn *put, void *context, const char *text) {
    put(context, &(struct topic_section){TOPIC_PARAGRAPH, NULL, text});
}

/* ---- Kinds ---- */

void topic_kinds(put_fn *put, void *context) {
    put_paragraph(
        put, context,
        "Every event has a time and a location, fields of its kind, and any number of attributes. Where kinds "
        "are "
        "chosen, a family stands for all of its kinds. Fields are named as \"quipu cat\" prints them.");
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        char doc[256];
        snprintf(doc, sizeof doc, "%s (family %s)", kind->doc, kind->family);
        put_heading(put, context, kind->name, doc);
        for (size_t k = 0; k < kind->field_count; k++)
            put_entry(put, context, kind->fields[k].name, kind->fields[k].doc);
    }
}

/* ---- Columns ---- */

static void put_columns(put_fn *put, void *context, const struct quipu_analysis_table *table) {
    for (size_t i = 0; i < table->column_count; i++) {
        const struct quipu_table_column *column = &table->columns[i];
        char text[512];
        snprintf(text, sizeof text, "%s%s%s%s", column->doc, column->unit[0] ? " [" : "", column->unit,
                 column->unit[0] ? "]" : "");
        put_entry(put, context, column->name, text);
    }
}

void topic_columns(put_fn *put, void *context) {
    char name[128];
    put_paragraph(put, context,
                  "The tables of each analysis and of \"quipu definitions\", with their columns and units.");
    for (size_t i = 0; i < quipu_analysis_count(); i++) {
        const struct quipu_analysis *analysis = quipu_analysis_at(i);
        for (size_t k = 0; k < analysis->table_count; k++) {
            snprintf(name, sizeof name, "%s, table %s", analysis->name, analysis->tables[k].name);
            put_heading(put, context, name, analysis->tables[k].doc);
            put_columns(put, context, &analysis->tables[k]);
        }
    }
    for (size_t i = 0; quipu_definition_class_at(i); i++) {
        snprintf(name, sizeof name, "definitions, table %s", quipu_definition_class_at(i)->name);
        put_heading(put, context, name, quipu_definition_class_at(i)->doc);
        put_columns(put, context, quipu_definition_class_at(i));
    }
}

/* ---- Rules ---- */

static void put_rules(put_fn *put, void *context, const struct quipu_rule *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[768];
        snprintf(text, sizeof text, "%s: %s%s%s", quipu_severity_name(rules[i].severity), rules[i].text,
                 rules[i].advice[0] ? "; " : "", rules[i].advice);
        put_entry(put, context, rules[i].id, text);
    }
}

void topic_rules(put_fn *put, void *context) {
    size_t count;
    const struct quipu_rule *rules = quipu_model_rules(&count);
    put_paragraph(put, context,
                  "Errors and data loss make the verdict of \"quipu check\" reject, notices make it warn; "
                  "remarks and infos do not "
                  "change it.");
    put_heading(put, context, "all formats", "rules of traces in general");
    put_rules(put, context, rules, count);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        if (format->rule_count == 0)
            continue;
        put_heading(put, context, format->name, format->title);
        put_rules(put, context, format->rules, format->rule_count);
    }
}
