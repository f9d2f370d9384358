/* collect_main.c: quipu-record-mpi-collect: makes DUMPI traces of what the MPI recorder has left in folders. "quipu record" and
 * "quipu repair" run it:
 *
 *     quipu-record-mpi-collect FOLDER... NAME.meta [--no-functions] [--force] [--processes=FILE] [--callsites]
 *
 * FILE gets a line for each thread: WORLD RANK PROCESS THREAD NUMBER, as src/cli/cmd_record.c says.
 * Prints what was collected: calls=N functions=N bytes=N worlds=N ranks=N. */
#include "record/mpi/collect.h"
#include "record/mpi/frames.h"

#include <stdio.h>
#include <string.h>

#define EXIT_USAGE 2
#define EXIT_DAMAGED 3
#define EXIT_INPUT 4
#define EXIT_OUTPUT 5

static int report(const struct quipu_error *err, int code) {
    fprintf(stderr, "quipu: %s%s%s\n", err->path, err->path[0] ? ": " : "", err->message);
    return code;
}

static bool read_option(struct quipu__mpi_collecting *collecting, const char *option) {
    static const char processes[] = "--processes=";
    if (strncmp(option, processes, sizeof processes - 1) == 0)
        collecting->processes = option + sizeof processes - 1;
    else if (strcmp(option, "--no-functions") == 0)
        collecting->has_functions = false;
    else if (strcmp(option, "--callsites") == 0)
        collecting->frames = &quipu__mpi_frames;
    else if (strcmp(option, "--force") == 0)
        collecting->replace = true;
    else
        return false;
    return true;
}

static void report_sites(const struct quipu__mpi_collected *collected) {
    if (collected->sites_left_out > 0)
        fprintf(stderr, "quipu: where %llu calls were made is not in the trace: DUMPI has no room for it\n",
                (unsigned long long)collected->sites_left_out);
    if (collected->unresolved_sites > 0)
        fprintf(stderr, "quipu: the lines of %llu places of calls are not known%s\n",
                (unsigned long long)collected->unresolved_sites,
                quipu__mpi_frames.has_lines ? "; programs compiled with -g have them"
                                            : ": Quipu was built without libdw (libdw-dev)");
}

int main(int argc, char **argv) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__mpi_collecting collecting = {.has_functions = true};
    struct quipu__mpi_collected collected;
    int words = 0;
    while (1 + words < argc && argv[1 + words][0] != '-')
        words++;
    bool is_fine = words >= 2;
    for (int i = 1 + words; i < argc && is_fine; i++)
        is_fine = read_option(&collecting, argv[i]);
    if (!is_fine) {
        fputs("usage: quipu-record-mpi-collect FOLDER... NAME.meta [--no-functions] [--force] "
              "[--processes=FILE] [--callsites]\n",
              stderr);
        return EXIT_USAGE;
    }
    collecting.folders = (const char *const *)argv + 1;
    collecting.folder_count = (size_t)words - 1;
    collecting.output = argv[words];
    const enum quipu_status status = quipu__mpi_collect(&collecting, &collected, &err);
    if (status == QUIPU_END) {
        if (collected.stopped == 0) /* else they have said why */
            fprintf(stderr, "quipu: %s: no calls of MPI were recorded: no program has initialised MPI\n",
                    argv[1]);
        return EXIT_INPUT;
    }
    if (status != QUIPU_OK)
        return report(&err, EXIT_OUTPUT);
    printf("calls=%llu functions=%llu bytes=%llu worlds=%u ranks=%u unrecorded.processes_that_stopped=%u "
           "unrecorded.counts_beyond_32_bits=%llu unrecorded.call_sites=%llu\n",
           (unsigned long long)collected.calls, (unsigned long long)collected.functions,
           (unsigned long long)collected.bytes, collected.worlds, collected.ranks, collected.stopped,
           (unsigned long long)collected.bounded, (unsigned long long)collected.sites_left_out);
    report_sites(&collected);
    if (collected.bounded)
        fprintf(stderr,
                "quipu: %llu counts or sizes above 2147483647 were recorded as that: DUMPI has 32 bits\n",
                (unsigned long long)collected.bounded);
    if (collected.damaged)
        fprintf(stderr, "quipu: %u of the recorder's files are damaged; what is intact of them was collected\n",
                collected.damaged);
    return collected.damaged ? EXIT_DAMAGED : 0;
}
