/* reader.c: opening a trace, and passes over records and events. Each file that libotf2 reads has a reader of its own, so that passes are
 * independent of each other in any number of threads. */
#include "formats/otf2/library.h"
#include "formats/otf2/mapping.h"

#include "core/error.h"
#include "core/files/directory.h"
#include "core/memory/sort.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARY_BYTES = 1 << 16 }; /* that libotf2 holds besides chunks */

/* ---- What the anchor file says ---- */

/* libotf2 prints messages unless someone takes them. What went wrong is known from what it returns. */
static OTF2_ErrorCode keep_quiet(void *context, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments) {
    (void)context, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

/* libotf2 gives a copy. */
static uint64_t time_zero_of(OTF2_Reader *reader) {
    char *text = NULL, *end = NULL;
    uint64_t time = QUIPU_UNKNOWN;
    if (OTF2_Reader_GetProperty(reader, QUIPU__OTF2_TIME_ZERO, &text) == OTF2_SUCCESS && text) {
        const unsigned long long value = strtoull(text, &end, 10);
        time = *text && !*end && value <= INT64_MAX ? value : QUIPU_UNKNOWN;
    }
    free(text);
    return time;
}

static enum quipu_status read_anchor(const char *path, struct quipu__otf2_anchor *out,
                                     struct quipu_error *err) {
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        return quipu__fail(err, QUIPU_CORRUPT, "libotf2 does not open the anchor file");
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    OTF2_Reader_GetChunkSize(reader, &out->event_chunk, &out->definition_chunk);
    OTF2_Reader_GetNumberOfLocations(reader, &out->locations);
    OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &out->definitions);
    OTF2_Reader_GetNumberOfSnapshots(reader, &out->snapshots);
    OTF2_Reader_GetNumberOfThumbnails(reader, &out->thumbnails);
    OTF2_Reader_GetVersion(reader, &out->version[0], &out->version[1], &out->version[2]);
    out->time_zero = time_zero_of(reader);
    OTF2_Reader_GetFileSubstrate(reader, &substrate);
    OTF2_Reader_GetCompression(reader, &compression);
    OTF2_Reader_Close(reader);
    if (substrate != OTF2_SUBSTRATE_POSIX)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "the trace is not made of plain files (substrate %u)",
                           substrate);
    if (compression != OTF2_COMPRESSION_NONE)
        return quipu__fail(err, QUIPU_UNSUPPORTED, "the trace is compressed in a way that is not read (%u)",
                           compression);
    if (out->event_chunk < OTF2_CHUNK_SIZE_MIN || out->event_chunk > OTF2_CHUNK_SIZE_MAX ||
        out->definition_chunk < OTF2_CHUNK_SIZE_MIN || out->definition_chunk > OTF2_CHUNK_SIZE_MAX)
        return quipu__fail(err, QUIPU_CORRUPT, "the sizes of chunks in the anchor file are out of range");
    return QUIPU_OK;
}

/* ---- Files of libotf2 ---- */

struct quipu__otf2_file {
    struct quipu__memory *memory;
    struct quipu__charge charge;
    OTF2_Reader *reader;
    enum quipu__otf2_group group;
    OTF2_EvtReader *events;
    OTF2_DefReader *local;
    OTF2_GlobalDefReader *global;
    OTF2_MarkerReader *markers;
};

static void library_close(struct quipu__otf2_file *file) {
    if (!file)
        return;
    if (file->events)
        OTF2_Reader_CloseEvtReader(file->reader, file->events);
    if (file->local)
        OTF2_Reader_CloseDefReader(file->reader, file->local);
    if (file->global)
        OTF2_Reader_CloseGlobalDefReader(file->reader, file->global);
    if (file->markers)
        OTF2_Reader_CloseMarkerReader(file->reader, file->markers);
    if (file->reader)
        OTF2_Reader_Close(file->reader);
    quipu__charge_release(&file->charge);
    quipu__release(file->memory, file, sizeof *file);
}

/* Registers callbacks, which libotf2 copies, by the function of a group; false when something was missing. */
#define REGISTER(Kind, made, registered)                                                                       \
    OTF2_##Kind##Callbacks *callbacks = made;                                                                  \
    const bool done = callbacks && (registered) == OTF2_SUCCESS;                                               \
    if (callbacks)                                                                                             \
        OTF2_##Kind##Callbacks_Delete(callbacks);                                                              \
    return done

static bool register_local(struct quipu__otf2_file *file, struct quipu__otf2_sink *sink) {
    REGISTER(DefReader, quipu__otf2_local_callbacks(),
             OTF2_Reader_RegisterDefCallbacks(file->reader, file->local, callbacks, sink));
}

static bool register_events(struct quipu__otf2_file *file, struct quipu__otf2_sink *sink) {
    REGISTER(EvtReader, quipu__otf2_event_callbacks(),
             OTF2_Reader_RegisterEvtCallbacks(file->reader, file->events, callbacks, sink));
}

static bool register_global(struct quipu__otf2_file *file, struct quipu__otf2_sink *sink) {
    REGISTER(GlobalDefReader, quipu__otf2_global_callbacks(),
             OTF2_Reader_RegisterGlobalDefCallbacks(file->reader, file->global, callbacks, sink));
}

static bool register_markers(struct quipu__otf2_file *file, struct quipu__otf2_sink *sink) {
    REGISTER(MarkerReader, quipu__otf2_marker_callbacks(),
             OTF2_Reader_RegisterMarkerCallbacks(file->reader, file->markers, callbacks, sink));
}

static bool open_local_file(struct quipu__otf2_file *file, const struct quipu__otf2_source *source) {
    file->local = OTF2_Reader_OpenDefFiles(file->reader) == OTF2_SUCCESS
                      ? OTF2_Reader_GetDefReader(file->reader, source->location)
                      : NULL;
    return file->local != NULL;
}

