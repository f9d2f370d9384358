/* topics.c: what "quipu help" explains besides commands: the grammar of expressions, and what the library's tables list. docs/where.md and
 * quipu/where.h have the same grammar; a test compares them. */
#include "topics.h"

#include <quipu/quipu.h>

#include <stdio.h>
#include <string.h>

/* ---- Pieces ---- */

static void put_heading(topic_put *put, void *context, const char *name, const char *doc) {
    char text[512];
    snprintf(text, sizeof text, "%s: %s", name, doc);
    put(context, &(struct topic_section){TOPIC_HEADING, NULL, text});
}

static void put_entry(topic_put *put, void *context, const char *head, const char *text) {
    put(context, &(struct topic_section){TOPIC_ENTRY, head, text});
}

static void put_paragraph(topic_put *put, void *context, const char *text) {
    put(context, &(struct topic_section){TOPIC_PARAGRAPH, NULL, text});
}

/* ---- Expressions ---- */

static const char grammar[] = "expression = term { (\"||\" | \"or\") term }\n"
                              "term       = factor { (\"&&\" | \"and\") factor }\n"
                              "factor     = (\"!\" | \"not\") factor | \"(\" expression \")\" | test\n"
                              "test       = field\n"
                              "           | field (\"==\" | \"=\" | \"!=\") value\n"
                              "           | field (\"<\" | \"<=\" | \">\" | \">=\") number\n"
                              "           | field (\"~\" | \"!~\") text\n"
                              "           | field [\"not\"] \"in\" item { \",\" item }\n"
                              "item       = value | number \"-\" number\n"
                              "value      = number | text\n"
                              "text       = \"...\" | '...' | a word\n"
                              "number     = [\"-\"] digits [\".\" digits] [unit] | \"0x\" digits\n"
                              "unit       = k K M G T | Ki Mi Gi Ti | ns us ms s min h";

static const char examples[] = "bytes > 1M && region ~ \"MPI_I?send\" && rank in 0-7 && duration > 10us\n"
                               "kind in send,recv && peer.rank == 0\n"
                               "time in 1.5s-2s && !(role == mpi-collective)\n"
                               "kind == marker && text ~ \"iteration [0-9]+\"";

static const struct topic_section beginning[] = {
    {TOPIC_PARAGRAPH, NULL,
     "An expression is true or false for each event. It is checked before a trace is opened, and what it says "
     "of kinds, locations "
     "and times is not even read where it cannot be true."},
    {TOPIC_LINES, NULL, examples},
    {TOPIC_HEADING, NULL, "Grammar"},
    {TOPIC_LINES, NULL, grammar},
    {TOPIC_PARAGRAPH, NULL,
     "A field alone asks whether the event has it. ~ looks for a regular expression anywhere in the text, "
     "letters of either case; == compares all of it. Regular expressions are those of PCRE2 (what grep -E "
     "takes), "
     "without back references; one that needs too many steps, in one text or in all, ends the command (6). k, "
     "M, G and T are thousands, Ki, Mi, Gi and Ti steps of 1024; a B "
     "may stand behind "
     "them. Both ends of a range belong to it."},
    {TOPIC_PARAGRAPH, NULL,
     "A test of a field that the event does not have, or whose value is not known, is false, also with !=, !~ "
     "and \"not in\"; "
     "! in front of it makes that true. Times count from the trace's origin; without a unit they are ticks. "
     "With one, times and "
     "durations are compared in nanoseconds, rounded down, as they are printed."},
    {TOPIC_HEADING, NULL, "Fields of all events"},
};

static const struct topic_section behind_fixed[] = {
    {TOPIC_PARAGRAPH, NULL,
     "\nA field that refers to a location may have .rank, .process, .host, .pid or .tid behind it, as "
     "peer.rank; one that refers "
     "to a region .role or .group. What refers to a definition is compared with texts by its name, with "
     "numbers by its number, the "
     "order of definition from 0."},
    {TOPIC_HEADING, NULL, "Fields of some kinds"},
};

static bool is_first_of_its_name(enum quipu_kind kind, const char *name) {
    for (int i = 0; i < (int)kind; i++) {
        const struct quipu_kind_info *earlier = quipu_kind_at((enum quipu_kind)i);
        for (size_t k = 0; k < earlier->field_count; k++)
            if (strcmp(earlier->fields[k].name, name) == 0)
                return false;
    }
    for (size_t i = 0; i < quipu_where_field_count(); i++)
        if (strcmp(quipu_where_field_at(i)->name, name) == 0)
            return false;
    return true;
}

/* "send, recv: length of the message" */
static void put_kind_field(const struct quipu_kind_field *field, topic_put *put, void *context) {
    char text[512];
    size_t len = 0;
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        for (size_t k = 0; k < kind->field_count; k++)
            if (strcmp(kind->fields[k].name, field->name) == 0 && len < sizeof text)
                len += (size_t)snprintf(text + len, sizeof text - len, len > 0 ? ", %s" : "%s", kind->name);
    }
    if (len < sizeof text)
        snprintf(text + len, sizeof text - len, ": %s", field->doc);
    put(context, &(struct topic_section){TOPIC_ENTRY, field->name, text});
}

static void put_topic_where(topic_put *put, void *context) {
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; i++)
        put(context, &beginning[i]);
    for (size_t i = 0; i < quipu_where_field_count(); i++) {
        const struct quipu_where_field *field = quipu_where_field_at(i);
        put(context, &(struct topic_section){TOPIC_ENTRY, field->name, field->doc});
    }
    for (size_t i = 0; i < sizeof behind_fixed / sizeof *behind_fixed; i++)
        put(context, &behind_fixed[i]);
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        for (size_t k = 0; k < kind->field_count; k++)
            if (is_first_of_its_name((enum quipu_kind)i, kind->fields[k].name))
                put_kind_field(&kind->fields[k], put, context);
    }
}

/* ---- Kinds ---- */

static void put_topic_kinds(topic_put *put, void *context) {
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

static void put_columns(topic_put *put, void *context, const struct quipu_analysis_table *table) {
    for (size_t i = 0; i < table->column_count; i++) {
        const struct quipu_table_column *column = &table->columns[i];
        char text[512];
        snprintf(text, sizeof text, "%s%s%s%s", column->doc, column->unit[0] ? " [" : "", column->unit,
                 column->unit[0] ? "]" : "");
        put_entry(put, context, column->name, text);
    }
}

static void put_topic_columns(topic_put *put, void *context) {
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

static void put_rules(topic_put *put, void *context, const struct quipu_rule *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[768];
        snprintf(text, sizeof text, "%s: %s%s%s", quipu_severity_name(rules[i].severity), rules[i].text,
                 rules[i].advice[0] ? "; " : "", rules[i].advice);
        put_entry(put, context, rules[i].id, text);
    }
}

static void put_topic_rules(topic_put *put, void *context) {
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

/* ---- All topics ---- */

const struct topic topics[] = {
    {"where", "expressions of --where, which select events", put_topic_where},
    {"kinds", "kinds of events and their fields", put_topic_kinds},
    {"columns", "columns of the tables that analyses give", put_topic_columns},
    {"rules", "rules that \"quipu check\" looks at, and what to do where one is broken", put_topic_rules},
};
const size_t topic_count = sizeof topics / sizeof *topics;

const struct topic *topic_find(const char *name) {
    for (size_t i = 0; i < topic_count; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}
