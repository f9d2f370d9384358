/* writer.c: Perfetto's protocol buffers, for ui.perfetto.dev and its trace processor.
 *
 * A process is a process track, and it and each thread have a thread track with their calls as slices. Requests, collective
 * operations, I/O, tasks and states are slices on tracks below their thread's (formats/single_file.h); a metric is a counter track of
 * its process. All other events are instants with their fields as debug annotations. A message is a flow from the beginning of the
 * call that sends it to the end of the call that receives it: such two are in the order of time whatever the receiver does
 * meanwhile. So the beginning of a call is held back until the next call of its location begins or ends (calls.h). Names of
 * definitions are interned: they are written once, before the first batch that needs them.
 *
 *     Trace { packet = 1 }      TracePacket { timestamp, sequence, interned data | track descriptor | track event }
 *
 * The numbers of the fields are those of Perfetto's published .proto files. Times are nanoseconds since the trace's
 * origin; Perfetto has no times before it, so earlier ones are moved there.
 */
#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/details.h"
#include "formats/single_file.h"
#include "model/event.h"

/* ==== Calls ==== */

/* What is known of the calls at each location while they are written: the beginning that is held back for the messages that
 * its call sends, and the messages that wait for the end of the call that received them. */

struct quipu__perfetto_receive {
    uint32_t depth; /* of the call around it */
    uint64_t flow, time;
};

struct quipu__perfetto_call {
    bool is_held;
    uint64_t time;              /* of the beginning */
    struct quipu__buffer begin; /* its track event, to which flows are added */
    struct quipu__buffer after; /* packets of its location behind it */
    uint32_t depth;             /* calls that are active */
    QUIPU__VEC(struct quipu__perfetto_receive) receives;
};

struct quipu__perfetto_calls {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__perfetto_call) at; /* by location */
    bool failed;                                /* memory is out */
};

static void calls_init(struct quipu__perfetto_calls *calls, struct quipu__memory *memory) {
    *calls = (struct quipu__perfetto_calls){.memory = memory};
}

static void calls_release(struct quipu__perfetto_calls *calls) {
    for (size_t i = 0; i < calls->at.count; i++) {
        quipu__buffer_release(&calls->at.items[i].begin);
        quipu__buffer_release(&calls->at.items[i].after);
        QUIPU__VEC_RELEASE(calls->memory, &calls->at.items[i].receives);
    }
    QUIPU__VEC_RELEASE(calls->memory, &calls->at);
}

/* NULL when memory is out. Valid until the next call. */
static struct quipu__perfetto_call *call_at(struct quipu__perfetto_calls *calls, uint32_t location) {
    while (calls->at.count <= location) {
        struct quipu__perfetto_call *call = QUIPU__VEC_ADD(calls->memory, &calls->at);
        calls->failed |= !call;
        if (!call)
            return NULL;
        *call = (struct quipu__perfetto_call){.depth = 0};
        quipu__buffer_init(&call->begin, calls->memory, 0);
        quipu__buffer_init(&call->after, calls->memory, 0);
    }
    return &calls->at.items[location];
}

/* Lets a message wait for the end of the innermost call. False when memory is out. */
static bool add_receive(struct quipu__perfetto_calls *calls, struct quipu__perfetto_call *call, uint64_t flow,
                        uint64_t time) {
    struct quipu__perfetto_receive *receive = QUIPU__VEC_ADD(calls->memory, &call->receives);
    calls->failed |= !receive;
    if (receive)
        *receive = (struct quipu__perfetto_receive){call->depth, flow, time};
    return receive != NULL;
}

/* Takes back a message that the innermost call received; 0 when there is none. */
static uint64_t next_receive(struct quipu__perfetto_call *call) {
    const size_t count = call->receives.count;
    if (count == 0 || call->receives.items[count - 1].depth != call->depth)
        return 0;
    call->receives.count--;
    return call->receives.items[count - 1].flow;
}

/* ==== Packets ==== */

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* ==== Protocol buffers ====
 *
 * Writing fields of protocol buffers. */

enum { VARINT_MOST = 10 }; /* bytes of the longest varint */

static uint8_t *store_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *store_key(uint8_t *at, uint32_t field, enum wire_type type) {
    return store_varint(at, (uint64_t)field << 3 | type);
}