/* libotf2 takes mapping tables and clock offsets to the reader of the events from that of the definitions. */
static bool open_event_file(struct quipu__otf2_file *file, const struct quipu__otf2_source *source,
                            struct quipu__otf2_sink *sink) {
    uint64_t count = 0;
    if (source->local_records > 0 && open_local_file(file, source))
        OTF2_Reader_ReadLocalDefinitions(file->reader, file->local, source->local_records, &count);
    if (file->local)
        OTF2_Reader_CloseDefReader(file->reader, file->local);
    file->local = NULL;
    if (OTF2_Reader_OpenEvtFiles(file->reader) != OTF2_SUCCESS)
        return false;
    file->events = OTF2_Reader_GetEvtReader(file->reader, source->location);
    if (file->events && source->raw_times)
        OTF2_EvtReader_ApplyClockOffsets(file->events, false);
    if (file->events && source->raw_numbers)
        OTF2_EvtReader_ApplyMappingTables(file->events, false);
    return file->events && register_events(file, sink);
}

static bool open_group(struct quipu__otf2_file *file, const struct quipu__otf2_source *source,
                       struct quipu__otf2_sink *sink) {
    if (OTF2_Reader_SetSerialCollectiveCallbacks(file->reader) != OTF2_SUCCESS)
        return false;
    switch (source->group) {
    case QUIPU__OTF2_GROUP_EVENT:
        return OTF2_Reader_SelectLocation(file->reader, source->location) == OTF2_SUCCESS &&
               open_event_file(file, source, sink);
    case QUIPU__OTF2_GROUP_LOCAL:
        return OTF2_Reader_SelectLocation(file->reader, source->location) == OTF2_SUCCESS &&
               open_local_file(file, source) && register_local(file, sink);
    case QUIPU__OTF2_GROUP_DEFINITION:
        file->global = OTF2_Reader_GetGlobalDefReader(file->reader);
        return file->global && register_global(file, sink);
    case QUIPU__OTF2_GROUP_MARKER:
        file->markers = OTF2_Reader_GetMarkerReader(file->reader);
        return file->markers && register_markers(file, sink);
    }
    return false;
}

static enum quipu_status library_open(struct quipu__memory *memory, const struct quipu__otf2_source *source,
                                      struct quipu__otf2_sink *sink, struct quipu__otf2_file **out,
                                      struct quipu_error *err) {
    struct quipu__otf2_file *file = quipu__alloc_zero(memory, sizeof *file);
    *out = NULL;
    if (!file)
        return quipu__no_memory(err, sizeof *file);
    *file = (struct quipu__otf2_file){.memory = memory, .charge = {.memory = memory}, .group = source->group};
    enum quipu_status status = QUIPU_OK;
    if (!quipu__charge_add(&file->charge, source->memory))
        status = quipu__no_memory(err, source->memory);
    if (status == QUIPU_OK)
        file->reader = OTF2_Reader_Open(source->anchor);
    if (status == QUIPU_OK && (!file->reader || !open_group(file, source, sink)))
        status = quipu__fail(err, QUIPU_CORRUPT, "libotf2 does not open the file");
    if (status == QUIPU_OK)
        *out = file;
    else
        library_close(file);
    return status;
}

/* libotf2 counts from 1. */
static bool library_seek(struct quipu__otf2_file *file, uint64_t position) {
    return OTF2_EvtReader_Seek(file->events, position + 1) == OTF2_SUCCESS;
}

static bool library_read(struct quipu__otf2_file *file, uint64_t count, uint64_t *out_read) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    *out_read = 0;
    switch (file->group) {
    case QUIPU__OTF2_GROUP_EVENT:
        code = OTF2_Reader_ReadLocalEvents(file->reader, file->events, count, out_read);
        break;
    case QUIPU__OTF2_GROUP_LOCAL:
        code = OTF2_Reader_ReadLocalDefinitions(file->reader, file->local, count, out_read);
        break;
    case QUIPU__OTF2_GROUP_DEFINITION:
        code = OTF2_Reader_ReadGlobalDefinitions(file->reader, file->global, count, out_read);
        break;
    case QUIPU__OTF2_GROUP_MARKER:
        code = OTF2_Reader_ReadMarkers(file->reader, file->markers, count, out_read);
        break;
    }
    return code == OTF2_SUCCESS || code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
}

/* ---- Findings ---- */

static void find(struct quipu__otf2_trace *own, enum quipu__otf2_rule rule, const char *path, uint64_t byte,
                 const char *expected, const char *found) {
    const struct quipu__where where = {path, byte, QUIPU_UNKNOWN, QUIPU_UNKNOWN, "", ""};
    quipu__find(own->trace->findings, &quipu__otf2_rules[rule], &where, expected, "%s", found);
}

static void find_counts(struct quipu__otf2_trace *own, enum quipu__otf2_rule rule, const char *path,
                        uint64_t expected, uint64_t found) {
    char texts[2][32];
    snprintf(texts[0], sizeof texts[0], "%" PRIu64, expected);
    snprintf(texts[1], sizeof texts[1], "%" PRIu64, found);
    if (expected != found)
        find(own, rule, path, QUIPU_UNKNOWN, texts[0], texts[1]);
}

/* Looks over a file; what is missing has no records. */
static enum quipu_status scan(struct quipu__otf2_trace *own, const char *path, enum quipu__otf2_group group,
                              struct quipu__otf2_scan *out, struct quipu_error *err) {
    const uint64_t chunk =
        group == QUIPU__OTF2_GROUP_EVENT ? own->head.event_chunk : own->head.definition_chunk;
    const enum quipu_status status = quipu__otf2_scan(own->trace->files, path, group, chunk, out, err);
    if (status == QUIPU_OK && out->fault)
        find(own, QUIPU__OTF2_RULE_BROKEN_FILE, path, out->offset, "", out->fault);
    if (status != QUIPU_NOT_FOUND)
        return status;
    quipu_error_clear(err);
    return QUIPU_OK;
}

/* ---- Names of files ---- */

