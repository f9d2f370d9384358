/* define.c: the definitions of a trace: its clock from the header, applications and clients as locations, files by their
 * numbers. All records are read for them, since nothing lists them; or an index has them. */
#include "formats/charisma/format.h"

#include "core/error.h"
#include "core/memory/pack.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Clock ---- */

#define NS_PER_SECOND INT64_C(1000000000)

static double magnitude(double value) {
    return value < 0 ? -value : value;
}

/* The nearest integer; beyond the range its limit; 0 for NaN. */
static int64_t rounded(double value) {
    if (magnitude(value) < 9223372036854775807.0)
        return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
    if (isnan(value))
        return 0;
    return value < 0 ? INT64_MIN : INT64_MAX;
}

/* Seconds per tick as a fraction: whole numbers where the machine had them in mind, else the best one of its continued
 * fraction. */
static void set_rate(struct quipu_clock *clock, double unit) {
    enum { STEPS = 40 };
    const double limit = 1e15;
    double rest = unit;
    double above = 0, above_before = 1, below = 1, below_before = 0; /* the fractions so far: 0/1 after 1/0 */
    for (unsigned i = 0; i < STEPS; i++) {
        const double whole = (double)(int64_t)rest;
        const double next_above = i == 0 ? whole : whole * above + above_before;
        const double next_below = i == 0 ? 1 : whole * below + below_before;
        if (next_above > limit || next_below > limit)
            break;
        above_before = i == 0 ? 1 : above;
        below_before = i == 0 ? 0 : below;
        above = next_above;
        below = next_below;
        if (magnitude(above / below - unit) <= unit * 1e-15 || rest - whole < 1e-12)
            break;
        rest = 1 / (rest - whole);
    }
    clock->ticks_per_second = (uint64_t)below;
    clock->per_seconds = (uint64_t)above;
}

/* Numbers of things that a machine cannot have are not known. */
static uint64_t known_count(int64_t count) {
    return count > 0 ? (uint64_t)count : 0;
}

static void set_system(struct quipu_system *system, const struct quipu__charisma_header *header) {
    system->processors = known_count(header->num_processors);
    system->io_nodes = known_count(header->num_IO_nodes);
    system->disks = known_count(header->num_disks);
}

/* Stamps with fractions become nanoseconds. */
static void set_clock(struct quipu__charisma_trace *own, const struct quipu__charisma_header *header) {
    struct quipu_clock *clock = &own->trace->define->definitions.clock;
    const double profile_unit = own->codec.profile.timestamp_unit;
    const double said = header ? header->timestamp_unit : 0;
    const double unit = said > 1e-12 && said <= 1000 ? said : profile_unit;
    const enum quipu__number_kind kind = own->codec.profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind;
    const bool is_real = kind == QUIPU__NUMBER_FLOAT;
    own->origin = header ? header->timestamp : (struct quipu_number){.is_real = is_real};
    own->origin.is_signed = kind == QUIPU__NUMBER_SIGNED;
    if (is_real && isnan(own->origin.f))
        own->origin.f = 0;
    if (is_real) {
        own->real_ticks = unit * (double)NS_PER_SECOND;
        clock->ticks_per_second = (uint64_t)NS_PER_SECOND;
        clock->origin = rounded(own->origin.f * own->real_ticks);
    } else {
        set_rate(clock, unit);
        clock->origin = own->origin.i;
    }
    clock->has_unix_origin = header && magnitude((double)header->start_date) < 9e9;
    if (clock->has_unix_origin)
        clock->unix_origin_ns = header->start_date * NS_PER_SECOND;
}

int64_t quipu__charisma_time(const struct quipu__charisma_trace *own, struct quipu_number stamp) {
    if (stamp.is_real)
        return rounded((stamp.f - own->origin.f) * own->real_ticks);
    const int64_t ticks = (int64_t)((uint64_t)stamp.i - (uint64_t)own->origin.i);
    const bool is_before = quipu__charisma_is_before(stamp, own->origin);
    if (is_before == (ticks < 0))
        return ticks;
    return is_before ? INT64_MIN : INT64_MAX;
}

/* ---- Attributes ---- */

static bool is_attribute(uint32_t type, uint16_t field) {
    const struct quipu__mapping *mapping = quipu__charisma_mapping(type);
    for (size_t i = 0; i < mapping->field_count; i++)
        if (mapping->fields[i].field == field)
            return false;
    return mapping->kinds != 0;
}

static enum quipu_value_type value_type_of(const struct quipu_field *field) {
    if (field->storage == QUIPU_STORE_STRING)
        return QUIPU_VALUE_STRING;
    return field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64;
}

