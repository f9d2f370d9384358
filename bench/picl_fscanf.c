/* picl_fscanf.c: what a program does that reads a PICL trace as its report suggests: fscanf for the fields that all records have, then,
 * for each data field, fscanf with the control string that the record names. It knows the predefined descriptors and those in
 * quotes, and keeps nothing but the sum of what it has read.
 *
 *     picl_fscanf TRACE
 *
 * Prints the same line as empty_analysis.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { VALUES = 4, VALUE_BYTES = 256, INTEGERS = 2, DOUBLES = 5 };
static const char *const predefined[] = {"%c", "%255s", " %d", " %ld", " %f", " %lf"};

struct totals {
    uint64_t records;
    double seconds; /* of timestamps */
    long values;
};

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The control string of a record, in quotes or by its number. */
static const char *read_descriptor(FILE *file, char quoted[VALUE_BYTES]) {
    int number;
    if (fscanf(file, " %d", &number) == 1)
        return number >= 0 && number <= DOUBLES ? predefined[number] : NULL;
    return fscanf(file, "\"%254[^\"]\"", quoted) == 1 ? quoted : NULL;
}

static int read_data(FILE *file, int count, struct totals *totals) {
    union {
        int number;
        char bytes[VALUE_BYTES];
    } values[VALUES];
    char quoted[VALUE_BYTES];
    const char *control = read_descriptor(file, quoted);
    for (int i = 0; control && i < count; i++) {
        if (fscanf(file, control, &values[0], &values[1], &values[2], &values[3]) < 1)
            return 0;
        totals->values += control == predefined[INTEGERS] ? values[0].number : 1;
    }
    return control != NULL;
}

static int read_record(FILE *file, struct totals *totals) {
    int type, event, processor, process, count;
    double time;
    if (fscanf(file, "%d %d %lf %d %d %d", &type, &event, &time, &processor, &process, &count) != 6)
        return 0;
    totals->records++;
    totals->seconds += time;
    return count == 0 || read_data(file, count, totals);
}

int main(int argc, char **argv) {
    struct totals totals = {0};
    struct rusage usage;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fputs("usage: picl_fscanf TRACE\n", stderr);
        return 2;
    }
    const double start = cpu_seconds();
    while (read_record(file, &totals))
        continue;
    const double seconds = cpu_seconds() - start;
    const long bytes = ftell(file);
    const int is_whole = feof(file);
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n",
           totals.records, totals.records, seconds, (double)totals.records / seconds / 1e6,
           (double)bytes / seconds / 1e6, usage.ru_maxrss);
    fclose(file);
    return is_whole && totals.seconds >= 0 ? 0 : 4;
}