/* One field of a message each: number, then value. */
static void proto_varint(struct quipu__buffer *message, uint32_t field, uint64_t value) {
    uint8_t *start = quipu__buffer_room(message, 2 * VARINT_MOST);
    if (start)
        message->len += (size_t)(store_varint(store_key(start, field, WIRE_VARINT), value) - start);
}

static void proto_fixed64(struct quipu__buffer *message, uint32_t field, uint64_t value) {
    uint8_t *start = quipu__buffer_room(message, VARINT_MOST + 8);
    if (!start)
        return;
    uint8_t *at = store_key(start, field, WIRE_FIXED64);
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    message->len += (size_t)(at - start);
}

static void proto_double(struct quipu__buffer *message, uint32_t field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_fixed64(message, field, bits);
}

static void proto_bytes(struct quipu__buffer *message, uint32_t field, const void *data, size_t size) {
    uint8_t *start = quipu__buffer_room(message, 2 * VARINT_MOST + size);
    if (!start)
        return;
    uint8_t *at = store_varint(store_key(start, field, WIRE_BYTES), size);
    if (size > 0)
        memcpy(at, data, size);
    message->len += (size_t)(at - start) + size;
}

/* Adds a finished message as a field of another one and empties it. */
static void proto_message(struct quipu__buffer *message, uint32_t field, struct quipu__buffer *inner) {
    proto_bytes(message, field, inner->data, inner->len);
    message->failed |= inner->failed;
    inner->len = 0;
}

/* ---- Field numbers and values of Perfetto ---- */

enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCKS = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_STATE_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6 };
enum { INTERNED_CATEGORY = 1, INTERNED_EVENT_NAME = 2, INTERNED_DETAIL_NAME = 3 };
enum { NAME_IID = 1, NAME_TEXT = 2 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
    EVENT_CATEGORY_IID = 3,
    EVENT_DETAIL = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_COUNTER_DOUBLE = 44,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48
};
enum event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum {
    DETAIL_NAME_IID = 1,
    DETAIL_NAME = 10,
    DETAIL_UINT = 3,
    DETAIL_INT = 4,
    DETAIL_DOUBLE = 5,
    DETAIL_TEXT = 6
};

/* ---- Our own numbers: interned names and tracks ---- */

enum { KINDS_IID = 1, REGIONS_IID = 1024 };                                               /* names of events */
enum { FIELDS_IID = 1, FIELDS_PER_KIND = 16, BUILT_IN_KEYS_IID = 2048, KEYS_IID = 4096 }; /* names of details */
enum { FAMILIES_IID = 1, ROLES_IID = 256 };                                               /* categories */
enum { SEQUENCE = 1 };

static const uint64_t COUNTERS_UUID = UINT64_C(1) << 40, SLICES_UUID = UINT64_C(1) << 41,
                      MARKS_UUID = UINT64_C(1) << 42, MARK_FLOWS = UINT64_C(1) << 62;

struct perfetto {
    struct quipu__single_file single;
    struct quipu__buffer packet, event, detail, text;
    struct quipu__buffer *to; /* what packets are put into */
    struct quipu__perfetto_calls calls;
    struct quipu__map metrics;         /* hash of a metric's name: the first metric that has it */
    struct quipu__map counters;        /* process and metric: number of the counter track */
    uint32_t regions, locations, keys; /* definitions that have been written */
    uint32_t tracks;                   /* of slices, the same */
    bool is_started;
};

static uint64_t process_uuid(uint32_t location) {
    return (uint64_t)location * 2 + 1;
}

static uint64_t thread_uuid(uint32_t location) {
    return (uint64_t)location * 2 + 2;
}

/* ---- Packets ---- */

static void put_text(struct perfetto *own, struct quipu__buffer *message, uint32_t field, const char *text,
                     size_t len) {
    own->text.len = 0;
    quipu__put_escaped(&own->text, text, len);
    proto_bytes(message, field, own->text.data, own->text.len);
    message->failed |= own->text.failed;
}

static void put_string(struct perfetto *own, struct quipu__buffer *message, uint32_t field, const char *text) {
    put_text(own, message, field, text, strlen(text));
}

