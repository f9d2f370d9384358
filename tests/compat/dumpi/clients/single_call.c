/* single_call.c: reads call by call, as a simulator does that decides itself when the next call is due. Prints the
 * names of the calls, but stops after MPI_Finalize. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/libundumpi/bindings.h>

static const char *expected;

static int on_any(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                  const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)perf;
    ++*(unsigned *)userarg;
    printf("%d.%09d\n", wall->start.sec, wall->start.nsec);
    return 1;
}

static int on_finalize(const dumpi_finalize *prm, uint16_t thread, const dumpi_time *cpu,
                       const dumpi_time *wall, const dumpi_perfinfo *perf, void *userarg) {
    expected = dumpi_function_label(DUMPI_Finalize);
    return on_any(prm, thread, cpu, wall, perf, userarg);
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];
    unsigned calls = 0;
    int finalized = 0;
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_set_callbacks(&callbacks, on_any);
    callbacks.on_finalize = on_finalize;
    callbacks.on_barrier = NULL;
    libundumpi_populate_callbacks(&callbacks, pairs);
    if (!dumpi_start_stream_read(profile))
        return 2;
    while (!finalized && undumpi_read_single_call(profile, pairs, &calls, &finalized))
        ;
    printf("%u calls, %s\n", calls, finalized && expected ? expected : "no end");
    undumpi_close(profile);
    free(profile);
    return 0;
}
