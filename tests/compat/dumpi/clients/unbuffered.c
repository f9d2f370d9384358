/* unbuffered.c: a profile that the program fills itself, with a file that stdio does not read ahead of. Prints the calls
 * as reading all at once and one by one gives them. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/common/io.h>
#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

static int print_call(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                      const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)perf, (void)userarg;
    printf("%d.%09d\n", wall->start.sec, wall->start.nsec);
    return 1;
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];
    dumpi_profile profile, *opened = argc == 2 ? undumpi_open(argv[1]) : NULL;
    int finalized = 0;
    if (!opened)
        return 1;
    dumpi_init_profile(&profile);
    profile.file = fopen(argv[1], "rb");
    setvbuf(profile.file, NULL, _IONBF, 0);
    profile.body = opened->body;
    profile.header = opened->header;
    profile.version[0] = opened->version[0];
    profile.version[1] = opened->version[1];
    profile.version[2] = opened->version[2];
    profile.terminate_pos = opened->terminate_pos;
    undumpi_close(opened);
    free(opened);
    libundumpi_set_callbacks(&callbacks, print_call);
    libundumpi_populate_callbacks(&callbacks, pairs);
    if (!undumpi_read_stream(&profile, &callbacks, NULL, false) || profile.pos != (uint64_t)profile.header)
        return 2;
    dumpi_start_stream_read(&profile);
    while (undumpi_read_single_call(&profile, pairs, NULL, &finalized))
        if (ftell(profile.file) != (long)profile.pos)
            return 3;
    undumpi_close(&profile);
    return 0;
}
