/* test_commit.c: what lies in the folder when a writer is killed, or fails, at any call that changes names or brings data to
 * the disk: the older trace, the new one, or what readers refuse and the next writer completes. */
#define _GNU_SOURCE
#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Calls that end the process, or fail ----
 *
 * The functions of the system that the library calls are replaced by these, which count. */

static int calls, stop_at; /* 0: never */
static bool stop_kills, stop_lasts;

static bool stops(void) {
    if (stop_at == 0 || ++calls < stop_at || (calls > stop_at && !stop_lasts))
        return false;
    if (stop_kills)
        kill(getpid(), SIGKILL);
    errno = EIO;
    return true;
}

static void *system_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    assert_non_null(function);
    return function;
}

#define CALL(name, parameters, arguments)                                                                      \
    int name parameters;                                                                                       \
    int name parameters {                                                                                      \
        int(*function) parameters;                                                                             \
        *(void **)&function = system_function(#name);                                                          \
        return stops() ? -1 : function arguments;                                                              \
    }

CALL(rename, (const char *from, const char *to), (from, to))
CALL(renameat2, (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
     (from_folder, from, to_folder, to, flags))
CALL(link, (const char *from, const char *to), (from, to))
CALL(flock, (int fd, int operation), (fd, operation))

/* No disk is needed to see what would be on it. */
int fsync(int fd) {
    (void)fd;
    return stops() ? -1 : 0;
}

int syncfs(int fd) {
    return fsync(fd);
}

/* That a file cannot be removed is no failure of the trace, so it does not fail here; the writer may still be killed then. */
int unlink(const char *path) {
    int (*function)(const char *);
    *(void **)&function = system_function("unlink");
    if (stop_kills)
        stops();
    return function(path);
}

/* ---- Writing ---- */

struct scenario {
    const char *target, *name;          /* what is written, under which name */
    const char *older, *newer;          /* traces that are written: older may be NULL */
    int older_compression, compression; /* of both */
    bool replace;
};

static const struct scenario scenarios[] = {
    {"otf", "t.otf", NULL, "otf/small.otf", 0, 0, false},
    {"otf", "t.otf", "otf/small.otf", "sweep/otf/ring.otf", 0, 6, true}, /* plain files hide compressed ones */
    {"otf", "t.otf", "sweep/otf/ring.otf", "otf/small.otf", 6, 0, true},
    {"dumpi", "t.meta", NULL, "sweep/dumpi/ring.meta", 0, 0, false},
    {"dumpi", "t.meta", "otf/small.otf", "sweep/dumpi/ring.meta", 0, 0, true},
    {"ovni", "t.ovni", NULL, "otf/small.otf", 0, 0, false}, /* files in many folders */
    {"ovni", "t.ovni", "otf/small.otf", "sweep/dumpi/ring.meta", 0, 0, true},
    {"chrome", "t.json", NULL, "otf/small.otf", 0, 0, false},
    {"chrome", "t.json", "otf/small.otf", "sweep/dumpi/ring.meta", 0, 0, true},
    {"paraver", "t.prv", "otf/small.otf", "sweep/dumpi/ring.meta", 0, 0, true},
};
#define SCENARIO_COUNT (sizeof scenarios / sizeof *scenarios)

static enum quipu_status write_trace(const char *source, const struct scenario *scenario, const char *folder,
                                     int compression, bool replace, struct quipu_error *err) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    struct quipu_reader *reader;
    options.writer.compression = compression;
    options.writer.replace = replace;
    assert_int_equal(quipu_reader_open(harness_data(source), NULL, &reader, NULL), QUIPU_OK);
    const enum quipu_status status = quipu_convert(reader, harness_text("%s/%s", folder, scenario->name),
                                                   scenario->target, &options, &report, err);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return status;
}

static enum quipu_status write_new(const struct scenario *scenario, const char *folder,
                                   struct quipu_error *err) {
    return write_trace(scenario->newer, scenario, folder, scenario->compression, scenario->replace, err);
}

static const char *folder_with_older(const struct scenario *scenario) {
    const char *folder = harness_folder();
    if (scenario->older)
        assert_int_equal(
            write_trace(scenario->older, scenario, folder, scenario->older_compression, false, NULL), QUIPU_OK);
    return folder;
}

/* ---- What is there ---- */

/* Names and check sums of all files, hidden ones too, and folders that are empty. */
static const char *contents(const char *folder) {
    return harness_run("cd '%s' && find . -mindepth 1 -type d -empty && find . -type f | sort | xargs -r cksum",
                       folder)
        .out;
}

static bool has_marker(const char *folder) {
    return harness_run("find '%s' -name '*.commit' | grep -q .", folder).code == 0;
}

/* Whether something has the name of the trace: its first file, or files in the folder that it is. */
static bool has_trace_in(const struct scenario *scenario, const char *folder) {
    const char *path = harness_text("%s/%s", folder, scenario->name);
    return harness_run("find '%s' -type f ! -name '.*' 2>/dev/null | grep -q .", path).code == 0 &&
           harness_run("test -e '%s/.trace.commit'", path).code != 0;
}

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    fwrite(data, 1, size, context);
    return QUIPU_OK;
}

