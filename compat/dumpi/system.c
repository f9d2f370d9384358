/* system.c: what the library says about this process: the time, the header of a file of its own, hardware counters. There is
 * no PAPI behind the counters: none is ever active, as in an original that was built without. */
#include "formats/dumpi/layout.h"

#include <dumpi/common/constants.h>
#include <dumpi/common/debugflags.h>
#include <dumpi/common/funcs.h>
#include <dumpi/common/gettime.h>
#include <dumpi/common/perfctrs.h>
#include <dumpi/common/perfctrtags.h>
#include <dumpi/common/types.h>
#include <dumpi/dumpiconfig.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t dumpi_debug = DUMPI_DEBUG_NONE;
const int8_t dumpi_version = DUMPI_VERSION;
const int8_t dumpi_subversion = DUMPI_SUBVERSION;
const int8_t dumpi_subsubversion = DUMPI_SUBSUBVERSION;

_Static_assert(QUIPU__DUMPI_VERSION(DUMPI_VERSION, DUMPI_SUBVERSION, DUMPI_SUBSUBVERSION) ==
                   QUIPU__DUMPI_NEWEST,
               "the version has one home");

/* ---- Time ---- */

static void read_clock(clockid_t id, dumpi_clock *out) {
    struct timespec now = {0, 0};
    if (!out)
        return;
    clock_gettime(id, &now);
    *out = (dumpi_clock){(int32_t)now.tv_sec, (int32_t)now.tv_nsec};
}

void dumpi_get_time(dumpi_clock *cpu, dumpi_clock *wall) {
    read_clock(CLOCK_PROCESS_CPUTIME_ID, cpu);
    read_clock(CLOCK_MONOTONIC, wall);
}

/* ---- Header ---- */

dumpi_header *dumpi_build_header(void) {
    char host[256] = "";
    const char *user = getenv("LOGNAME");
    dumpi_header *header = calloc(1, sizeof *header);
    if (!header)
        return NULL;
    gethostname(host, sizeof host - 1);
    header->version[0] = DUMPI_VERSION;
    header->version[1] = DUMPI_SUBVERSION;
    header->version[2] = DUMPI_SUBSUBVERSION;
    header->starttime = (uint64_t)time(NULL);
    header->hostname = strdup(host);
    header->username = strdup(user ? user : "<none>");
    if (header->hostname && header->username)
        return header;
    dumpi_free_header(header);
    return NULL;
}

/* ---- Hardware counters ---- */

int dumpi_init_perfctrs(dumpi_perfinfo *counters) {
    if (!counters)
        return 0;
    counters->count = 0;
    return 1;
}

size_t dumpi_active_perfctrs(void) {
    return 0;
}

dumpi_perflabel_t *dumpi_perfctr_labels(void) {
    static dumpi_perflabel_t labels[DUMPI_MAX_PERFCTRS];
    return labels;
}

void dumpi_get_perfctrs(const dumpi_profile *profile, dumpi_perfinfo *perf,
                        dumpi_perfinfo_direction direction) {
    (void)profile, (void)direction;
    if (perf)
        perf->count = 0;
}

void dumpi_init_perfctr_tags(void) {
}

/* No event is known without PAPI. */
int dumpi_get_event_code(dumpi_papi_tag tag) {
    (void)tag;
    return -1;
}

const char *dumpi_perfctr_name(int tag) {
    static const char *const names[] = {
#define COUNTER(name) "PAPI_" #name,
#include "counters.def"
    };
    return tag >= 0 && (size_t)tag < sizeof names / sizeof names[0] ? names[tag] : "(none)";
}
