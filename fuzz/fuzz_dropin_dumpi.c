/* fuzz_dropin_dumpi.c: a program of libundumpi reads any file: it neither crashes nor leaves memory behind, and gives no
 * more calls than the file has bytes. */
#include "support.h"
#include "folder.h"

#include <dumpi/libundumpi/libundumpi.h>

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
    read_sections(profile);
    undumpi_close(profile);
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
