/* snapshots.c: the records that say what is active, made from the records that began it and turned back into them by
 * snapshots.def.
 *
 * Both directions keep everything that a snapshot needs, so reading a snapshot gives the same state as following the
 * records up to its time. A comment before the snapshot of a process says what it consists of, since otherwise a process
 * where nothing is active looks like one whose snapshot is lost, or one whose writer left things out:
 *
 *     TC"complete: 3 records, 8 processes"
 */
#include "formats/otf/format.h"

#include <inttypes.h>
#include <stdio.h>

static const struct row {
    enum quipu__otf_type snapshot, begin;
    enum quipu__interval_class interval_class;
} rows[] = {
#define SNAPSHOT(record, its_class, began_by)                                                                  \
    {QUIPU__OTF_##record, QUIPU__OTF_##began_by, QUIPU__INTERVAL_##its_class},
#include "formats/otf/snapshots.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct copied {
    enum quipu__otf_type snapshot, begin;
    uint8_t field, begin_field;
} copied_fields[] = {
#define COPIES(record, of_field, began_by, of_begin_field)                                                     \
    {QUIPU__OTF_##record, QUIPU__OTF_##began_by, QUIPU__OTF_##record##_##of_field,                             \
     QUIPU__OTF_##began_by##_##of_begin_field},
#include "formats/otf/snapshots.def"
};
enum { COPIED_COUNT = sizeof copied_fields / sizeof *copied_fields };

static const struct quipu_record_type *type_at(enum quipu__otf_type type) {
    return &quipu__otf_schema.types[type];
}

static const struct quipu_field *field_at(enum quipu__otf_type type, uint8_t field) {
    return &quipu__otf_schema.types[type].fields[field];
}

static void copy_field(const struct quipu_field *from, const void *data, const struct quipu_field *to,
                       void *out) {
    int64_t value = 0;
    quipu_field_get_i64(from, data, &value);
    quipu__store_i64(to, out, value);
}

/* The original time, or the count where there is none. */
static const struct quipu_field *own_field(enum quipu__otf_type snapshot) {
    const struct quipu_record_type *type = type_at(snapshot);
    for (uint16_t i = 0; i < type->field_count; i++)
        if (type->fields[i].domain->role == QUIPU_ROLE_TIME)
            return &type->fields[i];
    return field_at(snapshot, QUIPU__OTF_CollopCountSnapshot_count);
}

static const struct quipu_record_type *snapshot_of(enum quipu__interval_class interval_class,
                                                   const struct quipu__active_record *active, void *out) {
    const enum quipu__otf_type begin = (enum quipu__otf_type)(active->type - quipu__otf_schema.types);
    const struct row *row = rows;
    while (row->interval_class != interval_class || row->begin != begin)
        row++;
    for (const struct copied *copied = copied_fields; copied < copied_fields + COPIED_COUNT; copied++)
        if (copied->snapshot == row->snapshot && copied->begin == begin)
            copy_field(field_at(begin, copied->begin_field), active->data,
                       field_at(row->snapshot, copied->field), out);
    const uint64_t own = interval_class == QUIPU__INTERVAL_count ? active->count : active->time;
    quipu__store_i64(own_field(row->snapshot), out, (int64_t)own);
    return type_at(row->snapshot);
}

static bool active_of(const struct quipu_record *record, enum quipu__interval_class *interval_class,
                      struct quipu__active_record *out, void *begin) {
    const enum quipu__otf_type snapshot = (enum quipu__otf_type)(record->type - quipu__otf_schema.types);
    const struct row *row = rows;
    int64_t own = 0;
    while (row < rows + ROW_COUNT && row->snapshot != snapshot)
        row++;
    if (row == rows + ROW_COUNT)
        return false;
    for (const struct copied *copied = copied_fields; copied < copied_fields + COPIED_COUNT; copied++)
        if (copied->snapshot == snapshot && copied->begin == row->begin)
            copy_field(field_at(snapshot, copied->field), record->data,
                       field_at(row->begin, copied->begin_field), begin);
    quipu_field_get_i64(own_field(snapshot), record->data, &own);
    *interval_class = row->interval_class;
    out->type = type_at(row->begin);
    out->data = begin;
    out->time = row->interval_class == QUIPU__INTERVAL_count ? 0 : (uint64_t)own;
    out->count = row->interval_class == QUIPU__INTERVAL_count ? (uint64_t)own : 1;
    return true;
}

/* ---- What a snapshot consists of ---- */

#define COMPLETE "complete: %" PRIu64 " records, %" PRIu64 " processes"

static const struct quipu_record_type *completeness_record(const struct quipu__completeness *complete,
                                                           struct quipu__scratch *scratch, void *out) {
    char text[80];
    const int len = snprintf(text, sizeof text, COMPLETE, complete->records, complete->locations);
    struct quipu__otf_SnapshotComment *comment = out;
    comment->comment = quipu__scratch_text(scratch, text, (size_t)len);
    return comment->comment ? type_at(QUIPU__OTF_SnapshotComment) : NULL;
}

/* A number of the text; the place behind it, NULL when there is none. */
static const char *take_number(const char *at, uint64_t *out) {
    enum { DIGITS_MOST = 18 };
    const char *p = at;
    *out = 0;
    for (; *p >= '0' && *p <= '9' && p - at < DIGITS_MOST; p++)
        *out = 10 * *out + (uint64_t)(*p - '0');
    return p == at ? NULL : p;
}

static const char *take_word(const char *at, const char *word) {
    const size_t len = strlen(word);
    return at && strncmp(at, word, len) == 0 ? at + len : NULL;
}

static bool completeness_of(const struct quipu_record *record, struct quipu__completeness *out) {
    const struct quipu__otf_SnapshotComment *comment = record->data;
    if (record->type != type_at(QUIPU__OTF_SnapshotComment))
        return false;
    const char *at = take_word(comment->comment, "complete: ");
    at = at ? take_number(at, &out->records) : NULL;
    at = take_word(at, " records, ");
    at = at ? take_number(at, &out->locations) : NULL;
    at = take_word(at, " processes");
    return at && *at == '\0';
}

/* ---- What the definitions say of snapshots ---- */

static const struct quipu_record_type *sample_point(uint64_t time, bool of_statistics, void *out) {
    *(struct quipu__otf_DefAuxSamplePoint *)out = (struct quipu__otf_DefAuxSamplePoint){time, of_statistics};
    return &quipu__otf_schema.types[QUIPU__OTF_DefAuxSamplePoint];
}

static bool announces(const struct quipu_record *definition, uint64_t *time) {
    const struct quipu__otf_DefAuxSamplePoint *point = definition->data;
    if (definition->type != &quipu__otf_schema.types[QUIPU__OTF_DefAuxSamplePoint] || point->type != 0)
        return false;
    *time = point->time;
    return true;
}

static const struct quipu_record_type *time_range(uint64_t first, uint64_t last, void *out) {
    *(struct quipu__otf_DefTimeRange *)out = (struct quipu__otf_DefTimeRange){first, last};
    return &quipu__otf_schema.types[QUIPU__OTF_DefTimeRange];
}

static const enum quipu__interval_class interval_classes[] = {
    QUIPU__INTERVAL_call,         QUIPU__INTERVAL_message, QUIPU__INTERVAL_file, QUIPU__INTERVAL_collective,
    QUIPU__INTERVAL_io_operation, QUIPU__INTERVAL_metric,  QUIPU__INTERVAL_count};

const struct quipu__snapshots quipu__otf_snapshots = {.interval_classes = interval_classes,
                                                      .interval_class_count =
                                                          sizeof interval_classes / sizeof *interval_classes,
                                                      .snapshot_of = snapshot_of,
                                                      .active_of = active_of,
                                                      .completeness_record = completeness_record,
                                                      .completeness_of = completeness_of,
                                                      .sample_point = sample_point,
                                                      .announces = announces,
                                                      .time_range = time_range};
