/* processes.h: which processes of a trace are wanted: a table sorted by process, each with a status, 0 for off.
 */
#ifndef COMPAT_OTF_PROCESSES_H
#define COMPAT_OTF_PROCESSES_H

#include "internal.h"

typedef struct struct_OTF_ProcessList {
    uint32_t n;
    uint32_t *processes; /* ascending */
    uint8_t *statuses;
} OTF_ProcessList;

#pragma GCC visibility push(default)

/* Makes the table from a map, all on: 1; 0 for an empty map or without memory. */
int OTF_ProcessList_init(OTF_ProcessList *list, OTF_MasterControl *mc);
void OTF_ProcessList_finalize(OTF_ProcessList *list);

/* Place of a process, 2^32-1 when it is not in the table. */
uint32_t OTF_ProcessList_getIndex(OTF_ProcessList *list, uint32_t pid);

/* Status of a process, 0 when it is not in the table. */
uint8_t OTF_ProcessList_getStatus(OTF_ProcessList *list, uint32_t pid);

/* 1; 0 when the process is not in the table. */
int OTF_ProcessList_setStatus(OTF_ProcessList *list, uint32_t pid, uint8_t status);
int OTF_ProcessList_setStatusAll(OTF_ProcessList *list, uint8_t status);

#pragma GCC visibility pop

#endif
