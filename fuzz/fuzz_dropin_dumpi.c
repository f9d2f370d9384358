/* fuzz_dropin_dumpi.c: a program of libundumpi reads any file: it neither crashes nor leaves memory behind, and gives no
 * more calls than the file has bytes. */
#include "support.h"
#include "folder.h"

#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count(const void *parameters, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                 const dumpi_perfinfo *perf, void *context) {
    (void)parameters, (void)thread, (void)perf;
    if (cpu && wall)
        ++*(uint64_t *)context;
    return 1;
}

static uint64_t read_one_by_one(dumpi_profile *profile, const libundumpi_callbacks *callbacks) {
    libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];
    uint64_t calls = 0;
    int finalized = 0, number;
    libundumpi_populate_callbacks(callbacks, pairs);
    dumpi_start_stream_read(profile);
    while (undumpi_read_single_call(profile, pairs, &calls, &finalized))
        ;
    dumpi_start_stream_read(profile);
    while ((number = (int)dumpi_read_next_function(profile)) < DUMPI_END_OF_STREAM && pairs[number].handler)
        if (!pairs[number].handler(profile, pairs[number].callout, &calls))
            break;
    return calls;
}

/* Takes whatever is at the begin of the calls for one of a kind with every sort of list, freed as programs free it. */
static void read_structs(dumpi_profile *profile) {
    dumpi_comm_spawn_multiple spawn;
    dumpi_group_range_incl range;
    dumpi_start_stream_read(profile);
    if (dumpi_read_comm_spawn_multiple(&spawn, NULL, NULL, NULL, NULL, profile)) {
        DUMPI_FREE_CHAR_ARRAY_2(DUMPI_NULLTERM, spawn.commands);
        DUMPI_FREE_CHAR_ARRAY_3(DUMPI_NULLTERM, DUMPI_NULLTERM, spawn.argvs);
        free(spawn.maxprocs);
        free(spawn.info);
        free(spawn.errcodes);
    }
    dumpi_start_stream_read(profile);
    if (dumpi_read_group_range_incl(&range, NULL, NULL, NULL, NULL, profile))
        DUMPI_FREE_INT_ARRAY_2(DUMPI_NULLTERM, range.ranges);
}

static void read_names(dumpi_profile *profile) {
    uint64_t *addresses;
    char **names;
    int count;
    dumpi_read_function_addresses(profile, &count, &addresses, &names);
    DUMPI_FREE_CHAR_ARRAY_2(count, names);
    free(addresses);
}

static void read_sections(dumpi_profile *profile) {
    dumpi_free_header(undumpi_read_header(profile));
    dumpi_free_keyval_record(undumpi_read_keyval_record(profile));
    dumpi_free_footer(undumpi_read_footer(profile));
    free(undumpi_read_datatype_sizes(profile).size);
}

static void read_file(const struct fuzz_case *fuzz, const char *path) {
    libundumpi_callbacks callbacks;
    uint64_t calls = 0;
    libundumpi_set_callbacks(&callbacks, count);
    dumpi_profile *profile = undumpi_open(path);
    if (!profile)
        return;
    undumpi_read_stream(profile, &callbacks, &calls, false);
    if (calls > fuzz->size)
        fuzz_fail("libundumpi gives %llu calls of %zu bytes", (unsigned long long)calls, fuzz->size);
    if (read_one_by_one(profile, &callbacks) > 2 * fuzz->size)
        fuzz_fail("libundumpi gives more calls of %zu bytes one by one than there can be", fuzz->size);
    read_structs(profile);
    read_names(profile);
    read_sections(profile);
    undumpi_close(profile);
    free(profile);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    static struct fuzz_listing listing;
    fuzz_folder_list(fuzz->folder, &listing);
    for (size_t i = 0; i < listing.count; i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", fuzz->folder, listing.names[i]);
        read_file(fuzz, path);
    }
}
