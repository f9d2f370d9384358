/* test_define.c: looms, processes, threads and CPUs as locations, and what channels, regions and types are. */
#include "traces.h"

static const struct quipu_location *location_of(const struct quipu_definitions *d, const char *name) {
    for (size_t i = 0; i < d->locations.count; i++)
        if (strcmp(d->locations.items[i].name, name) == 0)
            return &d->locations.items[i];
    fail_msg("no location %s", name);
    return NULL;
}

static const char *parent_of(const struct quipu_definitions *d, const char *name) {
    const uint32_t parent = location_of(d, name)->parent;
    return parent == QUIPU_NONE ? "" : d->locations.items[parent].name;
}

static void test_define_locations_are_those_of_the_metadata(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE(
        {.tid = 11, .pid = 7, .loom = "host.3", .more = ", \"rank\": 2, \"nranks\": 4", .events = "5 OB."}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(d->locations.count, 5);
    assert_string_equal(parent_of(d, "loom.host.3"), "");
    assert_int_equal(location_of(d, "loom.host.3")->kind, QUIPU_LOCATION_NODE);
    assert_string_equal(location_of(d, "loom.host.3")->host, "host");
    assert_string_equal(parent_of(d, "CPU 0.0"), "loom.host.3");
    assert_string_equal(parent_of(d, "vCPU 0.*"), "loom.host.3");
    assert_int_equal(location_of(d, "vCPU 0.*")->kind, QUIPU_LOCATION_CPU);
    assert_string_equal(parent_of(d, "proc.7"), "loom.host.3");
    assert_int_equal(location_of(d, "proc.7")->rank, 2);
    assert_int_equal(location_of(d, "proc.7")->pid, 7);
    assert_string_equal(parent_of(d, "thread.11"), "proc.7");
    assert_int_equal(location_of(d, "thread.11")->tid, 11);
    assert_int_equal(d->clock.ticks_per_second, 1000000000);
    assert_int_equal(d->clock.origin, 5);
    quipu_reader_close(reader);
}

/* Processes of one application are a group. */
static void test_define_applications_are_groups(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE({.tid = 1, .pid = 1, .events = "5 OB."},
                                                         {.tid = 2, .pid = 2, .cpus = -1, .events = "5 OB."},
                                                         {.tid = 3, .pid = 2, .cpus = -1, .events = "5 OB."}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(d->groups.count, 1);
    assert_string_equal(d->groups.items[0].name, "application 1");
    assert_int_equal(d->groups.items[0].native_id, 1);
    assert_false(d->groups.items[0].is_communicator);
    assert_int_equal(d->groups.items[0].member_count, 2);
    assert_string_equal(d->locations.items[d->groups.items[0].members[0]].name, "proc.1");
    assert_string_equal(d->locations.items[d->groups.items[0].members[1]].name, "proc.2");
    quipu_reader_close(reader);
}

static const struct quipu_channel *channel_of(const struct quipu_definitions *d, const char *name) {
    for (size_t i = 0; i < d->channels.count; i++)
        if (strcmp(d->channels.items[i].name, name) == 0)
            return &d->channels.items[i];
    return NULL;
}

/* Labels are in the order of their values; channels of models that nothing requires are not there. */
static void test_define_channels_and_marks(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE(
        {.tid = 11,
         .models = "V",
         .more = ", \"mark\": {\"4\": {\"title\": \"step\", \"chan_type\": \"stack\", \"labels\": {\"9\": "
                 "\"nine\", \"-2\": \"less\"}}}",
         .events = "5 OB."}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    const struct quipu_channel *mark = channel_of(d, "step"), *idle = channel_of(d, "nOS-V idle state");
    (void)state;
    assert_non_null(mark);
    assert_int_equal(mark->native_id, 104);
    assert_true(mark->is_stack);
    assert_int_equal(mark->label_count, 2);
    assert_int_equal(mark->labels[0].value, -2);
    assert_string_equal(mark->labels[1].text, "nine");
    assert_non_null(idle);
    assert_int_equal(idle->native_id, 16);
    assert_false(idle->is_stack);
    assert_string_equal(idle->labels[1].text, "Resting");
    assert_int_equal(channel_of(d, "thread state")->label_count, 6);
    assert_null(channel_of(d, "Kernel context switch"));
    quipu_reader_close(reader);
}

static const struct quipu_region *region_of(const struct quipu_definitions *d, const char *name) {
    for (size_t i = 0; i < d->regions.count; i++)
        if (strcmp(d->regions.items[i].name, name) == 0)
            return &d->regions.items[i];
    fail_msg("no region %s", name);
    return NULL;
}

static void test_define_regions_have_roles(void **state) {
    struct quipu_reader *reader = made_reader(MADE_TRACE({.tid = 11, .models = "VM", .events = "5 OB."}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    (void)state;
    assert_int_equal(region_of(d, "MPI_Send")->role, QUIPU_REGION_MPI_P2P);
    assert_int_equal(region_of(d, "MPI_Wait")->role, QUIPU_REGION_MPI_P2P);
    assert_int_equal(region_of(d, "MPI_Barrier")->role, QUIPU_REGION_MPI_COLLECTIVE);
    assert_int_equal(region_of(d, "MPI_Init")->role, QUIPU_REGION_MPI_OTHER);
    assert_int_equal(region_of(d, "Scheduler: Hungry")->role, QUIPU_REGION_RUNTIME);
    assert_int_equal(region_of(d, "MPI_Send")->nesting, QUIPU_NESTING_FREE);
    quipu_reader_close(reader);
}

/* Types may come from another thread of the process than their tasks. */
static void test_define_types_of_tasks(void **state) {
    struct quipu_reader *reader = made_reader(
        MADE_TRACE({.tid = 11, .models = "V", .events = "5 VTc i5 i3; 6 VTx i5 i0"},
                   {.tid = 12, .models = "V", .cpus = -1, .events = "9 VYc + i3 swork; 9 VYc + i4 s"}));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    struct quipu_event event;
    (void)state;
    assert_int_equal(d->task_types.count, 2);
    assert_string_equal(d->task_types.items[0].name, "work");
    assert_int_equal(d->task_types.items[0].native_id, 3);
    assert_string_equal(d->task_types.items[1].name, "(unlabeled task type 4)");
    assert_int_equal(region_of(d, "work")->role, QUIPU_REGION_TASK);
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    assert_int_equal(event.kind, QUIPU_KIND_task_create);
    assert_int_equal(event.object, 0);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_define_locations_are_those_of_the_metadata),
            cmocka_unit_test(test_define_applications_are_groups),
            cmocka_unit_test(test_define_channels_and_marks), cmocka_unit_test(test_define_regions_have_roles),
            cmocka_unit_test(test_define_types_of_tasks))