/* A key by its name, added when it is new. */
static uint32_t key_of(struct quipu__define *define, const struct quipu_field *field) {
    const struct quipu_attribute_keys *keys = &define->definitions.attribute_keys;
    for (uint32_t i = 0; i < keys->count; i++)
        if (strcmp(keys->items[i].name, field->name) == 0)
            return i;
    const struct quipu_attribute_key key = {
        .native_id = keys->count, .name = field->name, .doc = field->doc, .type = value_type_of(field)};
    return quipu__add_attribute_key(define, &key);
}

static void define_attributes(struct quipu__charisma_trace *own) {
    struct quipu__define *define = own->trace->define;
    const struct quipu_record_type *request =
        quipu__charisma_types[QUIPU__CHARISMA_TYPE_rw].fields[QUIPU__CHARISMA_rw_requests].element;
    memset(own->keys, 0xff, sizeof own->keys);
    for (uint32_t type = 0; type < QUIPU__CHARISMA_TYPE_COUNT; type++)
        for (uint16_t i = 0; i < quipu__charisma_types[type].field_count; i++)
            if (is_attribute(type, i))
                own->keys[type][i] = key_of(define, &quipu__charisma_types[type].fields[i]);
    own->opened_as_key = QUIPU_NONE;
    own->memory_offset_key = key_of(define, &request->fields[QUIPU__CHARISMA_request_memory_offset]);
    own->returned_key =
        key_of(define, &quipu__charisma_types[QUIPU__CHARISMA_TYPE_rw].fields[QUIPU__CHARISMA_rw_endtime]);
}

/* ---- Locations and files ---- */

static bool define_location(struct quipu__charisma_trace *own, const struct quipu__charisma_instance *instance,
                            const char *name) {
    char text[40];
    snprintf(text, sizeof text, "%s %" PRId64, instance->is_application ? "Application" : "Client",
             instance->id);
    const struct quipu_location location = {
        .native_id = (uint64_t)instance->id,
        .name = name && name[0] ? name : text,
        .kind = instance->is_application ? QUIPU_LOCATION_APPLICATION : QUIPU_LOCATION_PROCESS,
        .parent = instance->parent == QUIPU_NONE ? QUIPU_NONE : own->locations.items[instance->parent],
        .rank = -1,
        .pid = -1,
        .tid = -1,
        .host = ""};
    const uint32_t number = quipu__add_location(own->trace->define, &location);
    return number != QUIPU_NONE && QUIPU__VEC_PUT(own->memory, &own->locations, number);
}

static void define_locations(struct quipu__charisma_trace *own, const struct quipu__charisma_walk *walk) {
    const struct quipu__charisma_tracking *tracking = &walk->check.tracking;
    const char *name = walk->type == QUIPU__CHARISMA_TYPE_app_load ? walk->data.app_load.name : NULL;
    while (own->locations.count < tracking->instances.count) {
        const struct quipu__charisma_instance *instance = &tracking->instances.items[own->locations.count];
        if (!define_location(own, instance, instance->is_application ? name : NULL))
            return;
    }
}

/* Opens, and closes, begin alike; those of an application have its number in the place of the client's. */
static bool is_open(const struct quipu__charisma_walk *walk) {
    return walk->type == QUIPU__CHARISMA_TYPE_app_open || walk->type == QUIPU__CHARISMA_TYPE_client_open;
}

static bool is_close(const struct quipu__charisma_walk *walk) {
    return walk->type == QUIPU__CHARISMA_TYPE_app_close || walk->type == QUIPU__CHARISMA_TYPE_client_close;
}

const char *quipu__charisma_path(const struct quipu__charisma_walk *walk, struct quipu__buffer *out) {
    const struct quipu__charisma_client_open *open = &walk->data.client_open;
    out->len = 0;
    if (!is_open(walk))
        return "";
    const uint32_t len = quipu_sized_count(open->path);
    quipu__put(out, open->path, len);
    if (len > 0 && open->path[len - 1] != '/')
        quipu__put_u8(out, '/');
    quipu__put(out, open->name, quipu_sized_count(open->name));
    quipu__put_u8(out, 0);
    return out->failed ? "" : (const char *)out->data;
}

bool quipu__charisma_only_names(const struct quipu__charisma_walk *walk) {
    return (is_open(walk) && walk->data.client_open.file_desc == QUIPU__CHARISMA_NO_DESCRIPTOR) ||
           (is_close(walk) && walk->data.client_close.file_desc == QUIPU__CHARISMA_NO_DESCRIPTOR);
}

static void define_opened_as(struct quipu__charisma_trace *own) {
    const struct quipu_attribute_key key = {.native_id = own->trace->define->definitions.attribute_keys.count,
                                            .name = "opened_as",
                                            .doc = "name of the file when it was opened",
                                            .type = QUIPU_VALUE_STRING};
    if (own->opened_as_key == QUIPU_NONE)
        own->opened_as_key = quipu__add_attribute_key(own->trace->define, &key);
}