static char *path_of(struct quipu__otf2_trace *own, struct quipu__arena *arena, const char *format,
                     uint64_t id) {
    const size_t size = strlen(own->anchor) + 40;
    char *path = quipu__arena_alloc(arena, size);
    if (path) {
        const int used = snprintf(path, size, "%.*s", own->stem, own->anchor);
        if (format[0] == '/')
            snprintf(path + used, size - (size_t)used, "/%" PRIu64 "%s", id, format + 1);
        else
            snprintf(path + used, size - (size_t)used, "%s", format);
    }
    return path;
}

struct anchor_search {
    struct quipu__otf2_trace *own;
    const char *name;
};

static enum quipu_status visit(void *context, const char *name) {
    struct anchor_search *search = context;
    if (quipu__ends_with(name, ".otf2") && (!search->name || strcmp(name, "traces.otf2") == 0))
        search->name = quipu__arena_text(&search->own->arena, name, strlen(name));
    return QUIPU_OK;
}

/* The anchor file, which the path is or has in it. */
static enum quipu_status find_anchor(struct quipu__otf2_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    struct anchor_search search = {.own = own};
    own->anchor = trace->path;
    if (quipu__path_kind(trace->path, NULL) == QUIPU__PATH_DIRECTORY) {
        const enum quipu_status status = quipu__directory_visit(own->memory, trace->path, visit, &search, err);
        if (status != QUIPU_OK)
            return status;
        if (!search.name)
            return quipu__fail(err, QUIPU_NOT_FOUND, "no anchor file found (expected traces.otf2)");
        const size_t size = strlen(trace->path) + strlen(search.name) + 2;
        char *path = quipu__arena_alloc(&trace->define->arena, size);
        if (!path)
            return quipu__no_memory(err, size);
        snprintf(path, size, "%s/%s", trace->path, search.name);
        own->anchor = path;
    }
    const size_t len = strlen(own->anchor);
    own->stem = (int)(len > QUIPU__OTF2_SUFFIX_BYTES ? len - QUIPU__OTF2_SUFFIX_BYTES : len);
    return quipu__trace_add_file(trace, own->anchor, err);
}

/* libotf2 trusts the anchor file. */
static enum quipu_status check_anchor(struct quipu__otf2_trace *own, struct quipu_error *err) {
    enum { MOST = 1 << 20 };
    struct quipu__input *input;
    enum quipu_status status =
        quipu__input_open(own->trace->files, own->anchor, QUIPU__CODEC_NONE, 1 << 12, &input, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__input_more(input, input->size < MOST ? (size_t)input->size + 1 : MOST, err);
    if (status == QUIPU_OK && !quipu__otf2_anchor_is_sound(input->at, (size_t)(input->end - input->at))) {
        status = quipu__fail(err, QUIPU_CORRUPT, "the anchor file breaks off or is damaged");
        quipu__at(err, own->anchor, QUIPU_UNKNOWN);
        quipu__advise(err, "restore it; the definitions and events beside it cannot be read without it");
    }
    quipu__input_close(input);
    return status;
}

/* ---- Streams ---- */

static enum quipu_status add_stream(struct quipu__otf2_trace *own, const char *path, const char *name,
                                    enum quipu_stream_kind kind, uint64_t id, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    struct quipu_stream *stream = QUIPU__VEC_ADD(own->memory, &trace->streams);
    const char *copy = quipu__arena_text(&trace->define->arena, name, strlen(name));
    uint64_t bytes = 0;
    if (!stream || !copy || !path)
        return quipu__no_memory(err, sizeof *stream);
    const enum quipu__path_kind found = quipu__path_kind(path, &bytes);
    *stream = (struct quipu_stream){.name = copy,
                                    .path = path,
                                    .kind = kind,
                                    .native_id = id,
                                    .substreams = kind == QUIPU_STREAM_EVENTS,
                                    .bytes = found == QUIPU__PATH_FILE ? bytes : 0,
                                    .missing = found == QUIPU__PATH_MISSING};
    trace->bytes_total += stream->bytes;
    return QUIPU_OK;
}

/* A location without events need not have a file. */
static enum quipu_status add_locations(struct quipu__otf2_trace *own, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < own->locations.count && status == QUIPU_OK; i++) {
        const struct quipu__otf2_location *location = &own->locations.items[i];
        char name[24];
        snprintf(name, sizeof name, "%" PRIu64, location->id);
        const char *path = path_of(own, &own->trace->define->arena, "/.evt", location->id);
        const char *local = path_of(own, &own->trace->define->arena, "/.def", location->id);
        status = add_stream(own, path, name, QUIPU_STREAM_EVENTS, location->id, err);
        if (status == QUIPU_OK)
            status = local ? quipu__trace_add_file(own->trace, local, err) : quipu__no_memory(err, 0);
    }
    return status;
}

/* ---- Definitions ---- */

/* Takes records that are saved until the definitions of the model are made. */
struct saver {
    struct quipu__otf2_sink sink;
    struct quipu__otf2_trace *own;
    bool has_failed;
};

static const void *copy_sized(struct quipu__arena *arena, const void *elements, size_t size) {
    const struct quipu_sized head = {quipu_sized_count(elements), 0};
    struct quipu_sized *copy = quipu__arena_alloc(arena, sizeof head + head.count * size + 1);
    if (!copy)
        return NULL;
    *copy = head;
    memcpy(copy + 1, elements, head.count * size + 1); /* a zero byte is behind it */
    return copy + 1;
}

/* The struct with its texts and lists of numbers. */
static void *copy_record(struct quipu__arena *arena, const struct quipu_record_type *type, const void *data) {
    uint8_t *copy = quipu__arena_alloc(arena, type->size);
    if (!copy)
        return NULL;
    memcpy(copy, data, type->size);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        const void **member = (const void **)(void *)(copy + field->offset);
        if ((field->shape == QUIPU_LIST || field->storage == QUIPU_STORE_STRING) && *member)
            *member = copy_sized(arena, *member,
                                 field->shape == QUIPU_LIST ? quipu__storage_bytes(field->storage) : 1);
    }
    return copy;
}

