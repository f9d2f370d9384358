/* What is active at a time, on events made by hand. One tick is 10 ns. */
#include "harness.h"

#include "analysis/shared/fold.h"
#include "model/batch.h"
#include "model/define.h"
#include "state/matcher.h"

enum { MAIN, SOLVE, SEND, BLOCK };          /* regions; the last one need not nest */
enum { RANK_0, RANK_1, THREAD, LOCATIONS }; /* the thread is one of rank 0 */
enum { LOAD, TEMPERATURE };                 /* metrics */
enum { MODE, STACK, OTHER_STACK };          /* channels */
enum { WORLD };
enum { DATA };
enum { EVENTS = 512, SUBSTREAMS = 4 };

struct fixture {
    struct quipu__memory memory;
    struct quipu__define define;
    struct quipu__batch *substreams[SUBSTREAMS]; /* each of a stream with that number */
    const struct quipu__fold *fold;
    struct quipu_selection selection;
};

static int set_up(void **state) {
    static struct fixture fixture;
    static const char *const regions[] = {"main", "solve", "MPI_Send"};
    static const char *const channels[] = {"mode", "stack", "other stack"};
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    const struct quipu_location locations[] = {
        {.native_id = 1, .name = "rank 0", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .host = ""},
        {.native_id = 2, .name = "rank 1", .kind = QUIPU_LOCATION_PROCESS, .parent = QUIPU_NONE, .host = ""},
        {.native_id = 65537, .name = "thread", .kind = QUIPU_LOCATION_THREAD, .parent = RANK_0, .host = ""}};
    struct quipu__define *define = &fixture.define;
    quipu__memory_init(&fixture.memory, NULL, 0);
    assert_int_equal(quipu__define_init(define, &fixture.memory, NULL), QUIPU_OK);
    define->definitions.clock.ticks_per_second = 100000000;
    for (size_t i = 0; i < LOCATIONS; i++)
        quipu__add_location(define, &locations[i]);
    for (uint64_t i = 0; i < 3; i++) {
        quipu__add_region(define, &(struct quipu_region){.native_id = i, .name = regions[i], .group = ""});
        quipu__add_channel(define,
                           &(struct quipu_channel){.native_id = i, .name = channels[i], .is_stack = i > MODE});
    }
    quipu__add_region(define,
                      &(struct quipu_region){
                          .native_id = BLOCK, .name = "block", .group = "", .nesting = QUIPU_NESTING_FREE});
    static const uint32_t ranks[] = {RANK_0, RANK_1};
    quipu__add_group(
        define, &(struct quipu_group){
                    .native_id = 91, .name = "", .is_communicator = true, .member_count = 2, .members = ranks});
    quipu__add_file(define, &(struct quipu_file){.native_id = 4, .name = "data.bin", .group = ""});
    quipu__add_metric(
        define, &(struct quipu_metric){.name = "load", .group = "", .unit = "", .value = QUIPU_METRIC_F64});
    quipu__add_metric(define, &(struct quipu_metric){
                                  .name = "temperature", .group = "", .unit = "", .value = QUIPU_METRIC_I64});
    for (uint32_t i = 0; i < SUBSTREAMS; i++) {
        assert_int_equal(quipu__batch_new(&fixture.memory, EVENTS, &fixture.substreams[i], NULL), QUIPU_OK);
        fixture.substreams[i]->batch.stream = i;
    }
    fixture.fold = quipu__fold_find("state");
    fixture.selection = everything;
    assert_non_null(fixture.fold);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    for (uint32_t i = 0; i < SUBSTREAMS; i++)
        quipu__batch_free(fixture->substreams[i]);
    quipu__define_release(&fixture->define);
    return fixture->memory.used == 0 ? 0 : -1;
}

/* ---- Making events ---- */

static void add(struct fixture *fixture, struct quipu_event event) {
    struct quipu_batch *batch = &fixture->substreams[event.stream]->batch;
    const uint32_t i =
        quipu__batch_add(batch, event.time, (enum quipu_kind)event.kind, event.location, event.byte_offset);
#define QUIPU_COLUMN(name, c_type, doc) batch->name[i] = event.name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
}