/* Completes the packet. All packets are of one sequence, of which the first one starts the interned names. */
static void end_packet(struct perfetto *own) {
    proto_varint(&own->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_varint(&own->packet, PACKET_FLAGS,
                 own->is_started ? FLAG_NEEDS_STATE : FLAG_STATE_CLEARED | FLAG_NEEDS_STATE);
    own->is_started = true;
    proto_message(own->to, TRACE_PACKET, &own->packet);
}

/* Adds {iid, name} to the interned data that are being made in event. */
static void intern(struct perfetto *own, uint32_t field, uint64_t iid, const char *name) {
    proto_varint(&own->detail, NAME_IID, iid);
    put_string(own, &own->detail, NAME_TEXT, name);
    proto_message(&own->event, field, &own->detail);
}

static void end_interned(struct perfetto *own) {
    if (own->event.len == 0)
        return;
    proto_message(&own->packet, PACKET_INTERNED, &own->event);
    end_packet(own);
}

static void intern_kinds(struct perfetto *own) {
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        intern(own, INTERNED_EVENT_NAME, KINDS_IID + kind, info->name);
        intern(own, INTERNED_CATEGORY, FAMILIES_IID + kind, info->family);
        for (uint32_t i = 0; i < info->field_count; i++)
            intern(own, INTERNED_DETAIL_NAME, FIELDS_IID + kind * FIELDS_PER_KIND + i, info->fields[i].name);
    }
}

static void intern_roles(struct perfetto *own) {
    static const char *const names[QUIPU_REGION_ROLE_COUNT] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    };
    for (uint32_t role = 0; role < QUIPU_REGION_ROLE_COUNT; role++)
        intern(own, INTERNED_CATEGORY, ROLES_IID + role, names[role]);
}

/* ---- The clock ---- */

static void put_clock(struct perfetto *own, uint64_t id, uint64_t ns) {
    proto_varint(&own->detail, CLOCK_ID, id);
    proto_varint(&own->detail, CLOCK_TIMESTAMP, ns);
    proto_message(&own->event, CLOCKS_CLOCK, &own->detail);
}

/* The date of time 0. */
static void put_clocks(struct perfetto *own, const struct quipu_clock *clock) {
    if (!clock->has_unix_origin || clock->unix_origin_ns < 0)
        return;
    put_clock(own, CLOCK_BOOTTIME_ID, 0);
    put_clock(own, CLOCK_REALTIME_ID, (uint64_t)clock->unix_origin_ns);
    proto_message(&own->packet, PACKET_CLOCKS, &own->event);
    end_packet(own);
}

/* ---- Tracks ---- */

static void put_process(struct perfetto *own, const struct quipu_definitions *definitions, uint32_t number) {
    proto_varint(&own->event, TRACK_UUID, process_uuid(number));
    proto_varint(&own->detail, PROCESS_PID, quipu__single_file_pid(&own->single, definitions, number));
    put_string(own, &own->detail, PROCESS_NAME, definitions->locations.items[number].name);
    proto_message(&own->event, TRACK_PROCESS, &own->detail);
    proto_message(&own->packet, PACKET_TRACK, &own->event);
    end_packet(own);
}

static void put_thread(struct perfetto *own, const struct quipu_definitions *definitions, uint32_t number) {
    const uint32_t process = quipu__process_of(definitions, number);
    proto_varint(&own->event, TRACK_UUID, thread_uuid(number));
    proto_varint(&own->event, TRACK_PARENT, process_uuid(process));
    proto_varint(&own->detail, THREAD_PID, quipu__single_file_pid(&own->single, definitions, number));
    proto_varint(&own->detail, THREAD_TID, number + 1);
    put_string(own, &own->detail, THREAD_NAME, definitions->locations.items[number].name);
    proto_message(&own->event, TRACK_THREAD, &own->detail);
    proto_message(&own->packet, PACKET_TRACK, &own->event);
    end_packet(own);
}

/* A location whose process is itself, as any that is part of none, gets both tracks. */
static void put_location(struct perfetto *own, const struct quipu_definitions *definitions, uint32_t number) {
    if (quipu__process_of(definitions, number) == number)
        put_process(own, definitions, number);
    put_thread(own, definitions, number);
}

static void put_counter(struct perfetto *own, uint64_t uuid, uint32_t process,
                        const struct quipu_metric *metric) {
    proto_varint(&own->event, TRACK_UUID, uuid);
    proto_varint(&own->event, TRACK_PARENT, process_uuid(process));
    put_string(own, &own->event, TRACK_NAME, metric ? metric->name : "unknown");
    put_string(own, &own->detail, COUNTER_UNIT_NAME, metric ? metric->unit : "");
    proto_message(&own->event, TRACK_COUNTER, &own->detail);
    proto_message(&own->packet, PACKET_TRACK, &own->event);
    end_packet(own);
}