static bool save(struct quipu__otf2_sink *sink) {
    struct saver *saver = (struct saver *)sink;
    struct quipu__otf2_trace *own = saver->own;
    void **item = QUIPU__VEC_ADD(own->memory, &own->saved[sink->type].items);
    if (item)
        *item = copy_record(&own->arena, &quipu__otf2_types[sink->type], &sink->record);
    quipu__scratch_reset(&sink->scratch);
    saver->has_failed = !item || !*item;
    return !saver->has_failed;
}

static size_t library_bytes(uint64_t chunk) {
    return LIBRARY_BYTES + (size_t)chunk;
}

/* Keeps all sound records of a file. */
static enum quipu_status read_all(struct quipu__otf2_trace *own, enum quipu__otf2_group group, const char *path,
                                  const struct quipu__otf2_scan *scanned, struct quipu_error *err) {
    struct saver saver = {.sink = {.add = save}, .own = own};
    const struct quipu__otf2_source source = {
        .anchor = own->anchor, .group = group, .memory = library_bytes(own->head.definition_chunk)};
    struct quipu__otf2_file *file = NULL;
    uint64_t count = 0;
    if (scanned->records == 0)
        return QUIPU_OK;
    quipu__scratch_init(&saver.sink.scratch, own->memory);
    enum quipu_status status = library_open(own->memory, &source, &saver.sink, &file, err);
    if (status == QUIPU_OK && !library_read(file, scanned->records, &count) && !saver.has_failed)
        find(own, QUIPU__OTF2_RULE_UNREADABLE, path, QUIPU_UNKNOWN, "", " ");
    if (saver.sink.unknown > 0)
        find(own, QUIPU__OTF2_RULE_NEWER_RECORD, path, QUIPU_UNKNOWN, "", " ");
    if (status == QUIPU_OK && saver.has_failed)
        status = quipu__no_memory(err, sizeof saver.sink.record);
    library_close(file);
    quipu__scratch_release(&saver.sink.scratch);
    return status;
}

/* ---- Markers ---- */

/* Those that are about no location or process are where the first process is. */
static uint32_t location_of(const struct quipu__otf2_trace *own, const struct quipu__otf2_MARKER *marker) {
    enum { LOCATION = 1, LOCATION_GROUP = 2 };
    const uint32_t location =
        quipu__tokens_get(&own->tokens[QUIPU__OTF2_CLASS_location], marker->scope_reference);
    const uint32_t group =
        quipu__tokens_get(&own->tokens[QUIPU__OTF2_CLASS_location_group], marker->scope_reference);
    if (marker->scope == LOCATION && location < own->locations.count)
        return own->locations.items[location].number;
    if (marker->scope == LOCATION_GROUP && group < own->saved[QUIPU__OTF2_TYPE_LOCATION_GROUP].items.count)
        return own->groups[group];
    return own->locations.count > 0 ? own->locations.items[0].number : QUIPU_NONE;
}

static int compare_marked(const void *left, const void *right) {
    const struct quipu__otf2_marked *a = left, *b = right;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    if (a->marker->timestamp != b->marker->timestamp)
        return a->marker->timestamp < b->marker->timestamp ? -1 : 1;
    return a->marker < b->marker ? -1 : a->marker > b->marker;
}

static enum quipu_status sort_markers(struct quipu__otf2_trace *own, struct quipu_error *err) {
    const struct quipu__otf2_saved *saved = &own->saved[QUIPU__OTF2_TYPE_MARKER];
    for (size_t i = 0; i < saved->items.count; i++) {
        struct quipu__otf2_marked *marked = QUIPU__VEC_ADD(own->memory, &own->marked);
        if (!marked)
            return quipu__no_memory(err, sizeof *marked);
        marked->marker = saved->items.items[i];
        marked->location = location_of(own, marked->marker);
    }
    return quipu__sort(own->memory, own->marked.items, own->marked.count, sizeof *own->marked.items,
                       compare_marked)
               ? QUIPU_OK
               : quipu__no_memory(err, own->marked.count * sizeof *own->marked.items);
}

/* ---- Opening ---- */

static void close_trace(struct quipu__trace *trace) {
    struct quipu__otf2_trace *own = quipu__otf2_of(trace);
    if (!own)
        return;
    for (unsigned i = 0; i < QUIPU__OTF2_TYPE_COUNT; i++)
        QUIPU__VEC_RELEASE(own->memory, &own->saved[i].items);
    for (unsigned i = 0; i < QUIPU__OTF2_CLASS_COUNT; i++)
        quipu__tokens_release(&own->tokens[i]);
    QUIPU__VEC_RELEASE(own->memory, &own->locations);
    QUIPU__VEC_RELEASE(own->memory, &own->comms);
    QUIPU__VEC_RELEASE(own->memory, &own->metrics);
    QUIPU__VEC_RELEASE(own->memory, &own->marked);
    quipu__arena_release(&own->arena);
    quipu__release(own->memory, own, sizeof *own);
    trace->own = NULL;
}

static enum quipu_status set_variant(struct quipu__otf2_trace *own, struct quipu_error *err) {
    const char *asked = own->trace->options->variant;
    char text[40];
    own->raw_times = asked && strcmp(asked, "raw-times") == 0;
    if (asked && asked[0] && !own->raw_times)
        return quipu__fail(err, QUIPU_MISUSE, "there is no such variant: %s (expected raw-times)", asked);
    snprintf(text, sizeof text, "%u.%u.%u%s", own->head.version[0], own->head.version[1], own->head.version[2],
             own->raw_times ? ", raw times" : "");
    own->trace->variant = quipu__arena_text(&own->trace->define->arena, text, strlen(text));
    return own->trace->variant ? QUIPU_OK : quipu__no_memory(err, sizeof text);
}

struct finding_lost {
    struct quipu__otf2_trace *own;
    struct quipu_error *err;
};

