/* cmd_record.c: quipu record: runs a program with a recorder loaded ahead of it, and makes a trace of what that has left. The
 * program's results, and its exit code, are the program's. */
#include "conversion.h"
#include "job.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDER "libquipu-record-io.so"
#define COLLECTOR "quipu-record-collect"
#define COLLECTED "collected"
#define PATH_BYTES 4096

/* Where recorders are installed, seen from the folder of the command; the build says it. */
#ifndef QUIPU_RECORD_FOLDER_FROM_BIN
#define QUIPU_RECORD_FOLDER_FROM_BIN "../lib/quipu"
#endif

struct recording {
    char recorder[PATH_BYTES], collector[PATH_BYTES];
    char folder[PATH_BYTES]; /* of the recorder's files, beside the output */
    char trace[PATH_BYTES];  /* that they become */
};

/* ---- Where things are ---- */

static bool join(char out[PATH_BYTES], const char *folder, const char *name) {
    const int len = snprintf(out, PATH_BYTES, "%s/%s", folder, name);
    return len > 0 && len < PATH_BYTES;
}

static bool is_there(struct recording *recording, const char *folder) {
    return join(recording->recorder, folder, RECORDER) && join(recording->collector, folder, COLLECTOR) &&
           access(recording->recorder, R_OK) == 0 && access(recording->collector, X_OK) == 0;
}

/* Beside the command, as it was built or as it was installed. */
static bool find_recorder(struct recording *recording) {
    static const char *const folders[] = {"record", QUIPU_RECORD_FOLDER_FROM_BIN};
    char here[PATH_BYTES] = "", folder[PATH_BYTES];
    const ssize_t len = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = len > 0 ? strrchr(here, '/') : NULL;
    if (!slash)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (join(folder, here, folders[i]) && is_there(recording, folder))
            return true;
    return false;
}

/* An absolute path, since programs change their directory. */
static enum exit_code make_folder(struct recording *recording, const char *output) {
    char name[PATH_BYTES], absolute[PATH_BYTES];
    const int len = snprintf(name, sizeof name, "%s.recording", output);
    if (len < 0 || len >= PATH_BYTES - 64 || mkdir(name, 0755) != 0 || !realpath(name, absolute)) {
        fprintf(stderr, "quipu: %s: cannot be made: %s\n", name, strerror(errno));
        return EXIT_OUTPUT;
    }
    memcpy(recording->folder, absolute, sizeof absolute);
    return join(recording->trace, absolute, COLLECTED) ? EXIT_FINE : EXIT_OUTPUT;
}

/* The recorder's files, which are in one folder. What cannot be removed is harmless, and said. */
static void remove_folder(const struct recording *recording) {
    char path[PATH_BYTES];
    DIR *folder = opendir(recording->folder);
    for (const struct dirent *found; folder && (found = readdir(folder));)
        if (found->d_name[0] != '.' && join(path, recording->folder, found->d_name))
            unlink(path);
    if (folder)
        closedir(folder);
    if (rmdir(recording->folder) != 0)
        fprintf(stderr, "quipu: %s: cannot be removed: %s\n", recording->folder, strerror(errno));
}

/* ---- Running programs ---- */

/* 128 and the number of the signal for programs that were killed by one, as shells have it. */
static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What the dynamic linker loads already stays behind the recorder. */
static void preload(const struct recording *recording) {
    const char *before = getenv("LD_PRELOAD");
    char value[2 * PATH_BYTES];
    snprintf(value, sizeof value, "%s%s%s", recording->recorder, before && *before ? ":" : "",
             before ? before : "");
    setenv("LD_PRELOAD", value, 1);
    setenv("QUIPU_RECORD_FOLDER", recording->folder, 1);
}

/* Signals of the terminal are for the program: what it has done until then becomes a trace. */
static int run_program(const struct recording *recording, char **command) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, interrupt, quit;
    fflush(NULL);
    sigaction(SIGINT, &ignored, &interrupt);
    sigaction(SIGQUIT, &ignored, &quit);
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        preload(recording);
        execvp(command[0], command);
        fprintf(stderr, "quipu: %s: %s\n", command[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    const int code = child < 0 ? EXIT_UNREADABLE : wait_for(child);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return code;
}

static enum exit_code collect(const struct recording *recording) {
    const pid_t child = fork();
    if (child == 0) {
        execl(recording->collector, recording->collector, recording->folder, recording->trace, (char *)NULL);
        _exit(EXIT_OUTPUT);
    }
    return child < 0 ? EXIT_OUTPUT : (enum exit_code)wait_for(child);
}

/* ---- The trace ---- */

static enum exit_code write_trace(const struct recording *recording, const struct arguments *arguments) {
    struct job job;
    if (job_begin(&job, arguments, recording->trace) == EXIT_FINE) {
        const char *target = conversion_target_or_same(&job);
        const struct quipu_convert_options options = conversion_options(&job);
        struct quipu_conversion_report *report = NULL;
        const enum quipu_status status = quipu_convert(job.reader, option_text(arguments, OPTION_output),
                                                       target, &options, &report, &job.err);
        conversion_end(&job, 1, status, &report, target);
    }
    return job_end(&job);
}

static enum exit_code record(struct recording *recording, const struct arguments *arguments) {
    arguments->operands[arguments->operand_count] = NULL;
    const int program = run_program(recording, arguments->operands);
    enum exit_code code = collect(recording);
    if (code == EXIT_FINE)
        code = write_trace(recording, arguments);
    if (code == EXIT_FINE || code == EXIT_DAMAGED)
        remove_folder(recording);
    else
        fprintf(stderr, "quipu: %s: what was recorded is here\n", recording->folder);
    return program ? (enum exit_code)program : code;
}

enum exit_code command_record(const struct arguments *arguments) {
    struct recording recording;
    const char *output = option_text(arguments, OPTION_output);
    if (!option_given(arguments, OPTION_io))
        return report_usage("record needs --io, to record input and output");
    if (!output || strcmp(output, "-") == 0)
        return report_usage("record needs -o OUTPUT, a file");
    if (!find_recorder(&recording)) {
        fprintf(stderr, "quipu: the recorder %s is not beside the command\n", RECORDER);
        return EXIT_UNREADABLE;
    }
    const enum exit_code code = make_folder(&recording, output);
    return code == EXIT_FINE ? record(&recording, arguments) : code;
}
