/* regions.h: how regions show: the type of event and its value, and the state that a thread is in meanwhile.
 *
 * A trace of an MPI program shows its calls as Extrae does (mpi.def), so that Paraver's configurations for MPI find them; each other
 * region has a type for its role. A trace with channels says itself what its rows show, and is none of those.
 */
#ifndef QUIPU_PARAVER_REGIONS_H
#define QUIPU_PARAVER_REGIONS_H

#include "core/memory/vec.h"

#include <quipu/model.h>

enum quipu__paraver_state {
#define CALL(function, value, type, state)
#define STATE(name, number, label, red, green, blue) QUIPU__PARAVER_STATE_##name = (number),
#include "formats/paraver/mpi.def"
    QUIPU__PARAVER_STATE_UNCHANGED = UINT8_MAX /* the thread stays in the one that it is in */
};

struct quipu__paraver_region {
    int64_t value;
    const char *label; /* borrowed */
    uint8_t role;      /* decides the type; enum quipu_region_role */
    uint8_t state;     /* enum quipu__paraver_state */
    bool is_call;      /* of MPI */
    bool is_used;
};

struct quipu__paraver_regions {
    bool is_mpi;
    QUIPU__VEC(struct quipu__paraver_region) items; /* by region */
};

/* Whether a trace shows as that of an MPI program: by the names of its regions, or their roles. */
bool quipu__paraver_is_mpi(const struct quipu_definitions *definitions);

/* Adds what has been defined since. False when memory is out. */
QUIPU_CHECKED bool quipu__paraver_add_regions(struct quipu__memory *memory,
                                              struct quipu__paraver_regions *regions,
                                              const struct quipu_definitions *definitions);

/* The type of a role, what it is called, and what its value 0 is called. */
struct quipu__paraver_role {
    uint32_t type;
    const char *prefix, *label, *nothing;
};
struct quipu__paraver_role quipu__paraver_role(bool is_mpi, enum quipu_region_role role);

/* Functions of a trace of an MPI program show as a stack, as Extrae has them: what is around them is not shown again. */
static inline bool quipu__paraver_is_stacked(bool is_mpi, enum quipu_region_role role) {
    return is_mpi && role == QUIPU_REGION_FUNCTION;
}

/* The reverse: the role of the regions of a type, by its number and label, which may be NULL; false: it has none. */
bool quipu__paraver_role_of(int64_t type, const char *label, enum quipu_region_role *out);

static inline bool quipu__paraver_is_mpi_role(enum quipu_region_role role) {
    return role == QUIPU_REGION_MPI_P2P || role == QUIPU_REGION_MPI_COLLECTIVE ||
           role == QUIPU_REGION_MPI_RMA || role == QUIPU_REGION_MPI_IO || role == QUIPU_REGION_MPI_OTHER;
}

/* The call of MPI with a value; NULL: none. And whether a call only posts a receive. */
const char *quipu__paraver_call_name(int64_t value);
bool quipu__paraver_posts_receive(const char *name);

#endif
