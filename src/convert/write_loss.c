/* write_loss.c: showing a conversion report, as text and as JSON. Rows of types that do not occur are left out, unless nothing
 * was counted: then the report says how every type would be converted. */
#include "convert/loss.h"
#include "core/text/json.h"
#include "core/text.h"

#include <ctype.h>
#include <stdio.h>

static const char *outcome_name(enum quipu__record_outcome outcome) {
    static const char *const names[] = {"exact", "respelled", "approximated", "dropped"};
    return names[outcome];
}

static bool is_shown(const struct quipu_conversion_report *loss, const struct quipu__loss_type *row) {
    return !loss->is_counted || row->total > 0;
}

static struct quipu__loss_type totals_of(const struct quipu_conversion_report *loss) {
    struct quipu__loss_type all = {0};
    for (uint32_t i = 0; i < loss->type_count; i++) {
        all.total += loss->types[i].total;
        for (unsigned outcome = 0; outcome < QUIPU__RECORD_OUTCOMES; outcome++)
            all.of[outcome] += loss->types[i].of[outcome];
    }
    return all;
}

/* ---- Reasons ---- */

enum { NAME_BYTES = 32, KINDS_BYTES = 768, REASON_BYTES = 1024 };

/* Names of formats that can be read are acronyms. */
static const char *name_target(const struct quipu_conversion_report *loss, char name[NAME_BYTES]) {
    snprintf(name, NAME_BYTES, "%s", loss->target->info.name);
    for (char *letter = name; loss->target->reading && *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    return name;
}

static const char *list_definitions(uint32_t definitions, char list[KINDS_BYTES]) {
    static const char *const names[] = {
#define QUIPU_DEFINITION(plural, singular, doc) #plural,
#include <quipu/definitions.def>
#undef QUIPU_DEFINITION
#define QUIPU__DEFINITION_FIELD(plural, field, phrase, is_set) phrase,
#include "model/definition_fields.def"
#undef QUIPU__DEFINITION_FIELD
    };
    size_t len = 0;
    list[0] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof *names && len < KINDS_BYTES; i++)
        if ((definitions >> i & 1) != 0)
            len += (size_t)snprintf(list + len, KINDS_BYTES - len, "%s%s", len > 0 ? ", " : "", names[i]);
    return list;
}

static const char *list_kinds(quipu_kinds kinds, char list[KINDS_BYTES]) {
    size_t len = 0;
    list[0] = '\0';
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT && len < KINDS_BYTES; kind++)
        if ((kinds >> kind & 1) != 0)
            len += (size_t)snprintf(list + len, KINDS_BYTES - len, "%s%s", len > 0 ? ", " : "",
                                    quipu_kind_at((enum quipu_kind)kind)->name);
    return list;
}

/* The reason with its placeholders filled in. */
static const char *word_reason(const struct quipu_conversion_report *loss, const struct quipu__loss_type *row,
                               const struct quipu__loss_field *field, char reason[REASON_BYTES]) {
    char name[NAME_BYTES], list[KINDS_BYTES], definitions[KINDS_BYTES];
    const struct quipu__placeholder placeholders[] = {
        {"target", loss->target ? name_target(loss, name) : ""},
        {"kinds", list_kinds(row->missing, list)},
        {"definitions", list_definitions(row->definitions, definitions)}};
    quipu__text_fill(reason, REASON_BYTES, field->reason, placeholders, 3);
    return reason;
}

/* ---- JSON ---- */

static void put_totals_json(struct quipu__json *json, const struct quipu__loss_type *row, bool is_counted) {
    quipu__json_u64(json, "total", is_counted ? row->total : QUIPU_UNKNOWN);
    for (unsigned outcome = 0; outcome < QUIPU__RECORD_OUTCOMES; outcome++)
        quipu__json_u64(json, outcome_name((enum quipu__record_outcome)outcome),
                        is_counted ? row->of[outcome] : QUIPU_UNKNOWN);
}

