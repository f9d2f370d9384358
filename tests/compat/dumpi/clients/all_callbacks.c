/* all_callbacks.c: one function for all calls, as a program does that only looks at times and threads, and all
 * sections. Prints "name=value" lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/libundumpi/callbacks.h>
#include <dumpi/libundumpi/libundumpi.h>

struct totals {
    unsigned long calls, with_counters;
    long long wall_ns; /* spent inside of calls */
    int64_t last_counter;
};

static int count(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                 const dumpi_perfinfo *perf, void *userarg) {
    struct totals *totals = userarg;
    (void)thread;
    if (!prm || !cpu || !wall || !perf)
        abort();
    totals->calls++;
    totals->wall_ns += (wall->stop.sec - wall->start.sec) * 1000000000LL + wall->stop.nsec - wall->start.nsec;
    if (perf->count > 0) {
        totals->with_counters++;
        totals->last_counter = perf->outvalue[perf->count - 1];
    }
    return 0;
}

static void print_sections(dumpi_profile *profile) {
    dumpi_header *header = undumpi_read_header(profile);
    printf("version=%d.%d.%d\nhostname=%s\nusername=%s\nmeshdim=%d\n", header->version[0], header->version[1],
           header->version[2], header->hostname, header->username, header->meshdim);
    dumpi_free_header(header);
    dumpi_footer *footer = undumpi_read_footer(profile);
    unsigned long called = 0, ignored = 0;
    for (int id = 0; id < DUMPI_ALL_FUNCTIONS; id++) {
        called += footer->call_count[id];
        ignored += footer->ignored_count[id];
    }
    printf("called=%lu\nignored=%lu\n", called, ignored);
    dumpi_free_footer(footer);
    dumpi_keyval_record *keyvals = undumpi_read_keyval_record(profile);
    printf("keyvals=%d\n", keyvals->count);
    dumpi_free_keyval_record(keyvals);
    dumpi_sizeof sizes = undumpi_read_datatype_sizes(profile);
    printf("sizes=%d\nint=%d\n", sizes.count, sizes.count > DUMPI_INT ? sizes.size[DUMPI_INT] : -1);
    free(sizes.size);
}

static void print_names(dumpi_profile *profile) {
    int count_of_labels, count_of_names;
    dumpi_perflabel_t labels[4];
    uint64_t *addresses;
    char **names;
    dumpi_read_perfctr_labels(profile, &count_of_labels, labels, 4);
    printf("labels=%d\n", count_of_labels);
    for (int i = 0; i < count_of_labels && i < 4; i++)
        printf("label=%s\n", labels[i]);
    if (!dumpi_read_function_addresses(profile, &count_of_names, &addresses, &names))
        printf("no names\n");
    for (int i = 0; i < count_of_names; i++) {
        printf("address=%" PRIu64 " %s\n", addresses[i], names[i]);
        free(names[i]);
    }
    free(addresses);
    free(names);
}

int main(int argc, char **argv) {
    struct totals totals = {0, 0, 0, 0};
    libundumpi_callbacks callbacks;
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_set_callbacks(&callbacks, count);
    if (undumpi_read_stream(profile, &callbacks, &totals, false) != 1)
        return 2;
    printf("calls=%lu\nwall_ns=%lld\n", totals.calls, totals.wall_ns);
    printf("with_counters=%lu\nlast_counter=%" PRId64 "\n", totals.with_counters, totals.last_counter);
    print_sections(profile);
    print_names(profile);
    undumpi_close(profile);
    free(profile);
    return 0;
}
