/* OTFAUX_MsgMatching.h: which receive belongs to which send. A matcher is an OTFAUX_State under another name: a first pass
 * over the events of a trace gives it all receives, a second takes them at the sends. */
#ifndef OTFAUX_MSGMATCHING_H
#define OTFAUX_MSGMATCHING_H

#include "otf.h"

#include "OTFAUX_State.h"

/* Key-values that tools attach to sends: what the matching receive says. */
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_TIME_NAME "TUD::p2p-received-time"
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_TIME_TYPE OTF_UINT64
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_SIZE_NAME "TUD::p2p-received-size"
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_SIZE_TYPE OTF_UINT32
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_SCL_NAME "TUD::p2p-received-scl"
#define OTFAUX_KEYVALUE_TUD_P2P_RECEIVED_SCL_TYPE OTF_UINT32

typedef OTFAUX_State OTFAUX_MsgMatching_Context;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* A new empty matcher; NULL when memory is out. */
OTFAUX_MsgMatching_Context *OTFAUX_MsgMatching_create(void);

/* Frees the matcher. */
void OTFAUX_MsgMatching_destroy(OTFAUX_MsgMatching_Context *mm_context);

/* Does nothing: what is taken is reused. */
void OTFAUX_MsgMatching_releaseMemory(OTFAUX_MsgMatching_Context *mm_context);

/* Keeps a receive: first in, first out for each sender, receiver, tag, communicator. */
void OTFAUX_MsgMatching_enqueueRecv(OTFAUX_MsgMatching_Context *mm_context, uint64_t sender, uint64_t receiver,
                                    uint32_t tag, uint32_t comm, uint64_t time, uint32_t size, uint32_t scl);

/* Takes the oldest receive that matches. Returns 1, or 0 when there is none; outputs are set with 1. */
int OTFAUX_MsgMatching_matchSend(OTFAUX_MsgMatching_Context *mm_context, uint64_t sender, uint64_t receiver,
                                 uint32_t tag, uint32_t comm, uint64_t *ptime, uint32_t *psize, uint32_t *pscl);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTFAUX_MSGMATCHING_H */
