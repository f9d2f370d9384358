/* bindings.c: reads call by call through bindings.h alone, as simulators' workload generators do: takes the number of
 * each call itself and calls the handler of that number. Prints the name and the wall time of each call that has a
 * callback, and what follows the last. */
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/common/iodefs.h>
#include <dumpi/libundumpi/bindings.h>

static int number;

static int on_any(const void *prm, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
                  const dumpi_perfinfo *perf, void *userarg) {
    (void)prm, (void)thread, (void)cpu, (void)perf;
    printf("%s %d.%09d\n", dumpi_get_function_name(number), wall->start.sec, wall->start.nsec);
    ++*(int *)userarg;
    return 7;
}

int main(int argc, char **argv) {
    libundumpi_callbacks callbacks;
    libundumpi_cbpair pairs[DUMPI_END_OF_STREAM];
    int calls = 0, returned = 0, skipped = 0;
    dumpi_profile *profile = argc == 2 ? undumpi_open(argv[1]) : NULL;
    if (!profile)
        return 1;
    libundumpi_set_callbacks(&callbacks, on_any);
    callbacks.on_comm_rank = NULL;
    libundumpi_populate_callbacks(&callbacks, pairs);
    dumpi_start_stream_read(profile);
    while ((number = dumpi_read_next_function(profile)) < DUMPI_END_OF_STREAM) {
        const libundumpi_cbpair *pair = &pairs[number];
        const int result = pair->handler(profile, pair->callout, &calls);
        returned += pair->callout && result == 7;
        skipped += !pair->callout;
    }
    printf("%d calls, %d results, %d skipped, then %d\n", calls, returned, skipped, number);
    undumpi_close(profile);
    free(profile);
    return 0;
}
