/* undumpi.c: reads all calls of a DUMPI file through the drop-in libundumpi, with a callback that does nothing for
 * every kind of call, or with no callback at all.
 *
 *     undumpi FILE [callbacks|none]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <dumpi/libundumpi/libundumpi.h>

static int do_nothing(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                      const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf;
    ++*(uint64_t *)userarg;
    return 1;
}

static uint64_t count_calls(dumpi_profile *profile) {
    dumpi_footer *footer = undumpi_read_footer(profile);
    uint64_t calls = 0;
    for (int id = 0; footer && id < DUMPI_ALL_FUNCTIONS; id++)
        calls += footer->call_count[id] - footer->ignored_count[id];
    dumpi_free_footer(footer);
    return calls;
}

int main(int argc, char **argv) {
    dumpi_profile *profile = argc > 1 ? undumpi_open(argv[1]) : NULL;
    libundumpi_callbacks callbacks;
    struct rusage usage;
    uint64_t delivered = 0;
    if (!profile) {
        fputs("usage: undumpi FILE [callbacks|none]\n", stderr);
        return 2;
    }
    libundumpi_clear_callbacks(&callbacks);
    if (argc < 3 || strcmp(argv[2], "none") != 0)
        libundumpi_set_callbacks(&callbacks, do_nothing);
    undumpi_read_stream(profile, &callbacks, &delivered, false);
    getrusage(RUSAGE_SELF, &usage);
    const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    const uint64_t calls = count_calls(profile);
    printf("%" PRIu64 " records, %" PRIu64 " delivered, %.3f s, %.2f M records/s, %.1f MB/s, %ld KiB\n", calls,
           delivered, seconds, (double)calls / seconds / 1e6, (double)profile->total_file_size / seconds / 1e6,
           usage.ru_maxrss);
    undumpi_close(profile);
    free(profile);
    return 0;
}
