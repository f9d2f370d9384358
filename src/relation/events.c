/* events.c: the relation of events, and those of events of some kinds. kinds.def says where a kind has what a column is called after;
 * of kinds without such a field the column is null. */
#include "core/error.h"
#include "relation/relation.h"
#include "schema/schema.h"

#include <string.h>

/* ---- Tables ---- */

/* clang-format off */
#define HEAD(COLUMN, table) \
    COLUMN(table, time_ns, TIME, "ns", "when it happened") \
    QUIPU__DEFINED(COLUMN, table, location, "name of the process or thread") \
    COLUMN(table, kind, TEXT, "", "kind of event")
#define EVENTS_TABLES(TABLE, COLUMN, END) \
    TABLE(EVENTS, "events", "all events, with what each kind has") \
    HEAD(COLUMN, EVENTS) \
    QUIPU__DEFINED(COLUMN, EVENTS, region, "the region that it is about") \
    QUIPU__DEFINED(COLUMN, EVENTS, peer, "the other side of a message") \
    QUIPU__DEFINED(COLUMN, EVENTS, communicator, "communicator") \
    COLUMN(EVENTS, tag, I64, "", "tag of messages and one-sided operations") \
    COLUMN(EVENTS, bytes, U64, "bytes", "length of a message, bytes moved") \
    COLUMN(EVENTS, request, U64, "", "request of a non-blocking operation, or of a control request on a file") \
    COLUMN(EVENTS, operation, TEXT, "", "which collective or one-sided operation, or operation on a file") \
    QUIPU__DEFINED(COLUMN, EVENTS, root, "root of a collective operation") \
    COLUMN(EVENTS, sent, U64, "bytes", "bytes that this location sends in a collective operation") \
    COLUMN(EVENTS, received, U64, "bytes", "bytes that it receives in one") \
    COLUMN(EVENTS, matching, U64, "", "number that ties begin and end together") \
    QUIPU__DEFINED(COLUMN, EVENTS, target, "the other side of a one-sided operation") \
    QUIPU__DEFINED(COLUMN, EVENTS, window, "window of a one-sided operation") \
    QUIPU__DEFINED(COLUMN, EVENTS, origin, "process on whose behalf it is done, if another one") \
    QUIPU__DEFINED(COLUMN, EVENTS, file, "the file") \
    COLUMN(EVENTS, handle, U64, "", "handle of the file") \
    COLUMN(EVENTS, flags, U64, "", "mode bits of the format with which it is opened") \
    COLUMN(EVENTS, offset, I64, "", "position in the file; correction in ticks of a clock") \
    COLUMN(EVENTS, size, U64, "bytes", "new size of the file") \
    COLUMN(EVENTS, from, U64, "bytes", "its old size") \
    COLUMN(EVENTS, links, U64, "", "names that it has now") \
    COLUMN(EVENTS, argument, U64, "", "argument of a control request") \
    QUIPU__DEFINED(COLUMN, EVENTS, channel, "variable of the location") \
    QUIPU__DEFINED(COLUMN, EVENTS, metric, "counter or gauge") \
    COLUMN(EVENTS, value, F64, "", "value of a channel or metric, rounded where 53 bits do not hold it") \
    COLUMN(EVENTS, integer, I64, "", "the same where it is a whole number of 63 bits") \
    COLUMN(EVENTS, label, TEXT, "", "name of a channel's value") \
    QUIPU__DEFINED(COLUMN, EVENTS, type, "type of a task") \
    COLUMN(EVENTS, task, U64, "", "the task") \
    COLUMN(EVENTS, body, U64, "", "which body of it") \
    QUIPU__DEFINED(COLUMN, EVENTS, child, "the location that is created or that ended") \
    QUIPU__DEFINED(COLUMN, EVENTS, cpu, "the CPU that a location moves to") \
    QUIPU__DEFINED(COLUMN, EVENTS, subject, "the location that moves") \
    QUIPU__DEFINED(COLUMN, EVENTS, marker, "type of a marker") \
    COLUMN(EVENTS, text, TEXT, "", "text of a marker or note") \
    COLUMN(EVENTS, reason, U64, "", "of a gap: 0 unknown, 1 flush, 2 buffer full, 3 tracing off, 4 damage") \
    COLUMN(EVENTS, duration, U64, "ticks", "how long a gap lasts") \
    COLUMN(EVENTS, lost, U64, "bytes", "bytes of the trace that are missing") \
    COLUMN(EVENTS, statistic, TEXT, "", "what a summary counts") \
    COLUMN(EVENTS, figure, U64, "", "its figure") \
    QUIPU__DEFINED(COLUMN, EVENTS, within, "region in which it counts") \
    COLUMN(EVENTS, record_type, U64, "", "number of a snapshot's record type") \
    COLUMN(EVENTS, since, I64, "ticks", "time of the event that a snapshot repeats") \
    COLUMN(EVENTS, attributes, JSON, "", "attributes: an object of names and values") \
    END(EVENTS) \
    TABLE(COUNTERS, "counters", "values of metrics") \
    HEAD(COLUMN, COUNTERS) \
    QUIPU__DEFINED(COLUMN, COUNTERS, metric, "counter or gauge") \
    COLUMN(COUNTERS, value, F64, "", "its value, rounded where 53 bits do not hold it") \
    COLUMN(COUNTERS, integer, I64, "", "the same where it is a whole number of 63 bits") \
    END(COUNTERS) \
    TABLE(MARKS, "marks", "points that a user marked, and notes") \
    HEAD(COLUMN, MARKS) \
    QUIPU__DEFINED(COLUMN, MARKS, marker, "type of the marker") \
    COLUMN(MARKS, text, TEXT, "", "its text") \
    END(MARKS)