static const struct quipu_event unknown = {.object = QUIPU_NONE,
                                           .peer = QUIPU_NONE,
                                           .group = QUIPU_NONE,
                                           .operation = QUIPU_NONE,
                                           .bytes = QUIPU_UNKNOWN,
                                           .value = QUIPU_UNKNOWN,
                                           .id = QUIPU_UNKNOWN};

/* Adds an event of which only what is set here is known, in substream 0 unless that says another stream. */
#define EVENT(its_time, its_location, its_kind, ...)                                                           \
    do {                                                                                                       \
        struct quipu_event e = unknown;                                                                        \
        e.time = (its_time);                                                                                   \
        e.location = (its_location);                                                                           \
        e.kind = QUIPU_KIND_##its_kind;                                                                        \
        __VA_ARGS__;                                                                                           \
        add(fixture, e);                                                                                       \
    } while (0)

static void enter(struct fixture *fixture, int64_t time, uint32_t location, uint32_t region) {
    EVENT(time, location, enter, e.object = region);
}

static void leave(struct fixture *fixture, int64_t time, uint32_t location, uint32_t region) {
    EVENT(time, location, leave, e.object = region);
}

/* A message of rank 0 to rank 1 with that tag. */
static void send(struct fixture *fixture, int64_t time, int64_t tag, uint64_t bytes) {
    EVENT(time, RANK_0, send, e.peer = RANK_1, e.group = WORLD, e.tag = tag, e.bytes = bytes);
}

static void receive(struct fixture *fixture, int64_t time, int64_t tag) {
    EVENT(time, RANK_1, recv, e.peer = RANK_0, e.group = WORLD, e.tag = tag, e.bytes = 0, e.stream = 1);
}

/* ---- Asking ---- */

static void *begin(const struct fixture *fixture, const char *locations) {
    const struct quipu_setting setting = {"location", locations};
    struct quipu__fold_start start = {.definitions = &fixture->define.definitions,
                                      .selection = &fixture->selection};
    void *state;
    assert_int_equal(quipu__fold_settings(fixture->fold, &setting, locations ? 1 : 0, &start.settings, NULL),
                     QUIPU_OK);
    assert_int_equal(fixture->fold->begin(&start, &state, NULL), QUIPU_OK);
    return state;
}

static void consume(const struct fixture *fixture, void *state, uint32_t substream) {
    if (fixture->substreams[substream]->batch.count > 0)
        assert_int_equal(fixture->fold->consume(state, &fixture->substreams[substream]->batch, NULL), QUIPU_OK);
}

static enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    char **text = context;
    (void)err;
    *text = harness_text("%s%.*s", *text, (int)size, (const char *)data);
    return QUIPU_OK;
}

static char *without(char *text, const char *what) {
    for (char *found = text; (found = strstr(found, what)) != NULL;)
        memmove(found, found + strlen(what), strlen(found + strlen(what)) + 1);
    return text;
}

/* The rows of a state, which is released, as lines of CSV without headers, "; " between the lines. */
static const char *rows_of(const struct fixture *fixture, void *state, size_t table) {
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    struct quipu_tables *tables;
    char *text = harness_text(" ");
    render.style = QUIPU_STYLE_CSV;
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(fixture->fold->finish(state, tables, NULL), QUIPU_OK);
    assert_int_equal(quipu_tables_count(tables), 2);
    assert_int_equal(quipu_table_write(&quipu_tables_list(tables)[table], 1, &render,
                                       (struct quipu_sink){append, &text}, NULL),
                     QUIPU_OK);
    quipu_tables_free(tables);
    fixture->fold->release(state);
    return strchr(without(text, "\r"), '\n') + 1;
}

/* All substreams one after the other in one state. */
static const char *ask(const struct fixture *fixture, const char *locations, size_t table) {
    void *state = begin(fixture, locations);
    for (uint32_t substream = 0; substream < SUBSTREAMS; substream++)
        consume(fixture, state, substream);
    return rows_of(fixture, state, table);
}

