/* otf2_writers.c: the same events of the made-up program written as OTF2 by our library, event after event or in batches, and by libotf2. The events are made
 * before; what is measured is writing, from opening to closing.
 *
 *     otf2_writers FOLDER events|batches|library [EVENTS]
 */
#include "program.h"

#include <quipu/builder.h>
#include <quipu/format.h>
#include <quipu/writer.h>

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RANKS = 4 };

struct events {
    struct program_event *items;
    uint64_t count[RANKS], total;
};

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Location after location; counters are left out. */
static int make_events(uint64_t wanted, struct events *out) {
    const uint64_t steps = program_steps(wanted, RANKS);
    *out = (struct events){.items = malloc(RANKS * steps * STEP_EVENTS_MOST * sizeof *out->items)};
    for (uint32_t rank = 0; out->items && rank < RANKS; rank++) {
        struct program program;
        program_start(&program, rank, RANKS, 1);
        for (uint64_t step = 0; step < steps; step++) {
            struct program_event made[STEP_EVENTS_MOST];
            const uint32_t count = program_step(&program, made);
            for (uint32_t i = 0; i < count; i++)
                if (made[i].act != COUNTER) {
                    out->items[out->total++] = made[i];
                    out->count[rank]++;
                }
        }
    }
    return out->items != NULL;
}

/* ---- Ours ---- */

static struct quipu_builder *define_ours(void) {
    const struct quipu_clock clock = {.ticks_per_second = 1000000000};
    struct quipu_builder *builder = NULL;
    uint32_t members[RANKS];
    if (quipu_builder_new(&clock, NULL, &builder, NULL) != QUIPU_OK)
        return NULL;
    for (uint32_t i = 0; i < RANKS; i++) {
        struct quipu_location location = QUIPU_LOCATION_INIT;
        location.name = "rank";
        location.rank = i;
        members[i] = quipu_builder_add_location(builder, &location);
    }
    for (uint32_t i = 0; i < REGION_COUNT; i++) {
        struct quipu_region region = QUIPU_REGION_INIT;
        region.name = program_region_name(i);
        quipu_builder_add_region(builder, &region);
    }
    struct quipu_group group = QUIPU_GROUP_INIT;
    group.name = "world";
    group.is_communicator = true;
    group.member_count = RANKS;
    group.members = members;
    quipu_builder_add_group(builder, &group);
    return builder;
}

static void set_event(struct quipu_event *event, const struct program_event *from) {
    static const uint8_t kinds[] = {[ENTER] = QUIPU_KIND_enter,
                                    [LEAVE] = QUIPU_KIND_leave,
                                    [SEND] = QUIPU_KIND_send,
                                    [RECEIVE] = QUIPU_KIND_recv,
                                    [COLLECTIVE_BEGIN] = QUIPU_KIND_collective_begin,
                                    [COLLECTIVE_END] = QUIPU_KIND_collective_end};
    const uint32_t location = event->location;
    *event = (struct quipu_event)QUIPU_EVENT_INIT;
    event->location = location;
    event->time = (int64_t)from->time;
    event->kind = kinds[from->act];
    event->object = from->act < SEND ? from->region : REGION_ALLREDUCE;
    if (from->act < SEND)
        return;
    event->group = 0;
    event->peer = from->act < COLLECTIVE_BEGIN ? from->peer : QUIPU_NONE;
    event->tag = from->act < COLLECTIVE_BEGIN ? (int64_t)from->tag : -1;
    event->bytes = from->act < COLLECTIVE_BEGIN ? from->bytes : 8;
    event->value = from->act < COLLECTIVE_BEGIN ? QUIPU_UNKNOWN : 8;
    event->operation = from->act < COLLECTIVE_BEGIN ? QUIPU_NONE : QUIPU_COLLECTIVE_ALLREDUCE;
}

static enum quipu_status put_events(struct quipu_writer *writer, const struct events *events) {
    const struct program_event *next = events->items;
    struct quipu_event event = QUIPU_EVENT_INIT;
    enum quipu_status status = QUIPU_OK;
    for (event.location = 0; event.location < RANKS; event.location++)
        for (uint64_t i = 0; i < events->count[event.location] && status == QUIPU_OK; i++) {
            set_event(&event, next++);
            status = quipu_writer_put_event(writer, &event, NULL);
        }
    return status;
}

/* Columns of events of one location. */
enum { BATCH = 4096 };
static struct {
    int64_t time[BATCH];
    uint8_t kind[BATCH];
    uint32_t location[BATCH];
    uint64_t byte_offset[BATCH];
#define QUIPU_COLUMN(name, c_type, doc) c_type name[BATCH];
#include <quipu/columns.def>
#undef QUIPU_COLUMN
} columns;

static void set_row(uint32_t i, const struct quipu_event *event) {
    columns.time[i] = event->time;
    columns.kind[i] = event->kind;
    columns.location[i] = event->location;
    columns.byte_offset[i] = event->byte_offset;
#define QUIPU_COLUMN(name, c_type, doc) columns.name[i] = event->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
}

/* Calls have no other columns. */
static void set_call(uint32_t i, uint32_t location, const struct program_event *event) {
    columns.time[i] = (int64_t)event->time;
    columns.kind[i] = event->act == ENTER ? QUIPU_KIND_enter : QUIPU_KIND_leave;
    columns.location[i] = location;
    columns.object[i] = event->region;
}