/* The first metric with that name: metrics of one name share the track of a process. */
static uint32_t first_of_name(struct perfetto *own, const struct quipu_definitions *definitions,
                              uint32_t number) {
    if (number >= definitions->metrics.count)
        return QUIPU_NONE;
    const char *name = definitions->metrics.items[number].name;
    const uint64_t hash = quipu__hash(name, strlen(name), own->metrics.seed);
    const uint32_t first = quipu__map_get(&own->metrics, hash);
    if (first != QUIPU_NONE)
        return strcmp(definitions->metrics.items[first].name, name) == 0 ? first : number;
    return quipu__map_put(&own->metrics, hash, number) ? number : QUIPU_NONE;
}

/* The counter track of a metric in a process, made when it is first needed; 0 when memory is out. */
static uint64_t counter_uuid(struct perfetto *own, const struct quipu_definitions *definitions,
                             const struct quipu_event *event) {
    const uint32_t process = quipu__process_of(definitions, event->location);
    const uint32_t metric = first_of_name(own, definitions, event->object);
    const uint64_t key = (uint64_t)process << 32 | metric;
    uint32_t number = quipu__map_get(&own->counters, key);
    if (number != QUIPU_NONE)
        return COUNTERS_UUID + number;
    number = (uint32_t)own->counters.count;
    if (!quipu__map_put(&own->counters, key, number))
        return 0;
    put_counter(own, COUNTERS_UUID + number, process,
                metric == QUIPU_NONE ? NULL : &definitions->metrics.items[metric]);
    return COUNTERS_UUID + number;
}

/* Writes what has been defined since the last batch. */
static void put_definitions(struct quipu__single_file *single, const struct quipu_definitions *definitions) {
    struct perfetto *own = (struct perfetto *)single;
    const bool is_first = !own->is_started;
    if (is_first) {
        intern_kinds(own);
        intern_roles(own);
        intern(own, INTERNED_DETAIL_NAME, BUILT_IN_KEYS_IID + (QUIPU_KEY_TEXT & 15), "text");
        intern(own, INTERNED_DETAIL_NAME, BUILT_IN_KEYS_IID + (QUIPU_KEY_SOURCE & 15), "source");
    }
    for (; own->regions < definitions->regions.count; own->regions++)
        intern(own, INTERNED_EVENT_NAME, REGIONS_IID + (uint64_t)own->regions,
               definitions->regions.items[own->regions].name);
    for (; own->keys < definitions->attribute_keys.count; own->keys++)
        intern(own, INTERNED_DETAIL_NAME, KEYS_IID + (uint64_t)own->keys,
               definitions->attribute_keys.items[own->keys].name);
    end_interned(own);
    if (is_first)
        put_clocks(own, &definitions->clock);
    for (; own->locations < definitions->locations.count; own->locations++)
        put_location(own, definitions, own->locations);
}

/* ---- Events ---- */

static uint64_t detail_iid(const struct quipu_event *event, size_t index) {
    const size_t fields = quipu_kind_at((enum quipu_kind)event->kind)->field_count;
    if (index < fields)
        return FIELDS_IID + (uint64_t)event->kind * FIELDS_PER_KIND + index;
    const uint32_t key = event->attributes[index - fields].value.key;
    return key >= QUIPU_KEY_TEXT ? BUILT_IN_KEYS_IID + (key & 15) : KEYS_IID + (uint64_t)key;
}

static void put_detail_value(struct perfetto *own, const struct quipu_value *value) {
    switch ((enum quipu_value_type)value->type) {
    case QUIPU_VALUE_CHAR:
    case QUIPU_VALUE_I8:
    case QUIPU_VALUE_I16:
    case QUIPU_VALUE_I32:
    case QUIPU_VALUE_I64:
        proto_varint(&own->detail, DETAIL_INT, (uint64_t)value->i);
        break;
    case QUIPU_VALUE_U8:
    case QUIPU_VALUE_U16:
    case QUIPU_VALUE_U32:
    case QUIPU_VALUE_U64:
        proto_varint(&own->detail, DETAIL_UINT, value->u);
        break;
    case QUIPU_VALUE_F32:
    case QUIPU_VALUE_F64:
        proto_double(&own->detail, DETAIL_DOUBLE, value->f);
        break;
    case QUIPU_VALUE_BYTES:
    case QUIPU_VALUE_STRING:
        put_text(own, &own->detail, DETAIL_TEXT, value->data, value->size);
        break;
    }
}

