/* library.h: what the callbacks for libotf2 share. Each puts a record into a sink: a struct of records.def by the order of its fields, which is
 * the order of libotf2's parameters but for lists and values. CALLBACK_n(name of libotf2, record, C types of n parameters) are the rows of
 * callbacks.c; they expand twice, into functions and into what registers them. */
#ifndef QUIPU_OTF2_LIBRARY_H
#define QUIPU_OTF2_LIBRARY_H

#include "formats/otf2/format.h"

#include <otf2/otf2.h>

static inline OTF2_CallbackCode quipu__otf2_put(struct quipu__otf2_sink *sink, enum quipu__otf2_type type) {
    sink->type = type;
    return sink->add(sink) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* What calls the functions of callbacks.c, by libotf2's own types; NULL when memory is out. */
OTF2_EvtReaderCallbacks *quipu__otf2_event_callbacks(void);
OTF2_GlobalDefReaderCallbacks *quipu__otf2_global_callbacks(void);
OTF2_DefReaderCallbacks *quipu__otf2_local_callbacks(void);
OTF2_MarkerReaderCallbacks *quipu__otf2_marker_callbacks(void);

#define P0()
#define P1(A) , A a
#define P2(A, B) P1(A), B b
#define P3(A, B, C) P2(A, B), C c
#define P4(A, B, C, D) P3(A, B, C), D d
#define P5(A, B, C, D, E) P4(A, B, C, D), E e
#define P6(A, B, C, D, E, F) P5(A, B, C, D, E), F f
#define P7(A, B, C, D, E, F, G) P6(A, B, C, D, E, F), G g
#define P10(A, B, C, D, E, F, G, H, I, J) P7(A, B, C, D, E, F, G), H h, I i, J j
#define V0
#define V1 , a
#define V2 V1, b
#define V3 V2, c
#define V4 V3, d
#define V5 V4, e
#define V6 V5, f
#define V7 V6, g
#define V10 V7, h, i, j

#endif
