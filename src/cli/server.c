/* server.c: see server.h. civetweb reads requests; what is let in, and every header of a reply, is decided here. */
#include "server.h"

#include "terminal.h"

#include <civetweb.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SECRET_BYTES = 16, SECRET_TEXT = 2 * SECRET_BYTES + 1 };

struct server {
    struct server_options options;
    struct mg_context *context;
    uint16_t port;
    pthread_mutex_t lock; /* of what follows */
    char token[SECRET_TEXT], cookie[SECRET_TEXT];
    bool is_token_used;
    double last;
    char address[128];
};

/* ---- Secrets ---- */

static bool make_secret(char *text) {
    uint8_t bytes[SECRET_BYTES];
    FILE *file = fopen("/dev/urandom", "rb");
    const bool has_read = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof bytes && has_read; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return has_read;
}

/* Takes the same time whatever differs. */
static bool is_secret(const char *given, size_t length, const char *secret) {
    unsigned difference = length != SECRET_TEXT - 1;
    for (size_t i = 0; i < SECRET_TEXT - 1; i++)
        difference |= (unsigned)(unsigned char)(i < length ? given[i] : 0) ^ (unsigned char)secret[i];
    return difference == 0;
}

/* ---- Replies ---- */

static const char *reason_of(int status) {
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"}, {400, "Bad Request"}, {403, "Forbidden"}, {404, "Not Found"}, {405, "Method Not Allowed"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Error";
}

static const char safety_headers[] = "Content-Security-Policy: default-src 'none'; script-src 'self'; "
                                     "style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                                     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                                     "X-Content-Type-Options: nosniff\r\n"
                                     "X-Frame-Options: DENY\r\n"
                                     "Referrer-Policy: no-referrer\r\n"
                                     "Cross-Origin-Resource-Policy: same-origin\r\n"
                                     "Cross-Origin-Opener-Policy: same-origin\r\n"
                                     "Cache-Control: no-store\r\n";

/* In one piece, since a second one would wait for the first to be confirmed. cookie: a header, or "". */
static int send_reply(struct mg_connection *connection, const struct reply *reply, const char *cookie) {
    const struct mg_request_info *request = mg_get_request_info(connection);
    const bool is_head = request->request_method && strcmp(request->request_method, "HEAD") == 0,
               stays_open = reply->status == 200;
    const size_t room = sizeof safety_headers + 512, size = is_head ? 0 : reply->size;
    char *text = malloc(room + size);
    if (!stays_open || !text)
        mg_disable_keep_alive(connection);
    if (!text)
        return 500;
    const int length = snprintf(
        text, room, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n%s%s\r\n",
        reply->status, reason_of(reply->status), reply->type, reply->size, stays_open ? "keep-alive" : "close",
        safety_headers, cookie);
    if (size > 0)
        memcpy(text + length, reply->body, size);
    mg_write(connection, text, (size_t)length + size);
    free(text);
    return reply->status;
}

static int refuse(struct mg_connection *connection, int status, const char *text) {
    char body[200];
    const int length = snprintf(body, sizeof body, "%s\n", text);
    const struct reply reply = {status, "text/plain; charset=utf-8", body, (size_t)length};
    return send_reply(connection, &reply, "");
}

/* ---- Who may come in ---- */

/* A header that comes once; "" when it is missing, NULL when it comes several times. */
static const char *header_of(const struct mg_request_info *request, const char *name) {
    const char *value = "";
    int count = 0;
    for (int i = 0; i < request->num_headers; i++) {
        if (strcasecmp(request->http_headers[i].name, name) != 0)
            continue;
        value = request->http_headers[i].value;
        count++;
    }
    return count < 2 ? value : NULL;
}

/* This server's name, as it is here and at the near end of a tunnel with the same port. */
static bool is_own_name(const struct server *server, const char *name) {
    char own[2][64];
    snprintf(own[0], sizeof own[0], "127.0.0.1:%" PRIu16, server->port);
    snprintf(own[1], sizeof own[1], "localhost:%" PRIu16, server->port);
    return strcmp(name, own[0]) == 0 || strcmp(name, own[1]) == 0;
}

static bool is_own_origin(const struct server *server, const char *origin) {
    static const char scheme[] = "http://";
    return origin[0] == '\0' ||
           (strncmp(origin, scheme, strlen(scheme)) == 0 && is_own_name(server, origin + strlen(scheme)));
}

