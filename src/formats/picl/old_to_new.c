/* old_to_new.c: what a record of the old format is in the new one. Nodes become processors with one process each; the host's
 * number changes. Where the old format has one record with two times, the new one has two records. */
#include "formats/picl/old_decode.h"

/* A field by its place, from 1; 0 ends a list of them. */
enum { NOTHING, MISSING = -1 };

enum when {
    AT_START,
    AT_END /* the time that the first two fields say */
};

/* A record of integers that a key becomes. */
static const struct row {
    int key;
    int64_t record_type, event_type;
    enum when when;
    int fields[7]; /* the data; MISSING is a number that is not known */
} rows[] = {
    {1, QUIPU__PICL_ENTRY, -901, AT_START, {NOTHING}},
    {1, QUIPU__PICL_MARK, -904, AT_START, {1, 2, 3}},
    {2, QUIPU__PICL_MARK, -11, AT_START, {NOTHING}},
    {3, QUIPU__PICL_ENTRY, -503, AT_START, {NOTHING}},
    {3, QUIPU__PICL_EXIT, -503, AT_START, {1, MISSING}},
    {4, QUIPU__PICL_MARK, -21, AT_START, {3, 2, 1}},
    {6, QUIPU__PICL_MARK, -51, AT_START, {MISSING, MISSING, MISSING, 3, 2, 1}},
    {7, QUIPU__PICL_ENTRY, -52, AT_START, {1}},
    {8, QUIPU__PICL_EXIT, -52, AT_START, {3, 2, 1}},
    {10, QUIPU__PICL_MARK, -402, AT_START, {NOTHING}},
    {13, QUIPU__PICL_MARK, -12, AT_START, {NOTHING}},
    {14, QUIPU__PICL_MARK, -904, AT_START, {1, 2, 3}},
    {17, QUIPU__PICL_MARK, -913, AT_START, {NOTHING}},
    {18, QUIPU__PICL_ENTRY, -912, AT_START, {NOTHING}},
    {18, QUIPU__PICL_EXIT, -912, AT_END, {NOTHING}},
    {19, QUIPU__PICL_EXIT, -901, AT_START, {NOTHING}},
    {23, QUIPU__PICL_MARK, -401, AT_START, {NOTHING}},
    {24, QUIPU__PICL_ENTRY, -903, AT_START, {NOTHING}},
    {24, QUIPU__PICL_EXIT, -903, AT_END, {NOTHING}},
};

static int64_t field_of(const struct quipu__picl_old_record *record, int field) {
    return field > 0 && (uint32_t)field <= record->value_count ? record->values[field - 1].i : -1;
}

static struct quipu__picl_decimal microseconds(int64_t value) {
    const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return (struct quipu__picl_decimal){magnitude, -6, value < 0, false};
}

/* Adds a record without data. */
static struct quipu__picl_record *add(struct quipu__picl_old_decoder *old,
                                      const struct quipu__picl_old_record *from, int64_t record_type,
                                      int64_t event_type) {
    struct quipu__picl_record *record = &old->converted[old->converted_count++];
    *record = (struct quipu__picl_record){.record_type = record_type,
                                          .event_type = event_type,
                                          .processor = from->node == QUIPU__PICL_OLD_HOST ? QUIPU__PICL_HOST
                                                                                          : from->node,
                                          .process = QUIPU__PICL_ALL,
                                          .time = microseconds(from->time_us),
                                          .is_fast = true,
                                          .text = from->text,
                                          .len = from->len,
                                          .byte = from->byte,
                                          .line = from->line};
    return record;
}

static void add_integer(struct quipu__picl_record *record, int64_t value) {
    record->integers[record->value_count++] = value;
    record->count = record->value_count;
}

static void add_row(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from,
                    const struct row *row) {
    struct quipu__picl_record *record = add(old, from, row->record_type, row->event_type);
    if (row->when == AT_END)
        record->time = microseconds(field_of(from, 1) * 1000000 + field_of(from, 2));
    for (size_t i = 0; row->fields[i] != NOTHING; i++)
        add_integer(record, field_of(from, row->fields[i]));
}

