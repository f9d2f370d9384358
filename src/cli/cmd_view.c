/* cmd_view.c: quipu view: traces over time, in a browser. Each trace is opened twice, so that questions for which all of it is read do not keep
 * others waiting. */
#include "job.h"
#include "report.h"
#include "server.h"

#include <quipu/view.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* ---- Traces and their questions ---- */

enum { QUICK, THOROUGH, MODES };

struct shown {
    struct job jobs[MODES];
    struct quipu_view *views[MODES];
    pthread_mutex_t locks[MODES];
};

struct shown_list {
    struct shown *items;
    size_t count;
};

struct body {
    char *data;
    size_t size, capacity;
};

static enum quipu_status add_to_body(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct body *body = context;
    if (size > body->capacity - body->size) {
        const size_t capacity = 2 * (body->capacity + size);
        char *grown = realloc(body->data, capacity);
        if (!grown) {
            err->status = QUIPU_NO_MEMORY;
            return QUIPU_NO_MEMORY;
        }
        body->data = grown;
        body->capacity = capacity;
    }
    memcpy(body->data + body->size, data, size);
    body->size += size;
    return QUIPU_OK;
}

static void set_text(struct reply *reply, int status, const char *type, const char *text, size_t size) {
    reply->status = status;
    reply->type = type;
    reply->body = malloc(size + 1);
    reply->size = reply->body ? size : 0;
    if (reply->body)
        memcpy(reply->body, text, size);
}

/* A failure is an answer too: the page shows its text. */
static void set_failure(struct reply *reply, const struct quipu_error *err) {
    char text[1024];
    quipu_text_escape(err->message, text, sizeof text);
    set_text(reply, err->status == QUIPU_NOT_FOUND ? 404 : 400, "text/plain; charset=utf-8", text,
             strlen(text));
}

static void ask(struct shown *shown, const char *question, struct reply *reply) {
    const unsigned mode = quipu_view_reads_all(question) ? THOROUGH : QUICK;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct body body = {NULL, 0, 0};
    pthread_mutex_lock(&shown->locks[mode]);
    const enum quipu_status status =
        quipu_view_answer(shown->views[mode], question, (struct quipu_sink){add_to_body, &body}, &err);
    pthread_mutex_unlock(&shown->locks[mode]);
    if (status != QUIPU_OK) {
        free(body.data);
        set_failure(reply, &err);
        return;
    }
    *reply = (struct reply){200, "application/json", body.data, body.size};
}

/* ask/NUMBER/QUESTION: of the trace of that number. */
static bool answer_question(const struct shown_list *list, const char *path, const char *query,
                            struct reply *reply) {
    enum { MOST = 3 * 4096 + 1024 };
    char question[MOST], *end;
    const unsigned long number = strncmp(path, "ask/", 4) == 0 && path[4] >= '0' && path[4] <= '9'
                                     ? strtoul(path + 4, &end, 10)
                                     : list->count;
    if (number >= list->count || *end != '/')
        return false;
    const int length = snprintf(question, sizeof question, "%s?%s", end + 1, query);
    if (length < 0 || (size_t)length >= sizeof question)
        return false;
    ask(&list->items[number], question, reply);
    return true;
}

static void answer(void *context, const char *path, const char *query, struct reply *reply) {
    const struct shown_list *list = context;
    struct quipu_view_file file;
    char text[64];
    if (quipu_view_file_find(path, &file)) {
        set_text(reply, 200, file.type, file.bytes, file.size);
    } else if (strcmp(path, "traces") == 0) {
        const int length = snprintf(text, sizeof text, "{\"count\": %zu}\n", list->count);
        set_text(reply, 200, "application/json", text, (size_t)length);
    } else if (!answer_question(list, path, query, reply)) {
        set_text(reply, 404, "text/plain; charset=utf-8", "there is no such page\n",
                 strlen("there is no such page\n"));
    }
}

static enum exit_code open_mode(struct shown *shown, const struct arguments *arguments, const char *path,
                                unsigned mode) {
    struct job *job = &shown->jobs[mode];
    pthread_mutex_init(&shown->locks[mode], NULL);
    const enum exit_code code = job_begin(job, arguments, path);
    job->line.enabled = false; /* threads of the server read */
    if (code == EXIT_FINE && quipu_view_new(job->reader, &shown->views[mode], &job->err) != QUIPU_OK)
        return job->code = report_error(&job->err);
    return code;
}

/* The first answer, so that what is wrong with the trace is said here, and the page need not wait. */
static enum exit_code ask_first(struct shown *shown) {
    struct job *job = &shown->jobs[QUICK];
    struct body body = {NULL, 0, 0};
    job_set(job, quipu_view_answer(shown->views[QUICK], "trace", (struct quipu_sink){add_to_body, &body},
                                   &job->err));
    free(body.data);
    return job->code;
}

static enum exit_code open_traces(struct shown_list *list, const struct arguments *arguments) {
    enum exit_code code = EXIT_FINE;
    list->items = calloc((size_t)arguments->operand_count, sizeof *list->items);
    if (!list->items)
        return report_no_memory();
    for (; list->count < (size_t)arguments->operand_count && code == EXIT_FINE; list->count++)
        for (unsigned mode = 0; mode < MODES && code == EXIT_FINE; mode++)
            code = open_mode(&list->items[list->count], arguments, arguments->operands[list->count], mode);
    for (size_t i = 0; i < list->count && code == EXIT_FINE; i++)
        code = ask_first(&list->items[i]);
    return code;
}