/* What browsers say about the page that asks: another one may only lead to the page itself, where the cookie or the token counts. */
static bool is_own_page(const char *site, const char *path) {
    return site[0] == '\0' || strcmp(site, "same-origin") == 0 || path[0] == '\0';
}

/* NULL, or what is wrong with a request, whoever has sent it. */
static const char *fault_of(const struct server *server, const struct mg_request_info *request,
                            const char *path) {
    const char *host = header_of(request, "Host"), *origin = header_of(request, "Origin"),
               *site = header_of(request, "Sec-Fetch-Site");
    if (!host || !is_own_name(server, host))
        return "this server has another name";
    if (!origin || !is_own_origin(server, origin) || !site || !is_own_page(site, path))
        return "other pages may not ask";
    return NULL;
}

static bool has_body(const struct mg_request_info *request) {
    const char *length = header_of(request, "Content-Length"),
               *coding = header_of(request, "Transfer-Encoding");
    return !length || !coding || coding[0] != '\0' || (length[0] != '\0' && strcmp(length, "0") != 0);
}

static bool has_cookie(struct server *server, const struct mg_request_info *request) {
    const char *cookies = header_of(request, "Cookie");
    char name[32];
    const int length = snprintf(name, sizeof name, "quipu-%" PRIu16 "=", server->port);
    while (cookies && *cookies) {
        cookies += strspn(cookies, "; ");
        const size_t size = strcspn(cookies, ";");
        if (size > (size_t)length && strncmp(cookies, name, (size_t)length) == 0 && server->is_token_used &&
            is_secret(cookies + length, size - (size_t)length, server->cookie))
            return true;
        cookies += size;
    }
    return false;
}

/* Uses the token up when it is the right one. */
static bool use_token(struct server *server, const char *path, const char *query) {
    static const char name[] = "token=";
    if (path[0] != '\0' || strncmp(query, name, strlen(name)) != 0 || server->is_token_used ||
        !is_secret(query + strlen(name), strlen(query + strlen(name)), server->token))
        return false;
    server->is_token_used = true;
    return true;
}

enum entry { STAYS_OUT, HAS_COOKIE, HAS_TOKEN };

static enum entry entry_of(struct server *server, const struct mg_request_info *request, const char *path,
                           const char *query) {
    enum entry entry = STAYS_OUT;
    pthread_mutex_lock(&server->lock);
    if (has_cookie(server, request))
        entry = HAS_COOKIE;
    else if (use_token(server, path, query))
        entry = HAS_TOKEN;
    if (entry != STAYS_OUT)
        server->last = seconds_now();
    pthread_mutex_unlock(&server->lock);
    return entry;
}

/* ---- Requests ---- */

static int answer(struct server *server, struct mg_connection *connection, const char *path, const char *query,
                  enum entry entry) {
    struct reply reply = {404, "text/plain; charset=utf-8", NULL, 0};
    char cookie[128] = "";
    if (entry == HAS_TOKEN)
        snprintf(cookie, sizeof cookie,
                 "Set-Cookie: quipu-%" PRIu16 "=%s; Path=/; HttpOnly; SameSite=Strict\r\n", server->port,
                 server->cookie);
    server->options.answer(server->options.context, path, query, &reply);
    const int status = send_reply(connection, &reply, cookie);
    free(reply.body);
    return status;
}

/* Without its slash; NULL when it is none. */
static const char *path_of(const struct mg_request_info *request) {
    const char *path = request->local_uri_raw;
    return path && path[0] == '/' ? path + 1 : NULL;
}

static int begin_request(struct mg_connection *connection) {
    struct server *server = mg_get_user_data(mg_get_context(connection));
    const struct mg_request_info *request = mg_get_request_info(connection);
    const char *path = path_of(request), *query = request->query_string ? request->query_string : "";
    if (!path || !request->request_method)
        return refuse(connection, 400, "this is no request for a page");
    const char *fault = fault_of(server, request, path);
    if (fault)
        return refuse(connection, 403, fault);
    if (strcmp(request->request_method, "GET") != 0 && strcmp(request->request_method, "HEAD") != 0)
        return refuse(connection, 405, "pages can only be read");
    if (has_body(request))
        return refuse(connection, 400, "requests have no bodies here");
    const enum entry entry = entry_of(server, request, path, query);
    if (entry == STAYS_OUT)
        return refuse(connection, 403, "open the address that quipu view has printed; it serves once");
    return answer(server, connection, path, query, entry);
}