/* Takes a file of events as that of a location of which nothing is known, unless it is defined. */
static enum quipu_status save_lost(void *context, const char *name) {
    const struct finding_lost *lost = context;
    struct quipu__otf2_trace *own = lost->own;
    struct quipu__otf2_saved *saved = &own->saved[QUIPU__OTF2_TYPE_LOCATION];
    struct quipu__otf2_LOCATION location = {
        .name = UINT32_MAX, .type = 1, .events = QUIPU_UNKNOWN, .group = UINT32_MAX};
    char *end;
    location.self = strtoull(name, &end, 10);
    if (end == name || strcmp(end, ".evt") != 0)
        return QUIPU_OK;
    for (size_t i = 0; i < saved->items.count; i++)
        if (((const struct quipu__otf2_LOCATION *)saved->items.items[i])->self == location.self)
            return QUIPU_OK;
    void **item = QUIPU__VEC_ADD(own->memory, &saved->items);
    if (!item || !(*item = copy_record(&own->arena, &quipu__otf2_types[QUIPU__OTF2_TYPE_LOCATION], &location)))
        return quipu__no_memory(lost->err, sizeof location);
    find(own, QUIPU__OTF2_RULE_UNDEFINED, path_of(own, &own->arena, "/.evt", location.self), QUIPU_UNKNOWN, "",
         "a location");
    return QUIPU_OK;
}

/* Locations whose definitions are lost have files still. */
static enum quipu_status find_lost(struct quipu__otf2_trace *own, struct quipu_error *err) {
    struct finding_lost lost = {own, err};
    const char *folder = path_of(own, &own->arena, "", 0);
    if (!folder)
        return quipu__no_memory(err, 0);
    if (own->saved[QUIPU__OTF2_TYPE_LOCATION].items.count >= own->head.locations ||
        quipu__path_kind(folder, NULL) != QUIPU__PATH_DIRECTORY)
        return QUIPU_OK;
    return quipu__directory_visit(own->memory, folder, save_lost, &lost, err);
}

static enum quipu_status read_definitions(struct quipu__otf2_trace *own, const char *definitions,
                                          struct quipu_error *err) {
    enum quipu_status status = scan(own, definitions, QUIPU__OTF2_GROUP_DEFINITION, &own->definitions, err);
    if (status == QUIPU_OK)
        status = read_all(own, QUIPU__OTF2_GROUP_DEFINITION, definitions, &own->definitions, err);
    if (status == QUIPU_OK && own->marker_path)
        status = scan(own, own->marker_path, QUIPU__OTF2_GROUP_MARKER, &own->markers, err);
    if (status == QUIPU_OK && own->marker_path)
        status = read_all(own, QUIPU__OTF2_GROUP_MARKER, own->marker_path, &own->markers, err);
    if (status != QUIPU_OK)
        return status;
    find_counts(own, QUIPU__OTF2_RULE_LOST_DEFINITIONS, definitions, own->head.definitions,
                own->definitions.records);
    status = find_lost(own, err);
    return status == QUIPU_OK ? quipu__otf2_define(own, err) : status;
}

static enum quipu_status read_trace(struct quipu__otf2_trace *own, struct quipu_error *err) {
    struct quipu__trace *trace = own->trace;
    enum quipu_status status =
        quipu__format_refuse_pipe(trace, "name the anchor file (*.otf2) or its folder", err);
    if (status == QUIPU_OK)
        status = find_anchor(own, err);
    if (status == QUIPU_OK)
        status = check_anchor(own, err);
    if (status == QUIPU_OK)
        status = read_anchor(own->anchor, &own->head, err);
    if (status == QUIPU_OK)
        status = set_variant(own, err);
    if (status != QUIPU_OK)
        return status;
    if (own->head.snapshots > 0 || own->head.thumbnails > 0)
        find(own, QUIPU__OTF2_RULE_SKIPPED_FILES, own->anchor, QUIPU_UNKNOWN, "", " ");
    const char *definitions = path_of(own, &trace->define->arena, ".def", 0);
    own->marker_path = path_of(own, &trace->define->arena, ".marker", 0);
    if (!definitions || !own->marker_path)
        return quipu__no_memory(err, 0);
    if (quipu__path_kind(own->marker_path, NULL) == QUIPU__PATH_MISSING)
        own->marker_path = NULL;
    status = read_definitions(own, definitions, err);
    if (status == QUIPU_OK)
        status = add_stream(own, definitions, "definitions", QUIPU_STREAM_DEFINITIONS, 0, err);
    if (status == QUIPU_OK)
        status = add_locations(own, err);
    if (status == QUIPU_OK && own->marker_path)
        status = add_stream(own, own->marker_path, "markers", QUIPU_STREAM_MARKERS, 0, err);
    return status == QUIPU_OK ? sort_markers(own, err) : status;
}

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__otf2_trace *own = trace->own = quipu__alloc_zero(trace->memory, sizeof *own);
    if (!own)
        return quipu__no_memory(err, sizeof *own);
    own->trace = trace;
    own->memory = trace->memory;
    trace->bytes_total = 0;
    quipu__arena_init(&own->arena, own->memory);
    for (unsigned i = 0; i < QUIPU__OTF2_CLASS_COUNT; i++)
        quipu__tokens_init(&own->tokens[i], own->memory);
    const enum quipu_status status = read_trace(own, err);
    if (status != QUIPU_OK) {
        QUIPU__VEC_RELEASE(trace->memory, &trace->streams);
        close_trace(trace);
    }
    return status;
}

/* ---- Passes ---- */

static bool count(struct quipu__otf2_pass *pass) {
    pass->common.records++;
    if (pass->common.records_of)
        pass->common.records_of[pass->sink.type]++;
    pass->position++;
    return true;
}

static bool add_record(struct quipu__otf2_sink *sink) {
    count((struct quipu__otf2_pass *)(void *)((uint8_t *)sink - offsetof(struct quipu__otf2_pass, sink)));
    return true;
}

