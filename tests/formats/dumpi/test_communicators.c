/* test_communicators.c: members of communicators, which follow from the calls of all ranks. */
#include "traces.h"

#define WORLD 2
#define SELF 3

/* Members of the group with a name, the n-th of it, as text: "0 2", with " | " before those of the other side. */
static char *members(const char *path, const char *name, unsigned n) {
    struct quipu_reader *reader = opened(path);
    const struct quipu_groups *groups = &quipu_reader_definitions(reader)->groups;
    char *all = NULL;
    for (uint32_t g = 0; g < groups->count && !all; g++) {
        if (strcmp(groups->items[g].name, name) != 0 || n-- != 0)
            continue;
        all = harness_text("%s", "");
        for (uint32_t i = 0; i < groups->items[g].member_count; i++)
            all = harness_text("%s%s%u", all, i ? " " : "", groups->items[g].members[i]);
        for (uint32_t i = 0; i < groups->items[g].remote_member_count; i++)
            all = harness_text("%s%s%d", all, i ? " " : " | ", (int)groups->items[g].remote_members[i]);
    }
    quipu_reader_close(reader);
    return all ? all : harness_text("none");
}

/* How many communicators of so many members have a collective operation that begins at each of them. */
static unsigned count_complete(const char *path, uint32_t member_count) {
    struct quipu_reader *reader = opened(path);
    const struct quipu_groups *groups = &quipu_reader_definitions(reader)->groups;
    const struct quipu_batch *batch;
    unsigned begins[16] = {0}, complete = 0;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++)
            if (batch->kind[i] == QUIPU_KIND_collective_begin && batch->group[i] < 16)
                begins[batch->group[i]]++;
    for (uint32_t g = 0; g < groups->count && g < 16; g++)
        complete += groups->items[g].member_count == member_count && begins[g] == member_count;
    quipu_reader_close(reader);
    return complete;
}

static void test_communicators_split_by_color_and_key(void **state) {
    (void)state;
    struct made made = made_create();
    static const int32_t colors[] = {0, 1, 0, -32766}, keys[] = {5, 0, 2, 0};
    for (unsigned rank = 0; rank < 4; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = colors[rank], .key = keys[rank],
             .newcomm = (int16_t)(rank == 3 ? 1 : 4 + rank));
        if (rank == 2)
            CALL(&made, send, .count = 1, .datatype = 9, .dest = 1, .tag = 1, .comm = 6);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_split of MPI_COMM_WORLD", 0), "2 0");
    assert_string_equal(members(path, "MPI_Comm_split of MPI_COMM_WORLD", 1), "1");
    assert_events(path, QUIPU_KIND_BIT(QUIPU_KIND_send),
                  "10 2 send peer=0 communicator=5 tag=1 bytes=4 request=?\n");
}

static void test_communicators_of_groups(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_range backward = {3, 1, -2};
    for (unsigned rank = 0; rank < 4; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_group, .comm = WORLD, .group = 3);
        CALL(&made, group_range_incl, .group = 3, .count = 1, .ranges = sized(&backward, 1, sizeof backward),
             .newgroup = 4);
        CALL(&made, group_excl, .group = 3, .count = 1, .ranks = NUMBERS(1), .newgroup = 5);
        CALL(&made, group_intersection, .group1 = 5, .group2 = 4, .newgroup = 6);
        CALL(&made, comm_create, .oldcomm = WORLD, .group = 4, .newcomm = rank % 2 ? 4 : 1);
        CALL(&made, comm_create, .oldcomm = WORLD, .group = 6, .newcomm = rank == 3 ? 5 : 1);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_create of MPI_COMM_WORLD", 0), "3 1");
    assert_string_equal(members(path, "MPI_Comm_create of MPI_COMM_WORLD", 1), "3");
}

static void test_communicators_of_grids(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 6; rank++) {
        made_rank(&made, rank);
        CALL(&made, cart_create, .oldcomm = WORLD, .ndim = 2, .dims = NUMBERS(2, 3), .periods = NUMBERS(0, 0),
             .newcomm = 4);
        CALL(&made, cart_sub, .ndim = 2, .oldcomm = 4, .remain_dims = NUMBERS(1, 0), .newcomm = 5);
        CALL(&made, comm_dup, .oldcomm = 5, .newcomm = 6);
    }
    const char *path = made_close(&made);
    const char *grid = "MPI_Cart_sub of MPI_Cart_create of MPI_COMM_WORLD";
    assert_string_equal(members(path, "MPI_Cart_create of MPI_COMM_WORLD", 0), "0 1 2 3 4 5");
    assert_string_equal(members(path, grid, 0), "0 3");
    assert_string_equal(members(path, grid, 2), "2 5");
    assert_int_equal(findings_of(path, NULL), 0);
}