static void put_field_json(struct quipu__json *json, const struct quipu_conversion_report *loss,
                           const struct quipu__loss_type *row, const struct quipu__loss_field *field) {
    char reason[REASON_BYTES];
    quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_text(json, "name", field->name);
    quipu__json_text(json, "how", outcome_name(field->outcome));
    quipu__json_text(json, "why", word_reason(loss, row, field, reason));
    quipu__json_u64(json, "count", field->count);
    quipu__json_u64(json, "first", row->first_record);
    quipu__json_u64(json, "stream", row->first_stream == QUIPU_NONE ? QUIPU_UNKNOWN : row->first_stream);
    quipu__json_close(json);
}

/* The worst of what was foreseen of a type and what became of its records. */
static enum quipu__record_outcome worst_of(const struct quipu__loss_type *row) {
    unsigned worst = QUIPU__RECORD_OUTCOMES - 1;
    while (worst > (unsigned)row->outcome && row->of[worst] == 0)
        worst--;
    return (enum quipu__record_outcome)worst;
}

static void put_row_json(struct quipu__json *json, const struct quipu_conversion_report *loss,
                         const struct quipu__loss_type *row) {
    quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_text(json, "type", row->type->name);
    quipu__json_text(json, "how", outcome_name(worst_of(row)));
    put_totals_json(json, row, loss->is_counted);
    quipu__json_open(json, "fields", QUIPU__JSON_LIST);
    for (size_t i = 0; i < row->fields.count; i++)
        put_field_json(json, loss, row, &row->fields.items[i]);
    quipu__json_close(json);
    quipu__json_close(json);
}

/* {"attributes": …, "events": {kind: number}} of what was selected, null when everything was. */
static void put_selected_json(struct quipu__json *json, const struct quipu_conversion_report *loss) {
    if (!loss->is_part) {
        quipu__json_null(json, "selected");
        return;
    }
    quipu__json_open(json, "selected", QUIPU__JSON_OBJECT);
    quipu__json_bool(json, "attributes", !loss->without_attributes);
    quipu__json_open(json, "events", QUIPU__JSON_OBJECT);
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (loss->selected[kind] > 0)
            quipu__json_u64(json, quipu_kind_at((enum quipu_kind)kind)->name, loss->selected[kind]);
    quipu__json_close(json);
    quipu__json_close(json);
}

/* {"moved": events, "earlier_ns": …, "later_ns": …} of events that got other times, null when all are as they were read. */
static void put_moved_json(struct quipu__json *json, const struct quipu_conversion_report *loss) {
    if (!loss->is_retimed) {
        quipu__json_null(json, "times");
        return;
    }
    quipu__json_open(json, "times", QUIPU__JSON_OBJECT);
    quipu__json_u64(json, "moved", loss->moved_events.moved);
    quipu__json_u64(json, "earlier_ns", (uint64_t)loss->moved_events.earlier);
    quipu__json_u64(json, "later_ns", (uint64_t)loss->moved_events.later);
    quipu__json_close(json);
}

/* {name: number} of what a recorder could not record, null when nothing is known to be missing. */
static void put_unrecorded_json(struct quipu__json *json, const struct quipu_conversion_report *loss) {
    if (loss->unrecorded_count == 0) {
        quipu__json_null(json, "not_recorded");
        return;
    }
    quipu__json_open(json, "not_recorded", QUIPU__JSON_OBJECT);
    for (size_t i = 0; i < loss->unrecorded_count; i++)
        quipu__json_u64(json, loss->unrecorded[i].name, loss->unrecorded[i].count);
    quipu__json_close(json);
}