/* Markers up to a time. The batch grows where there are more than it has room for. */
static void give_markers(struct quipu__otf2_pass *pass, uint64_t until) {
    for (; pass->marker < pass->marker_end; pass->marker++) {
        const struct quipu__otf2_MARKER *marker = pass->own->marked.items[pass->marker].marker;
        if (marker->timestamp > until)
            return;
        if (quipu__batch_left(pass->batch) <= pass->most &&
            quipu__batch_grow(pass->batch, pass->batch->batch.capacity * 2, NULL) != QUIPU_OK) {
            pass->has_failed = true;
            return;
        }
        quipu__otf2_add_marker(pass, marker);
    }
}

/* Stops in time before the batch is full, but not between the two ends of something that is put into one event. */
static bool add_events_of(struct quipu__otf2_sink *sink) {
    struct quipu__otf2_pass *pass =
        (struct quipu__otf2_pass *)(void *)((uint8_t *)sink - offsetof(struct quipu__otf2_pass, sink));
    if (QUIPU__UNLIKELY(pass->marker < pass->marker_end))
        give_markers(pass, sink->record.ENTER.timestamp);
    quipu__otf2_to_model(pass);
    quipu__scratch_reset(&sink->scratch);
    count(pass);
    const uint32_t left = quipu__batch_left(pass->batch);
    const bool is_open = pass->open_count > 0 || pass->open_gap != QUIPU_NONE;
    return !pass->has_failed && left > 2 * pass->most && (is_open || left > pass->batch->batch.capacity / 4);
}

/* libotf2 holds a chunk of each file that is open: beyond this number, files of events are closed between two batches. */
enum { OPEN_MOST = 100 };

static void close_events(struct quipu__otf2_pass *pass) {
    if (pass->file && pass->source.group == QUIPU__OTF2_GROUP_EVENT)
        atomic_fetch_sub(&pass->own->open_files, 1);
    library_close(pass->file);
    pass->file = NULL;
}

/* Opens the file of events where the pass is. */
static enum quipu_status reopen_events(struct quipu__otf2_pass *pass, struct quipu_error *err) {
    const uint64_t position = pass->position + pass->sink.unknown;
    enum quipu_status status = library_open(pass->own->memory, &pass->source, &pass->sink, &pass->file, err);
    if (status != QUIPU_OK)
        return status;
    atomic_fetch_add(&pass->own->open_files, 1);
    if (position > 0 && !library_seek(pass->file, position))
        return quipu__fail(err, QUIPU_CORRUPT, "libotf2 does not find an event");
    return QUIPU_OK;
}

static enum quipu_status open_events(struct quipu__otf2_pass *pass, struct quipu_error *err) {
    struct quipu__otf2_trace *own = pass->own;
    const struct quipu__otf2_location *location =
        &own->locations.items[pass->common.stream - QUIPU__OTF2_FIRST_EVENTS];
    const char *local = own->trace->other_files.items[pass->common.stream];
    pass->location = location->number;
    enum quipu_status status = scan(own, local, QUIPU__OTF2_GROUP_LOCAL, &pass->local_scan, err);
    if (status == QUIPU_OK)
        status = scan(own, pass->path, QUIPU__OTF2_GROUP_EVENT, &pass->scan, err);
    if (status != QUIPU_OK)
        return status;
    pass->source = (struct quipu__otf2_source){.anchor = own->anchor,
                                               .group = QUIPU__OTF2_GROUP_LOCAL,
                                               .location = location->id,
                                               .local_records = pass->local_scan.records,
                                               .raw_times = own->raw_times,
                                               .memory = library_bytes(own->head.definition_chunk)};
    if (pass->common.substream == QUIPU__RECORDS && pass->local_scan.records > 0)
        status = library_open(own->memory, &pass->source, &pass->sink, &pass->local, err);
    pass->source.group = QUIPU__OTF2_GROUP_EVENT;
    pass->source.raw_numbers = own->keeps_numbers && pass->common.substream == QUIPU__RECORDS;
    pass->source.raw_times |= pass->source.raw_numbers;
    pass->source.memory = library_bytes(own->head.event_chunk);
    if (!pass->scan.fault && location->events != QUIPU_UNKNOWN)
        find_counts(own,
                    own->trace->streams.items[pass->common.stream].missing ? QUIPU__OTF2_RULE_MISSING_FILE
                                                                           : QUIPU__OTF2_RULE_LOST_EVENTS,
                    pass->path, location->events, pass->scan.records);
    return status == QUIPU_OK && pass->scan.records > 0 ? reopen_events(pass, err) : status;
}

static enum quipu_status open_other(struct quipu__otf2_pass *pass, enum quipu__otf2_group group,
                                    const struct quipu__otf2_scan *scanned, struct quipu_error *err) {
    const struct quipu__otf2_source source = {
        .anchor = pass->own->anchor, .group = group, .memory = library_bytes(pass->own->head.definition_chunk)};
    pass->scan = *scanned;
    return scanned->records > 0 ? library_open(pass->own->memory, &source, &pass->sink, &pass->file, err)
                                : QUIPU_OK;
}

static enum quipu_status open_files(struct quipu__otf2_pass *pass, struct quipu_error *err) {
    struct quipu__otf2_trace *own = pass->own;
    if (pass->common.stream == QUIPU__OTF2_DEFINITIONS)
        return open_other(pass, QUIPU__OTF2_GROUP_DEFINITION, &own->definitions, err);
    if (pass->common.stream - QUIPU__OTF2_FIRST_EVENTS >= own->locations.count)
        return open_other(pass, QUIPU__OTF2_GROUP_MARKER, &own->markers, err);
    return open_events(pass, err);
}

/* The markers of the location. */
static void set_markers(struct quipu__otf2_pass *pass) {
    const struct quipu__otf2_trace *own = pass->own;
    while (pass->marker < own->marked.count && own->marked.items[pass->marker].location < pass->location)
        pass->marker++;
    pass->marker_end = pass->marker;
    while (pass->marker_end < own->marked.count &&
           own->marked.items[pass->marker_end].location == pass->location)
        pass->marker_end++;
}

