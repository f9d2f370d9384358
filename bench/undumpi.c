/* undumpi.c: reads all calls of a DUMPI file through the drop-in libundumpi: all at once, with a callback that does
 * nothing for every kind of call, or with no callback at all; one by one with such callbacks; or taking the number of each
 * call itself and calling the handler of that number.
 *
 *     undumpi FILE [callbacks|none|single|handlers]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

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

static void read_calls(dumpi_profile *profile, const char *mode, uint64_t *delivered) {
    libundumpi_callbacks callbacks;
    libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];
    int finalized = 0, number;
    libundumpi_clear_callbacks(&callbacks);
    if (strcmp(mode, "none") != 0)
        libundumpi_set_callbacks(&callbacks, do_nothing);
    libundumpi_populate_callbacks(&callbacks, pairs);
    if (strcmp(mode, "single") != 0 && strcmp(mode, "handlers") != 0) {
        undumpi_read_stream(profile, &callbacks, delivered, false);
        return;
    }
    dumpi_start_stream_read(profile);
    if (strcmp(mode, "single") == 0)
        while (undumpi_read_single_call(profile, pairs, delivered, &finalized))
            ;
    else
        while ((number = (int)dumpi_read_next_function(profile)) < DUMPI_END_OF_STREAM)
            pairs[number].handler(profile, pairs[number].callout, delivered);
}

int main(int argc, char **argv) {
    dumpi_profile *profile = argc > 1 ? undumpi_open(argv[1]) : NULL;
    struct rusage usage;
    uint64_t delivered = 0;
    if (!profile) {
        fputs("usage: undumpi FILE [callbacks|none|single|handlers]\n", stderr);
        return 2;
    }
    read_calls(profile, argc > 2 ? argv[2] : "callbacks", &delivered);
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
