/* session.c: opening and closing communication, errors, and what a program asks about itself. */
#include "library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct picl_session picl_session = {.topology = 2, .direction = 1};

void picl_start(void) {
    struct picl_session *session = &picl_session;
    if (session->transport)
        return;
    session->transport = picl_load_transport();
    if (!session->transport) {
        fputs("picl: no MPI can be loaded; link the program with mpicc, or start it with mpiexec\n", stderr);
        exit(1);
    }
    if (!session->transport->start(&session->nodes, &session->me, &session->largest_type)) {
        fputs("picl: MPI cannot be started; a program opens communication once\n", stderr);
        exit(1);
    }
}

_Noreturn void picl_fail(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("picl: node %d: %s\n", picl_session.me, text);
    fflush(stdout);
    picl_message(text);
    picl_save_trace();
    if (picl_session.transport)
        picl_session.transport->abort();
    exit(1);
}

void picl_check_buffer(const char *call, const void *data, int bytes) {
    if (!picl_session.is_open)
        picl_start(), picl_fail("%s: call open0 first", call);
    if (!picl_session.is_unchecked && (bytes < 0 || (!data && bytes > 0)))
        picl_fail("%s: a buffer of %d bytes", call, bytes);
}

void picl_check_type(const char *call, int type) {
    const struct picl_session *session = &picl_session;
    if (!session->is_unchecked && (type < 0 || type > session->largest_type))
        picl_fail("%s: type %d, expected 0 to %d", call, type, session->largest_type);
}

void picl_check_node(const char *call, int node) {
    const struct picl_session *session = &picl_session;
    if (!session->is_unchecked && (node < 0 || node >= session->nodes))
        picl_fail("%s: node %d, expected 0 to %d", call, node, session->nodes - 1);
}

static void tell(int *nproc, int *me, int *host) {
    if (nproc)
        *nproc = picl_session.nodes;
    if (me)
        *me = picl_session.me;
    if (host)
        *host = PICL_HOST;
}

void open0(int *nproc, int *me, int *host) {
    const uint64_t now = picl_now();
    picl_start();
    picl_session.is_open = true;
    picl_entry(EVENT_OPEN, now, PICL_NO_DATA, -1);
    tell(nproc, me, host);
    picl_exit(EVENT_OPEN, picl_now(), PICL_NO_DATA, -1);
}

void close0(void) {
    if (!picl_session.transport)
        return;
    picl_mark(EVENT_CLOSE, picl_now(), PICL_NO_DATA);
    traceexit();
    picl_finish_trace();
    picl_session.transport->stop();
    picl_session.is_open = false;
    picl_session.transport = NULL;
}

void who0(int *nproc, int *me, int *host) {
    const uint64_t now = picl_now();
    picl_start();
    tell(nproc, me, host);
    picl_count(EVENT_WHO, now, picl_now());
}

int host0(void) {
    return 0;
}

void check0(int on) {
    picl_session.is_unchecked = !on;
}

void message0(char *text) {
    const int64_t time = picl_microseconds(picl_now());
    printf("message0: node %d, %.6f s: %.79s\n", picl_session.me, (double)time * 1e-6, text ? text : "");
    fflush(stdout);
}

void setarc0(int *nproc, int *top, int *ord, int *dir) {
    picl_start();
    if (*nproc != picl_session.nodes)
        picl_fail("setarc0: %d nodes, expected all %d", *nproc, picl_session.nodes);
    if (*top < 1 || *top > 4 || *ord < 0 || *ord > 1 || (*dir != 1 && *dir != -1))
        picl_fail("setarc0: topology %d, order %d, direction %d", *top, *ord, *dir);
    picl_session.topology = *top;
    picl_session.order = *ord;
    picl_session.direction = *dir;
}

void getarc0(int *nproc, int *top, int *ord, int *dir) {
    picl_start();
    *nproc = picl_session.nodes;
    *top = picl_session.topology;
    *ord = picl_session.order;
    *dir = picl_session.direction;
}
