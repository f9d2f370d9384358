/* OTF_HandlerArray.h: the functions that reading calls, one per record type, each with a first argument of its own.
 *
 * A handler returns int, OTF_RETURN_OK to go on. It has the type OTF_Handler_X of its record type, is cast to
 * OTF_FunctionPointer and called with the parameters of that type. Strings and arrays point into the read buffer and the
 * list into the reader: they are valid during the call. The list is never NULL and often empty. */
#ifndef OTF_HANDLERARRAY_H
#define OTF_HANDLERARRAY_H

#include "OTF_WStream.h"
#include "OTF_Writer.h"

/* Any handler, before the cast back to its real type. */
typedef int(OTF_FunctionPointer)(void *userData);

struct struct_OTF_HandlerArray {
    OTF_FunctionPointer **pointer; /* OTF_NRECORDS functions */
    void **firsthandlerarg;        /* OTF_NRECORDS arguments */
};
typedef struct struct_OTF_HandlerArray OTF_HandlerArray;

/* ---- A type for the handlers of each record type ---- */

/* OTF_DEFINITIONCOMMENT_RECORD */
typedef int(OTF_Handler_DefinitionComment)(void *userData, uint32_t stream, const char *comment,
                                           OTF_KeyValueList *list);
/* OTF_DEFTIMERRESOLUTION_RECORD */
typedef int(OTF_Handler_DefTimerResolution)(void *userData, uint32_t stream, uint64_t ticksPerSecond,
                                            OTF_KeyValueList *list);
/* OTF_DEFPROCESS_RECORD */
typedef int(OTF_Handler_DefProcess)(void *userData, uint32_t stream, uint32_t process, const char *name,
                                    uint32_t parent, OTF_KeyValueList *list);
/* OTF_DEFPROCESSGROUP_RECORD */
typedef int(OTF_Handler_DefProcessGroup)(void *userData, uint32_t stream, uint32_t procGroup, const char *name,
                                         uint32_t numberOfProcs, const uint32_t *procs, OTF_KeyValueList *list);
/* OTF_DEFATTRLIST_RECORD */
typedef int(OTF_Handler_DefAttributeList)(void *userData, uint32_t stream, uint32_t attr_token, uint32_t num,
                                          OTF_ATTR_TYPE *array, OTF_KeyValueList *list);
/* OTF_DEFPROCESSORGROUPATTR_RECORD */
typedef int(OTF_Handler_DefProcessOrGroupAttributes)(void *userData, uint32_t stream, uint32_t proc_token,
                                                     uint32_t attr_token, OTF_KeyValueList *list);
/* OTF_DEFPROCESSSUBSTITUTES_RECORD */
typedef int(OTF_Handler_DefProcessSubstitutes)(void *userData, uint32_t stream, uint32_t representative,
                                               uint32_t numberOfProcs, const uint32_t *procs,
                                               OTF_KeyValueList *list);
/* OTF_DEFFUNCTION_RECORD */
typedef int(OTF_Handler_DefFunction)(void *userData, uint32_t stream, uint32_t func, const char *name,
                                     uint32_t funcGroup, uint32_t source, OTF_KeyValueList *list);
/* OTF_DEFFUNCTIONGROUP_RECORD */
typedef int(OTF_Handler_DefFunctionGroup)(void *userData, uint32_t stream, uint32_t funcGroup, const char *name,
                                          OTF_KeyValueList *list);
/* OTF_DEFCOLLOP_RECORD */
typedef int(OTF_Handler_DefCollectiveOperation)(void *userData, uint32_t stream, uint32_t collOp,
                                                const char *name, uint32_t type, OTF_KeyValueList *list);
/* OTF_DEFCOUNTER_RECORD */
typedef int(OTF_Handler_DefCounter)(void *userData, uint32_t stream, uint32_t counter, const char *name,
                                    uint32_t properties, uint32_t counterGroup, const char *unit,
                                    OTF_KeyValueList *list);
/* OTF_DEFCOUNTERGROUP_RECORD */
typedef int(OTF_Handler_DefCounterGroup)(void *userData, uint32_t stream, uint32_t counterGroup,
                                         const char *name, OTF_KeyValueList *list);
/* OTF_DEFSCL_RECORD */
typedef int(OTF_Handler_DefScl)(void *userData, uint32_t stream, uint32_t source, uint32_t sourceFile,
                                uint32_t line, OTF_KeyValueList *list);
/* OTF_DEFSCLFILE_RECORD */
typedef int(OTF_Handler_DefSclFile)(void *userData, uint32_t stream, uint32_t sourceFile, const char *name,
                                    OTF_KeyValueList *list);