static void test_communicators_between_groups(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 4; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = (int32_t)(rank / 2), .key = 0, .newcomm = 4);
        CALL(&made, intercomm_create, .localcomm = 4, .localleader = 0, .remotecomm = WORLD,
             .remoteleader = rank < 2 ? 2 : 0, .tag = 1, .newcomm = 5);
        CALL(&made, intercomm_merge, .comm = 5, .high = rank < 2, .newcomm = 6);
        if (rank == 1)
            CALL(&made, send, .count = 1, .datatype = 9, .dest = 0, .tag = 1, .comm = 5);
    }
    const char *path = made_close(&made);
    const char *between = "MPI_Intercomm_create of MPI_Comm_split of MPI_COMM_WORLD";
    assert_string_equal(members(path, between, 0), "0 1 | 2 3");
    assert_string_equal(members(path, between, 1), "2 3 | 0 1");
    assert_string_equal(members(path, harness_text("MPI_Intercomm_merge of %s", between), 0), "2 3 0 1");
    struct quipu_reader *reader = opened(path);
    assert_non_null(strstr(events_of(reader, QUIPU_KIND_BIT(QUIPU_KIND_send)), "1 send peer=2 "));
    quipu_reader_close(reader);
}

/* Both children ask for the communicator with their parents, each in its own time: it is one, of which the other side is in another trace. */
static void test_communicators_with_parents_are_one_for_all_children(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        if (rank == 1)
            CALL(&made, comm_split, .oldcomm = SELF, .color = 0, .key = 0, .newcomm = 7);
        CALL(&made, comm_get_parent, .parent = 4);
        CALL(&made, barrier, .comm = 4);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_get_parent", 0), "0 1 | -1");
    assert_string_equal(members(path, "MPI_Comm_get_parent", 1), "none");
    assert_int_equal(count_complete(path, 2), 1);
}

/* Bytes sent and received in a call, by rank: the first bytes of its line behind "sent=". */
static const char *bytes_in(const char *path, const char *operation) {
    struct quipu_reader *reader = opened(path);
    const char *lines = events_of(reader, QUIPU_KIND_BIT(QUIPU_KIND_collective_begin)), *all = "";
    for (int rank = 0; rank < 4; rank++)
        for (const char *line = lines; line; line = strchr(line + 1, '\n')) {
            const char *begin = strstr(line, harness_text(" %d collective_begin ", rank)),
                       *end = strchr(line + 1, '\n');
            const char *found = begin && begin < end ? strstr(begin, operation) : NULL;
            int sent, received;
            if (found && found < end &&
                sscanf(strstr(found, "sent="), "sent=%d received=%d", &sent, &received) == 2)
                all = harness_text("%s%s%d/%d", all, all[0] ? " " : "", sent, received);
        }
    quipu_reader_close(reader);
    return all;
}

/* Ranks 0 and 1 face ranks 2 and 3. The root passes MPI_ROOT, which is -4 in Open MPI and -3 in MPICH, the other one of its side MPI_PROC_NULL, -2 and -1; who
 * is on its side exchanges nothing with it. The file has no receiving side of the root's gather. */
