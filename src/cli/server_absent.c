/* server_absent.c: server.h without civetweb. */
#include "server.h"

#include <stdio.h>

enum quipu_status server_start(const struct server_options *options, struct server **out,
                               struct quipu_error *err) {
    (void)options;
    *out = NULL;
    err->status = QUIPU_UNSUPPORTED;
    snprintf(err->message, sizeof err->message,
             "quipu was built without civetweb: install libcivetweb-dev and build it again");
    return QUIPU_UNSUPPORTED;
}

void server_stop(struct server *server) {
    (void)server;
}

uint16_t server_port(const struct server *server) {
    (void)server;
    return 0;
}

const char *server_address(const struct server *server) {
    (void)server;
    return "";
}

double server_idle(struct server *server) {
    (void)server;
    return 0;
}