/* Programs that write a file and rename it then are understood by the last name of files; the others become attributes. */
static void rename_file(struct quipu__charisma_trace *own, uint32_t file, const struct quipu_file *renamed) {
    define_opened_as(own);
    quipu__gate_knows(quipu__set_file(own->trace->define, file, renamed));
}

/* A file that is known by its number only gets its name from the first record that has it, and another one from each that has another. */
static void define_file(struct quipu__charisma_trace *own, const struct quipu__charisma_walk *walk,
                        uint32_t number, struct quipu__buffer *scratch) {
    const struct quipu_files *files = &own->trace->define->definitions.files;
    char text[40];
    const char *path = quipu__charisma_path(walk, scratch);
    const bool is_new = number == own->files.count;
    const int64_t id = walk->check.tracking.files.items[number].i;
    snprintf(text, sizeof text, "File %" PRIu64, (uint64_t)id);
    const struct quipu_file file = {.native_id = (uint64_t)id, .name = path[0] ? path : text, .group = ""};
    const char *known = is_new ? "" : files->items[own->files.items[number]].name;
    if (is_new)
        quipu__gate_knows(QUIPU__VEC_PUT(own->memory, &own->files, quipu__add_file(own->trace->define, &file)));
    else if (path[0] && strcmp(known, text) == 0)
        quipu__gate_knows(quipu__set_file(own->trace->define, own->files.items[number], &file));
    else if (path[0] && strcmp(known, path) != 0)
        rename_file(own, own->files.items[number], &file);
}

/* ---- All records ---- */

bool quipu__charisma_first_time(const struct quipu__charisma_trace *own,
                                const struct quipu__charisma_walk *walk, int64_t *out) {
    const union quipu__charisma_any *data = &walk->data;
    if (walk->type == QUIPU__CHARISMA_TYPE_header)
        return false;
    if (walk->type == QUIPU__CHARISMA_TYPE_comp_rw)
        *out = quipu__charisma_time(own, data->comp_rw.starttime);
    else /* the stamp that follows the type in all others */
        *out = quipu__charisma_time(own, data->app_exit.timestamp);
    if (walk->type != QUIPU__CHARISMA_TYPE_asynch_end)
        return true;
    const int64_t end = quipu__charisma_time(own, data->asynch_end.end_time);
    *out = end < *out ? end : *out;
    return true;
}

/* The header that a trace begins with says when, and what the machine is. */
static bool take_header(struct quipu__charisma_trace *own, const struct quipu__charisma_walk *walk) {
    if (walk->type != QUIPU__CHARISMA_TYPE_header || walk->check.where.record != 0)
        return false;
    set_system(&own->trace->define->definitions.system, &walk->data.header);
    set_clock(own, &walk->data.header);
    return true;
}

static void define_record(struct quipu__charisma_trace *own, const struct quipu__charisma_walk *walk,
                          struct quipu__buffer *scratch, int64_t *latest) {
    int64_t time = 0;
    if (take_header(own, walk))
        return;
    if (quipu__charisma_first_time(own, walk, &time)) {
        const uint64_t back = time < *latest ? (uint64_t)*latest - (uint64_t)time : 0;
        if (back > (uint64_t)own->disorder)
            own->disorder = back < INT64_MAX ? (int64_t)back : INT64_MAX;
        *latest = time > *latest ? time : *latest;
    }
    define_locations(own, walk);
    if (walk->check.file != QUIPU_NONE)
        define_file(own, walk, walk->check.file, scratch);
}

/* Requests on routes that are known define nothing. */
static void skip_requests(const struct quipu__charisma_trace *own, struct quipu__charisma_walk *walk,
                          int64_t *latest) {
    if (quipu__charisma_walk_requests(walk, NULL, UINT32_MAX) == 0)
        return;
    const int64_t time = quipu__charisma_time(own, walk->check.latest);
    *latest = time > *latest ? time : *latest;
}

static enum quipu_status define_records(struct quipu__charisma_trace *own, struct quipu__charisma_walk *walk,
                                        struct quipu_error *err) {
    struct quipu__buffer scratch;
    int64_t latest = INT64_MIN;
    enum quipu_status status;
    quipu__buffer_init(&scratch, own->memory, 0);
    while ((status = quipu__charisma_walk_next(walk, err)) == QUIPU_OK && !quipu__memory_is_out(own->memory)) {
        define_record(own, walk, &scratch, &latest);
        skip_requests(own, walk, &latest);
    }
    quipu__buffer_release(&scratch);
    return status < QUIPU_OK ? status : quipu__memory_status(own->memory, err);
}

