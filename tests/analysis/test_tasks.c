/* Tasks: how long bodies run, are blocked and wait, where they run, and how busy CPUs are. Rows 0 and 1 are CPUs. */
#include "analysis/programs.h"

#define TYPES                                                                                                  \
    "type created bodies running_ns blocked_ns ready_ns mean_running_ns max_running_ns locations waiting "     \
    "unfinished"
#define CPUS "cpu locations task_ns runtime_ns idle_ns busy_percent"

/* A is created at 10 and runs from 20 to 30 and from 60 to 80: blocked from 30 to 60. In B, from 32 to 52, a body of A begins, from 36 to 40: B runs
 * 4 + 12 and is blocked 4. The thread runs from 0 to 100 on CPU 0; CPU 1 is idle. */
static const struct program one = {
    .rows = {
        "@core", "@core",
        "0/location_begin 0/affinity,peer=0 0/state_set,object=runs,value=1 10/task_create,object=A,id=1 "
        "12/task_create,object=B,id=2 14/task_create,object=A,id=3 20/task_begin,object=A,id=1,value=0 "
        "30/task_pause,id=1,value=0 32/task_begin,id=2,value=0,object=B 36/task_begin,object=A,id=3,value=0 "
        "40/task_end,id=3,value=0 52/task_end,id=2,value=0 60/task_resume,id=1,value=0 "
        "80/task_end,id=1,value=0 100/state_set,object=runs,value=3 100/location_end"}};

/* A: 10 + 20 + 4 run, 30 blocked, ready 10 + 22. B: ready from 12 to 32. */
static void test_tasks_run_are_blocked_and_are_ready(void **state) {
    (void)state;
    assert_answer(&one, "tasks", "", "types", TYPES, "A 2 2 34 30 32 17 30 1 0 0\nB 1 1 16 4 20 16 16 1 0 0\n");
    assert_answer(&one, "tasks", "", "locations",
                  "type type_id location location_id cpu cpu_id bodies running_ns",
                  "A 700 2 12 0 10 2 34\nB 701 2 12 0 10 1 16\n");
}

/* 34 + 16 in tasks. In bins of 25: 5 of A; 5 of A, 4 of B, 4 of A, 10 of B; 2 of B, 15 of A; 5 of A. */
static void test_tasks_fill_the_time_of_cpus(void **state) {
    (void)state;
    assert_answer(&one, "tasks", "", "cpus", CPUS, "0 1 50 50 0 100\n1 0 0 0 100 0\n");
    assert_answer(&one, "tasks", "over=time bins=4", "cpu_bins",
                  "cpu bin from_ns to_ns task_ns runtime_ns idle_ns",
                  "0 0 0 25 5 20 0\n0 1 25 50 23 2 0\n0 2 50 75 17 8 0\n0 3 75 100 5 20 0\n");
}

/* From 25 to 70: A runs 5 + 4 + 10 and is blocked 30; nothing is created, and A's task 3 is ready from 25 to 36, B from 25 to 32. */
static void test_tasks_are_cut_by_a_window(void **state) {
    (void)state;
    assert_answer(&one, "tasks", "from=25 to=70", "types", TYPES,
                  "A 0 2 19 30 11 9 15 1 0 0\nB 0 1 16 4 7 16 16 1 0 0\n");
    /* Nothing but waiting, A's tasks 1 and 3, and B: 5 each. */
    assert_answer(&one, "tasks", "from=15 to=20", "types", "type created bodies running_ns blocked_ns ready_ns",
                  "A 0 0 0 0 10\nB 0 0 0 0 5\n");
    assert_answer(&one, "tasks", "from=25 to=70", "cpus", CPUS, "0 1 35 10 0 100\n1 0 0 0 45 0\n");
}

/* A body that pauses at one thread resumes at the other one. Row 3 does not run from 40 to 60, and is moved to CPU 0 at 70 by row 2. */
static void test_tasks_move_between_threads_and_cpus(void **state) {
    (void)state;
    static const struct program program = {
        .rows = {"@core", "@core", "0/location_begin",
                 "@2 0/affinity,peer=1 30/task_resume,id=7,value=0 "
                 "40/state_set,object=runs,value=2 "
                 "60/state_set,object=runs,value=1 "
                 "80/task_end,id=7,value=0 90/location_end",
                 "@2 0/affinity,peer=0 10/task_begin,object=A,id=7,value=0 20/task_pause,id=7,value=0 "
                 "50/location_end 70/affinity,peer=0,object=3"}};
    assert_answer(&program, "tasks", "", "types", TYPES, "A 0 1 40 30 0 40 40 2 0 0\n");
    assert_answer(&program, "tasks", "", "locations", "location cpu bodies running_ns",
                  "3 1 0 20\n4 0 1 10\n3 0 0 10\n");
    assert_answer(&program, "tasks", "", "cpus", CPUS, "0 2 20 50 20 77.78\n1 1 20 30 40 55.56\n");
}

/* Two bodies of task 1 in parallel, of equal numbers in two processes; task 2 is never begun, nor is the first task 4. 5 has no end: it runs until
 * its thread's last event, at 60; 6 is paused since 45. What ends without having begun is nothing. */
static void test_tasks_count_bodies_and_what_does_not_end(void **state) {
    (void)state;
    static const struct program program = {
        .rows = {"0/task_create,object=A,id=1 0/task_create,object=A,id=2 5/task_create,object=A,id=4 "
                 "6/task_create,object=A,id=4 10/task_begin,object=A,id=1,value=1 20/task_end,id=1,value=1 "
                 "20/task_begin,object=A,id=4,value=0 30/task_end,id=4,value=0 50/task_begin,id=5,value=0 "
                 "60/location_end",
                 "@0 10/task_begin,object=A,id=1,value=2 30/task_end,id=1,value=2",
                 "10/task_begin,object=B,id=1,value=1 25/task_end,id=1,value=1 30/task_end,id=99,value=0 "
                 "40/task_begin,object=B,id=6,value=0 45/task_pause,id=6,value=0"}};
    assert_answer(&program, "tasks", "", "types", TYPES,
                  "A 4 3 40 0 24 13 20 2 2 0\nB 0 2 20 0 0 10 15 1 0 1\n- 0 1 10 0 0 10 10 1 0 1\n");
}

/* What says nothing of tasks and CPUs has no rows. */
static void test_tasks_of_a_program_without(void **state) {
    (void)state;
    static const struct program program = {.rows = {"0..10:work", "@core"}};
    assert_answer(&program, "tasks", "", "types", TYPES, "");
    assert_answer(&program, "tasks", "", "cpus", CPUS, "");
}

QUIPU_TESTS(cmocka_unit_test(test_tasks_run_are_blocked_and_are_ready),
            cmocka_unit_test(test_tasks_fill_the_time_of_cpus),
            cmocka_unit_test(test_tasks_are_cut_by_a_window),
            cmocka_unit_test(test_tasks_move_between_threads_and_cpus),
            cmocka_unit_test(test_tasks_count_bodies_and_what_does_not_end),
            cmocka_unit_test(test_tasks_of_a_program_without))
