/* events.c: records of events from libotf2. */
#include "formats/otf2/library.h"

/* ---- Attributes ---- */

struct quipu_value quipu__otf2_value(OTF2_Type type, const OTF2_AttributeValue *value) {
    switch (type) {
    case OTF2_TYPE_UINT8:
        return (struct quipu_value){.type = QUIPU_VALUE_U8, .u = value->uint8};
    case OTF2_TYPE_UINT16:
        return (struct quipu_value){.type = QUIPU_VALUE_U16, .u = value->uint16};
    case OTF2_TYPE_UINT64:
        return (struct quipu_value){.type = QUIPU_VALUE_U64, .u = value->uint64};
    case OTF2_TYPE_LOCATION:
        return (struct quipu_value){.type = QUIPU_VALUE_U64, .u = value->locationRef};
    case OTF2_TYPE_INT8:
        return (struct quipu_value){.type = QUIPU_VALUE_I8, .i = value->int8};
    case OTF2_TYPE_INT16:
        return (struct quipu_value){.type = QUIPU_VALUE_I16, .i = value->int16};
    case OTF2_TYPE_INT32:
        return (struct quipu_value){.type = QUIPU_VALUE_I32, .i = value->int32};
    case OTF2_TYPE_INT64:
        return (struct quipu_value){.type = QUIPU_VALUE_I64, .i = value->int64};
    case OTF2_TYPE_FLOAT:
        return (struct quipu_value){.type = QUIPU_VALUE_F32, .f = (double)value->float32};
    case OTF2_TYPE_DOUBLE:
        return (struct quipu_value){.type = QUIPU_VALUE_F64, .f = value->float64};
    default: /* numbers of definitions */
        return (struct quipu_value){.type = QUIPU_VALUE_U32, .u = value->uint32};
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
        values[i] = quipu__otf2_value(type, &value);
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

static OTF2_CallbackCode on_Unknown(HEAD) {
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
    SET(Unknown)
    return callbacks;
}