/* What civetweb refuses by itself, such as requests that are none. */
static int refuse_fault(struct mg_connection *connection, int status, const char *message) {
    (void)message;
    refuse(connection, status, "this is no request for a page");
    return 0;
}

/* Requests may have secrets in them: nothing is logged. */
static int log_nothing(const struct mg_connection *connection, const char *message) {
    (void)connection;
    (void)message;
    return 1;
}

/* ---- Starting ---- */

/* civetweb's options: names and values. Threads are many, so that connections on which nothing comes, which end after two seconds, do
 * not hold others up for long. */
static struct mg_context *listen_at(struct server *server) {
    char ports[32];
    snprintf(ports, sizeof ports, "127.0.0.1:%" PRIu16, server->options.port);
    const char *configuration[] = {"listening_ports",
                                   ports,
                                   "num_threads",
                                   "32",
                                   "request_timeout_ms",
                                   "2000",
                                   "enable_keep_alive",
                                   "yes",
                                   "keep_alive_timeout_ms",
                                   "500",
                                   "max_request_size",
                                   "16384",
                                   "enable_directory_listing",
                                   "no",
                                   "listen_backlog",
                                   "1000",
                                   NULL};
    const struct mg_callbacks callbacks = {.begin_request = begin_request,
                                           .http_error = refuse_fault,
                                           .log_message = log_nothing,
                                           .log_access = log_nothing};
    return mg_start(&callbacks, server, configuration);
}

static enum quipu_status fail(struct quipu_error *err, enum quipu_status status, const char *text,
                              uint16_t port) {
    err->status = status;
    snprintf(err->message, sizeof err->message, text, port);
    return status;
}

static void release(struct server *server) {
    pthread_mutex_destroy(&server->lock);
    free(server);
}

enum quipu_status server_start(const struct server_options *options, struct server **out,
                               struct quipu_error *err) {
    struct mg_server_port ports[1];
    struct server *server = *out = calloc(1, sizeof *server);
    if (!server)
        return fail(err, QUIPU_NO_MEMORY, "memory is out", 0);
    server->options = *options;
    server->last = seconds_now();
    pthread_mutex_init(&server->lock, NULL);
    enum quipu_status status = QUIPU_OK;
    if (!make_secret(server->token) || !make_secret(server->cookie))
        status = fail(err, QUIPU_IO, "/dev/urandom cannot be read", 0);
    else if (!(server->context = listen_at(server)))
        status = fail(err, QUIPU_IO, "port %" PRIu16 " of 127.0.0.1 cannot be listened on", options->port);
    if (status != QUIPU_OK) {
        release(server);
        *out = NULL;
        return status;
    }
    if (mg_get_server_ports(server->context, 1, ports) == 1)
        server->port = (uint16_t)ports[0].port;
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%" PRIu16 "/?token=%s", server->port,
             server->token);
    return QUIPU_OK;
}

/* The thread that listens looks up every two seconds, or when a client comes: this one comes after it was told to stop. */
static void *knock(void *context) {
    const struct server *server = context;
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    char reason[100];
    sigset_t none;
    sigemptyset(&none);
    (void)sigtimedwait(&none, NULL, &pause);
    struct mg_connection *connection = mg_connect_client("127.0.0.1", server->port, 0, reason, sizeof reason);
    if (connection)
        mg_close_connection(connection);
    return NULL;
}

void server_stop(struct server *server) {
    pthread_t thread;
    if (!server)
        return;
    const bool knocks = pthread_create(&thread, NULL, knock, server) == 0;
    mg_stop(server->context);
    if (knocks)
        pthread_join(thread, NULL);
    release(server);
}

uint16_t server_port(const struct server *server) {
    return server->port;
}

const char *server_address(const struct server *server) {
    return server->address;
}

double server_idle(struct server *server) {
    pthread_mutex_lock(&server->lock);
    const double idle = seconds_now() - server->last;
    pthread_mutex_unlock(&server->lock);
    return idle;
}
