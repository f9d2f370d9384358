/* definitions.c: records of definitions and markers from libotf2. */
#include "formats/otf2/library.h"

#include <string.h>

/* Global definitions, of one number after the other. */
#define CALLBACKS(CALLBACK)                                                                                    \
    CALLBACK(ClockProperties, CLOCK_PROPERTIES, 4, (uint64_t, uint64_t, uint64_t, uint64_t))                   \
    CALLBACK(Paradigm, PARADIGM, 3, (OTF2_Paradigm, OTF2_StringRef, OTF2_ParadigmClass))                       \
    CALLBACK(Attribute, ATTRIBUTE, 4, (OTF2_AttributeRef, OTF2_StringRef, OTF2_StringRef, OTF2_Type))          \
    CALLBACK(SystemTreeNode, SYSTEM_TREE_NODE, 4,                                                              \
             (OTF2_SystemTreeNodeRef, OTF2_StringRef, OTF2_StringRef, OTF2_SystemTreeNodeRef))                 \
    CALLBACK(LocationGroup, LOCATION_GROUP, 5,                                                                 \
             (OTF2_LocationGroupRef, OTF2_StringRef, OTF2_LocationGroupType, OTF2_SystemTreeNodeRef,           \
              OTF2_LocationGroupRef))                                                                          \
    CALLBACK(Location, LOCATION, 5,                                                                            \
             (OTF2_LocationRef, OTF2_StringRef, OTF2_LocationType, uint64_t, OTF2_LocationGroupRef))           \
    CALLBACK(Region, REGION, 10,                                                                               \
             (OTF2_RegionRef, OTF2_StringRef, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm,  \
              OTF2_RegionFlag, OTF2_StringRef, uint32_t, uint32_t))                                            \
    CALLBACK(Callsite, CALLSITE, 5,                                                                            \
             (OTF2_CallsiteRef, OTF2_StringRef, uint32_t, OTF2_RegionRef, OTF2_RegionRef))                     \
    CALLBACK(Callpath, CALLPATH, 3, (OTF2_CallpathRef, OTF2_CallpathRef, OTF2_RegionRef))                      \
    CALLBACK(MetricInstance, METRIC_INSTANCE, 5,                                                               \
             (OTF2_MetricRef, OTF2_MetricRef, OTF2_LocationRef, OTF2_MetricScope, uint64_t))                   \
    CALLBACK(Comm, COMM, 5, (OTF2_CommRef, OTF2_StringRef, OTF2_GroupRef, OTF2_CommRef, OTF2_CommFlag))        \
    CALLBACK(Parameter, PARAMETER, 3, (OTF2_ParameterRef, OTF2_StringRef, OTF2_ParameterType))                 \
    CALLBACK(RmaWin, RMA_WIN, 4, (OTF2_RmaWinRef, OTF2_StringRef, OTF2_CommRef, OTF2_RmaWinFlag))              \
    CALLBACK(MetricClassRecorder, METRIC_CLASS_RECORDER, 2, (OTF2_MetricRef, OTF2_LocationRef))                \
    CALLBACK(SystemTreeNodeDomain, SYSTEM_TREE_NODE_DOMAIN, 2,                                                 \
             (OTF2_SystemTreeNodeRef, OTF2_SystemTreeDomain))                                                  \
    CALLBACK(CartDimension, CART_DIMENSION, 4,                                                                 \
             (OTF2_CartDimensionRef, OTF2_StringRef, uint32_t, OTF2_CartPeriodicity))                          \
    CALLBACK(SourceCodeLocation, SOURCE_CODE_LOCATION, 3,                                                      \
             (OTF2_SourceCodeLocationRef, OTF2_StringRef, uint32_t))                                           \
    CALLBACK(CallingContext, CALLING_CONTEXT, 4,                                                               \
             (OTF2_CallingContextRef, OTF2_RegionRef, OTF2_SourceCodeLocationRef, OTF2_CallingContextRef))     \
    CALLBACK(InterruptGenerator, INTERRUPT_GENERATOR, 6,                                                       \
             (OTF2_InterruptGeneratorRef, OTF2_StringRef, OTF2_InterruptGeneratorMode, OTF2_Base, int64_t,     \
              uint64_t))                                                                                       \
    CALLBACK(IoRegularFile, IO_REGULAR_FILE, 3, (OTF2_IoFileRef, OTF2_StringRef, OTF2_SystemTreeNodeRef))      \
    CALLBACK(IoDirectory, IO_DIRECTORY, 3, (OTF2_IoFileRef, OTF2_StringRef, OTF2_SystemTreeNodeRef))           \
    CALLBACK(IoHandle, IO_HANDLE, 7,                                                                           \
             (OTF2_IoHandleRef, OTF2_StringRef, OTF2_IoFileRef, OTF2_IoParadigmRef, OTF2_IoHandleFlag,         \
              OTF2_CommRef, OTF2_IoHandleRef))                                                                 \
    CALLBACK(IoPreCreatedHandleState, IO_PRE_CREATED_HANDLE_STATE, 3,                                          \
             (OTF2_IoHandleRef, OTF2_IoAccessMode, OTF2_IoStatusFlag))                                         \
    CALLBACK(InterComm, INTER_COMM, 6,                                                                         \
             (OTF2_CommRef, OTF2_StringRef, OTF2_GroupRef, OTF2_GroupRef, OTF2_CommRef, OTF2_CommFlag))