/* All events as a reader sees them; NULL when it refuses the trace: then it must say why. */
static const char *events(const char *path) {
    struct quipu_reader *reader;
    struct quipu_event event;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char *text = NULL;
    size_t size;
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK) {
        const bool is_folder =
            harness_run("test -d '%s' && ! test -e '%s/.trace.commit'", path, path).code == 0;
        if (!is_folder /* with nothing in it that names a trace */ &&
            !strstr(err.advice, "run the command that wrote it again"))
            fail_msg("%s: %s", path, err.message);
        return NULL;
    }
    FILE *out = open_memstream(&text, &size);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        assert_int_equal(quipu_event_write_text(quipu_reader_definitions(reader), &event,
                                                (struct quipu_sink){collect, out}, NULL),
                         QUIPU_OK);
    quipu_reader_close(reader);
    fclose(out);
    const char *saved = harness_text("%s", text);
    free(text);
    return saved;
}

static bool can_be_read(const struct scenario *scenario) {
    return (quipu_format_find(scenario->target)->abilities & QUIPU_CAN_READ) != 0;
}

/* What the folder capabilities, and readers see, before and after. */
struct expected {
    const char *older, *newer, *older_events, *newer_events;
};

static struct expected expect(const struct scenario *scenario) {
    struct expected expected = {"", "", NULL, NULL};
    const char *folder = folder_with_older(scenario), *path = harness_text("%s/%s", folder, scenario->name);
    expected.older = contents(folder);
    if (can_be_read(scenario) && scenario->older)
        expected.older_events = events(path);
    assert_int_equal(write_new(scenario, folder, NULL), QUIPU_OK);
    expected.newer = contents(folder);
    if (can_be_read(scenario))
        expected.newer_events = events(path);
    return expected;
}

static bool same(const char *left, const char *right) {
    return left && right && strcmp(left, right) == 0;
}

/* A reader sees the older trace, the new one, or nothing, by whatever name the trace is called. */
static void check_readers(const struct scenario *scenario, const struct expected *expected,
                          const char *folder) {
    static const char *const names[] = {"t.otf",  "t.1.events", "t.1.events.z", "t.0.def", "t.meta",
                                        "t.ovni", "."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = harness_text("%s/%s", folder, names[i]);
        const char *seen = harness_exists(path) && can_be_read(scenario) ? events(path) : NULL;
        if (seen && !same(seen, expected->older_events) && !same(seen, expected->newer_events))
            fail_msg("%s is a mixture: %s", path, contents(folder));
    }
}

/* The next writer of the name, which is told not to replace anything. */
static void check_next_writer(const struct scenario *scenario, const struct expected *expected,
                              const char *folder) {
    const bool has_trace = has_trace_in(scenario, folder);
    const bool is_broken_off = !has_trace && has_marker(folder);
    const enum quipu_status status =
        write_trace(scenario->newer, scenario, folder, scenario->compression, false, NULL);
    const char *now = contents(folder);
    assert_true(status == QUIPU_EXISTS || (status == QUIPU_OK && !has_trace));
    assert_true(status == QUIPU_OK || has_trace || is_broken_off);
    if (has_trace && same(now, expected->older))
        return;
    assert_string_equal(now, expected->newer);
}