/* clang-format on */
QUIPU__TABLES(EVENTS_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(EVENTS_TABLES)};

/* What all of them have first. */
enum { TIME = EVENTS_time_ns, LOCATION = EVENTS_location, LOCATION_NUMBER, KIND, HEAD_COLUMNS };

/* ---- Where columns come from ---- */

/* Fills rows behind those that there are: all for events from scan->event on, or those for events of one kind. */
typedef void fill_fn(struct quipu__scan *scan, size_t column, uint32_t count);

/* Events that have a field: their slots among those from scan->event on, and what it has. */
enum { RANGE_MOST = 256 };
struct range {
    const struct quipu_kind_field *field;
    const uint16_t *slots;
    uint32_t count;
    bool is_always_known;
    uint64_t unknown;
    uint64_t numbers[RANGE_MOST];
};
typedef void fill_range_fn(struct quipu__scan *scan, size_t column, const struct range *range);

/* What a column is made of: of all events, or of fields of kinds where there are any. */
struct origin {
    fill_fn *fill;
    fill_range_fn *fill_range;
    quipu_kinds kinds; /* that have such a field */
    const struct quipu_kind_field *fields[QUIPU_KIND_COUNT];
};

struct events {
    size_t column_count;
    struct quipu__buffer text; /* that is being made */
    quipu_kinds kinds;         /* of the events that are being made rows */
    bool sorts;                /* they lie kind after kind in slots, too */
    uint32_t ends[QUIPU_KIND_COUNT];
    uint16_t slots[QUIPU__ROWS];
    struct origin origins[];
};

