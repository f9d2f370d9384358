/* callbacks.c: records of events, definitions and markers from libotf2. */
#include "formats/otf2/library.h"

#include <string.h>

/* ---- Attributes ---- */

/* The size says which of libotf2's types it is, for those who write it again. */
static struct quipu_value value_of(OTF2_Type type, const OTF2_AttributeValue *value) {
    switch (type) {
    case OTF2_TYPE_UINT8:
        return (struct quipu_value){.type = QUIPU_VALUE_U8, .size = type, .u = value->uint8};
    case OTF2_TYPE_UINT16:
        return (struct quipu_value){.type = QUIPU_VALUE_U16, .size = type, .u = value->uint16};
    case OTF2_TYPE_UINT64:
        return (struct quipu_value){.type = QUIPU_VALUE_U64, .size = type, .u = value->uint64};
    case OTF2_TYPE_LOCATION:
        return (struct quipu_value){.type = QUIPU_VALUE_U64, .size = type, .u = value->locationRef};
    case OTF2_TYPE_INT8:
        return (struct quipu_value){.type = QUIPU_VALUE_I8, .size = type, .i = value->int8};
    case OTF2_TYPE_INT16:
        return (struct quipu_value){.type = QUIPU_VALUE_I16, .size = type, .i = value->int16};
    case OTF2_TYPE_INT32:
        return (struct quipu_value){.type = QUIPU_VALUE_I32, .size = type, .i = value->int32};
    case OTF2_TYPE_INT64:
        return (struct quipu_value){.type = QUIPU_VALUE_I64, .size = type, .i = value->int64};
    case OTF2_TYPE_FLOAT:
        return (struct quipu_value){.type = QUIPU_VALUE_F32, .size = type, .f = (double)value->float32};
    case OTF2_TYPE_DOUBLE:
        return (struct quipu_value){.type = QUIPU_VALUE_F64, .size = type, .f = value->float64};
    default: /* numbers of definitions */
        return (struct quipu_value){.type = QUIPU_VALUE_U32, .size = type, .u = value->uint32};
    }
}

static const struct quipu_value *attributes_of(struct quipu__otf2_sink *sink, const OTF2_AttributeList *list,
                                               uint32_t count) {
    struct quipu_value *values = quipu__scratch_sized(&sink->scratch, count, sizeof *values);
    for (uint32_t i = 0; values && i < count; i++) {
        OTF2_AttributeRef key = 0;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value = {0};
        OTF2_AttributeList_GetAttributeByIndex(list, i, &key, &type, &value);
        values[i] = value_of(type, &value);
        values[i].key = key;
    }
    return values;
}

static OTF2_CallbackCode put(struct quipu__otf2_sink *sink, enum quipu__otf2_type type,
                             const OTF2_AttributeList *list) {
    const uint32_t count = list ? OTF2_AttributeList_GetNumberOfElements(list) : 0;
    sink->type = type;
    if (count > 0 && !sink->without_attributes)
        *quipu__otf2_attributes(sink) = attributes_of(sink, list, count);
    return quipu__otf2_put(sink, type);
}

/* ---- The callbacks ---- */

#define HEAD                                                                                                   \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context, OTF2_AttributeList *list

