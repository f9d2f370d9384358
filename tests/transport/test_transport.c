/* Putting together what processes know, up the tree and in one place. */
#include "transport/local.h"

#include "core/error.h"
#include "transport/transport.h"

enum { RANKS_MOST = 4096, NO_RANK = UINT32_MAX };

/* Each process knows its rank. */
struct known {
    uint32_t ranks[RANKS_MOST];
    uint32_t count;
};

static enum quipu_status add(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    struct known *known = context;
    (void)err;
    while (quipu__slice_left(&bytes) > 0)
        known->ranks[known->count++] = quipu__load_be32(quipu__take_bytes(&bytes, 4));
    return QUIPU_OK;
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    const struct known *known = context;
    (void)err;
    for (uint32_t i = 0; i < known->count; i++)
        quipu__put_be32(out, known->ranks[i]);
    return QUIPU_OK;
}

/* What happens at which rank, and what rank 0 has in the end. */
struct run {
    uint32_t fails, fails_too, ends, ends_failing;
    uint64_t messages;
    uint32_t received_by_root;
    enum quipu_status status;
    struct quipu_error err;
    struct known known;
};

static void work(struct quipu_transport *transport, void *context) {
    struct run *run = context;
    struct known known = {{transport->rank}, transport->only_gathers && transport->rank == 0 ? 0 : 1};
    const struct quipu__contribution contribution = {.context = &known, .add = add, .save = save};
    struct quipu__memory memory;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = QUIPU_OK;
    quipu__memory_init(&memory, NULL, 0);
    if (transport->rank == run->fails || transport->rank == run->fails_too)
        status = quipu__fail(&err, QUIPU_LIMIT, "rank %u fails", transport->rank);
    if (transport->rank == run->fails)
        transport->name = "node7";
    if (transport->rank == run->ends_failing)
        quipu__fail(&err, QUIPU_NOT_FOUND, "there is no trace");
    if (transport->rank == run->ends || transport->rank == run->ends_failing)
        assert_int_equal(quipu_transport_end(transport, err.status == QUIPU_OK ? NULL : &err, NULL), QUIPU_OK);
    else
        status = quipu__transport_reduce(transport, &memory, &contribution, status, &err);
    assert_true(transport->is_done);
    assert_int_equal(quipu_transport_end(transport, &err, NULL), QUIPU_OK); /* does nothing */
    assert_int_equal(memory.used, 0);
    run->messages += transport->messages_sent;
    if (transport->rank == 0) {
        run->status = status;
        run->err = err;
        run->known = known;
    } else if (transport->rank != run->ends && transport->rank != run->ends_failing)
        assert_int_equal(status, QUIPU_END);
}

static struct run nothing_happens(void) {
    return (struct run){.fails = NO_RANK, .fails_too = NO_RANK, .ends = NO_RANK, .ends_failing = NO_RANK};
}

static void run_all(struct run *run, uint32_t size, bool only_gathers, uint32_t damaged) {
    struct local local;
    local_init(&local, size, only_gathers, size);
    local.damaged = damaged;
    local_run(&local, work, run);
    run->received_by_root = local.received_by_root;
    local_release(&local);
}

static void test_transport_adds_in_the_order_of_ranks(void **state) {
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 100, 1000, RANKS_MOST};
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const uint32_t size = sizes[i / 2], gathers = i % 2;
        static struct run run;
        run = nothing_happens();
        run_all(&run, size, gathers, 0);
        assert_int_equal(run.status, QUIPU_OK);
        assert_int_equal(run.known.count, size - gathers);
        for (uint32_t k = 0; k < run.known.count; k++)
            assert_int_equal(run.known.ranks[k], k + gathers);
        assert_int_equal(run.messages, size - 1);
        uint32_t doublings = 0;
        while (UINT32_C(1) << doublings < size)
            doublings++;
        assert_int_equal(run.received_by_root, gathers ? size - 1 : doublings);
    }
}

static void test_transport_gives_the_first_failure_by_rank(void **state) {
    static struct run run;
    (void)state;
    for (uint32_t first = 0; first < 13; first++) {
        run = nothing_happens();
        run.fails = first;
        run.fails_too = 12;
        run_all(&run, 13, false, 0);
        assert_int_equal(run.status, QUIPU_LIMIT);
        assert_string_equal(run.err.message,
                            first == 0 ? "rank 0 fails" : harness_text("at node7: rank %u fails", first));
    }
}

static void test_transport_takes_the_failure_of_a_process_that_cannot_take_part(void **state) {
    static struct run run;
    (void)state;
    for (uint32_t rank = 1; rank < 9; rank++) {
        run = nothing_happens();
        run.ends_failing = rank;
        run_all(&run, 9, false, 0);
        assert_int_equal(run.status, QUIPU_NOT_FOUND);
        assert_string_equal(run.err.message, "there is no trace");
    }
}

static void test_transport_refuses_a_process_that_ends_without_its_part(void **state) {
    static struct run run;
    (void)state;
    run = nothing_happens();
    run.ends = 4;
    run_all(&run, 6, false, 0);
    assert_int_equal(run.status, QUIPU_CORRUPT);
    assert_string_equal(run.err.message, "process 4 has ended without its part of the answer");
}

static void test_transport_receives_what_a_process_that_needs_nothing_is_sent(void **state) {
    static struct run run;
    (void)state;
    run = nothing_happens();
    run.ends = 0;
    run_all(&run, 6, false, 0); /* all messages are received */
    assert_int_equal(run.status, QUIPU_OK);
}