static const char *open_rows(const struct fixture *fixture) {
    return ask(fixture, NULL, 0);
}

static const char *message_rows(const struct fixture *fixture) {
    return ask(fixture, NULL, 1);
}

/* ---- Classes ---- */

static void test_state_calls_are_a_stack(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, RANK_0, MAIN);
    enter(fixture, 10, RANK_0, SEND);
    leave(fixture, 20, RANK_0, SEND);
    enter(fixture, 30, RANK_0, SOLVE);
    enter(fixture, 40, RANK_0, SEND);
    leave(fixture, 50, RANK_0, QUIPU_NONE); /* the last one */
    enter(fixture, 60, RANK_0, SOLVE);
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,main,,0,0,600,,,,,,\n"
                                            "rank 0,1,call,1,solve,,300,30,300,,,,,,\n"
                                            "rank 0,1,call,2,solve,,600,60,0,,,,,,\n");
}

static void test_state_leave_of_an_outer_call_closes_the_inner_ones(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, RANK_0, MAIN);
    enter(fixture, 10, RANK_0, SOLVE);
    enter(fixture, 20, RANK_0, SEND);
    leave(fixture, 30, RANK_0, SOLVE);
    leave(fixture, 40, RANK_0, SEND); /* not active any more */
    leave(fixture, 40, RANK_1, QUIPU_NONE);
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,main,,0,0,400,,,,,,\n");
}

static void test_state_calls_that_need_not_nest_end_alone(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 0, RANK_0, SOLVE);
    enter(fixture, 10, RANK_0, BLOCK);
    enter(fixture, 20, RANK_0, SEND);
    leave(fixture, 30, RANK_0, SOLVE); /* and the send inside, which was not left */
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,block,,100,10,200,,,,,,\n");
    enter(fixture, 40, RANK_0, MAIN);
    leave(fixture, 50, RANK_0, BLOCK);
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,main,,400,40,100,,,,,,\n");
}

static void test_state_collectives_end_by_their_number(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, collective_begin, e.object = SEND, e.operation = QUIPU_COLLECTIVE_BCAST, e.peer = RANK_1,
          e.group = WORLD, e.bytes = 5, e.value = 6, e.id = 1);
    EVENT(20, RANK_0, collective_begin, e.operation = QUIPU_COLLECTIVE_BARRIER, e.id = 2);
    EVENT(30, RANK_0, collective_end, e.id = 2); /* says nothing else */
    EVENT(40, RANK_1, collective_end, e.id = 1); /* another location's */
    assert_string_equal(open_rows(fixture),
                        "rank 0,1,collective,,MPI_Send,bcast,100,10,300,rank 1,91,,5,6,1\n");
}

static void test_state_collectives_without_number_end_by_region_and_communicator(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, collective_begin, e.object = SEND, e.group = WORLD);
    EVENT(10, RANK_0, collective_begin, e.object = SOLVE, e.group = WORLD);
    EVENT(30, RANK_0, collective_end, e.object = SEND, e.group = WORLD);
    EVENT(40, RANK_0, collective_end, e.object = SEND, e.group = WORLD);
    assert_string_equal(open_rows(fixture), "rank 0,1,collective,,solve,,100,10,300,,91,,,,\n");
}

static void test_state_one_sided_operations_end_by_communicator_and_tag(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, rma_begin, e.operation = QUIPU_RMA_PUT, e.peer = RANK_1, e.group = WORLD, e.tag = 3,
          e.bytes = 8);
    EVENT(20, RANK_0, rma_begin, e.operation = QUIPU_RMA_GET, e.peer = RANK_1, e.group = WORLD, e.tag = 3,
          e.bytes = 9);
    EVENT(30, RANK_0, rma_begin, e.operation = QUIPU_RMA_PUT_REMOTE_END, e.peer = RANK_1, e.group = WORLD,
          e.tag = 4);
    EVENT(40, RANK_0, rma_end, e.operation = QUIPU_RMA_OTHER, e.group = WORLD, e.tag = 3);
    EVENT(50, RANK_0, rma_end, e.operation = QUIPU_RMA_OTHER, e.group = WORLD, e.tag = 5);
    assert_string_equal(open_rows(fixture), "rank 0,1,one_sided,,,put,100,10,400,rank 1,91,3,8,,\n");
}