static void put_details(struct perfetto *own, const struct quipu_definitions *definitions,
                        const struct quipu_event *event, size_t first) {
    const size_t count = quipu__detail_count(event);
    for (size_t i = first; i < count; i++) {
        struct quipu__detail detail;
        if (!quipu__detail_at(definitions, event, i, &detail))
            continue;
        proto_varint(&own->detail, DETAIL_NAME_IID, detail_iid(event, i));
        put_detail_value(own, &detail.value);
        proto_message(&own->event, EVENT_DETAIL, &own->detail);
    }
}

static void put_head(struct perfetto *own, enum event_type type, uint64_t track) {
    proto_varint(&own->event, EVENT_TYPE, type);
    proto_varint(&own->event, EVENT_TRACK, track);
}

static void put_category(struct perfetto *own, uint64_t iid) {
    proto_varint(&own->event, EVENT_CATEGORY_IID, iid);
}

/* Makes the packet of what is in event. */
static void put_track_event(struct perfetto *own, uint64_t time) {
    proto_varint(&own->packet, PACKET_TIMESTAMP, time);
    proto_message(&own->packet, PACKET_TRACK_EVENT, &own->event);
    end_packet(own);
}

static uint64_t time_of(const struct quipu_definitions *definitions, const struct quipu_event *event) {
    const int64_t ns = quipu_clock_ns(&definitions->clock, event->time);
    return ns > 0 ? (uint64_t)ns : 0;
}

/* ---- Calls ---- */

/* Writes the beginning that is held back at a location, and what came after it. */
static void write_held(struct perfetto *own, struct quipu__perfetto_call *call) {
    if (!call->is_held)
        return;
    own->to = &own->single.out;
    quipu__put(&own->event, call->begin.data, call->begin.len);
    own->event.failed |= call->begin.failed;
    put_track_event(own, call->time);
    quipu__put(own->to, call->after.data, call->after.len);
    own->to->failed |= call->after.failed;
    call->begin.len = call->after.len = 0;
    call->is_held = false;
}

static void put_enter(struct perfetto *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, struct quipu__perfetto_call *call) {
    const bool is_defined = event->object < own->regions;
    write_held(own, call);
    put_head(own, TYPE_SLICE_BEGIN, thread_uuid(event->location));
    proto_varint(&own->event, EVENT_NAME_IID,
                 is_defined ? REGIONS_IID + (uint64_t)event->object : KINDS_IID + (uint64_t)event->kind);
    put_category(own, is_defined ? ROLES_IID + (uint64_t)definitions->regions.items[event->object].role
                                 : FAMILIES_IID + (uint64_t)event->kind);
    put_details(own, definitions, event, 1); /* the region is the name */
    quipu__put(&call->begin, own->event.data, own->event.len);
    call->begin.failed |= own->event.failed;
    own->event.len = 0;
    call->time = time_of(definitions, event);
    call->is_held = true;
    call->depth++;
}

static void put_leave(struct perfetto *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, struct quipu__perfetto_call *call) {
    uint64_t flow;
    write_held(own, call);
    put_head(own, TYPE_SLICE_END, thread_uuid(event->location));
    while ((flow = next_receive(call)) != 0)
        proto_fixed64(&own->event, EVENT_LAST_FLOW, flow);
    put_details(own, definitions, event, 1);
    put_track_event(own, time_of(definitions, event));
    call->depth -= call->depth > 0;
}

/* ---- Everything else ---- */

static void put_value(struct perfetto *own, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t track) {
    const struct quipu_value value = quipu__metric_value(definitions, event);
    put_head(own, TYPE_COUNTER, track);
    if (value.type == QUIPU_VALUE_F64)
        proto_double(&own->event, EVENT_COUNTER_DOUBLE, value.f);
    else
        proto_varint(&own->event, EVENT_COUNTER, value.u);
    put_details(own, definitions, event, 2);
}

static void put_instant(struct perfetto *own, const struct quipu_definitions *definitions,
                        const struct quipu_event *event, uint64_t flow) {
    put_head(own, TYPE_INSTANT, thread_uuid(event->location));
    proto_varint(&own->event, EVENT_NAME_IID, KINDS_IID + (uint64_t)event->kind);
    put_category(own, FAMILIES_IID + (uint64_t)event->kind);
    if (flow)
        proto_fixed64(&own->event, event->kind == QUIPU_KIND_send ? EVENT_FLOW : EVENT_LAST_FLOW, flow);
    put_details(own, definitions, event, 0);
}

