/* repair.c: what a writer does besides copying when the trace is damaged.
 *
 * Calls stay as they are, except for what no reader can interpret. What describes them is rebuilt: the footer counts
 * what was kept, lost sections are made from those of other ranks or from defaults, and a rank of which nothing is
 * left gets a file without calls, since readers expect a file of every rank that the metafile counts. */
#include "formats/dumpi/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct quipu_rule repairs[QUIPU__DUMPI_REPAIR_COUNT] = {
#define REPAIR(name, id, severity, text) {id, QUIPU_##severity, text, "", NULL},
#include "formats/dumpi/repairs.def"
#undef REPAIR
};

void quipu__dumpi_repaired(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                           enum quipu__dumpi_repair repair, const char *found, ...) {
    const struct quipu__repairing *repairing = writer->writing->repairing;
    struct quipu__where where = QUIPU__WHERE_INIT;
    char text[200];
    va_list arguments;
    if (!repairing || out->is_rebuilt)
        return;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    if (out->damaged)
        where.file = out->damaged->path;
    quipu__find(repairing->changes, &repairs[repair], &where, "", "%s", text);
}

/* ---- Files of which nothing is left ---- */

const struct quipu__dumpi_file *quipu__dumpi_repair_sibling(const struct quipu__dumpi_writer *writer) {
    const struct quipu__repairing *repairing = writer->writing->repairing;
    const struct quipu__dumpi_trace *own = repairing ? quipu__dumpi_of(repairing->trace) : NULL;
    for (size_t i = 0; own && i < own->files.count; i++)
        if (own->files.items[i].has_header)
            return &own->files.items[i];
    return NULL;
}

enum quipu_status quipu__dumpi_repair_begin(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                            struct quipu_error *err) {
    const struct quipu__dumpi_file *sibling = quipu__dumpi_repair_sibling(writer);
    quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_RANK, "rank %u", out->rank);
    out->is_rebuilt = true; /* then the rest need not be reported */
    if (!sibling)
        return quipu__dumpi_out_begin(writer, out, 0, 0, writer->version, err);
    return quipu__dumpi_out_begin(writer, out, sibling->cpu_bias, sibling->wall_bias, sibling->version, err);
}

/* ---- Bytes between sections ---- */

/* If a section is lost, bytes that belong to no section are its remains; right after the end mark there must be
 * none. */
static bool is_remains(const struct quipu__dumpi_out *out, const struct quipu_record *record) {
    return record->type == &quipu__dumpi_types[QUIPU__DUMPI_TYPE_unknown] &&
           (out->damaged->lost || record->byte_offset == out->behind_end);
}

static bool is_there_already(const struct quipu__dumpi_out *out, const struct quipu_record *record) {
    const size_t section = quipu__dumpi_section_of((uint32_t)(record->type - quipu__dumpi_types));
    return section < QUIPU__DUMPI_SECTION_COUNT && (out->sections >> section & 1) != 0;
}

bool quipu__dumpi_repair_drops(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                               const struct quipu_record *record) {
    struct quipu__repairing *repairing = writer->writing->repairing;
    if (!repairing || !out->damaged || (!is_remains(out, record) && !is_there_already(out, record)))
        return false;
    if (is_remains(out, record))
        quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_BYTES, "%u bytes at byte %llu",
                              quipu_sized_count(((const struct quipu__dumpi_unknown *)record->data)->bytes),
                              (unsigned long long)record->byte_offset);
    else
        quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_TWICE, "%s at byte %llu", record->type->name,
                              (unsigned long long)record->byte_offset);
    repairing->dropped++;
    return true;
}

/* ---- Calls ---- */

/* Whether a record has as many counters as there are names or, if these are lost, as the first record with
 * counters. */
static bool counters_fit(const struct quipu__dumpi_out *out, uint32_t count) {
    if (out->damaged->index.counters != 0)
        return count == out->damaged->metric_count;
    return count > 0 && (out->counter_count == 0 || count == out->counter_count);
}