static void test_transport_notices_damaged_messages(void **state) {
    static struct run run;
    (void)state;
    for (uint32_t rank = 1; rank < 6; rank++) {
        run = nothing_happens();
        run_all(&run, 6, false, rank);
        assert_int_equal(run.status, QUIPU_CORRUPT);
        assert_string_equal(run.err.message, harness_text("what process %u has handed on is damaged", rank));
    }
}

static void test_transport_keeps_a_failure_where_rank_0_only_gathers(void **state) {
    struct quipu__memory memory;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_transport transport = {.rank = 1, .size = 2, .only_gathers = true};
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    const enum quipu_status status = quipu__fail(&err, QUIPU_LIMIT, "too much");
    assert_int_equal(quipu__transport_reduce(&transport, &memory, NULL, status, &err), QUIPU_LIMIT);
    assert_string_equal(err.message, "too much");
    assert_int_equal(transport.messages_sent, 0);
}

/* ---- Agreeing ---- */

enum { MUCH = 5000 }; /* bytes, more than a process without memory can receive */

struct agreeing {
    uint32_t size, fails, fails_to_say, is_out; /* is_out: of memory */
    bool meets;
    _Atomic uint32_t all_fine, ended;
    enum quipu_status status; /* of rank 0 */
    struct quipu_error err;
};

struct saying {
    bool fails;
    size_t bytes, received;
};

static enum quipu_status take_much(void *context, struct quipu__slice bytes, struct quipu_error *err) {
    struct saying *saying = context;
    (void)err;
    saying->received += quipu__slice_left(&bytes);
    return QUIPU_OK;
}

static enum quipu_status say_much(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    const struct saying *saying = context;
    for (size_t i = 0; i < saying->bytes; i++)
        quipu__put_u8(out, 7);
    return saying->fails ? quipu__fail(err, QUIPU_LIMIT, "it cannot be said") : QUIPU_OK;
}

static void agree(struct quipu_transport *transport, void *context) {
    struct agreeing *agreeing = context;
    struct saying saying = {transport->rank == agreeing->fails_to_say, agreeing->meets ? 5 : MUCH, 0};
    const struct quipu__contribution contribution = {.context = &saying,
                                                     .add = take_much,
                                                     .save = say_much,
                                                     .meets = agreeing->meets,
                                                     .agrees = !agreeing->meets};
    struct quipu__memory memory;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = QUIPU_OK;
    quipu__memory_init(&memory, NULL, transport->rank == agreeing->is_out ? 2000 : 0);
    if (transport->rank == agreeing->fails)
        status = quipu__fail(&err, QUIPU_OUTPUT, "rank %u fails", transport->rank);
    status = quipu__transport_reduce(transport, &memory, &contribution, status, &err);
    if (transport->rank == 0) {
        agreeing->status = status;
        agreeing->err = err;
    }
    agreeing->all_fine += status == QUIPU_OK;
    agreeing->ended += status == QUIPU_END;
}

static void assert_agreement(struct agreeing agreeing, enum quipu_status status) {
    local_run_together(agreeing.size, agree, &agreeing); /* all messages are received */
    assert_int_equal(agreeing.status, status);
    assert_int_equal(agreeing.all_fine, status == QUIPU_OK ? agreeing.size : 0);
    assert_int_equal(agreeing.ended, status == QUIPU_OK ? 0 : agreeing.size - 1);
}

static struct agreeing agreement(uint32_t size) {
    return (struct agreeing){.size = size, .fails = NO_RANK, .fails_to_say = NO_RANK, .is_out = NO_RANK};
}

static void test_transport_lets_all_go_on_or_none(void **state) {
    (void)state;
    for (uint32_t size = 1; size <= 17; size += 4) {
        assert_agreement(agreement(size), QUIPU_OK);
        for (uint32_t rank = 0; rank < size; rank++) {
            struct agreeing agreeing = agreement(size);
            agreeing.fails = rank;
            assert_agreement(agreeing, QUIPU_OUTPUT);
        }
    }
}

/* Rank 0 has none to say it to. */
static void test_transport_stops_all_when_one_cannot_say_or_receive_it(void **state) {
    (void)state;
    for (uint32_t rank = 1; rank < 9; rank++) {
        struct agreeing agreeing = agreement(9);
        agreeing.fails_to_say = rank;
        assert_agreement(agreeing, QUIPU_LIMIT);
        agreeing.meets = true;
        assert_agreement(agreeing, QUIPU_LIMIT);
        agreeing = agreement(9);
        agreeing.is_out = rank - 1;
        assert_agreement(agreeing, QUIPU_NO_MEMORY);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_transport_adds_in_the_order_of_ranks),
            cmocka_unit_test(test_transport_gives_the_first_failure_by_rank),
            cmocka_unit_test(test_transport_takes_the_failure_of_a_process_that_cannot_take_part),
            cmocka_unit_test(test_transport_refuses_a_process_that_ends_without_its_part),
            cmocka_unit_test(test_transport_receives_what_a_process_that_needs_nothing_is_sent),
            cmocka_unit_test(test_transport_notices_damaged_messages),
            cmocka_unit_test(test_transport_keeps_a_failure_where_rank_0_only_gathers),
            cmocka_unit_test(test_transport_lets_all_go_on_or_none),
            cmocka_unit_test(test_transport_stops_all_when_one_cannot_say_or_receive_it))
