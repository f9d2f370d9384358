/* test_thread_assignment.c: which loom, process, thread and folder a location becomes, and CPUs of looms. */
#include "harness.h"

#include "formats/ovni/from_model.h"

static struct quipu_location locations[] = {
    {.name = "loom.n1", .kind = QUIPU_LOCATION_NODE, .parent = QUIPU_NONE, .rank = -1, .pid = -1, .tid = -1},
    {.name = "CPU 0.4", .kind = QUIPU_LOCATION_CPU, .parent = 0, .rank = -1, .pid = -1, .tid = -1},
    {.name = "CPU 0.6", .kind = QUIPU_LOCATION_CPU, .parent = 0, .rank = -1, .pid = -1, .tid = -1},
    {.name = "vCPU 0.*", .kind = QUIPU_LOCATION_CPU, .parent = 0, .rank = -1, .pid = -1, .tid = -1},
    {.name = "proc.7", .kind = QUIPU_LOCATION_PROCESS, .parent = 0, .rank = 3, .pid = -1, .tid = -1},
    {.name = "thread.9", .kind = QUIPU_LOCATION_THREAD, .parent = 4, .rank = -1, .pid = -1, .tid = -1},
    {.name = "worker", .kind = QUIPU_LOCATION_THREAD, .parent = 4, .rank = -1, .pid = -1, .tid = 55},
    {.name = "launcher", .kind = QUIPU_LOCATION_PROCESS, .parent = 0, .rank = -1, .pid = 20, .tid = -1},
    {.name = "other/one",
     .kind = QUIPU_LOCATION_PROCESS,
     .parent = QUIPU_NONE,
     .rank = -1,
     .pid = -1,
     .tid = -1},
    {.name = "thread.9", .kind = QUIPU_LOCATION_THREAD, .parent = 4, .rank = -1, .pid = -1, .tid = -1},
};
enum { COUNT = sizeof locations / sizeof *locations };

struct assignment {
    struct quipu__memory memory;
    struct quipu__ovni_writer writer;
    struct quipu_definitions definitions;
    struct quipu__ovni_event_writer events;
};

static void begin(struct assignment *assignment) {
    memset(assignment, 0, sizeof *assignment);
    quipu__memory_init(&assignment->memory, NULL, 0);
    assignment->writer.memory = &assignment->memory;
    quipu__arena_init(&assignment->writer.arena, &assignment->memory);
    assignment->definitions.locations = (struct quipu_locations){locations, COUNT};
    struct quipu__ovni_event_writer *events = &assignment->events;
    events->writer = &assignment->writer;
    events->definitions = &assignment->definitions;
    quipu__map_init(&events->loom_of, &assignment->memory);
    quipu__map_init(&events->ranked_nodes, &assignment->memory);
    quipu__map_init(&events->folders, &assignment->memory);
    quipu__map_init(&events->first_cpu, &assignment->memory);
    quipu__map_init(&events->last_cpu, &assignment->memory);
}

static void end(struct assignment *assignment) {
    struct quipu__ovni_event_writer *events = &assignment->events;
    QUIPU__VEC_RELEASE(&assignment->memory, &events->looms);
    QUIPU__VEC_RELEASE(&assignment->memory, &events->cpus);
    quipu__map_release(&events->loom_of);
    quipu__map_release(&events->ranked_nodes);
    quipu__map_release(&events->folders);
    quipu__map_release(&events->first_cpu);
    quipu__map_release(&events->last_cpu);
    quipu__arena_release(&assignment->writer.arena);
    assert_int_equal(assignment->memory.used, 0);
}