/* OTF_DEFVERSION_RECORD */
typedef int(OTF_Handler_DefVersion)(void *userData, uint32_t stream, uint8_t major, uint8_t minor, uint8_t sub,
                                    const char *string, OTF_KeyValueList *list);
/* OTF_DEFCREATOR_RECORD */
typedef int(OTF_Handler_DefCreator)(void *userData, uint32_t stream, const char *creator,
                                    OTF_KeyValueList *list);
/* OTF_DEFUNIQUEID_RECORD */
typedef int(OTF_Handler_DefUniqueId)(void *userData, uint32_t stream, uint64_t uid, OTF_KeyValueList *list);
/* OTF_DEFFILE_RECORD */
typedef int(OTF_Handler_DefFile)(void *userData, uint32_t stream, uint32_t token, const char *name,
                                 uint32_t group, OTF_KeyValueList *list);
/* OTF_DEFFILEGROUP_RECORD */
typedef int(OTF_Handler_DefFileGroup)(void *userData, uint32_t stream, uint32_t token, const char *name,
                                      OTF_KeyValueList *list);
/* OTF_DEFKEYVALUE_RECORD */
typedef int(OTF_Handler_DefKeyValue)(void *userData, uint32_t stream, uint32_t key, OTF_Type type,
                                     const char *name, const char *description, OTF_KeyValueList *list);
/* OTF_DEFTIMERANGE_RECORD */
typedef int(OTF_Handler_DefTimeRange)(void *userData, uint32_t stream, uint64_t minTime, uint64_t maxTime,
                                      OTF_KeyValueList *list);
/* OTF_DEFCOUNTERASSIGNMENTS_RECORD */
typedef int(OTF_Handler_DefCounterAssignments)(void *userData, uint32_t stream, uint32_t counter,
                                               uint32_t number_of_members, const uint32_t *procs_or_groups,
                                               OTF_KeyValueList *list);
/* OTF_DEFAUXSAMPLEPOINT_RECORD */
typedef int(OTF_Handler_DefAuxSamplePoint)(void *userData, uint32_t stream, uint64_t time,
                                           OTF_AuxSamplePointType type, OTF_KeyValueList *list);
/* OTF_NOOP_RECORD */
typedef int(OTF_Handler_NoOp)(void *userData, uint64_t time, uint32_t process, OTF_KeyValueList *list);
/* OTF_ENTER_RECORD */
typedef int(OTF_Handler_Enter)(void *userData, uint64_t time, uint32_t function, uint32_t process,
                               uint32_t source, OTF_KeyValueList *list);
/* OTF_LEAVE_RECORD */
typedef int(OTF_Handler_Leave)(void *userData, uint64_t time, uint32_t function, uint32_t process,
                               uint32_t source, OTF_KeyValueList *list);
/* OTF_SEND_RECORD */
typedef int(OTF_Handler_SendMsg)(void *userData, uint64_t time, uint32_t sender, uint32_t receiver,
                                 uint32_t group, uint32_t type, uint32_t length, uint32_t source,
                                 OTF_KeyValueList *list);
/* OTF_RECEIVE_RECORD */
typedef int(OTF_Handler_RecvMsg)(void *userData, uint64_t time, uint32_t recvProc, uint32_t sendProc,
                                 uint32_t group, uint32_t type, uint32_t length, uint32_t source,
                                 OTF_KeyValueList *list);
/* OTF_COUNTER_RECORD */
typedef int(OTF_Handler_Counter)(void *userData, uint64_t time, uint32_t process, uint32_t counter,
                                 uint64_t value, OTF_KeyValueList *list);
/* OTF_COLLOP_RECORD */
typedef int(OTF_Handler_CollectiveOperation)(void *userData, uint64_t time, uint32_t process,
                                             uint32_t collective, uint32_t procGroup, uint32_t rootProc,
                                             uint32_t sent, uint32_t received, uint64_t duration,
                                             uint32_t source, OTF_KeyValueList *list);
/* OTF_BEGINCOLLOP_RECORD */
typedef int(OTF_Handler_BeginCollectiveOperation)(void *userData, uint64_t time, uint32_t process,
                                                  uint32_t collOp, uint64_t matchingId, uint32_t procGroup,
                                                  uint32_t rootProc, uint64_t sent, uint64_t received,
                                                  uint32_t scltoken, OTF_KeyValueList *list);
/* OTF_ENDCOLLOP_RECORD */
typedef int(OTF_Handler_EndCollectiveOperation)(void *userData, uint64_t time, uint32_t process,
                                                uint64_t matchingId, OTF_KeyValueList *list);
/* OTF_EVENTCOMMENT_RECORD */
typedef int(OTF_Handler_EventComment)(void *userData, uint64_t time, uint32_t process, const char *comment,
                                      OTF_KeyValueList *list);
