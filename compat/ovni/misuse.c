/* misuse.c: a program that uses the library wrongly, or whose disk is full, goes on without recording. */
#include "library.h"

#include <errno.h>
#include <stdarg.h>

static bool is_strict(void) {
    const char *strict = getenv("QUIPU_STRICT");
    return strict && strcmp(strict, "1") == 0;
}

/* Only the first report of a process is printed: what follows it are consequences. */
static void report_and_stop(const char *function, const char *text) {
    if (atomic_exchange(&process.is_stopped, true))
        return;
    fprintf(stderr, "libovni: %s: %s; recording stops, the program goes on\n", function, text);
    thread_stop(text);
}

void misuse(const char *function, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_strict()) {
        fprintf(stderr, "FATAL: %s: %s\n", function, text);
        abort();
    }
    report_and_stop(function, text);
}

void system_failed(const char *function, const char *path) {
    char text[1024];
    snprintf(text, sizeof text, "%s: %s", path ? path : "no memory", strerror(errno));
    report_and_stop(function, text);
}

void warn(const char *function, const char *text) {
    fprintf(stderr, "libovni: %s: %s\n", function, text);
}

bool needs_process(const char *function) {
    const enum process_state state = atomic_load(&process.state);
    if (atomic_load(&process.is_stopped))
        return false;
    if (state == PROCESS_READY)
        return true;
    misuse(function, state == PROCESS_GONE ? "the process is finished (ovni_proc_fini was called)"
                                           : "the process is not initialised; call ovni_proc_init first");
    return false;
}

bool needs_thread(const char *function) {
    static const char *const reasons[] = {
        [THREAD_NEW] = "the calling thread is not initialised; call ovni_thread_init first",
        [THREAD_FREED] = "the calling thread is finished (ovni_thread_free was called)",
        [THREAD_FORKED] = "the calling process was forked from one that records; initialise after fork",
    };
    if (atomic_load(&process.is_stopped)) {
        thread_stop("recording was stopped by another thread");
        return false;
    }
    if (thread.state == THREAD_READY)
        return true;
    if (reasons[thread.state])
        misuse(function, "%s", reasons[thread.state]);
    return false;
}