static enum quipu_status put_batches(struct quipu_writer *writer, const struct events *events) {
    const struct program_event *next = events->items;
    struct quipu_event event = QUIPU_EVENT_INIT;
    enum quipu_status status = QUIPU_OK;
    struct quipu_batch batch = {
        .capacity = BATCH,
        .time = columns.time,
        .kind = columns.kind,
        .location = columns.location,
        .byte_offset = columns.byte_offset,
#define QUIPU_COLUMN(name, c_type, doc) .name = columns.name,
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    };
    for (event.location = 0; event.location < RANKS; event.location++)
        for (uint64_t left = events->count[event.location]; left > 0 && status == QUIPU_OK;
             left -= batch.count) {
            batch.count = left < BATCH ? (uint32_t)left : BATCH;
            for (uint32_t i = 0; i < batch.count; i++, next++)
                if (next->act < SEND) {
                    set_call(i, event.location, next);
                } else {
                    set_event(&event, next);
                    set_row(i, &event);
                }
            status = quipu_writer_put_batch(writer, &batch, NULL);
        }
    return status;
}

static int write_ours(const char *path, const struct events *events, int in_batches) {
    struct quipu_writer_options options = QUIPU_WRITER_OPTIONS_INIT;
    struct quipu_builder *builder = define_ours();
    struct quipu_writer *writer = NULL;
    options.replace = true;
    enum quipu_status status =
        builder ? quipu_writer_create(path, quipu_format_find("otf2"), &options, &writer, NULL)
                : QUIPU_NO_MEMORY;
    if (status == QUIPU_OK)
        status = quipu_writer_define(writer, quipu_builder_definitions(builder), NULL);
    if (status == QUIPU_OK)
        status = in_batches ? put_batches(writer, events) : put_events(writer, events);
    if (status == QUIPU_OK)
        status = quipu_writer_close(writer, NULL);
    quipu_builder_free(builder);
    return status == QUIPU_OK;
}

/* ---- libotf2 ---- */

static OTF2_FlushType pre_flush(void *context, OTF2_FileType type, OTF2_LocationRef location, void *data,
                                bool is_final) {
    (void)context, (void)type, (void)location, (void)data, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode put_library(OTF2_EvtWriter *writer, const struct program_event *event) {
    switch (event->act) {
    case ENTER:
        return OTF2_EvtWriter_Enter(writer, NULL, event->time, event->region);
    case LEAVE:
        return OTF2_EvtWriter_Leave(writer, NULL, event->time, event->region);
    case SEND:
        return OTF2_EvtWriter_MpiSend(writer, NULL, event->time, event->peer, 0, event->tag, event->bytes);
    case RECEIVE:
        return OTF2_EvtWriter_MpiRecv(writer, NULL, event->time, event->peer, 0, event->tag, event->bytes);
    case COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, event->time);
    case COLLECTIVE_END:
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, event->time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                               OTF2_UNDEFINED_UINT32, 8, 8);
    case COUNTER:
        break;
    }
    return OTF2_SUCCESS;
}

static int define_library(OTF2_GlobalDefWriter *writer, const struct events *events) {
    uint64_t ranks[RANKS];
    int wrong = OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, events->items[0].time,
                                                          OTF2_UNDEFINED_TIMESTAMP);
    wrong |= OTF2_GlobalDefWriter_WriteString(writer, 0, "");
    for (uint32_t i = 0; i < REGION_COUNT; i++) {
        wrong |= OTF2_GlobalDefWriter_WriteString(writer, 1 + i, program_region_name(i));
        wrong |= OTF2_GlobalDefWriter_WriteRegion(writer, i, 1 + i, 1 + i, 0, OTF2_REGION_ROLE_FUNCTION,
                                                  OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    wrong |= OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i] = i;
        wrong |= OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                         OTF2_UNDEFINED_LOCATION_GROUP);
        wrong |= OTF2_GlobalDefWriter_WriteLocation(writer, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                    events->count[i], i);
    }
    wrong |= OTF2_GlobalDefWriter_WriteGroup(writer, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                             OTF2_GROUP_FLAG_NONE, RANKS, ranks);
    wrong |= OTF2_GlobalDefWriter_WriteGroup(writer, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                             OTF2_GROUP_FLAG_NONE, RANKS, ranks);
    wrong |= OTF2_GlobalDefWriter_WriteComm(writer, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    return !wrong;
}

static int write_library(const char *path, const struct events *events) {
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = pre_flush};
    OTF2_Archive *archive =
        OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    const struct program_event *next = events->items;
    int wrong = archive == NULL;
    if (wrong)
        return 0;
    wrong |= OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    wrong |= OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    wrong |= OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, rank);
        for (uint64_t i = 0; i < events->count[rank]; i++)
            wrong |= put_library(writer, next++);
        wrong |= OTF2_Archive_CloseEvtWriter(archive, writer);
    }
    wrong |= OTF2_Archive_CloseEvtFiles(archive);
    wrong |= OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        wrong |= OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank));
    wrong |= OTF2_Archive_CloseDefFiles(archive);
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    wrong |= !define_library(definitions, events);
    wrong |= OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
    wrong |= OTF2_Archive_Close(archive);
    return !wrong;
}

int main(int argc, char **argv) {
    const uint64_t wanted = argc > 3 ? strtoull(argv[3], NULL, 10) : 4000000;
    struct events events;
    struct rusage usage;
    if (argc < 3) {
        fputs("usage: otf2_writers FOLDER events|batches|library [EVENTS]\n", stderr);
        return 2;
    }
    if (!make_events(wanted, &events))
        return 6;
    const double start = cpu_seconds();
    const int good = strcmp(argv[2], "library") == 0
                         ? write_library(argv[1], &events)
                         : write_ours(argv[1], &events, strcmp(argv[2], "batches") == 0);
    const double seconds = cpu_seconds() - start;
    free(events.items);
    if (!good)
        return 5;
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n",
           events.total, events.total, seconds, (double)events.total / seconds / 1e6, 0.0, usage.ru_maxrss);
    return 0;
}
