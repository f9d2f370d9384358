/* write_loss.c: showing a loss, as text and as JSON. Rows of types that do not occur are left out, unless nothing
 * has been counted: then the question is how every type would come over. */
#include "convert/loss.h"
#include "core/buffer.h"

static const char *how_name(enum quipu__how how) {
    static const char *const names[] = {"exact", "approximated", "dropped"};
    return names[how];
}

static bool is_shown(const struct quipu_conversion_report *loss, const struct quipu__loss_type *row) {
    return !loss->is_counted || row->total > 0;
}

static struct quipu__loss_type totals_of(const struct quipu_conversion_report *loss) {
    struct quipu__loss_type sum = {0};
    for (uint32_t i = 0; i < loss->type_count; i++) {
        sum.total += loss->types[i].total;
        sum.exact += loss->types[i].exact;
        sum.approximated += loss->types[i].approximated;
        sum.dropped += loss->types[i].dropped;
    }
    return sum;
}

/* ---- JSON ---- */

static void put_number(struct quipu__buffer *out, const char *key, uint64_t value, bool is_known) {
    quipu__put_format(out, "\"%s\": ", key);
    if (is_known)
        quipu__put_u64(out, value);
    else
        quipu__put_text(out, "null");
}

static void put_totals_json(struct quipu__buffer *out, const struct quipu__loss_type *row, bool is_counted) {
    put_number(out, "total", row->total, is_counted);
    quipu__put_text(out, ", ");
    put_number(out, "exact", row->exact, is_counted);
    quipu__put_text(out, ", ");
    put_number(out, "approximated", row->approximated, is_counted);
    quipu__put_text(out, ", ");
    put_number(out, "dropped", row->dropped, is_counted);
}

static void put_field_json(struct quipu__buffer *out, const struct quipu__loss_type *row,
                           const struct quipu__loss_field *field) {
    quipu__put_text(out, "{\"name\": ");
    quipu__put_json(out, field->name, strlen(field->name));
    quipu__put_format(out, ", \"how\": \"%s\", \"why\": ", how_name(field->how));
    quipu__put_json(out, field->reason, strlen(field->reason));
    quipu__put_text(out, ", ");
    put_number(out, "count", field->count, field->count != QUIPU_UNKNOWN);
    quipu__put_text(out, ", ");
    put_number(out, "first", row->first_record, row->first_record != QUIPU_UNKNOWN);
    quipu__put_text(out, ", ");
    put_number(out, "stream", row->first_stream, row->first_stream != QUIPU_NONE);
    quipu__put_text(out, "}");
}

static void put_row_json(struct quipu__buffer *out, const struct quipu_conversion_report *loss,
                         const struct quipu__loss_type *row) {
    quipu__put_text(out, "{\"type\": ");
    quipu__put_json(out, row->type->name, strlen(row->type->name));
    quipu__put_format(out, ", \"how\": \"%s\", ", how_name(row->how));
    put_totals_json(out, row, loss->is_counted);
    quipu__put_text(out, ", \"fields\": [");
    for (size_t i = 0; i < row->fields.count; i++) {
        quipu__put_text(out, i ? ", " : "");
        put_field_json(out, row, &row->fields.items[i]);
    }
    quipu__put_text(out, "]}");
}

/* {"attributes": …, "events": {kind: number}} of what was selected, null when everything was. */
static void put_selected_json(struct quipu__buffer *out, const struct quipu_conversion_report *loss) {
    const char *separator = "";
    quipu__put_text(out, ",\n\"selected\": ");
    if (!loss->is_part) {
        quipu__put_text(out, "null");
        return;
    }
    quipu__put_format(out, "{\"attributes\": %s, \"events\": {", loss->without_attributes ? "false" : "true");
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        if (loss->selected[kind] == 0)
            continue;
        quipu__put_text(out, separator);
        put_number(out, quipu_kind_at((enum quipu_kind)kind)->name, loss->selected[kind], true);
        separator = ", ";
    }
    quipu__put_text(out, "}}");
}

static void put_json(struct quipu__buffer *out, const struct quipu_conversion_report *loss) {
    const struct quipu__loss_type sum = totals_of(loss);
    const char *separator = "\n";
    quipu__put_text(out, "{\"records\": [");
    for (uint32_t i = 0; i < loss->type_count; i++) {
        if (!is_shown(loss, &loss->types[i]))
            continue;
        quipu__put_text(out, separator);
        put_row_json(out, loss, &loss->types[i]);
        separator = ",\n";
    }
    quipu__put_text(out, "],\n\"totals\": {");
    put_totals_json(out, &sum, loss->is_counted);
    quipu__put_text(out, "}");
    put_selected_json(out, loss);
    quipu__put_text(out, "}\n");
}

/* ---- Text ---- */

static void put_totals_text(struct quipu__buffer *out, const char *name, const struct quipu__loss_type *row) {
    quipu__put_format(out, "%-28s %12llu %12llu %12llu %12llu\n", name, (unsigned long long)row->total,
                      (unsigned long long)row->exact, (unsigned long long)row->approximated,
                      (unsigned long long)row->dropped);
}

static void put_row_text(struct quipu__buffer *out, const struct quipu_conversion_report *loss,
                         const struct quipu__loss_type *row) {
    if (loss->is_counted)
        put_totals_text(out, row->type->name, row);
    else
        quipu__put_format(out, "%-28s %s\n", row->type->name, how_name(row->how));
    for (size_t i = 0; i < row->fields.count; i++) {
        const struct quipu__loss_field *field = &row->fields.items[i];
        const bool is_whole = strcmp(field->name, "*") == 0;
        quipu__put_format(out, "  %s%s%s: %s", is_whole ? "" : field->name, is_whole ? "" : " ",
                          how_name(field->how), field->reason);
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
    const struct quipu__loss_type sum = totals_of(loss);
    if (loss->is_counted)
        quipu__put_format(out, "%-28s %12s %12s %12s %12s\n", "record", "total", "exact", "approximated",
                          "dropped");
    for (uint32_t i = 0; i < loss->type_count; i++)
        if (is_shown(loss, &loss->types[i]))
            put_row_text(out, loss, &loss->types[i]);
    if (loss->is_counted)
        put_totals_text(out, "all", &sum);
    if (loss->is_part)
        put_selected_text(out, loss);
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