#define CALLBACKS(CALLBACK)                                                                                    \
    CALLBACK(BufferFlush, BUFFER_FLUSH, 1, (OTF2_TimeStamp))                                                   \
    CALLBACK(MeasurementOnOff, MEASUREMENT_ON_OFF, 1, (OTF2_MeasurementMode))                                  \
    CALLBACK(Enter, ENTER, 1, (OTF2_RegionRef))                                                                \
    CALLBACK(Leave, LEAVE, 1, (OTF2_RegionRef))                                                                \
    CALLBACK(MpiSend, MPI_SEND, 4, (uint32_t, OTF2_CommRef, uint32_t, uint64_t))                               \
    CALLBACK(MpiIsend, MPI_ISEND, 5, (uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t))                   \
    CALLBACK(MpiIsendComplete, MPI_ISEND_COMPLETE, 1, (uint64_t))                                              \
    CALLBACK(MpiIrecvRequest, MPI_IRECV_REQUEST, 1, (uint64_t))                                                \
    CALLBACK(MpiRecv, MPI_RECV, 4, (uint32_t, OTF2_CommRef, uint32_t, uint64_t))                               \
    CALLBACK(MpiIrecv, MPI_IRECV, 5, (uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t))                   \
    CALLBACK(MpiRequestTest, MPI_REQUEST_TEST, 1, (uint64_t))                                                  \
    CALLBACK(MpiRequestCancelled, MPI_REQUEST_CANCELLED, 1, (uint64_t))                                        \
    CALLBACK(MpiCollectiveBegin, MPI_COLLECTIVE_BEGIN, 0, ())                                                  \
    CALLBACK(MpiCollectiveEnd, MPI_COLLECTIVE_END, 5,                                                          \
             (OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t))                                  \
    CALLBACK(OmpFork, OMP_FORK, 1, (uint32_t))                                                                 \
    CALLBACK(OmpJoin, OMP_JOIN, 0, ())                                                                         \
    CALLBACK(OmpAcquireLock, OMP_ACQUIRE_LOCK, 2, (uint32_t, uint32_t))                                        \
    CALLBACK(OmpReleaseLock, OMP_RELEASE_LOCK, 2, (uint32_t, uint32_t))                                        \
    CALLBACK(OmpTaskCreate, OMP_TASK_CREATE, 1, (uint64_t))                                                    \
    CALLBACK(OmpTaskSwitch, OMP_TASK_SWITCH, 1, (uint64_t))                                                    \
    CALLBACK(OmpTaskComplete, OMP_TASK_COMPLETE, 1, (uint64_t))                                                \
    CALLBACK(ParameterString, PARAMETER_STRING, 2, (OTF2_ParameterRef, OTF2_StringRef))                        \
    CALLBACK(ParameterInt, PARAMETER_INT64, 2, (OTF2_ParameterRef, int64_t))                                   \
    CALLBACK(ParameterUnsignedInt, PARAMETER_UINT64, 2, (OTF2_ParameterRef, uint64_t))                         \
    CALLBACK(RmaWinCreate, RMA_WIN_CREATE, 1, (OTF2_RmaWinRef))                                                \
    CALLBACK(RmaWinDestroy, RMA_WIN_DESTROY, 1, (OTF2_RmaWinRef))                                              \
    CALLBACK(RmaCollectiveBegin, RMA_COLLECTIVE_BEGIN, 0, ())                                                  \
    CALLBACK(RmaCollectiveEnd, RMA_COLLECTIVE_END, 6,                                                          \
             (OTF2_CollectiveOp, OTF2_RmaSyncLevel, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t))             \
    CALLBACK(RmaGroupSync, RMA_GROUP_SYNC, 3, (OTF2_RmaSyncLevel, OTF2_RmaWinRef, OTF2_GroupRef))              \
    CALLBACK(RmaRequestLock, RMA_REQUEST_LOCK, 4, (OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType))         \
    CALLBACK(RmaAcquireLock, RMA_ACQUIRE_LOCK, 4, (OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType))         \
    CALLBACK(RmaTryLock, RMA_TRY_LOCK, 4, (OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType))                 \
    CALLBACK(RmaReleaseLock, RMA_RELEASE_LOCK, 3, (OTF2_RmaWinRef, uint32_t, uint64_t))                        \
    CALLBACK(RmaSync, RMA_SYNC, 3, (OTF2_RmaWinRef, uint32_t, OTF2_RmaSyncType))                               \
    CALLBACK(RmaWaitChange, RMA_WAIT_CHANGE, 1, (OTF2_RmaWinRef))                                              \
    CALLBACK(RmaPut, RMA_PUT, 4, (OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t))                               \
    CALLBACK(RmaGet, RMA_GET, 4, (OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t))                               \
    CALLBACK(RmaAtomic, RMA_ATOMIC, 6,                                                                         \
             (OTF2_RmaWinRef, uint32_t, OTF2_RmaAtomicType, uint64_t, uint64_t, uint64_t))                     \
    CALLBACK(RmaOpCompleteBlocking, RMA_OP_COMPLETE_BLOCKING, 2, (OTF2_RmaWinRef, uint64_t))                   \
    CALLBACK(RmaOpCompleteNonBlocking, RMA_OP_COMPLETE_NON_BLOCKING, 2, (OTF2_RmaWinRef, uint64_t))            \
    CALLBACK(RmaOpTest, RMA_OP_TEST, 2, (OTF2_RmaWinRef, uint64_t))                                            \
    CALLBACK(RmaOpCompleteRemote, RMA_OP_COMPLETE_REMOTE, 2, (OTF2_RmaWinRef, uint64_t))                       \
    CALLBACK(ThreadFork, THREAD_FORK, 2, (OTF2_Paradigm, uint32_t))                                            \
    CALLBACK(ThreadJoin, THREAD_JOIN, 1, (OTF2_Paradigm))                                                      \
    CALLBACK(ThreadTeamBegin, THREAD_TEAM_BEGIN, 1, (OTF2_CommRef))                                            \
    CALLBACK(ThreadTeamEnd, THREAD_TEAM_END, 1, (OTF2_CommRef))                                                \
    CALLBACK(ThreadAcquireLock, THREAD_ACQUIRE_LOCK, 3, (OTF2_Paradigm, uint32_t, uint32_t))                   \
    CALLBACK(ThreadReleaseLock, THREAD_RELEASE_LOCK, 3, (OTF2_Paradigm, uint32_t, uint32_t))                   \
    CALLBACK(ThreadTaskCreate, THREAD_TASK_CREATE, 3, (OTF2_CommRef, uint32_t, uint32_t))                      \
    CALLBACK(ThreadTaskSwitch, THREAD_TASK_SWITCH, 3, (OTF2_CommRef, uint32_t, uint32_t))                      \
    CALLBACK(ThreadTaskComplete, THREAD_TASK_COMPLETE, 3, (OTF2_CommRef, uint32_t, uint32_t))                  \
    CALLBACK(ThreadCreate, THREAD_CREATE, 2, (OTF2_CommRef, uint64_t))                                         \
    CALLBACK(ThreadBegin, THREAD_BEGIN, 2, (OTF2_CommRef, uint64_t))                                           \
    CALLBACK(ThreadWait, THREAD_WAIT, 2, (OTF2_CommRef, uint64_t))                                             \
    CALLBACK(ThreadEnd, THREAD_END, 2, (OTF2_CommRef, uint64_t))                                               \
    CALLBACK(CallingContextEnter, CALLING_CONTEXT_ENTER, 2, (OTF2_CallingContextRef, uint32_t))                \
    CALLBACK(CallingContextLeave, CALLING_CONTEXT_LEAVE, 1, (OTF2_CallingContextRef))                          \
    CALLBACK(CallingContextSample, CALLING_CONTEXT_SAMPLE, 3,                                                  \
             (OTF2_CallingContextRef, uint32_t, OTF2_InterruptGeneratorRef))                                   \
    CALLBACK(IoCreateHandle, IO_CREATE_HANDLE, 4,                                                              \
             (OTF2_IoHandleRef, OTF2_IoAccessMode, OTF2_IoCreationFlag, OTF2_IoStatusFlag))                    \
    CALLBACK(IoDestroyHandle, IO_DESTROY_HANDLE, 1, (OTF2_IoHandleRef))                                        \
    CALLBACK(IoDuplicateHandle, IO_DUPLICATE_HANDLE, 3,                                                        \
             (OTF2_IoHandleRef, OTF2_IoHandleRef, OTF2_IoStatusFlag))                                          \
    CALLBACK(IoSeek, IO_SEEK, 4, (OTF2_IoHandleRef, int64_t, OTF2_IoSeekOption, uint64_t))                     \
    CALLBACK(IoChangeStatusFlags, IO_CHANGE_FLAGS, 2, (OTF2_IoHandleRef, OTF2_IoStatusFlag))                   \
    CALLBACK(IoDeleteFile, IO_DELETE_FILE, 2, (OTF2_IoParadigmRef, OTF2_IoFileRef))                            \
    CALLBACK(IoOperationBegin, IO_OPERATION_BEGIN, 5,                                                          \
             (OTF2_IoHandleRef, OTF2_IoOperationMode, OTF2_IoOperationFlag, uint64_t, uint64_t))               \
    CALLBACK(IoOperationTest, IO_OPERATION_TEST, 2, (OTF2_IoHandleRef, uint64_t))                              \
    CALLBACK(IoOperationIssued, IO_OPERATION_ISSUED, 2, (OTF2_IoHandleRef, uint64_t))                          \
    CALLBACK(IoOperationComplete, IO_OPERATION_COMPLETE, 3, (OTF2_IoHandleRef, uint64_t, uint64_t))            \
    CALLBACK(IoOperationCancelled, IO_OPERATION_CANCELLED, 2, (OTF2_IoHandleRef, uint64_t))                    \
    CALLBACK(IoAcquireLock, IO_ACQUIRE_LOCK, 2, (OTF2_IoHandleRef, OTF2_LockType))                             \
    CALLBACK(IoReleaseLock, IO_RELEASE_LOCK, 2, (OTF2_IoHandleRef, OTF2_LockType))                             \
    CALLBACK(IoTryLock, IO_TRY_LOCK, 2, (OTF2_IoHandleRef, OTF2_LockType))                                     \
    CALLBACK(ProgramEnd, PROGRAM_END, 1, (int64_t))                                                            \
    CALLBACK(NonBlockingCollectiveRequest, NON_BLOCKING_COLLECTIVE_REQUEST, 1, (uint64_t))                     \
    CALLBACK(NonBlockingCollectiveComplete, NON_BLOCKING_COLLECTIVE_COMPLETE, 6,                               \
             (OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t, uint64_t))                        \
    CALLBACK(CommCreate, COMM_CREATE, 1, (OTF2_CommRef))                                                       \
    CALLBACK(CommDestroy, COMM_DESTROY, 1, (OTF2_CommRef))