static void test_state_files_and_operations_on_them(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, io_open, e.object = DATA, e.id = 7, e.operation = 1);
    EVENT(20, RANK_0, io_begin, e.object = DATA, e.operation = QUIPU_IO_READ, e.tag = 7, e.value = 100,
          e.bytes = 50, e.id = 1);
    EVENT(30, RANK_0, io_begin, e.object = DATA, e.operation = QUIPU_IO_WRITE, e.tag = 7, e.bytes = 60,
          e.id = 2);
    EVENT(40, RANK_0, io_end, e.object = DATA, e.operation = QUIPU_IO_WRITE, e.tag = 7, e.bytes = 60, e.id = 2);
    EVENT(50, RANK_1, io_open, e.object = DATA, e.id = 7);
    EVENT(60, RANK_1, io_close, e.object = DATA, e.id = 7);
    assert_string_equal(open_rows(fixture), "rank 0,1,io_operation,,data.bin,read,200,20,400,,,,50,100,1\n"
                                            "rank 0,1,file,,data.bin,,100,10,500,,,,,,7\n");
}

static void test_state_operations_may_open_and_close_files(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, io_begin, e.operation = QUIPU_IO_OTHER, e.id = 1);
    EVENT(20, RANK_0, io_end, e.object = DATA, e.operation = QUIPU_IO_OPEN, e.tag = 9, e.id = 1);
    EVENT(30, RANK_1, io_open, e.object = DATA, e.id = 9);
    EVENT(40, RANK_1, io_begin, e.operation = QUIPU_IO_OTHER, e.id = 1);
    EVENT(50, RANK_1, io_end, e.object = DATA, e.operation = QUIPU_IO_CLOSE, e.tag = 9, e.id = 1);
    assert_string_equal(open_rows(fixture), "rank 0,1,file,,data.bin,,200,20,300,,,,,,9\n");
}

/* A read that knows its handle at its end only, and a close that knows no file, end what agrees as far as both sides say; other
 * handles and other operations end nothing. */
static void test_state_ends_that_know_more_or_less_than_beginnings(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, io_open, e.object = DATA, e.id = 3);
    EVENT(20, RANK_0, io_begin, e.operation = QUIPU_IO_READ, e.tag = -1);
    EVENT(30, RANK_0, io_end, e.operation = QUIPU_IO_READ, e.tag = 3, e.bytes = 8);
    EVENT(40, RANK_0, io_close, e.id = 3);
    EVENT(50, RANK_1, io_open, e.object = DATA, e.id = 4);
    EVENT(60, RANK_1, io_begin, e.operation = QUIPU_IO_WRITE, e.tag = 4, e.bytes = 9);
    EVENT(70, RANK_1, io_end, e.operation = QUIPU_IO_WRITE, e.tag = 5);
    EVENT(80, RANK_1, io_end, e.operation = QUIPU_IO_READ, e.tag = -1);
    EVENT(90, RANK_1, io_close, e.id = 5);
    assert_string_equal(open_rows(fixture), "rank 1,2,io_operation,,,write,600,60,300,,,,9,,\n"
                                            "rank 1,2,file,,data.bin,,500,50,400,,,,,,4\n");
}

static void test_state_requests_last_until_they_are_waited_for(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_1, recv_post, e.peer = RANK_0, e.group = WORLD, e.tag = 1, e.bytes = 100, e.id = 5);
    EVENT(11, RANK_1, recv_post, e.group = WORLD, e.tag = -1, e.bytes = 100, e.id = 6);
    EVENT(12, RANK_1, recv_post, e.group = WORLD, e.tag = 2, e.bytes = 100, e.id = 7);
    EVENT(20, RANK_1, recv, e.peer = RANK_0, e.group = WORLD, e.tag = 1, e.bytes = 80, e.id = 5);
    EVENT(21, RANK_1, recv, e.peer = RANK_0, e.group = WORLD, e.tag = 1, e.bytes = 80); /* a blocking one */
    EVENT(22, RANK_1, cancel, e.id = 7);
    EVENT(23, RANK_1, recv_post, e.group = WORLD, e.tag = 9, e.bytes = 7,
          e.id = 6); /* the older one was freed */
    assert_string_equal(open_rows(fixture), "rank 1,2,request,,,recv_post,230,23,0,,91,9,7,,6\n");
}

