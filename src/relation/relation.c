/* relation.c: the list of relations: those of relations.def, the classes of definitions, the tables of analyses. */
#include "relation/relation.h"

#include "analysis/shared/fold.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

#define QUIPU_RELATION(name) extern const struct quipu__relation quipu__##name##_relation;
#include "relation/relations.def"
#undef QUIPU_RELATION

static const struct quipu__relation *const streamed[] = {
#define QUIPU_RELATION(name) &quipu__##name##_relation,
#include "relation/relations.def"
#undef QUIPU_RELATION
};
enum { STREAMED = sizeof streamed / sizeof *streamed };

/* ---- Names of the tables of analyses ---- */

static bool is_streamed(const char *name) {
    for (size_t i = 0; i < STREAMED; i++)
        if (strcmp(streamed[i]->shape->name, name) == 0)
            return true;
    return false;
}

/* Words of relations are joined by _, so that they are names in SQL. */
static void join_words(char *name) {
    for (; *name; name++)
        if (*name == '-')
            *name = '_';
}

/* The table that has the analysis's name, or else the first one. */
static bool is_main(const struct quipu_analysis *analysis, size_t table) {
    size_t main_table = 0;
    for (size_t i = analysis->table_count; i-- > 0;)
        if (strcmp(analysis->tables[i].name, analysis->name) == 0)
            main_table = i;
    return table == main_table;
}

/* The main table of an analysis has the analysis's name; the others have it in front, unless they have it already. */
static void name_table(const struct quipu_analysis *analysis, size_t table, char name[QUIPU_RELATION_NAME]) {
    const char *own = analysis->tables[table].name;
    const bool has_prefix = strncmp(own, analysis->name, strlen(analysis->name)) == 0;
    if (is_main(analysis, table) && !is_streamed(analysis->name))
        snprintf(name, QUIPU_RELATION_NAME, "%s", analysis->name);
    else if (has_prefix && !is_streamed(own))
        snprintf(name, QUIPU_RELATION_NAME, "%s", own);
    else
        snprintf(name, QUIPU_RELATION_NAME, "%s_%s", analysis->name, has_prefix ? "analysis" : own);
    join_words(name);
}

/* Tables of the same name are one: an analysis makes only one of them at a time. One that is streamed stands for a table of its name. */
static bool is_repeated(const struct quipu_analysis *analysis, size_t table, const char *name) {
    for (size_t i = 0; i < table; i++)
        if (strcmp(analysis->tables[i].name, analysis->tables[table].name) == 0)
            return true;
    return is_streamed(name);
}

static bool has_column(const struct quipu__relation *relation, const char *name) {
    bool has = false;
    for (size_t i = 0; i < relation->column_count; i++)
        has |= strcmp(relation->columns[i].name, name) == 0;
    return has;
}

static void add_columns(struct quipu__relation *relation, const struct quipu_analysis_table *table) {
    for (size_t i = 0; i < table->column_count && relation->column_count < QUIPU_RELATION_COLUMNS; i++)
        if (!has_column(relation, table->columns[i].name))
            relation->columns[relation->column_count++] = table->columns[i];
}

/* The columns of all tables of a name: options of the analysis choose one of them. */
static void add_all_columns(struct quipu__relation *relation, const struct quipu_analysis *analysis) {
    for (size_t i = 0; i < analysis->table_count; i++)
        if (strcmp(analysis->tables[i].name, relation->shape->name) == 0)
            add_columns(relation, &analysis->tables[i]);
}

/* ---- The list ---- */

/* Whether a relation is the one that is looked for: by its name, or without one by its index, which is counted down. */
static bool is_wanted(const char *name, const char *wanted, size_t *index) {
    return wanted ? strcmp(name, wanted) == 0 : (*index)-- == 0;
}

static bool find_answer(const char *wanted, size_t index, struct quipu__relation *out,
                        char name[QUIPU_RELATION_NAME]) {
    for (size_t i = 0; i < quipu_analysis_count(); i++) {
        const struct quipu_analysis *analysis = quipu_analysis_at(i);
        for (size_t table = 0; table < analysis->table_count; table++) {
            name_table(analysis, table, name);
            if (is_repeated(analysis, table, name) || !is_wanted(name, wanted, &index))
                continue;
            *out = quipu__table_relation;
            out->fold = quipu__fold_at(i);
            out->shape = &analysis->tables[table];
            out->criteria = analysis->needs_everything ? 0 : QUIPU__BY_ALL;
            add_all_columns(out, analysis);
            return true;
        }
    }
    return false;
}

static bool give(const struct quipu__relation *relation, const struct quipu_analysis_table *shape,
                 struct quipu__relation *out, char name[QUIPU_RELATION_NAME]) {
    *out = *relation;
    out->shape = shape;
    add_columns(out, shape);
    snprintf(name, QUIPU_RELATION_NAME, "%s", shape->name);
    return true;
}

static bool find(const char *wanted, size_t index, struct quipu__relation *out,
                 char name[QUIPU_RELATION_NAME]) {
    const struct quipu_analysis_table *shape;
    for (size_t i = 0; i < STREAMED; i++)
        if (is_wanted(streamed[i]->shape->name, wanted, &index))
            return give(streamed[i], streamed[i]->shape, out, name);
    for (size_t i = 0; (shape = quipu_definition_class_at(i)) != NULL; i++)
        if (is_wanted(shape->name, wanted, &index))
            return give(&quipu__table_relation, shape, out, name);
    return find_answer(wanted, index, out, name);
}

bool quipu__relation_at(size_t index, struct quipu__relation *out, char name[QUIPU_RELATION_NAME]) {
    return find(NULL, index, out, name);
}

enum quipu_status quipu__relation_find(const char *wanted, struct quipu__relation *out,
                                       struct quipu_error *err) {
    char name[QUIPU_RELATION_NAME];
    return find(wanted, 0, out, name) ? QUIPU_OK
                                      : quipu__fail(err, QUIPU_NOT_FOUND, "no relation \"%s\"", wanted);
}

static bool find_public(const char *wanted, size_t index, struct quipu_relation *out) {
    struct quipu__relation relation;
    *out = (struct quipu_relation){.name = ""};
    if (!find(wanted, index, &relation, out->name))
        return false;
    out->doc = relation.shape->doc;
    memcpy(out->columns, relation.columns, sizeof out->columns);
    out->column_count = relation.column_count;
    out->options = relation.fold ? relation.fold->info.options : NULL;
    out->option_count = relation.fold ? relation.fold->info.option_count : 0;
    out->is_streamed = relation.is_streamed;
    return true;
}

bool quipu_relation_at(size_t index, struct quipu_relation *out) {
    return find_public(NULL, index, out);
}

bool quipu_relation_find(const char *name, struct quipu_relation *out) {
    return find_public(name, 0, out);
}
