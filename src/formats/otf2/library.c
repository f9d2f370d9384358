/* library.c: files that libotf2 reads. Each has a reader of its own, so that passes are independent of each other in any number of threads. */
#include "formats/otf2/library.h"

#include "core/error.h"

/* libotf2 prints messages unless someone takes them. What went wrong is known from what it returns. */
static OTF2_ErrorCode keep_quiet(void *context, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments) {
    (void)context, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

enum quipu_status quipu__otf2_read_anchor(const char *path, struct quipu__otf2_anchor *out,
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

/* ---- Files ---- */

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

void quipu__otf2_file_close(struct quipu__otf2_file *file) {
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

static bool open_local(struct quipu__otf2_file *file, const struct quipu__otf2_source *source) {
    file->local = OTF2_Reader_OpenDefFiles(file->reader) == OTF2_SUCCESS
                      ? OTF2_Reader_GetDefReader(file->reader, source->location)
                      : NULL;
    return file->local != NULL;
}

/* libotf2 takes mapping tables and clock offsets to the reader of the events from that of the definitions. */
static bool open_events(struct quipu__otf2_file *file, const struct quipu__otf2_source *source,
                        struct quipu__otf2_sink *sink) {
    uint64_t count = 0;
    if (source->local_records > 0 && open_local(file, source))
        OTF2_Reader_ReadLocalDefinitions(file->reader, file->local, source->local_records, &count);
    if (file->local)
        OTF2_Reader_CloseDefReader(file->reader, file->local);
    file->local = NULL;
    if (OTF2_Reader_OpenEvtFiles(file->reader) != OTF2_SUCCESS)
        return false;
    file->events = OTF2_Reader_GetEvtReader(file->reader, source->location);
    if (file->events && source->raw_times)
        OTF2_EvtReader_ApplyClockOffsets(file->events, false);
    return file->events && register_events(file, sink);
}

static bool open_group(struct quipu__otf2_file *file, const struct quipu__otf2_source *source,
                       struct quipu__otf2_sink *sink) {
    if (OTF2_Reader_SetSerialCollectiveCallbacks(file->reader) != OTF2_SUCCESS)
        return false;
    switch (source->group) {
    case QUIPU__OTF2_GROUP_EVENT:
        return OTF2_Reader_SelectLocation(file->reader, source->location) == OTF2_SUCCESS &&
               open_events(file, source, sink);
    case QUIPU__OTF2_GROUP_LOCAL:
        return OTF2_Reader_SelectLocation(file->reader, source->location) == OTF2_SUCCESS &&
               open_local(file, source) && register_local(file, sink);
    case QUIPU__OTF2_GROUP_DEFINITION:
        file->global = OTF2_Reader_GetGlobalDefReader(file->reader);
        return file->global && register_global(file, sink);
    case QUIPU__OTF2_GROUP_MARKER:
        file->markers = OTF2_Reader_GetMarkerReader(file->reader);
        return file->markers && register_markers(file, sink);
    }
    return false;
}

enum quipu_status quipu__otf2_file_open(struct quipu__memory *memory, const struct quipu__otf2_source *source,
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
        quipu__otf2_file_close(file);
    return status;
}

/* libotf2 counts from 1. */
bool quipu__otf2_file_seek(struct quipu__otf2_file *file, uint64_t position) {
    return OTF2_EvtReader_Seek(file->events, position + 1) == OTF2_SUCCESS;
}

bool quipu__otf2_file_read(struct quipu__otf2_file *file, uint64_t count, uint64_t *out_read) {
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