static void test_state_sends_may_share_a_request(void **state) {
    struct fixture *fixture = *state;
    for (int64_t i = 0; i < 3; i++)
        EVENT(10 + i, RANK_0, send, e.group = WORLD, e.tag = i, e.bytes = 4, e.id = 1);
    EVENT(20, RANK_0, send_complete, e.id = 1);
    assert_string_equal(open_rows(fixture), "rank 0,1,request,,,send,100,10,100,,91,0,4,,1\n"
                                            "rank 0,1,request,,,send,110,11,90,,91,1,4,,1\n");
    EVENT(30, RANK_0, recv_post, e.group = WORLD, e.tag = 8, e.bytes = 4,
          e.id = 1); /* nothing is left of them */
    assert_string_equal(open_rows(fixture), "rank 0,1,request,,,recv_post,300,30,0,,91,8,4,,1\n");
}

/* Requests that are freed and never waited for: the oldest are given up, and that takes no time. */
static void test_state_freed_requests_do_not_pile_up(void **state) {
    struct fixture *fixture = *state;
    void *known = begin(fixture, NULL);
    for (int64_t i = 0; i < EVENTS; i++)
        EVENT(i, RANK_0, send, e.tag = i, e.id = 1);
    for (int i = 0; i < 1000; i++)
        consume(fixture, known, 0);
    struct quipu_tables *tables;
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(fixture->fold->finish(known, tables, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_row_count(quipu_tables_at(tables, 0)), 1 << 16);
    quipu_tables_free(tables);
    fixture->fold->release(known);
}

static void test_state_tasks_and_states(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, task_begin, e.id = 1, e.value = 0);
    EVENT(11, RANK_0, task_begin, e.id = 1, e.value = 1);
    EVENT(12, RANK_0, task_pause, e.id = 1, e.value = 0);
    EVENT(13, RANK_0, task_end, e.id = 1, e.value = 1);
    EVENT(20, RANK_0, state_push, e.object = STACK, e.value = 3);
    EVENT(21, RANK_0, state_push, e.object = OTHER_STACK, e.value = 3);
    EVENT(22, RANK_0, state_push, e.object = STACK, e.value = 4);
    EVENT(23, RANK_0, state_push, e.object = STACK, e.value = 5);
    EVENT(24, RANK_0, state_pop, e.object = STACK, e.value = 4); /* and what is above it on that stack */
    EVENT(25, RANK_0, state_set, e.object = MODE, e.value = 1);
    EVENT(26, RANK_0, state_set, e.object = MODE, e.value = (uint64_t)-2);
    assert_string_equal(open_rows(fixture), "rank 0,1,task,,,,100,10,160,,,,,0,1\n"
                                            "rank 0,1,channel_stack,0,stack,,200,20,60,,,,,3,\n"
                                            "rank 0,1,channel_stack,0,other stack,,210,21,50,,,,,3,\n"
                                            "rank 0,1,channel_value,,mode,,260,26,0,,,,,-2,\n");
}

static void test_state_values_are_the_latest(void **state) {
    struct fixture *fixture = *state;
    const double half = 0.5;
    uint64_t bits;
    memcpy(&bits, &half, sizeof bits);
    EVENT(10, RANK_0, metric, e.object = LOAD, e.value = 0);
    EVENT(20, RANK_0, metric, e.object = TEMPERATURE, e.value = (uint64_t)-5);
    EVENT(30, RANK_0, metric, e.object = LOAD, e.value = bits);
    EVENT(40, RANK_0, affinity, e.peer = RANK_1);
    EVENT(50, RANK_0, affinity, e.peer = THREAD);
    assert_string_equal(open_rows(fixture), "rank 0,1,metric,,temperature,,200,20,300,,,,,-5,\n"
                                            "rank 0,1,metric,,load,,300,30,200,,,,,0.5,\n"
                                            "rank 0,1,cpu,,,,500,50,0,thread,,,,,\n");
}