static void test_communicators_bytes_between_groups(void **state) {
    (void)state;
    for (int root = -4; root < -2; root++) {
        struct made made = made_create();
        for (unsigned rank = 0; rank < 4; rank++) {
            const int32_t of_first = rank == 0 ? root : root + 2, of_last = rank == 3 ? root : root + 2;
            made_rank(&made, rank);
            CALL(&made, comm_split, .oldcomm = WORLD, .color = (int32_t)(rank / 2), .key = 0, .newcomm = 4);
            CALL(&made, intercomm_create, .localcomm = 4, .localleader = 0, .remotecomm = WORLD,
                 .remoteleader = rank < 2 ? 2 : 0, .tag = 1, .newcomm = 5);
            CALL(&made, bcast, .count = 7, .datatype = 9, .root = rank < 2 ? of_first : 0, .comm = 5);
            CALL(&made, gather, .sendcount = 3, .sendtype = 9, .root = rank < 2 ? 1 : of_last, .comm = 5);
            CALL(&made, reduce, .count = 5, .datatype = 9, .root = rank < 2 ? of_first : 0, .comm = 5);
            CALL(&made, allgather, .sendcount = 2, .sendtype = 9, .recvcount = 2, .recvtype = 9, .comm = 5);
        }
        const char *path = made_close(&made);
        assert_string_equal(bytes_in(path, harness_text("operation=%d ", QUIPU_COLLECTIVE_BCAST)),
                            "28/0 0/0 0/28 0/28");
        assert_string_equal(bytes_in(path, harness_text("operation=%d ", QUIPU_COLLECTIVE_GATHER)),
                            "12/0 12/0 0/0 0/0");
        assert_string_equal(bytes_in(path, harness_text("operation=%d ", QUIPU_COLLECTIVE_REDUCE)),
                            "0/40 0/0 20/0 20/0");
        assert_string_equal(bytes_in(path, harness_text("operation=%d ", QUIPU_COLLECTIVE_ALLGATHER)),
                            "8/16 8/16 8/16 8/16");
    }
}

/* A handle stands for another communicator after it was made again. */
static void test_communicators_handles_are_used_again(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = 0, .key = (int32_t)rank, .newcomm = 4);
        CALL(&made, send, .count = 1, .datatype = 9, .dest = 0, .tag = 1, .comm = 4);
        CALL(&made, comm_free, .comm = 4);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = 0, .key = (int32_t)(9 - rank), .newcomm = 4);
        CALL(&made, send, .count = 1, .datatype = 9, .dest = 0, .tag = 1, .comm = 4);
    }
    assert_events(made_close(&made), QUIPU_KIND_BIT(QUIPU_KIND_send),
                  "10 0 send peer=0 communicator=3 tag=1 bytes=4 request=?\n"
                  "10 1 send peer=0 communicator=3 tag=1 bytes=4 request=?\n"
                  "40 0 send peer=1 communicator=4 tag=1 bytes=4 request=?\n"
                  "40 1 send peer=1 communicator=4 tag=1 bytes=4 request=?\n");
}

static void test_communicators_with_strangers(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_spawn, .oldcommrank = (int32_t)rank, .root = 5, .oldcomm = WORLD, .newcomm = 4);
        if (rank == 0)
            CALL(&made, send, .count = 1, .datatype = 9, .dest = 0, .tag = 1, .comm = 4);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_spawn of MPI_COMM_WORLD", 0), "0 1 | -1");
    assert_events(path, QUIPU_KIND_BIT(QUIPU_KIND_send),
                  "10 0 send peer=? communicator=3 tag=1 bytes=4 request=?\n");
}

/* One rank does not call: the others are not kept waiting. */
static void test_communicators_survive_missing_calls(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 3; rank++) {
        made_rank(&made, rank);
        if (rank != 1)
            CALL(&made, comm_split, .oldcomm = WORLD, .color = 0, .key = 0, .newcomm = 4);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_split of MPI_COMM_WORLD", 0), "0 2");
    assert_int_equal(findings_of(path, "dumpi.communicator"), 1);
}

/* Rank 0 duplicates what it is no member of, before the members do: its next call counts all the same. */
static void test_communicators_of_others_keep_no_process_waiting(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 3; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_group, .comm = WORLD, .group = 3);
        CALL(&made, group_excl, .group = 3, .count = 1, .ranks = NUMBERS(0), .newgroup = 4);
        CALL(&made, comm_create, .oldcomm = WORLD, .group = 4, .newcomm = 4);
        CALL(&made, comm_dup, .oldcomm = 4, .newcomm = 5);
        CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 6);
        if (rank == 0)
            CALL(&made, send, .count = 1, .datatype = 9, .dest = 2, .tag = 1, .comm = 6);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_create of MPI_COMM_WORLD", 0), "1 2");
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_COMM_WORLD", 0), "0 1 2");
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_Comm_create of MPI_COMM_WORLD", 0), "1 2");
    assert_int_equal(findings_of(path, "dumpi.communicator"), 0);
}

/* The members of a group make communicators without the others, who are elsewhere: by MPI_Comm_create on MPI_COMM_SELF. What they do next to all is not kept
 * waiting; each takes part in the communicator that is made. */
