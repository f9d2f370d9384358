/* server.h: a server of pages for one person, on a machine where others have accounts too.
 *
 * It listens on the loopback interface only. Whoever opens the address that server_address gives, whose token serves once, gets a cookie; everything
 * else needs that cookie. Names of hosts and origins other than its own, other methods than GET and HEAD, bodies and unknown paths are refused.
 * Nothing can be changed or listed, and no file of the system is served.
 */
#ifndef QUIPU_CLI_SERVER_H
#define QUIPU_CLI_SERVER_H

#include <quipu/quipu.h>

struct server;

/* What a path gives: a status of HTTP, and a body that the server frees. */
struct reply {
    int status; /* 200, 404 ... */
    const char *type;
    char *body;
    size_t size;
};

struct server_options {
    uint16_t port; /* 0: any */

    /* Called by several threads at a time, for requests that are let in. path has no leading slash; query may be "". */
    void (*answer)(void *context, const char *path, const char *query, struct reply *reply);
    void *context;
};

/* Starts to serve. QUIPU_UNSUPPORTED when the command was built without civetweb; QUIPU_IO when the port is taken. */
enum quipu_status server_start(const struct server_options *options, struct server **out,
                               struct quipu_error *err);

/* Ends it, when requests at hand have been answered. */
void server_stop(struct server *server);

uint16_t server_port(const struct server *server);

/* The address with the token. It is secret until it has been opened: it must not get into the arguments of a process. */
const char *server_address(const struct server *server);

/* Seconds since the last request that was let in. */
double server_idle(struct server *server);

#endif