static void gather(const struct quipu_batch *batch, uint32_t event, struct range *range) {
    switch (range->field->column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        for (uint32_t i = 0; i < range->count; i++)                                                            \
            range->numbers[i] = (uint64_t)batch->name[event + range->slots[i]];                                \
        break;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* Columns that refer to definitions: the first ones. */
static const uint32_t *references_in(const struct quipu_batch *batch, enum quipu_column column) {
    switch (column) {
    case QUIPU_COLUMN_object:
        return batch->object;
    case QUIPU_COLUMN_peer:
        return batch->peer;
    case QUIPU_COLUMN_group:
        return batch->group;
    case QUIPU_COLUMN_operation:
        return batch->operation;
    default:
        return NULL;
    }
}

/* ---- Columns of numbers ---- */

static void fill_time(struct quipu__scan *scan, size_t column, uint32_t count) {
    int64_t *values = (int64_t *)scan->rows->columns[column].values + scan->rows->count;
    const int64_t *times = scan->batch->time + scan->event;
    if (scan->ns_per_tick == 1)
        memcpy(values, times, count * sizeof *values);
    else
        for (uint32_t i = 0; i < count; i++)
            values[i] = quipu__scan_ns(scan, times[i]);
    quipu__row_set_known(&scan->rows->columns[column], scan->rows->count, count);
}

static void fill_location_number(struct quipu__scan *scan, size_t column, uint32_t count) {
    uint64_t *values = (uint64_t *)scan->rows->columns[column].values + scan->rows->count;
    const uint32_t *locations = scan->batch->location + scan->event;
    for (uint32_t i = 0; i < count; i++)
        values[i] = locations[i];
    quipu__row_set_known(&scan->rows->columns[column], scan->rows->count, count);
}

/* Where any number may be a value, none stands for one that is not known; of tags -1 does. */
static bool may_be_unknown(const struct quipu_kind_field *field) {
    return field->column == QUIPU_COLUMN_tag ||
           (!quipu__is_signed(field->refers) && field->refers != QUIPU_REFERS_BITS);
}

static bool is_known(const struct range *range, uint32_t i) {
    return range->numbers[i] != range->unknown || range->is_always_known;
}

static void fill_number(struct quipu__scan *scan, size_t column, const struct range *range) {
    struct quipu__row_column *cells = &scan->rows->columns[column];
    for (uint32_t i = 0; i < range->count; i++)
        if (is_known(range, i))
            quipu__row_set(cells, scan->rows->count + range->slots[i], range->numbers[i]);
}

/* ---- Columns of values ---- */

static enum quipu_metric_value value_type(const struct quipu__scan *scan, const struct range *range,
                                          uint32_t i) {
    const uint32_t metric = scan->batch->object[scan->event + range->slots[i]];
    if (range->field->refers != QUIPU_REFERS_BITS)
        return QUIPU_METRIC_I64;
    return metric < scan->definitions->metrics.count ? scan->definitions->metrics.items[metric].value
                                                     : QUIPU_METRIC_U64;
}

static void fill_value(struct quipu__scan *scan, size_t column, const struct range *range) {
    struct quipu__rows *rows = scan->rows;
    for (uint32_t i = 0; i < range->count; i++) {
        const uint64_t bits = range->numbers[i];
        double value;
        memcpy(&value, &bits, sizeof value);
        switch (value_type(scan, range, i)) {
        case QUIPU_METRIC_U64:
            value = (double)bits;
            break;
        case QUIPU_METRIC_I64:
            value = (double)(int64_t)bits;
            break;
        case QUIPU_METRIC_F64:
            break;
        }
        quipu__row_set_f64(&rows->columns[column], rows->count + range->slots[i], value);
    }
}

static void fill_integer(struct quipu__scan *scan, size_t column, const struct range *range) {
    struct quipu__rows *rows = scan->rows;
    for (uint32_t i = 0; i < range->count; i++) {
        const enum quipu_metric_value type = value_type(scan, range, i);
        const bool is_integer =
            type == QUIPU_METRIC_I64 || (type == QUIPU_METRIC_U64 && range->numbers[i] <= INT64_MAX);
        quipu__row_set_if(&rows->columns[column], rows->count + range->slots[i], is_integer, range->numbers[i]);
    }
}

/* ---- Columns of names ---- */

/* Kinds have keys that no definition has. */
static int32_t kind_name(struct quipu__scan *scan, size_t column, uint8_t kind) {
    const uint64_t key = (uint64_t)QUIPU_REFERS_NOTHING << 32 | kind;
    const int32_t known = quipu__dictionary_find(&scan->dictionaries[column], key);
    return known >= 0 ? known
                      : quipu__dictionary_add(&scan->dictionaries[column], key, quipu_kind_at(kind)->name);
}

static void fill_kind(struct quipu__scan *scan, size_t column, uint32_t count) {
    const struct events *events = scan->state;
    int32_t names[QUIPU_KIND_COUNT] = {0},
            *values = (int32_t *)scan->rows->columns[column].values + scan->rows->count;
    const uint8_t *kinds = scan->batch->kind + scan->event;
    for (uint8_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if ((events->kinds & QUIPU_KIND_BIT(kind)) != 0)
            names[kind] = kind_name(scan, column, kind);
    for (uint32_t i = 0; i < count; i++)
        values[i] = names[kinds[i]];
    quipu__row_set_known(&scan->rows->columns[column], scan->rows->count, count);
}

/* Locations change rarely from one event to the next. */
static void fill_location(struct quipu__scan *scan, size_t column, uint32_t count) {
    struct quipu__row_column *cells = &scan->rows->columns[column];
    int32_t *values = (int32_t *)cells->values + scan->rows->count;
    const uint32_t *locations = scan->batch->location + scan->event;
    for (uint32_t i = 0; i < count;) {
        const uint32_t from = i, location = locations[i];
        const int32_t name = quipu__scan_name(scan, column, QUIPU_REFERS_LOCATION, location);
        for (; i < count && locations[i] == location; i++)
            values[i] = name;
        if (name >= 0)
            quipu__row_set_known(cells, scan->rows->count + from, i - from);
    }
}

static int32_t label_number(struct quipu__scan *scan, size_t column, uint32_t event, int64_t value) {
    const uint32_t channel = scan->batch->object[event];
    const struct quipu_channels *channels = &scan->definitions->channels;
    const char *label =
        channel < channels->count ? quipu_channel_label(&channels->items[channel], value) : NULL;
    return label ? quipu__dictionary_text(&scan->dictionaries[column], label, strlen(label)) : -1;
}

static void fill_label(struct quipu__scan *scan, size_t column, const struct range *range) {
    for (uint32_t i = 0; i < range->count; i++)
        quipu__row_set_number(
            &scan->rows->columns[column], scan->rows->count + range->slots[i],
            label_number(scan, column, scan->event + range->slots[i], (int64_t)range->numbers[i]));
}

static void fill_name(struct quipu__scan *scan, size_t column, const struct range *range) {
    struct quipu__row_column *cells = &scan->rows->columns[column];
    for (uint32_t i = 0; i < range->count; i++)
        if (is_known(range, i))
            quipu__row_set_number(cells, scan->rows->count + range->slots[i],
                                  quipu__scan_name(scan, column, range->field->refers, range->numbers[i]));
}

/* ---- Attributes ---- */

/* The first attribute of an event that is not before index. */
static uint32_t first_attribute(const struct quipu_batch *batch, uint32_t event, uint32_t index) {
    while (index < batch->attribute_count && batch->attributes[index].event < event)
        index++;
    return index;
}

/* Rows without a text each, which begins where the one before ends. */
static void put_no_texts(struct quipu__scan *scan, size_t column, uint32_t count) {
    const struct quipu__row_column *cells = &scan->rows->columns[column];
    int32_t *ends = (int32_t *)cells->values + scan->rows->count + 1;
    for (uint32_t i = 0; i < count; i++)
        ends[i] = (int32_t)cells->bytes.len;
}

static const struct quipu_value *text_of(const struct quipu_batch *batch, uint32_t event, uint32_t index) {
    for (; index < batch->attribute_count && batch->attributes[index].event == event; index++)
        if (batch->attributes[index].value.key == QUIPU_KEY_TEXT)
            return &batch->attributes[index].value;
    return NULL;
}

static void fill_text(struct quipu__scan *scan, size_t column, uint32_t count) {
    const struct events *events = scan->state;
    struct quipu__rows *rows = scan->rows;
    uint32_t index = 0;
    if (scan->batch->attribute_count == 0)
        put_no_texts(scan, column, count);
    for (uint32_t i = 0; i < count && scan->batch->attribute_count > 0; i++) {
        const uint32_t event = scan->event + i;
        index = first_attribute(scan->batch, event, index);
        const struct quipu_value *value =
            (events->origins[column].kinds & QUIPU_KIND_BIT(scan->batch->kind[event])) != 0
                ? text_of(scan->batch, event, index)
                : NULL;
        const bool is_text = value && value->type == QUIPU_VALUE_STRING;
        quipu__row_set_text(&rows->columns[column], rows->count + i, is_text ? value->data : NULL,
                            is_text ? value->size : 0);
    }
}

static void put_attribute(const struct quipu__scan *scan, const struct quipu_value *value,
                          struct quipu__buffer *out) {
    const struct quipu_attribute_keys *keys = &scan->definitions->attribute_keys;
    const bool is_json =
        value->key < keys->count && keys->items[value->key].is_json && value->type == QUIPU_VALUE_STRING;
    const char *name = quipu_key_name(scan->definitions, value->key);
    quipu__put_text(out, out->len == 0 ? "{" : ", ");
    quipu__put_json(out, name, strlen(name));
    quipu__put_text(out, ": ");
    if (is_json)
        quipu__put(out, value->data, value->size);
    else
        quipu__print_value(value, out, true);
}

static void fill_attributes(struct quipu__scan *scan, size_t column, uint32_t count) {
    struct events *events = scan->state;
    struct quipu__rows *rows = scan->rows;
    const struct quipu_batch *batch = scan->batch;
    uint32_t index = 0;
    if (batch->attribute_count == 0)
        put_no_texts(scan, column, count);
    for (uint32_t i = 0; i < count && batch->attribute_count > 0; i++) {
        const uint32_t event = scan->event + i;
        events->text.len = 0;
        for (index = first_attribute(batch, event, index);
             index < batch->attribute_count && batch->attributes[index].event == event; index++)
            if (batch->attributes[index].value.key != QUIPU_KEY_TEXT)
                put_attribute(scan, &batch->attributes[index].value, &events->text);
        if (events->text.len > 0)
            quipu__put_u8(&events->text, '}');
        quipu__row_set_text(&rows->columns[column], rows->count + i,
                            events->text.len > 0 ? (const char *)events->text.data : NULL, events->text.len);
    }
}

/* ---- Binding columns ---- */

/* The field of a kind that a column is called after. */
static const struct quipu_kind_field *find_field(enum quipu_kind kind, const char *name, size_t len) {
    const struct quipu_kind_info *info = quipu_kind_at(kind);
    for (size_t i = 0; i < info->field_count; i++)
        if (strncmp(info->fields[i].name, name, len) == 0 && info->fields[i].name[len] == '\0')
            return &info->fields[i];
    return NULL;
}

/* Columns that are called after a field with something added, or are another view of it. */
static size_t field_name(const char *column, const char **out) {
    static const char suffix[] = "_number";
    const size_t len = strlen(column), suffix_len = sizeof suffix - 1;
    *out = strcmp(column, "integer") == 0 || strcmp(column, "label") == 0 ? "value" : column;
    if (len > suffix_len && strcmp(column + len - suffix_len, suffix) == 0)
        return len - suffix_len;
    return strlen(*out);
}

/* NULL: from fields of kinds. */
static fill_fn *fill_of(const struct quipu_table_column *column, size_t number) {
    static fill_fn *const head[HEAD_COLUMNS] = {fill_time, fill_location, fill_location_number, fill_kind};
    if (number < HEAD_COLUMNS)
        return head[number];
    if (strcmp(column->name, "text") == 0)
        return fill_text;
    return column->type == QUIPU_TYPE_JSON ? fill_attributes : NULL;
}

static fill_range_fn *fill_range_of(const struct quipu_table_column *column) {
    if (strcmp(column->name, "integer") == 0)
        return fill_integer;
    if (strcmp(column->name, "label") == 0)
        return fill_label;
    if (column->type == QUIPU_TYPE_F64)
        return fill_value;
    return column->type == QUIPU_TYPE_TEXT ? fill_name : fill_number;
}

static void bind_column(struct events *events, const struct quipu_table_column *column, size_t number) {
    const char *name;
    const size_t len = field_name(column->name, &name);
    struct origin *origin = &events->origins[number];
    origin->fill = fill_of(column, number);
    origin->fill_range = fill_range_of(column);
    for (int kind = 0; kind < QUIPU_KIND_COUNT && number >= HEAD_COLUMNS; kind++) {
        origin->fields[kind] = find_field((enum quipu_kind)kind, name, len);
        origin->kinds |= origin->fields[kind] ? QUIPU_KIND_BIT(kind) : 0;
    }
}

/* ---- The scan ---- */

/* So many columns of names are made faster without sorting events. */
enum { NAMES_UNSORTED = 2 };

static size_t state_size(size_t column_count) {
    return sizeof(struct events) + column_count * sizeof(struct origin);
}

static void release(struct quipu__scan *scan) {
    struct events *events = scan->state;
    quipu__buffer_release(&events->text);
    quipu__release(&scan->memory, events, state_size(events->column_count));
}

static bool needs_attributes(const struct quipu__scan *scan, const struct events *events) {
    bool needs = false;
    for (size_t i = 0; i < events->column_count; i++)
        needs |= scan->uses[i].is_wanted &&
                 (events->origins[i].fill == fill_text || events->origins[i].fill == fill_attributes);
    return needs;
}

/* Whether all that a column is made of are names of what the columns of references refer to. */
static bool is_named(const struct origin *origin) {
    bool is_named = origin->fill_range == fill_name;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        is_named &= !origin->fields[kind] || origin->fields[kind]->column <= QUIPU_COLUMN_operation;
    return is_named;
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    const struct quipu__relation *relation = &scan->relation;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct events *events = scan->state = quipu__alloc_zero(&scan->memory, state_size(relation->column_count));
    if (!events)
        return quipu__no_memory(err, state_size(relation->column_count));
    events->column_count = relation->column_count;
    quipu__buffer_init(&events->text, &scan->memory, 0);
    for (size_t i = 0; i < relation->column_count; i++)
        bind_column(events, &relation->columns[i], i);
    size_t fields = 0, names = 0;
    for (size_t i = 0; i < relation->column_count; i++) {
        struct quipu__row_use *use = &scan->uses[i];
        use->is_complete = i < HEAD_COLUMNS;
        use->is_sparse =
            !events->origins[i].fill; /* texts, of which each begins where another ends, are never left out */
        fields += use->is_wanted && use->is_sparse;
        names += use->is_wanted && use->is_sparse && is_named(&events->origins[i]);
    }
    events->sorts = fields > NAMES_UNSORTED || fields > names;
    if (options->selection)
        selection = *options->selection;
    selection.without_attributes |= !needs_attributes(scan, events) && !selection.where;
    return quipu__scan_select(scan, &selection, err);
}

/* Fills a column from a field of a kind. */
static void put_kind(struct quipu__scan *scan, size_t column, uint8_t kind) {
    const struct events *events = scan->state;
    const struct origin *origin = &events->origins[column];
    const struct quipu_kind_field *field = origin->fields[kind];
    struct range range = {.field = field,
                          .is_always_known = !may_be_unknown(field),
                          .unknown = quipu__is_unknown(field->column, QUIPU_NONE) ? QUIPU_NONE : QUIPU_UNKNOWN};
    for (uint32_t position = kind > 0 ? events->ends[kind - 1] : 0; position < events->ends[kind];
         position += range.count) {
        const uint32_t left = events->ends[kind] - position;
        range.slots = events->slots + position;
        range.count = left < RANGE_MOST ? left : RANGE_MOST;
        gather(scan->batch, scan->event, &range);
        origin->fill_range(scan, column, &range);
    }
}

/* Those of the kinds that have a field as this one is. */
static quipu_kinds kinds_with(const struct origin *origin, quipu_kinds kinds,
                              const struct quipu_kind_field *field) {
    quipu_kinds alike = 0;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if ((kinds & QUIPU_KIND_BIT(kind)) != 0 && origin->fields[kind]->column == field->column &&
            origin->fields[kind]->refers == field->refers)
            alike |= QUIPU_KIND_BIT(kind);
    return alike;
}

/* Sets numbers of a dictionary, below 0: none, in rows that follow each other. */
enum { NUMBERS_MOST = 64 };
static void set_numbers(struct quipu__row_column *column, size_t row, const int32_t *numbers, size_t count) {
    int32_t *values = (int32_t *)column->values + row;
    uint64_t known = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = numbers[i] >= 0 ? numbers[i] : values[i];
        known |= (uint64_t)(numbers[i] >= 0) << i;
    }
    for (size_t bit = row % 8; known != 0; known = bit > 0 ? known >> (8 - bit) : known >> 8, bit = 0, row += 8)
        column->known[row / 8] |= (uint8_t)(known << bit);
}

/* Names of events of those kinds, which have the same field, as they follow each other. */
static void put_names(struct quipu__scan *scan, size_t column, quipu_kinds kinds,
                      const struct quipu_kind_field *field, uint32_t count) {
    const uint32_t *references = references_in(scan->batch, field->column) + scan->event;
    const uint8_t *its_kinds = scan->batch->kind + scan->event;
    int32_t names[NUMBERS_MOST];
    for (uint32_t i = 0, n; i < count; i += n) {
        for (n = 0; n < NUMBERS_MOST && i + n < count; n++)
            names[n] = (kinds >> its_kinds[i + n] & 1) != 0
                           ? quipu__scan_name(scan, column, field->refers, references[i + n])
                           : -1;
        set_numbers(&scan->rows->columns[column], scan->rows->count + i, names, n);
    }
}

static void put_column(struct quipu__scan *scan, size_t number, uint32_t count) {
    const struct events *events = scan->state;
    const struct origin *origin = &events->origins[number];
    quipu_kinds kinds = origin->kinds & events->kinds;
    if (origin->fill) {
        origin->fill(scan, number, count);
        return;
    }
    if (kinds == 0 || !quipu__row_column_fill(scan->rows, &scan->rows->columns[number]))
        return;
    for (uint8_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if ((kinds & QUIPU_KIND_BIT(kind)) != 0 && events->sorts)
            put_kind(scan, number, kind);
        else if ((kinds & QUIPU_KIND_BIT(kind)) != 0) {
            const quipu_kinds alike = kinds_with(origin, kinds, origin->fields[kind]);
            put_names(scan, number, alike, origin->fields[kind], count);
            kinds &= ~alike;
        }
}

/* Puts events of a kind together, so that a column of a field needs to look at those only that have it. */
static void sort_by_kinds(struct events *events, const uint8_t *kinds, uint32_t count) {
    uint32_t counts[QUIPU_KIND_COUNT] = {0}, end = 0;
    for (uint32_t i = 0; i < count; i++)
        counts[kinds[i]]++;
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        events->ends[kind] = end;
        end += counts[kind];
    }
    for (uint32_t i = 0; i < count; i++)
        events->slots[events->ends[kinds[i]]++] = (uint16_t)i;
}

static void note_kinds(struct events *events, const uint8_t *kinds, uint32_t count) {
    quipu_kinds all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= QUIPU_KIND_BIT(kinds[i]);
    events->kinds = all;
    if (events->sorts)
        sort_by_kinds(events, kinds, count);
}

static void put_events(struct quipu__scan *scan) {
    struct events *events = scan->state;
    const size_t room = QUIPU__ROWS - scan->rows->count;
    const uint32_t left = scan->batch->count - scan->event, count = left < room ? left : (uint32_t)room;
    note_kinds(events, scan->batch->kind + scan->event, count);
    for (size_t i = 0; i < events->column_count; i++)
        if (scan->uses[i].is_wanted)
            put_column(scan, i, count);
    scan->rows->count += count;
    scan->event += count;
}

/* Long texts make few rows. */
static bool has_enough(const struct quipu__scan *scan) {
    enum { TEXT_ENOUGH = 1 << 22 };
    size_t bytes = 0;
    for (size_t i = 0; i < scan->rows->column_count; i++)
        bytes += scan->rows->columns[i].bytes.len;
    return quipu__scan_is_full(scan) || bytes >= TEXT_ENOUGH;
}

static enum quipu_status fill(struct quipu__scan *scan, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && !has_enough(scan)) {
        if (!scan->batch || scan->event == scan->batch->count)
            status = quipu__scan_read(scan, err);
        if (status == QUIPU_OK)
            put_events(scan);
    }
    return status;
}

/* ---- The relations ---- */

#define BIT(kind) QUIPU_KIND_BIT(QUIPU_KIND_##kind)
#define EVENT_RELATION(name, table, its_kinds)                                                                 \
    const struct quipu__relation quipu__##name##_relation = {.shape = &tables[table],                          \
                                                             .criteria = QUIPU__BY_ALL,                        \
                                                             .parts = QUIPU__PARTS_OF_STREAMS,                 \
                                                             .kinds = its_kinds,                               \
                                                             .is_streamed = true,                              \
                                                             .free_text = "text",                              \
                                                             .begin = begin,                                   \
                                                             .fill = fill,                                     \
                                                             .release = release}

EVENT_RELATION(events, EVENTS, QUIPU_ALL_KINDS);
EVENT_RELATION(counters, COUNTERS, BIT(metric));
EVENT_RELATION(marks, MARKS, BIT(marker) | BIT(note));
