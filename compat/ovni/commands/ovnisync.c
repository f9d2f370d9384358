/* ovnisync.c: a program of MPI that measures how far the clocks of nodes are apart, and writes the table of clock offsets that the
 * emulation reads. All processes read their clocks after a barrier, again and again; the median of the differences to rank 0
 * counts. With several rounds, seconds apart, it writes instead how the offsets drift. */
#include "library.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    HOST_MOST = 256,
    WARM_UP_MOST = 20,
    SAMPLES_MOST = 1000000,
    ROUNDS_MOST = 1000000,
    SECONDS_MOST = 86400
};

struct options {
    const char *path; /* NULL: in the trace's folder */
    long samples, rounds, delay;
    bool is_verbose;
};

/* What rank 0 has of all. */
struct sync {
    struct options options;
    int rank, ranks;
    double *mine, *all, *deltas; /* all: samples of each rank in turn */
    char (*hosts)[HOST_MOST];
    FILE *file;
};

struct offset {
    double median, mean, deviation;
};

static void fail(const char *what, const char *path) {
    fprintf(stderr, "ovnisync: ERROR: %s%s\n", path, what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* ---- Sampling ---- */

/* In seconds. */
static double wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void take_samples(double *samples, long count) {
    for (long i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        samples[i] = monotonic_ns();
    }
}

static void sample(const struct sync *sync) {
    const long count = sync->options.samples;
    take_samples(sync->mine, count < WARM_UP_MOST ? count : WARM_UP_MOST);
    take_samples(sync->mine, count);
    MPI_Gather(sync->mine, (int)count, MPI_DOUBLE, sync->all, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* ---- Offsets ---- */

static int compare(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void find_deltas(const struct sync *sync, int rank) {
    const long count = sync->options.samples;
    for (long i = 0; i < count; i++) {
        const double reference = sync->all[i], own = sync->all[(size_t)rank * (size_t)count + (size_t)i];
        sync->deltas[i] = reference - own;
        if (sync->options.is_verbose)
            printf("rank=%d  sample=%ld  delta=%f  ref=%f  cur=%f\n", rank, i, sync->deltas[i], reference, own);
    }
    qsort(sync->deltas, (size_t)count, sizeof *sync->deltas, compare);
}

static struct offset offset_of(const struct sync *sync, int rank) {
    const long count = sync->options.samples;
    double total = 0, squares = 0;
    find_deltas(sync, rank);
    for (long i = 0; i < count; i++)
        total += sync->deltas[i];
    const double mean = total / (double)count;
    for (long i = 0; i < count; i++)
        squares += (sync->deltas[i] - mean) * (sync->deltas[i] - mean);
    return (struct offset){sync->deltas[count / 2], mean, count > 1 ? sqrt(squares / (double)(count - 1)) : 0};
}

/* ---- Writing ---- */

static bool is_new_host(const struct sync *sync, int rank) {
    for (int i = 0; i < rank; i++)
        if (strcmp(sync->hosts[i], sync->hosts[rank]) == 0)
            return false;
    return true;
}

static void write_table(const struct sync *sync) {
    fprintf(sync->file, "%-10s %-20s %-20s %-20s %-20s\n", "rank", "hostname", "offset_median", "offset_mean",
            "offset_std");
    for (int rank = 0; rank < sync->ranks; rank++) {
        const struct offset offset = offset_of(sync, rank);
        if (is_new_host(sync, rank))
            fprintf(sync->file, "%-10d %-20s %-20ld %-20f %-20f\n", rank, sync->hosts[rank],
                    (long)offset.median, offset.mean, offset.deviation);
    }
}

static void write_drift_heading(const struct sync *sync) {
    fprintf(sync->file, "%-20s", "wallclock");
    for (int rank = 0; rank < sync->ranks; rank++)
        fprintf(sync->file, " %-20s", sync->hosts[rank]);
    fputc('\n', sync->file);
}

static void write_drift(const struct sync *sync, double seconds) {
    fprintf(sync->file, "%-20f", seconds);
    for (int rank = 0; rank < sync->ranks; rank++)
        fprintf(sync->file, " %-20ld", (long)offset_of(sync, rank).median);
    fputc('\n', sync->file);
    fflush(sync->file);
}

static void measure_drift(const struct sync *sync) {
    if (sync->rank == 0)
        write_drift_heading(sync);
    for (long round = 0; round < sync->options.rounds; round++) {
        if (round > 0)
            nanosleep(&(struct timespec){.tv_sec = sync->options.delay}, NULL);
        sample(sync);
        if (sync->rank == 0)
            write_drift(sync, wall_clock());
    }
}

static void measure(const struct sync *sync) {
    if (sync->options.rounds > 1) {
        measure_drift(sync);
        return;
    }
    sample(sync);
    if (sync->rank == 0)
        write_table(sync);
}

/* ---- Beginning and end ---- */

static char *default_path(void) {
    const char *folder = getenv("OVNI_TRACEDIR");
    return path_join(folder && folder[0] ? folder : "ovni", "clock-offsets.txt");
}

/* The file, in a folder that is made. */
static FILE *create(const char *path) {
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    bool is_made = folder != NULL;
    if (slash && slash != folder) {
        *slash = '\0';
        is_made = path_make(folder);
    }
    free(folder);
    return is_made ? fopen(path, "w") : NULL;
}

/* Memory of all, which rank 0 alone uses, is as large as the samples of all. */
static bool init(struct sync *sync) {
    MPI_Comm_rank(MPI_COMM_WORLD, &sync->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &sync->ranks);
    const size_t ranks = sync->rank == 0 ? (size_t)sync->ranks : 1, samples = (size_t)sync->options.samples;
    sync->mine = calloc(samples, sizeof *sync->mine);
    sync->deltas = calloc(samples, sizeof *sync->deltas);
    sync->all = calloc(samples * ranks, sizeof *sync->all);
    sync->hosts = calloc(ranks, sizeof *sync->hosts);
    if (!sync->mine || !sync->deltas || !sync->all || !sync->hosts)
        return false;
    char host[HOST_MOST] = "";
    gethostname(host, sizeof host - 1);
    MPI_Gather(host, HOST_MOST, MPI_CHAR, sync->hosts, HOST_MOST, MPI_CHAR, 0, MPI_COMM_WORLD);
    return true;
}

static void release(struct sync *sync) {
    free(sync->mine);
    free(sync->deltas);
    free(sync->all);
    free(sync->hosts);
}

static void synchronise(struct sync *sync) {
    char *path = sync->options.path ? strdup(sync->options.path) : default_path();
    if (!path || !init(sync))
        fail("there is not enough memory", "");
    if (sync->rank == 0 && !(sync->file = create(path)))
        fail(" cannot be written", path);
    measure(sync);
    const bool has_failed = sync->file && ferror(sync->file);
    if (sync->file && (fclose(sync->file) != 0 || has_failed))
        fail(" could not be written", path);
    free(path);
    release(sync);
}

/* A number from least to most; false when the text is another. */
static bool parse(const char *text, long least, long most, long *out) {
    char *end;
    *out = strtol(text, &end, 10);
    return end != text && *end == '\0' && *out >= least && *out <= most;
}

static bool parse_options(int argc, char **argv, struct options *options) {
    for (int letter; (letter = getopt(argc, argv, "d:n:o:vw:")) != -1;) {
        if (letter == 'o')
            options->path = optarg;
        else if (letter == 'v')
            options->is_verbose = true;
        else if (letter == '?' || (letter == 'd' && !parse(optarg, 1, ROUNDS_MOST, &options->rounds)) ||
                 (letter == 'n' && !parse(optarg, 1, SAMPLES_MOST, &options->samples)) ||
                 (letter == 'w' && !parse(optarg, 0, SECONDS_MOST, &options->delay)))
            return false;
    }
    return optind == argc;
}

int main(int argc, char **argv) {
    struct sync sync = {.options = {.samples = 100, .rounds = 1, .delay = 5}};
    if (!parse_options(argc, argv, &sync.options)) {
        fputs("Usage: ovnisync [-o FILE] [-n SAMPLES] [-d ROUNDS] [-w SECONDS] [-v]\n"
              "  -o FILE     instead of clock-offsets.txt in the trace's folder\n"
              "  -n SAMPLES  of each clock, 1 to 1000000, default 100\n"
              "  -d ROUNDS   more than 1: write how the offsets drift\n"
              "  -w SECONDS  between rounds, default 5\n"
              "  -v          print each sample\n",
              stderr);
        return EXIT_FAILURE;
    }
    MPI_Init(&argc, &argv);
    synchronise(&sync);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
