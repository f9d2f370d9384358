/* part.c: reads the first part of the calls, up to an offset in the file, with progress, and then all of them. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/libundumpi/libundumpi.h>

static int count(const dumpi_comm_rank *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                 const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)wall, (void)perf;
    ++*(unsigned *)userarg;
    return 0;
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    unsigned calls = 0;
    dumpi_profile *profile = argc == 3 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_clear_callbacks(&callbacks);
    callbacks.on_comm_rank = count;
    profile->terminate_pos = (uint64_t)atoi(argv[2]);
    undumpi_read_stream_full("some.meta", profile, &callbacks, &calls, true);
    printf("%u calls up to %d\n", calls, (int)profile->pos);
    profile->terminate_pos = profile->total_file_size;
    undumpi_read_stream(profile, &callbacks, &calls, false);
    printf("%u calls\n", calls);
    undumpi_close(profile);
    free(profile);
    return 0;
}
