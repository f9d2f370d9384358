/* test_to_model.c: events of threads as events of the model. Times count from the earliest clock. */
#include "traces.h"

static void assert_model(const char *models, const char *events, const char *expected) {
    assert_string_equal(model_events(MADE_TRACE({.tid = 11, .models = models, .events = events})), expected);
}

static void test_to_model_threads_live_on_cpus_in_states(void **state) {
    (void)state;
    assert_model("", "100 OHx i0 i-1 q0; 110 OHc; 120 OHp; 130 OHw; 140 OAs i-1; 150 OHr; 160 OHe",
                 "0 thread.11 location_begin; 0 thread.11 affinity cpu=CPU 0.0 subject=?; "
                 "0 thread.11 state_set channel=thread state value=1; "
                 "10 thread.11 state_set channel=thread state value=4; "
                 "20 thread.11 state_set channel=thread state value=2; "
                 "30 thread.11 state_set channel=thread state value=5; "
                 "40 thread.11 affinity cpu=vCPU 0.* subject=?; "
                 "50 thread.11 state_set channel=thread state value=1; "
                 "60 thread.11 state_set channel=thread state value=3; 60 thread.11 location_end");
}

/* Another thread is moved: the subject. A CPU that the loom has not is unknown. */
static void test_to_model_affinity_of_others(void **state) {
    (void)state;
    assert_string_equal(model_events(MADE_TRACE({.tid = 11, .events = "0 OAr i0 i12; 1 OAr i7 i99"},
                                                {.tid = 12, .cpus = -1, .events = "5 OB."})),
                        "0 thread.11 affinity cpu=CPU 0.0 subject=thread.12; "
                        "1 thread.11 affinity cpu=? subject=?; 5 thread.12 marker marker=OB. text=OB.");
}

/* What is entered and left are regions; other channels are channels. */
static void test_to_model_regions_and_channels(void **state) {
    (void)state;
    assert_model("VMK", "0 MS[; 1 MS]; 2 VSh; 3 VSf; 4 VPr; 5 KCO; 6 KCI; 7 OF[; 8 OF]",
                 "0 thread.11 enter region=MPI_Send; 1 thread.11 leave region=MPI_Send; "
                 "2 thread.11 enter region=Scheduler: Hungry; 3 thread.11 leave region=Scheduler: Hungry; "
                 "4 thread.11 state_set channel=nOS-V idle state value=101; "
                 "5 thread.11 state_push channel=Kernel context switch value=3; "
                 "6 thread.11 state_pop channel=Kernel context switch value=3; "
                 "7 thread.11 state_set channel=Flushing ovni buffer value=1; "
                 "8 thread.11 state_set channel=Flushing ovni buffer value=0");
}

/* A body is a call of its type and an event of its task. */
static void test_to_model_tasks(void **state) {
    (void)state;
    assert_model(
        "V", "0 VYc + i1 swork; 1 VTc i5 i1; 2 VTx i5 i0; 3 VTp i5 i0; 4 VTr i5 i0; 5 VTe i5 i0; 6 VTx i6 i0",
        "1 thread.11 task_create type=work task=5; 2 thread.11 task_begin task=5 body=0 type=work; "
        "2 thread.11 enter region=work; 3 thread.11 task_pause task=5 body=0; "
        "4 thread.11 task_resume task=5 body=0; 5 thread.11 leave region=work; "
        "5 thread.11 task_end task=5 body=0; 6 thread.11 task_begin task=6 body=0 type=?");
}

/* The labels of worksharing of OpenMP are regions, too; its tasks count behind those of nOS-V. */
static void test_to_model_openmp(void **state) {
    (void)state;
    assert_model("PV", "0 POc + i1 sloop; 1 PQx i1; 2 PQe i1; 3 PPc i7 i1; 4 PPx i7; 5 PPe i7",
                 "1 thread.11 enter region=loop; 2 thread.11 leave region=loop; "
                 "3 thread.11 task_create type=loop task=4294967303; "
                 "4 thread.11 task_begin task=4294967303 body=0 type=loop; 4 thread.11 enter region=loop; "
                 "5 thread.11 leave region=loop; 5 thread.11 task_end task=4294967303 body=0");
}

static void test_to_model_marks_and_counters(void **state) {
    const char *path = MADE_TRACE(
        {.tid = 11,
         .models = "V",
         .more = ", \"mark\": {\"1\": {\"title\": \"phase\", \"chan_type\": \"single\"}, \"2\": {\"title\": "
                 "\"step\", \"chan_type\": \"stack\"}}",
         .top = ", \"nosv\": {\"hwc\": {\"0\": {\"name\": \"CYCLES\"}, \"1\": {\"name\": \"MISSES\"}}}",
         .events = "0 OM= q7 i1; 1 OM[ q8 i2; 2 OM] q8 i2; 3 VWC + q-5 q6; 4 OM= q7 i3"});
    (void)state;
    assert_string_equal(
        model_events(path),
        "0 thread.11 state_set channel=phase value=7; 1 thread.11 state_push channel=step value=8; "
        "2 thread.11 state_pop channel=step value=8; 3 thread.11 metric metric=CYCLES value=-5; "
        "3 thread.11 metric metric=MISSES value=6; 4 thread.11 marker marker=other event text=OM=");
}

/* Events without a place in the model, and of models that nothing requires, are markers. */
static void test_to_model_other_events_are_markers(void **state) {
    (void)state;
    assert_model(
        "", "0 OHC i0 q1; 1 OB2 xabcd; 2 MS[; 3 XYZ",
        "0 thread.11 marker marker=OHC text=OHC; 1 thread.11 marker marker=OB. text=OB2; "
        "2 thread.11 marker marker=other event text=MS[; 3 thread.11 marker marker=other event text=XYZ");
}

/* Late events come in their time. */
static void test_to_model_late_events_come_in_time_order(void **state) {
    (void)state;
    assert_model(
        "MK", "0 MS[; 20 OU[; 5 KCO; 9 KCI; 21 OU]; 30 MS]",
        "0 thread.11 enter region=MPI_Send; 5 thread.11 state_push channel=Kernel context switch value=3; "
        "9 thread.11 state_pop channel=Kernel context switch value=3; 20 thread.11 marker marker=OU[ text=OU[; "
        "21 thread.11 marker marker=OU] text=OU]; 30 thread.11 leave region=MPI_Send");
}

QUIPU_TESTS(cmocka_unit_test(test_to_model_threads_live_on_cpus_in_states),
            cmocka_unit_test(test_to_model_affinity_of_others),
            cmocka_unit_test(test_to_model_regions_and_channels), cmocka_unit_test(test_to_model_tasks),
            cmocka_unit_test(test_to_model_openmp), cmocka_unit_test(test_to_model_marks_and_counters),
            cmocka_unit_test(test_to_model_other_events_are_markers),
            cmocka_unit_test(test_to_model_late_events_come_in_time_order))
