/* OTF_MasterControl.h: which stream holds which processes: the content of the master file, as two sorted
 * tables. */
#ifndef OTF_MASTERCONTROL_H
#define OTF_MASTERCONTROL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "OTF_File.h"
#include "OTF_Filenames.h"
#include "OTF_RBuffer.h"
#include "OTF_WBuffer.h"
#include "OTF_inttypes.h"

/* A stream and its processes, ascending. */
struct struct_OTF_MapEntry {
    uint32_t argument; /* stream */
    uint32_t n;        /* processes */
    uint32_t s;        /* room for processes */
    uint32_t *values;  /* processes */
};
typedef struct struct_OTF_MapEntry OTF_MapEntry;

/* A process and its stream. */
struct struct_OTF_Pair {
    uint32_t argument; /* process */
    uint32_t value;    /* stream */
};
typedef struct struct_OTF_Pair OTF_Pair;

struct struct_OTF_MasterControl {
    uint32_t n; /* streams */
    uint32_t s; /* room for streams */
    OTF_MapEntry *map;
    uint32_t rn; /* processes */
    uint32_t rs; /* room for processes */
    OTF_Pair *rmap;
    OTF_FileManager *manager;
};
typedef struct struct_OTF_MasterControl OTF_MasterControl;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Maps process value to stream argument. Returns 1; 0 and error for stream 0 or ffffffff, or a process mapped
 * already. */
int OTF_MasterControl_append(OTF_MasterControl *mc, uint32_t argument, uint32_t value);

/* Appends l processes. Returns 1 when all succeeded, else 0. */
int OTF_MasterControl_appendList(OTF_MasterControl *mc, uint32_t argument, uint32_t l, uint32_t *values);

/* Consistency of both tables. Returns 1 consistent, 0 not. */
int OTF_MasterControl_check(OTF_MasterControl *mc);

/* Copies of the map with another manager. Returns the copy; NULL on failure. */
OTF_MasterControl *OTF_MasterControl_clone(OTF_MasterControl *mc, OTF_FileManager *manager);

/* Frees the map. */
void OTF_MasterControl_close(OTF_MasterControl *mc);

/* Frees the contents, keep the object usable (same as reset). */
void OTF_MasterControl_finish(OTF_MasterControl *mc);

/* Number of streams. Returns the count. */
uint32_t OTF_MasterControl_getCount(OTF_MasterControl *mc);

/* Entry of a stream. Returns pointer into the map, NULL when absent. */
OTF_MapEntry *OTF_MasterControl_getEntry(OTF_MasterControl *mc, uint32_t argument);

/* Entry number index, ascending stream ids. Returns pointer into the map, NULL when too large. */
OTF_MapEntry *OTF_MasterControl_getEntryByIndex(OTF_MasterControl *mc, uint32_t index);

/* Largest stream id + 1 (1 when empty; 1 after fffffffe). Returns the id. */
uint32_t OTF_MasterControl_getNewStreamId(OTF_MasterControl *mc);

/* Pair (process, stream) number index, ascending processes. Returns pointer, NULL when too large. */
OTF_Pair *OTF_MasterControl_getREntryByIndex(OTF_MasterControl *mc, uint32_t index);

/* Number of processes in a stream. Returns the count, 0 when the stream is absent. */
uint32_t OTF_MasterControl_getValueCount(OTF_MasterControl *mc, uint32_t argument);

/* Processes of a stream, ascending. Returns pointer into the map, NULL when absent. */
uint32_t *OTF_MasterControl_getValues(OTF_MasterControl *mc, uint32_t argument);

/* Number of processes. Returns the count. */
uint32_t OTF_MasterControl_getrCount(OTF_MasterControl *mc);

/* Stream of a process. Returns stream id, 0 when not mapped. */
uint32_t OTF_MasterControl_mapReverse(OTF_MasterControl *mc, uint32_t value);

/* Empties map. Returns the map; NULL and error for a NULL manager. */
OTF_MasterControl *OTF_MasterControl_new(OTF_FileManager *manager);

/* Debug print to stderr. */
void OTF_MasterControl_print(OTF_MasterControl *mc);

/* Reset, then read <namestub>.otf. Returns 1; 0 and error when it is absent or has a bad IOFSL line (an empty
 * map still gives 1). */
int OTF_MasterControl_read(OTF_MasterControl *mc, const char *namestub);

/* Writes <namestub>.otf (always uncompressed). Returns 1; 0 on failure. */
int OTF_MasterControl_write(OTF_MasterControl *mc, const char *namestub);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_MASTERCONTROL_H */
