/* regions.c: see regions.h. Fortran's names of calls are in lower case and end in underlines. */
#include "formats/paraver/regions.h"

#include "model/event.h"

#include <ctype.h>
#include <string.h>

enum {
    FIRST_ROLE = 1000,   /* types of roles */
    UNLISTED_CALL = 1000 /* values of calls that Extrae has no number for */
};

static const struct call {
    const char *name;
    uint8_t value, role, state;
} calls[] = {
#define CALL(function, value, type, state)                                                                     \
    {#function, (value), QUIPU_REGION_MPI_##type, QUIPU__PARAVER_STATE_##state},
#define STATE(name, number, label, red, green, blue)
#include "formats/paraver/mpi.def"
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Roles that have a type of Extrae's in a trace of an MPI program. */
static const struct quipu__paraver_role mpi_roles[QUIPU_REGION_ROLE_COUNT] = {
    [QUIPU_REGION_FUNCTION] = {60000019, "", "User function", "End"},
    [QUIPU_REGION_MPI_P2P] = {50000001, "", "MPI Point-to-point", "Outside MPI"},
    [QUIPU_REGION_MPI_COLLECTIVE] = {50000002, "", "MPI Collective Comm", "Outside MPI"},
    [QUIPU_REGION_MPI_OTHER] = {50000003, "", "MPI Other", "Outside MPI"},
    [QUIPU_REGION_MPI_RMA] = {50000004, "", "MPI One-sided", "Outside MPI"},
    [QUIPU_REGION_MPI_IO] = {50000005, "", "MPI I/O", "Outside MPI"},
};

/* States of what no call of mpi.def is: unlisted calls of MPI, and what else a thread may do besides computing. */
static const uint8_t role_states[QUIPU_REGION_ROLE_COUNT] = {
    [QUIPU_REGION_FUNCTION] = QUIPU__PARAVER_STATE_UNCHANGED,
    [QUIPU_REGION_MPI_P2P] = QUIPU__PARAVER_STATE_OTHERS,
    [QUIPU_REGION_MPI_COLLECTIVE] = QUIPU__PARAVER_STATE_GROUP,
    [QUIPU_REGION_MPI_RMA] = QUIPU__PARAVER_STATE_MEMORY,
    [QUIPU_REGION_MPI_IO] = QUIPU__PARAVER_STATE_IO,
    [QUIPU_REGION_MPI_OTHER] = QUIPU__PARAVER_STATE_OTHERS,
    [QUIPU_REGION_IO] = QUIPU__PARAVER_STATE_IO,
    [QUIPU_REGION_SYNC] = QUIPU__PARAVER_STATE_SYNC,
    [QUIPU_REGION_RUNTIME] = QUIPU__PARAVER_STATE_OTHERS,
    [QUIPU_REGION_TASK] = QUIPU__PARAVER_STATE_UNCHANGED,
    [QUIPU_REGION_USER] = QUIPU__PARAVER_STATE_UNCHANGED,
    [QUIPU_REGION_IDLE] = QUIPU__PARAVER_STATE_IDLE,
};

static bool is_named(const char *name, const char *call) {
    for (; *call != '\0'; name++, call++)
        if (tolower((unsigned char)*name) != tolower((unsigned char)*call))
            return false;
    while (*name == '_')
        name++;
    return *name == '\0';
}

static const struct call *call_of(const char *name) {
    if (tolower((unsigned char)name[0]) != 'm')
        return NULL;
    for (size_t i = 0; i < CALLS; i++)
        if (is_named(name, calls[i].name))
            return &calls[i];
    return NULL;
}

/* The first name of its value: others stand for the same call. */
static const char *label_of(const struct call *call) {
    while (call > calls && call[-1].value == call->value)
        call--;
    return call->name;
}

bool quipu__paraver_is_mpi(const struct quipu_definitions *definitions) {
    bool has_calls = false;
    for (uint32_t i = 0; i < definitions->regions.count && !has_calls; i++)
        has_calls = call_of(definitions->regions.items[i].name) != NULL ||
                    quipu__paraver_is_mpi_role(definitions->regions.items[i].role);
    return has_calls && definitions->channels.count == 0;
}

static struct quipu__paraver_region shown_in_mpi(const struct quipu_region *region, uint32_t number) {
    const struct call *call = call_of(region->name);
    if (call)
        return (struct quipu__paraver_region){call->value, label_of(call), call->role,
                                              call->state, true,           false};
    const bool is_call = quipu__paraver_is_mpi_role(region->role);
    return (struct quipu__paraver_region){(int64_t)number + (is_call ? UNLISTED_CALL : 1),
                                          region->name,
                                          (uint8_t)region->role,
                                          role_states[region->role],
                                          is_call,
                                          false};
}

bool quipu__paraver_add_regions(struct quipu__memory *memory, struct quipu__paraver_regions *regions,
                                const struct quipu_definitions *definitions) {
    const size_t known = regions->items.count;
    if (known == definitions->regions.count)
        return true;
    if (!QUIPU__VEC_RESERVE(memory, &regions->items, definitions->regions.count - known))
        return false;
    regions->items.count = definitions->regions.count;
    for (uint32_t i = (uint32_t)known; i < definitions->regions.count; i++) {
        const struct quipu_region *region = &definitions->regions.items[i];
        if (regions->is_mpi)
            regions->items.items[i] = shown_in_mpi(region, i);
        else
            regions->items.items[i] = (struct quipu__paraver_region){
                (int64_t)i + 1, region->name, (uint8_t)region->role, QUIPU__PARAVER_STATE_UNCHANGED,
                false,          false};
    }
    return true;
}

struct quipu__paraver_role quipu__paraver_role(bool is_mpi, enum quipu_region_role role) {
    if (is_mpi && mpi_roles[role].type > 0)
        return mpi_roles[role];
    return (struct quipu__paraver_role){FIRST_ROLE + (unsigned)role, "Region: ", quipu__region_role_text(role),
                                        "None"};
}

/* ---- Reading them ---- */

bool quipu__paraver_role_of(int64_t type, const char *label, enum quipu_region_role *out) {
    for (unsigned role = 0; role < QUIPU_REGION_ROLE_COUNT; role++) {
        const struct quipu__paraver_role own = quipu__paraver_role(false, (enum quipu_region_role)role);
        const size_t len = strlen(own.prefix);
        const bool is_own = type == own.type && label && strncmp(label, own.prefix, len) == 0 &&
                            strcmp(label + len, own.label) == 0;
        *out = (enum quipu_region_role)role;
        if (is_own || (mpi_roles[role].type > 0 && type == mpi_roles[role].type))
            return true;
    }
    return false;
}

const char *quipu__paraver_call_name(int64_t value) {
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].value == value)
            return calls[i].name;
    return NULL;
}

bool quipu__paraver_posts_receive(const char *name) {
    const struct call *call = call_of(name);
    return call && call->state == QUIPU__PARAVER_STATE_IRECV;
}
