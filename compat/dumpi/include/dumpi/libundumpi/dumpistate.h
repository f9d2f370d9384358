/* dumpistate.h: communicators, groups and types of a whole run at points of time. DUMPI declares these functions and has
 * them in no library; programs that bring their own compile with these prototypes. */
#ifndef DUMPI_LIBUNDUMPI_DUMPISTATE_H
#define DUMPI_LIBUNDUMPI_DUMPISTATE_H

#include <dumpi/common/argtypes.h>
#include <dumpi/common/funclabels.h>
#include <dumpi/common/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dumpistate dumpistate;
typedef struct dumpistate_comm dumpistate_comm;
typedef struct dumpistate_group dumpistate_group;
typedef struct dumpistate_type dumpistate_type;

/* Gets every call of a run; prm is the argument struct of the call. */
typedef int (*dumpistate_callback_fun_t)(int node_index, dumpi_function func, void *prm, uint16_t thread,
                                         const dumpi_time *cpu, const dumpi_time *wall,
                                         const dumpi_perfinfo *perf, void *userarg);

/* A run, by its metafile; *message is why there is none. */
dumpistate *dumpistate_create(const char *metafile, char **message);
void dumpistate_free(dumpistate *state);
int dumpistate_world_size(const dumpistate *state);
int dumpistate_parse_single(const dumpistate *state, int mpi_index, dumpistate_callback_fun_t callb,
                            void *userarg);
int dumpistate_parse_all(const dumpistate *state, dumpistate_callback_fun_t callb,
                         const dumpi_clock *sync_interval, void *userarg);

/* Times of a rank. */
const dumpi_clock *dumpistate_start_time(const dumpistate *state, int global_mpi_rank);
const dumpi_clock *dumpistate_end_time(const dumpistate *state, int global_mpi_rank);
const dumpi_clock *dumpistate_mpi_started(const dumpistate *ds, int global_rank);
const dumpi_clock *dumpistate_mpi_stopped(const dumpistate *ds, int global_rank);

/* What numbers of a rank mean at a time. */
const dumpistate_comm *dumpistate_comm_world(const dumpistate *ds, int globalrank);
const dumpistate_comm *dumpistate_get_comm(const dumpistate *state, int global_mpi_rank, dumpi_comm comm,
                                           const dumpi_clock *at_time);
const char *dumpistate_get_function_name(const dumpistate *state, int global_mpi_rank, uint64_t address);
int dumpistate_get_type_size(const dumpistate *state, int global_mpi_rank, dumpi_datatype type,
                             const dumpi_clock *at_time);

/* A communicator. */
const dumpi_clock *dumpistate_comm_created(const dumpistate_comm *ds);
const dumpi_clock *dumpistate_comm_destroyed(const dumpistate_comm *ds);
dumpi_function dumpistate_comm_creator(const dumpistate_comm *ds);
dumpistate_group *dumpistate_comm_group(const dumpistate_comm *comm);
int dumpistate_comm_size(const dumpistate_comm *ds);
int dumpistate_comm_rank(const dumpistate_comm *ds);
int dumpistate_comm_global_rank(const dumpistate_comm *ds, int local_rank);
int dumpistate_comm_local_rank(const dumpistate_comm *ds, int global_rank);

/* A group. */
const dumpi_clock *dumpistate_group_created(const dumpistate_group *ds);
const dumpi_clock *dumpistate_group_destroyed(const dumpistate_group *ds);
int dumpistate_group_size(const dumpistate_group *ds);
int dumpistate_group_rank(const dumpistate_group *ds);
int dumpistate_group_global_rank(const dumpistate_group *ds, int local_rank);
int dumpistate_group_local_rank(const dumpistate_group *ds, int global_rank);

#ifdef __cplusplus
}
#endif
#endif
