/* ending.c: see ending.h. The handler removes temporary files itself and lets the signal do the rest, so it does not matter what
 * the library is doing, or waiting for. */
#include "ending.h"

#include "report.h"

#include <signal.h>
#include <string.h>

static struct quipu_guard *guard;
static volatile sig_atomic_t caught;

static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

static void end_by(int number) {
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

static void handle(int number) {
    if (quipu_guard_remove_temporaries(guard))
        end_by(number);
    else
        caught = number;
}

static void catch_signals(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

static const struct {
    int number;
    struct sigaction action;
} settings[] = {
    {SIGPIPE, {.sa_handler = SIG_DFL}}, /* a reader that has seen enough ends the command quietly */
    {SIGXFSZ, {.sa_handler = SIG_IGN}}, /* a file beyond the limit is an error of writing */
};
enum { SETTING_COUNT = sizeof settings / sizeof *settings };
static struct sigaction were[SETTING_COUNT];

void ending_restore_signals(void) {
    for (size_t i = 0; i < SETTING_COUNT; i++)
        sigaction(settings[i].number, &were[i], NULL);
}

enum exit_code ending_begin(void) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        sigaction(settings[i].number, &settings[i].action, &were[i]);
    if (quipu_guard_new(&guard, &err) != QUIPU_OK)
        return report_error(&err);
    catch_signals();
    return EXIT_FINE;
}

struct quipu_guard *ending_guard(void) {
    return guard;
}

void ending_end(void) {
    if (caught)
        end_by((int)caught);
}