/* ---- The time, and whose rows ---- */

static void test_state_is_that_at_the_time_that_is_asked_for(void **state) {
    struct fixture *fixture = *state;
    enter(fixture, 10, RANK_0, MAIN);
    EVENT(100, RANK_1, note, e.stream = 1); /* the last event of all, whatever it is */
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,main,,100,10,900,,,,,,\n");
    fixture->selection.to = 60;
    assert_string_equal(open_rows(fixture), "rank 0,1,call,0,main,,100,10,500,,,,,,\n");
}

static void test_state_shows_chosen_locations(void **state) {
    struct fixture *fixture = *state;
    for (uint32_t location = 0; location < LOCATIONS; location++)
        enter(fixture, 10, location, MAIN);
    send(fixture, 20, 1, 5);
    assert_string_equal(ask(fixture, "1-2", 0), "rank 1,2,call,0,main,,100,10,100,,,,,,\n"
                                                "thread,65537,call,0,main,,100,10,100,,,,,,\n");
    assert_string_equal(ask(fixture, "1-2", 1), "rank 0,1,rank 1,2,91,1,1,5,200,200\n");
    assert_string_equal(ask(fixture, "0,2", 0), "rank 0,1,call,0,main,,100,10,100,,,,,,\n"
                                                "thread,65537,call,0,main,,100,10,100,,,,,,\n");
    assert_string_equal(ask(fixture, "2", 1), "");
}

static void test_state_refuses_what_is_no_list_of_locations(void **state) {
    struct fixture *fixture = *state;
    static const char *const bad[] = {"", "x", "1,", "1-", "1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct quipu_setting setting = {"location", bad[i]};
        struct quipu__settings settings;
        assert_int_equal(quipu__fold_settings(fixture->fold, &setting, 1, &settings, NULL), QUIPU_MISUSE);
    }
}

/* ---- Messages ---- */

static void test_state_messages_are_the_last_that_were_sent(void **state) {
    struct fixture *fixture = *state;
    for (int64_t i = 0; i < 5; i++)
        send(fixture, 10 + i, 1, (uint64_t)(100 + i));
    send(fixture, 20, 2, 7);
    receive(fixture, 30, 2);
    receive(fixture, 30, 1);
    receive(fixture, 31, 1);
    receive(fixture, 32, 3); /* sent by no location */
    assert_string_equal(message_rows(fixture), "rank 0,1,rank 1,2,91,1,3,309,120,140\n");
}

static void test_state_many_messages_of_one_length_are_added_up(void **state) {
    struct fixture *fixture = *state;
    for (int64_t i = 0; i < 20; i++)
        send(fixture, 10 + i, 1, 100);
    receive(fixture, 30, 1);
    assert_string_equal(message_rows(fixture), "rank 0,1,rank 1,2,91,1,19,1900,,290\n");
    send(fixture, 40, 1, 99); /* the lengths of the first ones are not known any more */
    assert_string_equal(message_rows(fixture), "rank 0,1,rank 1,2,91,1,20,,,400\n");
    for (int64_t i = 0; i < 13; i++)
        receive(fixture, 50, 1);
    assert_string_equal(message_rows(fixture), "rank 0,1,rank 1,2,91,1,7,699,240,400\n");
}

static void test_state_messages_of_unknown_length(void **state) {
    struct fixture *fixture = *state;
    send(fixture, 10, 1, 5);
    send(fixture, 20, 1, QUIPU_UNKNOWN);
    EVENT(30, THREAD, send, e.peer = RANK_1, e.group = WORLD, e.tag = 2,
          e.bytes = 6);                              /* in the name of rank 0 */
    EVENT(40, RANK_0, send, e.tag = 2, e.bytes = 6); /* to no location */
    assert_string_equal(message_rows(fixture), "rank 0,1,rank 1,2,91,1,2,,100,200\n"
                                               "rank 0,1,rank 1,2,91,2,1,6,300,300\n");
}

