/* test_collective_flow.c: which members of a collective operation contribute, and which depend on those: C, D, both (B) or neither (-), by what they
 * send and receive. */
#include "harness.h"

#include "core/memory/memory.h"
#include "state/collective_matching.h"

enum { MEMBERS = 4 };
#define UNKNOWN QUIPU_UNKNOWN

struct operation {
    uint32_t operation;
    const char *region; /* NULL: none is named */
    struct {
        uint64_t sent, received;
    } bytes[MEMBERS];
    uint32_t root;
    int64_t first_exit; /* the last one comes at 10 */
    enum quipu__collective_flow flow;
    const char *members;
};

static void find(const struct operation *operation, struct quipu__collective_side *sides,
                 struct quipu__collective *collective) {
    struct quipu__memory memory;
    const struct quipu_region region = {.name = operation->region};
    const struct quipu_definitions definitions = {
        .regions = {.count = operation->region ? 1 : 0, .items = &region}};
    quipu__memory_init(&memory, NULL, 0);
    struct quipu__ends ends = {.definitions = &definitions};
    struct quipu__collective_matching matching = {.memory = &memory, .locations = &ends};
    for (uint32_t i = 0; i < MEMBERS; i++)
        sides[i] = (struct quipu__collective_side){.begin = i == 2 ? 10 : i,
                                                   .end = operation->first_exit + i,
                                                   .sent = operation->bytes[i].sent,
                                                   .received = operation->bytes[i].received,
                                                   .location = i,
                                                   .region = operation->region ? 0 : QUIPU_NONE};
    *collective = (struct quipu__collective){.operation = operation->operation,
                                             .root = operation->root,
                                             .sides = sides,
                                             .side_count = MEMBERS,
                                             .ended = MEMBERS};
    quipu__collective_find_flow(&matching, collective);
    QUIPU__VEC_RELEASE(&memory, &matching.regions);
}

static void assert_operation(const struct operation *operation) {
    struct quipu__collective_side sides[MEMBERS];
    struct quipu__collective collective;
    char found[MEMBERS + 1] = "";
    find(operation, sides, &collective);
    for (uint32_t i = 0; i < MEMBERS; i++)
        found[i] = "-CDB"[sides[i].contributes + 2 * sides[i].depends];
    assert_string_equal(found, operation->members);
    assert_int_equal(collective.flow, operation->flow);
}

/* All send and receive but one that sends nothing, one that receives nothing, and one that does neither. */
#define SOME                                                                                                   \
    {                                                                                                          \
        {8, 8}, {0, 8}, {8, 0}, {                                                                              \
            0, 0                                                                                               \
        }                                                                                                      \
    }
#define ANY                                                                                                    \
    {                                                                                                          \
        {UNKNOWN, UNKNOWN}, {UNKNOWN, UNKNOWN}, {UNKNOWN, UNKNOWN}, {                                          \
            UNKNOWN, UNKNOWN                                                                                   \
        }                                                                                                      \
    }