/* Properties: what has it, two numbers that say which, a value of a type. */
#define PROPERTIES(PROPERTY)                                                                                   \
    PROPERTY(ParadigmProperty, PARADIGM_PROPERTY, OTF2_Paradigm, OTF2_ParadigmProperty)                        \
    PROPERTY(SystemTreeNodeProperty, SYSTEM_TREE_NODE_PROPERTY, OTF2_SystemTreeNodeRef, OTF2_StringRef)        \
    PROPERTY(LocationGroupProperty, LOCATION_GROUP_PROPERTY, OTF2_LocationGroupRef, OTF2_StringRef)            \
    PROPERTY(LocationProperty, LOCATION_PROPERTY, OTF2_LocationRef, OTF2_StringRef)                            \
    PROPERTY(CallingContextProperty, CALLING_CONTEXT_PROPERTY, OTF2_CallingContextRef, OTF2_StringRef)         \
    PROPERTY(IoFileProperty, IO_FILE_PROPERTY, OTF2_IoFileRef, OTF2_StringRef)                                 \
    PROPERTY(CallpathParameter, CALLPATH_PARAMETER, OTF2_CallpathRef, OTF2_ParameterRef)

#define PUT(Record, ...)                                                                                       \
    sink->record.Record = (struct quipu__otf2_##Record){__VA_ARGS__};                                          \
    return quipu__otf2_put(sink, QUIPU__OTF2_TYPE_##Record)

#define DEFINE(Name, Record, count, types)                                                                     \
    static OTF2_CallbackCode on_##Name(void *context P##count types) {                                         \
        struct quipu__otf2_sink *sink = context;                                                               \
        const struct quipu__otf2_##Record record = {FIELDS##count};                                            \
        sink->record.Record = record;                                                                          \
        return quipu__otf2_put(sink, QUIPU__OTF2_TYPE_##Record);                                               \
    }
#define FIELDS2 a, b
#define FIELDS3 FIELDS2, c
#define FIELDS4 FIELDS3, d
#define FIELDS5 FIELDS4, e
#define FIELDS6 FIELDS5, f
#define FIELDS7 FIELDS6, g
#define FIELDS10 FIELDS7, h, i, j
CALLBACKS(DEFINE)

#define DEFINE_PROPERTY(Name, Record, Of, Which)                                                               \
    static OTF2_CallbackCode on_##Name(void *context, Of of, Which which, OTF2_Type type,                      \
                                       OTF2_AttributeValue value) {                                            \
        struct quipu__otf2_sink *sink = context;                                                               \
        PUT(Record, of, which, quipu__otf2_value(type, &value));                                               \
    }
PROPERTIES(DEFINE_PROPERTY)

/* ---- Lists and texts ---- */

static uint32_t *copy_numbers(struct quipu__otf2_sink *sink, const uint32_t *numbers, uint32_t count) {
    uint32_t *copy = quipu__scratch_sized(&sink->scratch, count, sizeof *copy);
    if (copy && count > 0)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static const char *copy_text(struct quipu__otf2_sink *sink, const char *text) {
    return quipu__scratch_text(&sink->scratch, text, strlen(text));
}

static OTF2_CallbackCode on_String(void *context, OTF2_StringRef self, const char *text) {
    struct quipu__otf2_sink *sink = context;
    PUT(STRING, self, copy_text(sink, text));
}

static OTF2_CallbackCode on_IoParadigm(void *context, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                       OTF2_StringRef name, OTF2_IoParadigmClass class_of,
                                       OTF2_IoParadigmFlag flags, uint8_t count,
                                       const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                       const OTF2_AttributeValue *values) {
    struct quipu__otf2_sink *sink = context;
    struct quipu_value *copy = quipu__scratch_sized(&sink->scratch, count, sizeof *copy);
    for (uint8_t i = 0; copy && i < count; i++) {
        copy[i] = quipu__otf2_value(types[i], &values[i]);
        copy[i].key = properties[i];
    }
    PUT(IO_PARADIGM, self, identification, name, class_of, flags, copy);
}

static OTF2_CallbackCode on_Group(void *context, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members) {
    struct quipu__otf2_sink *sink = context;
    uint64_t *copy = quipu__scratch_sized(&sink->scratch, count, sizeof *copy);
    if (copy && count > 0)
        memcpy(copy, members, count * sizeof *copy);
    PUT(GROUP, self, name, type, paradigm, flags, copy);
}

static OTF2_CallbackCode on_MetricMember(void *context, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                         OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                         OTF2_Type value_type, OTF2_Base base, int64_t exponent,
                                         OTF2_StringRef unit) {
    struct quipu__otf2_sink *sink = context;
    PUT(METRIC_MEMBER, self, name, description, type, mode, value_type, base, exponent, unit);
}

static OTF2_CallbackCode on_MetricClass(void *context, OTF2_MetricRef self, uint8_t count,
                                        const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                        OTF2_RecorderKind kind) {
    struct quipu__otf2_sink *sink = context;
    PUT(METRIC_CLASS, self, copy_numbers(sink, members, count), occurrence, kind);
}

static OTF2_CallbackCode on_CartTopology(void *context, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                         OTF2_CommRef communicator, uint8_t count,
                                         const OTF2_CartDimensionRef *dimensions) {
    struct quipu__otf2_sink *sink = context;
    PUT(CART_TOPOLOGY, self, name, communicator, copy_numbers(sink, dimensions, count));
}

static OTF2_CallbackCode on_CartCoordinate(void *context, OTF2_CartTopologyRef topology, uint32_t rank,
                                           uint8_t count, const uint32_t *coordinates) {
    struct quipu__otf2_sink *sink = context;
    PUT(CART_COORDINATE, topology, rank, copy_numbers(sink, coordinates, count));
}

static OTF2_CallbackCode on_Unknown(void *context) {
    struct quipu__otf2_sink *sink = context;
    sink->unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *quipu__otf2_global_callbacks(void) {
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(Name, ...) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    CALLBACKS(SET)
    PROPERTIES(SET)
    SET(String)
    SET(IoParadigm)
    SET(Group)
    SET(MetricMember)
    SET(MetricClass)
    SET(CartTopology)
    SET(CartCoordinate)
    SET(Unknown)
#undef SET
    return callbacks;
}

/* ---- Definitions of a location ---- */

/* Pairs of a location's number and the global one, one behind the other. */
struct numbers {
    uint64_t *at, *end;
};

static void add_pair(uint64_t local, uint64_t global, void *context) {
    struct numbers *list = context;
    if (list->end - list->at < 2)
        return;
    *list->at++ = local;
    *list->at++ = global;
}

static OTF2_CallbackCode on_MappingTable(void *context, OTF2_MappingType type, const OTF2_IdMap *map) {
    struct quipu__otf2_sink *sink = context;
    uint64_t count = 0;
    OTF2_IdMap_GetSize(map, &count);
    uint64_t *numbers = count <= UINT32_MAX / 2
                            ? quipu__scratch_sized(&sink->scratch, (uint32_t)count * 2, sizeof *numbers)
                            : NULL;
    struct numbers list = {numbers, numbers ? numbers + count * 2 : NULL};
    if (numbers)
        OTF2_IdMap_Traverse(map, add_pair, &list);
    PUT(MAPPING_TABLE, type, numbers);
}

static OTF2_CallbackCode on_ClockOffset(void *context, OTF2_TimeStamp time, int64_t offset, double stddev) {
    struct quipu__otf2_sink *sink = context;
    PUT(CLOCK_OFFSET, time, offset, stddev);
}

OTF2_DefReaderCallbacks *quipu__otf2_local_callbacks(void) {
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(Name) OTF2_DefReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    SET(MappingTable)
    SET(ClockOffset)
    SET(Unknown)
#undef SET
    return callbacks;
}

/* ---- Markers ---- */

static OTF2_CallbackCode on_DefMarker(void *context, OTF2_MarkerRef self, const char *group,
                                      const char *category, OTF2_MarkerSeverity severity) {
    struct quipu__otf2_sink *sink = context;
    PUT(DEF_MARKER, self, copy_text(sink, group), copy_text(sink, category), severity);
}

static OTF2_CallbackCode on_Marker(void *context, OTF2_TimeStamp timestamp, OTF2_TimeStamp duration,
                                   OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t reference,
                                   const char *text) {
    struct quipu__otf2_sink *sink = context;
    PUT(MARKER, timestamp, duration, marker, scope, reference, copy_text(sink, text));
}

OTF2_MarkerReaderCallbacks *quipu__otf2_marker_callbacks(void) {
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(Name) OTF2_MarkerReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    SET(DefMarker)
    SET(Marker)
    SET(Unknown)
#undef SET
    return callbacks;
}
