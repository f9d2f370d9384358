/* calls.h: the arguments of each record's functions, in the order of the API, which differs from the order in
 * the line.
 *
 * CALL_<record>(AS) expands to one AS_... per argument, where AS is a family of macros that says what is
 * wanted: the parameters of a function, the members of the record's struct, the arguments of a call. Each
 * expansion begins with a comma or ends in one, so that rows need none.
 *
 *     AS_TIME, AS_PROCESS        of the state lines
 *     AS_U8, AS_U32, AS_U64(f)   the member f
 *     AS_ENUM(type, f)           the member f, with an enum of the API as its type
 *     AS_TEXT(f)                 a text
 *     AS_LIST(type, count, f)    number and elements of a list
 */
#ifndef COMPAT_OTF_CALLS_H
#define COMPAT_OTF_CALLS_H

/* clang-format off */

/* ---- Definitions ---- */

#define CALL_DefinitionComment(AS) AS##_TEXT(comment)
#define CALL_DefTimerResolution(AS) AS##_U64(ticksPerSecond)
#define CALL_DefProcess(AS) AS##_U32(process) AS##_TEXT(name) AS##_U32(parent)
#define CALL_DefProcessGroup(AS) \
    AS##_U32(procGroup) AS##_TEXT(name) AS##_LIST(const uint32_t, numberOfProcs, procs)
#define CALL_DefAttributeList(AS) AS##_U32(attr_token) AS##_LIST(OTF_ATTR_TYPE, num, array)
#define CALL_DefProcessOrGroupAttributes(AS) AS##_U32(proc_token) AS##_U32(attr_token)
#define CALL_DefProcessSubstitutes(AS) AS##_U32(representative) AS##_LIST(const uint32_t, numberOfProcs, procs)
#define CALL_DefFunction(AS) AS##_U32(func) AS##_TEXT(name) AS##_U32(funcGroup) AS##_U32(source)
#define CALL_DefFunctionGroup(AS) AS##_U32(funcGroup) AS##_TEXT(name)
#define CALL_DefCollectiveOperation(AS) AS##_U32(collOp) AS##_TEXT(name) AS##_U32(type)
#define CALL_DefCounter(AS) \
    AS##_U32(counter) AS##_TEXT(name) AS##_U32(properties) AS##_U32(counterGroup) AS##_TEXT(unit)
#define CALL_DefCounterGroup(AS) AS##_U32(counterGroup) AS##_TEXT(name)
#define CALL_DefScl(AS) AS##_U32(source) AS##_U32(sourceFile) AS##_U32(line)
#define CALL_DefSclFile(AS) AS##_U32(sourceFile) AS##_TEXT(name)
#define CALL_DefVersion(AS) AS##_U8(major) AS##_U8(minor) AS##_U8(sub) AS##_TEXT(string)
#define CALL_DefCreator(AS) AS##_TEXT(creator)
#define CALL_DefUniqueId(AS) AS##_U64(uid)
#define CALL_DefFile(AS) AS##_U32(token) AS##_TEXT(name) AS##_U32(group)
#define CALL_DefFileGroup(AS) AS##_U32(token) AS##_TEXT(name)
#define CALL_DefKeyValue(AS) AS##_U32(key) AS##_ENUM(OTF_Type, type) AS##_TEXT(name) AS##_TEXT(description)
#define CALL_DefTimeRange(AS) AS##_U64(minTime) AS##_U64(maxTime)
#define CALL_DefCounterAssignments(AS) \
    AS##_U32(counter) AS##_LIST(const uint32_t, number_of_members, procs_or_groups)
#define CALL_DefAuxSamplePoint(AS) AS##_U64(time) AS##_ENUM(OTF_AuxSamplePointType, type)

/* ---- Events ---- */

#define CALL_NoOp(AS) AS##_TIME AS##_PROCESS
#define CALL_Enter(AS) AS##_TIME AS##_U32(function) AS##_PROCESS AS##_U32(source)
#define CALL_Leave(AS) AS##_TIME AS##_U32(function) AS##_PROCESS AS##_U32(source)
#define CALL_SendMsg(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(receiver) AS##_U32(group) AS##_U32(type) AS##_U32(length) \
    AS##_U32(source)
#define CALL_RecvMsg(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(sendProc) AS##_U32(group) AS##_U32(type) AS##_U32(length) \
    AS##_U32(source)
#define CALL_Counter(AS) AS##_TIME AS##_PROCESS AS##_U32(counter) AS##_U64(value)
#define CALL_CollectiveOperation(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(collective) AS##_U32(procGroup) AS##_U32(rootProc) AS##_U32(sent) \
    AS##_U32(received) AS##_U64(duration) AS##_U32(source)
#define CALL_BeginCollectiveOperation(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(collOp) AS##_U64(matchingId) AS##_U32(procGroup) AS##_U32(rootProc) \
    AS##_U64(sent) AS##_U64(received) AS##_U32(source)
#define CALL_EndCollectiveOperation(AS) AS##_TIME AS##_PROCESS AS##_U64(matchingId)
#define CALL_EventComment(AS) AS##_TIME AS##_PROCESS AS##_TEXT(comment)
#define CALL_BeginProcess(AS) AS##_TIME AS##_PROCESS
#define CALL_EndProcess(AS) AS##_TIME AS##_PROCESS
#define CALL_FileOperation(AS) \
    AS##_TIME AS##_U32(fileid) AS##_PROCESS AS##_U64(handleid) AS##_U32(operation) AS##_U64(bytes) \
    AS##_U64(duration) AS##_U32(source)
