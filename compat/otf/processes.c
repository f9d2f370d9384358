/* processes.c: the table of processes and their status. */
#include "processes.h"

#include <stdlib.h>
#include <string.h>

int OTF_ProcessList_init(OTF_ProcessList *list, OTF_MasterControl *mc) {
    const uint32_t n = OTF_MasterControl_getrCount(mc);
    *list = (OTF_ProcessList){0};
    if (n == 0)
        return 0;
    list->processes = malloc(n * sizeof *list->processes);
    list->statuses = malloc(n * sizeof *list->statuses);
    if (!list->processes || !list->statuses) {
        OTF_ProcessList_finalize(list);
        return 0;
    }
    list->n = n;
    for (uint32_t i = 0; i < n; i++)
        list->processes[i] = OTF_MasterControl_getREntryByIndex(mc, i)->argument;
    return OTF_ProcessList_setStatusAll(list, 1);
}

void OTF_ProcessList_finalize(OTF_ProcessList *list) {
    free(list->processes);
    free(list->statuses);
    *list = (OTF_ProcessList){0};
}

uint32_t OTF_ProcessList_getIndex(OTF_ProcessList *list, uint32_t pid) {
    uint32_t low = 0, high = list->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list->processes[middle] < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->n && list->processes[low] == pid ? low : UINT32_MAX;
}

uint8_t OTF_ProcessList_getStatus(OTF_ProcessList *list, uint32_t pid) {
    const uint32_t index = OTF_ProcessList_getIndex(list, pid);
    return index == UINT32_MAX ? 0 : list->statuses[index];
}

int OTF_ProcessList_setStatus(OTF_ProcessList *list, uint32_t pid, uint8_t status) {
    const uint32_t index = OTF_ProcessList_getIndex(list, pid);
    if (index == UINT32_MAX)
        return 0;
    list->statuses[index] = status;
    return 1;
}

int OTF_ProcessList_setStatusAll(OTF_ProcessList *list, uint8_t status) {
    if (list->n > 0)
        memset(list->statuses, status, list->n);
    return 1;
}
