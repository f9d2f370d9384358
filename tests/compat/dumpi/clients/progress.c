/* progress.c: where each call ends; or what is said on the way when all of them are read, up to an offset, with or without callbacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dumpi/libundumpi/bindings.h>
#include <dumpi/libundumpi/libundumpi.h>

static int ignore(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                  const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf, (void)userarg;
    return 1;
}

static void print_ends(dumpi_profile *profile, libundumpi_callbacks *callbacks) {
    libundumpi_cbpair bindings[DUMPI_END_OF_STREAM];
    int finalized = 0;
    libundumpi_populate_callbacks(callbacks, bindings);
    if (!dumpi_start_stream_read(profile))
        return;
    while (undumpi_read_single_call(profile, bindings, NULL, &finalized))
        printf("%llu\n", (unsigned long long)profile->pos);
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    dumpi_profile *profile = argc == 4 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_clear_callbacks(&callbacks);
    if (strcmp(argv[3], "all") == 0)
        libundumpi_set_callbacks(&callbacks, ignore);
    if (strcmp(argv[3], "ends") == 0) {
        print_ends(profile, &callbacks);
    } else {
        profile->terminate_pos = (uint64_t)atoll(argv[2]);
        undumpi_read_stream_full("some.meta", profile, &callbacks, NULL, true);
    }
    undumpi_close(profile);
    free(profile);
    return 0;
}