static void test_communicators_that_only_a_group_makes(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 4; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_group, .comm = WORLD, .group = 3);
        CALL(&made, group_incl, .group = 3, .count = 3, .ranks = NUMBERS(3, 1, 0), .newgroup = 4);
        CALL(&made, group_incl, .group = 3, .count = 2, .ranks = NUMBERS(0, 3), .newgroup = 5);
        for (int16_t i = 0; i < 2 && rank != 2; i++)
            CALL(&made, comm_create, .oldcomm = SELF, .group = 4, .newcomm = (int16_t)(4 + i));
        if (rank == 0 || rank == 3)
            CALL(&made, comm_create, .oldcomm = SELF, .group = 5, .newcomm = 6);
        if (rank == 0)
            CALL(&made, send, .count = 1, .datatype = 9, .dest = 1, .tag = 1, .comm = 5);
        CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 7);
    }
    const char *path = made_close(&made), *name = "MPI_Comm_create";
    assert_string_equal(members(path, name, 0), "3 1 0");
    assert_string_equal(members(path, name, 1), "3 1 0");
    assert_string_equal(members(path, name, 2), "0 3");
    assert_string_equal(members(path, name, 3), "none");
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_COMM_WORLD", 0), "0 1 2 3");
    assert_int_equal(findings_of(path, "dumpi.communicator"), 0);
    assert_int_equal(count_complete(path, 3), 2);
    assert_int_equal(count_complete(path, 2), 1);
}

/* A grid is none of two sides, so nothing is known of what comes of it; all go on, and what they make next counts. */
static void test_communicators_that_cannot_be_keep_no_process_waiting(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 4; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_split, .oldcomm = WORLD, .color = (int32_t)(rank / 2), .key = 0, .newcomm = 4);
        CALL(&made, intercomm_create, .localcomm = 4, .localleader = 0, .remotecomm = WORLD,
             .remoteleader = rank < 2 ? 2 : 0, .tag = 1, .newcomm = 5);
        CALL(&made, cart_create, .oldcomm = 5, .ndim = 1, .dims = NUMBERS(2), .periods = NUMBERS(0),
             .newcomm = 6);
        CALL(&made, comm_dup, .oldcomm = WORLD, .newcomm = 7);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_COMM_WORLD", 0), "0 1 2 3");
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_COMM_WORLD", 1), "none");
    assert_int_equal(findings_of(path, "dumpi.communicator"), 0);
}

/* Ranks 0 and 1 have made a communicator of their group when rank 2 turns out to name one that is unknown: only rank 2's is guessed then, and what the
 * others call next, or that they call nothing, is left alone. */
static void test_communicators_of_a_group_that_one_rank_does_not_know(void **state) {
    (void)state;
    struct made made = made_create();
    for (unsigned rank = 0; rank < 3; rank++) {
        made_rank(&made, rank);
        CALL(&made, comm_group, .comm = WORLD, .group = 3);
        CALL(&made, group_excl, .group = 3, .count = 1, .ranks = NUMBERS(2), .newgroup = 4);
        CALL(&made, comm_create, .oldcomm = WORLD, .group = rank == 2 ? 9 : 4, .newcomm = 4);
        if (rank == 0)
            CALL(&made, comm_dup, .oldcomm = 4, .newcomm = 5);
    }
    const char *path = made_close(&made);
    assert_string_equal(members(path, "MPI_Comm_create of MPI_COMM_WORLD", 0), "0 1");
    assert_string_equal(members(path, "MPI_Comm_create of MPI_COMM_WORLD", 1), "2");
    assert_string_equal(members(path, "MPI_Comm_dup of MPI_Comm_create of MPI_COMM_WORLD", 0), "0 1");
}

QUIPU_TESTS(cmocka_unit_test(test_communicators_split_by_color_and_key),
            cmocka_unit_test(test_communicators_of_groups), cmocka_unit_test(test_communicators_of_grids),
            cmocka_unit_test(test_communicators_between_groups),
            cmocka_unit_test(test_communicators_with_parents_are_one_for_all_children),
            cmocka_unit_test(test_communicators_bytes_between_groups),
            cmocka_unit_test(test_communicators_handles_are_used_again),
            cmocka_unit_test(test_communicators_with_strangers),
            cmocka_unit_test(test_communicators_survive_missing_calls),
            cmocka_unit_test(test_communicators_of_others_keep_no_process_waiting),
            cmocka_unit_test(test_communicators_that_only_a_group_makes),
            cmocka_unit_test(test_communicators_that_cannot_be_keep_no_process_waiting),
            cmocka_unit_test(test_communicators_of_a_group_that_one_rank_does_not_know))