/* Whether a message in that region is what the call does: a program's own functions do much else before they end. */
static bool communicates(const struct quipu_definitions *definitions, uint32_t region) {
    const enum quipu_region_role role =
        region < definitions->regions.count ? definitions->regions.items[region].role : QUIPU_REGION_FUNCTION;
    return role == QUIPU_REGION_MPI_P2P || role == QUIPU_REGION_MPI_COLLECTIVE ||
           role == QUIPU_REGION_MPI_RMA || role == QUIPU_REGION_MPI_OTHER;
}

/* Binds a message to the call around it; the flow that is left for the instant where that cannot be. */
static uint64_t bind_flow(struct perfetto *own, const struct quipu_definitions *definitions,
                          const struct quipu_event *event, struct quipu__perfetto_call *call, uint64_t flow) {
    if (flow == 0 || call->depth == 0 ||
        !communicates(definitions, quipu__slices_innermost(&own->single.slices, event->location)))
        return flow;
    if (event->kind == QUIPU_KIND_recv)
        return add_receive(&own->calls, call, flow, time_of(definitions, event)) ? 0 : flow;
    if (!call->is_held)
        return flow;
    proto_fixed64(&call->begin, EVENT_FLOW, flow);
    return 0;
}

static void put_event(struct quipu__single_file *single, const struct quipu_definitions *definitions,
                      const struct quipu_event *event, uint64_t flow) {
    struct perfetto *own = (struct perfetto *)single;
    struct quipu__perfetto_call *call = call_at(&own->calls, event->location);
    if (!call)
        return;
    if (event->kind == QUIPU_KIND_enter) {
        put_enter(own, definitions, event, call);
        return;
    }
    if (event->kind == QUIPU_KIND_leave) {
        put_leave(own, definitions, event, call);
        return;
    }
    const uint64_t counter = event->kind == QUIPU_KIND_metric ? counter_uuid(own, definitions, event) : 0;
    own->to = call->is_held ? &call->after : &own->single.out;
    if (counter)
        put_value(own, definitions, event, counter);
    else
        put_instant(own, definitions, event, bind_flow(own, definitions, event, call, flow));
    put_track_event(own, time_of(definitions, event));
    own->to = &own->single.out;
}

/* ---- Slices besides calls ---- */

static void put_slice_track(struct perfetto *own, uint32_t number) {
    const struct quipu__slices *slices = &own->single.slices;
    proto_varint(&own->event, TRACK_UUID, SLICES_UUID + number);
    proto_varint(&own->event, TRACK_PARENT, thread_uuid(slices->tracks.items[number].location));
    put_string(own, &own->event, TRACK_NAME, quipu__slice_track_name(slices, number));
    proto_message(&own->packet, PACKET_TRACK, &own->event);
    end_packet(own);
}

static void begin_slice(struct quipu__single_file *single, const struct quipu__drawn_slice *slice) {
    struct perfetto *own = (struct perfetto *)single;
    for (; own->tracks <= slice->track; own->tracks++)
        put_slice_track(own, own->tracks);
    put_head(own, TYPE_SLICE_BEGIN, SLICES_UUID + slice->track);
    put_string(own, &own->event, EVENT_NAME, slice->name);
    put_category(own, FAMILIES_IID + (uint64_t)single->event->kind);
    put_details(own, single->definitions, single->event, 0);
    put_track_event(own, time_of(single->definitions, single->event));
}

static void end_slice(struct quipu__single_file *single, const struct quipu__drawn_slice *slice) {
    struct perfetto *own = (struct perfetto *)single;
    put_head(own, TYPE_SLICE_END, SLICES_UUID + slice->track);
    if (slice->has_own_end)
        put_details(own, single->definitions, single->event, 0);
    put_track_event(own, time_of(single->definitions, single->event));
}

/* ---- What analyses have found ---- */

static void put_mark_track(struct quipu__single_file *single, const struct quipu__mark_track *track,
                           uint32_t number) {
    struct perfetto *own = (struct perfetto *)single;
    proto_varint(&own->event, TRACK_UUID, MARKS_UUID + number);
    proto_varint(&own->event, TRACK_PARENT, thread_uuid(track->location));
    put_string(own, &own->event, TRACK_NAME, track->name);
    proto_message(&own->packet, PACKET_TRACK, &own->event);
    end_packet(own);
}

