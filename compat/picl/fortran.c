/* fortran.c: the calls from Fortran: arguments by reference, names with an underscore, and with an f before it. Texts have a length
 * behind the last argument and blanks at their end. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

/* A call in both spellings. */
#define BOTH(name, parameters, call)                                                                           \
    void name##_ parameters;                                                                                   \
    void name##f_ parameters;                                                                                  \
    void name##_ parameters {                                                                                  \
        call;                                                                                                  \
    }                                                                                                          \
    void name##f_ parameters {                                                                                 \
        call;                                                                                                  \
    }
#define FUNCTION(type, name, parameters, call)                                                                 \
    type name##_ parameters;                                                                                   \
    type name##f_ parameters;                                                                                  \
    type name##_ parameters {                                                                                  \
        return call;                                                                                           \
    }                                                                                                          \
    type name##f_ parameters {                                                                                 \
        return call;                                                                                           \
    }

/* A text without the blanks at its end; in one of two places, so that a call can have two. */
static char *text_of(const char *text, size_t len, int which) {
    static char copies[2][4096];
    while (len > 0 && text[len - 1] == ' ')
        len--;
    len = len < sizeof copies[0] ? len : sizeof copies[0] - 1;
    memcpy(copies[which], text, len);
    copies[which][len] = '\0';
    return copies[which];
}

BOTH(open0, (int *nproc, int *me, int *host), open0(nproc, me, host))
BOTH(close0, (void), close0())
BOTH(who0, (int *nproc, int *me, int *host), who0(nproc, me, host))
BOTH(send0, (void *buf, int *bytes, int *type, int *node), send0(buf, *bytes, *type, *node))
BOTH(recv0, (void *buf, int *bytes, int *type), recv0(buf, *bytes, *type))
BOTH(wait0, (int *type), wait0(*type))
BOTH(recvinfo0, (int *bytes, int *type, int *node), recvinfo0(bytes, type, node))
BOTH(sendbegin0, (void *buf, int *bytes, int *type, int *node), sendbegin0(buf, *bytes, *type, *node))
BOTH(sendend0, (int *type), sendend0(*type))
BOTH(recvbegin0, (void *buf, int *bytes, int *type), recvbegin0(buf, *bytes, *type))
BOTH(recvend0, (int *type), recvend0(*type))
BOTH(sync0, (void), sync0())
BOTH(barrier0, (void), barrier0())
BOTH(clocksync0, (void), clocksync0())
BOTH(check0, (int *on), check0(*on))
BOTH(message0, (char *text, size_t len), message0(text_of(text, len, 0)))
BOTH(setarc0, (int *nproc, int *top, int *ord, int *dir), setarc0(nproc, top, ord, dir))
BOTH(getarc0, (int *nproc, int *top, int *ord, int *dir), getarc0(nproc, top, ord, dir))
BOTH(bcast0, (void *buf, int *bytes, int *type, int *root), bcast0(buf, *bytes, *type, *root))
BOTH(bcast1, (void *buf, int *bytes, int *type, int *root), bcast1(buf, *bytes, *type, *root))
BOTH(gather0, (float *vec, int *n, int *type, int *root), gather0(vec, *n, *type, *root))

/* A subroutine that combines takes its numbers by reference too. */
static void (*subroutine)(void *, void *, int *, int *);

static void call_subroutine(void *into, void *from, int items, int datatype) {
    subroutine(into, from, &items, &datatype);
}

BOTH(gcomb0,
     (void *buf, int *items, int *datatype, int *type, int *root, void (*comb)(void *, void *, int *, int *)),
     subroutine = comb;
     gcomb0(buf, *items, *datatype, *type, *root, call_subroutine))
#define REDUCTION(name)                                                                                        \
    BOTH(name, (void *buf, int *items, int *datatype, int *type, int *root),                                   \
         name(buf, *items, *datatype, *type, *root))
REDUCTION(gsum0)
REDUCTION(gprod0)
REDUCTION(gmax0)
REDUCTION(gmin0)
REDUCTION(gand0)
REDUCTION(gor0)
REDUCTION(gxor0)
FUNCTION(int, probe0, (int *type), probe0(*type))
FUNCTION(int, sendstatus0, (int *type), sendstatus0(*type))
FUNCTION(int, recvstatus0, (int *type), recvstatus0(*type))
FUNCTION(int, host0, (void), host0())
FUNCTION(int, gray0, (int *i), gray0(*i))
FUNCTION(int, ginv0, (int *code), ginv0(*code))
FUNCTION(int, neighbor0, (int *i, int *node), neighbor0(*i, *node))
FUNCTION(int, antipode0, (int *root), antipode0(*root))
FUNCTION(int, datasize0, (int *datatype), datasize0(*datatype))
FUNCTION(double, clock0, (void), clock0())

BOTH(tracenode, (int *bytes, int *flush, int *sync), tracenode(*bytes, *flush, *sync))
BOTH(tracehost, (int *bytes, int *flush, int *sync), tracehost(*bytes, *flush, *sync))
BOTH(traceexit, (void), traceexit())
BOTH(tracelevel, (int *picl, int *user, int *trace), tracelevel(*picl, *user, *trace))
BOTH(traceinfo, (int *remaining, int *picl, int *user, int *trace), traceinfo(remaining, picl, user, trace))
BOTH(traceevents, (int *nevents, int *times, int *counts, int *volumes, int *user_times, int *user_counts),
     traceevents(*nevents, *times, *counts, *volumes, *user_times, *user_counts))
BOTH(tracefiles, (char *temp, char *perm, int *verbose, size_t temp_len, size_t perm_len),
     tracefiles(text_of(temp, temp_len, 0), text_of(perm, perm_len, 1), *verbose))
BOTH(traceflush, (void), traceflush())
BOTH(tracemark, (int *event), tracemark(*event))
BOTH(tracemarks, (int *array, int *size), tracemarks(array, *size))
BOTH(tracedata, (int *event, int *recordtype, char *type, int *count, void *data, size_t len),
     tracedata(*event, *recordtype, text_of(type, len, 0), *count, data))
BOTH(tracemsg, (char *text, size_t len), tracemsg(text_of(text, len, 0)))
BOTH(traceblockbegin, (int *event, int *location, int *parameter),
     traceblockbegin(*event, *location, *parameter))
BOTH(traceblockend, (int *event, int *location, int *parameter), traceblockend(*event, *location, *parameter))
BOTH(traceblock, (int *on), traceblock(*on))