static void put_json(struct quipu__buffer *out, const struct quipu_conversion_report *loss) {
    const struct quipu__loss_type all = totals_of(loss);
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    quipu__json_open(&json, "records", QUIPU__JSON_LINES);
    for (uint32_t i = 0; i < loss->type_count; i++)
        if (is_shown(loss, &loss->types[i]))
            put_row_json(&json, loss, &loss->types[i]);
    quipu__json_close(&json);
    quipu__json_open(&json, "totals", QUIPU__JSON_OBJECT);
    put_totals_json(&json, &all, loss->is_counted);
    quipu__json_close(&json);
    put_selected_json(&json, loss);
    put_moved_json(&json, loss);
    put_unrecorded_json(&json, loss);
    quipu__json_close(&json);
}

/* ---- Text ---- */

static void put_totals_text(struct quipu__buffer *out, const char *name, const struct quipu__loss_type *row) {
    quipu__put_format(out, "%-28s %12llu", name, (unsigned long long)row->total);
    for (unsigned outcome = 0; outcome < QUIPU__RECORD_OUTCOMES; outcome++)
        quipu__put_format(out, " %12llu", (unsigned long long)row->of[outcome]);
    quipu__put_text(out, "\n");
}

static void put_row_text(struct quipu__buffer *out, const struct quipu_conversion_report *loss,
                         const struct quipu__loss_type *row) {
    if (loss->is_counted)
        put_totals_text(out, row->type->name, row);
    else
        quipu__put_format(out, "%-28s %s\n", row->type->name, outcome_name(row->outcome));
    for (size_t i = 0; i < row->fields.count; i++) {
        const struct quipu__loss_field *field = &row->fields.items[i];
        const bool is_whole = strcmp(field->name, "*") == 0;
        char reason[REASON_BYTES];
        quipu__put_format(out, "  %s%s%s: %s", is_whole ? "" : field->name, is_whole ? "" : " ",
                          outcome_name(field->outcome), word_reason(loss, row, field, reason));
        if (field->count != QUIPU_UNKNOWN && field->count != row->total)
            quipu__put_format(out, " (%llu)", (unsigned long long)field->count);
        quipu__put_text(out, "\n");
    }
}

static void put_selected_text(struct quipu__buffer *out, const struct quipu_conversion_report *loss) {
    quipu__put_text(out, "selected of these records:");
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (loss->selected[kind] > 0)
            quipu__put_format(out, " %llu %s", (unsigned long long)loss->selected[kind],
                              quipu_kind_at((enum quipu_kind)kind)->name);
    quipu__put_text(out, quipu_conversion_report_selected(loss) == 0 ? " no events" : "");
    quipu__put_text(out, loss->without_attributes ? ", without attributes\n" : "\n");
}

static void put_text(struct quipu__buffer *out, const struct quipu_conversion_report *loss) {
    const struct quipu__loss_type all = totals_of(loss);
    if (loss->is_counted)
        quipu__put_format(out, "%-28s %12s %12s %12s %12s %12s\n", "record", "total", "exact", "respelled",
                          "approximated", "dropped");
    for (uint32_t i = 0; i < loss->type_count; i++)
        if (is_shown(loss, &loss->types[i]))
            put_row_text(out, loss, &loss->types[i]);
    if (loss->is_counted)
        put_totals_text(out, "all", &all);
    if (loss->is_part)
        put_selected_text(out, loss);
    if (loss->is_retimed)
        quipu__put_format(out, "events with other times: %llu, at most %lld ns earlier and %lld ns later\n",
                          (unsigned long long)loss->moved_events.moved, (long long)loss->moved_events.earlier,
                          (long long)loss->moved_events.later);
    for (size_t i = 0; i < loss->unrecorded_count; i++)
        quipu__put_format(out, "not recorded: %s %llu\n", loss->unrecorded[i].name,
                          (unsigned long long)loss->unrecorded[i].count);
}

enum quipu_status quipu_conversion_report_write(const struct quipu_conversion_report *loss, bool json,
                                                struct quipu_sink sink, struct quipu_error *err) {
    struct quipu__printing printing;
    quipu__printing_begin(&printing, sink, err);
    if (json)
        put_json(&printing.out, loss);
    else
        put_text(&printing.out, loss);
    return quipu__printing_end(&printing);
}