static void put_peer(struct perfetto *own, const char *peer) {
    put_string(own, &own->detail, DETAIL_NAME, "peer");
    put_string(own, &own->detail, DETAIL_TEXT, peer);
    proto_message(&own->event, EVENT_DETAIL, &own->detail);
}

/* An end of a slice, with a flow that leaves or reaches it there. */
static void put_mark_end(struct perfetto *own, const struct quipu__mark *mark, enum event_type type) {
    const bool ends = type == TYPE_SLICE_END;
    const uint64_t in = ends == mark->is_reached_at_end ? mark->flow_in : 0;
    const int64_t time = ends ? mark->to : mark->from;
    put_head(own, type, MARKS_UUID + mark->track);
    if (in)
        proto_fixed64(&own->event, EVENT_LAST_FLOW, MARK_FLOWS | in);
    if (ends && mark->flow_out)
        proto_fixed64(&own->event, EVENT_FLOW, MARK_FLOWS | mark->flow_out);
    if (!ends)
        put_string(own, &own->event, EVENT_NAME, mark->name);
    if (!ends && mark->peer)
        put_peer(own, mark->peer);
    put_track_event(own, time > 0 ? (uint64_t)time : 0);
}

static void put_mark(struct quipu__single_file *single, const struct quipu__mark *mark,
                     const struct quipu__mark_track *track) {
    struct perfetto *own = (struct perfetto *)single;
    (void)track;
    put_mark_end(own, mark, TYPE_SLICE_BEGIN);
    put_mark_end(own, mark, TYPE_SLICE_END);
}

/* ---- The target ---- */

static void init(struct quipu__single_file *single) {
    struct perfetto *own = (struct perfetto *)single;
    struct quipu__buffer *const buffers[] = {&own->packet, &own->event, &own->detail, &own->text};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        quipu__buffer_init(buffers[i], single->memory, 0);
    quipu__map_init(&own->counters, single->memory);
    quipu__map_init(&own->metrics, single->memory);
    calls_init(&own->calls, single->memory);
    own->to = &single->out;
}

/* A message whose receiving call never ends arrives at an instant. */
static void put_receive(struct perfetto *own, uint32_t location,
                        const struct quipu__perfetto_receive *receive) {
    put_head(own, TYPE_INSTANT, thread_uuid(location));
    proto_varint(&own->event, EVENT_NAME_IID, KINDS_IID + QUIPU_KIND_recv);
    put_category(own, FAMILIES_IID + QUIPU_KIND_recv);
    proto_fixed64(&own->event, EVENT_LAST_FLOW, receive->flow);
    put_track_event(own, receive->time);
}

/* What is still held back: calls that never end. */
static void put_end(struct quipu__single_file *single) {
    struct perfetto *own = (struct perfetto *)single;
    for (uint32_t i = 0; i < own->calls.at.count; i++) {
        struct quipu__perfetto_call *call = &own->calls.at.items[i];
        write_held(own, call);
        for (size_t k = 0; k < call->receives.count; k++)
            put_receive(own, i, &call->receives.items[k]);
    }
    single->out.failed |= own->calls.failed;
}

static void release(struct quipu__single_file *single) {
    struct perfetto *own = (struct perfetto *)single;
    quipu__buffer_release(&own->packet);
    quipu__buffer_release(&own->event);
    quipu__buffer_release(&own->detail);
    quipu__buffer_release(&own->text);
    quipu__map_release(&own->counters);
    quipu__map_release(&own->metrics);
    calls_release(&own->calls);
}

static const struct quipu__single_file_functions functions = {
    .size = sizeof(struct perfetto),
    .put_definitions = put_definitions,
    .put_event = put_event,
    .begin_slice = begin_slice,
    .end_slice = end_slice,
    .put_mark_track = put_mark_track,
    .put_mark = put_mark,
    .put_end = put_end,
    .init = init,
    .release = release,
};

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    return quipu__single_file_create(output, &functions, err);
}

static const struct quipu__writing writing = QUIPU__SINGLE_FILE_WRITING(create);

const struct quipu__format quipu__perfetto_format = {
    .info = {.name = "perfetto",
             .title = "Perfetto trace (ui.perfetto.dev)",
             .suffixes = ".perfetto-trace .pftrace .perfetto",
             QUIPU__SINGLE_FILE_INFO},
    .writing = &writing,
};