#define CALL_BeginFileOperation(AS) AS##_TIME AS##_PROCESS AS##_U64(matchingId) AS##_U32(source)
#define CALL_EndFileOperation(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(fileid) AS##_U64(matchingId) AS##_U64(handleId) AS##_U32(operation) \
    AS##_U64(bytes) AS##_U32(source)
#define CALL_RMAPut(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(origin) AS##_U32(target) AS##_U32(communicator) AS##_U32(tag) \
    AS##_U64(bytes) AS##_U32(source)
#define CALL_RMAPutRemoteEnd(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(origin) AS##_U32(target) AS##_U32(communicator) AS##_U32(tag) \
    AS##_U64(bytes) AS##_U32(source)
#define CALL_RMAGet(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(origin) AS##_U32(target) AS##_U32(communicator) AS##_U32(tag) \
    AS##_U64(bytes) AS##_U32(source)
#define CALL_RMAEnd(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(remote) AS##_U32(communicator) AS##_U32(tag) AS##_U32(source)

/* ---- Snapshots ---- */

#define CALL_SnapshotComment(AS) AS##_TIME AS##_PROCESS AS##_TEXT(comment)
#define CALL_EnterSnapshot(AS) AS##_TIME AS##_U64(originaltime) AS##_U32(function) AS##_PROCESS AS##_U32(source)
#define CALL_SendSnapshot(AS) \
    AS##_TIME AS##_U64(originaltime) AS##_PROCESS AS##_U32(receiver) AS##_U32(procGroup) AS##_U32(tag) \
    AS##_U32(length) AS##_U32(source)
#define CALL_OpenFileSnapshot(AS) \
    AS##_TIME AS##_U64(originaltime) AS##_U32(fileid) AS##_PROCESS AS##_U64(handleid) AS##_U32(source)
#define CALL_BeginCollopSnapshot(AS) \
    AS##_TIME AS##_U64(originaltime) AS##_PROCESS AS##_U32(collOp) AS##_U64(matchingId) \
    AS##_U32(procGroup) AS##_U32(rootProc) AS##_U64(sent) AS##_U64(received) AS##_U32(source)
#define CALL_BeginFileOpSnapshot(AS) \
    AS##_TIME AS##_U64(originaltime) AS##_PROCESS AS##_U64(matchingId) AS##_U32(source)
#define CALL_CollopCountSnapshot(AS) AS##_TIME AS##_PROCESS AS##_U32(communicator) AS##_U64(count)
#define CALL_CounterSnapshot(AS) AS##_TIME AS##_U64(originaltime) AS##_PROCESS AS##_U32(counter) AS##_U64(value)

/* ---- Statistics ---- */

#define CALL_SummaryComment(AS) AS##_TIME AS##_PROCESS AS##_TEXT(comment)
#define CALL_FunctionSummary(AS) \
    AS##_TIME AS##_U32(function) AS##_PROCESS AS##_U64(invocations) AS##_U64(exclTime) AS##_U64(inclTime)
#define CALL_FunctionGroupSummary(AS) \
    AS##_TIME AS##_U32(funcGroup) AS##_PROCESS AS##_U64(invocations) AS##_U64(exclTime) AS##_U64(inclTime)
#define CALL_MessageSummary(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(peer) AS##_U32(comm) AS##_U32(type) AS##_U64(sentNumber) \
    AS##_U64(receivedNumber) AS##_U64(sentBytes) AS##_U64(receivedBytes)
#define CALL_CollopSummary(AS) \
    AS##_TIME AS##_PROCESS AS##_U32(comm) AS##_U32(collective) AS##_U64(sentNumber) \
    AS##_U64(receivedNumber) AS##_U64(sentBytes) AS##_U64(receivedBytes)
#define CALL_FileOperationSummary(AS) \
    AS##_TIME AS##_U32(fileid) AS##_PROCESS AS##_U64(nopen) AS##_U64(nclose) AS##_U64(nread) \
    AS##_U64(nwrite) AS##_U64(nseek) AS##_U64(bytesread) AS##_U64(byteswrite)
#define CALL_FileGroupOperationSummary(AS) \
    AS##_TIME AS##_U32(groupid) AS##_PROCESS AS##_U64(nopen) AS##_U64(nclose) AS##_U64(nread) \
    AS##_U64(nwrite) AS##_U64(nseek) AS##_U64(bytesread) AS##_U64(byteswrite)

/* ---- Markers ---- */

#define CALL_DefMarker(AS) AS##_U32(token) AS##_TEXT(name) AS##_U32(type)
#define CALL_Marker(AS) AS##_U64(time) AS##_U32(process) AS##_U32(token) AS##_TEXT(text)

/* clang-format on */

/* ---- Families ---- */

#define PARAMETER_TIME , uint64_t time
#define PARAMETER_PROCESS , uint32_t process
#define PARAMETER_U8(f) , uint8_t f
#define PARAMETER_U32(f) , uint32_t f
#define PARAMETER_U64(f) , uint64_t f
#define PARAMETER_ENUM(type, f) , type f
#define PARAMETER_TEXT(f) , const char *f
#define PARAMETER_LIST(type, count, f) , uint32_t count, type *f

#define ARGUMENT_TIME , time
#define ARGUMENT_PROCESS , process
#define ARGUMENT_U8(f) , f
#define ARGUMENT_U32(f) , f
#define ARGUMENT_U64(f) , f
#define ARGUMENT_ENUM(type, f) , f
#define ARGUMENT_TEXT(f) , f
#define ARGUMENT_LIST(type, count, f) , count, f

/* What the functions of a kind (calls.def) have before the record's own arguments. */
#define WHERE_DEFINITION , uint32_t stream
#define WHERE_DEFINITION_EARLY , uint32_t stream
#define WHERE_DEFINITION_MARKER , uint32_t stream
#define WHERE_MARKER
#define WHERE_TIMED

#endif