#define DEFINE(Name, Record, count, types)                                                                     \
    static OTF2_CallbackCode on_##Name(HEAD P##count types) {                                                  \
        struct quipu__otf2_sink *sink = context;                                                               \
        (void)position;                                                                                        \
        sink->record.Record = (struct quipu__otf2_##Record){location, time V##count, NULL};                    \
        return put(sink, QUIPU__OTF2_TYPE_##Record, list);                                                     \
    }
CALLBACKS(DEFINE)

/* Typed values of the members of a metric, whose numbers are their keys. */
static OTF2_CallbackCode on_Metric(HEAD, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types,
                                   const OTF2_MetricValue *members) {
    struct quipu__otf2_sink *sink = context;
    struct quipu_value *values = quipu__scratch_sized(&sink->scratch, count, sizeof *values);
    (void)position;
    for (uint8_t i = 0; values && i < count; i++) {
        values[i] = (struct quipu_value){.key = i, .type = QUIPU_VALUE_U64, .u = members[i].unsigned_int};
        if (types[i] == OTF2_TYPE_DOUBLE)
            values[i] = (struct quipu_value){.key = i, .type = QUIPU_VALUE_F64, .f = members[i].floating_point};
        else if (types[i] == OTF2_TYPE_INT64)
            values[i].type = QUIPU_VALUE_I64;
    }
    sink->record.METRIC = (struct quipu__otf2_METRIC){location, time, metric, values, NULL};
    return put(sink, QUIPU__OTF2_TYPE_METRIC, list);
}

static OTF2_CallbackCode on_ProgramBegin(HEAD, OTF2_StringRef name, uint32_t count,
                                         const OTF2_StringRef *arguments) {
    struct quipu__otf2_sink *sink = context;
    uint32_t *copy = quipu__scratch_sized(&sink->scratch, count, sizeof *copy);
    (void)position;
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = arguments[i];
    sink->record.PROGRAM_BEGIN = (struct quipu__otf2_PROGRAM_BEGIN){location, time, name, copy, NULL};
    return put(sink, QUIPU__OTF2_TYPE_PROGRAM_BEGIN, list);
}

static OTF2_CallbackCode on_unknown_event(HEAD) {
    struct quipu__otf2_sink *sink = context;
    (void)location, (void)time, (void)position, (void)list;
    sink->unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_EvtReaderCallbacks *quipu__otf2_event_callbacks(void) {
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(Name, ...) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    CALLBACKS(SET)
    SET(Metric)
    SET(ProgramBegin)
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown_event);
    return callbacks;
}
#undef CALLBACKS
#undef DEFINE
#undef SET

/* ==== Definitions ==== */

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
        PUT(Record, of, which, value_of(type, &value));                                                        \
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
        copy[i] = value_of(types[i], &values[i]);
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