static void pass_close(struct quipu__pass *common) {
    struct quipu__otf2_pass *pass = (struct quipu__otf2_pass *)common;
    if (!pass)
        return;
    close_events(pass);
    library_close(pass->local);
    quipu__map_release(&pass->tasks);
    quipu__map_release(&pass->active_of);
    quipu__map_release(&pass->far_of);
    QUIPU__VEC_RELEASE(pass->own->memory, &pass->active);
    QUIPU__VEC_RELEASE(pass->own->memory, &pass->calls);
    QUIPU__VEC_RELEASE(pass->own->memory, &pass->far);
    quipu__scratch_release(&pass->sink.scratch);
    quipu__release(common->trace->memory, pass, sizeof *pass);
}

static enum quipu_status pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                   struct quipu_error *err) {
    struct quipu__otf2_trace *own = quipu__otf2_of(common->trace);
    struct quipu__otf2_pass *pass = quipu__alloc_zero(own->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    pass->own = own;
    pass->path = common->trace->streams.items[common->stream].path;
    pass->most = own->most_members > 2 ? own->most_members : 2;
    pass->open_gap = pass->free_active = QUIPU_NONE;
    pass->task = QUIPU_UNKNOWN;
    pass->sink.add = common->substream == QUIPU__RECORDS ? add_record : add_events_of;
    pass->sink.without_attributes = common->substream != QUIPU__RECORDS && common->filter->without_attributes;
    quipu__scratch_init(&pass->sink.scratch, own->memory);
    quipu__map_init(&pass->tasks, own->memory);
    quipu__map_init(&pass->active_of, own->memory);
    quipu__map_init(&pass->far_of, own->memory);
    enum quipu_status status = open_files(pass, err);
    if (status == QUIPU_OK && common->substream != QUIPU__RECORDS)
        set_markers(pass);
    if (status == QUIPU_CORRUPT) {
        find(own, QUIPU__OTF2_RULE_UNREADABLE, pass->path, QUIPU_UNKNOWN, "", " ");
        status = QUIPU_END;
    }
    if (status == QUIPU_OK)
        *out = &pass->common;
    else
        pass_close(&pass->common);
    return status;
}

static uint64_t left_of(const struct quipu__otf2_pass *pass) {
    const uint64_t done = pass->position + pass->sink.unknown;
    return done < pass->scan.records ? pass->scan.records - done : 0;
}

/* Where the pass is, in proportion. */
static void set_bytes(struct quipu__otf2_pass *pass) {
    const uint64_t left = left_of(pass);
    const double share = pass->scan.records > 0 ? 1 - (double)left / (double)pass->scan.records : 1;
    pass->common.bytes = left == 0 ? pass->scan.size : (uint64_t)((double)pass->scan.size * share);
}

static enum quipu_status end_pass(struct quipu__otf2_pass *pass) {
    set_bytes(pass);
    if (pass->sink.unknown > 0)
        find(pass->own, QUIPU__OTF2_RULE_NEWER_RECORD, pass->path, QUIPU_UNKNOWN, "", " ");
    pass->sink.unknown = 0;
    if (pass->common.substream == QUIPU__RECORDS && pass->scan.fault)
        pass->common.skipped = pass->scan.size - pass->scan.offset;
    return QUIPU_END;
}

/* Reads some of what is left; false at the end, or where libotf2 cannot go on. */
static bool read_some(struct quipu__otf2_pass *pass, uint64_t most) {
    const uint64_t left = left_of(pass), before = left;
    uint64_t got = 0;
    if (left == 0 || !pass->file)
        return false;
    const bool done = library_read(pass->file, left < most ? left : most, &got);
    if ((done && left_of(pass) < before) || pass->has_failed)
        return true;
    find(pass->own, QUIPU__OTF2_RULE_UNREADABLE, pass->path, QUIPU_UNKNOWN, "", " ");
    pass->scan.records = 0;
    return left_of(pass) < before && done;
}

static enum quipu_status next_record(struct quipu__pass *common, struct quipu_record *out,
                                     struct quipu_error *err) {
    struct quipu__otf2_pass *pass = (struct quipu__otf2_pass *)common;
    uint64_t got = 0;
    bool has_record = false;
    quipu__scratch_reset(&pass->sink.scratch);
    if (pass->local) {
        has_record = common->records < pass->local_scan.records && library_read(pass->local, 1, &got) &&
                     pass->position > 0;
        pass->position = 0;
        if (!has_record || common->records == pass->local_scan.records) {
            struct quipu__otf2_file *local = pass->local;
            pass->local = NULL;
            library_close(local);
        }
    }
    for (uint64_t before = common->records; !has_record; has_record = common->records > before)
        if (!read_some(pass, 1))
            return end_pass(pass);
    set_bytes(pass);
    *out = (struct quipu_record){.type = &quipu__otf2_types[pass->sink.type],
                                 .data = &pass->sink.record,
                                 .stream = common->stream,
                                 .byte_offset = common->records - 1,
                                 .line = QUIPU_UNKNOWN,
                                 .index = common->records - 1};
    return quipu__memory_status(common->trace->memory, err);
}

/* ---- Ends that are far ----
 *
 * Where a batch is full before a collective operation ends that has begun in it, the rest of the file is looked through once, by a pass of its own: which
 * later ones have an end that is far, and what that says, or have none. Some whose end is near come along. */

struct lookahead {
    struct quipu__otf2_pass pass;
    uint64_t collectives;   /* up to the end of the batch that is full */
    struct quipu__map open; /* number in far of the latest one that has not ended, by id */
};

static void seek_end(struct lookahead *lookahead, const struct quipu_batch *batch) {
    struct quipu__otf2_pass *pass = &lookahead->pass;
    const struct quipu__otf2_far far = {.number = pass->collectives - 1,
                                        .position = pass->position,
                                        .id = batch->id[0],
                                        .bytes = QUIPU_UNKNOWN,
                                        .value = QUIPU_UNKNOWN,
                                        .group = QUIPU_NONE,
                                        .peer = QUIPU_NONE,
                                        .operation = QUIPU_NONE,
                                        .region = QUIPU_NONE,
                                        .older = quipu__map_get(&lookahead->open, batch->id[0])};
    if (!QUIPU__VEC_PUT(pass->own->memory, &pass->far, far) ||
        !quipu__map_put(&lookahead->open, far.id, (uint32_t)pass->far.count - 1))
        pass->has_failed = true;
}

static void find_end(struct lookahead *lookahead, const struct quipu_batch *batch) {
    struct quipu__otf2_pass *pass = &lookahead->pass;
    const uint32_t number = quipu__map_remove(&lookahead->open, batch->id[0]);
    if (number == QUIPU_NONE)
        return;
    struct quipu__otf2_far *far = &pass->far.items[number], sought = *far;
    if (sought.older != QUIPU_NONE)
        pass->has_failed |= !quipu__map_put(&lookahead->open, sought.id, sought.older);
    *far = quipu__otf2_end_of(batch, 0);
    far->number = sought.number;
    if (sought.number >= lookahead->collectives && pass->position - sought.position <= QUIPU__OTF2_NEAR &&
        number == pass->far.count - 1)
        pass->far.count--;
}

static bool look_at_record(struct quipu__otf2_sink *sink) {
    struct lookahead *lookahead =
        (struct lookahead *)(void *)((uint8_t *)sink - offsetof(struct lookahead, pass.sink));
    struct quipu__otf2_pass *pass = &lookahead->pass;
    const unsigned kind = quipu__otf2_rows[sink->type].kind;
    if (kind == QUIPU_KIND_collective_begin + 1 || kind == QUIPU_KIND_collective_end + 1) {
        quipu__batch_clear(pass->batch);
        pass->open_count = 0;
        quipu__otf2_to_model(pass);
        (kind == QUIPU_KIND_collective_end + 1 ? find_end : seek_end)(lookahead, &pass->batch->batch);
    }
    quipu__scratch_reset(&sink->scratch);
    pass->position++;
    return !pass->has_failed;
}

/* Beginnings of the batch, of which the first has that number, have what was found. */
static void set_far_ends(struct quipu__otf2_pass *pass, uint64_t number) {
    for (uint32_t i = 0; i < pass->batch->batch.count; i++)
        if (pass->batch->batch.kind[i] == QUIPU_KIND_collective_begin)
            (void)quipu__otf2_begin_far(pass, i, number++);
}

/* From the batch's first record on; first is the number of its first beginning. */
static enum quipu_status look_ahead(struct quipu__otf2_pass *pass, uint64_t position, uint64_t first,
                                    struct quipu_error *err) {
    struct quipu__memory *memory = pass->own->memory;
    struct lookahead lookahead = {.pass = {.common = pass->common,
                                           .own = pass->own,
                                           .location = pass->location,
                                           .position = position,
                                           .collectives = first,
                                           .sink = {.add = look_at_record, .without_attributes = true}},
                                  .collectives = pass->collectives};
    struct quipu__otf2_pass *other = &lookahead.pass;
    uint64_t got = 0;
    pass->has_far = true;
    quipu__scratch_init(&other->sink.scratch, memory);
    quipu__map_init(&lookahead.open, memory);
    enum quipu_status status = quipu__batch_new(memory, 2, &other->batch, err);
    if (status == QUIPU_OK)
        status = library_open(memory, &pass->source, &other->sink, &other->file, err);
    if (status == QUIPU_OK && (position == 0 || library_seek(other->file, position)))
        library_read(other->file, pass->scan.records - position, &got);
    pass->far = other->far;
    pass->has_failed |= other->has_failed;
    set_far_ends(pass, first);
    library_close(other->file);
    quipu__batch_free(other->batch);
    quipu__map_release(&lookahead.open);
    quipu__scratch_release(&other->sink.scratch);
    return status == QUIPU_CORRUPT ? QUIPU_OK : status; /* the pass will come there itself */
}

static enum quipu_status next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                    struct quipu_error *err) {
    struct quipu__otf2_pass *pass = (struct quipu__otf2_pass *)common;
    const uint32_t least = 4 * (QUIPU__OTF2_NEAR + 2) * pass->most; /* see add_events_of */
    if (batch->batch.capacity < least) {
        const enum quipu_status status = quipu__batch_grow(batch, least, err);
        if (status != QUIPU_OK)
            return status;
    }
    const uint64_t position = pass->position + pass->sink.unknown, first = pass->collectives;
    pass->batch = batch;
    pass->open_count = pass->unended = 0;
    pass->open_gap = QUIPU_NONE;
    if (!pass->file && left_of(pass) > 0) {
        const enum quipu_status status = reopen_events(pass, err);
        if (status == QUIPU_CORRUPT)
            find(pass->own, QUIPU__OTF2_RULE_UNREADABLE, pass->path, QUIPU_UNKNOWN, "", " ");
        if (status != QUIPU_OK)
            return status == QUIPU_CORRUPT ? QUIPU_END : status;
    }
    const bool has_more = read_some(pass, UINT64_MAX);
    if (pass->unended > 0 && !pass->has_far && left_of(pass) > 0 && !pass->has_failed) {
        const enum quipu_status status = look_ahead(pass, position, first, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (left_of(pass) == 0 || atomic_load(&pass->own->open_files) > OPEN_MOST)
        close_events(pass);
    if (pass->has_failed)
        return quipu__no_memory(err, sizeof(struct quipu_attribute));
    if (!has_more || left_of(pass) == 0)
        give_markers(pass, UINT64_MAX);
    set_bytes(pass);
    if (batch->batch.count > 0)
        return quipu__memory_status(common->trace->memory, err);
    return end_pass(pass);
}

const struct quipu__reading quipu__otf2_reading = {
    .probe = quipu__otf2_probe,
    .open = open_trace,
    .close = close_trace,
    .pass_open = pass_open,
    .pass_close = pass_close,
    .next_record = next_record,
    .next_batch = next_batch,
    .mapping = quipu__otf2_mapping,
    .dependent_rules = "otf2.undefined otf2.lost-events otf2.lost-definitions otf2.no-clock",
};