/* ---- Tests ---- */

/* Whether the writer came to its end. */
static bool run_killed(const struct scenario *scenario, const char *folder, int step_at) {
    fflush(NULL);
    const pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        stop_at = step_at;
        stop_kills = true;
        _exit(write_new(scenario, folder, NULL) != QUIPU_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
    return WIFEXITED(status);
}

static void kill_everywhere(const struct scenario *scenario) {
    const struct expected expected = expect(scenario);
    for (int step_at = 1;; step_at++) {
        const char *folder = folder_with_older(scenario);
        const bool is_done = run_killed(scenario, folder, step_at);
        check_readers(scenario, &expected, folder);
        if (is_done) {
            assert_string_equal(contents(folder), expected.newer);
            assert_true(step_at > 4);
            return;
        }
        check_next_writer(scenario, &expected, folder);
        check_readers(scenario, &expected, folder);
    }
}

static void test_commit_killed_anywhere_leaves_old_or_new_or_what_can_be_completed(void **state) {
    (void)state;
    for (size_t i = 0; i < SCENARIO_COUNT; i++)
        kill_everywhere(&scenarios[i]);
}

/* With --force the new trace is written whatever lies there. */
static void test_commit_after_a_kill_the_trace_can_be_written_again(void **state) {
    (void)state;
    const struct scenario *scenario = &scenarios[1];
    const struct expected expected = expect(scenario);
    for (int step_at = 1;; step_at++) {
        const char *folder = folder_with_older(scenario);
        const bool is_done = run_killed(scenario, folder, step_at);
        assert_int_equal(write_new(scenario, folder, NULL), QUIPU_OK);
        assert_string_equal(contents(folder), expected.newer);
        if (is_done)
            return;
    }
}

/* One call fails, or all from one on: then not even taking back works. Returns whether the writer came to its end. */
static bool run_failing(const struct scenario *scenario, const struct expected *expected, int step_at,
                        int *failures) {
    const char *folder = folder_with_older(scenario);
    stop_at = step_at;
    calls = 0;
    const enum quipu_status status = write_new(scenario, folder, NULL);
    const bool is_done = calls < stop_at;
    stop_at = 0;
    const char *now = contents(folder);
    const bool is_broken_off = stop_lasts && has_marker(folder);
    assert_true(status == QUIPU_OK || status == QUIPU_OUTPUT);
    if (status == QUIPU_OK)
        assert_string_equal(now, expected->newer); /* a call that is not needed */
    else if (!is_broken_off)
        assert_true(same(now, expected->older) || same(now, expected->newer));
    check_readers(scenario, expected, folder);
    if (is_broken_off)
        check_next_writer(scenario, expected, folder);
    *failures += status == QUIPU_OUTPUT;
    return is_done;
}

static void fail_everywhere(bool lasts) {
    stop_kills = false;
    stop_lasts = lasts;
    for (size_t i = 0; i < SCENARIO_COUNT; i++) {
        const struct expected expected = expect(&scenarios[i]);
        int failures = 0;
        for (int step_at = 1; !run_failing(&scenarios[i], &expected, step_at, &failures);)
            step_at++;
        assert_true(failures >= 3); /* of syncing the file, naming it, syncing the folder */
    }
}

static void test_commit_that_fails_once_leaves_old_or_new(void **state) {
    (void)state;
    fail_everywhere(false);
}

static void test_commit_that_cannot_be_taken_back_can_be_completed(void **state) {
    (void)state;
    fail_everywhere(true);
}

QUIPU_TESTS(cmocka_unit_test(test_commit_killed_anywhere_leaves_old_or_new_or_what_can_be_completed),
            cmocka_unit_test(test_commit_after_a_kill_the_trace_can_be_written_again),
            cmocka_unit_test(test_commit_that_fails_once_leaves_old_or_new),
            cmocka_unit_test(test_commit_that_cannot_be_taken_back_can_be_completed))