static void repair_common(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                          struct quipu__dumpi_call *common) {
    const uint32_t count = quipu_sized_count(common->counters);
    if (common->mask & QUIPU__DUMPI_MASK_UNUSED) {
        quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_MASK, "mask %u", common->mask);
        common->mask &= (uint8_t)~QUIPU__DUMPI_MASK_UNUSED;
    }
    if ((common->mask & QUIPU__DUMPI_MASK_COUNTERS) && !counters_fit(out, count)) {
        quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_COUNTERS, "%u counters", count);
        common->mask &= (uint8_t)~QUIPU__DUMPI_MASK_COUNTERS;
        common->counters = NULL;
    }
}

static void repair_statuses(const struct quipu__dumpi_writer *writer, const struct quipu__dumpi_out *out,
                            const struct quipu_record_type *type, void *data) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        int64_t requests = 0;
        if (field->wire != QUIPU__FORM_MARKED || field->count < 0)
            continue;
        void *member = quipu__member(field, data);
        const uint32_t stored = quipu_sized_count(*(const void *const *)member);
        quipu_field_get_i64(&type->fields[field->count], data, &requests);
        if (stored == 0 || stored <= requests)
            continue;
        quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_STATUSES, "%u statuses", stored);
        memset(member, 0, sizeof(void *));
    }
}

enum quipu_status quipu__dumpi_repair_call(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                           const struct quipu_record *record, struct quipu_error *err) {
    const uint32_t type = (uint32_t)(record->type - quipu__dumpi_types);
    struct quipu__dumpi_call common = *(const struct quipu__dumpi_call *)record->common;
    union quipu__dumpi_any data;
    memcpy(&data, record->data, record->type->size);
    repair_common(writer, out, &common);
    repair_statuses(writer, out, record->type, &data);
    return quipu__dumpi_out_call(writer, out, type, &common, &data, err);
}

/* ---- Counts ---- */

/* Pcontrol is counted but never recorded: nothing can show that its count is wrong. */
static bool is_recorded(uint32_t slot) {
    return quipu__dumpi_type_of(slot) != QUIPU_NONE;
}

/* Numbers of calls that left no record are trusted as long as they do not exceed the numbers of calls. */
static void repair_counts(const struct quipu__dumpi_out *out, const struct quipu__dumpi_footer *footer,
                          uint32_t *called, uint32_t *ignored) {
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    for (uint32_t i = 0; i < total; i++) {
        ignored[i] = footer->ignored[i] <= footer->called[i] ? footer->ignored[i] : 0;
        called[i] = is_recorded(i) ? out->counts[i] + ignored[i] : footer->called[i];
        called[total] += called[i];
        ignored[total] += ignored[i];
    }
}

static bool counts_are_right(const struct quipu__dumpi_out *out, const struct quipu__dumpi_footer *footer) {
    for (uint32_t i = 0; i < QUIPU__DUMPI_SLOTS - 1; i++)
        if (is_recorded(i) && footer->called[i] - footer->ignored[i] != out->counts[i])
            return false;
    return footer->magic == QUIPU__DUMPI_FOOTER_MAGIC;
}

enum quipu_status quipu__dumpi_repair_footer(struct quipu__dumpi_writer *writer, struct quipu__dumpi_out *out,
                                             const struct quipu__dumpi_footer *footer,
                                             struct quipu_error *err) {
    struct {
        struct quipu_sized head;
        uint32_t items[QUIPU__DUMPI_SLOTS];
    } called = {{QUIPU__DUMPI_SLOTS, 0}, {0}}, ignored = {{QUIPU__DUMPI_SLOTS, 0}, {0}};
    if (!writer->writing->repairing || counts_are_right(out, footer))
        return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_footer, footer, err);
    repair_counts(out, footer, called.items, ignored.items);
    const uint32_t total = QUIPU__DUMPI_SLOTS - 1;
    quipu__dumpi_repaired(writer, out, QUIPU__DUMPI_REPAIR_COUNTS, "%u calls in place of %u",
                          called.items[total], footer->called[total]);
    const struct quipu__dumpi_footer repaired = {QUIPU__DUMPI_FOOTER_MAGIC, called.items, ignored.items};
    return quipu__dumpi_out_section(writer, out, QUIPU__DUMPI_TYPE_footer, &repaired, err);
}
