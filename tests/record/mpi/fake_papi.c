/* fake_papi.c: a libpapi of the tests' own: the n-th reading in a thread gives n, 10 n, 100 n … of the events of a set, in their order. It
 * knows FAKE_ONE, FAKE_TEN and FAKE_HUNDRED; FAKE_KNOWN can be named and not be added. Where FAKE_PAPI_BROKEN is set it cannot be initialised. */
#include <stdlib.h>
#include <string.h>

#define VERSION 0x07010203
#define SETS 64
#define EVENTS 8
enum { OK = 0, NO_EVENT = -7, CONFLICT = -8 };

static const char *const names[] = {"FAKE_ONE", "FAKE_TEN", "FAKE_HUNDRED", "FAKE_KNOWN"};
static struct { int codes[EVENTS], count, is_running; } sets[SETS];
static int set_count;
static __thread long long readings;

int PAPI_get_opt(int option, void *out) {
    return option == 21 && !out ? VERSION : -1;
}

int PAPI_library_init(int version) {
    if (getenv("FAKE_PAPI_BROKEN"))
        return -3;
    return version == (VERSION & 0x7fff0000) ? version : -1;
}

int PAPI_thread_init(unsigned long (*number)(void)) {
    return number() ? OK : -1;
}

int PAPI_event_name_to_code(const char *name, int *code) {
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) {
            *code = i;
            return OK;
        }
    return NO_EVENT;
}

int PAPI_create_eventset(int *set) {
    *set = __atomic_fetch_add(&set_count, 1, __ATOMIC_SEQ_CST);
    return *set < SETS ? OK : -2;
}

int PAPI_add_event(int set, int code) {
    if (code == 3)
        return CONFLICT;
    sets[set].codes[sets[set].count++] = code;
    return OK;
}

int PAPI_start(int set) {
    sets[set].is_running = 1;
    return OK;
}

int PAPI_read(int set, long long *values) {
    static const long long factors[] = {1, 10, 100};
    readings++;
    for (int i = 0; i < sets[set].count && sets[set].is_running; i++)
        values[i] = readings * factors[sets[set].codes[i]];
    return OK;
}

int PAPI_stop(int set, long long *values) {
    (void)values;
    sets[set].is_running = 0;
    return OK;
}

int PAPI_cleanup_eventset(int set) {
    sets[set].count = 0;
    return OK;
}

int PAPI_destroy_eventset(int *set) {
    *set = -1;
    return OK;
}

char *PAPI_strerror(int error) {
    return error == NO_EVENT ? "Event does not exist" : "Event exists, but cannot be counted";
}