/* Tags from 0 up to count, and how many messages of each arrive: all of them or none. */
static void send_many(struct fixture *fixture, void *known, int64_t first, int64_t count, bool arrive) {
    for (int64_t tag = first; tag < first + count; tag++) {
        send(fixture, 10, tag, 1);
        if (arrive)
            EVENT(20, RANK_1, recv, e.peer = RANK_0, e.group = WORLD, e.tag = tag, e.bytes = 1);
        if (fixture->substreams[0]->batch.count + 2 > EVENTS || tag + 1 == first + count) {
            consume(fixture, known, 0);
            quipu__batch_clear(fixture->substreams[0]);
            fixture->substreams[0]->batch.stream = 0;
        }
    }
}

static void test_state_messages_make_room_for_classes(void **state) {
    struct fixture *fixture = *state;
    void *known = begin(fixture, NULL);
    send_many(fixture, known, 5, 1, false);
    send_many(fixture, known, 10, QUIPU__MESSAGE_KEYS_MOST + 100, true);
    assert_string_equal(rows_of(fixture, known, 1), "rank 0,1,rank 1,2,91,5,1,1,100,100\n");
}

static void test_state_messages_without_room_are_counted(void **state) {
    struct fixture *fixture = *state;
    void *known = begin(fixture, "2"); /* of no location */
    send_many(fixture, known, 0, QUIPU__MESSAGE_KEYS_MOST + 10, false);
    assert_string_equal(rows_of(fixture, known, 1), ",,,,,,10,,,\n");
}

/* ---- Substreams ---- */

/* The same answer whatever the order of substreams and however they are shared out: substream i goes to the part that digit i of
 * the number says, all substreams in ascending or descending order. */
static void assert_same_in_any_order(const struct fixture *fixture, const char *expected, size_t table) {
    for (uint32_t number = 0; number < 1u << (2 * SUBSTREAMS); number++) {
        void *trackers[SUBSTREAMS];
        for (uint32_t i = 0; i < SUBSTREAMS; i++)
            trackers[i] = begin(fixture, NULL);
        for (uint32_t i = 0; i < SUBSTREAMS; i++) {
            const uint32_t substream = number % 3 == 0 ? SUBSTREAMS - 1 - i : i;
            consume(fixture, trackers[number >> (2 * substream) & 3], substream);
        }
        for (uint32_t i = 1; i < SUBSTREAMS; i++) {
            assert_int_equal(fixture->fold->combine(trackers[0], trackers[i], NULL), QUIPU_OK);
            fixture->fold->release(trackers[i]);
        }
        assert_string_equal(rows_of(fixture, trackers[0], table), expected);
    }
}

static void test_state_intervals_of_a_process_end_in_any_of_its_threads(void **state) {
    struct fixture *fixture = *state;
    EVENT(10, RANK_0, recv_post, e.tag = 1, e.id = 5);
    EVENT(20, THREAD, recv, e.tag = 1, e.id = 5, e.stream = 1);
    EVENT(30, RANK_0, recv_post, e.tag = 2, e.id = 5); /* the same number again */
    EVENT(40, RANK_0, io_open, e.object = DATA, e.id = 3);
    EVENT(50, THREAD, io_close, e.object = DATA, e.id = 3, e.stream = 1);
    EVENT(15, RANK_1, recv, e.tag = 1, e.id = 5, e.stream = 2); /* another process */
    assert_same_in_any_order(fixture, "rank 0,1,request,,,recv_post,300,30,200,,,2,,,5\n", 0);
}

