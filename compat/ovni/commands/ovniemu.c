/* ovniemu.c: emulates a trace and writes what Paraver shows of it into the trace's folder. */
#include "command.h"
#include "formats/ovni/views.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_LIMIT 4200
#define EVENTS_AT_A_TIME ((uint64_t)1 << 16)

struct options {
    const char *offsets, *trace;
    bool enables_all, breaks_down, lints;
};

/* A file of lines. */
struct view_file {
    FILE *file;
    char path[PATH_LIMIT];
    struct quipu__prv prv;
    uint32_t rows;
};

struct session {
    struct command command;
    struct options options;
    struct quipu__ovni_system system;
    struct quipu__ovni_emulation emulation;
    struct view_file views[QUIPU__OVNI_VIEWS];
    struct quipu_error err;
    bool is_stopped;
};

static volatile sig_atomic_t was_interrupted;

/* The first time: stop after the event at hand. The second one kills. */
static void interrupt(int number) {
    was_interrupted = 1;
    signal(number, SIG_DFL);
}

/* ---- Files ---- */

static void path_in_trace(const struct session *session, char path[PATH_LIMIT], const char *name,
                          const char *suffix) {
    snprintf(path, PATH_LIMIT, "%s/%s%s", session->options.trace, name, suffix);
}

static enum quipu_status cannot_write(struct quipu_error *err, const char *path) {
    const enum quipu_status status = quipu__fail_errno(err, QUIPU_OUTPUT, errno, "cannot be written");
    quipu__at(err, path, QUIPU_UNKNOWN);
    return status;
}

static enum quipu_status write_lines(void *context, const void *data, size_t size, struct quipu_error *err) {
    const struct view_file *view = context;
    return fwrite(data, 1, size, view->file) == size ? QUIPU_OK : cannot_write(err, view->path);
}

static enum quipu_status open_view(struct session *session, enum quipu__ovni_view number) {
    struct view_file *view = &session->views[number];
    const struct quipu_sink sink = {write_lines, view};
    if (!quipu__ovni_has_view(&session->emulation, number))
        return QUIPU_OK;
    path_in_trace(session, view->path, quipu__ovni_view_names[number], ".prv");
    view->file = fopen(view->path, "wb");
    if (!view->file)
        return cannot_write(&session->err, view->path);
    session->emulation.lines[number] = &view->prv;
    setvbuf(view->file, NULL, _IONBF, 0); /* lines come in large blocks */
    view->rows = quipu__ovni_view_rows(&session->emulation, number);
    return quipu__prv_begin(&view->prv, &session->command.memory, quipu__prv_digits(view->rows), sink,
                            &session->err);
}

static enum quipu_status write_text(const char *path, struct quipu__buffer *text, struct quipu_error *err) {
    FILE *file = fopen(path, "wb");
    const bool is_written = file && !text->failed && fwrite(text->data, 1, text->len, file) == text->len;
    const bool is_closed = file && fclose(file) == 0;
    return is_written && is_closed ? QUIPU_OK : cannot_write(err, path);
}

/* Names of types and values, or of rows. */
static enum quipu_status write_names(struct session *session, enum quipu__ovni_view view, bool is_pcf) {
    struct quipu__buffer text;
    char path[PATH_LIMIT];
    quipu__buffer_init(&text, &session->command.memory, 0);
    if (is_pcf)
        quipu__ovni_put_pcf(&session->emulation, view, session->emulation.errors == 0 && !session->is_stopped,
                            &text);
    else
        quipu__ovni_put_row(&session->emulation, view, &text);
    path_in_trace(session, path, quipu__ovni_view_names[view], is_pcf ? ".pcf" : ".row");
    const enum quipu_status status = write_text(path, &text, &session->err);
    quipu__buffer_release(&text);
    return status;
}

static enum quipu_status close_view(struct session *session, enum quipu__ovni_view number) {
    struct view_file *view = &session->views[number];
    char head[QUIPU__PRV_HEAD_MOST];
    if (!view->file)
        return QUIPU_OK;
    enum quipu_status status = quipu__prv_flush(&view->prv);
    const size_t len =
        quipu__prv_head(head, session->emulation.time, view->rows, quipu__prv_digits(view->rows));
    if (status == QUIPU_OK && (fseek(view->file, 0, SEEK_SET) != 0 || fwrite(head, 1, len, view->file) != len))
        status = cannot_write(&session->err, view->path);
    if (fclose(view->file) != 0 && status == QUIPU_OK)
        status = cannot_write(&session->err, view->path);
    view->file = NULL;
    quipu__prv_release(&view->prv, &session->command.memory);
    if (status == QUIPU_OK)
        status = write_names(session, number, true);
    return status == QUIPU_OK ? write_names(session, number, false) : status;
}