static enum quipu_status begin(struct quipu__charisma_trace *own, struct quipu__charisma_walk *walk,
                               struct quipu_error *err) {
    own->trace->define->definitions.io_create_flag = QUIPU__CHARISMA_OPEN_CREATE;
    set_clock(own, NULL);
    define_attributes(own);
    const enum quipu_status status = quipu__charisma_walk_open(
        walk, own->memory, own->trace->files, own->trace->path, &own->codec, NULL, 1 << 16, err);
    walk->check.only_defines = true;
    return status;
}

static enum quipu_status make(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__charisma_trace *own = quipu__charisma_of(trace);
    struct quipu__charisma_walk walk = {.input = NULL};
    enum quipu_status status = begin(own, &walk, err);
    if (status == QUIPU_OK)
        status = define_records(own, &walk, err);
    quipu__charisma_walk_close(&walk);
    return status;
}

/* ---- From an index: all but the header, which is at hand ---- */

static enum quipu_status save(const struct quipu__trace *trace, struct quipu__buffer *out,
                              struct quipu_error *err) {
    const struct quipu__charisma_trace *own = quipu__charisma_of(trace);
    const struct quipu_definitions *definitions = &trace->define->definitions;
    quipu__pack_i64(out, own->disorder);
    quipu__pack_u64(out, own->opened_as_key != QUIPU_NONE);
    quipu__pack_u64(out, own->locations.count);
    for (size_t i = 0; i < own->locations.count; i++) {
        const struct quipu_location *location = &definitions->locations.items[own->locations.items[i]];
        quipu__pack_i64(out, (int64_t)location->native_id);
        quipu__pack_u64(out, location->kind == QUIPU_LOCATION_APPLICATION);
        quipu__pack_u64(out, (uint32_t)(location->parent + 1));
        quipu__pack_bytes(out, location->name, strlen(location->name));
    }
    quipu__pack_u64(out, own->files.count);
    for (size_t i = 0; i < own->files.count; i++) {
        const struct quipu_file *file = &definitions->files.items[own->files.items[i]];
        quipu__pack_u64(out, file->native_id);
        quipu__pack_bytes(out, file->name, strlen(file->name));
    }
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

static const char *load_text(struct quipu__charisma_trace *own, struct quipu__slice *from) {
    const struct quipu__slice bytes = quipu__unpack_bytes(from);
    const char *text =
        quipu__arena_text(&own->trace->define->arena, (const char *)bytes.at, quipu__slice_left(&bytes));
    return text ? text : ""; /* memory is out; the gate knows */
}

/* A parent comes before its children. */
static void load_location(struct quipu__charisma_trace *own, struct quipu__slice *from) {
    struct quipu__charisma_instance instance = {.id = quipu__unpack_i64(from)};
    instance.is_application = quipu__unpack_up_to(from, 1) != 0;
    instance.parent = (uint32_t)quipu__unpack_up_to(from, own->locations.count) - 1;
    const char *name = load_text(own, from);
    quipu__gate_knows(from->failed || define_location(own, &instance, name));
}

static void load_file(struct quipu__charisma_trace *own, struct quipu__slice *from) {
    struct quipu_file file = {.native_id = quipu__unpack_u64(from), .group = ""};
    file.name = load_text(own, from);
    quipu__gate_knows(from->failed ||
                      QUIPU__VEC_PUT(own->memory, &own->files, quipu__add_file(own->trace->define, &file)));
}

static void load_all(struct quipu__charisma_trace *own, struct quipu__slice *from) {
    own->disorder = quipu__unpack_i64(from);
    from->failed |= own->disorder < 0;
    if (quipu__unpack_up_to(from, 1) != 0)
        define_opened_as(own);
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from));
         left > 0 && !from->failed && !quipu__memory_is_out(own->memory); left--)
        load_location(own, from);
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from));
         left > 0 && !from->failed && !quipu__memory_is_out(own->memory); left--)
        load_file(own, from);
    from->failed |= quipu__slice_left(from) > 0;
}

static enum quipu_status load(struct quipu__trace *trace, struct quipu__slice bytes, struct quipu_error *err) {
    struct quipu__charisma_trace *own = quipu__charisma_of(trace);
    struct quipu__charisma_walk walk = {.input = NULL};
    enum quipu_status status = begin(own, &walk, err);
    if (status == QUIPU_OK)
        status = quipu__charisma_walk_next(&walk, err);
    if (status == QUIPU_OK)
        take_header(own, &walk);
    quipu__charisma_walk_close(&walk);
    if (status < QUIPU_OK)
        return status;
    load_all(own, &bytes);
    status = quipu__memory_status(own->memory, err);
    return status == QUIPU_OK && bytes.failed
               ? quipu__fail(err, QUIPU_CORRUPT, "what an index has of %s is damaged", trace->path)
               : status;
}

const struct quipu__survey quipu__charisma_survey = {.make = make, .save = save, .load = load};