static void test_state_location_with_events_in_several_streams(void **state) {
    struct fixture *fixture = *state;
    EVENT(0, RANK_0, enter, e.object = MAIN, e.stream = 1);
    EVENT(10, RANK_0, enter, e.object = SOLVE, e.stream = 1);
    EVENT(20, RANK_0, enter, e.object = SEND, e.stream = 0);
    EVENT(30, RANK_0, leave, e.object = SEND, e.stream = 0);
    EVENT(40, RANK_0, leave, e.object = SOLVE, e.stream = 3); /* that of stream 1 */
    EVENT(50, RANK_0, enter, e.object = SEND, e.stream = 3);
    EVENT(5, RANK_0, metric, e.object = TEMPERATURE, e.value = 1, e.stream = 2);
    EVENT(45, RANK_0, metric, e.object = TEMPERATURE, e.value = 2, e.stream = 0);
    assert_same_in_any_order(fixture,
                             "rank 0,1,call,0,main,,0,0,500,,,,,,\n"
                             "rank 0,1,call,1,MPI_Send,,500,50,0,,,,,,\n"
                             "rank 0,1,metric,,temperature,,450,45,50,,,,,2,\n",
                             0);
}

static void test_state_messages_of_several_substreams(void **state) {
    struct fixture *fixture = *state;
    for (uint32_t i = 0; i < 24; i++)
        EVENT(100 + 7 * i % 24, i % 2 ? THREAD : RANK_0, send, e.peer = RANK_1, e.group = WORLD, e.tag = 1,
              e.bytes = 7 * i % 24, e.stream = i % 3);
    for (uint32_t i = 0; i < 18; i++)
        EVENT(200, RANK_1, recv, e.peer = RANK_0, e.group = WORLD, e.tag = 1, e.stream = 3);
    /* Message k was sent at 100 + k and has k bytes; 18 to 23 are on their way. */
    assert_same_in_any_order(fixture, "rank 0,1,rank 1,2,91,1,6,123,1180,1230\n", 1);
}

/* ---- Memory ---- */

static void test_state_needs_memory_for_active_intervals_only(void **state) {
    struct fixture *fixture = *state;
    void *known = begin(fixture, NULL);
    for (int64_t i = 0; i < 100; i++) {
        enter(fixture, i, RANK_0, MAIN);
        EVENT(i, RANK_0, collective_begin, e.id = (uint64_t)i);
        EVENT(i, RANK_0, collective_end, e.id = (uint64_t)i);
        leave(fixture, i, RANK_0, MAIN);
    }
    consume(fixture, known, 0);
    const struct quipu__memory *memory = known; /* comes first in the state */
    const uint64_t requests = memory->requests;
    assert_true(requests > 0);
    for (int i = 0; i < 50; i++)
        consume(fixture, known, 0);
    assert_int_equal(memory->requests, requests);
    assert_string_equal(rows_of(fixture, known, 0), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(
    TEST(test_state_calls_are_a_stack), TEST(test_state_leave_of_an_outer_call_closes_the_inner_ones),
    TEST(test_state_calls_that_need_not_nest_end_alone), TEST(test_state_collectives_end_by_their_number),
    TEST(test_state_collectives_without_number_end_by_region_and_communicator),
    TEST(test_state_one_sided_operations_end_by_communicator_and_tag),
    TEST(test_state_files_and_operations_on_them), TEST(test_state_operations_may_open_and_close_files),
    TEST(test_state_ends_that_know_more_or_less_than_beginnings),
    TEST(test_state_requests_last_until_they_are_waited_for), TEST(test_state_sends_may_share_a_request),
    TEST(test_state_freed_requests_do_not_pile_up), TEST(test_state_tasks_and_states),
    TEST(test_state_values_are_the_latest), TEST(test_state_is_that_at_the_time_that_is_asked_for),
    TEST(test_state_shows_chosen_locations), TEST(test_state_refuses_what_is_no_list_of_locations),
    TEST(test_state_messages_are_the_last_that_were_sent),
    TEST(test_state_many_messages_of_one_length_are_added_up), TEST(test_state_messages_of_unknown_length),
    TEST(test_state_messages_make_room_for_classes), TEST(test_state_messages_without_room_are_counted),
    TEST(test_state_intervals_of_a_process_end_in_any_of_its_threads),
    TEST(test_state_location_with_events_in_several_streams), TEST(test_state_messages_of_several_substreams),
    TEST(test_state_needs_memory_for_active_intervals_only))
