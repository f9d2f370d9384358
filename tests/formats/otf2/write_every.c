/* write_every.c: writes an OTF2 trace that has every type of definition, event and marker, for the tests of the format: each number in it is
 * different, so that mistaken fields show. Usage: write_every FOLDER [location or "all"]. */
#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                bool is_final) {
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *data, OTF2_FileType type, OTF2_LocationRef location) {
    (void)data, (void)type, (void)location;
    return 0;
}

static OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = pre_flush, .otf2_post_flush = post_flush};

static void must(OTF2_ErrorCode code, int line) {
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "line %d: %s\n", line, OTF2_Error_GetDescription(code));
        exit(1);
    }
}
#define MUST(call) must((call), __LINE__)

/* ---- Definitions ---- */

#define DEFINE(name, ...) MUST(OTF2_GlobalDefWriter_Write##name(w, __VA_ARGS__))

static const char *const strings[] = {"",      "region one", "machine", "node",   "process",  "thread",
                                      "group", "comm",       "metric",  "a unit", "window",   "argument",
                                      "file",  "handle",     "context", "a.c",    "property", "value",
                                      "POSIX", "stream",     "sample",  "cart"};

static void define(OTF2_GlobalDefWriter *w, const uint64_t events) {
    const OTF2_AttributeValue text = {.stringRef = 17}, number = {.uint32 = 7};
    const OTF2_IoParadigmProperty property = OTF2_IO_PARADIGM_PROPERTY_VERSION;
    const OTF2_Type text_type = OTF2_TYPE_STRING;
    const uint64_t locations[] = {0, 2}, ranks[] = {0, 1}, reverse[] = {1, 0}, alone[] = {1};
    const uint32_t members[] = {0, 1}, coordinates[] = {3};
    DEFINE(ClockProperties, 1000000000, 1000, 5000, 1700000000000000000);
    for (uint32_t i = 0; i < sizeof strings / sizeof *strings; i++)
        DEFINE(String, i, strings[i]);
    DEFINE(Paradigm, OTF2_PARADIGM_MPI, 7, OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
           text);
    DEFINE(IoParadigm, 0, 18, 18, OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
    DEFINE(IoParadigm, 1, 18, 18, OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 1, &property,
           &text_type, &text);
    DEFINE(Attribute, 0, 16, 0, OTF2_TYPE_UINT32);
    DEFINE(Attribute, 1, 17, 0, OTF2_TYPE_STRING);
    DEFINE(Attribute, 2, 20, 0, OTF2_TYPE_DOUBLE);
    DEFINE(SystemTreeNode, 0, 2, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(SystemTreeNode, 1, 3, 3, 0);
    DEFINE(SystemTreeNodeProperty, 1, 16, OTF2_TYPE_STRING, text);
    DEFINE(SystemTreeNodeDomain, 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    DEFINE(LocationGroup, 0, 4, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP);
    DEFINE(LocationGroup, 1, 4, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP);
    DEFINE(LocationGroup, 2, 19, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0);
    DEFINE(LocationGroupProperty, 1, 16, OTF2_TYPE_STRING, text);
    DEFINE(Location, 0, 5, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
    DEFINE(Location, 1, 5, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);
    DEFINE(Location, 2, 5, OTF2_LOCATION_TYPE_CPU_THREAD, 4, 1);
    DEFINE(Location, 3, 19, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 2);
    DEFINE(LocationProperty, 2, 16, OTF2_TYPE_UINT32, number);
    DEFINE(Region, 0, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, 15, 21,
           22);
    DEFINE(Region, 1, 1, 1, 0, OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 15, 23, 24);
    DEFINE(Group, 0, 6, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, locations);
    DEFINE(Group, 1, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks);
    DEFINE(Group, 2, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, reverse);
    DEFINE(Group, 3, 6, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL);
    DEFINE(Group, 4, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1, alone);
    DEFINE(Group, 5, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1, ranks);
    DEFINE(Comm, 0, 7, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(Comm, 1, 7, 2, 0, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    DEFINE(Comm, 2, 7, 3, 0, OTF2_COMM_FLAG_NONE);
    DEFINE(InterComm, 3, 7, 5, 4, 0, OTF2_COMM_FLAG_NONE);
    DEFINE(MetricMember, 0, 8, 8, OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
           OTF2_BASE_DECIMAL, 0, 9);
    DEFINE(MetricMember, 1, 8, 8, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
           OTF2_BASE_DECIMAL, -3, 9);
    DEFINE(MetricClass, 1, 2, members, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    DEFINE(MetricClassRecorder, 1, 2);
    DEFINE(MetricInstance, 2, 1, 0, OTF2_SCOPE_LOCATION, 2);
    DEFINE(Parameter, 1, 16, OTF2_PARAMETER_TYPE_STRING);
    DEFINE(RmaWin, 1, 10, 0, OTF2_RMA_WIN_FLAG_NONE);
    DEFINE(CartDimension, 0, 21, 4, OTF2_CART_PERIODIC_TRUE);
    DEFINE(CartTopology, 0, 21, 0, 1, members);
    DEFINE(CartCoordinate, 0, 1, 1, coordinates);
    DEFINE(SourceCodeLocation, 0, 15, 42);
    DEFINE(CallingContext, 0, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, OTF2_UNDEFINED_CALLING_CONTEXT);
    DEFINE(CallingContext, 1, 1, 0, 0);
    DEFINE(CallingContextProperty, 1, 16, OTF2_TYPE_STRING, text);
    DEFINE(InterruptGenerator, 1, 20, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 1000);
    DEFINE(IoRegularFile, 1, 12, 1);
    DEFINE(IoDirectory, 2, 12, 1);
    DEFINE(IoFileProperty, 1, 16, OTF2_TYPE_STRING, text);
    DEFINE(IoHandle, 1, 13, 1, 0, OTF2_IO_HANDLE_FLAG_PRE_CREATED, OTF2_UNDEFINED_COMM,
           OTF2_UNDEFINED_IO_HANDLE);
    DEFINE(IoPreCreatedHandleState, 1, OTF2_IO_ACCESS_MODE_READ_ONLY, OTF2_IO_STATUS_FLAG_NONE);
    DEFINE(Callsite, 0, 15, 43, 0, 1);
    DEFINE(Callpath, 0, OTF2_UNDEFINED_CALLPATH, 1);
    DEFINE(CallpathParameter, 0, 1, OTF2_TYPE_UINT32, number);
}

/* ---- Events ---- */

#define EVENT(name, ...) MUST(OTF2_EvtWriter_##name(w, NULL, __VA_ARGS__))

static void put_attributes(OTF2_EvtWriter *w, OTF2_TimeStamp t) {
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    MUST(OTF2_AttributeList_AddUint32(list, 0, 77));
    MUST(OTF2_AttributeList_AddStringRef(list, 1, 17));
    MUST(OTF2_AttributeList_AddDouble(list, 2, 2.5));
    MUST(OTF2_EvtWriter_Enter(w, list, t, 1));
    MUST(OTF2_EvtWriter_Leave(w, NULL, t, 1));
    MUST(OTF2_AttributeList_Delete(list));
}

static void put_events(OTF2_EvtWriter *w, OTF2_TimeStamp t) {
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    const OTF2_MetricValue values[] = {{.unsigned_int = 99}, {.floating_point = 1.5}};
    const OTF2_StringRef arguments[] = {11, 12};
    put_attributes(w, t);
    EVENT(BufferFlush, t, t + 5);
    EVENT(MeasurementOnOff, t += 10, OTF2_MEASUREMENT_OFF);
    EVENT(Enter, t += 10, 1);
    EVENT(Leave, t += 10, 1);
    EVENT(MpiSend, t += 10, 1, 1, 101, 102);
    EVENT(MpiIsend, t += 10, 1, 1, 103, 104, 105);
    EVENT(MpiIsendComplete, t += 10, 106);
    EVENT(MpiIrecvRequest, t += 10, 107);
    EVENT(MpiRecv, t += 10, 1, 1, 108, 109);
    EVENT(MpiIrecv, t += 10, 1, 1, 110, 111, 112);
    EVENT(MpiRequestTest, t += 10, 113);
    EVENT(MpiRequestCancelled, t += 10, 114);
    EVENT(MpiCollectiveBegin, t += 10);
    EVENT(MpiCollectiveEnd, t += 10, OTF2_COLLECTIVE_OP_ALLREDUCE, 1, 1, 115, 116);
    EVENT(OmpFork, t += 10, 117);
    EVENT(OmpJoin, t += 10);
    EVENT(OmpAcquireLock, t += 10, 118, 119);
    EVENT(OmpReleaseLock, t += 10, 120, 121);
    EVENT(OmpTaskCreate, t += 10, 122);
    EVENT(OmpTaskSwitch, t += 10, 123);
    EVENT(OmpTaskComplete, t += 10, 124);
    EVENT(Metric, t += 10, 2, 2, types, values);
    EVENT(ParameterString, t += 10, 1, 1);
    EVENT(ParameterInt, t += 10, 1, -126);
    EVENT(ParameterUnsignedInt, t += 10, 1, 127);
    EVENT(RmaWinCreate, t += 10, 1);
    EVENT(RmaWinDestroy, t += 10, 1);
    EVENT(RmaCollectiveBegin, t += 10);
    EVENT(RmaCollectiveEnd, t += 10, OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_RMA_SYNC_LEVEL_MEMORY, 1, 1, 128, 129);
    EVENT(RmaGroupSync, t += 10, OTF2_RMA_SYNC_LEVEL_MEMORY, 1, 1);
    EVENT(RmaRequestLock, t += 10, 1, 1, 130, OTF2_LOCK_SHARED);
    EVENT(RmaAcquireLock, t += 10, 1, 1, 131, OTF2_LOCK_SHARED);
    EVENT(RmaTryLock, t += 10, 1, 1, 132, OTF2_LOCK_SHARED);
    EVENT(RmaReleaseLock, t += 10, 1, 1, 133);
    EVENT(RmaSync, t += 10, 1, 1, OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
    EVENT(RmaWaitChange, t += 10, 1);
    EVENT(RmaPut, t += 10, 1, 1, 134, 135);
    EVENT(RmaGet, t += 10, 1, 1, 136, 137);
    EVENT(RmaAtomic, t += 10, 1, 1, OTF2_RMA_ATOMIC_TYPE_SWAP, 138, 139, 140);
    EVENT(RmaOpCompleteBlocking, t += 10, 1, 141);
    EVENT(RmaOpCompleteNonBlocking, t += 10, 1, 142);
    EVENT(RmaOpTest, t += 10, 1, 143);
    EVENT(RmaOpCompleteRemote, t += 10, 1, 144);
    EVENT(ThreadFork, t += 10, OTF2_PARADIGM_OPENMP, 145);
    EVENT(ThreadJoin, t += 10, OTF2_PARADIGM_OPENMP);
    EVENT(ThreadTeamBegin, t += 10, 1);
    EVENT(ThreadTeamEnd, t += 10, 1);
    EVENT(ThreadAcquireLock, t += 10, OTF2_PARADIGM_OPENMP, 146, 147);
    EVENT(ThreadReleaseLock, t += 10, OTF2_PARADIGM_OPENMP, 148, 149);
    EVENT(ThreadTaskCreate, t += 10, 1, 1, 150);
    EVENT(ThreadTaskSwitch, t += 10, 1, 1, 151);
    EVENT(ThreadTaskComplete, t += 10, 1, 1, 152);
    EVENT(ThreadCreate, t += 10, 1, 153);
    EVENT(ThreadBegin, t += 10, 1, 154);
    EVENT(ThreadWait, t += 10, 1, 155);
    EVENT(ThreadEnd, t += 10, 1, 156);
    EVENT(CallingContextEnter, t += 10, 1, 157);
    EVENT(CallingContextLeave, t += 10, 1);
    EVENT(CallingContextSample, t += 10, 1, 158, 1);
    EVENT(IoCreateHandle, t += 10, 1, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_CREATE,
          OTF2_IO_STATUS_FLAG_APPEND);
    EVENT(IoDestroyHandle, t += 10, 1);
    EVENT(IoDuplicateHandle, t += 10, 1, 1, OTF2_IO_STATUS_FLAG_APPEND);
    EVENT(IoSeek, t += 10, 1, -159, OTF2_IO_SEEK_FROM_CURRENT, 160);
    EVENT(IoChangeStatusFlags, t += 10, 1, OTF2_IO_STATUS_FLAG_APPEND);
    EVENT(IoDeleteFile, t += 10, 1, 1);
    EVENT(IoOperationBegin, t += 10, 1, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_COLLECTIVE, 161,
          162);
    EVENT(IoOperationTest, t += 10, 1, 163);
    EVENT(IoOperationIssued, t += 10, 1, 164);
    EVENT(IoOperationComplete, t += 10, 1, 165, 166);
    EVENT(IoOperationCancelled, t += 10, 1, 167);
    EVENT(IoAcquireLock, t += 10, 1, OTF2_LOCK_SHARED);
    EVENT(IoReleaseLock, t += 10, 1, OTF2_LOCK_SHARED);
    EVENT(IoTryLock, t += 10, 1, OTF2_LOCK_SHARED);
    EVENT(ProgramBegin, t += 10, 1, 2, arguments);
    EVENT(ProgramEnd, t += 10, -168);
    EVENT(NonBlockingCollectiveRequest, t += 10, 169);
    EVENT(NonBlockingCollectiveComplete, t += 10, OTF2_COLLECTIVE_OP_ALLREDUCE, 1, 1, 170, 171, 172);
    EVENT(CommCreate, t += 10, 1);
    EVENT(CommDestroy, t += 10, 1);
}

/* What a process has in its own numbers, and by its own clock: the file of its definitions says how both are translated. */
static void put_local(OTF2_Archive *archive) {
    OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, 2);
    const uint64_t regions[] = {1, 0}; /* its region 0 is 1 and the other way round */
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(2, regions, true);
    MUST(OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, map));
    OTF2_IdMap_Free(map);
    MUST(OTF2_DefWriter_WriteClockOffset(w, 1000, 100, 0.0));
    MUST(OTF2_DefWriter_WriteClockOffset(w, 3000, 300, 0.5));
    MUST(OTF2_Archive_CloseDefWriter(archive, w));
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, 2);
    const uint32_t region_at[] = {0, 1, 1, 0};
    for (int i = 0; i < 4; i++)
        MUST(i < 2 ? OTF2_EvtWriter_Enter(events, NULL, 1000 + 1000 * (OTF2_TimeStamp)i, region_at[i])
                   : OTF2_EvtWriter_Leave(events, NULL, 1000 + 1000 * (OTF2_TimeStamp)i, region_at[i]));
    MUST(OTF2_Archive_CloseEvtWriter(archive, events));
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    OTF2_Archive *archive =
        OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    uint64_t count = 0;
    MUST(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
    MUST(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    MUST(OTF2_Archive_SetCreator(archive, "write_every"));
    MUST(OTF2_Archive_OpenEvtFiles(archive));
    MUST(OTF2_Archive_OpenDefFiles(archive));
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, 0);
    put_events(events, 1000);
    MUST(OTF2_EvtWriter_GetNumberOfEvents(events, &count));
    MUST(OTF2_Archive_CloseEvtWriter(archive, events));
    put_local(archive);
    for (OTF2_LocationRef i = 0; i < 4; i++)
        if (i != 2)
            MUST(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    for (OTF2_LocationRef i = 1; i < 4; i += 2)
        MUST(OTF2_Archive_CloseEvtWriter(archive, OTF2_Archive_GetEvtWriter(archive, i)));
    MUST(OTF2_Archive_CloseDefFiles(archive));
    MUST(OTF2_Archive_CloseEvtFiles(archive));
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    define(definitions, count);
    MUST(OTF2_Archive_CloseGlobalDefWriter(archive, definitions));
    OTF2_MarkerWriter *markers = OTF2_Archive_GetMarkerWriter(archive);
    MUST(OTF2_MarkerWriter_WriteDefMarker(markers, 0, "marker group", "category", OTF2_SEVERITY_MEDIUM));
    MUST(OTF2_MarkerWriter_WriteMarker(markers, 1500, 25, 0, OTF2_MARKER_SCOPE_LOCATION, 2, "here"));
    MUST(OTF2_MarkerWriter_WriteMarker(markers, 1600, 0, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, "everywhere"));
    MUST(OTF2_Archive_CloseMarkerWriter(archive, markers));
    MUST(OTF2_Archive_Close(archive));
    return 0;
}