/* OTF_BEGINPROCESS_RECORD */
typedef int(OTF_Handler_BeginProcess)(void *userData, uint64_t time, uint32_t process, OTF_KeyValueList *list);
/* OTF_ENDPROCESS_RECORD */
typedef int(OTF_Handler_EndProcess)(void *userData, uint64_t time, uint32_t process, OTF_KeyValueList *list);
/* OTF_FILEOPERATION_RECORD */
typedef int(OTF_Handler_FileOperation)(void *userData, uint64_t time, uint32_t fileid, uint32_t process,
                                       uint64_t handleid, uint32_t operation, uint64_t bytes, uint64_t duration,
                                       uint32_t source, OTF_KeyValueList *list);
/* OTF_BEGINFILEOP_RECORD */
typedef int(OTF_Handler_BeginFileOperation)(void *userData, uint64_t time, uint32_t process,
                                            uint64_t matchingId, uint32_t scltoken, OTF_KeyValueList *list);
/* OTF_ENDFILEOP_RECORD */
typedef int(OTF_Handler_EndFileOperation)(void *userData, uint64_t time, uint32_t process, uint32_t fileid,
                                          uint64_t matchingId, uint64_t handleId, uint32_t operation,
                                          uint64_t bytes, uint32_t scltoken, OTF_KeyValueList *list);
/* OTF_RMAPUT_RECORD */
typedef int(OTF_Handler_RMAPut)(void *userData, uint64_t time, uint32_t process, uint32_t origin,
                                uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                uint32_t source, OTF_KeyValueList *list);
/* OTF_RMAPUTRE_RECORD */
typedef int(OTF_Handler_RMAPutRemoteEnd)(void *userData, uint64_t time, uint32_t process, uint32_t origin,
                                         uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                         uint32_t source, OTF_KeyValueList *list);
/* OTF_RMAGET_RECORD */
typedef int(OTF_Handler_RMAGet)(void *userData, uint64_t time, uint32_t process, uint32_t origin,
                                uint32_t target, uint32_t communicator, uint32_t tag, uint64_t bytes,
                                uint32_t source, OTF_KeyValueList *list);
/* OTF_RMAEND_RECORD */
typedef int(OTF_Handler_RMAEnd)(void *userData, uint64_t time, uint32_t process, uint32_t remote,
                                uint32_t communicator, uint32_t tag, uint32_t source, OTF_KeyValueList *list);
/* OTF_SNAPSHOTCOMMENT_RECORD */
typedef int(OTF_Handler_SnapshotComment)(void *userData, uint64_t time, uint32_t process, const char *comment,
                                         OTF_KeyValueList *list);
/* OTF_ENTERSNAPSHOT_RECORD */
typedef int(OTF_Handler_EnterSnapshot)(void *userData, uint64_t time, uint64_t originaltime, uint32_t function,
                                       uint32_t process, uint32_t source, OTF_KeyValueList *list);
/* OTF_SENDSNAPSHOT_RECORD */
typedef int(OTF_Handler_SendSnapshot)(void *userData, uint64_t time, uint64_t originaltime, uint32_t sender,
                                      uint32_t receiver, uint32_t procGroup, uint32_t tag, uint32_t length,
                                      uint32_t source, OTF_KeyValueList *list);
/* OTF_OPENFILESNAPSHOT_RECORD */
typedef int(OTF_Handler_OpenFileSnapshot)(void *userData, uint64_t time, uint64_t originaltime, uint32_t fileid,
                                          uint32_t process, uint64_t handleid, uint32_t source,
                                          OTF_KeyValueList *list);
/* OTF_BEGINCOLLOPSNAPSHOT_RECORD */
typedef int(OTF_Handler_BeginCollopSnapshot)(void *userData, uint64_t time, uint64_t originaltime,
                                             uint32_t process, uint32_t collOp, uint64_t matchingId,
                                             uint32_t procGroup, uint32_t rootProc, uint64_t sent,
                                             uint64_t received, uint32_t scltoken, OTF_KeyValueList *list);
/* OTF_BEGINFILEOPSNAPSHOT_RECORD */
typedef int(OTF_Handler_BeginFileOpSnapshot)(void *userData, uint64_t time, uint64_t originaltime,
                                             uint32_t process, uint64_t matchingId, uint32_t scltoken,
                                             OTF_KeyValueList *list);
/* OTF_COLLOPCOUNTSNAPSHOT_RECORD */
typedef int(OTF_Handler_CollopCountSnapshot)(void *userData, uint64_t time, uint32_t process,
                                             uint32_t communicator, uint64_t count, OTF_KeyValueList *list);