/* Findings of a trace are reported once. */
static enum exit_code close_traces(struct shown_list *list, enum exit_code code) {
    for (size_t i = 0; i < list->count; i++)
        for (unsigned mode = MODES; mode-- > 0;) {
            struct job *job = &list->items[i].jobs[mode];
            quipu_view_free(list->items[i].views[mode]);
            if (mode == QUICK)
                code = worse_exit(code, job_end(job));
            else
                job_close(job);
            pthread_mutex_destroy(&list->items[i].locks[mode]);
        }
    free(list->items);
    return code;
}

/* ---- The browser ----
 *
 * Arguments of processes are public, so the address with its token goes into a file that only this user can read, and that leads to it. */

struct leading_page {
    char folder[256], path[300];
};

static void remove_leading_page(struct leading_page *page) {
    if (page->path[0])
        unlink(page->path);
    if (page->folder[0])
        rmdir(page->folder);
    *page = (struct leading_page){"", ""};
}

static bool write_leading_page(struct leading_page *page, const char *address) {
    const char *parent = getenv("XDG_RUNTIME_DIR");
    if (!parent)
        parent = getenv("TMPDIR");
    if (!parent)
        parent = "/tmp";
    snprintf(page->folder, sizeof page->folder, "%s/quipu-view-XXXXXX", parent);
    if (!mkdtemp(page->folder)) {
        page->folder[0] = '\0';
        return false;
    }
    snprintf(page->path, sizeof page->path, "%s/open.html", page->folder);
    const mode_t before = umask(077);
    FILE *file = fopen(page->path, "w");
    umask(before);
    if (!file)
        return false;
    fprintf(file,
            "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0; url=%s\"><title>quipu "
            "view</title>\n",
            address);
    return fclose(file) == 0;
}

static bool has_desktop(const struct arguments *arguments) {
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return !option_given(arguments, OPTION_no_browser) && ((x11 && x11[0]) || (wayland && wayland[0]));
}

static void open_browser(const struct leading_page *page) {
    const pid_t child = fork();
    if (child != 0)
        return;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    ending_restore_signals();
    if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
        _exit(1);
    execlp("xdg-open", "xdg-open", page->path, (char *)NULL);
    _exit(1);
}

/* ---- Serving ---- */

static void say_where(const struct server *server) {
    char host[256] = "";
    const char *user = getenv("USER");
    const uint16_t port = server_port(server);
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "HOST");
    printf("%s\n", server_address(server));
    printf("from another machine, first: ssh -L %" PRIu16 ":127.0.0.1:%" PRIu16 " %s%s%s\n", port, port,
           user ? user : "", user ? "@" : "", host);
    printf("the address serves once; Ctrl-C ends\n");
    fflush(stdout);
}

/* Until a signal comes, or nothing was asked for long. */
static void wait_for_end(struct server *server, const sigset_t *signals, double idle_most) {
    const struct timespec second = {1, 0};
    siginfo_t info;
    while (sigtimedwait(signals, &info, &second) < 0 && (idle_most == 0 || server_idle(server) < idle_most))
        waitpid(-1, NULL, WNOHANG);
}

static void serve(const struct arguments *arguments, struct server *server, const sigset_t *signals) {
    enum { MINUTE = 60, MINUTES = 480 };
    struct leading_page page = {"", ""};
    say_where(server);
    if (has_desktop(arguments) && write_leading_page(&page, server_address(server)))
        open_browser(&page);
    wait_for_end(server, signals, (double)option_number(arguments, OPTION_idle, MINUTES) * MINUTE);
    remove_leading_page(&page);
}

/* Signals are waited for: threads of the server do not get them. */
static enum exit_code start(const struct arguments *arguments, struct shown_list *list) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct server *server;
    sigset_t signals, before;
    const struct server_options options = {
        .port = (uint16_t)option_number(arguments, OPTION_port, 0), .answer = answer, .context = list};
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const enum quipu_status status = server_start(&options, &server, &err);
    if (status == QUIPU_OK)
        serve(arguments, server, &signals);
    server_stop(server);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status == QUIPU_OK ? EXIT_FINE : report_error(&err);
}

/* Else each thread of the server keeps what it has freed for itself: of 100,000 locations 506 MB in place of 166. */
static void share_freed_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

enum exit_code command_view(const struct arguments *arguments) {
    struct shown_list list = {NULL, 0};
    share_freed_memory();
    for (int i = 0; i < arguments->operand_count; i++)
        if (strcmp(arguments->operands[i], "-") == 0)
            return report_usage("view reads a trace several times; standard input can be read once");
    if (option_number(arguments, OPTION_port, 0) > UINT16_MAX)
        return report_usage("--port takes a number up to %d", UINT16_MAX);
    enum exit_code code = open_traces(&list, arguments);
    if (code == EXIT_FINE)
        code = start(arguments, &list);
    return close_traces(&list, code);
}
