/* counters.c: reads calls by the function of each kind, with hardware counters, and prints them under their names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <dumpi/common/io.h>
#include <dumpi/common/iodefs.h>
#include <dumpi/common/perfctrtags.h>
#include <dumpi/libundumpi/bindings.h>

int main(int argc, char **argv) {
    dumpi_profile *profile = argc == 2 ? dumpi_open_input_file(argv[1]) : NULL;
    dumpi_perfinfo *perf = calloc(1, sizeof *perf);
    libundumpi_cbpair silent[DUMPI_END_OF_STREAM];
    int number, labels;
    if (!profile || !perf)
        return 1;
    libundumpi_populate_callbacks(NULL, silent);
    dumpi_read_perfctr_labels(profile, &labels, perf->counter_tag, DUMPI_MAX_PERFCTRS);
    dumpi_start_stream_read(profile);
    while ((number = dumpi_read_next_function(profile)) < DUMPI_END_OF_STREAM) {
        dumpi_comm_rank val;
        dumpi_time cpu, wall;
        uint16_t thread;
        if (number != DUMPI_Comm_rank) {
            silent[number].handler(profile, silent[number].callout, NULL);
            continue;
        }
        if (!dumpi_read_comm_rank(&val, &thread, &cpu, &wall, perf, profile))
            return 2;
        printf("rank %d", val.rank);
        for (int i = 0; i < perf->count; i++)
            printf(" %s=%" PRId64 "..%" PRId64, perf->counter_tag[i], perf->invalue[i], perf->outvalue[i]);
        printf("\n");
    }
    printf("%d labels, %zu active, %s\n", labels, dumpi_active_perfctrs(),
           dumpi_perfctr_name(DUMPI_PAPI_TOT_CYC));
    free(perf);
    undumpi_close(profile);
    free(profile);
    return 0;
}