static void test_collective_flow_of_operations(void **state) {
    (void)state;
    static const struct operation rows[] = {
        {QUIPU_COLLECTIVE_BARRIER, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_BARRIER, "BBBB"},
        {QUIPU_COLLECTIVE_BCAST, NULL, SOME, 0, 0, QUIPU__FLOW_ONE_TO_ALL, "CD--"},
        {QUIPU_COLLECTIVE_SCATTERV, NULL, SOME, 3, 0, QUIPU__FLOW_ONE_TO_ALL, "DD--"},
        {QUIPU_COLLECTIVE_REDUCE, NULL, SOME, 0, 0, QUIPU__FLOW_ALL_TO_ONE, "D-C-"},
        {QUIPU_COLLECTIVE_GATHERV, NULL, SOME, 2, 0, QUIPU__FLOW_ALL_TO_ONE, "C---"},
        {QUIPU_COLLECTIVE_ALLREDUCE, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BDC-"},
        {QUIPU_COLLECTIVE_ALLTOALLV, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BDC-"},
        /* MPI_IN_PLACE: 0 sent beside more received. */
        {QUIPU_COLLECTIVE_ALLGATHER, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BBC-"},
        {QUIPU_COLLECTIVE_ALLTOALL, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BBC-"},
        {QUIPU_COLLECTIVE_EXSCAN, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_SCAN, "BDC-"},
        {QUIPU_COLLECTIVE_ALL_TO_ALL, NULL, SOME, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BBBB"},
        {QUIPU_COLLECTIVE_ONE_TO_ALL, NULL, SOME, 3, 0, QUIPU__FLOW_ONE_TO_ALL, "DDDC"},
        {QUIPU_COLLECTIVE_ALL_TO_ONE, NULL, SOME, 3, 0, QUIPU__FLOW_ALL_TO_ONE, "CCCD"},
        {QUIPU_COLLECTIVE_ALLREDUCE, NULL, ANY, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BBBB"},
        {QUIPU_COLLECTIVE_BCAST, NULL, ANY, QUIPU_NONE, 0, QUIPU__FLOW_ONE_TO_ALL, "DDDD"},
        {QUIPU_COLLECTIVE_OTHER, NULL, ANY, QUIPU_NONE, 99, QUIPU__FLOW_NONE, "----"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_operation(&rows[i]);
}

/* The name counts, whatever the operation; with an exit at 9, before the last one comes at 10, none of them has been waited for. */
static void test_collective_flow_of_regions(void **state) {
    (void)state;
    static const struct operation rows[] = {
        {QUIPU_COLLECTIVE_BARRIER, "MPI_Win_fence", SOME, QUIPU_NONE, 10, QUIPU__FLOW_FENCE, "BBBB"},
        {QUIPU_COLLECTIVE_BARRIER, "MPI_Win_fence", SOME, QUIPU_NONE, 9, QUIPU__FLOW_NONE, "----"},
        {QUIPU_COLLECTIVE_OTHER, "MPI_Win_create", SOME, QUIPU_NONE, 10, QUIPU__FLOW_CONSTRUCTOR, "BBBB"},
        {QUIPU_COLLECTIVE_ALL_TO_ALL, "MPI_COMM_SPLIT", ANY, QUIPU_NONE, 10, QUIPU__FLOW_CONSTRUCTOR, "BBBB"},
        {QUIPU_COLLECTIVE_ALL_TO_ALL, "MPI_Comm_free", ANY, QUIPU_NONE, 9, QUIPU__FLOW_NONE, "----"},
        {QUIPU_COLLECTIVE_OTHER, "MPI_Intercomm_merge", ANY, QUIPU_NONE, 10, QUIPU__FLOW_CONSTRUCTOR, "BBBB"},
        {QUIPU_COLLECTIVE_OTHER, "MPI_Cart_create", ANY, QUIPU_NONE, 10, QUIPU__FLOW_CONSTRUCTOR, "BBBB"},
        {QUIPU_COLLECTIVE_OTHER, "MPI_Dist_graph_create", ANY, QUIPU_NONE, 10, QUIPU__FLOW_CONSTRUCTOR, "BBBB"},
        {QUIPU_COLLECTIVE_ALLREDUCE, "MPI_File_open", ANY, QUIPU_NONE, 10, QUIPU__FLOW_COLLECTIVE_IO, "BBBB"},
        {QUIPU_COLLECTIVE_ALLGATHER, "MPI_Neighbor_allgather", ANY, QUIPU_NONE, 10, QUIPU__FLOW_NONE, "----"},
        {QUIPU_COLLECTIVE_ALLTOALL, "MPI_Ineighbor_alltoall", ANY, QUIPU_NONE, 10, QUIPU__FLOW_NONE, "----"},
        {QUIPU_COLLECTIVE_ALLREDUCE, "MPI_Allreduce", ANY, QUIPU_NONE, 0, QUIPU__FLOW_ALL_TO_ALL, "BBBB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_operation(&rows[i]);
}

QUIPU_TESTS(cmocka_unit_test(test_collective_flow_of_operations),
            cmocka_unit_test(test_collective_flow_of_regions))