/* ---- Configurations of windows ---- */

static bool make_folder(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Makes the folders that a name goes through. */
static bool make_folders(char *path, size_t from) {
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool done = make_folder(path);
        *slash = '/';
        if (!done)
            return false;
    }
    return true;
}

static enum quipu_status write_window(void *context, const char *name, const struct quipu__buffer *text,
                                      struct quipu_error *err) {
    const struct session *session = context;
    char path[PATH_LIMIT];
    struct quipu__buffer copy = *text;
    const int len = snprintf(path, sizeof path, "%s/cfg/%s", session->options.trace, name);
    if (len >= PATH_LIMIT || !make_folders(path, strlen(session->options.trace) + 1))
        return cannot_write(err, path);
    return write_text(path, &copy, err);
}

static enum quipu_status write_windows(struct session *session) {
    char path[PATH_LIMIT];
    path_in_trace(session, path, "cfg", "");
    if (quipu__path_kind(path, NULL) != QUIPU__PATH_MISSING) {
        command_say(&session->command, "WARN", "%s exists; it stays as it is", path);
        return QUIPU_OK;
    }
    return quipu__ovni_each_window(&session->emulation, write_window, session, &session->err);
}

/* ---- Reports ---- */

static void report_system(struct session *session) {
    const struct quipu__ovni_system *system = &session->system;
    command_say(&session->command, "INFO", "sorting looms by %s", system->sorts_by_rank ? "rank" : "name");
    command_say(&session->command, "INFO", "loaded %zu looms, %zu processes, %zu threads and %" PRIu32 " cpus",
                system->looms.count, system->processes.count, system->threads.count, system->physical_cpus);
    if (system->library)
        command_say(&session->command, "INFO", "generated with libovni version %s commit %s", system->library,
                    system->commit);
    if (system->offset_count > 0)
        command_say(&session->command, "INFO", "%" PRIu32 " clock offsets", system->offset_count);
    if (session->options.enables_all)
        command_say(&session->command, "INFO", "all %d models are enabled (-a)", QUIPU__OVNI_MODEL_COUNT);
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++) {
        const struct quipu__ovni_model_row *model = &quipu__ovni_models[quipu__ovni_models_by_character[i]];
        if (system->is_enabled[quipu__ovni_models_by_character[i]])
            command_say(&session->command, "INFO", "model %s %s '%c' is enabled", model->name, model->version,
                        model->character);
    }
}

static void report_progress(struct session *session, uint64_t begin, uint64_t *next) {
    const uint64_t now = quipu__os_now_ns();
    if (now < *next)
        return;
    *next = now + 200000000;
    fprintf(stderr, "ovniemu: INFO: %" PRIu64 " events, %.0f kev/s\r", session->emulation.events,
            (double)session->emulation.events * 1e6 / (double)(now - begin));
}

/* As the original has it, for scripts that look at what tracing costs. */
static void report_burst(void *context, uint32_t thread, const struct quipu__ovni_burst *burst) {
    const struct session *session = context;
    const struct quipu__ovni_system *system = &session->system;
    command_say(
        &session->command, "INFO", "%s burst stats: median/avg/max = %3" PRId64 "/%3.0f/%3" PRId64 " ns",
        system->looms.items[system->threads.items[thread].loom].name, burst->median, burst->mean, burst->most);
}

/* ---- The session ---- */

static enum quipu_status emulate(struct session *session) {
    const uint64_t begin = quipu__os_now_ns();
    uint64_t next = begin + 200000000;
    enum quipu_status status = QUIPU_OK;
    command_say(&session->command, "INFO", "emulation starts");
    while (status == QUIPU_OK && !was_interrupted) {
        status = quipu__ovni_emulate(&session->emulation, EVENTS_AT_A_TIME, &session->err);
        report_progress(session, begin, &next);
    }
    session->is_stopped = was_interrupted;
    if (status == QUIPU_END && session->emulation.errors == 0)
        quipu__ovni_emulation_end(&session->emulation, session->options.lints);
    const double seconds = (double)(quipu__os_now_ns() - begin) / 1e9;
    command_tell(&session->command);
    command_say(&session->command, "INFO", "processed %" PRIu64 " input events in %.2f s, %.0f kev/s",
                session->emulation.events, seconds,
                seconds > 0 ? (double)session->emulation.events / seconds / 1e3 : 0.0);
    return status == QUIPU_END ? QUIPU_OK : status;
}