/* OTF_COUNTERSNAPSHOT_RECORD */
typedef int(OTF_Handler_CounterSnapshot)(void *userData, uint64_t time, uint64_t originaltime, uint32_t process,
                                         uint32_t counter, uint64_t value, OTF_KeyValueList *list);
/* OTF_SUMMARYCOMMENT_RECORD */
typedef int(OTF_Handler_SummaryComment)(void *userData, uint64_t time, uint32_t process, const char *comment,
                                        OTF_KeyValueList *list);
/* OTF_FUNCTIONSUMMARY_RECORD */
typedef int(OTF_Handler_FunctionSummary)(void *userData, uint64_t time, uint32_t function, uint32_t process,
                                         uint64_t invocations, uint64_t exclTime, uint64_t inclTime,
                                         OTF_KeyValueList *list);
/* OTF_FUNCTIONGROUPSUMMARY_RECORD */
typedef int(OTF_Handler_FunctionGroupSummary)(void *userData, uint64_t time, uint32_t funcGroup,
                                              uint32_t process, uint64_t invocations, uint64_t exclTime,
                                              uint64_t inclTime, OTF_KeyValueList *list);
/* OTF_MESSAGESUMMARY_RECORD */
typedef int(OTF_Handler_MessageSummary)(void *userData, uint64_t time, uint32_t process, uint32_t peer,
                                        uint32_t comm, uint32_t type, uint64_t sentNumber,
                                        uint64_t receivedNumber, uint64_t sentBytes, uint64_t receivedBytes,
                                        OTF_KeyValueList *list);
/* OTF_COLLOPSUMMARY_RECORD */
typedef int(OTF_Handler_CollopSummary)(void *userData, uint64_t time, uint32_t process, uint32_t comm,
                                       uint32_t collective, uint64_t sentNumber, uint64_t receivedNumber,
                                       uint64_t sentBytes, uint64_t receivedBytes, OTF_KeyValueList *list);
/* OTF_FILEOPERATIONSUMMARY_RECORD */
typedef int(OTF_Handler_FileOperationSummary)(void *userData, uint64_t time, uint32_t fileid, uint32_t process,
                                              uint64_t nopen, uint64_t nclose, uint64_t nread, uint64_t nwrite,
                                              uint64_t nseek, uint64_t bytesread, uint64_t byteswrite,
                                              OTF_KeyValueList *list);
/* OTF_FILEGROUPOPERATIONSUMMARY_RECORD */
typedef int(OTF_Handler_FileGroupOperationSummary)(void *userData, uint64_t time, uint32_t groupid,
                                                   uint32_t process, uint64_t nopen, uint64_t nclose,
                                                   uint64_t nread, uint64_t nwrite, uint64_t nseek,
                                                   uint64_t bytesread, uint64_t byteswrite,
                                                   OTF_KeyValueList *list);
/* OTF_DEFMARKER_RECORD */
typedef int(OTF_Handler_DefMarker)(void *userData, uint32_t stream, uint32_t token, const char *name,
                                   uint32_t type, OTF_KeyValueList *list);
/* OTF_MARKER_RECORD */
typedef int(OTF_Handler_Marker)(void *userData, uint64_t time, uint32_t process, uint32_t token,
                                const char *text, OTF_KeyValueList *list);
/* OTF_UNKNOWN_RECORD */
typedef int(OTF_Handler_UnknownRecord)(void *userData, uint64_t time, uint32_t process, const char *record);

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Frees the array. Returns 1; 0 and error for NULL. */
int OTF_HandlerArray_close(OTF_HandlerArray *handlers);

/* Sets all copy handlers and their userData to the writer (ids 3,4,6-9,23,27,33,41,64 stay unset). Returns 1.
 */
int OTF_HandlerArray_getCopyHandler(OTF_HandlerArray *handlers, OTF_Writer *writer);

/* Sets all stream copy handlers and their userData to the stream (ids 3,4,6-9,27,33,41 stay unset). Returns 1.
 */
int OTF_HandlerArray_getCopyHandler_stream(OTF_HandlerArray *handlers, OTF_WStream *writer);

/* New array of 68 handlers, all NULL. Returns the array; NULL without memory. */
OTF_HandlerArray *OTF_HandlerArray_open(void);

/* Sets the userData pointer for a record type id. Returns 1; 0 and error for an id of 68 or more. */
int OTF_HandlerArray_setFirstHandlerArg(OTF_HandlerArray *handlers, void *firsthandlerarg, uint32_t recordtype);

/* Sets the function for a record type id (NULL: the records are skipped unparsed). Returns 1; 0 and error for
 * an id of 68 or more. */
int OTF_HandlerArray_setHandler(OTF_HandlerArray *handlers, OTF_FunctionPointer *pointer, uint32_t recordtype);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_HANDLERARRAY_H */