/* Blocks that the library itself brackets have negative types. */
static int64_t event_of_block(int64_t type) {
    static const int64_t of_library[] = {-402, -785, -785, -790, -786};
    if (type >= 0)
        return type;
    return type >= -5 ? of_library[-type - 1] : -1;
}

static void add_block(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from,
                      int64_t record_type) {
    struct quipu__picl_record *record = add(old, from, record_type, event_of_block(field_of(from, 1)));
    for (int field = 2; record->event_type >= 0 && field <= 3; field++)
        add_integer(record, field_of(from, field));
}

static struct quipu_value integer(int64_t value) {
    return (struct quipu_value){.type = QUIPU_VALUE_I64, .i = value};
}

/* A record whose data are count values in structures of so many. */
static void add_values(struct quipu__picl_record *record, const struct quipu_value *values, uint32_t count,
                       uint32_t of_structure, const char *descriptor) {
    record->is_fast = false;
    record->values = values;
    record->value_count = count;
    record->count = count / of_structure;
    record->descriptor = (struct quipu_value){
        .type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(descriptor), .data = descriptor};
}

static void add_time(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    const double seconds = ((double)field_of(from, 1) * 1e6 + (double)field_of(from, 2)) / 1e6;
    old->statistics[0] = integer(-1011);
    old->statistics[1] = (struct quipu_value){.type = QUIPU_VALUE_F64, .f = seconds};
    add_values(add(old, from, QUIPU__PICL_TIMES, -1), old->statistics, 2, 2, "\"%d%lf\"");
}

/* Messages and bytes received and sent. */
static void add_counts(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    for (int volume = 0; volume < 2; volume++) {
        struct quipu__picl_record *record =
            add(old, from, volume ? QUIPU__PICL_VOLUMES : QUIPU__PICL_COUNTS, QUIPU__PICL_ALL);
        for (int side = 0; side < 2; side++) {
            add_integer(record, side ? -1012 : -1013);
            add_integer(record, field_of(from, 1 + 2 * side + volume));
        }
        record->count = 2;
    }
}

static void add_text(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    if (from->value_count == 0 || from->values[0].size == 0)
        return;
    struct quipu__picl_record *record = add(old, from, QUIPU__PICL_MESSAGE, -911);
    add_values(record, from->values, 1, 1, "");
    record->descriptor = integer(QUIPU__PICL_CHARACTERS);
    record->count = from->values[0].size;
}

static void add_marks(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    struct quipu__picl_record *record = add(old, from, 0, QUIPU__PICL_ALL);
    if (from->value_count == 0)
        return;
    add_values(record, from->values, from->value_count, 1, "");
    record->descriptor = integer(QUIPU__PICL_INTEGERS);
}

void quipu__picl_old_to_new(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *record) {
    old->converted_count = old->converted_next = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].key == record->key)
            add_row(old, record, &rows[i]);
    if (record->key == QUIPU__PICL_OLD_COMPSTATS)
        add_time(old, record);
    else if (record->key == QUIPU__PICL_OLD_COMMSTATS)
        add_counts(old, record);
    else if (record->key == QUIPU__PICL_OLD_MARK)
        add(old, record, QUIPU__PICL_MARK, field_of(record, 1));
    else if (record->key == QUIPU__PICL_OLD_MESSAGE)
        add_text(old, record);
    else if (record->key == QUIPU__PICL_OLD_BLOCK_BEGIN)
        add_block(old, record, QUIPU__PICL_ENTRY);
    else if (record->key == QUIPU__PICL_OLD_BLOCK_END)
        add_block(old, record, QUIPU__PICL_EXIT);
    else if (record->key == QUIPU__PICL_OLD_MARKS)
        add_marks(old, record);
}
