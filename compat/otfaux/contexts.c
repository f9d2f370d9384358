/* contexts.c: message matchers and thumbnail contexts: states under other names, and with fewer arguments. */
#include "process_state.h"

#include <stdarg.h>

/* ---- Message matching ---- */

OTFAUX_MsgMatching_Context *OTFAUX_MsgMatching_create(void) {
    return OTFAUX_State_create();
}

void OTFAUX_MsgMatching_destroy(OTFAUX_MsgMatching_Context *mm_context) {
    OTFAUX_State_destroy(mm_context);
}

void OTFAUX_MsgMatching_releaseMemory(OTFAUX_MsgMatching_Context *mm_context) {
    (void)mm_context;
}

void OTFAUX_MsgMatching_enqueueRecv(OTFAUX_MsgMatching_Context *mm_context, uint64_t sender, uint64_t receiver,
                                    uint32_t tag, uint32_t comm, uint64_t time, uint32_t size, uint32_t scl) {
    OTFAUX_State_enqueueRecvMsg(mm_context, time, receiver, sender, comm, tag, size, scl);
}

int OTFAUX_MsgMatching_matchSend(OTFAUX_MsgMatching_Context *mm_context, uint64_t sender, uint64_t receiver,
                                 uint32_t tag, uint32_t comm, uint64_t *ptime, uint32_t *psize,
                                 uint32_t *pscl) {
    return OTFAUX_State_processSendMsg(mm_context, 0, sender, receiver, comm, tag, 0, 0, ptime, psize, pscl,
                                       NULL) == 1;
}

/* ---- Thumbnails ---- */

OTFAUX_Thumbnail_Context *OTFAUX_Thumbnail_create(uint64_t minTime, uint64_t maxTime, uint32_t width) {
    OTFAUX_State *state = OTFAUX_State_create();
    if (OTFAUX_State_setupThumbnail(state, minTime, maxTime, width))
        return state;
    OTFAUX_State_destroy(state);
    return NULL;
}

void OTFAUX_Thumbnail_destroy(OTFAUX_Thumbnail_Context *tn_context) {
    OTFAUX_State_destroy(tn_context);
}

int OTFAUX_Thumbnail_declareProcess(OTFAUX_Thumbnail_Context *tn_context, uint64_t process) {
    return OTFAUX_State_declareProcess(tn_context, process, 1);
}

int OTFAUX_Thumbnail_handleEnter(OTFAUX_Thumbnail_Context *tn_context, uint64_t timestamp, uint64_t process,
                                 uint32_t function) {
    return OTFAUX_State_processEnter(tn_context, timestamp, process, function, 0, NULL);
}

int OTFAUX_Thumbnail_handleLeave(OTFAUX_Thumbnail_Context *tn_context, uint64_t timestamp, uint64_t process) {
    return OTFAUX_State_processLeave(tn_context, timestamp, process, 0);
}

int OTFAUX_Thumbnail_finalize(OTFAUX_Thumbnail_Context *tn_context) {
    (void)tn_context;
    return 1;
}

int OTFAUX_Thumbnail_write(const OTFAUX_Thumbnail_Context *tn_context, const char *namestub, int create, ...) {
    va_list arguments;
    va_start(arguments, create);
    const uint32_t process_count = create ? va_arg(arguments, uint32_t) : 0;
    va_end(arguments);
    return aux_write_thumbnail(tn_context, namestub, create ? &process_count : NULL);
}