static void test_thread_assignment_finds_what_is_above(void **state) {
    struct assignment assignment;
    (void)state;
    begin(&assignment);
    assert_int_equal(quipu__ovni_find_above(&assignment.events, 5, QUIPU_LOCATION_PROCESS), 4);
    assert_int_equal(quipu__ovni_find_above(&assignment.events, 5, QUIPU_LOCATION_NODE), 0);
    assert_int_equal(quipu__ovni_find_above(&assignment.events, 5, QUIPU_LOCATION_THREAD), 5);
    assert_int_equal(quipu__ovni_find_above(&assignment.events, 8, QUIPU_LOCATION_NODE), QUIPU_NONE);
    assert_int_equal(quipu__ovni_find_above(&assignment.events, 99, QUIPU_LOCATION_NODE), QUIPU_NONE);
    assert_ptr_equal(quipu__ovni_process_of(&assignment.events, 6), &locations[4]);
    assert_ptr_equal(quipu__ovni_process_of(&assignment.events, 1), &locations[1]); /* in none */
    end(&assignment);
}

static void assert_assigned(struct assignment *assignment, uint32_t location, int64_t pid, int64_t tid,
                            const char *folder) {
    struct quipu__ovni_written_thread thread = {.location = location};
    assert_true(quipu__ovni_assign_thread(&assignment->events, &thread));
    assert_string_equal(thread.folder, folder);
    assert_int_equal(thread.pid, pid);
    assert_int_equal(thread.tid, tid);
    assert_int_equal(thread.rank, location == 5 || location == 6 || location == 9 ? 3 : -1);
}

/* Numbers are those that are known, then those in names, then those of locations, from 1. A process without rank beside ranked ones has a loom
 * of its own; a folder that is taken gets another thread's number. */
static void test_thread_assignment_numbers_and_folders(void **state) {
    struct assignment assignment;
    (void)state;
    begin(&assignment);
    assert_assigned(&assignment, 5, 7, 9, "loom.n1/proc.7/thread.9");
    assert_assigned(&assignment, 6, 7, 55, "loom.n1/proc.7/thread.55");
    assert_assigned(&assignment, 7, 20, 20, "loom.n1.unranked/proc.20/thread.20");
    assert_assigned(&assignment, 8, 9, 9, "loom.node/proc.9/thread.9");
    assert_assigned(&assignment, 9, 7, 1000000009, "loom.n1/proc.7/thread.1000000009");
    assert_int_equal(assignment.events.rank_count, 4);
    assert_int_equal(assignment.events.looms.count, 3);
    end(&assignment);
}

/* The virtual CPU is none. Numbers in the operating system stand behind the dot. */
static void test_thread_assignment_lists_cpus(void **state) {
    struct assignment assignment;
    bool is_starved = false;
    (void)state;
    begin(&assignment);
    assert_true(quipu__ovni_list_cpus(&assignment.events));
    assert_int_equal(quipu__ovni_cpu_index(&assignment.events, 1, 0), 0);
    assert_int_equal(quipu__ovni_cpu_index(&assignment.events, 2, 0), 1);
    assert_int_equal(quipu__ovni_cpu_index(&assignment.events, 3, 0), -1);
    assert_int_equal(quipu__ovni_cpu_index(&assignment.events, 1, 8), -1);
    assert_int_equal(quipu__ovni_cpu_index(&assignment.events, QUIPU_NONE, 0), -1);
    json_t *list = quipu__ovni_cpus_of(&assignment.events, 0, &is_starved);
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_number_value(json_object_get(json_array_get(list, 1), "index")) == 1);
    assert_true(json_number_value(json_object_get(json_array_get(list, 1), "phyid")) == 6);
    json_decref(list);
    list = quipu__ovni_cpus_of(&assignment.events, QUIPU_NONE, &is_starved); /* one at least */
    assert_int_equal(json_array_size(list), 1);
    json_decref(list);
    assert_false(is_starved);
    end(&assignment);
}

QUIPU_TESTS(cmocka_unit_test(test_thread_assignment_finds_what_is_above),
            cmocka_unit_test(test_thread_assignment_numbers_and_folders),
            cmocka_unit_test(test_thread_assignment_lists_cpus))