static bool has_failed(const struct session *session) {
    const struct quipu_rule *lint = &quipu__ovni_rules[QUIPU__OVNI_RULE_NOT_EMPTY];
    return session->system.errors > 0 || session->emulation.errors > 0 ||
           quipu_findings_total_of(session->command.findings, lint) > 0;
}

static enum quipu_status emulate_to_files(struct session *session) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < QUIPU__OVNI_VIEWS && status == QUIPU_OK; i++)
        status = open_view(session, (enum quipu__ovni_view)i);
    if (status == QUIPU_OK)
        status = emulate(session);
    for (unsigned i = 0; i < QUIPU__OVNI_VIEWS; i++) {
        const enum quipu_status closed = close_view(session, (enum quipu__ovni_view)i);
        status = status == QUIPU_OK ? closed : status;
    }
    return status == QUIPU_OK ? write_windows(session) : status;
}

static int run_emulation(struct session *session) {
    const struct quipu__ovni_listener listener = {report_burst, session};
    const struct quipu__ovni_emulation_options options = {.stops = true,
                                                          .shows_as_then = true,
                                                          .breaks_down = session->options.breaks_down,
                                                          .listener = &listener};
    enum quipu_status status =
        quipu__ovni_emulation_open(&session->emulation, &session->system, &options, &session->err);
    if (status != QUIPU_OK)
        return command_fail(&session->command, &session->err);
    status = emulate_to_files(session);
    command_tell(&session->command);
    const bool failed = has_failed(session);
    quipu__ovni_emulation_close(&session->emulation);
    if (status != QUIPU_OK)
        return command_fail(&session->command, &session->err);
    const char *end = session->is_stopped ? "finished partially" : "finished ok";
    command_say(&session->command, failed ? "ERROR" : "INFO", "emulation %s", failed ? "failed" : end);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_trace(struct session *session) {
    const struct quipu__ovni_system_options options = {.offsets = session->options.offsets,
                                                       .enables_all = session->options.enables_all,
                                                       .breaks_down = session->options.breaks_down};
    if (!command_open(&session->command, "ovniemu", session->options.trace))
        return EXIT_FAILURE;
    if (quipu__ovni_system_open(&session->system, &session->command.files, &options, &session->err) != QUIPU_OK)
        return command_fail(&session->command, &session->err);
    command_tell(&session->command);
    report_system(session);
    const bool can_run = session->system.errors == 0 && command_is_sound(&session->command);
    const int code = can_run ? run_emulation(session) : EXIT_FAILURE;
    quipu__ovni_system_close(&session->system);
    return code;
}

/* ---- Options ---- */

static int usage(void) {
    command_usage("ovniemu", "[-c OFFSETS] [-abdlh] TRACE\n"
                             "  -c OFFSETS  the table of clock offsets, instead of TRACE/clock-offsets.txt\n"
                             "  -a          enable all models, whatever the trace requires\n"
                             "  -b          also break down what CPUs do\n"
                             "  -d          accepted; there is nothing more to say\n"
                             "  -l          stacks must be empty at the end\n"
                             "  -h          print this\n"
                             "\nVersions of the emulation models:");
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        fprintf(stderr, "  %c  %-10s %s\n", quipu__ovni_models[i].character, quipu__ovni_models[i].name,
                quipu__ovni_models[i].version);
    return EXIT_FAILURE;
}

static bool parse_options(int argc, char **argv, struct options *options) {
    for (int letter; (letter = getopt(argc, argv, "c:abdlh")) != -1;) {
        options->offsets = letter == 'c' ? optarg : options->offsets;
        options->enables_all |= letter == 'a';
        options->breaks_down |= letter == 'b';
        options->lints |= letter == 'l';
        if (letter == 'h' || letter == '?')
            return false;
    }
    options->trace = optind < argc ? argv[optind] : NULL;
    return options->trace != NULL;
}

int main(int argc, char **argv) {
    static struct session session;
    if (!parse_options(argc, argv, &session.options))
        return usage();
    signal(SIGINT, interrupt);
    const int code = run_trace(&session);
    command_close(&session.command);
    return code;
}
